/* Servers that are not there: crashed, restarted, refusing, silent; a connection that the server closed while it was idle;
 * addresses that are none; TLS. */
#include "unit/postgres_engine.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

#include "base/log.h"
#include "base/time.h"

static int setup(void **state)
{
	(void)state;
	return 0;
}

static int64_t now_ms(void)
{
	return ag_time_mono_us() / 1000;
}

static void idle_connections_that_died_are_not_noticed(void **state)
{
	pg_test t;

	(void)state;
	open_engine(&t, server.uri, NULL);
	for (int i = 0; i < 3; i++) {
		assert_rows(&t, "SELECT 1", "[[1]]");
		test_postgres_tell(&server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
		                            " WHERE application_name = 'argus'");
		if (i == 2)
			usleep(1100000); /* long enough to be looked at before its use */
	}
	assert_rows(&t, "SELECT 1", "[[1]]");
	close_engine(&t);
}

static void *sleep_a_while(void *arg)
{
	pg_test *t = (pg_test *)arg;
	ag_safe_sql safe = { .sql = AG_S("SELECT pg_sleep(0.3)"), .max_rows = 1 };
	ag_arena *arena = ag_arena_new();
	ag_sql_result r = { 0 };
	ag_err err;

	AG_ASSERT(engine->run(t->impl, &t->ctx, &safe, &t->limits, arena, &r, &err) == AG_OK);
	AG_ASSERT(r.is_ok);
	ag_buf_release(&r.rows);
	ag_arena_free(arena);
	return NULL;
}

/* All of them at once: the second attempt must not meet the next dead one. */
static void a_pool_that_died_is_not_noticed(void **state)
{
	ag_sql_health health = { 0 };
	pthread_t threads[4];
	pg_test t;

	(void)state;
	open_engine(&t, server.uri, NULL);
	for (size_t i = 0; i < AG_NELEM(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, sleep_a_while, &t), 0);
	for (size_t i = 0; i < AG_NELEM(threads); i++)
		pthread_join(threads[i], NULL);
	engine->health(t.impl, &health);
	assert_int_equal(health.nopen, AG_NELEM(threads));
	test_postgres_tell(&server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
	                            " WHERE application_name = 'argus'");
	assert_rows(&t, "SELECT 1", "[[1]]");
	engine->health(t.impl, &health);
	assert_int_equal(health.nopen, 1);
	close_engine(&t);
}

static void a_restart_is_survived(void **state)
{
	ag_sql_health health = { 0 };
	pg_test t;

	(void)state;
	open_engine(&t, server.uri, NULL);
	assert_rows(&t, "SELECT 1", "[[1]]");
	assert_int_equal(test_postgres_do(&server, "crash"), 0);
	run_sql(&t, "SELECT 1");
	assert_false(t.r.is_ok);
	assert_int_equal(t.r.failure.code, AG_SQLCODE_CONNECTION);
	assert_true(t.r.failure.is_connection_lost);
	assert_true(t.r.failure.message.len > 0);
	engine->health(t.impl, &health);
	assert_int_equal(health.nopen, 0);
	assert_int_equal(test_postgres_do(&server, "again"), 0);
	assert_rows(&t, "SELECT 1", "[[1]]");
	close_engine(&t);
}

/* A listener of ours; its port. */
static int listener(int *ret_fd)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);

	*ret_fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(*ret_fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(*ret_fd, 8), 0);
	assert_int_equal(getsockname(*ret_fd, (struct sockaddr *)&at, &size), 0);
	return ntohs(at.sin_port);
}

static void a_server_that_says_nothing_is_not_waited_for(void **state)
{
	ag_sql_opts opts = default_opts();
	atomic_bool flag = true;
	char uri[100];
	int64_t from;
	int fd;
	pg_test t;

	(void)state;
	snprintf(uri, sizeof(uri), "postgresql://a:b@127.0.0.1:%d/x", listener(&fd));
	opts.connect_timeout_ms = 300;
	open_engine(&t, uri, &opts);
	from = now_ms();
	run_sql(&t, "SELECT 1");
	assert_int_equal(t.r.failure.code, AG_SQLCODE_CONNECTION);
	assert_string_equal(t.r.failure.sqlstate, "08001");
	assert_true(now_ms() - from < 2000);
	t.ctx.cancel = &flag;
	run_sql(&t, "SELECT 1");
	assert_int_equal(t.r.failure.code, AG_SQLCODE_CANCELLED);
	close(fd);
	usleep(400000);
	t.ctx.cancel = NULL;
	run_sql(&t, "SELECT 1"); /* nobody listens any more */
	assert_int_equal(t.r.failure.code, AG_SQLCODE_CONNECTION);
	assert_true(ag_str_contains(t.r.failure.message, AG_S("refused")));
	close_engine(&t);
}

