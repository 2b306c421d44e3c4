/* A person's word on findings (acceptance scenario 21): the row, the log and only this entry of the report; decisions on
 * what waits; a run that goes on afterwards does not forget it. The next run of the source knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "audit/review.h"
#include "audit_fixtures.h"
#include "query/extjson.h"

#define FINDING(field, category, confidence, query)                               \
	"{\"action\":\"write_finding\",\"confidence\":" confidence                \
	",\"action_input\":{\"field\":\"" field "\",\"category\":\"" category     \
	"\",\"severity\":\"medium\",\"description\":\"something is wrong here\"," \
	"\"hypothesis\":\"a cause\",\"evidence_query\":" query ",\"affected_count\":25}}"

#define EMAIL FINDING("email", "null_rate", "0.95", "{\"email\":null}")
#define AGE   FINDING("age", "odd_age", "0.6", "{\"age\":{\"$gte\":75}}")
#define ZIP   FINDING("zip", "pattern_violation", "0.6", "{\"zip\":\"x\"}")

static const char *const steps[] = {
	"{\"action\":\"schema_sample\",\"action_input\":{\"sample_size\":100}}",
	EMAIL,
	AGE,
	ZIP,
	"{\"action\":\"get_stats\",\"action_input\":{\"field\":\"n\",\"operation\":\"max\"}}",
	"{\"action\":\"conclude\"}",
};

static void people(audit_fix *f)
{
	ag_buf docs = AG_BUF_INIT(1 << 20);

	for (int i = 0; i < 100; i++)
		ag_buf_addf(&docs, "{\"email\":%s,\"age\":%d,\"zip\":\"%s\",\"n\":%d}\n",
		            i % 4 ? "\"u@example.org\"" : "null", i, i % 4 ? "12345" : "x", i);
	fix_open(f, ag_buf_view(&docs));
	ag_buf_release(&docs);
	f->opts.evaluators[AG_GATE_OBSERVATION] = AG_EVAL_ESCALATION;
}

static ag_run_row run_row(audit_fix *f)
{
	ag_run_row row;
	ag_err err = { 0 };

	if (ag_store_find_run(f->store, ag_id_str(&f->result.run), f->arena, &row, &err))
		fail_msg("%s", err.msg);
	return row;
}

/* The word; returns the status. */
static ag_status say(audit_fix *f, const char *name, const char *label, bool decides,
                     ag_finding_row *ret)
{
	const ag_review word = { .label = ag_str_c(label), .decides = decides, .by = AG_S("ann") };
	const ag_run_row row = run_row(f);
	ag_finding_row found;
	ag_err err = { 0 };
	ag_status st = ag_review_find(f->store, &row, ag_str_c(name), f->arena, &found, &err);

	if (!st)
		st = ag_review_write(&f->ctx, f->store, &row.id, &found.id, &word, f->arena, ret,
		                     &err);
	return st;
}

static ag_str stored(audit_fix *f)
{
	ag_str text;
	ag_err err = { 0 };

	if (ag_store_report(f->store, &f->result.run, f->arena, &text, &err))
		fail_msg("%s", err.msg);
	return text;
}

static void read_stored(audit_fix *f)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_err err = { 0 };

	if (ag_extjson_parse(stored(f), &opts, f->arena, &f->report, NULL, NULL, &err))
		fail_msg("%s", err.msg);
}

static size_t nevent(audit_fix *f)
{
	ag_event *events;
	ag_err err = { 0 };
	size_t n;

	if (ag_store_events(f->store, &f->result.run, 0, f->arena, &events, &n, &err))
		fail_msg("%s", err.msg);
	return n;
}

