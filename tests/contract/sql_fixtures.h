/* sql_fixtures -- one row per SQL engine, each with the same tables planted.
 *
 * Every test of tests/contract/test_sql*.c runs once per row: a file of SQLite, and a real PostgreSQL that is started for
 * the program and stopped at its end (without it its tests are skipped, with the reason). A test has one env: a database
 * that can be taken away and brought back, an open source, the result of the last statement.
 *
 * Planted: users (3 rows), orders (4), payments (2), secret (1), numbers (1 to 1000), the views user_names (of users), leak
 * (of secret) and leak2 (of leak). */
#ifndef TEST_SQL_FIXTURES_H
#define TEST_SQL_FIXTURES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sql/sql.h"

typedef struct env env;

typedef struct sql_fixture {
	const char *name;
	bool is_server; /* tells positions and types as PostgreSQL does */
	/* NULL, or why its tests are skipped. Once per program. */
	const char *(*start)(void);
	void (*stop)(void);
	ag_str (*uri)(env *e);     /* of the planted database */
	void (*take_away)(env *e); /* nothing answers any more */
	void (*bring_back)(env *e);
	/* Runs SQL as the owner, past Argus; the first value of the last row in the arena. */
	ag_str (*owner)(env *e, const char *sql);
} sql_fixture;

struct env {
	const sql_fixture *fixture;
	char folder[128];
	unsigned database; /* PostgreSQL: its number; 0 = not made yet */
	ag_arena *arena;
	ag_sql_source *source;
	ag_sql_opts opts; /* of the next open */
	ag_sql_request rq;
	ag_sql_result r;
	ag_ctx *ctx; /* NULL = none */
	ag_err err;
};

/* With e->opts; lists end with NULL and may be NULL. */
void sql_open_lists(env *e, const char *const *allowed, const char *const *excluded);
void sql_open(env *e);
/* e->r holds what came; e->rq is used with `sql` put in. */
void sql_run(env *e, const char *sql);
/* It ran, and these are its rows. */
void sql_assert_rows(env *e, const char *sql, const char *rows);
void sql_assert_ok(env *e, const char *sql);
/* The guard refused it by this rule, and nothing was sent. */
void sql_assert_refused(env *e, const char *sql, const char *rule);
/* It failed, and its class is this one. */
void sql_assert_failed(env *e, const char *sql, const char *code, const char *class_name);
void sql_assert_tables(env *e, const char *const *names); /* in any order; ends with NULL */

typedef struct sql_test {
	const char *name;
	CMUnitTestFunction run;
} sql_test;

/* Each test on each fixture, as "sqlite_caps"; the number of failed ones. */
int sql_run_suite(const sql_test *tests, size_t ntest);

#endif
