/* SQLite as a SQL source: one file, read by child processes of this program (docs/decisions/0014).
 *
 * A child serves one call at a time, so a statement that must be killed takes no other with it. Children are started when
 * they are needed, at most as many as the options allow connections, and given back last in, first out, so that the one whose
 * pages and last statement are warm is used again. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "sql/sqlite_child.h"
#include "sql/sqlite_sql.h"

#define ORIGIN "sql.sqlite"
#define SCHEME "sqlite:"
/* SQLite appends "-journal" to a path and keeps a limit of its own of 512 bytes. */
#define MAX_PATH 500u
/* A waiting thread looks at its cancel flag so often. */
#define SLICE_MS 50
/* A child that nobody needed for so long is ended. */
#define IDLE_MS 30000
/* After the first crash in a row the next child waits so long; it doubles. */
#define FIRST_PAUSE_MS 10
#define MAX_PAUSE_MS   1000
#define FOLDER_PREFIX  "argus-sqlite-"
/* A folder without an owner that is younger may be about to get one. */
#define STALE_S 60

typedef struct engine {
	const ag_sql_opts *opts;
	char *path; /* absolute, resolved */
	char *shown_text;
	ag_str shown; /* "sqlite:PATH" as it was given */
	pthread_mutex_t lock;
	pthread_cond_t is_free;
	ag_sqlite_child *idle;
	unsigned nopen, nbusy;
	unsigned ncrash;  /* in a row */
	int64_t pause_ms; /* no child is started before, monotonic */
	char *folder;     /* for temporary files; NULL = not made yet, "" = could not be made */
	int folder_fd;    /* locked as long as it is in use */
} engine;

static engine *of(ag_sql_impl *impl)
{
	return (engine *)(void *)impl;
}

static int64_t now_ms(void)
{
	return ag_clock_mono(&ag_clock_system);
}

/* --- the folder for temporary files --- */

/* A folder with plain files, and below `depth` folders of them. By descriptors: a name can be given to another folder. */
static void remove_within(int fd, unsigned depth)
{
	int again = dup(fd), inner;
	DIR *d = again >= 0 ? fdopendir(again) : NULL;

	if (!d) {
		if (again >= 0)
			close(again);
		return;
	}
	for (const struct dirent *e = readdir(d); e; e = readdir(d)) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
		    unlinkat(fd, e->d_name, 0) == 0 || depth == 0)
			continue;
		inner = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (inner < 0)
			continue;
		remove_within(inner, depth - 1);
		close(inner);
		unlinkat(fd, e->d_name, AT_REMOVEDIR);
	}
	closedir(d);
}

/* Of copies, each in a folder that is named by its child. */
static void remove_folder(const char *path, int fd)
{
	remove_within(fd, 1);
	rmdir(path);
}

/* What a killed server left: nobody has it locked. */
static void remove_stale(const char *tmp)
{
	DIR *d = opendir(tmp);
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (!d)
		return;
	for (const struct dirent *e = readdir(d); e; e = readdir(d)) {
		if (strncmp(e->d_name, FOLDER_PREFIX, strlen(FOLDER_PREFIX)) != 0)
			continue;
		snprintf(path, sizeof(path), "%.3000s/%s", tmp, e->d_name);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
		    st.st_mtime + STALE_S < time(NULL) && flock(fd, LOCK_EX | LOCK_NB) == 0)
			remove_folder(path, fd);
		close(fd);
	}
	closedir(d);
}

/* Call it under the lock. Without a folder SQLite sorts in memory, and a database that was left with only its -wal file
 * cannot be copied. */
static void make_folder(engine *s)
{
	const char *tmp = getenv("TMPDIR");
	char path[PATH_MAX];

	if (s->folder)
		return;
	if (!tmp || tmp[0] != '/')
		tmp = "/tmp";
	remove_stale(tmp);
	snprintf(path, sizeof(path), "%.2900s/" FOLDER_PREFIX "XXXXXX", tmp);
	if (mkdtemp(path))
		s->folder_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->folder_fd < 0)
		path[0] = '\0';
	else
		AG_IGNORE(flock(s->folder_fd, LOCK_SH), "at worst it is swept");
	s->folder = ag_xmalloc(strlen(path) + 1);
	memcpy(s->folder, path, strlen(path) + 1);
}

