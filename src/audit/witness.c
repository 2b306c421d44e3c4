/* witness -- suspicions that another field of the same documents, or the values themselves, explain: they become low.
 *
 * A very large order has a very large tax, and a large gift makes a large sum. A slip is in one field: in its documents
 * every other number is as usual. So where another number is far out in (nearly) the same rows, the distribution has a
 * few honest giants, and the suspicion becomes low. What is taken back has its number and its sum with a minus sign. The same where a label says that these rows are of a kind of their
 * own: only one of the staff is called director. */
#include <math.h>
#include <stdlib.h>

#include "audit/checks.h"
#include "audit/neighbours.h"

#define FAR       3   /* interquartile ranges beyond the third quartile: far out */
#define CONFIRMED 0.8 /* of the suspected rows */
#define MAX_FAR   0.1 /* of all rows: beyond it the other field is often so */
#define MAX_OF_LABEL \
	0.5 /* of all rows: numbers of a kind of their own, as rates of one currency are */
#define MIN_VALUES    5 /* different numbers of the other field */
#define MAX_LABELS    50
#define ROWS_OF_LABEL 4 /* on average */

/* Is the number with this code beyond the limits? */
static bool is_beyond(const ag_frame_col *c, uint32_t code, double low, double high)
{
	const ag_val *v = code ? &c->values[code - 1] : NULL;

	return v && ag_type_is_number(v->type) &&
	       (ag_val_number(v) < low || ag_val_number(v) > high);
}

/* Codes that are far out, [nvalue + 1]; false where there are none, or in more than max of the rows. */
static bool far_codes(const ag_frame *fr, const ag_frame_col *g, double low, double high,
                      double max, bool *ret_far)
{
	uint64_t n = 0;

	ret_far[0] = false;
	for (uint32_t i = 0; i < g->nvalue; i++) {
		ret_far[i + 1] = is_beyond(g, i + 1, low, high);
		n += ret_far[i + 1] ? g->count[i] : 0;
	}
	return n && (double)n <= max * fr->nrow;
}

static bool is_measure(const ag_frame_col *g)
{
	const ag_num_profile *m = &g->f->num;
	const ag_field_name name = ag_field_name_of(g->f->owner);

	return m->n && m->n * 10 >= g->f->nscalar * 9 && g->f->ndistinct >= MIN_VALUES &&
	       m->q.p75 > m->q.p25 && !ag_name_is_identifier(&name);
}

static bool confirms(const ag_frame *fr, const ag_frame_col *f, const bool *suspected,
                     const ag_frame_col *g, bool *scratch)
{
	const ag_num_profile *m = &g->f->num;
	const double reach = FAR * (m->q.p75 - m->q.p25);
	uint32_t n = 0, both = 0;

	if (!is_measure(g) ||
	    !far_codes(fr, g, m->q.p25 - reach, m->q.p75 + reach, MAX_FAR, scratch))
		return false;
	for (uint32_t row = 0; row < fr->nrow; row++) {
		if (!suspected[f->code[row]])
			continue;
		n++;
		both += scratch[g->code[row]];
	}
	return n && both >= CONFIRMED * n;
}

/* Labels of which most are on many rows, and the suspected rows have ones that no other row has. */
static bool has_own_label(const ag_frame *fr, const ag_frame_col *f, const bool *suspected,
                          const ag_frame_col *g, uint32_t *scratch)
{
	uint32_t n = 0, own = 0;

	if (g->nvalue < 2 || g->nvalue > MAX_LABELS || g->f->str.n * 10 < g->f->nscalar * 9 ||
	    g->nvalue * (uint64_t)ROWS_OF_LABEL > g->nfilled)
		return false;
	memset(scratch, 0, ((size_t)g->nvalue + 1) * sizeof(*scratch));
	for (uint32_t row = 0; row < fr->nrow; row++) {
		if (!suspected[f->code[row]])
			continue;
		n++;
		scratch[g->code[row]]++;
	}
	for (uint32_t k = 1; k <= g->nvalue; k++)
		own += scratch[k] == g->count[k - 1] ? scratch[k] : 0;
	return n && own == n;
}

/* Codes of numbers with a minus sign. */
static void minus_codes(const ag_frame_col *g, bool *ret)
{
	ret[0] = false;
	for (uint32_t i = 0; i < g->nvalue; i++)
		ret[i + 1] = is_beyond(g, i + 1, 0, INFINITY);
}

