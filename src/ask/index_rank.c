/* Asking the index: candidates by BM25, then each is looked at as a person would who skims the page.
 *
 * BM25 sees a bag of words. What makes a section the right one shows in its title, in how many of the question's words
 * it has at all, in whether they stand together, in the page it stands on, in what others say when they point at it,
 * and in what it is: prose for "how", code and settings for "which port", never a list of links or of questions. Each
 * of these is a number (index_traits.h); the weights here add them up. They were chosen on questions about several
 * projects, each set checked with what was found on the others. Order of reading: ag_index_ask_read(), candidates(). */
#include <math.h>
#include <stdlib.h>

#include "ask/index_cut.h"
#include "ask/index_traits.h"

#define NSEARCH 300u /* hits of one search */
#define NKIND   80u  /* of them that are looked at: prose, and as many others */

static const double weights[AG_NTRAIT] = {
	[AG_TRAIT_BM25] = 1.1,   [AG_TRAIT_EXACT] = 0.9,  [AG_TRAIT_COVER] = 1.1,
	[AG_TRAIT_LEAD] = 0.9,   [AG_TRAIT_HEADS] = 1.25, [AG_TRAIT_NOT] = 0.6,
	[AG_TRAIT_ABOVE] = 1.45, [AG_TRAIT_BODY] = 0.2,   [AG_TRAIT_PAGE] = 0.25,
	[AG_TRAIT_FILE] = 0.55,  [AG_TRAIT_NEAR] = 1.2,   [AG_TRAIT_PHRASE] = 0.8,
	[AG_TRAIT_LINKED] = 1.2, [AG_TRAIT_NAMED] = 1.25, [AG_TRAIT_KIND] = 1.45,
	[AG_TRAIT_SHAPE] = 0.9,  [AG_TRAIT_LINKS] = -0.4, [AG_TRAIT_ASIDE] = -1.85,
	[AG_TRAIT_REPEATS] = -2,
};

/* --- candidates --- */

static bool is_same(const ag_index_hit *a, const ag_index_hit *b)
{
	return a->doc.line == b->doc.line && a->doc.last_line == b->doc.last_line &&
	       ag_str_eq(a->path, b->path);
}

/* The list's best has the score `best_is`; what is there already keeps the better one. */
static size_t add_hits(ag_candidate *list, size_t n, const ag_index_hit *hits, size_t nhit,
                       double best_is)
{
	for (size_t i = 0; i < nhit; i++) {
		const double score = hits[0].score > 0 ? best_is * hits[i].score / hits[0].score
		                                       : 0;
		size_t at = 0;

		while (at < n && !is_same(&list[at].hit, &hits[i]))
			at++;
		if (at == n) {
			list[n] = (ag_candidate){ .hit = hits[i] };
			list[n++].hit.score = 0;
		}
		if (list[at].hit.score < score)
			list[at].hit.score = score;
	}
	return n;
}

static ag_status candidates(const ag_root *r, ag_store *s, ag_question *q, ag_arena *arena,
                            ag_candidate **ret, size_t *nret, ag_err *err)
{
	const ag_str project = ag_root_path(r);
	ag_str words[AG_INDEX_MAX_WORDS];
	ag_index_hit *own = NULL, *all = NULL;
	size_t nown = 0, nall = 0;
	ag_index_counts counts;
	ag_status st;

	for (size_t i = 0; i < q->nword; i++)
		words[i] = q->words[i].word;
	st = ag_store_index_count(s, project, words, q->nword, &counts, err);
	if (st)
		return st;
	ag_question_weigh(q, &counts);
	st = ag_store_index_search(s,
	                           &(ag_index_question){ .project = project,
	                                                 .words = words,
	                                                 .nword = q->nown,
	                                                 .limit = NSEARCH },
	                           arena, &own, &nown, err);
	if (!st)
		st = ag_store_index_search(s,
		                           &(ag_index_question){ .project = project,
		                                                 .words = words,
		                                                 .nword = q->nword,
		                                                 .limit = NSEARCH },
		                           arena, &all, &nall, err);
	if (st)
		return st;
	*ret = ag_new_n(arena, ag_candidate, nown + nall + 1);
	*nret = add_hits(*ret, 0, own, nown, 1);
	*nret = add_hits(*ret, *nret, all, nall, 0.8);
	return AG_OK;
}

/* --- order --- */

static int by_score(const void *a, const void *b)
{
	const ag_candidate *x = a, *y = b;
	int c;

	if (fabs(x->score - y->score) > 1e-9)
		return x->score > y->score ? -1 : 1;
	c = ag_str_cmp(x->hit.path, y->hit.path);
	if (c)
		return c;
	return x->hit.doc.line < y->hit.doc.line ? -1 : x->hit.doc.line > y->hit.doc.line;
}

/* Pieces of one section are one answer: the best of them stays. */
static size_t take(const ag_candidate *list, size_t n, size_t limit, ag_index_hit *out)
{
	size_t nout = 0;

	for (size_t i = 0; i < n && nout < limit; i++) {
		const ag_index_hit *h = &list[i].hit;
		bool is_new = true;

		for (size_t k = 0; k < nout && is_new; k++)
			is_new = !h->doc.anchor.len ||
			         !ag_str_eq(h->doc.anchor, out[k].doc.anchor) ||
			         !ag_str_eq(h->path, out[k].path);
		if (!is_new)
			continue;
		out[nout] = *h;
		out[nout++].score = list[i].score;
	}
	return nout;
}

ag_status ag_index_ask_read(const ag_ctx *ctx, const ag_index_query *q, ag_arena *arena,
                            ag_question *ret_q, ag_index_hit **ret, size_t *nret, ag_err *err)
{
	ag_candidate *list = NULL;
	size_t n = 0;
	ag_status st = ag_ctx_check(ctx, err);

	if (st)
		return st;
	ag_question_read(q->question, arena, ret_q);
	st = candidates(q->root, q->store, ret_q, arena, &list, &n, err);
	if (st)
		return st;
	ag_traits_of(ret_q, list, n, arena);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < AG_NTRAIT; k++)
			list[i].score += weights[k] * list[i].traits[k];
	}
	qsort(list, n, sizeof(*list), by_score);
	*ret = ag_new_n(arena, ag_index_hit, n + 1);
	*nret = take(list, n, q->limit, *ret);
	return AG_OK;
}

ag_status ag_index_ask(const ag_ctx *ctx, const ag_index_query *q, ag_arena *arena,
                       ag_index_hit **ret, size_t *nret, ag_err *err)
{
	ag_question read;

	return ag_index_ask_read(ctx, q, arena, &read, ret, nret, err);
}
