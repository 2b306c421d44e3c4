/* What the tools of the next files share: which projects fit. */
#include "app/mcp_tools.h"

ag_status ag_app_mcp_init(ag_app_mcp *m, ag_app *app, ag_project_hub *hub, ag_err *err)
{
	*m = (ag_app_mcp){ .app = app, .hub = hub, .services = ag_services_new(app) };
	return ag_app_store_uri(app, &m->store_uri, err);
}

void ag_app_mcp_release(ag_app_mcp *m)
{
	m->services = ag_services_free(m->services);
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
