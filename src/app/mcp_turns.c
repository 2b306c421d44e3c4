/* The other MCP servers in turns of argus serve: each is reached on a thread beside the turn, and one that does not answer costs no
 * turn anything until it does. Read ag_app_turn_servers_begin(). */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "app/mcp_servers.h"
#include "base/cond.h"
#include "base/log.h"
#include "run/breaker.h"

/* An entry of the settings, found by its name. */
typedef struct watched {
	struct watched *next;
	char *name;
	ag_breaker breaker;
} watched;

struct ag_app_watch {
	const ag_app *app;
	atomic_uint nclient;   /* of turns and probes */
	atomic_bool is_ending; /* ends the probes */
	pthread_mutex_t lock;  /* of what follows */
	pthread_cond_t changed;
	watched *list;
	unsigned nprobe; /* under way */
};

/* One server that is being reached, for a turn or as a probe. */
typedef struct reach {
	ag_app_watch *watch;
	const ag_entry_setting *entry;
	watched *of;
	uint64_t ticket;
	ag_ctx ctx;
	ag_arena *arena;    /* its own: another thread uses it */
	ag_app_servers one; /* none, or this server */
	pthread_t thread;
	bool has_thread;
} reach;

struct ag_app_turn_servers {
	ag_app_watch *watch;
	ag_arena *arena;
	reach *reached[AG_APP_MAX_SERVERS];
	size_t n;
};

/* --- who answers --- */

ag_app_watch *ag_app_watch_new(const ag_app *app)
{
	ag_app_watch *w = (ag_app_watch *)ag_xcalloc(1, sizeof(*w));

	w->app = app;
	pthread_mutex_init(&w->lock, NULL);
	ag_cond_init(&w->changed);
	return w;
}

ag_app_watch *ag_app_watch_free(ag_app_watch *w)
{
	watched *next;

	if (!w)
		return NULL;
	atomic_store(&w->is_ending, true);
	pthread_mutex_lock(&w->lock);
	while (w->nprobe)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
	for (watched *x = w->list; x; x = next) {
		next = x->next;
		ag_breaker_release(&x->breaker);
		free(x->name);
		free(x);
	}
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w);
	return NULL;
}

static watched *watched_of(ag_app_watch *w, ag_str name)
{
	watched *x;

	pthread_mutex_lock(&w->lock);
	for (x = w->list; x && !ag_str_eqc(name, x->name); x = x->next)
		;
	if (!x) {
		x = (watched *)ag_xcalloc(1, sizeof(*x));
		x->name = (char *)ag_xmalloc(name.len + 1);
		memcpy(x->name, name.ptr, name.len);
		x->name[name.len] = '\0';
		ag_breaker_init(&x->breaker);
		ag_breaker_probe_early(&x->breaker, AG_APP_SERVER_PROBE_MS);
		ag_breaker_open_after(&x->breaker, 1);
		x->next = w->list;
		w->list = x;
	}
	pthread_mutex_unlock(&w->lock);
	return x;
}

/* --- reaching one --- */

static bool take_place(ag_app_watch *w)
{
	if (atomic_fetch_add(&w->nclient, 1) < AG_APP_MAX_TURN_CLIENTS)
		return true;
	atomic_fetch_sub(&w->nclient, 1);
	return false;
}

static reach *reach_free(reach *r)
{
	ag_app_servers_close(&r->one);
	atomic_fetch_sub(&r->watch->nclient, 1);
	ag_arena_free(r->arena);
	free(r);
	return NULL;
}

/* Only what says something about the server counts: not a turn that was stopped meanwhile. */
static void reach_now(reach *r)
{
	ag_err err = { 0 };
	const ag_status st = ag_app_servers_add(r->watch->app, &r->ctx, r->entry,
	                                        AG_APP_SERVER_START_MS, r->arena, &r->one, &err);

	ag_breaker_tell(&r->of->breaker, r->ticket, ag_clock_mono(r->ctx.clock),
	                !st                  ? AG_BREAKER_WORKS
	                : st == AG_CANCELLED ? AG_BREAKER_UNKNOWN
	                                     : AG_BREAKER_FAILED);
	if (st && st != AG_CANCELLED)
		ag_log(AG_LOG_WARN, "mcp_server_left_out",
		       "server %s: %s; turns go without it until it answers", r->of->name, err.msg);
}

static void *reach_thread(void *arg)
{
	reach_now((reach *)arg);
	return NULL;
}

