/* A store in one SQLite file, or in memory: the handle, its statements, waiting and errors.
 *
 * Any number of threads and processes work on one file (WAL): readers never wait, writers queue at
 * BEGIN IMMEDIATE. SQLite's own waiting does not cover every case (recovery of the log, the
 * switch to WAL), so ag_sqlite_step() and ag_sqlite_exec() also try again, with one time budget.
 * Invariant: outside sqlite_write.c and the migration no transaction is open between two calls. */
#include "store/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fault.h"

#define ORIGIN       "store.sqlite"
#define MAX_SLEEP_US 25000u

const ag_store_type ag_store_sqlite_file = {
	.scheme = "sqlite",
	.help = "one SQLite file, shared by any number of processes on this machine",
	.open = ag_sqlite_open_file,
	.close = ag_sqlite_close,
	.set_patience = ag_sqlite_set_patience,
	.commit = ag_sqlite_put,
	.events = ag_sqlite_events,
	.runs = ag_sqlite_runs,
	.find_run = ag_sqlite_find_run,
	.report = ag_sqlite_report,
	.findings = ag_sqlite_findings,
	.past = ag_sqlite_past,
	.pending = ag_sqlite_pending,
	.labels = ag_sqlite_labels,
	.lease = ag_sqlite_lease,
	.lease_holder = ag_sqlite_lease_holder,
	.purge = ag_sqlite_purge,
	.check = ag_sqlite_check,
	.index = &ag_sqlite_index,
	.identity = &ag_sqlite_identity,
	.ledger = &ag_sqlite_ledger,
};

const ag_store_type ag_store_sqlite_memory = {
	.scheme = "memory",
	.help = "nothing is kept: gone when the program ends",
	.open = ag_sqlite_open_memory,
	.close = ag_sqlite_close,
	.set_patience = ag_sqlite_set_patience,
	.commit = ag_sqlite_put,
	.events = ag_sqlite_events,
	.runs = ag_sqlite_runs,
	.find_run = ag_sqlite_find_run,
	.report = ag_sqlite_report,
	.findings = ag_sqlite_findings,
	.past = ag_sqlite_past,
	.pending = ag_sqlite_pending,
	.labels = ag_sqlite_labels,
	.lease = ag_sqlite_lease,
	.lease_holder = ag_sqlite_lease_holder,
	.purge = ag_sqlite_purge,
	.check = ag_sqlite_check,
	.index = &ag_sqlite_index,
	.identity = &ag_sqlite_identity,
	.ledger = &ag_sqlite_ledger,
};

#define RUN_COLUMNS                                                                 \
	"id, agent, source_uri, source_key, collection, status, verdict, summary, " \
	"started_at, finished_at, documents, critical, high, medium, low, "         \
	"input_tokens, output_tokens, usd"

#define RUN_COLUMNS_OF(r)                                                                  \
	r ".id, " r ".agent, " r ".source_uri, " r ".source_key, " r ".collection, " r     \
	  ".status, " r ".verdict, " r ".summary, " r ".started_at, " r ".finished_at, " r \
	  ".documents, " r ".critical, " r ".high, " r ".medium, " r ".low, " r            \
	  ".input_tokens, " r ".output_tokens, " r ".usd"
#define FINDING_COLUMNS_OF(f)                                                             \
	f ".id, " f ".key, " f ".field, " f ".category, " f ".severity, " f ".status, " f \
	  ".affected, " f ".share, " f ".label, " f ".labelled_at, " f ".body"

#define TOKEN_COLUMNS                                                               \
	"id, name, user, hash, ceiling, projects, scopes, created_at, expires_at, " \
	"revoked_at, used_at"
#define LEDGER_COLUMNS                                                                            \
	"seq, at, user, project, token, session, tool, sql, fingerprint, verdict, rule, tables, " \
	"nrow, nbyte, wait_us, exec_us, outcome, detail, began, owner, hash"
