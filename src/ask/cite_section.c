/* cite_section -- of a file that was read: which section or lines are cited, and the words that prove it.
 *
 * What the model wrote comes first: an anchor, lines, the title of a section behind the path. An anchor that does not exist is
 * mended to the nearest heading; a section that no read_file showed is not cited, though the file is. Where nothing was
 * written and the answer's words come plainly from one section, that is the one. Invariant: a quote stands in lines that were
 * shown, and in the section that is cited.
 *
 * Read: ag_cite_of_file(), check_anchor(), find_section(), add_quote(). */
#include "ask/cite_parts.h"
#include "base/utf8.h"

ag_str ag_cite_written(const ag_mention *m, ag_arena *arena)
{
	ag_str path = ag_utf8_prefix(m->path, 150), anchor = ag_utf8_prefix(m->anchor, 100);

	if (!m->has_anchor || !anchor.len)
		return path;
	return ag_str_printf(arena, "%.*s#%.*s", AG_FMT(path), AG_FMT(anchor));
}

/* Lines of the file that were shown within first..last, best quote of them. */
static void add_quote(ag_cite_desk *d, const ag_cite_file *file, unsigned first, unsigned last,
                      ag_citation *ret)
{
	double best = 0;

	for (size_t i = 0; i < d->files->ncall; i++) {
		const ag_answer_call *call = &d->files->calls[i];
		unsigned from = first ? first : 1, to = last, line;
		double score;
		ag_str quote;

		if (!call->ok || !ag_str_eqc(call->tool, "read_file") ||
		    !ag_str_eq(call->file.path, file->path))
			continue;
		if (call->file.last_line) {
			from = call->file.first_line > from ? call->file.first_line : from;
			to = !to || call->file.last_line < to ? call->file.last_line : to;
		}
		if (to && to < from)
			continue;
		quote = ag_cite_quote(d->words, ag_cite_lines(file->text, from, to), from, &line,
		                      &score);
		/* A quote is found in the file again, byte for byte: not one that a key was taken out of. */
		if (score <= best || ag_str_contains(quote, AG_S("[redacted]")))
			continue;
		best = score;
		ret->quote = quote;
		if (!ret->anchor.len)
			ret->line = ret->last_line = line;
	}
}

static void set_section(const ag_outline_item *item, ag_citation *ret)
{
	ret->anchor = item->anchor;
	ret->title = item->title;
	ret->line = item->line;
	ret->last_line = item->section_last_line;
}

/* The anchor that was written, when it may be printed; else none, and a note. */
static void check_anchor(ag_cite_desk *d, const ag_mention *m, const ag_cite_file *file,
                         ag_citation *ret)
{
	const ag_outline_item *item;
	ag_anchor_fit fit = ag_cite_anchor(file, m->anchor, d->arena, &item);
	ag_str as = ag_cite_written(m, d->arena);

	if (!file->outline.is_markdown || fit == AG_ANCHOR_NONE) {
		ag_cite_note(
			d->notes, d->arena,
			"%.*s: there is no such anchor in %.*s, nor one like it; only the file is "
			"cited",
			AG_FMT(as), AG_FMT(file->path));
	} else if (item && !ag_cite_is_shown(d->files, file, item->line, item->section_last_line)) {
		ag_cite_note(
			d->notes, d->arena,
			"%.*s: lines %u-%u, where this section stands, were not read; only the "
			"file is cited",
			AG_FMT(as), item->line, item->section_last_line);
	} else if (!item) {
		ret->anchor = m->anchor;
	} else {
		set_section(item, ret);
		if (fit != AG_ANCHOR_EXACT)
			ag_cite_note(d->notes, d->arena,
			             "%.*s: there is no such anchor; the nearest heading is #%.*s",
			             AG_FMT(as), AG_FMT(item->anchor));
	}
}

/* Lines that were written, or the definition that an "anchor" of code names. */
static void check_lines(const ag_mention *m, const ag_cite_file *file, ag_citation *ret)
{
	const ag_outline *o = &file->outline;

	if (m->line) {
		ret->line = m->line;
		ret->last_line = m->last_line;
	}
	for (size_t i = 0; i < o->n && m->anchor.len && !o->is_markdown; i++) {
		if (ag_str_eq(o->items[i].name, m->anchor)) {
			ret->line = o->items[i].line;
			ret->last_line = o->items[i].last_line;
		}
	}
}

/* Length of what stands between a path and the title of its section: a sign, a word. 0 = the title begins. */
static size_t filler(ag_str s)
{
	static const char *const words[] = { "section", "heading", "chapter", "under" };

	/* Paragraph signs and guillemets; dashes, arrows and quotes. */
	if (s.ptr[0] == '\xC2' && s.len > 2)
		return 2;
	if (s.ptr[0] == '\xE2' && s.len > 3)
		return 3;
	if (ag_str_find(AG_S(" `*_\"',;:()[]>/-"), s.ptr[0]) >= 0)
		return 1;
	for (size_t k = 0; k < AG_NELEM(words); k++) {
		size_t len = strlen(words[k]);

		if (s.len > len && ag_str_ieq(ag_str_make(s.ptr, len), ag_str_c(words[k])))
			return len;
	}
	return 0;
}

/* "wiki/github.md (section Protect a branch)", "… > Protect a branch": the heading whose words stand behind the path. */
static const ag_outline_item *titled(const ag_cite_desk *d, const ag_cite_file *file)
{
	ag_str s = d->behind, anchor;
	size_t n;

	while (s.len && (n = filler(s)) > 0)
		s = ag_str_make(s.ptr + n, s.len - n);
	while (s.len && strchr(" `*_\"'.,;)]", s.ptr[s.len - 1]))
		s.len--;
	anchor = ag_outline_slug(s, d->arena);
	return anchor.len ? ag_outline_find(&file->outline, anchor) : NULL;
}

/* A section that was not named as an anchor, but by its title; or that the words come from, plainly. */
static void find_section(ag_cite_desk *d, const ag_cite_file *file, ag_citation *ret)
{
	const ag_outline_item *item = titled(d, file);

	if (!item)
		item = ag_cite_section(d->words, &file->outline, file->text);
	if (item && ag_cite_is_shown(d->files, file, item->line, item->last_line))
		set_section(item, ret);
}

ag_citation ag_cite_of_file(ag_cite_desk *d, const ag_mention *m, const ag_cite_file *file)
{
	ag_citation ret = { .path = file->path, .sha256 = file->hash_now };
	unsigned first, last;

	if (m->anchor.len)
		check_anchor(d, m, file, &ret);
	if (!ret.anchor.len)
		check_lines(m, file, &ret);
	if (!m->anchor.len && !ret.line && file->is_read && file->outline.is_markdown)
		find_section(d, file, &ret);
	first = ret.line;
	last = ret.last_line;
	add_quote(d, file, first, last, &ret);
	if (ret.line && !ret.anchor.len && first && !ret.quote.len)
		ret.line = ret.last_line = 0; /* lines that do not exist, or were not shown */
	if (m->path.len &&
	    (!ag_str_eq(m->path, ret.path) || (m->anchor.len && !ag_str_eq(m->anchor, ret.anchor))))
		ret.instead_of = ag_cite_written(m, d->arena);
	return ret;
}
