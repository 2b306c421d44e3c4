/* settings -- what a user can choose: one table, five places a value can come from.
 *
 * default < argus.yaml < .env files < environment < flag. A value is checked where it enters, against its
 * row; the error names the place and what is wanted. To add an option of an agent: a field of its
 * options and the row in its options.c. Flag, environment, help, docs/reference/settings.md and `argus doctor` follow. To add
 * another setting: a field below and the row in settings_table.c. */
#ifndef AG_APP_SETTINGS_H
#define AG_APP_SETTINGS_H

#include "agent/options.h"
#include "analyst/options.h"
#include "ask/options.h"
#include "audit/audit.h"
#include "base/arena.h"
#include "base/err.h"
#include "query/value.h"

typedef enum ag_place {
	AG_PLACE_DEFAULT,
	AG_PLACE_YAML,
	AG_PLACE_DOTENV,
	AG_PLACE_ENV,
	AG_PLACE_FLAG
} ag_place;

typedef enum ag_output_format {
	AG_OUTPUT_TEXT,
	AG_OUTPUT_JSON,
	AG_OUTPUT_SILENT,
	/* Of audit reports only (report/format.h): */
	AG_OUTPUT_SHORT,
	AG_OUTPUT_CSV,
	AG_OUTPUT_MARKDOWN,
	AG_OUTPUT_GITHUB,
	AG_OUTPUT_JUNIT,
	AG_OUTPUT_SARIF,
	AG_OUTPUT_HTML
} ag_output_format;

typedef enum ag_color { AG_COLOR_AUTO, AG_COLOR_ALWAYS, AG_COLOR_NEVER } ag_color;

#define AG_SETTINGS_MAX 128 /* rows of the table */
#define AG_MODELS_MAX   32  /* named models of one settings file */
#define AG_ENTRIES_MAX  128 /* projects and MCP servers of one settings file */
#define AG_VARS_MAX     64  /* environment variables that are no setting but are looked at */

/* One entry under "models:" of argus.yaml; rows in settings_models.c. */
typedef struct ag_model_setting {
	ag_str name, where; /* "argus.yaml:12:3" */
	int provider;       /* 0 = openai, 1 = anthropic */
	ag_str base_url, model, key_env;
	uint64_t max_output_tokens, thinking_tokens, attempts;
	double temperature; /* < 0 = not sent */
	int structured;     /* ag_llm_structured */
	int tools;          /* ag_llm_tools */
	int thinking;       /* ag_llm_thinking */
	ag_str extra_body;  /* JSON text, "" = none */
	bool stream;
	double connect_timeout, first_byte_timeout, idle_timeout, total_timeout; /* seconds */
	double input_price, output_price; /* < 0 = of the price table */
} ag_model_setting;

/* One entry under "projects:" or "mcp_servers:" of argus.yaml, as it stands there: texts, and lists of texts. Who needs it
 * checks it (project/project.h). */
typedef struct ag_entry_setting {
	ag_str group, name, where; /* "argus.yaml:12:3" */
	ag_val value;              /* an object */
} ag_entry_setting;

/* A variable of the environment or of a .env file: keys and addresses of models. */
typedef struct ag_var {
	ag_str name, value, where;
	int place; /* ag_place */
} ag_var;

typedef struct ag_settings {
	/* top level */
	ag_str store;
	uint64_t retention_days; /* 0 = for ever */
	uint64_t threads;
	int output_format; /* ag_output_format */
	int log_level;     /* 0 = off, else ag_log_level + 1 */
	int log_format;    /* ag_log_format, in the order of the table */
	int color;         /* ag_color */
	/* of agents */
	ag_audit_opts audit; /* what its rows name; ag_app_audit_opts() adds the rest */
	ag_ask_choices ask;
	ag_analyst_choices chat;
	ag_model_choices models_of_run; /* of whichever agent */
	double deadline;                /* of the process */
	/* sql */
	ag_str database;
	uint64_t per_minute, per_hour, per_day, connections;
	int audit_sync; /* ag_journal_sync */
	/* mcp */
	uint64_t questions;    /* of one project at a time */
	uint64_t documents_mb; /* 0 = nothing stays loaded */
	/* serve */
	uint64_t requests_per_minute, anonymous_per_minute, login_failures; /* 0 = no limit */
	uint64_t login_wait, session_days;
	ag_str access_log;            /* "" = none */
	ag_str ask_folders, ask_apis; /* lists with commas; "" = none */
	ag_str connection_hosts, connection_folders;
	/* the same: oidc */
	ag_str oidc_issuer, oidc_client_id, oidc_name, oidc_scopes, oidc_name_claim,
		oidc_groups_claim;
	ag_str oidc_sign_up, oidc_superuser;
	uint64_t oidc_clock_skew;
	bool oidc_link_email, oidc_ends_session;

	/* Where each value came from, by row: "argus.yaml:3:9", "ARGUS_SEED", "--seed". */
	ag_place place[AG_SETTINGS_MAX];
	ag_str where[AG_SETTINGS_MAX];

	ag_model_setting models[AG_MODELS_MAX];
	size_t nmodel;
	ag_entry_setting entries[AG_ENTRIES_MAX];
	size_t nentry;
	const struct ag_ignore *ignores; /* rows under "ignore:" (audit/audit.h) */
	size_t nignore;
	ag_var vars[AG_VARS_MAX];
	size_t nvar;
} ag_settings;