/* What is taken back has a number and a sum with a minus sign, and a price without one. */
static bool is_unit_price(const ag_frame_col *g)
{
	static const char *const words[] = { "price", "prix",  "preis", "precio", "prezzo",
		                             "preço", "prijs", "pris",  "cena",   "unit" };
	const ag_field_name n = ag_field_name_of(g->f->owner);

	for (size_t i = 0; i < AG_NELEM(words); i++)
		if (ag_field_has_word(&n, words[i]))
			return true;
	return false;
}

/* Another number has a minus sign in (nearly) the same rows, and in no others: a return. */
static bool is_taken_back(const ag_frame *fr, const ag_frame_col *f, ag_arena *scratch)
{
	bool *mine = ag_new_n(scratch, bool, (size_t)f->nvalue + 1);

	if (is_unit_price(f))
		return false;
	minus_codes(f, mine);
	for (size_t c = 0; c < fr->ncol; c++) {
		const ag_frame_col *g = &fr->cols[c];
		uint32_t n = 0, its = 0, both = 0;
		bool *other;

		if (g == f || !g->f->num.n || g->f->num.q.min >= 0 || is_unit_price(g))
			continue;
		other = ag_new_n(scratch, bool, (size_t)g->nvalue + 1);
		minus_codes(g, other);
		for (uint32_t row = 0; row < fr->nrow; row++) {
			n += mine[f->code[row]];
			its += other[g->code[row]];
			both += mine[f->code[row]] && other[g->code[row]];
		}
		if (n && both >= CONFIRMED * n && both >= CONFIRMED * its)
			return true;
	}
	return false;
}

static bool is_confirmed(const ag_frame *fr, const ag_frame_col *f, const ag_hypothesis *h,
                         ag_arena *scratch)
{
	bool *suspected = ag_new_n(scratch, bool, (size_t)f->nvalue + 1);
	bool is_rare;

	if (h->is_minus)
		return is_taken_back(fr, f, scratch);
	if (!far_codes(fr, f, h->low, h->high, MAX_OF_LABEL, suspected))
		return false;
	is_rare = far_codes(fr, f, h->low, h->high, MAX_FAR, suspected);
	for (size_t c = 0; c < fr->ncol; c++) {
		const ag_frame_col *g = &fr->cols[c];

		if (g != f &&
		    ((is_rare && confirms(fr, f, suspected, g,
		                          ag_new_n(scratch, bool, (size_t)g->nvalue + 1))) ||
		     has_own_label(fr, f, suspected, g,
		                   ag_new_n(scratch, uint32_t, (size_t)g->nvalue + 1))))
			return true;
	}
	return false;
}

/* ---- types, gaps and copies ---- */

#define MIN_TOLD 3 /* rows of another type: fewer share a value of some field by chance */

/* A field of few values tells which rows have the other type: the version of the document. */
static bool is_type_told(const ag_frame *fr, const ag_frame_col *f, ag_arena *scratch)
{
	uint8_t *mark = ag_new_n(scratch, uint8_t, fr->nrow + 1);
	uint32_t texts = 0, others = 0;
	bool is_text_usual;

	for (uint32_t i = 0; i < f->nvalue; i++)
		*(f->values[i].type == AG_T_STRING ? &texts : &others) += f->count[i];
	if (texts < MIN_TOLD || others < MIN_TOLD)
		return false;
	is_text_usual = texts >= others;
	for (uint32_t row = 0; row < fr->nrow; row++) {
		const uint32_t code = f->code[row];

		if (code)
			mark[row] = (f->values[code - 1].type == AG_T_STRING) == is_text_usual
			                    ? AG_ROW_USUAL
			                    : AG_ROW_ODD;
	}
	return ag_frame_tells_odd(fr, f, mark);
}

#define OWN_KEY    0.98 /* of the values of a key are different */
#define OWN_VALUES 3
#define REFERS     0.8 /* of the rows with a value */

