/* What holds of a store in PostgreSQL only: servers that restart, answers that are lost, addresses and databases that will not
 * do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "store/copy.h"
#include "store/identity.h"
#include "store/jobs.h"
#include "store/ledger.h"
#include "store/objects.h"
#include "store/search_index.h"
#include "store_fixtures.h"

static const store_fixture *fixture; /* of the group that runs */

static int setup(void **state)
{
	*state = store_env_new(fixture);
	return 0;
}

static int teardown(void **state)
{
	store_env_free(*state);
	return 0;
}

/* --- a server that restarts --- */

static void a_restart_between_commits_is_not_noticed(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);

	assert_ok(env, store_env_reopen(env));
	assert_ok(env, store_test_append(env->store, env->arena, &run, 1, 3, false, &env->err));
	for (int i = 0; i < 2; i++) {
		store_server_crash();
		store_server_again();
		assert_int_equal(store_test_log_length(env->store, env->arena, &run), 3 + i);
		store_server_crash();
		store_server_again();
		assert_ok(env, store_test_append(env->store, env->arena, &run, 4 + (uint64_t)i,
		                                 4 + (uint64_t)i, false, &env->err));
	}
}

static void *restart_often(void *arg)
{
	atomic_bool *is_over = arg;

	for (int i = 0; i < 3; i++) {
		usleep(150000);
		store_server_crash();
		usleep(100000);
		store_server_again();
	}
	atomic_store(is_over, true);
	return NULL;
}

/* Each event once, though nobody but the handle sees that the server was killed. */
static void a_run_outlives_servers_that_are_killed(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);
	atomic_bool is_over = false;
	pthread_t thread;
	uint64_t n = 0;

	assert_ok(env, store_env_reopen(env));
	assert_int_equal(pthread_create(&thread, NULL, restart_often, &is_over), 0);
	while (!atomic_load(&is_over)) {
		n++;
		assert_ok(env,
		          store_test_append(env->store, env->arena, &run, n, n, n % 2, &env->err));
		if (n % 500 == 0)
			ag_arena_reset(env->arena);
	}
	pthread_join(thread, NULL);
	assert_int_equal(store_test_log_length(env->store, env->arena, &run), (int64_t)n);
}

static void a_server_that_stays_away_ends_in_words(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);

	assert_ok(env, store_env_reopen(env));
	store_server_crash();
	ag_store_set_patience(env->store, 200);
	assert_int_equal(store_test_append(env->store, env->arena, &run, 1, 1, true, &env->err),
	                 AG_UNAVAILABLE);
	assert_non_null(strstr(env->err.msg, "/s"));
	assert_null(strstr(env->err.msg, "secret"));
	assert_string_not_equal(env->err.hint, "");
	store_server_again();
	assert_ok(env, store_test_append(env->store, env->arena, &run, 1, 1, true, &env->err));
}

/* --- an answer that is lost --- */

/* Passes bytes on; when it is armed it cuts the line instead of passing on the answer to a COMMIT. */
typedef struct proxy {
	int listener;
	uint16_t port, server_port;
	atomic_bool is_armed, is_over;
	bool is_often; /* armed for every second COMMIT */
	unsigned ncommit;
	atomic_int ncut;
	pthread_t thread;
} proxy;

