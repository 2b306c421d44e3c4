/* The PostgreSQL engine on a real server: values as they come, caps that are proven, failures in the server's words. */
#include "unit/postgres_engine.h"

static pg_test t;

static int setup(void **state)
{
	(void)state;
	test_postgres_tell(
		&server,
		"CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');"
		"CREATE DOMAIN percent AS numeric(5,2) CHECK (VALUE BETWEEN 0 AND 100);"
		"CREATE TABLE users (id bigserial PRIMARY KEY, name varchar(40) NOT NULL,"
		" score numeric(10,2), mood mood, tags text[], born date, made timestamptz,"
		" rate percent, extra jsonb);"
		"INSERT INTO users VALUES (1, 'Ann', 19.90, 'happy', '{a,\"b c\"}',"
		" '1999-12-31', '2026-03-01 08:30:00+02', 12.50, '{\"a\": [1, null]}'),"
		" (2, 'Bob', NULL, NULL, NULL, NULL, NULL, NULL, NULL);"
		"CREATE SCHEMA other; CREATE TABLE other.things (id int);");
	open_engine(&t, server.uri, NULL);
	return 0;
}

static int stop(void **state)
{
	close_engine(&t);
	return stop_server(state);
}

/* --- values --- */

static void rows_are_json(void **state)
{
	const ag_sql_result *r;

	(void)state;
	assert_rows(&t, "SELECT 1", "[[1]]");
	r = run_sql(&t, "SELECT * FROM users ORDER BY id");
	assert_ran(r);
	assert_string_equal(r->rows.ptr,
	                    "[[1,\"Ann\",19.90,\"happy\",[\"a\",\"b c\"],\"1999-12-31\","
	                    "\"2026-03-01T06:30:00+00:00\",12.50,{\"a\": [1, null]}],"
	                    "[2,\"Bob\",null,null,null,null,null,null,null]]");
	assert_int_equal(r->nrow, 2);
	assert_int_equal(r->rows_seen, 2);
	assert_int_equal(r->cut, AG_SQL_WHOLE);
	assert_string_equal(r->sql_executed.ptr, "SELECT * FROM users ORDER BY id");
	assert_true(r->exec_us > 0 && r->wait_us >= 0);
}

static void columns_have_names_and_types(void **state)
{
	static const char *const types[] = {
		"bigint", "character varying(40)",    "numeric(10,2)", "mood", "text[]",
		"date",   "timestamp with time zone", "numeric(5,2)",  "jsonb"
	};
	const ag_sql_result *r;

	(void)state;
	r = run_sql(&t, "SELECT * FROM users LIMIT 0");
	assert_ran(r);
	assert_string_equal(r->rows.ptr, "[]");
	assert_int_equal(r->ncolumn, AG_NELEM(types));
	assert_string_equal(r->columns[0].name.ptr, "id");
	for (size_t i = 0; i < AG_NELEM(types); i++)
		assert_string_equal(r->columns[i].type.ptr, types[i]);
	r = run_sql(&t, "SELECT 1 AS \"a \"\"b\", 2 AS \"a \"\"b\", 'x'");
	assert_int_equal(r->ncolumn, 3);
	assert_string_equal(r->columns[1].name.ptr, "a \"b");
	assert_string_equal(r->columns[2].name.ptr, "?column?");
	assert_rows(&t, "SELECT FROM users", "[[],[]]");
}

