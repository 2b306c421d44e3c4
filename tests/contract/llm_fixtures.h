/* Model servers for the tests of llm/: one contract suite, run with each protocol, streamed and whole, against the
 * scripted server of tests/fake/ (FAKE_MODEL), over real sockets. */
#ifndef AG_TESTS_LLM_FIXTURES_H
#define AG_TESTS_LLM_FIXTURES_H

#include <sys/types.h>

#include "llm/llm.h"
#include "query/value.h"

#define LLM_TEST_KEY "sk-test-4f1c9d7a2b"

typedef struct llm_fixture {
	const char *name; /* of the group of cases */
	const char *provider;
	bool is_whole; /* asked without streaming */
} llm_fixture;

extern const llm_fixture llm_fixtures[];
extern const size_t nllm_fixture;

typedef struct llm_env {
	const llm_fixture *fixture;
	ag_arena *arena;
	char folder[128];
	pid_t server;
	unsigned port;
	ag_llm_hub *hub;
	ag_llm *llm;
	ag_llm_model model; /* what llm_env_open() opens: change it before */
	ag_ctx ctx;
	/* of the last llm_env_ask() */
	ag_llm_reply reply;
	ag_err err;
	ag_buf text, thinking; /* as they came by on_delta */
	unsigned nrestart;     /* on_delta began anew */
} llm_env;

llm_env *llm_env_new(const llm_fixture *f);
llm_env *llm_env_new_once(const llm_fixture *f); /* its model is asked once, not tried again */
/* Stops the server; fails the test when it did not end cleanly. */
void llm_env_free(llm_env *env);
bool llm_env_is_anthropic(const llm_env *env);

/* A server with that script, instead of the one before. options: more arguments, NULL-terminated; may be NULL. */
void llm_env_serve(llm_env *env, const char *script, const char *const *options);
void llm_env_stop(llm_env *env);
/* A hub and env->model on it, instead of those before; retries wait a millisecond at most. */
void llm_env_open(llm_env *env);
/* Both. */
void llm_env_start(llm_env *env, const char *script);

/* Asks; env->reply and env->err are filled. r: purpose, on_delta and arg are set here. */
ag_status llm_env_ask(llm_env *env, ag_llm_request *r);
/* One user message. */
ag_status llm_env_say(llm_env *env, const char *text);
/* The lines of the server's log, in env->arena. */
const ag_val *llm_env_log(llm_env *env, size_t *ret_n);
/* How many requests came. */
size_t llm_env_nrequest(llm_env *env);

/* The failure says how often was tried, and holds no key. */
void llm_assert_no_key(const llm_env *env);
/* assert_ok(env, call): the message is shown when the call fails. */
#define llm_assert_ok(env, call)                                                               \
	do {                                                                                   \
		if ((call) != AG_OK)                                                           \
			fail_msg("%s: %s", ag_status_name((env)->err.status), (env)->err.msg); \
	} while (0)
#define llm_assert_text(got, want) assert_string_equal(ag_str_cstr(env->arena, (got)), (want))

#endif
