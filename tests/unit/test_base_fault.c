/* Fault points: which call fails, what is refused, and that threads share one count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault.h"

#define NTHREAD 8
#define NCALL   1000

/* Which of six calls fail, as "001000". */
static const char *pattern(const char *fault)
{
	static char text[7];
	ag_err err = { 0 };

	assert_int_equal(ag_fault_setup(fault, &err), AG_OK);
	for (int i = 0; i < 6; i++) {
		errno = 0;
		text[i] = ag_fault("store.commit") ? '1' : '0';
		assert_int_equal(errno, text[i] == '1' ? EIO : 0);
	}
	return text;
}

static void fails_the_call_that_was_named(void **state)
{
	unsigned long ncall, nfailed;

	(void)state;
	assert_string_equal(pattern(NULL), "000000");
	assert_null(ag_fault_counts(&ncall, &nfailed));
	assert_string_equal(pattern(""), "000000");
	assert_string_equal(pattern("store.commit:1"), "100000");
	assert_string_equal(pattern("store.commit:3"), "001000");
	assert_string_equal(pattern("store.commit:3+"), "001111");
	assert_string_equal(ag_fault_counts(&ncall, &nfailed)->name, "store.commit");
	assert_int_equal(ncall, 6);
	assert_int_equal(nfailed, 4);
	assert_string_equal(pattern("store.commit:7"), "000000");
	assert_string_equal(pattern("store.read:1+"), "000000");
	assert_string_equal(pattern(NULL), "000000");
}

/* The call goes well; the process ends after it. */
static void dies_after_the_call_that_was_named(void **state)
{
	ag_err err = { 0 };
	pid_t pid;
	int status = 0;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (ag_fault_setup("store.commit:2!", &err))
			_exit(1);
		for (int i = 1; i <= 3; i++) {
			if (ag_fault("store.commit") || i == 3)
				_exit(2);
			ag_fault_after("store.sync"); /* another point */
			ag_fault_after("store.commit");
		}
		_exit(3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_string_equal(pattern("store.commit:1!"), "000000");
}

static void refuses_what_it_does_not_know(void **state)
{
	static const char *const wrong[] = {
		"store",
		"store.commit",
		"store.commit:",
		"store.commit:0",
		"store.commit:+",
		"store.commit:3 ",
		"store.commit:-1",
		"store.commit:9999999999",
		":3",
		"store.commi:3",
		"store.commitx:3",
		"store.commit:3++",
		"store.commit:!",
		"store.commit:3!+",
	};
	unsigned long ncall, nfailed;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(wrong); i++) {
		ag_err err = { 0 };

		assert_int_equal(ag_fault_setup(wrong[i], &err), AG_INVALID);
		assert_true(err.msg[0] && err.hint[0]);
		assert_null(ag_fault_counts(&ncall, &nfailed));
	}
}

static void points_are_listed_in_order(void **state)
{
	size_t n;
	const ag_fault_point *p = ag_fault_points(&n);

	(void)state;
	for (size_t i = 1; i < n; i++)
		assert_true(strcmp(p[i - 1].name, p[i].name) < 0);
}

static void *call(void *arg)
{
	size_t *nfailed = arg;

	for (int i = 0; i < NCALL; i++)
		*nfailed += ag_fault("input.read");
	return NULL;
}

static void threads_share_one_count(void **state)
{
	pthread_t threads[NTHREAD];
	size_t failed[NTHREAD] = { 0 }, sum = 0;
	unsigned long ncall, nfailed;
	ag_err err = { 0 };

	(void)state;
	assert_int_equal(ag_fault_setup("input.read:4000", &err), AG_OK);
	for (size_t i = 0; i < NTHREAD; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, call, &failed[i]), 0);
	for (size_t i = 0; i < NTHREAD; i++) {
		pthread_join(threads[i], NULL);
		sum += failed[i];
	}
	assert_int_equal(sum, 1);
	assert_non_null(ag_fault_counts(&ncall, &nfailed));
	assert_int_equal(ncall, NTHREAD * NCALL);
	assert_int_equal(nfailed, 1);
	assert_int_equal(ag_fault_setup(NULL, &err), AG_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fails_the_call_that_was_named),
		cmocka_unit_test(dies_after_the_call_that_was_named),
		cmocka_unit_test(refuses_what_it_does_not_know),
		cmocka_unit_test(points_are_listed_in_order),
		cmocka_unit_test(threads_share_one_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
