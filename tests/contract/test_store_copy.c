/* Copies between all stores of store_fixtures[]: nothing is lost, a copy that was stopped goes on, foreign targets are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <stdatomic.h>

#include "store/accounts.h"
#include "store/baselines.h"
#include "store/copy.h"
#include "store/identity.h"
#include "store/ledger.h"
#include "store_fixtures.h"

#define NLOG 600u /* events of a run: several pieces */

static const store_fixture *fixture; /* of the group that runs: the source, and then the target */

typedef struct world {
	store_env *env; /* of the fixture */
	ag_store *memory;
	ag_id runs[3];
} world;

static int setup(void **state)
{
	world *w = ag_xcalloc(1, sizeof(*w));

	*state = w;
	w->env = store_env_new(fixture);
	return ag_store_open(ag_str_c(w->env->uri), &w->env->store, &w->env->err) ||
	       ag_store_open(AG_S("memory:"), &w->memory, &w->env->err);
}

static int teardown(void **state)
{
	world *w = *state;

	ag_store_close(w->memory);
	store_env_free(w->env);
	free(w);
	return 0;
}

static void fill_runs(world *w, ag_store *s)
{
	store_env *env = w->env;

	for (size_t i = 0; i < 3; i++) {
		ag_id run = ag_id_new(&ag_clock_system),
		      f[2] = { ag_id_new(&ag_clock_system), ag_id_new(&ag_clock_system) };
		ag_run_row row = store_test_run(&run, 100 + (int64_t)i, "k\xc3\xa4");
		/* Stored against the order of their ids. */
		ag_finding_row findings[2] = { store_test_finding(&f[1], &run, "b"),
			                       store_test_finding(&f[0], &run, "a") };
		ag_store_batch b = { .run = &row,
			             .findings = findings,
			             .nfinding = 2,
			             .report = AG_S("{\"a\": [1, 2]}") };

		w->runs[i] = run;
		if (i)
			row.replaces = ag_id_str(&w->runs[i - 1]);
		row.figures = (ag_run_figures){ .nulls = 5,
			                        .values = 50,
			                        .is_compared = true,
			                        .added = 3,
			                        .resolved = 2,
			                        .regressed = 1 };
		findings[0].label = AG_S("tp");
		findings[0].labelled_ms = 9;
		assert_ok(env, store_test_append(s, env->arena, &run, 1, NLOG, false, &env->err));
		assert_ok(env, ag_store_commit(s, &run, &b, &env->err));
		assert_ok(env, ag_store_lease(s, &run, AG_S("me"), 1, 1000, &env->err));
	}
}

static void fill_rights(world *w, ag_store *s)
{
	store_env *env = w->env;
	const ag_project_row p = { .id = AG_S("shop"), .settings = AG_S("{}"), .is_active = true };
	const ag_member_row m = { AG_S("shop"), AG_S("ann"), AG_ROLE_ADMIN };
	const ag_token_row t = {
		.id = AG_S("0123456789ab"),
		.user = AG_S("ann"),
		.hash = AG_S("0123456789012345678901234567890123456789012345678901234567890123"),
		.ceiling = AG_ROLE_VIEWER,
		.created_ms = 5
	};

	const ag_baseline_row b = {
		.source_key = AG_S("k"), .run = w->runs[0], .user = AG_S("ann"), .set_ms = 5
	};

	assert_ok(env, ag_store_put_project(s, &p, &env->err));
	assert_ok(env, ag_store_put_member(s, &m, &env->err));
	assert_ok(env, ag_store_put_token(s, &t, &env->err));
	assert_ok(env, ag_store_put_baseline(s, &b, &env->err));
	assert_ok(env, ag_store_put_subject(s,
	                                    &(ag_subject_row){ .issuer = AG_S("https://i"),
	                                                       .subject = AG_S("7"),
	                                                       .user = AG_S("ann"),
	                                                       .created_ms = 1 },
	                                    NULL, &env->err));
	assert_ok(env,
	          ag_store_put_text(s, AG_S("key"), AG_S("text\n\xe2\x82\xac"), 77, &env->err));
}

static void add_calls(world *w, ag_store *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ag_ledger_row row = { .at_ms = (int64_t)i + 1,
			              .user = AG_S("ann"),
			              .sql = AG_S("SELECT 1") };

		assert_ok(w->env, ag_store_ledger_append(s, &row, 1, false, &w->env->err));
	}
}

