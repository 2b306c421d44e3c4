/* decimal128: text as the BSON specification asks, exact order, correctly rounded sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "base/dec128.h"

static ag_dec128 dec(const char *text)
{
	ag_dec128 v = { 0, 0 };

	if (!ag_dec128_parse(ag_str_c(text), &v))
		fail_msg("\"%s\" does not parse", text);
	return v;
}

static void assert_text(ag_dec128 v, const char *want)
{
	char out[AG_DEC128_MAX_TEXT];

	assert_int_equal(ag_dec128_format(out, v), strlen(want));
	assert_string_equal(out, want);
}

static void text(void **state)
{
	/* in | out; the rows with an exponent are examples of the BSON specification */
	static const char *const cases[][2] = {
		{ "1.10", "1.10" },
		{ "0", "0" },
		{ "-0", "-0" },
		{ "0.00", "0.00" },
		{ "+5", "5" },
		{ ".5", "0.5" },
		{ "5.", "5" },
		{ "000012.50", "12.50" },
		{ "0.000001234", "0.000001234" },
		{ "0.0000001", "1E-7" },
		{ "1.2E+3", "1.2E+3" },
		{ "12e2", "1.2E+3" },
		{ "1E0", "1" },
		{ "0E+3", "0E+3" },
		{ "0E-9", "0E-9" },
		{ "0E+7000", "0E+6111" },
		{ "-0E-7000", "-0E-6176" },
		{ "1E+6144", "1.000000000000000000000000000000000E+6144" },
		{ "10E-6177", "1E-6176" },
		{ "9999999999999999999999999999999999E+6111",
		  "9.999999999999999999999999999999999E+6144" },
		{ "-1234567890123456789012345678901234", "-1234567890123456789012345678901234" },
		{ "-0.000001234567890123456789012345678901234",
		  "-0.000001234567890123456789012345678901234" },
		{ "10000000000000000000000000000000000000000",
		  "1.000000000000000000000000000000000E+40" },
		{ "NaN", "NaN" },
		{ "nan", "NaN" },
		{ "inf", "Infinity" },
		{ "-iNFINITY", "-Infinity" },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++)
		assert_text(dec(cases[i][0]), cases[i][1]);
}

static void text_that_is_no_decimal(void **state)
{
	static const char *const bad[] = {
		"",
		"-",
		".",
		"1.2.3",
		"1e",
		"1e+",
		"1e1.5",
		"e5",
		" 1",
		"1 ",
		"0x1",
		"in",
		"Infinit",
		"12345678901234567890123456789012345", /* 35 digits */
		"1.0000000000000000000000000000000000000001",
		"1E+6145",
		"10E+6144",
		"1E-6177",
		"11E-6177",
		"1E+99999999999999999999",
	};
	ag_dec128 v = { 1, 2 };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		if (ag_dec128_parse(ag_str_c(bad[i]), &v))
			fail_msg("\"%s\" parses", bad[i]);
	}
	assert_true(v.lo == 1 && v.hi == 2);
}

static void encoding(void **state)
{
	/* From the BSON corpus, decimal128-1.json: 0.1, 1, the largest number, -Infinity. */
	assert_true(dec("0.1").hi == 0x303E000000000000u && dec("0.1").lo == 1);
	assert_true(dec("1").hi == 0x3040000000000000u && dec("1").lo == 1);
	assert_true(dec("9.999999999999999999999999999999999E+6144").hi == 0x5FFFED09BEAD87C0u);
	assert_true(dec("9.999999999999999999999999999999999E+6144").lo == 0x378D8E63FFFFFFFFu);
	assert_true(dec("-Infinity").hi == 0xF800000000000000u);
	assert_true(dec("NaN").hi == 0x7C00000000000000u);
	(void)state;
}

static void values_that_are_not_canonical(void **state)
{
	ag_dec128 ten_pow_34 = { 0x378D8E6400000000u, 0x3041ED09BEAD87C0u };
	ag_dec128 large_form = { 5, 0x6C10000000000000u }; /* exponent 0 */
	ag_dec128 large_neg = { 5, 0xEC10000000000000u };
	ag_dec128 nan_payload = { 7, 0xFE00000000000012u };

	(void)state;
	assert_text(ten_pow_34, "0");
	assert_text(large_form, "0");
	assert_text(large_neg, "-0");
	assert_int_equal(ag_dec128_cmp(large_form, dec("0")), 0);
	assert_int_equal(ag_dec128_cmp(ten_pow_34, dec("1")), -1);
	assert_true(ag_dec128_is_nan(nan_payload));
	assert_false(ag_dec128_is_neg(nan_payload));
	assert_text(nan_payload, "NaN");
}

