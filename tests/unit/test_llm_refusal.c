/* One call against scripted answers: what a server refuses and is learnt, what the meter and the breaker are told, and
 * that keys stay out of messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"
#include "llm/hub.h"
#include "llm/retry.h"
#include "llm_bench.h"

/* --- what a server refuses ----------------------------------------------------------------------- */

#define SCHEMA      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}}}"
#define JSON_ANSWER SSE_TEXT("{\\\"a\\\":1}") SSE_STOP("stop") SSE_DONE

static void ways_to_json_are_tried_downwards(void **state)
{
	BENCH(b, { 400, ERROR("response_format json_schema is not supported") },
	      { 400, ERROR("tool_choice is not supported") }, { 200, JSON_ANSWER },
	      { 200, JSON_ANSWER });

	b.request.format_name = AG_S("act");
	b.request.format_schema = AG_S(SCHEMA);
	b.model.attempts = 1; /* they cost no attempt */
	assert_int_equal(ask(&b), AG_OK);
	assert_text(b.reply.json, "{\"a\":1}");
	assert_non_null(strstr(b.script.seen[0], "json_schema"));
	assert_non_null(strstr(b.script.seen[1], "tool_choice"));
	assert_null(strstr(b.script.seen[2], "tool_choice"));
	assert_int_equal(b.reply.attempts, 3);
	/* Another handle of the hub knows it. */
	ag_llm_close(b.llm);
	assert_int_equal(open_it(&b), AG_OK);
	assert_int_equal(ask(&b), AG_OK);
	assert_string_equal(b.script.seen[3], b.script.seen[2]);
	assert_int_equal(b.reply.attempts, 1);
	teardown(&b);
}

static void a_400_without_reason_is_tried_once_and_kept_when_it_helps(void **state)
{
	BENCH(b, { 400, ERROR("Bad Request") }, { 400, ERROR("Bad Request") },
	      { 400, ERROR("Bad Request") }, { 200, JSON_ANSWER }, { 200, JSON_ANSWER });

	b.request.format_name = AG_S("act");
	b.request.format_schema = AG_S(SCHEMA);
	assert_int_equal(ask(&b), AG_INVALID);
	assert_int_equal(b.script.at, 2);
	assert_int_equal(ask(&b), AG_OK); /* begins with the strongest again */
	assert_string_equal(b.script.seen[2], b.script.seen[0]);
	assert_int_equal(ask(&b), AG_OK);
	assert_string_equal(b.script.seen[4], b.script.seen[3]);
	teardown(&b);
}

static void a_chosen_way_is_kept(void **state)
{
	BENCH(b, { 400, ERROR("response_format json_schema is not supported") });

	b.request.format_name = AG_S("act");
	b.request.format_schema = AG_S(SCHEMA);
	b.model.structured = AG_LLM_STRUCTURED_SCHEMA;
	assert_int_equal(ask(&b), AG_INVALID);
	assert_int_equal(b.script.at, 1);
	teardown(&b);
}

/* --- tools --- */

static const ag_llm_tool some_tools[] = {
	{ AG_S_INIT("read_file"), AG_S_INIT("Reads a file."), AG_S_INIT(SCHEMA), false },
};

#define CALL_IN_TEXT                                            \
	SSE_TEXT("<tool_call>{\\\"name\\\":\\\"read_file\\\",") \
	SSE_TEXT("\\\"arguments\\\":{\\\"a\\\":1}}</tool_call>") SSE_STOP("stop") SSE_DONE

