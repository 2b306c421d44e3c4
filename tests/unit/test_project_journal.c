/* The journal: a row is committed when its call ends, on disk soon after, and in order; a call that takes long has a first
 * row; a store that fails is seen and loses nothing; secrets do not get in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../contract/folder.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/secrets.h"
#include "project/journal.h"
#include "run/owner.h"
#include "store/identity.h"
#include "unit/journal_world.h"

static ag_ledger_row a_row(int64_t i)
{
	ag_ledger_row r = { .at_ms = i,
		            .user = AG_S("ann"),
		            .project = AG_S("shop"),
		            .tool = AG_S("query"),
		            .sql = AG_S("select 1"),
		            .outcome = AG_S("ok") };

	return r;
}

static void add(world *w, int64_t i)
{
	ag_ledger_row r = a_row(i);

	assert_ok(w, ag_journal_end(w->j, NULL, &r, &w->err));
}

static size_t rows(world *w, ag_ledger_row **ret)
{
	ag_ledger_query q = { .limit = AG_STORE_MAX_ROWS };
	size_t n = 0;

	assert_ok(w, ag_store_ledger_rows(w->reader, &q, w->arena, ret, &n, &w->err));
	return n;
}

static uint64_t whole_rows(world *w)
{
	ag_ledger_check k;

	assert_ok(w, ag_store_ledger_verify(w->reader, w->arena, &k, &w->err));
	if (k.broken_at)
		fail_msg("%.*s", AG_FMT(k.why));
	return k.nrow;
}

static int64_t mono(void)
{
	return ag_clock_mono(&ag_clock_system);
}

static void sleep_ms(int64_t ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* --- healthy --- */

static void a_row_is_committed_when_its_call_ends(void **state)
{
	world *w = *state;
	ag_ledger_row *got;

	for (int i = 0; i < 50; i++) {
		add(w, i);
		assert_int_equal(rows(w, &got), i + 1);
	}
	assert_int_equal(ag_journal_stats_of(w->j).nrow, 50);
	assert_int_equal(ag_journal_stats_of(w->j).ngroup, 50); /* nobody was there to share one */
}

static void others_are_seen_and_own_rows_do_not_count(void **state)
{
	world *w = *state;
	const ag_str users[] = { AG_S("ann"), AG_S("ben"), AG_S("cat") };
	uint64_t before = 0, now = 0;

	add(w, 1);
	assert_true(ag_journal_others(w->j, &before));
	for (int i = 0; i < 20; i++) {
		add(w, i);
		assert_true(ag_journal_others(w->j, &now));
		assert_int_equal(now, before);
	}
	/* Reading and syncing change nothing. */
	assert_ok(w, ag_journal_flush(w->j, &w->err));
	assert_true(ag_journal_others(w->j, &now));
	assert_int_equal(now, before);
	for (unsigned i = 0; i < AG_NELEM(users); i++) {
		const ag_member_row m = { AG_S("shop"), users[i], AG_ROLE_ADMIN };

		assert_ok(w, ag_store_put_member(w->reader, &m, &w->err));
		assert_false(ag_journal_others(w->j, &now));
		add(w, i);
		assert_true(ag_journal_others(w->j, &now));
		assert_true(now != before);
		before = now;
	}
}

static void wait_for_sync(world *w, uint64_t nsync)
{
	int64_t began = mono();

	while (ag_journal_stats_of(w->j).nsync < nsync) {
		if (mono() - began > 2000)
			fail_msg("the log is not synced after 2 s");
		sleep_ms(1);
	}
}

static void the_log_is_synced_by_the_clock(void **state)
{
	world *w = *state;
	uint64_t nsync;

	add(w, 1);
	wait_for_sync(w, 1);
	sleep_ms(100);
	assert_int_equal(ag_journal_stats_of(w->j).nsync, 1); /* nothing is there to sync */
	for (int i = 0; i < 20; i++) {
		add(w, i);
		sleep_ms(10);
	}
	nsync = ag_journal_stats_of(w->j).nsync;
	/* 200 ms and more in steps of 30 ms and the time of a sync: a slow disk has fewer, never one a row. */
	assert_in_range(nsync, 2, 19);
}

