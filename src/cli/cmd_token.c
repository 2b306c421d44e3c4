/* argus token: what stands for a user over HTTP. A token is printed when it is made and never again. */
#include "base/utf8.h"
#include "cli/past.h"
#include "project/access.h"

#define MS_PER_DAY (INT64_C(24) * 3600 * 1000)
#define MAX_DAYS   36500
#define OPTIONS    "store output "

static const char *const scopes_known[] = { "sql", "audit", "ask" };

static const ag_option options[] = {
	{ "user", 'u', "USER", NULL, NULL, "whom the token stands for" },
	{ "project", 'p', "ID", NULL, NULL,
	  "create: a project that it may reach; repeat it for more, or put commas between. Without it: all of its user's" },
	{ "role", 0, "ROLE", NULL, NULL,
	  "create: never more than viewer, analyst or admin, whatever the user is (viewer)",
	  "viewer analyst admin" },
	{ "scope", 0, "SCOPE", NULL, NULL,
	  "create: sql, audit or ask; repeat it for more. Without it: all", "sql audit ask" },
	{ "expires", 0, "DAYS", NULL, NULL, "create: so many days from now. Without it: never" },
	{ "name", 0, "TEXT", NULL, NULL, "create: what it is for, as the list shows it" },
	AG_PAST_OUTPUT_OPTION,
	AG_PAST_STORE_OPTION,
};

/* --- create --- */

static bool is_known_scope(ag_str s)
{
	for (size_t i = 0; i < AG_NELEM(scopes_known); i++) {
		if (ag_str_eqc(s, scopes_known[i]))
			return true;
	}
	return false;
}

static void check_scopes(ag_cli *c, const ag_token_row *t)
{
	for (size_t i = 0; i < t->nscope; i++) {
		if (!is_known_scope(t->scopes[i])) {
			const char *near = ag_str_nearest(t->scopes[i], scopes_known,
			                                  AG_NELEM(scopes_known));

			ag_cli_complain(c, "--scope: want sql, audit or ask, got \"%.*s\"%s%s%s",
			                AG_FMT(ag_utf8_prefix(t->scopes[i], 40)),
			                near ? "; did you mean \"" : "", near ? near : "",
			                near ? "\"?" : "");
		}
	}
}

/* Repeated, with commas between them, or both. */
static size_t names(ag_cli *c, const char *option, const ag_str **ret)
{
	ag_str *list = ag_new_n(c->app.arena, ag_str, AG_IDENTITY_MAX_PROJECTS);
	const ag_str *given;
	const size_t ngiven = ag_cli_values(c, option, &given);
	size_t n = 0;

	for (size_t i = 0; i < ngiven; i++) {
		ag_str rest = given[i];

		if (!ag_str_trim(rest).len)
			ag_cli_complain(c, "--%s: want a name", option);
		while (rest.len) {
			const ag_str one = ag_str_trim(ag_str_split(&rest, ','));

			if (one.len && n < AG_IDENTITY_MAX_PROJECTS)
				list[n++] = one;
			else if (one.len)
				ag_cli_complain(c, "--%s: at most %u names", option,
				                AG_IDENTITY_MAX_PROJECTS);
		}
	}
	*ret = list;
	return n;
}

static ag_token_row token_of_options(ag_cli *c)
{
	const int64_t now_ms = ag_clock_wall(c->app.ctx.clock);
	const int64_t days = (int64_t)ag_cli_number(c, "expires", 1, MAX_DAYS, 0);
	const ag_str role = ag_cli_value(c, "role");
	ag_token_row t = { .name = ag_cli_value(c, "name"),
		           .user = ag_cli_value(c, "user"),
		           .ceiling = AG_ROLE_VIEWER,
		           .created_ms = now_ms,
		           .expires_ms = days ? now_ms + days * MS_PER_DAY : 0 };

	t.nproject = names(c, "project", &t.projects);
	t.nscope = names(c, "scope", &t.scopes);
	if (!t.user.len)
		ag_cli_complain(c, "argus token create: --user USER must be given");
	if (ag_cli_has(c, "role") && !ag_role_read(role, &t.ceiling))
		ag_cli_complain(c, "--role: want viewer, analyst or admin, got \"%.*s\"",
		                AG_FMT(ag_utf8_prefix(role, 40)));
	check_scopes(c, &t);
	return t;
}

