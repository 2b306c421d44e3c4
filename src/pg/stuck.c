/* stuck -- statements that were asked to stop and still run: counted until the server has ended them.
 *
 * Some functions of PostgreSQL never look for an interrupt, so neither a cancel nor pg_terminate_backend() ends them. Such a
 * connection keeps its place in the pool, its socket stays open, and one watcher thread for each target waits for its end.
 * These are the proofs of an end, in the order of their cost:
 *
 *   1. the server says ReadyForQuery on the connection;
 *   2. the socket is closed and nothing is between the server and Argus: a process closes its socket when it exits;
 *   3. the server's list of sessions has no such session any more. A session is known by process, database, user and start, so
 *      a process number that is used again is no match. A role that may not see starts compares the rest;
 *   4. the server was started again, or another server answers and the socket is closed.
 *
 * After an unproven close (a pooler, address translation, a lost network) and while the server cannot be asked, the place
 * stays taken. The watcher uses one connection beside the pool, and only while something is stuck. */
#include "pg/parts.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"

#define STACK_BYTES (512u * 1024)
/* A lost connection blocks a place although nothing may run, so the server is asked about it soon. A statement that runs
 * reports its end on its own socket, so the server is asked seldom. */
#define LOOK_SOON_MS  250
#define LOOK_SOON_MAX 2000
#define LOOK_LATE_MS  5000
#define ASK_MS        5000 /* for a connection or an answer of the watcher's own session */
#define END_AGAIN_US  INT64_C(30000000) /* between two requests to end one session */
#define MAX_READS     64 /* of one connection in one round: rows may still be coming */

static int64_t now_us(void)
{
	return ag_time_mono_us();
}

void ag_pg_count_stuck(const ag_pg *pg, ag_pg_health *ret)
{
	ret->nstuck = 0;
	for (const ag_pg_conn *c = pg->stuck; c; c = c->next) {
		if (c->is_silent && !c->is_confirmed)
			continue;
		if (ret->nstuck < AG_PG_HEALTH_PIDS)
			ret->stuck_pid[ret->nstuck] = c->backend.pid;
		ret->nstuck++;
	}
}

