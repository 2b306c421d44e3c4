/* dec128_number -- the unpacked form of a decimal128; shared by the dec128 files only. */
#ifndef AG_BASE_DEC128_NUMBER_H
#define AG_BASE_DEC128_NUMBER_H

#include "base/dec128.h"

/* A compiler extension, like those of compiler.h: C17 has no wider integer, and gcc and clang have
 * this one on every 64-bit machine. */
__extension__ typedef unsigned __int128 ag_u128;

#define AG_DEC128_DIGITS  34
#define AG_DEC128_BIAS    6176
#define AG_DEC128_MIN_EXP (-6176)
#define AG_DEC128_MAX_EXP 6111

typedef enum ag_dec128_kind { AG_DEC128_FINITE, AG_DEC128_INF, AG_DEC128_NAN } ag_dec128_kind;

typedef struct ag_dec128_number {
	ag_dec128_kind kind;
	bool is_neg;
	int exponent;
	ag_u128 coef; /* below 10^34 once packed; value = coef * 10^exponent */
} ag_dec128_number;

/* A coefficient that is not canonical is unpacked as zero. */
ag_dec128_number ag_dec128_unpack(ag_dec128 v);
/* coef and exponent must be in range; a NaN loses sign and payload. */
ag_dec128 ag_dec128_pack(ag_dec128_number n);
ag_u128 ag_dec128_pow10(int n); /* 0..38 */
/* Decimal digits of v, 1 for zero. */
int ag_dec128_digits(ag_u128 v);
/* Coarse place in the order: NaN, -inf, negative, zero, positive, inf = -3, -2, -1, 0, 1, 2. */
int ag_dec128_rank(ag_dec128_number n);

#endif
