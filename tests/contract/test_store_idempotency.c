/* Requests that are done once, the same for every store in store_fixtures[]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/idempotency.h"
#include "store_fixtures.h"

static const store_fixture *fixture; /* of the group that runs */

static int setup(void **state)
{
	store_env *env = store_env_new(fixture);

	*state = env;
	return (int)ag_store_open(ag_str_c(env->uri), &env->store, &env->err);
}

static int teardown(void **state)
{
	store_env_free(*state);
	return 0;
}

static ag_idempotency asked(const char *key, const char *request, const char *claim, int64_t at_ms)
{
	return (ag_idempotency){ ag_str_c(key), ag_str_c(request), ag_str_c(claim), at_ms };
}

static ag_idempotent_answer claim(store_env *env, const ag_idempotency *i)
{
	ag_idempotent_answer a = { 0 };

	assert_ok(env, ag_store_claim_key(env->store, i, env->arena, &a, &env->err));
	return a;
}

static void the_first_answer_is_given_again(void **state)
{
	store_env *env = (store_env *)*state;
	const ag_idempotency first = asked("k", "r", "c1", 1000),
			     again = asked("k", "r", "c2", 2000);
	const ag_idempotency other = asked("k", "another", "c3", 2000);
	const ag_idempotent_answer answer = { .status = 201,
		                              .media = AG_S("application/json"),
		                              .body = AG_S("{\"name\":\"ä\"}") };
	ag_idempotent_answer a;

	assert_true(claim(env, &first).is_claimed);
	a = claim(env, &again);
	assert_true(!a.is_claimed && a.is_same && a.status == 0);
	a = claim(env, &other);
	assert_true(!a.is_claimed && !a.is_same);
	/* Another request cannot keep, or give back, what it did not claim. */
	assert_ok(env,
	          ag_store_keep_answer(env->store, &again,
	                               &(ag_idempotent_answer){
					       .status = 500, .media = AG_S(""), .body = AG_S("") },
	                               &env->err));
	assert_ok(env, ag_store_drop_key(env->store, &again, &env->err));
	assert_int_equal(claim(env, &again).status, 0);
	assert_ok(env, ag_store_keep_answer(env->store, &first, &answer, &env->err));
	a = claim(env, &again);
	assert_true(!a.is_claimed && a.is_same);
	assert_int_equal(a.status, 201);
	assert_true(ag_str_eq(a.media, answer.media) && ag_str_eq(a.body, answer.body));
	assert_false(claim(env, &other).is_same);
	/* Another key is another request. */
	assert_true(claim(env, &(ag_idempotency){ AG_S("k2"), AG_S("r"), AG_S("c4"), 2000 })
	                    .is_claimed);
}

static void a_key_that_was_given_back_is_free(void **state)
{
	store_env *env = (store_env *)*state;
	const ag_idempotency first = asked("k", "r", "c1", 1000),
			     next = asked("k", "r2", "c2", 1001);

	assert_true(claim(env, &first).is_claimed);
	assert_ok(env, ag_store_drop_key(env->store, &first, &env->err));
	assert_true(claim(env, &next).is_claimed);
}

static void a_key_is_kept_for_a_day(void **state)
{
	store_env *env = (store_env *)*state;
	const ag_idempotency first = asked("k", "r", "c1", 1000);
	const ag_idempotency last = asked("k", "r", "c2", 1000 + AG_IDEMPOTENCY_KEPT_MS);
	const ag_idempotency later = asked("k", "r", "c3", 1001 + AG_IDEMPOTENCY_KEPT_MS);

	assert_true(claim(env, &first).is_claimed);
	assert_false(claim(env, &last).is_claimed);
	assert_true(claim(env, &later).is_claimed);
}

static void what_is_kept_has_bounds(void **state)
{
	store_env *env = (store_env *)*state;
	const ag_idempotency i = asked("k", "r", "c", 1000);
	char *large = (char *)malloc(AG_IDEMPOTENCY_MAX_BODY + 1);
	ag_idempotent_answer a = { .status = 200, .media = AG_S("") };

	assert_non_null(large);
	memset(large, 'x', AG_IDEMPOTENCY_MAX_BODY + 1);
	assert_true(claim(env, &i).is_claimed);
	a.body = ag_str_make(large, AG_IDEMPOTENCY_MAX_BODY + 1);
	assert_true(ag_store_keep_answer(env->store, &i, &a, &env->err) != AG_OK);
	a.body = ag_str_make(large, AG_IDEMPOTENCY_MAX_BODY);
	assert_ok(env, ag_store_keep_answer(env->store, &i, &a, &env->err));
	assert_true(ag_store_claim_key(env->store,
	                               &(ag_idempotency){ AG_S("a\0b"), AG_S("r"), AG_S("c"), 1 },
	                               env->arena, &a, &env->err) != AG_OK);
	free(large);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(the_first_answer_is_given_again),
		T(a_key_that_was_given_back_is_free),
		T(a_key_is_kept_for_a_day),
		T(what_is_kept_has_bounds),
	};
	int nfailed = 0;

	for (size_t i = 0; i < nstore_fixture; i++) {
		fixture = &store_fixtures[i];
		if (store_fixture_start(fixture))
			continue;
		nfailed += cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
		store_fixture_stop(fixture);
	}
	return nfailed > 0;
}
