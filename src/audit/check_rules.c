/* check_rules -- row 48: fields that documents of one kind have and documents of another kind do not.
 *
 * "cancelled_on" is filled where "status" is "cancelled" and nowhere else. Such a rule explains every gap of the field
 * without an exception, or it has exceptions on one side only: documents of the kind that lack the field, or documents of
 * other kinds that have it. A few exceptions are damage. Exceptions on both sides mean that there is no rule.
 *
 * What may say the kind: a field of few values (some words, a boolean, codes), a number that is zero or not, and whether
 * another field is filled. Chance is ruled out by the side without exceptions: among so many documents some would have
 * the field, or lack it.
 *
 * Speaks: exceptions of up to 25% of their kind; above low gaps of up to 1% of the kind, values of up to 5% of the field. Runs before the checks of single fields: a gap that a
 * rule explains is not a gap for them (ag_unless_kind), and the finding about a rule replaces theirs. */
#include "audit/checks.h"

#include <math.h>
#include <stdlib.h>

#define MAX_KINDS   12
#define MAX_CODES   4 /* numbers that name kinds without further proof */
#define MAX_COLS    120
#define MIN_SIDE    10    /* documents of either side */
#define FEW_ROWS    20    /* below it some value is in the same documents by chance */
#define FEW_OF_KIND 3     /* a value of fewer documents may be a slip: it is of no kind */
#define RARE_KIND   0.003 /* of the documents: the same */
#define MOST_ROWS   0.8   /* belong to some kind */
#define MAX_BROKEN  0.25  /* exceptions, of the documents of their side */
/* Gaps above low up to here: beyond it most of a kind have the field, and some need not. */
#define FEW_MISSING 0.01
#define FEW_EXTRA   0.05   /* the same for values, of all values of the field */
#define CLEAN_SIDE  0.0005 /* of the other side: other damage may lie there */
#define LOG_OF_CHANCE \
	20.0          /* e^-20: so many pairs of fields are tried that one in a million is chance */
#define MAX_SERIES  4 /* fields that break a rule because another field is filled */
#define SCREEN_ROWS 4096 /* that show that a field has nothing to do with another */

typedef enum split { SPLIT_VALUES, SPLIT_ZERO, SPLIT_FILLED } split;

/* What may say the kind of a document. */
typedef struct control {
	const ag_frame_col *g;
	split split;
	size_t nkind;
	uint8_t *kind; /* [nvalue + 1] by code; MAX_KINDS = of no kind */
} control;

typedef struct counts {
	uint32_t n[MAX_KINDS], filled[MAX_KINDS]; /* documents; of them with the field */
	uint32_t loose;                           /* gaps in documents of no kind */
} counts;

typedef struct rule {
	const ag_frame_col *f;
	const control *by;
	uint32_t has, lacks;     /* documents of kinds that have the field, that do not */
	uint32_t missing, extra; /* exceptions of either side */
	bool expects[MAX_KINDS]; /* by kind */
} rule;

typedef struct search {
	const ag_across *x;
	const ag_frame *fr;
	control *controls;
	size_t ncontrol;
} search;

/* So few that the value may be a slip in that of another kind. */
static bool is_small(const ag_frame *fr, uint32_t n)
{
	return n < FEW_OF_KIND || n < RARE_KIND * fr->nrow;
}

/* Numbers name kinds only where the field is called a code: of few sums, some are made of the field and some are not. */
static bool are_amounts(const ag_frame_col *g)
{
	const ag_field_name n = ag_field_name_of(g->f->owner);

	return g->f->num.n * 10 >= g->f->nscalar * 9 && !ag_name_is_identifier(&n) &&
	       !(n.traits & (AG_TRAIT_KEY | AG_TRAIT_CODE | AG_TRAIT_ENUMISH));
}

