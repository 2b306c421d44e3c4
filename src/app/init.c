/* init -- see the header. The database is asked through a hub of its own, as every call is: guarded, limited, recorded. */
#include "app/init.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/file.h"
#include "app/projects.h"
#include "base/log.h"
#include "base/utf8.h"
#include "net/url.h"
#include "project/credential.h"
#include "store/identity.h"

#define ORIGIN         "app.init"
#define MAX_YAML_BYTES (1024u * 1024)

/* --- the settings file --- */

/* The line that begins with `key:` at its first column; *ret_at its first byte, *ret_end the byte after its line feed. */
static bool init_find_key(ag_str text, ag_str key, size_t *ret_at, size_t *ret_end,
                          ag_str *ret_value)
{
	ag_str rest = text;

	while (rest.ptr) {
		const size_t at = (size_t)(rest.ptr - text.ptr);
		const ag_str line = ag_str_split(&rest, '\n');

		if (!ag_str_starts(line, key) || line.len <= key.len || line.ptr[key.len] != ':')
			continue;
		*ret_at = at;
		*ret_end = rest.ptr ? (size_t)(rest.ptr - text.ptr) : text.len;
		*ret_value = ag_str_trim(
			ag_str_make(line.ptr + key.len + 1, line.len - key.len - 1));
		if (ret_value->len && ret_value->ptr[0] == '#')
			*ret_value = AG_S("");
		return true;
	}
	return false;
}

/* Indentation of the first entry after `from`; 2 without an entry. */
static size_t init_indent(ag_str text, size_t from)
{
	ag_str rest = ag_str_make(text.ptr + from, text.len - from);

	while (rest.len) {
		const ag_str line = ag_str_split(&rest, '\n'), trimmed = ag_str_trim(line);

		if (!trimmed.len || trimmed.ptr[0] == '#')
			continue;
		return trimmed.ptr > line.ptr ? (size_t)(trimmed.ptr - line.ptr) : 2;
	}
	return 2;
}

ag_status ag_init_add_project(ag_str text, ag_str id, ag_str source, ag_str password_env,
                              ag_arena *arena, ag_str *ret, ag_err *err)
{
	ag_buf out = AG_BUF_INIT(2 * MAX_YAML_BYTES);
	size_t at = text.len, end = at, indent = 2;
	ag_str value = AG_S("");
	const bool has = init_find_key(text, AG_S("projects"), &at, &end, &value);
	ag_status st = AG_OK;

	if (has && value.len) {
		ag_fail(err, AG_INVALID, ORIGIN,
		        "\"projects:\" is written on one line: an entry cannot be added to it");
		return ag_err_hint(err, "write each project on lines of its own, then again");
	}
	if (has)
		indent = init_indent(text, end);
	ag_buf_add(&out, ag_str_make(text.ptr, end));
	if (out.len && out.ptr[out.len - 1] != '\n')
		ag_buf_addc(&out, '\n');
	if (!has)
		ag_buf_adds(&out, "projects:\n");
	ag_buf_addf(&out, "%*s%.*s:\n%*ssource: ", (int)indent, "", AG_FMT(id), (int)indent * 2,
	            "");
	ag_json_quote(&out, source);
	ag_buf_addc(&out, '\n');
	if (password_env.len)
		ag_buf_addf(&out, "%*spassword_env: %.*s\n", (int)indent * 2, "",
		            AG_FMT(password_env));
	ag_buf_add(&out, ag_str_make(text.ptr + end, text.len - end));
	if (out.failed)
		st = ag_fail(err, AG_LIMIT, ORIGIN, "the settings file has more than 1 MiB");
	else
		*ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return st;
}

/* Reads the new text as a settings file is read, and looks the project up: nothing else of it may have changed. */
static ag_status init_check_text(ag_app *app, const ag_init *r, ag_str text, ag_err *err)
{
	ag_settings *s = ag_new(app->arena, ag_settings);
	size_t n = 0;
	ag_status st;

	ag_settings_init(s);
	st = ag_settings_yaml(s, r->file, text, app->arena, err);
	if (st)
		return st;
	for (size_t i = 0; i < s->nentry; i++)
		n += ag_str_eqc(s->entries[i].group, "projects") &&
		     ag_str_eq(s->entries[i].name, r->id) &&
		     ag_str_eq(ag_val_member_str(&s->entries[i].value, "source"), r->source);
	if (n == 1 && s->nentry == app->settings.nentry + 1)
		return AG_OK;
	ag_fail(err, AG_INVALID, ORIGIN,
	        "%.*s cannot take the project: its form is not one that is known", AG_FMT(r->file));
	return ag_err_hint(err, "add it by hand: projects: %.*s: source:", AG_FMT(r->id));
}

