/* sql -- one read-only interface over SQL databases: the guard, a pool, a breaker, caps that are proven.
 *
 * To add an engine: 1. sql/<name>.c with a `const ag_sql_engine`; 2. its row in sql_engines[] of sql.c; 3. its fixture
 * in tests/contract/sql_fixtures.c: the shared suite then runs on it.
 *
 * A handle is one database with one policy. Any number of threads may use it. A statement runs alone, inside a read-only
 * transaction that is always rolled back, on a connection that keeps nothing from one call to the next. */
#ifndef AG_SQL_SQL_H
#define AG_SQL_SQL_H

#include "base/arena.h"
#include "guard/sql.h"
#include "run/ctx.h"
#include "sql/dictionary.h"
#include "sql/sql_error.h"

typedef struct ag_sql_source ag_sql_source;

typedef struct ag_sql_opts {
	ag_sql_policy policy; /* copied */
	ag_str role;          /* PostgreSQL: the role that a connection takes on; "" = none */
	ag_str password;      /* beside the URI; "" = of the URI or the environment. Never logged */
	unsigned max_connections;     /* 0 = 5 */
	size_t max_result_bytes;      /* of rows as JSON; 0 = 1 MiB; at most 64 MiB */
	int64_t statement_timeout_ms; /* 0 = 30 s */
	int64_t wait_timeout_ms;      /* for a connection of the pool; 0 = 5 s */
	int64_t connect_timeout_ms;   /* 0 = 10 s */
	double max_cost;              /* of the plan, by EXPLAIN; 0 = not asked */
	ag_str application;           /* application_name; "" = "argus" */
} ag_sql_opts;

typedef struct ag_sql_column_info {
	ag_str name;
	ag_str type; /* of the database: "integer", "numeric(10,2)", "text[]", "timestamp with time zone" */
} ag_sql_column_info;

typedef enum ag_sql_cut { AG_SQL_WHOLE, AG_SQL_CUT_ROWS, AG_SQL_CUT_BYTES } ag_sql_cut;

/* What a call keeps for as long as its statement runs at the server, which may be longer than the call. keep() and release()
 * come in pairs; release() on any thread, at the latest in ag_sql_close(). Neither may call this interface. */
typedef struct ag_sql_hold {
	void (*keep)(void *arg); /* NULL = nothing is kept */
	void (*release)(void *arg);
	void *arg;
} ag_sql_hold;

typedef struct ag_sql_request {
	ag_str sql;
	uint64_t max_rows;  /* below the policy's; 0 = the policy's */
	size_t max_bytes;   /* below the options'; 0 = the options' */
	int64_t timeout_ms; /* below the options'; 0 = the options' */
	int watch_fd; /* a client's socket: when its peer goes away the statement is cancelled; -1 = none */
	ag_sql_hold hold;
} ag_sql_request;

/* The outcome of one statement. Texts in the caller's arena; rows owned: ag_sql_result_release(). */
typedef struct ag_sql_result {
	ag_sql_verdict verdict; /* always filled when the guard was reached */
	bool is_ok;             /* columns and rows hold; else failure does */
	ag_sql_failure failure;
	const ag_sql_column_info *columns;
	size_t ncolumn;
	/* [[…],[…]] as JSON on one line: a row is an array. Integers and decimals that a double does not hold exactly, and
	 * NaN and infinities, are strings; true and false; null; dates and times in ISO 8601; bytea as "\\x…"; json as
	 * itself; arrays as arrays; all else as the database writes it. */
	ag_buf rows;
	uint64_t nrow;
	ag_sql_cut cut;      /* proven: at least one row (or the rest of one) was there beyond */
	uint64_t rows_seen;  /* rows that the database had begun to send, also those left out */
	ag_str how_to_go_on; /* of a cut result: one sentence */
	ag_str sql_executed; /* exactly what was sent; "" = nothing was */
	int64_t wait_us;     /* for a connection */
	int64_t exec_us;     /* from sending to the last row */
} ag_sql_result;

