/* transport_replay -- answers from a recording.
 *
 * The file is read once, line by line, and checked whole; what stays in memory is where each exchange stands and a hash
 * of what it answers. Its line is read again when it is due. An exchange is used once: two equal requests get the first
 * and the second answer, as they did. */
#include "llm/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/log.h"
#include "llm/recording.h"

#define READ_BYTES    (256 * 1024)
#define PIECE_BYTES   4096 /* the body goes to the reader in such pieces */
#define MAX_EXCHANGES 1000000

typedef struct entry {
	off_t at;
	size_t len;
	uint64_t n;    /* its number in the file, from 1 */
	uint64_t hash; /* of path and request */
	bool is_used;
} entry;

typedef struct replay_transport {
	ag_transport base;
	char *path;
	int fd;
	entry *entries;
	size_t nentry, room;
	int64_t at_ms;        /* when the recording was begun; 0 = it does not say */
	pthread_mutex_t lock; /* of is_used */
} replay_transport;

static uint64_t hash_of(ag_str path, ag_str request)
{
	return XXH3_64bits_withSeed(request.ptr, request.len, XXH3_64bits(path.ptr, path.len));
}

/* --- reading the file ---------------------------------------------------------------------------- */

/* The file under work. */
typedef struct reader {
	replay_transport *t;
	ag_arena *scratch;
	ag_buf line;
	unsigned long nline;
	off_t at; /* of the line */
} reader;

static ag_status where(const reader *r, ag_err *err)
{
	if (err)
		return ag_fail(err, err->status, "llm.replay", "%s:%lu: %s", r->t->path, r->nline,
		               err->msg);
	return AG_INVALID;
}

static ag_status take_exchange(reader *r, ag_str line, ag_err *err)
{
	replay_transport *t = r->t;
	ag_exchange x = { 0 };
	ag_status st = ag_exchange_read(line, r->scratch, &x, err);

	if (st)
		return where(r, err);
	if (t->nentry == MAX_EXCHANGES)
		return ag_fail(err, AG_LIMIT, "llm.replay", "%s: more than %d exchanges", t->path,
		               MAX_EXCHANGES);
	if (t->nentry == t->room) {
		t->room = t->room ? t->room * 2 : 64;
		t->entries = ag_xrealloc(t->entries, t->room * sizeof(t->entries[0]));
	}
	t->entries[t->nentry] = (entry){
		.at = r->at,
		.len = line.len,
		.n = t->nentry + 1,
		.hash = hash_of(ag_exchange_path(x.url), x.request),
	};
	t->nentry++;
	return AG_OK;
}

static ag_status take_line(reader *r, ag_err *err)
{
	ag_str line = ag_buf_view(&r->line);
	ag_status st = AG_OK;

	r->nline++;
	if (r->nline == 1) {
		st = ag_recording_header(line, r->scratch, &r->t->at_ms, err);
		st = st ? where(r, err) : AG_OK;
	} else if (ag_str_trim(line).len) {
		st = take_exchange(r, line, err);
	}
	ag_arena_reset(r->scratch);
	r->at += (off_t)line.len + 1;
	ag_buf_clear(&r->line);
	return st;
}

static ag_status take_bytes(reader *r, ag_str bytes, ag_err *err)
{
	while (bytes.len) {
		const char *end = memchr(bytes.ptr, '\n', bytes.len);
		size_t n = end ? (size_t)(end - bytes.ptr) : bytes.len;
		ag_status st;

		ag_buf_add(&r->line, ag_str_make(bytes.ptr, n));
		if (r->line.failed)
			return ag_fail(err, AG_LIMIT, "llm.replay",
			               "%s:%lu: the line is longer than %u MB", r->t->path,
			               r->nline + 1, AG_RECORDING_MAX_LINE_BYTES >> 20);
		if (!end)
			return AG_OK;
		st = take_line(r, err);
		if (st)
			return st;
		bytes = ag_str_make(end + 1, bytes.len - n - 1);
	}
	return AG_OK;
}

