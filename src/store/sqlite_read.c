/* What reads a store. Each operation is one statement, so it sees one state of the store.
 *
 * Rows collect in a growing array and are copied into the arena at the end; texts go to the arena
 * at once. A read takes no lock that a writer waits for. */
#include <stdlib.h>

#include "base/fault.h"
#include "store/sqlite.h"

#define ORIGIN "store.sqlite"

static int first_row(ag_sqlite_store *s, sqlite3_stmt *stmt)
{
	return ag_fault("store.read") ? SQLITE_IOERR : ag_sqlite_step(s, stmt);
}

static int next_row(sqlite3_stmt *stmt)
{
	return ag_fault("store.read") ? SQLITE_IOERR : sqlite3_step(stmt);
}

static ag_str column_str(sqlite3_stmt *stmt, int i, ag_arena *arena)
{
	const char *text = (const char *)sqlite3_column_text(stmt, i);

	return ag_str_dup(arena, ag_str_make(text, (size_t)sqlite3_column_bytes(stmt, i)));
}

static uint64_t column_u64(sqlite3_stmt *stmt, int i)
{
	int64_t v = sqlite3_column_int64(stmt, i);

	return v > 0 ? (uint64_t)v : 0;
}

/* "" when what stands there is no id: only a damaged file has such. */
static ag_id column_id(sqlite3_stmt *stmt, int i)
{
	const char *text = (const char *)sqlite3_column_text(stmt, i);
	ag_id id = { "" };

	AG_IGNORE(!ag_id_parse(ag_str_make(text, (size_t)sqlite3_column_bytes(stmt, i)), &id),
	          "stays empty");
	return id;
}

/* Rows of one kind while their number is not known. */
typedef struct rows {
	char *ptr;
	size_t n, cap, size;
} rows;

static void rows_release(rows *r)
{
	free(r->ptr);
}

static void *rows_add(rows *r)
{
	if (r->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 64;
		r->ptr = ag_xrealloc(r->ptr, r->cap * r->size);
	}
	return memset(r->ptr + r->size * r->n++, 0, r->size);
}

static void *rows_dup(const rows *r, ag_arena *arena)
{
	void *copy = ag_arena_alloc(arena, r->n ? r->n * r->size : 1);

	if (r->n)
		memcpy(copy, r->ptr, r->n * r->size);
	return copy;
}

static ag_status too_much(ag_err *err)
{
	return ag_fail(err, AG_LIMIT, ORIGIN,
	               "the log is larger than %u MB, too much to read at once",
	               AG_STORE_MAX_READ_BYTES >> 20);
}

/* --- events --- */

static void read_event(sqlite3_stmt *stmt, const ag_id *run, ag_arena *arena, ag_event *ev)
{
	ag_str type = column_str(stmt, 2, arena);

	ev->run = *run;
	ev->seq = column_u64(stmt, 0);
	ev->v = sqlite3_column_int(stmt, 1);
	ev->type = ag_event_type_parse(type);
	ev->type_text = ev->type == AG_EV_UNKNOWN ? type : AG_S("");
	ev->call_id = column_id(stmt, 3);
	ev->cause = column_u64(stmt, 4);
	ev->at_ms = sqlite3_column_int64(stmt, 5);
	ev->payload = column_str(stmt, 6, arena);
}

ag_status ag_sqlite_events(ag_store *base, const ag_id *run, uint64_t after_seq, ag_arena *arena,
                           ag_event **ret, size_t *nret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	AG_AUTO(rows_release) rows list = { .size = sizeof(ag_event) };
	size_t nbyte = 0;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_EVENTS, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, ag_id_str(run));
	sqlite3_bind_int64(stmt, 2, (int64_t)after_seq);
	for (rc = first_row(s, stmt); rc == SQLITE_ROW; rc = next_row(stmt)) {
		ag_event *ev = rows_add(&list);

		read_event(stmt, run, arena, ev);
		nbyte += ev->payload.len + sizeof(*ev);
		if (nbyte > AG_STORE_MAX_READ_BYTES)
			return too_much(err);
	}
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = rows_dup(&list, arena);
	*nret = list.n;
	return AG_OK;
}

/* --- runs --- */

/* The order of RUN_COLUMNS in sqlite.c. */
static void read_run(sqlite3_stmt *stmt, ag_arena *arena, ag_run_row *r)
{
	r->id = column_id(stmt, 0);
	r->agent = column_str(stmt, 1, arena);
	r->source_uri = column_str(stmt, 2, arena);
	r->source_key = column_str(stmt, 3, arena);
	r->collection = column_str(stmt, 4, arena);
	r->status = column_str(stmt, 5, arena);
	r->verdict = column_str(stmt, 6, arena);
	r->summary = column_str(stmt, 7, arena);
	r->started_ms = sqlite3_column_int64(stmt, 8);
	r->finished_ms = sqlite3_column_int64(stmt, 9);
	r->documents = column_u64(stmt, 10);
	r->critical = (uint32_t)sqlite3_column_int64(stmt, 11);
	r->high = (uint32_t)sqlite3_column_int64(stmt, 12);
	r->medium = (uint32_t)sqlite3_column_int64(stmt, 13);
	r->low = (uint32_t)sqlite3_column_int64(stmt, 14);
}

