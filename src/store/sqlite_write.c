/* What changes a store: commit of a batch, leases, purge.
 *
 * Each operation is one transaction (purge: several small ones). Invariant: a log has no hole. That
 * is checked under the write lock, so of two writers of one run exactly one continues it. */
#include <inttypes.h>

#include "base/fault.h"
#include "store/sqlite.h"

#define ORIGIN "store.sqlite"
/* 64 runs: a purge of thousands gives others the lock in between. */
#define PURGE_STEP "64"
#define PURGE_RUNS 64

static ag_status last_seq(ag_sqlite_store *s, const ag_id *run, uint64_t *ret, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_LAST_SEQ, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, ag_id_str(run));
	rc = ag_sqlite_write_step(stmt);
	if (rc != SQLITE_ROW)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = (uint64_t)sqlite3_column_int64(stmt, 0); /* NULL, an empty log, reads as 0 */
	return AG_OK;
}

static ag_status put_events(ag_sqlite_store *s, const ag_id *run, const ag_store_batch *b,
                            ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	uint64_t last = 0;
	ag_status st = last_seq(s, run, &last, err);

	if (st)
		return st;
	if (b->events[0].seq != last + 1) {
		ag_fail(err, AG_CONFLICT, ORIGIN,
		        "the log of run %s ends at event %" PRIu64 ", so event %" PRIu64
		        " cannot follow",
		        run->text, last, b->events[0].seq);
		ag_err_hint(err, "another process writes this run; wait until it is done");
		return AG_CONFLICT;
	}
	st = ag_sqlite_prepare(s, AG_SQL_ADD_EVENT, &stmt, err);
	if (st)
		return st;
	for (size_t i = 0; i < b->nevent; i++) {
		const ag_event *ev = &b->events[i];
		bool is_known = ev->type != AG_EV_UNKNOWN;
		int rc;

		ag_sqlite_bind_str(stmt, 1, ag_id_str(run));
		sqlite3_bind_int64(stmt, 2, (int64_t)ev->seq);
		sqlite3_bind_int(stmt, 3, ev->v);
		ag_sqlite_bind_str(stmt, 4,
		                   is_known ? ag_str_c(ag_event_type_text(ev->type))
		                            : ev->type_text);
		ag_sqlite_bind_str(stmt, 5, ag_id_str(&ev->call_id));
		sqlite3_bind_int64(stmt, 6, (int64_t)ev->cause);
		sqlite3_bind_int64(stmt, 7, ev->at_ms);
		ag_sqlite_bind_str(stmt, 8, ev->payload);
		rc = ag_sqlite_write_step(stmt);
		if (rc != SQLITE_DONE)
			return ag_sqlite_fail(s, rc, "write to", err);
		sqlite3_reset(stmt);
	}
	return AG_OK;
}

static ag_status put_run(ag_sqlite_store *s, const ag_run_row *r, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	const ag_str text[] = { ag_id_str(&r->id), r->agent,  r->source_uri, r->source_key,
		                r->collection,     r->status, r->verdict,    r->summary };
	const int64_t number[] = { r->started_ms,
		                   r->finished_ms,
		                   (int64_t)r->documents,
		                   r->critical,
		                   r->high,
		                   r->medium,
		                   r->low,
		                   (int64_t)r->input_tokens,
		                   (int64_t)r->output_tokens };
	ag_status st = ag_sqlite_prepare(s, AG_SQL_PUT_RUN, &stmt, err);
	int rc, at = 1;

	if (st)
		return st;
	for (size_t i = 0; i < AG_NELEM(text); i++)
		ag_sqlite_bind_str(stmt, at++, text[i]);
	for (size_t i = 0; i < AG_NELEM(number); i++)
		sqlite3_bind_int64(stmt, at++, number[i]);
	sqlite3_bind_double(stmt, at, r->usd);
	rc = ag_sqlite_write_step(stmt);
	return rc == SQLITE_DONE ? AG_OK : ag_sqlite_fail(s, rc, "write to", err);
}

static ag_status put_findings(ag_sqlite_store *s, const ag_store_batch *b, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_PUT_FINDING, &stmt, err);

	if (st)
		return st;
	for (size_t i = 0; i < b->nfinding; i++) {
		const ag_finding_row *f = &b->findings[i];
		const ag_str before[] = { ag_id_str(&f->id), ag_id_str(&f->run), f->key,   f->field,
			                  f->category,       f->severity,        f->status };
		int rc, at = 1;

		for (size_t k = 0; k < AG_NELEM(before); k++)
			ag_sqlite_bind_str(stmt, at++, before[k]);
		sqlite3_bind_int64(stmt, at++, (int64_t)f->affected);
		sqlite3_bind_double(stmt, at++, f->share);
		ag_sqlite_bind_str(stmt, at++, f->label);
		sqlite3_bind_int64(stmt, at++, f->labelled_ms);
		ag_sqlite_bind_str(stmt, at, f->body);
		rc = ag_sqlite_write_step(stmt);
		if (rc != SQLITE_DONE)
			return ag_sqlite_fail(s, rc, "write to", err);
		sqlite3_reset(stmt);
		if (sqlite3_changes(s->db) == 0)
			return ag_fail(err, AG_CONFLICT, ORIGIN,
			               "finding %s belongs to another run", f->id.text);
	}
	return AG_OK;
}

