/* One request: a statement is judged and run in one read transaction and rolled back. A file that changed beneath a reader
 * that holds no lock (see sqlite_sql_open.c) is read again. */
#include "sql/sqlite_sql.h"

/* A file that changes while it is read is read again so often. */
#define NTRY 3

void ag_sqlite_sql_release(ag_sqlite_sql *s)
{
	ag_sqlite_conn_close(s->conn);
	s->conn = NULL;
}

static void fail_changed(ag_sqlite_sql *s, ag_arena *arena, ag_sql_failure *ret)
{
	ag_sql_failure_of_state("40001", ret);
	ret->message = ag_str_printf(arena, "%.*s was changed again and again while it was read",
	                             AG_FMT(s->shown));
}

/* --- one statement --- */

/* EXPLAIN QUERY PLAN gives id, parent, an unused number and the detail. */
static int put_plan(ag_sqlite_conn *c, ag_str sql, ag_arena *arena, const ag_sql_limits *limits,
                    ag_sqlite_out *out)
{
	ag_str text = ag_str_printf(arena, "EXPLAIN QUERY PLAN %.*s", AG_FMT(sql));
	ag_sql_limits own = *limits;
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(c->db, text.ptr, (int)text.len + 1, &stmt, NULL);

	own.max_rows = UINT64_MAX;
	if (!rc)
		rc = ag_sqlite_rows(c, stmt, &own, out);
	sqlite3_finalize(stmt);
	return rc;
}

/* In c's transaction, with the compiled statement. Fills *f when it does not come to its end. False: what was written is
 * void. */
static bool run_in(ag_sqlite_conn *c, sqlite3_stmt *stmt, ag_str sql, const ag_sqlite_request *rq,
                   ag_arena *arena, ag_sqlite_out *out, ag_sql_failure *f)
{
	int rc = rq->verb == AG_SQLITE_ASK_RUN ? ag_sqlite_rows(c, stmt, &rq->limits, out)
	                                       : put_plan(c, sql, arena, &rq->limits, out);
	bool is_good = true;

	if (rc != SQLITE_DONE)
		ag_sqlite_failure(c, rc, sql, arena, f);
	/* A statement that SQLite compiled again saw another schema than the one that was judged. The transaction should
	 * exclude that. */
	if (sqlite3_stmt_status(stmt, SQLITE_STMTSTATUS_REPREPARE, 1) > 0) {
		c->must_close = true;
		is_good = false;
	}
	sqlite3_reset(stmt);
	return is_good;
}

static bool is_explain(ag_sqlite_verb verb)
{
	return verb == AG_SQLITE_ASK_EXPLAIN || verb == AG_SQLITE_ASK_JUDGE_EXPLAIN;
}

/* False: what was written is void. */
static bool try_statement(ag_sqlite_sql *s, const ag_sqlite_request *rq, ag_arena *arena,
                          ag_sqlite_out *out)
{
	ag_sql_verdict v = { .message = AG_S(""), .hint = AG_S(""), .sql = AG_S("") };
	ag_sql_failure f = { 0 };
	ag_sqlite_conn *c = NULL;
	sqlite3_stmt *stmt = NULL;
	bool is_good = true;

	if (ag_sqlite_sql_begin(s, arena, &c, &f)) {
		ag_sqlite_compile(c, rq->sql, is_explain(rq->verb) ? AG_SQL_EXPLAIN : AG_SQL_RUN,
		                  arena, &stmt, &v, &f);
		ag_sqlite_out_verdict(out, &v);
		if (stmt && (rq->verb == AG_SQLITE_ASK_RUN || rq->verb == AG_SQLITE_ASK_EXPLAIN))
			is_good = run_in(c, stmt, v.sql, rq, arena, out, &f);
		is_good = ag_sqlite_sql_end(c) && is_good;
	}
	if (is_good && f.code)
		ag_sqlite_out_failure(out, &f);
	return is_good;
}

static void answer_statement(ag_sqlite_sql *s, const ag_sqlite_request *rq, ag_arena *arena,
                             ag_sqlite_out *out)
{
	ag_sql_failure f;

	for (int i = 0; i < NTRY; i++) {
		if (try_statement(s, rq, arena, out))
			return;
		ag_sqlite_out_record(out, AG_SQLITE_AGAIN, AG_S(""));
	}
	fail_changed(s, arena, &f);
	ag_sqlite_out_failure(out, &f);
}

/* --- the dictionary --- */

static void answer_dictionary(ag_sqlite_sql *s, const ag_sqlite_request *rq, ag_arena *arena,
                              ag_sqlite_out *out)
{
	ag_buf json = AG_BUF_INIT(AG_SQLITE_MAX_DICTIONARY_BYTES);
	ag_sql_failure f = { 0 };
	ag_dictionary d;
	ag_str rest;
	ag_jw w;

	ag_sqlite_introspect(s, &rq->dictionary, arena, &d, &f);
	if (!f.code) {
		ag_jw_init(&w, &json, 0);
		ag_dictionary_write(&d, &w);
	}
	if (json.failed) {
		ag_sql_failure_of_state("54000", &f);
		f.message = AG_S("the description of the database is longer than 64 MiB");
	}
	if (f.code)
		ag_sqlite_out_failure(out, &f);
	rest = f.code ? AG_S("") : ag_buf_view(&json);
	while (rest.len) {
		size_t n = rest.len < AG_SQLITE_CHUNK_BYTES ? rest.len : AG_SQLITE_CHUNK_BYTES;

		ag_sqlite_out_record(out, AG_SQLITE_JSON, ag_str_make(rest.ptr, n));
		rest = ag_str_make(rest.ptr + n, rest.len - n);
	}
	ag_buf_release(&json);
}

void ag_sqlite_sql_answer(ag_sqlite_sql *s, const ag_sqlite_request *rq, ag_sqlite_out *out)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();

	if (rq->verb == AG_SQLITE_ASK_DICTIONARY)
		answer_dictionary(s, rq, arena, out);
	else
		answer_statement(s, rq, arena, out);
	ag_sqlite_out_record(out, AG_SQLITE_END_OF_ANSWER, AG_S(""));
}
