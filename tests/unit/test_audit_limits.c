/* What a review of the auditor found: large values, wide schemas, figures that nobody counted, personal values in
 * places beside the samples, and planners that go in circles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "audit_fixtures.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audit/brief.h"
#include "query/extjson.h"

static ag_buf docs_buf(void)
{
	return (ag_buf)AG_BUF_INIT(256UL << 20);
}

static void open_buf(audit_fix *f, ag_buf *docs)
{
	fix_open(f, ag_buf_view(docs));
	ag_buf_release(docs);
}

static void assert_status(const audit_fix *f, const char *status)
{
	if (!ag_str_eqc(fix_text(&f->report, "status"), status))
		fail_msg("want %s, got %.*s: %.*s", status, AG_FMT(fix_text(&f->report, "status")),
		         AG_FMT(fix_text(&f->report, "status_reason")));
}

static void add_text(ag_buf *b, size_t n)
{
	memset(ag_buf_room(b, n), 'x', n);
	b->len += n;
}

/* A sample of megabytes must not make the schema unusable, and silence is no clean bill. */
static void long_texts_do_not_hide_findings(void **state)
{
	ag_buf docs = docs_buf();
	audit_fix f;

	(void)state;
	for (int i = 0; i < 12; i++) {
		ag_buf_addf(&docs, "{\"_id\":%d,\"age\":%s,\"text\":\"", i, i % 10 ? "5" : "\"5\"");
		add_text(&docs, 3000000);
		ag_buf_addf(&docs, "%d\"}\n", i);
	}
	open_buf(&f, &docs);
	fix_builtin(&f);
	assert_status(&f, "ok");
	assert_non_null(fix_find(&f, "findings", "age", "type_mismatch"));
	assert_true(f.result.report.len < 200000);
	assert_true(ag_str_contains(f.result.report, AG_S("(3000001 bytes)")));
	fix_close(&f);
}

static void cut_texts_stay_utf8(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf text = AG_BUF_INIT(1 << 20);
	ag_val v;

	(void)state;
	ag_buf_addc(&text, 'a');
	for (int i = 0; i < 1000; i++)
		ag_buf_adds(&text, "é");
	v = ag_val_str(ag_buf_view(&text));
	v = ag_brief_val(&v, arena);
	/* 512 is in the middle of a letter. */
	assert_int_equal(ag_val_text(&v).len, 511 + strlen("… (2001 bytes)"));
	ag_buf_release(&text);
	ag_arena_free(arena);
}

static void only_the_fields_of_the_filter_are_shown(void **state)
{
	const ag_val *trace, *shown;
	ag_buf docs = docs_buf();
	audit_fix f;

	(void)state;
	for (int i = 0; i < 40; i++) {
		ag_buf_addf(&docs, "{\"_id\":%d,\"age\":%s", i, i % 4 ? "5" : "null");
		for (int k = 0; k < 30; k++)
			ag_buf_addf(&docs, ",\"more%c%d\":%d", 'a' + k % 26, k, i * k);
		ag_buf_adds(&docs, "}\n");
	}
	open_buf(&f, &docs);
	fix_builtin(&f);
	trace = fix_get(&f.report, "run_trace");
	shown = NULL;
	for (uint32_t i = 0; i < trace->n && !shown; i++)
		if (ag_str_eqc(fix_text(&trace->u.items[i], "action"), "run_query"))
			shown = fix_get(fix_get(fix_get(&trace->u.items[i], "observation"),
			                        "result"),
			                "documents");
	assert_non_null(shown);
	assert_true(shown->n > 0);
	assert_int_equal(shown->u.items[0].n, 2); /* _id and age */
	fix_close(&f);
}

/* Each answer is 4 MB: a trace of them all is more than a store takes. */
static void a_report_too_large_says_what_is_left_out(void **state)
{
	static char lines[20][120];
	const char *script[20];
	ag_buf docs = docs_buf();
	audit_fix f;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		ag_buf_addf(&docs, "{\"_id\":%d", i);
		for (int k = 0; k < 8; k++) {
			ag_buf_addf(&docs, ",\"t%d\":\"", k);
			add_text(&docs, 480);
			ag_buf_adds(&docs, "\"");
		}
		ag_buf_adds(&docs, "}\n");
	}
	open_buf(&f, &docs);
	script[0] = "{\"action\":\"schema_sample\",\"action_input\":{}}";
	for (int i = 1; i < 20; i++) {
		snprintf(
			lines[i], sizeof(lines[i]),
			"{\"action\":\"run_query\",\"action_input\":{\"filter\":{\"_id\":{\"$ne\":%d}},"
			"\"limit\":1000}}",
			i);
		script[i] = lines[i];
	}
	fix_script(&f, script, 20);
	assert_int_equal(fix_len(&f, "run_trace"), 20);
	assert_false(ag_val_truthy(fix_get(&f.report, "trace_complete")));
	fix_close(&f);
}

