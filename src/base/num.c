/* num -- writing numbers: integers by pairs of digits, doubles from their shortest digits.
 *
 * The digits of a double come from num_shortest; this file only decides where the point goes and
 * whether there is an exponent. The rule is that of JavaScript, so that the web page, the report
 * and the terminal show the same text; only minus zero keeps its sign here, because the text must
 * read back as the same double. */
#include "base/num.h"

#include <math.h>

#include "base/num_shortest.h"

/* Exponents of the first digit that are still written without "e": 0.000001 and 123...(21 digits). */
#define PLAIN_MIN_POINT (-5)
#define PLAIN_MAX_POINT 21

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";

/* Decimal digits of v, written so that they end before `end`; returns the first one. */
static char *digits_before(char *end, uint64_t v)
{
	while (v >= 100) {
		end -= 2;
		memcpy(end, pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		end -= 2;
		memcpy(end, pairs + v * 2, 2);
	} else {
		*--end = (char)('0' + v);
	}
	return end;
}

static size_t finish(char *out, size_t n)
{
	out[n] = '\0';
	return n;
}

static size_t put_u64(char *out, size_t at, uint64_t v)
{
	size_t n = 1;

	for (uint64_t rest = v; rest >= 10; rest /= 10)
		n++;
	digits_before(out + at + n, v);
	return at + n;
}

size_t ag_num_u64(char out[AG_NUM_MAX], uint64_t v)
{
	return finish(out, put_u64(out, 0, v));
}

size_t ag_num_i64(char out[AG_NUM_MAX], int64_t v)
{
	if (v >= 0)
		return ag_num_u64(out, (uint64_t)v);
	out[0] = '-';
	return finish(out, put_u64(out, 1, 0 - (uint64_t)v));
}

size_t ag_num_hex(char out[AG_NUM_MAX], uint64_t v)
{
	for (size_t i = 16; i-- > 0; v >>= 4)
		out[i] = "0123456789abcdef"[v & 15];
	return finish(out, 16);
}

size_t ag_num_grouped(char out[AG_NUM_MAX], uint64_t v)
{
	char text[24];
	char *end = text + sizeof(text);
	size_t n = 0;

	for (const char *p = digits_before(end, v); p < end; p++) {
		out[n++] = *p;
		if (end - p > 1 && (end - p) % 3 == 1)
			out[n++] = ',';
	}
	return finish(out, n);
}

static size_t put(char *out, size_t at, const char *text, size_t len)
{
	memcpy(out + at, text, len);
	return at + len;
}

static size_t put_zeros(char *out, size_t at, int count)
{
	if (count <= 0)
		return at;
	memset(out + at, '0', (size_t)count);
	return at + (size_t)count;
}

static size_t put_scientific(char *out, size_t at, const char *digits, size_t n, int point)
{
	int exponent = point - 1;

	at = put(out, at, digits, 1);
	if (n > 1) {
		out[at++] = '.';
		at = put(out, at, digits + 1, n - 1);
	}
	out[at++] = 'e';
	out[at++] = exponent < 0 ? '-' : '+';
	return put_u64(out, at, (uint64_t)(exponent < 0 ? -exponent : exponent));
}

size_t ag_num_double(char out[AG_NUM_MAX], double v, bool keep_point)
{
	char digits[AG_NUM_MAX_DIGITS];
	size_t at = 0, n;
	int point;

	if (isnan(v))
		return finish(out, put(out, 0, "NaN", 3));
	if (signbit(v))
		out[at++] = '-';
	if (isinf(v))
		return finish(out, put(out, at, "Infinity", 8));
	n = ag_num_shortest(v, digits, &point);
	if (point < PLAIN_MIN_POINT || point > PLAIN_MAX_POINT)
		return finish(out, put_scientific(out, at, digits, n, point));
	if (point <= 0) {
		at = put(out, at, "0.", 2);
		at = put_zeros(out, at, -point);
		return finish(out, put(out, at, digits, n));
	}
	if (n <= (size_t)point) {
		at = put(out, at, digits, n);
		at = put_zeros(out, at, point - (int)n);
		return finish(out, keep_point ? put(out, at, ".0", 2) : at);
	}
	at = put(out, at, digits, (size_t)point);
	out[at++] = '.';
	return finish(out, put(out, at, digits + point, n - (size_t)point));
}
