/* server -- one message in, at most one answer out: look at it, find its method, let it run.
 *
 * Read ag_mcp_handle_seen() first. A message belongs to the stateless era when it says its own revision in params._meta;
 * else to its session. */
#include "mcp/server.h"

#include <stdlib.h>

#include "mcp/parts.h"

#define SPARE_BYTES (256u * 1024) /* an arena that grew further is given back */

typedef enum era { SESSION = 1, STATELESS = 2, BOTH = 3 } era;

typedef struct method {
	ag_str name;
	void (*run)(ag_mcp_turn *t);
	era era;
	bool is_quick; /* touches no tool and no provider */
} method;

static void pong(ag_mcp_turn *t)
{
	ag_mcp_result_object(t, AG_S("{}"));
}

/* The frequent ones first. */
static const method methods[] = {
	{ AG_S_INIT("tools/call"), ag_mcp_tools_call, BOTH, false },
	{ AG_S_INIT("tools/list"), ag_mcp_tools_list, BOTH, true },
	{ AG_S_INIT("resources/read"), ag_mcp_resources_read, BOTH, false },
	{ AG_S_INIT("resources/list"), ag_mcp_resources_list, BOTH, false },
	{ AG_S_INIT("resources/templates/list"), ag_mcp_templates_list, BOTH, false },
	{ AG_S_INIT("prompts/get"), ag_mcp_prompts_get, BOTH, false },
	{ AG_S_INIT("prompts/list"), ag_mcp_prompts_list, BOTH, false },
	{ AG_S_INIT("completion/complete"), ag_mcp_complete, BOTH, false },
	{ AG_S_INIT("ping"), pong, SESSION, true },
	{ AG_S_INIT("initialize"), ag_mcp_initialize, SESSION, true },
	{ AG_S_INIT("logging/setLevel"), ag_mcp_set_level, SESSION, true },
	{ AG_S_INIT("resources/subscribe"), ag_mcp_subscribe, SESSION, true },
	{ AG_S_INIT("resources/unsubscribe"), ag_mcp_unsubscribe, SESSION, true },
	{ AG_S_INIT("server/discover"), ag_mcp_discover, STATELESS, true },
	{ AG_S_INIT("subscriptions/listen"), ag_mcp_listen_run, STATELESS, false },
};

static const method *find_method(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(methods); i++)
		if (ag_str_eq(name, methods[i].name))
			return &methods[i];
	return NULL;
}

/* Is there anything behind this method? What is not offered is not found. */
static bool is_served(const ag_mcp_server *s, ag_str name)
{
	if (ag_str_starts(name, AG_S("tools/")))
		return s->nrow > 0;
	if (ag_str_starts(name, AG_S("resources/")))
		return s->has_resources &&
		       (s->can_subscribe || !ag_str_ends(name, AG_S("subscribe")));
	if (ag_str_starts(name, AG_S("prompts/")))
		return s->has_prompts;
	return !ag_str_starts(name, AG_S("completion/")) || s->has_completion;
}

