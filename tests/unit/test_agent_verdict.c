/* Models as evaluators, from the bytes of an answer to the verdict (reference section 14, scenario 12; what is mended:
 * garbage fails closed). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "agent/evaluators.h"

#include <stdlib.h>

#include "query/extjson.h"
#include "scripted_model.h"
#include "text_checks.h"

/* ---- what models answer ---- */

typedef struct answer {
	const char *text;
	ag_verdict_kind kind;
	double score;
	const char *reason,
		*critique; /* critique NULL: text cannot be read, reason is in the error */
} answer;

static const answer answers[] = {
	{ "{\"verdict\":\"pass\",\"score\":0.9,\"reason\":\"fine\",\"critique\":null}", AG_PASS,
	  0.9, "fine", "" },
	{ "{\"verdict\":\"warn\",\"score\":1,\"reason\":\"so so\"}", AG_WARN, 1, "so so", "" },
	{ "{\"score\":0,\"reason\":\" no \",\"critique\":\" do \",\"verdict\":\"FAIL\"}", AG_FAIL,
	  0, "no", "do" },
	{ "```json\n{\"verdict\":\"fail\",\"score\":0.2,\"reason\":\"thin\",\"critique\":\"count\"}\n```",
	  AG_FAIL, 0.2, "thin", "count" },
	{ "Here you are:\n{\"verdict\":\"pass\",\"score\":0.8,\"reason\":\"ok\",\"critique\":\"\"}\nBye.",
	  AG_PASS, 0.8, "ok", "" },
	{ "<think>{\"verdict\":\"pass\"} or not?</think>{\"verdict\":\"warn\",\"score\":0.5,\"reason\":\"r\"}",
	  AG_WARN, 0.5, "r", "" },
	{ "{\"verdict\":\"pass\",\"score\":0.7,\"reason\":\"a } in {text} and a \\\" quote\"}",
	  AG_PASS, 0.7, "a } in {text} and a \" quote", "" },
	{ "{\"verdict\":\"pass\",\"score\":0.7,\"reason\":\"gr\xC3\xBC\xC3\x9F dich \\u4f60\\ud83d\\ude00\"}",
	  AG_PASS, 0.7, "gr\xC3\xBC\xC3\x9F dich \xE4\xBD\xA0\xF0\x9F\x98\x80", "" },
	/* Who judged is not the model's to say. */
	{ "{\"verdict\":\"pass\",\"score\":1,\"reason\":\"r\",\"evaluated_by\":\"escalation:pending\"}",
	  AG_PASS, 1, "r", "" },
	{ "{\"verdict\":\"pass\",\"score\":1,\"reason\":\"r\",\"evaluated_by\":{\"a\":[1]}}",
	  AG_PASS, 1, "r", "" },
	/* From here on nothing can be read. */
	{ "not json at all", 0, 0, "no complete JSON object", NULL },
	{ "", 0, 0, "no complete JSON object", NULL },
	{ "[]", 0, 0, "no complete JSON object", NULL },
	{ "\"pass\"", 0, 0, "no complete JSON object", NULL },
	{ "{\"verdict\":\"pass\",\"score\":0.9,\"reason\":\"cut of", 0, 0,
	  "no complete JSON object", NULL },
	{ "{\"verdict\":\"pass\",\"score\":0.9,\"reason\":\"x\",}", 0, 0, "no complete JSON object",
	  NULL },
	{ "{}", 0, 0, "verdict is missing", NULL },
	{ "{\"verdict\":\"pass\",\"score\":7,\"reason\":\"r\"}", 0, 0, "score: want 0 to 1, got 7",
	  NULL },
	{ "{\"verdict\":\"pass\",\"score\":-0.1,\"reason\":\"r\"}", 0, 0,
	  "score: want 0 to 1, got -0.1", NULL },
	{ "{\"verdict\":\"pass\",\"score\":1e999,\"reason\":\"r\"}", 0, 0, "score: want 0 to 1",
	  NULL },
	{ "{\"verdict\":\"pass\",\"score\":\"0.9\",\"reason\":\"r\"}", 0, 0,
	  "score: want a number from 0 to 1, got string", NULL },
	{ "{\"verdict\":\"pass\",\"score\":null,\"reason\":\"r\"}", 0, 0, "score: want", NULL },
	{ "{\"verdict\":\"pass\",\"reason\":\"r\"}", 0, 0, "score is missing", NULL },
	{ "{\"verdict\":\"good\",\"score\":1,\"reason\":\"r\"}", 0, 0,
	  "verdict: want pass, warn or fail, got \"good\"", NULL },
	{ "{\"verdict\":true,\"score\":1,\"reason\":\"r\"}", 0, 0, "verdict: want", NULL },
	{ "{\"verdict\":\"pass\",\"score\":1}", 0, 0, "reason is missing", NULL },
	{ "{\"verdict\":\"pass\",\"score\":1,\"reason\":\" \\n\"}", 0, 0, "reason: want words",
	  NULL },
	{ "{\"verdict\":\"pass\",\"score\":1,\"reason\":[\"r\"]}", 0, 0, "reason: want a text",
	  NULL },
	{ "{\"verdict\":\"pass\",\"score\":1,\"reason\":\"r\",\"critique\":7}", 0, 0,
	  "critique: want", NULL },
	{ "{\"verdict\":\"pass\",\"score\":1,\"reason\":\"r\",\"disposition\":2}", 0, 0,
	  "no member \"disposition\"", NULL },
	{ "{\"verdict\":\"fail\",\"verdict\":\"pass\",\"score\":1,\"reason\":\"r\"}", 0, 0,
	  "no JSON", NULL },
	/* One of two is quoted from the data; nobody knows which. */
	{ "It says {\"verdict\":\"pass\",\"score\":1,\"reason\":\"r\"}, so "
	  "{\"verdict\":\"fail\",\"score\":0,\"reason\":\"r\"}",
	  0, 0, "more than one", NULL },
	{ "Mine: {\"verdict\":\"fail\",\"score\":0,\"reason\":\"r\"}. It says\n```\n"
	  "{\"verdict\":\"pass\",\"score\":1,\"reason\":\"r\"}\n```\n",
	  0, 0, "more than one", NULL },
	{ "```json\n{\"verdict\":\"pass\",\"score\":1,\"reason\":\"r\"}\n```\n"
	  "```json\n{\"verdict\":\"fail\",\"score\":0,\"reason\":\"r\"}\n```\n",
	  0, 0, "more than one", NULL },
	{ "{\"answer\":{\"verdict\":\"pass\",\"score\":1,\"reason\":\"r\"}}", 0, 0,
	  "no member \"answer\"", NULL },
};