/* What would make the token useless is said now, not at the first call. */
static ag_status note_rights(ag_cli *c, ag_store *store, const ag_token_row *t, ag_err *err)
{
	ag_member_row *m;
	size_t n;
	ag_status st = ag_store_members(store, AG_S(""), t->user, c->app.arena, &m, &n, err);

	if (st)
		return st;
	if (!t->nproject && !n)
		ag_cli_note(c,
		            "%.*s is a member of no project yet: `argus project grant ID %.*s "
		            "viewer`",
		            AG_FMT(t->user), AG_FMT(t->user));
	for (size_t i = 0; i < t->nproject; i++) {
		bool is_member = false;

		for (size_t k = 0; k < n; k++)
			is_member = is_member || ag_str_eq(m[k].project, t->projects[i]);
		if (!is_member)
			ag_cli_note(c,
			            "%.*s is no member of %.*s yet: `argus project grant %.*s "
			            "%.*s viewer`",
			            AG_FMT(t->user), AG_FMT(t->projects[i]), AG_FMT(t->projects[i]),
			            AG_FMT(t->user));
	}
	return AG_OK;
}

static int print_new(ag_cli *c, const ag_token_row *t, const char *text)
{
	ag_buf out = AG_BUF_INIT(1024 * 1024);
	ag_jw w;

	if (ag_cli_is_json(c)) {
		ag_jw_init(&w, &out, 2);
		ag_token_json(&w, t, text);
		return ag_past_print_json(c, &out);
	}
	ag_buf_addf(&out, "%s\n", text);
	ag_cli_note(c, "Token %.*s of %.*s. It is shown only now: the store keeps its hash.",
	            AG_FMT(t->id), AG_FMT(t->user));
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static int create(ag_cli *c)
{
	ag_token_row t = token_of_options(c);
	char text[AG_TOKEN_CHARS + 1];
	ag_err err = { 0 };
	ag_store *store;
	int exit_code;

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err) || ag_token_new(&t, c->app.arena, text, &err) ||
	    ag_store_put_token(store, &t, &err) || note_rights(c, store, &t, &err))
		return ag_cli_fail(c, &err);
	exit_code = print_new(c, &t, text);
	explicit_bzero(text, sizeof(text));
	return exit_code;
}

/* --- list --- */

static ag_str joined(const ag_str *texts, size_t n, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(64 * 1024);
	ag_str ret;

	for (size_t i = 0; i < n; i++)
		ag_buf_addf(&out, "%s%.*s", i ? "," : "", AG_FMT(texts[i]));
	ret = n ? ag_buf_dup(arena, &out) : AG_S("all");
	ag_buf_release(&out);
	return ret;
}

static ag_str state_of(const ag_token_row *t, int64_t now_ms, ag_arena *arena)
{
	if (t->revoked_ms)
		return ag_str_printf(arena, "revoked %.*s",
		                     AG_FMT(ag_past_when(t->revoked_ms, arena)));
	if (t->expires_ms && t->expires_ms <= now_ms)
		return ag_str_printf(arena, "expired %.*s",
		                     AG_FMT(ag_past_when(t->expires_ms, arena)));
	if (t->used_ms)
		return ag_str_printf(arena, "used %.*s", AG_FMT(ag_past_when(t->used_ms, arena)));
	return AG_S("never used");
}

static void line(ag_paint *p, const ag_token_row *t, int64_t now_ms, ag_arena *arena)
{
	const bool is_dead = t->revoked_ms || (t->expires_ms && t->expires_ms <= now_ms);

	ag_paint_text(p, is_dead ? AG_INK_DIM : AG_INK_CYAN, t->id);
	ag_paint_to(p, 14);
	ag_paint_cut(p, AG_INK_BOLD, 18, t->user);
	ag_paint_to(p, 33);
	ag_paint_lit(p, AG_INK_PLAIN, ag_role_name(t->ceiling));
	ag_paint_to(p, 42);
	ag_paint_text(p, is_dead ? AG_INK_RED : AG_INK_GREEN, state_of(t, now_ms, arena));
	ag_paint_to(p, 68);
	ag_paint_wrap(p, AG_INK_DIM, 14,
	              ag_str_printf(arena, "projects %.*s; scopes %.*s%s%.*s",
	                            AG_FMT(joined(t->projects, t->nproject, arena)),
	                            AG_FMT(joined(t->scopes, t->nscope, arena)),
	                            t->name.len ? "; " : "", AG_FMT(t->name)));
	ag_paint_nl(p);
}

