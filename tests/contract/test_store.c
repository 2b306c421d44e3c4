/* The contract of store.h, the same for every store in store_fixtures[].
 *
 * What only stores that several handles share can show is in test_store_sharing.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "store/baselines.h"
#include "store_fixtures.h"

static const store_fixture *fixture; /* of the group that runs */

static int setup(void **state)
{
	store_env *env = store_env_new(fixture);

	*state = env;
	return (int)ag_store_open(ag_str_c(env->uri), &env->store, &env->err);
}

static int teardown(void **state)
{
	store_env_free(*state);
	return 0;
}

/* --- events --- */

static void events_come_back_as_they_were(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);
	ag_event in[2] = { store_test_event(env->arena, &run, 1, AG_EV_TOOL_INPUT, 3),
		           store_test_event(env->arena, &run, 2, AG_EV_UNKNOWN, 0) };
	ag_store_batch b = { .events = in, .nevent = 2 };
	ag_event *out = NULL;
	size_t n = 0;

	in[0].call_id = ag_id_new(&ag_clock_system);
	in[1].type_text = AG_S("from_tomorrow");
	in[1].v = 7;
	in[1].payload = AG_S("{\"text\":\"\xe2\x82\xac \\u0000\"}");
	assert_ok(env, ag_store_commit(env->store, &run, &b, &env->err));
	assert_ok(env, ag_store_events(env->store, &run, 0, env->arena, &out, &n, &env->err));
	assert_int_equal(n, 2);
	assert_int_equal(out[0].type, AG_EV_TOOL_INPUT);
	assert_int_equal(out[0].type_text.len, 0);
	assert_string_equal(out[0].call_id.text, in[0].call_id.text);
	assert_int_equal(out[1].type, AG_EV_UNKNOWN);
	assert_str(out[1].type_text, "from_tomorrow");
	assert_int_equal(out[1].v, 7);
	assert_string_equal(out[1].call_id.text, "");
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(out[i].run.text, run.text);
		assert_int_equal(out[i].seq, in[i].seq);
		assert_int_equal(out[i].cause, in[i].cause);
		assert_int_equal(out[i].at_ms, in[i].at_ms);
		assert_true(ag_str_eq(out[i].payload, in[i].payload));
	}
}

static void events_are_read_from_a_place_on(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);
	ag_id other = ag_id_new(&ag_clock_system);
	ag_event *out = NULL;
	size_t n = 0;

	assert_ok(env, store_test_append(env->store, env->arena, &run, 1, 5, false, &env->err));
	assert_ok(env, store_test_append(env->store, env->arena, &other, 1, 9, true, &env->err));
	assert_ok(env, store_test_append(env->store, env->arena, &run, 6, 6, true, &env->err));
	assert_ok(env, ag_store_events(env->store, &run, 4, env->arena, &out, &n, &env->err));
	assert_int_equal(n, 2);
	assert_int_equal(out[0].seq, 5);
	assert_int_equal(out[1].seq, 6);
	assert_ok(env,
	          ag_store_events(env->store, &run, UINT64_MAX, env->arena, &out, &n, &env->err));
	assert_int_equal(n, 0);
	assert_int_equal(store_test_log_length(env->store, env->arena, &other), 9);
	/* Piece by piece: no more than asked for, and nothing twice. */
	for (uint64_t after = 0; after < 6; after += n) {
		assert_ok(env, ag_store_events_at(env->store, &run, &(ag_log_place){ after, 4 },
		                                  env->arena, &out, &n, &env->err));
		assert_int_equal(n, after ? 2 : 4);
		assert_int_equal(out[0].seq, after + 1);
	}
}

static void hole_and_repetition_are_refused(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);
	ag_event pair[2] = { store_test_event(env->arena, &run, 4, AG_EV_ERROR, 1),
		             store_test_event(env->arena, &run, 6, AG_EV_ERROR, 1) };
	ag_store_batch b = { .events = pair, .nevent = 2 };

	assert_int_equal(store_test_append(env->store, env->arena, &run, 2, 2, true, &env->err),
	                 AG_CONFLICT);
	assert_int_equal(store_test_append(env->store, env->arena, &run, 0, 0, true, &env->err),
	                 AG_CONFLICT);
	assert_ok(env, store_test_append(env->store, env->arena, &run, 1, 3, true, &env->err));
	assert_int_equal(store_test_append(env->store, env->arena, &run, 3, 4, true, &env->err),
	                 AG_CONFLICT);
	assert_true(env->err.hint[0]);
	assert_int_equal(store_test_append(env->store, env->arena, &run, 5, 5, true, &env->err),
	                 AG_CONFLICT);
	assert_int_equal(ag_store_commit(env->store, &run, &b, &env->err), AG_CONFLICT);
	assert_int_equal(store_test_log_length(env->store, env->arena, &run), 3);
	assert_ok(env, store_test_append(env->store, env->arena, &run, 4, 4, true, &env->err));
}

