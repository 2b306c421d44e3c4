/* cosmos:// addresses and what is behind them: which key is chosen, what the driver gets, what is shown; how long a throttled
 * command waits, and what a command costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "azure/azure.h"
#include "base/secrets.h"
#include "documents/cosmos.h"
#include "mongo/charge.h"
#include "mongo/mongo.h"
#include "query/extjson.h"

static int setup(void **state)
{
	unsetenv("QUERYARGUS_EMULATOR");
	unsetenv("LOCAL_MONGO_URI");
	unsetenv(AG_MONGO_PASSWORD_ENV);
	*state = ag_arena_new();
	return 0;
}

static int teardown(void **state)
{
	ag_arena_free(*state);
	ag_secrets_forget();
	return 0;
}

static bool has(ag_str text, const char *part)
{
	return ag_str_contains(text, ag_str_c(part));
}

/* --- keys --- */

#define STRING(name, key) \
	"{\"connectionString\":\"mongodb://a:" key "@h/\",\"description\":\"" name "\"}"

static void test_keys(void **state)
{
	static const struct {
		const char *list;
		bool can_write;
		const char *key; /* of the chosen one; NULL = there is none */
		bool key_writes;
	} cases[] = {
		{ STRING("Primary MongoDB Connection String", "rw") "," STRING(
			  "Secondary Read-Only MongoDB Connection String",
			  "ro2") "," STRING("Primary Read-Only MongoDB Connection String", "ro"),
		  false, "ro", false },
		{ STRING("Primary MongoDB Connection String",
		         "rw") "," STRING("Secondary Read-Only MongoDB Connection String", "ro2"),
		  false, "ro2", false },
		{ STRING("Secondary MongoDB Connection String",
		         "rw2") "," STRING("Primary MongoDB Connection String", "rw"),
		  false, "rw", true },
		{ STRING("Primary Read-Only MongoDB Connection String", "ro") "," STRING(
			  "Secondary MongoDB Connection String",
			  "rw2") "," STRING("Primary MongoDB Connection String", "rw"),
		  true, "rw", true },
		{ STRING("Primary Read-Only SQL Connection String",
		         "sql") "," STRING("Primary MongoDB Connection String", "rw"),
		  false, "rw", true },
		{ STRING("Something", "x"), false, "x", true },
		{ STRING("Primary Read-Only MongoDB Connection String", "ro"), true, "ro", false },
		{ "", false, NULL, false },
		{ "7,null,{\"connectionString\":1}", false, NULL, false },
	};

	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const ag_str json = ag_str_printf(*state, "{\"connectionStrings\":[%s]}",
		                                  cases[i].list);
		ag_azure_string s;
		const ag_status st = ag_azure_choose(json, cases[i].can_write, *state, &s, NULL);

		assert_int_equal(st, cases[i].key ? AG_OK : AG_PROTOCOL);
		if (st)
			continue;
		assert_true(has(s.text, ag_str_printf(*state, ":%s@", cases[i].key).ptr));
		assert_int_equal(s.can_write, cases[i].key_writes);
	}
}

static void test_ids(void **state)
{
	static const char *const good[] = {
		"/subscriptions/s/resourceGroups/g/providers/Microsoft.DocumentDB/databaseAccounts/n",
		"/SUBSCRIPTIONS/s/resourcegroups/g(1)/providers/microsoft.documentdb/mongoclusters/n-1",
	};
	static const char *const wrong[] = {
		"",
		"/",
		"shop",
		"/subscriptions/s/resourceGroups/g/providers/Microsoft.DocumentDB/databaseAccounts/",
		"/subscriptions/s/resourceGroups/g/providers/Microsoft.DocumentDB/databaseAccounts/n/x",
		"/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/databaseAccounts/n",
		"/subscriptions/s/resourceGroups/../providers/Microsoft.DocumentDB/databaseAccounts/n",
		"/subscriptions/s?x/resourceGroups/g/providers/Microsoft.DocumentDB/databaseAccounts/n",
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(good); i++)
		assert_true(ag_azure_is_id(ag_str_c(good[i])));
	for (size_t i = 0; i < AG_NELEM(wrong); i++)
		assert_false(ag_azure_is_id(ag_str_c(wrong[i])));
}

