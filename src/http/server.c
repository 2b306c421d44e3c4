/* The server: start, stop, the list of connections and the guard that ends those that dawdle.
 *
 * The lane accepts, and answers plain requests; libmicrohttpd has one thread that takes over what the lane does not answer,
 * and one for each connection; a request there costs poll, recv and sendmsg. Nothing is suspended and no thread is handed to
 * another, so what stands in its way to a clean stop is only a handler that does not end (docs/decisions/0011, 0012).
 * Reading order: here, lane.c, request.c, stream.c. */
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "http/server_parts.h"

#define ORIGIN           "http.server"
#define DEFAULT_BODY     (8u << 20)
#define DEFAULT_CONNS    512u
#define DEFAULT_IDLE_S   75u
#define MAX_IDLE_S       86400u
#define DEFAULT_PING_MS  15000u
#define CONNECTION_BYTES (16u * 1024) /* buffers of a connection: its headers must fit */
#define GUARD_TICK_MS    1000

/* --- connections --- */

static enum MHD_Result accept_policy(void *cls, const struct sockaddr *addr, socklen_t naddr)
{
	const ag_httpd *d = (const ag_httpd *)cls;

	(void)addr; /* the limits were kept when the lane accepted it */
	(void)naddr;
	return atomic_load(&d->is_stopping) ? MHD_NO : MHD_YES;
}

/* An address of IPv4 stands in it as one of IPv6 does. */
static void peer_of(int fd, unsigned char ret[16])
{
	struct sockaddr_storage a = { 0 };
	socklen_t n = sizeof(a);

	memset(ret, 0, 16);
	if (getpeername(fd, (struct sockaddr *)&a, &n))
		return;
	if (a.ss_family == AF_INET6)
		memcpy(ret, &((const struct sockaddr_in6 *)&a)->sin6_addr, 16);
	else if (a.ss_family == AF_INET)
		memcpy(ret + 12, &((const struct sockaddr_in *)&a)->sin_addr, 4);
}

static void unlist(ag_httpd *d, const ag_httpd_line *line)
{
	if (line->prev)
		line->prev->next = line->next;
	else
		d->lines = line->next;
	if (line->next)
		line->next->prev = line->prev;
}

/* Ends the way of the line with that socket. Under the lock. False: there was none. */
static bool end_way(ag_httpd *d, int fd)
{
	ag_httpd_line **place = &d->lines, *line;

	while (*place && !((*place)->is_on_its_way && (*place)->fd == fd))
		place = &(*place)->next;
	line = *place;
	if (!line)
		return false;
	*place = line->next;
	if (line->next)
		line->next->prev = line->prev;
	free(line);
	return true;
}

void ag_httpd_line_lost(ag_httpd *d, int fd)
{
	pthread_mutex_lock(&d->lock);
	if (end_way(d, fd))
		atomic_fetch_sub(&d->nconn, 1);
	pthread_mutex_unlock(&d->lock);
}

void ag_httpd_line_leave(ag_httpd *d, ag_httpd_line *line)
{
	pthread_mutex_lock(&d->lock);
	line->is_of_lane = false;
	line->is_on_its_way = true;
	ag_httpd_set_deadline(line, 0);
	pthread_mutex_unlock(&d->lock);
}

bool ag_httpd_has_room(ag_httpd *d, int fd)
{
	unsigned char peer[16];
	unsigned n = 0;

	ag_httpd_line_lost(d, fd); /* who had this number before was closed without a word */
	if (atomic_load(&d->is_stopping) || atomic_load(&d->nconn) >= d->opts.max_connections)
		return false;
	if (d->opts.max_connections_of_peer == 0)
		return true;
	peer_of(fd, peer);
	pthread_mutex_lock(&d->lock);
	for (const ag_httpd_line *line = d->lines; line; line = line->next)
		n += memcmp(line->peer, peer, sizeof(peer)) == 0;
	pthread_mutex_unlock(&d->lock);
	return n < d->opts.max_connections_of_peer;
}

void ag_httpd_set_deadline(ag_httpd_line *line, int64_t ms)
{
	atomic_store_explicit(&line->deadline_ms, ms ? ag_httpd_now_ms() + ms : 0,
	                      memory_order_relaxed);
}

void ag_httpd_line_open(ag_httpd *d, ag_httpd_line *line, int fd)
{
	line->fd = fd;
	line->prev = NULL;
	if (d->opts.max_connections_of_peer)
		peer_of(fd, line->peer);
	ag_httpd_set_deadline(line, (int64_t)d->opts.idle_s * 1000);
	pthread_mutex_lock(&d->lock);
	if (!end_way(d, fd))
		atomic_fetch_add(&d->nconn, 1);
	line->next = d->lines;
	if (line->next)
		line->next->prev = line;
	else
		pthread_cond_broadcast(&d->wake); /* the guard has somebody to look after */
	d->lines = line;
	pthread_mutex_unlock(&d->lock);
}

