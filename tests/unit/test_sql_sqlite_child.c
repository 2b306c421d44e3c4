/* Every statement of an SQLite source ends, whatever SQLite does with it, and takes nothing else with it: no other call, no
 * file, no server. What a child could do if it were taken over is tried from inside one, see sqlite_probe.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/sandbox.h"
#include "base/time.h"
#include "contract/folder.h"
#include "sql/sqlite_sql.h"
#include "unit/sqlite_probe.h"

/* How late a stopped statement may come back at the most; the machine may be busy. */
#define LATE_MS 8000

typedef struct env {
	char folder[128];
	ag_arena *arena;
	ag_sql_source *source;
} env;

#define PLANT                                                                                 \
	"CREATE TABLE numbers (n INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, word TEXT);"  \
	"INSERT INTO numbers WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r " \
	"WHERE n < 5000) SELECT n, 'name ' || n, 'word ' || n FROM r;"                        \
	"CREATE INDEX by_name ON numbers (name); CREATE INDEX by_word ON numbers (word);"     \
	"CREATE VIRTUAL TABLE docs USING fts5(t);"                                            \
	"INSERT INTO docs SELECT 'hello a b c ' || n FROM numbers;"                           \
	"INSERT INTO docs VALUES (replace(hex(zeroblob(200000)), '00', 'a b '));"             \
	"CREATE TABLE deep (j TEXT);"                                                         \
	"INSERT INTO deep VALUES (replace(hex(zeroblob(900)), '00', '[') || "                 \
	"replace(hex(zeroblob(900)), '00', ']'));"

static void plant(const char *path)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, PLANT, NULL, NULL, NULL))
		fail_msg("%s", sqlite3_errmsg(db));
	sqlite3_close(db);
}

static ag_sql_source *open_source(env *e, unsigned max_connections)
{
	static const ag_str functions[] = { AG_S_INIT("probe"), AG_S_INIT("probe_try") };
	ag_str uri = ag_str_printf(e->arena, "sqlite:%s/data/a.db", e->folder);
	ag_sql_opts opts = { .max_connections = max_connections, .max_result_bytes = 8 << 20 };
	ag_sql_source *s = NULL;
	ag_err err;

	opts.policy.allowed_functions = functions;
	opts.policy.nallowed_function = AG_NELEM(functions);
	if (ag_sql_open(uri, &opts, &s, &err))
		fail_msg("%s", err.msg);
	return s;
}

static int setup(void **state)
{
	env *e = ag_xcalloc(1, sizeof(*e));

	test_folder_make(e->folder, "sqchild");
	e->arena = ag_arena_new();
	assert_int_equal(mkdir(ag_str_printf(e->arena, "%s/data", e->folder).ptr, 0700), 0);
	plant(ag_str_printf(e->arena, "%s/data/a.db", e->folder).ptr);
	e->source = open_source(e, 0);
	*state = e;
	return 0;
}

static int teardown(void **state)
{
	env *e = *state;

	ag_sql_close(e->source);
	ag_arena_free(e->arena);
	test_folder_remove(e->folder);
	free(e);
	if (ag_sandbox_is_sanitized()) /* a child that crashed on purpose leaves half a line */
		print_message("\n");
	return 0;
}

static ag_sql_result ask(env *e, const ag_ctx *ctx, const char *sql, int64_t timeout_ms)
{
	ag_sql_request rq = { .sql = ag_str_c(sql), .timeout_ms = timeout_ms, .watch_fd = -1 };
	ag_sql_result r;
	ag_err err;

	assert_int_equal(ag_sql_query(e->source, ctx, &rq, e->arena, &r, &err), AG_OK);
	assert_true(r.is_ok == (r.failure.code == AG_SQLCODE_NONE));
	return r;
}

static void expect(env *e, const char *sql, const char *want)
{
	ag_sql_result r = ask(e, NULL, sql, 20000);

	if (!r.is_ok)
		fail_msg("%s: %.*s", sql, AG_FMT(r.failure.message));
	assert_string_equal(r.rows.ptr, want);
	ag_sql_result_release(&r);
}

