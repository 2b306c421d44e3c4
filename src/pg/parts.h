/* parts -- what the files of this room share among themselves; not for other rooms.
 *
 * A target (ag_pg) is one database: its address, its pool, its types. It is counted, because a thread that connects or
 * cancels may outlive the call that began it, and even the handle. */
#ifndef AG_PG_PARTS_H
#define AG_PG_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "pg/exchange.h"
#include "pg/load.h"
#include "pg/pg.h"
#include "pg/types.h"
#include "pg/wire.h"

#define AG_PG_MAX_KEYWORDS 64 /* of a connection string; libpq knows some forty */
#define AG_PG_SLICE_MS     50 /* how late a cancel flag or a client that has gone is seen */
#define AG_PG_MAX_IDENTITY 96

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

struct ag_pg_conn {
	PGconn *db;
	ag_pg_wire wire; /* carries the statements; libpq does not see them */
	int64_t idle_since_ms;
	bool is_new;       /* no statement has been answered on it yet */
	uint64_t prepared; /* statements that were prepared on it: bits of ag_pg_step */
	bool is_spoilt;    /* close it, do not use it again */
	ag_pg_backend backend;
	/* The server has not said that it ended what was sent: stuck.c keeps the place until it has. */
	bool is_unended;
	bool is_silent; /* stuck: the socket is closed, and only the server can say whether the process is gone */
	bool is_confirmed;                /* stuck: the server said that the process is there */
	ag_pg_hold hold;                  /* stuck: of the call that sent the statement */
	int64_t stuck_since_us, asked_us; /* asked_us: when the server was asked to end it, last */
	struct ag_pg_conn *next;
};

typedef struct ag_pg_waiter ag_pg_waiter; /* pool.c */

/* A type of the database's users. The name is the target's. */
typedef struct ag_pg_user_types {
	ag_pg_type *row; /* sorted by oid */
	size_t n, cap;
} ag_pg_user_types;

struct ag_pg {
	const ag_pq *pq;
	/* What a connection is made with; NULL after the last. */
	char *keyword[AG_PG_MAX_KEYWORDS + 1], *value[AG_PG_MAX_KEYWORDS + 1];
	char *shown;       /* "postgresql://host:5432/db" */
	char *role;        /* "" = none */
	char *search_path; /* as the server writes it back */
	int64_t statement_timeout_ms, connect_timeout_ms, wait_timeout_ms, idle_session_ms;
	unsigned max_connections;
	size_t max_send_bytes;
	bool is_read_only, has_small_memory, needs_type_names;

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
};

ag_pg *ag_pg_ref(ag_pg *pg);
void ag_pg_unref(ag_pg *pg);

/* --- threads.c --- */

/* A thread of ours, with all signals blocked. May be called with pg->lock held. */
bool ag_pg_thread(ag_pg *pg, size_t stack_bytes, void *(*fn)(void *arg), void *arg);
/* The handle is being closed: waits for its threads, at most until then. Call it once. */
void ag_pg_threads_wait(ag_pg *pg, int64_t until_us);
void ag_pg_cond_init(pthread_cond_t *c); /* for monotonic time */
struct timespec ag_pg_timespec(int64_t mono_us);

/* --- uri.c --- */

/* Fills keyword, value, shown, role, search_path. errors  AG_INVALID */
AG_CHECK ag_status ag_pg_address(ag_pg *pg, ag_str uri, const ag_pg_opts *opts, ag_err *err);

/* --- connect.c --- */

/* Makes, sets up and checks a connection, on a thread of its own because libpq looks up names without a time limit. When the
 * caller gives up first, the thread puts the connection into the pool. false: *ret_failure says why; *ret_is_left: the
 * thread holds the place in the pool, not the caller. */
bool ag_pg_connect(ag_pg *pg, const ag_ctx *ctx, int watch_fd, int64_t deadline_us, ag_arena *arena,
                   ag_pg_conn **ret, bool *ret_is_left, ag_pg_failure *ret_failure);
void ag_pg_disconnect(ag_pg *pg, ag_pg_conn *c);

/* A session of the watcher of stuck.c, outside the pool, with the rights of the login itself. Blocks, names are
 * looked up without a limit. NULL = the server cannot be reached. */
PGconn *ag_pg_watch_open(ag_pg *pg, int64_t deadline_us);
/* NULL = failed; the session is then of no use. */
PGresult *ag_pg_watch_ask(ag_pg *pg, PGconn *db, const char *sql, int64_t deadline_us);

/* --- cancel.c --- */

typedef struct ag_pg_cancel ag_pg_cancel;
/* Asks the server to stop what runs on c. PQcancel() blocks: it has a thread of its own. NULL = could not be asked. */
ag_pg_cancel *ag_pg_cancel_start(ag_pg *pg, ag_pg_conn *c);
/* The request has left, or could not. */
bool ag_pg_cancel_is_over(ag_pg_cancel *job);
/* Did the server take it before the deadline? Only then may c be used again: a late request would hit another statement.
 * Frees the job. */
bool ag_pg_cancel_end(ag_pg_cancel *job, int64_t deadline_us);

/* --- stuck.c --- */

/* Takes over a connection whose statement the server has not ended. Its place in the pool, and c->hold, stay taken until
 * the server has. */
void ag_pg_keep_stuck(ag_pg *pg, ag_pg_conn *c);
/* Closes the handle, and releases and logs what is stuck. */
void ag_pg_abandon_stuck(ag_pg *pg);
/* Call with pg->lock held: the watcher checks stuck connections now. */
void ag_pg_wake_watcher(ag_pg *pg);
/* nstuck, stuck_pid. With pg->lock held. */
void ag_pg_count_stuck(const ag_pg *pg, ag_pg_health *ret);

/* --- pool.c --- */

/* Frees the place of a connection that could not be made. */
void ag_pg_give_place(ag_pg *pg);
/* Call both with pg->lock held. The first does the same; the second fails all waiting callers, because no place can become
 * free. */
void ag_pg_free_place(ag_pg *pg);
void ag_pg_fail_waiters(ag_pg *pg);

/* Has the caller gone, or cancelled? Fills *ret_failure then. */
bool ag_pg_is_given_up(const ag_ctx *ctx, int watch_fd, ag_pg_failure *ret_failure);

/* --- user_types.c --- */

extern const char ag_pg_types_all[];
void ag_pg_types_release(ag_pg *pg);

/* --- failure.c --- */

/* Of an ErrorResponse. */
void ag_pg_failure_of_error(ag_str body, ag_arena *arena, ag_pg_failure *ret);
/* Of an answer that is not accepted. message is a literal. */
void ag_pg_failure_of_state(const char *sqlstate, ag_str message, ag_pg_failure *ret);
/* Of a connection that broke or was never made: libpq's message, without secrets. */
void ag_pg_failure_of_connection(ag_str message, const char *sqlstate, ag_arena *arena,
                                 ag_pg_failure *ret);
/* Without a SQLSTATE. */
void ag_pg_failure_of(ag_pg_why why, ag_str message, ag_pg_failure *ret);
void ag_pg_failure_of_stop(ag_pg_stop stop, ag_pg_failure *ret);

#endif
