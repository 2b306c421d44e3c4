/* The SQLite driver: one connection to a file, or to a database in memory.
 *
 * Any number of threads and processes work on one file (WAL): readers never wait, writers queue at
 * BEGIN IMMEDIATE. SQLite's own waiting does not cover every case (recovery of the log, the
 * switch to WAL), so ag_sqlite_step() and ag_sqlite_exec() also try again, with one time budget.
 * To SQLite, $1 is a name like any other, and it numbers names as they come: a statement keeps which argument belongs to
 * which of SQLite's numbers. Reading order: run(), run_many(), statement(). */
#include "store/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fault.h"
#include "store/store.h"

#define ORIGIN       "store.sqlite"
#define MAX_SLEEP_US 25000u
#define MAX_TEXT     8192 /* bytes of a statement after its words are replaced; the longest has 1,500 */

struct ag_sqlite_stmt {
	const ag_sql *row;
	sqlite3_stmt *stmt;
	bool is_reading;
	unsigned narg;
	unsigned char
		arg_of[AG_DB_MAX_ARGS]; /* SQLite's parameter i + 1 is the argument of that index */
};

/* --- errors --- */

/* What the primary result code means for the caller. */
static ag_status status_of(int rc)
{
	switch (rc) {
	case SQLITE_CONSTRAINT_UNIQUE:
	case SQLITE_CONSTRAINT_NOTNULL:
	case SQLITE_CONSTRAINT_PRIMARYKEY: return AG_CONFLICT;
	case SQLITE_CONSTRAINT_FOREIGNKEY: return AG_NOT_FOUND;
	default: break;
	}
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

/* A file is not lost on the way. */
static bool is_lost(const ag_err *err)
{
	(void)err;
	return false;
}

static bool is_damage(const ag_err *err)
{
	const int rc = err->native & 0xff;

	return strcmp(err->origin, ORIGIN) == 0 && (rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB);
}

/* A write of a mapped page, or of a file beside the store, fails as an error of the disk when there is no room. */
static bool has_no_room(const ag_sqlite *s, int rc, int native)
{
	struct statvfs v;

	return (rc & 0xff) == SQLITE_IOERR &&
	       (native == ENOSPC || native == EDQUOT ||
	        (s->path[0] && statvfs(s->path, &v) == 0 && v.f_bavail == 0 && v.f_blocks));
}

ag_status ag_sqlite_fail(ag_sqlite *s, int rc, const char *doing, ag_err *err)
{
	int native = s->db ? sqlite3_system_errno(s->db) : 0;
	ag_status st = status_of(rc);
	const char *why = s->db && sqlite3_extended_errcode(s->db) == rc ? sqlite3_errmsg(s->db)
	                                                                 : sqlite3_errstr(rc);

	if (has_no_room(s, rc, native)) {
		rc = SQLITE_FULL;
		why = sqlite3_errstr(rc);
	}

	if ((rc & 0xff) == SQLITE_CANTOPEN &&
	    (native == EACCES || native == EROFS || native == EPERM))
		st = AG_DENIED;
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
static bool wait_a_little(ag_sqlite *s, int ntry)
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

int ag_sqlite_step(ag_sqlite *s, sqlite3_stmt *stmt)
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

int ag_sqlite_exec(ag_sqlite *s, const char *sql)
{
	int rc;

	s->waited_us = 0;
	for (int ntry = 0;; ntry++) {
		rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
		if (!is_busy(rc) || !wait_a_little(s, ntry))
			return rc;
	}
}

int ag_sqlite_prepare(ag_sqlite *s, const char *sql, unsigned flags, sqlite3_stmt **ret)
{
	int rc;

	s->waited_us = 0;
	for (int ntry = 0;; ntry++) {
		rc = sqlite3_prepare_v3(s->db, sql, -1, flags, ret, NULL);
		if (!is_busy(rc) || !wait_a_little(s, ntry))
			return rc;
	}
}

void ag_sqlite_wait_for_locks(ag_sqlite *s)
{
	if (!s->max_wait_us)
		s->max_wait_us = AG_STORE_PATIENCE_MS * 1000ul;
	s->jitter = (uint32_t)(uintptr_t)s ^ (uint32_t)getpid() * 2654435761u;
	sqlite3_busy_handler(s->db, on_busy, s);
}

static void set_patience(ag_db *base, unsigned ms)
{
	((ag_sqlite *)base)->max_wait_us = ms * 1000ul;
}

/* --- statements --- */

/* The text with the driver's words replaced, into out[MAX_TEXT]. A writer is alone here: nothing is locked by others. */
static void write_text(const char *text, char *out)
{
	static const char *const words[][2] = { { "{stored}", "rowid" }, { "{skip locked}", "" } };
	size_t n = 0;

	while (*text) {
		const char *ours = NULL;

		for (size_t i = 0; i < AG_NELEM(words) && !ours; i++) {
			if (strncmp(text, words[i][0], strlen(words[i][0])) == 0) {
				ours = words[i][1];
				text += strlen(words[i][0]);
			}
		}
		AG_ASSERT(n + (ours ? strlen(ours) : 1) < MAX_TEXT);
		if (!ours) {
			out[n++] = *text++;
			continue;
		}
		memcpy(out + n, ours, strlen(ours));
		n += strlen(ours);
	}
	out[n] = '\0';
}

/* "$3" is the argument 2, wherever SQLite put it. */
static void number_args(ag_sqlite_stmt *k)
{
	k->narg = (unsigned)sqlite3_bind_parameter_count(k->stmt);
	AG_ASSERT(k->narg <= AG_DB_MAX_ARGS);
	for (unsigned i = 0; i < k->narg; i++) {
		const char *name = sqlite3_bind_parameter_name(k->stmt, (int)i + 1);
		uint64_t n = 0;

		AG_ASSERT(name && name[0] == '$' && ag_str_to_u64(ag_str_c(name + 1), &n));
		AG_ASSERT(n >= 1 && n <= k->narg); /* all of 1 .. narg are used */
		k->arg_of[i] = (unsigned char)(n - 1);
	}
}

static size_t slot_of(const ag_sqlite *s, const ag_sql *row)
{
	size_t i = ((uintptr_t)row / sizeof(*row) * 0x9E3779B9u >> 7) & (s->cap - 1);

	while (s->stmts[i] && s->stmts[i]->row != row)
		i = (i + 1) & (s->cap - 1);
	return i;
}

static void make_room(ag_sqlite *s)
{
	ag_sqlite_stmt **old = s->stmts;
	const size_t ncap = s->cap;

	if (4 * (s->nstmt + 1) <= 3 * s->cap)
		return;
	s->cap = ncap ? 2 * ncap : 32;
	s->stmts = ag_xcalloc(s->cap, sizeof(ag_sqlite_stmt *));
	for (size_t i = 0; i < ncap; i++) {
		if (old[i])
			s->stmts[slot_of(s, old[i]->row)] = old[i];
	}
	free(old);
}

void ag_sqlite_forget(ag_sqlite *s)
{
	for (size_t i = 0; i < s->cap; i++) {
		if (s->stmts[i]) {
			sqlite3_finalize(s->stmts[i]->stmt);
			free(s->stmts[i]);
		}
	}
	free(s->stmts);
	s->stmts = NULL;
	s->nstmt = s->cap = 0;
}

/* The kept statement of the row, reset and without bindings; prepared on first use. */
static ag_status statement(ag_sqlite *s, const ag_sql *row, ag_sqlite_stmt **ret, ag_err *err)
{
	char text[MAX_TEXT];
	sqlite3_stmt *stmt = NULL;
	ag_sqlite_stmt *k;
	size_t at;
	int rc;

	make_room(s);
	at = slot_of(s, row);
	if (!s->stmts[at]) {
		write_text(row->text, text);
		rc = ag_sqlite_prepare(s, text, SQLITE_PREPARE_PERSISTENT, &stmt);
		if (rc)
			return ag_sqlite_fail(s, rc, "use the store", err);
		k = ag_xcalloc(1, sizeof(*k));
		k->row = row;
		k->stmt = stmt;
		k->is_reading = sqlite3_stmt_readonly(stmt);
		number_args(k);
		s->stmts[at] = k;
		s->nstmt++;
	}
	*ret = s->stmts[at];
	return AG_OK;
}

/* Arguments outlive the step, so nothing is copied. An empty slice may have no pointer, which would be NULL. Cannot fail:
 * limits were checked by the caller and the number is ours. */
static void bind(sqlite3_stmt *stmt, int i, const ag_db_val *v)
{
	switch (v->kind) {
	case AG_DB_INT: sqlite3_bind_int64(stmt, i, v->i); break;
	case AG_DB_REAL: sqlite3_bind_double(stmt, i, v->real); break;
	case AG_DB_TEXT:
		sqlite3_bind_text64(stmt, i, v->text.len ? v->text.ptr : "", v->text.len,
		                    SQLITE_STATIC, SQLITE_UTF8);
		break;
	case AG_DB_NULL: AG_ASSERT(false);
	}
}

/* A text that the row before it has too stays bound over the reset: most are the same from row to row, and to compare one
 * costs a tenth of binding it. `last` NULL = this is the first row. */
static void bind_all(const ag_sqlite_stmt *k, const ag_db_val *args, const ag_db_val *last)
{
	for (unsigned i = 0; i < k->narg; i++) {
		const unsigned n = k->arg_of[i];

		if (last && args[n].kind == AG_DB_TEXT && ag_str_eq(args[n].text, last[n].text))
			continue;
		bind(k->stmt, (int)i + 1, &args[n]);
	}
}

static void read_columns(sqlite3_stmt *stmt, int n, ag_db_val *ret)
{
	for (int i = 0; i < n; i++) {
		const char *text;

		switch (sqlite3_column_type(stmt, i)) {
		case SQLITE_INTEGER: ret[i] = ag_db_int(sqlite3_column_int64(stmt, i)); break;
		case SQLITE_FLOAT: ret[i] = ag_db_real(sqlite3_column_double(stmt, i)); break;
		case SQLITE_NULL: ret[i] = (ag_db_val){ .kind = AG_DB_NULL }; break;
		default:
			text = (const char *)sqlite3_column_text(stmt, i);
			ret[i] = ag_db_text(
				ag_str_make(text ? text : "",
			                    text ? (size_t)sqlite3_column_bytes(stmt, i) : 0));
		}
	}
}

/* A writing transaction fails as a whole, also where it reads. */
static int fault_of(const ag_sqlite *s, const ag_sqlite_stmt *k)
{
	if (k->is_reading && !s->is_writing)
		return ag_fault("store.read") ? SQLITE_IOERR : SQLITE_OK;
	return ag_fault("store.write") ? SQLITE_FULL : SQLITE_OK;
}

static ag_status step_all(ag_sqlite *s, const ag_sqlite_stmt *k, ag_db_out *out, ag_err *err)
{
	ag_db_val row[AG_DB_MAX_COLUMNS];
	const int ncolumn = sqlite3_column_count(k->stmt);
	int rc = fault_of(s, k);

	AG_ASSERT(ncolumn <= (int)AG_DB_MAX_COLUMNS);
	if (!rc)
		rc = ag_sqlite_step(s, k->stmt);
	while (rc == SQLITE_ROW) {
		ag_status st;

		AG_ASSERT(out && out->on_row);
		read_columns(k->stmt, ncolumn, row);
		st = out->on_row(out->arg, row, err);
		if (st)
			return st;
		rc = fault_of(s, k);
		if (!rc)
			rc = sqlite3_step(k->stmt);
	}
	return rc == SQLITE_DONE ? AG_OK
	                         : ag_sqlite_fail(s, rc, k->is_reading ? "read" : "write to", err);
}

static ag_status run(ag_db *base, const ag_sql *sql, ag_db_args args, ag_db_out *out, ag_err *err)
{
	ag_sqlite *s = (ag_sqlite *)base;
	ag_sqlite_stmt *k = NULL;
	ag_status st = statement(s, sql, &k, err);

	if (st)
		return st;
	AG_ASSERT(k && args.n == k->narg);
	bind_all(k, args.at, NULL);
	st = step_all(s, k, out, err);
	if (!st && out)
		out->nchange = k->is_reading ? 0 : (uint64_t)sqlite3_changes(s->db);
	sqlite3_reset(k->stmt); /* gives locks back */
	sqlite3_clear_bindings(k->stmt);
	return st;
}

static ag_status run_many(ag_db *base, const ag_sql *sql, ag_db_args args, size_t nrow,
                          size_t *ret_unchanged, ag_err *err)
{
	ag_sqlite *s = (ag_sqlite *)base;
	ag_sqlite_stmt *k = NULL;
	size_t unchanged = nrow;
	ag_status st = statement(s, sql, &k, err);

	if (st)
		return st;
	AG_ASSERT(k && args.n == k->narg && !k->is_reading);
	for (size_t i = 0; i < nrow && !st; i++) {
		const ag_db_val *row = args.at + i * args.n;

		bind_all(k, row, i ? row - args.n : NULL);
		st = step_all(s, k, NULL, err);
		if (!st && unchanged == nrow && !sqlite3_changes(s->db))
			unchanged = i;
		sqlite3_reset(k->stmt);
	}
	sqlite3_clear_bindings(k->stmt);
	if (!st && ret_unchanged)
		*ret_unchanged = unchanged;
	return st;
}

/* --- transactions --- */

static const ag_sql begin_read = { "BEGIN" }, begin_write = { "BEGIN IMMEDIATE" },
		    commit_all = { "COMMIT" };

/* Without the faults of reading and writing: these have points of their own. */
static ag_status step_one(ag_sqlite *s, const ag_sql *sql, const char *fault, const char *doing,
                          ag_err *err)
{
	ag_sqlite_stmt *k = NULL;
	ag_status st = statement(s, sql, &k, err);
	int rc;

	if (st)
		return st;
	AG_ASSERT(k);
	rc = ag_fault(fault) ? SQLITE_IOERR : ag_sqlite_step(s, k->stmt);
	st = rc == SQLITE_DONE ? AG_OK : ag_sqlite_fail(s, rc, doing, err);
	sqlite3_reset(k->stmt);
	return st;
}

ag_status ag_sqlite_begin(ag_db *base, ag_db_begin_kind kind, ag_str scope, ag_err *err)
{
	ag_sqlite *s = (ag_sqlite *)base;
	const bool is_durable = kind == AG_DB_DURABLE;
	ag_status st;
	int rc;

	(void)scope; /* there is one writer at a time */
	if (kind == AG_DB_READ)
		return step_one(s, &begin_read, "store.read", "read", err);
	/* Only possible outside a transaction. FULL syncs the log at every commit, NORMAL at
	 * checkpoints. */
	if (s->is_full_sync != is_durable) {
		rc = ag_sqlite_exec(s, is_durable ? "PRAGMA synchronous=FULL"
		                                  : "PRAGMA synchronous=NORMAL");
		if (rc)
			return ag_sqlite_fail(s, rc, "write to", err);
		s->is_full_sync = is_durable;
	}
	st = step_one(s, &begin_write, "store.begin", "write to", err);
	if (st)
		return st;
	s->is_writing = true;
	s->is_lazy |= kind == AG_DB_LAZY;
	s->is_durable |= is_durable;
	ag_sqlite_others_begin(s);
	return AG_OK;
}

ag_status ag_sqlite_commit(ag_db *base, ag_err *err)
{
	ag_sqlite *s = (ag_sqlite *)base;
	ag_status st = step_one(s, &commit_all, "store.commit", "write to", err);

	if (!st)
		ag_fault_after("store.commit");
	if (!st && s->is_writing)
		ag_sqlite_others_commit(s);
	if (!st)
		s->is_writing = false;
	return st;
}

void ag_sqlite_rollback(ag_db *base)
{
	ag_sqlite *s = (ag_sqlite *)base;

	if (!sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	s->is_writing = false;
}

/* --- the disk --- */

/* The log's file has one name and one inode as long as a connection is open. SQLite holds no lock on it, so that a
 * descriptor of our own does no harm; the database has its locks by POSIX rules, and closing a second descriptor would
 * drop them. */
static ag_status sync_log(ag_db *base, ag_err *err)
{
	ag_sqlite *s = (ag_sqlite *)base;
	char path[PATH_MAX];
	bool is_failed;

	if (!base->type->is_kept)
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

static ag_status take_version(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(uint64_t *)arg = ag_db_get_u64(&row[0]);
	return AG_OK;
}

/* SQLite counts commits of others alone; the changes of this handle are counted beside them. */
static ag_status version(ag_db *base, uint64_t *ret, ag_err *err)
{
	static const ag_sql data_version = { "PRAGMA data_version" };
	uint64_t others = 0;
	ag_db_out out = { .on_row = take_version, .arg = &others };
	ag_status st = run(base, &data_version, AG_DB_NO_ARGS, &out, err);

	if (!st)
		*ret = others << 32 ^ (uint32_t)sqlite3_total_changes(((ag_sqlite *)base)->db);
	return st;
}

static ag_status purge_begin(ag_db *base, ag_err *err)
{
	ag_sqlite *s = (ag_sqlite *)base;
	const int rc = ag_sqlite_exec(s, "PRAGMA secure_delete=ON");

	return rc ? ag_sqlite_fail(s, rc, "write to", err) : AG_OK;
}

/* What does not work now because others read works at the next purge. */
static void purge_end(ag_db *base, bool has_removed)
{
	ag_sqlite *s = (ag_sqlite *)base;

	if (has_removed) {
		AG_IGNORE(ag_sqlite_exec(s, "PRAGMA incremental_vacuum"), "see above");
		AG_IGNORE(sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
		                                    NULL),
		          "see above");
	}
	AG_IGNORE(ag_sqlite_exec(s, "PRAGMA secure_delete=FAST"), "only a matter of speed");
}

/* clang-format off */
/* A file and a database in memory differ only in how they are opened. */
#define SQLITE_FUNCTIONS \
	.has_store = ag_sqlite_has_store, \
	.migrate = ag_sqlite_migrate, \
	.close = ag_sqlite_close, \
	.set_patience = set_patience, \
	.is_damage = is_damage, \
	.is_lost = is_lost, \
	.begin = ag_sqlite_begin, \
	.commit = ag_sqlite_commit, \
	.rollback = ag_sqlite_rollback, \
	.run = run, \
	.run_many = run_many, \
	.words = &ag_sqlite_words, \
	.sync = sync_log, \
	.version = version, \
	.others = ag_sqlite_others_number, \
	.wait = ag_sqlite_wait, \
	.check = ag_sqlite_check, \
	.purge_begin = purge_begin, \
	.purge_end = purge_end
/* clang-format on */

const ag_db_type ag_db_sqlite_file = {
	.scheme = "sqlite",
	.help = "one SQLite file, shared by any number of processes on this machine",
	.is_kept = true,
	.has_one_writer = true,
	.open = ag_sqlite_open_file,
	SQLITE_FUNCTIONS,
};

const ag_db_type ag_db_sqlite_memory = {
	.scheme = "memory",
	.help = "nothing is kept: gone when the program ends",
	.is_kept = false,
	.open = ag_sqlite_open_memory,
	SQLITE_FUNCTIONS,
};
