/* Stores that several handles share: reopening, many threads and processes at once, kill -9.
 *
 * Runs on every fixture whose store is shared. Children leave by _exit() with a number that names
 * the place where they failed; no handle is open across a fork(), which SQLite forbids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"
#include "store_fixtures.h"

static const store_fixture *fixture; /* of the group that runs */

static int setup(void **state)
{
	*state = store_env_new(fixture);
	return 0;
}

static int teardown(void **state)
{
	store_env_free(*state);
	return 0;
}

/* --- reopening --- */

static void everything_is_there_after_reopening(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);
	ag_run_row row = store_test_run(&run, 7, "k"), got;
	ag_store_batch b = { .run = &row, .report = AG_S("{\"a\":1}") };
	ag_str report;

	assert_ok(env, store_env_reopen(env));
	assert_ok(env, ag_store_commit(env->store, &run, &b, &env->err));
	assert_ok(env, store_test_append(env->store, env->arena, &run, 1, 40, false, &env->err));
	assert_ok(env, store_env_reopen(env));
	assert_int_equal(store_test_log_length(env->store, env->arena, &run), 40);
	assert_ok(env, ag_store_find_run(env->store, AG_S("last"), env->arena, &got, &env->err));
	assert_string_equal(got.id.text, run.text);
	assert_ok(env, ag_store_report(env->store, &run, env->arena, &report, &env->err));
	assert_true(ag_str_eqc(report, "{\"a\":1}"));
	assert_ok(env, store_test_append(env->store, env->arena, &run, 41, 41, true, &env->err));
	assert_int_equal(store_test_append(env->store, env->arena, &run, 41, 41, true, &env->err),
	                 AG_CONFLICT);
}

/* --- threads --- */

enum { NTHREAD = 8, NSTEP = 120 };

typedef struct worker {
	const char *uri;
	ag_store_group *group;
	bool is_shared; /* its handle is one of the group's own */
	ag_id run;
	uint64_t nwritten;
	ag_status status;
	ag_err err;
} worker;

static void *append_to_own_run(void *arg)
{
	worker *w = arg;
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	AG_AUTO(ag_store_closep) ag_store *s = NULL;

	w->status = ag_store_open(ag_str_c(w->uri), &s, &w->err);
	for (uint64_t seq = 1; !w->status && seq <= NSTEP; seq++) {
		w->status = store_test_append(s, arena, &w->run, seq, seq, seq % 8 == 0, &w->err);
		if (!w->status && seq % 40 == 0)
			w->status = store_test_log_length(s, arena, &w->run) == (int64_t)seq
			                    ? AG_OK
			                    : AG_INTERNAL;
	}
	return NULL;
}

static void run_threads(store_env *env, void *(*fn)(void *), worker *w)
{
	pthread_t thread[NTHREAD];

	for (size_t i = 0; i < NTHREAD; i++) {
		w[i].uri = env->uri;
		assert_int_equal(pthread_create(&thread[i], NULL, fn, &w[i]), 0);
	}
	for (size_t i = 0; i < NTHREAD; i++)
		pthread_join(thread[i], NULL);
	for (size_t i = 0; i < NTHREAD; i++) {
		if (w[i].status)
			fail_msg("thread %zu: %s", i, w[i].err.msg);
	}
}

static void threads_append_to_own_runs(void **state)
{
	store_env *env = *state;
	worker w[NTHREAD] = { 0 };

	for (size_t i = 0; i < NTHREAD; i++)
		w[i].run = ag_id_new(&ag_clock_system);
	run_threads(env, append_to_own_run, w); /* they also race to make the store */
	assert_ok(env, store_env_reopen(env));
	for (size_t i = 0; i < NTHREAD; i++)
		assert_int_equal(store_test_log_length(env->store, env->arena, &w[i].run), NSTEP);
}

/* Each step is followed by one that must fail, and fails alone. */
static void *append_in_group(void *arg)
{
	worker *w = arg;
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	AG_AUTO(ag_store_closep) ag_store *s = NULL;

	if (w->is_shared)
		s = ag_store_of_group(w->group);
	else
		w->status = ag_store_open(ag_str_c(w->uri), &s, &w->err);
	if (w->status)
		return NULL;
	ag_store_join(s, w->group);
	for (uint64_t seq = 1; !w->status && seq <= NSTEP; seq++) {
		ag_err why = { 0 };

		w->status = store_test_append(s, arena, &w->run, seq, seq, seq % 8 == 0, &w->err);
		if (w->status || seq % 3)
			continue;
		if (store_test_append(s, arena, &w->run, seq, seq, false, &why) != AG_CONFLICT ||
		    !strstr(why.msg, w->run.text) ||
		    store_test_log_length(s, arena, &w->run) != (int64_t)seq)
			w->status = AG_INTERNAL;
	}
	return NULL;
}

