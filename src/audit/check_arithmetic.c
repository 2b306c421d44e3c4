/* check_arithmetic -- row 29: a number that is not the sum, the difference or the product of two others.
 *
 * All relations a = b + c (a difference is one, too) and a = b x c between the numbers of a frame are tried on some
 * rows, and what holds there is counted on all. A relation says something only where its terms are no zeros, where a
 * product has no factor 1, and where it does not hold between the numbers of different rows.
 *
 * Where a term is itself the result of another relation, that relation must hold: else the term is wrong. */
#include <math.h>

#include "audit/sums.h"

#define SAMPLE       200 /* telling rows of the first look */
#define MAX_DECIMALS 6
#define ROUNDED      2 /* decimals of a factor that was computed from the others; counts have none */

static int decimals_of(double v)
{
	double scale = 1;

	for (int i = 0; i < MAX_DECIMALS; i++, scale *= 10)
		if (fabs(v * scale - round(v * scale)) < 1e-6)
			return i;
	return MAX_DECIMALS;
}

/* 0 or 6.55: a toll, the cost of a delivery. A flag is 0 or 1. */
static bool is_fixed_fee(const ag_frame_col *col)
{
	double a, b;

	if (col->nvalue != 2)
		return false;
	a = ag_val_number(&col->values[0]);
	b = ag_val_number(&col->values[1]);
	return (a == 0 && isfinite(b) && fabs(b) > 1) || (b == 0 && isfinite(a) && fabs(a) > 1);
}

