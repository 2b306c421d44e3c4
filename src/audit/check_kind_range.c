/* check_kind_range -- row 51: numbers far from those of their kind.
 *
 * A field of few values says what an object is, and the numbers of each kind lie in a band: letters weigh grams, parcels
 * kilograms. A letter of 12 kg is usual among all objects, and far from all letters. The bounds of each kind are learnt from
 * its own numbers: a kind that explains half of the spread, 30 numbers or more, and a gap around the odd ones.
 *
 * It stays silent where the kinds differ little, and low where something else explains the odd numbers: another field tells
 * them or agrees with them, another number of the same rows is far from its kind as well (a very large order), or all of
 * them are one number.
 *
 * Speaks: up to 1% of the numbers of a kind; from 60 objects. */
#include <math.h>
#include <stdlib.h>

#include "audit/checks.h"

#define MIN_ROWS    60
#define MIN_OF_KIND 30
#define SURE_KIND   50 /* above low from here */
#define MAX_KINDS   40
#define MAX_FIELDS  12 /* that may name a kind */
#define MAX_NUMBERS 24
#define MIN_VALUES  12   /* different numbers */
#define SCREEN_ROWS 4000 /* that show whether the kinds explain the numbers */
#define EXPLAINS    0.5  /* the spread within the kinds, of that of all */
#define MOST_ODD    0.01 /* of the numbers of a kind */
#define APART       2.0  /* times as far from the middle as the next number */
#define FAR         3.0  /* interquartile ranges beyond a quartile */
#define FILLED      0.95 /* of the rows say their kind */
#define CONFIRMED   0.5  /* of the odd rows: another field agrees with them */

typedef struct number {
	const ag_frame_col *col;
	double *of; /* [nvalue + 1] by code; NAN = none. On a log scale where all are positive. */
	bool is_log;
} number;

/* What one kind allows; odd: there are numbers beyond it. */
typedef struct band {
	double low, high;
	uint32_t n, nlow, nhigh;
	double p25, p50, p75;
	bool is_log;
} band;

typedef struct bands {
	const ag_frame_col *by;
	band *of;     /* [by->nvalue + 1], by code */
	double ratio; /* of the spread within kinds to that of all */
	uint32_t nodd;
} bands;

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static bool may_name_kind(const ag_frame *fr, const ag_frame_col *c)
{
	uint32_t ntext = 0;

	if (c->nvalue < 2 || c->nvalue > MAX_KINDS || c->nfilled < FILLED * fr->nrow)
		return false;
	for (uint32_t i = 0; i < c->nvalue; i++)
		ntext += c->values[i].type == AG_T_STRING || c->values[i].type == AG_T_BOOL;
	return ntext == c->nvalue;
}

static bool add_number(number *x, const ag_frame_col *c, ag_arena *arena)
{
	const ag_field_name name = ag_field_name_of(c->f->owner);
	const ag_num_profile *m = &c->f->num;

	if (c->nvalue < MIN_VALUES || m->n * 10 < c->f->nscalar * 9 || c->nfilled < MIN_ROWS ||
	    m->q.p75 <= m->q.p25 || ag_name_is_identifier(&name) ||
	    name.traits & (AG_TRAIT_LAT | AG_TRAIT_LON | AG_TRAIT_ZIP | AG_TRAIT_PHONE) ||
	    name.last & (AG_TRAIT_KEY | AG_TRAIT_CODE | AG_TRAIT_YEAR | AG_TRAIT_TIME) ||
	    !ag_path_is_plain(arena, c->f))
		return false;
	*x = (number){ .col = c,
		       .of = ag_new_n(arena, double, (size_t)c->nvalue + 1),
		       .is_log = m->q.min > 0 };
	x->of[0] = NAN;
	for (uint32_t i = 0; i < c->nvalue; i++) {
		const double v = ag_type_is_number(c->values[i].type) ? ag_val_number(&c->values[i])
		                                                      : NAN;

		x->of[i + 1] = !isfinite(v) ? NAN : x->is_log ? log(v) : v;
	}
	return true;
}

/* ---- the band of each kind ---- */

/* Numbers of one sign, and one that is larger than the middle: the scale of sizes is logarithmic. */
static bool is_large(const double *v, uint32_t n, double odd, double middle)
{
	return (v[0] > 0 || v[n - 1] < 0) && fabs(odd) > fabs(middle);
}

/* Walk inwards from one end; the last number that is far out, with a gap to the next one, ends the band. Returns how many
 * numbers lie beyond it. */
