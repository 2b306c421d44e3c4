/* outline_markdown -- headings of Markdown as GitHub shows them, from cmark-gfm's tree.
 *
 * The tree is walked once, in the order of the page, because repeated anchors are numbered in that order. Visible text is what
 * the page's DOM has as text: of links the words, of images nothing (not even their alt text, which is an attribute), of raw
 * HTML what is between the tags, of :shortcodes: the shortcode (GitHub makes anchors before emoji). A heading may also be
 * raw HTML, begun in one node and closed in another.
 *
 * cmark's extensions are not attached: their registry is global and not safe for threads, strikethrough changes no anchor,
 * and tables matter only where an underline follows one, see is_table(). */
#include "ask/outline_build.h"
#include "ask/outline_cmark.h"
#include "ask/outline_html.h"
#include "ask/outline_plain.h"

#define MAX_VISIBLE (1u << 20) /* bytes of one heading; the rest of it is left out */

enum open { NO_HEADING, MARKDOWN_HEADING, HTML_HEADING };

typedef struct md {
	ag_outline_build *b;
	ag_slugger slugs;
	unsigned before; /* lines of the text before what cmark was given */
	enum open open;
	unsigned level, line;
	ag_buf visible, alt;
	unsigned breaks;   /* line breaks in the open heading */
	unsigned in_image; /* depth */
	unsigned here;     /* line of the inline that is walked */
	ag_html_scan html;
	bool no_comment_end; /* none from here to the end of the text */
} md;

static void say(md *m, ag_str text)
{
	ag_buf *to = m->in_image ? &m->alt : &m->visible;

	if (m->open != NO_HEADING && !m->html.is_comment)
		ag_buf_add(to, text);
}

/* ~~struck~~ text without its marks, which no anchor has. */
static ag_str without_tildes(ag_str s, ag_arena *arena)
{
	const char *first = memmem(s.ptr, s.len, "~~", 2);
	char *out;
	size_t n = 0;

	if (!first || !memmem(first + 2, s.len - (size_t)(first + 2 - s.ptr), "~~", 2))
		return s;
	out = ag_arena_alloc(arena, s.len + 1);
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '~' && i + 1 < s.len && s.ptr[i + 1] == '~')
			i++;
		else
			out[n++] = s.ptr[i];
	}
	return ag_str_make(out, n);
}

static void begin(md *m, enum open kind, unsigned level, unsigned line)
{
	m->open = kind;
	m->level = level;
	m->line = line;
	m->breaks = 0;
	ag_buf_clear(&m->visible);
	ag_buf_clear(&m->alt);
}

static void end(md *m)
{
	ag_str visible = ag_buf_view(&m->visible), title = visible;
	ag_outline_draft *d;

	if (m->open == NO_HEADING)
		return;
	m->open = NO_HEADING;
	if (!ag_str_trim(title).len)
		title = ag_buf_view(
			&m->alt); /* a logo: its words name the section, though they link nowhere */
	if (m->b->n >= AG_OUTLINE_MAX_ITEMS)
		return;
	d = ag_outline_add(m->b, without_tildes(title, m->b->arena), AG_S(""), m->level, m->line);
	d->item.anchor = ag_slugger_next(&m->slugs, visible);
}

static ag_str literal_of(cmark_node *n)
{
	const char *s = cmark_node_get_literal(n);

	return s ? ag_str_c(s) : AG_S("");
}

/* --- raw HTML --- */

static unsigned count_lines(const char *from, const char *to)
{
	unsigned n = 0;

	for (; from < to; from++)
		n += *from == '\n' || (*from == '\r' && (from + 1 == to || from[1] != '\n'));
	return n;
}

/* The character of one entity, by cmark, which has the table. */
static void add_entity(cmark_node *document, void *arg)
{
	cmark_node *p = cmark_node_first_child(document), *t = p ? cmark_node_first_child(p) : NULL;

	if (t && cmark_node_get_type(t) == CMARK_NODE_TEXT)
		say(arg, literal_of(t));
}

static void say_decoded(md *m, ag_str text)
{
	while (text.len) {
		const char *amp = memchr(text.ptr, '&', text.len);
		size_t plain = amp ? (size_t)(amp - text.ptr) : text.len, n = 1;

		say(m, ag_str_make(text.ptr, plain));
		text = ag_str_make(text.ptr + plain, text.len - plain);
		if (!text.len)
			return;
		while (n < text.len && n < 33 && text.ptr[n] > ' ' && !strchr(";&<", text.ptr[n]))
			n++;
		if (n < text.len && text.ptr[n] == ';')
			ag_cmark_read(ag_str_make(text.ptr, n + 1), add_entity, m);
		else
			say(m, ag_str_make(text.ptr, n));
		n += n < text.len && text.ptr[n] == ';';
		text = ag_str_make(text.ptr + n, text.len - n);
	}
}

