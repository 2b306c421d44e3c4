/* tools -- a project's knowledge for a model: search_knowledge, save_learning. */
#ifndef AG_KNOWLEDGE_TOOLS_H
#define AG_KNOWLEDGE_TOOLS_H

#include "agent/tool.h"

#define AG_KNOW_TOOL_SEARCH "search_knowledge"
#define AG_KNOW_TOOL_LEARN  "save_learning"

/* For clients of the MCP server: the project is a parameter. */
extern const ag_tool_set ag_know_tools;
/* For the agent: the project is the conversation's. */
extern const ag_tool_set ag_know_agent_tools;

#endif
