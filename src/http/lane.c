/* The lane: accepts every connection, and answers plain requests itself, with few threads (workers.h).
 *
 * A request is looked at where it lies in the socket. When it is plain and whole (lane_read.h) it is taken, handled and
 * answered here; else the connection goes to libmicrohttpd for good, with nothing of it read. One epoll holds the sockets
 * that wait for a request; each reports once and is armed again when its reply is out, so a connection has one worker.
 *
 * A handler may block, and so may a stream that is written here: their worker is slow then, and another takes over. */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "http/lane_read.h"
#include "http/lane_reply.h"
#include "http/workers.h"

#define ORIGIN   "http.server"
#define IN_BYTES (AG_LANE_HEAD + AG_LANE_BODY)
#define REST_MS  30000 /* for the rest of a body */
#define FULL_NS  20000000
/* While one waits for the database another has its call; measured (docs/decisions/0012). */
#define FAST_PER_CORE 3
#define MAX_FAST      16u

typedef struct lane_conn {
	ag_httpd_line line; /* first */
	atomic_bool is_armed;
	bool waits_for_rest;
} lane_conn;

struct ag_lane {
	ag_httpd *daemon;
	int epoll_fd, stop_fd;
	atomic_bool is_closed, is_over, is_door_armed;
	ag_workers *workers;
};

/* What a worker has for its requests, one after the other. */
typedef struct desk {
	ag_lane *lane;
	ag_httpd_conn conn;
	ag_lane_request request;
	ag_lane_writer writer;
	char *in; /* IN_BYTES, and one more */
} desk;

/* --- connections --- */

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

/* Whoever gets its next report goes on with it: nothing of it may be touched after this. */
static void arm(const ag_lane *lane, int fd, atomic_bool *is_armed, void *what)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, .data.ptr = what };

	atomic_store_explicit(is_armed, true, memory_order_release);
	if (epoll_mod(lane->epoll_fd, fd, &e)) /* it cannot fail: nothing is added */
		AG_ASSERT(errno == EBADF || errno == ENOENT);
}

/* First of all: what was done before it was armed is seen after this. One report, one worker. */
static void disarm(atomic_bool *is_armed)
{
	const bool was = atomic_exchange_explicit(is_armed, false, memory_order_acquire);

	AG_ASSERT(was);
}

static void close_conn(ag_lane *lane, lane_conn *c)
{
	const int fd = c->line.fd;

	ag_httpd_line_close(lane->daemon, &c->line);
	close(fd);
	free(c);
}

static bool add(ag_lane *lane, int fd)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT };
	lane_conn *c;

	if (!ag_httpd_has_room(lane->daemon, fd))
		return false;
	c = (lane_conn *)ag_xcalloc(1, sizeof(*c));
	c->line.is_of_lane = true;
	atomic_init(&c->is_armed, true);
	ag_httpd_line_open(lane->daemon, &c->line, fd);
	e.data.ptr = c;
	if (epoll_ctl(lane->epoll_fd, EPOLL_CTL_ADD, fd, &e)) {
		ag_httpd_line_close(lane->daemon, &c->line);
		free(c);
		return false;
	}
	return true;
}

static void accept_all(ag_lane *lane)
{
	static const struct timespec pause = { 0, FULL_NS };
	const int door = lane->daemon->listen_fd;

	disarm(&lane->is_door_armed);
	while (!atomic_load(&lane->is_closed)) {
		const int fd = accept4(door, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0 && !add(lane, fd))
			close(fd);
		if (fd >= 0 || errno == EINTR || errno == ECONNABORTED)
			continue;
		if (errno != EAGAIN)
			nanosleep(&pause, NULL); /* out of descriptors or memory: others may end */
		break;
	}
	if (!atomic_load(&lane->is_closed))
		arm(lane, door, &lane->is_door_armed, lane);
}