static void a_group_commits_for_its_threads(void **state)
{
	store_env *env = *state;
	ag_store_group *group = NULL;
	worker w[NTHREAD] = { 0 };

	assert_ok(env, ag_store_group_open(ag_str_c(env->uri), &group, &env->err));
	for (size_t i = 0; i < NTHREAD; i++) {
		w[i].run = ag_id_new(&ag_clock_system);
		w[i].group = group;
		w[i].is_shared = i % 2;
	}
	run_threads(env, append_in_group, w);
	ag_store_group_close(group);
	assert_ok(env, store_env_reopen(env));
	for (size_t i = 0; i < NTHREAD; i++)
		assert_int_equal(store_test_log_length(env->store, env->arena, &w[i].run), NSTEP);
}

/* More handles than the group has connections, each of which begins to read before any ends. */
static void handles_of_a_group_share_its_connections(void **state)
{
	store_env *env = *state;
	const ag_id run = ag_id_new(&ag_clock_system);
	ag_store_group *group = NULL;
	ag_store *s[200];

	assert_ok(env, ag_store_group_open(ag_str_c(env->uri), &group, &env->err));
	for (size_t i = 0; i < AG_NELEM(s); i++) {
		s[i] = ag_store_of_group(group);
		ag_store_set_patience(s[i], i % 2 ? 3000 : AG_STORE_PATIENCE_MS);
		assert_ok(env, store_test_append(s[i], env->arena, &run, i + 1, i + 1, i % 8 == 0,
		                                 &env->err));
	}
	for (size_t i = 0; i < AG_NELEM(s); i++)
		assert_int_equal(store_test_log_length(s[i], env->arena, &run), AG_NELEM(s));
	for (size_t i = 0; i < AG_NELEM(s); i++)
		ag_store_close(s[i]);
	ag_store_group_close(group);
}

/* A server that gives fewer connections than the group would take. */
static void a_group_does_with_the_connections_it_gets(void **state)
{
	store_env *env = *state;
	ag_store_group *group = NULL;
	worker w[NTHREAD] = { 0 };
	char uri[sizeof(env->uri)];

	store_env_sql(env, "CREATE ROLE few LOGIN PASSWORD 'secret' CONNECTION LIMIT 3");
	store_env_sql(env, "GRANT CREATE ON DATABASE s TO few");
	snprintf(uri, sizeof(uri), "postgresql://few%s", strchr(env->uri + 13, ':'));
	assert_ok(env, ag_store_group_open(ag_str_c(uri), &group, &env->err));
	for (size_t i = 0; i < NTHREAD; i++) {
		w[i].run = ag_id_new(&ag_clock_system);
		w[i].group = group;
		w[i].is_shared = true;
	}
	run_threads(env, append_in_group, w);
	ag_store_group_close(group);
	store_env_sql(env, "DROP OWNED BY few CASCADE");
	store_env_sql(env, "DROP ROLE few");
}

