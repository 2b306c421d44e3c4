/* markup -- see the header. One reader cuts the text into tags and words; ag_markup_clean() and ag_markup_text() use it. */
#include "artifact/markup.h"

#include "base/utf8.h"

#define MAX_NAME       32u
#define MAX_ATTRIBUTES 60u
#define TEXT_BYTES     (8u << 20)

/* --- the reader --- */

typedef struct attribute {
	ag_str name, value; /* value: as written, references are not read */
} attribute;

typedef enum token_kind { WORDS, OPEN, CLOSE, SKIPPED } token_kind;

typedef struct token {
	token_kind kind;
	ag_str text; /* WORDS */
	char name[MAX_NAME + 1];
	attribute attributes[MAX_ATTRIBUTES];
	size_t nattribute;
	bool is_empty; /* <br/> */
} token;

typedef struct reader {
	ag_str s;
	size_t at;
} reader;

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == ':' || c == '_';
}

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static void skip_blanks(reader *r)
{
	while (r->at < r->s.len && is_blank(r->s.ptr[r->at]))
		r->at++;
}

static ag_str take_name(reader *r)
{
	const size_t from = r->at;

	while (r->at < r->s.len && is_name_char(r->s.ptr[r->at]))
		r->at++;
	return ag_str_make(r->s.ptr + from, r->at - from);
}

static ag_str take_value(reader *r)
{
	size_t from;
	char quote;

	skip_blanks(r);
	if (r->at == r->s.len)
		return AG_S("");
	quote = r->s.ptr[r->at];
	if (quote == '"' || quote == '\'') {
		size_t end;

		from = ++r->at;
		while (r->at < r->s.len && r->s.ptr[r->at] != quote)
			r->at++;
		end = r->at;
		r->at += r->at < r->s.len;
		return ag_str_make(r->s.ptr + from, end - from);
	}
	from = r->at;
	while (r->at < r->s.len && !is_blank(r->s.ptr[r->at]) && r->s.ptr[r->at] != '>')
		r->at++;
	return ag_str_make(r->s.ptr + from, r->at - from);
}

static void take_attributes(reader *r, token *t)
{
	for (;;) {
		attribute a = { 0 };

		skip_blanks(r);
		if (r->at == r->s.len)
			return;
		if (r->s.ptr[r->at] == '>') {
			r->at++;
			return;
		}
		if (r->s.ptr[r->at] == '/') {
			t->is_empty = r->at + 1 < r->s.len && r->s.ptr[r->at + 1] == '>';
			r->at++;
			continue;
		}
		a.name = take_name(r);
		if (!a.name.len) {
			r->at++; /* no attribute begins so */
			continue;
		}
		skip_blanks(r);
		if (r->at < r->s.len && r->s.ptr[r->at] == '=') {
			r->at++;
			a.value = take_value(r);
		}
		if (t->nattribute < MAX_ATTRIBUTES)
			t->attributes[t->nattribute++] = a;
	}
}

static bool starts_here(const reader *r, const char *what)
{
	return ag_str_starts(ag_str_make(r->s.ptr + r->at, r->s.len - r->at), ag_str_c(what));
}

/* A comment, a declaration, a processing instruction. */
static void skip_until(reader *r, const char *end)
{
	while (r->at < r->s.len && !starts_here(r, end))
		r->at++;
	r->at += r->at < r->s.len ? strlen(end) : 0;
}

/* The text up to </name>, which is left. */
static ag_str take_raw(reader *r, const char *name)
{
	const size_t from = r->at, n = strlen(name);

	for (; r->at < r->s.len; r->at++) {
		const ag_str rest = ag_str_make(r->s.ptr + r->at, r->s.len - r->at);

		if (rest.len >= n + 2 && rest.ptr[0] == '<' && rest.ptr[1] == '/' &&
		    ag_str_ieq(ag_str_make(rest.ptr + 2, n), ag_str_c(name)))
			break;
	}
	return ag_str_make(r->s.ptr + from, r->at - from);
}

