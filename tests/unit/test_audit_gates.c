/* The gates of an audit: which choices build and which say what is missing (reference section 5.1, scenario 13), and
 * real runs judged by models and by confidence (scenarios 12 and 14). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "audit_fixtures.h"

#include <math.h>
#include <stdlib.h>

#include "scripted_model.h"
#include "text_checks.h"

#define SCRIPT(f, ...)                                              \
	do {                                                        \
		static const char *const lines[] = { __VA_ARGS__ }; \
		fix_script((f), lines, AG_NELEM(lines));            \
	} while (0)

#define SAMPLE   "{\"action\":\"schema_sample\",\"action_input\":{\"sample_size\":200}}"
#define STATS    "{\"action\":\"profile_fields\",\"action_input\":{\"fields\":[\"email\",\"age\"]}}"
#define CONCLUDE "{\"action\":\"conclude\"}"
/* The evidence finds 30 of 100 documents for email, 10 of 100 for age. */
#define FINDING(field, query, count, confidence)                                             \
	"{\"action\":\"write_finding\",\"confidence\":" confidence                           \
	",\"action_input\":{\"field\":\"" field                                              \
	"\",\"category\":\"null_rate\",\"severity\":\"medium\",\"description\":\"something " \
	"is missing\",\"hypothesis\":\"an import\",\"evidence_query\":" query                \
	",\"affected_count\":" count "}}"
#define EMAIL(confidence) FINDING("email", "{\"email\":null}", "30", confidence)
#define AGE(confidence)   FINDING("age", "{\"age\":null}", "10", confidence)

#define PASS(by)                                                                           \
	AG_S_INIT("{\"verdict\":\"pass\",\"score\":0.9,\"reason\":\"sound\",\"critique\":" \
	          "\"\"" by "}")
#define FAIL       \
	AG_S_INIT( \
		"{\"verdict\":\"fail\",\"score\":0.1,\"reason\":\"thin\",\"critique\":\"look again\"}")

static void people(audit_fix *f)
{
	ag_buf docs = AG_BUF_INIT(1 << 20);

	for (int i = 0; i < 100; i++) {
		ag_buf_adds(&docs, i % 10 < 3 ? "{\"email\":null" : "{\"email\":\"u@example.org\"");
		ag_buf_adds(&docs, i % 10 ? ",\"age\":7}\n" : ",\"age\":null}\n");
	}
	fix_open(f, ag_buf_view(&docs));
	ag_buf_release(&docs);
}

/* ---- which choices build ---- */

/* Called when the gates of a run were built: build them once more, to look at them. */
static ag_planner *look(void *env, void *arg)
{
	ag_audit *a = env;
	const ag_evaluator **gates = arg;
	ag_err err = { 0 };

	if (ag_audit_gates(a, gates, &err))
		fail_msg("%s", err.msg);
	return ag_planner_builtin_make(a, NULL);
}

static ag_status build(audit_fix *f, const ag_evaluator *gates[AG_NGATE], ag_err *err)
{
	ag_audit_result result;

	f->opts.budget.iterations = 1;
	return ag_audit_run(&f->ctx,
	                    &(ag_audit_job){ .source = f->source,
	                                     .store = f->store,
	                                     .opts = &f->opts,
	                                     .make = look,
	                                     .make_arg = gates },
	                    f->arena, &result, err);
}

/* What a cell must say: "" = it builds. */
static const char *complaint(ag_gate g, ag_evaluator_kind kind, bool planner, bool self, bool judge)
{
	switch (kind) {
	case AG_EVAL_SELF:
	case AG_EVAL_COMPOSITE: return planner || self ? "" : "set self_model, or model";
	case AG_EVAL_JUDGE: return judge ? "" : "needs a judge model (judge_llm): set judge_model";
	case AG_EVAL_ESCALATION: return g == AG_GATE_OBSERVATION ? "" : "finding_evaluator";
	default: return "";
	}
}

static void assert_built(const ag_evaluator *e, ag_gate g, ag_evaluator_kind kind, bool judge)
{
	size_t want;

	if (kind == AG_EVAL_NONE) {
		assert_null(e);
		return;
	}
	assert_non_null(e);
	assert_string_equal(e->name, ag_evaluator_names[kind]);
	assert_int_equal(e->asks_model, kind == AG_EVAL_SELF || kind == AG_EVAL_JUDGE ||
	                                        kind == AG_EVAL_COMPOSITE);
	if (kind != AG_EVAL_COMPOSITE)
		return;
	want = g == AG_GATE_RUN && judge ? 3 : 2;
	assert_int_equal(((const ag_composite *)e)->nmember, want);
	for (size_t i = 0; i < want; i++)
		assert_string_equal(((const ag_composite *)e)->members[i]->name, i == 0 ? "rules"
		                                                                 : i == 1
		                                                                         ? "self"
		                                                                         : "judge");
}

