/* Layout in one pass: the buffer is written once, `col` says where we are.
 *
 * Invariant: no byte of data reaches the buffer except through put_cp(), which decides for each code point
 * whether a terminal may see it. Read put_cp(), then ag_paint_wrap(). */
#include "base/paint.h"

#include <stdio.h>

#include "base/utf8.h"

#define SHORT_GROUP 32 /* bytes of code in brackets that stay on one line */

static const char *const inks[AG_NINK] = {
	[AG_INK_PLAIN] = "",        [AG_INK_BOLD] = "\033[1m",    [AG_INK_DIM] = "\033[2m",
	[AG_INK_RED] = "\033[31m",  [AG_INK_YELLOW] = "\033[33m", [AG_INK_GREEN] = "\033[32m",
	[AG_INK_BLUE] = "\033[34m", [AG_INK_CYAN] = "\033[36m",   [AG_INK_ALARM] = "\033[1;97;41m",
};

static const struct {
	const char *utf8, *ascii;
} signs[AG_NSIGN] = {
	[AG_SIGN_DOT] = { "\u00b7", "|" },  [AG_SIGN_DASH] = { "\u2014", "-" },
	[AG_SIGN_RULE] = { "\u2500", "-" }, [AG_SIGN_MORE] = { "\u2026", "..." },
	[AG_SIGN_GOOD] = { "\u2713", "+" }, [AG_SIGN_BAD] = { "\u2717", "x" },
	[AG_SIGN_WARN] = { "!", "!" },      [AG_SIGN_ARROW] = { "\u2192", "->" },
};

void ag_paint_init(ag_paint *p, ag_buf *out, size_t width, bool colour, bool utf8)
{
	*p = (ag_paint){ .out = out,
		         .width = width < AG_PAINT_MIN_WIDTH ? AG_PAINT_MIN_WIDTH : width,
		         .colour = colour,
		         .utf8 = utf8 };
}

/* --- one code point --- */

static bool in(uint32_t cp, uint32_t first, uint32_t last)
{
	return cp >= first && cp <= last;
}

/* Controls, what turns or hides text, and blanks that look like another blank. */
static bool is_hostile(uint32_t cp)
{
	return cp < 0x20 || in(cp, 0x7F, 0xA0) || cp == 0xAD || cp == 0x61C || cp == 0x180E ||
	       in(cp, 0x2000, 0x200B) || in(cp, 0x200E, 0x200F) || in(cp, 0x2028, 0x202F) ||
	       in(cp, 0x205F, 0x206F) || cp == 0xFEFF || in(cp, 0xFFF9, 0xFFFB) ||
	       in(cp, 0xE0000, 0xE007F);
}

typedef struct piece {
	char text[16];
	size_t len, width;
	bool is_blank;
} piece;

static void escaped(piece *p, uint32_t cp)
{
	if (cp == '\n' || cp == '\t' || cp == '\r')
		p->len = (size_t)snprintf(p->text, sizeof(p->text), "\\%c",
		                          cp == '\n'   ? 'n'
		                          : cp == '\t' ? 't'
		                                       : 'r');
	else if (cp > 0xFFFF)
		p->len = (size_t)snprintf(p->text, sizeof(p->text), "\\u%04x\\u%04x",
		                          0xD800 + ((cp - 0x10000) >> 10),
		                          0xDC00 + ((cp - 0x10000) & 0x3FF));
	else
		p->len = (size_t)snprintf(p->text, sizeof(p->text), "\\u%04x", cp);
	p->width = p->len;
}

/* The next piece of s as a terminal may see it. */
static piece next_piece(ag_str s, size_t *pos, bool utf8)
{
	size_t at = *pos;
	uint32_t cp = ag_utf8_next(s, pos);
	piece p = { .is_blank = cp == ' ' };

	if (cp == 0xFFFD && *pos - at == 1) {
		p.len = p.width = (size_t)snprintf(p.text, sizeof(p.text), "\\x%02x",
		                                   (unsigned)(unsigned char)s.ptr[at]);
	} else if (is_hostile(cp) || (cp > 0x7E && !utf8)) {
		escaped(&p, cp);
	} else {
		p.len = *pos - at;
		memcpy(p.text, s.ptr + at, p.len);
		p.width = ag_utf8_cp_width(cp);
	}
	return p;
}

