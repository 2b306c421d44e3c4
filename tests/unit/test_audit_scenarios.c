/* The acceptance scenarios 1-10 and 17 of the auditor, driven by a scripted planner through the real loop. Where a
 * scenario shows a defect that the reference lists as a gap, the mended behaviour is asserted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "audit_fixtures.h"

#define SCRIPT(f, ...)                                              \
	do {                                                        \
		static const char *const lines[] = { __VA_ARGS__ }; \
		fix_script((f), lines, AG_NELEM(lines));            \
	} while (0)

#define SAMPLE        "{\"action\":\"schema_sample\",\"action_input\":{\"sample_size\":200}}"
#define CONCLUDE      "{\"action\":\"conclude\"}"
#define QUERY(filter) "{\"action\":\"run_query\",\"action_input\":{\"filter\":" filter "}}"
#define STATS(field, op)                                                                          \
	"{\"action\":\"get_stats\",\"action_input\":{\"field\":\"" field "\",\"operation\":\"" op \
	"\"}}"
#define FINDING(field, category, severity, query, count, pct)                        \
	"{\"action\":\"write_finding\",\"action_input\":{\"field\":\"" field         \
	"\",\"category\":\"" category "\",\"severity\":\"" severity                  \
	"\",\"description\":\"something is wrong here\",\"hypothesis\":\"a cause\"," \
	"\"evidence_query\":" query ",\"affected_count\":" count ",\"affected_pct\":" pct "}}"

/* 100 users: email null in 30, age 0..99, city, one late field. */
static void users(audit_fix *f)
{
	ag_buf docs = AG_BUF_INIT(1 << 20);

	for (int i = 0; i < 100; i++) {
		if (i % 10 < 3)
			ag_buf_addf(&docs, "{\"email\":null,\"age\":%d,\"city\":\"c%d\"}\n", i,
			            i % 7);
		else
			ag_buf_addf(&docs,
			            "{\"email\":\"u%d@example.org\",\"age\":%d,\"city\":\"c%d\"}\n",
			            i, i, i % 7);
	}
	fix_open(f, ag_buf_view(&docs));
	ag_buf_release(&docs);
}

static void assert_verdict(const ag_val *record, const char *verdict, const char *rule)
{
	assert_non_null(record);
	if (!ag_str_eqc(fix_text(record, "verdict"), verdict) ||
	    (rule && !ag_str_contains(fix_text(record, "reason"), ag_str_c(rule))))
		fail_msg("want %s %s, got %.*s: %.*s", verdict, rule ? rule : "",
		         AG_FMT(fix_text(record, "verdict")), AG_FMT(fix_text(record, "reason")));
}

static void scenario_1_one_finding(void **state)
{
	const ag_val *finding, *record;
	audit_fix f;

	(void)state;
	users(&f);
	SCRIPT(&f, SAMPLE, QUERY("{\"email\":null}"),
	       FINDING("email", "null_rate", "high", "\"{\\\"email\\\":null}\"", "30", "0.30"),
	       STATS("age", "min"), STATS("age", "max"), CONCLUDE);
	assert_int_equal(fix_len(&f, "findings"), 1);
	finding = fix_find(&f, "findings", "email", "null_rate");
	assert_non_null(finding);
	assert_int_equal(fix_int(finding, "affected_count"), 30);
	assert_true(ag_str_eqc(fix_text(finding, "severity"), "high"));
	assert_true(fix_num(finding, "affected_pct") == 0.30);
	/* One id throughout: the verdict points at the committed finding. */
	record = fix_record(&f, "finding", 0);
	assert_true(ag_str_eq(fix_text(record, "target_id"), fix_text(finding, "id")));
	assert_true(ag_str_eq(fix_text(record, "id"), fix_text(finding, "evaluation_id")));
	assert_true(fix_text(finding, "query_call_id").len == AG_ID_LEN);
	assert_false(ag_str_eqc(fix_text(fix_get(&f.report, "run_evaluation"), "verdict"), "fail"));
	assert_true(ag_str_eqc(fix_text(&f.report, "status"), "ok"));
	fix_close(&f);
}

