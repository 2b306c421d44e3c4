/* sql_thread -- the one thread with a stack that is deep enough for PostgreSQL's parser.
 *
 * The parser and the packing and unpacking of its tree recurse without a limit: 2 KB a level, one level for each token of
 * a chain like 1+1+1. Callers may run on 256 KB. */
#ifndef AG_GUARD_SQL_THREAD_H
#define AG_GUARD_SQL_THREAD_H

#include <pthread.h>

#include "base/arena.h"
#include "base/err.h"

typedef struct ag_sql_job {
	/* Runs on the thread. scratch is emptied afterwards. */
	void (*run)(struct ag_sql_job *job, ag_arena *scratch);
	bool was_deep; /* set by run: it needed much memory, which is to be given back */
	/* the thread's own */
	struct ag_sql_job *next;
	pthread_cond_t done;
	bool is_done;
} ag_sql_job;

/* Hands the job over and waits until it is done. Thread safe; jobs run one after another.
 * errors  AG_UNAVAILABLE: the thread cannot be made */
AG_CHECK ag_status ag_sql_thread_run(ag_sql_job *job, ag_err *err);

#endif
