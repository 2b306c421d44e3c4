/* Statements that do not stop: a backend that is held with SIGSTOP answers neither a cancel nor pg_terminate_backend(), as one
 * does inside strpos() of a huge value. Each is counted until the server has ended it. */
#include "unit/postgres_engine.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "base/time.h"
#include "run/breaker.h"

#define SLEEP "SELECT pg_sleep(60)"

static int64_t now_ms(void)
{
	return ag_time_mono_us() / 1000;
}

/* Process numbers of the sessions of ours that run a statement, besides the one that asks. */
static int active(int64_t *pids, int cap)
{
	char line[400];
	int n = 0;

	test_postgres_ask(
		&server,
		"SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE application_name ="
		" 'argus' AND state = 'active' AND query LIKE '%pg_sleep(60)%'",
		line, sizeof(line));
	for (ag_str rest = ag_str_c(line); rest.len > 0 && n < cap; n++)
		assert_true(ag_str_to_i64(ag_str_split(&rest, ' '), &pids[n]));
	return n;
}

static void hold(int64_t pid)
{
	if (kill((pid_t)pid, SIGSTOP) != 0)
		skip(); /* the server runs as another user */
}

typedef struct call {
	pthread_t thread;
	pg_test *t;
	ag_sql_limits limits;
	ag_arena *arena;
	ag_sql_result r;
} call;

static void *call_it(void *arg)
{
	call *c = (call *)arg;
	ag_safe_sql safe = { .sql = AG_S(SLEEP), .max_rows = 500 };
	ag_err err;

	AG_ASSERT(engine->run(c->t->impl, &c->t->ctx, &safe, &c->limits, c->arena, &c->r, &err) ==
	          AG_OK);
	return NULL;
}

static void start(call *c, pg_test *t)
{
	c->t = t;
	if (!c->limits.max_bytes)
		c->limits = t->limits;
	c->limits.timeout_ms = 1500;
	c->arena = ag_arena_new();
	assert_int_equal(pthread_create(&c->thread, NULL, call_it, c), 0);
}

static void release(call *c)
{
	ag_buf_release(&c->r.rows);
	ag_arena_free(c->arena);
}

/* Runs n statements whose backends are held until all calls have ended. */
static void stick(pg_test *t, call *calls, int64_t *pids, int n)
{
	int64_t until = now_ms() + 1200;

	for (int i = 0; i < n; i++)
		start(&calls[i], t);
	while (active(pids, n) != n)
		assert_true(now_ms() < until);
	for (int i = 0; i < n; i++)
		hold(pids[i]);
	for (int i = 0; i < n; i++)
		assert_int_equal(pthread_join(calls[i].thread, NULL), 0);
}

static ag_sql_health health_of(const pg_test *t)
{
	ag_sql_health h = { 0 };

	engine->health(t->impl, &h);
	return h;
}

static void wait_until_stuck(const pg_test *t, unsigned n)
{
	int64_t until = now_ms() + 10000;

	while (health_of(t).nstuck != n) {
		assert_true(now_ms() < until);
		usleep(5000);
	}
}

static void wait_until_free(const pg_test *t)
{
	int64_t until = now_ms() + 10000;

	while (health_of(t).nbusy) {
		assert_true(now_ms() < until);
		usleep(5000);
	}
}

static void let_go(const int64_t *pids, int n)
{
	for (int i = 0; i < n; i++)
		kill((pid_t)pids[i], SIGCONT);
}

static void assert_has(ag_str text, const char *part)
{
	if (!ag_str_contains(text, ag_str_c(part)))
		print_error("\"%.*s\" lacks \"%s\"\n", AG_FMT(text), part);
	assert_true(ag_str_contains(text, ag_str_c(part)));
}

static void a_stuck_statement_counts_until_it_is_gone(void **state)
{
	ag_sql_opts opts = default_opts();
	call c = { 0 };
	char pid[40];
	int64_t pids[1];
	pg_test t;

	(void)state;
	opts.max_connections = 2;
	opts.wait_timeout_ms = 300;
	open_engine(&t, server.uri, &opts);
	stick(&t, &c, pids, 1);
	assert_false(c.r.is_ok);
	assert_int_equal(c.r.failure.code, AG_SQLCODE_QUERY_TIMEOUT);
	assert_true(c.r.failure.is_still_running);
	assert_string_equal(c.r.failure.class_name, "still_running");
	snprintf(pid, sizeof(pid), "backend %d", (int)pids[0]);
	assert_has(c.r.failure.message, pid);
	assert_has(c.r.failure.message, "still running it");
	assert_has(c.r.failure.message, "limit of 2 connections");
	assert_false(c.r.failure.is_connection_lost);
	assert_int_equal(health_of(&t).nstuck, 1);
	assert_int_equal(health_of(&t).stuck_pid[0], pids[0]);
	assert_int_equal(health_of(&t).nbusy, 1);
	assert_rows(&t, "SELECT 1", "[[1]]"); /* the other place */
	usleep(300000);
	assert_int_equal(health_of(&t).nstuck, 1);
	let_go(pids, 1);
	wait_until_stuck(&t, 0);
	wait_until_free(&t);
	assert_int_equal(active(pids, 1), 0);
	assert_rows(&t, "SELECT 1", "[[1]]");
	release(&c);
	close_engine(&t);
}

