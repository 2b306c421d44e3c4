/* Budgets: what is admitted, what is shortened, what is refused and why; and what stays of the charges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "llm/meter.h"

static ag_llm_charge charge_of(uint64_t input, uint64_t output, double usd)
{
	return (ag_llm_charge){
		.purpose = AG_S("planner"),
		.name = AG_S("main"),
		.model = AG_S("m"),
		.provider = AG_S("openai"),
		.usage = { .input_tokens = input, .output_tokens = output },
		.usd = usd,
		.attempts = 1,
		.ok = true,
	};
}

/* Counts that say nothing of the estimate before them. */
static void spend(ag_llm_meter *m, uint64_t input, uint64_t output, double usd)
{
	ag_llm_charge c = charge_of(input, output, usd);

	c.usage.is_estimated = true;
	ag_llm_meter_charge(m, &c);
}

static void without_limits_all_is_admitted(void **state)
{
	unsigned output = 4000000000u;
	ag_llm_meter m;

	(void)state;
	ag_llm_meter_init(&m, NULL, 0, 0);
	spend(&m, UINT64_MAX, UINT64_MAX, 1e9);
	assert_int_equal(ag_llm_meter_admit(&m, UINT64_MAX, &output, -1, -1, NULL), AG_OK);
	assert_int_equal(output, 4000000000u);
	assert_true(m.input_tokens == UINT64_MAX); /* not wrapped */
	spend(&m, 1, 1, 0);
	assert_true(m.input_tokens == UINT64_MAX);
}

static void tokens_shorten_and_refuse(void **state)
{
	unsigned output = 4096;
	ag_err err = { 0 };
	ag_llm_meter m;

	(void)state;
	ag_llm_meter_init(&m, NULL, 20000, 0);
	spend(&m, 15000, 1000, 0);
	assert_int_equal(ag_llm_meter_admit(&m, 1000, &output, -1, -1, &err), AG_OK);
	assert_int_equal(output, 3000);
	spend(&m, 3000, 500, 0);
	assert_int_equal(ag_llm_meter_admit(&m, 500 - AG_METER_MIN_OUTPUT, &output, -1, -1, &err),
	                 AG_OK);
	assert_int_equal(output, AG_METER_MIN_OUTPUT);
	output = 4096;
	assert_int_equal(ag_llm_meter_admit(&m, 500 - AG_METER_MIN_OUTPUT + 1, &output, -1, -1,
	                                    &err),
	                 AG_LIMIT);
	assert_int_equal(output, 4096);
	assert_true(m.exhausted);
	assert_string_equal(m.why,
	                    "the budget of 20000 tokens is used up (19500 used, the next call "
	                    "needs about 501)");
	assert_string_equal(err.msg, m.why);
}

static void who_wants_little_gets_it(void **state)
{
	unsigned output = 10;
	ag_llm_meter m;

	(void)state;
	ag_llm_meter_init(&m, NULL, 100, 0);
	assert_int_equal(ag_llm_meter_admit(&m, 90, &output, -1, -1, NULL), AG_OK);
	assert_int_equal(output, 10);
	assert_int_equal(ag_llm_meter_admit(&m, 91, &output, -1, -1, NULL), AG_LIMIT);
}

static void money_shortens_and_refuses(void **state)
{
	unsigned output = 4096;
	ag_err err = { 0 };
	ag_llm_meter m;

	(void)state;
	ag_llm_meter_init(&m, NULL, 0, 0.05);
	/* 0.01 for the input, 0.04 are left: 4000 tokens at 10 USD per million. */
	assert_int_equal(ag_llm_meter_admit(&m, 4000, &output, 2.5, 10, &err), AG_OK);
	assert_in_range(output, 3999, 4000);
	spend(&m, 4000, 3900, 0.049);
	output = 4096;
	assert_int_equal(ag_llm_meter_admit(&m, 4000, &output, 2.5, 10, &err), AG_LIMIT);
	assert_non_null(strstr(m.why, "the budget of 0.05 USD is used up (0.049 used"));
	assert_int_equal(output, 4096);
}

static void money_wants_a_price(void **state)
{
	unsigned output = 100;
	ag_err err = { 0 };
	ag_llm_meter m;

	(void)state;
	ag_llm_meter_init(&m, NULL, 0, 1);
	assert_int_equal(ag_llm_meter_admit(&m, 10, &output, -1, -1, &err), AG_LIMIT);
	assert_non_null(strstr(err.msg, "price of the model is not known"));
	assert_true(m.exhausted);
	ag_llm_meter_init(&m, NULL, 0, 1);
	assert_int_equal(ag_llm_meter_admit(&m, 1000000000, &output, 0, 0, &err), AG_OK);
}

static void earlier_sittings_count(void **state)
{
	unsigned output = 100;
	ag_llm_meter m;

	(void)state;
	ag_llm_meter_init(&m, NULL, 1000, 0);
	ag_llm_meter_prime(&m, 700, 250, 3, 0.5);
	assert_int_equal(m.calls, 3);
	assert_int_equal(ag_llm_meter_admit(&m, 10, &output, -1, -1, NULL), AG_LIMIT);
}

