/* outline -- which reader reads a file, and what follows from a list of headings or definitions.
 *
 * ag_outline_of() finds the language by the file's name, cuts the text into lines, lets the reader add its items and then
 * computes for all what stands between two items: last lines, sections, bytes, parents. Readers therefore know only lines. */
#include <stdlib.h>

#include "ask/outline_build.h"
#include "ask/outline_code.h"

typedef struct language {
	const char *name;
	const char *endings; /* ".md .markdown" */
	const char *files;   /* whole names, or their beginning before a "." */
	void (*read)(ag_outline_build *b);
} language;

static const language languages[] = {
	{ "markdown", ".md .markdown .mdx .mkd .mdown", "README", ag_outline_markdown },
	{ "c", ".c .h", "", ag_outline_c },
	{ "c++", ".cc .cpp .cxx .c++ .hh .hpp .hxx .ipp", "", ag_outline_cpp },
	{ "c#", ".cs", "", ag_outline_csharp },
	{ "dockerfile", ".dockerfile", "Dockerfile Containerfile", ag_outline_dockerfile },
	{ "go", ".go", "", ag_outline_go },
	{ "ini", ".ini .cfg .editorconfig", "", ag_outline_toml },
	{ "java", ".java", "", ag_outline_java },
	{ "javascript", ".js .jsx .mjs .cjs", "", ag_outline_javascript },
	{ "json", ".json .jsonc", "", ag_outline_json },
	{ "kotlin", ".kt .kts", "", ag_outline_kotlin },
	{ "makefile", ".mk .mak", "Makefile GNUmakefile", ag_outline_makefile },
	{ "php", ".php", "", ag_outline_php },
	{ "python", ".py .pyi .pyw", "", ag_outline_python },
	{ "ruby", ".rb .rake", "Rakefile Gemfile Vagrantfile", ag_outline_ruby },
	{ "rust", ".rs", "", ag_outline_rust },
	{ "shell", ".sh .bash .zsh .ksh", "", ag_outline_shell },
	{ "sql", ".sql .ddl", "", ag_outline_sql },
	{ "toml", ".toml", "", ag_outline_toml },
	{ "typescript", ".ts .tsx .mts .cts", "", ag_outline_javascript },
	{ "yaml", ".yaml .yml", "", ag_outline_yaml },
};

/* --- by name --- */

static ag_str base_name(ag_str path)
{
	for (size_t i = path.len; i > 0; i--)
		if (path.ptr[i - 1] == '/')
			return ag_str_make(path.ptr + i, path.len - i);
	return path;
}

static bool has_ending(ag_str name, const char *endings)
{
	ag_str rest = ag_str_c(endings);

	while (rest.len) {
		ag_str e = ag_str_split(&rest, ' ');

		if (name.len > e.len &&
		    ag_str_ieq(ag_str_make(name.ptr + name.len - e.len, e.len), e))
			return true;
	}
	return false;
}

static bool is_one_of(ag_str name, const char *names)
{
	ag_str rest = ag_str_c(names);

	while (rest.len)
		if (ag_str_ieq(name, ag_str_split(&rest, ' ')))
			return true;
	return false;
}

static const language *language_of(ag_str path)
{
	ag_str name = base_name(path), first = name;
	ptrdiff_t dot = ag_str_find(name, '.');

	if (dot > 0)
		first = ag_str_make(name.ptr, (size_t)dot);
	for (size_t i = 0; i < AG_NELEM(languages); i++)
		if (has_ending(name, languages[i].endings) || is_one_of(name, languages[i].files))
			return &languages[i];
	/* Dockerfile.dev, but not README.txt. */
	for (size_t i = 1; i < AG_NELEM(languages); i++)
		if (is_one_of(first, languages[i].files))
			return &languages[i];
	return NULL;
}

bool ag_outline_is_markdown(ag_str path)
{
	return language_of(path) == &languages[0];
}

/* --- under construction --- */