static void a_pool_that_is_stuck_says_so(void **state)
{
	ag_sql_opts opts = default_opts();
	call c[2] = { 0 };
	int64_t pids[2];
	pg_test t;

	(void)state;
	opts.max_connections = 2;
	opts.wait_timeout_ms = 300;
	open_engine(&t, server.uri, &opts);
	stick(&t, c, pids, 2);
	assert_int_equal(health_of(&t).nstuck, 2);
	run_sql(&t, "SELECT 1");
	assert_int_equal(t.r.failure.code, AG_SQLCODE_POOL_TIMEOUT);
	assert_has(t.r.failure.message, "2 of 2 connections are held by statements");
	let_go(pids, 2);
	wait_until_free(&t);
	assert_rows(&t, "SELECT 1", "[[1]]");
	release(&c[0]);
	release(&c[1]);
	close_engine(&t);
}

static atomic_int nheld;

static void keep_one(void *arg)
{
	atomic_fetch_add((atomic_int *)arg, 1);
}

static void release_one(void *arg)
{
	atomic_fetch_sub((atomic_int *)arg, 1);
}

static void the_hold_of_a_call_lasts_as_long(void **state)
{
	call c = { 0 };
	int64_t pids[1];
	pg_test t;

	(void)state;
	open_engine(&t, server.uri, NULL);
	c.limits = t.limits;
	c.limits.hold = (ag_sql_hold){ keep_one, release_one, &nheld };
	stick(&t, &c, pids, 1);
	assert_int_equal(atomic_load(&nheld), 1);
	let_go(pids, 1);
	wait_until_free(&t);
	assert_int_equal(atomic_load(&nheld), 0);
	release(&c);
	c = (call){ .limits = t.limits };
	c.limits.hold = (ag_sql_hold){ keep_one, release_one, &nheld };
	stick(&t, &c, pids, 1);
	assert_int_equal(atomic_load(&nheld), 1);
	close_engine(&t); /* the caller's data may go after this */
	assert_int_equal(atomic_load(&nheld), 0);
	let_go(pids, 1);
	release(&c);
}

static void closing_does_not_wait_for_stuck_ones(void **state)
{
	call c = { 0 };
	int64_t pids[1], from;
	pg_test t;

	(void)state;
	open_engine(&t, server.uri, NULL);
	stick(&t, &c, pids, 1);
	from = now_ms();
	close_engine(&t);
	assert_true(now_ms() - from < 5000);
	let_go(pids, 1);
	release(&c);
}

/* --- something in between closes the connection, the backend goes on --- */

typedef struct proxy {
	int listener, port;
	atomic_bool must_cut; /* closes the client's side, keeps the server's */
	atomic_bool is_over;
	pthread_t thread;
} proxy;