static void batch_is_all_or_nothing(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system), other = ag_id_new(&ag_clock_system);
	ag_id finding = ag_id_new(&ag_clock_system);
	ag_run_row row = store_test_run(&other, 5, "k");
	ag_finding_row f = store_test_finding(&finding, &other, "k/total/null");
	ag_store_batch b = { .run = &row, .findings = &f, .nfinding = 1 };
	ag_event ev = store_test_event(env->arena, &run, 1, AG_EV_FINDING, 1);
	ag_run_row found;

	assert_ok(env, ag_store_commit(env->store, &other, &b, &env->err));
	/* The finding's id belongs to the other run: event and row go back with it. */
	row = store_test_run(&run, 6, "k");
	f = store_test_finding(&finding, &run, "k/total/null");
	b.events = &ev;
	b.nevent = 1;
	assert_int_equal(ag_store_commit(env->store, &run, &b, &env->err), AG_CONFLICT);
	assert_int_equal(store_test_log_length(env->store, env->arena, &run), 0);
	assert_int_equal(ag_store_find_run(env->store, ag_id_str(&run), env->arena, &found,
	                                   &env->err),
	                 AG_NOT_FOUND);
	/* A finding of a run without a row. */
	finding = ag_id_new(&ag_clock_system);
	f = store_test_finding(&finding, &run, "k/total/null");
	b.run = NULL;
	assert_int_equal(ag_store_commit(env->store, &run, &b, &env->err), AG_INVALID);
	assert_int_equal(store_test_log_length(env->store, env->arena, &run), 0);
}

static void large_payload_comes_back(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);
	ag_event ev = store_test_event(env->arena, &run, 1, AG_EV_TOOL_OUTPUT, 5u << 20);
	ag_store_batch b = { .events = &ev, .nevent = 1 };
	ag_event *out = NULL;
	size_t n = 0;

	assert_ok(env, ag_store_commit(env->store, &run, &b, &env->err));
	assert_ok(env, ag_store_events(env->store, &run, 0, env->arena, &out, &n, &env->err));
	assert_int_equal(n, 1);
	assert_true(ag_str_eq(out[0].payload, ev.payload));
	ev = store_test_event(env->arena, &run, 2, AG_EV_TOOL_OUTPUT, AG_STORE_MAX_PAYLOAD_BYTES);
	assert_int_equal(ag_store_commit(env->store, &run, &b, &env->err), AG_LIMIT);
}

static void malformed_events_are_refused(void **state)
{
	static const ag_str payloads[] = { AG_S_INIT(""), AG_S_INIT("[]"), AG_S_INIT("{"),
		                           AG_S_INIT("{\"a\":\"\xff\"}"), AG_S_INIT("{\"\0\":1}") };
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);
	ag_event ev = store_test_event(env->arena, &run, 1, AG_EV_ERROR, 1), good = ev;
	ag_store_batch b = { .events = &ev, .nevent = 1 };
	ag_id bad = {
		"0190C3E2-0000-7000-8000-00000000000A"
	}; /* upper case would be another key */

	for (size_t i = 0; i < AG_NELEM(payloads); i++) {
		ev.payload = payloads[i];
		assert_int_equal(ag_store_commit(env->store, &run, &b, &env->err), AG_INVALID);
	}
	ev = good;
	ev.type = AG_EV_UNKNOWN;
	assert_int_equal(ag_store_commit(env->store, &run, &b, &env->err), AG_INVALID);
	ev = good;
	ev.cause = 1;
	assert_int_equal(ag_store_commit(env->store, &run, &b, &env->err), AG_INVALID);
	ev = good;
	ev.run = ag_id_new(&ag_clock_system);
	assert_int_equal(ag_store_commit(env->store, &run, &b, &env->err), AG_INVALID);
	ev = good;
	memcpy(ev.call_id.text, "not-an-id", 10);
	assert_int_equal(ag_store_commit(env->store, &run, &b, &env->err), AG_INVALID);
	assert_int_equal(ag_store_commit(env->store, &bad, &b, &env->err), AG_INVALID);
	ev = good;
	assert_ok(env, ag_store_commit(env->store, &run, &b, &env->err));
}

