/* Streams: text that a writer adds and the server sends, with a sign of life in between.
 *
 * What waits is kept as it goes over the wire, each event a chunk of its own. The writer's own thread sends what the socket takes
 * at once, which spares a switch to a worker. For the rest, and for the end of the reply, it asks epoll to watch for room in the
 * socket: a worker comes and sends. No thread waits. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "http/parts.h"

#define MAX_WAITING (4u << 20) /* default */
#define FRAMING \
	(20u * 1024)    /* bytes beside the writer's: the head of the reply, the frame of a chunk */
#define KEPT_BYTES 1024 /* of an empty buffer */
#define PING       AG_S(": ping\n\n")

struct ag_httpd_stream {
	pthread_mutex_t lock;
	unsigned nshare;
	ag_buf waiting;
	size_t nsent;    /* bytes of `waiting` that went out */
	bool is_ended;   /* by the writer */
	bool is_stopped; /* by the server */
	bool is_gone;    /* nobody reads any more */
	size_t head; /* bytes of the reply's head at the begin of `waiting`; 0 when a part of it was sent */
	bool is_chunked;
	bool has_end;   /* the last chunk is in `waiting` */
	bool is_called; /* epoll watches for room in the socket */
	void (*on_close)(void *arg, bool is_gone);
	void *on_close_arg;
	void (*on_served)(void *arg, const ag_httpd_served *served);
	void *on_served_arg;
	ag_httpd_served served; /* so far */
	int64_t began_us;       /* its request */
	ag_httpd *daemon;
	ag_http_conn *conn; /* NULL: before the reply, and after its end */
};

ag_httpd_stream *ag_httpd_stream_new(size_t max_waiting_bytes)
{
	ag_httpd_stream *s = (ag_httpd_stream *)ag_xcalloc(1, sizeof(*s));

	pthread_mutex_init(&s->lock, NULL);
	s->nshare = 2;
	ag_buf_init(&s->waiting, (max_waiting_bytes ? max_waiting_bytes : MAX_WAITING) + FRAMING);
	return s;
}

