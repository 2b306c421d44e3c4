/* sql -- the dispatcher: the only caller of an engine's methods.
 *
 * A statement takes the same way everywhere: breaker, catalog snapshot, guard (through the cache of verdicts), cost, engine.
 * An engine with a judge of its own needs no snapshot. What a statement did wrong is never the breaker's business: it counts
 * connections that were lost or not got.
 *
 * Read run_guarded() first, then judge_with_catalog(); sql_catalog_keep.c holds the snapshot. The engine asks before each
 * statement whether the snapshot still holds (execute_fresh()), so a new view or function counts from the next statement on. */
#include <stdlib.h>

#include "run/breaker.h"
#include "run/span.h"
#include "sql/sql_parts.h"
#include "sql/sql_plan.h"

#define ORIGIN "sql"

#define DEFAULT_CONNECTIONS  5u
#define MAX_CONNECTIONS      64u
#define DEFAULT_RESULT_BYTES (1u << 20)
#define MAX_RESULT_BYTES     (64u << 20)
#define DEFAULT_TIMEOUT_MS   30000
#define DEFAULT_WAIT_MS      5000
#define DEFAULT_CONNECT_MS   10000
/* Longest statement accepted, in bytes. A statement written by a person or a model is far shorter. */
#define MAX_SQL_BYTES (1u << 20)
/* After an outage the first probe; a restart of a database takes seconds. */
#define FIRST_PROBE_MS 1000
/* What a refusal says about the next try, when statements do not stop: nobody knows when they end. */
#define STUCK_RETRY_MS 5000
/* A statement is judged again when the database changed between verdict and statement. */
#define MAX_JUDGED 4u
/* Some thousand verdicts. */
#define CACHE_BYTES (4u << 20)

static const ag_sql_engine *const sql_engines[] = {
	&ag_sql_engine_postgres,
	&ag_sql_engine_sqlite,
};

/* --- opening --- */

static const ag_sql_engine *engine_of(ag_str uri)
{
	for (size_t i = 0; i < AG_NELEM(sql_engines); i++)
		if (sql_engines[i]->accepts(uri))
			return sql_engines[i];
	return NULL;
}

bool ag_sql_accepts(ag_str uri)
{
	return engine_of(uri) != NULL;
}

static const ag_str *dup_list(ag_arena *arena, const ag_str *list, size_t n)
{
	ag_str *copy = n ? ag_new_n(arena, ag_str, n) : NULL;

	for (size_t i = 0; i < n; i++)
		copy[i] = ag_str_dup(arena, list[i]);
	return copy;
}

static void copy_policy(ag_arena *arena, const ag_sql_policy *from, ag_sql_dialect dialect,
                        ag_sql_policy *ret)
{
	*ret = *from;
	ret->dialect = dialect;
	ret->schema = from->schema.len           ? ag_str_dup(arena, from->schema)
	              : dialect == AG_SQL_SQLITE ? AG_S("main")
	                                         : AG_S("public");
	ret->allowed_schemas = dup_list(arena, from->allowed_schemas, from->nallowed_schema);
	ret->allowed_tables = dup_list(arena, from->allowed_tables, from->nallowed_table);
	ret->excluded_tables = dup_list(arena, from->excluded_tables, from->nexcluded_table);
	ret->allowed_functions = dup_list(arena, from->allowed_functions, from->nallowed_function);
	ret->allowed_views = dup_list(arena, from->allowed_views, from->nallowed_view);
	ret->allowed_types = dup_list(arena, from->allowed_types, from->nallowed_type);
	ret->allowed_extensions = dup_list(arena, from->allowed_extensions,
	                                   from->nallowed_extension);
	if (ret->max_rows == 0)
		ret->max_rows = AG_SQL_DEFAULT_ROWS;
	if (ret->max_rows > AG_SQL_MAX_ROWS)
		ret->max_rows = AG_SQL_MAX_ROWS;
	if (ret->max_bytes == 0)
		ret->max_bytes = AG_SQL_MAX_BYTES;
	if (ret->max_bytes > MAX_SQL_BYTES)
		ret->max_bytes = MAX_SQL_BYTES;
}

