/* pg/ as a room that writes uses it: transactions of several runs with binds, session options, failures, stops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pg/exchange.h"
#include "real/postgres.h"
#include "sql/sql_error.h"

static test_postgres server;
static ag_pg *pg;
static ag_arena *arena;

static const ag_pg_opts writer = { .application = AG_S_INIT("writer"),
	                           .max_connections = 1,
	                           .statement_timeout_ms = 30000,
	                           .wait_timeout_ms = 5000,
	                           .connect_timeout_ms = 10000 };

static const ag_pg_step begin = { .name = "", .sql = AG_S_INIT("BEGIN"), .tags = "BEGIN" };
static const ag_pg_step commit = { .name = "", .sql = AG_S_INIT("COMMIT"), .tags = "COMMIT" };
static const ag_pg_step rollback = { .name = "", .sql = AG_S_INIT("ROLLBACK"), .tags = "ROLLBACK" };

/* The rows of a step as text: "1|a;2|NULL;". */
typedef struct rows {
	ag_buf text;
	size_t n, ntoo_large, most; /* most: rows that are wanted; 0 = all */
	ag_pg_sink sink;
} rows;

static bool take_columns(void *arg, const ag_pg_field *field, size_t n)
{
	(void)field;
	((rows *)arg)->n = n;
	return true;
}

static bool take_row(void *arg, const ag_str *cell)
{
	rows *r = (rows *)arg;

	for (size_t i = 0; i < r->n; i++) {
		ag_buf_add(&r->text, cell[i].ptr ? cell[i] : AG_S("NULL"));
		ag_buf_addc(&r->text, i + 1 < r->n ? '|' : ';');
	}
	return r->most == 0 || --r->most > 0;
}

static bool too_large(void *arg)
{
	((rows *)arg)->ntoo_large++;
	return true;
}

static void init_rows(rows *r)
{
	*r = (rows){ .sink = { take_columns, take_row, too_large, r } };
	ag_buf_init(&r->text, 1u << 20);
}

static int setup(void **state)
{
	(void)state;
	arena = ag_arena_new();
	test_postgres_tell(&server, "CREATE TABLE notes (id int PRIMARY KEY, body text);"
	                            "CREATE ROLE reader;"
	                            "GRANT ALL ON notes TO reader;");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ag_arena_free(arena);
	test_postgres_stop(&server);
	return 0;
}

static void open_with(const ag_pg_opts *opts)
{
	ag_err err;

	assert_int_equal(ag_pg_open(ag_str_c(server.uri), opts, &pg, &err), AG_OK);
}

static ag_pg_conn *take_with(const ag_ctx *ctx, ag_pg_exchange *x)
{
	const ag_pg_terms terms = {
		.ctx = ctx, .timeout_ms = 30000, .watch_fd = -1, .max_row_bytes = 10000
	};
	ag_pg_failure failure;
	ag_pg_conn *c;

	if (!ag_pg_take(pg, ctx, -1, false, arena, &c, &failure))
		fail_msg("no connection: %.*s", AG_FMT(failure.message));
	ag_pg_exchange_begin(x, pg, c, &terms, arena);
	return c;
}

static void give(ag_pg_exchange *x, ag_pg_conn *c)
{
	ag_pg_exchange_end(x);
	ag_pg_give(pg, c);
}

/* One value of the server, as another client sees it. */
static void assert_seen(const char *sql, const char *wanted)
{
	char line[256];

	assert_string_equal(test_postgres_ask(&server, sql, line, sizeof(line)), wanted);
}

/* The number of the server's process; a connection that was closed has another one after that. */
static void pid_of_session(char out[32])
{
	ag_pg_exchange x;
	ag_pg_conn *c = take_with(NULL, &x);
	rows r;
	ag_pg_step ask = { .name = "", .sql = AG_S("SELECT pg_backend_pid()"), .tags = "SELECT 1" };

	init_rows(&r);
	ask.sink = &r.sink;
	assert_true(ag_pg_exchange_run(&x, &ask, 1));
	snprintf(out, 32, "%s", r.text.ptr);
	ag_buf_release(&r.text);
	give(&x, c);
}

