/* Projects, members and tokens, the same for every store in store_fixtures[]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "store/identity.h"
#include "store_fixtures.h"

static const store_fixture *fixture; /* of the group that runs */

#define HASH_A "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HASH_B "1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
/* A Fernet token of the specification's test vectors. */
#define SEALED                                                                             \
	"gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7J" \
	"cbmrR64jVmpU4IwqDA=="

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

static ag_project_row a_project(const char *id)
{
	ag_project_row p = { .id = ag_str_c(id),
		             .name = AG_S("Sh\xc3\xb6p"),
		             .source = AG_S("postgresql://ann@db.example/shop?sslmode=require"),
		             .secret = AG_S(SEALED),
		             .settings = AG_S("{\"max_rows_per_query\":7}"),
		             .is_active = true,
		             .created_ms = 5,
		             .changed_ms = 6 };

	return p;
}

static void put_project(store_env *env, const char *id)
{
	ag_project_row p = a_project(id);

	assert_ok(env, ag_store_put_project(env->store, &p, &env->err));
}

static ag_status put_member(store_env *env, const char *project, const char *user, ag_role role)
{
	ag_member_row m = { ag_str_c(project), ag_str_c(user), role };

	return ag_store_put_member(env->store, &m, &env->err);
}

static ag_token_row a_token(const char *id, const char *hash)
{
	ag_token_row t = { .id = ag_str_c(id),
		           .name = AG_S("ci"),
		           .user = AG_S("ann"),
		           .hash = ag_str_c(hash),
		           .ceiling = AG_ROLE_ANALYST,
		           .created_ms = 10,
		           .expires_ms = 1000 };

	return t;
}

static void a_project_is_kept_and_replaced(void **state)
{
	store_env *env = *state;
	ag_project_row p = a_project("shop"), got = { 0 }, *list;
	size_t n;

	put_project(env, "zoo");
	put_project(env, "shop");
	assert_ok(env, ag_store_project(env->store, AG_S("shop"), env->arena, &got, &env->err));
	assert_true(ag_str_eq(got.name, p.name));
	assert_true(ag_str_eq(got.source, p.source));
	assert_true(ag_str_eq(got.secret, p.secret));
	assert_true(ag_str_eq(got.settings, p.settings));
	assert_true(got.is_active);
	assert_int_equal(got.created_ms, 5);
	assert_int_equal(got.changed_ms, 6);
	p.name = AG_S("other");
	p.is_active = false;
	p.created_ms = 99; /* stays what it was */
	p.changed_ms = 100;
	assert_ok(env, ag_store_put_project(env->store, &p, &env->err));
	assert_ok(env, ag_store_project(env->store, AG_S("shop"), env->arena, &got, &env->err));
	assert_str(got.name, "other");
	assert_false(got.is_active);
	assert_int_equal(got.created_ms, 5);
	assert_int_equal(got.changed_ms, 100);
	assert_ok(env, ag_store_projects(env->store, env->arena, &list, &n, &env->err));
	assert_int_equal(n, 2);
	assert_str(list[0].id, "shop");
	assert_str(list[1].id, "zoo");
	assert_int_equal(ag_store_project(env->store, AG_S("nix"), env->arena, &got, &env->err),
	                 AG_NOT_FOUND);
}

