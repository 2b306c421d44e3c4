/* Time: the four time-outs, the run's deadline, cancel from another thread, in every phase of a request. Each waits on a
 * server that would take far longer, so that only giving up can end it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net_fixtures.h"

#define LONG_MS  20000 /* what a server would take */
#define LIMIT_MS 300
#define SLACK_MS 3000 /* of a busy machine under valgrind; far below LONG_MS */

/* --- a name service that hangs: a host of this name is looked up here, all others as ever */

static atomic_bool is_released;
static atomic_int nlookup;

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **ret)
{
	int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
	void *address = dlsym(RTLD_NEXT, "getaddrinfo");

	if (node && strcmp(node, "hanging.invalid") == 0) {
		atomic_fetch_add(&nlookup, 1);
		for (int i = 0; i < LONG_MS / 10 && !atomic_load(&is_released); i++)
			usleep(10000);
		atomic_fetch_sub(&nlookup, 1);
		return EAI_AGAIN;
	}
	memcpy(&real, &address, sizeof(real));
	return real(node, service, hints, ret);
}

/* --- servers */

/* Answers after a long time; "/head" and "/body" say how far it comes at once. */
static void serve_slowly(net_conn *c)
{
	if (strstr(c->head, "/head") || strstr(c->head, "/body"))
		net_sends(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n");
	if (strstr(c->head, "/body"))
		net_sends(c, "0123456789");
	net_wait(c, LONG_MS);
	c->close = true;
}

/* One byte now and then: never idle, never done. */
static void serve_drip(net_conn *c)
{
	net_sends(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
	for (int i = 0; i < LONG_MS / 50 && !c->close; i++) {
		net_sends(c, "1\r\nx\r\n");
		net_wait(c, 50);
	}
	c->close = true;
}

/* Interim answers for ever. */
static void serve_promises(net_conn *c)
{
	for (int i = 0; i < LONG_MS / 50 && !c->close; i++) {
		net_sends(c, "HTTP/1.1 100 Continue\r\n\r\n");
		net_wait(c, 50);
	}
	c->close = true;
}

/* A socket whose queue is full: a client that connects hears nothing. */
typedef struct full_queue {
	int fd, fillers[8];
	size_t nfiller;
	unsigned port;
} full_queue;

static void fill_queue(full_queue *q)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
		                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(addr);
	bool is_full = false;

	*q = (full_queue){ .fd = socket(AF_INET, SOCK_STREAM, 0) };
	assert_int_equal(bind(q->fd, (struct sockaddr *)&addr, len), 0);
	assert_int_equal(listen(q->fd, 0), 0);
	assert_int_equal(getsockname(q->fd, (struct sockaddr *)&addr, &len), 0);
	q->port = ntohs(addr.sin_port);
	while (!is_full && q->nfiller < AG_NELEM(q->fillers)) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		struct pollfd p = { .fd = fd, .events = POLLOUT };

		q->fillers[q->nfiller++] = fd;
		AG_IGNORE(connect(fd, (struct sockaddr *)&addr, len), "it is under way");
		is_full = poll(&p, 1, 200) == 0;
	}
	assert_true(is_full);
}

static void empty_queue(full_queue *q)
{
	for (size_t i = 0; i < q->nfiller; i++)
		close(q->fillers[i]);
	close(q->fd);
}

/* --- asking with a clock in the hand */

typedef struct ask {
	net_client client;
	ag_http_request request;
	int64_t took_ms;
} ask;

static void open_ask(ask *a, unsigned port, const char *path, ag_http_timeouts timeouts)
{
	*a = (ask){ 0 };
	net_client_open(&a->client);
	a->request = (ag_http_request){ .method = AG_S("POST"),
		                        .body = AG_S("{}"),
		                        .url = net_url(&a->client, port, path),
		                        .timeouts = timeouts };
}

static void close_ask(ask *a)
{
	net_client_close(&a->client);
}

static ag_status send_timed(ask *a, const ag_ctx *ctx)
{
	int64_t begin = net_now_ms();
	ag_status st = net_ask(&a->client, ctx, &a->request);

	a->took_ms = net_now_ms() - begin;
	return st;
}

/* It ended, with this in its message, after `ms` and not much later. */
static void assert_gave_up(ask *a, const ag_ctx *ctx, ag_status want, const char *why, int64_t ms)
{
	ag_status st = send_timed(a, ctx);

	if (st != want || !strstr(a->client.err.msg, why))
		fail_msg("%s \"%s\", want %s \"%s\"", ag_status_name(st), a->client.err.msg,
		         ag_status_name(want), why);
	if (a->took_ms < ms - 1 || a->took_ms > ms + SLACK_MS)
		fail_msg("\"%s\" came after %lld ms, want %lld", a->client.err.msg,
		         (long long)a->took_ms, (long long)ms);
}

/* The client has closed the connection that it gave up. */
static void assert_left(net_server *s, unsigned n)
{
	for (int i = 0; i < SLACK_MS / 10 && atomic_load(&s->nleft) < n; i++)
		usleep(10000);
	assert_int_equal(atomic_load(&s->nleft), n);
}

