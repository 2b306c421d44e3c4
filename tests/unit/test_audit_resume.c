/* A run that stood still goes on from its log: cut behind every event, out of budget, without its model (killed:
 * test_audit_killed.c). However often it stood still, the report is that of a run that never did, and no tool call ran
 * twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "audit_resume_steps.h"

#include <stdio.h>
#include <stdlib.h>

#include "query/extjson.h"
#include "scripted_model.h"

static void cut_everywhere(audit_fix *f, ag_planner_make make, void *arg)
{
	ag_event *events;
	ag_run_row row;
	ag_str want;
	size_t n;

	run_whole(f, make, arg, &row, &events, &n);
	want = f->result.report;
	assert_true(ag_str_eqc(f->result.run_result.status, "ok"));
	assert_true(n > 20);
	for (size_t k = 1; k < n; k++) {
		ag_run_row cut = row;
		ag_store *store = cut_store(events, k, &cut);
		ag_err err;

		if (resume(f, store, &cut, make, arg, &err))
			fail_msg("cut at %zu (%s): %s", k, ag_event_type_text(events[k - 1].type),
			         err.msg);
		assert_same_steps(f, events, n, store, &row.id, k);
		assert_same(f, want, f->result.report, "cut at", k);
		assert_rebuilt(f, store, &row, f->opts.show_values);
		ag_store_close(store);
	}
}

static void cut_behind_every_event_builtin(void **state)
{
	audit_fix f;

	(void)state;
	people(&f);
	cut_everywhere(&f, ag_planner_builtin_make, NULL);
	assert_true(f.result.has_findings);
	fix_close(&f);
}

static void cut_behind_every_event_script(void **state)
{
	audit_fix f;
	fix_lines lines = { .fix = &f, .lines = steps, .n = AG_NELEM(steps) };
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_err err = { 0 };

	(void)state;
	people(&f);
	cut_everywhere(&f, fix_make_lines, &lines);
	/* The script did what it says beside its lines. */
	assert_int_equal(ag_extjson_parse(f.result.report, &opts, f.arena, &f.report, NULL, NULL,
	                                  &err),
	                 AG_OK);
	assert_int_equal(fix_len(&f, "findings"), 3);
	assert_true(ag_str_eqc(fix_text(fix_find(&f, "findings", "email", "null_rate"), "status"),
	                       "published"));
	assert_true(ag_str_eqc(fix_text(fix_find(&f, "findings", "age", "odd_age"), "status"),
	                       "pending_review"));
	assert_int_equal(fix_len(&f, "dismissed_findings"), 1);
	assert_int_equal(fix_len(&f, "run_trace"), AG_NELEM(steps));
	fix_close(&f);
}

/* With a budget and values masked: what the report says of both comes from the log. */
static void cut_with_options(void **state)
{
	audit_fix f;
	fix_lines lines = { .fix = &f, .lines = steps, .n = AG_NELEM(steps) };

	(void)state;
	people(&f);
	f.opts.budget.iterations = 40;
	f.opts.show_values = false;
	f.opts.min_severity = AG_HIGH;
	f.opts.rules.early_termination_min = 5;
	f.opts.rejected_policy = AG_REJECTED_DEMOTE;
	f.opts.settings_json = AG_S("{\"seed\":0,\"high_min_share\":0.001}");
	cut_everywhere(&f, fix_make_lines, &lines);
	fix_close(&f);
}

/* --- budgets, models, refusals --- */

static void read_report(audit_fix *f)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_err err = { 0 };

	if (ag_extjson_parse(f->result.report, &opts, f->arena, &f->report, NULL, NULL, &err))
		fail_msg("%s", err.msg);
}

