/* Objects of projects, the same for every store in store_fixtures[]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "store/copy.h"
#include "store/identity.h"
#include "store/objects.h"
#include "store_fixtures.h"

static const store_fixture *fixture; /* of the group that runs */

#define KEY_A "aaaa456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define KEY_B "aaaa956789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define KEY_C "cccc456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

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

static ag_object_row an_object(const char *key, const char *name)
{
	return (ag_object_row){ .project = AG_S("shop"),
		                .kind = AG_S("entry"),
		                .key = ag_str_c(key),
		                .name = ag_str_c(name),
		                .status = AG_S("active"),
		                .author = AG_S("ann"),
		                .confidence = 0.5,
		                .created_ms = 10,
		                .changed_ms = 11,
		                .body = AG_S("{\"content\":\"caf\xc3\xa9\"}") };
}

static void put(store_env *env, const char *key, const char *name)
{
	const ag_object_row o = an_object(key, name);

	assert_ok(env, ag_store_put_objects(env->store, &o, 1, &env->err));
}

static ag_object_row get(store_env *env, const char *key)
{
	ag_object_row o = { 0 };

	assert_ok(env, ag_store_object(env->store, AG_S("shop"), AG_S("entry"), ag_str_c(key),
	                               env->arena, &o, &env->err));
	return o;
}

static void an_object_is_kept_and_replaced(void **state)
{
	store_env *env = *state;
	ag_object_row o, *list;
	size_t n;

	put(env, KEY_A, "Zoo");
	put(env, KEY_C, "Ape");
	o = get(env, KEY_A);
	assert_str(o.name, "Zoo");
	assert_str(o.body, "{\"content\":\"caf\xc3\xa9\"}");
	assert_int_equal(o.version, 1);
	assert_true(o.confidence == 0.5);
	o.name = AG_S("Zoo 2");
	o.created_ms = 99; /* stays what it was */
	o.changed_ms = 12;
	assert_ok(env, ag_store_put_objects(env->store, &o, 1, &env->err));
	o = get(env, "aaaa");
	assert_str(o.name, "Zoo 2");
	assert_int_equal(o.version, 2);
	assert_int_equal(o.created_ms, 10);
	assert_int_equal(o.changed_ms, 12);
	assert_ok(env, ag_store_objects(env->store, AG_S("shop"), AG_S(""), env->arena, &list, &n,
	                                &env->err));
	assert_int_equal(n, 2);
	assert_str(list[0].name, "Ape");
	assert_ok(env, ag_store_objects(env->store, AG_S("shop"), AG_S("metric"), env->arena, &list,
	                                &n, &env->err));
	assert_int_equal(n, 0);
}

static void who_read_an_old_version_is_refused(void **state)
{
	store_env *env = *state;
	ag_object_row rows[2] = { an_object(KEY_B, "B"), an_object(KEY_A, "A") };

	put(env, KEY_A, "A");
	/* One of two exists: neither is written. */
	assert_int_equal(ag_store_put_objects(env->store, rows, 2, &env->err), AG_CONFLICT);
	assert_non_null(strstr(env->err.msg, "\"A\" exists already"));
	assert_int_equal(ag_store_object(env->store, AG_S("shop"), AG_S("entry"), AG_S(KEY_B),
	                                 env->arena, &rows[0], &env->err),
	                 AG_NOT_FOUND);
	rows[1].version = 1;
	assert_ok(env, ag_store_put_objects(env->store, &rows[1], 1, &env->err));
	assert_int_equal(ag_store_put_objects(env->store, &rows[1], 1, &env->err), AG_CONFLICT);
	assert_non_null(strstr(env->err.msg, "changed by somebody else"));
}

static void what_is_no_object_is_refused(void **state)
{
	store_env *env = *state;
	ag_object_row bad[7];

	for (size_t i = 0; i < AG_NELEM(bad); i++)
		bad[i] = an_object(KEY_A, "A");
	bad[0].project = AG_S("");
	bad[1].key = AG_S("abc");
	bad[2].name = AG_S("");
	bad[3].body = AG_S("\xff");
	bad[4].confidence = 1.5;
	bad[5].changed_ms = -1;
	bad[6].status = AG_S("");
	for (size_t i = 0; i < AG_NELEM(bad); i++)
		assert_int_equal(ag_store_put_objects(env->store, &bad[i], 1, &env->err),
		                 AG_INVALID);
	bad[0] = an_object(KEY_A, "A");
	bad[0].body = ag_str_make(ag_arena_alloc(env->arena, AG_OBJECT_MAX_BODY + 1),
	                          AG_OBJECT_MAX_BODY + 1);
	assert_int_equal(ag_store_put_objects(env->store, &bad[0], 1, &env->err), AG_LIMIT);
}

