/* mojibake -- find and repair UTF-8 that was read as Latin-1 or Windows-1252.
 *
 * Every lead byte of UTF-8 (C2..F4) looks like a letter Â..ô in both code pages, and every continuation byte
 * like a sign (image_byte). So the text is scanned for a letter Â..ð followed by such signs; match() then
 * applies the rules of mojibake.h, which keep ordinary words in front of quotes and dashes out.
 *
 * A window w[] holds the code points from a position on; w[-1] is the one before. Read match() first. */
#include "columns/mojibake.h"

#include "base/utf8.h"
#include "columns/textclass.h"

#define WINDOW 7 /* the longest rule looks at six characters and one behind */

/* The bytes 80..9F of Windows-1252; 0 where it has none (they pass through as C1 controls). */
static const uint16_t cp1252[32] = {
	0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
	0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
	0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178,
};

/* The continuation byte 80..BF that a character stands for, or 0. */
static unsigned image_byte(uint32_t cp)
{
	if (cp >= 0x80 && cp <= 0xbf)
		return cp;
	if (cp < 0x152 || cp > 0x2122)
		return 0;
	for (unsigned i = 0; i < 32; i++)
		if (cp1252[i] == cp)
			return 0x80 + i;
	return 0;
}

static bool is_cont(uint32_t cp)
{
	return image_byte(cp) != 0;
}

static bool between(uint32_t cp, uint32_t lo, uint32_t hi)
{
	return cp >= lo && cp <= hi;
}

/* What typography puts behind a word; of the controls nothing. */
static bool is_typographic(uint32_t cp)
{
	unsigned b = image_byte(cp);

	if (cp >= 0x80 && cp <= 0x9f)
		return false;
	return b == 0x84 || b == 0x85 || between(b, 0x91, 0x97) || b == 0x99 || b == 0x9b ||
	       b == 0xa0 || b == 0xa9 || b == 0xab || b == 0xae || b == 0xbb;
}

static bool is_ascii_letter(uint32_t cp)
{
	return between(cp | 0x20, 'a', 'z');
}

static bool is_letter(uint32_t cp)
{
	return is_ascii_letter(cp) || between(cp, 0xc0, 0x24f);
}

static bool is_upper(uint32_t cp)
{
	return between(cp, 'A', 'Z') || between(cp, 0xc0, 0xde) || between(cp, 0x100, 0x17f);
}

/* Two bytes: how many characters at w are one broken letter (2), or 0. `alone`: a single letter of a script
 * that needs two is enough. */
static size_t match_two(const uint32_t *w, bool alone)
{
	static const struct {
		uint32_t lo, hi;
	} scripts[] = { { 0xce, 0xcf }, { 0xd0, 0xd3 }, { 0xd7, 0xd7 }, { 0xd8, 0xdb } };

	if (!is_cont(w[1]))
		return 0;
	if (w[0] == 0xc2 || w[0] == 0xc3) {
		if (w[0] == 0xc2 && !between(w[1], 0xa0, 0xbf))
			return 0;
		return !is_typographic(w[1]) || !is_upper(w[-1]) || is_letter(w[2]) ? 2 : 0;
	}
	if (w[0] == 0xc4 || w[0] == 0xc5)
		return w[1] != 0xa0 && (is_ascii_letter(w[2]) || between(w[-1], 'a', 'z')) ? 2 : 0;
	for (size_t i = 0; i < AG_NELEM(scripts); i++) {
		if (!between(w[0], scripts[i].lo, scripts[i].hi))
			continue;
		if (w[0] == 0xd7 && !between(image_byte(w[1]), 0x90, 0xaa))
			return 0;
		if (alone)
			return 2;
		if (!between(w[2], scripts[i].lo, scripts[i].hi) || !is_cont(w[3]))
			return 0;
		return w[0] != 0xd7 || between(image_byte(w[3]), 0x90, 0xaa) ? 2 : 0;
	}
	return 0;
}

/* A three-byte letter whose script gives no further hint. */
static bool is_triple(const uint32_t *w)
{
	if (w[0] == 0xe0)
		return between(w[1], 0xa4, 0xbf) && is_cont(w[2]);
	return between(w[0], 0xe3, 0xec) && is_cont(w[1]) && is_cont(w[2]);
}

