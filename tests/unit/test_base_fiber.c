/* Stacks of their own: left in the middle and entered again, on the same thread and on others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/fiber.h"

#define STACK (256u * 1024)
#define MANY  200

/* What one of them does: counts, and leaves after each step. */
typedef struct counting {
	ag_fiber *fiber;
	int nstep, done, nrun;
	double sum;
} counting;

static void count(void *arg)
{
	counting *c = arg;
	int own = 0; /* on the stack: it must be there again */
	double half = 0.5;

	c->nrun++;
	for (int i = 0; i < c->nstep; i++) {
		own++;
		half += 0.5;
		ag_fiber_leave(c->fiber);
		c->done = own;
	}
	c->sum = half;
}

static void counting_new(counting *c, int nstep)
{
	*c = (counting){ .nstep = nstep };
	c->fiber = ag_fiber_new(STACK, count, c);
	if (!c->fiber)
		skip(); /* a processor that is not known */
}

static void it_goes_on_where_it_left(void **state)
{
	counting c;

	(void)state;
	counting_new(&c, 3);
	for (int i = 0; i < 3; i++) {
		assert_false(ag_fiber_enter(c.fiber));
		assert_int_equal(c.done, i);
	}
	assert_true(ag_fiber_enter(c.fiber));
	assert_int_equal(c.done, 3);
	assert_true(c.sum == 2.0);
	/* Entered again, it begins again. */
	assert_false(ag_fiber_enter(c.fiber));
	assert_int_equal(c.nrun, 2);
	for (int i = 0; i < 2; i++)
		assert_false(ag_fiber_enter(c.fiber));
	assert_true(ag_fiber_enter(c.fiber));
	assert_null(ag_fiber_free(c.fiber));
	assert_null(ag_fiber_free(NULL));
}

static void many_take_turns(void **state)
{
	static counting all[MANY];
	int left = MANY;

	(void)state;
	for (int i = 0; i < MANY; i++)
		counting_new(&all[i], 1 + i % 7);
	while (left) {
		for (int i = 0; i < MANY; i++)
			if (!all[i].nrun || all[i].sum == 0)
				left -= ag_fiber_enter(all[i].fiber);
	}
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(all[i].done, 1 + i % 7);
		assert_int_equal(all[i].nrun, 1);
		ag_fiber_free(all[i].fiber);
	}
}

/* --- another thread --- */

static void *enter_there(void *arg)
{
	counting *c = arg;

	errno = EDOM;
	return ag_fiber_enter(c->fiber) ? c : NULL;
}

static void *enter_on_a_thread(counting *c)
{
	void *ret;
	pthread_t t;

	assert_int_equal(pthread_create(&t, NULL, enter_there, c), 0);
	pthread_join(t, &ret);
	return ret;
}

static void it_moves_to_other_threads(void **state)
{
	counting c;

	(void)state;
	counting_new(&c, 4);
	assert_false(ag_fiber_enter(c.fiber));
	for (int i = 1; i < 4; i++)
		assert_null(enter_on_a_thread(&c));
	assert_int_equal(c.done, 3);
	assert_ptr_equal(enter_on_a_thread(&c), &c);
	assert_int_equal(c.done, 4);
	ag_fiber_free(c.fiber);
}

/* errno is that of the thread it runs on: the address is not kept from before. */
static int seen[2];

static void look_at_errno(void *arg)
{
	counting *c = arg;

	for (int i = 0; i < 2; i++) {
		seen[i] = errno;
		ag_fiber_leave(c->fiber);
	}
}

static void errno_is_that_of_the_thread(void **state)
{
	counting c = { 0 };

	(void)state;
	c.fiber = ag_fiber_new(STACK, look_at_errno, &c);
	if (!c.fiber)
		skip();
	errno = ERANGE;
	assert_false(ag_fiber_enter(c.fiber));
	errno = ERANGE;
	assert_null(enter_on_a_thread(&c));
	assert_int_equal(seen[0], ERANGE);
	assert_int_equal(seen[1], EDOM);
	assert_true(ag_fiber_enter(c.fiber));
	ag_fiber_free(c.fiber);
}

/* --- room --- */

static void fill_stack(void *arg)
{
	char text[STACK / 2];

	memset(text, 'x', sizeof(text));
	snprintf(arg, 8, "%.3s%c", text, text[sizeof(text) - 1]);
}

static void it_has_the_stack_that_was_asked_for(void **state)
{
	char text[8] = "";
	ag_fiber *f = ag_fiber_new(STACK, fill_stack, text);

	(void)state;
	if (!f)
		skip();
	assert_true(ag_fiber_enter(f));
	assert_string_equal(text, "xxxx");
	ag_fiber_free(f);
	assert_null(ag_fiber_new(SIZE_MAX / 2, fill_stack, text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_goes_on_where_it_left),
		cmocka_unit_test(many_take_turns),
		cmocka_unit_test(it_moves_to_other_threads),
		cmocka_unit_test(errno_is_that_of_the_thread),
		cmocka_unit_test(it_has_the_stack_that_was_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
