/* journal -- the audit table's writer: group commit without a writer thread, and two threads for what has a deadline.
 *
 * A caller queues its row. A caller that finds no writer becomes the leader: it commits all rows in the queue in one
 * transaction, with the lock released, and then wakes their callers and the next leader. A caller alone commits its own row
 * without a switch of threads; under load the groups grow by themselves.
 *
 * The syncer brings the write-ahead log to disk AG_JOURNAL_SYNC_MS after the first commit that is not there. The keeper
 * writes the first rows of calls that run for AG_JOURNAL_BEGAN_MS, and the rows that a failing store refused. Both sleep
 * without a limit while there is nothing to do, and under load wake by the clock: a call rarely has to wake them.
 *
 * Invariant: only who has set is_writing uses j->store and j->group; ag_store_sync() may run beside it. Rows are committed
 * in the order in which they were queued, so the first row of a call precedes its last one.
 * Read ag_journal_end(), commit_group(), then keeper(). */
#include "project/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/fault.h"
#include "base/log.h"
#include "project/audit_row.h"
#include "run/owner.h"
#include "store/identity.h"

#define ORIGIN "project.journal"

#define FIRST_ROWS      32u
#define MAX_GROUP_BYTES (4u << 20) /* texts of one transaction */
#define MAX_WAITING_BYTES \
	(32u << 20) /* texts of all rows that are kept: 20,000 rows of 16 KB would be 320 MB */
#define STUCK_MS       1000 /* a commit that takes longer counts as failed */
#define PATIENCE_MS    5000 /* for the locks of other processes: a call waits for its row this long */
#define FIRST_RETRY_MS 100
#define MAX_RETRY_MS   2000
#define MAX_FIRST_ROWS 256u
/* A commit costs 35 us of processor whatever its size, a statement about as much. So a row waits a moment for those of calls
 * that began just now; of a call that is older nobody knows when it ends. */
#define SIBLING_US  1000
#define GATHER_US   150
#define STACK_BYTES (512u << 10) /* SQLite needs less than a tenth */

/* Rows of one caller in the queue; on the caller's stack. */
typedef struct item {
	struct item *next;
	ag_ledger_row *rows; /* clean; one, or first rows */
	ag_journal_call **
		calls; /* these are first rows, whose commit sets began_seq of the calls; else NULL */
	size_t n, nbyte;
	bool is_picked, is_done;
	ag_status st;
	pthread_cond_t changed; /* is_done, or it is this caller's turn to lead */
} item;

/* Rows that the store refused, with copies of their texts. */
typedef struct batch {
	struct batch *next;
	size_t n, cap, nbyte;
	ag_ledger_row *rows;
	ag_arena *texts;
} batch;

typedef struct helper {
	pthread_t thread;
	pthread_cond_t wake;
	bool is_started, is_asleep; /* asleep: until somebody wakes it */
	bool must_end;
} helper;

struct ag_journal {
	ag_store *store;
	ag_arena *arena;
	ag_str owner; /* this process, in first rows */
	ag_journal_sync sync;
	bool has_disk; /* a store in memory is not synced */

	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t
		idle; /* is_writing became false, or a first row was written; when nidle > 0 */
	pthread_cond_t done; /* for flush: rows were written or synced, or an attempt failed */
	unsigned nidle;
	item *queue, **queue_end;
	bool is_writing;
	ag_ledger_row *group; /* of the leader */
	size_t group_cap;
	ag_journal_stats stats;

	helper keeper;
	ag_journal_call
		calls; /* head of the list of calls without a first row: next is the oldest, prev the youngest */
	bool is_active; /* a call began since the keeper looked */
	batch *kept, *kept_last;
	size_t nkept, nkept_bytes, nlost;
	int64_t retry_at_ms, retry_ms;

	helper syncer;
	int64_t dirty_ms; /* monotonic: the first commit that is not on disk; 0 = all are */
	uint64_t nsynced; /* rows on disk, of stats.nrow */