/* Numbers with a meaning of their own: no identifiers, no codes, no years. */
bool ag_sums_add_number(ag_sums *s, const ag_frame_col *col, ag_arena *arena)
{
	const ag_field_name name = ag_field_name_of(col->f->owner);
	uint32_t at[MAX_DECIMALS + 1] = { 0 }, rows = 0, seen = 0;
	ag_number *x = &s->items[s->n];

	if (s->n == AG_SUM_NUMBERS - AG_SUM_TOTALS || (col->nvalue < 3 && !is_fixed_fee(col)) ||
	    col->nfilled < AG_SUM_TELLING || ag_name_is_identifier(&name) ||
	    name.last & (AG_TRAIT_KEY | AG_TRAIT_CODE | AG_TRAIT_YEAR))
		return false;
	*x = (ag_number){ .col = col, .of = ag_new_n(arena, double, (size_t)col->nvalue + 1) };
	x->has_gaps = col->nfilled * 20ull < s->fr->nrow * 19ull;
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

double ag_sums_value(const ag_sums *s, uint32_t which, uint32_t row)
{
	const ag_number *x = &s->items[which];

	return x->col ? x->of[x->col->code[row]] : x->total[row];
}

static bool is_broken(const ag_relation *r, double a, double b, double c)
{
	return fabs(a - (r->is_product ? b * c : b + c)) > r->tolerance;
}

static bool is_telling(const ag_relation *r, double a, double b, double c)
{
	if (isnan(a) || isnan(b) || isnan(c) || b == 0 || c == 0)
		return false;
	return r->is_product ? b != 1 && c != 1
	                     : fabs(b) > 4 * r->tolerance && fabs(c) > 4 * r->tolerance && a != 0;
}

/* Counts on every step-th row; false: it does not hold. */
static bool holds(const ag_sums *s, ag_relation *r, uint32_t step)
{
	const uint32_t nrow = s->fr->nrow, shift = nrow / 3 + 1;
	uint64_t rows = 0, odd = 0, lucky_b = 0, lucky_c = 0, others = 0, others_odd = 0;
	uint64_t once = 0,
		 once_odd = 0; /* a factor is 1: such rows tell nothing, and may be wrong */
	double less, more;

	for (uint32_t i = 0; i < nrow; i += step) {
		const double a = ag_sums_value(s, r->a, i), b = ag_sums_value(s, r->term[0], i),
			     c = ag_sums_value(s, r->term[1], i);

		if (!is_telling(r, a, b, c)) {
			const bool is_whole = !isnan(a + b + c);

			others += is_whole;
			others_odd += is_whole && is_broken(r, a, b, c);
			once += is_whole && b != 0 && c != 0;
			once_odd += is_whole && b != 0 && c != 0 && is_broken(r, a, b, c);
			continue;
		}
		rows++;
		odd += is_broken(r, a, b, c);
		lucky_b += !is_broken(r, a, ag_sums_value(s, r->term[0], (i + shift) % nrow), c);
		lucky_c += !is_broken(r, a, b, ag_sums_value(s, r->term[1], (i + shift) % nrow));
		if (rows >= 12 && odd * 10 > rows * 6)
			return false;
	}
	if (rows < AG_SUM_TELLING)
		return false;
	r->odd = odd + (r->is_product && once_odd * 5 <= once ? once_odd : 0);
	/* A sign that was lost in some documents makes a sum of what is a difference. */
	r->is_doubtful = rows * 3 < others && others_odd * rows * 4 < odd * others;
	r->holds = 1 - (double)odd / (double)rows;
	/* Both terms must matter. One that is the same in most rows, as a tax rate is, cannot be told from a constant; one of
	 * few values, as a number of nights is, can; so can two of few values where the relation holds far more often
	 * than with the value of another row. */
	less = ag_share(lucky_b < lucky_c ? lucky_b : lucky_c, rows);
	more = ag_share(lucky_b > lucky_c ? lucky_b : lucky_c, rows);
	if ((less > AG_SUM_CHANCE || more > AG_SUM_CHANCE * 8) &&
	    (less > AG_SUM_OFTEN || more > AG_SUM_OFTEN || r->holds - more < AG_SUM_TELLS ||
	     s->items[r->a].col->nvalue < AG_SUM_MANY))
		return false;
	return r->holds >=
	       (s->items[r->a].col->nvalue >= AG_SUM_MANY ? AG_SUM_EXACT : AG_SUM_HOLDS);
}

#define MIN_TOLD_ROWS 5    /* of one value of a field */
#define ALL_TOLD      0.95 /* of them are odd */
#define MOST_TOLD     0.9  /* of the odd rows have such a value in some field */
#define TELLING_MAX   15   /* values of such a field */

/* The kind of a row by g: its value, or (is_rough) nothing, zero, and the rest. */
static uint32_t kind_by(const ag_frame_col *g, bool is_rough, uint32_t code)
{
	const ag_val *v = code ? &g->values[code - 1] : NULL;

	if (!is_rough)
		return code;
	return !v ? 0 : ag_type_is_number(v->type) && ag_val_number(v) == 0 ? 1 : 2;
}

/* Rows of a kind that is (nearly) all odd. */
static void tell_rows(const ag_frame *fr, const ag_frame_col *g, bool is_rough, const uint8_t *mark,
                      bool *told)
{
	uint32_t n[TELLING_MAX + 1] = { 0 }, all[TELLING_MAX + 1] = { 0 };

	for (uint32_t row = 0; row < fr->nrow; row++) {
		const uint32_t k = kind_by(g, is_rough, g->code[row]);

		all[k] += mark[row] != AG_ROW_NONE;
		n[k] += mark[row] == AG_ROW_ODD;
	}
	for (uint32_t row = 0; row < fr->nrow; row++) {
		const uint32_t k = kind_by(g, is_rough, g->code[row]);

		told[row] = told[row] || (all[k] >= MIN_TOLD_ROWS && n[k] >= ALL_TOLD * all[k]);
	}
}

/* A yearly price, and a discount: several fields together tell where the product is something else. */
static bool is_of_kinds(const ag_frame *fr, const ag_frame_col *of, const uint8_t *mark,
                        ag_arena *arena)
{
	bool *told = ag_new_n(arena, bool, fr->nrow + 1);
	uint32_t odd = 0, ntold = 0;

	for (size_t k = 0; k < fr->ncol; k++) {
		if (&fr->cols[k] == of)
			continue;
		if (fr->cols[k].nvalue <= TELLING_MAX)
			tell_rows(fr, &fr->cols[k], false, mark, told);
		tell_rows(fr, &fr->cols[k], true, mark, told);
	}
	for (uint32_t row = 0; row < fr->nrow; row++) {
		odd += mark[row] == AG_ROW_ODD;
		ntold += mark[row] == AG_ROW_ODD && told[row];
	}
	return odd && ntold >= MOST_TOLD * odd;
}

/* A discount, a second currency: another field tells where the product is something else. */
static bool is_of_a_kind(const ag_sums *s, const ag_relation *r)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	uint8_t *mark = ag_new_n(arena, uint8_t, s->fr->nrow + 1);

	for (uint32_t i = 0; i < s->fr->nrow; i++) {
		const double a = ag_sums_value(s, r->a, i), b = ag_sums_value(s, r->term[0], i),
			     c = ag_sums_value(s, r->term[1], i);

		if (is_telling(r, a, b, c))
			mark[i] = is_broken(r, a, b, c) ? AG_ROW_ODD : AG_ROW_USUAL;
	}
	return ag_frame_tells_odd(s->fr, s->items[r->a].col, mark) ||
	       is_of_kinds(s->fr, s->items[r->a].col, mark, arena);
}

