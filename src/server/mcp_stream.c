/* Streams of messages. A reader is a connection; a stream of a session outlives it: what was sent is kept for a while, and
 * whoever comes back with the id of the last event he saw gets what follows (Last-Event-ID).
 *
 * A stream is in the list once it was read: the list has a share, until all has reached a reader, or nobody came back. */
#include <stdlib.h>

#include "server/parts.h"

#define KEPT_BYTES (1u << 20)  /* of one stream: the oldest are forgotten first */
#define KEPT_ENDED 64u         /* streams that ended and wait for somebody to come back */
#define KEPT_MS    60000       /* how long they do */
#define WAIT_BYTES (16u << 20) /* that a slow reader lets wait */
#define RETRY_MS   500         /* after a connection was let go: a call goes on meanwhile */

struct ag_server_stream {
	ag_server *h;
	ag_server_stream *next; /* in the list; with streams_lock */
	bool is_listed;
	atomic_uint refs;
	uint64_t number;
	ag_mcp_session *session; /* NULL: stateless */
	ag_server_grant *grant;  /* of a listening one; NULL = none */
	bool is_listening, is_primed;
	ag_mcp_peer peer; /* of the session, when it is listening */
	void (*on_left)(void *arg);
	void *arg;

	pthread_mutex_t lock; /* of what follows */
	ag_httpd_stream *out; /* the reader; NULL = none */
	ag_buf kept;          /* messages, a line each */
	uint64_t first, next_place,
		sent; /* first that is kept; of the next one; last that went to a reader */
	bool is_ended, was_read, wants_go;
	int64_t left_ms; /* since when there is no reader */
};

/* A connection that reads. */
typedef struct reader {
	ag_server_stream *stream;
	ag_httpd_stream *out;
} reader;

ag_server_stream *ag_server_stream_new(ag_server *h, const ag_server_stream_opts *o)
{
	ag_server_stream *s = (ag_server_stream *)ag_xcalloc(1, sizeof(*s));

	s->h = h;
	atomic_init(&s->refs, 1);
	s->session = o->session;
	s->is_listening = o->is_listening;
	/* Clients of older revisions take an event without data for a broken message. */
	s->is_primed = o->session && ag_mcp_session_revision(o->session) >= AG_MCP_2025_11_25;
	s->on_left = o->on_left;
	s->arg = o->arg;
	s->first = s->next_place = 1;
	s->left_ms = ag_clock_mono(h->opts.clock);
	pthread_mutex_init(&s->lock, NULL);
	ag_buf_init(&s->kept, WAIT_BYTES);
	pthread_mutex_lock(&h->streams_lock);
	s->number = ++h->last_stream;
	pthread_mutex_unlock(&h->streams_lock);
	return s;
}

void ag_server_stream_drop(ag_server_stream *s)
{
	if (!s || atomic_fetch_sub(&s->refs, 1) > 1)
		return;
	AG_ASSERT(!s->out);
	ag_server_grant_end(s->h, s->grant);
	ag_buf_release(&s->kept);
	pthread_mutex_destroy(&s->lock);
	ag_mcp_session_drop(s->session);
	free(s);
}

/* --- the list --- */

static void enlist(ag_server_stream *s)
{
	pthread_mutex_lock(&s->h->streams_lock);
	if (!s->is_listed) {
		s->is_listed = true;
		atomic_fetch_add(&s->refs, 1);
		s->next = s->h->streams;
		s->h->streams = s;
	}
	pthread_mutex_unlock(&s->h->streams_lock);
}

/* The caller has a share of its own, so the list's is never the last. */
static void unlist(ag_server_stream *s)
{
	bool was_there = false;

	pthread_mutex_lock(&s->h->streams_lock);
	for (ag_server_stream **p = &s->h->streams; *p && !was_there;
	     p = was_there ? p : &(*p)->next)
		if (*p == s) {
			*p = s->next;
			s->is_listed = false;
			was_there = true;
		}
	pthread_mutex_unlock(&s->h->streams_lock);
	if (was_there)
		atomic_fetch_sub(&s->refs, 1);
}