/* For good: libmicrohttpd has a thread for it, and reads what we only looked at. It closes it, too. */
static void hand_over(ag_lane *lane, lane_conn *c)
{
	ag_httpd *d = lane->daemon;
	struct sockaddr_storage a = { 0 };
	socklen_t na = sizeof(a);
	const int fd = c->line.fd;

	if (c->waits_for_rest)
		setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &(int){ 1 }, sizeof(int));
	epoll_ctl(lane->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	if (getpeername(fd, (struct sockaddr *)&a, &na)) {
		close_conn(lane, c);
		return;
	}
	ag_httpd_line_leave(d, &c->line);
	if (d->mhd->add_connection(d->daemon, fd, (struct sockaddr *)&a, na) != MHD_YES)
		ag_httpd_line_lost(d, fd);
}

/* --- a request --- */

static bool answer(desk *k, lane_conn *c)
{
	ag_httpd_conn *conn = &k->conn;
	ag_httpd *d = k->lane->daemon;
	bool ok;

	conn->line = &c->line;
	conn->fd = c->line.fd;
	conn->nheader = k->request.nheader;
	ag_httpd_turn_begin(conn, "POST");
	ag_httpd_set_deadline(&c->line, 0); /* the handler takes its time */
	conn->rq.path = k->request.path;
	conn->rq.query = k->request.query;
	if (!ag_httpd_answer_early(conn)) {
		conn->rq.body = k->request.body;
		d->opts.handle(d->opts.arg, &conn->rq, &conn->rp);
	}
	ok = ag_lane_reply(&k->writer, conn) && !atomic_load(&d->is_stopping);
	ag_httpd_turn_end(conn);
	return ok;
}

/* The kernel reports the socket again when all of it is there, or no more will come. */
static void wait_for_rest(const ag_lane *lane, lane_conn *c, size_t size)
{
	int low = (int)size;

	c->waits_for_rest = true;
	ag_httpd_set_deadline(&c->line, REST_MS);
	setsockopt(c->line.fd, SOL_SOCKET, SO_RCVLOWAT, &low, sizeof(low));
	arm(lane, c->line.fd, &c->is_armed, c);
}

/* Off the socket. The kernel drops the bytes (MSG_TRUNC): they lie in k->in since they were looked at. */
static bool take(const desk *k, lane_conn *c)
{
	const int fd = c->line.fd;

	if (c->waits_for_rest)
		setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &(int){ 1 }, sizeof(int));
	c->waits_for_rest = false;
	return recv(fd, k->in, k->request.size, MSG_TRUNC | MSG_DONTWAIT) ==
	       (ssize_t)k->request.size;
}

static void serve(desk *k, lane_conn *c)
{
	ag_lane *lane = k->lane;
	ag_lane_kind kind;
	ssize_t n;

	disarm(&c->is_armed);
	n = recv(c->line.fd, k->in, IN_BYTES, MSG_PEEK | MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		arm(lane, c->line.fd, &c->is_armed, c);
		return;
	}
	if (n <= 0) {
		close_conn(lane, c);
		return;
	}
	k->in[n] = '\0';
	kind = ag_lane_read(ag_str_make(k->in, (size_t)n), &k->request, k->conn.headers);
	if (kind != AG_LANE_OTHER && k->request.nbody > lane->daemon->opts.max_body)
		kind = AG_LANE_OTHER; /* refused there, with time to read why */
	switch (kind) {
	case AG_LANE_PLAIN:
		if (take(k, c) && answer(k, c))
			arm(lane, c->line.fd, &c->is_armed, c);
		else
			close_conn(lane, c);
		return;
	case AG_LANE_PART:
		if (!c->waits_for_rest) {
			wait_for_rest(lane, c, k->request.size);
			return;
		}
		break;
	case AG_LANE_OTHER: break;
	}
	hand_over(lane, c);
}

/* --- workers --- */

static void *desk_open(void *arg)
{
	desk *k = (desk *)ag_xcalloc(1, sizeof(*k));

	k->lane = (ag_lane *)arg;
	k->in = (char *)ag_xmalloc(IN_BYTES + 1);
	ag_lane_writer_init(&k->writer);
	k->conn.daemon = k->lane->daemon;
	k->conn.arena = ag_arena_new();
	return k;
}

static void desk_close(void *own)
{
	desk *k = (desk *)own;

	ag_arena_free(k->conn.arena);
	ag_buf_release(&k->writer.head);
	free(k->in);
	free(k);
}