static void scenario_2_repeats(void **state)
{
	audit_fix f;

	(void)state;
	users(&f);
	/* The second query is the first in other words, as is the second get_stats. */
	SCRIPT(&f, SAMPLE, QUERY("{\"email\":null}"), QUERY("{\"email\":{\"$eq\":null}}"),
	       QUERY("{\"age\":{\"$lt\":3}}"), STATS("age", "min"), STATS("age", "min"), SAMPLE,
	       CONCLUDE);
	assert_int_equal(fix_len(&f, "run_trace"), 8);
	assert_verdict(fix_record(&f, "action", 1), "pass", NULL);
	assert_verdict(fix_record(&f, "action", 2), "fail", "no_repeat_query");
	assert_verdict(fix_record(&f, "action", 3), "pass", NULL);
	assert_verdict(fix_record(&f, "action", 5), "fail", "no_repeat_stats");
	assert_verdict(fix_record(&f, "action", 6), "warn", "no_repeat_sample");
	/* Both kinds of critique reach the planner, each once. */
	assert_true(ag_str_contains(f.critiques[3], AG_S("matched 30")));
	assert_int_equal(f.critiques[4].len, 0);
	assert_true(f.critiques[7].len > 0);
	fix_close(&f);
}

static void scenario_3_zero_count(void **state)
{
	static const ag_rejected_policy policies[] = { AG_REJECTED_LOG_ONLY, AG_REJECTED_DROP,
		                                       AG_REJECTED_DEMOTE };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(policies); i++) {
		audit_fix f;

		users(&f);
		f.opts.rejected_policy = policies[i];
		SCRIPT(&f, SAMPLE,
		       FINDING("age", "outlier", "high", "{\"age\":{\"$gt\":500}}", "7", "0.07"),
		       FINDING("age", "blank", "high", "\"   \"", "7", "0.07"), CONCLUDE);
		assert_int_equal(fix_len(&f, "findings"), 0);
		assert_int_equal(fix_len(&f, "dismissed_findings"),
		                 policies[i] == AG_REJECTED_DROP ? 0 : 2);
		assert_verdict(fix_record(&f, "finding", 0), "fail", "evidence_required");
		assert_verdict(fix_record(&f, "finding", 1), "fail", "evidence_query_present");
		/* A rejection is told whatever the policy. */
		assert_true(ag_str_contains(f.critiques[2], AG_S("the evidence finds 0 of 100")));
		fix_close(&f);
	}
}

static void scenario_4_budget(void **state)
{
	audit_fix f;

	(void)state;
	users(&f);
	f.opts.budget.iterations = 4;
	SCRIPT(&f, SAMPLE, QUERY("{\"age\":1}"), QUERY("{\"age\":2}"), QUERY("{\"age\":3}"),
	       QUERY("{\"age\":4}"));
	assert_int_equal(fix_len(&f, "run_trace"), 4);
	assert_int_equal(fix_get(&f.report, "run_evaluation")->type, AG_T_OBJECT);
	assert_true(ag_str_eqc(fix_text(&f.report, "status"), "partial"));
	assert_int_equal(f.result.run_result.err.status, AG_OK);
	fix_close(&f);
}

static void scenario_5_sample_first(void **state)
{
	audit_fix f;

	(void)state;
	users(&f);
	SCRIPT(&f, QUERY("{\"age\":1}"), CONCLUDE, SAMPLE, CONCLUDE);
	assert_verdict(fix_record(&f, "action", 0), "fail", "sample_before_query");
	assert_verdict(fix_record(&f, "action", 1), "pass", NULL);
	assert_verdict(fix_record(&f, "action", 2), "pass", NULL);
	fix_close(&f);
}

static void scenario_6_other_filters(void **state)
{
	audit_fix f;

	(void)state;
	users(&f);
	SCRIPT(&f, SAMPLE, QUERY("{\"age\":{\"$gt\":150}}"), QUERY("{\"age\":{\"$gt\":150}}"),
	       QUERY("{\"age\":{\"$lt\":0}}"), QUERY("{\"age\":null}"));
	assert_verdict(fix_record(&f, "action", 2), "fail", "no_repeat_query");
	assert_verdict(fix_record(&f, "action", 3), "pass", NULL);
	assert_verdict(fix_record(&f, "action", 4), "pass", NULL);
	fix_close(&f);
}