static void charges_wait_and_the_oldest_go(void **state)
{
	ag_arena *arena = ag_arena_new();
	char text[] = "planner";
	ag_llm_charge c = charge_of(10, 1, 0.25);
	ag_llm_meter m;

	(void)state;
	ag_llm_meter_init(&m, arena, 0, 0);
	c.purpose = ag_str_make(text, 7);
	c.attempts = 3;
	ag_llm_meter_charge(&m, &c);
	text[0] = 'X'; /* the text was copied */
	assert_memory_equal(m.pending[0].purpose.ptr, "planner", 7);
	assert_int_equal(m.calls, 3);
	for (uint64_t i = 1; i <= AG_METER_MAX_PENDING; i++)
		spend(&m, 100 + i, 0, 0);
	assert_int_equal(m.npending, AG_METER_MAX_PENDING);
	assert_int_equal(m.pending[0].usage.input_tokens, 101);
	assert_int_equal(m.pending[AG_METER_MAX_PENDING - 1].usage.input_tokens,
	                 100 + AG_METER_MAX_PENDING);
	assert_int_equal(m.calls, 3 + AG_METER_MAX_PENDING);
	assert_int_equal(m.largest_call_tokens, 100 + AG_METER_MAX_PENDING);
	assert_true(m.usd == 0.25);
	ag_arena_free(arena);
}

static void the_estimate_rounds_up(void **state)
{
	(void)state;
	assert_int_equal(ag_llm_estimate_tokens(0), 0);
	assert_int_equal(ag_llm_estimate_tokens(1), 1);
	assert_int_equal(ag_llm_estimate_tokens(4), 1);
	assert_int_equal(ag_llm_estimate_tokens(5), 2);
	assert_true(ag_llm_estimate_tokens(SIZE_MAX) > 0);
}

/* A server that counts twice what was estimated is believed from then on, a wild count up to a factor. */
static void the_estimate_learns(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_llm_charge c = { .usage = { .input_tokens = 2000 }, .attempts = 1, .ok = true };
	unsigned output = 100;
	ag_llm_meter m;

	(void)state;
	ag_llm_meter_init(&m, arena, 5000, 0);
	assert_int_equal(ag_llm_meter_admit(&m, 1000, &output, -1, -1, NULL), AG_OK);
	ag_llm_meter_charge(&m, &c);
	assert_true(m.input_ratio == 2);
	/* 2000 used, 2 x 1400 asked for, 100 out: 4900 of 5000; with 1500 it would be 5100. */
	assert_int_equal(ag_llm_meter_admit(&m, 1400, &output, -1, -1, NULL), AG_OK);
	assert_int_equal(output, 100);
	assert_int_equal(ag_llm_meter_admit(&m, 1500, &output, -1, -1, NULL), AG_LIMIT);
	c.usage.input_tokens = 1000000000;
	ag_llm_meter_charge(&m, &c);
	assert_true(m.input_ratio == 16);
	ag_arena_free(arena);
}

/* What a server does not count the budget counts, and no report. */
static void a_budget_has_a_floor(void **state)
{
	const ag_llm_usage small = { .input_tokens = 1, .output_tokens = 7, .cached_tokens = 1 };
	const ag_llm_usage fair = { .input_tokens = 500, .output_tokens = 30 };
	ag_llm_charge c = charge_of(1, 7, 0.001);
	unsigned output = 100;
	ag_err err = { 0 };
	ag_llm_usage u;
	ag_llm_meter m;

	(void)state;
	u = ag_llm_meter_floor(&small, 2000, 40);
	assert_int_equal(u.input_tokens, 500);
	assert_int_equal(u.output_tokens, 10);
	assert_int_equal(u.cached_tokens, 1);
	u = ag_llm_meter_floor(&fair, 2000, 120);
	assert_int_equal(u.input_tokens, 500);
	assert_int_equal(u.output_tokens, 30);

	ag_llm_meter_init(&m, NULL, 1000, 0.01);
	c.doubted_tokens = 502;
	c.doubted_usd = 0.008;
	ag_llm_meter_charge(&m, &c);
	assert_int_equal(m.input_tokens + m.output_tokens, 8);
	assert_true(m.usd == 0.001 && ag_llm_meter_usd(&m) == 0.009);
	assert_int_equal(ag_llm_meter_tokens(&m), 510);
	assert_int_equal(ag_llm_meter_admit(&m, 450, &output, 0, 0, &err), AG_LIMIT);
	assert_string_equal(m.why,
	                    "the budget of 1000 tokens is used up (510 used, 502 of them uncounted "
	                    "by the server, the next call needs about 514)");
	m.max_tokens = 0;
	assert_int_equal(ag_llm_meter_admit(&m, 450, &output, 5, 0, &err), AG_LIMIT);
	assert_non_null(strstr(m.why, "0.009 used"));
	/* A resumed run knows it. */
	ag_llm_meter_init(&m, NULL, 1000, 0);
	ag_llm_meter_prime(&m, 1, 7, 1, 0.001);
	ag_llm_meter_prime_doubted(&m, UINT64_MAX, 0.008);
	assert_true(ag_llm_meter_tokens(&m) == UINT64_MAX);
	assert_true(ag_llm_meter_usd(&m) == 0.009);
}

static void money_adds_up_without_noise(void **state)
{
	double sum = 0;

	(void)state;
	for (int i = 0; i < 10; i++)
		sum = ag_llm_usd_add(sum, 0.1);
	assert_true(sum == 1.0);
	assert_true(ag_llm_usd_add(0.0077, 0.0077) == 0.0154);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_estimate_learns),
		cmocka_unit_test(a_budget_has_a_floor),
		cmocka_unit_test(money_adds_up_without_noise),
		cmocka_unit_test(without_limits_all_is_admitted),
		cmocka_unit_test(tokens_shorten_and_refuse),
		cmocka_unit_test(who_wants_little_gets_it),
		cmocka_unit_test(money_shortens_and_refuses),
		cmocka_unit_test(money_wants_a_price),
		cmocka_unit_test(earlier_sittings_count),
		cmocka_unit_test(charges_wait_and_the_oldest_go),
		cmocka_unit_test(the_estimate_rounds_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
