/* check_serial -- row 25: running numbers that come twice, whatever the field is called.
 *
 * A number that runs with the documents ("R0300017", "V2024-00017", 20017) is the documents' own. Where one document has
 * the number of another, its own number is missing: it is out of order, and a number is missing between its neighbours. A
 * reference to something else has no holes: payments repeat the number of an order next to each other, or later, and the
 * numbers around them follow each other.
 *
 * The number is the longest run of digits of the value; the order is that of the longest rising sequence. Where the
 * documents are not in the order of their numbers, the numbers from the lowest to the highest must be as many as the
 * documents are.
 *
 * Speaks: copies in up to 40% of the documents; from 20 documents. */
#include "audit/checks.h"

#include <math.h>
#include <stdlib.h>

#define MIN_ROWS     20
#define MAX_DIGITS   15
#define ONE_FORM     0.9
#define MIN_FILLED   0.99
#define MAX_COPIES   0.4  /* of the documents */
#define MIN_SORTED   0.6  /* of the documents are in order */
#define MAX_IN_ORDER 0.1  /* of the copies */
#define MAX_OUT      20   /* documents out of order in a row: more were appended */
#define MIN_HOLE     0.75 /* of a step for each document out of order */
#define REGULAR      0.8  /* of the steps are equal */
#define FEW_COPIES   10   /* whose holes say something only among regular steps */
#define AS_MANY      0.01 /* by so much numbers and documents may differ */

typedef struct serial {
	const ag_frame *fr;
	const ag_frame_col *col;
	double *number;     /* [nrow] NAN = none */
	uint8_t *in_order;  /* [nrow] */
	uint32_t n, sorted; /* documents with a number; in order */
} serial;

/* The longest run of digits, the last of several; NAN = none, or no code: "12 Main Street", 3.5 */
static double number_of(const ag_val *v)
{
	const ag_str s = v->type == AG_T_STRING ? ag_val_text(v) : AG_S("");
	size_t best = 0, at = 0, run = 0;
	double ret = 0;

	if (v->type == AG_T_INT32 || v->type == AG_T_INT64)
		return (double)v->u.i;
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == ' ')
			return NAN;
		run = s.ptr[i] >= '0' && s.ptr[i] <= '9' ? run + 1 : 0;
		if (run && run >= best) {
			best = run;
			at = i + 1 - run;
		}
	}
	if (!best || best > MAX_DIGITS)
		return NAN;
	for (size_t i = at; i < at + best; i++)
		ret = 10 * ret + (s.ptr[i] - '0');
	return ret;
}

/* Numbers, or texts of one form: nicknames with digits are no numbers. */
static bool has_one_form(const ag_path_profile *f)
{
	const uint64_t texts = f->str.nform ? f->str.forms[0].n : 0;

	return (double)(f->num.nint + texts) >= ONE_FORM * f->nscalar;
}

/* Nearly every document has one, nearly all are different, and some are not. */
static bool may_be_serial(const ag_frame *fr, const ag_frame_col *c)
{
	const ag_path_profile *f = c->f;
	const ag_field_name n = ag_field_name_of(f->owner);

	return fr->nrow >= MIN_ROWS && c->nvalue < c->nfilled &&
	       (double)c->nfilled >= MIN_FILLED * fr->nrow &&
	       (double)(c->nfilled - c->nvalue) <= MAX_COPIES * c->nfilled &&
	       f->parent == UINT32_MAX && !f->date.n && has_one_form(f) &&
	       !(n.traits & AG_TRAIT_PHONE);
}

/* The longest sequence that does not fall: marks its documents. */
static void mark_order(serial *s, ag_arena *arena)
{
	const uint32_t nrow = s->fr->nrow;
	uint32_t *tail = ag_new_n(arena, uint32_t, (size_t)nrow + 1),
		 *before = ag_new_n(arena, uint32_t, (size_t)nrow + 1), len = 0;

	for (uint32_t r = 0; r < nrow; r++) {
		uint32_t low = 0, high = len;

		if (isnan(s->number[r]))
			continue;
		while (low < high) {
			const uint32_t mid = (low + high) / 2;

			if (s->number[tail[mid]] <= s->number[r])
				low = mid + 1;
			else
				high = mid;
		}
		before[r] = low ? tail[low - 1] : UINT32_MAX;
		tail[low] = r;
		len = low == len ? len + 1 : len;
	}
	for (uint32_t r = len ? tail[len - 1] : UINT32_MAX; r != UINT32_MAX; r = before[r])
		s->in_order[r] = 1;
	s->sorted = len;
}

