/* Every SQL engine: what a failure says, who stopped a statement, and a database that goes away and comes back (scenario 30
 * of the reference). */
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "contract/sql_fixtures.h"
#include "run/breaker.h"

/* Runs for hours. */
#define SLOW                                                               \
	"SELECT count(*) FROM numbers a, numbers b, numbers c, numbers d " \
	"WHERE a.n + b.n + c.n + d.n < 0"

/* --- words --- */

static void test_classes(void **state)
{
	static const struct {
		const char *sql, *state, *class_name;
		uint32_t position; /* 0 = not asked */
	} want[] = {
		{ "SELECT nope FROM users", "42703", "column_not_found", 8 },
		{ "SELECT u.nope FROM users u", "42703", "column_not_found", 8 },
		{ "SELECT 'ä', nope FROM users", "42703", "column_not_found", 13 },
		{ "SELECT * FROM nope", "42P01", "table_not_found", 0 },
		{ "SELECT id FROM users a, users b", "42702", "ambiguous", 8 },
		{ "SELEC 1", "42601", "syntax", 1 },
		{ "SELECT \"unsafe use of no such table: ambiguous", "42601", "syntax", 8 },
		{ "SELECT \"syntax error\" FROM users", "42703", "column_not_found", 8 },
		{ "SELECT FROM WHERE", "42601", "syntax", 0 },
		{ "SELECT id FROM users WHERE count(*) > 1", "42803", "grouping", 0 },
		{ "SELECT 1 FROM users ORDER BY 5", "42P10", "grouping", 0 },
		{ "SELECT 1 UNION SELECT 1, 2", "42601", "syntax", 0 },
		{ "SELECT substr()", "42883", "function_not_found", 0 },
	};
	env *e = *state;

	sql_open(e);
	for (size_t i = 0; i < AG_NELEM(want); i++) {
		sql_assert_failed(e, want[i].sql, "VALIDATION_ERROR", want[i].class_name);
		assert_string_equal(e->r.failure.sqlstate, want[i].state);
		assert_true(e->r.failure.hint.len > 0);
		assert_int_equal(ag_str_find(e->r.failure.message, '\n'), -1);
		if (want[i].position)
			assert_int_equal(e->r.failure.position, want[i].position);
	}
	sql_assert_failed(e,
	                  e->fixture->is_server
	                          ? "SELECT 1 / (id - 1) FROM users"
	                          : "SELECT abs(-9223372036854775807 - id) FROM users",
	                  "VALIDATION_ERROR", "invalid_value");
	assert_int_equal(e->r.rows.len, 0);
	assert_true(e->r.sql_executed.len > 0);
	sql_assert_rows(e, "SELECT 1", "[[1]]");
}

static void test_open_refuses(void **state)
{
	static const char *const uri[] = {
		"",        "users.db",          "mysql://root:topsecret@h/db",
		"sqlite:", "sqlite:no/such.db", "sqlite:/"
	};
	env *e = *state;

	for (size_t i = 0; i < AG_NELEM(uri); i++) {
		e->err = (ag_err){ 0 };
		assert_int_not_equal(ag_sql_open(ag_str_c(uri[i]), NULL, &e->source, &e->err),
		                     AG_OK);
		assert_true(e->err.msg[0] != '\0');
		assert_null(strstr(e->err.msg, "topsecret"));
		assert_null(e->source);
	}
	assert_true(ag_sql_accepts(AG_S("sqlite:x")));
	assert_true(ag_sql_accepts(AG_S("postgres://h/db")));
	assert_false(ag_sql_accepts(AG_S("x.sqlite")));
}

static void test_shown_without_password(void **state)
{
	env *e = *state;

	sql_open(e);
	assert_false(ag_str_contains(ag_sql_shown(e->source), AG_S("secret@")));
	assert_true(ag_sql_shown(e->source).len > 0);
}

/* --- who stopped it --- */

typedef struct later {
	pthread_t thread;
	atomic_bool *flag;
	int fd; /* closed */
} later;

static void *do_later(void *arg)
{
	later *l = arg;

	usleep(200000);
	if (l->flag)
		atomic_store(l->flag, true);
	else
		close(l->fd);
	return NULL;
}

static void start_later(later *l)
{
	assert_int_equal(pthread_create(&l->thread, NULL, do_later, l), 0);
}

/* The server has let go of it too. */
static void assert_nothing_runs(env *e)
{
	ag_str n = AG_S("0");

	if (!e->fixture->is_server)
		return;
	for (int i = 0; i < 100; i++) {
		n = e->fixture->owner(
			e, "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' "
			   "AND query LIKE '%numbers a, numbers b%' "
			   "AND pid <> pg_backend_pid()");
		if (ag_str_eqc(n, "0"))
			return;
		usleep(20000);
	}
	fail_msg("%.*s statements still run", AG_FMT(n));
}

