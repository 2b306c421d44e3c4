/* The JSON writer: separators, escapes, broken UTF-8, depth and limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "base/json.h"
#include "base/utf8.h"

static void assert_quoted(ag_str in, const char *want)
{
	ag_buf b = AG_BUF_INIT(4096);

	ag_json_quote(&b, in);
	assert_false(b.failed);
	assert_string_equal(b.ptr, want);
	ag_buf_release(&b);
}

static void one_line(void **state)
{
	ag_buf b = AG_BUF_INIT(1000);
	ag_jw w;

	(void)state;
	ag_jw_init(&w, &b, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "s", AG_S("x"));
	ag_jw_kint(&w, "i", INT64_MIN);
	ag_jw_kuint(&w, "u", UINT64_MAX);
	ag_jw_kdouble(&w, "d", 0.1);
	ag_jw_kbool(&w, "t", true);
	ag_jw_knull(&w, "n");
	ag_jw_ktime(&w, "z", 0);
	ag_jw_ktime_or_null(&w, "y", 0);
	ag_jw_ktime_or_null(&w, "x", 1500);
	ag_jw_kraw(&w, "r", AG_S("{\"k\": 1}"));
	ag_jw_kkey(&w, "a");
	ag_jw_arr(&w);
	ag_jw_obj(&w);
	ag_jw_obj_end(&w);
	ag_jw_arr(&w);
	ag_jw_arr_end(&w);
	ag_jw_double(&w, (double)NAN);
	ag_jw_double(&w, -(double)INFINITY);
	ag_jw_bool(&w, false);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	assert_string_equal(
		b.ptr, "{\"s\":\"x\",\"i\":-9223372036854775808,\"u\":18446744073709551615,"
		       "\"d\":0.1,\"t\":true,\"n\":null,\"z\":\"1970-01-01T00:00:00Z\",\"y\":null,"
		       "\"x\":\"1970-01-01T00:00:01.500Z\",\"r\":{\"k\": 1},"
		       "\"a\":[{},[],null,null,false]}");
	assert_int_equal(w.depth, 0);
	ag_buf_release(&b);
}

static void indented(void **state)
{
	ag_buf b = AG_BUF_INIT(1000);
	ag_jw w;

	(void)state;
	ag_jw_init(&w, &b, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "a");
	ag_jw_arr(&w);
	ag_jw_int(&w, 1);
	ag_jw_obj(&w);
	ag_jw_obj_end(&w);
	ag_jw_arr_end(&w);
	ag_jw_kkey(&w, "b");
	ag_jw_arr(&w);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	assert_string_equal(b.ptr, "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}");
	ag_buf_release(&b);
}

static void top_level_values_are_not_separated(void **state)
{
	ag_buf b = AG_BUF_INIT(1000);
	ag_jw w;

	(void)state;
	ag_jw_init(&w, &b, 0);
	ag_jw_int(&w, 1);
	ag_buf_addc(&b, '\n');
	ag_jw_arr(&w);
	ag_jw_int(&w, 2);
	ag_jw_int(&w, 3);
	ag_jw_arr_end(&w);
	assert_string_equal(b.ptr, "1\n[2,3]");
	ag_buf_release(&b);
}

static void escapes(void **state)
{
	(void)state;
	assert_quoted(AG_S(""), "\"\"");
	assert_quoted(ag_str_make(NULL, 0), "\"\"");
	assert_quoted(AG_S("\"\\/"), "\"\\\"\\\\/\"");
	assert_quoted(AG_S("\b\t\n\v\f\r\x1f\x7f"), "\"\\b\\t\\n\\u000b\\f\\r\\u001f\x7f\"");
	assert_quoted(ag_str_make("a\0b", 3), "\"a\\u0000b\"");
	/* In every position of the eight-byte step, and behind it. */
	for (size_t at = 0; at < 20; at++) {
		char in[20], want[32];

		memset(in, 'x', sizeof(in));
		in[at] = '"';
		memset(want, 'x', sizeof(want));
		want[0] = '"';
		want[1 + at] = '\\';
		want[2 + at] = '"';
		want[22] = '"';
		want[23] = '\0';
		assert_quoted(ag_str_make(in, sizeof(in)), want);
	}
}

