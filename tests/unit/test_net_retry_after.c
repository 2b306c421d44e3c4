/* Retry-After: seconds, three forms of dates, and what is neither. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"
#include "net/http.h"

#define CENTURY_MS INT64_C(3155760000000)
#define NEITHER    INT64_C(-1)

/* Ten seconds before the date of the standard's examples. */
#define NOW "1994-11-06T08:49:27Z"

static int64_t read_at(const char *now, ag_str value)
{
	int64_t now_ms, ms = 12345;

	assert_true(ag_time_parse_iso(ag_str_c(now), &now_ms));
	if (ag_http_retry_after(value, now_ms, &ms))
		return ms;
	assert_int_equal(ms, 12345); /* untouched */
	return NEITHER;
}

static void reads_all_forms(void **state)
{
	static const struct {
		const char *now;
		ag_str value;
		int64_t ms;
	} cases[] = {
		{ NOW, AG_S_INIT("0"), 0 },
		{ NOW, AG_S_INIT("120"), 120000 },
		{ NOW, AG_S_INIT("  7\t"), 7000 },
		{ NOW, AG_S_INIT("007"), 7000 },
		{ NOW, AG_S_INIT("1.5"), 1500 },
		{ NOW, AG_S_INIT("0.0305"), 30 },
		{ NOW, AG_S_INIT("20.123456789012345678901234567890"), 20123 },
		{ NOW, AG_S_INIT("3155760000"), CENTURY_MS },
		{ NOW, AG_S_INIT("3155760001"), CENTURY_MS },
		{ NOW, AG_S_INIT("99999999999999999999999999999999"), CENTURY_MS },
		{ NOW, AG_S_INIT("Sun, 06 Nov 1994 08:49:37 GMT"), 10000 },
		{ NOW, AG_S_INIT("Sunday, 06-Nov-94 08:49:37 GMT"), 10000 },
		{ NOW, AG_S_INIT("Sun Nov  6 08:49:37 1994"), 10000 },
		{ NOW, AG_S_INIT("sun, 06 nov 1994 08:49:37 gmt"), 10000 },
		{ NOW, AG_S_INIT("Mon, 06 Nov 1994 08:49:37 GMT"), 10000 }, /* the wrong day */
		{ NOW, AG_S_INIT("Wednesday, 06-Nov-94 08:49:37 GMT"), 10000 },
		{ NOW, AG_S_INIT("Thu Nov 10 08:49:27 1994"), 4 * 86400000 },
		{ NOW, AG_S_INIT("Sun, 06 Nov 1994 08:49:60 GMT"), 32000 }, /* a leap second */
		{ NOW, AG_S_INIT("Sun, 06 Nov 1994 08:49:27 GMT"), 0 },
		{ NOW, AG_S_INIT("Sun, 06 Nov 1994 08:49:26 GMT"), 0 },
		{ NOW, AG_S_INIT("Fri, 31 Dec 9999 23:59:59 GMT"), CENTURY_MS },
		{ NOW, AG_S_INIT("Sat, 01 Jan 0000 00:00:00 GMT"), 0 },
		{ "2024-02-28T00:00:00Z", AG_S_INIT("Thu, 29 Feb 2024 00:00:00 GMT"), 86400000 },
		{ "2026-11-22T02:31:35Z", AG_S_INIT("Sunday, 22-Nov-26 02:31:36 GMT"), 1000 },
		/* Two digits: up to 50 years ahead, else of the century before. */
		{ "2026-11-22T00:00:00Z", AG_S_INIT("Sunday, 22-Nov-76 00:00:00 GMT"),
		  18263 * INT64_C(86400000) },
		{ "2026-11-22T00:00:00Z", AG_S_INIT("Monday, 23-Nov-76 00:00:00 GMT"), 0 },
		{ "2099-12-31T23:59:59Z", AG_S_INIT("Friday, 01-Jan-00 00:00:00 GMT"), 1000 },
		/* Neither. */
		{ NOW, AG_S_INIT(""), NEITHER },
		{ NOW, AG_S_INIT("-1"), NEITHER },
		{ NOW, AG_S_INIT("+1"), NEITHER },
		{ NOW, AG_S_INIT("1."), NEITHER },
		{ NOW, AG_S_INIT(".5"), NEITHER },
		{ NOW, AG_S_INIT("1e3"), NEITHER },
		{ NOW, AG_S_INIT("1 s"), NEITHER },
		{ NOW, AG_S_INIT("1.2.3"), NEITHER },
		{ NOW, AG_S_INIT("soon"), NEITHER },
		{ NOW, AG_S_INIT("1994-11-06T08:49:37Z"), NEITHER },
		{ NOW, AG_S_INIT("Sun"), NEITHER },
		{ NOW, AG_S_INIT("Sun, "), NEITHER },
		{ NOW, AG_S_INIT("Sun, 06 Nov 1994 08:49:37"), NEITHER },
		{ NOW, AG_S_INIT("Sun, 06 Nov 1994 08:49:37 EST"), NEITHER },
		{ NOW, AG_S_INIT("Sun, 06 Nov 1994 08:49:37 GMT+1"), NEITHER },
		{ NOW, AG_S_INIT("Sun, 6 Nov 1994 08:49:37 GMT"), NEITHER },
		{ NOW, AG_S_INIT("Sun, 06 Nov 94 08:49:37 GMT"), NEITHER },
		{ NOW, AG_S_INIT("Sun, 06 Now 1994 08:49:37 GMT"), NEITHER },
		{ NOW, AG_S_INIT("Sun, 31 Nov 1994 08:49:37 GMT"), NEITHER },
		{ NOW, AG_S_INIT("Sun, 00 Nov 1994 08:49:37 GMT"), NEITHER },
		{ NOW, AG_S_INIT("Sun, 06 Nov 1994 24:00:00 GMT"), NEITHER },
		{ NOW, AG_S_INIT("Sun, 06 Nov 1994 08:60:00 GMT"), NEITHER },
		{ NOW, AG_S_INIT("Sun, 06 Nov 1994 08:49:61 GMT"), NEITHER },
		{ NOW, AG_S_INIT("Wed, 29 Feb 2023 00:00:00 GMT"), NEITHER },
		{ NOW, AG_S_INIT("Sunday, 06-Nov-1994 08:49:37 GMT"), NEITHER },
		{ NOW, AG_S_INIT("Sunday, 06 Nov 1994 08:49:37 GMT"), NEITHER },
		{ NOW, AG_S_INIT("Sun, 06-Nov-94 08:49:37 GMT"), NEITHER },
		{ NOW, AG_S_INIT("Sun Nov 6 08:49:37 1994"), NEITHER },
		{ NOW, AG_S_INIT("Sun Nov  6 08:49:37 1994 GMT"), NEITHER },
		{ NOW, AG_S_INIT("Foo, 06 Nov 1994 08:49:37 GMT"), NEITHER },
		{ NOW, AG_S_INIT("7\0"), NEITHER },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		int64_t ms = read_at(cases[i].now, cases[i].value);

		if (ms != cases[i].ms)
			fail_msg("\"%.*s\": %lld, want %lld", AG_FMT(cases[i].value), (long long)ms,
			         (long long)cases[i].ms);
	}
}

/* Each of its first bytes is something else than the date, and none is read past its end. */
static void reads_whole_values_only(void **state)
{
	static const char *const dates[] = { "Sun, 06 Nov 1994 08:49:37 GMT",
		                             "Sunday, 06-Nov-94 08:49:37 GMT",
		                             "Sun Nov  6 08:49:37 1994" };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(dates); i++) {
		for (size_t n = 0; n < strlen(dates[i]); n++)
			assert_int_equal(read_at(NOW, ag_str_make(dates[i], n)), NEITHER);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_all_forms),
		cmocka_unit_test(reads_whole_values_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