static void failed_logins_say_why_without_the_password(void **state)
{
	char uri[200];
	pg_test t;

	(void)state;
	snprintf(uri, sizeof(uri), "postgresql://postgres:wrong-Passw0rd@127.0.0.1:%d/postgres",
	         server.port);
	open_engine(&t, uri, NULL);
	assert_fails(&t, "SELECT 1", AG_SQLCODE_CONNECTION, "28P01");
	assert_true(ag_str_contains(t.r.failure.message, AG_S("password authentication failed")));
	assert_false(ag_str_contains(t.r.failure.message, AG_S("Passw0rd")));
	assert_false(ag_str_contains(t.r.failure.message, AG_S("28P01")));
	assert_null(memchr(t.r.failure.message.ptr, '\n', t.r.failure.message.len));
	assert_string_equal(t.r.sql_executed.ptr, "");
	close_engine(&t);
	snprintf(uri, sizeof(uri), "postgresql://postgres:secret@127.0.0.1:%d/nowhere",
	         server.port);
	open_engine(&t, uri, NULL);
	assert_fails(&t, "SELECT 1", AG_SQLCODE_CONNECTION, "3D000");
	assert_string_equal(ag_str_dup(t.arena, engine->shown(t.impl)).ptr + 22, strrchr(uri, ':'));
	close_engine(&t);
	{
		ag_sql_opts opts = default_opts();

		opts.role = AG_S("nobody_such");
		open_engine(&t, server.uri, &opts);
		run_sql(&t, "SELECT 1");
		assert_false(t.r.is_ok);
		assert_true(ag_str_contains(t.r.failure.message, AG_S("nobody_such")));
		close_engine(&t);
	}
}

/* A database whose texts the guard would not read as the server does. */
static void other_encodings_and_settings_are_refused(void **state)
{
	char uri[400];
	pg_test t;

	(void)state;
	test_postgres_tell(&server, "CREATE DATABASE old ENCODING 'LATIN1' TEMPLATE template0"
	                            " LOCALE 'C'");
	snprintf(uri, sizeof(uri), "postgresql://postgres@/old?host=%s&port=%d", server.folder,
	         server.port);
	open_engine(&t, uri, NULL);
	run_sql(&t, "SELECT 1");
	assert_false(t.r.is_ok);
	assert_true(ag_str_contains(t.r.failure.message, AG_S("server_encoding is \"LATIN1\"")));
	close_engine(&t);
	test_postgres_tell(&server, "ALTER ROLE postgres SET standard_conforming_strings = off;"
	                            "ALTER ROLE postgres SET default_transaction_read_only = off;"
	                            "ALTER ROLE postgres SET search_path = public");
	snprintf(uri, sizeof(uri),
	         "%s&options=-c%%20standard_conforming_strings%%3Doff%%20-cgeqo%%3Doff",
	         server.uri);
	open_engine(&t, uri, NULL); /* ours win, and the user's others stay */
	assert_rows(
		&t,
		"SELECT '\\', current_setting('geqo'), current_setting('transaction_read_only')",
		"[[\"\\\\\",\"off\",\"on\"]]");
	close_engine(&t);
	test_postgres_tell(&server, "ALTER ROLE postgres RESET ALL");
	setenv("PGTZ", "Asia/Tokyo", 1);
	open_engine(&t, server.uri, NULL);
	run_sql(&t, "SELECT 1");
	assert_false(t.r.is_ok);
	assert_true(ag_str_contains(t.r.failure.message, AG_S("TimeZone is \"Asia/Tokyo\"")));
	close_engine(&t);
	unsetenv("PGTZ");
}

