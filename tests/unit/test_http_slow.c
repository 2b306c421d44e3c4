/* The HTTP server with clients that are slow, leave, or are many, and a server that stops meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <malloc.h>

#include "http_echo.h"

#define HOST    "Host: localhost\r\n"
#define POST(p) "POST " p " HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n"
#define NCLIENT 64
#define LONG_MS 20000 /* what should come does not */

static bool becomes(atomic_uint *what, unsigned n)
{
	const int64_t end = raw_now_ms() + LONG_MS;

	while (atomic_load(what) < n && raw_now_ms() < end)
		usleep(1000);
	return atomic_load(what) == n;
}

static void assert_next(raw_conn *c, const char *body)
{
	raw_reply r = { 0 };

	assert_true(raw_read(c, &r, LONG_MS));
	assert_int_equal(r.status, 200);
	assert_string_equal(r.body, body);
	free(r.body);
}

static char *long_body(size_t n)
{
	char *text = (char *)ag_xcalloc(1, n + 1);

	for (size_t i = 0; i < n; i++)
		text[i] = (char)('a' + i % 26);
	return text;
}

/* The head in one packet, the body in others, again and again on one connection; then one that comes whole. */
static void body_comes_later(void **state)
{
	static const size_t sizes[] = { 1, 5, 1000, 40000, 100000, 128 * 1024, 128 * 1024 + 1 };
	echo e;
	raw_conn c;
	raw_reply r = { 0 };

	(void)state;
	echo_start(&e, NULL);
	assert_true(raw_open(&c, e.port));
	for (size_t i = 0; i < AG_NELEM(sizes); i++) {
		char *body = long_body(sizes[i]), head[128];
		const size_t n = sizes[i];

		snprintf(head, sizeof(head),
		         "POST /later HTTP/1.1\r\n" HOST "Content-Length: %zu\r\n\r\n", n);
		assert_true(raw_send(&c, head));
		usleep(20000);
		assert_true(raw_sendn(&c, body, n / 3));
		usleep(20000);
		assert_int_equal(atomic_load(&e.ncall), 2 * i);
		assert_true(raw_sendn(&c, body + n / 3, n - n / 3));
		assert_true(raw_read(&c, &r, LONG_MS));
		assert_int_equal(r.nbody, n + strlen("POST|/later|||"));
		assert_memory_equal(r.body + strlen("POST|/later|||"), body, n);
		/* A small request does not wait for as much as the large one was. */
		assert_true(raw_send(&c, POST("/small")));
		assert_next(&c, "POST|/small|||");
		free(body);
	}
	raw_close(&c);
	free(r.body);
	echo_stop(&e);
}

/* Half a body, and then an end, a reset, or nothing more: the handler never sees it, and others are answered. */
static void body_never_comes(void **state)
{
	static const char half[] = "POST /half HTTP/1.1\r\n" HOST "Content-Length: 9\r\n\r\nhalf";
	echo e;
	raw_conn c, quiet;

	(void)state;
	echo_start(&e, NULL);
	assert_true(raw_open(&quiet, e.port) && raw_send(&quiet, half));
	for (unsigned i = 0; i < 4; i++) {
		assert_true(raw_open(&c, e.port) && raw_send(&c, half));
		usleep(i % 2 ? 20000 : 0);
		if (i < 2) {
			shutdown(c.fd, SHUT_WR);
			assert_true(raw_wait_end(&c, LONG_MS));
			assert_int_equal(c.n, 0);
			raw_close(&c);
		} else {
			raw_abort(&c);
		}
	}
	assert_true(raw_open(&c, e.port) && raw_send(&c, POST("/")));
	assert_next(&c, "POST|/|||");
	assert_int_equal(atomic_load(&e.ncall), 1);
	/* A whole request, and the end right behind it: the answer still comes. */
	assert_true(raw_send(&c, POST("/last")));
	shutdown(c.fd, SHUT_WR);
	assert_next(&c, "POST|/last|||");
	assert_true(raw_wait_end(&c, LONG_MS));
	raw_close(&c);
	echo_stop(&e); /* while `quiet` is waited for */
	assert_true(raw_wait_end(&quiet, LONG_MS));
	raw_close(&quiet);
}