/* White space and control characters become one blank each run; cut at a character's end. */
static ag_str clean(ag_outline_build *b, ag_str s)
{
	char *out;
	size_t n = 0;

	s = ag_str_trim(s);
	if (s.len > AG_OUTLINE_MAX_TITLE) {
		s.len = AG_OUTLINE_MAX_TITLE;
		while (s.len && ((unsigned char)s.ptr[s.len] & 0xc0) == 0x80)
			s.len--;
	}
	out = ag_arena_alloc(b->arena, s.len + 1);
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c > ' ' && c != 0x7f)
			out[n++] = (char)c;
		else if (n && out[n - 1] != ' ')
			out[n++] = ' ';
	}
	return ag_str_trim(ag_str_make(out, n));
}

ag_outline_draft *ag_outline_add(ag_outline_build *b, ag_str title, ag_str name, unsigned level,
                                 unsigned line)
{
	ag_outline_draft *d;

	if (b->n >= AG_OUTLINE_MAX_ITEMS)
		return NULL;
	if (b->n == b->cap) {
		b->cap = b->cap ? b->cap * 2 : 64;
		b->items = ag_xrealloc(b->items, b->cap * sizeof(*b->items));
	}
	d = &b->items[b->n];
	*d = (ag_outline_draft){ .order = b->n };
	b->n++;
	d->item.title = clean(b, title);
	d->item.name = clean(b, name);
	d->item.level = level;
	d->item.line = line;
	return d;
}

void ag_outline_add_anchor(ag_outline_build *b, ag_str anchor)
{
	if (b->nanchor >= AG_OUTLINE_MAX_ITEMS)
		return;
	if (b->nanchor == b->anchor_cap) {
		b->anchor_cap = b->anchor_cap ? b->anchor_cap * 2 : 64;
		b->anchors = ag_xrealloc(b->anchors, b->anchor_cap * sizeof(*b->anchors));
	}
	b->anchors[b->nanchor++] = ag_str_dup(b->arena, anchor);
}

ag_str ag_outline_line(const ag_outline_build *b, size_t number)
{
	size_t from = b->line_at[number - 1], to = b->line_at[number];

	while (to > from && (b->text.ptr[to - 1] == '\n' || b->text.ptr[to - 1] == '\r'))
		to--;
	return ag_str_make(b->text.ptr + from, to - from);
}

/* Behind the line that begins at `from`: it ends at \n, \r\n or \r, as cmark counts lines. */
static size_t line_end(ag_str text, size_t from, bool has_cr)
{
	const char *p;

	for (size_t i = from; has_cr && i < text.len; i++) {
		if (text.ptr[i] == '\n')
			return i + 1;
		if (text.ptr[i] == '\r')
			return i + 1 + (i + 1 < text.len && text.ptr[i + 1] == '\n');
	}
	p = has_cr ? NULL : memchr(text.ptr + from, '\n', text.len - from);
	return p ? (size_t)(p - text.ptr) + 1 : text.len;
}

static uint32_t *lines_of(ag_str text, size_t *nline)
{
	bool has_cr = memchr(text.ptr, '\r', text.len);
	size_t n = 0, cap = 256;
	uint32_t *at = ag_xmalloc(cap * sizeof(*at));

	for (size_t from = 0; from < text.len;) {
		if (n + 1 == cap) {
			cap *= 2;
			at = ag_xrealloc(at, cap * sizeof(*at));
		}
		at[n++] = (uint32_t)from;
		from = line_end(text, from, has_cr);
	}
	at[n] = (uint32_t)text.len;
	*nline = n;
	return at;
}

/* --- what follows --- */

