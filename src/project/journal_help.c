/* The journal's threads, for what has a deadline.
 *
 * The syncer brings the write-ahead log to disk AG_JOURNAL_SYNC_MS after the first commit that is not there. The keeper
 * writes the first rows of calls that run for AG_JOURNAL_BEGAN_MS, rows that were put off and that nobody settled, and the
 * rows that a failing store refused. Both sleep
 * without a limit while there is nothing to do, and under load wake by the clock: a call rarely has to wake them. */
#include "project/journal_parts.h"

#include <stdlib.h>

#include "base/log.h"
#include "project/audit_row.h"

#define MAX_RETRY_MS   2000
#define MAX_FIRST_ROWS 256u
#define PUT_OFF_MS     4 /* a row that was put off waits no longer */

/* --- the keeper: first rows, and rows that were refused; under the lock but while it writes --- */

/* The first rows of calls that run for long enough, or will before the next look. */
static void write_first_rows(ag_journal *j)
{
	ag_journal_call *calls[MAX_FIRST_ROWS];
	ag_ledger_row *rows = ag_xmalloc(MAX_FIRST_ROWS * sizeof(*rows));
	const int64_t due_us = ag_time_mono_us() - (AG_JOURNAL_BEGAN_MS - 4) * 1000;
	ag_journal_item it = { .rows = rows, .calls = calls };
	ag_arena *arena = NULL;

	for (ag_journal_call *call = ag_journal_oldest(j);
	     call && call->began_us <= due_us && it.n < MAX_FIRST_ROWS;
	     call = ag_journal_oldest(j)) {
		ag_journal_unlist_call(call);
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
	AG_IGNORE(ag_journal_queue_and_wait(j, &it),
	          "their calls are listed again, and retry_at_ms is set");
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
		ag_journal_wait_idle(j);
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
		j->retry_ms = j->retry_ms ? 2 * j->retry_ms : AG_JOURNAL_FIRST_RETRY_MS;
		if (j->retry_ms > MAX_RETRY_MS)
			j->retry_ms = MAX_RETRY_MS;
		j->retry_at_ms = ag_journal_now_ms() + j->retry_ms;
	} else {
		j->nkept -= b->n;
		j->nkept_bytes -= b->nbyte;
		ag_journal_set_committed(j, b->n);
		ag_journal_batch_free(b);
		j->retry_ms = 0;
		if (!j->kept)
			atomic_store(&j->has_failed, false);
	}
	pthread_cond_broadcast(&j->done);
	if (j->queue && j->queue->is_waited_for)
		pthread_cond_signal(&j->queue->changed);
	return !st;
}

/* Their threads commit them, unless all are in handlers that take long, or in a commit that does not end. */
static int64_t put_off_due_ms(ag_journal *j)
{
	return atomic_load(&j->put_off_us) / 1000 +
	       (j->is_writing ? AG_JOURNAL_STUCK_MS + 1 : PUT_OFF_MS);
}

static void settle_late_ones(ag_journal *j)
{
	if (!j->is_writing)
		ag_journal_lead(j);
	else if (ag_journal_is_stuck(j))
		ag_journal_give_up(j);
	else
		ag_journal_wait_until(j, &j->keeper.wake, ag_journal_now_ms() + PUT_OFF_MS);
}

/* When the keeper has something to do next; INT64_MAX = nothing. */
static int64_t keeper_due_ms(ag_journal *j)
{
	int64_t first_ms;

	if (atomic_load(&j->put_off_us))
		return put_off_due_ms(j);
	if (j->kept)
		return j->keeper.must_end ? 0 : j->retry_at_ms;
	if (!ag_journal_oldest(j))
		return INT64_MAX;
	first_ms = ag_journal_oldest(j)->began_us / 1000 + AG_JOURNAL_BEGAN_MS;
	if (!ag_journal_is_whole(j)) /* somebody is stuck in the store */
		first_ms = ag_journal_now_ms() + AG_JOURNAL_BEGAN_MS;
	return first_ms > j->retry_at_ms ? first_ms : j->retry_at_ms;
}

/* Until something is due. After a call began it wakes once more by the clock, so that the calls that begin meanwhile need
 * not wake it. */
static void keeper_sleep(ag_journal *j, int64_t due_ms)
{
	if (due_ms == INT64_MAX && j->is_active)
		due_ms = ag_journal_now_ms() + AG_JOURNAL_BEGAN_MS;
	j->is_active = false;
	if (due_ms < INT64_MAX) {
		ag_journal_wait_until(j, &j->keeper.wake, due_ms);
		return;
	}
	j->keeper.is_asleep = true;
	pthread_cond_wait(&j->keeper.wake, &j->lock);
	j->keeper.is_asleep = false;
}

void *ag_journal_keeper(void *arg)
{
	ag_journal *j = arg;

	pthread_setname_np(pthread_self(), "journal"); /* as tools show it */
	pthread_mutex_lock(&j->lock);
	while (!j->keeper.must_end || j->kept || j->queue) {
		const int64_t due_ms = keeper_due_ms(j);

		if (ag_journal_now_ms() < due_ms)
			keeper_sleep(j, due_ms);
		else if (atomic_load(&j->put_off_us))
			settle_late_ones(j);
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
		j->dirty_ms = ag_journal_now_ms();
		j->why = why;
		j->nfailed++;
	} else {
		j->nsynced = nrow;
		j->stats.nsync++;
	}
	if (j->nflush)
		pthread_cond_broadcast(&j->done);
}

void *ag_journal_syncer(void *arg)
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
		           ag_journal_wait_until(j, &j->syncer.wake,
		                                 j->dirty_ms + (has_failed
		                                                        ? AG_JOURNAL_FIRST_RETRY_MS
		                                                        : AG_JOURNAL_SYNC_MS))) {
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
