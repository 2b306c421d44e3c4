/* The contract of a model: what a server says arrives, whichever protocol it speaks, streamed or whole. Failures are in
 * test_llm_failures.c. Each case has a server and a hub of its own; the server refuses what real ones refuse, so a
 * request that is out of shape fails here as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "llm_fixtures.h"

#include <xxhash.h>

#include "llm/wire.h"

static const llm_fixture *fixture;

static int setup(void **state)
{
	*state = llm_env_new(fixture);
	return 0;
}

static int teardown(void **state)
{
	llm_env_free(*state);
	return 0;
}

static const ag_llm_part *part_of(const llm_env *env, ag_llm_part_type type, size_t nth)
{
	size_t i;

	for (i = 0; i < env->reply.npart; i++)
		if (env->reply.parts[i].type == type && nth-- == 0)
			return &env->reply.parts[i];
	return NULL;
}

static size_t count_parts(const llm_env *env, ag_llm_part_type type)
{
	size_t i, n = 0;

	for (i = 0; i < env->reply.npart; i++)
		n += env->reply.parts[i].type == type;
	return n;
}

static void plain_text_arrives(void **state)
{
	llm_env *env = *state;

	llm_env_start(env, "answer\n"
	                   "  text \"Gr\\u00fc\\u00dfe,\\n\\ud83d\\ude00 \\\"you\\\"\\u0000.\"\n"
	                   "  model served-model\n"
	                   "  deltas 3\n");
	llm_assert_ok(env, llm_env_say(env, "hello"));
	assert_int_equal(env->reply.text.len, 21);
	assert_memory_equal(env->reply.text.ptr,
	                    "Gr\xc3\xbc\xc3\x9f"
	                    "e,\n\xf0\x9f\x98\x80 \"you\"\0.",
	                    21);
	assert_int_equal(env->reply.npart, 1);
	assert_int_equal(env->reply.parts[0].type, AG_LLM_TEXT);
	assert_int_equal(env->reply.stop, AG_LLM_STOP_END);
	assert_int_equal(env->reply.attempts, 1);
	llm_assert_text(env->reply.model, "served-model");
	assert_true(ag_str_eq(ag_buf_view(&env->text), env->reply.text));
	assert_int_equal(env->nrestart, 0);
	assert_true(env->reply.first_byte_ms >= 0 && env->reply.latency_ms >= 0);
}

static void a_long_answer_arrives(void **state)
{
	llm_env *env = *state;

	llm_env_start(env, "answer\n  filler 3000000\n  deltas 700\n");
	llm_assert_ok(env, llm_env_say(env, "hello"));
	assert_int_equal(env->reply.text.len, 3000000);
	assert_memory_equal(env->reply.text.ptr, "lorem ipsum dolor sit amet lorem", 32);
	assert_true(ag_str_eq(ag_buf_view(&env->text), env->reply.text));
}

static void thinking_is_kept_apart(void **state)
{
	llm_env *env = *state;
	const ag_llm_part *p;

	env->model.thinking_tokens = 2000;
	llm_env_start(env, "answer\n"
	                   "  thinking First the \"schema\".\n"
	                   "  signature c2lnbmVk\n"
	                   "  text Done.\n");
	llm_assert_ok(env, llm_env_say(env, "hello"));
	llm_assert_text(env->reply.text, "Done.");
	p = part_of(env, AG_LLM_THINKING, 0);
	assert_non_null(p);
	llm_assert_text(p->text, "First the \"schema\".");
	if (llm_env_is_anthropic(env))
		llm_assert_text(p->signature, "c2lnbmVk");
	assert_string_equal(env->thinking.ptr, "First the \"schema\".");
	assert_string_equal(env->text.ptr, "Done.");
}

/* ---------------------------------------------------------------- tools */

static const ag_llm_tool tools[] = {
	{ .name = AG_S_INIT("run_query"),
	  .help = AG_S_INIT("runs a query"),
	  .schema = AG_S_INIT(
		  "{\"type\":\"object\",\"properties\":{\"filter\":{\"type\":\"object\"}}}") },
	{ .name = AG_S_INIT("finish"),
	  .help = AG_S_INIT("ends"),
	  .schema = AG_S_INIT("{\"type\":\"object\",\"properties\":{}}") },
};

static const ag_llm_part question = { .type = AG_LLM_TEXT, .text = AG_S_INIT("hello") };
static const ag_llm_message first = { .role = AG_LLM_USER, .parts = &question, .npart = 1 };