static double tolerance_of(const ag_sums *s, const ag_relation *r)
{
	const int a = s->items[r->a].decimals, b = s->items[r->term[0]].decimals,
		  c = s->items[r->term[1]].decimals;
	int most = a > b ? a : b;

	if (r->is_product)
		return (a >= b + c ? 1e-6 : 1.01) * pow(10, -a);
	most = most > c ? most : c;
	return (most ? 1.51 : 0.01) * pow(10, -most);
}

/* What rounding a factor leaves: a price per square metre, times the area, is the price but for half a cent a metre. */
static double rounding_of(const ag_sums *s, const ag_relation *r, double b, double c)
{
	const int nb = s->items[r->term[0]].decimals, nc = s->items[r->term[1]].decimals;

	return 0.51 * ((nb < ROUNDED ? 0 : fabs(c) * pow(10, -nb)) +
	               (nc < ROUNDED ? 0 : fabs(b) * pow(10, -nc)));
}

/* Where rounding explains the exceptions, the tolerance becomes the largest of these. */
static void widen_tolerance(const ag_sums *s, ag_relation *r)
{
	const double tight = r->tolerance;
	double widest = tight;
	uint64_t odd = 0, rounded = 0;

	for (uint32_t i = 0; i < s->fr->nrow; i++) {
		const double a = ag_sums_value(s, r->a, i), b = ag_sums_value(s, r->term[0], i),
			     c = ag_sums_value(s, r->term[1], i), off = fabs(a - b * c);

		if (!is_telling(r, a, b, c) || off <= tight)
			continue;
		odd++;
		if (off > tight + rounding_of(s, r, b, c))
			continue;
		rounded++;
		widest = off > widest ? off : widest;
	}
	if (rounded * 10 >= odd * 8)
		r->tolerance = widest * 1.000001;
}

/* The same three columns are one relation: the one that holds more often, the first of equals. */
static void keep(ag_sums *s, const ag_relation *r)
{
	const uint64_t set = 1ull << r->a | 1ull << r->term[0] | 1ull << r->term[1];

	for (size_t i = 0; i < s->nfound; i++) {
		ag_relation *old = &s->found[i];

		if ((1ull << old->a | 1ull << old->term[0] | 1ull << old->term[1]) != set)
			continue;
		if (r->holds > old->holds)
			*old = *r;
		return;
	}
	if (s->nfound < AG_SUM_FOUND)
		s->found[s->nfound++] = *r;
}

static void try_relation(ag_sums *s, uint32_t a, uint32_t b, uint32_t c, bool is_product)
{
	const uint32_t step = s->fr->nrow / SAMPLE + 1;
	ag_relation r = {
		.a = a, .term = { b, c }, .nterm = 2, .sign = { 1, 1 }, .is_product = is_product
	};

	r.tolerance = tolerance_of(s, &r);
	if ((step > 1 && !holds(s, &r, step)) || !holds(s, &r, 1))
		return;
	if (is_product && r.odd) {
		widen_tolerance(s, &r);
		(void)holds(s, &r, 1);
	}
	if (!(is_product && r.odd && is_of_a_kind(s, &r)))
		keep(s, &r);
}

/* ---- the hypotheses ---- */

static ag_val ref(ag_arena *a, const char *prefix, ag_str path)
{
	return ag_val_str(ag_str_printf(a, "%s%.*s", prefix, AG_FMT(path)));
}

/* What one item adds to the total; every: the condition that it is a number. */
static ag_val item_value(ag_arena *a, const ag_number *x, bool is_condition)
{
	const ag_val one = ref(a, "$$i.", ag_ev_place_of(a, x->item[0]).rest);
	const ag_val two = x->item[1] ? ref(a, "$$i.", ag_ev_place_of(a, x->item[1]).rest) : one;

	if (is_condition)
		return OBJ(a, KV("$and", ARR(a, OBJ(a, KV("$isNumber", one)),
		                             OBJ(a, KV("$isNumber", two)))));
	return x->item[1] ? OBJ(a, KV("$multiply", ARR(a, one, two))) : one;
}

