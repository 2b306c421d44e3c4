/* client -- requests, answers, and what a tool gave as text. */
#include "mcp/client_parts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "query/extjson.h"

#define ORIGIN     AG_MCP_CLIENT_ORIGIN
#define MAX_PAGES  100
#define START_MS   30000
#define CALL_MS    60000
#define MAX_PARAMS (8u << 20)

struct ag_mcp_client {
	ag_arena *arena; /* of the handle */
	ag_mcp_wire *wire;
	ag_str name, server;
	bool has_tools;
	int64_t call_ms;
	pthread_mutex_t turn; /* one request is under way at a time */
	uint64_t next_id;     /* with turn */
};

bool ag_mcp_client_meanwhile(ag_str text, ag_str id, ag_arena *arena, ag_str *ret_reply)
{
	ag_buf reply = AG_BUF_INIT(4096);
	ag_rpc_message m;
	int code;

	*ret_reply = AG_S("");
	/* What is no message (a server that prints to its standard output) is passed over. */
	if (ag_rpc_read(text, arena, &m, &code, NULL))
		return false;
	if (m.kind == AG_RPC_RESULT || m.kind == AG_RPC_ERROR)
		return ag_str_eq(m.id, id);
	if (m.kind != AG_RPC_REQUEST)
		return false;
	if (ag_str_eqc(m.method, "ping"))
		ag_rpc_write_result(&reply, m.id, AG_S("{}"));
	else
		ag_rpc_write_error(&reply, m.id, AG_RPC_METHOD_NOT_FOUND, AG_S("not supported"),
		                   AG_S(""));
	*ret_reply = ag_buf_dup(arena, &reply);
	ag_buf_release(&reply);
	return false;
}

/* The deadline of the run, or ours when it is earlier. */
static ag_ctx limited(const ag_ctx *ctx, int64_t ms)
{
	ag_ctx own = ctx ? *ctx : (ag_ctx){ .nthread = 1 };
	int64_t until;

	if (!own.clock)
		own.clock = &ag_clock_system;
	until = ag_clock_mono(own.clock) + ms;
	if (!own.deadline_ms || until < own.deadline_ms)
		own.deadline_ms = until;
	return own;
}

static ag_status server_error(const ag_mcp_client *c, const ag_rpc_message *m, ag_err *err)
{
	const ag_str text = ag_val_member_str(&m->result, "message");

	return ag_fail(err, AG_PROTOCOL, ORIGIN, "%.*s: %.*s", AG_FMT(c->name),
	               (int)(text.len < 300 ? text.len : 300), text.len ? text.ptr : "");
}

/* The server is told that nobody waits any more; it may still answer, which is passed over. */
static void cancel_at_server(ag_mcp_client *c, ag_str id, ag_arena *arena)
{
	const ag_ctx brief = limited(NULL, 200);
	ag_buf out = AG_BUF_INIT(1024);
	ag_str none;

	ag_rpc_write_notification(
		&out, "notifications/cancelled",
		ag_str_printf(arena, "{\"requestId\":%.*s,\"reason\":\"given up\"}", AG_FMT(id)));
	AG_IGNORE(c->wire->type->exchange(c->wire, &brief, ag_buf_view(&out), AG_S(""), arena,
	                                  &none, NULL),
	          "the call has failed already");
	ag_buf_release(&out);
}

/* One request, alone on the wire; the result as a value, in arena. */
static ag_status request_alone(ag_mcp_client *c, const ag_ctx *ctx, int64_t ms, const char *method,
                               ag_str params, ag_arena *arena, ag_val *ret, ag_err *err)
{
	const ag_str id = ag_str_printf(arena, "%llu", (unsigned long long)++c->next_id);
	const ag_ctx own = limited(ctx, ms);
	ag_buf out = AG_BUF_INIT(MAX_PARAMS);
	ag_err ignored = { 0 };
	ag_rpc_message m;
	ag_str answer;
	ag_status st;
	int code;

	err = err ? err : &ignored;
	ag_rpc_write_request(&out, id, method, params);
	if (out.failed)
		st = ag_fail(err, AG_LIMIT, ORIGIN, "the arguments are larger than %u MiB",
		             MAX_PARAMS >> 20);
	else
		st = c->wire->type->exchange(c->wire, &own, ag_buf_view(&out), id, arena, &answer,
		                             err);
	ag_buf_release(&out);
	if (st == AG_TIMEOUT || st == AG_CANCELLED) {
		cancel_at_server(c, id, arena);
		if (st == AG_TIMEOUT)
			ag_fail(err, AG_TIMEOUT, ORIGIN, "%.*s did not answer %s in time",
			        AG_FMT(c->name), method);
	}
	if (st)
		return st;
	st = ag_rpc_read(answer, arena, &m, &code, err);
	if (st)
		return st;
	if (m.kind == AG_RPC_ERROR)
		return server_error(c, &m, err);
	*ret = m.result;
	return AG_OK;
}