/* Few values that most documents have; of many, those that are not small. Returns the number of kinds. */
static size_t kinds_of_values(const ag_frame *fr, const ag_frame_col *g, uint8_t *ret_kind)
{
	uint8_t n = 0;
	uint64_t rows = 0;

	if (g->nvalue > MAX_CODES && are_amounts(g))
		return 0;
	ret_kind[0] = MAX_KINDS;
	for (uint32_t i = 0; i < g->nvalue; i++) {
		const ag_str text = ag_value_text(&(ag_value_count){ g->values[i], 1 });

		/* "n/a" is in documents of any kind. */
		ret_kind[i + 1] = MAX_KINDS;
		if ((g->nvalue > MAX_KINDS && is_small(fr, g->count[i])) ||
		    ag_text_classify(text) >> AG_TEXT_NULL_WORD & 1)
			continue;
		if (n == MAX_KINDS)
			return 0;
		ret_kind[i + 1] = n++;
		rows += g->count[i];
	}
	return (double)rows >= MOST_ROWS * fr->nrow ? n : 0;
}

static size_t kinds_of_zero(const ag_frame_col *g, uint8_t *ret_kind)
{
	const ag_path_profile *f = g->f;

	if (f->num.nzero < MIN_SIDE || f->num.n * 10 < f->nscalar * 9)
		return 0;
	ret_kind[0] = MAX_KINDS;
	for (uint32_t i = 0; i < g->nvalue; i++) {
		const ag_val *v = &g->values[i];

		ret_kind[i + 1] = v->type == AG_T_INT64 || v->type == AG_T_INT32 ? v->u.i != 0
		                  : v->type == AG_T_DOUBLE                       ? v->u.f != 0
		                                                                 : MAX_KINDS;
	}
	return 2;
}

/* A field without gaps of its own says nothing by being filled. */
static size_t kinds_of_filled(const ag_frame *fr, const ag_frame_col *g, uint8_t *ret_kind)
{
	if (g->nfilled + MIN_SIDE > fr->nrow)
		return 0;
	for (uint32_t i = 0; i <= g->nvalue; i++)
		ret_kind[i] = i > 0;
	return 2;
}

static void find_controls(search *s, ag_arena *arena)
{
	const ag_frame *fr = s->fr;
	uint8_t *kind = NULL;

	s->controls = ag_new_n(arena, control, 3 * fr->ncol);
	for (size_t c = 0; c < fr->ncol && c < MAX_COLS; c++) {
		const ag_frame_col *g = &fr->cols[c];

		for (split k = SPLIT_VALUES; k <= SPLIT_FILLED; k++) {
			size_t n;

			if (!kind)
				kind = ag_new_n(arena, uint8_t, (size_t)g->nvalue + 1);
			n = k == SPLIT_VALUES ? kinds_of_values(fr, g, kind)
			    : k == SPLIT_ZERO ? kinds_of_zero(g, kind)
			                      : kinds_of_filled(fr, g, kind);
			if (n < 2)
				continue;
			s->controls[s->ncontrol++] = (control){ g, k, n, kind };
			kind = NULL;
		}
		kind = NULL;
	}
}

static void count(const search *s, const ag_frame_col *f, const control *by, uint32_t step,
                  counts *ret)
{
	*ret = (counts){ 0 };
	for (uint32_t row = 0; row < s->fr->nrow; row += step) {
		const uint8_t k = by->kind[by->g->code[row]];
		const bool is_filled = f->code[row] != 0;

		if (k == MAX_KINDS) {
			ret->loose += !is_filled;
			continue;
		}
		ret->n[k]++;
		ret->filled[k] += is_filled;
	}
}

/* Is some kind clearly on neither side? */
static bool is_mixed(const counts *n, size_t nkind)
{
	for (size_t k = 0; k < nkind; k++) {
		const double filled = n->filled[k], margin = 2 * sqrt(n->n[k]);

		if (filled > MAX_BROKEN * n->n[k] + margin &&
		    filled < (1 - MAX_BROKEN) * n->n[k] - margin)
			return true;
	}
	return false;
}

/* Every document that lacks the field is of a kind that never has it. A small measurement has few values as well, and
 * names no kind. */