static void test_a_transaction_of_two_runs(void **state)
{
	const ag_str one[] = { AG_S("1"), AG_S("it's \"one\"") },
		     two[] = { AG_S("2"), { NULL, 0 } };
	const ag_str insert = AG_S(
		"INSERT INTO notes VALUES ($1::int, $2::text) RETURNING id, body");
	ag_pg_exchange x;
	ag_pg_conn *c;
	rows r;

	(void)state;
	open_with(&writer);
	init_rows(&r);
	c = take_with(NULL, &x);
	assert_false(ag_pg_has_prepared(c, 1));
	{
		const ag_pg_step steps[] = {
			{ .name = "insert", .sql = insert, .prepares = 1 },
			begin,
			{ .name = "insert",
			  .values = one,
			  .nvalue = 2,
			  .tags = "INSERT 0 1",
			  .sink = &r.sink },
			{ .name = "insert",
			  .values = two,
			  .nvalue = 2,
			  .tags = "INSERT 0 1",
			  .sink = &r.sink },
		};

		assert_true(ag_pg_exchange_run(&x, steps, AG_NELEM(steps)));
	}
	assert_string_equal(r.text.ptr, "1|it's \"one\";2|NULL;");
	assert_int_equal(x.result.failure.why, AG_PG_NO_FAILURE);
	assert_int_equal(x.result.transaction, 'T');
	assert_true(ag_pg_has_prepared(c, 1));
	assert_seen("SELECT count(*) FROM notes", "0");
	assert_true(ag_pg_exchange_finish(&x, &commit, 1));
	assert_int_equal(x.result.transaction, 'I');
	assert_seen("SELECT count(*) FROM notes WHERE body IS NULL", "1");
	give(&x, c);
	assert_int_equal(x.result.failure.why, AG_PG_NO_FAILURE);
	ag_buf_release(&r.text);
	ag_pg_close(pg);
}

static void test_a_step_that_fails(void **state)
{
	char before[32], after[32];
	ag_pg_exchange x;
	ag_pg_conn *c;

	(void)state;
	open_with(&writer);
	pid_of_session(before);
	c = take_with(NULL, &x);
	{
		const ag_pg_step steps[] = {
			begin,
			{ .name = "",
			  .sql = AG_S("INSERT INTO notes VALUES (7), (7)"),
			  .tags = "INSERT*",
			  .may_fail = true },
			commit,
		};

		assert_true(ag_pg_exchange_run(&x, steps, AG_NELEM(steps)));
		assert_ptr_equal(x.result.failed, &steps[1]);
	}
	assert_int_equal(x.result.failure.why, AG_PG_REFUSED);
	assert_string_equal(x.result.failure.sqlstate, "23505");
	assert_true(x.result.failure.message.len > 0 && x.result.failure.detail.len > 0);
	assert_int_equal(x.result.transaction, 'E');
	assert_true(ag_pg_exchange_finish(&x, &rollback, 1));
	give(&x, c);
	assert_string_equal(x.result.failure.sqlstate, "23505");
	assert_seen("SELECT count(*) FROM notes WHERE id = 7", "0");
	pid_of_session(after);
	assert_string_equal(before, after);
	ag_pg_close(pg);
}

/* The tag says that something else ran than the caller meant. */
static void test_another_command_spoils(void **state)
{
	const ag_pg_step step = { .name = "",
		                  .sql = AG_S("SET work_mem = '1MB'"),
		                  .tags = "SELECT*" };
	char before[32], after[32];
	ag_pg_exchange x;
	ag_pg_conn *c;

	(void)state;
	open_with(&writer);
	pid_of_session(before);
	c = take_with(NULL, &x);
	assert_false(ag_pg_exchange_run(&x, &step, 1));
	give(&x, c);
	pid_of_session(after);
	assert_string_not_equal(before, after);
	ag_pg_close(pg);
}

static void test_options_of_the_session(void **state)
{
	ag_pg_opts opts = writer;
	ag_pg_exchange x;
	ag_pg_conn *c;
	rows r;

	(void)state;
	opts.is_read_only = true;
	opts.idle_session_ms = 60000;
	opts.role = AG_S("reader");
	opts.schema = AG_S("other");
	open_with(&opts);
	init_rows(&r);
	c = take_with(NULL, &x);
	{
		const ag_pg_step steps[] = {
			{ .name = "",
			  .sql = AG_S("SELECT current_user, current_setting('search_path'),"
			              " current_setting('default_transaction_read_only'),"
			              " current_setting('idle_session_timeout')"),
			  .tags = "SELECT 1",
			  .sink = &r.sink },
			{ .name = "",
			  .sql = AG_S("INSERT INTO public.notes VALUES (8)"),
			  .tags = "INSERT*",
			  .may_fail = true },
		};

		/* A write that is refused is the statement's fault, not the session's. */
		assert_true(ag_pg_exchange_run(&x, steps, AG_NELEM(steps)));
	}
	assert_string_equal(r.text.ptr, "reader|pg_catalog,\"other\",pg_temp|on|1min;");
	assert_string_equal(x.result.failure.sqlstate, "25006");
	give(&x, c);
	ag_buf_release(&r.text);
	ag_pg_close(pg);
}