/* The same, when it is its turn. A call before it ends by its own time limit, and with the run that is cancelled. */
static ag_status request(ag_mcp_client *c, const ag_ctx *ctx, int64_t ms, const char *method,
                         ag_str params, ag_arena *arena, ag_val *ret, ag_err *err)
{
	ag_status st;

	pthread_mutex_lock(&c->turn);
	st = request_alone(c, ctx, ms, method, params, arena, ret, err);
	pthread_mutex_unlock(&c->turn);
	return st;
}

static ag_status shake_hands(ag_mcp_client *c, const ag_ctx *ctx, int64_t ms, ag_err *err)
{
	const ag_ctx own = limited(ctx, ms);
	ag_buf out = AG_BUF_INIT(1024);
	ag_str none;
	ag_val result;
	const ag_val *info;
	ag_status st = request(c, ctx, ms, "initialize",
	                       AG_S("{\"protocolVersion\":\"" AG_MCP_CLIENT_REVISION
	                            "\",\"capabilities\":{},\"clientInfo\":{\"name\":\"argus\","
	                            "\"title\":\"Argus\",\"version\":\"" AG_VERSION "\"}}"),
	                       c->arena, &result, err);

	if (st)
		return st;
	info = ag_val_getc(&result, "serverInfo");
	c->server = ag_str_printf(c->arena, "%.*s %.*s", AG_FMT(ag_val_member_str(info, "name")),
	                          AG_FMT(ag_val_member_str(info, "version")));
	c->has_tools = ag_val_getc(ag_val_getc(&result, "capabilities"), "tools") != NULL;
	ag_rpc_write_notification(&out, "notifications/initialized", AG_S(""));
	st = c->wire->type->exchange(c->wire, &own, ag_buf_view(&out), AG_S(""), c->arena, &none,
	                             err);
	ag_buf_release(&out);
	return st;
}

ag_status ag_mcp_client_open(const ag_ctx *ctx, const ag_mcp_client_opts *o, ag_mcp_client **ret,
                             ag_err *err)
{
	ag_mcp_client_opts own = *o;
	ag_mcp_client *c;
	ag_status st;

	if (!o->name.len || (!o->argv == !o->url.len) || (o->argv && !o->argv[0]))
		return ag_fail(err, AG_INVALID, ORIGIN, "want a name, and a command or an address");
	c = ag_xcalloc(1, sizeof(*c));
	pthread_mutex_init(&c->turn, NULL);
	c->arena = ag_arena_new();
	c->name = ag_str_dup(c->arena, o->name);
	c->call_ms = o->call_timeout_ms ? o->call_timeout_ms : CALL_MS;
	own.name = c->name;
	st = o->argv ? ag_mcp_wire_stdio(&own, &c->wire, err)
	             : ag_mcp_wire_http(&own, &c->wire, err);
	if (!st)
		st = shake_hands(c, ctx, o->start_timeout_ms ? o->start_timeout_ms : START_MS, err);
	if (st) {
		ag_mcp_client_close(c);
		return st;
	}
	*ret = c;
	return AG_OK;
}

ag_mcp_client *ag_mcp_client_close(ag_mcp_client *c)
{
	if (!c)
		return NULL;
	if (c->wire)
		c->wire->type->close(c->wire);
	ag_arena_free(c->arena);
	pthread_mutex_destroy(&c->turn);
	free(c);
	return NULL;
}

ag_str ag_mcp_client_server(const ag_mcp_client *c)
{
	return c->server;
}

ag_str ag_mcp_client_name(const ag_mcp_client *c)
{
	return c->name;
}

/* --- tools --- */

static void take_tool(const ag_val *v, ag_arena *arena, ag_mcp_client_tool *ret)
{
	const ag_val *schema = ag_val_getc(v, "inputSchema"),
		     *hints = ag_val_getc(v, "annotations");

	*ret = (ag_mcp_client_tool){ .name = ag_val_member_str(v, "name"),
		                     .title = ag_val_member_str(v, "title"),
		                     .description = ag_val_member_str(v, "description"),
		                     .input_schema = schema ? ag_extjson_str(arena, schema,
		                                                             AG_EXTJSON_RELAXED)
		                                            : AG_S("{\"type\":\"object\"}"),
		                     .is_read_only = ag_val_member_bool(hints, "readOnlyHint") };
}

static ag_str list_params(ag_str cursor, ag_arena *arena)
{
	ag_buf quoted = AG_BUF_INIT(65536);
	ag_str ret;

	if (!cursor.len)
		return AG_S("{}");
	ag_json_quote(&quoted, cursor);
	ret = ag_str_printf(arena, "{\"cursor\":%.*s}", AG_FMT(ag_buf_view(&quoted)));
	ag_buf_release(&quoted);
	return ret;
}

