/* word -- text eight bytes at a time: nearly all text needs one look at its words and none at its bytes.
 *
 * Marks are high bits of bytes. The lowest mark of a word is exact; a borrow may set wrong ones above it, never take one
 * away: so "is there any" is exact too. */
#ifndef AG_BASE_WORD_H
#define AG_BASE_WORD_H

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AG_WORD_ONES  UINT64_C(0x0101010101010101)
#define AG_WORD_HIGHS UINT64_C(0x8080808080808080)

static inline uint64_t ag_word_at(const char *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof(x));
	return x;
}

/* All of the fewer than eight bytes at p, in some order, some of them twice, and blanks. */
static inline uint64_t ag_word_short(const char *p, size_t n)
{
	uint32_t head, tail;

	if (n >= sizeof(head)) {
		memcpy(&head, p, sizeof(head));
		memcpy(&tail, p + n - sizeof(tail), sizeof(tail));
		return head | (uint64_t)tail << 32;
	}
	if (n == 0)
		return AG_WORD_ONES * ' ';
	return (AG_WORD_ONES * ' ') << 24 | (uint64_t)(unsigned char)p[n - 1] << 16 |
	       (uint64_t)(unsigned char)p[n / 2] << 8 | (unsigned char)p[0];
}

/* Marks what may not stand in a string of JSON as it is, or has to be looked at: a control character, a quote, a back slash,
 * a byte of 0x80 and more. */
static inline uint64_t ag_word_not_plain(uint64_t x)
{
	const uint64_t quote = x ^ (AG_WORD_ONES * '"'), slash = x ^ (AG_WORD_ONES * '\\');

	return (x | (x - AG_WORD_ONES * ' ') | (quote - AG_WORD_ONES) | (slash - AG_WORD_ONES)) &
	       AG_WORD_HIGHS;
}

/* Marks NUL and bytes of 0x80 and more. */
static inline uint64_t ag_word_not_ascii(uint64_t x)
{
	return (x | (x - AG_WORD_ONES)) & AG_WORD_HIGHS;
}

/* No word of s has a mark. The last word may overlap the one before it. */
static AG_ALWAYS_INLINE bool ag_word_none(ag_str s, uint64_t (*marks)(uint64_t))
{
	if (s.len < 8)
		return !marks(ag_word_short(s.ptr, s.len));
	for (size_t i = 0; i + 8 < s.len; i += 8) {
		if (marks(ag_word_at(s.ptr + i)))
			return false;
	}
	return !marks(ag_word_at(s.ptr + s.len - 8));
}

#ifdef __cplusplus
}
#endif
#endif
