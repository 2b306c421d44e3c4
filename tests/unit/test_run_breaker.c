/* The breaker's states one by one, and the single probe when many threads knock at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>

#include "run/breaker.h"

static uint64_t pass(ag_breaker *b, int64_t now)
{
	uint64_t ticket = 0;
	int64_t wait = 0;

	assert_true(ag_breaker_admit(b, now, &ticket, &wait));
	return ticket;
}

static int64_t refused(ag_breaker *b, int64_t now)
{
	uint64_t ticket = 0;
	int64_t wait = -1;

	assert_false(ag_breaker_admit(b, now, &ticket, &wait));
	return wait;
}

static void fail_times(ag_breaker *b, int64_t now, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		ag_breaker_tell(b, pass(b, now), now, AG_BREAKER_FAILED);
}

static void five_in_a_row_open_it(void **state)
{
	ag_breaker b;

	(void)state;
	ag_breaker_init(&b);
	fail_times(&b, 0, 4);
	ag_breaker_tell(&b, pass(&b, 0), 0, AG_BREAKER_WORKS); /* the row is broken */
	fail_times(&b, 0, 4);
	ag_breaker_tell(&b, pass(&b, 0), 0, AG_BREAKER_UNKNOWN); /* and this says nothing */
	assert_int_equal(ag_breaker_state_of(&b), AG_BREAKER_CLOSED);
	fail_times(&b, 0, 1);
	assert_int_equal(ag_breaker_state_of(&b), AG_BREAKER_OPEN);
	assert_int_equal(refused(&b, 1), 29999);
	assert_int_equal(refused(&b, 29999), 1);
	ag_breaker_release(&b);
}

static void as_many_as_were_set_open_it(void **state)
{
	ag_breaker b;

	(void)state;
	ag_breaker_init(&b);
	ag_breaker_open_after(&b, 1);
	ag_breaker_probe_early(&b, 1000);
	fail_times(&b, 0, 1);
	assert_int_equal(refused(&b, 0), 1000);
	fail_times(&b, 1000, 1);
	assert_int_equal(refused(&b, 1000), 2000);
	ag_breaker_tell(&b, pass(&b, 3000), 3000, AG_BREAKER_WORKS);
	fail_times(&b, 3000, 1);
	assert_int_equal(refused(&b, 3000), 1000);
	ag_breaker_release(&b);
}

static void the_probe_decides(void **state)
{
	uint64_t probe;
	ag_breaker b;

	(void)state;
	ag_breaker_init(&b);
	fail_times(&b, 0, 5);
	probe = pass(&b, 30000);
	assert_int_equal(ag_breaker_state_of(&b), AG_BREAKER_HALF_OPEN);
	assert_int_equal(refused(&b, 30000), 0); /* one at a time */
	ag_breaker_tell(&b, probe, 40000, AG_BREAKER_FAILED);
	assert_int_equal(refused(&b, 40000), 30000);
	probe = pass(&b, 70000);
	ag_breaker_tell(&b, probe, 70000, AG_BREAKER_UNKNOWN); /* cancelled: the next one probes */
	assert_int_equal(ag_breaker_state_of(&b), AG_BREAKER_HALF_OPEN);
	probe = pass(&b, 70000);
	ag_breaker_tell(&b, probe, 70000, AG_BREAKER_WORKS);
	assert_int_equal(ag_breaker_state_of(&b), AG_BREAKER_CLOSED);
	fail_times(&b, 70000, 4);
	assert_int_equal(ag_breaker_state_of(&b), AG_BREAKER_CLOSED);
	ag_breaker_release(&b);
}