static void what_is_no_project_is_refused(void **state)
{
	store_env *env = *state;
	const struct {
		const char *what;
		ag_project_row row;
	} bad[] = {
		{ "id", { .id = AG_S("") } },
		{ "id", { .id = AG_S(".hidden") } },
		{ "id", { .id = AG_S("a/b") } },
		{ "id", { .id = AG_S("a\nb") } },
		{ "name",
		  { .name = AG_S("a\x01"
		                 "b") } },
		{ "source", { .source = AG_S("\xff") } },
		{ "password", { .source = AG_S("postgresql://ann:pw@db/shop") } },
		{ "password", { .source = AG_S("postgresql://:pw@db") } },
		{ "password", { .source = AG_S("postgresql://db/x?a=b&password=pw") } },
		{ "password", { .source = AG_S("postgresql://a:b@c:d@db/x") } },
		{ "not encrypted", { .secret = AG_S("hunter2") } },
		{ "settings", { .settings = AG_S("[]") } },
		{ "settings", { .settings = AG_S("") } },
		{ "time", { .created_ms = -1 } },
	};

	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		ag_project_row p = a_project("shop");

		p.id = bad[i].row.id.ptr ? bad[i].row.id : p.id;
		p.name = bad[i].row.name.ptr ? bad[i].row.name : p.name;
		p.source = bad[i].row.source.ptr ? bad[i].row.source : p.source;
		p.secret = bad[i].row.secret.ptr ? bad[i].row.secret : p.secret;
		p.settings = bad[i].row.settings.ptr ? bad[i].row.settings : p.settings;
		p.created_ms = bad[i].row.created_ms ? bad[i].row.created_ms : p.created_ms;
		if (ag_store_put_project(env->store, &p, &env->err) != AG_INVALID)
			fail_msg("case %zu was taken", i);
		if (!strstr(env->err.msg, bad[i].what))
			fail_msg("case %zu: %s", i, env->err.msg);
		assert_null(strstr(env->err.msg, "pw"));
		assert_null(strstr(env->err.msg, "hunter2"));
	}
}

static void members_have_roles(void **state)
{
	store_env *env = *state;
	ag_member_row *m;
	size_t n;

	assert_ok(env, put_member(env, "shop", "ben", AG_ROLE_VIEWER));
	assert_ok(env, put_member(env, "shop", "ann", AG_ROLE_ADMIN));
	assert_ok(env, put_member(env, "zoo", "ann", AG_ROLE_ANALYST));
	assert_ok(env, ag_store_members(env->store, AG_S("shop"), AG_S(""), env->arena, &m, &n,
	                                &env->err));
	assert_int_equal(n, 2);
	assert_str(m[0].user, "ann");
	assert_int_equal(m[0].role, AG_ROLE_ADMIN);
	assert_str(m[1].user, "ben");
	assert_int_equal(m[1].role, AG_ROLE_VIEWER);
	assert_ok(env, ag_store_members(env->store, AG_S(""), AG_S("ann"), env->arena, &m, &n,
	                                &env->err));
	assert_int_equal(n, 2);
	assert_str(m[1].project, "zoo");
	assert_ok(env, ag_store_members(env->store, AG_S("zoo"), AG_S("ann"), env->arena, &m, &n,
	                                &env->err));
	assert_int_equal(n, 1);
	assert_ok(env, put_member(env, "shop", "ben", AG_ROLE_NONE));
	assert_int_equal(put_member(env, "shop", "ben", AG_ROLE_NONE), AG_NOT_FOUND);
	assert_int_equal(put_member(env, "shop", "", AG_ROLE_ADMIN), AG_INVALID);
	assert_int_equal(put_member(env, "shop", "a\nb", AG_ROLE_ADMIN), AG_INVALID);
}

static void the_last_admin_stays(void **state)
{
	store_env *env = *state;

	assert_ok(env, put_member(env, "shop", "ann", AG_ROLE_ADMIN));
	assert_ok(env, put_member(env, "other", "ben", AG_ROLE_ADMIN));
	assert_int_equal(put_member(env, "shop", "ann", AG_ROLE_NONE), AG_CONFLICT);
	assert_int_equal(put_member(env, "shop", "ann", AG_ROLE_ANALYST), AG_CONFLICT);
	assert_ok(env, put_member(env, "shop", "ann", AG_ROLE_ADMIN));
	assert_ok(env, put_member(env, "shop", "ben", AG_ROLE_ADMIN));
	assert_ok(env, put_member(env, "shop", "ann", AG_ROLE_VIEWER));
	assert_int_equal(put_member(env, "shop", "ben", AG_ROLE_VIEWER), AG_CONFLICT);
}

static ag_status by_hash(store_env *env, const char *hash, int64_t now_ms, ag_token_row *ret)
{
	return ag_store_token_of_hash(env->store, ag_str_c(hash), now_ms, env->arena, ret,
	                              &env->err);
}

