/* The server and client of the network tests; see net_fixtures.h. */
#include "net_fixtures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_HEAD_BYTES 65536

int64_t net_now_ms(void)
{
	return ag_clock_mono(&ag_clock_system);
}

/* --- reading a request */

/* One byte at a time up to the blank line: slow, and never reads into the next request. */
static bool read_head(net_conn *c)
{
	size_t n = 0;

	while (n < MAX_HEAD_BYTES - 1) {
		if (recv(c->fd, c->head + n, 1, 0) != 1)
			return false;
		c->head[++n] = '\0';
		if (n >= 4 && memcmp(c->head + n - 4, "\r\n\r\n", 4) == 0)
			return true;
	}
	return false;
}

const char *net_header(const net_conn *c, const char *name)
{
	static _Thread_local char value[1024];
	size_t n = strlen(name);
	const char *p = c->head;

	while ((p = strstr(p, "\r\n")) && p[2]) {
		p += 2;
		if (ag_str_ieq(ag_str_make(p, strnlen(p, n)), ag_str_make(name, n)) &&
		    p[n] == ':') {
			p += n + 1;
			p += strspn(p, " ");
			snprintf(value, sizeof(value), "%.*s", (int)strcspn(p, "\r"), p);
			return value;
		}
	}
	return NULL;
}

static bool read_request(net_conn *c)
{
	const char *length;
	size_t got = 0;

	free(c->body);
	c->body = NULL;
	c->nbody = 0;
	if (!read_head(c))
		return false;
	length = net_header(c, "Content-Length");
	c->nbody = length ? strtoul(length, NULL, 10) : 0;
	c->body = calloc(1, c->nbody + 1);
	while (got < c->nbody) {
		ssize_t n = recv(c->fd, c->body + got, c->nbody - got, 0);

		if (n <= 0)
			return false;
		got += (size_t)n;
	}
	atomic_fetch_add(&c->server->nrequest, 1);
	return true;
}

/* --- answering */

