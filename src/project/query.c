/* query -- the one way in which a database is asked: role, scope, limits, guard, database, audit row.
 *
 * Whatever the outcome, the row of the call is in the audit table before the call is answered. When the table cannot be
 * written nothing is asked, and what was asked already is not answered with data. */
#include <stdio.h>

#include "base/num.h"
#include "project/hub.h"

#define ORIGIN "project.query"

/* --- the row --- */

static ag_str tables_json(const ag_sql_verdict *v, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(64u * 1024);
	ag_str text;
	ag_jw w;

	if (!v->ntable)
		return AG_S("[]");
	ag_jw_init(&w, &out, 0);
	ag_jw_arr(&w);
	for (size_t i = 0; i < v->ntable; i++)
		ag_jw_str(&w, v->tables[i]);
	ag_jw_arr_end(&w);
	text = out.failed ? AG_S("[]") : ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return text;
}

static ag_ledger_row row_of(const ag_project_call *call, int64_t began_ms)
{
	return (ag_ledger_row){ .at_ms = began_ms,
		                .user = call->who->user,
		                .project = call->project ? call->project->id : AG_S(""),
		                .token = call->who->token,
		                .session = call->session,
		                .tool = call->tool,
		                .tables = AG_S("[]"),
		                .outcome = AG_S("ok") };
}

/* --- before it --- */

static ag_status refuse(ag_arena *arena, ag_sql_failure *f, ag_sql_code code,
                        const char *class_name, const char *hint, const char *fmt, ...)
	AG_PRINTF(6, 7);

static ag_status refuse(ag_arena *arena, ag_sql_failure *f, ag_sql_code code,
                        const char *class_name, const char *hint, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	*f = (ag_sql_failure){ .code = code,
		               .class_name = class_name,
		               .message = ag_str_dup(arena, ag_str_c(text)),
		               .hint = ag_str_c(hint) };
	return AG_DENIED;
}

/* The database was asked, or whatever the call does; *f says why there is no answer. */
static void withhold(ag_arena *arena, ag_sql_failure *f, const ag_err *why)
{
	refuse(arena, f, AG_SQLCODE_UNAVAILABLE, "connection", "", "the answer is withheld: %s",
	       why->msg);
	f->hint = ag_str_dup(arena, ag_str_c(why->hint));
}

/* Commits the row of the call; ret->code stays 0 when that worked. */
static void end_call(ag_project_hub *h, ag_project_call *call, const ag_ledger_row *row,
                     ag_arena *arena, ag_sql_failure *ret)
{
	ag_journal_call *open = call->open.began_us ? &call->open : NULL;
	ag_err why = { 0 };

	if (ag_journal_end(h->journal, open, row, &why))
		withhold(arena, ret, &why);
	call->open.began_us = 0;
}

static void record(ag_project_hub *h, ag_project_call *call, int64_t began_ms, ag_str sql,
                   ag_sql_result *r, ag_arena *arena)
{
	ag_ledger_row row = row_of(call, began_ms);
	ag_sql_failure unrecorded = { 0 };
	char fingerprint[AG_NUM_MAX];

	row.sql = sql;
	row.wait_us = r->wait_us;
	row.exec_us = r->exec_us;
	row.nrow = r->nrow;
	row.nbyte = r->rows.len;
	row.tables = tables_json(&r->verdict, arena);
	if (r->verdict.fingerprint)
		row.fingerprint = ag_str_make(fingerprint,
		                              ag_num_hex(fingerprint, r->verdict.fingerprint));
	if (r->sql_executed.len || r->is_ok) {
		row.verdict = AG_S("allow");
	} else if (!ag_sql_allowed(&r->verdict)) {
		row.verdict = AG_S("deny");
		row.rule = ag_str_c(ag_sql_rule_id(r->verdict.rule));
	}
	if (!r->is_ok) {
		row.outcome = r->failure.is_still_running
		                      ? AG_S("STILL_RUNNING")
		                      : ag_str_c(ag_sql_code_name(r->failure.code));
		row.detail = ag_str_c(r->failure.sqlstate);
	}
	end_call(h, call, &row, arena, &unrecorded);
	if (!unrecorded.code || !r->is_ok)
		return;
	ag_sql_result_release(r);
	*r = (ag_sql_result){ .failure = unrecorded };
}

/* The call begins: from here on a crash leaves a trace of it. */
static bool begin_call(ag_project_hub *h, ag_project_call *call, ag_str sql, int64_t began_ms,
                       ag_arena *arena, ag_sql_failure *f)
{
	ag_ledger_row row = row_of(call, began_ms);
	ag_err why = { 0 };

	row.sql = sql;
	if (!ag_journal_begin(h->journal, &call->open, &row, &why))
		return true;
	call->open.began_us = 0;
	refuse(arena, f, AG_SQLCODE_UNAVAILABLE, "connection", "try again later", "%s", why.msg);
	return false;
}

static ag_limits limits_of(const ag_project_hub *h, const ag_project_settings *s)
{
	return (ag_limits){ .user_minute = s->per_minute ? s->per_minute : h->o.per_minute,
		            .user_hour = s->per_hour ? s->per_hour : h->o.per_hour,
		            .user_day = s->per_day ? s->per_day : h->o.per_day,
		            .project_day = s->project_per_day };
}

