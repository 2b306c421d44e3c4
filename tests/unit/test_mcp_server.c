/* The server's words: the handshake of each revision, the stateless era's own rules, and the form of results and errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>

#include "json_schema.h"
#include "mcp_fixtures.h"
#include "query/extjson.h"
#include "text_checks.h"

static ag_arena *arena;
static ag_mcp_server *server;
static ag_caller bob, ann;

static int setup(void **state)
{
	const ag_mcp_server_opts o = mcp_opts();

	(void)state;
	arena = ag_arena_new();
	server = mcp_server(&o);
	bob = mcp_user("bob");
	ann = mcp_user("ann");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	server = ag_mcp_server_free(server);
	arena = ag_arena_free(arena);
	return 0;
}

static ag_val say(ag_mcp_session *session, const char *message)
{
	return mcp_say(server, session, &bob, NULL, arena, message);
}

/* --- the handshake --- */

static void each_revision_is_echoed(void **state)
{
	static const char *const versions[] = { "2024-11-05", "2025-03-26", "2025-06-18",
		                                "2025-11-25" };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(versions); i++) {
		char text[400];
		ag_val v;

		snprintf(text, sizeof(text),
		         "{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"initialize\",\"params\":{"
		         "\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":{}}}",
		         versions[i]);
		v = say(NULL, text);
		assert_str(mcp_text(&v, "id"), "i");
		assert_str(mcp_text(&v, "result.protocolVersion"), versions[i]);
		assert_str(mcp_text(&v, "result.serverInfo.name"), "argus");
		assert_true(mcp_text(&v, "result.serverInfo.version").len > 0);
		assert_int_equal(mcp_text(&v, "result.serverInfo.title").len > 0, i >= 2);
		assert_str(mcp_text(&v, "result.instructions"), "Be kind.");
		assert_non_null(mcp_at(&v, "result.capabilities.tools"));
		assert_non_null(mcp_at(&v, "result.capabilities.logging"));
		/* Not there, so not promised. */
		assert_null(mcp_at(&v, "result.capabilities.resources"));
		assert_null(mcp_at(&v, "result.capabilities.prompts"));
		assert_null(mcp_at(&v, "result.capabilities.completions"));
		assert_null(mcp_at(&v, "result.capabilities.tools.listChanged"));
	}
}

static void an_unknown_revision_gets_the_newest(void **state)
{
	ag_val v;

	(void)state;
	v = say(NULL, MCP_INIT("2031-01-01"));
	assert_str(mcp_text(&v, "result.protocolVersion"), "2025-11-25");
	/* The stateless one has no handshake. */
	v = say(NULL, MCP_INIT("2026-07-28"));
	assert_str(mcp_text(&v, "result.protocolVersion"), "2025-11-25");
	v = say(NULL, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
	              "\"protocolVersion\":\"2025-03-26\"}}"); /* and nothing else */
	assert_str(mcp_text(&v, "result.protocolVersion"), "2025-03-26");
	v = say(NULL, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}");
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	assert_has(mcp_text(&v, "error.message"), "protocolVersion");
}