static bool is_given_up(ag_server_stream *s, int64_t now, unsigned *nended)
{
	bool is_over;

	pthread_mutex_lock(&s->lock);
	is_over = !s->out && (s->is_ended || s->is_listening);
	if (is_over && now - s->left_ms < KEPT_MS)
		is_over = s->is_ended && ++*nended > KEPT_ENDED;
	pthread_mutex_unlock(&s->lock);
	return is_over;
}

/* With streams_lock: takes them out of the list. */
static ag_server_stream *take_given_up(ag_server *h)
{
	const int64_t now = ag_clock_mono(h->opts.clock);
	ag_server_stream *over = NULL, **p = &h->streams;
	unsigned nended = 0;

	while (*p) {
		ag_server_stream *s = *p;

		if (!is_given_up(s, now, &nended)) {
			p = &s->next;
			continue;
		}
		*p = s->next;
		s->is_listed = false;
		s->next = over;
		over = s;
	}
	return over;
}

/* Without a lock. */
static void give_up(ag_server_stream *list)
{
	while (list) {
		ag_server_stream *s = list;

		list = s->next;
		if (s->is_listening)
			ag_mcp_session_listen(s->session, NULL);
		ag_server_stream_end(s);
		ag_server_stream_drop(s);
	}
}

ag_server_stream *ag_server_stream_find(ag_server *h, const ag_mcp_session *session,
                                        uint64_t number)
{
	ag_server_stream *over, *s;

	pthread_mutex_lock(&h->streams_lock);
	over = take_given_up(h);
	for (s = h->streams; s; s = s->next)
		if (s->session == session && (number ? s->number == number : s->is_listening))
			break;
	if (s)
		atomic_fetch_add(&s->refs, 1);
	pthread_mutex_unlock(&h->streams_lock);
	give_up(over);
	return s;
}

void ag_server_streams_free(ag_server *h)
{
	ag_server_stream *all;

	pthread_mutex_lock(&h->streams_lock);
	all = h->streams;
	h->streams = NULL;
	for (ag_server_stream *s = all; s; s = s->next)
		s->is_listed = false;
	pthread_mutex_unlock(&h->streams_lock);
	give_up(all);
}

/* --- the reader; with the lock --- */

static bool put(ag_server_stream *s, uint64_t place, ag_str message)
{
	char id[AG_MCP_EVENT_CHARS];

	return ag_httpd_stream_event(s->out, "message",
	                             s->session ? ag_mcp_event_id(s->number, place, id) : AG_S(""),
	                             message);
}

static void end_reader(ag_server_stream *s)
{
	if (!s->out)
		return;
	ag_httpd_stream_end(s->out);
	s->out = NULL;
	s->left_ms = ag_clock_mono(s->h->opts.clock);
}

/* Forgets the oldest until no more than max bytes are kept. */
static void forget_oldest(ag_server_stream *s, size_t max)
{
	while (s->kept.len > max) {
		const char *end = memchr(s->kept.ptr, '\n', s->kept.len);
		size_t n = (size_t)(end - s->kept.ptr) + 1;

		memmove(s->kept.ptr, s->kept.ptr + n, s->kept.len - n);
		s->kept.len -= n;
		s->first++;
	}
}

/* A message that is too large alone is not kept. Before the first reader, as much is kept as a reader lets wait: an answer may
 * come between the decision for a stream and the stream's first reader, and exists nowhere else. */
static void keep(ag_server_stream *s, ag_str message)
{
	const size_t max = s->was_read ? KEPT_BYTES : WAIT_BYTES;

	forget_oldest(s, message.len + 1 > max ? 0 : max - message.len - 1);
	if (message.len + 1 > max) {
		s->first = s->next_place + 1;
		return;
	}
	ag_buf_add(&s->kept, message);
	ag_buf_addc(&s->kept, '\n');
}

static void put_kept(ag_server_stream *s, uint64_t after)
{
	ag_str rest = ag_buf_view(&s->kept);

	for (uint64_t place = s->first; rest.len; place++) {
		ag_str message = ag_str_split(&rest, '\n');

		if (place > after)
			put(s, place, message);
	}
}

