#include "mcp_fixtures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>

#include "query/extjson.h"

atomic_bool mcp_go;
atomic_uint mcp_waiting, mcp_cancels;

/* --- the client --- */

static bool keep(void *self, ag_str message)
{
	mcp_client *c = self;
	bool ok;

	pthread_mutex_lock(&c->lock);
	ok = !atomic_load(&c->is_gone) && c->nsent < AG_NELEM(c->sent);
	if (ok) {
		c->sent[c->nsent++] = ag_str_dup(c->arena, message);
		pthread_cond_broadcast(&c->more);
	}
	pthread_mutex_unlock(&c->lock);
	return ok;
}

void mcp_client_init(mcp_client *c)
{
	*c = (mcp_client){ .arena = ag_arena_new() };
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->more, NULL);
	c->peer = (ag_mcp_peer){ .send = keep, .self = c, .watch_fd = -1, .is_gone = &c->is_gone };
}

void mcp_client_release(mcp_client *c)
{
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->more);
	ag_arena_free(c->arena);
}

ag_str mcp_client_wait(mcp_client *c, size_t i)
{
	struct timespec at;
	ag_str ret = AG_S("");
	int rc = 0;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec += 10;
	pthread_mutex_lock(&c->lock);
	while (c->nsent <= i && !rc)
		rc = pthread_cond_timedwait(&c->more, &c->lock, &at);
	if (c->nsent > i)
		ret = c->sent[i];
	pthread_mutex_unlock(&c->lock);
	return ret;
}

/* --- the clock --- */

static int64_t stands(void *self)
{
	return atomic_load(&((mcp_clock *)self)->ms);
}

void mcp_clock_init(mcp_clock *c)
{
	c->clock = (ag_clock){ stands, stands, c };
	atomic_init(&c->ms, 1000000);
}

/* --- the tools --- */

static ag_status echo(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	ag_jw w;

	(void)c, (void)err;
	ag_jw_init(&w, &ret->json, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "text", ag_val_member_str(input, "text"));
	ag_jw_obj_end(&w);
	return AG_OK;
}

static ag_status wait_for_it(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	const struct timespec slice = { .tv_nsec = 1000000 };
	ag_status st = AG_OK;

	(void)input;
	atomic_fetch_add(&mcp_waiting, 1);
	while (!st && !atomic_load(&mcp_go)) {
		nanosleep(&slice, NULL);
		st = ag_ctx_check(&c->ctx, err);
	}
	if (st == AG_CANCELLED)
		atomic_fetch_add(&mcp_cancels, 1);
	atomic_fetch_sub(&mcp_waiting, 1);
	if (!st)
		ag_buf_adds(&ret->json, "{\"waited\":true}");
	return st;
}

static ag_status fail_invalid(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)c, (void)input, (void)ret;
	ag_fail(err, AG_INVALID, "test", "the month has no day 32");
	return ag_err_hint(err, "days go up to 31");
}

static ag_status fail_internal(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)c, (void)input, (void)ret;
	return ag_fail(err, AG_INTERNAL, "test", "it broke");
}

static ag_status large(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)c, (void)input, (void)err;
	for (int i = 0; i < 200; i++)
		ag_buf_adds(&ret->json, "          ");
	return AG_OK;
}

static ag_status lines(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)c, (void)input, (void)err;
	ag_buf_adds(&ret->json, "{\n\t\"a\":\r\n\"say \\\"\xc3\xa9\\\" \\\\ \",\"b\":1}");
	return AG_OK;
}

static ag_status report(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)input, (void)err;
	ag_call_progress(c, 0, 10, AG_S("begun"));
	ag_call_progress(c, 10, 10, AG_S(""));
	ag_call_progress(c, 5, 10, AG_S("back"));
	ag_call_progress(c, 10, 10, AG_S("again"));
	ag_call_progress(c, 12.5, 0, AG_S("\"more\""));
	ag_buf_adds(&ret->json, "{}");
	return AG_OK;
}

/* A message, and at once an answer of 2 MiB. */
static ag_status flood(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)input, (void)err;
	ag_call_progress(c, 1, 2, AG_S("half"));
	ag_buf_adds(&ret->json, "{\"text\":\"");
	for (int i = 0; i < 1 << 15; i++)
		ag_buf_adds(&ret->json,
		            "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
	ag_buf_adds(&ret->json, "\"}");
	return AG_OK;
}

static ag_status logs(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)input, (void)err;
	ag_call_log(c, "debug", "test", AG_S("\"small\""));
	ag_call_log(c, "warning", NULL, AG_S("{\"what\":1}"));
	ag_buf_adds(&ret->json, "{}");
	return AG_OK;
}

static ag_status ask(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	ag_val answer;
	const ag_status st = ag_call_ask(c, "elicitation/create", AG_S("{\"message\":\"Who?\"}"),
	                                 &answer, err);
	ag_jw w;

	(void)input;
	if (st)
		return st;
	ag_jw_init(&w, &ret->json, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "who", ag_val_member_str(ag_val_getc(&answer, "content"), "name"));
	ag_jw_obj_end(&w);
	return AG_OK;
}

static ag_status ask_twice(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	ag_val roots, sample;
	ag_status st = ag_call_ask(c, "roots/list", AG_S(""), &roots, err);
	ag_jw w;

	(void)input;
	if (!st)
		st = ag_call_ask(c, "sampling/createMessage", AG_S("{\"messages\":[]}"), &sample,
		                 err);
	if (st)
		return st;
	ag_jw_init(&w, &ret->json, 0);
	ag_jw_obj(&w);
	ag_jw_kint(&w, "roots", ag_val_getc(&roots, "roots")->n);
	ag_jw_kstr(&w, "model", ag_val_member_str(&sample, "model"));
	ag_jw_obj_end(&w);
	return AG_OK;
}

