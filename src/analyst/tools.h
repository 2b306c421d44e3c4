/* tools -- the tools over a project's database: query, execute_sql, explain_query, list_tables, describe_table,
 * get_metadata. They need no environment of their own: the call brings project, caller and limits. */
#ifndef AG_ANALYST_TOOLS_H
#define AG_ANALYST_TOOLS_H

#include "agent/tool.h"

extern const ag_tool_set ag_analyst_tools;

#endif