static bool next(reader *r, token *t)
{
	const size_t from = r->at;
	ag_str name;

	t->nattribute = 0;
	t->is_empty = false;
	if (r->at >= r->s.len)
		return false;
	if (r->s.ptr[r->at] != '<') {
		while (r->at < r->s.len && r->s.ptr[r->at] != '<')
			r->at++;
		t->kind = WORDS;
		t->text = ag_str_make(r->s.ptr + from, r->at - from);
		return true;
	}
	t->kind = SKIPPED;
	if (starts_here(r, "<!--")) {
		skip_until(r, "-->");
		return true;
	}
	if (starts_here(r, "<!") || starts_here(r, "<?")) {
		skip_until(r, ">");
		return true;
	}
	r->at++;
	t->kind = OPEN;
	if (r->at < r->s.len && r->s.ptr[r->at] == '/') {
		t->kind = CLOSE;
		r->at++;
	}
	name = take_name(r);
	if (!name.len || name.len > MAX_NAME || (name.ptr[0] >= '0' && name.ptr[0] <= '9')) {
		t->kind = WORDS;
		t->text = ag_str_make(r->s.ptr + from, r->at - from);
		return true;
	}
	for (size_t i = 0; i < name.len; i++)
		t->name[i] = small(name.ptr[i]);
	t->name[name.len] = '\0';
	take_attributes(r, t);
	return true;
}

/* --- the lists --- */

/* Names in small letters; those of SVG as they are written out. */
static const char *const html_elements[] = {
	"a",        "abbr",       "article", "b",      "blockquote", "br",    "caption", "code",
	"col",      "colgroup",   "dd",      "del",    "details",    "div",   "dl",      "dt",
	"em",       "figcaption", "figure",  "footer", "h1",         "h2",    "h3",      "h4",
	"h5",       "h6",         "header",  "hr",     "i",          "img",   "ins",     "kbd",
	"li",       "main",       "mark",    "meter",  "nav",        "ol",    "p",       "pre",
	"progress", "q",          "s",       "samp",   "section",    "small", "span",    "strong",
	"sub",      "summary",    "sup",     "table",  "tbody",      "td",    "tfoot",   "th",
	"thead",    "time",       "tr",      "u",      "ul",         "var",   "wbr",
};
static const char *const svg_elements[] = {
	"svg",     "g",        "path",     "rect",           "circle",
	"ellipse", "line",     "polyline", "polygon",        "text",
	"tspan",   "defs",     "marker",   "linearGradient", "radialGradient",
	"stop",    "clipPath", "pattern",  "mask",           "symbol",
	"use",     "desc",
};
static const char *const void_elements[] = { "br", "col", "hr", "img", "wbr" };
static const char *const attributes[] = {
	"alt",
	"class",
	"colspan",
	"datetime",
	"dir",
	"headers",
	"height",
	"high",
	"id",
	"lang",
	"low",
	"max",
	"min",
	"open",
	"optimum",
	"role",
	"rowspan",
	"scope",
	"span",
	"start",
	"title",
	"value",
	"width",
	"aria-label",
	"aria-hidden",
	/* of SVG: */
	"clip-path",
	"clip-rule",
	"clippathunits",
	"cx",
	"cy",
	"d",
	"dominant-baseline",
	"dx",
	"dy",
	"fill",
	"fill-opacity",
	"fill-rule",
	"font-family",
	"font-size",
	"font-style",
	"font-weight",
	"fx",
	"fy",
	"gradienttransform",
	"gradientunits",
	"letter-spacing",
	"marker-end",
	"marker-mid",
	"marker-start",
	"markerheight",
	"markerunits",
	"markerwidth",
	"mask",
	"offset",
	"opacity",
	"orient",
	"pathlength",
	"patterntransform",
	"patternunits",
	"points",
	"preserveaspectratio",
	"r",
	"refx",
	"refy",
	"rotate",
	"rx",
	"ry",
	"spreadmethod",
	"stop-color",
	"stop-opacity",
	"stroke",
	"stroke-dasharray",
	"stroke-dashoffset",
	"stroke-linecap",
	"stroke-linejoin",
	"stroke-miterlimit",
	"stroke-opacity",
	"stroke-width",
	"text-anchor",
	"textlength",
	"transform",
	"viewbox",
	"x",
	"x1",
	"x2",
	"y",
	"y1",
	"y2",
};
/* What SVG writes with capitals. */
static const struct {
	const char *small, *real;
} capitals[] = {
	{ "clippathunits", "clipPathUnits" },
	{ "gradienttransform", "gradientTransform" },
	{ "gradientunits", "gradientUnits" },
	{ "markerheight", "markerHeight" },
	{ "markerunits", "markerUnits" },
	{ "markerwidth", "markerWidth" },
	{ "pathlength", "pathLength" },
	{ "patterntransform", "patternTransform" },
	{ "patternunits", "patternUnits" },
	{ "preserveaspectratio", "preserveAspectRatio" },
	{ "refx", "refX" },
	{ "refy", "refY" },
	{ "spreadmethod", "spreadMethod" },
	{ "textlength", "textLength" },
	{ "viewbox", "viewBox" },
};
/* Their content is no text of the page. */
static const char *const raw_elements[] = { "script",   "style",    "iframe",   "object",
	                                    "noscript", "template", "textarea", "title",
	                                    "xmp",      "noembed",  "noframes", "math",
	                                    "select",   "plaintext" };

