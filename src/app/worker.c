/* The loop of a worker: queue what is due, take a job, do it, end it; else wait.
 *
 * A failure that may pass is tried again later, each time later; any other one goes to the dead-letter list at once, because the next
 * attempt would fail as well. A stop of the process hands the job back without counting the attempt. Read ag_worker_run(), do_job(),
 * judge(). */
#include "app/worker.h"

#include <pthread.h>
#include <time.h>

#include "app/models.h"
#include "app/retention.h"
#include "app/traces.h"
#include "base/log.h"
#include "run/owner.h"
#include "run/span.h"

#define ORIGIN   "app.worker"
#define SLICE_MS 100 /* how late a stop is seen */
#define BUSY_MS \
	5000 /* until a job is tried again whose run somebody else writes, or whose store could not be written */
#define FIRST_MS 2000 /* until the second attempt; each later one waits three times as long */
#define LAST_MS  600000
#define AWAY_MS  1000 /* between two tries of a store that is away */

/* --- the thread that keeps the lease --- */

typedef struct heart {
	const ag_worker_opts *o;
	ag_store *store; /* of its own */
	const ag_clock *clock;
	const ag_job *job;
	atomic_bool cancel; /* of the job */
	atomic_bool is_over, is_lost, is_unwanted;
	pthread_mutex_t lock;
	pthread_cond_t end;
	pthread_t thread;
} heart;

static void beat(heart *h)
{
	bool stop = false;
	int64_t now_ms;
	ag_err err;
	ag_status st = ag_store_now(h->store, h->clock, &now_ms, &err);

	if (!st)
		st = ag_store_beat_job(h->store, h->job, now_ms, h->o->lease_ms, &stop, &err);
	if (st == AG_CONFLICT)
		atomic_store(&h->is_lost, true);
	else if (st)
		ag_log(AG_LOG_WARN, "lease_not_renewed", "job %s: %s", h->job->id.text, err.msg);
	if (stop)
		atomic_store(&h->is_unwanted, true);
	if (stop || st == AG_CONFLICT)
		atomic_store(&h->cancel, true);
}

static void nap(heart *h)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += SLICE_MS * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&h->lock);
	if (!atomic_load(&h->is_over))
		pthread_cond_timedwait(&h->end, &h->lock, &until);
	pthread_mutex_unlock(&h->lock);
}

/* Three beats in a lease: two may fail. A job that somebody cancels hears of it at the next one. */
static void *keep_lease(void *arg)
{
	heart *h = arg;
	const int64_t every_ms = h->o->lease_ms / 3 < 5000 ? h->o->lease_ms / 3 : 5000;
	int64_t next_ms = ag_clock_mono(h->clock) + every_ms, stopped_ms = 0;

	while (!atomic_load(&h->is_over)) {
		const int64_t now_ms = ag_clock_mono(h->clock);

		if (!stopped_ms && h->o->stop && atomic_load(h->o->stop))
			stopped_ms = now_ms;
		if (stopped_ms && now_ms - stopped_ms >= h->o->grace_ms)
			atomic_store(&h->cancel, true);
		if (now_ms >= next_ms && !atomic_load(&h->is_lost)) {
			beat(h);
			next_ms = ag_clock_mono(h->clock) + every_ms;
		}
		nap(h);
	}
	return NULL;
}

static ag_status heart_start(heart *h, const ag_job *job, ag_err *err)
{
	h->job = job;
	atomic_store(&h->cancel, false);
	atomic_store(&h->is_over, false);
	atomic_store(&h->is_lost, false);
	atomic_store(&h->is_unwanted, false);
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->end, NULL);
	if (pthread_create(&h->thread, NULL, keep_lease, h) == 0)
		return AG_OK;
	return ag_fail(err, AG_INTERNAL, ORIGIN, "no thread could be started");
}

static void heart_stop(heart *h)
{
	pthread_mutex_lock(&h->lock);
	atomic_store(&h->is_over, true);
	pthread_cond_signal(&h->end);
	pthread_mutex_unlock(&h->lock);
	pthread_join(h->thread, NULL);
	pthread_cond_destroy(&h->end);
	pthread_mutex_destroy(&h->lock);
}

/* --- a job --- */

typedef struct worker {
	ag_worker base;
	const ag_worker_opts *o;
	heart heart;
	ag_store *waiter; /* another handle, that only waits */
	ag_str owner;
	uint64_t ndone;
	int64_t next_due_ms; /* of the schedules; 0 without any */
} worker;

static void tell(const worker *w, ag_worker_word word, const ag_job *job, ag_job_state state,
                 const ag_err *err)
{
	const ag_worker_news news = { word, job, state, err && err->status ? err : NULL };

	if (w->o->tell)
		w->o->tell(w->o->tell_arg, &news);
}