static ag_llm_request tool_request(void)
{
	return (ag_llm_request){ .messages = &first, .nmessage = 1, .tools = tools, .ntool = 2 };
}

/* Two calls, their results, and the answer: the server checks that each call has its result. */
static void calls_and_results(llm_env *env)
{
	ag_llm_request r = tool_request();
	ag_llm_part results[4] = { 0 };
	ag_llm_message talk[3] = { first };
	size_t i, n = 0;

	llm_assert_ok(env, llm_env_ask(env, &r));
	assert_int_equal(env->reply.stop, AG_LLM_STOP_TOOLS);
	assert_int_equal(count_parts(env, AG_LLM_TOOL_CALL), 3);
	llm_assert_text(part_of(env, AG_LLM_TOOL_CALL, 0)->input,
	                "{\"filter\":{\"e\":\"\\u00e4 \\\"\"}}");
	llm_assert_text(part_of(env, AG_LLM_TOOL_CALL, 1)->input, "{\"filter\": {}, \"n\": 1.50}");
	llm_assert_text(part_of(env, AG_LLM_TOOL_CALL, 2)->input, "{}");
	llm_assert_text(part_of(env, AG_LLM_TOOL_CALL, 2)->name, "finish");
	talk[1] = (ag_llm_message){ AG_LLM_ASSISTANT, env->reply.parts, env->reply.npart };
	for (i = 0; i < env->reply.npart; i++) {
		const ag_llm_part *call = &env->reply.parts[i];

		if (call->type != AG_LLM_TOOL_CALL)
			continue;
		assert_true(call->id.len > 0);
		results[n] = (ag_llm_part){ .type = AG_LLM_TOOL_RESULT,
			                    .id = call->id,
			                    .name = call->name,
			                    .text = n == 0 ? AG_S("") : AG_S("{\"rows\":[]}"),
			                    .is_error = n == 1 };
		n++;
	}
	assert_false(ag_str_eq(results[0].id, results[1].id));
	assert_false(ag_str_eq(results[1].id, results[2].id));
	results[n++] = (ag_llm_part){ .type = AG_LLM_TEXT, .text = AG_S("go on") };
	talk[2] = (ag_llm_message){ AG_LLM_USER, results, n };
	r.messages = talk;
	r.nmessage = 3;
	llm_assert_ok(env, llm_env_ask(env, &r));
	llm_assert_text(env->reply.text, "All three ran.");
	assert_int_equal(env->reply.stop, AG_LLM_STOP_END);
}

static void parallel_calls(llm_env *env, const char *habits)
{
	char script[1200];

	snprintf(script, sizeof(script),
	         "answer\n"
	         "  thinking Three at once.\n"
	         "  text I look.\n"
	         "  tool run_query {\"filter\":{\"e\":\"\\u00e4 \\\"\"}}\n"
	         "  tool run_query {\"filter\": {}, \"n\": 1.50}\n"
	         "  tool finish {}\n"
	         "%s"
	         "answer when last \"go on\"\n"
	         "  text All three ran.\n",
	         habits);
	llm_env_start(env, script);
	calls_and_results(env);
}

static void calls_come_in_pieces(void **state)
{
	parallel_calls(*state, "  tool_parts 1\n");
}

static void calls_take_turns(void **state)
{
	parallel_calls(*state, "  tool_parts 2\n  interleave\n");
}

static void calls_come_whole(void **state)
{
	parallel_calls(*state, "  tool_parts 0\n");
}

static void calls_without_ids(void **state)
{
	parallel_calls(*state, "  no_ids\n");
}

static void calls_without_index(void **state)
{
	parallel_calls(*state, "  no_index\n");
}

/* What the model wrote goes to whoever runs the tool, also when it is no JSON. */
static void broken_arguments_arrive(void **state)
{
	llm_env *env = *state;
	ag_llm_request r = tool_request();

	/* A whole Anthropic answer carries the input as JSON: there it cannot be broken alone. */
	bool whole_json = llm_env_is_anthropic(env) && env->fixture->is_whole;

	llm_env_start(env, whole_json ? "answer\n  tool run_query {}\n  tool_raw finish \"\"\n"
	                              : "answer\n"
	                                "  tool_raw run_query \"{\\\"filter\\\": {\"\n"
	                                "  tool_raw finish \"\"\n");
	llm_assert_ok(env, llm_env_ask(env, &r));
	llm_assert_text(part_of(env, AG_LLM_TOOL_CALL, 0)->input,
	                whole_json ? "{}" : "{\"filter\": {");
	llm_assert_text(part_of(env, AG_LLM_TOOL_CALL, 1)->input, "{}");
}

