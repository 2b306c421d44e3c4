/* argus project: the projects of the store, their members, and the key that their passwords are encrypted with.
 *
 * What changes a project is in project_edit.c. A password is never printed: only whether there is one. */
#include "app/projects.h"
#include "base/fernet.h"
#include "base/utf8.h"
#include "cli/past.h"
#include "cli/project_edit.h"
#include "project/credential.h"

#define ORIGIN  "cli.project"
#define COMMON  "store output "
#define EDITING COMMON "source name password-file "

static const ag_option options[] = {
	{ "source", 0, "URI", NULL, NULL,
	  "add, set: the database: postgresql://user@host/name, or sqlite:PATH" },
	{ "name", 0, "TEXT", NULL, NULL, "add, set: what people call it" },
	{ "password-file", 0, "FILE", NULL, NULL,
	  "add, set: where the database's password stands; - is standard input" },
	{ "no-password", 0, NULL, NULL, NULL, "set: forget the password" },
	{ "disable", 0, NULL, NULL, NULL, "set: nobody may call it any more" },
	{ "enable", 0, NULL, NULL, NULL, "set: take that back" },
	AG_PAST_OUTPUT_OPTION,
	AG_PAST_STORE_OPTION,
};

/* --- list and show --- */

static void project_json(ag_jw *w, const ag_project_row *p)
{
	ag_jw_kstr(w, "id", p->id);
	ag_jw_kstr(w, "name", p->name);
	ag_jw_kstr(w, "source", p->source);
	ag_jw_kbool(w, "has_password", p->secret.len > 0);
	ag_jw_kbool(w, "active", p->is_active);
	ag_jw_kraw(w, "settings", p->settings);
	ag_jw_ktime_or_null(w, "created_at", p->created_ms);
	ag_jw_ktime_or_null(w, "changed_at", p->changed_ms);
}

static void members_json(ag_jw *w, const ag_member_row *m, size_t n)
{
	ag_jw_kkey(w, "members");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		ag_jw_obj(w);
		ag_jw_kstr(w, "user", m[i].user);
		ag_jw_kstr(w, "role", ag_str_c(ag_role_name(m[i].role)));
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

static int list_json(ag_cli *c, const ag_project_row *rows, size_t n)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "projects");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		ag_jw_obj(&w);
		project_json(&w, &rows[i]);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

static void list_line(ag_paint *p, ag_str id, ag_str source, const char *state, ag_ink ink)
{
	ag_paint_text(p, AG_INK_CYAN, id);
	ag_paint_lit(p, AG_INK_PLAIN, "  ");
	ag_paint_to(p, 20);
	ag_paint_lit(p, ink, state);
	ag_paint_to(p, 32);
	ag_paint_text(p, AG_INK_PLAIN, source.len ? source : AG_S("no database"));
	ag_paint_nl(p);
}

/* Those of argus.yaml are shown as well; a mistake in it is no reason to hide the others. */
static size_t list_configured(ag_cli *c, ag_paint *p)
{
	ag_project *all = NULL;
	ag_err err = { 0 };
	size_t n = 0;

	if (ag_app_has_old_database(&c->app))
		ag_cli_warn(c, AG_CLI_OLD_DATABASE);
	if (ag_app_projects(&c->app, AG_S(""), &all, &n, &err)) {
		ag_cli_fail(c, &err);
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		ag_str source = AG_S(""), password;

		AG_IGNORE(ag_credential_take(all[i].source, c->app.arena, &source, &password, NULL),
		          "then it is not shown");
		list_line(p, all[i].id, source, "argus.yaml", AG_INK_DIM);
	}
	return n;
}

static int list(ag_cli *c)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_project_row *rows;
	ag_err err = { 0 };
	ag_store *store;
	size_t n, nall;

	if (ag_app_store(&c->app, &store, &err) ||
	    ag_store_projects(store, c->app.arena, &rows, &n, &err))
		return ag_cli_fail(c, &err);
	if (ag_cli_is_json(c))
		return list_json(c, rows, n);
	nall = n + list_configured(c, &p);
	for (size_t i = 0; i < n; i++)
		list_line(&p, rows[i].id, rows[i].source, rows[i].is_active ? "active" : "disabled",
		          rows[i].is_active ? AG_INK_GREEN : AG_INK_RED);
	if (!nall)
		ag_cli_note(
			c, "No projects yet. `argus project add ID --source URI` makes the first.");
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static void fact(ag_paint *p, const char *label, ag_str value)
{
	ag_paint_to(p, 2);
	ag_paint_lit(p, AG_INK_DIM, label);
	ag_paint_to(p, 12);
	ag_paint_wrap(p, AG_INK_PLAIN, 12, value);
	ag_paint_nl(p);
}

