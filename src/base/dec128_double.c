/* dec128_double -- decimal128 against double: conversion, and the exact comparison.
 *
 * A double is m * 2^e and a decimal is c * 10^q. Moving the negative powers to the other side makes
 * both sides integers: c * 10^q+ * 2^e-  against  m * 2^e+ * 10^q-. The largest have some 2300 bits
 * (2^1074 from a subnormal, 10^360 and 113 bits from the decimal), so a fixed array is enough, and
 * numbers that differ in magnitude never get that far. */
#include "base/dec128.h"

#include <math.h>

#include "base/dec128_number.h"
#include "base/num_shortest.h"

#define LIMBS   80 /* of 32 bits: 2560 */
#define LOG2_10 3.321928094887362

typedef struct big {
	size_t n; /* limbs in use; the highest is not zero */
	uint32_t limb[LIMBS];
} big;

static void big_set(big *b, ag_u128 v)
{
	for (b->n = 0; v; v >>= 32)
		b->limb[b->n++] = (uint32_t)v;
}

static void big_mul(big *b, uint32_t factor)
{
	uint64_t carry = 0;

	for (size_t i = 0; i < b->n; i++) {
		carry += (uint64_t)b->limb[i] * factor;
		b->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry) {
		AG_ASSERT(b->n < LIMBS);
		b->limb[b->n++] = (uint32_t)carry;
	}
}

static void big_mul_pow10(big *b, int n)
{
	for (; n >= 9; n -= 9)
		big_mul(b, 1000000000u);
	if (n > 0)
		big_mul(b, (uint32_t)ag_dec128_pow10(n));
}

static void big_shift(big *b, int bits)
{
	size_t limbs = (size_t)bits / 32;

	AG_ASSERT(b->n + limbs <= LIMBS);
	memmove(b->limb + limbs, b->limb, b->n * sizeof(b->limb[0]));
	memset(b->limb, 0, limbs * sizeof(b->limb[0]));
	b->n += limbs;
	if (bits % 32)
		big_mul(b, 1u << (bits % 32));
}

static int big_cmp(const big *a, const big *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (size_t i = a->n; i-- > 0;) {
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	}
	return 0;
}

/* coef * 10^exponent against b, both finite and above zero. */
static int cmp_positive(ag_u128 coef, int exponent, double b)
{
	int top = ag_dec128_digits(coef) + exponent; /* the decimal is in [10^(top-1), 10^top) */
	int two;
	uint64_t mantissa;
	big x, y;

	/* Doubles above zero are in [4.9e-324, 1.8e308]. */
	if (top > 310 || top < -325)
		return top > 0 ? 1 : -1;
	mantissa = (uint64_t)ldexp(frexp(b, &two), 53); /* exact: a double has at most 53 bits */
	/* b is in [2^(two-1), 2^two). The margin is far above the rounding of the products. */
	if ((top - 1) * LOG2_10 > two + 0.01)
		return 1;
	if (top * LOG2_10 < two - 1 - 0.01)
		return -1;
	two -= 53;
	big_set(&x, coef);
	big_set(&y, mantissa);
	if (exponent >= 0)
		big_mul_pow10(&x, exponent);
	else
		big_mul_pow10(&y, -exponent);
	if (two >= 0)
		big_shift(&y, two);
	else
		big_shift(&x, -two);
	return big_cmp(&x, &y);
}

static int double_rank(double v)
{
	if (isnan(v))
		return -3;
	if (isinf(v))
		return v < 0 ? -2 : 2;
	return (v > 0) - (v < 0);
}

int ag_dec128_cmp_double(ag_dec128 a, double b)
{
	ag_dec128_number n = ag_dec128_unpack(a);
	int rank_a = ag_dec128_rank(n), rank_b = double_rank(b);
	int d;

	if (rank_a != rank_b)
		return rank_a < rank_b ? -1 : 1;
	if (rank_a != 1 && rank_a != -1)
		return 0;
	d = cmp_positive(n.coef, n.exponent, fabs(b));
	return n.is_neg ? -d : d;
}

double ag_dec128_to_double(ag_dec128 v)
{
	char text[AG_DEC128_MAX_TEXT];
	double d = 0;
	size_t n;

	/* Through text, because the reader of num_shortest already rounds correctly. */
	n = ag_dec128_format(text, v);
	if (ag_dec128_is_nan(v))
		return (double)NAN;
	if (ag_dec128_is_inf(v))
		return ag_dec128_is_neg(v) ? -(double)INFINITY : (double)INFINITY;
	AG_IGNORE(ag_num_read_double(text, n, &d), "too large is an infinity, as wanted");
	return d;
}