/* As the servers say it. */
static void tools_that_are_refused_are_described_in_words(void **state)
{
	static const llm_step refusals[] = {
		{ 400, ERROR("registry.ollama.ai/library/gemma:2b does not support tools") },
		{ 500, "{\"error\":{\"code\":500,\"message\":\"tools param requires --jinja flag\","
		       "\"type\":\"server_error\"}}" },
		{ 400, ERROR("\\\"auto\\\" tool choice requires --enable-auto-tool-choice and "
		             "--tool-call-parser to be set") },
		{ 404, ERROR("No endpoints found that support tool use.") },
		{ 400, ERROR("deepseek-reasoner does not support Function Calling") },
		{ 422, "{\"detail\":[{\"loc\":[\"body\",\"tools\"],\"msg\":\"Extra inputs are not "
		       "permitted\"}]}" },
		{ 501, ERROR("Tool calls are not available here") },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(refusals); i++) {
		const llm_step steps[] = { refusals[i], { 200, CALL_IN_TEXT }, { 200, HELLO } };
		bench b;

		setup(&b, steps, AG_NELEM(steps));
		b.request.tools = some_tools;
		b.request.ntool = 1;
		b.model.attempts = 1; /* it costs no attempt */
		assert_int_equal(ask(&b), AG_OK);
		assert_non_null(strstr(b.script.seen[0], "\"tools\":["));
		assert_null(strstr(b.script.seen[1], "\"tools\""));
		assert_non_null(strstr(b.script.seen[1], "<tool_call>"));
		assert_non_null(strstr(b.script.seen[1], "Reads a file."));
		assert_int_equal(b.reply.npart, 1);
		assert_int_equal(b.reply.parts[0].type, AG_LLM_TOOL_CALL);
		assert_text(b.reply.parts[0].input, "{\"a\":1}");
		assert_text(b.reply.text, "");
		assert_int_equal(b.reply.stop, AG_LLM_STOP_TOOLS);
		/* Remembered by the process, for the origin and the model. */
		ag_llm_close(b.llm);
		assert_int_equal(open_it(&b), AG_OK);
		assert_int_equal(ask(&b), AG_OK);
		assert_null(strstr(b.script.seen[2], "\"tools\""));
		teardown(&b);
	}
}

static void tools_in_words_or_natively_by_setting(void **state)
{
	BENCH(b, { 400, ERROR("this model does not support tools") }, { 200, CALL_IN_TEXT });

	b.request.tools = some_tools;
	b.request.ntool = 1;
	b.model.tools = AG_LLM_TOOLS_NATIVE;
	assert_int_equal(ask(&b), AG_INVALID);
	assert_int_equal(b.script.at, 1);
	ag_llm_close(b.llm);
	b.model.tools = AG_LLM_TOOLS_TEXT;
	assert_int_equal(open_it(&b), AG_OK);
	assert_int_equal(ask(&b), AG_OK);
	assert_null(strstr(b.script.seen[1], "\"tools\""));
	assert_int_equal(b.reply.npart, 1);
	teardown(&b);
}

/* Other complaints about tools stay what they are. */
static void a_bad_request_is_no_refusal_of_tools(void **state)
{
	BENCH(b, { 400, ERROR("Invalid schema for function 'read_file'") });

	b.request.tools = some_tools;
	b.request.ntool = 1;
	assert_int_equal(ask(&b), AG_INVALID);
	assert_int_equal(b.script.at, 1);
	teardown(&b);
}

static void streaming_that_is_refused_is_left_out(void **state)
{
	BENCH(b, { 400, ERROR("streaming is not supported") },
	      { 200,
	        "{\"choices\":[{\"message\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}" });

	assert_int_equal(ask(&b), AG_OK);
	assert_non_null(strstr(b.script.seen[0], "\"stream\":true"));
	assert_non_null(strstr(b.script.seen[1], "\"stream\":false"));
	assert_text(b.reply.text, "Hi");
	teardown(&b);
}

