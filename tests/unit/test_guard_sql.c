/* The guard's verdicts beside their rule: positions, texts to run, fingerprints, what a policy's names mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>

#include "guard/sql.h"

static ag_sql_verdict guard(ag_arena *arena, const char *sql, const ag_sql_policy *policy,
                            ag_sql_purpose purpose)
{
	const ag_sql_policy usual = { 0 };
	ag_sql_verdict v;
	ag_err err = { 0 };

	if (ag_sql_guard(ag_str_c(sql), policy ? policy : &usual, NULL, purpose, arena, &v, &err))
		fail_msg("%s: %s", sql, err.msg);
	return v;
}

static void assert_text(ag_str got, const char *want)
{
	if (!ag_str_eqc(got, want))
		fail_msg("want \"%s\", got \"%.*s\"", want, AG_FMT(got));
}

static void assert_rule(const ag_sql_verdict *v, ag_sql_rule want, const char *sql)
{
	if (v->rule != want)
		fail_msg("%s: want %s, got %s: %.*s", sql, ag_sql_rule_id(want),
		         ag_sql_rule_id(v->rule), AG_FMT(v->message));
}

/* Characters from 1, whoever found the fault: the parser counts so, its nodes count bytes from 0. */
static void positions(void **state)
{
	static const struct {
		const char *sql;
		ag_sql_rule rule;
		uint32_t position;
	} cases[] = {
		{ "select 'é€😀', 1 frm t x", AG_SQLRULE_PARSE_ERROR, 21 },
		{ "select 'é€😀', pg_sleep(1)", AG_SQLRULE_FUNCTION, 15 },
		{ "select 'é€😀', 'x'::regclass", AG_SQLRULE_TYPE, 20 },
		{ "select 1;\n select 2", AG_SQLRULE_MULTIPLE, 9 },
		{ "select \xff", AG_SQLRULE_BAD_TEXT, 8 },
		{ "select 1_000", AG_SQLRULE_NEWER_SYNTAX, 8 },
		{ " drop table users", AG_SQLRULE_STATEMENT, 2 },
		{ "select 'é' from pg_class", AG_SQLRULE_SYSTEM, 17 },
		{ "select 1 from users u where u.pg_sleep", AG_SQLRULE_FIELD, 29 },
		{ "select 1 ~~~ 2", AG_SQLRULE_OPERATOR, 10 },
		{ "select $1", AG_SQLRULE_PARAMETER, 8 },
		{ "select 'x", AG_SQLRULE_PARSE_ERROR, 8 },
		{ "select 1", AG_SQLRULE_ALLOWED, 0 },
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const ag_sql_verdict v = guard(arena, cases[i].sql, NULL, AG_SQL_RUN);

		assert_rule(&v, cases[i].rule, cases[i].sql);
		if (v.position != cases[i].position)
			fail_msg("%s: want %u, got %u", cases[i].sql, cases[i].position,
			         v.position);
	}
	ag_arena_free(arena);
}

