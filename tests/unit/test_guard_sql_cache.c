/* The cache of verdicts: what comes out is what went in, for exactly the same question, within its bytes, from any thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>

#include "guard/sql.h"

static ag_sql_verdict ask(ag_sql_cache *cache, int64_t now_ms, const char *sql,
                          const ag_sql_policy *policy, const ag_sql_catalog *catalog,
                          ag_sql_purpose purpose, ag_arena *arena)
{
	ag_sql_verdict v;
	ag_err err = { 0 };

	if (ag_sql_cache_guard(cache, now_ms,
	                       &(ag_sql_asked){ .sql = ag_str_c(sql),
	                                        .policy = policy,
	                                        .catalog = catalog,
	                                        .purpose = purpose },
	                       arena, &v, &err))
		fail_msg("%s: %s", sql, err.msg);
	return v;
}

static void same(const ag_str *a, size_t na, const ag_str *b, size_t nb)
{
	assert_int_equal(na, nb);
	for (size_t i = 0; i < na; i++)
		assert_true(ag_str_eq(a[i], b[i]));
}

static void assert_same(const ag_sql_verdict *a, const ag_sql_verdict *b)
{
	assert_int_equal(a->rule, b->rule);
	assert_true(ag_str_eq(a->message, b->message));
	assert_true(ag_str_eq(a->hint, b->hint));
	assert_true(ag_str_eq(a->sql, b->sql));
	assert_int_equal(a->position, b->position);
	assert_int_equal(a->is_limited, b->is_limited);
	assert_int_equal(a->max_rows, b->max_rows);
	assert_int_equal(a->reads_views, b->reads_views);
	assert_int_equal(a->fingerprint, b->fingerprint);
	same(a->tables, a->ntable, b->tables, b->ntable);
	same(a->functions, a->nfunction, b->functions, b->nfunction);
}

static const char *const statements[] = {
	"select 1",
	"select lower(u.a), count(*) from users u join other.orders o on o.id = u.id group by 1",
	"select pg_sleep(1)",
	"select * from other.t",
	"select 1 limit 5",
	"drop table users",
	"select * from pg_class",
};

/* Twice the same, from an arena that does not outlive the call, and equal to what the guard says without a cache. */
static void gives_what_the_guard_gives(void **state)
{
	ag_sql_cache *cache = ag_sql_cache_new(1u << 20);
	ag_arena *arena = ag_arena_new(), *brief = ag_arena_new();
	const ag_sql_policy p = { .generation = 7 };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(statements); i++) {
		const ag_sql_verdict want = ask(NULL, 0, statements[i], &p, NULL, AG_SQL_RUN,
		                                arena);

		for (int k = 0; k < 3; k++) {
			const ag_sql_verdict got = ask(cache, 0, statements[i], &p, NULL,
			                               AG_SQL_RUN, brief);

			assert_same(&want, &got);
			ag_arena_reset(brief);
		}
	}
	ag_arena_free(brief);
	ag_arena_free(arena);
	ag_sql_cache_free(cache);
}

/* The policy is compared by its generation only, so a verdict that ought to change and does not came from the cache. */
static void remembers(void **state)
{
	ag_sql_cache *cache = ag_sql_cache_new(1u << 20);
	ag_arena *arena = ag_arena_new();
	const ag_str users = AG_S("users");
	const ag_sql_policy before = { .generation = 1 };
	ag_sql_policy after = { .generation = 1, .excluded_tables = &users, .nexcluded_table = 1 };
	static const char sql[] = "select 1 from users";
	ag_sql_verdict v = ask(cache, 0, sql, &before, NULL, AG_SQL_RUN, arena);

	(void)state;
	assert_true(ag_sql_allowed(&v));
	v = ask(cache, INT64_MAX, sql, &after, NULL, AG_SQL_RUN, arena);
	assert_true(ag_sql_allowed(&v)); /* kept, and not for a time */
	v = ask(NULL, 0, sql, &after, NULL, AG_SQL_RUN, arena);
	assert_false(ag_sql_allowed(&v));
	after.generation = 2;
	v = ask(cache, 0, sql, &after, NULL, AG_SQL_RUN, arena);
	assert_false(ag_sql_allowed(&v));
	ag_arena_free(arena);
	ag_sql_cache_free(cache);
}

