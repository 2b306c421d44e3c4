/* What can be audited: a project's documents and the files that were uploaded for it; audits that are begun, stopped and resumed; the
 * fields of a collection. */
#include <sys/stat.h>
#include <unistd.h>

#include "audit/inspect.h"
#include "base/log.h"
#include "base/utf8.h"
#include "query/extjson.h"
#include "server/audits.h"
#include "server/chat.h"
#include "server/problem.h"

#define ORIGIN     "server.audits"
#define MAX_NAME   100u /* bytes of an uploaded file's name */
#define MAX_AUDITS 500u /* that one request begins */

/* --- names and places --- */

/* Plain, so that it means the same in a path, in a header and on a terminal. */
static bool is_file_name(ag_str s)
{
	if (!s.len || s.len > MAX_NAME || s.ptr[0] == '.')
		return false;
	for (size_t i = 0; i < s.len; i++) {
		const unsigned char c = (unsigned char)s.ptr[i];

		if (c < 0x20 || c == 0x7f || strchr("/\\\"*?<>|:", c))
			return false;
	}
	return ag_utf8_valid(s);
}

static ag_status check_name(ag_str s, ag_err *err)
{
	if (is_file_name(s))
		return AG_OK;
	ag_fail(err, AG_INVALID, ORIGIN,
	        "wrong file name: want 1 to %u bytes without / \\ : * ? \" < > |, not "
	        "beginning with a dot",
	        MAX_NAME);
	return AG_INVALID;
}

/* The messages of a source name paths of this machine, which a client has no business with. */
static ag_status list_places(ag_server_audit *a, ag_str upload, ag_source_place **ret, size_t *nret,
                             ag_err *err)
{
	const ag_str uri = ag_server_audit_uri(a, upload);
	ag_status st;

	if (!uri.len) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "the project has no documents");
		return ag_err_hint(err, "upload a file, or give the project \"documents\"");
	}
	st = ag_source_list(&a->at.ctx, uri, a->rq->arena, ret, nret, err);
	if (st && upload.len && st == AG_NOT_FOUND) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no uploaded file of that name");
		return ag_err_hint(err, "GET /api/audits/sources lists them");
	}
	if (st == AG_NOT_FOUND) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "the documents of the project are not there");
		return ag_err_hint(err, "an administrator must correct \"documents\"");
	}
	return st;
}

ag_status ag_server_audit_places(ag_server_audit *a, ag_str upload, ag_str collection,
                                 ag_source_place **ret, size_t *nret, ag_err *err)
{
	ag_status st = upload.len ? check_name(upload, err) : AG_OK;
	size_t kept = 0;

	if (!st)
		st = list_places(a, upload, ret, nret, err);
	if (st || !collection.len)
		return st;
	for (size_t i = 0; i < *nret; i++)
		if (ag_str_eq((*ret)[i].collection, collection))
			(*ret)[kept++] = (*ret)[i];
	*nret = kept;
	if (kept)
		return AG_OK;
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no collection \"%.*s\"",
	        AG_FMT(ag_utf8_prefix(collection, 100)));
	return ag_err_hint(err, "GET /api/audits/sources lists them");
}

/* --- sources --- */

static void write_names(const ag_source_place *places, size_t n, ag_jw *w)
{
	ag_jw_kkey(w, "collections");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++)
		ag_jw_str(w, places[i].collection);
	ag_jw_arr_end(w);
}

static void write_upload(const ag_source_place *place, ag_jw *w)
{
	const char *slash = memrchr(place->key.ptr, '/', place->key.len);
	struct stat sb;

	/* A key is a canonical path. */
	if (!slash || stat(place->key.ptr, &sb))
		return;
	ag_jw_obj(w);
	ag_jw_kstr(w, "name", ag_str_c(slash + 1));
	ag_jw_kstr(w, "collection", place->collection);
	ag_jw_kuint(w, "bytes", (uint64_t)sb.st_size);
	ag_jw_ktime(w, "changed_at", (int64_t)sb.st_mtim.tv_sec * 1000);
	ag_jw_obj_end(w);
}

