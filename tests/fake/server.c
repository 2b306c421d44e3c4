/* One epoll loop. A connection reads a request, answer.c plans the answer, and here its bytes leave: at once, or piece by
 * piece with a pause between (timers.c), up to the byte where the script wants an end.
 *
 * Level triggered. While an answer is under way the connection is still read, to see the client leave. Read
 * fm_server_run() first, then conn_send(). */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_EVENTS   256
#define HOLD_STEP_MS 2            /* between two looks for the file of a hold */
#define WRITE_BYTES  (256u << 10) /* of one reply that is framed ahead */

static void conn_send(fm_server *s, fm_conn *c);

static void conn_close(fm_server *s, fm_conn *c)
{
	fm_timer_clear(&s->timers, c);
	close(c->fd);
	if (c->prev)
		c->prev->next = c->next;
	else
		s->open = c->next;
	if (c->next)
		c->next->prev = c->prev;
	s->nopen--;
	fm_http_release(&c->http);
	fm_reply_release(&c->reply);
	ag_buf_release(&c->out);
	free(c);
}

static void conn_left(fm_server *s, fm_conn *c)
{
	if (c->phase != FM_PHASE_READ)
		fm_log_left(s, c);
	conn_close(s, c);
}

static void watch(fm_server *s, fm_conn *c, bool write)
{
	struct epoll_event ev = { .events = EPOLLIN | (write ? EPOLLOUT : 0), .data.ptr = c };

	if (c->wants_write == write)
		return;
	c->wants_write = write;
	epoll_ctl(s->epoll_fd, EPOLL_CTL_MOD, c->fd, &ev);
}

/* ---------------------------------------------------------------- sending */

/* Adds the next piece of the body to c->out, framed. False when all of it is there. */
static bool add_piece(fm_conn *c)
{
	size_t end = c->reply.body.len, n;

	if (c->at >= c->limit)
		return false;
	if (c->piece_bytes && end - c->at > c->piece_bytes) {
		end = c->at + c->piece_bytes;
	} else if (!c->piece_bytes && c->reply.nend) {
		while (c->next_end < c->reply.nend && c->reply.ends[c->next_end] <= c->at)
			c->next_end++;
		if (c->next_end < c->reply.nend)
			end = c->reply.ends[c->next_end];
	}
	n = end - c->at;
	if (c->is_chunked)
		ag_buf_addf(&c->out, "%zx\r\n", n);
	/* A cut comes in the middle of a chunk. */
	if (n > c->limit - c->at)
		n = c->limit - c->at;
	ag_buf_add(&c->out, ag_str_make(c->reply.body.ptr + c->at, n));
	c->at += n;
	if (c->is_chunked && c->at == end)
		ag_buf_adds(&c->out, "\r\n");
	if (c->is_chunked && c->at == c->reply.body.len && c->stop == FM_STOP_NONE)
		ag_buf_adds(&c->out, "0\r\n\r\n");
	return true;
}

/* False when the socket takes no more for now, or the client is gone. */
static bool flush(fm_server *s, fm_conn *c, bool *is_gone)
{
	while (c->out_at < c->out.len) {
		ssize_t n = send(c->fd, c->out.ptr + c->out_at, c->out.len - c->out_at,
		                 MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			*is_gone = errno != EAGAIN;
			if (!*is_gone)
				watch(s, c, true);
			return false;
		}
		c->out_at += (size_t)n;
	}
	c->sent = c->at;
	ag_buf_clear(&c->out);
	c->out_at = 0;
	return true;
}

/* A reset throws away what the client has not taken yet: wait until it has. */
static bool reset_when_taken(fm_server *s, fm_conn *c)
{
	const struct linger now = { .l_onoff = 1, .l_linger = 0 };
	int unsent = 0;

	if (ioctl(c->fd, SIOCOUTQ, &unsent) == 0 && unsent > 0) {
		fm_timer_set(&s->timers, c, fm_now_ms() + 1);
		return false;
	}
	setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	return true;
}

/* The answer is out: the next request, or the end. */
static void conn_sent(fm_server *s, fm_conn *c)
{
	if (c->stop == FM_STOP_HANG) {
		c->phase = FM_PHASE_HANG;
		return;
	}
	if (c->stop == FM_STOP_RESET && !reset_when_taken(s, c))
		return;
	if (c->stop != FM_STOP_NONE || c->close_after) {
		conn_close(s, c);
		return;
	}
	fm_reply_release(&c->reply);
	ag_buf_release(&c->out);
	ag_buf_init(&c->out, FM_MAX_REPLY_BYTES);
	fm_http_next(&c->http);
	c->phase = FM_PHASE_READ;
	if (c->http.in.len) /* a request came too early: its turn is now */
		fm_timer_set(&s->timers, c, 0);
}

static void conn_send(fm_server *s, fm_conn *c)
{
	bool single = c->piece_bytes || c->by_event, gone = false, more;

	for (;;) {
		/* The head alone is no piece: the first one goes with it. */
		do
			more = add_piece(c);
		while (more && !single && c->out.len < WRITE_BYTES);
		if (!flush(s, c, &gone)) {
			if (gone)
				conn_left(s, c);
			return;
		}
		if (c->at >= c->limit)
			break;
		if (c->delay_ms) {
			watch(s, c, false);
			fm_timer_set(&s->timers, c, fm_now_ms() + c->delay_ms);
			return;
		}
	}
	watch(s, c, false);
	conn_sent(s, c);
}

