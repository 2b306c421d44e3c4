/* http -- the HTTP client: one request, blocking, with deadline, cancel and limits.
 *
 * The only user of libcurl, which is loaded on first use (docs/decisions/0007). No redirect is followed, no cookie kept,
 * no .netrc read; http and https only; a proxy of the environment is used for https alone (and never for loopback), so
 * that a plain request (and its key) meets nobody but its origin. TLS certificates are checked; SSL_CERT_FILE and
 * SSL_CERT_DIR of the environment say against what.
 *
 * A handle keeps its connections for the next request and serves one thread at a time. */
#ifndef AG_NET_HTTP_H
#define AG_NET_HTTP_H

#include "base/arena.h"
#include "base/err.h"
#include "run/ctx.h"

typedef struct ag_http ag_http;

typedef struct ag_http_header {
	ag_str name, value;
} ag_http_header;

/* 0 = none. The run's deadline (ctx) holds in any case and is never outlived. */
typedef struct ag_http_timeouts {
	int64_t connect_ms;    /* name, TCP and TLS */
	int64_t first_byte_ms; /* from the last byte of the request sent to the status line */
	int64_t idle_ms;       /* between two pieces of the body */
	int64_t total_ms;
} ag_http_timeouts;

typedef struct ag_http_request {
	ag_str method; /* "GET", "POST" */
	ag_str url;
	const ag_http_header *headers; /* values may be secret: in no message and no log */
	size_t nheader;
	ag_str body;
	ag_http_timeouts timeouts;
	size_t max_body_bytes; /* of the answer; 0 = 16 MB */
	ag_str wanted;         /* name of one more header of the answer to keep, "" = none */
	/* The body of a 2xx answer piece by piece, as it comes; NULL = collected in the response. Other answers are
	 * always collected. Anything but AG_OK ends the request with that error. */
	ag_status (*on_body)(void *arg, ag_str bytes, ag_err *err);
	void *arg;
} ag_http_request;

/* Filled as far as it went, also when the call fails: status 0 = no status line came (1xx do not count). */
typedef struct ag_http_response {
	int status;
	ag_str content_type; /* lower case, without parameters */
	/* Lower case; "" = none. None is ever asked for: a body that has one comes as it is. */
	ag_str content_encoding;
	ag_str retry_after; /* the header as it came; "" = none */
	ag_str request_id;  /* of x-request-id, request-id; "" = none */
	ag_str location;    /* of a redirect that was not followed */
	ag_str wanted;  /* the value of the header that the request wanted; "" = it is not there */
	ag_str body;    /* collected */
	uint64_t nbyte; /* of the body, as received */
	bool is_sent;   /* the request left whole: the server may work on it, whatever came back */
	int64_t first_byte_ms,
		total_ms; /* from the begin of the call; first byte: the status line */
} ag_http_response;

/* errors  AG_UNAVAILABLE when libcurl cannot be loaded */
AG_CHECK ag_status ag_http_new(ag_http **ret, ag_err *err);
ag_http *ag_http_free(ag_http *h); /* accepts NULL, returns NULL */

/* Any status is AG_OK here. Texts of ret in arena.
 * errors  AG_UNAVAILABLE (name, connection, TLS, cut off: the message names host and phase, native = CURLcode),
 *         AG_TIMEOUT (names which), AG_CANCELLED, AG_LIMIT (body), AG_PROTOCOL (not HTTP), AG_INVALID (address),
 *         or what on_body returned */
AG_CHECK ag_status ag_http_send(ag_http *h, const ag_ctx *ctx, const ag_http_request *r,
                                ag_arena *arena, ag_http_response *ret, ag_err *err);

/* Retry-After as milliseconds from now: seconds (with a fraction, as some servers send them) or an HTTP date in one of its
 * three forms (RFC 9110 section 10.2.3); false when it is neither. A date in the past is 0; a century is the most. */
bool ag_http_retry_after(ag_str value, int64_t wall_now_ms, int64_t *ret_ms);

#endif
