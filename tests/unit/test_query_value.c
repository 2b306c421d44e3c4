/* Values: order, equality, hash, conversions, names of types; decimal arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "query/decmath.h"
#include "query/extjson.h"

static ag_arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = ag_arena_new();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena = ag_arena_free(arena);
	return 0;
}

static ag_val val(const char *text)
{
	const ag_extjson_opts opts = { .typed = true };
	ag_err err = { 0 };
	ag_val v;

	if (ag_extjson_parse(ag_str_c(text), &opts, arena, &v, NULL, NULL, &err))
		fail_msg("%s: %s", text, err.msg);
	return v;
}

/* Strictly rising; lines that belong together are equal to each other. */
static const char *const order[][3] = {
	{ "{\"$minKey\":1}" },
	{ "{\"$undefined\":true}" },
	{ "null" },
	{ "{\"$numberDouble\":\"NaN\"}", "{\"$numberDecimal\":\"NaN\"}" },
	{ "{\"$numberDouble\":\"-Infinity\"}", "{\"$numberDecimal\":\"-Infinity\"}" },
	{ "-1e300" },
	{ "{\"$numberDecimal\":\"-9223372036854775809\"}" },
	{ "-9223372036854775808", "-9223372036854775808.0" },
	{ "-1", "-1.0", "{\"$numberDecimal\":\"-1.000\"}" },
	{ "{\"$numberDecimal\":\"-1E-6000\"}" },
	{ "0", "-0.0", "{\"$numberDecimal\":\"-0E+10\"}" },
	{ "{\"$numberDecimal\":\"0.1\"}" },
	{ "0.1" },
	{ "1", "{\"$numberLong\":\"1\"}", "1.0" },
	{ "9007199254740992", "9007199254740992.0" },
	{ "9007199254740993", "{\"$numberDecimal\":\"9007199254740993\"}" },
	{ "9223372036854775807" },
	{ "9223372036854775808.0", "{\"$numberDecimal\":\"9223372036854775808\"}" },
	{ "1e300" },
	{ "{\"$numberDecimal\":\"1E+400\"}" },
	{ "{\"$numberDouble\":\"Infinity\"}", "1e999" },
	{ "\"\"" },
	{ "\"a\"", "{\"$symbol\":\"a\"}" },
	{ "\"ab\"" },
	{ "\"b\"" },
	{ "\"\\u00e9\"" },
	{ "{}" },
	{ "{\"b\":1}", "{\"b\":1.0}" },
	{ "{\"b\":1,\"c\":0}" },
	{ "{\"b\":2}" },
	/* The type of a member comes before its name. */
	{ "{\"a\":\"x\"}" },
	{ "[]" },
	{ "[1]", "[1.0]" },
	{ "[1,1]" },
	{ "[2]" },
	{ "{\"$binary\":{\"base64\":\"AQ==\",\"subType\":\"00\"}}" },
	{ "{\"$binary\":{\"base64\":\"AQ==\",\"subType\":\"05\"}}" },
	{ "{\"$binary\":{\"base64\":\"AAE=\",\"subType\":\"00\"}}" },
	{ "{\"$oid\":\"000000000000000000000001\"}" },
	{ "{\"$oid\":\"ff0000000000000000000001\"}" },
	{ "false" },
	{ "true" },
	{ "{\"$date\":-5}" },
	{ "{\"$date\":\"2020-01-01\"}", "{\"$date\":\"2020-01-01T00:00:00.000Z\"}" },
	{ "{\"$timestamp\":{\"t\":1,\"i\":2}}" },
	{ "{\"$timestamp\":{\"t\":4294967295,\"i\":0}}" },
	{ "{\"$regularExpression\":{\"pattern\":\"a\",\"options\":\"\"}}" },
	{ "{\"$regularExpression\":{\"pattern\":\"a\",\"options\":\"i\"}}",
	  "{\"$regex\":\"a\",\"$options\":\"i\"}" },
	{ "{\"$dbPointer\":{\"$ref\":\"b\",\"$id\":{\"$oid\":\"000000000000000000000001\"}}}" },
	{ "{\"$code\":\"x\"}" },
	{ "{\"$code\":\"x\",\"$scope\":{}}" },
	{ "{\"$maxKey\":1}" },
};

static void order_is_total_and_equal_values_hash_equal(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(order); i++) {
		for (size_t j = 0; j < AG_NELEM(order); j++) {
			ag_val a = val(order[i][0]), b = val(order[j][0]);
			int want = (i > j) - (i < j), got = ag_val_cmp(&a, &b);

			if (got != want)
				fail_msg("cmp(%s, %s) = %d", order[i][0], order[j][0], got);
		}
		for (size_t k = 1; k < 3 && order[i][k]; k++) {
			ag_val a = val(order[i][0]), b = val(order[i][k]);

			if (!ag_val_eq(&a, &b) || ag_val_cmp(&b, &a))
				fail_msg("%s differs from %s", order[i][0], order[i][k]);
			if (ag_val_hash(&a) != ag_val_hash(&b))
				fail_msg("hash of %s and %s", order[i][0], order[i][k]);
		}
	}
}

