/* Artifacts of projects, the same for every store in store_fixtures[]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "store/artifacts.h"
#include "store/copy.h"
#include "store/identity.h"
#include "store_fixtures.h"

static const store_fixture *fixture; /* of the group that runs */

/* Ids of the artifact number a and its version number v, in order. */
static ag_str id_of(store_env *env, unsigned a, unsigned v)
{
	return ag_str_printf(env->arena, "0190c3e%x-0000-7000-8000-%012x", a, v);
}

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

static ag_artifact_row a_row(store_env *env, const char *project, unsigned a)
{
	return (ag_artifact_row){ .project = ag_str_c(project),
		                  .id = id_of(env, a, 1),
		                  .title = AG_S("Orders"),
		                  .kind = AG_S("markdown"),
		                  .thread = AG_S("t1"),
		                  .author = AG_S("ann"),
		                  .nversion = 1,
		                  .created_ms = 10,
		                  .changed_ms = (int64_t)(10 + a) };
}

static ag_artifact_version a_version(store_env *env, unsigned a, unsigned v)
{
	return (ag_artifact_version){
		.id = id_of(env, a, v),
		.artifact = id_of(env, a, 1),
		.version = v,
		.parent = v > 1 ? id_of(env, a, v - 1) : AG_S(""),
		.title = ag_str_printf(env->arena, "Orders %u", v),
		.description = AG_S("caf\xc3\xa9"),
		.code = ag_str_printf(env->arena, "# Version %u", v),
		.hash = ag_str_printf(env->arena, "%064x", v),
		.data = AG_S("[{\"n\":1}]"),
		.queries = AG_S("[]"),
		.figures = AG_S("{}"),
		.author = AG_S("ann"),
		.created_ms = (int64_t)(20 + v),
	};
}

static void add(store_env *env, const char *project, unsigned a)
{
	const ag_artifact_row row = a_row(env, project, a);
	const ag_artifact_version v = a_version(env, a, 1);

	assert_ok(env, ag_store_add_artifact(env->store, &row, &v, &env->err));
}

static ag_status add_version(store_env *env, unsigned a, unsigned v)
{
	const ag_artifact_version x = a_version(env, a, v);

	return ag_store_add_artifact_version(env->store, AG_S("shop"), &x, &env->err);
}

static ag_artifact_row find(store_env *env, ag_str id)
{
	ag_artifact_row row = { 0 };

	assert_ok(env,
	          ag_store_artifact(env->store, AG_S("shop"), id, env->arena, &row, &env->err));
	return row;
}

static void two_updates_make_versions_two_and_three(void **state)
{
	store_env *env = *state;
	ag_artifact_version v, *list;
	ag_artifact_row row;
	size_t n;

	add(env, "shop", 1);
	assert_ok(env, add_version(env, 1, 2));
	assert_ok(env, add_version(env, 1, 3));
	row = find(env, id_of(env, 1, 1));
	assert_int_equal(row.nversion, 3);
	assert_int_equal(row.changed_ms, 23);
	assert_int_equal(row.created_ms, 10);
	assert_str(row.title, "Orders 3");
	assert_str(row.thread, "t1");
	/* Each version's id names the artifact. */
	assert_true(ag_str_eq(find(env, id_of(env, 1, 3)).id, row.id));
	for (unsigned i = 1; i <= 3; i++) {
		const ag_artifact_version was = a_version(env, 1, i);

		assert_ok(env, ag_store_artifact_version(env->store, AG_S("shop"), row.id, i,
		                                         env->arena, &v, &env->err));
		assert_true(ag_str_eq(v.code, was.code) && ag_str_eq(v.parent, was.parent) &&
		            ag_str_eq(v.data, was.data) && ag_str_eq(v.hash, was.hash) &&
		            ag_str_eq(v.description, was.description) &&
		            ag_str_eq(v.queries, was.queries) &&
		            ag_str_eq(v.figures, was.figures) && v.created_ms == was.created_ms);
	}
	assert_ok(env, ag_store_artifact_version(env->store, AG_S("shop"), row.id, 0, env->arena,
	                                         &v, &env->err));
	assert_int_equal(v.version, 3);
	assert_ok(env, ag_store_artifact_history(env->store, AG_S("shop"), row.id, env->arena,
	                                         &list, &n, &env->err));
	assert_int_equal(n, 3);
	assert_int_equal(list[0].version, 3);
	assert_int_equal(list[2].version, 1);
	assert_int_equal(list[2].code.len, 0);
	assert_ok(env, ag_store_artifact_versions(env->store, AG_S("shop"), row.id, env->arena,
	                                          &list, &n, &env->err));
	assert_int_equal(n, 3);
	assert_str(list[0].code, "# Version 1");
}

