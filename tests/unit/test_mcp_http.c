/* MCP over HTTP: sessions, the rules of both eras, and tokens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mcp_http_rig.h"

#define ECHO RIG_CALL("1", "echo", ",\"arguments\":{\"text\":\"hi\"}")

static void assert_has(const rig *g, const char *text)
{
	if (!strstr(g->r.body, text))
		fail_msg("\"%s\" is not in: %s", text, g->r.body);
}

static void a_session(void **state)
{
	rig g;

	(void)state;
	rig_start(&g);
	assert_true(rig_open(&g, ""));
	assert_int_equal(strlen(g.session), 43);
	assert_has(&g, "\"protocolVersion\":\"2025-11-25\"");
	assert_int_equal(rig_say(&g, "POST", rig_in(g.session),
	                         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"),
	                 202);
	assert_int_equal(g.r.nbody, 0);
	assert_int_equal(rig_say(&g, "POST", rig_in(g.session), ECHO), 200);
	assert_string_equal(raw_header(&g.r, "Content-Type"), "application/json");
	assert_has(&g, "\"structuredContent\":{\"text\":\"hi\"}");
	/* Without the version it is what the handshake said. */
	assert_int_equal(rig_say(&g, "POST", "Mcp-Session-Id: nobody\r\n", ECHO), 404);
	assert_int_equal(rig_say(&g, "POST", "", ECHO), 400);
	assert_int_equal(rig_say(&g, "GET", "", NULL), 400);
	assert_int_equal(rig_say(&g, "DELETE", "", NULL), 400);
	assert_int_equal(rig_say(&g, "DELETE", rig_in(g.session), NULL), 204);
	assert_int_equal(rig_say(&g, "POST", rig_in(g.session), ECHO), 404);
	assert_int_equal(rig_say(&g, "DELETE", rig_in(g.session), NULL), 404);
	assert_int_equal(rig_say(&g, "GET", rig_in(g.session), NULL), 404);
	rig_stop(&g);
}

static void versions(void **state)
{
	char headers[256];
	rig g;

	(void)state;
	rig_start(&g);
	assert_true(rig_open(&g, ""));
	snprintf(headers, sizeof(headers),
	         "Mcp-Session-Id: %s\r\nMCP-Protocol-Version: 1900-01-01\r\n", g.session);
	assert_int_equal(rig_say(&g, "POST", headers, ECHO), 400);
	assert_has(&g, "2025-11-25");
	assert_int_equal(rig_say(&g, "GET", headers, NULL), 400);
	assert_int_equal(rig_say(&g, "DELETE", headers, NULL), 400);
	snprintf(headers, sizeof(headers), "Mcp-Session-Id: %s\r\n", g.session);
	assert_int_equal(rig_say(&g, "POST", headers, ECHO), 200);
	rig_stop(&g);
}

static void what_may_be_posted(void **state)
{
	static const struct {
		const char *headers, *body;
		int status;
		const char *says;
	} cases[] = {
		{ "Content-Type: text/plain\r\n", RIG_HANDSHAKE, 415, "Content-Type" },
		{ "Content-Type: application/jsonp\r\n", RIG_HANDSHAKE, 415, "Content-Type" },
		{ "Content-Type: application/json; charset=utf-8\r\n", RIG_HANDSHAKE, 200,
		  "result" },
		{ "Accept: application/json\r\n", RIG_HANDSHAKE, 406, "Accept" },
		{ "Accept: text/event-stream\r\n", RIG_HANDSHAKE, 406, "Accept" },
		{ "Accept: */*\r\n", RIG_HANDSHAKE, 200, "result" },
		{ "Accept: application/*, text/event-stream;q=0.5\r\n", RIG_HANDSHAKE, 200,
		  "result" },
		{ "Accept: application/json, text/event-stream;q=0\r\n", RIG_HANDSHAKE, 406,
		  "Accept" },
		{ "", "{\"jsonrpc\":", 400, "-32700" },
		{ "", "", 400, "-32700" },
		{ "", "[" RIG_HANDSHAKE "]", 400, "-32600" },
		{ "", "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"initialize\"}", 400, "-32600" },
	};
	rig g;

	(void)state;
	rig_start(&g);
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		int status = rig_say(&g, "POST", cases[i].headers, cases[i].body);

		if (status != cases[i].status)
			fail_msg("%zu: %d %s", i, status, g.r.body);
		assert_has(&g, cases[i].says);
	}
	rig_stop(&g);
}

#define NOW      "MCP-Protocol-Version: 2026-07-28\r\n"
#define CALL(id) RIG_CALL(id, "echo", ",\"arguments\":{\"text\":\"hi\"}," MCP_META)
#define LIST     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{" MCP_META "}}"