static void hashes_of_different_values_differ(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(order); i++) {
		for (size_t j = 0; j < i; j++) {
			ag_val a = val(order[i][0]), b = val(order[j][0]);

			/* Fractions hash by their nearest double: 0.1 in binary and decimal may meet. */
			if (ag_val_number(&a) == ag_val_number(&b) && a.type != b.type)
				continue;
			if (ag_val_hash(&a) == ag_val_hash(&b))
				fail_msg("hash of %s and %s", order[i][0], order[j][0]);
		}
	}
}

static void dup_is_deep(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(order); i++) {
		ag_arena *own = ag_arena_new();
		ag_val v, copy = { 0 };

		v = val(order[i][0]);
		{
			ag_arena *first = ag_arena_new();
			ag_val one = ag_val_dup(first, &v);

			copy = ag_val_dup(own, &one);
			ag_arena_free(first);
		}
		assert_true(ag_val_eq(&v, &copy));
		ag_arena_free(own);
	}
}

static void types_have_names_and_numbers(void **state)
{
	ag_type t;

	(void)state;
	for (unsigned i = 1; i < AG_NTYPE; i++) {
		assert_true(ag_type_from_alias(ag_str_c(ag_type_alias(i)), &t));
		assert_int_equal(t, i);
		assert_true(ag_type_from_bson(ag_type_to_bson(i), &t));
		assert_int_equal(t, i);
		assert_non_null(ag_type_seed_name(i));
	}
	assert_int_equal(ag_type_to_bson(AG_T_MINKEY), -1);
	assert_int_equal(ag_type_to_bson(AG_T_MAXKEY), 127);
	assert_false(ag_type_from_alias(AG_S("number"), &t));
	assert_false(ag_type_from_alias(AG_S("missing"), &t));
	assert_false(ag_type_from_bson(0, &t));
	assert_false(ag_type_from_bson(20, &t) && t != AG_T_MINKEY);
	assert_string_equal(ag_type_seed_name(AG_T_INT64), "int");
	assert_string_equal(ag_type_seed_name(AG_T_DATE), "datetime");
	assert_string_equal(ag_type_seed_name(AG_T_OID), "ObjectId");
}

static void integers_are_recognised_in_all_types(void **state)
{
	static const struct {
		const char *text;
		bool yes;
		int64_t i;
	} cases[] = {
		{ "5", true, 5 },
		{ "5.0", true, 5 },
		{ "5.5", false, 0 },
		{ "{\"$numberDecimal\":\"5.00\"}", true, 5 },
		{ "{\"$numberDecimal\":\"5E+3\"}", true, 5000 },
		{ "{\"$numberDecimal\":\"5.01\"}", false, 0 },
		{ "{\"$numberDecimal\":\"-9223372036854775808\"}", true, INT64_MIN },
		{ "{\"$numberDecimal\":\"9223372036854775808\"}", false, 0 },
		{ "{\"$numberDecimal\":\"1E+6000\"}", false, 0 },
		{ "{\"$numberDecimal\":\"NaN\"}", false, 0 },
		{ "{\"$numberDecimal\":\"0E+6000\"}", true, 0 },
		{ "9223372036854775808.0", false, 0 },
		{ "-9223372036854775808.0", true, INT64_MIN },
		{ "{\"$numberDouble\":\"NaN\"}", false, 0 },
		{ "\"5\"", false, 0 },
		{ "true", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_val v = val(cases[i].text);
		int64_t got = 0;

		if (ag_val_to_i64(&v, &got) != cases[i].yes || got != cases[i].i)
			fail_msg("%s", cases[i].text);
	}
}

static void truth_follows_the_server(void **state)
{
	static const char *const yes[] = { "1",
		                           "-0.5",
		                           "\"\"",
		                           "\"0\"",
		                           "{}",
		                           "[]",
		                           "true",
		                           "{\"$numberDouble\":\"NaN\"}",
		                           "{\"$date\":0}",
		                           "{\"$numberDecimal\":\"0.1\"}" };
	static const char *const no[] = { "0",
		                          "0.0",
		                          "false",
		                          "null",
		                          "{\"$undefined\":true}",
		                          "{\"$numberDecimal\":\"0.00\"}" };
	ag_val missing = ag_val_missing();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(yes); i++) {
		ag_val v = val(yes[i]);

		assert_true(ag_val_truthy(&v));
	}
	for (size_t i = 0; i < AG_NELEM(no); i++) {
		ag_val v = val(no[i]);

		assert_false(ag_val_truthy(&v));
	}
	assert_false(ag_val_truthy(&missing));
}

static void members_are_found_by_name(void **state)
{
	ag_val v = val("{\"a\":1,\"b\":null}"), list = val("[1]");

	(void)state;
	assert_int_equal(ag_val_getc(&v, "a")->u.i, 1);
	assert_int_equal(ag_val_getc(&v, "b")->type, AG_T_NULL);
	assert_null(ag_val_getc(&v, "c"));
	assert_null(ag_val_getc(&list, "0"));
	assert_int_equal(ag_val_int(5).type, AG_T_INT32);
	assert_int_equal(ag_val_int(2147483648).type, AG_T_INT64);
	assert_true(isnan(ag_val_number(&list)));
}