static int dial(uint16_t port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	AG_ASSERT(connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
	return fd;
}

static bool pass_on(proxy *p, int from, int to, bool is_answer)
{
	char bytes[65536];
	ssize_t n = recv(from, bytes, sizeof(bytes), 0);

	if (n <= 0)
		return false;
	if (is_answer && memmem(bytes, (size_t)n, "COMMIT", 7) && p->is_often && ++p->ncommit % 2)
		atomic_store(&p->is_armed, true);
	if (is_answer && atomic_load(&p->is_armed) && memmem(bytes, (size_t)n, "COMMIT", 7)) {
		atomic_store(&p->is_armed, false);
		atomic_fetch_add(&p->ncut, 1);
		return false;
	}
	return send(to, bytes, (size_t)n, MSG_NOSIGNAL) == n;
}

static void serve_one(proxy *p, int client)
{
	int server = dial(p->server_port);
	struct pollfd fds[2] = { { .fd = client, .events = POLLIN },
		                 { .fd = server, .events = POLLIN } };
	bool goes_on = true;

	while (goes_on && !atomic_load(&p->is_over)) {
		poll(fds, 2, 50);
		if (fds[0].revents)
			goes_on = pass_on(p, client, server, false);
		if (goes_on && fds[1].revents)
			goes_on = pass_on(p, server, client, true);
	}
	close(server);
	close(client);
}

static void *serve(void *arg)
{
	proxy *p = arg;

	while (!atomic_load(&p->is_over)) {
		struct pollfd fd = { .fd = p->listener, .events = POLLIN };

		if (poll(&fd, 1, 50) > 0)
			serve_one(p, accept4(p->listener, NULL, NULL, SOCK_CLOEXEC));
	}
	return NULL;
}

/* Between the store of env and its server. */
static void proxy_start(proxy *p, store_env *env)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t size = sizeof(at);
	char *colon = strrchr(env->uri, ':');

	*p = (proxy){ .server_port = (uint16_t)strtoul(colon + 1, NULL, 10) };
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	AG_ASSERT(bind(p->listener, (struct sockaddr *)&at, sizeof(at)) == 0);
	AG_ASSERT(listen(p->listener, 4) == 0);
	AG_ASSERT(getsockname(p->listener, (struct sockaddr *)&at, &size) == 0);
	p->port = ntohs(at.sin_port);
	snprintf(colon + 1, 20, "%u/s", p->port);
	AG_ASSERT(pthread_create(&p->thread, NULL, serve, p) == 0);
}

static void proxy_stop(proxy *p, store_env *env)
{
	env->store = ag_store_close(env->store);
	atomic_store(&p->is_over, true);
	pthread_join(p->thread, NULL);
	close(p->listener);
}

/* Committed, but the answer never came: the events are not written twice. */
static void a_lost_answer_does_not_repeat_events(void **state)
{
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);
	ag_run_row row = store_test_run(&run, 7, "k");
	ag_store_batch b = { .run = &row, .report = AG_S("{\"a\":1}") };
	ag_str report;
	proxy p;

	proxy_start(&p, env);
	assert_ok(env, store_env_reopen(env));
	assert_ok(env, store_test_append(env->store, env->arena, &run, 1, 5, true, &env->err));
	for (uint64_t i = 0; i < 3; i++) {
		atomic_store(&p.is_armed, true);
		assert_ok(env, store_test_append(env->store, env->arena, &run, 6 + 40 * i,
		                                 45 + 40 * i, i % 2, &env->err));
	}
	atomic_store(&p.is_armed, true);
	assert_ok(env, ag_store_commit(env->store, &run, &b, &env->err));
	assert_int_equal(atomic_load(&p.ncut), 4);
	assert_int_equal(store_test_log_length(env->store, env->arena, &run), 125);
	assert_ok(env, ag_store_report(env->store, &run, env->arena, &report, &env->err));
	/* Another writer's events are no answer of ours. */
	assert_int_equal(store_test_append(env->store, env->arena, &run, 125, 125, true, &env->err),
	                 AG_CONFLICT);
	proxy_stop(&p, env);
}

static void a_lost_answer_does_not_repeat_audit_rows(void **state)
{
	store_env *env = *state;
	ag_ledger_row rows[3] = { 0 };
	ag_ledger_check k = { 0 };
	proxy p;

	proxy_start(&p, env);
	assert_ok(env, store_env_reopen(env));
	for (int i = 0; i < 6; i++) {
		atomic_store(&p.is_armed, i % 2);
		assert_ok(env, ag_store_ledger_append(env->store, rows, 3, true, &env->err));
		assert_int_equal(rows[2].seq, 3 * (i + 1));
	}
	assert_int_equal(atomic_load(&p.ncut), 3);
	assert_ok(env, ag_store_ledger_verify(env->store, env->arena, &k, &env->err));
	assert_int_equal(k.broken_at, 0);
	assert_int_equal(k.nrow, 18);
	proxy_stop(&p, env);
}