static void text_to_run(void **state)
{
	static const struct {
		const char *sql, *run;
		uint64_t max_rows;
		bool is_limited;
	} cases[] = {
		{ "select 1", "select 1\nLIMIT 11", 10, true },
		{ " ;\n; select 1 ; ;-- end", "select 1\nLIMIT 11", 10, true },
		{ "select 1 -- no line break", "select 1 -- no line break\nLIMIT 11", 10, true },
		{ "/* why */ select 1 /* ; */ ;", "/* why */ select 1 /* ; */\nLIMIT 11", 10,
		  true },
		{ "select ';' as \";\"", "select ';' as \";\"\nLIMIT 11", 10, true },
		{ "select 1 limit 10", "select 1 limit 10", 10, false },
		{ "select 1 limit 3;", "select 1 limit 3", 3, false },
		{ "select 1 limit 0", "select 1 limit 0", 0, false },
		{ "select 1 offset 5", "select 1 offset 5\nLIMIT 11", 10, true },
		{ "(select 1)", "(select 1)\nLIMIT 11", 10, true },
		{ "(select 1 offset 5)",
		  "SELECT * FROM (\n(select 1 offset 5)\n) AS argus_q LIMIT 11", 10, true },
		{ "with x as (select 1) (select 1 offset 5) order by 1",
		  "SELECT * FROM (\nwith x as (select 1) (select 1 offset 5) order by 1\n) AS argus_q "
		  "LIMIT 11",
		  10, true },
		{ "(select 1) offset 5", "(select 1) offset 5\nLIMIT 11", 10, true },
		{ "((select 1 limit 4))", "((select 1 limit 4))", 4, false },
		{ "select 1 union select 2 limit 4", "select 1 union select 2 limit 4", 4, false },
		{ "select 1 union (select 2 limit 4)",
		  "select 1 union (select 2 limit 4)\nLIMIT 11", 10, true },
		{ "select 1 fetch first row only", "select 1 fetch first row only", 1, false },
		{ "select 1 fetch first 5 rows only", "select 1 fetch first 5 rows only", 5,
		  false },
		{ "select 1 limit 11", "SELECT * FROM (\nselect 1 limit 11\n) AS argus_q LIMIT 11",
		  10, true },
		{ "select 1 limit all -- x",
		  "SELECT * FROM (\nselect 1 limit all -- x\n) AS argus_q LIMIT 11", 10, true },
		{ "select 1 limit null",
		  "SELECT * FROM (\nselect 1 limit null\n) AS argus_q LIMIT 11", 10, true },
		{ "select 1 limit -1", "SELECT * FROM (\nselect 1 limit -1\n) AS argus_q LIMIT 11",
		  10, true },
		{ "select 1 limit 2+2",
		  "SELECT * FROM (\nselect 1 limit 2+2\n) AS argus_q LIMIT 11", 10, true },
		{ "select 1 limit '3'",
		  "SELECT * FROM (\nselect 1 limit '3'\n) AS argus_q LIMIT 11", 10, true },
		{ "select 1 limit 99999999999",
		  "SELECT * FROM (\nselect 1 limit 99999999999\n) AS argus_q LIMIT 11", 10, true },
		{ "select a from users order by a fetch first 5 rows with ties",
		  "SELECT * FROM (\nselect a from users order by a fetch first 5 rows with ties\n) AS "
		  "argus_q LIMIT 11",
		  10, true },
	};
	const ag_sql_policy p = { .max_rows = 10 };
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const ag_sql_verdict v = guard(arena, cases[i].sql, &p, AG_SQL_RUN);
		ag_safe_sql safe;

		assert_rule(&v, AG_SQLRULE_ALLOWED, cases[i].sql);
		assert_text(v.sql, cases[i].run);
		assert_int_equal(v.max_rows, cases[i].max_rows);
		assert_int_equal(v.is_limited, cases[i].is_limited);
		assert_int_equal(ag_sql_safe(&v, &safe, NULL), AG_OK);
		assert_text(safe.sql, cases[i].run);
		assert_int_equal(safe.max_rows, v.max_rows);
	}
	ag_arena_free(arena);
}

static void rows_have_bounds(void **state)
{
	ag_sql_policy p = { 0 };
	ag_arena *arena = ag_arena_new();
	ag_sql_verdict v = guard(arena, "select 1", &p, AG_SQL_RUN);

	(void)state;
	assert_int_equal(v.max_rows, AG_SQL_DEFAULT_ROWS);
	p.max_rows = UINT64_MAX;
	v = guard(arena, "select 1", &p, AG_SQL_RUN);
	assert_int_equal(v.max_rows, AG_SQL_MAX_ROWS);
	p = (ag_sql_policy){ .max_bytes = 8 };
	v = guard(arena, "select 1", &p, AG_SQL_RUN);
	assert_rule(&v, AG_SQLRULE_ALLOWED, "8 bytes");
	v = guard(arena, "select 1 ", &p, AG_SQL_RUN);
	assert_rule(&v, AG_SQLRULE_TOO_LARGE, "9 bytes");
	ag_arena_free(arena);
}