static void test_enough_of_one_run(void **state)
{
	ag_pg_step step = { .name = "",
		            .sql = AG_S("SELECT i FROM generate_series(1, 5) i"),
		            .tags = "SELECT*" };
	ag_pg_exchange x;
	ag_pg_conn *c;
	rows r;

	(void)state;
	open_with(&writer);
	init_rows(&r);
	step.sink = &r.sink;
	c = take_with(NULL, &x);
	r.most = 2;
	assert_true(ag_pg_exchange_run(&x, &step, 1));
	assert_string_equal(r.text.ptr, "1;2;");
	/* The next run has its rows again; one row of it is above the limit. */
	step.sql = AG_S("SELECT repeat('x', n) FROM (VALUES (1), (20000), (2)) v(n)");
	assert_true(ag_pg_exchange_run(&x, &step, 1));
	assert_string_equal(r.text.ptr, "1;2;x;xx;");
	assert_int_equal(r.ntoo_large, 1);
	give(&x, c);
	assert_int_equal(x.result.failure.why, AG_PG_NO_FAILURE);
	ag_buf_release(&r.text);
	ag_pg_close(pg);
}

static void test_a_stop_is_seen_before_the_commit(void **state)
{
	atomic_bool cancel = true;
	ag_ctx ctx = { .clock = &ag_clock_system, .cancel = NULL };
	char before[32], after[32];
	ag_pg_exchange x;
	ag_pg_conn *c;

	(void)state;
	open_with(&writer);
	pid_of_session(before);
	c = take_with(&ctx, &x);
	ctx.cancel = &cancel;
	{
		const ag_pg_step steps[] = {
			begin,
			{ .name = "",
			  .sql = AG_S("INSERT INTO notes VALUES (9)"),
			  .tags = "INSERT*",
			  .may_fail = true },
			{ .name = "",
			  .sql = AG_S("UPDATE notes SET body = '' WHERE pg_sleep(20) IS NULL"),
			  .tags = "UPDATE*",
			  .may_fail = true },
		};

		assert_true(ag_pg_exchange_run(&x, steps, AG_NELEM(steps)));
	}
	assert_int_not_equal(x.result.failure.why, AG_PG_NO_FAILURE);
	assert_true(ag_pg_exchange_finish(&x, &rollback, 1));
	give(&x, c);
	assert_int_equal(x.result.failure.why, AG_PG_STOPPED);
	assert_int_equal(x.result.failure.stop, AG_PG_STOP_CANCELLED);
	assert_seen("SELECT count(*) FROM notes WHERE id = 9", "0");
	pid_of_session(after);
	assert_string_equal(before, after);
	ag_pg_close(pg);
}

/* What sql/ reports as a lost connection may not go back into the pool. */
static void test_lost_connections_are_spoilt(void **state)
{
	static const char signs[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	(void)state;
	for (size_t i = 0; i < 36 * 36; i++) {
		static const char *const ends[] = { "000", "P01", "P02", "P03", "P04",
			                            "P05", "006", "300", "400" };

		for (size_t k = 0; k < AG_NELEM(ends); k++) {
			char name[6] = { signs[i / 36], signs[i % 36], ends[k][0],
				         ends[k][1],    ends[k][2],    '\0' };
			ag_sql_failure f;

			ag_sql_failure_of_state(name, &f);
			if (f.is_connection_lost && !ag_pg_spoils(name))
				fail_msg("%s does not spoil the session", name);
		}
	}
	assert_false(ag_pg_spoils("25006"));
	assert_false(ag_pg_spoils("42P01"));
	assert_false(ag_pg_spoils("57014"));
	assert_true(ag_pg_spoils("XX000"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_transaction_of_two_runs),
		cmocka_unit_test(test_a_step_that_fails),
		cmocka_unit_test(test_another_command_spoils),
		cmocka_unit_test(test_options_of_the_session),
		cmocka_unit_test(test_enough_of_one_run),
		cmocka_unit_test(test_a_stop_is_seen_before_the_commit),
		cmocka_unit_test(test_lost_connections_are_spoilt),
	};
	int started = test_postgres_start(&server);

	if (started == 77) {
		rmdir(server.folder);
		puts("1..0 # SKIP PostgreSQL 15 is not installed (package postgresql-15)");
		return 77;
	}
	AG_ASSERT(started == 0);
	return cmocka_run_group_tests(tests, setup, teardown);
}