static ag_sql_failure expect_failure(env *e, const char *sql, int64_t timeout_ms)
{
	ag_sql_result r = ask(e, NULL, sql, timeout_ms);

	if (r.is_ok)
		fail_msg("%.100s went well: %.200s", sql, r.rows.ptr);
	assert_true(r.failure.message.len > 0 && r.failure.hint.len > 0);
	assert_int_equal(r.nrow, 0);
	ag_sql_result_release(&r);
	return r.failure;
}

/* --- statements that SQLite cannot stop, or dies of --- */

/* Each crashes 3.40.1, runs on past its progress handler, or takes longer than the deadline. Which of them, depends on the
 * version; all must end. */
static const char *const never_ending[] = {
	/* the stack of FTS5's parser */
	"select count(*) from docs where docs match 'a'||replace(hex(zeroblob(20000)),'00',' NOT a')",
	"select count(*) from docs where docs match 'a'||replace(hex(zeroblob(150000)),'00',' NOT a')",
	"select count(*) from docs where docs match replace(hex(zeroblob(50000)),'00','(')||'a'",
	"select count(*) from docs where docs match 'a'||replace(hex(zeroblob(60000)),'00',' OR a')",
	"select count(*) from docs where docs match 'a'||replace(hex(zeroblob(60000)),'00',' a')",
	"select count(*) from docs where docs match 'NEAR(a '||replace(hex(zeroblob(30000)),'00','b ')||', 9)'",
	"select highlight(docs, 0, '<', '>') from docs where docs match 'a'||replace(hex(zeroblob(3000)),'00',' OR a')",
	"select snippet(docs, 0, '<', '>', '..', 64) from docs where docs match 'a'||replace(hex(zeroblob(3000)),'00',' OR b')",
	"select bm25(docs) from docs where docs match 'a'||replace(hex(zeroblob(3000)),'00',' OR a') order by rank",
	/* json */
	"select length(json_patch((select json_group_object('k'||value, value) from (with recursive r(value) as "
	"(select 1 union all select value+1 from r where value<100000) select value from r)), (select "
	"json_group_object('j'||value, value) from (with recursive r(value) as (select 1 union all select value+1 "
	"from r where value<100000) select value from r))))",
	"select json_extract(replace(hex(zeroblob(1000000)),'00','[1,')||'1', '$') from numbers",
	"select count(*) from numbers, json_tree(replace(hex(zeroblob(2000000)),'0','[')) ",
	"select sum(json_array_length('['||replace(hex(zeroblob(3000000)),'00','1,')||'1]')) from numbers",
	"select sum(length(json_set('{}', '$.a', replace(hex(zeroblob(4000000)),'0','\"')))) from numbers",
	/* functions of n times m steps */
	"select instr(hex(zeroblob(7000000)), hex(zeroblob(1000000))||'1')",
	"select length(replace(hex(zeroblob(7000000)), hex(zeroblob(500000))||'1', 'x'))",
	"select hex(zeroblob(7000000)) like '%'||hex(zeroblob(400))||'1%' from numbers",
	"select hex(zeroblob(7000000)) glob '*'||hex(zeroblob(400))||'1*' from numbers",
	"select hex(zeroblob(7000000)) glob '*0*0*0*0*0*0*0*0*0*0*0*0*1' from numbers",
	"select length(trim(hex(zeroblob(7000000)), replace(hex(zeroblob(500000)),'0','1')||'0'))",
	"select sum(length(printf('%,d%.*c%s', n, 10000000, 'x', hex(zeroblob(1000000))))) from numbers",
	"select sum(length(hex(zeroblob(7000000))||n)) from numbers",
	"select count(distinct upper(hex(zeroblob(7000000)))||n) from numbers",
	"select sum(unicode(substr(hex(zeroblob(7000000)), -1-n))) from numbers",
	/* aggregates, windows, recursion, sorts */
	"select length(group_concat(a.word, hex(zeroblob(1000)))) from numbers a, numbers b",
	"select sum(length(x)) from (select group_concat(word) over (order by n rows between 4000 preceding and "
	"current row) x from numbers)",
	"select n, group_concat(word) over (order by word groups between unbounded preceding and unbounded following "
	"exclude ties) from numbers",
	"with recursive r(x) as (select 1 union all select x+1 from r) select count(*) from r",
	"with recursive r(x) as (select 1 union select (x*7919) % 2000000011 from r) select count(*) from r",
	"select a.n from numbers a, numbers b, numbers c order by a.word||b.word||c.word limit 1",
	"select count(*) from numbers a join numbers b join numbers c where a.word||b.word = c.word",
	"select (select count(*) from numbers b where b.word like '%'||a.word||'%' and b.n+a.n>0) from numbers a, numbers c",
	"select json_group_array(j) from deep, numbers a, numbers b",
};

