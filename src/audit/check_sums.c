/* check_sums -- row 29: sums of three to six terms, such as total = net + tax - discount, and totals over the items of an
 * array.
 *
 * All sets of numbers of one object, with all signs, are tried on a few rows, and what holds there is counted on all. A
 * set says something only where each of its terms matters: the relation holds in rows where the term is not 0, and does
 * not hold there with the term of another row. What follows from shorter relations is left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/sums.h"

#define POOL             14 /* numbers of one object that are tried together */
#define MAX_SET          (AG_SUM_TERMS + 1)
#define PROBES           8 /* rows of the first look */
#define PROBE_HITS       2
#define LOOK_ROWS        2000 /* among which they are chosen */
#define MIN_ROWS         11
#define MIN_TERM         5    /* rows that speak for one term */
#define MIN_MANY         3    /* rows that speak for a total over items */
#define GAP_HOLDS        0.8  /* of the rows where a missing term counts as 0 */
#define SAMPLE           4000 /* rows of the second look */
#define MAX_FULL         200  /* sets of one object that are counted on all rows */
#define MAX_ITEM_NUMBERS 4
#define SHADOW_HOLDS \
	0.8 /* of the rows: a relation that holds more often is no shadow of another one */
#define EXPLAINED 0.8 /* of the exceptions of a short relation */

typedef struct pool {
	ag_sums *s;
	uint32_t of[POOL], n; /* numbers */
	int by_name[POOL];    /* how much the name says "sum"; 0 = nothing, -1 = no field */
	double probe[POOL][PROBES];
	uint32_t nprobe;
	double known[AG_SUM_FOUND][AG_SUM_NUMBERS]; /* relations as reduced rows */
	uint32_t lead[AG_SUM_FOUND], nknown, nfull;
	const ag_ctx *ctx;
	ag_err *err;
	ag_status st;
} pool;

typedef struct set {
	uint32_t at[MAX_SET], n; /* in the pool */
	int sign[MAX_SET];
	double sum[PROBES];
	double tolerance;
} set;

static bool is_zero(double v, double tolerance)
{
	return fabs(v) <= tolerance;
}

/* ---- totals over items ---- */

static bool is_top_array(const ag_frame *fr)
{
	size_t n = 0;

	for (size_t i = 0; i + 1 < fr->path.len; i++)
		n += fr->path.ptr[i] == '[' && fr->path.ptr[i + 1] == ']';
	return n == 1 && fr->step == 1 && fr->doc;
}

/* b: UINT32_MAX = a alone. Does nothing where there is no room left. */
static void add_total(ag_sums *s, const ag_sums *items, uint32_t a, uint32_t b, uint32_t *io_n,
                      ag_arena *arena)
{
	const uint32_t nrow = s->fr->nrow;
	const bool is_product = b != UINT32_MAX;
	ag_number *x = &s->items[s->n];
	double *total, *of_a, *of_b;
	uint32_t *seen;
	bool *tells;
	const int decimals = items->items[a].decimals + (is_product ? items->items[b].decimals : 0);

	if (*io_n == AG_SUM_TOTALS || s->n == AG_SUM_NUMBERS)
		return;
	++*io_n;
	total = ag_new_n(arena, double, nrow + 1);
	of_a = ag_new_n(arena, double, nrow + 1);
	of_b = ag_new_n(arena, double, nrow + 1);
	seen = ag_new_n(arena, uint32_t, nrow + 1);
	tells = ag_new_n(arena, bool, nrow + 1);
	for (uint32_t r = 0; r < items->fr->nrow; r++) {
		const uint32_t doc = items->fr->doc[r];
		const double v = ag_sums_value(items, a, r),
			     w = is_product ? ag_sums_value(items, b, r) : 1;

		if (doc >= nrow)
			return;
		total[doc] += v * w;
		of_a[doc] += v;
		of_b[doc] += w;
		seen[doc]++;
	}
	for (uint32_t i = 0; i < nrow; i++) {
		tells[i] = is_product ? total[i] != of_a[i] && total[i] != of_b[i] : seen[i] > 1;
		if (!seen[i])
			total[i] = NAN;
	}
	*x = (ag_number){ .total = total, .tells = tells, .decimals = decimals > 4 ? 4 : decimals };
	x->item[0] = items->items[a].col->f;
	x->item[1] = is_product ? items->items[b].col->f : NULL;
	s->n++;
}

