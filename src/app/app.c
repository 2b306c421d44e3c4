/* Wiring: settings are read in the order of their rank, then become a context, a store, options. */
#include "app/app.h"

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/file.h"
#include "base/log.h"
#include "base/path_near.h"

#define ORIGIN           "app"
#define MAX_CONFIG_BYTES (1024 * 1024)
#define MAX_DOTENV_BYTES (256 * 1024)
#define MAX_THREADS      64 /* chosen by itself; a user may ask for more */

/* Read in this order: what stands in an earlier one wins. */
static const char *const dotenv_files[] = { ".env", ".env.agent.secret", ".env.docker.secret" };

static unsigned processors(void)
{
	cpu_set_t set;
	int n;

	CPU_ZERO(&set);
	n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
	return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (unsigned)n;
}

void ag_app_init(ag_app *app, const atomic_bool *cancel)
{
	memset(app, 0, sizeof(*app));
	app->arena = ag_arena_new();
	ag_settings_init(&app->settings);
	app->ctx = (ag_ctx){ .clock = &ag_clock_system,
		             .cancel = cancel,
		             .nthread = processors(),
		             .progress = &app->progress };
}

void ag_app_release(ag_app *app)
{
	for (size_t i = 0; i < AG_NELEM(app->llms); i++)
		app->llms[i] = ag_llm_close(app->llms[i]);
	app->hub = ag_llm_hub_close(app->hub);
	app->store = ag_store_close(app->store);
	app->arena = ag_arena_free(app->arena);
}

static ag_status load_yaml(ag_app *app, ag_str config, ag_err *err)
{
	bool is_asked = config.len > 0;
	ag_str text = AG_S("");
	ag_status st;

	if (!is_asked)
		config = AG_S(AG_CONFIG_NAME);
	st = ag_file_read(config, MAX_CONFIG_BYTES, is_asked, app->ctx.cancel, app->arena, &text,
	                  err);
	if (st == AG_NOT_FOUND && !is_asked)
		return AG_OK;
	if (st)
		return st == AG_NOT_FOUND ? ag_path_near_hint(config, app->arena, err) : st;
	app->config_file = ag_str_dup(app->arena, config);
	app->config_is_named = is_asked;
	return ag_settings_yaml(&app->settings, app->config_file, text, app->arena, err);
}

/* A folder ".env" is an environment of Python's, and what this user may not read is meant for another one: what is needed may
 * stand elsewhere, and is missed by its name if it does not. */
static bool is_readable_file(ag_str name)
{
	struct stat st;

	return !stat(name.ptr, &st) && S_ISREG(st.st_mode) && !access(name.ptr, R_OK);
}

ag_status ag_app_load_dotenv(ag_app *app, ag_str folder, ag_err *err)
{
	ag_status st = AG_OK;

	for (size_t i = 0; !st && i < AG_NELEM(dotenv_files); i++) {
		const ag_str name = ag_str_printf(app->arena, "%.*s%s%s", AG_FMT(folder),
		                                  folder.len ? "/" : "", dotenv_files[i]);
		ag_str text = AG_S("");

		if (!is_readable_file(name))
			continue;
		st = ag_file_read(name, MAX_DOTENV_BYTES, false, NULL, app->arena, &text, err);
		if (st)
			return st;
		/* All that the file keeps to itself, whether or not it is ours. */
		ag_log_redact_env_text(text);
		st = ag_settings_dotenv(&app->settings, name, text, app->arena, err);
		if (!st && app->ndotenv < AG_APP_MAX_DOTENV)
			app->dotenv[app->ndotenv++] = name;
	}
	return st;
}

ag_status ag_app_load(ag_app *app, ag_str config, char *const *env, ag_err *err)
{
	ag_status st = load_yaml(app, config, err);

	/* The environment first: what it has set is not looked at in the files, so a placeholder that was left there does no
	 * harm. */
	if (!st)
		st = ag_settings_environ(&app->settings, env, app->arena, err);
	if (!st)
		st = ag_app_load_dotenv(app, AG_S(""), err);
	return st;
}

ag_status ag_app_take_older(ag_app *app, const char *key, const char *name, ag_err *err)
{
	const int row = ag_settings_find(ag_str_c(key));
	const ag_var *v = ag_settings_var(&app->settings, name);

	if (!v || !v->value.len || app->settings.place[row] != AG_PLACE_DEFAULT)
		return AG_OK;
	return ag_settings_set(&app->settings, row, v->value, (ag_place)v->place, v->where,
	                       app->arena, err);
}

