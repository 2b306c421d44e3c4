/* postgres -- the PostgreSQL engine: opening, closing, and its row in the table of engines. */
#include "source/postgres_parts.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/time.h"

#define EXPLAIN "EXPLAIN (FORMAT JSON) "
#define CLOSE_US \
	INT64_C(300000) /* close() waits so long for threads that libpq holds; they end by themselves */

static bool accepts(ag_str uri)
{
	return ag_str_starts(uri, AG_S("postgresql://")) || ag_str_starts(uri, AG_S("postgres://"));
}

/* --- life --- */

ag_pg *ag_pg_ref(ag_pg *pg)
{
	atomic_fetch_add(&pg->nref, 1);
	return pg;
}

static void wipe(char *secret)
{
	if (secret)
		explicit_bzero(secret, strlen(secret));
	free(secret);
}

void ag_pg_unref(ag_pg *pg)
{
	if (atomic_fetch_sub(&pg->nref, 1) > 1)
		return;
	for (size_t i = 0; pg->keyword[i]; i++) {
		free(pg->keyword[i]);
		wipe(pg->value[i]);
	}
	ag_pg_types_release(pg);
	if (pg->wake_fd >= 0)
		close(pg->wake_fd);
	free(pg->shown);
	free(pg->role);
	free(pg->search_path);
	pthread_cond_destroy(&pg->no_thread);
	pthread_mutex_destroy(&pg->lock);
	free(pg);
}

static ag_status open_target(ag_str uri, const ag_sql_opts *opts, ag_sql_impl **ret, ag_err *err)
{
	ag_pg *pg = (ag_pg *)ag_xcalloc(1, sizeof(*pg));
	ag_status st;

	pthread_mutex_init(&pg->lock, NULL);
	ag_pg_cond_init(&pg->no_thread);
	atomic_init(&pg->nref, 1);
	pg->opts = opts;
	pg->last_waiter = &pg->first_waiter;
	pg->wake_fd = -1;
	pg->max_connections = opts->max_connections;
	pg->statement_timeout_ms = opts->statement_timeout_ms;
	pg->connect_timeout_ms = opts->connect_timeout_ms;
	pg->wait_timeout_ms = opts->wait_timeout_ms;
	st = ag_pq_load(&pg->pq, err);
	if (!st)
		st = ag_pg_address(pg, uri, opts, err);
	if (st) {
		ag_pg_unref(pg);
		return st;
	}
	*ret = (ag_sql_impl *)(void *)pg;
	return AG_OK;
}

static void close_target(ag_sql_impl *impl)
{
	ag_pg *pg = ag_pg_of(impl);
	ag_pg_conn *c;

	pthread_mutex_lock(&pg->lock);
	pg->is_closed = true; /* what a thread still brings is closed there */
	c = pg->idle;
	pg->idle = NULL;
	pthread_mutex_unlock(&pg->lock);
	while (c) {
		ag_pg_conn *next = c->next;

		ag_pg_disconnect(pg, c);
		c = next;
	}
	ag_pg_abandon_stuck(pg);
	ag_pg_threads_wait(pg, ag_time_mono_us() + CLOSE_US);
	ag_pg_unref(pg);
}

/* --- statements --- */

static ag_status run(ag_sql_impl *impl, const ag_ctx *ctx, const ag_safe_sql *sql,
                     const ag_sql_limits *limits, ag_arena *arena, ag_sql_result *ret, ag_err *err)
{
	(void)err;
	ag_pg_run_text(ag_pg_of(impl), ctx, sql->sql, limits, arena, ret);
	return AG_OK;
}

/* Planned, never run. One row whatever the limits say. */
static ag_status explain(ag_sql_impl *impl, const ag_ctx *ctx, const ag_safe_sql *sql,
                         const ag_sql_limits *limits, ag_arena *arena, ag_sql_result *ret,
                         ag_err *err)
{
	ag_sql_limits one = *limits;

	(void)err;
	one.max_rows = 1;
	ag_pg_run_text(ag_pg_of(impl), ctx, ag_str_printf(arena, EXPLAIN "%.*s", AG_FMT(sql->sql)),
	               &one, arena, ret);
	return AG_OK;
}

const ag_sql_opts *ag_pg_opts(const ag_sql_impl *impl)
{
	return ((const ag_pg *)(const void *)impl)->opts;
}

static ag_str shown(const ag_sql_impl *impl)
{
	return ag_str_c(((const ag_pg *)(const void *)impl)->shown);
}

static void health(ag_sql_impl *impl, ag_sql_health *ret)
{
	ag_pg *pg = ag_pg_of(impl);

	pthread_mutex_lock(&pg->lock);
	ret->nopen = pg->nopen;
	ret->nbusy = pg->nbusy;
	ag_pg_count_stuck(pg, ret);
	pthread_mutex_unlock(&pg->lock);
}

const ag_sql_engine ag_sql_engine_postgres = {
	.name = "postgresql",
	.dialect = AG_SQL_POSTGRES,
	.accepts = accepts,
	.open = open_target,
	.close = close_target,
	.run = run,
	.explain = explain,
	.catalog = ag_pg_catalog,
	.introspect = ag_pg_introspect,
	.shown = shown,
	.health = health,
};
