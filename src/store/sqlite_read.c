/* What reads a store. Each operation is one statement, so it sees one state of the store.
 *
 * Rows collect in a growing array and are copied into the arena at the end; texts go to the arena
 * at once. A read takes no lock that a writer waits for. */
#include <stdlib.h>

#include "base/fault.h"
#include "store/sqlite.h"

#define ORIGIN "store.sqlite"

int ag_sqlite_first_row(ag_sqlite_store *s, sqlite3_stmt *stmt)
{
	return ag_fault("store.read") ? SQLITE_IOERR : ag_sqlite_step(s, stmt);
}

int ag_sqlite_next_row(sqlite3_stmt *stmt)
{
	return ag_fault("store.read") ? SQLITE_IOERR : sqlite3_step(stmt);
}

ag_str ag_sqlite_column_str(sqlite3_stmt *stmt, int i, ag_arena *arena)
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
ag_id ag_sqlite_column_id(sqlite3_stmt *stmt, int i)
{
	const char *text = (const char *)sqlite3_column_text(stmt, i);
	ag_id id = { "" };

	AG_IGNORE(!ag_id_parse(ag_str_make(text, (size_t)sqlite3_column_bytes(stmt, i)), &id),
	          "stays empty");
	return id;
}

void ag_sqlite_rows_release(ag_sqlite_rows *r)
{
	free(r->ptr);
}

void *ag_sqlite_rows_add(ag_sqlite_rows *r)
{
	if (r->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 64;
		r->ptr = ag_xrealloc(r->ptr, r->cap * r->size);
	}
	return memset(r->ptr + r->size * r->n++, 0, r->size);
}

void *ag_sqlite_rows_dup(const ag_sqlite_rows *r, ag_arena *arena)
{
	void *copy = ag_arena_alloc(arena, r->n ? r->n * r->size : 1);

	if (r->n)
		memcpy(copy, r->ptr, r->n * r->size);
	return copy;
}

ag_status ag_sqlite_too_much(const char *what, ag_err *err)
{
	return ag_fail(err, AG_LIMIT, ORIGIN, "%s larger than %u MB, too much to read at once",
	               what, AG_STORE_MAX_READ_BYTES >> 20);
}

/* --- events --- */

static void read_event(sqlite3_stmt *stmt, const ag_id *run, ag_arena *arena, ag_event *ev)
{
	ag_str type = ag_sqlite_column_str(stmt, 2, arena);

	ev->run = *run;
	ev->seq = column_u64(stmt, 0);
	ev->v = sqlite3_column_int(stmt, 1);
	ev->type = ag_event_type_parse(type);
	ev->type_text = ev->type == AG_EV_UNKNOWN ? type : AG_S("");
	ev->call_id = ag_sqlite_column_id(stmt, 3);
	ev->cause = column_u64(stmt, 4);
	ev->at_ms = sqlite3_column_int64(stmt, 5);
	ev->payload = ag_sqlite_column_str(stmt, 6, arena);
}

ag_status ag_sqlite_events(ag_store *base, const ag_id *run, uint64_t after_seq, ag_arena *arena,
                           ag_event **ret, size_t *nret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	AG_AUTO(ag_sqlite_rows_release) ag_sqlite_rows list = { .size = sizeof(ag_event) };
	size_t nbyte = 0;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_EVENTS, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, ag_id_str(run));
	sqlite3_bind_int64(stmt, 2, (int64_t)after_seq);
	for (rc = ag_sqlite_first_row(s, stmt); rc == SQLITE_ROW; rc = ag_sqlite_next_row(stmt)) {
		ag_event *ev = ag_sqlite_rows_add(&list);

		read_event(stmt, run, arena, ev);
		nbyte += ev->payload.len + sizeof(*ev);
		if (nbyte > AG_STORE_MAX_READ_BYTES)
			return ag_sqlite_too_much("the log is", err);
	}
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = ag_sqlite_rows_dup(&list, arena);
	*nret = list.n;
	return AG_OK;
}

