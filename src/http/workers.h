/* workers -- threads for work that may block, of which only a few work at once while none is slow.
 *
 * A thread for every connection that is ready costs switches: each wakes, works for microseconds and sleeps again. Few
 * threads that find their next work waiting do not sleep (docs/decisions/0012 and 0027 have the measurements). So one more is
 * there only when those that are there have no time left. But work may block, in a database for seconds: so a worker that has
 * been at one piece of work for longer than a millisecond is slow, and does not count; another takes its place. A pacer looks,
 * once a millisecond while there is work. */
#ifndef AG_HTTP_WORKERS_H
#define AG_HTTP_WORKERS_H

#include "base/err.h"

typedef struct ag_workers ag_workers;
typedef struct ag_worker ag_worker;

typedef struct ag_workers_opts {
	unsigned nfast;  /* that work at once at most, beside slow ones; at least 1 */
	unsigned nleast; /* the same while these have time left; 0 = nfast */
	unsigned max;    /* threads, slow ones among them */
	size_t stack_bytes;
	/* On each worker's thread: made when it starts, given to every call, freed at its end. */
	void *(*open)(void *arg);
	void (*close)(void *own);
	/* Waits for work, calls ag_worker_busy, works, calls ag_worker_done, returns; false: there will be no more. A thread is
	 * sent to sleep between two calls, so that it must not keep work to itself. */
	bool (*turn)(void *own, ag_worker *self);
	/* Called by the pacer, once a millisecond while it paces. True: it goes on, also when no worker is at work. is_crowded: other
	 * programs want all cores, and nfast workers are there. NULL = none. */
	bool (*tick)(void *arg, bool is_crowded);
	void *arg;
} ag_workers_opts;

/* errors  AG_UNAVAILABLE: threads */
AG_CHECK ag_status ag_workers_start(const ag_workers_opts *o, ag_workers **ret, ag_err *err);
/* Around one piece of work; both cheap. */
void ag_worker_busy(ag_worker *w);
void ag_worker_done(ag_worker *w);
/* How many workers, of all of them, have been at one thing for more than a millisecond; up to a millisecond old. */
unsigned ag_worker_nslow(const ag_worker *w);
/* After turn() has begun to return false: waits until every thread has ended. Accepts NULL, returns NULL. */
ag_workers *ag_workers_stop(ag_workers *all);

#endif
