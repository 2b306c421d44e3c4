/* agents -- see the header. lint: table. */
#include "app/agents.h"

#include "analyst/analyst.h"
#include "ask/ask.h"
#include "audit/audit.h"

static const ag_agent *const agents[] = { &ag_agent_audit, &ag_agent_ask, &ag_agent_analyst };

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

	return a && a->result != AG_RESULT_REPORT;
}

/* --- options of a call --- */

const ag_param *ag_app_call_params(const ag_agent *a, const ag_param *own, size_t n,
                                   ag_arena *arena, size_t *ret_n)
{
	const ag_setting *row;
	ag_param *ret;
	size_t room = n;

	for (row = a->settings; row->key; row++)
		room += row->in_call;
	ret = ag_new_n(arena, ag_param, room);
	memcpy(ret, own, n * sizeof(*own));
	for (row = a->settings; row->key; row++) {
		if (row->in_call)
			ret[n++] = (ag_param){ .name = row->flag,
				               .type = AG_PARAM_BOOL,
				               .is_lenient = true,
				               .help = row->flag_help };
	}
	*ret_n = n;
	return ret;
}

void ag_app_call_options(const ag_agent *a, const ag_val *input, void *options)
{
	for (const ag_setting *row = a->settings; row->key; row++) {
		bool *field = (bool *)((char *)options + row->offset);

		if (row->in_call)
			*field = ag_tool_bool(input, row->flag, *field);
	}
}