/* --- runs --- */

/* The order of RUN_COLUMNS and RUN_COLUMNS_OF in sqlite.c. */
void ag_sqlite_read_run(sqlite3_stmt *stmt, ag_arena *arena, ag_run_row *r)
{
	r->id = ag_sqlite_column_id(stmt, 0);
	r->agent = ag_sqlite_column_str(stmt, 1, arena);
	r->source_uri = ag_sqlite_column_str(stmt, 2, arena);
	r->source_key = ag_sqlite_column_str(stmt, 3, arena);
	r->collection = ag_sqlite_column_str(stmt, 4, arena);
	r->status = ag_sqlite_column_str(stmt, 5, arena);
	r->verdict = ag_sqlite_column_str(stmt, 6, arena);
	r->summary = ag_sqlite_column_str(stmt, 7, arena);
	r->started_ms = sqlite3_column_int64(stmt, 8);
	r->finished_ms = sqlite3_column_int64(stmt, 9);
	r->documents = column_u64(stmt, 10);
	r->critical = (uint32_t)sqlite3_column_int64(stmt, 11);
	r->high = (uint32_t)sqlite3_column_int64(stmt, 12);
	r->medium = (uint32_t)sqlite3_column_int64(stmt, 13);
	r->low = (uint32_t)sqlite3_column_int64(stmt, 14);
	r->input_tokens = column_u64(stmt, 15);
	r->output_tokens = column_u64(stmt, 16);
	r->usd = sqlite3_column_double(stmt, 17);
}

ag_status ag_sqlite_runs(ag_store *base, ag_str source_key, size_t limit, size_t offset,
                         ag_arena *arena, ag_run_row **ret, size_t *nret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	AG_AUTO(ag_sqlite_rows_release) ag_sqlite_rows list = { .size = sizeof(ag_run_row) };
	ag_sqlite_sql which = source_key.len ? AG_SQL_RUNS_OF_SOURCE : AG_SQL_RUNS;
	ag_status st = ag_sqlite_prepare(s, which, &stmt, err);
	int rc;

	if (st)
		return st;
	sqlite3_bind_int64(stmt, 1, (int64_t)limit);
	sqlite3_bind_int64(stmt, 2, (int64_t)offset);
	if (source_key.len)
		ag_sqlite_bind_str(stmt, 3, source_key);
	for (rc = ag_sqlite_first_row(s, stmt); rc == SQLITE_ROW; rc = ag_sqlite_next_row(stmt))
		ag_sqlite_read_run(stmt, arena, ag_sqlite_rows_add(&list));
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = ag_sqlite_rows_dup(&list, arena);
	*nret = list.n;
	return AG_OK;
}

/* A run that ended while its data was read has nothing to show: "last" is the one before it. */
static ag_status newest_run(ag_store *base, ag_arena *arena, ag_run_row *ret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_run_row *row = NULL;
	size_t n = 0;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_RUN_NEWEST, &stmt, err);
	int rc;

	if (st)
		return st;
	rc = ag_sqlite_first_row(s, stmt);
	if (rc == SQLITE_ROW) {
		ag_sqlite_read_run(stmt, arena, ret);
		return AG_OK;
	}
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	st = ag_sqlite_runs(base, AG_S(""), 1, 0, arena, &row, &n, err);
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
	for (rc = ag_sqlite_first_row(s, stmt); rc == SQLITE_ROW && n < 2;
	     rc = ag_sqlite_next_row(stmt))
		ag_sqlite_read_run(stmt, arena, &row[n++]);
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
	rc = ag_sqlite_first_row(s, stmt);
	if (rc == SQLITE_DONE)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "run %s has no report", run->text);
	if (rc != SQLITE_ROW)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = ag_sqlite_column_str(stmt, 0, arena);
	return AG_OK;
}

