/* bits -- a set of document numbers. Bits at and behind n are always 0, so words can be counted and
 * searched without a test for the end. */
#include "columns/bits.h"

#include <stdlib.h>

void ag_bits_init(ag_bits *b, uint64_t n)
{
	b->n = n;
	b->w = (uint64_t *)ag_xcalloc(n / 64 + 1, sizeof(uint64_t));
}

void ag_bits_release(ag_bits *b)
{
	free(b->w);
	b->w = NULL;
	b->n = 0;
}

uint64_t ag_bits_count(const ag_bits *b)
{
	uint64_t words = (b->n + 63) / 64, sum = 0;

	for (uint64_t i = 0; i < words; i++)
		sum += (uint64_t)__builtin_popcountll(b->w[i]);
	return sum;
}

uint64_t ag_bits_next(const ag_bits *b, uint64_t from)
{
	uint64_t words = (b->n + 63) / 64, i = from / 64, w;

	if (from >= b->n)
		return UINT64_MAX;
	w = b->w[i] & UINT64_MAX << (from & 63);
	while (w == 0) {
		if (++i >= words)
			return UINT64_MAX;
		w = b->w[i];
	}
	return i * 64 + (uint64_t)__builtin_ctzll(w);
}