static void who_read_an_old_version_is_refused(void **state)
{
	store_env *env = *state;
	ag_artifact_version v;

	add(env, "shop", 1);
	assert_ok(env, add_version(env, 1, 2));
	v = a_version(env, 1, 9);
	v.version = 2;
	assert_int_equal(ag_store_add_artifact_version(env->store, AG_S("shop"), &v, &env->err),
	                 AG_CONFLICT);
	assert_int_equal(find(env, id_of(env, 1, 1)).nversion, 2);
	assert_int_equal(ag_store_add_artifact_version(env->store, AG_S("bank"), &v, &env->err),
	                 AG_NOT_FOUND);
}

static void an_id_of_another_project_is_unknown(void **state)
{
	store_env *env = *state;
	ag_artifact_row row;

	add(env, "shop", 1);
	add(env, "bank", 2);
	assert_int_equal(ag_store_artifact(env->store, AG_S("shop"), id_of(env, 2, 1), env->arena,
	                                   &row, &env->err),
	                 AG_NOT_FOUND);
	/* The beginning of an id does, when it fits one only. */
	assert_true(ag_str_eq(find(env, AG_S("0190")).id, id_of(env, 1, 1)));
	add(env, "shop", 3);
	assert_int_equal(ag_store_artifact(env->store, AG_S("shop"), AG_S("0190"), env->arena, &row,
	                                   &env->err),
	                 AG_INVALID);
	assert_true(ag_str_eq(find(env, AG_S("0190c3e3")).id, id_of(env, 3, 1)));
	assert_int_equal(ag_store_artifact(env->store, AG_S("shop"), AG_S("01%"), env->arena, &row,
	                                   &env->err),
	                 AG_NOT_FOUND);
}

static void what_is_no_artifact_is_refused(void **state)
{
	store_env *env = *state;
	const ag_artifact_row row = a_row(env, "shop", 1);
	ag_artifact_version v = a_version(env, 1, 1);
	ag_artifact_row *list;
	size_t n;

	v.code = ag_str_make(ag_arena_alloc(env->arena, AG_ARTIFACT_MAX_CODE + 1),
	                     AG_ARTIFACT_MAX_CODE + 1);
	assert_int_equal(ag_store_add_artifact(env->store, &row, &v, &env->err), AG_LIMIT);
	assert_non_null(strstr(env->err.msg, "code"));
	v = a_version(env, 1, 1);
	v.title = AG_S("\xff");
	assert_int_equal(ag_store_add_artifact(env->store, &row, &v, &env->err), AG_INVALID);
	v = a_version(env, 1, 1);
	v.id = AG_S("1234");
	assert_int_equal(ag_store_add_artifact(env->store, &row, &v, &env->err), AG_INVALID);
	assert_ok(env,
	          ag_store_artifacts(env->store, AG_S("shop"), env->arena, &list, &n, &env->err));
	assert_int_equal(n, 0);
	add(env, "shop", 1);
	v = a_version(env, 1, 1);
	assert_int_equal(ag_store_add_artifact(env->store, &row, &v, &env->err), AG_CONFLICT);
}

static void a_deleted_one_comes_back_until_it_is_purged(void **state)
{
	store_env *env = *state;
	ag_artifact_row row, *list;
	ag_artifact_version v;
	uint64_t npurged = 9;
	size_t n;

	add(env, "shop", 1);
	add(env, "shop", 2);
	row = find(env, id_of(env, 1, 1));
	row.deleted_ms = row.changed_ms = 1000;
	assert_ok(env, ag_store_set_artifact(env->store, &row, &env->err));
	assert_int_equal(add_version(env, 1, 2), AG_NOT_FOUND);
	assert_int_equal(find(env, row.id).deleted_ms, 1000);
	row.deleted_ms = 0;
	row.title = AG_S("Renamed");
	assert_ok(env, ag_store_set_artifact(env->store, &row, &env->err));
	assert_str(find(env, row.id).title, "Renamed");
	assert_ok(env, add_version(env, 1, 2));
	row.deleted_ms = 1000;
	assert_ok(env, ag_store_set_artifact(env->store, &row, &env->err));
	assert_ok(env, ag_store_purge_artifacts(env->store, 1000, &npurged, &env->err));
	assert_int_equal(npurged, 0);
	assert_ok(env, ag_store_purge_artifacts(env->store, 1001, &npurged, &env->err));
	assert_int_equal(npurged, 1);
	assert_ok(env,
	          ag_store_artifacts(env->store, AG_S("shop"), env->arena, &list, &n, &env->err));
	assert_int_equal(n, 1);
	assert_true(ag_str_eq(list[0].id, id_of(env, 2, 1)));
	assert_int_equal(ag_store_artifact_version(env->store, AG_S("shop"), row.id, 1, env->arena,
	                                           &v, &env->err),
	                 AG_NOT_FOUND);
	assert_int_equal(ag_store_set_artifact(env->store, &row, &env->err), AG_NOT_FOUND);
	/* A purge of everything takes deleted ones along, and no others. */
	row = find(env, id_of(env, 2, 1));
	assert_ok(env, ag_store_purge(env->store, AG_STORE_PURGE_ALL, &npurged, &env->err));
	assert_int_equal(find(env, row.id).nversion, 1);
}

