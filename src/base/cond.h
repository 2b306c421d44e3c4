/* cond -- waiting for a condition for a limited time, on the monotonic clock: a wall clock that is set back would prolong the
 * wait by as much. */
#ifndef AG_BASE_COND_H
#define AG_BASE_COND_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* For ag_cond_wait_ms(). Destroyed with pthread_cond_destroy(). */
static inline void ag_cond_init(pthread_cond_t *c)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(c, &attr);
	pthread_condattr_destroy(&attr);
}

/* At most ms milliseconds, not negative. Returns what pthread_cond_timedwait() does: 0 or ETIMEDOUT. */
static inline int ag_cond_wait_ms(pthread_cond_t *c, pthread_mutex_t *lock, int64_t ms)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += ms / 1000;
	at.tv_nsec += ms % 1000 * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_sec++;
		at.tv_nsec -= 1000000000;
	}
	return pthread_cond_timedwait(c, lock, &at);
}

#endif