#define LEDGER_FILTER                                                                      \
	"(?1 = '' OR user = ?1) AND (?2 = '' OR project = ?2) AND (?3 = '' OR tool = ?3) " \
	"AND (?4 = '' OR outcome = ?4) AND at >= ?5 "                                      \
	"AND (?8 = 0 OR owner = '' OR NOT EXISTS "                                         \
	"(SELECT 1 FROM ledger e WHERE e.began = ledger.seq AND e.began > 0)) "

static const char *const sql_text[] = {
	[AG_SQL_BEGIN] = "BEGIN IMMEDIATE",
	[AG_SQL_COMMIT] = "COMMIT",
	[AG_SQL_LAST_SEQ] = "SELECT max(seq) FROM events WHERE run = ?1",
	[AG_SQL_ADD_EVENT] = "INSERT INTO events (run, seq, v, type, call_id, cause, at, payload) "
			     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
	/* Not INSERT OR REPLACE: that deletes the old row, and with it findings and report. */
	[AG_SQL_PUT_RUN] =
		"INSERT INTO runs (" RUN_COLUMNS ") "
		"VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
		"?16, ?17, ?18) ON CONFLICT (id) DO UPDATE SET agent = excluded.agent, "
		"source_uri = excluded.source_uri, source_key = excluded.source_key, "
		"collection = excluded.collection, status = excluded.status, "
		"verdict = excluded.verdict, summary = excluded.summary, "
		"started_at = excluded.started_at, finished_at = excluded.finished_at, "
		"documents = excluded.documents, critical = excluded.critical, "
		"high = excluded.high, medium = excluded.medium, low = excluded.low, "
		"input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens, "
		"usd = excluded.usd",
	[AG_SQL_PUT_FINDING] =
		"INSERT INTO findings (id, run, key, field, category, severity, status, affected, "
		"share, label, labelled_at, body) "
		"VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) "
		"ON CONFLICT (id) DO UPDATE SET key = excluded.key, field = excluded.field, "
		"category = excluded.category, severity = excluded.severity, "
		"status = excluded.status, affected = excluded.affected, share = excluded.share, "
		"label = CASE WHEN excluded.labelled_at >= labelled_at THEN excluded.label "
		"ELSE label END, labelled_at = max(labelled_at, excluded.labelled_at), "
		"body = excluded.body WHERE run = excluded.run",
	[AG_SQL_PUT_REPORT] = "INSERT INTO reports (run, body) VALUES (?1, ?2) "
			      "ON CONFLICT (run) DO UPDATE SET body = excluded.body",
	[AG_SQL_EVENTS] = "SELECT seq, v, type, call_id, cause, at, payload FROM events "
			  "WHERE run = ?1 AND seq > ?2 ORDER BY seq",
	[AG_SQL_RUNS] = "SELECT " RUN_COLUMNS " FROM runs "
			"ORDER BY started_at DESC, id DESC LIMIT ?1 OFFSET ?2",
	[AG_SQL_RUNS_OF_SOURCE] = "SELECT " RUN_COLUMNS " FROM runs WHERE source_key = ?3 "
				  "ORDER BY started_at DESC, id DESC LIMIT ?1 OFFSET ?2",
	/* 'g' follows every character of an id. */
	[AG_SQL_RUNS_BY_PREFIX] = "SELECT " RUN_COLUMNS " FROM runs "
				  "WHERE id >= ?1 AND id < ?1 || 'g' ORDER BY id LIMIT 2",
	[AG_SQL_RUN_NEWEST] = "SELECT " RUN_COLUMNS " FROM runs WHERE "
			      "EXISTS (SELECT 1 FROM events WHERE events.run = runs.id) OR "
			      "EXISTS (SELECT 1 FROM reports WHERE reports.run = runs.id) "
			      "ORDER BY started_at DESC, id DESC LIMIT 1",
	[AG_SQL_REPORT] = "SELECT body FROM reports WHERE run = ?1",
	[AG_SQL_FINDINGS] = "SELECT " FINDING_COLUMNS_OF("f") " FROM findings f WHERE f.run = ?1 "
							      "ORDER BY f.rowid",
	/* A run without findings gives one row with NULLs. */
	[AG_SQL_PAST] = "SELECT " RUN_COLUMNS_OF("r") ", " FINDING_COLUMNS_OF(
		"f") " FROM "
		     "(SELECT * FROM runs p WHERE (?1 = '' OR p.source_key = ?1) "
		     "AND (?2 = '' OR p.agent = ?2) AND (?3 = '' OR p.id < ?3) "
		     "AND (p.status = 'ok' OR (p.status IN ('partial', 'failed', 'cancelled') "
		     "AND EXISTS (SELECT 1 FROM findings WHERE run = p.id))) "
		     "ORDER BY p.started_at DESC, p.id DESC LIMIT ?4) r "
		     "LEFT JOIN findings f ON f.run = r.id "
		     "ORDER BY r.started_at DESC, r.id DESC, f.rowid",
	[AG_SQL_PENDING] = "SELECT " RUN_COLUMNS_OF("r") ", " FINDING_COLUMNS_OF(
		"f") " "
		     "FROM findings f JOIN runs r ON r.id = f.run "
		     "WHERE f.status = 'pending_review' AND (?1 = '' OR f.run = ?1) "
		     "ORDER BY r.started_at DESC, r.id DESC, f.rowid LIMIT ?2",
	[AG_SQL_LABELS] =
		"SELECT f.run, f.id, f.key, f.field, f.category, f.label, f.labelled_at, f.body "
		"FROM runs r JOIN findings f ON f.run = r.id "
		"WHERE r.source_key = ?1 AND (?2 = '' OR r.agent = ?2) AND f.label <> '' "
		"ORDER BY f.labelled_at DESC, f.rowid DESC LIMIT ?3",
	[AG_SQL_TAKE_LEASE] = "INSERT INTO leases (run, owner, until) VALUES (?1, ?2, ?3) "
			      "ON CONFLICT (run) DO UPDATE SET owner = excluded.owner, "
			      "until = excluded.until WHERE owner = excluded.owner OR until <= ?4",
	[AG_SQL_LEASE] = "SELECT owner, until FROM leases WHERE run = ?1",
	[AG_SQL_INDEX_PROJECT] = "SELECT id, used_at FROM index_projects WHERE project = ?1",
	[AG_SQL_INDEX_USE_PROJECT] =
		"INSERT INTO index_projects (project, used_at) VALUES (?1, ?2) "
		"ON CONFLICT (project) DO UPDATE SET used_at = max(used_at, excluded.used_at)",
	[AG_SQL_INDEX_FILES] = "SELECT path, size, mtime_ns, hash, format FROM index_files "
			       "WHERE project = ?1 ORDER BY path",
	[AG_SQL_INDEX_FILE] = "SELECT id, ndoc FROM index_files WHERE project = ?1 AND path = ?2",
	[AG_SQL_INDEX_PUT_FILE] =
		"INSERT INTO index_files (project, path, size, mtime_ns, hash, format, ndoc) "
		"VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (project, path) DO UPDATE SET "
		"size = excluded.size, mtime_ns = excluded.mtime_ns, hash = excluded.hash, "
		"format = excluded.format, ndoc = excluded.ndoc RETURNING id",
	[AG_SQL_INDEX_DROP_FILE] = "DELETE FROM index_files WHERE id = ?1",
	/* The words of a document are found again by its text, so this comes before the documents go. */
	[AG_SQL_INDEX_FORGET_WORDS] =
		"INSERT INTO index_words (index_words, rowid, title, trail, names, body) "
		"SELECT 'delete', id, title, trail, names, body FROM index_docs "
		"WHERE file = ?1 ORDER BY id",
	[AG_SQL_INDEX_DROP_DOCS] = "DELETE FROM index_docs WHERE file = ?1",
	[AG_SQL_INDEX_LAST_DOC] = "SELECT max(id) FROM index_docs WHERE id BETWEEN ?1 AND ?2",
	[AG_SQL_INDEX_ADD_DOC] =
		"INSERT INTO index_docs (id, file, kind, anchor, line, last_line, title, trail, "
		"names, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
	[AG_SQL_INDEX_ADD_WORDS] = "INSERT INTO index_words (rowid, title, trail, names, body) "
				   "VALUES (?1, ?2, ?3, ?4, ?5)",
	/* A word in a title says more than one in the text. */
	[AG_SQL_INDEX_SEARCH] =
		"SELECT f.path, d.kind, d.anchor, d.line, d.last_line, d.title, d.trail, d.body, "
		"w.score FROM (SELECT rowid AS id, -bm25(index_words, 6.0, 2.0, 2.0, 1.0) AS score "
		"FROM index_words WHERE index_words MATCH ?1 AND rowid BETWEEN ?2 AND ?3 "
		"ORDER BY score DESC, id LIMIT ?4) w "
		"JOIN index_docs d ON d.id = w.id JOIN index_files f ON f.id = d.file "
		"ORDER BY w.score DESC, w.id",
	[AG_SQL_INDEX_COUNT] = "SELECT count(*) FROM index_words "
			       "WHERE index_words MATCH ?1 AND rowid BETWEEN ?2 AND ?3",
	[AG_SQL_INDEX_NDOC] = "SELECT sum(ndoc) FROM index_files WHERE project = ?1",
	[AG_SQL_PUT_PROJECT] =
		"INSERT INTO projects (id, name, source, secret, settings, is_active, created_at, "
		"changed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (id) DO UPDATE "
		"SET name = excluded.name, source = excluded.source, secret = excluded.secret, "
		"settings = excluded.settings, is_active = excluded.is_active, "
		"changed_at = excluded.changed_at",
	[AG_SQL_PROJECT] = "SELECT id, name, source, secret, settings, is_active, created_at, "
			   "changed_at FROM projects WHERE id = ?1",
	[AG_SQL_PROJECTS] = "SELECT id, name, source, secret, settings, is_active, created_at, "
			    "changed_at FROM projects ORDER BY id LIMIT ?1",
	[AG_SQL_PUT_MEMBER] = "INSERT INTO members (project, user, role) VALUES (?1, ?2, ?3) "
			      "ON CONFLICT (project, user) DO UPDATE SET role = excluded.role",
	[AG_SQL_DROP_MEMBER] = "DELETE FROM members WHERE project = ?1 AND user = ?2",
	[AG_SQL_MEMBERS] = "SELECT project, user, role FROM members "
			   "WHERE ?1 = '' OR project = ?1 ORDER BY project, user LIMIT ?3",
	[AG_SQL_MEMBERS_OF_USER] = "SELECT project, user, role FROM members WHERE user = ?2 "
				   "AND (?1 = '' OR project = ?1) ORDER BY project LIMIT ?3",
	[AG_SQL_OTHER_ADMINS] =
		"SELECT (SELECT role FROM members WHERE project = ?1 AND user = ?2), "
		"(SELECT count(*) FROM members WHERE project = ?1 AND user <> ?2 AND role = ?3)",
	/* A second token of one id would be a bug; of one hash, a copy. */
	[AG_SQL_PUT_TOKEN] = "INSERT INTO tokens (" TOKEN_COLUMNS ") "
			     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
	[AG_SQL_TOKEN_OF_HASH] = "SELECT " TOKEN_COLUMNS " FROM tokens WHERE hash = ?1",
	[AG_SQL_DATA_VERSION] = "PRAGMA data_version",
	[AG_SQL_TOKENS] = "SELECT " TOKEN_COLUMNS " FROM tokens WHERE (?1 = '' OR user = ?1) "
			  "ORDER BY created_at, id LIMIT ?2",
	[AG_SQL_REVOKE_TOKEN] = "UPDATE tokens SET revoked_at = "
				"CASE revoked_at WHEN 0 THEN ?2 ELSE revoked_at END WHERE id = ?1",
	[AG_SQL_USE_TOKEN] = "UPDATE tokens SET used_at = max(used_at, ?2) WHERE id = ?1",
	[AG_SQL_LEDGER_CHAIN] = "SELECT base_seq, base_hash, head_seq, head_hash FROM ledger_chain",
	[AG_SQL_LEDGER_SET_HEAD] = "UPDATE ledger_chain SET head_seq = ?1, head_hash = ?2",
	[AG_SQL_LEDGER_ADD] =
		"INSERT INTO ledger (" LEDGER_COLUMNS ") "
		"VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
		"?15, ?16, ?17, ?18, ?19, ?20, ?21)",
	[AG_SQL_LEDGER_AFTER] = "SELECT " LEDGER_COLUMNS
				" FROM ledger WHERE seq > ?6 AND " LEDGER_FILTER
				"ORDER BY seq LIMIT ?7",
	[AG_SQL_LEDGER_NEWEST] = "SELECT " LEDGER_COLUMNS
				 " FROM ledger WHERE seq <= ?6 AND " LEDGER_FILTER
				 "ORDER BY seq DESC LIMIT ?7",
	[AG_SQL_LEDGER_PIECE] = "SELECT " LEDGER_COLUMNS
				" FROM ledger WHERE seq > ?1 ORDER BY seq LIMIT ?2",
	[AG_SQL_RATE] = "SELECT began_at, ends_at, used FROM rates WHERE name = ?1",
	[AG_SQL_PUT_RATE] = "INSERT INTO rates (name, began_at, ends_at, used) "
			    "VALUES (?1, ?2, ?3, ?4) ON CONFLICT (name) DO UPDATE SET "
			    "began_at = excluded.began_at, ends_at = excluded.ends_at, "
			    "used = excluded.used",
	[AG_SQL_PUT_TEXT] =
		"INSERT INTO texts (key, at, text) VALUES (?1, ?2, ?3) "
		"ON CONFLICT (key) DO UPDATE SET at = excluded.at, text = excluded.text",
	[AG_SQL_TEXT] = "SELECT at, text FROM texts WHERE key = ?1",
};