/* Requests of several kinds in one packet: answered in their order. */
static void both_kinds_in_one_packet(void **state)
{
	echo e;
	raw_conn c;

	(void)state;
	echo_start(&e, NULL);
	for (unsigned i = 0; i < 20; i++) {
		assert_true(raw_open(&c, e.port));
		assert_true(raw_send(
			&c,
			POST("/1") "POST /2 HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\ntwo" POST(
				"/3") "GET /4 HTTP/1.1\r\n" HOST
				      "\r\n" POST("/5") "POST /6 HTTP/1.1\r\n" HOST
							"Transfer-Encoding: chunked"
							"\r\n\r\n3\r\nsix\r\n0\r\n\r\n" POST(
								"/7")));
		assert_next(&c, "POST|/1|||");
		assert_next(&c, "POST|/2|||two");
		assert_next(&c, "POST|/3|||");
		assert_next(&c, "GET|/4|||");
		assert_next(&c, "POST|/5|||");
		assert_next(&c, "POST|/6|||six");
		assert_next(&c, "POST|/7|||");
		assert_int_equal(c.n, 0);
		raw_close(&c);
	}
	echo_stop(&e);
}

/* A large reply waits for its reader, others do not wait for it; nor for one who reads nothing and leaves. */
static void slow_readers(void **state)
{
	echo e;
	raw_conn slow[4], c;
	raw_reply r = { 0 };

	(void)state;
	echo_start(&e, NULL);
	for (size_t i = 0; i < AG_NELEM(slow); i++)
		assert_true(raw_open(&slow[i], e.port) && raw_send(&slow[i], POST("/big")));
	assert_true(becomes(&e.ncall, 4));
	for (unsigned i = 0; i < 10; i++) {
		assert_true(raw_open(&c, e.port) && raw_send(&c, POST("/")));
		assert_next(&c, "POST|/|||");
		raw_close(&c);
		assert_true(raw_more(&slow[0], raw_now_ms() + LONG_MS));
		usleep(5000);
	}
	raw_close(&slow[2]);
	raw_abort(&slow[3]);
	for (unsigned i = 0; i < 2; i++) {
		assert_true(raw_read(&slow[i], &r, LONG_MS));
		assert_int_equal(r.nbody, 10000000 + strlen("POST|/big|||"));
		assert_memory_equal(r.body + 9999990, "0123456789POST|/big|||", 22);
		assert_true(raw_send(&slow[i], POST("/on")));
		assert_next(&slow[i], "POST|/on|||");
		raw_close(&slow[i]);
	}
	free(r.body);
	echo_stop(&e);
}

/* The handler sees its client leave: with an end, with a reset. */
static void client_leaves(void **state)
{
	echo e;
	raw_conn c[4];

	(void)state;
	echo_start(&e, NULL);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(raw_open(&c[i], e.port));
		assert_true(raw_send(&c[i], i % 2 ? POST("/watch")
		                                  : "GET /watch HTTP/1.1\r\n" HOST "\r\n"));
	}
	assert_true(becomes(&e.ncall, 4));
	assert_int_equal(atomic_load(&e.nleft), 0);
	raw_close(&c[0]);
	raw_close(&c[1]);
	assert_true(becomes(&e.nleft, 2));
	raw_abort(&c[2]);
	raw_abort(&c[3]);
	assert_true(becomes(&e.nleft, 4));
	echo_stop(&e);
}

/* Of many slow requests none waits for another, and a fast one waits for none. */
static void slow_ones_block_nobody(void **state)
{
	raw_conn c[NCLIENT], fast;
	int64_t began, best = LONG_MS;
	echo e;

	(void)state;
	echo_start(&e, NULL);
	assert_true(raw_open(&fast, e.port));
	for (unsigned i = 0; i < NCLIENT; i++)
		assert_true(raw_open(&c[i], e.port));
	began = raw_now_ms();
	for (unsigned i = 0; i < NCLIENT; i++)
		assert_true(raw_send(&c[i], POST("/wait/500")));
	for (unsigned i = 0; i < 10; i++) {
		const int64_t start = raw_now_ms();

		assert_true(raw_send(&fast, POST("/fast")));
		assert_next(&fast, "POST|/fast|||");
		if (raw_now_ms() - start < best)
			best = raw_now_ms() - start;
	}
	assert_true(best < 250);
	for (unsigned i = 0; i < NCLIENT; i++)
		assert_next(&c[i], "POST|/wait/500|||");
	/* One after the other it would be 32 s, by two 16. */
	assert_true(raw_now_ms() - began < 8000);
	for (unsigned i = 0; i < NCLIENT; i++)
		raw_close(&c[i]);
	raw_close(&fast);
	echo_stop(&e);
}

