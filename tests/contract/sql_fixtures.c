/* sql_fixtures -- the same tables in a file of SQLite and in a real PostgreSQL; and what all tests share. */
#include "contract/sql_fixtures.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sqlite3.h>

#include "contract/folder.h"
#include "contract/postgres_server.h"

static const char schema[] =
	"CREATE TABLE users (id integer PRIMARY KEY, name text NOT NULL, age integer, score double precision);"
	"CREATE TABLE orders (id integer PRIMARY KEY, user_id integer REFERENCES users (id), total numeric(10,2));"
	"CREATE TABLE payments (id integer PRIMARY KEY, amount integer);"
	"CREATE TABLE secret (id integer, k text);"
	"CREATE TABLE numbers (n integer PRIMARY KEY);"
	"CREATE VIEW user_names AS SELECT id, name FROM users;"
	"CREATE VIEW leak AS SELECT k FROM secret;"
	"CREATE VIEW leak2 AS SELECT k FROM leak;"
	"INSERT INTO users VALUES (1, 'Ann', 30, 1.5), (2, 'Bob', NULL, 2.25), (3, 'Cid', 41, NULL);"
	"INSERT INTO orders VALUES (1, 1, 10.5), (2, 1, 20.25), (3, 2, 1), (4, 3, 7.75);"
	"INSERT INTO payments VALUES (1, 100), (2, 200);"
	"INSERT INTO secret VALUES (1, 'hidden');"
	"INSERT INTO numbers WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 1000) "
	"SELECT n FROM r;";

/* --- SQLite --- */

static const char *sqlite_start(void)
{
	return NULL;
}

static void sqlite_stop(void)
{
}

static void path_in(env *e, const char *name, char path[192])
{
	snprintf(path, 192, "%s/%s", e->folder, name);
}

