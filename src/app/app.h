/* app -- what the whole process shares: settings, clock, cancel flag, progress, store.
 *
 * One ag_app per process, made by cli/ and later by the servers. It is the only place that turns settings into
 * the options of the parts below. */
#ifndef AG_APP_APP_H
#define AG_APP_APP_H

#include "app/settings.h"
#include "audit/audit.h"
#include "run/ctx.h"
#include "store/store.h"

#define AG_CONFIG_NAME    "argus.yaml"
#define AG_APP_MAX_DOTENV 8

typedef struct ag_app {
	ag_arena *arena; /* until exit */
	ag_settings settings;
	ag_str config_file;               /* the settings file that was read, "" = none */
	bool config_is_named;             /* by --config: the user vouches for it */
	ag_str dotenv[AG_APP_MAX_DOTENV]; /* .env files that were read: keys stand in them */
	size_t ndotenv;
	ag_ctx ctx;
	ag_progress progress;
	ag_store *store; /* opened by ag_app_store() */
	ag_llm_hub *hub; /* opened by ag_app_hub() */
	ag_llm *llms[3]; /* planner, self, judge: those that are open */
} ag_app;

/* cancel: set by the signal handlers; may be NULL. */
void ag_app_init(ag_app *app, const atomic_bool *cancel);
void ag_app_release(ag_app *app);

/* Settings from files and environment. config "" = argus.yaml of the current folder, if there is one. Flags are
 * set by the caller afterwards, then ag_app_ready() checks the whole and starts the deadline. */
AG_CHECK ag_status ag_app_load(ag_app *app, ag_str config, char *const *env, ag_err *err);
/* The .env files of another folder, for what is not set yet. */
AG_CHECK ag_status ag_app_load_dotenv(ag_app *app, ag_str folder, ag_err *err);
AG_CHECK ag_status ag_app_ready(ag_app *app, ag_err *err);

/* The older name of a setting: it counts where nobody set the newer one.
 * errors  AG_INVALID: of the value */
AG_CHECK ag_status ag_app_take_older(ag_app *app, const char *key, const char *name, ag_err *err);
/* user:password@ in an address. */
bool ag_app_has_password(ag_str uri);
/* POSTGRES_URL is set, which once named the database of the project "default" and names the store now, and no database is. */
bool ag_app_has_old_database(const ag_app *app);

/* Where the store is: the setting, else the default place. */
AG_CHECK ag_status ag_app_store_uri(ag_app *app, ag_str *ret, ag_err *err);
/* The store, opened on first use. Never another one than asked for. */
AG_CHECK ag_status ag_app_store(ag_app *app, ag_store **ret, ag_err *err);

/* The report of a run: id, beginning of one, or "last". Of a run that was killed it is made from its log. */
AG_CHECK ag_status ag_app_report(ag_app *app, ag_str run, ag_str *ret, ag_err *err);

void ag_app_audit_opts(const ag_app *app, ag_arena *arena, ag_audit_opts *ret);
/* How settings want a collection opened. */
ag_source_opts ag_app_source_opts(const ag_app *app);
/* Open a collection for a run with this budget. Its seconds count from now, so they limit the reading
 * too: AG_TIMEOUT when they end before the data is read. opts NULL = not strict. */
AG_CHECK ag_status ag_app_open_source(const ag_app *app, const ag_source_place *place,
                                      const ag_source_opts *opts, ag_budget *budget,
                                      ag_source **ret, ag_err *err);

#endif
