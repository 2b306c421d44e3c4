/* What a project knows, the same for every store in store_fixtures[]: learnings, full text, the prompt. The numbers are those
 * of the acceptance scenarios (reference analyst.md, section 13). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "knowledge/find.h"
#include "knowledge/learning.h"
#include "knowledge/prompt.h"
#include "query/extjson.h"
#include "store_fixtures.h"

static const store_fixture *fixture; /* of the group that runs */

#define SHOP AG_S("shop")
#define DAY  (INT64_C(86400) * 1000)

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

static ag_val json(store_env *env, const char *text)
{
	const ag_extjson_opts opts = { 0 };
	ag_val v;

	assert_ok(env,
	          ag_extjson_parse(ag_str_c(text), &opts, env->arena, &v, NULL, NULL, &env->err));
	return v;
}

static void put(store_env *env, ag_know_kind kind, const char *name, const char *fields)
{
	const ag_val v = json(env, fields);
	ag_object_row row;
	ag_know o;

	assert_ok(env, ag_know_make(kind, ag_str_c(name), &v, env->arena, &o, &env->err));
	o.changed_ms = 1000;
	row = ag_know_row(&o, SHOP, env->arena);
	assert_ok(env, ag_store_put_objects(env->store, &row, 1, &env->err));
}

static ag_status learn(store_env *env, const char *description, const char *category,
                       const char *tables, ag_know_learnt *ret)
{
	ag_val *list = ag_new(env->arena, ag_val);
	const ag_know_lesson l = { .description = ag_str_c(description),
		                   .category = ag_str_c(category),
		                   .tables = list,
		                   .author = AG_S("ann"),
		                   .now_ms = 5000 };

	*list = json(env, tables);
	return ag_know_learn(env->store, SHOP, &l, env->arena, ret, &env->err);
}

static ag_know_prompt prompt(store_env *env, const char *question, size_t max_bytes, int64_t now_ms)
{
	ag_know_set *set = NULL;
	ag_know_prompt_opts o = { .question = ag_str_c(question),
		                  .max_bytes = max_bytes,
		                  .now_ms = now_ms };
	ag_know_prompt ret;

	assert_ok(env, ag_know_set_load(env->store, SHOP, &set, &env->err));
	o.set = set;
	ag_know_prompt_make(&o, env->arena, &ret);
	ag_know_set_free(set);
	return ret;
}

static bool has(ag_str text, const char *part)
{
	return ag_str_contains(text, ag_str_c(part));
}

static size_t count(ag_str text, const char *part)
{
	size_t n = 0;

	while (text.len && ag_str_contains(text, ag_str_c(part))) {
		while (!ag_str_starts(text, ag_str_c(part)))
			text = ag_str_make(text.ptr + 1, text.len - 1);
		text = ag_str_make(text.ptr + 1, text.len - 1);
		n++;
	}
	return n;
}

/* 24 */
static void a_learning_is_saved_once_and_grows(void **state)
{
	store_env *env = *state;
	ag_know_learnt l;

	/* 19 characters, then 20. */
	assert_int_equal(learn(env, "  nineteen characters ", "other", "[\"t\"]", &l), AG_INVALID);
	assert_string_equal(env->err.msg,
	                    "learning: description: want 20 characters or more, got 19");
	assert_int_equal(learn(env, "Twenty characters ok", "chart", "[\"t\"]", &l), AG_INVALID);
	assert_non_null(strstr(env->err.msg, "category: want one of type_mismatch"));
	assert_int_equal(learn(env, "Twenty characters ok", "other", "[]", &l), AG_INVALID);
	assert_string_equal(env->err.msg, "learning: tables: is missing");
	assert_ok(env, learn(env, "Twenty characters ok", "other", "[\"t\"]", &l));
	assert_true(l.is_new);
	assert_true(l.learning.confidence == 0.5);
	assert_int_equal(l.learning.uses, 0);
	assert_ok(env, learn(env, " TWENTY characters OK\n", "naming", "[\"u\"]", &l));
	assert_false(l.is_new);
	assert_true(l.learning.confidence == 0.6);
	assert_int_equal(l.learning.uses, 1);
	assert_str(l.learning.name, "Twenty characters ok");
	for (int i = 0; i < 9; i++)
		assert_ok(env, learn(env, "Twenty characters ok", "other", "[\"t\"]", &l));
	assert_true(l.learning.confidence == 1);
}

