/* The table of connections: places, limits, who is given up, and who owns one.
 *
 * state holds a generation, a count of how often the connection was parked, and one of four values. OWNED: a thread has it.
 * PARKING: nobody does, and epoll is being asked to watch it; an event may claim it. PARKED: epoll watches it, so the guard
 * may claim it as well, and close it. MISSED: a thread has it, and epoll, which reports once only (EPOLLONESHOT), has
 * reported meanwhile; that thread asks epoll again. The generation changes when the connection closes: a report that a
 * worker took from epoll just before is then dropped.
 *
 * Why it is given up before epoll is asked: often the client's next request is there already, and the worker that epoll wakes
 * for it may push this one off its core at once. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "http/parts.h"

#define OWNED      0u
#define PARKING    1u
#define PARKED     2u
#define MISSED     3u
#define VALUE      UINT64_C(3)
#define ONE_MORE   UINT64_C(4)
#define NOWHERE    UINT32_MAX
#define NTRY       32   /* connections that turn out not to be idle */
#define DRIP_BYTES 64   /* fewer that wait at a time are no upload that goes on */
#define FRESH_MS   1000 /* a connection that may be about to send its request */
#define OTHER_FD   256  /* descriptors that the process has beside connections */

static uint32_t generation_of(uint64_t state)
{
	return (uint32_t)(state >> 32);
}

static uint64_t with(uint64_t state, unsigned value)
{
	return (state & ~VALUE) | value;
}

static uint64_t mark_of(const ag_http_conn *c)
{
	const uint64_t s = atomic_load_explicit(&c->state, memory_order_relaxed);

	return (uint64_t)generation_of(s) << 32 | c->index;
}

/* ThreadSanitizer takes epoll_ctl for a use of the socket that nothing orders before its close by another worker. The kernel
 * does: the other worker has it from the report that this call asks for. */
static int epoll_mod(int epoll_fd, int fd, struct epoll_event *e)
{
#ifdef AG_HAS_TSAN
	return (int)syscall(SYS_epoll_ctl, epoll_fd, EPOLL_CTL_MOD, fd, e);
#else
	return epoll_ctl(epoll_fd, EPOLL_CTL_MOD, fd, e);
#endif
}

/* --- owning --- */

ag_http_conn *ag_http_conn_claim(ag_httpd *d, uint64_t mark)
{
	ag_http_conn *c = &d->conns[(uint32_t)mark];
	uint64_t s = atomic_load_explicit(&c->state, memory_order_relaxed);

	while (generation_of(s) == mark >> 32) {
		const unsigned value = s & VALUE;

		if (value == MISSED)
			return NULL;
		if (atomic_compare_exchange_weak_explicit(&c->state, &s,
		                                          with(s, value == OWNED ? MISSED : OWNED),
		                                          memory_order_acquire,
		                                          memory_order_relaxed))
			return value == OWNED ? NULL : c;
	}
	return NULL;
}

ag_http_conn *ag_http_conn_claim_at(ag_httpd *d, uint32_t index)
{
	ag_http_conn *c = &d->conns[index];
	uint64_t s = atomic_load_explicit(&c->state, memory_order_relaxed);

	if ((s & VALUE) == PARKED &&
	    atomic_compare_exchange_strong_explicit(&c->state, &s, with(s, OWNED),
	                                            memory_order_acquire, memory_order_relaxed))
		return c;
	return NULL;
}

void ag_http_conn_watch(ag_httpd *d, ag_http_conn *c, uint32_t events)
{
	struct epoll_event e = { .events = events | EPOLLONESHOT, .data.u64 = mark_of(c) };

	atomic_store_explicit(&c->events, events, memory_order_relaxed);
	if (epoll_mod(d->epoll_fd, c->fd, &e)) /* it cannot fail: nothing is added */
		AG_ASSERT(errno == EBADF || errno == ENOENT);
}

