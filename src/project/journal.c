/* journal -- the audit table's writer: callers leave rows, one thread appends them in groups.
 *
 * Rows wait in batches; each has its rows, one arena for their texts, and the time of its first row. Adding is a copy under
 * one lock. A system call is needed for the first row of a group only: the thread sleeps without a limit while there is
 * nothing to do, and then until the group is due, without being woken for each row. A group is due so early that the time
 * that the last one took to be written still fits; so a row is on disk within 50 ms as long as the disk keeps up.
 *
 * A group that the store refuses stays first in line and is tried again: no row is written before an older one. Callers see
 * that in ag_journal_is_whole(), also while an attempt hangs. Cleaning of secrets is left to the thread: it costs a
 * nanosecond a byte. Read ag_journal_add(), then work(). */
#include "project/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/utf8.h"

#define ORIGIN "project.journal"

#define FIRST_ROWS      32u
#define MAX_BATCH_BYTES (4u << 20) /* texts of one group */
#define MAX_WAITING_BYTES \
	(32u << 20)         /* texts of all that wait: 20,000 rows of 16 KB would be 320 MB */
#define STUCK_MS       1000 /* an attempt that takes longer counts as failed */
#define FIRST_RETRY_MS 100
#define MAX_RETRY_MS   2000
#define STACK_BYTES    (512u << 10) /* SQLite needs less than a tenth */

typedef struct batch {
	struct batch *next;
	int64_t began_ms; /* monotonic: its first row */
	size_t n, cap, nbyte;
	ag_ledger_row *rows;
	ag_arena *texts;
	bool is_clean; /* prepare() was here */
} batch;

struct ag_journal {
	ag_store *store; /* of the thread, once it runs */
	pthread_t thread;
	bool has_thread;

	pthread_mutex_t lock;
	pthread_cond_t wake; /* the thread: there is a row, a group is full, hurry */
	pthread_cond_t done; /* callers: a group was written, or refused */
	batch *head, *tail;
	size_t nwaiting, nbyte; /* in all batches, the one that is being written included */
	uint64_t nadded, nwritten, nattempt;
	bool is_asleep; /* until somebody wakes it */
	bool is_hurried, is_closing;
	ag_err why; /* of the last attempt */

	atomic_bool has_failed;
	_Atomic int64_t attempt_ms; /* monotonic: since when an attempt runs; 0 = none does */
};

static int64_t now_ms(void)
{
	return ag_clock_mono(&ag_clock_system);
}

/* --- life --- */

static batch *batch_free(batch *b)
{
	if (b) {
		ag_arena_free(b->texts);
		free(b->rows);
		free(b);
	}
	return NULL;
}

ag_status ag_journal_open(ag_str store_uri, ag_journal **ret, ag_err *err)
{
	ag_store *store = NULL;
	ag_status st = ag_store_open(store_uri, &store, err);
	pthread_condattr_t attr;
	ag_journal *j;

	if (st)
		return st;
	j = ag_xcalloc(1, sizeof(*j));
	j->store = store;
	pthread_mutex_init(&j->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&j->wake, &attr);
	pthread_cond_init(&j->done, &attr);
	pthread_condattr_destroy(&attr);
	*ret = j;
	return AG_OK;
}

/* At most until the monotonic time; false when that has come. */
static bool wait_until(ag_journal *j, pthread_cond_t *cond, int64_t until_ms)
{
	struct timespec t = { .tv_sec = until_ms / 1000, .tv_nsec = until_ms % 1000 * 1000000 };

	return pthread_cond_timedwait(cond, &j->lock, &t) != ETIMEDOUT;
}

/* --- adding --- */

/* The texts of a row. is_free: what a caller can choose freely; ids that look like somebody's password stay readable. */
static const struct text_kind {
	size_t at, max;
	bool is_free;
} kinds[] = {
	{ offsetof(ag_ledger_row, user), AG_LEDGER_MAX_NAME, false },
	{ offsetof(ag_ledger_row, project), AG_LEDGER_MAX_NAME, false },
	{ offsetof(ag_ledger_row, token), AG_LEDGER_MAX_NAME, false },
	{ offsetof(ag_ledger_row, session), AG_LEDGER_MAX_NAME, true },
	{ offsetof(ag_ledger_row, tool), AG_LEDGER_MAX_NAME, true },
	{ offsetof(ag_ledger_row, sql), AG_LEDGER_MAX_SQL, true },
	{ offsetof(ag_ledger_row, verdict), AG_LEDGER_MAX_NAME, false },
	{ offsetof(ag_ledger_row, fingerprint), AG_LEDGER_MAX_NAME, false },
	{ offsetof(ag_ledger_row, rule), AG_LEDGER_MAX_NAME, true },
	{ offsetof(ag_ledger_row, tables), AG_LEDGER_MAX_TEXT, true },
	{ offsetof(ag_ledger_row, outcome), AG_LEDGER_MAX_NAME, false },
	{ offsetof(ag_ledger_row, detail), AG_LEDGER_MAX_TEXT, true },
};