/* ---------------------------------------------------------------- structured output */

#define SCHEMA                                                                                  \
	"{\"type\":\"object\",\"properties\":{\"ok\":{\"type\":\"boolean\"},\"why\":{\"type\":" \
	"\"string\"}},\"required\":[\"ok\",\"why\"],\"additionalProperties\":false}"

static ag_llm_request format_request(void)
{
	return (ag_llm_request){ .messages = &first,
		                 .nmessage = 1,
		                 .format_name = AG_S("verdict"),
		                 .format_schema = AG_S(SCHEMA) };
}

static void json_in_every_way(void **state)
{
	static const ag_llm_structured ways[] = { AG_LLM_STRUCTURED_AUTO, AG_LLM_STRUCTURED_SCHEMA,
		                                  AG_LLM_STRUCTURED_TOOL,
		                                  AG_LLM_STRUCTURED_PROMPT };
	llm_env *env = *state;
	size_t i;

	for (i = 0; i < AG_NELEM(ways); i++) {
		ag_llm_request r = format_request();

		env->model.structured = ways[i];
		llm_env_start(env,
		              "answer\n  json {\"ok\":true,\"why\":\"a } in \\\"text\\\"\"}\n");
		llm_assert_ok(env, llm_env_ask(env, &r));
		llm_assert_text(env->reply.json, "{\"ok\":true,\"why\":\"a } in \\\"text\\\"\"}");
		assert_int_equal(env->reply.stop, AG_LLM_STOP_END);
	}
}

static void json_between_words(void **state)
{
	llm_env *env = *state;
	ag_llm_request r = format_request();

	env->model.structured = AG_LLM_STRUCTURED_PROMPT;
	llm_env_start(env, "answer\n"
	                   "  text Here it is:\n"
	                   "    ```json\n"
	                   "    {\"ok\": false,\n"
	                   "     \"why\": \"none\"}\n"
	                   "    ```\n"
	                   "    Anything else?\n"
	                   "answer\n"
	                   "  text I would rather not.\n");
	llm_assert_ok(env, llm_env_ask(env, &r));
	llm_assert_text(env->reply.json, "{\"ok\": false,\n \"why\": \"none\"}");
	llm_assert_ok(env, llm_env_ask(env, &r));
	assert_int_equal(env->reply.json.len, 0);
}

/* A server that knows no json_schema (or no forced tool) is asked in a weaker way, and not bothered again. */
static void a_refused_format_is_weakened(void **state)
{
	llm_env *env = *state;
	ag_llm_request r = format_request();
	size_t n;

	llm_env_start(env, "answer repeat when \"json_schema\"\n"
	                   "  status 400\n"
	                   "  error response_format: json_schema is not supported\n"
	                   "answer repeat when \"tool_choice\"\n"
	                   "  status 400\n"
	                   "  error tools: tool_choice is not supported by this model\n"
	                   "answer repeat\n"
	                   "  json {\"ok\":true,\"why\":\"asked in words\"}\n");
	llm_assert_ok(env, llm_env_ask(env, &r));
	llm_assert_text(env->reply.json, "{\"ok\":true,\"why\":\"asked in words\"}");
	n = llm_env_nrequest(env);
	assert_in_range(n, 2, 4);
	llm_assert_ok(env, llm_env_ask(env, &r));
	llm_assert_text(env->reply.json, "{\"ok\":true,\"why\":\"asked in words\"}");
	assert_int_equal(llm_env_nrequest(env), n + 1);
}

/* ---------------------------------------------------------------- usage and ends */

static void usage_is_comparable(void **state)
{
	llm_env *env = *state;
	bool anthropic = llm_env_is_anthropic(env);

	llm_env_start(env,
	              "answer\n  text x\n  usage 1000 200 cached 600 cache_write 100 thinking 50\n"
	              "answer\n  text A text of some length.\n  no_usage\n");
	llm_assert_ok(env, llm_env_say(env, "hello"));
	assert_int_equal(env->reply.usage.input_tokens, 1000);
	assert_int_equal(env->reply.usage.output_tokens, 200);
	assert_int_equal(env->reply.usage.cached_tokens, 600);
	assert_int_equal(env->reply.usage.cache_write_tokens, anthropic ? 100 : 0);
	if (!anthropic)
		assert_int_equal(env->reply.usage.thinking_tokens, 50);
	assert_false(env->reply.usage.is_estimated);
	llm_assert_ok(env, llm_env_say(env, "hello"));
	assert_true(env->reply.usage.is_estimated);
	assert_true(env->reply.usage.input_tokens > 0 && env->reply.usage.output_tokens > 0);
}

