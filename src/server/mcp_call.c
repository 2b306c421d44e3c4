/* A call that may send messages before its answer: it runs on a thread of its own, while the connection's thread waits a
 * moment. An answer that comes first is plain JSON, with the status that belongs to it; a message, or time, begins a
 * stream. */
#include <stdlib.h>
#include <time.h>

#include "run/span.h"
#include "server/parts.h"

#define MAX_CALLS   64u /* default */
#define PATIENCE_MS 250 /* for an answer without a stream */

typedef enum state { WAITING, STREAMING, ANSWERED } state;

typedef struct call {
	ag_server *h;
	atomic_uint refs; /* of its thread, and of the connection's while that waits */
	ag_arena *arena;
	ag_mcp_glance glance;
	ag_mcp_session *session; /* the stream's share; NULL = stateless */
	const ag_caller *who;
	ag_server_caller *known;
	ag_server_grant *grant;
	ag_server_stream *stream;
	ag_mcp_peer peer;
	ag_span *span; /* until its thread has the answer; NULL */
	atomic_bool is_gone, is_revoked;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	state state;
	ag_mcp_answer answer; /* in ANSWERED */
} call;

static void drop(call *c)
{
	if (atomic_fetch_sub(&c->refs, 1) > 1)
		return;
	ag_span_end(c->span);
	ag_mcp_answer_release(&c->answer);
	ag_server_caller_drop(c->known);
	ag_server_stream_drop(c->stream);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	ag_arena_free(c->arena);
	free(c);
}

/* --- on the call's thread --- */

static void begin_stream(call *c)
{
	pthread_mutex_lock(&c->lock);
	if (c->state == WAITING) {
		c->state = STREAMING;
		pthread_cond_signal(&c->changed);
	}
	pthread_mutex_unlock(&c->lock);
}

static bool peer_send(void *self, ag_str message)
{
	call *c = (call *)self;

	begin_stream(c);
	return ag_server_stream_send(c->stream, message);
}

static bool peer_let_go(void *self)
{
	call *c = (call *)self;

	if (!ag_server_stream_let_go(c->stream))
		return false;
	begin_stream(c);
	return true;
}

/* The client of a stateless call ends it by leaving. */
static void left(void *arg)
{
	call *c = (call *)arg;

	atomic_store(&c->is_gone, true);
	ag_mcp_gone(c->h->mcp, &c->peer);
}

/* The token is good no more: neither is what it asked for. */
static void revoked(void *arg)
{
	call *c = (call *)arg;

	atomic_store(&c->is_revoked, true);
	ag_mcp_gone(c->h->mcp, &c->peer);
	ag_server_stream_end(c->stream);
}

static void give_answer(call *c, ag_mcp_answer *a)
{
	bool is_plain;

	pthread_mutex_lock(&c->lock);
	is_plain = c->state == WAITING;
	if (is_plain) {
		c->state = ANSWERED;
		c->answer = *a;
		pthread_cond_signal(&c->changed);
	}
	pthread_mutex_unlock(&c->lock);
	if (is_plain)
		return;
	if (a->text.len && !atomic_load(&c->is_revoked))
		ag_server_stream_send(c->stream, ag_buf_view(&a->text));
	ag_mcp_answer_release(a);
}

/* The thread ends. Each joins the one that ended before it, and ag_server_mcp_calls_wait() the last. */
static void leave(ag_server *h)
{
	pthread_t before;
	bool has_before;

	pthread_mutex_lock(&h->streams_lock);
	before = h->last_call;
	has_before = h->has_last_call;
	h->last_call = pthread_self();
	h->has_last_call = true;
	h->ncall--;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->streams_lock);
	if (has_before)
		pthread_join(before, NULL);
}

static void *run(void *arg)
{
	call *c = (call *)arg;
	ag_server *h = c->h;
	ag_mcp_answer a;

	ag_mcp_handle_seen(h->mcp, c->session, c->who, &c->peer, &c->glance, &a);
	ag_span_end(c->span);
	c->span = NULL;
	ag_server_grant_end(h, c->grant);
	give_answer(c, &a);
	ag_server_stream_end(c->stream);
	drop(c);
	leave(h);
	return NULL;
}

/* --- on the connection's thread --- */