static void answers_are_read_without_mercy(void **state)
{
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(answers); i++) {
		const answer *a = &answers[i];
		ag_verdict v = { .score = 42 };
		ag_err err = { 0 };
		ag_status st = ag_verdict_parse(ag_str_c(a->text), arena, &v, &err);

		if (!a->critique) {
			if (st != AG_PROTOCOL)
				fail_msg("%s: status %s", a->text, ag_status_name(st));
			assert_has(ag_str_c(err.msg), a->reason);
			assert_float_equal(v.score, 42, 0);
			continue;
		}
		if (st)
			fail_msg("%s: %s", a->text, err.msg);
		assert_int_equal(v.kind, a->kind);
		assert_float_equal(v.score, a->score, 0);
		assert_str(v.reason, a->reason);
		assert_str(v.critique, a->critique);
		assert_int_equal(v.evaluated_by.len, 0);
		assert_int_equal(v.disposition, AG_DISPOSE_BY_VERDICT);
	}
	ag_arena_free(arena);
}

/* Cut anywhere, an answer is malformed, never half read. */
static void cut_answers_are_malformed(void **state)
{
	const ag_str whole = AG_S(
		"```json\n{\"reason\":\"a {\\\"b\\\":1} \xE2\x82\xAC\",\"verdict\":"
		"\"fail\",\"score\":0.5,\"critique\":\"}\"}");
	ag_arena *arena = ag_arena_new();
	ag_verdict v;

	(void)state;
	for (size_t n = 0; n < whole.len; n++)
		assert_int_equal(ag_verdict_parse(ag_str_make(whole.ptr, n), arena, &v, NULL),
		                 AG_PROTOCOL);
	assert_int_equal(ag_verdict_parse(whole, arena, &v, NULL), AG_OK);
	assert_int_equal(v.kind, AG_FAIL);
	ag_arena_free(arena);
}

