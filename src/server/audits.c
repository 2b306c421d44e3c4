/* What the routes of audits share, and those that read: the list, one audit, its events, its report, its past. */
#include "server/audits.h"

#include "audit/compare.h"
#include "audit/history.h"
#include "audit/rows.h"
#include "audit/tools.h"
#include "audit/trend.h"
#include "browser/print.h"
#include "query/extjson.h"
#include "report/format.h"
#include "server/chat.h"
#include "server/problem.h"

#define ORIGIN     "server.audits"
#define MAX_EVENTS 500u
#define JOBS       200u /* that wait and are looked through */
#define PAST       50u  /* runs of one source */

/* --- finding what is meant --- */

ag_str ag_server_audit_uri(ag_server_audit *a, ag_str upload)
{
	const ag_server_audits *o = a->h->opts.audits;

	if (!upload.len)
		return a->at.place.project->documents;
	return ag_str_printf(a->rq->arena, "%.*s/%.*s",
	                     AG_FMT(o->folder(o->arg, a->at.place.project->id, a->rq->arena)),
	                     AG_FMT(upload));
}

/* Of a folder the files in it; what is deeper is not listed, and may be another project's. */
static ag_store_place place_of(ag_str uri, ag_arena *arena)
{
	ag_source_root root = { .key = AG_S("") };

	if (uri.len)
		root = ag_source_base(uri, arena);
	return (ag_store_place){ .key = root.key,
		                 .is_flat = root.is_uri ? root.is_one
		                                        : ag_str_starts(root.key, AG_S("/")),
		                 .is_uri = root.is_uri };
}

void ag_server_audit_find_places(ag_server_audit *a, const ag_project *p)
{
	const ag_server_audits *o = a->h->opts.audits;

	a->places[0] = place_of(p->settings.documents, a->rq->arena);
	a->places[1] = place_of(o->folder(o->arg, p->id, a->rq->arena), a->rq->arena);
}

bool ag_server_audit_is_mine(const ag_server_audit *a, const ag_run_row *run)
{
	return ag_store_is_below(run, &a->places[0]) || ag_store_is_below(run, &a->places[1]);
}

static ag_str job_project(const ag_job *job, ag_arena *arena)
{
	const ag_extjson_opts opts = { .max_depth = 4, .max_values = 1000 };
	ag_val v;

	return ag_extjson_parse(job->payload, &opts, arena, &v, NULL, NULL, NULL)
	               ? AG_S("")
	               : ag_val_member_str(&v, "project");
}

/* The run of that id, and its job. False: there is neither. */
static ag_status look_up(ag_server_audit *a, ag_str id, bool *ret, ag_err *err)
{
	const ag_job_filter f = { .kind = AG_S("audit"), .run = id };
	ag_job *jobs;
	size_t n;
	ag_err why = { 0 };
	ag_id exact;
	ag_status st;

	*ret = false;
	/* Whole ids only: the beginning of one would tell of runs that are not the caller's. */
	if (!ag_id_parse(id, &exact))
		return AG_OK;
	st = ag_store_jobs(a->store, &f, 1, 0, a->rq->arena, &jobs, &n, err);
	if (st)
		return st;
	a->has_job = n > 0;
	if (n)
		a->job = jobs[0];
	st = ag_store_find_run(a->store, id, a->rq->arena, &a->run, &why);
	if (st && st != AG_NOT_FOUND) {
		*err = why;
		return st;
	}
	a->has_run = !st && ag_str_eqc(a->run.agent, "audit");
	*ret = a->has_run || a->has_job;
	return AG_OK;
}

/* Is it of the project that a->at names? */
static bool is_mine(const ag_server_audit *a)
{
	if (a->has_job && ag_str_eq(job_project(&a->job, a->rq->arena), a->at.place.project->id))
		return true;
	return a->has_run && ag_server_audit_is_mine(a, &a->run);
}