/* The handler's time is its own; between requests a client has what it is given. */
static void handler_takes_longer_than_idle(void **state)
{
	raw_conn c;
	echo e;

	(void)state;
	echo_start(&e, &(ag_httpd_opts){ .idle_s = 1 });
	assert_true(raw_open(&c, e.port) && raw_send(&c, POST("/wait/2600")));
	assert_next(&c, "POST|/wait/2600|||");
	assert_true(raw_send(&c, POST("/")));
	assert_next(&c, "POST|/|||");
	assert_true(raw_wait_end(&c, LONG_MS));
	raw_close(&c);
	echo_stop(&e);
}

/* How many of them the server did not close; each waits in a handler. */
static unsigned count_served(echo *e, unsigned n, bool is_plain)
{
	raw_conn c[40];
	unsigned nserved = 0;

	for (unsigned i = 0; i < n; i++) {
		raw_open(&c[i], e->port);
		raw_send(&c[i],
		         is_plain ? POST("/wait/700") : "GET /wait/700 HTTP/1.1\r\n" HOST "\r\n");
	}
	for (unsigned i = 0; i < n; i++) {
		raw_reply r = { 0 };

		nserved += raw_read(&c[i], &r, LONG_MS) && r.status == 200;
		free(r.body);
	}
	for (unsigned i = 0; i < n; i++)
		raw_close(&c[i]);
	usleep(100000);
	return nserved;
}

/* Connections at work are never given up for others. */
static void limits_are_kept(void **state)
{
	static const ag_httpd_opts limits[] = { { .max_connections = 5 },
		                                { .max_connections_of_peer = 5 } };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(limits); i++) {
		echo e;

		echo_start(&e, &limits[i]);
		assert_int_equal(count_served(&e, 5, true), 5);
		assert_int_equal(count_served(&e, 5, false), 5);
		assert_int_equal(count_served(&e, 40, true), 5);
		assert_int_equal(count_served(&e, 40, false), 5);
		assert_int_equal(count_served(&e, 5, true), 5);
		assert_int_equal(count_served(&e, 5, false), 5);
		echo_stop(&e);
	}
}

/* With requests at work, with idle connections, with half a request, with streams that are read and one that is not. */
static void stops_in_the_middle(void **state)
{
	static const char *const requests[] = {
		POST("/wait/60000"),
		POST("/stream/long"),
		POST("/stream/flood"),
		POST("/stream/quiet"),
		POST("/"),
		"",
		"POST / HTTP/1.1\r\n" HOST "Content-Length: 9\r\n\r\nhalf",
		"POST / HT",
	};
	raw_conn c[AG_NELEM(requests)];
	int64_t began;
	echo e;

	(void)state;
	for (unsigned round = 0; round < 4; round++) {
		echo_start(&e, NULL);
		e.max_waiting = 100000;
		for (size_t i = 0; i < AG_NELEM(requests); i++)
			assert_true(raw_open(&c[i], e.port) && raw_send(&c[i], requests[i]));
		if (round)
			assert_true(becomes(&e.ncall, 5));
		usleep(round * 20000);
		began = raw_now_ms();
		echo_stop(&e);
		assert_true(raw_now_ms() - began < 4000);
		/* What the handler said in time still came. */
		assert_true(round == 0 || raw_wait(&c[0], "POST|/wait/60000|||", 1000));
		for (size_t i = 0; i < AG_NELEM(requests); i++) {
			assert_true(raw_wait_end(&c[i], LONG_MS));
			raw_close(&c[i]);
		}
	}
}

/* A reply that nobody reads holds up a stop for its grace, not for the minutes that a slow reader may take. */
static void stops_with_a_reply_nobody_reads(void **state)
{
	raw_conn c;
	int64_t began;
	echo e;

	(void)state;
	echo_start(&e, NULL);
	assert_true(raw_open(&c, e.port) && raw_send(&c, POST("/big")));
	assert_true(becomes(&e.ncall, 1));
	assert_true(raw_more(&c, raw_now_ms() + LONG_MS)); /* it is on its way */
	began = raw_now_ms();
	e.d = ag_httpd_stop(e.d, 200);
	assert_true(raw_now_ms() - began < 30000);
	raw_close(&c);
	echo_stop(&e);
}