static void test_every_statement_ends(void **state)
{
	env *e = *state;

	for (size_t i = 0; i < AG_NELEM(never_ending); i++) {
		int64_t start = ag_clock_mono(&ag_clock_system), took;
		ag_sql_result r = ask(e, NULL, never_ending[i], 150);

		took = ag_clock_mono(&ag_clock_system) - start;
		if (took > LATE_MS)
			fail_msg("%.100s took %d ms", never_ending[i], (int)took);
		if (!r.is_ok && !r.failure.message.len)
			fail_msg("%.100s failed without words", never_ending[i]);
		assert_false(r.failure.is_connection_lost);
		ag_sql_result_release(&r);
		expect(e, "SELECT 7", "[[7]]");
	}
}

/* A sanitizer maps memory for each large allocation: a second becomes minutes. */
static void skip_if_sanitized(void)
{
	if (!ag_sandbox_is_sanitized())
		return;
	print_message("# skipped: it is too slow with a sanitizer\n");
	skip();
}

static void test_fts5_overflow(void **state)
{
	env *e = *state;
	ag_sql_failure f;

	skip_if_sanitized();
	/* As often as it takes on a stack of 8 MiB; 20,000 are enough for that of a thread. */
	f = expect_failure(
		e,
		"select count(*) from docs where docs match 'a'||replace(hex(zeroblob(150000)),'00',' NOT a')",
		60000);
	assert_string_equal(f.class_name, "resource");
	assert_false(f.is_connection_lost);
	assert_true(ag_str_contains(f.message, AG_S("crashed")));
	expect(e, "SELECT count(*) FROM docs WHERE docs MATCH 'hello'", "[[5000]]");
}

/* --- who is not touched by it --- */

typedef struct other {
	env *e;
	const char *sql;
	int64_t timeout_ms;
	const ag_ctx *ctx;
	ag_sql_failure failure;
	ag_arena *arena;
} other;

static void *run_other(void *arg)
{
	other *o = arg;
	ag_sql_request rq = { .sql = ag_str_c(o->sql),
		              .timeout_ms = o->timeout_ms,
		              .watch_fd = -1 };
	ag_sql_result r;
	ag_err err;

	AG_ASSERT(ag_sql_query(o->e->source, o->ctx, &rq, o->arena, &r, &err) == AG_OK);
	o->failure = r.failure;
	ag_sql_result_release(&r);
	return NULL;
}

static pthread_t start_other(other *o)
{
	pthread_t t;

	o->arena = ag_arena_new();
	AG_ASSERT(pthread_create(&t, NULL, run_other, o) == 0);
	return t;
}

static void test_others_are_answered(void **state)
{
	static const char *const bad[] = { "SELECT probe('hang')", "SELECT probe('deaf')",
		                           "SELECT probe('crash')", "SELECT probe('junk', 'row')" };
	env *e = *state;
	other o[AG_NELEM(bad)];
	pthread_t t[AG_NELEM(bad)];

	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		o[i] = (other){ .e = e, .sql = bad[i], .timeout_ms = 700 };
		t[i] = start_other(&o[i]);
	}
	for (int i = 0; i < 50; i++)
		expect(e, "SELECT max(n) FROM numbers", "[[5000]]");
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		pthread_join(t[i], NULL);
		assert_true(o[i].failure.code != AG_SQLCODE_NONE);
		assert_int_equal(o[i].failure.code == AG_SQLCODE_QUERY_TIMEOUT, i < 2);
		ag_arena_free(o[i].arena);
	}
}