	unsigned nflush;
	uint64_t nfailed; /* attempts to write or to sync */
	bool is_logged;   /* that the store fails */
	ag_err why;       /* of the last one */

	atomic_bool has_failed, has_unsynced;
	_Atomic int64_t attempt_ms; /* monotonic: since when a commit runs; 0 = none does */
};

static int64_t now_ms(void)
{
	return ag_clock_mono(&ag_clock_system);
}

static void init_cond(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

/* At most until the monotonic time; false when that has come. */
static bool wait_until_us(ag_journal *j, pthread_cond_t *cond, int64_t us)
{
	struct timespec t = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };

	return pthread_cond_timedwait(cond, &j->lock, &t) != ETIMEDOUT;
}

static bool wait_until(ag_journal *j, pthread_cond_t *cond, int64_t ms)
{
	return wait_until_us(j, cond, ms * 1000);
}

static bool is_stuck(ag_journal *j)
{
	const int64_t since_ms = atomic_load_explicit(&j->attempt_ms, memory_order_relaxed);

	return since_ms && now_ms() - since_ms >= STUCK_MS;
}

bool ag_journal_is_whole(ag_journal *j)
{
	return !atomic_load_explicit(&j->has_failed, memory_order_relaxed) &&
	       !atomic_load_explicit(&j->has_unsynced, memory_order_relaxed) && !is_stuck(j);
}

/* --- rows that wait for a store that works; under the lock --- */

/* Returns the next one. */
static batch *batch_free(batch *b)
{
	batch *next = b->next;

	ag_arena_free(b->texts);
	free(b->rows);
	free(b);
	return next;
}

static batch *batch_for(ag_journal *j, size_t nbyte)
{
	batch *b = j->kept_last;

	if (!b || b->n == AG_LEDGER_MAX_GROUP || b->nbyte + nbyte > MAX_GROUP_BYTES) {
		b = ag_xcalloc(1, sizeof(*b));
		b->texts = ag_arena_new();
		if (j->kept_last)
			j->kept_last->next = b;
		else
			j->kept = b;
		j->kept_last = b;
	}
	if (b->n == b->cap) {
		b->cap = b->cap ? 2 * b->cap : FIRST_ROWS;
		b->rows = ag_xrealloc(b->rows, b->cap * sizeof(*b->rows));
	}
	return b;
}

static void wake(helper *h)
{
	if (h->is_asleep) {
		h->is_asleep = false;
		pthread_cond_signal(&h->wake);
	}
}

/* False: there is no room, the row is lost. The caller is not going to be answered with data, and the row says so. */
static bool keep_row(ag_journal *j, const ag_ledger_row *row, size_t nbyte)
{
	batch *b;
	ag_ledger_row *r;

	if (j->nkept >= AG_JOURNAL_MAX_WAITING || j->nkept_bytes + nbyte > MAX_WAITING_BYTES) {
		j->nlost++;
		return false;
	}
	b = batch_for(j, nbyte);
	r = &b->rows[b->n++];
	*r = *row;
	ag_audit_row_dup(r, b->texts);
	if (ag_str_eqc(r->outcome, "ok")) {
		r->outcome = AG_S("UNAVAILABLE");
		if (!r->detail.len)
			r->detail = AG_S("the answer was withheld");
	}
	b->nbyte += nbyte;
	j->nkept_bytes += nbyte;
	j->nkept++;
	if (!atomic_exchange(&j->has_failed, true))
		j->retry_at_ms = now_ms() + FIRST_RETRY_MS;
	wake(&j->keeper);
	return true;
}

/* --- groups; under the lock --- */

static void wait_idle(ag_journal *j)
{
	j->nidle++;
	pthread_cond_wait(&j->idle, &j->lock);
	j->nidle--;
}

/* Into the list after `before`: j->calls.prev for a call that begins. */
static void list_call(ag_journal_call *call, ag_journal_call *before)
{
	call->prev = before;
	call->next = before->next;
	before->next->prev = call;
	before->next = call;
}

