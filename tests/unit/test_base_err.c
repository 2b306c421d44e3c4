/* Errors: the place, one clean line, and the status table row by row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/err.h"
#include "base/utf8.h"

static void fail_fills(void **state)
{
	ag_err err;

	(void)state;
	memset(&err, 0x55, sizeof(err));
	assert_int_equal(ag_fail(&err, AG_INVALID, "query.filter", "unknown \"%s\"", "x"),
	                 AG_INVALID);
	assert_int_equal(err.status, AG_INVALID);
	assert_int_equal(err.native, 0);
	assert_string_equal(err.origin, "query.filter");
	assert_string_equal(err.msg, "unknown \"x\"");
	assert_string_equal(err.hint, "");
	assert_int_equal(ag_err_hint(&err, "try %d", 7), AG_INVALID);
	assert_string_equal(err.hint, "try 7");
	/* The old message may be an argument of the new one. */
	ag_fail(&err, AG_IO, "a.very.long.origin.that.does.not.fit", "again: %s", err.msg);
	assert_string_equal(err.msg, "again: unknown \"x\"");
	assert_int_equal(strlen(err.origin), sizeof(err.origin) - 1);
	assert_string_equal(err.hint, "");
	assert_int_equal(ag_fail(NULL, AG_LIMIT, "x", "y"), AG_LIMIT);
	assert_int_equal(ag_err_hint(NULL, "y"), AG_INTERNAL);
}

static void fail_errno_maps(void **state)
{
	ag_err err;

	(void)state;
	assert_int_equal(ag_fail_errno(&err, ENOENT, "m", "cannot open %s", "f"), AG_NOT_FOUND);
	assert_string_equal(err.msg, "cannot open f: No such file or directory");
	assert_int_equal(err.native, ENOENT);
	assert_int_equal(ag_fail_errno(&err, EACCES, "m", "x"), AG_DENIED);
	assert_int_equal(ag_fail_errno(&err, EPERM, "m", "x"), AG_DENIED);
	assert_int_equal(ag_fail_errno(&err, ENOSPC, "m", "x"), AG_IO);
	assert_int_equal(ag_fail_errno(NULL, ENOENT, "m", "x"), AG_NOT_FOUND);
}

static void messages_are_one_line_of_whole_characters(void **state)
{
	char wide[900];
	ag_err err;

	(void)state;
	ag_fail(&err, AG_IO, "m", "a\nb\tc\x1b[0m");
	assert_string_equal(err.msg, "a b c [0m");
	for (size_t shift = 0; shift < 4; shift++) {
		memset(wide, 'x', shift);
		for (size_t i = shift; i + 3 < sizeof(wide); i += 3)
			memcpy(wide + i, "\xE2\x82\xAC", 4);
		ag_fail(&err, AG_IO, "m", "%s", wide);
		assert_true(ag_utf8_valid(ag_str_c(err.msg)));
		assert_in_range(strlen(err.msg), sizeof(err.msg) - 4, sizeof(err.msg) - 1);
		ag_err_hint(&err, "%s", wide);
		assert_true(ag_utf8_valid(ag_str_c(err.hint)));
		assert_in_range(strlen(err.hint), sizeof(err.hint) - 4, sizeof(err.hint) - 1);
	}
}

static void table(void **state)
{
	static const char *const names[] = {
#define X(name, http, rpc, retry, meaning) #name,
		AG_STATUS_TABLE(X)
#undef X
	};

	(void)state;
	for (int st = 0; st < AG_STATUS_COUNT; st++) {
		assert_true(ag_str_ieq(ag_str_c(names[st]), ag_str_c(ag_status_name(st))));
		assert_non_null(ag_status_meaning(st));
	}
	assert_string_equal(ag_status_name(AG_NOT_FOUND), "not_found");
	assert_int_equal(ag_status_http(AG_NOT_FOUND), 404);
	assert_int_equal(ag_status_json_rpc(AG_INVALID), -32602);
	assert_true(ag_status_retryable(AG_TIMEOUT));
	assert_false(ag_status_retryable(AG_DENIED));
	assert_string_equal(ag_status_name(AG_STATUS_COUNT), "internal");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fail_fills),
		cmocka_unit_test(fail_errno_maps),
		cmocka_unit_test(messages_are_one_line_of_whole_characters),
		cmocka_unit_test(table),
	};

	return cmocka_run_group_tests_name("base_err", tests, NULL, NULL);
}
