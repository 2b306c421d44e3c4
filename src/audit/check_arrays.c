/* check_arrays -- rows 37 and 38: arrays of an unusual size, and items that are nothing.
 *
 * Another length speaks up to a tenth of the arrays: beyond it arrays have any length. Empty arrays and items that are
 * nothing are listed at every share, above low while they are few. */
#include "audit/checks.h"

#define MIN_ARRAYS    50   /* for a usual length */
#define MIN_EMPTY     5    /* fewer arrays or items have no rule that one could break */
#define FEW_NEEDED    0.10 /* an order without items, however the field is used */
#define FEW_NOTHING   0.2  /* of the items: beyond it null is a place that is kept */
#define HARDLY_FILLED 0.999

/* Nearly every array has this many items; 0 = no such number. */
static double usual_size(const ag_array_profile *s)
{
	/* One item in nearly all is no rule: two would be as good. */
	return s->n >= MIN_ARRAYS && s->size.p05 == s->size.p95 && s->size.p50 >= 2 ? s->size.p50
	                                                                            : 0;
}

static ag_severity severity_of_empty(const ag_array_profile *s, bool is_needed)
{
	return is_needed && ag_share(s->nempty, s->n) <= FEW_NEEDED ? AG_MEDIUM : AG_LOW;
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
	ag_hypothesis *h;

	(void)p;
	(void)o;
	if (s->n < MIN_EMPTY || f->in_map)
		return;
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
	h = ag_suspect(out, f, "array_size", severity, 0.75, ag_ev_where(a, f, cond));
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
