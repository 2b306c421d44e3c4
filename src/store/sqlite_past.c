/* What looks back: runs with their findings, findings that wait, labels.
 *
 * A run and its findings come as rows of one statement, side by side, so both are of one state of the store.
 * Invariant: rows of one run stand together; take() begins a new run where the id changes. */
#include "store/sqlite.h"

/* Runs grow beside the findings, so a run notes where its findings begin until both have their place. */
typedef struct taken {
	ag_sqlite_rows runs, findings;
	size_t nbyte;
} taken;

static void taken_release(taken *t)
{
	ag_sqlite_rows_release(&t->runs);
	ag_sqlite_rows_release(&t->findings);
}

static ag_past_run *run_at(const taken *t, size_t i)
{
	return (ag_past_run *)(void *)t->runs.ptr + i;
}

static ag_status take(taken *t, sqlite3_stmt *stmt, ag_arena *arena, ag_err *err)
{
	const ag_id id = ag_sqlite_column_id(stmt, 0);
	ag_past_run *run = t->runs.n ? run_at(t, t->runs.n - 1) : NULL;
	ag_finding_row *f;

	if (!run || !ag_str_eq(ag_id_str(&run->run.id), ag_id_str(&id))) {
		run = ag_sqlite_rows_add(&t->runs);
		ag_sqlite_read_run(stmt, arena, &run->run);
		t->nbyte += sizeof(*run) + run->run.summary.len;
	}
	if (sqlite3_column_type(stmt, AG_SQLITE_RUN_NCOLUMN) == SQLITE_NULL)
		return AG_OK;
	f = ag_sqlite_rows_add(&t->findings);
	ag_sqlite_read_finding(stmt, AG_SQLITE_RUN_NCOLUMN, &run->run.id, arena, f);
	run->nfinding++;
	t->nbyte += sizeof(*f) + f->body.len;
	return t->nbyte > AG_STORE_MAX_READ_BYTES ? ag_sqlite_too_much("the findings are", err)
	                                          : AG_OK;
}

/* Run the statement; its columns are those of a run, then those of a finding or NULLs. */
static ag_status read_past(ag_sqlite_store *s, sqlite3_stmt *stmt, ag_arena *arena,
                           ag_past_run **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(taken_release)
	taken t = { .runs = { .size = sizeof(ag_past_run) },
		    .findings = { .size = sizeof(ag_finding_row) } };
	const ag_finding_row *next;
	ag_past_run *runs;
	int rc;

	for (rc = ag_sqlite_first_row(s, stmt); rc == SQLITE_ROW; rc = ag_sqlite_next_row(stmt)) {
		const ag_status st = take(&t, stmt, arena, err);

		if (st)
			return st;
	}
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	runs = ag_sqlite_rows_dup(&t.runs, arena);
	next = ag_sqlite_rows_dup(&t.findings, arena);
	for (size_t i = 0; i < t.runs.n; i++) {
		runs[i].findings = next;
		next += runs[i].nfinding;
	}
	*ret = runs;
	*nret = t.runs.n;
	return AG_OK;
}

ag_status ag_sqlite_past(ag_store *base, const ag_past_query *q, ag_arena *arena, ag_past_run **ret,
                         size_t *nret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_PAST, &stmt, err);

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, q->source_key);
	ag_sqlite_bind_str(stmt, 2, q->agent);
	ag_sqlite_bind_str(stmt, 3, q->before ? ag_id_str(q->before) : AG_S(""));
	sqlite3_bind_int64(stmt, 4, (int64_t)q->max_runs);
	return read_past(s, stmt, arena, ret, nret, err);
}

ag_status ag_sqlite_pending(ag_store *base, const ag_id *run, size_t limit, ag_arena *arena,
                            ag_past_run **ret, size_t *nret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_PENDING, &stmt, err);

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, run ? ag_id_str(run) : AG_S(""));
	sqlite3_bind_int64(stmt, 2, (int64_t)limit);
	return read_past(s, stmt, arena, ret, nret, err);
}

ag_status ag_sqlite_labels(ag_store *base, ag_str source_key, ag_str agent, ag_arena *arena,
                           ag_label_row **ret, size_t *nret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	AG_AUTO(ag_sqlite_rows_release) ag_sqlite_rows list = { .size = sizeof(ag_label_row) };
	ag_status st = ag_sqlite_prepare(s, AG_SQL_LABELS, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, source_key);
	ag_sqlite_bind_str(stmt, 2, agent);
	sqlite3_bind_int64(stmt, 3, AG_STORE_MAX_ROWS);
	for (rc = ag_sqlite_first_row(s, stmt); rc == SQLITE_ROW; rc = ag_sqlite_next_row(stmt)) {
		ag_label_row *r = ag_sqlite_rows_add(&list);

		r->run = ag_sqlite_column_id(stmt, 0);
		r->finding = ag_sqlite_column_id(stmt, 1);
		r->key = ag_sqlite_column_str(stmt, 2, arena);
		r->field = ag_sqlite_column_str(stmt, 3, arena);
		r->category = ag_sqlite_column_str(stmt, 4, arena);
		r->label = ag_sqlite_column_str(stmt, 5, arena);
		r->labelled_ms = sqlite3_column_int64(stmt, 6);
		r->body = ag_sqlite_column_str(stmt, 7, arena);
	}
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = ag_sqlite_rows_dup(&list, arena);
	*nret = list.n;
	return AG_OK;
}
