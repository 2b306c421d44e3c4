/* The server: start, stop, and the guard that ends connections that are late. Reading order: here, loop.c, conns.c, turn.c,
 * reply.c, stream.c; reader.c for what a request is. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/cond.h"
#include "http/parts.h"

#define ORIGIN          "http.server"
#define DEFAULT_SPOOLED (1ull << 30)
#define DEFAULT_BODY    (8u << 20)
#define DEFAULT_CONNS   2048u
#define MAX_CONNS       (1u << 20)
#define DEFAULT_IDLE_S  75u
#define MAX_IDLE_S      86400u
#define DEFAULT_PING_MS 15000u
#define GUARD_MS        1000
#define LEAST_GUARD_MS  20
#define STOP_LOOK_MS    50
#define STOP_READ_MS    500 /* for the client of a stream to read its end */

/* --- the guard --- */

static void end_late_ones(ag_httpd *d, uint32_t nused)
{
	const int64_t now = ag_httpd_now_ms();

	for (uint32_t i = 0; i < nused; i++) {
		int64_t deadline = atomic_load_explicit(&d->conns[i].deadline_ms,
		                                        memory_order_relaxed);
		ag_http_conn *c;

		if (deadline == 0 || now <= deadline)
			continue;
		c = ag_http_conn_claim_at(d, i);
		if (!c)
			continue; /* a worker has it: it makes progress */
		deadline = atomic_load_explicit(&c->deadline_ms, memory_order_relaxed);
		if (deadline && now > deadline)
			ag_http_conn_late(d, c);
		else
			ag_http_conn_let_go(d, c);
	}
}

/* Often enough for signs of life. */
static int64_t guard_ms(const ag_httpd *d)
{
	const int64_t ms = (int64_t)d->opts.ping_ms / 4;

	return ms > GUARD_MS ? GUARD_MS : ms < LEAST_GUARD_MS ? LEAST_GUARD_MS : ms;
}