static void ends_are_told_apart(void **state)
{
	static const struct {
		const char *words;
		ag_llm_stop stop;
	} ends[] = {
		{ "text x", AG_LLM_STOP_END },
		{ "text x\n  finish length", AG_LLM_STOP_LENGTH },
		{ "text x\n  finish refusal", AG_LLM_STOP_REFUSAL },
		{ "tool finish {}", AG_LLM_STOP_TOOLS },
		{ "text x\n  finish \"sea_monster\"", AG_LLM_STOP_OTHER },
		{ "text x\n  no_finish", AG_LLM_STOP_OTHER },
	};
	llm_env *env = *state;
	size_t i;

	for (i = 0; i < AG_NELEM(ends); i++) {
		ag_llm_request r = tool_request();
		char script[120];

		snprintf(script, sizeof(script), "answer\n  %s\n", ends[i].words);
		llm_env_start(env, script);
		llm_assert_ok(env, llm_env_ask(env, &r));
		if (env->reply.stop != ends[i].stop)
			fail_msg("%s: stop %d, want %d", ends[i].words, env->reply.stop,
			         ends[i].stop);
	}
}

/* ---------------------------------------------------------------- what real servers send */

/* The same answer with one odd habit after the other is the same answer. */
static void odd_habits_are_understood(void **state)
{
	static const char *const habits[] = {
		"crlf",
		"cr",
		"bom",
		"tight",
		"comments",
		"unknown_events",
		"unknown_members",
		"empty_choices",
		"no_done",
		"no_usage",
		"no_last_newline",
		"null_content",
		"absent_content",
		"parts_content",
		"object_arguments",
		"usage_each",
		"close",
		"framing chunked",
		"framing length",
		"framing close",
		"pieces 1",
		"pieces events",
		"deltas 1",
		"deltas 0",
		"crlf\n  comments\n  unknown_events\n  unknown_members\n  pieces 7\n  no_done",
	};
	llm_env *env = *state;
	size_t i;

	for (i = 0; i < AG_NELEM(habits); i++) {
		ag_llm_request r = tool_request();
		char script[400];

		snprintf(script, sizeof(script),
		         "answer\n  thinking Hm.\n  text Some t\xc3\xa4xt.\n"
		         "  tool run_query {\"filter\":{\"a\":1}}\n  %s\n"
		         "answer\n  text Again.\n  %s\n",
		         habits[i], habits[i]);
		llm_env_start(env, script);
		if (llm_env_ask(env, &r))
			fail_msg("%s: %s", habits[i], env->err.msg);
		if (!ag_str_eqc(env->reply.text, "Some t\xc3\xa4xt.") ||
		    count_parts(env, AG_LLM_TOOL_CALL) != 1 || env->reply.attempts != 1 ||
		    !ag_str_eqc(part_of(env, AG_LLM_TOOL_CALL, 0)->input, "{\"filter\":{\"a\":1}}"))
			fail_msg("%s: the answer is another", habits[i]);
		/* On the same connection, where it is kept. */
		if (llm_env_say(env, "again") || !ag_str_eqc(env->reply.text, "Again."))
			fail_msg("%s: the second answer: %s", habits[i], env->err.msg);
	}
}

/* A server that answers whole though a stream was asked for, and the other way round. */
static void the_other_form_is_understood(void **state)
{
	llm_env *env = *state;
	bool anthropic = llm_env_is_anthropic(env), whole = env->fixture->is_whole;

	if (anthropic && whole)
		llm_env_start(
			env,
			"answer\n  header Content-Type: text/event-stream\n  body event: message_start\n"
			"    data: {\"type\":\"message_start\",\"message\":{\"model\":\"m\"}}\n\n"
			"    event: content_block_delta\n"
			"    data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
			"{\"type\":\"text_delta\",\"text\":\"turned\"}}\n\n"
			"    event: message_stop\n    data: {\"type\":\"message_stop\"}\n");
	else if (whole)
		llm_env_start(env, "answer\n  header Content-Type: text/event-stream\n  body data: "
		                   "{\"choices\":[{\"delta\":{\"content\":\"turned\"}}]}\n\n"
		                   "    data: [DONE]\n");
	else if (anthropic)
		llm_env_start(env, "answer\n  header Content-Type: application/json\n  body "
		                   "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":"
		                   "\"turned\"}],\"stop_reason\":\"end_turn\"}\n");
	else
		llm_env_start(env, "answer\n  header Content-Type: application/json\n  body "
		                   "{\"choices\":[{\"message\":{\"content\":\"turned\"},"
		                   "\"finish_reason\":\"stop\"}]}\n");
	llm_assert_ok(env, llm_env_say(env, "hello"));
	llm_assert_text(env->reply.text, "turned");
}

