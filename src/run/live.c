/* live -- a list under a lock. A process has tens of runs at most, so a search is a walk. */
#include "run/live.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"

struct ag_live {
	pthread_mutex_t lock;
	ag_live_run *head;
};

ag_live *ag_live_new(void)
{
	ag_live *l = ag_xcalloc(1, sizeof(*l));

	pthread_mutex_init(&l->lock, NULL);
	return l;
}

ag_live *ag_live_free(ag_live *l)
{
	if (!l)
		return NULL;
	AG_ASSERT(!l->head);
	pthread_mutex_destroy(&l->lock);
	free(l);
	return NULL;
}

void ag_live_enter(ag_live *live, ag_live_run *run, const ag_id *id)
{
	*run = (ag_live_run){ .id = *id };
	if (!live)
		return;
	pthread_mutex_lock(&live->lock);
	run->next = live->head;
	run->prev = &live->head;
	if (live->head)
		live->head->prev = &run->next;
	live->head = run;
	pthread_mutex_unlock(&live->lock);
}

void ag_live_leave(ag_live *live, ag_live_run *run)
{
	if (!live)
		return;
	pthread_mutex_lock(&live->lock);
	*run->prev = run->next;
	if (run->next)
		run->next->prev = run->prev;
	pthread_mutex_unlock(&live->lock);
}

bool ag_live_cancel(ag_live *live, ag_str id)
{
	bool is_found = false;

	pthread_mutex_lock(&live->lock);
	for (ag_live_run *r = live->head; r; r = r->next) {
		if (!ag_str_eq(ag_id_str(&r->id), id))
			continue;
		atomic_store(&r->cancel, true);
		is_found = true;
	}
	pthread_mutex_unlock(&live->lock);
	return is_found;
}

size_t ag_live_cancel_all(ag_live *live)
{
	size_t n = 0;

	pthread_mutex_lock(&live->lock);
	for (ag_live_run *r = live->head; r; r = r->next, n++)
		atomic_store(&r->cancel, true);
	pthread_mutex_unlock(&live->lock);
	return n;
}
