/* PostgreSQL's texts as JSON, without a server: every kind, arrays, and texts that no server would send. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sql/postgres_values.h"

enum {
	BOOL = 16,
	BYTEA = 17,
	INT8 = 20,
	INT4 = 23,
	TEXT = 25,
	JSON = 114,
	BOX_ARRAY = 1020,
	FLOAT8 = 701,
	INT4_ARRAY = 1007,
	TEXT_ARRAY = 1009,
	DATE = 1082,
	TIMESTAMP = 1114,
	TIMESTAMPTZ = 1184,
	TIMESTAMPTZ_ARRAY = 1185,
	NUMERIC_ARRAY = 1231,
	TIMETZ = 1266,
	NUMERIC = 1700,
	JSONB = 3802,
	JSONB_ARRAY = 3807
};

static void is_json(uint32_t oid, const char *text, const char *json)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(1 << 20);
	AG_AUTO(ag_buf_release) ag_buf scratch = AG_BUF_INIT(1 << 20);
	ag_pg_type type;

	assert_true(ag_pg_type_builtin(oid, &type));
	ag_postgres_value(&out, &type, ag_str_c(text), &scratch);
	assert_string_equal(ag_buf_view(&out).ptr, json);
}

static void numbers_a_double_holds_are_numbers(void **state)
{
	(void)state;
	is_json(INT4, "-2147483648", "-2147483648");
	is_json(INT8, "9007199254740991", "9007199254740991");
	is_json(INT8, "-9007199254740991", "-9007199254740991");
	is_json(INT8, "9007199254740992", "\"9007199254740992\"");
	is_json(INT8, "-9007199254740992", "\"-9007199254740992\"");
	is_json(INT8, "9223372036854775807", "\"9223372036854775807\"");
	is_json(FLOAT8, "0.1", "0.1");
	is_json(FLOAT8, "1e+300", "1e+300");
	is_json(FLOAT8, "1e-07", "1e-07");
	is_json(FLOAT8, "-0", "-0");
	is_json(FLOAT8, "NaN", "\"NaN\"");
	is_json(FLOAT8, "-Infinity", "\"-Infinity\"");
}

static void decimals_keep_their_digits(void **state)
{
	char tiny[400];

	(void)state;
	is_json(NUMERIC, "0", "0");
	is_json(NUMERIC, "0.000", "0.000");
	is_json(NUMERIC, "19.90", "19.90");
	is_json(NUMERIC, "123456789012345", "123456789012345");
	is_json(NUMERIC, "1234567890123456", "\"1234567890123456\"");
	is_json(NUMERIC, "0.000123456789012345", "0.000123456789012345");
	is_json(NUMERIC, "0.0001234567890123456", "\"0.0001234567890123456\"");
	is_json(NUMERIC, "2.5000000000000000", "2.5000000000000000"); /* an average */
	is_json(NUMERIC, "-2.3333333333333333", "\"-2.3333333333333333\"");
	is_json(NUMERIC, "100000000000000000000", "\"100000000000000000000\"");
	is_json(NUMERIC, "NaN", "\"NaN\"");
	is_json(NUMERIC, "Infinity", "\"Infinity\"");
	memset(tiny, '0', sizeof(tiny));
	memcpy(tiny, "0.", 2);
	memcpy(tiny + 350, "1", 2);
	{
		char quoted[410];

		snprintf(quoted, sizeof(quoted), "\"%s\"", tiny);
		is_json(NUMERIC, tiny, quoted); /* a double would make 0 of it */
	}
}

