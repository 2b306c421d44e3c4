/* ahead -- see the header. */
#include "audit/ahead.h"

#define MAX_QUERIES        1000
#define MAX_PAIRS_OF_FIELD 15 /* of six hypotheses that hold */

typedef struct queries {
	ag_arena *arena;
	ag_str *items;
	size_t n;
} queries;

static void add(queries *q, ag_str text)
{
	if (q->n < MAX_QUERIES)
		q->items[q->n++] = text;
}

static bool is_filter(const ag_hypothesis *h)
{
	return h->evidence.len && h->evidence.ptr[0] == '{';
}

/* Answered from memory: it was in the first round. */
static bool matches(ag_source *source, const ag_ctx *ctx, const ag_hypothesis *h, ag_arena *arena)
{
	const ag_val text = ag_val_str(h->evidence);
	uint64_t n = 0;

	return !ag_source_count(source, ctx, arena, &text, &n, NULL) && n > 0;
}

static void add_pairs(queries *q, const ag_hypothesis *const *held, size_t n)
{
	size_t npair = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n && npair < MAX_PAIRS_OF_FIELD; k++, npair++)
			add(q, ag_str_printf(q->arena, "{\"$and\":[%.*s,%.*s]}",
			                     AG_FMT(held[i]->evidence), AG_FMT(held[k]->evidence)));
}

ag_status ag_audit_ahead(ag_source *source, const ag_ctx *ctx, const ag_hypotheses *all,
                         ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	queries q = { .arena = scratch, .items = ag_new_n(scratch, ag_str, MAX_QUERIES) };
	const ag_hypothesis **held = ag_new_n(scratch, const ag_hypothesis *, all->n + 1);
	ag_status st;

	if (!ag_source_prepares(source))
		return AG_OK;
	for (size_t i = 0; i < all->n; i++)
		if (is_filter(&all->items[i]))
			add(&q, all->items[i].evidence);
	st = ag_source_prepare(source, ctx, q.items, q.n, err);
	q.n = 0;
	/* The hypotheses are in the order of their paths. */
	for (size_t i = 0, n; !st && i < all->n; i += n) {
		size_t nheld = 0;

		for (n = 0;
		     i + n < all->n && ag_str_eq(all->items[i + n].field, all->items[i].field); n++)
			if (is_filter(&all->items[i + n]) &&
			    matches(source, ctx, &all->items[i + n], scratch))
				held[nheld++] = &all->items[i + n];
		add_pairs(&q, held, nheld);
	}
	return st || !q.n ? st : ag_source_prepare(source, ctx, q.items, q.n, err);
}
