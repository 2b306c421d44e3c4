/* dictionary_build -- what every engine does alike when it reads a database's structure.
 *
 * An engine says which relations there are; ag_dictionary_select() says which of them are listed. It fills the tables,
 * hands rows of values to ag_dictionary_take_row(), and ends with ag_dictionary_finish(). */
#ifndef AG_SQL_DICTIONARY_BUILD_H
#define AG_SQL_DICTIONARY_BUILD_H

#include "guard/sql.h"
#include "run/ctx.h"
#include "sql/dictionary_parts.h"

#define AG_DICTIONARY_SAMPLE_ROWS 50 /* of a table: enough for three values of most columns */

/* The schema of names without one. */
ag_str ag_dictionary_home(const ag_sql_policy *p);

/* The relations that the policy lets be read, without the partitions of partitioned tables that are in it themselves; in
 * the order of ag_dictionary.tables, at most AG_DICTIONARY_MAX_TABLES (else *ret_is_cut). In arena. */
const ag_sql_relation **ag_dictionary_select(const ag_sql_policy *p, const ag_sql_catalog *c,
                                             ag_arena *arena, size_t *ret_n, bool *ret_is_cut);
/* Its place in what was selected, or SIZE_MAX. */
size_t ag_dictionary_selected(const ag_sql_policy *p, const ag_sql_relation *const *list, size_t n,
                              ag_str schema, ag_str name);

/* Are the values of this table never read? By its name ("passwords"), or, of a materialized view, because something
 * it reads has a sensitive column: it may be there under another name. */
bool ag_dictionary_is_closed(const ag_sql_catalog *c, const ag_sql_relation *r,
                             const ag_dictionary_opts *o, ag_arena *scratch);

/* One table whose values are read. */
typedef struct ag_dict_sampler {
	ag_dict_table *table;
	const uint32_t *columns; /* which of the table's are read */
	size_t ncolumn;
	size_t nfull;      /* of them have all the samples that they get */
	bool has_settings; /* a row may be a name and its value: "smtp_password", "…" */
} ag_dict_sampler;

/* The columns for which `may` is true, that are not sensitive, nor computed in a table with sensitive ones. In arena. */
void ag_dictionary_sampler(ag_dict_table *t, const bool *may, ag_arena *arena,
                           ag_dict_sampler *ret);
/* One row: s->ncolumn cells, ptr NULL for NULL. Values that are new to their column are copied into arena. */
void ag_dictionary_take_row(ag_dict_sampler *s, const ag_str *cell, const ag_dictionary_opts *o,
                            ag_arena *arena);

/* Marks the sensitive columns, and takes from them what could show a value (a default). */
void ag_dictionary_mark(ag_dict_table *t, ag_dict_column *columns, const ag_dictionary_opts *o);

#endif
