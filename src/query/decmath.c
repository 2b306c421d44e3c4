/* decmath -- decimal128 products, quotients, remainders and rounding.
 *
 * Every operation makes a row of decimal digits (most significant first), an exponent and a sticky
 * bit for what lies behind them; from_digits() rounds that row into a decimal. Rows are short (at most
 * 70 digits), so clarity wins over speed here; sums use ag_dec128_add.
 * Reading order: unpack, pack, from_digits, then the operations. */
#include "query/decmath.h"

#include "base/num.h"

#define MAX_DIGITS 34
#define EXP_BIAS   6176
#define EXP_MAX    6111
#define EXP_MIN    (-6176)
#define ROW        80

static ag_u128 pow10_u128(int n)
{
	ag_u128 p = 1;

	while (n-- > 0)
		p *= 10;
	return p;
}

ag_decparts ag_decmath_unpack(ag_dec128 v)
{
	ag_decparts p = { .neg = (v.hi >> 63) != 0 };

	if (((v.hi >> 61) & 3) == 3) {
		unsigned top = (unsigned)(v.hi >> 58) & 31;

		if (top == 31) {
			p.nan = true;
		} else if (top == 30) {
			p.inf = true;
		} else {
			/* The second form holds coefficients above 10^34: by the standard, zero. */
			p.exp = (int)((v.hi >> 47) & 0x3fff) - EXP_BIAS;
		}
		return p;
	}
	p.exp = (int)((v.hi >> 49) & 0x3fff) - EXP_BIAS;
	p.coef = ((ag_u128)(v.hi & 0x1ffffffffffffULL) << 64) | v.lo;
	if (p.coef >= pow10_u128(MAX_DIGITS))
		p.coef = 0;
	return p;
}

static ag_dec128 special(bool neg, bool nan)
{
	ag_dec128 v = { 0, nan ? 0x7c00000000000000ULL : 0x7800000000000000ULL };

	if (neg && !nan)
		v.hi |= 1ULL << 63;
	return v;
}

static int digits_of(ag_u128 c, unsigned char *out)
{
	unsigned char tmp[40];
	int n = 0;

	while (c) {
		tmp[n++] = (unsigned char)(c % 10);
		c /= 10;
	}
	for (int i = 0; i < n; i++)
		out[i] = tmp[n - 1 - i];
	return n;
}

/* Cut the row to `keep` digits, half to even. Returns the coefficient (may be 10^keep). */
static ag_u128 round_row(const unsigned char *d, int n, int keep, bool sticky)
{
	ag_u128 c = 0;

	for (int i = 0; i < keep && i < n; i++)
		c = c * 10 + d[i];
	if (keep >= 0 && n > keep) {
		int half = d[keep];

		for (int i = keep + 1; i < n; i++)
			sticky = sticky || d[i] != 0;
		if (half > 5 || (half == 5 && (sticky || (c & 1))))
			c++;
	}
	return c;
}

static ag_dec128 from_digits(bool neg, const unsigned char *d, int n, int exp, bool sticky)
{
	ag_decparts p = { .neg = neg };
	int drop;

	while (n > 0 && d[0] == 0) {
		d++;
		n--;
	}
	drop = n > MAX_DIGITS ? n - MAX_DIGITS : 0;
	if (exp + drop < EXP_MIN)
		drop = EXP_MIN - exp;
	p.coef = round_row(d, n, n - drop, sticky);
	p.exp = exp + drop;
	if (p.coef == pow10_u128(MAX_DIGITS)) {
		p.coef /= 10;
		p.exp++;
	}
	return ag_decmath_pack(&p);
}

ag_dec128 ag_decmath_pack(const ag_decparts *p)
{
	ag_u128 c = p->coef;
	int exp = p->exp;
	ag_dec128 v;

	if (p->nan || p->inf)
		return special(p->neg, p->nan);
	if (c == 0)
		exp = exp < EXP_MIN ? EXP_MIN : exp > EXP_MAX ? EXP_MAX : exp;
	while (exp > EXP_MAX && c < pow10_u128(MAX_DIGITS - 1)) {
		c *= 10;
		exp--;
	}
	if (exp > EXP_MAX)
		return special(p->neg, false);
	while (exp < EXP_MIN && c) {
		c /= 10;
		exp++;
	}
	if (c == 0 && exp < EXP_MIN)
		exp = EXP_MIN;
	v.lo = (uint64_t)c;
	v.hi = (uint64_t)(c >> 64) | ((uint64_t)(exp + EXP_BIAS) << 49) | ((uint64_t)p->neg << 63);
	return v;
}

ag_dec128 ag_decmath_neg(ag_dec128 a)
{
	if (!ag_dec128_is_nan(a))
		a.hi ^= 1ULL << 63;
	return a;
}

ag_dec128 ag_decmath_mul(ag_dec128 a, ag_dec128 b)
{
	ag_decparts x = ag_decmath_unpack(a), y = ag_decmath_unpack(b);
	bool neg = x.neg != y.neg;
	unsigned char da[40], db[40], out[ROW] = { 0 };
	int na, nb;

	if (x.nan || y.nan)
		return special(false, true);
	if (x.inf || y.inf)
		return special(neg, (!x.inf && !x.coef) || (!y.inf && !y.coef));
	na = digits_of(x.coef, da);
	nb = digits_of(y.coef, db);
	/* School multiplication; a column holds at most 34 * 81 + carry, so carry per row. */
	for (int i = na - 1; i >= 0; i--) {
		unsigned carry = 0;

		for (int j = nb - 1; j >= 0; j--) {
			unsigned t = out[i + j + 1] + da[i] * db[j] + carry;

			out[i + j + 1] = (unsigned char)(t % 10);
			carry = t / 10;
		}
		out[i] = (unsigned char)carry;
	}
	return from_digits(neg, out, na && nb ? na + nb : 0, x.exp + y.exp, false);
}

