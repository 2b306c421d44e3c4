/* JSON-RPC messages: what is read, what is refused with which code, and that an id goes back as it came. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>

#include "rpc/jsonrpc.h"
#include "text_checks.h"

static ag_arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = ag_arena_new();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena = ag_arena_free(arena);
	return 0;
}

static ag_rpc_message good(const char *text)
{
	ag_rpc_message m;
	ag_err err = { 0 };
	int code = 0;

	if (ag_rpc_read(ag_str_c(text), arena, &m, &code, &err))
		fail_msg("%s: %s", text, err.msg);
	return m;
}

static void bad(const char *text, int want_code, const char *want_id, const char *want_words)
{
	ag_rpc_message m;
	ag_err err = { 0 };
	int code = 0;

	if (!ag_rpc_read(ag_str_c(text), arena, &m, &code, &err))
		fail_msg("%s: was taken", text);
	if (code != want_code)
		fail_msg("%s: code %d, want %d", text, code, want_code);
	assert_str(m.id, want_id);
	assert_has(ag_str_c(err.msg), want_words);
}

static void the_four_kinds(void **state)
{
	ag_rpc_message m;

	(void)state;
	m = good("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{\"a\":1}}");
	assert_int_equal(m.kind, AG_RPC_REQUEST);
	assert_str(m.id, "7");
	assert_str(m.method, "ping");
	assert_int_equal(ag_val_member_u64(&m.params, "a"), 1);

	m = good(" {\"method\":\"n/x\",\"jsonrpc\":\"2.0\",\"other\":[1]} ");
	assert_int_equal(m.kind, AG_RPC_NOTIFICATION);
	assert_str(m.id, "");
	assert_int_equal(m.params.type, AG_T_MISSING);

	m = good("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":null}");
	assert_int_equal(m.kind, AG_RPC_RESULT);
	assert_str(m.id, "\"a\"");
	assert_int_equal(m.result.type, AG_T_NULL);

	m = good(
		"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no\"}}");
	assert_int_equal(m.kind, AG_RPC_ERROR);
	assert_str(m.id, "null");
	assert_str(ag_val_member_str(&m.result, "message"), "no");
}

static void an_id_goes_back_as_it_came(void **state)
{
	static const struct {
		const char *in, *out;
	} ids[] = {
		{ "0", "0" },
		{ "-9223372036854775808", "-9223372036854775808" },
		{ "9223372036854775807", "9223372036854775807" },
		{ "\"\"", "\"\"" },
		{ "\"x y\"", "\"x y\"" },
		{ "\"\xc3\xa9\"", "\"\xc3\xa9\"" },
		{ "\"a\\\"b\\\\c\"", "\"a\\\"b\\\\c\"" },
		{ "\"\\u0041\\n\"", "\"A\\n\"" }, /* the same text, written the short way */
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < AG_NELEM(ids); i++) {
		snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"m\"}",
		         ids[i].in);
		assert_str(good(text).id, ids[i].out);
	}
}

static void what_is_no_json(void **state)
{
	(void)state;
	bad("", AG_RPC_PARSE_ERROR, "null", "the text ends");
	bad("{\"jsonrpc\":\"2.0\"", AG_RPC_PARSE_ERROR, "null", "byte");
	bad("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"m\"}", AG_RPC_PARSE_ERROR, "null",
	    "twice");
	bad("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", AG_RPC_PARSE_ERROR, "null",
	    "byte");
	bad("{} {}", AG_RPC_PARSE_ERROR, "null", "the end");
}