static uint32_t find_end(const double *v, uint32_t n, bool high, const band *b, double *ret)
{
	const double iqr = b->p75 - b->p25;
	const double limit = fabs((high ? b->p75 : b->p25) - b->p50) + FAR * iqr;
	const uint32_t most = n * MOST_ODD > 1 ? (uint32_t)(n * MOST_ODD) : 1;

	for (uint32_t i = most; i > 0; i--) {
		const double odd = high ? v[n - i] : v[i - 1], next = high ? v[n - i - 1] : v[i];
		const double d = fabs(odd - b->p50), dnext = fabs(next - b->p50);

		if (d > limit && d >= APART * dnext && d - dnext > iqr &&
		    (b->is_log || !is_large(v, n, odd, b->p50) ||
		     log(odd / b->p50) >= APART * log(next / b->p50))) {
			*ret = (odd + next) / 2;
			return i;
		}
	}
	*ret = high ? HUGE_VAL : -HUGE_VAL;
	return 0;
}

static void find_band(double *v, uint32_t n, bool is_log, band *b)
{
	*b = (band){ .low = -HUGE_VAL, .high = HUGE_VAL, .n = n, .is_log = is_log };
	if (n < MIN_OF_KIND)
		return;
	qsort(v, n, sizeof(*v), by_size);
	b->p25 = v[n / 4];
	b->p50 = v[n / 2];
	b->p75 = v[n - 1 - n / 4];
	if (b->p75 <= b->p25)
		return; /* nearly all are one number: there is no scale to be far on */
	b->nhigh = find_end(v, n, true, b, &b->high);
	b->nlow = find_end(v, n, false, b, &b->low);
}

/* Numbers by kind: v[at[k]] .. v[at[k + 1] - 1] are those of code k. */
static void split(const ag_frame *fr, const number *x, const ag_frame_col *by, uint32_t step,
                  double *v, uint32_t *at)
{
	memset(at, 0, ((size_t)by->nvalue + 2) * sizeof(*at));
	for (uint32_t row = 0; row < fr->nrow; row += step)
		at[by->code[row] + 1] += !isnan(x->of[x->col->code[row]]);
	for (uint32_t k = 0; k <= by->nvalue; k++)
		at[k + 1] += at[k];
	for (uint32_t row = 0; row < fr->nrow; row += step) {
		const double one = x->of[x->col->code[row]];

		if (!isnan(one))
			v[at[by->code[row]]++] = one;
	}
	for (uint32_t k = by->nvalue + 1; k > 0; k--)
		at[k] = at[k - 1];
	at[0] = 0;
}

static double spread_of(double *v, uint32_t n)
{
	qsort(v, n, sizeof(*v), by_size);
	return v[n - 1 - n / 4] - v[n / 4];
}

/* The usual spread within the kinds, of that of all numbers; 1: they explain nothing. */
static double ratio_of(const ag_frame *fr, const number *x, const ag_frame_col *by, double *v,
                       uint32_t *at)
{
	const uint32_t step = fr->nrow / SCREEN_ROWS + 1;
	double within = 0, all;
	uint32_t n, judged = 0;

	split(fr, x, by, step, v, at);
	n = at[by->nvalue + 1];
	for (uint32_t k = 1; k <= by->nvalue; k++) {
		const uint32_t of = at[k + 1] - at[k];

		if (of < MIN_VALUES)
			continue;
		within += of * spread_of(v + at[k], of);
		judged += of;
	}
	all = n ? spread_of(v, n) : 0;
	return all > 0 && judged * 2 > n ? within / judged / all : 1;
}

static void find_bands(const ag_frame *fr, const number *x, const ag_frame_col *by, bands *ret,
                       double *v, uint32_t *at, ag_arena *arena)
{
	ret->by = by;
	ret->of = ag_new_n(arena, band, (size_t)by->nvalue + 1);
	ret->nodd = 0;
	split(fr, x, by, 1, v, at);
	for (uint32_t k = 1; k <= by->nvalue; k++) {
		find_band(v + at[k], at[k + 1] - at[k], x->is_log, &ret->of[k]);
		ret->nodd += ret->of[k].nlow + ret->of[k].nhigh;
	}
}

static bool is_odd(const number *x, const bands *b, uint32_t row)
{
	const double v = x->of[x->col->code[row]];
	const band *of = &b->of[b->by->code[row]];

	return b->by->code[row] && (v < of->low || v > of->high);
}

/* ---- what explains them ---- */