/* --- addresses --- */

static void test_driver(void **state)
{
	ag_mongo_address a;

	setenv("QUERYARGUS_EMULATOR", "true", 1);
	assert_int_equal(ag_cosmos_address(NULL, AG_S("cosmos://shop/d.c?allowReadWrite=true"),
	                                   *state, &a, NULL),
	                 AG_OK);
	assert_true(has(a.driver, "@localhost:10255/d?"));
	assert_true(has(a.driver, "retryWrites=false"));
	assert_true(has(a.driver, "authSource=admin"));
	assert_true(a.has_charge);
	assert_true(ag_str_eqc(a.shown, "cosmos://shop/"));
	assert_true(ag_str_eqc(ag_mongo_address_of(&a, a.database, a.collection, *state),
	                       "cosmos://shop/d.c?allowReadWrite=true"));
	unsetenv("QUERYARGUS_EMULATOR");
	setenv("LOCAL_MONGO_URI", "mongodb://h:1", 1);
	assert_int_equal(ag_cosmos_address(NULL, AG_S("cosmos://shop/d.c"), *state, &a, NULL),
	                 AG_OK);
	assert_true(ag_str_eqc(a.driver, "mongodb://h:1/d"));
	assert_false(a.has_charge);
	unsetenv("LOCAL_MONGO_URI");
}

/* -a -d -c */
static void test_parts(void **state)
{
	static const struct {
		const char *account, *database, *collection;
		bool can_write;
		const char *uri; /* NULL = refused */
	} cases[] = {
		{ "shop", "d", "c", false, "cosmos://shop/d.c" },
		{ "shop", "d", "", true, "cosmos://shop/d?allowReadWrite=true" },
		{ "shop", "", "", false, "cosmos://shop/" },
		{ "shop", "d", "a.b?c/d%e*", false, "cosmos://shop/d.a.b%3Fc%2Fd%25e*" },
		{ "mongodb://u:k+/==@h:10255/?ssl=true&appName=@u@", "d", "c", false,
		  "mongodb://u:k%2B%2F==@h:10255/d.c?ssl=true&appName=@u@" },
		{ "mongodb://u:k%2B@h/admin", "d", "", false, "mongodb://u:k%2B@h/d" },
		{ "shop", "", "c", false, NULL },
		{ "shop", "d.e", "c", false, NULL },
		{ "AccountEndpoint=https://x;AccountKey=k", "d", "c", false, NULL },
		{ "https://x", "d", "c", false, NULL },
	};

	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_str uri = AG_S("");
		const ag_status st = ag_cosmos_uri(ag_str_c(cases[i].account),
		                                   ag_str_c(cases[i].database),
		                                   ag_str_c(cases[i].collection),
		                                   cases[i].can_write, *state, &uri, NULL);

		assert_int_equal(st, cases[i].uri ? AG_OK : AG_INVALID);
		if (cases[i].uri)
			assert_string_equal(ag_str_cstr(*state, uri), cases[i].uri);
	}
}

/* Redaction removes keys and leaves an address without any as it is. */
static void test_shown(void **state)
{
	static const char *const cases[][2] = {
		{ "mongodb://u:key-of-u@h/d?accountKey=key-of-u&tls=true", "mongodb://u@h:27017" },
		{ "mongodb://h/d?password=key-of-u&key=key-of-u", "mongodb://h" },
		{ "mongodb://h/d?tls=true", "mongodb://h/d?tls=true" },
	};

	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_mongo_address a;
		ag_str shown;

		assert_int_equal(ag_mongo_address_parse(ag_str_c(cases[i][0]), *state, &a, NULL),
		                 AG_OK);
		shown = ag_mongo_address_shown(&a, *state);
		assert_false(has(shown, "key-of-u"));
		if (i + 1 == AG_NELEM(cases))
			assert_true(ag_str_eqc(shown, cases[i][1]));
	}
}

