/* The loop: few threads (workers.h) wait in one epoll for whatever is ready, and do what it needs without waiting themselves. Each
 * event is served on a seat (seats.c), so that a handler can give up its thread while it waits.
 *
 * A connection goes through phases (parts.h). A request that comes whole, as most do, is read, handled and answered without
 * leaving its worker: one recv, one sendmsg, and epoll watches again. What does not come whole, or does not leave whole, is
 * kept with the connection. Only a handler may block: its worker is slow then, and another takes over. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "http/parts.h"

#define ORIGIN      "http.server"
#define FULL_NS     20000000
#define HEAD_MS     30000 /* from the first byte of a head to its last */
#define LINGER_MS   1000  /* for a client that was refused to read why */
#define LINGER_DROP (1u << 20)
#define GONE        (EPOLLRDHUP | EPOLLHUP | EPOLLERR)
#define READ_EVENTS (EPOLLIN | EPOLLRDHUP)
/* At most: a handler that blocks is not always slow (docs/decisions/0012). One is enough while it has time left (0027). */
#define FAST_PER_CORE 3
#define MAX_FAST      16u
#define PUT_OFF_US    300
#define MAX_HANDLERS  512u /* that block at once; further requests wait for one of them */

typedef ag_http_seat desk; /* what a request has while it is served */

typedef struct worker {
	ag_httpd *d;
	desk *desk; /* for its next event */
} worker;

static int64_t idle_ms(const ag_httpd *d)
{
	return (int64_t)d->opts.idle_s * 1000;
}

/* --- after a reply --- */

static void wait_for_request(ag_httpd *d, ag_http_conn *c)
{
	ag_http_conn_enter(c, AG_HTTP_IDLE, idle_ms(d));
	ag_http_conn_park(d, c, READ_EVENTS);
}

/* Closing at once while the client still sends would reset the connection, and the answer could be lost on its way. */
static void finish(ag_httpd *d, ag_http_conn *c)
{
	if (!c->lingers || shutdown(c->fd, SHUT_WR)) {
		ag_http_conn_close(d, c);
		return;
	}
	ag_http_conn_set_active(d, c, false);
	ag_http_conn_enter(c, AG_HTTP_LINGERING, LINGER_MS);
	ag_http_conn_park(d, c, READ_EVENTS);
}

/* Parks or closes, unless the reply is out and the connection goes on: true. rest: bytes after the request. */
static bool after_reply(ag_httpd *d, ag_http_conn *c, ag_http_sent sent, ag_str rest)
{
	switch (sent) {
	case AG_HTTP_BROKEN: break;
	case AG_HTTP_STREAMS: return false;
	case AG_HTTP_BLOCKED:
		if (rest.len)
			ag_buf_add(&c->rest, rest);
		ag_http_conn_enter(c, AG_HTTP_WRITING, ag_http_send_ms(c->out->body.len));
		ag_http_conn_park(d, c, EPOLLOUT);
		return false;
	case AG_HTTP_SENT:
		if (c->stream)
			ag_http_stream_detach(c, true);
		ag_http_conn_set_active(d, c, false);
		if (!c->closes && !atomic_load_explicit(&d->is_stopping, memory_order_relaxed))
			return true;
		c->lingers |= rest.len > 0;
		finish(d, c);
		return false;
	}
	ag_http_conn_close(d, c);
	return false;
}

/* --- a request --- */

/* The turn is not this worker's any more, nor the bytes that it points into. rest: bytes after the request. */
static void put_off(desk *k, ag_http_turn *t, ag_str rest)
{
	char *const in = k->in;

	if (rest.len)
		ag_buf_add(&t->conn->rest, rest);
	k->in = NULL;
	if (t == k->turn) {
		k->turn = ag_http_turn_take(k->d);
		k->in = k->turn->in_bytes;
		k->turn->in_bytes = NULL;
	}
	if (!k->in)
		k->in = (char *)ag_xmalloc(AG_HTTPD_IN_BYTES);
	t->in_bytes = in; /* the request is a view of them */
	atomic_fetch_add(&k->d->nlater, 1);
	t->rp.later(t->rp.later_arg, &t->rq, &t->rp);
}