/* The project of the caller that the audit belongs to. False: the reply is 404. */
static bool find_owner(ag_server_audit *a)
{
	const ag_caller *who = ag_server_who(a->h, a->rq);
	const ag_project **list;
	ag_err err = { 0 };
	bool is_there;
	size_t n;

	if (look_up(a, ag_server_param(a->rq, "id"), &is_there, &err) ||
	    ag_project_list(a->h->opts.chat->hub, who, a->rq->arena, &list, &n, &err)) {
		ag_server_problem_of(a->rp, &err);
		return false;
	}
	for (size_t i = 0; is_there && i < n; i++) {
		if (!ag_server_place_in(a->h, a->rq, a->rp, list[i]->id, &a->at))
			return false;
		ag_server_audit_find_places(a, a->at.place.project);
		if (is_mine(a))
			return true;
	}
	ag_server_problem(a->rp, 404, "there is no such audit", "GET /api/audits lists them");
	return false;
}

/* The projects that the caller may read with this role. */
static bool find_all(ag_server_audit *a, const ag_server_audit_act *act)
{
	const ag_caller *who = ag_server_who(a->h, a->rq);
	const ag_project **list;
	ag_err err = { 0 };
	size_t n;

	if (ag_project_list(a->h->opts.chat->hub, who, a->rq->arena, &list, &n, &err)) {
		ag_server_problem_of(a->rp, &err);
		return false;
	}
	a->all = ag_new_n(a->rq->arena, const ag_project *, n + 1);
	for (size_t i = 0; i < n; i++)
		if (ag_caller_role(who, list[i]->id) >= act->least)
			a->all[a->nall++] = list[i];
	return true;
}

static bool find_what(ag_server_audit *a, const ag_server_audit_act *act)
{
	ag_str project = ag_server_query(a->rq, "project");

	if (!a->h->opts.audits || !a->h->chat) {
		ag_server_problem(a->rp, 404, "there is nothing at this path",
		                  "audits are served by argus serve");
		return false;
	}
	if ((act->flags & AG_SERVER_AUDIT_HAS_BODY) && !ag_server_body(a->rq, a->rp, &a->body))
		return false;
	a->store = ag_server_store_of(a->h, a->rp);
	if (!a->store)
		return false;
	if (act->flags & AG_SERVER_AUDIT_HAS_RUN)
		return find_owner(a);
	if (!project.len && (act->flags & AG_SERVER_AUDIT_ANY_PROJECT))
		return find_all(a, act);
	if (!project.len && (act->flags & AG_SERVER_AUDIT_HAS_BODY))
		project = ag_val_member_str(&a->body, "project");
	if (!ag_server_place_in(a->h, a->rq, a->rp, project, &a->at))
		return false;
	ag_server_audit_find_places(a, a->at.place.project);
	return true;
}

static ag_status check_role(const ag_server_audit *a, ag_role least, ag_err *err)
{
	const ag_caller *who = ag_server_who(a->h, a->rq);

	if (!a->all && ag_caller_role(who, a->at.place.project->id) < least)
		return ag_fail(err, AG_DENIED, ORIGIN, "your role in the project is not enough");
	if (!ag_caller_has_scope(who, "audit"))
		return ag_fail(err, AG_DENIED, ORIGIN, "the token is not for audits");
	return AG_OK;
}

static ag_status govern(ag_server_audit *a, const ag_server_audit_act *act, ag_err *err)
{
	ag_project_call call = { .who = a->at.place.who,
		                 .project = a->at.place.project,
		                 .tool = ag_str_c(act->tool),
		                 .session = AG_S(""),
		                 .watch_fd = -1 };
	ag_sql_failure f = { 0 };
	ag_status st;

	if (!ag_project_begin(a->at.place.hub, &call, act->least, "audit",
	                      a->has_run ? a->run.source_key : AG_S(""), a->rq->arena, &f))
		return ag_sql_failure_err(&f, ORIGIN, err);
	st = act->work(a, err);
	if (!ag_project_end(a->at.place.hub, &call, st ? "VALIDATION_ERROR" : "ok", a->rp->body.len,
	                    a->rq->arena, &f) &&
	    !st) {
		ag_buf_release(&a->rp->body);
		st = ag_sql_failure_err(&f, ORIGIN, err);
	}
	return st;
}