static void explained(void **state)
{
	static const struct {
		const char *sql, *run; /* NULL: refused */
		ag_sql_rule rule;
		uint32_t position;
	} cases[] = {
		{ "explain select 1", "select 1", AG_SQLRULE_ALLOWED, 0 },
		{ " explain /* é */ (select 1); -- x", "(select 1)", AG_SQLRULE_ALLOWED, 0 },
		{ "explain verbose table users", "table users", AG_SQLRULE_ALLOWED, 0 },
		{ "explain (costs off, format json) (values (1))", "(values (1))",
		  AG_SQLRULE_ALLOWED, 0 },
		{ "explain with x as (select 1) select * from x limit 9999",
		  "with x as (select 1) select * from x limit 9999", AG_SQLRULE_ALLOWED, 0 },
		{ "select 1;", "select 1", AG_SQLRULE_ALLOWED, 0 },
		{ "explain analyze select 1", NULL, AG_SQLRULE_STATEMENT, 0 },
		{ "explain analyse select 1", NULL, AG_SQLRULE_STATEMENT, 0 },
		{ "explain (verbose, analyze) select 1", NULL, AG_SQLRULE_STATEMENT, 0 },
		{ "explain (\"ANALYZE\") select 1", NULL, AG_SQLRULE_STATEMENT, 0 },
		{ "explain delete from users", NULL, AG_SQLRULE_STATEMENT, 9 },
		{ "explain create table x as select 1", NULL, AG_SQLRULE_STATEMENT, 9 },
		{ "explain execute x", NULL, AG_SQLRULE_STATEMENT, 9 },
		{ "explain select 1; explain select 2", NULL, AG_SQLRULE_MULTIPLE, 17 },
		{ "explain /* é */ select 'é', pg_sleep(1)", NULL, AG_SQLRULE_FUNCTION, 29 },
		{ "explain select 1 into x", NULL, AG_SQLRULE_STATEMENT, 23 },
	};
	ag_arena *arena = ag_arena_new();
	ag_sql_verdict v = guard(arena, "explain select 1", NULL, AG_SQL_RUN);

	(void)state;
	assert_rule(&v, AG_SQLRULE_STATEMENT, "EXPLAIN where a query is to run");
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		v = guard(arena, cases[i].sql, NULL, AG_SQL_EXPLAIN);
		assert_rule(&v, cases[i].rule, cases[i].sql);
		assert_text(v.sql, cases[i].run ? cases[i].run : "");
		assert_false(v.is_limited);
		if (v.position != cases[i].position)
			fail_msg("%s: want %u, got %u", cases[i].sql, cases[i].position,
			         v.position);
	}
	ag_arena_free(arena);
}

static uint64_t print_of(ag_arena *arena, const char *sql)
{
	return guard(arena, sql, NULL, AG_SQL_RUN).fingerprint;
}

static void fingerprint(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} cases[] = {
		{ "select 1", "SELECT  /* x */ 42 -- y", true },
		{ "select 'a' from users", "select E'b' from \nUSERS;", true },
		{ "select * from t where a in (1, 2, 3)", "select * from t where a in ('x')",
		  true },
		{ "select a from t", "select b from t", false },
		{ "select a from t", "select a from \"T\"", false },
		{ "select a + 1 from t", "select a - 1 from t", false },
		{ "select a from t where x <> 1", "select a from t where x >= 1", false },
		{ "select a, 1 from t", "select a, 1, b from t", false },
		{ "select U&\"ab\" from t", "select U&\"cd\" from t", false },
		{ "drop table a", "drop table b", false },
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		assert_true(print_of(arena, cases[i].a) != 0);
		if ((print_of(arena, cases[i].a) == print_of(arena, cases[i].b)) != cases[i].same)
			fail_msg("%s / %s", cases[i].a, cases[i].b);
	}
	assert_int_equal(print_of(arena, "select 'x"), 0); /* not even words */
	ag_arena_free(arena);
}

