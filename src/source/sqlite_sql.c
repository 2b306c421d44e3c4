/* SQLite as a SQL source: one file, read-only, judged by its own authorizer.
 *
 * One statement: a connection in a read transaction, compiled and judged there, stepped under its limits, rolled back. A
 * file that changed beneath a reader that holds no lock (see sqlite_sql_open.c) is read again. */
#include "source/sqlite_sql.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/time.h"
#include "source/sqlite_sql_text.h"

#define ORIGIN "source.sqlite"
#define SCHEME "sqlite:"
/* SQLite appends "-journal" to a path and keeps a limit of its own of 512 bytes. */
#define MAX_PATH 500u
/* A file that changes while it is read is read anew so often. */
#define NTRY 3

static ag_sqlite_sql *of(ag_sql_impl *impl)
{
	return (ag_sqlite_sql *)(void *)impl;
}

/* --- the handle --- */

static bool accepts(ag_str uri)
{
	return ag_str_starts(uri, AG_S(SCHEME));
}

/* One statement of one connection must not take the memory of the process; a limit that somebody set is kept. */
static void limit_heap(void)
{
	if (sqlite3_hard_heap_limit64(-1) == 0)
		sqlite3_hard_heap_limit64(AG_SQLITE_MAX_HEAP_BYTES);
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
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	char resolved[PATH_MAX];
	pthread_condattr_t attr;
	ag_sqlite_sql *s;
	ag_status st = resolve(uri, resolved, err);

	if (st)
		return st;
	pthread_once(&once, limit_heap);
	s = ag_xcalloc(1, sizeof(*s));
	s->opts = opts;
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

static void close_sqlite(ag_sql_impl *impl)
{
	ag_sqlite_sql *s = of(impl);

	AG_ASSERT(s->nbusy == 0);
	while (s->idle) {
		ag_sqlite_conn *c = s->idle;

		s->idle = c->next;
		ag_sqlite_conn_close(c);
	}
	pthread_cond_destroy(&s->is_free);
	pthread_mutex_destroy(&s->lock);
	free(s->shown_text);
	free(s->path);
	free(s);
}

static ag_str shown(const ag_sql_impl *impl)
{
	return ((const ag_sqlite_sql *)(const void *)impl)->shown;
}

static void health(ag_sql_impl *impl, ag_sql_health *ret)
{
	ag_sqlite_sql *s = of(impl);

	pthread_mutex_lock(&s->lock);
	ret->nopen = s->nopen;
	ret->nbusy = s->nbusy;
	pthread_mutex_unlock(&s->lock);
}

/* --- one statement --- */

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void fail_changed(ag_sqlite_sql *s, ag_arena *arena, ag_sql_failure *ret)
{
	ag_sql_failure_of_state("40001", ret);
	ret->message = ag_str_printf(arena, "%.*s was changed again and again while it was read",
	                             AG_FMT(s->shown));
}

/* The verdict refused what an earlier one had let through: the schema has changed. */
static void fail_refused(const ag_sql_verdict *v, ag_sql_failure *ret)
{
	if (ret->code)
		return;
	*ret = (ag_sql_failure){
		.code = AG_SQLCODE_VALIDATION,
		.class_name = "refused",
		.message = v->message,
		.detail = AG_S(""),
		.hint = v->hint,
		.position = v->position,
	};
}

typedef int step_fn(ag_sqlite_conn *c, sqlite3_stmt *stmt, ag_str sql, const ag_sql_limits *limits,
                    ag_arena *arena, ag_sql_result *ret);

/* In c's transaction. */
static void run_in(ag_sqlite_conn *c, const ag_safe_sql *sql, ag_sql_purpose purpose, step_fn *step,
                   const ag_sql_limits *limits, ag_arena *arena, ag_sql_result *ret)
{
	sqlite3_stmt *stmt = NULL;
	ag_sql_verdict v;
	int64_t start = now_us();
	int rc;

	ag_sqlite_compile(c, sql->sql, purpose, arena, &stmt, &v, &ret->failure);
	if (!stmt) {
		fail_refused(&v, &ret->failure);
		return;
	}
	ret->sql_executed = v.sql;
	rc = step(c, stmt, v.sql, limits, arena, ret);
	if (rc == SQLITE_DONE) {
		ret->is_ok = true;
	} else {
		ag_sqlite_failure(c, rc, v.sql, arena, &ret->failure);
		ag_buf_clear(&ret->rows);
		ret->nrow = 0;
		ret->cut = AG_SQL_WHOLE;
	}
	/* A statement that SQLite compiled again saw another schema than the one that was judged. The transaction should
	 * exclude that. */
	if (sqlite3_stmt_status(stmt, SQLITE_STMTSTATUS_REPREPARE, 1) > 0) {
		ret->is_ok = false;
		ag_buf_clear(&ret->rows);
		fail_changed(c->owner, arena, &ret->failure);
		c->must_close = true;
	}
	sqlite3_reset(stmt);
	ret->exec_us = now_us() - start;
}

static ag_status run_as(ag_sql_impl *impl, const ag_ctx *ctx, const ag_safe_sql *sql,
                        ag_sql_purpose purpose, step_fn *step, const ag_sql_limits *limits,
                        ag_arena *arena, ag_sql_result *ret)
{
	for (int i = 0; i < NTRY; i++) {
		ag_sqlite_conn *c = NULL;
		int64_t wait_us;
		bool has_begun = ag_sqlite_sql_begin(impl, ctx, limits->timeout_ms,
		                                     limits->watch_fd, arena, &c, &wait_us,
		                                     &ret->failure);

		ret->wait_us += wait_us;
		if (!has_begun)
			return AG_OK;
		run_in(c, sql, purpose, step, limits, arena, ret);
		if (ag_sqlite_sql_end(c))
			return AG_OK;
		ag_buf_release(&ret->rows);
		*ret = (ag_sql_result){ .wait_us = ret->wait_us };
	}
	fail_changed(of(impl), arena, &ret->failure);
	return AG_OK;
}

static int step_rows(ag_sqlite_conn *c, sqlite3_stmt *stmt, ag_str sql, const ag_sql_limits *limits,
                     ag_arena *arena, ag_sql_result *ret)
{
	(void)sql;
	return ag_sqlite_rows(c, stmt, limits, arena, ret);
}

static ag_status run(ag_sql_impl *impl, const ag_ctx *ctx, const ag_safe_sql *sql,
                     const ag_sql_limits *limits, ag_arena *arena, ag_sql_result *ret, ag_err *err)
{
	(void)err;
	return run_as(impl, ctx, sql, AG_SQL_RUN, step_rows, limits, arena, ret);
}

/* --- the plan --- */

/* [[[{"id":2,"parent":0,"detail":"SCAN t"},…]]]: the rows of EXPLAIN QUERY PLAN as one value. */
static int write_plan(ag_sqlite_conn *c, sqlite3_stmt *stmt, ag_buf *out)
{
	ag_jw w;
	int rc;

	ag_jw_init(&w, out, 0);
	ag_jw_arr(&w);
	ag_jw_arr(&w);
	ag_jw_arr(&w);
	c->phase = AG_SQLITE_STEP;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		ag_jw_obj(&w);
		ag_jw_kint(&w, "id", sqlite3_column_int64(stmt, 0));
		ag_jw_kint(&w, "parent", sqlite3_column_int64(stmt, 1));
		ag_jw_kstr(&w, "detail", ag_str_c((const char *)sqlite3_column_text(stmt, 3)));
		ag_jw_obj_end(&w);
	}
	c->phase = AG_SQLITE_OWN;
	ag_jw_arr_end(&w);
	ag_jw_arr_end(&w);
	ag_jw_arr_end(&w);
	return rc;
}

