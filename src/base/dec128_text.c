/* dec128_text -- decimal128 from and to text, by the rules of the BSON specification
 * (source/bson-decimal128/decimal128.md, "From String Representation" and "To String").
 *
 * Reading is exact or fails: zeros may move between coefficient and exponent to make a number fit,
 * no other digit is ever lost. */
#include "base/dec128.h"

#include "base/dec128_number.h"
#include "base/num.h"

/* Far beyond any exponent that counts, far below what overflows an int64_t in sums. */
#define EXPONENT_CAP 1000000000

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* [+-]digits to the end of s, capped. */
static bool read_exponent(ag_str s, int64_t *ret)
{
	bool neg = s.len && s.ptr[0] == '-';
	size_t i = neg || (s.len && s.ptr[0] == '+');
	int64_t v = 0;

	if (i == s.len)
		return false;
	for (; i < s.len; i++) {
		if (!is_digit(s.ptr[i]))
			return false;
		if (v < EXPONENT_CAP)
			v = v * 10 + (s.ptr[i] - '0');
	}
	*ret = neg ? -v : v;
	return true;
}

/* One digit of the coefficient. Zeros behind the last digit that counts are held back, so that a long
 * tail of them can go into the exponent instead. */
typedef struct digits {
	ag_u128 coef;
	int count;    /* digits in coef, leading zeros apart */
	int64_t held; /* zeros not in coef yet */
} digits;

static bool add_digit(digits *d, char c)
{
	if (c == '0') {
		if (d->coef)
			d->held++;
		return true;
	}
	if (d->count + d->held + 1 > AG_DEC128_DIGITS)
		return false;
	d->coef = d->coef * ag_dec128_pow10((int)d->held + 1) + (unsigned)(c - '0');
	d->count += (int)d->held + 1;
	d->held = 0;
	return true;
}

/* Put coef * 10^exponent into range by moving zeros; false when a digit would be lost. */
static bool fit(ag_dec128_number *n, int count, int64_t exponent)
{
	if (n->coef == 0) {
		n->exponent = exponent > AG_DEC128_MAX_EXP   ? AG_DEC128_MAX_EXP
		              : exponent < AG_DEC128_MIN_EXP ? AG_DEC128_MIN_EXP
		                                             : (int)exponent;
		return true;
	}
	while (exponent < AG_DEC128_MIN_EXP && n->coef % 10 == 0) {
		n->coef /= 10;
		exponent++;
	}
	while (exponent > AG_DEC128_MAX_EXP && count < AG_DEC128_DIGITS) {
		n->coef *= 10;
		count++;
		exponent--;
	}
	if (exponent < AG_DEC128_MIN_EXP || exponent > AG_DEC128_MAX_EXP)
		return false;
	n->exponent = (int)exponent;
	return true;
}

static bool read_finite(ag_str s, ag_dec128_number *n)
{
	digits d = { 0 };
	int64_t exponent = 0, written = 0;
	bool point = false, any = false;
	size_t i = 0;

	for (; i < s.len && s.ptr[i] != 'e' && s.ptr[i] != 'E'; i++) {
		if (s.ptr[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (!is_digit(s.ptr[i]) || !add_digit(&d, s.ptr[i]))
			return false;
		any = true;
		exponent -= point;
	}
	if (!any)
		return false;
	if (i < s.len && !read_exponent(ag_str_make(s.ptr + i + 1, s.len - i - 1), &written))
		return false;
	/* Held zeros are digits like others while they fit: "1.10" keeps its form. */
	exponent += written;
	for (; d.held && d.count < AG_DEC128_DIGITS; d.held--, d.count++)
		d.coef *= 10;
	n->coef = d.coef;
	return fit(n, d.count, exponent + d.held);
}

bool ag_dec128_parse(ag_str s, ag_dec128 *ret)
{
	ag_dec128_number n = { .kind = AG_DEC128_FINITE };

	if (ag_str_ieq(s, AG_S("nan"))) {
		n.kind = AG_DEC128_NAN;
		*ret = ag_dec128_pack(n);
		return true;
	}
	if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+')) {
		n.is_neg = s.ptr[0] == '-';
		s = ag_str_make(s.ptr + 1, s.len - 1);
	}
	if (ag_str_ieq(s, AG_S("inf")) || ag_str_ieq(s, AG_S("infinity")))
		n.kind = AG_DEC128_INF;
	else if (!read_finite(s, &n))
		return false;
	*ret = ag_dec128_pack(n);
	return true;
}

/* The digits of coef without leading zeros, at least one. */
static size_t coef_text(char out[AG_DEC128_DIGITS + 1], ag_u128 coef)
{
	int n = ag_dec128_digits(coef);

	AG_ASSERT(n >= 1 && n <= AG_DEC128_DIGITS);
	for (int i = n - 1; i >= 0; i--) {
		out[i] = (char)('0' + (int)(coef % 10));
		coef /= 10;
	}
	return (size_t)n;
}

static size_t put(char *out, size_t at, const char *text, size_t len)
{
	memcpy(out + at, text, len);
	return at + len;
}

static size_t scientific(char *out, size_t at, const char *text, size_t n, int exponent)
{
	char number[AG_NUM_MAX];
	size_t len = ag_num_i64(number, exponent);

	out[at++] = text[0];
	if (n > 1) {
		out[at++] = '.';
		at = put(out, at, text + 1, n - 1);
	}
	out[at++] = 'E';
	if (exponent >= 0)
		out[at++] = '+';
	return put(out, at, number, len);
}

/* exponent is 0 or below, and the first digit at most six places behind the point. */
static size_t plain(char *out, size_t at, const char *text, size_t n, int exponent)
{
	size_t behind = (size_t)-exponent;

	if (behind == 0)
		return put(out, at, text, n);
	if (behind < n) {
		at = put(out, at, text, n - behind);
		out[at++] = '.';
		return put(out, at, text + (n - behind), behind);
	}
	at = put(out, at, "0.", 2);
	memset(out + at, '0', behind - n);
	return put(out, at + (behind - n), text, n);
}

size_t ag_dec128_format(char out[AG_DEC128_MAX_TEXT], ag_dec128 v)
{
	ag_dec128_number n = ag_dec128_unpack(v);
	char text[AG_DEC128_DIGITS + 1];
	size_t at = 0, len;
	int top;

	if (n.is_neg && n.kind != AG_DEC128_NAN)
		out[at++] = '-';
	if (n.kind != AG_DEC128_FINITE) {
		at = n.kind == AG_DEC128_NAN ? put(out, at, "NaN", 3) : put(out, at, "Infinity", 8);
		out[at] = '\0';
		return at;
	}
	len = coef_text(text, n.coef);
	top = (int)len - 1 + n.exponent;
	if (n.exponent > 0 || top < -6)
		at = scientific(out, at, text, len, top);
	else
		at = plain(out, at, text, len, n.exponent);
	out[at] = '\0';
	return at;
}
