/* check_swap -- row 47: two values of one object, each in the field of the other.
 *
 * A text is strange in a field when it is at home in the other one: there it is at least HOME_RATIO times as frequent.
 * Two numbers are strange when one bound separates the fields and both are on the wrong side of it. Swapped values are
 * strange in pairs. Fields of one kind, such as the birthplace and the residence, have strange values one at a time, and
 * many texts in both.
 *
 * A value is strange as well where its field has texts without a digit and it has one, or the reverse: a postal code where
 * the town should be. Then the kind of the text decides, and the values need not repeat.
 *
 * Two roles of one kind may trade places rightly: a parcel that is sent back has its sender and recipient reversed. Where
 * the names say so, or where another field marks the reversed objects, the finding is low. Two shares of a whole and two
 * numbers of which one is 0 are reversed by nature: nothing is said.
 *
 * Speaks: swaps in up to a quarter of the objects, of texts with and without digits in up to 45%. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/checks.h"

#include "columns/textclass.h"

#define MAX_MIXED    0.45 /* of the rows with both values: swaps of texts with and without digits */
#define MAX_STRAY    0.02 /* the same: one value with a digit where none should be, alone */
#define MAX_COLS     32
#define MAX_LIST     2000 /* different texts of a field */
#define MAX_PAIRS    400
#define MAX_TEXT     200 /* bytes of a text: the evidence lists texts */
#define HOME_RATIO   3
#define MIN_HOME     3 /* different texts that are at home in a field: two may be yes and no */
#define MIN_ROWS     20
#define MAX_SHARE    0.25 /* of the rows that have both values */
#define MAX_SHARED   0.1  /* the same: with a text that is usual in both fields */
#define MIN_PAIRED   0.6  /* of the strange values */
#define MAX_UNPAIRED 0.02 /* of the rows: numbers that are strange alone */
#define MIN_USUAL    0.75 /* of the swapped numbers: usual in the other field */
#define MIN_CORR     -0.7 /* two numbers that go against each other are parts of a whole */
#define TAIL         50   /* one number in so many at each end is not usual */
#define BEYOND       5    /* times as many as chance makes */
#define MAX_CHANCE   0.01
#define SAMPLE       1001
#define MAX_KINDS    50  /* values of a field that marks kinds of objects */
#define MIN_MARKED   5   /* swapped rows that such a field can explain */
#define MARKED       0.9 /* of them have a value that hardly any other row has */

/* How a text belongs to a field. */
enum { AT_HOME, IS_STRANGE, IS_SHARED };

typedef struct side {
	const ag_frame_col *col;
	bool is_text;
	/* Texts. */
	uint32_t *order;  /* [nvalue] codes by value */
	uint8_t *belongs; /* [nvalue + 1] by code: scratch of a pair */
	bool *swapped;    /* [nvalue + 1] the same: codes of swapped rows */
	/* Numbers. */
	double *sample; /* numbers of some rows, in order */
	uint32_t nsample;
} side;

typedef struct pair {
	const ag_frame *fr;
	side *a, *b; /* numbers: a has the low ones */
	double bound;
	uint32_t both, strange_a, strange_b, swaps, shared; /* rows */
} pair;

static double number_of(const side *x, uint32_t row)
{
	const uint32_t code = x->col->code[row];

	return code ? ag_val_number(&x->col->values[code - 1]) : NAN;
}

static bool is_strange(const pair *p, const side *x, uint32_t row)
{
	if (x->is_text)
		return x->belongs[x->col->code[row]] == IS_STRANGE;
	return x == p->a ? number_of(x, row) > p->bound : number_of(x, row) <= p->bound;
}

static bool is_swapped(const pair *p, uint32_t row)
{
	return is_strange(p, p->a, row) && is_strange(p, p->b, row);
}

/* ---- fields ---- */

static int by_value(const void *x, const void *y, void *values)
{
	const ag_val *v = values;

	return ag_val_cmp(&v[*(const uint32_t *)x], &v[*(const uint32_t *)y]);
}