#define NKIND (AG_EVAL_ESCALATION - AG_EVAL_PROFILE)

static void every_cell_builds_or_says_why(void **state)
{
	scripted_model model;
	audit_fix f;

	(void)state;
	people(&f);
	sm_open(&model, "small-1", NULL, 0);
	for (int cell = 0; cell < AG_NGATE * NKIND * 8; cell++) {
		const ag_gate g = (ag_gate)(cell % AG_NGATE);
		const ag_evaluator_kind kind = (ag_evaluator_kind)(AG_EVAL_RULES +
		                                                   cell / AG_NGATE % NKIND);
		const int models = cell / (AG_NGATE * NKIND);
		const bool planner = models & 1, self = models & 2, judge = models & 4;
		const char *why = complaint(g, kind, planner, self, judge);
		const ag_evaluator *gates[AG_NGATE];
		ag_err err = { 0 };
		ag_status st;

		ag_audit_opts_init(&f.opts);
		f.opts.planner_llm = planner ? model.llm : NULL;
		f.opts.self_llm = self ? model.llm : NULL;
		f.opts.judge_llm = judge ? model.llm : NULL;
		f.opts.evaluators[g] = kind;
		st = ag_audit_opts_check(&f.opts, &err);
		if (st != (*why ? AG_INVALID : AG_OK))
			fail_msg("%s_evaluator %s: %s", ag_gate_name(g), ag_evaluator_names[kind],
			         err.msg);
		if (!st && build(&f, gates, &err))
			fail_msg("%s_evaluator %s: %s", ag_gate_name(g), ag_evaluator_names[kind],
			         err.msg);
		if (!st) {
			assert_built(gates[g], g, kind, judge);
			continue;
		}
		assert_has(ag_str_c(err.msg), why);
		assert_has(ag_str_c(err.msg), ag_gate_name(g));
		assert_has(ag_str_c(err.msg), ag_evaluator_names[kind]);
		assert_int_equal(build(&f, gates, &err), AG_INVALID);
	}
	sm_close(&model);
	fix_close(&f);
}

static void self_takes_the_planners_model(void **state)
{
	static const sm_line answer[] = { { PASS(""), 1, 1, NULL } };
	scripted_model planner, self;
	audit_fix f;

	(void)state;
	for (int i = 0; i < 2; i++) {
		people(&f);
		sm_open(&planner, "big-1", answer, 1);
		sm_open(&self, "small-1", answer, 1);
		f.opts.evaluators[AG_GATE_RUN] = AG_EVAL_SELF;
		f.opts.planner_llm = planner.llm;
		f.opts.self_llm = i ? self.llm : NULL;
		SCRIPT(&f, SAMPLE, STATS, EMAIL("0.9"), CONCLUDE);
		assert_str(fix_text(fix_get(&f.report, "run_evaluation"), "evaluated_by"),
		           i ? "self:small-1" : "self:big-1");
		sm_close(&self);
		sm_close(&planner);
		fix_close(&f);
	}
}

static void thresholds_are_shares(void **state)
{
	static const double wrong[] = { -0.01, 1.01, NAN, INFINITY };
	static const char *const names[] = { "action_pass_threshold", "finding_pass_threshold",
		                             "run_pass_threshold", "escalation_low_threshold",
		                             "escalation_high_threshold" };
	ag_audit_opts o;
	ag_err err = { 0 };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(names) * AG_NELEM(wrong); i++) {
		const size_t which = i / AG_NELEM(wrong);

		ag_audit_opts_init(&o);
		if (which < AG_NGATE)
			o.pass_threshold[which] = wrong[i % AG_NELEM(wrong)];
		else if (which == AG_NGATE)
			o.escalation_low = wrong[i % AG_NELEM(wrong)];
		else
			o.escalation_high = wrong[i % AG_NELEM(wrong)];
		assert_int_equal(ag_audit_opts_check(&o, &err), AG_INVALID);
		assert_has(ag_str_c(err.msg), names[which]);
	}
	ag_audit_opts_init(&o);
	o.escalation_low = 0.86;
	assert_int_equal(ag_audit_opts_check(&o, &err), AG_INVALID);
	assert_has(ag_str_c(err.msg),
	           "escalation_low_threshold 0.86 is above escalation_high_threshold 0.85");
	ag_audit_opts_init(&o);
	o.escalation_low = o.escalation_high = 1;
	assert_int_equal(ag_audit_opts_check(&o, &err), AG_OK);
}