static void members_of_records_have_a_type(void **state)
{
	ag_val v = val(
		"{\"t\":true,\"f\":false,\"n\":1,\"at\":\"1970-01-01T00:00:01Z\",\"no\":\"soon\"}");

	(void)state;
	assert_true(ag_val_member_bool(&v, "t"));
	assert_false(ag_val_member_bool(&v, "f"));
	assert_false(ag_val_member_bool(&v, "n"));
	assert_false(ag_val_member_bool(&v, "absent"));
	assert_false(ag_val_member_bool(NULL, "t"));
	assert_int_equal(ag_val_member_time(&v, "at"), 1000);
	assert_int_equal(ag_val_member_time(&v, "no"), 0);
	assert_int_equal(ag_val_member_time(&v, "n"), 0);
	assert_int_equal(ag_val_member_time(NULL, "at"), 0);
}

static ag_dec128 dec(const char *text)
{
	ag_dec128 d;

	assert_true(ag_dec128_parse(ag_str_c(text), &d));
	return d;
}

static void check_dec(ag_dec128 got, const char *want)
{
	char text[AG_DEC128_MAX_TEXT];

	ag_dec128_format(text, got);
	assert_string_equal(text, want);
}

static void decimals_multiply_and_divide(void **state)
{
	(void)state;
	check_dec(ag_decmath_mul(dec("1.10"), dec("3")), "3.30");
	check_dec(ag_decmath_mul(dec("-2"), dec("0.5")), "-1.0");
	check_dec(ag_decmath_mul(dec("9999999999999999999999999999999999"),
	                         dec("9999999999999999999999999999999999")),
	          "9.999999999999999999999999999999998E+67");
	check_dec(ag_decmath_mul(dec("1E+6000"), dec("1E+6000")), "Infinity");
	check_dec(ag_decmath_mul(dec("1E-6000"), dec("1E-6000")), "0E-6176");
	check_dec(ag_decmath_mul(dec("Infinity"), dec("0")), "NaN");
	check_dec(ag_decmath_div(dec("6.0"), dec("2")), "3.0");
	check_dec(ag_decmath_div(dec("1"), dec("8")), "0.125");
	check_dec(ag_decmath_div(dec("1"), dec("3")), "0.3333333333333333333333333333333333");
	check_dec(ag_decmath_div(dec("2"), dec("3")), "0.6666666666666666666666666666666667");
	check_dec(ag_decmath_div(dec("1000"), dec("10")), "100");
	check_dec(ag_decmath_div(dec("1"), dec("0")), "Infinity");
	check_dec(ag_decmath_div(dec("0"), dec("0")), "NaN");
	check_dec(ag_decmath_mod(dec("7.5"), dec("2")), "1.5");
	check_dec(ag_decmath_mod(dec("-7"), dec("0.3")), "-0.1");
	check_dec(ag_decmath_mod(dec("1E+30"), dec("7")), "1");
}

static void decimals_round(void **state)
{
	(void)state;
	check_dec(ag_decmath_round(dec("2.5"), 0, AG_DEC_HALF_EVEN), "2");
	check_dec(ag_decmath_round(dec("3.5"), 0, AG_DEC_HALF_EVEN), "4");
	check_dec(ag_decmath_round(dec("-2.51"), 0, AG_DEC_HALF_EVEN), "-3");
	check_dec(ag_decmath_round(dec("2.675"), 2, AG_DEC_HALF_EVEN), "2.68");
	check_dec(ag_decmath_round(dec("-2.1"), 0, AG_DEC_FLOOR), "-3");
	check_dec(ag_decmath_round(dec("-2.9"), 0, AG_DEC_CEIL), "-2");
	check_dec(ag_decmath_round(dec("2.9"), 0, AG_DEC_TRUNC), "2");
	check_dec(ag_decmath_round(dec("1E-6000"), 0, AG_DEC_CEIL), "1");
	check_dec(ag_decmath_round(dec("1250"), -2, AG_DEC_HALF_EVEN), "1.2E+3");
	check_dec(ag_decmath_strip(dec("1200.00")), "1.2E+3");
	check_dec(ag_decmath_neg(dec("1.5")), "-1.5");
	check_dec(ag_decmath_from_double(0.1), "0.1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_is_total_and_equal_values_hash_equal),
		cmocka_unit_test(hashes_of_different_values_differ),
		cmocka_unit_test(dup_is_deep),
		cmocka_unit_test(types_have_names_and_numbers),
		cmocka_unit_test(integers_are_recognised_in_all_types),
		cmocka_unit_test(truth_follows_the_server),
		cmocka_unit_test(members_are_found_by_name),
		cmocka_unit_test(members_of_records_have_a_type),
		cmocka_unit_test(decimals_multiply_and_divide),
		cmocka_unit_test(decimals_round),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
