/* Limits of calls: exact where they are small, never exceeded where they are large, among threads and processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../contract/folder.h"
#include "project/access.h"

static _Atomic int64_t now_ms;

static int64_t wall(void *self)
{
	(void)self;
	return atomic_load(&now_ms);
}

static const ag_clock test_clock = { .wall_ms = wall, .mono_ms = wall };

typedef struct world {
	char folder[128], uri[200];
	ag_arena *arena;
	ag_limiter *l;
	ag_err err;
} world;

static int setup(void **state)
{
	world *w = ag_xcalloc(1, sizeof(*w));

	*state = w;
	w->arena = ag_arena_new();
	test_folder_make(w->folder, "limiter");
	snprintf(w->uri, sizeof(w->uri), "%s/argus.db", w->folder);
	atomic_store(&now_ms, 1000000);
	return (int)ag_limiter_open(ag_str_c(w->uri), &test_clock, &w->l, &w->err);
}

static int teardown(void **state)
{
	world *w = *state;

	ag_limiter_close(w->l);
	ag_arena_free(w->arena);
	test_folder_remove(w->folder);
	free(w);
	return 0;
}

/* How long to wait; 0 = go on. */
static int64_t call(world *w, ag_limiter *l, const char *user, ag_limits limits, ag_str *what)
{
	const ag_limited who = { AG_S("shop"), ag_str_c(user), &limits };
	ag_limiter_answer a = { 0 };

	if (ag_limiter_take(l, &who, w->arena, &a, &w->err))
		fail_msg("%s", w->err.msg);
	if (!a.ok)
		assert_true(a.wait_ms >= 1);
	*what = a.what;
	return a.ok ? 0 : a.wait_ms;
}

static uint64_t calls_until_refused(world *w, ag_limiter *l, const char *user, ag_limits limits)
{
	ag_str what;
	uint64_t n = 0;

	while (!call(w, l, user, limits, &what))
		n++;
	return n;
}

static void a_limit_lets_through_what_it_says(void **state)
{
	world *w = *state;
	const uint64_t limits[] = { 1, 60, 1024, 1025, 5000, 123457 };

	for (size_t i = 0; i < AG_NELEM(limits); i++) {
		ag_limits l = { .user_minute = limits[i] };

		assert_int_equal(calls_until_refused(w, w->l, "ann", l), limits[i]);
		assert_int_equal(calls_until_refused(w, w->l, "ann", l), 0);
		assert_int_equal(calls_until_refused(w, w->l, "ben", l),
		                 limits[i]); /* others are free */
		now_ms += 59999;
		assert_int_equal(calls_until_refused(w, w->l, "ann", l), 0);
		now_ms += 1;
		assert_int_equal(calls_until_refused(w, w->l, "ann", l), limits[i]);
		now_ms += 60000;
	}
	assert_int_equal(call(w, w->l, "ann", (ag_limits){ 0 }, &(ag_str){ 0 }), 0); /* none */
}

static void the_refusal_says_what_and_how_long(void **state)
{
	world *w = *state;
	ag_str what;

	assert_int_equal(calls_until_refused(w, w->l, "ann", (ag_limits){ .user_minute = 3 }), 3);
	now_ms += 10;
	assert_int_equal(call(w, w->l, "ann", (ag_limits){ .user_minute = 3 }, &what), 59990);
	assert_true(ag_str_eqc(what, "3 queries a minute of ann"));
	calls_until_refused(w, w->l, "ben", (ag_limits){ .user_hour = 2000 });
	assert_int_equal(call(w, w->l, "ben", (ag_limits){ .user_hour = 2000 }, &what), 3600000);
	assert_true(ag_str_eqc(what, "2,000 queries an hour of ben"));
	calls_until_refused(w, w->l, "cid", (ag_limits){ .project_day = 2 });
	assert_int_equal(call(w, w->l, "dan", (ag_limits){ .project_day = 2 }, &what), 86400000);
	assert_true(ag_str_eqc(what, "2 queries a day of project shop"));
}

