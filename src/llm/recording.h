/* recording -- one line of a recording, written and read.
 *
 * The request stands in the line as JSON, byte for byte but for line breaks (which JSON has only between its tokens);
 * the response as text, or as {"$binary":…} when it is not UTF-8. */
#ifndef AG_LLM_RECORDING_H
#define AG_LLM_RECORDING_H

#include "base/arena.h"
#include "base/err.h"

#define AG_RECORDING_VERSION        1
#define AG_RECORDING_MAX_LINE_BYTES (64u << 20)
#define AG_RECORDING_MAX_FILE_BYTES (INT64_C(1) << 30)

typedef struct ag_exchange {
	uint64_t n; /* from 1 */
	ag_str purpose, provider, url;
	ag_str request; /* "" = none (GET) */
	int status;     /* 0 = no status line came */
	ag_str content_type, retry_after, location, response;
	ag_err error; /* of the transport; status AG_OK = none */
} ag_exchange;

/* The line, without its end. Secrets are taken out. `out` fails when it grows over its limit.
 * errors  AG_LIMIT: too long, or secrets that the log cannot hold */
AG_CHECK ag_status ag_exchange_write(const ag_exchange *x, ag_buf *out, ag_err *err);
/* Texts of ret are views of `line` or in arena.
 * errors  AG_INVALID: says what is wrong (the caller adds file and line) */
AG_CHECK ag_status ag_exchange_read(ag_str line, ag_arena *arena, ag_exchange *ret, ag_err *err);
/* A request's body as ag_exchange_read() gives it back: without secrets, and a JSON container without
 * line breaks. In arena. */
ag_str ag_exchange_request(ag_str body, ag_arena *arena);
/* Is that the first line of a recording of a version that can be read? *ret_at_ms: when it was begun, 0 = it does not
 * say. */
AG_CHECK ag_status ag_recording_header(ag_str line, ag_arena *arena, int64_t *ret_at_ms,
                                       ag_err *err);
/* "/v1/messages" of "https://host/v1/messages?key=…": queries hold keys, so none is recorded or compared. */
ag_str ag_exchange_path(ag_str url);

#endif