static int64_t or_default(int64_t v, int64_t otherwise)
{
	return v > 0 ? v : otherwise;
}

static void copy_opts(ag_arena *arena, const ag_sql_opts *from, ag_sql_dialect dialect,
                      ag_sql_opts *ret)
{
	*ret = *from;
	copy_policy(arena, &from->policy, dialect, &ret->policy);
	ret->role = ag_str_dup(arena, from->role);
	ret->password = ag_str_dup(arena, from->password);
	ret->application = from->application.len ? ag_str_dup(arena, from->application)
	                                         : AG_S("argus");
	if (ret->max_connections == 0)
		ret->max_connections = DEFAULT_CONNECTIONS;
	if (ret->max_connections > MAX_CONNECTIONS)
		ret->max_connections = MAX_CONNECTIONS;
	if (ret->max_result_bytes == 0)
		ret->max_result_bytes = DEFAULT_RESULT_BYTES;
	if (ret->max_result_bytes > MAX_RESULT_BYTES)
		ret->max_result_bytes = MAX_RESULT_BYTES;
	ret->statement_timeout_ms = or_default(from->statement_timeout_ms, DEFAULT_TIMEOUT_MS);
	ret->wait_timeout_ms = or_default(from->wait_timeout_ms, DEFAULT_WAIT_MS);
	ret->connect_timeout_ms = or_default(from->connect_timeout_ms, DEFAULT_CONNECT_MS);
}

ag_status ag_sql_open(ag_str uri, const ag_sql_opts *opts, ag_sql_source **ret, ag_err *err)
{
	static const ag_sql_opts defaults = { 0 };
	const ag_sql_engine *engine = engine_of(uri);
	ag_sql_source *s;
	ag_arena *arena;
	ag_status st;

	if (!engine) {
		/* Nothing of the text: it may hold a password. */
		AG_IGNORE(ag_fail(err, AG_INVALID, ORIGIN,
		                  "this is no SQL database that Argus knows"),
		          "the hint says more");
		return ag_err_hint(err,
		                   "write postgresql://user@host:5432/database or sqlite:PATH");
	}
	arena = ag_arena_new();
	s = ag_xcalloc(1, sizeof(*s));
	s->engine = engine;
	s->arena = arena;
	copy_opts(arena, opts ? opts : &defaults, engine->dialect, &s->opts);
	st = ag_sql_policy_check(&s->opts.policy, err);
	if (!st)
		st = engine->open(uri, &s->opts, &s->impl, err);
	if (st) {
		ag_arena_free(arena);
		free(s);
		return st;
	}
	ag_breaker_init(&s->breaker);
	ag_breaker_probe_early(&s->breaker, FIRST_PROBE_MS);
	ag_sql_keep_init(&s->keep);
	if (!engine->judge)
		s->cache = ag_sql_cache_new(CACHE_BYTES);
	*ret = s;
	return AG_OK;
}

ag_sql_source *ag_sql_close(ag_sql_source *s)
{
	if (!s)
		return NULL;
	s->engine->close(s->impl);
	ag_sql_cache_free(s->cache);
	ag_sql_keep_release(&s->keep);
	ag_breaker_release(&s->breaker);
	ag_arena_free(s->arena);
	free(s);
	return NULL;
}

void ag_sql_result_release(ag_sql_result *r)
{
	ag_buf_release(&r->rows);
}

/* --- the breaker --- */

static int64_t now_ms(const ag_ctx *ctx)
{
	return ag_clock_mono(ctx && ctx->clock ? ctx->clock : &ag_clock_system);
}

/* Half of the connections, but at least two where there are so many: one statement that does not stop is an accident. */
static unsigned stuck_limit(unsigned max_connections)
{
	const unsigned half = (max_connections + 1) / 2;

	return max_connections < 2 ? 1 : half < 2 ? 2 : half;
}

