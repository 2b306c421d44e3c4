/* Replies that are put off: they go out later, from another thread, in order, and the request lives until then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "http/server.h"
#include "http_raw.h"

#define MAX_WAITING 64u

/* Puts "/later..." off until somebody settles; the rest is answered at once. */
typedef struct putter {
	ag_httpd *d;
	unsigned port;
	pthread_mutex_t lock;
	ag_httpd_request *waiting[MAX_WAITING];
	unsigned n;
	bool is_held; /* settling does nothing */
	atomic_uint nsettled;
} putter;

static void later(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	putter *p = arg;

	(void)rp;
	pthread_mutex_lock(&p->lock);
	assert_true(p->n < MAX_WAITING);
	p->waiting[p->n++] = rq;
	pthread_mutex_unlock(&p->lock);
}

static void at_once(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	(void)arg;
	(void)rp;
	ag_httpd_send(rq);
}

static void handle(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	rp->content_type = AG_S("text/plain");
	ag_buf_addf(&rp->body, "%.*s|%.*s", AG_FMT(rq->path), AG_FMT(rq->body));
	if (ag_str_starts(rq->path, AG_S("/later")))
		rp->later = later;
	if (ag_str_starts(rq->path, AG_S("/at-once")))
		rp->later = at_once;
	rp->later_arg = arg;
}

static unsigned nwaiting(putter *p)
{
	unsigned n;

	pthread_mutex_lock(&p->lock);
	n = p->n;
	pthread_mutex_unlock(&p->lock);
	return n;
}

static int64_t put_off_us(void *arg)
{
	putter *p = arg;
	int64_t ret;

	pthread_mutex_lock(&p->lock);
	ret = p->n && !p->is_held ? 0 : -1;
	pthread_mutex_unlock(&p->lock);
	return ret;
}

static void send_all(putter *p)
{
	ag_httpd_request *list[MAX_WAITING];
	unsigned n;

	pthread_mutex_lock(&p->lock);
	n = p->n;
	memcpy(list, p->waiting, sizeof(list));
	p->n = 0;
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < n; i++)
		ag_httpd_send(list[i]);
}

static void settle(void *arg)
{
	putter *p = arg;

	atomic_fetch_add(&p->nsettled, 1);
	send_all(p);
}

static void start(putter *p, bool is_held)
{
	ag_httpd_opts o = {
		.handle = handle, .put_off_us = put_off_us, .settle = settle, .arg = p
	};
	ag_err err = { 0 };

	memset(p, 0, sizeof(*p));
	p->is_held = is_held;
	pthread_mutex_init(&p->lock, NULL);
	assert_int_equal(ag_httpd_start(&o, &p->d, &err), AG_OK);
	p->port = ag_httpd_port(p->d);
}

static void stop(putter *p)
{
	ag_httpd_stop(p->d, 5000);
	pthread_mutex_destroy(&p->lock);
}

static void assert_reply(raw_conn *c, raw_reply *r, const char *body)
{
	assert_true(raw_read(c, r, 5000));
	assert_int_equal(r->status, 200);
	assert_string_equal(r->body, body);
}

static void wait_waiting(putter *p, unsigned n)
{
	for (int i = 0; i < 5000 && nwaiting(p) < n; i++)
		usleep(1000);
	assert_int_equal(nwaiting(p), n);
}

#define LATER "POST /later HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n"
#define NEXT  "GET /next HTTP/1.1\r\nHost: localhost\r\n\r\n"

static void a_worker_settles(void **state)
{
	raw_reply r = { 0 };
	raw_conn c;
	putter p;

	(void)state;
	start(&p, false);
	assert_true(raw_open(&c, p.port));
	for (int i = 0; i < 200; i++) {
		assert_true(raw_send(&c, LATER "one"));
		assert_reply(&c, &r, "/later|one");
		assert_true(raw_send(&c, NEXT));
		assert_reply(&c, &r, "/next|");
	}
	assert_int_equal(atomic_load(&p.nsettled), 200);
	assert_true(raw_send(&c, "GET /at-once HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	assert_reply(&c, &r, "/at-once|");
	raw_close(&c);
	free(r.body);
	stop(&p);
}

static void what_follows_waits(void **state)
{
	raw_reply r = { 0 };
	raw_conn c, other;
	putter p;

	(void)state;
	start(&p, true);
	assert_true(raw_open(&c, p.port));
	assert_true(raw_open(&other, p.port));
	/* The head and the body in pieces; then the next requests in the same packet. */
	assert_true(raw_send(&c, "POST /later HTTP/1.1\r\nHost: localhost\r\nContent-Le"));
	usleep(20000);
	assert_true(raw_send(&c, "ngth: 3\r\n\r\no"));
	usleep(20000);
	assert_true(raw_send(&c, "ne" NEXT LATER "two" NEXT));
	wait_waiting(&p, 1);
	/* The bytes of the request that waits stay as they are while its worker goes on. */
	for (int i = 0; i < 20; i++) {
		assert_true(raw_send(&other, NEXT));
		assert_reply(&other, &r, "/next|");
	}
	assert_int_equal(c.n, 0);
	send_all(&p);
	assert_reply(&c, &r, "/later|one");
	assert_reply(&c, &r, "/next|");
	wait_waiting(&p, 1);
	send_all(&p);
	assert_reply(&c, &r, "/later|two");
	assert_reply(&c, &r, "/next|");
	raw_close(&other);
	raw_close(&c);
	free(r.body);
	stop(&p);
}

static void the_end_of_a_connection(void **state)
{
	raw_reply r = { 0 };
	raw_conn c[3];
	putter p;

	(void)state;
	start(&p, true);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(raw_open(&c[i], p.port));
		assert_true(
			raw_send(&c[i], i == 0 ? "GET /later HTTP/1.1\r\nHost: localhost\r\n"
		                                 "Connection: close\r\n\r\n" NEXT
		                               : "GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	}
	wait_waiting(&p, 3);
	raw_abort(&c[1]); /* nobody reads that reply */
	usleep(20000);
	send_all(&p);
	assert_reply(&c[0], &r, "/later|");
	assert_true(raw_wait_end(&c[0], 5000));
	assert_reply(&c[2], &r, "/later|");
	raw_close(&c[0]);
	raw_close(&c[2]);
	free(r.body);
	stop(&p);
}

static void *send_soon(void *arg)
{
	usleep(200000);
	send_all(arg);
	return NULL;
}

static void stopping_waits(void **state)
{
	raw_reply r = { 0 };
	raw_conn c;
	pthread_t t;
	putter p;

	(void)state;
	for (int grace_ms = 0; grace_ms <= 5000; grace_ms += 5000) {
		start(&p, true);
		assert_true(raw_open(&c, p.port));
		assert_true(raw_send(&c, "GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n"));
		wait_waiting(&p, 1);
		assert_int_equal(pthread_create(&t, NULL, send_soon, &p), 0);
		ag_httpd_stop(p.d, grace_ms);
		pthread_join(t, NULL);
		assert_int_equal(nwaiting(&p), 0);
		if (grace_ms)
			assert_reply(&c, &r, "/later|");
		raw_close(&c);
		pthread_mutex_destroy(&p.lock);
	}
	free(r.body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_settles),
		cmocka_unit_test(what_follows_waits),
		cmocka_unit_test(the_end_of_a_connection),
		cmocka_unit_test(stopping_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
