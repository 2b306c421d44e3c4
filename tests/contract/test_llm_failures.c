/* The contract of a model when things go wrong: statuses, errors inside a stream, silence, chaos (cuts: test_llm_cuts.c).
 * What holds each time: an answer that counts as whole is the whole answer; a failure says what happened, keeps what
 * came, and never shows the key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "llm_fixtures.h"

#include <pthread.h>
#include <unistd.h>

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

static int64_t now(void)
{
	return ag_clock_mono(&ag_clock_system);
}

/* ---------------------------------------------------------------- statuses */

static void statuses_are_told_apart(void **state)
{
	static const struct {
		int http;
		ag_status status;
		unsigned attempts;
	} cases[] = {
		{ 400, AG_INVALID, 1 },     { 401, AG_DENIED, 1 },      { 403, AG_DENIED, 1 },
		{ 404, AG_NOT_FOUND, 1 },   { 408, AG_UNAVAILABLE, 3 }, { 409, AG_UNAVAILABLE, 3 },
		{ 413, AG_INVALID, 1 },     { 422, AG_INVALID, 1 },     { 425, AG_UNAVAILABLE, 3 },
		{ 429, AG_UNAVAILABLE, 3 }, { 500, AG_UNAVAILABLE, 3 }, { 502, AG_UNAVAILABLE, 3 },
		{ 503, AG_UNAVAILABLE, 3 }, { 504, AG_UNAVAILABLE, 3 }, { 529, AG_UNAVAILABLE, 3 },
	};
	llm_env *env = *state;
	char script[160];
	size_t i;

	env->model.attempts = 3;
	for (i = 0; i < AG_NELEM(cases); i++) {
		ag_status st;

		snprintf(script, sizeof(script),
		         "answer repeat\n  status %d\n  error it is about " LLM_TEST_KEY
		         " and more\n",
		         cases[i].http);
		llm_env_start(env, script);
		st = llm_env_say(env, "hello");
		if ((st != cases[i].status && !(cases[i].http == 408 && st == AG_TIMEOUT) &&
		     !(cases[i].http == 504 && st == AG_TIMEOUT)) ||
		    env->err.native != cases[i].http || env->reply.attempts != cases[i].attempts)
			fail_msg("%d: %s after %u: %s", cases[i].http, ag_status_name(st),
			         env->reply.attempts, env->err.msg);
		assert_int_equal(llm_env_nrequest(env), cases[i].attempts);
		assert_non_null(strstr(env->err.msg, "and more"));
		llm_assert_no_key(env);
	}
}

static void a_rate_limit_is_waited_for(void **state)
{
	llm_env *env = *state;
	int64_t begin;

	env->model.attempts = 2;
	llm_env_start(env,
	              "answer\n  status 429\n  header Retry-After: 1\nanswer\n  text There.\n");
	begin = now();
	llm_assert_ok(env, llm_env_say(env, "hello"));
	assert_in_range(now() - begin, 1000, 4000);
	assert_int_equal(env->reply.attempts, 2);
	llm_assert_text(env->reply.text, "There.");
}

/* The wait would end behind the run's deadline: it is not begun. */
static void no_wait_outlives_the_run(void **state)
{
	llm_env *env = *state;
	int64_t begin = now();

	env->model.attempts = 4;
	llm_env_start(env, "answer repeat\n  status 429\n  header Retry-After: 30\n");
	env->ctx.deadline_ms = begin + 2000;
	assert_int_equal(llm_env_say(env, "hello"), AG_UNAVAILABLE);
	assert_true(now() - begin < 1900);
	assert_int_equal(env->reply.attempts, 1);
	llm_assert_no_key(env);
}

static void a_redirect_is_not_followed(void **state)
{
	llm_env *env = *state, *other = llm_env_new(fixture);
	char script[160];

	llm_env_serve(other, "answer repeat\n  text caught you\n", NULL);
	snprintf(
		script, sizeof(script),
		"answer repeat\n  status 307\n  header Location: http://127.0.0.1:%u/v1/messages\n",
		other->port);
	llm_env_start(env, script);
	assert_int_equal(llm_env_say(env, "hello"), AG_INVALID);
	assert_int_equal(env->err.native, 307);
	assert_int_equal(llm_env_nrequest(other), 0);
	llm_assert_no_key(env);
	llm_env_free(other);
}

