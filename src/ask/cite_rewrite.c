/* cite_rewrite -- the answer's own words, without an anchor that does not exist.
 *
 * People click what stands in the text, whatever `source` says. Each "path#anchor" is looked up in the file as it is now, read
 * in this run or not: what exists stays as it is written; an anchor that is nearly one becomes it when the file was read;
 * any other goes, and the path stays. Invariant: going over the result once more changes nothing. */
#include "ask/cite_parts.h"

#include "base/utf8.h"

#define MAX_ANSWER (64u << 20) /* bytes; a model's reply is far shorter */
#define MAX_TURNS  8

typedef struct change {
	ag_str path;   /* ptr NULL = as it is written */
	ag_str anchor; /* ptr NULL = as it is written; "" = none */
	unsigned line, last_line;
} change;

/* What is to stand instead of a mention with an anchor. false: all as it is. */
static bool change_of(ag_cite_files *f, const ag_mention *m, ag_arena *arena, change *ret)
{
	const ag_outline_item *item;
	bool mended;
	ag_cite_file *file = ag_cite_resolve(f, m->path, &mended);
	ag_anchor_fit fit;

	*ret = (change){ .anchor = AG_S(""), .line = m->line, .last_line = m->last_line };
	if (!file) /* "C#", "owner/project#12" are no files */
		return ag_cite_looks_like_file(m->path);
	if (ag_cite_look(f, file) == AG_CITE_IS_GONE)
		return true;
	fit = ag_cite_anchor(file, m->anchor, arena, &item);
	if (mended)
		ret->path = file->path;
	if (fit == AG_ANCHOR_EXACT && !mended)
		return false;
	if (fit == AG_ANCHOR_EXACT)
		ret->anchor = m->anchor;
	else if (fit == AG_ANCHOR_ALIKE || (fit == AG_ANCHOR_NEAR && file->is_seen))
		ret->anchor = item->anchor;
	return true;
}

static void write_change(ag_buf *out, ag_str text, const ag_mention *m, const change *ch)
{
	if (ch->path.ptr)
		ag_buf_add(out, ch->path);
	else
		ag_buf_add(out, ag_str_make(text.ptr + m->begin, m->hash - m->begin));
	if (ch->anchor.len) {
		ag_buf_addc(out, '#');
		ag_buf_add(out, ch->anchor);
	} else if (ch->line && ch->last_line > ch->line) {
		ag_buf_addf(out, ":%u-%u", ch->line, ch->last_line);
	} else if (ch->line) {
		ag_buf_addf(out, ":%u", ch->line);
	}
}

static void note_change(ag_cite_notes *notes, const ag_mention *m, const change *ch,
                        ag_arena *arena)
{
	ag_str path = ag_utf8_prefix(m->path, 150), anchor = ag_utf8_prefix(m->anchor, 100);

	if (!m->anchor.len || ch->line)
		return;
	if (ch->anchor.len)
		ag_cite_note(notes, arena, "in the answer %.*s#%.*s was mended to #%.*s",
		             AG_FMT(path), AG_FMT(anchor), AG_FMT(ch->anchor));
	else
		ag_cite_note(notes, arena,
		             "in the answer #%.*s behind %.*s was left out: it does not exist",
		             AG_FMT(anchor), AG_FMT(path));
}

/* Returns whether anything was changed. */
static bool go_over(ag_cite_files *f, ag_str *text, ag_cite_notes *notes, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(MAX_ANSWER);
	size_t pos = 0, copied = 0;
	bool is_changed = false;

	while (pos < text->len) {
		ag_mention *list;
		size_t n = ag_cite_mentions(*text, &pos, f->odd, f->nodd, false, arena, &list);

		for (size_t i = 0; i < n; i++) {
			change ch;

			if (!list[i].has_anchor || !change_of(f, &list[i], arena, &ch))
				continue;
			ag_buf_add(&out, ag_str_make(text->ptr + copied, list[i].begin - copied));
			write_change(&out, *text, &list[i], &ch);
			note_change(notes, &list[i], &ch, arena);
			copied = list[i].end;
			is_changed = true;
		}
	}
	ag_buf_add(&out, ag_str_make(text->ptr + copied, text->len - copied));
	if (is_changed)
		*text = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return is_changed;
}

static ag_str without_hashes(ag_str text, ag_arena *arena)
{
	char *to = ag_arena_alloc(arena, text.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] != '#')
			to[n++] = text.ptr[i];
	}
	return ag_str_make(to, n);
}

ag_str ag_cite_rewrite(ag_cite_files *f, ag_str text, ag_cite_notes *notes, ag_arena *arena)
{
	/* What was taken out may bring together what was apart: once more then. Words that a person can read are done
	 * after the first time. */
	for (int turn = 0; turn < MAX_TURNS && ag_str_find(text, '#') >= 0; turn++) {
		if (!go_over(f, &text, notes, arena))
			return text;
	}
	return without_hashes(text, arena);
}
