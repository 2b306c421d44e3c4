/* notify -- what a client is told without having asked: progress, log, changed resources. */
#include "mcp/parts.h"

#define PROGRESS_GAP_MS 10 /* faster reports of one call are left out, save the last */

/* In the order of severity (RFC 5424). */
static const char *const levels[] = { "debug", "info",     "notice", "warning",
	                              "error", "critical", "alert",  "emergency" };

int ag_mcp_level_read(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(levels); i++)
		if (ag_str_eqc(name, levels[i]))
			return (int)i;
	return -1;
}

void ag_mcp_set_level(ag_mcp_turn *t)
{
	ag_str name;
	int level;

	if (!ag_mcp_text_of(t, "level", &name))
		return;
	level = ag_mcp_level_read(name);
	if (level < 0) {
		ag_mcp_error(
			t, AG_RPC_INVALID_PARAMS, AG_S(""),
			"params.level: want one of debug, info, notice, warning, error, critical, "
			"alert, emergency");
		return;
	}
	atomic_store(&t->session->log_level, level);
	ag_mcp_result_object(t, AG_S("{}"));
}

/* {"jsonrpc":"2.0","method":…,"params":{ is open in w, until finish(). */
static void begin(ag_buf *out, ag_jw *w, const char *method)
{
	ag_jw_init(w, out, 0);
	ag_jw_obj(w);
	ag_jw_kstr(w, "jsonrpc", AG_S("2.0"));
	ag_jw_kstr(w, "method", ag_str_c(method));
	ag_jw_kkey(w, "params");
	ag_jw_obj(w);
}

static void finish(ag_jw *w)
{
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
}

void ag_mcp_progress(ag_call *call, double done, double total, ag_str message)
{
	const ag_mcp_call *c = ag_mcp_call_of(call);
	ag_mcp_request *rq = c->request;
	const int64_t now = ag_clock_mono(call->ctx.clock);
	const bool is_first = rq->last_progress_ms == 0;
	ag_buf out = AG_BUF_INIT(64 * 1024);
	ag_jw w;

	if (!rq->progress_token.len || !c->peer->send || done != done)
		return;
	if (!is_first && (done <= rq->last_progress ||
	                  (done < total && now - rq->last_progress_ms < PROGRESS_GAP_MS)))
		return;
	rq->last_progress = done;
	rq->last_progress_ms = now ? now : 1;
	begin(&out, &w, "notifications/progress");
	ag_jw_kraw(&w, "progressToken", rq->progress_token);
	ag_jw_kdouble(&w, "progress", done);
	if (total > 0)
		ag_jw_kdouble(&w, "total", total);
	if (message.len && c->revision >= AG_MCP_2025_03_26)
		ag_jw_kstr(&w, "message", message);
	finish(&w);
	if (!out.failed)
		ag_mcp_send(c->peer, ag_buf_view(&out));
	ag_buf_release(&out);
}

void ag_mcp_log(ag_call *call, const char *level, const char *logger, ag_str data)
{
	const ag_mcp_call *c = ag_mcp_call_of(call);
	const int n = ag_mcp_level_read(ag_str_c(level));
	ag_buf out = AG_BUF_INIT(1u << 20);
	ag_jw w;

	AG_ASSERT(n >= 0);
	if (n < c->request->log_level)
		return;
	begin(&out, &w, "notifications/message");
	ag_jw_kstr(&w, "level", ag_str_c(level));
	if (logger)
		ag_jw_kstr(&w, "logger", ag_str_c(logger));
	ag_jw_kraw(&w, "data", data);
	finish(&w);
	if (!out.failed && c->peer->send) {
		ag_mcp_send(c->peer, ag_buf_view(&out));
	} else if (!out.failed && c->session) {
		/* The answer is no stream: the session's own takes it, if there is one. */
		pthread_mutex_lock(&c->session->listen_lock);
		if (c->session->listener)
			ag_mcp_send(c->session->listener, ag_buf_view(&out));
		pthread_mutex_unlock(&c->session->listen_lock);
	}
	ag_buf_release(&out);
}

/* --- resources --- */

static void write_updated(ag_buf *out, ag_str uri, ag_str subscription)
{
	ag_jw w;

	begin(out, &w, "notifications/resources/updated");
	ag_jw_kstr(&w, "uri", uri);
	if (subscription.len) {
		ag_jw_kkey(&w, "_meta");
		ag_jw_obj(&w);
		ag_jw_kraw(&w, AG_MCP_META_SUBSCRIBED, subscription);
		ag_jw_obj_end(&w);
	}
	finish(&w);
}

static void tell_session(ag_mcp_session *one, ag_str uri)
{
	ag_buf out = AG_BUF_INIT(64 * 1024);
	bool is_wanted = false;

	pthread_mutex_lock(&one->listen_lock);
	for (size_t i = 0; i < one->nsubscribed && !is_wanted; i++)
		is_wanted = ag_str_eqc(uri, one->subscribed[i]);
	if (is_wanted && one->listener) {
		write_updated(&out, uri, AG_S(""));
		ag_mcp_send(one->listener, ag_buf_view(&out));
	}
	pthread_mutex_unlock(&one->listen_lock);
	ag_buf_release(&out);
}

static void tell_listen(const ag_mcp_listen *l, ag_str uri)
{
	ag_buf out = AG_BUF_INIT(64 * 1024);

	for (size_t i = 0; i < l->nuri; i++) {
		if (!ag_str_eq(l->uris[i], uri))
			continue;
		write_updated(&out, uri, l->request->id);
		ag_mcp_send(l->request->peer, ag_buf_view(&out));
		break;
	}
	ag_buf_release(&out);
}