static void kinds(void **state)
{
	(void)state;
	assert_true(ag_dec128_is_inf(dec("-inf")) && ag_dec128_is_inf(dec("inf")));
	assert_false(ag_dec128_is_inf(dec("NaN")) || ag_dec128_is_nan(dec("inf")));
	assert_true(ag_dec128_is_neg(dec("-0")) && ag_dec128_is_neg(dec("-inf")));
	assert_false(ag_dec128_is_neg(dec("0")));
	assert_text(ag_dec128_from_i64(INT64_MIN), "-9223372036854775808");
	assert_text(ag_dec128_from_i64(INT64_MAX), "9223372036854775807");
	assert_text(ag_dec128_from_i64(0), "0");
}

static void order(void **state)
{
	/* Strictly rising. */
	static const char *const rising[] = {
		"NaN",
		"-Infinity",
		"-9.999999999999999999999999999999999E+6144",
		"-1E+10",
		"-2",
		"-1.1",
		"-1.0999999999999999999999999999999",
		"-1E-6176",
		"0",
		"1E-6176",
		"0.1",
		"0.1000000000000000000000000000000001",
		"1",
		"1.1",
		"9.999999999999999999999999999999999",
		"10",
		"1E+33",
		"9999999999999999999999999999999999",
		"1E+34",
		"1E+6144",
		"Infinity",
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rising); i++) {
		for (size_t j = 0; j < AG_NELEM(rising); j++) {
			int want = (i > j) - (i < j);

			assert_int_equal(ag_dec128_cmp(dec(rising[i]), dec(rising[j])), want);
		}
	}
	assert_int_equal(ag_dec128_cmp(dec("1.1"), dec("1.10")), 0);
	assert_int_equal(ag_dec128_cmp(dec("-0"), dec("0E+100")), 0);
	assert_int_equal(ag_dec128_cmp(dec("1E+33"), dec("1000000000000000000000000000000000")), 0);
}

static void order_with_integers(void **state)
{
	(void)state;
	assert_int_equal(ag_dec128_cmp_i64(dec("9223372036854775807"), INT64_MAX), 0);
	assert_int_equal(ag_dec128_cmp_i64(dec("9223372036854775807.1"), INT64_MAX), 1);
	assert_int_equal(ag_dec128_cmp_i64(dec("-9223372036854775808.0"), INT64_MIN), 0);
	assert_int_equal(ag_dec128_cmp_i64(dec("-9223372036854775808.5"), INT64_MIN), -1);
	assert_int_equal(ag_dec128_cmp_i64(dec("NaN"), INT64_MIN), -1);
	assert_int_equal(ag_dec128_cmp_i64(dec("-0.0"), 0), 0);
	assert_int_equal(ag_dec128_cmp_i64(dec("1E+3"), 1000), 0);
}

static void order_with_doubles(void **state)
{
	double smallest = 4.9406564584124654e-324;

	(void)state;
	/* The double 0.1 is 0.1000000000000000055511151231257827..., 0.3 is below 3/10. */
	assert_int_equal(ag_dec128_cmp_double(dec("0.1"), 0.1), -1);
	assert_int_equal(ag_dec128_cmp_double(dec("-0.1"), -0.1), 1);
	assert_int_equal(ag_dec128_cmp_double(dec("0.3"), 0.3), 1);
	assert_int_equal(ag_dec128_cmp_double(dec("0.1000000000000000055511151231257827"), 0.1),
	                 -1);
	assert_int_equal(ag_dec128_cmp_double(dec("0.1000000000000000055511151231257828"), 0.1), 1);
	assert_int_equal(ag_dec128_cmp_double(dec("0.500"), 0.5), 0);
	assert_int_equal(ag_dec128_cmp_double(dec("9007199254740993"), 9007199254740992.0), 1);
	assert_int_equal(ag_dec128_cmp_double(dec("1E+22"), 1e22), 0); /* the last exact power */
	assert_int_equal(ag_dec128_cmp_double(dec("1E+23"), 1e23), 1);
	/* 2^113 has 35 digits and 2^110 has 34. */
	assert_int_equal(
		ag_dec128_cmp_double(dec("1298074214633706907132624082305024"), ldexp(1, 110)), 0);
	assert_int_equal(
		ag_dec128_cmp_double(dec("1298074214633706907132624082305025"), ldexp(1, 110)), 1);
	assert_int_equal(ag_dec128_cmp_double(dec("5E-324"), smallest), 1);
	assert_int_equal(ag_dec128_cmp_double(dec("4.94E-324"), smallest), -1);
	assert_int_equal(ag_dec128_cmp_double(dec("1E-400"), smallest), -1);
	assert_int_equal(ag_dec128_cmp_double(dec("1.797693134862315709E+308"), DBL_MAX), 1);
	assert_int_equal(ag_dec128_cmp_double(dec("1.797693134862315708E+308"), DBL_MAX), -1);
	assert_int_equal(ag_dec128_cmp_double(dec("1E+6000"), DBL_MAX), 1);
	assert_int_equal(ag_dec128_cmp_double(dec("1E+6000"), (double)INFINITY), -1);
	assert_int_equal(ag_dec128_cmp_double(dec("inf"), (double)INFINITY), 0);
	assert_int_equal(ag_dec128_cmp_double(dec("NaN"), (double)NAN), 0);
	assert_int_equal(ag_dec128_cmp_double(dec("-inf"), (double)NAN), 1);
	assert_int_equal(ag_dec128_cmp_double(dec("NaN"), -(double)INFINITY), -1);
	assert_int_equal(ag_dec128_cmp_double(dec("-0"), 0.0), 0);
	assert_int_equal(ag_dec128_cmp_double(dec("-1"), 1.0), -1);
}

