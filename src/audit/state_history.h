/* state_history -- what the events `history` and `review` change in the state. Called by state_apply.c only. */
#ifndef AG_AUDIT_STATE_HISTORY_H
#define AG_AUDIT_STATE_HISTORY_H

#include "audit/state.h"

/* payload: parsed, in the state's arena. The first history of a log counts. */
AG_CHECK ag_status ag_audit_apply_history(ag_audit_state *s, const ag_val *payload, ag_err *err);
/* A label, and what a reviewer decided of a finding that waited. It may stand behind run_finished. A word on a finding
 * that is not there says nothing. */
void ag_audit_apply_review(ag_audit_state *s, const ag_val *payload);

#endif
