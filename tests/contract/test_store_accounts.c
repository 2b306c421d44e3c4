/* Accounts, and what stands for them, the same for every store in store_fixtures[]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha256.h"
#include "project/access.h"
#include "store/accounts.h"
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

static ag_user_row a_user(const char *name, bool is_super)
{
	return (ag_user_row){ .name = ag_str_c(name),
		              .password = AG_S(""),
		              .project = AG_S(""),
		              .is_super = is_super,
		              .is_active = true,
		              .created_ms = 10,
		              .changed_ms = 10 };
}

static void add_user(store_env *env, const char *name, bool is_super)
{
	const ag_user_row u = a_user(name, is_super);

	assert_ok(env, ag_store_new_user(env->store, &u, &env->err));
}

static ag_user_row get_user(store_env *env, const char *name)
{
	ag_user_row u = { 0 };

	assert_ok(env, ag_store_user(env->store, ag_str_c(name), env->arena, &u, &env->err));
	return u;
}

static void add_project(store_env *env, const char *id)
{
	const ag_project_row p = { .id = ag_str_c(id),
		                   .name = AG_S(""),
		                   .source = AG_S("sqlite:x.db"),
		                   .secret = AG_S(""),
		                   .settings = AG_S("{}"),
		                   .is_active = true,
		                   .created_ms = 1,
		                   .changed_ms = 1 };

	assert_ok(env, ag_store_put_project(env->store, &p, &env->err));
}

static void add_member(store_env *env, const char *project, const char *user, ag_role role)
{
	const ag_member_row m = { ag_str_c(project), ag_str_c(user), role };

	assert_ok(env, ag_store_put_member(env->store, &m, &env->err));
}

/* In arena. */
static ag_str add_token(store_env *env, const char *user, ag_token_kind kind, int64_t expires_ms,
                        ag_str *ret_id)
{
	char text[AG_TOKEN_CHARS + 1];
	ag_token_row t = { .name = AG_S("t"),
		           .user = ag_str_c(user),
		           .ceiling = AG_ROLE_ADMIN,
		           .created_ms = 10,
		           .expires_ms = expires_ms,
		           .kind = kind };

	assert_ok(env, ag_token_new(&t, env->arena, text, &env->err));
	assert_ok(env, ag_store_put_token(env->store, &t, &env->err));
	if (ret_id)
		*ret_id = t.id;
	return ag_str_dup(env->arena, ag_str_c(text));
}

static ag_status come(store_env *env, ag_str token, ag_caller *ret)
{
	return ag_caller_of_token(env->store, token, 50, env->arena, ret, &env->err);
}

static void an_account_is_made_once_and_changed(void **state)
{
	store_env *env = *state;
	ag_user_row u, *list;
	size_t n;

	add_user(env, "ann", false);
	u = a_user("ann", true);
	assert_int_equal(ag_store_new_user(env->store, &u, &env->err), AG_CONFLICT);
	u = get_user(env, "ann");
	assert_false(u.is_super);
	u.password = AG_S("$7$hash");
	u.project = AG_S("shop");
	u.seen_ms = u.changed_ms = 20;
	assert_ok(env, ag_store_change_user(env->store, &u, &env->err));
	u = get_user(env, "ann");
	assert_str(u.password, "$7$hash");
	assert_str(u.project, "shop");
	assert_int_equal(u.created_ms, 10);
	assert_int_equal(u.seen_ms, 20);
	add_user(env, "Bob", false);
	assert_ok(env, ag_store_users(env->store, env->arena, &list, &n, &env->err));
	assert_int_equal(n, 2);
	assert_str(list[0].name, "Bob");
	u = a_user("nobody", false);
	assert_int_equal(ag_store_change_user(env->store, &u, &env->err), AG_NOT_FOUND);
	assert_int_equal(ag_store_user(env->store, AG_S("ANN"), env->arena, &u, &env->err),
	                 AG_NOT_FOUND);
}