/* --- the handle --- */

static bool accepts(ag_str uri)
{
	return ag_str_starts(uri, AG_S(SCHEME));
}

static ag_status resolve(ag_str uri, char resolved[PATH_MAX], ag_err *err)
{
	ag_str path = ag_str_make(uri.ptr + strlen(SCHEME), uri.len - strlen(SCHEME));
	char name[MAX_PATH + 1];
	struct stat st;

	/* sqlite:///a/b and sqlite://a are written by people who know other URIs. */
	if (ag_str_starts(path, AG_S("///")))
		path = ag_str_make(path.ptr + 2, path.len - 2);
	if (path.len == 0 || ag_str_starts(path, AG_S("//")) || ag_str_starts(path, AG_S(":"))) {
		AG_IGNORE(ag_fail(err, AG_INVALID, ORIGIN, "\"%.100s\" names no file",
		                  uri.len < 100 ? "sqlite:" : "the URI"),
		          "the hint says more");
		return ag_err_hint(err, "write sqlite:data/shop.db or sqlite:/srv/shop.db");
	}
	if (path.len > MAX_PATH)
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "a path of %zu bytes is too long, at most %u", path.len, MAX_PATH);
	if (ag_str_find(path, '\0') >= 0)
		return ag_fail(err, AG_INVALID, ORIGIN, "a path may not hold a NUL byte");
	snprintf(name, sizeof(name), "%.*s", AG_FMT(path));
	if (!realpath(name, resolved) || stat(resolved, &st)) {
		ag_status status = ag_fail_errno(err, errno, ORIGIN, "cannot open \"%.300s\"",
		                                 name);

		ag_err_hint(err, "the path of a source is looked up from the current folder");
		return status;
	}
	if (!S_ISREG(st.st_mode))
		return ag_fail(err, AG_INVALID, ORIGIN, "\"%.300s\" is not a file", name);
	if (strlen(resolved) > MAX_PATH)
		return ag_fail(err, AG_INVALID, ORIGIN, "the path of \"%.100s\" is too long", name);
	return AG_OK;
}

static ag_status open_sqlite(ag_str uri, const ag_sql_opts *opts, ag_sql_impl **ret, ag_err *err)
{
	char resolved[PATH_MAX];
	pthread_condattr_t attr;
	engine *s;
	ag_status st = resolve(uri, resolved, err);

	if (st)
		return st;
	s = ag_xcalloc(1, sizeof(*s));
	s->opts = opts;
	s->folder_fd = -1;
	s->path = ag_xmalloc(strlen(resolved) + 1);
	memcpy(s->path, resolved, strlen(resolved) + 1);
	s->shown_text = ag_xmalloc(uri.len + 1);
	memcpy(s->shown_text, uri.ptr, uri.len);
	s->shown = ag_str_make(s->shown_text, uri.len);
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->is_free, &attr);
	pthread_condattr_destroy(&attr);
	*ret = (ag_sql_impl *)(void *)s;
	return AG_OK;
}

/* Removes the child's private copy as well. */
static void end_child(engine *s, ag_sqlite_child *c)
{
	char copy[PATH_MAX];

	if (!c)
		return;
	snprintf(copy, sizeof(copy), "%.3000s/%d", s->folder, (int)c->pid);
	ag_sqlite_child_end(c);
	if (s->folder[0] && access(copy, F_OK) == 0)
		ag_sqlite_remove_copy(copy);
}

static void close_sqlite(ag_sql_impl *impl)
{
	engine *s = of(impl);

	AG_ASSERT(s->nbusy == 0);
	while (s->idle) {
		ag_sqlite_child *c = s->idle;

		s->idle = c->next;
		end_child(s, c);
	}
	if (s->folder_fd >= 0) {
		remove_folder(s->folder, s->folder_fd);
		close(s->folder_fd);
	}
	pthread_cond_destroy(&s->is_free);
	pthread_mutex_destroy(&s->lock);
	free(s->folder);
	free(s->shown_text);
	free(s->path);
	free(s);
}

static ag_str shown(const ag_sql_impl *impl)
{
	return ((const engine *)(const void *)impl)->shown;
}