static void unlist_call(ag_journal_call *call)
{
	if (!call->next)
		return;
	call->prev->next = call->next;
	call->next->prev = call->prev;
	call->next = call->prev = NULL;
}

static ag_journal_call *oldest(ag_journal *j)
{
	return j->calls.next == &j->calls ? NULL : j->calls.next;
}

/* Is another call under way that is likely to end soon, because it just began? */
static bool has_sibling(const ag_journal *j)
{
	return j->calls.prev != &j->calls &&
	       ag_time_mono_us() - j->calls.prev->began_us < SIBLING_US;
}

/* Takes items from the queue and copies their rows to j->group, *ret of them. */
static item *pick_group(ag_journal *j, size_t *ret)
{
	item *first = j->queue, *last = NULL;
	size_t n = 0, nbyte = 0;

	for (item *it = first; it; it = it->next) {
		if (last &&
		    (n + it->n > AG_LEDGER_MAX_GROUP || nbyte + it->nbyte > MAX_GROUP_BYTES))
			break;
		if (n + it->n > j->group_cap) {
			j->group_cap = n + it->n > 2 * j->group_cap ? n + it->n : 2 * j->group_cap;
			j->group = ag_xrealloc(j->group, j->group_cap * sizeof(*j->group));
		}
		memcpy(j->group + n, it->rows, it->n * sizeof(*j->group));
		n += it->n;
		nbyte += it->nbyte;
		it->is_picked = true;
		last = it;
	}
	AG_ASSERT(last);
	j->queue = last->next;
	if (!j->queue)
		j->queue_end = &j->queue;
	last->next = NULL;
	*ret = n;
	return first;
}

static void set_committed(ag_journal *j, size_t n)
{
	j->stats.nrow += n;
	j->stats.ngroup++;
	if (j->sync == AG_JOURNAL_FULL || !j->has_disk) {
		j->nsynced = j->stats.nrow;
	} else if (!j->dirty_ms) {
		j->dirty_ms = now_ms();
		wake(&j->syncer);
	}
}

/* First rows have their numbers, which are those from `at` of j->group on; or their calls wait for another attempt. */
static void finish_first_rows(ag_journal *j, const item *it, size_t at, ag_status st)
{
	for (size_t i = it->n; i-- > 0;) {
		it->calls[i]->is_writing = false;
		if (st)
			list_call(it->calls[i], &j->calls);
		else
			it->calls[i]->began_seq = j->group[at + i].seq;
	}
}

/* The items of a list are done: their rows are j->group, or were refused. */
static void finish(ag_journal *j, item *list, ag_status st)
{
	size_t at = 0;

	for (item *it = list, *next; it; it = next) {
		next = it->next;
		it->st = st;
		if (it->calls) {
			finish_first_rows(j, it, at, st);
		} else if (st) {
			it->st = keep_row(j, &it->rows[0], it->nbyte) ? AG_UNAVAILABLE : AG_LIMIT;
		}
		at += it->n;
		it->is_done = true;
		pthread_cond_signal(&it->changed);
	}
	if (j->nidle)
		pthread_cond_broadcast(&j->idle);
}

/* Commits the next group of the queue. The lock is released meanwhile. */
static void commit_group(ag_journal *j)
{
	ag_err why = { 0 };
	size_t n;
	item *list = pick_group(j, &n);
	ag_status st;

	j->is_writing = true;
	atomic_store(&j->attempt_ms, now_ms());
	pthread_mutex_unlock(&j->lock);
	st = ag_store_ledger_append(j->store, j->group, n, j->sync == AG_JOURNAL_FULL, &why);
	if (st && !j->is_logged) /* is_writing guards it */
		ag_log(AG_LOG_ERROR, "journal_failed", "%s", why.msg);
	j->is_logged = st != AG_OK;
	pthread_mutex_lock(&j->lock);
	atomic_store(&j->attempt_ms, 0);
	j->is_writing = false;
	if (st) {
		j->why = why;
		j->nfailed++;
		j->retry_at_ms = now_ms() + FIRST_RETRY_MS;
	} else {
		set_committed(j, n);
	}
	finish(j, list, st);
	if (st && j->queue) { /* what waits would fail as well, each after its own time */
		list = j->queue;
		j->queue = NULL;
		j->queue_end = &j->queue;
		finish(j, list, st);
	} else if (j->queue) {
		pthread_cond_signal(&j->queue->changed);
	}
	if (j->nflush)
		pthread_cond_broadcast(&j->done);
}

