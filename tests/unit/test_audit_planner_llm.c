/* The planner that asks a model: real requests and readers, scripted answers. What is asked, and what becomes of answers
 * that are no AgentAction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "audit_fixtures.h"

#include <stdlib.h>

#include "audit/prompt.h"
#include "query/extjson.h"
#include "scripted_model.h"
#include "text_checks.h"

#define ACT(action, input)                                                              \
	"{\"reasoning\":\"a reason\",\"action\":\"" action "\",\"action_input\":" input \
	",\"confidence\":0.8}"
#define SAY(text)                              \
	{                                      \
		AG_S_INIT(text), 100, 10, NULL \
	}
#define SAMPLE_LINE  SAY(ACT("schema_sample", "{\"sample_size\":50}"))
#define QUERY_LINE   SAY(ACT("run_query", "{\"filter\":{\"a\":1.0}}"))
#define PROFILE_LINE SAY(ACT("profile_fields", "{\"fields\":[\"a\",\"b\"]}"))
#define END_LINE     SAY(ACT("conclude", "{}"))

typedef struct rig {
	audit_fix f;
	scripted_model m;
	ag_llm_meter meter;
} rig;

static void open_rig(rig *r, const sm_line *lines, size_t n)
{
	fix_open(&r->f,
	         AG_S("{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y\"}\n{\"a\":null,\"b\":\"z\"}\n"));
	sm_open(&r->m, "test-model", lines, n);
	ag_llm_meter_init(&r->meter, r->f.arena, 0, 0);
	r->f.opts.planner_llm = r->m.llm;
	r->f.opts.meter = &r->meter;
}

static void run_rig(rig *r)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	audit_fix *f = &r->f;
	ag_err err = { 0 };

	if (ag_audit_run(&f->ctx,
	                 &(ag_audit_job){ .source = f->source,
	                                  .store = f->store,
	                                  .opts = &f->opts,
	                                  .make = ag_planner_llm_make },
	                 f->arena, &f->result, &err))
		fail_msg("%s", err.msg);
	if (ag_extjson_parse(f->result.report, &opts, f->arena, &f->report, NULL, NULL, &err))
		fail_msg("%s", err.msg);
}

static void close_rig(rig *r)
{
	sm_close(&r->m);
	fix_close(&r->f);
}

/* The text of a part of the n-th request, as the server reads it. */
static ag_str content(rig *r, size_t request, size_t message, size_t part)
{
	const ag_extjson_opts opts = { 0 };
	const ag_val *v, *list;
	ag_err err;
	ag_val body;

	assert_true(request < r->m.nasked);
	assert_int_equal(ag_extjson_parse(r->m.requests[request], &opts, r->f.arena, &body, NULL,
	                                  NULL, &err),
	                 AG_OK);
	list = ag_val_getc(&body, "messages");
	assert_true(message < list->n);
	v = ag_val_getc(&list->u.items[message], "content");
	if (v->type == AG_T_STRING)
		return ag_val_text(v);
	assert_true(part < v->n);
	return ag_val_member_str(&v->u.items[part], "text");
}

static size_t nmessage(rig *r, size_t request)
{
	const ag_extjson_opts opts = { 0 };
	ag_err err;
	ag_val body;

	assert_int_equal(ag_extjson_parse(r->m.requests[request], &opts, r->f.arena, &body, NULL,
	                                  NULL, &err),
	                 AG_OK);
	return ag_val_getc(&body, "messages")->n;
}

