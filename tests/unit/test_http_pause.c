/* Handlers that pause: their workers go on with other requests, and everybody gets his answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/time.h"
#include "http/server.h"
#include "http_raw.h"
#include "run/pause.h"

#define MANY     48
#define TOO_MANY 90 /* more than may pause at once */
#define LONG_MS  5000

/* /read waits for a byte of a pipe, /call to be called, /hold for too many. The answer says how the pause ended. */
typedef struct rig {
	ag_httpd *d;
	unsigned port;
	int pipe[2];
	pthread_mutex_t lock;
	ag_pauser *waiting[TOO_MANY];
	unsigned n;
	atomic_uint npausing, nrefused;
	atomic_bool is_open; /* who holds goes on */
	bool calls_early;
} rig;

static const char *const ends[] = { "over", "late", "refused" };

static ag_pause_end pause_to_read(rig *g, ag_pauser *p)
{
	ag_pause_end end = AG_PAUSE_OVER;
	char c;

	atomic_fetch_add(&g->npausing, 1);
	while (end == AG_PAUSE_OVER && read(g->pipe[0], &c, 1) != 1)
		end = p->pause(p, g->pipe[0]);
	return end;
}

static ag_pause_end pause_to_be_called(rig *g, ag_pauser *p)
{
	ag_pause_end end;
	unsigned at;

	pthread_mutex_lock(&g->lock);
	g->waiting[g->n++] = p;
	pthread_mutex_unlock(&g->lock);
	if (g->calls_early)
		p->wake(p);
	atomic_fetch_add(&g->npausing, 1);
	end = p->pause(p, -1);
	pthread_mutex_lock(&g->lock);
	for (at = 0; at < g->n && g->waiting[at] != p; at++)
		continue;
	if (at < g->n)
		g->waiting[at] = g->waiting[--g->n];
	pthread_mutex_unlock(&g->lock);
	return end;
}

/* Again and again, until somebody was refused. */
static ag_pause_end hold(rig *g, ag_pauser *p)
{
	ag_pause_end end = AG_PAUSE_LATE;

	while (end != AG_PAUSE_REFUSED && !atomic_load(&g->is_open))
		end = p->pause(p, -1);
	if (end == AG_PAUSE_REFUSED)
		atomic_fetch_add(&g->nrefused, 1);
	for (int i = 0; i < LONG_MS && !atomic_load(&g->is_open); i++)
		usleep(1000);
	return end;
}

static void handle(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	rig *g = arg;
	ag_pauser *p = ag_pauser_here();
	ag_pause_end end;

	rp->content_type = AG_S("text/plain");
	if (!p) { /* a processor that is not known */
		ag_buf_add(&rp->body, AG_S("none"));
		return;
	}
	end = (ag_str_eqc(rq->path, "/call")   ? pause_to_be_called
	       : ag_str_eqc(rq->path, "/hold") ? hold
	                                       : pause_to_read)(g, p);
	/* Of the thread that it goes on on. */
	if (ag_pauser_here() != p)
		abort();
	ag_buf_addf(&rp->body, "%s|%.*s", ends[end], AG_FMT(rq->body));
}