static void a_circle_of_parents_ends_the_walk(void **state)
{
	store_env *env = *state;
	ag_artifact_row row = a_row(env, "shop", 1);
	ag_artifact_version v[3], *list;
	uint64_t nadded;
	size_t n;

	for (unsigned i = 0; i < 3; i++)
		v[i] = a_version(env, 1, i + 1);
	v[0].parent = v[2].id;
	row.nversion = 3;
	assert_ok(env, ag_store_import_artifacts(env->store, &row, 1, v, 3, &nadded, &env->err));
	assert_ok(env, ag_store_artifact_history(env->store, AG_S("shop"), row.id, env->arena,
	                                         &list, &n, &env->err));
	assert_int_equal(n, 3);
}

static void an_import_is_whole_or_nothing(void **state)
{
	store_env *env = *state;
	ag_artifact_row rows[2] = { a_row(env, "shop", 1), a_row(env, "shop", 2) };
	ag_artifact_version v[3] = { a_version(env, 1, 1), a_version(env, 1, 2),
		                     a_version(env, 2, 1) };
	ag_artifact_row found;
	uint64_t nadded;

	rows[0].nversion = 2;
	add(env, "shop", 2);
	v[2].code = AG_S("other");
	assert_int_equal(ag_store_import_artifacts(env->store, rows, 2, v, 3, &nadded, &env->err),
	                 AG_CONFLICT);
	assert_int_equal(ag_store_artifact(env->store, AG_S("shop"), rows[0].id, env->arena, &found,
	                                   &env->err),
	                 AG_NOT_FOUND);
	v[2] = a_version(env, 2, 1);
	assert_ok(env, ag_store_import_artifacts(env->store, rows, 2, v, 3, &nadded, &env->err));
	assert_int_equal(nadded, 2);
	assert_ok(env, ag_store_import_artifacts(env->store, rows, 2, v, 3, &nadded, &env->err));
	assert_int_equal(nadded, 0);
	/* Older than what is here. */
	assert_ok(env, add_version(env, 1, 3));
	assert_int_equal(ag_store_import_artifacts(env->store, rows, 2, v, 3, &nadded, &env->err),
	                 AG_CONFLICT);
}

static void a_dropped_project_takes_them_along(void **state)
{
	store_env *env = *state;
	const ag_project_row p = { .id = AG_S("shop"), .settings = AG_S("{}"), .is_active = true };
	ag_artifact_row *list;
	size_t n;

	assert_ok(env, ag_store_put_project(env->store, &p, &env->err));
	add(env, "shop", 1);
	assert_ok(env, ag_store_drop_project(env->store, AG_S("shop"), &env->err));
	assert_ok(env,
	          ag_store_artifacts(env->store, AG_S("shop"), env->arena, &list, &n, &env->err));
	assert_int_equal(n, 0);
}

static void a_copy_has_them(void **state)
{
	store_env *env = *state;
	ag_store *memory = NULL;
	ag_store_copied done;
	ag_artifact_row row = { 0 }, was;
	ag_artifact_version v;

	add(env, "shop", 1);
	assert_ok(env, add_version(env, 1, 2));
	add(env, "bank", 1);
	was = find(env, id_of(env, 1, 1));
	assert_ok(env, ag_store_open(AG_S("memory:"), &memory, &env->err));
	assert_ok(env, ag_store_copy(env->store, memory, NULL, &done, &env->err));
	assert_ok(env,
	          ag_store_artifact(memory, AG_S("shop"), was.id, env->arena, &row, &env->err));
	assert_int_equal(row.nversion, 2);
	assert_int_equal(row.changed_ms, was.changed_ms);
	assert_ok(env, ag_store_artifact_version(memory, AG_S("shop"), was.id, 2, env->arena, &v,
	                                         &env->err));
	assert_true(ag_str_eq(v.code, a_version(env, 1, 2).code));
	assert_true(ag_str_eq(v.queries, AG_S("[]")));
	assert_ok(env,
	          ag_store_artifact(memory, AG_S("bank"), was.id, env->arena, &row, &env->err));
	ag_store_close(memory);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(two_updates_make_versions_two_and_three),
		T(who_read_an_old_version_is_refused),
		T(an_id_of_another_project_is_unknown),
		T(what_is_no_artifact_is_refused),
		T(a_deleted_one_comes_back_until_it_is_purged),
		T(a_circle_of_parents_ends_the_walk),
		T(an_import_is_whole_or_nothing),
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