static int by_number(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

static bool take_texts(side *x, ag_arena *arena)
{
	const ag_frame_col *c = x->col;

	for (uint32_t i = 0; i < c->nvalue; i++)
		if (c->values[i].type == AG_T_STRING && ag_val_text(&c->values[i]).len > MAX_TEXT)
			return false;
	x->is_text = true;
	x->belongs = ag_new_n(arena, uint8_t, (size_t)c->nvalue + 1);
	x->swapped = ag_new_n(arena, bool, (size_t)c->nvalue + 1);
	x->order = ag_new_n(arena, uint32_t, c->nvalue);
	for (uint32_t i = 0; i < c->nvalue; i++)
		x->order[i] = i;
	qsort_r(x->order, c->nvalue, sizeof(*x->order), by_value, c->values);
	return true;
}

static void take_numbers(const ag_frame *fr, side *x, ag_arena *arena)
{
	const uint32_t step = fr->nrow / SAMPLE + 1;

	x->sample = ag_new_n(arena, double, SAMPLE);
	for (uint32_t r = 0; r < fr->nrow && x->nsample < SAMPLE; r += step) {
		const double v = number_of(x, r);

		if (!isnan(v))
			x->sample[x->nsample++] = v;
	}
	qsort(x->sample, x->nsample, sizeof(*x->sample), by_number);
}

/* A list of texts that repeat, or a measure. */
static bool take_side(const ag_frame *fr, const ag_frame_col *c, ag_arena *arena, side *ret)
{
	const ag_field_name n = ag_field_name_of(c->f->owner);
	uint64_t texts = 0, numbers = 0;

	*ret = (side){ .col = c };
	if (c->nfilled < MIN_ROWS || c->nfilled * 2ull < fr->nrow || c->nvalue < 2 ||
	    !ag_path_is_plain(arena, c->f) || ag_path_is_prose(c->f, &(ag_field_name){ 0 }))
		return false;
	for (uint32_t i = 0; i < c->nvalue; i++) {
		texts += c->values[i].type == AG_T_STRING ? c->count[i] : 0;
		numbers += isfinite(ag_val_number(&c->values[i])) ? c->count[i] : 0;
	}
	if (texts * 10 >= c->nfilled * 9ull && c->nvalue <= MAX_LIST &&
	    c->nvalue * 2ull <= c->nfilled)
		return take_texts(ret, arena);
	if (numbers < c->nfilled || ag_name_is_identifier(&n) || c->nvalue < 10 ||
	    n.last & (AG_TRAIT_KEY | AG_TRAIT_CODE | AG_TRAIT_YEAR))
		return false;
	take_numbers(fr, ret, arena);
	return true;
}

/* ---- what is strange ---- */

static bool has_home(const side *x)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->col->nvalue && n < MIN_HOME; i++)
		n += x->belongs[i + 1] == AT_HOME && x->col->count[i] >= HOME_RATIO;
	return n == MIN_HOME;
}

/* Fills belongs of both. */
static bool compare_texts(const pair *p)
{
	const side *a = p->a, *b = p->b;
	uint32_t i = 0, k = 0, na = 0, nb = 0;

	memset(a->belongs, AT_HOME, (size_t)a->col->nvalue + 1);
	memset(b->belongs, AT_HOME, (size_t)b->col->nvalue + 1);
	while (i < a->col->nvalue && k < b->col->nvalue) {
		const uint32_t x = a->order[i], y = b->order[k];
		const int c = ag_val_cmp(&a->col->values[x], &b->col->values[y]);

		if (c == 0) {
			const uint64_t in_a = a->col->count[x], in_b = b->col->count[y];

			if (in_b >= HOME_RATIO * in_a) {
				a->belongs[x + 1] = IS_STRANGE;
				na++;
			} else if (in_a >= HOME_RATIO * in_b) {
				b->belongs[y + 1] = IS_STRANGE;
				nb++;
			} else {
				a->belongs[x + 1] = b->belongs[y + 1] = IS_SHARED;
			}
		}
		i += c <= 0;
		k += c >= 0;
	}
	return na && nb && has_home(a) && has_home(b);
}

