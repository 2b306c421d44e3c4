/* outline_text -- an outline to read, in so many bytes.
 *
 * The deepest level that still fits with all above it is shown; where not even the first level fits, as many of its lines
 * as do. What was left out is counted in the last line. */
#include <limits.h>

#include "ask/outline.h"

#define MAX_TITLE  160u /* bytes shown of a title */
#define MAX_ANCHOR 400u /* a longer one is not worth its place: half an anchor is none */
#define REST_BYTES 16u  /* for "… 20000 more" */

static int digits_of(const ag_outline *o)
{
	unsigned max = 0;
	int n = 1;

	for (size_t i = 0; i < o->n; i++)
		max = o->items[i].line > max ? o->items[i].line : max;
	for (; max >= 10; max /= 10)
		n++;
	return n < 4 ? 4 : n;
}

static void add_line(ag_buf *out, const ag_outline *o, const ag_outline_item *it, int digits)
{
	ag_str title = it->title;

	ag_buf_addf(out, "%*u  ", digits, it->line);
	for (unsigned i = 0; i < it->level && i < 16; i++)
		if (o->is_markdown)
			ag_buf_addc(out, '#');
		else if (i)
			ag_buf_adds(out, "  ");
	if (o->is_markdown)
		ag_buf_addc(out, ' ');
	if (title.len > MAX_TITLE) {
		title.len = MAX_TITLE;
		while (title.len && ((unsigned char)title.ptr[title.len] & 0xc0) == 0x80)
			title.len--;
	}
	ag_buf_add(out, title);
	if (title.len < it->title.len)
		ag_buf_adds(out, "…");
	if (it->anchor.len && it->anchor.len <= MAX_ANCHOR) {
		ag_buf_adds(out, "  #");
		ag_buf_add(out, it->anchor);
	}
	ag_buf_addc(out, '\n');
}

/* The deepest level that fits with all above it; the highest one there is when none does. */
static unsigned level_that_fits(const ag_outline *o, const size_t *at, size_t max_bytes)
{
	unsigned best = UINT_MAX, level = 0;
	size_t bytes = 0, n = 0;

	while (n < o->n) {
		unsigned next = UINT_MAX;

		for (size_t i = 0; i < o->n; i++)
			if (o->items[i].level > level && o->items[i].level < next)
				next = o->items[i].level;
		level = next;
		for (size_t i = 0; i < o->n; i++) {
			if (o->items[i].level != level)
				continue;
			bytes += at[i + 1] - at[i];
			n++;
		}
		if (best == UINT_MAX)
			best = level;
		if (bytes + (n < o->n ? REST_BYTES : 0) > max_bytes)
			break;
		best = level;
	}
	return best;
}

ag_str ag_outline_text(const ag_outline *o, size_t max_bytes, ag_arena *arena)
{
	ag_buf all = AG_BUF_INIT(SIZE_MAX / 4), out;
	size_t *at = ag_arena_alloc_n(arena, o->n + 1, sizeof(*at));
	size_t left_out = 0, room = max_bytes > REST_BYTES ? max_bytes - REST_BYTES : 0;
	int digits = digits_of(o);
	bool is_full = false;
	unsigned level;
	ag_str ret;

	for (size_t i = 0; i < o->n; i++) {
		add_line(&all, o, &o->items[i], digits);
		at[i + 1] = all.len;
	}
	level = all.len <= max_bytes ? UINT_MAX : level_that_fits(o, at, max_bytes);
	if (all.len <= max_bytes)
		room = max_bytes;
	ag_buf_init(&out, all.len + REST_BYTES);
	for (size_t i = 0; i < o->n; i++) {
		size_t len = at[i + 1] - at[i];

		if (o->items[i].level <= level && out.len + len > room)
			is_full = true; /* nothing behind a gap */
		if (o->items[i].level > level || is_full)
			left_out++;
		else
			ag_buf_add(&out, ag_str_make(all.ptr + at[i], len));
	}
	if (left_out)
		ag_buf_addf(&out, "… %zu more\n", left_out);
	ret = ag_buf_dup(arena, &out);
	if (ret.len > max_bytes)
		ret.len = 0;
	ag_buf_release(&all);
	ag_buf_release(&out);
	return ret;
}
