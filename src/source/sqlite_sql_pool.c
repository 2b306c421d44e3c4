/* Connections: at most so many, one statement each at a time, given back last in, first out, so that the one whose pages
 * and last statement are warm is used again.
 *
 * A statement runs in one read transaction that begins before it is judged: what the authorizer saw is what is read. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/time.h"
#include "source/sqlite_sql.h"

/* So many operations of SQLite's machine between two looks at clock and flags. Most take nanoseconds, but one on a value of
 * 16 MiB can take a second: 32 of those are the worst that a deadline can be missed by. */
#define TICK_OPS 32
/* A waiting thread looks at its cancel flag so often. */
#define SLICE_MS 50
/* A reader that meets a writer's lock tries again so soon. */
#define BUSY_MS 2
/* The socket of a client is looked at so often: poll() is a system call. */
#define WATCH_MS 20

static ag_sqlite_sql *of(ag_sql_impl *impl)
{
	return (ag_sqlite_sql *)(void *)impl;
}

const ag_sql_opts *ag_sqlite_sql_opts(const ag_sql_impl *impl)
{
	return ((const ag_sqlite_sql *)(const void *)impl)->opts;
}

static int64_t now_ms(void)
{
	return ag_clock_mono(&ag_clock_system);
}

/* --- what stops a statement --- */

static bool is_cancelled(const ag_ctx *ctx)
{
	return ctx && ctx->cancel && atomic_load_explicit(ctx->cancel, memory_order_relaxed);
}

static bool is_gone(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLRDHUP };

	return fd >= 0 && poll(&p, 1, 0) > 0 &&
	       (p.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL));
}

static bool stop(ag_sqlite_conn *c, ag_sql_stop why)
{
	c->is_stopped = true;
	c->why = why;
	return true;
}

/* Its last tick (4 ms) is enough, and costs a fifth. */
static int64_t coarse_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool ag_sqlite_must_stop(ag_sqlite_conn *c)
{
	int64_t now;

	if (c->is_stopped)
		return true;
	if (is_cancelled(c->ctx))
		return stop(c, AG_SQL_STOP_CANCELLED);
	now = coarse_ms();
	if (c->deadline_ms && now >= c->deadline_ms)
		return stop(c, AG_SQL_STOP_TIMEOUT);
	if (c->watch_fd >= 0 && now >= c->watch_ms) {
		c->watch_ms = now + WATCH_MS;
		if (is_gone(c->watch_fd))
			return stop(c, AG_SQL_STOP_CLIENT_GONE);
	}
	return false;
}

static int on_progress(void *conn)
{
	return ag_sqlite_must_stop(conn);
}

static int on_busy(void *conn, int ntry)
{
	ag_sqlite_conn *c = conn;

	if ((int64_t)ntry * BUSY_MS > c->owner->opts->wait_timeout_ms || ag_sqlite_must_stop(c))
		return 0;
	poll(NULL, 0, BUSY_MS);
	return 1;
}

/* --- taking and giving back --- */

static void deadline_of(const ag_ctx *ctx, int64_t ms, struct timespec *ret, int64_t *ret_ms)
{
	int64_t left = ag_ctx_left_ms(ctx), t;

	if (left >= 0 && left < ms)
		ms = left;
	clock_gettime(CLOCK_MONOTONIC, ret);
	t = (int64_t)ret->tv_sec * 1000 + ret->tv_nsec / 1000000 + ms;
	*ret_ms = t;
	ret->tv_sec = (time_t)(t / 1000);
	ret->tv_nsec = (long)(t % 1000) * 1000000;
}