static ag_status do_work(ag_server_audit *a, const ag_server_audit_act *act, ag_err *err)
{
	ag_status st;

	if (act->tool)
		return govern(a, act, err);
	st = check_role(a, act->least, err);
	return st ? st : act->work(a, err);
}

/* A collection is in memory while it is read. */
static ag_status read_alone(ag_server_audit *a, const ag_server_audit_act *act, ag_err *err)
{
	ag_status st;

	if (atomic_fetch_add(&a->h->nreading, 1) < AG_SERVER_READERS) {
		st = do_work(a, act, err);
	} else {
		st = ag_fail(err, AG_UNAVAILABLE, ORIGIN,
		             "other requests are reading whole collections");
		ag_err_hint(err, "try again in a moment");
	}
	atomic_fetch_sub(&a->h->nreading, 1);
	return st;
}

void ag_server_audit_run(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                         const ag_server_audit_act *act)
{
	ag_server_audit a = { .h = h, .rq = rq, .rp = rp };
	ag_err err = { 0 };
	ag_status st;

	if (find_what(&a, act)) {
		a.at.ctx.nthread = 1;
		st = act->flags & AG_SERVER_AUDIT_READS ? read_alone(&a, act, &err)
		                                        : do_work(&a, act, &err);
		if (st)
			ag_server_problem_of(rp, &err);
	}
	ag_store_close(a.store);
}

/* --- one audit --- */

/* Of a run whose writer died. */
static bool is_interrupted(const ag_server_audit *a)
{
	ag_owner_state writer = AG_OWNER_UNKNOWN;
	ag_err ignored = { 0 };

	return a->has_run && ag_str_eqc(a->run.status, "running") &&
	       !(a->has_job && a->job.state == AG_JOB_RUNNING) &&
	       !ag_store_writer(a->store, &a->run.id, &writer, &ignored) && writer == AG_OWNER_DEAD;
}

static ag_str status_of(const ag_server_audit *a)
{
	if (a->has_job && a->job.state == AG_JOB_QUEUED)
		return AG_S("queued");
	if (a->has_run)
		return is_interrupted(a) ? AG_S("interrupted") : a->run.status;
	switch (a->job.state) {
	case AG_JOB_RUNNING: return AG_S("running");
	case AG_JOB_CANCELLED: return AG_S("cancelled");
	case AG_JOB_DONE: return AG_S("ok");
	default: return AG_S("failed");
	}
}

static ag_str collection_of(const ag_server_audit *a)
{
	const ag_extjson_opts opts = { .max_depth = 4, .max_values = 1000 };
	ag_val v;

	if (a->has_run)
		return a->run.collection;
	return ag_extjson_parse(a->job.payload, &opts, a->rq->arena, &v, NULL, NULL, NULL)
	               ? AG_S("")
	               : ag_val_member_str(&v, "collection");
}