static void what_is_no_message(void **state)
{
	(void)state;
	bad("1", AG_RPC_INVALID_REQUEST, "null", "one JSON object");
	bad("[]", AG_RPC_INVALID_REQUEST, "null", "batches");
	bad("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}]", AG_RPC_INVALID_REQUEST, "null",
	    "batches");
	bad("{\"id\":1,\"method\":\"m\"}", AG_RPC_INVALID_REQUEST, "1", "jsonrpc");
	bad("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"m\"}", AG_RPC_INVALID_REQUEST, "1",
	    "jsonrpc");
	bad("{\"jsonrpc\":2.0,\"id\":1,\"method\":\"m\"}", AG_RPC_INVALID_REQUEST, "1", "jsonrpc");
	bad("{\"jsonrpc\":\"2.0\",\"id\":1}", AG_RPC_INVALID_REQUEST, "1", "method is missing");
	bad("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":3}", AG_RPC_INVALID_REQUEST, "1", "method");
	bad("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}", AG_RPC_INVALID_REQUEST, "1",
	    "method");
	bad("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":[1]}",
	    AG_RPC_INVALID_REQUEST, "1", "params");
	bad("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"result\":1}", AG_RPC_INVALID_REQUEST,
	    "1", "not two");
	bad("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1,\"error\":{\"code\":1}}",
	    AG_RPC_INVALID_REQUEST, "1", "not two");
	bad("{\"jsonrpc\":\"2.0\",\"result\":1}", AG_RPC_INVALID_REQUEST, "null", "id is missing");
	bad("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":\"x\"}", AG_RPC_INVALID_REQUEST, "1", "error");
}

static void what_is_no_id(void **state)
{
	static const char *const ids[] = { "null",  "true", "1.5", "1e3",
		                           "1.0",   "[1]",  "{}",  "9223372036854775808",
		                           "[\"\"]" };
	char text[1000];

	(void)state;
	for (size_t i = 0; i < AG_NELEM(ids); i++) {
		snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"m\"}",
		         ids[i]);
		bad(text, AG_RPC_INVALID_REQUEST, "null", "id: want");
	}
	snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":\"%0254d\",\"method\":\"m\"}", 0);
	assert_int_equal(good(text).id.len, AG_RPC_MAX_ID);
	snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":\"%0255d\",\"method\":\"m\"}", 0);
	bad(text, AG_RPC_INVALID_REQUEST, "null", "id: want");
}

static void limits(void **state)
{
	ag_buf text = AG_BUF_INIT(AG_RPC_MAX_MESSAGE + 1000);

	(void)state;
	ag_buf_adds(&text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"a\":");
	for (int i = 0; i < 200; i++)
		ag_buf_addc(&text, '[');
	bad(text.ptr, AG_RPC_PARSE_ERROR, "null", "deeper");

	ag_buf_clear(&text);
	ag_buf_adds(&text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"a\":[0");
	for (unsigned i = 0; i < AG_RPC_MAX_VALUES; i++)
		ag_buf_adds(&text, ",0");
	ag_buf_adds(&text, "]}}");
	bad(text.ptr, AG_RPC_PARSE_ERROR, "null", "values");

	ag_buf_clear(&text);
	for (unsigned i = 0; i <= AG_RPC_MAX_MESSAGE; i++)
		ag_buf_addc(&text, ' ');
	bad(text.ptr, AG_RPC_INVALID_REQUEST, "null", "more than");
	ag_buf_release(&text);
}

static void written(void **state)
{
	ag_buf out = AG_BUF_INIT(1000);

	(void)state;
	ag_rpc_write_request(&out, AG_S("1"), "a/b", AG_S("{\"x\":1}"));
	assert_str(ag_buf_view(&out),
	           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a/b\",\"params\":{\"x\":1}}");
	ag_buf_clear(&out);
	ag_rpc_write_notification(&out, "n", AG_S(""));
	assert_str(ag_buf_view(&out), "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}");
	ag_buf_clear(&out);
	ag_rpc_write_result(&out, AG_S("\"q\""), AG_S("{}"));
	assert_str(ag_buf_view(&out), "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{}}");
	ag_buf_clear(&out);
	ag_rpc_write_error(&out, AG_S("null"), -32700, AG_S("a \"b\"\n"), AG_S("{\"d\":1}"));
	assert_str(ag_buf_view(&out), "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"
	                              "\"message\":\"a \\\"b\\\"\\n\",\"data\":{\"d\":1}}}");
	ag_buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_four_kinds, setup, teardown),
		cmocka_unit_test_setup_teardown(an_id_goes_back_as_it_came, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_json, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_message, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_id, setup, teardown),
		cmocka_unit_test_setup_teardown(limits, setup, teardown),
		cmocka_unit_test_setup_teardown(written, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