static void *guard(void *arg)
{
	ag_httpd *d = (ag_httpd *)arg;

	pthread_mutex_lock(&d->lock);
	while (!d->guard_ends) {
		uint32_t nused;

		if (d->nconn)
			ag_cond_wait_ms(&d->wake, &d->lock, guard_ms(d));
		else
			pthread_cond_wait(&d->wake, &d->lock);
		nused = d->nused;
		pthread_mutex_unlock(&d->lock);
		end_late_ones(d, nused);
		pthread_mutex_lock(&d->lock);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

static void end_guard(ag_httpd *d)
{
	pthread_mutex_lock(&d->lock);
	d->guard_ends = true;
	pthread_cond_broadcast(&d->wake);
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->guard, NULL);
}

/* --- start --- */

static void fill(ag_httpd *d, const ag_httpd_opts *o)
{
	d->arena = ag_arena_new();
	d->opts = *o;
	d->opts.host = ag_str_dup(d->arena, o->host);
	if (d->opts.max_spooled == 0)
		d->opts.max_spooled = DEFAULT_SPOOLED;
	d->opts.spool_folder = o->spool_folder.len ? ag_str_dup(d->arena, o->spool_folder)
	                                           : AG_S("/var/tmp");
	if (d->opts.max_body == 0)
		d->opts.max_body = DEFAULT_BODY;
	if (d->opts.max_connections == 0)
		d->opts.max_connections = DEFAULT_CONNS;
	if (d->opts.max_connections > MAX_CONNS)
		d->opts.max_connections = MAX_CONNS;
	if (d->opts.idle_s == 0)
		d->opts.idle_s = DEFAULT_IDLE_S;
	if (d->opts.ping_ms == 0 || d->opts.ping_ms > INT32_MAX)
		d->opts.ping_ms = DEFAULT_PING_MS;
	if (d->opts.idle_s > MAX_IDLE_S)
		d->opts.idle_s = MAX_IDLE_S;
	d->listen_fd = d->epoll_fd = d->stop_fd = -1;
	ag_http_conns_init(d);
	ag_http_seats_init(&d->seats);
	pthread_mutex_init(&d->lock, NULL);
	pthread_mutex_init(&d->spare_lock, NULL);
	ag_cond_init(&d->wake);
}

static void shut(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void release(ag_httpd *d)
{
	shut(d->listen_fd);
	shut(d->epoll_fd);
	shut(d->stop_fd);
	while (d->nspare)
		ag_http_turn_free(d->spare[--d->nspare]);
	ag_http_seats_release(&d->seats);
	ag_http_conns_release(d);
	pthread_mutex_destroy(&d->spare_lock);
	pthread_cond_destroy(&d->wake);
	pthread_mutex_destroy(&d->lock);
	ag_arena_free(d->arena);
	free(d);
}

/* Threads of the server take no signals: those are for the thread that waits for them. */
static ag_status start_threads(ag_httpd *d, ag_err *err)
{
	sigset_t all, before;
	ag_status st = AG_OK;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&d->guard, NULL, guard, d);
	if (rc) {
		st = ag_fail_errno(err, rc, ORIGIN, "no thread for the server");
	} else {
		st = ag_http_loop_start(d, err);
		if (st)
			end_guard(d);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return st;
}

ag_status ag_httpd_start(const ag_httpd_opts *o, ag_httpd **ret, ag_err *err)
{
	ag_httpd *d = (ag_httpd *)ag_xcalloc(1, sizeof(*d));
	ag_status st;

	AG_ASSERT(o->handle);
	fill(d, o);
	st = ag_httpd_listen(d->opts.host, d->opts.port, &d->listen_fd, &d->port, &d->is_loopback,
	                     err);
	if (!st && !d->is_loopback && d->opts.max_connections_of_peer == 0)
		d->opts.max_connections_of_peer = (d->opts.max_connections + 1) / 2;
	if (!st)
		st = start_threads(d, err);
	if (st) {
		release(d);
		return st;
	}
	*ret = d;
	return AG_OK;
}

unsigned ag_httpd_port(const ag_httpd *d)
{
	return d->port;
}

bool ag_httpd_is_loopback(const ag_httpd *d)
{
	return d->is_loopback;
}

/* --- stop --- */

/* Of what is parked: streams, which end with what waits in them, or everything. What a worker has it closes itself. */
static void close_parked(ag_httpd *d, bool is_all, bool is_patient)
{
	uint32_t nused;

	pthread_mutex_lock(&d->lock);
	nused = d->nused;
	pthread_mutex_unlock(&d->lock);
	for (uint32_t i = 0; i < nused; i++) {
		const unsigned phase = atomic_load_explicit(&d->conns[i].phase,
		                                            memory_order_relaxed);
		ag_http_sent sent = AG_HTTP_BROKEN;
		ag_http_conn *c;

		if (!is_all && phase != AG_HTTP_STREAMING)
			continue;
		c = ag_http_conn_claim_at(d, i);
		if (!c)
			continue;
		if (!is_all && !c->stream) {
			ag_http_conn_let_go(d, c);
			continue;
		}
		if (!is_all)
			sent = ag_http_stream_send(c, !is_patient);
		if (sent == AG_HTTP_STREAMS)
			continue;
		if (sent == AG_HTTP_SENT)
			ag_http_stream_detach(c, true);
		ag_http_conn_close(d, c);
	}
}

ag_httpd *ag_httpd_stop(ag_httpd *d, int64_t grace_ms)
{
	const int64_t began = ag_httpd_now_ms(), end = began + grace_ms;
	static const struct timespec look = { 0, 1000000 };
	int64_t now = began;

	if (!d)
		return NULL;
	atomic_store(&d->is_stopping, true);
	ag_http_loop_close_door(d);
	for (;;) {
		close_parked(d, false, now - began < STOP_READ_MS);
		if (atomic_load(&d->nactive) == 0 || now >= end)
			break;
		pthread_mutex_lock(&d->lock);
		ag_cond_wait_ms(&d->wake, &d->lock,
		                end - now < STOP_LOOK_MS ? end - now : STOP_LOOK_MS);
		pthread_mutex_unlock(&d->lock);
		now = ag_httpd_now_ms();
	}
	ag_http_loop_stop(d);
	while (atomic_load(&d->nlater)) /* it goes out, or finds its client gone */
		nanosleep(&look, NULL);
	end_guard(d);
	close_parked(d, true, false);
	AG_ASSERT(d->nconn == 0);
	release(d);
	return NULL;
}