/* Every ASCII character at every place of short texts, which are looked at a word at a time; as a value and as a key. */
static void escapes_at_any_place(void **state)
{
	(void)state;
	for (size_t len = 1; len < 20; len++) {
		char *p = malloc(len); /* its exact size, so that a read behind the end is seen */

		assert_non_null(p);
		for (size_t at = 0; at < len; at++) {
			for (int c = 0; c < 0x80; c++) {
				ag_buf one = AG_BUF_INIT(64), want = AG_BUF_INIT(200),
				       got = AG_BUF_INIT(200);
				ag_jw w;

				memset(p, 'a', len);
				p[at] = (char)c;
				ag_json_quote(&one, ag_str_make(p + at, 1));
				ag_buf_addf(&want, "{\"%.*s%.*s%.*s\":", (int)at, p,
				            (int)one.len - 2, one.ptr + 1, (int)(len - at - 1),
				            p + at + 1);
				ag_buf_add(&want, ag_str_make(want.ptr + 1, want.len - 2));
				ag_buf_addc(&want, '}');
				ag_jw_init(&w, &got, 0);
				ag_jw_obj(&w);
				ag_jw_key(&w, ag_str_make(p, len));
				ag_jw_str(&w, ag_str_make(p, len));
				ag_jw_obj_end(&w);
				assert_string_equal(got.ptr, want.ptr);
				ag_buf_release(&one);
				ag_buf_release(&want);
				ag_buf_release(&got);
			}
		}
		free(p);
	}
}

static void invalid_utf8_is_replaced(void **state)
{
	(void)state;
	assert_quoted(AG_S("caf\xC3\xA9 \xF0\x9F\x98\x80"), "\"caf\xC3\xA9 \xF0\x9F\x98\x80\"");
	assert_quoted(AG_S("\xEF\xBF\xBD"), "\"\xEF\xBF\xBD\"");
	assert_quoted(AG_S("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
	assert_quoted(AG_S("\xC3"), "\"\xEF\xBF\xBD\"");
	assert_quoted(AG_S("\xE2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
	assert_quoted(AG_S("\xC3\""), "\"\xEF\xBF\xBD\\\"\""); /* the quote is not swallowed */
}

/* Whatever bytes come in, the result is valid UTF-8 without a bare control or quote. */
static void random_bytes_stay_valid(void **state)
{
	uint64_t seed = 88172645463325252u;
	ag_buf b = AG_BUF_INIT(4096);

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char in[40];
		size_t n;

		for (n = 0; n < sizeof(in); n++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			in[n] = (char)(seed >>
			               (round & 1 ? 32 : 41)); /* all bytes, or half ASCII */
		}
		ag_buf_clear(&b);
		ag_json_quote(&b, ag_str_make(in, (size_t)(seed >> 8) % sizeof(in)));
		assert_true(ag_utf8_valid(ag_buf_view(&b)));
		for (size_t i = 1; i + 1 < b.len; i++) {
			assert_true((unsigned char)b.ptr[i] >= 0x20);
			if (b.ptr[i] == '\\')
				i++;
			else
				assert_int_not_equal(b.ptr[i], '"');
		}
		assert_int_equal(b.ptr[b.len - 1], '"');
	}
	ag_buf_release(&b);
}

static void depth_is_limited(void **state)
{
	ag_buf b = AG_BUF_INIT(4096);
	ag_jw w;

	(void)state;
	ag_jw_init(&w, &b, 0);
	for (int i = 0; i < AG_JW_MAX_DEPTH; i++)
		ag_jw_arr(&w);
	assert_false(b.failed);
	ag_jw_int(&w, 1);
	ag_jw_int(&w, 2);
	for (int i = 0; i < AG_JW_MAX_DEPTH; i++)
		ag_jw_arr_end(&w);
	assert_false(b.failed);
	assert_int_equal(b.len, 2 * AG_JW_MAX_DEPTH + 3);

	for (int i = 0; i < AG_JW_MAX_DEPTH + 50; i++)
		ag_jw_arr(&w);
	assert_true(b.failed);
	ag_jw_int(&w, 1);
	for (int i = 0; i < AG_JW_MAX_DEPTH + 50; i++)
		ag_jw_arr_end(&w);
	assert_int_equal(w.depth, 0);
	ag_buf_release(&b);
}

static void limit_of_the_buffer_sticks(void **state)
{
	ag_buf b = AG_BUF_INIT(10);
	ag_jw w;

	(void)state;
	ag_jw_init(&w, &b, 0);
	ag_jw_arr(&w);
	for (int i = 0; i < 100; i++)
		ag_jw_int(&w, 12);
	ag_jw_arr_end(&w);
	assert_true(b.failed);
	assert_true(b.len <= 10);
	ag_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line),
		cmocka_unit_test(indented),
		cmocka_unit_test(top_level_values_are_not_separated),
		cmocka_unit_test(escapes),
		cmocka_unit_test(escapes_at_any_place),
		cmocka_unit_test(invalid_utf8_is_replaced),
		cmocka_unit_test(random_bytes_stay_valid),
		cmocka_unit_test(depth_is_limited),
		cmocka_unit_test(limit_of_the_buffer_sticks),
	};

	return cmocka_run_group_tests_name("base_json", tests, NULL, NULL);
}