static bool is_explained(const counts *n, const control *by)
{
	uint32_t gaps = 0, filled = 0;

	if (n->loose || by->split == SPLIT_FILLED || (by->g->f->num.n && by->nkind > MAX_CODES))
		return false;
	for (size_t k = 0; k < by->nkind; k++) {
		if (n->filled[k] && n->filled[k] < n->n[k])
			return false;
		gaps += n->n[k] - n->filled[k];
		filled += n->filled[k];
	}
	return gaps && filled;
}

/* A text of which all documents lack the field, as "EX" among marks, and no other document does: values that come twice or
 * more often, of a field of any number of values. */
static bool is_told_by_values(const search *s, const ag_frame_col *f, const ag_frame_col *g,
                              uint32_t *scratch)
{
	const uint32_t ngap = s->fr->nrow - f->nfilled;
	uint32_t told = 0;

	if (g == f || !g->f->str.n || g->nvalue < 2 || g->nvalue * 2ull > s->fr->nrow || ngap < 2)
		return false;
	memset(scratch, 0, ((size_t)g->nvalue + 1) * sizeof(*scratch));
	for (uint32_t row = 0; row < s->fr->nrow; row++)
		scratch[g->code[row]] += !f->code[row];
	for (uint32_t i = 0; i < g->nvalue; i++)
		told += g->values[i].type == AG_T_STRING && g->count[i] > 1 &&
		                        scratch[i + 1] == g->count[i]
		                ? g->count[i]
		                : 0;
	return told == ngap;
}

static bool is_told(const search *s, const ag_frame_col *f, uint32_t *scratch)
{
	for (size_t c = 0; c < s->fr->ncol && c < MAX_COLS; c++)
		if (is_told_by_values(s, f, &s->fr->cols[c], scratch))
			return true;
	return false;
}

/* The two sides of f; false: some kind is on neither. */
static bool sides_of(const search *s, rule *r, const counts *n)
{
	for (size_t k = 0; k < r->by->nkind; k++) {
		const double share = n->n[k] ? (double)n->filled[k] / n->n[k] : 0;

		if (is_small(s->fr, n->n[k]))
			continue;
		if (share >= 1 - MAX_BROKEN) {
			r->expects[k] = true;
			r->has += n->n[k];
			r->missing += n->n[k] - n->filled[k];
		} else if (share <= MAX_BROKEN) {
			r->lacks += n->n[k];
			r->extra += n->filled[k];
		} else {
			return false;
		}
	}
	return r->has >= MIN_SIDE && r->lacks >= MIN_SIDE;
}

/* Were field and kind independent, the clean side would have exceptions: how unlikely is it that it has so few? */
static bool is_no_chance(const search *s, const rule *r)
{
	const double p = (double)r->f->nfilled / s->fr->nrow;
	const double of_lacks = -log(1 - p) * r->lacks, of_has = -log(p) * r->has;

	return r->missing >= r->extra ? of_lacks >= LOG_OF_CHANCE : of_has >= LOG_OF_CHANCE;
}

static bool is_one_sided(const rule *r)
{
	if (r->missing > r->extra)
		return r->extra <= CLEAN_SIDE * r->lacks;
	return r->missing <= CLEAN_SIDE * r->has;
}

static uint32_t exceptions(const rule *r)
{
	return r->missing + r->extra;
}

/* Fewer exceptions first, then what says more than "the other field is filled". */
static bool is_better(const rule *r, const rule *than)
{
	if (!than->by)
		return true;
	if (exceptions(r) != exceptions(than))
		return exceptions(r) < exceptions(than);
	return r->by->split < than->by->split;
}

