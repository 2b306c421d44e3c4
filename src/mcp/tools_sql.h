/* tools_sql -- the tools over a project's database: query, execute_sql, explain_query, list_tables, describe_table,
 * get_metadata. Their env is an ag_mcp_sql. */
#ifndef AG_MCP_TOOLS_SQL_H
#define AG_MCP_TOOLS_SQL_H

#include "mcp/server.h"

typedef struct ag_mcp_sql {
	ag_project_hub *hub;
} ag_mcp_sql;

extern const ag_mcp_tool ag_mcp_sql_tools[];
extern const size_t ag_mcp_sql_ntool;

/* offered() of the table: callers with the scope "sql". */
bool ag_mcp_sql_offered(void *env, const ag_caller *who, const ag_mcp_tool *t);

/* --- envelope.c: the answer of every tool of a project (reference analyst.md 3.3) --- */

/* {"success":true,"data":{ … and leaves data open. */
void ag_mcp_envelope(ag_jw *w);
/* … }, "project_id", "schema" (unless ""), "warnings" (unless none), "timing_ms"} */
void ag_mcp_envelope_end(ag_jw *w, const ag_project *p, ag_str warning, int64_t began_mono_ms,
                         const ag_clock *clock);
/* The same where data is closed already. */
void ag_mcp_envelope_tail(ag_jw *w, const ag_project *p, ag_str warning, int64_t began_mono_ms,
                          const ag_clock *clock);
/* {"success":false,"error":{"code","message","detail"…}}; sets is_error. sql: "" = none was sent. */
void ag_mcp_envelope_error(ag_mcp_result *ret, const ag_sql_failure *f, ag_str sql);

/* The project that `project_id` of the input means, as a call. False: *ret_failure says why not. */
bool ag_mcp_project_call(ag_mcp_call *c, ag_project_hub *hub, const char *tool, const ag_val *input,
                         ag_project_call *ret, ag_sql_failure *ret_failure);
/* The shared output schema of tools that answer with an envelope whose data has no fixed form. */
extern const char ag_mcp_envelope_schema[];

#endif