static void a_token_is_found_by_its_hash(void **state)
{
	store_env *env = *state;
	const ag_str projects[] = { AG_S("shop"), AG_S("zoo") }, scopes[] = { AG_S("sql") };
	ag_token_row t = a_token("0123456789ab", HASH_A), got = { 0 }, *list;
	size_t n;

	t.projects = projects;
	t.nproject = 2;
	t.scopes = scopes;
	t.nscope = 1;
	assert_ok(env, ag_store_put_token(env->store, &t, &env->err));
	assert_int_equal(ag_store_put_token(env->store, &t, &env->err), AG_CONFLICT);
	assert_ok(env, by_hash(env, HASH_A, 999, &got));
	assert_str(got.id, "0123456789ab");
	assert_str(got.name, "ci");
	assert_str(got.user, "ann");
	assert_int_equal(got.ceiling, AG_ROLE_ANALYST);
	assert_int_equal(got.nproject, 2);
	assert_str(got.projects[0], "shop");
	assert_str(got.projects[1], "zoo");
	assert_int_equal(got.nscope, 1);
	assert_str(got.scopes[0], "sql");
	assert_int_equal(got.expires_ms, 1000);
	assert_int_equal(by_hash(env, HASH_A, 1000, &got), AG_NOT_FOUND); /* expired */
	assert_int_equal(by_hash(env, HASH_B, 999, &got), AG_NOT_FOUND);
	assert_int_equal(by_hash(env, "", 999, &got), AG_NOT_FOUND);
	assert_int_equal(by_hash(env, "' OR 1=1 --", 999, &got), AG_NOT_FOUND);

	assert_ok(env, ag_store_use_token(env->store, t.id, 500, &env->err));
	assert_ok(env, ag_store_use_token(env->store, t.id, 400, &env->err)); /* never back */
	assert_ok(env, by_hash(env, HASH_A, 999, &got));
	assert_int_equal(got.used_ms, 500);

	assert_ok(env, ag_store_revoke_token(env->store, t.id, 600, &env->err));
	assert_ok(env, ag_store_revoke_token(env->store, t.id, 700, &env->err));
	assert_int_equal(by_hash(env, HASH_A, 999, &got), AG_NOT_FOUND);
	assert_ok(env, ag_store_tokens(env->store, AG_S("ann"), env->arena, &list, &n, &env->err));
	assert_int_equal(n, 1);
	assert_int_equal(list[0].revoked_ms, 600);
	assert_ok(env, ag_store_tokens(env->store, AG_S("ben"), env->arena, &list, &n, &env->err));
	assert_int_equal(n, 0);
	assert_int_equal(ag_store_revoke_token(env->store, AG_S("ffffffffffff"), 5, &env->err),
	                 AG_NOT_FOUND);
	assert_int_equal(ag_store_revoke_token(env->store, AG_S("%"), 5, &env->err), AG_NOT_FOUND);
}

static void what_is_no_token_is_refused(void **state)
{
	store_env *env = *state;
	const ag_str twice[] = { AG_S("shop"), AG_S("shop") }, line[] = { AG_S("a\nb") };
	const ag_str scope[] = { AG_S("SQL") };
	ag_token_row t = a_token("0123456789AB", HASH_A);

	assert_int_equal(ag_store_put_token(env->store, &t, &env->err), AG_INVALID);
	t = a_token("0123456789ab", "argus_plaintext");
	assert_int_equal(ag_store_put_token(env->store, &t, &env->err), AG_INVALID);
	assert_null(strstr(env->err.msg, "argus_plaintext"));
	t = a_token("0123456789ab", HASH_A);
	t.ceiling = AG_ROLE_NONE;
	assert_int_equal(ag_store_put_token(env->store, &t, &env->err), AG_INVALID);
	t = a_token("0123456789ab", HASH_A);
	t.projects = twice;
	t.nproject = 2;
	assert_int_equal(ag_store_put_token(env->store, &t, &env->err), AG_INVALID);
	t.projects = line;
	t.nproject = 1;
	assert_int_equal(ag_store_put_token(env->store, &t, &env->err), AG_INVALID);
	t.nproject = 0;
	t.scopes = scope;
	t.nscope = 1;
	assert_int_equal(ag_store_put_token(env->store, &t, &env->err), AG_INVALID);
	t.nscope = AG_IDENTITY_MAX_PROJECTS + 1;
	assert_int_equal(ag_store_put_token(env->store, &t, &env->err), AG_LIMIT);
}

