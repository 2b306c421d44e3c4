/* postgres_parts -- what the files of the PostgreSQL engine share among themselves, and nobody else.
 *
 * A target (ag_pg) is one database: its address, its pool, its types. It is counted, because a thread that connects or
 * cancels may outlive the call that began it, and even the handle. */
#ifndef AG_SOURCE_POSTGRES_PARTS_H
#define AG_SOURCE_POSTGRES_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "source/postgres.h"
#include "source/postgres_load.h"
#include "source/postgres_values.h"
#include "source/postgres_wire.h"

#define AG_PG_MAX_KEYWORDS 64   /* of a connection string; libpq knows some forty */
#define AG_PG_SLICE_MS     50   /* how late a cancel flag or a client that has gone is seen */
#define AG_PG_DRAIN_MS     2000 /* for an answer after a cancel; then the statement counts as stuck */
#define AG_PG_MAX_IDENTITY 96
#define AG_PG_MAX_PLACES   64u /* connections of one target; sql.c allows no more */

/* Which process of which server answers a connection. Numbers and addresses, so the text needs no quotes. */
typedef struct ag_pg_backend {
	int pid; /* 0 = unknown */
	char session
		[AG_PG_MAX_IDENTITY]; /* "pid/database/user/"; "" = the server shows no sessions */
	char started
		[AG_PG_MAX_IDENTITY]; /* of the session, in seconds; "" = hidden from this role */
	char server[AG_PG_MAX_IDENTITY]; /* start of the server, in seconds */
	bool is_direct; /* no pooler and no proxy in between: a closed socket proves that the process is gone */
} ag_pg_backend;

typedef struct ag_pg_conn {
	PGconn *db;
	ag_pg_wire wire; /* statements go past libpq */
	int64_t idle_since_ms;
	bool is_new;                /* no statement has been answered on it yet */
	bool is_prepared;           /* "ag_begin" and "ag_rollback" are there */
	bool has_moment, has_state; /* "ag_moment", "ag_state" are there (postgres_fresh.h) */
	bool is_spoilt;             /* close it, do not use it again */
	ag_pg_backend backend;
	/* The server has not said that it ended what was sent: postgres_stuck.c keeps the place until it has. */
	bool is_unended;
	bool is_silent; /* stuck: the socket is closed, and only the server can say whether the process is gone */
	bool is_confirmed;                /* stuck: the server said that the process is there */
	ag_sql_hold hold;                 /* stuck: of the call that sent the statement */
	int64_t stuck_since_us, asked_us; /* asked_us: when the server was asked to end it, last */
	struct ag_pg_conn *next;
} ag_pg_conn;

typedef struct ag_pg_waiter ag_pg_waiter; /* postgres_pool.c */

/* A type of the database's users. The name is the target's. */
typedef struct ag_pg_user_types {
	ag_pg_type *row; /* sorted by oid */
	size_t n, cap;
} ag_pg_user_types;

typedef struct ag_pg {
	const ag_pq *pq;
	const ag_sql_opts *opts; /* not for threads of ours: they may outlive the handle */
	/* What a connection is made with; NULL after the last. */
	char *keyword[AG_PG_MAX_KEYWORDS + 1], *value[AG_PG_MAX_KEYWORDS + 1];
	char *shown;       /* "postgresql://host:5432/db" */
	char *role;        /* "" = none */
	char *search_path; /* as the server writes it back */
	int64_t statement_timeout_ms, connect_timeout_ms, wait_timeout_ms;
	unsigned max_connections;

	atomic_uint nref, nthread;
	pthread_mutex_t lock; /* of everything below */
	pthread_cond_t no_thread;
	pthread_t last_thread; /* that has ended */
	bool has_last_thread;  /* it must be joined */
	bool is_deserted;      /* nobody joins threads any more */
	bool is_closed;
	ag_pg_conn *idle; /* the one used last in front */
	unsigned nopen, nbusy;
	ag_pg_waiter *first_waiter, **last_waiter;
	ag_pg_conn *
		stuck; /* connections whose statement the server has not ended; they keep their places */
	unsigned nstuck;
	int wake_fd; /* wakes the watcher; -1 = there was none yet */
	bool has_watcher;
	bool has_types; /* the types of the users were read once */
	ag_pg_user_types types;
} ag_pg;

static inline ag_pg *ag_pg_of(ag_sql_impl *impl)
{
	return (ag_pg *)(void *)impl;
}

ag_pg *ag_pg_ref(ag_pg *pg);
void ag_pg_unref(ag_pg *pg);

/* --- postgres_threads.c --- */

/* A thread of ours, with all signals blocked. May be called with pg->lock held. */
bool ag_pg_thread(ag_pg *pg, size_t stack_bytes, void *(*fn)(void *arg), void *arg);
/* The handle is being closed: waits for its threads, at most until then. Call it once. */
void ag_pg_threads_wait(ag_pg *pg, int64_t until_us);
void ag_pg_cond_init(pthread_cond_t *c); /* for monotonic time */
struct timespec ag_pg_timespec(int64_t mono_us);

/* --- postgres_uri.c --- */

