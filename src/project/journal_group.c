/* Commits in groups, without a writer thread.
 *
 * A caller queues its row. A caller that finds no writer becomes the leader: it commits all rows in the queue in one
 * transaction, with the lock released, and then wakes their callers and the next leader. A caller alone commits its own row
 * without a switch of threads; under load the groups grow by themselves. A row that was put off has no thread that waits:
 * the leader calls its done() after the commit. Read ag_journal_lead(), commit_group(). */
#include "project/journal_parts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/log.h"
#include "project/audit_row.h"

#define ORIGIN "project.journal"

#define FIRST_ROWS 32u
#define MAX_WAITING_BYTES \
	(32u << 20) /* texts of all rows that are kept: 20,000 rows of 16 KB would be 320 MB */
/* A commit costs 35 us of processor whatever its size, a statement about as much. So a row waits a moment for those of calls
 * that began just now; of a call that is older nobody knows when it ends. */
#define SIBLING_US 1000
#define GATHER_US  150

void ag_journal_init_cond(pthread_cond_t *cond)
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

bool ag_journal_wait_until(ag_journal *j, pthread_cond_t *cond, int64_t ms)
{
	return wait_until_us(j, cond, ms * 1000);
}

bool ag_journal_is_stuck(ag_journal *j)
{
	const int64_t since_ms = atomic_load_explicit(&j->attempt_ms, memory_order_relaxed);

	return since_ms && ag_journal_now_ms() - since_ms >= AG_JOURNAL_STUCK_MS;
}

/* --- rows that wait for a store that works; under the lock --- */

/* Returns the next one. */
batch *ag_journal_batch_free(batch *b)
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

	if (!b || b->n == AG_LEDGER_MAX_GROUP || b->nbyte + nbyte > AG_JOURNAL_MAX_GROUP_BYTES) {
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

void ag_journal_wake(helper *h)
{
	if (h->is_asleep) {
		h->is_asleep = false;
		pthread_cond_signal(&h->wake);
	}
}

/* False: there is no room, the row is lost. The caller is not going to be answered with data, and the row says so. */
bool ag_journal_keep_row(ag_journal *j, const ag_ledger_row *row, size_t nbyte)
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
		j->retry_at_ms = ag_journal_now_ms() + AG_JOURNAL_FIRST_RETRY_MS;
	ag_journal_wake(&j->keeper);
	return true;
}
/* --- groups; under the lock --- */

void ag_journal_wait_idle(ag_journal *j)
{
	j->nidle++;
	pthread_cond_wait(&j->idle, &j->lock);
	j->nidle--;
}

/* Into the list after `before`: j->calls.prev for a call that begins. */
void ag_journal_list_call(ag_journal_call *call, ag_journal_call *before)
{
	call->prev = before;
	call->next = before->next;
	before->next->prev = call;
	before->next = call;
}

void ag_journal_unlist_call(ag_journal_call *call)
{
	if (!call->next)
		return;
	call->prev->next = call->next;
	call->next->prev = call->prev;
	call->next = call->prev = NULL;
}

ag_journal_call *ag_journal_oldest(ag_journal *j)
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
static ag_journal_item *pick_group(ag_journal *j, size_t *ret)
{
	ag_journal_item *first = j->queue, *last = NULL;
	size_t n = 0, nbyte = 0;

	for (ag_journal_item *it = first; it; it = it->next) {
		if (last && (n + it->n > AG_LEDGER_MAX_GROUP ||
		             nbyte + it->nbyte > AG_JOURNAL_MAX_GROUP_BYTES))
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
	if (!j->queue) {
		j->queue_end = &j->queue;
		atomic_store_explicit(&j->put_off_us, 0, memory_order_relaxed);
	}
	last->next = NULL;
	*ret = n;
	return first;
}

void ag_journal_set_committed(ag_journal *j, size_t n)
{
	j->stats.nrow += n;
	j->stats.ngroup++;
	if (j->sync == AG_JOURNAL_FULL || !j->has_disk) {
		j->nsynced = j->stats.nrow;
	} else if (!j->dirty_ms) {
		j->dirty_ms = ag_journal_now_ms();
		ag_journal_wake(&j->syncer);
	}
}

/* First rows have their numbers, which are those from `at` of j->group on; or their calls wait for another attempt. */
static void finish_first_rows(ag_journal *j, const ag_journal_item *it, size_t at, ag_status st)
{
	for (size_t i = it->n; i-- > 0;) {
		it->calls[i]->is_writing = false;
		if (st)
			ag_journal_list_call(it->calls[i], &j->calls);
		else
			it->calls[i]->began_seq = j->group[at + i].seq;
	}
}

/* The items of a list are done: their rows are j->group, or were refused. */
void ag_journal_finish(ag_journal *j, ag_journal_item *list, ag_status st)
{
	size_t at = 0;

	for (ag_journal_item *it = list, *next; it; it = next) {
		next = it->next;
		it->st = st;
		if (it->calls) {
			finish_first_rows(j, it, at, st);
		} else if (st) {
			it->st = ag_journal_keep_row(j, &it->rows[0], it->nbyte) ? AG_UNAVAILABLE
			                                                         : AG_LIMIT;
		}
		at += it->n;
		it->is_done = true;
		if (it->is_waited_for) {
			pthread_cond_signal(&it->changed);
			continue;
		}
		it->next = NULL;
		*j->told_end = it;
		j->told_end = &it->next;
	}
	if (j->nidle)
		pthread_cond_broadcast(&j->idle);
}

static ag_journal_item *take_queue(ag_journal *j)
{
	ag_journal_item *ret = j->queue;

	j->queue = NULL;
	j->queue_end = &j->queue;
	atomic_store_explicit(&j->put_off_us, 0, memory_order_relaxed);
	return ret;
}

/* Commits the next group of the queue. The lock is released meanwhile. */
static void commit_group(ag_journal *j)
{
	ag_err why = { 0 };
	size_t n;
	ag_journal_item *list = pick_group(j, &n);
	ag_status st;

	j->is_writing = true;
	atomic_store(&j->attempt_ms, ag_journal_now_ms());
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
		j->retry_at_ms = ag_journal_now_ms() + AG_JOURNAL_FIRST_RETRY_MS;
	} else {
		ag_journal_set_committed(j, n);
	}
	ag_journal_finish(j, list, st);
	if (st && j->queue) { /* what waits would fail as well, each after its own time */
		ag_journal_finish(j, take_queue(j), st);
	} else if (j->queue && j->queue->is_waited_for) {
		pthread_cond_signal(&j->queue->changed);
	}
	if (j->nflush)
		pthread_cond_broadcast(&j->done);
}