/* Jobs, schedules, projects, members, tokens, objects and a purge: each write finds out what its lost answer was. */
static void a_lost_answer_does_not_repeat_other_writes(void **state)
{
	static const char hash[] =
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	const ag_job job = { .queue = AG_S("main"), .kind = AG_S("audit"), .payload = AG_S("{}") };
	const ag_job_wish wish = {
		.queue = AG_S("main"), .owner = AG_S("ann"), .now_ms = 2000, .lease_ms = 60000
	};
	const ag_job_end done = { .state = AG_JOB_DONE };
	const ag_schedule plan = { .name = AG_S("nightly"),
		                   .cron = AG_S("0 3 * * *"),
		                   .zone = AG_S("UTC"),
		                   .queue = AG_S("main"),
		                   .kind = AG_S("audit"),
		                   .payload = AG_S("{}"),
		                   .created_ms = 1,
		                   .next_ms = 2 };
	const ag_project_row project = { .id = AG_S("shop"),
		                         .settings = AG_S("{}"),
		                         .is_active = true };
	const ag_token_row token = { .id = AG_S("0123456789ab"),
		                     .name = AG_S("ci"),
		                     .user = AG_S("ann"),
		                     .hash = ag_str_c(hash),
		                     .ceiling = AG_ROLE_VIEWER,
		                     .created_ms = 1 };
	ag_object_row object = { .project = AG_S("shop"),
		                 .kind = AG_S("entry"),
		                 .key = ag_str_c(hash),
		                 .name = AG_S("n"),
		                 .status = AG_S("active"),
		                 .body = AG_S("{}"),
		                 .created_ms = 1,
		                 .changed_ms = 1 };
	ag_member_row member = { AG_S("shop"), AG_S("ann"), AG_ROLE_VIEWER };
	store_env *env = *state;
	bool flag = false;
	uint64_t nrun;
	size_t n;
	ag_job j;
	proxy p;

	proxy_start(&p, env);
	assert_ok(env, store_env_reopen(env));
#define CUT(call)                                       \
	do {                                            \
		atomic_store(&p.is_armed, true);        \
		assert_ok(env, call);                   \
		assert_false(atomic_load(&p.is_armed)); \
	} while (0)
	CUT(ag_store_add_jobs(env->store, &job, 1, 1000, NULL, &n, &env->err));
	CUT(ag_store_take_job(env->store, &wish, env->arena, &j, &flag, &env->err));
	assert_true(flag);
	assert_int_equal(j.attempts, 1);
	CUT(ag_store_beat_job(env->store, &j, 3000, 60000, &flag, &env->err));
	CUT(ag_store_end_job(env->store, &j, &done, 4000, &env->err));
	CUT(ag_store_add_schedule(env->store, &plan, &env->err));
	assert_int_equal(ag_store_add_schedule(env->store, &plan, &env->err), AG_CONFLICT);
	CUT(ag_store_queue_scheduled(env->store, &plan, &job, 2, 9, 5, &flag, &env->err));
	assert_true(flag);
	CUT(ag_store_drop_schedule(env->store, plan.name, &env->err));
	CUT(ag_store_put_project(env->store, &project, &env->err));
	CUT(ag_store_put_member(env->store, &member, &env->err));
	CUT(ag_store_put_token(env->store, &token, &env->err));
	assert_int_equal(ag_store_put_token(env->store, &token, &env->err), AG_CONFLICT);
	CUT(ag_store_revoke_token(env->store, token.id, 5, &env->err));
	member.role = AG_ROLE_NONE;
	CUT(ag_store_put_member(env->store, &member, &env->err));
	CUT(ag_store_put_objects(env->store, &object, 1, &env->err));
	assert_int_equal(ag_store_put_objects(env->store, &object, 1, &env->err), AG_CONFLICT);
	object.version = 1;
	CUT(ag_store_put_objects(env->store, &object, 1, &env->err));
	CUT(ag_store_use_objects(env->store, object.project, object.kind, &object.key, 1, 77,
	                         &env->err));
	assert_ok(env, ag_store_object(env->store, object.project, object.kind, object.key,
	                               env->arena, &object, &env->err));
	assert_int_equal(object.version, 2);
	assert_int_equal(object.uses, 1);
	CUT(ag_store_drop_object(env->store, object.project, object.kind, object.key, &env->err));
	assert_int_equal(ag_store_drop_object(env->store, object.project, object.kind, object.key,
	                                      &env->err),
	                 AG_NOT_FOUND);
	CUT(ag_store_drop_project(env->store, project.id, &env->err));
	assert_int_equal(ag_store_drop_project(env->store, project.id, &env->err), AG_NOT_FOUND);
	CUT(ag_store_put_text(env->store, AG_S("k"), AG_S("text"), 1, &env->err));
	CUT(ag_store_purge(env->store, 4500, &nrun, &env->err));
#undef CUT
	assert_str(store_env_sql(env, "SELECT count(*) || '/' || min(state) FROM argus.jobs"),
	           "1/queued");
	proxy_stop(&p, env);
}