static void test_cancel(void **state)
{
	env *e = *state;
	atomic_bool flag = false;
	ag_ctx ctx = { .clock = &ag_clock_system, .cancel = &flag, .nthread = 1 };
	later l = { .flag = &flag };
	int64_t start = ag_clock_mono(&ag_clock_system);

	sql_open(e);
	sql_assert_rows(e, "SELECT 1", "[[1]]");
	start_later(&l);
	e->ctx = &ctx;
	sql_assert_failed(e, SLOW, "CANCELLED", "cancelled");
	pthread_join(l.thread, NULL);
	assert_true(ag_clock_mono(&ag_clock_system) - start < 5000);
	assert_nothing_runs(e);
	/* Cancelled from the beginning: nothing is sent. */
	sql_assert_failed(e, "SELECT 1", "CANCELLED", "cancelled");
	assert_int_equal(e->r.sql_executed.len, 0);
	atomic_store(&flag, false);
	sql_assert_rows(e, "SELECT 1", "[[1]]");
}

static void test_client_goes_away(void **state)
{
	env *e = *state;
	int pair[2];
	later l = { 0 };

	sql_open(e);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	l.fd = pair[1];
	e->rq.watch_fd = pair[0];
	sql_assert_rows(e, "SELECT 1", "[[1]]");
	start_later(&l);
	sql_assert_failed(e, SLOW, "CANCELLED", "cancelled");
	pthread_join(l.thread, NULL);
	close(pair[0]);
	assert_nothing_runs(e);
	e->rq.watch_fd = -1;
	sql_assert_rows(e, "SELECT 1", "[[1]]");
}

static void test_deadline_of_the_caller(void **state)
{
	env *e = *state;
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };

	sql_open(e);
	sql_assert_rows(e, "SELECT 1", "[[1]]");
	ctx.deadline_ms = ag_clock_mono(&ag_clock_system) + 200;
	e->ctx = &ctx;
	sql_assert_failed(e, SLOW, "QUERY_TIMEOUT", "timeout");
	sql_assert_failed(e, "SELECT 1", "QUERY_TIMEOUT", "timeout"); /* it has passed */
	assert_nothing_runs(e);
	e->ctx = NULL;
	sql_assert_rows(e, "SELECT 1", "[[1]]");
}

/* --- the pool --- */

static void *run_slow(void *arg)
{
	env *e = arg;
	ag_sql_request rq = { .sql = AG_S(SLOW), .timeout_ms = 1500, .watch_fd = -1 };
	ag_arena *arena = ag_arena_new();
	ag_sql_result r;
	ag_err err;

	AG_ASSERT(ag_sql_query(e->source, NULL, &rq, arena, &r, &err) == AG_OK);
	AG_ASSERT(r.failure.code == AG_SQLCODE_QUERY_TIMEOUT);
	ag_sql_result_release(&r);
	ag_arena_free(arena);
	return NULL;
}

static void test_waiting_is_not_slowness(void **state)
{
	env *e = *state;
	pthread_t thread;
	ag_sql_health h;

	e->opts.max_connections = 1;
	e->opts.wait_timeout_ms = 200;
	sql_open(e);
	sql_assert_rows(e, "SELECT 1", "[[1]]");
	assert_int_equal(pthread_create(&thread, NULL, run_slow, e), 0);
	for (;;) {
		ag_sql_health_of(e->source, &h);
		if (h.nbusy)
			break;
		usleep(1000);
	}
	usleep(50000);
	sql_run(e, "SELECT 2");
	pthread_join(thread, NULL); /* before anything can fail: it uses e */
	assert_int_equal(e->r.failure.code, AG_SQLCODE_POOL_TIMEOUT);
	assert_string_equal(e->r.failure.class_name, "connection");
	assert_true(e->r.wait_us >= 150000);
	assert_int_equal(e->r.sql_executed.len, 0);
	sql_assert_rows(e, "SELECT 2", "[[2]]");
	ag_sql_health_of(e->source, &h);
	assert_int_equal(h.nbusy, 0);
	assert_int_equal(h.nquery, 4);
	assert_int_equal(h.nfailed, 2);
	assert_int_equal(h.breaker, AG_BREAKER_CLOSED);
}

/* --- scenario 30: the breaker --- */

static int64_t shift_ms;

static int64_t wall(void *self)
{
	(void)self;
	return ag_clock_wall(&ag_clock_system);
}