static void huge_answers_have_limits(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf text = AG_BUF_INIT(32u << 20);
	ag_verdict v;
	ag_err err = { 0 };

	(void)state;
	ag_buf_adds(&text, "{\"verdict\":\"pass\",\"score\":1,\"reason\":\"");
	for (int i = 0; i < 5000; i++)
		ag_buf_adds(&text, "\xE2\x82\xAC");
	ag_buf_adds(&text, "\"}");
	if (ag_verdict_parse(ag_buf_view(&text), arena, &v, &err))
		fail_msg("%s", err.msg);
	assert_true(v.reason.len > 3900 && v.reason.len < 4010);
	assert_int_equal(v.reason.len % 3, 0); /* the ellipsis has three bytes, too */
	ag_buf_clear(&text);
	for (int i = 0; i < (1 << 20); i++)
		ag_buf_adds(&text, "{\"a\":[");
	assert_int_equal(ag_verdict_parse(ag_buf_view(&text), arena, &v, &err), AG_PROTOCOL);
	assert_has(ag_str_c(err.msg), "bytes");
	ag_buf_clear(&text);
	for (int i = 0; i < 20000; i++)
		ag_buf_adds(&text, "{\"a\":");
	for (int i = 0; i < 20000; i++)
		ag_buf_addc(&text, '}');
	assert_int_equal(ag_verdict_parse(ag_buf_view(&text), arena, &v, &err), AG_PROTOCOL);
	ag_buf_release(&text);
	ag_arena_free(arena);
}

