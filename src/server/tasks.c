/* tasks -- see the header. The list is under chat->lock. */
#include "server/tasks.h"

#include <stdlib.h>

#include "server/problem.h"

#define ORIGIN      "server.tasks"
#define STACK_BYTES (1u << 20)

static void revoked(void *arg)
{
	ag_server_task *t = (ag_server_task *)arg;

	atomic_store(&t->cancel, true);
}

void ag_server_task_drop(ag_server_task *t)
{
	if (!t)
		return;
	ag_server_grant_end(t->h, t->grant);
	if (t->note)
		t->h->opts.chat->close(t->h->opts.chat->arg, t->note);
	ag_store_close(t->chat.store);
	ag_server_caller_drop(t->known);
	ag_arena_free(t->arena);
	free(t);
}

ag_server_task *ag_server_task_new(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                                   const ag_project *project)
{
	const ag_server_chat *chat = h->opts.chat;
	ag_server_task *t = (ag_server_task *)ag_xcalloc(1, sizeof(*t));
	ag_server_chat_call call;
	ag_err err = { 0 };

	t->h = h;
	t->arena = ag_arena_new();
	t->known = ag_server_caller_ref(rq);
	t->who = ag_server_caller_who(h, t->known);
	t->project = project;
	t->ctx = (ag_ctx){ .clock = h->opts.clock, .cancel = &t->cancel, .nthread = 1 };
	call = (ag_server_chat_call){ &t->ctx, t->who, project, t->arena, &t->no_model };
	if (chat->open(chat->arg, &call, &t->chat, &t->note, &err)) {
		ag_server_problem_of(rp, &err);
		ag_server_task_drop(t);
		return NULL;
	}
	t->chat.store = ag_store_of_group(chat->group);
	t->grant = ag_server_grant_new(h, t->known, revoked, t);
	return t;
}

static void leave_list(ag_server_task *t)
{
	struct ag_server_chat_state *c = t->h->chat;
	ag_server_task **p;

	pthread_mutex_lock(&c->lock);
	for (p = &c->tasks; *p != t; p = &(*p)->next)
		;
	*p = t->next;
	pthread_mutex_unlock(&c->lock);
}

/* The server is there until ntask says that this thread has ended. */
static void *task_main(void *arg)
{
	ag_server_task *t = (ag_server_task *)arg;
	struct ag_server_chat_state *c = t->h->chat;

	t->run(t);
	leave_list(t);
	ag_server_task_drop(t);
	pthread_mutex_lock(&c->lock);
	c->ntask--;
	pthread_cond_broadcast(&c->ended);
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

static bool start_thread(ag_server_task *t)
{
	pthread_attr_t attr;
	pthread_t thread;
	bool is_there;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
#if !defined(AG_HAS_ASAN) && !defined(AG_HAS_TSAN)
	pthread_attr_setstacksize(&attr, STACK_BYTES);
#endif
	is_there = pthread_create(&thread, &attr, task_main, t) == 0;
	pthread_attr_destroy(&attr);
	return is_there;
}

/* With the lock. */
static ag_server_task *find(struct ag_server_chat_state *c, ag_str key)
{
	ag_server_task *t = c->tasks;

	while (t && !ag_str_eq(t->key, key))
		t = t->next;
	return t;
}

ag_status ag_server_task_begin(ag_server_task *t, ag_err *err)
{
	struct ag_server_chat_state *c = t->h->chat;
	ag_status st = AG_OK;

	pthread_mutex_lock(&c->lock);
	if (c->is_stopped) {
		st = ag_fail(err, AG_UNAVAILABLE, ORIGIN, "the server is stopping");
	} else if (find(c, t->key)) {
		st = ag_fail(err, AG_CONFLICT, ORIGIN, "it is under way");
		ag_err_hint(err, "wait until it has ended, or stop it");
	} else if (c->ntask >= AG_SERVER_MAX_TASKS) {
		st = ag_fail(err, AG_UNAVAILABLE, ORIGIN,
		             "%u runs of recipes and evaluations are under way", c->ntask);
		ag_err_hint(err, "ask again in a moment");
	} else if (!start_thread(t)) {
		st = ag_fail(err, AG_UNAVAILABLE, ORIGIN, "no thread could be started");
		ag_err_hint(err, "ask again in a moment");
	} else {
		t->next = c->tasks;
		c->tasks = t;
		c->ntask++;
	}
	pthread_mutex_unlock(&c->lock);
	if (st)
		ag_server_task_drop(t);
	return st;
}

void ag_server_task_go(ag_server_task *t, const char *kind, ag_httpd_reply *rp)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_server *h = t->h;
	const ag_str key = ag_str_dup(arena, t->key), project = ag_str_dup(arena, t->project->id);
	ag_store *s;
	ag_err err = { 0 };

	if (!ag_server_task_begin(t, &err))
		return;
	ag_buf_clear(&rp->body);
	ag_server_problem_of(rp, &err);
	if (!kind)
		return;
	s = ag_server_chat_store(h);
	AG_IGNORE(ag_store_drop_object(s, project, ag_str_c(kind), key, NULL),
	          "then it is shown as one that was cut off");
	ag_store_close(s);
}

bool ag_server_may_begin(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_store *s = ag_server_store_of(h, rp);
	const bool ret = s && ag_server_may_question(h, rq, rp, s);

	ag_store_close(s);
	return ret;
}

bool ag_server_task_stop(ag_server *h, ag_str key)
{
	struct ag_server_chat_state *c = h->chat;
	ag_server_task *t;

	pthread_mutex_lock(&c->lock);
	t = find(c, key);
	if (t)
		atomic_store(&t->cancel, true);
	pthread_mutex_unlock(&c->lock);
	return t != NULL;
}

void ag_server_tasks_stop(ag_server *h)
{
	struct ag_server_chat_state *c = h->chat;

	pthread_mutex_lock(&c->lock);
	c->is_stopped = true;
	for (ag_server_task *t = c->tasks; t; t = t->next)
		atomic_store(&t->cancel, true);
	while (c->ntask)
		pthread_cond_wait(&c->ended, &c->lock);
	pthread_mutex_unlock(&c->lock);
}
