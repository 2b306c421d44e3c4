/* The dictionary: how tables are found and suggested, and the forms of JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sql/dictionary.h"

/* --- a dictionary made by hand --- */

static const ag_str day_samples[] = { AG_S_INIT("2026-03-01"), AG_S_INIT("\"quoted\"\nand more") };
static const ag_dict_column user_columns[] = {
	{ .name = AG_S_INIT("id"), .type = AG_S_INIT("integer"), .is_primary_key = true },
	{ .name = AG_S_INIT("day"),
	  .type = AG_S_INIT("date"),
	  .is_nullable = true,
	  .default_text = AG_S_INIT("now()"),
	  .comment = AG_S_INIT("of joining"),
	  .samples = day_samples,
	  .nsample = 2 },
	{ .name = AG_S_INIT("password_hash"),
	  .type = AG_S_INIT("text"),
	  .is_sensitive = true,
	  .is_generated = true,
	  .enum_name = AG_S_INIT("mood") },
};
static const ag_str user_key[] = { AG_S_INIT("id") };
static const ag_str user_index[] = { AG_S_INIT("lower(name)"), AG_S_INIT("day") };
static const ag_dict_index user_indexes[] = {
	{ .name = AG_S_INIT("users_pkey"),
	  .columns = user_key,
	  .ncolumn = 1,
	  .is_unique = true,
	  .is_primary = true },
	{ .name = AG_S_INIT("users_day"), .columns = user_index, .ncolumn = 2, .is_unique = true },
};
static const ag_dict_key user_keys[] = {
	{ AG_S_INIT("a"), AG_S_INIT("sales"), AG_S_INIT("orders"), AG_S_INIT("x"),
	  AG_S_INIT("two") },
	{ AG_S_INIT("b"), AG_S_INIT("sales"), AG_S_INIT("orders"), AG_S_INIT("y"),
	  AG_S_INIT("two") },
	{ AG_S_INIT("c"), AG_S_INIT("public"), AG_S_INIT("users"), AG_S_INIT("id"),
	  AG_S_INIT("one") },
};
static const ag_dict_table tables[] = {
	{ .schema = AG_S_INIT("public"),
	  .name = AG_S_INIT("MixedCase"),
	  .type = "table",
	  .row_count = -1 },
	{ .schema = AG_S_INIT("public"),
	  .name = AG_S_INIT("a.b \"c\""),
	  .type = "view",
	  .row_count = -1 },
	{ .schema = AG_S_INIT("public"),
	  .name = AG_S_INIT("twice"),
	  .type = "table",
	  .row_count = 0 },
	{ .schema = AG_S_INIT("public"),
	  .name = AG_S_INIT("user_roles"),
	  .type = "table",
	  .row_count = 4 },
	{ .schema = AG_S_INIT("public"),
	  .name = AG_S_INIT("users"),
	  .type = "partitioned_table",
	  .comment = AG_S_INIT("who"),
	  .row_count = 1200,
	  .columns = user_columns,
	  .ncolumn = 3,
	  .primary_key = user_key,
	  .nprimary_key = 1,
	  .foreign_keys = user_keys,
	  .nforeign_key = 3,
	  .indexes = user_indexes,
	  .nindex = 2 },
	{ .schema = AG_S_INIT("other"),
	  .name = AG_S_INIT("orders"),
	  .type = "table",
	  .row_count = 1 },
	{ .schema = AG_S_INIT("other"),
	  .name = AG_S_INIT("only_here"),
	  .type = "table",
	  .row_count = 1 },
	{ .schema = AG_S_INIT("other"),
	  .name = AG_S_INIT("users"),
	  .type = "table",
	  .row_count = 1 },
	{ .schema = AG_S_INIT("sales"),
	  .name = AG_S_INIT("Twice"),
	  .type = "table",
	  .row_count = 2,
	  .is_row_count_exact = true },
	{ .schema = AG_S_INIT("sales"),
	  .name = AG_S_INIT("orders"),
	  .type = "materialized_view",
	  .row_count = 1 },
};
static const ag_str moods[] = { AG_S_INIT("sad"), AG_S_INIT("ok") };
static const ag_dict_enum enums[] = {
	{ .schema = AG_S_INIT("public"), .name = AG_S_INIT("mood"), .values = moods, .nvalue = 2 },
	{ .schema = AG_S_INIT("sales"), .name = AG_S_INIT("kind"), .values = moods, .nvalue = 0 },
};
static const ag_dictionary dictionary = {
	.schema = AG_S_INIT("public"),
	.generated_ms = 1772353800000,
	.tables = tables,
	.ntable = AG_NELEM(tables),
	.enums = enums,
	.nenum = 2,
};