static void to_double(void **state)
{
	(void)state;
	assert_true(ag_dec128_to_double(dec("0.1")) == 0.1);
	assert_true(ag_dec128_to_double(dec("9007199254740993")) ==
	            9007199254740992.0); /* to even */
	assert_true(ag_dec128_to_double(dec("-1.25E+2")) == -125);
	assert_true(ag_dec128_to_double(dec("1E-6000")) == 0);
	assert_true(isinf(ag_dec128_to_double(dec("1E+400"))));
	assert_true(ag_dec128_to_double(dec("-1E+400")) < 0);
	assert_true(isnan(ag_dec128_to_double(dec("NaN"))));
	assert_true(isinf(ag_dec128_to_double(dec("-inf"))) &&
	            ag_dec128_to_double(dec("-inf")) < 0);
	assert_true(signbit(ag_dec128_to_double(dec("-0"))));
}

static void sums(void **state)
{
	static const char *const cases[][3] = {
		{ "0.1", "0.2", "0.3" },
		{ "1.10", "2", "3.10" },
		{ "-5", "5", "0" },
		{ "-5.00", "5", "0.00" },
		{ "-0", "-0", "-0" },
		{ "-0", "0", "0" },
		{ "0E+5", "7", "7" },
		{ "7", "0E-3", "7.000" },
		{ "3", "-5", "-2" },
		{ "9999999999999999999999999999999999", "1",
		  "1.000000000000000000000000000000000E+34" },
		/* Halves go to the even digit, anything more than a half goes up. */
		{ "1000000000000000000000000000000001", "0.5",
		  "1000000000000000000000000000000002" },
		{ "1000000000000000000000000000000002", "0.5",
		  "1000000000000000000000000000000002" },
		{ "1000000000000000000000000000000002", "0.5000001",
		  "1000000000000000000000000000000003" },
		{ "1000000000000000000000000000000002", "0.4999999",
		  "1000000000000000000000000000000002" },
		{ "1E+34", "-1E-5000", "1.000000000000000000000000000000000E+34" },
		{ "1E+33", "-0.6", "999999999999999999999999999999999.4" },
		{ "1E+33", "-0.05", "1000000000000000000000000000000000" },
		{ "1E+33", "-0.0500001", "999999999999999999999999999999999.9" },
		{ "1E+6111", "1E-6176", "1.000000000000000000000000000000000E+6111" },
		{ "9999999999999999999999999999999999E+6111", "1E+6111", "Infinity" },
		{ "inf", "-1", "Infinity" },
		{ "inf", "-inf", "NaN" },
		{ "NaN", "1", "NaN" },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		assert_text(ag_dec128_add(dec(cases[i][0]), dec(cases[i][1])), cases[i][2]);
		assert_text(ag_dec128_add(dec(cases[i][1]), dec(cases[i][0])), cases[i][2]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text),
		cmocka_unit_test(text_that_is_no_decimal),
		cmocka_unit_test(encoding),
		cmocka_unit_test(values_that_are_not_canonical),
		cmocka_unit_test(kinds),
		cmocka_unit_test(order),
		cmocka_unit_test(order_with_integers),
		cmocka_unit_test(order_with_doubles),
		cmocka_unit_test(to_double),
		cmocka_unit_test(sums),
	};

	return cmocka_run_group_tests_name("base_dec128", tests, NULL, NULL);
}