void ag_server_audit_members(const ag_server_audit *a, ag_jw *w)
{
	const ag_run_row *r = &a->run;
	const bool is_over = a->has_run && r->finished_ms > 0;

	ag_jw_kstr(w, "id", ag_id_str(a->has_run ? &r->id : &a->job.run));
	ag_jw_kstr(w, "project", a->at.place.project->id);
	ag_jw_kstr(w, "collection", collection_of(a));
	ag_jw_kbool(w, "is_upload", a->has_run ? ag_store_is_below(r, &a->places[1]) : false);
	ag_jw_kstr(w, "status", status_of(a));
	ag_jw_kstr(w, "verdict", a->has_run ? r->verdict : AG_S(""));
	ag_jw_ktime_or_null(w, "queued_at", a->has_job ? a->job.created_ms : 0);
	ag_jw_ktime_or_null(w, "started_at", a->has_run ? r->started_ms : 0);
	ag_jw_ktime_or_null(w, "finished_at", is_over ? r->finished_ms : 0);
	ag_jw_kuint(w, "documents", r->documents);
	ag_jw_kuint(w, "critical", r->critical);
	ag_jw_kuint(w, "high", r->high);
	ag_jw_kuint(w, "medium", r->medium);
	ag_jw_kuint(w, "low", r->low);
	ag_jw_kuint(w, "input_tokens", r->input_tokens);
	ag_jw_kuint(w, "output_tokens", r->output_tokens);
	ag_jw_kdouble(w, "usd", r->usd);
	ag_jw_kstr(w, "summary", a->has_run ? r->summary : AG_S(""));
	ag_jw_kstr(w, "error", a->has_job ? a->job.error : AG_S(""));
	ag_jw_kbool(w, "is_stopping",
	            a->has_job && a->job.wants_stop && a->job.state == AG_JOB_RUNNING);
}

static ag_status get_work(ag_server_audit *a, ag_err *err)
{
	ag_jw w;

	(void)err;
	ag_server_json(a->rp, &w);
	ag_server_audit_members(a, &w);
	ag_jw_obj_end(&w);
	return AG_OK;
}

void ag_server_audit_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .least = AG_ROLE_VIEWER,
		                                 .flags = AG_SERVER_AUDIT_HAS_RUN,
		                                 .work = get_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

/* --- the list --- */

/* Those that wait for a worker and have no run yet. */
static ag_status list_waiting(ag_server_audit *a, ag_jw *w, ag_err *err)
{
	static const ag_job_state states[] = { AG_JOB_QUEUED, AG_JOB_RUNNING };

	for (size_t k = 0; k < AG_NELEM(states); k++) {
		const ag_job_filter f = { .kind = AG_S("audit"),
			                  .has_state = true,
			                  .state = states[k] };
		ag_job *jobs;
		size_t n;
		ag_status st = ag_store_jobs(a->store, &f, JOBS, 0, a->rq->arena, &jobs, &n, err);

		if (st)
			return st;
		for (size_t i = 0; i < n; i++) {
			ag_server_audit one = *a;
			bool is_there = false;

			if (!jobs[i].run.text[0] || !ag_str_eq(job_project(&jobs[i], a->rq->arena),
			                                       a->at.place.project->id))
				continue;
			st = look_up(&one, ag_id_str(&jobs[i].run), &is_there, err);
			if (st)
				return st;
			if (!is_there || one.has_run)
				continue;
			ag_jw_obj(w);
			ag_server_audit_members(&one, w);
			ag_jw_obj_end(w);
		}
	}
	return AG_OK;
}

static ag_status list_work(ag_server_audit *a, ag_err *err)
{
	const ag_str cursor = ag_server_query(a->rq, "cursor");
	uint64_t offset = 0;
	ag_runs_question q = { .agent = AG_S("audit"),
		               .places = { a->places[0], a->places[1] },
		               .limit = ag_server_page(a->rq) };
	ag_run_row *rows;
	size_t n;
	ag_status st;
	ag_jw w;

	if (cursor.len && !ag_str_to_u64(cursor, &offset))
		return ag_fail(err, AG_INVALID, ORIGIN, "the cursor does not belong to this list");
	q.offset = (size_t)offset;
	st = ag_store_runs_below(a->store, &q, a->rq->arena, &rows, &n, err);
	if (st)
		return st;
	ag_server_json(a->rp, &w);
	ag_jw_kkey(&w, "audits");
	ag_jw_arr(&w);
	if (!offset)
		st = list_waiting(a, &w, err);
	for (size_t i = 0; !st && i < n; i++) {
		const ag_job_filter f = { .kind = AG_S("audit"), .run = ag_id_str(&rows[i].id) };
		ag_server_audit one = *a;
		ag_job *jobs = NULL;
		size_t njob = 0;

		one.run = rows[i];
		one.has_run = true;
		if (!rows[i].finished_ms)
			st = ag_store_jobs(a->store, &f, 1, 0, a->rq->arena, &jobs, &njob, err);
		one.has_job = njob > 0;
		if (njob)
			one.job = jobs[0];
		ag_jw_obj(&w);
		ag_server_audit_members(&one, &w);
		ag_jw_obj_end(&w);
	}
	if (st) {
		ag_buf_release(&a->rp->body);
		return st;
	}
	ag_jw_arr_end(&w);
	if (n == q.limit)
		ag_jw_kstr(&w, "next",
		           ag_str_printf(a->rq->arena, "%llu", (unsigned long long)offset + n));
	else
		ag_jw_knull(&w, "next");
	ag_jw_obj_end(&w);
	return AG_OK;
}

