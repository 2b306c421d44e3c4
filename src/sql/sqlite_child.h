/* sqlite_child -- one process with SQLite inside, as its parent holds it; private to sql/sqlite_*.c and its tests.
 *
 * One call at a time, from any thread. A child that was stopped, crashed or wrote what it may not is dead: end it and start
 * another. */
#ifndef AG_SQL_SQLITE_CHILD_H
#define AG_SQL_SQLITE_CHILD_H

#include <sys/types.h>

#include "sql/sqlite_wire.h"

typedef struct ag_sqlite_child {
	struct ag_sqlite_child *next; /* of the idle ones */
	pid_t pid;
	ag_sqlite_shared *shared;
	int life;              /* the child dies when this is closed */
	int64_t idle_since_ms; /* monotonic */
	int core;              /* the only one it may run on, -1 = any */
	bool is_reaped;
	int status; /* as waitpid() gives it; -1 = unknown */
} ag_sqlite_child;

/* How a call ended. All but ANSWERED leave a child that must be ended. */
typedef enum ag_sqlite_end {
	AG_SQLITE_ANSWERED,
	AG_SQLITE_STOPPED, /* it did not stop when it was asked to, and was killed; *ret_why */
	AG_SQLITE_UNSEEN,  /* it had died before it saw the request */
	AG_SQLITE_CRASHED, /* it died over the request; child->status */
	AG_SQLITE_CONFUSED /* its answer was invalid, and it was killed */
} ag_sqlite_end;

/* What may stop a call. */
typedef struct ag_sqlite_watch {
	const ag_ctx *ctx;
	int64_t deadline_ms; /* monotonic, of the system's clock */
	int watch_fd;        /* a client's socket, -1 = none */
	bool was_stopped;    /* by this watch: a failure of the answer means that */
	ag_sql_stop why;
} ag_sqlite_watch;

/* Starts this program as a child and does not wait for it: AG_SQLITE_ASK_OPEN is its first request.
 * errors  AG_UNAVAILABLE */
AG_CHECK ag_status ag_sqlite_child_start(ag_sqlite_child **ret, ag_err *err);
/* Kills it if it lives. Accepts NULL. */
void ag_sqlite_child_end(ag_sqlite_child *c);

/* One request, one answer. */
ag_sqlite_end ag_sqlite_child_ask(ag_sqlite_child *c, ag_str request, ag_sqlite_watch *w,
                                  ag_sqlite_answer *answer);

#endif
