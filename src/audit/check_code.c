/* check_code -- row 23: codes whose check digit is wrong.
 *
 * Nobody says which scheme a column follows; the values do. Of texts that only look like article numbers one in ten is
 * right by chance. Where so many are right that chance is out of the question, the others are wrong: a digit was
 * mistyped, or two were swapped. A name such as "isbn" speaks for a scheme, and fewer values do.
 *
 * Different values count, not rows: one code on a thousand rows is one accident. When the wrong codes begin alike and
 * the right ones otherwise, they come from an issuer who uses no check digit: the finding is low.
 *
 * Speaks: up to 45 % of the rows with a code of the scheme's form. */
#include "audit/checks.h"

#include <math.h>
#include <stdio.h>

#include "audit/code_scheme.h"

#define PROBE        200 /* values that choose the schemes worth a look */
#define MAX_SCHEMES  32
#define MIN_CODES    5    /* different ones that are right, without a name that says so: more */
#define MIN_FORM     0.5  /* of the rows have the form of the scheme */
#define MIN_RIGHT    0.55 /* of these rows are right */
#define MAX_CHANCE   1e-8 /* that so many values are right by chance */
#define NAMED_CHANCE 1e-3 /* the same where the name says the scheme */
#define MAX_LISTED   2000 /* in the evidence */
#define ALIKE        0.8  /* of the wrong codes begin with the same two characters */
#define NOT_ALIKE    0.05 /* of the right codes do */
#define MIN_ALIKE    5    /* wrong codes */
#define SHOWN        3

typedef struct tally {
	uint64_t right_rows, wrong_rows;
	uint32_t right, wrong; /* different values */
} tally;

static ag_str text_of(const ag_val *v, char buf[24])
{
	int n;

	if (v->type == AG_T_STRING)
		return ag_val_text(v);
	if ((v->type != AG_T_INT32 && v->type != AG_T_INT64) || v->u.i < 0)
		return AG_S("");
	n = snprintf(buf, 24, "%lld", (long long)v->u.i);
	return ag_str_make(buf, (size_t)n);
}

static bool code_of(const ag_val *v, ag_code *ret)
{
	char buf[24];

	return ag_code_read(text_of(v, buf), ret);
}

static void count_one(const ag_code_scheme *s, const ag_code *code, uint32_t rows, tally *t)
{
	const ag_code_fit fit = ag_code_fits(s, code);

	t->right += fit == AG_CODE_RIGHT;
	t->right_rows += fit == AG_CODE_RIGHT ? rows : 0;
	t->wrong += fit == AG_CODE_WRONG;
	t->wrong_rows += fit == AG_CODE_WRONG ? rows : 0;
}

/* The scheme that most of the first values satisfy; NULL = none is worth a look. */
static const ag_code_scheme *likely_scheme(const ag_frame_col *c)
{
	const uint32_t n = c->nvalue < PROBE ? c->nvalue : PROBE;
	size_t nscheme, best = 0;
	const ag_code_scheme *schemes = ag_code_schemes(&nscheme);
	tally t[MAX_SCHEMES] = { 0 };
	uint32_t read = 0;

	for (uint32_t i = 0; i < n; i++) {
		ag_code code;

		if (!code_of(&c->values[i], &code))
			continue;
		read++;
		for (size_t k = 0; k < nscheme && k < MAX_SCHEMES; k++)
			count_one(&schemes[k], &code, 1, &t[k]);
	}
	for (size_t k = 1; k < nscheme && k < MAX_SCHEMES; k++)
		if (t[k].right > t[best].right ||
		    (t[k].right == t[best].right && schemes[k].chance < schemes[best].chance))
			best = k;
	return read * 2 >= n && t[best].right * 4 > t[best].right + t[best].wrong ? &schemes[best]
	                                                                          : NULL;
}

static tally count_all(const ag_code_scheme *s, const ag_frame_col *c)
{
	tally t = { 0 };

	for (uint32_t i = 0; i < c->nvalue; i++) {
		ag_code code;

		if (code_of(&c->values[i], &code))
			count_one(s, &code, c->count[i], &t);
	}
	return t;
}

static bool is_named(const ag_code_scheme *s, const ag_field_name *name)
{
	ag_str rest = ag_str_c(s->words);

	while (rest.ptr) {
		const ag_str word = ag_str_split(&rest, ' ');
		char buf[24];

		if (word.len < sizeof(buf)) {
			memcpy(buf, word.ptr, word.len);
			buf[word.len] = '\0';
			if (ag_field_has_word(name, buf))
				return true;
		}
	}
	return false;
}

/* A bound of the chance that `right` of n values or more are right (Chernoff). */
static double chance_of(uint32_t right, uint32_t n, double p)
{
	const double q = (double)right / n;
	double divergence;

	if (q <= p)
		return 1;
	divergence = q * log(q / p) + (right < n ? (1 - q) * log((1 - q) / (1 - p)) : 0);
	return exp(-divergence * n);
}