/* --- runs --- */

static void put_run(store_env *env, const ag_run_row *row)
{
	ag_store_batch b = { .run = row };

	assert_ok(env, ag_store_commit(env->store, &row->id, &b, &env->err));
}

static void run_row_is_inserted_and_replaced(void **state)
{
	store_env *env = *state;
	ag_id id = ag_id_new(&ag_clock_system), fid = ag_id_new(&ag_clock_system);
	ag_run_row row = store_test_run(&id, 1000, "file:a"), got;
	ag_finding_row f = store_test_finding(&fid, &id, "key"), *findings = NULL;
	ag_store_batch b = { .run = &row, .findings = &f, .nfinding = 1, .report = AG_S("{}") };
	ag_str report;
	size_t n = 0;

	assert_ok(env, ag_store_commit(env->store, &id, &b, &env->err));
	row.status = AG_S("ok");
	row.verdict = AG_S("fail");
	row.summary = AG_S("2 findings");
	row.finished_ms = 2000;
	row.documents = UINT32_MAX + UINT64_C(5);
	row.input_tokens = UINT32_MAX + UINT64_C(7);
	row.output_tokens = 9;
	row.usd = 0.0123;
	put_run(env, &row);
	assert_ok(env, ag_store_find_run(env->store, ag_id_str(&id), env->arena, &got, &env->err));
	assert_string_equal(got.id.text, id.text);
	assert_str(got.agent, "audit");
	assert_str(got.source_uri, "data/orders.ndjson");
	assert_str(got.source_key, "file:a");
	assert_str(got.collection, "orders");
	assert_str(got.status, "ok");
	assert_str(got.verdict, "fail");
	assert_str(got.summary, "2 findings");
	assert_int_equal(got.started_ms, 1000);
	assert_int_equal(got.finished_ms, 2000);
	assert_int_equal(got.documents, UINT32_MAX + UINT64_C(5));
	assert_int_equal(got.input_tokens, UINT32_MAX + UINT64_C(7));
	assert_int_equal(got.output_tokens, 9);
	assert_true(got.usd == 0.0123);
	assert_int_equal(got.critical * 1000 + got.high * 100 + got.medium * 10 + got.low, 1234);
	/* To replace the row leaves alone what hangs on it. */
	assert_ok(env, ag_store_findings(env->store, &id, env->arena, &findings, &n, &env->err));
	assert_int_equal(n, 1);
	assert_ok(env, ag_store_report(env->store, &id, env->arena, &report, &env->err));

	row.status = AG_S("splendid");
	b = (ag_store_batch){ .run = &row };
	assert_int_equal(ag_store_commit(env->store, &id, &b, &env->err), AG_INVALID);
}

static void runs_are_listed_newest_first(void **state)
{
	static const int64_t started[] = { 300, 100, 200, 100 };
	store_env *env = *state;
	ag_id id[4];
	ag_run_row *rows = NULL;
	size_t n = 9;

	assert_ok(env,
	          ag_store_runs(env->store, AG_S(""), 10, 0, env->arena, &rows, &n, &env->err));
	assert_int_equal(n, 0);
	for (size_t i = 0; i < 4; i++) {
		ag_run_row row;

		id[i] = ag_id_new(&ag_clock_system);
		row = store_test_run(&id[i], started[i], i < 3 ? "a" : "b");
		put_run(env, &row);
	}
	assert_ok(env,
	          ag_store_runs(env->store, AG_S(""), 10, 0, env->arena, &rows, &n, &env->err));
	assert_int_equal(n, 4);
	assert_string_equal(rows[0].id.text, id[0].text);
	assert_string_equal(rows[1].id.text, id[2].text);
	assert_string_equal(rows[2].id.text, id[3].text); /* same time: the later id first */
	assert_string_equal(rows[3].id.text, id[1].text);
	assert_ok(env,
	          ag_store_runs(env->store, AG_S("a"), 10, 1, env->arena, &rows, &n, &env->err));
	assert_int_equal(n, 2);
	assert_string_equal(rows[0].id.text, id[2].text);
	assert_string_equal(rows[1].id.text, id[1].text);
	assert_ok(env,
	          ag_store_runs(env->store, AG_S("a"), 1, 0, env->arena, &rows, &n, &env->err));
	assert_int_equal(n, 1);
	assert_int_equal(ag_store_runs(env->store, AG_S(""), 1001, 0, env->arena, &rows, &n,
	                               &env->err),
	                 AG_INVALID);
}