/* A bound above nearly all of low and below nearly all of high. */
static bool bound_between(const side *low, const side *high, double *ret)
{
	const double *a = low->sample, *b = high->sample;
	const uint32_t na = low->nsample, nb = high->nsample;
	uint32_t best = UINT32_MAX;

	if (na < MIN_ROWS || nb < MIN_ROWS || !(a[na / 2] < b[nb / 2]))
		return false;
	for (uint32_t i = na / 2, k = 0; i < na && a[i] < b[nb / 2]; i++) {
		uint32_t wrong;

		while (k < nb && b[k] <= a[i])
			k++;
		wrong = (na - 1 - i) + k;
		if (wrong < best) {
			best = wrong;
			*ret = a[i];
		}
	}
	return best != UINT32_MAX && (double)best <= MAX_SHARE * (na + nb);
}

/* Where nearly all numbers of a field lie that are not strange: sorted[from] .. sorted[to - 1]. */
typedef struct usual {
	double low, high, median;
} usual;

static usual usual_of(const double *sorted, uint32_t from, uint32_t to)
{
	const uint32_t tail = (to - from) / TAIL;

	return (usual){ sorted[from + tail], sorted[to - 1 - tail],
		        sorted[from + (to - from) / 2] };
}

/* About half of the n swapped numbers are above the median of the others. */
static bool is_about_half(double above, double n)
{
	return fabs(above - n / 2) <= fmax(1.5 * sqrt(n), n / 4);
}

/* Swapped numbers are usual in the other field, and spread as its own. A share of 89 % where it is 1 % elsewhere is high,
 * and what is left for the other shares is low: neither is usual there. A number beside a 0 is one of two columns for one
 * amount. */
static bool are_usual(const pair *p)
{
	const side *low = p->a, *high = p->b;
	uint32_t n = 0, fits = 0, nlow = 0, nhigh = 0, zeros = 0;
	double above_low = 0, above_high = 0;
	usual l, h;

	while (nlow < low->nsample && low->sample[nlow] <= p->bound)
		nlow++;
	while (nhigh < high->nsample && high->sample[nhigh] <= p->bound)
		nhigh++;
	if (!nlow || nhigh == high->nsample)
		return false;
	l = usual_of(low->sample, 0, nlow);
	h = usual_of(high->sample, nhigh, high->nsample);
	for (uint32_t r = 0; r < p->fr->nrow; r++) {
		double x, y;

		if (!is_swapped(p, r))
			continue;
		x = number_of(low, r);
		y = number_of(high, r);
		n++;
		zeros += x == 0 || y == 0;
		fits += x >= h.low && x <= h.high && y >= l.low && y <= l.high;
		above_high += x > h.median ? 1 : x == h.median ? 0.5 : 0;
		above_low += y > l.median ? 1 : y == l.median ? 0.5 : 0;
	}
	return n && (double)fits >= MIN_USUAL * n && zeros * 2 <= n &&
	       is_about_half(above_low, n) && is_about_half(above_high, n);
}

/* Does one number go down where the other goes up, in the rows without a swap? */
static bool are_opposed(const pair *p)
{
	const uint32_t step = p->fr->nrow / SAMPLE + 1;
	double n = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0, x0 = NAN, y0 = NAN;

	for (uint32_t r = 0; r < p->fr->nrow; r += step) {
		double x = number_of(p->a, r), y = number_of(p->b, r);

		if (isnan(x) || isnan(y) || is_swapped(p, r))
			continue;
		if (isnan(x0)) {
			x0 = x;
			y0 = y;
		}
		/* Differences to the first keep the sums exact enough. */
		x -= x0;
		y -= y0;
		n++;
		sx += x;
		sy += y;
		sxx += x * x;
		syy += y * y;
		sxy += x * y;
	}
	return n * sxy - sx * sy < MIN_CORR * sqrt((n * sxx - sx * sx) * (n * syy - sy * sy));
}

/* ---- pairs ---- */

