/* Handles that share the few connections of their group (store.h, ag_store_of_group()).
 *
 * Such a handle borrows a connection for each statement and each transaction, and holds none in between: a thousand
 * conversations that wait for a model keep no connection, no cache and no server process each. It is a driver like any other,
 * whose methods pass the call on; only what needs a connection of its own is refused. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/time.h"
#include "store/group.h"
#include "store/parts.h"

#define ORIGIN "store"
/* Of a server each is a process, but those that commit at the same time share one sync of its log. A file is written by one
 * connection for all; each of the others has a cache of 2 MB, and more readers than cores do not help. */
#define MAX_CONNECTIONS 32u
#define MAX_READERS     8u

struct ag_db_pool {
	ag_db_type type; /* of the handles: the database's own, with other methods */
	ag_db_words words;
	const ag_db_type *real;
	char *uri;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t given;
	ag_db *idle[MAX_CONNECTIONS];
	unsigned nidle, nopen, max;
};

typedef struct shared {
	ag_db base; /* first */
	ag_db_pool *pool;
	ag_db *held; /* in a transaction; NULL */
} shared;

/* --- connections --- */

/* With the lock. One whose patience is the same: for a server it is a setting of the session. */
static ag_db *take_idle(ag_db_pool *p, unsigned patience_ms)
{
	unsigned at = p->nidle - 1;
	ag_db *ret;

	for (unsigned i = p->nidle; i-- > 0;) {
		if (p->idle[i]->patience_ms == patience_ms) {
			at = i;
			break;
		}
	}
	ret = p->idle[at];
	p->nidle--;
	for (; at < p->nidle; at++)
		p->idle[at] = p->idle[at + 1];
	return ret;
}

static void after_ms(unsigned ms, struct timespec *ret)
{
	clock_gettime(CLOCK_REALTIME, ret);
	ret->tv_sec += ms / 1000;
	ret->tv_nsec += ms % 1000 * 1000000L;
	if (ret->tv_nsec >= 1000000000L) {
		ret->tv_sec++;
		ret->tv_nsec -= 1000000000L;
	}
}

/* An idle one, or NULL and the right to open one.
 * errors  AG_UNAVAILABLE: all are in use for as long as the handle has patience */
static ag_status take_place(ag_db_pool *p, unsigned patience_ms, const struct timespec *until,
                            ag_db **ret, ag_err *err)
{
	ag_status st = AG_OK;
	int rc = 0;

	*ret = NULL;
	pthread_mutex_lock(&p->lock);
	while (!p->nidle && p->nopen == p->max && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&p->given, &p->lock, until);
	if (p->nidle) {
		*ret = take_idle(p, patience_ms);
	} else if (p->nopen < p->max) {
		p->nopen++;
	} else {
		st = ag_fail(err, AG_UNAVAILABLE, ORIGIN,
		             "all connections to the store were busy for %u ms", patience_ms);
		ag_err_hint(err, "the store may be slow or away; try again later");
	}
	pthread_mutex_unlock(&p->lock);
	return st;
}

/* None could be opened: a server has a limit, too. True: an open one is idle now. */
static bool leave_place(ag_db_pool *p, const struct timespec *until)
{
	bool ret;
	int rc = 0;

	pthread_mutex_lock(&p->lock);
	p->nopen--;
	pthread_cond_signal(&p->given);
	while (!p->nidle && p->nopen && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&p->given, &p->lock, until);
	ret = p->nidle > 0;
	pthread_mutex_unlock(&p->lock);
	return ret;
}

static ag_status borrow(const shared *s, ag_db **ret, ag_err *err)
{
	const unsigned ms = s->base.patience_ms ? s->base.patience_ms : AG_STORE_PATIENCE_MS;
	struct timespec until;
	ag_db *db = NULL;
	ag_status st;

	after_ms(ms, &until);
	do {
		st = take_place(s->pool, ms, &until, &db, err);
		if (st)
			return st;
		if (!db)
			st = ag_db_open(ag_str_c(s->pool->uri), &db, err);
	} while (st && leave_place(s->pool, &until));
	if (st)
		return st;
	if (db->patience_ms != ms) {
		db->patience_ms = ms;
		s->pool->real->set_patience(db, ms);
	}
	*ret = db;
	return AG_OK;
}

