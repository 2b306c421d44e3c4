/* check_zeros -- row 22: codes that lost the zeros in front.
 *
 * A spreadsheet makes 1067 of 01067. In a column of codes of one width the shorter ones lost their zeros when
 *
 *   - the column holds the same code with its zeros, or
 *   - nearly all codes have the width and many begin with a zero, or
 *   - so many codes begin with a zero, and no shorter one does, that chance does not explain it, or
 *   - the name says "zip".
 *
 * Codes of several widths by nature have shorter ones that begin with a zero, too, or longer ones: then the check is
 * silent. So it is about telephone numbers. Of codes of several countries only those of the country that most documents
 * have are judged: 1000 is Brussels and 01000 is Bourg-en-Bresse, as the field beside it says.
 *
 * Speaks: up to one half of the codes. */
#include "audit/checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MIN_WIDTH       3 /* "1" for "01" is a way to write a month */
#define MAX_WIDTH       18
#define MIN_DIGITS      0.5  /* of the values are digits only */
#define MIN_USUAL       0.5  /* of them have the width */
#define MAX_LONGER      0.01 /* of them are longer */
#define MAX_ZERO        0.02 /* of the shorter ones begin with a zero */
#define MAX_ODD         0.1  /* of the shorter ones are too short for the zeros seen */
#define MIN_CODES       8    /* different ones of the width */
#define NEARLY_ALL      0.8  /* have the width */
#define MANY_ZEROS      0.02 /* of the codes of the width begin with a zero */
#define MOST_LOST       10   /* times as many codes are short as are left with a zero */
#define MAX_CHANCE      0.02
#define MOST_OF_COUNTRY 0.5 /* of the documents are of the country whose codes are judged */
#define MIN_ZIPS        20
#define USUAL_ZIPS      0.7
#define MAX_PLACEHOLDER \
	5 /* times more rows than other codes: a short value that stands for nothing */

/* Codes of one length. */
typedef struct width {
	uint64_t rows;
	uint32_t codes;      /* different ones */
	uint32_t zero_codes; /* of them begin with a zero */
} width;

typedef struct codes {
	width by[MAX_WIDTH + 1];
	uint64_t rows;     /* of digits only */
	size_t usual;      /* the width */
	size_t most_zeros; /* in front of one code of the width */
	uint64_t *
		full; /* [nfull] numbers of the codes of the width that begin with a zero, ascending */
	size_t nfull;
	/* shorter ones */
	uint64_t short_rows;
	uint32_t nshort, nzero, nodd, ntwin;
} codes;

/* The digits of a value; empty where it holds something else. A cell of a CSV is a number where it looks like one. */
static ag_str digits_of(const ag_profile *p, const ag_val *v, char buf[24])
{
	ag_str s = ag_val_text(v);
	int n;

	if (v->type != AG_T_STRING) {
		if (!p->has_views || (v->type != AG_T_INT32 && v->type != AG_T_INT64) || v->u.i < 0)
			return AG_S("");
		n = snprintf(buf, 24, "%lld", (long long)v->u.i);
		return ag_str_make(buf, (size_t)n);
	}
	if (s.len > MAX_WIDTH)
		return AG_S("");
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return AG_S("");
	return s;
}

static uint64_t number_of(ag_str s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n = n * 10 + (uint64_t)(s.ptr[i] - '0');
	return n;
}