/* Statements that do not stop open the breaker as well: each new one could be the next that takes a connection away. */
static bool admit_beside_stuck(ag_sql_source *s, ag_arena *arena, ag_sql_failure *f)
{
	AG_AUTO(ag_buf_release) ag_buf pids = AG_BUF_INIT(256);
	ag_sql_health h = { 0 };

	s->engine->health(s->impl, &h);
	if (h.nstuck < stuck_limit(s->opts.max_connections))
		return true;
	for (size_t i = 0; i < AG_NELEM(h.stuck_pid) && h.stuck_pid[i]; i++)
		ag_buf_addf(&pids, "%s%d", i ? ", " : ": backends ", h.stuck_pid[i]);
	*f = (ag_sql_failure){
		.code = AG_SQLCODE_UNAVAILABLE,
		.class_name = "still_running",
		.message = ag_str_printf(
			arena,
			"%u statements were asked to stop and still run at the server (%u of %u "
			"connections%.*s); new statements are refused until fewer than %u are left",
			h.nstuck, h.nstuck, s->opts.max_connections, AG_FMT(ag_buf_view(&pids)),
			stuck_limit(s->opts.max_connections)),
		.detail = AG_S(""),
		.hint = AG_S(
			"wait until they end; the administrator sees them in pg_stat_activity. Do not "
			"send those statements again"),
		.retry_after_ms = STUCK_RETRY_MS,
	};
	return false;
}

static bool admit(ag_sql_source *s, const ag_ctx *ctx, ag_arena *arena, uint64_t *ret_ticket,
                  ag_sql_failure *f)
{
	int64_t wait_ms;

	if (!admit_beside_stuck(s, arena, f))
		return false;
	if (ag_breaker_admit(&s->breaker, now_ms(ctx), ret_ticket, &wait_ms))
		return true;
	*f = (ag_sql_failure){
		.code = AG_SQLCODE_UNAVAILABLE,
		.class_name = "connection",
		.message =
			wait_ms > 0
				? ag_str_printf(
					  arena,
					  "the database could not be reached several times in a row: statements fail "
					  "at once until the next probe is due in %lld s",
					  (long long)((wait_ms + 999) / 1000))
				: AG_S("the database could not be reached several times in a row: statements "
		                       "fail at once while a probe is under way"),
		.detail = AG_S(""),
		.hint = AG_S("try again later; doctor reports whether the database answers"),
		.retry_after_ms = wait_ms > 0 ? wait_ms : FIRST_PROBE_MS,
	};
	return false;
}

static ag_breaker_report report_of(const ag_sql_failure *f)
{
	if (f->is_connection_lost)
		return AG_BREAKER_FAILED;
	switch (f->code) {
	case AG_SQLCODE_POOL_TIMEOUT:
	case AG_SQLCODE_CANCELLED:
	case AG_SQLCODE_QUERY_TIMEOUT: return AG_BREAKER_UNKNOWN;
	default: return AG_BREAKER_WORKS;
	}
}

/* asked: somebody talked to the database. */
static void tell(ag_sql_source *s, const ag_ctx *ctx, uint64_t ticket, bool asked,
                 const ag_sql_failure *f)
{
	ag_breaker_tell(&s->breaker, ticket, now_ms(ctx),
	                asked || f->is_connection_lost ? report_of(f) : AG_BREAKER_UNKNOWN);
}

/* One statement under way: what its steps share. */
typedef struct statement {
	ag_sql_source *s;
	const ag_ctx *ctx;
	const ag_sql_request *rq;
	ag_sql_purpose purpose;
	ag_arena *arena;
	ag_err *err;
} statement;

/* --- the verdict --- */