static void label_changes_its_entry_only(void **state)
{
	static const char was[] = "\"user_label\": null", is[] = "\"user_label\": \"tp\"";
	ag_str before, after;
	ag_finding_row row;
	audit_fix f;
	size_t at, n, rest;

	(void)state;
	people(&f);
	f.opts.show_values = true; /* stays so */
	fix_script(&f, steps, AG_NELEM(steps));
	before = stored(&f);
	n = nevent(&f);
	assert_int_equal(say(&f, "email/null_rate", "tp", false, &row), AG_OK);
	assert_true(ag_str_eqc(row.label, "tp"));
	assert_true(ag_str_eqc(row.status, "committed"));
	assert_true(row.labelled_ms > 0);
	assert_int_equal(nevent(&f), n + 1);
	after = stored(&f);
	assert_true(after.len > before.len - strlen(was) + strlen(is));
	for (at = 0; before.ptr[at] == after.ptr[at]; at++)
		;
	at -= strlen("\"user_label\": ");
	assert_memory_equal(before.ptr + at, was, strlen(was));
	assert_memory_equal(after.ptr + at, is, strlen(is));
	/* Who said it, when and why stand after the label; the rest is as it was. */
	rest = before.len - at - strlen(was);
	assert_true(ag_str_eq(ag_str_make(before.ptr + before.len - rest, rest),
	                      ag_str_make(after.ptr + after.len - rest, rest)));
	after = ag_str_make(after.ptr + at + strlen(is), after.len - rest - at - strlen(is));
	assert_true(ag_str_contains(after, AG_S("\"label_reason\": ")));
	assert_true(ag_str_contains(after, AG_S("\"label_by\": ")));
	assert_true(ag_str_contains(after, AG_S("\"labelled_at\": ")));
	/* Taken back: as if nothing had been said. */
	assert_int_equal(say(&f, "email", "", false, &row), AG_OK);
	assert_true(ag_str_eq(stored(&f), before));
	assert_int_equal(nevent(&f), n + 2);
	fix_close(&f);
}

static void unknown_findings_write_nothing(void **state)
{
	const ag_review word = { .label = AG_S("tp") };
	const ag_id nobody = ag_id_new(&ag_clock_system);
	ag_finding_row row;
	ag_err err = { 0 };
	audit_fix f;
	size_t n;

	(void)state;
	people(&f);
	fix_script(&f, steps, AG_NELEM(steps));
	n = nevent(&f);
	assert_int_equal(say(&f, "nothing", "tp", false, &row), AG_NOT_FOUND);
	assert_int_equal(say(&f, "email/outlier", "tp", false, &row), AG_NOT_FOUND);
	assert_int_equal(say(&f, "", "tp", false, &row), AG_NOT_FOUND);
	assert_int_equal(say(&f, "01", "tp", false, &row), AG_NOT_FOUND); /* too short for an id */
	assert_int_equal(ag_review_write(&f.ctx, f.store, &f.result.run, &nobody, &word, f.arena,
	                                 &row, &err),
	                 AG_NOT_FOUND);
	assert_int_equal(nevent(&f), n);
	/* Fields are exact, categories have synonyms. */
	assert_int_equal(say(&f, "EMAIL", "tp", false, &row), AG_NOT_FOUND);
	assert_int_equal(say(&f, "zip/Format Violation", "tp", false, &row), AG_OK);
	assert_true(ag_str_eqc(row.category, "pattern_violation"));
	fix_close(&f);
}

static void decisions_are_of_what_waits(void **state)
{
	ag_finding_row row;
	const ag_val *gone;
	ag_run_row run;
	audit_fix f;

	(void)state;
	people(&f);
	fix_script(&f, steps, AG_NELEM(steps));
	assert_int_equal(run_row(&f).medium, 3);
	assert_int_equal(say(&f, "email", "tp", true, &row), AG_CONFLICT);
	assert_int_equal(say(&f, "age", "tp", true, &row), AG_OK);
	assert_true(ag_str_eqc(row.status, "committed"));
	assert_int_equal(say(&f, "zip", "fp", true, &row), AG_OK);
	assert_true(ag_str_eqc(row.status, "dropped"));
	assert_int_equal(say(&f, "zip", "tp", true, &row), AG_CONFLICT);
	assert_int_equal(say(&f, "age", "fp", true, &row), AG_CONFLICT);
	run = run_row(&f);
	assert_int_equal(run.medium, 2);
	assert_true(ag_str_contains(run.summary, AG_S("2 findings committed, 1 dismissed")));
	read_stored(&f);
	assert_int_equal(fix_len(&f, "findings"), 2);
	assert_true(ag_str_eqc(fix_text(fix_find(&f, "findings", "age", "odd_age"), "status"),
	                       "published"));
	gone = fix_find(&f, "dismissed_findings", "zip", "pattern_violation");
	assert_true(ag_str_eqc(fix_text(gone, "status"), "dropped"));
	assert_true(ag_str_eqc(fix_text(gone, "user_label"), "fp"));
	assert_true(ag_str_eqc(fix_text(fix_get(gone, "dismissal"), "reason"),
	                       "a reviewer rejected it"));
	/* What was decided may still be labelled. */
	assert_int_equal(say(&f, "zip", "tp", false, &row), AG_OK);
	assert_true(ag_str_eqc(row.status, "dropped"));
	fix_close(&f);
}