void ag_mcp_resource_updated(ag_mcp_server *s, ag_str uri)
{
	ag_arena *arena = ag_mcp_arena_take(s);
	ag_mcp_session **sessions;
	size_t n;

	ag_mcp_sessions(s, arena, &sessions, &n);
	for (size_t i = 0; i < n; i++) {
		tell_session(sessions[i], uri);
		ag_mcp_session_drop(sessions[i]);
	}
	pthread_mutex_lock(&s->listen_lock);
	for (const ag_mcp_listen *l = s->listens; l; l = l->next)
		tell_listen(l, uri);
	pthread_mutex_unlock(&s->listen_lock);
	ag_mcp_arena_give(s, arena);
}

/* --- subscriptions/listen: a request that lasts --- */

/* The resources that are asked for. False: t has the error. */
static bool read_filter(ag_mcp_turn *t, ag_mcp_listen *ret)
{
	const ag_val *filter = t->params ? ag_val_getc(t->params, "notifications") : NULL;
	const ag_val *uris;
	ag_str *list;

	if (!filter || filter->type != AG_T_OBJECT) {
		ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""),
		             "params.notifications: want an object");
		return false;
	}
	uris = ag_val_getc(filter, "resourceSubscriptions");
	if (!uris)
		return true;
	if (uris->type != AG_T_ARRAY || uris->n > AG_MCP_MAX_SUBSCRIBED) {
		ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""),
		             "params.notifications.resourceSubscriptions: want at most %u URIs",
		             AG_MCP_MAX_SUBSCRIBED);
		return false;
	}
	list = ag_new_n(t->arena, ag_str, uris->n ? uris->n : 1);
	for (uint32_t i = 0; i < uris->n; i++) {
		if (uris->u.items[i].type != AG_T_STRING || uris->u.items[i].n > AG_MCP_MAX_URI) {
			ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""),
			             "params.notifications.resourceSubscriptions[%u]: want a URI",
			             i);
			return false;
		}
		list[i] = ag_val_text(&uris->u.items[i]);
	}
	ret->uris = list;
	ret->nuri = uris->n;
	return true;
}

/* With listen_lock, before the list knows it: nothing may come before this. */
static bool acknowledge(const ag_mcp_turn *t, const ag_mcp_listen *l)
{
	ag_buf out = AG_BUF_INIT(1u << 20);
	bool ok;
	ag_jw w;

	begin(&out, &w, "notifications/subscriptions/acknowledged");
	ag_jw_kkey(&w, "_meta");
	ag_jw_obj(&w);
	ag_jw_kraw(&w, AG_MCP_META_SUBSCRIBED, t->message->id);
	ag_jw_obj_end(&w);
	ag_jw_kkey(&w, "notifications");
	ag_jw_obj(&w);
	if (l->nuri) {
		ag_jw_kkey(&w, "resourceSubscriptions");
		ag_jw_arr(&w);
		for (size_t i = 0; i < l->nuri; i++)
			ag_jw_str(&w, l->uris[i]);
		ag_jw_arr_end(&w);
	}
	ag_jw_obj_end(&w);
	finish(&w);
	ok = ag_mcp_send(t->peer, ag_buf_view(&out));
	ag_buf_release(&out);
	return ok;
}

static void unlist(ag_mcp_server *s, const ag_mcp_listen *l)
{
	pthread_mutex_lock(&s->listen_lock);
	for (ag_mcp_listen **p = &s->listens; *p; p = &(*p)->next)
		if (*p == l) {
			*p = l->next;
			break;
		}
	pthread_mutex_unlock(&s->listen_lock);
}

static void wait_for_end(ag_mcp_turn *t, ag_mcp_request *rq)
{
	ag_mcp_calls *c = ag_mcp_calls_of(t->server, t->session, t->who);
	const atomic_bool *stop = t->server->o.cancel;

	pthread_mutex_lock(&c->lock);
	while (!atomic_load(&rq->cancel)) {
		if ((stop && atomic_load(stop)) ||
		    (t->peer->is_gone && atomic_load(t->peer->is_gone)))
			atomic_store(&rq->cancel, true);
		else
			ag_mcp_request_wait(c, rq, 1000);
	}
	pthread_mutex_unlock(&c->lock);
}

void ag_mcp_listen_run(ag_mcp_turn *t)
{
	ag_mcp_server *s = t->server;
	ag_mcp_listen l = { 0 };
	ag_mcp_request rq;
	bool ok;
	ag_jw w;

	if (!s->can_subscribe) {
		ag_mcp_error(t, AG_RPC_METHOD_NOT_FOUND, AG_S(""),
		             "Method not found: this server has nothing that it could tell");
		return;
	}
	if (!read_filter(t, &l) || !ag_mcp_request_begin(t, &rq))
		return;
	l.request = &rq;
	pthread_mutex_lock(&s->listen_lock);
	ok = acknowledge(t, &l);
	if (ok) {
		l.next = s->listens;
		s->listens = &l;
	}
	pthread_mutex_unlock(&s->listen_lock);
	if (ok) {
		wait_for_end(t, &rq);
		unlist(s, &l);
	}
	/* Ended by the server: that is this request's result, and no error. */
	if (!ag_mcp_request_end(t, &rq) && rq.why == AG_MCP_BY_CLIENT)
		return;
	ag_buf_clear(&t->ret->text);
	t->ret->rpc_error = 0;
	t->is_stateless =
		false; /* the members of a result come by hand: _meta names the subscription */
	ag_mcp_result_begin(t, &w);
	ag_jw_kstr(&w, "resultType", AG_S("complete"));
	ag_jw_kkey(&w, "_meta");
	ag_jw_obj(&w);
	ag_jw_kraw(&w, AG_MCP_META_SUBSCRIBED, t->message->id);
	ag_jw_obj_end(&w);
	ag_mcp_result_end(t, &w);
}
