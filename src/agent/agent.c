/* agent -- what is read from an agent's row. */
#include "agent/agent.h"

const ag_planner_kind *ag_agent_planner(const ag_agent *a, ag_str name)
{
	for (size_t i = 0; i < a->nplanner; i++)
		if (ag_str_eqc(name, a->planners[i].name))
			return &a->planners[i];
	return NULL;
}

ag_budget ag_agent_budget(const ag_agent *a, const ag_budget *wanted)
{
	ag_budget ret = *wanted;

	if (!ret.iterations)
		ret.iterations = a->budget.iterations;
	if (!ret.calls)
		ret.calls = a->budget.calls;
	if (ret.seconds <= 0)
		ret.seconds = a->budget.seconds;
	return ret;
}