/* Every step-th row. */
static void count_rows(pair *p, uint32_t step)
{
	p->both = p->strange_a = p->strange_b = p->swaps = p->shared = 0;
	for (uint32_t r = 0; r < p->fr->nrow; r += step) {
		const uint32_t x = p->a->col->code[r], y = p->b->col->code[r];
		bool in_a, in_b;

		if (!x || !y)
			continue;
		in_a = is_strange(p, p->a, r);
		in_b = is_strange(p, p->b, r);
		p->both++;
		p->strange_a += in_a;
		p->strange_b += in_b;
		p->swaps += in_a && in_b;
		if (p->a->is_text)
			p->shared += p->a->belongs[x] == IS_SHARED || p->b->belongs[y] == IS_SHARED;
	}
}

/* How probable so many pairs are, where both are strange by chance. */
static double chance_of(const pair *p)
{
	const double expected = (double)p->strange_a * p->strange_b / p->both;
	double ret = 1;

	for (uint32_t i = 1; i <= p->swaps && ret > MAX_CHANCE / 1000; i++)
		ret *= expected / i;
	return ret;
}

static bool is_swap(pair *p)
{
	uint32_t most, alone;

	count_rows(p, 1);
	most = p->strange_a > p->strange_b ? p->strange_a : p->strange_b;
	alone = p->strange_a + p->strange_b - 2 * p->swaps;
	return p->swaps && p->both >= MIN_ROWS && (double)p->swaps >= MIN_PAIRED * most &&
	       (double)p->swaps <= MAX_SHARE * p->both &&
	       (double)p->swaps * p->both >= BEYOND * (double)p->strange_a * p->strange_b &&
	       chance_of(p) <= MAX_CHANCE && (double)p->shared <= MAX_SHARED * p->both &&
	       (p->a->is_text || (double)alone <= MAX_UNPAIRED * p->both);
}

/* A sample shows cheaply that two numbers are no such pair. */
static bool may_be_swap(pair *p)
{
	count_rows(p, p->fr->nrow / SAMPLE + 1);
	return (double)(p->strange_a + p->strange_b - 2 * p->swaps) <=
	       2 * MAX_UNPAIRED * p->both + 3;
}

/* ---- swaps that may be meant ---- */

static bool are_roles(const side *a, const side *b)
{
	static const char *const roles[][2] = {
		{ "from", "to" },
		{ "source", "target" },
		{ "source", "destination" },
		{ "src", "dst" },
		{ "origin", "destination" },
		{ "orig", "dest" },
		{ "sender", "recipient" },
		{ "sender", "receiver" },
		{ "departure", "arrival" },
		{ "pickup", "dropoff" },
		{ "home", "away" },
		{ "buyer", "seller" },
		{ "base", "quote" },
		{ "payer", "payee" },
		{ "winner", "loser" },
		{ "host", "guest" },
		{ "old", "new" },
		{ "previous", "current" },
		{ "in", "out" },
		{ "left", "right" },
		{ "debit", "credit" },
		{ "import", "export" },
		{ "buy", "sell" },
		{ "parent", "child" },
		{ "von", "nach" },
		{ "heim", "gast" },
		{ "start", "ziel" },
	};
	const ag_field_name x = ag_field_name_of(a->col->f->path),
			    y = ag_field_name_of(b->col->f->path);

	for (size_t i = 0; i < AG_NELEM(roles); i++)
		for (int k = 0; k < 2; k++)
			if (ag_field_has_word(&x, roles[i][k]) &&
			    ag_field_has_word(&y, roles[i][1 - k]))
				return true;
	return false;
}

/* Do nearly all swapped rows have values in this column that hardly any other row has? */
static bool marks_swaps(const ag_frame_col *c, const uint32_t *rows, uint32_t n)
{
	uint32_t of[MAX_KINDS + 1] = { 0 }, marked = 0;

	for (uint32_t i = 0; i < n; i++)
		of[c->code[rows[i]]]++;
	for (uint32_t k = 1; k <= c->nvalue; k++)
		if (of[k] >= MIN_HOME && (double)of[k] >= MARKED * c->count[k - 1])
			marked += of[k];
	return (double)marked >= MARKED * n;
}

