/* project -- what a project is, and the one way in which anybody may query its database.
 *
 * A project has an id, a name, sources, settings and members; it stands in argus.yaml (for one person) or in the store (for
 * many), with the same fields. A hub opens projects on first use and keeps their pools, dictionaries, counters and breakers
 * for all sessions of the process; any number of threads may use it.
 *
 * Every call is made by a caller (access.h): who, with which role, for which projects. That comes from a token or from the
 * command line, never from a model. */
#ifndef AG_PROJECT_PROJECT_H
#define AG_PROJECT_PROJECT_H

#include "project/access.h"
#include "project/journal.h"
#include "query/value.h"
#include "sql/sql.h"
#include "store/identity.h"
#include "store/ledger.h"

/* The fields of a project's settings, as JSON in the store and as YAML in argus.yaml ("projects:"). Rows of
 * project_fields[] in project_settings.c; 0, "" and empty lists = the default. */
typedef struct ag_project_settings {
	ag_str schema;
	ag_str role; /* readonly_role: what the connection takes on */
	const ag_str *allowed_schemas, *allowed_tables, *excluded_tables, *allowed_functions,
		*allowed_views, *allowed_types, *allowed_extensions, *sensitive_words;
	size_t nallowed_schema, nallowed_table, nexcluded_table, nallowed_function, nallowed_view,
		nallowed_type, nallowed_extension, nsensitive_word;
	uint64_t max_rows;                      /* max_rows_per_query, 500 */
	uint64_t max_bytes;                     /* of a result, 1 MiB */
	double timeout;                         /* max_query_timeout_seconds, 30 */
	uint64_t connections;                   /* max_connections, 5 */
	double max_cost;                        /* 0 = not asked */
	uint64_t per_minute, per_hour, per_day; /* of a user; 0 = of the process's settings */
	uint64_t project_per_day;               /* of all users together; 0 = no limit */
	ag_str root;                            /* of questions about files: a folder */
	ag_str api_base; /* of the same: an HTTP API that is read, without a key; "" = none */
	ag_str documents; /* of the audit tools: a source URI of documents; "" = the tools are not offered */
	ag_str documents_secret; /* the password of its address, encrypted (base/fernet.h) */
	ag_str model;            /* of ask_project and of conversations */
	ag_str system_prompt;    /* instructions for the model of conversations */
} ag_project_settings;

/* errors  AG_INVALID: names the field ("max_rows: want a whole number from 1 to 100000") */
AG_CHECK ag_status ag_project_settings_read(const ag_val *object, ag_arena *arena,
                                            ag_project_settings *ret, ag_err *err);
void ag_project_settings_write(const ag_project_settings *s, ag_jw *w);
/* As the store keeps them. In arena. errors  AG_LIMIT */
AG_CHECK ag_status ag_project_settings_text(const ag_project_settings *s, ag_arena *arena,
                                            ag_str *ret, ag_err *err);

/* A setting of a project as people see it. */
typedef struct ag_project_setting {
	const char *name, *help;
	const char *form; /* "text", "names" (with commas between them), "count" or "number" */
	const char *by_default; /* "" = none */
	const char *
		of_server; /* the key of the server's setting that counts where there is no value; NULL = none */
	ag_str value;    /* "" = not set */
	bool may_change; /* over HTTP, by an administrator of the project */
	double min, max; /* then: of a number, of a text its bytes */
} ag_project_setting;

/* All but secrets. In arena. */
void ag_project_settings_list(const ag_project_settings *s, ag_arena *arena,
                              ag_project_setting **ret, size_t *nret);
/* One that may be changed over HTTP; "" takes its value away.
 * errors  AG_INVALID: there is no such setting, or not such a value; AG_DENIED: it is not changed over HTTP */
AG_CHECK ag_status ag_project_settings_change(ag_project_settings *s, ag_str name, ag_str value,
                                              ag_arena *arena, ag_err *err);

typedef struct ag_project {
	ag_str id, name;
	ag_str source;    /* URI, "" = no database */
	ag_str password;  /* in plain text while the process lives; registered with the log; "" */
	ag_str documents; /* settings.documents with its password: for connecting, never shown */
	ag_project_settings settings;
	bool is_of_store;
} ag_project;

typedef struct ag_project_hub ag_project_hub;

typedef struct ag_project_hub_opts {
	const ag_clock *clock;
	ag_store *
		store; /* borrowed: for projects, tokens, dictionaries. Used under the hub's lock */
	ag_str store_uri; /* the journal and the limiter open handles of their own */
	const ag_project *
		projects; /* of argus.yaml and the command line; they win over the store's of the same id */
	size_t nproject;
	ag_str credential_key; /* DB_CREDENTIAL_KEY, "" = none: projects of the store with a password cannot be opened */
	uint64_t per_minute, per_hour, per_day; /* of a user and project; 0 = no limit */
	uint64_t connections;                   /* MAX_CONNECTIONS_PER_PROJECT */
	ag_journal_sync audit_sync;
} ag_project_hub_opts;

AG_CHECK ag_status ag_project_hub_open(const ag_project_hub_opts *o, ag_project_hub **ret,
                                       ag_err *err);
/* Writes what the journal still holds. No call may be under way. Accepts NULL, returns NULL. */
ag_project_hub *ag_project_hub_close(ag_project_hub *h);
ag_journal *ag_project_journal(ag_project_hub *h);
/* The journal and the limiter write in this group, NULL = none; before the first call. It outlives the hub. */
void ag_project_hub_join(ag_project_hub *h, ag_store_group *group);