/* --- to find --- */

/* what somebody wrote | schema | name, NULL: none */
static const char *const wanted[][3] = {
	{ "users", "public", "users" },
	{ "public.users", "public", "users" },
	{ "other.users", "other", "users" },
	{ "USERS", "public", "users" },
	{ "Public.Users", "public", "users" },
	{ "\"users\"", "public", "users" },
	{ "public.\"users\"", "public", "users" },
	{ "mixedcase", "public", "MixedCase" },
	{ "only_here", "other", "only_here" },
	{ "a.b \"c\"", "public", "a.b \"c\"" },
	{ "\"a.b \"\"c\"\"\"", "public", "a.b \"c\"" },
	{ "twice", "public", "twice" },
	{ "Twice", "sales", "Twice" },
	{ "TWICE", "public", "twice" },
	{ "sales.twice", "sales", "Twice" },
	{ "orders", NULL, NULL }, /* in two schemas */
	{ "public.orders", NULL, NULL },
	{ "sales.orders", "sales", "orders" },
	{ "usr", NULL, NULL },
	{ "", NULL, NULL },
	{ ".", NULL, NULL },
	{ "\"users", NULL, NULL },
	{ "\"", NULL, NULL },
	{ "a.b.users", NULL, NULL },
	{ "public.", NULL, NULL },
};

static void tables_are_found_by_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(wanted); i++) {
		const ag_dict_table *t = ag_dictionary_find(&dictionary, ag_str_c(wanted[i][0]));

		if (!t != !wanted[i][1])
			fail_msg("%s: %s", wanted[i][0], t ? "found" : "not found");
		if (t &&
		    (!ag_str_eqc(t->schema, wanted[i][1]) || !ag_str_eqc(t->name, wanted[i][2])))
			fail_msg("%s: %.*s.%.*s", wanted[i][0], AG_FMT(t->schema), AG_FMT(t->name));
	}
}

/* --- to suggest --- */

static const char *const suggested[][2] = {
	{ "usr", "Did you mean: users, other.users, user_roles" },
	{ "user", "Did you mean: users, other.users, user_roles" },
	{ "ORDERS", "Did you mean: other.orders, sales.orders" },
	{ "public.orders", "Did you mean: other.orders, sales.orders" },
	{ "user-role", "Did you mean: user_roles" },
	{ "oders", "Did you mean: other.orders, sales.orders, users, other.users" },
	{ "all_users_table", "Did you mean: users, other.users" },
	{ "B-\"c", "Did you mean: \"a.b \"\"c\"\"\"" },
	{ "zzz",
	  "The tables are: MixedCase, \"a.b \"\"c\"\"\", twice, user_roles, users, other.orders, other.only_here, "
	  "other.users, sales.Twice, sales.orders" },
};

static void near_names_are_suggested(void **state)
{
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(suggested); i++) {
		ag_str got = ag_dictionary_suggest(&dictionary, ag_str_c(suggested[i][0]), arena);

		if (!ag_str_eqc(got, suggested[i][1]))
			fail_msg("%s: %.*s", suggested[i][0], AG_FMT(got));
	}
	ag_arena_free(arena);
}

static void suggestions_are_few(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_dict_table many[40];
	ag_dictionary d = { .schema = AG_S("main"), .tables = many, .ntable = 40 };
	ag_dictionary none = { .schema = AG_S("main") };
	size_t ncomma = 0;
	ag_str got;

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		many[i] = (ag_dict_table){ .schema = AG_S("main"),
			                   .name = ag_str_printf(arena, "event_%02zu", i) };
	}
	got = ag_dictionary_suggest(&d, AG_S("event"), arena);
	assert_true(
		ag_str_eqc(got, "Did you mean: event_00, event_01, event_02, event_03, event_04"));
	got = ag_dictionary_suggest(&d, AG_S("qqqqqqqqq"), arena);
	assert_true(ag_str_starts(got, AG_S("The first 10 of 40 tables: event_00, event_01")));
	for (size_t i = 0; i < got.len; i++)
		ncomma += got.ptr[i] == ',';
	assert_int_equal(ncomma, 9);
	assert_int_equal(ag_dictionary_suggest(&none, AG_S("x"), arena).len, 0);
	assert_int_equal(ag_dictionary_suggest(&d, AG_S(""), arena).len > 0, 1);
	ag_arena_free(arena);
}

