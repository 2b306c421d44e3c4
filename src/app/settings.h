/* settings -- what a user can choose: one table, five places a value can come from.
 *
 * default < argus.yaml < .env files < environment < flag. A value is checked where it enters, against its
 * row; the error names the place and what is wanted. To add a setting: 1. a field in ag_settings; 2. its
 * row in settings_table.c; 3. its use. Help, docs/reference/settings.md and `argus doctor` follow. */
#ifndef AG_APP_SETTINGS_H
#define AG_APP_SETTINGS_H

#include "base/arena.h"
#include "base/err.h"

typedef enum ag_set_type {
	AG_SET_COUNT,  /* uint64_t */
	AG_SET_NUMBER, /* double */
	AG_SET_BOOL,   /* bool */
	AG_SET_CHOICE, /* int, index into one_of */
	AG_SET_TEXT,   /* ag_str */
	AG_SET_DATE    /* int64_t, ms since 1970 UTC; 0 = not given */
} ag_set_type;

typedef struct ag_setting {
	const char *group; /* in argus.yaml: "audit"; "" = top level */
	const char *key;   /* unique over all groups */
	const char *env;   /* "ARGUS_SEED" */
	ag_set_type type;
	double min, max;           /* COUNT and NUMBER */
	const char *const *one_of; /* CHOICE: NULL-terminated */
	const char *unset;    /* COUNT, NUMBER, DATE, TEXT: the word for "not given", NULL = none */
	bool takes_all;       /* COUNT: "all" is UINT64_MAX */
	const char *fallback; /* the default, as a user would write it */
	size_t offset;        /* in ag_settings */
	const char *help;     /* one sentence */
} ag_setting;

typedef enum ag_place {
	AG_PLACE_DEFAULT,
	AG_PLACE_YAML,
	AG_PLACE_DOTENV,
	AG_PLACE_ENV,
	AG_PLACE_FLAG
} ag_place;

typedef enum ag_output_format { AG_OUTPUT_TEXT, AG_OUTPUT_JSON, AG_OUTPUT_SILENT } ag_output_format;

#define AG_SETTINGS_MAX 64 /* rows of the table */

typedef struct ag_settings {
	/* top level */
	ag_str store;
	uint64_t threads;
	int output_format; /* ag_output_format */
	int log_level;     /* 0 = off, else ag_log_level + 1 */
	int log_format;    /* ag_log_format, in the order of the table */
	/* audit */
	uint64_t sample_size; /* 0 = the planner's default, UINT64_MAX = all */
	uint64_t max_iterations, max_calls;
	double max_seconds, deadline;
	uint64_t seed;
	int planner;
	int64_t as_of;
	bool strict, show_values;
	int min_severity; /* ag_severity */
	int fail_on;      /* 0 = none, else ag_severity + 1 */
	int rejected_finding_policy, run_fail_policy;
	int action_evaluator, finding_evaluator, run_evaluator; /* 0 = rules, 1 = none */
	/* rules */
	double field_coverage_min, critical_min_share, high_min_share, evidence_tolerance;
	uint64_t early_termination_min, clean_collection_docs, budget_warning_below;
	uint64_t description_min_chars;
	/* catalogue */
	double null_rate_warning_threshold, null_rate_critical_threshold,
		type_consistency_threshold;

	/* Where each value came from, by row: "argus.yaml:3:9", "ARGUS_SEED", "--seed". */
	ag_place place[AG_SETTINGS_MAX];
	ag_str where[AG_SETTINGS_MAX];
} ag_settings;

const ag_setting *ag_settings_table(size_t *ret_n);
/* Row of a key, or -1. */
int ag_settings_find(ag_str key);
const char *ag_settings_nearest(ag_str key);

/* All defaults. Texts of `s` live in static memory or in the arenas given below. */
void ag_settings_init(ag_settings *s);
/* Set one value from text. `where` names the place in errors: "--seed: want a whole number …". */
AG_CHECK ag_status ag_settings_set(ag_settings *s, int row, ag_str text, ag_place place,
                                   ag_str where, ag_arena *arena, ag_err *err);
/* The text of an argus.yaml; `name` is what errors call the file. */
AG_CHECK ag_status ag_settings_yaml(ag_settings *s, ag_str name, ag_str text, ag_arena *arena,
                                    ag_err *err);
/* The text of a .env file: KEY=VALUE lines; names that are no setting are left alone. */
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