/* --- errors --- */

/* What the primary result code means for the caller. */
static ag_status status_of(int rc)
{
	switch (rc & 0xff) {
	case SQLITE_OK: return AG_OK;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_PROTOCOL: return AG_UNAVAILABLE;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH: return AG_DENIED;
	case SQLITE_NOTADB: return AG_INVALID;
	case SQLITE_TOOBIG:
	case SQLITE_NOMEM: return AG_LIMIT;
	case SQLITE_INTERRUPT: return AG_CANCELLED;
	case SQLITE_FULL:
	case SQLITE_IOERR:
	case SQLITE_CORRUPT:
	case SQLITE_CANTOPEN:
	case SQLITE_NOLFS: return AG_IO;
	default: return AG_INTERNAL;
	}
}

static const char *hint_of(int rc)
{
	switch (rc & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_PROTOCOL:
		return "another argus process keeps the store locked; try again when it is done";
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_CANTOPEN:
		return "make the file and its folder writable for you, or choose another store "
		       "with ARGUS_STORE";
	case SQLITE_NOTADB:
		return "it is no store of Argus, or damaged: `argus doctor` says what to do";
	case SQLITE_FULL: return "the disk is full: free some space, or \"argus purge\" old runs";
	case SQLITE_IOERR:
		return "the disk may be full or failing; a store belongs on a local disk";
	case SQLITE_CORRUPT: return "the store is damaged: `argus doctor` says what to do";
	default: return "";
	}
}

