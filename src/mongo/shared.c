/* shared -- one ag_mongo for all that open the same address at the same time, or one after another.
 *
 * A database of thousands of collections is opened collection by collection; connecting and logging in again for each would
 * take longer than to read them, and a server has better to do. `shared` is a global because what shares it knows nothing of
 * each other. The lock is held for no network access. */
#include "mongo/parts.h"

#include <stdlib.h>
#include <unistd.h>

static struct {
	pthread_mutex_t lock; /* of everything below, and of nuser, idle_since_ms and next */
	ag_mongo *all;
	pid_t process; /* the one that ends the idle ones when it exits; 0 = not asked for yet */
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int64_t now_ms(void)
{
	return ag_clock_mono(&ag_clock_system);
}

static bool is_fresh(const ag_mongo *m)
{
	return !atomic_load_explicit(&m->is_spoilt, memory_order_relaxed) &&
	       (m->nuser || now_ms() - m->idle_since_ms < AG_MONGO_KEEP_MS);
}

/* Takes out of the list, under the lock, those that nobody uses and, but for `keep`, nobody will. */
static ag_mongo *take_idle(const ag_mongo *keep)
{
	ag_mongo *taken = NULL, *m;

	for (ag_mongo **at = &shared.all; *at;) {
		m = *at;
		if (m->nuser || (keep && m == keep && is_fresh(m))) {
			at = &m->next;
			continue;
		}
		*at = m->next;
		m->next = taken;
		taken = m;
	}
	return taken;
}

static void free_list(ag_mongo *m)
{
	for (ag_mongo *next; m; m = next) {
		next = m->next;
		ag_mongo_free(m);
	}
}

/* So that a server is not left with sessions. A child that exits has none of its own. */
static void end_idle(void)
{
	ag_mongo *taken;

	pthread_mutex_lock(&shared.lock);
	taken = shared.process == getpid() ? take_idle(NULL) : NULL;
	pthread_mutex_unlock(&shared.lock);
	free_list(taken);
}

ag_status ag_mongo_open(const ag_mongo_address *a, ag_mongo **ret, ag_err *err)
{
	ag_mongo *m;
	ag_status st;

	pthread_mutex_lock(&shared.lock);
	m = shared.all;
	while (m && !(ag_str_eq(m->driver, a->driver) && is_fresh(m)))
		m = m->next;
	if (m)
		m->nuser++;
	pthread_mutex_unlock(&shared.lock);
	*ret = m;
	if (m)
		return AG_OK;
	st = ag_mongo_make(a, &m, err);
	if (st)
		return st;
	pthread_mutex_lock(&shared.lock);
	m->nuser = 1;
	m->next = shared.all;
	shared.all = m;
	if (!shared.process && !atexit(end_idle))
		shared.process = getpid();
	pthread_mutex_unlock(&shared.lock);
	*ret = m;
	return AG_OK;
}

ag_mongo *ag_mongo_close(ag_mongo *m)
{
	ag_mongo *taken;

	if (!m)
		return NULL;
	pthread_mutex_lock(&shared.lock);
	m->nuser--;
	m->idle_since_ms = now_ms();
	taken = take_idle(m);
	pthread_mutex_unlock(&shared.lock);
	free_list(taken);
	return NULL;
}