static ag_str *text_of(ag_ledger_row *r, size_t i)
{
	return (ag_str *)(void *)((char *)r + kinds[i].at);
}

/* The text up to `max` bytes, at a whole character. */
static ag_str cut(ag_str s, size_t max)
{
	if (s.len <= max)
		return s;
	while (max && ((unsigned char)s.ptr[max] & 0xC0) == 0x80)
		max--;
	return ag_str_make(s.ptr, max);
}

static batch *batch_for(ag_journal *j, size_t nbyte)
{
	batch *b = j->tail;

	if (!b || b->n == AG_LEDGER_MAX_GROUP || b->nbyte + nbyte > MAX_BATCH_BYTES) {
		b = ag_xcalloc(1, sizeof(*b));
		b->texts = ag_arena_new();
		b->began_ms = now_ms();
		if (j->tail)
			j->tail->next = b;
		else
			j->head = b;
		j->tail = b;
	}
	if (b->n == b->cap) {
		b->cap = b->cap ? 2 * b->cap : FIRST_ROWS;
		b->rows = ag_xrealloc(b->rows, b->cap * sizeof(*b->rows));
	}
	return b;
}

/* One allocation for all texts. */
static void copy_row(ag_journal *j, const ag_ledger_row *row)
{
	ag_ledger_row r = *row;
	size_t nbyte = 0;
	batch *b;
	char *to;

	for (size_t i = 0; i < AG_NELEM(kinds); i++) {
		ag_str *text = text_of(&r, i);

		*text = cut(*text, kinds[i].max);
		nbyte += text->len;
	}
	b = batch_for(j, nbyte);
	to = ag_arena_alloc(b->texts, nbyte ? nbyte : 1);
	for (size_t i = 0; i < AG_NELEM(kinds); i++) {
		ag_str *text = text_of(&r, i);

		if (text->len)
			memcpy(to, text->ptr, text->len);
		text->ptr = to;
		to += text->len;
	}
	b->rows[b->n++] = r;
	b->nbyte += nbyte;
	j->nbyte += nbyte;
	j->nwaiting++;
	j->nadded++;
}

bool ag_journal_is_whole(ag_journal *j)
{
	int64_t since_ms = atomic_load_explicit(&j->attempt_ms, memory_order_relaxed);

	if (atomic_load_explicit(&j->has_failed, memory_order_relaxed))
		return false;
	return !since_ms || now_ms() - since_ms < STUCK_MS;
}

/* Under the lock; waits while the store is quick enough to make room. */
static ag_status make_room(ag_journal *j, ag_err *err)
{
	while (j->nwaiting >= AG_JOURNAL_MAX_WAITING || j->nbyte >= MAX_WAITING_BYTES) {
		if (!ag_journal_is_whole(j) || j->is_closing) {
			ag_fail(err, AG_UNAVAILABLE, ORIGIN,
			        "the audit table cannot be written and %zu calls wait for it",
			        j->nwaiting);
			return ag_err_hint(err, "%s",
			                   j->why.hint[0] ? j->why.hint : "see why in the log");
		}
		wait_until(j, &j->done, now_ms() + STUCK_MS / 4);
	}
	return AG_OK;
}

static void *work(void *arg);

static ag_status start(ag_journal *j, ag_err *err)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int e;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	sigfillset(&all); /* signals are for those who wait for them */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	e = ag_fault("thread.start") ? errno : pthread_create(&j->thread, &attr, work, j);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	j->has_thread = e == 0;
	atomic_store(&j->has_failed, e != 0);
	if (!e)
		return AG_OK;
	ag_fail_errno(&j->why, e, ORIGIN, "cannot start the thread that writes the audit table");
	j->why.status = AG_UNAVAILABLE;
	if (err)
		*err = j->why;
	return AG_UNAVAILABLE;
}

