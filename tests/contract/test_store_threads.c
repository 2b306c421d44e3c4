/* Threads that are served, the same for every store in store_fixtures[]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/feedback.h"
#include "store/threads.h"
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

static ag_thread_row a_thread(unsigned n, const char *user, int64_t at_ms)
{
	ag_thread_row r = { .name = AG_S("chat"),
		            .user = ag_str_c(user),
		            .project = AG_S("shop"),
		            .title = AG_S("50% of _orders"),
		            .created_ms = at_ms,
		            .changed_ms = at_ms };

	snprintf(r.id.text, sizeof(r.id.text), "0190c3e2-aaaa-7000-8000-%012u", n);
	return r;
}

static ag_thread_row claim(store_env *env, unsigned n, const char *user, int64_t at_ms)
{
	const ag_thread_row row = a_thread(n, user, at_ms);
	ag_thread_row ret = { 0 };

	assert_ok(env, ag_store_claim_thread(env->store, &row, NULL, env->arena, &ret, &env->err));
	return ret;
}

static void the_first_user_of_an_id_owns_it(void **state)
{
	store_env *env = *state;
	const ag_thread_row mine = claim(env, 1, "ann", 10), again = claim(env, 1, "ann", 20),
			    other = claim(env, 1, "bob", 30);

	assert_int_equal(mine.changed_ms, 10);
	assert_int_equal(again.created_ms, 10);
	assert_int_equal(again.changed_ms, 20);
	assert_str(other.user, "ann");
	assert_int_equal(other.changed_ms, 20);
}

static void only_the_owner_changes_it(void **state)
{
	store_env *env = *state;
	ag_thread_row t = claim(env, 1, "ann", 10);
	const ag_thread_change title = { .title = AG_S("Orders") }, viewed = { .viewed_ms = 40 },
			       deleted = { .deleted_ms = 50 };

	assert_int_equal(ag_store_change_thread(env->store, &t.id, AG_S("bob"), &title, &env->err),
	                 AG_NOT_FOUND);
	assert_ok(env, ag_store_change_thread(env->store, &t.id, AG_S("ann"), &title, &env->err));
	assert_ok(env, ag_store_change_thread(env->store, &t.id, AG_S("ann"), &viewed, &env->err));
	assert_ok(env, ag_store_thread(env->store, &t.id, env->arena, &t, &env->err));
	assert_str(t.title, "Orders");
	assert_int_equal(t.viewed_ms, 40);
	assert_ok(env, ag_store_change_thread(env->store, &t.id, AG_S("ann"), &deleted, &env->err));
	assert_int_equal(ag_store_change_thread(env->store, &t.id, AG_S("ann"), &title, &env->err),
	                 AG_NOT_FOUND);
	/* Its id stays taken. */
	t = claim(env, 1, "ann", 60);
	assert_int_equal(t.deleted_ms, 50);
	assert_int_equal(t.changed_ms, 10);
}

static size_t list(store_env *env, const ag_thread_question *q, ag_thread_row **ret)
{
	size_t n = 0;

	assert_ok(env, ag_store_threads(env->store, q, env->arena, ret, &n, &env->err));
	return n;
}

static void the_list_has_pages_and_finds_titles(void **state)
{
	store_env *env = *state;
	ag_thread_question q = { .user = AG_S("ann"), .limit = 3 };
	const ag_thread_change title = { .title = AG_S("Caf\xc3\xa9 Menu") };
	ag_thread_row *rows, t;
	unsigned seen = 0;
	size_t n;

	for (unsigned i = 1; i <= 8; i++)
		claim(env, i, "ann", 10 + i / 2); /* two at the same time */
	claim(env, 9, "bob", 99);
	t = a_thread(4, "ann", 0);
	assert_ok(env, ag_store_change_thread(env->store, &t.id, AG_S("ann"), &title, &env->err));
	while ((n = list(env, &q, &rows)) > 0) {
		seen += (unsigned)n;
		q.before_ms = rows[n - 1].changed_ms;
		q.before_id = ag_id_str(&rows[n - 1].id);
	}
	assert_int_equal(seen, 8);
	q = (ag_thread_question){ .user = AG_S("ann"), .text = AG_S("menu"), .limit = 10 };
	assert_int_equal(list(env, &q, &rows), 1);
	assert_string_equal(rows[0].id.text, t.id.text);
	q.text = AG_S("50% of _");
	assert_int_equal(list(env, &q, &rows), 7);
	q.text = AG_S("5_%");
	assert_int_equal(list(env, &q, &rows), 0);
	q.text = AG_S("");
	q.project = AG_S("other");
	assert_int_equal(list(env, &q, &rows), 0);
}