/* --- JSON --- */

static void assert_json(ag_buf *out, const char *want)
{
	if (!ag_str_eqc(ag_buf_view(out), want))
		fail_msg("got  %.*s\nwant %s", AG_FMT(ag_buf_view(out)), want);
	ag_buf_release(out);
}

static void tools_are_told(void **state)
{
	ag_dictionary two = dictionary;
	ag_buf out = AG_BUF_INIT(100000);
	ag_jw w;

	(void)state;
	two.tables = tables + 4;
	two.ntable = 2;
	ag_jw_init(&w, &out, 0);
	ag_dictionary_list_json(&two, &w);
	assert_json(
		&out,
		"[{\"name\":\"users\",\"type\":\"partitioned_table\",\"row_count\":1200,\"column_count\":3,"
		"\"description\":\"who\"},{\"name\":\"other.orders\",\"type\":\"table\",\"row_count\":1,"
		"\"column_count\":0,\"description\":\"\"}]");
	ag_jw_init(&w, &out, 0);
	ag_dictionary_table_json(&dictionary, &tables[4], &w);
	assert_json(
		&out,
		"{\"name\":\"users\",\"type\":\"partitioned_table\",\"row_count\":1200,\"row_count_is_exact\":false,"
		"\"comment\":\"who\",\"columns\":["
		"{\"name\":\"id\",\"type\":\"integer\",\"nullable\":false,\"default\":null,\"comment\":\"\","
		"\"is_primary_key\":true,\"sample_values\":[]},"
		"{\"name\":\"day\",\"type\":\"date\",\"nullable\":true,\"default\":\"now()\",\"comment\":\"of joining\","
		"\"is_primary_key\":false,\"sample_values\":[\"2026-03-01\",\"\\\"quoted\\\"\\nand more\"]},"
		"{\"name\":\"password_hash\",\"type\":\"text\",\"nullable\":false,\"default\":null,\"comment\":\"\","
		"\"is_primary_key\":false,\"sample_values\":[],\"is_generated\":true,\"is_sensitive\":true,"
		"\"enum\":\"mood\"}],\"primary_key\":[\"id\"],\"foreign_keys\":["
		"{\"column\":\"a\",\"references_table\":\"sales.orders\",\"references_column\":\"x\",\"constraint\":\"two\"},"
		"{\"column\":\"b\",\"references_table\":\"sales.orders\",\"references_column\":\"y\",\"constraint\":\"two\"},"
		"{\"column\":\"c\",\"references_table\":\"users\",\"references_column\":\"id\"}],\"indexes\":["
		"{\"name\":\"users_day\",\"columns\":[\"lower(name)\",\"day\"],\"unique\":true}]}");
	two.tables = tables + 8;
	two.ntable = 1;
	two.is_cut = true;
	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_dictionary_all_json(&two, &w);
	ag_jw_obj_end(&w);
	assert_json(
		&out,
		"{\"schema\":\"public\",\"generated_at\":\"2026-03-01T08:30:00Z\",\"table_count\":1,\"is_cut\":true,"
		"\"tables\":{\"sales.Twice\":{\"name\":\"sales.Twice\",\"type\":\"table\",\"row_count\":2,"
		"\"row_count_is_exact\":true,\"comment\":\"\",\"columns\":[],\"primary_key\":[],\"foreign_keys\":[],"
		"\"indexes\":[]}},\"enums\":{\"mood\":[\"sad\",\"ok\"],\"sales.kind\":[]}}");
}

static char *text_of(const ag_dictionary *d, bool is_cache)
{
	ag_buf out = AG_BUF_INIT(1000000);
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	if (is_cache) {
		ag_dictionary_write(d, &w);
	} else {
		ag_jw_obj(&w);
		ag_dictionary_all_json(d, &w);
		ag_jw_obj_end(&w);
	}
	return ag_buf_steal(&out);
}