void ag_paint_escape(ag_buf *out, ag_str s, bool utf8, bool keep_lines)
{
	for (size_t pos = 0; pos < s.len;) {
		size_t plain = pos;
		piece p;

		/* Long runs of plain ASCII are the rule. */
		while (plain < s.len && s.ptr[plain] >= 0x20 && s.ptr[plain] < 0x7F)
			plain++;
		if (plain > pos) {
			ag_buf_add(out, ag_str_make(s.ptr + pos, plain - pos));
			pos = plain;
		} else if (keep_lines && strchr("\n\t\r", s.ptr[pos]) && s.ptr[pos]) {
			/* Between the tokens of JSON; inside its strings they cannot stand raw. */
			ag_buf_addc(out, s.ptr[pos] == '\r' ? ' ' : s.ptr[pos]);
			pos++;
		} else {
			p = next_piece(s, &pos, utf8);
			ag_buf_add(out, ag_str_make(p.text, p.len));
		}
	}
}

/* --- on the line --- */

static void ink_on(ag_paint *p, ag_ink ink)
{
	if (p->colour && ink != AG_INK_PLAIN)
		ag_buf_adds(p->out, inks[ink]);
}

static void ink_off(ag_paint *p, ag_ink ink)
{
	if (p->colour && ink != AG_INK_PLAIN)
		ag_buf_adds(p->out, "\033[0m");
}

static void put(ag_paint *p, const piece *c)
{
	ag_buf_add(p->out, ag_str_make(c->text, c->len));
	p->col += c->width;
}

void ag_paint_text(ag_paint *p, ag_ink ink, ag_str s)
{
	if (!s.len)
		return; /* an empty text leaves no colour codes either */
	ink_on(p, ink);
	for (size_t pos = 0; pos < s.len;) {
		piece c = next_piece(s, &pos, p->utf8);

		put(p, &c);
	}
	ink_off(p, ink);
}

void ag_paint_lit(ag_paint *p, ag_ink ink, const char *cstr)
{
	ag_paint_text(p, ink, ag_str_c(cstr));
}

void ag_paint_textf(ag_paint *p, ag_ink ink, const char *fmt, ...)
{
	ag_buf text = AG_BUF_INIT(64 * 1024);
	va_list ap;

	va_start(ap, fmt);
	ag_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	ag_paint_text(p, ink, ag_buf_view(&text));
	ag_buf_release(&text);
}

void ag_paint_sign(ag_paint *p, ag_ink ink, ag_sign sign)
{
	const char *text = p->utf8 ? signs[sign].utf8 : signs[sign].ascii;

	ink_on(p, ink);
	ag_buf_adds(p->out, text);
	p->col += ag_utf8_width(ag_str_c(text));
	ink_off(p, ink);
}

size_t ag_paint_width(const ag_paint *p, ag_str s)
{
	size_t width = 0;

	for (size_t pos = 0; pos < s.len;)
		width += next_piece(s, &pos, p->utf8).width;
	return width;
}

void ag_paint_cut(ag_paint *p, ag_ink ink, size_t columns, ag_str s)
{
	size_t nmore = p->utf8 ? 1 : 3;
	bool fits = ag_paint_width(p, s) <= columns;
	size_t room = fits ? columns : columns > nmore ? columns - nmore : 0, used = 0;

	ink_on(p, ink);
	for (size_t pos = 0; pos < s.len;) {
		piece c = next_piece(s, &pos, p->utf8);

		if (used + c.width > room)
			break;
		used += c.width;
		put(p, &c);
	}
	if (!fits)
		ag_paint_sign(p, AG_INK_PLAIN, AG_SIGN_MORE);
	ink_off(p, ink);
}

void ag_paint_cut_front(ag_paint *p, ag_ink ink, size_t columns, ag_str s)
{
	const size_t nmore = p->utf8 ? 1 : 3;
	size_t pos = 0, over = ag_paint_width(p, s);

	if (over <= columns) {
		ag_paint_text(p, ink, s);
		return;
	}
	over = over + nmore > columns ? over + nmore - columns : 0;
	for (size_t dropped = 0; dropped < over && pos < s.len;)
		dropped += next_piece(s, &pos, p->utf8).width;
	ag_paint_sign(p, AG_INK_DIM, AG_SIGN_MORE);
	ag_paint_text(p, ink, ag_str_make(s.ptr + pos, s.len - pos));
}

void ag_paint_to(ag_paint *p, size_t col)
{
	for (; p->col < col; p->col++)
		ag_buf_addc(p->out, ' ');
}

void ag_paint_nl(ag_paint *p)
{
	ag_buf_addc(p->out, '\n');
	p->col = 0;
}

void ag_paint_fit(ag_paint *p, size_t indent, size_t columns)
{
	if (p->col + columns <= p->width)
		return;
	ag_paint_nl(p);
	ag_paint_to(p, indent);
}