static void show_text(ag_cli *c, ag_paint *p, const ag_project_row *r, const ag_member_row *m,
                      size_t n)
{
	ag_arena *arena = c->app.arena;

	ag_paint_text(p, AG_INK_BOLD, r->id);
	ag_paint_textf(p, AG_INK_PLAIN, "  %.*s", AG_FMT(r->name));
	ag_paint_nl(p);
	fact(p, "source", r->source.len ? r->source : AG_S("none"));
	fact(p, "password", r->secret.len ? AG_S("encrypted, never shown") : AG_S("none"));
	fact(p, "state", r->is_active ? AG_S("active") : AG_S("disabled"));
	fact(p, "settings", r->settings);
	fact(p, "created", ag_past_when(r->created_ms, arena));
	fact(p, "changed", ag_past_when(r->changed_ms, arena));
	for (size_t i = 0; i < n; i++)
		fact(p, i ? "" : "members",
		     ag_str_printf(arena, "%.*s: %s", AG_FMT(m[i].user), ag_role_name(m[i].role)));
}

static int show(ag_cli *c)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_member_row *m;
	ag_project_row r;
	ag_err err = { 0 };
	ag_store *store;
	ag_jw w;
	size_t n;

	if (ag_app_store(&c->app, &store, &err) ||
	    ag_store_project(store, c->args[0], c->app.arena, &r, &err) ||
	    ag_store_members(store, c->args[0], AG_S(""), c->app.arena, &m, &n, &err))
		return ag_cli_fail(c, &err);
	if (!ag_cli_is_json(c)) {
		show_text(c, &p, &r, m, n);
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	}
	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	project_json(&w, &r);
	members_json(&w, m, n);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

static int remove_project(ag_cli *c)
{
	ag_err err = { 0 };
	ag_store *store;

	if (ag_app_store(&c->app, &store, &err) || ag_store_drop_project(store, c->args[0], &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c,
	            "Project %.*s is gone, with its members; what was asked of it stays in the "
	            "audit table.",
	            AG_FMT(c->args[0]));
	return AG_EXIT_OK;
}

/* --- members --- */

static int members(ag_cli *c)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_member_row *m;
	ag_err err = { 0 };
	ag_store *store;
	ag_jw w;
	size_t n;

	if (ag_app_store(&c->app, &store, &err) ||
	    ag_store_members(store, c->args[0], AG_S(""), c->app.arena, &m, &n, &err))
		return ag_cli_fail(c, &err);
	if (ag_cli_is_json(c)) {
		ag_jw_init(&w, &out, 2);
		ag_jw_obj(&w);
		members_json(&w, m, n);
		ag_jw_obj_end(&w);
		return ag_past_print_json(c, &out);
	}
	for (size_t i = 0; i < n; i++) {
		ag_paint_text(&p, AG_INK_CYAN, m[i].user);
		ag_paint_lit(&p, AG_INK_PLAIN, "  ");
		ag_paint_to(&p, 30);
		ag_paint_lit(&p, AG_INK_PLAIN, ag_role_name(m[i].role));
		ag_paint_nl(&p);
	}
	if (!n)
		ag_cli_note(c, "No members. `argus project grant %.*s USER viewer` adds one.",
		            AG_FMT(c->args[0]));
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

/* In the store, or in argus.yaml: then its members stand in the store all the same. */
static ag_status check_project(ag_cli *c, ag_store *store, ag_str id, ag_err *err)
{
	ag_project *all = NULL;
	ag_project_row r;
	size_t n = 0;
	ag_status st = ag_store_project(store, id, c->app.arena, &r, err);

	if (st != AG_NOT_FOUND)
		return st;
	if (ag_app_projects(&c->app, AG_S(""), &all, &n, NULL))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eq(all[i].id, id))
			return AG_OK;
	}
	ag_err_hint(err, "`argus project list` shows what there is");
	return st;
}