static void same_runs(world *w, ag_store *a, ag_store *b)
{
	store_env *env = w->env;
	ag_run_row *rows[2];
	size_t n[2];

	assert_ok(env, ag_store_runs(a, AG_S(""), 10, 0, env->arena, &rows[0], &n[0], &env->err));
	assert_ok(env, ag_store_runs(b, AG_S(""), 10, 0, env->arena, &rows[1], &n[1], &env->err));
	assert_int_equal(n[0], 3);
	assert_int_equal(n[1], 3);
	for (size_t i = 0; i < 3; i++) {
		ag_finding_row *f[2];
		size_t nf[2];
		ag_str report[2];

		assert_string_equal(rows[0][i].id.text, rows[1][i].id.text);
		assert_true(ag_str_eq(rows[0][i].source_key, rows[1][i].source_key));
		assert_true(ag_str_eq(rows[0][i].replaces, rows[1][i].replaces));
		assert_int_equal(rows[1][i].figures.nulls, 5);
		assert_int_equal(rows[1][i].figures.values, 50);
		assert_true(rows[1][i].figures.is_compared);
		assert_int_equal(rows[1][i].figures.added, 3);
		assert_int_equal(rows[1][i].figures.resolved, 2);
		assert_int_equal(rows[1][i].figures.regressed, 1);
		assert_int_equal(rows[1][i].replaces.len > 0, i < 2); /* the newest is first */
		assert_int_equal(store_test_log_length(b, env->arena, &w->runs[i]), NLOG);
		assert_ok(env, ag_store_report(a, &w->runs[i], env->arena, &report[0], &env->err));
		assert_ok(env, ag_store_report(b, &w->runs[i], env->arena, &report[1], &env->err));
		assert_true(ag_str_eq(report[0], report[1]));
		assert_ok(env,
		          ag_store_findings(a, &w->runs[i], env->arena, &f[0], &nf[0], &env->err));
		assert_ok(env,
		          ag_store_findings(b, &w->runs[i], env->arena, &f[1], &nf[1], &env->err));
		assert_int_equal(nf[1], 2);
		for (size_t k = 0; k < 2; k++) {
			assert_string_equal(f[0][k].id.text, f[1][k].id.text); /* and their order */
			assert_true(ag_str_eq(f[0][k].label, f[1][k].label));
			assert_true(ag_str_eq(f[0][k].body, f[1][k].body));
		}
	}
}

static void same_rights(world *w, ag_store *s)
{
	store_env *env = w->env;
	ag_project_row p;
	ag_member_row *m;
	ag_baseline_row b;
	ag_token_row t;
	ag_str text;
	int64_t at_ms;
	size_t n;
	bool found;

	assert_ok(env, ag_store_project(s, AG_S("shop"), env->arena, &p, &env->err));
	assert_ok(env, ag_store_members(s, AG_S("shop"), AG_S(""), env->arena, &m, &n, &env->err));
	assert_int_equal(n, 1);
	assert_int_equal(m[0].role, AG_ROLE_ADMIN);
	assert_ok(env,
	          ag_store_token_of_hash(
			  s,
			  AG_S("0123456789012345678901234567890123456789012345678901234567890123"),
			  6, env->arena, &t, &env->err));
	assert_ok(env,
	          ag_store_subject(s, AG_S("https://i"), AG_S("7"), env->arena, &text, &env->err));
	assert_true(ag_str_eqc(text, "ann"));
	assert_ok(env, ag_store_text(s, AG_S("key"), env->arena, &text, &at_ms, &env->err));
	assert_str(text, "text\n\xe2\x82\xac");
	assert_int_equal(at_ms, 77);
	assert_ok(env, ag_store_baseline(s, AG_S("k"), env->arena, &b, &found, &env->err));
	assert_true(found);
	assert_string_equal(b.run.text, w->runs[0].text);
	assert_str(b.user, "ann");
	assert_int_equal(b.set_ms, 5);
}

static ag_ledger_check chain(world *w, ag_store *s)
{
	ag_ledger_check k = { 0 };

	assert_ok(w->env, ag_store_ledger_verify(s, w->env->arena, &k, &w->env->err));
	assert_int_equal(k.broken_at, 0);
	return k;
}

