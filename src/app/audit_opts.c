/* Settings to the options of an audit. The choices of the table stand in the order of the enums. */
#include "app/app.h"

_Static_assert(AG_LOW == 0 && AG_CRITICAL == 3, "order of severities in settings_table.c");
_Static_assert(AG_REJECTED_LOG_ONLY == 0 && AG_REJECTED_DROP == 1 && AG_REJECTED_DEMOTE == 2,
               "order of rejected_finding_policy");
_Static_assert(AG_RUN_FAIL_CONTINUE == 0 && AG_RUN_FAIL_WARN_ONLY == 1 && AG_RUN_FAIL_ABORT == 2,
               "order of run_fail_policy");

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
	ret->gate_off[AG_GATE_ACTION] = s->action_evaluator != 0;
	ret->gate_off[AG_GATE_OBSERVATION] = s->finding_evaluator != 0;
	ret->gate_off[AG_GATE_RUN] = s->run_evaluator != 0;
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
	ret->show_values = s->show_values;
	ret->settings_json = ag_settings_json(s, arena);
}