void ag_pg_wake_watcher(ag_pg *pg)
{
	const uint64_t one = 1;

	if (pg->wake_fd >= 0 && write(pg->wake_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		return; /* the watcher checks in its next round */
}

/* --- the end of one --- */

/* With the lock held: its place is free. The caller disconnects c. */
static void take_out(ag_pg *pg, ag_pg_conn *c)
{
	ag_pg_conn **at = &pg->stuck;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	pg->nstuck--;
	if (c->hold.keep)
		c->hold.release(c->hold.arg);
	ag_pg_free_place(pg);
}

static void end_of(ag_pg *pg, ag_pg_conn *c)
{
	const bool was_running = !c->is_silent || c->is_confirmed;
	bool is_ours;

	pthread_mutex_lock(&pg->lock);
	is_ours = !pg->is_closed;
	if (is_ours)
		take_out(pg, c);
	pthread_mutex_unlock(&pg->lock);
	if (!is_ours)
		return;
	if (was_running)
		ag_log(AG_LOG_INFO, "sql_stuck_ended",
		       "%s: the statement of backend %d has ended, %.1f s after it was asked to stop",
		       pg->shown, c->backend.pid, (double)(now_us() - c->stuck_since_us) / 1e6);
	ag_pg_disconnect(pg, c);
}

/* --- its socket --- */

typedef enum sign { SIGN_NONE, SIGN_ENDED, SIGN_CLOSED } sign;

static sign read_signs(ag_pg_conn *c)
{
	for (unsigned i = 0; i < MAX_READS; i++) {
		ag_pg_message m;
		ag_pg_io io = ag_pg_next(&c->wire, AG_PG_MAX_MESSAGE_BYTES, &m);

		if (io == AG_PG_IO_DONE && m.type == 'Z')
			return SIGN_ENDED;
		if (io == AG_PG_IO_DONE)
			continue;
		if (io == AG_PG_IO_WAIT)
			io = ag_pg_read(&c->wire);
		if (io == AG_PG_IO_BROKEN)
			return SIGN_CLOSED;
		if (io == AG_PG_IO_WAIT)
			return SIGN_NONE;
	}
	return SIGN_NONE;
}

/* --- what the server says --- */

typedef struct watch {
	ag_pg *pg;
	PGconn *db; /* NULL = not open */
	ag_pg_conn *list[AG_PG_MAX_CONNECTIONS];
	size_t n;
	int64_t look_us; /* when the server is asked next */
	int64_t pause_ms;
} watch;

static void leave_server(watch *w)
{
	if (w->db)
		w->pg->pq->finish(w->db);
	w->db = NULL;
}

/* NULL = it cannot be asked now. */
static PGresult *ask_server(watch *w, const char *sql)
{
	const int64_t deadline_us = now_us() + ASK_MS * 1000;
	PGresult *r;

	if (!w->db)
		w->db = ag_pg_watch_open(w->pg, deadline_us);
	if (!w->db)
		return NULL;
	r = ag_pg_watch_ask(w->pg, w->db, sql, deadline_us);
	if (!r)
		leave_server(w);
	return r;
}

/* The server's list has entries "pid/database/user/start", one blank between two. Not there, or another start: it is gone. */
static bool is_listed(const ag_pg_backend *b, ag_str list)
{
	while (list.len > 0) {
		ag_str one = ag_str_split(&list, ' ');

		if (!ag_str_starts(one, ag_str_c(b->session)))
			continue;
		one.ptr += strlen(b->session);
		one.len -= strlen(b->session);
		if (!one.len || !b->started[0] || ag_str_eqc(one, b->started))
			return true;
	}
	return false;
}

/* Of a session that the server does not show, a closed socket is the only sign. */
static bool has_gone(const ag_pg_conn *c, ag_str server, ag_str list)
{
	if (!c->backend.session[0])
		return c->is_silent;
	if (ag_str_eqc(server, c->backend.server))
		return !is_listed(&c->backend, list);
	return c->is_silent;
}

/* Both requests at once: the second also reaches a session that poolers hide. */
static void ask_to_end(watch *w, ag_pg_conn *c)
{
	AG_AUTO(ag_buf_release) ag_buf sql = AG_BUF_INIT(1024);
	ag_pg_cancel *cancel;

	if (c->asked_us && now_us() - c->asked_us < END_AGAIN_US)
		return;
	c->asked_us = now_us();
	if (c->backend.session[0]) {
		ag_buf_addf(
			&sql,
			"SELECT pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity WHERE"
			" pid || '/' || datid || '/' || usesysid || '/' = '%s'",
			c->backend.session);
		if (c->backend.started[0])
			ag_buf_addf(&sql, " AND extract(epoch FROM backend_start)::text = '%s'",
			            c->backend.started);
		w->pg->pq->clear(ask_server(w, sql.ptr));
	}
	cancel = c->is_silent ? NULL : ag_pg_cancel_start(w->pg, c);
	if (cancel)
		AG_IGNORE(ag_pg_cancel_end(cancel, now_us()), "its thread completes the request");
}

static bool look_up(watch *w, PGresult **ret)
{
	AG_AUTO(ag_buf_release) ag_buf sql = AG_BUF_INIT(4096);

	ag_buf_adds(&sql,
	            "SELECT extract(epoch FROM pg_postmaster_start_time())::text, coalesce((SELECT"
	            " string_agg(pid || '/' || datid || '/' || usesysid || '/' ||"
	            " coalesce(extract(epoch FROM backend_start)::text, ''), ' ')"
	            " FROM pg_catalog.pg_stat_activity WHERE pid IN (0");
	for (size_t i = 0; i < w->n; i++)
		ag_buf_addf(&sql, ",%d", w->list[i]->backend.pid);
	ag_buf_adds(&sql, ")), '')");
	*ret = ask_server(w, sql.ptr);
	return *ret != NULL;
}

/* Waiters fail at once when every place is held by a lost connection and the server does not answer. */
static void fail_waiters(ag_pg *pg)
{
	unsigned nsilent = 0;

	pthread_mutex_lock(&pg->lock);
	for (const ag_pg_conn *c = pg->stuck; c; c = c->next)
		nsilent += c->is_silent && !c->is_confirmed;
	if (nsilent == pg->nopen)
		ag_pg_fail_waiters(pg);
	pthread_mutex_unlock(&pg->lock);
}

static void confirm(ag_pg *pg, ag_pg_conn *c)
{
	pthread_mutex_lock(&pg->lock);
	c->is_confirmed = true;
	pthread_mutex_unlock(&pg->lock);
}

static void look_at_server(watch *w)
{
	const ag_pq *pq = w->pg->pq;
	bool has_silent = false;
	PGresult *r;

	if (look_up(w, &r)) {
		const ag_str server = ag_str_c(pq->getvalue(r, 0, 0));
		const ag_str list = ag_str_c(pq->getvalue(r, 0, 1));

		for (size_t i = 0; i < w->n; i++) {
			ag_pg_conn *c = w->list[i];

			if (has_gone(c, server, list)) {
				end_of(w->pg, c);
				w->list[i] = NULL;
			} else {
				confirm(w->pg, c);
				ask_to_end(w, c);
			}
		}
		pq->clear(r);
	} else {
		fail_waiters(w->pg);
	}
	for (size_t i = 0; i < w->n; i++)
		has_silent = has_silent || (w->list[i] && w->list[i]->is_silent);
	w->pause_ms = !has_silent                       ? LOOK_LATE_MS
	              : w->pause_ms * 2 > LOOK_SOON_MAX ? LOOK_SOON_MAX
	                                                : w->pause_ms * 2;
	w->look_us = now_us() + w->pause_ms * 1000;
}

/* --- the watcher --- */

static void disconnect_all(ag_pg *pg, ag_pg_conn *c)
{
	while (c) {
		ag_pg_conn *next = c->next;

		ag_pg_disconnect(pg, c);
		c = next;
	}
}

/* false: nothing is stuck any more, or the handle is closed. Then this thread is no longer the watcher and must close
 * *ret_left. */
static bool read_list(watch *w, ag_pg_conn **ret_left)
{
	ag_pg *pg = w->pg;
	bool goes_on;

	pthread_mutex_lock(&pg->lock);
	w->n = 0;
	for (ag_pg_conn *c = pg->stuck; c && w->n < AG_NELEM(w->list); c = c->next)
		w->list[w->n++] = c;
	goes_on = w->n > 0 && !pg->is_closed;
	if (!goes_on) {
		*ret_left = pg->stuck;
		pg->stuck = NULL;
		pg->has_watcher = false; /* a connection that is added from now on starts another */
	}
	pthread_mutex_unlock(&pg->lock);
	return goes_on;
}

/* true: the server is to be asked now. */
static bool look_at_socket(watch *w, ag_pg_conn *c)
{
	sign s = read_signs(c);

	if (s == SIGN_NONE)
		return false;
	if (s == SIGN_ENDED || (c->backend.is_direct && c->wire.is_closed_by_peer)) {
		end_of(w->pg, c);
		return false;
	}
	pthread_mutex_lock(&w->pg->lock);
	c->is_silent = true;
	pthread_mutex_unlock(&w->pg->lock);
	w->pause_ms = LOOK_SOON_MS / 2;
	return true;
}

/* Waits for a socket, for a new connection, or for the time to ask the server. true: ask it now. */
static bool wait_for_signs(watch *w)
{
	struct pollfd fds[AG_PG_MAX_CONNECTIONS + 1];
	const int64_t left_us = w->look_us - now_us();
	bool must_look = left_us <= 0, is_woken;
	uint64_t count;

	fds[w->n] = (struct pollfd){ .fd = w->pg->wake_fd, .events = POLLIN };
	for (size_t i = 0; i < w->n; i++)
		fds[i] = (struct pollfd){ .fd = w->list[i]->is_silent ? -1 : w->list[i]->wire.fd,
			                  .events = POLLIN };
	if (!must_look && poll(fds, w->n + 1, (int)(left_us / 1000) + 1) < 0 && errno != EINTR)
		must_look = true;
	is_woken = read(w->pg->wake_fd, &count, sizeof(count)) > 0;
	for (size_t i = 0; i < w->n; i++) {
		ag_pg_conn *c = w->list[i];

		if (is_woken && (c->is_silent || !c->asked_us))
			must_look = true;
		if (!c->is_silent && look_at_socket(w, c))
			must_look = true;
	}
	return must_look;
}

static void *watch_stuck(void *arg)
{
	ag_pg *pg = (ag_pg *)arg;
	watch w = { .pg = pg, .pause_ms = LOOK_SOON_MS / 2 };
	ag_pg_conn *left = NULL;

	while (read_list(&w, &left)) {
		if (!wait_for_signs(&w))
			continue;
		if (!read_list(&w, &left))
			break;
		look_at_server(&w);
	}
	leave_server(&w);
	disconnect_all(pg, left);
	return NULL;
}

/* Call with the lock held. When no thread can be started the places stay taken, and the next stuck connection tries again. */
static void start_watcher(ag_pg *pg)
{
	if (pg->has_watcher)
		return;
	if (pg->wake_fd < 0)
		pg->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (pg->wake_fd < 0)
		return;
	pg->has_watcher = ag_pg_thread(pg, STACK_BYTES, watch_stuck, pg);
}

void ag_pg_keep_stuck(ag_pg *pg, ag_pg_conn *c)
{
	const bool is_running = !c->is_silent;
	const int pid = c->backend.pid; /* the watcher may free c from now on */
	bool is_closed;

	c->stuck_since_us = now_us();
	pthread_mutex_lock(&pg->lock);
	is_closed = pg->is_closed;
	if (!is_closed) {
		c->next = pg->stuck;
		pg->stuck = c;
		pg->nstuck++;
		start_watcher(pg);
		ag_pg_wake_watcher(pg);
	} else {
		if (c->hold.keep)
			c->hold.release(c->hold.arg);
		ag_pg_free_place(pg);
	}
	pthread_mutex_unlock(&pg->lock);
	if (is_closed)
		ag_pg_disconnect(pg, c);
	else if (is_running)
		ag_log(AG_LOG_WARN, "sql_stuck",
		       "%s: backend %d was asked to stop its statement and still runs it",
		       pg->shown, pid);
}

/* Closes the handle: threads that still connect close their connection from now on, and so does the watcher with what is
 * in the list. The holds end under the same lock, or the watcher could take the list away with them. */
void ag_pg_abandon_stuck(ag_pg *pg)
{
	AG_AUTO(ag_buf_release) ag_buf pids = AG_BUF_INIT(1024);
	ag_pg_health h = { 0 };
	ag_pg_conn *left;

	pthread_mutex_lock(&pg->lock);
	pg->is_closed = true;
	ag_pg_count_stuck(pg, &h);
	for (ag_pg_conn *c = pg->stuck; c; c = c->next) {
		if (c->hold.keep)
			c->hold.release(c->hold.arg);
		c->hold = (ag_pg_hold){ 0 };
	}
	left = pg->has_watcher ? NULL : pg->stuck;
	if (!pg->has_watcher)
		pg->stuck = NULL;
	ag_pg_wake_watcher(pg);
	pthread_mutex_unlock(&pg->lock);
	for (unsigned i = 0; i < h.nstuck && i < AG_PG_HEALTH_PIDS; i++)
		ag_buf_addf(&pids, "%s%d", i ? ", " : "", h.stuck_pid[i]);
	if (h.nstuck)
		ag_log(AG_LOG_WARN, "sql_stuck_left",
		       "%s: %u statements that were asked to stop still run at the server (backends "
		       "%s); they end there by themselves",
		       pg->shown, h.nstuck, pids.ptr);
	disconnect_all(pg, left);
}
