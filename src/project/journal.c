/* journal -- the audit table's writer: calls begin, end, and have their rows committed before they are answered. Read
 * ag_journal_end(), then journal_group.c and journal_help.c. */
#include "project/journal_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#include "base/fault.h"
#include "base/log.h"
#include "project/audit_row.h"
#include "run/owner.h"
#include "store/identity.h"

#define ORIGIN "project.journal"

#define PATIENCE_MS 5000 /* for the locks of other processes: a call waits for its row this long */
#define STACK_BYTES (512u << 10) /* SQLite needs less than a tenth */

bool ag_journal_is_whole(ag_journal *j)
{
	return !atomic_load_explicit(&j->has_failed, memory_order_relaxed) &&
	       !atomic_load_explicit(&j->has_unsynced, memory_order_relaxed) &&
	       !ag_journal_is_stuck(j);
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
	ag_status st = start_helper(j, &j->keeper, ag_journal_keeper, err);

	if (!st && j->has_disk && j->sync == AG_JOURNAL_NORMAL)
		st = start_helper(j, &j->syncer, ag_journal_syncer, err);
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
		ag_journal_list_call(call, j->calls.prev);
		j->is_active = true;
		ag_journal_wake(&j->keeper);
	}
	pthread_mutex_unlock(&j->lock);
	return st;
}

/* The row is the last of its call. AG_OK: it may be queued. With the lock. */
static ag_status end_call(ag_journal *j, ag_journal_call *call, ag_journal_item *it, ag_err *err)
{
	/* Its first row may be on its way: the last one follows it, and has its number. */
	while (call && call->is_writing)
		ag_journal_wait_idle(j);
	if (call)
		ag_journal_unlist_call(call);
	it->rows[0].began = call ? call->began_seq : 0;
	return start(j, err);
}

ag_status ag_journal_end(ag_journal *j, ag_journal_call *call, const ag_ledger_row *row,
                         ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = NULL;
	ag_ledger_row clean = *row;
	ag_journal_item it = { .rows = &clean, .n = 1 };
	ag_status st;

	it.nbyte = ag_audit_row_clean(&clean, &arena);
	pthread_mutex_lock(&j->lock);
	st = end_call(j, call, &it, err);
	if (st) {
		/* Nobody would write it later. */
		pthread_mutex_unlock(&j->lock);
		return st;
	}
	if (ag_journal_is_whole(j)) {
		st = ag_journal_queue_and_wait(j, &it);
	} else {
		st = ag_journal_keep_row(j, &clean, it.nbyte) ? AG_UNAVAILABLE : AG_LIMIT;
	}
	if (st)
		st = ag_journal_refused(j, st, err);
	pthread_mutex_unlock(&j->lock);
	return st;
}
void ag_journal_put_off(ag_journal *j, ag_journal_call *call, const ag_ledger_row *row,
                        ag_journal_item *it,
                        void (*done)(void *arg, ag_status st, const ag_err *err), void *arg)
{
	ag_err err = { 0 };

	*it = (ag_journal_item){ .n = 1, .done = done, .arg = arg, .row = *row };
	it->rows = &it->row;
	it->nbyte = ag_audit_row_clean(&it->row, &it->texts);
	pthread_mutex_lock(&j->lock);
	it->st = end_call(j, call, it, &err);
	if (!it->st && ag_journal_is_whole(j)) {
		ag_journal_enqueue(j, it);
		pthread_mutex_unlock(&j->lock);
		return;
	}
	if (!it->st) {
		it->st = ag_journal_keep_row(j, &it->row, it->nbyte) ? AG_UNAVAILABLE : AG_LIMIT;
		it->st = ag_journal_refused(j, it->st, &err);
	}
	pthread_mutex_unlock(&j->lock);
	ag_arena_free(it->texts);
	done(arg, it->st, &err);
}

int64_t ag_journal_put_off_us(ag_journal *j)
{
	const int64_t since_us = atomic_load_explicit(&j->put_off_us, memory_order_relaxed);

	return since_us ? ag_time_mono_us() - since_us : -1;
}

void ag_journal_settle(ag_journal *j)
{
	pthread_mutex_lock(&j->lock);
	if (ag_journal_is_stuck(j))
		ag_journal_give_up(j);
	else
		ag_journal_lead(j);
	pthread_mutex_unlock(&j->lock);
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
	j->told_end = &j->told;
	j->calls.next = j->calls.prev = &j->calls;
	pthread_mutex_init(&j->lock, NULL);
	ag_journal_init_cond(&j->idle);
	ag_journal_init_cond(&j->done);
	ag_journal_init_cond(&j->keeper.wake);
	ag_journal_init_cond(&j->syncer.wake);
	*ret = j;
	return AG_OK;
}

void ag_journal_join(ag_journal *j, ag_store_group *group)
{
	ag_store_join(j->store, group);
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
	ag_journal_lead(j);
	if (j->kept)
		j->retry_at_ms = ag_journal_now_ms();
	pthread_cond_signal(&j->keeper.wake);
	pthread_cond_signal(&j->syncer.wake);
	while (!st && (j->nkept || j->nsynced < j->stats.nrow)) {
		pthread_cond_wait(&j->done, &j->lock);
		if ((j->nkept || j->nsynced < j->stats.nrow) && j->nfailed != nfailed) {
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
	AG_ASSERT(!j->queue && !ag_journal_oldest(j));
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
		j->kept = ag_journal_batch_free(j->kept);
	ag_store_close(j->store);
	pthread_cond_destroy(&j->idle);
	pthread_cond_destroy(&j->done);
	pthread_mutex_destroy(&j->lock);
	ag_arena_free(j->arena);
	free(j->group);
	free(j);
	return st;
}