/* {op: {"input": the array, "as": "i", key: value}} */
static ag_val over_items(ag_arena *a, const ag_number *x, const char *op, const char *key,
                         ag_val value)
{
	const ag_val array = ref(a, "$", ag_ev_place_of(a, x->item[0]).array);
	const ag_val input = OBJ(a, KV("$cond", ARR(a, OBJ(a, KV("$isArray", array)), array,
	                                            ag_ev_arr(a, NULL, 0))));

	return OBJ(a,
	           KV(op, OBJ(a, KV("input", input), KV("as", ag_ev_text("i")), KV(key, value))));
}

/* The number in an expression. is_zero: where nothing is, it is 0. */
static ag_val value_of(ag_arena *a, const ag_number *x, bool is_zero)
{
	const ag_val nothing = ag_ev_text("");
	ag_val v;

	if (!x->col)
		return OBJ(a, KV("$sum", over_items(a, x, "$map", "in", item_value(a, x, false))));
	v = ref(a, "$", ag_ev_key(a, x->col->f));
	if (!is_zero)
		return v;
	return OBJ(a, KV("$cond",
	                 ARR(a,
	                     OBJ(a, KV("$eq",
	                               ARR(a, OBJ(a, KV("$ifNull", ARR(a, v, nothing))), nothing))),
	                     ag_val_int(0), v)));
}

/* The row has this number. */
static ag_val is_number(ag_arena *a, const ag_number *x, bool is_zero)
{
	ag_val n, every;

	if (x->col)
		return OBJ(a, KV("$isNumber", value_of(a, x, is_zero)));
	n = OBJ(a, KV("$size", over_items(a, x, "$filter", "cond", ag_val_bool(true))));
	every = OBJ(a, KV("$size", over_items(a, x, "$filter", "cond", item_value(a, x, true))));
	return OBJ(a, KV("$and", ARR(a, OBJ(a, KV("$gt", ARR(a, n, ag_val_int(0)))),
	                             OBJ(a, KV("$eq", ARR(a, every, n))))));
}

/* {"$gt": [{"$abs": {"$subtract": [a, b + c]}}, tolerance]} */
static ag_val compare(const ag_sums *s, ag_arena *a, const ag_relation *r, const char *op)
{
	ag_val left = value_of(a, &s->items[r->a], false), plus[AG_SUM_TERMS],
	       minus[AG_SUM_TERMS + 1], right, off;
	size_t nplus = 0, nminus = 0;

	for (uint32_t i = 0; i < r->nterm; i++) {
		const ag_val v = value_of(a, &s->items[r->term[i]], r->zero >> i & 1);

		if (r->sign[i] > 0)
			plus[nplus++] = v;
		else
			minus[nminus++] = v;
	}
	if (r->nterm == 1) {
		/* A refund has the other sign. */
		left = OBJ(a, KV("$abs", left));
		right = OBJ(a, KV("$abs", nplus ? plus[0] : minus[0]));
	} else if (nplus) {
		right = OBJ(a, KV(r->is_product ? "$multiply" : "$add", ag_ev_arr(a, plus, nplus)));
	} else {
		right = ag_val_int(0);
	}
	if (nminus && r->nterm > 1)
		right = OBJ(a, KV("$subtract",
		                  ARR(a, right, OBJ(a, KV("$add", ag_ev_arr(a, minus, nminus))))));
	off = OBJ(a, KV("$abs", OBJ(a, KV("$subtract", ARR(a, left, right)))));
	return OBJ(a, KV(op, ARR(a, off, ag_val_double(r->tolerance))));
}

static bool has_term(const ag_relation *r, uint32_t which)
{
	for (uint32_t i = 0; i < r->nterm; i++)
		if (r->term[i] == which)
			return true;
	return false;
}

/* "the value is not net + tax - discount" */
static ag_str formula_of(const ag_sums *s, ag_arena *a, const ag_relation *r)
{
	ag_str out = AG_S("");

	for (uint32_t i = 0; i < r->nterm; i++) {
		const ag_number *x = &s->items[r->term[i]];
		const char *sign = r->sign[i] < 0  ? (i ? " - " : "-")
		                   : !i            ? ""
		                   : r->is_product ? " x "
		                                   : " + ";
		ag_str name;

		if (x->col)
			name = x->col->f->path;
		else if (x->item[1])
			name = ag_str_printf(a, "the sum of %.*s x %.*s", AG_FMT(x->item[0]->path),
			                     AG_FMT(x->item[1]->path));
		else
			name = ag_str_printf(a, "the sum of %.*s", AG_FMT(x->item[0]->path));
		out = ag_str_printf(a, "%.*s%s%.*s", AG_FMT(out), sign, AG_FMT(name));
	}
	return out;
}

