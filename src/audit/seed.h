/* seed -- a report of the system that came before Argus, as a run of the store: its findings, labels, dismissals, and a
 * report that `argus show`, `history`, `diff` and `review` read.
 *
 * Such a run has no log, so it cannot be resumed or replayed. Its ids follow from those of the older report, so taking it
 * over again replaces it; labels that people gave in Argus since are newer and stay. */
#ifndef AG_AUDIT_SEED_H
#define AG_AUDIT_SEED_H

#include "store/seed.h"
#include "store/store.h"

typedef struct ag_seed_taken {
	uint64_t nreport, nfinding, ndismissed, nlabel;
} ag_seed_taken;

/* Adds to *ret. Values of personal fields are masked unless show_values.
 * errors  AG_INVALID: the row is not what that system wrote; those of the store */
AG_CHECK ag_status ag_seed_take(ag_store *store, const ag_seed_report *r, bool show_values,
                                ag_seed_taken *ret, ag_err *err);

#endif
