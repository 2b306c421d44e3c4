/* exchange -- statements on one connection: sent at once, answered in order, stopped in time.
 *
 * An exchange is everything that is done on a connection between ag_pg_take() and ag_pg_give(), usually one transaction.
 * ag_pg_exchange_run() sends its steps in one write with one Sync and reads until the server is ready; it may be called
 * several times, so a caller can look at rows before it sends COMMIT. Rows go to the sink of their step as they come.
 *
 * Whatever happens, run() returns within the deadline and AG_PG_DRAIN_MS, and afterwards the connection is either clean or
 * spoilt. The server skips all steps of a run after one that failed. Notices and notifications are discarded. */
#ifndef AG_PG_EXCHANGE_H
#define AG_PG_EXCHANGE_H

#include "pg/pg.h"
#include "pg/wire.h"

/* For an answer after a request to stop; then the statement counts as stuck. */
#define AG_PG_DRAIN_MS 2000

/* Each returns false when it wants no more: later rows are discarded, or the statement is stopped. */
typedef struct ag_pg_sink {
	/* Once, before the first row, also without rows; not called for a step with ncolumn. field lives as long as the arena. */
	bool (*columns)(void *arg, const ag_pg_field *field, size_t n);
	/* Cells are valid for the call; NULL has no ptr. */
	bool (*row)(void *arg, const ag_str *cell);
	bool (*too_large)(void *arg); /* a row above max_row_bytes: it is not read */
	void *arg;
} ag_pg_sink;

typedef struct ag_pg_step {
	const char *name; /* of the prepared statement; "" = the unnamed one */
	ag_str sql;       /* parsed under that name; "" with a name = it is prepared already */
	/* Above 0: the step only prepares, and ag_pg_has_prepared() knows the statement by this bit from then on. */
	uint64_t prepares;
	const ag_str *values; /* $1, $2 … as text; NULL is ptr == NULL */
	size_t nvalue;
	const uint32_t
		*types; /* OIDs of $1, $2 … where sql is parsed; NULL = the server infers them */
	/* The command tags that the server may report, separated by '|'; one that ends with '*' is a prefix. After any other
	 * tag the session is spoilt: something else ran. */
	const char *tags;
	bool may_fail; /* an error of the server does not spoil the connection, unless ag_pg_spoils() says so */
	bool forgets;           /* removes the prepared statements: DISCARD ALL */
	const ag_pg_sink *sink; /* NULL = it has no rows */
	size_t ncolumn;         /* of its rows; 0 = the server describes them */
	uint64_t *
		nrow; /* set to the number in the command tag, as in "UPDATE 3"; NULL = not wanted */
} ag_pg_step;

/* What holds for a whole exchange. */
typedef struct ag_pg_terms {
	const ag_ctx *ctx;    /* its deadline and its cancel flag */
	int64_t timeout_ms;   /* of all runs together */
	int watch_fd;         /* stops the statement when the peer goes away; -1 = none */
	size_t max_row_bytes; /* a row that is larger on the wire is never stored */
	ag_pg_hold hold;      /* kept for as long as the server has not ended the statement */
	bool may_pause; /* a wait may give up its thread (run/pause.h): the caller holds no mutex */
} ag_pg_terms;

/* The result is for the caller; all else is for exchange.c. */
typedef struct ag_pg_exchange {
	struct {
		ag_pg_failure failure; /* the first one; complete after ag_pg_exchange_end() */
		const ag_pg_step
			*failed;    /* the step that failed; NULL = none, or not of one step */
		bool was_answered;  /* the server has completed a command */
		bool was_new;       /* nothing was answered on the connection before */
		bool was_discarded; /* a step with `forgets` was completed */
		char transaction;   /* 'I' idle, 'T' open, 'E' failed: after the last run */
		int64_t began_us, last_row_us;
	} result;

	ag_pg *pg;
	ag_pg_conn *c;
	ag_pg_wire *wire;
	ag_pg_terms terms;
	ag_arena *arena;
	const ag_pg_step *steps;
	size_t nstep, at; /* `at` is being answered */
	bool is_unsent;   /* the socket did not take everything */
	int64_t deadline_us;
	ag_pg_stop stop;
	struct ag_pg_cancel *cancel;
	int64_t cancelled_us; /* when the server was asked to stop, last */
	bool is_finishing;    /* the statement has ended: only what it left is being removed */
	ag_str *cell;
	size_t ncolumn;
	bool has_columns, has_enough, is_lost, is_over;
	bool has_parted;    /* the server announced that it ends the session */
	uint64_t nunwanted; /* bytes since has_enough */
	int64_t enough_us;
} ag_pg_exchange;

/* Texts of the result are in arena. */
void ag_pg_exchange_begin(ag_pg_exchange *x, ag_pg *pg, ag_pg_conn *c, const ag_pg_terms *terms,
                          ag_arena *arena);
/* false: the connection is of no more use. A statement that failed, or was stopped, returns true: look at result.failure
 * before the next run. */
bool ag_pg_exchange_run(ag_pg_exchange *x, const ag_pg_step *steps, size_t n);
/* The same for the steps that end a transaction: time-out, cancel flag and client do not stop them, and they have
 * AG_PG_DRAIN_MS. After false it is unknown whether they took place. */
bool ag_pg_exchange_finish(ag_pg_exchange *x, const ag_pg_step *steps, size_t n);
/* Required, once, before ag_pg_give(). Waits for a request to stop that is still on its way; then the result is
 * complete. */
void ag_pg_exchange_end(ag_pg_exchange *x);

#endif
