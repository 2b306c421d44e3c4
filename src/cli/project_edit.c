/* argus project add, set and test.
 *
 * A password comes from the address, a file or ARGUS_PROJECT_PASSWORD; here it is taken out, encrypted and forgotten. A
 * project that gets another address loses the password of the old one: a password belongs to the place it was given for. */
#include "cli/project_edit.h"

#include "app/file.h"
#include "app/projects.h"
#include "base/log.h"
#include "base/utf8.h"
#include "net/url.h"
#include "project/credential.h"
#include "query/extjson.h"

#define ORIGIN       "cli.project"
#define MAX_PASSWORD 65536
#define MAX_SETTINGS 64

/* --- settings --- */

static ag_status read_object(ag_str text, ag_arena *arena, ag_val *ret, ag_err *err)
{
	const ag_extjson_opts opts = { .reject_duplicates = true, .max_depth = 8 };

	return ag_extjson_parse(text, &opts, arena, ret, NULL, NULL, err);
}

/* The members of `old` with those that KEY=VALUE arguments give; KEY= takes one away. */
static ag_status change_settings(ag_cli *c, ag_str old, ag_str *ret, ag_err *err)
{
	ag_arena *arena = c->app.arena;
	ag_member members[2 * MAX_SETTINGS];
	ag_project_settings settings, before;
	ag_val object;
	size_t n = 0;
	ag_status st = read_object(old, arena, &object, err);

	if (!st)
		st = ag_project_settings_read(&object, arena, &before, err);
	if (st)
		return st;
	for (uint32_t i = 0; i < object.n && n < MAX_SETTINGS; i++)
		members[n++] = object.u.members[i];
	for (size_t i = 1; i < c->narg; i++) {
		ag_str value = c->args[i], key = ag_str_split(&value, '=');
		size_t at = 0;

		while (at < n && !ag_str_eq(members[at].key, key))
			at++;
		if (value.len) {
			members[at] = (ag_member){ key, ag_val_str(value) };
			n += at == n;
		} else if (at < n) {
			members[at] = members[--n];
		} else { /* nothing to take away, but the name must be one */
			const ag_member one = { key, ag_val_null() };

			object = ag_val_object(&one, 1);
			st = ag_project_settings_read(&object, arena, &settings, err);
			if (st)
				return st;
		}
	}
	object = ag_val_object(members, n);
	st = ag_project_settings_read(&object, arena, &settings, err);
	/* The password belonged to the old address. */
	if (!st && !ag_str_eq(settings.documents, before.documents))
		settings.documents_secret = AG_S("");
	return st ? st : ag_project_settings_text(&settings, arena, ret, err);
}

static void check_pairs(ag_cli *c)
{
	if (c->narg > MAX_SETTINGS)
		ag_cli_complain(c, "at most %d settings at once", MAX_SETTINGS - 1);
	for (size_t i = 1; i < c->narg; i++) {
		if (ag_str_find(c->args[i], '=') < 1)
			ag_cli_complain(c, "want KEY=VALUE, got \"%.*s\"",
			                AG_FMT(ag_utf8_prefix(c->args[i], 60)));
	}
}

/* --- passwords --- */