/* Each second answer to a commit is lost: the copy is the same. */
static void a_copy_outlives_lost_answers(void **state)
{
	store_env *env = *state;
	const ag_id run = ag_id_new(&ag_clock_system);
	ag_run_row row = store_test_run(&run, 7, "k");
	const ag_store_batch b = { .run = &row, .report = AG_S("{\"a\":1}") };
	ag_ledger_row rows[300] = { 0 };
	const ag_index_change file = { .file = { .path = AG_S("a.c") } };
	ag_ledger_check k = { 0 };
	ag_store *from = NULL;
	ag_store_copied n;
	proxy p;

	assert_ok(env, ag_store_open(AG_S("memory:"), &from, &env->err));
	assert_ok(env, ag_store_commit(from, &run, &b, &env->err));
	assert_ok(env, store_test_append(from, env->arena, &run, 1, 600, true, &env->err));
	for (int i = 0; i < 2; i++)
		assert_ok(env, ag_store_ledger_append(from, rows, 300, true, &env->err));
	proxy_start(&p, env);
	assert_ok(env, store_env_reopen(env));
	p.is_often = true;
	for (int i = 0; i < 2; i++) {
		assert_ok(env, ag_store_copy(from, env->store, NULL, &n, &env->err));
		assert_int_equal(n.nevent, i ? 0 : 600);
		assert_int_equal(n.nledger, i ? 0 : 600);
	}
	assert_ok(env, ag_store_index_update(env->store, AG_S("shop"), &file, 1, &env->err));
	assert_true(atomic_load(&p.ncut) > 8);
	assert_int_equal(store_test_log_length(env->store, env->arena, &run), 600);
	p.is_often = false;
	assert_ok(env, ag_store_ledger_verify(env->store, env->arena, &k, &env->err));
	assert_int_equal(k.broken_at, 0);
	assert_int_equal(k.nrow, 600);
	ag_store_close(from);
	proxy_stop(&p, env);
}

/* --- addresses and databases that will not do --- */

static void cannot_open(store_env *env, const char *uri, ag_status want, const char *says)
{
	ag_err err = { 0 };
	const ag_status st = ag_store_open(ag_str_c(uri), &env->store, &err);

	if (st != want || !strstr(err.msg, says))
		fail_msg("%s: %s: %s", uri, ag_status_name(st), err.msg);
	assert_null(strstr(err.msg, "hunter2"));
	assert_null(strstr(err.hint, "hunter2"));
	if (strlen(err.hint) < 20)
		fail_msg("no hint: %s", err.msg);
}

static ag_str uri_of(store_env *env, const char *user, const char *where)
{
	const char *colon = strrchr(env->uri, ':');

	return ag_str_printf(env->arena, "postgresql://%s@127.0.0.1%.*s%s", user,
	                     (int)strcspn(colon, "/"), colon, where);
}

