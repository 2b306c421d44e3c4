/* cancel -- asks the server to end a statement, without waiting for its answer.
 *
 * PQcancel() opens a connection of its own, blocks, and has no deadline (libpq before 17). So a thread calls
 * it. A caller that stops waiting leaves the job to the thread, which frees it. */
#include "pg/parts.h"

#include <errno.h>
#include <stdlib.h>

#define STACK_BYTES (256u * 1024)

struct ag_pg_cancel {
	pthread_mutex_t lock;
	pthread_cond_t is_over;
	const ag_pq *pq;
	PGcancel *request;
	unsigned nref; /* the thread and the caller */
	bool is_sent, has_ended;
};

static void unref(ag_pg_cancel *job)
{
	unsigned left;

	pthread_mutex_lock(&job->lock);
	left = --job->nref;
	pthread_mutex_unlock(&job->lock);
	if (left > 0)
		return;
	job->pq->freeCancel(job->request);
	pthread_cond_destroy(&job->is_over);
	pthread_mutex_destroy(&job->lock);
	free(job);
}

static void *work(void *arg)
{
	ag_pg_cancel *job = (ag_pg_cancel *)arg;
	char error[256];
	bool is_sent = job->pq->cancel(job->request, error, sizeof(error)) != 0;

	pthread_mutex_lock(&job->lock);
	job->is_sent = is_sent;
	job->has_ended = true;
	pthread_cond_signal(&job->is_over);
	pthread_mutex_unlock(&job->lock);
	unref(job);
	return NULL;
}

ag_pg_cancel *ag_pg_cancel_start(ag_pg *pg, ag_pg_conn *c)
{
	ag_pg_cancel *job = (ag_pg_cancel *)ag_xcalloc(1, sizeof(*job));

	job->pq = pg->pq;
	job->nref = 2;
	job->request = pg->pq->getCancel(c->db);
	pthread_mutex_init(&job->lock, NULL);
	ag_pg_cond_init(&job->is_over);
	if (job->request && ag_pg_thread(pg, STACK_BYTES, work, job))
		return job;
	job->nref = 1;
	unref(job);
	return NULL;
}

bool ag_pg_cancel_is_over(ag_pg_cancel *job)
{
	bool is_over;

	pthread_mutex_lock(&job->lock);
	is_over = job->has_ended;
	pthread_mutex_unlock(&job->lock);
	return is_over;
}

bool ag_pg_cancel_end(ag_pg_cancel *job, int64_t deadline_us)
{
	struct timespec until = ag_pg_timespec(deadline_us);
	bool is_sent;

	pthread_mutex_lock(&job->lock);
	while (!job->has_ended) {
		if (pthread_cond_timedwait(&job->is_over, &job->lock, &until) == ETIMEDOUT)
			break;
	}
	is_sent = job->has_ended && job->is_sent;
	pthread_mutex_unlock(&job->lock);
	unref(job);
	return is_sent;
}
