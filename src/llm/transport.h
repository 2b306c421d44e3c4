/* transport -- how the bytes of one exchange travel: over the network, into a recording, out of a recording.
 *
 * A recording is NDJSON: a header line {"argus_recording":1,"argus":"0.1.0","at":"…Z"}, then one line per exchange:
 *   {"n":1,"purpose":"planner","provider":"openai","url":"http://…/v1/chat/completions","request":{…},
 *    "status":200,"content_type":"text/event-stream","retry_after":"","response":"…","error":{…}|absent}
 * Headers are never written, so no key can be; secrets that the log knows are replaced in bodies as well. Each line is
 * written at once and whole, so a killed run leaves a usable file. */
#ifndef AG_LLM_TRANSPORT_H
#define AG_LLM_TRANSPORT_H

#include "net/http.h"

typedef struct ag_transport ag_transport;

typedef struct ag_transport_type {
	const char *name; /* "http", "record", "replay" */
	/* As ag_http_send(). purpose and provider are for the recording. Thread safe. */
	ag_status (*send)(ag_transport *t, const ag_ctx *ctx, const char *purpose,
	                  const char *provider, const ag_http_request *r, ag_arena *arena,
	                  ag_http_response *ret, ag_err *err);
	ag_status (*finish)(ag_transport *t, ag_err *err); /* NULL = nothing to finish */
	void (*close)(ag_transport *t);
	bool waits; /* false: no back-off is slept, no breaker asked */
} ag_transport_type;

struct ag_transport {
	const ag_transport_type *type;
};

/* Lends one ag_http per call from a pool. */
AG_CHECK ag_status ag_transport_http_new(ag_transport **ret, ag_err *err);
/* Passes on to `inner` (owned from now on) and writes `file` (0600, must not exist as anything but a file). */
AG_CHECK ag_status ag_transport_record_new(ag_transport *inner, ag_str file, const ag_clock *clock,
                                           ag_transport **ret, ag_err *err);
/* Answers from `file`. A request is answered by the first exchange not yet used whose path and body are equal; so a
 * resumed run finds its place. Nothing equal: AG_CONFLICT, naming the number of the nearest unused exchange, the JSON
 * path where the bodies part ("$.messages[0].content"), and both texts around the place. */
AG_CHECK ag_status ag_transport_replay_new(ag_str file, ag_transport **ret, ag_err *err);
/* When the recording was begun (wall time); 0 when it does not say, or t is no replay. */
int64_t ag_transport_recorded_at(const ag_transport *t);
ag_transport *ag_transport_close(ag_transport *t);

/* Where two JSON texts part: "$.messages[1].content: byte 210: recorded "…", now "…"". In arena. */
ag_str ag_json_difference(ag_str recorded, ag_str now, ag_arena *arena);

#endif