static void every_kind_of_value(void **state)
{
	(void)state;
	assert_rows(&t, "SELECT true, false, NULL::bool", "[[true,false,null]]");
	assert_rows(&t, "SELECT 9007199254740991::int8, 9007199254740992::int8",
	            "[[9007199254740991,\"9007199254740992\"]]");
	assert_rows(&t, "SELECT 0.1::float4, 0.1::float8 + 0.2, 'NaN'::float8, 1e20::float8",
	            "[[0.1,0.30000000000000004,\"NaN\",1e+20]]");
	assert_rows(
		&t,
		"SELECT 1.50, 1.0 / 3, 'Infinity'::numeric, sum(i) FROM generate_series(1, 4) i",
		"[[1.50,\"0.33333333333333333333\",\"Infinity\",10]]");
	assert_rows(&t, "SELECT '\\xdeadbeef'::bytea, 'a\\b', E'a\\nb', U&'\\00e4'",
	            "[[\"\\\\xdeadbeef\",\"a\\\\b\",\"a\\nb\",\"\xC3\xA4\"]]");
	assert_rows(&t, "SELECT '{\n\"a\":\n1}'::json, '[1,2]'::jsonb", "[[{ \"a\": 1},[1, 2]]]");
	assert_rows(
		&t,
		"SELECT timestamp '2026-03-01 08:30', time '08:30', timetz '08:30+02',"
		" interval '1 day 02:00', date 'infinity', timestamptz '0044-03-15 12:00+00 BC'",
		"[[\"2026-03-01T08:30:00\",\"08:30:00\",\"08:30:00+02:00\",\"P1DT2H\","
		"\"infinity\",\"0044-03-15 12:00:00+00 BC\"]]");
	assert_rows(&t, "SELECT 'c0ffee00-0000-0000-0000-000000000000'::uuid, '10.0.0.1/8'::inet",
	            "[[\"c0ffee00-0000-0000-0000-000000000000\",\"10.0.0.1/8\"]]");
	assert_rows(&t, "SELECT int4range(1, 5), ROW(1, 'a b'), '(1,2)'::point, 12.5::money",
	            "[[\"[1,5)\",\"(1,\\\"a b\\\")\",\"(1,2)\",\"$12.50\"]]");
	assert_rows(&t, "SELECT ARRAY[[1,2],[3,NULL]], '[5:6]={a,\"NULL\"}'::text[], '{}'::int[]",
	            "[[[[1,2],[3,null]],[\"a\",\"NULL\"],[]]]");
	assert_rows(&t,
	            "SELECT ARRAY['sad','ok']::mood[], ARRAY[1.5::percent], ARRAY[now() IS NULL]",
	            "[[[\"sad\",\"ok\"],[1.50],[false]]]");
	assert_rows(&t, "SELECT '{\"(1,1),(0,0)\";NULL}'::box[]", "[[[\"(1,1),(0,0)\",null]]]");
}

/* A type that was made after the pool had read them: the statement runs once more, with its name. */
static void a_new_type_is_learnt(void **state)
{
	(void)state;
	assert_rows(&t, "SELECT 1", "[[1]]");
	test_postgres_tell(&server, "CREATE TYPE weather AS ENUM ('rain', 'snow');"
	                            "CREATE TYPE pair AS (a int, b text);");
	assert_rows(&t, "SELECT ARRAY['rain']::weather[], 'snow'::weather, ROW(1, 'x')::pair",
	            "[[[\"rain\"],\"snow\",\"(1,x)\"]]");
	assert_string_equal(t.r.columns[0].type.ptr, "weather[]");
	assert_string_equal(t.r.columns[1].type.ptr, "weather");
	assert_string_equal(t.r.columns[2].type.ptr, "pair");
	assert_rows(&t, "SELECT users FROM users WHERE id = 2", "[[\"(2,Bob,,,,,,,)\"]]");
}

/* --- caps --- */

static void the_row_after_the_cap_proves_the_cut(void **state)
{
	const ag_sql_result *r;

	(void)state;
	t.limits.max_rows = 3;
	r = run_sql(&t, "SELECT i FROM generate_series(1, 3) i");
	assert_string_equal(r->rows.ptr, "[[1],[2],[3]]");
	assert_int_equal(r->cut, AG_SQL_WHOLE);
	r = run_sql(&t, "SELECT i FROM generate_series(1, 4) i");
	assert_string_equal(r->rows.ptr, "[[1],[2],[3]]");
	assert_int_equal(r->cut, AG_SQL_CUT_ROWS);
	assert_int_equal(r->nrow, 3);
	assert_int_equal(r->rows_seen, 4);
	t.limits.max_rows = 0;
	r = run_sql(&t, "SELECT i FROM generate_series(1, 4) i");
	assert_string_equal(r->rows.ptr, "[]");
	assert_int_equal(r->cut, AG_SQL_CUT_ROWS);
	t.limits.max_rows = 500;
}

static void bytes_stop_at_a_whole_row(void **state)
{
	const ag_sql_result *r;

	(void)state;
	for (size_t max = 2; max < 40; max++) {
		size_t fit = max < 3 ? 0 : (max - 1) / 8; /* ["aaaa"] is 8 bytes, with a comma 9 */

		fit = max < 10 ? 0 : 1 + (max - 10) / 9;
		t.limits.max_bytes = max;
		r = run_sql(&t, "SELECT 'aaaa' FROM generate_series(1, 3)");
		assert_ran(r);
		assert_true(r->rows.len <= max);
		assert_int_equal(r->nrow, fit > 3 ? 3 : fit);
		assert_int_equal(r->cut, fit >= 3 ? AG_SQL_WHOLE : AG_SQL_CUT_BYTES);
		assert_int_equal(r->rows_seen, fit >= 3 ? 3 : fit + 1);
		assert_int_equal(r->rows.ptr[r->rows.len - 1], ']');
	}
	t.limits.max_bytes = 1024 * 1024;
}

