/* jobs -- work that is queued in the store, taken by workers of any number of processes and machines, and schedules.
 *
 * A job is taken under a lease. Its worker renews that (beat) and ends the job; when it dies, the lease ends and the next
 * worker takes the job, with the same run, whose log says how far it came. Each of these calls is one transaction, and names
 * the worker: one that has lost its lease meanwhile is told so (AG_CONFLICT) and changes nothing.
 *
 * Times are wall times that the caller gives; ag_store_now() has the one that all processes of a store agree about. */
#ifndef AG_STORE_JOBS_H
#define AG_STORE_JOBS_H

#include <stdatomic.h>

#include "base/json.h"
#include "base/time.h"
#include "store/store.h"

#define AG_JOB_MAX_PAYLOAD 65536u /* bytes; of the result as well */
#define AG_JOB_MAX_NAME    64u    /* bytes of a queue, a kind, a schedule */
#define AG_JOB_MAX_ERROR   1000u  /* bytes; longer ones are cut */
#define AG_JOB_MAX_BATCH   10000u /* jobs of one call */
#define AG_JOB_MAX_LIST    1000u
#define AG_JOB_MAX_LEASE   (24 * 3600 * INT64_C(1000)) /* ms */
#define AG_JOB_MAX_TRIES   100u
#define AG_SCHEDULES_MAX   1000u

typedef enum ag_job_state {
	AG_JOB_QUEUED,
	AG_JOB_RUNNING,
	AG_JOB_DONE,
	AG_JOB_DEAD, /* failed for good: the dead-letter list */
	AG_JOB_CANCELLED
} ag_job_state;
#define AG_NJOB_STATE 5

const char *ag_job_state_name(ag_job_state s); /* "queued" */
bool ag_job_state_read(ag_str text, ag_job_state *ret);

typedef struct ag_job {
	ag_id id;     /* "" when it is added: a new one */
	ag_str once;  /* no second job has the same; "" when it is added: the id */
	ag_str queue; /* [A-Za-z0-9][A-Za-z0-9._-]* like kind */
	ag_str kind;
	ag_str target;  /* the server that it asks, "" = none */
	ag_str payload; /* JSON object; secrets have no place in it */
	ag_job_state state;
	int64_t ready_ms; /* queued: not before; running: end of the lease */
	int64_t created_ms, started_ms, ended_ms;
	unsigned attempts, max_attempts;
	ag_str owner; /* who took it last (run/owner.h) */
	ag_id run; /* "" when it is added: given when it is taken first; later attempts have the same */
	bool wants_stop;
	ag_str result; /* JSON object, "" = none */
	ag_str error;  /* of the last attempt that failed, "" = none */
} ag_job;

/* The time by the store's own clock: of a server, else the process's. */
AG_CHECK ag_status ag_store_now(ag_store *s, const ag_clock *clock, int64_t *ret, ag_err *err);

/* Adds jobs in one transaction; of each: once, queue, kind, target, payload, run, max_attempts (0 = 5), ready_ms (0 = now). One whose
 * `once` is there already is left out. ids[i] (may be NULL) is set to the id of job i, also of one that was there.
 * errors  AG_INVALID: names the field; AG_LIMIT */
AG_CHECK ag_status ag_store_add_jobs(ag_store *s, const ag_job *jobs, size_t n, int64_t now_ms,
                                     ag_id *ids, size_t *ret_added, ag_err *err);

/* What a worker wants. */
typedef struct ag_job_wish {
	ag_str queue, owner;
	int64_t now_ms, lease_ms;
	uint64_t
		per_target; /* jobs of one target that may run at the same time, in all processes; 0 = any number */
} ag_job_wish;

/* The job that is due first, now running under the owner's lease: one that is queued, or whose lease has ended. One whose
 * worker died as often as it may is moved to the dead-letter list. Of several callers each gets another job. Texts in arena.
 * *ret_found false: there is none. */
AG_CHECK ag_status ag_store_take_job(ag_store *s, const ag_job_wish *w, ag_arena *arena,
                                     ag_job *ret, bool *ret_found, ag_err *err);
/* The lease holds for so long again. *ret_stop: somebody wants the job to stop. */
AG_CHECK ag_status ag_store_beat_job(ag_store *s, const ag_job *job, int64_t now_ms,
                                     int64_t lease_ms, bool *ret_stop, ag_err *err);
/* The job goes on under another run, because the one it had cannot go on. */
AG_CHECK ag_status ag_store_rerun_job(ag_store *s, const ag_job *job, const ag_id *run,
                                      ag_err *err);

typedef struct ag_job_end {
	ag_job_state state; /* not RUNNING; QUEUED hands it back */
	ag_str result, error;
	int64_t delay_ms;       /* QUEUED: until it may be taken again */
	bool is_free;           /* QUEUED: the attempt does not count */
	const ag_job *children; /* added in the same transaction */
	size_t nchild;
} ag_job_end;

