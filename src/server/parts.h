/* parts -- what the files of the server share.
 *
 * Locks, from the outside in: a session's own (mcp/parts.h), streams_lock, a stream's lock, the HTTP server's. */
#ifndef AG_SERVER_PARTS_H
#define AG_SERVER_PARTS_H

#include <pthread.h>

#include "http/route.h"
#include "server/access_log.h"
#include "server/access_rules.h"
#include "server/mcp_headers.h"
#include "server/server.h"

#define AG_SERVER_CALLERS    256u /* tokens that are remembered */
#define AG_SERVER_WELL_KNOWN "/.well-known/oauth-protected-resource"

typedef struct ag_server_caller ag_server_caller;
typedef struct ag_server_stream ag_server_stream;
typedef struct ag_server_grant ag_server_grant;
typedef struct ag_server_rates ag_server_rates;

struct ag_server {
	ag_server_opts opts; /* copies in arena */
	ag_mcp_server *mcp;
	ag_httpd *httpd;
	ag_arena *arena;

	pthread_mutex_t callers_lock, store_lock;
	ag_server_caller *callers[AG_SERVER_CALLERS];

	pthread_mutex_t grants_lock; /* of the list; streams_lock and others may be taken within */
	ag_server_grant *grants;     /* what goes on under a token */
	pthread_mutex_t watch_lock;
	pthread_cond_t watch_wake;
	pthread_t watch;
	bool has_watch, is_stopped;

	pthread_mutex_t streams_lock; /* of the list */
	pthread_cond_t changed;       /* a call ended; with streams_lock */
	ag_server_stream *streams;
	uint64_t last_stream;
	unsigned ncall;      /* calls on threads of their own */
	pthread_t last_call; /* of those threads that have ended, the last */
	bool has_last_call;  /* it must be joined */

	/* Limits of people: a reader takes the pointer once. Those before stay until the server ends. */
	_Atomic(const ag_server_people *) people;
	_Atomic(ag_access_log *) log;      /* NULL = none */
	atomic_uint nsigning;              /* requests that wait for the issuer (oidc.c) */
	atomic_uint nreading;              /* requests that read whole collections (audits.h) */
	ag_server_rates *rates;            /* limits.c; NULL = no limits */
	struct ag_server_chat_state *chat; /* chat.h; NULL = no conversations are served */
	struct ag_server_ask_state *ask;   /* asks.h; NULL = no questions about files */
};

/* --- routes.c --- */

