/* check_category -- rows 15, 16 and 17: one thing under several values.
 *
 * Only fields whose values are all known and often repeated are looked at: there a spelling that differs is
 * one value too many. Elsewhere (names, titles, searches) two spellings are two things. */
#include "audit/checks.h"

#include <stdlib.h>

#define MAX_DISTINCT 1000
#define MAX_LISTED   200
#define FOLD_BYTES   4096
#define DETAIL_BYTES 400

/* One text value, its count and its folded form. */
typedef struct spelling {
	const ag_value_count *v;
	ag_str fold;
	size_t order; /* by frequency */
} spelling;

static ag_str folded(ag_arena *a, ag_str s, void (*fold)(ag_str, ag_buf *))
{
	ag_buf b = AG_BUF_INIT(FOLD_BYTES);
	ag_str ret;

	fold(s, &b);
	ret = b.failed ? s : ag_buf_dup(a, &b);
	ag_buf_release(&b);
	return ret;
}

static int by_fold(const void *x, const void *y)
{
	const spelling *a = x, *b = y;
	int c = ag_str_cmp(a->fold, b->fold);

	return c ? c : a->order < b->order ? -1 : a->order > b->order;
}

static size_t spellings_of(ag_arena *a, const ag_path_profile *f, void (*fold)(ag_str, ag_buf *),
                           spelling **ret)
{
	spelling *s = ag_new_n(a, spelling, f->nvalue);
	size_t n = 0;

	for (size_t i = 0; i < f->nvalue; i++) {
		ag_str text = ag_value_text(&f->values[i]);

		if (!text.len || text.len > 200)
			continue;
		s[n].v = &f->values[i];
		s[n].fold = folded(a, text, fold);
		s[n].order = i;
		n++;
	}
	qsort(s, n, sizeof(*s), by_fold);
	*ret = s;
	return n;
}

/* Equal apart from white space: row 14 reports these. */
static bool differs_in_blanks_only(ag_str a, ag_str b)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i < a.len && (unsigned char)a.ptr[i] <= ' ')
			i++;
		while (k < b.len && (unsigned char)b.ptr[k] <= ' ')
			k++;
		if (i == a.len || k == b.len)
			return i == a.len && k == b.len;
		if (a.ptr[i++] != b.ptr[k++])
			return false;
	}
}

typedef struct variants {
	ag_val minor[MAX_LISTED];
	size_t n;
	ag_buf detail;
} variants;

static void add_variant(variants *v, ag_arena *a, const ag_value_count *major,
                        const ag_value_count *minor)
{
	if (v->n == MAX_LISTED)
		return;
	v->minor[v->n++] = minor->v;
	if (v->detail.len < DETAIL_BYTES - 150)
		ag_buf_addf(&v->detail, "%s%.*s (%llu) for %.*s (%llu)", v->detail.len ? ", " : "",
		            AG_FMT(ag_quote_value(a, &minor->v)), (unsigned long long)minor->n,
		            AG_FMT(ag_quote_value(a, &major->v)), (unsigned long long)major->n);
}

static bool is_label(const ag_path_profile *f, const ag_field_name *name)
{
	return ag_path_is_categorical(f) && f->ndistinct <= MAX_DISTINCT && f->str.n >= 20 &&
	       f->str.words <= 4 && !ag_name_is_person(name) && !(name->traits & AG_TRAIT_CASE) &&
	       !ag_path_is_prose(f, name);
}

/* Does row 43 speak for this field? */
static bool is_boolean_field(const ag_path_profile *f)
{
	uint64_t words = f->str.by_class[AG_TEXT_BOOL_WORD];

	return words * 20 >= f->str.n * 19;
}