static bool are_marked(const pair *p, ag_arena *arena)
{
	uint32_t *rows, n = 0;
	uint8_t *mark;

	if (p->swaps < MIN_MARKED)
		return false;
	rows = ag_new_n(arena, uint32_t, p->swaps);
	mark = ag_new_n(arena, uint8_t, p->fr->nrow + 1);
	for (uint32_t r = 0; r < p->fr->nrow; r++)
		if (is_swapped(p, r)) {
			rows[n++] = r;
			mark[r] = AG_ROW_ODD;
		}
	if (ag_frame_odd_is_of_one(p->fr, p->a->col, p->b->col, mark))
		return true;
	for (size_t i = 0; i < p->fr->ncol; i++) {
		const ag_frame_col *c = &p->fr->cols[i];

		if (c != p->a->col && c != p->b->col && c->nvalue >= 2 && c->nvalue <= MAX_KINDS &&
		    marks_swaps(c, rows, n))
			return true;
	}
	return false;
}

/* ---- the hypotheses ---- */

/* {"$in": texts}, of a sample all that are strange. */
static ag_val texts_of(const pair *p, const side *x, ag_arena *a)
{
	ag_val *all = ag_new_n(a, ag_val, x->col->nvalue);
	size_t n = 0;

	for (uint32_t i = 1; i <= x->col->nvalue; i++)
		if (p->fr->step > 1 ? x->belongs[i] == IS_STRANGE : x->swapped[i])
			all[n++] = x->col->values[i - 1];
	return OBJ(a, KV("$in", ag_ev_arr(a, all, n)));
}

/* {"$gte": the lowest swapped number}, of a sample {"$gt": bound}; the other way round for the high ones. */
static ag_val numbers_of(const pair *p, const side *x, ag_arena *a)
{
	const bool is_low = x == p->a;
	double limit = is_low ? INFINITY : -INFINITY;

	if (p->fr->step > 1)
		return OBJ(a, KV(is_low ? "$gt" : "$lte", ag_val_double(p->bound)));
	for (uint32_t r = 0; r < p->fr->nrow; r++)
		if (is_swapped(p, r))
			limit = is_low ? fmin(limit, number_of(x, r))
			               : fmax(limit, number_of(x, r));
	return OBJ(a, KV(is_low ? "$gte" : "$lte", ag_val_double(limit)));
}

/* {"a": COND, "b": COND} */
static ag_str evidence_of(const pair *p, ag_arena *a)
{
	const side *sides[] = { p->a, p->b };
	ag_member both[2];
	ag_val clause;

	for (uint32_t r = 0; p->a->is_text && r < p->fr->nrow; r++)
		if (is_swapped(p, r))
			for (size_t i = 0; i < 2; i++)
				sides[i]->swapped[sides[i]->col->code[r]] = true;
	for (size_t i = 0; i < 2; i++)
		both[i] = (ag_member){ ag_ev_key(a, sides[i]->col->f),
			               sides[i]->is_text ? texts_of(p, sides[i], a)
			                                 : numbers_of(p, sides[i], a) };
	for (size_t i = 0; p->a->is_text && i < 2; i++)
		memset(sides[i]->swapped, 0, (size_t)sides[i]->col->nvalue + 1);
	clause = ag_ev_obj(a, both, 2);
	return ag_ev_rows(a, p->a->col->f, &clause, 1);
}

static ag_str example_of(const pair *p, const side *own, const side *other, ag_arena *a)
{
	for (uint32_t r = 0; r < p->fr->nrow; r++)
		if (is_swapped(p, r))
			return ag_str_printf(
				a, "%.*s is %.*s where %.*s is %.*s", AG_FMT(own->col->f->path),
				AG_FMT(ag_quote_value(a, &own->col->values[own->col->code[r] - 1])),
				AG_FMT(other->col->f->path),
				AG_FMT(ag_quote_value(
					a, &other->col->values[other->col->code[r] - 1])));
	return AG_S("");
}