static void health(ag_sql_impl *impl, ag_sql_health *ret)
{
	engine *s = of(impl);

	pthread_mutex_lock(&s->lock);
	ret->nopen = s->nopen;
	ret->nbusy = s->nbusy;
	pthread_mutex_unlock(&s->lock);
}

/* --- taking a child and giving it back --- */

static void after_ms(int64_t ms, struct timespec *ret)
{
	clock_gettime(CLOCK_MONOTONIC, ret);
	ret->tv_sec += (time_t)(ms / 1000);
	ret->tv_nsec += (long)(ms % 1000) * 1000000;
	if (ret->tv_nsec >= 1000000000) {
		ret->tv_sec++;
		ret->tv_nsec -= 1000000000;
	}
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Monotonic: in so many ms, or at the caller's own deadline. */
static int64_t deadline_in(const ag_ctx *ctx, int64_t ms)
{
	int64_t left = ag_ctx_left_ms(ctx);

	return now_ms() + (left >= 0 ? smaller(left, ms) : ms);
}

/* An idle child, or none and the right to start one. False when all were busy for too long. */
static bool take(engine *s, const ag_ctx *ctx, ag_arena *arena, ag_sqlite_child **ret,
                 ag_sql_failure *f)
{
	const int64_t till = deadline_in(ctx, s->opts->wait_timeout_ms);
	bool has_place = false;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		struct timespec slice;
		int64_t now;

		if (s->idle) {
			*ret = s->idle;
			s->idle = s->idle->next;
			has_place = true;
			break;
		}
		now = now_ms();
		if (s->nopen < s->opts->max_connections && now >= s->pause_ms) {
			make_folder(s);
			*ret = NULL;
			s->nopen++;
			has_place = true;
			break;
		}
		if (ag_ctx_is_cancelled(ctx) || now >= till)
			break;
		after_ms(smaller(SLICE_MS, s->pause_ms > now ? s->pause_ms - now : till - now),
		         &slice);
		pthread_cond_timedwait(&s->is_free, &s->lock, &slice);
	}
	s->nbusy += has_place;
	pthread_mutex_unlock(&s->lock);
	if (has_place)
		return true;
	if (ag_ctx_is_cancelled(ctx))
		ag_sql_failure_of_stop(AG_SQL_STOP_CANCELLED, f);
	else
		ag_sql_failure_pool_timeout(s->opts->wait_timeout_ms, arena, f);
	return false;
}

/* The one that was idle for longest, if that is long; there is always one more that is warm. */
static ag_sqlite_child *unlink_oldest(engine *s, int64_t now)
{
	ag_sqlite_child **at = &s->idle, *c;

	if (!s->idle || !s->idle->next)
		return NULL;
	while ((*at)->next)
		at = &(*at)->next;
	c = *at;
	if (c->idle_since_ms + IDLE_MS > now)
		return NULL;
	*at = NULL;
	s->nopen--;
	return c;
}

/* c NULL: the place alone is free again. */
static void give_back(engine *s, ag_sqlite_child *c)
{
	ag_sqlite_child *oldest = NULL;

	pthread_mutex_lock(&s->lock);
	s->nbusy--;
	if (c) {
		c->idle_since_ms = now_ms();
		c->next = s->idle;
		s->idle = c;
		s->ncrash = 0;
		oldest = unlink_oldest(s, c->idle_since_ms);
	} else {
		s->nopen--;
	}
	pthread_cond_signal(&s->is_free);
	pthread_mutex_unlock(&s->lock);
	end_child(s, oldest);
}

/* Repeated crashes cost ever more time to start the next child, never a child that works. */
static void count_crash(engine *s)
{
	int64_t pause;

	pthread_mutex_lock(&s->lock);
	pause = s->ncrash < 8 ? FIRST_PAUSE_MS << s->ncrash : MAX_PAUSE_MS;
	s->ncrash++;
	s->pause_ms = now_ms() + smaller(pause, MAX_PAUSE_MS);
	pthread_mutex_unlock(&s->lock);
}

/* --- failures --- */