static void the_last_superuser_stays(void **state)
{
	store_env *env = *state;
	ag_user_row u;

	add_user(env, "root", true);
	add_user(env, "ann", false);
	u = get_user(env, "root");
	u.is_active = false;
	assert_int_equal(ag_store_change_user(env->store, &u, &env->err), AG_CONFLICT);
	assert_int_equal(ag_store_drop_user(env->store, AG_S("root"), 20, &env->err), AG_CONFLICT);
	add_user(env, "other", true);
	assert_ok(env, ag_store_change_user(env->store, &u, &env->err));
	assert_int_equal(ag_store_drop_user(env->store, AG_S("other"), 20, &env->err), AG_CONFLICT);
	assert_ok(env, ag_store_drop_user(env->store, AG_S("root"), 20, &env->err));
}

static void whoever_goes_takes_roles_and_tokens_along(void **state)
{
	store_env *env = *state;
	ag_member_row *m;
	ag_caller who;
	ag_str token;
	size_t n;

	add_user(env, "ann", false);
	add_project(env, "shop");
	add_member(env, "shop", "ann", AG_ROLE_ADMIN);
	token = add_token(env, "ann", AG_TOKEN_BEARER, 0, NULL);
	assert_int_equal(ag_store_drop_user(env->store, AG_S("ann"), 20, &env->err), AG_CONFLICT);
	assert_non_null(strstr(env->err.msg, "shop"));
	assert_ok(env, come(env, token, &who));
	add_member(env, "shop", "bob", AG_ROLE_ADMIN);
	assert_ok(env, ag_store_drop_user(env->store, AG_S("ann"), 20, &env->err));
	assert_int_equal(come(env, token, &who), AG_DENIED);
	assert_ok(env, ag_store_members(env->store, AG_S("shop"), AG_S("ann"), env->arena, &m, &n,
	                                &env->err));
	assert_int_equal(n, 0);
	assert_int_equal(ag_store_drop_user(env->store, AG_S("ann"), 30, &env->err), AG_NOT_FOUND);
}

static void an_account_says_what_its_tokens_may_do(void **state)
{
	store_env *env = *state;
	ag_str token = add_token(env, "ann", AG_TOKEN_BEARER, 0, NULL);
	ag_caller who;
	ag_user_row u;

	add_project(env, "shop");
	add_member(env, "shop", "ann", AG_ROLE_VIEWER);
	assert_ok(env, come(env, token, &who));
	assert_int_equal(ag_caller_role(&who, AG_S("shop")), AG_ROLE_VIEWER);
	assert_false(who.is_super || who.has_all);
	add_user(env, "root", true);
	add_user(env, "ann", true);
	assert_ok(env, come(env, token, &who));
	assert_true(who.is_super && who.has_all);
	u = get_user(env, "ann");
	u.is_active = false;
	assert_ok(env, ag_store_change_user(env->store, &u, &env->err));
	assert_int_equal(come(env, token, &who), AG_DENIED);
	assert_int_equal(ag_caller_of_user(env->store, AG_S("ann"), env->arena, &who, &env->err),
	                 AG_DENIED);
}