static size_t memory_kb(const char *what)
{
	char line[200];
	size_t kb = 0, n = strlen(what);
	FILE *f = fopen("/proc/self/status", "r");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, what, n) == 0)
			kb = strtoul(line + n + 1, NULL, 10);
	}
	fclose(f);
	return kb;
}

static void reset_peak(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "w");

	assert_non_null(f);
	fputs("5", f);
	fclose(f);
}

#if defined(AG_HAS_ASAN)
#define IS_SANITIZED 1 /* its allocator keeps what was freed */
#else
#define IS_SANITIZED 0
#endif

/* What the statement adds to the peak of this process. */
static size_t peak_of(const char *sql)
{
	size_t before;

	run_sql(&t, "SELECT 1");
	reset_peak();
	before = memory_kb("VmRSS:");
	run_sql(&t, sql);
	return memory_kb("VmHWM:") - before;
}

static void a_huge_value_is_never_held(void **state)
{
	size_t kb = peak_of("SELECT 1 AS n, repeat('x', 64 * 1024 * 1024) AS big");

	(void)state;
	assert_ran(&t.r);
	assert_string_equal(t.r.rows.ptr, "[]");
	assert_int_equal(t.r.cut, AG_SQL_CUT_BYTES);
	assert_int_equal(t.r.rows_seen, 1);
	assert_int_equal(t.r.ncolumn, 2); /* asked for apart: they come with the first row only */
	assert_string_equal(t.r.columns[1].name.ptr, "big");
	print_message("64 MiB value: %zu KB more\n", kb);
	assert_true(kb < 8 * 1024);
	kb = peak_of("SELECT i, repeat('x', CASE i WHEN 3 THEN 200000000 ELSE 1 END)"
	             " FROM generate_series(1, 5) i");
	assert_string_equal(t.r.rows.ptr, "[[1,\"x\"],[2,\"x\"]]");
	assert_int_equal(t.r.cut, AG_SQL_CUT_BYTES);
	assert_int_equal(t.r.rows_seen, 3);
	print_message("200 MB value in row 3: %zu KB more\n", kb);
	assert_true(kb < 8 * 1024);
	assert_rows(&t, "SELECT 1", "[[1]]");
}

static void a_huge_result_is_never_held(void **state)
{
	const char *sql = "SELECT generate_series(1, 1000000000), repeat('x', 20)";
	int64_t from = ag_time_mono_us();
	size_t kb;

	(void)state;
	kb = peak_of(sql);
	assert_ran(&t.r);
	assert_int_equal(t.r.cut, AG_SQL_CUT_ROWS);
	assert_int_equal(t.r.nrow, 500);
	t.limits.max_rows = 100000;
	kb = peak_of(sql);
	assert_ran(&t.r);
	assert_int_equal(t.r.cut, AG_SQL_CUT_BYTES);
	assert_true(t.r.rows.len <= 1024 * 1024 && t.r.rows.len > 1024 * 1024 - 100);
	assert_int_equal(t.r.rows_seen, t.r.nrow + 1);
	kb = peak_of("SELECT generate_series(1, 1000000), repeat('x', 20000)"); /* 20 GB */
	assert_int_equal(t.r.cut, AG_SQL_CUT_BYTES);
	print_message("20 GB result: %zu KB more\n", kb);
	assert_true(kb < (IS_SANITIZED ? 32 : 8) * 1024);
	assert_true(ag_time_mono_us() - from < 20 * INT64_C(1000000));
	t.limits.max_rows = 500;
	/* And no one of them runs on. */
	assert_rows(&t,
	            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND"
	            " query LIKE '%repeat%' AND pid <> pg_backend_pid()",
	            "[[0]]");
}

/* What comes after the cut is not this result's failure. */
static void an_error_behind_the_cut_is_none(void **state)
{
	(void)state;
	t.limits.max_rows = 2;
	assert_rows(&t, "SELECT 1 / (4 - i) FROM generate_series(1, 9) i", "[[0],[0]]");
	assert_int_equal(t.r.cut, AG_SQL_CUT_ROWS);
	t.limits.max_rows = 500;
	assert_fails(&t, "SELECT 1 / (4 - i) FROM generate_series(1, 9) i", AG_SQLCODE_VALIDATION,
	             "22012");
	assert_int_equal(t.r.nrow, 0);
}

