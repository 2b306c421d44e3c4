/* turns -- users in a list, each with his own queue; the list holds only those who have a place or wait for one. */
#include "project/turns.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "run/pause.h"

#define SLICE_MS 100 /* how late a cancel or a client that has gone is seen */

typedef struct waiter {
	pthread_cond_t is_served;
	ag_pauser *pauser; /* it pauses instead of waiting for is_served; NULL = it does not */
	bool has_place;
	struct waiter *next;
} waiter;

typedef struct user {
	struct user *next;
	unsigned nheld, nwaiting;
	waiter *first, **last;
	uint64_t served; /* the count of turns when he got his last one */
	size_t nname;
	char name[];
} user;

struct ag_turns {
	pthread_mutex_t lock;
	user *users;
	unsigned nplace, nheld, nwaiting;
	uint64_t nserved;
	const ag_turns_words *words;
};

static const ag_turns_words of_database = { .of = "the database",
	                                    .places = "connections",
	                                    .undone = "its statement was not sent" };

struct ag_turn {
	ag_turns *turns;
	user *user;
	atomic_uint refs;
};

ag_turns *ag_turns_new(unsigned nplace, const ag_turns_words *words)
{
	ag_turns *t = (ag_turns *)ag_xcalloc(1, sizeof(*t));

	t->nplace = nplace ? nplace : 1;
	t->words = words ? words : &of_database;
	pthread_mutex_init(&t->lock, NULL);
	return t;
}

ag_turns *ag_turns_free(ag_turns *t)
{
	if (!t)
		return NULL;
	AG_ASSERT(!t->users && !t->nheld);
	pthread_mutex_destroy(&t->lock);
	free(t);
	return NULL;
}

/* --- with the lock --- */

static user *user_of(ag_turns *t, ag_str name)
{
	user *u;

	for (u = t->users; u; u = u->next) {
		if (ag_str_eq(ag_str_make(u->name, u->nname), name))
			return u;
	}
	u = (user *)ag_xcalloc(1, sizeof(*u) + name.len + 1);
	u->nname = name.len;
	if (name.len)
		memcpy(u->name, name.ptr, name.len);
	u->last = &u->first;
	u->served = ++t->nserved; /* after those who came before */
	u->next = t->users;
	t->users = u;
	return u;
}

static void forget(ag_turns *t, user *u)
{
	user **at = &t->users;

	if (u->nheld || u->nwaiting)
		return;
	while (*at != u) {
		AG_ASSERT(*at); /* a user is in the list until it is forgotten */
		at = &(*at)->next;
	}
	*at = u->next;
	free(u);
}

static void hold_place(ag_turns *t, user *u)
{
	t->nheld++;
	u->nheld++;
	u->served = ++t->nserved;
}

static user *next_user(const ag_turns *t)
{
	user *best = NULL;

	for (user *u = t->users; u; u = u->next) {
		if (u->nwaiting && (!best || u->nheld < best->nheld ||
		                    (u->nheld == best->nheld && u->served < best->served)))
			best = u;
	}
	return best;
}

static void serve(ag_turns *t)
{
	while (t->nheld < t->nplace && t->nwaiting) {
		user *u = next_user(t);
		waiter *w = u ? u->first : NULL;

		AG_ASSERT(w); /* nwaiting counts the waiters of all users */
		u->first = w->next;
		if (!u->first)
			u->last = &u->first;
		u->nwaiting--;
		t->nwaiting--;
		hold_place(t, u);
		w->has_place = true;
		if (w->pauser)
			w->pauser->wake(w->pauser);
		else
			pthread_cond_signal(&w->is_served);
	}
}

static void leave(ag_turns *t, user *u, const waiter *w)
{
	waiter **at = &u->first;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	if (!w->next)
		u->last = at;
	u->nwaiting--;
	t->nwaiting--;
}

/* Calls that are served before a new one of this user, when nobody else comes. */
static uint64_t before(const ag_turns *t, const user *of)
{
	uint64_t n = 0;

	for (const user *u = t->users; u; u = u->next)
		n += u->nwaiting < of->nwaiting ? u->nwaiting : of->nwaiting;
	return n;
}

/* --- waiting --- */

static bool refuse_full(const ag_turns *t, const user *u, ag_arena *arena, ag_sql_failure *f)
{
	const bool is_own = u->nwaiting >= AG_TURNS_USER_QUEUE;

	*f = (ag_sql_failure){
		.code = AG_SQLCODE_POOL_TIMEOUT,
		.class_name = "connection",
		.message = ag_str_printf(
			arena,
			"the queue for %s is full: %u calls %swait for one of %u %s; this one was not queued "
			"and %s",
			t->words->of, is_own ? u->nwaiting : t->nwaiting,
			is_own ? "of this user " : "", t->nplace, t->words->places,
			t->words->undone),
		.detail = AG_S(""),
		.hint = AG_S("send fewer calls at once; try again when some have been answered"),
		.retry_after_ms = 1000,
	};
	return false;
}

static void refuse_late(const ag_turns *t, int64_t waited_ms, ag_arena *arena, ag_sql_failure *f)
{
	ag_sql_failure_pool_timeout(waited_ms, arena, f);
	if (t->words == &of_database)
		return;
	f->message = ag_str_printf(arena, "all %u %s of %s were in use for %lld ms; %s", t->nplace,
	                           t->words->places, t->words->of, (long long)waited_ms,
	                           t->words->undone);
	f->hint = AG_S("other calls are running: try again in a moment");
}

