/* Deadline, cancel flag and progress against a clock that is held still. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "run/ctx.h"

static int64_t fixed_ms(void *self)
{
	return *(int64_t *)self;
}

static void deadline_passes(void **state)
{
	int64_t now = 1000;
	ag_clock clock = { fixed_ms, fixed_ms, &now };
	ag_ctx ctx = { .clock = &clock, .nthread = 1 };
	ag_err err = { 0 };

	(void)state;
	assert_int_equal(ag_ctx_check(&ctx, &err), AG_OK);
	assert_int_equal(ag_ctx_left_ms(&ctx), -1);
	ctx.deadline_ms = 1500;
	assert_int_equal(ag_ctx_left_ms(&ctx), 500);
	now = 1499;
	assert_int_equal(ag_ctx_check(&ctx, &err), AG_OK);
	assert_int_equal(err.status, AG_OK);
	now = 1500;
	assert_int_equal(ag_ctx_left_ms(&ctx), 0);
	assert_int_equal(ag_ctx_check(&ctx, &err), AG_TIMEOUT);
	assert_string_equal(err.msg, "the time limit was reached");
	now = 9999;
	assert_int_equal(ag_ctx_left_ms(&ctx), 0);
	assert_int_equal(ag_ctx_check(&ctx, NULL), AG_TIMEOUT);
}

static void cancel_comes_before_the_deadline(void **state)
{
	int64_t now = 1000;
	ag_clock clock = { fixed_ms, fixed_ms, &now };
	atomic_bool cancel = false;
	ag_progress progress = { .phase = NULL };
	ag_ctx ctx = { .clock = &clock, .cancel = &cancel, .nthread = 1, .progress = &progress };
	ag_err err = { 0 };

	(void)state;
	assert_int_equal(ag_ctx_check(&ctx, &err), AG_OK);
	ctx.deadline_ms = 500;
	atomic_store(&cancel, true);
	assert_int_equal(ag_ctx_check(&ctx, &err), AG_CANCELLED);
	assert_string_equal(err.msg, "cancelled");
	ag_ctx_phase(&ctx, "reading", "bytes", 0);
	assert_int_equal(ag_ctx_check(&ctx, &err), AG_CANCELLED);
	assert_string_equal(err.msg, "cancelled while reading");
}

static void progress_adds_up(void **state)
{
	ag_progress p = { .phase = NULL };
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1, .progress = &p };

	(void)state;
	ag_ctx_phase(&ctx, "reading", "bytes", 100);
	ag_ctx_advance(&ctx, 40, 3);
	ag_ctx_advance(&ctx, 2, 1);
	assert_string_equal(atomic_load(&p.phase), "reading");
	assert_string_equal(atomic_load(&p.unit), "bytes");
	assert_int_equal(atomic_load(&p.total), 100);
	assert_int_equal(atomic_load(&p.done), 42);
	assert_int_equal(atomic_load(&p.documents), 4);
	ag_ctx_phase(&ctx, "checking", "checks", 7);
	assert_int_equal(atomic_load(&p.done), 0);
	assert_int_equal(atomic_load(&p.total), 7);
	assert_int_equal(atomic_load(&p.documents), 4);
	ag_ctx_phase(&ctx, NULL, NULL, 0);
	assert_null(atomic_load(&p.phase));
}

static void no_context_means_no_limits(void **state)
{
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };

	(void)state;
	assert_int_equal(ag_ctx_check(NULL, NULL), AG_OK);
	assert_int_equal(ag_ctx_left_ms(NULL), -1);
	ag_ctx_phase(NULL, "reading", "bytes", 1);
	ag_ctx_advance(NULL, 1, 1);
	ag_ctx_phase(&ctx, "reading", "bytes", 1);
	ag_ctx_advance(&ctx, 1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deadline_passes),
		cmocka_unit_test(cancel_comes_before_the_deadline),
		cmocka_unit_test(progress_adds_up),
		cmocka_unit_test(no_context_means_no_limits),
	};

	return cmocka_run_group_tests_name("run_ctx", tests, NULL, NULL);
}