#define WRITE(evidence, count)                                                                          \
	"{\"action\":\"write_finding\",\"action_input\":{\"field\":\"qty\",\"category\":\"null_rate\"," \
	"\"severity\":\"low\",\"description\":\"a description\",\"hypothesis\":\"a cause\","            \
	"\"evidence_query\":" evidence ",\"affected_count\":" #count "}}"
#define SAMPLE "{\"action\":\"schema_sample\",\"action_input\":{}}"

/* A figure in the pipeline or in the data is no count of documents. */
static void figures_that_nobody_counted_are_refused(void **state)
{
	static const char *const refused[] = {
		WRITE("[{\"$group\":{\"_id\":null,\"n\":{\"$sum\":90}}}]", 9000),
		WRITE("[{\"$limit\":1},{\"$group\":{\"_id\":null,\"n\":{\"$sum\":90}}}]", 90),
		WRITE("[{\"$match\":{\"_id\":3}}]", 50),
		WRITE("[{\"$group\":{\"_id\":null,\"n\":{\"$sum\":\"$count\"}}}]", 50),
		WRITE("[{\"$limit\":1},{\"$project\":{\"n\":{\"$literal\":90}}}]", 90),
		WRITE("[{\"$limit\":1},{\"$addFields\":{\"n\":90}}]", 90),
		WRITE("[{\"$limit\":1},{\"$set\":{\"n\":\"$count\"}}]", 50),
		WRITE("[{\"$unwind\":\"$tags\"},{\"$count\":\"n\"}]", 300),
	};
	static const char *const taken[] = {
		WRITE("[{\"$match\":{\"qty\":null}},{\"$count\":\"documents\"}]", 25),
		WRITE("[{\"$group\":{\"_id\":\"$qty\",\"k\":{\"$sum\":1}}},{\"$match\":{\"_id\":null}},"
		      "{\"$group\":{\"_id\":null,\"n\":{\"$sum\":\"$k\"}}}]",
		      25),
		WRITE("[{\"$group\":{\"_id\":null,\"n\":{\"$sum\":{\"$cond\":[{\"$eq\":[\"$qty\",null]},1,0]}}}},"
		      "{\"$project\":{\"n\":1}}]",
		      25),
		WRITE("[{\"$match\":{\"qty\":null}},{\"$group\":{\"_id\":null,\"ids\":{\"$addToSet\":\"$_id\"}}},"
		      "{\"$project\":{\"n\":{\"$size\":\"$ids\"}}}]",
		      25),
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(refused) + AG_NELEM(taken); i++) {
		const bool good = i >= AG_NELEM(refused);
		const char *script[] = { SAMPLE, good ? taken[i - AG_NELEM(refused)] : refused[i] };
		ag_buf docs = docs_buf();
		audit_fix f;

		for (int k = 0; k < 100; k++)
			ag_buf_addf(&docs,
			            "{\"_id\":%d,\"count\":50,\"qty\":%s,\"tags\":[1,2,3]}\n", k,
			            k % 4 ? "2" : "null");
		open_buf(&f, &docs);
		fix_script(&f, script, 2);
		if (fix_len(&f, "findings") != good)
			fail_msg("%s: %zu findings", script[1], fix_len(&f, "findings"));
		assert_int_not_equal(f.result.run_result.err.status, AG_IO);
		if (ag_str_eqc(fix_text(&f.report, "status"), "failed"))
			fail_msg("%s: the run failed", script[1]);
		fix_close(&f);
	}
}

