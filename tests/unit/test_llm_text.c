/* Small texts of the wire: addresses, JSON inside of answers, schemas, error bodies, lists of models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "llm/json_text.h"
#include "llm/wire_request.h"
#include "llm_cases.h"

static bool complain(ag_str got, ag_str want)
{
	case_show("got", got);
	case_show("want", want);
	return false;
}

static bool url_case(const llm_case *c, ag_arena *arena)
{
	const ag_llm_wire *w = ag_llm_wire_find(case_setting(c, "provider"));
	ag_str bases = ag_str_trim(c->input), want = c->want;
	bool ok = true;

	assert_non_null(w);
	while (bases.len) {
		ag_str base = ag_str_split(&bases, '\n'), line = ag_str_split(&want, '\n');
		ag_str ask, list, got;

		if (ag_str_eqc(base, "\"\""))
			base = AG_S("");
		ask = ag_wire_url(w, base, w->ask_path, arena);
		list = ag_wire_url(w, base, w->list_path, arena);
		got = ag_str_printf(arena, "%.*s %.*s", AG_FMT(ask), AG_FMT(list));
		ok = (ag_str_eq(got, line) || complain(got, line)) && ok;
	}
	return ok && !want.len;
}

static void test_urls(void **state)
{
	(void)state;
	assert_int_equal(run_cases("urls.cases", url_case), 2);
}

static bool json_case(const llm_case *c, ag_arena *arena)
{
	ag_str got = ag_json_in_text(c->input);

	(void)arena;
	/* A view, so that callers may take it as long as the text lives. */
	assert_true(!got.len ||
	            (got.ptr >= c->input.ptr && got.ptr + got.len <= c->input.ptr + c->input.len));
	return ag_str_eq(got, c->want) || complain(got, c->want);
}

static void test_json_in_text(void **state)
{
	(void)state;
	assert_true(run_cases("json_in_text.cases", json_case) >= 20);
	assert_int_equal(ag_json_in_text(ag_str_make(NULL, 0)).len, 0);
}

/* Text made to be slow: each byte is looked at a few times only. */
static void test_json_in_long_text(void **state)
{
	static const char *const units[] = { "{",   "{\"",     "{\"a\":", "```\n{\"",
		                             "{}x", "<think>", "[",       "{\"\":{},}" };
	size_t n = 4u << 20;
	char *text = ag_xmalloc(n);

	(void)state;
	for (size_t u = 0; u < AG_NELEM(units); u++) {
		size_t len = strlen(units[u]);

		for (size_t i = 0; i < n; i++)
			text[i] = units[u][i % len];
		assert_int_equal(ag_json_in_text(ag_str_make(text, n)).len,
		                 ag_str_eqc(ag_str_c(units[u]), "{}x") ? 2 : 0);
	}
	free(text);
}

static void test_raw(void **state)
{
	const ag_str o = AG_S(
		" { \"a\" : [1, {\"b\":\"]\\\"}\"} ] , \"c\":{ \"d\" : 1.50 }, \"e\":null} ");

	(void)state;
	assert_true(ag_str_eqc(ag_json_raw_member(o, "a"), "[1, {\"b\":\"]\\\"}\"} ]"));
	assert_true(ag_str_eqc(ag_json_raw_member(o, "c"), "{ \"d\" : 1.50 }"));
	assert_true(ag_str_eqc(ag_json_raw_member(o, "e"), "null"));
	assert_true(ag_str_eqc(ag_json_raw_member(o, "d"), ""));
	assert_true(ag_str_eqc(ag_json_raw_member(AG_S("{}"), "a"), ""));
	assert_true(ag_str_eqc(ag_json_raw_member(AG_S("[1]"), "a"), ""));
	assert_true(ag_str_eqc(ag_json_raw_member(AG_S("{\"a\\\""), "a"), ""));
}

static void test_raw_items(void **state)
{
	static const struct {
		const char *array, *items[4];
	} cases[] = {
		{ " [1, {\"b\":\"]\\\"}\"} ,[2,3]]", { "1", "{\"b\":\"]\\\"}\"}", "[2,3]", "" } },
		{ "[]", { "", "" } },
		{ "[ ", { "", "" } },
		{ "{\"a\":1}", { "", "" } },
		{ "", { "", "" } },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		size_t pos = 0;

		for (size_t k = 0; k < 4 && cases[i].items[k]; k++)
			assert_true(ag_str_eqc(ag_json_raw_next(ag_str_c(cases[i].array), &pos),
			                       cases[i].items[k]));
	}
}