static int connect_to(int port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		                  .sin_port = htons((uint16_t)port),
		                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	AG_ASSERT(connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
	return fd;
}

static bool pump(int from, int to)
{
	char some[16384];
	ssize_t n = recv(from, some, sizeof(some), MSG_DONTWAIT);

	return n > 0 && send(to, some, (size_t)n, MSG_NOSIGNAL) == n;
}

static void *run_proxy(void *arg)
{
	enum { MAX_PAIRS = 16 };
	proxy *p = (proxy *)arg;
	int client[MAX_PAIRS], backend[MAX_PAIRS];
	size_t n = 0;

	while (!atomic_load(&p->is_over)) {
		struct pollfd fds[1 + 2 * MAX_PAIRS];

		if (atomic_exchange(&p->must_cut, false)) {
			for (size_t i = 0; i < n; i++) {
				if (client[i] >= 0)
					close(client[i]);
				client[i] = -1;
			}
		}
		fds[0] = (struct pollfd){ .fd = p->listener, .events = POLLIN };
		for (size_t i = 0; i < n; i++) {
			fds[1 + 2 * i] = (struct pollfd){ .fd = client[i], .events = POLLIN };
			fds[2 + 2 * i] = (struct pollfd){ .fd = client[i] < 0 ? -1 : backend[i],
				                          .events = POLLIN };
		}
		if (poll(fds, 1 + 2 * n, 10) <= 0)
			continue;
		for (size_t i = 0; i < n; i++) {
			if ((fds[1 + 2 * i].revents && !pump(client[i], backend[i])) ||
			    (fds[2 + 2 * i].revents && !pump(backend[i], client[i]))) {
				close(client[i]);
				close(backend[i]);
				client[i] = backend[i] = -1;
			}
		}
		if (fds[0].revents && n < MAX_PAIRS) {
			client[n] = accept(p->listener, NULL, NULL);
			backend[n++] = connect_to(server.port);
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (client[i] >= 0)
			close(client[i]);
		if (backend[i] >= 0)
			close(backend[i]);
	}
	return NULL;
}

static void start_proxy(proxy *p)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);

	memset(p, 0, sizeof(*p));
	p->listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(p->listener, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(p->listener, 16), 0);
	assert_int_equal(getsockname(p->listener, (struct sockaddr *)&at, &size), 0);
	p->port = ntohs(at.sin_port);
	assert_int_equal(pthread_create(&p->thread, NULL, run_proxy, p), 0);
}

static void stop_proxy(proxy *p)
{
	atomic_store(&p->is_over, true);
	pthread_join(p->thread, NULL);
	close(p->listener);
}

static void *cut_when_active(void *arg)
{
	int64_t pids[1];

	while (active(pids, 1) != 1)
		usleep(1000);
	hold(pids[0]);
	atomic_store(&((proxy *)arg)->must_cut, true);
	return (void *)(intptr_t)pids[0];
}

static void a_closed_socket_of_a_proxy_proves_nothing(void **state)
{
	call c = { 0 };
	void *held;
	char uri[200];
	pthread_t cutter;
	proxy p;
	pg_test t;

	(void)state;
	start_proxy(&p);
	snprintf(uri, sizeof(uri), "postgresql://postgres:secret@127.0.0.1:%d/postgres", p.port);
	open_engine(&t, uri, NULL);
	assert_int_equal(pthread_create(&cutter, NULL, cut_when_active, &p), 0);
	c.limits = t.limits;
	start(&c, &t);
	pthread_join(c.thread, NULL);
	pthread_join(cutter, &held);
	assert_int_equal(c.r.failure.code, AG_SQLCODE_CONNECTION);
	/* The server is asked, and says that the process is there. */
	wait_until_stuck(&t, 1);
	assert_int_equal(health_of(&t).stuck_pid[0], (int)(intptr_t)held);
	assert_int_equal(health_of(&t).nbusy, 1);
	kill((pid_t)(intptr_t)held, SIGCONT);
	wait_until_free(&t); /* it was asked to end */
	assert_rows(&t, "SELECT 1", "[[1]]");
	release(&c);
	close_engine(&t);
	stop_proxy(&p);
}

/* A server that went away with all its statements: the places come back when it does, and callers are told at once. */
static void places_of_a_lost_server_come_back(void **state)
{
	ag_sql_opts opts = default_opts();
	call c[2] = { 0 };
	int64_t pids[2], from, until;
	char uri[200];
	proxy p;
	pg_test t;

	(void)state;
	start_proxy(&p);
	opts.max_connections = 2;
	snprintf(uri, sizeof(uri), "postgresql://postgres:secret@127.0.0.1:%d/postgres", p.port);
	open_engine(&t, uri, &opts);
	start(&c[0], &t);
	start(&c[1], &t);
	until = now_ms() + 1200;
	while (active(pids, 2) != 2)
		assert_true(now_ms() < until);
	/* Nothing listens any more: neither the server nor, for new connections, the proxy. */
	atomic_store(&p.must_cut, true);
	pthread_join(c[0].thread, NULL);
	pthread_join(c[1].thread, NULL);
	assert_int_equal(c[0].r.failure.code, AG_SQLCODE_CONNECTION);
	wait_until_free(&t); /* asked, ended, gone */
	assert_int_equal(active(pids, 2), 0);
	from = now_ms();
	assert_rows(&t, "SELECT 1", "[[1]]");
	assert_true(now_ms() - from < 4000);
	release(&c[0]);
	release(&c[1]);
	close_engine(&t);
	stop_proxy(&p);
}