/* --- life --- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const ag_mcp_tool_row *)a)->tool->name,
	              ((const ag_mcp_tool_row *)b)->tool->name);
}

static ag_status take_tools(ag_mcp_server *s, ag_err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < s->o.ntools; i++)
		n += s->o.tools[i].ntool;
	s->rows = ag_new_n(s->arena, ag_mcp_tool_row, n ? n : 1);
	s->by_name = ag_new_n(s->arena, ag_mcp_tool_row, n ? n : 1);
	for (size_t i = 0; i < s->o.ntools; i++)
		for (size_t k = 0; k < s->o.tools[i].ntool; k++)
			s->rows[s->nrow++] = (ag_mcp_tool_row){ &s->o.tools[i].tools[k],
				                                &s->o.tools[i] };
	memcpy(s->by_name, s->rows, n * sizeof(*s->rows));
	qsort(s->by_name, n, sizeof(*s->by_name), by_name);
	for (size_t i = 1; i < n; i++)
		if (strcmp(s->by_name[i].tool->name, s->by_name[i - 1].tool->name) == 0)
			return ag_fail(err, AG_INVALID, "mcp.server", "there are two tools \"%s\"",
			               s->by_name[i].tool->name);
	return AG_OK;
}

static void take_providers(ag_mcp_server *s)
{
	for (size_t i = 0; i < s->o.nprovider; i++) {
		const ag_mcp_provider *p = &s->o.providers[i];

		s->has_resources = s->has_resources || p->resources || p->templates || p->read;
		s->has_prompts = s->has_prompts || p->prompts || p->prompt;
		s->has_completion = s->has_completion || p->complete;
		s->can_subscribe = s->can_subscribe || p->can_subscribe;
	}
}

static void defaults(ag_mcp_server_opts *o)
{
	if (!o->clock)
		o->clock = &ag_clock_system;
	if (!o->max_sessions)
		o->max_sessions = 1000;
	if (!o->max_calls)
		o->max_calls = 32;
	if (!o->session_idle_ms)
		o->session_idle_ms = 60 * 60 * 1000;
	if (!o->call_timeout_ms)
		o->call_timeout_ms = 10 * 60 * 1000;
	if (!o->page)
		o->page = 100;
}

static void write_result_meta(ag_mcp_server *s)
{
	ag_buf out = AG_BUF_INIT(1024);
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, AG_MCP_META_SERVER);
	ag_mcp_server_info(&w, AG_MCP_2026_07_28);
	ag_jw_obj_end(&w);
	s->result_meta = ag_buf_dup(s->arena, &out);
	ag_buf_release(&out);
}

static ag_status make_key(ag_mcp_server *s, ag_err *err)
{
	char text[45];
	const ag_status st = ag_fernet_key_new(text, err);

	return st ? st : ag_fernet_key_read(ag_str_c(text), &s->state_key, err);
}

ag_status ag_mcp_server_new(const ag_mcp_server_opts *o, ag_mcp_server **ret, ag_err *err)
{
	ag_mcp_server *s = ag_xcalloc(1, sizeof(*s));
	ag_status st;

	AG_ASSERT(o->ntools <= AG_MCP_MAX_TABLES && o->nprovider <= AG_MCP_MAX_PROVIDERS);
	s->o = *o;
	defaults(&s->o);
	s->arena = ag_arena_new();
	for (s->nbucket = 16; s->nbucket < s->o.max_sessions && s->nbucket < 4096;)
		s->nbucket *= 2;
	s->buckets = ag_xcalloc(s->nbucket, sizeof(*s->buckets));
	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_init(&s->listen_lock, NULL);
	pthread_mutex_init(&s->arena_lock, NULL);
	for (size_t i = 0; i < AG_MCP_CALLER_BUCKETS; i++)
		ag_mcp_calls_init(&s->callers[i]);
	take_providers(s);
	write_result_meta(s);
	st = take_tools(s, err);
	if (!st)
		st = make_key(s, err);
	if (st) {
		ag_mcp_server_free(s);
		return st;
	}
	*ret = s;
	return AG_OK;
}

ag_mcp_server *ag_mcp_server_free(ag_mcp_server *s)
{
	if (!s)
		return NULL;
	ag_mcp_server_stop(s);
	for (size_t i = 0; i < AG_MCP_CALLER_BUCKETS; i++)
		ag_mcp_calls_release(&s->callers[i]);
	for (size_t i = 0; i < s->nspare; i++)
		ag_arena_free(s->spare[i]);
	pthread_mutex_destroy(&s->lock);
	pthread_mutex_destroy(&s->listen_lock);
	pthread_mutex_destroy(&s->arena_lock);
	ag_arena_free(s->arena);
	free(s->buckets);
	free(s);
	return NULL;
}

ag_arena *ag_mcp_arena_take(ag_mcp_server *s)
{
	ag_arena *a = NULL;

	pthread_mutex_lock(&s->arena_lock);
	if (s->nspare)
		a = s->spare[--s->nspare];
	pthread_mutex_unlock(&s->arena_lock);
	return a ? a : ag_arena_new();
}

void ag_mcp_arena_give(ag_mcp_server *s, ag_arena *a)
{
	const bool is_large = ag_arena_bytes(a) > SPARE_BYTES;
	bool is_kept = false;

	if (!is_large) {
		ag_arena_reset(a);
		pthread_mutex_lock(&s->arena_lock);
		is_kept = s->nspare < AG_MCP_SPARE_ARENAS;
		if (is_kept)
			s->spare[s->nspare++] = a;
		pthread_mutex_unlock(&s->arena_lock);
	}
	if (!is_kept)
		ag_arena_free(a);
}

/* --- looking --- */