static int by_hash(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool may_refer(const ag_frame_col *f)
{
	const ag_field_name name = ag_field_name_of(f->f->owner);
	uint32_t ntext = 0;

	for (uint32_t i = 0; i < f->nvalue; i++)
		ntext += f->values[i].type == AG_T_STRING || f->values[i].type == AG_T_OID;
	/* Small numbers are among the keys by chance. */
	return f->nvalue >= OWN_VALUES && (ntext == f->nvalue || ag_name_is_identifier(&name));
}

/* The values of f are keys of the same rows, as those of a superior are: the first of all has none. */
static bool refers_to_own(const ag_frame *fr, const ag_frame_col *f, ag_arena *scratch)
{
	for (size_t c = 0; c < fr->ncol && may_refer(f); c++) {
		const ag_frame_col *g = &fr->cols[c];
		uint64_t *keys, hash, there = 0;
		uint32_t n = 0;

		if (g == f || g->nfilled < OWN_KEY * fr->nrow || g->nvalue < OWN_KEY * g->nfilled ||
		    g->nvalue <= f->nvalue)
			continue;
		keys = ag_new_n(scratch, uint64_t, g->nvalue);
		for (uint32_t i = 0; i < g->nvalue; i++)
			n += ag_neighbour_hash(&g->values[i], &keys[n]);
		qsort(keys, n, sizeof(*keys), by_hash);
		for (uint32_t i = 0; i < f->nvalue; i++)
			there += ag_neighbour_hash(&f->values[i], &hash) &&
			                         bsearch(&hash, keys, n, sizeof(*keys), by_hash)
			                 ? f->count[i]
			                 : 0;
		if (n && (double)there >= REFERS * f->nfilled)
			return true;
	}
	return false;
}

#define BY_CHANCE 0.01

/* All gaps are in rows where another field has none either: a race that was given up has no time, and no time halfway. */
static bool is_gap_of_gap(const ag_frame *fr, const ag_frame_col *f)
{
	const uint32_t ngap = fr->nrow - f->nfilled;

	for (size_t c = 0; c < fr->ncol && ngap > 1; c++) {
		const ag_frame_col *g = &fr->cols[c];
		uint32_t both = 0;

		if (g == f || g->nfilled >= f->nfilled ||
		    pow(1 - (double)g->nfilled / fr->nrow, ngap) > BY_CHANCE)
			continue;
		for (uint32_t row = 0; row < fr->nrow; row++)
			both += !f->code[row] && !g->code[row];
		if (both == ngap)
			return true;
	}
	return false;
}

#define LATEST_TIMES 3   /* times as many rows as there are gaps: the latest ones */
#define LATEST_MOST  0.8 /* of the gaps are in them */
#define LATEST_MIN   4   /* gaps */

typedef struct dated {
	const ag_val *at;
	bool is_gap;
} dated;

static int by_date(const void *a, const void *b)
{
	return ag_val_cmp(((const dated *)a)->at, ((const dated *)b)->at);
}

static bool holds_dates(const ag_frame_col *g)
{
	return g->f->date.n * 10 >= g->f->nscalar * 9 ||
	       g->f->str.by_date[AG_DATE_ISO] * 10 >= g->f->nscalar * 9;
}

/* Most gaps are in the latest rows: what is still open has no end. */
static bool is_open(const ag_frame *fr, const ag_frame_col *f, ag_arena *scratch)
{
	const uint32_t ngap = fr->nrow - f->nfilled;

	if (ngap < LATEST_MIN || ngap * 2 * LATEST_TIMES > fr->nrow)
		return false;
	for (size_t c = 0; c < fr->ncol; c++) {
		const ag_frame_col *g = &fr->cols[c];
		uint32_t n = 0, late = 0;
		dated *rows;

		if (g == f || !holds_dates(g))
			continue;
		rows = ag_new_n(scratch, dated, fr->nrow);
		for (uint32_t row = 0; row < fr->nrow; row++)
			if (g->code[row])
				rows[n++] = (dated){ &g->values[g->code[row] - 1], !f->code[row] };
		if (n < LATEST_TIMES * ngap)
			continue;
		qsort(rows, n, sizeof(*rows), by_date);
		for (uint32_t i = n - LATEST_TIMES * ngap; i < n; i++)
			late += rows[i].is_gap;
		if (late >= LATEST_MOST * ngap)
			return true;
	}
	return false;
}

/* The rows with a number that stands for nothing are all those of a label: gift cards have a stock of 999. */
static bool is_label_of_listed(const ag_frame *fr, const ag_frame_col *f, const ag_hypothesis *h,
                               ag_arena *scratch)
{
	bool *listed = ag_new_n(scratch, bool, (size_t)f->nvalue + 1);

	for (uint32_t i = 0; i < f->nvalue; i++)
		for (size_t k = 0; k < h->nlisted && !listed[i + 1]; k++)
			listed[i + 1] = ag_type_is_number(f->values[i].type) &&
			                ag_val_number(&f->values[i]) == h->listed[k];
	for (size_t c = 0; c < fr->ncol; c++)
		if (&fr->cols[c] != f &&
		    has_own_label(fr, f, listed, &fr->cols[c],
		                  ag_new_n(scratch, uint32_t, (size_t)fr->cols[c].nvalue + 1)))
			return true;
	return false;
}

#define MAX_DRAWN    10  /* characters of a code that chance draws */
#define MOST_FIRST   0.4 /* of the codes begin alike: they are counted up, not drawn */
#define CHANCE_TIMES 3   /* times what chance would make */

/* How many codes of this form there are; 0: it is no code of letters and digits. */
static double codes_like(ag_str s)
{
	double n = 1;

	for (size_t i = 0; i < s.len && i <= MAX_DRAWN; i++) {
		const char c = s.ptr[i];

		n *= c >= '0' && c <= '9' ? 10 : (c | 32) >= 'a' && (c | 32) <= 'z' ? 26 : 0;
	}
	return s.len <= MAX_DRAWN && s.len ? n : 0;
}

/* Codes that are drawn by chance, from so few that some come twice: the codes of authorisations, one-time passwords. */
static bool are_drawn(const ag_frame_col *f)
{
	uint32_t first[256] = { 0 }, most = 0;
	double few = 0, many = 0, equal = 0; /* codes with and without a letter */

	for (uint32_t i = 0; i < f->nvalue; i++) {
		const ag_str s = f->values[i].type == AG_T_STRING ? ag_val_text(&f->values[i])
		                                                  : AG_S("");
		const double n = codes_like(s);

		if (n == 0 || ag_str_eq(s, AG_S("")))
			return false;
		*(n == pow(10, (double)s.len) ? &few : &many) += f->count[i] / sqrt(2 * n);
		equal += f->count[i] - 1;
		first[(unsigned char)s.ptr[0]] += f->count[i];
	}
	for (size_t i = 0; i < AG_NELEM(first); i++)
		most = first[i] > most ? first[i] : most;
	return (double)most <= MOST_FIRST * f->nfilled &&
	       equal <= CHANCE_TIMES * (few * few + many * many);
}

static bool is_meant(const ag_frame *fr, const ag_frame_col *f, const ag_hypothesis *h,
                     ag_arena *scratch)
{
	if (h->is_type)
		return is_type_told(fr, f, scratch);
	if (h->is_gap)
		return refers_to_own(fr, f, scratch) || is_gap_of_gap(fr, f) ||
		       is_open(fr, f, scratch);
	if (h->nlisted)
		return is_label_of_listed(fr, f, h, scratch);
	if (h->is_copy)
		return are_drawn(f);
	return is_confirmed(fr, f, h, scratch);
}

static bool needs_witness(const ag_hypothesis *h)
{
	const bool is_low = h->severity == AG_LOW && h->fixed_severity;

	return h->is_far || h->is_minus ||
	       (!is_low && (h->is_type || h->is_gap || h->is_copy || h->nlisted));
}

/* The column of a path, and its frame. */
static const ag_frame_col *column_of(const ag_frames *frames, ag_str path, const ag_frame **ret)
{
	for (size_t i = 0; i < frames->n; i++) {
		*ret = &frames->items[i];
		for (size_t c = 0; c < (*ret)->ncol; c++)
			if (ag_str_eq((*ret)->cols[c].f->path, path))
				return &(*ret)->cols[c];
	}
	return NULL;
}

ag_status ag_weigh_witnesses(const ag_across *x, ag_hypotheses *h, ag_err *err)
{
	ag_status st = AG_OK;

	for (size_t i = 0; !st && i < h->n; i++) {
		AG_AUTO(ag_arena_freep) ag_arena *scratch = NULL;
		const ag_frame *fr = NULL;
		const ag_frame_col *f;

		if (!needs_witness(&h->items[i]))
			continue;
		st = ag_ctx_check(x->ctx, err);
		scratch = ag_arena_new();
		f = column_of(x->frames, h->items[i].field, &fr);
		if (!f || !is_meant(fr, f, &h->items[i], scratch))
			continue;
		h->items[i].severity = AG_LOW;
		h->items[i].fixed_severity = true;
		h->items[i].confidence = 0.5;
	}
	return st;
}