static void written_run_takes_no_word(void **state)
{
	ag_store_batch batch = { 0 };
	ag_finding_row row;
	ag_run_row run;
	ag_err err = { 0 };
	int64_t now;
	audit_fix f;
	size_t n;

	(void)state;
	people(&f);
	fix_script(&f, steps, AG_NELEM(steps));
	now = ag_clock_wall(
		&ag_clock_system); /* behind the moment when the run gave its lease back */
	run = run_row(&f);
	run.status = AG_S("running");
	run.finished_ms = 0;
	batch.run = &run;
	assert_int_equal(ag_store_commit(f.store, &run.id, &batch, &err), AG_OK);
	assert_int_equal(ag_store_lease(f.store, &run.id, AG_S("loop"), now, 60000, &err), AG_OK);
	n = nevent(&f);
	assert_int_equal(say(&f, "email", "tp", false, &row), AG_CONFLICT);
	assert_int_equal(nevent(&f), n);
	/* Killed: its right has ended, its log takes a word. */
	assert_int_equal(ag_store_lease(f.store, &run.id, AG_S("loop"), now, 0, &err), AG_OK);
	assert_int_equal(say(&f, "email", "tp", false, &row), AG_OK);
	assert_int_equal(nevent(&f), n + 1);
	fix_close(&f);
}

/* The run is out of budget, a person speaks, the run goes on and writes the same findings again. */
static void run_that_goes_on_remembers(void **state)
{
	static const char *const again[] = {
		"{\"action\":\"schema_sample\",\"action_input\":{\"sample_size\":100}}",
		EMAIL,
		AGE,
		ZIP,
		FINDING("email", "null_rate", "0.9", "{\"email\":{\"$type\":\"null\"}}"),
		FINDING("zip", "pattern_violation", "0.9", "{\"zip\":{\"$eq\":\"x\"}}"),
		"{\"action\":\"conclude\"}",
	};
	ag_finding_row row, *rows;
	ag_err err = { 0 };
	audit_fix f;
	size_t n;

	(void)state;
	people(&f);
	f.opts.budget.iterations = 4;
	fix_script(&f, again, AG_NELEM(again));
	assert_true(ag_str_eqc(f.result.run_result.status, "partial"));
	assert_int_equal(say(&f, "email", "fp", false, &row), AG_OK);
	assert_int_equal(say(&f, "zip", "fp", true, &row), AG_OK);

	f.opts.budget.iterations = 0;
	{
		fix_lines s = { .fix = &f, .lines = again, .n = AG_NELEM(again) };
		const ag_run_row run = run_row(&f);

		if (ag_audit_resume(&f.ctx,
		                    &(ag_audit_job){ .source = f.source,
		                                     .store = f.store,
		                                     .opts = &f.opts,
		                                     .make = fix_make_lines,
		                                     .make_arg = &s },
		                    &run, f.arena, &f.result, &err))
			fail_msg("%s", err.msg);
	}
	assert_true(ag_str_eqc(f.result.run_result.status, "ok"));
	read_stored(&f);
	assert_true(ag_str_eq(stored(&f), f.result.report));
	assert_int_equal(fix_len(&f, "findings"), 2);
	assert_true(ag_str_eqc(
		fix_text(fix_find(&f, "findings", "email", "null_rate"), "user_label"), "fp"));
	assert_non_null(fix_find(&f, "dismissed_findings", "zip", "pattern_violation"));
	assert_int_equal(ag_store_findings(f.store, &f.result.run, f.arena, &rows, &n, &err),
	                 AG_OK);
	assert_int_equal(n, 3);
	assert_true(ag_str_eqc(rows[0].label, "fp"));
	assert_true(ag_str_eqc(rows[2].status, "dropped"));
	fix_close(&f);
}

/* What was said stands in the history that the next run opens with. */
static void next_run_knows(void **state)
{
	ag_finding_row row;
	ag_history h;
	ag_err err = { 0 };
	ag_str text;
	audit_fix f;

	(void)state;
	people(&f);
	fix_script(&f, steps, AG_NELEM(steps));
	assert_int_equal(say(&f, "email", "fp", false, &row), AG_OK);
	assert_int_equal(say(&f, "zip", "fp", true, &row), AG_OK);
	assert_int_equal(ag_history_load(f.store, run_row(&f).source_key, NULL, f.arena, &h, &err),
	                 AG_OK);
	text = ag_history_text(&h, f.arena);
	assert_true(ag_str_contains(text, AG_S("user: fp, needs stronger evidence")));
	assert_true(ag_str_contains(text, AG_S("reason: a reviewer rejected it; user: fp")));
	fix_script(&f, steps, AG_NELEM(steps));
	assert_int_equal(fix_len(&f, "new_findings"), 0); /* zip was dropped: a label, so no news */
	assert_int_equal(fix_len(&f, "resolved_findings"), 0);
	fix_close(&f);
}

