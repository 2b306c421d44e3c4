/* requests -- calls under way: they are counted, found again to be cancelled, and wait here for a client's answer.
 *
 * A request lives on the stack of its thread, in a list of its session, or of its caller where there is no session. It
 * leaves the list before it is answered, so a cancel that comes later finds nothing and an answer is never followed by
 * its cancel. */
#include "base/cond.h"
#include "mcp/parts.h"

#include <inttypes.h>

#include "base/utf8.h"

#define WAIT_SLICE_MS \
	250 /* how soon a process's cancel flag and a peer that is gone are seen by who waits */

void ag_mcp_calls_init(ag_mcp_calls *c)
{
	pthread_mutex_init(&c->lock, NULL);
	c->head = NULL;
}

void ag_mcp_calls_release(ag_mcp_calls *c)
{
	AG_ASSERT(!c->head);
	pthread_mutex_destroy(&c->lock);
}

ag_mcp_calls *ag_mcp_calls_of(ag_mcp_server *s, ag_mcp_session *session, const ag_caller *who)
{
	unsigned h = 0;

	if (session)
		return &session->calls;
	for (size_t i = 0; i < who->token.len; i++)
		h = h * 31 + (unsigned char)who->token.ptr[i];
	for (size_t i = 0; i < who->user.len; i++)
		h = h * 31 + (unsigned char)who->user.ptr[i];
	return &s->callers[h % AG_MCP_CALLER_BUCKETS];
}

static bool is_same_caller(const ag_caller *a, const ag_caller *b)
{
	return a == b || (ag_str_eq(a->user, b->user) && ag_str_eq(a->token, b->token));
}

/* With the lock. */
static void cancel(ag_mcp_request *rq, ag_mcp_why why)
{
	if (rq->why == AG_MCP_RUNS)
		rq->why = why;
	atomic_store(&rq->cancel, true);
	pthread_cond_broadcast(&rq->changed);
}

void ag_mcp_calls_cancel(ag_mcp_calls *c, ag_mcp_why why)
{
	pthread_mutex_lock(&c->lock);
	for (ag_mcp_request *rq = c->head; rq; rq = rq->next)
		cancel(rq, why);
	pthread_mutex_unlock(&c->lock);
}

bool ag_mcp_calls_any(ag_mcp_calls *c)
{
	bool any;

	pthread_mutex_lock(&c->lock);
	any = c->head != NULL;
	pthread_mutex_unlock(&c->lock);
	return any;
}

/* --- begin, end --- */

static bool is_gone(const ag_mcp_peer *p)
{
	return p->is_gone && atomic_load(p->is_gone);
}

static bool is_stopping(const ag_mcp_server *s)
{
	return atomic_load(&s->is_stopped) || (s->o.cancel && atomic_load(s->o.cancel));
}

void ag_mcp_refuse_busy(ag_mcp_turn *t)
{
	const ag_str words = ag_str_printf(
		t->arena,
		"%u calls are under way, which is the limit: wait until one of them is answered",
		t->server->o.max_calls);

	if (ag_str_eq(t->message->method, AG_S("tools/call")))
		ag_mcp_tool_failed(t, words);
	else
		ag_mcp_error(t, AG_RPC_INTERNAL_ERROR, AG_S(""), "%.*s", AG_FMT(words));
}

/* Requests of no session share an id when they come over connections of their own: there only one peer's must differ. */
static bool is_taken(const ag_mcp_turn *t, const ag_mcp_request *other)
{
	return ag_str_eq(other->id, t->message->id) && (t->session || other->peer == t->peer);
}

bool ag_mcp_request_begin(ag_mcp_turn *t, ag_mcp_request *rq)
{
	ag_mcp_calls *c = ag_mcp_calls_of(t->server, t->session, t->who);
	unsigned n = 0;
	bool is_double = false, is_in;

	*rq = (ag_mcp_request){ .id = t->message->id,
		                .who = t->who,
		                .peer = t->peer,
		                .arena = t->arena,
		                .log_level = AG_MCP_LOG_OFF };
	ag_cond_init(&rq->changed);
	if (is_stopping(t->server) || (t->session && atomic_load(&t->session->is_ended))) {
		ag_mcp_error(t, AG_RPC_INTERNAL_ERROR, AG_S(""), "the %s ends",
		             is_stopping(t->server) ? "server" : "session");
		return false;
	}
	pthread_mutex_lock(&c->lock);
	for (const ag_mcp_request *o = c->head; o; o = o->next) {
		n += t->session || is_same_caller(o->who, t->who);
		is_double = is_double || is_taken(t, o);
	}
	is_in = !is_double && n < t->server->o.max_calls;
	if (is_in) {
		rq->next = c->head;
		rq->prev = &c->head;
		if (c->head)
			c->head->prev = &rq->next;
		c->head = rq;
	}
	pthread_mutex_unlock(&c->lock);
	if (is_in)
		return true;
	if (is_double)
		ag_mcp_error(t, AG_RPC_INVALID_REQUEST, AG_S(""),
		             "a request with this id is under way");
	else
		ag_mcp_refuse_busy(t);
	return false;
}