/* Of a folder what is directly in it; of a server all that is below. Names that only begin alike are others. */
static void runs_of_a_place(void **state)
{
	static const char *const keys[] = { "/data",     "/data/a.csv",   "/data/sub/b.csv",
		                            "/database", "host/shop/a/b", "host/shop_2/c" };
	static const struct {
		ag_store_place place;
		size_t n;
	} cases[] = {
		{ { AG_S_INIT("/data"), true, false }, 2 },
		{ { AG_S_INIT("/data"), false, false }, 3 },
		{ { AG_S_INIT("/data/a.csv"), true, false }, 1 },
		{ { AG_S_INIT("host/shop"), false, false }, 1 },
		{ { AG_S_INIT("host"), false, false }, 2 },
		{ { AG_S_INIT("host"), true, false }, 0 },
		{ { AG_S_INIT("%"), false, false }, 0 },
		{ { AG_S_INIT(""), false, false }, 0 },
		{ { AG_S_INIT(""), false, true }, 0 },
		{ { AG_S_INIT("cosmos://acc"), false, true }, 3 },
		{ { AG_S_INIT("cosmos://acc/shop"), false, true }, 3 },
		{ { AG_S_INIT("cosmos://acc/shop.a"), true, true }, 1 },
		{ { AG_S_INIT("cosmos://acc/shop.a.b"), true, true }, 1 },
		{ { AG_S_INIT("cosmos://acc/sho"), false, true }, 0 },
		{ { AG_S_INIT("data/orders.ndjson"), false, true }, 3 },
		{ { AG_S_INIT("cosmos://acc/shop"), false, false }, 0 },
	};
	/* Of the last keys: the addresses of an account whose server only Azure knows. */
	static const char *const uris[] = { "cosmos://acc/shop.a?allowReadWrite=true",
		                            "cosmos://acc/shop.a.b", "cosmos://acc/shop.ab" };
	ag_run_row all[AG_NELEM(keys)];
	store_env *env = *state;
	ag_run_row *rows;
	size_t n;

	for (size_t i = 0; i < AG_NELEM(keys); i++) {
		const ag_id id = ag_id_new(&ag_clock_system);

		all[i] = store_test_run(&id, 1000 + (int64_t)i, keys[i]);
		if (i >= AG_NELEM(keys) - AG_NELEM(uris))
			all[i].source_uri = ag_str_c(uris[i - (AG_NELEM(keys) - AG_NELEM(uris))]);
		put_run(env, &all[i]);
	}
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_runs_question q = { .agent = AG_S("audit"),
			               .places = { { .key = AG_S("") }, cases[i].place },
			               .limit = 10 };
		size_t nbelow = 0;

		assert_ok(env,
		          ag_store_runs_below(env->store, &q, env->arena, &rows, &n, &env->err));
		assert_int_equal(n, cases[i].n);
		for (size_t k = 0; k < AG_NELEM(keys); k++)
			nbelow += ag_store_is_below(&all[k], &cases[i].place);
		assert_int_equal(nbelow, n);
		q.agent = AG_S("ask");
		assert_ok(env,
		          ag_store_runs_below(env->store, &q, env->arena, &rows, &n, &env->err));
		assert_int_equal(n, 0);
	}
}