/* AG_OK: go on. AG_DENIED: *f says why not. */
static ag_status admit(ag_project_hub *h, const ag_project_call *call, ag_role least,
                       const char *scope, ag_arena *arena, ag_sql_failure *f)
{
	const ag_limits limits = limits_of(h, &call->project->settings);
	const ag_role role = ag_caller_role(call->who, call->project->id);
	int64_t wait_ms = 0;
	ag_str what = AG_S("");
	ag_err err = { 0 };
	bool ok = false;

	if (role < least)
		return refuse(arena, f, AG_SQLCODE_PERMISSION, "permission",
		              "ask an admin of the project for a higher role",
		              "%.*s needs the role %s in project %.*s; this caller is %s",
		              AG_FMT(call->tool), ag_role_name(least), AG_FMT(call->project->id),
		              ag_role_name(role));
	if (!ag_caller_has_scope(call->who, scope))
		return refuse(arena, f, AG_SQLCODE_PERMISSION, "permission",
		              "use a token that has the scope",
		              "%.*s needs the scope \"%s\"; this token does not have it",
		              AG_FMT(call->tool), scope);
	if (!ag_journal_is_whole(h->journal))
		return refuse(
			arena, f, AG_SQLCODE_UNAVAILABLE, "connection",
			"free space on the disk of the store, or end what keeps it locked",
			"the audit table cannot be written: nothing is run that is not recorded");
	if (ag_limiter_take(h->limiter, call->project->id, call->who->user, &limits, arena, &ok,
	                    &wait_ms, &what, &err))
		return refuse(arena, f, AG_SQLCODE_UNAVAILABLE, "connection", "try again later",
		              "the rate limit cannot be looked up: %s", err.msg);
	if (ok)
		return AG_OK;
	refuse(arena, f, AG_SQLCODE_RATE_LIMITED, "rate_limit",
	       "wait, or ask for more rows with fewer queries",
	       "the limit of %.*s is reached: try again in %lld s", AG_FMT(what),
	       (long long)((wait_ms + 999) / 1000));
	f->retry_after_ms = wait_ms;
	return AG_DENIED;
}

/* --- a statement --- */

typedef ag_status ask_fn(ag_sql_source *s, const ag_ctx *ctx, const ag_sql_request *rq,
                         ag_arena *arena, ag_sql_result *ret, ag_err *err);

static ag_status govern(ag_project_hub *h, const ag_ctx *ctx, ag_project_call *call,
                        const ag_sql_request *rq, ask_fn *ask, ag_arena *arena, ag_sql_result *ret,
                        ag_err *err)
{
	const int64_t began_ms = ag_clock_wall(h->o.clock), began_us = ag_time_mono_us();
	ag_sql_request own = *rq;
	int64_t waited_us;
	ag_err why = { 0 };
	ag_turn *turn = NULL;
	ag_sql_source *s;
	ag_status st;

	*ret = (ag_sql_result){ 0 };
	if (!begin_call(h, call, rq->sql, began_ms, arena, &ret->failure) ||
	    admit(h, call, AG_ROLE_VIEWER, "sql", arena, &ret->failure)) {
		record(h, call, began_ms, rq->sql, ret, arena);
		return AG_OK;
	}
	if (ag_project_turn(h, ctx, call, arena, &s, &turn, &ret->failure, &st, &why)) {
		waited_us = ag_time_mono_us() - began_us;
		own.hold = ag_turn_hold(turn);
		ag_ctx_phase(ctx, "running", "rows", 0);
		st = ask(s, ctx, &own, arena, ret, &why);
		ret->wait_us += waited_us;
		ag_turn_give(turn);
	} else {
		ret->wait_us = ag_time_mono_us() - began_us;
	}
	if (st) {
		ret->is_ok = false;
		ag_sql_failure_of_err(&why, arena, &ret->failure);
	}
	record(h, call, began_ms, rq->sql, ret, arena);
	if (st == AG_INTERNAL && err)
		*err = why;
	return st == AG_INTERNAL ? st : AG_OK;
}

ag_status ag_project_query(ag_project_hub *h, const ag_ctx *ctx, ag_project_call *call,
                           const ag_sql_request *rq, ag_arena *arena, ag_sql_result *ret,
                           ag_err *err)
{
	return govern(h, ctx, call, rq, ag_sql_query, arena, ret, err);
}

ag_status ag_project_explain(ag_project_hub *h, const ag_ctx *ctx, ag_project_call *call,
                             const ag_sql_request *rq, ag_arena *arena, ag_sql_result *ret,
                             ag_err *err)
{
	return govern(h, ctx, call, rq, ag_sql_explain, arena, ret, err);
}

/* --- other tools --- */

ag_status ag_project_admit(ag_project_hub *h, ag_project_call *call, ag_role least,
                           const char *scope, ag_arena *arena, ag_sql_failure *ret, ag_err *err)
{
	const int64_t began_ms = ag_clock_wall(h->o.clock);
	ag_sql_failure unrecorded;

	(void)err;
	*ret = (ag_sql_failure){ 0 };
	if (begin_call(h, call, AG_S(""), began_ms, arena, ret) &&
	    !admit(h, call, least, scope, arena, ret))
		return AG_OK;
	if (!ag_project_record(h, call, AG_S(""), began_ms, ag_sql_code_name(ret->code), 0, arena,
	                       &unrecorded))
		return AG_OK; /* it is refused in any case */
	return AG_OK;
}

bool ag_project_record(ag_project_hub *h, ag_project_call *call, ag_str arguments, int64_t began_ms,
                       const char *outcome, uint64_t nbyte, ag_arena *arena, ag_sql_failure *ret)
{
	ag_ledger_row row = row_of(call, began_ms);

	row.detail = arguments;
	row.outcome = ag_str_c(outcome);
	row.nbyte = nbyte;
	row.exec_us = (ag_clock_wall(h->o.clock) - began_ms) * 1000;
	*ret = (ag_sql_failure){ 0 };
	end_call(h, call, &row, arena, ret);
	return !ret->code;
}