static void leave_queue(ag_journal *j, item *it)
{
	item **at = &j->queue;

	while (*at != it)
		at = &(*at)->next;
	*at = it->next;
	if (!it->next)
		j->queue_end = at;
	it->next = NULL;
}

/* Until the rows of the item are committed or refused. */
static ag_status queue_and_wait(ag_journal *j, item *it)
{
	init_cond(&it->changed);
	*j->queue_end = it;
	j->queue_end = &it->next;
	/* The last of the calls that run at once commits for all of them. */
	if (!j->is_writing && !it->calls && has_sibling(j))
		wait_until_us(j, &it->changed, ag_time_mono_us() + GATHER_US);
	while (!it->is_done) {
		if (!j->is_writing) {
			commit_group(j);
		} else if (!wait_until(j, &it->changed, now_ms() + STUCK_MS) && !it->is_done &&
		           !it->is_picked && is_stuck(j)) {
			leave_queue(j, it);
			finish(j, it, AG_UNAVAILABLE);
		}
	}
	pthread_cond_destroy(&it->changed);
	return it->st;
}

/* --- the keeper: first rows, and rows that were refused; under the lock but while it writes --- */

/* The first rows of calls that run for long enough, or will before the next look. */
static void write_first_rows(ag_journal *j)
{
	ag_journal_call *calls[MAX_FIRST_ROWS];
	ag_ledger_row *rows = ag_xmalloc(MAX_FIRST_ROWS * sizeof(*rows));
	const int64_t due_us = ag_time_mono_us() - (AG_JOURNAL_BEGAN_MS - 4) * 1000;
	item it = { .rows = rows, .calls = calls };
	ag_arena *arena = NULL;

	for (ag_journal_call *call = oldest(j);
	     call && call->began_us <= due_us && it.n < MAX_FIRST_ROWS; call = oldest(j)) {
		unlist_call(call);
		call->is_writing =
			true; /* it does not end before this is false: its texts stay valid */
		calls[it.n] = call;
		rows[it.n] = call->row;
		rows[it.n].outcome = AG_S(AG_LEDGER_BEGAN);
		rows[it.n++].owner = j->owner;
	}
	pthread_mutex_unlock(&j->lock);
	for (size_t i = 0; i < it.n; i++)
		it.nbyte += ag_audit_row_clean(&rows[i], &arena);
	pthread_mutex_lock(&j->lock);
	AG_IGNORE(queue_and_wait(j, &it), "their calls are listed again, and retry_at_ms is set");
	ag_arena_free(arena);
	free(rows);
}

