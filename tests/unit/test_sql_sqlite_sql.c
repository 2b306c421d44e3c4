/* SQLite files as they are found: every journal mode, crashed, in use, replaced, damaged; never anything written beside
 * them. And the lexer that finds where a statement begins and ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sqlite3.h>

#include "contract/folder.h"
#include "sql/sql.h"
#include "sql/sqlite_sql.h"
#include "sql/sqlite_sql_text.h"

typedef struct env {
	char folder[128];
	ag_arena *arena;
	ag_sql_source *source;
	sqlite3 *writer;
} env;

static int setup(void **state)
{
	env *e = ag_xcalloc(1, sizeof(*e));

	test_folder_make(e->folder, "sqlite");
	e->arena = ag_arena_new();
	*state = e;
	return 0;
}

static int teardown(void **state)
{
	env *e = *state;

	ag_sql_close(e->source);
	sqlite3_close(e->writer);
	ag_arena_free(e->arena);
	test_folder_remove(e->folder);
	free(e);
	return 0;
}

static const char *path_of(env *e, const char *name)
{
	return ag_str_printf(e->arena, "%s/%s", e->folder, name).ptr;
}

static void write_sql(env *e, const char *name, const char *sql)
{
	if (!e->writer)
		assert_int_equal(sqlite3_open(path_of(e, name), &e->writer), SQLITE_OK);
	if (sqlite3_exec(e->writer, sql, NULL, NULL, NULL))
		fail_msg("%s", sqlite3_errmsg(e->writer));
}

static void close_writer(env *e)
{
	sqlite3_close(e->writer);
	e->writer = NULL;
}

static void copy(env *e, const char *from, const char *to)
{
	FILE *in = fopen(path_of(e, from), "rb"), *out = fopen(path_of(e, to), "wb");
	char chunk[4096];
	size_t n;

	assert_non_null(in);
	assert_non_null(out);
	while ((n = fread(chunk, 1, sizeof(chunk), in)) > 0)
		assert_int_equal(fwrite(chunk, 1, n, out), n);
	fclose(in);
	fclose(out);
}

static bool is_there(env *e, const char *name)
{
	return access(path_of(e, name), F_OK) == 0;
}

static size_t nfile(const char *folder, const char *prefix)
{
	DIR *d = opendir(folder);
	struct dirent *f;
	size_t n = 0;

	assert_non_null(d);
	while ((f = readdir(d)))
		n += strncmp(f->d_name, prefix, strlen(prefix)) == 0 && f->d_name[0] != '.';
	closedir(d);
	return n;
}

static void open_source(env *e, const char *name)
{
	ag_str uri = ag_str_printf(e->arena, "sqlite:%s/%s", e->folder, name);
	ag_err err;

	e->source = ag_sql_close(e->source);
	if (ag_sql_open(uri, NULL, &e->source, &err))
		fail_msg("%s", err.msg);
}

static ag_sql_failure run(env *e, const char *sql, const char *want)
{
	ag_sql_request rq = { .sql = ag_str_c(sql), .watch_fd = -1 };
	ag_sql_failure f;
	ag_sql_result r;
	ag_err err;

	assert_int_equal(ag_sql_query(e->source, NULL, &rq, e->arena, &r, &err), AG_OK);
	f = r.failure;
	if (want && !r.is_ok)
		fail_msg("%s: %.*s", sql, AG_FMT(f.message));
	if (want)
		assert_string_equal(r.rows.ptr, want);
	else
		assert_false(r.is_ok);
	ag_sql_result_release(&r);
	return f;
}

/* Other processes' marks would hide ours: the pages of the kernel's clock must differ. */
static void let_it_rest(void)
{
	usleep(120000);
}

/* --- WAL --- */

#define WAL "PRAGMA journal_mode=WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1), (2);"

static void test_wal_that_is_closed(void **state)
{
	env *e = *state;

	write_sql(e, "a.db", WAL);
	close_writer(e);
	assert_int_equal(nfile(e->folder, ""), 1);
	open_source(e, "a.db");
	run(e, "SELECT sum(x) FROM t", "[[3]]");
	assert_int_equal(nfile(e->folder, ""), 1);
	e->source = ag_sql_close(e->source);
	assert_int_equal(nfile(e->folder, ""), 1);
}