static void test_deadline_while_waiting(void **state)
{
	env *e = *state;
	other o = { .e = e, .sql = "SELECT probe('hang')", .timeout_ms = 1000 };
	ag_ctx ctx = { .clock = &ag_clock_system };

	ag_sql_close(e->source);
	e->source = open_source(e, 1);
	pthread_t t = start_other(&o);
	usleep(300000); /* o has the only child: the deadline includes the wait for it */
	ctx.deadline_ms = ag_clock_mono(&ag_clock_system) + 2000;
	assert_int_equal(ask(e, &ctx, o.sql, 20000).failure.code, AG_SQLCODE_QUERY_TIMEOUT);
	assert_in_range(2000 + ag_clock_mono(&ag_clock_system) - ctx.deadline_ms, 1500, 2550);
	pthread_join(t, NULL);
	ag_arena_free(o.arena);
}

static void test_cancel(void **state)
{
	static const char *const sql[] = {
		"SELECT probe('deaf')",
		"with recursive r(x) as (select 1 union all select x+1 from r) select count(*) from r",
	};
	env *e = *state;

	for (size_t i = 0; i < AG_NELEM(sql); i++) {
		atomic_bool cancel = false;
		ag_ctx ctx = { .clock = &ag_clock_system, .cancel = &cancel, .nthread = 1 };
		other o = { .e = e, .sql = sql[i], .ctx = &ctx };
		int64_t start = ag_clock_mono(&ag_clock_system);
		pthread_t t = start_other(&o);

		usleep(100000);
		atomic_store(&cancel, true);
		pthread_join(t, NULL);
		assert_int_equal(o.failure.code, AG_SQLCODE_CANCELLED);
		assert_true(ag_clock_mono(&ag_clock_system) - start < LATE_MS);
		ag_arena_free(o.arena);
		expect(e, "SELECT 1", "[[1]]");
	}
}

static void test_client_that_goes(void **state)
{
	env *e = *state;
	ag_sql_request rq = { .sql = AG_S("SELECT probe('deaf')") };
	ag_sql_result r;
	ag_err err;
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	close(pair[1]);
	rq.watch_fd = pair[0];
	assert_int_equal(ag_sql_query(e->source, NULL, &rq, e->arena, &r, &err), AG_OK);
	assert_int_equal(r.failure.code, AG_SQLCODE_CANCELLED);
	assert_true(ag_str_contains(r.failure.message, AG_S("client")));
	close(pair[0]);
}

/* --- a child that ends --- */

static pid_t child_pid(env *e)
{
	ag_sql_result r = ask(e, NULL, "SELECT probe('pid')", 0);
	pid_t pid;

	assert_true(r.is_ok);
	pid = (pid_t)strtol(r.rows.ptr + 2, NULL, 10);
	assert_true(pid > 1 && pid != getpid());
	ag_sql_result_release(&r);
	return pid;
}

static void test_crashes_are_reported(void **state)
{
	static const struct {
		const char *sql, *words;
	} want[] = {
		{ "SELECT probe('crash')", "crashed" },
		{ "SELECT probe('abort')", "crashed" },
		{ "SELECT probe('exit')", "exit code 7" },
		{ "SELECT probe('killed')", "signal 9" },
	};
	env *e = *state;

	for (size_t i = 0; i < AG_NELEM(want); i++) {
		ag_sql_failure f = expect_failure(e, want[i].sql, 0);

		if (!ag_str_contains(f.message, ag_str_c(want[i].words)) &&
		    !ag_sandbox_is_sanitized())
			fail_msg("%s: %.*s", want[i].sql, AG_FMT(f.message));
		assert_string_equal(f.class_name, "resource");
		assert_false(f.is_connection_lost); /* or it would open the breaker for all */
		expect(e, "SELECT 1", "[[1]]");
	}
}

/* No statement of ours did it, so no statement of ours may fail of it. */
static void test_idle_child_that_is_killed(void **state)
{
	env *e = *state;

	for (int i = 0; i < 3; i++) {
		pid_t pid = child_pid(e);

		assert_int_equal(kill(pid, SIGKILL), 0);
		usleep(20000);
		assert_int_not_equal(child_pid(e), pid);
	}
}

