/* From settings to projects: entries of argus.yaml, the database of the command line, and the hub over them and the store. */
#include "app/projects.h"

#include "base/log.h"
#include "net/url.h"

#define ORIGIN     "app.projects"
#define HINT_BYTES 120u /* of names, in a hint */

static ag_status password_of(ag_app *app, const ag_entry_setting *e, ag_str *ret, ag_err *err)
{
	const ag_str name = ag_val_member_str(&e->value, "password_env");
	const ag_var *v;

	*ret = AG_S("");
	if (!name.len)
		return AG_OK;
	if (!app->config_is_named && !ag_str_starts(name, AG_S("ARGUS_"))) {
		ag_fail(err, AG_DENIED, ORIGIN,
		        "%.*s: password_env: a settings file of the current folder may only name a "
		        "variable that begins with ARGUS_",
		        AG_FMT(e->where));
		return ag_err_hint(err, "rename the variable, or name the file with --config");
	}
	v = ag_settings_var(&app->settings, ag_str_cstr(app->arena, name));
	if (!v) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "%.*s: the variable %.*s is not set",
		        AG_FMT(e->where), AG_FMT(name));
		return ag_err_hint(err, "put the password of project %.*s into it",
		                   AG_FMT(e->name));
	}
	ag_log_redact(v->value);
	*ret = v->value;
	return AG_OK;
}

static ag_status text_of(const ag_entry_setting *e, const char *key, ag_str *ret, ag_err *err)
{
	const ag_val *v = ag_val_getc(&e->value, key);

	*ret = AG_S("");
	if (v && v->type != AG_T_STRING)
		return ag_fail(err, AG_INVALID, ORIGIN, "%.*s: %s: want one text", AG_FMT(e->where),
		               key);
	if (v)
		*ret = ag_val_text(v);
	return AG_OK;
}

/* An entry's keys are name, source, password_env, and the settings of every project. */
static ag_status read_entry(ag_app *app, const ag_entry_setting *e, ag_project *ret, ag_err *err)
{
	static const char *const own[] = { "name", "source", "password_env" };
	ag_member *members = ag_new_n(app->arena, ag_member, e->value.n + 1);
	ag_val settings;
	size_t n = 0;
	ag_status st;
	ag_err why = { 0 };

	*ret = (ag_project){ .id = e->name };
	st = text_of(e, "name", &ret->name, err);
	if (!st)
		st = text_of(e, "source", &ret->source, err);
	if (st)
		return st;
	for (uint32_t i = 0; i < e->value.n; i++) {
		const ag_member *m = &e->value.u.members[i];
		bool is_own = false;

		for (size_t k = 0; k < AG_NELEM(own); k++)
			is_own = is_own || ag_str_eqc(m->key, own[k]);
		if (!is_own)
			members[n++] = *m;
	}
	settings = ag_val_object(members, n);
	st = ag_project_settings_read(&settings, app->arena, &ret->settings, &why);
	if (st) {
		ag_fail(err, st, ORIGIN, "%.*s: project %.*s: %s", AG_FMT(e->where),
		        AG_FMT(e->name), why.msg);
		return why.hint[0] ? ag_err_hint(err, "%s", why.hint) : st;
	}
	if (ret->source.len && !ag_sql_accepts(ret->source)) {
		ag_fail(err, AG_INVALID, ORIGIN, "%.*s: project %.*s: source: want a database",
		        AG_FMT(e->where), AG_FMT(e->name));
		return ag_err_hint(err, "postgresql://user@host/name, or sqlite:PATH");
	}
	if (ag_app_has_password(ret->source)) {
		ag_fail(err, AG_DENIED, ORIGIN,
		        "%.*s: project %.*s: a password does not belong into a settings file",
		        AG_FMT(e->where), AG_FMT(e->name));
		return ag_err_hint(err, "put it into the environment and name the variable: "
		                        "password_env: ARGUS_SHOP_PASSWORD");
	}
	return password_of(app, e, &ret->password, err);
}