static void a_used_up_budget_goes_on_with_a_larger_one(void **state)
{
	audit_fix f;
	fix_lines lines = { .fix = &f, .lines = steps, .n = AG_NELEM(steps) };
	ag_event *events;
	ag_run_row row;
	ag_err err;
	size_t n, before;

	(void)state;
	people(&f);
	f.opts.budget.iterations = 8;
	run_whole(&f, fix_make_lines, &lines, &row, &events, &n);
	assert_true(ag_str_eqc(f.result.run_result.status, "partial"));
	/* With the same budget: nothing is done, nothing is judged again. */
	assert_int_equal(resume(&f, f.store, &row, fix_make_lines, &lines, &err), AG_OK);
	assert_true(ag_str_eqc(f.result.run_result.status, "partial"));
	assert_true(f.result.run_result.has_verdict);
	before = n;
	events_of(&f, f.store, &row.id, &events, &n);
	assert_int_equal(n, before + 2);
	/* With a larger one it comes to its end. */
	f.opts.budget.iterations = 30;
	assert_int_equal(resume(&f, f.store, &row, fix_make_lines, &lines, &err), AG_OK);
	assert_true(ag_str_eqc(f.result.run_result.status, "ok"));
	assert_int_equal(f.result.run_result.iterations, AG_NELEM(steps));
	read_report(&f);
	assert_int_equal(fix_len(&f, "run_trace"), AG_NELEM(steps));
	assert_int_equal(fix_len(&f, "findings"), 3);
	assert_true(ag_str_contains(fix_text(&f.report, "summary"), AG_S("15 of 30 iterations")));
	assert_rebuilt(&f, f.store, &row, true);
	/* And is complete. */
	assert_int_equal(resume(&f, f.store, &row, fix_make_lines, &lines, &err), AG_INVALID);
	fix_close(&f);
}

/* A conclusion that is repeated after a resume, with nothing done between, costs no second verdict. */
static void a_run_verdict_is_remembered(void **state)
{
	static const char *const lines_of[] = {
		"{\"action\":\"schema_sample\",\"action_input\":{\"sample_size\":100}}",
		"{\"action\":\"run_query\",\"action_input\":{\"filter\":{\"email\":null}}}",
		"{\"action\":\"conclude\"}",
		"{\"action\":\"conclude\"}",
		"{\"action\":\"run_query\",\"action_input\":{\"filter\":{\"age\":7}}}",
		"{\"action\":\"conclude\"}",
	};
	static const sm_line answers[] = {
		{ AG_S_INIT("{\"verdict\":\"fail\",\"score\":0.1,\"reason\":\"thin\","
		            "\"critique\":\"look again\"}"),
		  1, 1, NULL },
		{ AG_S_INIT("{\"verdict\":\"pass\",\"score\":0.9,\"reason\":\"sound\","
		            "\"critique\":\"\"}"),
		  1, 1, NULL },
	};
	audit_fix f;
	fix_lines lines = { .fix = &f, .lines = lines_of, .n = AG_NELEM(lines_of) };
	scripted_model self;
	ag_event *events;
	ag_run_row row;
	ag_err err;
	size_t n;

	(void)state;
	people(&f);
	sm_open(&self, "small-1", answers, AG_NELEM(answers));
	f.opts.evaluators[AG_GATE_RUN] = AG_EVAL_SELF;
	f.opts.self_llm = self.llm;
	f.opts.budget.iterations = 3;
	run_whole(&f, fix_make_lines, &lines, &row, &events, &n);
	assert_true(ag_str_eqc(f.result.run_result.status, "partial"));
	assert_int_equal(self.nasked, 1);
	/* Twice, so that a remembered verdict is read back from the log as well. */
	for (unsigned i = 0; i < 2; i++) {
		f.opts.budget.iterations = i ? 30 : 4;
		assert_int_equal(resume(&f, f.store, &row, fix_make_lines, &lines, &err), AG_OK);
		assert_true(ag_str_eqc(f.result.run_result.status, i ? "ok" : "partial"));
		assert_int_equal(self.nasked, i + 1);
	}
	read_report(&f);
	assert_true(ag_str_eqc(fix_text(fix_record(&f, "run", 1), "critique"),
	                       "Nothing was done since the last verdict on this run, so it is the "
	                       "same: look again"));
	sm_close(&self);
	fix_close(&f);
}

