/* Replies: a head and a body in one packet, or the head of a stream (RFC 9112). Nothing waits here: what the socket does not
 * take is kept with the connection. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "http/parts.h"

#define HEAD_BYTES (16u * 1024)

void ag_http_writer_init(ag_http_writer *w)
{
	*w = (ag_http_writer){ 0 };
	ag_buf_init(&w->head, HEAD_BYTES);
}

void ag_http_writer_release(ag_http_writer *w)
{
	ag_buf_release(&w->head);
}

/* --- the head --- */

/* RFC 9110, section 5.6.7; made once a second. */
static ag_str date_now(ag_http_writer *w)
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	const time_t now = (time_t)(ag_clock_wall(&ag_clock_system) / 1000);
	struct tm t;

	if (now != w->date_s && gmtime_r(&now, &t)) {
		snprintf(w->date, sizeof(w->date), "%.3s, %02u %.3s %04u %02u:%02u:%02u GMT",
		         days + 3 * t.tm_wday, (unsigned)t.tm_mday % 100, months + 3 * t.tm_mon,
		         (unsigned)(t.tm_year + 1900) % 10000, (unsigned)t.tm_hour % 100,
		         (unsigned)t.tm_min % 100, (unsigned)t.tm_sec % 100);
		w->date_s = now;
	}
	return ag_str_c(w->date);
}

/* False: it would end the header, and begin another. */
static bool add_header(ag_buf *out, ag_str name, ag_str value)
{
	for (size_t i = 0; i < value.len; i++)
		if (value.ptr[i] == '\r' || value.ptr[i] == '\n' || value.ptr[i] == '\0')
			return false;
	ag_buf_add(out, name);
	ag_buf_add(out, AG_S(": "));
	ag_buf_add(out, value);
	ag_buf_add(out, AG_S("\r\n"));
	return true;
}

/* framing: the lines that say where the body ends. */
static bool write_head(ag_http_writer *w, const ag_http_turn *t, ag_str framing)
{
	const ag_httpd_reply *rp = &t->rp;
	ag_buf *out = &w->head;
	bool ok;

	ag_buf_clear(out);
	if (rp->status == 200)
		ag_buf_add(out, AG_S("HTTP/1.1 200 OK\r\n"));
	else
		ag_buf_addf(out, "HTTP/1.1 %d %s\r\n", rp->status, ag_httpd_reason(rp->status));
	ok = add_header(out, AG_S("Date"), date_now(w));
	if (rp->content_type.len)
		ok = ok && add_header(out, AG_S("Content-Type"), rp->content_type);
	if (rp->retry_after_s)
		ag_buf_addf(out, "Retry-After: %u\r\n", rp->retry_after_s);
	for (size_t i = 0; i < rp->nheader && ok; i++)
		ok = add_header(out, rp->headers[i].name, rp->headers[i].value);
	ag_buf_add(out, framing);
	if (t->conn->closes)
		ag_buf_add(out, AG_S("Connection: close\r\n"));
	else if (t->reader.is_old)
		ag_buf_add(out, AG_S("Connection: keep-alive\r\n"));
	ag_buf_add(out, AG_S("\r\n"));
	return ok && !out->failed;
}

/* --- sending --- */

void ag_http_out_free(ag_http_out *out)
{
	if (!out)
		return;
	ag_buf_release(&out->head);
	ag_buf_release(&out->own);
	if (out->done)
		out->done(out->done_arg);
	free(out);
}

/* Sends what is left of head and body after *nsent bytes. */
static ag_http_sent send_rest(int fd, ag_str head, ag_str body, size_t *nsent)
{
	while (*nsent < head.len + body.len) {
		const size_t nhead = *nsent < head.len ? *nsent : head.len;
		const size_t nbody = *nsent - nhead;
		struct iovec parts[] = {
			{ (void *)(uintptr_t)(head.ptr + nhead), head.len - nhead },
			{ (void *)(uintptr_t)(body.ptr + nbody), body.len - nbody },
		};
		const bool has_head = head.len > nhead;
		struct msghdr m = { .msg_iov = parts + !has_head,
			            .msg_iovlen = (size_t)has_head + (body.len > nbody) };
		ssize_t n = sendmsg(fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0)
			*nsent += (size_t)n;
		else if (errno == EAGAIN)
			return AG_HTTP_BLOCKED;
		else if (errno != EINTR)
			return AG_HTTP_BROKEN;
	}
	return AG_HTTP_SENT;
}