/* Its sandbox is for the folder that was there when it started; users put new data in place in this way. */
static void test_folder_that_is_replaced(void **state)
{
	env *e = *state;
	ag_str data = ag_str_printf(e->arena, "%s/data", e->folder);
	ag_str old = ag_str_printf(e->arena, "%s/old", e->folder);

	for (int i = 0; i < 2; i++) {
		expect(e, "SELECT max(n) FROM numbers", "[[5000]]");
		assert_int_equal(rename(data.ptr, old.ptr), 0);
		assert_int_equal(mkdir(data.ptr, 0700), 0);
		plant(ag_str_printf(e->arena, "%s/a.db", data.ptr).ptr);
		expect(e, "SELECT min(n) FROM numbers", "[[1]]");
		if (i == 0)
			test_folder_remove(old.ptr);
	}
}

static void test_long_texts(void **state)
{
	env *e = *state;
	ag_buf sql = AG_BUF_INIT(40u << 20);
	ag_sql_request rq = { .watch_fd = -1 };
	ag_sql_result r;
	ag_err err;

	ag_buf_adds(&sql, "SELECT 1");
	memset(ag_buf_room(&sql, 33u << 20), ' ', 33u << 20);
	sql.len += 33u << 20;
	rq.sql = ag_buf_view(&sql);
	assert_int_equal(ag_sql_query(e->source, NULL, &rq, e->arena, &r, &err), AG_OK);
	assert_string_equal(ag_sql_rule_id(r.verdict.rule), "too_large");
	assert_string_equal(r.failure.class_name, "resource");
	ag_sql_result_release(&r);
	ag_buf_release(&sql);
}

/* A new child waits longer and longer; a crash never closes the source. */
static void test_repeated_crashes(void **state)
{
	env *e = *state;
	int64_t start = ag_clock_mono(&ag_clock_system);

	for (int i = 0; i < 7; i++)
		expect_failure(e, "SELECT probe('crash')", 0);
	/* 10 + 20 + 40 + 80 + 160 + 320 before the second to the seventh */
	assert_true(ag_clock_mono(&ag_clock_system) - start >= 600);
	expect(e, "SELECT 1", "[[1]]");
}

/* --- a child that is taken over --- */

static void test_invalid_answers(void **state)
{
	static const char *const kinds[] = {
		"length", "empty", "bytes", "row", "endless", "turns"
	};
	env *e = *state;

	for (size_t i = 0; i < AG_NELEM(kinds); i++) {
		char sql[64];
		ag_sql_failure f;

		snprintf(sql, sizeof(sql), "SELECT probe('junk', '%s')", kinds[i]);
		f = expect_failure(e, sql, 500);
		assert_true(f.code == AG_SQLCODE_INTERNAL || f.code == AG_SQLCODE_QUERY_TIMEOUT);
		expect(e, "SELECT 1", "[[1]]");
	}
}

static void expect_refused(env *e, const char *what, const char *path)
{
	ag_str sql = ag_str_printf(e->arena, "SELECT probe_try('%s', '%s')", what, path);
	ag_sql_result r = ask(e, NULL, sql.ptr, 0);

	if (!r.is_ok)
		fail_msg("%s: %.*s", what, AG_FMT(r.failure.message));
	if (strcmp(r.rows.ptr, "[[\"EACCES\"]]") != 0 && strcmp(r.rows.ptr, "[[\"EPERM\"]]") != 0 &&
	    strcmp(r.rows.ptr, "[[\"EAFNOSUPPORT\"]]") != 0)
		fail_msg("%s %s: %s", what, path, r.rows.ptr);
	ag_sql_result_release(&r);
}