static bool is_stopped(const worker *w)
{
	return w->o->stop && atomic_load(w->o->stop);
}

static int64_t delay_of(unsigned attempts)
{
	int64_t ms = FIRST_MS;

	for (unsigned i = 1; i < attempts && ms < LAST_MS; i++)
		ms *= 3;
	return ms < LAST_MS ? ms : LAST_MS;
}

/* The disk of the store may be full now and not later, so this is no reason to give a job up. */
static bool may_pass(ag_status st)
{
	return ag_status_retryable(st) || st == AG_IO || st == AG_PROTOCOL;
}

/* A store that is full or away is no fault of the job: while a worker waits for jobs, such an attempt does not count. */
static bool is_of_store(const worker *w, const ag_err *err)
{
	return !w->o->drain && strncmp(err->origin, "store.", 6) == 0;
}

static ag_job_end judge(const worker *w, const ag_job *job, const ag_job_outcome *out)
{
	ag_job_end e = { .state = AG_JOB_DONE,
		         .result = out->result,
		         .error = out->st ? ag_str_c(out->err.msg) : AG_S(""),
		         .children = out->children,
		         .nchild = out->nchild };

	if (!out->st)
		return e;
	e.nchild = 0;
	if (out->st == AG_CANCELLED && atomic_load(&w->heart.is_unwanted)) {
		e.state = AG_JOB_CANCELLED;
	} else if (out->st == AG_CANCELLED) {
		e.state = AG_JOB_QUEUED;
		e.is_free = true;
		e.error = job->error;
	} else if (out->st == AG_CONFLICT) {
		e.state = AG_JOB_QUEUED;
		e.is_free = true;
		e.delay_ms = BUSY_MS;
	} else if (w->o->retries && may_pass(out->st) && is_of_store(w, &out->err)) {
		e.state = AG_JOB_QUEUED;
		e.is_free = true;
		e.delay_ms = BUSY_MS;
	} else if (w->o->retries && may_pass(out->st) && job->attempts < job->max_attempts) {
		e.state = AG_JOB_QUEUED;
		e.delay_ms = delay_of(job->attempts);
	} else {
		e.state = AG_JOB_DEAD;
	}
	return e;
}

static void attempt(worker *w, ag_job *job, ag_arena *arena, ag_job_outcome *ret)
{
	const ag_job_kind *kind = ag_job_kind_find(job->kind);
	ag_ctx ctx = w->base.app->ctx;
	ag_span *span;

	*ret = (ag_job_outcome){ 0 };
	if (!kind) {
		ret->st = ag_fail(&ret->err, AG_CONFLICT, ORIGIN,
		                  "this version knows no job of the kind \"%.*s\"",
		                  AG_FMT(job->kind));
		return;
	}
	ret->st = heart_start(&w->heart, job, &ret->err);
	if (ret->st)
		return;
	ctx.cancel = &w->heart.cancel;
	ctx.span = span = ag_span_begin(NULL, NULL, AG_SPAN_INTERNAL, AG_S("job"));
	ag_span_name(span, AG_S("job"), ag_str_c(kind->name));
	ag_span_text(span, "argus.job.kind", ag_str_c(kind->name));
	ag_span_text(span, "argus.job.id", ag_id_str(&job->id));
	kind->run(&w->base, &ctx, job, arena, ret);
	if (ret->st)
		ag_span_fail(span, ag_str_c(ag_status_name(ret->st)));
	ag_span_end(span);
	heart_stop(&w->heart);
	if (!ret->st)
		ret->err = (ag_err){ 0 }; /* of what was looked for on the way */
}

static ag_status do_job(worker *w, ag_job *job, ag_arena *arena, ag_err *err)
{
	const ag_job *taken = job; /* the kind may change only the run */
	ag_job_outcome out;
	ag_job_end end;
	int64_t now_ms;
	ag_status st;

	tell(w, AG_WORKER_TOOK, job, AG_JOB_RUNNING, NULL);
	attempt(w, job, arena, &out);
	if (atomic_load(&w->heart.is_lost)) {
		tell(w, AG_WORKER_LOST, job, AG_JOB_RUNNING, &out.err);
		return AG_OK;
	}
	end = judge(w, job, &out);
	st = ag_store_now(w->base.store, w->base.app->ctx.clock, &now_ms, err);
	if (!st)
		st = ag_store_end_job(w->base.store, taken, &end, now_ms, err);
	if (st == AG_CONFLICT) {
		tell(w, AG_WORKER_LOST, job, AG_JOB_RUNNING, err);
		return AG_OK;
	}
	if (st)
		return st; /* the lease ends, and the next attempt finds in the log what was done */
	w->ndone += end.state != AG_JOB_QUEUED;
	tell(w, end.state == AG_JOB_QUEUED ? AG_WORKER_GAVE_BACK : AG_WORKER_ENDED, job, end.state,
	     &out.err);
	return AG_OK;
}