static unsigned count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* Short connections of all endings leave nothing behind. */
static void leaks_no_descriptor(void **state)
{
	unsigned before, after = 0;
	raw_reply r = { 0 };
	echo e;

	(void)state;
	echo_start(&e, NULL);
	assert_true(raw_once(e.port, POST("/"), &r));
	assert_true(raw_once(e.port, "GET / HTTP/1.1\r\n" HOST "\r\n", &r));
	usleep(50000);
	before = count_descriptors();
	for (unsigned i = 0; i < 400; i++) {
		raw_conn c;

		assert_true(raw_open(&c, e.port));
		if (i % 5 == 0)
			assert_true(raw_send(&c, POST("/stream/three")));
		else if (i % 5 == 1)
			assert_true(raw_send(&c, "GET / HTTP/1.1\r\n" HOST "\r\n"));
		else if (i % 5 == 2)
			assert_true(raw_send(&c, "POST / HTTP/1.1\r\n" HOST
			                         "Content-Length: 9\r\n\r\nhalf"));
		else if (i % 5 == 3)
			assert_true(raw_send(&c, POST("/")));
		if (i % 5 == 3)
			assert_next(&c, "POST|/|||");
		if (i % 3)
			raw_close(&c);
		else
			raw_abort(&c);
	}
	for (int64_t end = raw_now_ms() + LONG_MS; raw_now_ms() < end; usleep(10000)) {
		after = count_descriptors();
		if (after <= before)
			break;
	}
	assert_true(after <= before);
	free(r.body);
	echo_stop(&e);
}

/* --- many clients that hardly say anything --- */

#define NDRIP 600

typedef struct dripping {
	raw_conn c[NDRIP];
	unsigned port;
	const char *head;
	atomic_bool is_over;
	atomic_uint nround;
} dripping;

/* A byte on each of them, again and again; one that was closed comes back. */
static void *drip(void *arg)
{
	dripping *g = (dripping *)arg;

	while (!atomic_load(&g->is_over)) {
		for (unsigned i = 0; i < NDRIP && !atomic_load(&g->is_over); i++) {
			if (g->c[i].fd >= 0 && raw_send(&g->c[i], "x"))
				continue;
			if (g->c[i].buf)
				raw_close(&g->c[i]);
			if (raw_open(&g->c[i], g->port))
				raw_send(&g->c[i], g->head);
		}
		atomic_fetch_add(&g->nround, 1);
		usleep(50000);
	}
	return NULL;
}

/* Every connection is open and has had its first byte; later rounds may have begun. */
static void wait_for_round(const dripping *g)
{
	const int64_t end = raw_now_ms() + LONG_MS;

	while (!atomic_load(&g->nround) && raw_now_ms() < end)
		usleep(1000);
	assert_true(atomic_load(&g->nround) >= 1);
}

