/* sqlite -- the parts of the SQLite store: one handle, its statements, and how they fail.
 *
 * Only store/sqlite*.c include this. Reading order: sqlite.c (handle, waiting, errors),
 * sqlite_open.c (file, migrations), sqlite_write.c, sqlite_read.c, sqlite_past.c, sqlite_index.c, sqlite_identity.c,
 * sqlite_ledger.c. */
#ifndef AG_STORE_SQLITE_H
#define AG_STORE_SQLITE_H

#include <sqlite3.h>

#include "base/sha256.h"
#include "store/identity.h"
#include "store/ledger.h"
#include "store/search_index.h"

/* Statements that are prepared on first use and kept: indexes into the table of sqlite.c. */
typedef enum ag_sqlite_sql {
	AG_SQL_BEGIN,
	AG_SQL_COMMIT,
	AG_SQL_LAST_SEQ,
	AG_SQL_ADD_EVENT,
	AG_SQL_PUT_RUN,
	AG_SQL_PUT_FINDING,
	AG_SQL_PUT_REPORT,
	AG_SQL_EVENTS,
	AG_SQL_RUNS,
	AG_SQL_RUNS_OF_SOURCE,
	AG_SQL_RUNS_BY_PREFIX,
	AG_SQL_RUN_NEWEST,
	AG_SQL_REPORT,
	AG_SQL_FINDINGS,
	AG_SQL_PAST,
	AG_SQL_PENDING,
	AG_SQL_LABELS,
	AG_SQL_TAKE_LEASE,
	AG_SQL_LEASE,
	AG_SQL_INDEX_PROJECT,
	AG_SQL_INDEX_USE_PROJECT,
	AG_SQL_INDEX_FILES,
	AG_SQL_INDEX_FILE,
	AG_SQL_INDEX_PUT_FILE,
	AG_SQL_INDEX_DROP_FILE,
	AG_SQL_INDEX_FORGET_WORDS,
	AG_SQL_INDEX_DROP_DOCS,
	AG_SQL_INDEX_LAST_DOC,
	AG_SQL_INDEX_ADD_DOC,
	AG_SQL_INDEX_ADD_WORDS,
	AG_SQL_INDEX_SEARCH,
	AG_SQL_INDEX_COUNT,
	AG_SQL_INDEX_NDOC,
	AG_SQL_PUT_PROJECT,
	AG_SQL_PROJECT,
	AG_SQL_PROJECTS,
	AG_SQL_PUT_MEMBER,
	AG_SQL_DROP_MEMBER,
	AG_SQL_MEMBERS,
	AG_SQL_MEMBERS_OF_USER,
	AG_SQL_OTHER_ADMINS,
	AG_SQL_PUT_TOKEN,
	AG_SQL_TOKEN_OF_HASH,
	AG_SQL_DATA_VERSION,
	AG_SQL_TOKENS,
	AG_SQL_REVOKE_TOKEN,
	AG_SQL_USE_TOKEN,
	AG_SQL_LEDGER_CHAIN,
	AG_SQL_LEDGER_SET_HEAD,
	AG_SQL_LEDGER_ADD,
	AG_SQL_LEDGER_AFTER,
	AG_SQL_LEDGER_NEWEST,
	AG_SQL_LEDGER_PIECE,
	AG_SQL_RATE,
	AG_SQL_PUT_RATE,
	AG_SQL_PUT_TEXT,
	AG_SQL_TEXT,
	AG_SQL_COUNT
} ag_sqlite_sql;

typedef struct ag_sqlite_store {
	ag_store base; /* first member */
	sqlite3 *db;
	char *path;              /* what SQLite opens */
	bool is_full_sync;       /* the connection's PRAGMA synchronous as it is now */
	int wal_fd;              /* of ag_sqlite_sync(), which alone uses it; -1 = not open */
	unsigned long waited_us; /* for a lock, since the operation began to wait */
	unsigned long max_wait_us;
	uint32_t jitter;
	sqlite3_stmt *stmt[AG_SQL_COUNT];
} ag_sqlite_store;

/* --- sqlite.c --- */

