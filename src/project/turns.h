/* turns -- who may use something of a project next: a fair queue over users. Its database has such a queue, and so have its
 * questions (app/service.h).
 *
 * A database has as many places as connections. A free place goes to the waiting user who holds the fewest;
 * among equals to the one who was served longest ago. So a user with many calls waits for himself, whatever sessions and
 * tokens he uses. A statement that was asked to stop and still runs holds its place and counts for its user until it ends.
 *
 * Thread safe. A turn is counted: the call has a share, and so has each statement that outlives it. */
#ifndef AG_PROJECT_TURNS_H
#define AG_PROJECT_TURNS_H

#include "run/ctx.h"
#include "sql/sql.h"

#define AG_TURNS_USER_QUEUE 256u   /* calls of one user that wait; the next one is refused */
#define AG_TURNS_QUEUE      1024u  /* of all users */
#define AG_TURNS_WAIT_MS    300000 /* a call waits no longer, and never beyond its deadline */

typedef struct ag_turns ag_turns;
typedef struct ag_turn ag_turn;

/* What a refusal calls the things of this queue. */
typedef struct ag_turns_words {
	const char *of;     /* "the database": what is waited for */
	const char *places; /* "connections" */
	const char *undone; /* "its statement was not sent": of a call that is refused */
} ag_turns_words;

/* A call that wants a place. */
typedef struct ag_turn_request {
	const ag_ctx *ctx;
	ag_str user;
	int64_t wait_ms; /* longest wait */
	int watch_fd;    /* the client's socket, -1 = none */
	ag_sql_source
		*source; /* a call does not wait while ag_sql_is_stuck(); NULL = no database */
} ag_turn_request;

/* words NULL = those of a database; else they outlive the queue. */
ag_turns *ag_turns_new(unsigned nplace, const ag_turns_words *words);
/* No turn may be held any more. Accepts NULL, returns NULL. */
ag_turns *ag_turns_free(ag_turns *t);
/* Waits for a place. False: *ret_failure says why (the queue is full, time, cancel, client gone); nothing is held then.
 * ctx->progress shows how many calls of others and of this user are before this one. */
bool ag_turns_take(ag_turns *t, const ag_turn_request *r, ag_arena *arena, ag_turn **ret,
                   ag_sql_failure *ret_failure);
/* Calls that wait now. */
unsigned ag_turns_waiting(ag_turns *t);
void ag_turn_give(ag_turn *turn); /* accepts NULL */
/* What a statement keeps of a turn when it outlives its call. */
ag_sql_hold ag_turn_hold(ag_turn *turn);

#endif
