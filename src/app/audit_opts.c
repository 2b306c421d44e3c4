/* Settings to the options of an audit. The choices of the table stand in the order of the enums. */
#include "app/app.h"

_Static_assert(AG_LOW == 0 && AG_CRITICAL == 3, "order of severities in settings_table.c");
_Static_assert(AG_REJECTED_LOG_ONLY == 0 && AG_REJECTED_DROP == 1 && AG_REJECTED_DEMOTE == 2,
               "order of rejected_finding_policy");
_Static_assert(AG_RUN_FAIL_CONTINUE == 0 && AG_RUN_FAIL_WARN_ONLY == 1 && AG_RUN_FAIL_ABORT == 2,
               "order of run_fail_policy");

_Static_assert(AG_EVAL_RULES == 0 && AG_EVAL_NONE == 1 && AG_EVAL_ESCALATION == 5,
               "order of the evaluators behind \"profile\"");
_Static_assert(AG_MALFORMED_FAIL == 0 && AG_MALFORMED_WARN == 1 && AG_MALFORMED_PASS == 2,
               "order of malformed_action and its kin");

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

	ag_audit_opts_init(ret);
	ret->sample_size = s->sample_size;
	ret->seed = s->seed;
	ret->budget = (ag_budget){ .iterations = (unsigned)s->max_iterations,
		                   .calls = (unsigned)s->max_calls,
		                   .seconds = s->max_seconds };
	ret->fail_policy = (ag_fail_policy)s->run_fail_policy;
	ret->rejected_policy = (ag_rejected_policy)s->rejected_finding_policy;
	ret->evaluators[AG_GATE_ACTION] = evaluator(s, s->action_evaluator, AG_GATE_ACTION);
	ret->evaluators[AG_GATE_OBSERVATION] = evaluator(s, s->finding_evaluator,
	                                                 AG_GATE_OBSERVATION);
	ret->evaluators[AG_GATE_RUN] = evaluator(s, s->run_evaluator, AG_GATE_RUN);
	ret->pass_threshold[AG_GATE_ACTION] = s->action_pass_threshold;
	ret->pass_threshold[AG_GATE_OBSERVATION] = s->finding_pass_threshold;
	ret->pass_threshold[AG_GATE_RUN] = s->run_pass_threshold;
	ret->malformed[AG_GATE_ACTION] = (ag_malformed)s->malformed_action;
	ret->malformed[AG_GATE_OBSERVATION] = (ag_malformed)s->malformed_finding;
	ret->malformed[AG_GATE_RUN] = (ag_malformed)s->malformed_run;
	ret->escalation_low = s->escalation_low_threshold;
	ret->escalation_high = s->escalation_high_threshold;
	ret->escalation_cap = (unsigned)s->escalation_cap;
	ret->no_history = !s->history;
	ret->rules = (ag_rule_opts){
		.field_coverage_min = s->field_coverage_min,
		.early_termination_min = (unsigned)s->early_termination_min,
		.clean_collection_docs = s->clean_collection_docs,
		.critical_min_share = s->critical_min_share,
		.high_min_share = s->high_min_share,
		.budget_warning_below = (unsigned)s->budget_warning_below,
		.description_min_chars = (unsigned)s->description_min_chars,
		.evidence_tolerance = s->evidence_tolerance,
	};
	ret->catalogue = (ag_catalogue_opts){
		.as_of_ms = s->as_of,
		.null_rate_warning_threshold = s->null_rate_warning_threshold,
		.null_rate_critical_threshold = s->null_rate_critical_threshold,
		.type_consistency_threshold = s->type_consistency_threshold,
	};
	ret->min_severity = (ag_severity)s->min_severity;
	ret->ignores = s->ignores;
	ret->nignore = s->nignore;
	ret->show_values = s->show_values;
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
