/* hub -- the parts of a project hub. Private to project/. */
#ifndef AG_PROJECT_HUB_H
#define AG_PROJECT_HUB_H

#include <pthread.h>
#include <stdatomic.h>

#include "project/project.h"
#include "project/turns.h"

/* A project and what was opened for it. */
typedef struct entry {
	ag_project pub; /* first: what callers hold */
	struct entry *next;
	bool is_active, is_retired;
	int64_t changed_ms, seen_ms; /* of the store's row; when it was looked at (monotonic) */
	pthread_mutex_t lock;        /* opening */
	pthread_mutex_t dictionary;  /* making it: one thread */
	ag_sql_source *sql;
	ag_turns *turns;                 /* of its calls; there when `sql` is */
	_Atomic(ag_sql_source *) opened; /* the same, for those who do not wait */
} entry;

struct ag_project_hub {
	ag_project_hub_opts o;
	ag_arena *arena;      /* under lock */
	pthread_mutex_t lock; /* entries, store */
	entry *entries;
	ag_journal *journal;
	ag_limiter *limiter;
};

/* What callers hold is a view of an entry. */
static inline entry *ag_project_entry(const ag_project *p)
{
	entry *e;

	memcpy(&e, &p, sizeof(e));
	return e;
}

/* What a call has while it asks the database. */
typedef struct ag_project_place {
	ag_sql_source *source;
	ag_turn *turn; /* given with ag_turn_give() after the call */
	ag_status
		status; /* why the database cannot be opened; AG_OK with no turn: the caller's failure says why */
} ag_project_place;

/* The database of a project for one call, which waits for its turn. False: it got none, see ret->status; then *ret_failure or
 * err says why. */
bool ag_project_turn(ag_project_hub *h, const ag_ctx *ctx, const ag_project_call *call,
                     ag_arena *arena, ag_project_place *ret, ag_sql_failure *ret_failure,
                     ag_err *err);
/* The database of a project, opened on first use.
 * errors  AG_NOT_FOUND: it has none; of ag_sql_open() */
AG_CHECK ag_status ag_project_database(ag_project_hub *h, const ag_project *p, ag_sql_source **ret,
                                       ag_err *err);

/* errors  AG_INTERNAL: ag_project_begin() did not admit this call */
AG_CHECK ag_status ag_project_check_admitted(const ag_project_call *call, ag_err *err);

#endif
