/* Streams: text that a writer adds and the connection's thread sends, with a sign of life in between.
 *
 * The connection's thread waits in read_stream(), which libmicrohttpd calls for more bytes, in one poll for both: the
 * writer (an eventfd) and the client's end (RDHUP). A client that leaves is so seen at once, not at the second write. */
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "http/server_parts.h"

#define MAX_WAITING (4u << 20) /* default */
#define SEND_MS     60000      /* for one of them: then the reader is taken for gone */

static const char PING[] = ": ping\n\n";

struct ag_httpd_stream {
	pthread_mutex_t lock;
	unsigned nshare;
	ag_buf waiting;
	size_t nsent;    /* bytes of `waiting` that went out */
	bool is_ended;   /* by the writer */
	bool is_stopped; /* by the server */
	bool is_gone;    /* nobody reads any more */
	bool is_asleep;  /* the connection's thread waits in poll */
	int wake_fd;
	void (*on_close)(void *arg, bool is_gone);
	void *on_close_arg;
	/* Of the connection's thread. */
	ag_httpd *daemon;
	ag_httpd_conn *conn;
	bool is_whole;                /* all went out */
	ag_httpd_stream *prev, *next; /* under the daemon's lock */
};

ag_httpd_stream *ag_httpd_stream_new(size_t max_waiting_bytes)
{
	ag_httpd_stream *s = (ag_httpd_stream *)ag_xcalloc(1, sizeof(*s));

	pthread_mutex_init(&s->lock, NULL);
	s->nshare = 2;
	s->wake_fd = -1;
	ag_buf_init(&s->waiting, max_waiting_bytes ? max_waiting_bytes : MAX_WAITING);
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
	if (s->wake_fd >= 0)
		close(s->wake_fd);
	ag_buf_release(&s->waiting);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Under the lock. */
static void wake(ag_httpd_stream *s)
{
	uint64_t one = 1;

	if (!s->is_asleep)
		return;
	s->is_asleep = false;
	/* It cannot be full: one write for each sleep. */
	if (write(s->wake_fd, &one, sizeof(one)) < 0)
		return;
}

/* --- the writer --- */

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

/* What is added must fit whole, or the stream is over: half an event would be read as another one. */
static bool finish_adding(ag_httpd_stream *s)
{
	if (s->waiting.failed) {
		s->is_gone = true;
		ag_buf_clear(&s->waiting);
		s->nsent = 0;
	}
	wake(s);
	return !s->is_gone;
}

bool ag_httpd_stream_event(ag_httpd_stream *s, const char *name, ag_str id, ag_str data)
{
	bool ok = false;

	pthread_mutex_lock(&s->lock);
	if (!is_over(s)) {
		if (name)
			add_field(&s->waiting, "event: ", ag_str_c(name));
		if (id.len)
			add_field(&s->waiting, "id: ", id);
		add_data(&s->waiting, data);
		ag_buf_addc(&s->waiting, '\n');
		ok = finish_adding(s);
	}
	pthread_mutex_unlock(&s->lock);
	return ok;
}

bool ag_httpd_stream_retry(ag_httpd_stream *s, int64_t ms)
{
	bool ok = false;

	pthread_mutex_lock(&s->lock);
	if (!is_over(s)) {
		ag_buf_addf(&s->waiting, "retry: %lld\n\n", (long long)ms);
		ok = finish_adding(s);
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

void ag_httpd_stream_end(ag_httpd_stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->is_ended = true;
	wake(s);
	pthread_mutex_unlock(&s->lock);
	drop(s);
}

/* --- the connection's thread --- */

/* Under the lock. Bytes that were taken; what was sent is given back when all is. */
static size_t take(ag_httpd_stream *s, char *out, size_t max)
{
	size_t n = s->waiting.len - s->nsent;

	if (n > max)
		n = max;
	if (n)
		memcpy(out, s->waiting.ptr + s->nsent, n);
	s->nsent += n;
	if (s->nsent == s->waiting.len) {
		if (s->waiting.cap > AG_HTTPD_CHUNK)
			ag_buf_release(&s->waiting);
		ag_buf_clear(&s->waiting);
		s->nsent = 0;
	} else if (s->nsent > s->waiting.len / 2) {
		/* The limit is of what waits: what went out must not count. */
		memmove(s->waiting.ptr, s->waiting.ptr + s->nsent, s->waiting.len - s->nsent);
		s->waiting.len -= s->nsent;
		s->nsent = 0;
	}
	return n;
}

static void set_gone(ag_httpd_stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->is_gone = true;
	pthread_mutex_unlock(&s->lock);
}

/* Waits for the writer. 1: look again; 0: a sign of life is due; -1: the client left. */
static int wait_for_more(ag_httpd_stream *s)
{
	struct pollfd p[2] = { { .fd = s->conn->fd, .events = POLLRDHUP },
		               { .fd = s->wake_fd, .events = POLLIN } };
	uint64_t n;
	int got = poll(p, 2, (int)s->daemon->opts.ping_ms);

	pthread_mutex_lock(&s->lock);
	s->is_asleep = false;
	pthread_mutex_unlock(&s->lock);
	if (got > 0 && (p[1].revents & POLLIN) && read(s->wake_fd, &n, sizeof(n)) < 0)
		return 1;
	if (got > 0 && (p[0].revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)))
		return -1;
	return got == 0 ? 0 : 1;
}

/* What is handed out must leave in time, or the guard ends the connection. */
static void expect_progress(ag_httpd_stream *s)
{
	ag_httpd_set_deadline(s->conn->line, SEND_MS);
}

ssize_t ag_httpd_stream_read(ag_httpd_stream *s, char *out, size_t max)
{
	int more = 1;

	ag_httpd_set_deadline(s->conn->line, 0);
	while (more > 0) {
		bool is_end;
		size_t n;

		pthread_mutex_lock(&s->lock);
		n = s->is_gone ? 0 : take(s, out, max);
		is_end = is_over(s);
		s->is_whole = is_end && !s->is_gone && s->is_ended;
		s->is_asleep = n == 0 && !is_end;
		pthread_mutex_unlock(&s->lock);
		if (n == 0 && is_end) {
			expect_progress(s);
			return s->is_gone ? -1 : 0;
		}
		if (n) {
			expect_progress(s);
			s->is_whole = false;
			return (ssize_t)n;
		}
		more = wait_for_more(s);
	}
	if (more < 0) {
		set_gone(s);
		return -1;
	}
	memcpy(out, PING, sizeof(PING) - 1);
	expect_progress(s);
	return (ssize_t)(sizeof(PING) - 1);
}

static ssize_t read_stream(void *cls, uint64_t pos, char *out, size_t max)
{
	ssize_t n = ag_httpd_stream_read((ag_httpd_stream *)cls, out, max);

	(void)pos;
	return n > 0    ? n
	       : n == 0 ? MHD_CONTENT_READER_END_OF_STREAM
	                : MHD_CONTENT_READER_END_WITH_ERROR;
}

static void unlist(ag_httpd_stream *s)
{
	ag_httpd *d = s->daemon;

	pthread_mutex_lock(&d->lock);
	if (s->prev)
		s->prev->next = s->next;
	else
		d->streams = s->next;
	if (s->next)
		s->next->prev = s->prev;
	pthread_mutex_unlock(&d->lock);
}

void ag_httpd_stream_detach(ag_httpd_stream *s)
{
	void (*fn)(void *arg, bool is_gone);

	unlist(s);
	pthread_mutex_lock(&s->lock);
	s->is_gone = s->is_gone || !s->is_whole;
	fn = s->on_close;
	pthread_mutex_unlock(&s->lock);
	if (fn)
		fn(s->on_close_arg, !s->is_whole);
	drop(s);
}

static void free_stream(void *cls)
{
	ag_httpd_stream_detach((ag_httpd_stream *)cls);
}

ag_httpd_stream *ag_httpd_stream_attach(ag_httpd_conn *c, ag_httpd_reply *rp)
{
	ag_httpd_stream *s = rp->stream;
	ag_httpd *d = c->daemon;

	rp->stream = NULL;
	s->daemon = d;
	s->conn = c;
	s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_lock(&d->lock);
	s->next = d->streams;
	if (s->next)
		s->next->prev = s;
	d->streams = s;
	pthread_mutex_unlock(&d->lock);
	if (atomic_load(&d->is_stopping)) {
		pthread_mutex_lock(&s->lock);
		s->is_stopped = true;
		pthread_mutex_unlock(&s->lock);
	}
	if (s->wake_fd < 0) {
		ag_httpd_stream_detach(s);
		return NULL;
	}
	rp->content_type = AG_S("text/event-stream");
	ag_httpd_add_header(rp, "Cache-Control", AG_S("no-cache, no-transform"));
	ag_httpd_add_header(rp, "X-Accel-Buffering", AG_S("no"));
	return s;
}

enum MHD_Result ag_httpd_stream_queue(ag_httpd_conn *c, struct MHD_Connection *mc,
                                      ag_httpd_reply *rp)
{
	ag_httpd_stream *s = ag_httpd_stream_attach(c, rp);
	struct MHD_Response *r;

	if (!s)
		return MHD_NO;
	r = c->daemon->mhd->create_response_from_callback(MHD_SIZE_UNKNOWN, AG_HTTPD_CHUNK,
	                                                  read_stream, s, free_stream);
	if (!r) {
		ag_httpd_stream_detach(s);
		return MHD_NO;
	}
	return ag_httpd_queue(c, mc, rp, r);
}

void ag_httpd_streams_stop(ag_httpd *d)
{
	pthread_mutex_lock(&d->lock);
	for (ag_httpd_stream *s = d->streams; s; s = s->next) {
		pthread_mutex_lock(&s->lock);
		s->is_stopped = true;
		wake(s);
		pthread_mutex_unlock(&s->lock);
	}
	pthread_mutex_unlock(&d->lock);
}