bool ag_store_is_damaged(const ag_err *err)
{
	const int rc = err->native & 0xff;

	return strcmp(err->origin, ORIGIN) == 0 && (rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB);
}

ag_status ag_sqlite_fail(ag_sqlite_store *s, int rc, const char *doing, ag_err *err)
{
	int native = s->db ? sqlite3_system_errno(s->db) : 0;
	ag_status st = status_of(rc);
	const char *why = s->db && sqlite3_extended_errcode(s->db) == rc ? sqlite3_errmsg(s->db)
	                                                                 : sqlite3_errstr(rc);

	if ((rc & 0xff) == SQLITE_CANTOPEN &&
	    (native == EACCES || native == EROFS || native == EPERM))
		st = AG_DENIED;
	if (rc == SQLITE_CONSTRAINT_FOREIGNKEY) {
		ag_fail(err, AG_INVALID, ORIGIN, "a finding or report needs the row of its run");
		return AG_INVALID;
	}
	ag_fail(err, st, ORIGIN, "cannot %s \"%.200s\": %s", doing, s->path, why);
	if (err)
		err->native = rc;
	if (hint_of(rc)[0])
		ag_err_hint(err, "%s", hint_of(rc));
	return st;
}

/* --- waiting --- */

static bool is_busy(int rc)
{
	return (rc & 0xff) == SQLITE_BUSY || rc == SQLITE_PROTOCOL;
}

