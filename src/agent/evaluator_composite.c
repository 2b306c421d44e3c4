/* evaluator_composite -- several evaluators in order; the first FAIL ends it, so the dear ones stand last.
 *
 * Each verdict is merged into one: the worst kind, the lowest score, all words with the name of who said them. What
 * shall become of a candidate (disposition) is what a member said; on FAIL only the word of the one that failed counts,
 * so a candidate that escalation would have kept for review and self rejects is a rejected one. */
#include "agent/evaluators.h"

#define TEXT_MAX_BYTES (256u * 1024)

typedef struct merge {
	ag_verdict v;
	ag_buf reason, critique;
} merge;

static void join(ag_buf *out)
{
	if (out->len)
		ag_buf_adds(out, " | ");
}

static void merge_in(merge *m, const ag_verdict *v)
{
	if (v->kind > m->v.kind)
		m->v.kind = v->kind;
	if (v->score < m->v.score)
		m->v.score = v->score;
	if (v->kind == AG_FAIL || v->disposition > m->v.disposition)
		m->v.disposition = v->disposition;
	join(&m->reason);
	ag_buf_addf(&m->reason, "[%.*s] %.*s", AG_FMT(v->evaluated_by), AG_FMT(v->reason));
	if (!v->critique.len)
		return;
	join(&m->critique);
	ag_buf_add(&m->critique, v->critique);
}

static ag_status evaluate(const ag_evaluator *self, const ag_ctx *ctx, const ag_subject *s,
                          ag_arena *arena, ag_verdict *ret, ag_err *err)
{
	const ag_composite *c = (const ag_composite *)self;
	merge m = {
		.v = { .kind = AG_PASS, .score = 1.0, .evaluated_by = AG_S("composite") },
		.reason = AG_BUF_INIT(TEXT_MAX_BYTES),
		.critique = AG_BUF_INIT(TEXT_MAX_BYTES),
	};
	ag_status st = AG_OK;

	for (size_t i = 0; i < c->nmember && !st && m.v.kind != AG_FAIL; i++) {
		ag_verdict v;

		st = c->members[i]->evaluate(c->members[i], ctx, s, arena, &v, err);
		if (!st)
			merge_in(&m, &v);
	}
	if (!st) {
		m.v.reason = m.reason.len ? ag_buf_dup(arena, &m.reason) : AG_S("nobody was asked");
		m.v.critique = ag_buf_dup(arena, &m.critique);
		*ret = m.v;
	}
	ag_buf_release(&m.reason);
	ag_buf_release(&m.critique);
	return st;
}

void ag_composite_init(ag_composite *c, const ag_evaluator *const *members, size_t nmember)
{
	*c = (ag_composite){
		.base = { .name = "composite", .evaluate = evaluate },
		.members = members,
		.nmember = nmember,
	};
	for (size_t i = 0; i < nmember; i++)
		c->base.asks_model |= members[i]->asks_model;
}