/* ---- runs judged by models ---- */

static void usage_of_judges_is_counted(void **state)
{
	static const sm_line self_says[] = { { PASS(""), 200, 40, NULL } };
	static const sm_line judge_says[] = { { PASS(""), 500, 80, NULL } };
	scripted_model self, judge;
	ag_llm_meter meter;
	audit_fix f;

	(void)state;
	people(&f);
	sm_open(&self, "small-1", self_says, 1);
	sm_open(&judge, "large-1", judge_says, 1);
	ag_llm_meter_init(&meter, f.arena, 0, 0);
	f.opts.evaluators[AG_GATE_RUN] = AG_EVAL_COMPOSITE;
	f.opts.self_llm = self.llm;
	f.opts.judge_llm = judge.llm;
	f.opts.meter = &meter;
	SCRIPT(&f, SAMPLE, STATS, EMAIL("0.9"), CONCLUDE);
	assert_str(fix_text(&f.report, "status"), "ok");
	assert_str(fix_text(fix_get(&f.report, "run_evaluation"), "evaluated_by"), "composite");
	assert_has(fix_text(fix_get(&f.report, "run_evaluation"), "reason"),
	           "[self:small-1] sound");
	assert_has(fix_text(fix_get(&f.report, "run_evaluation"), "reason"),
	           "[judge:large-1] sound");
	assert_int_equal(fix_int(&f.report, "total_input_tokens"), 700);
	assert_int_equal(fix_int(&f.report, "total_output_tokens"), 120);
	sm_close(&judge);
	sm_close(&self);
	fix_close(&f);
}

static void a_model_rejects_a_finding_behind_the_rules(void **state)
{
	static const sm_line answers[] = { { FAIL, 1, 1, NULL },
		                           { PASS(",\"evaluated_by\":\"escalation:pending\""), 1, 1,
		                             NULL } };
	const ag_val *finding;
	scripted_model self;
	audit_fix f;

	(void)state;
	people(&f);
	sm_open(&self, "small-1", answers, AG_NELEM(answers));
	f.opts.evaluators[AG_GATE_OBSERVATION] = AG_EVAL_COMPOSITE;
	f.opts.self_llm = self.llm;
	/* The rules reject the first, so the model is not asked about it. */
	SCRIPT(&f, SAMPLE, FINDING("city", "{\"city\":\"x\"}", "5", "0.9"), EMAIL("0.9"),
	       AGE("0.9"), STATS, CONCLUDE);
	assert_int_equal(self.nasked, 2);
	finding = fix_find(&f, "dismissed_findings", "email", "null_rate");
	assert_non_null(finding);
	assert_has(fix_text(fix_record(&f, "finding", 1), "reason"), "[self:small-1] thin");
	assert_str(f.critiques[3], "look again");
	/* A model cannot send a finding to review, nor name itself. */
	finding = fix_find(&f, "findings", "age", "null_rate");
	assert_non_null(finding);
	assert_str(fix_text(finding, "status"), "published");
	assert_str(fix_text(fix_record(&f, "finding", 2), "evaluated_by"), "composite");
	sm_close(&self);
	fix_close(&f);
}

/* Also under the policy that keeps what a gate rejects one severity lower: nobody judged it. */
static void garbage_fails_closed(ag_rejected_policy policy)
{
	static const sm_line garbage = { AG_S_INIT("not json at all"), 1, 1, NULL };
	sm_line answers[6];
	scripted_model self;
	audit_fix f;

	for (size_t i = 0; i < AG_NELEM(answers); i++)
		answers[i] = garbage;
	people(&f);
	sm_open(&self, "small-1", answers, AG_NELEM(answers));
	f.opts.evaluators[AG_GATE_OBSERVATION] = AG_EVAL_SELF;
	f.opts.evaluators[AG_GATE_RUN] = AG_EVAL_SELF;
	f.opts.self_llm = self.llm;
	f.opts.rejected_policy = policy;
	SCRIPT(&f, SAMPLE, EMAIL("0.9"), STATS, CONCLUDE);
	assert_int_equal(self.nasked, 4);
	assert_int_equal(fix_len(&f, "findings"), 0);
	assert_int_equal(fix_len(&f, "dismissed_findings"), 1);
	assert_has(fix_text(fix_record(&f, "finding", 0), "reason"), "unparseable");
	assert_str(fix_text(fix_record(&f, "finding", 0), "evaluated_by"), "self:small-1");
	assert_str(fix_text(fix_get(&f.report, "run_evaluation"), "verdict"), "warn");
	assert_str(fix_text(&f.report, "status"), "ok");
	sm_close(&self);
	fix_close(&f);
}

