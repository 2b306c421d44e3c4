/* dec128 -- decimal128 over its integer form: sign, coefficient below 10^34, exponent.
 *
 * Every function unpacks to `number`, works on integers and packs again; nothing passes through
 * double. unsigned __int128 holds 38 digits, four more than a coefficient needs: room for the guard
 * digits of a sum and for aligning two numbers of equal magnitude. Only the comparison with a double
 * needs more and is in dec128_double.c. Text is in dec128_text.c.
 *
 * Invariant: a packed coefficient is below 10^34, so the encoding with the large combination field,
 * which can hold only larger ones, is never written; read, it means zero (IEEE 754-2008, 3.5.2). */
#include "base/dec128.h"

#include "base/dec128_number.h"

#define SIGN_BIT     (UINT64_C(1) << 63)
#define COEF_HI_BITS 49 /* of the 113 bits of a coefficient, those in the high half */
#define MAX_U128_POW 38
#define GUARD_DIGITS 3
#define SUM_DIGITS   (AG_DEC128_DIGITS + GUARD_DIGITS) /* two such numbers add up below 2^128 */

ag_u128 ag_dec128_pow10(int n)
{
	static const uint64_t small[] = {
		UINT64_C(1),
		UINT64_C(10),
		UINT64_C(100),
		UINT64_C(1000),
		UINT64_C(10000),
		UINT64_C(100000),
		UINT64_C(1000000),
		UINT64_C(10000000),
		UINT64_C(100000000),
		UINT64_C(1000000000),
		UINT64_C(10000000000),
		UINT64_C(100000000000),
		UINT64_C(1000000000000),
		UINT64_C(10000000000000),
		UINT64_C(100000000000000),
		UINT64_C(1000000000000000),
		UINT64_C(10000000000000000),
		UINT64_C(100000000000000000),
		UINT64_C(1000000000000000000),
		UINT64_C(10000000000000000000),
	};

	AG_ASSERT(n >= 0 && n <= MAX_U128_POW);
	return n < 20 ? small[n] : (ag_u128)small[19] * small[n - 19];
}

