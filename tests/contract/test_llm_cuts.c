/* An answer that ends too soon, cut after every single byte: by a closed connection, by a reset, with and without a
 * framing that tells, and tried again. Whatever came, a reply that counts as whole is the whole answer, and what is left
 * of another is a part of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "llm_fixtures.h"

#include "run/breaker.h"

static const llm_fixture *fixture;

static int setup(void **state)
{
	*state = llm_env_new_once(fixture);
	return 0;
}

static int teardown(void **state)
{
	llm_env_free(*state);
	return 0;
}

#define CUT_TEXT "Some \xc3\xa4 text."
#define CUT_TOOL "{\"a\":\"b\"}"

static const ag_llm_tool cut_tool = { .name = AG_S_INIT("run"),
	                              .help = AG_S_INIT("x"),
	                              .schema = AG_S_INIT("{\"type\":\"object\"}") };
static const ag_llm_part cut_part = { .type = AG_LLM_TEXT, .text = AG_S_INIT("hello") };
static const ag_llm_message cut_message = { .role = AG_LLM_USER, .parts = &cut_part, .npart = 1 };

static bool is_prefix(ag_str part, const char *whole)
{
	return ag_str_starts(ag_str_c(whole), part);
}

/* What came of the answer, whole or not, is of the answer. */
static void check_cut(llm_env *env, ag_status st, const char *how, size_t at)
{
	const ag_llm_reply *r = &env->reply;
	bool whole = st == AG_OK;
	size_t i, ncall = 0;

	if (st != AG_OK && st != AG_UNAVAILABLE)
		fail_msg("%s %zu: %s: %s", how, at, ag_status_name(st), env->err.msg);
	if (whole ? !ag_str_eqc(r->text, CUT_TEXT) : !is_prefix(r->text, CUT_TEXT))
		fail_msg("%s %zu: the text is \"%.*s\"", how, at, AG_FMT(r->text));
	for (i = 0; i < r->npart; i++) {
		const ag_llm_part *p = &r->parts[i];

		if (p->type != AG_LLM_TOOL_CALL)
			continue;
		ncall++;
		if (whole ? !ag_str_eqc(p->input, CUT_TOOL)
		          : !is_prefix(p->input, CUT_TOOL) && !ag_str_eqc(p->input, "{}"))
			fail_msg("%s %zu: the input is %.*s", how, at, AG_FMT(p->input));
	}
	if (whole && ncall != 1)
		fail_msg("%s %zu: %zu calls", how, at, ncall);
	if (!whole)
		llm_assert_no_key(env);
}

/* Bytes of the whole answer: the last line of the log knows. */
static size_t body_bytes(llm_env *env)
{
	const ag_val *log;
	size_t n;

	log = llm_env_log(env, &n);
	return (size_t)ag_val_member_u64(&log[n - 1], "body_bytes");
}

static void cut_everywhere(llm_env *env, const char *how, const char *each)
{
	ag_llm_request r = {
		.messages = &cut_message, .nmessage = 1, .tools = &cut_tool, .ntool = 1
	};
	size_t at, nbyte = 1, nwhole = 0;
	char script[300];

	snprintf(script, sizeof(script),
	         "answer repeat\n  text " CUT_TEXT "\n  tool run " CUT_TOOL "\n  deltas 5\n"
	         "  tool_parts 4\n  %s %s\n",
	         how, each);
	llm_env_serve(env, script, NULL);
	for (at = 0; at <= nbyte; at++) {
		ag_status st;

		/* The breaker of one hub would open. */
		if (at % (AG_BREAKER_FAILURES - 1) == 0)
			llm_env_open(env);
		st = llm_env_ask(env, &r);
		check_cut(env, st, how, at);
		nwhole += st == AG_OK;
		if (at == 0)
			nbyte = body_bytes(env);
	}
	assert_true(nbyte > 200);
	if (env->model.attempts == 2)
		assert_int_equal(nwhole, nbyte + 1);
	else /* at the end only the framing is missing, or the end of a stream that was told */
		assert_in_range(nwhole, 1, nbyte / 2);
}

static void cut_at_every_byte(void **state)
{
	cut_everywhere(*state, "cut", "each");
	cut_everywhere(*state, "reset", "each");
}

/* Nothing but the protocol itself tells that something is missing. */
static void cut_at_every_byte_without_framing(void **state)
{
	cut_everywhere(*state, "framing close\n  cut", "each");
}

static void cut_at_every_byte_and_tried_again(void **state)
{
	llm_env *env = *state;

	env->model.attempts = 2;
	cut_everywhere(env, "cut", "each_then_whole");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(cut_at_every_byte),
		T(cut_at_every_byte_without_framing),
		T(cut_at_every_byte_and_tried_again),
	};
	int nfailed = 0;

	for (size_t i = 0; i < nllm_fixture; i++) {
		fixture = &llm_fixtures[i];
		nfailed += cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
	}
	return nfailed > 0;
}