/* --- failures --- */

static void failures_have_the_words_of_the_server(void **state)
{
	const ag_sql_failure *f = &t.r.failure;

	(void)state;
	assert_fails(&t, "SELECT nmae FROM users", AG_SQLCODE_VALIDATION, "42703");
	assert_string_equal(f->message.ptr, "column \"nmae\" does not exist");
	assert_string_equal(f->class_name, "column_not_found");
	assert_int_equal(f->position, 8);
	assert_true(ag_str_contains(f->hint, AG_S("users.name")));
	assert_false(f->is_connection_lost);
	assert_fails(&t, "SELECT '\xC3\xA4', x", AG_SQLCODE_VALIDATION, "42703");
	assert_int_equal(f->position, 13); /* in characters */
	assert_fails(&t, "SELEC 1", AG_SQLCODE_VALIDATION, "42601");
	assert_fails(&t, "SELECT 1; SELECT 2", AG_SQLCODE_VALIDATION, "42601");
	assert_fails(&t, "", AG_SQLCODE_VALIDATION, "42601");
	assert_fails(&t, "-- nothing", AG_SQLCODE_VALIDATION, "42601");
	assert_fails(&t, "SELECT 1 / 0", AG_SQLCODE_VALIDATION, "22012");
	assert_fails(&t, "SELECT * FROM things", AG_SQLCODE_VALIDATION, "42P01");
	assert_fails(&t, "SELECT E'a\\n' || repeat('b', 5000)::int", AG_SQLCODE_VALIDATION,
	             "22P02");
	assert_true(f->message.len < 1100);
	assert_fails(&t, "INSERT INTO users (name) VALUES ('x')", AG_SQLCODE_VALIDATION, "25006");
	assert_fails(&t, "SELECT pg_catalog.set_config('no', 'x', true)", AG_SQLCODE_VALIDATION,
	             "42704");
	assert_rows(&t, "SELECT count(*) FROM users", "[[2]]");
}

static void copy_is_refused(void **state)
{
	(void)state;
	assert_fails(&t, "COPY users TO STDOUT", AG_SQLCODE_VALIDATION, "0A000");
	assert_fails(&t, "COPY users FROM STDIN", AG_SQLCODE_VALIDATION, "25006");
	assert_rows(&t, "SELECT 1", "[[1]]");
}

static void a_plan_is_one_value(void **state)
{
	ag_safe_sql safe = { .sql = AG_S("SELECT * FROM users WHERE id = 1"), .max_rows = 500 };
	ag_err err;

	(void)state;
	ag_buf_release(&t.r.rows);
	t.r = (ag_sql_result){ 0 };
	assert_int_equal(engine->explain(t.impl, &t.ctx, &safe, &t.limits, t.arena, &t.r, &err),
	                 AG_OK);
	assert_ran(&t.r);
	assert_int_equal(t.r.nrow, 1);
	assert_int_equal(strncmp(t.r.rows.ptr, "[[[", 3), 0);
	assert_null(strchr(t.r.rows.ptr, '\n'));
	assert_non_null(strstr(t.r.rows.ptr, "\"Total Cost\": "));
	assert_string_equal(t.r.sql_executed.ptr,
	                    "EXPLAIN (FORMAT JSON) SELECT * FROM users WHERE id = 1");
}

/* --- the session --- */

static void the_session_is_as_the_guard_assumes(void **state)
{
	(void)state;
	assert_rows(
		&t,
		"SELECT current_setting('transaction_read_only'), current_setting('search_path'),"
		" current_setting('standard_conforming_strings'), current_setting('TimeZone'),"
		" current_setting('client_encoding'), current_setting('statement_timeout'),"
		" current_setting('lock_timeout'), current_setting('application_name'),"
		" current_setting('idle_in_transaction_session_timeout')",
		"[[\"on\",\"pg_catalog,\\\"public\\\",pg_temp\",\"on\",\"UTC\",\"UTF8\",\"30s\","
		"\"10s\",\"argus\",\"1min\"]]");
	t.limits.timeout_ms = 1234;
	assert_rows(&t, "SELECT current_setting('statement_timeout')", "[[\"1234ms\"]]");
	t.limits.timeout_ms = 30000;
	assert_rows(&t, "SELECT current_setting('statement_timeout')", "[[\"30s\"]]");
}

