/* extjson_string -- read one JSON string.
 *
 * Fast road: find the closing quote over plain ASCII eight bytes at a time and return a view. The
 * first escape, high byte or control character leaves it; escapes force a copy, which is never longer
 * than what stands between the quotes, except for repaired bytes (1 becomes 3). */
#include "query/extjson_string.h"

#include "base/utf8.h"
#include "base/word.h"

static bool char_is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

static size_t skip_plain(ag_str t, size_t at)
{
	for (; at + 8 <= t.len; at += 8) {
		const uint64_t marks = ag_word_not_plain(ag_word_at(t.ptr + at));

		/* The lowest mark is exact, and of the first byte. */
		if (marks && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
			return at + (size_t)__builtin_ctzll(marks) / 8;
		if (marks)
			break;
	}
	while (at < t.len && char_is_plain((unsigned char)t.ptr[at]))
		at++;
	return at;
}

static bool hex4(ag_str t, size_t at, uint32_t *ret)
{
	uint32_t v = 0;

	if (at + 4 > t.len)
		return false;
	for (size_t i = at; i < at + 4; i++) {
		char c = t.ptr[i];

		v <<= 4;
		if (c >= '0' && c <= '9')
			v |= (uint32_t)(c - '0');
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			v |= (uint32_t)((c | 32) - 'a' + 10);
		else
			return false;
	}
	*ret = v;
	return true;
}

static ag_status bad(ag_extjson_scan *s, const char *what)
{
	return ag_fail(s->err, AG_INVALID, "query.extjson", "byte %zu: %s", s->at, what);
}

/* At the back slash of \uXXXX. A pair of surrogates is one character; a lone one becomes U+FFFD. */
static ag_status unicode_escape(ag_extjson_scan *s, uint32_t *ret)
{
	uint32_t cp, low;

	if (!hex4(s->text, s->at + 2, &cp))
		return bad(s, "want four hex digits after \\u");
	s->at += 6;
	if (cp >= 0xd800 && cp < 0xdc00 && s->at + 1 < s->text.len && s->text.ptr[s->at] == '\\' &&
	    s->text.ptr[s->at + 1] == 'u' && hex4(s->text, s->at + 2, &low) && low >= 0xdc00 &&
	    low < 0xe000) {
		s->at += 6;
		cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
	} else if (cp >= 0xd800 && cp < 0xe000) {
		s->notes.lone_surrogates++;
		cp = 0xfffd;
	}
	*ret = cp;
	return AG_OK;
}

static ag_status escape(ag_extjson_scan *s, uint32_t *ret)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *hit;
	char c;

	if (s->at + 1 >= s->text.len)
		return bad(s, "the text ends inside an escape");
	c = s->text.ptr[s->at + 1];
	if (c == 'u')
		return unicode_escape(s, ret);
	hit = c ? strchr(from, c) : NULL;
	if (!hit)
		return bad(s, "unknown escape in a string");
	*ret = (unsigned char)to[hit - from];
	s->at += 2;
	return AG_OK;
}

/* At a byte >= 0x80. *ret_good: the sequence is valid and was stepped over; else one bad byte was. */
static ag_status high_byte(ag_extjson_scan *s, bool *ret_good)
{
	size_t at = s->at;

	if (ag_utf8_next(s->text, &at) == 0xfffd && at - s->at == 1) {
		if (!s->repair_utf8)
			return bad(s, "the string is not valid UTF-8");
		s->notes.invalid_utf8++;
		*ret_good = false;
	} else {
		*ret_good = true;
	}
	s->at = at;
	return AG_OK;
}

/* Length of the string's raw text, up to its closing quote; for the size of the copy. */
static size_t raw_length(ag_str t, size_t at)
{
	size_t from = at;

	while (at < t.len && t.ptr[at] != '"')
		at += t.ptr[at] == '\\' ? 2 : 1;
	return (at < t.len ? at : t.len) - from;
}

/* The slow road: copy from `from` on, s->at stands on the first thing that is not plain. */
static ag_status copy_string(ag_extjson_scan *s, size_t from, ag_str *ret)
{
	size_t raw = raw_length(s->text, from), len = s->at - from;
	char *out = ag_arena_alloc(s->arena, raw * (s->repair_utf8 ? 3 : 1) + 4);

	memcpy(out, s->text.ptr + from, len);
	while (s->at < s->text.len && s->text.ptr[s->at] != '"') {
		unsigned char c = (unsigned char)s->text.ptr[s->at];
		size_t start = s->at;
		uint32_t cp = 0xfffd;
		bool good = false;
		ag_status st;

		if (char_is_plain(c)) {
			s->at = skip_plain(s->text, s->at);
			good = true;
		} else if (c < 0x20) {
			return bad(s, "control character in a string; write it as an escape");
		} else {
			st = c == '\\' ? escape(s, &cp) : high_byte(s, &good);
			if (st)
				return st;
		}
		if (good) {
			memcpy(out + len, s->text.ptr + start, s->at - start);
			len += s->at - start;
		} else {
			len += ag_utf8_put(out + len, cp);
		}
	}
	if (s->at >= s->text.len)
		return bad(s, "the text ends inside a string");
	s->at++;
	*ret = ag_str_make(out, len);
	return AG_OK;
}

ag_status ag_extjson_string(ag_extjson_scan *s, ag_str *ret)
{
	size_t from = s->at + 1;

	s->at = from;
	for (;;) {
		bool good;
		unsigned char c;

		s->at = skip_plain(s->text, s->at);
		if (s->at >= s->text.len)
			return bad(s, "the text ends inside a string");
		c = (unsigned char)s->text.ptr[s->at];
		if (c == '"') {
			*ret = ag_str_make(s->text.ptr + from, s->at - from);
			s->at++;
			return AG_OK;
		}
		if (c < 0x80)
			return copy_string(s, from, ret);
		if (s->repair_utf8) {
			size_t at = s->at;

			if (ag_utf8_next(s->text, &at) == 0xfffd && at - s->at == 1)
				return copy_string(s, from, ret);
			s->at = at;
		} else {
			ag_status st = high_byte(s, &good);

			if (st)
				return st;
		}
	}
}