static ag_status init_write(ag_app *app, ag_init *r, ag_err *err)
{
	ag_str text = AG_S("");
	struct stat sb;
	ag_status st = AG_OK;

	r->made_file = stat(ag_str_cstr(app->arena, r->file), &sb) != 0;
	if (!r->made_file)
		st = ag_file_read(r->file, MAX_YAML_BYTES, false, app->ctx.cancel, app->arena,
		                  &text, err);
	if (!st)
		st = ag_init_add_project(text, r->id, r->source, r->password_env, app->arena, &text,
		                         err);
	if (!st)
		st = init_check_text(app, r, text, err);
	return st ? st : ag_file_replace(r->file, text, err);
}

/* --- the address --- */

static bool init_is_sqlite_file(const char *path)
{
	char head[16] = "";
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		return false;
	n = fread(head, 1, sizeof(head), f);
	fclose(f);
	return n == sizeof(head) && memcmp(head, "SQLite format 3", 16) == 0;
}

static ag_status init_address(ag_app *app, ag_str given, ag_str *ret, ag_err *err)
{
	const char *path = ag_str_cstr(app->arena, given);
	struct stat sb;

	*ret = given;
	if (ag_sql_accepts(given))
		return AG_OK;
	if (ag_str_contains(given, AG_S("://"))) {
		ag_fail(err, AG_INVALID, ORIGIN, "\"%.*s\" is no database that Argus knows",
		        AG_FMT(ag_url_shown(given, app->arena)));
		return ag_err_hint(
			err,
			"postgresql://user@host/name, sqlite:PATH, or the path of a SQLite file");
	}
	if (stat(path, &sb))
		return ag_fail_errno(err, errno, ORIGIN, "cannot read \"%.200s\"", path);
	if (!init_is_sqlite_file(path)) {
		ag_fail(err, AG_INVALID, ORIGIN, "\"%.200s\" is no SQLite file", path);
		return ag_err_hint(err, "of a CSV file `argus import` makes a table");
	}
	*ret = ag_str_printf(app->arena, "sqlite:%.*s", AG_FMT(given));
	return AG_OK;
}

static bool init_is_id_char(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' ||
	       c == '-';
}

/* The name of the database or of its file: "shop" of postgresql://host/shop?x, of sqlite:data/shop.db. */
static ag_str init_id_of(ag_str source, ag_arena *arena)
{
	ag_str rest = source, path = ag_str_split(&rest, '?');
	size_t from = path.len, n = 0;
	char *to = ag_arena_alloc(arena, path.len + 1);

	while (from && path.ptr[from - 1] != '/' && path.ptr[from - 1] != ':')
		from--;
	for (size_t i = from; i < path.len && n < AG_IDENTITY_MAX_NAME / 2; i++) {
		const char c = path.ptr[i];

		if (c == '.' && n)
			break;
		if (init_is_id_char(c) && (n || (c != '_' && c != '-')))
			to[n++] = c;
	}
	return n ? ag_str_make(to, n) : AG_S("database");
}

static ag_status init_check_id(const ag_app *app, ag_str id, ag_err *err)
{
	bool ok = id.len > 0 && id.len <= AG_IDENTITY_MAX_NAME && id.ptr[0] != '_' &&
	          id.ptr[0] != '-';

	for (size_t i = 0; i < id.len && ok; i++)
		ok = init_is_id_char(id.ptr[i]);
	if (!ok)
		return ag_fail(
			err, AG_INVALID, ORIGIN,
			"\"%.*s\" is no name of a project: letters, digits, \"_\" and \"-\", a letter or digit first",
			AG_FMT(ag_utf8_prefix(id, 60)));
	for (size_t i = 0; i < app->settings.nentry; i++) {
		const ag_entry_setting *e = &app->settings.entries[i];

		if (ag_str_eqc(e->group, "projects") && ag_str_eq(e->name, id)) {
			ag_fail(err, AG_CONFLICT, ORIGIN, "%.*s: there is a project %.*s already",
			        AG_FMT(e->where), AG_FMT(id));
			return ag_err_hint(err,
			                   "--project NAME makes another one; nothing was changed");
		}
	}
	return AG_OK;
}

/* ARGUS_SHOP_PASSWORD */
static ag_str init_variable(ag_str id, ag_arena *arena)
{
	char *name = ag_str_cstr(arena, id);

	for (size_t i = 0; i < id.len; i++)
		name[i] = (char)(name[i] == '-'                     ? '_'
		                 : name[i] >= 'a' && name[i] <= 'z' ? name[i] - 32
		                                                    : name[i]);
	return ag_str_printf(arena, "ARGUS_%s_PASSWORD", name);
}

