/* http -- one HTTP/1.1 request out of bytes that come in any pieces (RFC 9112).
 *
 * Content-Length and chunked bodies, Expect: 100-continue, keep-alive. What a careful server refuses is refused: both
 * lengths at once, folded headers, blanks before the colon. A request that follows too early waits in the buffer. */
#ifndef FAKE_HTTP_H
#define FAKE_HTTP_H

#include "base/str.h"

#define FM_MAX_HEAD_BYTES (64u << 10)
#define FM_MAX_BODY_BYTES (64u << 20)

typedef enum fm_http_state {
	FM_HTTP_MORE,     /* more bytes are wanted */
	FM_HTTP_CONTINUE, /* the same, and the client waits for "100 Continue" */
	FM_HTTP_READY,
	FM_HTTP_BAD /* status and why say what to answer; then close */
} fm_http_state;

/* Views into the buffers; valid until fm_http_next(). */
typedef struct fm_http {
	ag_buf in;     /* as received */
	ag_buf unfold; /* a chunked body without its framing */
	size_t head,
		at; /* bytes of the head (0 = not complete yet), and how far the body was read */
	bool is_chunked, keep_alive, told_continue, wants_continue;
	size_t length; /* Content-Length */
	ag_str method, target, body;
	ag_str content_type, key, key_header, anthropic_version;
	int status;
	const char *why;
} fm_http;

void fm_http_init(fm_http *h);
void fm_http_release(fm_http *h);
/* Call after each piece that was added to h->in. */
fm_http_state fm_http_read(fm_http *h);
/* The request was answered: forget it; what came behind it stays. Memory is given back. */
void fm_http_next(fm_http *h);

#endif
