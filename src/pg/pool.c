/* pool -- the connections of one target: opened on demand, the last used is taken first, callers are served in order.
 *
 * nopen counts places: connections, and those that are being made. A connection that is given back, or a place that becomes
 * free, goes to the first waiter, so no caller overtakes another. */
#include "pg/parts.h"

#include <errno.h>
#include <poll.h>

#define CHECK_AFTER_MS 1000   /* a connection idle for longer is checked before it is used */
#define IDLE_MAX_MS    300000 /* closed then: the next call opens another */

struct ag_pg_waiter {
	pthread_cond_t is_served;
	ag_pg_conn *conn;
	bool has_place;  /* to open a connection in */
	bool has_failed; /* no place can be served: the server cannot be reached */
	ag_pg_waiter *next;
};

static int64_t now_ms(void)
{
	return ag_time_mono_us() / 1000;
}

bool ag_pg_is_given_up(const ag_ctx *ctx, int watch_fd, ag_pg_failure *ret_failure)
{
	struct pollfd client = { .fd = watch_fd, .events = POLLRDHUP };

	if (ag_ctx_is_cancelled(ctx)) {
		ag_pg_failure_of_stop(AG_PG_STOP_CANCELLED, ret_failure);
		return true;
	}
	if (watch_fd >= 0 && poll(&client, 1, 0) > 0) {
		ag_pg_failure_of_stop(AG_PG_STOP_CLIENT_GONE, ret_failure);
		return true;
	}
	return false;
}

/* --- under the lock --- */

static ag_pg_waiter *first_waiter(ag_pg *pg)
{
	ag_pg_waiter *w = pg->first_waiter;

	if (w) {
		pg->first_waiter = w->next;
		if (!w->next)
			pg->last_waiter = &pg->first_waiter;
	}
	return w;
}

static void leave_queue(ag_pg *pg, const ag_pg_waiter *w)
{
	ag_pg_waiter **at = &pg->first_waiter;

	while (*at && *at != w)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = w->next;
	if (!w->next)
		pg->last_waiter = at;
}

/* A place is free: the first waiter opens a connection in it. */
void ag_pg_free_place(ag_pg *pg)
{
	ag_pg_waiter *w = first_waiter(pg);

	if (w) {
		w->has_place = true;
		pthread_cond_signal(&w->is_served);
		return;
	}
	pg->nbusy--;
	pg->nopen--;
}

void ag_pg_fail_waiters(ag_pg *pg)
{
	ag_pg_waiter *w;

	while ((w = first_waiter(pg))) {
		w->has_failed = true;
		pthread_cond_signal(&w->is_served);
	}
}

/* Removes connections that have been idle for too long from the end of the list. */
static ag_pg_conn *old_ones(ag_pg *pg, int64_t now)
{
	ag_pg_conn **at = &pg->idle, *old;

	while (*at && now - (*at)->idle_since_ms < IDLE_MAX_MS)
		at = &(*at)->next;
	old = *at;
	*at = NULL;
	for (const ag_pg_conn *c = old; c; c = c->next)
		pg->nopen--;
	return old;
}

/* --- giving --- */

static void disconnect_all(ag_pg *pg, ag_pg_conn *c)
{
	while (c) {
		ag_pg_conn *next = c->next;

		ag_pg_disconnect(pg, c);
		c = next;
	}
}

void ag_pg_give_place(ag_pg *pg)
{
	pthread_mutex_lock(&pg->lock);
	ag_pg_free_place(pg);
	pthread_mutex_unlock(&pg->lock);
}

void ag_pg_give(ag_pg *pg, ag_pg_conn *c)
{
	ag_pg_conn *unwanted = NULL;
	ag_pg_waiter *w;

	c->next = NULL;
	if (c->is_unended) {
		ag_pg_keep_stuck(pg, c);
		return;
	}
	if (c->is_spoilt) {
		ag_pg_disconnect(pg, c);
		ag_pg_give_place(pg);
		return;
	}
	c->idle_since_ms = now_ms();
	pthread_mutex_lock(&pg->lock);
	w = first_waiter(pg);
	if (pg->is_closed) {
		unwanted = c;
		ag_pg_free_place(pg);
	} else if (w) {
		w->conn = c;
		pthread_cond_signal(&w->is_served);
	} else {
		unwanted = old_ones(pg, c->idle_since_ms);
		c->next = pg->idle;
		pg->idle = c;
		pg->nbusy--;
	}
	pthread_mutex_unlock(&pg->lock);
	disconnect_all(pg, unwanted);
}

/* --- taking --- */

/* A server sends nothing on an idle connection but its end, or the announcement of it. */
bool ag_pg_is_quiet(const ag_pg *pg, const ag_pg_conn *c)
{
	struct pollfd server = { .fd = pg->pq->socket(c->db), .events = POLLIN | POLLRDHUP };

	return server.fd >= 0 && poll(&server, 1, 0) == 0;
}

typedef struct taking {
	const ag_ctx *ctx;
	int watch_fd;
	int64_t began_us, deadline_us;
	ag_arena *arena;
	ag_pg_failure *failure;
} taking;