bool net_send(net_conn *c, ag_str bytes)
{
	while (bytes.len) {
		ssize_t n = send(c->fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes.ptr += n;
		bytes.len -= (size_t)n;
	}
	return true;
}

bool net_sends(net_conn *c, const char *text)
{
	return net_send(c, ag_str_c(text));
}

void net_wait(net_conn *c, int ms)
{
	int64_t until = net_now_ms() + ms;

	while (!atomic_load(&c->server->stop) && net_now_ms() < until) {
		struct pollfd p = { .fd = c->fd, .events = POLLRDHUP };
		int64_t left = until - net_now_ms();

		if (poll(&p, 1, left < 50 ? (int)left : 50) > 0) {
			atomic_fetch_add(&c->server->nleft, 1);
			c->close = true;
			return;
		}
	}
}

void net_reset(net_conn *c)
{
	struct linger hard = { .l_onoff = 1, .l_linger = 0 };

	setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	c->close = true;
}

void net_answer(net_conn *c, const char *status, const char *headers, ag_str body)
{
	char head[4096];

	snprintf(head, sizeof(head), "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n", status,
	         headers, body.len);
	if (!net_sends(c, head) || !net_send(c, body))
		c->close = true;
}

/* --- the server */

static void *serve_connection(void *arg)
{
	net_conn *c = arg;
	net_server *s = c->server;

	c->head = calloc(1, MAX_HEAD_BYTES);
	if (!s->serve)
		net_wait(c, 1 << 30);
	else if (s->is_raw)
		s->serve(c);
	while (s->serve && !s->is_raw && !c->close && !atomic_load(&s->stop) && read_request(c))
		s->serve(c);
	pthread_mutex_lock(&s->lock);
	s->fds[c->number - 1] = -1;
	close(c->fd);
	pthread_mutex_unlock(&s->lock);
	free(c->head);
	free(c->body);
	free(c);
	return NULL;
}

static void *accept_connections(void *arg)
{
	net_server *s = arg;

	while (!atomic_load(&s->stop)) {
		int fd = accept(s->fd, NULL, NULL);
		unsigned n = atomic_load(&s->nconn);
		net_conn *c;

		if (fd < 0)
			continue;
		/* Else the second small piece of an answer waits 40 ms for the first to be acknowledged. */
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
		assert_true(n < NET_MAX_CONNECTIONS);
		c = calloc(1, sizeof(*c));
		*c = (net_conn){ .server = s, .fd = fd, .number = n + 1 };
		pthread_mutex_lock(&s->lock);
		s->fds[n] = fd;
		pthread_mutex_unlock(&s->lock);
		atomic_store(&s->nconn, n + 1); /* before a client can have its answer */
		assert_int_equal(pthread_create(&s->threads[n], NULL, serve_connection, c), 0);
	}
	return NULL;
}

static int bind_port(unsigned *ret_port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
		                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
	*ret_port = ntohs(addr.sin_port);
	return fd;
}

static net_server *start_server(net_serve_fn serve, void *arg, bool is_raw)
{
	net_server *s = calloc(1, sizeof(*s));

	s->serve = serve;
	s->arg = arg;
	s->is_raw = is_raw;
	pthread_mutex_init(&s->lock, NULL);
	s->fd = bind_port(&s->port);
	assert_int_equal(listen(s->fd, 1024), 0);
	assert_int_equal(pthread_create(&s->thread, NULL, accept_connections, s), 0);
	return s;
}

net_server *net_start(net_serve_fn serve, void *arg)
{
	return start_server(serve, arg, false);
}

net_server *net_start_raw(net_serve_fn serve, void *arg)
{
	return start_server(serve, arg, true);
}

void net_stop(net_server *s)
{
	if (!s)
		return;
	atomic_store(&s->stop, true);
	shutdown(s->fd, SHUT_RDWR);
	pthread_join(s->thread, NULL);
	pthread_mutex_lock(&s->lock);
	for (unsigned i = 0; i < atomic_load(&s->nconn); i++) {
		if (s->fds[i] >= 0)
			shutdown(s->fds[i], SHUT_RDWR);
	}
	pthread_mutex_unlock(&s->lock);
	for (unsigned i = 0; i < atomic_load(&s->nconn); i++)
		pthread_join(s->threads[i], NULL);
	close(s->fd);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

unsigned net_free_port(void)
{
	unsigned port;

	close(bind_port(&port));
	return port;
}

/* --- the client */

void net_client_open(net_client *c)
{
	*c = (net_client){ .arena = ag_arena_new() };
	if (ag_http_new(&c->http, &c->err))
		fail_msg("%s (%s)", c->err.msg, c->err.hint);
}

void net_client_close(net_client *c)
{
	c->http = ag_http_free(c->http);
	c->arena = ag_arena_free(c->arena);
}

ag_str net_url(net_client *c, unsigned port, const char *path)
{
	return ag_str_printf(c->arena, "http://127.0.0.1:%u%s", port, path);
}

ag_status net_ask(net_client *c, const ag_ctx *ctx, ag_http_request *r)
{
	ag_status st;

	c->err = (ag_err){ 0 };
	st = ag_http_send(c->http, ctx, r, c->arena, &c->res, &c->err);
	if (!st)
		return st;
	assert_int_equal(c->err.status, st);
	assert_true(c->err.msg[0] && c->err.origin[0]);
	if (strstr(c->err.msg, "secret") || strstr(c->err.hint, "secret"))
		fail_msg("a secret in \"%s\" (%s)", c->err.msg, c->err.hint);
	return st;
}

ag_status net_get(net_client *c, unsigned port, const char *path)
{
	static const ag_http_header headers[] = {
		{ AG_S_INIT("Authorization"), AG_S_INIT("Bearer " NET_SECRET) },
	};
	ag_http_request r = { .method = AG_S("GET"),
		              .url = net_url(c, port, path),
		              .headers = headers,
		              .nheader = 1 };

	return net_ask(c, NULL, &r);
}