ag_status ag_journal_add(ag_journal *j, const ag_ledger_row *row, ag_err *err)
{
	ag_status st;
	bool must_wake;

	pthread_mutex_lock(&j->lock);
	st = make_room(j, err);
	if (!st && !j->has_thread)
		st = start(j, err);
	if (st) {
		pthread_mutex_unlock(&j->lock);
		return st;
	}
	copy_row(j, row);
	must_wake = j->is_asleep || j->tail->n == AG_LEDGER_MAX_GROUP;
	j->is_asleep = false;
	pthread_mutex_unlock(&j->lock);
	if (must_wake)
		pthread_cond_signal(&j->wake);
	return AG_OK;
}

/* --- cleaning; without the lock --- */

static ag_str only_text(ag_str s, ag_arena *arena, size_t max)
{
	ag_buf good = AG_BUF_INIT(3 * AG_LEDGER_MAX_SQL + 16);
	char utf8[4];
	ag_str ret;

	for (size_t i = 0; i < s.len;) {
		uint32_t c = ag_utf8_next(s, &i);

		ag_buf_add(&good, ag_str_make(utf8, ag_utf8_put(utf8, c ? c : 0xFFFD)));
	}
	ret = ag_str_dup(arena, cut(ag_buf_view(&good), max));
	ag_buf_release(&good);
	return ret;
}

static ag_str without_secrets(ag_str s, ag_arena *arena, size_t max, ag_buf *scratch)
{
	/* A secret at the end of what was cut is not found any more: as much as could be one goes. */
	if (s.len > max - 4)
		s = cut(s, ag_log_whole(s));
	ag_buf_clear(scratch);
	if (!ag_log_clean(s, scratch))
		return AG_S("[redacted]");
	return ag_str_eq(s, ag_buf_view(scratch))
	               ? s
	               : ag_str_dup(arena, cut(ag_buf_view(scratch), max));
}

static ag_str clean_text(ag_str s, const struct text_kind *kind, ag_arena *arena, ag_buf *scratch)
{
	if (kind->is_free)
		s = without_secrets(s, arena, kind->max, scratch);
	return ag_utf8_is_text(s) ? s : only_text(s, arena, kind->max);
}

/* A list whose end was cut off: up to its last whole element. */
static ag_str close_list(ag_str s, ag_arena *arena)
{
	if (!s.len || s.ptr[0] != '[' || s.ptr[s.len - 1] == ']')
		return s;
	for (size_t i = s.len - 1; i > 2; i--) {
		if (memcmp(s.ptr + i - 2, "\",\"", 3) == 0)
			return ag_str_printf(arena, "%.*s\"]", (int)(i - 2), s.ptr);
	}
	return AG_S("[]");
}

/* So that the store has no reason to refuse a row. */
static void prepare(batch *b)
{
	AG_AUTO(ag_buf_release) ag_buf scratch = AG_BUF_INIT(16 * AG_LEDGER_MAX_SQL);

	for (size_t i = 0; i < b->n; i++) {
		ag_ledger_row *r = &b->rows[i];

		for (size_t k = 0; k < AG_NELEM(kinds); k++) {
			ag_str *text = text_of(r, k);

			if (text->len)
				*text = clean_text(*text, &kinds[k], b->texts, &scratch);
		}
		r->tables = close_list(r->tables, b->texts);
		r->at_ms = r->at_ms > 0 ? r->at_ms : 0;
		r->nrow = r->nrow < INT64_MAX ? r->nrow : INT64_MAX;
		r->nbyte = r->nbyte < INT64_MAX ? r->nbyte : INT64_MAX;
	}
	b->is_clean = true;
}

/* --- the thread; the lock is held but while it writes --- */

static bool is_due(const ag_journal *j)
{
	return j->is_hurried || j->is_closing || j->head != j->tail ||
	       j->head->n == AG_LEDGER_MAX_GROUP;
}

/* Until there is a group to write; NULL = there will be none. */
static batch *next_group(ag_journal *j, int64_t write_ms)
{
	int64_t due_ms;
	batch *b;

	while (!j->head && !j->is_closing) {
		j->is_asleep = true;
		pthread_cond_wait(&j->wake, &j->lock);
	}
	j->is_asleep = false;
	if (!j->head)
		return NULL;
	due_ms = j->head->began_ms + AG_JOURNAL_GROUP_MS -
	         (write_ms < AG_JOURNAL_GROUP_MS ? write_ms : AG_JOURNAL_GROUP_MS);
	while (!is_due(j) && wait_until(j, &j->wake, due_ms))
		;
	b = j->head;
	j->head = b->next;
	if (!j->head) {
		j->tail = NULL;
		j->is_hurried = false;
	}
	return b;
}