static const ag_val *object_of(const ag_val *obj, const char *key)
{
	const ag_val *v = obj ? ag_val_getc(obj, key) : NULL;

	return v && v->type == AG_T_OBJECT ? v : NULL;
}

/* Will it send anything before its response? */
static bool may_send(const ag_mcp_server *s, const ag_mcp_glance *g, const ag_val *meta)
{
	const ag_mcp_tool_row *row;

	if (g->kind != AG_RPC_REQUEST)
		return false;
	if (g->revision.len && ag_str_eq(g->method, AG_S("subscriptions/listen")))
		return s->can_subscribe;
	if (!ag_str_eq(g->method, AG_S("tools/call")))
		return false;
	if (meta && (ag_val_getc(meta, "progressToken") ||
	             (g->revision.len && ag_val_getc(meta, AG_MCP_META_LOG_LEVEL))))
		return true;
	/* Without a session nothing is logged or asked that the message did not allow. */
	row = g->revision.len ? NULL : ag_mcp_tool_find(s, g->name);
	return row && (row->tool->flags & AG_TOOL_LONG);
}

void ag_mcp_look(ag_mcp_server *s, ag_str message, ag_arena *arena, ag_mcp_glance *ret)
{
	const ag_val *meta;

	*ret = (ag_mcp_glance){ .arena = arena };
	ret->is_readable = ag_rpc_read(message, arena, &ret->message, &ret->error_code,
	                               &ret->err) == AG_OK;
	if (!ret->is_readable)
		return;
	meta = object_of(&ret->message.params, "_meta");
	ret->kind = ret->message.kind;
	ret->method = ret->message.method;
	ret->name = ag_val_member_str(&ret->message.params, "name");
	if (!ret->name.len)
		ret->name = ag_val_member_str(&ret->message.params, "uri");
	ret->revision = ag_val_member_str(meta, AG_MCP_META_VERSION);
	ret->wants_stream = may_send(s, ret, meta);
}

bool ag_mcp_is_quick(const ag_mcp_glance *g)
{
	const method *m;

	if (!g->is_readable || g->kind != AG_RPC_REQUEST)
		return true;
	m = find_method(g->method);
	return !m || m->is_quick;
}

/* --- handling --- */

static void not_found(ag_mcp_turn *t)
{
	ag_mcp_error(t, AG_RPC_METHOD_NOT_FOUND, AG_S(""), "Method not found: %.*s",
	             (int)(t->message->method.len < 128 ? t->message->method.len : 128),
	             t->message->method.ptr);
}

static void unsupported(ag_mcp_turn *t, ag_str version)
{
	ag_buf data = AG_BUF_INIT(1024);

	ag_buf_adds(&data, "{\"supported\":[\"2026-07-28\"],\"requested\":");
	ag_json_quote(&data, ag_str_make(version.ptr, version.len < 100 ? version.len : 100));
	ag_buf_addc(&data, '}');
	ag_mcp_error(t, AG_MCP_UNSUPPORTED_VERSION, ag_buf_view(&data),
	             "Unsupported protocol version: a request may say 2026-07-28; older ones begin "
	             "with initialize");
	ag_buf_release(&data);
}

/* A message without a session must say itself what a handshake says once. */
static bool check_meta(ag_mcp_turn *t)
{
	const ag_str version = ag_val_member_str(t->meta, AG_MCP_META_VERSION);
	const char *missing = !version.len                              ? AG_MCP_META_VERSION
	                      : !object_of(t->meta, AG_MCP_META_CLIENT) ? AG_MCP_META_CLIENT
	                                                                : NULL;

	if (missing) {
		ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""),
		             "params._meta: \"%s\" is missing; or begin a session with initialize",
		             missing);
		t->ret->outcome = AG_MCP_BAD_REQUEST;
		return false;
	}
	if (ag_str_eqc(version, ag_mcp_revision_name(AG_MCP_2026_07_28)))
		return true;
	unsupported(t, version);
	return false;
}

