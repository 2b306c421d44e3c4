/* http_exchange -- one request under way: what http.c, http_answer.c and http_error.c share. Private to net/. */
#ifndef AG_NET_HTTP_EXCHANGE_H
#define AG_NET_HTTP_EXCHANGE_H

#include "net/curl_load.h"
#include "net/http.h"
#include "net/url.h"

#define AG_HTTP_ORIGIN "net.http"

typedef struct ag_http_exchange {
	const ag_curl *curl;
	CURL *easy;
	const char *errbuf; /* libcurl's own words */
	const ag_ctx *ctx;
	const ag_clock *clock;
	const ag_http_request *r;
	ag_arena *arena;
	ag_http_response *ret;
	ag_err *err; /* never NULL */
	ag_url url;
	ag_str peer;      /* "api.example.com:443": how messages name the other side */
	ag_status status; /* a callback ended the request; err is filled */

	/* Moments of the monotonic clock; begin is 0 ms of the response. */
	int64_t begin_ms, sent_ms, heard_ms;
	bool is_connected, is_head_done;
	curl_off_t nsent; /* bytes of the body of the request */
	size_t nhead;     /* bytes of all headers that came */
	ag_buf body;
	size_t max_body_bytes;
} ag_http_exchange;

/* Callbacks of libcurl; the last argument is the exchange. */
int ag_http_on_connected(void *arg, char *peer_ip, char *own_ip, int peer_port, int own_port);
size_t ag_http_on_header(char *bytes, size_t size, size_t n, void *arg);
size_t ag_http_on_body(char *bytes, size_t size, size_t n, void *arg);

static inline int64_t ag_http_now(const ag_http_exchange *x)
{
	return ag_clock_mono(x->clock);
}

/* Fill x->err. */
ag_status ag_http_fail_curl(ag_http_exchange *x, CURLcode code);
ag_status ag_http_fail_header_cut(ag_http_exchange *x);
/* "total", ... and what there was to wait for. */
ag_status ag_http_fail_timeout(ag_http_exchange *x, const char *what, const char *name,
                               int64_t limit_ms);

#endif
