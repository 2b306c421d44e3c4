/* Jobs and schedules of a store: who gets which job, what holds when workers die, what is queued once.
 *
 * Times are given, so nothing here sleeps for a lease. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/owner.h"
#include "store/jobs.h"
#include "store_fixtures.h"

#define NOW    INT64_C(1700000000000)
#define MINUTE INT64_C(60000)

static const store_fixture *fixture; /* of the group that runs */

static int setup(void **state)
{
	store_env *env = store_env_new(fixture);

	assert_ok(env, ag_store_open(ag_str_c(env->uri), &env->store, &env->err));
	*state = env;
	return 0;
}

static int teardown(void **state)
{
	store_env_free(*state);
	return 0;
}

static ag_job a_job(const char *target)
{
	return (ag_job){ .queue = AG_S("main"),
		         .kind = AG_S("audit"),
		         .target = ag_str_c(target),
		         .payload = AG_S("{\"project\":\"shop\"}"),
		         .max_attempts = 2 };
}

static ag_id add(store_env *env, const char *target, int64_t now)
{
	ag_job j = a_job(target);
	ag_id id;

	assert_ok(env, ag_store_add_jobs(env->store, &j, 1, now, &id, NULL, &env->err));
	return id;
}

static bool take(store_env *env, const char *owner, int64_t now, uint64_t per_target, ag_job *ret)
{
	const ag_job_wish w = { .queue = AG_S("main"),
		                .owner = ag_str_c(owner),
		                .now_ms = now,
		                .lease_ms = MINUTE,
		                .per_target = per_target };
	bool found = false;

	assert_ok(env, ag_store_take_job(env->store, &w, env->arena, ret, &found, &env->err));
	return found;
}

static ag_job job_of(store_env *env, const ag_id *id)
{
	ag_job j;

	assert_ok(env, ag_store_job(env->store, ag_id_str(id), env->arena, &j, &env->err));
	return j;
}

static ag_status end(store_env *env, const ag_job *j, ag_job_state state, int64_t now)
{
	const ag_job_end e = { .state = state, .result = AG_S("{\"n\":1}"), .error = AG_S("why") };

	return ag_store_end_job(env->store, j, &e, now, &env->err);
}

/* --- one worker --- */

static void a_job_is_added_taken_and_ended(void **state)
{
	store_env *env = *state;
	const ag_id first = add(env, "", NOW), second = add(env, "", NOW + 1);
	ag_job j, got;

	assert_false(take(env, "ann", NOW - 1, 0, &j)); /* not due yet */
	assert_true(take(env, "ann", NOW + 5, 0, &j));
	assert_string_equal(j.id.text, first.text);
	assert_int_equal(j.attempts, 1);
	assert_true(j.run.text[0] != '\0');
	got = job_of(env, &first);
	assert_int_equal(got.state, AG_JOB_RUNNING);
	assert_int_equal(got.ready_ms, NOW + 5 + MINUTE);
	assert_string_equal(got.run.text, j.run.text);
	assert_ok(env, end(env, &j, AG_JOB_DONE, NOW + 9));
	got = job_of(env, &first);
	assert_int_equal(got.state, AG_JOB_DONE);
	assert_int_equal(got.ended_ms, NOW + 9);
	assert_str(got.result, "{\"n\":1}");
	assert_int_equal(end(env, &j, AG_JOB_DONE, NOW + 9), AG_CONFLICT);
	assert_true(take(env, "ann", NOW + 9, 0, &j));
	assert_string_equal(j.id.text, second.text);
	assert_false(take(env, "ben", NOW + 9, 0, &got));
}

static void a_job_with_a_name_is_added_once(void **state)
{
	store_env *env = *state;
	ag_job j[2] = { a_job(""), a_job("") };
	ag_id ids[2], again[2];
	size_t n;

	j[0].once = j[1].once = AG_S("job:1/orders");
	assert_ok(env, ag_store_add_jobs(env->store, j, 2, NOW, ids, &n, &env->err));
	assert_int_equal(n, 1);
	assert_string_equal(ids[0].text, ids[1].text);
	assert_ok(env, ag_store_add_jobs(env->store, j, 2, NOW, again, &n, &env->err));
	assert_int_equal(n, 0);
	assert_string_equal(ids[0].text, again[1].text);
}

