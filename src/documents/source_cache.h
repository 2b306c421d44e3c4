/* source_cache -- collections that stay loaded between calls, under a memory limit.
 *
 * A handle of the cache is a share of a loaded collection: it is used and closed like any other (source.h), and the
 * collection stays loaded after the last share is closed. Before a share is given, the state of its file is compared with
 * the state at loading: a changed file is loaded again, and shares that are still open keep what they have. Callers who want
 * the same collection at the same time share one load.
 *
 * The limit counts all loaded collections. The one that was used longest ago is dropped first; one that has a share is never
 * dropped, so calls under way can hold more than the limit, but never more than they would without a cache.
 *
 * Thread safe. Only sources whose type reports a state are kept; others are opened for each call. */
#ifndef AG_DOCUMENTS_SOURCE_CACHE_H
#define AG_DOCUMENTS_SOURCE_CACHE_H

#include "documents/source.h"

typedef struct ag_source_cache ag_source_cache;

typedef struct ag_source_cache_stats {
	size_t nheld;                        /* collections in memory */
	uint64_t nbyte;                      /* of memory that they take */
	uint64_t max_bytes;                  /* the limit; 0 = nothing is kept */
	uint64_t nload, nhit, ndrop, nstale; /* so far; nstale: loaded again after a change */
} ag_source_cache_stats;

/* max_bytes 0: nothing is kept. */
ag_source_cache *ag_source_cache_new(const ag_clock *clock, uint64_t max_bytes);
/* No share may be open any more. Accepts NULL, returns NULL. */
ag_source_cache *ag_source_cache_free(ag_source_cache *c);

/* As ag_source_open_place(); the handle is closed with ag_source_close(). A call that waits for the load of another ends
 * with its own deadline or cancel flag.
 * errors  of ag_source_open_place() */
AG_CHECK ag_status ag_source_cache_open(ag_source_cache *c, const ag_ctx *ctx,
                                        const ag_source_place *place, const ag_source_opts *opts,
                                        ag_source **ret, ag_err *err);
void ag_source_cache_stats_of(ag_source_cache *c, ag_source_cache_stats *ret);

#endif
