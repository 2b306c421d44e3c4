/* Addresses of MongoDB servers: what is cut from them, what is shown, and that no password is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/secrets.h"
#include "mongo/address.h"

static int setup(void **state)
{
	unsetenv(AG_MONGO_PASSWORD_ENV);
	*state = ag_arena_new();
	return 0;
}

static int teardown(void **state)
{
	ag_arena_free(*state);
	ag_secrets_forget();
	unsetenv(AG_MONGO_PASSWORD_ENV);
	return 0;
}

static void test_parts(void **state)
{
	static const struct {
		const char *uri, *driver, *place, *database, *collection;
		bool is_pattern;
	} good[] = {
		{ "mongodb://h/shop.orders", "mongodb://h/shop", "h:27017", "shop", "orders",
		  false },
		{ "mongodb://h", "mongodb://h/", "h:27017", "", "", false },
		{ "mongodb://h/", "mongodb://h/", "h:27017", "", "", false },
		{ "mongodb://h/shop", "mongodb://h/shop", "h:27017", "shop", "", false },
		{ "mongodb://H:1,h2/shop.a.b.c?tls=true", "mongodb://H:1,h2/shop?tls=true",
		  "h:1,h2:27017", "shop", "a.b.c", false },
		{ "mongodb://[::1]/d.c", "mongodb://[::1]/d", "[::1]:27017", "d", "c", false },
		{ "mongodb://[::1]:7/d.c", "mongodb://[::1]:7/d", "[::1]:7", "d", "c", false },
		{ "mongodb://u:p%40ssword@h/d.c", "mongodb://u:p%40ssword@h/d", "h:27017", "d", "c",
		  false },
		{ "mongodb://%2Ftmp%2Fmongodb-27017.sock/d.c",
		  "mongodb://%2Ftmp%2Fmongodb-27017.sock/d", "%2ftmp%2fmongodb-27017.sock", "d",
		  "c", false },
		{ "mongodb+srv://x.example.org/d.or*", "mongodb+srv://x.example.org/d",
		  "x.example.org", "d", "or*", true },
		{ "mongodb://h/d.%24weird%2Fname%2A", "mongodb://h/d", "h:27017", "d",
		  "$weird/name*", false },
	};
	ag_arena *arena = *state;

	for (size_t i = 0; i < AG_NELEM(good); i++) {
		ag_mongo_address a;
		ag_err err;

		if (ag_mongo_address_parse(ag_str_c(good[i].uri), arena, &a, &err))
			fail_msg("%s: %s", good[i].uri, err.msg);
		assert_string_equal(ag_str_cstr(arena, a.driver), good[i].driver);
		assert_string_equal(ag_str_cstr(arena, a.place), good[i].place);
		assert_string_equal(ag_str_cstr(arena, a.database), good[i].database);
		assert_string_equal(ag_str_cstr(arena, a.collection), good[i].collection);
		assert_int_equal(a.is_pattern, good[i].is_pattern);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *uri, *part;
	} bad[] = {
		{ "mongodb://", "no host" },
		{ "mongodb:///d.c", "no host" },
		{ "mongodb://u:topsecret1@/d.c", "no host" },
		{ "mongodb://h/d.", "after the dot" },
		{ "mongodb://h/.c", "before the dot" },
		{ "mongodb://h/a b.c", "no name of a database" },
		{ "mongodb://h/a%2Fb.c", "no name of a database" },
		{ "mongodb://h/*.c", "no name of a database" },
		{ "mongodb://h/a%2eb.c", "no name of a database" },
		{ "mongodb://h/d.%zz", "hexadecimal" },
		{ "mongodb://h/d.%0", "hexadecimal" },
		{ "mongodb://h/d.%00", "hexadecimal" },
		{ "mongodb://u:top/secret1@h/d.c", "percent-encoded" },
		{ "mongodb://u:top@secret1@h/d.c", "percent-encoded" },
		{ "mongodb://u:top:secret1@h/d.c", "percent-encoded" },
		{ "mongodb://:topsecret1@h/d.c", "user before" },
		{ "mongodb://h/"
		  "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd.c",
		  "63 bytes" },
	};
	ag_arena *arena = *state;

	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		ag_mongo_address a;
		ag_err err;

		assert_int_equal(ag_mongo_address_parse(ag_str_c(bad[i].uri), arena, &a, &err),
		                 AG_INVALID);
		if (!strstr(err.msg, bad[i].part))
			fail_msg("%s: %s", bad[i].uri, err.msg);
		if (strstr(err.msg, "secret1") || strstr(err.hint, "secret1"))
			fail_msg("%s: the password is in the message", bad[i].uri);
	}
}

static void test_no_secret_is_shown(void **state)
{
	ag_arena *arena = *state;
	ag_mongo_address a;
	ag_buf out = AG_BUF_INIT(1000);
	ag_str shown;

	assert_int_equal(
		ag_mongo_address_parse(AG_S("mongodb://ann:p%40ssw0rd%21@h:1/d.c?tls=true&"
	                                    "tlsCertificateKeyFilePassword=keykeykey&appName=x"),
	                               arena, &a, NULL),
		AG_OK);
	shown = ag_mongo_address_of(&a, AG_S("d"), AG_S("a c*"), arena);
	assert_string_equal(shown.ptr, "mongodb://ann@h:1/d.a%20c%2A?tls=true&appName=x");
	assert_true(ag_log_clean(AG_S("was p@ssw0rd! or p%40ssw0rd%21 or keykeykey"), &out));
	assert_string_equal(out.ptr, "was [redacted] or [redacted] or [redacted]");
	ag_buf_release(&out);
}

/* What is shown opens the collection again, with the password of the environment. */
static void test_password_of_environment(void **state)
{
	ag_arena *arena = *state;
	ag_mongo_address a;

	setenv(AG_MONGO_PASSWORD_ENV, "p@ss w:rd", 1);
	assert_int_equal(ag_mongo_address_parse(AG_S("mongodb://ann@h/d.c"), arena, &a, NULL),
	                 AG_OK);
	assert_string_equal(ag_str_cstr(arena, a.driver), "mongodb://ann:p%40ss%20w%3Ard@h/d");
	assert_string_equal(ag_str_cstr(arena, a.shown), "mongodb://ann@h/");
	assert_int_equal(ag_mongo_address_parse(AG_S("mongodb://h/d.c"), arena, &a, NULL), AG_OK);
	assert_string_equal(ag_str_cstr(arena, a.driver), "mongodb://h/d");
	assert_int_equal(ag_mongo_address_parse(AG_S("mongodb://ann:own@h/d.c"), arena, &a, NULL),
	                 AG_OK);
	assert_string_equal(ag_str_cstr(arena, a.driver), "mongodb://ann:own@h/d");
}

static void test_patterns(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool fits;
	} cases[] = {
		{ "*", "", true },
		{ "*", "x.y", true },
		{ "a*", "abc", true },
		{ "a*", "ba", false },
		{ "*c", "abc", true },
		{ "a?c", "abc", true },
		{ "a?c", "ac", false },
		{ "a*b*c", "aXbYc", true },
		{ "a*b*c", "aXbY", false },
		{ "orders", "orders", true },
		{ "Orders", "orders", false },
		{ "**", "x", true },
		{ "", "x", false },
		{ "", "", true },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++)
		if (ag_mongo_name_fits(ag_str_c(cases[i].pattern), ag_str_c(cases[i].name)) !=
		    cases[i].fits)
			fail_msg("%s on %s", cases[i].pattern, cases[i].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_parts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_secret_is_shown, setup, teardown),
		cmocka_unit_test_setup_teardown(test_password_of_environment, setup, teardown),
		cmocka_unit_test(test_patterns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