static size_t zeros_of(ag_str s)
{
	size_t n = 0;

	while (n < s.len && s.ptr[n] == '0')
		n++;
	return n;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* A column, or the rows of it that belong to one country. */
typedef struct part {
	const ag_frame_col *c;
	const uint32_t *count;       /* [nvalue] rows of each value; 0: none of this part */
	const ag_frame_col *country; /* NULL: the whole column */
	uint32_t code;               /* of the country */
} part;

static void count_widths(const ag_profile *p, const part *t, codes *k)
{
	const ag_frame_col *c = t->c;
	char buf[24];

	for (uint32_t i = 0; i < c->nvalue; i++) {
		const ag_str s = digits_of(p, &c->values[i], buf);

		if (!s.len || s.len > MAX_WIDTH || !t->count[i])
			continue;
		k->by[s.len].rows += t->count[i];
		k->by[s.len].codes++;
		k->by[s.len].zero_codes += s.ptr[0] == '0';
		k->rows += t->count[i];
	}
	for (size_t w = MIN_WIDTH; w <= MAX_WIDTH; w++)
		k->usual = k->by[w].rows > k->by[k->usual].rows ? w : k->usual;
}

static void take_full(const ag_profile *p, const part *t, ag_arena *arena, codes *k)
{
	const ag_frame_col *c = t->c;
	char buf[24];

	k->most_zeros = 1; /* where all of them are lost */
	k->full = ag_new_n(arena, uint64_t, k->by[k->usual].zero_codes + 1);
	for (uint32_t i = 0; i < c->nvalue; i++) {
		const ag_str s = digits_of(p, &c->values[i], buf);
		const size_t zeros = zeros_of(s);

		if (s.len != k->usual || !zeros || zeros == s.len || !t->count[i])
			continue;
		k->full[k->nfull++] = number_of(s);
		k->most_zeros = zeros > k->most_zeros ? zeros : k->most_zeros;
	}
	qsort(k->full, k->nfull, sizeof(*k->full), by_number);
}

static void count_short(const ag_profile *p, const part *t, codes *k)
{
	const ag_frame_col *c = t->c;
	char buf[24];

	for (uint32_t i = 0; i < c->nvalue; i++) {
		const ag_str s = digits_of(p, &c->values[i], buf);
		const uint64_t n = number_of(s);

		if (!s.len || s.len >= k->usual || !t->count[i])
			continue;
		k->nshort++;
		k->short_rows += t->count[i];
		k->nzero += s.ptr[0] == '0';
		k->nodd += s.len + k->most_zeros + 1 < k->usual;
		k->ntwin += k->nfull &&
		            bsearch(&n, k->full, k->nfull, sizeof(n), by_number) != NULL;
	}
}

#define MAX_TWINS 200 /* shorter codes that are compared with their twins */
#define PURE \
	0.9 /* of the rows of a code have one value of the other field, which then says what the code means */

/* Rows of one code: its most frequent value of g, and whether nearly all have it. */
static uint32_t meaning_of(const ag_grouped *by, const ag_frame_col *g, uint32_t code,
                           uint32_t *tally)
{
	uint32_t best = 0, n = 0;

	for (uint32_t i = by->at[code]; i < by->at[code + 1]; i++) {
		const uint32_t v = g->code[by->row[i]];

		n += v != 0;
		if (v && ++tally[v] > tally[best])
			best = v;
	}
	n = (double)tally[best] >= PURE * n ? best : 0;
	for (uint32_t i = by->at[code]; i < by->at[code + 1]; i++)
		tally[g->code[by->row[i]]] = 0;
	return n;
}

/* Where the short code and its twin with zeros each mean one thing, is it another thing? Then both are codes. */
static bool mean_another(const ag_profile *p, const ag_frame *fr, const ag_frame_col *c,
                         const codes *k, ag_arena *arena)
{
	const ag_grouped by = ag_frame_group(fr, c, arena);
	uint32_t *twin = ag_new_n(arena, uint32_t, (size_t)c->nvalue + 1); /* 1 + full code */
	char buf[24], other[24];

	for (uint32_t i = 0; i < c->nvalue; i++) {
		const ag_str s = digits_of(p, &c->values[i], buf);

		for (uint32_t m = 0; s.len && s.len < k->usual && m < c->nvalue; m++) {
			const ag_str full = digits_of(p, &c->values[m], other);

			if (full.len == k->usual && full.ptr[0] == '0' &&
			    number_of(full) == number_of(s))
				twin[i] = m + 1;
		}
	}
	for (size_t j = 0; j < fr->ncol; j++) {
		const ag_frame_col *g = &fr->cols[j];
		uint32_t *tally = ag_new_n(arena, uint32_t, (size_t)g->nvalue + 1);
		uint32_t same = 0, differ = 0, pure = 0, many = 0;

		for (uint32_t i = 0; g != c && i < c->nvalue; i++) {
			const uint32_t a = meaning_of(&by, g, i + 1, tally),
				       b = twin[i] ? meaning_of(&by, g, twin[i], tally) : 0;

			many += c->count[i] > 1;
			pure += a && c->count[i] > 1;
			same += b && a == b;
			differ += a && b && a != b;
		}
		if (differ && !same && pure >= PURE * many && g->nvalue * 4 >= c->nvalue)
			return true;
	}
	return false;
}

/* One short value on so many rows stands for nothing. */
static bool is_placeholder(const codes *k)
{
	const width *w = &k->by[k->usual];

	return (double)k->short_rows / k->nshort >
	       MAX_PLACEHOLDER * ((double)w->rows / w->codes + 1);
}

static bool are_lost(const ag_profile *p, const part *t, const ag_field_name *name, const codes *k)
{
	const width *w = &k->by[k->usual];
	const double zeros = (double)k->nfull / w->codes, usual = ag_share(w->rows, k->rows);

	if (k->ntwin * 2 >= k->nshort)
		return true;
	if ((!t->country && ag_profile_has_countries(p, t->c->f)) || is_placeholder(k))
		return false;
	if (name->traits & AG_TRAIT_ZIP && k->rows >= MIN_ZIPS && usual >= USUAL_ZIPS)
		return true;
	if (w->codes < MIN_CODES || !k->nfull)
		return false;
	return (usual >= NEARLY_ALL && zeros >= MANY_ZEROS && k->nshort <= MOST_LOST * k->nfull) ||
	       pow(1 - zeros, k->nshort) <= MAX_CHANCE;
}

/* Could the shorter codes be of this width at all? */
static bool have_a_width(const codes *k, const part *t)
{
	uint64_t longer = 0, filled = 0;

	for (uint32_t i = 0; i < t->c->nvalue; i++)
		filled += t->count[i];
	for (size_t w = k->usual + 1; w <= MAX_WIDTH; w++)
		longer += k->by[w].rows;
	return k->nshort && (double)k->rows >= MIN_DIGITS * (double)filled &&
	       (double)k->by[k->usual].rows >= MIN_USUAL * (double)k->rows &&
	       (double)longer <= MAX_LONGER * (double)k->rows && k->nzero <= MAX_ZERO * k->nshort &&
	       k->nodd <= MAX_ODD * k->nshort;
}

/* {"f": {"$regex": …}, "country": "FR"} */
static ag_str evidence_of(ag_arena *a, const part *t, const codes *k)
{
	const size_t zeros = k->most_zeros + 1, least = k->usual > zeros ? k->usual - zeros : 1;
	const ag_val cond =
		OBJ(a, KV("$regex", ag_val_str(ag_str_printf(a, "^[1-9][0-9]{%zu,%zu}(?![\\s\\S])",
	                                                     least - 1, k->usual - 2))));
	ag_member two[2];
	ag_val clause;

	if (!t->country)
		return ag_ev_where(a, t->c->f, cond);
	two[0] = (ag_member){ ag_ev_key(a, t->c->f), cond };
	two[1] = (ag_member){ ag_ev_key(a, t->country->f), t->country->values[t->code - 1] };
	clause = ag_ev_obj(a, two, 2);
	return ag_ev_rows(a, t->c->f, &clause, 1);
}

static void suspect_lost(const part *t, const codes *k, ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	ag_hypothesis *h = ag_suspect(out, t->c->f, "lost_leading_zero", AG_MEDIUM, 0.8,
	                              evidence_of(a, t, k));

	if (!h)
		return;
	h->max_share = 0.5;
	ag_suspect_say(h, "codes are shorter than all others, which begin with zeros",
	               "a spreadsheet or a numeric column that dropped the zeros in front",
	               "store the codes as text and put the zeros back in front");
	h->detail = k->ntwin ? ag_str_printf(a,
	                                     "the others have %zu digits; %u of %u short codes "
	                                     "are also there with zeros",
	                                     k->usual, k->ntwin, k->nshort)
	                     : ag_str_printf(a, "the others have %zu digits", k->usual);
}

/* The rows of the country that most documents have; false: no field beside the codes says so, or none has most. */
static bool take_country(const ag_frame *fr, const ag_frame_col *c, ag_arena *arena, part *ret)
{
	for (size_t j = 0; j < fr->ncol; j++) {
		const ag_frame_col *g = &fr->cols[j];
		uint32_t *count, code = 0;

		if (g == c || g->nvalue < 2 || !ag_name_is_country(g->f->owner))
			continue;
		for (uint32_t i = 0; i < g->nvalue; i++)
			if (g->count[i] > (code ? g->count[code - 1] : 0))
				code = i + 1;
		if (g->count[code - 1] < MOST_OF_COUNTRY * fr->nrow)
			return false;
		count = ag_new_n(arena, uint32_t, (size_t)c->nvalue + 1);
		for (uint32_t r = 0; r < fr->nrow; r++)
			if (c->code[r] && g->code[r] == code)
				count[c->code[r] - 1]++;
		*ret = (part){ c, count, g, code };
		return true;
	}
	return false;
}

static void check_part(const ag_profile *p, const ag_frame *fr, const part *t, ag_arena *scratch,
                       ag_hypotheses *out)
{
	const ag_field_name name = ag_field_name_of(t->c->f->owner);
	codes k = { 0 };

	count_widths(p, t, &k);
	if (!k.usual)
		return;
	take_full(p, t, scratch, &k);
	count_short(p, t, &k);
	if (have_a_width(&k, t) && are_lost(p, t, &name, &k) &&
	    !(k.ntwin && k.nshort <= MAX_TWINS && mean_another(p, fr, t->c, &k, scratch)))
		suspect_lost(t, &k, out);
}

static void check_column(const ag_profile *p, const ag_frame *fr, const ag_frame_col *c,
                         ag_hypotheses *out)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = NULL;
	const ag_field_name name = ag_field_name_of(c->f->owner);
	part t = { .c = c, .count = c->count };

	if (name.traits & AG_TRAIT_PHONE || c->nvalue < 3 ||
	    (!c->f->str.nleading_zero && !(name.traits & AG_TRAIT_ZIP)))
		return;
	scratch = ag_arena_new();
	(void)take_country(fr, c, scratch, &t);
	check_part(p, fr, &t, scratch, out);
}

ag_status ag_check_zeros(AG_ACROSS_ARGS)
{
	ag_status st = AG_OK;

	for (size_t i = 0; !st && i < x->frames->n; i++) {
		const ag_frame *fr = &x->frames->items[i];

		for (size_t c = 0; !st && c < fr->ncol; c++) {
			st = ag_ctx_check(x->ctx, err);
			if (!st)
				check_column(x->p, fr, &fr->cols[c], out);
		}
	}
	return st;
}
