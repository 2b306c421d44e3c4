/* postgres_threads -- threads for what libpq does without a limit of time, and waiting on them. */
#include "source/postgres_parts.h"

#include <signal.h>

#include "base/time.h"

bool ag_pg_thread(size_t stack_bytes, void *(*fn)(void *arg), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, before;
	int rc;

	if (pthread_attr_init(&attr) != 0)
		return false;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, stack_bytes);
	sigfillset(&all); /* signals belong to the program's own threads */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread, &attr, fn, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return rc == 0;
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
