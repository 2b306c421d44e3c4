/* threads -- threads for what libpq does without a limit of time, and waiting on them.
 *
 * A thread that ends joins the one of its target that ended before it, and ag_pg_threads_wait() joins the last, so no thread
 * is still ending when the process exits. A thread that hangs in libpq beyond that wait detaches itself. */
#include "pg/parts.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "base/time.h"

typedef struct task {
	ag_pg *pg; /* counted */
	void *(*fn)(void *arg);
	void *arg;
} task;

static void leave(ag_pg *pg)
{
	pthread_t before;
	bool has_before;

	pthread_mutex_lock(&pg->lock);
	before = pg->last_thread;
	has_before = pg->has_last_thread;
	pg->last_thread = pthread_self();
	pg->has_last_thread = !pg->is_deserted;
	if (pg->is_deserted)
		pthread_detach(pthread_self());
	pthread_mutex_unlock(&pg->lock);
	if (has_before)
		pthread_join(before, NULL);
}

static void *run(void *arg)
{
	const task t = *(task *)arg;

	free(arg);
	t.fn(t.arg);
	leave(t.pg);
	/* After leave(): the thread that waits for the last one sees it. */
	if (atomic_fetch_sub(&t.pg->nthread, 1) == 1) {
		pthread_mutex_lock(&t.pg->lock);
		pthread_cond_broadcast(&t.pg->no_thread);
		pthread_mutex_unlock(&t.pg->lock);
	}
	ag_pg_unref(t.pg);
	return NULL;
}

bool ag_pg_thread(ag_pg *pg, size_t stack_bytes, void *(*fn)(void *arg), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, before;
	task *t;
	int rc;

	if (pthread_attr_init(&attr) != 0)
		return false;
	t = (task *)ag_xcalloc(1, sizeof(*t));
	*t = (task){ ag_pg_ref(pg), fn, arg };
	atomic_fetch_add(&pg->nthread, 1);
	pthread_attr_setstacksize(&attr, stack_bytes);
	sigfillset(&all); /* signals belong to the program's own threads */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread, &attr, run, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (rc == 0)
		return true;
	free(t);
	atomic_fetch_sub(&pg->nthread, 1);
	ag_pg_unref(pg); /* the caller has another */
	return false;
}

void ag_pg_threads_wait(ag_pg *pg, int64_t until_us)
{
	const struct timespec until = ag_pg_timespec(until_us);
	pthread_t last;
	bool has_last;
	int rc = 0;

	pthread_mutex_lock(&pg->lock);
	while (atomic_load(&pg->nthread) > 0 && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&pg->no_thread, &pg->lock, &until);
	pg->is_deserted = true;
	last = pg->last_thread;
	has_last = pg->has_last_thread;
	pg->has_last_thread = false;
	pthread_mutex_unlock(&pg->lock);
	if (has_last)
		pthread_join(last, NULL);
}

void ag_pg_cond_init(pthread_cond_t *c)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(c, &attr);
	pthread_condattr_destroy(&attr);
}

struct timespec ag_pg_timespec(int64_t mono_us)
{
	struct timespec t = { .tv_sec = (time_t)(mono_us / 1000000),
		              .tv_nsec = (long)(mono_us % 1000000) * 1000 };

	return t;
}