void ag_sql_result_release(ag_sql_result *r);

/* Does this URI belong here? postgresql://…, postgres://…, sqlite:PATH (with a scheme only). */
bool ag_sql_accepts(ag_str uri);
/* Opens nothing yet: the first statement connects. `uri` is kept without its password for messages.
 * errors  AG_INVALID: URI or policy, names what is wrong; AG_NOT_FOUND: SQLite file; AG_UNAVAILABLE: the library */
AG_CHECK ag_status ag_sql_open(ag_str uri, const ag_sql_opts *opts, ag_sql_source **ret,
                               ag_err *err);
ag_sql_source *ag_sql_close(
	ag_sql_source *s); /* no statement may run any more; accepts NULL, returns NULL */

/* Guard, breaker, pool, statement, caps. AG_OK also when the statement was refused or failed: ret says so (ret->is_ok).
 * errors  only AG_INTERNAL. */
AG_CHECK ag_status ag_sql_query(ag_sql_source *s, const ag_ctx *ctx, const ag_sql_request *rq,
                                ag_arena *arena, ag_sql_result *ret, ag_err *err);
/* The plan as JSON (PostgreSQL: EXPLAIN (FORMAT JSON), never ANALYZE; SQLite: EXPLAIN QUERY PLAN rows), as the one value
 * of the one row. The statement may or may not begin with EXPLAIN itself. */
AG_CHECK ag_status ag_sql_explain(ag_sql_source *s, const ag_ctx *ctx, const ag_sql_request *rq,
                                  ag_arena *arena, ag_sql_result *ret, ag_err *err);
/* The verdict alone: nothing is sent (SQLite: prepared, never stepped). */
AG_CHECK ag_status ag_sql_judge(ag_sql_source *s, const ag_ctx *ctx, ag_str sql, ag_arena *arena,
                                ag_sql_verdict *ret, ag_err *err);

/* What is in the database, as the policy lets it be seen (excluded and foreign schemas are not in it). In arena. A failure
 * is *ret_failure (code not AG_SQLCODE_NONE). See sql/dictionary.h. */
AG_CHECK ag_status ag_sql_introspect(ag_sql_source *s, const ag_ctx *ctx,
                                     const ag_dictionary_opts *o, ag_arena *arena,
                                     ag_dictionary *ret, ag_sql_failure *ret_failure, ag_err *err);
/* Fetches the guard's catalog snapshot again on the next statement (it is also fetched when it is older than 15 s, and
 * once more before a statement is refused for a column, function or table that it does not know). */
void ag_sql_forget_catalog(ag_sql_source *s);

/* For doctor, logs and health: "postgresql://host:5432/db", without user and password. */
ag_str ag_sql_shown(const ag_sql_source *s);
ag_sql_dialect ag_sql_dialect_of(const ag_sql_source *s);

/* Are new statements refused because too many do not stop? Then *ret_failure says so. For those who would wait for a place. */
bool ag_sql_is_stuck(ag_sql_source *s, ag_arena *arena, ag_sql_failure *ret_failure);

#define AG_SQL_HEALTH_PIDS 8
typedef struct ag_sql_health {
	int breaker;           /* ag_breaker_state */
	int64_t opens_in_ms;   /* of an open breaker: until a probe is let through */
	unsigned nopen, nbusy; /* connections; stuck ones are among them */
	unsigned nstuck;       /* statements that were asked to stop and still run at the server */
	unsigned stuck_limit;  /* with so many, new statements are refused */
	int stuck_pid[AG_SQL_HEALTH_PIDS]; /* of the first ones; 0 = no more, or not known */
	uint64_t nquery, nfailed;          /* since the handle was opened */
} ag_sql_health;
void ag_sql_health_of(ag_sql_source *s, ag_sql_health *ret);

#endif
