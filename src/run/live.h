/* live -- the runs that are under way in this process, so that one of them can be cancelled by its id.
 *
 * One object per process or server, owned by whoever starts runs; the loop enters and leaves. Thread safe. */
#ifndef AG_RUN_LIVE_H
#define AG_RUN_LIVE_H

#include <stdatomic.h>

#include "base/str.h"
#include "run/id.h"

typedef struct ag_live ag_live;

/* A run under way, in the memory of its thread from enter to leave. */
typedef struct ag_live_run {
	struct ag_live_run *next, **prev;
	ag_id id;
	atomic_bool cancel; /* for ag_ctx.cancel_run */
} ag_live_run;

ag_live *ag_live_new(void);
/* No run may be under way. Accepts NULL, returns NULL. */
ag_live *ag_live_free(ag_live *l);
/* live NULL: the run cannot be found by others; it can still be entered and left. */
void ag_live_enter(ag_live *live, ag_live_run *run, const ag_id *id);
void ag_live_leave(ag_live *live, ag_live_run *run);
/* Cancels the run of this id. False: no such run is under way here. */
bool ag_live_cancel(ag_live *live, ag_str id);
/* Cancels all of them. Returns how many there are. */
size_t ag_live_cancel_all(ag_live *live);

#endif