/* Of each source the newest run that has ended, with its figures; a run under way does not hide it. */
static void newest_run_of_each_source(void **state)
{
	static const struct {
		const char *key;
		int64_t finished_ms;
	} all[] = { { "/data/a", 1 }, { "/data/a", 2 }, { "/data/a", 0 },
		    { "/data/b", 3 }, { "/data/c", 0 }, { "/other/a", 4 } };
	static const unsigned want[] = { 3, 1 }; /* the newest first */
	const ag_run_figures figures = { .nulls = 7,
		                         .values = 70,
		                         .is_compared = true,
		                         .added = 3,
		                         .resolved = 2,
		                         .regressed = 1 };
	store_env *env = *state;
	ag_runs_question q = { .agent = AG_S("audit"),
		               .places = { { .key = AG_S("/data"), .is_flat = true } },
		               .limit = 10 };
	ag_id ids[AG_NELEM(all)];
	ag_run_row *rows;
	size_t n;

	for (size_t i = 0; i < AG_NELEM(all); i++) {
		ag_run_row run;

		ids[i] = ag_id_new(&ag_clock_system);
		run = store_test_run(&ids[i], 1000 + (int64_t)i, all[i].key);
		run.finished_ms = all[i].finished_ms;
		run.figures = figures;
		run.figures.nulls += i;
		put_run(env, &run);
	}
	assert_ok(env, ag_store_newest_below(env->store, &q, env->arena, &rows, &n, &env->err));
	assert_int_equal(n, AG_NELEM(want));
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(rows[i].id.text, ids[want[i]].text);
		assert_int_equal(rows[i].figures.nulls, 7 + want[i]);
		assert_int_equal(rows[i].figures.values, 70);
		assert_true(rows[i].figures.is_compared);
		assert_int_equal(rows[i].figures.added, 3);
		assert_int_equal(rows[i].figures.resolved, 2);
		assert_int_equal(rows[i].figures.regressed, 1);
	}
	q.offset = 1;
	assert_ok(env, ag_store_newest_below(env->store, &q, env->arena, &rows, &n, &env->err));
	assert_int_equal(n, 1);
	q.limit = AG_STORE_MAX_SOURCES + 1;
	assert_int_equal(ag_store_newest_below(env->store, &q, env->arena, &rows, &n, &env->err),
	                 AG_INVALID);
}

static ag_id fixed_id(const char *text)
{
	ag_id id;

	assert_true(ag_id_parse(ag_str_c(text), &id));
	return id;
}

static void run_is_found_by_prefix(void **state)
{
	static const char *const wrong[] = {
		"", "019", "xyz0", "0190_", "%%%%", "lastt", "0190c3e2-aaaa-7000-8000-0000000000011"
	};
	store_env *env = *state;
	ag_id a = fixed_id("0190c3e2-aaaa-7000-8000-000000000001");
	ag_id b = fixed_id("0190c3e2-abbb-7000-8000-000000000002");
	ag_run_row row = store_test_run(&a, 20, "k"), got;

	assert_int_equal(ag_store_find_run(env->store, AG_S("last"), env->arena, &got, &env->err),
	                 AG_NOT_FOUND);
	put_run(env, &row);
	row = store_test_run(&b, 10, "k");
	put_run(env, &row);
	assert_ok(env,
	          ag_store_find_run(env->store, AG_S("0190c3e2-aB"), env->arena, &got, &env->err));
	assert_string_equal(got.id.text, b.text);
	assert_ok(env, ag_store_find_run(env->store, ag_id_str(&a), env->arena, &got, &env->err));
	assert_string_equal(got.id.text, a.text);
	assert_ok(env, ag_store_find_run(env->store, AG_S("last"), env->arena, &got, &env->err));
	assert_string_equal(got.id.text, a.text);
	assert_int_equal(ag_store_find_run(env->store, AG_S("0190"), env->arena, &got, &env->err),
	                 AG_INVALID);
	assert_non_null(strstr(env->err.msg, a.text));
	assert_non_null(strstr(env->err.msg, b.text));
	assert_int_equal(ag_store_find_run(env->store, AG_S("0190c3e2-c"), env->arena, &got,
	                                   &env->err),
	                 AG_NOT_FOUND);
	for (size_t i = 0; i < AG_NELEM(wrong); i++)
		assert_int_equal(ag_store_find_run(env->store, ag_str_c(wrong[i]), env->arena, &got,
		                                   &env->err),
		                 AG_INVALID);
}

