/* A run of the chat planner against a model server that streams: what is shown while it is written, beside the log; and the
 * turns of a conversation that stand in front of a question. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/planner_chat.h"
#include "base/log.h"
#include "llm_fixtures.h"
#include "query/extjson.h"

#define SECRET "hunter-2-hunter-2"

static const llm_fixture *fixture;

typedef struct talk {
	llm_env *env;
	ag_store *store;
	ag_transcript transcript;
	ag_earlier earlier[4];
	size_t nearlier;
	ag_run_result result;
	ag_id id;
	ag_buf shown; /* what was shown, and the events that were committed meanwhile */
	unsigned npiece;
} talk;

static int setup(void **state)
{
	talk *t = ag_xcalloc(1, sizeof(*t));
	ag_err err = { 0 };

	*state = t;
	t->env = llm_env_new(fixture);
	ag_buf_init(&t->shown, 1 << 20);
	assert_int_equal(ag_store_open(AG_S("memory:"), &t->store, &err), AG_OK);
	return 0;
}

static int teardown(void **state)
{
	talk *t = *state;

	ag_buf_release(&t->shown);
	ag_store_close(t->store);
	llm_env_free(t->env);
	free(t);
	return 0;
}

/* --- a toy that talks --- */

static ag_status add(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	const int64_t sum = ag_tool_int(input, "a", 0) + ag_tool_int(input, "b", 0);

	(void)c, (void)err;
	ag_buf_addf(&out->json, "{\"text\":\"%" PRId64 "\",\"ok\":true}", sum);
	return AG_OK;
}

static const ag_param params[] = {
	{ "a", AG_PARAM_INT, .required = true, .help = "a number" },
	{ "b", AG_PARAM_INT, .required = true, .help = "another one" },
};
static const ag_tool rows[] = {
	{ .name = "add",
	  .help = "Adds",
	  .params = params,
	  .nparam = 2,
	  .flags = AG_TOOL_READS,
	  .run = add },
};
static const ag_tool_set tools = { .tools = rows, .ntool = 1 };

static ag_status apply(void *state, const ag_event *ev, ag_err *err)
{
	const ag_extjson_opts opts = { 0 };
	talk *t = state;
	ag_val p;

	if (ag_extjson_parse(ev->payload, &opts, t->env->arena, &p, NULL, NULL, err))
		return err->status;
	ag_transcript_apply(&t->transcript, ev, &p);
	return AG_OK;
}

static const ag_agent agent = {
	.name = "toy", .tools = &tools, .at_limit = AG_AT_LIMIT_ANSWER, .apply = apply
};

static void on_delta(void *arg, const ag_llm_delta *d)
{
	talk *t = arg;

	t->npiece++;
	switch (d->type) {
	case AG_LLM_DELTA_TEXT: ag_buf_add(&t->shown, d->text); break;
	case AG_LLM_DELTA_THINKING: break;
	case AG_LLM_DELTA_CALL:
		ag_buf_addf(&t->shown, "<%u:%.*s>", d->call, AG_FMT(d->text));
		break;
	case AG_LLM_DELTA_INPUT: ag_buf_add(&t->shown, d->text); break;
	case AG_LLM_DELTA_VOID: ag_buf_adds(&t->shown, "<void>"); break;
	}
}

static void on_event(void *arg, const ag_event *ev)
{
	talk *t = arg;

	if (ev->type == AG_EV_PROPOSAL || ev->type == AG_EV_TOOL_OUTPUT)
		ag_buf_addf(&t->shown, "[%s]", ag_event_type_text(ev->type));
}

static void say(talk *t, const char *question)
{
	static const ag_llm_tool offered[] = {
		{ AG_S_INIT("add"), AG_S_INIT("adds"),
		  AG_S_INIT("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},"
		            "\"b\":{\"type\":\"integer\"}}}") }
	};
	const ag_chat_opts chat = { .purpose = "chat",
		                    .llm = t->env->llm,
		                    .system = AG_S("You add."),
		                    .first = ag_str_c(question),
		                    .earlier = t->earlier,
		                    .nearlier = t->nearlier,
		                    .transcript = &t->transcript,
		                    .tools = offered,
		                    .ntool = 1,
		                    .last_words = AG_S("Answer now."),
		                    .unanswered = AG_S("not run"),
		                    .watch = { .on_delta = on_delta, .arg = t } };
	ag_run_opts o = {
		.agent = &agent,
		.env = t,
		.state = t,
		.planner = ag_planner_chat_new(&chat, t->env->arena),
		.budget = { .iterations = 3 },
		.store = t->store,
		.started = ag_str_printf(t->env->arena, "{\"question\":\"%s\"}", question),
		.row = { .id = t->id = ag_id_new(&ag_clock_system),
		         .agent = AG_S("toy"),
		         .source_uri = AG_S("x"),
		         .source_key = AG_S("x"),
		         .collection = AG_S("x"),
		         .summary = AG_S("") },
		.on_event = on_event,
		.on_event_arg = t,
	};

	t->transcript = (ag_transcript){ .arena = t->env->arena };
	t->npiece = 0;
	ag_buf_clear(&t->shown);
	llm_assert_ok(t->env,
	              ag_loop_run(&t->env->ctx, &o, t->env->arena, &t->result, &t->env->err));
}

