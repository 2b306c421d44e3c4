/* The workers alone: how many work at once while some are slow and while none is, and that they stop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "http/workers.h"

#define STACK_BYTES (1024u * 1024)
#define LONG_MS     30000 /* what should happen did not */

/* Pieces of work in a queue; each takes a while. */
typedef struct yard {
	pthread_mutex_t lock;
	pthread_cond_t more;
	unsigned nwaiting;
	bool is_over;
	atomic_bool is_held; /* work goes on while it is */
	atomic_uint us;      /* else it takes as long as this */
	atomic_uint nbusy, nmost, ndone, nopen, nclosed, nidle;
	ag_workers *all;
} yard;

static void *yard_open(void *arg)
{
	atomic_fetch_add(&((yard *)arg)->nopen, 1);
	return arg;
}

static void yard_close(void *own)
{
	atomic_fetch_add(&((yard *)own)->nclosed, 1);
}

static void work(yard *y)
{
	unsigned n = atomic_fetch_add(&y->nbusy, 1) + 1, most = atomic_load(&y->nmost);
	const unsigned us = atomic_load(&y->us);

	while (n > most && !atomic_compare_exchange_weak(&y->nmost, &most, n))
		continue;
	if (us)
		usleep(us);
	while (atomic_load(&y->is_held))
		usleep(1000);
	atomic_fetch_sub(&y->nbusy, 1);
	atomic_fetch_add(&y->ndone, 1);
}

static bool yard_turn(void *own, ag_worker *self)
{
	yard *y = (yard *)own;
	bool has_work;

	pthread_mutex_lock(&y->lock);
	atomic_fetch_add(&y->nidle, 1);
	while (y->nwaiting == 0 && !y->is_over)
		pthread_cond_wait(&y->more, &y->lock);
	atomic_fetch_sub(&y->nidle, 1);
	has_work = y->nwaiting > 0 && !y->is_over;
	y->nwaiting -= has_work;
	pthread_mutex_unlock(&y->lock);
	if (!has_work)
		return false;
	ag_worker_busy(self);
	work(y);
	ag_worker_done(self);
	return true;
}

static void yard_start_least(yard *y, unsigned nleast, unsigned nfast, unsigned max)
{
	ag_workers_opts o = {
		.nfast = nfast,
		.nleast = nleast,
		.max = max,
		.stack_bytes = STACK_BYTES,
		.open = yard_open,
		.close = yard_close,
		.turn = yard_turn,
		.arg = y,
	};
	ag_err err = { 0 };

	memset(y, 0, sizeof(*y));
	pthread_mutex_init(&y->lock, NULL);
	pthread_cond_init(&y->more, NULL);
	assert_int_equal(ag_workers_start(&o, &y->all, &err), AG_OK);
}

static void yard_start(yard *y, unsigned nfast, unsigned max)
{
	yard_start_least(y, 0, nfast, max);
}

static void yard_add(yard *y, unsigned n)
{
	pthread_mutex_lock(&y->lock);
	y->nwaiting += n;
	pthread_cond_broadcast(&y->more);
	pthread_mutex_unlock(&y->lock);
}

static void yard_stop(yard *y)
{
	pthread_mutex_lock(&y->lock);
	y->is_over = true;
	pthread_cond_broadcast(&y->more);
	pthread_mutex_unlock(&y->lock);
	y->all = ag_workers_stop(y->all);
	assert_null(y->all);
	assert_int_equal(atomic_load(&y->nbusy), 0);
	assert_true(atomic_load(&y->nopen) > 0);
	assert_int_equal(atomic_load(&y->nopen), atomic_load(&y->nclosed));
	pthread_cond_destroy(&y->more);
	pthread_mutex_destroy(&y->lock);
}

static int64_t now_ms(void)
{
	return ag_time_mono_us() / 1000;
}

static bool becomes(atomic_uint *what, unsigned n)
{
	const int64_t end = now_ms() + LONG_MS;

	while (atomic_load(what) != n && now_ms() < end)
		usleep(500);
	return atomic_load(what) == n;
}