static int print_list(ag_cli *c, const ag_token_row *list, size_t n)
{
	const int64_t now_ms = ag_clock_wall(c->app.ctx.clock);
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_jw w;

	if (ag_cli_is_json(c)) {
		ag_jw_init(&w, &out, 2);
		ag_jw_obj(&w);
		ag_jw_kkey(&w, "tokens");
		ag_jw_arr(&w);
		for (size_t i = 0; i < n; i++)
			ag_token_json(&w, &list[i], NULL);
		ag_jw_arr_end(&w);
		ag_jw_obj_end(&w);
		return ag_past_print_json(c, &out);
	}
	for (size_t i = 0; i < n; i++)
		line(&p, &list[i], now_ms, c->app.arena);
	if (!n)
		ag_cli_note(c, "No tokens yet. `argus token create --user USER` makes the first.");
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static int list(ag_cli *c)
{
	ag_err err = { 0 };
	ag_token_row *rows;
	ag_store *store;
	size_t n;

	if (ag_app_store(&c->app, &store, &err) ||
	    ag_store_tokens(store, ag_cli_value(c, "user"), c->app.arena, &rows, &n, &err))
		return ag_cli_fail(c, &err);
	return print_list(c, rows, n);
}

/* --- revoke --- */

/* Somebody may paste the token itself: he means it. */
static ag_str id_of(ag_cli *c, ag_str text)
{
	if (text.len == AG_TOKEN_CHARS && ag_str_starts(text, AG_S(AG_TOKEN_PREFIX)))
		return ag_token_id(text, c->app.arena);
	return text;
}

static int revoke(ag_cli *c)
{
	const ag_str id = id_of(c, c->args[0]);
	ag_err err = { 0 };
	ag_store *store;

	if (ag_app_store(&c->app, &store, &err))
		return ag_cli_fail(c, &err);
	if (ag_store_revoke_token(store, id, ag_clock_wall(c->app.ctx.clock), &err)) {
		if (err.status == AG_NOT_FOUND)
			ag_err_hint(&err, "`argus token list` shows the ids");
		return ag_cli_fail(c, &err);
	}
	ag_cli_note(c, "Token %.*s is revoked.", AG_FMT(id));
	return AG_EXIT_OK;
}

static const ag_verb verbs[] = {
	{ "create", "--user USER", 0, 0, OPTIONS "user project role scope expires name", create },
	{ "list", "", 0, 0, OPTIONS "user", list },
	{ "revoke", "ID", 1, 1, "store", revoke },
};

static int run(ag_cli *c)
{
	return ag_cli_run_verb(c, verbs, AG_NELEM(verbs));
}

const ag_command ag_cmd_token = {
	.name = "token",
	.summary = "Make, list and revoke tokens for the servers",
	.group = AG_GROUP_SERVE,
	.usage = "create --user USER | list | revoke ID [options]",
	.about =
		"A token stands for a user in requests over HTTP (Authorization: Bearer TOKEN). What it may do is what "
		"its user may do in a project (argus project grant), never more than --role, and only in the projects and "
		"with the tools (--scope) that are named.\n\n"
		"It is printed when it is made, on standard output, and cannot be shown again: the store keeps its "
		"SHA-256. One that was lost or seen by others is revoked, and another made.",
	.examples =
		"argus token create --user ann --project shop --expires 90 # reads shop for three months\n"
		"argus token create --user ci --role analyst --scope audit --name nightly # audits of all its projects\n"
		"argus token list\n"
		"argus token revoke 1f2e3d4c5b6a",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 2,
	.run = run,
};