static void full_syncs_every_commit(void **state)
{
	world *w = *state;
	ag_journal *j;
	ag_ledger_row r = a_row(1), *got;

	assert_ok(w, ag_journal_open(ag_str_c(w->path), AG_JOURNAL_FULL, &j, &w->err));
	assert_ok(w, ag_fault_setup("store.sync:1+", &w->err)); /* the store syncs by itself */
	assert_ok(w, ag_journal_end(j, NULL, &r, &w->err));
	assert_ok(w, ag_journal_flush(j, &w->err));
	assert_int_equal(ag_journal_stats_of(j).nsync, 0);
	assert_int_equal(rows(w, &got), 1);
	AG_IGNORE(ag_fault_setup(NULL, NULL), "cannot fail");
	assert_ok(w, ag_journal_close(j, &w->err));
}

/* --- calls that take long --- */

static size_t wait_for_rows(world *w, size_t n, ag_ledger_row **ret)
{
	int64_t began = mono();

	while (rows(w, ret) < n) {
		if (mono() - began > 2000)
			fail_msg("%zu rows are not there after 2 s", n);
		sleep_ms(2);
	}
	return rows(w, ret);
}

static void a_long_call_has_a_first_row(void **state)
{
	world *w = *state;
	ag_ledger_row r = a_row(7), *got;
	ag_journal_call call, quick;
	int64_t began = mono();

	assert_ok(w, ag_journal_begin(w->j, &call, &r, &w->err));
	assert_ok(w, ag_journal_begin(w->j, &quick, &r, &w->err));
	assert_ok(w, ag_journal_end(w->j, &quick, &r, &w->err));
	wait_for_rows(w, 2, &got);
	/* 50 ms is the promise; a loaded machine with sanitizers gets more. */
	if (mono() - began > 500)
		fail_msg("the first row took %d ms", (int)(mono() - began));
	assert_true(mono() - began >= AG_JOURNAL_BEGAN_MS - 10);
	assert_true(ag_str_eqc(got[1].outcome, AG_LEDGER_BEGAN));
	assert_true(ag_str_eqc(got[1].sql, "select 1"));
	assert_int_equal(ag_owner_state_of(got[1].owner), AG_OWNER_ALIVE);
	assert_ok(w, ag_journal_end(w->j, &call, &r, &w->err));
	assert_int_equal(rows(w, &got), 3);
	assert_int_equal(got[0].began, 0);
	assert_int_equal(got[2].began, 2);
	assert_int_equal(got[2].owner.len, 0);
	assert_int_equal(whole_rows(w), 3);
}

static void *long_calls(void *arg)
{
	for (int i = 0; i < 4; i++) {
		ag_ledger_row r = a_row(i);
		ag_journal_call call;

		if (ag_journal_begin(arg, &call, &r, NULL))
			return arg;
		sleep_ms(AG_JOURNAL_BEGAN_MS - 2 +
		         i); /* they end as their first rows are written */
		if (ag_journal_end(arg, &call, &r, NULL))
			return arg;
	}
	return NULL;
}

static void first_rows_and_last_ones_meet(void **state)
{
	world *w = *state;
	pthread_t thread[16];
	ag_ledger_row *got;
	void *failed;
	size_t n, nfirst = 0, nlast = 0;

	for (size_t i = 0; i < AG_NELEM(thread); i++)
		assert_int_equal(pthread_create(&thread[i], NULL, long_calls, w->j), 0);
	for (size_t i = 0; i < AG_NELEM(thread); i++) {
		pthread_join(thread[i], &failed);
		assert_null(failed);
	}
	n = rows(w, &got);
	for (size_t i = 0; i < n; i++) {
		nfirst += got[i].owner.len > 0;
		nlast += got[i].began > 0;
		assert_true(!got[i].began ||
		            (got[i].began < got[i].seq && got[got[i].began - 1].owner.len > 0));
	}
	assert_int_equal(nfirst, nlast);
	assert_int_equal(n, 4 * AG_NELEM(thread) + nfirst);
	assert_int_equal(whole_rows(w), n);
}

