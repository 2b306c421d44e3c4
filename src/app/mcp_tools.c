/* What the tools of the next files share: which projects fit, whether a call is admitted, how a failure is reported. */
#include "app/mcp_tools.h"

#include "mcp/tools_sql.h"

ag_status ag_app_mcp_init(ag_app_mcp *m, ag_app *app, ag_project_hub *hub, ag_err *err)
{
	*m = (ag_app_mcp){ .app = app, .hub = hub };
	pthread_mutex_init(&m->asks, NULL);
	return ag_app_store_uri(app, &m->store_uri, err);
}

void ag_app_mcp_release(ag_app_mcp *m)
{
	pthread_mutex_destroy(&m->asks);
}

bool ag_app_mcp_any(ag_app_mcp *m, const ag_caller *who, bool (*fits)(const ag_project *p))
{
	ag_arena *arena = ag_arena_new();
	const ag_project **list;
	size_t n = 0;
	bool any = false;

	if (!ag_project_list(m->hub, who, arena, &list, &n, NULL)) {
		for (size_t i = 0; i < n && !any; i++)
			any = fits(list[i]);
	}
	ag_arena_free(arena);
	return any;
}

void ag_app_mcp_end(ag_app_mcp *m, ag_mcp_call *c, ag_project_call *call, ag_str arguments,
                    int64_t began_ms, const char *outcome, uint64_t nbyte, ag_mcp_result *ret)
{
	ag_sql_failure f;

	if (ag_project_record(m->hub, call, arguments, began_ms, outcome, nbyte, c->arena, &f))
		return;
	ag_buf_release(&ret->structured);
	ag_buf_release(&ret->content);
	ag_mcp_envelope_error(ret, &f, AG_S(""));
}

const char *ag_app_mcp_fail(ag_mcp_call *c, const ag_err *e, ag_mcp_result *ret)
{
	ag_sql_failure f;

	ag_sql_failure_of_err(e, c->arena, &f);
	ag_mcp_envelope_error(ret, &f, AG_S(""));
	return ag_sql_code_name(f.code);
}

bool ag_app_mcp_admit(ag_app_mcp *m, ag_mcp_call *c, const char *tool, const ag_val *input,
                      ag_role least, const char *scope, ag_project_call *ret_call,
                      ag_mcp_result *ret)
{
	ag_sql_failure f = { 0 };

	if (ag_mcp_project_call(c, m->hub, tool, input, ret_call, &f)) {
		ag_err err = { 0 };

		if (ag_project_admit(m->hub, ret_call, least, scope, c->arena, &f, &err))
			ag_sql_failure_of_err(&err, c->arena, &f);
	}
	if (f.code)
		ag_mcp_envelope_error(ret, &f, AG_S(""));
	return !f.code;
}
