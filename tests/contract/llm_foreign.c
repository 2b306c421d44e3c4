/* The contract of a model, as far as it can be asked of servers that nobody here wrote:
 *
 * scripted  tests/e2e/aimock.sh starts npm's aimock with tests/aimock/fixtures.json
 * random    tests/e2e/llama_server.sh starts llama-server with random weights: what it says means nothing, how it says it
 *           must hold
 *
 * usage: llm_foreign scripted|random PROVIDER streamed|whole PORT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "llm_fixtures.h"

#include "base/utf8.h"
#include "query/extjson.h"

static const llm_fixture *fixture;
static unsigned port;

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

static int setup(void **state)
{
	llm_env *env = llm_env_new(fixture);

	env->port = port;
	env->model.attempts = 1;
	llm_env_open(env);
	*state = env;
	return 0;
}

static int teardown(void **state)
{
	llm_env_free(*state);
	return 0;
}

static void plain_text_arrives(void **state)
{
	llm_env *env = *state;

	llm_assert_ok(env, llm_env_say(env, "say something plain"));
	llm_assert_text(env->reply.text,
	                "There are 5000 \"customers\": \xc3\xa4, \xf0\x9f\x98\x80.");
	assert_true(ag_str_eq(ag_buf_view(&env->text), env->reply.text));
	assert_int_equal(env->reply.stop, AG_LLM_STOP_END);
	assert_int_equal(env->reply.usage.input_tokens, 120);
	assert_int_equal(env->reply.usage.output_tokens, 34);
}

static void thinking_is_kept_apart(void **state)
{
	llm_env *env = *state;

	llm_assert_ok(env, llm_env_say(env, "think first"));
	llm_assert_text(env->reply.text, "Done.");
	assert_int_equal(env->reply.parts[0].type, AG_LLM_THINKING);
	llm_assert_text(env->reply.parts[0].text, "First the \"schema\", then the nulls.");
}

static void calls_and_results(void **state)
{
	static const ag_llm_tool tools[] = {
		{ AG_S_INIT("run_query"), AG_S_INIT("runs"), AG_S_INIT("{\"type\":\"object\"}") },
		{ AG_S_INIT("finish"), AG_S_INIT("ends"), AG_S_INIT("{\"type\":\"object\"}") },
	};
	llm_env *env = *state;
	const ag_llm_part question = { .type = AG_LLM_TEXT, .text = AG_S("count two things") };
	ag_llm_part results[2] = { 0 };
	ag_llm_message talk[3] = { { AG_LLM_USER, &question, 1 } };
	ag_llm_request r = { .messages = talk, .nmessage = 1, .tools = tools, .ntool = 2 };
	size_t i, n = 0;

	llm_assert_ok(env, llm_env_ask(env, &r));
	assert_int_equal(env->reply.stop, AG_LLM_STOP_TOOLS);
	for (i = 0; i < env->reply.npart; i++) {
		const ag_llm_part *p = &env->reply.parts[i];

		if (p->type != AG_LLM_TOOL_CALL)
			continue;
		assert_true(n < 2 && p->id.len);
		llm_assert_text(
			p->input,
			n ? "{}"
			  : "{\"filter\":{\"email\":null,\"name\":\"\xc3\xa4 \\\"quoted\\\"\"}}");
		results[n++] = (ag_llm_part){
			.type = AG_LLM_TOOL_RESULT, .id = p->id, .name = p->name, .text = AG_S("17")
		};
	}
	assert_int_equal(n, 2);
	talk[1] = (ag_llm_message){ AG_LLM_ASSISTANT, env->reply.parts, env->reply.npart };
	talk[2] = (ag_llm_message){ AG_LLM_USER, results, 2 };
	r.nmessage = 3;
	llm_assert_ok(env, llm_env_ask(env, &r));
	llm_assert_text(env->reply.text, "Both are counted.");
}

static void a_verdict_is_json(void **state)
{
	static const ag_llm_structured ways[] = { AG_LLM_STRUCTURED_AUTO, AG_LLM_STRUCTURED_SCHEMA,
		                                  AG_LLM_STRUCTURED_TOOL,
		                                  AG_LLM_STRUCTURED_PROMPT };
	llm_env *env = *state;
	const ag_llm_part question = { .type = AG_LLM_TEXT, .text = AG_S("give a verdict") };
	const ag_llm_message talk = { AG_LLM_USER, &question, 1 };
	size_t i;

	for (i = 0; i < AG_NELEM(ways); i++) {
		ag_llm_request r = {
			.messages = &talk,
			.nmessage = 1,
			.format_name = AG_S("verdict"),
			.format_schema = AG_S(
				"{\"type\":\"object\",\"properties\":{\"ok\":{\"type\":"
				"\"boolean\"},\"why\":{\"type\":\"string\"}},\"required\":"
				"[\"ok\",\"why\"],\"additionalProperties\":false}"),
		};

		env->model.structured = ways[i];
		llm_env_open(env);
		llm_assert_ok(env, llm_env_ask(env, &r));
		llm_assert_text(env->reply.json, "{\"ok\":true,\"why\":\"a } in it\"}");
	}
}

static void a_rate_limit_is_waited_for(void **state)
{
	llm_env *env = *state;
	int64_t begin = ag_clock_mono(&ag_clock_system);

	env->model.attempts = 2;
	llm_env_open(env);
	llm_assert_ok(env, llm_env_say(env, "you are limited"));
	llm_assert_text(env->reply.text, "Now there is room.");
	assert_int_equal(env->reply.attempts, 2);
	assert_in_range(ag_clock_mono(&ag_clock_system) - begin, 1000, 5000);
}

static void an_overload_is_told(void **state)
{
	llm_env *env = *state;

	env->model.attempts = 3;
	llm_env_open(env);
	assert_int_equal(llm_env_say(env, "you are overloaded"), AG_UNAVAILABLE);
	assert_int_equal(env->err.native, 529);
	assert_int_equal(env->reply.attempts, 3);
	assert_non_null(strstr(env->err.msg, "Overloaded"));
}

static void a_cut_stream_is_tried_again(void **state)
{
	static const char whole[] =
		"this answer is cut long before its end, which nobody sees at first";
	llm_env *env = *state;

	/* Only streams are cut by that server. */
	if (!fixture->is_whole) {
		assert_int_equal(llm_env_say(env, "stop in the middle"), AG_UNAVAILABLE);
		assert_true(env->reply.text.len < strlen(whole));
		assert_true(ag_str_starts(ag_str_c(whole), env->reply.text));
		assert_non_null(strstr(env->err.msg, "1 attempt"));
	}
	env->model.attempts = 2;
	llm_env_open(env);
	llm_assert_ok(env, llm_env_say(env, "stop in the middle"));
	llm_assert_text(env->reply.text, whole);
	assert_int_equal(env->reply.attempts, fixture->is_whole ? 1 : 2);
}

