/* http_answer -- what comes back, as libcurl hands it over: header lines, then pieces of the body.
 *
 * Each callback may end the request: it fills x->err, sets x->status, and libcurl closes the connection. A callback looks
 * at cancel and deadline as well: between two looks of the loop in http.c a fast server and a slow reader of its
 * answer could spend seconds. */
#include "base/fault.h"
#include "net/http_exchange.h"

/* All header lines of an answer, trailers and interim answers included; real ones stay below 16 KB. */
#define MAX_HEAD_BYTES (256u << 10)
/* Of a header that is kept; a longer one is as good as none. */
#define MAX_VALUE_BYTES 4096

int ag_http_on_connected(void *arg, char *peer_ip, char *own_ip, int peer_port, int own_port)
{
	ag_http_exchange *x = arg;

	(void)peer_ip;
	(void)own_ip;
	(void)peer_port;
	(void)own_port;
	x->is_connected = true;
	x->sent_ms = ag_http_now(x);
	return CURL_PREREQFUNC_OK;
}

static ag_str lower(ag_arena *arena, ag_str s)
{
	char *p;

	if (s.len > MAX_VALUE_BYTES)
		return AG_S("");
	p = ag_str_cstr(arena, s);
	for (size_t i = 0; i < s.len; i++) {
		if (p[i] >= 'A' && p[i] <= 'Z')
			p[i] = (char)(p[i] - 'A' + 'a');
	}
	return ag_str_make(p, s.len);
}

static int status_of(ag_http_exchange *x)
{
	long status = 0;

	if (x->curl->easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status))
		return 0;
	return (int)status;
}

/* A status line. Interim answers (1xx) are none: a server that sends them still thinks. */
static void begin_head(ag_http_exchange *x)
{
	int status = status_of(x);

	if (status < 200)
		return;
	x->ret->status = status;
	x->ret->first_byte_ms = x->heard_ms - x->begin_ms;
}

static void keep_first(ag_http_exchange *x, ag_str *ret, ag_str value)
{
	if (!ret->len && value.len <= MAX_VALUE_BYTES)
		*ret = ag_str_dup(x->arena, value);
}

/* One line of the header of the answer; a blank one ends it. */
static void take_line(ag_http_exchange *x, ag_str line)
{
	ag_http_response *ret = x->ret;
	ag_str value = line, name = ag_str_split(&value, ':');

	x->is_head_done = !ag_str_trim(line).len;
	if (!value.ptr)
		return;
	value = ag_str_trim(value);
	if (ag_str_ieq(name, AG_S("content-type")))
		ret->content_type = lower(x->arena, ag_str_trim(ag_str_split(&value, ';')));
	else if (ag_str_ieq(name, AG_S("content-encoding")))
		ret->content_encoding = lower(x->arena, value);
	else if (ag_str_ieq(name, AG_S("retry-after")))
		keep_first(x, &ret->retry_after, value);
	else if (ag_str_ieq(name, AG_S("location")))
		keep_first(x, &ret->location, value);
	else if (ag_str_ieq(name, AG_S("x-request-id")) || ag_str_ieq(name, AG_S("request-id")))
		keep_first(x, &ret->request_id, value);
	else if (x->r->wanted.len && ag_str_ieq(name, x->r->wanted))
		keep_first(x, &ret->wanted, value);
}

size_t ag_http_on_header(char *bytes, size_t size, size_t n, void *arg)
{
	ag_http_exchange *x = arg;
	ag_str line = ag_str_make(bytes, size * n);

	x->heard_ms = ag_http_now(x);
	x->nhead += line.len;
	if (x->nhead > MAX_HEAD_BYTES) {
		x->status = ag_fail(x->err, AG_PROTOCOL, AG_HTTP_ORIGIN,
		                    "%.*s: the header of the answer is larger than %u KB",
		                    AG_FMT(x->peer), MAX_HEAD_BYTES >> 10);
		return 0;
	}
	if (x->is_head_done)
		return line.len; /* a trailer, behind the body */
	if (ag_str_starts(line, AG_S("HTTP/")))
		begin_head(x);
	else if (x->ret->status) /* else of an interim answer */
		take_line(x, line);
	return line.len;
}

/* Nothing of a piece that is too much is handed on. */
static ag_status take_piece(ag_http_exchange *x, ag_str piece)
{
	int status = x->ret->status;
	ag_status st = ag_ctx_check(x->ctx, x->err);

	if (st)
		return st;
	if (piece.len > x->max_body_bytes - x->ret->nbyte)
		return ag_fail(x->err, AG_LIMIT, AG_HTTP_ORIGIN,
		               "%.*s: the answer is larger than the limit of %zu bytes",
		               AG_FMT(x->peer), x->max_body_bytes);
	x->ret->nbyte += piece.len;
	if (x->r->on_body && status >= 200 && status <= 299)
		return x->r->on_body(x->r->arg, piece, x->err);
	ag_buf_add(&x->body, piece);
	return AG_OK;
}

size_t ag_http_on_body(char *bytes, size_t size, size_t n, void *arg)
{
	ag_http_exchange *x = arg;

	if (ag_fault("net.read"))
		x->status = ag_http_fail_curl(x, CURLE_RECV_ERROR);
	else
		x->status = take_piece(x, ag_str_make(bytes, size * n));
	/* Behind on_body: the time that the reader takes is not the server's. */
	x->heard_ms = ag_http_now(x);
	return x->status ? CURL_WRITEFUNC_ERROR : size * n;
}
