/* Opening: make the file, see whose it is, bring its schema up to date.
 *
 * Invariant: a file that is not a store of Argus, or is one of a newer Argus, is left as it was.
 * Many processes may open a fresh path at the same moment: each step either finds its work done or
 * does it under the write lock (identify() runs again inside the migration's transaction).
 * The file is made with mknod(), never with open() and close(): closing a descriptor of a database
 * drops the POSIX locks that other connections of this process hold on it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/fault.h"
#include "store/sqlite.h"

#define ORIGIN "store.sqlite"

#define APPLICATION_ID 0x41724775 /* "ArGu": file(1) and identify() know a store by it */
/* No value of ours comes near; a damaged or hostile file cannot make us allocate more. */
#define MAX_VALUE_BYTES (256 << 20)

/* Whose file it is, all read in one transaction. */
typedef struct identity {
	int application_id;
	int version; /* of the schema: the number of the last migration */
	int nobject; /* tables, indexes and so on */
} identity;

/* --- the file --- */

ag_status ag_sqlite_make_folders(char *path, ag_err *err)
{
	for (char *p = path + 1; *p; p++) {
		int rc;

		if (*p != '/' || p[-1] == '/')
			continue;
		*p = '\0';
		rc = mkdir(path, 0700);
		if (rc && errno != EEXIST && errno != EISDIR) {
			int native = errno;
			struct stat st;

			/* A read-only file system or a closed parent says so even of a folder that
			 * is there. */
			if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
				ag_status status =
					ag_fail_errno(err, native, ORIGIN,
				                      "cannot make the folder \"%.200s\"", path);

				ag_err_hint(err,
				            "choose another place for the store with ARGUS_STORE");
				*p = '/';
				return status;
			}
		}
		*p = '/';
	}
	return AG_OK;
}

void ag_sqlite_sync_folder(const char *path)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	int fd;

	snprintf(folder, sizeof(folder), "%.*s", slash > path ? (int)(slash - path) : 1, path);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	AG_IGNORE(fsync(fd), "see above");
	close(fd);
}

static ag_status make_file(const char *path, ag_err *err)
{
	struct stat st;

	if (!ag_fault("store.open") && mknod(path, S_IFREG | 0600, 0) == 0) {
		if (chmod(path, 0600)) /* whatever the umask took away */
			return ag_fail_errno(err, errno, ORIGIN, "cannot make the store \"%.200s\"",
			                     path);
		ag_sqlite_sync_folder(path);
		return AG_OK;
	}
	if (errno != EEXIST) {
		ag_status status = ag_fail_errno(err, errno, ORIGIN,
		                                 "cannot make the store \"%.200s\"", path);

		ag_err_hint(err, "choose another place for the store with ARGUS_STORE");
		return status;
	}
	if (stat(path, &st))
		return ag_fail_errno(err, errno, ORIGIN, "cannot read the store \"%.200s\"", path);
	if (!S_ISREG(st.st_mode))
		return ag_fail(err, AG_INVALID, ORIGIN, "the store \"%.200s\" is not a file", path);
	return AG_OK;
}

/* --- the connection --- */

/* The statement's first row is handed to `take`; no row is an error of ours. */
static ag_status query_row(ag_sqlite *s, const char *sql, void (*take)(sqlite3_stmt *, void *),
                           void *arg, ag_err *err)
{
	sqlite3_stmt *stmt = NULL;
	ag_status st = AG_OK;
	int rc = ag_fault("store.open") ? SQLITE_IOERR : ag_sqlite_prepare(s, sql, 0, &stmt);

	if (rc == SQLITE_OK)
		rc = ag_sqlite_step(s, stmt);
	if (rc == SQLITE_ROW)
		take(stmt, arg);
	else
		st = ag_sqlite_fail(s, rc, "open the store", err);
	sqlite3_finalize(stmt);
	return st;
}