static void assert_shown(talk *t, const char *want)
{
	assert_string_equal(ag_str_cstr(t->env->arena, ag_buf_view(&t->shown)), want);
}

static void keep(talk *t)
{
	ag_event *events;
	size_t n;

	llm_assert_ok(t->env, ag_store_events(t->store, &t->id, 0, t->env->arena, &events, &n,
	                                      &t->env->err));
	llm_assert_ok(t->env, ag_earlier_read(events, n, t->env->arena, &t->earlier[t->nearlier++],
	                                      &t->env->err));
}

/* --- live --- */

static void words_and_inputs_are_shown_as_they_come(void **state)
{
	talk *t = *state;

	llm_env_start(t->env, "answer\n"
	                      "  text I will add these two numbers.\n"
	                      "  tool add {\"a\":17,\"b\":25}\n"
	                      "  deltas 8\n  tool_parts 4\n  pieces events\n"
	                      "answer\n"
	                      "  text The sum is 42.\n  deltas 4\n");
	say(t, "17 and 25?");
	assert_true(ag_str_eqc(t->result.status, "ok"));
	assert_shown(t, "I will add these two numbers.<0:add>{\"a\":17,\"b\":25}[proposal]"
	                "[tool_output]The sum is 42.[proposal]");
	if (!fixture->is_whole)
		assert_true(t->npiece > 10);
}

static void an_answer_that_begins_again_is_taken_back(void **state)
{
	talk *t = *state;

	if (fixture->is_whole)
		return; /* a whole answer that is cut shows nothing */
	llm_env_start(t->env, "answer\n  text The sum is 41, I am sure of it.\n  deltas 4\n"
	                      "  pieces events\n  cut 900\n"
	                      "answer\n  text The sum is 42.\n");
	say(t, "17 and 25?");
	assert_true(ag_str_eqc(t->result.status, "ok"));
	assert_true(ag_str_starts(ag_buf_view(&t->shown), AG_S("The ")));
	if (!ag_str_ends(ag_buf_view(&t->shown), AG_S("<void>The sum is 42.[proposal]")))
		fail_msg("%.*s", AG_FMT(ag_buf_view(&t->shown)));
}

static void a_reply_that_is_asked_for_again_is_taken_back(void **state)
{
	talk *t = *state;

	llm_env_start(t->env, "answer\n  text Let me look at it.\n"
	                      "answer\n  text It is 42.\n");
	say(t, "17 and 25?");
	assert_shown(t, "Let me look at it.<void>It is 42.[proposal]");
}

static void a_call_in_words_is_shown_as_a_call(void **state)
{
	talk *t = *state;

	llm_env_start(t->env,
	              "answer\n  text <tool_call>{\"name\":\"add\",\"arguments\":{\"a\":1,\"b\":2}}"
	              "</tool_call>\n"
	              "answer\n  text Three.\n");
	say(t, "1 and 2?");
	assert_true(ag_str_ends(ag_buf_view(&t->shown),
	                        AG_S("<void><0:add>{\"a\":1,\"b\":2}[proposal][tool_output]Three."
	                             "[proposal]")));
}

static void keys_are_not_shown_in_pieces_either(void **state)
{
	talk *t = *state;

	ag_log_redact(AG_S(SECRET));
	llm_env_start(t->env, "answer\n  text The key is " SECRET ", keep it.\n  deltas 3\n"
	                      "  pieces events\n");
	say(t, "What is the key?");
	assert_true(ag_str_eqc(t->result.status, "ok"));
	if (ag_str_contains(ag_buf_view(&t->shown), AG_S("hunter")))
		fail_msg("%.*s", AG_FMT(ag_buf_view(&t->shown)));
	assert_true(ag_str_starts(ag_buf_view(&t->shown), AG_S("The key is ")));
	assert_true(ag_str_contains(ag_buf_view(&t->shown), AG_S(", keep it.[proposal]")));
}

