/* check_mirror -- row 49: numbers that are the mirror image of all others.
 *
 * A lost or added minus sign leaves the size of a number as it was: the negative ones are as large as the positive ones,
 * and hardly any lies near zero. A balance or a temperature passes through zero, so that its negative numbers are small.
 * Likewise two numbers of one object of which one is never larger, such as a price and its list price: where a few are
 * the other way round, and as far from each other as all others are, they were exchanged. Spending that now and then
 * exceeds the income exceeds it by little.
 *
 * Two numbers that lie apart anyway, or have nothing to do with each other, keep no order that could be broken: with the
 * number of another row the order must fail more often.
 *
 * Speaks: minus signs in up to 25% of the numbers, exchanged numbers in up to 20% of the objects. Above low up to 5%. */
#include <math.h>
#include <stdlib.h>

#include "audit/checks.h"

#define MIN_ROWS     20
#define MANY_ROWS    100 /* that keep an order: fewer may do so by chance */
#define MAX_NEGATIVE 0.25
#define MAX_TURNED   0.2
#define FEW          0.05 /* above low up to here */
#define SAMPLE       1000 /* sizes that are compared */
#define NEAR_ZERO \
	0.03 /* of the middle: where a twentieth of the numbers is smaller, they pass through zero */
#define MAX_NUMBERS   24
#define MIN_VALUES    6    /* different numbers: fewer are a list */
#define SCREEN_ROWS   2000 /* that show whether two numbers keep an order */
#define BY_CHANCE     0.04 /* of the rows break the order with a number of another row, at least */
#define TIMES_RARER   4    /* than by chance */
#define MOST_SCREENED 0.25
#define MAX_PAIRS     40  /* that are counted on all rows */
#define MIN_DIFFERENT 0.5 /* of the rows: the two are not the same */

typedef struct number {
	const ag_frame_col *col;
	double *of; /* [nvalue + 1] by code; NAN = none */
	bool is_whole;
} number;

/* The spread of some sizes. */
typedef struct spread {
	double at[SAMPLE];
	size_t n;
	uint64_t seen;
} spread;

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void add(spread *s, double v)
{
	if (s->n < SAMPLE)
		s->at[s->n++] = v;
	else
		s->at[s->seen * 7919 % SAMPLE] = v;
	s->seen++;
}

static double part(const spread *s, double p)
{
	return s->at[(size_t)((double)(s->n - 1) * p)];
}

/* The few are as large as the many are. */
static bool is_mirrored(spread *few, spread *many)
{
	double off;

	qsort(few->at, few->n, sizeof(*few->at), by_size);
	qsort(many->at, many->n, sizeof(*many->at), by_size);
	if (few->n < 5)
		return part(few, 0) >= part(many, 0.1) && part(few, 1) <= part(many, 0.9);
	/* The middle of so few may lie so far from that of all. */
	off = 0.25 + 0.5 / sqrt((double)few->n);
	off = off < 0.45 ? off : 0.45;
	return part(few, 0.5) >= part(many, 0.5 - off) && part(few, 0.5) <= part(many, 0.5 + off) &&
	       part(few, 0.25) >= part(many, 0.05);
}

/* is_order: of two numbers in an order, else of a sign. */
static bool add_number(number *x, const ag_frame_col *c, bool is_order, ag_arena *arena)
{
	const ag_field_name name = ag_field_name_of(c->f->owner);
	uint64_t n = 0, whole = 0;

	if (c->nfilled < MIN_ROWS || name.traits & (AG_TRAIT_LAT | AG_TRAIT_LON) ||
	    (is_order ? c->nvalue < MIN_VALUES || ag_name_is_identifier(&name) ||
	                        name.last & (AG_TRAIT_KEY | AG_TRAIT_CODE | AG_TRAIT_YEAR |
	                                     AG_TRAIT_TIME)
	              : !c->f->num.nneg || name.traits & AG_TRAIT_SIGNED))
		return false;
	*x = (number){ .col = c, .of = ag_new_n(arena, double, (size_t)c->nvalue + 1) };
	x->of[0] = NAN;
	for (uint32_t i = 0; i < c->nvalue; i++) {
		const bool is_number = ag_type_is_number(c->values[i].type);
		const double v = is_number ? ag_val_number(&c->values[i]) : NAN;

		x->of[i + 1] = isfinite(v) ? v : NAN;
		n += isfinite(v) ? c->count[i] : 0;
		whole += isfinite(v) && v == trunc(v) ? c->count[i] : 0;
	}
	x->is_whole = whole == n;
	return n * 2 > c->nfilled;
}

/* ---- a minus sign ---- */