/* Sleep a little longer each time, with a random part so that waiting writers spread out. */
static bool wait_a_little(ag_sqlite_store *s, int ntry)
{
	unsigned us = ntry < 8 ? 100u << ntry : MAX_SLEEP_US;

	if (s->waited_us >= s->max_wait_us)
		return false;
	s->jitter = s->jitter * 1664525u + 1013904223u;
	us = us / 2 + (s->jitter >> 8) % us;
	usleep(us);
	s->waited_us += us;
	return true;
}

static int on_busy(void *arg, int ntry)
{
	return wait_a_little(arg, ntry);
}

int ag_sqlite_step(ag_sqlite_store *s, sqlite3_stmt *stmt)
{
	int rc;

	s->waited_us = 0;
	for (int ntry = 0;; ntry++) {
		rc = sqlite3_step(stmt);
		if (!is_busy(rc))
			return rc;
		sqlite3_reset(stmt);
		if (!wait_a_little(s, ntry))
			return rc;
	}
}

int ag_sqlite_exec(ag_sqlite_store *s, const char *sql)
{
	int rc;

	s->waited_us = 0;
	for (int ntry = 0;; ntry++) {
		rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
		if (!is_busy(rc) || !wait_a_little(s, ntry))
			return rc;
	}
}

void ag_sqlite_wait_for_locks(ag_sqlite_store *s)
{
	if (!s->max_wait_us)
		s->max_wait_us = AG_STORE_PATIENCE_MS * 1000ul;
	s->jitter = (uint32_t)(uintptr_t)s ^ (uint32_t)getpid() * 2654435761u;
	sqlite3_busy_handler(s->db, on_busy, s);
}

