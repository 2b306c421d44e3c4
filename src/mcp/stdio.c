/* stdio -- one client on two descriptors, a message a line.
 *
 * The caller's thread reads. What is answered at once it answers itself; a call goes to a worker, so that the next line,
 * which may cancel it, is seen. Workers are made when they are needed, at most as many as calls may be under way.
 *
 * The end of the input is the end of the client: calls under way get a second (`printf … | argus mcp` wants its answers),
 * or nothing when nobody reads the output either, then they are cancelled. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cond.h"
#include "mcp/parts.h"

#define CHUNK        (64u * 1024)
#define KEEP_BYTES   (1u << 20) /* of the input buffer, after a large line */
#define GRACE_MS     1000
#define SLICE_MS     250
#define WORKER_STACK (1u << 20)

typedef struct job {
	struct job *next;
	ag_mcp_glance g; /* its arena is the job's, and the job lives in it */
	ag_mcp_session *session;
	bool lasts; /* subscriptions/listen */
} job;

typedef struct stdio {
	ag_mcp_server *server;
	const ag_caller *who;
	ag_mcp_session *session; /* from initialize on; of the reading thread */
	ag_mcp_peer peer;
	int in_fd, out_fd;
	bool is_socket, owns_out;
	atomic_bool is_gone;    /* nobody reads */
	atomic_bool is_closing; /* no more waiting for a reader */
	pthread_mutex_t out_lock;

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t work, idle;
	job *first, **last;
	unsigned njob, nqueued, nlasting, nworker, nfree; /* njob: waiting or running */
	bool is_over;
	pthread_t *workers;
} stdio;

/* --- output --- */

static ssize_t put_some(const stdio *io, ag_str s)
{
	return io->is_socket ? send(io->out_fd, s.ptr, s.len, MSG_DONTWAIT | MSG_NOSIGNAL)
	                     : write(io->out_fd, s.ptr, s.len);
}

/* The client has closed its side: there may be input left, but nobody who waits for answers. */
static bool client_hung_up(const stdio *io)
{
	struct pollfd p = { .fd = io->in_fd, .events = POLLRDHUP };

	return poll(&p, 1, 0) == 1 && (p.revents & (POLLHUP | POLLRDHUP | POLLERR));
}

/* Waits for a client that is slow; not for one that hung up and reads nothing for a second. */
static bool put(stdio *io, ag_str s)
{
	struct pollfd p = { .fd = io->out_fd, .events = POLLOUT };
	int64_t waited_ms = 0;

	while (s.len) {
		const ssize_t n = put_some(io, s);

		if (n >= 0) {
			s = ag_str_make(s.ptr + n, s.len - (size_t)n);
			waited_ms = 0;
		} else if (errno == EAGAIN && !atomic_load(&io->is_closing) &&
		           waited_ms < GRACE_MS) {
			if (poll(&p, 1, SLICE_MS) == 0 && client_hung_up(io))
				waited_ms += SLICE_MS;
		} else if (errno != EINTR) {
			return false;
		}
	}
	return true;
}

/* One message and its line break in one write. Takes no copy: the buffer has room for one more byte. */
static bool put_line(stdio *io, ag_buf *line)
{
	bool ok;

	ag_buf_addc(line, '\n');
	if (line->failed)
		return false;
	pthread_mutex_lock(&io->out_lock);
	ok = !atomic_load(&io->is_gone) && put(io, ag_buf_view(line));
	if (!ok)
		atomic_store(&io->is_gone, true); /* half a line may be out: nothing may follow */
	pthread_mutex_unlock(&io->out_lock);
	return ok;
}

static bool send_message(void *self, ag_str message)
{
	ag_buf line = AG_BUF_INIT(message.len + 1);
	bool ok;

	ag_buf_add(&line, message);
	ok = put_line(self, &line);
	ag_buf_release(&line);
	return ok;
}

static void put_answer(stdio *io, ag_mcp_answer *a)
{
	if (a->text.len && !put_line(io, &a->text))
		ag_mcp_gone(io->server, &io->peer);
	ag_mcp_answer_release(a);
}

/* A pipe that nobody empties must not hold a thread for ever. Its flag is set on a description of our own, for the given
 * one may be shared with other processes. */
static void open_out(stdio *io, int out_fd)
{
	char path[40];
	struct stat st;
	int fd;

	io->out_fd = out_fd;
	if (fstat(out_fd, &st))
		return;
	io->is_socket = S_ISSOCK(st.st_mode);
	if (!S_ISFIFO(st.st_mode))
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", out_fd);
	fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	io->out_fd = fd;
	io->owns_out = true;
}