static void asks_again_when_anything_differs(void **state)
{
	static const ag_str columns[] = { AG_S_INIT("leak") };
	static const ag_sql_relation relations[] = {
		{ .name = { AG_S_INIT("public"), AG_S_INIT("t") },
		  .columns = columns,
		  .ncolumn = 1 },
	};
	static const ag_sql_function functions[] = { { .name = { AG_S_INIT("public"),
		                                                 AG_S_INIT("leak") } } };
	const ag_sql_catalog without = { .epoch = 1, .functions = functions, .nfunction = 1 };
	ag_sql_catalog with = { .epoch = 2,
		                .relations = relations,
		                .nrelation = 1,
		                .functions = functions,
		                .nfunction = 1 };
	ag_sql_cache *cache = ag_sql_cache_new(1u << 20);
	ag_arena *arena = ag_arena_new();
	const ag_sql_policy p = { .generation = 1 };
	ag_sql_verdict v;

	(void)state;
	v = ask(cache, 0, "select t.leak from t", &p, NULL, AG_SQL_RUN, arena);
	assert_true(ag_sql_allowed(&v));
	v = ask(cache, 0, "select t.leak from t", &p, &without, AG_SQL_RUN, arena);
	assert_int_equal(v.rule, AG_SQLRULE_FIELD);
	v = ask(cache, 0, "select t.leak from t", &p, &with, AG_SQL_RUN, arena);
	assert_true(ag_sql_allowed(&v));
	v = ask(cache, 0, "select 1", &p, NULL, AG_SQL_RUN, arena);
	assert_true(v.is_limited);
	v = ask(cache, 0, "select 1", &p, NULL, AG_SQL_EXPLAIN, arena);
	assert_false(v.is_limited);
	v = ask(cache, 0, "explain select 1", &p, NULL, AG_SQL_EXPLAIN, arena);
	assert_true(ag_sql_allowed(&v));
	v = ask(cache, 0, "explain select 1", &p, NULL, AG_SQL_RUN, arena);
	assert_false(ag_sql_allowed(&v));
	v = ask(cache, 0, "select 1 ", &p, NULL, AG_SQL_RUN, arena);
	assert_true(v.is_limited);
	ag_arena_free(arena);
	ag_sql_cache_free(cache);
}

static void views_are_looked_through_again(void **state)
{
	static const ag_sql_name reads[] = { { AG_S_INIT("public"), AG_S_INIT("t") } };
	static const ag_sql_relation relations[] = {
		{ .name = { AG_S_INIT("public"), AG_S_INIT("v") },
		  .kind = AG_SQL_VIEW,
		  .reads = reads,
		  .nread = 1 },
	};
	const ag_sql_catalog catalog = { .epoch = 1, .relations = relations, .nrelation = 1 };
	const ag_str t = AG_S("t");
	const ag_sql_policy before = { .generation = 1 };
	const ag_sql_policy after = { .generation = 1,
		                      .excluded_tables = &t,
		                      .nexcluded_table = 1 };
	ag_sql_cache *cache = ag_sql_cache_new(1u << 20);
	ag_arena *arena = ag_arena_new();
	ag_sql_verdict v = ask(cache, 1000, "select 1 from v", &before, &catalog, AG_SQL_RUN,
	                       arena);

	(void)state;
	assert_true(ag_sql_allowed(&v) && v.reads_views);
	v = ask(cache, 60999, "select 1 from v", &after, &catalog, AG_SQL_RUN, arena);
	assert_true(ag_sql_allowed(&v));
	v = ask(cache, 61000, "select 1 from v", &after, &catalog, AG_SQL_RUN, arena);
	assert_int_equal(v.rule, AG_SQLRULE_TABLE);
	ag_arena_free(arena);
	ag_sql_cache_free(cache);
}

/* What is in it, seen by a policy that says no under the same generation. */
static size_t count_kept(ag_sql_cache *cache, size_t n, ag_arena *arena)
{
	const ag_str all = AG_S("t");
	const ag_sql_policy p = { .generation = 1, .excluded_tables = &all, .nexcluded_table = 1 };
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const ag_str sql = ag_str_printf(arena, "select %zu from t", i);
		const ag_sql_verdict v = ask(cache, 0, sql.ptr, &p, NULL, AG_SQL_RUN, arena);

		kept += ag_sql_allowed(&v);
	}
	return kept;
}

static void stays_within_its_bytes(void **state)
{
	const ag_sql_policy p = { .generation = 1 };
	ag_arena *arena = ag_arena_new();
	ag_sql_cache *cache = ag_sql_cache_new(64 * 1024);
	size_t kept;

	(void)state;
	for (size_t i = 0; i < 2000; i++) {
		const ag_str sql = ag_str_printf(arena, "select %zu from t", i);

		ask(cache, 0, sql.ptr, &p, NULL, AG_SQL_RUN, arena);
	}
	/* An entry is some 400 bytes. The oldest went; asking for them puts refusals in, so count from the newest. */
	kept = 0;
	for (size_t i = 2000; i-- > 1950;) {
		const ag_str t = AG_S("t"), sql = ag_str_printf(arena, "select %zu from t", i);
		const ag_sql_policy no = { .generation = 1,
			                   .excluded_tables = &t,
			                   .nexcluded_table = 1 };
		const ag_sql_verdict v = ask(cache, 0, sql.ptr, &no, NULL, AG_SQL_RUN, arena);

		kept += ag_sql_allowed(&v);
	}
	assert_true(kept > 40);
	assert_true(count_kept(cache, 1000, arena) == 0);
	ag_sql_cache_free(cache);
	cache = ag_sql_cache_new(0); /* room for nothing is no reason to fail */
	ask(cache, 0, "select 1", &p, NULL, AG_SQL_RUN, arena);
	ag_sql_cache_free(cache);
	assert_null(ag_sql_cache_free(NULL));
	ag_arena_free(arena);
}

