/* Cron expressions and time zones: known moments, clocks that change, and what is refused. e2e_jobs compares many more with another
 * implementation of both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cron.h"
#include "base/time.h"

static ag_arena *arena;

static int64_t ms_of(const char *iso)
{
	int64_t ms = 0;

	assert_true(ag_time_parse_iso(ag_str_c(iso), &ms));
	return ms;
}

static const ag_zone *zone_of(const char *name)
{
	const ag_zone *z = NULL;
	ag_err err;

	if (ag_zone_open(ag_str_c(name), arena, &z, &err))
		fail_msg("%s", err.msg);
	return z;
}

/* The moments after `from`, with blanks between. */
static void is_due(const char *cron, const char *zone, const char *from, const char *want)
{
	ag_str rest = ag_str_c(want);
	int64_t at = ms_of(from);
	ag_cron c;
	ag_err err;

	if (ag_cron_read(ag_str_c(cron), &c, &err))
		fail_msg("%s: %s", cron, err.msg);
	while (rest.len) {
		const ag_str word = ag_str_split(&rest, ' ');
		char got[AG_TIME_MAX_TEXT];

		at = ag_cron_next(&c, zone_of(zone), at);
		ag_time_format(got, at);
		if (!ag_str_eqc(word, got))
			fail_msg("%s in %s: %s, not %.*s", cron, zone, got, AG_FMT(word));
	}
}

static void the_next_time(void **state)
{
	(void)state;
	is_due("30 3 * * *", "UTC", "2026-03-01T03:29:59Z",
	       "2026-03-01T03:30:00Z 2026-03-02T03:30:00Z");
	is_due("30 3 * * *", "UTC", "2026-03-01T03:30:00Z", "2026-03-02T03:30:00Z");
	is_due("*/20 8-9 * * *", "UTC", "2026-03-01T00:00:00Z",
	       "2026-03-01T08:00:00Z 2026-03-01T08:20:00Z 2026-03-01T08:40:00Z 2026-03-01T09:00:00Z");
	is_due("0 12 * jan,MAR Mon-fri", "UTC", "2026-01-30T00:00:00Z",
	       "2026-01-30T12:00:00Z 2026-03-02T12:00:00Z");
	is_due("0 0 1 * 1", "UTC", "2026-05-28T00:00:00Z", /* a first, or a Monday */
	       "2026-06-01T00:00:00Z 2026-06-08T00:00:00Z");
	is_due("0 0 * * 7", "UTC", "2026-06-01T00:00:00Z", "2026-06-07T00:00:00Z");
	is_due("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z");
	is_due("@daily", "UTC", "2026-12-31T12:00:00Z", "2027-01-01T00:00:00Z");
	is_due("10-50/20,5 * * * *", "UTC", "2026-01-01T00:06:00Z",
	       "2026-01-01T00:10:00Z 2026-01-01T00:30:00Z 2026-01-01T00:50:00Z 2026-01-01T01:05:00Z");
	is_due("0 9 * * *", "Asia/Kathmandu", "2026-01-01T00:00:00Z", "2026-01-01T03:15:00Z");
	is_due("0 0 * * *", "America/New_York", "2037-12-31T12:00:00Z", "2038-01-01T05:00:00Z");
	is_due("0 0 1 7 *", "America/New_York", "2400-01-01T00:00:00Z", "2400-07-01T04:00:00Z");
}

/* Berlin goes from 02:00 to 03:00 on 29 March 2026 (01:00 UTC), and from 03:00 back to 02:00 on 25 October (01:00 UTC). */
static void clocks_that_change(void **state)
{
	(void)state;
	is_due("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z",
	       "2026-03-28T01:30:00Z 2026-03-29T01:00:00Z 2026-03-30T00:30:00Z");
	is_due("0,30 2 * * *", "Europe/Berlin", "2026-03-28T02:00:00Z",
	       "2026-03-29T01:00:00Z 2026-03-30T00:00:00Z"); /* both at one moment: once */
	is_due("30 2 * * *", "Europe/Berlin", "2026-10-24T00:00:00Z",
	       "2026-10-24T00:30:00Z 2026-10-25T00:30:00Z 2026-10-26T01:30:00Z");
	is_due("0 3 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T02:00:00Z");
	is_due("30 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z",
	       "2026-03-29T00:30:00Z 2026-03-29T01:30:00Z 2026-03-29T02:30:00Z");
	is_due("30 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z",
	       "2026-10-25T00:30:00Z 2026-10-25T01:30:00Z 2026-10-25T02:30:00Z");
	/* Half an hour: Lord Howe, 5 April 2026 from 02:00 to 01:30 (15:00 UTC). */
	is_due("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00:00Z",
	       "2026-04-04T14:45:00Z 2026-04-05T15:15:00Z");
	/* A day that was skipped: Samoa had no 30 December 2011. */
	is_due("0 12 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z",
	       "2011-12-29T22:00:00Z 2011-12-30T10:00:00Z 2011-12-30T22:00:00Z");
}