static void texts_times_and_bytes(void **state)
{
	(void)state;
	is_json(BOOL, "t", "true");
	is_json(BOOL, "f", "false");
	is_json(TEXT, "", "\"\"");
	is_json(TEXT, "a\"b\\c\n\xC3\xA4", "\"a\\\"b\\\\c\\n\xC3\xA4\"");
	is_json(BYTEA, "\\x00ff", "\"\\\\x00ff\"");
	is_json(DATE, "2026-03-01", "\"2026-03-01\"");
	is_json(DATE, "infinity", "\"infinity\"");
	is_json(TIMESTAMP, "2026-03-01 08:30:00.123456", "\"2026-03-01T08:30:00.123456\"");
	is_json(TIMESTAMP, "-infinity", "\"-infinity\"");
	is_json(TIMESTAMP, "0044-03-15 12:00:00 BC", "\"0044-03-15 12:00:00 BC\"");
	is_json(TIMESTAMP, "12345-03-01 08:30:00", "\"12345-03-01T08:30:00\"");
	is_json(TIMESTAMPTZ, "2026-03-01 08:30:00+00", "\"2026-03-01T08:30:00+00:00\"");
	is_json(TIMESTAMPTZ, "2026-03-01 08:30:00.5-03:30", "\"2026-03-01T08:30:00.5-03:30\"");
	is_json(TIMETZ, "08:30:00+02", "\"08:30:00+02:00\"");
	is_json(TIMETZ, "08:30:00+05:30", "\"08:30:00+05:30\"");
}

static void json_is_itself_on_one_line(void **state)
{
	char deep[2 * (AG_POSTGRES_MAX_JSON_DEPTH + 1) + 1], quoted[sizeof(deep) + 2];
	const size_t n = AG_POSTGRES_MAX_JSON_DEPTH;

	(void)state;
	is_json(JSONB, "{\"a\": [1, 2.50, \"]\\\"\"]}", "{\"a\": [1, 2.50, \"]\\\"\"]}");
	is_json(JSON, "{\n\t\"a\" : 12345678901234567890\r\n}",
	        "{ \t\"a\" : 12345678901234567890  }");
	is_json(JSON, "[1,\n2]", "[1, 2]");
	is_json(JSON, "\"a\\nb\"", "\"a\\nb\"");
	is_json(JSON, "", "\"\"");
	memset(deep, '[', n);
	memset(deep + n, ']', n);
	deep[2 * n] = '\0';
	is_json(JSON, deep, deep);
	memset(deep, '[', n + 1);
	memset(deep + n + 1, ']', n + 1);
	deep[2 * n + 2] = '\0';
	snprintf(quoted, sizeof(quoted), "\"%s\"", deep);
	is_json(JSON, deep, quoted);
}

static void arrays_are_arrays(void **state)
{
	(void)state;
	is_json(INT4_ARRAY, "{}", "[]");
	is_json(INT4_ARRAY, "{1,NULL,3}", "[1,null,3]");
	is_json(INT4_ARRAY, "{{1,2},{3,4}}", "[[1,2],[3,4]]");
	is_json(INT4_ARRAY, "[0:1][-1:0]={{1,2},{3,4}}", "[[1,2],[3,4]]");
	is_json(TEXT_ARRAY, "{a,\"b c\",\"d\\\"e\\\\\",NULL,\"NULL\",\"\"}",
	        "[\"a\",\"b c\",\"d\\\"e\\\\\",null,\"NULL\",\"\"]");
	is_json(TEXT_ARRAY, "{\"{}\",\"a,b\"}", "[\"{}\",\"a,b\"]");
	is_json(NUMERIC_ARRAY, "{1.50,NaN,12345678901234567}",
	        "[1.50,\"NaN\",\"12345678901234567\"]");
	is_json(TIMESTAMPTZ_ARRAY, "{\"2026-03-01 08:30:00+00\"}",
	        "[\"2026-03-01T08:30:00+00:00\"]");
	is_json(JSONB_ARRAY, "{\"{\\\"a\\\": 1}\",NULL}", "[{\"a\": 1},null]");
	is_json(BOX_ARRAY, "{(1,1),(0,0);(2,2),(0,0)}", "[\"(1,1),(0,0)\",\"(2,2),(0,0)\"]");
}

