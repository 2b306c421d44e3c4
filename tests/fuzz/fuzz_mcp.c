/* Any lines as messages of an MCP client, in a session of a revision that the first byte says, and without one. Every
 * answer is one line, is JSON-RPC, has the id of its request; what is no request has none. */
#include <stdlib.h>

#include "../conformance/fixtures.h"
#include "fuzz.h"
#include "mcp/server.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static ag_status echo(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	ag_jw w;

	(void)err;
	ag_call_progress(c, 1, 2, AG_S("half"));
	ag_call_log(c, "info", "fuzz", AG_S("1"));
	ag_jw_init(&w, &ret->json, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "text", ag_val_member_str(input, "text"));
	ag_jw_obj_end(&w);
	return AG_OK;
}

static ag_status ask(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	ag_val a, b;
	ag_status st = ag_call_ask(c, "elicitation/create", AG_S("{}"), &a, err);

	(void)input;
	if (!st)
		st = ag_call_ask(c, "roots/list", AG_S(""), &b, err);
	if (!st)
		ag_buf_adds(&ret->json, "{\"asked\":true}");
	return st;
}

static const ag_param params[] = {
	{ .name = "text", .type = AG_PARAM_STRING, .required = true, .help = "a text", .max = 100 },
	{ .name = "n", .type = AG_PARAM_INT, .help = "a number", .min = 1, .max = 9 },
};

/* clang-format off */
static const ag_tool tools[] = {
	{ .name = "echo", .help = "h", .params = params, .nparam = 2, .run = echo },
	{ .name = "ask", .help = "h", .flags = AG_TOOL_LONG, .run = ask },
};
/* clang-format on */

static bool keep(void *self, ag_str message)
{
	ag_arena *arena = self;
	ag_rpc_message m;
	int code;

	check(!memchr(message.ptr, '\n', message.len));
	check(!ag_rpc_read(message, arena, &m, &code, NULL));
	check(m.kind == AG_RPC_NOTIFICATION);
	return true;
}

static void say(ag_mcp_server *s, ag_mcp_session *session, const ag_mcp_peer *peer, ag_str line,
                ag_arena *arena)
{
	const ag_caller who = { .user = AG_S("fuzz") };
	ag_rpc_message in, out;
	ag_mcp_answer a;
	ag_err err;
	int code;
	bool is_read = ag_rpc_read(line, arena, &in, &code, &err) == AG_OK;

	/* A question or a stream of changes would wait for a client. */
	if (is_read && (ag_str_eq(in.method, AG_S("subscriptions/listen")) ||
	                ag_str_eq(ag_val_member_str(&in.params, "name"), AG_S("ask"))))
		peer = NULL;
	ag_mcp_handle(s, session, &who, peer, line, &a);
	check((a.text.len > 0) == (!is_read || in.kind == AG_RPC_REQUEST));
	if (a.text.len) {
		check(!memchr(a.text.ptr, '\n', a.text.len));
		check(!ag_rpc_read(ag_buf_view(&a.text), arena, &out, &code, &err));
		check(out.kind == AG_RPC_RESULT || out.kind == AG_RPC_ERROR);
		check((out.kind == AG_RPC_ERROR) == (a.rpc_error != 0));
		check(ag_str_eq(out.id, in.id));
		check(a.outcome != AG_MCP_ACCEPTED);
	} else {
		check(a.outcome == AG_MCP_ACCEPTED);
	}
	ag_mcp_answer_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_mcp_server_opts o = { .max_sessions = 4, .page = 2 };
	const ag_caller who = { .user = AG_S("fuzz") };
	ag_arena *arena = ag_arena_new();
	const ag_mcp_peer peer = { .send = keep, .self = arena, .watch_fd = -1 };
	ag_str rest = ag_str_make((const char *)data, size);
	ag_mcp_server *s = NULL;
	ag_mcp_answer first;
	ag_buf hello = AG_BUF_INIT(1000);

	o.tools[0] = (ag_tool_set){ .tools = tools, .ntool = AG_NELEM(tools) };
	o.ntools = 1;
	o.providers[0] = ag_mcp_fixture_provider();
	o.nprovider = 1;
	check(!ag_mcp_server_new(&o, &s, NULL));
	ag_buf_addf(&hello,
	            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
	            "\"protocolVersion\":\"%s\",\"capabilities\":{\"elicitation\":{}}}}",
	            ag_mcp_revision_name(size ? (ag_mcp_revision)(data[0] % AG_MCP_2026_07_28)
	                                      : AG_MCP_2025_11_25));
	ag_mcp_handle(s, NULL, &who, NULL, ag_buf_view(&hello), &first);
	check(first.opened != NULL);
	while (rest.len) {
		const ag_str line = ag_str_split(&rest, '\n');

		say(s, first.opened, &peer, line, arena);
		say(s, NULL, &peer, line, arena);
	}
	ag_mcp_answer_release(&first);
	ag_mcp_server_free(s);
	ag_buf_release(&hello);
	ag_arena_free(arena);
	return 0;
}
