/* Many threads, each with a client of its own: the first of them load libcurl, all get their own answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "net_fixtures.h"

#define NTHREAD    200
#define NREQUEST   5
#define NFD        4096 /* a client has up to five descriptors, its connection has one in the server */
#define STACK_SIZE (512u << 10)

/* The path comes back, in pieces. */
static void serve_path(net_conn *c)
{
	char text[128];
	int n = (int)strcspn(c->head + 4, " ");

	net_sends(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
	snprintf(text, sizeof(text), "%x\r\n%.*s\r\n", (unsigned)n, n, c->head + 4);
	net_sends(c, text);
	net_wait(c, 5);
	net_sends(c, "3\r\nend\r\n0\r\n\r\n");
}

typedef struct worker {
	pthread_t thread;
	unsigned number, port;
	pthread_barrier_t *start;
	char failure[512];
} worker;

/* No assertion here: cmocka's belong to the main thread. */
static void work_once(worker *w, net_client *c, int i)
{
	char path[64], want[80];
	ag_http_request r = { .method = AG_S("GET"), .timeouts = { 60000, 60000, 60000, 60000 } };

	snprintf(path, sizeof(path), "/%u/%d", w->number, i);
	snprintf(want, sizeof(want), "%send", path);
	r.url = net_url(c, w->port, path);
	if (ag_http_send(c->http, NULL, &r, c->arena, &c->res, &c->err))
		snprintf(w->failure, sizeof(w->failure), "%s", c->err.msg);
	else if (!ag_str_eqc(c->res.body, want))
		snprintf(w->failure, sizeof(w->failure), "got \"%.*s\", want \"%s\"",
		         AG_FMT(c->res.body), want);
}

static void *work(void *arg)
{
	worker *w = arg;
	net_client c = { .arena = ag_arena_new() };

	pthread_barrier_wait(w->start);
	if (ag_http_new(&c.http, &c.err))
		snprintf(w->failure, sizeof(w->failure), "%s", c.err.msg);
	else
		for (int i = 0; i < NREQUEST; i++)
			work_once(w, &c, i);
	net_client_close(&c);
	return NULL;
}

static void threads_do_not_meet(void **state)
{
	struct rlimit files;
	pthread_barrier_t start;
	pthread_attr_t attr;
	net_server *s;
	worker *workers;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	if (files.rlim_max < NFD) {
		print_message("too few open files are allowed\n");
		skip();
	}
	if (files.rlim_cur < NFD) {
		files.rlim_cur = NFD;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
	}
	workers = ag_xcalloc(NTHREAD, sizeof(*workers));
	s = net_start(serve_path, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_barrier_init(&start, NULL, NTHREAD);
	for (unsigned i = 0; i < NTHREAD; i++) {
		workers[i] = (worker){ .number = i, .port = s->port, .start = &start };
		assert_int_equal(pthread_create(&workers[i].thread, &attr, work, &workers[i]), 0);
	}
	for (unsigned i = 0; i < NTHREAD; i++)
		pthread_join(workers[i].thread, NULL);
	for (unsigned i = 0; i < NTHREAD; i++) {
		if (workers[i].failure[0])
			fail_msg("thread %u: %s", i, workers[i].failure);
	}
	assert_int_equal(atomic_load(&s->nrequest), NTHREAD * NREQUEST);
	assert_int_equal(atomic_load(&s->nconn), NTHREAD);
	pthread_barrier_destroy(&start);
	pthread_attr_destroy(&attr);
	net_stop(s);
	free(workers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_do_not_meet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
