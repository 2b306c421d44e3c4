/* tools -- the tools over a project's database: query, execute_sql, explain_query, list_tables, describe_table,
 * get_metadata. They need no environment of their own: the call brings project, caller and limits. */
#ifndef AG_ANALYST_TOOLS_H
#define AG_ANALYST_TOOLS_H

#include "agent/tool.h"

extern const ag_tool_set ag_analyst_tools;
/* Those of the analyst's conversations: execute_sql, describe_table. The project is that of the conversation. */
extern const ag_tool_set ag_analyst_agent_tools;

#endif
