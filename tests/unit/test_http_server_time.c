/* The HTTP server under load and with clients that dawdle, leave, or are cut off: it ends them, and it stops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "http_echo.h"

#define NCLIENT 16

static void idle_and_slow(void **state)
{
	echo e;
	raw_conn idle, drip, body;
	int64_t began;
	bool is_dripping = true;

	(void)state;
	echo_start(&e, &(ag_httpd_opts){ .idle_s = 1 });
	assert_true(raw_open(&idle, e.port));
	assert_true(raw_open(&drip, e.port));
	assert_true(raw_open(&body, e.port));
	assert_true(
		raw_send(&body, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"));
	began = raw_now_ms();
	/* A byte now and then does not keep a connection. */
	assert_true(raw_send(&drip, "GET /"));
	while (is_dripping && raw_now_ms() < began + 5000) {
		is_dripping = raw_send(&drip, "E");
		if (raw_more(&drip, raw_now_ms() + 200) || drip.is_closed)
			is_dripping = false;
	}
	assert_true(raw_now_ms() - began < 4000);
	assert_true(raw_now_ms() - began > 900);
	assert_memory_equal(drip.buf, "HTTP/1.1 408 ", 13);
	assert_true(raw_wait_end(&idle, 3000));
	assert_int_equal(idle.n, 0);
	/* A request has more time than that. */
	assert_true(raw_send(&body, "whole now"));
	assert_true(raw_wait(&body, "POST|/|||whole now", 3000));
	assert_true(raw_wait_end(&body, 4000));
	raw_close(&idle);
	raw_close(&drip);
	raw_close(&body);
	echo_stop(&e);
}

/* The handler's time is its own. */
static void handler_takes_longer_than_idle(void **state)
{
	echo e;
	raw_conn c;

	(void)state;
	echo_start(&e, &(ag_httpd_opts){ .idle_s = 1 });
	assert_true(raw_open(&c, e.port));
	assert_true(raw_send(&c, "GET /wait/2600 HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	assert_true(raw_wait(&c, "GET|/wait/2600|||", 6000));
	raw_close(&c);
	echo_stop(&e);
}

static void connection_limit(void **state)
{
	echo e;
	raw_conn c[5];
	raw_reply r = { 0 };

	(void)state;
	echo_start(&e, &(ag_httpd_opts){ .max_connections = 4 });
	for (unsigned i = 0; i < 4; i++) {
		assert_true(raw_open(&c[i], e.port));
		assert_true(raw_send(&c[i], "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
		assert_true(raw_read(&c[i], &r, 5000));
	}
	usleep(20000);
	/* The first is not the oldest any more. */
	assert_true(raw_send(&c[0], "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	assert_true(raw_read(&c[0], &r, 5000));
	assert_true(raw_open(&c[4], e.port));
	assert_true(raw_send(&c[4], "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	assert_true(raw_read(&c[4], &r, 5000));
	assert_true(raw_wait_end(&c[1], 5000));
	/* Those at work are not given up: one more is closed at once. */
	raw_close(&c[1]);
	for (unsigned i = 0; i < 5; i++)
		if (i != 1)
			assert_true(raw_send(&c[i],
			                     "GET /wait/500 HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	while (atomic_load(&e.ncall) < 10)
		usleep(1000);
	assert_true(raw_open(&c[1], e.port));
	assert_true(raw_wait_end(&c[1], 5000));
	for (unsigned i = 0; i < 5; i++) {
		if (i != 1)
			assert_true(raw_read(&c[i], &r, 5000));
		raw_close(&c[i]);
	}
	free(r.body);
	echo_stop(&e);
}

static void stop_cancels_handlers(void **state)
{
	echo e;
	raw_conn c;
	int64_t began;

	(void)state;
	echo_start(&e, NULL);
	assert_true(raw_open(&c, e.port));
	assert_true(raw_send(&c, "GET /wait/60000 HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	while (atomic_load(&e.ncall) == 0)
		usleep(1000);
	began = raw_now_ms();
	echo_stop(&e);
	assert_true(raw_now_ms() - began < 2000);
	/* What the handler said in time still came. */
	assert_true(raw_wait(&c, "GET|/wait/60000|||", 1000));
	assert_true(raw_wait_end(&c, 1000));
	raw_close(&c);
}

typedef struct client {
	pthread_t thread;
	unsigned port, seed;
	atomic_bool *is_over;
	unsigned nreply, nwrong;
} client;

/* Requests of all kinds, some cut at a random byte, with an end or a reset. */
static void *rage(void *arg)
{
	static const char *const requests[] = {
		"POST /one HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello",
		"GET /stream/three HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /stream/long HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /stream/flood HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /wait/30 HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n",
	};
	client *cl = (client *)arg;
	raw_reply r = { 0 };

	while (!atomic_load(cl->is_over)) {
		raw_conn c;
		unsigned roll = (unsigned)rand_r(&cl->seed);
		const char *text = requests[roll % AG_NELEM(requests)];
		size_t n = strlen(text);

		if (!raw_open(&c, cl->port)) {
			raw_close(&c);
			usleep(1000);
			continue;
		}
		if (roll % 3 == 0)
			n = (size_t)rand_r(&cl->seed) % n;
		raw_sendn(&c, text, n);
		if (text == requests[0] && n == strlen(text)) {
			if (raw_read(&c, &r, 3000)) {
				cl->nreply++;
				cl->nwrong += r.status != 200 && r.status != 503;
			}
		} else {
			raw_more(&c, raw_now_ms() + (int64_t)(roll >> 8) % 40);
		}
		if (roll % 2)
			raw_abort(&c);
		else
			raw_close(&c);
	}
	free(r.body);
	return NULL;
}

static void stop_under_load(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 3; round++) {
		client clients[NCLIENT];
		atomic_bool is_over = false;
		unsigned nreply = 0, nwrong = 0;
		int64_t began;
		echo e;

		echo_start(&e, &(ag_httpd_opts){ .max_connections = 64 });
		e.max_waiting = 100000;
		for (unsigned i = 0; i < NCLIENT; i++) {
			clients[i] = (client){ .port = e.port,
				               .seed = round * 100 + i + 1,
				               .is_over = &is_over };
			assert_int_equal(
				pthread_create(&clients[i].thread, NULL, rage, &clients[i]), 0);
		}
		usleep(700000);
		began = raw_now_ms();
		echo_stop(&e);
		assert_true(raw_now_ms() - began < 4000);
		atomic_store(&is_over, true);
		for (unsigned i = 0; i < NCLIENT; i++) {
			pthread_join(clients[i].thread, NULL);
			nreply += clients[i].nreply;
			nwrong += clients[i].nwrong;
		}
		assert_true(nreply > 0);
		assert_int_equal(nwrong, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_and_slow),
		cmocka_unit_test(handler_takes_longer_than_idle),
		cmocka_unit_test(connection_limit),
		cmocka_unit_test(stop_cancels_handlers),
		cmocka_unit_test(stop_under_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
