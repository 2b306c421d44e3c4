/* A planner that talks, in the loop with a toy agent: what of a reply is proposed when, what the model is shown, and what
 * is said when a budget ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/planner_chat.h"
#include "base/json.h"
#include "query/extjson.h"
#include "scripted_model.h"

typedef struct toy {
	ag_arena *arena;
	ag_ctx ctx;
	ag_store *store;
	scripted_model model;
	ag_transcript transcript;
	ag_str final, partial_why;
	bool has_final;
	unsigned runs; /* of the tool */
	ag_run_result result;
	const char *run_gate; /* rejects the first end with this; NULL = no gate */
	ag_evaluator gate;
} toy;

static ag_status add(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	toy *t = c->env;

	(void)err;
	t->runs++;
	ag_buf_addf(&ret->json, "{\"text\":\"sum %u of %lld\",\"ok\":true}", t->runs,
	            (long long)ag_tool_int(input, "n", -1));
	ret->summary = AG_S("added");
	return AG_OK;
}

static ag_status fails(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)c, (void)input, (void)ret;
	ag_fail(err, AG_INVALID, "test", "it is broken");
	return ag_err_hint(err, "mend it");
}

static const ag_param params[] = {
	{ "n", AG_PARAM_INT, .required = true, .is_lenient = true, .help = "a number" },
	{ "dry", AG_PARAM_BOOL, .is_lenient = true, .help = "really?" },
};

static const ag_tool tools[] = {
	{ .name = "add", .params = params, .nparam = 2, .flags = AG_TOOL_READS, .run = add },
	{ .name = "fails", .flags = AG_TOOL_READS, .run = fails },
};

static const ag_tool_set tool_set = { .tools = tools, .ntool = AG_NELEM(tools) };

static ag_status apply(void *state, const ag_event *ev, ag_err *err)
{
	const ag_extjson_opts opts = { 0 };
	toy *t = state;
	ag_val p;

	if (ag_extjson_parse(ev->payload, &opts, t->arena, &p, NULL, NULL, err))
		return err->status;
	ag_transcript_apply(&t->transcript, ev, &p);
	if (ev->type == AG_EV_PROPOSAL && ag_val_member_bool(&p, "final")) {
		t->has_final = true;
		t->final = ag_str_dup(t->arena, ag_val_member_str(&p, "text"));
		t->partial_why = ag_str_dup(t->arena, ag_val_member_str(&p, "partial_why"));
	}
	return AG_OK;
}

static const ag_agent agent = {
	.name = "toy", .tools = &tool_set, .at_limit = AG_AT_LIMIT_ANSWER, .apply = apply
};

static ag_status judge(const ag_evaluator *self, const ag_ctx *ctx, const ag_subject *s,
                       ag_arena *arena, ag_verdict *ret, ag_err *err)
{
	toy *t = (toy *)((char *)(uintptr_t)self - offsetof(toy, gate));

	(void)ctx, (void)s, (void)arena, (void)err;
	*ret = (ag_verdict){ .kind = t->run_gate ? AG_FAIL : AG_PASS,
		             .score = 1,
		             .reason = AG_S("looked at"),
		             .critique = ag_str_c(t->run_gate),
		             .evaluated_by = AG_S("test") };
	t->run_gate = NULL;
	return AG_OK;
}

static void run(toy *t, const sm_line *lines, size_t nline, unsigned steps, const char *run_gate)
{
	static const ag_llm_tool offered[] = { { AG_S_INIT("add"), AG_S_INIT("adds"),
		                                 AG_S_INIT("{\"type\":\"object\"}") } };
	ag_chat_opts chat = { .purpose = "toy",
		              .system = AG_S("You add."),
		              .first = AG_S("How much?"),
		              .tools = offered,
		              .ntool = 1,
		              .last_words = AG_S("Answer now."),
		              .unanswered = AG_S("not run") };
	ag_run_opts o;
	ag_err err = { 0 };

	*t = (toy){ .arena = ag_arena_new(), .run_gate = run_gate };
	t->ctx = (ag_ctx){ .clock = &ag_clock_system, .nthread = 1 };
	t->transcript.arena = t->arena;
	t->gate = (ag_evaluator){ .name = "test", .evaluate = judge };
	sm_open(&t->model, "m", lines, nline);
	assert_int_equal(ag_store_open(AG_S("memory:"), &t->store, &err), AG_OK);
	chat.llm = t->model.llm;
	chat.transcript = &t->transcript;
	o = (ag_run_opts){ .agent = &agent,
		           .env = t,
		           .state = t,
		           .planner = ag_planner_chat_new(&chat, t->arena),
		           .budget = { .iterations = steps },
		           .store = t->store,
		           .started = AG_S("{}"),
		           .row = { .id = ag_id_new(t->ctx.clock),
		                    .agent = AG_S("toy"),
		                    .source_uri = AG_S("x"),
		                    .source_key = AG_S("x"),
		                    .collection = AG_S("x"),
		                    .summary = AG_S("") } };
	if (run_gate)
		o.gates[AG_GATE_RUN] = &t->gate;
	assert_int_equal(ag_loop_run(&t->ctx, &o, t->arena, &t->result, &err), AG_OK);
}