static void addresses_that_are_none(void **state)
{
	static const char *const uris[] = {
		"postgresql://user:top%zzsecret@host/db",
		"postgresql://user:top secret@host:port/db?x",
		"postgresql://host/db?nonsense=1",
		"postgresql://host/db?replication=true",
		"postgresql://[::1/db",
	};
	ag_sql_opts opts = default_opts();
	ag_sql_impl *impl = NULL;
	char longer[9000];
	ag_err err;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(uris); i++) {
		assert_int_equal(engine->open(ag_str_c(uris[i]), &opts, &impl, &err), AG_INVALID);
		assert_null(strstr(err.msg, "secret"));
		assert_true(err.msg[0] != '\0');
	}
	memset(longer, 'a', sizeof(longer));
	memcpy(longer, "postgresql://", 13);
	assert_int_equal(engine->open(ag_str_make(longer, sizeof(longer)), &opts, &impl, &err),
	                 AG_INVALID);
	assert_int_equal(engine->open(AG_S("postgresql://a\0b"), &opts, &impl, &err), AG_INVALID);
	opts.policy.schema = ag_str_make(longer, 64);
	assert_int_equal(engine->open(AG_S("postgresql://a"), &opts, &impl, &err), AG_INVALID);
	opts.policy.schema = AG_S("");
	opts.role = AG_S("none");
	assert_int_equal(engine->open(AG_S("postgresql://a"), &opts, &impl, &err), AG_INVALID);
	assert_false(engine->accepts(AG_S("postgre://a")));
	assert_false(engine->accepts(AG_S("sqlite:x")));
}

static void what_is_shown_has_no_user(void **state)
{
	static const char *const rows[][2] = {
		{ "postgresql://me:pw@db.example:5433/shop?sslmode=disable",
		  "postgresql://db.example:5433/shop" },
		{ "postgres://db.example/shop", "postgresql://db.example/shop" },
		{ "postgresql://me@[::1]:5433/shop", "postgresql://[::1]:5433/shop" },
		{ "postgresql://me@/shop?host=/run/x&port=5433",
		  "postgresql:///shop?host=/run/x&port=5433" },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		pg_test t;

		open_engine(&t, rows[i][0], NULL);
		assert_string_equal(ag_str_dup(t.arena, engine->shown(t.impl)).ptr, rows[i][1]);
		close_engine(&t);
	}
}

/* The same statements with TLS in between: reading goes past libpq there as well. */
static void tls(void **state)
{
	char script[1200], uri[400];
	const char *argv[] = { "sh", "-c", script, NULL };
	pg_test t;

	(void)state;
	snprintf(
		script, sizeof(script),
		"cd '%s/data' && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
		" -keyout server.key -out server.crt >/dev/null 2>&1 && chmod 600 server.key &&"
		" chown --reference=PG_VERSION server.key server.crt && echo 'ssl = on' >>postgresql.conf",
		server.folder);
	if (test_spawn(argv, "", NULL, 0) != 0)
		skip(); /* no openssl program */
	test_postgres_tell(&server, "SELECT pg_reload_conf()");
	usleep(300000);
	snprintf(uri, sizeof(uri),
	         "postgresql://postgres:secret@127.0.0.1:%d/postgres?sslmode=require", server.port);
	open_engine(&t, uri, NULL);
	assert_rows(&t, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", "[[true]]");
	assert_rows(&t,
	            "SELECT count(*), sum(length(x)) FROM (SELECT repeat('x', 5000) x FROM"
	            " generate_series(1, 100)) q",
	            "[[100,500000]]");
	run_sql(&t, "SELECT repeat('x', 1000), i FROM generate_series(1, 500) i");
	assert_true(t.r.is_ok);
	assert_int_equal(t.r.nrow, 500);
	run_sql(&t, "SELECT repeat('x', 64 * 1024 * 1024)");
	assert_ran(&t.r);
	assert_int_equal(t.r.cut, AG_SQL_CUT_BYTES);
	t.limits.timeout_ms = 200;
	assert_fails(&t, "SELECT pg_sleep(20)", AG_SQLCODE_QUERY_TIMEOUT, "57014");
	t.limits.timeout_ms = 30000;
	test_postgres_tell(&server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
	                            " WHERE application_name = 'argus'");
	assert_rows(&t, "SELECT 1", "[[1]]");
	close_engine(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_connections_that_died_are_not_noticed),
		cmocka_unit_test(a_pool_that_died_is_not_noticed),
		cmocka_unit_test(a_restart_is_survived),
		cmocka_unit_test(a_server_that_says_nothing_is_not_waited_for),
		cmocka_unit_test(failed_logins_say_why_without_the_password),
		cmocka_unit_test(other_encodings_and_settings_are_refused),
		cmocka_unit_test(addresses_that_are_none),
		cmocka_unit_test(what_is_shown_has_no_user),
		cmocka_unit_test(tls),
	};

	RUN_WITH_SERVER(tests, setup, stop_server);
}