void ag_server_audits_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .least = AG_ROLE_VIEWER, .work = list_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

/* --- events: what a run does, for those who watch --- */

static void event_members(const ag_server_audit *a, const ag_event *ev, const ag_val *v, ag_jw *w)
{
	static const char *const texts[] = { "action",  "reasoning", "tool",   "gate",
		                             "verdict", "reason",    "field",  "category",
		                             "status",  "severity",  "message" };
	static const char *const counts[] = { "iteration", "affected_count" };
	const ag_val *result = ag_val_getc(v, "result");

	(void)ev;
	for (size_t i = 0; i < AG_NELEM(texts); i++) {
		const ag_val *x = ag_val_getc(v, texts[i]);

		if (x && x->type == AG_T_STRING)
			ag_jw_kstr(w, texts[i], ag_val_member_str(v, texts[i]));
	}
	for (size_t i = 0; i < AG_NELEM(counts); i++)
		if (ag_val_getc(v, counts[i]))
			ag_jw_kuint(w, counts[i], ag_val_member_u64(v, counts[i]));
	if (ev->type != AG_EV_TOOL_OUTPUT)
		return;
	ag_jw_kbool(w, "ok", ag_val_member_bool(v, "ok"));
	ag_jw_kuint(w, "latency_ms", ag_val_member_u64(v, "latency_ms"));
	/* A statistic's summary holds a value. */
	if (a->h->opts.audits->show_values || !result || !ag_val_getc(result, "value"))
		ag_jw_kstr(w, "summary", ag_val_member_str(v, "summary"));
}

static ag_status events_work(ag_server_audit *a, ag_err *err)
{
	const ag_extjson_opts opts = { .max_depth = 200 };
	const ag_str text = ag_server_query(a->rq, "after");
	ag_event *events = NULL;
	size_t n = 0;
	uint64_t after = 0;
	ag_status st = AG_OK;
	ag_jw w;

	if (text.len && !ag_str_to_u64(text, &after))
		return ag_fail(err, AG_INVALID, ORIGIN, "want ?after= as the number of an event");
	if (a->has_run)
		st = ag_store_events_at(a->store, &a->run.id, &(ag_log_place){ after, MAX_EVENTS },
		                        a->rq->arena, &events, &n, err);
	if (st)
		return st;
	ag_server_json(a->rp, &w);
	ag_jw_kkey(&w, "events");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		const ag_event *ev = &events[i];
		ag_val v = { 0 };

		after = ev->seq;
		AG_IGNORE(ag_extjson_parse(ev->payload, &opts, a->rq->arena, &v, NULL, NULL, NULL),
		          "then the event has no members of its own");
		ag_jw_obj(&w);
		ag_jw_kuint(&w, "seq", ev->seq);
		ag_jw_kstr(&w, "type",
		           ev->type == AG_EV_UNKNOWN ? ev->type_text
		                                     : ag_str_c(ag_event_type_text(ev->type)));
		ag_jw_ktime(&w, "at", ev->at_ms);
		event_members(a, ev, &v, &w);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_kuint(&w, "last", after);
	ag_jw_kkey(&w, "audit");
	ag_jw_obj(&w);
	ag_server_audit_members(a, &w);
	ag_jw_obj_end(&w);
	ag_jw_obj_end(&w);
	return AG_OK;
}