static void bad_addresses_are_refused_in_words(void **state)
{
	store_env *env = *state;

	cannot_open(env, "postgresql://ann:hunter2@127.0.0.1:1/s", AG_UNAVAILABLE, "127.0.0.1:1/s");
	cannot_open(env, "postgres://ann:hunter2@no-such-host.invalid/s", AG_UNAVAILABLE,
	            "no-such-host.invalid");
	cannot_open(env, "postgresql://ann:hunter2@127.0.0.1:x/s", AG_UNAVAILABLE,
	            "invalid integer value");
	cannot_open(env, "postgresql://ann:hunter2@127.0.0.1/s?color=red", AG_INVALID,
	            "cannot be read");
	/* Signs of a password that are not encoded; other ways to write an address. */
	cannot_open(env, "postgresql://h/s?password=hunter2%ZZ", AG_INVALID, "cannot be read");
	cannot_open(env, "postgresql://ann:hunter2/x@h/s", AG_INVALID, "cannot be read");
	cannot_open(env, "postgresql://ann:x?hunter2@h/s", AG_INVALID, "cannot be read");
	cannot_open(env, "postgresql://ann:x@hunter2@127.0.0.1:1/s", AG_INVALID, "cannot be read");
	cannot_open(env, "postgresql:hunter2", AG_INVALID, "neither a path");
	cannot_open(env, "POSTGRESQL://ann:hunter2@127.0.0.1/s", AG_INVALID, "neither a path");
	cannot_open(env, " postgresql://ann:hunter2@127.0.0.1/s", AG_INVALID, "neither a path");
	cannot_open(env, "host=127.0.0.1 password=hunter2", AG_INVALID, "neither a path");
	cannot_open(env, "postgresql//ann:hunter2@127.0.0.1/s", AG_INVALID, "neither a path");
	cannot_open(env, "postgresql://127.0.0.1:1,[::1]:2/s", AG_UNAVAILABLE,
	            "\"postgresql://127.0.0.1:1,[::1]:2/s\"");
	cannot_open(env, uri_of(env, "postgres:hunter2", "/s").ptr, AG_DENIED, "password");
	cannot_open(env, uri_of(env, "postgres:secret", "/none").ptr, AG_NOT_FOUND, "none");
	cannot_open(env, uri_of(env, "postgres:secret", "/s?sslmode=require").ptr, AG_UNAVAILABLE,
	            "SSL");
	cannot_open(env, uri_of(env, "postgres:secret", "/latin").ptr, AG_INVALID, "UTF8");
}

static void a_database_of_others_is_left_alone(void **state)
{
	store_env *env = *state;

	store_env_sql(env, "CREATE SCHEMA argus; CREATE TABLE argus.ships (name text); "
	                   "CREATE TABLE IF NOT EXISTS public.runs (mine text)");
	cannot_open(env, env->uri, AG_INVALID, "another program");
	assert_str(store_env_sql(env, "SELECT count(*) FROM pg_tables WHERE schemaname = 'argus'"),
	           "1");
	store_env_sql(env, "DROP TABLE argus.ships; DROP SCHEMA argus");
	assert_ok(env, store_env_reopen(env)); /* beside the tables of public */
	assert_str(store_env_sql(env, "SELECT count(*) FROM public.runs"), "0");
}

static void a_newer_store_is_left_alone(void **state)
{
	store_env *env = *state;

	assert_ok(env, store_env_reopen(env));
	env->store = ag_store_close(env->store);
	store_env_sql(env, "INSERT INTO argus.store VALUES (900, now())");
	cannot_open(env, env->uri, AG_CONFLICT, "newer Argus");
}