static ag_status sources_work(ag_server_audit *a, ag_err *err)
{
	const ag_server_audits *o = a->h->opts.audits;
	const ag_project *p = a->at.place.project;
	ag_source_place *places = NULL;
	ag_err why = { 0 };
	size_t n = 0;
	ag_status st = AG_OK;
	ag_jw w;

	(void)err;
	ag_server_json(a->rp, &w);
	ag_jw_kstr(&w, "project", p->id);
	ag_jw_kbool(&w, "has_documents", p->settings.documents.len > 0);
	if (p->settings.documents.len)
		st = list_places(a, AG_S(""), &places, &n, &why);
	/* A server that is away does not hide the uploads. */
	ag_jw_kstr(&w, "problem", st ? ag_str_c(why.msg) : AG_S(""));
	write_names(places, st ? 0 : n, &w);
	ag_jw_kkey(&w, "uploads");
	ag_jw_arr(&w);
	if (!ag_source_list(&a->at.ctx, o->folder(o->arg, p->id, a->rq->arena), a->rq->arena,
	                    &places, &n, &why))
		for (size_t i = 0; i < n; i++)
			write_upload(&places[i], &w);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return AG_OK;
}

void ag_server_audit_sources(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .least = AG_ROLE_VIEWER, .work = sources_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

/* The name of a file is what it is: one of the same name takes its place, and its audits are one history. */
static ag_status upload_work(ag_server_audit *a, ag_err *err)
{
	const ag_server_audits *o = a->h->opts.audits;
	const ag_str name = ag_server_param(a->rq, "name");
	const ag_project *p = a->at.place.project;
	ag_source_place *places;
	size_t n = 0;
	ag_status st = check_name(name, err);
	ag_jw w;

	if (!st && !a->rq->body.len)
		st = ag_fail(err, AG_INVALID, ORIGIN, "the file is empty");
	if (!st && !ag_source_is_data_name(name)) {
		ag_fail(err, AG_INVALID, ORIGIN, "the end of the name tells no format");
		return ag_err_hint(err, "want .ndjson, .jsonl, .json, .bson, .csv or .tsv");
	}
	if (!st)
		st = o->keep(o->arg, p->id, name, a->rq->body, a->rq->arena, err);
	if (st == AG_IO || st == AG_DENIED) { /* the message names a path of the server */
		ag_log(AG_LOG_WARN, "upload_failed", "%s", err->msg);
		ag_fail(err, AG_IO, ORIGIN, "the server cannot keep the file");
		return ag_err_hint(err,
		                   "its disk may be full; with log_level: warn it logs the reason");
	}
	if (!st)
		st = list_places(a, name, &places, &n, err);
	if (st)
		return st;
	a->rp->status = 201;
	ag_server_json(a->rp, &w);
	ag_jw_kstr(&w, "name", name);
	ag_jw_kuint(&w, "bytes", a->rq->body.len);
	write_names(places, n, &w);
	ag_jw_obj_end(&w);
	return AG_OK;
}

void ag_server_audit_upload(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "upload_documents",
		                                 .least = AG_ROLE_ANALYST,
		                                 .work = upload_work };

	/* A page of another origin may send a form or plain text without being asked first. */
	if (!ag_str_ieq(ag_httpd_header_of(rq, "Content-Type"), AG_S("application/octet-stream"))) {
		ag_server_problem(rp, 415, "the file is not sent as bytes",
		                  "send \"Content-Type: application/octet-stream\"");
		return;
	}
	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

static ag_status drop_work(ag_server_audit *a, ag_err *err)
{
	const ag_str name = ag_server_param(a->rq, "name");
	ag_source_place *places;
	size_t n;
	ag_status st = check_name(name, err);

	if (!st)
		st = list_places(a, name, &places, &n, err);
	if (!st && unlink(ag_str_cstr(a->rq->arena, ag_server_audit_uri(a, name))))
		st = ag_fail(err, AG_IO, ORIGIN, "the file cannot be removed");
	if (!st)
		a->rp->status = 204;
	return st;
}

void ag_server_audit_upload_drop(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "drop_documents",
		                                 .least = AG_ROLE_ANALYST,
		                                 .work = drop_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

/* --- begin --- */

/* The body is as its description says: names, types and ranges are checked. */
static ag_status read_what(ag_server_audit *a, ag_server_audit_what *ret, ag_str *ret_collection,
                           ag_err *err)
{
	const ag_str upload = ag_val_member_str(&a->body, "upload");
	const ag_str profile = ag_val_member_str(&a->body, "profile");
	const ag_val *judge = ag_val_getc(&a->body, "eval_profile");
	const ag_val *steps = ag_val_getc(&a->body, "max_iterations");
	const ag_val *seconds = ag_val_getc(&a->body, "max_seconds");
	ag_val saved = ag_val_object(NULL, 0);
	ag_status st = profile.len ? ag_server_audit_profile(a, profile, &saved, err) : AG_OK;

	if (st)
		return st;
	/* What the request names itself counts more than the profile. */
	*ret = (ag_server_audit_what){
		.project = a->at.place.project,
		.is_upload = upload.len > 0,
		.eval_profile = ag_val_member_str(judge ? &a->body : &saved, "eval_profile"),
		.max_iterations = ag_val_member_u64(steps ? &a->body : &saved, "max_iterations"),
		.max_seconds = ag_val_member_u64(seconds ? &a->body : &saved, "max_seconds"),
	};
	*ret_collection = ag_val_member_str(&a->body, "collection");
	if (upload.len && check_name(upload, err))
		return AG_INVALID;
	ret->uri = ag_server_audit_uri(a, upload);
	return AG_OK;
}

/* The job of a place, among those of the whole source. */
static bool is_of_place(const ag_job *job, const ag_source_place *place, ag_arena *arena)
{
	const ag_extjson_opts opts = { .max_depth = 4, .max_values = 1000 };
	ag_val v;

	return !ag_extjson_parse(job->payload, &opts, arena, &v, NULL, NULL, NULL) &&
	       ag_str_eq(ag_val_member_str(&v, "key"), place->key);
}

static ag_status make_jobs(ag_server_audit *a, const ag_server_audit_what *what,
                           const ag_source_place *places, size_t nplace, ag_job **ret, size_t *nret,
                           ag_err *err)
{
	const ag_server_audits *o = a->h->opts.audits;
	ag_job *jobs = NULL;
	size_t n = 0, kept = 0;
	ag_status st = o->jobs(o->arg, &a->at.ctx, what, a->rq->arena, &jobs, &n, err);

	for (size_t i = 0; !st && i < n; i++) {
		for (size_t k = 0; k < nplace; k++) {
			if (!is_of_place(&jobs[i], &places[k], a->rq->arena))
				continue;
			jobs[kept] = jobs[i];
			jobs[kept++].run = ag_id_new(a->h->opts.clock);
			break;
		}
	}
	*ret = jobs;
	*nret = kept;
	if (!st && kept > MAX_AUDITS)
		st = ag_fail(err, AG_LIMIT, ORIGIN, "one request begins at most %u audits, not %zu",
		             MAX_AUDITS, kept);
	return st;
}

/* Queues them, and answers 202 with what they are. */
static ag_status queue(ag_server_audit *a, ag_job *jobs, size_t n, ag_err *err)
{
	ag_id *ids = ag_new_n(a->rq->arena, ag_id, n + 1);
	int64_t now_ms;
	ag_status st = ag_store_now(a->store, a->h->opts.clock, &now_ms, err);
	ag_jw w;

	if (!st)
		st = ag_store_add_jobs(a->store, jobs, n, now_ms, ids, NULL, err);
	if (st)
		return st;
	a->rp->status = 202;
	if (n == 1)
		ag_httpd_add_header(a->rp, "Location",
		                    ag_str_printf(a->rq->arena, "/api/audits/%s",
		                                  jobs[0].run.text));
	ag_server_json(a->rp, &w);
	ag_jw_kkey(&w, "audits");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		ag_server_audit one = *a;

		one.has_run = false;
		one.has_job = true;
		one.job = jobs[i];
		one.job.id = ids[i];
		one.job.created_ms = now_ms;
		one.job.state = AG_JOB_QUEUED;
		ag_jw_obj(&w);
		ag_server_audit_members(&one, &w);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return AG_OK;
}

static ag_status start_work(ag_server_audit *a, ag_err *err)
{
	const ag_str upload = ag_val_member_str(&a->body, "upload");
	ag_server_audit_what what;
	ag_source_place *places;
	ag_str collection;
	ag_job *jobs;
	size_t nplace, n;
	ag_status st = read_what(a, &what, &collection, err);

	if (!st)
		st = ag_server_audit_places(a, upload, collection, &places, &nplace, err);
	if (!st)
		st = make_jobs(a, &what, places, nplace, &jobs, &n, err);
	return st ? st : queue(a, jobs, n, err);
}

void ag_server_audit_start(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "start_audit",
		                                 .least = AG_ROLE_ANALYST,
		                                 .flags = AG_SERVER_AUDIT_HAS_BODY,
		                                 .work = start_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

/* --- stop and resume --- */

static ag_status stop_work(ag_server_audit *a, ag_err *err)
{
	ag_job_state state;
	ag_status st;
	ag_jw w;

	if (!a->has_job || (a->job.state != AG_JOB_QUEUED && a->job.state != AG_JOB_RUNNING)) {
		ag_fail(err, AG_CONFLICT, ORIGIN,
		        a->has_run && !a->run.finished_ms ? "no worker of a queue has this audit"
		                                          : "the audit is over");
		return AG_CONFLICT;
	}
	st = ag_store_cancel_job(a->store, &a->job.id, ag_clock_wall(a->h->opts.clock), &state,
	                         err);
	/* It ended meanwhile. */
	if (st == AG_INVALID)
		return ag_fail(err, AG_CONFLICT, ORIGIN, "the audit is over");
	if (st)
		return st;
	a->job.state = state;
	a->job.wants_stop = state == AG_JOB_RUNNING;
	a->rp->status = state == AG_JOB_RUNNING ? 202 : 200;
	ag_server_json(a->rp, &w);
	ag_server_audit_members(a, &w);
	ag_jw_obj_end(&w);
	return AG_OK;
}

void ag_server_audit_stop(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "stop_audit",
		                                 .least = AG_ROLE_ANALYST,
		                                 .flags = AG_SERVER_AUDIT_HAS_RUN,
		                                 .work = stop_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

/* The run goes on where its log ends: as a job that has it. */
static ag_status resume_work(ag_server_audit *a, ag_err *err)
{
	const bool is_upload = a->has_run && ag_store_is_below(&a->run, &a->places[1]);
	ag_server_audit_what what = { .project = a->at.place.project, .is_upload = is_upload };
	ag_source_place place = { 0 };
	ag_job *jobs;
	size_t n;
	ag_status st;

	if (a->has_job && (a->job.state == AG_JOB_QUEUED || a->job.state == AG_JOB_RUNNING))
		return ag_fail(err, AG_CONFLICT, ORIGIN, "the audit is under way");
	if (!a->has_run || ag_str_eqc(a->run.status, "ok"))
		return ag_fail(err, AG_CONFLICT, ORIGIN,
		               a->has_run ? "the audit is complete" : "the audit never began");
	place.key = a->run.source_key;
	what.uri = is_upload ? a->run.source_key : ag_server_audit_uri(a, AG_S(""));
	st = make_jobs(a, &what, &place, 1, &jobs, &n, err);
	if (!st && !n)
		st = ag_fail(err, AG_CONFLICT, ORIGIN, "its data is not there any more");
	if (st)
		return st == AG_NOT_FOUND
		               ? ag_fail(err, AG_CONFLICT, ORIGIN, "its data is not there any more")
		               : st;
	jobs[0].run = a->run.id;
	return queue(a, jobs, n, err);
}

void ag_server_audit_resume(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "resume_audit",
		                                 .least = AG_ROLE_ANALYST,
		                                 .flags = AG_SERVER_AUDIT_HAS_RUN,
		                                 .work = resume_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

/* --- the fields of a collection --- */

static ag_status inspect_work(ag_server_audit *a, ag_err *err)
{
	const ag_str upload = ag_server_query(a->rq, "upload");
	const ag_str path = ag_server_query(a->rq, "path");
	const ag_inspect_opts o = { .paths = &path,
		                    .npath = path.len > 0,
		                    .sample = UINT64_MAX,
		                    .show_values = a->h->opts.audits->show_values };
	ag_inspected seen = { 0 };
	ag_source_place *places;
	ag_source *source = NULL;
	size_t n = 0;
	ag_status st = ag_server_audit_places(a, upload, ag_server_query(a->rq, "collection"),
	                                      &places, &n, err);
	ag_jw w;

	if (!st && n != 1) {
		ag_fail(err, AG_INVALID, ORIGIN, "?collection= is needed: there are %zu", n);
		st = ag_err_hint(err, "GET /api/audits/sources lists them");
	}
	if (!st)
		st = ag_source_open_place(&a->at.ctx, &places[0], NULL, &source, err);
	if (st)
		return st;
	a->rp->content_type = AG_S("application/json");
	ag_jw_init(&w, &a->rp->body, 0);
	st = ag_inspect(source, &a->at.ctx, &o, a->rq->arena, &w, &seen, err);
	ag_source_close(source);
	if (st)
		ag_buf_release(&a->rp->body);
	return st;
}

void ag_server_audit_inspect(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "inspect_collection",
		                                 .least = AG_ROLE_VIEWER,
		                                 .flags = AG_SERVER_AUDIT_READS,
		                                 .work = inspect_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}
