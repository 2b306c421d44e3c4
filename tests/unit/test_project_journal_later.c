/* Rows that the journal commits later, in groups. A caller is woken only after its row was committed, also when another
 * thread commits it. When the store fails, every caller is woken with the error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <time.h>

#include "../contract/folder.h"
#include "base/fault.h"
#include "project/journal.h"
#include "unit/journal_world.h"

#define NTHREAD 4
#define NEACH   500

/* A call that is put off, and what it heard. */
typedef struct later {
	world *w;
	ag_journal_call call;
	ag_journal_item item;
	uint64_t ncommitted; /* rows at that time */
	ag_err err;
	_Atomic int ntold;
	_Atomic int st;
} later;

static void sleep_ms(int64_t ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

static void told(void *arg, ag_status st, const ag_err *err)
{
	later *l = arg;

	l->ncommitted = ag_journal_stats_of(l->w->j).nrow;
	l->err = *err;
	atomic_store(&l->st, (int)st);
	atomic_fetch_add(&l->ntold, 1);
}

/* The whole call: it begins, and its row is put off. */
static void put_off(world *w, later *l, int64_t at_ms)
{
	const ag_ledger_row r = { .at_ms = at_ms,
		                  .user = AG_S("ann"),
		                  .project = AG_S("shop"),
		                  .tool = AG_S("query"),
		                  .sql = AG_S("select 1"),
		                  .outcome = AG_S("ok") };

	l->w = w;
	if (ag_journal_begin(w->j, &l->call, &r, NULL))
		abort();
	ag_journal_put_off(w->j, &l->call, &r, &l->item, told, l);
}

static void wait_told(const later *l)
{
	for (int i = 0; i < 20000 && !atomic_load(&l->ntold); i++)
		sleep_ms(1);
	assert_int_equal(atomic_load(&l->ntold), 1);
}

/* The rows of calls that ended. On a loaded machine a call may also have a first row, written before it was put off. */
static size_t rows(world *w, ag_ledger_row **ret)
{
	ag_ledger_query q = { .limit = AG_STORE_MAX_ROWS };
	ag_ledger_check k;
	size_t n = 0, nended = 0;

	assert_ok(w, ag_store_ledger_verify(w->reader, w->arena, &k, &w->err));
	assert_int_equal(k.broken_at, 0);
	assert_ok(w, ag_store_ledger_rows(w->reader, &q, w->arena, ret, &n, &w->err));
	for (size_t i = 0; i < n; i++)
		if (!ag_str_eqc((*ret)[i].outcome, AG_LEDGER_BEGAN))
			(*ret)[nended++] = (*ret)[i];
	return nended;
}

static void a_settled_group_is_one_commit(void **state)
{
	world *w = *state;
	later *l = ag_new_n(w->arena, later, 20);
	ag_ledger_row *got;

	assert_int_equal(ag_journal_put_off_us(w->j), -1);
	for (int i = 0; i < 20; i++)
		put_off(w, &l[i], i);
	ag_journal_settle(w->j);
	for (int i = 0; i < 20; i++) {
		wait_told(&l[i]);
		assert_int_equal(atomic_load(&l[i].st), AG_OK);
		assert_true(l[i].ncommitted > (uint64_t)i);
	}
	assert_int_equal(ag_journal_put_off_us(w->j), -1);
	assert_int_equal(rows(w, &got), 20);
	for (int i = 0; i < 20; i++)
		assert_int_equal(got[i].at_ms, i);
	assert_true(ag_journal_stats_of(w->j).ngroup < 20);
}

static void what_nobody_settles_is_committed(void **state)
{
	world *w = *state;
	later *l = ag_new_n(w->arena, later, 2);
	ag_ledger_row *got;

	for (int i = 0; i < 2; i++) {
		put_off(w, &l[i], i);
		wait_told(&l[i]);
		assert_int_equal(atomic_load(&l[i].st), AG_OK);
		sleep_ms(3 * AG_JOURNAL_BEGAN_MS); /* the keeper sleeps for good now */
	}
	assert_int_equal(rows(w, &got), 2);
}

static void others_commit_it_with_theirs(void **state)
{
	world *w = *state;
	later *l = ag_new(w->arena, later);
	const ag_ledger_row r = { .at_ms = 2, .outcome = AG_S("ok") };

	put_off(w, l, 1);
	assert_ok(w, ag_journal_end(w->j, NULL, &r, &w->err));
	wait_told(l);
	assert_int_equal(atomic_load(&l->st), AG_OK);
}

static void a_full_disk_is_told(void **state)
{
	world *w = *state;
	later *l = ag_new_n(w->arena, later, 3);
	ag_ledger_row *got;

	assert_ok(w, ag_fault_setup("store.write:1+", &w->err));
	put_off(w, &l[0], 0);
	put_off(w, &l[1], 1);
	ag_journal_settle(w->j);
	wait_told(&l[0]);
	wait_told(&l[1]);
	put_off(w, &l[2], 2); /* told at once */
	assert_int_equal(atomic_load(&l[2].ntold), 1);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(atomic_load(&l[i].st), AG_UNAVAILABLE);
		assert_non_null(strstr(l[i].err.hint, "disk is full"));
	}
	assert_ok(w, ag_fault_setup(NULL, &w->err));
	for (int i = 0; i < 2000 && !ag_journal_is_whole(w->j); i++)
		sleep_ms(5);
	assert_int_equal(rows(w, &got), 3);
	for (int i = 0; i < 3; i++)
		assert_true(ag_str_eqc(got[i].outcome, "UNAVAILABLE"));
}