static void its_models_are_listed(void **state)
{
	llm_env *env = *state;
	ag_llm_ping ping = { 0 };

	env->model.model = AG_S("gpt-4o");
	llm_env_open(env);
	llm_assert_ok(env, ag_llm_ping_model(env->llm, &env->ctx, env->arena, &ping, &env->err));
	assert_true(ping.lists_models && ping.has_model && ping.nmodel > 1);
}

/* ---------------------------------------------------------------- random weights */

static void nonsense_arrives(void **state)
{
	llm_env *env = *state;

	env->model.max_output_tokens = 200;
	llm_env_open(env);
	llm_assert_ok(env, llm_env_say(env, "Tell me \xc3\xa4 story."));
	assert_true(env->reply.stop == AG_LLM_STOP_LENGTH || env->reply.stop == AG_LLM_STOP_END);
	assert_true(ag_str_eq(ag_buf_view(&env->text), env->reply.text));
	assert_true(ag_utf8_valid(env->reply.text));
	assert_in_range(env->reply.usage.output_tokens, 1, 200);
	assert_true(env->reply.usage.input_tokens > 0);
	/* Its streams of the other protocol lack message_start, and the input tokens with it. */
	if (!llm_env_is_anthropic(env))
		assert_false(env->reply.usage.is_estimated);
}

