/* agents -- the table of all agents, for what shows or lists runs of any of them. */
#ifndef AG_APP_AGENTS_H
#define AG_APP_AGENTS_H

#include "agent/agent.h"

/* The agent that a run names; NULL = it is of a newer Argus. */
const ag_agent *ag_app_agent(ag_str name);
/* Does a run of this agent leave words, and not findings? */
bool ag_app_answers(ag_str agent);

#endif