static int by_value(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* Steps between neighbours in order, and across documents that are not. */
typedef struct steps {
	double usual; /* the median step of neighbours */
	bool is_regular;
	double across;  /* the sum of the steps across documents out of order */
	uint32_t skips; /* and of the steps that should be there */
} steps;

static steps steps_of(const serial *s, ag_arena *arena)
{
	double *all = ag_new_n(arena, double, (size_t)s->fr->nrow + 1);
	uint32_t n = 0, last = UINT32_MAX, out = 0, same = 0;
	steps ret = { 0 };

	for (uint32_t r = 0; r < s->fr->nrow; r++) {
		if (!s->in_order[r]) {
			out++;
			continue;
		}
		if (last != UINT32_MAX && !out) {
			all[n++] = s->number[r] - s->number[last];
		} else if (last != UINT32_MAX && out <= MAX_OUT) {
			ret.across += s->number[r] - s->number[last];
			ret.skips += out + 1;
		}
		last = r;
		out = 0;
	}
	if (!n)
		return ret;
	qsort(all, n, sizeof(*all), by_value);
	ret.usual = all[n / 2];
	for (uint32_t i = 0; i < n; i++)
		same += all[i] == ret.usual;
	ret.is_regular = (double)same >= REGULAR * n;
	if (!ret.is_regular) { /* the mean of all but the longest */
		const uint32_t most = n - n / 100;

		ret.usual = 0;
		for (uint32_t i = 0; i < most; i++)
			ret.usual += all[i] / most;
	}
	return ret;
}

/* In the order of the documents: the copies are out of order, and a number is missing in their place. */
static bool is_own_by_place(serial *s, ag_arena *arena)
{
	uint8_t *seen = ag_new_n(arena, uint8_t, (size_t)s->col->nvalue + 1);
	uint32_t copies = s->col->nfilled - s->col->nvalue, placed = 0;
	steps st;

	for (uint32_t r = 0; r < s->fr->nrow; r++) {
		const uint32_t code = s->col->code[r];

		if (!code || !s->in_order[r])
			continue;
		placed += seen[code];
		seen[code] = 1;
	}
	st = steps_of(s, arena);
	return (double)placed <= MAX_IN_ORDER * copies && st.usual > 0 && st.skips &&
	       (st.is_regular || copies >= FEW_COPIES) &&
	       st.across >= st.usual * st.skips * (1 + MIN_HOLE) / 2 &&
	       st.across <= st.usual * st.skips * 1.5;
}

/* In no order: as many numbers from the lowest to the highest as there are documents. */
static bool is_own_by_number(const serial *s, ag_arena *arena)
{
	double *all = ag_new_n(arena, double, (size_t)s->fr->nrow + 1), step = HUGE_VAL, count;
	uint32_t n = 0, distinct = 1, same = 0;

	for (uint32_t r = 0; r < s->fr->nrow; r++)
		if (!isnan(s->number[r]))
			all[n++] = s->number[r];
	qsort(all, n, sizeof(*all), by_value);
	for (uint32_t i = 1; i < n; i++) {
		const double d = all[i] - all[i - 1];

		distinct += d > 0;
		step = d > 0 && d < step ? d : step;
	}
	for (uint32_t i = 1; i < n; i++)
		same += all[i] - all[i - 1] == step;
	count = (all[n - 1] - all[0]) / step + 1;
	/* The number alone is the key, most of its steps are one, and nothing is left over. */
	return distinct == s->col->nvalue && (double)same >= 0.5 * n &&
	       fabs(count - n) <= fmax(1, AS_MANY * n);
}

static bool is_own(const ag_frame *fr, const ag_frame_col *c)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	serial s = { .fr = fr, .col = c };

	s.number = ag_new_n(arena, double, (size_t)fr->nrow + 1);
	s.in_order = ag_new_n(arena, uint8_t, (size_t)fr->nrow + 1);
	for (uint32_t r = 0; r < fr->nrow; r++) {
		s.number[r] = c->code[r] ? number_of(&c->values[c->code[r] - 1]) : NAN;
		s.n += !isnan(s.number[r]);
	}
	if (s.n < MIN_ROWS || (double)s.n < MIN_FILLED * c->nfilled)
		return false;
	mark_order(&s, arena);
	return (double)s.sorted >= MIN_SORTED * s.n ? is_own_by_place(&s, arena)
	                                            : is_own_by_number(&s, arena);
}

ag_status ag_check_serial(AG_ACROSS_ARGS)
{
	const ag_frame *fr = x->frames->n ? &x->frames->items[0] : NULL;

	for (size_t i = 0; fr && fr->step == 1 && i < fr->ncol; i++) {
		const ag_frame_col *c = &fr->cols[i];
		const ag_status st = ag_ctx_check(x->ctx, err);
		ag_hypothesis *h;

		if (st)
			return st;
		if (!may_be_serial(fr, c) || !is_own(fr, c))
			continue;
		h = ag_suspect(out, c->f, "duplicates", AG_HIGH, 0.9,
		               ag_duplicates_pipeline(out->arena, c->f));
		if (!h)
			continue;
		h->min_count = 2;
		ag_suspect_say(h,
		               "a running number occurs in more than one document, and the number "
		               "that belongs there is missing",
		               "an import that ran twice, or a number that was copied",
		               "give each document its own number, then create a unique index");
	}
	return AG_OK;
}