/* A refusal that a newer look at the database could lift, or a relation that may be a view over an excluded one. */
static bool is_unknown(const ag_sql_verdict *v)
{
	return v->has_unknown || (v->reads_views && !ag_sql_allowed(v)) ||
	       v->rule == AG_SQLRULE_FIELD || v->rule == AG_SQLRULE_UNKNOWN_FUNCTION ||
	       v->rule == AG_SQLRULE_OPERATOR || v->rule == AG_SQLRULE_TYPE;
}

static ag_status guard_with(const statement *t, const ag_sql_snapshot *snapshot,
                            ag_sql_verdict *ret)
{
	*ret = (ag_sql_verdict){ 0 };
	return ag_sql_cache_guard(t->s->cache, now_ms(t->ctx),
	                          &(ag_sql_asked){ .sql = t->rq->sql,
	                                           .policy = &t->s->opts.policy,
	                                           .catalog = snapshot ? &snapshot->catalog : NULL,
	                                           .purpose = t->purpose },
	                          t->arena, ret, t->err);
}

/* *ret_snapshot: what the verdict was made with, to be given back with ag_sql_keep_put(). */
static ag_status judge_with_catalog(const statement *t, ag_sql_verdict *ret,
                                    ag_sql_snapshot **ret_snapshot, ag_sql_failure *f)
{
	ag_sql_source *s = t->s;
	ag_sql_snapshot *snapshot = NULL, *newer = NULL;
	ag_status st = ag_sql_keep_get(s, t->ctx, now_ms(t->ctx), false, &snapshot, t->arena, f,
	                               t->err);

	if (st || f->code)
		return st;
	st = guard_with(t, snapshot, ret);
	if (!st && is_unknown(ret) && ag_sql_keep_may_renew(s, snapshot, now_ms(t->ctx))) {
		st = ag_sql_keep_get(s, t->ctx, now_ms(t->ctx), true, &newer, t->arena, f, t->err);
		if (!st && !f->code)
			st = guard_with(t, newer, ret);
		ag_sql_keep_put(s, snapshot);
		snapshot = newer;
	}
	*ret_snapshot = snapshot;
	return st;
}

/* *f: the database could not be asked, or says itself what is wrong with the text (then the verdict refuses too). */
static ag_status judge(const statement *t, ag_sql_verdict *ret, ag_sql_snapshot **ret_snapshot,
                       ag_sql_failure *f)
{
	const ag_sql_source *s = t->s;

	*ret_snapshot = NULL;
	if (s->engine->judge)
		return s->engine->judge(s->impl, t->ctx, t->rq->sql, t->purpose, t->arena, ret, f,
		                        t->err);
	return judge_with_catalog(t, ret, ret_snapshot, f);
}

/* A refusal as a failure: the class tells a model whether to repair the text or to give up. */
static void fail_refused(const ag_sql_verdict *v, ag_sql_failure *ret)
{
	*ret = (ag_sql_failure){
		.code = AG_SQLCODE_VALIDATION,
		.class_name = "refused",
		.message = v->message,
		.detail = AG_S(""),
		.hint = v->hint,
		.position = v->position,
	};
	switch (v->rule) {
	case AG_SQLRULE_PARSE_ERROR:
	case AG_SQLRULE_NEWER_SYNTAX:
	case AG_SQLRULE_EMPTY:
		ret->class_name = "syntax";
		memcpy(ret->sqlstate, "42601", 6);
		break;
	case AG_SQLRULE_TOO_LARGE:
	case AG_SQLRULE_TOO_COMPLEX:
		ret->class_name = "resource";
		memcpy(ret->sqlstate, "54001", 6);
		break;
	default: return;
	}
	if (ret->hint.len == 0) { /* that of the class */
		ag_sql_failure of_state;

		ag_sql_failure_of_state(ret->sqlstate, &of_state);
		ret->hint = of_state.hint;
	}
}

/* --- limits --- */

static uint64_t smaller(uint64_t asked, uint64_t most)
{
	return asked && asked < most ? asked : most;
}

