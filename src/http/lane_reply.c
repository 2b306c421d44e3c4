/* Replies of the lane: a head and a body in one packet, or a stream in chunks (RFC 9112). */
#include "http/lane_reply.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#define HEAD_BYTES (16u * 1024)

void ag_lane_writer_init(ag_lane_writer *w)
{
	*w = (ag_lane_writer){ 0 };
	ag_buf_init(&w->head, HEAD_BYTES);
}

static bool send_all(int fd, struct iovec *parts, size_t n)
{
	while (n) {
		struct msghdr m = { .msg_iov = parts, .msg_iovlen = n };
		struct pollfd p = { .fd = fd, .events = POLLOUT };
		ssize_t done = sendmsg(fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (done < 0 && errno == EAGAIN)
			done = poll(&p, 1, -1) < 0 && errno != EINTR ? -1
			                                             : 0; /* the guard ends it */
		else if (done < 0 && errno == EINTR)
			done = 0;
		if (done < 0)
			return false;
		for (; n && (size_t)done >= parts->iov_len; n--, parts++)
			done -= (ssize_t)parts->iov_len;
		if (n) {
			parts->iov_base = (char *)parts->iov_base + done;
			parts->iov_len -= (size_t)done;
		}
	}
	return true;
}

/* RFC 9110, section 5.6.7; made once a second. */
static ag_str date_now(ag_lane_writer *w)
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
static bool write_head(ag_lane_writer *w, const ag_httpd_reply *rp, ag_str framing)
{
	ag_buf *out = &w->head;
	bool ok = true;

	ag_buf_clear(out);
	if (rp->status == 200)
		ag_buf_add(out, AG_S("HTTP/1.1 200 OK\r\n"));
	else
		ag_buf_addf(out, "HTTP/1.1 %d %s\r\n", rp->status, ag_httpd_reason(rp->status));
	ok = add_header(out, AG_S("Date"), date_now(w));
	if (rp->content_type.len)
		ok = ok && add_header(out, AG_S("Content-Type"), rp->content_type);
	for (size_t i = 0; i < rp->nheader && ok; i++)
		ok = add_header(out, rp->headers[i].name, rp->headers[i].value);
	ag_buf_add(out, framing);
	ag_buf_add(out, AG_S("\r\n"));
	return ok && !out->failed;
}

static bool send_stream(ag_lane_writer *w, ag_httpd_conn *c)
{
	ag_httpd_stream *s = ag_httpd_stream_attach(c, &c->rp);
	char bytes[AG_HTTPD_CHUNK], size[16], line_end[] = "\r\n", end[] = "0\r\n\r\n";
	const int fd = c->fd;
	ssize_t n = -1;
	bool ok;

	if (!s)
		return false;
	ok = write_head(w, &c->rp, AG_S("Transfer-Encoding: chunked\r\n"));
	ok = ok && send_all(fd, &(struct iovec){ w->head.ptr, w->head.len }, 1);
	while (ok && (n = ag_httpd_stream_read(s, bytes, sizeof(bytes))) > 0) {
		struct iovec parts[] = {
			{ size, (size_t)snprintf(size, sizeof(size), "%zx\r\n", (size_t)n) },
			{ bytes, (size_t)n },
			{ line_end, 2 },
		};

		ok = send_all(fd, parts, AG_NELEM(parts));
	}
	ok = ok && n == 0 && send_all(fd, &(struct iovec){ end, sizeof(end) - 1 }, 1);
	ag_httpd_stream_detach(s);
	return ok;
}

bool ag_lane_reply(ag_lane_writer *w, ag_httpd_conn *c)
{
	ag_httpd_reply *rp = &c->rp;
	char text[48];
	struct iovec parts[2];
	int n = 0;

	if (rp->stream)
		return send_stream(w, c);
	if (rp->body.failed)
		ag_httpd_error(rp, 500, "reply_too_large", "the reply became too large");
	ag_httpd_expect_sent(c, rp->body.len);
	if (rp->status != 204)
		n = snprintf(text, sizeof(text), "Content-Length: %zu\r\n", rp->body.len);
	if (!write_head(w, rp, ag_str_make(text, (size_t)n)))
		return false;
	parts[0] = (struct iovec){ w->head.ptr, w->head.len };
	parts[1] = (struct iovec){ rp->body.ptr, rp->status == 204 ? 0 : rp->body.len };
	return send_all(c->fd, parts, parts[1].iov_len ? 2 : 1);
}
