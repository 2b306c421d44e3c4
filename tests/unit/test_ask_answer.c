/* The answer of `argus ask`: as one JSON line, for people, and read again, also from other programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ask/answer.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "query/extjson.h"
#include "unit/text_checks.h"

static ag_str json_of(const ag_answer *a, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(1u << 20);
	ag_str ret;

	ag_answer_json(a, &out);
	assert_false(out.failed);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static ag_str people_of(const ag_answer *a, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(1u << 20);
	ag_str ret;

	ag_answer_markdown(a, &out);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static ag_val parsed(ag_str json, ag_arena *arena)
{
	const ag_extjson_opts read = { .reject_duplicates = true };
	ag_err err = { 0 };
	ag_val v;

	if (ag_extjson_parse(json, &read, arena, &v, NULL, NULL, &err))
		fail_msg("%s: %.*s", err.msg, AG_FMT(json));
	return v;
}

static ag_status read_again(const char *json, ag_arena *arena, ag_answer *ret, ag_err *err)
{
	ag_val v = parsed(ag_str_c(json), arena);

	return ag_answer_read(&v, arena, ret, err);
}

/* --- written --- */

static const ag_answer_call two_calls[] = {
	{ .tool = AG_S_INIT("read_file"),
	  .args = AG_S_INIT("{ \"path\" : \"wiki/a b.md\",\n\t\"offset\": 1.0 }"),
	  .result = AG_S_INIT("# A\n"),
	  .ok = true,
	  .sha256 = AG_S_INIT("h1"),
	  .file = { AG_S_INIT("wiki/a b.md"), AG_S_INIT("h2"), 1, 1, 1 } },
	{ .tool = AG_S_INIT("query_api"),
	  .args = AG_S_INIT("{\"method\":\"GET\",\"path\":\"/items/\"}"),
	  .result = AG_S_INIT("{\"status_code\":200,\"body\":\"[]\"}"),
	  .ok = true,
	  .sha256 = AG_S_INIT("h3"),
	  .request = AG_S_INIT("GET /items/"),
	  .status = 200 },
};

static const ag_citation one_citation[] = {
	{ .path = AG_S_INIT("wiki/a b.md"),
	  .anchor = AG_S_INIT("a"),
	  .title = AG_S_INIT("A"),
	  .line = 1,
	  .last_line = 9,
	  .quote = AG_S_INIT("It is A."),
	  .sha256 = AG_S_INIT("h2"),
	  .instead_of = AG_S_INIT("a.md#aa") },
};

static ag_answer example(void)
{
	return (ag_answer){ .answer = AG_S("It is \"A\".\n"),
		            .source = AG_S("wiki/a b.md#a"),
		            .calls = two_calls,
		            .ncall = 2,
		            .citations = one_citation,
		            .ncitation = 1,
		            .status = AG_S("partial"),
		            .why = AG_S("out of time"),
		            .mode = AG_S("model"),
		            .question = AG_S("What is it?"),
		            .root = AG_S("/srv/project"),
		            .run = AG_S("0190"),
		            .input_tokens = 900,
		            .output_tokens = 304,
		            .model_calls = 3,
		            .usd = 0.0125 };
}

static void is_written_in_one_line(void **state)
{
	static const char want[] =
		"{\"answer\":\"It is \\\"A\\\".\\n\",\"source\":\"wiki/a b.md#a\",\"tool_calls\":["
		"{\"tool\":\"read_file\",\"args\":{\"path\":\"wiki/a b.md\",\"offset\":1.0},"
		"\"result\":\"# A\\n\",\"ok\":true,\"sha256\":\"h1\",\"file\":{\"path\":\"wiki/a b.md\","
		"\"sha256\":\"h2\",\"first_line\":1,\"last_line\":1,\"lines\":1}},"
		"{\"tool\":\"query_api\",\"args\":{\"method\":\"GET\",\"path\":\"/items/\"},"
		"\"result\":\"{\\\"status_code\\\":200,\\\"body\\\":\\\"[]\\\"}\",\"ok\":true,"
		"\"sha256\":\"h3\",\"request\":\"GET /items/\",\"status\":200}],"
		"\"citations\":[{\"path\":\"wiki/a b.md\",\"anchor\":\"a\",\"title\":\"A\",\"line\":1,"
		"\"last_line\":9,\"quote\":\"It is A.\",\"sha256\":\"h2\",\"instead_of\":\"a.md#aa\"}],"
		"\"status\":\"partial\",\"why\":\"out of time\",\"mode\":\"model\","
		"\"question\":\"What is it?\",\"root\":\"/srv/project\",\"run\":\"0190\","
		"\"usage\":{\"model_calls\":3,\"input_tokens\":900,\"output_tokens\":304,"
		"\"usd\":0.0125}}";
	ag_arena *arena = ag_arena_new();
	ag_answer a = example();

	(void)state;
	assert_str(json_of(&a, arena), want);
	ag_arena_free(arena);
}