static void schema_role_and_password(void **state)
{
	ag_sql_opts opts = default_opts();
	char uri[200];
	pg_test o;

	(void)state;
	test_postgres_tell(&server,
	                   "CREATE ROLE reader; CREATE ROLE \"Odd \"\"one\";"
	                   "CREATE SCHEMA \"My \\ \"\"schema\";"
	                   "CREATE TABLE \"My \\ \"\"schema\".t AS SELECT 7 AS x;"
	                   "GRANT USAGE ON SCHEMA \"My \\ \"\"schema\" TO reader, \"Odd \"\"one\";"
	                   "GRANT SELECT ON \"My \\ \"\"schema\".t TO reader, \"Odd \"\"one\"");
	opts.policy.schema = AG_S("My \\ \"schema");
	opts.role = AG_S("reader");
	opts.application = AG_S("a b\\c");
	opts.password = AG_S("secret");
	snprintf(uri, sizeof(uri), "postgres://postgres@127.0.0.1:%d/postgres", server.port);
	open_engine(&o, uri, &opts);
	assert_rows(
		&o,
		"SELECT x, current_user, session_user, current_setting('application_name') FROM t",
		"[[7,\"reader\",\"postgres\",\"a b\\\\c\"]]");
	assert_fails(&o, "SELECT * FROM public.users", AG_SQLCODE_PERMISSION, "42501");
	close_engine(&o);
	opts.role = AG_S("Odd \"one");
	open_engine(&o, uri, &opts);
	assert_rows(&o, "SELECT x, current_user FROM t", "[[7,\"Odd \\\"one\"]]");
	close_engine(&o);
}

static void rows_of_our_own(void **state)
{
	ag_str params[] = { AG_S("a'b"), AG_S("{1,2}") };
	ag_sql_failure failure;
	ag_postgres_table table;
	ag_err err;

	(void)state;
	assert_int_equal(
		ag_postgres_rows(
			t.impl, &t.ctx,
			&(ag_postgres_question){
				.sql = "SELECT $1::text, i, NULL, '' FROM unnest($2::int[]) i",
				.params = params,
				.nparam = 2 },
			t.arena, &table, &failure, &err),
		AG_OK);
	assert_int_equal(failure.code, AG_SQLCODE_NONE);
	assert_int_equal(table.nrow, 2);
	assert_int_equal(table.ncolumn, 4);
	assert_string_equal(ag_postgres_cell(&table, 0, 0).ptr, "a'b");
	assert_string_equal(ag_postgres_cell(&table, 1, 1).ptr, "2");
	assert_null(ag_postgres_cell(&table, 1, 2).ptr);
	assert_non_null(ag_postgres_cell(&table, 1, 3).ptr);
	assert_int_equal(
		ag_postgres_rows(t.impl, &t.ctx,
	                         &(ag_postgres_question){
					 .sql = "SELECT i FROM generate_series(1, 1000) i" },
	                         t.arena, &table, &failure, &err),
		AG_OK);
	assert_int_equal(table.nrow, 1000);
	assert_string_equal(ag_postgres_cell(&table, 999, 0).ptr, "1000");
	assert_int_equal(ag_postgres_rows(t.impl, &t.ctx,
	                                  &(ag_postgres_question){ .sql = "SELECT 1/0" }, t.arena,
	                                  &table, &failure, &err),
	                 AG_OK);
	assert_string_equal(failure.sqlstate, "22012");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_json),
		cmocka_unit_test(columns_have_names_and_types),
		cmocka_unit_test(every_kind_of_value),
		cmocka_unit_test(a_new_type_is_learnt),
		cmocka_unit_test(the_row_after_the_cap_proves_the_cut),
		cmocka_unit_test(bytes_stop_at_a_whole_row),
		cmocka_unit_test(a_huge_value_is_never_held),
		cmocka_unit_test(a_huge_result_is_never_held),
		cmocka_unit_test(an_error_behind_the_cut_is_none),
		cmocka_unit_test(failures_have_the_words_of_the_server),
		cmocka_unit_test(copy_is_refused),
		cmocka_unit_test(a_plan_is_one_value),
		cmocka_unit_test(the_session_is_as_the_guard_assumes),
		cmocka_unit_test(schema_role_and_password),
		cmocka_unit_test(rows_of_our_own),
	};

	RUN_WITH_SERVER(tests, setup, stop);
}
