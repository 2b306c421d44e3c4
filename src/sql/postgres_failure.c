/* postgres_failure -- failures of pg/ as an ag_sql_failure. The SQLSTATE decides (sql_error.c). */
#include "sql/postgres.h"

static ag_sql_stop stop_of(ag_pg_stop stop)
{
	switch (stop) {
	case AG_PG_STOP_CANCELLED: return AG_SQL_STOP_CANCELLED;
	case AG_PG_STOP_CLIENT_GONE: return AG_SQL_STOP_CLIENT_GONE;
	default: return AG_SQL_STOP_TIMEOUT;
	}
}

void ag_postgres_failure(const ag_postgres *e, const ag_pg_failure *f, ag_arena *arena,
                         ag_sql_failure *ret)
{
	switch (f->why) {
	case AG_PG_NO_FAILURE: *ret = (ag_sql_failure){ .code = AG_SQLCODE_NONE }; return;
	case AG_PG_STOPPED: ag_sql_failure_of_stop(stop_of(f->stop), ret); return;
	case AG_PG_STILL_RUNNING:
		ag_sql_failure_of_running(stop_of(f->stop), f->is_lost, f->pid,
		                          e->opts->max_connections, arena, ret);
		return;
	case AG_PG_NO_CONNECTION:
		ag_sql_failure_pool_timeout(f->waited_ms, arena, ret);
		ret->message = f->message;
		return;
	case AG_PG_NO_THREAD:
		*ret = (ag_sql_failure){ .code = AG_SQLCODE_UNAVAILABLE,
			                 .class_name = "resource",
			                 .message = f->message,
			                 .detail = AG_S(""),
			                 .hint = AG_S("") };
		return;
	case AG_PG_REFUSED:
	case AG_PG_LOST: break;
	}
	ag_sql_failure_of_state(f->sqlstate, ret);
	ret->message = f->message;
	ret->detail = f->detail;
	if (f->hint.len > 0)
		ret->hint = f->hint;
	ret->position = f->position;
	ret->is_connection_lost = ret->is_connection_lost || f->why == AG_PG_LOST;
}