/* Fills keyword, value, shown, role, search_path. errors  AG_INVALID */
AG_CHECK ag_status ag_pg_address(ag_pg *pg, ag_str uri, const ag_sql_opts *opts, ag_err *err);

/* --- postgres_connect.c --- */

/* A connection that is set up and checked, made on a thread of its own because names are looked up without a limit. When
 * the caller gives up first, the thread puts the connection into the pool by itself. false: *ret_failure says why;
 * *ret_is_left: the thread has the place in the pool, not the caller. */
bool ag_pg_connect(ag_pg *pg, const ag_ctx *ctx, int watch_fd, int64_t deadline_us, ag_arena *arena,
                   ag_pg_conn **ret, bool *ret_is_left, ag_sql_failure *ret_failure);
void ag_pg_disconnect(ag_pg *pg, ag_pg_conn *c);

/* A session of the watcher of postgres_stuck.c, outside the pool, with the rights of the login itself. Blocks, names are
 * looked up without a limit. NULL = the server cannot be reached. */
PGconn *ag_pg_watch_open(ag_pg *pg, int64_t deadline_us);
/* NULL = failed; the session is then of no use. */
PGresult *ag_pg_watch_ask(ag_pg *pg, PGconn *db, const char *sql, int64_t deadline_us);

/* --- postgres_cancel.c --- */

typedef struct ag_pg_cancel ag_pg_cancel;
/* Asks the server to stop what runs on c. PQcancel() blocks: it has a thread of its own. NULL = could not be asked. */
ag_pg_cancel *ag_pg_cancel_start(ag_pg *pg, ag_pg_conn *c);
/* The request has left, or could not. */
bool ag_pg_cancel_is_over(ag_pg_cancel *job);
/* Did the server take it before the deadline? Only then may c be used again: a late request would hit another statement.
 * Frees the job. */
bool ag_pg_cancel_end(ag_pg_cancel *job, int64_t deadline_us);

/* --- postgres_stuck.c --- */

/* Takes over a connection whose statement the server has not ended. Its place in the pool, and c->hold, stay taken until
 * the server has. */
void ag_pg_keep_stuck(ag_pg *pg, ag_pg_conn *c);
/* The handle is being closed: what is stuck is let go, and logged. */
void ag_pg_abandon_stuck(ag_pg *pg);
/* With pg->lock held: looks after stuck connections now, not at the next turn. */
void ag_pg_wake_watcher(ag_pg *pg);
/* nstuck, stuck_pid. With pg->lock held. */
void ag_pg_count_stuck(const ag_pg *pg, ag_sql_health *ret);

/* --- postgres_pool.c --- */

/* false: *ret_failure says why. need_new: the idle ones are looked at first, as after a restart of the server. */
bool ag_pg_take(ag_pg *pg, const ag_ctx *ctx, int watch_fd, bool need_new, ag_arena *arena,
                ag_pg_conn **ret, ag_sql_failure *ret_failure);
void ag_pg_give(ag_pg *pg, ag_pg_conn *c);
/* The place of a connection that could not be made is free again. */
void ag_pg_give_place(ag_pg *pg);
/* With pg->lock held: the same; and no place can be served now, so callers that wait fail as a connection does. */
void ag_pg_free_place(ag_pg *pg);
void ag_pg_fail_waiters(ag_pg *pg);

/* Has the caller gone, or cancelled? Fills *ret_failure then. */
bool ag_pg_is_given_up(const ag_ctx *ctx, int watch_fd, ag_sql_failure *ret_failure);

/* --- postgres_user_types.c --- */

/* oid, name, is it an array, delimiter, oid of what decides the kind, for each row: what ag_pg_types_add() takes. */
#define AG_PG_TYPES_NCOLUMN 5
extern const char ag_pg_types_all[], ag_pg_types_some[];
void ag_pg_types_add(ag_pg *pg, const ag_str cell[AG_PG_TYPES_NCOLUMN]);
bool ag_pg_type_of(ag_pg *pg, uint32_t oid, ag_pg_type *ret);
/* Asks the server for these, so that ag_pg_type_of() knows them; those that are gone meanwhile become text. */
bool ag_pg_types_fetch(ag_pg *pg, const ag_ctx *ctx, const uint32_t *oids, size_t n,
                       ag_arena *arena, ag_sql_failure *ret_failure);
void ag_pg_types_release(ag_pg *pg);

/* --- postgres_run.c --- */

/* ag_sql_engine.run() of a text that is known to be harmless. */
void ag_pg_run_text(ag_pg *pg, const ag_ctx *ctx, ag_str sql, const ag_sql_limits *limits,
                    ag_arena *arena, ag_sql_result *ret);

/* --- postgres_failure.c --- */

/* Of an ErrorResponse. */
void ag_pg_failure_of_error(ag_str body, ag_arena *arena, ag_sql_failure *ret);
/* Of a connection that broke or was never made: what libpq says, without secrets. */
void ag_pg_failure_of_connection(ag_str message, const char *sqlstate, ag_arena *arena,
                                 ag_sql_failure *ret);
/* Ours: a code, a class and words. */
void ag_pg_failure(ag_sql_failure *ret, ag_sql_code code, const char *class_name, ag_str message);

#endif
