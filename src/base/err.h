/* err -- what went wrong, in words for the person or model who must act on it.
 *
 * The status says what the caller does next. An ag_err is filled only when a call fails; it is
 * plain memory: copy it freely, nothing to free. A lower message is not reworded on the way up. */
#ifndef AG_BASE_ERR_H
#define AG_BASE_ERR_H

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* name | http | json-rpc | retry | meaning */
#define AG_STATUS_TABLE(X)                                                                \
	X(OK, 200, 0, false, "success")                                                   \
	X(INVALID, 400, -32602, false, "the request is wrong; fix it and resend")         \
	X(NOT_FOUND, 404, -32602, false, "no such file, source, run or field")            \
	X(DENIED, 403, -32603, false, "refused by a guard or by permissions")             \
	X(CONFLICT, 409, -32603, false, "someone else holds it, or it changed meanwhile") \
	X(TIMEOUT, 504, -32603, true, "a deadline passed")                                \
	X(UNAVAILABLE, 503, -32603, true, "the other side is down or limits our rate")    \
	X(LIMIT, 413, -32603, false, "a size, row or step budget ran out")                \
	X(CANCELLED, 499, -32603, false, "the user stopped it")                           \
	X(PROTOCOL, 502, -32603, false, "the other side broke the rules of its protocol") \
	X(IO, 500, -32603, false, "reading or writing a file failed")                     \
	X(INTERNAL, 500, -32603, false, "a bug in Argus")

/* The tool cannot know that the table ends in a comma. */
/* clang-format off */
typedef enum ag_status {
#define X(name, http, rpc, retry, meaning) AG_##name,
	AG_STATUS_TABLE(X)
#undef X
	AG_STATUS_COUNT
} ag_status;
/* clang-format on */

const char *ag_status_name(ag_status st); /* "not_found" */
const char *ag_status_meaning(ag_status st);
int ag_status_http(ag_status st);
int ag_status_json_rpc(ag_status st);
bool ag_status_retryable(ag_status st);

typedef struct ag_err {
	ag_status status;
	int native; /* errno, CURLcode, sqlite rc or HTTP status; 0 = none */
	int retry_s; /* a limit of calls is reached: seconds until the next one may pass; 0 = it is not that */
	char origin[24]; /* "source.files", "query.filter" */
	char msg[400];   /* one sentence, no newline, no secret */
	char hint[200];  /* what the user can do; "" = nothing to say */
} ag_err;

/* Fill *err (may be NULL) and return `status`, so that a failure is one line:
 *   return ag_fail(err, AG_INVALID, "query.filter", "unknown operator \"%s\"", op);        */
AG_PRINTF(4, 5)
ag_status ag_fail(ag_err *err, ag_status status, const char *origin, const char *fmt, ...);
/* The same with errno: ": <strerror>" is appended and native set. ENOENT becomes NOT_FOUND,
 * EACCES and EPERM become DENIED, all else AG_IO. */
AG_PRINTF(4, 5)
ag_status ag_fail_errno(ag_err *err, int errnum, const char *origin, const char *fmt, ...);
/* Set the hint of an already filled error; returns err->status (AG_INTERNAL when err is NULL). */
AG_PRINTF(2, 3) ag_status ag_err_hint(ag_err *err, const char *fmt, ...);

#ifdef __clang_analyzer__
/* The analyzer cannot look into err.c: tell it that a failure is never AG_OK. */
#define ag_fail(err, status, ...) (ag_fail((err), (status), __VA_ARGS__), (status))
#define ag_fail_errno(err, errnum, origin, ...) \
	(ag_fail_errno((err), (errnum), (origin), __VA_ARGS__), AG_IO)
#define ag_err_hint(err, ...) (ag_err_hint((err), __VA_ARGS__), AG_INVALID)
#endif

#ifdef __cplusplus
}
#endif
#endif
