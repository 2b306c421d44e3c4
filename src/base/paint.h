/* paint -- text for a terminal: colours, wrapping by display width, and data that cannot do harm.
 *
 * Everything from outside goes through ag_paint_text() and friends, which write control characters,
 * invisible and bidirectional marks and broken bytes as \u001b or \xff. Only the inks below make
 * escape sequences, and only when `colour`. */
#ifndef AG_BASE_PAINT_H
#define AG_BASE_PAINT_H

#include "base/str.h"

#define AG_PAINT_MIN_WIDTH 40

typedef enum ag_ink {
	AG_INK_PLAIN,
	AG_INK_BOLD,
	AG_INK_DIM,
	AG_INK_RED,
	AG_INK_YELLOW,
	AG_INK_GREEN,
	AG_INK_BLUE,
	AG_INK_CYAN,
	AG_INK_ALARM, /* white on red: the worst only */
	AG_NINK
} ag_ink;

typedef enum ag_sign {
	AG_SIGN_DOT,   /* between small things: · or | */
	AG_SIGN_DASH,  /* — or - */
	AG_SIGN_RULE,  /* one column of a line: ─ or - */
	AG_SIGN_MORE,  /* … or ... */
	AG_SIGN_GOOD,  /* ✓ or + */
	AG_SIGN_BAD,   /* ✗ or x */
	AG_SIGN_WARN,  /* ! in both */
	AG_SIGN_ARROW, /* → or -> */
	AG_NSIGN
} ag_sign;

typedef struct ag_paint {
	ag_buf *out;
	size_t width; /* columns, at least AG_PAINT_MIN_WIDTH */
	bool colour, utf8;
	size_t col; /* where the next character goes, from 0 */
} ag_paint;

void ag_paint_init(ag_paint *p, ag_buf *out, size_t width, bool colour, bool utf8);

/* Escaped data on the current line, not wrapped. */
void ag_paint_text(ag_paint *p, ag_ink ink, ag_str s);
void ag_paint_lit(ag_paint *p, ag_ink ink, const char *cstr);
AG_PRINTF(3, 4) void ag_paint_textf(ag_paint *p, ag_ink ink, const char *fmt, ...);
void ag_paint_sign(ag_paint *p, ag_ink ink, ag_sign sign);
/* Wrapped at blanks; words longer than a line are cut. Further lines start at column `indent`. */
void ag_paint_wrap(ag_paint *p, ag_ink ink, size_t indent, ag_str s);
/* The same for JavaScript or JSON: broken only behind a comma or an opening bracket that stands outside
 * of strings and regular expressions, so that it can still be pasted. */
void ag_paint_code(ag_paint *p, ag_ink ink, size_t indent, ag_str s);
/* At most `columns` of it, with a sign where it was cut. */
void ag_paint_cut(ag_paint *p, ag_ink ink, size_t columns, ag_str s);
/* The same, but the end is kept: of a path it says the most. */
void ag_paint_cut_front(ag_paint *p, ag_ink ink, size_t columns, ag_str s);
/* Blanks up to a column; nothing when it is behind that already. */
void ag_paint_to(ag_paint *p, size_t col);
void ag_paint_nl(ag_paint *p);
/* A new line at column `indent`, unless so many columns are left on this one. */
void ag_paint_fit(ag_paint *p, size_t indent, size_t columns);
/* A line of AG_SIGN_RULE from the column to the right edge, and a new line. */
void ag_paint_rule(ag_paint *p, size_t from);

/* Columns that ag_paint_text() will take. */
size_t ag_paint_width(const ag_paint *p, ag_str s);
/* Text escaped as ag_paint_text() does it. The result is valid JSON when `s` was and no byte of it was
 * broken: it is also used on JSON that goes to a terminal. keep_lines: line feeds and tabs stay. */
void ag_paint_escape(ag_buf *out, ag_str s, bool utf8, bool keep_lines);

#endif
