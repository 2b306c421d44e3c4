/* Samples: the right size, the same for the same seed, and no document favoured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "columns/sample.h"

static void sizes(void **state)
{
	static const uint64_t totals[] = { 0, 1, 2, 63, 64, 65, 1000 };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(totals); i++) {
		for (uint64_t n = 0; n <= totals[i] + 3; n++) {
			ag_bits b;

			ag_sample_choose(n * 31 + i, totals[i], n, &b);
			assert_int_equal(b.n, totals[i]);
			assert_int_equal(ag_bits_count(&b), n < totals[i] ? n : totals[i]);
			assert_true(ag_bits_next(&b, totals[i]) == UINT64_MAX);
			ag_bits_release(&b);
		}
	}
}

static void same_seed_same_set(void **state)
{
	ag_bits a, b, c;

	(void)state;
	ag_sample_choose(5, 10000, 100, &a);
	ag_sample_choose(5, 10000, 100, &b);
	ag_sample_choose(6, 10000, 100, &c);
	assert_memory_equal(a.w, b.w, 10000 / 64 * 8);
	assert_memory_not_equal(a.w, c.w, 10000 / 64 * 8);
	ag_bits_release(&a);
	ag_bits_release(&b);
	ag_bits_release(&c);
}

/* Chi-square of how often each number was taken. Draws without replacement vary less than independent
 * ones: the sum is near (total - 1) * (1 - n/total), and 1.5 times that is many deviations away. */
static void check_unbiased(uint64_t total, uint64_t n)
{
	enum { ROUNDS = 20000, MOST = 64 };
	uint64_t hits[MOST] = { 0 };
	double want = (double)ROUNDS * (double)n / (double)total, chi = 0;
	double mean = (double)(total - 1) * (1 - (double)n / (double)total);

	assert_true(total <= MOST);
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		ag_bits b;

		ag_sample_choose(seed, total, n, &b);
		for (uint64_t i = ag_bits_next(&b, 0); i != UINT64_MAX; i = ag_bits_next(&b, i + 1))
			hits[i]++;
		ag_bits_release(&b);
	}
	for (uint64_t i = 0; i < total; i++)
		chi += ((double)hits[i] - want) * ((double)hits[i] - want) / want;
	assert_true(chi < mean * 1.8);
	assert_true(chi > mean * 0.4);
}

static void unbiased(void **state)
{
	(void)state;
	check_unbiased(50, 5);
	check_unbiased(50, 25);
	check_unbiased(64, 40);
	check_unbiased(37, 30);
}

/* Pairs too: numbers next to each other come as often together as they should. */
static void pairs(void **state)
{
	unsigned together = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 50000; seed++) {
		ag_bits b;

		ag_sample_choose(seed, 20, 5, &b);
		together += ag_bits_get(&b, 7) && ag_bits_get(&b, 8);
		ag_bits_release(&b);
	}
	/* 50,000 * (5 * 4) / (20 * 19) = 2,632, standard deviation 50 */
	assert_in_range(together, 2632 - 250, 2632 + 250);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(same_seed_same_set),
		cmocka_unit_test(unbiased),
		cmocka_unit_test(pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