static ag_status password_of_file(ag_cli *c, ag_str *ret, ag_err *err)
{
	ag_str text;
	ag_status st = ag_file_read(ag_cli_value(c, "password-file"), MAX_PASSWORD, true,
	                            c->app.ctx.cancel, c->app.arena, &text, err);

	if (st)
		return st;
	while (text.len && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\r'))
		text.len--;
	if (!text.len)
		return ag_fail(err, AG_INVALID, ORIGIN, "--password-file: the file is empty");
	ag_log_redact(text);
	*ret = text;
	return AG_OK;
}

static ag_str password_of_environment(ag_cli *c)
{
	const ag_var *v = ag_settings_var(&c->app.settings, "ARGUS_PROJECT_PASSWORD");

	if (!v)
		return AG_S("");
	ag_log_redact(v->value);
	return v->value;
}

/* The address without its password, and the password, wherever it stands. */
static ag_status take_source(ag_cli *c, ag_str *ret_source, ag_str *ret_password, ag_err *err)
{
	const ag_str given = ag_cli_value(c, "source");
	ag_str source = AG_S(""), inside = AG_S("");
	ag_status st = ag_credential_take(given, c->app.arena, &source, &inside, err);

	if (st)
		return st;
	if (source.len && !ag_sql_accepts(source)) {
		ag_fail(err, AG_INVALID, ORIGIN, "\"%.*s\" is no database that Argus knows",
		        AG_FMT(ag_url_shown(source, c->app.arena)));
		return ag_err_hint(err, "postgresql://user@host/name, or sqlite:PATH");
	}
	*ret_source = source;
	if (ag_cli_has(c, "password-file")) {
		if (inside.len)
			return ag_fail(
				err, AG_INVALID, ORIGIN,
				"there is a password in --source and one in --password-file");
		return password_of_file(c, ret_password, err);
	}
	if (inside.len)
		ag_cli_note(
			c, "The password stood on the command line, where others may have seen it: "
			   "--password-file and ARGUS_PROJECT_PASSWORD hide it.");
	*ret_password = inside.len || !given.len ? inside : password_of_environment(c);
	return AG_OK;
}

static ag_status seal(ag_cli *c, ag_str password, ag_project_row *p, ag_err *err)
{
	const ag_var *key = ag_settings_var(&c->app.settings, "DB_CREDENTIAL_KEY");

	return ag_credential_seal(key ? key->value : AG_S(""), password, p->changed_ms,
	                          c->app.arena, &p->secret, err);
}

/* --- add and set --- */

static ag_status apply(ag_cli *c, ag_project_row *p, ag_err *err)
{
	ag_str source = AG_S(""), password = AG_S("");
	ag_status st = take_source(c, &source, &password, err);

	if (!st)
		st = change_settings(c, p->settings, &p->settings, err);
	if (st)
		return st;
	if (ag_cli_has(c, "name"))
		p->name = ag_cli_value(c, "name");
	if (ag_cli_has(c, "source")) {
		if (p->secret.len && !password.len && !ag_str_eq(source, p->source)) {
			p->secret = AG_S("");
			ag_cli_note(c,
			            "The password belonged to the old address and is forgotten.");
		}
		p->source = source;
	}
	if (ag_cli_has(c, "no-password"))
		p->secret = AG_S("");
	p->changed_ms = ag_clock_wall(c->app.ctx.clock);
	return password.len ? seal(c, password, p, err) : AG_OK;
}

int ag_project_cmd_add(ag_cli *c)
{
	const int64_t now_ms = ag_clock_wall(c->app.ctx.clock);
	ag_project_row p = { .id = c->args[0],
		             .name = c->args[0],
		             .settings = AG_S("{}"),
		             .is_active = true,
		             .created_ms = now_ms },
		       old;
	ag_err err = { 0 };
	ag_store *store;
	ag_status st;

	check_pairs(c);
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	st = ag_app_store(&c->app, &store, &err);
	if (st)
		return ag_cli_fail(c, &err);
	st = ag_store_project(store, p.id, c->app.arena, &old, &err);
	if (st && st != AG_NOT_FOUND)
		return ag_cli_fail(c, &err);
	if (!st) {
		ag_fail(&err, AG_CONFLICT, ORIGIN, "there is a project %.*s already", AG_FMT(p.id));
		ag_err_hint(&err, "`argus project set %.*s …` changes it", AG_FMT(p.id));
		return ag_cli_fail(c, &err);
	}
	if (apply(c, &p, &err) || ag_store_put_project(store, &p, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c,
	            "Project %.*s is there. `argus project test %.*s` tries it; `argus project "
	            "grant %.*s USER viewer` lets others in.",
	            AG_FMT(p.id), AG_FMT(p.id), AG_FMT(p.id));
	return AG_EXIT_OK;
}

int ag_project_cmd_set(ag_cli *c)
{
	ag_project_row p;
	ag_err err = { 0 };
	ag_store *store;

	check_pairs(c);
	if (ag_cli_has(c, "enable") && ag_cli_has(c, "disable"))
		ag_cli_complain(c, "--enable and --disable: want one of them");
	if (ag_cli_has(c, "no-password") && ag_cli_has(c, "password-file"))
		ag_cli_complain(c, "--no-password and --password-file: want one of them");
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err) ||
	    ag_store_project(store, c->args[0], c->app.arena, &p, &err) || apply(c, &p, &err))
		return ag_cli_fail(c, &err);
	p.is_active = ag_cli_has(c, "enable") || (p.is_active && !ag_cli_has(c, "disable"));
	if (ag_store_put_project(store, &p, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "Project %.*s is changed.", AG_FMT(p.id));
	return AG_EXIT_OK;
}

/* --- test --- */

static ag_status ask_one(ag_cli *c, ag_project_hub *hub, ag_sql_result *ret, ag_err *err)
{
	const ag_str id = c->args[0];
	const ag_caller who = ag_caller_local(&id, 1, c->app.arena);
	const ag_sql_request rq = { .sql = AG_S("SELECT 1"), .watch_fd = -1 };
	ag_project_call call = { .who = &who, .tool = AG_S("test"), .watch_fd = -1 };
	ag_sql_failure unrecorded;
	ag_status st = ag_project_find(hub, &who, id, &call.project, err);

	if (st)
		return st;
	*ret = (ag_sql_result){ 0 };
	if (!ag_project_begin(hub, &call, AG_ROLE_VIEWER, "sql", rq.sql, c->app.arena,
	                      &ret->failure))
		return AG_OK;
	st = ag_project_query(hub, &c->app.ctx, &call, &rq, c->app.arena, ret, err);
	if (!ag_project_end(hub, &call, "ok", 0, c->app.arena, &unrecorded) && ret->is_ok) {
		ag_sql_result_release(ret);
		*ret = (ag_sql_result){ .failure = unrecorded };
	}
	return st;
}

static int tell(ag_cli *c, const ag_sql_result *r)
{
	ag_err err = { 0 };

	if (r->is_ok) {
		ag_cli_note(c, "Project %.*s answers: connected in %.1f ms, SELECT 1 took %.1f ms.",
		            AG_FMT(c->args[0]), (double)r->wait_us / 1000,
		            (double)r->exec_us / 1000);
		return AG_EXIT_OK;
	}
	ag_fail(&err, AG_UNAVAILABLE, ORIGIN, "%s: %.*s", ag_sql_code_name(r->failure.code),
	        AG_FMT(r->failure.message));
	if (r->failure.hint.len)
		ag_err_hint(&err, "%.*s", AG_FMT(r->failure.hint));
	return ag_cli_fail(c, &err);
}

int ag_project_cmd_test(ag_cli *c)
{
	ag_project_hub *hub = NULL;
	ag_sql_result r = { 0 };
	ag_err err = { 0 };
	ag_status st = ag_app_project_hub(&c->app, AG_S(""), &hub, &err);
	int code;

	if (!st)
		st = ask_one(c, hub, &r, &err);
	if (!st) /* what cannot be recorded did not work */
		st = ag_journal_flush(ag_project_journal(hub), &err);
	code = st ? ag_cli_fail(c, &err) : tell(c, &r);
	ag_sql_result_release(&r);
	ag_project_hub_close(hub);
	return code;
}
