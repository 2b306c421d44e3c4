/* Calls of models over real sockets: where keys go, what a broken connection becomes, what threads share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "llm_script.h"
#include "net_fixtures.h"

#define EVENTS "Content-Type: text/event-stream\r\n"

typedef struct bench {
	ag_arena *arena;
	ag_llm_hub *hub;
	ag_llm *llm;
	ag_llm_request request;
	ag_llm_reply reply;
	ag_ctx ctx;
	ag_err err;
} bench;

static int64_t idle_ms = 300;

static ag_llm *open_at(ag_llm_hub *hub, unsigned port, ag_arena *arena)
{
	ag_llm_model m = llm_model();
	ag_llm *l = NULL;
	ag_err err = { 0 };

	m.base_url = ag_str_printf(arena, "http://127.0.0.1:%u", port);
	m.connect_ms = 2000;
	m.first_byte_ms = 1500;
	m.idle_ms = idle_ms;
	if (ag_llm_open(hub, &m, &l, &err))
		fail_msg("%s", err.msg);
	return l;
}

static void setup(bench *b, const ag_llm_hub_opts *o, unsigned port)
{
	ag_llm_hub_opts opts = o ? *o : (ag_llm_hub_opts){ 0 };

	memset(b, 0, sizeof(*b));
	opts.backoff_ms = 1;
	b->arena = ag_arena_new();
	b->request = llm_request();
	b->ctx = (ag_ctx){ .clock = &ag_clock_system, .nthread = 1 };
	if (ag_llm_hub_open(&opts, &b->hub, &b->err))
		fail_msg("%s", b->err.msg);
	b->llm = open_at(b->hub, port, b->arena);
}

static void teardown(bench *b)
{
	ag_llm_close(b->llm);
	ag_llm_hub_close(b->hub);
	ag_arena_free(b->arena);
}

static ag_status ask(bench *b)
{
	return ag_llm_ask(b->llm, &b->ctx, &b->request, b->arena, &b->reply, &b->err);
}

static void assert_hello(const bench *b)
{
	assert_int_equal(b->reply.text.len, 5);
	assert_memory_equal(b->reply.text.ptr, "Hello", 5);
}

static void serve_hello(net_conn *c)
{
	net_answer(c, "200 OK", EVENTS, AG_S(HELLO));
}

/* --- keys and redirects */

static void serve_redirect(net_conn *c)
{
	char headers[128];

	snprintf(headers, sizeof(headers), "Location: http://127.0.0.1:%u/v1/chat/completions\r\n",
	         *(unsigned *)c->server->arg);
	net_answer(c, "308 Permanent Redirect", headers, AG_S(""));
}

static void a_key_does_not_follow_a_redirect(void **state)
{
	net_server *other = net_start(serve_hello, NULL);
	net_server *server = net_start(serve_redirect, &other->port);
	bench b;

	(void)state;
	setup(&b, NULL, server->port);
	assert_int_equal(ask(&b), AG_INVALID);
	assert_non_null(strstr(b.err.msg, "308"));
	assert_int_equal(atomic_load(&server->nrequest), 1);
	assert_int_equal(atomic_load(&other->nconn), 0);
	teardown(&b);
	net_stop(server);
	net_stop(other);
}

static void serve_echo(net_conn *c)
{
	const char *key = net_header(c, "authorization");
	char body[512];

	snprintf(body, sizeof(body), "{\"error\":{\"message\":\"wrong key: %s\"}}",
	         key ? key : "none");
	net_answer(c, "401 Unauthorized", "", ag_str_c(body));
}

static void an_echoed_key_is_not_shown(void **state)
{
	net_server *server = net_start(serve_echo, NULL);
	bench b;

	(void)state;
	setup(&b, NULL, server->port);
	assert_int_equal(ask(&b), AG_DENIED);
	assert_null(strstr(b.err.msg, "Zq81xkTT"));
	assert_non_null(strstr(b.err.msg, "wrong key"));
	assert_null(strstr(b.err.msg, "none"));
	teardown(&b);
	net_stop(server);
}

/* --- broken connections */

static void serve_broken_first(net_conn *c)
{
	switch (atomic_fetch_add((atomic_int *)c->server->arg, 1)) {
	case 0: c->close = true; break;
	case 1:
		net_sends(c, "HTTP/1.1 200 OK\r\n" EVENTS
		             "Content-Length: 900\r\n\r\n" SSE_TEXT("Hel"));
		net_reset(c);
		break;
	case 2:
		net_sends(c, "HTTP/1.1 200 OK\r\n" EVENTS
		             "Content-Length: 900\r\n\r\n" SSE_TEXT("Hel"));
		net_wait(c, 5000); /* silence: the idle time-out */
		c->close = true;
		break;
	default: serve_hello(c);
	}
}