void ag_paint_rule(ag_paint *p, size_t from)
{
	ag_paint_to(p, from);
	if (p->colour)
		ag_buf_adds(p->out, inks[AG_INK_DIM]);
	while (p->col < p->width)
		ag_paint_sign(p, AG_INK_PLAIN, AG_SIGN_RULE);
	ink_off(p, AG_INK_DIM);
	ag_paint_nl(p);
}

/* --- wrapping --- */

/* Inks end with the line, so that a pager that shows one line shows it right. */
static void next_line(ag_paint *p, ag_ink ink, size_t indent)
{
	ink_off(p, ink);
	ag_paint_nl(p);
	ag_paint_to(p, indent);
	ink_on(p, ink);
}

/* One unbreakable run; it moves to the next line when it does not fit, and is cut when no line is long
 * enough. */
static void put_word(ag_paint *p, ag_ink ink, size_t indent, ag_str word, bool can_cut)
{
	size_t width = ag_paint_width(p, word);

	if (p->col > indent && p->col + width > p->width)
		next_line(p, ink, indent);
	for (size_t pos = 0; pos < word.len;) {
		piece c = next_piece(word, &pos, p->utf8);

		if (can_cut && p->col > indent && p->col + c.width > p->width)
			next_line(p, ink, indent);
		put(p, &c);
	}
}

void ag_paint_wrap(ag_paint *p, ag_ink ink, size_t indent, ag_str s)
{
	bool ends_blank = s.len > 1 && s.ptr[s.len - 1] == ' ';

	ink_on(p, ink);
	for (bool first = true; s.len || first; first = false) {
		ag_str word = ag_str_split(&s, ' ');

		if (!first && p->col > indent) {
			if (p->col + 1 + ag_paint_width(p, word) > p->width) {
				next_line(p, ink, indent);
			} else {
				ag_buf_addc(p->out, ' ');
				p->col++;
			}
		}
		put_word(p, ink, indent, word, true);
	}
	if (ends_blank && p->col < p->width) {
		ag_buf_addc(p->out, ' ');
		p->col++;
	}
	ink_off(p, ink);
}

/* Does a '/' start a regular expression, seen what stands before it? */
static bool starts_regex(char before)
{
	return before == '(' || before == ',' || before == ':' || before == '[' || before == '{' ||
	       before == '\0';
}

/* Where the string or regular expression ends that starts at s[i]: behind its closing sign. */
static size_t quoted_end(ag_str s, size_t i)
{
	char quote = s.ptr[i++];

	for (; i < s.len && s.ptr[i] != quote; i++)
		i += s.ptr[i] == '\\';
	return i < s.len ? i + 1 : s.len;
}

/* Behind the bracket that closes the one at s[i], or 0 when that is further than `most` away. */
static size_t group_end(ag_str s, size_t i, size_t most)
{
	size_t end = i + most < s.len ? i + most : s.len, depth = 0;
	char before = '\0';

	while (i < end) {
		char c = s.ptr[i];

		if (c == '"' || c == '\'' || (c == '/' && starts_regex(before))) {
			i = quoted_end(s, i);
		} else {
			depth += c == '(' || c == '[' || c == '{';
			if ((c == ')' || c == ']' || c == '}') && --depth == 0)
				return i + 1;
			i++;
		}
		before = c == ' ' ? before : c;
	}
	return 0;
}

/* The length of the code that must stay on one line: up to a comma or an opening bracket. Strings, regular
 * expressions and short groups stay whole. */
static size_t code_piece(ag_str s)
{
	char before = '\0';

	for (size_t i = 0; i < s.len;) {
		char c = s.ptr[i];
		size_t end = 0;

		if (c == '"' || c == '\'' || (c == '/' && starts_regex(before))) {
			i = quoted_end(s, i);
		} else if (c == ',') {
			return i + 1;
		} else if (c == '(' || c == '[' || c == '{') {
			end = group_end(s, i, SHORT_GROUP);
			if (!end)
				return i + 1;
			i = end;
		} else {
			i++;
		}
		before = c == ' ' ? before : end ? ')' : c;
	}
	return s.len;
}

void ag_paint_code(ag_paint *p, ag_ink ink, size_t indent, ag_str s)
{
	ink_on(p, ink);
	while (s.len) {
		size_t n = code_piece(s);
		ag_str part = ag_str_make(s.ptr, n);

		/* A blank at a line's start would only be more indent. */
		if (p->col <= indent)
			while (part.len && part.ptr[0] == ' ')
				part = ag_str_make(part.ptr + 1, part.len - 1);
		if (p->col > indent && p->col + ag_paint_width(p, part) > p->width) {
			next_line(p, ink, indent);
			part = ag_str_trim(part);
		}
		put_word(p, ink, indent, part, false);
		s = ag_str_make(s.ptr + n, s.len - n);
	}
	ink_off(p, ink);
}