static void garbage_fails_closed_for_findings(void **state)
{
	(void)state;
	garbage_fails_closed(AG_REJECTED_LOG_ONLY);
	garbage_fails_closed(AG_REJECTED_DEMOTE);
}

static void thresholds_of_the_options_are_live(void **state)
{
	static const sm_line answers[] = { { PASS(""), 1, 1, NULL }, { PASS(""), 1, 1, NULL } };
	scripted_model self;
	audit_fix f;

	(void)state;
	people(&f);
	sm_open(&self, "small-1", answers, AG_NELEM(answers));
	f.opts.evaluators[AG_GATE_OBSERVATION] = f.opts.evaluators[AG_GATE_RUN] = AG_EVAL_SELF;
	f.opts.pass_threshold[AG_GATE_OBSERVATION] = 0.95;
	f.opts.pass_threshold[AG_GATE_RUN] = 0.9;
	f.opts.self_llm = self.llm;
	SCRIPT(&f, SAMPLE, EMAIL("0.9"), STATS, CONCLUDE);
	assert_int_equal(fix_len(&f, "findings"), 0);
	assert_str(fix_text(fix_record(&f, "finding", 0), "reason"),
	           "score 0.90 is below the threshold of 0.95: sound");
	assert_str(fix_text(fix_get(&f.report, "run_evaluation"), "verdict"), "pass");
	sm_close(&self);
	fix_close(&f);
}

/* A planner that asks for the end again and again, with nothing done between, pays for one verdict. */
static void a_repeated_conclusion_is_not_judged_twice(void **state)
{
	static const sm_line answers[] = { { FAIL, 1, 1, NULL }, { PASS(""), 1, 1, NULL } };

	(void)state;
	for (int composite = 0; composite < 2; composite++) {
		scripted_model self;
		audit_fix f;

		people(&f);
		sm_open(&self, "small-1", answers, AG_NELEM(answers));
		f.opts.evaluators[AG_GATE_RUN] = composite ? AG_EVAL_COMPOSITE : AG_EVAL_SELF;
		f.opts.self_llm = self.llm;
		f.opts.budget.iterations = 12;
		SCRIPT(&f, SAMPLE, STATS, EMAIL("0.9"), CONCLUDE, CONCLUDE, CONCLUDE,
		       "{\"action\":\"run_query\",\"action_input\":{\"filter\":{\"age\":7}}}",
		       CONCLUDE);
		assert_int_equal(self.nasked, 2);
		assert_str(fix_text(fix_record(&f, "run", 1), "verdict"), "fail");
		assert_str(fix_text(fix_record(&f, "run", 1), "reason"),
		           composite ? "[rules] all rules are satisfied | [self:small-1] thin"
		                     : "thin");
		assert_true(ag_str_contains(fix_text(fix_record(&f, "run", 1), "critique"),
		                            AG_S("Nothing was done since the last verdict")));
		assert_false(ag_str_contains(fix_text(fix_record(&f, "run", 0), "critique"),
		                             AG_S("Nothing was done")));
		assert_str(fix_text(fix_record(&f, "run", 3), "verdict"), "pass");
		sm_close(&self);
		fix_close(&f);
	}
}

/* Whoever judges steps, a tool that is not in the table cannot run, nor one with input of the wrong shape. */
static void no_evaluator_opens_the_tool_table(void **state)
{
	static const ag_evaluator_kind choices[] = { AG_EVAL_NONE, AG_EVAL_SELF, AG_EVAL_JUDGE };
	static const sm_line pass = { PASS(""), 1, 1, NULL };
	sm_line answers[8];

	(void)state;
	for (size_t i = 0; i < AG_NELEM(answers); i++)
		answers[i] = pass;
	for (size_t i = 0; i < AG_NELEM(choices); i++) {
		const ag_val *trace;
		scripted_model model;
		audit_fix f;

		people(&f);
		sm_open(&model, "small-1", answers, AG_NELEM(answers));
		f.opts.evaluators[AG_GATE_ACTION] = choices[i];
		f.opts.self_llm = f.opts.judge_llm = model.llm;
		SCRIPT(&f, SAMPLE, "{\"action\":\"drop_collection\",\"action_input\":{}}",
		       "{\"action\":\"run_query\",\"action_input\":{\"filter\":7,\"path\":\"/etc\"}}",
		       STATS, CONCLUDE);
		trace = fix_get(&f.report, "run_trace");
		assert_int_equal(trace->n, 5);
		assert_int_equal(f.result.run_result.calls, 2);
		assert_has(f.critiques[2], "drop_collection");
		assert_true(f.critiques[3].len > 0);
		assert_int_equal(model.nasked, choices[i] == AG_EVAL_NONE ? 0 : 5);
		sm_close(&model);
		fix_close(&f);
	}
}