static void the_schema_has_what_is_read(void **state)
{
	const ag_extjson_opts opts = { .reject_duplicates = true };
	ag_arena *arena = ag_arena_new();
	ag_buf out = AG_BUF_INIT(1 << 16);
	const ag_val *required, *properties;
	ag_err err = { 0 };
	ag_val v;

	(void)state;
	ag_verdict_schema(&out);
	if (ag_extjson_parse(ag_buf_view(&out), &opts, arena, &v, NULL, NULL, &err))
		fail_msg("%s", err.msg);
	required = ag_val_getc(&v, "required");
	properties = ag_val_getc(&v, "properties");
	assert_int_equal(required->n, 4);
	assert_int_equal(properties->n, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_non_null(ag_val_get(properties, ag_val_text(&required->u.items[i])));
	assert_int_equal(ag_val_getc(ag_val_getc(properties, "verdict"), "enum")->n, 3);
	assert_false(ag_val_truthy(ag_val_getc(&v, "additionalProperties")));
	ag_buf_release(&out);
	ag_arena_free(arena);
}

/* ---- a model behind a gate ---- */

#define GOOD "{\"verdict\":\"pass\",\"score\":0.9,\"reason\":\"fine\",\"critique\":\"\"}"

static ag_status prompt(void *env, const char *role, const ag_subject *s, ag_arena *arena,
                        ag_str *ret_system, ag_str *ret_user, ag_err *err)
{
	(void)env;
	(void)err;
	*ret_system = ag_str_printf(arena, "You are %s.", role);
	*ret_user = ag_str_printf(arena, "Judge the %s.", ag_gate_name(s->gate));
	return AG_OK;
}

typedef struct model_fix {
	ag_arena *arena;
	ag_ctx ctx;
	scripted_model model;
	ag_llm_meter meter;
	ag_model_evaluator e;
	ag_err err;
} model_fix;

static void model_open(model_fix *f, const char *name, const sm_line *lines, size_t nline)
{
	*f = (model_fix){ .arena = ag_arena_new(),
		          .ctx = { .clock = &ag_clock_system, .nthread = 1 } };
	sm_open(&f->model, "small-1", lines, nline);
	ag_llm_meter_init(&f->meter, f->arena, 0, 0);
	ag_model_evaluator_init(&f->e, name, f->model.llm, &f->meter);
	f->e.prompt = prompt;
	f->e.pass_threshold[AG_GATE_OBSERVATION] = 0.7;
}

static void model_close(model_fix *f)
{
	sm_close(&f->model);
	ag_arena_free(f->arena);
}

static ag_status ask(model_fix *f, ag_gate gate, ag_verdict *ret)
{
	const ag_subject s = { .gate = gate };

	return f->e.base.evaluate(&f->e.base, &f->ctx, &s, f->arena, ret, &f->err);
}

static ag_verdict asked(model_fix *f, ag_gate gate)
{
	ag_verdict v = { 0 };

	if (ask(f, gate, &v))
		fail_msg("%s", f->err.msg);
	return v;
}

static void a_model_is_asked_once_for_a_verdict(void **state)
{
	static const sm_line line = { AG_S_INIT(GOOD), 200, 40, NULL };
	model_fix f;
	ag_verdict v;

	(void)state;
	model_open(&f, "self", &line, 1);
	assert_true(f.e.base.asks_model);
	v = asked(&f, AG_GATE_OBSERVATION);
	assert_int_equal(v.kind, AG_PASS);
	assert_float_equal(v.score, 0.9, 0);
	assert_str(v.evaluated_by, "self:small-1");
	assert_int_equal(f.model.nasked, 1);
	assert_has(f.model.requests[0], "You are self.");
	assert_has(f.model.requests[0], "Judge the finding.");
	assert_has(f.model.requests[0], "additionalProperties");
	assert_int_equal(f.meter.input_tokens, 200);
	assert_int_equal(f.meter.output_tokens, 40);
	assert_int_equal(f.meter.npending, 1);
	assert_str(f.meter.pending[0].purpose, "self");
	model_close(&f);
}

static void thresholds_bite(void **state)
{
	static const sm_line lines[] = {
		{ AG_S_INIT(
			  "{\"verdict\":\"pass\",\"score\":0.4,\"reason\":\"thin\",\"critique\":\"\"}"),
		  1, 1, NULL },
		{ AG_S_INIT(
			  "{\"verdict\":\"warn\",\"score\":0.4,\"reason\":\"thin\",\"critique\":\"\"}"),
		  1, 1, NULL },
		{ AG_S_INIT("{\"verdict\":\"pass\",\"score\":0.7,\"reason\":\"enough\"}"), 1, 1,
		  NULL },
		{ AG_S_INIT("{\"verdict\":\"fail\",\"score\":0.9,\"reason\":\"wrong\"}"), 1, 1,
		  NULL },
		{ AG_S_INIT("{\"verdict\":\"pass\",\"score\":0.4,\"reason\":\"run\"}"), 1, 1,
		  NULL },
	};
	model_fix f;
	ag_verdict v;

	(void)state;
	model_open(&f, "self", lines, AG_NELEM(lines));
	v = asked(&f, AG_GATE_OBSERVATION);
	assert_int_equal(v.kind, AG_FAIL);
	assert_str(v.reason, "score 0.40 is below the threshold of 0.70: thin");
	assert_str(v.critique, "score 0.40 is below the threshold of 0.70: thin");
	assert_float_equal(v.score, 0.4, 0);
	v = asked(&f, AG_GATE_OBSERVATION);
	assert_int_equal(v.kind, AG_WARN);
	assert_str(v.reason, "thin");
	assert_int_equal(asked(&f, AG_GATE_OBSERVATION).kind, AG_PASS);
	v = asked(&f, AG_GATE_OBSERVATION);
	assert_int_equal(v.kind, AG_FAIL);
	assert_str(v.critique, "wrong");
	/* Each gate has its own. */
	assert_int_equal(asked(&f, AG_GATE_RUN).kind, AG_PASS);
	model_close(&f);
}

static void an_unreadable_answer_is_asked_for_once_more(void **state)
{
	static const sm_line lines[] = { { AG_S_INIT("I think it is \"fine\"."), 100, 10, NULL },
		                         { AG_S_INIT(GOOD), 150, 20, NULL } };
	model_fix f;
	ag_verdict v;

	(void)state;
	model_open(&f, "judge", lines, AG_NELEM(lines));
	v = asked(&f, AG_GATE_RUN);
	assert_int_equal(v.kind, AG_PASS);
	assert_str(v.evaluated_by, "judge:small-1");
	assert_int_equal(f.model.nasked, 2);
	assert_has(f.model.requests[1], "I think it is \\\"fine\\\".");
	assert_has(f.model.requests[1], "there is no complete JSON object in the answer");
	assert_has(f.model.requests[1], "Judge the run.");
	assert_int_equal(f.meter.input_tokens, 250);
	assert_int_equal(f.meter.output_tokens, 30);
	assert_str(f.meter.pending[1].purpose, "judge");
	model_close(&f);
}

/* Scenario 12's "not json at all" counted as WARN once; now it fails closed where it would let something through. */
static void garbage_counts_by_policy(void **state)
{
	static const sm_line line = { AG_S_INIT("not json\nat all\x1b[31m"), 1, 1, NULL };
	sm_line lines[8];
	model_fix f;
	ag_verdict v;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(lines); i++)
		lines[i] = line;
	model_open(&f, "self", lines, AG_NELEM(lines));
	v = asked(&f, AG_GATE_OBSERVATION);
	assert_int_equal(v.kind, AG_FAIL);
	assert_float_equal(v.score, 0, 0);
	assert_true(ag_str_starts(v.reason, AG_S("unparseable")));
	assert_has(v.reason, "not json at all [31m");
	assert_true(v.critique.len > 0);
	assert_str(v.evaluated_by, "self:small-1");
	assert_int_equal(f.model.nasked, 2);
	assert_int_equal(asked(&f, AG_GATE_ACTION).kind, AG_FAIL);
	v = asked(&f, AG_GATE_RUN);
	assert_int_equal(v.kind, AG_WARN);
	assert_float_equal(v.score, 0.5, 0);
	assert_str(v.critique, "");
	f.e.malformed[AG_GATE_OBSERVATION] = AG_MALFORMED_PASS;
	v = asked(&f, AG_GATE_OBSERVATION);
	assert_int_equal(v.kind, AG_PASS);
	assert_true(ag_str_starts(v.reason, AG_S("unparseable")));
	assert_int_equal(f.model.nasked, 8);
	model_close(&f);
}