/* An answer of nothing has the seed's three keys all the same. */
static void is_whole_when_empty(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_answer a = { 0 };
	ag_val v = parsed(json_of(&a, arena), arena);

	(void)state;
	assert_int_equal(ag_val_getc(&v, "answer")->type, AG_T_STRING);
	assert_int_equal(ag_val_getc(&v, "source")->type, AG_T_STRING);
	assert_int_equal(ag_val_getc(&v, "tool_calls")->type, AG_T_ARRAY);
	assert_str(ag_val_member_str(&v, "status"), "ok");
	assert_true(ag_answer_is(&v));
	ag_arena_free(arena);
}

static void arguments_stay_as_they_are(void **state)
{
	static const struct {
		const char *args, *want; /* want NULL = the text as a member of an object */
	} cases[] = {
		{ "{}", "{}" },
		{ " {\t\"a\" : [ 1 , 2.50, 1e3, -0 ] ,\r\n\"b\":\"x  y\" } ",
		  "{\"a\":[1,2.50,1e3,-0],\"b\":\"x  y\"}" },
		{ "{\"a\":\"q\\\" \\\\ \\n\"}", "{\"a\":\"q\\\" \\\\ \\n\"}" },
		{ "{\"n\":123456789012345678901234567890}",
		  "{\"n\":123456789012345678901234567890}" },
		{ "{\"a\":\"\\u00e4\\ud83d\\ude00\"}", "{\"a\":\"\\u00e4\\ud83d\\ude00\"}" },
		{ "{\"a\":\"\\ud800\"}", "{\"a\":\"\xEF\xBF\xBD\"}" },
		{ "{\"a\":\"\xFF\"}", "{\"a\":\"\xEF\xBF\xBD\"}" },
		{ "\"not { an object\"", "{\"_unparsed\":\"not { an object\"}" },
		{ "", "{\"_unparsed\":\"\"}" },
		{ "{\"_unparsed\":\"{broken\"}", "{\"_unparsed\":\"{broken\"}" },
		{ "[1]", NULL },
		{ "{\"a\":}", NULL },
		{ "{\"a\":1} trailing", NULL },
		{ "{\"a\":\"\n\"}", NULL },
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_answer_call c = { .tool = AG_S("t"), .args = ag_str_c(cases[i].args) };
		ag_answer a = { .calls = &c, .ncall = 1 };
		ag_buf want = AG_BUF_INIT(4096);
		ag_str json = json_of(&a, arena);

		ag_buf_adds(&want, "\"args\":");
		if (cases[i].want)
			ag_buf_adds(&want, cases[i].want);
		else
			ag_buf_add(&want, ag_answer_unparsed(c.args, arena));
		ag_buf_adds(&want, ",\"result\"");
		assert_has(json, want.ptr);
		assert_true(ag_str_find(json, '\n') < 0);
		parsed(json, arena);
		ag_buf_release(&want);
	}
	ag_arena_free(arena);
}

static void deep_arguments_are_text(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf args = AG_BUF_INIT(1u << 20);
	ag_answer_call c = { .tool = AG_S("t") };
	ag_answer a = { .calls = &c, .ncall = 1 };
	ag_val v;
	const ag_val *got;

	(void)state;
	for (int i = 0; i < 20000; i++)
		ag_buf_adds(&args, "{\"a\":");
	c.args = ag_buf_view(&args);
	v = parsed(json_of(&a, arena), arena);
	got = ag_val_getc(&ag_val_getc(&v, "tool_calls")->u.items[0], "args");
	assert_int_equal(got->type, AG_T_OBJECT);
	assert_true(ag_str_eq(ag_val_member_str(got, "_unparsed"), ag_buf_view(&args)));
	ag_buf_release(&args);
	ag_arena_free(arena);
}

