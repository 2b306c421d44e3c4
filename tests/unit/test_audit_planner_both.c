/* The builtin planner, then a model: what the model is shown, that its proposals pass the same gates, that its steps alone
 * are counted, and that a run goes on where it stopped. Real requests and readers, scripted answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "audit_resume_steps.h"

#include <stdio.h>
#include <stdlib.h>

#include "query/extjson.h"
#include "scripted_model.h"
#include "text_checks.h"

#define SAY(text)                              \
	{                                      \
		AG_S_INIT(text), 100, 10, NULL \
	}
#define ACT(action, input)                                                              \
	"{\"reasoning\":\"a reason\",\"action\":\"" action "\",\"action_input\":" input \
	",\"confidence\":0.9}"
/* Nothing in the names says which day comes first, and 40 documents are too few to count it: it must be understood. */
#define RULE      "{\"$expr\":{\"$gt\":[\"$kickoff\",\"$wrap\"]}}"
#define RULE_LINE SAY(ACT("run_query", "{\"filter\":" RULE "}"))
#define FINDING_LINE                                                                       \
	SAY(ACT("write_finding",                                                           \
	        "{\"field\":\"wrap\",\"category\":\"date_order\",\"severity\":\"medium\"," \
	        "\"description\":\"two shootings were wrapped before they began\","        \
	        "\"hypothesis\":\"the days were exchanged\",\"evidence_query\":" RULE      \
	        ",\"affected_count\":2}"))
/* The gate runs the evidence, which finds nothing. */
#define FALSE_LINE                                                                               \
	SAY(ACT("write_finding",                                                                 \
	        "{\"field\":\"wrap\",\"category\":\"implausible_date\",\"severity\":\"medium\"," \
	        "\"description\":\"a film of the next century\",\"hypothesis\":\"a slip\","      \
	        "\"evidence_query\":{\"wrap\":{\"$gt\":\"2090-01-01\"}},\"affected_count\":3}"))
#define END_LINE SAY(ACT("conclude", "{}"))

typedef struct rig {
	audit_fix f;
	scripted_model m;
	ag_llm_meter meter;
	ag_run_row row;
	ag_event *events;
	size_t n;
} rig;

/* 40 shootings: an address in three of four, two wrapped before they began. */
static void shootings(audit_fix *f)
{
	ag_buf docs = AG_BUF_INIT(1 << 20);

	for (int i = 0; i < 40; i++)
		ag_buf_addf(
			&docs,
			"{\"_id\":%d,\"email\":%s,\"kickoff\":\"2024-0%d-1%d\",\"wrap\":\"2024-0%d-2%d\"}\n",
			i, i % 4 ? "\"u@example.org\"" : "null", i % 7 + 2, i % 9,
			i % 7 + (i % 20 == 5 ? 1 : 2), i % 8);
	fix_open(f, ag_buf_view(&docs));
	ag_buf_release(&docs);
	f->opts.catalogue.as_of_ms = AS_OF;
	f->opts.budget.iterations = 0;
	f->opts.history = false;
}

static void open_rig(rig *r, const sm_line *lines, size_t n)
{
	shootings(&r->f);
	sm_open(&r->m, "test-model", lines, n);
	ag_llm_meter_init(&r->meter, r->f.arena, 0, 0);
	r->f.opts.planner_llm = r->m.llm;
	r->f.opts.meter = &r->meter;
}

static void read_report(rig *r)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_err err = { 0 };

	if (ag_extjson_parse(r->f.result.report, &opts, r->f.arena, &r->f.report, NULL, NULL, &err))
		fail_msg("%s", err.msg);
}

static void run_rig(rig *r)
{
	run_whole(&r->f, ag_planner_both_make, NULL, &r->row, &r->events, &r->n);
	read_report(r);
}

static void close_rig(rig *r)
{
	sm_close(&r->m);
	fix_close(&r->f);
}

/* Steps and findings of the builtin planner alone. */
static size_t steps_of_builtin(size_t *ret_findings)
{
	ag_event *events;
	ag_run_row row;
	audit_fix f;
	size_t n;

	shootings(&f);
	run_whole(&f, ag_planner_builtin_make, NULL, &row, &events, &n);
	*ret_findings = 0;
	for (size_t i = 0; i < n; i++)
		*ret_findings += events[i].type == AG_EV_FINDING;
	n = f.result.run_result.iterations - 1; /* without its conclusion */
	fix_close(&f);
	return n;
}