ag_status ag_app_projects(ag_app *app, ag_str source, ag_project **ret, size_t *nret, ag_err *err)
{
	const ag_settings *s = &app->settings;
	ag_project *list = ag_new_n(app->arena, ag_project, s->nentry + 1);
	const ag_str uri = source.len ? source : s->database;
	size_t n = 0;

	for (size_t i = 0; i < s->nentry; i++) {
		ag_status st;

		if (!ag_str_eqc(s->entries[i].group, "projects"))
			continue;
		st = read_entry(app, &s->entries[i], &list[n++], err);
		if (st)
			return st;
	}
	for (size_t i = 0; uri.len && i < n; i++) {
		if (ag_str_eqc(list[i].id, "default"))
			return ag_fail(err, AG_CONFLICT, ORIGIN,
			               "the project \"default\" stands in argus.yaml and is given "
			               "beside it: want one of them");
	}
	if (uri.len && !ag_sql_accepts(uri)) {
		ag_fail(err, AG_INVALID, ORIGIN, "\"%.*s\" is no database that Argus knows",
		        AG_FMT(ag_url_shown(uri, app->arena)));
		return ag_err_hint(err, "postgresql://user@host/name, or sqlite:PATH");
	}
	if (uri.len)
		list[n++] = (ag_project){ .id = AG_S("default"),
			                  .name = AG_S("default"),
			                  .source = uri };
	*ret = list;
	*nret = n;
	return AG_OK;
}

/* projects: of the settings, in the app's arena. */
static ag_status open_hub(ag_app *app, const ag_project *projects, size_t nproject,
                          ag_project_hub **ret, ag_err *err)
{
	const ag_settings *s = &app->settings;
	const ag_var *key = ag_settings_var(s, "DB_CREDENTIAL_KEY");
	ag_project_hub_opts o = { .clock = app->ctx.clock,
		                  .credential_key = key ? key->value : AG_S(""),
		                  .projects = projects,
		                  .nproject = nproject };
	ag_status st = ag_app_take_older(app, "max_queries_per_minute", "MAX_QUERIES_PER_MINUTE",
	                                 err);

	if (!st)
		st = ag_app_take_older(app, "max_connections_per_project",
		                       "MAX_CONNECTIONS_PER_PROJECT", err);
	if (!st)
		st = ag_app_store_uri(app, &o.store_uri, err);
	if (!st)
		st = ag_app_store(app, &o.store, err);
	if (st)
		return st;
	o.per_minute = s->per_minute;
	o.per_hour = s->per_hour;
	o.per_day = s->per_day;
	o.connections = s->connections;
	o.audit_sync = (ag_journal_sync)s->audit_sync;
	return ag_project_hub_open(&o, ret, err);
}

ag_status ag_app_project_hub(ag_app *app, ag_str source, ag_project_hub **ret, ag_err *err)
{
	ag_project *projects;
	size_t n;
	ag_status st = ag_app_projects(app, source, &projects, &n, err);

	return st ? st : open_hub(app, projects, n, ret, err);
}

ag_status ag_app_project_hub_of(ag_app *app, const ag_project *only, ag_project_hub **ret,
                                ag_err *err)
{
	return open_hub(app, only, 1, ret, err);
}

/* The hub names the projects of the caller: here he has the one that was not found. */
static void hint_projects(ag_app *app, ag_project_hub *hub, ag_err *err)
{
	const ag_caller all = ag_caller_local(NULL, 0, app->arena);
	AG_AUTO(ag_buf_release) ag_buf names = AG_BUF_INIT(HINT_BYTES);
	const ag_project **list;
	size_t n = 0;

	if (ag_project_list(hub, &all, app->arena, &list, &n, NULL))
		n = 0;
	for (size_t i = 0; i < n && !names.failed; i++)
		ag_buf_addf(&names, "%s%.*s", i ? ", " : "", AG_FMT(list[i]->id));
	if (n)
		ag_err_hint(err, "there is %.*s%s", AG_FMT(ag_buf_view(&names)),
		            names.failed ? " ..." : "");
	else
		ag_err_hint(err, "argus init DATABASE makes a project, so does argus project add");
}

ag_status ag_app_find_project(ag_app *app, ag_str source, ag_str id, ag_project_hub **ret_hub,
                              ag_caller *ret_who, const ag_project **ret, ag_err *err)
{
	const ag_project **list;
	size_t n = 0;
	ag_status st = ag_app_project_hub(app, source, ret_hub, err);

	if (st)
		return st;
	if (source.len && !id.len)
		id = AG_S("default");
	*ret_who = ag_caller_local(&id, id.len > 0, app->arena);
	st = ag_project_list(*ret_hub, ret_who, app->arena, &list, &n, err);
	if (!st && !n && !id.len) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no project");
		return ag_err_hint(
			err,
			"name a database (sqlite:PATH, postgresql://user@host/name), or make one: "
			"\"projects:\" in argus.yaml, or argus project add");
	}
	if (!st)
		st = ag_project_find(*ret_hub, ret_who, id, ret, err);
	if (st == AG_NOT_FOUND && id.len)
		hint_projects(app, *ret_hub, err);
	return st;
}