/* What is personal must not come back in by the trace. */
static void personal_values_stay_out_of_the_trace(void **state)
{
	static const char *const script[] = {
		SAMPLE,
		"{\"action\":\"profile_fields\",\"action_input\":{\"fields\":[\"full_name\"]}}",
		"{\"action\":\"get_stats\",\"action_input\":{\"field\":\"full_name\",\"operation\":\"min\"}}",
		"{\"action\":\"get_stats\",\"action_input\":{\"field\":\"full_name\",\"operation\":\"distinct\"}}",
		"{\"action\":\"aggregate\",\"action_input\":{\"pipeline\":[{\"$group\":{\"_id\":\"$full_name\",\"n\":{"
		"\"$sum\":1}}}]}}",
		"{\"action\":\"run_query\",\"action_input\":{\"filter\":{\"x\":1}}}",
		"{\"action\":\"write_finding\",\"action_input\":{\"field\":\"x\",\"category\":\"other\",\"severity\":"
		"\"low\",\"description\":\"a description\",\"hypothesis\":\"a cause\",\"detail\":\"see bob@secret.org\",\"sample_values\":[\"eve@secret.org\"],"
		"\"evidence_query\":[{\"$match\":{\"x\":2}},{\"$group\":{\"_id\":null,\"who\":{\"$first\":\"$full_name\"},\"n\":{\"$sum\":1}}}],"
		"\"affected_count\":5}}",
	};
	static const char *const secrets[] = { "Walter", "Whiteley", "Sampson", "@secret" };
	const ag_val *trace, *fields;
	ag_buf docs = docs_buf();
	bool named = false;
	audit_fix f;

	(void)state;
	for (int i = 0; i < 20; i++)
		ag_buf_addf(&docs,
		            "{\"_id\":%d,\"x\":%d,\"full_name\":\"Walter Whiteley\","
		            "\"customer\":{\"name\":\"Sampson\"}}\n",
		            i, i % 4 ? 1 : 2);
	open_buf(&f, &docs);
	f.opts.show_values = false;
	fix_script(&f, script, AG_NELEM(script));
	assert_int_equal(fix_len(&f, "findings"), 1);
	for (size_t i = 0; i < AG_NELEM(secrets); i++)
		if (ag_str_contains(f.result.report, ag_str_c(secrets[i])))
			fail_msg("%s is in the report", secrets[i]);
	/* The names of the fields are no secret. */
	trace = fix_get(&f.report, "run_trace");
	fields = fix_get(fix_get(fix_get(&trace->u.items[0], "observation"), "result"), "fields");
	for (uint32_t i = 0; i < fields->n; i++)
		named |= ag_str_eqc(fix_text(&fields->u.items[i], "path"), "full_name");
	assert_true(named);
	fix_close(&f);
}

static void a_finding_names_its_verdict(void **state)
{
	static const char *const script[] = {
		SAMPLE,
		WRITE("{\"qty\":null}", 5),
		"{\"action\":\"write_finding\",\"action_input\":{\"field\":\"_id\",\"category\":\"null_rate\",\"severity\":"
		"\"low\",\"description\":\"a description\",\"hypothesis\":\"a cause\",\"evidence_query\":{\"_id\":-1},"
		"\"affected_count\":0}}",
	};
	const ag_val *committed, *dismissed;
	ag_buf docs = docs_buf();
	audit_fix f;

	(void)state;
	for (int i = 0; i < 20; i++)
		ag_buf_addf(&docs, "{\"_id\":%d,\"qty\":%s}\n", i, i % 4 ? "1" : "null");
	open_buf(&f, &docs);
	fix_script(&f, script, AG_NELEM(script));
	committed = fix_find(&f, "findings", "qty", "null_rate");
	dismissed = fix_find(&f, "dismissed_findings", "_id", "null_rate");
	assert_non_null(committed);
	assert_non_null(dismissed);
	assert_true(ag_str_eq(fix_text(committed, "evaluation_id"),
	                      fix_text(fix_record(&f, "finding", 0), "id")));
	assert_true(ag_str_eqc(fix_text(fix_get(committed, "evaluation"), "verdict"), "pass"));
	assert_null(ag_val_getc(committed, "dismissal"));
	assert_true(ag_str_eq(fix_text(dismissed, "evaluation_id"),
	                      fix_text(fix_record(&f, "finding", 1), "id")));
	assert_true(ag_str_eqc(fix_text(fix_get(dismissed, "dismissal"), "verdict"), "fail"));
	fix_close(&f);
}

/* Committed, then proposed again with evidence that finds nothing: the store agrees with the report. */
static void a_committed_finding_stays_committed(void **state)
{
	static const char *const script[] = { SAMPLE, WRITE("{\"qty\":null}", 5),
		                              WRITE("{\"qty\":77}", 5) };
	ag_buf docs = docs_buf();
	ag_finding_row *rows;
	ag_err err = { 0 };
	audit_fix f;
	size_t n;

	(void)state;
	for (int i = 0; i < 20; i++)
		ag_buf_addf(&docs, "{\"_id\":%d,\"qty\":%s}\n", i, i % 4 ? "1" : "null");
	open_buf(&f, &docs);
	fix_script(&f, script, AG_NELEM(script));
	assert_int_equal(fix_len(&f, "findings"), 1);
	assert_int_equal(ag_store_findings(f.store, &f.result.run, f.arena, &rows, &n, &err),
	                 AG_OK);
	assert_int_equal(n, 1);
	assert_true(ag_str_eqc(rows[0].status, "committed"));
	assert_int_equal(rows[0].affected, 5);
	fix_close(&f);
}