/* Whoever proposes what a person marked as false learns it, with the reason; the finding is kept, and does not count.
 * Other evidence is another matter. */
static void gate_says_what_was_said(void **state)
{
	static const char *const other[] = {
		"{\"action\":\"schema_sample\",\"action_input\":{\"sample_size\":100}}",
		FINDING("email", "null_rate", "0.95", "{\"email\":{\"$in\":[null,\"x\"]}}"),
		"{\"action\":\"conclude\"}",
	};
	const ag_review word = { .label = AG_S("fp"),
		                 .by = AG_S("ann"),
		                 .reason = AG_S("it is optional") };
	const ag_val *f1, *record = NULL;
	ag_finding_row found, row;
	ag_run_row of;
	ag_err err = { 0 };
	audit_fix f;

	(void)state;
	people(&f);
	f.opts.evaluators[AG_GATE_OBSERVATION] = AG_EVAL_RULES;
	fix_script(&f, steps, AG_NELEM(steps));
	assert_true(f.result.has_findings);
	of = run_row(&f);
	assert_int_equal(ag_review_find(f.store, &of, AG_S("email"), f.arena, &found, &err), AG_OK);
	assert_int_equal(ag_review_write(&f.ctx, f.store, &of.id, &found.id, &word, f.arena, &row,
	                                 &err),
	                 AG_OK);
	fix_script(&f, steps, AG_NELEM(steps));
	f1 = fix_find(&f, "findings", "email", "null_rate");
	assert_non_null(f1);
	assert_true(ag_str_eqc(fix_text(fix_get(f1, "set_aside"), "by"), "label"));
	assert_true(
		ag_str_contains(fix_text(fix_get(f1, "set_aside"), "reason"), AG_S("by ann on ")));
	record = fix_get(f1, "evaluation");
	assert_true(ag_str_eqc(fix_text(record, "verdict"), "warn"));
	assert_true(ag_str_contains(fix_text(record, "critique"), AG_S("it is optional")));
	assert_int_equal(fix_int(&f.report, "set_aside_count"), 1);
	fix_script(&f, other, AG_NELEM(other));
	f1 = fix_find(&f, "findings", "email", "null_rate");
	assert_non_null(f1);
	assert_int_equal(fix_get(f1, "set_aside")->type, AG_T_NULL);
	assert_true(ag_str_contains(fix_text(f1, "detail"), AG_S("the label does not apply")));
	fix_close(&f);
}

/* A planner that concludes without a look has found nothing out, whoever judges the run. */
static void nothing_checked_is_no_success(void **state)
{
	static const char *const at_once[] = { "{\"action\":\"conclude\"}" };
	static const char *const schema_only[] = {
		"{\"action\":\"schema_sample\",\"action_input\":{\"sample_size\":100}}",
		"{\"action\":\"conclude\"}",
	};
	audit_fix f;

	(void)state;
	people(&f);
	for (int g = 0; g < AG_NGATE; g++)
		f.opts.evaluators[g] = AG_EVAL_NONE;
	for (int i = 0; i < 2; i++) {
		const ag_val *gap;

		fix_script(&f, i ? schema_only : at_once, i ? 2 : 1);
		assert_true(ag_str_eqc(fix_text(&f.report, "status"), "ok"));
		assert_true(ag_str_eqc(fix_text(&f.report, "verdict"), "not_checked"));
		assert_int_equal(fix_len(&f, "gaps"), 1);
		gap = &fix_get(&f.report, "gaps")->u.items[0];
		assert_true(ag_str_eqc(fix_text(gap, "kind"), "nothing_checked"));
		assert_true(ag_audit_reaches(&f.result, AG_CRITICAL));
	}
	fix_script(&f, steps, AG_NELEM(steps));
	assert_true(ag_str_eqc(fix_text(&f.report, "verdict"), "problems"));
	fix_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gate_says_what_was_said),
		cmocka_unit_test(nothing_checked_is_no_success),
		cmocka_unit_test(label_changes_its_entry_only),
		cmocka_unit_test(unknown_findings_write_nothing),
		cmocka_unit_test(decisions_are_of_what_waits),
		cmocka_unit_test(written_run_takes_no_word),
		cmocka_unit_test(run_that_goes_on_remembers),
		cmocka_unit_test(next_run_knows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