/* A source has one baseline; it goes when it is taken back, and with its run. */
static void baseline_of_a_source(void **state)
{
	store_env *env = *state;
	ag_baseline_row got, b = { .source_key = AG_S("/data/\xc3\xa4"), .user = AG_S("ann") };
	ag_id runs[2];
	uint64_t nrun;
	bool found;

	for (size_t i = 0; i < 2; i++) {
		ag_run_row run;

		runs[i] = ag_id_new(&ag_clock_system);
		run = store_test_run(&runs[i], 1000 + (int64_t)i, "/data/\xc3\xa4");
		run.finished_ms = 2000 + (int64_t)i * 1000;
		put_run(env, &run);
	}
	assert_ok(env,
	          ag_store_baseline(env->store, b.source_key, env->arena, &got, &found, &env->err));
	assert_false(found);
	for (size_t i = 0; i < 2; i++) {
		b.run = runs[1 - i];
		b.set_ms = 70 + (int64_t)i;
		assert_ok(env, ag_store_put_baseline(env->store, &b, &env->err));
		assert_ok(env, ag_store_baseline(env->store, b.source_key, env->arena, &got, &found,
		                                 &env->err));
		assert_true(found);
		assert_string_equal(got.run.text, runs[1 - i].text);
		assert_true(ag_str_eq(got.source_key, b.source_key));
		assert_str(got.user, "ann");
		assert_int_equal(got.set_ms, 70 + i);
	}
	assert_ok(env, ag_store_drop_baseline(env->store, &runs[1], &env->err)); /* no baseline */
	assert_ok(env,
	          ag_store_baseline(env->store, b.source_key, env->arena, &got, &found, &env->err));
	assert_true(found);
	assert_ok(env, ag_store_purge(env->store, 2500, &nrun, &env->err)); /* runs[0] */
	assert_int_equal(nrun, 1);
	assert_ok(env,
	          ag_store_baseline(env->store, b.source_key, env->arena, &got, &found, &env->err));
	assert_false(found);
	b.run = runs[1];
	assert_ok(env, ag_store_put_baseline(env->store, &b, &env->err));
	assert_ok(env, ag_store_drop_baseline(env->store, &runs[1], &env->err));
	assert_ok(env,
	          ag_store_baseline(env->store, b.source_key, env->arena, &got, &found, &env->err));
	assert_false(found);
}

/* --- findings, report, lease, purge --- */

static void findings_are_replaced_by_id(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);
	ag_id id[2] = { ag_id_new(&ag_clock_system), ag_id_new(&ag_clock_system) };
	ag_run_row row = store_test_run(&run, 1, "k");
	ag_finding_row f[2] = { store_test_finding(&id[1], &run, "first"),
		                store_test_finding(&id[0], &run, "second") };
	ag_store_batch b = { .run = &row, .findings = f, .nfinding = 2 };
	ag_finding_row *out = NULL;
	size_t n = 0;

	assert_ok(env, ag_store_commit(env->store, &run, &b, &env->err));
	f[0].status = AG_S("dismissed");
	f[0].label = AG_S("fp");
	f[0].affected = 8;
	f[0].share = 1.0 / 3;
	b = (ag_store_batch){ .findings = f, .nfinding = 1 };
	assert_ok(env, ag_store_commit(env->store, &run, &b, &env->err));
	assert_ok(env, ag_store_findings(env->store, &run, env->arena, &out, &n, &env->err));
	assert_int_equal(n, 2);
	assert_string_equal(out[0].id.text, id[1].text);
	assert_string_equal(out[0].run.text, run.text);
	assert_str(out[0].key, "first");
	assert_str(out[0].field, "total");
	assert_str(out[0].category, "null_values");
	assert_str(out[0].severity, "high");
	assert_str(out[0].status, "dismissed");
	assert_str(out[0].label, "fp");
	assert_int_equal(out[0].affected, 8);
	assert_true(out[0].share == 1.0 / 3);
	assert_str(out[0].body, "{\"title\":\"sieben \xc3\xa4\"}");
	assert_str(out[1].key, "second");
	assert_str(out[1].status, "committed");
	assert_str(out[1].label, "");
	f[0].share = 0.0 / 0.0;
	assert_int_equal(ag_store_commit(env->store, &run, &b, &env->err), AG_INVALID);
}

static void report_is_kept(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);
	ag_run_row row = store_test_run(&run, 1, "k");
	ag_store_batch b = { .report = AG_S("{\"version\":1}") };
	ag_str report;

	assert_int_equal(ag_store_report(env->store, &run, env->arena, &report, &env->err),
	                 AG_NOT_FOUND);
	assert_int_equal(ag_store_commit(env->store, &run, &b, &env->err), AG_INVALID);
	b.run = &row;
	assert_ok(env, ag_store_commit(env->store, &run, &b, &env->err));
	assert_ok(env, ag_store_report(env->store, &run, env->arena, &report, &env->err));
	assert_str(report, "{\"version\":1}");
	b.report = AG_S("{\"version\":2}");
	assert_ok(env, ag_store_commit(env->store, &run, &b, &env->err));
	assert_ok(env, ag_store_report(env->store, &run, env->arena, &report, &env->err));
	assert_str(report, "{\"version\":2}");
}

static ag_status lease(store_env *env, const ag_id *run, const char *owner, int64_t now,
                       int64_t ttl)
{
	return ag_store_lease(env->store, run, ag_str_c(owner), now, ttl, &env->err);
}

