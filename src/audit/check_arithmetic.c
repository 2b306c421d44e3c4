/* check_arithmetic -- row 29: a number that is not the sum, the difference or the product of two others.
 *
 * All relations a = b + c (a difference is one, too) and a = b x c between the numbers of a frame are tried on some
 * rows, and what holds there is counted on all. A relation says something only where its terms are no zeros, where a
 * product has no factor 1, and where it does not hold between the numbers of different rows.
 *
 * Where a term is itself the result of another relation, that relation must hold: else the term is wrong. */
#include "audit/checks.h"

#include <math.h>

#define MAX_NUMBERS  32
#define MAX_FOUND    24
#define MIN_TELLING  10  /* rows that can speak for a relation */
#define SAMPLE       200 /* telling rows of the first look */
#define MIN_HOLDS    0.8
#define MIN_EXACT    0.55 /* with at least MANY_VALUES different results */
#define MANY_VALUES  20
#define MAX_CHANCE   0.05 /* of rows where the relation holds with the terms of other rows */
#define MAX_DECIMALS 6

typedef struct number {
	const ag_frame_col *col;
	double *of; /* [nvalue + 1] by code, NAN = no number */
	int decimals;
} number;

typedef struct relation {
	uint32_t a, b, c; /* a = b + c, or b x c */
	bool is_product;
	double tolerance, holds;
	uint64_t odd;
	bool is_doubtful; /* few rows speak for it, and it is broken in these only */
} relation;

typedef struct search {
	const ag_frame *fr;
	number *items;
	uint32_t n;
	relation *found;
	size_t nfound;
} search;

static int decimals_of(double v)
{
	double scale = 1;

	for (int i = 0; i < MAX_DECIMALS; i++, scale *= 10)
		if (fabs(v * scale - round(v * scale)) < 1e-6)
			return i;
	return MAX_DECIMALS;
}

/* Numbers with a meaning of their own: no identifiers, no codes, no years. */
static bool add_number(search *s, const ag_frame_col *col, ag_arena *arena)
{
	const ag_field_name name = ag_field_name_of(col->f->owner);
	uint32_t at[MAX_DECIMALS + 1] = { 0 }, rows = 0, seen = 0;
	number *x = &s->items[s->n];

	if (s->n == MAX_NUMBERS || col->nvalue < 3 || col->nfilled < MIN_TELLING ||
	    ag_name_is_identifier(&name) ||
	    name.last & (AG_TRAIT_KEY | AG_TRAIT_CODE | AG_TRAIT_YEAR))
		return false;
	*x = (number){ col, ag_new_n(arena, double, (size_t)col->nvalue + 1), 0 };
	x->of[0] = NAN;
	for (uint32_t i = 0; i < col->nvalue; i++) {
		const double v = ag_val_number(&col->values[i]);

		x->of[i + 1] = isfinite(v) && fabs(v) < 1e12 ? v : NAN;
		if (isnan(x->of[i + 1]))
			continue;
		rows += col->count[i];
		at[decimals_of(v)] += col->count[i];
	}
	while (x->decimals < MAX_DECIMALS && (seen += at[x->decimals]) * 20ull < rows * 19ull)
		x->decimals++;
	s->n += rows * 10ull >= col->nfilled * 9ull;
	return true;
}

static double value_at(const search *s, uint32_t which, uint32_t row)
{
	return s->items[which].of[s->items[which].col->code[row]];
}

static bool is_broken(const relation *r, double a, double b, double c)
{
	return fabs(a - (r->is_product ? b * c : b + c)) > r->tolerance;
}

static bool is_telling(const relation *r, double a, double b, double c)
{
	if (isnan(a) || isnan(b) || isnan(c) || b == 0 || c == 0)
		return false;
	return r->is_product ? b != 1 && c != 1
	                     : fabs(b) > 4 * r->tolerance && fabs(c) > 4 * r->tolerance && a != 0;
}

