/* Slices and buffers: the borders (empty, NULL, overflow, limit) more than the middle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

static const ag_str null_slice = { NULL, 0 };

static void compare(void **state)
{
	(void)state;
	assert_true(ag_str_cmp(AG_S("a"), AG_S("b")) < 0);
	assert_true(ag_str_cmp(AG_S("ab"), AG_S("a")) > 0);
	assert_true(ag_str_cmp(AG_S("\xC3"), AG_S("z")) > 0); /* bytes are unsigned */
	assert_int_equal(ag_str_cmp(null_slice, AG_S("")), 0);
	assert_true(ag_str_cmp(null_slice, AG_S("a")) < 0);
	assert_true(ag_str_eq(null_slice, AG_S("")));
	assert_false(ag_str_eq(AG_S("ab"), AG_S("ac")));
	assert_true(ag_str_eqc(null_slice, NULL));
	assert_true(ag_str_ieq(AG_S("Az[9"), AG_S("aZ[9")));
	assert_false(ag_str_ieq(AG_S("["), AG_S("{"))); /* differ in the case bit only */
	assert_false(ag_str_ieq(AG_S("a"), AG_S("ab")));
}

static void search(void **state)
{
	(void)state;
	assert_true(ag_str_starts(AG_S("abc"), AG_S("ab")));
	assert_true(ag_str_starts(null_slice, null_slice));
	assert_false(ag_str_starts(AG_S("a"), AG_S("ab")));
	assert_true(ag_str_ends(AG_S("abc"), AG_S("bc")));
	assert_false(ag_str_ends(AG_S("abc"), AG_S("ab")));
	assert_false(ag_str_ends(null_slice, AG_S("a")));
	assert_int_equal(ag_str_find(AG_S("abcb"), 'b'), 1);
	assert_int_equal(ag_str_find(AG_S("abc"), 'x'), -1);
	assert_int_equal(ag_str_find(null_slice, 'x'), -1);
	assert_true(ag_str_contains(AG_S("haystack"), AG_S("stack")));
	assert_true(ag_str_contains(null_slice, AG_S("")));
	assert_false(ag_str_contains(AG_S("hay"), AG_S("haystack")));
	assert_true(ag_str_eq(ag_str_trim(AG_S(" \t\r\n\v\fa b ")), AG_S("a b")));
	assert_int_equal(ag_str_trim(AG_S(" \n ")).len, 0);
	assert_int_equal(ag_str_trim(null_slice).len, 0);
}

static void split(void **state)
{
	ag_str rest = AG_S("a,,b,");

	(void)state;
	assert_true(ag_str_eq(ag_str_split(&rest, ','), AG_S("a")));
	assert_true(ag_str_eq(ag_str_split(&rest, ','), AG_S("")));
	assert_true(ag_str_eq(ag_str_split(&rest, ','), AG_S("b")));
	assert_non_null(rest.ptr); /* one piece is left, the empty one */
	assert_true(ag_str_eq(ag_str_split(&rest, ','), AG_S("")));
	assert_null(rest.ptr);
	assert_int_equal(ag_str_split(&rest, ',').len, 0);
}

static void digits(void **state)
{
	ag_str s = AG_S("0042x7");
	int n = 0;

	(void)state;
	assert_false(ag_str_take_digits(&s, 5, &n)); /* the fifth is none */
	assert_false(ag_str_take_digits(&s, 7, &n)); /* and so many are not there */
	assert_true(ag_str_eqc(s, "0042x7"));
	assert_true(ag_str_take_digits(&s, 3, &n));
	assert_int_equal(n, 4);
	assert_true(ag_str_take_digits(&s, 1, &n));
	assert_int_equal(n, 2);
	assert_true(ag_str_eqc(s, "x7"));
}

static void integers(void **state)
{
	static const char *const bad[] = {
		"",
		"-",
		"+",
		" 1",
		"1 ",
		"1.0",
		"0x10",
		"--1",
		"+-1",
		"9223372036854775808",
		"-9223372036854775809",
		"18446744073709551616",
		"1e3",
	};
	int64_t i = 42;
	uint64_t u = 42;

	(void)state;
	for (size_t k = 0; k < AG_NELEM(bad); k++)
		assert_false(ag_str_to_i64(ag_str_c(bad[k]), &i));
	assert_int_equal(i, 42);
	assert_true(ag_str_to_i64(AG_S("-9223372036854775808"), &i));
	assert_true(i == INT64_MIN);
	assert_true(ag_str_to_i64(AG_S("+9223372036854775807"), &i));
	assert_true(i == INT64_MAX);
	assert_true(ag_str_to_i64(AG_S("-0"), &i));
	assert_true(i == 0);
	assert_true(ag_str_to_u64(AG_S("18446744073709551615"), &u));
	assert_true(u == UINT64_MAX);
	assert_false(ag_str_to_u64(AG_S("18446744073709551616"), &u));
	assert_false(ag_str_to_u64(AG_S("99999999999999999999"), &u));
	assert_false(ag_str_to_u64(AG_S("-1"), &u));
	assert_true(ag_str_to_i64(ag_str_make("123x", 3), &i)); /* stops at len, not at a NUL */
	assert_int_equal(i, 123);
}