static int step_plan(ag_sqlite_conn *c, sqlite3_stmt *judged, ag_str sql,
                     const ag_sql_limits *limits, ag_arena *arena, ag_sql_result *ret)
{
	static const ag_sql_column_info column = { AG_S_INIT("QUERY PLAN"), AG_S_INIT("json") };
	ag_str text = ag_str_printf(arena, "EXPLAIN QUERY PLAN %.*s", AG_FMT(sql));
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(c->db, text.ptr, (int)text.len + 1, &stmt, NULL);

	(void)judged;
	if (!rc) {
		ret->sql_executed = text;
		ag_buf_init(&ret->rows, limits->max_bytes);
		rc = write_plan(c, stmt, &ret->rows);
	}
	sqlite3_finalize(stmt);
	ret->columns = &column;
	ret->ncolumn = 1;
	ret->nrow = ret->rows_seen = 1;
	if (ret->rows.failed) {
		ag_buf_clear(&ret->rows);
		ag_buf_adds(&ret->rows, "[]");
		ret->nrow = 0;
		ret->cut = AG_SQL_CUT_BYTES;
	}
	return rc;
}

static ag_status explain(ag_sql_impl *impl, const ag_ctx *ctx, const ag_safe_sql *sql,
                         const ag_sql_limits *limits, ag_arena *arena, ag_sql_result *ret,
                         ag_err *err)
{
	(void)err;
	return run_as(impl, ctx, sql, AG_SQL_EXPLAIN, step_plan, limits, arena, ret);
}

/* --- the verdict --- */

static ag_status judge(ag_sql_impl *impl, const ag_ctx *ctx, ag_str sql, ag_sql_purpose purpose,
                       ag_arena *arena, ag_sql_verdict *ret, ag_sql_failure *ret_failure,
                       ag_err *err)
{
	(void)err;
	for (int i = 0; i < NTRY; i++) {
		ag_sqlite_conn *c = NULL;
		sqlite3_stmt *stmt = NULL;
		int64_t wait_us;

		*ret_failure = (ag_sql_failure){ 0 };
		if (!ag_sqlite_sql_begin(impl, ctx, 0, -1, arena, &c, &wait_us, ret_failure))
			return AG_OK;
		ag_sqlite_compile(c, sql, purpose, arena, &stmt, ret, ret_failure);
		if (ag_sqlite_sql_end(c))
			return AG_OK;
	}
	fail_changed(of(impl), arena, ret_failure);
	return AG_OK;
}

const ag_sql_engine ag_sql_engine_sqlite = {
	.name = "sqlite",
	.dialect = AG_SQL_SQLITE,
	.accepts = accepts,
	.open = open_sqlite,
	.close = close_sqlite,
	.run = run,
	.explain = explain,
	.judge = judge,
	.introspect = ag_sqlite_introspect,
	.shown = shown,
	.health = health,
};