static void mark_rows(const ag_frame *fr, const number *x, const bands *b, uint8_t *mark)
{
	for (uint32_t row = 0; row < fr->nrow; row++)
		mark[row] = isnan(x->of[x->col->code[row]]) || !b->by->code[row] ? AG_ROW_NONE
		            : is_odd(x, b, row)                                  ? AG_ROW_ODD
		                                                                 : AG_ROW_USUAL;
}

/* Another field names kinds as well, and the odd numbers are usual in those: it is the kind that is odd, or two fields
 * together decide. */
static bool another_agrees(const ag_frame *fr, const number *x, const bands *b,
                           const ag_frame_col *other, double *v, uint32_t *at)
{
	uint32_t n = 0, usual = 0;

	split(fr, x, other, 1, v, at);
	for (uint32_t k = 1; k <= other->nvalue; k++)
		if (at[k + 1] > at[k])
			qsort(v + at[k], at[k + 1] - at[k], sizeof(*v), by_size);
	for (uint32_t row = 0; row < fr->nrow; row++) {
		const uint32_t k = other->code[row], from = at[k], of = at[k + 1] - from;
		const double one = x->of[x->col->code[row]];

		if (!is_odd(x, b, row))
			continue;
		n++;
		usual += k && of >= MIN_VALUES && one >= v[from + of / 20] &&
		         one <= v[from + of - 1 - of / 20];
	}
	return usual > CONFIRMED * n;
}

/* Another number is far from its kind in most of the odd rows: a giant, or a wrong kind. */
static bool is_giant(const ag_frame *fr, const number *x, const bands *b, const number *other,
                     double *v, uint32_t *at)
{
	uint32_t n = 0, far = 0;

	split(fr, other, b->by, 1, v, at);
	for (uint32_t k = 1; k <= b->by->nvalue; k++)
		if (at[k + 1] > at[k])
			qsort(v + at[k], at[k + 1] - at[k], sizeof(*v), by_size);
	for (uint32_t row = 0; row < fr->nrow; row++) {
		const uint32_t k = b->by->code[row], from = at[k], of = at[k + 1] - from;
		const double one = other->of[other->col->code[row]];

		if (!is_odd(x, b, row))
			continue;
		n++;
		far += of >= MIN_VALUES &&
		       (one < v[from + of / 50] || one > v[from + of - 1 - of / 50]);
	}
	return n && far > CONFIRMED * n;
}

/* More than two odd numbers, and all of them equal: it stands for something. */
static bool is_one_number(const ag_frame *fr, const number *x, const bands *b)
{
	uint32_t first = 0, n = 0;

	for (uint32_t row = 0; row < fr->nrow; row++) {
		if (!is_odd(x, b, row))
			continue;
		first = n++ ? first : x->col->code[row];
		if (x->col->code[row] != first)
			return false;
	}
	return n > 2;
}

typedef struct kinds {
	const ag_frame *fr;
	number *numbers;
	size_t nnumber;
	const ag_frame_col *fields[MAX_FIELDS];
	size_t nfield;
	double *v;    /* [nrow] scratch */
	uint32_t *at; /* [MAX_KINDS + 2] */
} kinds;

static bool is_explained(const kinds *s, const number *x, const bands *b, uint8_t *mark)
{
	mark_rows(s->fr, x, b, mark);
	if (is_one_number(s->fr, x, b) || ag_frame_tells_odd(s->fr, x->col, mark) ||
	    ag_frame_odd_is_of_one(s->fr, x->col, b->by, mark))
		return true;
	for (size_t i = 0; i < s->nfield; i++)
		if (s->fields[i] != b->by && another_agrees(s->fr, x, b, s->fields[i], s->v, s->at))
			return true;
	for (size_t i = 0; i < s->nnumber; i++)
		if (s->numbers[i].col != x->col &&
		    is_giant(s->fr, x, b, &s->numbers[i], s->v, s->at))
			return true;
	return false;
}

/* ---- the finding ---- */

static ag_val bound_of(const number *x, double bound)
{
	const double v = x->is_log ? exp(bound) : bound;
	const double unit = pow(10, floor(log10(fabs(v) > 0 ? fabs(v) : 1)) - 2);
	const double rounded = round(v / unit) * unit;

	return rounded == trunc(rounded) && fabs(rounded) < 9e15 ? ag_val_int((int64_t)rounded)
	                                                         : ag_val_double(rounded);
}

