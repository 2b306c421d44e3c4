/* str -- slices of bytes: comparing, cutting, reading numbers, finding the nearest word.
 *
 * A slice with len 0 may have a NULL ptr, and memcmp, memchr and memmem must not see NULL, so each
 * function settles the empty case first. Case folding and white space are ASCII on purpose: the
 * answer must not depend on a locale. The growing buffer of the same header is in buf.c. */
#include "base/str.h"

#include <stdlib.h>

#include "base/num_shortest.h"

int ag_str_cmp(ag_str a, ag_str b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int d = n ? memcmp(a.ptr, b.ptr, n) : 0;

	return d ? d : (a.len > b.len) - (a.len < b.len);
}

bool ag_str_starts(ag_str s, ag_str prefix)
{
	return s.len >= prefix.len && ag_str_eq(ag_str_make(s.ptr, prefix.len), prefix);
}

bool ag_str_ends(ag_str s, ag_str suffix)
{
	if (suffix.len == 0)
		return true;
	return s.len >= suffix.len &&
	       memcmp(s.ptr + (s.len - suffix.len), suffix.ptr, suffix.len) == 0;
}

static unsigned char lower(char c)
{
	unsigned char u = (unsigned char)c;

	return u >= 'A' && u <= 'Z' ? (unsigned char)(u | 0x20) : u;
}

bool ag_str_ieq(ag_str a, ag_str b)
{
	if (a.len != b.len)
		return false;
	if (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0)
		return true; /* headers, keywords: nearly all are written as everybody writes them */
	for (size_t i = 0; i < a.len; i++) {
		if (lower(a.ptr[i]) != lower(b.ptr[i]))
			return false;
	}
	return true;
}

ptrdiff_t ag_str_find(ag_str s, char c)
{
	const char *hit = s.len ? memchr(s.ptr, c, s.len) : NULL;

	return hit ? hit - s.ptr : -1;
}

bool ag_str_contains(ag_str s, ag_str part)
{
	if (part.len == 0)
		return true;
	return s.len >= part.len && memmem(s.ptr, s.len, part.ptr, part.len) != NULL;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

ag_str ag_str_trim(ag_str s)
{
	while (s.len && is_space(s.ptr[0])) {
		s.ptr++;
		s.len--;
	}
	while (s.len && is_space(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

ag_str ag_str_split(ag_str *rest, char sep)
{
	ag_str piece = *rest;
	ptrdiff_t at = ag_str_find(piece, sep);

	if (at < 0) {
		*rest = ag_str_make(NULL, 0);
		return piece;
	}
	piece.len = (size_t)at;
	rest->ptr += piece.len + 1;
	rest->len -= piece.len + 1;
	return piece;
}

bool ag_str_take_digits(ag_str *s, size_t n, int *ret)
{
	int v = 0;

	if (s->len < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (s->ptr[i] < '0' || s->ptr[i] > '9')
			return false;
		v = v * 10 + (s->ptr[i] - '0');
	}
	s->ptr += n;
	s->len -= n;
	*ret = v;
	return true;
}

/* The digits after an optional sign; a sign is for the caller to read. */
static bool digits_u64(const char *p, size_t n, uint64_t *ret)
{
	uint64_t v = 0;

	if (n == 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		unsigned d = (unsigned)(unsigned char)p[i] - '0';

		if (d > 9 || v > (UINT64_MAX - d) / 10)
			return false;
		v = v * 10 + d;
	}
	*ret = v;
	return true;
}

bool ag_str_to_u64(ag_str s, uint64_t *ret)
{
	if (s.len && s.ptr[0] == '+') {
		s.ptr++;
		s.len--;
	}
	return digits_u64(s.ptr, s.len, ret);
}

bool ag_str_to_i64(ag_str s, int64_t *ret)
{
	bool neg = s.len && s.ptr[0] == '-';
	bool sign = neg || (s.len && s.ptr[0] == '+');
	uint64_t v;

	if (!digits_u64(sign ? s.ptr + 1 : s.ptr, s.len - sign, &v))
		return false;
	if (v > (uint64_t)INT64_MAX + neg)
		return false;
	/* -(v - 1) - 1 reaches INT64_MIN without leaving the type. */
	*ret = !neg ? (int64_t)v : v == 0 ? 0 : -(int64_t)(v - 1) - 1;
	return true;
}

bool ag_str_to_double(ag_str s, double *ret)
{
	double v;

	if (ag_num_read_double(s.ptr, s.len, &v) != AG_NUM_READ_OK)
		return false;
	*ret = v;
	return true;
}

#define DISTANCE_MAX 64 /* names are short; more would make the answer slow, not better */

size_t ag_str_distance(ag_str a, ag_str b)
{
	/* Three rows of the classic table: swaps of neighbours look back two rows. */
	unsigned char row[3][DISTANCE_MAX + 1];
	unsigned char *before = row[0], *prev = row[1], *cur = row[2];

	if (a.len > DISTANCE_MAX || b.len > DISTANCE_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= b.len; j++)
		prev[j] = (unsigned char)j;
	for (size_t i = 1; i <= a.len; i++) {
		unsigned char *recycled = before;

		cur[0] = (unsigned char)i;
		for (size_t j = 1; j <= b.len; j++) {
			unsigned best = prev[j - 1] + (unsigned)(a.ptr[i - 1] != b.ptr[j - 1]);

			if (prev[j] + 1u < best)
				best = prev[j] + 1u;
			if (cur[j - 1] + 1u < best)
				best = cur[j - 1] + 1u;
			if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] &&
			    a.ptr[i - 2] == b.ptr[j - 1] && before[j - 2] + 1u < best)
				best = before[j - 2] + 1u;
			cur[j] = (unsigned char)best;
		}
		before = prev;
		prev = cur;
		cur = recycled;
	}
	return prev[b.len];
}

const char *ag_str_nearest(ag_str word, const char *const *names, size_t n)
{
	const char *found = NULL;
	size_t best = word.len / 2 < 3 ? word.len / 2 : 3;

	for (size_t i = 0; i < n; i++) {
		ag_str name = ag_str_c(names[i]);
		size_t d = ag_str_distance(word, name);

		if (d > name.len / 2)
			continue; /* nothing of a short name would be left */
		if (d < best || (d == best && !found)) {
			best = d;
			found = names[i];
		}
	}
	return found;
}