static bool out_is_closed(const stdio *io)
{
	struct pollfd p = { .fd = io->out_fd };

	return atomic_load(&io->is_gone) ||
	       (poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLNVAL)));
}

/* --- workers --- */

static void run_job(stdio *io, job *j)
{
	ag_mcp_session *session = j->session;
	ag_arena *arena = j->g.arena;
	ag_mcp_answer a;

	ag_mcp_handle_seen(io->server, session, io->who, &io->peer, &j->g, &a);
	put_answer(io, &a);
	ag_mcp_arena_give(io->server, arena);
}

static void *work(void *arg)
{
	stdio *io = arg;

	pthread_mutex_lock(&io->lock);
	for (;;) {
		bool lasts;
		job *j;

		while (!io->first && !io->is_over) {
			io->nfree++;
			pthread_cond_wait(&io->work, &io->lock);
			io->nfree--;
		}
		j = io->first;
		if (!j)
			break;
		io->first = j->next;
		io->nqueued--;
		if (!io->first)
			io->last = &io->first;
		lasts = j->lasts;
		pthread_mutex_unlock(&io->lock);
		run_job(io, j);
		pthread_mutex_lock(&io->lock);
		io->njob--;
		io->nlasting -= lasts;
		pthread_cond_broadcast(&io->idle);
	}
	pthread_mutex_unlock(&io->lock);
	return NULL;
}

/* With the lock. False: there is no worker, and none can be had. */
static bool one_more_worker(stdio *io)
{
	pthread_attr_t attr;
	sigset_t all, old;
	bool ok;

	if (io->nworker == io->server->o.max_calls)
		return io->nworker > 0;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, WORKER_STACK);
	/* Signals go to the thread that reads: they wake it. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ok = pthread_create(&io->workers[io->nworker], &attr, work, io) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	io->nworker += ok;
	return ok || io->nworker > 0;
}

/* False: as many as may be are under way. */
static bool give_to_worker(stdio *io, const ag_mcp_glance *g)
{
	job *j = ag_new(g->arena, job);
	bool ok;

	j->g = *g;
	j->session = io->session;
	j->lasts = ag_str_eq(g->method, AG_S("subscriptions/listen"));
	pthread_mutex_lock(&io->lock);
	ok = io->njob < io->server->o.max_calls;
	if (ok) {
		*io->last = j;
		io->last = &j->next;
		io->njob++;
		io->nqueued++;
		io->nlasting += j->lasts;
		if (io->nfree < io->nqueued && !one_more_worker(io)) {
			io->first = NULL; /* it was the only one: without workers none waits */
			io->last = &io->first;
			io->njob--;
			io->nqueued--;
			io->nlasting -= j->lasts;
			ok = false;
		}
		pthread_cond_signal(&io->work);
	}
	pthread_mutex_unlock(&io->lock);
	return ok;
}

/* --- input --- */

static void take_line(stdio *io, ag_str line)
{
	const ag_str message = ag_str_trim(line);
	ag_arena *arena;
	ag_mcp_answer a;
	ag_mcp_glance g;

	if (!message.len)
		return;
	arena = ag_mcp_arena_take(io->server);
	ag_mcp_look(io->server, ag_str_dup(arena, message), arena, &g);
	if (!ag_mcp_is_quick(&g)) {
		if (give_to_worker(io, &g))
			return;
		ag_mcp_handle_busy(io->server, io->session, io->who, &g, &a);
	} else {
		ag_mcp_handle_seen(io->server, io->session, io->who, &io->peer, &g, &a);
	}
	if (a.opened) {
		io->session = a.opened;
		a.opened = NULL;
		ag_mcp_session_listen(io->session, &io->peer);
	}
	put_answer(io, &a);
	ag_mcp_arena_give(io->server, arena);
}

static void refuse_long_line(stdio *io)
{
	ag_buf out = AG_BUF_INIT(512), words = AG_BUF_INIT(256);

	ag_buf_addf(&words, "Invalid Request: a line of more than %u bytes; it was skipped",
	            AG_RPC_MAX_MESSAGE);
	ag_rpc_write_error(&out, AG_S("null"), AG_RPC_INVALID_REQUEST, ag_buf_view(&words),
	                   AG_S(""));
	put_line(io, &out);
	ag_buf_release(&out);
	ag_buf_release(&words);
}