static void done(toy *t)
{
	sm_close(&t->model);
	ag_store_close(t->store);
	ag_arena_free(t->arena);
}

#define CALL(id, name, args)                                                      \
	"{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name \
	"\",\"arguments\":\"" args "\"}}"

/* The messages of a request, as one JSON text. */
static ag_str messages_of(toy *t, size_t request)
{
	const ag_extjson_opts opts = { 0 };
	ag_err err = { 0 };
	ag_val v;

	assert_true(request < t->model.nasked);
	assert_int_equal(ag_extjson_parse(t->model.requests[request], &opts, t->arena, &v, NULL,
	                                  NULL, &err),
	                 AG_OK);
	return ag_extjson_str(t->arena, ag_val_getc(&v, "messages"), AG_EXTJSON_RELAXED);
}

static void assert_str(ag_str got, const char *want)
{
	if (!ag_str_eqc(got, want))
		fail_msg("want %s\ngot  %.*s", want, AG_FMT(got));
}

static bool has_tools(toy *t, size_t request)
{
	return ag_str_contains(t->model.requests[request], AG_S("\"tools\":["));
}

static void words_alone_end_it(void **state)
{
	const sm_line lines[] = { { .text = AG_S_INIT(" Four. ") } };
	toy t;

	run(&t, lines, 1, 10, NULL);
	assert_str(t.result.status, "ok");
	assert_str(t.final, "Four.");
	assert_int_equal(t.model.nasked, 1);
	assert_int_equal(t.result.calls, 0);
	assert_true(has_tools(&t, 0));
	done(&t);
	(void)state;
}

static void a_batch_is_run_in_order_and_answered_in_one_go(void **state)
{
	const sm_line lines[] = {
		{ .text = AG_S_INIT("I add."),
		  .calls = "[" CALL("a", "add", "{\\\"n\\\":1}") "," CALL(
			  "a", "add", "{\\\"n\\\":\\\"2\\\"}") "]" },
		{ .text = AG_S_INIT("Three.") },
	};
	toy t;

	run(&t, lines, 2, 10, NULL);
	assert_str(t.final, "Three.");
	assert_int_equal(t.runs, 2);
	assert_str(
		messages_of(&t, 1),
		"[{\"role\":\"system\",\"content\":\"You add.\"},"
		"{\"role\":\"user\",\"content\":\"How much?\"},"
		"{\"role\":\"assistant\",\"content\":\"I add.\",\"tool_calls\":["
		"{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"add\",\"arguments\":"
		"\"{\\\"n\\\":1}\"}},"
		"{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"add\",\"arguments\":"
		"\"{\\\"n\\\":\\\"2\\\"}\"}}]},"
		"{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"sum 1 of 1\"},"
		"{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"sum 2 of 2\"}]");
	done(&t);
	(void)state;
}

static void what_goes_wrong_is_told(void **state)
{
	const sm_line lines[] = {
		{ .calls = "[" CALL("1", "fails", "{}") "," CALL("2", "bash", "{}") "," CALL("3", "add", "{\\\"n\\\":") "," CALL(
			  "4", "add",
			  "{}") "," CALL("5", "add",
		                         "{\\\"n\\\":1,\\\"dry\\\":\\\"False\\\"}") "," CALL("6",
		                                                                             "add",
		                                                                             "{\\\"n\\\":1,\\\"dry\\\":\\\"maybe\\\"}") "]" },
		{ .text = AG_S_INIT("Sorry.") },
	};
	ag_str said;
	toy t;

	run(&t, lines, 2, 10, NULL);
	said = messages_of(&t, 1);
	assert_str(t.result.status, "ok");
	assert_int_equal(t.runs, 1);
	assert_true(
		ag_str_contains(said, AG_S("\"1\",\"content\":\"Error: it is broken. mend it\"")));
	assert_true(ag_str_contains(
		said, AG_S("\"2\",\"content\":\"Error: there is no tool \\\"bash\\\"")));
	assert_true(ag_str_contains(said, AG_S("\"3\",\"content\":\"Error: ")));
	assert_true(ag_str_contains(said, AG_S("\"4\",\"content\":\"Error: add.n is missing")));
	assert_true(ag_str_contains(said, AG_S("\"5\",\"content\":\"sum 1 of 1\"")));
	assert_true(ag_str_contains(
		said, AG_S("\"6\",\"content\":\"Error: add.dry: want true or false")));
	done(&t);
	(void)state;
}