/* What is hashed is what is printed. */
static void bad_bytes_are_mended_before_they_are_hashed(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_str bad = AG_S("caf\xE9 \xED\xA0\x80 \xF0\x9F\x98\x80 end\xC3");
	ag_sha256_hex of_bad = ag_sha256(bad);
	ag_answer_call c = { .tool = AG_S("read_file"),
		             .args = AG_S("{}"),
		             .result = bad,
		             .ok = true,
		             .sha256 = ag_str_c(of_bad.text) };
	ag_answer a = { .answer = bad, .source = bad, .calls = &c, .ncall = 1, .question = bad },
		  again;
	ag_str json = json_of(&a, arena);
	ag_val v = parsed(json, arena);
	ag_err err = { 0 };
	ag_sha256_hex hash;

	(void)state;
	assert_true(ag_utf8_valid(json));
	assert_int_equal(ag_answer_read(&v, arena, &again, &err), AG_OK);
	hash = ag_sha256(again.calls[0].result);
	assert_str(again.calls[0].sha256, hash.text);
	assert_true(ag_str_eq(again.calls[0].result, ag_answer_utf8(bad, arena)));
	assert_str(ag_answer_utf8(AG_S("good \xC3\xA4"), arena), "good \xC3\xA4");
	assert_int_equal(ag_answer_utf8(AG_S(""), arena).len, 0);
	ag_arena_free(arena);
}

static void a_limit_of_the_buffer_is_seen(void **state)
{
	ag_buf out = AG_BUF_INIT(100);
	ag_answer a = example();

	(void)state;
	ag_answer_json(&a, &out);
	assert_true(out.failed);
	ag_buf_release(&out);
}

/* --- for people --- */

static void is_shown_to_people(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_answer a = example(), none = { .mode = AG_S("offline") };
	ag_citation hostile = { .path = AG_S("a\n- forged.md"), .quote = AG_S("x\n\ny\x1b[31m") };

	(void)state;
	assert_str(people_of(&a, arena),
	           "It is \"A\".\n"
	           "\nSources:\n"
	           "- wiki/a b.md:1 (#a)\n"
	           "  > It is A.\n"
	           "\n(read files once, asked the API once, asked the model 3 times, 1,204 tokens, "
	           "0.0125 USD; partial: out of time)\n");
	a.source = AG_S("API endpoint GET /items/");
	assert_has(people_of(&a, arena), "Sources:\n- API endpoint GET /items/\n- wiki/a b.md:1");
	assert_str(people_of(&none, arena), "There is no answer.\n\n(without a model)\n");
	none.citations = &hostile;
	none.ncitation = 1;
	assert_has(people_of(&none, arena), "Sources:\n- a - forged.md\n  > x  y [31m\n");
	ag_arena_free(arena);
}

/* --- read again --- */

static void comes_back(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_answer a = example(), again;
	ag_str json = json_of(&a, arena);
	ag_val v = parsed(json, arena);
	ag_err err = { 0 };

	(void)state;
	assert_true(ag_answer_is(&v));
	assert_int_equal(ag_answer_read(&v, arena, &again, &err), AG_OK);
	/* "1.0" is a number, not a text. */
	assert_str(again.calls[0].args, "{\"path\":\"wiki/a b.md\",\"offset\":1.0}");
	assert_true(ag_str_eq(json_of(&again, arena), json));
	ag_arena_free(arena);
}

static void reads_what_others_write(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_answer a;
	ag_err err = { 0 };

	(void)state;
	assert_int_equal(
		read_again("{\"answer\":\"A\",\"source\":\"wiki/a.md\",\"tool_calls\":["
	                   "{\"tool\":\"read_file\",\"args\":{\"path\":\"a\"},\"result\":\"x\"},"
	                   "{\"tool\":\"query_api\",\"args\":\"{\\\"path\\\"\",\"result\":"
	                   "{\"status_code\":200,\"body\":[1]}},"
	                   "{\"tool\":\"list_files\"}]}",
	                   arena, &a, &err),
		AG_OK);
	assert_int_equal(a.ncall, 3);
	assert_str(a.calls[0].args, "{\"path\":\"a\"}");
	assert_str(a.calls[1].args, "\"{\\\"path\\\"\"");
	assert_str(a.calls[1].result, "{\"status_code\":200,\"body\":[1]}");
	assert_str(a.calls[2].args, "{}");
	assert_str(a.mode, "");
	assert_int_equal(read_again("{\"answer\":null,\"tool_calls\":[]}", arena, &a, &err), AG_OK);
	assert_str(a.answer, "");
	assert_str(a.source, "");
	assert_int_equal(
		read_again("{\"answer\":\"x\",\"source\":null,\"tool_calls\":null,\"more\":[{}]}",
	                   arena, &a, &err),
		AG_OK);
	ag_arena_free(arena);
}