static void thinking_is_switched_off(void **state)
{
	BENCH(b, { 200, HELLO }, { 400, ERROR("unknown field chat_template_kwargs") },
	      { 200, HELLO }, { 200, HELLO });
	static const ag_llm_part system = { .type = AG_LLM_TEXT, .text = AG_S_INIT("Be brief.") };

	b.request.system = &system;
	b.request.nsystem = 1;
	b.model.model = AG_S("Qwen3-8B");
	b.model.thinking = AG_LLM_THINKING_OFF;
	b.model.thinking_tokens = 4096;
	assert_int_equal(ask(&b), AG_OK);
	assert_non_null(
		strstr(b.script.seen[0], "\"chat_template_kwargs\":{\"enable_thinking\":false}"));
	assert_non_null(strstr(b.script.seen[0], "\"content\":\"Be brief.\\n\\n/no_think\""));
	/* A server that refuses the member is asked without it. */
	assert_int_equal(ask(&b), AG_OK);
	assert_null(strstr(b.script.seen[2], "chat_template_kwargs"));
	assert_non_null(strstr(b.script.seen[2], "/no_think"));
	ag_llm_close(b.llm);
	b.model.model = AG_S("llama-3");
	b.model.thinking = AG_LLM_THINKING_AUTO;
	assert_int_equal(open_it(&b), AG_OK);
	assert_int_equal(ask(&b), AG_OK);
	assert_null(strstr(b.script.seen[3], "chat_template_kwargs"));
	assert_null(strstr(b.script.seen[3], "/no_think"));
	teardown(&b);
}

static void further_members_are_merged(void **state)
{
	BENCH(b, { 200, HELLO });

	b.model.temperature = 0.2;
	b.model.extra_body = AG_S(" {\"top_k\": 20, \"temperature\": 0.5, \"a\": {\"b\": [1]}} ");
	assert_int_equal(ask(&b), AG_OK);
	assert_non_null(
		strstr(b.script.seen[0], ",\"top_k\":20,\"temperature\":0.5,\"a\":{\"b\": [1]}}"));
	assert_null(strstr(b.script.seen[0], "0.2"));
	assert_non_null(strstr(b.script.seen[0], "\"model\":"));
	teardown(&b);
}

static void further_members_that_are_refused(void **state)
{
	static const struct {
		const char *extra, *message;
	} cases[] = {
		{ "{\"model\": \"x\"}", "extra_body must not set \"model\"" },
		{ "{\"messages\": []}", "extra_body must not set \"messages\"" },
		{ "{\"stream\": false}", "extra_body must not set \"stream\"" },
		{ "{\"\\u0073tream\": false}", "extra_body must not set \"stream\"" },
		{ "{\"max_tokens\": 1}", "extra_body must not set \"max_tokens\"" },
		{ "[1]", "extra_body: want a JSON object, got array" },
		{ "{a: 1}", "extra_body is not JSON" },
		{ "{\"a\": 1, \"a\": 2}", "extra_body is not JSON" },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const llm_step steps[] = { { 200, HELLO } };
		bench b;

		setup(&b, steps, 1);
		b.model.extra_body = ag_str_c(cases[i].extra);
		assert_int_equal(open_it(&b), AG_INVALID);
		if (!strstr(b.err.msg, cases[i].message))
			fail_msg("%s: %s", cases[i].extra, b.err.msg);
		teardown(&b);
	}
}

static void members_that_are_refused_are_left_out(void **state)
{
	BENCH(b, { 400, ERROR("Unsupported value: 'temperature' does not support 0.2") },
	      { 400, ERROR("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.") },
	      { 422,
	        "{\"detail\":[{\"loc\":[\"body\",\"stream_options\"],\"msg\":\"Extra inputs are "
	        "not permitted\"}]}" },
	      { 200, HELLO }, { 200, HELLO });

	b.model.temperature = 0.2;
	b.model.model = AG_S("local-model");
	assert_int_equal(ask(&b), AG_OK);
	assert_non_null(strstr(b.script.seen[0], "\"temperature\""));
	assert_null(strstr(b.script.seen[1], "\"temperature\""));
	assert_non_null(strstr(b.script.seen[1], "\"max_tokens\""));
	assert_null(strstr(b.script.seen[2], "\"max_tokens\""));
	assert_non_null(strstr(b.script.seen[2], "\"max_completion_tokens\""));
	assert_non_null(strstr(b.script.seen[2], "stream_options"));
	assert_null(strstr(b.script.seen[3], "stream_options"));
	assert_int_equal(ask(&b), AG_OK);
	assert_string_equal(b.script.seen[4], b.script.seen[3]);
	teardown(&b);
}

