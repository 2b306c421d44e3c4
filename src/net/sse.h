/* sse -- server-sent events out of bytes that come in any pieces.
 *
 * Source: WHATWG HTML, "Server-sent events", "Interpreting an event stream". LF, CRLF and CR end a line, also mixed
 * and split between two reads; comments, unknown fields and a byte-order mark are skipped. */
#ifndef AG_NET_SSE_H
#define AG_NET_SSE_H

#include "base/err.h"
#include "base/str.h"

#define AG_SSE_MAX_LINE_BYTES  (8u << 20)
#define AG_SSE_MAX_EVENT_BYTES (16u << 20)

typedef struct ag_sse_event {
	ag_str name; /* of the "event:" field, "" = none */
	ag_str data; /* of all "data:" fields, joined by LF */
	ag_str id;   /* of the "id:" field of this event, "" = none */
} ag_sse_event;

/* Views are valid during the call. Anything but AG_OK stops the reader and is what feed returns. */
typedef ag_status (*ag_sse_fn)(void *arg, const ag_sse_event *ev, ag_err *err);

typedef struct ag_sse {
	ag_buf line, name, data, id;
	bool has_data, after_cr, at_start;
	ag_sse_fn on_event;
	void *arg;
} ag_sse;

void ag_sse_init(ag_sse *s, ag_sse_fn on_event, void *arg);
void ag_sse_release(ag_sse *s);
/* errors  AG_LIMIT: a line or event is too long; what on_event returns */
AG_CHECK ag_status ag_sse_feed(ag_sse *s, ag_str bytes, ag_err *err);
/* The stream ended. An event whose empty line never came is given as well when it has data: servers that forget the
 * last line break are common, and whoever reads it checks whether it is whole. */
AG_CHECK ag_status ag_sse_end(ag_sse *s, ag_err *err);

#endif