void ag_sums_add_totals(ag_sums *s, const ag_across *x, ag_arena *arena)
{
	uint32_t ntotal = 0;

	if (s->fr->step != 1 || s->fr->doc)
		return;
	for (size_t k = 1; k < x->frames->n; k++) {
		ag_sums items = { .fr = &x->frames->items[k] };

		if (!is_top_array(items.fr))
			continue;
		items.items = ag_new_n(arena, ag_number, AG_SUM_NUMBERS + 1);
		for (size_t i = 0; i < items.fr->ncol && items.n < MAX_ITEM_NUMBERS; i++)
			(void)ag_sums_add_number(&items, &items.fr->cols[i], arena);
		/* Each number alone first: the room is limited, and a sum of amounts is surer than one of products. */
		for (uint32_t a = 0; a < items.n; a++)
			add_total(s, &items, a, UINT32_MAX, &ntotal, arena);
		for (uint32_t a = 0; a < items.n; a++)
			for (uint32_t b = a + 1; b < items.n; b++)
				add_total(s, &items, a, b, &ntotal, arena);
	}
}

/* ---- one set on all rows ---- */

static double term_at(const ag_sums *s, const ag_relation *r, uint32_t i, uint32_t row)
{
	const ag_number *x = &s->items[r->term[i]];

	if (r->zero >> i & 1 && x->col && !x->col->code[row])
		return 0;
	return ag_sums_value(s, r->term[i], row);
}

typedef struct tally {
	uint64_t rows, odd;
	uint64_t tells[AG_SUM_TERMS], right[AG_SUM_TERMS], lucky[AG_SUM_TERMS]; /* of each term */
	uint64_t gaps[AG_SUM_TERMS], gaps_right[AG_SUM_TERMS];
	uint64_t of_items, of_items_right; /* rows whose total over items tells */
} tally;

static void count_row(const ag_sums *s, const ag_relation *r, uint32_t row, uint32_t other,
                      tally *t)
{
	const double a = ag_sums_value(s, r->a, row);
	double v[AG_SUM_TERMS], off = a;
	bool is_right;

	for (uint32_t i = 0; i < r->nterm; i++) {
		v[i] = term_at(s, r, i, row);
		off -= r->sign[i] * v[i];
	}
	if (isnan(off) || is_zero(a, r->tolerance))
		return;
	/* A refund has the other sign. */
	is_right = is_zero(off, r->tolerance) ||
	           (r->nterm == 1 && is_zero(fabs(a) - fabs(v[0]), r->tolerance));
	t->rows++;
	t->odd += !is_right;
	for (uint32_t i = 0; i < r->nterm; i++) {
		const ag_number *x = &s->items[r->term[i]];

		t->of_items += x->tells && x->tells[row];
		t->of_items_right += x->tells && x->tells[row] && is_right;
	}
	for (uint32_t i = 0; i < r->nterm; i++) {
		const double strange = term_at(s, r, i, other);
		const ag_number *x = &s->items[r->term[i]];

		if (x->col && !x->col->code[row]) {
			t->gaps[i]++;
			t->gaps_right[i] += is_right;
		}
		if (is_zero(v[i], 4 * r->tolerance))
			continue;
		t->tells[i]++;
		t->right[i] += is_right;
		t->lucky[i] += is_zero(off + r->sign[i] * (v[i] - strange), r->tolerance);
	}
}