static void test_wal_that_is_written(void **state)
{
	env *e = *state;

	write_sql(e, "a.db", WAL);
	assert_true(is_there(e, "a.db-wal") && is_there(e, "a.db-shm"));
	open_source(e, "a.db");
	run(e, "SELECT sum(x) FROM t", "[[3]]");
	write_sql(e, "a.db", "INSERT INTO t VALUES (10)");
	run(e, "SELECT sum(x) FROM t", "[[13]]");
	/* A writer that goes can still tidy up: nobody of us holds the file. */
	close_writer(e);
	assert_int_equal(nfile(e->folder, ""), 1);
	run(e, "SELECT sum(x) FROM t", "[[13]]");
	write_sql(e, "a.db", "INSERT INTO t VALUES (100)");
	run(e, "SELECT sum(x) FROM t", "[[113]]");
	close_writer(e);
	run(e, "SELECT sum(x) FROM t", "[[113]]");
	assert_int_equal(nfile(e->folder, ""), 1);
}

static void test_wal_after_a_crash(void **state)
{
	env *e = *state;
	const char *tmp = getenv("TMPDIR");
	size_t before;

	if (!tmp)
		tmp = "/tmp";
	write_sql(e, "a.db", WAL);
	copy(e, "a.db", "b.db");
	copy(e, "a.db-wal", "b.db-wal"); /* without its index */
	copy(e, "a.db", "c.db");
	copy(e, "a.db-wal", "c.db-wal");
	copy(e, "a.db-shm", "c.db-shm");
	close_writer(e);
	let_it_rest();
	before = nfile(tmp, "argus-sqlite-");
	open_source(e, "b.db");
	run(e, "SELECT sum(x) FROM t", "[[3]]");
	run(e, "SELECT count(*) FROM t", "[[2]]");
	assert_int_equal(nfile(e->folder, "b.db"), 2);
	assert_int_equal(nfile(tmp, "argus-sqlite-"), before + 1);
	e->source = ag_sql_close(e->source);
	assert_int_equal(nfile(tmp, "argus-sqlite-"), before); /* the copy is gone */
	assert_int_equal(nfile(e->folder, "b.db"), 2);
	open_source(e, "c.db");
	run(e, "SELECT sum(x) FROM t", "[[3]]");
	assert_int_equal(nfile(e->folder, "c.db"), 3);
}

/* --- other files --- */

static void test_hot_journal(void **state)
{
	env *e = *state;
	ag_sql_failure f;

	write_sql(e, "a.db",
	          "CREATE TABLE t (x); INSERT INTO t VALUES (1);"
	          "PRAGMA cache_size=1; BEGIN;"
	          "INSERT INTO t WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r "
	          "WHERE n < 2000) SELECT zeroblob(1000) FROM r;");
	copy(e, "a.db", "b.db");
	copy(e, "a.db-journal", "b.db-journal");
	write_sql(e, "a.db", "ROLLBACK");
	open_source(e, "b.db");
	f = run(e, "SELECT count(*) FROM t", NULL);
	assert_int_equal(f.code, AG_SQLCODE_CONNECTION);
	assert_true(ag_str_contains(f.message, AG_S("crashed")));
	assert_true(f.hint.len > 0 && f.is_connection_lost);
	assert_int_equal(nfile(e->folder, "b.db"), 2);
}

static void test_locked_by_a_writer(void **state)
{
	env *e = *state;
	ag_str uri;
	ag_sql_opts opts = { .wait_timeout_ms = 100 };
	ag_sql_failure f;
	ag_err err;

	write_sql(e, "a.db", "CREATE TABLE t (x); INSERT INTO t VALUES (1); BEGIN EXCLUSIVE;");
	uri = ag_str_printf(e->arena, "sqlite:%s/a.db", e->folder);
	assert_int_equal(ag_sql_open(uri, &opts, &e->source, &err), AG_OK);
	f = run(e, "SELECT * FROM t", NULL);
	assert_string_equal(f.sqlstate, "55P03");
	assert_false(f.is_connection_lost);
	write_sql(e, "a.db", "COMMIT");
	run(e, "SELECT * FROM t", "[[1]]");
}

