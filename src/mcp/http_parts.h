/* http_parts -- what the files of streamable HTTP share.
 *
 * Locks, from the outside in: a session's own (mcp/parts.h), streams_lock, a stream's lock, the HTTP server's. */
#ifndef AG_MCP_HTTP_PARTS_H
#define AG_MCP_HTTP_PARTS_H

#include <pthread.h>

#include "mcp/http.h"
#include "mcp/http_rules.h"

#define AG_MCP_HTTP_CALLERS 256u /* tokens that are remembered */

typedef struct ag_mcp_known_caller ag_mcp_known_caller;
typedef struct ag_mcp_stream ag_mcp_stream;
typedef struct ag_mcp_grant ag_mcp_grant;

struct ag_mcp_http {
	ag_mcp_http_opts opts; /* copies in arena */
	ag_mcp_server *server;
	ag_httpd *httpd;
	ag_arena *arena;
	ag_str metadata_path; /* "/.well-known/oauth-protected-resource/mcp" */

	pthread_mutex_t callers_lock, store_lock;
	ag_mcp_known_caller *callers[AG_MCP_HTTP_CALLERS];

	pthread_mutex_t grants_lock; /* of the list; streams_lock and others may be taken within */
	ag_mcp_grant *grants;        /* what goes on under a token */
	pthread_mutex_t watch_lock;
	pthread_cond_t watch_wake;
	pthread_t watch;
	bool has_watch, is_stopped;

	pthread_mutex_t streams_lock; /* of the list */
	pthread_cond_t changed;       /* a call ended; with streams_lock */
	ag_mcp_stream *streams;
	uint64_t last_stream;
	unsigned ncall;      /* calls on threads of their own */
	pthread_t last_call; /* of those threads that have ended, the last */
	bool has_last_call;  /* it must be joined */
};

/* --- http_auth.c --- */

/* May this request be made? False: rp says 401, 403 or 503. Who makes it is kept with the request. */
bool ag_mcp_http_admit(ag_mcp_http *h, ag_httpd_request *rq, ag_httpd_reply *rp);
/* Who makes a request that was admitted; lives as long as the request. */
const ag_caller *ag_mcp_http_who(const ag_mcp_http *h, const ag_httpd_request *rq);
/* A share of a caller, for longer than its request. */
ag_mcp_known_caller *ag_mcp_known_caller_ref(const ag_httpd_request *rq);
void ag_mcp_known_caller_drop(ag_mcp_known_caller *k); /* accepts NULL */
void ag_mcp_http_callers_free(ag_mcp_http *h);
/* From now on revoked() is called once, from another thread, when the token is revoked or expires. It must neither wait nor
 * begin or end a grant. NULL for callers without a token. */
ag_mcp_grant *ag_mcp_grant_new(ag_mcp_http *h, ag_mcp_known_caller *known,
                               void (*revoked)(void *arg), void *arg);
void ag_mcp_grant_end(ag_mcp_http *h, ag_mcp_grant *g); /* accepts NULL */
/* The reply to a call whose token was revoked while it ran: 401, without an answer. */
void ag_mcp_http_revoked(ag_mcp_http *h, ag_httpd_request *rq, ag_httpd_reply *rp);
bool ag_mcp_grants_start(ag_mcp_http *h);
void ag_mcp_grants_stop(ag_mcp_http *h);
void ag_mcp_http_metadata(ag_mcp_http *h, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- http_post.c --- */

void ag_mcp_http_post(ag_mcp_http *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                      const ag_caller *who);
/* A JSON-RPC error that no message was reached by: id null. */
void ag_mcp_http_refuse(ag_httpd_reply *rp, int status, int code, ag_str id, const char *message);
/* The session that the request names. NULL: rp says 400 or 404. */
ag_mcp_session *ag_mcp_http_session(ag_mcp_http *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                                    const ag_caller *who);
/* The request's MCP-Protocol-Version: is it of the stateless era? False: it is unknown, rp says 400. */
bool ag_mcp_http_version(ag_httpd_request *rq, ag_httpd_reply *rp, bool *ret_is_stateless);
/* The answer as a whole reply; released. */
void ag_mcp_http_answer(ag_httpd_reply *rp, ag_arena *arena, ag_mcp_answer *a);

/* --- http_call.c: a call that may send messages before its answer --- */

/* session: a share, taken over; NULL = stateless. */
void ag_mcp_http_call(ag_mcp_http *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                      const ag_caller *who, ag_mcp_session *session);
/* Waits until no call is left, and none of their threads. */
void ag_mcp_http_calls_wait(ag_mcp_http *h);

/* --- http_get.c --- */

void ag_mcp_http_get(ag_mcp_http *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                     const ag_caller *who);

/* --- http_stream.c: streams of messages that outlive their readers --- */

typedef struct ag_mcp_stream_opts {
	ag_mcp_session *session; /* a share, taken over; NULL = stateless: nobody can come back */
	bool is_listening;       /* the session's own, not that of a call */
	/* The reader left, and nobody can come back for the rest. From a thread of the server, under the stream's lock, never
	 * after ag_mcp_stream_end(). NULL = never mind */
	void (*on_left)(void *arg);
	void *arg;
} ag_mcp_stream_opts;

/* One share for the caller. */
ag_mcp_stream *ag_mcp_stream_new(ag_mcp_http *h, const ag_mcp_stream_opts *o);
void ag_mcp_stream_drop(ag_mcp_stream *s); /* accepts NULL */
/* One message. False: nobody will ever read it. */
bool ag_mcp_stream_send(ag_mcp_stream *s, ag_str message);
/* Its reader's connection ends, the stream does not. False: nobody can come back. */
bool ag_mcp_stream_let_go(ag_mcp_stream *s);
/* Nothing more will come. */
void ag_mcp_stream_end(ag_mcp_stream *s);
#define AG_MCP_STREAM_UNSENT UINT64_MAX
/* The reply's stream reads it from after `place` on; AG_MCP_STREAM_UNSENT: what nobody got. It takes the place of a reader
 * that is there. */
void ag_mcp_stream_read(ag_mcp_stream *s, uint64_t place, ag_httpd_reply *rp);
bool ag_mcp_stream_has_reader(ag_mcp_stream *s);
/* A listening stream ends with the token that opened it. known: borrowed, NULL = none. */
void ag_mcp_stream_grant(ag_mcp_stream *s, ag_mcp_known_caller *known);
/* The session's own stream gets what belongs to no call. False: another one does. */
bool ag_mcp_stream_listen(ag_mcp_stream *s);
/* A share of the session's stream of that number, or of its own (0). NULL = there is none. Streams that nobody came back
 * for are given up on the way. */
ag_mcp_stream *ag_mcp_stream_find(ag_mcp_http *h, const ag_mcp_session *session, uint64_t number);
void ag_mcp_streams_free(ag_mcp_http *h);

#endif