/* is_sample: a term that is rarely more than 0 may not have spoken yet. */
static bool matters(const ag_sums *s, const ag_relation *r, const tally *t, bool is_sample)
{
	const ag_number *a = &s->items[r->a];
	const uint32_t nvalue = a->col ? a->col->nvalue : AG_SUM_MANY;
	const double enough = nvalue >= AG_SUM_MANY ? AG_SUM_EXACT : AG_SUM_HOLDS;
	uint32_t nvague = 0;

	if (t->rows < AG_SUM_TELLING || (double)(t->rows - t->odd) < enough * (double)t->rows ||
	    nvalue * 2ull < (t->rows < 40 ? t->rows : 10))
		return false;
	/* A field that repeats the only item is no total of items, and with a quantity of 1 the price is the sum. */
	for (uint32_t i = 0; i < r->nterm && !is_sample; i++)
		if (!s->items[r->term[i]].col &&
		    (t->of_items < MIN_MANY ||
		     (double)t->of_items_right < enough * (double)t->of_items))
			return false;
	for (uint32_t i = 0; i < r->nterm; i++) {
		const double tells = (double)t->tells[i];

		if (is_sample && t->tells[i] < MIN_TERM)
			continue;
		if (t->tells[i] < MIN_TERM || (double)t->right[i] < enough * tells ||
		    (double)t->lucky[i] > 8 * AG_SUM_CHANCE * tells)
			return false;
		/* One that has no exception accuses nothing, and shows what is only its shadow. */
		nvague += t->odd && (double)t->lucky[i] > AG_SUM_CHANCE * tells;
	}
	return nvague * 2 < r->nterm;
}

/* A missing term is 0 only where the sum then holds. */
static bool settle_gaps(ag_relation *r, const tally *t)
{
	bool changed = false;

	for (uint32_t i = 0; i < r->nterm; i++)
		if (r->zero >> i & 1 && (double)t->gaps_right[i] < GAP_HOLDS * (double)t->gaps[i]) {
			r->zero &= ~(1u << i);
			changed = true;
		}
	return changed;
}

/* Counts on every step-th row. */
static bool holds_long(const ag_sums *s, ag_relation *r, uint32_t step)
{
	const uint32_t nrow = s->fr->nrow, shift = nrow / 3 + 1;

	for (;;) {
		tally t = { 0 };

		for (uint32_t row = 0; row < nrow; row += step) {
			count_row(s, r, row, (row + shift) % nrow, &t);
			if (t.rows >= 40 && t.odd * 10 > t.rows * 7)
				return false;
		}
		if (settle_gaps(r, &t))
			continue;
		r->odd = t.odd;
		r->holds = t.rows ? 1 - (double)t.odd / (double)t.rows : 0;
		return matters(s, r, &t, step > 1);
	}
}

static bool is_relation(pool *p, ag_relation *r)
{
	const uint32_t step = p->s->fr->nrow / SAMPLE + 1;

	for (uint32_t i = 0; i < r->nterm; i++)
		r->zero |= p->s->items[r->term[i]].has_gaps ? 1u << i : 0;
	if (step > 1 && !holds_long(p->s, r, step))
		return false;
	return p->nfull++ < MAX_FULL && holds_long(p->s, r, 1);
}

/* ---- what is known ---- */

/* The relation as a row, without what the known ones say; false: nothing is left. */
static bool reduce(const pool *p, const ag_relation *r, double row[AG_SUM_NUMBERS])
{
	memset(row, 0, AG_SUM_NUMBERS * sizeof(*row));
	row[r->a] = 1;
	for (uint32_t i = 0; i < r->nterm; i++)
		row[r->term[i]] -= r->sign[i];
	for (uint32_t k = 0; k < p->nknown; k++) {
		const double by = row[p->lead[k]] / p->known[k][p->lead[k]];

		for (uint32_t i = 0; i < AG_SUM_NUMBERS; i++)
			row[i] -= by * p->known[k][i];
	}
	for (uint32_t i = 0; i < AG_SUM_NUMBERS; i++)
		if (fabs(row[i]) > 1e-9)
			return true;
	return false;
}

static void learn(pool *p, const ag_relation *r)
{
	double row[AG_SUM_NUMBERS];

	if (p->nknown == AG_SUM_FOUND || r->is_product || !reduce(p, r, row))
		return;
	for (uint32_t i = AG_SUM_NUMBERS; i-- > 0;)
		if (fabs(row[i]) > 1e-9)
			p->lead[p->nknown] = i;
	memcpy(p->known[p->nknown++], row, sizeof(row));
}