ag_status ag_sqlite_runs(ag_store *base, ag_str source_key, size_t limit, size_t offset,
                         ag_arena *arena, ag_run_row **ret, size_t *nret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	AG_AUTO(rows_release) rows list = { .size = sizeof(ag_run_row) };
	ag_sqlite_sql which = source_key.len ? AG_SQL_RUNS_OF_SOURCE : AG_SQL_RUNS;
	ag_status st = ag_sqlite_prepare(s, which, &stmt, err);
	int rc;

	if (st)
		return st;
	sqlite3_bind_int64(stmt, 1, (int64_t)limit);
	sqlite3_bind_int64(stmt, 2, (int64_t)offset);
	if (source_key.len)
		ag_sqlite_bind_str(stmt, 3, source_key);
	for (rc = first_row(s, stmt); rc == SQLITE_ROW; rc = next_row(stmt))
		read_run(stmt, arena, rows_add(&list));
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = rows_dup(&list, arena);
	*nret = list.n;
	return AG_OK;
}

static ag_status newest_run(ag_store *base, ag_arena *arena, ag_run_row *ret, ag_err *err)
{
	ag_run_row *row = NULL;
	size_t n = 0;
	ag_status st = ag_sqlite_runs(base, AG_S(""), 1, 0, arena, &row, &n, err);

	if (st)
		return st;
	if (n == 0)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "the store has no run yet");
	*ret = row[0];
	return AG_OK;
}

ag_status ag_sqlite_find_run(ag_store *base, ag_str prefix, ag_arena *arena, ag_run_row *ret,
                             ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_run_row row[2];
	size_t n = 0;
	ag_status st;
	int rc;

	if (ag_str_eqc(prefix, "last"))
		return newest_run(base, arena, ret, err);
	st = ag_sqlite_prepare(s, AG_SQL_RUNS_BY_PREFIX, &stmt, err);
	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, prefix);
	for (rc = first_row(s, stmt); rc == SQLITE_ROW && n < 2; rc = next_row(stmt))
		read_run(stmt, arena, &row[n++]);
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	if (n == 0) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "no run begins with \"%.*s\"", AG_FMT(prefix));
		ag_err_hint(err, "\"argus runs\" lists them");
		return AG_NOT_FOUND;
	}
	if (n == 2) {
		ag_fail(err, AG_INVALID, ORIGIN, "\"%.*s\" fits several runs, as %s and %s",
		        AG_FMT(prefix), row[0].id.text, row[1].id.text);
		ag_err_hint(err, "give more characters of the id");
		return AG_INVALID;
	}
	*ret = row[0];
	return AG_OK;
}

/* --- report and findings --- */

ag_status ag_sqlite_report(ag_store *base, const ag_id *run, ag_arena *arena, ag_str *ret,
                           ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_REPORT, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, ag_id_str(run));
	rc = first_row(s, stmt);
	if (rc == SQLITE_DONE)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "run %s has no report", run->text);
	if (rc != SQLITE_ROW)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = column_str(stmt, 0, arena);
	return AG_OK;
}

static void read_finding(sqlite3_stmt *stmt, const ag_id *run, ag_arena *arena, ag_finding_row *f)
{
	f->id = column_id(stmt, 0);
	f->run = *run;
	f->key = column_str(stmt, 1, arena);
	f->field = column_str(stmt, 2, arena);
	f->category = column_str(stmt, 3, arena);
	f->severity = column_str(stmt, 4, arena);
	f->status = column_str(stmt, 5, arena);
	f->affected = column_u64(stmt, 6);
	f->share = sqlite3_column_double(stmt, 7);
	f->label = column_str(stmt, 8, arena);
	f->body = column_str(stmt, 9, arena);
}

ag_status ag_sqlite_findings(ag_store *base, const ag_id *run, ag_arena *arena,
                             ag_finding_row **ret, size_t *nret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	AG_AUTO(rows_release) rows list = { .size = sizeof(ag_finding_row) };
	size_t nbyte = 0;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_FINDINGS, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, ag_id_str(run));
	for (rc = first_row(s, stmt); rc == SQLITE_ROW; rc = next_row(stmt)) {
		ag_finding_row *f = rows_add(&list);

		read_finding(stmt, run, arena, f);
		nbyte += f->body.len + sizeof(*f);
		if (nbyte > AG_STORE_MAX_READ_BYTES)
			return too_much(err);
	}
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = rows_dup(&list, arena);
	*nret = list.n;
	return AG_OK;
}