/* An idle connection, or none and the right to open one. False when all were busy for too long. */
static bool take(ag_sqlite_sql *s, const ag_ctx *ctx, ag_arena *arena, ag_sqlite_conn **ret,
                 ag_sql_failure *f)
{
	struct timespec till;
	int64_t till_ms;
	bool has_place = false;

	deadline_of(ctx, s->opts->wait_timeout_ms, &till, &till_ms);
	pthread_mutex_lock(&s->lock);
	for (;;) {
		struct timespec slice;
		int64_t slice_ms;

		if (s->idle || s->nopen < s->opts->max_connections) {
			*ret = s->idle;
			if (s->idle)
				s->idle = s->idle->next;
			else
				s->nopen++;
			s->nbusy++;
			has_place = true;
			break;
		}
		if (is_cancelled(ctx) || now_ms() >= till_ms)
			break;
		deadline_of(NULL, SLICE_MS, &slice, &slice_ms);
		pthread_cond_timedwait(&s->is_free, &s->lock, slice_ms < till_ms ? &slice : &till);
	}
	pthread_mutex_unlock(&s->lock);
	if (has_place)
		return true;
	if (is_cancelled(ctx))
		ag_sql_failure_of_stop(AG_SQL_STOP_CANCELLED, f);
	else
		ag_sql_failure_pool_timeout(s->opts->wait_timeout_ms, arena, f);
	return false;
}

/* c NULL: the place alone is free again. */
static void give_back(ag_sqlite_sql *s, ag_sqlite_conn *c)
{
	pthread_mutex_lock(&s->lock);
	s->nbusy--;
	if (c) {
		c->next = s->idle;
		s->idle = c;
	} else {
		s->nopen--;
	}
	pthread_cond_signal(&s->is_free);
	pthread_mutex_unlock(&s->lock);
}

static void set_watch(ag_sqlite_conn *c, const ag_ctx *ctx, int64_t timeout_ms, int watch_fd)
{
	int64_t left = ag_ctx_left_ms(ctx);

	if (timeout_ms <= 0)
		timeout_ms = c->owner->opts->statement_timeout_ms;
	if (left >= 0 && left < timeout_ms)
		timeout_ms = left;
	c->ctx = ctx;
	c->deadline_ms = now_ms() + timeout_ms;
	c->watch_fd = watch_fd;
	c->watch_ms = 0;
	c->is_stopped = false;
	sqlite3_progress_handler(c->db, TICK_OPS, on_progress, c);
	sqlite3_busy_handler(c->db, on_busy, c);
}

static int step_once(sqlite3_stmt *stmt)
{
	int rc = sqlite3_step(stmt), again = sqlite3_reset(stmt);

	return rc == SQLITE_ROW || rc == SQLITE_DONE ? again : rc;
}

/* BEGIN alone takes no lock: the first read does, and holds it. */
static int begin(ag_sqlite_conn *c)
{
	int rc = step_once(c->begin), version = 0, again;

	if (rc)
		return rc;
	c->is_reading = true;
	rc = sqlite3_step(c->version);
	if (rc == SQLITE_ROW)
		version = sqlite3_column_int(c->version, 0);
	again = sqlite3_reset(c->version);
	if (rc != SQLITE_ROW)
		return again ? again : SQLITE_CORRUPT;
	if (c->schema_version == version)
		return SQLITE_OK;
	ag_sqlite_forget_last(c);
	rc = ag_sqlite_conn_relations(c);
	if (!rc)
		c->schema_version = version;
	return rc;
}

bool ag_sqlite_sql_begin(ag_sql_impl *impl, const ag_ctx *ctx, int64_t timeout_ms, int watch_fd,
                         ag_arena *arena, ag_sqlite_conn **ret, int64_t *ret_wait_us,
                         ag_sql_failure *ret_failure)
{
	ag_sqlite_sql *s = of(impl);
	ag_sqlite_conn *c = NULL;
	int64_t start = now_ms();
	int rc;

	*ret_wait_us = 0;
	if (!take(s, ctx, arena, &c, ret_failure)) {
		*ret_wait_us = (now_ms() - start) * 1000;
		return false;
	}
	*ret_wait_us = (now_ms() - start) * 1000;
	if (c && !ag_sqlite_conn_is_current(c)) {
		ag_sqlite_conn_close(c);
		c = NULL;
	}
	if (!c)
		ag_sqlite_conn_open(s, arena, &c, ret_failure);
	if (!c) {
		give_back(s, NULL);
		return false;
	}
	c->phase = AG_SQLITE_OWN;
	set_watch(c, ctx, timeout_ms, watch_fd);
	rc = begin(c);
	if (rc) {
		ag_sqlite_failure(c, rc, AG_S(""), arena, ret_failure);
		c->must_close = true;
		AG_IGNORE(!ag_sqlite_sql_end(c), "nothing was read");
		return false;
	}
	*ret = c;
	return true;
}