static void stateless(void **state)
{
	static const struct {
		const char *headers, *body;
		int status;
		const char *says;
	} cases[] = {
		{ NOW "Mcp-Method: tools/call\r\nMcp-Name: echo\r\n", CALL("1"), 200,
		  "\"resultType\"" },
		{ NOW "mcp-method:tools/call  \r\nMCP-NAME:   echo  \r\n", CALL("1"), 200, "hi" },
		{ NOW "Mcp-Method: tools/call\r\nMcp-Name: =?base64?ZWNobw==?=\r\n", CALL("1"), 200,
		  "hi" },
		{ NOW "Mcp-Method: tools/call\r\nMcp-Name: =?base64?ZWNobw?=\r\n", CALL("1"), 400,
		  "-32020" },
		{ NOW "Mcp-Method: tools/call\r\nMcp-Name: =?base64?d2FpdA==?=\r\n", CALL("1"), 400,
		  "-32020" },
		{ NOW "Mcp-Method: tools/call\r\nMcp-Name: wait\r\n", CALL("\"x\""), 400,
		  "\"id\":\"x\"" },
		{ NOW "Mcp-Method: tools/call\r\n", CALL("1"), 400, "Mcp-Name is missing" },
		{ NOW "Mcp-Method: tools/list\r\nMcp-Name: echo\r\n", CALL("1"), 400, "-32020" },
		{ NOW "Mcp-Method: TOOLS/CALL\r\nMcp-Name: echo\r\n", CALL("1"), 400, "-32020" },
		{ NOW "Mcp-Name: echo\r\n", CALL("1"), 400, "Mcp-Method is missing" },
		{ "Mcp-Method: tools/list\r\n", LIST, 400, "MCP-Protocol-Version is missing" },
		{ "MCP-Protocol-Version: 2025-11-25\r\nMcp-Method: tools/list\r\n", LIST, 400,
		  "-32020" },
		{ "MCP-Protocol-Version: nonsense\r\nMcp-Method: tools/list\r\n", LIST, 400,
		  "-32020" },
		/* A session is no part of it: whatever stands there. */
		{ NOW "Mcp-Method: tools/list\r\nMcp-Session-Id: x\r\n", LIST, 200, "\"tools\"" },
		{ NOW "Mcp-Method: tools/list\r\n",
		  "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{}}", 400,
		  "-32602" },
		{ NOW "Mcp-Method: initialize\r\n", RIG_HANDSHAKE, 400, "-32020" },
		{ "MCP-Protocol-Version: 2099-01-01\r\nMcp-Method: tools/list\r\n",
		  "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
		  "\"io.modelcontextprotocol/protocolVersion\":\"2099-01-01\","
		  "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
		  400, "-32022" },
		{ NOW "Mcp-Method: no/such\r\n",
		  "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"no/such\",\"params\":{" MCP_META "}}",
		  404, "-32601" },
		{ NOW, "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{}}", 400,
		  "nothing to respond to" },
		{ NOW, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}", 202, "" },
	};
	rig g;

	(void)state;
	rig_start(&g);
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		int status = rig_say(&g, "POST", cases[i].headers, cases[i].body);

		if (status != cases[i].status)
			fail_msg("%zu: %d %s", i, status, g.r.body);
		assert_has(&g, cases[i].says);
		assert_null(raw_header(&g.r, "Mcp-Session-Id"));
	}
	assert_int_equal(rig_say(&g, "GET", NOW, NULL), 405);
	assert_string_equal(raw_header(&g.r, "Allow"), "POST");
	assert_int_equal(rig_say(&g, "DELETE", NOW, NULL), 405);
	rig_stop(&g);
}

