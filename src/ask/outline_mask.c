/* outline_mask -- comments and strings blanked out, in one pass.
 *
 * A string that is not over lines ends with its line whatever happens, so an apostrophe in a regular expression or a comment
 * of another language spoils one line and not the rest of the file. */
#include <stdlib.h>

#include "ask/outline_code.h"

typedef struct mask {
	ag_str in;
	char *out;
	unsigned flags;
} mask;

static char at(const mask *m, size_t i)
{
	return i < m->in.len ? m->in.ptr[i] : 0;
}

/* Blanks from i up to `to`; line ends stay. */
static size_t blank(mask *m, size_t i, size_t to)
{
	for (; i < to; i++)
		if (m->out[i] != '\n' && m->out[i] != '\r')
			m->out[i] = ' ';
	return to;
}

static size_t line_end(const mask *m, size_t i)
{
	const char *p = memchr(m->in.ptr + i, '\n', m->in.len - i);

	return p ? (size_t)(p - m->in.ptr) : m->in.len;
}

/* Behind the first `what` from i on; the end of the text when there is none. */
static size_t behind(const mask *m, size_t i, ag_str what)
{
	const char *p = i < m->in.len ? memmem(m->in.ptr + i, m->in.len - i, what.ptr, what.len)
	                              : NULL;

	return p ? (size_t)(p - m->in.ptr) + what.len : m->in.len;
}

static size_t string(mask *m, size_t i, char quote, bool over_lines)
{
	size_t from = ++i;

	for (; i < m->in.len && m->in.ptr[i] != quote; i++) {
		if (m->in.ptr[i] == '\n' && !over_lines)
			return blank(m, from, i);
		if (m->in.ptr[i] == '\\' && i + 1 < m->in.len && m->in.ptr[i + 1] != '\n')
			i++;
	}
	i = i < m->in.len ? i : m->in.len;
	blank(m, from, i);
	return i < m->in.len ? i + 1 : i;
}

/* 'x', '\n', '\u{1f600}', 'é'; any other ' is none of ours. */
static size_t character(mask *m, size_t i)
{
	size_t end = i + 1, max = at(m, end) == '\\' ? 12 : 4;

	if (at(m, end) == '\\')
		end++;
	for (size_t n = 0; n < max && end < m->in.len; n++) {
		end++;
		if (at(m, end) == '\'') {
			blank(m, i + 1, end);
			return end + 1;
		}
		/* One character: only bytes of UTF-8 may follow its first. */
		if (max == 4 && ((unsigned char)at(m, end) & 0xc0) != 0x80)
			break;
	}
	return i + 1;
}

static size_t directive(mask *m, size_t i)
{
	size_t end = line_end(m, i);

	while (end < m->in.len && end > i &&
	       (at(m, end - 1) == '\\' ||
	        (at(m, end - 1) == '\r' && end > i + 1 && at(m, end - 2) == '\\')))
		end = line_end(m, end + 1);
	return blank(m, i + 1, end);
}

/* A comment at i: behind it, or i. */
static size_t comment(mask *m, size_t i)
{
	char c = at(m, i), next = at(m, i + 1);

	if (c == '/' && next == '*' && (m->flags & (AG_CODE_SLASH | AG_CODE_DASH)))
		return blank(m, i, behind(m, i + 2, AG_S("*/")));
	if ((c == '/' && next == '/' && (m->flags & AG_CODE_SLASH)) ||
	    (c == '-' && next == '-' && (m->flags & AG_CODE_DASH)))
		return blank(m, i, line_end(m, i));
	/* In a shell "$#" and "a#b" are none. */
	if (c == '#' && (m->flags & AG_CODE_HASH) &&
	    (i == 0 || strchr(" \t\r\n;(){}[]", m->in.ptr[i - 1])))
		return blank(m, i, line_end(m, i));
	return i;
}

static size_t quoted(mask *m, size_t i)
{
	char c = m->in.ptr[i];
	bool is_string = (c == '"' && (m->flags & AG_CODE_QUOTES)) ||
	                 (c == '\'' && (m->flags & AG_CODE_SINGLE));

	if (is_string && (m->flags & AG_CODE_TRIPLE) && at(m, i + 1) == c && at(m, i + 2) == c) {
		char three[3] = { c, c, c };
		size_t end = behind(m, i + 3, ag_str_make(three, 3));

		if (end >= i + 6 && memcmp(m->in.ptr + end - 3, three, 3) == 0) {
			blank(m, i + 3, end - 3);
			memset(m->out + end - 3, AG_CODE_CLOSED, 3);
		} else {
			blank(m, i + 3, end);
		}
		return end;
	}
	if (is_string)
		return string(m, i, c, false);
	if (c == '\'' && (m->flags & AG_CODE_CHARS))
		return character(m, i);
	if (c == '`' && (m->flags & AG_CODE_BACKTICK))
		return string(m, i, c, true);
	return i + 1;
}

/* Can a regular expression stand at i, and not a division? By what is before it. */
static bool is_regex_place(const mask *m, size_t i)
{
	while (i > 0 && (m->out[i - 1] == ' ' || m->out[i - 1] == '\t'))
		i--;
	if (i == 0 || strchr("\n\r(,=:[!&|?{};+-*%<>~^", m->out[i - 1]))
		return true;
	return (i >= 6 && memcmp(m->out + i - 6, "return", 6) == 0) ||
	       (i >= 6 && memcmp(m->out + i - 6, "typeof", 6) == 0);
}

/* /…/ of JavaScript: behind it, or i when it does not end on its line. */
static size_t regex(mask *m, size_t i)
{
	bool in_class = false;

	for (size_t k = i + 1; k < m->in.len && m->in.ptr[k] != '\n'; k++) {
		char c = m->in.ptr[k];

		if (c == '\\')
			k++;
		else if (c == '[')
			in_class = true;
		else if (c == ']')
			in_class = false;
		else if (c == '/' && !in_class)
			return blank(m, i + 1, k) + 1;
	}
	return i;
}

char *ag_code_mask(ag_str text, unsigned flags)
{
	mask m = { text, ag_xmalloc(text.len + 1), flags };
	bool is_start = true; /* of a line, but for blanks */

	memcpy(m.out, text.ptr, text.len);
	m.out[text.len] = 0;
	for (size_t i = 0; i < text.len;) {
		char c = text.ptr[i];
		size_t next;

		if (c == '#' && is_start && (flags & AG_CODE_DIRECTIVES)) {
			i = directive(&m, i);
			continue;
		}
		if (c == '\n')
			is_start = true;
		else if (c != ' ' && c != '\t')
			is_start = false;
		next = comment(&m, i);
		if (next == i && c == '/' && (flags & AG_CODE_REGEX) && is_regex_place(&m, i))
			next = regex(&m, i);
		i = next > i ? next : quoted(&m, i);
	}
	return m.out;
}