static void a_first_row_waits_for_a_store_that_works(void **state)
{
	world *w = *state;
	ag_ledger_row r = a_row(1), *got;
	ag_journal_call call;

	add(w, 0);
	assert_ok(w, ag_fault_setup("store.write:1+", &w->err));
	assert_ok(w, ag_journal_begin(w->j, &call, &r, &w->err));
	sleep_ms(3 * AG_JOURNAL_BEGAN_MS);
	assert_int_equal(rows(w, &got), 1);
	AG_IGNORE(ag_fault_setup(NULL, NULL), "cannot fail");
	wait_for_rows(w, 2, &got);
	assert_ok(w, ag_journal_end(w->j, &call, &r, &w->err));
	assert_int_equal(rows(w, &got), 3);
	assert_int_equal(got[2].began, 2);
}

/* --- many --- */

static void a_flush_waits_for_all(void **state)
{
	world *w = *state;
	ag_ledger_row *got;

	assert_ok(w, ag_journal_flush(w->j, &w->err)); /* of nothing */
	for (int i = 0; i < 1000; i++)
		add(w, i);
	assert_ok(w, ag_journal_flush(w->j, &w->err));
	assert_int_equal(rows(w, &got), 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(got[i].at_ms, i);
	assert_ok(w, ag_journal_flush(w->j, &w->err));
	assert_true(ag_journal_is_whole(w->j));
}

static void closing_writes_the_rest(void **state)
{
	world *w = *state;

	for (int i = 0; i < 10000; i++)
		add(w, i);
	assert_ok(w, ag_journal_close(w->j, &w->err));
	w->j = NULL;
	assert_int_equal(whole_rows(w), 10000);
	assert_int_equal(ag_journal_close(NULL, &w->err), AG_OK);
}

static void *add_many(void *arg)
{
	for (int i = 0; i < 3000; i++) {
		ag_ledger_row r = a_row(i);

		if (ag_journal_end(arg, NULL, &r, NULL))
			return arg;
	}
	return NULL;
}

static void threads_add(void **state)
{
	world *w = *state;
	pthread_t thread[4];
	void *failed;

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, add_many, w->j), 0);
	for (int i = 0; i < 50; i++)
		assert_ok(w, ag_journal_flush(w->j, &w->err));
	for (int i = 0; i < 4; i++) {
		pthread_join(thread[i], &failed);
		assert_null(failed);
	}
	assert_ok(w, ag_journal_flush(w->j, &w->err));
	assert_int_equal(whole_rows(w), 12000);
	assert_true(ag_journal_stats_of(w->j).ngroup <= 12000);
}

/* How often the journal's thread gave up its processor to wait; -1 = there is no such thread. */
static long sleeps_of_thread(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	long ret = -1;

	assert_non_null(tasks);
	while ((task = readdir(tasks)) && ret < 0) {
		char path[320], line[200] = "";
		bool is_it = false;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/status", task->d_name);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f)) {
			is_it = is_it || strcmp(line, "Name:\tjournal\n") == 0;
			if (is_it && sscanf(line, "voluntary_ctxt_switches: %ld", &ret) == 1)
				break;
		}
		if (f)
			fclose(f);
	}
	closedir(tasks);
	return ret;
}

/* No work, no wake-ups. */
static void an_idle_journal_sleeps(void **state)
{
	world *w = *state;
	long before;

	assert_int_equal(sleeps_of_thread(), -1); /* nothing was added yet */
	add(w, 1);
	assert_ok(w, ag_journal_flush(w->j, &w->err));
	sleep_ms(100);
	before = sleeps_of_thread();
	assert_true(before > 0);
	sleep_ms(400);
	assert_int_equal(sleeps_of_thread(), before);
}

/* --- texts --- */

