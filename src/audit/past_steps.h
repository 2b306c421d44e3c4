/* past_steps -- the steps of earlier sittings, for a planner that goes through its steps again after a resume. */
#ifndef AG_AUDIT_PAST_STEPS_H
#define AG_AUDIT_PAST_STEPS_H

#include "audit/state.h"

typedef struct ag_past_step {
	uint64_t hash; /* of action and input */
	bool is_taken;
} ag_past_step;

typedef struct ag_past_steps {
	ag_past_step *items; /* by hash; the same step may stand there more than once */
	size_t n, ntaken;
} ag_past_steps;

/* What the state holds now: nothing when a run begins. Lives in arena. */
void ag_past_steps_init(ag_past_steps *p, const ag_audit_state *s, ag_arena *arena);
/* Does this proposal stand in the log? Each step there answers for one proposal. arena is for scratch. */
bool ag_past_steps_take(ag_past_steps *p, const ag_proposal *step, ag_arena *arena);

#endif
