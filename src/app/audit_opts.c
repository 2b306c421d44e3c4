/* Settings to the options of an audit. The choices of the table stand in the order of the enums. */
#include "app/app.h"

_Static_assert(AG_EVAL_RULES == 0 && AG_EVAL_NONE == 1 && AG_EVAL_ESCALATION == 5,
               "order of the evaluators behind \"profile\"");

/* fast, balanced, thorough; action, finding, run. */
static const ag_evaluator_kind profiles[][AG_NGATE] = {
	{ AG_EVAL_RULES, AG_EVAL_RULES, AG_EVAL_RULES },
	{ AG_EVAL_RULES, AG_EVAL_COMPOSITE, AG_EVAL_SELF },
	{ AG_EVAL_RULES, AG_EVAL_COMPOSITE, AG_EVAL_JUDGE },
};

static ag_evaluator_kind evaluator(const ag_settings *s, int choice, ag_gate gate)
{
	return choice ? (ag_evaluator_kind)(choice - 1) : profiles[s->eval_profile][gate];
}

void ag_app_audit_opts(const ag_app *app, ag_arena *arena, ag_audit_opts *ret)
{
	const ag_settings *s = &app->settings;

	*ret = s->audit;
	ret->evaluators[AG_GATE_ACTION] = evaluator(s, s->action_evaluator, AG_GATE_ACTION);
	ret->evaluators[AG_GATE_OBSERVATION] = evaluator(s, s->finding_evaluator,
	                                                 AG_GATE_OBSERVATION);
	ret->evaluators[AG_GATE_RUN] = evaluator(s, s->run_evaluator, AG_GATE_RUN);
	ret->ignores = s->ignores;
	ret->nignore = s->nignore;
	ret->settings_json = ag_settings_json(s, arena);
}

ag_status ag_app_open_source(const ag_app *app, const ag_source_place *place,
                             const ag_source_opts *opts, ag_budget *budget, ag_source **ret,
                             ag_err *err)
{
	ag_ctx ctx = app->ctx;
	int64_t end_ms;
	bool by_budget;
	ag_status st;

	budget->since_ms = ag_clock_mono(ctx.clock);
	end_ms = budget->since_ms + (int64_t)(budget->seconds * 1000);
	by_budget = budget->seconds > 0 && (!ctx.deadline_ms || end_ms < ctx.deadline_ms);
	if (by_budget)
		ctx.deadline_ms = end_ms;
	st = ag_source_open_place(&ctx, place, opts, ret, err);
	if (st != AG_TIMEOUT || !by_budget)
		return st;
	ag_fail(err, AG_TIMEOUT, "app.audit",
	        "%.*s: the %g seconds of max_seconds ended before the data was read; nothing was checked",
	        AG_FMT(place->uri), budget->seconds);
	return ag_err_hint(err, "give it more with --max-seconds");
}