static void lease_has_one_owner(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system), other = ag_id_new(&ag_clock_system);

	assert_ok(env, lease(env, &run, "ann", 1000, 500));
	assert_int_equal(lease(env, &run, "bob", 1499, 500), AG_CONFLICT);
	assert_non_null(strstr(env->err.msg, "ann"));
	assert_ok(env, lease(env, &other, "bob", 1499, 500));
	assert_ok(env, lease(env, &run, "ann", 1400, 500)); /* renewed: until 1900 */
	assert_int_equal(lease(env, &run, "bob", 1600, 500), AG_CONFLICT);
	assert_ok(env, lease(env, &run, "bob", 1900, 500)); /* it ran out */
	assert_int_equal(lease(env, &run, "ann", 1950, 500), AG_CONFLICT);
	assert_ok(env, lease(env, &run, "bob", 1960, 0)); /* given back */
	assert_ok(env, lease(env, &run, "ann", 1960, 500));
	assert_int_equal(lease(env, &run, "", 1960, 500), AG_INVALID);
	assert_int_equal(lease(env, &run, "ann", 1960, -1), AG_INVALID);
	assert_int_equal(lease(env, &run, "ann", 1960, AG_STORE_MAX_LEASE_MS + 1), AG_INVALID);
}

static void purge_removes_old_runs_only(void **state)
{
	enum { NOLD = 150 }; /* more than one step of a purge */
	store_env *env = *state;
	ag_id keep = ag_id_new(&ag_clock_system), runs = ag_id_new(&ag_clock_system);
	ag_id lone = ag_id_new(&ag_clock_system), old = { "" }, fid;
	ag_run_row row = store_test_run(&keep, 10, "k"), *list = NULL;
	ag_finding_row f, *findings = NULL;
	ag_store_batch b = { .run = &row, .findings = &f, .nfinding = 1, .report = AG_S("{}") };
	uint64_t nrun = 0;
	ag_str report;
	size_t n = 0;

	for (int i = 0; i < NOLD; i++) {
		old = ag_id_new(&ag_clock_system);
		fid = ag_id_new(&ag_clock_system);
		row = store_test_run(&old, 10, "k");
		row.finished_ms = 999;
		f = store_test_finding(&fid, &old, "key");
		assert_ok(env, ag_store_commit(env->store, &old, &b, &env->err));
		assert_ok(env,
		          store_test_append(env->store, env->arena, &old, 1, 3, false, &env->err));
	}
	row = store_test_run(&keep, 10, "k");
	row.finished_ms = 1000;
	fid = ag_id_new(&ag_clock_system);
	f = store_test_finding(&fid, &keep, "key");
	assert_ok(env, ag_store_commit(env->store, &keep, &b, &env->err));
	assert_ok(env, store_test_append(env->store, env->arena, &keep, 1, 3, false, &env->err));
	row = store_test_run(&runs, 10, "k"); /* still runs */
	put_run(env, &row);
	assert_ok(env, store_test_append(env->store, env->arena, &lone, 1, 3, false, &env->err));

	assert_ok(env, ag_store_purge(env->store, 1000, &nrun, &env->err));
	assert_int_equal(nrun, NOLD);
	assert_ok(env,
	          ag_store_runs(env->store, AG_S(""), 10, 0, env->arena, &list, &n, &env->err));
	assert_int_equal(n, 2);
	assert_int_equal(store_test_log_length(env->store, env->arena, &old), 0);
	assert_int_equal(ag_store_report(env->store, &old, env->arena, &report, &env->err),
	                 AG_NOT_FOUND);
	assert_ok(env, ag_store_findings(env->store, &old, env->arena, &findings, &n, &env->err));
	assert_int_equal(n, 0);
	assert_int_equal(store_test_log_length(env->store, env->arena, &keep), 3);
	assert_ok(env, ag_store_report(env->store, &keep, env->arena, &report, &env->err));
	assert_ok(env, ag_store_findings(env->store, &keep, env->arena, &findings, &n, &env->err));
	assert_int_equal(n, 1);

	/* The log without a row goes by the time of its newest event. */
	assert_int_equal(store_test_log_length(env->store, env->arena, &lone), 3);
	assert_ok(env, ag_store_purge(env->store, 1700000000004, &nrun, &env->err));
	assert_int_equal(nrun, 2);
	assert_int_equal(store_test_log_length(env->store, env->arena, &lone), 0);
	assert_ok(env, ag_store_purge(env->store, 1700000000004, &nrun, &env->err));
	assert_int_equal(nrun, 0);
}

