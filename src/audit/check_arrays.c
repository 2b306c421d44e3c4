/* check_arrays -- rows 37 and 38: arrays of an unusual size, items that are nothing, and items that come twice.
 *
 * Another length speaks below a twentieth of the arrays: beyond it arrays have any length. Lengths far beyond all others
 * speak up to a twentieth. Empty arrays and items that are nothing are listed at every share, above low while they are
 * few. Items that come twice speak up to a quarter of the arrays with two items or more. */
#include "audit/checks.h"

#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

#define MIN_ARRAYS    50   /* for a usual length */
#define MIN_EMPTY     5    /* fewer arrays or items have no rule that one could break */
#define FEW_NEEDED    0.10 /* an order without items, however the field is used */
#define MANY_ARRAYS   100  /* that show what is usual */
#define FEW_ODD       0.01 /* of the arrays are empty, and nearly all others hold two items or more */
#define FEW_NOTHING   0.2 /* of the items: beyond it null is a place that is kept */
#define HARDLY_FILLED 0.999
#define LONG_MIN      20   /* items; shorter arrays are never too long */
#define LONG_FACTOR   10   /* times what 95 % of the arrays have at most */
#define MIN_PLURAL    20   /* arrays of two items or more, for a rule that none comes twice */
#define MAX_TWICE     0.45 /* of them */
#define SURE_TWICE    0.05 /* up to here it is no habit */
#define APART         3    /* times more by chance than there are: items are kept apart */
#define CHANCE        0.10 /* at most this part of the repeated items may be chance */

/* Nearly every array has this many items; 0 = no such number. */
static double usual_size(const ag_array_profile *s)
{
	/* One item in nearly all is no rule: two would be as good. */
	return s->n >= MIN_ARRAYS && s->size.p05 == s->size.p95 && s->size.p50 >= 2 ? s->size.p50
	                                                                            : 0;
}

static ag_severity severity_of_empty(const ag_array_profile *s, bool is_needed)
{
	const double share = ag_share(s->nempty, s->n);
	/* Nearly all others have two items or more: none is not the end of a row of lengths. */
	const bool is_odd = s->n >= MANY_ARRAYS && share <= FEW_ODD && s->size.p05 >= 2;

	return (is_needed && share <= FEW_NEEDED) || is_odd ? AG_MEDIUM : AG_LOW;
}

/* Lengths that no tail of the others explains: 0 = none. Lengths that grow by factors get as many factors more as 95 %
 * of the arrays need twice over. */
static double long_from(const ag_array_profile *s)
{
	const double p50 = s->size.p50 < 1 ? 1 : s->size.p50,
		     p95 = s->size.p95 < 1 ? 1 : s->size.p95;
	const double grown = p95 * pow(p95 / p50, 2), far = p95 * LONG_FACTOR;
	const double from = fmax(fmax(grown, far), LONG_MIN);

	return s->n >= MIN_ARRAYS && s->size.max > from ? from : 0;
}

static void suspect_long(const ag_path_profile *f, double from, ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	const ag_val path = ag_val_str(ag_str_printf(a, "$%.*s", AG_FMT(ag_ev_key(a, f)))),
		     is_long = OBJ(a, KV("$gt", ARR(a, OBJ(a, KV("$size", path)),
	                                            ag_val_int((int64_t)from)))),
		     both = ARR(a, OBJ(a, KV("$isArray", path)), is_long),
		     filter = OBJ(a, KV("$expr", OBJ(a, KV("$and", both))));
	ag_hypothesis *h = ag_suspect(out, f, "array_size", AG_MEDIUM, 0.8, ag_ev_str(a, &filter));

	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(
		h, "arrays are many times longer than nearly all others",
		"items of several objects in one array, or a writer that appends again and again",
		"find what appends to these arrays, and limit the length at the writer");
	h->detail = ag_str_printf(a, "95 %% of the arrays have at most %.0f items",
	                          f->arr.size.p95);
}

