/* planner_both -- the builtin planner first, then a model.
 *
 * The builtin planner goes through all of its hypotheses. In place of its conclusion the model is asked, which sees the
 * profile and the findings, and proposes what needs to be understood: rules between fields, the ranges of a domain. Its
 * proposals pass the same gates. The budget of iterations counts the model's steps alone.
 *
 * After a resume the builtin planner goes through its steps again, leaves out those that the log holds, and hands over
 * where all are there. */
#include <limits.h>

#include "audit/audit.h"

typedef struct both {
	ag_planner base;
	ag_audit *audit;
	ag_planner *builtin, *llm;
} both;

static ag_status propose_as_model(ag_planner *self, const ag_ctx *ctx, ag_arena *arena,
                                  ag_proposal *ret, ag_err *err)
{
	both *b = (both *)self;

	return b->llm->type->propose(b->llm, ctx, arena, ret, err);
}

static const ag_planner_type model_type = {
	.name = "both",
	.propose = propose_as_model,
	.default_iterations = 20,
	.asks_model = true,
};

static ag_status propose_as_builtin(ag_planner *self, const ag_ctx *ctx, ag_arena *arena,
                                    ag_proposal *ret, ag_err *err)
{
	both *b = (both *)self;
	unsigned nstep;
	ag_status st;

	if (!ag_audit_opts_of(b->audit)->planner_llm) {
		ag_fail(err, AG_INVALID, "audit.planner", "the planner both has no model");
		return ag_err_hint(err, "name one with --model, or use --planner builtin");
	}
	st = b->builtin->type->propose(b->builtin, ctx, arena, ret, err);
	if (st || !ag_planner_builtin_is_done(b->builtin, &nstep))
		return st;
	*ret = (ag_proposal){ 0 };
	b->base.uncounted = nstep;
	b->base.type = &model_type;
	return AG_OK;
}

static const ag_planner_type builtin_type = {
	.name = "both",
	.propose = propose_as_builtin,
	.default_iterations = 20,
};

unsigned ag_planner_both_budget(const ag_audit *a)
{
	const ag_planner *p = ag_audit_planner_of(a);
	const unsigned budget = ag_audit_opts_of(a)->budget.iterations;

	if (!p || p->type != &model_type)
		return 0;
	return p->uncounted + (budget ? budget : model_type.default_iterations);
}

ag_planner *ag_planner_both_make(void *env, void *arg)
{
	ag_audit *a = env;
	both *b = ag_new(ag_audit_state_of(a)->arena, both);

	b->base = (ag_planner){ .type = &builtin_type, .uncounted = UINT_MAX };
	b->audit = a;
	b->builtin = ag_planner_builtin_make(env, arg);
	b->llm = ag_planner_llm_make(env, arg);
	return &b->base;
}
