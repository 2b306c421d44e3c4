/* sqlite_sql -- the parts of the SQLite engine; private to source/sqlite_*.c and its tests.
 *
 * Read sqlite_sql.c (the engine's row, one statement), then sqlite_sql_pool.c (connections), sqlite_sql_open.c (a file is
 * opened so that nothing is ever written beside it), sqlite_sql_guard.c (what the authorizer lets through),
 * sqlite_sql_program.c (what it is not told of), sqlite_sql_rows.c (values as JSON), sqlite_sql_error.c. sqlite_dictionary.c asks with ag_sqlite_sql_begin().
 *
 * A connection serves one statement at a time, inside one read transaction, so that what was judged is what runs. */
#ifndef AG_SOURCE_SQLITE_SQL_H
#define AG_SOURCE_SQLITE_SQL_H

#include <pthread.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "source/sql_engine.h"

#define AG_SQLITE_MAX_CONNECTIONS 64u
/* Of one value inside SQLite: what a single function does with it cannot be stopped, and must not take long. */
#define AG_SQLITE_MAX_VALUE_BYTES (16u << 20)
/* What all connections of the process may hold together; beyond it a statement fails, not the process. */
#define AG_SQLITE_MAX_HEAP_BYTES (256ll << 20)
/* A file that must be copied to be read (see sqlite_sql_open.c) may be so large. */
#define AG_SQLITE_MAX_COPY_BYTES (512ll << 20)

/* --- the file, sqlite_sql_open.c --- */

typedef enum ag_sqlite_way {
	AG_SQLITE_PLAIN,     /* a rollback journal: reading writes nothing */
	AG_SQLITE_JOINED,    /* WAL, and its files are there: joined without making any */
	AG_SQLITE_IMMUTABLE, /* WAL, provably quiet: read as if on a read-only disk */
	AG_SQLITE_COPIED     /* WAL, left behind without its index: a private copy is read */
} ag_sqlite_way;

/* What must not change while a connection is kept. */
typedef struct ag_sqlite_stamp {
	dev_t dev;
	ino_t ino;
	off_t size, wal_size; /* wal_size -1: there is no such file */
	struct timespec mtime, wal_mtime;
	bool has_wal, has_shm;
} ag_sqlite_stamp;

typedef struct ag_sqlite_relation {
	ag_str name;
	char kind;       /* 't' table, 'v' view, 'V' virtual, 's' shadow */
	ag_str object;   /* of a virtual one, as EXPLAIN shows it; "" = cannot be opened */
	ag_str declared; /* of a virtual one: its CREATE statement */
} ag_sqlite_relation;

typedef struct ag_sqlite_root {
	int64_t page; /* a table or one of its indexes begins there */
	ag_str table;
} ag_sqlite_root;

/* What the authorizer asks in which phase. */
typedef enum ag_sqlite_phase {
	AG_SQLITE_OWN,   /* statements of ours: all that reads */
	AG_SQLITE_JUDGE, /* a user's statement is compiled: the policy decides */
	AG_SQLITE_STEP   /* it runs: only what virtual tables read for themselves */
} ag_sqlite_phase;

typedef struct ag_sqlite_sql ag_sqlite_sql;

typedef struct ag_sqlite_conn {
	ag_sqlite_sql *owner;
	struct ag_sqlite_conn *next; /* of the idle ones */
	sqlite3 *db;
	ag_sqlite_way way;
	ag_sqlite_stamp stamp;
	char *copy_folder; /* COPIED: removed with the connection; NULL else */
	sqlite3_stmt *begin, *end, *version;
	bool is_reading; /* between begin and end */
	bool must_close; /* it is in a state that the next statement should not meet */

	/* The schema as of schema_version; in names. */
	ag_arena *names;
	int schema_version; /* -1 = not read */
	ag_sqlite_relation *relations;
	size_t nrelation;
	ag_sqlite_root *roots;
	size_t nroot;
	ag_str own_objects[2]; /* json_each, json_tree */

	/* The user's statement of last time: compiled, judged, and still good while the schema stays. */
	sqlite3_stmt *last;
	bool last_is_explain;
	ag_buf last_sql;
	ag_arena *last_arena;
	ag_sql_verdict last_verdict;

	/* For the authorizer. */
	ag_sqlite_phase phase;
	ag_arena *arena;         /* of the verdict */
	ag_sql_verdict *verdict; /* JUDGE */
	struct ag_sqlite_seen *seen;
	bool is_opening; /* what the program opens is judged */

	/* For the progress handler. */
	const ag_ctx *ctx;
	int64_t deadline_ms; /* monotonic, of the system's clock; 0 = none */
	int watch_fd;
	int64_t watch_ms; /* when it is looked at again */
	bool is_stopped;
	ag_sql_stop why;
} ag_sqlite_conn;