static void a_prefix_names_one(void **state)
{
	store_env *env = *state;
	ag_object_row o;

	put(env, KEY_A, "A");
	put(env, KEY_B, "B");
	assert_int_equal(ag_store_object(env->store, AG_S("shop"), AG_S("entry"), AG_S("aaaa"),
	                                 env->arena, &o, &env->err),
	                 AG_INVALID);
	assert_str(get(env, "aaaa9").name, "B");
	assert_int_equal(ag_store_object(env->store, AG_S("shop"), AG_S("entry"), AG_S("aa%"),
	                                 env->arena, &o, &env->err),
	                 AG_NOT_FOUND);
	assert_int_equal(ag_store_object(env->store, AG_S("bank"), AG_S("entry"), AG_S(KEY_A),
	                                 env->arena, &o, &env->err),
	                 AG_NOT_FOUND);
}

static void the_stamp_changes_with_the_objects(void **state)
{
	store_env *env = *state;
	const ag_str keys[] = { AG_S(KEY_A), AG_S(KEY_C) };
	ag_object_stamp a, b;
	ag_object_row o;

	put(env, KEY_A, "A");
	assert_ok(env, ag_store_object_stamp(env->store, AG_S("shop"), &a, &env->err));
	assert_int_equal(a.nrow, 1);
	/* Uses do not count; a key that is gone is passed over. */
	assert_ok(env, ag_store_use_objects(env->store, AG_S("shop"), AG_S("entry"), keys, 2, 77,
	                                    &env->err));
	assert_ok(env, ag_store_object_stamp(env->store, AG_S("shop"), &b, &env->err));
	assert_memory_equal(&a, &b, sizeof(a));
	o = get(env, KEY_A);
	assert_int_equal(o.uses, 1);
	assert_int_equal(o.used_ms, 77);
	o.status = AG_S("review");
	assert_ok(env, ag_store_put_objects(env->store, &o, 1, &env->err));
	assert_ok(env, ag_store_object_stamp(env->store, AG_S("shop"), &b, &env->err));
	assert_int_equal(b.versions, 2);
	assert_ok(env, ag_store_drop_object(env->store, AG_S("shop"), AG_S("entry"), AG_S(KEY_A),
	                                    &env->err));
	assert_int_equal(ag_store_drop_object(env->store, AG_S("shop"), AG_S("entry"), AG_S(KEY_A),
	                                      &env->err),
	                 AG_NOT_FOUND);
	assert_ok(env, ag_store_object_stamp(env->store, AG_S("shop"), &b, &env->err));
	assert_int_equal(b.nrow, 0);
}

static void a_dropped_project_takes_them_along(void **state)
{
	store_env *env = *state;
	const ag_project_row p = { .id = AG_S("shop"), .settings = AG_S("{}"), .is_active = true };
	ag_object_row *list;
	size_t n;

	assert_ok(env, ag_store_put_project(env->store, &p, &env->err));
	put(env, KEY_A, "A");
	assert_ok(env, ag_store_drop_project(env->store, AG_S("shop"), &env->err));
	assert_ok(env, ag_store_objects(env->store, AG_S("shop"), AG_S(""), env->arena, &list, &n,
	                                &env->err));
	assert_int_equal(n, 0);
}

static void a_copy_has_them(void **state)
{
	store_env *env = *state;
	ag_store *memory = NULL;
	ag_store_copied done;
	ag_object_row o = { 0 }, was;

	put(env, KEY_A, "A");
	put(env, KEY_B, "B");
	was = get(env, KEY_A);
	assert_ok(env, ag_store_open(AG_S("memory:"), &memory, &env->err));
	assert_ok(env, ag_store_copy(env->store, memory, NULL, &done, &env->err));
	assert_ok(env, ag_store_object(memory, AG_S("shop"), AG_S("entry"), AG_S(KEY_A), env->arena,
	                               &o, &env->err));
	assert_true(ag_str_eq(o.body, was.body));
	assert_int_equal(o.created_ms, was.created_ms);
	assert_int_equal(o.version, was.version);
	assert_ok(env, ag_store_object(memory, AG_S("shop"), AG_S("entry"), AG_S(KEY_B), env->arena,
	                               &o, &env->err));
	ag_store_close(memory);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(an_object_is_kept_and_replaced),
		T(who_read_an_old_version_is_refused),
		T(what_is_no_object_is_refused),
		T(a_prefix_names_one),
		T(the_stamp_changes_with_the_objects),
		T(a_dropped_project_takes_them_along),
		T(a_copy_has_them),
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
