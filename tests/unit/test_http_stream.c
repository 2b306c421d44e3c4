/* Streams of the HTTP server: events as they are written, signs of life, readers that leave or do not read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "http_echo.h"

static void events(void **state)
{
	echo e;
	raw_conn c;
	raw_reply r = { 0 };

	(void)state;
	echo_start(&e, NULL);
	assert_true(raw_open(&c, e.port));
	assert_true(raw_send(&c, "GET /stream/three HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	/* The first comes before the second is written. */
	assert_true(raw_wait(&c, "data: one\n\n", 5000));
	assert_true(raw_read(&c, &r, 5000));
	assert_int_equal(r.status, 200);
	assert_string_equal(raw_header(&r, "Content-Type"), "text/event-stream");
	assert_string_equal(raw_header(&r, "X-Accel-Buffering"), "no");
	assert_string_equal(r.body, "retry: 50\n\nid: a-1\ndata: one\n\n"
	                            "event: second\nid: a-2id: evil\ndata: two\ndata: lines\n\n"
	                            "data: \n\n");
	/* The connection goes on after it. */
	assert_true(raw_send(&c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	assert_true(raw_read(&c, &r, 5000));
	assert_string_equal(r.body, "GET|/|||");
	assert_int_equal(atomic_load(&e.ngone), 0);
	assert_int_equal(atomic_load(&e.nclosed), 1);
	raw_close(&c);
	/* An old client: without chunks, up to the end of the connection. */
	assert_true(raw_open(&c, e.port));
	assert_true(raw_send(&c, "GET /stream/three HTTP/1.0\r\nHost: localhost\r\n\r\n"));
	assert_true(raw_wait_end(&c, 5000));
	assert_non_null(strstr(c.buf, "data: two\ndata: lines\n\n"));
	raw_close(&c);
	free(r.body);
	echo_stop(&e);
}

static unsigned wait_gone(echo *e, unsigned want)
{
	for (unsigned i = 0; i < 200 && atomic_load(&e->ngone) < want; i++)
		usleep(10000);
	return atomic_load(&e->ngone);
}

/* A reader that leaves is seen at once, also while nothing is written. */
static void reader_leaves(void **state)
{
	static const char *const paths[] = { "/stream/quiet", "/stream/long", "/stream/flood" };
	echo e;

	(void)state;
	echo_start(&e, NULL);
	for (unsigned i = 0; i < 6; i++) {
		raw_conn c;
		char text[128];

		snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n",
		         paths[i % 3]);
		assert_true(raw_open(&c, e.port));
		assert_true(raw_send(&c, text));
		assert_true(raw_wait(&c, "event-stream", 5000));
		usleep(20000);
		if (i < 3)
			raw_close(&c);
		else
			raw_abort(&c);
		assert_int_equal(wait_gone(&e, i + 1), i + 1);
	}
	for (unsigned i = 0; i < 200 && atomic_load(&e.nwriter); i++)
		usleep(10000);
	assert_int_equal(atomic_load(&e.nwriter), 0);
	echo_stop(&e);
}

static void reader_does_not_read(void **state)
{
	echo e;
	raw_conn c;

	(void)state;
	echo_start(&e, NULL);
	e.max_waiting = 100000;
	assert_true(raw_open(&c, e.port));
	assert_true(raw_send(&c, "GET /stream/flood HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	/* The writer is told, and ends; memory stays bounded. */
	for (unsigned i = 0; i < 1000 && (atomic_load(&e.ncall) == 0 || atomic_load(&e.nwriter));
	     i++)
		usleep(10000);
	assert_int_equal(atomic_load(&e.nwriter), 0);
	raw_close(&c);
	echo_stop(&e);
}

static void signs_of_life(void **state)
{
	echo e;
	raw_conn c;

	(void)state;
	echo_start(&e, &(ag_httpd_opts){ .ping_ms = 50, .idle_s = 1 });
	assert_true(raw_open(&c, e.port));
	assert_true(raw_send(&c, "GET /stream/quiet HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	assert_true(raw_wait(&c, ": ping\n\n", 2000));
	/* A stream is not idle, however long it is. */
	assert_false(raw_wait_end(&c, 2500));
	raw_close(&c);
	assert_int_equal(wait_gone(&e, 1), 1);
	echo_stop(&e);
}

static void stop_ends_streams(void **state)
{
	echo e;
	raw_conn c[8];
	int64_t began;

	(void)state;
	echo_start(&e, NULL);
	for (unsigned i = 0; i < 8; i++) {
		assert_true(raw_open(&c[i], e.port));
		assert_true(raw_send(
			&c[i], i % 2 ? "GET /stream/quiet HTTP/1.1\r\nHost: localhost\r\n\r\n"
				     : "GET /stream/long HTTP/1.1\r\nHost: localhost\r\n\r\n"));
		assert_true(raw_wait(&c[i], "event-stream", 5000));
	}
	began = raw_now_ms();
	echo_stop(&e);
	assert_true(raw_now_ms() - began < 2000);
	/* Each came to its end: cut off, or ended by a writer who saw the stop first. */
	assert_int_equal(atomic_load(&e.nclosed), 8);
	for (unsigned i = 0; i < 8; i++) {
		assert_true(raw_wait_end(&c[i], 1000));
		raw_close(&c[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events),
		cmocka_unit_test(reader_leaves),
		cmocka_unit_test(reader_does_not_read),
		cmocka_unit_test(signs_of_life),
		cmocka_unit_test(stop_ends_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