static void bad_jobs_are_refused(void **state)
{
	store_env *env = *state;
	ag_job j = a_job("");

	j.queue = AG_S("a b");
	assert_int_equal(ag_store_add_jobs(env->store, &j, 1, NOW, NULL, NULL, &env->err),
	                 AG_INVALID);
	assert_non_null(strstr(env->err.msg, "queue"));
	j = a_job("");
	j.payload = AG_S("[]");
	assert_int_equal(ag_store_add_jobs(env->store, &j, 1, NOW, NULL, NULL, &env->err),
	                 AG_INVALID);
	j = a_job("");
	j.max_attempts = AG_JOB_MAX_TRIES + 1;
	assert_int_equal(ag_store_add_jobs(env->store, &j, 1, NOW, NULL, NULL, &env->err),
	                 AG_INVALID);
	assert_int_equal(ag_store_job(env->store, AG_S("0190"), env->arena, &j, &env->err),
	                 AG_NOT_FOUND);
}

/* --- leases --- */

static void a_dead_workers_job_goes_on_with_its_run(void **state)
{
	store_env *env = *state;
	const ag_id id = add(env, "", NOW);
	ag_job a, b, c;
	bool stop;

	assert_true(take(env, "ann", NOW, 0, &a));
	assert_ok(env,
	          ag_store_beat_job(env->store, &a, NOW + MINUTE / 2, MINUTE, &stop, &env->err));
	assert_false(stop);
	assert_false(take(env, "ben", NOW + MINUTE, 0, &b)); /* the beat renewed it */
	assert_true(take(env, "ben", NOW + 2 * MINUTE, 0, &b));
	assert_string_equal(b.id.text, id.text);
	assert_string_equal(b.run.text, a.run.text);
	assert_int_equal(b.attempts, 2);
	/* The one that lost it is told so, and changes nothing. */
	assert_int_equal(ag_store_beat_job(env->store, &a, NOW + 2 * MINUTE, MINUTE, &stop,
	                                   &env->err),
	                 AG_CONFLICT);
	assert_int_equal(end(env, &a, AG_JOB_DONE, NOW + 2 * MINUTE), AG_CONFLICT);
	assert_int_equal(ag_store_rerun_job(env->store, &a, &id, &env->err), AG_CONFLICT);
	assert_int_equal(job_of(env, &id).state, AG_JOB_RUNNING);
	/* It had two attempts. */
	assert_false(take(env, "cia", NOW + 4 * MINUTE, 0, &c));
	c = job_of(env, &id);
	assert_int_equal(c.state, AG_JOB_DEAD);
	assert_non_null(strstr(c.error.ptr, "died"));
	assert_ok(env, ag_store_retry_job(env->store, &id, NOW + 5 * MINUTE, &env->err));
	assert_true(take(env, "cia", NOW + 5 * MINUTE, 0, &c));
	assert_string_equal(c.run.text, a.run.text);
	assert_int_equal(c.attempts, 1);
	assert_int_equal(ag_store_retry_job(env->store, &id, NOW, &env->err), AG_INVALID);
}

static void a_job_is_handed_back(void **state)
{
	store_env *env = *state;
	const ag_id id = add(env, "", NOW);
	ag_job_end back = { .state = AG_JOB_QUEUED, .error = AG_S("busy"), .delay_ms = MINUTE };
	ag_job j;

	assert_true(take(env, "ann", NOW, 0, &j));
	assert_ok(env, ag_store_end_job(env->store, &j, &back, NOW, &env->err));
	assert_false(take(env, "ann", NOW + MINUTE - 1, 0, &j));
	assert_true(take(env, "ann", NOW + MINUTE, 0, &j));
	assert_int_equal(j.attempts, 2);
	assert_str(j.error, "busy");
	back.is_free = true;
	back.delay_ms = 0;
	assert_ok(env, ag_store_end_job(env->store, &j, &back, NOW + MINUTE, &env->err));
	assert_true(take(env, "ben", NOW + MINUTE, 0, &j));
	assert_int_equal(j.attempts, 2);
	assert_string_equal(j.id.text, id.text);
}

