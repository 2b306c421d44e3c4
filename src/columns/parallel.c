/* parallel -- run the numbered pieces of a job on several threads.
 *
 * Pieces are taken in order from one counter. After a failure no higher piece is started, but all lower ones
 * are already under way and are waited for: so the failure with the lowest number wins whatever the timing,
 * and errors do not depend on the number of threads. */
#include <pthread.h>
#include <stdatomic.h>

#include "base/fault.h"
#include "columns/table.h"

#define MAX_THREADS 256

typedef struct job {
	const ag_ctx *ctx;
	size_t n;
	ag_status (*fn)(void *arg, size_t i, ag_err *err);
	void *arg;
	atomic_size_t next;
	atomic_size_t end;    /* pieces from here on are not started any more */
	pthread_mutex_t lock; /* guards the three below */
	size_t failed_at;     /* SIZE_MAX: none */
	ag_status status;
	ag_err err;
} job;

static void note_failure(job *j, size_t i, ag_status st, const ag_err *err)
{
	pthread_mutex_lock(&j->lock);
	if (i < j->failed_at) {
		j->failed_at = i;
		j->status = st;
		j->err = *err;
		atomic_store(&j->end, i);
	}
	pthread_mutex_unlock(&j->lock);
}

static void *work(void *arg)
{
	job *j = (job *)arg;

	for (;;) {
		size_t i = atomic_fetch_add(&j->next, 1);
		ag_err err = { 0 };
		ag_status st;

		if (i >= j->n || i >= atomic_load(&j->end))
			return NULL;
		st = ag_ctx_check(j->ctx, &err);
		if (!st)
			st = j->fn(j->arg, i, &err);
		if (st)
			note_failure(j, i, st, &err);
	}
}

ag_status ag_parallel(const ag_ctx *ctx, size_t n,
                      ag_status (*fn)(void *arg, size_t i, ag_err *err), void *arg, ag_err *err)
{
	job j = { .ctx = ctx, .n = n, .fn = fn, .arg = arg, .failed_at = SIZE_MAX };
	pthread_t threads[MAX_THREADS];
	size_t nthread = ctx ? ctx->nthread : 1;
	size_t want = nthread > n ? n : nthread, started = 0;

	atomic_init(&j.next, 0);
	atomic_init(&j.end, n);
	pthread_mutex_init(&j.lock, NULL);
	/* This thread works too; a thread that cannot be started only makes it slower. */
	while (started + 1 < want && started < MAX_THREADS && !ag_fault("thread.start") &&
	       pthread_create(&threads[started], NULL, work, &j) == 0)
		started++;
	work(&j);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&j.lock);
	if (j.failed_at == SIZE_MAX)
		return AG_OK;
	if (err)
		*err = j.err;
	return j.status;
}
