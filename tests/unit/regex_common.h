/* regex_common -- is a pattern in the common subset of PCRE2 and JavaScript?
 *
 * People run evidence in MongoDB (PCRE2) and in tools written in JavaScript, so a pattern must mean the same in both:
 *
 *   \ before a sign, \t \r \n \f, \xHH     no \x{…}, no \u, \s, \w, \d, \b, \p: they differ, by option or by engine
 *   ( (?: (?= (?!                          no lookbehind, no names, no options inside: those go to $options
 *   * + ? {n,m}, lazy with ?               no possessive + after them
 *   [ … ] without [: :] and not empty
 *
 * [\s\S] is any character in both. */
#ifndef AG_TESTS_REGEX_COMMON_H
#define AG_TESTS_REGEX_COMMON_H

#include <string.h>

#include "base/str.h"

static bool common_is_hex(char c)
{
	return c && strchr("0123456789abcdefABCDEF", c);
}

/* Length of the escape at s[i], 0 when it is not common. */
static size_t common_escape(ag_str s, size_t i)
{
	const char c = i + 1 < s.len ? s.ptr[i + 1] : '\0';

	if (c == 'x')
		return i + 3 < s.len && common_is_hex(s.ptr[i + 2]) && common_is_hex(s.ptr[i + 3])
		               ? 4
		               : 0;
	return c && strchr("trnf\\^$.|?*+()[]{}/-", c) ? 2 : 0;
}

/* The position after the class that begins at s[i], 0 when it is not common. */
static size_t common_class(ag_str s, size_t i)
{
	size_t from = ++i;

	if (i < s.len && s.ptr[i] == '^')
		from = ++i;
	while (i < s.len && s.ptr[i] != ']') {
		if (s.ptr[i] == '[')
			return 0;
		if (s.ptr[i] == '\\') {
			const size_t n = common_escape(s, i);

			if (!n)
				return 0;
			i += n;
		} else {
			i++;
		}
	}
	return i < s.len && i > from ? i + 1 : 0;
}

static bool regex_is_common(ag_str s)
{
	static const char any[] = "[\\s\\S]";
	bool quantified = false;

	for (size_t i = 0; i < s.len;) {
		const char c = s.ptr[i];
		const bool after = quantified;

		quantified = false;
		if (c == '\\') {
			const size_t n = common_escape(s, i);

			if (!n)
				return false;
			i += n;
		} else if (s.len - i >= 6 && memcmp(s.ptr + i, any, 6) == 0) {
			i += 6;
		} else if (c == '[') {
			i = common_class(s, i);
			if (!i)
				return false;
		} else if (c == '(' && i + 2 < s.len && s.ptr[i + 1] == '?') {
			if (!strchr(":=!", s.ptr[i + 2]))
				return false;
			i += 3;
		} else if (c == '*' || c == '+' || c == '?' || c == '}') {
			if (after && c != '?')
				return false;
			quantified = !after;
			i++;
		} else {
			i++;
		}
	}
	return true;
}

#endif