static ag_str sqlite_owner(env *e, const char *sql)
{
	char path[192];
	sqlite3 *db = NULL;
	ag_str last = AG_S("");

	path_in(e, "shop.db", path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	while (*sql) {
		sqlite3_stmt *stmt = NULL;

		if (sqlite3_prepare_v2(db, sql, -1, &stmt, &sql))
			fail_msg("%s", sqlite3_errmsg(db));
		while (stmt && sqlite3_step(stmt) == SQLITE_ROW)
			last = ag_str_dup(e->arena,
			                  ag_str_c((const char *)sqlite3_column_text(stmt, 0)));
		if (sqlite3_finalize(stmt))
			fail_msg("%s", sqlite3_errmsg(db));
	}
	sqlite3_close(db);
	return last;
}

static ag_str sqlite_uri(env *e)
{
	char path[192];

	path_in(e, "shop.db", path);
	if (access(path, F_OK))
		sqlite_owner(e, schema);
	return ag_str_printf(e->arena, "sqlite:%s", path);
}

static void move(env *e, const char *from, const char *to)
{
	char a[192], b[192];

	path_in(e, from, a);
	path_in(e, to, b);
	assert_int_equal(rename(a, b), 0);
}

static void sqlite_take_away(env *e)
{
	move(e, "shop.db", "gone.db");
}

static void sqlite_bring_back(env *e)
{
	move(e, "gone.db", "shop.db");
}

/* --- PostgreSQL: each test has a database of its own, made from one that was planted --- */

static const char *pg_start(void)
{
	char out[256];
	const char *why = pg_server_start();

	if (why)
		return why;
	AG_ASSERT(psql("postgres", "CREATE DATABASE planted", out, sizeof(out)) == 0);
	AG_ASSERT(psql("planted", schema, out, sizeof(out)) == 0);
	return NULL;
}

static ag_str pg_uri(env *e)
{
	char sql[100], out[256];

	if (!e->database) {
		e->database = ++pg.ndatabase;
		snprintf(sql, sizeof(sql), "CREATE DATABASE t%u TEMPLATE planted", e->database);
		assert_int_equal(psql("postgres", sql, out, sizeof(out)), 0);
	}
	return ag_str_printf(e->arena, "postgresql://postgres:secret@127.0.0.1:%s/t%u", pg.port,
	                     e->database);
}

static void pg_take_away(env *e)
{
	char out[256];

	(void)e;
	assert_int_equal(postgres_sh("crash", out, sizeof(out)), 0);
}

static void pg_bring_back(env *e)
{
	char out[256];

	(void)e;
	assert_int_equal(postgres_sh("again", out, sizeof(out)), 0);
}

static ag_str pg_owner(env *e, const char *sql)
{
	char out[4096], db[16];

	snprintf(db, sizeof(db), "t%u", e->database);
	assert_int_equal(psql(db, sql, out, sizeof(out)), 0);
	return ag_str_dup(e->arena, ag_str_trim(ag_str_c(out)));
}

static const sql_fixture fixtures[] = {
	{ "sqlite", false, sqlite_start, sqlite_stop, sqlite_uri, sqlite_take_away,
	  sqlite_bring_back, sqlite_owner },
	{ "postgresql", true, pg_start, pg_stop, pg_uri, pg_take_away, pg_bring_back, pg_owner },
};

/* --- an env --- */

static const char *skipped[AG_NELEM(fixtures)];

static int setup(void **state)
{
	const sql_fixture *f = *state;
	env *e = ag_xcalloc(1, sizeof(*e));

	e->fixture = f;
	e->arena = ag_arena_new();
	e->rq.watch_fd = -1;
	test_folder_make(e->folder, "sql");
	*state = e;
	return 0;
}

static int teardown(void **state)
{
	env *e = *state;

	ag_sql_result_release(&e->r);
	ag_sql_close(e->source);
	ag_arena_free(e->arena);
	test_folder_remove(e->folder);
	free(e);
	return 0;
}

static void copy_list(env *e, const char *const *names, const ag_str **ret, size_t *nret)
{
	ag_str *list;
	size_t n = 0;

	while (names && names[n])
		n++;
	list = ag_new_n(e->arena, ag_str, n + 1);
	for (size_t i = 0; i < n; i++)
		list[i] = ag_str_c(names[i]);
	*ret = list;
	*nret = n;
}

void sql_open_lists(env *e, const char *const *allowed, const char *const *excluded)
{
	ag_sql_policy *p = &e->opts.policy;
	ag_str uri = e->fixture->uri(e);

	e->source = ag_sql_close(e->source);
	copy_list(e, allowed, &p->allowed_tables, &p->nallowed_table);
	copy_list(e, excluded, &p->excluded_tables, &p->nexcluded_table);
	if (ag_sql_open(uri, &e->opts, &e->source, &e->err))
		fail_msg("%s", e->err.msg);
}

void sql_open(env *e)
{
	static const char *const excluded[] = { "secret", NULL };

	sql_open_lists(e, NULL, excluded);
}

void sql_run(env *e, const char *sql)
{
	ag_sql_result_release(&e->r);
	e->rq.sql = ag_str_c(sql);
	if (ag_sql_query(e->source, e->ctx, &e->rq, e->arena, &e->r, &e->err))
		fail_msg("%s: %s", sql, e->err.msg);
	/* What holds of every result. */
	assert_true(e->r.is_ok == (e->r.failure.code == AG_SQLCODE_NONE));
	if (e->r.is_ok) {
		assert_true(ag_sql_allowed(&e->r.verdict));
		assert_true(e->r.sql_executed.len > 0);
		assert_true(e->r.rows_seen >= e->r.nrow);
		assert_int_equal(e->r.cut != AG_SQL_WHOLE, e->r.rows_seen > e->r.nrow);
		assert_int_equal(e->r.cut != AG_SQL_WHOLE, e->r.how_to_go_on.len > 0);
	} else {
		assert_true(e->r.failure.message.len > 0);
		assert_non_null(e->r.failure.class_name);
	}
}

void sql_assert_ok(env *e, const char *sql)
{
	sql_run(e, sql);
	if (!e->r.is_ok)
		fail_msg("%s\n%s: %.*s", sql, ag_sql_code_name(e->r.failure.code),
		         AG_FMT(e->r.failure.message));
}

void sql_assert_rows(env *e, const char *sql, const char *rows)
{
	sql_assert_ok(e, sql);
	assert_string_equal(e->r.rows.ptr, rows);
}

void sql_assert_refused(env *e, const char *sql, const char *rule)
{
	sql_run(e, sql);
	if (e->r.is_ok || strcmp(ag_sql_rule_id(e->r.verdict.rule), rule) != 0)
		fail_msg("%s\nwant the rule %s, got %s: %.*s", sql, rule,
		         ag_sql_rule_id(e->r.verdict.rule), AG_FMT(e->r.failure.message));
	assert_int_equal(e->r.failure.code, AG_SQLCODE_VALIDATION);
	assert_int_equal(e->r.sql_executed.len, 0);
	assert_int_equal(e->r.rows.len, 0);
}

void sql_assert_failed(env *e, const char *sql, const char *code, const char *class_name)
{
	sql_run(e, sql);
	if (e->r.is_ok || strcmp(ag_sql_code_name(e->r.failure.code), code) != 0 ||
	    strcmp(e->r.failure.class_name, class_name) != 0)
		fail_msg("%s\nwant %s %s, got %s %s: %.*s", sql, code, class_name,
		         ag_sql_code_name(e->r.failure.code),
		         e->r.is_ok ? "-" : e->r.failure.class_name, AG_FMT(e->r.failure.message));
}

void sql_assert_tables(env *e, const char *const *names)
{
	size_t n = 0;

	for (; names[n]; n++) {
		bool found = false;

		for (size_t i = 0; i < e->r.verdict.ntable; i++)
			found = found || ag_str_eqc(e->r.verdict.tables[i], names[n]);
		if (!found)
			fail_msg("%s is not among the tables", names[n]);
	}
	assert_int_equal(e->r.verdict.ntable, n);
}

/* --- the suite --- */

static int setup_or_skip(void **state)
{
	const sql_fixture *f = *state;

	if (!skipped[f - fixtures])
		return setup(state);
	*state = NULL;
	return 0;
}

static int teardown_or_skip(void **state)
{
	return *state ? teardown(state) : 0;
}

/* cmocka gives a test only its state: skipping is a test of its own. */
static void say_skipped(void **state)
{
	(void)state;
	skip();
}

int sql_run_suite(const sql_test *tests, size_t ntest)
{
	struct CMUnitTest *all = ag_xcalloc(ntest * AG_NELEM(fixtures), sizeof(*all));
	ag_arena *names = ag_arena_new();
	size_t n = 0;
	int failed;

	for (size_t i = 0; i < AG_NELEM(fixtures); i++) {
		skipped[i] = fixtures[i].start();
		if (skipped[i])
			printf("# %s: skipped, %s\n", fixtures[i].name, skipped[i]);
	}
	for (size_t i = 0; i < ntest * AG_NELEM(fixtures); i++) {
		const sql_fixture *f = &fixtures[i / ntest];
		const sql_test *t = &tests[i % ntest];

		all[n++] = (struct CMUnitTest){
			.name = ag_str_printf(names, "%s_%s", f->name, t->name).ptr,
			.test_func = skipped[i / ntest] ? say_skipped : t->run,
			.setup_func = setup_or_skip,
			.teardown_func = teardown_or_skip,
			.initial_state = (void *)(uintptr_t)f,
		};
	}
	failed = _cmocka_run_group_tests("sql", all, n, NULL, NULL);
	for (size_t i = 0; i < AG_NELEM(fixtures); i++)
		fixtures[i].stop();
	ag_arena_free(names);
	free(all);
	return failed;
}
