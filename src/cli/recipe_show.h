/* recipe_show -- recipes and their runs on the terminal, and a run while it is under way. */
#ifndef AG_CLI_RECIPE_SHOW_H
#define AG_CLI_RECIPE_SHOW_H

#include "analyst/recipe.h"
#include "cli/cli.h"

/* A recipe, with its variables and steps. */
void ag_recipe_show(const ag_know *recipe, ag_arena *arena, ag_paint *p);
/* A line of a list. */
void ag_recipe_show_line(const ag_know *recipe, ag_paint *p);
void ag_recipe_show_run(const ag_recipe_run *r, ag_arena *arena, ag_paint *p);
void ag_recipe_show_run_line(const ag_recipe_run *r, ag_arena *arena, ag_paint *p);

/* ag_recipe_opts.on_step: prints a step's question when it begins, its answer when it ends. arg: an ag_cli. */
void ag_recipe_show_step(void *arg, const ag_recipe_run *r, size_t step);

#endif