/* Lines that are whole are taken; what remains moves to the front. `from`: behind what was looked at before. */
static void take_lines(stdio *io, ag_buf *in, size_t from, bool *skips)
{
	size_t begin = 0;
	char *end;

	while (in->len > from && (end = memchr(in->ptr + from, '\n', in->len - from))) {
		const size_t at = (size_t)(end - in->ptr);

		if (!*skips)
			take_line(io, ag_str_make(in->ptr + begin, at - begin));
		*skips = false;
		begin = from = at + 1;
	}
	if (*skips || in->len - begin > AG_RPC_MAX_MESSAGE) {
		if (!*skips)
			refuse_long_line(io);
		*skips = true;
		begin = in->len;
	}
	if (begin) {
		memmove(in->ptr, in->ptr + begin, in->len - begin);
		in->len -= begin;
	}
	if (!in->len && in->cap > KEEP_BYTES)
		ag_buf_release(in);
}

static bool is_stopped(const stdio *io, const atomic_bool *cancel)
{
	return (cancel && atomic_load(cancel)) || atomic_load(&io->is_gone);
}

static ag_status read_all(stdio *io, const atomic_bool *cancel, ag_err *err)
{
	ag_buf in = AG_BUF_INIT(AG_RPC_MAX_MESSAGE + 2 * CHUNK);
	struct pollfd p[2] = { { .fd = io->in_fd, .events = POLLIN }, { .fd = io->out_fd } };
	ag_status st = AG_OK;
	bool skips = false;

	while (!is_stopped(io, cancel)) {
		const size_t had = in.len;
		ssize_t n;
		char *to;

		/* A second, for a signal that came before poll() did. */
		if (poll(p, 2, 1000) <= 0)
			continue;
		if (p[1].revents & (POLLERR | POLLNVAL))
			break; /* nobody will read an answer */
		if (!p[0].revents)
			continue;
		to = ag_buf_room(&in, CHUNK);
		AG_ASSERT(to);
		n = read(io->in_fd, to, CHUNK);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			st = ag_fail_errno(err, errno, "mcp.stdio", "reading messages");
		if (n <= 0)
			break;
		in.len += (size_t)n;
		take_lines(io, &in, had, &skips);
	}
	if (!st && in.len && !skips && !is_stopped(io, cancel))
		take_line(io, ag_buf_view(&in)); /* the last line, without its break */
	ag_buf_release(&in);
	return st;
}

/* --- the end --- */

/* Until no job is under way (no other than those that last), or for ms; -1 = as long as it takes. */
static void wait_for_jobs(stdio *io, int64_t ms, bool all, const atomic_bool *cancel)
{
	pthread_mutex_lock(&io->lock);
	while (io->njob > (all ? 0 : io->nlasting) && ms) {
		const int64_t slice = ms < 0 || ms > 50 ? 50 : ms;

		if (!all && (is_stopped(io, cancel) || out_is_closed(io)))
			break;
		if (ag_cond_wait_ms(&io->idle, &io->lock, slice) == ETIMEDOUT && ms > 0)
			ms -= slice;
	}
	pthread_mutex_unlock(&io->lock);
}

static void end(stdio *io, const atomic_bool *cancel)
{
	wait_for_jobs(io, GRACE_MS, false, cancel);
	atomic_store(&io->is_closing, true);
	ag_mcp_gone(io->server, &io->peer);
	if (io->session)
		ag_mcp_session_end(io->server, io->session);
	wait_for_jobs(io, -1, true, cancel);
	pthread_mutex_lock(&io->lock);
	io->is_over = true;
	pthread_cond_broadcast(&io->work);
	pthread_mutex_unlock(&io->lock);
	for (unsigned i = 0; i < io->nworker; i++)
		pthread_join(io->workers[i], NULL);
	ag_mcp_session_drop(io->session);
}

ag_status ag_mcp_stdio(ag_mcp_server *s, const ag_caller *who, int in_fd, int out_fd,
                       const atomic_bool *cancel, ag_err *err)
{
	stdio *io = ag_xcalloc(1, sizeof(*io));
	ag_status st;

	io->server = s;
	io->who = who;
	io->in_fd = in_fd;
	open_out(io, out_fd);
	io->peer = (ag_mcp_peer){
		.send = send_message, .self = io, .watch_fd = -1, .is_gone = &io->is_gone
	};
	io->last = &io->first;
	io->workers = ag_xcalloc(s->o.max_calls, sizeof(*io->workers));
	pthread_mutex_init(&io->out_lock, NULL);
	pthread_mutex_init(&io->lock, NULL);
	pthread_cond_init(&io->work, NULL);
	ag_cond_init(&io->idle);
	st = read_all(io, cancel, err);
	end(io, cancel);
	pthread_cond_destroy(&io->work);
	pthread_cond_destroy(&io->idle);
	pthread_mutex_destroy(&io->lock);
	pthread_mutex_destroy(&io->out_lock);
	if (io->owns_out)
		close(io->out_fd);
	free(io->workers);
	free(io);
	return st;
}