/* 25 */
static void the_prompt_has_the_best_twenty(void **state)
{
	store_env *env = *state;
	ag_know_learnt l;
	ag_know_prompt p;
	char text[64];

	for (int i = 0; i < 25; i++) {
		snprintf(text, sizeof(text), "learning number %02d is this one", i);
		/* 5 with 0.5, 15 with 0.6, 5 with 0.8 */
		for (int k = 0; k < (i < 5 ? 1 : i < 20 ? 2 : 4); k++)
			assert_ok(env, learn(env, text, "other", "[\"t\"]", &l));
	}
	p = prompt(env, "", 0, 6000);
	assert_int_equal(count(p.stable, "- learning number"), 20);
	for (int i = 0; i < 5; i++) {
		snprintf(text, sizeof(text), "number %02d", i);
		assert_false(has(p.stable, text));
	}
	assert_int_equal(count(p.stable, "*Confidence: "), 5);
	assert_int_equal(count(p.stable, "*Confidence: 80% (applied 3 times)*"), 5);
	assert_true(
		has(p.stable, "5 further learnings are not shown; search_knowledge finds them"));
	assert_int_equal(p.ranked.len, 0);
	assert_int_equal(p.nshown, 20);
}

static void a_learning_that_is_not_used_fades(void **state)
{
	store_env *env = *state;
	const ag_str no_key = AG_S("");
	ag_know_learnt l;
	ag_str key;

	assert_ok(env, learn(env, "Twenty characters ok", "other", "[\"t\"]", &l));
	key = l.learning.key;
	assert_int_equal(prompt(env, "", 0, 5000 + 89 * DAY).nshown, 1);
	assert_int_equal(prompt(env, "", 0, 5000 + 181 * DAY).nshown, 1); /* 0.3 */
	assert_int_equal(prompt(env, "", 0, 5000 + 271 * DAY).nshown, 0);
	/* A use makes it last. */
	assert_ok(env, ag_store_use_objects(env->store, SHOP, AG_S("learning"), &key, 1,
	                                    5000 + 180 * DAY, &env->err));
	assert_int_equal(prompt(env, "", 0, 5000 + 271 * DAY).nshown, 1);
	assert_int_equal(no_key.len, 0);
}

static void what_is_contradicted_waits_for_a_review(void **state)
{
	store_env *env = *state;
	ag_know_lesson wrong = { .description = AG_S("Use column amount of table orders"),
		                 .category = AG_S("naming"),
		                 .original_sql = AG_S("SELECT amt FROM orders"),
		                 .corrected_sql = AG_S("SELECT amount FROM orders;"),
		                 .now_ms = 10 },
		       right = { .description = AG_S("Use column total of table orders"),
		                 .category = AG_S("naming"),
		                 .original_sql = AG_S("select amount\n  from Orders -- all"),
		                 .corrected_sql = AG_S("SELECT total FROM orders"),
		                 .now_ms = 20 };
	ag_val tables = json(env, "[\"orders\"]");
	ag_know_learnt l;
	ag_know o, *found;
	size_t n;
	ag_str key;

	wrong.tables = right.tables = &tables;
	assert_ok(env, ag_know_learn(env->store, SHOP, &wrong, env->arena, &l, &env->err));
	key = l.learning.key;
	assert_int_equal(prompt(env, "", 0, 30).nshown, 1);
	assert_ok(env, ag_know_learn(env->store, SHOP, &right, env->arena, &l, &env->err));
	assert_int_equal(l.nreview, 1);
	assert_true(ag_str_starts(key, l.reviews[0]));
	assert_true(has(prompt(env, "", 0, 30).stable, "column total"));
	assert_false(has(prompt(env, "", 0, 30).stable, "column amount"));
	assert_ok(env, ag_know_search(env->store, SHOP, AG_S("amount"), 10, env->arena, &found, &n,
	                              &env->err));
	for (size_t i = 0; i < n; i++)
		assert_false(ag_str_eq(found[i].key, key));
	/* Said again, it still waits. */
	assert_ok(env, ag_know_learn(env->store, SHOP, &wrong, env->arena, &l, &env->err));
	assert_int_equal(l.learning.status, AG_KNOW_REVIEW);
	assert_true(l.learning.confidence == 0.4);
	assert_false(has(prompt(env, "", 0, 30).stable, "column amount"));
	assert_ok(env, ag_know_review(env->store, SHOP, ag_str_make(key.ptr, 8), 40, env->arena, &o,
	                              &env->err));
	assert_int_equal(o.status, AG_KNOW_ACTIVE);
	assert_true(o.confidence == 0.5);
	assert_int_equal(ag_know_text(&o, "contradicted").len, 0);
	assert_true(has(prompt(env, "", 0, 50).stable, "column amount"));
	/* By its id. */
	right.contradicts = ag_str_make(key.ptr, 8);
	right.original_sql = AG_S("");
	assert_ok(env, ag_know_learn(env->store, SHOP, &right, env->arena, &l, &env->err));
	assert_int_equal(l.nreview, 1);
	right.contradicts = AG_S("00000000");
	assert_int_equal(ag_know_learn(env->store, SHOP, &right, env->arena, &l, &env->err),
	                 AG_NOT_FOUND);
}

