/* num_shortest -- std::to_chars and std::from_chars behind two C functions.
 *
 * C++ only because libc has neither a shortest round-trip formatter nor a reader that is free of the
 * locale. Both library functions work on caller memory and never throw, so the file needs no C++
 * runtime beyond them. All formatting decisions are in num.c; here are only digits. */
#include "base/num_shortest.h"

#include <charconv>
#include <cmath>
#include <limits>

extern "C" size_t ag_num_shortest(double v, char digits[AG_NUM_MAX_DIGITS], int *point)
{
	char text[32]; /* "d.dddddddddddddddde-308": 23 bytes */
	std::to_chars_result end = std::to_chars(text, text + sizeof(text), std::fabs(v),
	                                         std::chars_format::scientific);
	const char *p = text;
	size_t n = 0;
	int exponent = 0;

	for (; p < end.ptr && *p != 'e'; p++) {
		if (*p != '.' && n < AG_NUM_MAX_DIGITS)
			digits[n++] = *p;
	}
	/* from_chars takes no plus sign, which to_chars writes. */
	p += p < end.ptr ? 1 : 0;
	p += p < end.ptr && *p == '+' ? 1 : 0;
	std::from_chars(p, end.ptr, exponent);
	*point = exponent + 1;
	return n;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The library reports "too large" and "too small" as one error. The position of the first digit that
 * is not zero tells them apart; the exponent is capped so that a long one cannot overflow. */
static bool is_large(const char *p, const char *end)
{
	const long cap = 100000000;
	long position = 0, exponent = 0;
	bool point = false, significant = false, negative = false;

	for (; p < end && *p != 'e' && *p != 'E'; p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		significant = significant || *p != '0';
		if (significant && !point)
			position++;
		if (!significant && point)
			position--;
	}
	if (p < end)
		p++;
	if (p < end && (*p == '+' || *p == '-'))
		negative = *p++ == '-';
	for (; p < end && exponent < cap; p++)
		exponent = exponent * 10 + (*p - '0');
	return position + (negative ? -exponent : exponent) > 0;
}

extern "C" ag_num_read ag_num_read_double(const char *text, size_t len, double *ret)
{
	const char *p = text, *end = text + len;
	bool negative = len > 0 && *p == '-';
	double v = 0;

	if (len > 0 && (*p == '-' || *p == '+'))
		p++;
	/* Words such as "inf" and "nan" are numbers to the library, not to us. */
	if (p == end || !(is_digit(*p) || (*p == '.' && end - p > 1 && is_digit(p[1]))))
		return AG_NUM_READ_BAD;
	std::from_chars_result r = std::from_chars(p, end, v, std::chars_format::general);
	if (r.ptr != end)
		return AG_NUM_READ_BAD;
	if (r.ec == std::errc::result_out_of_range)
		v = is_large(p, end) ? std::numeric_limits<double>::infinity() : 0.0;
	else if (r.ec != std::errc())
		return AG_NUM_READ_BAD;
	*ret = negative ? -v : v;
	return std::isinf(v) ? AG_NUM_READ_INFINITE : AG_NUM_READ_OK;
}