static void as_json(void **state)
{
	static const ag_str excluded[] = { AG_S_INIT("payments") };
	const ag_sql_policy p = { .excluded_tables = excluded, .nexcluded_table = 1 };
	ag_arena *arena = ag_arena_new();
	ag_buf out = AG_BUF_INIT(4096);
	ag_sql_verdict v = guard(arena, "select LOWER(u.a) from users u, users", &p, AG_SQL_RUN);
	ag_jw w;

	(void)state;
	v.fingerprint = 0xab;
	ag_jw_init(&w, &out, 0);
	ag_sql_verdict_json(&v, &w);
	assert_text(ag_buf_view(&out),
	            "{\"verdict\":\"allow\",\"rule\":\"allowed\",\"message\":\"\",\"hint\":\"\","
	            "\"position\":0,\"tables\":[\"users\"],\"functions\":[\"lower\"],"
	            "\"sql_executed\":\"select LOWER(u.a) from users u, users\\nLIMIT 501\","
	            "\"fingerprint\":\"00000000000000ab\"}");
	ag_buf_clear(&out);
	v = guard(arena, "select 1 from Payments", &p, AG_SQL_RUN);
	v.fingerprint = 0;
	ag_jw_init(&w, &out, 0);
	ag_sql_verdict_json(&v, &w);
	assert_text(ag_buf_view(&out),
	            "{\"verdict\":\"deny\",\"rule\":\"table_not_allowed\",\"message\":\"Access to "
	            "table payments is not permitted\",\"hint\":\"\",\"position\":15,\"tables\":[],"
	            "\"functions\":[],\"sql_executed\":\"\",\"fingerprint\":\"\"}");
	ag_buf_release(&out);
	ag_arena_free(arena);
}

static void refused_is_not_safe(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_sql_verdict v = guard(arena, "drop table users", NULL, AG_SQL_RUN);
	ag_safe_sql safe = { { NULL, 0 }, 0 };
	ag_err err = { 0 };

	(void)state;
	assert_int_equal(ag_sql_safe(&v, &safe, &err), AG_DENIED);
	assert_string_equal(err.msg, "Only SELECT statements are allowed, not DROP TABLE");
	assert_null(safe.sql.ptr);
	v = (ag_sql_verdict){ 0 }; /* "allowed", but nobody judged anything */
	assert_int_equal(ag_sql_safe(&v, &safe, &err), AG_INTERNAL);
	ag_arena_free(arena);
}

/* --- names of a policy --- */

static void policy_check(void **state)
{
	static const char *const good[] = {
		"users", "other.t", "\"My Table\"", "\"a.b\".\"c\"\"d\"", "Übung", "a-b", "x1.\"Y\""
	};
	static const char *const bad[] = { "",    ".",      "a.",    ".a",        "a.b.c", "\"a",
		                           "a\"", "a b",    "\"\"",  "a;b",       "a,b",   "f()",
		                           "a.*", "\"a\"b", "a.\"b", "\"a\".b.c", "'a'" };
	ag_err err = { 0 };
	ag_str one;
	ag_sql_policy p = { .excluded_tables = &one, .nexcluded_table = 1 };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(good); i++) {
		one = ag_str_c(good[i]);
		if (ag_sql_policy_check(&p, &err))
			fail_msg("%s: %s", good[i], err.msg);
	}
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		one = ag_str_c(bad[i]);
		if (ag_sql_policy_check(&p, &err) != AG_INVALID)
			fail_msg("%s passed", bad[i]);
		assert_non_null(strstr(err.msg, "excluded_tables: \""));
	}
	one = AG_S("a.b");
	p = (ag_sql_policy){ .allowed_schemas = &one, .nallowed_schema = 1 };
	assert_int_equal(ag_sql_policy_check(&p, &err), AG_INVALID);
	p = (ag_sql_policy){ .max_rows = AG_SQL_MAX_ROWS + 1 };
	assert_int_equal(ag_sql_policy_check(&p, &err), AG_INVALID);
}

