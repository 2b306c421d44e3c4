/* Looking back, the same for every store in store_fixtures[]: earlier runs with their findings, findings that wait,
 * labels; and a store of schema 1, which had no time of a label. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <sqlite3.h>

#include "base/embedded.h"
#include "store_fixtures.h"

static const store_fixture *fixture; /* of the group that runs */

static int setup(void **state)
{
	store_env *env = store_env_new(fixture);

	*state = env;
	return (int)ag_store_open(ag_str_c(env->uri), &env->store, &env->err);
}

static int setup_closed(void **state)
{
	*state = store_env_new(fixture);
	return 0;
}

static int teardown(void **state)
{
	store_env_free(*state);
	return 0;
}

/* A run of that source with nfinding findings, whose keys are "<letter>0", "<letter>1" … */
static ag_id put(store_env *env, const char *source, const char *status, char letter,
                 size_t nfinding)
{
	ag_id id = ag_id_new(&ag_clock_system);
	ag_run_row row = store_test_run(&id, 1000 + letter, source);
	ag_finding_row f[4];
	ag_store_batch b = { .run = &row, .findings = f, .nfinding = nfinding };

	row.status = ag_str_c(status);
	for (size_t i = 0; i < nfinding; i++) {
		ag_id fid = ag_id_new(&ag_clock_system);

		f[i] = store_test_finding(&fid, &id, "");
		f[i].key = ag_str_printf(env->arena, "%c%zu", letter, i);
	}
	assert_ok(env, ag_store_commit(env->store, &id, &b, &env->err));
	return id;
}

static ag_past_run *past(store_env *env, ag_past_query q, size_t *ret_n)
{
	ag_past_run *runs = NULL;

	assert_ok(env, ag_store_past(env->store, &q, env->arena, &runs, ret_n, &env->err));
	return runs;
}

static void earlier_runs_come_with_their_findings(void **state)
{
	store_env *env = *state;
	ag_id a = put(env, "k", "ok", 'a', 2), b = put(env, "k", "partial", 'b', 1);
	ag_id c = put(env, "k", "failed", 'c', 1), d = put(env, "k", "cancelled", 'd', 3);
	ag_past_query q = { .source_key = AG_S("k"), .agent = AG_S("audit"), .max_runs = 10 };
	const ag_past_run *runs;
	size_t n;

	put(env, "other", "ok", 'x', 1);
	put(env, "k", "partial", 'y', 0);
	put(env, "k", "failed", 'y', 0);
	put(env, "k", "cancelled", 'y', 0);
	put(env, "k", "running", 'z', 2);
	runs = past(env, q, &n);
	assert_int_equal(n, 4);
	assert_string_equal(runs[0].run.id.text, d.text);
	assert_string_equal(runs[1].run.id.text, c.text);
	assert_string_equal(runs[2].run.id.text, b.text);
	assert_string_equal(runs[3].run.id.text, a.text);
	assert_int_equal(runs[3].run.started_ms, 1000 + 'a');
	assert_str(runs[3].run.collection, "orders");
	assert_int_equal(runs[0].nfinding, 3);
	assert_int_equal(runs[1].nfinding, 1);
	assert_int_equal(runs[2].nfinding, 1);
	assert_int_equal(runs[3].nfinding, 2);
	assert_str(runs[0].findings[2].key, "d2");
	assert_str(runs[1].findings[0].key, "c0");
	assert_str(runs[3].findings[1].key, "a1");
	assert_string_equal(runs[3].findings[1].run.text, a.text);
	assert_int_equal(runs[3].findings[1].affected, 7);
	assert_str(runs[3].findings[1].body, "{\"title\":\"sieben \xc3\xa4\"}");

	q.before = &c;
	q.max_runs = 1;
	runs = past(env, q, &n);
	assert_int_equal(n, 1);
	assert_string_equal(runs[0].run.id.text, b.text);
	q = (ag_past_query){ .max_runs = 100 };
	past(env, q, &n);
	assert_int_equal(n, 5); /* of every source */
	q.agent = AG_S("analyst");
	past(env, q, &n);
	assert_int_equal(n, 0);
	q.max_runs = AG_STORE_MAX_RUNS + 1;
	assert_int_equal(ag_store_past(env->store, &q, env->arena, &(ag_past_run *){ NULL }, &n,
	                               &env->err),
	                 AG_INVALID);
}

/* A run of a conversation. */
static ag_id say(store_env *env, const char *key, const char *place, int64_t started_ms,
                 const char *summary)
{
	ag_id id = ag_id_new(&ag_clock_system);
	ag_run_row row = store_test_run(&id, started_ms, key);

	row.agent = AG_S("analyst");
	row.source_uri = ag_str_c(place);
	row.summary = ag_str_c(summary);
	assert_ok(env,
	          ag_store_commit(env->store, &id, &(ag_store_batch){ .run = &row }, &env->err));
	return id;
}