static void test_sandbox(void **state)
{
	static const char *const files[] = { "/etc/passwd", "/proc/self/maps", "/proc/self/mem",
		                             "/sys/devices/system/cpu/online", "/dev/null" };
	env *e = *state;
	ag_sandbox_report r;
	ag_str own = ag_str_printf(e->arena, "%s/data/a.db", e->folder);
	ag_str beside = ag_str_printf(e->arena, "%s/other", e->folder);
	FILE *f = fopen(beside.ptr, "w");

	assert_non_null(f);
	fclose(f);
	ag_sandbox_probe(&r);
	if (!r.files || !r.starts_nothing || ag_sandbox_is_sanitized()) {
		print_message("# skipped: %s\n",
		              r.missing[0] ? r.missing : "a sanitizer is built in");
		skip();
	}
	for (size_t i = 0; i < AG_NELEM(files); i++)
		expect_refused(e, "read", files[i]);
	expect_refused(e, "read", beside.ptr);
	expect_refused(e, "write", beside.ptr);
	expect_refused(e, "write", own.ptr);
	expect_refused(e, "create", ag_str_printf(e->arena, "%s/data/new", e->folder).ptr);
	expect_refused(e, "create", "/tmp/argus-new");
	expect_refused(e, "remove", own.ptr);
	expect_refused(e, "remove", beside.ptr);
	expect_refused(e, "rename", own.ptr);
	expect_refused(e, "chmod", own.ptr);
	expect_refused(e, "list", "/");
	expect_refused(e, "list", "/tmp");
	expect_refused(e, "connect", "");
	expect_refused(e, "datagram", "");
	expect_refused(e, "unix", "");
	expect_refused(e, "exec", "");
	expect_refused(e, "fork", "");
	expect_refused(e, "kill", "");
	expect_refused(e, "ptrace", "");
	expect_refused(e, "code", "");
	expect_refused(e, "limits", "");
	expect_refused(e, "outlive", "");
	/* The test itself can fail: what is allowed works by the same way. */
	expect(e, ag_str_printf(e->arena, "SELECT probe_try('read', '%s')", own.ptr).ptr,
	       "[[\"done\"]]");
}

static void test_nothing_is_inherited(void **state)
{
	env *e = *state;
	ag_sql_result r;

	assert_int_equal(setenv("ARGUS_TEST_SECRET", "x", 1), 0);
	e->source = ag_sql_close(e->source);
	e->source = open_source(e, 0);
	expect(e, "SELECT probe('environment')", "[[0]]");
	r = ask(e, NULL, "SELECT probe('descriptors') FROM numbers LIMIT 1", 0);
	/* The database has the number of the shared memory, which is closed; the pipe ends the child with its parent. */
	if (!ag_sandbox_is_sanitized())
		assert_string_equal(r.rows.ptr, "[[\"3:file 4:pipe\"]]");
	ag_sql_result_release(&r);
	unsetenv("ARGUS_TEST_SECRET");
}

/* --- its memory --- */

static void test_memory(void **state)
{
	env *e = *state;
	ag_sql_result r;

	skip_if_sanitized();
	expect(e, "SELECT probe('memory')", "[[\"enough\"]]");
	r = ask(e, NULL,
	        "select length(group_concat(hex(zeroblob(1000000)), hex(zeroblob(7000000)))) from "
	        "numbers",
	        20000);
	assert_string_equal(r.failure.class_name, "resource");
	ag_sql_result_release(&r);
	expect(e, "SELECT 1", "[[1]]");
}

/* A sort of more than it may hold goes to a file that is not there any more. */
static void test_large_sort(void **state)
{
	env *e = *state;

	skip_if_sanitized();
	expect(e,
	       "SELECT count(x) FROM (SELECT hex(zeroblob(500000)) || n AS x FROM numbers WHERE n <= 350 "
	       "ORDER BY x DESC LIMIT -1 OFFSET 1)",
	       "[[349]]");
}

/* --- streams --- */

