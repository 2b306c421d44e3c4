/* UUIDv7: form, order, time, uniqueness across threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>

#include "run/id.h"

static int64_t fixed_ms(void *self)
{
	return *(int64_t *)self;
}

static int64_t time_of(const ag_id *id)
{
	char hex[13] = { 0 };

	memcpy(hex, id->text, 8);
	memcpy(hex + 8, id->text + 9, 4);
	return (int64_t)strtoull(hex, NULL, 16);
}

static void new_id_has_the_form_of_rfc_9562(void **state)
{
	int64_t now = 1772354096123;
	ag_clock clock = { fixed_ms, fixed_ms, &now };
	ag_id id = ag_id_new(&clock), parsed;

	(void)state;
	assert_int_equal(strlen(id.text), AG_ID_LEN);
	assert_true(ag_id_parse(ag_id_str(&id), &parsed));
	assert_string_equal(id.text, parsed.text);
	assert_int_equal(time_of(&id), now);
	assert_int_equal(id.text[14], '7');
	assert_non_null(strchr("89ab", id.text[19]));
	now = -5;
	id = ag_id_new(&clock);
	assert_int_equal(time_of(&id), 0);
}

static void ids_of_one_millisecond_ascend(void **state)
{
	int64_t now = 1800000000000;
	ag_clock clock = { fixed_ms, fixed_ms, &now };
	ag_id last = ag_id_new(&clock);

	(void)state;
	for (int i = 0; i < 20000; i++) { /* more than the counter holds: carries into the time */
		ag_id id;

		if (i == 9000)
			now -= 2000; /* the clock was set back a little */
		id = ag_id_new(&clock);
		assert_true(strcmp(last.text, id.text) < 0);
		last = id;
	}
	assert_in_range(time_of(&last), 1800000000004, 1800000000006);
	now -= 60000; /* another clock */
	last = ag_id_new(&clock);
	assert_int_equal(time_of(&last), now);
}

enum { NTHREAD = 4, NID = 5000 };

static void *make_ids(void *arg)
{
	ag_id *ids = arg;

	for (int i = 0; i < NID; i++)
		ids[i] = ag_id_new(&ag_clock_system);
	return NULL;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const ag_id *)a)->text, ((const ag_id *)b)->text);
}

static void threads_never_share_time_and_counter(void **state)
{
	static ag_id ids[NTHREAD * NID];
	pthread_t thread[NTHREAD];

	(void)state;
	for (int t = 0; t < NTHREAD; t++)
		assert_int_equal(pthread_create(&thread[t], NULL, make_ids, ids + t * NID), 0);
	for (int t = 0; t < NTHREAD; t++)
		pthread_join(thread[t], NULL);
	for (int i = 1; i < NTHREAD * NID; i++) {
		if (i % NID)
			assert_true(strcmp(ids[i - 1].text, ids[i].text) < 0);
	}
	qsort(ids, NTHREAD * NID, sizeof(ids[0]), by_text);
	for (int i = 1; i < NTHREAD * NID; i++)
		assert_true(memcmp(ids[i - 1].text, ids[i].text, 18) != 0);
}

static void random_bits_differ(void **state)
{
	int64_t now = 1900000000000;
	ag_clock clock = { fixed_ms, fixed_ms, &now };
	ag_id a = ag_id_new(&clock), b = ag_id_new(&clock);

	(void)state;
	assert_string_not_equal(a.text + 19, b.text + 19);
}

static void parse_folds_case_and_refuses_the_rest(void **state)
{
	static const char *const wrong[] = {
		"",
		"0190c3e2-aaaa-7000-8000-00000000000",
		"0190c3e2-aaaa-7000-8000-0000000000011",
		"0190c3e2aaaa-7000-8000-00000000000011",
		"0190c3e2-aaaa-7000-8000-00000000000g",
		"0190c3e2-aaaa-7000-8000_000000000001",
		"0190c3e2-aaaa-7000--800-000000000001",
		"{190c3e2-aaaa-7000-8000-00000000000}",
	};
	ag_id id = { "untouched" };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(wrong); i++)
		assert_false(ag_id_parse(ag_str_c(wrong[i]), &id));
	assert_string_equal(id.text, "untouched");
	assert_true(ag_id_parse(AG_S("0190C3E2-AaBb-7000-8000-00000000000F"), &id));
	assert_string_equal(id.text, "0190c3e2-aabb-7000-8000-00000000000f");
}

/* Between every id of an earlier millisecond and every id of this one. */
static int64_t held(void *self)
{
	return *(int64_t *)self;
}

static void a_floor_lies_between(void **state)
{
	int64_t now = INT64_C(4102444800000); /* far ahead: no other test has made ids there */
	const ag_clock clock = { .wall_ms = held, .mono_ms = held, .self = &now };
	ag_id parsed;

	(void)state;
	for (int i = 0; i < 100; i++, now++) {
		const ag_id earlier = ag_id_new(&clock), floor = ag_id_floor(now),
			    next = ag_id_floor(now + 1);

		assert_true(strcmp(floor.text, earlier.text) <= 0);
		assert_true(strcmp(earlier.text, next.text) < 0);
		assert_true(ag_id_parse(ag_id_str(&floor), &parsed));
	}
	assert_true(strcmp(ag_id_floor(-1).text, ag_id_floor(0).text) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_floor_lies_between),
		cmocka_unit_test(new_id_has_the_form_of_rfc_9562),
		cmocka_unit_test(ids_of_one_millisecond_ascend),
		cmocka_unit_test(random_bits_differ),
		cmocka_unit_test(threads_never_share_time_and_counter),
		cmocka_unit_test(parse_folds_case_and_refuses_the_rest),
	};

	return cmocka_run_group_tests_name("run_id", tests, NULL, NULL);
}