/* A line without its end is what a killed run leaves when the disk was full: no whole exchange, unless it parses. */
static ag_status take_rest(reader *r, ag_err *err)
{
	ag_err e = { 0 };
	ag_status st;

	if (r->nline > 0 && !r->line.len)
		return AG_OK;
	st = take_line(r, &e);
	if (!st)
		return AG_OK;
	if (r->nline > 1 && st == AG_INVALID) {
		ag_log(AG_LOG_WARN, "replay_cut", "%s: the last line is cut off and left out",
		       r->t->path);
		return AG_OK;
	}
	if (err)
		*err = e;
	return st;
}

static ag_status read_lines(reader *r, ag_err *err)
{
	char *buf = ag_xmalloc(READ_BYTES);
	ag_status st = AG_OK;

	for (;;) {
		ssize_t n = read(r->t->fd, buf, READ_BYTES);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			st = ag_fail_errno(err, errno, "llm.replay", "%s cannot be read",
			                   r->t->path);
		if (n <= 0)
			break;
		st = take_bytes(r, ag_str_make(buf, (size_t)n), err);
		if (st)
			break;
	}
	free(buf);
	return st ? st : take_rest(r, err);
}

static ag_status open_file(replay_transport *t, ag_err *err)
{
	reader r = { .t = t, .line = AG_BUF_INIT(AG_RECORDING_MAX_LINE_BYTES) };
	struct stat s;
	ag_status st;

	t->fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (t->fd < 0 || fstat(t->fd, &s))
		return ag_fail_errno(err, errno, "llm.replay", "the recording %s cannot be opened",
		                     t->path);
	if (!S_ISREG(s.st_mode))
		return ag_fail(err, AG_INVALID, "llm.replay", "%s is no plain file", t->path);
	if (s.st_size > AG_RECORDING_MAX_FILE_BYTES)
		return ag_fail(err, AG_LIMIT, "llm.replay",
		               "%s is larger than a recording may be (1 GB)", t->path);
	r.scratch = ag_arena_new();
	st = read_lines(&r, err);
	ag_arena_free(r.scratch);
	ag_buf_release(&r.line);
	return st;
}

/* --- answering ----------------------------------------------------------------------------------- */

static ag_status load(const replay_transport *t, const entry *e, ag_arena *arena, ag_exchange *ret,
                      ag_err *err)
{
	char *line = ag_arena_alloc(arena, e->len + 1);
	size_t got = 0;

	while (got < e->len) {
		ssize_t n = pread(t->fd, line + got, e->len - got, e->at + (off_t)got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return ag_fail_errno(err, n < 0 ? errno : EIO, "llm.replay",
			                     "%s cannot be read", t->path);
		got += (size_t)n;
	}
	return ag_exchange_read(ag_str_make(line, e->len), arena, ret, err);
}

static entry *take_equal(replay_transport *t, uint64_t hash)
{
	entry *found = NULL;

	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < t->nentry && !found; i++) {
		if (!t->entries[i].is_used && t->entries[i].hash == hash)
			found = &t->entries[i];
	}
	if (found)
		found->is_used = true;
	pthread_mutex_unlock(&t->lock);
	return found;
}

static size_t common(ag_str a, ag_str b)
{
	size_t n = 0;

	while (n < a.len && n < b.len && a.ptr[n] == b.ptr[n])
		n++;
	return n;
}

/* The unused exchange that the request is most like: same path, then longest common beginning, then first. */
static entry *nearest(replay_transport *t, ag_str path, ag_str request)
{
	ag_arena *scratch = ag_arena_new();
	size_t best_len = 0;
	bool best_path = false;
	entry *best = NULL;

	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < t->nentry; i++) {
		ag_exchange x;
		bool same_path;
		size_t len;

		if (t->entries[i].is_used || load(t, &t->entries[i], scratch, &x, NULL))
			continue;
		same_path = ag_str_eq(ag_exchange_path(x.url), path);
		len = common(x.request, request);
		if (!best || (same_path && !best_path) ||
		    (same_path == best_path && len > best_len)) {
			best = &t->entries[i];
			best_path = same_path;
			best_len = len;
		}
		ag_arena_reset(scratch);
	}
	pthread_mutex_unlock(&t->lock);
	ag_arena_free(scratch);
	return best;
}

static int shown(ag_str s)
{
	return (int)(s.len < 80 ? s.len : 80);
}