/* On any thread, which may be a worker that is at another request. */
void ag_httpd_send(ag_httpd_request *rq)
{
	/* The request is the server's own: it was const for the handler alone. */
	ag_http_turn *t = (ag_http_turn *)(uintptr_t)rq->from;
	ag_httpd *d = t->daemon;
	ag_http_conn *c = t->conn;
	const ag_http_sent sent = ag_http_reply(t, AG_S(""));

	ag_http_turn_give(t);
	if (sent == AG_HTTP_SENT && c->closes &&
	    c->rest.len) /* of a stream that goes on, c may not be touched */
		c->lingers = true;
	if (after_reply(d, c, sent, AG_S(""))) {
		if (c->rest.len) { /* a worker goes on with it as soon as there is room in the socket: now */
			ag_http_conn_enter(c, AG_HTTP_WRITING, ag_http_send_ms(0));
			ag_http_conn_park(d, c, EPOLLOUT);
		} else {
			wait_for_request(d, c);
		}
	}
	atomic_fetch_sub(&d->nlater, 1); /* the last touch: who stops the server waits for this */
}

/* The whole request is there, or an answer without the rest of it. False: the connection was parked or closed. */
static bool answer(desk *k, ag_http_conn *c, ag_http_turn *t, ag_str rest)
{
	ag_http_sent sent;

	ag_http_conn_enter(c, AG_HTTP_WORKING, 0); /* the handler takes its time */
	ag_http_conn_set_active(k->d, c, true);
	ag_http_turn_handle(t);
	if (t->rp.later) {
		put_off(k, t, rest);
		return false;
	}
	sent = ag_http_reply(t, rest);
	if (t == k->turn)
		ag_http_turn_end(t);
	else
		ag_http_turn_free(t);
	if (sent == AG_HTTP_SENT && c->rest.len) /* of a stream that was over at once */
		ag_buf_release(&c->rest);
	return after_reply(k->d, c, sent, rest);
}

/* Until more of the request comes. */
static void keep_turn(desk *k, ag_http_conn *c, ag_http_turn *t)
{
	c->turn = t;
	if (t == k->turn)
		k->turn = ag_http_turn_new(k->d);
}

static void refuse_reader(desk *k, ag_http_conn *c, ag_http_turn *t)
{
	const ag_http_reader *r = &t->reader;

	ag_http_turn_refuse(t, c, r->status, r->name, r->why);
	answer(k, c, t, AG_S(""));
}

static void refuse_spool(ag_http_turn *t, ag_http_conn *c)
{
	ag_http_turn_refuse(t, c, 503, "no_room",
	                    "the server cannot keep the body; its log says why");
}

/* The bytes that came have their place, in memory or in a file. False: t->rp says 503. */
static bool keep_body(ag_http_turn *t, ag_http_conn *c)
{
	const ag_http_spool kept = ag_http_spool_more(t);

	if (kept == AG_HTTP_SPOOL_OK && ag_http_turn_reserve(t))
		return true;
	if (kept == AG_HTTP_SPOOL_FAILED)
		refuse_spool(t, c);
	else
		ag_http_turn_refuse(t, c, 503, "busy",
		                    "too many large requests at once; try again");
	return false;
}

/* Bytes of the body of c->turn. True: the request was answered, *text is what follows it. */
static bool take_body(desk *k, ag_http_conn *c, ag_str *text)
{
	ag_http_turn *t = c->turn;
	ag_http_step step = AG_HTTP_MORE;
	size_t n;

	if (t->reader.framing == AG_HTTP_LENGTH) {
		const uint64_t missing = t->reader.length - t->spooled - t->body.len;

		n = text->len < missing ? text->len : (size_t)missing;
		ag_buf_add(&t->body, ag_str_make(text->ptr, n));
		if (n == missing)
			step = AG_HTTP_DONE;
	} else {
		n = text->len;
		if (n)
			step = ag_http_read_chunks(&t->reader, *text, &t->body, &n);
	}
	if (step != AG_HTTP_BAD && !keep_body(t, c)) {
		c->turn = NULL;
		return answer(k, c, t, AG_S(""));
	}
	if (step == AG_HTTP_MORE && !t->body.failed) {
		ag_http_conn_park(k->d, c, READ_EVENTS);
		return false;
	}
	c->turn = NULL;
	if (step == AG_HTTP_BAD) {
		ag_buf_clear(&t->rp.body);
		t->rp.nheader = 0;
		refuse_reader(k, c, t);
		return false;
	}
	if (t->body.failed)
		ag_http_turn_too_large(t, c);
	t->rq.body = ag_buf_view(&t->body);
	if (!t->is_answered && !ag_http_spool_whole(t))
		refuse_spool(t, c);
	*text = ag_str_make(text->ptr + n, text->len - n);
	return answer(k, c, t, *text);
}