static void drop(ag_httpd_stream *s)
{
	bool is_last;

	pthread_mutex_lock(&s->lock);
	is_last = --s->nshare == 0;
	pthread_mutex_unlock(&s->lock);
	if (!is_last)
		return;
	ag_buf_release(&s->waiting);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* --- sending --- */

/* With the lock: what went out must not count in the limit of what waits. */
static void forget_sent(ag_httpd_stream *s)
{
	ag_buf *b = &s->waiting;

	if (s->nsent == b->len) {
		if (b->cap > KEPT_BYTES)
			ag_buf_release(b);
		ag_buf_clear(b);
		s->nsent = 0;
	} else if (s->nsent > b->len / 2) {
		memmove(b->ptr, b->ptr + s->nsent, b->len - s->nsent);
		b->len -= s->nsent;
		s->nsent = 0;
	}
}

/* With the lock: until nothing waits, or the socket takes no more. */
static ag_http_sent send_waiting(ag_httpd_stream *s, int fd)
{
	while (s->nsent < s->waiting.len) {
		ssize_t n = send(fd, s->waiting.ptr + s->nsent, s->waiting.len - s->nsent,
		                 MSG_NOSIGNAL | MSG_DONTWAIT);

		s->head = 0;
		if (n >= 0) {
			s->nsent += (size_t)n;
			s->served.nbyte += (size_t)n;
		} else if (errno == EAGAIN) {
			break;
		} else if (errno != EINTR) {
			return AG_HTTP_BROKEN;
		}
	}
	forget_sent(s);
	return s->waiting.len ? AG_HTTP_BLOCKED : AG_HTTP_SENT;
}

/* --- the writer; with the lock --- */

/* A worker sends what waits: at once, or when the client has read. */
static void call_server(ag_httpd_stream *s)
{
	if (!s->conn || s->is_called)
		return;
	s->is_called = true;
	ag_http_conn_watch(s->daemon, s->conn, EPOLLOUT | EPOLLRDHUP);
}

static bool is_over(const ag_httpd_stream *s)
{
	return s->is_gone || s->is_stopped || s->is_ended;
}

/* A field of one line: what would end the line cannot be in it. */
static void add_field(ag_buf *b, const char *name, ag_str value)
{
	ag_buf_adds(b, name);
	for (size_t i = 0; i < value.len; i++)
		if (value.ptr[i] != '\n' && value.ptr[i] != '\r' && value.ptr[i] != '\0')
			ag_buf_addc(b, value.ptr[i]);
	ag_buf_addc(b, '\n');
}

static void add_data(ag_buf *b, ag_str data)
{
	do {
		ag_str line = ag_str_split(&data, '\n');

		if (line.len && line.ptr[line.len - 1] == '\r')
			line.len--;
		ag_buf_adds(b, "data: ");
		ag_buf_add(b, line);
		ag_buf_addc(b, '\n');
	} while (data.ptr);
}

/* What goes out before `text` bytes are written: their number in a chunk's frame has this many digits, always. */
#define SIZE_TEXT "00000000\r\n"
#define NSIZE     (sizeof(SIZE_TEXT) - 1)

static size_t begin_chunk(ag_httpd_stream *s)
{
	if (s->is_chunked)
		ag_buf_add(&s->waiting, AG_S(SIZE_TEXT));
	return s->waiting.len;
}

static void write_size(char to[8], size_t n)
{
	for (int i = 7; i >= 0; i--, n >>= 4)
		to[i] = "0123456789abcdef"[n & 15];
}

/* What is added must fit whole, or the stream is over: half an event would be read as another one. */
static bool end_chunk(ag_httpd_stream *s, size_t at)
{
	if (s->is_chunked && !s->waiting.failed) {
		write_size(s->waiting.ptr + at - NSIZE, s->waiting.len - at);
		ag_buf_add(&s->waiting, AG_S("\r\n"));
	}
	if (s->waiting.failed) {
		s->is_gone = true;
		s->nsent = 0;
		if (s->head) { /* the owner has not sent it yet, and closes after it */
			s->waiting.len = s->head;
			s->waiting.failed = false;
			return false;
		}
		ag_buf_clear(&s->waiting);
		if (s->conn) /* the client does not read: there is never room, so epoll reports its end */
			shutdown(s->conn->fd, SHUT_RDWR);
	}
	return !s->is_gone;
}

/* Sends what the socket takes, unless a worker is called for it. */
static void send_now(ag_httpd_stream *s)
{
	ag_http_sent sent;

	if (!s->conn || s->is_called || s->is_gone)
		return;
	sent = send_waiting(s, s->conn->fd);
	if (sent == AG_HTTP_SENT)
		return;
	if (sent == AG_HTTP_BLOCKED) /* from now on the client has this long to read */
		ag_http_conn_enter(s->conn, AG_HTTP_STREAMING, ag_http_send_ms(0));
	call_server(s);
}

bool ag_httpd_stream_add(ag_httpd_stream *s, const char *name, ag_str id, ag_str data)
{
	bool ok = false;

	pthread_mutex_lock(&s->lock);
	if (!is_over(s)) {
		const size_t at = begin_chunk(s);

		if (name)
			add_field(&s->waiting, "event: ", ag_str_c(name));
		if (id.len)
			add_field(&s->waiting, "id: ", id);
		add_data(&s->waiting, data);
		ag_buf_addc(&s->waiting, '\n');
		ok = end_chunk(s, at);
		if (!ok)
			call_server(s);
	}
	pthread_mutex_unlock(&s->lock);
	return ok;
}

void ag_httpd_stream_flush(ag_httpd_stream *s)
{
	pthread_mutex_lock(&s->lock);
	if (s->waiting.len)
		send_now(s);
	pthread_mutex_unlock(&s->lock);
}

bool ag_httpd_stream_event(ag_httpd_stream *s, const char *name, ag_str id, ag_str data)
{
	const bool ok = ag_httpd_stream_add(s, name, id, data);

	if (ok)
		ag_httpd_stream_flush(s);
	return ok;
}

bool ag_httpd_stream_retry(ag_httpd_stream *s, int64_t ms)
{
	bool ok = false;

	pthread_mutex_lock(&s->lock);
	if (!is_over(s)) {
		const size_t at = begin_chunk(s);

		ag_buf_addf(&s->waiting, "retry: %lld\n\n", (long long)ms);
		ok = end_chunk(s, at);
		if (ok)
			send_now(s);
		else
			call_server(s);
	}
	pthread_mutex_unlock(&s->lock);
	return ok;
}

bool ag_httpd_stream_is_gone(ag_httpd_stream *s)
{
	bool is_gone;

	pthread_mutex_lock(&s->lock);
	is_gone = s->is_gone || s->is_stopped;
	pthread_mutex_unlock(&s->lock);
	return is_gone;
}

void ag_httpd_stream_on_close(ag_httpd_stream *s, void (*fn)(void *arg, bool is_gone), void *arg)
{
	pthread_mutex_lock(&s->lock);
	s->on_close = fn;
	s->on_close_arg = arg;
	pthread_mutex_unlock(&s->lock);
}

void ag_httpd_stream_on_served(ag_httpd_stream *s, void (*fn)(void *arg, const ag_httpd_served *s),
                               void *arg)
{
	pthread_mutex_lock(&s->lock);
	s->on_served = fn;
	s->on_served_arg = arg;
	pthread_mutex_unlock(&s->lock);
}

void ag_httpd_stream_end(ag_httpd_stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->is_ended = true;
	call_server(s);
	pthread_mutex_unlock(&s->lock);
	drop(s);
}

/* --- the connection's owner --- */

void ag_http_stream_attach(ag_httpd_stream *s, ag_http_turn *t, ag_str head, bool is_chunked)
{
	ag_buf all;

	pthread_mutex_lock(&s->lock);
	ag_buf_init(&all, s->waiting.limit);
	ag_buf_add(&all, head);
	if (s->waiting.len && is_chunked)
		ag_buf_addf(&all, "%zx\r\n", s->waiting.len);
	ag_buf_add(&all, ag_buf_view(&s->waiting));
	if (s->waiting.len && is_chunked)
		ag_buf_add(&all, AG_S("\r\n"));
	s->is_gone |= all.failed;
	s->head = head.len;
	ag_buf_release(&s->waiting);
	s->waiting = all;
	s->is_chunked = is_chunked;
	s->served.status = t->rp.status;
	s->began_us = t->began_us;
	s->daemon = t->daemon;
	s->conn = t->conn;
	s->is_called = true; /* the owner sends what waits before it parks */
	t->conn->stream = s;
	pthread_mutex_unlock(&s->lock);
}

ag_http_sent ag_http_stream_send(ag_http_conn *c, bool must_read)
{
	ag_httpd_stream *s = c->stream;
	ag_httpd *d = s->daemon;
	ag_http_sent sent;

	pthread_mutex_lock(&s->lock);
	if (atomic_load(&d->is_stopping))
		s->is_stopped = true;
	if (is_over(s) && s->is_chunked && !s->has_end && !s->is_gone) {
		ag_buf_add(&s->waiting, AG_S("0\r\n\r\n"));
		s->has_end = true;
	}
	sent = send_waiting(s, c->fd);
	if (s->is_gone ||
	    s->waiting
	            .failed) /* what there is was sent: the head, if the writer was too fast for it */
		sent = AG_HTTP_BROKEN;
	if (sent == AG_HTTP_BLOCKED && must_read)
		sent = AG_HTTP_BROKEN;
	if (sent == AG_HTTP_BLOCKED || (sent == AG_HTTP_SENT && !is_over(s))) {
		const bool is_full = sent == AG_HTTP_BLOCKED;

		/* Under the lock: a writer that adds now watches for room after this, not before. */
		s->is_called = is_full;
		ag_http_conn_enter(c, AG_HTTP_STREAMING,
		                   is_full ? ag_http_send_ms(0) : d->opts.ping_ms);
		ag_http_conn_park(d, c, (is_full ? EPOLLOUT : 0u) | EPOLLRDHUP);
		sent = AG_HTTP_STREAMS;
	}
	pthread_mutex_unlock(&s->lock);
	return sent;
}

void ag_http_stream_ping(ag_http_conn *c)
{
	ag_httpd_stream *s = c->stream;

	pthread_mutex_lock(&s->lock);
	if (!is_over(s) && s->waiting.len == 0) {
		const size_t at = begin_chunk(s);

		ag_buf_add(&s->waiting, PING);
		s->is_called = true; /* by the caller */
		end_chunk(s, at);
	}
	pthread_mutex_unlock(&s->lock);
}

void ag_http_stream_detach(ag_http_conn *c, bool is_whole)
{
	ag_httpd_stream *s = c->stream;
	void (*fn)(void *arg, bool is_gone);

	c->stream = NULL;
	pthread_mutex_lock(&s->lock);
	s->conn = NULL;
	is_whole = is_whole && s->is_ended && !s->is_gone;
	s->is_gone = s->is_gone || !is_whole;
	fn = s->on_close;
	pthread_mutex_unlock(&s->lock);
	if (fn)
		fn(s->on_close_arg, !is_whole);
	if (s->on_served) { /* set before the stream began, like what follows */
		s->served.took_us = ag_time_mono_us() - s->began_us;
		s->served.is_cut = !is_whole;
		s->on_served(s->on_served_arg, &s->served);
	}
	drop(s);
}