static void a_stop_is_seen_until_the_next_question(void **state)
{
	store_env *env = *state;
	const ag_thread_row t = claim(env, 1, "ann", 10);
	ag_id *ids;
	size_t n = 9;

	claim(env, 2, "ann", 10);
	assert_ok(env, ag_store_stopped_threads(env->store, env->arena, &ids, &n, &env->err));
	assert_int_equal(n, 0);
	assert_ok(env, ag_store_stop_thread(env->store, &t.id, 20, &env->err));
	assert_ok(env, ag_store_stopped_threads(env->store, env->arena, &ids, &n, &env->err));
	assert_int_equal(n, 1);
	assert_string_equal(ids[0].text, t.id.text);
	claim(env, 1, "ann", 30);
	assert_ok(env, ag_store_stopped_threads(env->store, env->arena, &ids, &n, &env->err));
	assert_int_equal(n, 0);
}

static ag_status claim_with(store_env *env, unsigned n, const char *user, const char *owner,
                            int64_t at_ms, ag_thread_row *ret)
{
	const ag_thread_row row = a_thread(n, user, at_ms);
	const ag_store_leased lease = { row.id, ag_str_c(owner), at_ms, 1000 };

	return ag_store_claim_thread(env->store, &row, &lease, env->arena, ret, &env->err);
}

static void a_thread_is_claimed_with_the_right_to_write_it(void **state)
{
	store_env *env = *state;
	ag_thread_row t;

	assert_ok(env, claim_with(env, 1, "ann", "first", 10, &t));
	assert_int_equal(t.changed_ms, 10);
	/* Nobody else has it meanwhile, and its owner has it still. */
	assert_int_equal(claim_with(env, 1, "ann", "second", 20, &t), AG_CONFLICT);
	assert_int_equal(ag_store_lease(env->store, &t.id, AG_S("second"), 20, 1000, &env->err),
	                 AG_CONFLICT);
	assert_ok(env, claim_with(env, 1, "ann", "first", 30, &t));
	/* Given back, or run out: the next one has it. */
	assert_ok(env, ag_store_lease(env->store, &t.id, AG_S("first"), 40, 0, &env->err));
	assert_ok(env, claim_with(env, 1, "ann", "second", 50, &t));
	assert_int_equal(claim_with(env, 1, "ann", "third", 1049, &t), AG_CONFLICT);
	assert_ok(env, claim_with(env, 1, "ann", "third", 1050, &t));
	assert_int_equal(t.changed_ms, 1050);
}

static void who_does_not_own_a_thread_gets_no_right_to_write_it(void **state)
{
	store_env *env = *state;
	const ag_thread_change deleted = { .deleted_ms = 50 };
	ag_thread_row t;

	claim(env, 1, "ann", 10);
	assert_ok(env, claim_with(env, 1, "bob", "bob", 20, &t));
	assert_str(t.user, "ann");
	assert_int_equal(t.changed_ms, 10);
	assert_ok(env, claim_with(env, 1, "ann", "ann", 30, &t));
	assert_ok(env, ag_store_lease(env->store, &t.id, AG_S("ann"), 40, 0, &env->err));
	assert_ok(env, ag_store_change_thread(env->store, &t.id, AG_S("ann"), &deleted, &env->err));
	assert_ok(env, claim_with(env, 1, "ann", "again", 60, &t));
	assert_int_equal(t.deleted_ms, 50);
	assert_ok(env, ag_store_lease(env->store, &t.id, AG_S("other"), 70, 1000, &env->err));
}

