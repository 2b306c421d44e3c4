/* SQLSTATE to code, class and guidance: every class of PostgreSQL's appendix A, and what is told apart within one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sql/sql_error.h"

/* The classes of the manual of PostgreSQL 15, appendix A. */
static const char *const classes[] = {
	"00", "01", "02", "03", "08", "09", "0A", "0B", "0F", "0L", "0P", "0Z", "20", "21", "22",
	"23", "24", "25", "26", "27", "28", "2B", "2D", "2F", "34", "38", "39", "3B", "3D", "3F",
	"40", "42", "44", "53", "54", "55", "57", "58", "72", "F0", "HV", "P0", "XX",
};

static const char *const class_names[] = {
	"syntax",     "column_not_found", "table_not_found", "function_not_found",
	"ambiguous",  "grouping",         "type_mismatch",   "invalid_value",
	"permission", "timeout",          "cancelled",       "connection",
	"refused",    "rate_limit",       "resource",        "execution",
};

static bool is_class_name(const char *name)
{
	for (size_t i = 0; i < AG_NELEM(class_names); i++)
		if (strcmp(class_names[i], name) == 0)
			return true;
	return false;
}

static void test_every_class(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(classes); i++) {
		/* A state that no row can name: the words are those of the class. */
		char text[6] = { classes[i][0], classes[i][1], 'Z', 'Z', 'Z', '\0' };
		ag_sql_failure f;

		ag_sql_failure_of_state(text, &f);
		assert_string_equal(f.sqlstate, text);
		assert_int_not_equal(f.code, AG_SQLCODE_NONE);
		assert_true(is_class_name(f.class_name));
		/* 00 to 02 are no failures; all else says what to do. */
		if (strcmp(classes[i], "03") >= 0 && f.hint.len == 0)
			fail_msg("class %s has no hint", classes[i]);
	}
}

static void test_known_states(void **state)
{
	static const struct {
		const char *state;
		ag_sql_code code;
		const char *class_name;
		bool is_lost;
	} want[] = {
		{ "42601", AG_SQLCODE_VALIDATION, "syntax", false },
		{ "42703", AG_SQLCODE_VALIDATION, "column_not_found", false },
		{ "42P01", AG_SQLCODE_VALIDATION, "table_not_found", false },
		{ "3F000", AG_SQLCODE_VALIDATION, "table_not_found", false },
		{ "42883", AG_SQLCODE_VALIDATION, "function_not_found", false },
		{ "42702", AG_SQLCODE_VALIDATION, "ambiguous", false },
		{ "42725", AG_SQLCODE_VALIDATION, "ambiguous", false },
		{ "42803", AG_SQLCODE_VALIDATION, "grouping", false },
		{ "42P20", AG_SQLCODE_VALIDATION, "grouping", false },
		{ "42804", AG_SQLCODE_VALIDATION, "type_mismatch", false },
		{ "42846", AG_SQLCODE_VALIDATION, "type_mismatch", false },
		{ "22P02", AG_SQLCODE_VALIDATION, "invalid_value", false },
		{ "22012", AG_SQLCODE_VALIDATION, "invalid_value", false },
		{ "22003", AG_SQLCODE_VALIDATION, "invalid_value", false },
		{ "42501", AG_SQLCODE_PERMISSION, "permission", false },
		{ "25006", AG_SQLCODE_VALIDATION, "refused", false },
		{ "25P02", AG_SQLCODE_INTERNAL, "execution", true },
		{ "25P03", AG_SQLCODE_CONNECTION, "connection", true },
		{ "28P01", AG_SQLCODE_CONNECTION, "connection", true },
		{ "08006", AG_SQLCODE_CONNECTION, "connection", true },
		{ "57P01", AG_SQLCODE_CONNECTION, "connection", true },
		{ "57014", AG_SQLCODE_QUERY_TIMEOUT, "timeout", false },
		{ "55P03", AG_SQLCODE_QUERY_TIMEOUT, "timeout", false },
		{ "53300", AG_SQLCODE_CONNECTION, "connection", true },
		{ "53200", AG_SQLCODE_UNAVAILABLE, "resource", false },
		{ "53400", AG_SQLCODE_TOO_COSTLY, "resource", false },
		{ "54001", AG_SQLCODE_VALIDATION, "resource", false },
		{ "40001", AG_SQLCODE_UNAVAILABLE, "execution", false },
		{ "XX001", AG_SQLCODE_INTERNAL, "execution", false },
		{ "", AG_SQLCODE_INTERNAL, "execution", false },
		{ "ZZZZZ", AG_SQLCODE_INTERNAL, "execution", false },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(want); i++) {
		char text[6] = "";
		ag_sql_failure f;

		memcpy(text, want[i].state, strlen(want[i].state));
		ag_sql_failure_of_state(text, &f);
		if (f.code != want[i].code || strcmp(f.class_name, want[i].class_name) != 0 ||
		    f.is_connection_lost != want[i].is_lost)
			fail_msg("%s is %s, %s, lost %d", want[i].state, ag_sql_code_name(f.code),
			         f.class_name, f.is_connection_lost);
	}
}

