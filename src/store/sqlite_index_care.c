/* The index when it is damaged or too old: made anew, or emptied.
 *
 * Damage is told by SQLite's result: SQLITE_CORRUPT_VTAB comes from FTS5 only, SQLITE_ERROR from a table that is not
 * there or has other columns, SQLITE_NOMEM from a size that FTS5 read in a damaged block. Everything in the index can be had again from the files, so nothing is saved: the
 * migration that made the tables runs once more. A damaged file as a whole (SQLITE_CORRUPT) is not ours to mend. */
#include "base/fault.h"
#include "store/sqlite_index.h"

#define ORIGIN    "store.sqlite"
#define MIGRATION 4
/* 256 documents: a purge of many gives others the lock in between. */
#define PURGE_STEP "256"

static bool is_damage(const ag_err *why)
{
	return why->native == SQLITE_CORRUPT_VTAB || why->native == SQLITE_ERROR ||
	       why->native == SQLITE_NOMEM;
}

/* FTS5 drops its tables only when it can read them; else they go one by one. */
static int drop_by_hand(ag_sqlite_store *s)
{
	static const char *const steps[] = {
		"PRAGMA writable_schema=ON",
		"DELETE FROM sqlite_schema WHERE name = 'index_words'",
		"PRAGMA writable_schema=RESET",
		"DROP TABLE IF EXISTS index_words_data",
		"DROP TABLE IF EXISTS index_words_idx",
		"DROP TABLE IF EXISTS index_words_docsize",
		"DROP TABLE IF EXISTS index_words_config",
	};
	int rc = SQLITE_OK;

	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
	for (size_t i = 0; i < AG_NELEM(steps) && !rc; i++)
		rc = sqlite3_exec(s->db, steps[i], NULL, NULL, NULL);
	sqlite3_exec(s->db, "PRAGMA writable_schema=OFF", NULL, NULL, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	return rc;
}

static ag_status make_anew(ag_sqlite_store *s, ag_err *err)
{
	ag_status st = ag_sqlite_begin(s, false, err);
	int rc;

	if (st)
		return st;
	rc = ag_sqlite_migrate_again(s, MIGRATION);
	if (is_damage(&(ag_err){ .native = rc })) {
		rc = drop_by_hand(s);
		if (!rc)
			rc = ag_sqlite_migrate_again(s, MIGRATION);
	}
	st = rc ? ag_sqlite_fail(s, rc, "mend the index of", err) : ag_sqlite_commit(s, err);
	if (st)
		ag_sqlite_rollback(s);
	return st;
}

ag_status ag_sqlite_index_mend(ag_sqlite_store *s, const ag_err *why, ag_err *err)
{
	ag_status st;

	if (!is_damage(why)) {
		if (err)
			*err = *why;
		return why->status;
	}
	st = make_anew(s, err);
	if (st)
		return st;
	ag_fail(err, AG_CONFLICT, ORIGIN, "the index of files in \"%.200s\" was damaged", s->path);
	if (err)
		ag_err_hint(err, "it has been emptied and is made again: ask once more");
	return AG_CONFLICT;
}

/* --- purge --- */

/* Given up first, so that who asks meanwhile begins a new project and nobody sees half of an old one. */
static const char give_up[] = "UPDATE index_projects SET project = NULL WHERE used_at < ?1";
static const char *const give_up_files[] = {
	"DELETE FROM index_files WHERE project IN "
	"(SELECT id FROM index_projects WHERE project IS NULL)",
};

#define DOOMED                                                                    \
	"FROM index_projects p JOIN index_docs d ON d.id BETWEEN p.id << 32 AND " \
	"(p.id << 32) + 4294967295 WHERE p.project IS NULL ORDER BY d.id LIMIT " PURGE_STEP

static const char *const empty_some[] = {
	"INSERT INTO index_words (index_words, rowid, title, trail, names, body) "
	"SELECT 'delete', d.id, d.title, d.trail, d.names, d.body " DOOMED,
	"DELETE FROM index_docs WHERE id IN (SELECT d.id " DOOMED ")",
};

/* Nobody's documents are left: quicker than one by one. */
static const char *const empty_all[] = {
	"INSERT INTO index_words (index_words) VALUES ('delete-all')",
	"DELETE FROM index_docs",
};

/* Forgotten words stand in older segments of the index until these are merged. */
static const char *const finish[] = {
	"DELETE FROM index_projects WHERE project IS NULL",
	"INSERT INTO index_words (index_words) VALUES ('optimize')",
};

static const char count_old[] =
	"SELECT count(*) FROM index_projects WHERE project IS NULL OR used_at < ?1";
static const char count_living[] =
	"SELECT count(*) FROM index_projects WHERE project IS NOT NULL AND used_at >= ?1";

static int count_projects(ag_sqlite_store *s, const char *sql, int64_t older_than_ms, int64_t *ret)
{
	sqlite3_stmt *stmt = NULL;
	int rc = ag_sqlite_prepare_text(s, sql, 0, &stmt);

	if (!rc) {
		sqlite3_bind_int64(stmt, 1, older_than_ms);
		rc = ag_sqlite_first_row(s, stmt);
		*ret = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
		rc = rc == SQLITE_ROW ? SQLITE_OK : rc;
	}
	sqlite3_finalize(stmt);
	return rc;
}

static int run_steps(ag_sqlite_store *s, const char *const *steps, size_t n, int *ret_changes)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < n && !rc; i++)
		rc = ag_fault("store.write") ? SQLITE_IOERR
		                             : sqlite3_exec(s->db, steps[i], NULL, NULL, NULL);
	*ret_changes = sqlite3_changes(s->db);
	return rc;
}