static void scenario_7_shapes(void **state)
{
	audit_fix f;

	(void)state;
	users(&f);
	SCRIPT(&f, SAMPLE, QUERY("\"age > 150\""), STATS("age", "median"),
	       "{\"action\":\"write_finding\",\"action_input\":{\"field\":\"age\"}}",
	       "{\"action\":\"drop_table\",\"action_input\":{}}",
	       "{\"action\":\"run_query\",\"action_input\":{\"fliter\":{}}}",
	       "{\"action\":\"run_query\",\"action_input\":{\"limit\":0}}",
	       QUERY("{\"$where\":\"sleep(1)\"}"));
	for (size_t i = 1; i <= 6; i++)
		assert_verdict(fix_record(&f, "action", i), "fail",
		               i == 4 ? "known_action" : "action_input_shape");
	assert_true(ag_str_contains(f.critiques[3], AG_S("operation")));
	assert_true(ag_str_contains(f.critiques[6], AG_S("filter")));
	/* A query that the guard refuses is a critique, not the end. */
	assert_true(ag_str_contains(f.critiques[8], AG_S("$where")));
	assert_true(ag_str_eqc(f.result.run_result.status, "ok") ||
	            ag_str_eqc(f.result.run_result.status, "partial"));
	fix_close(&f);
}

static void scenario_8_budget_warning(void **state)
{
	audit_fix f;

	(void)state;
	users(&f);
	f.opts.budget.iterations = 10;
	SCRIPT(&f, SAMPLE, QUERY("{\"age\":1}"), QUERY("{\"age\":2}"), QUERY("{\"age\":3}"),
	       QUERY("{\"age\":4}"), QUERY("{\"age\":5}"), QUERY("{\"age\":6}"),
	       "{\"action\":\"schema_sample\",\"action_input\":{\"sample_size\":50}}",
	       QUERY("{\"age\":7}"));
	assert_verdict(fix_record(&f, "action", 7), "warn", "budget_warning");
	assert_true(ag_str_contains(f.critiques[8], AG_S("iterations are left")));
	fix_close(&f);
}

/* 1,000 documents in which n has the value 0..999. */
static void thousand(audit_fix *f)
{
	ag_buf docs = AG_BUF_INIT(1 << 20);

	for (int i = 0; i < 10000; i++)
		ag_buf_addf(&docs, "{\"n\":%d}\n", i);
	fix_open(f, ag_buf_view(&docs));
	ag_buf_release(&docs);
}

static void scenario_9_finding_rules(void **state)
{
	audit_fix f;

	(void)state;
	thousand(&f);
	SCRIPT(&f, SAMPLE, FINDING("n", "a", "critical", "{\"n\":{\"$lt\":50}}", "50", "0.005"),
	       FINDING("n", "b", "critical", "{\"n\":{\"$lt\":40}}", "40", "0.004"),
	       FINDING("n", "c", "high", "{\"n\":{\"$lt\":5}}", "5", "0.0005"),
	       FINDING("n", "d", "medium", "{\"n\":{\"$lt\":750}}", "750", "0.075"),
	       FINDING("n", "f", "high", "{\"n\":{\"$lt\":210}}", "210", "0.021"),
	       FINDING("n", "e", "medium", "{\"n\":{\"$lt\":140}}", "140", "0.014"));
	assert_verdict(fix_record(&f, "finding", 0), "fail", "severity_calibration_critical");
	assert_verdict(fix_record(&f, "finding", 1), "fail", "severity_calibration_critical");
	assert_verdict(fix_record(&f, "finding", 2), "warn", "severity_calibration_high");
	for (size_t i = 3; i < 6; i++)
		assert_verdict(fix_record(&f, "finding", i), "pass", NULL);
	assert_int_equal(fix_len(&f, "findings"), 4);
	assert_int_equal(fix_len(&f, "dismissed_findings"), 2);
	fix_close(&f);
}

/* The planner's figure is wrong: the data's figure is committed, and the planner hears of it. */
static void a_wrong_figure_is_corrected(void **state)
{
	const ag_val *finding;
	audit_fix f;

	(void)state;
	users(&f);
	SCRIPT(&f, SAMPLE, FINDING("email", "null_rate", "high", "{\"email\":null}", "55", "0.55"),
	       STATS("age", "min"), CONCLUDE);
	assert_verdict(fix_record(&f, "finding", 0), "warn", "evidence_matches");
	assert_true(ag_str_contains(f.critiques[2], AG_S("affected_count is 30")));
	finding = fix_find(&f, "findings", "email", "null_rate");
	assert_non_null(finding);
	assert_int_equal(fix_int(finding, "affected_count"), 30);
	assert_int_equal(fix_len(&f, "dismissed_findings"), 0);
	/* A figure that is off by one percent is not corrected, one beyond that is. */
	SCRIPT(&f, SAMPLE,
	       FINDING("email", "null_rate", "high", "{\"email\":null}", "30", "0.2971"));
	assert_verdict(fix_record(&f, "finding", 0), "pass", NULL);
	SCRIPT(&f, SAMPLE,
	       FINDING("email", "null_rate", "high", "{\"email\":null}", "30", "0.2969"));
	assert_verdict(fix_record(&f, "finding", 0), "warn", "evidence_matches");
	fix_close(&f);
}

