/* sql_parts -- the handle of sql/sql.h and its catalog snapshot; private to sql/sql*.c. */
#ifndef AG_SQL_SQL_PARTS_H
#define AG_SQL_SQL_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "run/breaker.h"
#include "sql/sql_engine.h"

/* A snapshot is older than this: it is fetched again before the next statement. */
#define AG_SQL_CATALOG_AGE_MS 15000
/* A refusal for something unknown fetches it again, but no flood of such statements may flood the database. */
#define AG_SQL_CATALOG_RENEW_MS 1000

/* A longer one (hundreds of transactions under way) is not kept: then the state is compared each time. */
#define AG_SQL_MOMENT_BYTES 2048

/* Shared by the statements that were judged by it; never changes. */
typedef struct ag_sql_snapshot {
	atomic_uint nref;
	ag_arena *arena;
	ag_sql_catalog catalog;
	int64_t taken_ms; /* monotonic */
	/* Under keep.lock: the last moment of the database at which the snapshot was known to hold, "" = none. is_moving: the
	 * database is being written to, so moments pass and its state is compared at once. */
	char moment[AG_SQL_MOMENT_BYTES];
	size_t nmoment;
	bool is_moving;
} ag_sql_snapshot;

typedef struct ag_sql_keep {
	pthread_mutex_t lock;  /* of `now`, `is_forgotten` */
	pthread_mutex_t fetch; /* held by who asks the database */
	ag_sql_snapshot *now;  /* NULL = none yet */
	bool is_forgotten;
	uint64_t nfetch;
} ag_sql_keep;

struct ag_sql_source {
	const ag_sql_engine *engine;
	ag_sql_impl *impl;
	ag_arena *arena;
	ag_sql_opts opts;
	ag_breaker breaker;
	ag_sql_cache *cache;
	ag_sql_keep keep;
	atomic_uint_fast64_t nquery, nfailed;
};

/* --- sql_catalog_keep.c --- */

void ag_sql_keep_init(ag_sql_keep *k);
void ag_sql_keep_release(ag_sql_keep *k);
void ag_sql_keep_forget(ag_sql_source *s);
/* A snapshot to be given back with ag_sql_keep_put(). is_new: one that was fetched after this call began. NULL with
 * ret_failure->code when the database did not give one. */
AG_CHECK ag_status ag_sql_keep_get(ag_sql_source *s, const ag_ctx *ctx, int64_t now_ms, bool is_new,
                                   ag_sql_snapshot **ret, ag_arena *arena,
                                   ag_sql_failure *ret_failure, ag_err *err);
void ag_sql_keep_put(ag_sql_source *s, ag_sql_snapshot *snapshot); /* accepts NULL */
/* The moment to ask about: "" = compare the state. In arena. */
ag_str ag_sql_keep_moment(ag_sql_source *s, ag_sql_snapshot *snapshot, ag_arena *arena);
/* The snapshot held at this moment; "" = another moment has come, so it must be found out again. */
void ag_sql_keep_held(ag_sql_source *s, ag_sql_snapshot *snapshot, ag_str moment);
/* It no longer holds: the next ag_sql_keep_get() fetches another, unless somebody has. */
void ag_sql_keep_outdated(ag_sql_source *s, const ag_sql_snapshot *snapshot);
bool ag_sql_keep_may_renew(ag_sql_source *s, const ag_sql_snapshot *snapshot, int64_t now_ms);

#endif