/* Counts on every step-th row; false: it does not hold. */
static bool holds(const search *s, relation *r, uint32_t step)
{
	const uint32_t nrow = s->fr->nrow, shift = nrow / 3 + 1;
	uint64_t rows = 0, odd = 0, lucky_b = 0, lucky_c = 0, others = 0, others_odd = 0;

	for (uint32_t i = 0; i < nrow; i += step) {
		const double a = value_at(s, r->a, i), b = value_at(s, r->b, i),
			     c = value_at(s, r->c, i);

		if (!is_telling(r, a, b, c)) {
			others += !isnan(a + b + c);
			others_odd += !isnan(a + b + c) && is_broken(r, a, b, c);
			continue;
		}
		rows++;
		odd += is_broken(r, a, b, c);
		lucky_b += !is_broken(r, a, value_at(s, r->b, (i + shift) % nrow), c);
		lucky_c += !is_broken(r, a, b, value_at(s, r->c, (i + shift) % nrow));
		if (rows >= 12 && odd * 10 > rows * 6)
			return false;
	}
	if (rows < MIN_TELLING)
		return false;
	r->odd = odd;
	/* A sign that was lost in some documents makes a sum of what is a difference. */
	r->is_doubtful = rows * 3 < others && others_odd * rows * 4 < odd * others;
	r->holds = 1 - (double)odd / (double)rows;
	/* Both terms must matter. One that is the same in most rows, as a tax rate is, cannot be told from a constant; one of
	 * few values, as a number of nights is, can. */
	if ((double)(lucky_b < lucky_c ? lucky_b : lucky_c) > MAX_CHANCE * (double)rows ||
	    (double)(lucky_b > lucky_c ? lucky_b : lucky_c) > MAX_CHANCE * 8 * (double)rows)
		return false;
	return r->holds >= (s->items[r->a].col->nvalue >= MANY_VALUES ? MIN_EXACT : MIN_HOLDS);
}

static double tolerance_of(const search *s, const relation *r)
{
	const int a = s->items[r->a].decimals, b = s->items[r->b].decimals,
		  c = s->items[r->c].decimals;
	int most = a > b ? a : b;

	if (r->is_product)
		return (a >= b + c ? 1e-6 : 1.01) * pow(10, -a);
	most = most > c ? most : c;
	return (most ? 1.51 : 0.01) * pow(10, -most);
}

/* The same three columns are one relation: the one that holds more often, the first of equals. */
static void keep(search *s, const relation *r)
{
	const uint64_t set = 1ull << r->a | 1ull << r->b | 1ull << r->c;

	for (size_t i = 0; i < s->nfound; i++) {
		relation *old = &s->found[i];

		if ((1ull << old->a | 1ull << old->b | 1ull << old->c) != set)
			continue;
		if (r->holds > old->holds)
			*old = *r;
		return;
	}
	if (s->nfound < MAX_FOUND)
		s->found[s->nfound++] = *r;
}

static void try_relation(search *s, uint32_t a, uint32_t b, uint32_t c, bool is_product)
{
	const uint32_t step = s->fr->nrow / SAMPLE + 1;
	relation r = { .a = a, .b = b, .c = c, .is_product = is_product };

	r.tolerance = tolerance_of(s, &r);
	if ((step == 1 || holds(s, &r, step)) && holds(s, &r, 1))
		keep(s, &r);
}

/* ---- the hypotheses ---- */

static ag_val ref(ag_arena *a, const number *x)
{
	return ag_val_str(ag_str_printf(a, "$%.*s", AG_FMT(ag_ev_key(a, x->col->f))));
}

/* {"$gt": [{"$abs": {"$subtract": [a, b + c]}}, tolerance]} */
static ag_val compare(const search *s, ag_arena *a, const relation *r, const char *op)
{
	const ag_val left = ref(a, &s->items[r->a]),
		     terms = ARR(a, ref(a, &s->items[r->b]), ref(a, &s->items[r->c]));
	const ag_val right = OBJ(a, KV(r->is_product ? "$multiply" : "$add", terms));
	const ag_val off = OBJ(a, KV("$subtract", ARR(a, left, right)));
	const ag_val size = OBJ(a, KV("$abs", off));

	return OBJ(a, KV(op, ARR(a, size, ag_val_double(r->tolerance))));
}