static bool may_leave_state(const ag_sql_source *s, const ag_sql_verdict *v)
{
	/* The guard does not check what a view calls. */
	if (v->reads_views)
		return true;
	if (s->opts.policy.nallowed_function == 0)
		return false;
	for (size_t i = 0; i < v->nfunction; i++)
		if (ag_sql_function_known(s->opts.policy.dialect, v->functions[i], NULL) !=
		    AG_SQL_HARMLESS)
			return true;
	return false;
}

static ag_sql_limits limits_of(const ag_sql_source *s, const ag_sql_request *rq,
                               const ag_sql_verdict *v)
{
	ag_sql_limits l = {
		.max_rows = v->max_rows < s->opts.policy.max_rows ? v->max_rows
		                                                  : s->opts.policy.max_rows,
		.max_bytes = (size_t)smaller(rq->max_bytes, s->opts.max_result_bytes),
		.timeout_ms = rq->timeout_ms > 0 && rq->timeout_ms < s->opts.statement_timeout_ms
		                      ? rq->timeout_ms
		                      : s->opts.statement_timeout_ms,
		.watch_fd = rq->watch_fd,
		.hold = rq->hold,
		.may_leave_state = may_leave_state(s, v),
	};

	l.max_rows = smaller(rq->max_rows, l.max_rows);
	if (l.max_bytes < 2)
		l.max_bytes = 2; /* "[]" */
	return l;
}

/* --- the plan --- */

/* True: it may run. Else ret->failure. SQLite has no plan with costs. */
static ag_status check_plan(const statement *t, const ag_safe_sql *sql, const ag_sql_limits *limits,
                            const ag_sql_verdict *verdict, ag_sql_result *ret, bool *ret_may)
{
	const ag_sql_source *s = t->s;
	ag_sql_limits own = *limits;
	ag_sql_result plan = { 0 };
	ag_status st;

	*ret_may = true;
	if (s->opts.policy.dialect != AG_SQL_POSTGRES ||
	    (s->opts.max_cost <= 0 && !ag_sql_plan_is_needed(verdict)))
		return AG_OK;
	own.max_rows = 1;
	own.max_bytes = MAX_RESULT_BYTES;
	st = s->engine->explain(s->impl, t->ctx, sql, &own, t->arena, &plan, t->err);
	ret->wait_us += plan.wait_us;
	if (!st && !plan.is_ok) {
		ret->failure = plan.failure;
		*ret_may = false;
	} else if (!st) {
		*ret_may = ag_sql_plan_check(ag_buf_view(&plan.rows), s->opts.max_cost, verdict,
		                             t->arena, &ret->failure);
	}
	ag_sql_result_release(&plan);
	return st;
}

/* --- one statement --- */

static void say_how_to_go_on(ag_sql_result *r, ag_arena *arena)
{
	r->how_to_go_on = AG_S("");
	if (r->cut == AG_SQL_CUT_ROWS)
		r->how_to_go_on = ag_str_printf(
			arena,
			"There are more rows than the %llu that were given back: filter, aggregate, or go "
			"on with ORDER BY … LIMIT … OFFSET %llu.",
			(unsigned long long)r->nrow, (unsigned long long)r->nrow);
	else if (r->cut == AG_SQL_CUT_BYTES)
		r->how_to_go_on = ag_str_printf(
			arena,
			"The result is larger than may be given back and ends after %llu rows: name only "
			"the columns you need, shorten long values with substr(), or go on with ORDER BY … "
			"LIMIT … OFFSET %llu.",
			(unsigned long long)r->nrow, (unsigned long long)r->nrow);
}

/* An engine that judges for itself. *ret_asked: the database worked on the statement. */
static ag_status ask_engine(const statement *t, ag_sql_result *ret, bool *ret_asked)
{
	const ag_sql_source *s = t->s;
	const ag_sql_verdict any = { .max_rows = s->opts.policy.max_rows };
	const ag_sql_limits limits = limits_of(s, t->rq, &any);
	ag_status st = s->engine->ask(s->impl, t->ctx, t->rq->sql, t->purpose, &limits, t->arena,
	                              ret, t->err);

	if (st)
		return st;
	*ret_asked = ret->ncolumn > 0;
	if (!ret->is_ok && !ret->failure.code)
		fail_refused(&ret->verdict, &ret->failure);
	say_how_to_go_on(ret, t->arena);
	return AG_OK;
}

