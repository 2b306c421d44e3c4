/* journal_parts -- what the files of the journal share. Private to them: journal.c (calls), journal_group.c (commits),
 * journal_help.c (the threads for what has a deadline).
 *
 * Invariant: only who has set is_writing uses j->store and j->group; ag_store_sync() may run beside it. Rows are committed
 * in the order in which they were queued, so the first row of a call precedes its last one. */
#ifndef AG_PROJECT_JOURNAL_PARTS_H
#define AG_PROJECT_JOURNAL_PARTS_H

#include "project/journal.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"

#define AG_JOURNAL_MAX_GROUP_BYTES (4u << 20) /* texts of one transaction */
#define AG_JOURNAL_FIRST_RETRY_MS  100
#define AG_JOURNAL_STUCK_MS        1000 /* a commit that takes longer counts as failed */

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
	ag_journal_item *queue, **queue_end;
	bool is_writing;
	ag_journal_item *told, **told_end; /* put off and done: their done() is called next */
	ag_ledger_row *group;              /* of the leader */
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
	_Atomic int64_t
		put_off_us; /* monotonic: since when the oldest row that was put off waits; 0 = none does */
	_Atomic int64_t attempt_ms; /* monotonic: since when a commit runs; 0 = none does */
};

static inline int64_t ag_journal_now_ms(void)
{
	return ag_clock_mono(&ag_clock_system);
}

/* All of the following: under the lock. */

/* --- journal_group.c --- */

void ag_journal_init_cond(pthread_cond_t *cond);
/* At most until the monotonic time; false when that has come. */
bool ag_journal_wait_until(ag_journal *j, pthread_cond_t *cond, int64_t ms);
bool ag_journal_is_stuck(ag_journal *j);
void ag_journal_wait_idle(ag_journal *j);
void ag_journal_wake(helper *h);
/* Returns the next one. */
batch *ag_journal_batch_free(batch *b);
/* False: there is no room, the row is lost. The caller is not going to be answered with data, and the row says so. */
bool ag_journal_keep_row(ag_journal *j, const ag_ledger_row *row, size_t nbyte);
/* Into the list after `before`: j->calls.prev for a call that begins. */
void ag_journal_list_call(ag_journal_call *call, ag_journal_call *before);
void ag_journal_unlist_call(ag_journal_call *call);
ag_journal_call *ag_journal_oldest(ag_journal *j);
void ag_journal_set_committed(ag_journal *j, size_t n);
void ag_journal_enqueue(ag_journal *j, ag_journal_item *it);
/* The items of a list are done: their rows are j->group, or were refused. */
void ag_journal_finish(ag_journal *j, ag_journal_item *list, ag_status st);
/* Until the rows of the item are committed or refused. */
ag_status ag_journal_queue_and_wait(ag_journal *j, ag_journal_item *it);
/* Commits what is queued, unless another thread does. The lock is released meanwhile. */
void ag_journal_lead(ag_journal *j);
/* What was put off and waits for a commit that does not end: refused. */
void ag_journal_give_up(ag_journal *j);
/* Tells those whose rows are done. The lock is released meanwhile. */
void ag_journal_tell(ag_journal *j);
/* Why a row is not committed. */
ag_status ag_journal_refused(ag_journal *j, ag_status st, ag_err *err);

/* --- journal_help.c: threads --- */

void *ag_journal_keeper(void *journal);
void *ag_journal_syncer(void *journal);

#endif
