/* Share links, the same for every store in store_fixtures[]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/copy.h"
#include "store/identity.h"
#include "store/shares.h"
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

static ag_share_row link_of(store_env *env, const char *name, const char *thing, int64_t at_ms)
{
	return (ag_share_row){ .id = ag_str_printf(env->arena, "%s%.*s", name,
		                                   (int)(AG_SHARE_ID_CHARS - strlen(name)),
		                                   "0000000000000000"),
		               .hash = ag_str_printf(env->arena, "hash of %s", name),
		               .kind = AG_S("artifact"),
		               .thing = ag_str_c(thing),
		               .version = 2,
		               .project = AG_S("shop"),
		               .user = AG_S("ann"),
		               .audience = AG_S("users"),
		               .users = AG_S("[\"bob\"]"),
		               .title = AG_S("Ums\xc3\xa4tze"),
		               .created_ms = at_ms,
		               .expires_ms = at_ms + 1000 };
}

static ag_share_row add(store_env *env, const char *name, const char *thing, int64_t at_ms)
{
	const ag_share_row row = link_of(env, name, thing, at_ms);
	const ag_share_copy copy = { at_ms, 2, AG_S("{\"a\":1}") };

	assert_ok(env, ag_store_add_share(env->store, &row, &copy, &env->err));
	return row;
}

static ag_share_row get(store_env *env, ag_str id)
{
	ag_share_row row;

	assert_ok(env, ag_store_share(env->store, id, env->arena, &row, &env->err));
	return row;
}

static ag_status copy_of(store_env *env, ag_store *s, ag_str id)
{
	ag_share_copy copy;

	return ag_store_share_copy(s, id, env->arena, &copy, &env->err);
}

static void a_link_is_as_it_was_made(void **state)
{
	store_env *env = (store_env *)*state;
	const ag_share_row made = add(env, "a", "t1", 100), row = get(env, made.id);
	ag_share_copy copy;

	assert_true(ag_str_eq(row.hash, made.hash) && ag_str_eq(row.title, made.title) &&
	            ag_str_eq(row.users, made.users) && ag_str_eq(row.audience, made.audience));
	assert_true(row.version == 2 && row.created_ms == 100 && row.expires_ms == 1100 &&
	            !row.revoked_ms && !row.opened_ms && !row.nopen);
	assert_ok(env, ag_store_share_copy(env->store, row.id, env->arena, &copy, &env->err));
	assert_true(ag_str_eqc(copy.body, "{\"a\":1}") && copy.at_ms == 100 && copy.version == 2);
	copy = (ag_share_copy){ 300, 3, AG_S("{}") };
	assert_ok(env, ag_store_put_share_copy(env->store, row.id, &copy, &env->err));
	assert_ok(env, ag_store_share_copy(env->store, row.id, env->arena, &copy, &env->err));
	assert_true(ag_str_eqc(copy.body, "{}") && copy.at_ms == 300 && copy.version == 3);
	assert_int_equal(ag_store_add_share(env->store, &made, &copy, &env->err), AG_CONFLICT);
	assert_int_equal(ag_store_share(env->store, AG_S("b"), env->arena, &(ag_share_row){ 0 },
	                                &env->err),
	                 AG_NOT_FOUND);
}

static void openings_are_counted_until_it_is_revoked(void **state)
{
	store_env *env = (store_env *)*state;
	const ag_str id = add(env, "a", "t1", 100).id;

	assert_ok(env, ag_store_open_share(env->store, id, 200, &env->err));
	assert_ok(env, ag_store_open_share(env->store, id, 300, &env->err));
	assert_true(get(env, id).nopen == 2 && get(env, id).opened_ms == 300);
	assert_ok(env, ag_store_revoke_share(env->store, id, 400, &env->err));
	assert_ok(env, ag_store_revoke_share(env->store, id, 500, &env->err));
	assert_true(get(env, id).revoked_ms == 400);
	assert_int_equal(copy_of(env, env->store, id), AG_NOT_FOUND);
	assert_int_equal(ag_store_open_share(env->store, id, 600, &env->err), AG_NOT_FOUND);
	assert_true(get(env, id).nopen == 2);
	assert_int_equal(ag_store_put_share_copy(env->store, id,
	                                         &(ag_share_copy){ 1, 1, AG_S("{}") }, &env->err),
	                 AG_NOT_FOUND);
	assert_int_equal(ag_store_revoke_share(env->store, AG_S("b"), 1, &env->err), AG_NOT_FOUND);
}

static size_t list(store_env *env, const ag_share_question *q, ag_share_row **ret)
{
	size_t n;

	assert_ok(env, ag_store_shares(env->store, q, env->arena, ret, &n, &env->err));
	return n;
}

static void lists_are_of_a_project_and_have_pages(void **state)
{
	store_env *env = (store_env *)*state;
	ag_share_question q = { .project = AG_S("shop"), .limit = 2 };
	ag_share_row *rows;

	add(env, "a", "t1", 100);
	add(env, "b", "t1", 200);
	add(env, "c", "t2", 200);
	assert_int_equal(list(env, &q, &rows), 2);
	assert_true(rows[0].id.ptr[0] == 'c' && rows[1].id.ptr[0] == 'b');
	q.before_ms = rows[1].created_ms;
	q.before_id = rows[1].id;
	assert_int_equal(list(env, &q, &rows), 1);
	assert_true(rows[0].id.ptr[0] == 'a');
	q = (ag_share_question){
		.project = AG_S("shop"), .kind = AG_S("artifact"), .thing = AG_S("t1"), .limit = 9
	};
	assert_int_equal(list(env, &q, &rows), 2);
	q.user = AG_S("bob");
	assert_int_equal(list(env, &q, &rows), 0);
	q = (ag_share_question){ .project = AG_S("other"), .limit = 9 };
	assert_int_equal(list(env, &q, &rows), 0);
}

static void one_thing_has_a_limited_number_of_links(void **state)
{
	store_env *env = (store_env *)*state;
	const ag_share_copy copy = { 1, 1, AG_S("{}") };
	ag_share_row row;
	char name[8];

	for (unsigned i = 0; i < AG_SHARE_MAX_OF_THING; i++) {
		snprintf(name, sizeof(name), "%u-", i);
		add(env, name, "t1", 1);
	}
	row = link_of(env, "x", "t1", 1);
	assert_int_equal(ag_store_add_share(env->store, &row, &copy, &env->err), AG_LIMIT);
	assert_ok(env, ag_store_revoke_shares(env->store, AG_S("shop"), AG_S("artifact"),
	                                      AG_S("t1"), 2, &env->err));
	assert_ok(env, ag_store_add_share(env->store, &row, &copy, &env->err));
	assert_int_equal(copy_of(env, env->store, AG_S("0-00000000000000")), AG_NOT_FOUND);
	assert_ok(env, copy_of(env, env->store, row.id));
}

static void what_cannot_be_kept_is_refused(void **state)
{
	store_env *env = (store_env *)*state;
	ag_share_row row = link_of(env, "a", "t1", 1);
	const ag_share_copy copy = { 1, 1, AG_S("{}") };
	char *large = (char *)ag_xcalloc(1, AG_SHARE_MAX_COPY + 1);

	memset(large, 'x', AG_SHARE_MAX_COPY + 1);
	assert_int_equal(ag_store_add_share(env->store, &row,
	                                    &(ag_share_copy){
						    1, 1,
						    ag_str_make(large, AG_SHARE_MAX_COPY + 1) },
	                                    &env->err),
	                 AG_LIMIT);
	free(large);
	row.title = AG_S("a\0b");
	assert_int_equal(ag_store_add_share(env->store, &row, &copy, &env->err), AG_INVALID);
}

static void a_purge_and_a_removed_project_take_copies_along(void **state)
{
	store_env *env = (store_env *)*state;
	const ag_project_row p = { .id = AG_S("shop"), .settings = AG_S("{}"), .is_active = true };
	const ag_str old = add(env, "a", "t1", 100).id, young = add(env, "b", "t1", 900).id;
	ag_share_row row;
	uint64_t nrun;

	assert_ok(env, ag_store_put_project(env->store, &p, &env->err));
	assert_ok(env, ag_store_purge(env->store, 500, &nrun, &env->err));
	assert_int_equal(ag_store_share(env->store, old, env->arena, &row, &env->err),
	                 AG_NOT_FOUND);
	assert_int_equal(copy_of(env, env->store, old), AG_NOT_FOUND);
	assert_ok(env, copy_of(env, env->store, young));
	assert_ok(env, ag_store_drop_project(env->store, AG_S("shop"), &env->err));
	assert_int_equal(ag_store_share(env->store, young, env->arena, &row, &env->err),
	                 AG_NOT_FOUND);
	assert_int_equal(copy_of(env, env->store, young), AG_NOT_FOUND);
}

static void a_copied_store_has_them(void **state)
{
	store_env *env = (store_env *)*state;
	const ag_str id = add(env, "a", "t1", 100).id;
	ag_store_copied done = { 0 };
	ag_store *to = NULL;
	ag_share_row row;

	assert_ok(env, ag_store_open_share(env->store, id, 200, &env->err));
	assert_ok(env, ag_store_open(AG_S("memory:"), &to, &env->err));
	assert_ok(env, ag_store_copy(env->store, to, NULL, &done, &env->err));
	assert_ok(env, ag_store_share(to, id, env->arena, &row, &env->err));
	assert_true(row.nopen == 1 && row.expires_ms == 1100);
	assert_ok(env, copy_of(env, to, id));
	ag_store_close(to);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_link_is_as_it_was_made),
		T(openings_are_counted_until_it_is_revoked),
		T(lists_are_of_a_project_and_have_pages),
		T(one_thing_has_a_limited_number_of_links),
		T(what_cannot_be_kept_is_refused),
		T(a_purge_and_a_removed_project_take_copies_along),
		T(a_copied_store_has_them),
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
