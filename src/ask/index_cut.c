/* Cutting: where a document begins and ends, and by which words it is found beside its own.
 *
 * A document is what one would point at: a section, a function, the head of a file. One that is too long is cut further
 * at empty lines, so that a hit stays small enough to be read and ranks by what is near. Lines keep their numbers.
 * Order of reading: ag_index_cut(), then markdown(), code(), pieces(). */
#include "ask/index_cut.h"

#include "ask/index_words.h"
#include "ask/outline.h"
#include "base/utf8.h"

#define PIECE_BYTES  3000u /* about a screen and a half */
#define MAX_DOCS     20000u
#define MAX_NAMES    1024u /* bytes of the further words */
#define MAX_UNSPACED 6000u /* a piece has no more */

typedef struct cutter {
	ag_str path, base; /* base: the last name */
	ag_str path_words;
	ag_str text;
	ag_arena *arena;
	ag_index_doc *docs;
	size_t n, cap;
	size_t at; /* the line number of text[at] is `line` */
	unsigned line;
} cutter;

/* --- by name --- */

static const char *const left_out[] = {
	".lock",   "-lock.json", "-lock.yaml", "lock.yaml",
	".min.js", ".min.css",   ".map",       ".svg",
	".sum",    ".snap",      ".pem",       ".crt",
	".po",     ".patch",     ".diff",      ".ipynb_checkpoints",
};

/* Rows, not words: their head tells what they are. */
static const char *const data[] = {
	".csv", ".tsv", ".ndjson", ".jsonl", ".log", ".xml", ".dump", ".har", ".geojson",
};

static const char *const prose[] = { ".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc" };

static bool ends_with_one(ag_str path, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const ag_str suffix = ag_str_c(list[i]);

		if (path.len >= suffix.len &&
		    ag_str_ieq(ag_str_make(path.ptr + path.len - suffix.len, suffix.len), suffix))
			return true;
	}
	return false;
}

static ag_str base_of(ag_str path)
{
	size_t at = path.len;

	while (at && path.ptr[at - 1] != '/')
		at--;
	return ag_str_make(path.ptr + at, path.len - at);
}

size_t ag_index_worth_bytes(ag_str path)
{
	if (ends_with_one(path, left_out, AG_NELEM(left_out)))
		return 0;
	if (ends_with_one(path, data, AG_NELEM(data)))
		return 4u << 10;
	if (ag_str_ends(path, AG_S(".json")) || ag_str_ends(path, AG_S(".sql")))
		return 64u << 10;
	return 1u << 20;
}

bool ag_index_is_prose(ag_str path)
{
	return ag_outline_is_markdown(path) || ends_with_one(path, prose, AG_NELEM(prose));
}

/* --- documents --- */

/* Words of a path or a name, in their parts. */
static void add_words(ag_buf *out, ag_str text)
{
	ag_str word;

	for (size_t pos = 0; ag_word_next(text, &pos, &word);) {
		if (out->len)
			ag_buf_addc(out, ' ');
		ag_buf_add(out, word);
	}
}

static ag_str names_of(const cutter *c, ag_str name)
{
	AG_AUTO(ag_buf_release) ag_buf b = AG_BUF_INIT(MAX_NAMES);

	if (!name.len)
		return c->path_words;
	add_words(&b, c->path_words);
	add_words(&b, name);
	return ag_buf_dup(c->arena, &b);
}

/* Offsets only grow from call to call, save by a piece. */
static unsigned line_at(cutter *c, size_t at)
{
	if (at < c->at) {
		c->at = 0;
		c->line = 1;
	}
	while (c->at < at) {
		const char *end = memchr(c->text.ptr + c->at, '\n', at - c->at);

		if (!end)
			break;
		c->at = (size_t)(end - c->text.ptr) + 1;
		c->line++;
	}
	return c->line;
}