static void take_identity(sqlite3_stmt *stmt, void *arg)
{
	identity *id = arg;

	id->application_id = sqlite3_column_int(stmt, 0);
	id->version = sqlite3_column_int(stmt, 1);
	id->nobject = sqlite3_column_int(stmt, 2);
}

static void take_is_wal(sqlite3_stmt *stmt, void *arg)
{
	const char *mode = (const char *)sqlite3_column_text(stmt, 0);

	*(bool *)arg = mode && strcmp(mode, "wal") == 0;
}

static const ag_embedded *migration(int number)
{
	char prefix[40];
	const ag_embedded *first = NULL;
	size_t n;

	snprintf(prefix, sizeof(prefix), "migrations/%03d_", number);
	n = ag_embedded_list(prefix, &first);
	AG_ASSERT(n <= 1); /* two files with one number */
	return n ? first : NULL;
}

static int newest_version(void)
{
	int n = 0;

	while (migration(n + 1))
		n++;
	AG_ASSERT(n > 0); /* built without the migrations */
	return n;
}

static ag_status identify(ag_sqlite *s, identity *id, ag_err *err)
{
	/* One statement, so that another process' migration is seen whole or not at all. */
	ag_status st = query_row(s,
	                         "SELECT (SELECT application_id FROM pragma_application_id), "
	                         "(SELECT user_version FROM pragma_user_version), "
	                         "(SELECT count(*) FROM sqlite_schema)",
	                         take_identity, id, err);
	int newest = newest_version();

	if (st)
		return st;
	if (id->application_id != APPLICATION_ID &&
	    (id->application_id || id->version || id->nobject)) {
		ag_fail(err, AG_INVALID, ORIGIN, "\"%.200s\" is the database of another program",
		        s->path);
		ag_err_hint(err, "choose another path for the store with ARGUS_STORE");
		return AG_INVALID;
	}
	if (id->version > newest) {
		ag_fail(err, AG_CONFLICT, ORIGIN,
		        "the store \"%.200s\" is of a newer Argus (schema %d, this one knows %d)",
		        s->path, id->version, newest);
		ag_err_hint(err, "upgrade argus, or choose another store with ARGUS_STORE");
		return AG_CONFLICT;
	}
	return AG_OK;
}

/* What holds for this connection whatever the file says. */
static ag_status configure(ag_sqlite *s, ag_err *err)
{
	static const int off[] = {
		SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
		SQLITE_DBCONFIG_ENABLE_VIEW,    SQLITE_DBCONFIG_DQS_DML,
		SQLITE_DBCONFIG_DQS_DDL,        SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION
	};
	static const char *const pragmas[] = {
		"PRAGMA foreign_keys=ON",
		"PRAGMA synchronous=NORMAL",
		"PRAGMA mmap_size=0",
		"PRAGMA journal_size_limit=8388608", /* 8 MB: what -wal shrinks to after a burst */
		/* 8 MB, too: a checkpoint waits for the disk twice, and an answered call may have to wait for it. */
		"PRAGMA wal_autocheckpoint=2000",
		"PRAGMA cell_size_check=ON",
		"PRAGMA cache_size=-256", /* KB: a server has several handles, and the system caches pages */
		"PRAGMA temp_store=MEMORY", /* nothing private in /tmp */
		/* What is overwritten in a page is gone at once; freed pages go with the next purge. */
		"PRAGMA secure_delete=FAST",
	};

	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	/* Until we know that the file is ours. */
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	for (size_t i = 0; i < AG_NELEM(off); i++)
		sqlite3_db_config(s->db, off[i], 0, NULL);
	sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES);
	sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0);
	ag_sqlite_wait_for_locks(s);
	for (size_t i = 0; i < AG_NELEM(pragmas); i++) {
		int rc = ag_fault("store.open") ? SQLITE_IOERR : ag_sqlite_exec(s, pragmas[i]);

		if (rc)
			return ag_sqlite_fail(s, rc, "open the store", err);
	}
	return AG_OK;
}