/* A list as long as it may be is walked once: walked anew for each item it would take hours. */
static void test_many_calls(void **state)
{
	static const char *const units[] = { "{},", "{\"type\":\"x\"}," };
	static const char *const begins[] = { "{\"choices\":[{\"message\":{\"tool_calls\":[",
		                              "{\"type\":\"message\",\"content\":[" };
	static const char *const ends[] = { "{}]}}]}", "{}],\"stop_reason\":\"end_turn\"}" };
	static const char *const providers[] = { "openai", "anthropic" };

	(void)state;
	for (size_t p = 0; p < AG_NELEM(providers); p++) {
		const ag_llm_wire *w = ag_llm_wire_find(ag_str_c(providers[p]));
		ag_buf body = AG_BUF_INIT(32u << 20);
		ag_acc *acc = ag_acc_new();

		ag_buf_adds(&body, begins[p]);
		for (size_t i = 0; i < 120000; i++)
			ag_buf_adds(&body, units[p]);
		ag_buf_adds(&body, ends[p]);
		assert_int_equal(w->reply(ag_buf_view(&body), acc, NULL), AG_OK);
		assert_true(ag_acc_is_empty(acc));
		ag_acc_free(acc);
		ag_buf_release(&body);
	}
}

static void test_closed_schemas(void **state)
{
	static const struct {
		bool closed;
		const char *schema;
	} cases[] = {
		{ true,
		  "{\"type\":\"object\",\"properties\":{},\"required\":[],\"additionalProperties\":false}" },
		{ true,
		  "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/x\"}},\"required\":[\"a\"],"
		  "\"additionalProperties\":false,\"$defs\":{\"x\":{\"enum\":[1,2]}}}" },
		{ true,
		  "{\"type\":\"object\",\"properties\":{\"a\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}},"
		  "\"required\":[\"a\"],\"additionalProperties\":false}" },
		{ false,
		  "{\"type\":\"object\",\"properties\":{\"a\":{}},\"required\":[\"a\"],\"additionalProperties\":false}" },
		{ false,
		  "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[],"
		  "\"additionalProperties\":false}" },
		{ false,
		  "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"]}" },
		{ false,
		  "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}}},"
		  "\"required\":[\"a\"],\"additionalProperties\":false}" },
		{ false,
		  "{\"type\":\"object\",\"properties\":{\"a\":{\"oneOf\":[{\"type\":\"string\"}]}},\"required\":[\"a\"],"
		  "\"additionalProperties\":false}" },
		{ false,
		  "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":[\"object\",\"null\"]}},\"required\":[\"a\"],"
		  "\"additionalProperties\":false}" },
		{ false, "{\"type\":\"string\"}" },
		{ false, "{}" },
		{ false, "" },
		{ false, "{\"type\":" },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		if (ag_wire_schema_is_closed(ag_str_c(cases[i].schema)) != cases[i].closed)
			fail_msg("%s", cases[i].schema);
	}
}

static void test_error_text(void **state)
{
	static const struct {
		const char *body, *text;
	} cases[] = {
		{ "{\"error\":{\"message\":\"no such\\n  model\"}}", "no such model" },
		{ "{\"error\":\"x\"}", "x" },
		{ "{\"detail\":[{\"msg\":\"Field required\",\"loc\":[\"body\"]}]}",
		  "Field required" },
		{ "{\"errors\":[{\"message\":\"x\"}]}", "x" },
		{ "{\"message\":\"x\",\"request_id\":\"r\"}", "x" },
		{ "[{\"error\":{\"message\":\"x\"}}]", "x" },
		{ "\"x\"", "x" },
		{ "<html><head><title>404 Not Found</title>", "404 Not Found" },
		{ "<html>", "an HTML page" },
		{ "upstream timed out\n", "upstream timed out" },
		{ "{\"a\":1}", "" },
		{ "", "" },
		{ "{\"error\":{\"message\":\"bad key sk-ant-api03-abcdefgh, AIzaSyABCDEFG\"}}",
		  "bad key [key], [key]" },
		{ "authorization: bearer 0123456789", "authorization: bearer [key]" },
	};
	ag_arena *arena = ag_arena_new();
	char *text = ag_xmalloc(2000);
	ag_str s;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		s = ag_wire_error_text(ag_str_c(cases[i].body), arena);
		assert_string_equal(ag_str_cstr(arena, s), cases[i].text);
	}
	/* Cut between characters. */
	for (size_t i = 0; i < 2000; i += 2)
		memcpy(text + i, "\xc3\xbc", 2);
	assert_int_equal(ag_wire_error_text(ag_str_make(text, 2000), arena).len, 300);
	assert_int_equal(ag_wire_error_text(ag_str_make(text + 1, 1999), arena).len, 299);
	free(text);
	ag_arena_free(arena);
}