/* All numbers of the relation can be asked for; the conditions that they are there. */
static bool add_conditions(const ag_sums *s, ag_arena *a, const ag_relation *r, ag_val *all,
                           size_t *n)
{
	for (uint32_t i = 0; i <= r->nterm; i++) {
		const ag_number *x = &s->items[i ? r->term[i - 1] : r->a];

		if (x->col ? !ag_path_is_plain(a, x->col->f)
		           : !ag_ev_place_of(a, x->item[0]).ok ||
		                     (x->item[1] && !ag_ev_place_of(a, x->item[1]).ok))
			return false;
		all[(*n)++] = is_number(a, x, i && r->zero >> (i - 1) & 1);
	}
	return true;
}

static void suspect(const ag_sums *s, const ag_relation *r, ag_hypotheses *out)
{
	const ag_path_profile *f = s->items[r->a].col->f;
	ag_arena *a = out->arena;
	ag_val all[AG_SUM_TERMS + 2 + AG_SUM_FOUND], own[AG_SUM_TERMS + 1], filter;
	size_t n = 0;
	ag_hypothesis *h;
	ag_str formula;

	if (!add_conditions(s, a, r, all, &n))
		return;
	all[n++] = compare(s, a, r, "$gt");
	for (size_t i = 0; i < s->nfound; i++) {
		const ag_relation *q = &s->found[i];
		size_t nown = 0;

		if (q->a == r->a || !has_term(r, q->a) || !add_conditions(s, a, q, own, &nown))
			continue;
		filter = OBJ(a, KV("$and", ag_ev_arr(a, own, nown)));
		all[n++] = OBJ(a, KV("$or", ARR(a, OBJ(a, KV("$not", ARR(a, filter))),
		                                compare(s, a, q, "$lte"))));
	}
	filter = OBJ(a, KV("$expr", OBJ(a, KV("$and", ag_ev_arr(a, all, n)))));
	h = ag_suspect(out, f, "arithmetic", r->is_doubtful ? AG_LOW : AG_MEDIUM,
	               r->holds > 0.9 ? 0.9 : 0.8, ag_ev_str(a, &filter));
	if (!h)
		return;
	h->max_share = 0.5;
	if (r->is_doubtful)
		ag_suspect_fix(h);
	ag_suspect_say(h, "", "one of the numbers was changed, and the others were not",
	               "compute the number from the others, or find out which of them is wrong");
	formula = formula_of(s, a, r);
	h->what = ag_str_printf(a, "the value is not %.*s, as in %s documents", AG_FMT(formula),
	                        r->holds < 0.9 ? "most" : "nearly all");
}

static ag_status find_short(ag_sums *s, const ag_ctx *ctx, ag_err *err)
{
	ag_status st = AG_OK;

	for (uint32_t a = 0; !st && a < s->n; a++) {
		st = ag_ctx_check(ctx, err);
		for (uint32_t b = 0; b < s->n; b++)
			for (uint32_t c = b + 1; c < s->n; c++) {
				if (a == b || a == c)
					continue;
				try_relation(s, a, b, c, false);
				try_relation(s, a, b, c, true);
			}
	}
	return st;
}

ag_status ag_check_arithmetic(AG_ACROSS_ARGS)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_sums s = { 0 };
	ag_status st;

	if (!x->frames->n || x->frames->items[0].path.len)
		return AG_OK;
	s.fr = &x->frames->items[0];
	s.items = ag_new_n(arena, ag_number, AG_SUM_NUMBERS + 1);
	s.found = ag_new_n(arena, ag_relation, AG_SUM_FOUND);
	for (size_t i = 0; i < s.fr->ncol; i++)
		(void)ag_sums_add_number(&s, &s.fr->cols[i], arena);
	st = find_short(&s, x->ctx, err);
	if (!st && s.n)
		ag_sums_add_totals(&s, x, arena);
	if (!st)
		st = ag_sums_find_long(&s, x->ctx, err);
	for (size_t i = 0; !st && i < s.nfound; i++)
		if (s.found[i].odd)
			suspect(&s, &s.found[i], out);
	return st;
}
