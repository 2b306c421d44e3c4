/* postgres_statement -- the steps of a statement, and what their answers mean.
 *
 * BEGIN and ROLLBACK are prepared once a connection: 15 % more calls a second. pg/exchange.c checks the tags of their
 * answers, because a statement that the guard let in by mistake could have replaced them.
 *
 * Between BEGIN and the statement the server is asked whether its catalogs are still those that the guard judged by
 * (postgres_fresh.h). When they are not, that query fails, and the server skips everything up to Sync. */
#include "sql/postgres_statement.h"

#include <stdio.h>

#include "sql/postgres_fresh.h"

#define MAX_STEPS 10

/* Bits of what is prepared on a connection. */
#define PREPARED_BEGIN    UINT64_C(1)
#define PREPARED_ROLLBACK UINT64_C(2)
#define PREPARED_MOMENT   UINT64_C(4)
#define PREPARED_STATE    UINT64_C(8)

typedef struct transaction {
	ag_postgres *e;
	ag_pg_conn *c;
	const ag_postgres_statement *s;
	ag_arena *arena;
	ag_pg_exchange x;
	ag_pg_step steps[MAX_STEPS];
	size_t nstep;
	const ag_pg_step *fresh; /* the step that asks whether the snapshot holds; NULL = none */
	ag_pg_sink fresh_sink;
	ag_str setting, fresh_values[3];
} transaction;

/* --- the steps --- */

static void add_step(transaction *t, ag_pg_step step)
{
	AG_ASSERT(t->nstep < MAX_STEPS);
	if (!step.name)
		step.name = "";
	t->steps[t->nstep++] = step;
}

static void prepare(transaction *t, uint64_t bit, const char *name, ag_str sql)
{
	if (!ag_pg_has_prepared(t->c, bit))
		add_step(t, (ag_pg_step){ .name = name, .sql = sql, .prepares = bit });
}