/* --- the meter ----------------------------------------------------------------------------------- */

static void all_that_was_sent_is_charged(void **state)
{
	BENCH(b, { 500, ERROR("oops") }, { 200, SSE_TEXT("He") }, { 200, HELLO });
	ag_llm_meter meter;

	ag_llm_meter_init(&meter, b.arena, 0, 0);
	b.request.meter = &meter;
	assert_int_equal(ask(&b), AG_OK);
	assert_int_equal(meter.calls, 3);
	assert_int_equal(meter.npending, 2);
	/* The cut one: its input is estimated, and it covers the failed one before. */
	assert_true(meter.pending[0].usage.is_estimated);
	assert_in_range(meter.pending[0].usage.input_tokens, 20, 100);
	assert_int_equal(meter.pending[0].usage.output_tokens, 1);
	assert_int_equal(meter.pending[0].attempts, 2);
	assert_false(meter.pending[0].ok);
	assert_int_equal(meter.pending[1].usage.input_tokens, 100);
	assert_int_equal(meter.pending[1].attempts, 1);
	assert_true(meter.pending[1].ok);
	assert_true(meter.pending[1].is_priced);
	assert_true(meter.pending[1].usd == (100 * 2.5 + 20 * 10) / 1e6);
	assert_text(meter.pending[1].purpose, "planner");
	assert_text(meter.pending[1].name, "main");
	assert_text(meter.pending[1].model, "gpt-4o");
	assert_text(meter.pending[1].provider, "openai");
	teardown(&b);
}

static void a_failed_call_is_counted(void **state)
{
	BENCH(b, { 401, ERROR("no") });
	ag_llm_meter meter;

	ag_llm_meter_init(&meter, b.arena, 0, 0);
	b.request.meter = &meter;
	assert_int_equal(ask(&b), AG_DENIED);
	assert_int_equal(meter.calls, 1);
	assert_int_equal(meter.input_tokens, 0);
	assert_false(meter.pending[0].ok);
	teardown(&b);
}

static void pass_deadline(void *arg, size_t step)
{
	(void)step;
	((bench *)arg)->now += 20;
}

/* A request that went out whole and was not answered in time is a call, and its input is paid for. */
static void an_unanswered_request_is_charged(void **state)
{
	static const struct {
		ag_status st;
		bool is_sent;
	} rows[] = { { AG_TIMEOUT, true }, { AG_CANCELLED, true }, { AG_TIMEOUT, false } };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		const llm_step step = { .fail = rows[i].st,
			                .is_sent = rows[i].is_sent,
			                .message = "the time limit was reached" };
		ag_llm_meter meter;
		bench b;

		setup(&b, &step, 1);
		ag_llm_meter_init(&meter, b.arena, 0, 0);
		b.request.meter = &meter;
		b.ctx.clock = &b.clock;
		b.ctx.deadline_ms = b.now + 10;
		b.script.before = pass_deadline;
		b.script.arg = &b;
		assert_int_equal(ask(&b), rows[i].st);
		if (rows[i].st == AG_TIMEOUT)
			assert_says(b.err.msg, rows[i].is_sent
			                               ? "api.example.com: the time limit was "
			                                 "reached (1 attempt)"
			                               : "api.example.com: the time limit was "
			                                 "reached");
		assert_int_equal(meter.calls, rows[i].is_sent);
		assert_int_equal(b.reply.attempts, rows[i].is_sent);
		assert_int_equal(meter.output_tokens, 0);
		if (rows[i].is_sent) {
			assert_in_range(meter.input_tokens, 10, 200);
			assert_true(meter.pending[0].usage.is_estimated);
			assert_false(meter.pending[0].ok);
		} else {
			assert_int_equal(meter.input_tokens, 0);
		}
		teardown(&b);
	}
}