#define MAX_LIST   40
#define LISTED     0.9 /* of the negative numbers are in the list without their sign */
#define MIN_LISTED 2   /* positive numbers of a list; "-1, 0, 1" may be three answers */

static double share_listed(const number *a, uint32_t *ret_positive)
{
	const ag_frame_col *c = a->col;
	uint64_t n = 0, listed = 0;

	*ret_positive = 0;
	for (uint32_t i = 0; i < c->nvalue; i++) {
		bool is_twin = false;

		*ret_positive += a->of[i + 1] > 0;
		if (!(a->of[i + 1] < 0))
			continue;
		for (uint32_t k = 0; k < c->nvalue && !is_twin; k++)
			is_twin = a->of[k + 1] == -a->of[i + 1];
		n += c->count[i];
		listed += is_twin ? c->count[i] : 0;
	}
	return ag_share(listed, n);
}

/* Some kind of document is negative by nature: another field of few values says so. */
static bool is_of_a_kind(const ag_frame *fr, const number *x, ag_arena *arena)
{
	uint8_t *mark = ag_new_n(arena, uint8_t, fr->nrow + 1);

	for (uint32_t row = 0; row < fr->nrow; row++) {
		const double v = x->of[x->col->code[row]];

		mark[row] = v < 0 ? AG_ROW_ODD : v > 0 ? AG_ROW_USUAL : AG_ROW_NONE;
	}
	return ag_frame_tells_odd(fr, x->col, mark);
}

static void check_sign(const ag_across *x, const ag_frame *fr, const number *a, ag_hypotheses *out)
{
	const ag_field_name name = ag_field_name_of(a->col->f->owner);
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	spread *few = ag_new(arena, spread), *many = ag_new(arena, spread);
	const bool is_money = name.traits & AG_TRAIT_MONEY || !a->is_whole;
	bool is_list = false;
	uint32_t positive = MIN_LISTED;
	ag_hypothesis *h;
	double share;

	for (uint32_t row = 0; row < fr->nrow; row++) {
		const double v = a->of[a->col->code[row]];

		if (v < 0)
			add(few, -v);
		else if (v > 0)
			add(many, v);
	}
	share = ag_share(few->seen, few->seen + many->seen);
	if (!few->n || many->seen < MIN_ROWS || share > MAX_NEGATIVE ||
	    is_of_a_kind(fr, a, arena) || ag_profile_has_refunds(x->p))
		return;
	if (a->col->nvalue < MAX_LIST && a->is_whole) {
		is_list = share_listed(a, &positive) >= LISTED;
		if (positive < MIN_LISTED)
			return;
	}
	if (!is_list && (!is_mirrored(few, many) || part(many, 0.05) < NEAR_ZERO * part(many, 0.5)))
		return;
	h = ag_suspect(out, a->col->f, "impossible_range",
	               share > FEW || is_money || few->seen < 2 || a->col->nvalue < MIN_VALUES
	                       ? AG_LOW
	                       : AG_MEDIUM,
	               0.6,
	               ag_ev_where(out->arena, a->col->f,
	                           OBJ(out->arena, KV("$type", ag_ev_text("number")),
	                               KV("$lt", ag_val_int(0)))));
	if (!h)
		return;
	ag_suspect_fix(h);
	h->max_share = MAX_NEGATIVE + 0.05;
	h->is_minus = true;
	ag_suspect_say(h, "numbers with a minus sign are as large as all others without",
	               "a sign that was added by mistake, or a booking that takes another one back",
	               "take the sign away, or say in another field what is taken back");
}

/* ---- two numbers in the order of the other ---- */

typedef struct pair {
	const number *low, *high;
	uint64_t rows, turned,
		chance; /* both positive and different; of them turned; with another row */
	uint64_t both;
} pair;

static void count_pair(const ag_frame *fr, pair *p, uint32_t step, spread *few, spread *many)
{
	const uint32_t shift = fr->nrow / 3 + 1;

	for (uint32_t row = 0; row < fr->nrow; row += step) {
		const double a = p->low->of[p->low->col->code[row]],
			     b = p->high->of[p->high->col->code[row]],
			     c = p->high->of[p->high->col->code[(row + shift) % fr->nrow]];

		if (!(a > 0) || !(b > 0))
			continue;
		p->both++;
		p->chance += c > 0 && a > c;
		if (a == b)
			continue;
		p->rows++;
		p->turned += a > b;
		if (few)
			add(a > b ? few : many, fabs(log(a / b)));
	}
}

static bool may_keep_order(const pair *p, double most)
{
	return p->rows >= MIN_ROWS && (double)p->rows >= MIN_DIFFERENT * (double)p->both &&
	       (double)p->turned <= most * (double)p->rows &&
	       (double)p->chance >= BY_CHANCE * (double)p->both;
}