/* One batch of the rows that were refused; false when they are refused again. */
static bool write_kept(ag_journal *j)
{
	ag_err why = { 0 };
	batch *b;
	ag_status st;

	while (j->is_writing)
		wait_idle(j);
	b = j->kept;
	j->kept = b->next;
	if (!j->kept)
		j->kept_last = NULL;
	j->is_writing = true;
	pthread_mutex_unlock(&j->lock);
	st = ag_store_ledger_append(j->store, b->rows, b->n, j->sync == AG_JOURNAL_FULL, &why);
	if (!st)
		ag_log(AG_LOG_WARN, "journal_recovered", "the audit table is written again");
	j->is_logged = st != AG_OK;
	pthread_mutex_lock(&j->lock);
	j->is_writing = false;
	if (st) {
		b->next = j->kept;
		j->kept = b;
		if (!j->kept_last)
			j->kept_last = b;
		j->why = why;
		j->nfailed++;
		j->retry_ms = j->retry_ms ? 2 * j->retry_ms : FIRST_RETRY_MS;
		if (j->retry_ms > MAX_RETRY_MS)
			j->retry_ms = MAX_RETRY_MS;
		j->retry_at_ms = now_ms() + j->retry_ms;
	} else {
		j->nkept -= b->n;
		j->nkept_bytes -= b->nbyte;
		set_committed(j, b->n);
		batch_free(b);
		j->retry_ms = 0;
		if (!j->kept)
			atomic_store(&j->has_failed, false);
	}
	pthread_cond_broadcast(&j->done);
	if (j->queue)
		pthread_cond_signal(&j->queue->changed);
	return !st;
}

/* When the keeper has something to do next; INT64_MAX = nothing. */
static int64_t keeper_due_ms(ag_journal *j)
{
	int64_t first_ms;

	if (j->kept)
		return j->keeper.must_end ? 0 : j->retry_at_ms;
	if (!oldest(j))
		return INT64_MAX;
	first_ms = oldest(j)->began_us / 1000 + AG_JOURNAL_BEGAN_MS;
	if (!ag_journal_is_whole(j)) /* somebody is stuck in the store */
		first_ms = now_ms() + AG_JOURNAL_BEGAN_MS;
	return first_ms > j->retry_at_ms ? first_ms : j->retry_at_ms;
}

/* Until something is due. After a call began it wakes once more by the clock, so that the calls that begin meanwhile need
 * not wake it. */
static void keeper_sleep(ag_journal *j, int64_t due_ms)
{
	if (due_ms == INT64_MAX && j->is_active)
		due_ms = now_ms() + AG_JOURNAL_BEGAN_MS;
	j->is_active = false;
	if (due_ms < INT64_MAX) {
		wait_until(j, &j->keeper.wake, due_ms);
		return;
	}
	j->keeper.is_asleep = true;
	pthread_cond_wait(&j->keeper.wake, &j->lock);
	j->keeper.is_asleep = false;
}

static void *keeper(void *arg)
{
	ag_journal *j = arg;

	pthread_setname_np(pthread_self(), "journal"); /* as tools show it */
	pthread_mutex_lock(&j->lock);
	while (!j->keeper.must_end || j->kept) {
		const int64_t due_ms = keeper_due_ms(j);

		if (now_ms() < due_ms)
			keeper_sleep(j, due_ms);
		else if (!j->kept)
			write_first_rows(j);
		else if (!write_kept(j) && j->keeper.must_end)
			break;
	}
	pthread_mutex_unlock(&j->lock);
	return NULL;
}

/* --- the syncer; under the lock but while it syncs --- */

static void sync_once(ag_journal *j)
{
	const uint64_t nrow = j->stats.nrow;
	const bool was_failed = atomic_load(&j->has_unsynced);
	ag_err why = { 0 };
	ag_status st;

	j->dirty_ms = 0;
	pthread_mutex_unlock(&j->lock);
	st = ag_store_sync(j->store, &why);
	if (st && !was_failed)
		ag_log(AG_LOG_ERROR, "journal_unsynced", "%s", why.msg);
	pthread_mutex_lock(&j->lock);
	atomic_store(&j->has_unsynced, st != AG_OK);
	if (st) {
		j->dirty_ms = now_ms();
		j->why = why;
		j->nfailed++;
	} else {
		j->nsynced = nrow;
		j->stats.nsync++;
	}
	if (j->nflush)
		pthread_cond_broadcast(&j->done);
}