/* Keeps what the engine must not know: the verdict. */
static ag_status execute(const statement *t, ag_sql_freshness *fresh, ag_sql_result *ret)
{
	const ag_sql_source *s = t->s;
	ag_sql_limits limits = limits_of(s, t->rq, &ret->verdict);
	ag_sql_verdict verdict = ret->verdict;
	bool may_run = true;
	int64_t wait_us;
	ag_safe_sql safe;
	ag_status st = ag_sql_safe(&verdict, &safe, t->err);

	limits.fresh = fresh;
	if (!st && t->purpose == AG_SQL_RUN)
		st = check_plan(t, &safe, &limits, &verdict, ret, &may_run);
	if (st || !may_run)
		return st;
	wait_us = ret->wait_us;
	*ret = (ag_sql_result){ 0 };
	st = (t->purpose == AG_SQL_RUN
	              ? s->engine->run
	              : s->engine->explain)(s->impl, t->ctx, &safe, &limits, t->arena, ret, t->err);
	ret->verdict = verdict;
	ret->wait_us += wait_us;
	if (!st)
		say_how_to_go_on(ret, t->arena);
	return st;
}

/* Before another try. */
static void forget_result(ag_sql_result *ret)
{
	const ag_sql_verdict verdict = ret->verdict;
	const int64_t wait_us = ret->wait_us;

	ag_sql_result_release(ret);
	*ret = (ag_sql_result){ .verdict = verdict, .wait_us = wait_us };
}

/* Runs an allowed statement while the snapshot holds. *ret_is_stale: it no longer does, and nothing ran. */
static ag_status execute_fresh(const statement *t, ag_sql_snapshot *snapshot, ag_sql_result *ret,
                               bool *ret_is_stale)
{
	const ag_sql_verdict verdict = ret->verdict;
	ag_sql_freshness fresh = { .verdict = &verdict };
	ag_status st;

	*ret_is_stale = false;
	if (!snapshot || !snapshot->catalog.state.len)
		return execute(t, NULL, ret);
	fresh.catalog = &snapshot->catalog;
	fresh.moment = ag_sql_keep_moment(t->s, snapshot, t->arena);
	st = execute(t, &fresh, ret);
	if (!st && fresh.is_stale && fresh.moment.len) { /* something was written: what? */
		forget_result(ret);
		fresh.moment = AG_S("");
		fresh.is_stale = false;
		st = execute(t, &fresh, ret);
	}
	if (fresh.now.len && !fresh.is_stale)
		ag_sql_keep_held(t->s, snapshot, fresh.now);
	*ret_is_stale = !st && fresh.is_stale;
	if (*ret_is_stale)
		ag_sql_keep_outdated(t->s, snapshot);
	return st;
}

static void fail_changing(ag_sql_result *ret)
{
	forget_result(ret);
	ret->failure = (ag_sql_failure){
		.code = AG_SQLCODE_UNAVAILABLE,
		.class_name = "resource",
		.message = AG_S(
			"the structure of the database is being changed: its views, functions "
			"or types were different each time they were looked at"),
		.detail = AG_S(""),
		.hint = AG_S("try again later"),
		.retry_after_ms = 1000,
	};
}