/* A server that counts next to nothing does not keep a budget open: a quarter of the estimate is taken. */
static void a_server_that_counts_too_little(void **state)
{
	static const char answer[] = SSE_TEXT("Hello, world") SSE_STOP("stop") SSE_USAGE(1, 0)
		SSE_DONE;
	char text[8000];
	const ag_llm_part part = { .type = AG_LLM_TEXT, .text = { text, sizeof(text) } };
	const ag_llm_message message = { AG_LLM_USER, &part, 1 };
	llm_step steps[30];
	ag_llm_meter meter;
	uint64_t ncall = 0;
	bench b;

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < AG_NELEM(steps); i++)
		steps[i] = (llm_step){ 200, answer };
	setup(&b, steps, AG_NELEM(steps));
	b.request.on_delta = NULL;
	b.request.messages = &message;
	ag_llm_meter_init(&meter, b.arena, 10000, 0);
	b.request.meter = &meter;
	while (!ask(&b)) {
		ncall++;
		assert_int_equal(b.reply.usage.input_tokens, 1);
		assert_int_equal(b.reply.usage.output_tokens, 3); /* it came: 0 is no count */
		assert_true(b.reply.usage.is_estimated);
	}
	assert_int_equal(b.err.status, AG_LIMIT);
	/* 500 + 3 each; the next one may be 2,000 + 64. */
	assert_int_equal(ncall, 16);
	assert_int_equal(meter.input_tokens, ncall);
	assert_int_equal(meter.doubted_tokens, 499 * ncall);
	assert_int_equal(meter.pending[0].doubted_tokens, 499);
	assert_true(meter.pending[0].doubted_usd > 0.001 && meter.pending[0].doubted_usd < 0.0013);
	teardown(&b);
}

static void a_budget_ends_the_retries(void **state)
{
	BENCH(b, { 200, SSE_TEXT("He") }, { 200, HELLO });
	ag_llm_meter meter;

	ag_llm_meter_init(&meter, b.arena, 100, 0);
	b.request.meter = &meter;
	assert_int_equal(ask(&b), AG_LIMIT);
	assert_true(meter.exhausted);
	assert_int_equal(b.script.at, 1);
	/* The first answer was shortened to what is left. */
	assert_null(strstr(b.script.seen[0], "4096"));
	assert_says(b.err.msg, "budget of 100 tokens");
	teardown(&b);
}

static void nothing_is_sent_without_budget(void **state)
{
	BENCH(b, { 200, HELLO });
	ag_llm_meter meter;

	ag_llm_meter_init(&meter, b.arena, 0, 0.00001);
	b.request.meter = &meter;
	assert_int_equal(ask(&b), AG_LIMIT);
	assert_int_equal(b.script.at, 0);
	assert_int_equal(meter.calls, 0);
	teardown(&b);
}

/* Without a price of its own: a proxy on this machine still pays for a model that the table knows. */
static void a_local_model_costs_nothing(void **state)
{
	BENCH(b, { 200, HELLO }, { 200, HELLO }, { 200, HELLO });
	ag_llm_meter meter;

	ag_llm_meter_init(&meter, b.arena, 0, 0.5);
	b.request.meter = &meter;
	b.model.base_url = AG_S("http://127.0.0.1:8080/v1");
	b.model.model = AG_S("whatever");
	assert_int_equal(ask(&b), AG_OK);
	assert_true(meter.usd == 0);
	assert_true(meter.pending[0].is_priced);
	ag_llm_close(b.llm);
	b.model.model = AG_S("gpt-4o");
	assert_int_equal(open_it(&b), AG_OK);
	assert_int_equal(ask(&b), AG_OK);
	assert_true(meter.usd == (100 * 2.5 + 20 * 10) / 1e6);
	ag_llm_close(b.llm);
	b.model.input_price = 0;
	b.model.output_price = 1;
	assert_int_equal(open_it(&b), AG_OK);
	assert_int_equal(ask(&b), AG_OK);
	assert_true(meter.pending[2].usd == 20 / 1e6);
	teardown(&b);
}

