/* pg -- connections to one PostgreSQL database: address, login, TLS, checks of the session, pool, statements that do not stop.
 *
 * libpq finds the server and logs in; from then on this room reads and writes the protocol itself (wire.h; docs/decisions/0021
 * says why). What is sent on a connection, and what an answer means, is the caller's: exchange.h.
 *
 * The caller decides by ag_pg_opts what a session must be. The same code serves a database that is only read and one that
 * is written to.
 *
 * A target (ag_pg) may be used by any number of threads. A connection belongs to one thread between ag_pg_take() and
 * ag_pg_give(). */
#ifndef AG_PG_PG_H
#define AG_PG_PG_H

#include "base/arena.h"
#include "base/err.h"
#include "run/ctx.h"

typedef struct ag_pg ag_pg;
typedef struct ag_pg_conn ag_pg_conn;

#define AG_PG_MAX_CONNECTIONS 64u

/* Numbers are above 0 unless stated otherwise. Texts are copied. */
typedef struct ag_pg_opts {
	ag_str schema;   /* search_path is pg_catalog, this, pg_temp; "" = public */
	ag_str role;     /* the role that a session takes on; "" = the login's own */
	ag_str password; /* replaces the URI's; "" = of the URI or the environment. Never logged */
	ag_str application; /* application_name; "" = "argus" */
	/* The session's transactions are read-only unless they say otherwise. */
	bool is_read_only;
	/* At most 64 MB of work_mem and 1 GB of temporary files a statement: for statements that others write. */
	bool has_small_memory;
	bool needs_type_names;    /* reads the names of the users' types when it connects first */
	unsigned max_connections; /* at most AG_PG_MAX_CONNECTIONS */
	size_t max_send_bytes; /* of the statements of one exchange; 0 = AG_PG_MAX_SEND_BYTES of wire.h */
	int64_t statement_timeout_ms; /* the session's default */
	int64_t idle_session_ms; /* the server closes a session that is idle for so long; 0 = its own setting */
	int64_t wait_timeout_ms; /* for a connection of the pool */
	int64_t connect_timeout_ms;
} ag_pg_opts;

/* --- failures --- */

typedef enum ag_pg_why {
	AG_PG_NO_FAILURE,
	AG_PG_REFUSED,       /* the server reported an error; sqlstate is its own */
	AG_PG_LOST,          /* the connection broke, or could not be made */
	AG_PG_NO_CONNECTION, /* all connections of the pool were in use for too long */
	AG_PG_NO_THREAD,     /* no thread could be started to connect */
	AG_PG_STOPPED,       /* the server ended the statement because it was asked to */
	AG_PG_STILL_RUNNING  /* the server was asked to end the statement and has not */
} ag_pg_why;

typedef enum ag_pg_stop {
	AG_PG_STOP_NONE,
	AG_PG_STOP_TIMEOUT,
	AG_PG_STOP_CANCELLED,   /* ctx->cancel */
	AG_PG_STOP_CLIENT_GONE, /* the peer of watch_fd closed its socket */
	AG_PG_STOP_ENOUGH       /* a sink wants no more rows; never the reason of a failure */
} ag_pg_stop;

/* Texts are one line each, in the caller's arena or literals, without registered secrets; "" = none. */
typedef struct ag_pg_failure {
	ag_pg_why why;
	ag_pg_stop stop;  /* of STOPPED and STILL_RUNNING, whose message is "" */
	char sqlstate[6]; /* "" = none */
	ag_str message, detail, hint;
	uint32_t position; /* character of the statement, from 1; 0 = unknown */
	int64_t waited_ms; /* NO_CONNECTION */
	int pid;           /* STILL_RUNNING: the server's process; 0 = unknown */
	bool is_lost;      /* STILL_RUNNING: the connection is gone as well */
} ag_pg_failure;

/* Is the session unfit for further statements after this SQLSTATE? After damage, lack of resources, failures of other
 * servers, and states that the caller did not make. */
bool ag_pg_spoils(const char *sqlstate);

/* --- the target --- */

/* Connects to nothing.
 * errors  AG_INVALID: URI or options, names what is wrong; AG_UNAVAILABLE: libpq */
AG_CHECK ag_status ag_pg_open(ag_str uri, const ag_pg_opts *opts, ag_pg **ret, ag_err *err);
/* No connection may be taken any more. */
void ag_pg_close(ag_pg *pg);
/* "postgresql://host:5432/db", without user and password. Lives as long as pg. */
ag_str ag_pg_shown(const ag_pg *pg);

#define AG_PG_HEALTH_PIDS 8
typedef struct ag_pg_health {
	unsigned nopen, nbusy; /* connections; stuck ones are among them */
	unsigned nstuck;       /* statements that were asked to stop and still run at the server */
	int stuck_pid[AG_PG_HEALTH_PIDS]; /* of the first ones; 0 = no more, or not known */
} ag_pg_health;
void ag_pg_health_of(ag_pg *pg, ag_pg_health *ret);

/* --- connections --- */

/* Takes an idle connection, or opens one. need_new: checks idle ones before they are used, as after a restart of the server.
 * watch_fd: gives up when the peer of this socket goes away; -1 = none. false: *ret_failure says why. Texts in arena. */
bool ag_pg_take(ag_pg *pg, const ag_ctx *ctx, int watch_fd, bool need_new, ag_arena *arena,
                ag_pg_conn **ret, ag_pg_failure *ret_failure);
/* Closes a spoilt connection, keeps one whose statement has not ended (ag_pg_hold), and hands every other to the next
 * caller. */
void ag_pg_give(ag_pg *pg, ag_pg_conn *c);
/* The connection is closed when it is given back. */
void ag_pg_spoil(ag_pg_conn *c);
/* Has the server sent nothing on this idle connection, not even its end? One system call. */
bool ag_pg_is_quiet(const ag_pg *pg, const ag_pg_conn *c);
/* On a connection that has sent LISTEN and does nothing else: waits for a notification, at most ms, or until *cancel (may be NULL). false:
 * the connection is of no more use. */
bool ag_pg_listen(ag_pg_conn *c, int64_t ms, const atomic_bool *cancel, bool *ret_told);
/* Has the server's process another number than the login was told, as behind a pooler? */
bool ag_pg_is_pooled(const ag_pg *pg, const ag_pg_conn *c);
/* Were both connections served by one process of the server? Then a pooler gives a session away between transactions. */
bool ag_pg_is_shared(const ag_pg_conn *a, const ag_pg_conn *b);
/* Was the statement prepared that an ag_pg_step gave this bit? */
bool ag_pg_has_prepared(const ag_pg_conn *c, uint64_t bit);

/* What a caller keeps for as long as its statement runs at the server, which may be longer than the call. keep() and
 * release() come in pairs; release() on any thread, at the latest in ag_pg_close(). Neither may call this interface. */
typedef struct ag_pg_hold {
	void (*keep)(void *arg); /* NULL = nothing is kept */
	void (*release)(void *arg);
	void *arg;
} ag_pg_hold;

/* "a""b": a name as SQL needs it. */
ag_str ag_pg_ident(ag_arena *arena, ag_str name);

#endif