static void *syncer(void *arg)
{
	ag_journal *j = arg;

	pthread_setname_np(pthread_self(), "journal-sync");
	pthread_mutex_lock(&j->lock);
	while (!j->syncer.must_end || j->dirty_ms) {
		bool has_failed = atomic_load(&j->has_unsynced);

		if (!j->dirty_ms) {
			j->syncer.is_asleep = true;
			pthread_cond_wait(&j->syncer.wake, &j->lock);
			j->syncer.is_asleep = false;
		} else if (!j->syncer.must_end && (has_failed || !j->nflush) &&
		           wait_until(j, &j->syncer.wake,
		                      j->dirty_ms +
		                              (has_failed ? FIRST_RETRY_MS : AG_JOURNAL_SYNC_MS))) {
			continue; /* woken early: a flush, or the end */
		} else {
			sync_once(j);
			if (j->syncer.must_end && atomic_load(&j->has_unsynced))
				break;
		}
	}
	pthread_mutex_unlock(&j->lock);
	return NULL;
}

/* --- calls --- */

static ag_status start_helper(ag_journal *j, helper *h, void *(*run)(void *), ag_err *err)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int e;

	if (h->is_started)
		return AG_OK;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	sigfillset(&all); /* signals are for those who wait for them */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	e = ag_fault("thread.start") ? errno : pthread_create(&h->thread, &attr, run, j);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	h->is_started = e == 0;
	atomic_store(&j->has_failed, e != 0 || j->kept != NULL);
	if (!e)
		return AG_OK;
	ag_fail_errno(&j->why, e, ORIGIN, "cannot start a thread that writes the audit table");
	j->why.status = AG_UNAVAILABLE;
	if (err)
		*err = j->why;
	return AG_UNAVAILABLE;
}

static ag_status start(ag_journal *j, ag_err *err)
{
	ag_status st = start_helper(j, &j->keeper, keeper, err);

	if (!st && j->has_disk && j->sync == AG_JOURNAL_NORMAL)
		st = start_helper(j, &j->syncer, syncer, err);
	return st;
}

ag_status ag_journal_begin(ag_journal *j, ag_journal_call *call, const ag_ledger_row *row,
                           ag_err *err)
{
	ag_status st;

	*call = (ag_journal_call){ .row = *row, .began_us = ag_time_mono_us() };
	pthread_mutex_lock(&j->lock);
	st = start(j, err);
	if (!st) {
		list_call(call, j->calls.prev);
		j->is_active = true;
		wake(&j->keeper);
	}
	pthread_mutex_unlock(&j->lock);
	return st;
}

static ag_status refused(ag_journal *j, ag_status st, ag_err *err)
{
	ag_fail(err, AG_UNAVAILABLE, ORIGIN,
	        st == AG_LIMIT ? "the audit table cannot be written and no more rows fit: %s"
	                       : "the audit table cannot be written: %s",
	        j->why.msg[0] ? j->why.msg : "another process keeps the store locked");
	return ag_err_hint(err, "%s",
	                   j->why.hint[0] ? j->why.hint
	                                  : "free space on the disk of the store, or end what "
	                                    "keeps it locked");
}

ag_status ag_journal_end(ag_journal *j, ag_journal_call *call, const ag_ledger_row *row,
                         ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = NULL;
	ag_ledger_row clean = *row;
	item it = { .rows = &clean, .n = 1 };
	ag_status st;

	it.nbyte = ag_audit_row_clean(&clean, &arena);
	pthread_mutex_lock(&j->lock);
	/* Its first row may be on its way: the last one follows it, and has its number. */
	while (call && call->is_writing)
		wait_idle(j);
	if (call)
		unlist_call(call);
	clean.began = call ? call->began_seq : 0;
	st = start(j, err);
	if (st) {
		/* Nobody would write it later. */
		pthread_mutex_unlock(&j->lock);
		return st;
	}
	if (ag_journal_is_whole(j)) {
		st = queue_and_wait(j, &it);
	} else {
		st = keep_row(j, &clean, it.nbyte) ? AG_UNAVAILABLE : AG_LIMIT;
	}
	if (st)
		st = refused(j, st, err);
	pthread_mutex_unlock(&j->lock);
	return st;
}

