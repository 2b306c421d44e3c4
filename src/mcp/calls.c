/* calls -- what a client asks for by name: tools/call, resources/read, prompts/get, completion/complete. */
#include "mcp/parts.h"

#include <stdlib.h>

#include "mcp/ticker.h"
#include "query/extjson.h"

#define MAX_COMPLETIONS 100u /* values of one completion, of the specification */

const ag_mcp_tool_row *ag_mcp_tool_find(const ag_mcp_server *s, ag_str name)
{
	size_t low = 0, high = s->nrow;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		const int d = ag_str_cmp(name, ag_str_c(s->by_name[mid].tool->name));

		if (d == 0)
			return &s->by_name[mid];
		if (d < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

bool ag_mcp_is_offered(const ag_mcp_tool_row *row, const ag_caller *who)
{
	return ag_tool_is_offered(row->table, row->tool, who);
}

/* What the client said about this one request. */
static void read_meta(ag_mcp_turn *t, ag_mcp_request *rq)
{
	const ag_val *token = t->meta ? ag_val_getc(t->meta, "progressToken") : NULL;
	ag_buf quoted = AG_BUF_INIT(8 * AG_RPC_MAX_ID);

	if (token && token->type == AG_T_STRING && token->n <= AG_RPC_MAX_ID) {
		ag_json_quote(&quoted, ag_val_text(token));
		rq->progress_token = ag_buf_dup(t->arena, &quoted);
		ag_buf_release(&quoted);
	} else if (token && (token->type == AG_T_INT32 || token->type == AG_T_INT64)) {
		rq->progress_token = ag_str_printf(t->arena, "%lld", (long long)token->u.i);
	}
	if (t->session) {
		rq->log_level = atomic_load(&t->session->log_level);
		rq->can_sample = t->session->can_sample;
		rq->can_elicit = t->session->can_elicit;
		rq->can_list_roots = t->session->can_list_roots;
		return;
	}
	rq->log_level = ag_mcp_level_read(ag_val_member_str(t->meta, AG_MCP_META_LOG_LEVEL));
	if (rq->log_level < 0)
		rq->log_level = AG_MCP_LOG_OFF;
	ag_mcp_client_can(t->meta ? ag_val_getc(t->meta, AG_MCP_META_CLIENT) : NULL,
	                  &rq->can_sample, &rq->can_elicit, &rq->can_list_roots);
}

static const ag_client client = { .progress = ag_mcp_progress,
	                          .log = ag_mcp_log,
	                          .ask = ag_mcp_ask };

ag_mcp_call *ag_mcp_call_of(ag_call *c)
{
	AG_ASSERT(c->client == &client);
	return (ag_mcp_call *)c;
}

void ag_mcp_call_init(ag_mcp_turn *t, ag_mcp_request *rq, ag_mcp_call *ret)
{
	const ag_mcp_server_opts *o = &t->server->o;

	read_meta(t, rq);
	*ret = (ag_mcp_call){
		.base = { .who = t->who,
		          .hub = o->hub,
		          .ctx = { .clock = o->clock,
		                   .deadline_ms = ag_clock_mono(o->clock) + o->call_timeout_ms,
		                   .cancel = &rq->cancel,
		                   .nthread = 1,
		                   .span = t->peer->span },
		          .arena = t->arena,
		          .session = t->session ? ag_id_str(&t->session->name) : AG_S(""),
		          .watch_fd = t->peer->watch_fd,
		          .client = &client,
		          .wants_frame = t->draws },
		.server = t->server,
		.session = t->session,
		.peer = t->peer,
		.revision = t->revision,
		.request = rq
	};
}

/* Into the list, with what it brought. False: t is answered. */
static bool begin(ag_mcp_turn *t, ag_mcp_request *rq, ag_mcp_call *c)
{
	if (!ag_mcp_request_begin(t, rq))
		return false;
	ag_mcp_call_init(t, rq, c);
	if (!t->is_stateless || ag_mcp_input_read(t, rq))
		return true;
	AG_IGNORE(ag_mcp_request_end(t, rq), "it never ran");
	return false;
}

/* --- tools/call --- */

/* The structured result, for a client that draws it with what its frame needs as one more member. The text of the result is the
 * same with and without: a host gives its model the text, and the frame the structured result. */
static void write_structured(const ag_mcp_turn *t, const ag_tool_output *r, ag_jw *w)
{
	const ag_str json = ag_buf_view(&r->json), frame = ag_buf_view(&r->frame);
	ag_buf *out = w->out;

	ag_jw_kkey(w, "structuredContent");
	if (!t->draws || !frame.len || r->frame.failed || json.len < 3) {
		ag_jw_raw(w, json);
		return;
	}
	ag_jw_raw(w, ag_str_make(json.ptr, json.len - 1));
	ag_buf_addf(out, ",\"view\":%.*s}", AG_FMT(frame));
}

/* The structured result as it is, and as the text of one block; or the tool's own blocks. Both always: a client that
 * reads structuredContent may show the text to its model all the same, and most of those of today read nothing else. */
static void write_tool_result(ag_mcp_turn *t, const ag_tool_output *r)
{
	const ag_str structured = ag_buf_view(&r->json), content = ag_buf_view(&r->content);
	ag_buf *out = &t->ret->text;
	ag_jw w;

	/* One piece of memory for all of it: quoting asks for twice the bytes that it may need. */
	if (!ag_buf_room(out, 512 + content.len + structured.len * 3))
		AG_IGNORE(out->failed, "told at the end");
	ag_mcp_result_begin(t, &w);
	ag_jw_kkey(&w, "content");
	if (content.len) {
		ag_jw_raw(&w, content);
	} else {
		ag_jw_arr(&w);
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "type", AG_S("text"));
		ag_jw_kkey(&w, "text");
		ag_jw_raw(&w, AG_S("")); /* the value is put there by hand */
		ag_mcp_quote_json(out, structured);
		ag_jw_obj_end(&w);
		ag_jw_arr_end(&w);
	}
	if (structured.len && t->revision >= AG_MCP_2025_06_18)
		write_structured(t, r, &w);
	ag_jw_kbool(&w, "isError", r->is_error);
	ag_mcp_result_end(t, &w);
}

static void write_outcome(ag_mcp_turn *t, ag_status st, const ag_tool_output *r, const ag_err *err)
{
	if (st == AG_INTERNAL)
		ag_mcp_error_of(t, err);
	else if (st)
		ag_mcp_tool_failed(t, ag_mcp_words(t->arena, err));
	else
		write_tool_result(t, r);
}

static void unknown_tool(ag_mcp_turn *t, ag_str name)
{
	const char *names[64];
	const char *near;
	size_t n = 0;

	for (size_t i = 0; i < t->server->nrow && n < AG_NELEM(names); i++)
		if (ag_mcp_is_offered(&t->server->rows[i], t->who))
			names[n++] = t->server->rows[i].tool->name;
	near = ag_str_nearest(name, names, n);
	ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""), "Unknown tool: %.*s%s%s%s",
	             (int)(name.len < 128 ? name.len : 128), name.ptr,
	             near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* A tool that waits in one place has its progress told by a ticker. */
static ag_status call_tool(ag_mcp_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	const bool ticks = (c->base.tool->flags & AG_TOOL_TICKS) != 0;
	ag_mcp_ticker ticker;
	ag_status st;

	if (ticks)
		ag_mcp_ticker_begin(&ticker, c);
	st = ag_tool_call(&c->base, input, out, err);
	if (ticks)
		ag_mcp_ticker_end(&ticker);
	return st;
}

/* What ag_mcp_withhold() needs. The request itself is over. */
static void keep_for_later(const ag_mcp_turn *t, ag_mcp_call *c)
{
	ag_mcp_later *l = t->peer->later;

	if (!l || !l->row.journal)
		return;
	l->turn = ag_new(t->arena, ag_mcp_turn);
	*l->turn = *t;
	l->call = c;
	c->request = NULL;
}

void ag_mcp_withhold(ag_mcp_later *l, const ag_err *why)
{
	ag_mcp_turn *t = l->turn;
	ag_tool_output out;

	/* Nobody waits for it, or it is no result of the tool. */
	if (l->row.is_refusal || !t->ret->text.len || t->ret->rpc_error || t->wants_input)
		return;
	ag_tool_output_init(&out, l->call->base.tool);
	ag_tool_withhold(&l->call->base, why, &out);
	ag_buf_clear(&t->ret->text);
	write_tool_result(t, &out);
	ag_tool_output_release(&out);
}

static void run_tool(ag_mcp_turn *t, const ag_mcp_tool_row *row, const ag_val *input)
{
	ag_mcp_call *c = ag_new(t->arena, ag_mcp_call);
	const ag_tool *tool = row->tool;
	ag_tool_output out;
	ag_mcp_request rq;
	ag_err err = { 0 };
	ag_val typed;
	ag_status st;

	if (!begin(t, &rq, c))
		return;
	ag_tool_output_init(&out, tool);
	c->base.tool = tool;
	c->base.env = row->table->env;
	c->base.later = t->peer->later ? &t->peer->later->row : NULL;
	st = ag_tool_check_input(tool, input, &err);
	if (!st && (tool->flags & AG_TOOL_EXTJSON)) {
		typed = ag_extjson_typed_all(t->arena, input, true);
		input = &typed;
	}
	if (!st)
		st = call_tool(c, input, &out, &err);
	if (ag_mcp_request_end(t, &rq) && !ag_mcp_input_write(t, &rq))
		write_outcome(t, st, &out, &err);
	keep_for_later(t, c);
	ag_tool_output_release(&out);
}

void ag_mcp_tools_call(ag_mcp_turn *t)
{
	const ag_val none = ag_val_object(NULL, 0);
	const ag_val *input = t->params ? ag_val_getc(t->params, "arguments") : NULL;
	const ag_mcp_tool_row *row;
	ag_str name;

	if (!ag_mcp_text_of(t, "name", &name))
		return;
	row = ag_mcp_tool_find(t->server, name);
	if (!row || !ag_mcp_is_offered(row, t->who)) {
		unknown_tool(t, name);
		return;
	}
	if (input && input->type != AG_T_OBJECT && input->type != AG_T_NULL) {
		ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""),
		             "params.arguments: want an object");
		return;
	}
	run_tool(t, row, input && input->type == AG_T_OBJECT ? input : &none);
}