/* --- time-outs */

static void times_out_while_connecting(void **state)
{
	ag_http_timeouts connect = { .connect_ms = LIMIT_MS };
	ag_http_timeouts total = { .connect_ms = LONG_MS, .total_ms = LIMIT_MS };
	full_queue q;
	ask a;

	(void)state;
	fill_queue(&q);
	open_ask(&a, q.port, "/", connect);
	assert_gave_up(&a, NULL, AG_TIMEOUT, "no connection within 300 ms (connect time-out)",
	               LIMIT_MS);
	assert_int_equal(a.client.res.status, 0);
	close_ask(&a);
	open_ask(&a, q.port, "/", total);
	assert_gave_up(&a, NULL, AG_TIMEOUT, "within 300 ms (total time-out)", LIMIT_MS);
	close_ask(&a);
	empty_queue(&q);
}

static void times_out_while_a_name_is_looked_up(void **state)
{
	ag_http_timeouts connect = { .connect_ms = LIMIT_MS };
	ask a;

	(void)state;
	atomic_store(&is_released, false);
	open_ask(&a, 1, "/", connect);
	a.request.url = AG_S("http://hanging.invalid/");
	assert_gave_up(&a, NULL, AG_TIMEOUT, "(connect time-out)", LIMIT_MS);
	assert_int_equal(atomic_load(&nlookup), 1);
	close_ask(&a); /* does not wait for it either */
	assert_int_equal(atomic_load(&nlookup), 1);
	atomic_store(&is_released, true);
	for (int i = 0; i < SLACK_MS / 10 && atomic_load(&nlookup); i++)
		usleep(10000);
	assert_int_equal(atomic_load(&nlookup), 0);
	usleep(50000); /* and its thread ends */
}

static void times_out_while_waiting(void **state)
{
	ag_http_timeouts first = { 9000, LIMIT_MS, 9000, 9000 };
	ag_http_timeouts idle = { 9000, 9000, LIMIT_MS, 9000 };
	ag_http_timeouts total = { 9000, 9000, 9000, LIMIT_MS };
	net_server *s = net_start(serve_slowly, NULL);
	ask a;

	(void)state;
	open_ask(&a, s->port, "/", first);
	assert_gave_up(&a, NULL, AG_TIMEOUT, "no answer within 300 ms (first byte time-out)",
	               LIMIT_MS);
	assert_int_equal(a.client.err.native, 28);
	assert_left(s, 1);
	close_ask(&a);
	open_ask(&a, s->port, "/head", idle);
	assert_gave_up(
		&a, NULL, AG_TIMEOUT,
		"nothing more came within 300 ms, after 0 bytes of the answer (idle time-out)",
		LIMIT_MS);
	assert_int_equal(a.client.res.status, 200);
	close_ask(&a);
	open_ask(&a, s->port, "/body", idle);
	assert_gave_up(&a, NULL, AG_TIMEOUT, "after 10 bytes of the answer (idle time-out)",
	               LIMIT_MS);
	assert_true(ag_str_eqc(a.client.res.body, "0123456789"));
	close_ask(&a);
	open_ask(&a, s->port, "/", total);
	assert_gave_up(&a, NULL, AG_TIMEOUT, "did not end within 300 ms (total time-out)",
	               LIMIT_MS);
	close_ask(&a);
	open_ask(&a, s->port, "/body", total);
	assert_gave_up(&a, NULL, AG_TIMEOUT, "(total time-out)", LIMIT_MS);
	close_ask(&a);
	net_stop(s);
}

static void drips_end_by_the_total_time(void **state)
{
	ag_http_timeouts t = { 9000, 9000, 2000, LIMIT_MS };
	net_server *drip = net_start(serve_drip, NULL);
	net_server *promises = net_start(serve_promises, NULL);
	ask a;

	(void)state;
	open_ask(&a, drip->port, "/", t);
	assert_gave_up(&a, NULL, AG_TIMEOUT, "(total time-out)", LIMIT_MS);
	assert_true(a.client.res.nbyte > 0);
	close_ask(&a);
	open_ask(&a, promises->port, "/", t);
	assert_gave_up(&a, NULL, AG_TIMEOUT, "(total time-out)", LIMIT_MS);
	assert_int_equal(a.client.res.status, 0);
	close_ask(&a);
	/* An interim answer is none: it neither ends the waiting for the first byte nor puts it off. */
	open_ask(&a, promises->port, "/", (ag_http_timeouts){ 9000, LIMIT_MS, 20, 9000 });
	assert_gave_up(&a, NULL, AG_TIMEOUT, "(first byte time-out)", LIMIT_MS);
	close_ask(&a);
	net_stop(drip);
	net_stop(promises);
}

/* --- what is no time-out */

