/* mcp_http_rig -- an MCP server over HTTP for tests: the tools of mcp_fixtures and those of the conformance suite, and a
 * client of bare sockets that speaks to it. */
#ifndef AG_TESTS_MCP_HTTP_RIG_H
#define AG_TESTS_MCP_HTTP_RIG_H

#include "../conformance/fixtures.h"
#include "http_raw.h"
#include "mcp_fixtures.h"
#include "server/server.h"

#define RIG_HANDSHAKE                                                                         \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"                \
	"\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"sampling\":{},\"roots\":{}}," \
	"\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}"
#define RIG_CALL(id, name, more)          \
	"{\"jsonrpc\":\"2.0\",\"id\":" id \
	",\"method\":\"tools/call\",\"params\":{\"name\":\"" name "\"" more "}}"
#define RIG_TOKEN ",\"_meta\":{\"progressToken\":7}"

typedef struct rig {
	ag_mcp_server *server;
	ag_server *http;
	unsigned port;
	ag_arena *arena;
	ag_caller who;
	raw_conn c;
	raw_reply r;
	char session[64]; /* "Mcp-Session-Id: …\r\n" is made of it */
} rig;

AG_UNUSED static void rig_start_with(rig *g, ag_server_opts o)
{
	ag_mcp_server_opts so = mcp_opts();
	ag_err err = { 0 };

	memset(g, 0, sizeof(*g));
	g->arena = ag_arena_new();
	so.tools[so.ntools++] = (ag_tool_set){ .tools = ag_mcp_fixture_tools,
		                               .ntool = ag_mcp_fixture_ntool };
	so.providers[so.nprovider++] = ag_mcp_fixture_provider();
	if (o.clock)
		so.clock = o.clock;
	g->server = mcp_server(&so);
	g->who = ag_caller_local(NULL, 0, g->arena);
	o.mcp = g->server;
	if (!o.store)
		o.anonymous = &g->who;
	if (ag_server_start(&o, &g->http, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		abort();
	}
	g->port = ag_server_port(g->http);
	if (!raw_open(&g->c, g->port))
		abort();
}

AG_UNUSED static void rig_start(rig *g)
{
	rig_start_with(g, (ag_server_opts){ 0 });
}

AG_UNUSED static void rig_stop(rig *g)
{
	raw_close(&g->c);
	free(g->r.body);
	g->http = ag_server_stop(g->http);
	ag_mcp_server_free(g->server);
	ag_arena_free(g->arena);
}

/* Headers beside Host, Accept, Content-Type; each with its line break. */
AG_UNUSED static bool rig_send(raw_conn *c, const char *method, const char *headers,
                               const char *body)
{
	ag_buf b = AG_BUF_INIT(1 << 20);
	bool ok;

	ag_buf_addf(&b, "%s /mcp HTTP/1.1\r\nHost: localhost\r\n%s", method, headers);
	if (!strstr(headers, "Accept:"))
		ag_buf_adds(&b, "Accept: application/json, text/event-stream\r\n");
	if (body && !strstr(headers, "Content-Type:"))
		ag_buf_adds(&b, "Content-Type: application/json\r\n");
	if (body)
		ag_buf_addf(&b, "Content-Length: %zu\r\n", strlen(body));
	ag_buf_addf(&b, "\r\n%s", body ? body : "");
	ok = raw_sendn(c, b.ptr, b.len);
	ag_buf_release(&b);
	return ok;
}

/* Sends on the rig's connection and reads the whole reply. */
AG_UNUSED static int rig_say(rig *g, const char *method, const char *headers, const char *body)
{
	if (!rig_send(&g->c, method, headers, body) || !raw_read(&g->c, &g->r, 8000))
		return -1;
	return g->r.status;
}

/* The headers of a session: in static memory. */
AG_UNUSED static const char *rig_in(const char *session)
{
	static char text[256];

	snprintf(text, sizeof(text), "Mcp-Session-Id: %s\r\nMCP-Protocol-Version: 2025-11-25\r\n",
	         session);
	return text;
}

/* A new session on the rig's connection, as this caller. */
AG_UNUSED static bool rig_open(rig *g, const char *headers)
{
	if (rig_say(g, "POST", headers, RIG_HANDSHAKE) != 200)
		return false;
	snprintf(g->session, sizeof(g->session), "%s",
	         raw_header(&g->r, "Mcp-Session-Id") ? raw_header(&g->r, "Mcp-Session-Id") : "");
	return g->session[0] != '\0';
}

#endif