static void test_large_results(void **state)
{
	env *e = *state;
	ag_sql_request rq = { .sql = AG_S("SELECT n, printf('%.*c', n * 200, char(65 + n % 26)) "
		                          "FROM numbers WHERE n IN (3, 700, 1311, 4999, 1, 2)"),
		              .watch_fd = -1 };
	ag_buf want = AG_BUF_INIT(16 << 20);
	static const int n[] = { 1, 2, 3, 700, 1311, 4999 };
	ag_sql_result r;
	ag_err err;

	for (size_t i = 0; i < AG_NELEM(n); i++) {
		ag_buf_addf(&want, "%s[%d,\"", i ? "," : "[", n[i]);
		for (int k = 0; k < n[i] * 200; k++)
			ag_buf_addc(&want, (char)(65 + n[i] % 26));
		ag_buf_adds(&want, "\"]");
	}
	ag_buf_addc(&want, ']');
	assert_int_equal(ag_sql_query(e->source, NULL, &rq, e->arena, &r, &err), AG_OK);
	assert_true(r.is_ok && r.cut == AG_SQL_WHOLE);
	assert_true(ag_str_eq(ag_buf_view(&r.rows), ag_buf_view(&want)));
	ag_sql_result_release(&r);
	/* The parent alone knows that the fourth does not fit: as JSON a control character has six bytes. */
	rq.sql = AG_S("SELECT replace(printf('%.*c', 30000, 'x'), 'x', char(1)) FROM numbers");
	rq.max_bytes = 600000;
	assert_int_equal(ag_sql_query(e->source, NULL, &rq, e->arena, &r, &err), AG_OK);
	assert_true(r.is_ok);
	assert_int_equal(r.cut, AG_SQL_CUT_BYTES);
	assert_int_equal(r.nrow, 3);
	assert_int_equal(r.rows_seen, 4);
	ag_sql_result_release(&r);
	/* The result is full, and then the child hangs. */
	rq.sql = AG_S(
		"SELECT CASE WHEN n < 60 THEN replace(printf('%.*c', 30000, 'x'), 'x', char(1)) "
		"ELSE probe('hang') END FROM numbers ORDER BY n");
	assert_int_equal(ag_sql_query(e->source, NULL, &rq, e->arena, &r, &err), AG_OK);
	assert_true(r.is_ok && r.nrow == 3 && r.cut == AG_SQL_CUT_BYTES);
	ag_sql_result_release(&r);
	ag_buf_release(&want);
	expect(e, "SELECT 1", "[[1]]");
}

/* --- SQLite's own functions --- */

static void test_like_and_glob_use_an_index(void **state)
{
	static const char *const sql[] = { "SELECT n FROM numbers WHERE name LIKE 'name 12%'",
		                           "SELECT n FROM numbers WHERE word GLOB 'word 12*'" };
	env *e = *state;

	for (size_t i = 0; i < AG_NELEM(sql); i++) {
		ag_sql_request rq = { .sql = ag_str_c(sql[i]), .watch_fd = -1 };
		ag_sql_result r;
		ag_err err;

		assert_int_equal(ag_sql_explain(e->source, NULL, &rq, e->arena, &r, &err), AG_OK);
		assert_true(r.is_ok);
		if (!strstr(r.rows.ptr, "SEARCH numbers USING"))
			fail_msg("%s: %s", sql[i], r.rows.ptr);
		ag_sql_result_release(&r);
	}
}

/* --- the parent ends --- */

/* As long as it is a process of this system that still runs. */
static bool is_running(pid_t pid)
{
	char path[64], line[256] = "";
	const char *state;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	state = strrchr(line, ')');
	return state && state[1] && state[2] != 'Z' && state[2] != 'X';
}

/* In a process of its own: prints the pid of its child, then works on a statement that never ends. */
static void be_parent(env *e, int to)
{
	pid_t pid;

	e->source = open_source(e, 1);
	pid = child_pid(e);
	AG_ASSERT(write(to, &pid, sizeof(pid)) == sizeof(pid));
	AG_IGNORE(ask(e, NULL, "SELECT probe('deaf')", 600000).is_ok, "it is killed");
	_exit(0);
}

static void test_parent_that_is_killed(void **state)
{
	env *e = *state;
	pid_t parent, child = 0;
	int to[2], status;

	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	e->source = ag_sql_close(e->source);
	parent = fork();
	assert_true(parent >= 0);
	if (parent == 0)
		be_parent(e, to[1]);
	assert_int_equal(read(to[0], &child, sizeof(child)), sizeof(child));
	assert_true(is_running(child));
	usleep(100000);
	assert_int_equal(kill(parent, SIGKILL), 0);
	assert_int_equal(waitpid(parent, &status, 0), parent);
	for (int i = 0; is_running(child) && i < 500; i++)
		usleep(10000);
	assert_false(is_running(child));
	close(to[0]);
	close(to[1]);
}