static void what_is_kept_is_read_back(void **state)
{
	ag_arena *arena = ag_arena_new();
	char *kept = text_of(&dictionary, true), *told = text_of(&dictionary, false), *kept2,
	     *told2;
	ag_dictionary back;
	ag_err err = { 0 };

	(void)state;
	if (ag_dictionary_read(ag_str_c(kept), arena, &back, &err))
		fail_msg("%s", err.msg);
	kept2 = text_of(&back, true);
	told2 = text_of(&back, false);
	assert_string_equal(kept, kept2);
	assert_string_equal(told, told2);
	assert_true(back.tables[8].is_row_count_exact && back.tables[4].columns[1].is_nullable);
	memset(kept, 'x', strlen(kept)); /* the dictionary does not look at the text any more */
	free(kept2);
	kept2 = text_of(&back, false);
	assert_string_equal(told, kept2);
	free(kept);
	free(kept2);
	free(told);
	free(told2);
	ag_arena_free(arena);
}

#define HEAD "{\"dictionary\":1,\"schema\":\"s\",\"generated_ms\":5,"

/* text | part of the message */
static const char *const bad[][2] = {
	{ "", "" },
	{ "[]", "want an object" },
	{ "{}", "dictionary: want a whole number" },
	{ "{\"dictionary\":2,\"schema\":\"s\",\"generated_ms\":5}", "dictionary: want 1" },
	{ "{\"dictionary\":1,\"generated_ms\":5}", "schema: want a string" },
	{ "{\"dictionary\":1,\"schema\":\"s\",\"generated_ms\":-5}",
	  "generated_ms: want a whole number" },
	{ HEAD "\"tables\":{}}", "tables: want an array" },
	{ HEAD "\"tables\":[1]}", "tables: want objects" },
	{ HEAD "\"tables\":[{\"schema\":\"s\"}]}", "table 0: name: want a string" },
	{ HEAD "\"tables\":[{\"schema\":\"s\",\"name\":\"t\",\"type\":\"box\",\"rows\":1}]}",
	  "type: want a kind" },
	{ HEAD "\"tables\":[{\"schema\":\"s\",\"name\":\"t\",\"type\":\"view\",\"rows\":1.5}]}",
	  "rows: want a whole" },
	{ HEAD "\"tables\":[{\"schema\":\"s\",\"name\":\"t\",\"type\":\"view\",\"rows\":-2}]}",
	  "rows: want a whole" },
	{ HEAD
	  "\"tables\":[{\"schema\":\"s\",\"name\":\"t\",\"type\":\"view\",\"rows\":1,\"exact\":1}]}",
	  "exact: want true" },
	{ HEAD
	  "\"tables\":[{\"schema\":\"s\",\"name\":\"t\",\"type\":\"view\",\"rows\":1,\"columns\":[{\"name\":\"c\","
	  "\"type\":\"t\",\"samples\":[1]}]}]}",
	  "samples: want strings" },
	{ HEAD
	  "\"tables\":[{\"schema\":\"s\",\"name\":\"t\",\"type\":\"view\",\"rows\":1,\"columns\":[{\"name\":\"c\","
	  "\"type\":\"t\",\"samples\":[\"1\",\"2\",\"3\",\"4\"]}]}]}",
	  "samples: want fewer" },
	{ HEAD
	  "\"tables\":[{\"schema\":\"s\",\"name\":\"t\",\"type\":\"view\",\"rows\":1,\"columns\":[{\"name\":\"c\","
	  "\"type\":\"t\",\"sensitive\":true,\"samples\":[\"1\"]}]}]}",
	  "samples: want none" },
	{ HEAD "\"enums\":[{\"schema\":\"s\"}]}", "enum 0: name: want a string" },
};

static void what_is_no_dictionary_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		ag_arena *arena = ag_arena_new();
		ag_dictionary d;
		ag_err err = { 0 };

		if (ag_dictionary_read(ag_str_c(bad[i][0]), arena, &d, &err) != AG_INVALID ||
		    err.status != AG_INVALID || !strstr(err.msg, bad[i][1]))
			fail_msg("%s: %s", bad[i][0], err.msg);
		ag_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_found_by_name),
		cmocka_unit_test(near_names_are_suggested),
		cmocka_unit_test(suggestions_are_few),
		cmocka_unit_test(tools_are_told),
		cmocka_unit_test(what_is_kept_is_read_back),
		cmocka_unit_test(what_is_no_dictionary_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