static int64_t shifted(void *self)
{
	(void)self;
	return ag_clock_mono(&ag_clock_system) + shift_ms;
}

static void test_scenario_30_breaker(void **state)
{
	static const ag_clock clock = { wall, shifted, NULL };
	env *e = *state;
	ag_ctx ctx = { .clock = &clock, .nthread = 1 };
	ag_sql_health h;

	shift_ms = 0;
	e->ctx = &ctx;
	e->opts.connect_timeout_ms = 2000;
	sql_open(e);
	sql_assert_rows(e, "SELECT 1", "[[1]]");
	/* What is wrong with a statement does not count. */
	for (int i = 0; i < 10; i++)
		sql_assert_failed(e, "SELECT nope FROM users", "VALIDATION_ERROR",
		                  "column_not_found");
	ag_sql_health_of(e->source, &h);
	assert_int_equal(h.breaker, AG_BREAKER_CLOSED);

	e->fixture->take_away(e);
	for (int i = 0; i < AG_BREAKER_FAILURES; i++)
		sql_assert_failed(e, "SELECT 1", "CONNECTION_ERROR", "connection");
	sql_assert_failed(e, "SELECT 1", "UNAVAILABLE", "connection");
	assert_in_range(e->r.failure.retry_after_ms, 1, 1000);
	assert_true(
		ag_str_contains(e->r.failure.message, AG_S("until the next probe is due in 1 s")));
	ag_sql_health_of(e->source, &h);
	assert_int_equal(h.breaker, AG_BREAKER_OPEN);

	/* The probe fails: open again, for twice as long. */
	shift_ms = 40000;
	sql_assert_failed(e, "SELECT 1", "CONNECTION_ERROR", "connection");
	sql_assert_failed(e, "SELECT 1", "UNAVAILABLE", "connection");
	assert_in_range(e->r.failure.retry_after_ms, 1000, 2000);

	/* And again. Back, but the next probe is not due: refused at once. */
	shift_ms = 60000;
	sql_assert_failed(e, "SELECT 1", "CONNECTION_ERROR", "connection");
	e->fixture->bring_back(e);
	sql_assert_failed(e, "SELECT 1", "UNAVAILABLE", "connection");
	assert_in_range(e->r.failure.retry_after_ms, 1, 4000);

	/* The probe works: closed. */
	shift_ms = 80000;
	sql_assert_rows(e, "SELECT 1", "[[1]]");
	ag_sql_health_of(e->source, &h);
	assert_int_equal(h.breaker, AG_BREAKER_CLOSED);
	sql_assert_rows(e, "SELECT count(*) FROM users", "[[3]]");
}

/* One statement may meet a server that was started again; nobody notices. */
static void test_server_came_back(void **state)
{
	env *e = *state;

	sql_open(e);
	sql_assert_rows(e, "SELECT count(*) FROM users", "[[3]]");
	e->fixture->take_away(e);
	e->fixture->bring_back(e);
	sql_assert_rows(e, "SELECT count(*) FROM users", "[[3]]");
}

/* --- what changes --- */

static void test_changes_are_seen(void **state)
{
	env *e = *state;

	sql_open(e);
	sql_assert_rows(e, "SELECT count(*) FROM users", "[[3]]");
	e->fixture->owner(e, "INSERT INTO users (id, name) VALUES (4, 'Dot')");
	sql_assert_rows(e, "SELECT count(*) FROM users", "[[4]]");
	e->fixture->owner(e, "CREATE TABLE fresh (id integer, x text)");
	sql_assert_rows(e, "SELECT count(x) FROM fresh", "[[0]]");
	/* A view that is made to read an excluded table. */
	e->fixture->owner(e,
	                  "DROP VIEW user_names; CREATE VIEW user_names AS SELECT k FROM secret");
	ag_sql_forget_catalog(e->source);
	sql_assert_refused(e, "SELECT * FROM user_names", "table_not_allowed");
	sql_assert_refused(e, "SELECT count(*) FROM user_names", "table_not_allowed");
}

int main(void)
{
	static const sql_test tests[] = {
		{ "classes", test_classes },
		{ "open_refuses", test_open_refuses },
		{ "shown_without_password", test_shown_without_password },
		{ "cancel", test_cancel },
		{ "client_goes_away", test_client_goes_away },
		{ "deadline_of_the_caller", test_deadline_of_the_caller },
		{ "waiting_is_not_slowness", test_waiting_is_not_slowness },
		{ "scenario_30_breaker", test_scenario_30_breaker },
		{ "server_came_back", test_server_came_back },
		{ "changes_are_seen", test_changes_are_seen },
	};

	return sql_run_suite(tests, AG_NELEM(tests));
}