static const char *find_in(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_ieq(ag_str_c(list[i]), ag_str_c(name)))
			return list[i];
	}
	return NULL;
}

#define FIND(list, name) find_in((list), AG_NELEM(list), (name))

/* --- values --- */

void ag_markup_escape(ag_buf *out, ag_str text)
{
	size_t i = 0;

	while (i < text.len) {
		const size_t from = i;
		const uint32_t cp = ag_utf8_next(text, &i);
		char c[4];

		switch (cp) {
		case '&': ag_buf_adds(out, "&amp;"); break;
		case '<': ag_buf_adds(out, "&lt;"); break;
		case '>': ag_buf_adds(out, "&gt;"); break;
		case '"': ag_buf_adds(out, "&quot;"); break;
		case '\'': ag_buf_adds(out, "&#39;"); break;
		case 0xfffd: ag_buf_adds(out, "\xef\xbf\xbd"); break;
		default:
			if (cp >= 0x20 || cp == '\n' || cp == '\t')
				ag_buf_add(out, ag_str_make(c, ag_utf8_put(c, cp)));
			break;
		}
		AG_ASSERT(i > from);
	}
}

static const struct {
	const char *name;
	uint32_t cp;
} references[] = {
	{ "amp", '&' },       { "lt", '<' },      { "gt", '>' },       { "quot", '"' },
	{ "apos", '\'' },     { "nbsp", 0xa0 },   { "ndash", 0x2013 }, { "mdash", 0x2014 },
	{ "hellip", 0x2026 }, { "times", 0xd7 },  { "copy", 0xa9 },    { "euro", 0x20ac },
	{ "rarr", 0x2192 },   { "larr", 0x2190 }, { "middot", 0xb7 },  { "bull", 0x2022 },
	{ "deg", 0xb0 },      { "pound", 0xa3 },  { "uarr", 0x2191 },  { "darr", 0x2193 },
};