static void one_handshake_a_session(void **state)
{
	ag_mcp_session *s = mcp_session(server, "2025-06-18", &bob);
	ag_val v;

	(void)state;
	assert_int_equal(ag_mcp_session_revision(s), AG_MCP_2025_06_18);
	v = say(s, MCP_INIT("2025-06-18"));
	assert_int_equal(mcp_int(&v, "error.code"), -32600);
	v = say(s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	assert_non_null(mcp_at(&v, "result"));
	v = say(s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	assert_int_equal(v.type, AG_T_MISSING);
	v = say(s,
	        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/of/the/future\",\"params\":{}}");
	assert_int_equal(v.type, AG_T_MISSING);
	ag_mcp_session_drop(s);
	/* Before the handshake there is nothing but it and ping. */
	v = say(NULL, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	assert_non_null(mcp_at(&v, "result"));
	v = say(NULL, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	assert_has(mcp_text(&v, "error.message"), "initialize");
}

/* --- tools by revision --- */

static void a_tool_is_listed_as_its_revision_knows_it(void **state)
{
	static const struct {
		const char *version;
		bool title, annotations, schema;
	} rows[] = {
		{ "2024-11-05", false, false, false },
		{ "2025-03-26", false, true, false },
		{ "2025-06-18", true, true, true },
		{ "2025-11-25", true, true, true },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		ag_mcp_session *s = mcp_session(server, rows[i].version, &bob);
		ag_val v = say(s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
		const ag_val *t = mcp_at(&v, "result.tools.0");

		assert_non_null(t);
		assert_str(mcp_text(t, "name"), "echo");
		assert_str(mcp_text(t, "description"), "Says it again");
		assert_str(mcp_text(t, "inputSchema.required.0"), "text");
		assert_int_equal(mcp_at(t, "title") != NULL, rows[i].title);
		assert_int_equal(mcp_at(t, "annotations") != NULL, rows[i].annotations);
		assert_int_equal(mcp_at(t, "outputSchema") != NULL, rows[i].schema);
		if (rows[i].annotations) {
			assert_true(ag_val_member_bool(mcp_at(t, "annotations"), "readOnlyHint"));
			assert_false(ag_val_member_bool(mcp_at(t, "annotations"), "openWorldHint"));
		}
		assert_null(mcp_at(&v, "result.resultType"));
		assert_null(mcp_at(&v, "result.ttlMs"));
		ag_mcp_session_drop(s);
	}
}

static void a_result_is_given_as_its_revision_knows_it(void **state)
{
	static const char call[] =
		"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{"
		"\"name\":\"echo\",\"arguments\":{\"text\":\"a \\\"b\\\"\"}}}";
	static const char *const versions[] = { "2024-11-05", "2025-03-26", "2025-06-18",
		                                "2025-11-25" };
	static const ag_extjson_opts opts = { 0 };
	ag_val schema;

	(void)state;
	assert_int_equal(ag_extjson_parse(ag_str_c(mcp_tools[0].output_schema), &opts, arena,
	                                  &schema, NULL, NULL, NULL),
	                 AG_OK);
	for (size_t i = 0; i < AG_NELEM(versions); i++) {
		ag_mcp_session *s = mcp_session(server, versions[i], &bob);
		ag_val v = say(s, call);
		const ag_val *structured = mcp_at(&v, "result.structuredContent");

		assert_str(mcp_text(&v, "result.content.0.type"), "text");
		assert_str(mcp_text(&v, "result.content.0.text"), "{\"text\":\"a \\\"b\\\"\"}");
		assert_false(ag_val_member_bool(mcp_at(&v, "result"), "isError"));
		assert_int_equal(structured != NULL, i >= 2);
		if (structured) {
			assert_true(schema_fits(&schema, structured));
			assert_str(mcp_text(structured, "text"), "a \"b\"");
		}
		ag_mcp_session_drop(s);
	}
	schema = ag_val_object(NULL, 0);
}

static ag_val call(ag_mcp_session *s, const char *name, const char *arguments)
{
	char text[1000];

	snprintf(text, sizeof(text),
	         "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{"
	         "\"name\":\"%s\"%s%s}}",
	         name, arguments[0] ? ",\"arguments\":" : "", arguments);
	return say(s, text);
}

static void is_told(const ag_val *v, const char *words)
{
	assert_null(mcp_at(v, "error"));
	assert_true(ag_val_member_bool(mcp_at(v, "result"), "isError"));
	assert_null(mcp_at(v, "result.structuredContent"));
	assert_has(mcp_text(v, "result.content.0.text"), words);
}

static void what_a_model_can_mend_is_a_result(void **state)
{
	ag_mcp_session *s = mcp_session(server, "2025-11-25", &bob);
	ag_val v;

	(void)state;
	v = call(s, "echo", "");
	is_told(&v, "echo.text is missing");
	v = call(s, "echo", "null");
	is_told(&v, "echo.text is missing");
	v = call(s, "echo", "{\"text\":1}");
	is_told(&v, "want a string");
	v = call(s, "echo", "{\"txt\":\"x\"}");
	is_told(&v, "did you mean \"text\"?");
	v = call(s, "fail_invalid", "{}");
	is_told(&v, "the month has no day 32; days go up to 31");
	v = call(s, "large", "{}");
	is_told(&v, "larger than 1000 bytes");
	v = call(s, "wait", "{\"x\":1}");
	is_told(&v, "no parameter");
	ag_mcp_session_drop(s);
}

static void what_reached_no_tool_is_an_error(void **state)
{
	ag_mcp_session *s = mcp_session(server, "2025-11-25", &bob);
	ag_val v;

	(void)state;
	v = call(s, "ecco", "{}");
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	assert_str(mcp_text(&v, "error.message"), "Unknown tool: ecco; did you mean \"echo\"?");
	v = call(s, "echo", "[1]");
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	v = call(s, "fail_internal", "{}");
	assert_int_equal(mcp_int(&v, "error.code"), -32603);
	assert_str(mcp_text(&v, "error.message"), "it broke");
	v = say(s, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{}}");
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	v = say(s, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\"}");
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	v = say(s, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/cal\"}");
	assert_int_equal(mcp_int(&v, "error.code"), -32601);
	/* Without providers there are no such methods. */
	v = say(s, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"resources/list\"}");
	assert_int_equal(mcp_int(&v, "error.code"), -32601);
	v = say(s,
	        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"prompts/get\",\"params\":{\"name\":\"x\"}}");
	assert_int_equal(mcp_int(&v, "error.code"), -32601);
	/* Those of the other era. */
	v = say(s, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"server/discover\"}");
	assert_int_equal(mcp_int(&v, "error.code"), -32601);
	v = say(s, "[{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}]");
	assert_int_equal(mcp_int(&v, "error.code"), -32600);
	assert_has(mcp_text(&v, "error.message"), "batches");
	v = say(s, "{\"jsonrpc\":\"2.0\",\"id\":3,");
	assert_int_equal(mcp_int(&v, "error.code"), -32700);
	assert_int_equal(mcp_at(&v, "id")->type, AG_T_NULL);
	ag_mcp_session_drop(s);
}

static void a_tool_that_is_not_offered_is_not_there(void **state)
{
	static const char list[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
	static const char hidden[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
		"\"name\":\"hidden\",\"arguments\":{}}}";
	ag_mcp_session *a = mcp_session(server, "2025-11-25", &ann);
	ag_mcp_session *b = mcp_session(server, "2025-11-25", &bob);
	ag_val v;

	(void)state;
	v = mcp_say(server, a, &ann, NULL, arena, list);
	assert_int_equal(mcp_at(&v, "result.tools")->n, mcp_ntool + 1);
	v = mcp_say(server, a, &ann, NULL, arena, hidden);
	assert_non_null(mcp_at(&v, "result"));
	v = mcp_say(server, b, &bob, NULL, arena, list);
	assert_int_equal(mcp_at(&v, "result.tools")->n, mcp_ntool);
	v = mcp_say(server, b, &bob, NULL, arena, hidden);
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	assert_has(mcp_text(&v, "error.message"), "Unknown tool: hidden");
	ag_mcp_session_drop(a);
	ag_mcp_session_drop(b);
}

/* mcp_say() fails on a second line; the values must survive the joining and the fast quoting. */
static void a_result_is_one_line(void **state)
{
	ag_mcp_session *s = mcp_session(server, "2025-11-25", &bob);
	ag_val v = call(s, "lines", "{}");

	(void)state;
	assert_str(mcp_text(&v, "result.structuredContent.a"), "say \"\xc3\xa9\" \\ ");
	assert_int_equal(mcp_int(&v, "result.structuredContent.b"), 1);
	assert_str(mcp_text(&v, "result.content.0.text"),
	           "{\n\t\"a\":\r\n\"say \\\"\xc3\xa9\\\" \\\\ \",\"b\":1}");
	ag_mcp_session_drop(s);
}

static void quoting_is_the_same_as_the_writer_s(void **state)
{
	ag_mcp_session *s = mcp_session(server, "2025-11-25", &bob);
	char arguments[200];

	(void)state;
	/* A quote, a back slash and a letter beyond ASCII at each place of a word of eight. */
	for (int i = 0; i < 20; i++) {
		ag_val v;

		snprintf(arguments, sizeof(arguments),
		         "{\"text\":\"%.*s\\\"%.*s\\\\\\\\%.*s\xf0\x9f\x90\x98\"}", i,
		         "abcdefghijklmnopqrstuvwxyz", i / 2, "0123456789", 19 - i,
		         "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		v = call(s, "echo", arguments);
		assert_str(mcp_text(&v, "result.content.0.text"), arguments);
	}
	ag_mcp_session_drop(s);
}

/* Words that are full of quotes: every pattern of eight characters, beginning at every place of a word. */
static void quoting_of_every_pattern(void **state)
{
	ag_mcp_session *s = mcp_session(server, "2025-11-25", &bob);

	(void)state;
	for (unsigned i = 0; i < 8 * 256; i++) {
		ag_buf arguments = AG_BUF_INIT(200);
		ag_val v;

		ag_buf_addf(&arguments, "{\"text\":\"%.*s", (int)(i / 256), "abcdefgh");
		for (unsigned bit = 0; bit < 8; bit++)
			ag_buf_adds(&arguments, i >> bit & 1 ? "\\\"" : bit % 2 ? "z" : "\xc3\xa4");
		ag_buf_adds(&arguments, "\"}");
		v = call(s, "echo", arguments.ptr);
		assert_str(mcp_text(&v, "result.content.0.text"), arguments.ptr);
		ag_buf_release(&arguments);
	}
	ag_mcp_session_drop(s);
}

/* --- the stateless era --- */

static void discover_says_what_there_is(void **state)
{
	ag_val v = say(NULL, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\","
	                     "\"params\":{" MCP_META "}}");
	const ag_val *meta = mcp_at(&v, "result._meta");

	(void)state;
	assert_str(mcp_text(&v, "result.resultType"), "complete");
	assert_str(mcp_text(&v, "result.supportedVersions.0"), "2026-07-28");
	assert_non_null(mcp_at(&v, "result.capabilities.tools"));
	assert_str(mcp_text(&v, "result.instructions"), "Be kind.");
	assert_true(mcp_int(&v, "result.ttlMs") >= 0);
	assert_str(mcp_text(&v, "result.cacheScope"), "public");
	assert_non_null(meta);
	assert_str(ag_val_member_str(ag_val_getc(meta, "io.modelcontextprotocol/serverInfo"),
	                             "name"),
	           "argus");
}

static void a_stateless_request_says_itself_what_it_is(void **state)
{
	static const struct {
		const char *params;
		int code;
	} rows[] = {
		{ "{}", -32602 },
		{ "{\"_meta\":{}}", -32602 },
		{ "{\"_meta\":1}", -32602 },
		{ "{\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":{}}}", -32602 },
		{ "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}",
		  -32602 },
		{ "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
		  "\"io.modelcontextprotocol/clientCapabilities\":1}}",
		  -32602 },
		{ "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2025-11-25\","
		  "\"io.modelcontextprotocol/clientCapabilities\":{}}}",
		  -32022 },
		{ "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"v9\\\"\","
		  "\"io.modelcontextprotocol/clientCapabilities\":{}}}",
		  -32022 },
	};
	char text[500];

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		ag_mcp_answer a;
		ag_val v;

		snprintf(text, sizeof(text),
		         "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/list\",\"params\":%s}",
		         rows[i].params);
		v = say(NULL, text);
		assert_int_equal(mcp_int(&v, "error.code"), rows[i].code);
		assert_int_equal(mcp_int(&v, "id"), 9);
		ag_mcp_handle(server, NULL, &bob, NULL, ag_str_c(text), &a);
		assert_int_equal(a.outcome, AG_MCP_BAD_REQUEST);
		ag_mcp_answer_release(&a);
	}
	{
		ag_val v = say(NULL, text);

		assert_str(mcp_text(&v, "error.data.supported.0"), "2026-07-28");
		assert_str(mcp_text(&v, "error.data.requested"), "v9\"");
	}
}

static void methods_of_the_handshake_are_gone(void **state)
{
	static const char *const names[] = { "initialize",
		                             "ping",
		                             "logging/setLevel",
		                             "resources/subscribe",
		                             "resources/unsubscribe",
		                             "subscriptions/listen" /* nothing to tell */ };
	char text[500];

	(void)state;
	for (size_t i = 0; i < AG_NELEM(names); i++) {
		ag_mcp_answer a;

		snprintf(text, sizeof(text),
		         "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"%s\",\"params\":{" MCP_META
		         "}}",
		         names[i]);
		ag_mcp_handle(server, NULL, &bob, NULL, ag_str_c(text), &a);
		assert_int_equal(a.rpc_error, -32601);
		assert_int_equal(a.outcome, AG_MCP_NOT_A_METHOD);
		assert_null(a.opened);
		ag_mcp_answer_release(&a);
	}
}

static void stateless_results_have_their_kind(void **state)
{
	ag_val v = say(NULL, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
	                     "\"name\":\"echo\",\"arguments\":{\"text\":\"x\"}," MCP_META "}}");

	(void)state;
	assert_str(mcp_text(&v, "result.resultType"), "complete");
	assert_str(mcp_text(&v, "result.structuredContent.text"), "x");
	v = say(NULL,
	        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" MCP_META
	        "}}");
	assert_str(mcp_text(&v, "result.resultType"), "complete");
	assert_str(mcp_text(&v, "result.cacheScope"), "private"); /* what is offered differs */
	assert_true(mcp_int(&v, "result.ttlMs") > 0);
	/* In a session as well: the message decides. */
	{
		ag_mcp_session *s = mcp_session(server, "2025-06-18", &bob);

		v = say(s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{" MCP_META
		           "}}");
		assert_int_equal(mcp_int(&v, "error.code"), -32601);
		ag_mcp_session_drop(s);
	}
}

static void the_glance_tells_the_transport(void **state)
{
	static const struct {
		const char *text;
		bool readable, stream;
		const char *name, *revision;
	} rows[] = {
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"}}",
		  true, false, "echo", "" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ask\"}}",
		  true, true, "ask", "" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","
		  "\"_meta\":{\"progressToken\":1}}}",
		  true, true, "echo", "" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ask\"," MCP_META
		  "}}",
		  true, false, "ask", "2026-07-28" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"a:b\"}}",
		  true, false, "a:b", "" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", true, false, "", "" },
		{ "[]", false, false, "", "" },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		ag_mcp_glance g;

		ag_mcp_look(server, ag_str_c(rows[i].text), arena, &g);
		assert_int_equal(g.is_readable, rows[i].readable);
		assert_int_equal(g.wants_stream, rows[i].stream);
		assert_str(g.name, rows[i].name);
		assert_str(g.revision, rows[i].revision);
	}
}

static void two_tools_of_one_name_are_refused(void **state)
{
	ag_mcp_server_opts o = mcp_opts();
	ag_mcp_server *s = NULL;
	ag_err err = { 0 };

	(void)state;
	o.tools[2] = o.tools[0];
	o.ntools = 3;
	assert_int_equal(ag_mcp_server_new(&o, &s, &err), AG_INVALID);
	assert_has(ag_str_c(err.msg), "two tools");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(each_revision_is_echoed),
		T(an_unknown_revision_gets_the_newest),
		T(one_handshake_a_session),
		T(a_tool_is_listed_as_its_revision_knows_it),
		T(a_result_is_given_as_its_revision_knows_it),
		T(what_a_model_can_mend_is_a_result),
		T(what_reached_no_tool_is_an_error),
		T(a_tool_that_is_not_offered_is_not_there),
		T(a_result_is_one_line),
		T(quoting_is_the_same_as_the_writer_s),
		T(quoting_of_every_pattern),
		T(discover_says_what_there_is),
		T(a_stateless_request_says_itself_what_it_is),
		T(methods_of_the_handshake_are_gone),
		T(stateless_results_have_their_kind),
		T(the_glance_tells_the_transport),
		T(two_tools_of_one_name_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