/* A token that named a project which is gone must not stand for all projects, nor for a new one of that name. */
static void a_dropped_project_takes_its_rights_along(void **state)
{
	store_env *env = *state;
	const ag_str both[] = { AG_S("shop"), AG_S("shop2") },
		     three[] = { AG_S("a"), AG_S("shop"), AG_S("z") };
	ag_token_row only = a_token("00000000000a", HASH_A), more = a_token("00000000000b", HASH_B);
	ag_token_row got = { 0 };
	ag_member_row *m;
	size_t n;

	put_project(env, "shop");
	assert_ok(env, put_member(env, "shop", "ann", AG_ROLE_ADMIN)); /* the last one, too */
	assert_ok(env, put_member(env, "shop2", "ann", AG_ROLE_ADMIN));
	only.projects = both;
	only.nproject = 1;
	more.projects = three;
	more.nproject = 3;
	assert_ok(env, ag_store_put_token(env->store, &only, &env->err));
	assert_ok(env, ag_store_put_token(env->store, &more, &env->err));
	assert_ok(env, ag_store_drop_project(env->store, AG_S("shop"), &env->err));
	assert_int_equal(ag_store_drop_project(env->store, AG_S("shop"), &env->err), AG_NOT_FOUND);
	assert_int_equal(by_hash(env, HASH_A, 500, &got), AG_NOT_FOUND);
	assert_ok(env, by_hash(env, HASH_B, 500, &got));
	assert_int_equal(got.nproject, 2);
	assert_str(got.projects[0], "a");
	assert_str(got.projects[1], "z");
	assert_ok(env, ag_store_members(env->store, AG_S(""), AG_S("ann"), env->arena, &m, &n,
	                                &env->err));
	assert_int_equal(n, 1);
	assert_str(m[0].project, "shop2");
}

static void roles_have_names(void **state)
{
	ag_role r = AG_ROLE_NONE;

	(void)state;
	assert_string_equal(ag_role_name(AG_ROLE_ANALYST), "analyst");
	assert_string_equal(ag_role_name((ag_role)77), "none");
	assert_true(ag_role_read(AG_S("admin"), &r));
	assert_int_equal(r, AG_ROLE_ADMIN);
	assert_false(ag_role_read(AG_S("none"), &r));
	assert_false(ag_role_read(AG_S("Admin"), &r));
}

static void everything_outlives_the_process(void **state)
{
	store_env *env = *state;
	ag_token_row t = a_token("0123456789ab", HASH_A), got = { 0 };
	ag_project_row p;

	put_project(env, "shop");
	assert_ok(env, ag_store_put_token(env->store, &t, &env->err));
	assert_ok(env, store_env_reopen(env));
	assert_ok(env, ag_store_project(env->store, AG_S("shop"), env->arena, &p, &env->err));
	assert_ok(env, by_hash(env, HASH_A, 500, &got));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_project_is_kept_and_replaced),
		T(what_is_no_project_is_refused),
		T(members_have_roles),
		T(the_last_admin_stays),
		T(a_token_is_found_by_its_hash),
		T(what_is_no_token_is_refused),
		T(a_dropped_project_takes_its_rights_along),
		T(roles_have_names),
	};
	const struct CMUnitTest shared_tests[] = { T(everything_outlives_the_process) };
	int nfailed = 0;

	for (size_t i = 0; i < nstore_fixture; i++) {
		fixture = &store_fixtures[i];
		if (store_fixture_start(fixture))
			continue;
		nfailed += cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
		if (fixture->is_shared)
			nfailed += cmocka_run_group_tests_name("shared", shared_tests, NULL, NULL);
		store_fixture_stop(fixture);
	}
	return nfailed > 0;
}