static void a_long_unreadable_answer_is_quoted_in_part(void **state)
{
	ag_buf text = AG_BUF_INIT(1 << 20);
	sm_line lines[2];
	model_fix f;
	ag_verdict v;

	(void)state;
	ag_buf_addc(&text, 'x');
	for (int i = 0; i < 20000; i++)
		ag_buf_adds(&text, "\xE2\x82\xAC");
	lines[0] = lines[1] = (sm_line){ ag_buf_view(&text), 1, 1, NULL };
	model_open(&f, "self", lines, 2);
	v = asked(&f, AG_GATE_OBSERVATION);
	assert_has(v.reason, "x\xE2\x82\xAC\xE2\x82\xAC");
	assert_true(v.reason.len < 400);
	/* 199 bytes: the last whole character before 200. */
	assert_true(ag_str_ends(v.reason, AG_S("\xE2\x82\xAC")));
	assert_true(f.model.requests[1].len < 20000);
	ag_buf_release(&text);
	model_close(&f);
}

static void what_ends_an_answer_is_told(void **state)
{
	static const sm_line lines[] = {
		{ AG_S_INIT("{\"verdict\":\"pass\",\"sco"), 1, 1, "length" },
		{ AG_S_INIT("I will not."), 1, 1, "content_filter" },
		{ AG_S_INIT(""), 1, 1, NULL },
		{ AG_S_INIT(GOOD), 1, 1, NULL },
	};
	model_fix f;
	ag_verdict v;

	(void)state;
	model_open(&f, "self", lines, AG_NELEM(lines));
	v = asked(&f, AG_GATE_OBSERVATION);
	assert_int_equal(v.kind, AG_FAIL);
	assert_has(f.model.requests[1], "cut off");
	assert_has(v.reason, "refused");
	/* A server refuses a message without content, so nothing is told as a word. */
	assert_int_equal(asked(&f, AG_GATE_OBSERVATION).kind, AG_PASS);
	assert_has(f.model.requests[3], "(nothing)");
	model_close(&f);
}

static void failures_of_the_model_are_errors(void **state)
{
	static const sm_line lines[] = { { AG_S_INIT("no"), 1, 1, NULL } };
	ag_verdict v = { .score = 42 };
	model_fix f;

	(void)state;
	/* The second question meets nobody. */
	model_open(&f, "self", lines, 1);
	assert_int_equal(ask(&f, AG_GATE_OBSERVATION, &v), AG_UNAVAILABLE);
	assert_int_equal(ask(&f, AG_GATE_OBSERVATION, &v), AG_UNAVAILABLE);
	assert_float_equal(v.score, 42, 0);
	model_close(&f);
	/* The budget refuses: nothing is sent. */
	model_open(&f, "self", lines, 1);
	ag_llm_meter_init(&f.meter, f.arena, 10, 0);
	assert_int_equal(ask(&f, AG_GATE_OBSERVATION, &v), AG_LIMIT);
	assert_true(f.meter.exhausted);
	assert_int_equal(f.model.nasked, 0);
	model_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_read_without_mercy),
		cmocka_unit_test(cut_answers_are_malformed),
		cmocka_unit_test(huge_answers_have_limits),
		cmocka_unit_test(the_schema_has_what_is_read),
		cmocka_unit_test(a_model_is_asked_once_for_a_verdict),
		cmocka_unit_test(thresholds_bite),
		cmocka_unit_test(an_unreadable_answer_is_asked_for_once_more),
		cmocka_unit_test(garbage_counts_by_policy),
		cmocka_unit_test(a_long_unreadable_answer_is_quoted_in_part),
		cmocka_unit_test(what_ends_an_answer_is_told),
		cmocka_unit_test(failures_of_the_model_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