static size_t groups(store_env *env, const char *place, const char *prefix, size_t limit,
                     ag_run_group **ret)
{
	size_t n = 0;

	assert_ok(env, ag_store_groups(env->store,
	                               &(ag_group_question){ .agent = AG_S("analyst"),
	                                                     .source_uri = ag_str_c(place),
	                                                     .prefix = ag_str_c(prefix),
	                                                     .limit = limit },
	                               env->arena, ret, &n, &env->err));
	return n;
}

static void runs_of_one_key_are_a_group(void **state)
{
	store_env *env = *state;
	ag_run_group *g;
	ag_id last;

	say(env, "thread:a", "shop/ann", 1000, "first");
	say(env, "thread:b", "shop/ann", 2000, "other");
	say(env, "thread:c", "shop/bob", 2500, "of another");
	last = say(env, "thread:a", "shop/ann", 3000, "second");
	say(env, "Thread:a", "shop/ann", 500, "case counts");
	put(env, "thread:a2", "ok", 'x', 0); /* of another agent */

	assert_int_equal(groups(env, "shop/ann", "thread:", 10, &g), 2);
	assert_str(g[0].source_key, "thread:a");
	assert_str(g[0].summary, "first");
	assert_string_equal(g[0].last.text, last.text);
	assert_int_equal(g[0].first_ms, 1000);
	assert_int_equal(g[0].last_ms, 3000);
	assert_int_equal(g[0].nrun, 2);
	assert_str(g[1].summary, "other");
	assert_int_equal(groups(env, "shop/ann", "thread:b", 10, &g), 1);
	assert_int_equal(groups(env, "shop/ann", "", 1, &g), 1);
	assert_str(g[0].source_key, "thread:a");
	assert_int_equal(groups(env, "shop/ann", "thread:_", 10, &g), 0);
	assert_int_equal(groups(env, "shop/%", "thread:", 10, &g), 0);
	assert_int_equal(groups(env, "bank/ann", "thread:", 10, &g), 0);
}

static void waiting_findings_are_listed(void **state)
{
	store_env *env = *state;
	ag_id a = put(env, "k", "ok", 'a', 3), b = put(env, "other", "running", 'b', 2);
	ag_finding_row *f = NULL;
	ag_past_run *runs = NULL;
	ag_store_batch batch;
	size_t n = 0;

	assert_ok(env, ag_store_findings(env->store, &a, env->arena, &f, &n, &env->err));
	f[0].status = f[2].status = AG_S("pending_review");
	f[1].status = AG_S("dropped");
	batch = (ag_store_batch){ .findings = f, .nfinding = 3 };
	assert_ok(env, ag_store_commit(env->store, &a, &batch, &env->err));
	assert_ok(env, ag_store_findings(env->store, &b, env->arena, &f, &n, &env->err));
	f[1].status = AG_S("pending_review");
	batch = (ag_store_batch){ .findings = f, .nfinding = 2 };
	assert_ok(env, ag_store_commit(env->store, &b, &batch, &env->err));

	assert_ok(env, ag_store_pending(env->store, NULL, 10, env->arena, &runs, &n, &env->err));
	assert_int_equal(n, 2);
	assert_string_equal(runs[0].run.id.text, b.text);
	assert_int_equal(runs[0].nfinding, 1);
	assert_str(runs[0].findings[0].key, "b1");
	assert_int_equal(runs[1].nfinding, 2);
	assert_str(runs[1].findings[1].key, "a2");
	assert_ok(env, ag_store_pending(env->store, &a, 1, env->arena, &runs, &n, &env->err));
	assert_int_equal(n, 1);
	assert_int_equal(runs[0].nfinding, 1);
	assert_str(runs[0].findings[0].key, "a0");
}

/* The stored label of a run's first finding, and its time. */
static ag_finding_row label(store_env *env, const ag_id *run, const char *text, int64_t at_ms)
{
	ag_finding_row *f = NULL;
	ag_store_batch b;
	size_t n = 0;

	assert_ok(env, ag_store_findings(env->store, run, env->arena, &f, &n, &env->err));
	f[0].label = ag_str_c(text);
	f[0].labelled_ms = at_ms;
	b = (ag_store_batch){ .findings = f, .nfinding = 1 };
	assert_ok(env, ag_store_commit(env->store, run, &b, &env->err));
	assert_ok(env, ag_store_findings(env->store, run, env->arena, &f, &n, &env->err));
	return f[0];
}