static void policy_names(void **state)
{
	static const struct {
		const char *list, *entry, *sql;
		bool is_allowed;
	} cases[] = {
		{ "excluded", "Payments", "select 1 from payments", false },
		{ "excluded", "payments", "select 1 from \"PayMents\"", false },
		{ "excluded", "\"PAYMENTS\"", "select 1 from payments", false },
		{ "excluded", "payments", "select 1 from other.payments", false },
		{ "excluded", "public.payments", "select 1 from other.payments", true },
		{ "excluded", "public.payments", "select 1 from payments", false },
		{ "excluded", "PUBLIC.payments", "select 1 from public.payments", false },
		{ "excluded", "payment", "select 1 from payments", true },
		{ "excluded", "\"a\"\"b\"", "select 1 from \"a\"\"b\"", false },
		{ "excluded", "\"a.b\"", "select 1 from \"a.b\"", false },
		{ "excluded", "\"a.b\"", "select 1 from a.b", true },
		{ "allowed", "users", "select 1 from users", true },
		{ "allowed", "USERS", "select 1 from public.users", true },
		{ "allowed", "\"USERS\"", "select 1 from users", false },
		{ "allowed", "users", "select 1 from \"Users\"", false },
		{ "allowed", "users", "select 1 from other.users", false },
		{ "allowed", "other.users", "select 1 from other.users", true },
		{ "allowed", "other.users", "select 1 from users", false },
		{ "allowed", "pg_class", "select 1 from pg_class", false },
		{ "allowed", "users", "select 1 from users, payments", false },
		{ "function", "leak", "select leak(1)", true },
		{ "function", "leak", "select public.leak(1)", true },
		{ "function", "leak", "select other.leak(1)", false },
		{ "function", "other.leak", "select leak(1)", false },
		{ "function", "other.leak", "select other.leak(1)", true },
		{ "function", "leak", "select pg_catalog.leak(1)", false },
		{ "function", "pg_sleep", "select pg_sleep(1)", false },
		{ "function", "public.pg_sleep", "select pg_sleep(1)", false },
		{ "function", "public.pg_sleep", "select public.pg_sleep(1)", true },
		{ "function", "pg_catalog.pg_sleep", "select pg_sleep(1)", true },
	};
	static const ag_str schemas[] = { AG_S_INIT("other"), AG_S_INIT("a") };
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const ag_str entry = ag_str_c(cases[i].entry);
		ag_sql_policy p = { .allowed_schemas = schemas, .nallowed_schema = 2 };
		ag_sql_verdict v;

		if (cases[i].list[0] == 'e') {
			p.excluded_tables = &entry;
			p.nexcluded_table = 1;
		} else if (cases[i].list[0] == 'a') {
			p.allowed_tables = &entry;
			p.nallowed_table = 1;
		} else {
			p.allowed_functions = &entry;
			p.nallowed_function = 1;
		}
		v = guard(arena, cases[i].sql, &p, AG_SQL_RUN);
		if (ag_sql_allowed(&v) != cases[i].is_allowed)
			fail_msg("%s %s: %s: %s", cases[i].list, cases[i].entry, cases[i].sql,
			         ag_sql_rule_id(v.rule));
	}
	ag_arena_free(arena);
}

/* PostgreSQL 15: every function of pg_catalog that can be called with one argument of any type, so also with a row.
 * t.name may only be let through unproven because none of them does harm. */
static void functions_of_a_row(void **state)
{
	static const char *const names[] = {
		"any_out",
		"anyelement_out",
		"array_agg",
		"concat",
		"count",
		"cume_dist",
		"dense_rank",
		"first_value",
		"hash_record",
		"json_agg",
		"json_build_array",
		"json_build_object",
		"jsonb_agg",
		"jsonb_build_array",
		"jsonb_build_object",
		"lag",
		"last_value",
		"lead",
		"mode",
		"num_nonnulls",
		"num_nulls",
		"percent_rank",
		"pg_collation_for",
		"pg_column_compression",
		"pg_column_size",
		"pg_typeof",
		"quote_literal",
		"quote_nullable",
		"rank",
		"record_out",
		"record_send",
		"row_to_json",
		"to_json",
		"to_jsonb",
	};
	static const char *const columns[] = { "name",   "time_out", "cash_in", "date", "count",
		                               "system", "version",  "user",    "like" };
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(names); i++) {
		const ag_str sql = ag_str_printf(arena, "select t.%s from t", names[i]);
		const ag_sql_verdict v = guard(arena, sql.ptr, NULL, AG_SQL_RUN);
		const bool converts = strstr(names[i], "_out") || strstr(names[i], "record");

		if (ag_sql_allowed(&v) && !converts &&
		    ag_sql_function_known(AG_SQL_POSTGRES, ag_str_c(names[i]), NULL) !=
		            AG_SQL_HARMLESS)
			fail_msg("%s is let through", sql.ptr);
	}
	for (size_t i = 0; i < AG_NELEM(columns); i++) {
		const ag_str sql = ag_str_printf(arena, "select t.\"%s\" from t", columns[i]);
		const ag_sql_verdict v = guard(arena, sql.ptr, NULL, AG_SQL_RUN);

		assert_rule(&v, AG_SQLRULE_ALLOWED, sql.ptr);
	}
	ag_arena_free(arena);
}