/* The second piece comes a little after a reader that takes 4 * LIMIT_MS for the first is done with it. */
static void serve_two_pieces(net_conn *c)
{
	net_sends(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst");
	net_wait(c, 4 * LIMIT_MS + LIMIT_MS / 3);
	net_sends(c, "later");
}

static ag_status read_slowly(void *arg, ag_str bytes, ag_err *err)
{
	(void)bytes;
	(void)err;
	++*(int *)arg;
	usleep(4 * LIMIT_MS * 1000);
	return AG_OK;
}

/* The time that the reader of an answer takes is not the server's. */
static void a_slow_reader_is_not_idle(void **state)
{
	ag_http_timeouts idle = { .idle_ms = 2 * LIMIT_MS, .first_byte_ms = 9000 };
	net_server *s = net_start(serve_two_pieces, NULL);
	int n = 0;
	ask a;

	(void)state;
	open_ask(&a, s->port, "/", idle);
	a.request.on_body = read_slowly;
	a.request.arg = &n;
	assert_int_equal(send_timed(&a, NULL), AG_OK);
	assert_int_equal(n, 2);
	close_ask(&a);
	net_stop(s);
}

/* --- the run: deadline and cancel */

static void keeps_the_deadline(void **state)
{
	static const char *const paths[] = { "/", "/head", "/body" };
	net_server *s = net_start(serve_slowly, NULL);
	ag_ctx ctx = { .clock = &ag_clock_system };
	ask a;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(paths); i++) {
		open_ask(&a, s->port, paths[i], (ag_http_timeouts){ 0 });
		ctx.deadline_ms = net_now_ms() + LIMIT_MS;
		assert_gave_up(&a, &ctx, AG_TIMEOUT, "time limit", LIMIT_MS - 20);
		assert_true(a.client.res.is_sent);
		/* And nothing begins behind it. */
		assert_gave_up(&a, &ctx, AG_TIMEOUT, "time limit", 0);
		assert_false(a.client.res.is_sent);
		close_ask(&a);
	}
	assert_int_equal(atomic_load(&s->nconn), AG_NELEM(paths));
	assert_left(s, AG_NELEM(paths));
	net_stop(s);
}

static void *cancel_later(void *arg)
{
	usleep(LIMIT_MS * 1000);
	atomic_store((atomic_bool *)arg, true);
	return NULL;
}

static void assert_cancels(ask *a)
{
	atomic_bool cancel = false;
	ag_ctx ctx = { .clock = &ag_clock_system, .cancel = &cancel };
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, cancel_later, &cancel), 0);
	assert_gave_up(a, &ctx, AG_CANCELLED, "cancelled", LIMIT_MS - 20);
	pthread_join(thread, NULL);
	assert_gave_up(a, &ctx, AG_CANCELLED, "cancelled", 0);
	close_ask(a);
}

static void can_be_cancelled_in_every_phase(void **state)
{
	static const char *const paths[] = { "/", "/head", "/body" };
	ag_http_timeouts none = { 0 };
	net_server *s = net_start(serve_slowly, NULL);
	net_server *drip = net_start(serve_drip, NULL);
	full_queue q;
	ask a;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(paths); i++) {
		open_ask(&a, s->port, paths[i], none);
		assert_cancels(&a);
	}
	assert_left(s, AG_NELEM(paths));
	open_ask(&a, drip->port, "/", none);
	assert_cancels(&a);
	fill_queue(&q);
	open_ask(&a, q.port, "/", none);
	assert_cancels(&a);
	empty_queue(&q);
	atomic_store(&is_released, false);
	open_ask(&a, 1, "/", none);
	a.request.url = AG_S("http://hanging.invalid/");
	assert_cancels(&a);
	atomic_store(&is_released, true);
	for (int i = 0; i < SLACK_MS / 10 && atomic_load(&nlookup); i++)
		usleep(10000);
	usleep(50000);
	net_stop(s);
	net_stop(drip);
}

/* A large request to a server that does not read it: neither hangs nor counts as waiting for an answer before it is out. */
static void a_request_nobody_reads_ends(void **state)
{
	ag_http_timeouts first = { .first_byte_ms = LIMIT_MS };
	net_server *s = net_start(NULL, NULL);
	size_t n = 32u << 20;
	char *body = ag_xcalloc(1, n);
	ask a;

	(void)state;
	open_ask(&a, s->port, "/", first);
	a.request.body = ag_str_make(body, n);
	assert_gave_up(&a, NULL, AG_TIMEOUT, "(first byte time-out)", LIMIT_MS);
	assert_cancels(&(ask){ .client = a.client,
	                       .request = { .method = AG_S("POST"),
	                                    .url = a.request.url,
	                                    .body = a.request.body } });
	free(body);
	net_stop(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_out_while_connecting),
		cmocka_unit_test(times_out_while_a_name_is_looked_up),
		cmocka_unit_test(times_out_while_waiting),
		cmocka_unit_test(drips_end_by_the_total_time),
		cmocka_unit_test(a_slow_reader_is_not_idle),
		cmocka_unit_test(keeps_the_deadline),
		cmocka_unit_test(can_be_cancelled_in_every_phase),
		cmocka_unit_test(a_request_nobody_reads_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
