/* fixed -- a planner without a model: runs one statement, and its answer is the result as a table. */
#ifndef AG_ANALYST_FIXED_H
#define AG_ANALYST_FIXED_H

#include "agent/agent.h"
#include "analyst/state.h"

#define AG_ANALYST_FIXED_ROWS 20u /* of a result that are in the answer */

/* state: of the turn. Lives in arena, as do its texts. */
ag_planner *ag_analyst_fixed_new(const ag_analyst_state *state, ag_str sql, ag_arena *arena);

#endif
