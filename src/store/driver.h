/* driver -- a database that keeps the store: transactions, and statements by their row in a table.
 *
 * The store is written once, over this interface. Each SQL text is one row of a table beside the code that runs it, and
 * both PostgreSQL and SQLite must understand it:
 *   - parameters are $1, $2 ..., in any order and as often as needed; all of them are used;
 *   - INSERT ... ON CONFLICT, RETURNING, coalesce() and CASE; no rowid, no max() of two values, no date functions;
 *   - column names that a database reserves are quoted: "user";
 *   - two words of the driver are for what has no common form: {stored} is a column by which the rows of a table sort as
 *     they were first stored; {skip locked} at the end of a SELECT locks its rows and leaves out those that other
 *     transactions have locked.
 * What cannot be written that way is a method below, or a row of ag_db_words.
 *
 * To add a database: 1. store/<name>.c with a `const ag_db_type`, and its migrations; 2. its row in drivers[] of store.c;
 * 3. its fixture in tests/contract/store_fixtures.c: the shared suites then run on it.
 *
 * A handle serves one thread at a time. Only store/ includes this file. */
#ifndef AG_STORE_DRIVER_H
#define AG_STORE_DRIVER_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/err.h"
#include "run/id.h"

#define AG_DB_MAX_ARGS    32u /* parameters of a statement */
#define AG_DB_MAX_COLUMNS 40u

typedef struct ag_db_type ag_db_type;

/* Implementations embed this as their first member. */
typedef struct ag_db {
	const ag_db_type *type;
	struct ag_store_group
		*group;       /* that it hands its writing transactions to (group.h); NULL = none */
	unsigned patience_ms; /* as it was set; 0 = it was not */
} ag_db;

/* A statement. It must be static: a handle keeps what it prepared under the row's address. */
typedef struct ag_sql {
	const char *text;
} ag_sql;

/* --- values --- */

typedef enum ag_db_kind { AG_DB_NULL, AG_DB_INT, AG_DB_REAL, AG_DB_TEXT } ag_db_kind;

/* An argument or a column. Texts are borrowed: those of arguments until the call returns, those of columns until the
 * callback does. Arguments are never NULL, so a statement's argument has one kind in all calls. */
typedef struct ag_db_val {
	ag_db_kind kind;
	union {
		int64_t i;
		double real;
		ag_str text;
	};
} ag_db_val;

static inline ag_db_val ag_db_int(int64_t v)
{
	return (ag_db_val){ .kind = AG_DB_INT, .i = v };
}

static inline ag_db_val ag_db_real(double v)
{
	return (ag_db_val){ .kind = AG_DB_REAL, .real = v };
}

static inline ag_db_val ag_db_text(ag_str s)
{
	return (ag_db_val){ .kind = AG_DB_TEXT, .text = s };
}

/* Columns: 0 or "" for NULL and for a value of another kind, which only a damaged file has. */
int64_t ag_db_get_int(const ag_db_val *v);
uint64_t ag_db_get_u64(const ag_db_val *v); /* 0 for a negative number, too */
double ag_db_get_real(const ag_db_val *v);
ag_str ag_db_get_view(const ag_db_val *v);
ag_str ag_db_get_text(const ag_db_val *v, ag_arena *arena);
ag_id ag_db_get_id(const ag_db_val *v); /* "" when it is not an id */

typedef struct ag_db_args {
	const ag_db_val *at;
	size_t n;
} ag_db_args;

/* AG_DB_ARGS(ag_db_text(id), ag_db_int(7)): $1 and $2 */
#define AG_DB_ARGS(...)                                          \
	((ag_db_args){ .at = (const ag_db_val[]){ __VA_ARGS__ }, \
	               .n = sizeof((const ag_db_val[]){ __VA_ARGS__ }) / sizeof(ag_db_val) })
#define AG_DB_NO_ARGS ((ag_db_args){ NULL, 0 })

/* What a statement gives. */
typedef struct ag_db_out {
	/* Called for each row; an error ends the statement and is returned. It must not use the handle. */
	ag_status (*on_row)(void *arg, const ag_db_val *row, ag_err *err);
	void *arg;
	uint64_t nchange; /* set: rows that a writing statement inserted, changed or removed */
} ag_db_out;

/* --- drivers --- */