/* --- resources/read --- */

static ag_status read_from(ag_mcp_turn *t, ag_mcp_call *c, ag_str uri, ag_buf *ret, ag_err *err)
{
	const ag_mcp_server_opts *o = &t->server->o;
	ag_status st = AG_NOT_FOUND;

	for (size_t i = 0; i < o->nprovider && st == AG_NOT_FOUND; i++) {
		const ag_mcp_provider *p = &o->providers[i];

		if (p->read) {
			ag_buf_clear(ret);
			st = p->read(p->env, &c->base, uri, ret, err);
		}
	}
	if (!st && ret->failed)
		return ag_fail(err, AG_LIMIT, "mcp.calls", "the resource is larger than %zu bytes",
		               ret->limit);
	return st;
}

static void no_resource(ag_mcp_turn *t, ag_str uri)
{
	ag_buf data = AG_BUF_INIT(32 * 1024);

	ag_buf_adds(&data, "{\"uri\":");
	ag_json_quote(&data, uri);
	ag_buf_addc(&data, '}');
	ag_mcp_error(t, t->is_stateless ? AG_RPC_INVALID_PARAMS : AG_MCP_RESOURCE_NOT_FOUND,
	             data.failed ? AG_S("") : ag_buf_view(&data), "Resource not found");
	ag_buf_release(&data);
}