static void demoted_when_there_is_evidence(void **state)
{
	const ag_val *finding;
	audit_fix f;

	(void)state;
	thousand(&f);
	f.opts.rejected_policy = AG_REJECTED_DEMOTE;
	SCRIPT(&f, SAMPLE, FINDING("n", "a", "critical", "{\"n\":{\"$lt\":50}}", "50", "0.005"),
	       STATS("n", "max"));
	finding = fix_find(&f, "findings", "n", "a");
	assert_non_null(finding);
	assert_true(ag_str_eqc(fix_text(finding, "severity"), "high"));
	fix_close(&f);
}

static void scenario_10_run_rules(void **state)
{
	audit_fix f;

	(void)state;
	fix_open(&f, AG_S("{\"_id\":1,\"a\":1,\"b\":2,\"o\":{\"c\":3,\"d\":4}}\n"));
	/* One of four data paths: fail; _id and the container do not count. */
	f.opts.fail_policy = AG_RUN_FAIL_WARN_ONLY;
	SCRIPT(&f, SAMPLE, STATS("a", "min"), QUERY("{\"_id\":1}"),
	       QUERY("{\"o\":{\"$exists\":true}}"), CONCLUDE);
	assert_verdict(fix_record(&f, "run", 0), "fail", "minimum_field_coverage");
	assert_int_equal(fix_int(fix_get(&f.report, "coverage"), "paths"), 4);
	/* Two of four: enough. */
	SCRIPT(&f, SAMPLE, STATS("a", "min"), STATS("o.c", "min"), CONCLUDE);
	assert_verdict(fix_record(&f, "run", 0), "pass", NULL);
	/* All covered, but at iteration 2. */
	SCRIPT(&f, SAMPLE, CONCLUDE);
	assert_verdict(fix_record(&f, "run", 0), "fail", "early_termination");
	/* Naming many paths, real and invented, in one query gains three at most. */
	SCRIPT(&f, SAMPLE, QUERY("{\"$or\":[{\"x\":1},{\"y\":1},{\"z\":1},{\"q\":1},{\"r\":1}]}"),
	       STATS("nope", "count"), CONCLUDE);
	assert_verdict(fix_record(&f, "run", 0), "fail", "minimum_field_coverage");
	assert_int_equal(fix_int(fix_get(&f.report, "coverage"), "investigated"), 0);
	fix_close(&f);

	thousand(&f);
	SCRIPT(&f, "{\"action\":\"schema_sample\",\"action_input\":{\"sample_size\":5000}}",
	       STATS("n", "min"), STATS("n", "max"), CONCLUDE);
	assert_verdict(fix_record(&f, "run", 0), "warn", "no_findings_on_clean_collection");
	fix_close(&f);
}

/* A model that only says that it is done has looked at nothing, however often it says so. */
static void who_never_looked_does_not_pass(void **state)
{
	audit_fix f;

	(void)state;
	users(&f);
	f.opts.fail_policy = AG_RUN_FAIL_WARN_ONLY;
	f.opts.rules.early_termination_min = 1;
	SCRIPT(&f, CONCLUDE);
	assert_verdict(fix_record(&f, "run", 0), "fail", "no document was looked at");
	fix_close(&f);
	/* Where there is no document, there is nothing to look at. */
	fix_open(&f, AG_S(""));
	f.opts.rules.early_termination_min = 1;
	SCRIPT(&f, CONCLUDE);
	assert_verdict(fix_record(&f, "run", 0), "pass", NULL);
	fix_close(&f);
}