static ag_status use_wal(ag_sqlite *s, ag_err *err)
{
	bool is_wal = false;
	ag_status st = query_row(s, "PRAGMA journal_mode=WAL", take_is_wal, &is_wal, err);

	if (st || is_wal)
		return st;
	ag_fail(err, AG_IO, ORIGIN, "the file system of \"%.200s\" cannot share a store", s->path);
	ag_err_hint(err, "a store belongs on a local disk; choose one with ARGUS_STORE");
	return AG_IO;
}

static int migrate_sql(ag_sqlite *s, const char *sql)
{
	return ag_fault("store.migrate") ? SQLITE_IOERR
	                                 : sqlite3_exec(s->db, sql, NULL, NULL, NULL);
}

int ag_sqlite_migrate_again(ag_sqlite *s, int number)
{
	const ag_embedded *m = migration(number);

	AG_ASSERT(m);
	return migrate_sql(s, (const char *)m->ptr);
}

static ag_status run_migration(ag_sqlite *s, int number, ag_err *err)
{
	const ag_embedded *m = migration(number);
	char done[60];
	int rc = migrate_sql(s, (const char *)m->ptr);

	snprintf(done, sizeof(done), "PRAGMA user_version=%d", number);
	if (!rc)
		rc = migrate_sql(s, done);
	return rc ? ag_sqlite_fail(s, rc, "bring up to date the store", err) : AG_OK;
}

static ag_status run_migrations(ag_sqlite *s, ag_err *err)
{
	char own[60];
	identity id = { 0 };
	ag_status st = identify(s, &id, err); /* another process may have done it while we waited */
	int rc;

	for (int n = id.version + 1; !st && n <= newest_version(); n++)
		st = run_migration(s, n, err);
	if (st)
		return st;
	snprintf(own, sizeof(own), "PRAGMA application_id=%d", APPLICATION_ID);
	rc = migrate_sql(s, own);
	return rc ? ag_sqlite_fail(s, rc, "bring up to date the store", err) : AG_OK;
}

ag_status ag_sqlite_has_store(ag_db *base, bool *ret, ag_err *err)
{
	identity id = { 0 };
	ag_status st = identify((ag_sqlite *)base, &id, err);

	*ret = !st && id.version > 0;
	return st;
}

ag_status ag_sqlite_migrate(ag_db *base, ag_err *err)
{
	ag_sqlite *s = (ag_sqlite *)base;
	identity id = { 0 };
	ag_status st = identify(s, &id, err);

	if (!st && id.nobject == 0 && ag_sqlite_exec(s, "PRAGMA auto_vacuum=INCREMENTAL"))
		st = ag_sqlite_fail(s, sqlite3_extended_errcode(s->db), "open the store", err);
	if (!st && base->type->is_kept)
		st = use_wal(s, err);
	if (st || id.version >= newest_version())
		return st;
	st = ag_db_begin(base, AG_DB_DURABLE, AG_S("schema"), err);
	return st ? st : ag_db_end(base, run_migrations(s, err), err);
}

/* SQLite sets 20 pages aside for each connection, used or not: a server has several. And it counts its memory under one lock
 * for all connections, at each allocation; nobody here asks for the count. Before its first use in the process. */
static void configure_library(void)
{
	AG_IGNORE(sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0), "it works with them, too");
	AG_IGNORE(sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0), "it works with the count, too");
}

/* Takes over `path` (malloc). */
static ag_status open_path(char *path, const ag_db_type *type, ag_db **ret, ag_err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	ag_sqlite *s = ag_xcalloc(1, sizeof(*s));
	identity id = { 0 };
	ag_status st = AG_OK;
	int rc;

	pthread_once(&once, configure_library);
	s->base.type = type;
	s->path = path;
	s->wal_fd = -1;
	ag_sqlite_others_init(s);
	rc = ag_fault("store.open") ? SQLITE_CANTOPEN
	                            : sqlite3_open_v2(path, &s->db,
	                                              SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
	                                                      SQLITE_OPEN_EXRESCODE,
	                                              NULL);
	if (rc)
		st = ag_sqlite_fail(s, rc, "open the store", err);
	if (!st)
		st = configure(s, err);
	if (!st)
		st = identify(s, &id, err);
	if (st) {
		ag_db_close(&s->base);
		return st;
	}
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	*ret = &s->base;
	return AG_OK;
}