void ag_check_case_variants(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	variants v = { .detail = AG_BUF_INIT(DETAIL_BYTES) };
	spelling *s;
	size_t n, first = 0;
	ag_hypothesis *h = NULL;

	(void)p;
	(void)o;
	if (!is_label(f, &out->name) || is_boolean_field(f) || !ag_path_is_plain(a, f))
		return;
	n = spellings_of(a, f, ag_text_fold, &s);
	for (size_t i = 1; i < n; i++) {
		if (!ag_str_eq(s[i].fold, s[first].fold))
			first = i;
		else if (!differs_in_blanks_only(ag_value_text(s[i].v), ag_value_text(s[first].v)))
			add_variant(&v, a, s[first].v, s[i].v);
	}
	if (v.n)
		h = ag_suspect(out, f, "case_variants", AG_MEDIUM, 0.9,
		               ag_ev_where(a, f, OBJ(a, KV("$in", ag_ev_arr(a, v.minor, v.n)))));
	if (h) {
		ag_suspect_fix(h);
		ag_suspect_say(
			h, "one value is written in several ways that differ only in case",
			"free text input where a list of values was meant",
			"rewrite the minor spellings to the frequent one, and let the writer choose "
			"from a list");
		h->detail = ag_buf_dup(a, &v.detail);
	}
	ag_buf_release(&v.detail);
}

/* ---- values outside the list ---- */

#define MIN_LISTED 30 /* values: fewer show no list */
#define MAX_LIST   50 /* different values of a list */
#define FEW_OF_ONE \
	0.005 /* share of one odd value: more is a member of the list that is seldom needed */
#define TIMES_RARER 10   /* than the rarest of the list */
#define FEW_ODD     0.10 /* of all values: beyond it the field takes any text */

/* How many values, the most frequent ones, make up the list: 0 where the others are a long tail of it. */
static size_t length_of_list(const ag_path_profile *f)
{
	const double common = f->nscalar >= 1000 ? 0.01 : 0.03;
	uint64_t nodd = 0;
	size_t n = 0;

	while (n < f->nvalue && ag_share(f->values[n].n, f->nscalar) >= common)
		n++;
	for (size_t i = n; i < f->nvalue; i++) {
		const uint64_t c = f->values[i].n;

		if (!n || ag_share(c, f->nscalar) > (c == 1 ? common : FEW_OF_ONE) ||
		    (c > 1 && c * TIMES_RARER > f->values[n - 1].n))
			return 0;
		nodd += c;
	}
	return n <= MAX_LIST && ag_share(nodd, f->nscalar) <= FEW_ODD ? n : 0;
}

/* Rows 12, 15 and 16 explain it better. */
static bool is_explained(ag_arena *a, const ag_path_profile *f, size_t i)
{
	ag_str mine = ag_value_text(&f->values[i]), fold = folded(a, mine, ag_text_fold);

	if (!fold.len || ag_text_classify(mine) & (1u << AG_TEXT_NULL_WORD))
		return true;
	for (size_t k = 0; k < i; k++) {
		ag_str other = folded(a, ag_value_text(&f->values[k]), ag_text_fold);

		if (ag_str_eq(fold, other) || (fold.len >= 5 && ag_str_distance(fold, other) <= 2))
			return true;
	}
	return false;
}

void ag_check_rare_value(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	ag_val *rare;
	size_t n = 0, nlist;
	ag_hypothesis *h;

	(void)p;
	(void)o;
	if (!is_label(f, &out->name) || f->ndistinct < 3 || f->nscalar < MIN_LISTED ||
	    f->str.n != f->nscalar || ag_name_is_identifier(&out->name) || is_boolean_field(f) ||
	    !ag_path_is_plain(a, f))
		return;
	nlist = length_of_list(f);
	rare = ag_new_n(a, ag_val, f->nvalue);
	for (size_t i = nlist; nlist >= 2 && i < f->nvalue && n < MAX_LISTED; i++) {
		if (!is_explained(a, f, i))
			rare[n++] = f->values[i].v;
	}
	if (!n)
		return;
	h = ag_suspect(out, f, "enum_violation", AG_LOW, 0.6,
	               ag_ev_where(a, f, OBJ(a, KV("$in", ag_ev_arr(a, rare, n)))));
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(h, "a value stands outside the short list that all other documents keep to",
	               "a test, a value that was retired, or input that was not checked",
	               "add the value to the list of legal ones, or correct the documents");
	h->detail = ag_str_printf(a, "the value is %.*s", AG_FMT(ag_quote_value(a, &rare[0])));
}