static void texts_are_cut_and_mended(void **state)
{
	world *w = *state;
	ag_ledger_row r = a_row(-5), *got;
	char *sql = ag_arena_alloc(w->arena, 40000), *tables = ag_arena_alloc(w->arena, 40000);
	size_t n = 0;

	for (size_t i = 0; i < 20000; i++)
		memcpy(sql + 2 * i, "\xc3\xa4", 2);
	n += (size_t)snprintf(tables, 40000, "[\"t\"");
	while (n < 30000)
		n += (size_t)snprintf(tables + n, 40000 - n, ",\"public.t%zu\"", n);
	tables[n++] = ']';
	r.sql = ag_str_make(sql + 1, 39999); /* begins within a character */
	r.tables = ag_str_make(tables, n);
	r.tool = AG_S("a\0b\xff");
	r.nrow = UINT64_MAX;
	assert_ok(w, ag_journal_end(w->j, NULL, &r, &w->err));
	memset(sql, 'x', 40000); /* it was copied */
	assert_ok(w, ag_journal_flush(w->j, &w->err));
	assert_int_equal(rows(w, &got), 1);
	assert_true(got[0].sql.len <= AG_LEDGER_MAX_SQL && got[0].sql.len > AG_LEDGER_MAX_SQL - 8);
	assert_true(ag_str_starts(got[0].sql, AG_S("\xef\xbf\xbd\xc3\xa4")));
	assert_true(ag_str_ends(got[0].sql, AG_S("\xc3\xa4")));
	assert_true(got[0].tables.len <= AG_LEDGER_MAX_TEXT && got[0].tables.len > 16000);
	assert_true(ag_str_ends(got[0].tables, AG_S("\"]")));
	assert_true(ag_str_eqc(got[0].tool, "a\xef\xbf\xbd"
	                                    "b\xef\xbf\xbd"));
	assert_int_equal(got[0].at_ms, 0);
	assert_int_equal(got[0].nrow, INT64_MAX);
	assert_int_equal(whole_rows(w), 1);
}

static void secrets_do_not_get_in(void **state)
{
	world *w = *state;
	ag_ledger_row r = a_row(1), *got;
	char *sql = ag_arena_alloc(w->arena, AG_LEDGER_MAX_SQL + 100);

	ag_log_redact(AG_S("hunter2-canary"));
	r.sql = AG_S("select 'hunter2-canary', 'hunter3-canary'");
	r.detail = AG_S("{\"a\":\"hunter2-canary\"}");
	assert_ok(w, ag_journal_end(w->j, NULL, &r, &w->err));
	memset(sql, ' ', AG_LEDGER_MAX_SQL + 100);
	memcpy(sql + AG_LEDGER_MAX_SQL - 9, "hunter2-canary", 14); /* the limit cuts it in two */
	r.sql = ag_str_make(sql, AG_LEDGER_MAX_SQL + 100);
	assert_ok(w, ag_journal_end(w->j, NULL, &r, &w->err));
	assert_ok(w, ag_journal_flush(w->j, &w->err));
	ag_secrets_forget();
	assert_int_equal(rows(w, &got), 2);
	assert_true(ag_str_eqc(got[0].sql, "select '[redacted]', 'hunter3-canary'"));
	assert_true(ag_str_eqc(got[0].detail, "{\"a\":\"[redacted]\"}"));
	assert_false(ag_str_contains(got[1].sql, AG_S("hunt")));
}

/* --- a store that fails --- */

static void wait_for(world *w, bool is_whole)
{
	int64_t began = mono();

	while (ag_journal_is_whole(w->j) != is_whole) {
		if (mono() - began > 20000)
			fail_msg("never became %s", is_whole ? "whole" : "broken");
		sleep_ms(2);
	}
}