/* Strict servers refuse a history with such a name; the log keeps what the model wrote. */
static void a_name_that_no_tool_can_have(void **state)
{
	const sm_line lines[] = {
		{ .calls = "[" CALL("1", "add\\n", "{}") "," CALL("2", "", "{}") "," CALL(
			  "3", "\\u001b[31mrm -rf", "{}") "]" },
		{ .text = AG_S_INIT("Sorry.") },
	};
	ag_str said;
	toy t;

	run(&t, lines, 2, 10, NULL);
	said = messages_of(&t, 1);
	assert_str(t.final, "Sorry.");
	assert_int_equal(t.runs, 0);
	assert_true(ag_str_contains(said, AG_S("\"name\":\"add_\"")));
	assert_true(ag_str_contains(said, AG_S("\"name\":\"unnamed\"")));
	assert_true(ag_str_contains(said, AG_S("\"name\":\"__31mrm_-rf\"")));
	assert_str(t.transcript.turns[0].calls[0].name, "add\n");
	done(&t);
	(void)state;
}

/* More than an event holds: that call fails with words that say why, the next one runs, and words are cut. */
static void huge_replies_are_bounded(void **state)
{
	ag_buf calls = AG_BUF_INIT(64u << 20), words = AG_BUF_INIT(64u << 20);
	sm_line lines[2] = { { .finish = NULL }, { .finish = NULL } };
	ag_str said;
	toy t;

	ag_buf_adds(&calls, "[" CALL("1", "add", "{\\\"n\\\":\\\""));
	calls.len -= strlen("\"}}"); /* the text goes on */
	for (size_t i = 0; i < 1000000; i++) {
		ag_buf_adds(&calls, "0123456789");
		ag_buf_adds(&words, "0123456789");
	}
	ag_buf_adds(&calls, "\\\"}\"}}," CALL("2", "add", "{\\\"n\\\":7}") "]");
	ag_buf_addc(&calls, '\0');
	lines[0].calls = calls.ptr;
	lines[1].text = ag_buf_view(&words);
	run(&t, lines, 2, 10, NULL);
	said = messages_of(&t, 1);
	assert_true(said.len < 10000);
	assert_true(ag_str_contains(said, AG_S("\"1\",\"content\":\"Error: add has no parameter "
	                                       "\\\"left_out_10000008_bytes_of_arguments")));
	assert_true(ag_str_contains(said, AG_S("\"2\",\"content\":\"sum 1 of 7\"")));
	assert_str(t.result.status, "partial");
	assert_int_equal(t.final.len, 1u << 20);
	assert_true(ag_str_contains(t.partial_why, AG_S("larger than 1 MB")));
	done(&t);
	ag_buf_release(&calls);
	ag_buf_release(&words);
	(void)state;
}

static void at_the_end_of_the_budget_all_calls_are_answered(void **state)
{
	const sm_line lines[] = {
		{ .calls = "[" CALL("1", "add", "{\\\"n\\\":1}") "," CALL(
			  "2", "bash", "{}") "," CALL("3", "add", "{\\\"n\\\":3}") "]" },
		{ .text = AG_S_INIT("At least one.") },
	};
	ag_str said;
	toy t;

	run(&t, lines, 2, 2, NULL);
	assert_int_equal(t.model.nasked, 2);
	assert_int_equal(t.runs, 1);
	assert_str(t.result.status, "partial");
	assert_str(t.final, "At least one.");
	assert_true(t.partial_why.len > 0);
	assert_false(has_tools(&t, 1));
	said = messages_of(&t, 1);
	assert_true(ag_str_contains(said, AG_S("\"3\",\"content\":\"Error: not run\"")));
	assert_true(ag_str_ends(said, AG_S("{\"role\":\"user\",\"content\":\"Answer now.\"}]")));
	done(&t);
	(void)state;
}