static void suspect(const pair *p, ag_arena *scratch, ag_hypotheses *out)
{
	const bool is_meant = are_roles(p->a, p->b) || are_marked(p, scratch) ||
	                      (!p->a->is_text && !ag_names_of_one_kind(p->a->col->f, p->b->col->f));
	const ag_str evidence = evidence_of(p, out->arena);

	for (int i = 0; i < 2; i++) {
		const side *own = i ? p->b : p->a, *other = i ? p->a : p->b;
		ag_hypothesis *h = ag_suspect(out, own->col->f, "swapped_values",
		                              is_meant ? AG_LOW : AG_MEDIUM, is_meant ? 0.5 : 0.85,
		                              evidence);

		if (!h)
			continue;
		ag_suspect_fix(h);
		ag_suspect_say(h, "", "the two values were entered in each other's field",
		               "swap the two values");
		h->what = ag_str_printf(
			out->arena, "the value belongs to %.*s, and the value there belongs here",
			AG_FMT(other->col->f->path));
		h->detail = example_of(p, own, other, out->arena);
	}
}

static void try_numbers(pair p, ag_arena *scratch, ag_hypotheses *out)
{
	if (bound_between(p.a, p.b, &p.bound) && may_be_swap(&p) && is_swap(&p) && are_usual(&p) &&
	    !are_opposed(&p))
		suspect(&p, scratch, out);
}

static void try_texts(pair p, ag_arena *scratch, ag_hypotheses *out)
{
	if (compare_texts(&p) && is_swap(&p))
		suspect(&p, scratch, out);
}

/* ---- texts with digits and texts without ---- */

typedef struct kinds {
	const ag_frame_col *col;
	uint8_t *has_digit;     /* [nvalue + 1] by code: 1 none, 2 some, 0 nothing to say */
	uint32_t plain, digits; /* rows */
} kinds;

static uint8_t kind_of_value(const ag_val *v)
{
	const ag_str s = ag_val_text(v);

	if (ag_type_is_number(v->type))
		return 2;
	if (v->type != AG_T_STRING || !s.len || s.len > MAX_TEXT ||
	    ag_text_classify(s) >> AG_TEXT_NULL_WORD & 1)
		return 0;
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] >= '0' && s.ptr[i] <= '9')
			return 2;
	return 1;
}

/* A field of texts, codes or numbers of a CSV. */
static bool take_kinds(const ag_profile *p, const ag_frame *fr, const ag_frame_col *c,
                       ag_arena *arena, kinds *ret)
{
	uint64_t numbers = 0;

	*ret = (kinds){ .col = c };
	if (c->nfilled < MIN_ROWS || c->nfilled * 2ull < fr->nrow || c->nvalue < 2 ||
	    !ag_path_is_plain(arena, c->f) || ag_path_is_prose(c->f, &(ag_field_name){ 0 }))
		return false;
	ret->has_digit = ag_new_n(arena, uint8_t, (size_t)c->nvalue + 1);
	for (uint32_t i = 0; i < c->nvalue; i++) {
		const uint8_t k = kind_of_value(&c->values[i]);

		ret->has_digit[i + 1] = k;
		ret->plain += k == 1 ? c->count[i] : 0;
		ret->digits += k == 2 ? c->count[i] : 0;
		numbers += ag_type_is_number(c->values[i].type) ? c->count[i] : 0;
	}
	/* Numbers of other sources say by their type that they stand in the wrong field. */
	return p->has_views || !numbers;
}

/* Rows in which a has a digit and b has none, where all others are the reverse. */
static bool is_mixed_swap(const ag_frame *fr, const kinds *a, const kinds *b, bool *mark)
{
	uint32_t both = 0, swaps = 0, alone = 0;

	if (a->plain <= a->digits || b->digits <= b->plain || !a->digits || !b->plain)
		return false;
	for (uint32_t r = 0; r < fr->nrow; r++) {
		const uint8_t x = a->has_digit[a->col->code[r]], y = b->has_digit[b->col->code[r]];

		mark[r] = x == 2 && y == 1;
		both += x && y;
		swaps += mark[r];
		alone += x && y && (x == 2) != (y == 1);
	}
	return swaps && both >= MIN_ROWS && (double)swaps <= MAX_MIXED * both &&
	       (double)alone <= MAX_STRAY * both && alone <= swaps;
}