/* *ret_asked: as of ask_engine(). */
static ag_status judge_and_execute(const statement *t, ag_sql_result *ret, bool *ret_asked)
{
	bool is_stale = true;
	ag_status st = AG_OK;

	for (unsigned i = 0; i < MAX_JUDGED && is_stale && !st; i++) {
		ag_sql_snapshot *snapshot;

		forget_result(ret);
		is_stale = false;
		st = judge(t, &ret->verdict, &snapshot, &ret->failure);
		if (!st && !ret->failure.code && !ag_sql_allowed(&ret->verdict)) {
			fail_refused(&ret->verdict, &ret->failure);
		} else if (!st && !ret->failure.code) {
			*ret_asked = true;
			st = execute_fresh(t, snapshot, ret, &is_stale);
		}
		ag_sql_keep_put(t->s, snapshot);
	}
	if (is_stale && !st)
		fail_changing(ret);
	return st;
}

/* The statement that is let through half-open may run for long: the server is asked something short first, so that others
 * need not wait for it. */
static ag_status probe(ag_sql_source *s, const ag_ctx *ctx, uint64_t ticket, ag_arena *arena,
                       ag_sql_failure *f, ag_err *err)
{
	ag_sql_snapshot *snapshot = NULL;
	ag_status st;

	if (s->engine->judge || ag_breaker_state_of(&s->breaker) != AG_BREAKER_HALF_OPEN)
		return AG_OK;
	st = ag_sql_keep_get(s, ctx, now_ms(ctx), true, &snapshot, arena, f, err);
	if (!st && !f->code)
		ag_breaker_tell(&s->breaker, ticket, now_ms(ctx), AG_BREAKER_WORKS);
	ag_sql_keep_put(s, snapshot);
	return st;
}

static ag_status run_guarded(const statement *t, ag_sql_result *ret)
{
	ag_sql_source *s = t->s;
	int64_t start = ag_clock_mono(&ag_clock_system);
	bool asked = false;
	uint64_t ticket;
	ag_status st = AG_OK;

	if (!admit(s, t->ctx, t->arena, &ticket, &ret->failure))
		return AG_OK;
	st = probe(s, t->ctx, ticket, t->arena, &ret->failure, t->err);
	if (!st && !ret->failure.code)
		st = (s->engine->ask ? ask_engine : judge_and_execute)(t, ret, &asked);
	/* An engine that judges waits for its connection there already. */
	if (ret->failure.code == AG_SQLCODE_POOL_TIMEOUT && ret->wait_us == 0)
		ret->wait_us = (ag_clock_mono(&ag_clock_system) - start) * 1000;
	tell(s, t->ctx, ticket, asked && !st, &ret->failure);
	return st;
}

static void begin_span(const statement *t, ag_span **ret)
{
	const char *system = ag_sql_dialect_of(t->s) == AG_SQL_SQLITE ? "sqlite" : "postgresql";
	const char *operation = t->purpose == AG_SQL_EXPLAIN ? "EXPLAIN" : "SELECT";

	*ret = ag_span_begin(t->ctx ? t->ctx->span : NULL, NULL, AG_SPAN_CLIENT, AG_S(""));
	ag_span_name(*ret, ag_str_c(operation), ag_str_c(system));
	ag_span_text(*ret, "db.system.name", ag_str_c(system));
	ag_span_text(*ret, "db.operation.name", ag_str_c(operation));
}

static void end_span(ag_span *span, ag_status st, const ag_sql_result *r)
{
	if (!st && r->is_ok)
		ag_span_number(span, "db.response.returned_rows", (int64_t)r->nrow);
	else
		ag_span_fail(span,
		             ag_str_c(st ? ag_status_name(st) : ag_sql_code_name(r->failure.code)));
	ag_span_end(span);
}

static ag_status run_counted(const statement *t, ag_sql_result *ret)
{
	ag_sql_source *s = t->s;
	ag_span *span;
	ag_err stopped;
	ag_status st = AG_OK;

	*ret = (ag_sql_result){ 0 };
	begin_span(t, &span);
	atomic_fetch_add_explicit(&s->nquery, 1, memory_order_relaxed);
	if (ag_ctx_check(t->ctx, &stopped))
		ag_sql_failure_of_err(&stopped, t->arena, &ret->failure);
	else
		st = run_guarded(t, ret);
	if (st || !ret->is_ok)
		atomic_fetch_add_explicit(&s->nfailed, 1, memory_order_relaxed);
	end_span(span, st, ret);
	if (st) /* the caller does not read a failed result */
		ag_sql_result_release(ret);
	return st;
}