void ag_mcp_resources_read(ag_mcp_turn *t)
{
	ag_buf contents = AG_BUF_INIT(AG_MCP_MAX_ANSWER / 4);
	ag_mcp_request rq;
	ag_err err = { 0 };
	ag_mcp_call c;
	ag_status st;
	ag_str uri;
	ag_jw w;

	if (!ag_mcp_text_of(t, "uri", &uri) || !begin(t, &rq, &c))
		return;
	st = uri.len > AG_MCP_MAX_URI ? AG_NOT_FOUND : read_from(t, &c, uri, &contents, &err);
	if (!ag_mcp_request_end(t, &rq) || ag_mcp_input_write(t, &rq)) {
		AG_IGNORE(st, "nobody waits for the result, or the client is asked first");
	} else if (st == AG_NOT_FOUND) {
		no_resource(t, uri);
	} else if (st) {
		ag_mcp_error_of(t, &err);
	} else {
		ag_mcp_result_begin(t, &w);
		ag_jw_kraw(&w, "contents", ag_buf_view(&contents));
		ag_mcp_result_cache(t, &w, 10 * 1000, false);
		ag_mcp_result_end(t, &w);
	}
	ag_buf_release(&contents);
}

/* --- prompts/get --- */

void ag_mcp_prompts_get(ag_mcp_turn *t)
{
	const ag_val none = ag_val_object(NULL, 0);
	const ag_val *arguments = t->params ? ag_val_getc(t->params, "arguments") : NULL;
	ag_buf object = AG_BUF_INIT(AG_MCP_MAX_ANSWER / 4);
	ag_status st = AG_NOT_FOUND;
	ag_mcp_request rq;
	ag_err err = { 0 };
	ag_mcp_call c;
	ag_str name;

	if (!ag_mcp_text_of(t, "name", &name))
		return;
	if (arguments && arguments->type != AG_T_OBJECT) {
		ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""),
		             "params.arguments: want an object");
		return;
	}
	if (!begin(t, &rq, &c))
		return;
	for (size_t i = 0; i < t->server->o.nprovider && st == AG_NOT_FOUND; i++) {
		const ag_mcp_provider *p = &t->server->o.providers[i];

		if (p->prompt) {
			ag_buf_clear(&object);
			st = p->prompt(p->env, &c.base, name, arguments ? arguments : &none,
			               &object, &err);
		}
	}
	if (!st && object.failed)
		st = ag_fail(&err, AG_LIMIT, "mcp.calls", "the prompt is larger than %zu bytes",
		             object.limit);
	if (!ag_mcp_request_end(t, &rq) || ag_mcp_input_write(t, &rq))
		AG_IGNORE(st, "nobody waits for the result, or the client is asked first");
	else if (st == AG_NOT_FOUND)
		ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""), "Unknown prompt: %.*s",
		             (int)(name.len < 128 ? name.len : 128), name.ptr);
	else if (st)
		ag_mcp_error_of(t, &err);
	else
		ag_mcp_result_object(t, ag_buf_view(&object));
	ag_buf_release(&object);
}