static void a_job_becomes_others_once(void **state)
{
	store_env *env = *state;
	ag_job children[2] = { a_job("x"), a_job("y") };
	const ag_job_end e = { .state = AG_JOB_DONE, .children = children, .nchild = 2 };
	ag_job_counts n;
	ag_job j;

	add(env, "", NOW);
	children[0].once = AG_S("job:1/a");
	children[1].once = AG_S("job:1/b");
	assert_true(take(env, "ann", NOW, 0, &j));
	assert_ok(env, ag_store_end_job(env->store, &j, &e, NOW, &env->err));
	assert_int_equal(ag_store_end_job(env->store, &j, &e, NOW, &env->err), AG_CONFLICT);
	assert_ok(env, ag_store_count_jobs(env->store, AG_S("main"), &n, &env->err));
	assert_int_equal(n.of[AG_JOB_DONE], 1);
	assert_int_equal(n.of[AG_JOB_QUEUED], 2);
	assert_int_equal(n.next_ms, NOW);
}

static void people_cancel_and_list(void **state)
{
	store_env *env = *state;
	const ag_id a = add(env, "", NOW), b = add(env, "", NOW + 1), c = add(env, "", NOW + 2);
	ag_job_filter f = { .queue = AG_S("main"), .has_state = true, .state = AG_JOB_CANCELLED };
	ag_job_state now;
	ag_job j, *list;
	bool stop = false;
	size_t n;

	assert_ok(env, ag_store_cancel_job(env->store, &a, NOW + 3, &now, &env->err));
	assert_int_equal(now, AG_JOB_CANCELLED);
	assert_int_equal(ag_store_cancel_job(env->store, &a, NOW + 3, &now, &env->err), AG_INVALID);
	assert_true(take(env, "ann", NOW + 3, 0, &j));
	assert_string_equal(j.id.text, b.text);
	assert_ok(env, ag_store_cancel_job(env->store, &b, NOW + 3, &now, &env->err));
	assert_int_equal(now, AG_JOB_RUNNING); /* its worker stops it */
	assert_ok(env, ag_store_beat_job(env->store, &j, NOW + 4, MINUTE, &stop, &env->err));
	assert_true(stop);
	/* The worker died before it could. */
	assert_true(take(env, "ben", NOW + 3 * MINUTE, 0, &j));
	assert_string_equal(j.id.text, c.text);
	assert_false(take(env, "dan", NOW + 3 * MINUTE, 0, &j));
	assert_int_equal(job_of(env, &b).state, AG_JOB_CANCELLED);
	assert_ok(env, ag_store_jobs(env->store, &f, 10, 0, env->arena, &list, &n, &env->err));
	assert_int_equal(n, 2);
	assert_true(list[0].created_ms > list[1].created_ms); /* the newest first */
	f = (ag_job_filter){ .kind = AG_S("recipe") };
	assert_ok(env, ag_store_jobs(env->store, &f, 10, 0, env->arena, &list, &n, &env->err));
	assert_int_equal(n, 0);
	assert_int_equal(ag_store_jobs(env->store, &f, 5000, 0, env->arena, &list, &n, &env->err),
	                 AG_INVALID);
}

static void old_jobs_are_purged(void **state)
{
	store_env *env = *state;
	const ag_id old = add(env, "", NOW), waits = add(env, "", NOW + 1);
	uint64_t nrun;
	ag_job j;

	assert_true(take(env, "ann", NOW, 0, &j));
	assert_ok(env, end(env, &j, AG_JOB_DONE, NOW));
	assert_ok(env, ag_store_purge(env->store, NOW + MINUTE, &nrun, &env->err));
	assert_int_equal(ag_store_job(env->store, ag_id_str(&old), env->arena, &j, &env->err),
	                 AG_NOT_FOUND);
	assert_int_equal(job_of(env, &waits).state, AG_JOB_QUEUED);
}