static void test_fail(void **state)
{
	static const struct {
		int http;
		ag_status status;
		const char *body, *hint;
	} cases[] = {
		{ 400, AG_INVALID, "{\"error\":{\"message\":\"bad value for timeout\"}}", "" },
		{ 400, AG_INVALID,
		  "{\"error\":{\"message\":\"maximum context length is 8192 tokens\"}}",
		  "larger context" },
		{ 500, AG_INVALID,
		  "{\"error\":{\"message\":\"exceeds the available context size\"}}",
		  "larger context" },
		{ 500, AG_UNAVAILABLE,
		  "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"x\"}}", "" },
		{ 401, AG_DENIED, "", "" },
		{ 401, AG_DENIED,
		  "{\"error\":{\"type\":\"authentication_error\",\"message\":\"x\"}}",
		  "check the key" },
		{ 402, AG_DENIED, "x", "" },
		{ 404, AG_NOT_FOUND, "<html>", "" },
		{ 413, AG_INVALID, "", "" },
		{ 429, AG_UNAVAILABLE, "{\"error\":{\"message\":\"slow down\"}}", "" },
		{ 429, AG_DENIED, "{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"x\"}}",
		  "no credit" },
		{ 529, AG_UNAVAILABLE,
		  "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}",
		  "" },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_err err = { 0 };
		ag_status st = ag_wire_fail("llm.test", ag_str_c(cases[i].body), cases[i].http,
		                            &err);

		if (st != cases[i].status || err.status != st || err.native != cases[i].http ||
		    !strstr(err.hint, cases[i].hint) || (!cases[i].hint[0] && err.hint[0]))
			fail_msg("%zu: %s: %s (%s)", i, ag_status_name(st), err.msg, err.hint);
	}
}

static void test_model_list(void **state)
{
	static const char *const bodies[] = {
		"{\"object\":\"list\",\"data\":[{\"id\":\"a\",\"object\":\"model\"},{\"id\":\"b/c\"}]}",
		"{\"models\":[{\"name\":\"a\",\"model\":\"a\"},{\"name\":\"models/b/c\"}]}",
		"[{\"id\":\"a\"},{\"id\":\"\"},7,{\"id\":\"b/c\"}]",
		"{\"models\":[\"a\",\"b/c\"]}",
	};
	ag_arena *arena = ag_arena_new();
	ag_err err = { 0 };
	ag_str *names;
	size_t n;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(bodies); i++) {
		assert_int_equal(ag_wire_model_list(ag_str_c(bodies[i]), arena, &names, &n, &err),
		                 AG_OK);
		assert_int_equal(n, 2);
		assert_true(ag_str_eqc(names[0], "a") && ag_str_eqc(names[1], "b/c"));
	}
	assert_int_equal(ag_wire_model_list(AG_S("{\"data\":[]}"), arena, &names, &n, &err), AG_OK);
	assert_int_equal(n, 0);
	assert_int_equal(ag_wire_model_list(AG_S("{}"), arena, &names, &n, &err), AG_PROTOCOL);
	assert_int_equal(ag_wire_model_list(AG_S("<html>"), arena, &names, &n, &err), AG_PROTOCOL);
	assert_int_equal(ag_wire_model_list(AG_S("{\"error\":{\"code\":401,\"message\":\"x\"}}"),
	                                    arena, &names, &n, &err),
	                 AG_DENIED);
	ag_arena_free(arena);
}

static void test_wires(void **state)
{
	size_t n;
	const ag_llm_wire *const *w = ag_llm_wires(&n);

	(void)state;
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++) {
		assert_ptr_equal(ag_llm_wire_find(ag_str_c(w[i]->name)), w[i]);
		assert_true(ag_str_starts(ag_str_c(w[i]->ask_path), AG_S("/v1/")));
		assert_true(ag_str_starts(ag_str_c(w[i]->list_path), AG_S("/v1/")));
	}
	assert_null(ag_llm_wire_find(AG_S("gemini")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_urls),
		cmocka_unit_test(test_json_in_text),
		cmocka_unit_test(test_json_in_long_text),
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_raw_items),
		cmocka_unit_test(test_many_calls),
		cmocka_unit_test(test_closed_schemas),
		cmocka_unit_test(test_error_text),
		cmocka_unit_test(test_fail),
		cmocka_unit_test(test_model_list),
		cmocka_unit_test(test_wires),
	};

	return cmocka_run_group_tests_name("llm_text", tests, NULL, NULL);
}