static void the_model_sees_what_was_found_and_adds_to_it(void **state)
{
	static const sm_line lines[] = { RULE_LINE, FINDING_LINE, FALSE_LINE, END_LINE };
	size_t nfinding, nstep = steps_of_builtin(&nfinding);
	char where[64];
	rig r;

	(void)state;
	open_rig(&r, lines, AG_NELEM(lines));
	run_rig(&r);
	assert_str(fix_text(&r.f.report, "status"), "ok");
	assert_str(fix_text(&r.f.report, "planner"), "both");
	assert_int_equal(r.m.nasked, AG_NELEM(lines));
	assert_int_equal(r.f.result.run_result.iterations, nstep + AG_NELEM(lines));
	/* What was found before, the profile and what is left to do. */
	assert_has(r.m.requests[0], "# What is done already");
	assert_has(r.m.requests[0], "email null_rate");
	assert_has(r.m.requests[0], "SCHEMA of 40 sampled documents");
	(void)snprintf(where, sizeof(where), "Iteration %zu/%zu.", nstep + 1, nstep + 20);
	assert_has(r.m.requests[0], where);
	/* Its rule between two fields is a finding, beside those of the builtin planner; the false one is not. */
	assert_non_null(fix_find(&r.f, "findings", "email", "null_rate"));
	assert_int_equal(
		fix_int(fix_find(&r.f, "findings", "wrap", "date_order"), "affected_count"), 2);
	assert_null(fix_find(&r.f, "findings", "wrap", "implausible_date"));
	assert_has(r.m.requests[3], "the evidence finds 0 of 40");
	assert_true(fix_len(&r.f, "findings") >= nfinding);
	close_rig(&r);
}

/* The steps of the builtin planner are free; with a budget of two the model has two. */
static void only_the_steps_of_the_model_count(void **state)
{
	static const sm_line lines[] = { RULE_LINE, FINDING_LINE, END_LINE };
	size_t nfinding, nstep = steps_of_builtin(&nfinding);
	ag_err err;
	rig r;

	(void)state;
	assert_true(nstep > 3);
	open_rig(&r, lines, AG_NELEM(lines));
	r.f.opts.budget.iterations = 2;
	run_rig(&r);
	assert_str(fix_text(&r.f.report, "status"), "partial");
	assert_int_equal(r.m.nasked, 2);
	assert_int_equal(r.f.result.run_result.iterations, nstep + 2);
	/* With the same budget the model is not asked again; with a larger one it goes on. */
	assert_int_equal(resume(&r.f, r.f.store, &r.row, ag_planner_both_make, NULL, &err), AG_OK);
	assert_int_equal(r.m.nasked, 2);
	assert_int_equal(r.f.result.run_result.iterations, nstep + 2);
	r.f.opts.budget.iterations = 3;
	assert_int_equal(resume(&r.f, r.f.store, &r.row, ag_planner_both_make, NULL, &err), AG_OK);
	read_report(&r);
	assert_str(fix_text(&r.f.report, "status"), "ok");
	assert_int_equal(r.m.nasked, 3);
	assert_int_equal(fix_len(&r.f, "run_trace"), nstep + 3);
	assert_rebuilt(&r.f, r.f.store, &r.row, true);
	close_rig(&r);
}

/* Cut behind every event of the first planner: no step of it is made twice, and the model is asked as in a whole run. */
static void a_run_that_stood_still_goes_on(void **state)
{
	static const sm_line lines[] = { RULE_LINE, FINDING_LINE, END_LINE };
	ag_str want;
	size_t nfinding, ncut;
	rig whole;

	(void)state;
	(void)steps_of_builtin(&nfinding);
	open_rig(&whole, lines, AG_NELEM(lines));
	run_rig(&whole);
	want = whole.f.result.report;
	for (ncut = 1; ncut < whole.n && whole.events[ncut].type != AG_EV_USAGE; ncut++) {
		ag_run_row cut = whole.row;
		ag_store *store = cut_store(whole.events, ncut, &cut);
		ag_err err;

		whole.m.nasked = 0;
		if (resume(&whole.f, store, &cut, ag_planner_both_make, NULL, &err))
			fail_msg("cut at %zu: %s", ncut, err.msg);
		assert_int_equal(whole.m.nasked, AG_NELEM(lines));
		assert_same_steps(&whole.f, whole.events, whole.n, store, &whole.row.id, ncut);
		assert_same(&whole.f, want, whole.f.result.report, "cut at", ncut);
		ag_store_close(store);
	}
	assert_true(ncut > 10);
	close_rig(&whole);
}

/* The server is away: what the builtin planner found is kept. */
static void without_an_answer_the_findings_are_kept(void **state)
{
	rig r;

	(void)state;
	open_rig(&r, NULL, 0);
	run_rig(&r);
	assert_str(fix_text(&r.f.report, "status"), "partial");
	assert_int_equal(r.f.result.run_result.err.status, AG_UNAVAILABLE);
	assert_non_null(fix_find(&r.f, "findings", "email", "null_rate"));
	close_rig(&r);
}

static void no_model(void **state)
{
	rig r;

	(void)state;
	open_rig(&r, NULL, 0);
	r.f.opts.planner_llm = NULL;
	run_rig(&r);
	assert_has(ag_str_c(r.f.result.run_result.err.msg), "the planner both has no model");
	close_rig(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_model_sees_what_was_found_and_adds_to_it),
		cmocka_unit_test(only_the_steps_of_the_model_count),
		cmocka_unit_test(a_run_that_stood_still_goes_on),
		cmocka_unit_test(without_an_answer_the_findings_are_kept),
		cmocka_unit_test(no_model),
	};

	return cmocka_run_group_tests_name("audit_planner_both", tests, NULL, NULL);
}