void ag_sqlite_set_patience(ag_store *base, unsigned ms)
{
	((ag_sqlite_store *)base)->max_wait_us = ms * 1000ul;
}

/* --- statements and transactions --- */

int ag_sqlite_prepare_text(ag_sqlite_store *s, const char *sql, unsigned flags, sqlite3_stmt **ret)
{
	int rc;

	s->waited_us = 0;
	for (int ntry = 0;; ntry++) {
		rc = sqlite3_prepare_v3(s->db, sql, -1, flags, ret, NULL);
		if (!is_busy(rc) || !wait_a_little(s, ntry))
			return rc;
	}
}

ag_status ag_sqlite_prepare(ag_sqlite_store *s, ag_sqlite_sql which, sqlite3_stmt **ret,
                            ag_err *err)
{
	sqlite3_stmt **slot = &s->stmt[which];

	if (!*slot) {
		int rc = ag_sqlite_prepare_text(s, sql_text[which], SQLITE_PREPARE_PERSISTENT,
		                                slot);

		if (rc)
			return ag_sqlite_fail(s, rc, "use the store", err);
	}
	*ret = *slot; /* ag_sqlite_resetp() left it clean */
	return AG_OK;
}

void ag_sqlite_resetp(sqlite3_stmt **stmt)
{
	if (*stmt) {
		sqlite3_reset(*stmt);
		sqlite3_clear_bindings(*stmt);
	}
}