static void fail_start(const engine *s, const char *what, const char *hint, ag_arena *arena,
                       ag_sql_failure *f)
{
	ag_sql_failure_of_state("08001", f);
	f->message = ag_str_printf(arena, "%.*s: %s", AG_FMT(s->shown), what);
	f->hint = ag_str_dup(arena, ag_str_c(hint));
	f->is_connection_lost = true;
}

static ag_str how_it_died(int status, ag_arena *arena)
{
	if (status == -1)
		return AG_S("for a reason that the system does not report");
	if (WIFSIGNALED(status))
		return ag_str_printf(arena, "by signal %d, %s", WTERMSIG(status),
		                     strsignal(WTERMSIG(status)));
	return ag_str_printf(arena, "with exit code %d", WEXITSTATUS(status));
}

static void fail_crashed(const ag_sqlite_child *c, ag_arena *arena, ag_sql_failure *f)
{
	bool is_killed = c->status != -1 && WIFSIGNALED(c->status) &&
	                 (WTERMSIG(c->status) == SIGKILL || WTERMSIG(c->status) == SIGXCPU);

	ag_sql_failure_of_state(is_killed ? "53200" : "54001", f);
	f->message = ag_str_printf(
		arena,
		is_killed ? "the process in which SQLite worked on this statement was ended (%.*s)"
			  : "SQLite crashed on this statement (%.*s)",
		AG_FMT(how_it_died(c->status, arena)));
	f->hint = is_killed
	                  ? AG_S("perhaps the machine has no memory left: ask for less at once; no "
	                         "other statement was affected")
	                  : AG_S("write it simpler: fewer terms, less nesting, smaller values; no "
	                         "other statement was affected");
}

static void fail_confused(ag_arena *arena, ag_sql_failure *f)
{
	ag_sql_failure_of_state("XX000", f);
	f->message = ag_str_printf(arena, "SQLite's process sent an invalid answer and was killed");
	f->hint = AG_S("the file may be damaged or made to do harm: check it with sqlite3 and "
	               "PRAGMA integrity_check");
}

/* --- one call --- */

/* A child that has opened the database, or a failure. */
static ag_sqlite_child *start(engine *s, const ag_ctx *ctx, ag_arena *arena, ag_sql_failure *f)
{
	ag_sqlite_request rq = { .verb = AG_SQLITE_ASK_OPEN,
		                 .path = ag_str_c(s->path),
		                 .shown = s->shown,
		                 .folder = ag_str_c(s->folder),
		                 .opts = *s->opts };
	ag_sqlite_watch w = { .ctx = ctx,
		              .deadline_ms = deadline_in(ctx, s->opts->connect_timeout_ms),
		              .watch_fd = -1 };
	ag_buf bytes = AG_BUF_INIT(AG_SQLITE_MAX_REQUEST_BYTES);
	ag_sqlite_child *c = NULL;
	ag_sqlite_answer a;
	ag_sqlite_end end;
	ag_sql_result r = { 0 };
	ag_err err = { 0 };

	ag_sqlite_request_write(&rq, &bytes);
	if (bytes.failed || ag_sqlite_child_start(&c, &err)) {
		fail_start(s, bytes.failed ? "the lists of its policy are too long" : err.msg,
		           err.hint, arena, f);
		ag_buf_release(&bytes);
		count_crash(s);
		return NULL;
	}
	ag_sqlite_answer_init(&a, &rq, arena, &r);
	end = ag_sqlite_child_ask(c, ag_buf_view(&bytes), &w, &a);
	if (!end && a.missing.len)
		ag_log(AG_LOG_WARN, ORIGIN, "SQLite's process is not fully confined: %.*s",
		       AG_FMT(a.missing));
	ag_sqlite_answer_release(&a);
	ag_buf_release(&bytes);
	if (!end)
		return c;
	if (end == AG_SQLITE_STOPPED && w.why != AG_SQL_STOP_TIMEOUT)
		ag_sql_failure_of_stop(w.why, f);
	else
		fail_start(
			s,
			end == AG_SQLITE_STOPPED
				? "the process that reads it did not start in time"
				: ag_str_cstr(arena,
		                              ag_str_printf(arena,
		                                            "the process that reads it ended at "
		                                            "its start (%.*s)",
		                                            AG_FMT(how_it_died(c->status, arena)))),
			"try again; argus doctor says what this system allows", arena, f);
	end_child(s, c);
	count_crash(s);
	return NULL;
}