ag_http_sent ag_http_reply_go_on(ag_http_conn *c)
{
	ag_http_out *out = c->out;
	ag_http_sent sent;

	if (!out) /* the reply is out; the next request waits */
		return AG_HTTP_SENT;
	sent = send_rest(c->fd, ag_buf_view(&out->head), out->body, &out->nsent);
	if (sent != AG_HTTP_BLOCKED) {
		ag_http_out_free(out);
		c->out = NULL;
	}
	return sent;
}

/* The body is the connection's from now on. */
static void keep_rest(ag_http_turn *t, ag_str head, ag_str body, size_t nsent)
{
	ag_http_out *out = (ag_http_out *)ag_xcalloc(1, sizeof(*out));

	ag_buf_init(&out->head, HEAD_BYTES);
	ag_buf_add(&out->head, head);
	out->body = body;
	out->own = t->rp.body;
	t->rp.body = (ag_buf)AG_BUF_INIT(0);
	out->done = t->rp.done;
	out->done_arg = t->rp.done_arg;
	t->rp.done = NULL;
	out->nsent = nsent;
	t->conn->out = out;
}

static ag_http_sent send_stream(ag_http_writer *w, ag_http_turn *t, ag_str rest)
{
	ag_http_conn *c = t->conn;
	ag_httpd_stream *s = t->rp.stream;
	const bool is_head = ag_str_eq(t->rq.method, AG_S("HEAD"));
	const bool is_chunked = !t->reader.is_old;

	ag_http_turn_served(t, 0);
	t->rp.stream = NULL;
	t->rp.content_type = AG_S("text/event-stream");
	ag_httpd_add_header(&t->rp, "Cache-Control", AG_S("no-cache, no-transform"));
	ag_httpd_add_header(&t->rp, "X-Accel-Buffering", AG_S("no"));
	if (!is_chunked)
		c->closes = true; /* its end is that of the connection */
	if (!write_head(w, t, is_chunked ? AG_S("Transfer-Encoding: chunked\r\n") : AG_S("")))
		ag_buf_clear(&w->head);
	ag_http_stream_attach(s, t, ag_buf_view(&w->head), is_chunked);
	if (w->head.len == 0)
		return AG_HTTP_BROKEN;
	if (is_head) {
		size_t nsent = 0;

		ag_http_stream_detach(c, false);
		return send_rest(c->fd, ag_buf_view(&w->head), AG_S(""), &nsent) == AG_HTTP_SENT
		               ? AG_HTTP_SENT
		               : AG_HTTP_BROKEN;
	}
	if (rest.len)
		ag_buf_add(&c->rest, rest);
	return ag_http_stream_send(c, false);
}

ag_http_sent ag_http_reply(ag_http_turn *t, ag_str rest)
{
	ag_http_writer *w = &t->writer;
	ag_httpd_reply *rp = &t->rp;
	bool has_body;
	ag_http_sent sent;
	char text[48];
	size_t nsent = 0;
	ag_str body;
	int n = 0;

	if (atomic_load_explicit(&t->daemon->is_stopping, memory_order_relaxed))
		t->conn->closes = true;
	if (rp->stream)
		return send_stream(w, t, rest);
	if (rp->body.failed)
		ag_httpd_error(rp, 500, "reply_too_large", "the reply became too large");
	body = rp->borrowed.ptr ? rp->borrowed : ag_buf_view(&rp->body);
	if (rp->etag.len || rp->allows_ranges)
		ag_http_content(t, &body);
	has_body = rp->status != 204 && rp->status != 304;
	if (has_body)
		n = snprintf(text, sizeof(text), "Content-Length: %zu\r\n", body.len);
	if (!has_body || ag_str_eq(t->rq.method, AG_S("HEAD")))
		body = AG_S("");
	if (!write_head(w, t, ag_str_make(text, (size_t)n))) {
		ag_http_turn_served(t, 0);
		return AG_HTTP_BROKEN;
	}
	sent = send_rest(t->conn->fd, ag_buf_view(&w->head), body, &nsent);
	ag_http_turn_served(t, body.len);
	if (sent == AG_HTTP_BLOCKED)
		keep_rest(t, ag_buf_view(&w->head), body, nsent);
	return sent;
}