void ag_http_conn_park(ag_httpd *d, ag_http_conn *c, uint32_t events)
{
	const uint64_t before = atomic_load_explicit(&c->state, memory_order_relaxed);
	/* The count may not run into the generation. */
	uint64_t s = (before & ~UINT64_C(0xffffffff)) | (uint32_t)(before + ONE_MORE);
	struct epoll_event e = { .events = events | EPOLLONESHOT, .data.u64 = mark_of(c) };
	const int fd = c->fd;

	s = with(s, PARKING);
	atomic_store_explicit(&c->events, events, memory_order_relaxed);
	atomic_store_explicit(&c->state, s, memory_order_release);
	/* The socket is open here: a worker handles an event, and may close it, only after this call has armed it. */
	if (epoll_mod(d->epoll_fd, fd, &e))
		AG_ASSERT(errno == EBADF || errno == ENOENT);
	/* Unless it was claimed. */
	atomic_compare_exchange_strong_explicit(&c->state, &s, with(s, PARKED),
	                                        memory_order_release, memory_order_relaxed);
}

void ag_http_conn_let_go(ag_httpd *d, ag_http_conn *c)
{
	uint64_t s = atomic_load_explicit(&c->state, memory_order_relaxed);

	if ((s & VALUE) == MISSED ||
	    !atomic_compare_exchange_strong_explicit(&c->state, &s, with(s, PARKED),
	                                             memory_order_release, memory_order_relaxed))
		ag_http_conn_park(d, c, atomic_load_explicit(&c->events, memory_order_relaxed));
}

void ag_http_arm_door(ag_httpd *d)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLONESHOT, .data.u64 = AG_HTTP_DOOR };

	atomic_store_explicit(&d->is_door_armed, true, memory_order_release);
	if (epoll_mod(d->epoll_fd, d->listen_fd, &e))
		AG_ASSERT(errno == EBADF || errno == ENOENT);
}

void ag_http_conn_enter(ag_http_conn *c, ag_http_phase phase, int64_t ms)
{
	const int64_t now = ms ? ag_httpd_now_ms() : 0;

	atomic_store_explicit(&c->since_ms, now, memory_order_relaxed);
	atomic_store_explicit(&c->deadline_ms, ms ? now + ms : 0, memory_order_relaxed);
	atomic_store_explicit(&c->phase, (unsigned char)phase, memory_order_relaxed);
}

void ag_http_conn_set_active(ag_httpd *d, ag_http_conn *c, bool is_active)
{
	if (c->is_active == is_active)
		return;
	c->is_active = is_active;
	if (is_active) {
		atomic_fetch_add_explicit(&d->nactive, 1, memory_order_relaxed);
	} else if (atomic_fetch_sub(&d->nactive, 1) == 1 && atomic_load(&d->is_stopping)) {
		pthread_mutex_lock(&d->lock);
		pthread_cond_broadcast(&d->wake);
		pthread_mutex_unlock(&d->lock);
	}
}

/* --- who is given up --- */

#define NEVER 9u

/* Who goes first; within a rank who has waited longest. A client that came a moment ago may be about to speak: it stays
 * while there is one who had its time, also when others come so fast that most connections are new. */
static unsigned rank_of(const ag_http_conn *c, int64_t now, int64_t *ret_since)
{
	const unsigned phase = atomic_load_explicit(&c->phase, memory_order_relaxed);
	unsigned rank = NEVER;

	*ret_since = atomic_load_explicit(&c->since_ms, memory_order_relaxed);
	switch ((ag_http_phase)phase) {
	case AG_HTTP_LINGERING: return 0;
	case AG_HTTP_IDLE: rank = 1; break;
	case AG_HTTP_HEADING: rank = 2; break;
	case AG_HTTP_BODYING: rank = 3; break;
	case AG_HTTP_WRITING:
	case AG_HTTP_STREAMING:
	case AG_HTTP_WORKING:
	case AG_HTTP_FREE: return NEVER;
	}
	return now - *ret_since < FRESH_MS ? 4 : rank;
}

/* Claims the best candidate among the connections that wait for their client. peer limits the choice to one address; NULL =
 * all. The caller owns the result. NULL when no connection waits, or a worker claimed it first. */
static ag_http_conn *claim_idle(ag_httpd *d, const unsigned char *peer)
{
	const int64_t now = ag_httpd_now_ms();
	ag_http_conn *best = NULL;
	unsigned best_rank = NEVER;
	int64_t best_ms = 0;

	pthread_mutex_lock(&d->lock);
	for (uint32_t i = 0; i < d->nused; i++) {
		ag_http_conn *c = &d->conns[i];
		int64_t ms;
		const unsigned rank = rank_of(c, now, &ms);

		if (rank > best_rank || rank == NEVER || (rank == best_rank && ms >= best_ms) ||
		    (peer && memcmp(c->peer, peer, sizeof(c->peer)) != 0))
			continue;
		best = c;
		best_rank = rank;
		best_ms = ms;
	}
	if (best)
		best = ag_http_conn_claim_at(d, best->index);
	pthread_mutex_unlock(&d->lock);
	return best;
}