/* Where the role may set them; where it may not, the server's own hold. */
static void memory_and_files_are_limited(void **state)
{
	char uri[200];
	pg_test t;

	(void)state;
	open_engine(&t, server.uri, NULL);
	assert_rows(&t, "SELECT current_setting('temp_file_limit'), current_setting('work_mem')",
	            "[[\"1GB\",\"4MB\"]]");
	close_engine(&t);
	test_postgres_tell(&server,
	                   "CREATE ROLE plain LOGIN; ALTER ROLE plain SET work_mem = '1GB'");
	snprintf(uri, sizeof(uri), "postgresql://plain@/postgres?host=%s&port=%d", server.folder,
	         server.port);
	open_engine(&t, uri, NULL);
	assert_rows(&t, "SELECT current_setting('temp_file_limit'), current_setting('work_mem')",
	            "[[\"-1\",\"64MB\"]]");
	close_engine(&t);
}

/* --- the dispatcher --- */

static void run_query(ag_sql_source *s, const char *sql, ag_arena *arena, ag_sql_result *r)
{
	const ag_sql_request rq = { .sql = ag_str_c(sql), .watch_fd = -1 };
	ag_err err;

	assert_int_equal(ag_sql_query(s, NULL, &rq, arena, r, &err), AG_OK);
}

typedef struct query_call {
	pthread_t thread;
	ag_sql_source *s;
	ag_arena *arena;
	ag_sql_result r;
} query_call;

static void *query_it(void *arg)
{
	query_call *c = (query_call *)arg;
	const ag_sql_request rq = { .sql = AG_S("SELECT pg_sleep(60)"),
		                    .timeout_ms = 1500,
		                    .watch_fd = -1 };
	ag_err err;

	AG_ASSERT(ag_sql_query(c->s, NULL, &rq, c->arena, &c->r, &err) == AG_OK);
	return NULL;
}

static void several_stuck_ones_open_the_breaker(void **state)
{
	static const ag_str functions[] = { AG_S("pg_catalog.pg_sleep") };
	ag_sql_opts opts = default_opts();
	ag_arena *arena = ag_arena_new();
	query_call c[2] = { 0 };
	ag_sql_health h;
	int64_t pids[2], from, until;
	ag_sql_result r;
	ag_sql_source *s;
	ag_err err;

	(void)state;
	opts.policy.allowed_functions = functions;
	opts.policy.nallowed_function = 1;
	opts.max_connections = 4;
	assert_int_equal(ag_sql_open(ag_str_c(server.uri), &opts, &s, &err), AG_OK);
	run_query(s, "SELECT 1", arena, &r);
	assert_true(r.is_ok);
	ag_sql_result_release(&r);
	for (size_t i = 0; i < 2; i++) {
		c[i].s = s;
		c[i].arena = ag_arena_new();
		assert_int_equal(pthread_create(&c[i].thread, NULL, query_it, &c[i]), 0);
	}
	until = now_ms() + 1400;
	while (active(pids, 2) != 2)
		assert_true(now_ms() < until);
	hold(pids[0]);
	hold(pids[1]);
	for (size_t i = 0; i < 2; i++) {
		pthread_join(c[i].thread, NULL);
		assert_true(c[i].r.failure.is_still_running);
		ag_sql_result_release(&c[i].r);
		ag_arena_free(c[i].arena);
	}
	ag_sql_health_of(s, &h);
	assert_int_equal(h.nstuck, 2);
	assert_int_equal(h.stuck_limit, 2);
	from = now_ms();
	run_query(s, "SELECT 1", arena, &r);
	assert_true(now_ms() - from < 1000);
	assert_int_equal(r.failure.code, AG_SQLCODE_UNAVAILABLE);
	assert_string_equal(r.failure.class_name, "still_running");
	assert_has(r.failure.message, "2 of 4 connections");
	assert_true(r.failure.retry_after_ms > 0);
	ag_sql_result_release(&r);
	let_go(pids, 2);
	until = now_ms() + 10000;
	do {
		assert_true(now_ms() < until);
		usleep(5000);
		ag_sql_health_of(s, &h);
	} while (h.nstuck);
	run_query(s, "SELECT 1", arena, &r);
	assert_true(r.is_ok);
	ag_sql_result_release(&r);
	ag_sql_close(s);
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stuck_statement_counts_until_it_is_gone),
		cmocka_unit_test(a_pool_that_is_stuck_says_so),
		cmocka_unit_test(the_hold_of_a_call_lasts_as_long),
		cmocka_unit_test(closing_does_not_wait_for_stuck_ones),
		cmocka_unit_test(a_closed_socket_of_a_proxy_proves_nothing),
		cmocka_unit_test(places_of_a_lost_server_come_back),
		cmocka_unit_test(memory_and_files_are_limited),
		cmocka_unit_test(several_stuck_ones_open_the_breaker),
	};

	RUN_WITH_SERVER(tests, NULL, stop_server);
}