static call *call_new(ag_server *h, const ag_httpd_request *rq, const ag_caller *who,
                      ag_mcp_session *session)
{
	call *c = (call *)ag_xcalloc(1, sizeof(*c));
	pthread_condattr_t attr;

	c->h = h;
	atomic_init(&c->refs, 2);
	c->arena = ag_arena_new();
	/* The request's memory goes when its reply begins; the call's does not. */
	ag_mcp_look(h->mcp, ag_str_dup(c->arena, rq->body), c->arena, &c->glance);
	c->session = session;
	c->who = who;
	c->known = ag_server_caller_ref(rq);
	c->stream = ag_server_stream_new(
		h, &(ag_server_stream_opts){ .session = session, .on_left = left, .arg = c });
	c->span = ag_span_begin(ag_server_span(rq), NULL, AG_SPAN_INTERNAL, AG_S("mcp call"));
	c->peer = (ag_mcp_peer){ .send = peer_send,
		                 .span = c->span,
		                 .self = c,
		                 .let_go = peer_let_go,
		                 .watch_fd = -1,
		                 .is_gone = session ? NULL : &c->is_gone };
	pthread_mutex_init(&c->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->changed, &attr);
	pthread_condattr_destroy(&attr);
	return c;
}

static bool take_place(ag_server *h)
{
	const unsigned max = h->opts.max_streams ? h->opts.max_streams : MAX_CALLS;
	bool ok;

	pthread_mutex_lock(&h->streams_lock);
	ok = h->ncall < max;
	h->ncall += ok;
	pthread_mutex_unlock(&h->streams_lock);
	return ok;
}

static void give_place_back(ag_server *h)
{
	pthread_mutex_lock(&h->streams_lock);
	h->ncall--;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->streams_lock);
}

static bool start(call *c)
{
	pthread_attr_t attr;
	pthread_t t;
	bool ok;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, AG_HTTPD_STACK_BYTES);
	ok = pthread_create(&t, &attr, run, c) == 0;
	pthread_attr_destroy(&attr);
	return ok;
}

/* True: the answer is there, and nothing came before it. */
static bool wait_for_answer(call *c)
{
	struct timespec at;
	bool is_answered;
	int rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_nsec += PATIENCE_MS * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_sec++;
		at.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&c->lock);
	while (c->state == WAITING && rc == 0)
		rc = pthread_cond_timedwait(&c->changed, &c->lock, &at);
	if (c->state == WAITING)
		c->state = STREAMING;
	is_answered = c->state == ANSWERED;
	pthread_mutex_unlock(&c->lock);
	return is_answered;
}

static void refuse(ag_httpd_reply *rp, ag_str id, const char *words)
{
	ag_server_mcp_refuse(rp, 503, AG_RPC_INTERNAL_ERROR, id, words);
	rp->retry_after_s = 1;
}

void ag_server_mcp_call(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                        const ag_caller *who, ag_mcp_session *session)
{
	call *c;

	if (!take_place(h)) {
		ag_mcp_session_drop(session);
		refuse(rp, AG_S("null"), "too many calls are answered as streams; try again");
		return;
	}
	c = call_new(h, rq, who, session);
	c->grant = ag_server_grant_new(h, c->known, revoked, c);
	if (!start(c)) {
		ag_server_grant_end(h, c->grant);
		ag_server_stream_end(c->stream);
		atomic_store(&c->refs, 1); /* there is no thread that has one */
		give_place_back(h);
		refuse(rp, AG_S("null"), "no thread for the call; try again");
	} else if (wait_for_answer(c)) {
		if (atomic_load(&c->is_revoked))
			ag_server_revoked(h, rq, rp);
		else
			ag_server_mcp_answer(rp, rq->arena, &c->answer);
	} else {
		ag_server_stream_read(c->stream, 0, rp);
	}
	drop(c);
}

void ag_server_mcp_calls_wait(ag_server *h)
{
	pthread_t last;
	bool has_last;

	pthread_mutex_lock(&h->streams_lock);
	while (h->ncall)
		pthread_cond_wait(&h->changed, &h->streams_lock);
	has_last = h->has_last_call;
	last = h->last_call;
	h->has_last_call = false;
	pthread_mutex_unlock(&h->streams_lock);
	if (has_last)
		pthread_join(last, NULL);
}