static int by_line(const void *x, const void *y)
{
	const ag_outline_draft *a = x, *b = y;

	if (a->item.line != b->item.line)
		return a->item.line < b->item.line ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

/* The last line from `line` backwards that is not blank, but not before `first`. */
static unsigned last_filled(const ag_outline_build *b, size_t line, size_t first)
{
	while (line > first && !ag_str_trim(ag_outline_line(b, line)).len)
		line--;
	return (unsigned)line;
}

/* Open items, outermost first; a heading of level 6 may stand in one of level 1. */
typedef struct nest {
	int items[AG_OUTLINE_MAX_DEPTH + 1];
	size_t n;
} nest;

static void close_section(ag_outline_build *b, int i, size_t last)
{
	ag_outline_draft *d = &b->items[i];

	if (d->stop && d->stop < last)
		last = d->stop;
	if (last < d->item.line)
		last = d->item.line;
	d->item.section_last_line = last_filled(b, last, d->item.line);
}

static void find_sections(ag_outline_build *b)
{
	nest open = { .n = 0 };

	for (size_t i = 0; i < b->n; i++) {
		ag_outline_item *it = &b->items[i].item;

		while (open.n) {
			ag_outline_draft *top = &b->items[open.items[open.n - 1]];

			if (top->item.level < it->level && (!top->stop || top->stop >= it->line) &&
			    open.n < AG_OUTLINE_MAX_DEPTH)
				break;
			close_section(b, open.items[--open.n], it->line - 1);
		}
		it->parent = open.n ? open.items[open.n - 1] : -1;
		open.items[open.n++] = (int)i;
	}
	while (open.n)
		close_section(b, open.items[--open.n], b->nline);
	/* <h4>a</h4><h2>b</h2> on one line: what holds the first holds that line. */
	for (size_t i = b->n; i > 0; i--) {
		const ag_outline_item *it = &b->items[i - 1].item;

		if (it->parent >= 0 &&
		    b->items[it->parent].item.section_last_line < it->section_last_line)
			b->items[it->parent].item.section_last_line = it->section_last_line;
	}
}

static void find_own_text(ag_outline_build *b)
{
	for (size_t i = 0; i < b->n; i++) {
		ag_outline_item *it = &b->items[i].item;
		size_t last = it->section_last_line;

		if (i + 1 < b->n && b->items[i + 1].item.line <= last)
			last = b->items[i + 1].item.line - 1;
		if (last < it->line)
			last = it->line;
		it->last_line = last_filled(b, last, it->line);
		it->begin = b->line_at[it->line - 1];
		it->end = b->line_at[it->last_line];
	}
}

/* Lines as all else counts them: by \n alone. Only a text with a lone \r counts otherwise. */
static void renumber(ag_outline_build *b)
{
	unsigned *number;
	unsigned n = 1;

	if (!memchr(b->text.ptr, '\r', b->text.len))
		return;
	number = ag_xmalloc((b->nline + 1) * sizeof(*number));
	for (size_t i = 0; i < b->nline; i++) {
		number[i + 1] = n;
		n += b->line_at[i + 1] && b->text.ptr[b->line_at[i + 1] - 1] == '\n';
	}
	for (size_t i = 0; i < b->n; i++) {
		ag_outline_item *it = &b->items[i].item;

		it->line = number[it->line];
		it->last_line = number[it->last_line];
		it->section_last_line = number[it->section_last_line];
	}
	free(number);
}

static void hand_over(ag_outline_build *b, size_t skipped, ag_outline *ret)
{
	ag_outline_item *items = ag_new_n(b->arena, ag_outline_item, b->n);
	ag_str *anchors = ag_new_n(b->arena, ag_str, b->nanchor);

	for (size_t i = 0; i < b->n; i++) {
		items[i] = b->items[i].item;
		items[i].begin += skipped;
		items[i].end += skipped;
	}
	if (b->nanchor)
		memcpy(anchors, b->anchors, b->nanchor * sizeof(*anchors));
	ret->items = items;
	ret->n = b->n;
	ret->anchors = anchors;
	ret->nanchor = b->nanchor;
}

void ag_outline_of(ag_str path, ag_str text, ag_arena *arena, ag_outline *ret)
{
	const language *lang = language_of(path);
	size_t skipped = ag_str_starts(text, AG_S("\xef\xbb\xbf")) ? 3 : 0;
	ag_outline_build b = { .arena = arena, .path = path };
	uint32_t *line_at;

	*ret = (ag_outline){ .language = lang ? lang->name : "" };
	ret->is_markdown = lang == &languages[0];
	if (!lang || text.len == skipped)
		return;
	if (text.len > AG_OUTLINE_MAX_TEXT)
		text.len = AG_OUTLINE_MAX_TEXT;
	b.text = ag_str_make(text.ptr + skipped, text.len - skipped);
	line_at = lines_of(b.text, &b.nline);
	b.line_at = line_at;
	lang->read(&b);
	if (b.n) {
		qsort(b.items, b.n, sizeof(*b.items), by_line);
		find_sections(&b);
		find_own_text(&b);
		renumber(&b);
	}
	hand_over(&b, skipped, ret);
	free(b.items);
	free(b.anchors);
	free(line_at);
}
