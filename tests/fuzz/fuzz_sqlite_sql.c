/* Any bytes as a statement for a small SQLite database: an answer within its limits, nothing of the excluded table in it,
 * and the file stays as it is. Here the child's engine runs in this process, so that a fuzzer sees what it covers; its answer
 * goes to the parent's parser, in pieces of odd sizes. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "fuzz.h"
#include "sql/sqlite_sql.h"
#include "sql/sqlite_sql_text.h"

/* Stands nowhere but in the excluded table. */
#define SECRET "zq7wvhidden"

#define MAX_ROWS  20
#define MAX_BYTES 2000
#define MAX_MS    100

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

static _Atomic uint32_t stop;
static ag_sql_opts opts;
static ag_sqlite_sql engine;

static void on_alarm(int signal)
{
	(void)signal;
	atomic_store(&stop, AG_SQLITE_STOP);
}

static void open_planted(void)
{
	static const ag_str excluded[] = { AG_S_INIT("secret") };

	plant();
	opts.policy.dialect = AG_SQL_SQLITE;
	opts.policy.schema = AG_S("main");
	opts.policy.excluded_tables = excluded;
	opts.policy.nexcluded_table = 1;
	opts.policy.max_rows = MAX_ROWS;
	opts.policy.max_bytes = AG_SQL_MAX_BYTES;
	engine = (ag_sqlite_sql){ .opts = &opts,
		                  .path = path,
		                  .shown = AG_S("sqlite:fuzz"),
		                  .folder = "",
		                  .stop = &stop };
	sqlite3_hard_heap_limit64(AG_SQLITE_MAX_HEAP_BYTES);
	signal(SIGALRM, on_alarm);
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

typedef struct sink {
	ag_sqlite_answer answer;
	size_t step;
} sink;

static bool flush(ag_sqlite_out *o, bool more)
{
	sink *k = o->to;

	(void)more;
	for (size_t at = 0; at < o->len; at += k->step) {
		size_t n = o->len - at < k->step ? o->len - at : k->step;

		check(ag_sqlite_answer_feed(&k->answer, o->bytes + at, n));
	}
	return true;
}

static void ask(const ag_sqlite_request *rq, ag_arena *arena, ag_sql_result *ret)
{
	static char chunk[1 << 16];
	sink k = { .step = 1 + rq->sql.len % 97 };
	ag_sqlite_out out = { .bytes = chunk, .cap = sizeof(chunk), .flush = flush, .to = &k };
	struct itimerval timer = { .it_value.tv_usec = MAX_MS * 1000 }, none = { 0 };

	*ret = (ag_sql_result){ 0 };
	ag_sqlite_answer_init(&k.answer, rq, arena, ret);
	atomic_store(&stop, AG_SQLITE_GO);
	setitimer(ITIMER_REAL, &timer, NULL);
	ag_sqlite_sql_answer(&engine, rq, &out);
	setitimer(ITIMER_REAL, &none, NULL);
	check(ag_sqlite_out_end(&out));
	check(k.answer.is_ended);
	ag_sqlite_answer_release(&k.answer);
}

static void check_result(const ag_sql_result *r, ag_str sql)
{
	check(!r->is_ok || !r->failure.code);
	check(r->nrow <= MAX_ROWS && r->rows.len <= MAX_BYTES);
	if (!r->is_ok) {
		check(r->failure.code ? r->failure.message.len && r->failure.class_name
		                      : !ag_sql_allowed(&r->verdict) && r->verdict.message.len);
		return;
	}
	check(ag_sql_allowed(&r->verdict));
	/* The text may write the word itself. */
	check(!ag_str_contains(ag_buf_view(&r->rows), AG_S(SECRET)) ||
	      ag_str_contains(sql, AG_S("zq7")));
	for (size_t i = 0; i < r->verdict.ntable; i++)
		check(!ag_str_ieq(r->verdict.tables[i], AG_S("secret")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Opened once: the file is never changed, which is what is checked. */
	static struct stat before;
	ag_arena *arena = ag_arena_new();
	ag_sqlite_request rq = {
		.verb = AG_SQLITE_ASK_RUN,
		.sql = ag_str_make((const char *)data, size),
		.limits = { .max_rows = MAX_ROWS, .max_bytes = MAX_BYTES, .watch_fd = -1 }
	};
	struct stat after;
	ag_sql_result r;

	if (!engine.path) {
		open_planted();
		check(stat(path, &before) == 0);
	}
	look_at_text(rq.sql);
	ask(&rq, arena, &r);
	check_result(&r, rq.sql);
	ag_sql_result_release(&r);
	rq.verb = AG_SQLITE_ASK_JUDGE;
	ask(&rq, arena, &r);
	check(!r.is_ok && r.rows.len == 0);
	rq.verb = AG_SQLITE_ASK_EXPLAIN;
	ask(&rq, arena, &r);
	ag_sql_result_release(&r);
	check(stat(path, &after) == 0 && after.st_size == before.st_size &&
	      after.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
	ag_arena_free(arena);
	return 0;
}