static void fill_failure(const ag_sqlite_child *c, ag_sqlite_end end, const ag_sqlite_watch *w,
                         ag_sqlite_answer *a)
{
	ag_sql_failure *f = &a->ret->failure;

	if (end == AG_SQLITE_ANSWERED) {
		if (w->was_stopped && strcmp(f->sqlstate, "57014") == 0)
			ag_sql_failure_of_stop(w->why, f);
		return;
	}
	/* It was asked to stop because the result is full. */
	if (a->wants_no_more && !w->was_stopped && end == AG_SQLITE_STOPPED) {
		ag_sqlite_answer_cut(a);
		return;
	}
	a->ret->is_ok = false;
	switch (end) {
	case AG_SQLITE_STOPPED: ag_sql_failure_of_stop(w->why, f); break;
	case AG_SQLITE_CONFUSED: fail_confused(a->arena, f); break;
	default: fail_crashed(c, a->arena, f);
	}
}

/* What is not a result is not in it. */
static void clear_failed(ag_sql_result *r)
{
	if (r->is_ok)
		return;
	ag_buf_clear(&r->rows);
	r->nrow = r->rows_seen = 0;
	r->cut = AG_SQL_WHOLE;
}

/* One child, one request. False: another child must be asked, because this one had died before it saw the request, or cannot
 * reach the file any more: its sandbox is for the folder that was there when it started. */
static bool ask_once(engine *s, ag_sqlite_request *rq, ag_str bytes, ag_sqlite_watch *w,
                     ag_arena *arena, ag_sql_result *ret, ag_buf *ret_json)
{
	ag_sqlite_child *c = NULL;
	int64_t begin = now_ms();
	bool is_new, is_lost;
	ag_sqlite_answer a;
	ag_sqlite_end end;

	if (!take(s, w->ctx, arena, &c, &ret->failure)) {
		ret->wait_us = (now_ms() - begin) * 1000;
		return true;
	}
	ret->wait_us += (now_ms() - begin) * 1000;
	is_new = !c;
	if (is_new && !(c = start(s, w->ctx, arena, &ret->failure))) {
		give_back(s, NULL);
		return true;
	}
	if (!w->deadline_ms) /* from here on: waiting for a child is not the statement's time */
		w->deadline_ms = deadline_in(w->ctx, rq->limits.timeout_ms);
	ag_sqlite_answer_init(&a, rq, arena, ret);
	end = ag_sqlite_child_ask(c, bytes, w, &a);
	is_lost = !end && ret->failure.is_connection_lost;
	if (end == AG_SQLITE_UNSEEN || (is_lost && !is_new)) {
		end_child(s, c);
		give_back(s, NULL);
		ag_sqlite_answer_release(&a);
		ag_sql_result_release(ret);
		return false;
	}
	fill_failure(c, end, w, &a);
	if (ret_json)
		*ret_json = a.json;
	else
		ag_buf_release(&a.json);
	ag_buf_release(&a.in);
	if (end == AG_SQLITE_CRASHED || end == AG_SQLITE_CONFUSED)
		count_crash(s);
	if (end || is_lost) {
		end_child(s, c);
		c = NULL;
	}
	give_back(s, c);
	return true;
}

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* As the guard in the child says it. */
static void fail_length(const engine *s, size_t n, ag_arena *arena, ag_sql_verdict *v)
{
	v->rule = AG_SQLRULE_TOO_LARGE;
	v->message = ag_str_printf(arena, "The statement has %zu bytes; at most %zu are allowed", n,
	                           s->opts->policy.max_bytes);
	v->hint = AG_S("shorten it");
	v->sql = AG_S("");
}