/* A coverage that nothing can reach: without a budget of steps the run ends all the same. */
static void a_planner_in_circles_is_stopped(void **state)
{
	ag_buf docs = docs_buf();
	audit_fix f;

	(void)state;
	for (int i = 0; i < 20; i++)
		ag_buf_addf(&docs, "{\"_id\":%d,\"a\":1,\"b\":2}\n", i);
	open_buf(&f, &docs);
	f.opts.rules.field_coverage_min = 2;
	fix_builtin(&f);
	assert_status(&f, "partial");
	assert_true(fix_len(&f, "run_trace") < 10);
	fix_close(&f);
}

static void nothing_to_investigate_is_no_early_end(void **state)
{
	static const char *const kinds[] = { "", "{\"_id\":1}\n{\"_id\":2}\n" };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(kinds); i++) {
		audit_fix f;

		fix_open(&f, ag_str_c(kinds[i]));
		f.opts.fail_policy = AG_RUN_FAIL_ABORT;
		fix_builtin(&f);
		assert_status(&f, "ok");
		fix_close(&f);
	}
}

static void the_budget_leaves_no_note_of_a_conclusion(void **state)
{
	static const char *const script[] = { SAMPLE };
	const ag_val *trace;
	audit_fix f;

	(void)state;
	fix_open(&f, AG_S("{\"_id\":1,\"a\":1}\n"));
	f.opts.budget.iterations = 1;
	fix_script(&f, script, 1);
	assert_status(&f, "partial");
	trace = fix_get(&f.report, "run_trace");
	assert_true(ag_str_eqc(fix_text(&trace->u.items[0], "note"), ""));
	fix_close(&f);
}

static void a_confidence_is_a_share(void **state)
{
	static const char *const script[] = {
		"{\"action\":\"schema_sample\",\"action_input\":{},\"confidence\":7}",
		"{\"action\":\"conclude\",\"confidence\":-3}",
	};
	const ag_val *trace;
	audit_fix f;

	(void)state;
	fix_open(&f, AG_S("{\"_id\":1,\"a\":1}\n"));
	fix_script(&f, script, AG_NELEM(script));
	trace = fix_get(&f.report, "run_trace");
	assert_true(fix_num(&trace->u.items[0], "confidence") == 1);
	assert_true(fix_num(&trace->u.items[1], "confidence") == 0);
	fix_close(&f);
}

/* A relative path is looked up from another folder. */
static void verify_finds_the_file_by_its_key(void **state)
{
	static const char *const script[] = { SAMPLE, WRITE("{\"qty\":null}", 1) };
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_verification v;
	ag_err err = { 0 };
	ag_val report;
	ag_buf text = AG_BUF_INIT(1 << 20);
	audit_fix f;

	(void)state;
	fix_open(&f, AG_S("{\"_id\":1,\"qty\":null}\n{\"_id\":2,\"qty\":1}\n"));
	fix_script(&f, script, AG_NELEM(script));
	assert_int_equal(fix_len(&f, "findings"), 1);
	ag_buf_addf(
		&text,
		"{\"id\":\"x\",\"collection\":\"data\",\"collection_size\":2,\"source\":{\"uri\":"
		"\"not/here.ndjson\",\"key\":\"%s\"},\"findings\":[{\"id\":"
		"\"01a200bd-f4aa-7021-81c9-c45fc6dc251e\",\"field\":\"qty\",\"category\":\"null_rate\","
		"\"severity\":\"low\",\"evidence_query\":\"{\\\"qty\\\":null}\",\"affected_count\":1}]}",
		f.file);
	assert_int_equal(ag_extjson_parse(ag_buf_view(&text), &opts, f.arena, &report, NULL, NULL,
	                                  &err),
	                 AG_OK);
	assert_int_equal(ag_audit_verify(&f.ctx, &report, AG_S(""), f.arena, &v, &err), AG_OK);
	assert_int_equal(v.nfinding, 1);
	assert_int_equal(v.findings[0].result, AG_CONFIRMED);
	ag_buf_release(&text);
	fix_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_texts_do_not_hide_findings),
		cmocka_unit_test(cut_texts_stay_utf8),
		cmocka_unit_test(only_the_fields_of_the_filter_are_shown),
		cmocka_unit_test(a_report_too_large_says_what_is_left_out),
		cmocka_unit_test(figures_that_nobody_counted_are_refused),
		cmocka_unit_test(personal_values_stay_out_of_the_trace),
		cmocka_unit_test(a_finding_names_its_verdict),
		cmocka_unit_test(a_committed_finding_stays_committed),
		cmocka_unit_test(a_planner_in_circles_is_stopped),
		cmocka_unit_test(nothing_to_investigate_is_no_early_end),
		cmocka_unit_test(the_budget_leaves_no_note_of_a_conclusion),
		cmocka_unit_test(a_confidence_is_a_share),
		cmocka_unit_test(verify_finds_the_file_by_its_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