const ag_setting *ag_settings_table(size_t *ret_n);
/* The variable of the environment that sets it: ARGUS_ and the key in capitals. */
void ag_setting_env(const ag_setting *row, char ret[AG_SETTING_ENV_MAX]);
/* Row of a key, or -1. */
int ag_settings_find(ag_str key);
const char *ag_settings_nearest(ag_str key);

/* Rows of an entry under "models:"; offsets in ag_model_setting. */
const ag_setting *ag_settings_model_table(size_t *ret_n);
/* A new entry with defaults. errors  AG_INVALID: not a name ([A-Za-z0-9._-], at most 64), or there already; AG_LIMIT */
AG_CHECK ag_status ag_settings_model_add(ag_settings *s, ag_str name, ag_str where, ag_arena *arena,
                                         ag_model_setting **ret, ag_err *err);
AG_CHECK ag_status ag_settings_model_set(ag_model_setting *m, size_t row, ag_str text, ag_str where,
                                         ag_arena *arena, ag_err *err);
/* Keep an entry of "projects:" or "mcp_servers:".
 * errors  AG_INVALID: not a name ([A-Za-z0-9._-], at most 64), or there already; AG_LIMIT */
AG_CHECK ag_status ag_settings_entry_add(ag_settings *s, ag_str group, ag_str name, ag_str where,
                                         const ag_val *value, ag_arena *arena, ag_err *err);
/* Keep a row of "ignore:"; members are texts.
 * errors  AG_INVALID: an unknown key or category (names the nearest), no reason, a row that ignores everything, no day */
AG_CHECK ag_status ag_settings_ignore_add(ag_settings *s, ag_str where, const ag_val *members,
                                          ag_arena *arena, ag_err *err);
/* Takes over the rows that a server applies while it runs (`is_live`) and that `from`, read again from the same places, has
 * otherwise; a flag stays. Adds to said, for people: "max_login_failures 5 -> 10; not before a restart: database". Secrets are
 * not in it: what a row holds that is not live is not shown. Returns how many were taken over. */
size_t ag_settings_renew(ag_settings *s, const ag_settings *from, ag_arena *arena, ag_buf *said);
/* Is it a variable that models or databases may need? LLM_API_KEY and its kin, and every key_env of an entry. */
bool ag_settings_wants_var(const ag_settings *s, ag_str name);
/* Keep it; a later place wins. errors  AG_INVALID: a "<placeholder>", not text; AG_LIMIT */
AG_CHECK ag_status ag_settings_var_set(ag_settings *s, ag_str name, ag_str value, ag_place place,
                                       ag_str where, ag_arena *arena, ag_err *err);
/* The variable, or NULL. */
const ag_var *ag_settings_var(const ag_settings *s, const char *name);

/* All defaults. Texts of `s` live in static memory or in the arenas given below. */
void ag_settings_init(ag_settings *s);
/* Set one value from text. `where` names the place in errors: "--seed: want a whole number …". */
AG_CHECK ag_status ag_settings_set(ag_settings *s, int row, ag_str text, ag_place place,
                                   ag_str where, ag_arena *arena, ag_err *err);
/* The text of an argus.yaml; `name` is what errors call the file. */
AG_CHECK ag_status ag_settings_yaml(ag_settings *s, ag_str name, ag_str text, ag_arena *arena,
                                    ag_err *err);
/* The text of a .env file: KEY=VALUE lines; names that are no setting are left alone, and what a .env file that was read
 * before, the environment or a flag has set stays as it is. */
AG_CHECK ag_status ag_settings_dotenv(ag_settings *s, ag_str name, ag_str text, ag_arena *arena,
                                      ag_err *err);
/* env: NULL-terminated "NAME=value" list; blank values count as not set. */
AG_CHECK ag_status ag_settings_environ(ag_settings *s, char *const *env, ag_arena *arena,
                                       ag_err *err);
/* What no single row can tell. Call it last. */
AG_CHECK ag_status ag_settings_check(const ag_settings *s, ag_err *err);

/* A value as a user would write it. */
ag_str ag_settings_text(const ag_settings *s, int row, ag_arena *arena);
/* "a whole number from 1 to 1024, or auto" */
void ag_setting_wants(const ag_setting *row, ag_buf *out);
const char *ag_place_name(
	ag_place p); /* "default", "argus.yaml", ".env file", "environment", "flag" */
/* What bears on a result, as one JSON object: the groups audit, rules and catalogue, by key. */
ag_str ag_settings_json(const ag_settings *s, ag_arena *arena);

#endif