/* --- targets --- */

static void a_target_is_not_asked_by_all(void **state)
{
	store_env *env = *state;
	ag_job a, b, c;

	for (int i = 0; i < 3; i++)
		add(env, "mongodb://x", NOW + i);
	add(env, "mongodb://y", NOW + 3);
	assert_true(take(env, "ann", NOW + 5, 2, &a));
	assert_true(take(env, "ben", NOW + 5, 2, &b));
	assert_str(b.target, "mongodb://x");
	assert_true(take(env, "cia", NOW + 5, 2, &c));
	assert_str(c.target, "mongodb://y");
	assert_false(take(env, "dan", NOW + 5, 2, &c));
	assert_ok(env, end(env, &a, AG_JOB_DONE, NOW + 6));
	assert_true(take(env, "dan", NOW + 6, 2, &c));
	assert_str(c.target, "mongodb://x");
}

/* --- many --- */

enum { NTHREAD = 6, NJOB = 24, LIMIT = 2 };

typedef struct crowd {
	const char *uri;
	atomic_int on_target, most, ndone, nfailed;
} crowd;

static void *drain(void *arg)
{
	crowd *c = arg;
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	AG_AUTO(ag_store_closep) ag_store *s = NULL;
	ag_job_wish w = { .queue = AG_S("main"),
		          .owner = ag_owner_new(&ag_clock_system, arena),
		          .now_ms = NOW,
		          .lease_ms = MINUTE,
		          .per_target = LIMIT };
	const ag_job_end e = { .state = AG_JOB_DONE };
	int nempty = 0;
	ag_err err;

	if (ag_store_open(ag_str_c(c->uri), &s, &err))
		atomic_fetch_add(&c->nfailed, 1);
	while (s && nempty < 500 && atomic_load(&c->ndone) < NJOB) {
		ag_job j;
		bool found = false;
		int n, most;

		if (ag_store_take_job(s, &w, arena, &j, &found, &err)) {
			printf("# %s\n", err.msg);
			atomic_fetch_add(&c->nfailed, 1);
			break;
		}
		nempty = found ? 0 : nempty + 1;
		if (!found) {
			usleep(1000);
			continue;
		}
		n = j.target.len ? atomic_fetch_add(&c->on_target, 1) + 1 : 0;
		for (most = atomic_load(&c->most);
		     n > most && !atomic_compare_exchange_weak(&c->most, &most, n);)
			continue;
		usleep(300);
		if (j.target.len)
			atomic_fetch_sub(&c->on_target, 1);
		if (ag_store_end_job(s, &j, &e, NOW, &err)) {
			printf("# %s\n", err.msg);
			atomic_fetch_add(&c->nfailed, 1);
		}
		atomic_fetch_add(&c->ndone, 1);
	}
	return NULL;
}

static void many_workers_take_each_job_once(void **state)
{
	store_env *env = *state;
	crowd c = { .uri = env->uri };
	pthread_t threads[NTHREAD];
	ag_job jobs[NJOB];
	ag_job_counts n;

	if (!fixture->is_shared)
		return;
	for (int i = 0; i < NJOB; i++)
		jobs[i] = a_job(i % 3 ? "mongodb://x" : "");
	assert_ok(env, ag_store_add_jobs(env->store, jobs, NJOB, NOW, NULL, NULL, &env->err));
	for (int i = 0; i < NTHREAD; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, drain, &c), 0);
	for (int i = 0; i < NTHREAD; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(atomic_load(&c.nfailed), 0);
	assert_int_equal(atomic_load(&c.ndone), NJOB);
	assert_ok(env, ag_store_count_jobs(env->store, AG_S("main"), &n, &env->err));
	assert_int_equal(n.of[AG_JOB_DONE], NJOB);
	assert_in_range(atomic_load(&c.most), 1, LIMIT);
}

