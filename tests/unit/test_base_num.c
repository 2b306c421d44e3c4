/* Numbers as text and back: the rule for points and exponents, and the round trip. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "base/num.h"

static void assert_double(double v, bool keep_point, const char *want)
{
	char out[AG_NUM_MAX];

	assert_int_equal(ag_num_double(out, v, keep_point), strlen(want));
	assert_string_equal(out, want);
}

static void doubles(void **state)
{
	(void)state;
	assert_double(0.0, false, "0");
	assert_double(0.0, true, "0.0");
	assert_double(-0.0, false, "-0");
	assert_double(5, false, "5");
	assert_double(5, true, "5.0");
	assert_double(0.1, true, "0.1");
	assert_double(1.1, false, "1.1");
	assert_double(-1234.5, false, "-1234.5");
	assert_double(0.1 + 0.2, false, "0.30000000000000004");
	assert_double(1e-6, false, "0.000001");
	assert_double(1.5e-7, false, "1.5e-7");
	assert_double(1e-7, true, "1e-7");
	assert_double(1e20, true, "100000000000000000000.0");
	assert_double(1e21, false, "1e+21");
	assert_double(1e22, true, "1e+22");
	assert_double(9007199254740993.0, false, "9007199254740992");
	assert_double(DBL_MAX, false, "1.7976931348623157e+308");
	assert_double(-DBL_MIN, false, "-2.2250738585072014e-308");
	assert_double(4.9406564584124654e-324, false, "5e-324");
	assert_double((double)NAN, true, "NaN");
	assert_double((double)INFINITY, true, "Infinity");
	assert_double(-(double)INFINITY, true, "-Infinity");
}

static void random_doubles_come_back(void **state)
{
	uint64_t seed = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		char out[AG_NUM_MAX];
		double v, back = 0;
		size_t n;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		memcpy(&v, &seed, sizeof(v));
		if (i & 1) /* every other one in the range without an exponent */
			v = (double)(int64_t)seed / 1048576;
		if (!isfinite(v))
			continue;
		n = ag_num_double(out, v, (i & 2) != 0);
		assert_in_range(n, 1, AG_NUM_MAX - 1);
		assert_int_equal(n, strlen(out));
		assert_true(ag_str_to_double(ag_str_make(out, n), &back));
		assert_memory_equal(&v, &back, sizeof(v));
	}
}

static void reading_doubles(void **state)
{
	static const char *const bad[] = {
		"",
		"-",
		".",
		"+.",
		"e5",
		"1e",
		"1e+",
		"1 ",
		" 1",
		"inf",
		"nan",
		"-Infinity",
		"0x10",
		"1e400",
		"-1e400",
		"1,5",
		"--1",
		"+-1",
		"1.2.3",
		"123456789e999999999999999999",
		"0.00000000000000000001e330",
	};
	double v = 42;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(bad); i++)
		assert_false(ag_str_to_double(ag_str_c(bad[i]), &v));
	assert_true(v == 42);
	assert_false(ag_str_to_double(ag_str_make(NULL, 0), &v));
	assert_true(ag_str_to_double(AG_S("+1.5E+3"), &v) && v == 1500);
	assert_true(ag_str_to_double(AG_S("1."), &v) && v == 1);
	assert_true(ag_str_to_double(AG_S("-.5"), &v) && v == -0.5);
	assert_true(ag_str_to_double(AG_S("0.0e999999"), &v) && v == 0);
	assert_true(ag_str_to_double(AG_S("-1e-400"), &v) && v == 0 && signbit(v));
	assert_true(ag_str_to_double(AG_S("1e-99999999999999999999"), &v) && v == 0);
	assert_true(ag_str_to_double(AG_S("1.7976931348623157e308"), &v) && v == DBL_MAX);
	assert_true(ag_str_to_double(AG_S("9007199254740993"), &v) && v == 9007199254740992.0);
	assert_true(ag_str_to_double(ag_str_make("1.25xyz", 4), &v) && v == 1.25);
}

static void integers(void **state)
{
	char out[AG_NUM_MAX];

	(void)state;
	assert_int_equal(ag_num_i64(out, INT64_MIN), 20);
	assert_string_equal(out, "-9223372036854775808");
	ag_num_i64(out, INT64_MAX);
	assert_string_equal(out, "9223372036854775807");
	ag_num_u64(out, UINT64_MAX);
	assert_string_equal(out, "18446744073709551615");
	assert_int_equal(ag_num_i64(out, 0), 1);
	assert_string_equal(out, "0");
	for (int64_t v = 1; v < INT64_MAX / 10; v *= 10) { /* each number of digits, both sides */
		int64_t back = 0;

		assert_true(ag_str_to_i64(ag_str_make(out, ag_num_i64(out, v)), &back) &&
		            back == v);
		assert_true(ag_str_to_i64(ag_str_make(out, ag_num_i64(out, 1 - v)), &back));
		assert_true(back == 1 - v);
	}
}

static void hex(void **state)
{
	char out[AG_NUM_MAX];

	(void)state;
	assert_int_equal(ag_num_hex(out, 0), 16);
	assert_string_equal(out, "0000000000000000");
	ag_num_hex(out, UINT64_C(0x0123456789abcdef));
	assert_string_equal(out, "0123456789abcdef");
	ag_num_hex(out, UINT64_MAX);
	assert_string_equal(out, "ffffffffffffffff");
}

/* Every number of digits, with both ends. */
static void integers_of_all_lengths(void **state)
{
	char out[AG_NUM_MAX], want[AG_NUM_MAX];
	uint64_t v = 1;

	(void)state;
	for (int i = 0; i < 20; i++, v *= 10) {
		for (int d = -1; d <= 1; d++) {
			const uint64_t one = v + (uint64_t)d;

			assert_int_equal(ag_num_u64(out, one),
			                 snprintf(want, sizeof(want), "%" PRIu64, one));
			assert_string_equal(out, want);
			assert_int_equal(ag_num_i64(out, -(int64_t)(one / 2)),
			                 snprintf(want, sizeof(want), "%" PRId64,
			                          -(int64_t)(one / 2)));
			assert_string_equal(out, want);
		}
	}
}

static void grouped(void **state)
{
	char out[AG_NUM_MAX];

	(void)state;
	assert_int_equal(ag_num_grouped(out, 1234567), 9);
	assert_string_equal(out, "1,234,567");
	ag_num_grouped(out, 0);
	assert_string_equal(out, "0");
	ag_num_grouped(out, 999);
	assert_string_equal(out, "999");
	ag_num_grouped(out, 1000);
	assert_string_equal(out, "1,000");
	ag_num_grouped(out, UINT64_MAX);
	assert_string_equal(out, "18,446,744,073,709,551,615");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubles),
		cmocka_unit_test(random_doubles_come_back),
		cmocka_unit_test(reading_doubles),
		cmocka_unit_test(integers),
		cmocka_unit_test(grouped),
		cmocka_unit_test(hex),
		cmocka_unit_test(integers_of_all_lengths),
	};

	return cmocka_run_group_tests_name("base_num", tests, NULL, NULL);
}
