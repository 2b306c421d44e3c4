/* What a statement leaves behind in its session when no guard stood before it: nothing for the next one.
 *
 * One connection, so that the next call surely meets what the last one left, if anything. */
#include "unit/postgres_engine.h"

static pg_test t;

static int setup(void **state)
{
	ag_sql_opts opts = default_opts();

	(void)state;
	test_postgres_tell(
		&server, "CREATE TABLE users (id int); INSERT INTO users VALUES (1);"
			 "CREATE SEQUENCE counter;"
			 "CREATE ROLE reader;"
			 "CREATE FUNCTION public.sneaky() RETURNS int LANGUAGE plpgsql AS $$ BEGIN"
			 " PERFORM pg_advisory_lock(99); EXECUTE 'PREPARE left_here AS SELECT 1';"
			 " PERFORM set_config('work_mem', '99MB', false); RETURN 1; END $$;"
			 /* Puts its own statements in the place of ours. */
			 "CREATE FUNCTION public.usurper() RETURNS int LANGUAGE plpgsql AS $$ BEGIN"
			 " EXECUTE 'DEALLOCATE ALL'; EXECUTE 'PREPARE ag_begin AS SELECT 1';"
			 " EXECUTE 'PREPARE ag_rollback AS SELECT 2'; RETURN 1; END $$;");
	opts.max_connections = 1;
	open_engine(&t, server.uri, &opts);
	return 0;
}

static int stop(void **state)
{
	close_engine(&t);
	return stop_server(state);
}

/* Everything a session can hold, as the next statement sees it and as the server does. */
static void assert_clean(const char *after)
{
	char line[200];

	assert_rows(
		&t,
		"SELECT current_user, current_setting('search_path'), current_setting('work_mem'),"
		" current_setting('transaction_read_only'), current_setting('TimeZone'),"
		" current_setting('default_transaction_read_only'),"
		" (SELECT count(*) FROM pg_prepared_statements WHERE name NOT LIKE 'ag\\_%'),"
		" (SELECT count(*) FROM pg_cursors WHERE name <> ''),"
		" (SELECT count(*) FROM pg_class WHERE relnamespace = pg_my_temp_schema()),"
		" (SELECT count(*) FROM pg_listening_channels())",
		"[[\"postgres\",\"pg_catalog,\\\"public\\\",pg_temp\",\"4MB\",\"on\",\"UTC\",\"on\","
		"0,0,0,0]]");
	test_postgres_ask(
		&server,
		"SELECT (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')"
		" + (SELECT count(*) FROM pg_stat_activity WHERE application_name = 'argus'"
		" AND state <> 'idle') + (SELECT count(*) FROM users) - 1",
		line, sizeof(line));
	if (strcmp(line, "0") != 0)
		print_error("left by: %s\n", after);
	assert_string_equal(line, "0");
}

static void nothing_survives(void **state)
{
	static const char *const hostile[] = {
		"SELECT set_config('role', 'reader', false)",
		"SELECT set_config('work_mem', '99MB', false)",
		"SELECT set_config('default_transaction_read_only', 'off', false)",
		"SELECT set_config('transaction_read_only', 'off', true)",
		"SELECT set_config('search_path', 'pg_temp', false)",
		"SELECT set_config('session_authorization', 'reader', false)",
		"SELECT pg_advisory_lock(1)",
		"SELECT pg_advisory_lock(i) FROM generate_series(1, 100) i",
		"SELECT 1 / (PG_TRY_ADVISORY_LOCK_SHARED(2)::int - 1)",
		"SELECT setseed(0.5)",
		"SET work_mem = '99MB'",
		"SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
		"SET TRANSACTION READ WRITE",
		"SET ROLE reader",
		"SET SESSION AUTHORIZATION reader",
		"SET default_transaction_read_only = off",
		"RESET ALL",
		"PREPARE left_here AS SELECT 1",
		"DEALLOCATE ALL",
		"DECLARE left_here CURSOR WITH HOLD FOR SELECT 1",
		"CREATE TEMP TABLE left_here (id int)",
		"CREATE TABLE left_here (id int)",
		"INSERT INTO users VALUES (2)",
		"LISTEN left_here",
		"NOTIFY left_here",
		"LOAD 'auto_explain'",
		"BEGIN",
		"COMMIT",
		"COMMIT AND CHAIN",
		"ROLLBACK",
		"ROLLBACK AND CHAIN",
		"SAVEPOINT s",
		"PREPARE TRANSACTION 'left_here'",
		"DISCARD ALL",
		"DO $$ BEGIN PERFORM set_config('work_mem', '99MB', false); COMMIT; END $$",
		"LOCK TABLE users IN ACCESS EXCLUSIVE MODE",
		"SELECT * FROM users FOR UPDATE",
		"SELECT nextval('counter')",
		"COPY users TO STDOUT",
		"COPY users TO PROGRAM 'cat'",
		"VACUUM users",
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(hostile); i++) {
		run_sql(&t, hostile[i]);
		assert_clean(hostile[i]);
	}
}

/* A function of the project's own may do what its text does not show: the dispatcher says so. */
static void what_the_guard_cannot_vouch_for_is_discarded(void **state)
{
	static const char *const hostile[] = { "SELECT sneaky()", "SELECT sneaky() / 0",
		                               "SELECT usurper()" };

	(void)state;
	t.limits.may_leave_state = true;
	for (size_t i = 0; i < AG_NELEM(hostile); i++) {
		t.limits.may_leave_state = true;
		run_sql(&t, hostile[i]);
		t.limits.may_leave_state = false;
		assert_clean(hostile[i]);
	}
}

/* Even when nobody said so, statements in the place of BEGIN and ROLLBACK are noticed by their answers. */
static void a_false_begin_is_noticed(void **state)
{
	(void)state;
	assert_fails(&t, "SELECT usurper()", AG_SQLCODE_CONNECTION, "08P01");
	run_sql(&t, "SELECT 1");
	assert_clean("usurper");
	assert_fails(&t, "INSERT INTO users VALUES (3)", AG_SQLCODE_VALIDATION, "25006");
}

/* The connection itself is kept where nothing was left: it is the speed of the whole. */
static void harmless_statements_share_a_connection(void **state)
{
	char pid[40];

	(void)state;
	snprintf(pid, sizeof(pid), "%s", run_sql(&t, "SELECT pg_backend_pid()")->rows.ptr);
	assert_rows(&t, "SELECT pg_backend_pid()", pid);
	run_sql(&t, "SELECT 1/0");
	run_sql(&t, "SELECT nothing");
	run_sql(&t, "SELECT pg_advisory_lock(1)");
	t.limits.may_leave_state = true;
	run_sql(&t, "SELECT sneaky()");
	t.limits.may_leave_state = false;
	t.limits.max_rows = 2;
	run_sql(&t, "SELECT generate_series(1, 100000000)");
	t.limits.max_rows = 500;
	run_sql(&t, "EXPLAIN SELECT 1");
	assert_rows(&t, "SELECT pg_backend_pid()", pid);
	run_sql(&t, "SHOW work_mem");
	assert_string_not_equal(run_sql(&t, "SELECT pg_backend_pid()")->rows.ptr, pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_survives),
		cmocka_unit_test(what_the_guard_cannot_vouch_for_is_discarded),
		cmocka_unit_test(a_false_begin_is_noticed),
		cmocka_unit_test(harmless_statements_share_a_connection),
	};

	RUN_WITH_SERVER(tests, setup, stop);
}