static void last_words_are_never_a_tools_result(void **state)
{
	const sm_line lines[] = {
		{ .text = AG_S_INIT("First I add."),
		  .calls = "[" CALL("1", "add", "{\\\"n\\\":1}") "]" },
		{ .calls = "[" CALL("2", "add", "{\\\"n\\\":2}") "]" },
		{ .calls = "[" CALL("3", "add", "{\\\"n\\\":3}") "]" },
	};
	toy t;

	run(&t, lines, 3, 2, NULL);
	assert_int_equal(t.runs, 2);
	assert_str(t.final, "First I add.");
	assert_str(t.result.status, "partial");
	done(&t);

	run(&t, lines + 1, 2, 1, NULL);
	assert_true(t.has_final);
	assert_str(t.final, "");
	done(&t);
	(void)state;
}

static void nothing_and_half_of_it_are_partial(void **state)
{
	const sm_line nothing[] = { { .text = { NULL, 0 } } };
	const sm_line half[] = { { .text = AG_S_INIT("It is fo"), .finish = "length" } };
	toy t;

	run(&t, nothing, 1, 5, NULL);
	assert_str(t.result.status, "partial");
	assert_str(t.final, "");
	done(&t);
	run(&t, half, 1, 5, NULL);
	assert_str(t.result.status, "partial");
	assert_str(t.final, "It is fo");
	done(&t);
	(void)state;
}

static void a_dead_server_is_an_error_of_the_run(void **state)
{
	const sm_line lines[] = {
		{ .calls = "[" CALL("1", "add", "{\\\"n\\\":1}") "]" },
		{ .text = AG_S_INIT("x"), .status = 401 },
	};
	toy t;

	run(&t, lines, 2, 5, NULL);
	assert_str(t.result.status, "partial");
	assert_int_equal(t.result.err.status, AG_DENIED);
	assert_false(t.has_final);
	done(&t);
	(void)state;
}

static void the_run_gate_sends_it_back(void **state)
{
	const sm_line lines[] = { { .text = AG_S_INIT("Five.") }, { .text = AG_S_INIT("Four.") } };
	toy t;

	run(&t, lines, 2, 5, "Count again.");
	assert_str(t.result.status, "ok");
	assert_str(t.final, "Four.");
	assert_true(ag_str_contains(messages_of(&t, 1), AG_S("\"Five.\"")));
	assert_true(ag_str_contains(messages_of(&t, 1), AG_S("\"Count again.\"")));
	done(&t);
	(void)state;
}

/* --- small models --- */

static const char a_call_in_text[] =
	"I add.\n<tool_call>\n{\"name\": \"add\", \"arguments\": {\"n\": 3}}\n</tool_call>";

static void a_call_in_the_text_is_made(void **state)
{
	const sm_line lines[] = { { .text = ag_str_c(a_call_in_text) },
		                  { .text = AG_S_INIT("Three.") } };
	toy t;

	run(&t, lines, 2, 10, NULL);
	assert_str(t.result.status, "ok");
	assert_str(t.final, "Three.");
	assert_int_equal(t.runs, 1);
	/* It goes back as a native call. */
	assert_true(ag_str_contains(
		messages_of(&t, 1),
		AG_S("{\"role\":\"assistant\",\"content\":\"I add.\",\"tool_calls\":[{\"id\":\"call_1\"")));
	assert_true(ag_str_contains(messages_of(&t, 1), AG_S("\"content\":\"sum 1 of 3\"")));
	done(&t);
	(void)state;
}

/* A reply that is no answer is asked for once more, and then taken as it is. */
static void a_second_try(const char *first, const char *second, const char *critique,
                         const char *final, const char *status)
{
	const sm_line lines[] = { { .text = ag_str_c(first) }, { .text = ag_str_c(second) } };
	toy t;

	run(&t, lines, 2, 10, NULL);
	assert_str(t.final, final);
	assert_str(t.result.status, status);
	assert_int_equal(t.model.nasked, critique ? 2 : 1);
	if (critique && !ag_str_contains(messages_of(&t, 1), ag_str_c(critique)))
		fail_msg("want %s in\n%.*s", critique, AG_FMT(messages_of(&t, 1)));
	assert_int_equal(t.runs, 0);
	done(&t);
}