static void run_request(ag_mcp_turn *t)
{
	const method *m = find_method(t->message->method);

	if (!t->session && !t->is_stateless &&
	    (!m || (m->run != ag_mcp_initialize && m->run != pong))) {
		/* Neither a session nor a revision: what a stateless client forgot is named. */
		t->is_stateless = true;
		if (!check_meta(t))
			return;
	}
	if (t->is_stateless && !check_meta(t))
		return;
	if (!m || !(m->era & (t->is_stateless ? STATELESS : SESSION)) ||
	    !is_served(t->server, t->message->method))
		not_found(t);
	else
		m->run(t);
}

static void run_notification(ag_mcp_turn *t)
{
	if (ag_str_eq(t->message->method, AG_S("notifications/cancelled")))
		ag_mcp_cancelled(t);
	/* initialized, roots/list_changed and what is not known: nothing depends on them. */
	t->ret->outcome = AG_MCP_ACCEPTED;
}

static void start(ag_mcp_turn *t, ag_mcp_server *s, ag_mcp_session *session, const ag_caller *who,
                  const ag_mcp_peer *peer, const ag_mcp_glance *g, ag_mcp_answer *ret)
{
	static const ag_mcp_peer nobody = { .watch_fd = -1 };
	const bool is_stateless = g->revision.len > 0;

	*ret = (ag_mcp_answer){ .text = AG_BUF_INIT(AG_MCP_MAX_ANSWER),
		                .outcome = AG_MCP_ACCEPTED };
	*t = (ag_mcp_turn){ .server = s,
		            .session = is_stateless ? NULL : session,
		            .who = who,
		            .peer = peer ? peer : &nobody,
		            .arena = g->arena,
		            .message = &g->message,
		            .params = g->message.params.type ? &g->message.params : NULL,
		            .revision = is_stateless ? AG_MCP_2026_07_28
		                        : session    ? session->revision
		                                     : AG_MCP_2025_11_25,
		            .is_stateless = is_stateless,
		            .ret = ret };
	t->meta = object_of(t->params, "_meta");
	t->draws = t->session ? t->session->draws
	                      : s->o.has_frames && is_stateless &&
	                                ag_mcp_client_draws(object_of(t->meta, AG_MCP_META_CLIENT));
}

void ag_mcp_handle_seen(ag_mcp_server *s, ag_mcp_session *session, const ag_caller *who,
                        const ag_mcp_peer *peer, const ag_mcp_glance *g, ag_mcp_answer *ret)
{
	ag_mcp_turn t;

	start(&t, s, session, who, peer, g, ret);
	if (!g->is_readable)
		ag_mcp_error(&t, g->error_code, AG_S(""), "%s%s%s",
		             g->error_code == AG_RPC_PARSE_ERROR ? "Parse error: "
		                                                 : "Invalid Request: ",
		             g->err.msg, "");
	else if (g->kind == AG_RPC_REQUEST)
		run_request(&t);
	else if (g->kind == AG_RPC_NOTIFICATION)
		run_notification(&t);
	else if (t.session)
		ag_mcp_answered(&t);
}

void ag_mcp_handle_busy(ag_mcp_server *s, ag_mcp_session *session, const ag_caller *who,
                        const ag_mcp_glance *g, ag_mcp_answer *ret)
{
	ag_mcp_turn t;

	start(&t, s, session, who, NULL, g, ret);
	ag_mcp_refuse_busy(&t);
}

void ag_mcp_handle(ag_mcp_server *s, ag_mcp_session *session, const ag_caller *who,
                   const ag_mcp_peer *peer, ag_str message, ag_mcp_answer *ret)
{
	ag_arena *arena = ag_mcp_arena_take(s);
	ag_mcp_glance g;

	ag_mcp_look(s, message, arena, &g);
	ag_mcp_handle_seen(s, session, who, peer, &g, ret);
	ag_mcp_arena_give(s, arena);
}

void ag_mcp_answer_release(ag_mcp_answer *a)
{
	ag_buf_release(&a->text);
	ag_mcp_session_drop(a->opened);
	a->opened = NULL;
}