static bool reaches(atomic_uint *what, unsigned n)
{
	const int64_t end = now_ms() + LONG_MS;

	while (atomic_load(what) < n && now_ms() < end)
		usleep(500);
	return atomic_load(what) >= n;
}

/* As many as are fast wait for work, and no others, though there may be forty. */
static void few_while_none_is_slow(void **state)
{
	yard y;

	(void)state;
	yard_start(&y, 3, 40);
	assert_true(becomes(&y.nidle, 3));
	for (unsigned i = 0; i < 300; i++) {
		yard_add(&y, 1);
		if (i % 10 == 0)
			usleep(300);
	}
	assert_true(becomes(&y.ndone, 300));
	usleep(30000);
	/* On a machine with much else to do, one may look slow for a moment. */
	assert_true(atomic_load(&y.nopen) < 12);
	yard_stop(&y);
}

/* Work that does not end holds up no other: more come until each piece has its thread. */
static void more_when_they_are_slow(void **state)
{
	yard y;

	(void)state;
	yard_start(&y, 2, 40);
	atomic_store(&y.is_held, true);
	yard_add(&y, 30);
	assert_true(becomes(&y.nbusy, 30));
	/* And as many as are fast stand by. */
	assert_true(becomes(&y.nidle, 2));
	atomic_store(&y.is_held, false);
	assert_true(becomes(&y.ndone, 30));
	yard_stop(&y);
}

/* After a long rest, too, and when work comes piece by piece. */
static void more_after_a_rest(void **state)
{
	yard y;

	(void)state;
	yard_start(&y, 1, 8);
	assert_true(becomes(&y.nidle, 1));
	for (unsigned round = 0; round < 3; round++) {
		usleep(120000); /* the pacer sleeps by now */
		atomic_store(&y.is_held, true);
		for (unsigned i = 1; i <= 6; i++) {
			yard_add(&y, 1);
			assert_true(becomes(&y.nbusy, i));
			if (i == 3)
				usleep(120000); /* it sleeps while some are at work */
		}
		atomic_store(&y.is_held, false);
		assert_true(becomes(&y.ndone, 6 * (round + 1)));
	}
	yard_stop(&y);
}

/* Work that begins just when the pacer goes to sleep, about 50 ms after the last. */
static void more_while_the_pacer_lies_down(void **state)
{
	yard y;

	(void)state;
	yard_start(&y, 1, 8);
	for (unsigned round = 0; round < 30; round++) {
		usleep((45 + round) * 1000);
		atomic_store(&y.is_held, true);
		yard_add(&y, 1);
		assert_true(becomes(&y.nbusy, 1));
		usleep(2000);
		yard_add(&y, 1);
		assert_true(becomes(&y.nbusy, 2));
		atomic_store(&y.is_held, false);
		assert_true(becomes(&y.ndone, 2 * (round + 1)));
	}
	yard_stop(&y);
}

/* Those that were made for slow work park when it is over, and come back from there. */
static void parks_and_comes_back(void **state)
{
	yard y;
	unsigned nopen;

	(void)state;
	yard_start(&y, 2, 24);
	atomic_store(&y.is_held, true);
	yard_add(&y, 20);
	assert_true(becomes(&y.nbusy, 20));
	assert_true(becomes(&y.nidle, 2));
	atomic_store(&y.is_held, false);
	assert_true(becomes(&y.ndone, 20));
	/* Who is too many finds it out after its next work. */
	for (int64_t end = now_ms() + LONG_MS; atomic_load(&y.nidle) > 2 && now_ms() < end;) {
		yard_add(&y, 1);
		usleep(2000);
	}
	assert_true(atomic_load(&y.nidle) <= 2);
	assert_int_equal(atomic_load(&y.nclosed), 0);
	nopen = atomic_load(&y.nopen);
	assert_true(nopen >= 22 && nopen <= 24);
	atomic_store(&y.is_held, true);
	yard_add(&y, 18);
	assert_true(becomes(&y.nbusy, 18));
	assert_true(atomic_load(&y.nopen) <= 24);
	atomic_store(&y.is_held, false);
	yard_stop(&y);
}

