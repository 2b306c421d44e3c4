/* tables -- see the header. */
#include "store/tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/memory.h"
#include "store/sqlite.h"

#define ORIGIN         "store.tables"
#define APPLICATION_ID 0x41724774 /* "ArGt" */
#define WAIT_MS        10000
#define MAX_NAME       128u /* bytes of a table or column */

struct ag_tables {
	sqlite3 *db;
	sqlite3_stmt *insert;
	char *path;
	size_t ncolumn;
	bool is_new, is_committed;
	uint64_t max_bytes; /* 0 = no limit */
	size_t max_tables, ntable;
};

static ag_status tables_fail_full(const ag_tables *t, ag_err *err)
{
	ag_fail(err, AG_LIMIT, ORIGIN,
	        "the imported tables of a project may have %llu MiB together",
	        (unsigned long long)(t->max_bytes >> 20));
	return ag_err_hint(err,
	                   "remove a table that is not needed any more, or use another project");
}

static int tables_number(const ag_tables *t, const char *sql, int *ret)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(t->db, sql, -1, &stmt, NULL);

	if (!rc && sqlite3_step(stmt) == SQLITE_ROW)
		*ret = sqlite3_column_int(stmt, 0);
	sqlite3_finalize(stmt);
	return rc;
}

/* Has the file the size that it may have, or is the disk full? */
static bool tables_is_full(const ag_tables *t)
{
	int npage = 0, most = 0;

	return t->max_bytes && !tables_number(t, "PRAGMA page_count", &npage) &&
	       !tables_number(t, "PRAGMA max_page_count", &most) && npage >= most;
}

static ag_status tables_fail(const ag_tables *t, int rc, const char *doing, ag_err *err)
{
	const int primary = rc & 0xff;
	const ag_status st = primary == SQLITE_BUSY || primary == SQLITE_LOCKED ? AG_TIMEOUT
	                     : primary == SQLITE_NOTADB                         ? AG_CONFLICT
	                     : primary == SQLITE_READONLY || primary == SQLITE_CANTOPEN ? AG_DENIED
	                     : primary == SQLITE_TOOBIG                                 ? AG_LIMIT
	                                                                                : AG_IO;

	if (primary == SQLITE_FULL && tables_is_full(t))
		return tables_fail_full(t, err);
	ag_fail(err, st, ORIGIN, "cannot %s \"%.200s\": %s", doing, t->path,
	        st == AG_TIMEOUT ? "another process writes to it" : sqlite3_errstr(rc));
	if (st == AG_TIMEOUT)
		return ag_err_hint(err, "try again when the other import has ended");
	return st;
}

static int tables_exec(ag_tables *t, const char *sql)
{
	return ag_fault("store.write") ? SQLITE_FULL : sqlite3_exec(t->db, sql, NULL, NULL, NULL);
}

static ag_status tables_identify(ag_tables *t, ag_err *err)
{
	int id = 0, nobject = 0, rc;
	char sql[64];

	rc = tables_exec(t, "BEGIN IMMEDIATE");
	if (!rc)
		rc = tables_number(t, "PRAGMA application_id", &id);
	if (!rc)
		rc = tables_number(t, "SELECT count(*) FROM sqlite_master", &nobject);
	if (rc)
		return tables_fail(t, rc, "write to", err);
	if (id != APPLICATION_ID && (id || nobject)) {
		ag_fail(err, AG_CONFLICT, ORIGIN,
		        "\"%.200s\" is a database that Argus did not make", t->path);
		return ag_err_hint(err, "move it away: Argus writes to no database but its own");
	}
	snprintf(sql, sizeof(sql), "PRAGMA application_id = %d", APPLICATION_ID);
	rc = tables_exec(t, sql);
	return rc ? tables_fail(t, rc, "write to", err) : AG_OK;
}