typedef enum ag_db_begin_kind {
	AG_DB_READ, /* all statements see one state of the store */
	AG_DB_LAZY, /* writes; when the power fails it may be lost, and closing the handle does not wait for the disk */
	AG_DB_WRITE,   /* writes; is on disk soon */
	AG_DB_DURABLE, /* writes; is on disk when the commit returns */
} ag_db_begin_kind;

/* The full text of index_docs. A statement with the text NULL is not needed by that database. */
typedef struct ag_db_words {
	/* $1 = the file: forget the words of its documents, which still exist. */
	ag_sql forget_file;
	/* $1 = the document, $2 = title, $3 = trail, $4 = names, $5 = body */
	ag_sql add;
	/* NULL = `add` is run as it is; else the same for nrow rows of these arguments, by a database that does not cut texts
	 * into words as it should. */
	ag_status (*put)(ag_db *db, ag_db_args args, size_t nrow, ag_err *err);
	/* $1 = what match() wrote, $2 and $3 = the first and the last document, $4 = limit. Columns: path, kind, anchor,
	 * line, last_line, title, trail, body, score; best first. */
	ag_sql search;
	/* $1 to $3 as above: how many documents */
	ag_sql count;
	ag_sql forget_doc; /* $1 = the document, which still exists */
	ag_sql forget_all;
	ag_sql merge; /* make the index small after much was forgotten */
	/* Writes the query "any of these words"; nothing in a word is syntax. */
	void (*match)(const ag_str *words, size_t nword, ag_buf *out);
	/* An operation on the index failed with *why. If the index is damaged it is made again, empty: AG_CONFLICT. Any
	 * other failure is copied to err and returned. */
	ag_status (*mend)(ag_db *db, const ag_err *why, ag_err *err);
} ag_db_words;

struct ag_db_type {
	const char *scheme; /* "sqlite": what the URI starts with */
	const char *help;   /* one line */
	bool is_kept;       /* beyond the end of the process */
	bool has_one_writer; /* at a time, so that transactions of many threads are better made as one */

	/* uri: without the scheme. A database that is not a store, or is one of a newer Argus (AG_CONFLICT), is refused
	 * and left as it was. */
	ag_status (*open)(ag_str uri, ag_db **ret, ag_err *err);
	/* Was it a store before it was opened? Before migrate(). */
	ag_status (*has_store)(ag_db *db, bool *ret, ag_err *err);
	/* Bring the schema up to date: numbered migrations, one process at a time. */
	ag_status (*migrate)(ag_db *db, ag_err *err);
	void (*close)(ag_db *db);
	void (*set_patience)(ag_db *db, unsigned ms);
	bool (*is_damage)(const ag_err *err); /* does it say that the database is damaged? */
	/* Does it say that the connection was lost within a transaction? Then the outcome of its
	 * commit is unknown: a caller that can find it out begins again. */
	bool (*is_lost)(const ag_err *err);

	/* A writing transaction runs as if no other of its scope ran: a run's id, "ledger", "rates" ... A database with
	 * one writer at a time may ignore the scope. */
	ag_status (*begin)(ag_db *db, ag_db_begin_kind kind, ag_str scope, ag_err *err);
	ag_status (*commit)(ag_db *db, ag_err *err);
	void (*rollback)(
		ag_db *db); /* does nothing outside a transaction, so it suits every failure path */
	/* Outside a transaction a statement is one of its own. out may be NULL when there are no rows. In a writing
	 * transaction a statement without `out` may wait until a later one, or the commit; that returns its error.
	 * errors  AG_CONFLICT: a key exists already, or NULL in a column that takes none; AG_NOT_FOUND: the row that this one belongs to does not exist;
	 *         AG_UNAVAILABLE: others kept the store locked; AG_IO, AG_DENIED, AG_LIMIT */
	ag_status (*run)(ag_db *db, const ag_sql *sql, ag_db_args args, ag_db_out *out,
	                 ag_err *err);
	/* The statement once for each of nrow rows of arguments, one after the other in `args`; it gives no rows.
	 * *ret_unchanged (may be NULL, and then the rows may wait as above): the first row that changed nothing, nrow = each
	 * changed something. */
	ag_status (*run_many)(ag_db *db, const ag_sql *sql, ag_db_args args, size_t nrow,
	                      size_t *ret_unchanged, ag_err *err);

	const ag_db_words *words;

