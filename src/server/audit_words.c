/* What people say of findings, and what the data says of them now. */
#include "audit/review.h"
#include "audit/rows.h"
#include "base/utf8.h"
#include "query/extjson.h"
#include "server/audits.h"
#include "server/problem.h"

#define ORIGIN  "server.audits"
#define WAITING 200u /* findings that wait for a person, in one answer */
#define RUNS    200u /* whose labels are counted */

/* --- check again --- */

/* The report with that finding alone; name: its id. */
static ag_status only_finding(ag_server_audit *a, ag_str name, ag_val *report, ag_err *err)
{
	ag_member *members = ag_new_n(a->rq->arena, ag_member, report->n + 1);
	ag_val *kept = ag_new(a->rq->arena, ag_val);
	bool is_there = false;

	for (uint32_t i = 0; i < report->n; i++) {
		members[i] = report->u.members[i];
		if (ag_str_eqc(members[i].key, "resolved_findings"))
			members[i].val = ag_val_array(NULL, 0);
		if (!ag_str_eqc(members[i].key, "findings") || members[i].val.type != AG_T_ARRAY)
			continue;
		for (uint32_t k = 0; k < members[i].val.n; k++) {
			if (!ag_str_eq(ag_val_member_str(&report->u.members[i].val.u.items[k],
			                                 "id"),
			               name))
				continue;
			*kept = report->u.members[i].val.u.items[k];
			is_there = true;
		}
		members[i].val = ag_val_array(kept, is_there);
	}
	*report = ag_val_object(members, report->n);
	return is_there ? AG_OK
	                : ag_fail(err, AG_NOT_FOUND, ORIGIN, "the audit has no such finding");
}

static ag_status verify_work(ag_server_audit *a, ag_err *err)
{
	const ag_str finding = ag_server_query(a->rq, "finding");
	ag_verification v;
	ag_val report;
	ag_str text;
	ag_status st = ag_server_audit_report(a, &text, &report, err);
	ag_jw w;

	if (!st && finding.len)
		st = only_finding(a, finding, &report, err);
	if (!st)
		st = ag_audit_verify(&a->at.ctx, &report, AG_S(""), a->rq->arena, &v, err);
	if (st)
		return st;
	a->rp->content_type = AG_S("application/json");
	ag_jw_init(&w, &a->rp->body, 0);
	ag_audit_verification_json(&v, &w);
	return AG_OK;
}

void ag_server_audit_verify(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "verify_audit",
		                                 .least = AG_ROLE_VIEWER,
		                                 .flags = AG_SERVER_AUDIT_HAS_RUN |
		                                          AG_SERVER_AUDIT_READS,
		                                 .work = verify_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

/* --- a person's word --- */

/* The finding of the route's {finding}. */
static ag_status find_finding(ag_server_audit *a, ag_finding_row *ret, ag_err *err)
{
	ag_id id;

	if (!a->has_run)
		return ag_fail(err, AG_CONFLICT, ORIGIN, "the audit has not begun yet");
	if (!ag_id_parse(ag_server_param(a->rq, "finding"), &id))
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "the audit has no such finding");
	return ag_review_find(a->store, &a->run, ag_id_str(&id), a->rq->arena, ret, err);
}

static void write_finding(ag_server_audit *a, const ag_finding_row *row)
{
	const ag_finding f = ag_audit_finding_of(row, a->rq->arena);
	ag_jw w;

	ag_server_json(a->rp, &w);
	ag_jw_kkey(&w, "finding");
	ag_finding_write(&f, a->h->opts.audits->show_values, &w);
	ag_jw_obj_end(&w);
}

static ag_status say(ag_server_audit *a, const ag_finding_row *of, ag_str label, bool decides,
                     ag_err *err)
{
	const ag_review word = { .label = label,
		                 .decides = decides,
		                 .by = a->at.place.who->user,
		                 .reason = ag_val_member_str(&a->body, "reason") };
	ag_finding_row row;
	ag_status st = ag_review_write(&a->at.ctx, a->store, &a->run.id, &of->id, &word,
	                               a->rq->arena, &row, err);

	if (!st)
		write_finding(a, &row);
	return st;
}

static ag_status rate_work(ag_server_audit *a, ag_err *err)
{
	const ag_str asked = ag_val_member_str(&a->body, "label");
	const ag_str label = ag_str_eqc(asked, "none") ? AG_S("") : asked;
	ag_finding_row row;
	ag_status st = find_finding(a, &row, err);

	return st ? st
	          : say(a, &row, label, label.len && ag_str_eqc(row.status, "pending_review"), err);
}

