/* Descriptions of the routes by which people manage a project and the server: runs of recipes. */
#include "knowledge/recipe.h"
#include "server/route_doc.h"
#include "store/identity.h"

static const char *const run_states[] = { "pending", "running",   "completed",
	                                  "failed",  "cancelled", NULL };

/* --- shapes --- */

static const ag_doc_field recipe_run_row[] = {
	{ "run", "string", "its id", NULL, false },
	{ "recipe", "string", "its name when the run began", NULL, false },
	{ "thread", "string", "of the conversation that the steps are", NULL, false },
	{ "user", "string", NULL, NULL, false },
	{ "status", "string", "running: it is under way, or was cut off and can go on", run_states,
	  false },
	{ "error", "string", "why it failed or was stopped; \"\" = nothing did", NULL, false },
	{ "started_at", "time", NULL, NULL, false },
	{ "ended_at", "time?", NULL, NULL, false },
	{ "duration_ms", "integer", NULL, NULL, true },
	{ "values", "object", "a text for each variable", NULL, false },
};

static const ag_doc_field recipe_run[] = {
	{ "run", "string", "its id", NULL, false },
	{ "recipe", "string", "its name when the run began", NULL, false },
	{ "thread", "string", "of the conversation that the steps are", NULL, false },
	{ "user", "string", NULL, NULL, false },
	{ "status", "string", "running: it is under way, or was cut off and can go on", run_states,
	  false },
	{ "error", "string", "why it failed or was stopped; \"\" = nothing did", NULL, false },
	{ "started_at", "time", NULL, NULL, false },
	{ "ended_at", "time?", NULL, NULL, false },
	{ "duration_ms", "integer", NULL, NULL, true },
	{ "values", "object", "a text for each variable", NULL, false },
	{ "steps", "[RecipeStepRun]", NULL, NULL, false },
};

static const ag_doc_field recipe_step_run[] = {
	{ "step_order", "integer", "from 1", NULL, false },
	{ "prompt", "string", "the question, with the values", NULL, false },
	{ "sql", "string", "the statement, with the values; \"\" = a model answers", NULL, false },
	{ "status", "string", NULL, run_states, false },
	{ "turn", "string", "id of its turn; \"\" = it has not begun", NULL, false },
	{ "response", "string", "the answer", NULL, false },
	{ "tools_used", "[string]", NULL, NULL, false },
	{ "artifacts_created", "[string]", "their ids", NULL, false },
	{ "success", "boolean", NULL, NULL, false },
	{ "error", "string", NULL, NULL, false },
	{ "warning", "string", "the tool that was expected was not called", NULL, false },
	{ "started_at", "time?", NULL, NULL, false },
	{ "completed_at", "time?", NULL, NULL, false },
};

static const ag_doc_field recipe_run_list[] = {
	{ "runs", "[RecipeRunRow]", "newest first", NULL, false },
	AG_DOC_NEXT,
};

const ag_doc_shape ag_doc_manage_shapes[] = {
	{ "RecipeRunRow", "A run of a recipe without its steps.", recipe_run_row,
	  AG_NELEM(recipe_run_row), false },
	{ "RecipeStepRun", "A step of a run.", recipe_step_run, AG_NELEM(recipe_step_run), false },
	{ "RecipeRun", "A run of a recipe.", recipe_run, AG_NELEM(recipe_run), false },
	{ "RecipeRunList", NULL, recipe_run_list, AG_NELEM(recipe_run_list), false },
	{ NULL, NULL, NULL, 0, false },
};

#define AT_PROJECT                                                                 \
	{                                                                          \
		.name = "project", .type = AG_PARAM_STRING, .required = true,      \
		.help = "id of the project", .min = 1, .max = AG_IDENTITY_MAX_NAME \
	}

/* --- runs of recipes --- */

static const ag_param at_run[] = {
	AT_PROJECT,
	{ .name = "run",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "id of the run, or the beginning of one" },
};

static const ag_param runs_query[] = {
	{ .name = "recipe", .type = AG_PARAM_STRING, .help = "only runs of this recipe" },
};

const ag_route_doc ag_doc_list_recipe_runs = {
	.name = "listRecipeRuns",
	.tag = "recipes",
	.summary = "Runs of recipes, newest first",
	.help = "Admins see all runs of the project, others their own.",
	.at = at_run,
	.nat = 1,
	.query = runs_query,
	.nquery = AG_NELEM(runs_query),
	.gives = "RecipeRunList",
	.is_list = true,
};

static const ag_param run_body[] = {
	{ .name = "recipe",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "name or id of the recipe",
	  .min = 1,
	  .max = 800 },
	{ .name = "values",
	  .type = AG_PARAM_OBJECT,
	  .help = "a text, number or boolean for each variable; those with a default may be left out" },
};

const ag_route_doc ag_doc_run_recipe = {
	.name = "runRecipe",
	.tag = "recipes",
	.summary = "Run a recipe with these values",
	.help = "The run goes on after the answer: ask for it until its status is no longer pending or running. It counts as one "
		"question of the user.",
	.at = at_run,
	.nat = 1,
	.body = run_body,
	.nbody = AG_NELEM(run_body),
	.status = 202,
	.gives = "RecipeRun",
};

const ag_route_doc ag_doc_get_recipe_run = {
	.name = "getRecipeRun",
	.tag = "recipes",
	.summary = "A run with its steps and their answers",
	.at = at_run,
	.nat = AG_NELEM(at_run),
	.gives = "RecipeRun",
};

const ag_route_doc ag_doc_stop_recipe_run = {
	.name = "stopRecipeRun",
	.tag = "recipes",
	.summary = "Stop a run",
	.help = "The step that is under way ends soon; the steps before it are kept.",
	.at = at_run,
	.nat = AG_NELEM(at_run),
	.status = 202,
	.other = { { 409, "the run has ended" } },
};

const ag_route_doc ag_doc_resume_recipe_run = {
	.name = "resumeRecipeRun",
	.tag = "recipes",
	.summary = "Go on with a run that failed, was stopped or was cut off",
	.at = at_run,
	.nat = AG_NELEM(at_run),
	.status = 202,
	.gives = "RecipeRun",
	.other = { { 409, "the run is complete, or is under way" } },
};
