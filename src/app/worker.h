/* worker -- takes jobs from a queue of the store and does them, one at a time, until it is stopped or there is nothing left.
 *
 * A process has one worker. It renews the lease of its job from a thread of its own; when the store tells it that the lease is lost, or
 * that the job shall stop, it cancels the work. A store that is away is waited for. */
#ifndef AG_APP_WORKER_H
#define AG_APP_WORKER_H

#include "app/jobs.h"

typedef enum ag_worker_word {
	AG_WORKER_TOOK,
	AG_WORKER_ENDED,     /* done, dead or cancelled */
	AG_WORKER_GAVE_BACK, /* it will be tried again */
	AG_WORKER_LOST,      /* another worker has it now */
	AG_WORKER_AWAY       /* the store cannot be reached: it is waited for */
} ag_worker_word;

/* What happened, for the log of the worker's process. */
typedef struct ag_worker_news {
	ag_worker_word word;
	const ag_job *job;  /* NULL: AWAY */
	ag_job_state state; /* of ENDED */
	const ag_err *err;  /* why; NULL */
} ag_worker_news;

typedef struct ag_worker_opts {
	ag_str queue;
	int64_t lease_ms; /* at least 1,000 */
	int64_t grace_ms; /* a job that does not end so long after *stop is handed back */
	int64_t poll_ms;  /* how often it looks when nobody tells it */
	uint64_t per_target;
	bool drain;              /* ends when nothing of the queue is queued or runs */
	bool schedules;          /* queues what is due */
	bool retries;            /* what fails for a reason that may pass is tried again later */
	const atomic_bool *stop; /* set by signals */
	ag_str (*address)(void *arg, ag_str shown); /* ag_worker */
	void *address_arg;
	void (*tell)(void *arg, const ag_worker_news *news); /* on the worker's thread */
	void *tell_arg;
} ag_worker_opts;

/* *ret_n: jobs that it ended.
 * errors  before the first job: of models and of the store. Later: of a store that does not let itself be written. */
AG_CHECK ag_status ag_worker_run(ag_app *app, const ag_worker_opts *o, uint64_t *ret_n,
                                 ag_err *err);

#endif