static void copy_all_of(world *w, ag_store *from, ag_store *to)
{
	store_env *env = w->env;
	ag_store_copied n;
	ag_ledger_check a, b;
	uint64_t nold;

	fill_runs(w, from);
	fill_rights(w, from);
	add_calls(w, from, 400);
	assert_ok(env, ag_store_purge(from, 50, &nold, &env->err)); /* the chain begins later */
	assert_ok(env, ag_store_copy(from, to, NULL, &n, &env->err));
	assert_int_equal(n.nevent, 3 * NLOG);
	assert_int_equal(n.nledger, 351);
	same_runs(w, from, to);
	same_rights(w, to);
	a = chain(w, from);
	b = chain(w, to);
	assert_string_equal(a.head, b.head);
	assert_int_equal(a.first, b.first);
	/* Once more: what came since, and nothing twice. */
	add_calls(w, from, 5);
	assert_ok(env, store_test_append(from, env->arena, &w->runs[1], NLOG + 1, NLOG + 2, true,
	                                 &env->err));
	assert_ok(env, ag_store_copy(from, to, NULL, &n, &env->err));
	assert_int_equal(n.nevent, 2);
	assert_int_equal(n.nledger, 5);
	assert_string_equal(chain(w, from).head, chain(w, to).head);
	assert_int_equal(store_test_log_length(to, env->arena, &w->runs[1]), NLOG + 2);
	/* And both go on by themselves. */
	add_calls(w, to, 1);
	chain(w, to);
}

static void a_copy_from_it_loses_nothing(void **state)
{
	world *w = *state;

	copy_all_of(w, w->env->store, w->memory);
}

static void a_copy_into_it_loses_nothing(void **state)
{
	world *w = *state;

	copy_all_of(w, w->memory, w->env->store);
}

static void a_copy_that_was_stopped_goes_on(void **state)
{
	world *w = *state;
	store_env *env = w->env;
	atomic_bool cancel = true;
	ag_ctx ctx = { .cancel = &cancel };
	ag_store_copied n;

	fill_runs(w, w->memory);
	assert_int_equal(ag_store_copy(w->memory, env->store, &ctx, &n, &env->err), AG_CANCELLED);
	assert_int_equal(n.nevent, 0);
	/* Half of a log was there. */
	assert_ok(env,
	          store_test_append(env->store, env->arena, &w->runs[2], 1, 300, true, &env->err));
	assert_ok(env, ag_store_copy(w->memory, env->store, NULL, &n, &env->err));
	assert_int_equal(n.nevent, 3 * NLOG - 300);
	same_runs(w, w->memory, env->store);
}

static void a_target_of_its_own_is_refused(void **state)
{
	world *w = *state;
	store_env *env = w->env;
	ag_store_copied n;

	add_calls(w, w->memory, 3);
	add_calls(w, env->store, 2);
	add_calls(w, env->store, 2);
	assert_int_equal(ag_store_copy(w->memory, env->store, NULL, &n, &env->err), AG_CONFLICT);
	assert_int_equal(chain(w, env->store).nrow, 4);
	fill_runs(w, w->memory);
	/* The same run with other events. */
	{
		ag_event ev = store_test_event(env->arena, &w->runs[0], 1, AG_EV_TEXT_DELTA, 3);
		ag_store_batch b = { .events = &ev, .nevent = 1 };

		assert_ok(env, ag_store_commit(env->store, &w->runs[0], &b, &env->err));
	}
	assert_int_equal(ag_store_copy(w->memory, env->store, NULL, &n, &env->err), AG_CONFLICT);
	assert_non_null(strstr(env->err.msg, w->runs[0].text));
}

static void only_a_store_that_is_there_is_opened(void **state)
{
	world *w = *state;
	store_env *env = w->env;
	ag_store *s = NULL;

	assert_ok(env, ag_store_open_existing(ag_str_c(env->uri), &s, &env->err));
	ag_store_close(s);
	env->store = ag_store_close(env->store);
	store_env_new_uri(env);
	assert_int_equal(ag_store_open_existing(ag_str_c(env->uri), &s, &env->err), AG_NOT_FOUND);
	if (fixture->is_server)
		assert_str(store_env_sql(env, "SELECT to_regnamespace('argus') IS NULL"), "t");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_copy_from_it_loses_nothing),
		T(a_copy_into_it_loses_nothing),
		T(a_copy_that_was_stopped_goes_on),
		T(a_target_of_its_own_is_refused),
	};
	const struct CMUnitTest shared[] = { T(only_a_store_that_is_there_is_opened) };
	int nfailed = 0;

	for (size_t i = 0; i < nstore_fixture; i++) {
		fixture = &store_fixtures[i];
		if (store_fixture_start(fixture))
			continue;
		nfailed += cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
		if (fixture->is_shared)
			nfailed += cmocka_run_group_tests_name(fixture->name, shared, NULL, NULL);
		store_fixture_stop(fixture);
	}
	return nfailed > 0;
}