static ag_status end(ag_sqlite_store *s, int rc, ag_err *err)
{
	ag_status st = rc ? ag_sqlite_fail(s, rc, "write to", err) : ag_sqlite_commit(s, err);

	if (st)
		ag_sqlite_rollback(s);
	return st;
}

static ag_status in_transaction(ag_sqlite_store *s, const char *const *steps, size_t n,
                                int *ret_changes, ag_err *err)
{
	ag_status st = ag_sqlite_begin(s, false, err);

	return st ? st : end(s, run_steps(s, steps, n, ret_changes), err);
}

/* Also empties all at once when that was everybody: then *ret_done. */
static ag_status give_up_projects(ag_sqlite_store *s, int64_t older_than_ms, bool *ret_done,
                                  ag_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int64_t nliving = 1;
	ag_status st = ag_sqlite_begin(s, false, err);
	int nchange, rc;

	if (st)
		return st;
	rc = ag_sqlite_prepare_text(s, give_up, 0, &stmt);
	if (!rc) {
		sqlite3_bind_int64(stmt, 1, older_than_ms);
		rc = sqlite3_step(stmt);
		rc = rc == SQLITE_DONE ? SQLITE_OK : rc;
	}
	sqlite3_finalize(stmt);
	if (!rc)
		rc = run_steps(s, give_up_files, AG_NELEM(give_up_files), &nchange);
	if (!rc)
		rc = count_projects(s, count_living, 0, &nliving);
	if (!rc && !nliving)
		rc = run_steps(s, empty_all, AG_NELEM(empty_all), &nchange);
	*ret_done = !nliving;
	return end(s, rc, err);
}

static ag_status purge(ag_sqlite_store *s, int64_t older_than_ms, bool *ret, ag_err *err)
{
	int64_t nold = 0;
	bool is_done = false;
	int n = 1;
	int rc = count_projects(s, count_old, older_than_ms, &nold);
	ag_status st;

	if (rc || !nold)
		return rc ? ag_sqlite_fail(s, rc, "read", err) : AG_OK;
	*ret = true;
	st = give_up_projects(s, older_than_ms, &is_done, err);
	while (n && !is_done && !st)
		st = in_transaction(s, empty_some, AG_NELEM(empty_some), &n, err);
	return st ? st : in_transaction(s, finish, AG_NELEM(finish), &n, err);
}

ag_status ag_sqlite_index_purge(ag_sqlite_store *s, int64_t older_than_ms, bool *ret, ag_err *err)
{
	ag_err why = { 0 };
	ag_status st = purge(s, older_than_ms, ret, &why);

	if (!st)
		return AG_OK;
	*ret = true;
	st = ag_sqlite_index_mend(s, &why, err);
	return st == AG_CONFLICT ? AG_OK : st; /* damaged, so it was emptied */
}
