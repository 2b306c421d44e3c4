/* Callers: what a token and the command line may, and that a token says no more than it should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sha256.h"
#include "project/access.h"

#define NOW 1700000000000

typedef struct world {
	ag_store *store;
	ag_arena *arena;
	ag_err err;
} world;

static int setup(void **state)
{
	world *w = ag_xcalloc(1, sizeof(*w));

	*state = w;
	w->arena = ag_arena_new();
	return (int)ag_store_open(AG_S("memory:"), &w->store, &w->err);
}

static int teardown(void **state)
{
	world *w = *state;

	ag_store_close(w->store);
	ag_arena_free(w->arena);
	free(w);
	return 0;
}

static void member(world *w, const char *project, const char *user, ag_role role)
{
	ag_member_row m = { ag_str_c(project), ag_str_c(user), role };

	assert_int_equal(ag_store_put_member(w->store, &m, &w->err), AG_OK);
}

static ag_token_row token(world *w, ag_token_row row, char text[AG_TOKEN_CHARS + 1])
{
	row.user = AG_S("ann");
	row.created_ms = 5;
	assert_int_equal(ag_token_new(&row, w->arena, text, &w->err), AG_OK);
	assert_int_equal(ag_store_put_token(w->store, &row, &w->err), AG_OK);
	return row;
}

static ag_status caller(world *w, const char *text, int64_t now_ms, ag_caller *ret)
{
	return ag_caller_of_token(w->store, ag_str_c(text), now_ms, w->arena, ret, &w->err);
}

static void a_new_token_is_random_and_well_formed(void **state)
{
	world *w = *state;
	ag_token_row row = { 0 };
	char a[AG_TOKEN_CHARS + 1], b[AG_TOKEN_CHARS + 1];

	assert_int_equal(ag_token_new(&row, w->arena, a, &w->err), AG_OK);
	assert_int_equal(strlen(a), AG_TOKEN_CHARS);
	assert_int_equal(strncmp(a, "argus_", 6), 0);
	assert_true(ag_str_eqc(row.hash, ag_sha256(ag_str_c(a)).text));
	assert_int_equal(row.id.len, 12);
	assert_true(ag_str_starts(row.hash, row.id));
	assert_int_equal(ag_token_new(&row, w->arena, b, &w->err), AG_OK);
	assert_string_not_equal(a, b);
}

static void a_role_is_the_lesser_of_two(void **state)
{
	world *w = *state;
	char text[AG_TOKEN_CHARS + 1];
	ag_caller who = { 0 };
	ag_token_row row;

	member(w, "zoo", "ann", AG_ROLE_VIEWER);
	member(w, "shop", "ann", AG_ROLE_ADMIN);
	member(w, "bank", "ben", AG_ROLE_ADMIN);
	row = token(w, (ag_token_row){ .ceiling = AG_ROLE_ANALYST }, text);
	assert_int_equal(caller(w, text, NOW, &who), AG_OK);
	assert_true(ag_str_eqc(who.user, "ann"));
	assert_true(ag_str_eq(who.token, row.id));
	assert_false(who.is_local);
	assert_int_equal(who.nproject, 2);
	assert_true(ag_str_eqc(who.projects[0].project, "shop"));
	assert_int_equal(ag_caller_role(&who, AG_S("shop")), AG_ROLE_ANALYST);
	assert_int_equal(ag_caller_role(&who, AG_S("zoo")), AG_ROLE_VIEWER);
	assert_int_equal(ag_caller_role(&who, AG_S("bank")), AG_ROLE_NONE);
	assert_int_equal(ag_caller_role(&who, AG_S("sho")), AG_ROLE_NONE);
	assert_int_equal(ag_caller_role(&who, AG_S("")), AG_ROLE_NONE);
	assert_true(ag_caller_has_scope(&who, "sql"));
}

static void a_token_names_its_projects(void **state)
{
	world *w = *state;
	const ag_str projects[] = { AG_S("zoo"), AG_S("bank") }, scopes[] = { AG_S("sql") };
	char text[AG_TOKEN_CHARS + 1];
	ag_caller who = { 0 };

	member(w, "zoo", "ann", AG_ROLE_ADMIN);
	member(w, "shop", "ann", AG_ROLE_ADMIN);
	token(w,
	      (ag_token_row){ .ceiling = AG_ROLE_ADMIN,
	                      .projects = projects,
	                      .nproject = 2,
	                      .scopes = scopes,
	                      .nscope = 1 },
	      text);
	assert_int_equal(caller(w, text, NOW, &who), AG_OK);
	assert_int_equal(who.nproject, 1); /* bank: named, but she is no member */
	assert_int_equal(ag_caller_role(&who, AG_S("zoo")), AG_ROLE_ADMIN);
	assert_int_equal(ag_caller_role(&who, AG_S("shop")), AG_ROLE_NONE);
	assert_true(ag_caller_has_scope(&who, "sql"));
	assert_false(ag_caller_has_scope(&who, "audit"));
}