/* The user's password is no part of what is kept, shown or put into a settings file. */
bool ag_app_has_password(ag_str uri)
{
	const ag_str scheme = ag_source_scheme(uri);
	ag_str rest, authority, user;

	if (!scheme.len)
		return false;
	rest = ag_str_make(uri.ptr + scheme.len + 3, uri.len - scheme.len - 3);
	authority = ag_str_split(&rest, '/');
	if (ag_str_find(authority, '@') < 0)
		return ag_str_contains(rest, AG_S("password="));
	user = ag_str_split(&authority, '@');
	return ag_str_find(user, ':') >= 0 || ag_str_contains(rest, AG_S("password="));
}

/* POSTGRES_URL names the store, as in the system that kept its runs in PostgreSQL before. */
static ag_status take_store_address(ag_app *app, ag_err *err)
{
	const ag_settings *s = &app->settings;
	const ag_var *v = ag_settings_var(s, "POSTGRES_URL");
	const int row = ag_settings_find(AG_S("store"));
	ag_status st;

	if (v && v->value.len && s->place[row] == AG_PLACE_DEFAULT &&
	    !ag_str_starts(v->value, AG_S("postgresql://")) &&
	    !ag_str_starts(v->value, AG_S("postgres://"))) {
		const bool is_in_file = !ag_str_eqc(v->where, "POSTGRES_URL");

		ag_fail(err, AG_INVALID, ORIGIN, "%.*s%sPOSTGRES_URL is no address of a database",
		        AG_FMT(is_in_file ? v->where : AG_S("")), is_in_file ? ": " : "");
		return ag_err_hint(err,
		                   "write postgresql://user@host:5432/database; or name the store "
		                   "with ARGUS_STORE");
	}
	st = ag_app_take_older(app, "store", "POSTGRES_URL", err);
	if (st || s->place[row] != AG_PLACE_YAML || !ag_app_has_password(s->store))
		return st;
	ag_fail(err, AG_DENIED, ORIGIN,
	        "%.*s: store: a password does not belong into a settings file",
	        AG_FMT(s->where[row]));
	return ag_err_hint(err,
	                   "set ARGUS_STORE or PGPASSWORD in the environment, or use ~/.pgpass");
}

bool ag_app_has_old_database(const ag_app *app)
{
	const ag_var *v = ag_settings_var(&app->settings, "POSTGRES_URL");

	return v && v->value.len && !app->settings.database.len;
}

ag_status ag_app_ready(ag_app *app, ag_err *err)
{
	const ag_settings *s = &app->settings;
	const ag_status st = take_store_address(app, err);

	if (st)
		return st;

	if (s->threads)
		app->ctx.nthread = (unsigned)s->threads;
	if (s->deadline > 0)
		app->ctx.deadline_ms = ag_clock_mono(app->ctx.clock) +
		                       (int64_t)(s->deadline * 1000);
	return ag_settings_check(s, err);
}

ag_status ag_app_store_uri(ag_app *app, ag_str *ret, ag_err *err)
{
	if (app->settings.store.len) {
		*ret = app->settings.store;
		return AG_OK;
	}
	return ag_store_default_uri(app->arena, ret, err);
}

ag_status ag_app_store(ag_app *app, ag_store **ret, ag_err *err)
{
	ag_str uri = { 0 };
	ag_status st;

	*ret = app->store;
	if (*ret)
		return AG_OK;
	st = ag_app_store_uri(app, &uri, err);
	if (!st)
		st = ag_store_open(uri, &app->store, err);
	/* Never another store than asked for: say how to ask for another. */
	if (st && (ag_store_is_damaged(err) || ag_str_starts(uri, AG_S("postgres")) ||
	           (err && strstr(err->hint, "free some space"))))
		return st;
	if (st == AG_NOT_FOUND || st == AG_DENIED || st == AG_IO || st == AG_INVALID)
		return ag_err_hint(err, "--store PATH or ARGUS_STORE keeps runs elsewhere; --store "
		                        "memory: forgets them at exit");
	if (st)
		return st;
	*ret = app->store;
	return AG_OK;
}

ag_status ag_app_report(ag_app *app, ag_str run, ag_str *ret, ag_err *err)
{
	ag_store *store;
	ag_run_row row;
	ag_status st = ag_app_store(app, &store, err);

	if (!st)
		st = ag_store_find_run(store, run, app->arena, &row, err);
	if (st)
		return st;
	st = ag_store_report(store, &row.id, app->arena, ret, err);
	if (st == AG_NOT_FOUND && !ag_str_eqc(row.agent, "audit")) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "run %s has no answer: it was stopped before",
		        row.id.text);
		return ag_err_hint(err, "ask again: a question is quickly asked");
	}
	if (st == AG_NOT_FOUND)
		st = ag_audit_rebuild(store, &row, app->settings.audit.show_values, app->arena, ret,
		                      err);
	return st;
}