bool ag_mcp_request_end(ag_mcp_turn *t, ag_mcp_request *rq)
{
	ag_mcp_calls *c = ag_mcp_calls_of(t->server, t->session, t->who);

	pthread_mutex_lock(&c->lock);
	*rq->prev = rq->next;
	if (rq->next)
		rq->next->prev = rq->prev;
	pthread_mutex_unlock(&c->lock);
	pthread_cond_destroy(&rq->changed);
	if (t->session) /* a long call is no idle time */
		atomic_store(&t->session->used_ms, ag_clock_mono(t->server->o.clock));
	if (rq->why == AG_MCP_BY_CLIENT || is_gone(t->peer)) {
		ag_buf_clear(&t->ret->text);
		t->ret->outcome = AG_MCP_ACCEPTED;
		return false;
	}
	if (rq->why == AG_MCP_BY_SERVER) {
		ag_mcp_error(t, AG_RPC_INTERNAL_ERROR, AG_S(""), "cancelled: the %s ends",
		             is_stopping(t->server) ? "server" : "session");
		return false;
	}
	return true;
}

/* --- cancelled from outside --- */

void ag_mcp_cancelled(ag_mcp_turn *t)
{
	ag_mcp_calls *c = ag_mcp_calls_of(t->server, t->session, t->who);
	const ag_val *id = t->params ? ag_val_getc(t->params, "requestId") : NULL;
	ag_buf text = AG_BUF_INIT(8 * AG_RPC_MAX_ID);
	ag_str wanted;

	if (!id || (id->type != AG_T_STRING && id->type != AG_T_INT32 && id->type != AG_T_INT64))
		return;
	if (id->type == AG_T_STRING)
		ag_json_quote(&text, ag_val_text(id));
	else
		ag_buf_addf(&text, "%" PRId64, id->u.i);
	wanted = ag_buf_view(&text);
	pthread_mutex_lock(&c->lock);
	for (ag_mcp_request *rq = c->head; rq; rq = rq->next)
		if (ag_str_eq(rq->id, wanted) && (t->session || rq->peer == t->peer))
			cancel(rq, AG_MCP_BY_CLIENT);
	pthread_mutex_unlock(&c->lock);
	ag_buf_release(&text);
}

static void cancel_of_peer(ag_mcp_calls *c, const ag_mcp_peer *peer)
{
	pthread_mutex_lock(&c->lock);
	for (ag_mcp_request *rq = c->head; rq; rq = rq->next)
		if (rq->peer == peer)
			cancel(rq, AG_MCP_BY_CLIENT);
	pthread_mutex_unlock(&c->lock);
}

void ag_mcp_gone(ag_mcp_server *s, const ag_mcp_peer *peer)
{
	ag_arena *arena = ag_mcp_arena_take(s);
	ag_mcp_session **sessions;
	size_t n;

	for (size_t i = 0; i < AG_MCP_CALLER_BUCKETS; i++)
		cancel_of_peer(&s->callers[i], peer);
	ag_mcp_sessions(s, arena, &sessions, &n);
	for (size_t i = 0; i < n; i++) {
		cancel_of_peer(&sessions[i]->calls, peer);
		ag_mcp_session_drop(sessions[i]);
	}
	ag_mcp_arena_give(s, arena);
}

void ag_mcp_server_stop(ag_mcp_server *s)
{
	ag_arena *arena = ag_mcp_arena_take(s);
	ag_mcp_session **sessions;
	size_t n;

	atomic_store(&s->is_stopped, true);
	for (size_t i = 0; i < AG_MCP_CALLER_BUCKETS; i++)
		ag_mcp_calls_cancel(&s->callers[i], AG_MCP_BY_SERVER);
	ag_mcp_sessions(s, arena, &sessions, &n);
	for (size_t i = 0; i < n; i++) {
		ag_mcp_session_end(s, sessions[i]);
		ag_mcp_session_drop(sessions[i]);
	}
	ag_mcp_arena_give(s, arena);
}

/* --- questions to the client, in a session --- */

bool ag_mcp_send(const ag_mcp_peer *p, ag_str message)
{
	return p->send && !is_gone(p) && p->send(p->self, message);
}

void ag_mcp_request_wait(ag_mcp_calls *c, ag_mcp_request *rq, int64_t ms)
{
	ag_cond_wait_ms(&rq->changed, &c->lock, ms < WAIT_SLICE_MS ? ms : WAIT_SLICE_MS);
}

