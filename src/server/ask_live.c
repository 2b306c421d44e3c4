/* Questions about files that are under way in this process: each has a thread, a flag to stop it, and its progress. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "server/asks.h"

#define ORIGIN "server.ask"
/* At once, of all users. Few of them are answered at the same time (setting questions_at_once), the others wait. */
#define MAX_ASKING 64u

typedef struct asking {
	struct asking *next;
	ag_server *h;
	ag_server_caller *known;
	ag_server_grant *grant;
	ag_arena *arena;
	ag_server_asking_opts o; /* texts in arena */
	ag_id run;
	ag_str key;
	int64_t began_ms;
	atomic_bool cancel;
	ag_progress progress;
} asking;

struct ag_server_ask_state {
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t ended;
	asking *list; /* newest first */
	unsigned n;
	bool is_stopped;
};

ag_str ag_server_asks_key(ag_str project, ag_str user, ag_arena *arena)
{
	return ag_str_printf(arena, "ask:%.*s/%.*s", AG_FMT(project), AG_FMT(user));
}

static void asking_free(asking *a)
{
	ag_server_grant_end(a->h, a->grant);
	ag_server_caller_drop(a->known);
	ag_arena_free(a->arena);
	free(a);
}

static void leave_list(asking *a)
{
	struct ag_server_ask_state *s = a->h->ask;
	asking **p;

	pthread_mutex_lock(&s->lock);
	for (p = &s->list; *p != a; p = &(*p)->next)
		;
	*p = a->next;
	pthread_mutex_unlock(&s->lock);
}

static void *asking_main(void *arg)
{
	asking *a = (asking *)arg;
	struct ag_server_ask_state *s = a->h->ask;
	const ag_server_asks *o = a->h->opts.asks;
	const ag_ctx ctx = { .clock = a->h->opts.clock,
		             .cancel = &a->cancel,
		             .nthread = 1,
		             .progress = &a->progress };
	const ag_server_question q = { .ctx = &ctx,
		                       .who = a->o.who,
		                       .project = a->o.project,
		                       .arena = a->arena,
		                       .text = a->o.text,
		                       .record = { a->run, a->key },
		                       .is_offline = a->o.is_offline,
		                       .seconds = a->o.seconds };
	ag_err err = { 0 };

	/* The store has the reason as well. */
	if (o->answer(o->arg, &q, &err) && err.status != AG_CANCELLED)
		ag_log(AG_LOG_WARN, "ask_failed", "%s: %s", a->run.text, err.msg);
	leave_list(a);
	asking_free(a);
	pthread_mutex_lock(&s->lock);
	s->n--;
	pthread_cond_broadcast(&s->ended);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static void asking_revoked(void *arg)
{
	atomic_store(&((asking *)arg)->cancel, true);
}

/* With the lock. */
static bool start_thread(asking *a)
{
	pthread_attr_t attr;
	pthread_t thread;
	bool ret;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	ret = pthread_create(&thread, &attr, asking_main, a) == 0;
	pthread_attr_destroy(&attr);
	return ret;
}

ag_status ag_server_asking_begin(ag_server *h, const ag_server_asking_opts *o, ag_id *ret,
                                 ag_err *err)
{
	struct ag_server_ask_state *s = h->ask;
	asking *a = (asking *)ag_xcalloc(1, sizeof(*a));
	ag_status st = AG_OK;

	a->h = h;
	a->known = o->known;
	a->arena = ag_arena_new();
	a->o = *o;
	a->o.text = ag_str_dup(a->arena, o->text);
	a->run = *ret = ag_id_new(h->opts.clock);
	a->key = ag_server_asks_key(o->project->id, o->who->user, a->arena);
	a->began_ms = ag_clock_wall(h->opts.clock);
	a->grant = ag_server_grant_new(h, o->known, asking_revoked, a);
	pthread_mutex_lock(&s->lock);
	if (s->is_stopped) {
		st = ag_fail(err, AG_UNAVAILABLE, ORIGIN, "the server is stopping");
	} else if (s->n >= MAX_ASKING) {
		st = ag_fail(err, AG_UNAVAILABLE, ORIGIN, "%u questions are being answered", s->n);
		ag_err_hint(err, "ask again in a moment");
	} else {
		a->next = s->list;
		s->list = a;
		if (start_thread(a)) {
			s->n++;
		} else {
			s->list = a->next;
			st = ag_fail(err, AG_UNAVAILABLE, ORIGIN, "no thread could be started");
			ag_err_hint(err, "ask again in a moment");
		}
	}
	pthread_mutex_unlock(&s->lock);
	if (st)
		asking_free(a);
	return st;
}

/* With the lock. */
static void look_at(asking *a, ag_arena *arena, ag_server_asking_view *ret)
{
	const char *phase = atomic_load(&a->progress.phase), *unit = atomic_load(&a->progress.unit);

	*ret = (ag_server_asking_view){ .run = a->run,
		                        .text = ag_str_dup(arena, a->o.text),
		                        .began_ms = a->began_ms,
		                        .is_stopping = atomic_load(&a->cancel),
		                        .phase = ag_str_c(phase ? phase : ""),
		                        .unit = ag_str_c(phase && unit ? unit : ""),
		                        .done = atomic_load(&a->progress.done),
		                        .total = atomic_load(&a->progress.total) };
}

ag_server_asking_view *ag_server_askings(ag_server *h, ag_str key, ag_arena *arena, size_t *ret_n)
{
	struct ag_server_ask_state *s = h->ask;
	ag_server_asking_view *ret = ag_new_n(arena, ag_server_asking_view, MAX_ASKING);
	size_t n = 0;

	pthread_mutex_lock(&s->lock);
	for (asking *a = s->list; a && n < MAX_ASKING; a = a->next)
		if (ag_str_eq(a->key, key))
			look_at(a, arena, &ret[n++]);
	pthread_mutex_unlock(&s->lock);
	*ret_n = n;
	return ret;
}

bool ag_server_asking_cancel(ag_server *h, ag_str key, const ag_id *run)
{
	struct ag_server_ask_state *s = h->ask;
	asking *a;

	pthread_mutex_lock(&s->lock);
	for (a = s->list; a; a = a->next)
		if (ag_str_eq(a->key, key) && strcmp(a->run.text, run->text) == 0)
			break;
	if (a)
		atomic_store(&a->cancel, true);
	pthread_mutex_unlock(&s->lock);
	return a != NULL;
}

/* --- begin and end --- */

void ag_server_asks_start(ag_server *h)
{
	h->ask = (struct ag_server_ask_state *)ag_xcalloc(1, sizeof(*h->ask));
	pthread_mutex_init(&h->ask->lock, NULL);
	pthread_cond_init(&h->ask->ended, NULL);
}

void ag_server_asks_stop(ag_server *h, int64_t grace_ms)
{
	struct ag_server_ask_state *s = h->ask;
	struct timespec until;

	if (!s)
		return;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += grace_ms / 1000;
	pthread_mutex_lock(&s->lock);
	s->is_stopped = true;
	while (s->n && pthread_cond_timedwait(&s->ended, &s->lock, &until) == 0)
		;
	for (asking *a = s->list; a; a = a->next)
		atomic_store(&a->cancel, true);
	while (s->n)
		pthread_cond_wait(&s->ended, &s->lock);
	pthread_mutex_unlock(&s->lock);
}

void ag_server_asks_free(ag_server *h)
{
	if (!h->ask)
		return;
	pthread_cond_destroy(&h->ask->ended);
	pthread_mutex_destroy(&h->ask->lock);
	free(h->ask);
	h->ask = NULL;
}
