/* group -- see the header. Who finds nobody at work leads: it takes what waits, does it, and wakes whom it did it for. */
#include "store/group.h"

#include <pthread.h>
#include <stdlib.h>

#include "store/parts.h"

#define MAX_MEMBERS \
	64u /* transactions in one: a group that fails is done again, and a lock is not held for long */

typedef struct member {
	struct member *next;
	ag_db_begin_kind kind;
	ag_str scope;
	ag_db_work *work;
	void *arg;
	ag_err *err;
	ag_status st;
	bool is_done, leads;
	pthread_cond_t wake;
} member;

struct ag_store_group {
	ag_db *db; /* of the leader */
	pthread_mutex_t lock;
	bool has_leader;
	member *queue, **end;
};

/* --- the work --- */

static void do_alone(ag_store_group *g, member *m)
{
	m->st = ag_db_transact(g->db, m->kind, m->scope, m->work, m->arg, m->err);
}

/* One transaction for all. False: nothing of it is kept. */
static bool do_together(ag_store_group *g, member *first)
{
	ag_db_begin_kind kind = first->kind;
	ag_status st;

	for (const member *m = first; m; m = m->next)
		kind = m->kind > kind ? m->kind : kind;
	st = ag_db_begin(g->db, kind, first->scope, NULL);
	for (member *m = first; m && !st; m = m->next)
		st = m->st = m->work(g->db, m->arg, false, m->err);
	return !ag_db_end(g->db, st, NULL);
}

static void do_all(ag_store_group *g, member *first)
{
	if (first->next && do_together(g, first))
		return;
	for (member *m = first; m; m = m->next)
		do_alone(g, m);
}

/* --- the queue; with the lock --- */

/* m stays where it is until it is done. */
static void add_member(ag_store_group *g, member *m)
{
	*g->end = m;
	g->end = &m->next;
	m->leads = !g->has_leader;
	g->has_leader = true;
}

static member *take_members(ag_store_group *g)
{
	member *first = g->queue, *last = first;

	for (unsigned n = 1; last->next && n < MAX_MEMBERS; n++)
		last = last->next;
	g->queue = last->next;
	if (!g->queue)
		g->end = &g->queue;
	last->next = NULL;
	return first;
}

static void wake_members(member *first, const member *but)
{
	for (member *m = first, *next; m; m = next) {
		next = m->next; /* m is gone as soon as its thread sees that it is done */
		m->is_done = true;
		if (m != but)
			pthread_cond_signal(&m->wake);
	}
}

/* Leads until its own work is done; then the first member of the queue leads. */
static void lead(ag_store_group *g, const member *self)
{
	while (!self->is_done) {
		member *first = take_members(g);

		pthread_mutex_unlock(&g->lock);
		do_all(g, first);
		pthread_mutex_lock(&g->lock);
		wake_members(first, self);
	}
	g->has_leader = g->queue != NULL;
	if (g->queue) {
		g->queue->leads = true;
		pthread_cond_signal(&g->queue->wake);
	}
}

ag_status ag_db_group_transact(ag_store_group *g, ag_db_begin_kind kind, ag_str scope,
                               ag_db_work *work, void *arg, ag_err *err)
{
	member self = { .kind = kind, .scope = scope, .work = work, .arg = arg, .err = err };

	pthread_cond_init(&self.wake, NULL);
	pthread_mutex_lock(&g->lock);
	add_member(g, &self);
	while (!self.is_done && !self.leads)
		pthread_cond_wait(&self.wake, &g->lock);
	if (!self.is_done)
		lead(g, &self);
	pthread_mutex_unlock(&g->lock);
	pthread_cond_destroy(&self.wake);
	return self.st;
}

/* --- the group --- */

ag_status ag_store_group_open(ag_str uri, ag_store_group **ret, ag_err *err)
{
	ag_db *db = NULL;
	ag_store_group *g;
	ag_status st = ag_db_open(uri, &db, err);

	*ret = NULL;
	if (st)
		return st;
	if (!db->type->has_one_writer) {
		ag_db_close(db);
		return AG_OK;
	}
	g = ag_xcalloc(1, sizeof(*g));
	g->db = db;
	g->end = &g->queue;
	pthread_mutex_init(&g->lock, NULL);
	*ret = g;
	return AG_OK;
}

void ag_store_group_close(ag_store_group *g)
{
	if (!g)
		return;
	AG_ASSERT(!g->has_leader);
	ag_db_close(g->db);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

void ag_store_join(ag_store *s, ag_store_group *g)
{
	s->db->group = g;
}