/* The thread that started a child may end: the child stays for others. */
static void test_thread_that_ends(void **state)
{
	env *e = *state;
	other o = { .e = e, .sql = "SELECT 1" };
	pid_t pid;

	pthread_join(start_other(&o), NULL);
	ag_arena_free(o.arena);
	pid = child_pid(e);
	usleep(50000);
	assert_int_equal(child_pid(e), pid);
}

/* A folder with a copy in it, last changed an hour ago. */
static int make_left_folder(env *e, const char *name)
{
	struct timespec old[2] = { { .tv_sec = time(NULL) - 3600 },
		                   { .tv_sec = time(NULL) - 3600 } };
	ag_str path = ag_str_printf(e->arena, "%s/tmp/%s", e->folder, name);
	int fd;

	assert_int_equal(mkdir(path.ptr, 0700), 0);
	assert_int_equal(mkdir(ag_str_printf(e->arena, "%s/77", path.ptr).ptr, 0700), 0);
	fd = open(ag_str_printf(e->arena, "%s/77/db", path.ptr).ptr, O_WRONLY | O_CREAT | O_CLOEXEC,
	          0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(utimensat(AT_FDCWD, path.ptr, old, 0), 0);
	fd = open(path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* What a killed server left is removed; what belongs to a running one, or to another program, is not. */
static void test_folders_that_were_left(void **state)
{
	env *e = *state;
	ag_str tmp = ag_str_printf(e->arena, "%s/tmp", e->folder);
	const char *before = getenv("TMPDIR");
	int left, held, foreign;

	assert_int_equal(mkdir(tmp.ptr, 0700), 0);
	left = make_left_folder(e, "argus-sqlite-left");
	held = make_left_folder(e, "argus-sqlite-held");
	foreign = make_left_folder(e, "argus-other");
	assert_int_equal(flock(held, LOCK_SH), 0);
	setenv("TMPDIR", tmp.ptr, 1);
	e->source = ag_sql_close(e->source);
	e->source = open_source(e, 0);
	expect(e, "SELECT 1", "[[1]]");
	if (before)
		setenv("TMPDIR", before, 1);
	else
		unsetenv("TMPDIR");
	assert_int_not_equal(
		access(ag_str_printf(e->arena, "%s/argus-sqlite-left", tmp.ptr).ptr, F_OK), 0);
	assert_int_equal(access(ag_str_printf(e->arena, "%s/argus-sqlite-held/77/db", tmp.ptr).ptr,
	                        F_OK),
	                 0);
	assert_int_equal(access(ag_str_printf(e->arena, "%s/argus-other/77/db", tmp.ptr).ptr, F_OK),
	                 0);
	close(left);
	close(held);
	close(foreign);
}

static void test_close_ends_children(void **state)
{
	env *e = *state;
	pid_t pid = child_pid(e);

	assert_true(is_running(pid));
	e->source = ag_sql_close(e->source);
	assert_false(is_running(pid));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(test_every_statement_ends),
		TEST(test_fts5_overflow),
		TEST(test_others_are_answered),
		TEST(test_deadline_while_waiting),
		TEST(test_cancel),
		TEST(test_client_that_goes),
		TEST(test_crashes_are_reported),
		TEST(test_idle_child_that_is_killed),
		TEST(test_folder_that_is_replaced),
		TEST(test_long_texts),
		TEST(test_repeated_crashes),
		TEST(test_invalid_answers),
		TEST(test_sandbox),
		TEST(test_nothing_is_inherited),
		TEST(test_memory),
		TEST(test_large_sort),
		TEST(test_large_results),
		TEST(test_like_and_glob_use_an_index),
		TEST(test_parent_that_is_killed),
		TEST(test_thread_that_ends),
		TEST(test_folders_that_were_left),
		TEST(test_close_ends_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