static bool send_continue(const ag_http_conn *c)
{
	static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";

	/* Into an empty buffer: it fits, or nobody reads. */
	return send(c->fd, text, sizeof(text) - 1, MSG_NOSIGNAL | MSG_DONTWAIT) ==
	       (ssize_t)sizeof(text) - 1;
}

/* The head of t is there, at `head`; *text is what follows it. True: the request was answered, *text follows it. */
static bool take_request(desk *k, ag_http_conn *c, ag_http_turn *t, const char *head, ag_str *text)
{
	const ag_http_reader *r = &t->reader;
	const bool is_whole = r->framing == AG_HTTP_NO_BODY ||
	                      (r->framing == AG_HTTP_LENGTH && text->len >= r->length);

	if (!is_whole && head != t->in.ptr) {
		ag_buf_add(&t->in, ag_str_make(head, r->nhead));
		head = t->in.ptr;
	}
	ag_http_turn_begin(t, c, head);
	if (is_whole) {
		t->rq.body = ag_str_make(text->ptr, (size_t)r->length);
		*text = ag_str_make(text->ptr + r->length, text->len - (size_t)r->length);
		return answer(k, c, t, *text);
	}
	if (t->is_answered) {
		c->closes = c->lingers = true; /* what else comes is not read */
		return answer(k, c, t, AG_S(""));
	}
	if (r->expects_continue && text->len == 0 && !send_continue(c)) {
		if (t == k->turn)
			ag_http_turn_end(t);
		else
			ag_http_turn_free(t);
		ag_http_conn_close(k->d, c);
		return false;
	}
	keep_turn(k, c, t);
	ag_http_conn_enter(c, AG_HTTP_BODYING,
	                   ag_http_body_ms(r->framing == AG_HTTP_LENGTH ? r->length
	                                                                : t->rq.max_body));
	return take_body(k, c, text);
}

/* Answers the requests in text, one after the other; of the last one a part may be missing. */
static void take_requests(desk *k, ag_http_conn *c, ag_str text)
{
	while (text.len) {
		ag_http_turn *t = k->turn;
		const char *head = text.ptr;

		switch (ag_http_read_head(&t->reader, text)) {
		case AG_HTTP_MORE:
			ag_buf_add(&t->in, text);
			keep_turn(k, c, t);
			ag_http_conn_enter(c, AG_HTTP_HEADING,
			                   idle_ms(k->d) < HEAD_MS ? idle_ms(k->d) : HEAD_MS);
			ag_http_conn_park(k->d, c, READ_EVENTS);
			return;
		case AG_HTTP_BAD: refuse_reader(k, c, t); return;
		case AG_HTTP_DONE: break;
		}
		text = ag_str_make(head + t->reader.nhead, text.len - t->reader.nhead);
		if (!take_request(k, c, t, head, &text))
			return;
	}
	wait_for_request(k->d, c);
}

/* --- what an event needs --- */

/* Bytes from the socket into k->in. 0: the connection was parked or closed. */
static size_t take_bytes(desk *k, ag_http_conn *c, size_t max)
{
	const ssize_t n = recv(c->fd, k->in, max, MSG_DONTWAIT);

	if (n > 0)
		return (size_t)n;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		ag_http_conn_park(k->d, c, READ_EVENTS);
	else
		ag_http_conn_close(k->d, c);
	return 0;
}

static void read_requests(desk *k, ag_http_conn *c)
{
	const size_t n = take_bytes(k, c, AG_HTTPD_IN_BYTES);

	if (n)
		take_requests(k, c, ag_str_make(k->in, n));
}

