/* A file is opened so that nothing is ever written, made or left beside it.
 *
 * With a rollback journal that is what SQLITE_OPEN_READONLY does. In WAL mode it is not: a reader makes FILE-wal and
 * FILE-shm. So the header is read first, through SQLite's own file (a descriptor of ours, closed, would drop the
 * locks that other connections of the process hold), and the way depends on what is there:
 *
 *   both files        a writer lives, or crashed: joined with readonly_shm, which makes and writes no file. The
 *                     connection is closed after its statement: the writer's own end may then tidy up.
 *   none, or an empty -wal alone   nobody has it open: read as immutable, and the stamp is compared after each
 *                     statement; what was read while the file changed is discarded.
 *   a -wal alone      copied by somebody or left by an exclusive writer: a private copy in the folder for temporary
 *                     files, up to a limit, made again when the original changes. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/time.h"
#include "sql/sqlite_sql.h"

/* Two changes within one tick of the kernel's clock leave the same mtime: a file is quiet when it is older than that. */
#define QUIET_MS 50
#define NTRY     5
#define CHUNK    (1u << 20)

/* --- the stamp --- */

static bool stat_beside(const char *path, const char *suffix, struct stat *ret)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	return stat(name, ret) == 0;
}

static bool take_stamp(const char *path, ag_sqlite_stamp *ret)
{
	struct stat st, wal, shm;

	if (stat(path, &st))
		return false;
	*ret = (ag_sqlite_stamp){
		.dev = st.st_dev,
		.ino = st.st_ino,
		.size = st.st_size,
		.mtime = st.st_mtim,
		.wal_size = -1,
	};
	if (stat_beside(path, "-wal", &wal)) {
		ret->has_wal = true;
		ret->wal_size = wal.st_size;
		ret->wal_mtime = wal.st_mtim;
	}
	ret->has_shm = stat_beside(path, "-shm", &shm);
	return true;
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool same_stamp(const ag_sqlite_stamp *a, const ag_sqlite_stamp *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       same_time(a->mtime, b->mtime) && a->has_wal == b->has_wal &&
	       a->has_shm == b->has_shm && a->wal_size == b->wal_size &&
	       same_time(a->wal_mtime, b->wal_mtime);
}

static bool is_old(struct timespec t, int64_t now_ms)
{
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000 + QUIET_MS < now_ms;
}

static bool is_quiet(const ag_sqlite_stamp *s)
{
	int64_t now = ag_clock_wall(&ag_clock_system);

	return is_old(s->mtime, now) && (!s->has_wal || is_old(s->wal_mtime, now));
}

static bool is_same_file(const ag_sqlite_stamp *a, const ag_sqlite_stamp *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

/* --- the header --- */

static sqlite3_file *file_of(sqlite3 *db)
{
	sqlite3_file *f = NULL;

	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &f) || !f || !f->pMethods)
		return NULL;
	return f;
}

/* An SQLite result code. Bytes 18 and 19 are 2 in WAL mode (file format, section 1.3). */
static int read_is_wal(sqlite3 *db, bool *ret)
{
	unsigned char version[2] = { 0, 0 };
	sqlite3_file *f = file_of(db);
	int rc = f ? f->pMethods->xRead(f, version, 2, 18) : SQLITE_CANTOPEN;

	if (rc == SQLITE_IOERR_SHORT_READ) /* an empty file is an empty database */
		rc = SQLITE_OK;
	*ret = version[0] == 2 || version[1] == 2;
	return rc;
}

/* --- a connection --- */

/* "file:…" with everything escaped that a URI would understand otherwise. */
static void uri_of(const char *path, const char *query, ag_buf *out)
{
	ag_buf_adds(out, "file:");
	for (const char *p = path; *p; p++) {
		bool is_plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
		                (*p >= '0' && *p <= '9') || strchr("/._-~", *p);

		if (is_plain)
			ag_buf_addc(out, *p);
		else
			ag_buf_addf(out, "%%%02X", (unsigned char)*p);
	}
	ag_buf_adds(out, query);
}

static int open_db(const char *path, const char *query, int how, sqlite3 **ret)
{
	ag_buf uri = AG_BUF_INIT(4 * PATH_MAX);
	int rc;

	uri_of(path, query, &uri);
	rc = sqlite3_open_v2(uri.ptr, ret,
	                     how | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
	                             SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE,
	                     NULL);
	ag_buf_release(&uri);
	return rc;
}

