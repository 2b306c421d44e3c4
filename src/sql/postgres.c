/* postgres -- the PostgreSQL engine: opening, closing, and its row in the table of engines. */
#include "sql/postgres.h"

#include <stdlib.h>

#define EXPLAIN "EXPLAIN (FORMAT JSON) "
/* This process closes idle connections only during a call, so the server closes them as well. */
#define IDLE_SESSION_MS 600000

static bool accepts(ag_str uri)
{
	return ag_str_starts(uri, AG_S("postgresql://")) || ag_str_starts(uri, AG_S("postgres://"));
}

static ag_status open_target(ag_str uri, const ag_sql_opts *opts, ag_sql_impl **ret, ag_err *err)
{
	const ag_pg_opts pg_opts = {
		.schema = opts->policy.schema,
		.role = opts->role,
		.password = opts->password,
		.application = opts->application,
		.is_read_only = true,
		.has_small_memory = true,
		.needs_type_names = true,
		.max_connections = opts->max_connections,
		.statement_timeout_ms = opts->statement_timeout_ms,
		.idle_session_ms = IDLE_SESSION_MS,
		.wait_timeout_ms = opts->wait_timeout_ms,
		.connect_timeout_ms = opts->connect_timeout_ms,
	};
	ag_postgres *e;
	ag_status st;
	ag_pg *pg;

	st = ag_pg_open(uri, &pg_opts, &pg, err);
	if (st)
		return st;
	e = (ag_postgres *)ag_xcalloc(1, sizeof(*e));
	*e = (ag_postgres){ .pg = pg, .opts = opts };
	*ret = (ag_sql_impl *)(void *)e;
	return AG_OK;
}

static void close_target(ag_sql_impl *impl)
{
	ag_pg_close(ag_postgres_of(impl)->pg);
	free(impl);
}

/* --- statements --- */

static ag_status run(ag_sql_impl *impl, const ag_ctx *ctx, const ag_safe_sql *sql,
                     const ag_sql_limits *limits, ag_arena *arena, ag_sql_result *ret, ag_err *err)
{
	(void)err;
	ag_postgres_run_text(ag_postgres_of(impl), ctx, sql->sql, limits, arena, ret);
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
	ag_postgres_run_text(ag_postgres_of(impl), ctx,
	                     ag_str_printf(arena, EXPLAIN "%.*s", AG_FMT(sql->sql)), &one, arena,
	                     ret);
	return AG_OK;
}

static ag_str shown(const ag_sql_impl *impl)
{
	return ag_pg_shown(((const ag_postgres *)(const void *)impl)->pg);
}

static void health(ag_sql_impl *impl, ag_sql_health *ret)
{
	ag_pg_health h;

	_Static_assert(AG_PG_HEALTH_PIDS == AG_SQL_HEALTH_PIDS, "the lists have the same length");
	ag_pg_health_of(ag_postgres_of(impl)->pg, &h);
	ret->nopen = h.nopen;
	ret->nbusy = h.nbusy;
	ret->nstuck = h.nstuck;
	memcpy(ret->stuck_pid, h.stuck_pid, sizeof(ret->stuck_pid));
}

const ag_sql_engine ag_sql_engine_postgres = {
	.name = "postgresql",
	.dialect = AG_SQL_POSTGRES,
	.accepts = accepts,
	.open = open_target,
	.close = close_target,
	.run = run,
	.explain = explain,
	.catalog = ag_postgres_catalog,
	.introspect = ag_postgres_introspect,
	.shown = shown,
	.health = health,
};