/* --- earlier turns --- */

/* The texts of the last request's messages, with their roles: "user:…|assistant:…". Calls and results in brackets. */
static const char *heard(talk *t)
{
	size_t n;
	const ag_val *log = llm_env_log(t->env, &n);
	const ag_val *messages = ag_val_getc(ag_val_getc(&log[n - 1], "request"), "messages");

	return ag_str_cstr(t->env->arena,
	                   ag_extjson_str(t->env->arena, messages, AG_EXTJSON_RELAXED));
}

static void assert_order(const char *text, size_t n, const char *const *want)
{
	const char *at = text;

	for (size_t i = 0; i < n; i++) {
		const char *found = strstr(at, want[i]);

		if (!found)
			fail_msg("\"%s\" is not there, or too early, in %s", want[i], text);
		AG_ASSERT(found);
		at = found + strlen(want[i]);
	}
}

static void earlier_turns_stand_in_front_of_the_question(void **state)
{
	static const char *const want[] = { "17 and 25?", "17", "42", "The sum is 42.",
		                            "And one more?" };
	talk *t = *state;

	llm_env_start(t->env, "answer\n  tool add {\"a\":17,\"b\":25}\n"
	                      "answer\n  text The sum is 42.\n"
	                      "answer when \"The sum is 42.\" when last \"And one more?\"\n"
	                      "  text 43.\n"
	                      "answer when \"43.\" when \"17 and 25?\"\n  text 44.\n");
	say(t, "17 and 25?");
	keep(t);
	assert_true(ag_str_eqc(t->earlier[0].question, "17 and 25?"));
	assert_true(ag_str_eqc(t->earlier[0].answer, "The sum is 42."));
	say(t, "And one more?");
	assert_order(heard(t), AG_NELEM(want), want);
	keep(t);
	say(t, "And another one?");
	assert_true(ag_str_ends(ag_buf_view(&t->shown), AG_S("44.[proposal]")));
}

/* A run that ended in the middle of its calls: each has an answer, and the roles take turns. */
static void a_turn_that_ended_early_leaves_a_whole_history(void **state)
{
	static const char *const want[] = { "Add them.", "not run", "Go on." };
	talk *t = *state;

	llm_env_start(t->env, "answer\n  tool add {\"a\":1,\"b\":2}\n  tool add {\"a\":3,\"b\":4}\n"
	                      "  tool add {\"a\":5,\"b\":6}\n  tool add {\"a\":7,\"b\":8}\n"
	                      "answer\n  status 401\n  error no\n"
	                      "answer when \"Go on.\"\n  text Gone on.\n");
	say(t, "Add them.");
	assert_true(ag_str_eqc(t->result.status, "partial"));
	keep(t);
	assert_int_equal(t->earlier[0].answer.len, 0);
	say(t, "Go on.");
	assert_true(ag_str_eqc(t->result.status, "ok"));
	assert_order(heard(t), AG_NELEM(want), want);
}

static void last_words_are_an_answer(void **state)
{
	static const char *const want[] = { "Add them.", "That is what I have.", "Go on." };
	talk *t = *state;

	llm_env_start(t->env, "answer\n  tool add {\"a\":1,\"b\":2}\n  tool add {\"a\":3,\"b\":4}\n"
	                      "  tool add {\"a\":5,\"b\":6}\n  tool add {\"a\":7,\"b\":8}\n"
	                      "answer when last \"Answer now.\"\n  text That is what I have.\n"
	                      "answer when \"Go on.\"\n  text Gone on.\n");
	say(t, "Add them.");
	assert_true(ag_str_eqc(t->result.status, "partial"));
	keep(t);
	assert_true(ag_str_eqc(t->earlier[0].answer, "That is what I have."));
	say(t, "Go on.");
	assert_order(heard(t), AG_NELEM(want), want);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(words_and_inputs_are_shown_as_they_come),
		T(an_answer_that_begins_again_is_taken_back),
		T(a_reply_that_is_asked_for_again_is_taken_back),
		T(a_call_in_words_is_shown_as_a_call),
		T(keys_are_not_shown_in_pieces_either),
		T(earlier_turns_stand_in_front_of_the_question),
		T(a_turn_that_ended_early_leaves_a_whole_history),
		T(last_words_are_an_answer),
	};
	int nfailed = 0;

	for (size_t i = 0; i < nllm_fixture; i++) {
		fixture = &llm_fixtures[i];
		nfailed += cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
	}
	return nfailed > 0;
}