/* May it be given up? Not while its client has just sent something, unless it is in the middle of a request, sends a few bytes
 * at a time, and had its time for that, or no better candidate is left. */
static bool is_idle(const ag_http_conn *c, bool is_last_try)
{
	const unsigned phase = atomic_load_explicit(&c->phase, memory_order_relaxed);
	const int64_t since_ms = atomic_load_explicit(&c->since_ms, memory_order_relaxed);
	int nwaiting = 0;

	if (phase == AG_HTTP_LINGERING || ioctl(c->fd, FIONREAD, &nwaiting) || nwaiting == 0)
		return true;
	return (phase == AG_HTTP_HEADING || phase == AG_HTTP_BODYING) && nwaiting < DRIP_BYTES &&
	       (is_last_try || ag_httpd_now_ms() - since_ms >= FRESH_MS);
}

static bool give_up(ag_httpd *d, const unsigned char *peer)
{
	for (unsigned i = 0; i < NTRY; i++) {
		ag_http_conn *c = claim_idle(d, peer);

		if (!c)
			continue; /* no connection waits, or a worker claimed it first */
		if (is_idle(c, i + 1 == NTRY)) {
			ag_http_conn_close(d, c);
			return true;
		}
		atomic_store_explicit(&c->since_ms, ag_httpd_now_ms(), memory_order_relaxed);
		ag_http_conn_let_go(d, c); /* epoll still watches it */
	}
	return false;
}

bool ag_http_conn_give_up_any(ag_httpd *d)
{
	return give_up(d, NULL);
}

/* --- opening and closing --- */

/* Whole networks of IPv6 belong to one peer: the first half of the address counts. */
static void peer_of(int fd, unsigned char ret[16])
{
	struct sockaddr_storage a = { 0 };
	socklen_t n = sizeof(a);

	memset(ret, 0, 16);
	if (getpeername(fd, (struct sockaddr *)&a, &n))
		return;
	if (a.ss_family == AF_INET6) {
		const struct in6_addr *v6 = &((const struct sockaddr_in6 *)&a)->sin6_addr;

		memcpy(ret, v6, IN6_IS_ADDR_V4MAPPED(v6) ? 16 : 8);
	} else if (a.ss_family == AF_INET) {
		memcpy(ret + 12, &((const struct sockaddr_in *)&a)->sin_addr, 4);
	}
}

ag_str ag_httpd_peer(const ag_httpd_request *rq)
{
	struct sockaddr_storage a = { 0 };
	struct in6_addr v6;
	socklen_t n = sizeof(a);
	char text[INET6_ADDRSTRLEN] = "";

	if (getpeername(rq->fd, (struct sockaddr *)&a, &n))
		return AG_S("");
	if (a.ss_family == AF_INET) {
		inet_ntop(AF_INET, &((const struct sockaddr_in *)&a)->sin_addr, text, sizeof(text));
	} else if (a.ss_family == AF_INET6) {
		v6 = ((const struct sockaddr_in6 *)&a)->sin6_addr;
		if (IN6_IS_ADDR_V4MAPPED(&v6)) {
			inet_ntop(AF_INET, v6.s6_addr + 12, text, sizeof(text));
		} else {
			if (!IN6_IS_ADDR_LOOPBACK(&v6))
				memset(v6.s6_addr + 8, 0, 8);
			inet_ntop(AF_INET6, &v6, text, sizeof(text));
		}
	}
	return ag_str_dup(rq->arena, ag_str_c(text));
}

typedef enum room { ROOM, FULL, FULL_OF_PEER } room;