static void test_replaced_by_another(void **state)
{
	env *e = *state;

	write_sql(e, "a.db", "CREATE TABLE t (x); INSERT INTO t VALUES (1);");
	close_writer(e);
	open_source(e, "a.db");
	run(e, "SELECT * FROM t", "[[1]]");
	write_sql(e, "b.db", "CREATE TABLE t (x); INSERT INTO t VALUES (2);");
	close_writer(e);
	assert_int_equal(rename(path_of(e, "b.db"), path_of(e, "a.db")), 0);
	run(e, "SELECT * FROM t", "[[2]]");
	/* It becomes WAL while a connection is kept: still nothing is left beside it. */
	write_sql(e, "a.db", "PRAGMA journal_mode=WAL; INSERT INTO t VALUES (3);");
	close_writer(e);
	run(e, "SELECT sum(x) FROM t", "[[5]]");
	assert_int_equal(nfile(e->folder, ""), 1);
}

static void put(env *e, const char *name, const char *bytes, size_t n)
{
	FILE *f = fopen(path_of(e, name), "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static void test_what_is_no_database(void **state)
{
	static char junk[5000];
	env *e = *state;
	ag_sql_failure f;

	memset(junk, 'x', sizeof(junk));
	put(e, "junk.db", junk, sizeof(junk));
	open_source(e, "junk.db");
	f = run(e, "SELECT 1", NULL);
	assert_string_equal(f.sqlstate, "XX001");
	assert_true(ag_str_contains(f.message, AG_S("not an SQLite database")));
	put(e, "empty.db", "", 0);
	open_source(e, "empty.db");
	run(e, "SELECT 1", "[[1]]");
	assert_int_equal(nfile(e->folder, ""), 2);
}

static void test_cut_in_half(void **state)
{
	env *e = *state;

	write_sql(e, "a.db",
	          "CREATE TABLE t (x); INSERT INTO t WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL "
	          "SELECT n+1 FROM r WHERE n < 500) SELECT zeroblob(1000) FROM r;");
	close_writer(e);
	assert_int_equal(truncate(path_of(e, "a.db"), 4096L * 20), 0);
	open_source(e, "a.db");
	assert_string_equal(run(e, "SELECT sum(length(x)) FROM t", NULL).sqlstate, "XX001");
	assert_true(run(e, "SELECT sum(length(x)) FROM t", NULL).is_connection_lost);
}

static void test_names_that_look_like_uris(void **state)
{
	static const char *const names[] = { "a?mode=rwc#x.db", "b%41 c.db", "ä.db" };
	env *e = *state;

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		write_sql(e, names[i], "CREATE TABLE t (x); INSERT INTO t VALUES (7);");
		close_writer(e);
		open_source(e, names[i]);
		run(e, "SELECT x FROM t", "[[7]]");
	}
	assert_int_equal(nfile(e->folder, ""), AG_NELEM(names));
}

/* --- values and limits --- */

static void test_values(void **state)
{
	env *e = *state;

	write_sql(e, "a.db",
	          "CREATE TABLE t (i, v); INSERT INTO t VALUES (1, 9e999), (2, -9e999), "
	          "(3, CAST(x'61ff62' AS TEXT)), (4, x''), (5, 0.1), (6, 1e23), (7, '');");
	close_writer(e);
	open_source(e, "a.db");
	run(e, "SELECT v FROM t ORDER BY i",
	    "[[\"Infinity\"],[\"-Infinity\"],[\"a\xef\xbf\xbd"
	    "b\"],[\"\\\\x\"],[0.1],[1e+23],[\"\"]]");
}

static void test_memory_is_bounded(void **state)
{
	env *e = *state;
	ag_buf sql = AG_BUF_INIT(1 << 16);

	write_sql(e, "a.db", "CREATE TABLE t (x);");
	close_writer(e);
	open_source(e, "a.db");
	assert_string_equal(
		run(e, "SELECT length(zeroblob(10000000) || zeroblob(10000000))", NULL).sqlstate,
		"54000");
	ag_buf_adds(&sql, "SELECT 1");
	for (int i = 0; i < 60; i++)
		ag_buf_adds(&sql, ", zeroblob(16000000) || 'a'");
	assert_string_equal(run(e, sql.ptr, NULL).class_name, "resource");
	ag_buf_release(&sql);
	run(e, "SELECT 1", "[[1]]");
}

/* A blob beyond the limit of values does not hide the rest of its row. */
static void test_large_blob_in_a_row(void **state)
{
	env *e = *state;

	write_sql(e, "a.db",
	          "CREATE TABLE t (id, b, name); INSERT INTO t VALUES "
	          "(1, zeroblob(30000000), 'x');");
	close_writer(e);
	open_source(e, "a.db");
	run(e, "SELECT id, length(b) FROM t", "[[1,30000000]]");
	run(e, "SELECT id, name FROM t", "[[1,\"x\"]]");
	assert_string_equal(run(e, "SELECT b FROM t", NULL).sqlstate, "54000");
}

static void test_virtual_tables(void **state)
{
	env *e = *state;

	write_sql(e, "a.db",
	          "CREATE VIRTUAL TABLE docs USING fts5(title, body);"
	          "INSERT INTO docs VALUES ('hello', 'big world');"
	          "CREATE VIRTUAL TABLE box USING rtree(id, a, b);"
	          "INSERT INTO box VALUES (1, 2, 3);");
	close_writer(e);
	open_source(e, "a.db");
	run(e, "SELECT title FROM docs WHERE docs MATCH 'world'", "[[\"hello\"]]");
	run(e, "SELECT title FROM docs('hello')", "[[\"hello\"]]");
	run(e, "SELECT count(*) FROM docs", "[[1]]");
	run(e, "SELECT id FROM box WHERE a < 5", "[[1]]");
	run(e, "SELECT value FROM json_each('[1,2]')", "[[1],[2]]");
	run(e, "SELECT count(*) FROM json_tree('[1,[2]]')", "[[4]]");
	/* What lies behind them is the system's. */
	assert_string_equal(run(e, "SELECT * FROM docs_content", NULL).class_name, "refused");
	assert_string_equal(run(e, "SELECT count(*) FROM box_node", NULL).class_name, "refused");
}

/* --- the lexer --- */

static void test_text(void **state)
{
	static const struct {
		const char *sql;
		const char *rest; /* without what comes before the statement */
	} skip[] = {
		{ " ;; -- c\n/* ; */ SELECT 1", "SELECT 1" },
		{ "--", "" },
		{ "/*", "" },
		{ "/**/;", "" },
		{ "", "" },
		{ "'a", "'a" },
		{ "-1", "-1" },
		{ "/1", "/1" },
	};
	uint64_t f = ag_sqlite_fingerprint(AG_S("SELECT a FROM t WHERE b IN (1, 2, 3) -- x"));

	(void)state;
	for (size_t i = 0; i < AG_NELEM(skip); i++)
		assert_true(ag_str_eqc(ag_sqlite_skip(ag_str_c(skip[i].sql)), skip[i].rest));
	assert_true(ag_sqlite_is_blank(AG_S(" ; /* */ -- ")));
	assert_false(ag_sqlite_is_blank(AG_S("; ''")));
	assert_true(ag_sqlite_has_word(AG_S("select 1 union with x"), AG_S("WITH")));
	assert_false(ag_sqlite_has_word(
		AG_S("select 'with', \"with\", [with], `with` -- with\n/*with*/, "
	             "withx"),
		AG_S("with")));
	assert_true(f == ag_sqlite_fingerprint(AG_S("select a\nfrom t where b in ( 'x' , 1e-5 )")));
	assert_true(f != ag_sqlite_fingerprint(AG_S("SELECT a FROM t WHERE c IN (1)")));
	assert_true(f != ag_sqlite_fingerprint(AG_S("SELECT 'a' FROM t WHERE b IN (1)")));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(test_wal_that_is_closed),
		TEST(test_wal_that_is_written),
		TEST(test_wal_after_a_crash),
		TEST(test_hot_journal),
		TEST(test_locked_by_a_writer),
		TEST(test_replaced_by_another),
		TEST(test_what_is_no_database),
		TEST(test_cut_in_half),
		TEST(test_names_that_look_like_uris),
		TEST(test_values),
		TEST(test_memory_is_bounded),
		TEST(test_large_blob_in_a_row),
		TEST(test_virtual_tables),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