void ag_mcp_answered(ag_mcp_turn *t)
{
	ag_str id = t->message->id;
	uint64_t n;

	if (id.len < 9 || !ag_str_starts(id, AG_S("\"argus-")) ||
	    !ag_str_to_u64(ag_str_make(id.ptr + 7, id.len - 8), &n) || !n)
		return;
	pthread_mutex_lock(&t->session->calls.lock);
	for (ag_mcp_request *rq = t->session->calls.head; rq; rq = rq->next) {
		if (rq->asked != n || rq->has_answer)
			continue;
		/* Its thread waits for this lock: nobody else uses its arena now. */
		rq->answer = ag_val_dup(rq->arena, &t->message->result);
		rq->answer_is_error = t->message->kind == AG_RPC_ERROR;
		rq->has_answer = true;
		pthread_cond_broadcast(&rq->changed);
	}
	pthread_mutex_unlock(&t->session->calls.lock);
}

static ag_status wait_for_answer(ag_mcp_call *c, ag_err *err)
{
	ag_mcp_calls *calls = &c->session->calls;
	ag_mcp_request *rq = c->request;
	ag_status st = AG_OK;

	pthread_mutex_lock(&calls->lock);
	while (!rq->has_answer && !st) {
		const int64_t left = ag_ctx_left_ms(&c->base.ctx);

		if (is_gone(c->peer) || is_stopping(c->server))
			cancel(rq, is_gone(c->peer) ? AG_MCP_BY_CLIENT : AG_MCP_BY_SERVER);
		st = ag_ctx_check(&c->base.ctx, err);
		if (!st)
			ag_mcp_request_wait(calls, rq, left < 0 ? WAIT_SLICE_MS : left + 1);
	}
	rq->asked = 0;
	pthread_mutex_unlock(&calls->lock);
	return rq->has_answer ? AG_OK : st;
}

/* The client need not go on with what nobody waits for. */
static void take_back(ag_mcp_call *c, ag_str id)
{
	ag_buf params = AG_BUF_INIT(512), out = AG_BUF_INIT(1024);

	ag_buf_addf(&params, "{\"requestId\":%.*s}", AG_FMT(id));
	ag_rpc_write_notification(&out, "notifications/cancelled", ag_buf_view(&params));
	ag_mcp_send(c->peer, ag_buf_view(&out));
	ag_buf_release(&params);
	ag_buf_release(&out);
}

static ag_status ask_in_session(ag_mcp_call *c, const char *method, ag_str params, ag_val *ret,
                                ag_err *err)
{
	ag_buf out = AG_BUF_INIT(AG_RPC_MAX_MESSAGE);
	ag_mcp_request *rq = c->request;
	const uint64_t n = atomic_fetch_add(&c->session->next_question, 1);
	const ag_str id = ag_str_printf(c->base.arena, "\"argus-%" PRIu64 "\"", n);
	ag_status st;
	bool was_sent;

	pthread_mutex_lock(&c->session->calls.lock);
	rq->asked = n;
	rq->has_answer = false;
	pthread_mutex_unlock(&c->session->calls.lock);
	ag_rpc_write_request(&out, id, method, params);
	was_sent = !out.failed && ag_mcp_send(c->peer, ag_buf_view(&out));
	ag_buf_release(&out);
	if (!was_sent)
		return ag_fail(err, AG_UNAVAILABLE, "mcp.requests",
		               "the client cannot be asked: nothing carries %s to it", method);
	st = wait_for_answer(c, err);
	if (st) {
		take_back(c, id);
		return st;
	}
	if (rq->answer_is_error)
		return ag_fail(err, AG_PROTOCOL, "mcp.requests",
		               "the client answered %s with an error: %.*s", method,
		               AG_FMT(ag_utf8_prefix(ag_val_member_str(&rq->answer, "message"),
		                                     200)));
	*ret = rq->answer;
	return AG_OK;
}

static ag_status ask_by_result(ag_mcp_call *c, const char *method, ag_str params, ag_val *ret,
                               ag_err *err)
{
	const ag_str key = ag_str_printf(c->base.arena, "question-%u", ++c->request->nask);
	const ag_val *answer = ag_mcp_input(c, key);

	if (answer) {
		*ret = *answer;
		return AG_OK;
	}
	if (!ag_mcp_want(c, key, method, params))
		return ag_fail(err, AG_UNAVAILABLE, "mcp.requests",
		               "the client cannot be asked: it declared no such capability");
	return ag_fail(err, AG_UNAVAILABLE, "mcp.requests", "the client is asked first");
}

ag_status ag_mcp_ask(ag_call *call, const char *method, ag_str params, ag_val *ret, ag_err *err)
{
	ag_mcp_call *c = ag_mcp_call_of(call);
	const ag_mcp_request *rq = c->request;
	const bool can = strcmp(method, "sampling/createMessage") == 0 ? rq->can_sample
	                 : strcmp(method, "elicitation/create") == 0   ? rq->can_elicit
	                 : strcmp(method, "roots/list") == 0           ? rq->can_list_roots
	                                                               : true;

	if (!c->session)
		return ask_by_result(c, method, params, ret, err);
	if (!can)
		return ag_fail(err, AG_UNAVAILABLE, "mcp.requests",
		               "the client cannot be asked: it did not declare what %s needs",
		               method);
	return ask_in_session(c, method, params, ret, err);
}