/* ---- which one is the sum ---- */

/* Once for each number of the pool: a collection with many of them has millions of sets. */
static int rank_by_name(const ag_number *x)
{
	static const char *const words[] = { "total",   "sum",   "overall", "grand",   "due",
		                             "payable", "gross", "balance", "closing", "after",
		                             "end",     "net",   "amount",  "subtotal" };
	ag_field_name n;

	if (!x->col)
		return -1;
	n = ag_field_name_of(x->col->f->owner);
	for (size_t i = 0; i < AG_NELEM(words); i++)
		if (ag_field_has_word(&n, words[i]))
			return 100 - (int)i;
	return 0;
}

/* Write the set as a sum; false: none of its numbers is a field. */
static bool relation_of(const pool *p, const set *g, ag_relation *r)
{
	uint32_t best = 0;
	int best_rank = -1;

	*r = (ag_relation){ .tolerance = g->tolerance };
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t nsame = 0;
		int rank;

		for (uint32_t k = 0; k < g->n; k++)
			nsame += g->sign[k] == g->sign[i];
		rank = p->by_name[g->at[i]];
		if (!rank)
			rank = (nsame == 1 ? 10 : 0) + (g->sign[i] > 0);
		if (rank > best_rank) {
			best_rank = rank;
			best = i;
		}
	}
	r->a = p->of[g->at[best]];
	for (uint32_t i = 0; i < g->n; i++) {
		if (i == best)
			continue;
		r->term[r->nterm] = p->of[g->at[i]];
		r->sign[r->nterm++] = g->sign[i] == g->sign[best] ? -1 : 1;
	}
	return best_rank >= 0;
}

static void try_set(pool *p, const set *g)
{
	ag_relation r;
	double row[AG_SUM_NUMBERS];
	uint32_t hits = 0, ntotal = 0;

	for (uint32_t i = 0; i < p->nprobe; i++)
		hits += fabs(g->sum[i]) <= g->tolerance;
	for (uint32_t i = 0; i < g->n; i++)
		ntotal += !p->s->items[p->of[g->at[i]]].col;
	if (g->n == 2 && g->sign[0] == g->sign[1])
		return;
	if (hits < PROBE_HITS || ntotal > 1 || (g->n < 4 && !ntotal) ||
	    p->s->nfound == AG_SUM_FOUND || !relation_of(p, g, &r) || !reduce(p, &r, row) ||
	    !is_relation(p, &r))
		return;
	p->s->found[p->s->nfound++] = r;
	learn(p, &r);
}

/* ---- all sets ---- */

static void extend(pool *p, const set *g, uint32_t from, uint32_t size)
{
	for (uint32_t k = from; k < p->n && !p->st; k++)
		for (int sign = 1; sign >= (g->n ? -1 : 1); sign -= 2) {
			const int decimals = p->s->items[p->of[k]].decimals;
			const double own = (decimals ? 1.51 : 0.01) * pow(10, -decimals);
			set next = *g;

			next.at[next.n] = k;
			next.sign[next.n++] = sign;
			/* The coarsest number decides what a sum can show. */
			next.tolerance = next.tolerance > own && g->n ? next.tolerance : own;
			for (uint32_t i = 0; i < p->nprobe; i++)
				next.sum[i] += sign * p->probe[k][i];
			if (next.n == size)
				try_set(p, &next);
			else
				extend(p, &next, k + 1, size);
		}
	if (g->n == 1 && !p->st)
		p->st = ag_ctx_check(p->ctx, p->err);
}