/* From a thread of the server: it is through with this connection. */
static void reader_closed(void *arg, bool is_gone)
{
	reader *r = (reader *)arg;
	ag_server_stream *s = r->stream;
	bool is_delivered;

	pthread_mutex_lock(&s->lock);
	if (s->out == r->out)
		end_reader(s);
	is_delivered = !is_gone && s->is_ended && s->sent + 1 == s->next_place;
	if (is_gone && !s->session && !s->is_ended && s->on_left)
		s->on_left(s->arg);
	pthread_mutex_unlock(&s->lock);
	if (is_delivered && !s->is_listening)
		unlist(s);
	ag_server_stream_drop(s);
	free(r);
}

void ag_server_stream_read(ag_server_stream *s, uint64_t place, ag_httpd_reply *rp)
{
	ag_httpd_stream *out = ag_httpd_stream_new(WAIT_BYTES);
	reader *r = (reader *)ag_xcalloc(1, sizeof(*r));
	char id[AG_MCP_EVENT_CHARS];

	atomic_fetch_add(&s->refs, 1);
	*r = (reader){ s, out };
	ag_httpd_stream_on_close(out, reader_closed, r);
	rp->stream = out;
	if (s->session)
		enlist(s);
	pthread_mutex_lock(&s->lock);
	end_reader(s);
	s->out = out;
	if (place > s->sent)
		place = s->sent;
	/* An id at once: whoever is cut off before the first message can come back. */
	if (s->is_primed)
		ag_httpd_stream_event(out, NULL, ag_mcp_event_id(s->number, place, id), AG_S(""));
	put_kept(s, place);
	forget_oldest(s, KEPT_BYTES);
	s->sent = s->next_place - 1;
	s->was_read = true;
	if (s->wants_go)
		ag_httpd_stream_retry(out, RETRY_MS);
	if (s->wants_go || s->is_ended)
		end_reader(s);
	s->wants_go = false;
	if (!s->session) /* nobody can ask for them again */
		ag_buf_release(&s->kept);
	pthread_mutex_unlock(&s->lock);
}

bool ag_server_stream_has_reader(ag_server_stream *s)
{
	bool has;

	pthread_mutex_lock(&s->lock);
	has = s->out && !ag_httpd_stream_is_gone(s->out);
	pthread_mutex_unlock(&s->lock);
	return has;
}

/* --- the writer --- */

bool ag_server_stream_send(ag_server_stream *s, ag_str message)
{
	bool ok;

	pthread_mutex_lock(&s->lock);
	ok = !s->is_ended && (s->session || s->out || !s->was_read);
	if (ok) {
		if (s->session || !s->was_read)
			keep(s, message);
		if (s->out && put(s, s->next_place, message))
			s->sent = s->next_place;
		else if (s->out)
			end_reader(s);
		s->next_place++;
		ok = s->session || s->out || !s->was_read;
	}
	pthread_mutex_unlock(&s->lock);
	return ok;
}

bool ag_server_stream_let_go(ag_server_stream *s)
{
	if (!s->is_primed)
		return false;
	pthread_mutex_lock(&s->lock);
	if (s->out)
		ag_httpd_stream_retry(s->out, RETRY_MS);
	else
		s->wants_go = !s->was_read;
	end_reader(s);
	pthread_mutex_unlock(&s->lock);
	return true;
}

void ag_server_stream_end(ag_server_stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->is_ended = true;
	end_reader(s);
	pthread_mutex_unlock(&s->lock);
}

/* --- the session's own --- */

static bool listener_send(void *self, ag_str message)
{
	return ag_server_stream_send((ag_server_stream *)self, message);
}

static void listener_ended(void *self)
{
	ag_server_stream_end((ag_server_stream *)self);
}

/* Nobody hears what belongs to a token that is good no more. */
static void listener_revoked(void *arg)
{
	ag_server_stream *s = (ag_server_stream *)arg;

	ag_mcp_session_listen(s->session, NULL);
	ag_server_stream_end(s);
}

void ag_server_stream_grant(ag_server_stream *s, ag_server_caller *known)
{
	s->grant = ag_server_grant_new(s->h, known, listener_revoked, s);
}

bool ag_server_stream_listen(ag_server_stream *s)
{
	s->peer = (ag_mcp_peer){
		.send = listener_send, .self = s, .ended = listener_ended, .watch_fd = -1
	};
	return ag_mcp_session_listen(s->session, &s->peer);
}