/* The project that a call means: `id`, or "" when the caller has only one.
 * errors  AG_NOT_FOUND: none of the caller's (also when it exists); the message lists the caller's. AG_UNAVAILABLE */
AG_CHECK ag_status ag_project_find(ag_project_hub *h, const ag_caller *who, ag_str id,
                                   const ag_project **ret, ag_err *err);
/* Opens its database now instead of with the first call; nothing is asked of it. AG_OK when it has none.
 * errors  of ag_sql_open(): a file that is not there, an address that is none */
AG_CHECK ag_status ag_project_open(ag_project_hub *h, const ag_project *p, ag_err *err);
/* Ids of the caller's active projects, sorted. In arena. */
AG_CHECK ag_status ag_project_list(ag_project_hub *h, const ag_caller *who, ag_arena *arena,
                                   const ag_project ***ret, size_t *nret, ag_err *err);

/* This process changed the row of a project: the next ag_project_find() reads it, and does not take what it read a moment
 * ago. */
void ag_project_changed(ag_project_hub *h, ag_str id);

/* Runs work() with the hub's handle of the store; no other thread uses it meanwhile.
 * errors  AG_UNAVAILABLE: the hub has no store; those of work() */
AG_CHECK ag_status ag_project_with_store(ag_project_hub *h,
                                         ag_status (*work)(ag_store *s, void *arg, ag_err *err),
                                         void *arg, ag_err *err);

/* --- query.c: role, scope, limits, guard, database, audit row: in this order, always all of them --- */

/* One governed call. Zero but for the first members; ag_project_begin() admits it, ag_project_end() commits its row. */
typedef struct ag_project_call {
	const ag_caller *who;
	const ag_project *project; /* NULL: to record a call that named none of the caller's */
	ag_str tool, session;
	int watch_fd; /* -1 = none */
	/* No limit of calls counts. For calls that change these limits: one that is too narrow must not keep its own cure out. */
	bool is_unlimited;
	/* query.c: */
	ag_journal_call open; /* from its admission to its row */
	ag_ledger_row row;    /* what the call did; texts in the caller's arena */
	int64_t began_us;     /* monotonic */
	bool is_admitted;
	bool is_measured; /* the row has times, size and outcome already */
} ag_project_call;

/* Role, scope and limits of a call, and the note that it begins. `text` is kept for the audit row: in the scope "sql" the
 * statement, else its detail. True: the call is admitted and must be ended with ag_project_end(). False: *ret says why it is
 * refused; that is recorded. */
AG_CHECK bool ag_project_begin(ag_project_hub *h, ag_project_call *call, ag_role least,
                               const char *scope, ag_str text, ag_arena *arena,
                               ag_sql_failure *ret);
/* Commits the row of an admitted call. outcome and nbyte count where the call did not ask the database.
 * False: the row cannot be committed, so the call must not be answered with data; *ret says why. */
AG_CHECK bool ag_project_end(ag_project_hub *h, ag_project_call *call, const char *outcome,
                             uint64_t nbyte, ag_arena *arena, ag_sql_failure *ret);
/* An admitted call whose row is put off. The code that sends the answer commits the row first. */
typedef struct ag_project_later {
	ag_journal *journal;   /* NULL: nothing was put off, the row is committed */
	ag_project_call *call; /* must stay until done() */
	bool is_refusal; /* the answer holds no data: it may be given although the row is not committed */
	ag_journal_item item;
} ag_project_later;

/* ag_project_end() without the commit: ag_journal_put_off() with what is in *ret must follow. */
void ag_project_end_later(ag_project_hub *h, ag_project_call *call, const char *outcome,
                          uint64_t nbyte, bool is_refusal, ag_project_later *ret);
/* Why an answer is withheld whose row could not be committed. In arena. */
ag_sql_failure ag_project_withheld(const ag_err *why, ag_arena *arena);
/* Records a call that named no project of its caller. */
void ag_project_record_stray(ag_project_hub *h, const ag_project_call *call, ag_str named,
                             ag_sql_code why);

/* These three ask the database on behalf of an admitted call, and fail with AG_INTERNAL for any other. AG_OK also when the
 * statement was refused or failed: ret->failure. ag_sql_result_release() it. */
AG_CHECK ag_status ag_project_query(ag_project_hub *h, const ag_ctx *ctx, ag_project_call *call,
                                    const ag_sql_request *rq, ag_arena *arena, ag_sql_result *ret,
                                    ag_err *err);
AG_CHECK ag_status ag_project_explain(ag_project_hub *h, const ag_ctx *ctx, ag_project_call *call,
                                      const ag_sql_request *rq, ag_arena *arena, ag_sql_result *ret,
                                      ag_err *err);
/* The dictionary: of the store's cache when it is younger than 24 hours and refresh is false, else introspected and kept.
 * In arena. */
AG_CHECK ag_status ag_project_dictionary(ag_project_hub *h, const ag_ctx *ctx,
                                         ag_project_call *call, bool refresh, ag_arena *arena,
                                         ag_dictionary *ret, ag_sql_failure *ret_failure,
                                         ag_err *err);
/* The next dictionary of that project of the store is made again: its tables have changed. */
AG_CHECK ag_status ag_project_dictionary_forget(ag_store *store, ag_str id, ag_arena *arena,
                                                ag_err *err);

#endif
