/* Has anybody else written? Answered from the header of SQLite's WAL index, without a lock or a system call.
 *
 * Every connection of a file maps its "-shm". That begins with two copies of a header of 48 bytes: number of commits, frames
 * of the log, their running checksum, salts (sqlite.org/walformat.html, "The WAL-Index Header"). Each commit of any process
 * changes them, so equal headers mean equal contents. A writing transaction of this handle reads the header when it has
 * the write lock and again after its commit: when nobody wrote before it or right after it, the change is its own. */
#include <stdlib.h>
#include <time.h>

#include "base/time.h"
#include "store/sqlite.h"

#define COPY_WORDS   12u
#define REGION_BYTES 32768 /* of the index; SQLite maps it in pieces of this size */
#define CHANGE       2u    /* place of the count of commits */
#define LOOK_MS      50    /* between two looks of one that waits */

/* Both copies alike, or somebody is writing them. */
static bool read_mark(const ag_sqlite *s, ag_sqlite_mark *ret)
{
	const uint32_t *at = atomic_load_explicit(&s->others.index, memory_order_acquire);
	bool is_same = at != NULL;

	if (!at)
		return false;
	for (unsigned i = 0; i < COPY_WORDS; i++)
		ret->words[i] = __atomic_load_n(at + i, __ATOMIC_RELAXED);
	atomic_thread_fence(memory_order_seq_cst); /* SQLite writes the second copy first */
	for (unsigned i = 0; i < COPY_WORDS; i++)
		is_same &= ret->words[i] == __atomic_load_n(at + COPY_WORDS + i, __ATOMIC_RELAXED);
	return is_same;
}

static bool is_same(const ag_sqlite_mark *a, const ag_sqlite_mark *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

void ag_sqlite_others_init(ag_sqlite *s)
{
	pthread_mutex_init(&s->others.lock, NULL);
}

void ag_sqlite_others_release(ag_sqlite *s)
{
	pthread_mutex_destroy(&s->others.lock);
}

/* The index stays mapped at its place until the connection closes. */
static void find_index(ag_sqlite *s)
{
	sqlite3_file *file = NULL;
	void volatile *at = NULL;

	if (s->others.index || !s->base.type->is_kept ||
	    sqlite3_file_control(s->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) || !file ||
	    !file->pMethods || file->pMethods->iVersion < 2 ||
	    file->pMethods->xShmMap(file, 0, REGION_BYTES, 0, &at))
		return;
	atomic_store_explicit(&s->others.index, (const uint32_t *)(uintptr_t)at,
	                      memory_order_release);
}

void ag_sqlite_others_begin(ag_sqlite *s)
{
	find_index(s);
	s->others.has_before = read_mark(s, &s->others.before);
}

void ag_sqlite_others_commit(ag_sqlite *s)
{
	ag_sqlite_others *o = &s->others;
	ag_sqlite_mark after;
	const bool has_after = read_mark(s, &after);

	pthread_mutex_lock(&o->lock);
	if (has_after && o->has_before && is_same(&after, &o->before)) {
		/* Nothing was written. */
	} else if (!has_after || !o->has_before || !o->is_known || !is_same(&o->before, &o->last) ||
	           after.words[CHANGE] != o->before.words[CHANGE] + 1) {
		o->number++;
	}
	o->is_known = has_after;
	o->last = after;
	pthread_mutex_unlock(&o->lock);
}

bool ag_sqlite_others_number(ag_db *base, uint64_t *ret)
{
	ag_sqlite *s = (ag_sqlite *)base;
	ag_sqlite_others *o = &s->others;
	ag_sqlite_mark now;
	bool is_last;

	if (!read_mark(s, &now))
		return false;
	pthread_mutex_lock(&o->lock);
	is_last = o->is_known && is_same(&now, &o->last);
	*ret = o->number;
	pthread_mutex_unlock(&o->lock);
	return is_last;
}

/* A file cannot tell. The number of its commits is in memory that all processes map. */
ag_status ag_sqlite_wait(ag_db *base, int64_t ms, const atomic_bool *cancel, bool *ret_told,
                         ag_err *err)
{
	ag_sqlite *s = (ag_sqlite *)base;
	const int64_t until_us = ag_time_mono_us() + ms * 1000;

	for (;;) {
		const int64_t left_ms = (until_us - ag_time_mono_us() + 999) / 1000;
		const int64_t nap_ms = left_ms < LOOK_MS ? left_ms : LOOK_MS;
		const struct timespec nap = { .tv_nsec = nap_ms * 1000000 };
		uint64_t number = 0;
		ag_status st = base->type->version(base, &number, err);

		if (st)
			return st;
		*ret_told = !s->has_waited || number != s->waited_version;
		s->has_waited = true;
		s->waited_version = number;
		if (*ret_told || left_ms <= 0 || (cancel && atomic_load(cancel)))
			return AG_OK;
		nanosleep(&nap, NULL);
	}
}