static void what_is_too_long_is_refused(void **state)
{
	store_env *env = *state;
	ag_thread_row row = a_thread(1, "ann", 10), ret;
	char text[900];

	memset(text, 'x', sizeof(text));
	row.title = ag_str_make(text, sizeof(text));
	assert_int_equal(ag_store_claim_thread(env->store, &row, NULL, env->arena, &ret, &env->err),
	                 AG_LIMIT);
	row = a_thread(1, "ann", 10);
	row.name = ag_str_make(text, 129);
	assert_int_equal(ag_store_claim_thread(env->store, &row, NULL, env->arena, &ret, &env->err),
	                 AG_LIMIT);
	assert_int_equal(ag_store_thread(env->store, &row.id, env->arena, &ret, &env->err),
	                 AG_NOT_FOUND);
}

/* --- turns that replace others --- */

#define KEY "thread:0190c3e2-aaaa-7000-8000-000000000001"

static ag_id turn_id(unsigned n)
{
	ag_id ret;

	snprintf(ret.text, sizeof(ret.text), "0190c3e2-bbbb-7000-8000-%012u", n);
	return ret;
}

static void put_turn(store_env *env, unsigned n, unsigned replaces)
{
	const ag_id id = turn_id(n), other = turn_id(replaces);
	const ag_run_row row = { .id = id,
		                 .agent = AG_S("analyst"),
		                 .source_uri = AG_S("shop/ann"),
		                 .source_key = AG_S(KEY),
		                 .status = AG_S("ok"),
		                 .summary = ag_str_printf(env->arena, "question %u", n),
		                 .started_ms = 1000 + n,
		                 .finished_ms = 2000 + n,
		                 .replaces = replaces ? ag_id_str(&other) : AG_S("") };
	const ag_store_batch batch = { .run = &row };

	assert_ok(env, ag_store_commit(env->store, &id, &batch, &env->err));
}

/* "4 2 1": the turns that are shown, newest first. */
static const char *shown(store_env *env, unsigned before)
{
	const ag_id id = turn_id(before);
	const ag_turns_question q = { .source_key = AG_S(KEY),
		                      .before = before ? ag_id_str(&id) : AG_S(""),
		                      .limit = 100 };
	ag_str ret = AG_S("");
	ag_run_row *rows;
	size_t n;

	assert_ok(env, ag_store_turns(env->store, &q, env->arena, &rows, &n, &env->err));
	for (size_t i = 0; i < n; i++)
		ret = ag_str_printf(env->arena, "%.*s%s%c", AG_FMT(ret), i ? " " : "",
		                    rows[i].id.text[AG_ID_LEN - 1]);
	return ag_str_cstr(env->arena, ret);
}

static void a_turn_that_replaces_another_hides_it_and_what_followed(void **state)
{
	const ag_group_question all = { .agent = AG_S("analyst"),
		                        .source_uri = AG_S("shop/ann"),
		                        .prefix = AG_S("thread:"),
		                        .limit = 10 };
	store_env *env = *state;
	ag_run_group *groups;
	ag_run_row *rows;
	size_t n;

	for (unsigned i = 1; i <= 3; i++)
		put_turn(env, i, 0);
	assert_string_equal(shown(env, 0), "3 2 1");
	put_turn(env, 4, 2);
	assert_string_equal(shown(env, 0), "4 1");
	put_turn(env, 5, 0);
	put_turn(env, 6, 4);
	assert_string_equal(shown(env, 0), "6 1");
	/* Its row may be written again. */
	put_turn(env, 6, 4);
	assert_string_equal(shown(env, 0), "6 1");
	assert_string_equal(shown(env, 6), "5 4 1");
	assert_string_equal(shown(env, 4), "3 2 1");
	put_turn(env, 7, 1);
	assert_string_equal(shown(env, 0), "7");
	assert_ok(env, ag_store_groups(env->store, &all, env->arena, &groups, &n, &env->err));
	assert_int_equal(n, 1);
	assert_int_equal(groups[0].nrun, 1);
	assert_str(groups[0].summary, "question 7");
	assert_ok(env, ag_store_replacing(env->store, AG_S(KEY), env->arena, &rows, &n, &env->err));
	assert_int_equal(n, 3);
	assert_str(rows[1].replaces, turn_id(4).text);
	/* Nothing is gone. */
	assert_ok(env,
	          ag_store_runs(env->store, AG_S(KEY), 100, 0, env->arena, &rows, &n, &env->err));
	assert_int_equal(n, 7);
}

