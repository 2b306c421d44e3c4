/* How often a run waits for the disk when no model is asked: at its begin and at its end, and once a second between. Steps that
 * a power failure would lose are made again for nothing; a crash of the program loses none (test_audit_killed.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "audit_fixtures.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../contract/folder.h"

static unsigned nsync; /* counted by the two functions below, which come before the C library's */

int fsync(int fd)
{
	nsync++;
	return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	nsync++;
	return (int)syscall(SYS_fdatasync, fd);
}

/* Time that passes by so many milliseconds at each look. */
static int64_t step_ms;

static int64_t passing(void *self)
{
	int64_t *now = self;

	return *now += step_ms;
}

static int64_t wall(void *self)
{
	(void)self;
	return 1700000000000;
}

/* The waits of an audit of a tiny collection, by the builtin planner. */
static unsigned waits_of_a_run(int64_t ms)
{
	char folder[128], uri[160];
	int64_t now = 1000000;
	const ag_clock clock = { .wall_ms = wall, .mono_ms = passing, .self = &now };
	ag_store *store = NULL;
	ag_err err = { 0 };
	unsigned ret;
	audit_fix f;

	step_ms = ms;
	fix_open(&f, AG_S("{\"n\":1,\"s\":\"x\"}\n{\"n\":2,\"s\":\"y\"}\n"));
	f.ctx.clock = &clock;
	test_folder_make(folder, "disk");
	snprintf(uri, sizeof(uri), "%s/argus.db", folder);
	assert_int_equal(ag_store_open(ag_str_c(uri), &store, &err), AG_OK);
	nsync = 0;
	assert_int_equal(ag_audit_run(&f.ctx,
	                              &(ag_audit_job){ .source = f.source,
	                                               .store = store,
	                                               .opts = &f.opts,
	                                               .make = ag_planner_builtin_make },
	                              f.arena, &f.result, &err),
	                 AG_OK);
	ret = nsync;
	assert_true(ag_str_eqc(f.result.run_result.status, "ok"));
	assert_true(f.result.run_result.calls >= 2);
	ag_store_close(store);
	test_folder_remove(folder);
	fix_close(&f);
	return ret;
}

static void a_run_without_a_model_waits_at_its_begin_and_end(void **state)
{
	(void)state;
	assert_int_equal(waits_of_a_run(0), 2);
}

static void a_long_run_waits_once_a_second(void **state)
{
	(void)state;
	assert_true(waits_of_a_run(1000) >= 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_without_a_model_waits_at_its_begin_and_end),
		cmocka_unit_test(a_long_run_waits_once_a_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