/* The schema constrains the sampling: whatever the weights are, the answer fits. */
static void a_schema_is_kept(void **state)
{
	llm_env *env = *state;
	const ag_llm_part question = { .type = AG_LLM_TEXT, .text = AG_S("give a verdict") };
	const ag_llm_message talk = { AG_LLM_USER, &question, 1 };
	const ag_extjson_opts opts = { 0 };
	int i;

	env->model.max_output_tokens = 1000;
	env->model.structured = AG_LLM_STRUCTURED_SCHEMA;
	llm_env_open(env);
	for (i = 0; i < 5; i++) {
		ag_llm_request r = {
			.messages = &talk,
			.nmessage = 1,
			.format_name = AG_S("verdict"),
			.format_schema = AG_S(
				"{\"type\":\"object\",\"properties\":{\"ok\":{\"type\":"
				"\"boolean\"},\"level\":{\"type\":\"string\",\"enum\":[\"low\","
				"\"high\"]}},\"required\":[\"ok\",\"level\"],"
				"\"additionalProperties\":false}"),
		};
		ag_str level;
		ag_val v;

		llm_assert_ok(env, llm_env_ask(env, &r));
		assert_int_equal(env->reply.stop, AG_LLM_STOP_END);
		assert_int_equal(ag_extjson_parse(env->reply.json, &opts, env->arena, &v, NULL,
		                                  NULL, NULL),
		                 AG_OK);
		level = ag_val_member_str(&v, "level");
		assert_true(ag_str_eqc(level, "low") || ag_str_eqc(level, "high"));
		assert_int_equal(ag_val_getc(&v, "ok")->type, AG_T_BOOL);
	}
}

static void its_model_is_listed(void **state)
{
	llm_env *env = *state;
	ag_llm_ping ping = { 0 };

	llm_assert_ok(env, ag_llm_ping_model(env->llm, &env->ctx, env->arena, &ping, &env->err));
	assert_true(ping.lists_models && ping.has_model);
}

static int run_random(void)
{
	const struct CMUnitTest openai[] = { T(nonsense_arrives), T(its_model_is_listed),
		                             T(a_schema_is_kept) };
	const struct CMUnitTest anthropic[] = { T(nonsense_arrives), T(its_model_is_listed) };

	if (strcmp(fixture->provider, "openai") == 0)
		return cmocka_run_group_tests_name(fixture->name, openai, NULL, NULL);
	return cmocka_run_group_tests_name(fixture->name, anthropic, NULL, NULL);
}

static int run_scripted(void)
{
	const struct CMUnitTest tests[] = {
		T(plain_text_arrives),    T(thinking_is_kept_apart),      T(calls_and_results),
		T(a_verdict_is_json),     T(a_rate_limit_is_waited_for),  T(an_overload_is_told),
		T(its_models_are_listed), T(a_cut_stream_is_tried_again),
	};

	return cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
}

int main(int argc, char **argv)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; argc == 5 && i < nllm_fixture; i++)
		if (strcmp(argv[2], llm_fixtures[i].provider) == 0 &&
		    (strcmp(argv[3], "whole") == 0) == llm_fixtures[i].is_whole)
			fixture = &llm_fixtures[i];
	if (!fixture || !ag_str_to_u64(ag_str_c(argv[4]), &n) || n == 0 || n > 65535) {
		fprintf(stderr,
		        "usage: llm_foreign scripted|random PROVIDER streamed|whole PORT\n");
		return 2;
	}
	port = (unsigned)n;
	return strcmp(argv[1], "random") == 0 ? run_random() : run_scripted();
}