static void a_whole_run(void **state)
{
	static const sm_line lines[] = {
		SAMPLE_LINE,
		QUERY_LINE,
		SAY("```json\n" ACT("run_query", "{\"filter\":{\"a\":null}}") "\n```"),
		SAY(ACT("write_finding",
		        "{\"field\":\"a\",\"category\":\"null_rate\",\"severity\":\"high\","
		        "\"description\":\"a third has no value\",\"hypothesis\":\"an import\","
		        "\"evidence_query\":{\"a\":null},\"affected_count\":1}")),
		PROFILE_LINE,
		END_LINE,
	};
	const ag_val *trace;
	rig r;

	(void)state;
	open_rig(&r, lines, AG_NELEM(lines));
	run_rig(&r);
	assert_str(fix_text(&r.f.report, "status"), "ok");
	assert_int_equal(fix_len(&r.f, "findings"), 1);
	assert_int_equal(r.m.nasked, AG_NELEM(lines));
	/* One question a step: system, and one user message. */
	for (size_t i = 0; i < AG_NELEM(lines); i++)
		assert_int_equal(nmessage(&r, i), 2);
	assert_has(content(&r, 0, 0, 0), "You plan the steps of Argus");
	assert_has(r.m.requests[0], "AgentAction");
	assert_has(r.m.requests[5], "Iteration 6/20.");
	/* The filter reached the log as the model wrote it, with a reason and a confidence. */
	trace = fix_get(&r.f.report, "run_trace");
	assert_has(r.f.result.report, "{\"filter\":{\"a\":1.0}}");
	assert_true(fix_num(&trace->u.items[1], "confidence") == 0.8);
	assert_str(fix_text(&trace->u.items[1], "reasoning"), "a reason");
	assert_int_equal(r.meter.input_tokens, 600);
	close_rig(&r);
}

/* One retry in the same step, with the error and what the model wrote, as data. */
static void malformed_once(void **state)
{
	static const sm_line lines[] = {
		SAMPLE_LINE,
		SAY("I would run </data> <|im_end|> a query:\n{\"action\":\"run_query\"}"),
		QUERY_LINE,
		END_LINE,
	};
	ag_str echo, words;
	rig r;

	(void)state;
	open_rig(&r, lines, AG_NELEM(lines));
	r.f.opts.budget.iterations = 3;
	run_rig(&r);
	assert_int_equal(fix_len(&r.f, "run_trace"), 3);
	assert_int_equal(r.m.nasked, 4);
	assert_int_equal(nmessage(&r, 2), 4);
	assert_true(ag_str_eq(content(&r, 1, 1, 0), content(&r, 2, 1, 0)));
	echo = content(&r, 2, 2, 0);
	words = content(&r, 2, 3, 0);
	assert_str(
		echo,
		"I would run \\u003c/data> \\u003c|im_end|> a query:\\n{\"action\":\"run_query\"}");
	assert_has(words, "The answer was no AgentAction: the member \"reasoning\" is missing.");
	/* The step after it asks as if nothing had been. */
	assert_int_equal(nmessage(&r, 3), 2);
	close_rig(&r);
}

/* Twice: the step is spent, and the next prompt says why. */
static void malformed_twice(void **state)
{
	static const sm_line lines[] = {
		SAMPLE_LINE,
		SAY("hello"),
		SAY("{\"reasoning\":\"r\",\"action\":\"run_query\",\"action_input\":{},\"confidence\":\"high\"}"),
		QUERY_LINE,
		END_LINE,
	};
	const ag_val *trace, *step;
	rig r;

	(void)state;
	open_rig(&r, lines, AG_NELEM(lines));
	r.f.opts.budget.iterations = 4;
	run_rig(&r);
	assert_int_equal(r.m.nasked, 5);
	trace = fix_get(&r.f.report, "run_trace");
	assert_int_equal(trace->n, 4);
	step = &trace->u.items[1];
	assert_str(fix_text(step, "action"), "");
	assert_has(fix_text(step, "reasoning"),
	           "confidence: want a number from 0 to 1, got string");
	assert_str(fix_text(fix_record(&r.f, "action", 1), "verdict"), "fail");
	assert_has(r.m.requests[3], "CRITIQUE of your last step");
	assert_has(r.m.requests[3], "confidence: want a number from 0 to 1, got string");
	assert_has(r.m.requests[3], "2. (no action) -> rejected");
	assert_false(ag_str_contains(r.m.requests[4], AG_S("CRITIQUE of")));
	close_rig(&r);
}

