/* agents -- see the header. lint: table. */
#include "app/agents.h"

#include "ask/ask.h"
#include "audit/audit.h"

static const ag_agent *const agents[] = { &ag_agent_audit, &ag_agent_ask };

const ag_agent *ag_app_agent(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(agents); i++)
		if (ag_str_eqc(name, agents[i]->name))
			return agents[i];
	return NULL;
}

bool ag_app_answers(ag_str agent)
{
	const ag_agent *a = ag_app_agent(agent);

	return a && a->result == AG_RESULT_ANSWER;
}