/* Fill err from the connection's last error `rc` (the status follows from it). */
ag_status ag_sqlite_fail(ag_sqlite_store *s, int rc, const char *doing, ag_err *err);
/* Prepare SQL text; reads the schema, so it may have to wait for others. The caller finalizes. */
int ag_sqlite_prepare_text(ag_sqlite_store *s, const char *sql, unsigned flags, sqlite3_stmt **ret);
/* The kept statement, reset and without bindings; hold it in an AG_AUTO(ag_sqlite_resetp). */
AG_CHECK ag_status ag_sqlite_prepare(ag_sqlite_store *s, ag_sqlite_sql which, sqlite3_stmt **ret,
                                     ag_err *err);
void ag_sqlite_resetp(sqlite3_stmt **stmt); /* for AG_AUTO: gives locks and bindings back */
/* Make SQLite wait for the locks of others as the two functions below do. */
void ag_sqlite_wait_for_locks(ag_sqlite_store *s);
/* Step a statement that may start a transaction: waits up to 30 s while others hold the lock. */
int ag_sqlite_step(ag_sqlite_store *s, sqlite3_stmt *stmt);
/* The same for one statement of SQL text, without results. */
int ag_sqlite_exec(ag_sqlite_store *s, const char *sql);
/* BEGIN IMMEDIATE: from here on nobody else writes. */
AG_CHECK ag_status ag_sqlite_begin(ag_sqlite_store *s, bool durable, ag_err *err);
AG_CHECK ag_status ag_sqlite_commit(ag_sqlite_store *s, ag_err *err);
/* Does nothing outside a transaction, so it suits every failure path. */
void ag_sqlite_rollback(ag_sqlite_store *s);
/* Ends the transaction: commits when st is AG_OK, else, or when that fails, rolls back. Returns how it ended. */
AG_CHECK ag_status ag_sqlite_end(ag_sqlite_store *s, ag_status st, ag_err *err);
void ag_sqlite_set_patience(ag_store *base, unsigned ms);
/* The name of a new file of this folder survives a power cut. Best effort: some file systems cannot. */
void ag_sqlite_sync_folder(const char *path);
/* ag_store_sync(): brings the write-ahead log to disk. Uses only wal_fd and path, so another thread may use the handle. */
ag_status ag_sqlite_sync(ag_store *base, ag_err *err);
/* Step a statement that writes, inside a transaction. Fault "store.write": the disk is full. */
int ag_sqlite_write_step(sqlite3_stmt *stmt);
void ag_sqlite_bind_str(sqlite3_stmt *stmt, int i, ag_str s);

/* --- sqlite_open.c --- */

ag_status ag_sqlite_open_file(ag_str uri, ag_store **ret, ag_err *err);
ag_status ag_sqlite_open_memory(ag_str uri, ag_store **ret, ag_err *err);
void ag_sqlite_close(ag_store *base);

/* --- sqlite_read.c: what the readers share --- */

/* Rows of one kind while their number is not known; AG_AUTO(ag_sqlite_rows_release). */
typedef struct ag_sqlite_rows {
	char *ptr;
	size_t n, cap, size;
} ag_sqlite_rows;

void ag_sqlite_rows_release(ag_sqlite_rows *r);
void *ag_sqlite_rows_add(ag_sqlite_rows *r); /* one more, zeroed; moves the others */
void *ag_sqlite_rows_dup(const ag_sqlite_rows *r, ag_arena *arena);
int ag_sqlite_first_row(ag_sqlite_store *s, sqlite3_stmt *stmt);
int ag_sqlite_next_row(sqlite3_stmt *stmt);
ag_str ag_sqlite_column_str(sqlite3_stmt *stmt, int i, ag_arena *arena);
ag_id ag_sqlite_column_id(sqlite3_stmt *stmt, int i); /* "" when it is none */
ag_status ag_sqlite_too_much(const char *what, ag_err *err);
#define AG_SQLITE_RUN_NCOLUMN 18
void ag_sqlite_read_run(sqlite3_stmt *stmt, ag_arena *arena, ag_run_row *r);
/* From column `at` on. */
void ag_sqlite_read_finding(sqlite3_stmt *stmt, int at, const ag_id *run, ag_arena *arena,
                            ag_finding_row *f);