/* A call that one limit refuses does not count for the others. */
static void several_limits_hold_at_once(void **state)
{
	world *w = *state;
	const ag_limits l = {
		.user_minute = 10, .user_hour = 2000, .user_day = 25, .project_day = 3000
	};
	uint64_t n = 0;

	for (int minute = 0; minute < 5; minute++) {
		n += calls_until_refused(w, w->l, "ann", l);
		for (int i = 0; i < 50; i++)
			calls_until_refused(w, w->l, "ann", l);
		now_ms += 60000;
	}
	assert_int_equal(n, 25);
	/* Of the hour's 2,000 only 25 are gone. */
	assert_int_equal(calls_until_refused(w, w->l, "ann", (ag_limits){ .user_hour = 2000 }),
	                 1975);
	assert_int_equal(calls_until_refused(w, w->l, "ben", (ag_limits){ .project_day = 3000 }),
	                 2975);
}

static void a_limit_that_changes_holds_at_once(void **state)
{
	world *w = *state;

	assert_int_equal(calls_until_refused(w, w->l, "ann", (ag_limits){ .user_minute = 5 }), 5);
	assert_int_equal(calls_until_refused(w, w->l, "ann", (ag_limits){ .user_minute = 8 }), 3);
	assert_int_equal(calls_until_refused(w, w->l, "ann", (ag_limits){ .user_minute = 6 }), 0);
}

static void a_clock_that_was_set_back_does_not_lock_out(void **state)
{
	world *w = *state;

	now_ms = 1000000000;
	calls_until_refused(w, w->l, "ann", (ag_limits){ .user_minute = 5 });
	now_ms -= 3600000;
	assert_int_equal(calls_until_refused(w, w->l, "ann", (ag_limits){ .user_minute = 5 }), 5);
}

static void the_store_failing_is_no_yes(void **state)
{
	world *w = *state;
	ag_limits limits = { .user_minute = 5 };
	const ag_limited who = { AG_S("shop"), AG_S("a\xff"), &limits };
	ag_limiter_answer a = { 0 };

	assert_int_equal(ag_limiter_take(w->l, &who, w->arena, &a, &w->err), AG_INVALID);
	assert_false(a.ok);
}

/* --- many at once --- */

enum { NTHREAD = 4, NPROCESS = 3 };

typedef struct worker {
	world *w;
	ag_limiter *l;
	ag_limits limits;
	uint64_t n;
} worker;

static uint64_t hammer(const char *uri, ag_limiter *l, ag_limits limits)
{
	ag_arena *arena = ag_arena_new();
	ag_limiter *own = NULL;
	const ag_limited who = { AG_S("shop"), AG_S("ann"), &limits };
	ag_limiter_answer a = { .ok = true };
	uint64_t n = 0;

	if (!l)
		AG_ASSERT(ag_limiter_open(ag_str_c(uri), &test_clock, &own, NULL) == AG_OK);
	while (a.ok) {
		AG_ASSERT(ag_limiter_take(l ? l : own, &who, arena, &a, NULL) == AG_OK);
		n += a.ok;
		ag_arena_reset(arena);
	}
	ag_limiter_close(own);
	ag_arena_free(arena);
	return n;
}

static void *thread_main(void *arg)
{
	worker *t = arg;

	t->n = hammer(t->w->uri, t->l, t->limits);
	return NULL;
}

static uint64_t threads(world *w, ag_limiter *l, ag_limits limits)
{
	worker t[NTHREAD];
	pthread_t thread[NTHREAD];
	uint64_t n = 0;

	for (int i = 0; i < NTHREAD; i++) {
		t[i] = (worker){ w, l, limits, 0 };
		assert_int_equal(pthread_create(&thread[i], NULL, thread_main, &t[i]), 0);
	}
	for (int i = 0; i < NTHREAD; i++) {
		pthread_join(thread[i], NULL);
		n += t[i].n;
	}
	return n;
}

