/* Statements that are stopped: by time, by a flag, by a client that went away; each looked for on the server afterwards.
 * And the pool: how many, who waits, for how long. */
#include "unit/postgres_engine.h"

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include "base/time.h"

static int setup(void **state)
{
	(void)state;
	return 0;
}

static int64_t now_ms(void)
{
	return ag_time_mono_us() / 1000;
}

/* How many sessions of ours do something, besides the one that asks. */
static int active(void)
{
	char line[100];
	int64_t n;

	test_postgres_ask(&server,
	                  "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'argus'"
	                  " AND state <> 'idle'",
	                  line, sizeof(line));
	assert_true(ag_str_to_i64(ag_str_c(line), &n));
	return (int)n;
}

static void wait_until_active(int n)
{
	int64_t until = now_ms() + 10000;

	while (active() != n)
		assert_true(now_ms() < until);
}

typedef struct call {
	pthread_t thread;
	pg_test *t;
	const char *sql;
	ag_sql_limits limits;
	ag_ctx ctx;
	ag_arena *arena;
	ag_sql_result r;
	int64_t took_ms;
} call;

static void *call_it(void *arg)
{
	call *c = (call *)arg;
	ag_safe_sql safe = { .sql = ag_str_c(c->sql), .max_rows = 500 };
	int64_t from = now_ms();
	ag_err err;

	AG_ASSERT(engine->run(c->t->impl, &c->ctx, &safe, &c->limits, c->arena, &c->r, &err) ==
	          AG_OK);
	c->took_ms = now_ms() - from;
	return NULL;
}

static void start(call *c, pg_test *t, const char *sql)
{
	if (!c->limits.max_bytes)
		c->limits = t->limits;
	c->t = t;
	c->sql = sql;
	c->ctx.clock = &ag_clock_system;
	c->ctx.nthread = 1;
	c->arena = ag_arena_new();
	assert_int_equal(pthread_create(&c->thread, NULL, call_it, c), 0);
}

static void finish(call *c)
{
	assert_int_equal(pthread_join(c->thread, NULL), 0);
}

static void release(call *c)
{
	ag_buf_release(&c->r.rows);
	ag_arena_free(c->arena);
}

static void the_server_stops_in_time(void **state)
{
	int64_t from = now_ms();
	pg_test t;

	(void)state;
	open_engine(&t, server.uri, NULL);
	t.limits.timeout_ms = 300;
	assert_fails(&t, "SELECT pg_sleep(20)", AG_SQLCODE_QUERY_TIMEOUT, "57014");
	assert_string_equal(t.r.failure.class_name, "timeout");
	assert_true(now_ms() - from < 3000);
	wait_until_active(0);
	t.limits.timeout_ms = 30000;
	assert_rows(&t, "SELECT 1", "[[1]]");
	close_engine(&t);
}

/* The caller's own deadline is nearer than the server's. */
static void a_deadline_stops_it_on_the_server(void **state)
{
	char pid[40];
	pg_test t;

	(void)state;
	open_engine(&t, server.uri, NULL);
	snprintf(pid, sizeof(pid), "%s", run_sql(&t, "SELECT pg_backend_pid()")->rows.ptr);
	t.ctx.deadline_ms = ag_clock_mono(&ag_clock_system) + 300;
	assert_fails(&t, "SELECT pg_sleep(20)", AG_SQLCODE_QUERY_TIMEOUT, "57014");
	wait_until_active(0);
	t.ctx.deadline_ms = 0;
	assert_rows(&t, "SELECT pg_backend_pid()", pid); /* and the connection is used again */
	close_engine(&t);
}

static void a_flag_stops_it_on_the_server(void **state)
{
	atomic_bool flag = false;
	call c = { 0 };
	pg_test t;

	(void)state;
	open_engine(&t, server.uri, NULL);
	c.ctx.cancel = &flag;
	start(&c, &t, "SELECT pg_sleep(20)");
	wait_until_active(1);
	atomic_store(&flag, true);
	finish(&c);
	assert_false(c.r.is_ok);
	assert_int_equal(c.r.failure.code, AG_SQLCODE_CANCELLED);
	assert_string_equal(c.r.failure.class_name, "cancelled");
	assert_false(c.r.failure.is_connection_lost);
	wait_until_active(0);
	assert_rows(&t, "SELECT 1", "[[1]]");
	release(&c);
	close_engine(&t);
}

static void a_client_that_left_stops_it_on_the_server(void **state)
{
	int pair[2];
	call c = { 0 };
	pg_test t;

	(void)state;
	open_engine(&t, server.uri, NULL);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	c.limits = t.limits;
	c.limits.watch_fd = pair[0];
	start(&c, &t, "SELECT count(*) FROM generate_series(1, 1000000000)");
	wait_until_active(1);
	close(pair[1]);
	finish(&c);
	close(pair[0]);
	assert_int_equal(c.r.failure.code, AG_SQLCODE_CANCELLED);
	wait_until_active(0);
	assert_rows(&t, "SELECT 1", "[[1]]");
	release(&c);
	close_engine(&t);
}