static void set_limits(sqlite3 *db, size_t max_bytes)
{
	static const struct {
		int id, value;
	} limits[] = {
		{ SQLITE_LIMIT_LENGTH, (int)AG_SQLITE_MAX_VALUE_BYTES },
		{ SQLITE_LIMIT_COLUMN, 2000 },
		{ SQLITE_LIMIT_EXPR_DEPTH, 500 },
		{ SQLITE_LIMIT_COMPOUND_SELECT, 200 },
		{ SQLITE_LIMIT_VDBE_OP, 250000 },
		{ SQLITE_LIMIT_FUNCTION_ARG, 100 },
		{ SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000 },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};

	for (size_t i = 0; i < AG_NELEM(limits); i++)
		sqlite3_limit(db, limits[i].id, limits[i].value);
	/* "EXPLAIN QUERY PLAN " comes before a statement of full length. */
	sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, (int)max_bytes + 64);
}

/* An SQLite result code. */
static int configure(ag_sqlite_conn *c)
{
	static const struct {
		int id, value;
	} config[] = {
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
		{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
		{ SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
		{ SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0 },
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
		{ SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1 },
		/* A column that is misspelled in double quotes is an error, not a text. */
		{ SQLITE_DBCONFIG_DQS_DML, 0 },
	};
	/* mmap: a file that is cut by others would be SIGBUS. temp_store: large sorts go to unlinked files, as long as there
	 * is a folder for them. */
	static const char pragmas[] = "PRAGMA query_only=ON; PRAGMA mmap_size=0; "
				      "PRAGMA cell_size_check=ON; PRAGMA temp_store=FILE;";
	static const char in_memory[] = "PRAGMA temp_store=MEMORY;";
	static const struct {
		const char *sql;
		size_t offset;
	} own[] = {
		{ "BEGIN", offsetof(ag_sqlite_conn, begin) },
		{ "ROLLBACK", offsetof(ag_sqlite_conn, end) },
		{ "PRAGMA schema_version", offsetof(ag_sqlite_conn, version) },
	};
	int rc;

	for (size_t i = 0; i < AG_NELEM(config); i++)
		sqlite3_db_config(c->db, config[i].id, config[i].value, NULL);
	set_limits(c->db, c->owner->opts->policy.max_bytes);
	rc = sqlite3_exec(c->db, pragmas, NULL, NULL, NULL);
	if (!rc && !c->owner->folder[0])
		rc = sqlite3_exec(c->db, in_memory, NULL, NULL, NULL);
	if (!rc)
		rc = sqlite3_set_authorizer(c->db, ag_sqlite_authorize, c);
	for (size_t i = 0; !rc && i < AG_NELEM(own); i++)
		rc = sqlite3_prepare_v3(c->db, own[i].sql, -1, SQLITE_PREPARE_PERSISTENT,
		                        (sqlite3_stmt **)(void *)((char *)c + own[i].offset), NULL);
	return rc;
}

/* One read: only now does SQLite look at the file. An SQLite result code. */
static int probe(ag_sqlite_conn *c)
{
	int rc = sqlite3_step(c->version), again = sqlite3_reset(c->version);

	return rc == SQLITE_ROW || rc == SQLITE_DONE ? again : rc;
}

/* Takes over db. An SQLite result code. */
static int take_over(ag_sqlite_conn *c, sqlite3 *db, ag_sqlite_way way)
{
	int rc;

	c->db = db;
	c->way = way;
	rc = configure(c);
	return rc ? rc : probe(c);
}

/* Without the file beneath, so that another way can be tried. */
static void drop_db(ag_sqlite_conn *c)
{
	sqlite3_finalize(c->begin);
	sqlite3_finalize(c->end);
	sqlite3_finalize(c->version);
	sqlite3_finalize(c->last);
	c->begin = c->end = c->version = c->last = NULL;
	sqlite3_close_v2(c->db);
	c->db = NULL;
}

/* --- a private copy --- */

static bool copy_main(sqlite3 *db, off_t size, int to)
{
	sqlite3_file *f = file_of(db);
	char *chunk = ag_xmalloc(CHUNK);
	bool is_ok = f != NULL;

	for (off_t at = 0; is_ok && at < size; at += CHUNK) {
		int n = size - at < CHUNK ? (int)(size - at) : (int)CHUNK;

		is_ok = f->pMethods->xRead(f, chunk, n, at) == SQLITE_OK &&
		        write(to, chunk, (size_t)n) == n;
	}
	free(chunk);
	return is_ok;
}

/* No lock of SQLite lies on the -wal, so a descriptor of ours harms nothing. */
static bool copy_wal(const char *path, off_t size, int to)
{
	char name[PATH_MAX];
	char *chunk = NULL;
	bool is_ok;
	int from;

	snprintf(name, sizeof(name), "%s-wal", path);
	from = open(name, O_RDONLY | O_CLOEXEC);
	is_ok = from >= 0;
	chunk = ag_xmalloc(CHUNK);
	for (off_t at = 0; is_ok && at < size;) {
		size_t want = size - at < CHUNK ? (size_t)(size - at) : CHUNK;
		ssize_t n = read(from, chunk, want);

		is_ok = n > 0 && write(to, chunk, (size_t)n) == n;
		at += n > 0 ? n : 0;
	}
	free(chunk);
	if (from >= 0)
		close(from);
	return is_ok;
}

static int make_file(const char *folder, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.3000s/%s", folder, name);
	return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

void ag_sqlite_remove_copy(const char *folder)
{
	static const char *const names[] = { "db", "db-wal", "db-shm", "db-journal" };
	char path[PATH_MAX];

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		snprintf(path, sizeof(path), "%.3000s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

static void drop_copy(char *folder)
{
	if (folder)
		ag_sqlite_remove_copy(folder);
	free(folder);
}

/* The copy in a new folder, named by this process so that the parent can remove what a killed child leaves; NULL with
 * errno. */
static char *copy_files(sqlite3 *db, const char *path, const char *within,
                        const ag_sqlite_stamp *stamp)
{
	char folder[PATH_MAX];
	char *made;
	int main_fd, wal_fd;
	bool is_ok;

	snprintf(folder, sizeof(folder), "%.2900s/%d", within, (int)getpid());
	if (!within[0] || mkdir(folder, 0700))
		return NULL;
	made = ag_xmalloc(strlen(folder) + 1);
	memcpy(made, folder, strlen(folder) + 1);
	main_fd = make_file(made, "db");
	wal_fd = make_file(made, "db-wal");
	is_ok = main_fd >= 0 && wal_fd >= 0 && copy_main(db, stamp->size, main_fd) &&
	        (!stamp->has_wal || copy_wal(path, stamp->wal_size, wal_fd));
	if (main_fd >= 0)
		close(main_fd);
	if (wal_fd >= 0)
		close(wal_fd);
	if (is_ok)
		return made;
	drop_copy(made);
	return NULL;
}

/* --- failures that only opening knows --- */

static void fail_open(ag_sqlite_sql *s, const char *state, ag_arena *arena, const char *what,
                      ag_str hint, ag_sql_failure *ret)
{
	ag_sql_failure_of_state(state, ret);
	ret->message = ag_str_printf(arena, "%.*s %s", AG_FMT(s->shown), what);
	ret->hint = hint;
}

static void fail_code(ag_sqlite_conn *c, int rc, ag_arena *arena, ag_sql_failure *ret)
{
	ag_sqlite_sql *s = c->owner;

	switch (rc) {
	case SQLITE_READONLY_ROLLBACK:
	case SQLITE_READONLY_RECOVERY:
	case SQLITE_READONLY_CANTINIT:
		fail_open(
			s, "08001", arena, "was left half written by a program that crashed",
			AG_S("let the program that owns it, or sqlite3, open it once: that brings "
		             "it back in order; Argus writes nothing"),
			ret);
		return;
	case SQLITE_CANTOPEN:
		fail_open(s, "08001", arena, "cannot be opened",
		          AG_S("is the file there, and may this user read it and its folder?"),
		          ret);
		return;
	case SQLITE_NOTADB:
		fail_open(s, "XX001", arena, "is not an SQLite database",
		          AG_S("name a database file; encrypted ones cannot be read"), ret);
		ret->is_connection_lost = true;
		return;
	default: ag_sqlite_failure(c, rc, AG_S(""), arena, ret);
	}
}

/* --- the ways --- */

typedef enum outcome { OPENED, FAILED, AGAIN } outcome;

static outcome open_copy(ag_sqlite_conn *c, sqlite3 *db, ag_arena *arena, ag_sql_failure *f)
{
	ag_sqlite_sql *s = c->owner;
	ag_sqlite_stamp after;
	char path[PATH_MAX];
	sqlite3 *copy = NULL;
	int rc;

	if (c->stamp.size + (c->stamp.has_wal ? c->stamp.wal_size : 0) > AG_SQLITE_MAX_COPY_BYTES) {
		sqlite3_close_v2(db);
		fail_open(
			s, "08001", arena,
			"has changes waiting in its -wal file and is too large to be copied",
			AG_S("let the program that owns it, or sqlite3, open and close it once, so "
		             "that the changes are put into the file"),
			f);
		return FAILED;
	}
	c->copy_folder = copy_files(db, s->path, s->folder, &c->stamp);
	sqlite3_close_v2(db);
	if (!c->copy_folder) {
		fail_open(
			s, "08001", arena, "could not be copied to the folder for temporary files",
			AG_S("is there room, and may this user write there? TMPDIR names another"),
			f);
		return FAILED;
	}
	if (!take_stamp(s->path, &after) || !same_stamp(&after, &c->stamp)) {
		drop_copy(c->copy_folder);
		c->copy_folder = NULL;
		return AGAIN;
	}
	snprintf(path, sizeof(path), "%.3000s/db", c->copy_folder);
	rc = open_db(path, "", SQLITE_OPEN_READWRITE, &copy);
	if (!rc)
		rc = take_over(c, copy, AG_SQLITE_COPIED);
	else
		sqlite3_close_v2(copy);
	if (!rc)
		return OPENED;
	fail_code(c, rc, arena, f);
	return FAILED;
}

static outcome open_immutable(ag_sqlite_conn *c, ag_arena *arena, ag_sql_failure *f)
{
	ag_sqlite_stamp after;
	sqlite3 *db = NULL;
	int rc = open_db(c->owner->path, "?mode=ro&immutable=1", SQLITE_OPEN_READONLY, &db);

	if (!rc)
		rc = take_over(c, db, AG_SQLITE_IMMUTABLE);
	else
		sqlite3_close_v2(db);
	if (!take_stamp(c->owner->path, &after) || !same_stamp(&after, &c->stamp)) {
		drop_db(c);
		return AGAIN;
	}
	if (!rc)
		return OPENED;
	fail_code(c, rc, arena, f);
	return FAILED;
}

static outcome open_once(ag_sqlite_conn *c, ag_arena *arena, ag_sql_failure *f)
{
	ag_sqlite_sql *s = c->owner;
	sqlite3 *db = NULL;
	bool is_wal = false;
	int rc;

	if (!take_stamp(s->path, &c->stamp)) {
		fail_open(s, "08001", arena, "cannot be opened: there is no such file (any more)",
		          AG_S("check the path of the source"), f);
		return FAILED;
	}
	rc = open_db(s->path, "?mode=ro&readonly_shm=1", SQLITE_OPEN_READONLY, &db);
	if (!rc)
		rc = read_is_wal(db, &is_wal);
	if (rc) {
		sqlite3_close_v2(db);
		fail_code(c, rc, arena, f);
		return FAILED;
	}
	if (!is_wal || (c->stamp.has_wal && c->stamp.has_shm)) {
		rc = take_over(c, db, is_wal ? AG_SQLITE_JOINED : AG_SQLITE_PLAIN);
		if (!rc)
			return OPENED;
		fail_code(c, rc, arena, f);
		drop_db(c);
		/* An index that cannot be read does not help: then as if it were not there. */
		if (!is_wal || ((rc & 0xff) != SQLITE_READONLY && (rc & 0xff) != SQLITE_CANTOPEN))
			return FAILED;
		db = NULL;
		if (open_db(s->path, "?mode=ro&readonly_shm=1", SQLITE_OPEN_READONLY, &db)) {
			sqlite3_close_v2(db);
			return FAILED;
		}
	}
	if (!is_quiet(&c->stamp)) {
		sqlite3_close_v2(db);
		return AGAIN;
	}
	if (c->stamp.wal_size > 0)
		return open_copy(c, db, arena, f);
	sqlite3_close_v2(db);
	return open_immutable(c, arena, f);
}

void ag_sqlite_conn_open(ag_sqlite_sql *s, ag_arena *arena, ag_sqlite_conn **ret,
                         ag_sql_failure *ret_failure)
{
	ag_sqlite_conn *c = ag_xcalloc(1, sizeof(*c));
	outcome what = AGAIN;

	*ret = NULL;
	c->owner = s;
	c->schema_version = -1;
	ag_buf_init(&c->last_sql, AG_SQL_MAX_BYTES + 64);
	for (int i = 0; what == AGAIN && i < NTRY; i++) {
		if (i)
			usleep(QUIET_MS * 1000);
		what = open_once(c, arena, ret_failure);
	}
	if (what == AGAIN) {
		fail_open(s, "55P03", arena, "is being changed all the time",
		          AG_S("try again in a moment"), ret_failure);
	}
	if (what == OPENED)
		*ret = c;
	else
		ag_sqlite_conn_close(c);
}

void ag_sqlite_conn_close(ag_sqlite_conn *c)
{
	if (!c)
		return;
	drop_db(c);
	drop_copy(c->copy_folder);
	ag_buf_release(&c->last_sql);
	ag_arena_free(c->last_arena);
	ag_arena_free(c->names);
	free(c);
}

bool ag_sqlite_conn_is_current(ag_sqlite_conn *c)
{
	ag_sqlite_stamp now;
	bool is_wal = false;

	if (c->must_close || !take_stamp(c->owner->path, &now))
		return false;
	switch (c->way) {
	case AG_SQLITE_PLAIN:
		return is_same_file(&now, &c->stamp) && read_is_wal(c->db, &is_wal) == SQLITE_OK &&
		       !is_wal;
	case AG_SQLITE_JOINED: return is_same_file(&now, &c->stamp) && now.has_wal && now.has_shm;
	case AG_SQLITE_IMMUTABLE:
	case AG_SQLITE_COPIED: break;
	}
	return same_stamp(&now, &c->stamp);
}