static const ag_param echo_params[] = {
	{ .name = "text", .type = AG_PARAM_STRING, .required = true, .help = "What comes back" },
	{ .name = "project_id", .type = AG_PARAM_STRING, .help = "Of which project" },
};

#define TOOL(tool_name, fn)                                         \
	{                                                           \
		.name = (tool_name), .help = "Does it", .run = (fn) \
	}

/* clang-format off */
const ag_tool mcp_tools[] = {
	{ .name = "echo", .help = "Says it again", .params = echo_params, .nparam = 2,
	  .title = "Echo", .flags = AG_TOOL_READS | AG_TOOL_IDEMPOTENT, .run = echo,
	  .output_schema = "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}},"
	                   "\"required\":[\"text\"],\"additionalProperties\":false}" },
	TOOL("wait", wait_for_it),
	TOOL("fail_invalid", fail_invalid),
	TOOL("fail_internal", fail_internal),
	{ .name = "large", .help = "Too much", .max_output_bytes = 1000, .run = large },
	TOOL("lines", lines),
	{ .name = "report", .help = "Reports", .flags = AG_TOOL_LONG, .run = report },
	{ .name = "flood", .help = "Says much", .flags = AG_TOOL_LONG,
	  .max_output_bytes = 4u << 20, .run = flood },
	TOOL("logs", logs),
	{ .name = "ask", .help = "Asks", .flags = AG_TOOL_LONG, .run = ask },
	{ .name = "ask_twice", .help = "Asks twice", .flags = AG_TOOL_LONG, .run = ask_twice },
};

static const ag_tool hidden[] = { TOOL("hidden", echo) };
/* clang-format on */

const size_t mcp_ntool = AG_NELEM(mcp_tools);

static bool is_ann(void *env, const ag_caller *who, const ag_tool *t)
{
	(void)env, (void)t;
	return ag_str_eqc(who->user, "ann");
}

/* --- saying and reading --- */

ag_mcp_server_opts mcp_opts(void)
{
	ag_mcp_server_opts o = { .clock = &ag_clock_system, .instructions = "Be kind." };

	o.tools[0] = (ag_tool_set){ .tools = mcp_tools, .ntool = mcp_ntool };
	o.tools[1] = (ag_tool_set){ .tools = hidden, .ntool = 1, .offered = is_ann };
	o.ntools = 2;
	atomic_store(&mcp_go, false);
	atomic_store(&mcp_waiting, 0);
	atomic_store(&mcp_cancels, 0);
	return o;
}

ag_mcp_server *mcp_server(const ag_mcp_server_opts *o)
{
	ag_mcp_server *s = NULL;
	ag_err err = { 0 };

	if (ag_mcp_server_new(o, &s, &err))
		fail_msg("%s", err.msg);
	return s;
}

ag_caller mcp_user(const char *name)
{
	return (ag_caller){ .user = ag_str_c(name) };
}

ag_mcp_session *mcp_session(ag_mcp_server *s, const char *version, const ag_caller *who)
{
	ag_buf text = AG_BUF_INIT(4096);
	ag_mcp_session *session;
	ag_mcp_answer a;

	ag_buf_addf(&text,
	            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
	            "\"protocolVersion\":\"%s\",\"capabilities\":{\"sampling\":{},"
	            "\"elicitation\":{},\"roots\":{}}}}",
	            version);
	ag_mcp_handle(s, NULL, who, NULL, ag_buf_view(&text), &a);
	ag_buf_release(&text);
	session = a.opened;
	a.opened = NULL;
	ag_mcp_answer_release(&a);
	return session;
}

ag_val mcp_say(ag_mcp_server *s, ag_mcp_session *session, const ag_caller *who,
               const ag_mcp_peer *peer, ag_arena *arena, const char *message)
{
	static const ag_extjson_opts opts = { .reject_duplicates = true };
	ag_val v = ag_val_missing();
	ag_mcp_answer a;
	ag_err err = { 0 };

	ag_mcp_handle(s, session, who, peer, ag_str_c(message), &a);
	if (a.text.len) {
		const ag_str text = ag_buf_dup(arena, &a.text);

		if (memchr(text.ptr, '\n', text.len) || memchr(text.ptr, '\r', text.len))
			fail_msg("more than one line: %.*s", AG_FMT(text));
		if (ag_extjson_parse(text, &opts, arena, &v, NULL, NULL, &err))
			fail_msg("%s: %.*s", err.msg, AG_FMT(text));
		if ((ag_val_getc(&v, "error") != NULL) != (a.rpc_error != 0))
			fail_msg("rpc_error %d: %.*s", a.rpc_error, AG_FMT(text));
	}
	ag_mcp_answer_release(&a);
	return v;
}

const ag_val *mcp_at(const ag_val *v, const char *path)
{
	ag_str rest = ag_str_c(path);

	while (v && rest.len) {
		const ag_str part = ag_str_split(&rest, '.');
		uint64_t i;

		if (v->type == AG_T_ARRAY)
			v = ag_str_to_u64(part, &i) && i < v->n ? &v->u.items[i] : NULL;
		else
			v = ag_val_get(v, part);
	}
	return v;
}

ag_str mcp_text(const ag_val *v, const char *path)
{
	v = mcp_at(v, path);
	return v && v->type == AG_T_STRING ? ag_val_text(v) : AG_S("");
}

int64_t mcp_int(const ag_val *v, const char *path)
{
	int64_t i;

	v = mcp_at(v, path);
	return v && ag_val_to_i64(v, &i) ? i : INT64_MIN;
}
