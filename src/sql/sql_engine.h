/* sql_engine -- what a SQL database must do for the dispatcher; private to sql/sql*.c, postgres*.c and sqlite_*.c.
 *
 * sql.c owns what is the same everywhere: defaults of the options, catalog snapshot and its age, guard, breaker, cost
 * admission, ag_sql_result.verdict and how_to_go_on. An engine owns connections, the transaction, the caps while rows come,
 * values as JSON, and the rest of ag_sql_result.
 *
 * Any number of threads call the functions of one handle at the same time; only close() is alone. */
#ifndef AG_SQL_SQL_ENGINE_H
#define AG_SQL_SQL_ENGINE_H

#include "sql/sql.h"

/* An engine's own handle. Never defined: each engine casts it to its struct. */
typedef struct ag_sql_impl ag_sql_impl;

/* Is the database still what the snapshot says that the verdict was made with? Asked before the statement and in its
 * transaction; when it is not, the statement does not run. */
typedef struct ag_sql_freshness {
	const ag_sql_catalog *catalog;
	const ag_sql_verdict *verdict;
	ag_str moment; /* the last one at which the snapshot held; "" = compare the state instead */
	bool is_stale; /* set by the engine: the moment, or the state, is another; the result is a failure */
	ag_str now; /* set by the engine when the state held: the moment of that */
} ag_sql_freshness;

/* What one statement may use: the request with the options and the verdict already worked in. */
typedef struct ag_sql_limits {
	uint64_t max_rows; /* rows to give back, at least 1 (0 is "LIMIT 0": columns alone) */
	size_t max_bytes;  /* of rows as JSON, brackets included; at least 2 */
	int64_t timeout_ms; /* of the statement, above 0; what is left of ctx's deadline counts as well */
	int watch_fd;       /* -1 = none */
	/* The guard let in what it cannot vouch for (a function of policy.allowed_functions): the connection is reset as a
	 * whole before its next use. */
	bool may_leave_state;
	ag_sql_freshness *fresh; /* NULL = not asked */
	ag_sql_hold hold;        /* for as long as the server runs the statement */
} ag_sql_limits;

/* run() and explain(): ret comes zeroed. is_ok or failure is filled, and columns, rows, nrow, cut, rows_seen,
 * sql_executed, wait_us, exec_us. rows belongs to the caller also after a failure. Error statuses are only for bugs:
 * AG_INTERNAL. */
typedef ag_status ag_sql_run_fn(ag_sql_impl *impl, const ag_ctx *ctx, const ag_safe_sql *sql,
                                const ag_sql_limits *limits, ag_arena *arena, ag_sql_result *ret,
                                ag_err *err);

typedef struct ag_sql_engine {
	const char *name; /* "postgresql" */
	ag_sql_dialect dialect;

	bool (*accepts)(ag_str uri);
	/* Connects to nothing. opts has every default filled in and lives as long as the handle.
	 * errors  as ag_sql_open() */
	ag_status (*open)(ag_str uri, const ag_sql_opts *opts, ag_sql_impl **ret, ag_err *err);
	void (*close)(ag_sql_impl *impl);

	/* Judge, and run or explain what is allowed, in one exchange, for an engine that judges for itself. ret->verdict is
	 * filled as well; a refusal is a verdict without a failure. NULL = judge() or the guard, then run() or explain(). */
	ag_status (*ask)(ag_sql_impl *impl, const ag_ctx *ctx, ag_str sql, ag_sql_purpose purpose,
	                 const ag_sql_limits *limits, ag_arena *arena, ag_sql_result *ret,
	                 ag_err *err);
	ag_sql_run_fn *run; /* this and explain: NULL when ask() is there */
	/* The plan as the one value of the one row. sql is the query alone, without EXPLAIN. */
	ag_sql_run_fn *explain;

	/* NULL = the dispatcher asks ag_sql_cache_guard(). A refusal is a verdict; what keeps the engine from judging (the
	 * file cannot be opened) is *ret_failure, and the verdict is not filled. */
	ag_status (*judge)(ag_sql_impl *impl, const ag_ctx *ctx, ag_str sql, ag_sql_purpose purpose,
	                   ag_arena *arena, ag_sql_verdict *ret, ag_sql_failure *ret_failure,
	                   ag_err *err);

	/* A snapshot for the guard; epoch is the dispatcher's to set. NULL = needs none (judge() is there). On a failure
	 * (ret_failure->code) ret is not filled. */
	ag_status (*catalog)(ag_sql_impl *impl, const ag_ctx *ctx, ag_arena *arena,
	                     ag_sql_catalog *ret, ag_sql_failure *ret_failure, ag_err *err);
	/* As ag_sql_introspect(). */
	ag_status (*introspect)(ag_sql_impl *impl, const ag_ctx *ctx, const ag_dictionary_opts *o,
	                        ag_arena *arena, ag_dictionary *ret, ag_sql_failure *ret_failure,
	                        ag_err *err);

	ag_str (*shown)(const ag_sql_impl *impl); /* "postgresql://host:5432/db" */
	/* nopen, nbusy, nstuck, stuck_pid. */
	void (*health)(ag_sql_impl *impl, ag_sql_health *ret);
} ag_sql_engine;

extern const ag_sql_engine ag_sql_engine_postgres; /* postgres.c */
extern const ag_sql_engine ag_sql_engine_sqlite;   /* sqlite_engine.c */

#endif