static void read_head(desk *k, ag_http_conn *c)
{
	ag_http_turn *t = c->turn;
	const size_t n = take_bytes(k, c, AG_HTTP_MAX_HEAD - t->in.len);
	ag_str text;

	if (n == 0)
		return;
	ag_buf_add(&t->in, ag_str_make(k->in, n));
	switch (ag_http_read_head(&t->reader, ag_buf_view(&t->in))) {
	case AG_HTTP_MORE: ag_http_conn_park(k->d, c, READ_EVENTS); return;
	case AG_HTTP_BAD:
		c->turn = NULL;
		refuse_reader(k, c, t);
		return;
	case AG_HTTP_DONE: break;
	}
	c->turn = NULL;
	/* What follows the head came with this packet. */
	text = ag_str_make(k->in, t->in.len - t->reader.nhead);
	memmove(k->in, t->in.ptr + t->reader.nhead, text.len);
	t->in.len = t->reader.nhead;
	if (take_request(k, c, t, t->in.ptr, &text))
		take_requests(k, c, text);
}

static void read_body(desk *k, ag_http_conn *c)
{
	const size_t n = take_bytes(k, c, AG_HTTPD_IN_BYTES);
	ag_str text = ag_str_make(k->in, n);

	if (n && take_body(k, c, &text))
		take_requests(k, c, text);
}

/* The reply is out at last: what came meanwhile is next. */
static void go_on(desk *k, ag_http_conn *c, ag_http_sent sent)
{
	size_t n;

	if (sent == AG_HTTP_STREAMS)
		return;
	if (sent == AG_HTTP_BLOCKED) { /* its deadline stays: a slow reader does not prolong it */
		ag_http_conn_park(k->d, c, EPOLLOUT);
		return;
	}
	if (!after_reply(k->d, c, sent, ag_buf_view(&c->rest)))
		return;
	n = c->rest.len;
	if (n)
		memcpy(k->in, c->rest.ptr, n);
	ag_buf_release(&c->rest);
	take_requests(k, c, ag_str_make(k->in, n));
}

static void drop_bytes(desk *k, ag_http_conn *c)
{
	const size_t n = take_bytes(k, c, AG_HTTPD_IN_BYTES);

	if (n == 0)
		return;
	c->ndropped += (uint32_t)n;
	if (c->ndropped > LINGER_DROP)
		ag_http_conn_close(k->d, c);
	else
		ag_http_conn_park(k->d, c, READ_EVENTS);
}

void ag_http_serve(ag_http_seat *k)
{
	ag_http_conn *c = k->conn;

	switch ((ag_http_phase)atomic_load_explicit(&c->phase, memory_order_relaxed)) {
	case AG_HTTP_IDLE: read_requests(k, c); break;
	case AG_HTTP_HEADING: read_head(k, c); break;
	case AG_HTTP_BODYING: read_body(k, c); break;
	case AG_HTTP_LINGERING: drop_bytes(k, c); break;
	case AG_HTTP_WRITING: go_on(k, c, ag_http_reply_go_on(c)); break;
	case AG_HTTP_STREAMING:
		if (k->events & GONE)
			ag_http_conn_close(k->d, c);
		else
			go_on(k, c, ag_http_stream_send(c, false));
		break;
	case AG_HTTP_WORKING:
	case AG_HTTP_FREE: AG_ASSERT(!"parked in this phase"); break;
	}
}

/* --- what comes too late --- */

static void tell_too_late(const ag_http_conn *c)
{
	static const char body[] =
		"{\"error\":\"timeout\",\"message\":\"the request took too long to come\"}";
	char text[512];
	const int n = snprintf(text, sizeof(text),
	                       "HTTP/1.1 408 %s\r\nContent-Type: application/json\r\n"
	                       "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
	                       ag_httpd_reason(408), sizeof(body) - 1, body);

	if (send(c->fd, text, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) == n)
		shutdown(c->fd, SHUT_WR);
	if (c->turn && c->turn->conn) { /* of one whose head came */
		c->turn->rp.status = 408;
		ag_http_turn_served(c->turn, sizeof(body) - 1);
	}
}

void ag_http_conn_late(ag_httpd *d, ag_http_conn *c)
{
	const unsigned phase = atomic_load_explicit(&c->phase, memory_order_relaxed);
	const bool is_full = atomic_load_explicit(&c->events, memory_order_relaxed) & EPOLLOUT;

	if (phase == AG_HTTP_HEADING || phase == AG_HTTP_BODYING)
		tell_too_late(c);
	if (phase == AG_HTTP_STREAMING && !is_full) {
		ag_http_sent sent;

		ag_http_stream_ping(c);
		sent = ag_http_stream_send(c, false);
		if (sent == AG_HTTP_STREAMS)
			return;
		if (sent == AG_HTTP_SENT) /* it ended just now */
			ag_http_stream_detach(c, true);
	}
	ag_http_conn_close(d, c);
}