/* The order of FINDING_COLUMNS_OF in sqlite.c. */
void ag_sqlite_read_finding(sqlite3_stmt *stmt, int at, const ag_id *run, ag_arena *arena,
                            ag_finding_row *f)
{
	f->id = ag_sqlite_column_id(stmt, at);
	f->run = *run;
	f->key = ag_sqlite_column_str(stmt, at + 1, arena);
	f->field = ag_sqlite_column_str(stmt, at + 2, arena);
	f->category = ag_sqlite_column_str(stmt, at + 3, arena);
	f->severity = ag_sqlite_column_str(stmt, at + 4, arena);
	f->status = ag_sqlite_column_str(stmt, at + 5, arena);
	f->affected = column_u64(stmt, at + 6);
	f->share = sqlite3_column_double(stmt, at + 7);
	f->label = ag_sqlite_column_str(stmt, at + 8, arena);
	f->labelled_ms = sqlite3_column_int64(stmt, at + 9);
	f->body = ag_sqlite_column_str(stmt, at + 10, arena);
}

ag_status ag_sqlite_findings(ag_store *base, const ag_id *run, ag_arena *arena,
                             ag_finding_row **ret, size_t *nret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	AG_AUTO(ag_sqlite_rows_release) ag_sqlite_rows list = { .size = sizeof(ag_finding_row) };
	size_t nbyte = 0;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_FINDINGS, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, ag_id_str(run));
	for (rc = ag_sqlite_first_row(s, stmt); rc == SQLITE_ROW; rc = ag_sqlite_next_row(stmt)) {
		ag_finding_row *f = ag_sqlite_rows_add(&list);

		ag_sqlite_read_finding(stmt, 0, run, arena, f);
		nbyte += f->body.len + sizeof(*f);
		if (nbyte > AG_STORE_MAX_READ_BYTES)
			return ag_sqlite_too_much("the findings are", err);
	}
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = ag_sqlite_rows_dup(&list, arena);
	*nret = list.n;
	return AG_OK;
}

ag_status ag_sqlite_lease_holder(ag_store *base, const ag_id *run, ag_arena *arena,
                                 ag_str *ret_owner, int64_t *ret_until_ms, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_LEASE, &stmt, err);
	int rc;

	*ret_owner = AG_S("");
	*ret_until_ms = 0;
	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, ag_id_str(run));
	rc = ag_sqlite_first_row(s, stmt);
	if (rc == SQLITE_ROW) {
		*ret_owner = ag_sqlite_column_str(stmt, 0, arena);
		*ret_until_ms = sqlite3_column_int64(stmt, 1);
	} else if (rc != SQLITE_DONE) {
		return ag_sqlite_fail(s, rc, "read", err);
	}
	return AG_OK;
}

/* --- is it whole? --- */

#define MAX_FAULTS 8

ag_status ag_sqlite_check(ag_store *base, ag_arena *arena, ag_str **ret, size_t *nret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	ag_str *faults = ag_new_n(arena, ag_str, MAX_FAULTS);
	sqlite3_stmt *stmt = NULL;
	ag_err why = { 0 };
	size_t n = 0;
	int rc = ag_sqlite_prepare_text(s, "PRAGMA integrity_check(8)", 0, &stmt);

	if (!rc)
		rc = ag_sqlite_first_row(s, stmt);
	while (rc == SQLITE_ROW && n < MAX_FAULTS) {
		const ag_str text = ag_sqlite_column_str(stmt, 0, arena);

		if (!ag_str_eqc(text, "ok"))
			faults[n++] = text;
		rc = ag_sqlite_next_row(stmt);
	}
	if (rc != SQLITE_DONE && rc != SQLITE_ROW)
		AG_IGNORE(ag_sqlite_fail(s, rc, "read", &why), "see below");
	sqlite3_finalize(stmt);
	if (why.status && ag_store_is_damaged(&why)) {
		if (n < MAX_FAULTS)
			faults[n++] = ag_str_dup(arena, ag_str_c(why.msg));
	} else if (why.status) {
		*err = why;
		return why.status;
	}
	*ret = faults;
	*nret = n;
	return AG_OK;
}