ag_dec128 ag_decmath_div(ag_dec128 a, ag_dec128 b)
{
	ag_decparts x = ag_decmath_unpack(a), y = ag_decmath_unpack(b);
	bool neg = x.neg != y.neg;
	unsigned char row[ROW] = { 0 };
	int n, ideal = x.exp - y.exp, exp = ideal, nonzero;
	ag_u128 rest;

	if (x.nan || y.nan || (x.inf && y.inf) || (!x.inf && !x.coef && !y.inf && !y.coef))
		return special(false, true);
	if (x.inf || (!y.inf && y.coef == 0))
		return special(neg, false);
	if (y.inf || x.coef == 0)
		return from_digits(neg, row, 0, y.inf ? EXP_MIN : ideal, false);
	n = digits_of(x.coef / y.coef, row);
	rest = x.coef % y.coef;
	/* 36 digits after the first one that counts leave room to round; rest * 10 stays below 2^128. */
	nonzero = n;
	while (rest && nonzero < 36) {
		rest *= 10;
		row[n] = (unsigned char)(rest / y.coef);
		rest %= y.coef;
		if (nonzero || row[n])
			nonzero++;
		n++;
		exp--;
		if (n >= ROW)
			break;
	}
	/* Exact quotients take the exponent nearest to the ideal one: 6.0 / 2 = 3.0, not 3.000. */
	while (!rest && exp < ideal && n > 0 && row[n - 1] == 0) {
		n--;
		exp++;
	}
	return from_digits(neg, row, n, exp, rest != 0);
}

ag_dec128 ag_decmath_mod(ag_dec128 a, ag_dec128 b)
{
	ag_decparts x = ag_decmath_unpack(a), y = ag_decmath_unpack(b), r = { 0 };
	int shift;

	if (x.nan || y.nan || x.inf || (!y.inf && y.coef == 0))
		return special(false, true);
	if (y.inf || x.coef == 0)
		return a;
	r.neg = x.neg;
	r.exp = x.exp < y.exp ? x.exp : y.exp;
	if (x.exp >= y.exp) {
		/* Shift the dividend digit by digit, reduced as it goes. */
		ag_u128 rest = x.coef % y.coef;

		for (shift = x.exp - y.exp; shift > 0 && rest; shift--)
			rest = rest * 10 % y.coef;
		r.coef = rest;
	} else {
		ag_u128 q = y.coef;

		for (shift = y.exp - x.exp; shift > 0 && q <= x.coef; shift--)
			q *= 10;
		r.coef = q <= x.coef ? x.coef % q : x.coef;
	}
	return ag_decmath_pack(&r);
}

ag_dec128 ag_decmath_round(ag_dec128 a, int places, ag_decround mode)
{
	ag_decparts p = ag_decmath_unpack(a);
	ag_u128 unit, rest;
	int drop;
	bool up;

	if (p.nan || p.inf || p.exp >= -places)
		return a;
	drop = -places - p.exp;
	if (drop > MAX_DIGITS + 1)
		drop = MAX_DIGITS + 1;
	unit = pow10_u128(drop);
	rest = p.coef % unit;
	p.coef /= unit;
	p.exp = -places;
	switch (mode) {
	case AG_DEC_TRUNC: up = false; break;
	case AG_DEC_FLOOR: up = rest && p.neg; break;
	case AG_DEC_CEIL: up = rest && !p.neg; break;
	case AG_DEC_HALF_EVEN:
	default: up = rest > unit / 2 || (rest == unit / 2 && rest && (p.coef & 1)); break;
	}
	p.coef += up;
	return ag_decmath_pack(&p);
}

ag_dec128 ag_decmath_from_double(double d)
{
	char text[AG_NUM_MAX];
	size_t n = ag_num_double(text, d, false);
	ag_dec128 v;

	if (!ag_dec128_parse(ag_str_make(text, n), &v))
		return special(false, true);
	return v;
}

bool ag_decmath_is_zero(ag_dec128 a)
{
	ag_decparts p = ag_decmath_unpack(a);

	return !p.nan && !p.inf && p.coef == 0;
}

ag_dec128 ag_decmath_strip(ag_dec128 a)
{
	ag_decparts p = ag_decmath_unpack(a);

	if (p.nan || p.inf)
		return special(p.neg, p.nan);
	if (p.coef == 0) {
		p.exp = 0;
		p.neg = false;
	}
	while (p.coef && p.coef % 10 == 0 && p.exp < EXP_MAX) {
		p.coef /= 10;
		p.exp++;
	}
	return ag_decmath_pack(&p);
}

bool ag_decmath_to_i64(ag_dec128 a, int64_t *ret)
{
	ag_decparts p = ag_decmath_unpack(a);
	const ag_u128 max = (ag_u128)INT64_MAX;

	if (p.nan || p.inf)
		return false;
	while (p.coef && p.exp < 0) {
		if (p.coef % 10)
			return false;
		p.coef /= 10;
		p.exp++;
	}
	while (p.coef && p.exp > 0) {
		if (p.coef > max)
			return false;
		p.coef *= 10;
		p.exp--;
	}
	if (p.coef > max + (p.neg ? 1 : 0))
		return false;
	*ret = p.neg ? (int64_t)(0 - (uint64_t)p.coef) : (int64_t)p.coef;
	return true;
}