/* What is asked for now and then stays while others come and go. */
static void keeps_what_is_used(void **state)
{
	const ag_str t = AG_S("t");
	const ag_sql_policy yes = { .generation = 1 };
	const ag_sql_policy no = { .generation = 1, .excluded_tables = &t, .nexcluded_table = 1 };
	ag_sql_cache *cache = ag_sql_cache_new(64 * 1024);
	ag_arena *arena = ag_arena_new();
	ag_sql_verdict v = ask(cache, 0, "select 1 from t", &yes, NULL, AG_SQL_RUN, arena);

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		const ag_str sql = ag_str_printf(arena, "select %zu from t as other", i);

		ask(cache, 0, sql.ptr, &yes, NULL, AG_SQL_RUN, arena);
		v = ask(cache, 0, "select 1 from t", &no, NULL, AG_SQL_RUN, arena);
		assert_true(ag_sql_allowed(&v));
	}
	ag_arena_free(arena);
	ag_sql_cache_free(cache);
}

static void large_and_broken_ones_are_not_kept(void **state)
{
	const ag_str t = AG_S("t");
	const ag_sql_policy yes = { .generation = 1 };
	const ag_sql_policy no = { .generation = 1, .excluded_tables = &t, .nexcluded_table = 1 };
	ag_sql_cache *cache = ag_sql_cache_new(1u << 20);
	ag_arena *arena = ag_arena_new();
	const ag_str large = ag_str_printf(arena, "select 1 from t%*s", 4096 - 14, "");
	const ag_str fits = ag_str_make(large.ptr, 4096);
	ag_sql_verdict v;
	ag_err err = { 0 };

	(void)state;
	assert_int_equal(large.len, 4097);
	for (int k = 0; k < 2; k++) {
		const ag_sql_policy *p = k ? &no : &yes;

		assert_int_equal(ag_sql_cache_guard(cache, 0,
		                                    &(ag_sql_asked){ .sql = large,
		                                                     .policy = p,
		                                                     .purpose = AG_SQL_RUN },
		                                    arena, &v, &err),
		                 AG_OK);
		assert_int_equal(ag_sql_allowed(&v), k == 0);
		assert_int_equal(ag_sql_cache_guard(cache, 0,
		                                    &(ag_sql_asked){ .sql = fits,
		                                                     .policy = p,
		                                                     .purpose = AG_SQL_RUN },
		                                    arena, &v, &err),
		                 AG_OK);
		assert_true(ag_sql_allowed(&v));
	}
	v = ask(cache, 0, "select frm t x", &yes, NULL, AG_SQL_RUN, arena);
	assert_int_equal(v.rule, AG_SQLRULE_PARSE_ERROR);
	ag_arena_free(arena);
	ag_sql_cache_free(cache);
}

/* --- threads --- */

typedef struct asker {
	ag_sql_cache *cache;
	unsigned seed;
	bool is_wrong;
} asker;

static void *ask_much(void *arg)
{
	asker *a = arg;
	ag_arena *arena = ag_arena_new();
	const ag_sql_policy p = { .generation = 1 };

	for (unsigned i = 0; i < 3000; i++) {
		const unsigned n = (a->seed * 7919 + i * 31) % 97;
		const ag_str sql = ag_str_printf(arena, "select %u from t%u", n, n % 11);
		const ag_str run = ag_str_printf(arena, "%.*s\nLIMIT 501", AG_FMT(sql));
		ag_sql_verdict v;

		if (ag_sql_cache_guard(a->cache, i,
		                       &(ag_sql_asked){
					       .sql = sql, .policy = &p, .purpose = AG_SQL_RUN },
		                       arena, &v, NULL) ||
		    !ag_str_eq(v.sql, run) || v.ntable != 1 || v.tables[0].ptr[0] != 't')
			a->is_wrong = true;
		ag_arena_reset(arena);
	}
	ag_arena_free(arena);
	return NULL;
}

static void many_threads(void **state)
{
	ag_sql_cache *cache = ag_sql_cache_new(24 * 1024); /* too small: they evict each other's */
	pthread_t threads[8];
	asker askers[8];

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		askers[i] = (asker){ cache, i, false };
		assert_int_equal(pthread_create(&threads[i], NULL, ask_much, &askers[i]), 0);
	}
	for (unsigned i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		assert_false(askers[i].is_wrong);
	}
	ag_sql_cache_free(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_what_the_guard_gives),
		cmocka_unit_test(remembers),
		cmocka_unit_test(asks_again_when_anything_differs),
		cmocka_unit_test(views_are_looked_through_again),
		cmocka_unit_test(stays_within_its_bytes),
		cmocka_unit_test(keeps_what_is_used),
		cmocka_unit_test(large_and_broken_ones_are_not_kept),
		cmocka_unit_test(many_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
