/* http_raw -- a client of bare sockets: what it sends is what the test wrote, byte by byte.
 *
 * Included by tests of servers. No assertion here: threads other than cmocka's use it. */
#ifndef AG_TESTS_HTTP_RAW_H
#define AG_TESTS_HTTP_RAW_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"

typedef struct raw_conn {
	int fd;
	bool is_closed; /* the server closed */
	size_t n, cap;
	char *buf; /* what came and was not taken, NUL-terminated */
} raw_conn;

typedef struct raw_reply {
	int status;
	char head[8192];
	char *body; /* NUL-terminated */
	size_t nbody;
} raw_reply;

AG_UNUSED static int64_t raw_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

AG_UNUSED static bool raw_open(raw_conn *c, unsigned port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	memset(c, 0, sizeof(*c));
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	c->buf = (char *)ag_xcalloc(1, 1);
	return c->fd >= 0 && connect(c->fd, (struct sockaddr *)&a, sizeof(a)) == 0;
}

AG_UNUSED static void raw_close(raw_conn *c)
{
	if (c->fd >= 0)
		close(c->fd);
	free(c->buf);
	memset(c, 0, sizeof(*c));
	c->fd = -1;
}

/* With a reset instead of an end. */
AG_UNUSED static void raw_abort(raw_conn *c)
{
	struct linger now = { 1, 0 };

	setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	raw_close(c);
}

AG_UNUSED static bool raw_sendn(raw_conn *c, const char *bytes, size_t n)
{
	while (n) {
		ssize_t put = send(c->fd, bytes, n, MSG_NOSIGNAL);

		if (put <= 0)
			return false;
		bytes += put;
		n -= (size_t)put;
	}
	return true;
}

AG_UNUSED static bool raw_send(raw_conn *c, const char *text)
{
	return raw_sendn(c, text, strlen(text));
}

/* More bytes into the buffer; false: none in time, or the end. */
AG_UNUSED static bool raw_more(raw_conn *c, int64_t end_ms)
{
	struct pollfd p = { .fd = c->fd, .events = POLLIN };
	char bytes[16384];
	int64_t left = end_ms - raw_now_ms();
	ssize_t got;

	if (left < 0 || poll(&p, 1, (int)left) <= 0)
		return false;
	got = recv(c->fd, bytes, sizeof(bytes), 0);
	if (got <= 0) {
		c->is_closed = true;
		return false;
	}
	if (c->n + (size_t)got + 1 > c->cap) {
		c->cap = 2 * (c->n + (size_t)got + 1);
		c->buf = (char *)ag_xrealloc(c->buf, c->cap);
	}
	memcpy(c->buf + c->n, bytes, (size_t)got);
	c->n += (size_t)got;
	c->buf[c->n] = '\0';
	return true;
}

AG_UNUSED static void raw_take(raw_conn *c, size_t n)
{
	memmove(c->buf, c->buf + n, c->n - n + 1);
	c->n -= n;
}

/* Waits until that text has come (it stays in the buffer). */
AG_UNUSED static bool raw_wait(raw_conn *c, const char *text, int ms)
{
	int64_t end = raw_now_ms() + ms;

	while (!memmem(c->buf, c->n, text, strlen(text)))
		if (!raw_more(c, end))
			return false;
	return true;
}

AG_UNUSED static bool raw_wait_end(raw_conn *c, int ms)
{
	int64_t end = raw_now_ms() + ms;

	while (raw_more(c, end))
		continue;
	return c->is_closed;
}

/* "value" of a header of the reply, in static memory of the thread; NULL = there is none. */
AG_UNUSED static const char *raw_header(const raw_reply *r, const char *name)
{
	static _Thread_local char value[4096];
	size_t n = strlen(name);

	for (const char *line = strstr(r->head, "\r\n"); line; line = strstr(line + 2, "\r\n"))
		if (strncasecmp(line + 2, name, n) == 0 && line[2 + n] == ':') {
			const char *v = line + 3 + n;

			v += strspn(v, " ");
			snprintf(value, sizeof(value), "%.*s", (int)strcspn(v, "\r\n"), v);
			return value;
		}
	return NULL;
}

/* Pieces of a chunked body become the body. *used: bytes of the coded form so far, *nout: of the body. False: not all there yet;
 * it goes on from there when there is more. */
AG_UNUSED static bool raw_dechunk(const char *in, size_t nin, char *out, size_t *nout, size_t *used)
{
	for (;;) {
		const char *at = in + *used;
		const char *eol = (const char *)memmem(at, nin - *used, "\r\n", 2);
		char digits[20];
		size_t n, line;

		if (!eol)
			return false;
		line = (size_t)(eol - at) + 2;
		snprintf(digits, sizeof(digits), "%.*s", (int)(line < 18 ? line : 18), at);
		n = strtoul(digits, NULL, 16);
		if (nin - *used - line < n + 2)
			return false;
		memcpy(out + *nout, at + line, n);
		*nout += n;
		*used += line + n + 2;
		if (n == 0)
			return true;
	}
}

/* One whole reply. */
AG_UNUSED static bool raw_read_as(raw_conn *c, raw_reply *r, bool is_head, int ms)
{
	int64_t end = raw_now_ms() + ms;
	size_t nhead, used = 0, want;
	const char *length, *coding;

	free(r->body);
	memset(r, 0, sizeof(*r));
	while (!strstr(c->buf, "\r\n\r\n"))
		if (!raw_more(c, end))
			return false;
	nhead = (size_t)(strstr(c->buf, "\r\n\r\n") - c->buf) + 4;
	snprintf(r->head, sizeof(r->head), "%.*s", (int)nhead, c->buf);
	r->status = (int)strtol(c->buf + 9, NULL, 10);
	raw_take(c, nhead);
	coding = raw_header(r, "Transfer-Encoding");
	if (coding && !is_head) {
		for (size_t cap = 0;;) {
			if (cap < c->n + 1) {
				cap = 2 * (c->n + 1);
				r->body = (char *)ag_xrealloc(r->body, cap);
			}
			if (raw_dechunk(c->buf, c->n, r->body, &r->nbody, &used))
				break;
			if (!raw_more(c, end))
				return false;
		}
	} else {
		length = raw_header(r, "Content-Length");
		want = length && !is_head ? strtoul(length, NULL, 10) : 0;
		while (c->n < want)
			if (!raw_more(c, end))
				return false;
		r->body = (char *)ag_xmalloc(want + 1);
		memcpy(r->body, c->buf, want);
		r->nbody = used = want;
	}
	r->body[r->nbody] = '\0';
	raw_take(c, used);
	return true;
}

AG_UNUSED static bool raw_read(raw_conn *c, raw_reply *r, int ms)
{
	return raw_read_as(c, r, false, ms);
}

/* Sends `text` on a connection of its own and reads the reply. */
AG_UNUSED static bool raw_once(unsigned port, const char *text, raw_reply *r)
{
	raw_conn c;
	bool ok = raw_open(&c, port) && raw_send(&c, text) && raw_read(&c, r, 5000);

	raw_close(&c);
	return ok;
}

#endif
