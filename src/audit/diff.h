/* diff -- what changed since the previous run. A pure function of two lists and the re-check.
 *
 * new: in the current run only. resolved: in the previous only, re-checked and gone. still_present: in the previous only,
 * but its evidence still finds documents (the run did not get to it). not_checked: in the previous only, no
 * re-check. regressed_fields: sorted unique fields whose severity rose or whose share grew by more than the factor 1.5. */
#ifndef AG_AUDIT_DIFF_H
#define AG_AUDIT_DIFF_H

#include "audit/history.h"

#define AG_REGRESSION_FACTOR 1.5

typedef struct ag_diff {
	const ag_finding **added; /* of the current run, as given */
	size_t nadded;
	const ag_recheck **resolved, **still_present, **not_checked;
	size_t nresolved, nstill_present, nnot_checked;
	ag_str *regressed_fields;
	size_t nregressed;
} ag_diff;

/* `previous` as in ag_history.rechecks; pairs are matched by key. Lists in arena; nothing is changed. */
void ag_diff_make(const ag_finding *current, size_t ncurrent, const ag_recheck *previous,
                  size_t nprevious, ag_arena *arena, ag_diff *ret);

#endif
