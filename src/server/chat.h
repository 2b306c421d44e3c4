/* chat -- conversations over HTTP: turns that are under way, who reads them, and the routes.
 *
 * A turn runs on a thread of its own and does not know who reads it. What it says is kept until it ends, so that whoever comes
 * later, or comes back, reads it from its beginning. A reader that leaves, or is slow, changes nothing. */
#ifndef AG_SERVER_CHAT_H
#define AG_SERVER_CHAT_H

#include "analyst/analyst.h"
#include "artifact/artifact.h"
#include "server/parts.h"
#include "server/ui_stream.h"
#include "store/threads.h"

typedef struct ag_server_turn ag_server_turn;

struct ag_server_chat_state {
	pthread_mutex_t lock;    /* of what follows */
	pthread_cond_t ended;    /* a turn, or a thread, did */
	ag_server_turn *turns;   /* under way; each has a share of the list */
	unsigned nturn, nfollow; /* turns; readers of turns of other processes */
	unsigned npeak;          /* most turns at once since the heap was trimmed */
	bool must_trim;          /* the watch shall do it */
	uint64_t nbegun, nfailed, ncancelled,
		nlimited; /* turns so far; questions above a user's limit */
	bool is_stopped;  /* no new turn begins */
	bool is_watched;  /* the watch and the threads that wait shall end */
	ag_server_turn *queue,
		**queue_end; /* turns that wait for a thread, which is there or comes */
	unsigned nqueued, nwaiting, nthread; /* turns; threads that wait; all */
	pthread_cond_t queued;
	pthread_t *over; /* threads that ended, to be joined */
	size_t nover, cap;
	struct ag_server_task *tasks; /* tasks.h */
	unsigned ntask;               /* threads of tasks */
	ag_artifact_cache *artifacts; /* what their source queries gave */
	pthread_t watch;              /* looks for turns that another process wants to end */
	pthread_cond_t watch_wake;
	bool has_watch;
};

/* --- chat_turns.c --- */

AG_CHECK ag_status ag_server_chat_start(ag_server *h, ag_err *err);
/* Turns may end within grace_ms, then they are cancelled. */
void ag_server_chat_stop(ag_server *h, int64_t grace_ms);
void ag_server_chat_free(ag_server *h);

/* A handle of the store for one request, which closes it. It does not wait for long when the store is away. */
ag_store *ag_server_chat_store(ag_server *h);
/* The same for a route; NULL: rp says why not. */
ag_store *ag_server_store_of(ag_server *h, ag_httpd_reply *rp);

typedef struct ag_server_turn_opts {
	const ag_caller *who;
	ag_server_caller *known; /* a share, taken over; NULL = it came without a token */
	const ag_project *project;
	ag_id thread;
	ag_str owner;    /* of the thread's lease, taken over; "" = the turn takes the lease */
	ag_str question; /* "" = go on with the last turn, which was interrupted */
	ag_str message, replaces, sql; /* as of ag_analyst_opts */
	const struct ag_span *span;    /* of the request; NULL */
} ag_server_turn_opts;

/* Begins a turn. The reply is put off until its first event is committed: then it is the stream of the turn, else it says why it
 * did not begin.
 * errors  AG_UNAVAILABLE: too many at once; rp and the lease are as they were */
AG_CHECK ag_status ag_server_turn_begin(ag_server *h, const ag_server_turn_opts *o,
                                        ag_httpd_reply *rp, ag_err *err);
/* The reply is this stream of parts. */
void ag_server_turn_stream(ag_httpd_reply *rp, ag_httpd_stream *out);
/* The thread's turn that is under way here, a share; NULL = there is none. */
ag_server_turn *ag_server_turn_find(ag_server *h, const ag_id *thread);
/* All that was said and will be. */
ag_httpd_stream *ag_server_turn_read(ag_server_turn *t);
void ag_server_turn_cancel(ag_server_turn *t);
void ag_server_turn_drop(ag_server_turn *t); /* accepts NULL */

/* The turn of another process, from the log, until it ends. NULL: too many are followed. */
ag_httpd_stream *ag_server_turn_follow(ag_server *h, const ag_id *run);

/* --- health.c: routes --- */

void ag_server_healthz(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_readyz(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_metrics(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- routes; chat.c --- */

void ag_server_chat_post(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_chat_resume(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_chat_cancel(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
/* Which thread a client's id means: a UUID itself, else one made from it. False: it is none. */
bool ag_server_thread_id(ag_str name, ag_id *ret);
/* A question more of this user, in any process of the store. False: rp says 429. */
bool ag_server_may_question(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s);
/* The caller's thread of the route's {id}. False: rp says why not. */
bool ag_server_thread_of(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s,
                         ag_thread_row *ret);

/* --- chat_threads.c --- */

void ag_server_threads_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_thread_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_thread_change(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_thread_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_thread_viewed(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_thread_branch(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
/* All turns that have ended, as a list of messages without what the model thought. */
AG_CHECK ag_status ag_server_thread_copy(ag_store *s, const ag_id *thread, ag_arena *arena,
                                         ag_buf *out, ag_err *err);
void ag_server_thread_messages(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- feedback.c: routes --- */

void ag_server_feedback_put(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_feedback_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_feedback_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

#endif