static bool turn(void *own, ag_worker *self)
{
	desk *k = (desk *)own;
	ag_lane *lane = k->lane;
	struct epoll_event e;
	const int n = epoll_wait(lane->epoll_fd, &e, 1, -1);

	if (atomic_load(&lane->is_over))
		return false;
	if (n != 1)
		return true;
	ag_worker_busy(self);
	if (e.data.ptr == lane)
		accept_all(lane);
	else
		serve(k, (lane_conn *)e.data.ptr);
	ag_worker_done(self);
	return true;
}

/* --- life --- */

static void release(ag_lane *lane)
{
	if (lane->epoll_fd >= 0)
		close(lane->epoll_fd);
	if (lane->stop_fd >= 0)
		close(lane->stop_fd);
	free(lane);
}

static bool watch(ag_lane *lane)
{
	struct epoll_event stop = { .events = EPOLLIN };
	struct epoll_event door = { .events = EPOLLIN | EPOLLONESHOT, .data.ptr = lane };

	return lane->epoll_fd >= 0 && lane->stop_fd >= 0 &&
	       epoll_ctl(lane->epoll_fd, EPOLL_CTL_ADD, lane->stop_fd, &stop) == 0 &&
	       epoll_ctl(lane->epoll_fd, EPOLL_CTL_ADD, lane->daemon->listen_fd, &door) == 0;
}

ag_status ag_lane_start(ag_httpd *d, ag_lane **ret, ag_err *err)
{
	ag_lane *lane = (ag_lane *)ag_xcalloc(1, sizeof(*lane));
	const unsigned nfast = FAST_PER_CORE * (unsigned)get_nprocs();
	ag_workers_opts o = {
		.nfast = nfast < MAX_FAST ? nfast : MAX_FAST,
		.max = d->opts.max_connections + MAX_FAST,
		.stack_bytes = AG_HTTPD_STACK_BYTES,
		.open = desk_open,
		.close = desk_close,
		.turn = turn,
		.arg = lane,
	};
	ag_status st;

	lane->daemon = d;
	atomic_init(&lane->is_door_armed, true);
	lane->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	lane->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	st = watch(lane) ? ag_workers_start(&o, &lane->workers, err)
	                 : ag_fail_errno(err, errno, ORIGIN, "no descriptors for the server");
	if (st) {
		release(lane);
		return st;
	}
	*ret = lane;
	return AG_OK;
}

void ag_lane_close_door(ag_lane *lane)
{
	ag_httpd *d = lane->daemon;

	atomic_store(&lane->is_closed, true);
	/* No client waits in its queue; and a worker that is about to accept finds it shut. */
	epoll_ctl(lane->epoll_fd, EPOLL_CTL_DEL, d->listen_fd, NULL);
	shutdown(d->listen_fd, SHUT_RDWR);
}

static void shut_all(ag_httpd *d)
{
	pthread_mutex_lock(&d->lock);
	for (ag_httpd_line *line = d->lines; line; line = line->next)
		if (line->is_of_lane)
			shutdown(line->fd, SHUT_RDWR);
	pthread_mutex_unlock(&d->lock);
}

static ag_httpd_line *first_of_lane(ag_httpd *d)
{
	ag_httpd_line *line;

	pthread_mutex_lock(&d->lock);
	line = d->lines;
	while (line && !line->is_of_lane)
		line = line->next;
	pthread_mutex_unlock(&d->lock);
	return line;
}

ag_lane *ag_lane_stop(ag_lane *lane)
{
	const uint64_t one = 1;
	ag_httpd_line *line;

	if (!lane)
		return NULL;
	atomic_store(&lane->is_over, true);
	shut_all(lane->daemon);
	if (write(lane->stop_fd, &one, sizeof(one)) < 0) /* it never was written before */
		AG_ASSERT(errno == EINTR);
	lane->workers = ag_workers_stop(lane->workers);
	while ((line = first_of_lane(lane->daemon)))
		close_conn(lane, (lane_conn *)line);
	close(lane->daemon->listen_fd);
	lane->daemon->listen_fd = -1;
	release(lane);
	return NULL;
}