/* The time doubles with each failed probe up to the most, and begins again after a success. */
static void early_probes_come_ever_later(void **state)
{
	static const int64_t open_ms[] = { 1000, 2000, 4000, 8000, 16000, 30000, 30000 };
	uint64_t probe;
	ag_breaker b;
	int64_t now = 5;

	(void)state;
	ag_breaker_init(&b);
	ag_breaker_probe_early(&b, 1000);
	for (int again = 0; again < 2; again++) {
		fail_times(&b, now, 5);
		for (size_t i = 0; i < sizeof(open_ms) / sizeof(*open_ms); i++) {
			assert_int_equal(refused(&b, now), open_ms[i]);
			assert_int_equal(refused(&b, now + open_ms[i] - 1), 1);
			now += open_ms[i];
			probe = pass(&b, now);
			assert_int_equal(refused(&b, now), 0);
			ag_breaker_tell(&b, probe, now, AG_BREAKER_FAILED);
		}
		now += 30000;
		probe = pass(&b, now);
		ag_breaker_tell(&b, probe, now,
		                AG_BREAKER_UNKNOWN); /* no verdict: the next one probes */
		ag_breaker_tell(&b, pass(&b, now), now, AG_BREAKER_WORKS);
		assert_int_equal(ag_breaker_state_of(&b), AG_BREAKER_CLOSED);
	}
	ag_breaker_release(&b);
}

/* A request that was sent before the server went down answers late. */
static void late_reports_do_not_count(void **state)
{
	uint64_t early[2], probe;
	ag_breaker b;

	(void)state;
	ag_breaker_init(&b);
	early[0] = pass(&b, 0);
	early[1] = pass(&b, 0);
	fail_times(&b, 0, 5);
	ag_breaker_tell(&b, early[0], 10, AG_BREAKER_WORKS);
	assert_int_equal(ag_breaker_state_of(&b), AG_BREAKER_OPEN);
	probe = pass(&b, 30000);
	ag_breaker_tell(&b, early[1], 30001, AG_BREAKER_FAILED);
	assert_int_equal(ag_breaker_state_of(&b), AG_BREAKER_HALF_OPEN);
	ag_breaker_tell(&b, probe, 30002, AG_BREAKER_WORKS);
	assert_int_equal(ag_breaker_state_of(&b), AG_BREAKER_CLOSED);
	ag_breaker_release(&b);
}

/* --- threads */

#define NTHREAD 8
#define NROUND  2000

typedef struct crowd {
	ag_breaker b;
	pthread_barrier_t start;
	atomic_int npassed, worst;
} crowd;

/* In each round the breaker is open and due: exactly one may pass, and it fails. */
static void *knock(void *arg)
{
	crowd *c = arg;

	for (int64_t round = 1; round <= NROUND; round++) {
		int64_t now = round * AG_BREAKER_OPEN_MS, wait;
		uint64_t ticket;
		bool passed;
		int n;

		pthread_barrier_wait(&c->start);
		passed = ag_breaker_admit(&c->b, now, &ticket, &wait);
		if (passed) {
			n = atomic_fetch_add(&c->npassed, 1) + 1;
			if (n > atomic_load(&c->worst))
				atomic_store(&c->worst, n);
		}
		pthread_barrier_wait(&c->start);
		if (passed) {
			atomic_store(&c->npassed, 0);
			ag_breaker_tell(&c->b, ticket, now, AG_BREAKER_FAILED);
		}
	}
	return NULL;
}

static void one_probe_among_threads(void **state)
{
	pthread_t threads[NTHREAD];
	crowd c = { .npassed = 0 };

	(void)state;
	ag_breaker_init(&c.b);
	fail_times(&c.b, 0, AG_BREAKER_FAILURES);
	pthread_barrier_init(&c.start, NULL, NTHREAD);
	for (int i = 0; i < NTHREAD; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, knock, &c), 0);
	for (int i = 0; i < NTHREAD; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(atomic_load(&c.worst), 1);
	/* Every round had its probe: each made two changes of state. */
	assert_int_equal(c.b.turn, 1 + 2 * NROUND);
	assert_int_equal(ag_breaker_state_of(&c.b), AG_BREAKER_OPEN);
	pthread_barrier_destroy(&c.start);
	ag_breaker_release(&c.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(five_in_a_row_open_it),
		cmocka_unit_test(as_many_as_were_set_open_it),
		cmocka_unit_test(the_probe_decides),
		cmocka_unit_test(early_probes_come_ever_later),
		cmocka_unit_test(late_reports_do_not_count),
		cmocka_unit_test(one_probe_among_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