static void html_tag(md *m, const ag_html_piece *tag, unsigned line)
{
	if (tag->id.len)
		ag_outline_add_anchor(m->b, tag->id);
	if (tag->is_shown)
		say(m, tag->text);
	if (!tag->level || m->open == MARKDOWN_HEADING)
		return;
	end(m); /* also <h2> ends an open heading */
	if (!tag->is_end)
		begin(m, HTML_HEADING, tag->level, line);
}

/* A comment that a blank line cut off from its end. On the page one without an end hides the rest; here it hides nothing. */
static bool is_closed_below(md *m, unsigned line)
{
	size_t at = m->b->line_at[line < m->b->nline ? line : m->b->nline];

	if (!m->no_comment_end)
		m->no_comment_end = !memmem(m->b->text.ptr + at, m->b->text.len - at, "-->", 3);
	return !m->no_comment_end;
}

static void html(md *m, ag_str raw, unsigned line)
{
	const char *upto = raw.ptr;
	bool was_comment = m->html.is_comment;
	ag_html_piece p;

	ag_html_feed(&m->html, raw);
	while (ag_html_next(&m->html, &p)) {
		line += count_lines(upto, p.text.ptr);
		upto = p.text.ptr;
		if (p.is_tag)
			html_tag(m, &p, line);
		else
			say_decoded(m, p.text);
	}
	if (m->html.is_comment && !was_comment)
		m->html.is_comment = is_closed_below(m, line);
}

/* --- where a heading stands --- */

/* What is left of a line in quotes. */
static ag_str line_text(const md *m, size_t number)
{
	ag_str s = ag_outline_line(m->b, number);

	while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t' || s.ptr[0] == '>'))
		s = ag_str_make(s.ptr + 1, s.len - 1);
	return ag_str_trim(s);
}

static bool is_atx(ag_str s, unsigned level)
{
	size_t n = 0;

	while (n < s.len && s.ptr[n] == '#')
		n++;
	return n == level && (n == s.len || s.ptr[n] == ' ' || s.ptr[n] == '\t');
}

static bool is_underline(ag_str s, unsigned level)
{
	char c = level == 1 ? '=' : '-';

	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != c)
			return false;
	return s.len > 0;
}

/* Cells of a table's row; *is_rule: it is the row of hyphens. */
static size_t cells_of(ag_str row, bool *is_rule)
{
	size_t n = 1, hyphens = 0;

	if (row.len && row.ptr[0] == '|')
		row = ag_str_make(row.ptr + 1, row.len - 1);
	if (row.len && row.ptr[row.len - 1] == '|' && (row.len < 2 || row.ptr[row.len - 2] != '\\'))
		row.len--;
	*is_rule = true;
	for (size_t i = 0; i < row.len; i++) {
		char c = row.ptr[i];

		if (c == '|' && (i == 0 || row.ptr[i - 1] != '\\')) {
			*is_rule = *is_rule && hyphens > 0;
			hyphens = 0;
			n++;
		}
		hyphens += c == '-';
		*is_rule = *is_rule && c && strchr("|:- \t", c);
	}
	*is_rule = *is_rule && hyphens > 0;
	return n;
}

/* Is part of the paragraph from `first` up to the underline a table? Then GitHub shows a rule below a table, no heading. */
static bool is_table(const md *m, ag_str first, size_t underline)
{
	bool is_rule;
	size_t above = cells_of(first, &is_rule);

	for (size_t i = m->line + 1; i < underline; i++) {
		size_t n = cells_of(line_text(m, i), &is_rule);

		if (is_rule && above == n)
			return true;
		above = n;
	}
	return false;
}

/* The first line of the open heading, which begins at `column` of m->line: cmark gives that of the paragraph, which may begin
 * with definitions of links. False: it is no heading. */
static bool place(md *m, size_t column)
{
	ag_str first = ag_outline_line(m->b, m->line);
	size_t underline = m->line + 1;

	column = column && column <= first.len ? column - 1 : 0;
	first = ag_str_trim(ag_str_make(first.ptr + column, first.len - column));
	if (is_atx(first, m->level))
		return true;
	for (;; underline++) {
		ag_str s;

		if (underline > m->b->nline)
			return true;
		s = line_text(m, underline);
		if (!s.len)
			return true;
		if (is_underline(s, m->level) && underline > m->line + m->breaks)
			break;
	}
	if (is_table(m, first, underline))
		return false;
	if (first.len && first.ptr[0] == '[')
		m->line = (unsigned)underline - m->breaks - 1;
	return true;
}

/* --- the walk --- */

