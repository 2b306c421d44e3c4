/* postgres -- the parts of the PostgreSQL engine; private to sql/postgres*.c and its tests.
 *
 * Connections are pg/'s; this engine says what a session must be, what is sent, and what an answer means. Read postgres.c
 * (the engine's row), then postgres_run.c (one statement's rows), postgres_statement.c (its transaction), postgres_values.c.
 * postgres_catalog.c and postgres_dictionary.c ask the server with ag_postgres_rows(). */
#ifndef AG_SQL_POSTGRES_H
#define AG_SQL_POSTGRES_H

#include "pg/pg.h"
#include "sql/sql_engine.h"

#define AG_POSTGRES_MAX_ROWS_BYTES (64u * 1024 * 1024) /* of one ag_postgres_rows() */

/* Rows of a statement of ours. cell[row * ncolumn + column]; NULL is ptr == NULL ("" has one). In arena. */
typedef struct ag_postgres_table {
	size_t ncolumn, nrow;
	const ag_str *cell;
} ag_postgres_table;

static inline ag_str ag_postgres_cell(const ag_postgres_table *t, size_t row, size_t column)
{
	return t->cell[row * t->ncolumn + column];
}

/* A statement of ours: a literal with $1, $2 … for values; never text of a user. params are sent as text of unknown type: write
 * $1::text. */
typedef struct ag_postgres_question {
	const char *sql;
	const ag_str *params;
	size_t nparam;
} ag_postgres_question;

/* Runs it in a read-only transaction that is
 * rolled back, with the role, the search path (pg_catalog first) and the time-outs of every other statement. A failure is *ret_failure (code), then ret is not filled; also when the
 * answer is larger than AG_POSTGRES_MAX_ROWS_BYTES. ret_failure->code is AG_SQLCODE_NONE on success. */
AG_CHECK ag_status ag_postgres_rows(ag_sql_impl *impl, const ag_ctx *ctx,
                                    const ag_postgres_question *q, ag_arena *arena,
                                    ag_postgres_table *ret, ag_sql_failure *ret_failure,
                                    ag_err *err);

typedef struct ag_postgres {
	ag_pg *pg;
	const ag_sql_opts *opts; /* what the handle was opened with; lives as long as it */
} ag_postgres;

static inline ag_postgres *ag_postgres_of(ag_sql_impl *impl)
{
	return (ag_postgres *)(void *)impl;
}

/* --- postgres_run.c --- */

/* ag_sql_engine.run() of a text that is known to be harmless. */
void ag_postgres_run_text(ag_postgres *e, const ag_ctx *ctx, ag_str sql,
                          const ag_sql_limits *limits, ag_arena *arena, ag_sql_result *ret);

/* --- postgres_failure.c --- */

/* Texts stay those of f, or are in arena. */
void ag_postgres_failure(const ag_postgres *e, const ag_pg_failure *f, ag_arena *arena,
                         ag_sql_failure *ret);

/* --- postgres_catalog.c, postgres_dictionary.c: rows of the engine's table --- */

AG_CHECK ag_status ag_postgres_catalog(ag_sql_impl *impl, const ag_ctx *ctx, ag_arena *arena,
                                       ag_sql_catalog *ret, ag_sql_failure *ret_failure,
                                       ag_err *err);
AG_CHECK ag_status ag_postgres_introspect(ag_sql_impl *impl, const ag_ctx *ctx,
                                          const ag_dictionary_opts *o, ag_arena *arena,
                                          ag_dictionary *ret, ag_sql_failure *ret_failure,
                                          ag_err *err);

/* The schemas of a policy as they are in the database: its own, the allowed ones, those of allowed tables; as the text of a
 * text[]. */
ag_str ag_postgres_schemas(const ag_sql_policy *p, ag_arena *arena);
/* One more item of such a text, which begins with { and is ended with } by the caller. */
void ag_postgres_array_add(ag_buf *b, ag_str item);

#endif