bool ag_sqlite_sql_end(ag_sqlite_conn *c)
{
	ag_sqlite_sql *s = c->owner;
	bool is_good = true;

	c->phase = AG_SQLITE_OWN;
	/* The statement has ended: nothing may stop the rollback. */
	sqlite3_progress_handler(c->db, 0, NULL, NULL);
	c->ctx = NULL;
	c->is_stopped = false;
	if (c->is_reading && step_once(c->end))
		c->must_close = true;
	c->is_reading = false;
	if (c->way == AG_SQLITE_IMMUTABLE)
		is_good = ag_sqlite_conn_is_current(c) || c->must_close;
	/* A joined one would keep the writer from tidying up; one that failed is not trusted. */
	if (c->way == AG_SQLITE_JOINED || c->must_close || !is_good) {
		ag_sqlite_conn_close(c);
		c = NULL;
	}
	give_back(s, c);
	return is_good;
}

/* --- what is in the schema --- */

static int read_relations(ag_sqlite_conn *c, sqlite3_stmt *stmt)
{
	size_t cap = 0;
	int rc;

	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);
		const char *type = (const char *)sqlite3_column_text(stmt, 1);

		if (!name || !type)
			return SQLITE_NOMEM;
		if (c->nrelation == cap) {
			ag_sqlite_relation *more;

			cap = cap ? 2 * cap : 32;
			more = ag_new_n(c->names, ag_sqlite_relation, cap);
			if (c->nrelation)
				memcpy(more, c->relations, c->nrelation * sizeof(*more));
			c->relations = more;
		}
		c->relations[c->nrelation++] = (ag_sqlite_relation){
			.name = ag_str_dup(c->names, ag_str_c(name)),
			.kind = strcmp(type, "virtual") == 0 ? 'V' : type[0],
			.declared = ag_str_dup(
				c->names, ag_str_c((const char *)sqlite3_column_text(stmt, 2))),
		};
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int ag_sqlite_conn_relations(ag_sqlite_conn *c)
{
	static const char *const steps[] = {
		/* Makes SQLite look at the schema again; PRAGMA schema_version does not. */
		"SELECT count(*) FROM main.sqlite_schema",
		"SELECT l.name, l.type, s.sql FROM pragma_table_list l LEFT JOIN main.sqlite_schema s"
		" ON s.type = 'table' AND s.name = l.name AND l.type = 'virtual' WHERE l.schema = 'main'",
	};
	int rc = SQLITE_OK;

	ag_arena_free(c->names);
	c->names = ag_arena_new();
	c->relations = NULL;
	c->nrelation = 0;
	for (size_t i = 0; !rc && i < AG_NELEM(steps); i++) {
		sqlite3_stmt *stmt = NULL;

		rc = sqlite3_prepare_v2(c->db, steps[i], -1, &stmt, NULL);
		if (!rc)
			rc = i ? read_relations(c, stmt) : step_once(stmt);
		sqlite3_finalize(stmt);
	}
	return rc ? rc : ag_sqlite_program_map(c);
}

const ag_sqlite_relation *ag_sqlite_conn_relation(const ag_sqlite_conn *c, ag_str name)
{
	for (size_t i = 0; i < c->nrelation; i++)
		if (ag_str_ieq(c->relations[i].name, name))
			return &c->relations[i];
	return NULL;
}