int ag_dec128_digits(ag_u128 v)
{
	int low = 1, high = MAX_U128_POW + 1;

	while (low < high) {
		int mid = (low + high) / 2;

		if (mid > MAX_U128_POW || v < ag_dec128_pow10(mid))
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

ag_dec128_number ag_dec128_unpack(ag_dec128 v)
{
	ag_dec128_number n = { .kind = AG_DEC128_FINITE, .is_neg = (v.hi & SIGN_BIT) != 0 };
	unsigned combination = (unsigned)(v.hi >> 58) & 0x1F;

	if (combination == 0x1F) {
		n.kind = AG_DEC128_NAN;
	} else if (combination == 0x1E) {
		n.kind = AG_DEC128_INF;
	} else if (combination >= 0x18) { /* 11xxx: the large form, never canonical here */
		n.exponent = (int)(v.hi >> 47 & 0x3FFF) - AG_DEC128_BIAS;
	} else {
		n.exponent = (int)(v.hi >> COEF_HI_BITS & 0x3FFF) - AG_DEC128_BIAS;
		n.coef = (ag_u128)(v.hi & ((UINT64_C(1) << COEF_HI_BITS) - 1)) << 64 | v.lo;
		if (n.coef >= ag_dec128_pow10(AG_DEC128_DIGITS))
			n.coef = 0;
	}
	return n;
}

ag_dec128 ag_dec128_pack(ag_dec128_number n)
{
	uint64_t sign = n.is_neg ? SIGN_BIT : 0;
	ag_dec128 v = { 0, 0 };

	if (n.kind == AG_DEC128_NAN) {
		v.hi = UINT64_C(0x1F) << 58;
		return v;
	}
	if (n.kind == AG_DEC128_INF) {
		v.hi = sign | UINT64_C(0x1E) << 58;
		return v;
	}
	AG_ASSERT(n.coef < ag_dec128_pow10(AG_DEC128_DIGITS) && n.exponent >= AG_DEC128_MIN_EXP &&
	          n.exponent <= AG_DEC128_MAX_EXP);
	v.lo = (uint64_t)n.coef;
	v.hi = sign | (uint64_t)(n.exponent + AG_DEC128_BIAS) << COEF_HI_BITS |
	       (uint64_t)(n.coef >> 64);
	return v;
}

ag_dec128 ag_dec128_from_i64(int64_t v)
{
	ag_dec128_number n = { .kind = AG_DEC128_FINITE, .is_neg = v < 0 };

	n.coef = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	return ag_dec128_pack(n);
}

bool ag_dec128_is_nan(ag_dec128 v)
{
	return ag_dec128_unpack(v).kind == AG_DEC128_NAN;
}

bool ag_dec128_is_inf(ag_dec128 v)
{
	return ag_dec128_unpack(v).kind == AG_DEC128_INF;
}

bool ag_dec128_is_neg(ag_dec128 v)
{
	return (v.hi & SIGN_BIT) != 0 && !ag_dec128_is_nan(v);
}

/* Order of the magnitudes of two finite numbers that are not zero. */
static int cmp_magnitude(ag_dec128_number a, ag_dec128_number b)
{
	int top_a = ag_dec128_digits(a.coef) + a.exponent;
	int top_b = ag_dec128_digits(b.coef) + b.exponent;

	if (top_a != top_b)
		return top_a < top_b ? -1 : 1;
	/* The same position of the first digit: the exponents differ by less than 34, and the scaled
	 * coefficient has as many digits as the other one. */
	if (a.exponent > b.exponent)
		a.coef *= ag_dec128_pow10(a.exponent - b.exponent);
	else
		b.coef *= ag_dec128_pow10(b.exponent - a.exponent);
	return (a.coef > b.coef) - (a.coef < b.coef);
}

int ag_dec128_rank(ag_dec128_number n)
{
	if (n.kind == AG_DEC128_NAN)
		return -3;
	if (n.kind == AG_DEC128_INF)
		return n.is_neg ? -2 : 2;
	return n.coef == 0 ? 0 : n.is_neg ? -1 : 1;
}

int ag_dec128_cmp(ag_dec128 a, ag_dec128 b)
{
	ag_dec128_number x = ag_dec128_unpack(a), y = ag_dec128_unpack(b);
	int rank_x = ag_dec128_rank(x), rank_y = ag_dec128_rank(y);
	int d;

	if (rank_x != rank_y)
		return rank_x < rank_y ? -1 : 1;
	if (rank_x != 1 && rank_x != -1)
		return 0;
	d = cmp_magnitude(x, y);
	return x.is_neg ? -d : d;
}

int ag_dec128_cmp_i64(ag_dec128 a, int64_t b)
{
	return ag_dec128_cmp(a, ag_dec128_from_i64(b));
}

/* Round coef * 10^exponent, plus a rest of less than one when `sticky`, half to even to 34 digits. */
static ag_dec128 round_pack(ag_dec128_number n, bool sticky)
{
	int drop = ag_dec128_digits(n.coef) - AG_DEC128_DIGITS;

	if (drop > 0) {
		ag_u128 unit = ag_dec128_pow10(drop);
		ag_u128 rest = n.coef % unit, half = unit / 2;
		bool up;

		n.coef /= unit;
		n.exponent += drop;
		up = rest > half || (rest == half && (sticky || (n.coef & 1)));
		n.coef += up;
		if (n.coef == ag_dec128_pow10(AG_DEC128_DIGITS)) {
			n.coef /= 10;
			n.exponent++;
		}
	}
	if (n.exponent > AG_DEC128_MAX_EXP)
		n.kind = AG_DEC128_INF;
	return ag_dec128_pack(n);
}

/* Sum of two finite numbers, a.exponent >= b.exponent, a not zero. */
static ag_dec128 add_finite(ag_dec128_number a, ag_dec128_number b)
{
	int gap = a.exponent - b.exponent;
	int room = SUM_DIGITS - ag_dec128_digits(a.coef);
	int up = gap < room ? gap : room;
	bool sticky = false;

	a.coef *= ag_dec128_pow10(up);
	a.exponent -= up;
	gap -= up;
	if (gap > 0) {
		/* a has 37 digits now and b begins at least three places lower: what b loses here is
		 * below the guard digits and matters only as "more than nothing". */
		ag_u128 unit = gap <= MAX_U128_POW ? ag_dec128_pow10(gap) : 0;

		sticky = unit ? b.coef % unit != 0 : b.coef != 0;
		b.coef = unit ? b.coef / unit : 0;
	}
	if (a.is_neg == b.is_neg) {
		a.coef += b.coef;
	} else if (a.coef >= b.coef) {
		/* The lost rest is taken away too: one less, and the rest of that one stays. */
		a.coef -= b.coef + sticky;
	} else { /* only without a gap, so nothing was lost */
		a.coef = b.coef - a.coef;
		a.is_neg = b.is_neg;
	}
	if (a.coef == 0)
		a.is_neg = false; /* x + -x is plus zero when rounding to even */
	return round_pack(a, sticky);
}

ag_dec128 ag_dec128_add(ag_dec128 a, ag_dec128 b)
{
	ag_dec128_number x = ag_dec128_unpack(a), y = ag_dec128_unpack(b);
	ag_dec128_number nan = { .kind = AG_DEC128_NAN };

	if (x.kind == AG_DEC128_NAN || y.kind == AG_DEC128_NAN)
		return ag_dec128_pack(nan);
	if (x.kind == AG_DEC128_INF || y.kind == AG_DEC128_INF) {
		if (x.kind == y.kind && x.is_neg != y.is_neg)
			return ag_dec128_pack(nan);
		return ag_dec128_pack(x.kind == AG_DEC128_INF ? x : y);
	}
	if (x.exponent < y.exponent) {
		ag_dec128_number swap = x;

		x = y;
		y = swap;
	}
	if (x.coef == 0) { /* the exact sum is y, sign of zero apart */
		if (y.coef == 0)
			y.is_neg = x.is_neg && y.is_neg;
		return ag_dec128_pack(y);
	}
	return add_finite(x, y);
}