static rule find_rule(const search *s, const ag_frame_col *f, bool *ret_explained)
{
	const uint32_t step = s->fr->nrow / SCREEN_ROWS + 1;
	rule best = { 0 };
	counts n;

	*ret_explained = false;
	for (size_t i = 0; i < s->ncontrol; i++) {
		const control *by = &s->controls[i];
		rule r = { .f = f, .by = by };

		if (by->g == f)
			continue;
		count(s, f, by, step, &n);
		if (is_mixed(&n, by->nkind))
			continue;
		if (step > 1)
			count(s, f, by, 1, &n);
		*ret_explained = *ret_explained || is_explained(&n, by);
		/* Filled in the same documents: row 46. Filled where another is not: that is no rule of both. */
		if (!sides_of(s, &r, &n) || !is_one_sided(&r) || !is_no_chance(s, &r) ||
		    (by->split == SPLIT_FILLED && (!exceptions(&r) || !r.expects[1])))
			continue;
		if (is_better(&r, &best))
			best = r;
	}
	return best;
}

/* ---- the finding ---- */

static ag_val nothing(ag_arena *a, const ag_profile *p)
{
	return p->has_views ? OBJ(a, KV("$in", ARR(a, ag_val_null(), ag_ev_text(""))))
	                    : OBJ(a, KV("$eq", ag_val_null()));
}

static ag_val something(ag_arena *a)
{
	return OBJ(a, KV("$nin", ARR(a, ag_val_null(), ag_ev_text(""))));
}

/* The condition on g that picks the documents of one side. */
static ag_val side_cond(const search *s, ag_arena *a, const rule *r, bool is_has)
{
	const control *by = r->by;
	ag_val values[MAX_KINDS];
	size_t n = 0;

	if (by->split == SPLIT_FILLED)
		return r->expects[1] == is_has ? something(a) : nothing(a, s->x->p);
	if (by->split == SPLIT_ZERO)
		return r->expects[0] == is_has ? OBJ(a, KV("$eq", ag_val_int(0)))
		                               : OBJ(a, KV("$type", ag_ev_text("number")),
		                                     KV("$ne", ag_val_int(0)));
	for (uint32_t i = 0; i < by->g->nvalue && n < MAX_KINDS; i++)
		if (by->kind[i + 1] != MAX_KINDS && !is_small(s->fr, by->g->count[i]) &&
		    r->expects[by->kind[i + 1]] == is_has)
			values[n++] = by->g->values[i];
	return n == 1 ? OBJ(a, KV("$eq", values[0])) : OBJ(a, KV("$in", ag_ev_arr(a, values, n)));
}

/* `"status" "paid"`, `"reviews" 0`, `"shipped" filled`: of the first value of the side. */
static ag_str side_text(const search *s, ag_arena *a, const rule *r, bool is_has)
{
	const control *by = r->by;
	const ag_str name = by->g->f->path;

	if (by->split == SPLIT_FILLED)
		return ag_str_printf(a, "%.*s %s", AG_FMT(name),
		                     r->expects[1] == is_has ? "filled" : "empty");
	if (by->split == SPLIT_ZERO)
		return ag_str_printf(a, "%.*s %s", AG_FMT(name),
		                     r->expects[0] == is_has ? "0" : "other than 0");
	for (uint32_t i = 0; i < by->g->nvalue; i++)
		if (by->kind[i + 1] != MAX_KINDS && !is_small(s->fr, by->g->count[i]) &&
		    r->expects[by->kind[i + 1]] == is_has)
			return ag_str_printf(a, "%.*s %.*s", AG_FMT(name),
			                     AG_FMT(ag_quote_value(a, &by->g->values[i])));
	return name;
}

