/* outline_find -- items by anchor, by likeness, by line. */
#include "ask/outline.h"

#define MAX_WORDS 32u

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Is `anchor`, once %xx is decoded, the text? */
static bool is_encoded(ag_str anchor, ag_str text)
{
	size_t n = 0;

	for (size_t i = 0; i < anchor.len; i++) {
		char c = anchor.ptr[i];

		if (c == '%' && i + 2 < anchor.len && hex(anchor.ptr[i + 1]) >= 0 &&
		    hex(anchor.ptr[i + 2]) >= 0) {
			c = (char)(hex(anchor.ptr[i + 1]) * 16 + hex(anchor.ptr[i + 2]));
			i += 2;
		}
		if (n >= text.len || text.ptr[n++] != c)
			return false;
	}
	return n == text.len;
}

static bool is_anchor(ag_str wanted, ag_str anchor)
{
	return anchor.len && (ag_str_eq(wanted, anchor) ||
	                      (ag_str_find(wanted, '%') >= 0 && is_encoded(wanted, anchor)));
}

const ag_outline_item *ag_outline_find(const ag_outline *o, ag_str anchor)
{
	for (size_t i = 0; i < o->n; i++)
		if (is_anchor(anchor, o->items[i].anchor))
			return &o->items[i];
	return NULL;
}

bool ag_outline_has_anchor(const ag_outline *o, ag_str anchor)
{
	for (size_t i = 0; i < o->nanchor; i++)
		if (is_anchor(anchor, o->anchors[i]))
			return true;
	return ag_outline_find(o, anchor);
}

/* --- the nearest --- */

typedef struct words {
	ag_str at[MAX_WORDS];
	size_t n;
	double weight; /* of all */
} words;

static bool has_digit(ag_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] >= '0' && s.ptr[i] <= '9')
			return true;
	return false;
}

static double weight_of(ag_str word)
{
	static const char *const small[] = { "a",  "an",  "the", "to",  "of",   "in",  "on",
		                             "is", "and", "or",  "for", "with", "your" };

	for (size_t i = 0; i < AG_NELEM(small); i++)
		if (ag_str_eqc(word, small[i]))
			return 0.2;
	return has_digit(word) ? 0.3 : 1;
}

static void split(ag_str anchor, words *ret)
{
	*ret = (words){ .n = 0 };
	for (size_t i = 0, from = 0; i <= anchor.len && ret->n < MAX_WORDS; i++) {
		if (i < anchor.len && anchor.ptr[i] != '-' && anchor.ptr[i] != '_')
			continue;
		if (i > from) {
			ret->at[ret->n] = ag_str_make(anchor.ptr + from, i - from);
			ret->weight += weight_of(ret->at[ret->n++]);
		}
		from = i + 1;
	}
}

/* 1 the same, less for another form of it (resolve, resolving) and for a slip of the pen, 0 another word. */
static double alike(ag_str a, ag_str b)
{
	size_t n = 0, shorter = a.len < b.len ? a.len : b.len;
	size_t longer = a.len < b.len ? b.len : a.len;

	if (ag_str_eq(a, b))
		return 1;
	if (shorter < 4 || has_digit(a) || has_digit(b))
		return 0;
	while (n < shorter && a.ptr[n] == b.ptr[n])
		n++;
	if (n >= 4 && (n * 5 >= longer * 3 || n == shorter))
		return 0.9;
	return ag_str_distance(a, b) == 1 ? 0.8 : 0;
}

/* Share of the words of both that have a partner in the other; -1: another number ("step-1", "step-2"). */
static double shared(const words *a, const words *b)
{
	bool is_taken[MAX_WORDS] = { false }, is_number_lost = false, is_number_new = false;
	double sum = 0;

	for (size_t i = 0; i < a->n; i++) {
		double best = 0;
		size_t at = 0;

		for (size_t j = 0; j < b->n; j++) {
			double x = is_taken[j] ? 0 : alike(a->at[i], b->at[j]);

			if (x > best) {
				best = x;
				at = j;
			}
		}
		if (best > 0) {
			is_taken[at] = true;
			sum += best * weight_of(a->at[i]);
		} else if (has_digit(a->at[i])) {
			is_number_lost = true;
		}
	}
	for (size_t j = 0; j < b->n; j++)
		is_number_new = is_number_new || (!is_taken[j] && has_digit(b->at[j]));
	if (is_number_lost && is_number_new)
		return -1;
	return 2 * sum / (a->weight + b->weight);
}

/* Edit distance when it is small for anchors of this length, else SIZE_MAX. */
static size_t close_by(ag_str a, ag_str b)
{
	size_t longer = a.len > b.len ? a.len : b.len, d = ag_str_distance(a, b);

	return d <= 3 && d * 4 <= longer ? d : SIZE_MAX;
}

/* Two words in three are not enough, nor are a few letters in a short one: that is another heading ("git" for "install-git"). */
#define NEAR 0.68

const ag_outline_item *ag_outline_nearest(const ag_outline *o, ag_str anchor)
{
	const ag_outline_item *best = ag_outline_find(o, anchor);
	ag_arena *arena = best ? NULL : ag_arena_new();
	double best_share = -1;
	size_t best_distance = SIZE_MAX;
	words wanted;

	if (best)
		return best;
	anchor = ag_outline_slug(anchor, arena);
	split(anchor, &wanted);
	for (size_t i = 0; i < o->n && wanted.n; i++) {
		ag_str slug = o->items[i].anchor;
		words has;
		double share;
		size_t distance;

		split(slug, &has);
		if (!has.n)
			continue;
		share = shared(&wanted, &has);
		distance = share < 0 ? SIZE_MAX : close_by(anchor, slug);
		if (share < NEAR && distance == SIZE_MAX)
			continue;
		if (share > best_share || (share >= best_share && distance < best_distance)) {
			best = &o->items[i];
			best_share = share;
			best_distance = distance;
		}
	}
	ag_arena_free(arena);
	return best;
}

const ag_outline_item *ag_outline_at(const ag_outline *o, unsigned line)
{
	for (size_t i = o->n; i > 0; i--) {
		const ag_outline_item *it = &o->items[i - 1];

		if (it->line > line)
			continue;
		/* Blank lines between two sections of Markdown belong to the first, those at the end to none. */
		if (line <= it->section_last_line || (o->is_markdown && i < o->n))
			return it;
		if (o->is_markdown)
			return NULL;
	}
	return NULL;
}