static ag_val clause(ag_arena *a, const number *x, const bands *b, uint32_t kind)
{
	const band *of = &b->of[kind];
	const ag_val low = of->nlow ? OBJ(a, KV("$lt", bound_of(x, of->low))) : ag_val_missing();
	const ag_val high = of->nhigh ? OBJ(a, KV("$gt", bound_of(x, of->high))) : ag_val_missing();
	const ag_member is_kind = { ag_ev_key(a, b->by->f), b->by->values[kind - 1] };
	ag_member m[2] = { is_kind, { ag_ev_key(a, x->col->f), of->nlow ? low : high } };

	if (of->nlow && of->nhigh)
		m[1].val = OBJ(a, KV("$type", ag_ev_text("number")),
		               KV("$not", OBJ(a, KV("$gte", bound_of(x, of->low)),
		                              KV("$lte", bound_of(x, of->high)))));
	return ag_ev_obj(a, m, 2);
}

static void suspect(const kinds *s, const number *x, const bands *b, ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_val clauses[MAX_KINDS];
	uint32_t most = 0, first = 0;
	size_t n = 0;
	bool is_sure = true;
	ag_hypothesis *h;

	for (uint32_t k = 1; k <= b->by->nvalue; k++) {
		if (!b->of[k].nlow && !b->of[k].nhigh)
			continue;
		clauses[n++] = clause(a, x, b, k);
		is_sure = is_sure && b->of[k].n >= SURE_KIND;
		if (b->of[k].nlow + b->of[k].nhigh > most) {
			most = b->of[k].nlow + b->of[k].nhigh;
			first = k;
		}
	}
	is_sure = is_sure &&
	          !is_explained(s, x, b, ag_new_n(scratch, uint8_t, (size_t)s->fr->nrow + 1));
	h = ag_suspect(out, x->col->f, "outlier", is_sure ? AG_MEDIUM : AG_LOW, 0.65,
	               ag_ev_rows(a, x->col->f, clauses, n));
	if (!h)
		return;
	ag_suspect_fix(h);
	h->max_share = MOST_ODD * 2;
	ag_suspect_say(h, "", "a slipped decimal point, another unit, or the wrong kind",
	               "compare the documents with their source; correct the number or the kind");
	h->what = ag_str_printf(a, "a few numbers lie far from those of the same %.*s",
	                        AG_FMT(b->by->f->path));
	h->detail = ag_str_printf(a, "where it is %.*s, half of all values lie between %g and %g",
	                          AG_FMT(ag_quote_value(a, &b->by->values[first - 1])),
	                          x->is_log ? exp(b->of[first].p25) : b->of[first].p25,
	                          x->is_log ? exp(b->of[first].p75) : b->of[first].p75);
}

/* The field that explains these numbers best, and the bands by it. */
static void check_number(const kinds *s, const number *x, ag_hypotheses *out)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = NULL;
	const ag_frame_col *best = NULL;
	double least = EXPLAINS;
	bands b;

	for (size_t i = 0; i < s->nfield; i++) {
		const double ratio = ratio_of(s->fr, x, s->fields[i], s->v, s->at);

		if (ratio < least) {
			least = ratio;
			best = s->fields[i];
		}
	}
	if (!best)
		return;
	arena = ag_arena_new();
	find_bands(s->fr, x, best, &b, s->v, s->at, arena);
	if (b.nodd)
		suspect(s, x, &b, out);
}

static ag_status check_frame(const ag_across *x, const ag_frame *fr, ag_hypotheses *out,
                             ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = NULL;
	ag_status st = AG_OK;
	kinds s = { .fr = fr };

	for (size_t c = 0; c < fr->ncol && s.nfield < MAX_FIELDS; c++)
		if (may_name_kind(fr, &fr->cols[c]))
			s.fields[s.nfield++] = &fr->cols[c];
	if (!s.nfield || fr->nrow < MIN_ROWS)
		return AG_OK;
	arena = ag_arena_new();
	s.numbers = ag_new_n(arena, number, MAX_NUMBERS);
	s.v = ag_new_n(arena, double, (size_t)fr->nrow + 1);
	s.at = ag_new_n(arena, uint32_t, MAX_KINDS + 2);
	for (size_t c = 0; c < fr->ncol && s.nnumber < MAX_NUMBERS; c++)
		s.nnumber += add_number(&s.numbers[s.nnumber], &fr->cols[c], arena);
	for (size_t i = 0; !st && i < s.nnumber; i++) {
		st = ag_ctx_check(x->ctx, err);
		check_number(&s, &s.numbers[i], out);
	}
	return st;
}

ag_status ag_check_kind_range(AG_ACROSS_ARGS)
{
	ag_status st = AG_OK;

	for (size_t i = 0; !st && i < x->frames->n; i++)
		st = check_frame(x, &x->frames->items[i], out, err);
	return st;
}