/* The rows in which most numbers are not 0, far from each other. */
static void choose_probes(pool *p)
{
	const ag_sums *s = p->s;
	const uint32_t nrow = s->fr->nrow;

	for (uint32_t part = 0; part < PROBES; part++) {
		const uint32_t from = (uint32_t)((uint64_t)nrow * part / PROBES),
			       to = (uint32_t)((uint64_t)nrow * (part + 1) / PROBES);
		const uint32_t step = (to - from) / (LOOK_ROWS / PROBES) + 1;
		uint32_t best = from, most = 0;

		for (uint32_t r = from; r < to; r += step) {
			uint32_t n = 0;

			for (uint32_t k = 0; k < p->n; k++) {
				const double v = ag_sums_value(s, p->of[k], r);

				n += !isnan(v) && v != 0;
			}
			if (n > most) {
				most = n;
				best = r;
			}
		}
		if (!most)
			continue;
		for (uint32_t k = 0; k < p->n; k++) {
			const double v = ag_sums_value(s, p->of[k], best);
			const ag_number *x = &s->items[p->of[k]];

			p->probe[k][p->nprobe] = x->has_gaps && x->col && !x->col->code[best] ? 0
			                                                                      : v;
		}
		p->nprobe++;
	}
}

static ag_str object_of(const ag_number *x)
{
	const ag_str path = x->col ? x->col->f->path : AG_S("");
	size_t n = path.len;

	while (n && path.ptr[n - 1] != '.')
		n--;
	return ag_str_make(path.ptr, n);
}

/* The numbers of one object, money first, and the totals over items. */
static void fill_pool(pool *p, ag_str object)
{
	const ag_sums *s = p->s;

	for (int turn = 0; turn < 3; turn++)
		for (uint32_t i = 0; i < s->n && p->n < POOL; i++) {
			const ag_number *x = &s->items[i];
			ag_field_name n;

			if (!x->col) {
				if (turn == 1)
					p->of[p->n++] = i;
				continue;
			}
			n = ag_field_name_of(x->col->f->owner);
			if (turn == (n.traits & AG_TRAIT_MONEY ? 0 : 2) &&
			    ag_str_eq(object_of(x), object))
				p->of[p->n++] = i;
		}
	for (uint32_t k = 0; k < p->n; k++)
		p->by_name[k] = rank_by_name(&s->items[p->of[k]]);
}

/* ---- short relations with exceptions ---- */

static bool is_part(const ag_relation *r, const ag_relation *of)
{
	uint64_t small = 1ull << r->a, large = 1ull << of->a;

	for (uint32_t i = 0; i < r->nterm; i++)
		small |= 1ull << r->term[i];
	for (uint32_t i = 0; i < of->nterm; i++)
		large |= 1ull << of->term[i];
	return (small & large) == small;
}

/* The same numbers but for one, and that relation has hardly an exception: the pay without a bonus, a refund that is the
 * total only where all was paid back. */
static bool is_shadow(const ag_relation *r, const ag_relation *of)
{
	uint64_t mine = 1ull << r->a, its = 1ull << of->a;

	for (uint32_t i = 0; i < r->nterm; i++)
		mine |= 1ull << r->term[i];
	for (uint32_t i = 0; i < of->nterm; i++)
		its |= 1ull << of->term[i];
	return !r->is_product && !of->is_product && r->holds < SHADOW_HOLDS &&
	       of->odd * 20 <= r->odd && __builtin_popcountll(mine & ~its) == 1 &&
	       __builtin_popcountll(its & ~mine) == 1;
}

/* How far row is off; NAN: not known. */
static double off_of(const ag_sums *s, const ag_relation *r, uint32_t row)
{
	double off = ag_sums_value(s, r->a, row);

	if (r->is_product)
		return off - term_at(s, r, 0, row) * term_at(s, r, 1, row);
	for (uint32_t i = 0; i < r->nterm; i++)
		off -= r->sign[i] * term_at(s, r, i, row);
	return off;
}

static bool is_off_by(const ag_sums *s, const ag_relation *r, uint32_t k, uint32_t row, double off)
{
	const double v = ag_sums_value(s, k, row);

	return !isnan(v) && !is_zero(v, r->tolerance) && is_zero(fabs(off) - fabs(v), r->tolerance);
}

/* The exceptions are off by a further number, with which no relation was found: too few rows, or too many zeros. Sums of
 * money may be off by one of several: the delivery here, a discount there. */
