/* rules -- what an audit learned about a collection, as rules for other tools.
 *
 * Made from a report (docs/reference/report.md): the schema and the profiles in its trace, and its findings. Findings are
 * read by their evidence: a document that matches the filter is wrong. All results live in the arena. */
#ifndef AG_EXPORT_RULES_H
#define AG_EXPORT_RULES_H

#include "audit/taxonomy.h"
#include "base/err.h"
#include "base/json.h"
#include "query/filter.h"
#include "query/path.h"
#include "query/regex.h"

/* Types of a field, as bits. */
typedef enum ag_kind {
	AG_KIND_INT = 1,
	AG_KIND_FLOAT = 2,
	AG_KIND_TEXT = 4,
	AG_KIND_BOOL = 8,
	AG_KIND_NULL = 16,
	AG_KIND_DATE = 32,
	AG_KIND_OID = 64,
	AG_KIND_DECIMAL = 128,
	AG_KIND_OBJECT = 256,
	AG_KIND_ARRAY = 512,
	AG_KIND_OTHER = 1024
} ag_kind;

typedef struct ag_bound {
	ag_val value; /* AG_T_MISSING: no bound */
	bool is_open; /* the value itself is wrong */
} ag_bound;

#define AG_RULE_MAX_LIST 200 /* wrong values, patterns and notes of one field */

typedef struct ag_export_node ag_export_node;
struct ag_export_node {
	ag_str path; /* as filters write it; "" when no filter can name it */
	ag_str name; /* "*": every key of an object whose keys are data */
	ag_export_node *parent, *kids, *last_kid, *next;
	unsigned kinds;     /* the right ones */
	bool is_required;   /* in its parent */
	uint64_t present;   /* documents */
	uint64_t objects;   /* documents where it is an object */
	ag_bound min, max;  /* of numbers */
	const ag_val *only; /* the closed list of texts, NULL = none */
	size_t nonly;
	ag_val wrong[AG_RULE_MAX_LIST / 4]; /* values that are wrong */
	size_t nwrong;
	ag_str broken[8]; /* patterns of wrong texts */
	size_t nbroken;
	ag_str note[8]; /* why: one sentence for each finding */
	size_t nnote;
};

typedef struct ag_export_rule {
	ag_str field, category, title, description;
	const ag_filter *filter; /* matches the wrong documents; NULL: no rule about one document */
	ag_val evidence;
	bool is_in_schema; /* the rules of its node say the same: */
	bool is_negative;  /* in its wrong values or patterns */
} ag_export_rule;

typedef struct ag_export {
	ag_str collection, run, run_at, argus;
	uint64_t documents, surveyed;
	bool is_csv;
	ag_export_node *root;
	ag_export_rule *rules;
	size_t nrule;
	size_t paths_left_out; /* fields that stand in no tree of objects */
} ag_export;

/* report: parsed with types. Findings below `least`, set aside or not published give no rule.
 * errors  AG_INVALID: the report has no schema, or is no audit's. */
AG_CHECK ag_status ag_export_read(const ag_val *report, ag_severity least, ag_arena *arena,
                                  ag_export *ret, ag_err *err);

/* A MongoDB validator: {"$jsonSchema": …, "$nor": [evidence …]} in relaxed extended JSON. Sets *ret_left_out to one line for
 * each finding that it cannot hold. */
void ag_export_validator(const ag_export *r, ag_arena *arena, ag_buf *out, ag_str **ret_left_out,
                         size_t *ret_n);
/* JSON Schema, draft 2020-12, of the documents as plain or relaxed extended JSON. */
void ag_export_jsonschema(const ag_export *r, ag_arena *arena, ag_buf *out, ag_str **ret_left_out,
                          size_t *ret_n);

typedef enum ag_export_format { AG_EXPORT_DBT, AG_EXPORT_GX, AG_EXPORT_SODA } ag_export_format;

/* Tests of a table with this name ("" = that of the collection): dbt's and Soda's YAML, or a suite of Great Expectations 1.x.
 * joint: stands between the names of nested fields in the names of columns; "" = nested fields are no columns. */
void ag_export_table(const ag_export *r, ag_export_format format, ag_str name, ag_str joint,
                     ag_arena *arena, ag_buf *out, ag_str **ret_left_out, size_t *ret_n);

/* --- schema_filter.c --- */

/* Can a JSON Schema select what the filter selects? */
bool ag_filter_has_schema(const ag_filter *f);
/* Members of that schema, in an open object. */
void ag_filter_schema(const ag_filter *f, ag_arena *arena, ag_jw *w);
/* Is the pattern the same for PCRE2 and for ECMAScript? */
bool ag_pattern_is_portable(const ag_regex *re);

#endif