static void what_is_not_of_its_type_is_quoted(void **state)
{
	(void)state;
	is_json(INT4, "1]", "\"1]\"");
	is_json(INT4, "01", "\"01\"");
	is_json(INT8, "", "\"\"");
	is_json(FLOAT8, "1.", "\"1.\"");
	is_json(NUMERIC, "1,2", "\"1,2\"");
	is_json(BOOL, "true", "\"true\"");
	is_json(TIMESTAMP, "2026-03-01 \"08\"", "\"2026-03-01 \\\"08\\\"\"");
	is_json(INT4_ARRAY, "{1,2", "\"{1,2\"");
	is_json(INT4_ARRAY, "{1,}", "\"{1,}\"");
	is_json(INT4_ARRAY, "{,}", "\"{,}\"");
	is_json(INT4_ARRAY, "{1}x", "\"{1}x\"");
	is_json(INT4_ARRAY, "{1}{2}", "\"{1}{2}\"");
	is_json(INT4_ARRAY, "{{{{{{{1}}}}}}}", "\"{{{{{{{1}}}}}}}\"");
	is_json(TEXT_ARRAY, "{\"a\\", "\"{\\\"a\\\\\"");
	is_json(TEXT_ARRAY, "", "\"\"");
	is_json(TEXT_ARRAY, "[0:1]", "\"[0:1]\"");
}

static void types_have_the_names_of_the_database(void **state)
{
	static const struct {
		uint32_t oid;
		int modifier;
		const char *text;
	} rows[] = {
		{ 16, -1, "boolean" },
		{ 23, -1, "integer" },
		{ 1009, -1, "text[]" },
		{ 1700, -1, "numeric" },
		{ 1700, ((10 << 16) | 2) + 4, "numeric(10,2)" },
		{ 1700, ((3 << 16) | (-2 & 0x7FF)) + 4, "numeric(3,-2)" },
		{ 1231, ((10 << 16) | 2) + 4, "numeric(10,2)[]" },
		{ 1043, 24, "character varying(20)" },
		{ 1042, 5, "character(1)" },
		{ 1015, 24, "character varying(20)[]" },
		{ 1184, -1, "timestamp with time zone" },
		{ 1114, 3, "timestamp(3) without time zone" },
		{ 1186, (int)((0x7FFFu << 16) | 2), "interval(2)" },
		{ 1186, (int)((0x7FFFu << 16) | 0xFFFF), "interval" },
		{ 1560, 8, "bit(8)" },
		{ 18, -1, "\"char\"" },
	};
	ag_arena *arena = ag_arena_new();
	ag_pg_type type;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		assert_true(ag_pg_type_builtin(rows[i].oid, &type));
		assert_string_equal(ag_pg_type_text(&type, rows[i].modifier, arena).ptr,
		                    rows[i].text);
	}
	assert_false(ag_pg_type_builtin(0, &type));
	assert_false(ag_pg_type_builtin(16384, &type));
	assert_false(ag_pg_type_builtin(UINT32_MAX, &type));
	ag_arena_free(arena);
}

static void a_full_buffer_stays_full(void **state)
{
	ag_buf out, scratch = AG_BUF_INIT(100);
	ag_pg_type type;

	(void)state;
	assert_true(ag_pg_type_builtin(TEXT_ARRAY, &type));
	for (size_t limit = 0; limit < 20; limit++) {
		ag_buf_init(&out, limit);
		ag_postgres_value(&out, &type, AG_S("{abc,\"d e\",NULL}"), &scratch);
		assert_int_equal(out.failed, limit < 18);
		assert_true(out.len <= limit);
		ag_buf_release(&out);
	}
	ag_buf_release(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_a_double_holds_are_numbers),
		cmocka_unit_test(decimals_keep_their_digits),
		cmocka_unit_test(texts_times_and_bytes),
		cmocka_unit_test(json_is_itself_on_one_line),
		cmocka_unit_test(arrays_are_arrays),
		cmocka_unit_test(what_is_not_of_its_type_is_quoted),
		cmocka_unit_test(types_have_the_names_of_the_database),
		cmocka_unit_test(a_full_buffer_stays_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