static void give_back(ag_db_pool *p, ag_db *db)
{
	pthread_mutex_lock(&p->lock);
	p->idle[p->nidle++] = db;
	pthread_cond_signal(&p->given);
	pthread_mutex_unlock(&p->lock);
}

/* For one call: the connection of the transaction, else one of its own. */
static ag_status enter(ag_db *base, ag_db **ret, ag_err *err)
{
	const shared *s = (const shared *)base;

	*ret = s->held;
	return s->held ? AG_OK : borrow(s, ret, err);
}

static void leave(ag_db *base, ag_db *db)
{
	const shared *s = (const shared *)base;

	if (db != s->held)
		give_back(s->pool, db);
}

static void let_go(shared *s)
{
	if (s->held)
		give_back(s->pool, s->held);
	s->held = NULL;
}

/* --- the driver --- */

static ag_status shared_begin(ag_db *base, ag_db_begin_kind kind, ag_str scope, ag_err *err)
{
	shared *s = (shared *)base;
	ag_status st = borrow(s, &s->held, err);

	if (st)
		return st;
	st = s->pool->real->begin(s->held, kind, scope, err);
	if (st)
		let_go(s);
	return st;
}

static ag_status shared_commit(ag_db *base, ag_err *err)
{
	shared *s = (shared *)base;
	const ag_status st = s->pool->real->commit(s->held, err);

	if (!st)
		let_go(s);
	return st;
}

static void shared_rollback(ag_db *base)
{
	shared *s = (shared *)base;

	if (s->held)
		s->pool->real->rollback(s->held);
	let_go(s);
}

static ag_status shared_run(ag_db *base, const ag_sql *sql, ag_db_args args, ag_db_out *out,
                            ag_err *err)
{
	ag_db *db;
	ag_status st = enter(base, &db, err);

	if (st)
		return st;
	st = db->type->run(db, sql, args, out, err);
	leave(base, db);
	return st;
}

static ag_status shared_run_many(ag_db *base, const ag_sql *sql, ag_db_args args, size_t nrow,
                                 size_t *ret_unchanged, ag_err *err)
{
	ag_db *db;
	ag_status st = enter(base, &db, err);

	if (st)
		return st;
	st = db->type->run_many(db, sql, args, nrow, ret_unchanged, err);
	leave(base, db);
	return st;
}

static ag_status shared_put(ag_db *base, ag_db_args args, size_t nrow, ag_err *err)
{
	ag_db *db;
	ag_status st = enter(base, &db, err);

	if (st)
		return st;
	st = db->type->words->put(db, args, nrow, err);
	leave(base, db);
	return st;
}

static ag_status shared_mend(ag_db *base, const ag_err *why, ag_err *err)
{
	ag_db *db;
	ag_status st = enter(base, &db, err);

	if (st)
		return st;
	st = db->type->words->mend(db, why, err);
	leave(base, db);
	return st;
}

static ag_status shared_sync(ag_db *base, ag_err *err)
{
	ag_db *db;
	ag_status st = enter(base, &db, err);

	if (st)
		return st;
	st = db->type->sync(db, err);
	leave(base, db);
	return st;
}

static ag_status shared_version(ag_db *base, uint64_t *ret, ag_err *err)
{
	(void)base;
	(void)ret;
	return ag_fail(err, AG_INTERNAL, ORIGIN, "a shared handle knows no version of the store");
}

static bool shared_others(ag_db *base, uint64_t *ret)
{
	(void)base;
	(void)ret;
	return false;
}

