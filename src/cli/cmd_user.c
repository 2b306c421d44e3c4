/* argus user: accounts of the people who log in to argus serve. */
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/password.h"
#include "cli/past.h"
#include "server/accounts.h"

#define OPTIONS "store output "

static const ag_option options[] = {
	{ "superuser", 0, NULL, NULL, NULL, "create: admin of every project and of the accounts" },
	AG_PAST_OUTPUT_OPTION,
	AG_PAST_STORE_OPTION,
};

/* --- what is printed --- */

static void user_json(ag_jw *w, const ag_user_row *u, const char *link)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "name", u->name);
	ag_jw_kbool(w, "superuser", u->is_super);
	ag_jw_kbool(w, "active", u->is_active);
	ag_jw_kbool(w, "has_password", u->password.len > 0);
	ag_jw_ktime_or_null(w, "created_at", u->created_ms);
	ag_jw_ktime_or_null(w, "seen_at", u->seen_ms);
	if (link)
		ag_jw_kstr(w, "link_token", ag_str_c(link));
	ag_jw_obj_end(w);
}

/* On standard output stands what is pasted behind the server's address. */
static int print_link(ag_cli *c, const ag_user_row *u, const char *link)
{
	ag_buf out = AG_BUF_INIT(64 * 1024);
	ag_jw w;

	if (ag_cli_is_json(c)) {
		ag_jw_init(&w, &out, 2);
		user_json(&w, u, link);
		return ag_past_print_json(c, &out);
	}
	ag_buf_addf(&out, "/setup#%s\n", link);
	ag_cli_note(
		c,
		"%.*s chooses a password at this place of the server (argus serve), once, within 24 "
		"hours. The link is shown only now.",
		AG_FMT(u->name));
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

/* --- create, link --- */

static int with_link(ag_cli *c, ag_store *store, const ag_user_row *u)
{
	char link[AG_TOKEN_CHARS + 1];
	ag_err err = { 0 };
	int exit_code;

	if (ag_server_new_link(store, c->app.ctx.clock, u->name, c->app.arena, link, &err))
		return ag_cli_fail(c, &err);
	exit_code = print_link(c, u, link);
	explicit_bzero(link, sizeof(link));
	return exit_code;
}

static int create(ag_cli *c)
{
	const int64_t now = ag_clock_wall(c->app.ctx.clock);
	const ag_user_row u = { .name = c->args[0],
		                .password = AG_S(""),
		                .project = AG_S(""),
		                .is_super = ag_cli_has(c, "superuser"),
		                .is_active = true,
		                .created_ms = now,
		                .changed_ms = now };
	ag_err err = { 0 };
	ag_store *store;

	if (ag_app_store(&c->app, &store, &err) || ag_store_new_user(store, &u, &err))
		return ag_cli_fail(c, &err);
	return with_link(c, store, &u);
}

/* The account that is named. False: *ret_exit says how it failed. */
static bool named(ag_cli *c, ag_store **ret_store, ag_user_row *ret, int *ret_exit)
{
	ag_err err = { 0 };

	if (!ag_app_store(&c->app, ret_store, &err) &&
	    !ag_store_user(*ret_store, c->args[0], c->app.arena, ret, &err))
		return true;
	if (err.status == AG_NOT_FOUND)
		ag_err_hint(&err,
		            "`argus user list` shows the accounts, `argus user create` makes one");
	*ret_exit = ag_cli_fail(c, &err);
	return false;
}

static int new_link(ag_cli *c)
{
	ag_store *store;
	ag_user_row u;
	int exit_code;

	return named(c, &store, &u, &exit_code) ? with_link(c, store, &u) : exit_code;
}

/* --- password --- */

/* A line of standard input, which a terminal does not show. */
static ag_status read_password(ag_cli *c, ag_str *ret, ag_err *err)
{
	char *line = (char *)ag_arena_alloc(c->app.arena, AG_PASSWORD_MAX + 2);
	const bool is_terminal = isatty(STDIN_FILENO);
	struct termios old, quiet;
	size_t n = 0;
	char ch;

	if (is_terminal) {
		ag_cli_note(c, "new password (it is not shown):");
		tcgetattr(STDIN_FILENO, &old);
		quiet = old;
		quiet.c_lflag &= ~(tcflag_t)ECHO;
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
	}
	while (n <= AG_PASSWORD_MAX && read(STDIN_FILENO, &ch, 1) == 1 && ch != '\n')
		line[n++] = ch;
	if (is_terminal)
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &old);
	if (n && line[n - 1] == '\r')
		n--;
	*ret = ag_str_make(line, n);
	return n ? AG_OK
	         : ag_fail(err, AG_INVALID, "cli.user", "there is no password on standard input");
}

static int set_password(ag_cli *c)
{
	char hash[AG_PASSWORD_HASH];
	ag_err err = { 0 };
	ag_str password;
	ag_store *store;
	ag_user_row u;
	int exit_code;
	ag_status st;

	if (!named(c, &store, &u, &exit_code))
		return exit_code;
	st = read_password(c, &password, &err);
	if (!st)
		st = ag_password_hash(password, hash, &err);
	if (password.len)
		explicit_bzero((void *)(uintptr_t)password.ptr, password.len);
	if (!st) {
		u.password = ag_str_c(hash);
		u.changed_ms = ag_clock_wall(c->app.ctx.clock);
		st = ag_store_change_user(store, &u, &err);
	}
	if (!st)
		st = ag_store_revoke_tokens(store, u.name, AG_TOKEN_SESSION, AG_S(""), u.changed_ms,
		                            &err);
	if (st)
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "The password of %.*s is changed, and earlier sessions have ended.",
	            AG_FMT(u.name));
	return AG_EXIT_OK;
}