ag_status ag_sqlite_open_file(ag_str uri, ag_db **ret, ag_err *err)
{
	/* "./" in front: SQLite gives ":memory:" and the like a meaning of their own. */
	const char *before = uri.len && uri.ptr[0] == '/' ? "" : "./";
	char *path;
	ag_status st;

	if (uri.len == 0 || uri.ptr[uri.len - 1] == '/')
		return ag_fail(err, AG_INVALID, ORIGIN, "the store needs the path of a file");
	/* SQLite appends "-journal" and keeps its own limit of 512 bytes below PATH_MAX. */
	if (uri.len > 500)
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "the path of the store is longer than 500 bytes");
	path = ag_xmalloc(uri.len + 3);
	snprintf(path, uri.len + 3, "%s%.*s", before, AG_FMT(uri));
	st = ag_sqlite_make_folders(path, err);
	if (!st)
		st = make_file(path, err);
	if (st) {
		free(path);
		return st;
	}
	return open_path(path, &ag_db_sqlite_file, ret, err);
}

ag_status ag_sqlite_open_memory(ag_str uri, ag_db **ret, ag_err *err)
{
	static const char name[] = ":memory:";
	char *path;

	if (uri.len)
		return ag_fail(err, AG_INVALID, ORIGIN, "\"memory:\" takes no path");
	path = ag_xmalloc(sizeof(name));
	memcpy(path, name, sizeof(name));
	return open_path(path, &ag_db_sqlite_memory, ret, err);
}

/* The last handle to close brings the log into the file, which waits for the disk three times, and removes it. After a
 * question nobody waits for that: the log stays beside the file, as after a kill, for the next one to read. */
void ag_sqlite_close(ag_db *base)
{
	ag_sqlite *s = (ag_sqlite *)base;

	ag_sqlite_forget(s);
	if (s->db && s->is_lazy && !s->is_durable)
		sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_close(s->db);
	if (s->wal_fd >= 0)
		close(s->wal_fd);
	ag_sqlite_others_release(s);
	free(s->path);
	free(s);
}

/* --- is it whole? --- */

#define MAX_FAULTS 8

static int next_fault(ag_sqlite *s, sqlite3_stmt *stmt)
{
	return ag_fault("store.read") ? SQLITE_IOERR : ag_sqlite_step(s, stmt);
}

ag_status ag_sqlite_check(ag_db *base, ag_arena *arena, ag_str **ret, size_t *nret, ag_err *err)
{
	ag_sqlite *s = (ag_sqlite *)base;
	ag_str *faults = ag_new_n(arena, ag_str, MAX_FAULTS);
	sqlite3_stmt *stmt = NULL;
	ag_err why = { 0 };
	size_t n = 0;
	int rc = ag_sqlite_prepare(s, "PRAGMA integrity_check(8)", 0, &stmt);

	if (!rc)
		rc = next_fault(s, stmt);
	while (rc == SQLITE_ROW && n < MAX_FAULTS) {
		const char *text = (const char *)sqlite3_column_text(stmt, 0);

		if (text && strcmp(text, "ok") != 0)
			faults[n++] = ag_str_dup(arena, ag_str_c(text));
		rc = next_fault(s, stmt);
	}
	if (rc != SQLITE_DONE && rc != SQLITE_ROW)
		AG_IGNORE(ag_sqlite_fail(s, rc, "read", &why), "see below");
	sqlite3_finalize(stmt);
	if (why.status && base->type->is_damage(&why)) {
		if (n < MAX_FAULTS)
			faults[n++] = ag_str_dup(arena, ag_str_c(why.msg));
	} else if (why.status) {
		if (err)
			*err = why;
		return why.status;
	}
	*ret = faults;
	*nret = n;
	return AG_OK;
}
