/* audits -- the routes below /api/audits: audits that are begun, watched, read and judged from afar.
 *
 * An audit is a job of the store (store/jobs.h) and has its run's id from the beginning, so a client follows one name
 * through the queue, the run and the report. Who does the jobs is not the server's business: a worker of this process or of another
 * machine (app/worker.h). An audit belongs to the project whose documents, or whose uploaded files, its source is.
 *
 * audits.c reads; audit_quality.c lists collections; audit_baseline.c keeps baselines; audit_documents.c shows documents;
 * audit_profiles.c keeps settings of audits under names; audit_start.c begins, stops and takes files; audit_words.c is what people
 * say and check. */
#ifndef AG_SERVER_AUDITS_H
#define AG_SERVER_AUDITS_H

#include "audit/audit.h"
#include "server/work.h"
#include "store/jobs.h"

#define AG_SERVER_UPLOAD_BYTES (64u << 20) /* of a file */

/* One request about audits. */
typedef struct ag_server_audit {
	ag_server *h;
	ag_httpd_request *rq;
	ag_httpd_reply *rp;
	ag_server_place at;       /* the caller in the project */
	ag_store_place places[2]; /* of the project: its documents, its uploads */
	ag_store *store;
	const ag_project **
		all; /* with ANY_PROJECT and a request without ?project=: those that the caller may read; else NULL */
	size_t nall;
	ag_val body;  /* with HAS_BODY */
	bool has_run; /* with HAS_RUN: false while the audit is only queued */
	ag_run_row run;
	bool has_job;
	ag_job job; /* the newest that has the run */
} ag_server_audit;

#define AG_SERVER_AUDIT_HAS_BODY 1u /* a JSON object; it may name the project */
#define AG_SERVER_AUDIT_HAS_RUN  2u /* the route's {id} is an audit of the caller's */
#define AG_SERVER_AUDIT_READS    4u /* it reads whole collections: few at a time, else 503 */
#define AG_SERVER_AUDIT_ANY_PROJECT \
	8u /* a request without ?project= is about all projects of the caller; not together with `tool` */
#define AG_SERVER_READERS 2u /* so many */

typedef struct ag_server_audit_act {
	const char *
		tool; /* of the audit table; NULL = only role and scope are checked, nothing is recorded */
	ag_role least;
	unsigned flags;
	/* Answers. errors: told as a problem */
	ag_status (*work)(ag_server_audit *a, ag_err *err);
} ag_server_audit_act;

/* Finds project, run and store, checks role and scope, does the work, and records it. */
void ag_server_audit_run(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                         const ag_server_audit_act *act);
/* The collections that the request means: of the uploaded file `upload`, else of the project's documents; all of them, or the one of
 * that name. In the request's arena.
 * errors  AG_NOT_FOUND: tells which there are; of ag_source_list() */
AG_CHECK ag_status ag_server_audit_places(ag_server_audit *a, ag_str upload, ag_str collection,
                                          ag_source_place **ret, size_t *nret, ag_err *err);
/* Fills a->places for the project. Work with ANY_PROJECT calls it for each project of a->all. */
void ag_server_audit_find_places(ag_server_audit *a, const ag_project *project);
/* Does the run belong to the project of the request? */
bool ag_server_audit_is_mine(const ag_server_audit *a, const ag_run_row *run);
/* The address that those are of. */
ag_str ag_server_audit_uri(ag_server_audit *a, ag_str upload);
/* Members of an audit that may be queued, running or ended. */
void ag_server_audit_members(const ag_server_audit *a, ag_jw *w);
/* The report, also of a run that is under way; parsed with types when v is not NULL. */
AG_CHECK ag_status ag_server_audit_report(ag_server_audit *a, ag_str *text, ag_val *v, ag_err *err);

/* --- audits.c: routes --- */

void ag_server_audits_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_events(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_report_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_export(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_diff(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_history(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- audit_profiles.c --- */

/* The settings of a saved profile of the project, by its name: eval_profile, max_iterations, max_seconds, those that it has.
 * errors  AG_NOT_FOUND */
AG_CHECK ag_status ag_server_audit_profile(ag_server_audit *a, ag_str name, ag_val *ret,
                                           ag_err *err);
/* Routes. */
void ag_server_audit_profiles_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_profile_save(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_profile_rename(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_profile_drop(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- audit_start.c: routes --- */

void ag_server_audit_sources(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_upload(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_upload_drop(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_start(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_stop(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_resume(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_inspect(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- audit_quality.c: routes --- */

void ag_server_audit_quality(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- audit_baseline.c: routes --- */

void ag_server_audit_baseline(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_baseline_set(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_baseline_drop(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- audit_documents.c: routes --- */

void ag_server_audit_documents(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_documents_of(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- audit_words.c: routes --- */

void ag_server_audit_verify(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_rate(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_resolve(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_waiting(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_audit_metrics(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

#endif