/* ---------------------------------------------------------------- reading */

/* Answers what is complete. The connection may be gone afterwards. */
static void conn_requests(fm_server *s, fm_conn *c)
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";

	switch (fm_http_read(&c->http)) {
	case FM_HTTP_MORE: return;
	case FM_HTTP_CONTINUE:
		if (send(c->fd, go_on, sizeof(go_on) - 1, MSG_NOSIGNAL) < 0)
			conn_close(s, c);
		return;
	case FM_HTTP_BAD: fm_answer_bad(s, c, c->http.status, c->http.why); break;
	case FM_HTTP_READY: fm_answer_request(s, c); break;
	}
	if (c->phase == FM_PHASE_SEND && c->due_ms < 0)
		conn_send(s, c);
}

static void conn_read(fm_server *s, fm_conn *c)
{
	char *to = ag_buf_room(&c->http.in, 16384);
	ssize_t n = to ? recv(c->fd, to, 16384, 0) : -1;

	if (n < 0 && to && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		conn_left(s, c);
		return;
	}
	c->http.in.len += (size_t)n;
	c->http.in.ptr[c->http.in.len] = '\0';
	if (c->phase == FM_PHASE_READ)
		conn_requests(s, c);
}

static void conn_event(fm_server *s, fm_conn *c, uint32_t events)
{
	if (events & (EPOLLERR | EPOLLHUP)) {
		conn_left(s, c);
		return;
	}
	if (events & EPOLLOUT) {
		conn_send(s, c);
		return; /* the connection may be gone; what can be read is told again */
	}
	if (events & EPOLLIN)
		conn_read(s, c);
}

static void accept_all(fm_server *s)
{
	const int yes = 1;

	for (;;) {
		int fd = accept4(s->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		fm_conn *c;
		struct epoll_event ev = { .events = EPOLLIN };

		if (fd < 0)
			return;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
		c = ag_xcalloc(1, sizeof(*c));
		c->fd = fd;
		c->due_ms = -1;
		fm_http_init(&c->http);
		ag_buf_init(&c->out, FM_MAX_REPLY_BYTES);
		c->next = s->open;
		if (s->open)
			s->open->prev = c;
		s->open = c;
		s->nopen++;
		ev.data.ptr = c;
		if (epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &ev) < 0)
			conn_close(s, c);
	}
}

/* ---------------------------------------------------------------- the loop */

static void run_timers(fm_server *s)
{
	int64_t now = fm_now_ms();

	while (s->timers.n && s->timers.heap[0]->due_ms <= now) {
		fm_conn *c = s->timers.heap[0];

		fm_timer_clear(&s->timers, c);
		if (c->hold[0] && access(c->hold, F_OK) != 0)
			fm_timer_set(&s->timers, c, now + HOLD_STEP_MS);
		else if (c->phase == FM_PHASE_READ)
			conn_requests(s, c);
		else
			conn_send(s, c);
	}
}

static int wait_ms(const fm_server *s)
{
	int64_t left;

	if (!s->timers.n)
		return -1;
	left = s->timers.heap[0]->due_ms - fm_now_ms();
	return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

ag_status fm_server_run(fm_server *s, ag_err *err)
{
	struct epoll_event events[MAX_EVENTS];

	for (;;) {
		int n = epoll_wait(s->epoll_fd, events, MAX_EVENTS, wait_ms(s)), i;

		if (n < 0 && errno != EINTR)
			return ag_fail_errno(err, errno, "fake.server", "epoll_wait");
		for (i = 0; i < n; i++) {
			void *p = events[i].data.ptr;

			if (p == &s->stop_fd)
				return AG_OK;
			if (p == &s->listen_fd)
				accept_all(s);
			else
				conn_event(s, p, events[i].events);
		}
		run_timers(s);
	}
}

static ag_status watch_fd(fm_server *s, int *fd, ag_err *err)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = fd };

	if (epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, *fd, &ev) < 0)
		return ag_fail_errno(err, errno, "fake.server", "epoll_ctl");
	return AG_OK;
}

ag_status fm_server_open(fm_server *s, unsigned port, ag_err *err)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		                 .sin_port = htons((uint16_t)port),
		                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	const int yes = 1;
	ag_status st;

	s->scratch = ag_arena_new();
	ag_buf_init(&s->line, FM_MAX_BODY_BYTES * 2);
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	s->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->epoll_fd < 0 || s->listen_fd < 0)
		return ag_fail_errno(err, errno, "fake.server", "socket");
	setsockopt(s->listen_fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(s->listen_fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
	    listen(s->listen_fd, 4096) < 0 ||
	    getsockname(s->listen_fd, (struct sockaddr *)&a, &len) < 0)
		return ag_fail_errno(err, errno, "fake.server", "127.0.0.1:%u", port);
	s->port = ntohs(a.sin_port);
	st = watch_fd(s, &s->listen_fd, err);
	return st ? st : watch_fd(s, &s->stop_fd, err);
}

void fm_server_close(fm_server *s)
{
	while (s->open)
		conn_close(s, s->open);
	if (s->listen_fd >= 0)
		close(s->listen_fd);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	free(s->timers.heap);
	ag_buf_release(&s->line);
	ag_arena_free(s->scratch);
	fm_script_free(s->script);
}