static void an_unknown_price_is_no_price(void **state)
{
	BENCH(b, { 200, HELLO }, { 200, HELLO });
	ag_llm_meter meter;

	ag_llm_meter_init(&meter, b.arena, 0, 0);
	b.request.meter = &meter;
	b.model.model = AG_S("nobody-knows-1");
	assert_int_equal(ask(&b), AG_OK);
	assert_int_equal(ask(&b), AG_OK);
	assert_int_equal(meter.input_tokens, 200);
	assert_true(meter.usd == 0);
	assert_false(meter.pending[0].is_priced);
	teardown(&b);
}

/* --- keys ---------------------------------------------------------------------------------------- */

/* The longest piece of the key that a text holds. */
static size_t leak(const char *text)
{
	size_t best = 0;

	for (size_t i = 0; i < sizeof(LLM_KEY) - 1; i++) {
		for (size_t n = 1; i + n < sizeof(LLM_KEY); n++) {
			char piece[sizeof(LLM_KEY)];

			memcpy(piece, &LLM_KEY[i], n);
			piece[n] = '\0';
			if (strstr(text, piece) && n > best)
				best = n;
		}
	}
	return best;
}

static void a_key_is_in_no_message(void **state)
{
	static const char *const bodies[] = {
		ERROR("Incorrect API key provided: " LLM_KEY),
		ERROR("bad header Authorization: Bearer " LLM_KEY " was sent"),
		ERROR("the key ends in q81xkTT012345678"),
		"plain text with " LLM_KEY " in it",
		ERROR("x" LLM_KEY LLM_KEY "y"),
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(bodies); i++) {
		const llm_step steps[] = { { 401, bodies[i] },
			                   { 0, .fail = AG_PROTOCOL, .message = bodies[i] },
			                   { 307, bodies[i], .location = "https://h/" LLM_KEY } };
		bench b;

		setup(&b, steps, 3);
		for (size_t k = 0; k < 3; k++) {
			assert_int_not_equal(ask(&b), AG_OK);
			if (leak(b.err.msg) >= 8 || leak(b.err.hint) >= 8)
				fail_msg("%s / %s", b.err.msg, b.err.hint);
		}
		teardown(&b);
	}
}

/* What a model says goes into logs, reports and the prompts of other models. */
static void a_key_is_in_no_answer(void **state)
{
	static const char whole[] = "{\"model\":\"m-" LLM_KEY
				    "\",\"choices\":[{\"message\":{\"content\":\"it is " LLM_KEY
				    ", yes\",\"reasoning_content\":\"" LLM_KEY
				    "\",\"tool_calls\":[{\"id\":\"" LLM_KEY
				    "\",\"function\":{\"name\":\"n" LLM_KEY
				    "\",\"arguments\":\"{\\\"a\\\":\\\"" LLM_KEY
				    "\\\"}\"}}]},\"finish_reason\":\"stop\"}]}";
	BENCH(b, { 200, whole });

	b.request.on_delta = NULL;
	assert_int_equal(ask(&b), AG_OK);
	assert_text(b.reply.text, "it is [redacted], yes");
	assert_text(b.reply.model, "m-[redacted]");
	assert_int_equal(b.reply.npart, 3);
	for (size_t i = 0; i < b.reply.npart; i++) {
		const ag_llm_part *p = &b.reply.parts[i];
		const ag_str texts[] = { p->text, p->id, p->name, p->input };

		for (size_t k = 0; k < AG_NELEM(texts); k++)
			assert_false(ag_str_contains(texts[k], AG_S(LLM_KEY)));
		if (p->type == AG_LLM_TOOL_CALL)
			assert_text(p->input, "{\"a\":\"[redacted]\"}");
	}
	teardown(&b);
}