static void a_full_disk_is_seen_and_loses_nothing(void **state)
{
	world *w = *state;
	ag_ledger_row r = a_row(2), *got;
	ag_err err = { 0 };

	add(w, 1);
	assert_ok(w, ag_journal_flush(w->j, &w->err));
	assert_ok(w, ag_fault_setup("store.write:1+", &w->err));
	assert_true(ag_journal_is_whole(w->j));
	assert_int_equal(ag_journal_end(w->j, NULL, &r, &err), AG_UNAVAILABLE);
	assert_non_null(strstr(err.hint, "disk is full"));
	assert_false(ag_journal_is_whole(w->j));
	r = a_row(3);
	r.outcome = AG_S("PERMISSION_DENIED");
	assert_int_equal(ag_journal_end(w->j, NULL, &r, &err), AG_UNAVAILABLE); /* kept as well */
	assert_int_equal(ag_journal_flush(w->j, &err), AG_IO);
	assert_non_null(strstr(err.hint, "disk is full"));
	assert_int_equal(whole_rows(w), 1);
	assert_ok(w, ag_fault_setup(NULL, &w->err));
	wait_for(w, true);
	assert_ok(w, ag_journal_flush(w->j, &w->err));
	assert_int_equal(whole_rows(w), 3);
	assert_int_equal(rows(w, &got), 3);
	/* What the client was told, not what the database said. */
	assert_true(ag_str_eqc(got[1].outcome, "UNAVAILABLE"));
	assert_true(ag_str_eqc(got[1].detail, "the answer was withheld"));
	assert_true(ag_str_eqc(got[2].outcome, "PERMISSION_DENIED"));
}

static void a_sync_that_fails_is_seen(void **state)
{
	world *w = *state;
	ag_err err = { 0 };

	assert_ok(w, ag_fault_setup("store.sync:1+", &w->err));
	add(w, 1);
	wait_for(w, false);
	assert_int_equal(ag_journal_flush(w->j, &err), AG_IO);
	assert_non_null(strstr(err.msg, "to disk"));
	assert_ok(w, ag_fault_setup(NULL, &w->err));
	wait_for(w, true);
	assert_ok(w, ag_journal_flush(w->j, &w->err));
	assert_int_equal(whole_rows(w), 1);
}

static void what_waits_has_a_limit(void **state)
{
	world *w = *state;
	ag_ledger_row r = a_row(1);
	ag_err err = { 0 };

	assert_ok(w, ag_fault_setup("store.commit:1+", &w->err));
	for (unsigned i = 0; i < AG_JOURNAL_MAX_WAITING; i++) {
		assert_int_equal(ag_journal_end(w->j, NULL, &r, &err), AG_UNAVAILABLE);
		assert_null(strstr(err.msg, "no more rows fit"));
	}
	assert_int_equal(ag_journal_end(w->j, NULL, &r, &err), AG_UNAVAILABLE);
	assert_non_null(strstr(err.msg, "no more rows fit"));
	assert_ok(w, ag_fault_setup(NULL, &w->err));
	wait_for(w, true);
	assert_ok(w, ag_journal_flush(w->j, &w->err));
	assert_int_equal(whole_rows(w), AG_JOURNAL_MAX_WAITING);
	/* The one that did not fit is told at the end. */
	assert_int_equal(ag_journal_close(w->j, &err), AG_IO);
	w->j = NULL;
	assert_non_null(strstr(err.msg, "1 calls could not be written"));
}

static void closing_tells_what_is_lost(void **state)
{
	world *w = *state;
	ag_ledger_row r = a_row(1);
	ag_err err = { 0 };

	assert_ok(w, ag_fault_setup("store.commit:1+", &w->err));
	for (int i = 0; i < 7; i++)
		assert_int_equal(ag_journal_end(w->j, NULL, &r, &err), AG_UNAVAILABLE);
	assert_int_equal(ag_journal_close(w->j, &err), AG_IO);
	w->j = NULL;
	assert_non_null(strstr(err.msg, "7 calls could not be written"));
	assert_ok(w, ag_fault_setup(NULL, &w->err));
	assert_int_equal(whole_rows(w), 0);
}