/* As that of a conversation, whose runs have leases of their own. */
static void purge_removes_leases_without_a_run(void **state)
{
	store_env *env = *state;
	const ag_id gone = ag_id_new(&ag_clock_system), held = ag_id_new(&ag_clock_system);
	const int64_t now_ms = ag_clock_wall(&ag_clock_system);
	const ag_str owner = ag_owner_new(&ag_clock_system, env->arena);
	ag_owner_state writer;
	uint64_t nrun = 0;

	assert_ok(env, ag_store_lease(env->store, &gone, owner, now_ms - 5000, 1000, &env->err));
	assert_ok(env, ag_store_lease(env->store, &held, owner, now_ms, 60000, &env->err));
	assert_ok(env, ag_store_purge(env->store, now_ms - 4500, &nrun, &env->err));
	assert_ok(env, ag_store_writer(env->store, &gone, &writer, &env->err));
	assert_int_equal(writer, AG_OWNER_ALIVE); /* it is not old enough */
	assert_ok(env, ag_store_purge(env->store, AG_STORE_PURGE_ALL, &nrun, &env->err));
	assert_ok(env, ag_store_writer(env->store, &gone, &writer, &env->err));
	assert_int_equal(writer, AG_OWNER_UNKNOWN);
	assert_ok(env, ag_store_writer(env->store, &held, &writer, &env->err));
	assert_int_equal(writer, AG_OWNER_ALIVE);
}

static void purge_removes_interrupted_runs(void **state)
{
	store_env *env = *state;
	const ag_str me = ag_owner_new(&ag_clock_system, env->arena);
	const int64_t now_ms = ag_clock_wall(&ag_clock_system);
	ag_id lives = ag_id_new(&ag_clock_system), dead = ag_id_new(&ag_clock_system);
	ag_id later = ag_id_new(&ag_clock_system), future = ag_id_new(&ag_clock_system);
	ag_run_row rows[] = { store_test_run(&lives, 10, "k"), store_test_run(&dead, 10, "k"),
		              store_test_run(&later, 5000, "k"),
		              store_test_run(&future, now_ms + 90000000, "k") },
		   *list;
	uint64_t nrun = 0;
	size_t n;

	rows[3].finished_ms = now_ms + 90000000; /* the clock was ahead by a day */
	for (size_t i = 0; i < AG_NELEM(rows); i++)
		put_run(env, &rows[i]);
	assert_ok(env, ag_store_lease(env->store, &lives, me, 10, 500, &env->err));
	assert_ok(env, lease(env, &dead, "ann", 10, 500)); /* it ran out */
	assert_ok(env, lease(env, &later, "ann", 10, 500));
	assert_ok(env, ag_store_purge(env->store, 1000, &nrun, &env->err));
	assert_int_equal(nrun, 1);
	assert_int_equal(ag_store_find_run(env->store, ag_id_str(&dead), env->arena, &rows[1],
	                                   &env->err),
	                 AG_NOT_FOUND);
	assert_ok(env, ag_store_purge(env->store, AG_STORE_PURGE_ALL, &nrun, &env->err));
	assert_int_equal(nrun, 2);
	assert_ok(env,
	          ag_store_runs(env->store, AG_S(""), 10, 0, env->arena, &list, &n, &env->err));
	assert_int_equal(n, 1);
	assert_string_equal(list[0].id.text, lives.text);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(events_come_back_as_they_were),
		T(events_are_read_from_a_place_on),
		T(hole_and_repetition_are_refused),
		T(batch_is_all_or_nothing),
		T(large_payload_comes_back),
		T(malformed_events_are_refused),
		T(run_row_is_inserted_and_replaced),
		T(runs_are_listed_newest_first),
		T(newest_run_of_each_source),
		T(baseline_of_a_source),
		T(runs_of_a_place),
		T(run_is_found_by_prefix),
		T(findings_are_replaced_by_id),
		T(report_is_kept),
		T(lease_has_one_owner),
		T(purge_removes_old_runs_only),
		T(purge_removes_interrupted_runs),
		T(purge_removes_leases_without_a_run),
	};
	int nfailed = 0;

	for (size_t i = 0; i < nstore_fixture; i++) {
		fixture = &store_fixtures[i];
		if (store_fixture_start(fixture))
			continue;
		nfailed += cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
		store_fixture_stop(fixture);
	}
	return nfailed > 0;
}