/* --- enable, disable, delete --- */

static int set_active(ag_cli *c, bool is_active)
{
	ag_err err = { 0 };
	ag_store *store;
	ag_user_row u;
	int exit_code;

	if (!named(c, &store, &u, &exit_code))
		return exit_code;
	u.is_active = is_active;
	u.changed_ms = ag_clock_wall(c->app.ctx.clock);
	if (ag_store_change_user(store, &u, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c,
	            is_active ? "%.*s may come in again."
	                      : "%.*s cannot come in any more, not even with a token.",
	            AG_FMT(u.name));
	return AG_EXIT_OK;
}

static int enable(ag_cli *c)
{
	return set_active(c, true);
}

static int disable(ag_cli *c)
{
	return set_active(c, false);
}

static int delete_user(ag_cli *c)
{
	ag_err err = { 0 };
	ag_store *store;
	ag_user_row u;
	int exit_code;

	if (!named(c, &store, &u, &exit_code))
		return exit_code;
	if (ag_store_drop_user(store, u.name, ag_clock_wall(c->app.ctx.clock), &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "The account of %.*s is gone, with roles and tokens; conversations stay.",
	            AG_FMT(u.name));
	return AG_EXIT_OK;
}

/* --- list --- */

static void line(ag_paint *p, const ag_user_row *u, ag_arena *arena)
{
	ag_paint_cut(p, u->is_active ? AG_INK_BOLD : AG_INK_DIM, 24, u->name);
	ag_paint_to(p, 26);
	ag_paint_lit(p, AG_INK_PLAIN, u->is_super ? "superuser" : "user");
	ag_paint_to(p, 37);
	if (!u->is_active)
		ag_paint_lit(p, AG_INK_RED, "disabled");
	else if (!u->password.len)
		ag_paint_lit(p, AG_INK_YELLOW, "no password yet");
	else if (!u->seen_ms)
		ag_paint_lit(p, AG_INK_DIM, "never logged in");
	else
		ag_paint_text(p, AG_INK_GREEN,
		              ag_str_printf(arena, "last login %.*s",
		                            AG_FMT(ag_past_when(u->seen_ms, arena))));
	ag_paint_nl(p);
}

static int list(ag_cli *c)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_err err = { 0 };
	ag_user_row *rows;
	ag_store *store;
	size_t n;
	ag_jw w;

	if (ag_app_store(&c->app, &store, &err) ||
	    ag_store_users(store, c->app.arena, &rows, &n, &err))
		return ag_cli_fail(c, &err);
	if (ag_cli_is_json(c)) {
		ag_jw_init(&w, &out, 2);
		ag_jw_obj(&w);
		ag_jw_kkey(&w, "users");
		ag_jw_arr(&w);
		for (size_t i = 0; i < n; i++)
			user_json(&w, &rows[i], NULL);
		ag_jw_arr_end(&w);
		ag_jw_obj_end(&w);
		return ag_past_print_json(c, &out);
	}
	for (size_t i = 0; i < n; i++)
		line(&p, &rows[i], c->app.arena);
	if (!n)
		ag_cli_note(
			c,
			"No accounts yet. `argus user create NAME --superuser` makes the first.");
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static const ag_verb verbs[] = {
	{ "create", "NAME", 1, 1, OPTIONS "superuser", create },
	{ "list", "", 0, 0, OPTIONS, list },
	{ "link", "NAME", 1, 1, OPTIONS, new_link },
	{ "password", "NAME", 1, 1, "store", set_password },
	{ "disable", "NAME", 1, 1, "store", disable },
	{ "enable", "NAME", 1, 1, "store", enable },
	{ "delete", "NAME", 1, 1, "store", delete_user },
};

static int run(ag_cli *c)
{
	return ag_cli_run_verb(c, verbs, AG_NELEM(verbs));
}

const ag_command ag_cmd_user = {
	.name = "user",
	.summary = "Make and manage the accounts of people who log in",
	.group = AG_GROUP_SERVE,
	.usage =
		"create NAME | list | link NAME | password NAME | disable NAME | enable NAME | delete NAME",
	.about =
		"An account lets a person log in to argus serve with a password. What that person may do in a project is said by "
		"argus project grant; a superuser may do everything. create and link print a link, good once and for 24 hours, "
		"by which the person chooses the password. password reads one from standard input, or from the terminal "
		"without showing it, and ends the user's sessions.\n\n"
		"disable keeps out the user's sessions and tokens at once and forgets nothing; delete removes the account, its "
		"roles and its tokens. The last superuser, and the last admin of a project, stay.",
	.examples = "argus user create ann # prints her link\n"
		    "argus project grant shop ann analyst\n"
		    "argus user password ann < secret.txt\n"
		    "argus user disable ann",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 2,
	.run = run,
};