/* Names the file without its folders: the difference is what matters, and a message is short. */
static ag_status differs(replay_transport *t, const entry *e, ag_str path, ag_str request,
                         ag_arena *arena, ag_err *err)
{
	const char *slash = strrchr(t->path, '/'), *name = slash ? slash + 1 : t->path;
	ag_str difference, recorded_path;
	ag_exchange x = { 0 };
	ag_status st;

	if (!e) {
		ag_fail(err, AG_CONFLICT, "llm.replay",
		        "%s: all %zu recorded exchanges are used, and another request came", name,
		        t->nentry);
		return ag_err_hint(err, "record the run again with --record");
	}
	st = load(t, e, arena, &x, err);
	if (st)
		return st;
	recorded_path = ag_exchange_path(x.url);
	if (!ag_str_eq(recorded_path, path)) {
		ag_fail(err, AG_CONFLICT, "llm.replay",
		        "%s: the request differs from exchange %" PRIu64
		        ": its path was recorded as %.*s and is now %.*s",
		        name, e->n, shown(recorded_path), recorded_path.ptr, shown(path), path.ptr);
		return ag_err_hint(err, "record the run again with --record");
	}
	difference = ag_json_difference(x.request, request, arena);
	if (!difference.len)
		difference = AG_S("only in how the JSON is written");
	ag_fail(err, AG_CONFLICT, "llm.replay",
	        "%s: the request differs from exchange %" PRIu64 " at %.*s", name, e->n,
	        AG_FMT(difference));
	return ag_err_hint(err, "the same input, settings and version of Argus replay a recording; "
	                        "else record it again");
}

static ag_status feed(const ag_http_request *r, ag_str body, ag_err *err)
{
	ag_status st = AG_OK;

	while (body.len && !st) {
		size_t n = body.len < PIECE_BYTES ? body.len : PIECE_BYTES;

		st = r->on_body(r->arg, ag_str_make(body.ptr, n), err);
		body = ag_str_make(body.ptr + n, body.len - n);
	}
	return st;
}

static ag_status replay_send(ag_transport *base, const ag_ctx *ctx, const char *purpose,
                             const char *provider, const ag_http_request *r, ag_arena *arena,
                             ag_http_response *ret, ag_err *err)
{
	replay_transport *t = (replay_transport *)base;
	ag_str path = ag_exchange_path(r->url), request = ag_exchange_request(r->body, arena);
	entry *e = take_equal(t, hash_of(path, request));
	ag_exchange x = { 0 };
	ag_status st;

	(void)purpose;
	(void)provider;
	memset(ret, 0, sizeof(*ret));
	st = ag_ctx_check(ctx, err);
	if (st)
		return st;
	if (!e)
		return differs(t, nearest(t, path, request), path, request, arena, err);
	st = load(t, e, arena, &x, err);
	if (st)
		return st;
	ret->status = x.status;
	ret->content_type = x.content_type;
	ret->retry_after = x.retry_after;
	ret->location = x.location;
	ret->nbyte = x.response.len;
	if (r->on_body && x.status >= 200 && x.status <= 299)
		st = feed(r, x.response, err);
	else
		ret->body = x.response;
	if (!st && x.error.status) {
		st = x.error.status;
		if (err)
			*err = x.error;
	}
	return st;
}

/* --- open and close ------------------------------------------------------------------------------ */

static void replay_close(ag_transport *base)
{
	replay_transport *t = (replay_transport *)base;

	if (t->fd >= 0)
		close(t->fd);
	pthread_mutex_destroy(&t->lock);
	free(t->entries);
	free(t->path);
	free(t);
}

static const ag_transport_type replay_type = {
	.name = "replay",
	.send = replay_send,
	.close = replay_close,
	.waits = false,
};

ag_status ag_transport_replay_new(ag_str file, ag_transport **ret, ag_err *err)
{
	replay_transport *t = ag_xcalloc(1, sizeof(*t));
	ag_status st;

	t->base.type = &replay_type;
	t->fd = -1;
	t->path = ag_xcalloc(file.len + 1, 1);
	if (file.len)
		memcpy(t->path, file.ptr, file.len);
	pthread_mutex_init(&t->lock, NULL);
	st = open_file(t, err);
	if (st)
		replay_close(&t->base);
	else
		*ret = &t->base;
	return st;
}

int64_t ag_transport_recorded_at(const ag_transport *t)
{
	return t && t->type == &replay_type ? ((const replay_transport *)t)->at_ms : 0;
}