/* Under the lock. */
static room has_room(const ag_httpd *d, const unsigned char peer[16])
{
	unsigned n = 0;

	if (d->opts.max_connections_of_peer) {
		for (uint32_t i = 0; i < d->nused; i++)
			n += atomic_load_explicit(&d->conns[i].phase, memory_order_relaxed) !=
			             AG_HTTP_FREE &&
			     memcmp(d->conns[i].peer, peer, 16) == 0;
		if (n >= d->opts.max_connections_of_peer)
			return FULL_OF_PEER;
	}
	return d->nconn < d->opts.max_connections ? ROOM : FULL;
}

/* Under the lock, with room. */
static ag_http_conn *take_place(ag_httpd *d, int fd, const unsigned char peer[16])
{
	ag_http_conn *c;

	if (d->first_free != NOWHERE) {
		c = &d->conns[d->first_free];
		d->first_free = c->next_free;
	} else {
		c = &d->conns[d->nused];
		c->index = d->nused++;
	}
	if (d->nconn++ == 0)
		pthread_cond_broadcast(&d->wake); /* the guard has somebody to look after */
	c->fd = fd;
	memcpy(c->peer, peer, sizeof(c->peer));
	ag_buf_init(&c->rest, AG_HTTPD_IN_BYTES);
	ag_http_conn_enter(c, AG_HTTP_IDLE, (int64_t)d->opts.idle_s * 1000);
	return c;
}

bool ag_http_conn_open(ag_httpd *d, int fd)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT };
	unsigned char peer[16] = { 0 };
	ag_http_conn *c = NULL;
	bool may_give_up = true;

	if (d->opts.max_connections_of_peer)
		peer_of(fd, peer);
	while (!c && may_give_up && !atomic_load(&d->is_stopping)) {
		room r;

		pthread_mutex_lock(&d->lock);
		r = has_room(d, peer);
		if (r == ROOM)
			c = take_place(d, fd, peer);
		pthread_mutex_unlock(&d->lock);
		if (!c)
			may_give_up = give_up(d, r == FULL_OF_PEER ? peer : NULL);
	}
	if (!c) {
		close(fd);
		return false;
	}
	atomic_store_explicit(&c->events, EPOLLIN | EPOLLRDHUP, memory_order_relaxed);
	e.data.u64 = mark_of(c);
	if (epoll_ctl(d->epoll_fd, EPOLL_CTL_ADD, fd, &e)) {
		ag_http_conn_close(d, c);
		return false;
	}
	ag_http_conn_let_go(d, c);
	return true;
}

void ag_http_conn_close(ag_httpd *d, ag_http_conn *c)
{
	const uint32_t generation = generation_of(
		atomic_load_explicit(&c->state, memory_order_relaxed));

	if (c->stream)
		ag_http_stream_detach(c, false);
	ag_http_turn_free(c->turn);
	ag_http_out_free(c->out);
	ag_buf_release(&c->rest);
	c->turn = NULL;
	c->out = NULL;
	c->closes = c->lingers = false;
	c->ndropped = 0;
	ag_http_conn_set_active(d, c, false);
	pthread_mutex_lock(&d->lock);
	close(c->fd);
	c->fd = -1;
	ag_http_conn_enter(c, AG_HTTP_FREE, 0);
	atomic_store_explicit(&c->state, (uint64_t)(generation + 1u) << 32 | OWNED,
	                      memory_order_release);
	c->next_free = d->first_free;
	d->first_free = c->index;
	d->nconn--;
	pthread_mutex_unlock(&d->lock);
}

/* --- the table --- */

/* The process may have fewer descriptors than it was told to have connections. */
static void fit_descriptors(ag_httpd *d)
{
	const rlim_t want = (rlim_t)d->opts.max_connections + OTHER_FD;
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur == RLIM_INFINITY || r.rlim_cur >= want)
		return;
	r.rlim_cur = r.rlim_max == RLIM_INFINITY || r.rlim_max > want ? want : r.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur >= want)
		return;
	d->opts.max_connections = r.rlim_cur > 2 * OTHER_FD ? (unsigned)r.rlim_cur - OTHER_FD
	                                                    : (unsigned)r.rlim_cur / 2 + 1;
}

void ag_http_conns_init(ag_httpd *d)
{
	fit_descriptors(d);
	d->first_free = NOWHERE;
	d->conns = (ag_http_conn *)ag_xcalloc(d->opts.max_connections, sizeof(ag_http_conn));
}

void ag_http_conns_release(ag_httpd *d)
{
	free(d->conns);
}