static void tokens_end_a_run_and_are_counted_over_all_sittings(void **state)
{
	audit_fix f;
	fix_lines lines = { .fix = &f, .lines = steps, .n = AG_NELEM(steps), .tokens = 1000 };
	const ag_val *cost, *by_model;
	ag_llm_meter meter;
	ag_event *events;
	ag_run_row row;
	ag_err err;
	size_t n, nusage = 0;

	(void)state;
	people(&f);
	ag_llm_meter_init(&meter, f.arena, 5500, 0);
	f.opts.meter = &meter;
	f.opts.pricing_version = AG_S("test-1");
	run_whole(&f, fix_make_lines, &lines, &row, &events, &n);
	assert_true(ag_str_eqc(f.result.run_result.status, "partial"));
	assert_true(ag_str_contains(f.result.run_result.why, AG_S("5500 tokens")));
	assert_int_equal(f.result.run_result.err.status, AG_OK);
	assert_true(f.result.run_result.has_verdict);
	assert_int_equal(f.result.run_result.iterations, 5);
	for (size_t i = 0; i < n; i++)
		nusage += events[i].type == AG_EV_USAGE;
	assert_int_equal(nusage, 5);
	/* The next process has a new meter; the budget is of the whole run. */
	ag_llm_meter_init(&meter, f.arena, 5500, 0);
	assert_int_equal(resume(&f, f.store, &row, fix_make_lines, &lines, &err), AG_OK);
	assert_true(ag_str_eqc(f.result.run_result.status, "partial"));
	assert_int_equal(f.result.run_result.iterations, 5);
	ag_llm_meter_init(&meter, f.arena, 0, 1.0);
	assert_int_equal(resume(&f, f.store, &row, fix_make_lines, &lines, &err), AG_OK);
	assert_true(ag_str_eqc(f.result.run_result.status, "ok"));
	assert_int_equal(meter.input_tokens + meter.output_tokens, 15000);
	read_report(&f);
	assert_int_equal(fix_int(&f.report, "total_input_tokens"), 11250);
	assert_int_equal(fix_int(&f.report, "total_output_tokens"), 3750);
	cost = fix_get(&f.report, "cost");
	assert_true(fix_num(cost, "usd_total") > 0.0149 && fix_num(cost, "usd_total") < 0.0151);
	assert_true(ag_str_eqc(fix_text(cost, "pricing_version"), "test-1"));
	by_model = fix_get(cost, "by_model");
	assert_int_equal(by_model->n, 1);
	assert_int_equal(fix_int(&by_model->u.items[0], "calls"), 15);
	assert_true(ag_str_eqc(fix_text(&by_model->u.items[0], "model"), "script-1"));
	assert_int_equal(fix_get(cost, "by_purpose")->n, 1);
	assert_int_equal(fix_get(cost, "per_iteration")->n, 15);
	assert_true(
		ag_str_contains(fix_text(&f.report, "summary"), AG_S("15,000 tokens, 0.0150 USD")));
	assert_rebuilt(&f, f.store, &row, true);
	fix_close(&f);
}

static void a_model_that_is_out_loses_nothing(void **state)
{
	audit_fix f;
	fix_lines lines = { .fix = &f, .lines = steps, .n = AG_NELEM(steps), .tokens = 10 };
	ag_llm_meter meter;
	ag_event *events;
	ag_run_row row;
	ag_str want;
	ag_err err;
	size_t n;

	(void)state;
	people(&f);
	ag_llm_meter_init(&meter, f.arena, 0, 0);
	f.opts.meter = &meter;
	run_whole(&f, fix_make_lines, &lines, &row, &events, &n);
	want = f.result.report;
	for (unsigned at = 1; at <= AG_NELEM(steps); at++) {
		ag_llm_meter_init(&meter, f.arena, 0, 0);
		lines.fails_at = at;
		lines.failure = at % 2 ? AG_UNAVAILABLE : AG_PROTOCOL;
		run_whole(&f, fix_make_lines, &lines, &row, &events, &n);
		assert_true(ag_str_eqc(f.result.run_result.status, "partial"));
		assert_int_equal(f.result.run_result.err.status, lines.failure);
		assert_true(ag_str_contains(f.result.run_result.why, AG_S("the model is out")));
		assert_false(f.result.run_result.has_verdict && at == 1);
		lines.fails_at = 0;
		ag_llm_meter_init(&meter, f.arena, 0, 0);
		assert_int_equal(resume(&f, f.store, &row, fix_make_lines, &lines, &err), AG_OK);
		assert_true(ag_str_eqc(f.result.run_result.status, "ok"));
		assert_same(&f, want, f.result.report, "out at", at);
	}
	fix_close(&f);
}