static void nobody_listens(void **state)
{
	llm_env *env = *state;

	llm_env_start(env, "answer\n  text x\n");
	llm_env_stop(env);
	env->model.attempts = 2;
	llm_env_open(env);
	assert_int_equal(llm_env_say(env, "hello"), AG_UNAVAILABLE);
	assert_int_equal(env->reply.attempts, 2);
	assert_non_null(strstr(env->err.msg, "127.0.0.1"));
	llm_assert_no_key(env);
}

static void a_web_page_is_no_answer(void **state)
{
	llm_env *env = *state;

	llm_env_start(env, "answer\n  header Content-Type: text/html\n"
	                   "  body <!DOCTYPE html><title>Welcome</title>\n"
	                   "answer\n  body {\"hello\":\"world\"}\n");
	assert_int_equal(llm_env_say(env, "hello"), AG_PROTOCOL);
	llm_assert_no_key(env);
	assert_int_equal(llm_env_say(env, "hello"), AG_PROTOCOL);
	llm_assert_no_key(env);
}

/* A server that fails again and again is left alone. */
static void the_circuit_opens(void **state)
{
	llm_env *env = *state;
	int i;

	llm_env_start(env, "answer repeat\n  status 503\n");
	for (i = 0; i < 3 * AG_BREAKER_FAILURES; i++)
		assert_int_equal(llm_env_say(env, "hello"), AG_UNAVAILABLE);
	assert_int_equal(llm_env_nrequest(env), AG_BREAKER_FAILURES);
	assert_non_null(strstr(env->err.msg, "nothing is sent"));
}

/* ---------------------------------------------------------------- broken answers */

static void an_error_inside_the_stream(void **state)
{
	llm_env *env = *state;
	const char *script = "answer\n  text The beginning.\n  error_in_stream Overloaded\n"
			     "answer\n  text The whole answer.\n";

	llm_env_start(env, script);
	assert_int_equal(llm_env_say(env, "hello"), AG_UNAVAILABLE);
	assert_non_null(strstr(env->err.msg, "verloaded"));
	llm_assert_no_key(env);
	if (!fixture->is_whole)
		llm_assert_text(env->reply.text, "The beginning.");
	env->model.attempts = 2;
	llm_env_start(env, script);
	llm_assert_ok(env, llm_env_say(env, "hello"));
	llm_assert_text(env->reply.text, "The whole answer.");
	assert_true(ag_str_eq(ag_buf_view(&env->text), env->reply.text));
	assert_int_equal(env->reply.attempts, 2);
	assert_int_equal(env->nrestart, fixture->is_whole ? 0 : 1);
}

static void a_lost_connection_is_tried_again(void **state)
{
	llm_env *env = *state;

	env->model.attempts = 2;
	llm_env_start(
		env,
		"answer\n  text x\n  drop\nanswer\n  text There.\n  close\nanswer\n  text Again.\n");
	llm_assert_ok(env, llm_env_say(env, "hello"));
	llm_assert_text(env->reply.text, "There.");
	assert_int_equal(env->reply.attempts, 2);
	/* The server has closed the kept connection without a word. */
	llm_assert_ok(env, llm_env_say(env, "hello"));
	llm_assert_text(env->reply.text, "Again.");
}

/* ---------------------------------------------------------------- silence */

static void a_slow_drip_is_waited_for(void **state)
{
	llm_env *env = *state;

	env->model.idle_ms = 700;
	llm_env_start(env, "answer\n  text Drop by drop.\n  pieces 40\n  delay 25\n");
	llm_assert_ok(env, llm_env_say(env, "hello"));
	llm_assert_text(env->reply.text, "Drop by drop.");
	assert_true(env->reply.latency_ms >= 50);
}

static void silence_ends(void **state)
{
	static const struct {
		const char *words, *name;
		int64_t first_byte_ms, idle_ms, total_ms;
	} cases[] = {
		{ "hang", "first byte", 150, 0, 0 },
		{ "wait 5000", "first byte", 150, 0, 0 },
		{ "hang_after 90", "idle", 0, 150, 0 },
		{ "pieces 1\n  delay 20", "total", 0, 0, 300 },
	};
	llm_env *env = *state;
	size_t i;

	for (i = 0; i < AG_NELEM(cases); i++) {
		char script[100];
		int64_t begin;
		ag_status st;

		snprintf(script, sizeof(script), "answer\n  text Never seen.\n  %s\n",
		         cases[i].words);
		env->model.first_byte_ms = cases[i].first_byte_ms;
		env->model.idle_ms = cases[i].idle_ms;
		env->model.total_ms = cases[i].total_ms;
		llm_env_start(env, script);
		begin = now();
		st = llm_env_say(env, "hello");
		if (st != AG_TIMEOUT || now() - begin < 100 || now() - begin > 2500)
			fail_msg("%s: %s after %d ms: %s", cases[i].words, ag_status_name(st),
			         (int)(now() - begin), env->err.msg);
		llm_assert_no_key(env);
	}
}