static bool is_the_scheme(const ag_code_scheme *s, const tally *t, const ag_frame_col *c,
                          const ag_field_name *name)
{
	const uint64_t formed = t->right_rows + t->wrong_rows;
	const bool named = is_named(s, name);

	return t->wrong && t->right + t->wrong >= MIN_CODES &&
	       (double)formed >= MIN_FORM * c->nfilled &&
	       (double)t->right_rows >= MIN_RIGHT * (double)formed &&
	       chance_of(t->right, t->right + t->wrong, s->chance) <=
	               (named ? NAMED_CHANCE : MAX_CHANCE);
}

typedef struct wrongs {
	ag_val *list; /* [n] at most MAX_LISTED */
	size_t n, left;
	bool are_alike; /* as no right one is */
	ag_str shown;
} wrongs;

/* How a code begins, as a number below 36 * 36. */
static size_t begin_of(const ag_code *code)
{
	size_t ret = 0;

	for (size_t i = 0; i < 2; i++) {
		const char c = i < code->n ? code->c[i] : '0';

		ret = ret * 36 + (size_t)(c >= '0' && c <= '9' ? c - '0' : c - 'A' + 10);
	}
	return ret;
}

static wrongs wrongs_of(const ag_code_scheme *s, const ag_frame_col *c, ag_arena *arena)
{
	wrongs w = { .list = ag_new_n(arena, ag_val, MAX_LISTED), .shown = AG_S("") };
	uint32_t *begin = ag_new_n(arena, uint32_t, (size_t)2 * 36 * 36), *right = begin + 36 * 36;
	uint32_t nwrong = 0, nright = 0;
	size_t most = 0;

	for (uint32_t i = 0; i < c->nvalue; i++) {
		ag_code code;
		ag_code_fit fit;

		if (!code_of(&c->values[i], &code))
			continue;
		fit = ag_code_fits(s, &code);
		if (fit == AG_CODE_OTHER)
			continue;
		(fit == AG_CODE_RIGHT ? right : begin)[begin_of(&code)]++;
		nright += fit == AG_CODE_RIGHT;
		if (fit == AG_CODE_RIGHT)
			continue;
		nwrong++;
		if (w.n == MAX_LISTED) {
			w.left++;
			continue;
		}
		if (w.n < SHOWN)
			w.shown = ag_str_printf(arena, "%.*s%s%.*s", AG_FMT(w.shown),
			                        w.n ? ", " : "",
			                        AG_FMT(ag_quote_value(arena, &c->values[i])));
		w.list[w.n++] = c->values[i];
	}
	for (size_t k = 1; k < (size_t)36 * 36; k++)
		most = begin[k] > begin[most] ? k : most;
	w.are_alike = nwrong >= MIN_ALIKE && begin[most] >= ALIKE * nwrong &&
	              right[most] <= NOT_ALIKE * nright;
	return w;
}

static void suspect_wrong(const ag_code_scheme *s, const ag_frame_col *c, ag_arena *scratch,
                          ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	const wrongs w = wrongs_of(s, c, scratch);
	ag_hypothesis *h =
		ag_suspect(out, c->f, "invalid_format", w.are_alike ? AG_LOW : AG_MEDIUM, 0.9,
	                   ag_ev_where(a, c->f, OBJ(a, KV("$in", ag_ev_arr(a, w.list, w.n)))));

	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(h, "", "a digit that was mistyped, misread or swapped with its neighbour",
	               "take the codes from their source again, and verify the check digit at the "
	               "writer");
	h->what = ag_str_printf(a, "codes have a wrong check digit (%s)", s->name);
	h->detail = w.left ? ag_str_printf(a, "for example %.*s; %zu more are not listed",
	                                   AG_FMT(w.shown), w.left)
	                   : ag_str_printf(a, "for example %.*s", AG_FMT(w.shown));
}

ag_status ag_check_code(AG_ACROSS_ARGS)
{
	ag_status st = AG_OK;

	for (size_t i = 0; !st && i < x->frames->n; i++) {
		const ag_frame *fr = &x->frames->items[i];

		for (size_t k = 0; !st && k < fr->ncol; k++) {
			AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
			const ag_frame_col *c = &fr->cols[k];
			const ag_field_name name = ag_field_name_of(c->f->owner);
			const ag_code_scheme *s;
			tally t;

			st = ag_ctx_check(x->ctx, err);
			s = st || c->nvalue < MIN_CODES ? NULL : likely_scheme(c);
			if (!s)
				continue;
			t = count_all(s, c);
			if (is_the_scheme(s, &t, c, &name))
				suspect_wrong(s, c, scratch, out);
		}
	}
	return st;
}