static void distance(void **state)
{
	static const char *const names[] = { "timeout", "format", "limit", "sample" };
	char long_name[65];

	(void)state;
	memset(long_name, 'a', sizeof(long_name));
	assert_int_equal(ag_str_distance(AG_S("kitten"), AG_S("sitting")), 3);
	assert_int_equal(ag_str_distance(AG_S("ab"), AG_S("ba")), 1);
	assert_int_equal(ag_str_distance(null_slice, AG_S("abc")), 3);
	assert_int_equal(ag_str_distance(AG_S("abc"), null_slice), 3);
	assert_int_equal(ag_str_distance(ag_str_make(long_name, 64), null_slice), 64);
	assert_true(ag_str_distance(ag_str_make(long_name, 65), null_slice) == SIZE_MAX);
	assert_string_equal(ag_str_nearest(AG_S("fromat"), names, 4), "format");
	assert_string_equal(ag_str_nearest(AG_S("limt"), names, 4), "limit");
	assert_string_equal(ag_str_nearest(AG_S("sample"), names, 4), "sample");
	assert_null(ag_str_nearest(AG_S("xyz"), names, 4));
	assert_null(ag_str_nearest(AG_S("range"), &(const char *){ "ne" }, 1));
	assert_null(ag_str_nearest(AG_S(""), names, 4));
	assert_null(ag_str_nearest(ag_str_make(long_name, 65), names, 4));
}

static void buffer_limit_sticks(void **state)
{
	ag_buf b = AG_BUF_INIT(5);

	(void)state;
	assert_int_equal(ag_buf_view(&b).len, 0);
	ag_buf_adds(&b, "abcde");
	assert_false(b.failed);
	assert_string_equal(b.ptr, "abcde");
	ag_buf_addc(&b, 'f');
	assert_true(b.failed);
	assert_string_equal(b.ptr, "abcde");
	ag_buf_clear(&b);
	assert_false(b.failed);
	assert_string_equal(b.ptr, "");
	ag_buf_adds(&b, "abc");
	ag_buf_adds(&b, "def"); /* does not fit ... */
	ag_buf_addc(&b, 'g');   /* ... and later pieces that would fit are refused too */
	assert_string_equal(b.ptr, "abc");
	assert_null(ag_buf_room(&b, SIZE_MAX));
	ag_buf_release(&b);
	assert_null(b.ptr);
	assert_int_equal(b.limit, 5);
}

/* The memory is there already: still not a byte more than the new limit. */
static void buffer_limit_is_lowered(void **state)
{
	ag_buf b = AG_BUF_INIT(1000);

	(void)state;
	assert_non_null(ag_buf_room(&b, 100));
	b.limit = 3;
	ag_buf_addc(&b, 'a');
	ag_buf_add(&b, AG_S("bc"));
	assert_false(b.failed);
	assert_null(ag_buf_room(&b, 1));
	assert_true(b.failed);
	ag_buf_clear(&b);
	ag_buf_add(&b, AG_S("abc"));
	ag_buf_addc(&b, 'd');
	assert_true(b.failed);
	ag_buf_addc(&b, 'd');
	ag_buf_add(&b, AG_S("d"));
	assert_string_equal(b.ptr, "abc");
	ag_buf_release(&b);
}

static void buffer_grows(void **state)
{
	ag_buf b = AG_BUF_INIT(SIZE_MAX);
	char wide[1000];
	char *room;

	(void)state;
	memset(wide, 'x', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = '\0';
	for (int i = 0; i < 1000; i++)
		ag_buf_addf(&b, "%d,", i);
	assert_int_equal(b.len, 10 + 90 * 2 + 900 * 3 + 1000);
	assert_int_equal(b.ptr[b.len], 0);
	assert_memory_equal(b.ptr + b.len - 8, "998,999,", 9);
	ag_buf_clear(&b);
	ag_buf_addf(&b, "<%s>", wide); /* longer than the first formatting attempt */
	assert_int_equal(b.len, sizeof(wide) + 1);
	assert_int_equal(b.ptr[b.len - 1], '>');
	ag_buf_clear(&b);
	room = ag_buf_room(&b, 3);
	memcpy(room, "abc", 3);
	b.len += 3;
	assert_string_equal(b.ptr, "abc");
	ag_buf_add(&b, null_slice);
	assert_string_equal(b.ptr, "abc");
	ag_buf_release(&b);
}

static void buffer_steal(void **state)
{
	ag_buf b;
	char *p;

	(void)state;
	ag_buf_init(&b, 100);
	p = ag_buf_steal(&b);
	assert_string_equal(p, "");
	free(p);
	ag_buf_adds(&b, "mine");
	p = ag_buf_steal(&b);
	assert_string_equal(p, "mine");
	assert_int_equal(b.len, 0);
	assert_null(b.ptr);
	free(p);
	ag_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compare),
		cmocka_unit_test(search),
		cmocka_unit_test(split),
		cmocka_unit_test(digits),
		cmocka_unit_test(integers),
		cmocka_unit_test(distance),
		cmocka_unit_test(buffer_limit_sticks),
		cmocka_unit_test(buffer_limit_is_lowered),
		cmocka_unit_test(buffer_grows),
		cmocka_unit_test(buffer_steal),
	};

	return cmocka_run_group_tests_name("base_str", tests, NULL, NULL);
}