void ag_httpd_line_close(ag_httpd *d, ag_httpd_line *line)
{
	pthread_mutex_lock(&d->lock);
	unlist(d, line);
	pthread_mutex_unlock(&d->lock);
	atomic_fetch_sub(&d->nconn, 1);
}

/* A connection of libmicrohttpd. */
typedef struct own_conn {
	ag_httpd_conn conn; /* first */
	ag_httpd_line line;
} own_conn;

static void conn_open(ag_httpd *d, struct MHD_Connection *mc, void **ret)
{
	own_conn *own = (own_conn *)ag_xcalloc(1, sizeof(*own));
	ag_httpd_conn *c = &own->conn;

	c->daemon = d;
	c->line = &own->line;
	c->fd = d->mhd->get_connection_info(mc, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	c->arena = ag_arena_new();
	ag_buf_init(&c->body, d->opts.max_body);
	ag_httpd_line_open(d, c->line, c->fd);
	*ret = c;
}

static void conn_close(ag_httpd *d, ag_httpd_conn *c)
{
	ag_httpd_line_close(d, c->line);
	ag_buf_release(&c->body);
	ag_buf_release(&c->rp.body);
	ag_arena_free(c->arena);
	free(c);
}

/* Its socket is open while it is in the list: libmicrohttpd closes it after this call. */
static void notify_connection(void *cls, struct MHD_Connection *mc, void **context,
                              enum MHD_ConnectionNotificationCode code)
{
	ag_httpd *d = (ag_httpd *)cls;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		conn_open(d, mc, context);
	} else if (*context) {
		conn_close(d, (ag_httpd_conn *)*context);
		*context = NULL;
	}
}

/* --- the guard --- */

static void end_late_ones(ag_httpd *d)
{
	int64_t now = ag_httpd_now_ms();

	for (ag_httpd_line *line = d->lines; line; line = line->next) {
		int64_t deadline = atomic_load_explicit(&line->deadline_ms, memory_order_relaxed);

		/* Who serves it sees the end of the socket and closes. */
		if (deadline && now > deadline && shutdown(line->fd, SHUT_RDWR) == 0)
			atomic_compare_exchange_strong(&line->deadline_ms, &deadline, 0);
	}
}

static void wait_ms(ag_httpd *d, int64_t ms)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += ms / 1000;
	at.tv_nsec += ms % 1000 * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_sec++;
		at.tv_nsec -= 1000000000;
	}
	pthread_cond_timedwait(&d->wake, &d->lock, &at);
}