static bool is_off_by_number(const ag_sums *s, const ag_relation *r)
{
	uint64_t part = 1ull << r->a;
	uint32_t odd = 0, by_any = 0, right[AG_SUM_NUMBERS] = { 0 };

	for (uint32_t i = 0; i < r->nterm; i++)
		part |= 1ull << r->term[i];
	for (uint32_t row = 0; row < s->fr->nrow; row++) {
		const double off = off_of(s, r, row);
		bool is_any = false;

		if (isnan(off) || is_zero(off, r->tolerance))
			continue;
		odd++;
		for (uint32_t k = 0; k < s->n; k++) {
			if (part >> k & 1 || !is_off_by(s, r, k, row, off))
				continue;
			right[k]++;
			is_any = is_any || (s->items[r->a].decimals > 0 && !r->is_product);
		}
		by_any += is_any;
	}
	for (uint32_t k = 0; k < s->n; k++)
		if (odd && right[k] >= EXPLAINED * odd)
			return true;
	return odd && by_any >= EXPLAINED * odd;
}

/* Net + tax is not the total where there is a discount. */
static void drop_explained(ag_sums *s, size_t nshort)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nfound; i++) {
		const ag_relation *r = &s->found[i];
		bool is_explained = false;

		for (size_t k = nshort; k < s->nfound && !is_explained; k++)
			is_explained = !r->is_product && s->found[k].nterm > r->nterm &&
			               is_part(r, &s->found[k]) &&
			               (double)s->found[k].odd <= (1 - EXPLAINED) * (double)r->odd;
		for (size_t k = 0; k < s->nfound && !is_explained; k++)
			is_explained = is_shadow(r, &s->found[k]);
		if (!is_explained && !(r->odd && is_off_by_number(s, r)))
			s->found[n++] = *r;
	}
	s->nfound = n;
}

/* Another field tells the exceptions: what public bodies pay is without the tax. */
static bool is_told(const ag_sums *s, const ag_relation *r, uint8_t *mark)
{
	for (uint32_t row = 0; row < s->fr->nrow; row++) {
		const double off = off_of(s, r, row);

		mark[row] = isnan(off)                   ? AG_ROW_NONE
		            : is_zero(off, r->tolerance) ? AG_ROW_USUAL
		                                         : AG_ROW_ODD;
	}
	return ag_frame_tells_odd(s->fr, s->items[r->a].col, mark);
}

/* The value is in another relation that has hardly an exception: then the value is right. */
static bool is_confirmed(const ag_sums *s, const ag_relation *r)
{
	for (size_t i = 0; i < s->nfound; i++) {
		const ag_relation *q = &s->found[i];
		bool has_it = q->a == r->a;

		for (uint32_t k = 0; k < q->nterm; k++)
			has_it = has_it || q->term[k] == r->a;
		if (q != r && has_it && q->odd * 20 <= r->odd)
			return true;
	}
	return false;
}

static void doubt(ag_sums *s)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	uint8_t *mark = ag_new_n(arena, uint8_t, s->fr->nrow + 1);

	for (size_t i = 0; i < s->nfound; i++) {
		ag_relation *r = &s->found[i];

		if (r->odd && s->items[r->a].col && !r->is_doubtful)
			r->is_doubtful = is_confirmed(s, r) || is_told(s, r, mark);
	}
}

ag_status ag_sums_find_long(ag_sums *s, const ag_ctx *ctx, ag_err *err)
{
	const size_t nshort = s->nfound;
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	pool *p = ag_new(arena, pool);

	if (s->fr->nrow < MIN_ROWS)
		return AG_OK;
	for (uint32_t i = 0; i < s->n && !p->st; i++) {
		const ag_str object = object_of(&s->items[i]);
		bool is_first = s->items[i].col;

		for (uint32_t k = 0; k < i && is_first; k++)
			is_first = !s->items[k].col || !ag_str_eq(object_of(&s->items[k]), object);
		if (!is_first)
			continue;
		*p = (pool){ .s = s, .ctx = ctx, .err = err };
		fill_pool(p, object);
		choose_probes(p);
		for (size_t k = 0; k < s->nfound; k++)
			learn(p, &s->found[k]);
		for (uint32_t size = 2; size <= MAX_SET && !p->st; size++)
			extend(p, &(set){ .n = 0 }, 0, size);
	}
	drop_explained(s, nshort);
	doubt(s);
	return p->st;
}
