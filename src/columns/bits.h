/* bits -- a set of document numbers. */
#ifndef AG_COLUMNS_BITS_H
#define AG_COLUMNS_BITS_H

#include "base/str.h"

typedef struct ag_bits {
	uint64_t *w; /* (n + 63) / 64 words; bits from n on are 0 */
	uint64_t n;
} ag_bits;

void ag_bits_init(ag_bits *b, uint64_t n); /* all 0; release with ag_bits_release */
void ag_bits_release(ag_bits *b);
uint64_t ag_bits_count(const ag_bits *b);
/* Index of the first set bit at or after `from`, or UINT64_MAX. */
uint64_t ag_bits_next(const ag_bits *b, uint64_t from);

static inline bool ag_bits_get(const ag_bits *b, uint64_t i)
{
	return b->w[i >> 6] >> (i & 63) & 1;
}

static inline void ag_bits_set(ag_bits *b, uint64_t i)
{
	b->w[i >> 6] |= (uint64_t)1 << (i & 63);
}

#endif