/* --- what would break a parser --- */

static char *repeated(ag_arena *arena, const char *start, const char *unit, size_t n,
                      const char *end, const char *closing)
{
	ag_buf b = AG_BUF_INIT(1u << 24);
	char *ret;

	ag_buf_adds(&b, start);
	for (size_t i = 0; i < n; i++)
		ag_buf_adds(&b, unit);
	ag_buf_adds(&b, end);
	for (size_t i = 0; i < n; i++)
		ag_buf_adds(&b, closing);
	ret = ag_str_cstr(arena, ag_buf_view(&b));
	ag_buf_release(&b);
	return ret;
}

#define FLAT 2u

/* As many tokens as are let through to the parser, in the forms that need the most of its stack. */
static void *deep_ones(void *arg)
{
	ag_arena *arena = ag_arena_new();
	const char *const sql[] = {
		/* the first two make no deep tree */
		repeated(arena, "select ", "(", 8190, "1", ")"),
		repeated(arena, "select x", "[1]", 5400, "", ""),
		repeated(arena, "select 1", "+1", 8190, "", ""),
		repeated(arena, "select 1", "::int", 8190, "", ""),
		repeated(arena, "select 1", " isnull", 16380, "", ""),
		repeated(arena, "select 'a'", "||'a'", 8190, "", ""),
		repeated(arena, "select ", "f(", 5000, "1", ")"),
		repeated(arena, "select ", "(select ", 3300, "1", ")"),
		repeated(arena, "select 1 from t", " join t on 1=1", 2700, "", ""),
		repeated(arena, "select * from ", "(select * from ", 2400, "t", ")x"),
		repeated(arena, "", "with a as(", 1600, "select 1", ")select 1"),
		repeated(arena, "select 1", " union select 1", 5400, "", ""),
	};
	const ag_sql_policy p = { .max_bytes = 1u << 20 };

	for (size_t i = 0; i < AG_NELEM(sql); i++) {
		const ag_sql_verdict v = guard(arena, sql[i], &p, AG_SQL_RUN);

		if (ag_sql_allowed(&v) != (i < FLAT) ||
		    (!ag_sql_allowed(&v) && v.rule != AG_SQLRULE_TOO_COMPLEX)) {
			print_error("%.40s...: %s\n", sql[i], ag_sql_rule_id(v.rule));
			*(bool *)arg = true;
		}
	}
	ag_arena_free(arena);
	return NULL;
}

static void deep_on_a_small_stack(void **state)
{
	bool is_wrong = false;
	pthread_attr_t attr;
	pthread_t thread;

	(void)state;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	assert_int_equal(pthread_create(&thread, &attr, deep_ones, &is_wrong), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	assert_false(is_wrong);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(positions),
		cmocka_unit_test(text_to_run),
		cmocka_unit_test(rows_have_bounds),
		cmocka_unit_test(explained),
		cmocka_unit_test(fingerprint),
		cmocka_unit_test(as_json),
		cmocka_unit_test(refused_is_not_safe),
		cmocka_unit_test(policy_check),
		cmocka_unit_test(policy_names),
		cmocka_unit_test(functions_of_a_row),
		cmocka_unit_test(deep_on_a_small_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
