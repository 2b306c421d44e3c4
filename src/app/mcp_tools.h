/* mcp_tools -- what an MCP server offers beside SQL: the auditor's tools on a project's documents, whole audits, questions
 * about a project's files; its resources and prompts. */
#ifndef AG_APP_MCP_TOOLS_H
#define AG_APP_MCP_TOOLS_H

#include "app/app.h"
#include "app/service.h"
#include "base/json.h"
#include "mcp/server.h"

typedef struct ag_app_mcp {
	ag_app *app;
	ag_project_hub *hub;
	ag_services *services;
	ag_str store_uri; /* each call opens a handle of its own */
} ag_app_mcp;

AG_CHECK ag_status ag_app_mcp_init(ag_app_mcp *m, ag_app *app, ag_project_hub *hub, ag_err *err);
void ag_app_mcp_release(ag_app_mcp *m);

/* schema_sample, run_query, get_stats, aggregate, audit_collection: of projects that have documents. */
ag_tool_set ag_app_mcp_audit_tools(ag_app_mcp *m);
/* ask_project: of projects that have a root. */
ag_tool_set ag_app_mcp_ask_tools(ag_app_mcp *m);
/* save_as_recipe, run_recipe. */
ag_tool_set ag_app_mcp_recipe_tools(ag_app_mcp *m);
/* Resources: tables as documentation, reports of audits. Prompts: how to explore, audit and ask. */
ag_mcp_provider ag_app_mcp_provider(ag_app_mcp *m);

/* The frames that draw results in hosts with MCP Apps; false: the program was built without its page. */
bool ag_app_mcp_frames(ag_mcp_provider *ret);
#define AG_APP_REPORT_FRAME "ui://argus/report"

/* For ag_server_opts.status: the member "documents". `m` is an ag_app_mcp. */
void ag_app_mcp_status(void *m, ag_jw *w);

/* --- shared by them --- */

/* Any of the caller's projects that fits? For offered(). */
bool ag_app_mcp_any(ag_app_mcp *m, const ag_caller *who, bool (*fits)(const ag_project *p));

/* --- mcp_prompts.c --- */

ag_status ag_app_mcp_prompts(void *env, ag_call *c, ag_mcp_item **ret, size_t *nret, ag_err *err);
ag_status ag_app_mcp_prompt(void *env, ag_call *c, ag_str name, const ag_val *arguments,
                            ag_buf *ret, ag_err *err);

#endif
