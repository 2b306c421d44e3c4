/* Fails a test with the message of a call that returned an error. */
#ifndef ARGUS_TEST_ASSERT_OK_H
#define ARGUS_TEST_ASSERT_OK_H

/* `expr` returns 0 or an error; `w` points to a struct whose member `err` the call fills. */
#define assert_ok(w, expr)                                       \
	do {                                                     \
		if (expr)                                        \
			fail_msg("%s: %s", #expr, (w)->err.msg); \
	} while (0)

#endif