/* Request units are of the hosts that have them; vCore has others. */
static void test_hosts(void **state)
{
	static const struct {
		const char *uri;
		bool has_charge;
	} cases[] = {
		{ "mongodb://a:k@A.mongo.cosmos.azure.com:10255/d", true },
		{ "mongodb://a:k@a.documents.azure.com:10255/d", true },
		{ "mongodb+srv://a:k@a.mongocluster.cosmos.azure.com/d", false },
		{ "mongodb://a.mongo.cosmos.azure.com.example.org/d", false },
		{ "mongodb://localhost/d", false },
	};

	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_mongo_address a;

		assert_int_equal(ag_mongo_address_parse(ag_str_c(cases[i].uri), *state, &a, NULL),
		                 AG_OK);
		assert_int_equal(a.has_charge, cases[i].has_charge);
	}
}

/* --- waits and charges --- */

static void test_retry_after(void **state)
{
	static const struct {
		const char *message;
		bool is_there;
		int64_t ms;
	} cases[] = {
		{ "Error=16500, RetryAfterMs=34, Details='Response status code …'", true, 34 },
		{ "retryafterms: 5", true, 5 },
		{ "RetryAfterMs=\"7\"", true, 7 },
		{ "RetryAfterMs=99999999999999999999", true, AG_MONGO_MAX_TIME_MS },
		{ "RetryAfterMs=", false, 0 },
		{ "RetryAfterMs", false, 0 },
		{ "Request rate is large", false, 0 },
		{ "", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		int64_t ms = -1;

		assert_int_equal(ag_mongo_retry_after(ag_str_c(cases[i].message), &ms),
		                 cases[i].is_there);
		assert_int_equal(ms, cases[i].ms);
	}
	assert_true(ag_mongo_is_throttled(16500, AG_S("")));
	assert_true(ag_mongo_is_throttled(429, AG_S("")));
	assert_true(ag_mongo_is_throttled(
		50, AG_S("Request timed out. Retries due to rate limiting: True.")));
	assert_false(ag_mongo_is_throttled(50, AG_S("operation exceeded time limit")));
	assert_false(ag_mongo_is_throttled(13, AG_S("RetryAfterMs=1")));
}

static void test_wait(void **state)
{
	const ag_ctx brief = { .clock = &ag_clock_system,
		               .deadline_ms = ag_clock_mono(&ag_clock_system) + 1000,
		               .nthread = 1 };
	ag_mongo_patience p = { 0 };
	ag_mongo_meter m = { 0 };
	ag_err err = { 0 };

	(void)state;
	assert_int_equal(ag_mongo_wait_throttled(&brief, &m, AG_S("RetryAfterMs=3"), &p, &err),
	                 AG_OK);
	assert_int_equal(p.waited_ms, 3);
	/* Nobody waits for what will not come in time. */
	assert_int_equal(ag_mongo_wait_throttled(&brief, &m, AG_S("RetryAfterMs=5000"), &p, &err),
	                 AG_UNAVAILABLE);
	assert_int_equal(m.nthrottled, 2);
	assert_int_equal(m.waited_ms, 3);
	p.waited_ms = AG_MONGO_MAX_TIME_MS;
	assert_int_equal(ag_mongo_wait_throttled(NULL, NULL, AG_S("RetryAfterMs=1"), &p, &err),
	                 AG_UNAVAILABLE);
}

static void test_charge(void **state)
{
	static const struct {
		const char *answer;
		bool is_there;
		uint64_t milli;
	} cases[] = {
		{ "{\"CommandName\":\"find\",\"RequestCharge\":2.5}", true, 2500 },
		{ "{\"RequestCharge\":3}", true, 3000 },
		{ "{\"RequestCharge\":0}", true, 0 },
		{ "{\"RequestCharge\":-1}", false, 0 },
		{ "{\"RequestCharge\":1e300}", false, 0 },
		{ "{\"RequestCharge\":\"2\"}", false, 0 },
		{ "{}", false, 0 },
	};

	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const ag_extjson_opts plain = { 0 };
		ag_mongo_meter m = { .max_milli = 2500 };
		ag_err err = { 0 };
		ag_val v;

		assert_int_equal(ag_extjson_parse(ag_str_c(cases[i].answer), &plain, *state, &v,
		                                  NULL, NULL, NULL),
		                 AG_OK);
		assert_int_equal(ag_mongo_take_charge(NULL, &m, &v), cases[i].is_there);
		assert_int_equal(m.used_milli, cases[i].milli);
		assert_int_equal(ag_mongo_check_budget(&m, true, &err),
		                 cases[i].milli >= 2500 ? AG_LIMIT : AG_OK);
		assert_int_equal(ag_mongo_check_budget(&m, false, &err), AG_INVALID);
	}
	assert_int_equal(ag_mongo_check_budget(NULL, false, NULL), AG_OK);
}