static void *settle(void *arg)
{
	ag_journal_settle(arg);
	return NULL;
}

static void a_locked_store_holds_nobody_for_long(void **state)
{
	world *w = *state;
	later *l = ag_new_n(w->arena, later, 2);
	ag_ledger_row *got;
	pthread_t leader;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(w->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	put_off(w, &l[0], 0);
	assert_int_equal(pthread_create(&leader, NULL, settle, w->j), 0);
	sleep_ms(50);
	put_off(w, &l[1], 1);
	while (!atomic_load(&l[1].ntold)) { /* it waited behind the first, and was given up */
		sleep_ms(5);
		ag_journal_settle(w->j); /* as other calls do */
	}
	assert_int_equal(atomic_load(&l[1].st), AG_UNAVAILABLE);
	assert_int_equal(atomic_load(&l[0].ntold), 0);
	assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	pthread_join(leader, NULL);
	wait_told(&l[0]);
	assert_int_equal(atomic_load(&l[0].st), AG_OK);
	assert_ok(w, ag_journal_flush(w->j, &w->err));
	assert_int_equal(rows(w, &got), 2);
}

typedef struct crowd {
	world *w;
	later *l;
	int64_t first;
} crowd;

static void *many(void *arg)
{
	const crowd *c = arg;

	for (int i = 0; i < NEACH; i++) {
		put_off(c->w, &c->l[i], c->first + i);
		if (i % 7 == 0)
			ag_journal_settle(c->w->j);
	}
	ag_journal_settle(c->w->j);
	return NULL;
}

static void threads_put_off(void **state)
{
	world *w = *state;
	later *l = ag_new_n(w->arena, later, NTHREAD * NEACH);
	pthread_t threads[NTHREAD];
	crowd crowds[NTHREAD];
	ag_ledger_row *got;

	for (int i = 0; i < NTHREAD; i++) {
		crowds[i] = (crowd){ w, l + i * NEACH, i * NEACH };
		assert_int_equal(pthread_create(&threads[i], NULL, many, &crowds[i]), 0);
	}
	for (int i = 0; i < NTHREAD; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < NTHREAD * NEACH; i++) {
		wait_told(&l[i]);
		assert_int_equal(atomic_load(&l[i].st), AG_OK);
	}
	assert_int_equal(rows(w, &got), NTHREAD * NEACH);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_settled_group_is_one_commit),        T(what_nobody_settles_is_committed),
		T(others_commit_it_with_theirs),         T(a_full_disk_is_told),
		T(a_locked_store_holds_nobody_for_long), T(threads_put_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