ag_status ag_tables_open(ag_str path, ag_tables **ret, ag_err *err)
{
	ag_tables *t = ag_xcalloc(1, sizeof(*t));
	struct stat sb;
	ag_status st;
	int rc;

	t->path = ag_xmalloc(path.len + 3);
	/* "./" in front: SQLite gives ":memory:" and the like a meaning of their own. */
	snprintf(t->path, path.len + 3, "%s%.*s", path.len && path.ptr[0] == '/' ? "" : "./",
	         AG_FMT(path));
	st = ag_sqlite_make_folders(t->path, err);
	if (!st && stat(t->path, &sb)) {
		t->is_new = true;
		if (mknod(t->path, S_IFREG | 0600, 0))
			st = ag_fail_errno(err, errno, ORIGIN, "cannot make \"%.200s\"", t->path);
		t->is_new = !st;
	}
	if (!st) {
		rc = ag_fault("store.open")
		             ? SQLITE_CANTOPEN
		             : sqlite3_open_v2(t->path, &t->db,
		                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
		                                       SQLITE_OPEN_EXRESCODE,
		                               NULL);
		if (rc)
			st = tables_fail(t, rc, "open", err);
	}
	if (!st) {
		sqlite3_busy_timeout(t->db, WAIT_MS);
		sqlite3_db_config(t->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
		sqlite3_limit(t->db, SQLITE_LIMIT_ATTACHED, 0);
		st = tables_identify(t, err);
	}
	if (st) {
		ag_tables_close(t);
		return st;
	}
	*ret = t;
	return AG_OK;
}

ag_status ag_tables_limit(ag_tables *t, uint64_t max_bytes, size_t max_tables, ag_err *err)
{
	int page = 0, rc;
	char sql[64];

	t->max_bytes = max_bytes;
	t->max_tables = max_tables;
	if (!max_bytes)
		return AG_OK;
	rc = tables_number(t, "PRAGMA page_size", &page);
	/* SQLite takes no limit below the pages that the file has: then each page more is one too many. */
	snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %llu",
	         (unsigned long long)(max_bytes / (page > 0 ? (unsigned)page : 4096u)));
	if (!rc)
		rc = tables_exec(t, sql);
	return rc ? tables_fail(t, rc, "limit", err) : AG_OK;
}

/* "name" */
static void tables_quote(ag_buf *out, ag_str name)
{
	ag_buf_addc(out, '"');
	for (size_t i = 0; i < name.len; i++) {
		if (name.ptr[i] == '"')
			ag_buf_addc(out, '"');
		ag_buf_addc(out, name.ptr[i]);
	}
	ag_buf_addc(out, '"');
}

static ag_status tables_check_names(ag_str name, const ag_tables_column *columns, size_t n,
                                    ag_err *err)
{
	bool ok = name.len > 0 && name.len <= MAX_NAME && !memchr(name.ptr, '\0', name.len);

	for (size_t i = 0; i < n; i++)
		ok = ok && columns[i].name.len > 0 && columns[i].name.len <= MAX_NAME &&
		     !memchr(columns[i].name.ptr, '\0', columns[i].name.len);
	if (!ok)
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "a name of a table or column has 1 to %u bytes and no NUL",
		               MAX_NAME);
	if (n < 1 || n > AG_TABLES_MAX_COLUMNS)
		return ag_fail(err, AG_LIMIT, ORIGIN,
		               "a table has 1 to %u columns, this one has %zu",
		               AG_TABLES_MAX_COLUMNS, n);
	return AG_OK;
}

#define COUNT_TABLES "SELECT count(*) FROM sqlite_master WHERE type = 'table'"

ag_status ag_tables_drop(ag_tables *t, ag_str name, bool *ret_was_there, ag_err *err)
{
	ag_buf sql = AG_BUF_INIT(1024);
	int before = 0, after = 0, rc;

	if (!name.len || name.len > MAX_NAME || memchr(name.ptr, '\0', name.len))
		return ag_fail(err, AG_INVALID, ORIGIN, "a name of a table has 1 to %u bytes",
		               MAX_NAME);
	ag_buf_adds(&sql, "DROP TABLE IF EXISTS ");
	tables_quote(&sql, name);
	rc = tables_number(t, COUNT_TABLES, &before);
	if (!rc)
		rc = tables_exec(t, sql.ptr);
	if (!rc)
		rc = tables_number(t, COUNT_TABLES, &after);
	ag_buf_release(&sql);
	if (rc)
		return tables_fail(t, rc, "remove a table of", err);
	t->ntable = (size_t)after;
	*ret_was_there = after < before;
	return AG_OK;
}