/* With as many threads as there may be, the rest waits for its turn. */
static void max_is_kept(void **state)
{
	yard y;

	(void)state;
	yard_start(&y, 2, 5);
	atomic_store(&y.is_held, true);
	yard_add(&y, 20);
	assert_true(becomes(&y.nbusy, 5));
	usleep(100000);
	assert_int_equal(atomic_load(&y.nbusy), 5);
	assert_int_equal(atomic_load(&y.nopen), 5);
	atomic_store(&y.is_held, false);
	assert_true(becomes(&y.ndone, 20));
	assert_int_equal(atomic_load(&y.nmost), 5);
	yard_stop(&y);
}

/* Work of a few milliseconds, again and again: some are slow, some are not, all is done. */
static void work_of_mixed_length(void **state)
{
	yard y;
	unsigned n = 0;

	(void)state;
	yard_start(&y, 2, 32);
	for (unsigned round = 0; round < 60; round++) {
		atomic_store(&y.us, round % 3 == 0 ? 4000 : round % 3 == 1 ? 900 : 0);
		yard_add(&y, 10);
		n += 10;
		usleep(round % 7 == 0 ? 3000 : 200);
	}
	assert_true(becomes(&y.ndone, n));
	yard_stop(&y);
}

static void *release_later(void *arg)
{
	usleep(50000);
	atomic_store(&((yard *)arg)->is_held, false);
	return NULL;
}

/* Waiting, parked, at work for long, and just made. */
static void stops_in_every_state(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 40; round++) {
		yard y;
		pthread_t t;

		yard_start(&y, 2, 16);
		if (round % 4 == 1)
			yard_add(&y, 1 + round);
		if (round % 4 >= 2) {
			atomic_store(&y.is_held, true);
			yard_add(&y, 10);
			usleep(round * 200);
		}
		if (round % 4 == 3) {
			assert_true(becomes(&y.nbusy, 10));
			atomic_store(&y.is_held, false);
			assert_true(becomes(&y.ndone, 10));
			yard_add(&y, 9); /* most of them park */
			assert_true(becomes(&y.ndone, 19));
			atomic_store(&y.is_held, true);
			yard_add(&y, 1);
		}
		assert_int_equal(pthread_create(&t, NULL, release_later, &y), 0);
		yard_stop(&y);
		pthread_join(t, NULL);
	}
	assert_null(ag_workers_stop(NULL));
}

/* One while it has time left; more when it has none, though no piece of work is slow; one again. */
static void more_when_no_time_is_left(void **state)
{
	const int64_t end = now_ms() + LONG_MS;
	yard y;

	(void)state;
	yard_start_least(&y, 1, 4, 40);
	assert_true(becomes(&y.nidle, 1));
	atomic_store(&y.us, 200);
	yard_add(&y, 1000000);
	/* At least: on a machine with much else to do, some look slow, and more come for them. */
	assert_true(reaches(&y.nmost, 4));
	pthread_mutex_lock(&y.lock);
	y.nwaiting = 0;
	pthread_mutex_unlock(&y.lock);
	atomic_store(&y.us, 0);
	do {
		yard_add(&y, 1);
		usleep(2000);
	} while (atomic_load(&y.nidle) > 1 && now_ms() < end);
	assert_true(becomes(&y.nidle, 1));
	yard_stop(&y);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_while_none_is_slow),
		cmocka_unit_test(more_when_they_are_slow),
		cmocka_unit_test(more_after_a_rest),
		cmocka_unit_test(more_while_the_pacer_lies_down),
		cmocka_unit_test(parks_and_comes_back),
		cmocka_unit_test(max_is_kept),
		cmocka_unit_test(work_of_mixed_length),
		cmocka_unit_test(stops_in_every_state),
		cmocka_unit_test(more_when_no_time_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