static ag_status shared_tell(ag_db *base, ag_err *err)
{
	ag_db *db;
	ag_status st = enter(base, &db, err);

	if (st)
		return st;
	st = ag_db_tell(db, err);
	leave(base, db);
	return st;
}

static ag_status shared_now(ag_db *base, int64_t *ret, ag_err *err)
{
	ag_db *db;
	ag_status st = enter(base, &db, err);

	if (st)
		return st;
	st = db->type->now(db, ret, err);
	leave(base, db);
	return st;
}

static ag_status shared_wait(ag_db *base, int64_t ms, const atomic_bool *cancel, bool *ret_told,
                             ag_err *err)
{
	(void)base;
	(void)ms;
	(void)cancel;
	(void)ret_told;
	return ag_fail(err, AG_INTERNAL, ORIGIN, "a shared handle cannot wait for others");
}

static ag_status shared_check(ag_db *base, ag_arena *arena, ag_str **ret, size_t *nret, ag_err *err)
{
	ag_db *db;
	ag_status st = enter(base, &db, err);

	if (st)
		return st;
	st = db->type->check(db, arena, ret, nret, err);
	leave(base, db);
	return st;
}

static ag_status shared_purge_begin(ag_db *base, ag_err *err)
{
	(void)base;
	return ag_fail(err, AG_INTERNAL, ORIGIN, "a shared handle removes nothing");
}

static void shared_purge_end(ag_db *base, bool has_removed)
{
	(void)base;
	(void)has_removed;
}

static void shared_set_patience(ag_db *base, unsigned ms)
{
	base->patience_ms = ms; /* a connection learns of it when it is borrowed */
}

static void shared_close(ag_db *base)
{
	shared *s = (shared *)base;

	AG_ASSERT(!s->held);
	free(s);
}

static void fill_type(ag_db_pool *p)
{
	ag_db_type *t = &p->type;

	*t = *p->real;
	t->open = NULL; /* of a handle that is open, nobody asks for these three */
	t->has_store = NULL;
	t->migrate = NULL;
	t->close = shared_close;
	t->set_patience = shared_set_patience;
	t->begin = shared_begin;
	t->commit = shared_commit;
	t->rollback = shared_rollback;
	t->run = shared_run;
	t->run_many = shared_run_many;
	t->sync = shared_sync;
	t->version = shared_version;
	t->others = shared_others;
	t->tell = t->tell ? shared_tell : NULL;
	t->wait = shared_wait;
	t->now = t->now ? shared_now : NULL;
	t->check = shared_check;
	t->purge_begin = shared_purge_begin;
	t->purge_end = shared_purge_end;
	p->words = *t->words;
	p->words.put = p->words.put ? shared_put : NULL;
	p->words.mend = shared_mend;
	t->words = &p->words;
}

/* --- the pool --- */

ag_db_pool *ag_db_pool_new(ag_str uri, ag_db *first)
{
	ag_db_pool *p = (ag_db_pool *)ag_xcalloc(1, sizeof(*p));

	p->real = first->type;
	p->max = first->type->has_one_writer ? MAX_READERS : MAX_CONNECTIONS;
	p->uri = ag_xmalloc(uri.len + 1);
	memcpy(p->uri, uri.ptr, uri.len);
	p->uri[uri.len] = '\0';
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->given, NULL);
	p->idle[p->nidle++] = first;
	p->nopen = 1;
	fill_type(p);
	return p;
}

void ag_db_pool_free(ag_db_pool *p)
{
	AG_ASSERT(p->nidle == p->nopen);
	for (unsigned i = 0; i < p->nidle; i++)
		ag_db_close(p->idle[i]);
	pthread_cond_destroy(&p->given);
	pthread_mutex_destroy(&p->lock);
	free(p->uri);
	free(p);
}

ag_db *ag_db_pool_handle(ag_db_pool *p)
{
	shared *s = (shared *)ag_xcalloc(1, sizeof(*s));

	s->base.type = &p->type;
	s->pool = p;
	return &s->base;
}