static ag_status write_group(ag_journal *j, batch *b, ag_err *err)
{
	if (!b->is_clean)
		prepare(b);
	return ag_store_ledger_append(j->store, b->rows, b->n, err);
}

/* Tries until the store takes it; false when it did not and nobody waits any longer. */
static bool write_or_retry(ag_journal *j, batch *b, int64_t *ret_write_ms)
{
	int64_t retry_ms = FIRST_RETRY_MS;

	for (;;) {
		ag_err why = { 0 };
		int64_t began_ms = now_ms();
		bool was_whole = !atomic_load(&j->has_failed);
		ag_status st;

		atomic_store(&j->attempt_ms, began_ms);
		pthread_mutex_unlock(&j->lock);
		st = write_group(j, b, &why);
		if (st && was_whole)
			ag_log(AG_LOG_ERROR, "journal_failed", "%s", why.msg);
		else if (!st && !was_whole)
			ag_log(AG_LOG_WARN, "journal_recovered",
			       "the audit table is written again");
		pthread_mutex_lock(&j->lock);
		*ret_write_ms = now_ms() - began_ms;
		atomic_store(&j->has_failed, st != AG_OK);
		atomic_store(&j->attempt_ms, 0);
		j->nattempt++;
		if (!st)
			return true;
		j->why = why;
		pthread_cond_broadcast(&j->done);
		if (j->is_closing)
			return false;
		began_ms = now_ms() + retry_ms;
		while (!j->is_closing && wait_until(j, &j->wake, began_ms))
			;
		retry_ms = retry_ms < MAX_RETRY_MS / 2 ? 2 * retry_ms : MAX_RETRY_MS;
	}
}

static void *work(void *arg)
{
	ag_journal *j = arg;
	int64_t write_ms = 0;
	batch *b;

	pthread_setname_np(pthread_self(), "journal"); /* as tools show it */
	pthread_mutex_lock(&j->lock);
	while ((b = next_group(j, write_ms))) {
		bool ok = write_or_retry(j, b, &write_ms);

		if (ok) {
			j->nwaiting -= b->n;
			j->nbyte -= b->nbyte;
			j->nwritten += b->n;
			pthread_cond_broadcast(&j->done);
		}
		batch_free(b);
		if (!ok)
			break;
	}
	pthread_mutex_unlock(&j->lock);
	return NULL;
}

/* --- ends --- */

ag_status ag_journal_flush(ag_journal *j, ag_err *err)
{
	uint64_t want, nattempt;
	ag_status st = AG_OK;

	pthread_mutex_lock(&j->lock);
	want = j->nadded;
	nattempt = j->nattempt;
	j->is_hurried = j->head != NULL;
	pthread_cond_signal(&j->wake);
	while (!st && j->nwritten < want) {
		pthread_cond_wait(&j->done, &j->lock);
		/* An attempt that failed since we came. */
		if (j->nwritten < want && atomic_load(&j->has_failed) && j->nattempt != nattempt) {
			if (err)
				*err = j->why;
			st = j->why.status;
		}
	}
	pthread_mutex_unlock(&j->lock);
	return st;
}

ag_status ag_journal_close(ag_journal *j, ag_err *err)
{
	size_t nlost;
	ag_status st = AG_OK;

	if (!j)
		return AG_OK;
	pthread_mutex_lock(&j->lock);
	j->is_closing = true;
	pthread_cond_signal(&j->wake);
	pthread_mutex_unlock(&j->lock);
	if (j->has_thread)
		pthread_join(j->thread, NULL);
	nlost = j->nwaiting;
	if (nlost) {
		st = j->why.status ? j->why.status : AG_IO;
		ag_fail(err, st, ORIGIN, "%zu calls could not be written to the audit table: %s",
		        nlost, j->why.msg);
		ag_err_hint(err, "%s", j->why.hint);
	}
	while (j->head) {
		batch *b = j->head;

		j->head = b->next;
		batch_free(b);
	}
	ag_store_close(j->store);
	pthread_cond_destroy(&j->wake);
	pthread_cond_destroy(&j->done);
	pthread_mutex_destroy(&j->lock);
	free(j);
	return st;
}