static void another_process_writes_it(void **state)
{
	audit_fix f;
	int64_t offset = 0;
	const ag_clock clock = { later_wall, real_mono, &offset };
	ag_event *events, *after;
	ag_run_row row;
	ag_store *store;
	ag_err err;
	size_t n, nafter;

	(void)state;
	people(&f);
	f.ctx.clock = &clock;
	run_whole(&f, ag_planner_builtin_make, NULL, &row, &events, &n);
	store = cut_store(events, 7, &row);
	assert_int_equal(ag_store_lease(store, &row.id, AG_S("someone"), ag_clock_wall(&clock),
	                                60 * 1000, &err),
	                 AG_OK);
	assert_int_equal(resume(&f, store, &row, ag_planner_builtin_make, NULL, &err), AG_CONFLICT);
	events_of(&f, store, &row.id, &after, &nafter);
	assert_int_equal(nafter, 7);
	offset = 61 * 1000;
	assert_int_equal(resume(&f, store, &row, ag_planner_builtin_make, NULL, &err), AG_OK);
	/* Its lease is given back: nobody has to wait. */
	assert_int_equal(ag_store_lease(store, &row.id, AG_S("next"), ag_clock_wall(&clock), 1000,
	                                &err),
	                 AG_OK);
	ag_store_close(store);
	fix_close(&f);
}