static void a_superuser_gives_a_token_less(void **state)
{
	store_env *env = *state;
	const ag_str shop[] = { AG_S("shop") }, sql[] = { AG_S("sql") };
	char text[AG_TOKEN_CHARS + 1];
	ag_token_row t = { .name = AG_S(""),
		           .user = AG_S("root"),
		           .ceiling = AG_ROLE_ADMIN,
		           .projects = shop,
		           .nproject = 1 };
	ag_caller who;

	add_user(env, "root", true);
	assert_ok(env, ag_token_new(&t, env->arena, text, &env->err));
	assert_ok(env, ag_store_put_token(env->store, &t, &env->err));
	assert_ok(env, come(env, ag_str_c(text), &who));
	assert_false(who.is_super || who.has_all);
	assert_int_equal(ag_caller_role(&who, AG_S("shop")), AG_ROLE_ADMIN);
	assert_int_equal(ag_caller_role(&who, AG_S("other")), AG_ROLE_NONE);
	t = (ag_token_row){ .name = AG_S(""),
		            .user = AG_S("root"),
		            .ceiling = AG_ROLE_ADMIN,
		            .scopes = sql,
		            .nscope = 1 };
	assert_ok(env, ag_token_new(&t, env->arena, text, &env->err));
	assert_ok(env, ag_store_put_token(env->store, &t, &env->err));
	assert_ok(env, come(env, ag_str_c(text), &who));
	assert_true(who.has_all);
	assert_false(who.is_super);
	t = (ag_token_row){ .name = AG_S(""), .user = AG_S("root"), .ceiling = AG_ROLE_VIEWER };
	assert_ok(env, ag_token_new(&t, env->arena, text, &env->err));
	assert_ok(env, ag_store_put_token(env->store, &t, &env->err));
	assert_ok(env, come(env, ag_str_c(text), &who));
	assert_false(who.is_super || who.has_all);
}

static void sessions_end_and_links_are_spent_once(void **state)
{
	store_env *env = *state;
	ag_str ids[3], link_id;
	const ag_str one = add_token(env, "ann", AG_TOKEN_SESSION, 0, &ids[0]),
		     two = add_token(env, "ann", AG_TOKEN_SESSION, 0, &ids[1]),
		     program = add_token(env, "ann", AG_TOKEN_BEARER, 0, &ids[2]),
		     link = add_token(env, "ann", AG_TOKEN_LINK, 100, &link_id);
	ag_token_row *list;
	ag_caller who;
	size_t n;

	assert_ok(env, come(env, one, &who));
	assert_int_equal(who.kind, AG_TOKEN_SESSION);
	assert_int_equal(come(env, link, &who), AG_DENIED);
	assert_ok(env, ag_store_tokens(env->store, AG_S("ann"), env->arena, &list, &n, &env->err));
	assert_int_equal(n, 1);
	assert_ok(env, ag_store_revoke_tokens(env->store, AG_S("ann"), AG_TOKEN_SESSION, ids[1], 40,
	                                      &env->err));
	assert_int_equal(come(env, one, &who), AG_DENIED);
	assert_ok(env, come(env, two, &who));
	assert_ok(env, come(env, program, &who));
	assert_ok(env, ag_store_spend_token(env->store, link_id, 40, &env->err));
	assert_int_equal(ag_store_spend_token(env->store, link_id, 41, &env->err), AG_NOT_FOUND);
}

static void what_has_ended_is_swept(void **state)
{
	store_env *env = *state;
	ag_str ids[3];
	ag_token_row t;
	const ag_str ended = add_token(env, "ann", AG_TOKEN_SESSION, 20, &ids[0]),
		     good = add_token(env, "ann", AG_TOKEN_SESSION, 500, &ids[1]),
		     program = add_token(env, "ann", AG_TOKEN_BEARER, 20, &ids[2]);
	const ag_sha256_hex hash = ag_sha256(program);

	assert_ok(env, ag_store_sweep_tokens(env->store, 100, &env->err));
	assert_int_equal(ag_store_revoke_token(env->store, ids[0], 200, &env->err), AG_NOT_FOUND);
	assert_ok(env, ag_store_revoke_token(env->store, ids[1], 200, &env->err));
	/* Of programs' tokens the list shows also those that have expired. */
	assert_ok(env, ag_store_token_of_hash(env->store, ag_str_c(hash.text), 10, env->arena, &t,
	                                      &env->err));
	(void)ended;
	(void)good;
}

static void names_have_bounds(void **state)
{
	store_env *env = *state;
	char text[AG_IDENTITY_MAX_NAME + 1];
	ag_user_row u = a_user("", false);

	assert_int_equal(ag_store_new_user(env->store, &u, &env->err), AG_INVALID);
	u.name = AG_S("a\nb");
	assert_int_equal(ag_store_new_user(env->store, &u, &env->err), AG_INVALID);
	memset(text, 'x', sizeof(text));
	u.name = ag_str_make(text, sizeof(text));
	assert_int_equal(ag_store_new_user(env->store, &u, &env->err), AG_LIMIT);
	u.name = AG_S("ünïcødé");
	assert_ok(env, ag_store_new_user(env->store, &u, &env->err));
	assert_str(get_user(env, "ünïcødé").name, "ünïcødé");
}