static void the_last_time(void **state)
{
	ag_cron c;
	ag_err err;

	(void)state;
	assert_int_equal(ag_cron_read(AG_S("*/5 * * * *"), &c, &err), AG_OK);
	assert_int_equal(ag_cron_last(&c, zone_of("UTC"), 0, ms_of("2026-01-01T00:09:59Z")),
	                 ms_of("2026-01-01T00:05:00Z"));
	assert_int_equal(ag_cron_last(&c, zone_of("UTC"), ms_of("2026-01-01T00:05:00Z"),
	                              ms_of("2026-01-01T00:09:59Z")),
	                 0);
	assert_int_equal(ag_cron_read(AG_S("0 0 29 2 *"), &c, &err), AG_OK);
	assert_int_equal(ag_cron_last(&c, zone_of("UTC"), 0, ms_of("2026-01-01T00:00:00Z")),
	                 ms_of("2024-02-29T00:00:00Z"));
}

static void what_is_refused(void **state)
{
	static const char *const texts[][2] = {
		{ "", "5 fields" },
		{ "* * * *", "5 fields" },
		{ "* * * * * *", "5 fields" },
		{ "60 * * * *", "minute" },
		{ "* 24 * * *", "hour" },
		{ "* * 0 * *", "day of the month" },
		{ "* * * 13 *", "month" },
		{ "* * * foo *", "month" },
		{ "* * * * 8", "weekday" },
		{ "5-1 * * * *", "ends before" },
		{ "*/0 * * * *", "step" },
		{ "5/2 * * * *", "needs a range" },
		{ "1,,2 * * * *", "empty" },
		{ "*/99999999999 * * * *", "step" },
		{ "0 0 30 2 *", "that day" },
		{ "0 0 31 4,6 *", "that day" },
		{ "@never", "5 fields" },
		{ "-1 * * * *", "minute" },
		{ "* * * * fri-mon", "ends before" },
	};
	const ag_zone *z;
	ag_cron c;
	ag_err err;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(texts); i++) {
		assert_int_not_equal(ag_cron_read(ag_str_c(texts[i][0]), &c, &err), AG_OK);
		if (!strstr(err.msg, texts[i][1]) || !err.hint[0])
			fail_msg("%s: %s (%s)", texts[i][0], err.msg, err.hint);
	}
	assert_int_equal(ag_zone_open(AG_S("Europe/Berlln"), arena, &z, &err), AG_NOT_FOUND);
	assert_int_equal(ag_zone_open(AG_S("../../../etc/passwd"), arena, &z, &err), AG_NOT_FOUND);
	assert_int_equal(ag_zone_open(AG_S("/etc/localtime"), arena, &z, &err), AG_NOT_FOUND);
	assert_int_equal(ag_zone_open(AG_S("Europe"), arena, &z, &err), AG_NOT_FOUND);
	assert_int_equal(ag_zone_open(AG_S("zone.tab"), arena, &z, &err), AG_NOT_FOUND);
	assert_int_equal(ag_zone_read(AG_S("TZif2"), arena, &z, &err), AG_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_next_time),
		cmocka_unit_test(clocks_that_change),
		cmocka_unit_test(the_last_time),
		cmocka_unit_test(what_is_refused),
	};
	int nfailed;

	arena = ag_arena_new();
	nfailed = cmocka_run_group_tests(tests, NULL, NULL);
	ag_arena_free(arena);
	return nfailed;
}
