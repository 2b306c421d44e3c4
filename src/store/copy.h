/* copy -- a store into another one, between any two databases.
 *
 * Everything is copied but the index of files, which is a cache that the next question makes again. The source is read as it
 * was at one moment and is not changed. A copy that ended early goes on where it was when it is begun again; what the target
 * has already is compared (logs, audit table) or replaced (the rest). */
#ifndef AG_STORE_COPY_H
#define AG_STORE_COPY_H

#include "run/ctx.h"
#include "store/store.h"

typedef struct ag_store_copied {
	uint64_t nrun;   /* runs of the source */
	uint64_t nevent; /* written now, without those that were there */
	uint64_t nfinding, nreport, nledger;
	uint64_t nother; /* projects, members, tokens, leases, limits, texts */
} ag_store_copied;

/* errors  AG_CONFLICT: the target has another log under a run's id, or an audit table of its own; AG_CANCELLED: by ctx, which
 *         may be NULL; those of reading and writing. What was written by then stays, and is whole. */
AG_CHECK ag_status ag_store_copy(ag_store *from, ag_store *to, const ag_ctx *ctx,
                                 ag_store_copied *ret, ag_err *err);

#endif