ag_status ag_sql_query(ag_sql_source *s, const ag_ctx *ctx, const ag_sql_request *rq,
                       ag_arena *arena, ag_sql_result *ret, ag_err *err)
{
	return run_counted(&(statement){ s, ctx, rq, AG_SQL_RUN, arena, err }, ret);
}

ag_status ag_sql_explain(ag_sql_source *s, const ag_ctx *ctx, const ag_sql_request *rq,
                         ag_arena *arena, ag_sql_result *ret, ag_err *err)
{
	return run_counted(&(statement){ s, ctx, rq, AG_SQL_EXPLAIN, arena, err }, ret);
}

ag_status ag_sql_judge(ag_sql_source *s, const ag_ctx *ctx, ag_str sql, ag_arena *arena,
                       ag_sql_verdict *ret, ag_err *err)
{
	const ag_sql_request rq = { .sql = sql };
	const statement t = { s, ctx, &rq, AG_SQL_RUN, arena, err };
	ag_sql_snapshot *snapshot;
	ag_sql_failure f = { 0 };
	ag_status st;

	*ret = (ag_sql_verdict){ 0 };
	st = judge(&t, ret, &snapshot, &f);
	ag_sql_keep_put(s, snapshot);
	if (st || !f.code || !ag_sql_allowed(ret))
		return st;
	/* The database could not be asked. Without a snapshot the guard is stricter, but it can decide. */
	if (!s->engine->judge)
		return guard_with(&t, NULL, ret);
	return ag_fail(err, AG_UNAVAILABLE, ORIGIN, "%.*s", AG_FMT(f.message));
}

/* --- the dictionary, and facts about a handle --- */

ag_status ag_sql_introspect(ag_sql_source *s, const ag_ctx *ctx, const ag_dictionary_opts *o,
                            ag_arena *arena, ag_dictionary *ret, ag_sql_failure *ret_failure,
                            ag_err *err)
{
	uint64_t ticket;
	ag_status st;

	*ret_failure = (ag_sql_failure){ 0 };
	if (!admit(s, ctx, arena, &ticket, ret_failure))
		return AG_OK;
	st = s->engine->introspect(s->impl, ctx, o, arena, ret, ret_failure, err);
	tell(s, ctx, ticket, !st, ret_failure);
	return st;
}

void ag_sql_forget_catalog(ag_sql_source *s)
{
	ag_sql_keep_forget(s);
}

ag_str ag_sql_shown(const ag_sql_source *s)
{
	return s->engine->shown(s->impl);
}

ag_sql_dialect ag_sql_dialect_of(const ag_sql_source *s)
{
	return s->engine->dialect;
}

void ag_sql_health_of(ag_sql_source *s, ag_sql_health *ret)
{
	int64_t left;

	*ret = (ag_sql_health){ .breaker = ag_breaker_state_of(&s->breaker) };
	s->engine->health(s->impl, ret);
	ret->stuck_limit = stuck_limit(s->opts.max_connections);
	if (ret->breaker == AG_BREAKER_OPEN) {
		pthread_mutex_lock(&s->breaker.lock);
		left = s->breaker.open_till - now_ms(NULL);
		pthread_mutex_unlock(&s->breaker.lock);
		ret->opens_in_ms = left > 0 ? left : 0;
	}
	ret->nquery = atomic_load_explicit(&s->nquery, memory_order_relaxed);
	ret->nfailed = atomic_load_explicit(&s->nfailed, memory_order_relaxed);
}

bool ag_sql_is_stuck(ag_sql_source *s, ag_arena *arena, ag_sql_failure *ret_failure)
{
	return !admit_beside_stuck(s, arena, ret_failure);
}