static void labels_are_of_all_times(void **state)
{
	store_env *env = *state;
	ag_id a = put(env, "k", "ok", 'a', 2), b = put(env, "k", "running", 'b', 1);
	ag_id x = put(env, "other", "ok", 'x', 1);
	ag_label_row *rows = NULL;
	size_t n = 0;

	label(env, &a, "tp", 500);
	label(env, &b, "fp", 400);
	label(env, &x, "fp", 900);
	assert_ok(env, ag_store_labels(env->store, AG_S("k"), AG_S("audit"), env->arena, &rows, &n,
	                               &env->err));
	assert_int_equal(n, 2);
	assert_str(rows[0].label, "tp");
	assert_str(rows[0].key, "a0");
	assert_str(rows[0].field, "total");
	assert_str(rows[0].category, "null_values");
	assert_string_equal(rows[0].run.text, a.text);
	assert_int_equal(rows[0].labelled_ms, 500);
	assert_str(rows[1].key, "b0");
	assert_ok(env, ag_store_labels(env->store, AG_S("k"), AG_S("ask"), env->arena, &rows, &n,
	                               &env->err));
	assert_int_equal(n, 0);
}

static void newest_label_wins(void **state)
{
	store_env *env = *state;
	ag_id a = put(env, "k", "ok", 'a', 1);
	ag_finding_row f = label(env, &a, "tp", 500);

	assert_str(f.label, "tp");
	assert_int_equal(f.labelled_ms, 500);
	/* As a run that is resumed writes its finding again. */
	f = label(env, &a, "", 0);
	assert_str(f.label, "tp");
	assert_int_equal(f.labelled_ms, 500);
	f = label(env, &a, "fp", 501);
	assert_str(f.label, "fp");
	f = label(env, &a, "", 502); /* taken back */
	assert_str(f.label, "");
	assert_int_equal(f.labelled_ms, 502);
}

/* A file as the first Argus left it, with a run, a finding that is labelled and one that waits. */
static void schema_1_is_brought_up_to_date(void **state)
{
	static const char rows[] =
		"INSERT INTO runs VALUES ('0190c3e2-0000-7000-8000-000000000001', 'audit', 'o.ndjson', "
		"'k', 'orders', 'ok', 'pass', '', 10, 20, 12, 0, 1, 0, 0);"
		"INSERT INTO findings VALUES ('0190c3e2-0000-7000-8000-00000000000a', "
		"'0190c3e2-0000-7000-8000-000000000001', 'key', 'total', 'null_rate', 'high', "
		"'committed', 3, 0.25, 'tp', '{}'), ('0190c3e2-0000-7000-8000-00000000000b', "
		"'0190c3e2-0000-7000-8000-000000000001', 'kez', 'age', 'null_rate', 'low', "
		"'pending_review', 1, 0.1, '', '{}');"
		"PRAGMA user_version=1; PRAGMA application_id=1098008437; PRAGMA journal_mode=WAL;";
	const ag_embedded *first = ag_embedded_find("migrations/001_init.sql");
	store_env *env = *state;
	ag_label_row *labels = NULL;
	ag_past_run *runs = NULL;
	sqlite3 *db = NULL;
	size_t n = 0;

	snprintf(env->uri, sizeof(env->uri), "%s%s/old.db", fixture->scheme, env->folder);
	assert_non_null(first);
	assert_int_equal(sqlite3_open(env->uri + strlen(fixture->scheme), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, (const char *)first->ptr, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, rows, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);

	assert_ok(env, store_env_reopen(env));
	assert_ok(env, ag_store_labels(env->store, AG_S("k"), AG_S(""), env->arena, &labels, &n,
	                               &env->err));
	assert_int_equal(n, 1);
	assert_str(labels[0].label, "tp");
	assert_int_equal(labels[0].labelled_ms, 0);
	assert_ok(env, ag_store_pending(env->store, NULL, 10, env->arena, &runs, &n, &env->err));
	assert_int_equal(n, 1);
	assert_str(runs[0].findings[0].field, "age");
	assert_ok(env, store_env_reopen(env)); /* nothing is left to do */
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(earlier_runs_come_with_their_findings),
		T(runs_of_one_key_are_a_group),
		T(waiting_findings_are_listed),
		T(labels_are_of_all_times),
		T(newest_label_wins),
	};
	const struct CMUnitTest file_tests[] = {
		cmocka_unit_test_setup_teardown(schema_1_is_brought_up_to_date, setup_closed,
		                                teardown),
	};
	int nfailed = 0;

	for (size_t i = 0; i < nstore_fixture; i++) {
		fixture = &store_fixtures[i];
		if (store_fixture_start(fixture))
			continue;
		nfailed += cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
		if (fixture->is_file)
			nfailed += cmocka_run_group_tests_name("schema", file_tests, NULL, NULL);
		store_fixture_stop(fixture);
	}
	return nfailed > 0;
}
