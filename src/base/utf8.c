/* utf8 -- decoding and validation; the width of characters is in utf8_width.c.
 *
 * One decoder, step(), knows the rules (Unicode 15, table 3-7 "Well-Formed UTF-8 Byte Sequences");
 * everything else is a loop around it with a fast path for ASCII, because nearly all text under
 * audit is ASCII. */
#include "base/utf8.h"

#include "base/word.h"

#define REPLACEMENT 0xFFFDu

static bool is_tail(unsigned char c)
{
	return (c & 0xC0) == 0x80;
}

/* Length of the well-formed sequence at p and its code point, or 0. Needs n > 0. */
static size_t step(const unsigned char *p, size_t n, uint32_t *ret)
{
	unsigned char c = p[0];

	if (c < 0x80) {
		*ret = c;
		return 1;
	}
	if (c < 0xC2) /* a tail byte, or a lead that could only be overlong */
		return 0;
	if (c < 0xE0) {
		if (n < 2 || !is_tail(p[1]))
			return 0;
		*ret = (c & 0x1Fu) << 6 | (p[1] & 0x3Fu);
		return 2;
	}
	if (c < 0xF0) {
		uint32_t cp;

		if (n < 3 || !is_tail(p[1]) || !is_tail(p[2]))
			return 0;
		cp = (c & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
		*ret = cp;
		return cp >= 0x800 && (cp < 0xD800 || cp > 0xDFFF) ? 3 : 0;
	}
	if (c < 0xF5) {
		uint32_t cp;

		if (n < 4 || !is_tail(p[1]) || !is_tail(p[2]) || !is_tail(p[3]))
			return 0;
		cp = (c & 0x07u) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 |
		     (p[3] & 0x3Fu);
		*ret = cp;
		return cp >= 0x10000 && cp <= 0x10FFFF ? 4 : 0;
	}
	return 0;
}

uint32_t ag_utf8_next(ag_str s, size_t *pos)
{
	uint32_t cp = REPLACEMENT;
	size_t n = step((const unsigned char *)s.ptr + *pos, s.len - *pos, &cp);

	*pos += n ? n : 1;
	return n ? cp : REPLACEMENT;
}

size_t ag_utf8_put(char out[4], uint32_t cp)
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xC0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3F));
		return 2;
	}
	if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
		cp = REPLACEMENT;
	if (cp < 0x10000) {
		out[0] = (char)(0xE0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3F));
		out[2] = (char)(0x80 | (cp & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3F));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3F));
	out[3] = (char)(0x80 | (cp & 0x3F));
	return 4;
}

/* Index of the first byte at or after i that is not ASCII, or len. Thirty-two bytes a turn: the four
 * loads are independent, and gcc turns them into vector code. */
static size_t skip_ascii(const unsigned char *p, size_t i, size_t len)
{
	const uint64_t highs = 0x8080808080808080u;
	uint64_t w[4];

	for (; i + sizeof(w) <= len; i += sizeof(w)) {
		memcpy(w, p + i, sizeof(w));
		if ((w[0] | w[1] | w[2] | w[3]) & highs)
			break;
	}
	for (; i + 8 <= len; i += 8) {
		memcpy(w, p + i, 8);
		if (w[0] & highs)
			break;
	}
	while (i < len && p[i] < 0x80)
		i++;
	return i;
}

bool ag_utf8_valid(ag_str s)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	size_t i = 0;

	while (i < s.len) {
		uint32_t cp;
		size_t n;

		if (p[i] < 0x80) {
			i = skip_ascii(p, i, s.len);
			continue;
		}
		n = step(p + i, s.len - i, &cp);
		if (n == 0)
			return false;
		i += n;
	}
	return true;
}

bool ag_utf8_is_text(ag_str s)
{
	if (ag_word_none(s, ag_word_not_ascii))
		return true;
	return !memchr(s.ptr, '\0', s.len) && ag_utf8_valid(s);
}

/* Byte index behind the first n code points; *ret_count is how many there were. */
static size_t walk(ag_str s, size_t n, size_t *ret_count)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	size_t i = 0, count = 0;

	while (i < s.len && count < n) {
		size_t most = s.len - i < n - count ? s.len : i + (n - count);
		size_t next = skip_ascii(p, i, most);

		count += next - i;
		i = next;
		if (i < most) {
			ag_utf8_next(s, &i);
			count++;
		}
	}
	*ret_count = count;
	return i;
}

size_t ag_utf8_count(ag_str s)
{
	size_t count;

	walk(s, SIZE_MAX, &count);
	return count;
}

ag_str ag_utf8_prefix(ag_str s, size_t n)
{
	size_t count;

	return ag_str_make(s.ptr, walk(s, n, &count));
}

size_t ag_utf8_width(ag_str s)
{
	size_t i = 0, width = 0;

	while (i < s.len) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c < 0x80) {
			width += c >= 0x20 && c != 0x7F;
			i++;
		} else {
			width += ag_utf8_cp_width(ag_utf8_next(s, &i));
		}
	}
	return width;
}
