/* Schedules that are due, under clocks that go on, are set forward and are set back; the texts of jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "app/jobs.h"

#define HOUR (3600 * INT64_C(1000))
#define DAY  (24 * HOUR)

typedef struct world {
	ag_arena *arena;
	ag_store *store;
	ag_err err;
	int64_t begin_ms; /* 2026-03-01T00:30:00Z */
} world;

static int setup(void **state)
{
	world *w = ag_xcalloc(1, sizeof(*w));

	w->arena = ag_arena_new();
	assert_true(ag_time_parse_iso(AG_S("2026-03-01T00:30:00Z"), &w->begin_ms));
	assert_int_equal(ag_store_open(AG_S("memory:"), &w->store, &w->err), AG_OK);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	world *w = *state;

	ag_store_close(w->store);
	ag_arena_free(w->arena);
	free(w);
	return 0;
}

static void plan(world *w, const char *name, const char *cron, const char *zone, int64_t next_ms)
{
	const ag_schedule c = { .name = ag_str_c(name),
		                .cron = ag_str_c(cron),
		                .zone = ag_str_c(zone),
		                .queue = AG_S("main"),
		                .kind = AG_S("audit"),
		                .payload = AG_S("{\"all\":true}"),
		                .created_ms = w->begin_ms,
		                .next_ms = next_ms };

	if (ag_store_add_schedule(w->store, &c, &w->err))
		fail_msg("%s", w->err.msg);
}

/* How many jobs are queued when a worker looks at that time. */
static size_t look(world *w, int64_t at_ms, int64_t *ret_next_ms)
{
	size_t n = 0;

	if (ag_app_queue_due(w->store, at_ms, ret_next_ms, &n, &w->err))
		fail_msg("%s", w->err.msg);
	return n;
}

static void each_time_once(void **state)
{
	world *w = *state;
	int64_t next = 0;
	size_t n = 0;

	plan(w, "hourly", "0 * * * *", "UTC", w->begin_ms + HOUR / 2);
	for (int64_t at = w->begin_ms; at < w->begin_ms + DAY; at += HOUR / 6)
		n += look(w, at, &next);
	assert_int_equal(n, 24);
	assert_true(next == w->begin_ms + DAY + HOUR / 2);
}

static void a_clock_that_is_set_forward_floods_nothing(void **state)
{
	world *w = *state;
	int64_t next = 0;

	plan(w, "hourly", "0 * * * *", "UTC", w->begin_ms + HOUR / 2);
	assert_int_equal(look(w, w->begin_ms + HOUR, &next), 1);
	assert_int_equal(look(w, w->begin_ms + 3 * DAY, &next), 1); /* the last of 71 */
	assert_int_equal(look(w, w->begin_ms + 3 * DAY, &next), 0);
	/* And back to what it is: times that were not queued are due when they come, and one that was is not repeated. */
	assert_int_equal(look(w, w->begin_ms + HOUR + 1, &next), 0);
	assert_true(next == w->begin_ms + HOUR + HOUR / 2);
	assert_int_equal(look(w, w->begin_ms + 2 * HOUR, &next), 1);
	assert_int_equal(look(w, w->begin_ms + 3 * DAY - HOUR, &next), 1);
	assert_int_equal(look(w, w->begin_ms + 3 * DAY, &next), 0);
}

static void a_clock_that_is_set_back_repeats_nothing(void **state)
{
	world *w = *state;
	int64_t next = 0;

	plan(w, "hourly", "0 * * * *", "UTC", w->begin_ms + HOUR / 2);
	assert_int_equal(look(w, w->begin_ms + HOUR, &next), 1);
	assert_int_equal(look(w, w->begin_ms + 2 * HOUR, &next), 1);
	assert_int_equal(look(w, w->begin_ms, &next), 0); /* back by two hours */
	assert_int_equal(look(w, w->begin_ms + HOUR, &next), 0);
	assert_int_equal(look(w, w->begin_ms + 2 * HOUR, &next), 0);
	assert_int_equal(look(w, w->begin_ms + 3 * HOUR, &next), 1);
}

static void clocks_that_change_in_spring_and_autumn(void **state)
{
	world *w = *state;
	int64_t spring, autumn, next;
	size_t n = 0;

	assert_true(ag_time_parse_iso(AG_S("2026-03-28T12:00:00Z"), &spring));
	assert_true(ag_time_parse_iso(AG_S("2026-10-24T12:00:00Z"), &autumn));
	plan(w, "night", "30 2 * * *", "Europe/Berlin", spring);
	for (int64_t at = spring; at < spring + DAY; at += HOUR / 12)
		n += look(w, at, &next);
	assert_int_equal(n, 1);                      /* 02:30 does not exist on the 29th */
	assert_int_equal(look(w, autumn, &next), 1); /* of the summer's, the last */
	n = 0;
	for (int64_t at = autumn; at < autumn + DAY; at += HOUR / 12)
		n += look(w, at, &next);
	assert_int_equal(n, 1); /* 02:30 comes twice on the 25th */
}

static void one_that_cannot_be_read_stops_no_other(void **state)
{
	world *w = *state;
	int64_t next = 0;

	plan(w, "a-broken", "0 * * * * * *", "UTC", w->begin_ms);
	plan(w, "b-nowhere", "0 * * * *", "Mars/Base", w->begin_ms);
	plan(w, "c-hourly", "0 * * * *", "UTC", w->begin_ms + HOUR / 2);
	assert_int_equal(look(w, w->begin_ms + HOUR, &next), 1);
}

static void what_people_see_of_a_job(void **state)
{
	static const char *const texts[][2] = {
		{ "{\"all\":true}", "all projects" },
		{ "{\"project\":\"shop\"}", "shop" },
		{ "{\"project\":\"shop\",\"collection\":\"o*\"}", "shop/o*" },
		{ "{\"source\":\"mongodb://h/db\",\"collection\":\"c\",\"key\":\"h:27017/db/c\"}",
		  "mongodb://h/db/c" },
		{ "{\"source\":\"/data\",\"collection\":\"c\",\"key\":\"/data/c.csv\"}",
		  "/data/c.csv" },
		{ "not JSON", "not JSON" },
	};
	world *w = *state;
	size_t n = 0;

	for (size_t i = 0; i < AG_NELEM(texts); i++) {
		const ag_str got = ag_job_shown(AG_S("audit"), ag_str_c(texts[i][0]), w->arena);

		if (!ag_str_eqc(got, texts[i][1]))
			fail_msg("%s: %.*s", texts[i][0], AG_FMT(got));
	}
	assert_non_null(ag_job_kinds(&n, 0));
	assert_null(ag_job_kinds(NULL, n));
	assert_null(ag_job_kind_find(AG_S("bake")));
	assert_true(ag_str_eqc(ag_job_shown(AG_S("bake"), AG_S("{}"), w->arena), "{}"));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(each_time_once),
		T(a_clock_that_is_set_forward_floods_nothing),
		T(a_clock_that_is_set_back_repeats_nothing),
		T(clocks_that_change_in_spring_and_autumn),
		T(one_that_cannot_be_read_stops_no_other),
		T(what_people_see_of_a_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