	/* Bring to disk what was committed. Another thread may use the handle meanwhile. */
	ag_status (*sync)(ag_db *db, ag_err *err);
	/* Another number than before when anything in the store has changed, through any handle. */
	ag_status (*version)(ag_db *db, uint64_t *ret, ag_err *err);
	/* Another number than before when another handle has written. Takes no lock and makes no system call; another thread
	 * may use the handle meanwhile. False: not known at this moment, for instance while somebody commits. */
	bool (*others)(ag_db *db, uint64_t *ret);
	/* Optional. Within a writing transaction: others that wait learn of its commit. NULL = they look for themselves. */
	ag_status (*tell)(ag_db *db, ag_err *err);
	/* ag_store_wait(): at most ms, by a handle that is used for nothing else. *ret_told: others have, or may have, told. */
	ag_status (*wait)(ag_db *db, int64_t ms, const atomic_bool *cancel, bool *ret_told,
	                  ag_err *err);
	/* Optional. The wall time that all processes of the store agree about. NULL = each has its own. */
	ag_status (*now)(ag_db *db, int64_t *ret, ag_err *err);
	/* ag_store_check(): what is damaged. */
	ag_status (*check)(ag_db *db, ag_arena *arena, ag_str **ret, size_t *nret, ag_err *err);
	/* Around a purge: from begin on removed bytes are overwritten; end gives the space back when something was
	 * removed. */
	ag_status (*purge_begin)(ag_db *db, ag_err *err);
	void (*purge_end)(ag_db *db, bool has_removed);
};

/* The rows of drivers[] in store.c. */
extern const ag_db_type ag_db_sqlite_file;
extern const ag_db_type ag_db_sqlite_memory;
extern const ag_db_type ag_db_postgresql, ag_db_postgres;

/* --- the same as functions --- */

AG_CHECK ag_status ag_db_begin(ag_db *db, ag_db_begin_kind kind, ag_str scope, ag_err *err);
/* Ends the transaction: commits when st is AG_OK, else, or when that fails, rolls back. Returns how it ended. */
AG_CHECK ag_status ag_db_end(ag_db *db, ag_status st, ag_err *err);
/* work() in a transaction of its own. When the connection is lost in it, work() runs again in another one, with is_again:
 * the first may have taken place or not, and work() must find out or do no harm. */
AG_CHECK ag_status ag_db_transact(ag_db *db, ag_db_begin_kind kind, ag_str scope,
                                  ag_status (*work)(ag_db *db, void *arg, bool is_again,
                                                    ag_err *err),
                                  void *arg, ag_err *err);
AG_CHECK ag_status ag_db_run(ag_db *db, const ag_sql *sql, ag_db_args args, ag_db_out *out,
                             ag_err *err);
AG_CHECK ag_status ag_db_run_many(ag_db *db, const ag_sql *sql, ag_db_args args, size_t nrow,
                                  size_t *ret_unchanged, ag_err *err);
/* Within a writing transaction: whoever waits (ag_store_wait) learns of it when it is committed. */
AG_CHECK ag_status ag_db_tell(ag_db *db, ag_err *err);
/* Opens a database as it is: a store in it is not looked for, made or brought up to date. */
AG_CHECK ag_status ag_db_open_only(ag_str uri, ag_db **ret, ag_err *err);
/* The database under a store, brought up to date. */
AG_CHECK ag_status ag_db_open(ag_str uri, ag_db **ret, ag_err *err);
void ag_db_close(ag_db *db); /* accepts NULL */

/* --- lists of rows --- */

/* Rows of one kind while their number is not known; AG_AUTO(ag_rows_release). */
typedef struct ag_rows {
	char *ptr;
	size_t n, cap, size;
} ag_rows;

void ag_rows_release(ag_rows *r);
void *ag_rows_add(ag_rows *r); /* one more, zeroed; moves the others */
void *ag_rows_dup(const ag_rows *r, ag_arena *arena);

/* A list that a callback fills, with what it needs; AG_AUTO(ag_reading_release). */
typedef struct ag_reading {
	ag_rows rows;
	ag_arena *arena;
	const char *what; /* "the log is": for the message when it is too much */
	size_t nbyte;     /* the callback adds what each row takes */
} ag_reading;

void ag_reading_release(ag_reading *r);
/* AG_LIMIT when nbyte is above AG_STORE_MAX_READ_BYTES. */
AG_CHECK ag_status ag_reading_check(const ag_reading *r, ag_err *err);

#endif