static void run_fail_policies(void **state)
{
	audit_fix f;

	(void)state;
	users(&f);
	/* continue: the rejected conclusion becomes a critique, the loop goes on. */
	SCRIPT(&f, SAMPLE, CONCLUDE,
	       "{\"action\":\"profile_fields\",\"action_input\":{\"fields\":[\"email\",\"age\",\"city\"]}}",
	       CONCLUDE);
	assert_verdict(fix_record(&f, "run", 0), "fail", "early_termination");
	assert_verdict(fix_record(&f, "run", 1), "pass", NULL);
	assert_true(ag_str_contains(f.critiques[2], AG_S("Investigate")));
	assert_true(ag_str_eqc(fix_text(&f.report, "status"), "ok"));
	/* warn_only: it ends, with that verdict. */
	f.opts.fail_policy = AG_RUN_FAIL_WARN_ONLY;
	SCRIPT(&f, SAMPLE, CONCLUDE);
	assert_int_equal(fix_len(&f, "run_trace"), 2);
	assert_true(ag_str_eqc(fix_text(&f.report, "status"), "ok"));
	assert_true(fix_num(&f.report, "overall_quality_score") == 0.0);
	/* abort: the run has failed, its report is kept. */
	f.opts.fail_policy = AG_RUN_FAIL_ABORT;
	SCRIPT(&f, SAMPLE, CONCLUDE);
	assert_true(ag_str_eqc(fix_text(&f.report, "status"), "failed"));
	fix_close(&f);
}

static void scenario_17_collector(void **state)
{
	const ag_val *first, *second;
	ag_str id;
	audit_fix f;

	(void)state;
	users(&f);
	SCRIPT(&f, SAMPLE, FINDING("email", "null_rate", "high", "{\"email\":null}", "30", "0.30"),
	       FINDING("email", "missing-rate", "Medium", "{\"email\":{\"$type\":\"null\"}}", "30",
	               "0.30"),
	       FINDING("email", "other", "low", "{\"email\":null}", "30", "0.30"));
	assert_int_equal(fix_len(&f, "findings"), 2);
	first = fix_find(&f, "findings", "email", "null_rate");
	assert_non_null(first);
	/* The synonym is the same category: updated in place, one id. */
	assert_true(ag_str_eqc(fix_text(first, "severity"), "medium"));
	id = fix_text(fix_record(&f, "finding", 0), "target_id");
	assert_true(ag_str_eq(id, fix_text(first, "id")));
	assert_true(ag_str_eq(id, fix_text(fix_record(&f, "finding", 1), "target_id")));
	second = fix_find(&f, "findings", "email", "other");
	assert_non_null(second);
	assert_false(ag_str_eq(fix_text(second, "id"), id));
	fix_close(&f);
}

static void gates_off_still_need_evidence(void **state)
{
	audit_fix f;

	(void)state;
	users(&f);
	f.opts.evaluators[AG_GATE_ACTION] = f.opts.evaluators[AG_GATE_OBSERVATION] =
		f.opts.evaluators[AG_GATE_RUN] = AG_EVAL_NONE;
	SCRIPT(&f, QUERY("{\"age\":1}"), QUERY("17"),
	       FINDING("age", "outlier", "high", "{\"age\":{\"$gt\":500}}", "7", "0.07"),
	       FINDING("email", "null_rate", "critical", "{\"email\":null}", "1", "0.01"),
	       CONCLUDE);
	assert_int_equal(fix_len(&f, "findings"), 1);
	assert_int_equal(fix_int(fix_find(&f, "findings", "email", "null_rate"), "affected_count"),
	                 30);
	assert_int_equal(fix_len(&f, "evaluation_records"), 0);
	assert_int_equal(fix_get(&f.report, "run_evaluation")->type, AG_T_NULL);
	fix_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scenario_1_one_finding),
		cmocka_unit_test(scenario_2_repeats),
		cmocka_unit_test(scenario_3_zero_count),
		cmocka_unit_test(scenario_4_budget),
		cmocka_unit_test(scenario_5_sample_first),
		cmocka_unit_test(scenario_6_other_filters),
		cmocka_unit_test(scenario_7_shapes),
		cmocka_unit_test(scenario_8_budget_warning),
		cmocka_unit_test(scenario_9_finding_rules),
		cmocka_unit_test(a_wrong_figure_is_corrected),
		cmocka_unit_test(demoted_when_there_is_evidence),
		cmocka_unit_test(scenario_10_run_rules),
		cmocka_unit_test(who_never_looked_does_not_pass),
		cmocka_unit_test(run_fail_policies),
		cmocka_unit_test(scenario_17_collector),
		cmocka_unit_test(gates_off_still_need_evidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
