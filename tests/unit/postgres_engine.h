/* postgres_engine -- the PostgreSQL engine without dispatcher and guard: what a test needs to run any text on it. */
#ifndef AG_TESTS_POSTGRES_ENGINE_H
#define AG_TESTS_POSTGRES_ENGINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "real/postgres.h"
#include "sql/postgres.h"

typedef struct pg_test {
	ag_sql_opts opts;
	ag_sql_impl *impl;
	ag_arena *arena;
	ag_sql_limits limits; /* of the next statement */
	ag_ctx ctx;
	ag_sql_result r;
} pg_test;

static const ag_sql_engine *const engine = &ag_sql_engine_postgres;

static inline ag_sql_opts default_opts(void)
{
	return (ag_sql_opts){
		.policy = { .schema = AG_S("public") },
		.max_connections = 5,
		.max_result_bytes = 1024 * 1024,
		.statement_timeout_ms = 30000,
		.wait_timeout_ms = 5000,
		.connect_timeout_ms = 10000,
		.application = AG_S("argus"),
	};
}

/* opts is copied; NULL = the defaults. */
static inline void open_engine(pg_test *t, const char *uri, const ag_sql_opts *opts)
{
	ag_err err;

	memset(t, 0, sizeof(*t));
	t->opts = opts ? *opts : default_opts();
	t->arena = ag_arena_new();
	t->ctx = (ag_ctx){ .clock = &ag_clock_system, .nthread = 1 };
	t->limits = (ag_sql_limits){ .max_rows = 500,
		                     .max_bytes = t->opts.max_result_bytes,
		                     .timeout_ms = t->opts.statement_timeout_ms,
		                     .watch_fd = -1 };
	assert_true(engine->accepts(ag_str_c(uri)));
	assert_int_equal(engine->open(ag_str_c(uri), &t->opts, &t->impl, &err), AG_OK);
}

static inline void close_engine(pg_test *t)
{
	ag_buf_release(&t->r.rows);
	engine->close(t->impl);
	ag_arena_free(t->arena);
}

/* The result is in t->r until the next statement. */
static inline ag_sql_result *run_sql(pg_test *t, const char *sql)
{
	ag_safe_sql safe = { .sql = ag_str_c(sql), .max_rows = t->limits.max_rows };
	ag_err err;

	ag_buf_release(&t->r.rows);
	t->r = (ag_sql_result){ 0 };
	assert_int_equal(engine->run(t->impl, &t->ctx, &safe, &t->limits, t->arena, &t->r, &err),
	                 AG_OK);
	if (t->r.is_ok)
		assert_int_equal(t->r.failure.code, AG_SQLCODE_NONE);
	else
		assert_int_not_equal(t->r.failure.code, AG_SQLCODE_NONE);
	return &t->r;
}

/* A statement that failed is printed with the server's reason. */
static inline void assert_ran(const ag_sql_result *r)
{
	if (!r->is_ok)
		print_error("%.*s (%s)\n", AG_FMT(r->failure.message), r->failure.sqlstate);
	assert_true(r->is_ok);
}

static inline void assert_rows(pg_test *t, const char *sql, const char *rows)
{
	ag_sql_result *r = run_sql(t, sql);

	if (!r->is_ok)
		print_error("%s:\n", sql);
	assert_ran(r);
	assert_string_equal(r->rows.ptr, rows);
}

static inline void assert_fails(pg_test *t, const char *sql, ag_sql_code code, const char *state)
{
	ag_sql_result *r = run_sql(t, sql);

	assert_false(r->is_ok);
	if (r->failure.code != code || strcmp(r->failure.sqlstate, state) != 0)
		print_error("%s: %.*s\n", sql, AG_FMT(r->failure.message));
	assert_string_equal(r->failure.sqlstate, state);
	assert_int_equal(r->failure.code, code);
	assert_true(r->failure.message.len > 0);
}

/* The server of a test program: one for all its cases. */
static test_postgres server;

static inline int stop_server(void **state)
{
	(void)state;
	test_postgres_stop(&server);
	return 0;
}

/* Runs the cases, or gives 77 when there is no PostgreSQL. */
#define RUN_WITH_SERVER(tests, setup, teardown)                                                     \
	do {                                                                                        \
		int started = test_postgres_start(&server);                                         \
                                                                                                    \
		if (started == 77) {                                                                \
			rmdir(server.folder);                                                       \
			puts("1..0 # SKIP PostgreSQL 15 is not installed (package postgresql-15)"); \
			return 77;                                                                  \
		}                                                                                   \
		AG_ASSERT(started == 0);                                                            \
		return cmocka_run_group_tests(tests, setup, teardown);                              \
	} while (0)

#endif