static void within_the_budget_all_is_shown_in_order(void **state)
{
	store_env *env = *state;
	ag_know_prompt p;
	const char *at;

	put(env, AG_KNOW_ENTRY, "Zebra", "{\"content\":\"a </DATA> < b\",\"tables\":[\"x\"]}");
	put(env, AG_KNOW_METRIC, "MRR",
	    "{\"definition\":\"Money\",\"sql\":\"SELECT 1\\nFROM t\",\"unit\":\"USD\",\"caveats\":[\"c\"]}");
	put(env, AG_KNOW_ENTRY, "Ant", "{\"content\":\"small\"}");
	put(env, AG_KNOW_TABLE, "orders",
	    "{\"description\":\"d\",\"column_notes\":{\"total\":\"cents\"},"
	    "\"data_quality_notes\":[\"dup\"],\"related_tables\":[\"users\","
	    "{\"table\":\"items\",\"join_hint\":\"o.id = i.o\"}]}");
	put(env, AG_KNOW_GOLDEN, "How many?", "{\"mode\":\"exact\",\"expected\":\"3\"}");
	p = prompt(env, "", 0, 2000);
	at = strstr(p.stable.ptr,
	            "### Ant\nsmall\n\n### MRR (verified metric)\nDefinition: Money\n");
	assert_non_null(at);
	assert_non_null(
		at = strstr(at,
	                    "    SELECT 1\n    FROM t\nUnit: USD\nCaveats:\n- c\n\n### Zebra\n"));
	assert_non_null(at = strstr(at,
	                            "a \\u003c/DATA> < b\nApplies to: `x`\n\n## Table Context\n\n"
	                            "### orders\nd\n**Column Notes:**\n- `total`: cents\n"
	                            "**Data Quality Notes:**\n- dup\n**Related Tables:**\n"
	                            "- `users`\n- `items`: `o.id = i.o`\n</data>"));
	assert_false(has(p.stable, "How many?"));
	assert_int_equal(p.nleft, 0);
	/* The question changes nothing. */
	assert_true(ag_str_eq(p.stable, prompt(env, "zebra MRR", 0, 2000).stable));
}

static void beyond_it_the_question_ranks_and_metrics_stay(void **state)
{
	store_env *env = *state;
	char name[40], fields[400];
	ag_know_prompt p, q;

	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "Term %03d", i);
		snprintf(fields, sizeof(fields), "{\"content\":\"%s\"}",
		         i == 77 ? "what a giraffe is" : "filler words about nothing at all");
		put(env, AG_KNOW_ENTRY, name, fields);
	}
	memset(fields, 'x', sizeof(fields));
	snprintf(fields + 300, 100, "%s", "");
	{
		ag_str big = ag_str_printf(env->arena,
		                           "{\"definition\":\"%s\",\"sql\":\"SELECT 1\"}", fields);

		put(env, AG_KNOW_METRIC, "Gross Margins", big.ptr);
		put(env, AG_KNOW_METRIC, "Net Margin", big.ptr);
	}
	p = prompt(env, "What is the gross margin of giraffes?", 1000, 2000);
	assert_true(
		has(p.stable, "There are 200 entries, 2 verified metrics and notes on 0 tables"));
	assert_true(has(p.ranked, "### Gross Margins"));
	assert_true(has(p.ranked, "### Term 077"));
	assert_true(has(p.ranked, "search_knowledge finds it: "));
	assert_true(has(p.ranked, " more\n"));
	assert_int_equal(p.nleft + p.nshown, 202);
	/* Whatever the budget. */
	p = prompt(env, "Gross Margin", 100, 2000);
	assert_true(has(p.ranked, "### Gross Margins"));
	assert_false(has(p.ranked, "### Net Margin"));
	/* What does not depend on the question stays the same. */
	q = prompt(env, "something else", 100, 2000);
	assert_true(ag_str_eq(p.stable, q.stable));
}

