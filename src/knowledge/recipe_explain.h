/* recipe_explain -- what guard and database say of the fixed statements of a recipe. */
#ifndef AG_KNOWLEDGE_RECIPE_EXPLAIN_H
#define AG_KNOWLEDGE_RECIPE_EXPLAIN_H

#include "knowledge/object.h"
#include "project/project.h"

/* Within an admitted call. *ret_why: "" = all may run, else why step *ret_step (from 1) may not. In arena. */
AG_CHECK ag_status ag_recipe_explain(ag_project_hub *hub, const ag_ctx *ctx, ag_project_call *call,
                                     const ag_know *recipe, ag_arena *arena, size_t *ret_step,
                                     ag_str *ret_why, ag_err *err);

#endif