/* errors  AG_CONFLICT: the lease was lost, another worker has the job, or will have it */
AG_CHECK ag_status ag_store_end_job(ag_store *s, const ag_job *job, const ag_job_end *end,
                                    int64_t now_ms, ag_err *err);
/* Jobs of workers of this machine that are known to be dead may be taken now, not when their leases end. */
AG_CHECK ag_status ag_store_free_jobs(ag_store *s, ag_str queue, int64_t now_ms, size_t *ret,
                                      ag_err *err);

/* --- looking, and what people do --- */

typedef struct ag_job_filter {
	ag_str queue, kind, schedule; /* "" = all */
	ag_str run;                   /* the jobs that have it, "" = all */
	bool has_state;
	ag_job_state state;
} ag_job_filter;

/* The newest first. limit: at most AG_JOB_MAX_LIST. */
AG_CHECK ag_status ag_store_jobs(ag_store *s, const ag_job_filter *f, size_t limit, size_t offset,
                                 ag_arena *arena, ag_job **ret, size_t *nret, ag_err *err);
/* By its id or the beginning of it, at least 4 characters. errors  AG_NOT_FOUND; AG_CONFLICT: several begin so */
AG_CHECK ag_status ag_store_job(ag_store *s, ag_str prefix, ag_arena *arena, ag_job *ret,
                                ag_err *err);
typedef struct ag_job_counts {
	uint64_t of[AG_NJOB_STATE];
	int64_t next_ms; /* when the first of the queued and running ones can be taken; 0 without any */
} ag_job_counts;
AG_CHECK ag_status ag_store_count_jobs(ag_store *s, ag_str queue, ag_job_counts *ret, ag_err *err);
/* A queued one is cancelled; a running one is stopped by its worker, soon. *ret: its state now.
 * errors  AG_NOT_FOUND; AG_INVALID: it has ended */
AG_CHECK ag_status ag_store_cancel_job(ag_store *s, const ag_id *id, int64_t now_ms,
                                       ag_job_state *ret, ag_err *err);
/* One that is dead or cancelled is queued again, with its run and all attempts.
 * errors  AG_NOT_FOUND; AG_INVALID: it is neither */
AG_CHECK ag_status ag_store_retry_job(ag_store *s, const ag_id *id, int64_t now_ms, ag_err *err);

/* --- waiting --- */

/* Returns when another process has queued or ended a job or begun or ended a run (*ret_told), or may have; when ms have passed, or
 * when *cancel (may be NULL) becomes true. A database that cannot tell is looked at. The handle is used for nothing else. The first
 * call may return at once. */
AG_CHECK ag_status ag_store_wait(ag_store *s, int64_t ms, const atomic_bool *cancel, bool *ret_told,
                                 ag_err *err);

/* --- schedules --- */

typedef struct ag_schedule {
	ag_str name, cron, zone, queue, kind, payload;
	bool is_paused;
	int64_t created_ms, next_ms, last_ms; /* last_ms 0 = it has queued nothing yet */
} ag_schedule;

/* errors  AG_CONFLICT: there is one of that name; AG_INVALID; AG_LIMIT */
AG_CHECK ag_status ag_store_add_schedule(ag_store *s, const ag_schedule *c, ag_err *err);
/* By name. */
AG_CHECK ag_status ag_store_schedules(ag_store *s, ag_arena *arena, ag_schedule **ret, size_t *nret,
                                      ag_err *err);
AG_CHECK ag_status ag_store_drop_schedule(ag_store *s, ag_str name, ag_err *err); /* AG_NOT_FOUND */
/* next_ms: when it is due next, from now on. AG_NOT_FOUND */
AG_CHECK ag_status ag_store_pause_schedule(ag_store *s, ag_str name, bool is_paused,
                                           int64_t next_ms, ag_err *err);
/* Its cron expression, zone, whether it is paused and when it is due next become those of `c`. AG_NOT_FOUND; AG_INVALID */
AG_CHECK ag_status ag_store_change_schedule(ag_store *s, const ag_schedule *c, ag_err *err);
/* In one transaction: the job that was due at due_ms is queued, unless it ever was, and the schedule is due again at next_ms. job NULL:
 * only the latter. *ret: the job was queued by this call. Nothing is done when the schedule is not as `c` says any more. */
AG_CHECK ag_status ag_store_queue_scheduled(ag_store *s, const ag_schedule *c, const ag_job *job,
                                            int64_t due_ms, int64_t next_ms, int64_t now_ms,
                                            bool *ret, ag_err *err);

/* --- jobs_json.c: members of an open object; what: the payload in words for people --- */

void ag_job_write_json(const ag_job *j, ag_str what, ag_jw *w);
void ag_schedule_write_json(const ag_schedule *c, ag_str what, ag_jw *w);

#endif