/* The index parts words at blanks; the characters of a text that has none are added as words. */
static ag_str with_unspaced(const cutter *c, ag_str names, ag_str body)
{
	AG_AUTO(ag_buf_release) ag_buf b = AG_BUF_INIT(MAX_UNSPACED);
	ag_str word;

	for (size_t pos = 0; ag_word_next(body, &pos, &word) && !b.failed;) {
		if (word.len < 3 || word.len > 4 || (unsigned char)word.ptr[0] < 0xe3)
			continue;
		ag_buf_addc(&b, ' ');
		ag_buf_add(&b, word);
	}
	return b.len ? ag_str_printf(c->arena, "%.*s%.*s", AG_FMT(names), AG_FMT(ag_buf_view(&b)))
	             : names;
}

static bool has_unspaced(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if ((unsigned char)s.ptr[i] >= 0xe3)
			return true;
	}
	return false;
}

static ag_index_doc *add_doc(cutter *c)
{
	if (c->n == c->cap) {
		const size_t cap = c->cap ? 2 * c->cap : 16;
		ag_index_doc *docs = ag_new_n(c->arena, ag_index_doc, cap);

		if (c->n)
			memcpy(docs, c->docs, c->n * sizeof(*docs));
		c->docs = docs;
		c->cap = cap;
	}
	return &c->docs[c->n++];
}

static bool is_blank(ag_str s)
{
	return !ag_str_trim(s).len;
}

/* Where a piece that begins at `begin` ends: an empty line, else the end of a line, else of a character. */
static size_t end_of_piece(const cutter *c, size_t begin, size_t end)
{
	size_t line = 0, cut = begin + PIECE_BYTES;

	if (end - begin <= PIECE_BYTES + PIECE_BYTES / 4)
		return end;
	for (size_t i = cut; i > begin + PIECE_BYTES / 2; i--) {
		if (c->text.ptr[i - 1] != '\n')
			continue;
		if (!line)
			line = i;
		if (i >= 2 && c->text.ptr[i - 2] == '\n')
			return i;
	}
	if (line)
		return line;
	while (cut > begin + 1 && ((unsigned char)c->text.ptr[cut] & 0xc0) == 0x80)
		cut--;
	return cut;
}

/* One document, or several when it is long: they share all but text and lines. */
static void pieces(cutter *c, const ag_index_doc *like, size_t begin, size_t end)
{
	while (begin < end && c->n < MAX_DOCS) {
		const size_t stop = end_of_piece(c, begin, end);
		const ag_str body = ag_str_make(c->text.ptr + begin, stop - begin);

		if (!is_blank(body)) {
			size_t first = begin, last = stop;
			ag_index_doc *d = add_doc(c);

			while (c->text.ptr[first] == '\n' || c->text.ptr[first] == '\r')
				first++;
			while (last > first + 1 && strchr(" \t\r\n", c->text.ptr[last - 1]))
				last--;
			*d = *like;
			d->body = ag_str_make(c->text.ptr + first, last - first);
			if (has_unspaced(d->body))
				d->names = with_unspaced(c, d->names, d->body);
			d->line = line_at(c, first);
			d->last_line = line_at(c, last);
		}
		begin = stop;
	}
}

/* --- Markdown --- */

static ag_str trail_of(const ag_outline *o, const ag_outline_item *it, ag_arena *arena)
{
	AG_AUTO(ag_buf_release) ag_buf b = AG_BUF_INIT(1024);
	const ag_outline_item *up[8];
	size_t n = 0;

	for (int p = it->parent; p >= 0 && n < AG_NELEM(up); p = o->items[p].parent)
		up[n++] = &o->items[p];
	while (n) {
		n--;
		ag_buf_add(&b, up[n]->title);
		if (n)
			ag_buf_adds(&b, " > ");
	}
	return ag_buf_dup(arena, &b);
}

static void markdown(cutter *c, const ag_outline *o)
{
	const size_t first = o->n ? o->items[0].begin : c->text.len;
	const ag_index_doc head = { .kind = AG_S("text"),
		                    .title = c->base,
		                    .names = c->path_words };

	pieces(c, &head, 0, first);
	for (size_t i = 0; i < o->n; i++) {
		const ag_outline_item *it = &o->items[i];
		const ag_index_doc d = { .kind = AG_S("section"),
			                 .anchor = it->anchor,
			                 .title = it->title,
			                 .trail = trail_of(o, it, c->arena),
			                 .names = c->path_words };

		pieces(c, &d, it->begin, it->end);
	}
}