static void enter_block(md *m, cmark_node *n)
{
	unsigned line = (unsigned)cmark_node_get_start_line(n) + m->before;

	m->here = line;
	if (cmark_node_get_type(n) == CMARK_NODE_HTML_BLOCK) {
		html(m, literal_of(n), line);
	} else if (cmark_node_get_type(n) == CMARK_NODE_HEADING && !m->html.is_comment) {
		end(m);
		begin(m, MARKDOWN_HEADING, (unsigned)cmark_node_get_heading_level(n), line);
	}
}

static void words(md *m, ag_str text)
{
	if (m->html.is_comment && ag_str_contains(text, AG_S("-->")))
		m->html.is_comment = false;
	else
		say(m, text);
}

static void line_break(md *m)
{
	say(m, AG_S("\n"));
	m->here++;
	m->breaks++;
}

static void enter(md *m, cmark_node *n)
{
	cmark_node_type t = cmark_node_get_type(n);

	/* Not constants in cmark, so no switch. */
	if (t == CMARK_NODE_TEXT || t == CMARK_NODE_CODE || t == CMARK_NODE_FOOTNOTE_REFERENCE) {
		words(m, literal_of(n));
	} else if (t == CMARK_NODE_SOFTBREAK || t == CMARK_NODE_LINEBREAK) {
		line_break(m);
	} else if (t == CMARK_NODE_HTML_INLINE) {
		ag_str raw = literal_of(n);

		html(m, raw, m->here);
		m->here += count_lines(raw.ptr, raw.ptr + raw.len);
	} else if (t == CMARK_NODE_IMAGE) {
		m->in_image++;
	} else if (t == CMARK_NODE_HEADING || t == CMARK_NODE_HTML_BLOCK ||
	           t == CMARK_NODE_PARAGRAPH) {
		enter_block(m, n);
	}
}

static void leave(md *m, cmark_node *n)
{
	cmark_node_type t = cmark_node_get_type(n);

	if (t == CMARK_NODE_IMAGE)
		m->in_image--;
	else if (t == CMARK_NODE_HEADING && m->open == MARKDOWN_HEADING) {
		if (place(m, (size_t)cmark_node_get_start_column(n)))
			end(m);
		m->open = NO_HEADING;
	}
}

static void walk(cmark_node *document, void *arg)
{
	cmark_iter *it = cmark_iter_new(document);
	cmark_event_type ev;
	md *m = arg;

	while ((ev = cmark_iter_next(it)) != CMARK_EVENT_DONE) {
		if (ev == CMARK_EVENT_ENTER)
			enter(m, cmark_iter_get_node(it));
		else
			leave(m, cmark_iter_get_node(it));
	}
	end(m);
	m->html.is_comment = false;
}

static void one_heading(ag_str source, unsigned line, void *arg)
{
	md *m = arg;

	m->before = line - 1;
	ag_cmark_read(source, walk, m);
}

/* --- front matter --- */

static bool is_key(ag_str line)
{
	ptrdiff_t colon = ag_str_find(line, ':');

	return colon > 0 && !strchr(" \t#-", line.ptr[0]) &&
	       ((size_t)colon + 1 == line.len || line.ptr[colon + 1] == ' ');
}

/* Lines of front matter at the top: "---", YAML with a key, "---". GitHub shows it as a table. Without a key it is a rule
 * above ordinary text. */
static size_t front_matter(const ag_outline_build *b)
{
	bool has_key = false;

	if (b->nline < 2 || !ag_str_eqc(ag_str_trim(ag_outline_line(b, 1)), "---") ||
	    b->text.ptr[0] != '-')
		return 0;
	for (size_t i = 2; i <= b->nline; i++) {
		ag_str line = ag_outline_line(b, i);

		if (ag_str_starts(line, AG_S("---")) || ag_str_starts(line, AG_S("...")))
			if (ag_str_trim(line).len == 3)
				return has_key ? i : 0;
		has_key = has_key || is_key(line);
		if (!has_key && line.len && line.ptr[0] != '#')
			return 0;
	}
	return 0;
}

void ag_outline_markdown(ag_outline_build *b)
{
	md m = { .b = b };
	size_t skip = front_matter(b), at = b->line_at[skip];
	ag_str body = ag_str_make(b->text.ptr + at, b->text.len - at);

	ag_slugger_init(&m.slugs, b->arena);
	ag_buf_init(&m.visible, MAX_VISIBLE);
	ag_buf_init(&m.alt, MAX_VISIBLE);
	m.before = (unsigned)skip;
	if (ag_outline_is_absurd(b) || !ag_cmark_read(body, walk, &m))
		ag_outline_plain(b, (unsigned)skip + 1, one_heading, &m);
	ag_buf_release(&m.visible);
	ag_buf_release(&m.alt);
	ag_slugger_release(&m.slugs);
}
