/* transport_record -- passes every exchange on and writes it down.
 *
 * A line is one write() under a lock, so lines of threads do not mix and a killed run leaves whole lines. What cannot
 * be written (a full disk) ends the recording, not the run: the piece of a line is cut off again, nothing more is
 * written, and finish says so. Exchanges that this side gave up (Ctrl-C, the run's deadline) are left out: they say
 * nothing about the server, and a replay would give up, too. */
#include "llm/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "llm/recording.h"

#define MAX_LINE_BUF (2 * AG_RECORDING_MAX_LINE_BYTES)

typedef struct record_transport {
	ag_transport base;
	ag_transport_type type; /* as record_type, but `waits` of inner */
	ag_transport *inner;
	char *path;
	int fd;
	pthread_mutex_t lock; /* of all below */
	uint64_t n;
	off_t end; /* of the last whole line */
	bool is_broken;
	ag_err why;
} record_transport;

/* The body on its way through. */
typedef struct body_tee {
	const ag_http_request *r;
	ag_buf seen;
	bool refused; /* the reader's own error ended it */
} body_tee;

static ag_status tee_body(void *arg, ag_str bytes, ag_err *err)
{
	body_tee *t = (body_tee *)arg;
	ag_status st;

	ag_buf_add(&t->seen, bytes);
	st = t->r->on_body(t->r->arg, bytes, err);
	t->refused = st != AG_OK;
	return st;
}

/* --- writing ------------------------------------------------------------------------------------- */

static void give_up(record_transport *t, const ag_err *e)
{
	t->is_broken = true;
	t->why = *e;
	ag_log(AG_LOG_ERROR, "record_failed", "%s: the recording ends here, the run goes on",
	       e->msg);
}

static ag_status write_line(record_transport *t, ag_str line, ag_err *err)
{
	int errnum;
	ssize_t n;

	do
		n = write(t->fd, line.ptr, line.len);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)line.len) {
		t->end += n;
		return AG_OK;
	}
	errnum = n < 0 ? errno : ENOSPC;
	/* When the piece cannot be cut off, a reader leaves it out: a last line that has no end. */
	if (n > 0 && ftruncate(t->fd, t->end))
		errnum = errno;
	return ag_fail_errno(err, errnum, "llm.record", "%s cannot be written", t->path);
}

static void record(record_transport *t, ag_exchange *x)
{
	ag_buf line = AG_BUF_INIT(MAX_LINE_BUF);
	ag_err e = { 0 };
	ag_status st;

	pthread_mutex_lock(&t->lock);
	if (!t->is_broken) {
		x->n = ++t->n;
		st = ag_exchange_write(x, &line, &e);
		ag_buf_addc(&line, '\n');
		if (!st)
			st = write_line(t, ag_buf_view(&line), &e);
		if (st)
			give_up(t, &e);
	}
	pthread_mutex_unlock(&t->lock);
	ag_buf_release(&line);
}

static bool is_given_up(const ag_ctx *ctx, ag_status st)
{
	return st == AG_CANCELLED || (st == AG_TIMEOUT && ag_ctx_left_ms(ctx) == 0);
}

/* As seconds: a date would be long past when it is replayed. */
static ag_str wait_in_seconds(const ag_ctx *ctx, ag_str value, ag_arena *arena)
{
	const ag_clock *clock = ctx && ctx->clock ? ctx->clock : &ag_clock_system;
	int64_t ms = 0;

	if (!value.len || !ag_http_retry_after(value, ag_clock_wall(clock), &ms))
		return value;
	return ag_str_printf(arena, "%lld", (long long)((ms + 999) / 1000));
}

static ag_status record_send(ag_transport *base, const ag_ctx *ctx, const char *purpose,
                             const char *provider, const ag_http_request *r, ag_arena *arena,
                             ag_http_response *ret, ag_err *err)
{
	record_transport *t = (record_transport *)base;
	body_tee seen = { .r = r, .seen = AG_BUF_INIT(AG_RECORDING_MAX_LINE_BYTES) };
	ag_http_request through = *r;
	ag_err e = { 0 };
	ag_status st;

	if (r->on_body) {
		through.on_body = tee_body;
		through.arg = &seen;
	}
	st = t->inner->type->send(t->inner, ctx, purpose, provider, &through, arena, ret, &e);
	if (!is_given_up(ctx, st)) {
		ag_exchange x = {
			.purpose = ag_str_c(purpose),
			.provider = ag_str_c(provider),
			.url = r->url,
			.request = r->body,
			.status = ret->status,
			.content_type = ret->content_type,
			.retry_after = wait_in_seconds(ctx, ret->retry_after, arena),
			.location = ret->location,
			.response = seen.seen.len ? ag_buf_view(&seen.seen) : ret->body,
		};

		/* What the reader made of the bytes it will make of them again. */
		if (st && !seen.refused)
			x.error = e;
		record(t, &x);
	}
	ag_buf_release(&seen.seen);
	if (st && err)
		*err = e;
	return st;
}