void ag_server_audit_rate(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "rate_finding",
		                                 .least = AG_ROLE_ANALYST,
		                                 .flags = AG_SERVER_AUDIT_HAS_RUN |
		                                          AG_SERVER_AUDIT_HAS_BODY,
		                                 .work = rate_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

static ag_status resolve_work(ag_server_audit *a, ag_err *err)
{
	const ag_str verdict = ag_val_member_str(&a->body, "verdict");
	ag_finding_row row;
	ag_status st = find_finding(a, &row, err);

	if (!st && !ag_str_eqc(row.status, "pending_review"))
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN, "the finding no longer waits for a person");
	if (st)
		return st;
	if (!ag_str_eqc(verdict, "need_info"))
		return say(a, &row, verdict, true, err);
	write_finding(a, &row);
	return AG_OK;
}

void ag_server_audit_resolve(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "resolve_finding",
		                                 .least = AG_ROLE_ANALYST,
		                                 .flags = AG_SERVER_AUDIT_HAS_RUN |
		                                          AG_SERVER_AUDIT_HAS_BODY,
		                                 .work = resolve_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

/* --- what waits for a person --- */

/* Is it of the project of the request, or of one of all that the caller may read? */
static bool is_of_request(ag_server_audit *a, const ag_run_row *run)
{
	if (!a->all)
		return ag_server_audit_is_mine(a, run);
	for (size_t i = 0; i < a->nall; i++) {
		ag_server_audit_find_places(a, a->all[i]);
		if (ag_server_audit_is_mine(a, run))
			return true;
	}
	return false;
}

static ag_status waiting_work(ag_server_audit *a, ag_err *err)
{
	ag_past_run *runs;
	size_t n, kept = 0;
	ag_status st = ag_store_pending(a->store, NULL, WAITING, a->rq->arena, &runs, &n, err);
	ag_jw w;

	if (st)
		return st;
	for (size_t i = 0; i < n; i++)
		if (is_of_request(a, &runs[i].run))
			runs[kept++] = runs[i];
	ag_server_json(a->rp, &w);
	ag_audit_pending_json(runs, kept, a->h->opts.audits->show_values, a->rq->arena, &w);
	ag_jw_obj_end(&w);
	return AG_OK;
}

void ag_server_audit_waiting(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .least = AG_ROLE_VIEWER,
		                                 .flags = AG_SERVER_AUDIT_ANY_PROJECT,
		                                 .work = waiting_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

/* --- how good the findings were, by their labels --- */

typedef struct tally {
	uint64_t ntp, nfp, nall;
	uint64_t nscored; /* labelled findings that say how sure they are */
	double brier;     /* sum of squares */
} tally;

static void count(const ag_finding_row *row, ag_arena *arena, tally *t)
{
	const bool is_true = ag_str_eqc(row->label, "tp");
	ag_finding f;
	double miss;

	t->nall++;
	if (!row->label.len)
		return;
	f = ag_audit_finding_of(row, arena);
	t->ntp += is_true;
	t->nfp += !is_true;
	if (f.confidence <= 0)
		return;
	miss = f.confidence - (is_true ? 1 : 0);
	t->brier += miss * miss;
	t->nscored++;
}

static void write_ratio(ag_jw *w, const char *name, double part, double whole)
{
	if (whole > 0)
		ag_jw_kdouble(w, name, part / whole);
	else
		ag_jw_knull(w, name);
}

/* Recall as the reference has it: of all findings, those that were confirmed. What no audit found, labels cannot know. */
static ag_status metrics_work(ag_server_audit *a, ag_err *err)
{
	const ag_runs_question q = { .agent = AG_S("audit"),
		                     .places = { a->places[0], a->places[1] },
		                     .limit = RUNS };
	ag_run_row *rows;
	tally t = { 0 };
	double precision, recall;
	size_t n;
	ag_status st = ag_store_runs_below(a->store, &q, a->rq->arena, &rows, &n, err);
	ag_jw w;

	for (size_t i = 0; i < n && !st; i++) {
		ag_finding_row *list;
		size_t nlist;

		st = ag_store_findings(a->store, &rows[i].id, a->rq->arena, &list, &nlist, err);
		for (size_t k = 0; k < nlist && !st; k++)
			count(&list[k], a->rq->arena, &t);
	}
	if (st)
		return st;
	precision = t.ntp + t.nfp ? (double)t.ntp / (double)(t.ntp + t.nfp) : 0;
	recall = t.nall ? (double)t.ntp / (double)t.nall : 0;
	ag_server_json(a->rp, &w);
	ag_jw_kuint(&w, "audits", n);
	ag_jw_kuint(&w, "findings", t.nall);
	ag_jw_kuint(&w, "true_positives", t.ntp);
	ag_jw_kuint(&w, "false_positives", t.nfp);
	write_ratio(&w, "precision", (double)t.ntp, (double)(t.ntp + t.nfp));
	write_ratio(&w, "recall", (double)t.ntp, (double)t.nall);
	write_ratio(&w, "f1", 2 * precision * recall, precision + recall);
	write_ratio(&w, "brier", t.brier, (double)t.nscored);
	ag_jw_obj_end(&w);
	return AG_OK;
}

void ag_server_audit_metrics(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .least = AG_ROLE_VIEWER, .work = metrics_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}