static void a_key_with_a_line_break_is_refused(void **state)
{
	static const char *const keys[] = { "sk-abcdefgh\r\nX-Evil: 1", "sk-abcdefgh\n",
		                            "sk abcdefgh",
		                            "sk-\x01"
		                            "abcdefgh",
		                            "sk-\xc3\xa4"
		                            "abcdefgh" };

	for (size_t i = 0; i < AG_NELEM(keys); i++) {
		BENCH(b, { 200, HELLO });

		b.model.key = ag_str_c(keys[i]);
		assert_int_equal(open_it(&b), AG_INVALID);
		assert_says(b.err.msg, "key of model \"main\"");
		assert_null(strstr(b.err.msg, "abcdefgh"));
		teardown(&b);
	}
}

static void models_that_cannot_be_opened(void **state)
{
	BENCH(b, { 200, HELLO });

	b.model.provider = AG_S("opnai");
	assert_int_equal(open_it(&b), AG_INVALID);
	assert_says(b.err.hint, "openai");
	b.model = llm_model();
	b.model.base_url = AG_S("ftp://host");
	assert_int_equal(open_it(&b), AG_INVALID);
	assert_says(b.err.msg, "base_url of model \"main\"");
	b.model.base_url = AG_S("https://user:secretword@host/v1");
	assert_int_equal(open_it(&b), AG_INVALID);
	assert_null(strstr(b.err.msg, "secretword"));
	teardown(&b);
}

/* --- breaker ------------------------------------------------------------------------------------- */

static void a_broken_server_is_left_alone(void **state)
{
	llm_step steps[7];
	bench b;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		steps[i] = (llm_step){ .status = 503, .body = ERROR("down") };
	steps[6] = (llm_step){ .status = 200, .body = HELLO };
	setup(&b, steps, 7);
	b.model.attempts = 5;
	assert_int_equal(ask(&b), AG_UNAVAILABLE);
	assert_int_equal(b.script.at, 5);
	assert_int_equal(ask(&b), AG_UNAVAILABLE); /* open: nothing is sent */
	assert_int_equal(b.script.at, 5);
	assert_says(b.err.msg, "nothing is sent to it for another 30 s");
	b.now += 30000;
	assert_int_equal(ask(&b), AG_UNAVAILABLE); /* the probe fails */
	assert_int_equal(b.script.at, 6);
	assert_says(b.err.msg, "down; ");
	assert_says(b.err.msg, "nothing is sent");
	assert_int_equal(b.err.native, 503);
	b.now += 30000;
	assert_int_equal(ask(&b), AG_OK);
	assert_int_equal(ag_breaker_state_of(&b.llm->origin->breaker), AG_BREAKER_CLOSED);
	teardown(&b);
}

static void client_errors_do_not_open_it(void **state)
{
	llm_step steps[12];
	bench b;

	(void)state;
	for (size_t i = 0; i < 12; i++)
		steps[i] = (llm_step){ .status = 429, .body = ERROR("slow down") };
	setup(&b, steps, 12);
	b.model.attempts = 12;
	assert_int_equal(ask(&b), AG_UNAVAILABLE);
	assert_int_equal(b.script.at, 12);
	teardown(&b);
}

/* --- ping ---------------------------------------------------------------------------------------- */