/* The reference at text[i], which is '&': its character and length; false = it is none. */
static bool reference_at(ag_str text, size_t i, uint32_t *ret_cp, size_t *ret_len)
{
	size_t end = i + 1;
	ag_str name;

	while (end < text.len && end - i < 12 &&
	       (is_name_char(text.ptr[end]) || text.ptr[end] == '#'))
		end++;
	if (end == text.len || text.ptr[end] != ';' || end == i + 1)
		return false;
	name = ag_str_make(text.ptr + i + 1, end - i - 1);
	*ret_len = end - i + 1;
	if (name.ptr[0] == '#') {
		const bool is_hex = name.len > 1 && small(name.ptr[1]) == 'x';
		uint32_t cp = 0;

		for (size_t k = is_hex ? 2 : 1; k < name.len; k++) {
			const char c = small(name.ptr[k]);

			if (c >= '0' && c <= '9')
				cp = cp * (is_hex ? 16 : 10) + (uint32_t)(c - '0');
			else if (is_hex && c >= 'a' && c <= 'f')
				cp = cp * 16 + (uint32_t)(c - 'a' + 10);
			else
				return false;
			if (cp > 0x10ffff)
				return false;
		}
		*ret_cp = cp;
		return cp != 0;
	}
	for (size_t k = 0; k < AG_NELEM(references); k++) {
		if (ag_str_eqc(name, references[k].name)) {
			*ret_cp = references[k].cp;
			return true;
		}
	}
	return false;
}

/* The characters that are meant. */
static void read_references(ag_buf *out, ag_str text)
{
	for (size_t i = 0; i < text.len;) {
		uint32_t cp;
		size_t n;
		char c[4];

		if (text.ptr[i] == '&' && reference_at(text, i, &cp, &n)) {
			ag_buf_add(out, ag_str_make(c, ag_utf8_put(c, cp)));
			i += n;
		} else {
			ag_buf_addc(out, text.ptr[i++]);
		}
	}
}

static bool has_word(ag_str text, const char *word)
{
	const size_t n = strlen(word);

	for (size_t i = 0; i + n <= text.len; i++) {
		if (ag_str_ieq(ag_str_make(text.ptr + i, n), ag_str_c(word)))
			return true;
	}
	return false;
}

/* Styles and presentation attributes: nothing in them may load anything. url(#id) is a part of the picture itself. */
static bool is_safe_style(ag_str v)
{
	static const char *const bad[] = { "\\",         "@",          "<",        "/*",
		                           "expression", "javascript", "behavior", "-moz-binding",
		                           "image-set",  "image(" };

	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		if (has_word(v, bad[i]))
			return false;
	}
	for (size_t i = 0; i + 4 <= v.len; i++) {
		if (!ag_str_ieq(ag_str_make(v.ptr + i, 4), AG_S("url(")))
			continue;
		if (i + 4 == v.len || v.ptr[i + 4] != '#')
			return false;
	}
	return true;
}

static bool starts_ci(ag_str v, const char *what)
{
	const size_t n = strlen(what);

	return v.len >= n && ag_str_ieq(ag_str_make(v.ptr, n), ag_str_c(what));
}

static bool is_safe_address(ag_str v, bool is_image)
{
	static const char *const images[] = { "data:image/png;base64,", "data:image/jpeg;base64,",
		                              "data:image/gif;base64,", "data:image/webp;base64," };

	for (size_t i = 0; i < v.len; i++) {
		if ((unsigned char)v.ptr[i] <= ' ' || (unsigned char)v.ptr[i] == 0x7f)
			return false;
	}
	for (size_t i = 0; is_image && i < AG_NELEM(images); i++) {
		if (starts_ci(v, images[i]))
			return true;
	}
	return !is_image && (starts_ci(v, "https://") || starts_ci(v, "http://") ||
	                     starts_ci(v, "mailto:") || starts_ci(v, "#"));
}

/* --- cleaning --- */

typedef struct cleaner {
	ag_buf *out;
	const char *stack[AG_MARKUP_MAX_DEPTH];
	size_t depth;
	size_t nsvg; /* <svg> that are open */
	size_t nleft;
	bool only_svg;
} cleaner;

