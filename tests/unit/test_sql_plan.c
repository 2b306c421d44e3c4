/* What the planner's estimates refuse: one plan in, one verdict out. The plans are shortened ones of PostgreSQL 15. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sql/sql_plan.h"

#define PLAN(node) "[[[{\"Plan\": {" node "}}]]]"
#define SCAN(rows, width)                                                                  \
	"{\"Node Type\": \"Nested Loop\", \"Total Cost\": 10.5, \"Plan Rows\": " rows ", " \
	"\"Plan Width\": " width "}"
#define COLLECT(rows, width)                                                                              \
	PLAN("\"Node Type\": \"Aggregate\", \"Total Cost\": 20.5, \"Plan Rows\": 1, \"Plan Width\": 32, " \
	     "\"Plans\": [" SCAN(rows, width) "]")

static ag_sql_code checked(const char *plan, double max_cost, ag_sql_verdict v)
{
	ag_arena *arena = ag_arena_new();
	ag_sql_failure f = { 0 };
	bool may = ag_sql_plan_check(ag_str_c(plan), max_cost, &v, arena, &f);

	assert_int_equal(may, f.code == 0);
	ag_arena_free(arena);
	return f.code;
}

static void collected(void **state)
{
	const ag_sql_verdict v = { .collects = true };
	const ag_sql_verdict built = { .collects = true, .collected_bytes = 900 };

	(void)state;
	assert_int_equal(checked(COLLECT("1000000", "4"), 0, v), 0);
	assert_int_equal(checked(COLLECT("10000000", "4"), 0, v), AG_SQLCODE_TOO_COSTLY);
	/* A constant has no width in the plan. */
	assert_int_equal(checked(COLLECT("1000000", "0"), 0, v), 0);
	assert_int_equal(checked(COLLECT("1000000000000", "0"), 0, v), AG_SQLCODE_TOO_COSTLY);
	assert_int_equal(checked(COLLECT("10000", "0"), 0, built), 0);
	assert_int_equal(checked(COLLECT("1000000", "0"), 0, built), AG_SQLCODE_TOO_COSTLY);
	/* More rows than 64 bits count. */
	assert_int_equal(checked(COLLECT("430467210000000000000", "4"), 0, v),
	                 AG_SQLCODE_TOO_COSTLY);
	assert_int_equal(checked(COLLECT("430467210000000000000", "4"), 0, (ag_sql_verdict){ 0 }),
	                 0);
}

static void costs(void **state)
{
	const ag_sql_verdict v = { 0 };

	(void)state;
	assert_int_equal(checked(PLAN("\"Total Cost\": 99.5"), 100, v), 0);
	assert_int_equal(checked(PLAN("\"Total Cost\": 100.5"), 100, v), AG_SQLCODE_TOO_COSTLY);
	assert_int_equal(checked(PLAN("\"Total Cost\": 430467210000000000000.25"), 100, v),
	                 AG_SQLCODE_TOO_COSTLY);
	assert_int_equal(checked(PLAN("\"Total Cost\": 43046721000000000000000000000"), 100, v),
	                 AG_SQLCODE_TOO_COSTLY);
}

static void counted(void **state)
{
	const ag_sql_verdict v = { .max_plan_rows = 1000 };

	(void)state;
	assert_int_equal(checked(COLLECT("1000", "4"), 0, v), 0);
	assert_int_equal(checked(COLLECT("1001", "4"), 0, v), AG_SQLCODE_TOO_COSTLY);
	assert_int_equal(checked(COLLECT("430467210000000000000", "4"), 0, v),
	                 AG_SQLCODE_TOO_COSTLY);
	/* Nothing bounds it without a plan. */
	assert_int_equal(checked("[]", 0, v), AG_SQLCODE_TOO_COSTLY);
	assert_int_equal(checked("[]", 0, (ag_sql_verdict){ 0 }), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(collected),
		cmocka_unit_test(costs),
		cmocka_unit_test(counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
