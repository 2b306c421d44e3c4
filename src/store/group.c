/* group -- see the header. Who finds nobody at work leads: it takes what waits, does it, and wakes whom it did it for. */
#include "store/group.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "base/time.h"
#include "store/parts.h"

#define MAX_MEMBERS \
	64u /* transactions in one: a group that fails is done again, and a lock is not held for long */
/* While another process keeps the store locked, the group looks this often whether a member lost its patience. */
#define SLICE_MS 200

typedef struct member {
	struct member *next;
	ag_db_begin_kind kind;
	ag_str scope;
	ag_db_work *work;
	void *arg;
	ag_err *err;
	int64_t until_ms; /* of its patience */
	ag_status st;
	bool is_done;
	sem_t wake; /* posted once: it is done, or it leads. Who is woken needs no lock */
} member;

struct ag_store_group {
	ag_db_pool *pool; /* connections of the handles */
	ag_db *db; /* of the leader; NULL: the database takes many writers, each writes itself */
	pthread_mutex_t lock;
	bool has_leader;
	member *queue, **end;
	atomic_uint_fast64_t nright; /* changes of who may do what */
};

static int64_t now_ms(void)
{
	return ag_clock_mono(&ag_clock_system);
}

/* --- the work --- */

/* Nobody waits for longer than the least patient member. */
static void set_slice(ag_store_group *g, const member *first)
{
	const int64_t now = now_ms();
	int64_t ms = SLICE_MS;

	for (const member *m = first; m; m = m->next)
		ms = m->until_ms - now < ms ? m->until_ms - now : ms;
	g->db->type->set_patience(g->db, ms > 1 ? (unsigned)ms : 1);
}

static void end_member(member *m, ag_status st, const ag_err *why)
{
	m->st = st;
	m->is_done = true;
	if (st && m->err)
		*m->err = *why;
}

/* Another process has the store locked. A caller whose time is up gets that error; the others keep waiting. */
static void give_up_some(member *first, ag_status st, const ag_err *why)
{
	const int64_t now = now_ms();

	for (member *m = first; m; m = m->next) {
		if (!m->is_done && now >= m->until_ms)
			end_member(m, st, why);
	}
}

/* False: the store is locked. */
static bool do_alone(ag_store_group *g, member *m)
{
	ag_err why = { 0 };
	ag_status st = ag_db_begin(g->db, m->kind, m->scope, &why);

	if (st == AG_UNAVAILABLE) {
		give_up_some(m, st, &why);
		return false;
	}
	if (!st)
		st = ag_db_end(g->db, m->work(g->db, m->arg, false, &why), &why);
	end_member(m, st, &why);
	return true;
}

/* One transaction for all. AG_OK: they are done; AG_UNAVAILABLE: the store is locked; else nothing of it is kept. */
static ag_status do_together(ag_store_group *g, member *first)
{
	ag_db_begin_kind kind = first->kind;
	ag_err why = { 0 };
	ag_status st;

	for (const member *m = first; m; m = m->next)
		kind = m->kind > kind ? m->kind : kind;
	st = ag_db_begin(g->db, kind, first->scope, &why);
	if (st == AG_UNAVAILABLE) {
		give_up_some(first, st, &why);
		return st;
	}
	for (member *m = first; m && !st; m = m->next)
		st = m->work(g->db, m->arg, false, &why);
	if (ag_db_end(g->db, st, NULL))
		return AG_INTERNAL; /* whatever it was: each does it again, alone */
	for (member *m = first; m; m = m->next)
		end_member(m, AG_OK, NULL);
	return AG_OK;
}

/* Those that are not done afterwards wait for another process. */
static void do_all(ag_store_group *g, member *first)
{
	ag_status st = AG_INTERNAL;

	set_slice(g, first);
	if (first->next)
		st = do_together(g, first);
	for (member *m = first; m && st == AG_INTERNAL; m = m->next) {
		if (!do_alone(g, m))
			break;
	}
}

/* --- the queue; with the lock --- */