/* Rows that stream without end are stopped as well: the socket is readable all the time. */
static void a_stream_is_stopped(void **state)
{
	pg_test t;

	(void)state;
	open_engine(&t, server.uri, NULL);
	t.limits.max_rows = 100000000;
	t.limits.max_bytes = 64 * 1024 * 1024;
	t.limits.timeout_ms = 200;
	assert_fails(&t, "SELECT generate_series(1, 1000000000), NULL", AG_SQLCODE_QUERY_TIMEOUT,
	             "57014");
	wait_until_active(0);
	close_engine(&t);
}

/* A server that does not answer any more, not even to a cancel: the call ends, the connection is given up. */
static void a_server_that_hangs_ends_the_call(void **state)
{
	int64_t from, pid;
	ag_str rows;
	call c = { 0 };
	pg_test t;

	(void)state;
	open_engine(&t, server.uri, NULL);
	rows = ag_buf_view(&run_sql(&t, "SELECT pg_backend_pid()")->rows);
	assert_true(ag_str_to_i64(ag_str_make(rows.ptr + 2, rows.len - 4), &pid));
	c.limits = t.limits;
	c.limits.timeout_ms = 500;
	if (kill((pid_t)pid, SIGSTOP) != 0) {
		close_engine(&t);
		skip(); /* the server runs as another user */
	}
	from = now_ms();
	start(&c, &t, "SELECT 1");
	finish(&c);
	assert_int_equal(c.r.failure.code, AG_SQLCODE_QUERY_TIMEOUT);
	assert_true(now_ms() - from < 500 + 250 + 2 * 2000);
	assert_rows(&t, "SELECT 1", "[[1]]"); /* on another one */
	kill((pid_t)pid, SIGCONT);
	release(&c);
	close_engine(&t);
}

static void somebody_at_the_server_stops_it(void **state)
{
	call c = { 0 };
	pg_test t;

	(void)state;
	open_engine(&t, server.uri, NULL);
	start(&c, &t, "SELECT pg_sleep(20)");
	wait_until_active(1);
	test_postgres_tell(&server, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE"
	                            " application_name = 'argus' AND state <> 'idle'");
	finish(&c);
	assert_int_equal(c.r.failure.code, AG_SQLCODE_CANCELLED);
	release(&c);
	c = (call){ 0 };
	start(&c, &t, "SELECT pg_sleep(20)");
	wait_until_active(1);
	test_postgres_tell(&server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE"
	                            " application_name = 'argus' AND state <> 'idle'");
	finish(&c);
	assert_int_equal(c.r.failure.code, AG_SQLCODE_CONNECTION);
	assert_string_equal(c.r.failure.sqlstate, "57P01");
	assert_true(c.r.failure.is_connection_lost);
	assert_true(c.took_ms < 15000); /* it had begun: not sent again */
	assert_rows(&t, "SELECT 1", "[[1]]");
	release(&c);
	close_engine(&t);
}

static void *hold_a_lock(void *arg)
{
	(void)arg;
	test_postgres_tell(&server, "BEGIN; LOCK TABLE locked; SELECT pg_sleep(2)");
	return NULL;
}

static void a_lock_of_others_is_no_wait_without_end(void **state)
{
	ag_sql_opts opts = default_opts();
	pthread_t holder;
	pg_test t;

	(void)state;
	test_postgres_tell(&server, "CREATE TABLE locked (id int)");
	opts.statement_timeout_ms = 300;
	open_engine(&t, server.uri, &opts);
	assert_int_equal(pthread_create(&holder, NULL, hold_a_lock, NULL), 0);
	do {
		run_sql(&t, "SELECT * FROM locked");
	} while (t.r.is_ok);
	assert_int_equal(t.r.failure.code, AG_SQLCODE_QUERY_TIMEOUT);
	pthread_join(holder, NULL);
	assert_rows(&t, "SELECT * FROM locked", "[]");
	close_engine(&t);
}

/* --- the pool --- */