static bool are_of_one(const ag_frame *fr, const pair *p, ag_arena *arena)
{
	uint8_t *mark = ag_new_n(arena, uint8_t, fr->nrow + 1);

	for (uint32_t row = 0; row < fr->nrow; row++) {
		const double a = p->low->of[p->low->col->code[row]],
			     b = p->high->of[p->high->col->code[row]];

		mark[row] = a > 0 && b > 0 && a > b ? AG_ROW_ODD : AG_ROW_NONE;
	}
	return ag_frame_odd_is_of_one(fr, p->low->col, p->high->col, mark);
}

static void suspect_turned(const pair *p, bool is_of_one, ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	const ag_path_profile *f = p->low->col->f, *g = p->high->col->f;
	const ag_str x = ag_str_printf(a, "$%.*s", AG_FMT(ag_ev_key(a, f))),
		     y = ag_str_printf(a, "$%.*s", AG_FMT(ag_ev_key(a, g)));
	ag_val filter;
	ag_hypothesis *h;

	if (!ag_path_is_plain(a, f) || !ag_path_is_plain(a, g))
		return;
	filter = OBJ(a,
	             KV("$expr",
	                OBJ(a, KV("$and",
	                          ARR(a, OBJ(a, KV("$isNumber", ag_val_str(x))),
	                              OBJ(a, KV("$isNumber", ag_val_str(y))),
	                              OBJ(a, KV("$gt", ARR(a, ag_val_str(y), ag_val_int(0)))),
	                              OBJ(a, KV("$gt", ARR(a, ag_val_str(x), ag_val_str(y)))))))));
	h = ag_suspect(out, f, "swapped_values",
	               !is_of_one && ag_names_of_one_kind(f, g) && p->rows >= MANY_ROWS &&
	                               (double)p->turned <= FEW * (double)p->rows
	                       ? AG_MEDIUM
	                       : AG_LOW,
	               0.7, ag_ev_str(a, &filter));
	if (!h)
		return;
	ag_suspect_fix(h);
	h->max_share = MAX_TURNED;
	ag_suspect_say(h, "",
	               "two columns in another order in one source, or a form filled in wrongly",
	               "exchange the two values where the source shows that they belong so");
	h->what = ag_str_printf(a,
	                        "the value is larger than %.*s, and everywhere else it is smaller",
	                        AG_FMT(g->path));
}

static void check_pair(const ag_frame *fr, const number *a, const number *b, uint32_t *nfull,
                       ag_hypotheses *out)
{
	const uint32_t step = fr->nrow / SCREEN_ROWS + 1;
	AG_AUTO(ag_arena_freep) ag_arena *arena = NULL;
	pair p = { .low = a, .high = b };
	spread *few, *many;

	count_pair(fr, &p, step, NULL, NULL);
	if (!may_keep_order(&p, MOST_SCREENED) || ++*nfull > MAX_PAIRS)
		return;
	arena = ag_arena_new();
	few = ag_new(arena, spread);
	many = ag_new(arena, spread);
	p = (pair){ .low = a, .high = b };
	count_pair(fr, &p, 1, few, many);
	if (!p.turned || !may_keep_order(&p, MAX_TURNED) ||
	    (double)p.turned * TIMES_RARER >
	            (double)p.chance * 1.0 * (double)p.rows / (double)p.both ||
	    !is_mirrored(few, many))
		return;
	suspect_turned(&p, are_of_one(fr, &p, arena), out);
}

ag_status ag_check_mirror(AG_ACROSS_ARGS)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const ag_frame *fr = x->frames->n ? &x->frames->items[0] : NULL;
	number *items;
	size_t n = 0;
	uint32_t nfull = 0;
	ag_status st = AG_OK;

	if (!fr || fr->path.len)
		return AG_OK;
	items = ag_new_n(arena, number, MAX_NUMBERS);
	for (size_t k = 0; !st && k < x->frames->n; k++) {
		st = ag_ctx_check(x->ctx, err);
		for (size_t c = 0; c < x->frames->items[k].ncol; c++)
			if (add_number(items, &x->frames->items[k].cols[c], false, arena))
				check_sign(x, &x->frames->items[k], items, out);
	}
	for (size_t c = 0; c < fr->ncol && n < MAX_NUMBERS; c++)
		n += add_number(&items[n], &fr->cols[c], true, arena);
	for (size_t i = 0; !st && i < n; i++) {
		st = ag_ctx_check(x->ctx, err);
		for (size_t k = 0; k < n; k++)
			if (i != k)
				check_pair(fr, &items[i], &items[k], &nfull, out);
	}
	return st;
}