static bool is_given_up(const ag_turns *t, const ag_turn_request *r, ag_arena *arena,
                        ag_sql_failure *f)
{
	struct pollfd client = { .fd = r->watch_fd, .events = POLLRDHUP };
	const ag_ctx *ctx = r->ctx;

	if (ag_ctx_is_cancelled(ctx)) {
		ag_sql_failure_of_stop(AG_SQL_STOP_CANCELLED, f);
		f->message = ag_str_printf(arena, "the call was cancelled while it waited; %s",
		                           t->words->undone);
		return true;
	}
	if (r->watch_fd >= 0 && poll(&client, 1, 0) > 0) {
		ag_sql_failure_of_stop(AG_SQL_STOP_CLIENT_GONE, f);
		f->message = ag_str_printf(arena,
		                           "the client disconnected while its call waited; %s",
		                           t->words->undone);
		return true;
	}
	return false;
}

static void cond_init(pthread_cond_t *c)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(c, &attr);
	pthread_condattr_destroy(&attr);
}

static struct timespec timespec_of(int64_t us)
{
	return (struct timespec){ .tv_sec = (time_t)(us / 1000000),
		                  .tv_nsec = (long)(us % 1000000) * 1000 };
}

static void show_place(const ag_turns *t, const user *u, const ag_ctx *ctx, uint64_t *shown)
{
	const uint64_t n = before(t, u);

	if (!ctx || !ctx->progress || *shown == n)
		return;
	*shown = n;
	ag_ctx_phase(ctx, "queued", "calls", n);
}

/* Most places become free within a millisecond. With the lock, which it gives up meanwhile. */
static void pause_for_place(ag_turns *t, waiter *w)
{
	ag_pauser *const p = w->pauser;

	pthread_mutex_unlock(&t->lock);
	/* Whatever ended the pause: the caller looks. */
	AG_IGNORE(p->pause(p, -1), "has_place says it");
	pthread_mutex_lock(&t->lock);
	w->pauser = NULL;
}

/* With the lock, which it keeps. */
static bool wait_for_place(ag_turns *t, const ag_turn_request *r, user *u, waiter *w,
                           ag_arena *arena, ag_sql_failure *f)
{
	const int64_t began_us = ag_time_mono_us(), left_ms = ag_ctx_left_ms(r->ctx);
	int64_t until_us = began_us + r->wait_ms * 1000;
	uint64_t shown = UINT64_MAX;
	bool is_stuck;

	if (left_ms >= 0 && began_us + left_ms * 1000 < until_us)
		until_us = began_us + left_ms * 1000;
	show_place(t, u, r->ctx, &shown);
	*u->last = w;
	u->last = &w->next;
	u->nwaiting++;
	t->nwaiting++;
	w->pauser = ag_pauser_here();
	if (w->pauser)
		pause_for_place(t, w);
	while (!w->has_place) {
		const int64_t now_us = ag_time_mono_us();
		int64_t wake_us = now_us + SLICE_MS * 1000;
		struct timespec at;

		if (now_us >= until_us) {
			refuse_late(t, (now_us - began_us) / 1000, arena, f);
			leave(t, u, w);
			return false;
		}
		if (wake_us > until_us)
			wake_us = until_us;
		at = timespec_of(wake_us);
		pthread_cond_timedwait(&w->is_served, &t->lock, &at);
		/* Without the lock: statements that end take it under those of the source. */
		pthread_mutex_unlock(&t->lock);
		is_stuck = r->source && ag_sql_is_stuck(r->source, arena, f);
		pthread_mutex_lock(&t->lock);
		if (!w->has_place && (is_stuck || is_given_up(t, r, arena, f))) {
			leave(t, u, w);
			return false;
		}
	}
	*f = (ag_sql_failure){ 0 }; /* it got its place while it was looked whether to refuse it */
	return true;
}

bool ag_turns_take(ag_turns *t, const ag_turn_request *r, ag_arena *arena, ag_turn **ret,
                   ag_sql_failure *ret_failure)
{
	waiter w = { 0 };
	bool ok = true;
	user *u;

	if (r->source && ag_sql_is_stuck(r->source, arena, ret_failure))
		return false;
	pthread_mutex_lock(&t->lock);
	u = user_of(t, r->user);
	if (t->nheld < t->nplace && !t->nwaiting) {
		hold_place(t, u);
	} else if (u->nwaiting >= AG_TURNS_USER_QUEUE || t->nwaiting >= AG_TURNS_QUEUE) {
		ok = refuse_full(t, u, arena, ret_failure);
	} else {
		cond_init(&w.is_served);
		ok = wait_for_place(t, r, u, &w, arena, ret_failure);
		pthread_cond_destroy(&w.is_served);
	}
	if (!ok)
		forget(t, u);
	pthread_mutex_unlock(&t->lock);
	if (!ok)
		return false;
	*ret = (ag_turn *)ag_xcalloc(1, sizeof(**ret));
	(*ret)->turns = t;
	(*ret)->user = u;
	atomic_init(&(*ret)->refs, 1);
	return true;
}

unsigned ag_turns_waiting(ag_turns *t)
{
	unsigned n;

	pthread_mutex_lock(&t->lock);
	n = t->nwaiting;
	pthread_mutex_unlock(&t->lock);
	return n;
}

void ag_turn_give(ag_turn *turn)
{
	ag_turns *t;

	if (!turn || atomic_fetch_sub(&turn->refs, 1) > 1)
		return;
	t = turn->turns;
	pthread_mutex_lock(&t->lock);
	t->nheld--;
	turn->user->nheld--;
	serve(t);
	forget(t, turn->user);
	pthread_mutex_unlock(&t->lock);
	free(turn);
}

static void keep_turn(void *arg)
{
	atomic_fetch_add(&((ag_turn *)arg)->refs, 1);
}

static void release_turn(void *arg)
{
	ag_turn_give((ag_turn *)arg);
}

ag_sql_hold ag_turn_hold(ag_turn *turn)
{
	return (ag_sql_hold){ keep_turn, release_turn, turn };
}
