/* agents -- the table of all agents, for what shows or lists runs of any of them. */
#ifndef AG_APP_AGENTS_H
#define AG_APP_AGENTS_H

#include "agent/agent.h"
#include "agent/tool.h"

/* The agent that a run names; NULL = it is of a newer Argus. */
const ag_agent *ag_app_agent(ag_str name);
/* The parameters of a tool that runs this agent: `own`, and one for each of its settings that is in_call. In arena. */
const ag_param *ag_app_call_params(const ag_agent *a, const ag_param *own, size_t n,
                                   ag_arena *arena, size_t *ret_n);
/* What an input gives of these, into the agent's options, which hold the values of the settings. */
void ag_app_call_options(const ag_agent *a, const ag_val *input, void *options);

/* Does a run of this agent leave words, and not findings? */
bool ag_app_answers(ag_str agent);

#endif