/* Of a file, which one connection can lock as a whole. */
static void a_member_waits_no_longer_than_it_has_patience(void **state)
{
	store_env *env = *state;
	const ag_id run = ag_id_new(&ag_clock_system);
	ag_store_group *group = NULL;
	const ag_clock *clock = &ag_clock_system;
	sqlite3 *other = NULL;
	ag_store *s;
	int64_t began;

	assert_ok(env, ag_store_group_open(ag_str_c(env->uri), &group, &env->err));
	s = ag_store_of_group(group);
	assert_ok(env, store_test_append(s, env->arena, &run, 1, 1, false, &env->err));
	assert_int_equal(sqlite3_open(strchr(env->uri, '/'), &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	ag_store_set_patience(s, 400);
	began = ag_clock_mono(clock);
	assert_int_equal(store_test_append(s, env->arena, &run, 2, 2, false, &env->err),
	                 AG_UNAVAILABLE);
	assert_in_range(ag_clock_mono(clock) - began, 350, 5000);
	sqlite3_close(other);
	assert_ok(env, store_test_append(s, env->arena, &run, 2, 2, false, &env->err));
	ag_store_close(s);
	ag_store_group_close(group);
}

/* Guess the next number; whoever is late gets a conflict and looks again. */
static void *append_to_one_run(void *arg)
{
	worker *w = arg;
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	AG_AUTO(ag_store_closep) ag_store *s = NULL;
	uint64_t next = 1;

	w->status = ag_store_open(ag_str_c(w->uri), &s, &w->err);
	while (!w->status && next <= NSTEP) {
		w->status = store_test_append(s, arena, &w->run, next, next, false, &w->err);
		if (!w->status) {
			w->nwritten++;
			next++;
		} else if (w->status == AG_CONFLICT) {
			int64_t n = store_test_log_length(s, arena, &w->run);

			w->status = n >= (int64_t)next ? AG_OK : AG_INTERNAL;
			next = (uint64_t)n + 1;
		}
	}
	return NULL;
}

static void threads_append_to_one_run(void **state)
{
	store_env *env = *state;
	worker w[NTHREAD] = { 0 };
	ag_id run = ag_id_new(&ag_clock_system);
	uint64_t total = 0;

	for (size_t i = 0; i < NTHREAD; i++)
		w[i].run = run;
	run_threads(env, append_to_one_run, w);
	for (size_t i = 0; i < NTHREAD; i++)
		total += w[i].nwritten;
	assert_int_equal(total, NSTEP);
	assert_ok(env, store_env_reopen(env));
	assert_int_equal(store_test_log_length(env->store, env->arena, &run), NSTEP);
}

/* --- processes --- */

enum { NPROCESS = 4, NEVENT = 25, NROUND = 12 };

/* Waits until the parent closes the pipe, so that all start at one moment. */
static int process_main(store_env *env, int gate, const ag_id *run)
{
	ag_store *s = NULL;
	char c;

	if (read(gate, &c, 1) != 0)
		return 10;
	if (ag_store_open(ag_str_c(env->uri), &s, &env->err))
		goto failed;
	for (uint64_t seq = 1; seq <= NEVENT; seq++) {
		if (store_test_append(s, env->arena, run, seq, seq, seq % 5 == 0, &env->err))
			goto failed;
	}
	ag_store_close(s);
	return 0;
failed:
	dprintf(STDERR_FILENO, "process: %s\n", env->err.msg);
	return 11;
}

static void one_round_of_processes(store_env *env)
{
	ag_id run[NPROCESS];
	pid_t pid[NPROCESS];
	int gate[2];

	assert_int_equal(pipe(gate), 0);
	for (size_t i = 0; i < NPROCESS; i++) {
		run[i] = ag_id_new(&ag_clock_system);
		pid[i] = fork();
		if (pid[i] == 0) {
			close(gate[1]);
			_exit(process_main(env, gate[0], &run[i]));
		}
		assert_true(pid[i] > 0);
	}
	close(gate[0]);
	close(gate[1]);
	for (size_t i = 0; i < NPROCESS; i++) {
		int status = -1;

		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
	assert_ok(env, store_env_reopen(env));
	for (size_t i = 0; i < NPROCESS; i++)
		assert_int_equal(store_test_log_length(env->store, env->arena, &run[i]), NEVENT);
	env->store = ag_store_close(env->store);
}

static void processes_open_a_fresh_store_at_once(void **state)
{
	store_env *env = *state;

	for (int i = 0; i < NROUND; i++) {
		store_env_new_uri(env);
		one_round_of_processes(env);
	}
}

/* Commits until killed; every committed number goes to the parent after its commit. */
static int write_until_killed(store_env *env, int out, const ag_id *run, uint64_t next)
{
	ag_store *s = NULL;

	if (ag_store_open(ag_str_c(env->uri), &s, &env->err))
		return 12;
	for (;; next += 2) {
		if (store_test_append(s, env->arena, run, next, next + 1, next % 3 == 0, &env->err))
			return 13;
		if (write(out, &next, sizeof(next)) != sizeof(next))
			return 14;
	}
}

/* A server's process may still commit what a writer had sent before it was killed: until it is gone, the length of the log is
 * not known. */
static void wait_for_the_server(store_env *env)
{
	if (!env->fixture->is_server)
		return;
	env->store = ag_store_close(env->store);
	while (!ag_str_eqc(store_env_sql(env,
	                                 "SELECT count(*) FROM pg_stat_activity WHERE datname = "
	                                 "current_database() AND pid <> pg_backend_pid()"),
	                   "0"))
		usleep(10000);
}

static void killed_writer_loses_nothing(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);
	int64_t length = 0;

	for (unsigned round = 0; round < 12; round++) {
		uint64_t seen = 0, want = (uint64_t)length + 1 + 14 * round;
		int status = 0, p[2];
		pid_t pid;

		assert_int_equal(pipe(p), 0);
		pid = fork();
		if (pid == 0)
			_exit(write_until_killed(env, p[1], &run, (uint64_t)length + 1));
		close(p[1]);
		while (seen < want && read(p[0], &seen, sizeof(seen)) == sizeof(seen))
			continue;
		usleep(137 * round); /* somewhere within a commit */
		kill(pid, SIGKILL);
		while (read(p[0], &seen, sizeof(seen)) == sizeof(seen))
			continue; /* committed before it died */
		close(p[0]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		wait_for_the_server(env);
		assert_ok(env, store_env_reopen(env));
		length = store_test_log_length(env->store, env->arena, &run);
		assert_true(length >= (int64_t)seen + 1);
		assert_int_equal(length % 2, 0); /* batches of two are whole */
		env->store = ag_store_close(env->store);
	}
}

/* Takes the right to write, gives it back when it is told to, and lives on until it is told again. */
static int write_and_stay(store_env *env, int said, int told, const ag_id *run)
{
	ag_store *s = NULL;
	ag_err err = { 0 };
	const ag_str me = ag_owner_new(&ag_clock_system, env->arena);
	const int64_t now_ms = ag_clock_wall(&ag_clock_system);
	char c = 0;

	if (ag_store_open(ag_str_c(env->uri), &s, &err) ||
	    ag_store_lease(s, run, me, now_ms, 60000, &err))
		return 1;
	if (write(said, &c, 1) != 1 || read(told, &c, 1) != 1)
		return 2;
	if (ag_store_lease(s, run, me, now_ms, 0, &err))
		return 3;
	if (write(said, &c, 1) != 1 || read(told, &c, 1) != 1)
		return 4;
	ag_store_close(s);
	return 0;
}

/* A worker gives back what it wrote, and takes the next job: others may write then, though it lives. */
static void a_living_writer_gives_back(void **state)
{
	store_env *env = *state;
	const ag_id run = ag_id_new(&ag_clock_system);
	const ag_str me = ag_owner_new(&ag_clock_system, env->arena);
	int said[2], told[2], status = 0;
	char c = 0;
	pid_t pid;

	assert_int_equal(pipe(said), 0);
	assert_int_equal(pipe(told), 0);
	pid = fork();
	if (pid == 0)
		_exit(write_and_stay(env, said[1], told[0], &run));
	assert_int_equal(read(said[0], &c, 1), 1);
	assert_ok(env, store_env_reopen(env));
	assert_int_equal(ag_store_lease(env->store, &run, me, ag_clock_wall(&ag_clock_system), 1000,
	                                &env->err),
	                 AG_CONFLICT);
	assert_int_equal(write(told[1], &c, 1), 1);
	assert_int_equal(read(said[0], &c, 1), 1);
	assert_ok(env, ag_store_lease(env->store, &run, me, ag_clock_wall(&ag_clock_system), 1000,
	                              &env->err));
	env->store = ag_store_close(env->store);
	assert_int_equal(write(told[1], &c, 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	for (size_t i = 0; i < 2; i++) {
		close(said[i]);
		close(told[i]);
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(everything_is_there_after_reopening),
		T(threads_append_to_own_runs),
		T(threads_append_to_one_run),
		T(a_group_commits_for_its_threads),
		T(handles_of_a_group_share_its_connections),
		T(processes_open_a_fresh_store_at_once),
		T(killed_writer_loses_nothing),
		T(a_living_writer_gives_back),
	};
	const struct CMUnitTest file_tests[] = {
		T(a_member_waits_no_longer_than_it_has_patience),
	};
	const struct CMUnitTest server_tests[] = {
		T(a_group_does_with_the_connections_it_gets),
	};
	int nfailed = 0;

	for (size_t i = 0; i < nstore_fixture; i++) {
		fixture = &store_fixtures[i];
		if (store_fixture_start(fixture))
			continue;
		if (fixture->is_shared)
			nfailed += cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
		if (fixture->is_file)
			nfailed += cmocka_run_group_tests_name("file", file_tests, NULL, NULL);
		if (fixture->is_server)
			nfailed += cmocka_run_group_tests_name("server", server_tests, NULL, NULL);
		store_fixture_stop(fixture);
	}
	return nfailed > 0;
}