static void test_token(void **state)
{
	/* {"upn":"ann@example.org"}, {"appid":"x"} */
	static const char *const cases[][2] = {
		{ "x.eyJ1cG4iOiJhbm5AZXhhbXBsZS5vcmcifQ.y", "ann@example.org" },
		{ "x.eyJhcHBpZCI6IngifQ.y", "x" },
		{ "x.eyJhcHBpZCI6IngifQ", "" },
		{ "x.////.y", "" },
		{ "", "" },
	};

	for (size_t i = 0; i < AG_NELEM(cases); i++)
		assert_string_equal(ag_str_cstr(*state, ag_azure_token_owner(ag_str_c(cases[i][0]),
		                                                             *state)),
		                    cases[i][1]);
}

/* What the addresses of collections begin with. */
static void test_base(void **state)
{
	static const struct {
		const char *uri, *base;
		bool is_one;
	} cases[] = {
		{ "cosmos://acc/", "cosmos://acc", false },
		{ "cosmos://acc", "cosmos://acc", false },
		{ "cosmos://acc/shop", "cosmos://acc/shop", false },
		{ "cosmos://acc/shop.o*", "cosmos://acc/shop", false },
		{ "cosmos://acc/shop.a.b?allowReadWrite=true", "cosmos://acc/shop.a.b", true },
		{ "cosmos://acc/shop.a%20b", "cosmos://acc/shop.a%20b", true },
		{ "cosmos://ann@acc/shop.a", "cosmos://ann@acc/shop.a", true },
		{ "cosmos:///subscriptions/s/resourceGroups/g/providers/Microsoft.DocumentDB/"
		  "databaseAccounts/n/shop",
		  "cosmos:///subscriptions/s/resourceGroups/g/providers/Microsoft.DocumentDB/"
		  "databaseAccounts/n/shop",
		  false },
		{ "cosmos://a_c/shop", "", false },
		{ "cosmos://acc/shop.%zz", "", false },
	};

	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		bool is_one;
		const ag_str got = ag_cosmos_base(ag_str_c(cases[i].uri), *state, &is_one);

		assert_string_equal(ag_str_cstr(*state, got), cases[i].base);
		assert_int_equal(is_one, cases[i].is_one);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_keys, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ids, setup, teardown),
		cmocka_unit_test_setup_teardown(test_driver, setup, teardown),
		cmocka_unit_test_setup_teardown(test_parts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_shown, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hosts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_retry_after, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wait, setup, teardown),
		cmocka_unit_test_setup_teardown(test_charge, setup, teardown),
		cmocka_unit_test_setup_teardown(test_token, setup, teardown),
		cmocka_unit_test_setup_teardown(test_base, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
