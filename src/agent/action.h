/* action -- AgentAction, what a model answers in a structured step: {reasoning, action, action_input, confidence}. */
#ifndef AG_AGENT_ACTION_H
#define AG_AGENT_ACTION_H

#include "agent/gate.h"

/* Its JSON schema; action is an enum of the tools' names, action_input an object. */
void ag_action_schema(const ag_tool *tools, size_t ntool, ag_buf *out);

/* One AgentAction out of text that is, or holds, one JSON object. ret->input keeps the bytes of action_input as they
 * were written (numbers and key order reach the query reader untouched); an action_input that is a text which holds an
 * object is taken as that object. Unknown members are errors, as the reference has it; confidence may be absent (1) .
 * errors  AG_PROTOCOL names the member and what is wanted */
AG_CHECK ag_status ag_action_parse(ag_str text, ag_arena *arena, ag_proposal *ret, ag_err *err);

#endif
