/* sql_thread -- made when the first statement comes, never ended: its memory is the process's.
 *
 * Measured with AG_SQL_MAX_TOKENS tokens: `1 isnull isnull ...` needs 31 MB of stack, everything else less (nesting of
 * brackets ends at 10,000 in the parser itself). The stack takes memory only where it was touched, and a statement that
 * went deep gives it back. */
#include "guard/sql_thread.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>

#define ORIGIN     "guard.sql"
#define STACK      (128u << 20)
#define STACK_LEFT (256u << 10) /* of a deep statement, kept for the next ones */
#define GUARD_PAGE 65536u /* never mapped: the end of the stack is a crash, not somebody's memory */

/* Filled under pthread_once; afterwards the queue is guarded by its lock. */
static struct {
	pthread_once_t once;
	ag_err err; /* status AG_OK: the thread runs */
	char *stack;
	pthread_mutex_t lock;
	pthread_cond_t has_work;
	ag_sql_job *first, **last;
} worker = { .once = PTHREAD_ONCE_INIT,
	     .lock = PTHREAD_MUTEX_INITIALIZER,
	     .has_work = PTHREAD_COND_INITIALIZER,
	     .last = &worker.first };

/* What one large statement needed is not kept for all the small ones. */
static void give_back(ag_arena **scratch)
{
	const uintptr_t low = (uintptr_t)worker.stack;
	/* Not the address of a local: AddressSanitizer keeps those elsewhere. */
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	const uintptr_t end = (here - STACK_LEFT) & ~(uintptr_t)(GUARD_PAGE - 1);

	if (end > low && here < low + STACK)
		madvise(worker.stack, end - low, MADV_DONTNEED);
	ag_arena_free(*scratch);
	*scratch = ag_arena_new();
	malloc_trim(0);
}

static void *work(void *arg)
{
	ag_arena *scratch = ag_arena_new();

	(void)arg;
	pthread_mutex_lock(&worker.lock);
	for (;;) {
		ag_sql_job *job = worker.first;

		if (!job) {
			pthread_cond_wait(&worker.has_work, &worker.lock);
			continue;
		}
		worker.first = job->next;
		if (!worker.first)
			worker.last = &worker.first;
		pthread_mutex_unlock(&worker.lock);
		job->run(job, scratch);
		ag_arena_reset(scratch);
		if (job->was_deep)
			give_back(&scratch);
		pthread_mutex_lock(&worker.lock);
		job->is_done = true;
		pthread_cond_signal(&job->done);
	}
	return NULL;
}

static void start(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, old;
	int rc;
	char *map = mmap(NULL, STACK + GUARD_PAGE, PROT_NONE,
	                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (map == MAP_FAILED || mprotect(map + GUARD_PAGE, STACK, PROT_READ | PROT_WRITE) != 0) {
		ag_fail_errno(&worker.err, errno, ORIGIN, "no stack for the parser of PostgreSQL");
		worker.err.status = AG_UNAVAILABLE;
		return;
	}
	worker.stack = map + GUARD_PAGE;
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, worker.stack, STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	/* Signals are the business of the threads that were there before. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&thread, &attr, work, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (rc) {
		ag_fail_errno(&worker.err, rc, ORIGIN, "no thread for the parser of PostgreSQL");
		worker.err.status = AG_UNAVAILABLE;
		munmap(map, STACK + GUARD_PAGE);
	}
}

ag_status ag_sql_thread_run(ag_sql_job *job, ag_err *err)
{
	pthread_once(&worker.once, start);
	if (worker.err.status) {
		if (err)
			*err = worker.err;
		return worker.err.status;
	}
	job->next = NULL;
	job->is_done = false;
	pthread_cond_init(&job->done, NULL);
	pthread_mutex_lock(&worker.lock);
	*worker.last = job;
	worker.last = &job->next;
	pthread_cond_signal(&worker.has_work);
	while (!job->is_done)
		pthread_cond_wait(&job->done, &worker.lock);
	pthread_mutex_unlock(&worker.lock);
	pthread_cond_destroy(&job->done);
	return AG_OK;
}
