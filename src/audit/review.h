/* review -- a person's word on a finding: true or false positive, and the decision on one that waits.
 *
 * A word is one `review` event at the end of the run's log, also behind its end. The finding's row and the stored report
 * change in the same commit; the report is rebuilt from the log, so nothing else in it can. Who writes a word holds the
 * run's lease: words of several processes follow each other, and a run that is written takes none. A run that was
 * taken over from another system (audit/seed.h) has no log: only its row and its report change. */
#ifndef AG_AUDIT_REVIEW_H
#define AG_AUDIT_REVIEW_H

#include "audit/finding.h"
#include "run/ctx.h"
#include "store/store.h"

#define AG_REVIEW_MAX_BY     200  /* bytes of a name */
#define AG_REVIEW_MAX_REASON 2000 /* bytes of a reason */

typedef struct ag_review {
	ag_str label;  /* tp, fp; "" takes the label back */
	bool decides;  /* it waits for a person: tp publishes it, fp drops it */
	ag_str by;     /* who says it, "" = unknown */
	ag_str reason; /* why, "" = none was given */
} ag_review;

/* The finding that `name` means: its id, the beginning of one (4 characters) that fits one finding of the run only, a
 * field ("address.zip"), or field and category ("age/outlier", "/duplicates" of whole documents). In arena.
 * errors  AG_NOT_FOUND; AG_INVALID when it fits several: names two */
AG_CHECK ag_status ag_review_find(ag_store *store, const ag_run_row *run, ag_str name,
                                  ag_arena *arena, ag_finding_row *ret, ag_err *err);

/* Write the word. *ret is the finding's row as it is now, in arena.
 * errors  AG_CONFLICT: the run is being written, or `decides` and the finding does not wait; AG_NOT_FOUND: the run has
 *         no such finding. Then nothing was written. */
AG_CHECK ag_status ag_review_write(const ag_ctx *ctx, ag_store *store, const ag_id *run,
                                   const ag_id *finding, const ag_review *word, ag_arena *arena,
                                   ag_finding_row *ret, ag_err *err);

/* What a word, given at that time, makes of a finding; decision: published, dropped, "". True when it is dropped. */
bool ag_review_apply(ag_finding *f, const ag_review *word, ag_str decision, int64_t at_ms,
                     ag_arena *arena);

#endif
