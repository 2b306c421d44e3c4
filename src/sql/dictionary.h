/* dictionary -- what is in a SQL database, in one format for every engine.
 *
 * Made by ag_sql_introspect(), kept as JSON in the store's cache (24 hours), read back with ag_dictionary_read(): every
 * description of a table is made from the struct alone. Texts and arrays in the caller's arena. */
#ifndef AG_SQL_DICTIONARY_H
#define AG_SQL_DICTIONARY_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

#define AG_DICTIONARY_MAX_TABLES   5000u
#define AG_DICTIONARY_MAX_COLUMNS  2000u /* of a table: SQLite's limit; PostgreSQL has 1600 */
#define AG_DICTIONARY_MAX_SAMPLES  3u    /* of a column */
#define AG_DICTIONARY_SAMPLE_CHARS 60u   /* longer ones are cut, with … */
#define AG_DICTIONARY_AGE_MS       (INT64_C(24) * 3600 * 1000)

typedef struct ag_dict_column {
	ag_str name, type;
	bool is_nullable, is_primary_key, is_generated;
	bool is_sensitive;   /* by a word of its name (password, ssn, token …): no samples */
	ag_str default_text; /* "" = none */
	ag_str comment;
	ag_str enum_name;      /* of an enum column, "" else */
	const ag_str *samples; /* as text */
	size_t nsample;
} ag_dict_column;

typedef struct ag_dict_key {
	ag_str column, references_schema, references_table, references_column;
	ag_str constraint; /* columns of one multi-column key share it */
} ag_dict_key;

typedef struct ag_dict_index {
	ag_str name;
	const ag_str *columns; /* expressions as text */
	size_t ncolumn;
	bool is_unique, is_primary;
} ag_dict_index;

typedef struct ag_dict_table {
	ag_str schema, name;
	const char *
		type; /* "table", "view", "materialized_view", "foreign_table", "partitioned_table" */
	ag_str comment;
	int64_t row_count; /* estimated; -1 = unknown */
	bool is_row_count_exact;
	const ag_dict_column *columns;
	size_t ncolumn;
	const ag_str *primary_key;
	size_t nprimary_key;
	const ag_dict_key *foreign_keys;
	size_t nforeign_key;
	const ag_dict_index *indexes;
	size_t nindex;
} ag_dict_table;

typedef struct ag_dict_enum {
	ag_str schema, name;
	const ag_str *values;
	size_t nvalue;
} ag_dict_enum;

typedef struct ag_dictionary {
	ag_str schema;               /* of the policy: names without schema live there */
	int64_t generated_ms;        /* wall time */
	const ag_dict_table *tables; /* by schema (the policy's first), then name */
	size_t ntable;
	const ag_dict_enum *enums;
	size_t nenum;
	bool is_cut; /* there are more tables than AG_DICTIONARY_MAX_TABLES */
} ag_dictionary;

typedef struct ag_dictionary_opts {
	bool with_samples;
	const ag_str *sensitive_words; /* further words; NULL = the built-in list alone */
	size_t nsensitive_word;
} ag_dictionary_opts;

/* Is it a name whose values are not shown? By whole words of it: "password_hash", "userSSN", "api_key"; not "assassin",
 * "passenger", "monkey". */
bool ag_dictionary_is_sensitive(ag_str column, const ag_str *more, size_t nmore);

/* The cached form, and back. errors of read  AG_INVALID: not such a document */
void ag_dictionary_write(const ag_dictionary *d, ag_jw *w);
AG_CHECK ag_status ag_dictionary_read(ag_str json, ag_arena *arena, ag_dictionary *ret,
                                      ag_err *err);

/* "users", "public.users", any case when only one fits; NULL = none. */
const ag_dict_table *ag_dictionary_find(const ag_dictionary *d, ag_str name);
/* "Did you mean: a, b": the same name in another case, else up to 5 that contain the text or are near to it, else the
 * first 10. "" = there are no tables. */
ag_str ag_dictionary_suggest(const ag_dictionary *d, ag_str name, ag_arena *arena);

/* Of reference analyst.md 3.1, for the tools: an array of {name,type,row_count,column_count,description} … */
void ag_dictionary_list_json(const ag_dictionary *d, ag_jw *w);
/* … {name,row_count,comment,columns[…],primary_key,foreign_keys,indexes} … */
void ag_dictionary_table_json(const ag_dictionary *d, const ag_dict_table *t, ag_jw *w);
/* … and {schema,generated_at,table_count,tables{…},enums{…}} as members of an open object. */
void ag_dictionary_all_json(const ag_dictionary *d, ag_jw *w);

#endif
