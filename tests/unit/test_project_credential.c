/* A password on its way into the store: found wherever it stands in an address, and never kept as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/fernet.h"
#include "base/log.h"
#include "base/secrets.h"
#include "project/credential.h"

#define KEY "cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4="

static void a_password_is_taken_out(void **state)
{
	const struct {
		const char *uri, *want, *password;
	} cases[] = {
		{ "postgresql://ann:s3cret@db:5432/shop", "postgresql://ann@db:5432/shop",
		  "s3cret" },
		{ "postgresql://ann:a%40b%2Fc%3A%25@db/shop", "postgresql://ann@db/shop",
		  "a@b/c:%" },
		{ "postgresql://:pw@db", "postgresql://@db", "pw" },
		{ "postgres://ann:p:q@r@db/x", "postgres://ann@db/x", "p:q@r" },
		{ "postgresql://ann@db/shop?password=pw%20x", "postgresql://ann@db/shop", "pw x" },
		{ "postgresql:///shop?user=a&password=pw&sslmode=require",
		  "postgresql:///shop?user=a&sslmode=require", "pw" },
		{ "postgresql://db/shop?sslmode=require&password=pw",
		  "postgresql://db/shop?sslmode=require", "pw" },
		{ "postgresql://db/shop?a=b&pass%77ord=pw", "postgresql://db/shop?a=b", "pw" },
		{ "postgresql://db/shop?password=", "postgresql://db/shop", "" },
		{ "postgresql://ann:@db/shop", "postgresql://ann@db/shop", "" },
		{ "postgresql://ann@db/shop?passwords=x&x=password",
		  "postgresql://ann@db/shop?passwords=x&x=password", "" },
		{ "postgresql://db/shop@x:y?z", "postgresql://db/shop@x:y?z", "" },
		{ "sqlite:/tmp/a:b@c?password=x", "sqlite:/tmp/a:b@c?password=x", "" },
		{ "nonsense", "nonsense", "" },
		{ "", "", "" },
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_str uri = AG_S("-"), password = AG_S("-");
		ag_err err = { 0 };

		if (ag_credential_take(ag_str_c(cases[i].uri), arena, &uri, &password, &err))
			fail_msg("%s: %s", cases[i].uri, err.msg);
		if (!ag_str_eqc(uri, cases[i].want) || !ag_str_eqc(password, cases[i].password))
			fail_msg("%s: \"%.*s\" and \"%.*s\"", cases[i].uri, AG_FMT(uri),
			         AG_FMT(password));
	}
	ag_arena_free(arena);
	ag_secrets_forget();
}

static void what_is_wrong_is_told_without_the_password(void **state)
{
	static const char *const bad[] = { "postgresql://ann:canary%@db/x",
		                           "postgresql://ann:canary%4@db/x",
		                           "postgresql://ann:canary%zz@db/x",
		                           "postgresql://ann:canary%00@db/x",
		                           "postgresql://ann:canary@db/x?password=canary",
		                           "postgresql://db/x?password=canary&password=canary",
		                           "postgresql://db/x?sslpassword=canary",
		                           "postgresql://db/x?sslpass%77ord=canary",
		                           "postgresql://db/x?%=canary" };
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		ag_str uri, password;
		ag_err err = { 0 };

		if (ag_credential_take(ag_str_c(bad[i]), arena, &uri, &password, &err) !=
		    AG_INVALID)
			fail_msg("%s was taken", bad[i]);
		assert_null(strstr(err.msg, "canary"));
		assert_null(strstr(err.hint, "canary"));
	}
	ag_arena_free(arena);
	ag_secrets_forget();
}

static void a_taken_password_never_reaches_the_log(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf out = AG_BUF_INIT(1000);
	ag_str uri, password;
	ag_err err;

	(void)state;
	assert_int_equal(ag_credential_take(AG_S("postgresql://ann:can%40ary1@db/x"), arena, &uri,
	                                    &password, &err),
	                 AG_OK);
	assert_true(ag_log_clean(AG_S("it was can@ary1"), &out));
	assert_true(ag_str_eqc(ag_buf_view(&out), "it was [redacted]"));
	ag_buf_release(&out);
	ag_arena_free(arena);
	ag_secrets_forget();
}

static void a_password_is_sealed_with_the_key(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf out = AG_BUF_INIT(1000);
	ag_fernet_key key;
	ag_str token;
	ag_err err = { 0 };

	(void)state;
	assert_int_equal(ag_credential_seal(AG_S(""), AG_S("canary"), 5000, arena, &token, &err),
	                 AG_DENIED);
	assert_non_null(strstr(err.hint, "argus project key"));
	assert_int_equal(ag_credential_seal(AG_S("short"), AG_S("canary"), 5000, arena, &token,
	                                    &err),
	                 AG_INVALID);
	assert_null(strstr(err.msg, "short"));
	assert_int_equal(ag_credential_seal(AG_S(KEY), AG_S("canary"), 5000, arena, &token, &err),
	                 AG_OK);
	assert_true(ag_str_starts(token, AG_S("gAAAAAAAAAAF")));
	assert_int_equal(ag_fernet_key_read(AG_S(KEY), &key, &err), AG_OK);
	assert_int_equal(ag_fernet_open(&key, token, &out, &err), AG_OK);
	assert_true(ag_str_eqc(ag_buf_view(&out), "canary"));
	ag_buf_release(&out);
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_password_is_taken_out),
		cmocka_unit_test(what_is_wrong_is_told_without_the_password),
		cmocka_unit_test(a_taken_password_never_reaches_the_log),
		cmocka_unit_test(a_password_is_sealed_with_the_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
