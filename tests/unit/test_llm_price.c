/* The price table: its lines, which row fits a name, and what usage costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "llm/price.h"

static ag_prices *table(ag_arena *arena, const char *text)
{
	ag_prices *p = NULL;
	ag_err err = { 0 };

	if (ag_prices_read(AG_S("t"), ag_str_c(text), arena, &p, &err))
		fail_msg("%s", err.msg);
	return p;
}

static void the_built_in_table(void **state)
{
	static const struct {
		const char *model;
		double input, output;
	} rows[] = {
		{ "gemini-2.5-flash", 0.30, 2.50 },      { "gemini-2.5-pro", 1.25, 10 },
		{ "gpt-4o-mini", 0.15, 0.60 },           { "gpt-4o", 2.50, 10 },
		{ "gpt-4o-2024-08-06", 2.50, 10 },       { "openai/gpt-4o-mini", 0.15, 0.60 },
		{ "gemini-2.5-flash-lite", 0.10, 0.40 }, { "claude-opus-4-1-20250805", 15, 75 },
		{ "claude-opus-4-5-20251101", 5, 25 },   { "anthropic/claude-sonnet-4-5", 3, 15 },
		{ "claude-haiku-4-5-20251001", 1, 5 },   { "gpt-5-mini-2025-08-07", 0.25, 2 },
		{ "deepseek-chat", 0.28, 0.42 },
	};
	ag_arena *arena = ag_arena_new();
	ag_prices *p = NULL;
	ag_err err = { 0 };
	ag_price price;

	(void)state;
	assert_int_equal(ag_prices_builtin(arena, &p, &err), AG_OK);
	assert_true(ag_str_eqc(ag_prices_version(p), "2026-05"));
	assert_int_equal(ag_prices_date(p).len, 10);
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		if (!ag_prices_find(p, ag_str_c(rows[i].model), &price) ||
		    price.input != rows[i].input || price.output != rows[i].output)
			fail_msg("%s", rows[i].model);
	}
	assert_false(ag_prices_find(p, AG_S(""), &price));
	assert_false(ag_prices_find(p, AG_S("gpt-4o-audio-preview"), &price));
	assert_false(ag_prices_find(p, AG_S("nobody/knows"), &price));
	ag_arena_free(arena);
}

static void the_longest_pattern_wins(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_prices *p = table(arena, "a* 1 1\nab* 2 2\nab 3 3\nabc* 4 4\nv/ab* 5 5\n");
	ag_price price;

	(void)state;
	assert_true(ag_prices_find(p, AG_S("ax"), &price) && price.input == 1);
	assert_true(ag_prices_find(p, AG_S("abx"), &price) && price.input == 2);
	assert_true(ag_prices_find(p, AG_S("ab"), &price) && price.input == 3);
	assert_true(ag_prices_find(p, AG_S("abc"), &price) && price.input == 4);
	assert_true(ag_prices_find(p, AG_S("v/abc"), &price) && price.input == 5);
	assert_true(ag_prices_find(p, AG_S("w/x/abc"), &price) && price.input == 4);
	assert_false(ag_prices_find(p, AG_S("b"), &price));
	ag_arena_free(arena);
}

static void usage_costs(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_prices *p = table(arena, "m 1 2\nc 10 20 1 12.5\nh 10 20 1\n");
	ag_llm_usage u = { .input_tokens = 1500000, .output_tokens = 500000 };
	ag_price price;

	(void)state;
	assert_true(ag_prices_find(p, AG_S("m"), &price));
	assert_true(ag_price_usd(&price, &u) == 2.5);
	/* Without a price of their own cached tokens cost what input costs. */
	u.cached_tokens = u.cache_write_tokens = 500000;
	assert_true(ag_price_usd(&price, &u) == 2.5);
	assert_true(ag_prices_find(p, AG_S("c"), &price));
	assert_true(ag_price_usd(&price, &u) == 0.5 * 10 + 0.5 * 1 + 0.5 * 12.5 + 0.5 * 20);
	assert_true(ag_prices_find(p, AG_S("h"), &price));
	assert_true(ag_price_usd(&price, &u) == 0.5 * 10 + 0.5 * 1 + 0.5 * 10 + 0.5 * 20);
	/* A server that counts more from its cache than went in is not paid twice. */
	u = (ag_llm_usage){ .input_tokens = 1000000,
		            .cached_tokens = 5000000,
		            .cache_write_tokens = 9 };
	assert_true(ag_price_usd(&price, &u) == 1);
	ag_arena_free(arena);
}

static void lines_that_are_read(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_prices *p =
		table(arena, "# all of it\r\n\r\n\tm\t1.5  2 # note\r\ndate 2026-02-03\r\nn 0 0");
	ag_price price;

	(void)state;
	assert_true(ag_str_eqc(ag_prices_version(p), "2026-02-03"));
	assert_true(ag_prices_find(p, AG_S("m"), &price) && price.input == 1.5);
	assert_true(ag_prices_find(p, AG_S("n"), &price) && price.output == 0);
	ag_arena_free(arena);
}

static void lines_that_are_refused(void **state)
{
	static const char *const lines[] = {
		"m",           "m 1",     "m 1 x",         "m -1 2",         "m 1 nan",
		"m 1 2 3 4 5", "m*x 1 2", "date 2026-5-1", "date yesterday", "version",
		"m 1 inf",     "m 1e9 2", "m 1,5 2",
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(lines); i++) {
		ag_arena *arena = ag_arena_new();
		ag_prices *p = NULL;
		ag_err err = { 0 };

		if (ag_prices_read(AG_S("p.txt"), ag_str_printf(arena, "a 1 2\n\n%s\n", lines[i]),
		                   arena, &p, &err) != AG_INVALID)
			fail_msg("\"%s\" was taken", lines[i]);
		assert_non_null(strstr(err.msg, "p.txt:3: "));
		ag_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_built_in_table),
		cmocka_unit_test(the_longest_pattern_wins),
		cmocka_unit_test(usage_costs),
		cmocka_unit_test(lines_that_are_read),
		cmocka_unit_test(lines_that_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
