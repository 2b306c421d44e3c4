/* action -- AgentAction, what a model answers in a structured step: {reasoning, action, action_input, confidence}. */
#ifndef AG_AGENT_ACTION_H
#define AG_AGENT_ACTION_H

#include "agent/gate.h"

/* Its JSON schema in three forms. */
typedef enum ag_action_form {
	AG_ACTION_UNION, /* oneOf: an object per action, with the closed parameters of that action */
	AG_ACTION_OBJECT, /* one object at the top; action_input is any of the closed parameters: for servers that take
	                   * no union at the top */
	AG_ACTION_BRIEF /* action is one of the names, action_input any object: for a prompt that lists the tools */
} ag_action_form;

void ag_action_schema(const ag_tool *tools, size_t ntool, ag_action_form form, ag_buf *out);

/* text: what the model wrote, with or without prose, fences and thinking around it. One action is looked for; two different
 * ones are an error. What is nearly JSON is mended (llm/json_repair.h), so that it means the same. Calls in the shapes of
 * llm/call_read.h and llm/text_calls.h count as actions when they name one of the tools, in any case and with any prefix; a
 * call that brings no reasoning gets the words before it. ret->input is the model's own bytes where they are JSON; an
 * action_input that is a text which holds an object is taken as that object. Unknown members are errors, as the reference has
 * it; confidence may be absent (1).
 * errors  AG_PROTOCOL names the member and what is wanted */
AG_CHECK ag_status ag_action_parse(ag_str text, const ag_tool *tools, size_t ntool, ag_arena *arena,
                                   ag_proposal *ret, ag_err *err);

#endif