void ag_check_array_size(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	const ag_array_profile *s = &f->arr;
	double usual = usual_size(s);
	/* A percent at either end may differ, and the rule is still one without exception. */
	bool is_strict = s->size.p01 == s->size.p99, needed = out->name.traits & AG_TRAIT_ITEMS;
	ag_severity severity = AG_LOW;
	ag_val cond;
	ag_str evidence;
	ag_hypothesis *h;

	(void)o;
	if (s->n < MIN_EMPTY || f->in_map)
		return;
	if (usual == 0 && !f->in_array && ag_ev_place_of(a, f).ok && long_from(s) > 0)
		suspect_long(f, long_from(s), out);
	if (usual > 0 && s->size.min < s->size.max && !f->in_array) {
		cond = OBJ(a, KV("$type", ag_ev_text("array")),
		           KV("$not", OBJ(a, KV("$size", ag_val_int((int64_t)usual)))));
		severity = is_strict ? AG_MEDIUM : AG_LOW;
	} else if (s->nempty && s->nempty < s->n && usual == 0 &&
	           ag_share(s->nempty, s->n) <= HARDLY_FILLED &&
	           !(out->name.traits & (AG_TRAIT_SET | AG_TRAIT_OPTIONAL | AG_TRAIT_PROSE))) {
		cond = OBJ(a, KV("$size", ag_val_int(0)));
		severity = severity_of_empty(s, needed && !f->in_array);
	} else {
		return;
	}
	evidence = ag_ev_where(a, f, cond);
	if (usual == 0)
		evidence = ag_unless_kind_has(out, p, f, s->nempty, evidence);
	h = ag_suspect(out, f, "array_size", severity, 0.75, evidence);
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(
		h,
		usual > 0 ? "arrays have another length than nearly all others"
			  : "arrays are empty that hold items elsewhere",
		"a write that was cut short, or items that failed to load",
		"load the arrays again from their source, and refuse incomplete ones at the writer");
	if (usual > 0)
		h->detail = ag_str_printf(a, "the usual length is %.0f", usual);
}

void ag_check_array_content(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	uint64_t nnull = f->by_type[AG_T_NULL] + f->by_type[AG_T_UNDEFINED], nempty = f->str.nempty;
	ag_val items[2];
	size_t n = 0;
	ag_hypothesis *h;

	(void)p;
	(void)o;
	if (!f->is_elem || nnull + nempty == 0 || nnull + nempty == f->n || f->n < MIN_EMPTY)
		return;
	/* Gaps in a series of numbers are data. */
	if (ag_path_numbers(f) * 2 > f->n)
		return;
	if (nnull)
		items[n++] = ag_val_null();
	if (nempty)
		items[n++] = ag_ev_text("");
	h = ag_suspect(out, f, "array_content",
	               ag_share(nnull + nempty, f->n) <= FEW_NOTHING ? AG_MEDIUM : AG_LOW, 0.9,
	               ag_ev_where(a, f, OBJ(a, KV("$in", ag_ev_arr(a, items, n)))));
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(
		h, "arrays hold items that are null or empty text",
		"splitting a text that ended in a separator, or removing items without closing the gap",
		"remove these items with $pull, and filter input before it is stored");
}

/* ---- items that come twice ---- */

typedef struct item {
	uint64_t hash; /* of all values */
	uint32_t doc;
} item;

static int item_by_hash(const void *a, const void *b)
{
	const item *x = a, *y = b;

	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static int item_by_doc_and_hash(const void *a, const void *b)
{
	const item *x = a, *y = b;

	if (x->doc != y->doc)
		return x->doc < y->doc ? -1 : 1;
	return item_by_hash(a, b);
}

typedef struct repeats {
	uint32_t nplural; /* arrays of two items or more */
	uint32_t nrepeat; /* of them with an item that comes twice */
	double by_chance; /* of them that chance would make */
} repeats;

/* The share of the pairs of items of two arrays that are equal. within: equal pairs in one array, which say nothing about
 * chance. Changes the order. */
static double chance_of_a_pair(item *items, uint32_t n, double within)
{
	double pairs = 0;

	qsort(items, n, sizeof(*items), item_by_hash);
	for (uint32_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && items[k].hash == items[i].hash;)
			k++;
		pairs += (double)(k - i) * (k - i - 1) / 2;
	}
	return n < 2 ? 0 : (pairs - within) / ((double)n * (n - 1) / 2);
}