static void connections_are_opened_when_needed(void **state)
{
	ag_sql_opts opts = default_opts();
	ag_sql_health health = { 0 };
	call calls[6] = { 0 };
	pg_test t;

	(void)state;
	opts.max_connections = 3;
	open_engine(&t, server.uri, &opts);
	engine->health(t.impl, &health);
	assert_int_equal(health.nopen, 0);
	for (int i = 0; i < 5; i++)
		assert_rows(&t, "SELECT 1", "[[1]]");
	engine->health(t.impl, &health);
	assert_int_equal(health.nopen, 1);
	assert_int_equal(health.nbusy, 0);
	for (size_t i = 0; i < AG_NELEM(calls); i++)
		start(&calls[i], &t, "SELECT pg_sleep(0.3)");
	wait_until_active(3);
	engine->health(t.impl, &health);
	assert_int_equal(health.nopen, 3);
	assert_int_equal(health.nbusy, 3);
	for (size_t i = 0; i < AG_NELEM(calls); i++) {
		finish(&calls[i]);
		assert_true(calls[i].r.is_ok);
		release(&calls[i]);
	}
	engine->health(t.impl, &health);
	assert_int_equal(health.nopen, 3);
	assert_int_equal(health.nbusy, 0);
	close_engine(&t);
}

static void waiting_too_long_is_another_failure(void **state)
{
	ag_sql_opts opts = default_opts();
	call busy = { 0 };
	atomic_bool flag = false;
	call waiting = { 0 };
	int64_t from;
	pg_test t;

	(void)state;
	opts.max_connections = 1;
	opts.wait_timeout_ms = 200;
	open_engine(&t, server.uri, &opts);
	start(&busy, &t, "SELECT pg_sleep(3)");
	wait_until_active(1);
	from = now_ms();
	run_sql(&t, "SELECT 1");
	assert_false(t.r.is_ok);
	assert_int_equal(t.r.failure.code, AG_SQLCODE_POOL_TIMEOUT);
	assert_false(t.r.failure.is_connection_lost);
	assert_string_equal(t.r.sql_executed.ptr, "");
	assert_true(t.r.wait_us >= 200000);
	assert_true(now_ms() - from < 2000);
	finish(&busy);
	assert_true(busy.r.is_ok);
	release(&busy);
	close_engine(&t);

	/* Who waits can be cancelled. */
	opts.wait_timeout_ms = 20000;
	open_engine(&t, server.uri, &opts);
	busy = (call){ 0 };
	start(&busy, &t, "SELECT pg_sleep(2)");
	wait_until_active(1);
	waiting.ctx.cancel = &flag;
	start(&waiting, &t, "SELECT 1");
	usleep(100000);
	atomic_store(&flag, true);
	finish(&waiting);
	assert_int_equal(waiting.r.failure.code, AG_SQLCODE_CANCELLED);
	assert_true(waiting.took_ms < 1500);
	finish(&busy);
	release(&waiting);
	release(&busy);
	close_engine(&t);
}

typedef struct many {
	pthread_t thread;
	pg_test *t;
	int seed, nfailed;
} many;

static void *many_calls(void *arg)
{
	many *m = (many *)arg;

	for (int i = 0; i < 100; i++) {
		char sql[100], want[64];
		call c = { .t = m->t, .sql = sql, .limits = m->t->limits };

		c.ctx = (ag_ctx){ .clock = &ag_clock_system, .nthread = 1 };
		c.arena = ag_arena_new();
		snprintf(sql, sizeof(sql), i % 10 == 9 ? "SELECT %d/0" : "SELECT %d",
		         m->seed * 1000 + i);
		snprintf(want, sizeof(want), "[[%d]]", m->seed * 1000 + i);
		call_it(&c);
		if (i % 10 == 9 ? strcmp(c.r.failure.sqlstate, "22012") != 0
		                : !c.r.is_ok || strcmp(c.r.rows.ptr, want) != 0)
			m->nfailed++;
		release(&c);
	}
	return NULL;
}

static void each_thread_gets_its_own_answer(void **state)
{
	ag_sql_opts opts = default_opts();
	many threads[8];
	pg_test t;

	(void)state;
	opts.max_connections = 3;
	open_engine(&t, server.uri, &opts);
	for (int i = 0; i < 8; i++) {
		threads[i] = (many){ .t = &t, .seed = i + 1 };
		assert_int_equal(pthread_create(&threads[i].thread, NULL, many_calls, &threads[i]),
		                 0);
	}
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i].thread, NULL);
		assert_int_equal(threads[i].nfailed, 0);
	}
	close_engine(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_server_stops_in_time),
		cmocka_unit_test(a_deadline_stops_it_on_the_server),
		cmocka_unit_test(a_flag_stops_it_on_the_server),
		cmocka_unit_test(a_client_that_left_stops_it_on_the_server),
		cmocka_unit_test(a_stream_is_stopped),
		cmocka_unit_test(a_server_that_hangs_ends_the_call),
		cmocka_unit_test(somebody_at_the_server_stops_it),
		cmocka_unit_test(a_lock_of_others_is_no_wait_without_end),
		cmocka_unit_test(connections_are_opened_when_needed),
		cmocka_unit_test(waiting_too_long_is_another_failure),
		cmocka_unit_test(each_thread_gets_its_own_answer),
	};

	RUN_WITH_SERVER(tests, setup, stop_server);
}