/* --- sqlite_write.c, sqlite_read.c and sqlite_past.c: the methods of ag_store_type --- */

ag_status ag_sqlite_put(ag_store *base, const ag_id *run, const ag_store_batch *b, ag_err *err);
ag_status ag_sqlite_lease(ag_store *base, const ag_id *run, ag_str owner, int64_t now_ms,
                          int64_t ttl_ms, ag_err *err);
ag_status ag_sqlite_lease_holder(ag_store *base, const ag_id *run, ag_arena *arena,
                                 ag_str *ret_owner, int64_t *ret_until_ms, ag_err *err);
ag_status ag_sqlite_purge(ag_store *base, int64_t older_than_ms, uint64_t *ret_runs, ag_err *err);

ag_status ag_sqlite_events(ag_store *base, const ag_id *run, uint64_t after_seq, ag_arena *arena,
                           ag_event **ret, size_t *nret, ag_err *err);
ag_status ag_sqlite_runs(ag_store *base, ag_str source_key, size_t limit, size_t offset,
                         ag_arena *arena, ag_run_row **ret, size_t *nret, ag_err *err);
ag_status ag_sqlite_find_run(ag_store *base, ag_str prefix, ag_arena *arena, ag_run_row *ret,
                             ag_err *err);
ag_status ag_sqlite_report(ag_store *base, const ag_id *run, ag_arena *arena, ag_str *ret,
                           ag_err *err);
ag_status ag_sqlite_findings(ag_store *base, const ag_id *run, ag_arena *arena,
                             ag_finding_row **ret, size_t *nret, ag_err *err);
ag_status ag_sqlite_past(ag_store *base, const ag_past_query *q, ag_arena *arena, ag_past_run **ret,
                         size_t *nret, ag_err *err);
ag_status ag_sqlite_pending(ag_store *base, const ag_id *run, size_t limit, ag_arena *arena,
                            ag_past_run **ret, size_t *nret, ag_err *err);
ag_status ag_sqlite_labels(ag_store *base, ag_str source_key, ag_str agent, ag_arena *arena,
                           ag_label_row **ret, size_t *nret, ag_err *err);

ag_status ag_sqlite_check(ag_store *base, ag_arena *arena, ag_str **ret, size_t *nret, ag_err *err);

/* --- sqlite_index.c --- */

extern const ag_store_index_type ag_sqlite_index;
/* Projects that were not used since: part of a purge, which has set secure_delete. *ret: something went. */
AG_CHECK ag_status ag_sqlite_index_purge(ag_sqlite_store *s, int64_t older_than_ms, bool *ret,
                                         ag_err *err);
/* Run the migration of that number once more: it makes the tables of a cache anew. Within a transaction. */
int ag_sqlite_migrate_again(ag_sqlite_store *s, int number);

/* --- sqlite_identity.c --- */

extern const ag_store_identity_type ag_sqlite_identity;

/* --- sqlite_ledger.c, sqlite_ledger_care.c --- */

/* Where the chain begins and ends. */
typedef struct ag_sqlite_chain {
	int64_t base_seq, head_seq;
	char base_hash[65], head_hash[65];
} ag_sqlite_chain;

extern const ag_store_ledger_type ag_sqlite_ledger;
AG_CHECK ag_status ag_sqlite_ledger_chain(ag_sqlite_store *s, ag_sqlite_chain *ret, ag_err *err);
/* The row that a statement with the columns of the table stands on; its texts are views until the next step. */
void ag_sqlite_ledger_view(sqlite3_stmt *stmt, ag_ledger_row *r);
/* Adds what the row's hash is made of to buf, which is emptied before. */
ag_sha256_hex ag_sqlite_ledger_hash(const char before[65], const ag_ledger_row *r, ag_buf *buf);
ag_status ag_sqlite_ledger_verify(ag_store *base, ag_arena *arena, ag_ledger_check *ret,
                                  ag_err *err);
/* Old rows of the audit table, ended windows, old texts: part of a purge, which has set secure_delete. *ret: something
 * went. */
AG_CHECK ag_status ag_sqlite_ledger_purge(ag_sqlite_store *s, int64_t older_than_ms, bool *ret,
                                          ag_err *err);

#endif