/* --- the journal --- */

ag_status ag_journal_open(ag_str store_uri, ag_journal_sync sync, ag_journal **ret, ag_err *err)
{
	ag_store *store = NULL;
	ag_status st = ag_store_open(store_uri, &store, err);
	ag_journal *j;

	if (st)
		return st;
	ag_store_set_patience(store, PATIENCE_MS);
	j = ag_xcalloc(1, sizeof(*j));
	j->store = store;
	j->sync = sync;
	j->has_disk = ag_store_is_kept(store);
	j->arena = ag_arena_new();
	j->owner = ag_owner_new(&ag_clock_system, j->arena);
	j->queue_end = &j->queue;
	j->calls.next = j->calls.prev = &j->calls;
	pthread_mutex_init(&j->lock, NULL);
	init_cond(&j->idle);
	init_cond(&j->done);
	init_cond(&j->keeper.wake);
	init_cond(&j->syncer.wake);
	*ret = j;
	return AG_OK;
}

ag_journal_stats ag_journal_stats_of(ag_journal *j)
{
	ag_journal_stats ret;

	pthread_mutex_lock(&j->lock);
	ret = j->stats;
	pthread_mutex_unlock(&j->lock);
	return ret;
}

bool ag_journal_others(ag_journal *j, uint64_t *ret)
{
	return ag_store_others(j->store, ret);
}

ag_status ag_journal_flush(ag_journal *j, ag_err *err)
{
	ag_status st = AG_OK;
	uint64_t nfailed;

	pthread_mutex_lock(&j->lock);
	nfailed = j->nfailed;
	j->nflush++;
	if (j->kept)
		j->retry_at_ms = now_ms();
	pthread_cond_signal(&j->keeper.wake);
	pthread_cond_signal(&j->syncer.wake);
	while (!st && (j->kept || j->nsynced < j->stats.nrow)) {
		pthread_cond_wait(&j->done, &j->lock);
		if ((j->kept || j->nsynced < j->stats.nrow) && j->nfailed != nfailed) {
			if (err)
				*err = j->why;
			st = j->why.status;
		}
	}
	j->nflush--;
	pthread_mutex_unlock(&j->lock);
	return st;
}

static void end_helper(ag_journal *j, helper *h)
{
	pthread_mutex_lock(&j->lock);
	h->must_end = true;
	pthread_cond_signal(&h->wake);
	pthread_mutex_unlock(&j->lock);
	if (h->is_started)
		pthread_join(h->thread, NULL);
	pthread_cond_destroy(&h->wake);
}

ag_status ag_journal_close(ag_journal *j, ag_err *err)
{
	ag_status st = AG_OK;
	size_t nlost;

	if (!j)
		return AG_OK;
	end_helper(j, &j->keeper);
	end_helper(j, &j->syncer); /* after it: what the keeper wrote is synced */
	AG_ASSERT(!j->queue && !oldest(j));
	nlost = j->nkept + j->nlost;
	if (nlost) {
		st = j->why.status ? j->why.status : AG_IO;
		ag_fail(err, st, ORIGIN, "%zu calls could not be written to the audit table: %s",
		        nlost, j->why.msg);
		ag_err_hint(err, "%s", j->why.hint);
	}
	ag_log(AG_LOG_DEBUG, "journal", "%" PRIu64 " rows in %" PRIu64 " groups, %" PRIu64 " syncs",
	       j->stats.nrow, j->stats.ngroup, j->stats.nsync);
	while (j->kept)
		j->kept = batch_free(j->kept);
	ag_store_close(j->store);
	pthread_cond_destroy(&j->idle);
	pthread_cond_destroy(&j->done);
	pthread_mutex_destroy(&j->lock);
	ag_arena_free(j->arena);
	free(j->group);
	free(j);
	return st;
}