static void broken_connections_are_tried_again(void **state)
{
	atomic_int n = 0;
	net_server *server = net_start(serve_broken_first, &n);
	bench b;

	(void)state;
	setup(&b, NULL, server->port);
	if (ask(&b))
		fail_msg("%s", b.err.msg);
	assert_hello(&b);
	assert_int_equal(b.reply.attempts, 4);
	teardown(&b);
	net_stop(server);
}

static void nobody_there(void **state)
{
	net_server *server = net_start(serve_hello, NULL);
	unsigned port = server->port;
	bench b;

	(void)state;
	net_stop(server);
	setup(&b, NULL, port);
	assert_int_equal(ask(&b), AG_UNAVAILABLE);
	assert_non_null(strstr(b.err.msg, "127.0.0.1"));
	assert_non_null(strstr(b.err.msg, "(4 attempts)"));
	assert_true(b.err.hint[0]);
	teardown(&b);
}

static void serve_slowly(net_conn *c)
{
	net_sends(c, "HTTP/1.1 200 OK\r\n" EVENTS "Content-Length: 900\r\n\r\n" SSE_TEXT("Hel"));
	atomic_store((atomic_bool *)c->server->arg, true); /* Ctrl-C, now */
	net_wait(c, 8000);
	c->close = true;
}

static void a_cancel_ends_a_stream(void **state)
{
	atomic_bool cancel = false;
	net_server *server = net_start(serve_slowly, &cancel);
	int64_t begin = ag_clock_mono(&ag_clock_system);
	bench b;

	(void)state;
	idle_ms = 8000; /* so that nothing else ends it */
	setup(&b, NULL, server->port);
	idle_ms = 300;
	b.ctx.cancel = &cancel;
	assert_int_equal(ask(&b), AG_CANCELLED);
	assert_in_range(ag_clock_mono(&ag_clock_system) - begin, 0, 2000);
	assert_int_equal(atomic_load(&server->nrequest), 1);
	teardown(&b);
	net_stop(server);
}

/* --- what is shared */

static void connections_are_kept(void **state)
{
	net_server *server = net_start(serve_hello, NULL);
	bench b;

	(void)state;
	setup(&b, NULL, server->port);
	for (int i = 0; i < 10; i++)
		assert_int_equal(ask(&b), AG_OK);
	assert_int_equal(atomic_load(&server->nrequest), 10);
	assert_int_equal(atomic_load(&server->nconn), 1);
	teardown(&b);
	net_stop(server);
}

#define NTHREAD 100
#define NEACH   10

typedef struct worker {
	ag_llm_hub *hub;
	unsigned port;
	size_t nok;
} worker;

static void *work(void *arg)
{
	ag_arena *arena = ag_arena_new();
	worker *w = arg;
	ag_llm *l = open_at(w->hub, w->port, arena);

	for (size_t i = 0; i < NEACH; i++) {
		const ag_llm_request r = llm_request();
		ag_llm_reply reply;

		w->nok += !ag_llm_ask(l, NULL, &r, arena, &reply, NULL) && reply.text.len == 5;
	}
	ag_llm_close(l);
	ag_arena_free(arena);
	return NULL;
}

static void threads_share_a_hub(void **state)
{
	net_server *server = net_start(serve_hello, NULL);
	pthread_t threads[NTHREAD];
	worker workers[NTHREAD];
	bench b;

	(void)state;
	setup(&b, NULL, server->port);
	for (size_t i = 0; i < NTHREAD; i++) {
		workers[i] = (worker){ b.hub, server->port, 0 };
		assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (size_t i = 0; i < NTHREAD; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(workers[i].nok, NEACH);
	}
	assert_true(atomic_load(&server->nconn) <= NTHREAD);
	teardown(&b);
	net_stop(server);
}

static void a_recording_needs_no_server(void **state)
{
	net_server *server = net_start(serve_hello, NULL);
	char folder[] = "/tmp/argus-models-XXXXXX", path[64];
	ag_llm_hub_opts o = { 0 };
	unsigned port = server->port;
	bench b;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/run.ndjson", folder);
	o.record = ag_str_c(path);
	setup(&b, &o, port);
	assert_int_equal(ask(&b), AG_OK);
	assert_int_equal(ag_llm_hub_finish(b.hub, &b.err), AG_OK);
	teardown(&b);
	net_stop(server);
	o = (ag_llm_hub_opts){ .replay = ag_str_c(path) };
	setup(&b, &o, port);
	if (ask(&b))
		fail_msg("%s", b.err.msg);
	assert_hello(&b);
	teardown(&b);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_does_not_follow_a_redirect),
		cmocka_unit_test(an_echoed_key_is_not_shown),
		cmocka_unit_test(broken_connections_are_tried_again),
		cmocka_unit_test(nobody_there),
		cmocka_unit_test(a_cancel_ends_a_stream),
		cmocka_unit_test(connections_are_kept),
		cmocka_unit_test(threads_share_a_hub),
		cmocka_unit_test(a_recording_needs_no_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