static void a_ping_reads_the_list(void **state)
{
	BENCH(b, { 200, "{\"data\":[{\"id\":\"gpt-4o-mini\"},{\"id\":\"gpt-4o\"}]}" },
	      { 200, "{\"data\":[{\"id\":\"gpt-4\"}]}" }, { 404, "" },
	      { 401, ERROR("bad key " LLM_KEY) }, { 200, "{\"models\":[{\"name\":\"x/gpt-4o\"}]}" },
	      { 200, "\n<!DOCTYPE html><html><title>Log in</title></html>" }, { 200, " \n" });
	ag_llm_ping p;

	assert_int_equal(open_it(&b), AG_OK);
	assert_int_equal(ag_llm_ping_model(b.llm, &b.ctx, b.arena, &p, &b.err), AG_OK);
	assert_true(p.lists_models && p.has_model);
	assert_int_equal(p.nmodel, 2);
	assert_int_equal(ag_llm_ping_model(b.llm, &b.ctx, b.arena, &p, &b.err), AG_OK);
	assert_true(p.lists_models && !p.has_model);
	assert_text(p.nearest, "gpt-4");
	assert_int_equal(ag_llm_ping_model(b.llm, &b.ctx, b.arena, &p, &b.err), AG_OK);
	assert_false(p.lists_models);
	assert_int_equal(ag_llm_ping_model(b.llm, &b.ctx, b.arena, &p, &b.err), AG_DENIED);
	assert_true(leak(b.err.msg) < 8);
	assert_int_equal(ag_llm_ping_model(b.llm, &b.ctx, b.arena, &p, &b.err), AG_OK);
	assert_true(p.has_model);
	assert_int_equal(ag_llm_ping_model(b.llm, &b.ctx, b.arena, &p, &b.err), AG_PROTOCOL);
	assert_says(b.err.msg, "web page");
	assert_says(b.err.hint, "base_url");
	assert_int_equal(ag_llm_ping_model(b.llm, &b.ctx, b.arena, &p, &b.err), AG_PROTOCOL);
	assert_says(b.err.msg, "api.example.com gave an empty answer (HTTP 200)");
	assert_says(b.err.hint, "base_url");
	teardown(&b);
}

static void progress_counts_tokens(void **state)
{
	BENCH(b, { 200, HELLO });
	ag_progress progress = { .phase = NULL };

	b.ctx.progress = &progress;
	assert_int_equal(ask(&b), AG_OK);
	assert_string_equal(atomic_load(&progress.phase), "asking the model");
	assert_int_equal(atomic_load(&progress.done), 1);
	teardown(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ways_to_json_are_tried_downwards),
		cmocka_unit_test(a_400_without_reason_is_tried_once_and_kept_when_it_helps),
		cmocka_unit_test(a_chosen_way_is_kept),
		cmocka_unit_test(tools_that_are_refused_are_described_in_words),
		cmocka_unit_test(tools_in_words_or_natively_by_setting),
		cmocka_unit_test(a_bad_request_is_no_refusal_of_tools),
		cmocka_unit_test(streaming_that_is_refused_is_left_out),
		cmocka_unit_test(thinking_is_switched_off),
		cmocka_unit_test(further_members_are_merged),
		cmocka_unit_test(further_members_that_are_refused),
		cmocka_unit_test(members_that_are_refused_are_left_out),
		cmocka_unit_test(all_that_was_sent_is_charged),
		cmocka_unit_test(a_failed_call_is_counted),
		cmocka_unit_test(an_unanswered_request_is_charged),
		cmocka_unit_test(a_server_that_counts_too_little),
		cmocka_unit_test(a_budget_ends_the_retries),
		cmocka_unit_test(nothing_is_sent_without_budget),
		cmocka_unit_test(a_local_model_costs_nothing),
		cmocka_unit_test(an_unknown_price_is_no_price),
		cmocka_unit_test(a_key_is_in_no_message),
		cmocka_unit_test(a_key_is_in_no_answer),
		cmocka_unit_test(a_key_with_a_line_break_is_refused),
		cmocka_unit_test(models_that_cannot_be_opened),
		cmocka_unit_test(a_broken_server_is_left_alone),
		cmocka_unit_test(client_errors_do_not_open_it),
		cmocka_unit_test(a_ping_reads_the_list),
		cmocka_unit_test(progress_counts_tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