static void an_absent_judge_leaves_a_partial_run(void **state)
{
	scripted_model self;
	audit_fix f;

	(void)state;
	people(&f);
	sm_open(&self, "small-1", NULL, 0);
	f.opts.evaluators[AG_GATE_OBSERVATION] = AG_EVAL_COMPOSITE;
	f.opts.self_llm = self.llm;
	SCRIPT(&f, SAMPLE, EMAIL("0.9"), STATS, CONCLUDE);
	assert_str(fix_text(&f.report, "status"), "partial");
	assert_int_equal(f.result.run_result.err.status, AG_UNAVAILABLE);
	/* Nobody is dismissed because a judge was away. */
	assert_int_equal(fix_len(&f, "findings"), 0);
	assert_int_equal(fix_len(&f, "dismissed_findings"), 0);
	sm_close(&self);
	fix_close(&f);
}

/* ---- scenario 14 in the loop ---- */

static void escalation_sends_findings_to_review(void **state)
{
	static const ag_rejected_policy policies[] = { AG_REJECTED_LOG_ONLY, AG_REJECTED_DROP,
		                                       AG_REJECTED_DEMOTE };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(policies); i++) {
		const ag_val *finding;
		audit_fix f;

		people(&f);
		f.opts.evaluators[AG_GATE_OBSERVATION] = AG_EVAL_ESCALATION;
		f.opts.rejected_policy = policies[i];
		SCRIPT(&f, SAMPLE, EMAIL("0.6"), AGE("0.2"), STATS, CONCLUDE);
		assert_int_equal(fix_len(&f, "findings"), 1);
		assert_int_equal(fix_len(&f, "dismissed_findings"), 0);
		finding = fix_find(&f, "findings", "email", "null_rate");
		assert_non_null(finding);
		assert_str(fix_text(finding, "status"), "pending_review");
		assert_true(fix_num(finding, "confidence") == 0.6);
		assert_str(fix_text(fix_record(&f, "finding", 0), "evaluated_by"),
		           "escalation:pending");
		assert_str(fix_text(fix_record(&f, "finding", 1), "evaluated_by"),
		           "escalation:dropped");
		assert_str(fix_text(fix_record(&f, "finding", 1), "verdict"), "fail");
		fix_close(&f);
	}
}

static void escalation_counts_who_waits(void **state)
{
	audit_fix f;

	(void)state;
	people(&f);
	f.opts.evaluators[AG_GATE_OBSERVATION] = AG_EVAL_ESCALATION;
	f.opts.escalation_cap = 1;
	/* The second look at email takes no second place. */
	SCRIPT(&f, SAMPLE, EMAIL("0.6"), AGE("0.6"), AGE("0.9"), EMAIL("0.5"), STATS, CONCLUDE);
	assert_has(fix_text(fix_record(&f, "finding", 1), "reason"), "cap of 1");
	assert_str(fix_text(fix_record(&f, "finding", 3), "evaluated_by"), "escalation:pending");
	assert_int_equal(fix_len(&f, "findings"), 2);
	assert_str(fix_text(fix_find(&f, "findings", "email", "null_rate"), "status"),
	           "pending_review");
	assert_str(fix_text(fix_find(&f, "findings", "age", "null_rate"), "status"), "published");
	fix_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cell_builds_or_says_why),
		cmocka_unit_test(self_takes_the_planners_model),
		cmocka_unit_test(thresholds_are_shares),
		cmocka_unit_test(usage_of_judges_is_counted),
		cmocka_unit_test(a_model_rejects_a_finding_behind_the_rules),
		cmocka_unit_test(garbage_fails_closed_for_findings),
		cmocka_unit_test(thresholds_of_the_options_are_live),
		cmocka_unit_test(a_repeated_conclusion_is_not_judged_twice),
		cmocka_unit_test(no_evaluator_opens_the_tool_table),
		cmocka_unit_test(an_absent_judge_leaves_a_partial_run),
		cmocka_unit_test(escalation_sends_findings_to_review),
		cmocka_unit_test(escalation_counts_who_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