static ag_status bind_subject(store_env *env, const char *issuer, const char *subject,
                              const char *user, const ag_user_row *u)
{
	const ag_subject_row row = { .issuer = ag_str_c(issuer),
		                     .subject = ag_str_c(subject),
		                     .user = ag_str_c(user),
		                     .created_ms = 10 };

	return ag_store_put_subject(env->store, &row, u, &env->err);
}

static ag_status find_subject(store_env *env, const char *issuer, const char *subject, ag_str *ret)
{
	return ag_store_subject(env->store, ag_str_c(issuer), ag_str_c(subject), env->arena, ret,
	                        &env->err);
}

static void a_subject_has_one_account_and_an_account_one_subject(void **state)
{
	store_env *env = *state;
	const ag_user_row cy = a_user("cy", false), taken = a_user("ann", false);
	ag_user_row u;
	ag_str user;
	bool has;

	add_user(env, "ann", true);
	add_user(env, "bob", true);
	assert_int_equal(find_subject(env, "https://i", "1", &user), AG_NOT_FOUND);
	assert_ok(env, bind_subject(env, "https://i", "1", "ann", NULL));
	assert_ok(env, find_subject(env, "https://i", "1", &user));
	assert_str(user, "ann");
	assert_int_equal(find_subject(env, "https://i", "2", &user), AG_NOT_FOUND);
	assert_int_equal(find_subject(env, "https://other", "1", &user), AG_NOT_FOUND);
	assert_int_equal(bind_subject(env, "https://i", "1", "bob", NULL), AG_CONFLICT);
	assert_int_equal(bind_subject(env, "https://i", "2", "ann", NULL), AG_CONFLICT);
	assert_ok(env, bind_subject(env, "https://other", "2", "ann", NULL));
	/* A new account, and its subject, or neither. */
	assert_int_equal(bind_subject(env, "https://i", "1", "cy", &cy), AG_CONFLICT);
	assert_int_equal(ag_store_user(env->store, AG_S("cy"), env->arena, &u, &env->err),
	                 AG_NOT_FOUND);
	assert_int_equal(bind_subject(env, "https://i", "3", "ann", &taken), AG_CONFLICT);
	assert_int_equal(find_subject(env, "https://i", "3", &user), AG_NOT_FOUND);
	assert_ok(env, bind_subject(env, "https://i", "3", "cy", &cy));
	assert_ok(env, ag_store_user(env->store, AG_S("cy"), env->arena, &u, &env->err));
	assert_ok(env,
	          ag_store_has_subject(env->store, AG_S("https://i"), AG_S("cy"), &has, &env->err));
	assert_true(has);
	assert_ok(env, ag_store_has_subject(env->store, AG_S("https://i"), AG_S("bob"), &has,
	                                    &env->err));
	assert_false(has);
	/* Who is removed has no subject. */
	assert_ok(env, ag_store_drop_user(env->store, AG_S("ann"), 20, &env->err));
	assert_int_equal(find_subject(env, "https://i", "1", &user), AG_NOT_FOUND);
	assert_ok(env, bind_subject(env, "https://i", "1", "bob", NULL));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(an_account_is_made_once_and_changed),
		T(the_last_superuser_stays),
		T(whoever_goes_takes_roles_and_tokens_along),
		T(an_account_says_what_its_tokens_may_do),
		T(a_superuser_gives_a_token_less),
		T(sessions_end_and_links_are_spent_once),
		T(what_has_ended_is_swept),
		T(names_have_bounds),
		T(a_subject_has_one_account_and_an_account_one_subject),
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