/* {16385,16390} */
static ag_str relations_of(const ag_sql_verdict *v, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(256u * 1024);
	ag_str ret;

	ag_buf_addc(&b, '{');
	for (size_t i = 0; i < v->nrelation; i++)
		ag_buf_addf(&b, i ? ",%u" : "%u", v->relations[i]);
	ag_buf_addc(&b, '}');
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

/* The moment at which the state was found to hold. */
static bool take_moment(void *arg, const ag_str *cell)
{
	transaction *t = (transaction *)arg;

	if (!t->s->fresh->moment.len && cell[0].ptr)
		t->s->fresh->now = ag_str_dup(t->arena, cell[0]);
	return true;
}

/* Then the moment is not known, and the state is compared again for the next statement. */
static bool moment_too_large(void *arg)
{
	(void)arg;
	return true;
}

/* A value that is never NULL: compared with NULL, the snapshot would always hold. */
static ag_str not_null(ag_str s)
{
	return s.ptr ? s : AG_S("");
}

static void add_fresh(transaction *t)
{
	const ag_sql_freshness *f = t->s->fresh;
	ag_pg_step step = { .name = "ag_moment",
		            .values = t->fresh_values,
		            .nvalue = 1,
		            .tags = "SELECT 1",
		            .may_fail = true,
		            .sink = &t->fresh_sink,
		            .ncolumn = 1 };

	t->fresh_sink = (ag_pg_sink){ .row = take_moment, .too_large = moment_too_large, .arg = t };
	if (f->moment.len) {
		t->fresh_values[0] = f->moment;
	} else {
		step.name = "ag_state";
		step.nvalue = 3;
		step.ncolumn = 2;
		t->fresh_values[0] = not_null(f->catalog->state);
		t->fresh_values[1] = relations_of(f->verdict, t->arena);
		t->fresh_values[2] = ag_str_printf(t->arena, "%lld", (long long)f->verdict->mark);
	}
	t->fresh = &t->steps[t->nstep];
	add_step(t, step);
}

static void add_discard(transaction *t)
{
	if (t->s->may_leave_state)
		add_step(t, (ag_pg_step){ .sql = AG_S("DISCARD ALL"),
		                          .tags = "DISCARD ALL",
		                          .forgets = true });
}

static void plan(transaction *t)
{
	const ag_sql_freshness *f = t->s->fresh;

	prepare(t, PREPARED_BEGIN, "ag_begin", AG_S("BEGIN READ ONLY"));
	prepare(t, PREPARED_ROLLBACK, "ag_rollback", AG_S("ROLLBACK"));
	if (f && f->moment.len)
		prepare(t, PREPARED_MOMENT, "ag_moment", AG_S(AG_POSTGRES_FRESH_SQL));
	else if (f)
		prepare(t, PREPARED_STATE, "ag_state", AG_S(AG_POSTGRES_FRESH_STATE_SQL));
	add_step(t, (ag_pg_step){ .name = "ag_begin", .tags = "BEGIN" });
	if (t->s->timeout_ms != t->e->opts->statement_timeout_ms) {
		t->setting = ag_str_printf(t->arena, "SET LOCAL statement_timeout = %lld",
		                           (long long)t->s->timeout_ms);
		add_step(t, (ag_pg_step){ .sql = t->setting, .tags = "SET" });
	}
	if (f)
		add_fresh(t);
	/* Only queries may have run: after anything else the session is not what it was. */
	add_step(t, (ag_pg_step){ .sql = t->s->sql,
	                          .values = t->s->values,
	                          .nvalue = t->s->nvalue,
	                          .tags = "SELECT*|EXPLAIN",
	                          .may_fail = true,
	                          .sink = &t->s->sink });
	add_step(t, (ag_pg_step){ .name = "ag_rollback", .tags = "ROLLBACK" });
	add_discard(t);
}

/* --- the answers --- */

/* false: the connection is of no more use. */
static bool check_fresh(transaction *t)
{
	if (!t->fresh || t->x.result.failed != t->fresh)
		return true;
	if (strcmp(t->x.result.failure.sqlstate, "22012") != 0)
		return false;
	t->s->fresh->is_stale = true;
	return true;
}

/* The server skips every step after an error. */
static bool clean_up(transaction *t)
{
	if (t->x.result.transaction == 'I' && (t->x.result.was_discarded || !t->s->may_leave_state))
		return true;
	t->nstep = 0;
	add_step(t, (ag_pg_step){ .sql = AG_S("ROLLBACK"), .tags = "ROLLBACK" });
	add_discard(t);
	return ag_pg_exchange_finish(&t->x, t->steps, t->nstep) && t->x.result.transaction == 'I';
}

static void explain_end(transaction *t, ag_postgres_outcome *out)
{
	const ag_pg_failure *f = &t->x.result.failure;

	out->began_us = t->x.result.began_us;
	out->last_row_us = t->x.result.last_row_us;
	out->has_failed = f->why != AG_PG_NO_FAILURE;
	if (!out->has_failed)
		return;
	ag_postgres_failure(t->e, f, t->arena, &out->failure);
	if (f->why == AG_PG_REFUSED && strcmp(f->sqlstate, "57014") == 0 &&
	    ag_time_mono_us() - out->began_us < t->s->timeout_ms * 900) {
		/* Not the time-out: somebody at the server. */
		out->failure.code = AG_SQLCODE_CANCELLED;
		out->failure.class_name = "cancelled";
	}
	out->is_repeatable = !t->x.result.was_answered && !t->x.result.was_new &&
	                     t->x.stop == AG_PG_STOP_NONE &&
	                     (out->failure.is_connection_lost || strcmp(f->sqlstate, "26000") == 0);
}

void ag_postgres_run_statement(ag_postgres *e, ag_pg_conn *c, const ag_ctx *ctx,
                               const ag_postgres_statement *statement, ag_arena *arena,
                               ag_postgres_outcome *ret)
{
	const ag_pg_terms terms = { .ctx = ctx,
		                    .timeout_ms = statement->timeout_ms,
		                    .watch_fd = statement->watch_fd,
		                    .max_row_bytes = statement->max_row_bytes,
		                    .hold = { statement->hold.keep, statement->hold.release,
		                              statement->hold.arg },
		                    .may_pause = statement->may_pause };
	transaction t = { .e = e, .c = c, .s = statement, .arena = arena };

	*ret = (ag_postgres_outcome){ 0 };
	plan(&t);
	ag_pg_exchange_begin(&t.x, e->pg, c, &terms, arena);
	if (!ag_pg_exchange_run(&t.x, t.steps, t.nstep) || !check_fresh(&t) || !clean_up(&t) ||
	    statement->is_last)
		ag_pg_spoil(c);
	ag_pg_exchange_end(&t.x);
	explain_end(&t, ret);
	ag_pg_give(e->pg, c);
}
