/* proof -- the run gate of a conversation: each figure of an answer has a cell of a result, or a computation.
 *
 * An answer with a figure that has none is sent back once, with what is missing; the corrected one is a further reply of the
 * same turn. What then still has no source is let through, and named. The check itself is figures.h. */
#ifndef AG_ANALYST_PROOF_H
#define AG_ANALYST_PROOF_H

#include "agent/gate.h"
#include "analyst/figures.h"
#include "analyst/state.h"

typedef struct ag_analyst_proof {
	ag_evaluator gate; /* of the loop; self is this struct */
	const ag_analyst_state *state;
	const ag_analyst_state *const *earlier; /* turns before it, oldest first */
	size_t nearlier;
	struct ag_analyst_checked
		*checked; /* the last text and its figures; in the state's arena */
} ag_analyst_proof;

void ag_analyst_proof_init(ag_analyst_proof *p, const ag_analyst_state *state,
                           const ag_analyst_state *const *earlier, size_t nearlier);

/* The figures of this text, which the turn's state, the turns before it and its computations prove; in the state's arena.
 * errors  AG_LIMIT: of ag_figures_check() */
AG_CHECK ag_status ag_analyst_figures(const ag_analyst_proof *p, ag_str prose,
                                      ag_figures_input *ret_input, ag_figures *ret, ag_err *err);

/* The tool "compute" of models: a computation over cells of results. env of its function: an ag_analyst_proof. */
extern const ag_tool ag_analyst_compute;
#define AG_ANALYST_COMPUTE "compute"

#endif