/* A process that is killed with a job gives it up at once: its owner is known to be dead. */
static void a_killed_process_frees_its_job(void **state)
{
	store_env *env = *state;
	const ag_id id = add(env, "", NOW);
	size_t n;
	int status, p[2];
	char c;
	pid_t pid;
	ag_job j;

	if (!fixture->is_shared)
		return;
	env->store = ag_store_close(env->store);
	assert_int_equal(pipe(p), 0);
	pid = fork();
	if (!pid) {
		const char *owner = ag_owner_new(&ag_clock_system, env->arena).ptr;

		if (ag_store_open(ag_str_c(env->uri), &env->store, &env->err) ||
		    !take(env, owner, NOW, 0, &j) || write(p[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(2);
	}
	close(p[1]);
	assert_int_equal(read(p[0], &c, 1), 1);
	close(p[0]);
	assert_ok(env, store_env_reopen(env));
	assert_ok(env, ag_store_free_jobs(env->store, AG_S("main"), NOW + 1, &n, &env->err));
	assert_int_equal(n, 0); /* it lives */
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_false(take(env, "ben", NOW + 1, 0, &j));
	assert_ok(env, ag_store_free_jobs(env->store, AG_S("main"), NOW + 1, &n, &env->err));
	assert_int_equal(n, 1);
	assert_true(take(env, "ben", NOW + 1, 0, &j));
	assert_string_equal(j.id.text, id.text);
}

/* --- waiting --- */

static void *add_later(void *arg)
{
	store_env *env = arg;
	AG_AUTO(ag_store_closep) ag_store *s = NULL;
	ag_job j = a_job("");
	ag_err err;

	usleep(100000);
	if (!ag_store_open(ag_str_c(env->uri), &s, &err))
		AG_IGNORE(ag_store_add_jobs(s, &j, 1, NOW, NULL, NULL, &err), "the test sees it");
	return NULL;
}

static void one_that_waits_is_told(void **state)
{
	store_env *env = *state;
	int64_t began_us;
	pthread_t thread;
	bool told = false;
	int64_t now;

	assert_ok(env, ag_store_wait(env->store, 0, NULL, &told, &env->err)); /* begins to listen */
	assert_ok(env, ag_store_wait(env->store, 20, NULL, &told, &env->err));
	assert_false(told);
	if (!fixture->is_shared)
		return;
	began_us = ag_time_mono_us();
	assert_int_equal(pthread_create(&thread, NULL, add_later, env), 0);
	assert_ok(env, ag_store_wait(env->store, 20000, NULL, &told, &env->err));
	pthread_join(thread, NULL);
	assert_true(told);
	assert_true(ag_time_mono_us() - began_us < 10 * INT64_C(1000000));
	assert_ok(env, ag_store_now(env->store, &ag_clock_system, &now, &env->err));
	assert_in_range(now, NOW, NOW * 2);
}

/* --- schedules --- */

static ag_schedule a_schedule(void)
{
	return (ag_schedule){ .name = AG_S("nightly"),
		              .cron = AG_S("0 3 * * *"),
		              .zone = AG_S("UTC"),
		              .queue = AG_S("main"),
		              .kind = AG_S("audit"),
		              .payload = AG_S("{\"project\":\"shop\"}"),
		              .created_ms = NOW,
		              .next_ms = NOW + MINUTE };
}

static bool queue_it(store_env *env, const ag_schedule *c, int64_t due, int64_t next)
{
	const ag_job j = a_job("");
	bool is_new = false;

	assert_ok(env,
	          ag_store_queue_scheduled(env->store, c, &j, due, next, due, &is_new, &env->err));
	return is_new;
}

static ag_schedule the_schedule(store_env *env)
{
	ag_schedule *list;
	size_t n;

	assert_ok(env, ag_store_schedules(env->store, env->arena, &list, &n, &env->err));
	assert_int_equal(n, 1);
	return list[0];
}

static void a_due_time_is_queued_once(void **state)
{
	store_env *env = *state;
	ag_schedule c = a_schedule(), old = c;
	ag_job_filter f = { .schedule = AG_S("nightly") };
	ag_job *list;
	size_t n;

	assert_ok(env, ag_store_add_schedule(env->store, &c, &env->err));
	assert_int_equal(ag_store_add_schedule(env->store, &c, &env->err), AG_CONFLICT);
	assert_true(queue_it(env, &c, NOW + MINUTE, NOW + 2 * MINUTE));
	assert_false(queue_it(env, &old, NOW + MINUTE, NOW + 2 * MINUTE)); /* another process */
	c = the_schedule(env);
	assert_int_equal(c.last_ms, NOW + MINUTE);
	assert_int_equal(c.next_ms, NOW + 2 * MINUTE);
	/* The clock was set back: it is due again at the same time, and was queued. */
	assert_ok(env, ag_store_pause_schedule(env->store, c.name, false, NOW + MINUTE, &env->err));
	c = the_schedule(env);
	assert_false(queue_it(env, &c, NOW + MINUTE, NOW + 2 * MINUTE));
	assert_ok(env, ag_store_jobs(env->store, &f, 10, 0, env->arena, &list, &n, &env->err));
	assert_int_equal(n, 1);
	/* Paused while another process was about to queue. */
	c = the_schedule(env);
	assert_ok(env, ag_store_pause_schedule(env->store, c.name, true, c.next_ms, &env->err));
	assert_false(queue_it(env, &c, NOW + 2 * MINUTE, NOW + 3 * MINUTE));
	assert_ok(env, ag_store_drop_schedule(env->store, c.name, &env->err));
	assert_int_equal(ag_store_drop_schedule(env->store, c.name, &env->err), AG_NOT_FOUND);
	assert_int_equal(ag_store_pause_schedule(env->store, c.name, true, 1, &env->err),
	                 AG_NOT_FOUND);
}

static void *queue_all(void *arg)
{
	crowd *c = arg;
	AG_AUTO(ag_store_closep) ag_store *s = NULL;
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const ag_job j = a_job("");
	ag_err err;

	if (ag_store_open(ag_str_c(c->uri), &s, &err))
		atomic_fetch_add(&c->nfailed, 1);
	for (int i = 0; s && i < 8; i++) {
		const int64_t due = NOW + (i + 1) * MINUTE;
		ag_schedule *list;
		bool is_new = false;
		size_t n;

		if (ag_store_schedules(s, arena, &list, &n, &err) || n != 1 ||
		    ag_store_queue_scheduled(s, &list[0], &j, due, due + MINUTE, due, &is_new,
		                             &err))
			atomic_fetch_add(&c->nfailed, 1);
		atomic_fetch_add(&c->ndone, is_new);
	}
	return NULL;
}

static void many_processes_queue_each_time_once(void **state)
{
	store_env *env = *state;
	ag_schedule c = a_schedule();
	crowd all = { .uri = env->uri };
	pthread_t threads[4];
	ag_job_counts n;

	if (!fixture->is_shared)
		return;
	assert_ok(env, ag_store_add_schedule(env->store, &c, &env->err));
	for (size_t i = 0; i < AG_NELEM(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, queue_all, &all), 0);
	for (size_t i = 0; i < AG_NELEM(threads); i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(atomic_load(&all.nfailed), 0);
	assert_ok(env, ag_store_count_jobs(env->store, AG_S("main"), &n, &env->err));
	assert_int_equal(n.of[AG_JOB_QUEUED], atomic_load(&all.ndone));
	assert_in_range(n.of[AG_JOB_QUEUED], 1, 8);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_job_is_added_taken_and_ended), T(a_job_with_a_name_is_added_once),
		T(bad_jobs_are_refused),           T(a_dead_workers_job_goes_on_with_its_run),
		T(a_job_is_handed_back),           T(a_job_becomes_others_once),
		T(people_cancel_and_list),         T(old_jobs_are_purged),
		T(a_target_is_not_asked_by_all),   T(many_workers_take_each_job_once),
		T(a_killed_process_frees_its_job), T(one_that_waits_is_told),
		T(a_due_time_is_queued_once),      T(many_processes_queue_each_time_once),
	};
	int nfailed = 0;

	for (size_t i = 0; i < nstore_fixture; i++) {
		fixture = &store_fixtures[i];
		if (store_fixture_start(fixture))
			continue;
		nfailed += cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
		store_fixture_stop(fixture);
	}
	return nfailed > 0;
}
