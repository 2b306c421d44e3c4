/* Civil time: known days, every day of 800 years, and what ISO 8601 text is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"

static void assert_parsed(const char *text, int64_t want)
{
	int64_t ms = -1;

	if (!ag_time_parse_iso(ag_str_c(text), &ms))
		fail_msg("\"%s\" is refused", text);
	if (ms != want)
		fail_msg("\"%s\" gives %lld", text, (long long)ms);
}

static void assert_formatted(int64_t ms, const char *want)
{
	char out[AG_TIME_MAX_TEXT];

	assert_int_equal(ag_time_format(out, ms), strlen(want));
	assert_string_equal(out, want);
}

static void format(void **state)
{
	(void)state;
	assert_formatted(0, "1970-01-01T00:00:00Z");
	assert_formatted(-1, "1969-12-31T23:59:59.999Z");
	assert_formatted(1772353800000, "2026-03-01T08:30:00Z");
	assert_formatted(951782400007, "2000-02-29T00:00:00.007Z");
	assert_formatted(253402300799999, "9999-12-31T23:59:59.999Z");
	assert_formatted(253402300800000, "+010000-01-01T00:00:00Z");
	assert_formatted(-62167219200000, "0000-01-01T00:00:00Z");
	assert_formatted(-62167219200001, "-000001-12-31T23:59:59.999Z");
	assert_formatted(INT64_MAX, "+292278994-08-17T07:12:55.807Z");
	assert_formatted(INT64_MIN, "-292275055-05-16T16:47:04.192Z");
}

/* A calendar that only counts forward is too simple to share an error with the formulas. */
static void every_day_of_800_years(void **state)
{
	static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	ag_civil c = { .year = 1600, .month = 1, .day = 1, .hour = 23, .ms = 5 };
	int64_t day = -135140; /* 1600-01-01 */

	(void)state;
	while (c.year < 2400) {
		bool leap = c.year % 400 == 0 || (c.year % 4 == 0 && c.year % 100 != 0);
		int64_t ms = day * 86400000 + 23 * 3600000 + 5;
		ag_civil back = ag_time_to_civil(ms);

		assert_true(ag_civil_valid(&c));
		assert_true(ag_time_from_civil(&c) == ms);
		assert_true(back.year == c.year && back.month == c.month && back.day == c.day);
		assert_true(back.hour == 23 && back.minute == 0 && back.second == 0 &&
		            back.ms == 5);
		day++;
		if (++c.day > lengths[c.month - 1] + (leap && c.month == 2)) {
			assert_false(ag_civil_valid(&c));
			c.day = 1;
			c.month = c.month % 12 + 1;
			c.year += c.month == 1;
		}
	}
	assert_int_equal(day, 157054); /* 2400-01-01 */
}

static void fields_carry_over(void **state)
{
	ag_civil c = { .year = 2025, .month = 13, .day = 32, .hour = 24, .minute = 60 };
	ag_civil far = { .year = INT64_MAX, .month = 1, .day = 1 };
	ag_civil edge = { .year = 292275000, .month = INT32_MAX, .day = INT32_MAX };

	(void)state;
	assert_false(ag_civil_valid(&c));
	assert_formatted(ag_time_from_civil(&c), "2026-02-02T01:00:00Z");
	c = (ag_civil){ .year = 2026, .month = 0, .day = 0, .second = -1 };
	assert_formatted(ag_time_from_civil(&c), "2025-11-29T23:59:59Z");
	assert_true(ag_time_from_civil(&far) == INT64_MAX);
	far.year = INT64_MIN;
	assert_true(ag_time_from_civil(&far) == INT64_MIN);
	assert_true(ag_time_from_civil(&edge) == INT64_MAX);
}

