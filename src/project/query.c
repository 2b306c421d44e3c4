/* query -- the one way in which a database is asked: role, scope, limits, guard, database, audit row.
 *
 * ag_project_begin() admits a call, ag_project_end() commits its row; between them the call may ask. Whatever the outcome,
 * the row is in the audit table before the call is answered. When the table cannot be written, no statement is run, and a
 * result that is there already is withheld. */
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

ag_sql_failure ag_project_withheld(const ag_err *why, ag_arena *arena)
{
	ag_sql_failure f;

	refuse(arena, &f, AG_SQLCODE_UNAVAILABLE, "connection", "", "the answer is withheld: %s",
	       why->msg);
	f.hint = ag_str_dup(arena, ag_str_c(why->hint));
	return f;
}

/* What the statement did, for the row. */
static void measure(ag_project_call *call, const ag_sql_result *r, ag_arena *arena)
{
	ag_ledger_row *row = &call->row;
	char fingerprint[AG_NUM_MAX];

	call->is_measured = true;
	row->wait_us = r->wait_us;
	row->exec_us = r->exec_us;
	row->nrow = r->nrow;
	row->nbyte = r->rows.len;
	row->tables = tables_json(&r->verdict, arena);
	if (r->verdict.fingerprint)
		row->fingerprint = ag_str_dup(
			arena,
			ag_str_make(fingerprint, ag_num_hex(fingerprint, r->verdict.fingerprint)));
	if (r->sql_executed.len || r->is_ok) {
		row->verdict = AG_S("allow");
	} else if (!ag_sql_allowed(&r->verdict)) {
		row->verdict = AG_S("deny");
		row->rule = ag_str_c(ag_sql_rule_id(r->verdict.rule));
	}
	if (!r->is_ok) {
		row->outcome = r->failure.is_still_running
		                       ? AG_S("STILL_RUNNING")
		                       : ag_str_c(ag_sql_code_name(r->failure.code));
		row->detail = ag_str_dup(arena, ag_str_c(r->failure.sqlstate));
	}
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
	const ag_limited limited = { call->project->id, call->who->user, &limits };
	ag_limiter_answer answer = { 0 };
	ag_err err = { 0 };

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
	if (call->is_unlimited)
		return AG_OK;
	if (ag_limiter_take(h->limiter, &limited, arena, &answer, &err))
		return refuse(arena, f, AG_SQLCODE_UNAVAILABLE, "connection", "try again later",
		              "the rate limit cannot be looked up: %s", err.msg);
	if (answer.ok)
		return AG_OK;
	refuse(arena, f, AG_SQLCODE_RATE_LIMITED, "rate_limit",
	       "wait, or ask for more rows with fewer queries",
	       "the limit of %.*s is reached: try again in %lld s", AG_FMT(answer.what),
	       (long long)((answer.wait_ms + 999) / 1000));
	f->retry_after_ms = answer.wait_ms;
	return AG_DENIED;
}

/* --- begin and end --- */

bool ag_project_begin(ag_project_hub *h, ag_project_call *call, ag_role least, const char *scope,
                      ag_str text, ag_arena *arena, ag_sql_failure *ret)
{
	const bool is_sql = strcmp(scope, "sql") == 0;
	ag_sql_failure unrecorded;
	ag_err why = { 0 };

	*ret = (ag_sql_failure){ 0 };
	call->began_us = ag_time_mono_us();
	call->row = row_of(call, ag_clock_wall(h->o.clock));
	*(is_sql ? &call->row.sql : &call->row.detail) = text;
	/* From here on a crash leaves a trace of the call. */
	if (ag_journal_begin(h->journal, &call->open, &call->row, &why)) {
		call->open.began_us = 0;
		refuse(arena, ret, AG_SQLCODE_UNAVAILABLE, "connection", "try again later", "%s",
		       why.msg);
	} else if (!admit(h, call, least, scope, arena, ret)) {
		call->is_admitted = true;
		return true;
	}
	call->is_measured = is_sql;
	call->row.outcome = ag_str_c(ag_sql_code_name(ret->code));
	/* The call is refused in any case. */
	if (!ag_project_end(h, call, ag_sql_code_name(ret->code), 0, arena, &unrecorded))
		return false;
	return false;
}

/* What only the end of the call knows. */
static void complete_row(ag_project_call *call, const char *outcome, uint64_t nbyte)
{
	if (!call->is_measured) {
		call->row.outcome = ag_str_c(outcome);
		call->row.nbyte = nbyte;
		call->row.exec_us = ag_time_mono_us() - call->began_us;
	}
	call->is_admitted = false;
}

bool ag_project_end(ag_project_hub *h, ag_project_call *call, const char *outcome, uint64_t nbyte,
                    ag_arena *arena, ag_sql_failure *ret)
{
	ag_journal_call *open = call->open.began_us ? &call->open : NULL;
	ag_err why = { 0 };

	*ret = (ag_sql_failure){ 0 };
	complete_row(call, outcome, nbyte);
	if (ag_journal_end(h->journal, open, &call->row, &why))
		*ret = ag_project_withheld(&why, arena);
	call->open.began_us = 0;
	return !ret->code;
}

void ag_project_end_later(ag_project_hub *h, ag_project_call *call, const char *outcome,
                          uint64_t nbyte, bool is_refusal, ag_project_later *ret)
{
	complete_row(call, outcome, nbyte);
	ret->journal = h->journal;
	ret->call = call;
	ret->is_refusal = is_refusal;
}

void ag_project_record_stray(ag_project_hub *h, const ag_project_call *call, ag_str named,
                             ag_sql_code why)
{
	ag_ledger_row row = row_of(call, ag_clock_wall(h->o.clock));

	row.detail = named;
	row.outcome = ag_str_c(ag_sql_code_name(why));
	AG_IGNORE(ag_journal_end(h->journal, NULL, &row, NULL), "the call is refused in any case");
}

/* Only ag_project_begin() makes a call that may ask a database. */
ag_status ag_project_check_admitted(const ag_project_call *call, ag_err *err)
{
	return call->is_admitted ? AG_OK
	                         : ag_fail(err, AG_INTERNAL, ORIGIN,
	                                   "the call was not admitted to the project");
}

/* --- a statement --- */

typedef ag_status ask_fn(ag_sql_source *s, const ag_ctx *ctx, const ag_sql_request *rq,
                         ag_arena *arena, ag_sql_result *ret, ag_err *err);

static ag_status govern(ag_project_hub *h, const ag_ctx *ctx, ag_project_call *call,
                        const ag_sql_request *rq, ask_fn *ask, ag_arena *arena, ag_sql_result *ret,
                        ag_err *err)
{
	ag_sql_request own = *rq;
	int64_t waited_us;
	ag_err why = { 0 };
	ag_project_place place;
	ag_status st;

	*ret = (ag_sql_result){ 0 };
	st = ag_project_check_admitted(call, err);
	if (st)
		return st;
	if (ag_project_turn(h, ctx, call, arena, &place, &ret->failure, &why)) {
		waited_us = ag_time_mono_us() - call->began_us;
		own.hold = ag_turn_hold(place.turn);
		ag_ctx_phase(ctx, "running", "rows", 0);
		st = ask(place.source, ctx, &own, arena, ret, &why);
		ret->wait_us += waited_us;
		ag_turn_give(place.turn);
	} else {
		st = place.status;
		ret->wait_us = ag_time_mono_us() - call->began_us;
	}
	if (st) {
		ret->is_ok = false;
		ag_sql_failure_of_err(&why, arena, &ret->failure);
	}
	measure(call, ret, arena);
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
