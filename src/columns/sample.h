/* sample -- an unbiased, seeded choice of document numbers. */
#ifndef AG_COLUMNS_SAMPLE_H
#define AG_COLUMNS_SAMPLE_H

#include "columns/bits.h"

/* Exactly min(n, total) different numbers below total, each set equally likely for a random seed; the same
 * seed gives the same set. Source: R. W. Floyd, "A Sample of Brilliance", CACM 30 (1987). */
void ag_sample_choose(uint64_t seed, uint64_t total, uint64_t n, ag_bits *ret);

#endif