static void bad_tokens_are_refused_alike(void **state)
{
	world *w = *state;
	char text[AG_TOKEN_CHARS + 1], other[AG_TOKEN_CHARS + 1], first[400];
	ag_token_row row, dead;
	ag_caller who;

	member(w, "zoo", "ann", AG_ROLE_ADMIN);
	row = token(w, (ag_token_row){ .ceiling = AG_ROLE_ADMIN, .expires_ms = NOW }, text);
	dead = token(w, (ag_token_row){ .ceiling = AG_ROLE_ADMIN }, other);
	assert_int_equal(caller(w, text, NOW - 1, &who), AG_OK);
	assert_int_equal(caller(w, text, NOW, &who), AG_DENIED);
	memcpy(first, w->err.msg, sizeof(first));
	assert_int_equal(ag_store_revoke_token(w->store, dead.id, NOW, &w->err), AG_OK);

	char changed[AG_TOKEN_CHARS + 1];
	memcpy(changed, text, sizeof(changed));
	changed[20] = changed[20] == 'A' ? 'B' : 'A';
	const char *const bad[] = {
		other,        changed,
		"",           "argus_",
		row.hash.ptr, text + 1,
		"Bearer x",   "argus_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	};
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		assert_int_equal(caller(w, bad[i], NOW - 1, &who), AG_DENIED);
		assert_string_equal(w->err.msg, first);
	}
}

static void the_use_is_noted_to_the_minute(void **state)
{
	world *w = *state;
	char text[AG_TOKEN_CHARS + 1];
	const int64_t at[] = { NOW, NOW + 59999, NOW + 60000, NOW + 60001 };
	const int64_t want[] = { NOW, NOW, NOW + 60000, NOW + 60000 };
	ag_token_row *list;
	ag_caller who;
	size_t n;

	token(w, (ag_token_row){ .ceiling = AG_ROLE_ADMIN }, text);
	for (size_t i = 0; i < AG_NELEM(at); i++) {
		assert_int_equal(caller(w, text, at[i], &who), AG_OK);
		assert_int_equal(ag_store_tokens(w->store, AG_S(""), w->arena, &list, &n, &w->err),
		                 AG_OK);
		assert_int_equal(list[0].used_ms, want[i]);
	}
	assert_int_equal(who.nproject, 0); /* a user without projects may call, and see nothing */
}

static void the_local_user_is_admin_of_what_he_named(void **state)
{
	world *w = *state;
	const ag_str projects[] = { AG_S("zoo"), AG_S("a") };
	ag_caller all, two;

	setenv("USER", "ann", 1);
	all = ag_caller_local(NULL, 0, w->arena);
	assert_true(all.is_local && all.has_all);
	assert_true(ag_str_eqc(all.user, "ann"));
	assert_int_equal(all.token.len, 0);
	assert_int_equal(ag_caller_role(&all, AG_S("anything")), AG_ROLE_ADMIN);
	two = ag_caller_local(projects, 2, w->arena);
	assert_false(two.has_all);
	assert_int_equal(ag_caller_role(&two, AG_S("zoo")), AG_ROLE_ADMIN);
	assert_int_equal(ag_caller_role(&two, AG_S("a")), AG_ROLE_ADMIN);
	assert_int_equal(ag_caller_role(&two, AG_S("b")), AG_ROLE_NONE);
	setenv("USER", "a\nb", 1);
	assert_true(ag_str_eqc(ag_caller_local(NULL, 0, w->arena).user, "local"));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_new_token_is_random_and_well_formed),
		T(a_role_is_the_lesser_of_two),
		T(a_token_names_its_projects),
		T(bad_tokens_are_refused_alike),
		T(the_use_is_noted_to_the_minute),
		T(the_local_user_is_admin_of_what_he_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