static void what_is_replaced_has_an_id(void **state)
{
	store_env *env = *state;
	const ag_run_row row = { .id = turn_id(1),
		                 .agent = AG_S("analyst"),
		                 .source_key = AG_S(KEY),
		                 .status = AG_S("ok"),
		                 .replaces = AG_S("the last one") };
	const ag_store_batch batch = { .run = &row };

	assert_int_equal(ag_store_commit(env->store, &row.id, &batch, &env->err), AG_INVALID);
}

/* --- feedback --- */

static void say(store_env *env, unsigned turn, const char *user, const char *verdict, int64_t at_ms)
{
	const ag_feedback_row f = { .turn = turn_id(turn),
		                    .thread = a_thread(1, "ann", 0).id,
		                    .user = ag_str_c(user),
		                    .project = AG_S("shop"),
		                    .verdict = ag_str_c(verdict),
		                    .reason = AG_S("it is so"),
		                    .created_ms = at_ms,
		                    .changed_ms = at_ms };

	assert_ok(env, ag_store_put_feedback(env->store, &f, &env->err));
}

static void feedback_is_one_for_each_user_and_turn(void **state)
{
	store_env *env = *state;
	const ag_id thread = a_thread(1, "ann", 0).id, first = turn_id(1);
	ag_feedback_question q = { .project = AG_S("shop"), .limit = 2 };
	ag_feedback_row *rows, wrong = { .turn = first, .verdict = AG_S("sideways") };
	size_t n, seen = 0;

	put_turn(env, 1, 0);
	say(env, 1, "ann", "up", 10);
	say(env, 1, "ann", "down", 20);
	say(env, 1, "bob", "up", 20);
	say(env, 2, "ann", "up", 20);
	assert_ok(env, ag_store_feedback_of(env->store, &thread, AG_S("ann"), env->arena, &rows, &n,
	                                    &env->err));
	assert_int_equal(n, 2);
	assert_str(rows[0].verdict, "down");
	assert_str(rows[0].reason, "it is so");
	assert_int_equal(rows[0].created_ms, 10);
	do {
		assert_ok(env, ag_store_feedback(env->store, &q, env->arena, &rows, &n, &env->err));
		seen += n;
		if (n) {
			q.before_ms = rows[n - 1].changed_ms;
			q.before_turn = ag_id_str(&rows[n - 1].turn);
			q.before_user = rows[n - 1].user;
		}
	} while (n);
	assert_int_equal(seen, 3);
	q = (ag_feedback_question){ .project = AG_S("shop"), .verdict = AG_S("down"), .limit = 9 };
	assert_ok(env, ag_store_feedback(env->store, &q, env->arena, &rows, &n, &env->err));
	assert_int_equal(n, 1);
	assert_str(rows[0].question, "question 1");
	assert_ok(env, ag_store_drop_feedback(env->store, &first, AG_S("ann"), &env->err));
	assert_ok(env, ag_store_feedback_of(env->store, &thread, AG_S("ann"), env->arena, &rows, &n,
	                                    &env->err));
	assert_int_equal(n, 1);
	assert_int_equal(ag_store_put_feedback(env->store, &wrong, &env->err), AG_INVALID);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(the_first_user_of_an_id_owns_it),
		T(only_the_owner_changes_it),
		T(the_list_has_pages_and_finds_titles),
		T(a_stop_is_seen_until_the_next_question),
		T(a_thread_is_claimed_with_the_right_to_write_it),
		T(who_does_not_own_a_thread_gets_no_right_to_write_it),
		T(what_is_too_long_is_refused),
		T(a_turn_that_replaces_another_hides_it_and_what_followed),
		T(what_is_replaced_has_an_id),
		T(feedback_is_one_for_each_user_and_turn),
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