static void suspect(const search *s, const rule *r, ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	const ag_path_profile *f = r->f->f;
	const bool is_gap = r->missing > r->extra;
	const double share = is_gap ? (double)r->missing / r->has
	                            : (double)r->extra / r->f->nfilled;
	/* A field that is there without another one is as well a gap of the other: that is said there. */
	const bool is_sure = is_gap ? share <= FEW_MISSING
	                            : share <= FEW_EXTRA && r->by->split != SPLIT_FILLED;
	const ag_str of_f = is_gap ? ag_ev_where_held(a, f, nothing(a, s->x->p))
	                           : ag_ev_where(a, f, something(a)),
		     of_g = ag_ev_where(a, r->by->g->f, side_cond(s, a, r, is_gap));
	const char *category = !is_gap                         ? "fd_violation"
	                       : ag_path_nulls(s->x->p, f) > 0 ? "null_rate"
	                                                       : "missing_field";
	ag_hypothesis *h;

	/* Few of a kind have an optional part of their own: that breaks no rule. */
	if (!of_f.len || !of_g.len ||
	    (!is_gap && share > FEW_EXTRA && r->by->split == SPLIT_FILLED))
		return;
	h = ag_suspect(out, f, category, is_sure ? AG_MEDIUM : AG_LOW, is_sure ? 0.85 : 0.5,
	               ag_str_printf(a, "{\"$and\":[%.*s,%.*s]}", AG_FMT(of_g), AG_FMT(of_f)));
	if (!h)
		return;
	ag_suspect_fix(h);
	h->max_share = MAX_BROKEN * (is_gap ? r->has : r->lacks) / s->fr->nrow;
	if (is_gap) {
		ag_suspect_say(
			h, "", "a writer of this kind that left the field out, or a partial import",
			"fill the field in these documents, and make the writer reject documents of "
			"this kind without it");
		h->what = ag_str_printf(a, "documents with %.*s have the field, and these lack it",
		                        AG_FMT(side_text(s, a, r, true)));
	} else {
		ag_suspect_say(
			h, "", "a change of one field that left the other as it was",
			"find out which of the two fields is right, and change both together");
		h->what = ag_str_printf(a,
		                        "documents with %.*s do not have the field, and these do",
		                        AG_FMT(side_text(s, a, r, false)));
	}
}

/* Documents are what a rule is about: not items, and not objects that some documents lack. */
static bool may_have_rule(const search *s, const ag_frame_col *f)
{
	const ag_path_profile *p = f->f;

	return f->nfilled && f->nfilled < s->fr->nrow && !p->in_array && !p->in_map &&
	       !p->by_type[AG_T_OBJECT] && !p->by_type[AG_T_ARRAY] &&
	       (p->parent == UINT32_MAX || p->nparent >= s->fr->nall);
}

ag_status ag_check_rules(AG_ACROSS_ARGS)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	search s = { .x = x };
	int8_t *explained;
	uint32_t *scratch;
	rule *broken;
	size_t nbroken = 0, nseries = 0;
	ag_status st = AG_OK;

	if (!x->frames->n)
		return AG_OK;
	broken = ag_new_n(arena, rule, MAX_COLS);
	s.fr = &x->frames->items[0];
	explained = ag_new_n(out->arena, int8_t, x->p->npath + 1);
	find_controls(&s, arena);
	scratch = ag_new_n(arena, uint32_t, (size_t)s.fr->nrow + 1);
	for (size_t c = 0; !st && c < s.fr->ncol && c < MAX_COLS; c++) {
		const ag_frame_col *f = &s.fr->cols[c];
		bool is_explained_here;
		rule r;

		if (!may_have_rule(&s, f))
			continue;
		st = ag_ctx_check(x->ctx, err);
		r = find_rule(&s, f, &is_explained_here);
		is_explained_here = (is_explained_here || is_told(&s, f, scratch)) &&
		                    s.fr->nrow >= FEW_ROWS;
		explained[f->f - x->p->paths] = is_explained_here ? 1 : -1;
		if (r.by && exceptions(&r) && !is_explained_here)
			broken[nbroken++] = r;
		nseries += r.by && exceptions(&r) && !is_explained_here &&
		           r.by->split == SPLIT_FILLED;
	}
	/* Years side by side, each filled where its neighbour is, break no rules: they are a series with gaps. */
	for (size_t i = 0; !st && i < nbroken; i++)
		if (nseries <= MAX_SERIES || broken[i].by->split != SPLIT_FILLED)
			suspect(&s, &broken[i], out);
	/* A frame of every n-th document may have missed an exception. */
	if (s.fr->step == 1)
		out->explained = explained;
	return st;
}
