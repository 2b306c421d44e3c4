/* sqlite -- the parts of the SQLite driver: one connection, its statements, and how they fail.
 *
 * Only store/sqlite*.c include this, and only they use SQLite in this folder. Reading order: sqlite.c (statements,
 * transactions, waiting, errors), sqlite_open.c (file, migrations, check), sqlite_others.c, sqlite_words.c (full text). */
#ifndef AG_STORE_SQLITE_H
#define AG_STORE_SQLITE_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>

#include "store/driver.h"

typedef struct ag_sqlite_stmt ag_sqlite_stmt;

/* A copy of the WAL index's header: sqlite_others.c */
typedef struct ag_sqlite_mark {
	uint32_t words[12];
} ag_sqlite_mark;

typedef struct ag_sqlite_others {
	_Atomic(const uint32_t *) index; /* NULL = not known yet */
	ag_sqlite_mark before;           /* the transaction that this handle has begun */
	bool has_before;
	pthread_mutex_t lock; /* of what follows */
	ag_sqlite_mark last;  /* after the last commit of this handle */
	bool is_known;        /* last is one */
	uint64_t number;      /* of the times that somebody else has written before it */
} ag_sqlite_others;

typedef struct ag_sqlite {
	ag_db base; /* first member */
	sqlite3 *db;
	char *path;              /* what SQLite opens */
	bool is_full_sync;       /* the connection's PRAGMA synchronous as it is now */
	bool is_writing;         /* in a writing transaction */
	bool is_lazy;            /* it made a lazy transaction, */
	bool is_durable;         /* it made a durable one: see ag_sqlite_close() */
	int wal_fd;              /* of ag_sqlite_sync(), which alone uses it; -1 = not open */
	unsigned long waited_us; /* for a lock, since the operation began to wait */
	unsigned long max_wait_us;
	uint32_t jitter;
	bool has_waited; /* ag_sqlite_wait() */
	uint64_t waited_version;
	ag_sqlite_others others;
	ag_sqlite_stmt **stmts; /* what was prepared, by the address of its row; open addressing */
	size_t nstmt, cap;      /* cap: a power of two */
} ag_sqlite;

/* --- sqlite.c --- */

/* Fill err from the connection's last error `rc` (the status follows from it). */
ag_status ag_sqlite_fail(ag_sqlite *s, int rc, const char *doing, ag_err *err);
/* Prepare SQL text; reads the schema, so it may have to wait for others. The caller finalizes. */
int ag_sqlite_prepare(ag_sqlite *s, const char *sql, unsigned flags, sqlite3_stmt **ret);
/* Make SQLite wait for the locks of others as the two functions below do. */
void ag_sqlite_wait_for_locks(ag_sqlite *s);
/* Step a statement that may start a transaction: waits up to 30 s while others hold the lock. */
int ag_sqlite_step(ag_sqlite *s, sqlite3_stmt *stmt);
/* The same for SQL text without results. */
int ag_sqlite_exec(ag_sqlite *s, const char *sql);

ag_status ag_sqlite_begin(ag_db *base, ag_db_begin_kind kind, ag_str scope, ag_err *err);
ag_status ag_sqlite_commit(ag_db *base, ag_err *err);
void ag_sqlite_rollback(ag_db *base);
/* Free what was prepared. */
void ag_sqlite_forget(ag_sqlite *s);

/* --- sqlite_open.c --- */

ag_status ag_sqlite_open_file(ag_str uri, ag_db **ret, ag_err *err);
ag_status ag_sqlite_open_memory(ag_str uri, ag_db **ret, ag_err *err);
ag_status ag_sqlite_has_store(ag_db *base, bool *ret, ag_err *err);
ag_status ag_sqlite_migrate(ag_db *base, ag_err *err);
ag_status ag_sqlite_check(ag_db *base, ag_arena *arena, ag_str **ret, size_t *nret, ag_err *err);
void ag_sqlite_close(ag_db *base);
/* Run the migration of that number once more: it makes the tables of a cache again. Within a transaction. */
int ag_sqlite_migrate_again(ag_sqlite *s, int number);
/* The folders above path; path is as before afterwards. */
ag_status ag_sqlite_make_folders(char *path, ag_err *err);
/* The name of a new file of this folder survives a power cut. Best effort: some file systems cannot. */
void ag_sqlite_sync_folder(const char *path);

/* --- sqlite_others.c --- */

void ag_sqlite_others_init(ag_sqlite *s);
void ag_sqlite_others_release(ag_sqlite *s);
/* Within a writing transaction that has just begun; after its commit. */
void ag_sqlite_others_begin(ag_sqlite *s);
void ag_sqlite_others_commit(ag_sqlite *s);
bool ag_sqlite_others_number(ag_db *base, uint64_t *ret);
/* ag_db_type.wait: looks every few ms. */
ag_status ag_sqlite_wait(ag_db *base, int64_t ms, const atomic_bool *cancel, bool *ret_told,
                         ag_err *err);

/* --- sqlite_words.c --- */

extern const ag_db_words ag_sqlite_words;

#endif
