/* postgres -- the parts of the PostgreSQL driver: one session, what waits to be sent on it, and how it fails.
 *
 * Only store/postgres*.c include this, and only they use pg/ in this folder. Reading order: postgres.c (transactions, what
 * waits, statements), postgres_session.c (connecting, sending, reconnecting), postgres_fail.c (errors), postgres_open.c
 * (schema, migrations, check), postgres_words.c (full text). */
#ifndef AG_STORE_POSTGRES_H
#define AG_STORE_POSTGRES_H

#include "pg/exchange.h"
#include "store/driver.h"

#define AG_POSTGRES_SCHEMA "argus" /* of the database: all tables of a store are in it */

/* What was prepared for a row of a table of statements. */
typedef struct ag_postgres_stmt {
	const ag_sql *row;
	ag_str text; /* with {stored} replaced; malloc */
	bool is_reading;
	char name[40];    /* at the server */
	uint64_t session; /* that it is prepared in; 0 = in none */
	uint64_t sent; /* the sending that prepared it: one that failed may have done so or not */
	uint32_t types[AG_DB_MAX_ARGS];
	uint32_t oids[AG_DB_MAX_COLUMNS]; /* of the columns */
	size_t ncolumn;                   /* 0 = not known yet */
} ag_postgres_stmt;

/* A statement with its arguments as the server takes them. */
typedef struct ag_postgres_call {
	ag_postgres_stmt *stmt;
	ag_str *values;
	size_t nvalue;
	uint64_t nrow; /* changed, after it was sent */
} ag_postgres_call;

typedef enum ag_postgres_state {
	AG_POSTGRES_OUTSIDE,
	AG_POSTGRES_BEGUN, /* the transaction has not been sent yet */
	AG_POSTGRES_OPEN,  /* the server has begun it */
	AG_POSTGRES_FAILED /* a statement of it failed, or the connection; only rollback() helps */
} ag_postgres_state;

typedef struct ag_postgres {
	ag_db base; /* first member */
	ag_pg *pg;
	ag_pg_conn *conn; /* NULL = not connected */
	unsigned patience_ms;
	bool has_been_connected;
	bool is_standby;      /* the server was read-only when the store was opened */
	bool is_patience_old; /* the session has another lock_timeout */
	uint64_t session;     /* number of the connection, from 1 */
	uint64_t listening;   /* the session that has sent LISTEN, 0 = none */
	uint64_t nsending, nname;
	char own[13]; /* in front of each name: a pooler may give one session of the server to two handles */
	/* the transaction */
	ag_postgres_state state;
	ag_db_begin_kind kind;
	int64_t lock;             /* of its scope */
	ag_arena *arena;          /* what waits; reset when it was sent */
	ag_rows waiting;          /* of ag_postgres_call */
	size_t nwaiting_byte;     /* of their arguments */
	ag_postgres_stmt **stmts; /* by the address of the row; open addressing */
	size_t nstmt, cap;        /* cap: a power of two */
} ag_postgres;

/* What one sending ends with. */
typedef struct ag_postgres_end {
	ag_db_out *out; /* of the last call; NULL = it gives no rows */
	bool commits;
} ag_postgres_end;

/* --- postgres.c --- */

ag_status ag_postgres_begin(ag_db *base, ag_db_begin_kind kind, ag_str scope, ag_err *err);
ag_status ag_postgres_commit(ag_db *base, ag_err *err);
void ag_postgres_rollback(ag_db *base);
ag_status ag_postgres_run(ag_db *base, const ag_sql *sql, ag_db_args args, ag_db_out *out,
                          ag_err *err);
ag_status ag_postgres_run_many(ag_db *base, const ag_sql *sql, ag_db_args args, size_t nrow,
                               size_t *ret_unchanged, ag_err *err);
/* What is kept of the row; args say of which kinds its arguments are. */
ag_postgres_stmt *ag_postgres_statement(ag_postgres *s, const ag_sql *row, ag_db_args args);
/* One text without arguments that is used once: DDL. Within a transaction or outside. */
ag_status ag_postgres_exec(ag_postgres *s, ag_str text, ag_err *err);
void ag_postgres_forget(ag_postgres *s); /* what was prepared */
/* The key of the advisory lock of a scope. */
int64_t ag_postgres_lock_of(ag_str scope);

/* --- postgres_session.c --- */

/* Connects when there is no connection. The first one of a handle fails at once; later ones wait as long as patience lasts
 * for a server that restarts. */
ag_status ag_postgres_connect(ag_postgres *s, ag_err *err);
void ag_postgres_disconnect(ag_postgres *s);
/* Sends what waits, and waits for the answers. Connects again where nothing can be lost or done twice by that. */
ag_status ag_postgres_send(ag_postgres *s, const ag_postgres_end *end, ag_err *err);
/* One statement without arguments and rows. */
ag_status ag_postgres_send_text(ag_postgres *s, ag_str text, ag_err *err);
bool ag_postgres_send_rollback(ag_postgres *s);

/* --- postgres_fail.c --- */

/* doing: "write to", "open" ... */
ag_status ag_postgres_fail(const ag_postgres *s, const ag_pg_failure *f, const char *doing,
                           ag_err *err);
/* What a pooler must be, after ag_fail(). */
ag_status ag_postgres_hint_pooler(ag_err *err);
/* The server cannot be reached now, but may be soon. */
bool ag_postgres_is_away(const ag_pg_failure *f);
bool ag_postgres_is_damage(const ag_err *err);
bool ag_postgres_is_lost(const ag_err *err);
/* Marks an error: it is not known whether the transaction took place. */
void ag_postgres_mark_lost(ag_err *err);

/* --- postgres_open.c --- */

ag_status ag_postgres_open(ag_str uri, ag_db **ret, ag_err *err);
ag_status ag_postgres_has_store(ag_db *base, bool *ret, ag_err *err);
ag_status ag_postgres_migrate(ag_db *base, ag_err *err);
ag_status ag_postgres_check(ag_db *base, ag_arena *arena, ag_str **ret, size_t *nret, ag_err *err);
void ag_postgres_close(ag_db *base);

/* --- postgres_wait.c --- */

ag_status ag_postgres_tell(ag_db *base, ag_err *err);
ag_status ag_postgres_wait(ag_db *base, int64_t ms, const atomic_bool *cancel, bool *ret_told,
                           ag_err *err);
ag_status ag_postgres_now(ag_db *base, int64_t *ret, ag_err *err);

/* --- postgres_words.c --- */

extern const ag_db_words ag_postgres_words;

#endif