/* --- the door --- */

/* Has the process, or the machine, no more of what a connection needs? */
static bool is_out_of(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

static void accept_all(ag_httpd *d)
{
	static const struct timespec pause = { 0, FULL_NS };
	const bool was_armed = atomic_exchange_explicit(&d->is_door_armed, false,
	                                                memory_order_acquire);

	AG_ASSERT(was_armed);
	while (!atomic_load(&d->is_closed)) {
		const int fd = accept4(d->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0)
			ag_http_conn_open(d, fd);
		if (fd >= 0 || errno == EINTR || errno == ECONNABORTED)
			continue;
		if (errno == EAGAIN)
			break;
		/* Another error is that of one client, such as EPERM of a firewall: nobody else pays for it. */
		if (!is_out_of(errno) || !ag_http_conn_give_up_any(d)) {
			nanosleep(&pause, NULL);
			break;
		}
	}
	if (!atomic_load(&d->is_closed))
		ag_http_arm_door(d);
}

/* --- workers --- */

static void *worker_open(void *arg)
{
	worker *w = (worker *)ag_xcalloc(1, sizeof(*w));

	w->d = (ag_httpd *)arg;
	w->desk = ag_http_seat_take(w->d);
	return w;
}

static void worker_close(void *own)
{
	worker *w = (worker *)own;

	ag_http_seat_give(w->desk);
	free(w);
}

static void run_desk(worker *w)
{
	if (!ag_http_seat_run(w->desk))
		w->desk = ag_http_seat_take(w->d);
}

/* It becomes this worker's own. */
static void go_on_with(worker *w, desk *k)
{
	ag_http_seat_give(w->desk);
	w->desk = k;
	run_desk(w);
}

static void serve_mark(worker *w, uint64_t mark, uint32_t events)
{
	desk *k;

	if (mark == AG_HTTP_DOOR) {
		accept_all(w->d);
	} else if (mark == AG_HTTP_STOP || mark == AG_HTTP_KICK) {
		return;
	} else if (ag_http_is_seat(mark)) {
		k = ag_http_seat_claim(w->d, mark);
		if (k)
			go_on_with(w, k);
	} else {
		w->desk->conn = ag_http_conn_claim(w->d, mark);
		w->desk->events = events;
		if (w->desk->conn)
			run_desk(w);
	}
}

/* e NULL: only what is ready. */
static void serve_event(worker *w, ag_worker *self, const struct epoll_event *e)
{
	ag_httpd *d = w->d;
	desk *k;

	atomic_fetch_add(&d->nserving, 1);
	ag_worker_busy(self);
	if (e)
		serve_mark(w, e->data.u64, e->events);
	while ((k = ag_http_seat_ready(d))) {
		ag_worker_busy(self);
		go_on_with(w, k);
	}
	ag_worker_done(self);
	atomic_fetch_sub(&d->nserving, 1);
}

static int64_t put_off_us(const ag_httpd *d)
{
	return d->opts.put_off_us ? d->opts.put_off_us(d->opts.arg) : -1;
}

static void settle(const ag_httpd *d, ag_worker *self)
{
	ag_worker_busy(self);
	d->opts.settle(d->opts.arg);
	ag_worker_done(self);
}

/* How long a worker without a request leaves the replies that are put off: while another one is at a request, or while more
 * requests wait for their databases than have been put off; all these are likely to put off their own. But not longer than
 * PUT_OFF_US after the first. A slow worker is not waited for. */
static int64_t patience_us(const ag_httpd *d, const ag_worker *self, int64_t us)
{
	const bool is_last = atomic_load(&d->nserving) <= ag_worker_nslow(self) &&
	                     atomic_load(&d->nlater) >= atomic_load(&d->seats.nsocket);

	return is_last ? 0 : PUT_OFF_US - us;
}

/* While replies are put off, what is ready already comes first: the more of them, the cheaper is each. */
static bool turn(void *own, ag_worker *self)
{
	worker *w = (worker *)own;
	ag_httpd *d = w->d;
	struct epoll_event e;
	int n;

	if (put_off_us(d) > PUT_OFF_US) /* the worker that put them off is at something slow */
		settle(d, self);
	if (atomic_load(&d->seats.nready))
		serve_event(w, self, NULL);
	n = epoll_wait(d->epoll_fd, &e, 1, -1);
	while (n == 1 && !atomic_load(&d->is_over)) {
		int64_t us;

		serve_event(w, self, &e);
		us = put_off_us(d);
		if (us < 0)
			return true;
		n = 0;
		if (us < PUT_OFF_US) {
			const int64_t left_us = patience_us(d, self, us);
			const struct timespec ts = { .tv_nsec = left_us * 1000 };

			n = left_us ? epoll_pwait2(d->epoll_fd, &e, 1, &ts, NULL)
			            : epoll_wait(d->epoll_fd, &e, 1, 0);
		}
	}
	if (put_off_us(d) >= 0)
		settle(d, self);
	if (!atomic_load(&d->is_over))
		return true;
	/* Nobody pauses any more. What did is finished by workers, and the rest by who stops them. */
	while (ag_http_seats_look(d, true))
		serve_event(w, self, NULL);
	return false;
}

/* On a crowded machine threads that block are the better way: the kernel wakes them on the core that PostgreSQL leaves. */
static bool tick(void *arg, bool is_crowded)
{
	ag_httpd *d = (ag_httpd *)arg;

	atomic_store(&d->seats.is_shut, is_crowded);
	return ag_http_seats_look(d, false);
}

/* --- life --- */

static bool watch(ag_httpd *d)
{
	struct epoll_event stop = { .events = EPOLLIN, .data.u64 = AG_HTTP_STOP };
	struct epoll_event door = { .events = EPOLLIN | EPOLLONESHOT, .data.u64 = AG_HTTP_DOOR };

	d->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	d->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return d->epoll_fd >= 0 && d->stop_fd >= 0 &&
	       epoll_ctl(d->epoll_fd, EPOLL_CTL_ADD, d->stop_fd, &stop) == 0 &&
	       epoll_ctl(d->epoll_fd, EPOLL_CTL_ADD, d->listen_fd, &door) == 0;
}

ag_status ag_http_loop_start(ag_httpd *d, ag_err *err)
{
	const unsigned nfast = FAST_PER_CORE * (unsigned)get_nprocs();
	const unsigned nhandler = d->opts.max_connections < MAX_HANDLERS ? d->opts.max_connections
	                                                                 : MAX_HANDLERS;
	const ag_workers_opts o = {
		.nfast = nfast < MAX_FAST ? nfast : MAX_FAST,
		.nleast = 1,
		.max = nhandler + MAX_FAST,
		.stack_bytes = AG_HTTPD_STACK_BYTES,
		.open = worker_open,
		.close = worker_close,
		.turn = turn,
		.tick = tick,
		.arg = d,
	};

	atomic_init(&d->is_door_armed, true);
	if (!watch(d) || !ag_http_seats_open(d, o.max))
		return ag_fail_errno(err, errno, ORIGIN, "no descriptors for the server");
	return ag_workers_start(&o, &d->workers, err);
}

void ag_http_loop_close_door(ag_httpd *d)
{
	atomic_store(&d->is_closed, true);
	/* No client waits in its queue; and a worker that is about to accept finds it shut. */
	epoll_ctl(d->epoll_fd, EPOLL_CTL_DEL, d->listen_fd, NULL);
	shutdown(d->listen_fd, SHUT_RDWR);
}

/* A worker that was sent to sleep has not looked whether somebody pauses. */
static void finish_paused(ag_httpd *d)
{
	desk *k;

	while (ag_http_seats_look(d, true)) {
		k = ag_http_seat_ready(d);
		if (k && ag_http_seat_run(k))
			ag_http_seat_give(k);
	}
}

void ag_http_loop_stop(ag_httpd *d)
{
	const uint64_t one = 1;

	atomic_store(&d->is_over, true);
	pthread_mutex_lock(&d->lock);
	for (uint32_t i = 0; i < d->nused; i++)
		if (d->conns[i].fd >= 0)
			shutdown(d->conns[i].fd, SHUT_RDWR);
	pthread_mutex_unlock(&d->lock);
	if (write(d->stop_fd, &one, sizeof(one)) < 0) /* it never was written before */
		AG_ASSERT(errno == EINTR);
	d->workers = ag_workers_stop(d->workers);
	finish_paused(d);
}
