/* postgres_statement -- one statement on one connection, from its BEGIN to its ROLLBACK; private to sql/postgres*.c.
 *
 * BEGIN READ ONLY, the statement, ROLLBACK and Sync leave in one write; rows go to a sink as they come. Afterwards the
 * connection is either clean or spoilt. */
#ifndef AG_SQL_POSTGRES_STATEMENT_H
#define AG_SQL_POSTGRES_STATEMENT_H

#include "pg/exchange.h"
#include "sql/postgres.h"

typedef struct ag_postgres_statement {
	ag_str sql;
	const ag_str *values; /* $1, $2 … */
	size_t nvalue;
	int64_t timeout_ms;
	size_t max_row_bytes; /* a row that is larger on the wire is never stored */
	int watch_fd;
	bool may_leave_state;    /* DISCARD ALL follows it */
	ag_sql_freshness *fresh; /* asked before the statement; NULL = not */
	bool is_last;            /* what it leaves no statement clears: the connection is closed */
	ag_sql_hold hold;        /* kept for as long as the server has not ended the statement */
	bool may_pause;          /* its wait may give up the thread (run/pause.h) */
	ag_pg_sink sink;
} ag_postgres_statement;

typedef struct ag_postgres_outcome {
	bool has_failed;
	ag_sql_failure failure;
	bool is_repeatable; /* the connection was dead before the server had seen the statement */
	int64_t began_us, last_row_us;
} ag_postgres_outcome;

/* Gives c back to the pool in every case. Texts in arena. */
void ag_postgres_run_statement(ag_postgres *e, ag_pg_conn *c, const ag_ctx *ctx,
                               const ag_postgres_statement *statement, ag_arena *arena,
                               ag_postgres_outcome *ret);

#endif