static void parse(void **state)
{
	const int64_t want = 1772353800000; /* 2026-03-01T08:30:00Z */

	(void)state;
	assert_parsed("2026-03-01T08:30:00Z", want);
	assert_parsed("2026-03-01 08:30", want);
	assert_parsed("2026-03-01T08:30Z", want);
	assert_parsed("2026-03-01T08:30:00", want);
	assert_parsed("2026-03-01T10:30:00+02:00", want);
	assert_parsed("2026-03-01T10:30:00+0200", want);
	assert_parsed("2026-03-01T10:30+02", want);
	assert_parsed("2026-03-01T02:45:00-05:45", want);
	assert_parsed("2026-03-01T08:30:00.1Z", want + 100);
	assert_parsed("2026-03-01T08:30:00.12Z", want + 120);
	assert_parsed("2026-03-01T08:30:00.9999999999999Z", want + 999);
	assert_parsed("2026-03-01T08:30:00,5", want + 500);
	assert_parsed("2026-03-01", want - 8 * 3600000 - 30 * 60000);
	assert_parsed("2000-02-29", 951782400000);
	assert_parsed("1969-12-31T23:59:59.999Z", -1);
	assert_parsed("0000-01-01", -62167219200000);
	assert_parsed("+010000-01-01T00:00:00Z", 253402300800000);
}

static void parse_refuses(void **state)
{
	static const char *const bad[] = {
		"",
		"2026",
		"2026-03",
		"2026-3-1",
		"20260301",
		"2026-13-01",
		"2026-00-01",
		"2026-02-29",
		"1900-02-29",
		"2026-04-31",
		"2026-03-00",
		"2026-03-01T",
		"2026-03-01T08",
		"2026-03-01 ",
		"2026-03-01T24:00:00Z",
		"2026-03-01T08:60Z",
		"2026-03-01T08:30:60Z",
		"2026-03-01  08:30",
		"2026-03-01T08:30:00.Z",
		"2026-03-01T08:30:",
		"2026-03-01T08:30:00ZZ",
		"2026-03-01T08:30:00+",
		"2026-03-01T08:30:00+2",
		"2026-03-01T08:30:00+02:",
		"2026-03-01T08:30:00+02:0",
		"2026-03-01T08:30:00+24:00",
		"2026-03-01T08:30:00+02:60",
		"2026-03-01Z",
		" 2026-03-01",
		"2026-03-01T08:30:00 Z",
		"-2026-03-01",
		"2026/03/01",
		"+999999999-01-01",
	};
	int64_t ms = 42;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		if (ag_time_parse_iso(ag_str_c(bad[i]), &ms))
			fail_msg("\"%s\" is taken", bad[i]);
	}
	assert_int_equal(ms, 42);
	assert_true(ag_time_parse_iso(ag_str_make("2026-03-01999", 10), &ms));
}

static void text_comes_back(void **state)
{
	uint64_t seed = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		char out[AG_TIME_MAX_TEXT];
		int64_t ms, back = 0;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		ms = (int64_t)seed >> (i % 40 + 1);
		assert_true(ag_time_parse_iso(ag_str_make(out, ag_time_format(out, ms)), &back));
		assert_true(back == ms);
	}
}

static int64_t fixed_ms(void *self)
{
	return *(int64_t *)self;
}

static void clocks(void **state)
{
	int64_t held = 12345;
	ag_clock fixed = { .wall_ms = fixed_ms, .mono_ms = fixed_ms, .self = &held };
	int64_t before = ag_clock_mono(&ag_clock_system);

	(void)state;
	assert_int_equal(ag_clock_wall(&fixed), 12345);
	assert_true(ag_clock_mono(&ag_clock_system) >= before);
	assert_true(ag_clock_wall(&ag_clock_system) > 1700000000000); /* after 2023 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(format),
		cmocka_unit_test(every_day_of_800_years),
		cmocka_unit_test(fields_carry_over),
		cmocka_unit_test(parse),
		cmocka_unit_test(parse_refuses),
		cmocka_unit_test(text_comes_back),
		cmocka_unit_test(clocks),
	};

	return cmocka_run_group_tests_name("base_time", tests, NULL, NULL);
}
