/* postgres_exchange -- one statement on one connection, from its BEGIN to its ROLLBACK; private to source/postgres*.c.
 *
 * BEGIN READ ONLY, the statement, ROLLBACK and Sync leave in one write; rows are handed to a sink as they come. Whatever
 * happens, run() comes back within the deadline and AG_PG_DRAIN_MS, and the connection is either clean or spoilt. */
#ifndef AG_SOURCE_POSTGRES_EXCHANGE_H
#define AG_SOURCE_POSTGRES_EXCHANGE_H

#include "source/postgres_parts.h"

/* Each gives false when it wants no more: what comes then is thrown away, or the statement is stopped. */
typedef struct ag_pg_sink {
	/* Once, before the first row, also without rows. field lives as long as the arena. */
	bool (*columns)(void *arg, const ag_pg_field *field, size_t n);
	/* Cells are valid for the call; NULL has no ptr. */
	bool (*row)(void *arg, const ag_str *cell);
	void (*too_large)(void *arg); /* a row above max_row_bytes: it is not read */
	void *arg;
} ag_pg_sink;

typedef struct ag_pg_statement {
	ag_str sql;
	const ag_str *values; /* $1, $2 … */
	size_t nvalue;
	int64_t timeout_ms;
	size_t max_row_bytes; /* a row that is larger on the wire is never stored */
	int watch_fd;
	bool may_leave_state;    /* DISCARD ALL after it */
	ag_sql_freshness *fresh; /* asked before the statement; NULL = not */
	bool is_last;            /* what it leaves no statement clears: the connection is closed */
	ag_sql_hold hold;        /* kept for as long as the server has not ended the statement */
	ag_pg_sink sink;
} ag_pg_statement;

typedef struct ag_pg_outcome {
	bool has_failed;
	ag_sql_failure failure;
	bool is_repeatable; /* the connection was dead before the server had seen the statement */
	int64_t began_us, last_row_us;
} ag_pg_outcome;

/* Spoils c when it cannot be used again; sets c->is_unended when the server may still be running the statement. Texts in
 * arena. */
void ag_pg_exchange(ag_pg *pg, ag_pg_conn *c, const ag_ctx *ctx, const ag_pg_statement *statement,
                    ag_arena *arena, ag_pg_outcome *ret);

#endif