static ag_status put_report(ag_sqlite_store *s, const ag_id *run, ag_str report, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_PUT_REPORT, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, ag_id_str(run));
	ag_sqlite_bind_str(stmt, 2, report);
	rc = ag_sqlite_write_step(stmt);
	return rc == SQLITE_DONE ? AG_OK : ag_sqlite_fail(s, rc, "write to", err);
}

ag_status ag_sqlite_put(ag_store *base, const ag_id *run, const ag_store_batch *b, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	ag_status st = ag_sqlite_begin(s, b->durable, err);

	if (st)
		return st;
	if (b->nevent)
		st = put_events(s, run, b, err);
	if (!st && b->run)
		st = put_run(s, b->run, err);
	if (!st && b->nfinding)
		st = put_findings(s, b, err);
	if (!st && b->report.len)
		st = put_report(s, run, b->report, err);
	return ag_sqlite_end(s, st, err);
}

/* Why the lease could not be taken. */
static ag_status lease_held(ag_sqlite_store *s, const ag_id *run, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	char until[AG_TIME_MAX_TEXT];
	ag_str owner;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_LEASE, &stmt, err);

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, ag_id_str(run));
	if (ag_sqlite_step(s, stmt) != SQLITE_ROW)
		return ag_fail(err, AG_CONFLICT, ORIGIN, "another process writes run %s",
		               run->text);
	ag_time_format(until, sqlite3_column_int64(stmt, 1));
	owner = ag_str_c((const char *)sqlite3_column_text(stmt, 0));
	if (ag_owner_pid(owner))
		ag_fail(err, AG_CONFLICT, ORIGIN, "run %s is written by process %ld until %s",
		        run->text, ag_owner_pid(owner), until);
	else
		ag_fail(err, AG_CONFLICT, ORIGIN, "run %s is written by \"%.*s\" until %s",
		        run->text, (int)(owner.len < 100 ? owner.len : 100), owner.ptr, until);
	ag_err_hint(err, "wait until it is done; a writer that died loses its right at that time");
	return AG_CONFLICT;
}

ag_status ag_sqlite_lease(ag_store *base, const ag_id *run, ag_str owner, int64_t now_ms,
                          int64_t ttl_ms, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st;
	int rc, nchange = 0;

	if (ag_fault("store.lease"))
		return ag_sqlite_fail(s, SQLITE_IOERR, "write to", err);
	st = ag_sqlite_begin(s, false, err);
	if (st)
		return st;
	st = ag_sqlite_prepare(s, AG_SQL_TAKE_LEASE, &stmt, err);
	if (!st) {
		ag_sqlite_bind_str(stmt, 1, ag_id_str(run));
		ag_sqlite_bind_str(stmt, 2, owner);
		sqlite3_bind_int64(stmt, 3, now_ms + ttl_ms);
		sqlite3_bind_int64(stmt, 4, now_ms);
		rc = ag_sqlite_write_step(stmt);
		nchange = sqlite3_changes(s->db);
		st = rc == SQLITE_DONE ? AG_OK : ag_sqlite_fail(s, rc, "write to", err);
	}
	if (!st && nchange == 0)
		st = lease_held(s, run, err);
	return ag_sqlite_end(s, st, err);
}

/* --- purge --- */

/* The runs of one step go to a table of this connection, then all that belongs to them goes. Logs
 * without a row are found by hopping from run to run in the primary key, not by reading every
 * event. */
static const char choose_runs[] = "INSERT INTO temp.doomed SELECT id FROM runs "
				  "WHERE finished_at > 0 AND finished_at < ?1 LIMIT " PURGE_STEP;
static const char choose_logs[] =
	"INSERT INTO temp.doomed "
	"WITH RECURSIVE log (run) AS (SELECT min(run) FROM events UNION ALL "
	"SELECT (SELECT min(run) FROM events WHERE run > log.run) FROM log "
	"WHERE log.run IS NOT NULL) "
	"SELECT run FROM log WHERE run IS NOT NULL "
	"AND NOT EXISTS (SELECT 1 FROM runs WHERE id = run) "
	"AND (SELECT at FROM events e WHERE e.run = log.run ORDER BY seq DESC LIMIT 1) < ?1 "
	"LIMIT " PURGE_STEP;
static const char *const remove_chosen[] = {
	"DELETE FROM events WHERE run IN (SELECT run FROM temp.doomed)",
	"DELETE FROM leases WHERE run IN (SELECT run FROM temp.doomed)",
	/* Findings and reports go with their run. */
	"DELETE FROM runs WHERE id IN (SELECT run FROM temp.doomed)",
	"DELETE FROM temp.doomed",
};