ag_status ag_tables_create(ag_tables *t, ag_str name, const ag_tables_column *columns, size_t n,
                           bool *ret_replaced, ag_err *err)
{
	ag_buf sql = AG_BUF_INIT(4u << 20), insert = AG_BUF_INIT(4u << 20);
	ag_status st = tables_check_names(name, columns, n, err);
	int rc;

	if (st)
		return st;
	st = ag_tables_drop(t, name, ret_replaced, err);
	if (st)
		return st;
	if (t->max_tables && t->ntable >= t->max_tables) {
		ag_fail(err, AG_LIMIT, ORIGIN, "a project may have %zu imported tables",
		        t->max_tables);
		return ag_err_hint(
			err, "remove one that is not needed any more, or use another project");
	}
	ag_buf_adds(&sql, "CREATE TABLE ");
	tables_quote(&sql, name);
	ag_buf_adds(&insert, "INSERT INTO ");
	tables_quote(&insert, name);
	ag_buf_adds(&insert, " VALUES (");
	for (size_t i = 0; i < n; i++) {
		ag_buf_adds(&sql, i ? ", " : " (");
		tables_quote(&sql, columns[i].name);
		ag_buf_addf(&sql, " %s", columns[i].type);
		ag_buf_adds(&insert, i ? ",?" : "?");
	}
	ag_buf_adds(&sql, ")");
	ag_buf_adds(&insert, ")");
	rc = tables_exec(t, sql.ptr);
	sqlite3_finalize(t->insert);
	t->insert = NULL;
	if (!rc)
		rc = sqlite3_prepare_v2(t->db, insert.ptr, -1, &t->insert, NULL);
	ag_buf_release(&sql);
	ag_buf_release(&insert);
	if (rc)
		return tables_fail(t, rc, "make a table in", err);
	t->ncolumn = n;
	return AG_OK;
}

ag_status ag_tables_add(ag_tables *t, const ag_cell *cells, ag_err *err)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < t->ncolumn && !rc; i++) {
		const ag_cell *c = &cells[i];
		const int at = (int)i + 1;

		switch (c->kind) {
		case AG_CELL_INT: rc = sqlite3_bind_int64(t->insert, at, c->i); break;
		case AG_CELL_REAL: rc = sqlite3_bind_double(t->insert, at, c->f); break;
		case AG_CELL_TEXT:
			rc = sqlite3_bind_text64(t->insert, at, c->s.ptr, c->s.len, SQLITE_STATIC,
			                         SQLITE_UTF8);
			break;
		default: rc = sqlite3_bind_null(t->insert, at); break;
		}
	}
	if (!rc) {
		rc = ag_fault("store.write") ? SQLITE_FULL : sqlite3_step(t->insert);
		sqlite3_reset(t->insert);
	}
	return rc == SQLITE_DONE ? AG_OK : tables_fail(t, rc, "write to", err);
}

ag_status ag_tables_script(ag_tables *t, const char *sql, ag_err *err)
{
	const int rc = tables_exec(t, sql);

	return rc ? tables_fail(t, rc, "write to", err) : AG_OK;
}

ag_status ag_tables_commit(ag_tables *t, ag_err *err)
{
	int rc;

	sqlite3_finalize(t->insert);
	t->insert = NULL;
	rc = ag_fault("store.commit") ? SQLITE_FULL
	                              : sqlite3_exec(t->db, "COMMIT", NULL, NULL, NULL);
	if (rc)
		return tables_fail(t, rc, "write to", err);
	t->is_committed = true;
	if (t->is_new)
		ag_sqlite_sync_folder(t->path);
	return AG_OK;
}

ag_tables *ag_tables_close(ag_tables *t)
{
	if (!t)
		return NULL;
	sqlite3_finalize(t->insert);
	sqlite3_close(t->db); /* takes an open transaction back */
	if (t->is_new && !t->is_committed)
		AG_IGNORE(unlink(t->path), "an empty file is no harm");
	free(t->path);
	free(t);
	return NULL;
}