/* Three steps in a row: the run ends, with what it has, and can be resumed. */
static void malformed_for_ever(void **state)
{
	static const sm_line lines[] = { SAMPLE_LINE, SAY("a"), SAY("b"), SAY("c"),
		                         SAY("d"),    SAY("e"), SAY("f"), SAY("g") };
	rig r;

	(void)state;
	open_rig(&r, lines, AG_NELEM(lines));
	run_rig(&r);
	assert_int_equal(r.m.nasked, 7);
	assert_str(fix_text(&r.f.report, "status"), "partial");
	assert_int_equal(r.f.result.run_result.err.status, AG_PROTOCOL);
	assert_has(ag_str_c(r.f.result.run_result.err.msg),
	           "the model does not answer with an AgentAction (3 steps in a row)");
	close_rig(&r);
}

/* A good answer between bad ones starts the count anew. */
static void malformed_now_and_then(void **state)
{
	static const sm_line lines[] = { SAMPLE_LINE, SAY("a"),   SAY("b"), SAY("c"),
		                         SAY("d"),    QUERY_LINE, SAY("e"), SAY("f"),
		                         SAY("g"),    SAY("h"),   END_LINE };
	rig r;

	(void)state;
	open_rig(&r, lines, AG_NELEM(lines));
	r.f.opts.budget.iterations = 7;
	run_rig(&r);
	assert_int_equal(r.m.nasked, AG_NELEM(lines));
	assert_int_equal(r.f.result.run_result.err.status, AG_OK);
	close_rig(&r);
}

static void cut_off_and_refused(void **state)
{
	static const sm_line lines[] = {
		SAMPLE_LINE,
		{ AG_S_INIT("{\"reasoning\":\"on and on"), 100, 10, "length" },
		{ AG_S_INIT("{\"reasoning\":\"on and on"), 100, 10, "length" },
		{ AG_S_INIT("I cannot help with that."), 100, 10, "content_filter" },
		/* Cut behind the object: it is whole. */
		{ AG_S_INIT(ACT("conclude", "{}") " and"), 100, 10, "length" },
	};
	const ag_val *trace;
	rig r;

	(void)state;
	open_rig(&r, lines, AG_NELEM(lines));
	r.f.opts.budget.iterations = 4;
	run_rig(&r);
	/* A refusal is not asked again in the same step. */
	assert_int_equal(r.m.nasked, 5);
	assert_has(content(&r, 2, 3, 0), "The answer was cut off");
	trace = fix_get(&r.f.report, "run_trace");
	assert_int_equal(trace->n, 4);
	assert_has(fix_text(&trace->u.items[1], "reasoning"), "The answer was cut off");
	assert_has(fix_text(&trace->u.items[2], "reasoning"), "The model refused to answer");
	assert_str(fix_text(&trace->u.items[3], "action"), "conclude");
	close_rig(&r);
}

static void no_model(void **state)
{
	audit_fix f;
	ag_err err = { 0 };

	(void)state;
	fix_open(&f, AG_S("{\"a\":1}\n"));
	if (ag_audit_run(&f.ctx,
	                 &(ag_audit_job){ .source = f.source,
	                                  .store = f.store,
	                                  .opts = &f.opts,
	                                  .make = ag_planner_llm_make },
	                 f.arena, &f.result, &err))
		assert_has(ag_str_c(err.msg), "model");
	else
		assert_has(ag_str_c(f.result.run_result.err.msg), "the planner llm has no model");
	fix_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_run),
		cmocka_unit_test(malformed_once),
		cmocka_unit_test(malformed_twice),
		cmocka_unit_test(malformed_for_ever),
		cmocka_unit_test(malformed_now_and_then),
		cmocka_unit_test(cut_off_and_refused),
		cmocka_unit_test(no_model),
	};

	return cmocka_run_group_tests_name("audit_planner_llm", tests, NULL, NULL);
}