/* ---------------------------------------------------------------- around the answer */

static void the_key_is_sent_as_the_server_wants_it(void **state)
{
	llm_env *env = *state;
	const ag_val *log;
	char hash[17];
	size_t n;

	llm_env_start(env, "answer repeat\n  text x\n");
	llm_assert_ok(env, llm_env_say(env, "hello"));
	env->model.key = AG_S("");
	llm_env_open(env);
	llm_assert_ok(env, llm_env_say(env, "hello"));
	log = llm_env_log(env, &n);
	assert_int_equal(n, 2);
	snprintf(hash, sizeof(hash), "%016llx",
	         (unsigned long long)XXH3_64bits(LLM_TEST_KEY, strlen(LLM_TEST_KEY)));
	llm_assert_text(ag_val_member_str(&log[0], "key_hash"), hash);
	llm_assert_text(ag_val_member_str(&log[0], "key_header"),
	                llm_env_is_anthropic(env) ? "x-api-key" : "authorization");
	assert_int_equal(ag_val_getc(&log[1], "key_header")->type, AG_T_NULL);
	assert_int_equal(ag_val_getc(&log[1], "key_hash")->type, AG_T_NULL);
}

static void a_base_url_is_taken_as_users_write_it(void **state)
{
	static const char *const tails[] = { "", "/", "/v1", "/v1/" };
	llm_env *env = *state;
	const ag_val *log;
	size_t i, n;

	llm_env_start(env, "answer repeat\n  text x\n");
	for (i = 0; i < AG_NELEM(tails); i++) {
		env->llm = ag_llm_close(env->llm);
		env->model.base_url = ag_str_printf(env->arena, "http://127.0.0.1:%u%s", env->port,
		                                    tails[i]);
		llm_assert_ok(env, ag_llm_open(env->hub, &env->model, &env->llm, &env->err));
		llm_assert_ok(env, llm_env_say(env, "hello"));
	}
	log = llm_env_log(env, &n);
	assert_int_equal(n, AG_NELEM(tails));
	for (i = 0; i < n; i++)
		llm_assert_text(ag_val_member_str(&log[i], "path"),
		                llm_env_is_anthropic(env) ? "/v1/messages"
		                                          : "/v1/chat/completions");
}

static void ping_knows_the_models(void **state)
{
	llm_env *env = *state;
	ag_llm_ping ping = { 0 };

	env->model.model = AG_S("fake-modle");
	llm_env_start(env, "models other fake-model third\n");
	llm_assert_ok(env, ag_llm_ping_model(env->llm, &env->ctx, env->arena, &ping, &env->err));
	assert_true(ping.lists_models);
	assert_false(ping.has_model);
	assert_int_equal(ping.nmodel, 3);
	llm_assert_text(ping.nearest, "fake-model");
	env->model.model = AG_S("third");
	llm_env_open(env);
	llm_assert_ok(env, ag_llm_ping_model(env->llm, &env->ctx, env->arena, &ping, &env->err));
	assert_true(ping.has_model);
	llm_env_start(env, "answer on models\n  status 401\n  error bad key\n");
	assert_int_equal(ag_llm_ping_model(env->llm, &env->ctx, env->arena, &ping, &env->err),
	                 AG_DENIED);
	assert_null(strstr(env->err.msg, LLM_TEST_KEY));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(plain_text_arrives),
		T(a_long_answer_arrives),
		T(thinking_is_kept_apart),
		T(calls_come_in_pieces),
		T(calls_take_turns),
		T(calls_come_whole),
		T(calls_without_ids),
		T(calls_without_index),
		T(broken_arguments_arrive),
		T(json_in_every_way),
		T(json_between_words),
		T(a_refused_format_is_weakened),
		T(usage_is_comparable),
		T(ends_are_told_apart),
		T(odd_habits_are_understood),
		T(the_other_form_is_understood),
		T(the_key_is_sent_as_the_server_wants_it),
		T(a_base_url_is_taken_as_users_write_it),
		T(ping_knows_the_models),
	};
	int nfailed = 0;

	for (size_t i = 0; i < nllm_fixture; i++) {
		fixture = &llm_fixtures[i];
		nfailed += cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
	}
	return nfailed > 0;
}