/* The name under which the attribute is written; NULL = it is left out. */
static const char *attribute_name(const char *element, ag_str name, ag_str value)
{
	char key[MAX_NAME + 1];
	const char *found;

	if (name.len > MAX_NAME)
		return NULL;
	for (size_t i = 0; i < name.len; i++)
		key[i] = small(name.ptr[i]);
	key[name.len] = '\0';
	if (strcmp(key, "style") == 0)
		return is_safe_style(value) ? "style" : NULL;
	if (strcmp(key, "href") == 0 || strcmp(key, "xlink:href") == 0) {
		if (strcmp(element, "use") == 0)
			return starts_ci(value, "#") ? "href" : NULL;
		return strcmp(element, "a") == 0 && is_safe_address(value, false) ? "href" : NULL;
	}
	if (strcmp(key, "src") == 0)
		return strcmp(element, "img") == 0 && is_safe_address(value, true) ? "src" : NULL;
	found = FIND(attributes, key);
	if (!found || !is_safe_style(value))
		return NULL;
	for (size_t i = 0; i < AG_NELEM(capitals); i++) {
		if (strcmp(capitals[i].small, key) == 0)
			return capitals[i].real;
	}
	return found;
}

static void write_attributes(cleaner *c, const token *t, const char *element)
{
	const char *written[MAX_ATTRIBUTES];
	size_t n = 0;

	for (size_t i = 0; i < t->nattribute; i++) {
		ag_buf value = AG_BUF_INIT(TEXT_BYTES);
		const char *name;
		bool is_twice = false;

		read_references(&value, t->attributes[i].value);
		name = attribute_name(element, t->attributes[i].name, ag_buf_view(&value));
		for (size_t k = 0; k < n && name; k++)
			is_twice |= strcmp(written[k], name) == 0;
		if (name && !is_twice && !value.failed) {
			written[n++] = name;
			ag_buf_addf(c->out, " %s=\"", name);
			ag_markup_escape(c->out, ag_buf_view(&value));
			ag_buf_addc(c->out, '"');
		} else {
			c->nleft++;
		}
		ag_buf_release(&value);
	}
	if (strcmp(element, "a") == 0)
		ag_buf_adds(c->out, " rel=\"noopener noreferrer\"");
	if (strcmp(element, "svg") == 0)
		ag_buf_adds(c->out, " xmlns=\"http://www.w3.org/2000/svg\"");
}

static void pop(cleaner *c)
{
	const char *name = c->stack[--c->depth];

	ag_buf_addf(c->out, "</%s>", name);
	c->nsvg -= strcmp(name, "svg") == 0;
}

static void close_element(cleaner *c, const char *name)
{
	size_t i = c->depth;

	while (i && strcmp(c->stack[i - 1], name) != 0)
		i--;
	if (!i)
		return;
	while (c->depth >= i)
		pop(c);
}

/* Styles of a page are kept whole, when nothing in them can load or end anything. */
static void write_style(cleaner *c, ag_str css)
{
	if (!is_safe_style(css) || has_word(css, "&") || !ag_utf8_is_text(css) || c->only_svg) {
		c->nleft++;
		return;
	}
	ag_buf_adds(c->out, "<style>");
	ag_buf_add(c->out, css);
	ag_buf_adds(c->out, "</style>");
}

static void open_element(cleaner *c, reader *r, const token *t)
{
	const char *name = FIND(svg_elements, t->name);
	const bool is_svg = name && (c->nsvg || strcmp(name, "svg") == 0);
	const bool is_void = FIND(void_elements, t->name) != NULL;

	if (FIND(raw_elements, t->name)) {
		const ag_str raw = t->is_empty && c->nsvg ? AG_S("") : take_raw(r, t->name);

		if (strcmp(t->name, "style") == 0)
			write_style(c, raw);
		else
			c->nleft++;
		return;
	}
	if (!is_svg)
		name = c->only_svg || c->nsvg ? NULL : FIND(html_elements, t->name);
	if (!name || c->depth == AG_MARKUP_MAX_DEPTH) {
		c->nleft++;
		return;
	}
	ag_buf_addf(c->out, "<%s", name);
	write_attributes(c, t, name);
	ag_buf_addc(c->out, '>');
	if (is_void && !is_svg)
		return;
	c->stack[c->depth++] = name;
	c->nsvg += strcmp(name, "svg") == 0;
	if (t->is_empty && is_svg)
		pop(c);
}

