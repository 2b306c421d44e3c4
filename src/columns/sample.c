/* sample -- Floyd's choice: n different numbers out of total in n draws, no list of all numbers.
 *
 * For j = total-n .. total-1 draw t in 0..j; take t, or j when t was taken. Each set of n numbers has the
 * same chance. When more than half are wanted, the ones left out are chosen instead: same chances, fewer
 * draws. The generator is splitmix64 (Steele, Lea, Flood, OOPSLA 2014), and a draw below a bound rejects
 * the uneven rest, so no number is favoured. */
#include "columns/sample.h"

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Uniform in 0 .. bound - 1. */
static uint64_t draw_below(uint64_t *state, uint64_t bound)
{
	uint64_t uneven = (0 - bound) % bound; /* 2^64 mod bound */
	uint64_t r;

	do {
		r = next_random(state);
	} while (r < uneven);
	return r % bound;
}

void ag_sample_choose(uint64_t seed, uint64_t total, uint64_t n, ag_bits *ret)
{
	bool left_out;
	uint64_t draws, state = seed;

	ag_bits_init(ret, total);
	if (n > total)
		n = total;
	left_out = n > total / 2;
	draws = left_out ? total - n : n;
	for (uint64_t j = total - draws; j < total; j++) {
		uint64_t t = draw_below(&state, j + 1);

		ag_bits_set(ret, ag_bits_get(ret, t) ? j : t);
	}
	if (!left_out)
		return;
	for (uint64_t i = 0; i < (total + 63) / 64; i++)
		ret->w[i] = ~ret->w[i];
	if (total & 63)
		ret->w[total / 64] &= ((uint64_t)1 << (total & 63)) - 1;
}
