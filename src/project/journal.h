/* journal -- the audit table's writer: no governed call is answered before its row is committed.
 *
 * A call is announced with ag_journal_begin() and recorded with ag_journal_end(), which returns when the row is in the
 * store's write-ahead log: a crash of the process does not lose it. The log is on disk within 50 ms, or with
 * AG_JOURNAL_FULL before ag_journal_end() returns. A call that has not ended within 50 ms has a row of its own by then, with
 * the outcome AG_LEDGER_BEGAN: if the process dies, that row says what was interrupted.
 *
 * When a row cannot be committed, ag_journal_end() fails and the caller must not answer with data. The row is kept (up to
 * AG_JOURNAL_MAX_WAITING rows or 32 MB of texts) and written when the store works again; until then ag_journal_is_whole()
 * is false and callers refuse what must be recorded. Thread safe. */
#ifndef AG_PROJECT_JOURNAL_H
#define AG_PROJECT_JOURNAL_H

#include <pthread.h>

#include "base/time.h"
#include "store/ledger.h"

#define AG_JOURNAL_MAX_WAITING 20000u
#define AG_JOURNAL_BEGAN_MS \
	35 /* age at which a call gets its first row: the rest of 50 ms is for writing it */
#define AG_JOURNAL_SYNC_MS 30 /* from a commit to the beginning of the sync that covers it */

typedef struct ag_journal ag_journal;

typedef enum ag_journal_sync {
	AG_JOURNAL_NORMAL, /* in the log before the answer, on disk within 50 ms */
	AG_JOURNAL_FULL    /* on disk before the answer */
} ag_journal_sync;

/* A call under way. In the caller's memory from ag_journal_begin() to ag_journal_end(); only journal.c looks inside. */
typedef struct ag_journal_call {
	struct ag_journal_call *next,
		*prev;      /* in the list of calls without a first row; NULL = not in it */
	ag_ledger_row row;  /* texts are the caller's */
	int64_t began_us;   /* monotonic */
	uint64_t began_seq; /* its first row, 0 = none */
	bool is_writing;    /* its first row is being written: the texts are in use */
} ag_journal_call;

/* Rows on their way into the table. In the caller's memory until they are committed or refused; only journal*.c look
 * inside. */
typedef struct ag_journal_item {
	struct ag_journal_item *next;
	ag_ledger_row *rows; /* clean; one, or first rows */
	ag_journal_call **
		calls; /* these are first rows, whose commit sets began_seq of the calls; else NULL */
	size_t n, nbyte;
	bool is_picked, is_done;
	ag_status st;
	pthread_cond_t changed; /* is_done, or it is this caller's turn to lead */
	bool is_waited_for;     /* a thread waits on `changed`; else the row was put off */
	/* Of one that was put off: */
	void (*done)(void *arg, ag_status st, const ag_err *err);
	void *arg;
	ag_ledger_row row;
	ag_arena *texts;
} ag_journal_item;

typedef struct ag_journal_stats {
	uint64_t nrow, ngroup, nsync; /* committed rows, transactions, syncs of the log */
} ag_journal_stats;

/* Opens a handle of its own; its threads start with the first row or call.
 * errors  of ag_store_open() */
AG_CHECK ag_status ag_journal_open(ag_str store_uri, ag_journal_sync sync, ag_journal **ret,
                                   ag_err *err);
/* Before the first row: it writes in this group, which outlives it. */
void ag_journal_join(ag_journal *j, ag_store_group *group);
/* Writes what is kept, and syncs. No call may be under way.
 * errors  the store refused it: how many rows were lost is in the message */
ag_status ag_journal_close(ag_journal *j, ag_err *err);
/* The call begins. row: who and what; its texts must stay valid until ag_journal_end(). Must be followed by that.
 * errors  AG_UNAVAILABLE: a thread could not be started; the call was not announced and may not run */
AG_CHECK ag_status ag_journal_begin(ag_journal *j, ag_journal_call *call, const ag_ledger_row *row,
                                    ag_err *err);
/* Commits the row of a call that ended; call NULL: it was never announced. Texts are cut to their limits and cleaned of
 * known secrets. Blocks until the row is committed.
 * errors  the row is not committed: the caller must not answer with data. It is kept and written later, with the outcome
 *         UNAVAILABLE in the place of "ok"; the message says so if even that is impossible */
AG_CHECK ag_status ag_journal_end(ag_journal *j, ag_journal_call *call, const ag_ledger_row *row,
                                  ag_err *err);
/* ag_journal_end() that does not wait: the row is committed by the next ag_journal_settle() of any thread, or within
 * AG_JOURNAL_BEGAN_MS. Then done() is called, once, on that thread or this one, without a lock: with AG_OK, or with the errors of
 * ag_journal_end(). Until then `call` and the texts of `row` stay valid. it: anything; valid until done(). */
void ag_journal_put_off(ag_journal *j, ag_journal_call *call, const ag_ledger_row *row,
                        ag_journal_item *it,
                        void (*done)(void *arg, ag_status st, const ag_err *err), void *arg);
/* How long the oldest row that was put off has waited, in microseconds; -1 = none waits. Costs nanoseconds. */
int64_t ag_journal_put_off_us(ag_journal *j);
/* Commits what was put off, unless another thread is at it, and calls done() of each. What waits for a commit that has taken
 * more than a second is refused. */
void ag_journal_settle(ag_journal *j);
/* False while rows wait, a sync failed, or a commit has taken more than a second (the store is locked). */
bool ag_journal_is_whole(ag_journal *j);
/* Waits until all rows that were added before are on disk.
 * errors  of the store: an attempt failed meanwhile (it is tried again later) */
AG_CHECK ag_status ag_journal_flush(ag_journal *j, ag_err *err);
/* Another number than before when anything in the store has changed, but by the rows of this journal. Costs nanoseconds.
 * False: not known at this moment (ag_store_version() says it). */
AG_CHECK bool ag_journal_others(ag_journal *j, uint64_t *ret);
ag_journal_stats ag_journal_stats_of(ag_journal *j);

#endif