static int by_ms(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Milliseconds that a stranger waits for his answer, the connection included: the middle of many. */
static int wait_of_stranger(unsigned port)
{
	int ms[21];

	for (size_t i = 0; i < AG_NELEM(ms); i++) {
		const int64_t began = raw_now_ms();
		raw_reply r = { 0 };

		assert_true(raw_once(port, "GET / HTTP/1.1\r\n" HOST "\r\n", &r));
		assert_int_equal(r.status, 200);
		ms[i] = (int)(raw_now_ms() - began);
		free(r.body);
		usleep(20000);
	}
	qsort(ms, AG_NELEM(ms), sizeof(ms[0]), by_ms);
	return ms[AG_NELEM(ms) / 2];
}

/* With room for all of them, and without: then those that have waited longest are given up. */
static void many_that_drip(void **state)
{
	static const char *const heads[] = { "GET /drip HTTP/1.1\r\n" HOST "X-Drip: ",
		                             "POST /drip HTTP/1.1\r\n" HOST
		                             "Content-Length: 100000\r\n\r\n",
		                             "POST /drip HTTP/1.1\r\n" HOST
		                             "Transfer-Encoding: chunked\r\n\r\nfffff\r\n" };

	(void)state;
	for (unsigned i = 0; i < 2 * AG_NELEM(heads); i++) {
		dripping *g = (dripping *)ag_xcalloc(1, sizeof(*g));
		pthread_t t;
		int ms;
		echo e;

		echo_start(&e, &(ag_httpd_opts){ .max_connections = i % 2 ? 512 : 0 });
		g->port = e.port;
		g->head = heads[i / 2];
		for (unsigned j = 0; j < NDRIP; j++)
			g->c[j].fd = -1;
		assert_int_equal(pthread_create(&t, NULL, drip, g), 0);
		wait_for_round(g);
		ms = wait_of_stranger(e.port);
		if (ms > 100)
			fail_msg("form %u: %d ms", i, ms);
		atomic_store(&g->is_over, true);
		pthread_join(t, NULL);
		assert_int_equal(atomic_load(&e.ncall), 21);
		for (unsigned j = 0; j < NDRIP; j++)
			if (g->c[j].buf)
				raw_close(&g->c[j]);
		free(g);
		echo_stop(&e);
	}
}

#define NIDLE 200

#if !defined(AG_HAS_ASAN) && !defined(AG_HAS_TSAN) /* sanitizers have a heap of their own */
#define IDLE_BYTES (16u * 1024)

/* Bytes of the heap for each of many connections that wait, this test's own side included. */
static size_t bytes_of_idle(const char *request, const char *until)
{
	raw_conn c[NIDLE];
	size_t before, after;
	echo e;

	echo_start(&e, NULL);
	for (unsigned i = 0; i < 20; i++) { /* the workers have what they need */
		raw_reply r = { 0 };

		assert_true(raw_once(e.port, POST("/"), &r));
		free(r.body);
	}
	before = mallinfo2().uordblks;
	for (unsigned i = 0; i < NIDLE; i++) {
		assert_true(raw_open(&c[i], e.port) && raw_send(&c[i], request));
		assert_true(raw_wait(&c[i], until, LONG_MS));
		c[i].cap = 0;
		c[i].buf = (char *)ag_xrealloc(c[i].buf, c[i].n + 1);
	}
	after = mallinfo2().uordblks;
	atomic_store(&e.cancel, true);
	for (unsigned i = 0; i < NIDLE; i++)
		raw_close(&c[i]);
	echo_stop(&e);
	return after > before ? (after - before) / NIDLE : 0;
}
#endif

static void idle_ones_cost_little(void **state)
{
#if defined(AG_HAS_ASAN) || defined(AG_HAS_TSAN)
	(void)state;
	skip();
#else
	(void)state;
	assert_true(bytes_of_idle(POST("/"), "POST|/|||") < IDLE_BYTES);
	/* Without the threads that write them: the test's own. */
	assert_true(bytes_of_idle(POST("/stream/kept"), "data: kept\n\n") < IDLE_BYTES);
#endif
}

static unsigned count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

/* Streams that wait, and large replies that nobody reads, have no thread. */
static void no_threads_for_those_that_wait(void **state)
{
	raw_conn c[2 * NIDLE];
	unsigned before = 0;
	echo e;

	(void)state;
	echo_start(&e, NULL);
	for (unsigned i = 0; i < AG_NELEM(c); i++) {
		assert_true(raw_open(&c[i], e.port));
		if (i == 20)
			before = count_threads();
		assert_true(raw_send(&c[i], i % 20 ? POST("/stream/kept") : POST("/big")));
		assert_true(raw_wait(&c[i], "\r\n\r\n", LONG_MS));
	}
	assert_true(count_threads() <= before + 16); /* workers, at most */
	for (unsigned i = 0; i < AG_NELEM(c); i++)
		raw_close(&c[i]);
	echo_stop(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(body_comes_later),
		cmocka_unit_test(body_never_comes),
		cmocka_unit_test(both_kinds_in_one_packet),
		cmocka_unit_test(slow_readers),
		cmocka_unit_test(client_leaves),
		cmocka_unit_test(slow_ones_block_nobody),
		cmocka_unit_test(handler_takes_longer_than_idle),
		cmocka_unit_test(limits_are_kept),
		cmocka_unit_test(stops_in_the_middle),
		cmocka_unit_test(stops_with_a_reply_nobody_reads),
		cmocka_unit_test(leaks_no_descriptor),
		cmocka_unit_test(many_that_drip),
		cmocka_unit_test(idle_ones_cost_little),
		cmocka_unit_test(no_threads_for_those_that_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
