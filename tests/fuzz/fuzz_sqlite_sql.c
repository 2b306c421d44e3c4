/* Any bytes as a statement for a small SQLite database: an answer within its limits, nothing of the excluded table in it,
 * and the file stays as it is. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "fuzz.h"
#include "source/sql.h"
#include "source/sqlite_sql_text.h"

/* Stands nowhere but in the excluded table. */
#define SECRET "zq7wvhidden"

#define MAX_ROWS  20
#define MAX_BYTES 2000

static void check(bool ok)
{
	if (!ok)
		abort();
}

static char path[64];

static void forget(void)
{
	unlink(path);
}

static void plant(void)
{
	static const char schema[] =
		"CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, age INT, score REAL, x BLOB);"
		"CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INT, total NUMERIC);"
		"CREATE TABLE secret (id INTEGER, k TEXT);"
		"CREATE VIEW names AS SELECT id, name FROM users;"
		"CREATE VIEW leak AS SELECT k FROM secret;"
		"CREATE INDEX by_k ON secret (k);"
		"CREATE VIRTUAL TABLE docs USING fts5(title, body);"
		"INSERT INTO users VALUES (1, 'Ann', 30, 1.5, x'00ff'), (2, 'Bob', NULL, 1e300, NULL);"
		"INSERT INTO orders VALUES (1, 1, 10), (2, 1, 20.5), (3, 2, 9007199254740993);"
		"INSERT INTO secret VALUES (1, '" SECRET "');"
		"INSERT INTO docs VALUES ('hello', 'big world');";
	sqlite3 *db = NULL;
	int fd;

	snprintf(path, sizeof(path), "/tmp/argus-fuzz-sqlite-XXXXXX");
	fd = mkstemp(path);
	check(fd >= 0 && close(fd) == 0);
	atexit(forget);
	check(sqlite3_open(path, &db) == SQLITE_OK);
	check(sqlite3_exec(db, schema, NULL, NULL, NULL) == SQLITE_OK);
	sqlite3_close(db);
}

static ag_sql_source *open_planted(void)
{
	static const ag_str excluded[] = { AG_S_INIT("secret") };
	ag_sql_opts opts = { .max_connections = 1, .statement_timeout_ms = 100 };
	ag_sql_source *s = NULL;
	char uri[80];
	ag_err err;

	plant();
	opts.policy.excluded_tables = excluded;
	opts.policy.nexcluded_table = 1;
	snprintf(uri, sizeof(uri), "sqlite:%s", path);
	check(ag_sql_open(ag_str_c(uri), &opts, &s, &err) == AG_OK);
	return s;
}

static void look_at_text(ag_str sql)
{
	size_t at = 0, last = 0;
	ag_str token;

	while (ag_sqlite_next(sql, &at, &token) != AG_SQLITE_END) {
		check(at > last && at <= sql.len && token.len == at - last);
		last = at;
	}
	check(last == sql.len);
	check(ag_sqlite_fingerprint(sql) != 0);
	check(ag_sqlite_skip(sql).len <= sql.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static ag_sql_source
		*s; /* opened once: the file is never changed, which is what is checked */
	static struct stat before;
	ag_arena *arena = ag_arena_new();
	ag_sql_request rq = { .sql = ag_str_make((const char *)data, size),
		              .max_rows = MAX_ROWS,
		              .max_bytes = MAX_BYTES,
		              .watch_fd = -1 };
	ag_sql_verdict v;
	ag_sql_result r;
	struct stat after;
	ag_err err;

	if (!s) {
		s = open_planted();
		check(stat(path, &before) == 0);
	}
	look_at_text(rq.sql);
	check(ag_sql_query(s, NULL, &rq, arena, &r, &err) == AG_OK);
	check(r.is_ok == (r.failure.code == AG_SQLCODE_NONE));
	check(r.nrow <= MAX_ROWS && r.rows.len <= MAX_BYTES);
	if (r.is_ok) {
		check(ag_sql_allowed(&r.verdict));
		/* The text may write the word itself. */
		check(!ag_str_contains(ag_buf_view(&r.rows), AG_S(SECRET)) ||
		      ag_str_contains(rq.sql, AG_S("zq7")));
		for (size_t i = 0; i < r.verdict.ntable; i++)
			check(!ag_str_ieq(r.verdict.tables[i], AG_S("secret")));
	} else {
		check(r.failure.message.len > 0 && r.failure.class_name);
	}
	ag_sql_result_release(&r);
	check(ag_sql_judge(s, NULL, rq.sql, arena, &v, &err) == AG_OK);
	check(ag_sql_explain(s, NULL, &rq, arena, &r, &err) == AG_OK);
	ag_sql_result_release(&r);
	check(stat(path, &after) == 0 && after.st_size == before.st_size &&
	      after.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
	ag_arena_free(arena);
	return 0;
}
