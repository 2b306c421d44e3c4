/* postgres -- the parts of the PostgreSQL engine; private to source/postgres*.c and its tests.
 *
 * Read postgres.c (the engine's row), then postgres_run.c (one statement), postgres_pool.c, postgres_connect.c,
 * postgres_values.c. postgres_catalog.c and postgres_dictionary.c ask the server with ag_pg_rows(). */
#ifndef AG_SOURCE_POSTGRES_H
#define AG_SOURCE_POSTGRES_H

#include "source/sql_engine.h"

#define AG_PG_MAX_ROWS_BYTES (64u * 1024 * 1024) /* of one ag_pg_rows() */

/* Rows of a statement of ours. cell[row * ncolumn + column]; NULL is ptr == NULL ("" has one). In arena. */
typedef struct ag_pg_table {
	size_t ncolumn, nrow;
	const ag_str *cell;
} ag_pg_table;

static inline ag_str ag_pg_cell(const ag_pg_table *t, size_t row, size_t column)
{
	return t->cell[row * t->ncolumn + column];
}

/* Runs a statement of ours (a literal with $1, $2 … for values; never text of a user) in a read-only transaction that is
 * rolled back, with the role, the search path (pg_catalog first) and the time-outs of every other statement. params are
 * sent as text of unknown type: write $1::text. A failure is *ret_failure (code), then ret is not filled; also when the
 * answer is larger than AG_PG_MAX_ROWS_BYTES. ret_failure->code is AG_SQLCODE_NONE on success. */
AG_CHECK ag_status ag_pg_rows(ag_sql_impl *impl, const ag_ctx *ctx, const char *sql,
                              const ag_str *params, size_t nparam, ag_arena *arena,
                              ag_pg_table *ret, ag_sql_failure *ret_failure, ag_err *err);

/* What the handle was opened with; lives as long as it. opts->policy is the project's. */
const ag_sql_opts *ag_pg_opts(const ag_sql_impl *impl);

/* --- postgres_catalog.c, postgres_dictionary.c: rows of the engine's table --- */

AG_CHECK ag_status ag_pg_catalog(ag_sql_impl *impl, const ag_ctx *ctx, ag_arena *arena,
                                 ag_sql_catalog *ret, ag_sql_failure *ret_failure, ag_err *err);
AG_CHECK ag_status ag_pg_introspect(ag_sql_impl *impl, const ag_ctx *ctx,
                                    const ag_dictionary_opts *o, ag_arena *arena,
                                    ag_dictionary *ret, ag_sql_failure *ret_failure, ag_err *err);

/* The schemas of a policy as they are in the database: its own, the allowed ones, those of allowed tables; as the text of a
 * text[]. */
ag_str ag_pg_schemas(const ag_sql_policy *p, ag_arena *arena);
/* One more item of such a text, which begins with { and is ended with } by the caller. */
void ag_pg_array_add(ag_buf *b, ag_str item);

/* "a""b": a name as SQL needs it. */
ag_str ag_pg_ident(ag_arena *arena, ag_str name);

#endif
