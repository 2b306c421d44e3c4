/* sqlite_sql -- SQLite as it works inside a child process; private to sql/sqlite_*.c and its tests.
 *
 * Read sqlite_sql.c (one statement), then sqlite_sql_conn.c (the read transaction), sqlite_sql_open.c (a file is opened so
 * that nothing is written beside it), sqlite_sql_guard.c (what the authorizer lets through), sqlite_sql_program.c (what the
 * authorizer does not see), sqlite_sql_rows.c (rows as records), sqlite_sql_error.c, sqlite_dictionary.c.
 * sqlite_serve.c is the child's loop, sqlite_child.c and sqlite_engine.c are the parent's side.
 *
 * One thread, one statement at a time, inside one read transaction, so that what was judged is what runs. */
#ifndef AG_SQL_SQLITE_SQL_H
#define AG_SQL_SQLITE_SQL_H

#include <pthread.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "sql/sqlite_wire.h"

/* Of one value inside SQLite. */
#define AG_SQLITE_MAX_VALUE_BYTES (16u << 20)
/* What SQLite may hold in one child; beyond it the statement fails. */
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

	bool is_stopped; /* the parent asked for the statement's end */
} ag_sqlite_conn;

struct ag_sqlite_sql {
	const ag_sql_opts *opts;
	const char *path;             /* absolute, resolved */
	ag_str shown;                 /* "sqlite:PATH" as it was given */
	const char *folder;           /* for copies and temporary files; "" = there is none */
	const _Atomic uint32_t *stop; /* AG_SQLITE_STOP = end the statement */
	ag_sqlite_conn *conn;         /* kept from one statement to the next, NULL = none */
};

/* Opens and configures; the caller closes it. On a failure *ret_failure is filled and *ret NULL. */
void ag_sqlite_conn_open(ag_sqlite_sql *s, ag_arena *arena, ag_sqlite_conn **ret,
                         ag_sql_failure *ret_failure);
void ag_sqlite_conn_close(ag_sqlite_conn *c);
/* Is the file still the one, in the state, that the connection was opened for? */
bool ag_sqlite_conn_is_current(ag_sqlite_conn *c);

/* What a copy consists of, with its folder. */
void ag_sqlite_remove_copy(const char *folder);

/* --- one transaction, sqlite_sql_conn.c --- */

/* A connection inside a read transaction, phase OWN; for statements of ours and of users. On a failure *ret_failure is
 * filled. */
AG_CHECK bool ag_sqlite_sql_begin(ag_sqlite_sql *s, ag_arena *arena, ag_sqlite_conn **ret,
                                  ag_sql_failure *ret_failure);
/* Rolls back. False: the file was changed beneath it meanwhile, so that what was read cannot be trusted (only of an
 * IMMUTABLE one). */
bool ag_sqlite_sql_end(ag_sqlite_conn *c);
/* Reads relations again when the schema has changed. Inside a transaction. An SQLite result code. */
int ag_sqlite_conn_relations(ag_sqlite_conn *c);
const ag_sqlite_relation *ag_sqlite_conn_relation(const ag_sqlite_conn *c, ag_str name);

/* Must the statement that runs end? Cheap. */
bool ag_sqlite_must_stop(ag_sqlite_conn *c);

/* --- requests, sqlite_sql.c --- */

/* Closes the connection. */
void ag_sqlite_sql_release(ag_sqlite_sql *s);
/* Does what a request (not OPEN) asks for and writes the whole answer. */
void ag_sqlite_sql_answer(ag_sqlite_sql *s, const ag_sqlite_request *rq, ag_sqlite_out *out);

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

/* Steps and writes records: columns, rows, done. An SQLite result code: SQLITE_DONE when it went well. */
int ag_sqlite_rows(ag_sqlite_conn *c, sqlite3_stmt *stmt, const ag_sql_limits *limits,
                   ag_sqlite_out *out);

/* --- errors, sqlite_sql_error.c --- */

/* Of the connection's last error; knows why a statement was stopped. sql: for the position, "" = none. */
void ag_sqlite_failure(ag_sqlite_conn *c, int rc, ag_str sql, ag_arena *arena, ag_sql_failure *ret);

/* --- sqlite_dictionary.c --- */

/* On a failure *ret_failure is filled. */
void ag_sqlite_introspect(ag_sqlite_sql *s, const ag_dictionary_opts *o, ag_arena *arena,
                          ag_dictionary *ret, ag_sql_failure *ret_failure);

/* --- the child, sqlite_serve.c --- */

/* What main() does when it is started as a child: `argv` is {program, AG_SQLITE_CHILD_ARG}. Returns false at once when it is
 * not, else *ret is the exit code. */
bool ag_sqlite_child_main(int argc, char *const *argv, int *ret);

#endif