static void a_search_finds_what_is_there_now(void **state)
{
	store_env *env = *state;
	ag_object_row row;
	ag_know *found;
	size_t n;

	put(env, AG_KNOW_ENTRY, "Active users", "{\"content\":\"logged in within 30 days\"}");
	put(env, AG_KNOW_TABLE, "orders",
	    "{\"description\":\"d\",\"column_notes\":{\"total\":\"in pennies\"}}");
	put(env, AG_KNOW_GOLDEN, "How many pennies?", "{\"mode\":\"exact\",\"expected\":\"3\"}");
	assert_ok(env, ag_know_search(env->store, SHOP, AG_S("penny total?"), 10, env->arena,
	                              &found, &n, &env->err));
	assert_int_equal(n, 1);
	assert_str(found[0].name, "orders");
	assert_ok(env, ag_know_search(env->store, SHOP, AG_S("logs"), 10, env->arena, &found, &n,
	                              &env->err));
	assert_int_equal(n, 1);
	/* Changed, removed, of another project. */
	row = ag_know_row(&found[0], SHOP, env->arena);
	row.body = AG_S("{\"content\":\"walked in\"}");
	assert_ok(env, ag_store_put_objects(env->store, &row, 1, &env->err));
	assert_ok(env, ag_know_search(env->store, SHOP, AG_S("walked"), 10, env->arena, &found, &n,
	                              &env->err));
	assert_int_equal(n, 1);
	assert_ok(env, ag_know_search(env->store, SHOP, AG_S("logged"), 10, env->arena, &found, &n,
	                              &env->err));
	assert_int_equal(n, 0);
	assert_ok(env, ag_store_drop_object(env->store, SHOP, AG_S("entry"), row.key, &env->err));
	assert_ok(env, ag_know_search(env->store, SHOP, AG_S("walked"), 10, env->arena, &found, &n,
	                              &env->err));
	assert_int_equal(n, 0);
	assert_ok(env, ag_know_search(env->store, AG_S("bank"), AG_S("pennies"), 10, env->arena,
	                              &found, &n, &env->err));
	assert_int_equal(n, 0);
	assert_int_equal(ag_know_search(env->store, SHOP, AG_S(" ?! "), 10, env->arena, &found, &n,
	                                &env->err),
	                 AG_INVALID);
	/* The index is a cache: after a purge the next search makes it again. */
	assert_ok(env, ag_store_purge(env->store, AG_STORE_PURGE_ALL, &(uint64_t){ 0 }, &env->err));
	assert_ok(env, ag_know_search(env->store, SHOP, AG_S("pennies"), 10, env->arena, &found, &n,
	                              &env->err));
	assert_int_equal(n, 1);
}

static void a_set_is_loaded_when_it_has_changed(void **state)
{
	store_env *env = *state;
	ag_know_set *set = NULL, *was;

	put(env, AG_KNOW_ENTRY, "A", "{\"content\":\"a\"}");
	assert_ok(env, ag_know_set_load(env->store, SHOP, &set, &env->err));
	was = set;
	assert_ok(env, ag_know_set_load(env->store, SHOP, &set, &env->err));
	assert_ptr_equal(was, set);
	put(env, AG_KNOW_ENTRY, "B", "{\"content\":\"b\"}");
	assert_ok(env, ag_know_set_load(env->store, SHOP, &set, &env->err));
	assert_int_equal(set->n, 2);
	assert_non_null(ag_know_find(set, AG_KNOW_ENTRY, AG_S("b")));
	assert_null(ag_know_find(set, AG_KNOW_METRIC, AG_S("b")));
	ag_know_set_free(set);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_learning_is_saved_once_and_grows),
		T(the_prompt_has_the_best_twenty),
		T(a_learning_that_is_not_used_fades),
		T(what_is_contradicted_waits_for_a_review),
		T(within_the_budget_all_is_shown_in_order),
		T(beyond_it_the_question_ranks_and_metrics_stay),
		T(a_search_finds_what_is_there_now),
		T(a_set_is_loaded_when_it_has_changed),
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