static int change_member(ag_cli *c, ag_role role)
{
	const ag_member_row m = { c->args[0], c->args[1], role };
	ag_err err = { 0 };
	ag_store *store;

	if (ag_app_store(&c->app, &store, &err) ||
	    (role && check_project(c, store, m.project, &err)) ||
	    ag_store_put_member(store, &m, &err))
		return ag_cli_fail(c, &err);
	if (role)
		ag_cli_note(c, "%.*s is %s of %.*s.", AG_FMT(m.user), ag_role_name(role),
		            AG_FMT(m.project));
	else
		ag_cli_note(c, "%.*s is no member of %.*s any more.", AG_FMT(m.user),
		            AG_FMT(m.project));
	return AG_EXIT_OK;
}

static int grant(ag_cli *c)
{
	static const char *const roles[] = { "viewer", "analyst", "admin" };
	ag_role role = AG_ROLE_NONE;

	if (!ag_role_read(c->args[2], &role)) {
		const char *near = ag_str_nearest(c->args[2], roles, AG_NELEM(roles));

		ag_cli_complain(c, "want viewer, analyst or admin, got \"%.*s\"%s%s%s",
		                AG_FMT(ag_utf8_prefix(c->args[2], 40)),
		                near ? "; did you mean \"" : "", near ? near : "",
		                near ? "\"?" : "");
	}
	return ag_cli_refused(c) ? AG_EXIT_USAGE : change_member(c, role);
}

static int revoke(ag_cli *c)
{
	return change_member(c, AG_ROLE_NONE);
}

static int key(ag_cli *c)
{
	ag_buf out = AG_BUF_INIT(100);
	ag_err err = { 0 };
	char text[45];

	if (ag_fernet_key_new(text, &err))
		return ag_cli_fail(c, &err);
	ag_buf_addf(&out, "%s\n", text);
	ag_cli_note(c,
	            "Set it as DB_CREDENTIAL_KEY where argus runs, and keep a copy: without it the "
	            "passwords of projects cannot be read.");
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static const ag_verb verbs[] = {
	{ "list", "", 0, 0, COMMON, list },
	{ "show", "ID", 1, 1, COMMON, show },
	{ "add", "ID [KEY=VALUE]...", 1, 1000, EDITING, ag_project_cmd_add },
	{ "set", "ID [KEY=VALUE]...", 1, 1000, EDITING "no-password disable enable",
	  ag_project_cmd_set },
	{ "remove", "ID", 1, 1, "store", remove_project },
	{ "members", "ID", 1, 1, COMMON, members },
	{ "grant", "ID USER ROLE", 3, 3, "store", grant },
	{ "revoke", "ID USER", 2, 2, "store", revoke },
	{ "test", "ID", 1, 1, "store", ag_project_cmd_test },
	{ "key", "", 0, 0, "", key },
};

static int run(ag_cli *c)
{
	return ag_cli_run_verb(c, verbs, AG_NELEM(verbs));
}

const ag_command ag_cmd_project = {
	.name = "project",
	.summary = "Manage projects: databases, their limits and their members",
	.group = AG_GROUP_SERVE,
	.usage = "list | show ID | add ID | set ID | remove ID | members ID | grant ID USER ROLE | "
		 "revoke ID USER | test ID | key [options]",
	.about =
		"A project is a database with limits, and the users who may ask it. Projects of one person stand in "
		"argus.yaml; these are those of the store, for many. `test` sends SELECT 1 the way that every call "
		"goes.\n\n"
		"KEY=VALUE behind add and set is one of: schema, readonly_role, allowed_schemas, allowed_tables, "
		"excluded_tables, allowed_functions, allowed_views, allowed_types, allowed_extensions, "
		"sensitive_words (names with commas between them), "
		"max_rows_per_query, max_result_bytes, max_query_timeout_seconds, max_connections, max_cost, "
		"max_queries_per_minute, max_queries_per_hour, max_queries_per_day (of a user), "
		"max_project_queries_per_day, root, api_base, documents, model. KEY= takes a value away.\n\n"
		"A viewer reads and asks, an analyst also audits and writes down what he learnt, an admin also changes "
		"settings and members. The last admin of a project stays.\n\n"
		"A password is kept only encrypted with the key in DB_CREDENTIAL_KEY (`key` prints a new one), and never "
		"shown. It is taken from --password-file, from ARGUS_PROJECT_PASSWORD where --source is given, or out of "
		"the address, where others could see it.",
	.examples =
		"argus project key # once; set it as DB_CREDENTIAL_KEY\n"
		"argus project add shop --source postgresql://reader@db/shop --password-file pw # the database\n"
		"argus project set shop max_rows_per_query=100 excluded_tables=salaries,secrets # its limits\n"
		"argus project grant shop ann analyst\n"
		"argus project test shop # does it answer?",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 1001,
	.run = run,
};
