/* jobs -- what a job can be: one row for each kind.
 *
 * To add a kind: app/job_<name>.c with a `const ag_job_kind`, and its row in kinds[] of jobs.c. `argus jobs add KIND`, `argus schedule add`
 * and workers know it then.
 *
 * A job names what it works on by reference: a project, or an address without a password. What is secret is in the settings and the
 * environment of the worker that takes it, so none of it is in the store. */
#ifndef AG_APP_JOBS_H
#define AG_APP_JOBS_H

#include "app/app.h"
#include "project/project.h"
#include "store/jobs.h"

#define AG_JOB_QUEUE "main" /* where nobody names another one */

/* The folder of the last audit: the keys of its collections are read once for all its jobs, as long as its files stay the same. */
typedef struct ag_worker_folder {
	ag_arena *arena; /* NULL before the first audit */
	ag_str uri;
	struct ag_neighbours *neighbours;
} ag_worker_folder;

void ag_worker_folder_release(ag_worker_folder *f);

/* What a kind works with: of one worker. */
typedef struct ag_worker {
	ag_app *app;
	ag_store *store;
	const ag_audit_opts *audit; /* with the models of the settings, which are open */
	ag_planner_make planner;
	/* Of jobs that this process has made itself: the address that is meant by one without its password. NULL, or `shown` back. */
	ag_str (*address)(void *arg, ag_str shown);
	void *address_arg;
	ag_worker_folder folder;
} ag_worker;

/* How an attempt ended. Texts in the job's arena. */
typedef struct ag_job_outcome {
	ag_status
		st; /* AG_OK: the job is done. AG_CANCELLED: it was stopped. AG_CONFLICT: somebody else is at it, later again */
	ag_err err;
	ag_str result;          /* JSON object, "" = none */
	const ag_job *children; /* what it has become, when it is done */
	size_t nchild;
} ag_job_outcome;

/* What a user names. */
typedef struct ag_job_what {
	ag_str what;
	bool all;             /* everything that is configured, and `what` is "" */
	const ag_str *values; /* NAME=VALUE, of kinds that take such */
	size_t nvalue;
} ag_job_what;

typedef struct ag_job_kind {
	const char *name;  /* "audit" */
	const char *help;  /* of its target: "a project, PROJECT/COLLECTION, or an address" */
	bool takes_values; /* else values are refused before make() */
	/* From what a user names: payload and target, in arena.
	 * errors  AG_INVALID, AG_NOT_FOUND, AG_DENIED (a password) */
	ag_status (*make)(ag_app *app, const ag_job_what *what, ag_arena *arena, ag_job *ret,
	                  ag_err *err);
	/* "shop/orders": what the payload means, for people; in arena. */
	ag_str (*shown)(ag_str payload, ag_arena *arena);
	/* One attempt. ctx: is cancelled when the job shall stop. A job that was begun before, by anybody, goes on: job->run. */
	void (*run)(ag_worker *w, const ag_ctx *ctx, ag_job *job, ag_arena *arena,
	            ag_job_outcome *ret);
} ag_job_kind;

/* The rows of kinds[]. */
extern const ag_job_kind ag_job_audit, ag_job_recipe;

const ag_job_kind *ag_job_kinds(size_t *ret_n,
                                size_t i); /* NULL: there are not so many; ret_n may be NULL */
const ag_job_kind *ag_job_kind_find(ag_str name); /* NULL: of another version, perhaps */
/* What people see of a job: by its kind, else its payload. */
ag_str ag_job_shown(ag_str kind, ag_str payload, ag_arena *arena);
/* kind->make() with queue and kind. errors  also AG_INVALID: there is no such kind, or it takes no values */
AG_CHECK ag_status ag_job_make(ag_app *app, ag_str kind, ag_str queue, const ag_job_what *what,
                               ag_arena *arena, ag_job *ret, ag_err *err);

/* For those who know the project already, and have checked what they name.
 * errors  AG_INVALID: the project has no documents; AG_LIMIT: the values are too large */
AG_CHECK ag_status ag_job_audit_of_project(const ag_project *p, ag_str collection, ag_arena *arena,
                                           ag_job *ret, ag_err *err);
AG_CHECK ag_status ag_job_recipe_of(ag_str project, ag_str recipe, const ag_val *values,
                                    ag_arena *arena, ag_job *ret, ag_err *err);

/* Projects that have documents, of the settings and of the store, by id. */
typedef struct ag_documents {
	ag_str project, uri;
} ag_documents;
AG_CHECK ag_status ag_app_documents(ag_app *app, ag_store *store, ag_arena *arena,
                                    ag_documents **ret, size_t *nret, ag_err *err);

/* One audit, for a worker. */
typedef struct ag_job_audit_what {
	ag_str uri;     /* as it was given; the jobs hold it without a password */
	ag_str project; /* whose it is; "" = nobody's */
	bool is_other;  /* the uri is not the `documents` of the project */
	ag_str queue;
	ag_str eval_profile;                  /* "" = as the worker's settings say */
	uint64_t max_iterations, max_seconds; /* 0 = the same */
} ag_job_audit_what;

/* Its jobs, one for each collection; in arena. */
AG_CHECK ag_status ag_job_audit_places(const ag_ctx *ctx, const ag_job_audit_what *what,
                                       ag_arena *arena, ag_job **ret, size_t *nret, ag_err *err);

/* Queues a job of each schedule that is due at now_ms, and moves it on: of several times that were missed the last one only. *ret_next_ms:
 * when the next one will be due, 0 without any. *ret_n: jobs that were queued. A schedule that cannot be read is left out and logged. */
AG_CHECK ag_status ag_app_queue_due(ag_store *store, int64_t now_ms, int64_t *ret_next_ms,
                                    size_t *ret_n, ag_err *err);

#endif