static void ask_child(engine *s, ag_sqlite_request *rq, const ag_ctx *ctx, ag_arena *arena,
                      ag_sql_result *ret, ag_buf *ret_json)
{
	ag_buf bytes = AG_BUF_INIT(AG_SQLITE_MAX_REQUEST_BYTES);
	int64_t left = ag_ctx_left_ms(ctx), begin = now_us();
	ag_sqlite_watch w = { .ctx = ctx, .watch_fd = rq->limits.watch_fd };

	if (rq->sql.len > s->opts->policy.max_bytes) { /* nor need it be sent */
		fail_length(s, rq->sql.len, arena, &ret->verdict);
		return;
	}
	if (rq->limits.timeout_ms <= 0)
		rq->limits.timeout_ms = s->opts->statement_timeout_ms;
	if (left >= 0 && left < rq->limits.timeout_ms)
		rq->limits.timeout_ms = left;
	ag_sqlite_request_write(rq, &bytes);
	/* An idle child that somebody ended from outside is no fault of this statement. Each of them may be dead. */
	for (unsigned i = 0; i <= s->opts->max_connections; i++) {
		if (ask_once(s, rq, ag_buf_view(&bytes), &w, arena, ret, ret_json))
			break;
		*ret = (ag_sql_result){ .wait_us = ret->wait_us };
	}
	ag_buf_release(&bytes);
	ret->exec_us = now_us() - begin - ret->wait_us;
	clear_failed(ret);
}

/* --- the methods --- */

static ag_status ask(ag_sql_impl *impl, const ag_ctx *ctx, ag_str sql, ag_sql_purpose purpose,
                     const ag_sql_limits *limits, ag_arena *arena, ag_sql_result *ret, ag_err *err)
{
	ag_sqlite_request rq = { .verb = purpose == AG_SQL_RUN ? AG_SQLITE_ASK_RUN
		                                               : AG_SQLITE_ASK_EXPLAIN,
		                 .sql = sql,
		                 .limits = *limits };

	(void)err;
	ask_child(of(impl), &rq, ctx, arena, ret, NULL);
	if (ret->ncolumn) /* it was begun */
		ret->sql_executed = purpose == AG_SQL_RUN
		                            ? ret->verdict.sql
		                            : ag_str_printf(arena, "EXPLAIN QUERY PLAN %.*s",
		                                            AG_FMT(ret->verdict.sql));
	return AG_OK;
}

static ag_status judge(ag_sql_impl *impl, const ag_ctx *ctx, ag_str sql, ag_sql_purpose purpose,
                       ag_arena *arena, ag_sql_verdict *ret, ag_sql_failure *ret_failure,
                       ag_err *err)
{
	ag_sqlite_request rq = { .verb = purpose == AG_SQL_RUN ? AG_SQLITE_ASK_JUDGE
		                                               : AG_SQLITE_ASK_JUDGE_EXPLAIN,
		                 .sql = sql,
		                 .limits = { .watch_fd = -1 } };
	ag_sql_result r = { 0 };

	(void)err;
	ask_child(of(impl), &rq, ctx, arena, &r, NULL);
	*ret = r.verdict;
	*ret_failure = r.failure;
	ag_sql_result_release(&r);
	return AG_OK;
}

static ag_status introspect(ag_sql_impl *impl, const ag_ctx *ctx, const ag_dictionary_opts *o,
                            ag_arena *arena, ag_dictionary *ret, ag_sql_failure *ret_failure,
                            ag_err *err)
{
	const ag_clock *clock = ctx && ctx->clock ? ctx->clock : &ag_clock_system;
	ag_sqlite_request rq = { .verb = AG_SQLITE_ASK_DICTIONARY,
		                 .dictionary = *o,
		                 .limits = { .watch_fd = -1 } };
	ag_buf json = AG_BUF_INIT(0);
	ag_sql_result r = { 0 };

	(void)err;
	ask_child(of(impl), &rq, ctx, arena, &r, &json);
	*ret_failure = r.failure;
	if (!r.failure.code) {
		ag_err of_read;

		if (ag_dictionary_read(ag_buf_view(&json), arena, ret, &of_read))
			fail_confused(arena, ret_failure);
		else
			ret->generated_ms = ag_clock_wall(clock);
	}
	ag_buf_release(&json);
	ag_sql_result_release(&r);
	return AG_OK;
}

const ag_sql_engine ag_sql_engine_sqlite = {
	.name = "sqlite",
	.dialect = AG_SQL_SQLITE,
	.accepts = accepts,
	.open = open_sqlite,
	.close = close_sqlite,
	.ask = ask,
	.judge = judge,
	.introspect = introspect,
	.shown = shown,
	.health = health,
};