extern const ag_http_route ag_server_routes[];
extern const size_t ag_server_nroute;
/* For the HTTP server: before the body, and with it. */
bool ag_server_admit(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_handle(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- server.c --- */

/* Limits of people; NULL = there are none. */
const ag_server_people *ag_server_people_of(const ag_server *h);

/* --- once.c --- */

/* Runs the route of a request with an Idempotency-Key, unless it was done before. */
void ag_server_run_once(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_str key);

/* --- served.c --- */

/* The request's span begins, in the trace that its traceparent names. */
void ag_server_trace(ag_httpd_request *rq);
/* It, until the reply is out; NULL = nobody traces. */
const struct ag_span *ag_server_span(const ag_httpd_request *rq);
/* For the HTTP server: a line of the access log, and the end of the span. */
void ag_server_served(void *arg, const ag_httpd_request *rq, const ag_httpd_reply *rp,
                      const ag_httpd_served *s);

/* --- access.c --- */

/* By its Host and its Origin. False: rp says 403, or answers a preflight. */
bool ag_server_may_come(const ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- auth.c --- */

/* Who makes the request, and is the scope of the route ("" = any that is of use here) within what he may do? Kept with the
 * request. False: rp says 401, 403 or 503. */
bool ag_server_may_ask(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, const char *scope);
/* Who makes a request that was admitted; lives as long as the request. */
const ag_caller *ag_server_who(const ag_server *h, const ag_httpd_request *rq);
/* The caller of a share; NULL: of requests without a token. */
const ag_caller *ag_server_caller_who(const ag_server *h, const ag_server_caller *k);
/* A share of a caller, for longer than its request. */
ag_server_caller *ag_server_caller_ref(const ag_httpd_request *rq);
void ag_server_caller_drop(ag_server_caller *k); /* accepts NULL */
void ag_server_callers_free(ag_server *h);
/* From now on revoked() is called once, from another thread, when the token is revoked or expires. It must neither wait nor
 * begin or end a grant. NULL for callers without a token. */
ag_server_grant *ag_server_grant_new(ag_server *h, ag_server_caller *known,
                                     void (*revoked)(void *arg), void *arg);
void ag_server_grant_end(ag_server *h, ag_server_grant *g); /* accepts NULL */
/* The reply to a call whose token was revoked while it ran: 401, without an answer. */
void ag_server_revoked(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp);
bool ag_server_grants_start(ag_server *h);
void ag_server_grants_stop(ag_server *h);
void ag_server_metadata(void *env, ag_httpd_request *rq, ag_httpd_reply *rp); /* a route */

/* "https://argus.example.com": the server as its clients know it. */
ag_str ag_server_own_origin(ag_server *h, ag_httpd_request *rq);
/* Sends, or ends, the cookie of a session. */
void ag_server_set_session(const ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                           ag_str token);

/* --- limits.c --- */

ag_server_rates *ag_server_rates_new(void);
void ag_server_rates_free(ag_server_rates *r); /* accepts NULL */
/* A request more of this caller, NULL = of nobody in particular. False: rp says 429. */
bool ag_server_may_ask_more(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                            const ag_caller *who);
/* The client's address; behind a proxy that is believed, as that says. */
ag_str ag_server_peer(const ag_server *h, const ag_httpd_request *rq);
/* 429: for so long nothing is taken. */
void ag_server_too_many(const ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                        uint64_t limit, int64_t wait_ms, const char *detail);

/* --- mcp_post.c --- */

void ag_server_mcp_post(void *env, ag_httpd_request *rq, ag_httpd_reply *rp); /* a route */
/* A JSON-RPC error that no message was reached by: id null. */
void ag_server_mcp_refuse(ag_httpd_reply *rp, int status, int code, ag_str id, const char *message);
/* The session that the request names. NULL: rp says 400 or 404. */
ag_mcp_session *ag_server_mcp_session(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                                      const ag_caller *who);
/* The request's MCP-Protocol-Version: is it of the stateless era? False: it is unknown, rp says 400. */
bool ag_server_mcp_version(ag_httpd_request *rq, ag_httpd_reply *rp, bool *ret_is_stateless);
/* The answer as a whole reply; released. */
void ag_server_mcp_answer(ag_httpd_reply *rp, ag_arena *arena, ag_mcp_answer *a);

/* --- mcp_call.c: a call that may send messages before its answer --- */

/* session: a share, taken over; NULL = stateless. */
void ag_server_mcp_call(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                        const ag_caller *who, ag_mcp_session *session);
/* Waits until no call is left, and none of their threads. */
void ag_server_mcp_calls_wait(ag_server *h);

/* --- mcp_get.c --- */

/* Routes. */
void ag_server_mcp_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_mcp_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- mcp_stream.c: streams of messages that outlive their readers --- */

typedef struct ag_server_stream_opts {
	ag_mcp_session *session; /* a share, taken over; NULL = stateless: nobody can come back */
	bool is_listening;       /* the session's own, not that of a call */
	/* The reader left, and nobody can come back for the rest. From a thread of the server, under the stream's lock, never
	 * after ag_server_stream_end(). NULL = never mind */
	void (*on_left)(void *arg);
	void *arg;
} ag_server_stream_opts;

/* One share for the caller. */
ag_server_stream *ag_server_stream_new(ag_server *h, const ag_server_stream_opts *o);
void ag_server_stream_drop(ag_server_stream *s); /* accepts NULL */
/* One message. False: nobody will ever read it. */
bool ag_server_stream_send(ag_server_stream *s, ag_str message);
/* Its reader's connection ends, the stream does not. False: nobody can come back. */
bool ag_server_stream_let_go(ag_server_stream *s);
/* Nothing more will come. */
void ag_server_stream_end(ag_server_stream *s);
#define AG_SERVER_STREAM_UNSENT UINT64_MAX
/* The reply's stream reads it from after `place` on; AG_SERVER_STREAM_UNSENT: what nobody got. It takes the place of a reader
 * that is there. */
void ag_server_stream_read(ag_server_stream *s, uint64_t place, ag_httpd_reply *rp);
bool ag_server_stream_has_reader(ag_server_stream *s);
/* A listening stream ends with the token that opened it. known: borrowed, NULL = none. */
void ag_server_stream_grant(ag_server_stream *s, ag_server_caller *known);
/* The session's own stream gets what belongs to no call. False: another one does. */
bool ag_server_stream_listen(ag_server_stream *s);
/* A share of the session's stream of that number, or of its own (0). NULL = there is none. Streams that nobody came back
 * for are given up on the way. */
ag_server_stream *ag_server_stream_find(ag_server *h, const ag_mcp_session *session,
                                        uint64_t number);
void ag_server_streams_free(ag_server *h);

#endif