struct ag_sqlite_sql {
	const ag_sql_opts *opts;
	char *path; /* absolute, resolved */
	char *shown_text;
	ag_str shown; /* "sqlite:PATH" as it was given */
	pthread_mutex_t lock;
	pthread_cond_t is_free;
	ag_sqlite_conn *idle;
	unsigned nopen, nbusy;
};

/* Opens and configures; whoever got it closes it. On a failure *ret_failure is filled and *ret NULL. */
void ag_sqlite_conn_open(ag_sqlite_sql *s, ag_arena *arena, ag_sqlite_conn **ret,
                         ag_sql_failure *ret_failure);
void ag_sqlite_conn_close(ag_sqlite_conn *c);
/* Is the file still the one, in the state, that the connection was opened for? */
bool ag_sqlite_conn_is_current(ag_sqlite_conn *c);

/* --- connections, sqlite_sql_pool.c --- */

/* A connection inside a read transaction, phase OWN; for statements of ours and of users. On a failure *ret_failure is
 * filled. ctx, deadline and watch_fd hold for all that runs until ag_sqlite_sql_end(). timeout_ms 0 = the options'. */
AG_CHECK bool ag_sqlite_sql_begin(ag_sql_impl *impl, const ag_ctx *ctx, int64_t timeout_ms,
                                  int watch_fd, ag_arena *arena, ag_sqlite_conn **ret,
                                  int64_t *ret_wait_us, ag_sql_failure *ret_failure);
/* Rolls back and gives the connection back. False: the file was changed beneath it meanwhile, so that what was read
 * cannot be trusted (only of an IMMUTABLE one). */
bool ag_sqlite_sql_end(ag_sqlite_conn *c);
const ag_sql_opts *ag_sqlite_sql_opts(const ag_sql_impl *impl);
/* Reads relations again when the schema has changed. Inside a transaction. An SQLite result code. */
int ag_sqlite_conn_relations(ag_sqlite_conn *c);
const ag_sqlite_relation *ag_sqlite_conn_relation(const ag_sqlite_conn *c, ag_str name);

/* Is the statement that runs to end? Cheap. */
bool ag_sqlite_must_stop(ag_sqlite_conn *c);

/* --- sqlite_sql_functions.c --- */

/* Puts functions of ours in the place of those that could run for hours. An SQLite result code. */
int ag_sqlite_functions(ag_sqlite_conn *c);

/* --- the guard, sqlite_sql_guard.c --- */

int ag_sqlite_authorize(void *conn, int action, const char *a, const char *b, const char *db,
                        const char *by);
/* Compiles and judges, in c's transaction. The verdict is filled in arena; ret_failure too when SQLite says what is wrong
 * with the text (column_not_found …). *ret is borrowed from c (NULL when refused). */
void ag_sqlite_compile(ag_sqlite_conn *c, ag_str sql, ag_sql_purpose purpose, ag_arena *arena,
                       sqlite3_stmt **ret, ag_sql_verdict *ret_verdict,
                       ag_sql_failure *ret_failure);
void ag_sqlite_forget_last(ag_sqlite_conn *c);
/* While a statement is compiled: its program opens this table ("" = one that nobody knows). May it? */
bool ag_sqlite_opens(ag_sqlite_conn *c, ag_str table);

/* --- what is opened, sqlite_sql_program.c --- */

/* Of the relations that were just read. An SQLite result code. */
int ag_sqlite_program_map(ag_sqlite_conn *c);
/* Asks ag_sqlite_opens() for all that the program of a compiled statement opens. SQLITE_AUTH: the verdict has the reason. */
int ag_sqlite_program_check(ag_sqlite_conn *c, ag_str sql);

/* --- rows, sqlite_sql_rows.c --- */

/* Steps and writes; fills columns, rows, nrow, cut, rows_seen. An SQLite result code: SQLITE_DONE when it went well. */
int ag_sqlite_rows(ag_sqlite_conn *c, sqlite3_stmt *stmt, const ag_sql_limits *limits,
                   ag_arena *arena, ag_sql_result *ret);

/* --- errors, sqlite_sql_error.c --- */

/* Of the connection's last error; knows why a statement was stopped. sql: for the position, "" = none. */
void ag_sqlite_failure(ag_sqlite_conn *c, int rc, ag_str sql, ag_arena *arena, ag_sql_failure *ret);

/* --- sqlite_dictionary.c --- */

AG_CHECK ag_status ag_sqlite_introspect(ag_sql_impl *impl, const ag_ctx *ctx,
                                        const ag_dictionary_opts *o, ag_arena *arena,
                                        ag_dictionary *ret, ag_sql_failure *ret_failure,
                                        ag_err *err);

#endif
