/* sql_error -- what went wrong with a statement: code, class and words that a person or model can act on.
 *
 * Keyed by SQLSTATE, never by text (reference analyst.md 1.5, 3.4; PostgreSQL manual, appendix A). SQLite's results are
 * given the SQLSTATE that PostgreSQL would use. */
#ifndef AG_SQL_SQL_ERROR_H
#define AG_SQL_SQL_ERROR_H

#include "base/arena.h"
#include "base/err.h"

/* name | what the envelope says | may the same call succeed later? */
#define AG_SQL_CODE_TABLE(X)                                                             \
	X(NONE, "", false)                                                               \
	X(VALIDATION, "VALIDATION_ERROR",                                                \
	  false) /* refused by the guard, or the database says the text is wrong */      \
	X(CONNECTION, "CONNECTION_ERROR", true)                                          \
	X(QUERY_TIMEOUT, "QUERY_TIMEOUT", false)    /* the statement was too slow */     \
	X(POOL_TIMEOUT, "CONNECTION_TIMEOUT", true) /* no connection was free in time */ \
	X(CANCELLED, "CANCELLED", false)                                                 \
	X(NOT_FOUND, "NOT_FOUND", false)                                                 \
	X(RATE_LIMITED, "RATE_LIMITED", true)                                            \
	X(UNAVAILABLE, "UNAVAILABLE", true)       /* the breaker is open */              \
	X(PERMISSION, "PERMISSION_DENIED", false) /* the caller's role or scope */       \
	X(TOO_COSTLY, "TOO_COSTLY", false)        /* cost admission */                   \
	X(AUTH, "AUTH_TOKEN_EXPIRED", false)                                             \
	X(SCHEMA, "SCHEMA_BUILD_FAILED", true)                                           \
	X(INTERNAL, "INTERNAL_ERROR", false)

/* clang-format off */
typedef enum ag_sql_code {
#define X(name, text, retry) AG_SQLCODE_##name,
	AG_SQL_CODE_TABLE(X)
#undef X
	AG_SQLCODE_COUNT
} ag_sql_code;
/* clang-format on */

const char *ag_sql_code_name(ag_sql_code c); /* "VALIDATION_ERROR" */
bool ag_sql_code_retryable(ag_sql_code c);

typedef struct ag_sql_failure {
	ag_sql_code code;
	char sqlstate[6]; /* "42703", "" = none */
	const char *
		class_name; /* "syntax", "column_not_found", "table_not_found", "function_not_found", "ambiguous",
	                    * "grouping", "type_mismatch", "invalid_value", "permission", "timeout", "cancelled",
	                    * "connection", "refused", "rate_limit", "resource", "execution", "still_running"; a literal */
	ag_str message; /* one line, without values of the server's settings and without secrets */
	ag_str detail;  /* "" = none */
	ag_str hint;    /* of the server or ours: the guidance of the class; "" = none */
	uint32_t position;       /* character of sql_executed, from 1; 0 = unknown */
	int64_t retry_after_ms;  /* 0 = does not say */
	bool is_connection_lost; /* the connection must not be used again; the breaker counts it */
	bool is_still_running; /* asked to stop, and the server has not ended it; class_name is "still_running" */
} ag_sql_failure;

/* The same as an error: AG_DENIED, AG_CANCELLED, AG_NOT_FOUND, else AG_UNAVAILABLE. */
ag_status ag_sql_failure_err(const ag_sql_failure *f, const char *origin, ag_err *err);
/* What a SQLSTATE means. class_name and hint are literals; message is the caller's. */
void ag_sql_failure_of_state(const char sqlstate[6], ag_sql_failure *ret);
/* Who ended a statement: 57014 alone does not tell. Without a better word it counts as a time-out. */
typedef enum ag_sql_stop {
	AG_SQL_STOP_TIMEOUT,
	AG_SQL_STOP_CANCELLED,  /* ctx->cancel */
	AG_SQL_STOP_CLIENT_GONE /* the peer of watch_fd */
} ag_sql_stop;
/* Message and hint are literals. */
void ag_sql_failure_of_stop(ag_sql_stop why, ag_sql_failure *ret);
/* Asked to stop for this reason, and the server has not ended it. is_lost: nor can it be seen whether it has. pid 0 =
 * unknown; it counts against `limit` connections. */
void ag_sql_failure_of_running(ag_sql_stop why, bool is_lost, int pid, unsigned limit,
                               ag_arena *arena, ag_sql_failure *ret);
/* No connection of the pool was free in time. */
void ag_sql_failure_pool_timeout(int64_t waited_ms, ag_arena *arena, ag_sql_failure *ret);
/* Of a status of Argus: AG_TIMEOUT, AG_CANCELLED, AG_UNAVAILABLE … */
void ag_sql_failure_of_err(const ag_err *e, ag_arena *arena, ag_sql_failure *ret);

#endif