ag_status ag_mcp_client_tools(ag_mcp_client *c, const ag_ctx *ctx, ag_arena *arena,
                              ag_mcp_client_tool **ret, size_t *nret, ag_err *err)
{
	ag_str cursor = AG_S("");
	unsigned page = 0;
	ag_status st = AG_OK;

	*ret = ag_new_n(arena, ag_mcp_client_tool, AG_MCP_CLIENT_MAX_TOOLS);
	*nret = 0;
	while (!st && c->has_tools) {
		const ag_val *list;
		ag_val result;

		st = request(c, ctx, c->call_ms, "tools/list", list_params(cursor, arena), arena,
		             &result, err);
		if (st)
			break;
		list = ag_val_getc(&result, "tools");
		if (!list || list->type != AG_T_ARRAY)
			return ag_fail(err, AG_PROTOCOL, ORIGIN, "%.*s gave no list of tools",
			               AG_FMT(c->name));
		if (*nret + list->n > AG_MCP_CLIENT_MAX_TOOLS || ++page > MAX_PAGES)
			return ag_fail(err, AG_LIMIT, ORIGIN, "%.*s has more than %u tools",
			               AG_FMT(c->name), AG_MCP_CLIENT_MAX_TOOLS);
		for (uint32_t i = 0; i < list->n; i++)
			take_tool(&list->u.items[i], arena, &(*ret)[(*nret)++]);
		cursor = ag_val_member_str(&result, "nextCursor");
		if (!cursor.len)
			break;
	}
	return st;
}

/* A block that is no text, by its name and size. */
static void name_block(const ag_val *block, ag_buf *out)
{
	const ag_str type = ag_val_member_str(block, "type");
	const ag_val *resource = ag_val_getc(block, "resource");

	if (resource && ag_val_member_str(resource, "text").len) {
		ag_buf_add(out, ag_val_member_str(resource, "text"));
		return;
	}
	ag_buf_addf(out, "[%.*s", (int)(type.len < 40 ? type.len : 40), type.len ? type.ptr : "");
	if (ag_val_member_str(block, "mimeType").len)
		ag_buf_addf(out, " %.*s", AG_FMT(ag_val_member_str(block, "mimeType")));
	if (ag_val_member_str(block, "uri").len)
		ag_buf_addf(out, " %.*s", AG_FMT(ag_val_member_str(block, "uri")));
	if (ag_val_member_str(block, "data").len)
		ag_buf_addf(out, ", %zu bytes", ag_val_member_str(block, "data").len / 4 * 3);
	ag_buf_addc(out, ']');
}

static ag_str text_of(const ag_val *result, ag_arena *arena, bool *ret_is_cut)
{
	const ag_val *content = ag_val_getc(result, "content"),
		     *structured = ag_val_getc(result, "structuredContent");
	ag_buf out = AG_BUF_INIT(AG_MCP_CLIENT_MAX_OUTPUT);
	ag_str ret;

	for (uint32_t i = 0; content && content->type == AG_T_ARRAY && i < content->n; i++) {
		const ag_val *block = &content->u.items[i];

		if (i)
			ag_buf_addc(&out, '\n');
		if (ag_str_eqc(ag_val_member_str(block, "type"), "text"))
			ag_buf_add(&out, ag_val_member_str(block, "text"));
		else
			name_block(block, &out);
	}
	if (!out.len && structured)
		ag_buf_add(&out, ag_extjson_str(arena, structured, AG_EXTJSON_RELAXED));
	*ret_is_cut = out.failed;
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

ag_status ag_mcp_client_call(ag_mcp_client *c, const ag_ctx *ctx, ag_str tool, ag_str arguments,
                             ag_arena *arena, ag_str *ret_text, bool *ret_is_error, ag_err *err)
{
	ag_buf name = AG_BUF_INIT(4096);
	bool is_cut;
	ag_val result;
	ag_status st;

	ag_json_quote(&name, tool);
	st = request(c, ctx, c->call_ms, "tools/call",
	             ag_str_printf(arena, "{\"name\":%.*s,\"arguments\":%.*s}",
	                           AG_FMT(ag_buf_view(&name)), AG_FMT(arguments)),
	             arena, &result, err);
	ag_buf_release(&name);
	if (st)
		return st;
	*ret_text = text_of(&result, arena, &is_cut);
	*ret_is_error = ag_val_member_bool(&result, "isError");
	if (is_cut) {
		ag_fail(err, AG_LIMIT, ORIGIN, "the result of %.*s is larger than %u MiB",
		        AG_FMT(tool), AG_MCP_CLIENT_MAX_OUTPUT >> 20);
		return ag_err_hint(err, "ask for less");
	}
	return AG_OK;
}