static size_t match_three(const uint32_t *w, bool alone)
{
	bool is_one = false;

	switch (w[0]) {
	case 0xe1:
		is_one = (w[1] == 0xba || w[1] == 0xbb) && is_cont(w[2]) &&
		         (!is_typographic(w[2]) || is_ascii_letter(w[3]));
		break;
	case 0xe2: is_one = between(image_byte(w[1]), 0x80, 0x9f) && is_cont(w[2]); break;
	case 0xe3: is_one = between(image_byte(w[1]), 0x80, 0x83) && is_cont(w[2]); break;
	case 0xef:
		is_one = (w[1] == 0xbb && w[2] == 0xbf) || (w[1] == 0xbf && w[2] == 0xbd) ||
		         ((w[1] == 0xbc || w[1] == 0xbd) && is_cont(w[2]));
		break;
	default: break;
	}
	if (is_one)
		return 3;
	if (!is_triple(w))
		return 0;
	if (alone)
		return 3;
	return is_triple(w + 3) && (w[0] == 0xe0) == (w[3] == 0xe0) ? 3 : 0;
}

static size_t match(const uint32_t *w, bool alone)
{
	if (!between(w[0], 0xc2, 0xf0))
		return 0;
	if (w[0] < 0xe0)
		return match_two(w, alone);
	if (w[0] < 0xf0)
		return match_three(w, alone);
	return image_byte(w[1]) == 0x9f && is_cont(w[2]) && is_cont(w[3]) ? 4 : 0;
}

/* The code points from pos on, 0 behind the end; *ret_len[i] is where character i ends. */
static void look(ag_str s, size_t pos, uint32_t *w, size_t *ends)
{
	for (size_t i = 0; i < WINDOW; i++) {
		w[i] = pos < s.len ? ag_utf8_next(s, &pos) : 0;
		ends[i] = pos;
	}
}

/* The character before pos (an ASCII one or a whole UTF-8 sequence), 0 at the start. */
static uint32_t before(ag_str s, size_t pos)
{
	size_t at = pos;

	if (pos == 0)
		return 0;
	do {
		at--;
	} while (at > 0 && pos - at < 4 && ((unsigned char)s.ptr[at] & 0xc0) == 0x80);
	return ag_utf8_next(s, &at);
}

/* Position of the next letter Â..ð followed by something beyond ASCII, or s.len. */
static size_t next_lead(ag_str s, size_t pos)
{
	for (; pos + 2 < s.len; pos++) {
		const char *p = memchr(s.ptr + pos, 0xc3, s.len - pos);

		if (!p)
			break;
		pos = (size_t)(p - s.ptr);
		if (pos + 2 < s.len && (unsigned char)p[1] >= 0x82 && (unsigned char)p[2] >= 0xc2)
			return pos;
	}
	return s.len;
}

/* Returns the position of the next broken letter, searching from byte pos, or s.len. Sets *ret_end to the byte after the letter. */
static size_t next_match(ag_str s, size_t pos, bool alone, size_t *ret_end)
{
	uint32_t win[WINDOW + 1];
	size_t ends[WINDOW], n;

	for (pos = next_lead(s, pos); pos < s.len; pos = next_lead(s, pos + 2)) {
		look(s, pos, win + 1, ends);
		win[0] = before(s, pos);
		n = match(win + 1, alone);
		if (!n)
			continue;
		*ret_end = ends[n - 1];
		return pos;
	}
	return s.len;
}

bool ag_text_has_mojibake(ag_str s)
{
	size_t end;

	return next_match(s, 0, false, &end) < s.len;
}

size_t ag_text_next_mojibake(ag_str s, size_t from, size_t *ret_end)
{
	return next_match(s, from, true, ret_end);
}

/* The bytes that the characters of one broken letter, from byte `from` to `end`, stood for. */
static void put_bytes(ag_buf *out, ag_str s, size_t from, size_t end)
{
	ag_buf_addc(out, (char)ag_utf8_next(s, &from));
	while (from < end)
		ag_buf_addc(out, (char)image_byte(ag_utf8_next(s, &from)));
}

bool ag_text_repair(ag_str s, ag_buf *out)
{
	size_t done = 0, end = 0;

	if (!ag_text_has_mojibake(s))
		return false;
	for (size_t pos = ag_text_next_mojibake(s, 0, &end); pos < s.len;
	     pos = ag_text_next_mojibake(s, done, &end)) {
		ag_buf_add(out, ag_str_make(s.ptr + done, pos - done));
		put_bytes(out, s, pos, end);
		done = end;
	}
	ag_buf_add(out, ag_str_make(s.ptr + done, s.len - done));
	return !out->failed;
}