static void suspect(const search *s, const relation *r, ag_hypotheses *out)
{
	const uint32_t of[] = { r->a, r->b, r->c };
	const number *x = s->items;
	ag_arena *a = out->arena;
	ag_val all[2 * AG_NELEM(of) + MAX_FOUND * AG_NELEM(of)], filter;
	size_t n = 0;
	ag_hypothesis *h;

	for (size_t i = 0; i < AG_NELEM(of); i++) {
		if (!ag_path_is_plain(a, x[of[i]].col->f))
			return;
		all[n++] = OBJ(a, KV("$isNumber", ref(a, &x[of[i]])));
	}
	all[n++] = compare(s, a, r, "$gt");
	for (size_t i = 0; i < s->nfound; i++) {
		const relation *q = &s->found[i];
		const ag_val numbers = OBJ(a, KV("$and",
		                                 ARR(a, OBJ(a, KV("$isNumber", ref(a, &x[q->b]))),
		                                     OBJ(a, KV("$isNumber", ref(a, &x[q->c]))))));

		if (q->a != r->a && (q->a == r->b || q->a == r->c))
			all[n++] = OBJ(a, KV("$or", ARR(a, OBJ(a, KV("$not", ARR(a, numbers))),
			                                compare(s, a, q, "$lte"))));
	}
	filter = OBJ(a, KV("$expr", OBJ(a, KV("$and", ag_ev_arr(a, all, n)))));
	h = ag_suspect(out, x[r->a].col->f, "arithmetic", r->is_doubtful ? AG_LOW : AG_MEDIUM,
	               r->holds > 0.9 ? 0.9 : 0.8, ag_ev_str(a, &filter));
	if (!h)
		return;
	h->max_share = 0.5;
	if (r->is_doubtful)
		ag_suspect_fix(h);
	ag_suspect_say(h, "", "one of the numbers was changed, and the others were not",
	               "compute the number from the others, or find out which of them is wrong");
	h->what = ag_str_printf(a, "the value is not %.*s %s %.*s, as in nearly all documents",
	                        AG_FMT(x[r->b].col->f->path), r->is_product ? "x" : "+",
	                        AG_FMT(x[r->c].col->f->path));
	if (r->holds < 0.9)
		h->what = ag_str_printf(a, "the value is not %.*s %s %.*s, as in most documents",
		                        AG_FMT(x[r->b].col->f->path), r->is_product ? "x" : "+",
		                        AG_FMT(x[r->c].col->f->path));
}

ag_status ag_check_arithmetic(AG_ACROSS_ARGS)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	search s = { 0 };
	ag_status st = AG_OK;

	if (!x->frames->n || x->frames->items[0].path.len)
		return AG_OK;
	s.fr = &x->frames->items[0];
	s.items = ag_new_n(arena, number, MAX_NUMBERS + 1);
	s.found = ag_new_n(arena, relation, MAX_FOUND);
	for (size_t i = 0; i < s.fr->ncol; i++)
		(void)add_number(&s, &s.fr->cols[i], arena);
	for (uint32_t a = 0; !st && a < s.n; a++) {
		st = ag_ctx_check(x->ctx, err);
		for (uint32_t b = 0; b < s.n; b++)
			for (uint32_t c = b + 1; c < s.n; c++) {
				if (a == b || a == c)
					continue;
				try_relation(&s, a, b, c, false);
				try_relation(&s, a, b, c, true);
			}
	}
	for (size_t i = 0; !st && i < s.nfound; i++)
		if (s.found[i].odd)
			suspect(&s, &s.found[i], out);
	return st;
}
