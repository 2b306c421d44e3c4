/* baselines -- the run of a source that a person chose for others to be compared with. One for each source; a purge of the run
 * removes it. */
#ifndef AG_STORE_BASELINES_H
#define AG_STORE_BASELINES_H

#include "store/store.h"

typedef struct ag_baseline_row {
	ag_str source_key;
	ag_id run; /* of that source */
	ag_str user;
	int64_t set_ms;
} ag_baseline_row;

/* Sets it, or replaces the one that the source has.
 * errors  AG_INVALID, AG_LIMIT: names the text */
AG_CHECK ag_status ag_store_put_baseline(ag_store *s, const ag_baseline_row *row, ag_err *err);
/* Removes it when it is that run. What is not there is no failure. */
AG_CHECK ag_status ag_store_drop_baseline(ag_store *s, const ag_id *run, ag_err *err);
/* *found false: the source has none. Texts in arena. */
AG_CHECK ag_status ag_store_baseline(ag_store *s, ag_str source_key, ag_arena *arena,
                                     ag_baseline_row *ret, bool *found, ag_err *err);

#endif
