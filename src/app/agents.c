/* agents -- see the header. lint: table. */
#include "app/agents.h"

#include "ask/ask.h"
#include "audit/audit.h"

const ag_agent *const ag_app_agents[] = { &ag_agent_audit, &ag_agent_ask };
const size_t ag_app_nagent = AG_NELEM(ag_app_agents);

const ag_agent *ag_app_agent(ag_str name)
{
	for (size_t i = 0; i < ag_app_nagent; i++)
		if (ag_str_eqc(name, ag_app_agents[i]->name))
			return ag_app_agents[i];
	return NULL;
}

bool ag_app_answers(ag_str agent)
{
	const ag_agent *a = ag_app_agent(agent);

	return a && a->result == AG_RESULT_ANSWER;
}
