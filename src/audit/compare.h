/* compare -- two runs of the auditor side by side: what is new, gone, worse, better.
 *
 * "Gone" alone says only that the newer run did not report it. Whether it is resolved is known when that run checked it
 * again (its report's resolved_findings and still_present); else the state says so. */
#ifndef AG_AUDIT_COMPARE_H
#define AG_AUDIT_COMPARE_H

#include "base/json.h"
#include "store/store.h"

typedef struct ag_compared {
	const ag_finding_row *was, *now; /* NULL = not there */
	const char *state; /* of what is gone: resolved, still_present, not_checked; else "" */
} ag_compared;

/* Each list has the worst first. */
typedef struct ag_comparison {
	ag_run_row a, b; /* the older and the newer run */
	ag_compared *added, *gone, *worse, *better, *same;
	size_t nadded, ngone, nworse, nbetter, nsame;
} ag_comparison;

/* The newest finished run of the same source before `run`.
 * errors  AG_NOT_FOUND: there is no such run */
AG_CHECK ag_status ag_compare_previous(ag_store *store, const ag_run_row *run, ag_arena *arena,
                                       ag_run_row *ret, ag_err *err);
/* Fills the lists from the findings of d->a and d->b; in arena. */
AG_CHECK ag_status ag_compare_runs(ag_store *store, ag_arena *arena, ag_comparison *d, ag_err *err);
/* Members "new", "gone", "regressed", "improved", "same": [{"field","category","state","was","now"}], and "unchanged": how many
 * are the same. */
void ag_compare_json(const ag_comparison *d, ag_jw *w);

#endif