static void write_file(const char *path, const char *mode, const char *text)
{
	FILE *out = fopen(path, mode);

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

static void changed_data_is_another_run(void **state)
{
	const ag_source_opts so = { 0 };
	audit_fix f;
	ag_event *events;
	ag_source **all;
	ag_run_row row;
	ag_store *store;
	ag_err err = { 0 };
	size_t n, nsource;

	(void)state;
	people(&f);
	run_whole(&f, ag_planner_builtin_make, NULL, &row, &events, &n);
	store = cut_store(events, 9, &row);
	write_file(f.file, "a", "{\"age\":1}\n");
	ag_source_close(f.source);
	assert_int_equal(ag_source_open(&f.ctx, ag_str_c(f.file), &so, f.arena, &all, &nsource,
	                                &err),
	                 AG_OK);
	f.source = all[0];
	assert_int_equal(resume(&f, store, &row, ag_planner_builtin_make, NULL, &err), AG_CONFLICT);
	assert_non_null(strstr(err.msg, "100 documents then, 101 now"));
	assert_non_null(strstr(err.hint, "argus audit"));
	/* The same number of documents, and another content. */
	ag_source_close(f.source);
	{
		ag_buf docs = AG_BUF_INIT(1 << 20);

		for (int i = 0; i < 100; i++)
			ag_buf_adds(&docs, "{\"age\":1}\n");
		ag_buf_addc(&docs, '\0');
		write_file(f.file, "w", docs.ptr);
		ag_buf_release(&docs);
	}
	assert_int_equal(ag_source_open(&f.ctx, ag_str_c(f.file), &so, f.arena, &all, &nsource,
	                                &err),
	                 AG_OK);
	f.source = all[0];
	assert_int_equal(resume(&f, store, &row, ag_planner_builtin_make, NULL, &err), AG_CONFLICT);
	assert_non_null(strstr(err.msg, "content hash"));
	ag_store_close(store);
	fix_close(&f);
}

static void what_cannot_be_resumed(void **state)
{
	audit_fix f;
	fix_lines lines = { .fix = &f, .lines = steps, .n = AG_NELEM(steps) };
	ag_event *events;
	ag_run_row row;
	ag_store *store;
	ag_err err;
	size_t n;

	(void)state;
	people(&f);
	run_whole(&f, ag_planner_builtin_make, NULL, &row, &events, &n);
	assert_int_equal(resume(&f, f.store, &row, ag_planner_builtin_make, NULL, &err),
	                 AG_INVALID);
	assert_non_null(strstr(err.msg, "complete"));
	store = cut_store(events, 5, &row);
	assert_int_equal(resume(&f, store, &row, fix_make_lines, &lines, &err), AG_INVALID);
	assert_non_null(strstr(err.msg, "builtin"));
	ag_store_close(store);
	row.id = ag_id_new(&ag_clock_system);
	assert_int_equal(resume(&f, f.store, &row, ag_planner_builtin_make, NULL, &err),
	                 AG_NOT_FOUND);
	fix_close(&f);
}

/* What run_started says is what the run was given. */
static void the_start_is_read_back(void **state)
{
	audit_fix f;
	fix_lines lines = { .fix = &f, .lines = steps, .n = AG_NELEM(steps), .tokens = 10 };
	ag_llm_meter meter;
	ag_audit_start start;
	ag_event *events;
	ag_run_row row;
	ag_err err = { 0 };
	size_t n;

	(void)state;
	people(&f);
	ag_llm_meter_init(&meter, f.arena, 12345, 0.5);
	f.opts.meter = &meter;
	f.opts.sample_size = UINT64_MAX;
	f.opts.seed = 42;
	f.opts.budget = (ag_budget){ .iterations = 33, .calls = 44, .seconds = 55.5 };
	f.opts.fail_policy = AG_RUN_FAIL_WARN_ONLY;
	f.opts.rejected_policy = AG_REJECTED_DROP;
	f.opts.pass_threshold[AG_GATE_RUN] = 0.25;
	f.opts.malformed[AG_GATE_ACTION] = AG_MALFORMED_PASS;
	f.opts.escalation_low = 0.1;
	f.opts.escalation_high = 0.2;
	f.opts.escalation_cap = 3;
	f.opts.rules.high_min_share = 0.002;
	f.opts.rules.clean_collection_docs = 77;
	f.opts.catalogue.null_rate_warning_threshold = 0.07;
	f.opts.min_severity = AG_MEDIUM;
	run_whole(&f, fix_make_lines, &lines, &row, &events, &n);
	assert_int_equal(ag_audit_read_start(&events[0], f.arena, &start, &err), AG_OK);
	assert_true(ag_str_eqc(start.planner, "script"));
	assert_true(ag_str_eq(start.source_uri, ag_source_info_of(f.source)->uri));
	assert_int_equal(start.max_tokens, 12345);
	assert_true(start.max_usd == 0.5);
	assert_true(start.opts.sample_size == UINT64_MAX);
	assert_int_equal(start.opts.seed, 42);
	assert_int_equal(start.opts.budget.iterations, 33);
	assert_int_equal(start.opts.budget.calls, 44);
	assert_true(start.opts.budget.seconds == 55.5);
	assert_int_equal(start.opts.fail_policy, AG_RUN_FAIL_WARN_ONLY);
	assert_int_equal(start.opts.rejected_policy, AG_REJECTED_DROP);
	for (int g = 0; g < AG_NGATE; g++)
		assert_int_equal(ag_audit_evaluator(&start.opts, (ag_gate)g),
		                 ag_audit_evaluator(&f.opts, (ag_gate)g));
	assert_memory_equal(start.opts.pass_threshold, f.opts.pass_threshold,
	                    sizeof(f.opts.pass_threshold));
	assert_memory_equal(start.opts.malformed, f.opts.malformed, sizeof(f.opts.malformed));
	assert_true(start.opts.escalation_low == 0.1 && start.opts.escalation_high == 0.2);
	assert_int_equal(start.opts.escalation_cap, 3);
	assert_memory_equal(&start.opts.rules, &f.opts.rules, sizeof(f.opts.rules));
	assert_memory_equal(&start.opts.catalogue, &f.opts.catalogue, sizeof(f.opts.catalogue));
	assert_int_equal(start.opts.min_severity, AG_MEDIUM);
	assert_true(!start.opts.history && start.opts.show_values);
	fix_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_behind_every_event_builtin),
		cmocka_unit_test(cut_behind_every_event_script),
		cmocka_unit_test(cut_with_options),
		cmocka_unit_test(a_used_up_budget_goes_on_with_a_larger_one),
		cmocka_unit_test(a_run_verdict_is_remembered),
		cmocka_unit_test(tokens_end_a_run_and_are_counted_over_all_sittings),
		cmocka_unit_test(a_model_that_is_out_loses_nothing),
		cmocka_unit_test(another_process_writes_it),
		cmocka_unit_test(changed_data_is_another_run),
		cmocka_unit_test(what_cannot_be_resumed),
		cmocka_unit_test(the_start_is_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