/* --- open and close ------------------------------------------------------------------------------ */

static ag_status record_finish(ag_transport *base, ag_err *err)
{
	record_transport *t = (record_transport *)base;
	ag_status st = AG_OK;

	pthread_mutex_lock(&t->lock);
	if (t->is_broken) {
		st = t->why.status;
		if (err)
			*err = t->why;
		ag_err_hint(err, "the recording holds the first %llu exchanges only",
		            (unsigned long long)(t->n - 1));
	} else if (fsync(t->fd) && errno != EINVAL) {
		st = ag_fail_errno(err, errno, "llm.record", "%s cannot be written", t->path);
	}
	pthread_mutex_unlock(&t->lock);
	return st;
}

static void record_close(ag_transport *base)
{
	record_transport *t = (record_transport *)base;

	ag_transport_close(t->inner);
	if (t->fd >= 0)
		close(t->fd);
	pthread_mutex_destroy(&t->lock);
	free(t->path);
	free(t);
}

static const ag_transport_type record_type = {
	.name = "record",
	.send = record_send,
	.finish = record_finish,
	.close = record_close,
	.waits = true,
};

static ag_status write_header(record_transport *t, int64_t at_ms, ag_err *err)
{
	char at[AG_TIME_MAX_TEXT];
	ag_buf line = AG_BUF_INIT(256);
	ag_status st;
	ag_jw w;

	ag_jw_init(&w, &line, 0);
	ag_jw_obj(&w);
	ag_jw_kint(&w, "argus_recording", AG_RECORDING_VERSION);
	ag_jw_kstr(&w, "argus", AG_S(AG_VERSION));
	ag_jw_kstr(&w, "at", ag_str_make(at, ag_time_format(at, at_ms)));
	ag_jw_obj_end(&w);
	ag_buf_addc(&line, '\n');
	st = write_line(t, ag_buf_view(&line), err);
	ag_buf_release(&line);
	return st;
}

static ag_status open_file(record_transport *t, int64_t at_ms, ag_err *err)
{
	struct stat s;

	/* Not blocking: a pipe without reader is refused below, not waited for. */
	t->fd = open(t->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
	             0600);
	if (t->fd < 0 || fstat(t->fd, &s))
		return ag_fail_errno(err, errno, "llm.record", "%s cannot be opened for recording",
		                     t->path);
	if (!S_ISREG(s.st_mode))
		return ag_fail(err, AG_INVALID, "llm.record",
		               "%s is no plain file: nothing can be recorded into it", t->path);
	if (flock(t->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return ag_fail(err, AG_CONFLICT, "llm.record", "%s: another Argus records into it",
		               t->path);
	if (s.st_size > 0) {
		ag_fail(err, AG_CONFLICT, "llm.record",
		        "%s exists and is not empty: a recording is never overwritten", t->path);
		return ag_err_hint(err, "remove it, or choose another file for --record");
	}
	if (fchmod(t->fd, 0600))
		return ag_fail_errno(err, errno, "llm.record", "%s cannot be made private",
		                     t->path);
	return write_header(t, at_ms, err);
}

ag_status ag_transport_record_new(ag_transport *inner, ag_str file, const ag_clock *clock,
                                  ag_transport **ret, ag_err *err)
{
	record_transport *t = ag_xcalloc(1, sizeof(*t));
	ag_status st;

	t->type = record_type;
	t->type.waits = inner->type->waits;
	t->base.type = &t->type;
	t->inner = inner;
	t->fd = -1;
	t->path = ag_xcalloc(file.len + 1, 1);
	if (file.len)
		memcpy(t->path, file.ptr, file.len);
	pthread_mutex_init(&t->lock, NULL);
	st = open_file(t, ag_clock_wall(clock), err);
	if (st)
		record_close(&t->base);
	else
		*ret = &t->base;
	return st;
}
