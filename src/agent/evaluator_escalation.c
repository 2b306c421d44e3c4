/* evaluator_escalation -- who is sure enough passes, who is unsure waits for a person, who guesses is dropped.
 *
 * The inner evaluator speaks first and its FAIL stays as it is: confidence mends no missing evidence. The names
 * "escalation:pending" and "escalation:dropped" are written here only; what acts on them is the disposition, which no
 * model can write. */
#include "agent/evaluators.h"

#include <math.h>

static ag_verdict drop(ag_str reason)
{
	return (ag_verdict){
		.kind = AG_FAIL,
		.reason = reason,
		/* No numbers: a planner shall look again, not claim to be surer. */
		.critique = AG_S(
			"This was dropped because you are not sure of it. Gather more evidence "
			"before you propose it again, or go on with something else."),
		.evaluated_by = AG_S("escalation:dropped"),
		.disposition = AG_DISPOSE_DROP,
	};
}

/* Unsure: kept for a person, when not too many wait already. What the inner evaluator had to say is kept as well. */
static ag_verdict pend(const ag_escalation *e, const ag_subject *s, double confidence,
                       const ag_verdict *inner, ag_arena *arena)
{
	ag_verdict v = *inner;

	if (e->npending(s->state) >= e->cap)
		return drop(
			ag_str_printf(arena,
		                      "confidence %.2f wants a person's look, but the cap of %u "
		                      "pending ones is reached",
		                      confidence, e->cap));
	v.kind = AG_PASS;
	v.evaluated_by = AG_S("escalation:pending");
	v.disposition = AG_DISPOSE_REVIEW;
	v.reason = ag_str_printf(
		arena, "confidence %.2f is between %.2f and %.2f: a person has to look at it%s%.*s",
		confidence, e->low, e->high, inner->kind == AG_WARN ? "; " : "",
		inner->kind == AG_WARN ? (int)inner->reason.len : 0, inner->reason.ptr);
	return v;
}

static ag_status evaluate(const ag_evaluator *self, const ag_ctx *ctx, const ag_subject *s,
                          ag_arena *arena, ag_verdict *ret, ag_err *err)
{
	const ag_escalation *e = (const ag_escalation *)self;
	const double confidence = s->proposal ? s->proposal->confidence : (double)NAN;
	ag_verdict inner;
	ag_status st = e->inner->evaluate(e->inner, ctx, s, arena, &inner, err);

	if (st)
		return st;
	if (inner.kind == AG_FAIL || isnan(confidence) || confidence >= e->high)
		*ret = inner;
	else if (confidence < e->low)
		*ret = drop(
			ag_str_printf(arena, "confidence %.2f is below %.2f", confidence, e->low));
	else
		*ret = pend(e, s, confidence, &inner, arena);
	return AG_OK;
}

ag_status ag_escalation_init(ag_escalation *e, const ag_evaluator *inner, double low, double high,
                             unsigned cap, unsigned (*npending)(const void *state), ag_err *err)
{
	/* Written so that NaN is refused as well. */
	if (!(low >= 0 && low <= 1) || !(high >= 0 && high <= 1))
		return ag_fail(err, AG_INVALID, "agent.escalation",
		               "escalation thresholds: want 0 to 1, got %g and %g", low, high);
	if (low > high)
		return ag_fail(err, AG_INVALID, "agent.escalation",
		               "escalation thresholds: the low one (%g) is above the high one (%g)",
		               low, high);
	*e = (ag_escalation){
		.base = { .name = "escalation",
		          .evaluate = evaluate,
		          .asks_model = inner->asks_model },
		.inner = inner,
		.low = low,
		.high = high,
		.cap = cap,
		.npending = npending,
	};
	return AG_OK;
}