/* --- the loop --- */

/* *ret_ms: how long it may wait; 0 = a job was done, so it looks again at once; -1 = there is nothing left to do. */
static ag_status look(worker *w, ag_arena *arena, int64_t *ret_ms, ag_err *err)
{
	const ag_worker_opts *o = w->o;
	ag_job_wish wish = { .queue = o->queue,
		             .owner = w->owner,
		             .lease_ms = o->lease_ms,
		             .per_target = o->per_target };
	ag_job_counts counts;
	size_t n = 0;
	bool found = false;
	ag_job job;
	ag_status st = ag_store_now(w->base.store, w->base.app->ctx.clock, &wish.now_ms, err);

	*ret_ms = 0;
	if (!st && o->schedules)
		st = ag_app_queue_due(w->base.store, wish.now_ms, &w->next_due_ms, &n, err);
	if (!st)
		st = ag_store_take_job(w->base.store, &wish, arena, &job, &found, err);
	if (!st && found)
		return do_job(w, &job, arena, err);
	if (!st)
		st = ag_store_free_jobs(w->base.store, o->queue, wish.now_ms, &n, err);
	if (st || n)
		return st;
	*ret_ms = o->poll_ms;
	if (w->next_due_ms && w->next_due_ms - wish.now_ms < *ret_ms)
		*ret_ms = w->next_due_ms > wish.now_ms ? w->next_due_ms - wish.now_ms : 1;
	st = ag_store_count_jobs(w->base.store, o->queue, &counts, err);
	if (st)
		return st;
	if (counts.next_ms > wish.now_ms && counts.next_ms - wish.now_ms < *ret_ms)
		*ret_ms = counts.next_ms - wish.now_ms;
	if (o->drain && !counts.of[AG_JOB_QUEUED] && !counts.of[AG_JOB_RUNNING])
		*ret_ms = -1;
	return AG_OK;
}

static ag_status wait(worker *w, int64_t ms, ag_err *err)
{
	bool told;

	return ag_store_wait(w->waiter, ms, w->o->stop, &told, err);
}

static void pause_ms(int64_t ms)
{
	const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&t, NULL); /* a signal ends it, which is meant */
}

static ag_status work(worker *w, ag_err *err)
{
	bool is_away = false;
	ag_status st = AG_OK;

	while (!is_stopped(w)) {
		AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
		int64_t ms = 0;

		st = look(w, arena, &ms, err);
		if (!st && ms < 0)
			break;
		if (!st && ms) {
			ag_worker_folder_release(&w->base.folder);
			st = wait(w, ms, err);
		}
		if (st && !may_pass(st))
			return st;
		if (st && !is_away)
			tell(w, AG_WORKER_AWAY, NULL, AG_JOB_RUNNING, err);
		is_away = st != AG_OK;
		if (st)
			pause_ms(AWAY_MS);
	}
	return AG_OK;
}

ag_status ag_worker_run(ag_app *app, const ag_worker_opts *o, uint64_t *ret_n, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_audit_opts audit;
	worker w = { .base = { .app = app,
		               .audit = &audit,
		               .address = o->address,
		               .address_arg = o->address_arg },
		     .o = o,
		     .heart = { .o = o, .clock = app->ctx.clock },
		     .owner = ag_owner_new(app->ctx.clock, arena) };
	ag_retention *retention;
	ag_otlp *traces = NULL;
	ag_str uri;
	ag_status st;

	ag_app_audit_opts(app, arena, &audit);
	st = ag_app_open_models(app, AG_S(""), AG_S(""), &audit, err);
	if (!st)
		st = ag_app_store(app, &w.base.store, err);
	if (!st)
		st = ag_app_store_uri(app, &uri, err);
	if (!st)
		st = ag_store_open(uri, &w.heart.store, err);
	if (!st)
		st = ag_store_open(uri, &w.waiter, err);
	if (!st)
		st = ag_app_traces(app, &traces, err);
	if (!st) {
		w.base.planner = ag_app_planner(app);
		retention = o->drain ? NULL : ag_app_retention_start(app, uri);
		st = work(&w, err);
		ag_app_retention_stop(retention);
	}
	ag_otlp_stop(traces);
	ag_worker_folder_release(&w.base.folder);
	ag_store_close(w.heart.store);
	ag_store_close(w.waiter);
	*ret_n = w.ndone;
	return st;
}
