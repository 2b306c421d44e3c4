/* recipe_tool -- run_recipe, for a model in a conversation. */
#ifndef AG_ANALYST_RECIPE_TOOL_H
#define AG_ANALYST_RECIPE_TOOL_H

#include "agent/tool.h"
#include "analyst/recipe.h"
#include "knowledge/recipe_tool.h"

#define AG_RECIPE_TOOL_RUN "run_recipe"

/* env: the ag_analyst_opts of the turn that calls it. */
extern const ag_tool_set ag_recipe_run_agent_tools;
/* The parameters of a client of MCP, with the project. */
extern const ag_tool ag_recipe_run_row;

/* What both do: finds the recipe, runs it, writes the result. o: of the caller. */
AG_CHECK ag_status ag_recipe_call(ag_call *c, const ag_recipe_opts *o, const ag_val *input,
                                  ag_tool_output *out, ag_err *err);

#endif
