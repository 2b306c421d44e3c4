/* The baseline of a source: the audit that a person chose for others to be compared with. */
#include "audit/baseline.h"

#include "audit/rows.h"
#include "server/audits.h"
#include "server/problem.h"
#include "store/baselines.h"

#define ORIGIN "server.audits"

/* Member "changes": what is new against the baseline; null when there is nothing to compare. */
static ag_status write_changes(ag_server_audit *a, const ag_run_row *run, ag_jw *w, ag_err *err)
{
	ag_server_audit before = *a;
	ag_baseline baseline;
	ag_compared c;
	ag_val report;
	ag_str text;
	ag_status st;

	before.run = *run;
	st = ag_server_audit_report(&before, &text, NULL, err);
	if (!st)
		st = ag_baseline_read(AG_S("the baseline"), text, a->rq->arena, &baseline, err);
	if (!st)
		st = ag_server_audit_report(a, &text, &report, err);
	if (st)
		return st;
	ag_baseline_compare(&report, &baseline, a->rq->arena, &c);
	ag_jw_kkey(w, "changes");
	ag_compared_write(&c, &baseline, w);
	return AG_OK;
}

static ag_status baseline_work(ag_server_audit *a, ag_err *err)
{
	ag_baseline_row row = { .user = AG_S("") };
	ag_run_row run;
	bool found, is_this = false;
	ag_status st;
	ag_jw w;

	if (!a->has_run)
		return ag_fail(err, AG_CONFLICT, ORIGIN, "the audit has not begun yet");
	st = ag_store_baseline(a->store, a->run.source_key, a->rq->arena, &row, &found, err);
	if (!st && found)
		st = ag_store_find_run(a->store, ag_id_str(&row.run), a->rq->arena, &run, err);
	if (st)
		return st;
	is_this = found && ag_str_eq(ag_id_str(&row.run), ag_id_str(&a->run.id));
	ag_server_json(a->rp, &w);
	ag_jw_kkey(&w, "baseline");
	if (found)
		ag_audit_run_json(&run, &w);
	else
		ag_jw_null(&w);
	ag_jw_kstr(&w, "set_by", row.user);
	ag_jw_ktime_or_null(&w, "set_at", row.set_ms);
	ag_jw_kbool(&w, "is_this", is_this);
	if (found && !is_this)
		st = write_changes(a, &run, &w, err);
	else
		ag_jw_knull(&w, "changes");
	if (st) {
		ag_buf_release(&a->rp->body);
		return st;
	}
	ag_jw_obj_end(&w);
	return AG_OK;
}

void ag_server_audit_baseline(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .least = AG_ROLE_VIEWER,
		                                 .flags = AG_SERVER_AUDIT_HAS_RUN,
		                                 .work = baseline_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

static ag_status set_work(ag_server_audit *a, ag_err *err)
{
	const ag_baseline_row row = { .source_key = a->run.source_key,
		                      .run = a->run.id,
		                      .user = a->at.place.who->user,
		                      .set_ms = ag_clock_wall(a->at.ctx.clock) };
	ag_status st;

	if (!a->has_run || !a->run.finished_ms) {
		ag_fail(err, AG_CONFLICT, ORIGIN, "the audit has not ended yet");
		return ag_err_hint(err, "only an audit that has ended can be the baseline");
	}
	st = ag_store_put_baseline(a->store, &row, err);
	return st ? st : baseline_work(a, err);
}

void ag_server_audit_baseline_set(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "set_audit_baseline",
		                                 .least = AG_ROLE_ANALYST,
		                                 .flags = AG_SERVER_AUDIT_HAS_RUN,
		                                 .work = set_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

static ag_status drop_work(ag_server_audit *a, ag_err *err)
{
	ag_status st;

	if (!a->has_run)
		return ag_fail(err, AG_CONFLICT, ORIGIN, "the audit has not begun yet");
	st = ag_store_drop_baseline(a->store, &a->run.id, err);
	return st ? st : baseline_work(a, err);
}

void ag_server_audit_baseline_drop(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "drop_audit_baseline",
		                                 .least = AG_ROLE_ANALYST,
		                                 .flags = AG_SERVER_AUDIT_HAS_RUN,
		                                 .work = drop_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}