static void a_thread_that_cannot_start_is_told(void **state)
{
	world *w = *state;
	ag_ledger_row r = a_row(1);

	assert_ok(w, ag_fault_setup("thread.start:1", &w->err));
	assert_int_equal(ag_journal_end(w->j, NULL, &r, &w->err), AG_UNAVAILABLE);
	assert_false(ag_journal_is_whole(w->j));
	assert_ok(w, ag_fault_setup(NULL, &w->err));
	add(w, 1);
	assert_ok(w, ag_journal_flush(w->j, &w->err));
	assert_true(ag_journal_is_whole(w->j));
}

static void *add_one(void *arg)
{
	ag_ledger_row r = a_row(1);

	return ag_journal_end(arg, NULL, &r, NULL) ? arg : NULL;
}

/* Another process holds the lock: who waits gets its row when the lock is free; after a second the others are told. */
static void a_locked_store_is_seen(void **state)
{
	world *w = *state;
	pthread_t first, second;
	ag_ledger_row r = a_row(2);
	ag_err err = { 0 };
	void *failed;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(w->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(pthread_create(&first, NULL, add_one, w->j), 0);
	sleep_ms(50);
	assert_true(ag_journal_is_whole(w->j));
	assert_int_equal(pthread_create(&second, NULL, add_one, w->j), 0);
	wait_for(w, false);
	assert_int_equal(ag_journal_end(w->j, NULL, &r, &err), AG_UNAVAILABLE);
	assert_non_null(strstr(err.msg, "locked"));
	pthread_join(second, &failed);
	assert_non_null(failed); /* it waited behind the first, and gave up */
	assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	pthread_join(first, &failed);
	assert_null(failed);
	wait_for(w, true);
	assert_ok(w, ag_journal_flush(w->j, &w->err));
	assert_int_equal(whole_rows(w), 3);
}

/* --- kill -9 --- */

static void a_killed_process_leaves_what_was_committed(void **state)
{
	world *w = *state;
	uint64_t committed = 0;

	AG_IGNORE(ag_journal_close(w->j, NULL), "children have their own");
	w->j = NULL;
	w->reader = ag_store_close(w->reader);
	for (int round = 0; round < 4; round++) {
		int fd[2];
		char byte;
		pid_t pid;

		assert_int_equal(pipe(fd), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			ag_journal *j = NULL;

			if (ag_journal_open(ag_str_c(w->path), AG_JOURNAL_NORMAL, &j, NULL))
				_exit(1);
			for (int i = 0;; i++) {
				ag_ledger_row r = a_row(i);

				if (ag_journal_end(j, NULL, &r, NULL))
					_exit(2);
				if (write(fd[1], "x", 1) != 1)
					_exit(3);
			}
		}
		close(fd[1]);
		assert_int_equal(read(fd[0], &byte, 1), 1);
		sleep_ms(10 + 7 * round);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		for (committed++; read(fd[0], &byte, 1) == 1;)
			committed++;
		close(fd[0]);
	}
	assert_ok(w, ag_store_open(ag_str_c(w->path), &w->reader, &w->err));
	assert_true(whole_rows(w) >= committed);
	assert_true(committed > 100);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_row_is_committed_when_its_call_ends),
		T(others_are_seen_and_own_rows_do_not_count),
		T(the_log_is_synced_by_the_clock),
		T(full_syncs_every_commit),
		T(a_long_call_has_a_first_row),
		T(first_rows_and_last_ones_meet),
		T(a_first_row_waits_for_a_store_that_works),
		T(a_flush_waits_for_all),
		T(closing_writes_the_rest),
		T(threads_add),
		T(an_idle_journal_sleeps),
		T(texts_are_cut_and_mended),
		T(secrets_do_not_get_in),
		T(a_full_disk_is_seen_and_loses_nothing),
		T(a_sync_that_fails_is_seen),
		T(what_waits_has_a_limit),
		T(closing_tells_what_is_lost),
		T(a_thread_that_cannot_start_is_told),
		T(a_locked_store_is_seen),
		T(a_killed_process_leaves_what_was_committed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