/* A time-out is worth another attempt. */
static void silence_is_tried_again(void **state)
{
	llm_env *env = *state;

	env->model.attempts = 2;
	env->model.idle_ms = 400;
	llm_env_start(env, "answer\n  text Half of it\n  hang_after 90\nanswer\n  text There.\n");
	llm_assert_ok(env, llm_env_say(env, "hello"));
	llm_assert_text(env->reply.text, "There.");
	assert_int_equal(env->reply.attempts, 2);
}

static void the_deadline_of_the_run_holds(void **state)
{
	llm_env *env = *state;
	int64_t begin;

	env->model.attempts = 4;
	llm_env_start(env, "answer repeat\n  text x\n  hang\n");
	begin = now();
	env->ctx.deadline_ms = begin + 300;
	assert_int_equal(llm_env_say(env, "hello"), AG_TIMEOUT);
	assert_in_range(now() - begin, 290, 2000);
	assert_int_equal(llm_env_nrequest(env), 1);
}

static void *cancel_soon(void *arg)
{
	usleep(100 * 1000);
	atomic_store((atomic_bool *)arg, true);
	return NULL;
}

static void a_cancel_is_heard(void **state)
{
	static const char *const words[] = { "hang", "hang_after 60", "pieces 1\n  delay 30",
		                             "status 429\n  header Retry-After: 20" };
	llm_env *env = *state;
	size_t i;

	env->model.attempts = 4;
	for (i = 0; i < AG_NELEM(words); i++) {
		atomic_bool cancel = false;
		pthread_t thread;
		char script[100];
		int64_t begin;
		ag_status st;

		snprintf(script, sizeof(script), "answer repeat\n  text Never seen.\n  %s\n",
		         words[i]);
		llm_env_start(env, script);
		env->ctx.cancel = &cancel;
		assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &cancel), 0);
		begin = now();
		st = llm_env_say(env, "hello");
		pthread_join(thread, NULL);
		if (st != AG_CANCELLED || now() - begin > 1500)
			fail_msg("%s: %s after %d ms: %s", words[i], ag_status_name(st),
			         (int)(now() - begin), env->err.msg);
		env->ctx.cancel = NULL;
	}
}

/* ---------------------------------------------------------------- chaos */

/* With enough attempts each of 200 calls succeeds, and each answer is the right one. Garbage in the middle of an answer
 * may end a call, with the word that it cannot be read. */
static void chaos_does_not_change_answers(void **state)
{
	static const char *const seed[] = { "--seed", "3", NULL };
	llm_env *env = *state;
	unsigned ngarbled = 0, nretry = 0;
	int i;

	env->model.attempts = 10;
	llm_env_serve(
		env,
		"answer repeat\n  text The one and only answer.\n"
		"chaos 0.06 cut, 0.02 reset, 0.02 drop, 0.06 status 529, 0.03 garbage, 0.05 delay 3\n",
		seed);
	llm_env_open(env);
	for (i = 0; i < 200; i++) {
		ag_status st = llm_env_say(env, "hello");

		if (st == AG_PROTOCOL)
			ngarbled++;
		else if (st)
			fail_msg("call %d: %s", i, env->err.msg);
		else
			llm_assert_text(env->reply.text, "The one and only answer.");
		nretry += env->reply.attempts - 1;
	}
	assert_true(ngarbled <= 15);
	assert_in_range(nretry, 10, 100);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(statuses_are_told_apart),
		T(a_rate_limit_is_waited_for),
		T(no_wait_outlives_the_run),
		T(a_redirect_is_not_followed),
		T(nobody_listens),
		T(a_web_page_is_no_answer),
		T(the_circuit_opens),
		T(an_error_inside_the_stream),
		T(a_lost_connection_is_tried_again),
		T(a_slow_drip_is_waited_for),
		T(silence_ends),
		T(silence_is_tried_again),
		T(the_deadline_of_the_run_holds),
		T(a_cancel_is_heard),
		T(chaos_does_not_change_answers),
	};
	int nfailed = 0;

	for (size_t i = 0; i < nllm_fixture; i++) {
		fixture = &llm_fixtures[i];
		nfailed += cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
	}
	return nfailed > 0;
}