void ag_server_audit_events(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .least = AG_ROLE_VIEWER,
		                                 .flags = AG_SERVER_AUDIT_HAS_RUN,
		                                 .work = events_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

/* --- the report --- */

ag_status ag_server_audit_report(ag_server_audit *a, ag_str *text, ag_val *v, ag_err *err)
{
	const ag_extjson_opts opts = { .typed = true };
	ag_status st;

	if (!a->has_run) {
		ag_fail(err, AG_CONFLICT, ORIGIN, "the audit has not begun yet");
		return ag_err_hint(err, "a worker takes it soon; GET /api/audits/ID tells");
	}
	st = ag_store_report(a->store, &a->run.id, a->rq->arena, text, err);
	if (st == AG_NOT_FOUND)
		st = ag_audit_rebuild(a->store, &a->run, a->h->opts.audits->show_values,
		                      a->rq->arena, text, err);
	if (st == AG_NOT_FOUND && ag_str_eqc(a->run.status, "running"))
		return ag_fail(err, AG_CONFLICT, ORIGIN, "the audit still reads its data");
	return st || !v ? st : ag_extjson_parse(*text, &opts, a->rq->arena, v, NULL, NULL, err);
}

static ag_status report_work(ag_server_audit *a, ag_err *err)
{
	ag_str text;
	ag_status st = ag_server_audit_report(a, &text, NULL, err);

	if (st)
		return st;
	a->rp->content_type = AG_S("application/json");
	ag_buf_add(&a->rp->body, text);
	return AG_OK;
}

void ag_server_audit_report_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "read_audit_report",
		                                 .least = AG_ROLE_VIEWER,
		                                 .flags = AG_SERVER_AUDIT_HAS_RUN,
		                                 .work = report_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

static const struct {
	const char *name, *type, *suffix;
	ag_report_format *write;
} formats[] = {
	{ "html", "text/html; charset=utf-8", "html", ag_report_html },
	{ "markdown", "text/markdown; charset=utf-8", "md", ag_report_markdown },
	{ "csv", "text/csv; charset=utf-8", "csv", ag_report_csv },
	{ "sarif", "application/sarif+json", "sarif", ag_report_sarif },
	{ "junit", "application/xml", "xml", ag_report_junit },
	{ "github", "text/plain; charset=utf-8", "txt", ag_report_github },
	{ "short", "text/plain; charset=utf-8", "txt", ag_report_short },
	{ "pdf", "application/pdf", "pdf", ag_report_html },
};

/* The page as Chromium prints it. */
static ag_status write_pdf(ag_server_audit *a, const ag_val *report, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf page = AG_BUF_INIT(a->rp->body.limit);

	ag_report_html(report, a->rq->arena, &page);
	if (page.failed)
		return ag_fail(err, AG_LIMIT, ORIGIN, "the report is too large to be printed");
	return ag_browser_print(a->at.place.ctx, ag_buf_view(&page), &a->rp->body, err);
}

static ag_status export_work(ag_server_audit *a, ag_err *err)
{
	const bool is_shown = ag_str_eqc(ag_server_query(a->rq, "inline"), "true");
	const ag_str as = ag_server_query(a->rq, "as");
	size_t i = 0;
	ag_str text;
	ag_val v;
	ag_status st;

	while (i < AG_NELEM(formats) && !ag_str_eqc(as, formats[i].name))
		i++;
	if (i == AG_NELEM(formats)) {
		ag_fail(err, AG_INVALID, ORIGIN, "?as= names no format");
		return ag_err_hint(err, "html, markdown, csv, sarif, junit, github, short, pdf");
	}
	st = ag_server_audit_report(a, &text, &v, err);
	if (st)
		return st;
	if (formats[i].write == ag_report_html)
		v = ag_audit_with_trend(a->store, &v, a->rq->arena);
	if (ag_str_eqc(as, "pdf"))
		st = write_pdf(a, &v, err);
	else
		formats[i].write(&v, a->rq->arena, &a->rp->body);
	if (st)
		return st;
	a->rp->content_type = ag_str_c(formats[i].type);
	ag_httpd_add_header(a->rp, "X-Content-Type-Options", AG_S("nosniff"));
	/* A page that was made from data has no origin and no network; its own policy names the one script that runs. */
	ag_httpd_add_header(
		a->rp, "Content-Security-Policy",
		AG_S("sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
	             "style-src 'unsafe-inline'"));
	ag_httpd_add_header(a->rp, "Content-Disposition",
	                    ag_str_printf(a->rq->arena, "%s; filename=\"audit-%.13s.%s\"",
	                                  is_shown ? "inline" : "attachment", a->run.id.text,
	                                  formats[i].suffix));
	return AG_OK;
}

void ag_server_audit_export(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "export_audit_report",
		                                 .least = AG_ROLE_VIEWER,
		                                 .flags = AG_SERVER_AUDIT_HAS_RUN,
		                                 .work = export_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

/* --- the past --- */

static ag_status diff_work(ag_server_audit *a, ag_err *err)
{
	const ag_str with = ag_server_query(a->rq, "with");
	ag_server_audit other = *a;
	ag_comparison d = { 0 };
	bool is_there = false;
	ag_status st = AG_OK;
	ag_jw w;

	if (!a->has_run)
		return ag_fail(err, AG_CONFLICT, ORIGIN, "the audit has not begun yet");
	d.b = a->run;
	if (!with.len) {
		st = ag_compare_previous(a->store, &a->run, a->rq->arena, &d.a, err);
	} else {
		st = look_up(&other, with, &is_there, err);
		if (!st && !(is_there && other.has_run && ag_server_audit_is_mine(a, &other.run)))
			st = ag_fail(err, AG_NOT_FOUND, ORIGIN,
			             "there is no audit of ?with= in this project");
		d.a = other.run;
	}
	if (!st)
		st = ag_compare_runs(a->store, a->rq->arena, &d, err);
	if (st)
		return st;
	ag_server_json(a->rp, &w);
	ag_jw_kkey(&w, "a");
	ag_audit_run_json(&d.a, &w);
	ag_jw_kkey(&w, "b");
	ag_audit_run_json(&d.b, &w);
	ag_compare_json(&d, &w);
	ag_jw_obj_end(&w);
	return AG_OK;
}

void ag_server_audit_diff(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .least = AG_ROLE_VIEWER,
		                                 .flags = AG_SERVER_AUDIT_HAS_RUN,
		                                 .work = diff_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

/* The runs of the same source, and what they found again and again. */
static ag_status history_work(ag_server_audit *a, ag_err *err)
{
	ag_history history;
	ag_run_row *rows;
	size_t n;
	ag_status st;
	ag_jw w;

	if (!a->has_run)
		return ag_fail(err, AG_CONFLICT, ORIGIN, "the audit has not begun yet");
	st = ag_store_runs(a->store, a->run.source_key, PAST, 0, a->rq->arena, &rows, &n, err);
	if (!st)
		st = ag_history_load(a->store, a->run.source_key, NULL, a->rq->arena, &history,
		                     err);
	if (st)
		return st;
	ag_server_json(a->rp, &w);
	ag_jw_kstr(&w, "collection", a->run.collection);
	ag_jw_kkey(&w, "runs");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++)
		ag_audit_run_json(&rows[i], &w);
	ag_jw_arr_end(&w);
	ag_jw_kkey(&w, "history");
	ag_history_write(&history, &w);
	ag_jw_obj_end(&w);
	return AG_OK;
}

void ag_server_audit_history(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .least = AG_ROLE_VIEWER,
		                                 .flags = AG_SERVER_AUDIT_HAS_RUN,
		                                 .work = history_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}