/* Runs that have not finished; their leases say who wrote them. */
static const char unfinished_runs[] =
	"SELECT r.id, ifnull(l.owner, ''), ifnull(l.until, 0) FROM runs r LEFT JOIN leases l "
	"ON l.run = r.id WHERE r.finished_at = 0 AND max(r.started_at, ifnull((SELECT at FROM events e "
	"WHERE e.run = r.id ORDER BY seq DESC LIMIT 1), 0)) < ?1";

/* Of those the ones that nobody goes on with: the writer is dead, or cannot be looked up and its lease ran out. */
static int choose_interrupted(ag_sqlite_store *s, int64_t older_than_ms, int *ret)
{
	const int64_t now_ms = ag_clock_wall(&ag_clock_system);
	sqlite3_stmt *runs = NULL, *insert = NULL;
	int rc = ag_sqlite_prepare_text(s, unfinished_runs, 0, &runs);

	if (!rc)
		rc = ag_sqlite_prepare_text(s, "INSERT INTO temp.doomed VALUES (?1)", 0, &insert);
	if (!rc)
		sqlite3_bind_int64(runs, 1, older_than_ms);
	*ret = 0;
	while (!rc && *ret < PURGE_RUNS && (rc = sqlite3_step(runs)) == SQLITE_ROW) {
		const ag_str owner = ag_str_c((const char *)sqlite3_column_text(runs, 1));
		const ag_owner_state writer = ag_owner_state_of(owner);

		rc = SQLITE_OK;
		if ((!owner.len && older_than_ms != AG_STORE_PURGE_ALL) ||
		    writer == AG_OWNER_ALIVE ||
		    (writer == AG_OWNER_UNKNOWN && sqlite3_column_int64(runs, 2) > now_ms))
			continue;
		sqlite3_bind_value(insert, 1, sqlite3_column_value(runs, 0));
		rc = ag_sqlite_write_step(insert);
		rc = rc == SQLITE_DONE ? SQLITE_OK : rc;
		sqlite3_reset(insert);
		*ret += !rc;
	}
	sqlite3_finalize(runs);
	sqlite3_finalize(insert);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int choose(ag_sqlite_store *s, const char *sql, int64_t older_than_ms, int *ret)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);

	if (!rc) {
		sqlite3_bind_int64(stmt, 1, older_than_ms);
		rc = ag_sqlite_write_step(stmt);
		*ret = sqlite3_changes(s->db);
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* sql NULL: interrupted runs. */
static ag_status purge_step(ag_sqlite_store *s, const char *sql, int64_t older_than_ms, int *ret,
                            ag_err *err)
{
	int rc, n = 0;
	ag_status st = ag_sqlite_begin(s, false, err);

	if (st)
		return st;
	rc = sql ? choose(s, sql, older_than_ms, &n) : choose_interrupted(s, older_than_ms, &n);
	for (size_t i = 0; i < AG_NELEM(remove_chosen) && !rc && n; i++)
		rc = ag_fault("store.write")
		             ? SQLITE_IOERR
		             : sqlite3_exec(s->db, remove_chosen[i], NULL, NULL, NULL);
	st = rc ? ag_sqlite_fail(s, rc, "write to", err) : ag_sqlite_commit(s, err);
	if (st) {
		ag_sqlite_rollback(s);
		return st;
	}
	*ret = n;
	return AG_OK;
}

/* Give the space back. What does not work now because others read works at the next purge. */
static void shrink(ag_sqlite_store *s)
{
	AG_IGNORE(ag_sqlite_exec(s, "PRAGMA incremental_vacuum"), "see above");
	AG_IGNORE(sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL),
	          "see above");
}

ag_status ag_sqlite_purge(ag_store *base, int64_t older_than_ms, uint64_t *ret_runs, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	const char *const kinds[] = { choose_runs, choose_logs, NULL };
	uint64_t total = 0;
	bool is_index = false, is_ledger = false;
	ag_status st = AG_OK;
	int rc = ag_sqlite_exec(s, "CREATE TEMP TABLE IF NOT EXISTS doomed (run TEXT PRIMARY KEY)");

	if (!rc)
		rc = ag_sqlite_exec(s,
		                    "PRAGMA secure_delete=ON"); /* bytes of old runs do not stay */
	if (rc)
		return ag_sqlite_fail(s, rc, "write to", err);
	for (size_t i = 0; i < AG_NELEM(kinds) && !st; i++) {
		for (int n = 1; n && !st; total += (uint64_t)n) {
			n = 0;
			st = purge_step(s, kinds[i], older_than_ms, &n, err);
		}
	}
	if (!st)
		st = ag_sqlite_index_purge(s, older_than_ms, &is_index, err);
	if (!st)
		st = ag_sqlite_ledger_purge(s, older_than_ms, &is_ledger, err);
	if (total || is_index || is_ledger)
		shrink(s);
	AG_IGNORE(ag_sqlite_exec(s, "PRAGMA secure_delete=OFF"), "only a matter of speed");
	if (st)
		return st;
	*ret_runs = total;
	return AG_OK;
}