/* --- code --- */

/* What stands right above a definition and belongs to it: comments, decorators, attributes. */
static bool is_of_next(ag_str line)
{
	static const char *const begins[] = { "//", "/*", "*", "#", "@", "--", "[", "template" };
	const ag_str t = ag_str_trim(line);

	for (size_t i = 0; i < AG_NELEM(begins); i++) {
		if (ag_str_starts(t, ag_str_c(begins[i])))
			return true;
	}
	return false;
}

static size_t begin_above(const cutter *c, size_t begin, size_t floor)
{
	while (begin > floor) {
		size_t up = begin - 1;

		while (up > floor && c->text.ptr[up - 1] != '\n')
			up--;
		if (!is_of_next(ag_str_make(c->text.ptr + up, begin - up)))
			break;
		begin = up;
	}
	return begin;
}

static void code(cutter *c, const ag_outline *o)
{
	const ag_index_doc head = { .kind = AG_S("text"),
		                    .title = c->base,
		                    .names = c->path_words };
	size_t begin = begin_above(c, o->items[0].begin, 0);

	pieces(c, &head, 0, begin);
	for (size_t i = 0; i < o->n; i++) {
		const ag_outline_item *it = &o->items[i];
		const size_t end = i + 1 < o->n
		                           ? begin_above(c, o->items[i + 1].begin, it->begin + 1)
		                           : c->text.len;
		const ag_index_doc d = { .kind = AG_S("definition"),
			                 .title = it->title,
			                 .trail = trail_of(o, it, c->arena),
			                 .names = names_of(c, it->name) };

		pieces(c, &d, begin, end);
		begin = end;
	}
}

/* Keys of settings are short: what belongs together is a file, not a key. */
static bool is_code(const ag_outline *o)
{
	static const char *const settings[] = { "yaml",     "toml", "ini",    "dockerfile",
		                                "makefile", "make", "docker", "json" };

	if (!o->n)
		return false;
	for (size_t i = 0; i < AG_NELEM(settings); i++) {
		if (ag_str_ieq(ag_str_c(o->language), ag_str_c(settings[i])))
			return false;
	}
	return true;
}

/* --- all --- */

/* A copy only when something must be mended. */
static ag_str mended(ag_str text, ag_arena *arena)
{
	char *out;

	if (ag_utf8_valid(text) && !(text.len && memchr(text.ptr, '\0', text.len)))
		return text;
	out = ag_str_cstr(arena, text);
	for (size_t pos = 0; pos < text.len;) {
		const size_t at = pos;
		const uint32_t cp = ag_utf8_next(text, &pos);

		/* An invalid byte is one; the real U+FFFD has three. */
		if (!cp || (cp == 0xfffd && pos == at + 1))
			out[at] = '?';
	}
	return ag_str_make(out, text.len);
}

void ag_index_cut(ag_str path, ag_str text, ag_arena *arena, ag_index_doc **ret, size_t *nret)
{
	AG_AUTO(ag_buf_release) ag_buf words = AG_BUF_INIT(MAX_NAMES);
	cutter c = { .path = path, .base = base_of(path), .arena = arena, .line = 1 };
	ag_outline o = { 0 };

	c.text = mended(text, arena);
	add_words(&words, path);
	c.path_words = ag_buf_dup(arena, &words);
	ag_outline_of(path, c.text, arena, &o);
	if (o.is_markdown) {
		markdown(&c, &o);
	} else if (is_code(&o)) {
		code(&c, &o);
	} else {
		const ag_index_doc d = { .kind = AG_S("text"),
			                 .title = c.base,
			                 .names = c.path_words };

		pieces(&c, &d, 0, c.text.len);
	}
	*ret = c.docs;
	*nret = c.n;
}
