/* recipe_tool -- save_as_recipe, for a model. */
#ifndef AG_KNOWLEDGE_RECIPE_TOOL_H
#define AG_KNOWLEDGE_RECIPE_TOOL_H

#include "agent/tool.h"

#define AG_RECIPE_TOOL_SAVE "save_as_recipe"

/* For clients of the MCP server: the project is a parameter. */
extern const ag_tool_set ag_recipe_save_tools;
/* For the agent: the project is the conversation's. */
extern const ag_tool_set ag_recipe_save_agent_tools;

#endif
