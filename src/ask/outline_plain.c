/* outline_plain -- the way around cmark-gfm.
 *
 * Some short texts make it run for minutes: containers that stay open over many lines (each line looks at each of them), and
 * declarations that never end ("<?", "<!A": each is searched to the end of its paragraph). ag_outline_is_absurd() counts
 * what these cost. Such a text is read by lines here: fences, comments, headings with # and with underlines, no more. */
#include "ask/outline_plain.h"

/* Measured: a container on a line costs 10 ns, a byte behind an open declaration 1 ns, a mark or a line 200 bytes. */
#define MAX_MARKS        500000u
#define MAX_DEPTH        1000u
#define MAX_DEPTH_LINES  20000000u
#define MAX_SEARCH_BYTES 100000000u
#define MAX_SOURCE       16384u /* of one heading */

typedef struct cost {
	size_t marks;
	size_t depth;     /* of the deepest line */
	size_t search;    /* bytes looked through for the ends of declarations */
	size_t run, open; /* of the paragraph: bytes, declarations */
} cost;

static bool is_end_or_blank(ag_str line, size_t i)
{
	return i >= line.len || line.ptr[i] == ' ' || line.ptr[i] == '\t' || line.ptr[i] == '\r';
}

/* Behind a marker of a list or footnote at `i`, or `i`. */
static size_t skip_marker(ag_str line, size_t i)
{
	size_t at = i;

	if (strchr("-+*", line.ptr[i]) && line.ptr[i])
		return is_end_or_blank(line, i + 1) ? i + 1 : i;
	if (line.ptr[i] == '[' && i + 1 < line.len && line.ptr[i + 1] == '^') {
		const char *end = memmem(line.ptr + i, line.len - i, "]:", 2);

		return end ? (size_t)(end - line.ptr) + 2 : i;
	}
	while (at < line.len && at < i + 10 && line.ptr[at] >= '0' && line.ptr[at] <= '9')
		at++;
	if (at > i && at < line.len && (line.ptr[at] == '.' || line.ptr[at] == ')') &&
	    is_end_or_blank(line, at + 1))
		return at + 1;
	return i;
}

/* How many containers the line may stand in. */
static size_t depth_of(ag_str line)
{
	size_t depth = 0, blanks = 0;

	for (size_t i = 0; i < line.len;) {
		char c = line.ptr[i];
		size_t next;

		if (c == ' ' || c == '\t') {
			blanks += c == ' ' ? 1 : 4;
			i++;
		} else if (c == '>') {
			depth++;
			i++;
		} else {
			next = skip_marker(line, i);
			if (next == i)
				break;
			depth++;
			i = next;
		}
	}
	return depth + blanks / 2;
}

static void end_of_paragraph(cost *c)
{
	c->search += c->open * c->run;
	c->open = c->run = 0;
}

static void add_line(cost *c, ag_str line)
{
	size_t depth = depth_of(line);
	bool is_blank = true;

	c->depth = depth > c->depth ? depth : c->depth;
	c->marks += depth + 1;
	for (size_t i = 0; i < line.len; i++) {
		switch (line.ptr[i]) {
		case ' ':
		case '\t':
		case '\r': continue;
		case '<':
			c->marks++;
			c->open += i + 1 < line.len &&
			           (line.ptr[i + 1] == '?' || line.ptr[i + 1] == '!');
			break;
		case '*':
		case '_':
		case '[':
		case ']':
		case '`':
		case '!':
		case '&':
		case '\\': c->marks++; break;
		default: break;
		}
		is_blank = false;
	}
	if (is_blank)
		end_of_paragraph(c);
	c->run += line.len + 1;
}

bool ag_outline_is_absurd(const ag_outline_build *b)
{
	cost c = { 0 };

	for (size_t i = 0; i < b->nline; i++) {
		add_line(&c, ag_outline_line(b, i + 1));
		if (c.marks > MAX_MARKS)
			return true;
	}
	end_of_paragraph(&c);
	return c.depth > MAX_DEPTH || c.depth * b->nline > MAX_DEPTH_LINES ||
	       c.search > MAX_SEARCH_BYTES;
}

/* The text of a line in quotes; *indent: blanks before it. */
static ag_str text_of(ag_str line, size_t *indent)
{
	size_t i = 0;

	*indent = 0;
	for (; i < line.len; i++) {
		if (line.ptr[i] == ' ')
			++*indent;
		else if (line.ptr[i] == '\t')
			*indent += 4;
		else if (line.ptr[i] == '>')
			*indent = 0;
		else
			break;
	}
	return ag_str_make(line.ptr + i, line.len - i);
}

/* Length of a fence at the start of the text, or 0. */
static size_t fence_of(ag_str text)
{
	size_t n = 0;

	while (n < text.len && text.ptr[n] == text.ptr[0])
		n++;
	return n >= 3 && (text.ptr[0] == '`' || text.ptr[0] == '~') ? n : 0;
}

static bool is_atx(ag_str text)
{
	size_t n = 0;

	while (n < text.len && text.ptr[n] == '#')
		n++;
	return n >= 1 && n <= 6 && is_end_or_blank(text, n);
}

static bool is_underline(ag_str text)
{
	size_t n = 0;

	text = ag_str_trim(text);
	while (n < text.len && text.ptr[n] == text.ptr[0])
		n++;
	return n && n == text.len && (text.ptr[0] == '=' || text.ptr[0] == '-');
}

/* What of it may be above an underline: not another block. */
static bool is_paragraph(ag_str text, size_t indent)
{
	return text.len && indent < 4 && !strchr("#<|-*+=", text.ptr[0]) && !fence_of(text);
}

void ag_outline_plain(const ag_outline_build *b, unsigned first_line,
                      void (*heading)(ag_str source, unsigned line, void *arg), void *arg)
{
	ag_str above = { NULL, 0 }; /* a line that may be a heading's, if an underline comes */
	size_t fence = 0;
	char fence_char = 0;
	bool is_comment = false;

	for (size_t i = first_line; i <= b->nline && b->n < AG_OUTLINE_MAX_ITEMS; i++) {
		size_t indent, n;
		ag_str text = text_of(ag_outline_line(b, i), &indent), was = above;

		above = (ag_str){ NULL, 0 };
		n = indent < 4 ? fence_of(text) : 0;
		if (fence) {
			if (n >= fence && text.ptr[0] == fence_char && ag_str_trim(text).len == n)
				fence = 0;
		} else if (is_comment || ag_str_starts(text, AG_S("<!--"))) {
			is_comment = !ag_str_contains(text, AG_S("-->"));
		} else if (n) {
			fence = n;
			fence_char = text.ptr[0];
		} else if (indent < 4 && is_atx(text)) {
			heading(ag_str_make(text.ptr,
			                    text.len < MAX_SOURCE ? text.len : MAX_SOURCE),
			        (unsigned)i, arg);
		} else if (was.ptr && indent < 4 && is_underline(text)) {
			heading(ag_str_make(was.ptr, (size_t)(text.ptr + text.len - was.ptr)),
			        (unsigned)i - 1, arg);
		} else if (is_paragraph(text, indent) && text.len < MAX_SOURCE) {
			above = text;
		}
	}
}