/* m stays where it is until it is done. True: it leads. */
static bool add_member(ag_store_group *g, member *m)
{
	const bool leads = !g->has_leader;

	*g->end = m;
	g->end = &m->next;
	g->has_leader = true;
	return leads;
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

/* In front of the queue, in their order. */
static void put_back(ag_store_group *g, member *first, member *last)
{
	last->next = g->queue;
	if (!g->queue)
		g->end = &last->next;
	g->queue = first;
}

/* Does what is in the members decide what a token may do? Of these it is known that it does not. */
static bool may_change_rights(const member *m)
{
	static const char *const harmless[] = { "ledger", "threads", "rates", "objects",
		                                "artifacts" };
	ag_id run;

	for (size_t i = 0; i < AG_NELEM(harmless); i++) {
		if (ag_str_eqc(m->scope, harmless[i]))
			return false;
	}
	return !ag_id_parse(m->scope, &run);
}

/* Without the lock: wakes whom it was done for. Returns those that are not done, *ret_last is the last of them. */
static member *wake_members(ag_store_group *g, member *first, const member *but, member **ret_last)
{
	member *left = NULL, **end = &left;

	for (member *m = first, *next; m; m = next) {
		next = m->next; /* m is gone as soon as its thread is woken */
		if (!m->is_done) {
			*end = m;
			end = &m->next;
			*ret_last = m;
			continue;
		}
		if (!m->st && may_change_rights(m))
			atomic_fetch_add(&g->nright, 1);
		if (m != but)
			sem_post(&m->wake);
	}
	*end = NULL;
	return left;
}

/* Leads until its own work is done; then the first member of the queue leads. */
static void lead(ag_store_group *g, const member *self)
{
	member *next;

	pthread_mutex_lock(&g->lock);
	while (!self->is_done) {
		member *first = take_members(g), *last = NULL;

		pthread_mutex_unlock(&g->lock);
		do_all(g, first);
		first = wake_members(g, first, self, &last);
		pthread_mutex_lock(&g->lock);
		if (first)
			put_back(g, first, last);
	}
	next = g->queue;
	g->has_leader = next != NULL;
	pthread_mutex_unlock(&g->lock);
	if (next)
		sem_post(&next->wake);
}

ag_status ag_db_group_transact(ag_db *db, ag_db_begin_kind kind, ag_str scope, ag_db_work *work,
                               void *arg, ag_err *err)
{
	ag_store_group *g = db->group;
	const unsigned patience_ms = db->patience_ms ? db->patience_ms : AG_STORE_PATIENCE_MS;
	member self = { .kind = kind,
		        .scope = scope,
		        .work = work,
		        .arg = arg,
		        .err = err,
		        .until_ms = now_ms() + patience_ms };
	bool leads;

	sem_init(&self.wake, 0, 0);
	pthread_mutex_lock(&g->lock);
	leads = add_member(g, &self);
	pthread_mutex_unlock(&g->lock);
	while (!leads && sem_wait(&self.wake) && errno == EINTR)
		;
	if (!self.is_done)
		lead(g, &self);
	sem_destroy(&self.wake);
	return self.st;
}

bool ag_db_group_others(ag_store_group *g, uint64_t *ret)
{
	uint64_t n = 0;

	if (!g->db->type->others(g->db, &n))
		return false;
	*ret = n + atomic_load(&g->nright);
	return true;
}

/* --- the group --- */

ag_status ag_store_group_open(ag_str uri, ag_store_group **ret, ag_err *err)
{
	ag_db *db = NULL, *writer = NULL;
	ag_store_group *g;
	ag_status st = ag_db_open(uri, &db, err);

	if (!st && db->type->has_one_writer)
		st = ag_db_open(uri, &writer, err);
	if (st) {
		ag_db_close(db);
		return st;
	}
	g = ag_xcalloc(1, sizeof(*g));
	g->pool = ag_db_pool_new(uri, db);
	g->db = writer;
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
	ag_db_pool_free(g->pool);
	ag_db_close(g->db);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

void ag_store_join(ag_store *s, ag_store_group *g)
{
	s->db->group = g && g->db ? g : NULL;
}

ag_store *ag_store_of_group(ag_store_group *g)
{
	ag_store *s = ag_xcalloc(1, sizeof(*s));

	s->db = ag_db_pool_handle(g->pool);
	ag_store_join(s, g);
	return s;
}