static void *guard(void *arg)
{
	ag_httpd *d = (ag_httpd *)arg;

	pthread_mutex_lock(&d->lock);
	while (!d->is_over) {
		if (d->lines)
			wait_ms(d, GUARD_TICK_MS);
		else
			pthread_cond_wait(&d->wake, &d->lock);
		end_late_ones(d);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

/* --- start --- */

static void copy_list(ag_arena *a, const ag_str *list, size_t n, const ag_str **ret)
{
	ag_str *copy = ag_new_n(a, ag_str, n ? n : 1);

	for (size_t i = 0; i < n; i++)
		copy[i] = ag_str_dup(a, list[i]);
	*ret = copy;
}

static void fill(ag_httpd *d, const ag_httpd_opts *o)
{
	pthread_condattr_t attr;

	d->arena = ag_arena_new();
	d->opts = *o;
	d->opts.host = ag_str_dup(d->arena, o->host);
	copy_list(d->arena, o->hosts, o->nhost, &d->opts.hosts);
	copy_list(d->arena, o->origins, o->norigin, &d->opts.origins);
	if (d->opts.max_body == 0)
		d->opts.max_body = DEFAULT_BODY;
	if (d->opts.max_connections == 0)
		d->opts.max_connections = DEFAULT_CONNS;
	if (d->opts.idle_s == 0)
		d->opts.idle_s = DEFAULT_IDLE_S;
	if (d->opts.ping_ms == 0 || d->opts.ping_ms > INT32_MAX)
		d->opts.ping_ms = DEFAULT_PING_MS;
	if (d->opts.idle_s > MAX_IDLE_S)
		d->opts.idle_s = MAX_IDLE_S;
	d->rules = (ag_http_rules){
		.bound = d->opts.host,
		.hosts = d->opts.hosts,
		.nhost = d->opts.nhost,
		.origins = d->opts.origins,
		.norigin = d->opts.norigin,
	};
	d->listen_fd = -1;
	pthread_mutex_init(&d->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&d->wake, &attr);
	pthread_condattr_destroy(&attr);
}

static void release(ag_httpd *d)
{
	if (d->listen_fd >= 0)
		close(d->listen_fd);
	for (ag_httpd_line *line = d->lines, *next; line; line = next) {
		AG_ASSERT(line->is_on_its_way); /* libmicrohttpd closed it at its end */
		next = line->next;
		free(line);
	}
	pthread_cond_destroy(&d->wake);
	pthread_mutex_destroy(&d->lock);
	ag_arena_free(d->arena);
	free(d);
}

static size_t raw(void *cls, struct MHD_Connection *mc, char *text)
{
	(void)cls;
	(void)mc;
	return strlen(text); /* paths are compared as they were sent */
}

static struct MHD_Daemon *start_daemon(ag_httpd *d)
{
	unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
	                 MHD_USE_POLL | MHD_USE_ITC | MHD_USE_NO_LISTEN_SOCKET;

	/* The limit of connections is ours: beyond its own libmicrohttpd leaves clients waiting in the queue of the kernel.
	 * So are the time-outs: its own count a handler's time, and end where a client sends a byte now and then. */
	return d->mhd->start_daemon(flags, 0, accept_policy, d, ag_httpd_access, d,
	                            MHD_OPTION_CONNECTION_LIMIT, d->opts.max_connections + 64,
	                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
	                            MHD_OPTION_THREAD_STACK_SIZE, (size_t)AG_HTTPD_STACK_BYTES,
	                            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION,
	                            notify_connection, d, MHD_OPTION_NOTIFY_COMPLETED,
	                            ag_httpd_completed, d, MHD_OPTION_URI_LOG_CALLBACK,
	                            ag_httpd_uri, d, MHD_OPTION_UNESCAPE_CALLBACK, raw, d,
	                            MHD_OPTION_END);
}

static void end_guard(ag_httpd *d)
{
	pthread_mutex_lock(&d->lock);
	d->is_over = true;
	pthread_cond_broadcast(&d->wake);
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->guard, NULL);
}

static ag_status start_all(ag_httpd *d, ag_err *err)
{
	int rc = pthread_create(&d->guard, NULL, guard, d);
	ag_status st;

	if (rc)
		return ag_fail_errno(err, rc, ORIGIN, "no thread for the server");
	d->daemon = start_daemon(d);
	st = d->daemon ? ag_lane_start(d, &d->lane, err)
	               : ag_fail(err, AG_UNAVAILABLE, ORIGIN, "libmicrohttpd %s does not start",
	                         d->mhd->get_version());
	if (st) {
		if (d->daemon)
			d->mhd->stop_daemon(d->daemon);
		end_guard(d);
	}
	return st;
}

/* Threads of the server take no signals: those are for the thread that waits for them. */
static ag_status start_threads(ag_httpd *d, ag_err *err)
{
	sigset_t all, before;
	ag_status st;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	st = start_all(d, err);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return st;
}

ag_status ag_httpd_start(const ag_httpd_opts *o, ag_httpd **ret, ag_err *err)
{
	const ag_mhd *mhd;
	ag_httpd *d;
	ag_status st = ag_mhd_load(&mhd, err);

	AG_ASSERT(o->handle);
	if (st)
		return st;
	d = (ag_httpd *)ag_xcalloc(1, sizeof(*d));
	d->mhd = mhd;
	fill(d, o);
	st = ag_httpd_listen(d->opts.host, d->opts.port, &d->listen_fd, &d->rules.port,
	                     &d->rules.is_loopback, err);
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
	return d->rules.port;
}

/* --- stop --- */

ag_httpd *ag_httpd_stop(ag_httpd *d, int64_t grace_ms)
{
	int64_t end = ag_httpd_now_ms() + grace_ms, left;

	if (!d)
		return NULL;
	atomic_store(&d->is_stopping, true);
	ag_lane_close_door(d->lane);
	ag_httpd_streams_stop(d);
	pthread_mutex_lock(&d->lock);
	while (atomic_load(&d->nactive) && (left = end - ag_httpd_now_ms()) > 0)
		wait_ms(d, left < 100 ? left : 100);
	pthread_mutex_unlock(&d->lock);
	d->lane = ag_lane_stop(d->lane);
	d->mhd->stop_daemon(d->daemon); /* shuts the sockets, joins every thread */
	end_guard(d);
	release(d);
	return NULL;
}