static void start(rig *g)
{
	ag_httpd_opts o = { .handle = handle, .arg = g };
	ag_err err = { 0 };

	memset(g, 0, sizeof(*g));
	pthread_mutex_init(&g->lock, NULL);
	assert_int_equal(pipe2(g->pipe, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(ag_httpd_start(&o, &g->d, &err), AG_OK);
	g->port = ag_httpd_port(g->d);
}

static void stop(rig *g)
{
	ag_httpd_stop(g->d, 5000);
	close(g->pipe[0]);
	close(g->pipe[1]);
	pthread_mutex_destroy(&g->lock);
}

static void ask(const rig *g, raw_conn *c, const char *path, int id)
{
	char text[128];

	snprintf(text, sizeof(text),
	         "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n%03d", path, id);
	assert_true(raw_open(c, g->port));
	assert_true(raw_send(c, text));
}

/* How its pause ended: "over" and so on. */
static const char *answer(raw_conn *c, int id)
{
	static raw_reply r;
	static char end[16];
	const char *body;
	char own[8];

	assert_true(raw_read(c, &r, LONG_MS));
	assert_int_equal(r.status, 200);
	raw_close(c);
	body = r.body ? r.body : "";
	if (strcmp(body, "none") == 0)
		skip();
	snprintf(own, sizeof(own), "|%03d", id);
	assert_non_null(strstr(body, own));
	snprintf(end, sizeof(end), "%.*s", (int)strcspn(body, "|"), body);
	return end;
}

/* Of those that ended in this way. Others may only have been refused: a machine that becomes crowded allows no pauses. */
static unsigned ended(raw_conn *c, int id, const char *way)
{
	const char *end = answer(c, id);

	if (strcmp(end, "refused") != 0)
		assert_string_equal(end, way);
	return strcmp(end, way) == 0;
}

static void a_socket_ends_it(void **state)
{
	unsigned nover = 0;
	raw_conn c;
	rig g;

	(void)state;
	start(&g);
	for (int i = 0; i < 200; i++) {
		ask(&g, &c, "/read", i);
		assert_int_equal(write(g.pipe[1], "x", 1), 1);
		nover += strcmp(answer(&c, i), "over") == 0;
	}
	assert_true(nover > 0); /* the rest came so late that the pause was over */
	stop(&g);
}

static void call_all(rig *g)
{
	pthread_mutex_lock(&g->lock);
	for (unsigned i = 0; i < g->n; i++)
		g->waiting[i]->wake(g->waiting[i]);
	g->n = 0;
	pthread_mutex_unlock(&g->lock);
}

/* More of them than workers: each is called while it pauses, by a thread that is none of the server's. */
static void a_call_ends_it(void **state)
{
	raw_conn c[MANY];
	unsigned nover = 0;
	rig g;

	(void)state;
	start(&g);
	for (int round = 1; round <= 5; round++) {
		for (int i = 0; i < MANY; i++)
			ask(&g, &c[i], "/call", i);
		for (int i = 0; i < 2000 && atomic_load(&g.npausing) < (unsigned)(round * MANY);
		     i++) {
			usleep(500);
			call_all(&g);
		}
		call_all(&g);
		for (int i = 0; i < MANY; i++)
			nover += strcmp(answer(&c[i], i), "over") == 0;
	}
	assert_true(nover > 0);
	stop(&g);
}

static void a_call_that_comes_before_ends_it(void **state)
{
	unsigned nover = 0;
	raw_conn c;
	rig g;

	(void)state;
	start(&g);
	g.calls_early = true;
	for (int i = 0; i < 100; i++) {
		ask(&g, &c, "/call", i);
		nover += ended(&c, i, "over");
	}
	assert_true(nover > 0);
	stop(&g);
}

/* Nobody reads or calls: it ends by itself, and others are answered meanwhile. */
static void it_ends_by_itself(void **state)
{
	raw_conn c[MANY];
	unsigned nlate = 0;
	rig g;

	(void)state;
	start(&g);
	for (int i = 0; i < MANY; i++)
		ask(&g, &c[i], i % 2 ? "/read" : "/call", i);
	for (int i = 0; i < MANY; i++)
		nlate += ended(&c[i], i, "late");
	assert_true(nlate > 0);
	stop(&g);
}

static void too_many_are_refused(void **state)
{
	raw_conn c[TOO_MANY];
	unsigned nrefused = 0;
	rig g;

	(void)state;
	start(&g);
	for (int i = 0; i < TOO_MANY; i++)
		ask(&g, &c[i], "/hold", i);
	for (int i = 0; i < LONG_MS && !atomic_load(&g.nrefused); i++)
		usleep(1000);
	atomic_store(&g.is_open, true);
	for (int i = 0; i < TOO_MANY; i++)
		nrefused += strcmp(answer(&c[i], i), "refused") == 0;
	assert_true(nrefused > 0);
	assert_int_equal(nrefused, atomic_load(&g.nrefused));
	stop(&g);
}

static void a_stop_ends_it(void **state)
{
	raw_conn c[MANY];
	rig g;

	(void)state;
	for (int round = 0; round < 20; round++) {
		start(&g);
		for (int i = 0; i < MANY; i++)
			ask(&g, &c[i], i % 2 ? "/read" : "/call", i);
		for (int i = 0; i < LONG_MS && !atomic_load(&g.npausing); i++)
			usleep(1000);
		/* Requests that have begun are answered; others find the door shut. */
		stop(&g);
		for (int i = 0; i < MANY; i++)
			raw_close(&c[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_socket_ends_it),
		cmocka_unit_test(a_call_ends_it),
		cmocka_unit_test(a_call_that_comes_before_ends_it),
		cmocka_unit_test(it_ends_by_itself),
		cmocka_unit_test(too_many_are_refused),
		cmocka_unit_test(a_stop_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