/* only: items are equal where they are so in this column; NULL: in all of them. */
static repeats count_repeats(const ag_frame *fr, const ag_frame_col *only, ag_arena *scratch)
{
	item *items = ag_new_n(scratch, item, fr->nrow);
	repeats ret = { 0 };
	double npair = 0, within = 0;

	for (uint32_t r = 0; r < fr->nrow; r++) {
		items[r] = (item){ .doc = fr->doc[r] };
		for (size_t c = 0; c < fr->ncol; c++)
			if (!only || only == &fr->cols[c])
				items[r].hash = XXH3_64bits_withSeed(&fr->cols[c].code[r],
				                                     sizeof(uint32_t),
				                                     items[r].hash);
	}
	qsort(items, fr->nrow, sizeof(*items), item_by_doc_and_hash);
	for (uint32_t i = 0, k; i < fr->nrow; i = k) {
		uint32_t same = 0; /* equal items directly before item k */
		bool twice = false;

		for (k = i + 1; k < fr->nrow && items[k].doc == items[i].doc; k++) {
			same = items[k].hash == items[k - 1].hash ? same + 1 : 0;
			within += same;
			twice = twice || same;
		}
		ret.nplural += k - i > 1;
		ret.nrepeat += twice;
		npair += (double)(k - i) * (k - i - 1) / 2;
	}
	ret.by_chance = npair * chance_of_a_pair(items, fr->nrow, within);
	return ret;
}

/* Items that only measure, like points or readings, may be equal. */
static bool has_a_name(const ag_frame *fr)
{
	for (size_t c = 0; c < fr->ncol; c++) {
		const ag_path_profile *f = fr->cols[c].f;
		const ag_field_name n = ag_field_name_of(f->owner);

		if (ag_path_numbers(f) * 2 < f->nscalar ||
		    (!f->is_elem && ag_name_is_identifier(&n)))
			return true;
	}
	return false;
}

static bool are_apart(const repeats *n)
{
	return n->nrepeat * APART <= n->by_chance &&
	       n->by_chance - n->nrepeat > 4 * sqrt(n->by_chance);
}

/* Do arrays of these items hold none twice, as a rule? Either chance makes hardly any of the repeats that are there, or
 * it would make many more: then something keeps the items of an array apart. */
static bool is_rule(const repeats *n)
{
	const bool is_rich = n->by_chance <= CHANCE * n->nrepeat;

	return is_rich || are_apart(n);
}

static bool may_be_rule(const repeats *n)
{
	return n->nrepeat && n->nplural >= MIN_PLURAL && n->nrepeat <= MAX_TWICE * n->nplural;
}

/* Some field is the key of the items in their array: chance would repeat it often, and it repeats only where the whole
 * item does. */
static bool has_item_key(const ag_frame *fr, const repeats *all, ag_arena *scratch)
{
	for (size_t c = 0; c < fr->ncol && fr->ncol > 1; c++) {
		const repeats n = count_repeats(fr, &fr->cols[c], scratch);

		if (n.nrepeat == all->nrepeat && are_apart(&n))
			return true;
	}
	return false;
}

/* "items[]" of the documents: not an array in an array, and nothing in its items that the frame does not hold. */
static bool can_tell_items(const ag_frame *fr)
{
	return fr->doc && fr->step == 1 && !fr->left_out && fr->ncol && fr->nrow &&
	       ag_str_find(fr->path, '[') == (ptrdiff_t)fr->path.len - 2;
}

ag_status ag_check_repeats(AG_ACROSS_ARGS)
{
	for (size_t i = 1; i < x->frames->n; i++) {
		AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
		const ag_frame *fr = &x->frames->items[i];
		const ag_path_profile *f = ag_profile_find(x->p, fr->path);
		ag_arena *a = out->arena;
		repeats n;
		const ag_status st = ag_ctx_check(x->ctx, err);
		ag_hypothesis *h;

		if (st)
			return st;
		if (!f || !ag_ev_place_of(a, f).ok || !can_tell_items(fr) || !has_a_name(fr))
			continue;
		n = count_repeats(fr, NULL, scratch);
		if (!may_be_rule(&n) || (!is_rule(&n) && !has_item_key(fr, &n, scratch)))
			continue;
		h = ag_suspect(out, f, "array_content",
		               n.nrepeat <= SURE_TWICE * n.nplural ? AG_MEDIUM : AG_LOW, 0.75,
		               ag_ev_repeated_items(a, ag_ev_place_of(a, f).array));
		if (!h)
			continue;
		ag_suspect_fix(h);
		ag_suspect_say(
			h, "arrays hold the same item twice",
			"an append that was tried again, or a join that multiplied rows",
			"remove the copies, and use $addToSet or a key of the item at the writer");
	}
	return AG_OK;
}
