/* What the tools of the other files share: which projects fit; and the state of the documents that stay loaded. */
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

/* "documents":{"collections":2,"bytes":73400320,"limit_bytes":536870912,"hits":14,"loads":3,"dropped":0,"changed":1} */
void ag_app_mcp_status(void *m, ag_jw *w)
{
	ag_source_cache_stats s;

	ag_source_cache_stats_of(ag_services_documents(((ag_app_mcp *)m)->services), &s);
	ag_jw_kkey(w, "documents");
	ag_jw_obj(w);
	ag_jw_kuint(w, "collections", s.nheld);
	ag_jw_kuint(w, "bytes", s.nbyte);
	ag_jw_kuint(w, "limit_bytes", s.max_bytes);
	ag_jw_kuint(w, "hits", s.nhit);
	ag_jw_kuint(w, "loads", s.nload);
	ag_jw_kuint(w, "dropped", s.ndrop);
	ag_jw_kuint(w, "changed", s.nstale);
	ag_jw_obj_end(w);
}