static ag_status init_read_source(ag_app *app, ag_str given, ag_init *r, ag_str *ret_password,
                                  ag_err *err)
{
	const ag_var *v;
	ag_str variable;
	ag_status st = init_address(app, given, &given, err);

	if (!st)
		st = ag_credential_take(given, app->arena, &r->source, ret_password, err);
	if (st)
		return st;
	if (!r->id.len)
		r->id = init_id_of(r->source, app->arena);
	st = init_check_id(app, r->id, err);
	if (st)
		return st;
	variable = init_variable(r->id, app->arena);
	v = ag_settings_var(&app->settings, ag_str_cstr(app->arena, variable));
	r->password_is_set = v && (!ret_password->len || ag_str_eq(v->value, *ret_password));
	if (v && !ret_password->len) {
		ag_log_redact(v->value);
		*ret_password = v->value;
	}
	r->password_env = ret_password->len ? variable : AG_S("");
	return AG_OK;
}

/* --- the database --- */

static ag_status init_refused(const ag_sql_failure *f, ag_err *err)
{
	ag_fail(err, AG_UNAVAILABLE, ORIGIN, "%s: %.*s", ag_sql_code_name(f->code),
	        AG_FMT(f->message));
	if (f->hint.len)
		return ag_err_hint(err, "%.*s", AG_FMT(f->hint));
	return ag_err_hint(err, "nothing was written");
}

static ag_status init_ask(ag_app *app, ag_project_hub *hub, ag_init *r, ag_err *err)
{
	const ag_caller who = ag_caller_local(&r->id, 1, app->arena);
	const ag_sql_request rq = { .sql = AG_S("SELECT 1"), .watch_fd = -1 };
	ag_project_call call = { .who = &who, .tool = AG_S("init"), .watch_fd = -1 };
	ag_sql_failure f = { 0 };
	ag_sql_result one = { 0 };
	ag_status st = ag_project_find(hub, &who, r->id, &call.project, err);

	if (st)
		return st;
	if (!ag_project_begin(hub, &call, AG_ROLE_VIEWER, "sql", rq.sql, app->arena, &f))
		return init_refused(&f, err);
	st = ag_project_query(hub, &app->ctx, &call, &rq, app->arena, &one, err);
	if (!st && one.is_ok) {
		r->connect_us = one.wait_us + one.exec_us;
		st = ag_project_dictionary(hub, &app->ctx, &call, true, app->arena, &r->dictionary,
		                           &f, err);
	} else if (!st) {
		f = one.failure;
	}
	if (!ag_project_end(hub, &call, st || f.code ? "error" : "ok", 0, app->arena,
	                    &one.failure) &&
	    !st && !f.code)
		f = one.failure;
	ag_sql_result_release(&one);
	return st ? st : f.code ? init_refused(&f, err) : AG_OK;
}

static ag_status init_try(ag_app *app, ag_init *r, ag_str password, ag_err *err)
{
	const ag_project p = {
		.id = r->id, .name = r->id, .source = r->source, .password = password
	};
	ag_project_hub_opts o = { .clock = app->ctx.clock,
		                  .projects = &p,
		                  .nproject = 1,
		                  .connections = app->settings.connections,
		                  .audit_sync = (ag_journal_sync)app->settings.audit_sync };
	const ag_val none = ag_val_object(NULL, 0);
	ag_project with = p;
	ag_project_hub *hub = NULL;
	ag_status st = ag_project_settings_read(&none, app->arena, &with.settings, err);

	o.projects = &with;
	if (!st)
		st = ag_app_store_uri(app, &o.store_uri, err);
	if (!st)
		st = ag_app_store(app, &o.store, err);
	if (!st)
		st = ag_project_hub_open(&o, &hub, err);
	if (!st)
		st = init_ask(app, hub, r, err);
	if (!st)
		st = ag_journal_flush(ag_project_journal(hub), err);
	ag_project_hub_close(hub);
	return st;
}

ag_status ag_app_init_project(ag_app *app, ag_str source, ag_str id, ag_init *ret, ag_err *err)
{
	ag_init r = { .id = id,
		      .file = app->config_file.len ? app->config_file : AG_S(AG_CONFIG_NAME) };
	ag_str password = AG_S("");
	ag_status st = init_read_source(app, source, &r, &password, err);

	if (!st)
		st = ag_file_can_replace(r.file, err);
	if (!st)
		st = init_try(app, &r, password, err);
	if (!st)
		st = init_write(app, &r, err);
	if (!st)
		*ret = r;
	return st;
}