static void other_paths(void **state)
{
	rig g;

	(void)state;
	rig_start(&g);
	assert_int_equal(rig_say(&g, "PUT", "", "{}"), 405);
	assert_string_equal(raw_header(&g.r, "Allow"), "POST, GET, DELETE");
	assert_true(raw_once(g.port, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", &g.r));
	assert_int_equal(g.r.status, 200);
	assert_has(&g, "{\"status\":\"ok\"");
	assert_true(raw_once(
		g.port, "POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
		&g.r));
	assert_int_equal(g.r.status, 405);
	assert_true(raw_once(g.port, "GET /mcp/ HTTP/1.1\r\nHost: localhost\r\n\r\n", &g.r));
	assert_int_equal(g.r.status, 404);
	/* A page of another site, by a name that leads here. */
	assert_true(raw_once(
		g.port, "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 2\r\n\r\n{}",
		&g.r));
	assert_int_equal(g.r.status, 403);
	rig_stop(&g);
}

/* --- tokens --- */

typedef struct guarded {
	rig g;
	ag_store *store;
	mcp_clock clock;
} guarded;

static void issue(guarded *w, const char *user, const char *scope, ag_str *ret_id,
                  char ret[AG_TOKEN_CHARS + 1])
{
	const ag_str scopes[] = { ag_str_c(scope) };
	const ag_member_row m = { AG_S("shop"), ag_str_c(user), AG_ROLE_ANALYST };
	ag_arena *arena = w->g.arena;
	ag_token_row row = { .name = AG_S("t"),
		             .user = ag_str_c(user),
		             .ceiling = AG_ROLE_ADMIN,
		             .scopes = scopes,
		             .nscope = scope ? 1 : 0,
		             .created_ms = 1 };
	ag_err err = { 0 };

	assert_int_equal(ag_store_put_member(w->store, &m, &err), AG_OK);
	assert_int_equal(ag_token_new(&row, arena, ret, &err), AG_OK);
	assert_int_equal(ag_store_put_token(w->store, &row, &err), AG_OK);
	if (ret_id)
		*ret_id = ag_str_dup(arena, row.id);
}

static void guarded_start(guarded *w)
{
	static const ag_str scopes[] = { AG_S_INIT("sql"), AG_S_INIT("ask") };
	static const ag_str servers[] = { AG_S_INIT("https://login.example") };
	ag_project_row shop = { .id = AG_S("shop"),
		                .name = AG_S("Shop"),
		                .settings = AG_S("{}"),
		                .is_active = true,
		                .created_ms = 1,
		                .changed_ms = 1 };
	ag_err err = { 0 };

	assert_int_equal(ag_store_open(AG_S("memory:"), &w->store, &err), AG_OK);
	assert_int_equal(ag_store_put_project(w->store, &shop, &err), AG_OK);
	mcp_clock_init(&w->clock);
	rig_start_with(&w->g, (ag_server_opts){ .store = w->store,
	                                        .clock = &w->clock.clock,
	                                        .scopes = scopes,
	                                        .nscope = 2,
	                                        .authorization_servers = servers,
	                                        .nauthorization_server = 1 });
}

static void guarded_stop(guarded *w)
{
	rig_stop(&w->g);
	ag_store_close(w->store);
}

static const char *bearer(const char *token, const char *session)
{
	static char text[512];

	snprintf(text, sizeof(text), "Authorization: bearer %s\r\n%s%s%s", token,
	         session ? "Mcp-Session-Id: " : "", session ? session : "", session ? "\r\n" : "");
	return text;
}

static void tokens(void **state)
{
	char ann[AG_TOKEN_CHARS + 1], ben[AG_TOKEN_CHARS + 1], chat[AG_TOKEN_CHARS + 1], wrong[64];
	ag_err err = { 0 };
	ag_str ann_id;
	guarded w;
	rig *g = &w.g;

	(void)state;
	guarded_start(&w);
	issue(&w, "ann", "sql", &ann_id, ann);
	issue(&w, "ben", NULL, NULL, ben);
	issue(&w, "cat", "chat", NULL, chat);
	assert_int_equal(rig_say(g, "POST", "", RIG_HANDSHAKE), 401);
	assert_string_equal(raw_header(&g->r, "WWW-Authenticate"),
	                    "Bearer resource_metadata=\"http://localhost/.well-known/"
	                    "oauth-protected-resource/mcp\", scope=\"sql ask\"");
	snprintf(wrong, sizeof(wrong), "%s", ann);
	wrong[20] = wrong[20] == 'x' ? 'y' : 'x';
	assert_int_equal(rig_say(g, "POST", bearer(wrong, NULL), RIG_HANDSHAKE), 401);
	assert_non_null(strstr(raw_header(&g->r, "WWW-Authenticate"), "error=\"invalid_token\""));
	assert_int_equal(rig_say(g, "POST", "Authorization: Basic abc\r\n", RIG_HANDSHAKE), 401);
	assert_int_equal(rig_say(g, "POST", bearer(chat, NULL), RIG_HANDSHAKE), 403);
	assert_non_null(
		strstr(raw_header(&g->r, "WWW-Authenticate"), "error=\"insufficient_scope\""));
	/* A session belongs to its user. */
	assert_true(rig_open(g, bearer(ann, NULL)));
	assert_int_equal(rig_say(g, "POST", bearer(ann, g->session), ECHO), 200);
	assert_int_equal(rig_say(g, "POST", bearer(ben, g->session), ECHO), 404);
	assert_int_equal(rig_say(g, "DELETE", bearer(ben, g->session), NULL), 404);
	assert_int_equal(rig_say(g, "POST", "", ECHO), 401);
	/* Revoked: refused at once. */
	assert_int_equal(ag_store_revoke_token(w.store, ann_id, 2, &err), AG_OK);
	assert_int_equal(rig_say(g, "POST", bearer(ann, g->session), ECHO), 401);
	/* What a client is told about it, without a token. */
	for (unsigned i = 0; i < 2; i++) {
		assert_true(
			raw_once(g->port,
		                 i ? "GET /.well-known/oauth-protected-resource/mcp HTTP/1.1\r\n"
		                     "Host: localhost:80\r\n\r\n"
		                   : "GET /.well-known/oauth-protected-resource HTTP/1.1\r\n"
		                     "Host: localhost:80\r\n\r\n",
		                 &g->r));
		assert_int_equal(g->r.status, 200);
		assert_has(g, "{\"resource\":\"http://localhost:80/mcp\","
		              "\"authorization_servers\":[\"https://login.example\"]");
	}
	assert_true(raw_once(g->port, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", &g->r));
	assert_int_equal(g->r.status, 200);
	guarded_stop(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session),          cmocka_unit_test(versions),
		cmocka_unit_test(what_may_be_posted), cmocka_unit_test(stateless),
		cmocka_unit_test(other_paths),        cmocka_unit_test(tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