static void test_who_stopped_it(void **state)
{
	ag_sql_failure f;

	(void)state;
	ag_sql_failure_of_stop(AG_SQL_STOP_TIMEOUT, &f);
	assert_int_equal(f.code, AG_SQLCODE_QUERY_TIMEOUT);
	assert_string_equal(f.class_name, "timeout");
	assert_string_equal(f.sqlstate, "57014");
	assert_true(f.hint.len > 0);
	ag_sql_failure_of_stop(AG_SQL_STOP_CANCELLED, &f);
	assert_int_equal(f.code, AG_SQLCODE_CANCELLED);
	assert_string_equal(f.class_name, "cancelled");
	assert_string_equal(f.sqlstate, "57014");
	ag_sql_failure_of_stop(AG_SQL_STOP_CLIENT_GONE, &f);
	assert_int_equal(f.code, AG_SQLCODE_CANCELLED);
	assert_true(ag_str_contains(f.message, AG_S("disconnected")));
}

/* What has not stopped is not called stopped. */
static void test_still_running(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_sql_failure f;

	(void)state;
	ag_sql_failure_of_running(AG_SQL_STOP_TIMEOUT, false, 4711, 5, arena, &f);
	assert_int_equal(f.code, AG_SQLCODE_QUERY_TIMEOUT);
	assert_string_equal(f.class_name, "still_running");
	assert_true(f.is_still_running);
	assert_true(
		ag_str_contains(f.message, AG_S("the server is still running it (backend 4711)")));
	assert_true(ag_str_contains(f.message, AG_S("the limit of 5 connections")));
	assert_false(ag_str_contains(f.message, AG_S("was stopped")));
	ag_sql_failure_of_running(AG_SQL_STOP_CANCELLED, true, 0, 5, arena, &f);
	assert_int_equal(f.code, AG_SQLCODE_CANCELLED);
	assert_true(ag_str_contains(f.message, AG_S("the connection was lost")));
	assert_false(ag_str_contains(f.message, AG_S("backend")));
	ag_arena_free(arena);
}

static void test_waited_is_not_slow(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_sql_failure f;
	ag_err err;

	(void)state;
	ag_sql_failure_pool_timeout(5000, arena, &f);
	assert_string_equal(ag_sql_code_name(f.code), "CONNECTION_TIMEOUT");
	assert_true(ag_sql_code_retryable(f.code));
	assert_true(ag_str_contains(f.message, AG_S("5000 ms")));
	assert_false(f.is_connection_lost);

	ag_fail(&err, AG_TIMEOUT, "test", "the deadline passed");
	ag_sql_failure_of_err(&err, arena, &f);
	assert_string_equal(ag_sql_code_name(f.code), "QUERY_TIMEOUT");
	assert_false(ag_sql_code_retryable(f.code));
	assert_true(ag_str_eqc(f.message, "the deadline passed"));
	ag_arena_free(arena);
}

static void test_every_status(void **state)
{
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (int st = AG_INVALID; st < AG_STATUS_COUNT; st++) {
		ag_sql_failure f;
		ag_err err;

		ag_fail(&err, (ag_status)st, "test", "went wrong");
		ag_sql_failure_of_err(&err, arena, &f);
		assert_int_not_equal(f.code, AG_SQLCODE_NONE);
		assert_true(is_class_name(f.class_name));
		assert_true(ag_str_eqc(f.message, "went wrong"));
	}
	ag_arena_free(arena);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_class),        cmocka_unit_test(test_known_states),
		cmocka_unit_test(test_who_stopped_it),     cmocka_unit_test(test_still_running),
		cmocka_unit_test(test_waited_is_not_slow), cmocka_unit_test(test_every_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