static void leave_queue(ag_journal *j, ag_journal_item *it)
{
	ag_journal_item **at = &j->queue;

	while (*at != it)
		at = &(*at)->next;
	*at = it->next;
	if (!it->next)
		j->queue_end = at;
	it->next = NULL;
}

void ag_journal_enqueue(ag_journal *j, ag_journal_item *it)
{
	it->next = NULL;
	*j->queue_end = it;
	j->queue_end = &it->next;
	if (it->is_waited_for || atomic_load_explicit(&j->put_off_us, memory_order_relaxed))
		return;
	atomic_store_explicit(&j->put_off_us, ag_time_mono_us(), memory_order_relaxed);
	ag_journal_wake(&j->keeper); /* of a call that began, it is awake */
}

ag_status ag_journal_queue_and_wait(ag_journal *j, ag_journal_item *it)
{
	ag_journal_init_cond(&it->changed);
	it->is_waited_for = true;
	ag_journal_enqueue(j, it);
	/* The last of the calls that run at once commits for all of them. */
	if (!j->is_writing && !it->calls && has_sibling(j))
		wait_until_us(j, &it->changed, ag_time_mono_us() + GATHER_US);
	while (!it->is_done) {
		if (!j->is_writing) {
			commit_group(j);
		} else if (!ag_journal_wait_until(j, &it->changed,
		                                  ag_journal_now_ms() + AG_JOURNAL_STUCK_MS) &&
		           !it->is_done && !it->is_picked && ag_journal_is_stuck(j)) {
			leave_queue(j, it);
			ag_journal_finish(j, it, AG_UNAVAILABLE);
		}
	}
	pthread_cond_destroy(&it->changed);
	ag_journal_tell(j);
	/* Its rows came while this thread was writing. Who puts the next one off goes on. */
	if (j->queue && !j->queue->is_waited_for && !j->is_writing) {
		commit_group(j);
		ag_journal_tell(j);
	}
	return it->st;
}

void ag_journal_lead(ag_journal *j)
{
	while (j->queue && !j->is_writing) {
		commit_group(j);
		ag_journal_tell(j);
	}
}

void ag_journal_give_up(ag_journal *j)
{
	for (ag_journal_item *it = j->queue, *next; it; it = next) {
		next = it->next;
		if (it->is_waited_for)
			continue;
		leave_queue(j, it);
		ag_journal_finish(j, it, AG_UNAVAILABLE);
	}
	atomic_store_explicit(&j->put_off_us, 0, memory_order_relaxed);
	ag_journal_tell(j);
}

ag_status ag_journal_refused(ag_journal *j, ag_status st, ag_err *err)
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

void ag_journal_tell(ag_journal *j)
{
	ag_journal_item *list = j->told;
	ag_err err = { 0 };

	if (!list)
		return;
	j->told = NULL;
	j->told_end = &j->told;
	for (const ag_journal_item *it = list; it && !err.status; it = it->next)
		if (it->st)
			AG_IGNORE(ag_journal_refused(j, it->st, &err), "each is given it");
	pthread_mutex_unlock(&j->lock);
	for (ag_journal_item *it = list, *next; it; it = next) {
		next = it->next;
		ag_arena_free(it->texts);
		it->done(it->arg, it->st ? err.status : AG_OK, &err);
	}
	pthread_mutex_lock(&j->lock);
}