/* Signals are for those who wait for them. */
static bool begin_thread(pthread_t *ret, void *(*run)(void *arg), void *arg)
{
	sigset_t all, before;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(ret, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !failed;
}

/* --- a probe: nobody waits for it --- */

static void *probe_thread(void *arg)
{
	reach *r = (reach *)arg;
	ag_app_watch *w = r->watch;

	reach_now(r);
	reach_free(r);
	pthread_mutex_lock(&w->lock);
	w->nprobe--;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void begin_probe(reach *r)
{
	ag_app_watch *w = r->watch;
	pthread_t thread;

	r->ctx = (ag_ctx){ .clock = r->ctx.clock, .cancel = &w->is_ending, .nthread = 1 };
	pthread_mutex_lock(&w->lock);
	w->nprobe++;
	pthread_mutex_unlock(&w->lock);
	if (begin_thread(&thread, probe_thread, r)) {
		pthread_detach(thread);
		return;
	}
	ag_breaker_tell(&r->of->breaker, r->ticket, ag_clock_mono(r->ctx.clock),
	                AG_BREAKER_UNKNOWN);
	reach_free(r);
	pthread_mutex_lock(&w->lock);
	w->nprobe--;
	pthread_mutex_unlock(&w->lock);
}

/* --- a turn --- */

static void begin_one(ag_app_turn_servers *t, const ag_ctx *ctx, const ag_entry_setting *e)
{
	ag_app_watch *w = t->watch;
	watched *of = watched_of(w, e->name);
	uint64_t ticket;
	int64_t wait_ms;
	reach *r;

	if (!ag_breaker_admit(&of->breaker, ag_clock_mono(ctx->clock), &ticket, &wait_ms))
		return;
	if (!take_place(w)) {
		ag_breaker_tell(&of->breaker, ticket, ag_clock_mono(ctx->clock),
		                AG_BREAKER_UNKNOWN);
		ag_log(AG_LOG_WARN, "mcp_server_left_out",
		       "server %s: too many turns use other servers at once", of->name);
		return;
	}
	r = (reach *)ag_xcalloc(1, sizeof(*r));
	*r = (reach){ .watch = w,
		      .entry = e,
		      .of = of,
		      .ticket = ticket,
		      .ctx = *ctx,
		      .arena = ag_arena_new() };
	if (ag_breaker_state_of(&of->breaker) == AG_BREAKER_HALF_OPEN) {
		begin_probe(r);
		return;
	}
	t->reached[t->n++] = r;
	r->has_thread = begin_thread(&r->thread, reach_thread, r);
	if (!r->has_thread)
		reach_now(r);
}

ag_app_turn_servers *ag_app_turn_servers_begin(ag_app_watch *w, const ag_ctx *ctx, ag_str project,
                                               ag_arena *arena)
{
	const ag_settings *s = &w->app->settings;
	ag_app_turn_servers *t = ag_new(arena, ag_app_turn_servers);

	*t = (ag_app_turn_servers){ .watch = w, .arena = arena };
	for (size_t i = 0; i < s->nentry && t->n < AG_APP_MAX_SERVERS; i++)
		if (ag_app_server_is_of(&s->entries[i], project, arena))
			begin_one(t, ctx, &s->entries[i]);
	return t;
}

static void wait_for_all(ag_app_turn_servers *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->reached[i]->has_thread)
			pthread_join(t->reached[i]->thread, NULL);
		t->reached[i]->has_thread = false;
	}
}

ag_tool_set ag_app_turn_servers_tools(ag_app_turn_servers *t)
{
	ag_tool *tools;
	size_t n = 0;

	wait_for_all(t);
	for (size_t i = 0; i < t->n; i++)
		n += t->reached[i]->one.ntool;
	tools = ag_new_n(t->arena, ag_tool, n + 1);
	n = 0;
	for (size_t i = 0; i < t->n; i++) {
		const ag_app_servers *one = &t->reached[i]->one;

		if (one->ntool)
			memcpy(tools + n, one->tools, one->ntool * sizeof(*tools));
		n += one->ntool;
	}
	return (ag_tool_set){ .tools = tools, .ntool = n };
}

void ag_app_turn_servers_close(ag_app_turn_servers *t)
{
	if (!t)
		return;
	wait_for_all(t);
	for (size_t i = 0; i < t->n; i++)
		t->reached[i] = reach_free(t->reached[i]);
	t->n = 0;
}