void ag_sqlite_bind_str(sqlite3_stmt *stmt, int i, ag_str s)
{
	/* The batch outlives the step, so nothing is copied. An empty slice may have no pointer,
	 * which would be NULL. Cannot fail: limits were checked and the index is ours. */
	sqlite3_bind_text64(stmt, i, s.len ? s.ptr : "", s.len, SQLITE_STATIC, SQLITE_UTF8);
}

ag_status ag_sqlite_begin(ag_sqlite_store *s, bool durable, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *begin = NULL;
	ag_status st;
	int rc;

	/* Only possible outside a transaction. FULL syncs the log at every commit, NORMAL at
	 * checkpoints. */
	if (s->is_full_sync != durable) {
		rc = ag_sqlite_exec(s, durable ? "PRAGMA synchronous=FULL"
		                               : "PRAGMA synchronous=NORMAL");
		if (rc)
			return ag_sqlite_fail(s, rc, "write to", err);
		s->is_full_sync = durable;
	}
	st = ag_sqlite_prepare(s, AG_SQL_BEGIN, &begin, err);
	if (st)
		return st;
	rc = ag_fault("store.begin") ? SQLITE_IOERR : ag_sqlite_step(s, begin);
	return rc == SQLITE_DONE ? AG_OK : ag_sqlite_fail(s, rc, "write to", err);
}

ag_status ag_sqlite_commit(ag_sqlite_store *s, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *commit = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_COMMIT, &commit, err);
	int rc;

	if (st)
		return st;
	rc = ag_fault("store.commit") ? SQLITE_IOERR : ag_sqlite_step(s, commit);
	return rc == SQLITE_DONE ? AG_OK : ag_sqlite_fail(s, rc, "write to", err);
}

void ag_sqlite_rollback(ag_sqlite_store *s)
{
	if (!sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}

ag_status ag_sqlite_end(ag_sqlite_store *s, ag_status st, ag_err *err)
{
	if (!st)
		st = ag_sqlite_commit(s, err);
	if (st)
		ag_sqlite_rollback(s);
	return st;
}

/* The log's file has one name and one inode as long as a connection is open. SQLite holds no lock on it, so that a
 * descriptor of our own does no harm; the database has its locks by POSIX rules, and closing a second descriptor would
 * drop them. */
ag_status ag_sqlite_sync(ag_store *base, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	char path[PATH_MAX];
	bool is_failed;

	if (base->type == &ag_store_sqlite_memory)
		return AG_OK;
	snprintf(path, sizeof(path), "%s-wal", s->path);
	is_failed = ag_fault("store.sync");
	if (!is_failed && s->wal_fd < 0) {
		s->wal_fd = open(path, O_RDONLY | O_CLOEXEC);
		if (s->wal_fd < 0 && errno == ENOENT)
			return AG_OK; /* nothing is in the log */
		if (s->wal_fd >= 0)
			ag_sqlite_sync_folder(path);
	}
	if (!is_failed && s->wal_fd >= 0 && fdatasync(s->wal_fd) == 0)
		return AG_OK;
	ag_fail_errno(err, errno, ORIGIN, "cannot bring \"%.200s\" to disk", path);
	ag_err_hint(err, "the disk may be full or failing; a store belongs on a local disk");
	if (err)
		err->status = AG_IO;
	return AG_IO;
}

int ag_sqlite_write_step(sqlite3_stmt *stmt)
{
	return ag_fault("store.write") ? SQLITE_FULL : sqlite3_step(stmt);
}