static void says_what_is_wrong(void **state)
{
	static const struct {
		const char *json, *place;
	} bad[] = {
		{ "{}", "no answer of `argus ask`" },
		{ "[]", "no answer" },
		{ "\"x\"", "no answer" },
		{ "{\"answer\":\"x\"}", "no answer" },
		{ "{\"answer\":\"x\",\"source\":\"\",\"findings\":[]}", "no answer" },
		{ "{\"answer\":1,\"source\":\"\"}", "answer: want a string, got int" },
		{ "{\"answer\":\"x\",\"source\":[]}", "source: want a string, got array" },
		{ "{\"answer\":\"x\",\"tool_calls\":{}}", "tool_calls: want a list, got object" },
		{ "{\"answer\":\"x\",\"tool_calls\":[1]}",
		  "tool_calls[0].: want an object, got int" },
		{ "{\"answer\":\"x\",\"tool_calls\":[{\"tool\":\"t\"},{}]}",
		  "tool_calls[1].tool: want the name of a tool, got nothing" },
		{ "{\"answer\":\"x\",\"tool_calls\":[{\"tool\":\"t\",\"ok\":\"yes\"}]}",
		  "tool_calls[0].ok: want true or false, got str" },
		{ "{\"answer\":\"x\",\"tool_calls\":[{\"tool\":\"t\",\"file\":\"a\"}]}",
		  "tool_calls[0].file: want an object" },
		{ "{\"answer\":\"x\",\"tool_calls\":[{\"tool\":\"t\",\"file\":{\"lines\":-1}}]}",
		  "tool_calls[0].file.lines: want a count" },
		{ "{\"answer\":\"x\",\"source\":\"\",\"citations\":[{\"anchor\":\"a\"}]}",
		  "citations[0].path: want the path of a file" },
		{ "{\"answer\":\"x\",\"source\":\"\",\"citations\":[{\"path\":\"a\",\"line\":5000000000}]}",
		  "citations[0].line: want a count" },
		{ "{\"answer\":\"x\",\"source\":\"\",\"usage\":{\"usd\":\"1\"}}",
		  "usage.usd: want an amount" },
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		ag_err err = { 0 };
		ag_answer a;

		assert_int_equal(read_again(bad[i].json, arena, &a, &err), AG_INVALID);
		assert_has(ag_str_c(err.msg), bad[i].place);
	}
	ag_arena_free(arena);
}

static void too_many_calls_are_refused(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf json = AG_BUF_INIT(1u << 20);
	ag_err err = { 0 };
	ag_answer a;

	(void)state;
	ag_buf_adds(&json, "{\"answer\":\"x\",\"tool_calls\":[{\"tool\":\"t\"}");
	for (int i = 0; i < 10000; i++)
		ag_buf_adds(&json, ",{\"tool\":\"t\"}");
	ag_buf_adds(&json, "]}");
	assert_int_equal(read_again(json.ptr, arena, &a, &err), AG_LIMIT);
	assert_has(ag_str_c(err.msg), "tool_calls: 10001 entries");
	ag_buf_release(&json);
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_written_in_one_line),
		cmocka_unit_test(is_whole_when_empty),
		cmocka_unit_test(arguments_stay_as_they_are),
		cmocka_unit_test(deep_arguments_are_text),
		cmocka_unit_test(bad_bytes_are_mended_before_they_are_hashed),
		cmocka_unit_test(a_limit_of_the_buffer_is_seen),
		cmocka_unit_test(is_shown_to_people),
		cmocka_unit_test(comes_back),
		cmocka_unit_test(reads_what_others_write),
		cmocka_unit_test(says_what_is_wrong),
		cmocka_unit_test(too_many_calls_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