static void fail_waiting(const ag_pg *pg, taking *t, int64_t now)
{
	const int64_t waited_ms = (now - t->began_us) / 1000;
	ag_pg_health h = { 0 };
	ag_str message = ag_str_printf(
		t->arena,
		"all connections to the database were in use for %lld ms; the statement was not sent",
		(long long)waited_ms);

	ag_pg_count_stuck(pg, &h);
	if (h.nstuck)
		message = ag_str_printf(
			t->arena,
			"%.*s; %u of %u connections are held by statements that were asked to stop and "
			"still run at the server",
			AG_FMT(message), h.nstuck, pg->max_connections);
	ag_pg_failure_of(AG_PG_NO_CONNECTION, message, t->failure);
	t->failure->waited_ms = waited_ms;
}

/* Call with the lock held; returns with it held. false: failure is filled. */
static bool queue(ag_pg *pg, taking *t, ag_pg_waiter *w)
{
	bool must_look = ag_ctx_can_be_cancelled(t->ctx) || t->watch_fd >= 0;

	*pg->last_waiter = w;
	pg->last_waiter = &w->next;
	if (pg->stuck)
		ag_pg_wake_watcher(pg);
	while (!w->conn && !w->has_place && !w->has_failed) {
		int64_t now = ag_time_mono_us(), until = t->deadline_us;
		struct timespec at;

		if (now >= until) {
			fail_waiting(pg, t, now);
			leave_queue(pg, w);
			return false;
		}
		if (must_look && now + AG_PG_SLICE_MS * 1000 < until)
			until = now + AG_PG_SLICE_MS * 1000;
		at = ag_pg_timespec(until);
		pthread_cond_timedwait(&w->is_served, &pg->lock, &at);
		if (must_look && !w->conn && !w->has_place && !w->has_failed &&
		    ag_pg_is_given_up(t->ctx, t->watch_fd, t->failure)) {
			leave_queue(pg, w);
			return false;
		}
	}
	if (w->has_failed)
		ag_pg_failure_of_connection(
			AG_S("the connections to the database were lost, and it cannot be reached to "
		             "ask whether their statements have ended"),
			"08006", t->arena, t->failure);
	return !w->has_failed;
}

/* An idle connection (*ret), or a place to open one in (NULL). */
static bool take_idle_or_place(ag_pg *pg, taking *t, ag_pg_conn **ret)
{
	ag_pg_waiter w = { 0 };
	bool is_served = true;

	*ret = NULL;
	pthread_mutex_lock(&pg->lock);
	if (pg->idle && !pg->first_waiter) {
		*ret = pg->idle;
		pg->idle = pg->idle->next;
		pg->nbusy++;
	} else if (pg->nopen < pg->max_connections && !pg->first_waiter) {
		pg->nopen++;
		pg->nbusy++;
	} else {
		ag_pg_cond_init(&w.is_served);
		is_served = queue(pg, t, &w);
		pthread_cond_destroy(&w.is_served);
		*ret = w.conn;
	}
	pthread_mutex_unlock(&pg->lock);
	return is_served;
}

/* Opens a connection in a place that the caller holds; returns the place when that fails. */
static bool open_in_place(ag_pg *pg, taking *t, ag_pg_conn **ret)
{
	int64_t deadline_us = ag_time_mono_us() + pg->connect_timeout_ms * 1000;
	int64_t left_ms = ag_ctx_left_ms(t->ctx);
	bool is_left = false;

	if (left_ms >= 0 && ag_time_mono_us() + left_ms * 1000 < deadline_us)
		deadline_us = ag_time_mono_us() + left_ms * 1000;
	if (ag_pg_connect(pg, t->ctx, t->watch_fd, deadline_us, t->arena, ret, &is_left,
	                  t->failure))
		return true;
	if (!is_left)
		ag_pg_give_place(pg);
	return false;
}

bool ag_pg_take(ag_pg *pg, const ag_ctx *ctx, int watch_fd, bool need_new, ag_arena *arena,
                ag_pg_conn **ret, ag_pg_failure *ret_failure)
{
	taking t = { ctx, watch_fd, ag_time_mono_us(), 0, arena, ret_failure };
	int64_t left_ms = ag_ctx_left_ms(ctx);
	ag_pg_conn *c;

	t.deadline_us = t.began_us + pg->wait_timeout_ms * 1000;
	if (left_ms >= 0 && t.began_us + left_ms * 1000 < t.deadline_us)
		t.deadline_us = t.began_us + left_ms * 1000;
	for (;;) {
		if (!take_idle_or_place(pg, &t, &c))
			return false;
		if (!c)
			return open_in_place(pg, &t, ret);
		if ((!need_new && t.began_us / 1000 - c->idle_since_ms < CHECK_AFTER_MS) ||
		    ag_pg_is_quiet(pg, c)) {
			*ret = c;
			return true;
		}
		c->is_spoilt = true;
		ag_pg_give(pg, c);
	}
}