/* {"$in": the values of the marked rows} */
static ag_val marked_values(const ag_frame *fr, const ag_frame_col *c, const bool *mark,
                            ag_arena *a)
{
	bool *seen = ag_new_n(a, bool, (size_t)c->nvalue + 1);
	ag_val *all = ag_new_n(a, ag_val, (size_t)c->nvalue + 1);
	size_t n = 0;

	for (uint32_t r = 0; r < fr->nrow; r++)
		seen[c->code[r]] |= mark[r];
	for (uint32_t i = 1; i <= c->nvalue && n < MAX_LIST; i++)
		if (seen[i])
			all[n++] = c->values[i - 1];
	return OBJ(a, KV("$in", ag_ev_arr(a, all, n)));
}

static void suspect_mixed(const ag_frame *fr, const kinds *x, const kinds *y, const bool *mark,
                          ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	const ag_frame_col *two[] = { x->col, y->col };
	ag_member both[2];
	ag_val clause;
	ag_str evidence;

	for (size_t i = 0; i < 2; i++)
		both[i] = (ag_member){ ag_ev_key(a, two[i]->f),
			               marked_values(fr, two[i], mark, a) };
	clause = ag_ev_obj(a, both, 2);
	evidence = ag_ev_rows(a, two[0]->f, &clause, 1);
	for (size_t i = 0; i < 2; i++) {
		ag_hypothesis *h = ag_suspect(out, two[i]->f, "swapped_values", AG_MEDIUM, 0.85,
		                              evidence);

		if (!h)
			continue;
		ag_suspect_fix(h);
		ag_suspect_say(h, "", "the two values were entered in each other's field",
		               "swap the two values");
		h->what = ag_str_printf(
			a, "the value belongs to %.*s, and the value there belongs here",
			AG_FMT(two[1 - i]->f->path));
	}
}

static ag_status check_mixed(const ag_across *x, const ag_frame *fr, ag_hypotheses *out,
                             ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	kinds *all = ag_new_n(arena, kinds, MAX_COLS);
	bool *mark = ag_new_n(arena, bool, (size_t)fr->nrow + 1);
	size_t n = 0;
	ag_status st = AG_OK;

	for (size_t i = 0; i < fr->ncol && n < MAX_COLS; i++)
		n += take_kinds(x->p, fr, &fr->cols[i], arena, &all[n]);
	for (size_t i = 0; !st && fr->step == 1 && i < n; i++) {
		st = ag_ctx_check(x->ctx, err);
		for (size_t k = 0; !st && k < n; k++)
			if (i != k && is_mixed_swap(fr, &all[i], &all[k], mark))
				suspect_mixed(fr, &all[i], &all[k], mark, out);
	}
	return st;
}

static ag_status check_frame(const ag_across *x, const ag_frame *fr, ag_hypotheses *out,
                             ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	side *sides = ag_new_n(arena, side, MAX_COLS);
	size_t n = 0, npair = 0;
	ag_status st = AG_OK;

	for (size_t i = 0; i < fr->ncol && n < MAX_COLS; i++)
		n += take_side(fr, &fr->cols[i], arena, &sides[n]);
	for (size_t i = 0; !st && i < n; i++) {
		st = ag_ctx_check(x->ctx, err);
		for (size_t k = i + 1; !st && k < n && npair < MAX_PAIRS; k++) {
			if (sides[i].is_text != sides[k].is_text)
				continue;
			npair++;
			if (sides[i].is_text) {
				try_texts((pair){ .fr = fr, .a = &sides[i], .b = &sides[k] }, arena,
				          out);
				continue;
			}
			try_numbers((pair){ .fr = fr, .a = &sides[i], .b = &sides[k] }, arena, out);
			try_numbers((pair){ .fr = fr, .a = &sides[k], .b = &sides[i] }, arena, out);
		}
	}
	return st;
}

ag_status ag_check_swap(AG_ACROSS_ARGS)
{
	ag_status st = AG_OK;

	for (size_t i = 0; !st && i < x->frames->n; i++)
		if (x->frames->items[i].ncol > 1 && x->frames->items[i].nrow >= MIN_ROWS)
			st = check_frame(x, &x->frames->items[i], out, err);
	for (size_t i = 0; !st && i < x->frames->n; i++)
		if (x->frames->items[i].ncol > 1 && x->frames->items[i].nrow >= MIN_ROWS)
			st = check_mixed(x, &x->frames->items[i], out, err);
	return st;
}