static void rights_are_missed_in_words(void **state)
{
	store_env *env = *state;
	const char *uri = uri_of(env, "poor:hunter2", "/s").ptr;
	ag_id run = ag_id_new(&ag_clock_system);

	cannot_open(env, uri, AG_DENIED, "make tables");
	assert_ok(env, store_env_reopen(env));
	env->store = ag_store_close(env->store);
	cannot_open(env, uri, AG_DENIED, "schema");
	store_env_sql(env, "GRANT USAGE ON SCHEMA argus TO poor; "
	                   "GRANT SELECT ON ALL TABLES IN SCHEMA argus TO poor");
	assert_ok(env, ag_store_open(ag_str_c(uri), &env->store, &env->err));
	assert_int_equal(store_test_append(env->store, env->arena, &run, 1, 1, true, &env->err),
	                 AG_DENIED);
	assert_non_null(strstr(env->err.hint, "docs/guide/store.md"));
	store_env_sql(env, "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA argus TO poor");
	assert_ok(env, store_test_append(env->store, env->arena, &run, 1, 1, true, &env->err));
	store_env_sql(env, "ALTER ROLE poor SET default_transaction_read_only = on");
	env->store = ag_store_close(env->store);
	assert_ok(env, ag_store_open(ag_str_c(uri), &env->store, &env->err));
	assert_ok(env, store_test_append(env->store, env->arena, &run, 2, 2, true, &env->err));
}

/* A full disk and a read-only server, as the server reports them. */
static void a_server_that_refuses_to_write_keeps_nothing(void **state)
{
	static const struct {
		const char *state, *hint;
		ag_status want;
	} cases[] = {
		{ "53100", "disk is full", AG_IO },
		{ "25006", "read-only", AG_DENIED },
	};
	store_env *env = *state;
	ag_id run = ag_id_new(&ag_clock_system);

	assert_ok(env, store_env_reopen(env));
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const char *sql =
			ag_str_printf(env->arena,
		                      "CREATE FUNCTION argus.refuse() RETURNS trigger LANGUAGE "
		                      "plpgsql AS $$BEGIN RAISE EXCEPTION 'no' USING ERRCODE = "
		                      "'%s'; END$$; CREATE TRIGGER refuse BEFORE INSERT ON "
		                      "argus.events FOR EACH ROW WHEN (new.seq %% 4 = 0) EXECUTE "
		                      "FUNCTION argus.refuse()",
		                      cases[i].state)
				.ptr;

		store_env_sql(env, sql);
		assert_int_equal(store_test_append(env->store, env->arena, &run, 1, 8, true,
		                                   &env->err),
		                 cases[i].want);
		assert_non_null(strstr(env->err.hint, cases[i].hint));
		assert_int_equal(store_test_log_length(env->store, env->arena, &run), 0);
		store_env_sql(env, "DROP FUNCTION argus.refuse() CASCADE");
	}
	assert_ok(env, store_test_append(env->store, env->arena, &run, 1, 8, true, &env->err));
}

static int make_roles(void **state)
{
	store_env *env = store_env_new(fixture);

	(void)state;
	store_env_sql(env, "CREATE ROLE poor LOGIN PASSWORD 'hunter2'");
	store_env_sql(env, "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
	store_env_free(env);
	return 0;
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_restart_between_commits_is_not_noticed),
		T(a_run_outlives_servers_that_are_killed),
		T(a_server_that_stays_away_ends_in_words),
		T(a_lost_answer_does_not_repeat_events),
		T(a_lost_answer_does_not_repeat_audit_rows),
		T(a_lost_answer_does_not_repeat_other_writes),
		T(a_copy_outlives_lost_answers),
		T(bad_addresses_are_refused_in_words),
		T(a_database_of_others_is_left_alone),
		T(a_newer_store_is_left_alone),
		T(rights_are_missed_in_words),
		T(a_server_that_refuses_to_write_keeps_nothing),
	};
	int nfailed = 0;

	for (size_t i = 0; i < nstore_fixture; i++) {
		fixture = &store_fixtures[i];
		if (!fixture->is_server || store_fixture_start(fixture))
			continue;
		nfailed += cmocka_run_group_tests_name(fixture->name, tests, make_roles, NULL);
		store_fixture_stop(fixture);
	}
	return nfailed > 0;
}