static void what_is_no_answer_is_asked_for_once_more(void **state)
{
	const char *const broken =
		"<tool_call>{\"name\": \"add\", \"arguments\": {\"n\" 3}}</tool_call>";

	(void)state;
	a_second_try("", "Four.", "Your reply was empty", "Four.", "ok");
	a_second_try("", "", "Your reply was empty", "", "partial");
	a_second_try("<think>hm", "Four.", "Your reply was empty", "Four.", "ok");
	a_second_try("I will add the numbers.", "Four.", "You said what you will do", "Four.",
	             "ok");
	a_second_try("Ich werde die Zahlen addieren.", "Four.", "You said what you will do",
	             "Four.", "ok");
	a_second_try("I will add the numbers.", "", "You said what you will do",
	             "I will add the numbers.", "partial");
	a_second_try("I will add the numbers.", "Let me add them.", "You said what you will do",
	             "Let me add them.", "partial");
	a_second_try("I will add the numbers.", "I will add the numbers.",
	             "You said what you will do", "I will add the numbers.", "ok");
	a_second_try(broken, "Four.", "it cannot be read as JSON", "Four.", "ok");
	a_second_try(broken, broken, "it cannot be read as JSON", "", "partial");
	a_second_try("<tool_call>{\"name\": \"rm\", \"arguments\": {}}</tool_call>", "Four.",
	             "there is no tool", "Four.", "ok");
	a_second_try("I remove it. <tool_call>{\"name\": \"rm\", \"arguments\": {}}</tool_call>",
	             "I do. <tool_call>{\"name\": \"rm\", \"arguments\": {}}</tool_call>",
	             "there is no tool", "I do.", "partial");
	/* These are answers. */
	a_second_try("Four.", "Five.", NULL, "Four.", "ok");
	a_second_try("It is four. Let me know if you need more.", "Five.", NULL,
	             "It is four. Let me know if you need more.", "ok");
	a_second_try("The loop says \"I will add\".\nSource: a.md", "Five.", NULL,
	             "The loop says \"I will add\".\nSource: a.md", "ok");
	a_second_try("<think>I will add.</think>Four.", "Five.", NULL, "Four.", "ok");
}

static void thinking_that_used_up_the_output(void **state)
{
	const sm_line lines[] = { { .text = AG_S_INIT("<think>on and on"), .finish = "length" },
		                  { .text = AG_S_INIT("Four.") } };
	toy t;

	run(&t, lines, 2, 10, NULL);
	assert_str(t.final, "Four.");
	assert_true(ag_str_contains(messages_of(&t, 1), AG_S("Think less")));
	done(&t);
	(void)state;
}

static void a_call_in_the_last_words_is_not_printed(void **state)
{
	const sm_line lines[] = {
		{ .calls = "[" CALL("1", "add", "{\\\"n\\\":1}") "]" },
		{ .text = ag_str_c(a_call_in_text) },
	};
	toy t;

	run(&t, lines, 2, 1, NULL);
	assert_int_equal(t.runs, 1);
	assert_str(t.final, "I add.");
	done(&t);
	(void)state;
}

static void calls_beyond_the_limit_are_cut(void **state)
{
	ag_buf calls = AG_BUF_INIT(1u << 20);
	sm_line lines[2] = { { .finish = NULL }, { .text = AG_S_INIT("Done.") } };
	ag_str said;
	toy t;

	ag_buf_addc(&calls, '[');
	for (int i = 0; i < 259; i++)
		ag_buf_addf(&calls, "%s" CALL("c%d", "add", "{\\\"n\\\":1}"), i ? "," : "", i);
	ag_buf_addc(&calls, ']');
	ag_buf_addc(&calls, '\0');
	lines[0].calls = calls.ptr;
	run(&t, lines, 2, 300, NULL);
	assert_str(t.result.status, "ok");
	assert_int_equal(t.runs, 256);
	said = messages_of(&t, 1);
	assert_true(ag_str_contains(said, AG_S("\"tool_call_id\":\"c255\"")));
	assert_false(ag_str_contains(said, AG_S("c256")));
	assert_true(ag_str_contains(said, AG_S("3 further calls of your reply were cut")));
	done(&t);
	ag_buf_release(&calls);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_alone_end_it),
		cmocka_unit_test(a_batch_is_run_in_order_and_answered_in_one_go),
		cmocka_unit_test(what_goes_wrong_is_told),
		cmocka_unit_test(a_name_that_no_tool_can_have),
		cmocka_unit_test(huge_replies_are_bounded),
		cmocka_unit_test(at_the_end_of_the_budget_all_calls_are_answered),
		cmocka_unit_test(last_words_are_never_a_tools_result),
		cmocka_unit_test(nothing_and_half_of_it_are_partial),
		cmocka_unit_test(a_dead_server_is_an_error_of_the_run),
		cmocka_unit_test(the_run_gate_sends_it_back),
		cmocka_unit_test(a_call_in_the_text_is_made),
		cmocka_unit_test(what_is_no_answer_is_asked_for_once_more),
		cmocka_unit_test(thinking_that_used_up_the_output),
		cmocka_unit_test(a_call_in_the_last_words_is_not_printed),
		cmocka_unit_test(calls_beyond_the_limit_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
