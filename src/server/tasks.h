/* tasks -- work that a request begins and that goes on after its answer: runs of recipes, evaluations.
 *
 * A task has a thread, a store handle and the options of a conversation, all of the caller who began it. It ends when its token is
 * revoked and when the server stops. What it does is kept in the store by itself, so that any process can show it. */
#ifndef AG_SERVER_TASKS_H
#define AG_SERVER_TASKS_H

#include "server/chat.h"
#include "server/work.h"

#define AG_SERVER_MAX_TASKS 16u /* at once, in a process */

typedef struct ag_server_task ag_server_task;
struct ag_server_task {
	ag_server *h;
	ag_arena *arena; /* lives as long as the task */
	const ag_caller *who;
	const ag_project *project;
	ag_ctx ctx; /* without a deadline; is cancelled when the task shall stop */
	ag_analyst_opts chat;
	ag_err no_model; /* why chat.llm is NULL */
	ag_str key;      /* unlike that of any other task; in arena, set before it begins */
	void (*run)(ag_server_task *t);
	void *arg; /* of run() */
	/* tasks.c: */
	ag_server_task *next;
	ag_server_caller *known;
	ag_server_grant *grant;
	atomic_bool cancel;
	void *note; /* of chat->close() */
};

/* A task of the request's caller in that project, not begun. NULL: rp says why not. */
ag_server_task *ag_server_task_new(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                                   const ag_project *project);
/* Ends one that was not begun. Accepts NULL. */
void ag_server_task_drop(ag_server_task *t);
/* Its thread begins, and owns it from now on.
 * errors  AG_UNAVAILABLE: too many at once; AG_CONFLICT: one of that key is under way; the task is dropped */
AG_CHECK ag_status ag_server_task_begin(ag_server_task *t, ag_err *err);
/* The same for a reply that is written already. It cannot begin: rp says why instead, and the object of that kind and the task's
 * key is removed; kind NULL: none is. */
void ag_server_task_go(ag_server_task *t, const char *kind, ag_httpd_reply *rp);
/* A question more of the caller, for work that asks a model. False: rp says 429 or 503. */
bool ag_server_may_begin(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp);
/* False: no task of that key is under way in this process. */
bool ag_server_task_stop(ag_server *h, ag_str key);
/* Cancels all, waits until they have ended. After it none begins: chat->is_stopped. */
void ag_server_tasks_stop(ag_server *h);

#endif