static void write_words(cleaner *c, ag_str text)
{
	ag_buf words = AG_BUF_INIT(TEXT_BYTES);

	if (c->only_svg && !c->nsvg)
		return;
	read_references(&words, text);
	ag_markup_escape(c->out, ag_buf_view(&words));
	ag_buf_release(&words);
}

size_t ag_markup_clean(ag_str text, bool only_svg, ag_buf *out)
{
	cleaner c = { .out = out, .only_svg = only_svg };
	reader r = { .s = text };
	token t;

	while (next(&r, &t)) {
		switch (t.kind) {
		case WORDS: write_words(&c, t.text); break;
		case OPEN: open_element(&c, &r, &t); break;
		case CLOSE: {
			const char *name = FIND(svg_elements, t.name);

			close_element(&c, name && c.nsvg ? name : t.name);
			break;
		}
		case SKIPPED: break;
		}
	}
	while (c.depth)
		pop(&c);
	return c.nleft;
}

/* --- words --- */

typedef struct words {
	ag_buf *out;
	size_t ncell; /* of the table's row */
	bool has_head, in_row;
} words;

static void break_line(words *w)
{
	if (w->out->len && w->out->ptr[w->out->len - 1] != '\n' && !w->in_row)
		ag_buf_adds(w->out, "\n\n");
}

static void end_row(words *w)
{
	if (!w->in_row)
		return;
	w->in_row = false;
	ag_buf_adds(w->out, "|\n");
	if (!w->has_head) {
		for (size_t i = 0; i < w->ncell; i++)
			ag_buf_adds(w->out, "|---");
		ag_buf_adds(w->out, "|\n");
	}
	w->has_head = true;
}

static void see_tag(words *w, const token *t)
{
	static const char *const inlines[] = { "a",     "abbr",  "b",      "code", "em",
		                               "i",     "kbd",   "mark",   "q",    "s",
		                               "small", "span",  "strong", "sub",  "sup",
		                               "time",  "tspan", "u",      "var" };
	const bool is_cell = strcmp(t->name, "td") == 0 || strcmp(t->name, "th") == 0;

	if (strcmp(t->name, "table") == 0) {
		end_row(w);
		break_line(w);
		w->has_head = false;
	} else if (strcmp(t->name, "tr") == 0) {
		end_row(w);
		break_line(w);
		w->in_row = t->kind == OPEN;
		w->ncell = 0;
	} else if (is_cell && t->kind == OPEN && w->in_row) {
		ag_buf_adds(w->out, "| ");
		w->ncell++;
	} else if (!is_cell && !FIND(inlines, t->name)) {
		break_line(w);
	}
}

static void add_words(words *w, ag_str text)
{
	ag_buf read = AG_BUF_INIT(TEXT_BYTES);
	bool was_blank = !w->out->len || is_blank(w->out->ptr[w->out->len - 1]);

	read_references(&read, text);
	for (size_t i = 0; i < read.len; i++) {
		const char c = read.ptr[i];

		if (!is_blank(c))
			ag_buf_addc(w->out, c);
		else if (!was_blank)
			ag_buf_addc(w->out, ' ');
		was_blank = is_blank(c);
	}
	ag_buf_release(&read);
}

ag_str ag_markup_text(ag_str text, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(TEXT_BYTES);
	words w = { .out = &out };
	reader r = { .s = text };
	ag_str ret;
	token t;

	while (next(&r, &t)) {
		if (t.kind == WORDS)
			add_words(&w, t.text);
		else if (t.kind == OPEN && FIND(raw_elements, t.name))
			take_raw(&r, t.name);
		else if (t.kind != SKIPPED)
			see_tag(&w, &t);
	}
	end_row(&w);
	ret = ag_str_trim(ag_buf_dup(arena, &out));
	ag_buf_release(&out);
	return ret;
}