static void threads_share_a_limiter(void **state)
{
	world *w = *state;

	assert_int_equal(threads(w, w->l, (ag_limits){ .user_minute = 300 }), 300);
	now_ms += 60000;
	assert_int_equal(threads(w, w->l, (ag_limits){ .user_minute = 50000 }), 50000);
	now_ms += 60000;
	assert_int_equal(threads(w, w->l, (ag_limits){ .user_minute = 50000, .user_hour = 250 }),
	                 250);
}

/* Each with a limiter of its own, as processes have. */
static void limiters_share_a_store(void **state)
{
	world *w = *state;
	uint64_t n;

	assert_int_equal(threads(w, NULL, (ag_limits){ .user_minute = 300 }), 300);
	now_ms += 60000;
	n = threads(w, NULL, (ag_limits){ .user_minute = 20000 });
	assert_int_equal(n, 20000); /* all of them went on until nothing was left */
}

static void processes_share_a_store(void **state)
{
	world *w = *state;
	const uint64_t limits[] = { 200, 40000 };

	w->l = ag_limiter_close(w->l);
	for (size_t k = 0; k < AG_NELEM(limits); k++) {
		uint64_t total = 0, n;
		int fd[2];

		assert_int_equal(pipe(fd), 0);
		for (int i = 0; i < NPROCESS; i++) {
			pid_t pid = fork();

			assert_true(pid >= 0);
			if (pid == 0) {
				n = hammer(w->uri, NULL,
				           (ag_limits){ .user_minute = limits[k],
				                        .project_day = 1000000 });
				_exit(write(fd[1], &n, sizeof(n)) != sizeof(n));
			}
		}
		close(fd[1]);
		while (read(fd[0], &n, sizeof(n)) == sizeof(n))
			total += n;
		close(fd[0]);
		for (int i = 0, status; i < NPROCESS; i++) {
			wait(&status);
			assert_int_equal(status, 0);
		}
		assert_int_equal(total, limits[k]);
		now_ms += 60000;
	}
}

/* What a process took in advance and did not use is lost, never given to a later window. */
static void credit_dies_with_its_window(void **state)
{
	world *w = *state;
	const ag_limits l = { .user_minute = 10000 };
	ag_limiter *other = NULL;
	ag_str what;

	assert_int_equal(ag_limiter_open(ag_str_c(w->uri), &test_clock, &other, &w->err), AG_OK);
	assert_int_equal(call(w, other, "ann", l, &what), 0); /* takes a hundred, uses one */
	assert_int_equal(calls_until_refused(w, w->l, "ann", l), 9900);
	assert_int_equal(calls_until_refused(w, other, "ann", l), 99);
	now_ms += 60000;
	assert_int_equal(call(w, other, "ann", l, &what), 0);
	now_ms += 59999;
	assert_int_equal(call(w, other, "ann", l, &what), 0);
	now_ms += 1;
	assert_int_equal(calls_until_refused(w, w->l, "ann", l) +
	                         calls_until_refused(w, other, "ann", l),
	                 10000);
	ag_limiter_close(other);
}

static void many_users_fit(void **state)
{
	world *w = *state;
	char user[40];
	ag_str what;

	for (int i = 0; i < 6000; i++) {
		snprintf(user, sizeof(user), "user%d", i);
		assert_int_equal(call(w, w->l, user,
		                      (ag_limits){ .user_minute = 2000, .project_day = 100000 },
		                      &what),
		                 0);
		if (i % 100 == 0)
			ag_arena_reset(w->arena);
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_limit_lets_through_what_it_says),
		T(the_refusal_says_what_and_how_long),
		T(several_limits_hold_at_once),
		T(a_limit_that_changes_holds_at_once),
		T(a_clock_that_was_set_back_does_not_lock_out),
		T(the_store_failing_is_no_yes),
		T(threads_share_a_limiter),
		T(limiters_share_a_store),
		T(processes_share_a_store),
		T(credit_dies_with_its_window),
		T(many_users_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
