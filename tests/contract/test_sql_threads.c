/* Every SQL engine: many threads on one handle, fewer connections than threads, statements of every outcome among each
 * other; each gets its own answer. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "contract/sql_fixtures.h"

#define NTHREAD 8
#define NTURN   40

typedef struct worker {
	pthread_t thread;
	env *e;
	unsigned number;
	const char *wrong; /* NULL = all was as it should be */
} worker;

static const char *ask(worker *w, ag_arena *arena, const char *sql, ag_sql_result *ret)
{
	ag_sql_request rq = { .sql = ag_str_c(sql), .watch_fd = -1 };
	ag_err err;

	*ret = (ag_sql_result){ 0 };
	return ag_sql_query(w->e->source, NULL, &rq, arena, ret, &err) ? "internal" : NULL;
}

static const char *turn(worker *w, unsigned i, ag_arena *arena)
{
	char sql[200], want[100];
	const char *wrong;
	ag_sql_result r;

	switch (i % 5) {
	case 0:
	case 1:
		snprintf(sql, sizeof(sql), "SELECT n, %u FROM numbers WHERE n = %u", w->number,
		         i + 1);
		snprintf(want, sizeof(want), "[[%u,%u]]", i + 1, w->number);
		wrong = ask(w, arena, sql, &r);
		if (!wrong && (!r.is_ok || strcmp(r.rows.ptr, want) != 0))
			wrong = "a row of somebody else";
		break;
	case 2:
		wrong = ask(w, arena, "SELECT n FROM numbers ORDER BY n", &r);
		if (!wrong && (!r.is_ok || r.nrow != 500 || r.cut != AG_SQL_CUT_ROWS))
			wrong = "a cap that moved";
		break;
	case 3:
		wrong = ask(w, arena, "SELECT k FROM secret", &r);
		if (!wrong && (r.is_ok || r.verdict.rule != AG_SQLRULE_TABLE))
			wrong = "an excluded table was read";
		break;
	default:
		wrong = ask(w, arena, "SELECT nope FROM users", &r);
		if (!wrong && (r.is_ok || strcmp(r.failure.sqlstate, "42703") != 0))
			wrong = "a failure of somebody else";
		break;
	}
	ag_sql_result_release(&r);
	return wrong;
}

static void *work(void *arg)
{
	worker *w = arg;
	ag_arena *arena = ag_arena_new();

	for (unsigned i = 0; i < NTURN && !w->wrong; i++) {
		w->wrong = turn(w, i, arena);
		ag_arena_reset(arena);
	}
	ag_arena_free(arena);
	return NULL;
}

static void run_all(env *e)
{
	worker w[NTHREAD];

	for (unsigned i = 0; i < NTHREAD; i++) {
		w[i] = (worker){ .e = e, .number = i };
		assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
	}
	for (unsigned i = 0; i < NTHREAD; i++)
		pthread_join(w[i].thread, NULL);
	for (unsigned i = 0; i < NTHREAD; i++)
		if (w[i].wrong)
			fail_msg("%s", w[i].wrong);
}

static void test_many(void **state)
{
	env *e = *state;
	ag_sql_health h;

	e->opts.max_connections = 3;
	e->opts.wait_timeout_ms = 60000;
	sql_open(e);
	run_all(e);
	ag_sql_health_of(e->source, &h);
	assert_int_equal(h.nquery, NTHREAD * NTURN);
	assert_int_equal(h.nfailed, NTHREAD * NTURN / 5 * 2);
	assert_int_equal(h.nbusy, 0);
	assert_in_range(h.nopen, 1, 3);
}

/* The catalog is forgotten while everybody uses it. */
static void *forget(void *arg)
{
	worker *w = arg;

	for (int i = 0; i < 20; i++) {
		const struct timespec pause = { .tv_nsec = 2000000 };

		ag_sql_forget_catalog(w->e->source);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void test_many_while_the_catalog_is_forgotten(void **state)
{
	env *e = *state;
	worker w = { .e = e };

	e->opts.max_connections = 3;
	e->opts.wait_timeout_ms = 60000;
	sql_open(e);
	assert_int_equal(pthread_create(&w.thread, NULL, forget, &w), 0);
	run_all(e);
	pthread_join(w.thread, NULL);
}

int main(void)
{
	static const sql_test tests[] = {
		{ "many", test_many },
		{ "many_while_the_catalog_is_forgotten", test_many_while_the_catalog_is_forgotten },
	};

	return sql_run_suite(tests, AG_NELEM(tests));
}