/* --- completion/complete --- */

static bool read_completion(ag_mcp_turn *t, ag_mcp_completion *ret)
{
	const ag_val *ref = t->params ? ag_val_getc(t->params, "ref") : NULL;
	const ag_val *argument = t->params ? ag_val_getc(t->params, "argument") : NULL;
	const ag_val *context = t->params ? ag_val_getc(t->params, "context") : NULL;
	const ag_str type = ag_val_member_str(ref, "type");
	const ag_val *name = argument ? ag_val_getc(argument, "name") : NULL;
	const ag_val *value = argument ? ag_val_getc(argument, "value") : NULL;

	ret->is_prompt = ag_str_eq(type, AG_S("ref/prompt"));
	if (!ret->is_prompt && !ag_str_eq(type, AG_S("ref/resource"))) {
		ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""),
		             "params.ref.type: want \"ref/prompt\" or \"ref/resource\"");
		return false;
	}
	ret->ref = ag_val_member_str(ref, ret->is_prompt ? "name" : "uri");
	if (!ret->ref.len || !name || name->type != AG_T_STRING || !value ||
	    value->type != AG_T_STRING) {
		ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""),
		             "params: want ref.%s, argument.name and argument.value, all strings",
		             ret->is_prompt ? "name" : "uri");
		return false;
	}
	ret->argument = ag_val_text(name);
	ret->prefix = ag_val_text(value);
	ret->others = context ? ag_val_getc(context, "arguments") : NULL;
	if (ret->others && ret->others->type != AG_T_OBJECT)
		ret->others = NULL;
	return true;
}

static void write_completion(ag_mcp_turn *t, const ag_str *values, size_t n)
{
	ag_jw w;

	ag_mcp_result_begin(t, &w);
	ag_jw_kkey(&w, "completion");
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "values");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n && i < MAX_COMPLETIONS; i++)
		ag_jw_str(&w, values[i]);
	ag_jw_arr_end(&w);
	ag_jw_kuint(&w, "total", n);
	ag_jw_kbool(&w, "hasMore", n > MAX_COMPLETIONS);
	ag_jw_obj_end(&w);
	ag_mcp_result_end(t, &w);
}

/* The first provider that knows the reference answers. */
void ag_mcp_complete(ag_mcp_turn *t)
{
	ag_status st = AG_NOT_FOUND;
	ag_str *values = NULL;
	ag_mcp_request rq;
	ag_err err = { 0 };
	ag_mcp_completion what;
	ag_mcp_call c;
	size_t n = 0;

	if (!read_completion(t, &what) || !begin(t, &rq, &c))
		return;
	for (size_t i = 0; i < t->server->o.nprovider && (st == AG_NOT_FOUND || (!st && !n)); i++) {
		const ag_mcp_provider *p = &t->server->o.providers[i];

		if (p->complete)
			st = p->complete(p->env, &c.base, &what, &values, &n, &err);
	}
	if (!ag_mcp_request_end(t, &rq))
		return;
	if (st == AG_NOT_FOUND)
		ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""), "there is no %s \"%.*s\"",
		             what.is_prompt ? "prompt" : "resource template",
		             (int)(what.ref.len < 200 ? what.ref.len : 200), what.ref.ptr);
	else if (st)
		ag_mcp_error_of(t, &err);
	else
		write_completion(t, values, n);
}
