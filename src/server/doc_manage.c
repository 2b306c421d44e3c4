/* Descriptions of the routes by which people manage a project: runs of recipes, evaluations, the dictionary. */
#include "knowledge/recipe.h"
#include "server/route_doc.h"
#include "store/identity.h"

static const char *const run_states[] = { "pending", "running",   "completed",
	                                  "failed",  "cancelled", NULL };

/* --- shapes --- */

#define RUN_FIELDS                                                                              \
	{ "run", "string", "its id", NULL, false },                                             \
		{ "recipe", "string", "its name when the run began", NULL, false },             \
		{ "thread", "string", "of the conversation that the steps are", NULL, false },  \
		{ "user", "string", NULL, NULL, false },                                        \
		{ "status", "string", "running: it is under way, or was cut off and can go on", \
		  run_states, false },                                                          \
		{ "error", "string", "why it failed or was stopped; \"\" = nothing did", NULL,  \
		  false },                                                                      \
		{ "started_at", "time", NULL, NULL, false },                                    \
		{ "ended_at", "time?", NULL, NULL, false },                                     \
		{ "duration_ms", "integer", NULL, NULL, true },                                 \
	{                                                                                       \
		"values", "object", "a text for each variable", NULL, false                     \
	}

static const ag_doc_field recipe_run_row[] = { RUN_FIELDS };
static const ag_doc_field recipe_run[] = {
	RUN_FIELDS,
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

static const char *const evaluation_states[] = { "running", "done",        "cancelled",
	                                         "failed",  "interrupted", NULL };

#define EVALUATION_FIELDS                                                                        \
	{ "id", "string", NULL, NULL, false },                                                   \
		{ "status", "string", "interrupted: the process that ran it died",               \
		  evaluation_states, false },                                                    \
		{ "user", "string", NULL, NULL, false },                                         \
		{ "project", "string", NULL, NULL, false },                                      \
		{ "model", "string", NULL, NULL, false },                                        \
		{ "tag", "string", "of the questions; \"\" = all", NULL, true },                 \
		{ "at", "time", "when it began", NULL, false },                                  \
		{ "questions", "integer", NULL, NULL, false },                                   \
		{ "asked", "integer", "so far", NULL, true },                                    \
		{ "right", "integer", "so far", NULL, false },                                   \
		{ "accuracy", "number", "right ones among all questions, 0 to 1", NULL, false }, \
		{ "accuracy_before", "number", "when they were last asked", NULL, true },        \
		{ "latency_ms", "integer", NULL, NULL, false },                                  \
		{ "tokens", "integer", NULL, NULL, false },                                      \
		{ "usd", "number", NULL, NULL, false },                                          \
	{                                                                                        \
		"error", "string", "why it failed or was stopped", NULL, true                    \
	}

static const ag_doc_field evaluation_row[] = { EVALUATION_FIELDS };
static const ag_doc_field evaluation[] = {
	EVALUATION_FIELDS,
	{ "results", "[EvaluationResult]", "of the questions that were asked", NULL, false },
};

static const ag_doc_field evaluation_result[] = {
	{ "id", "string", "of the golden question", NULL, false },
	{ "question", "string", NULL, NULL, false },
	{ "mode", "string", "how its answer is compared", NULL, false },
	{ "ok", "boolean", "the answer is right", NULL, false },
	{ "error", "boolean", "there is no answer", NULL, false },
	{ "why", "string", "it is not right; \"\" = it is", NULL, false },
	{ "turn", "string", "id of its turn", NULL, false },
	{ "latency_ms", "integer", NULL, NULL, false },
	{ "tokens", "integer", NULL, NULL, false },
	{ "usd", "number", NULL, NULL, false },
	{ "ok_before", "boolean", "when it was last asked", NULL, true },
};

static const ag_doc_field evaluation_list[] = {
	{ "evaluations", "[EvaluationRow]", "newest first", NULL, false },
	AG_DOC_NEXT,
};

static const ag_doc_field dictionary_column[] = {
	{ "name", "string", NULL, NULL, false },
	{ "type", "string", NULL, NULL, false },
	{ "nullable", "boolean", NULL, NULL, false },
	{ "default", "string?", NULL, NULL, false },
	{ "comment", "string", "of the database", NULL, false },
	{ "is_primary_key", "boolean", NULL, NULL, false },
	{ "sample_values", "[string]", NULL, NULL, false },
	{ "is_generated", "boolean", NULL, NULL, true },
	{ "is_sensitive", "boolean", "by its name: its values are no samples", NULL, true },
	{ "enum", "string", "the type that names its values", NULL, true },
};

static const ag_doc_field dictionary_table[] = {
	{ "name", "string", "with its schema where that is not the usual one", NULL, false },
	{ "type", "string", "table, view, materialized_view …", NULL, false },
	{ "row_count", "integer?", "an estimate, unless it is exact; null = unknown", NULL, false },
	{ "row_count_is_exact", "boolean", NULL, NULL, true },
	{ "comment", "string", "of the database", NULL, false },
	{ "columns", "[DictionaryColumn]", NULL, NULL, false },
	{ "primary_key", "[string]", NULL, NULL, false },
	{ "foreign_keys", "[object]", "column, references_table, references_column", NULL, false },
	{ "indexes", "[object]", "name, columns, unique", NULL, false },
};

static const ag_doc_field dictionary[] = {
	{ "schema", "string", "the usual one", NULL, false },
	{ "generated_at", "time", "when the database was read", NULL, false },
	{ "table_count", "integer", "on all pages", NULL, false },
	{ "is_cut", "boolean", "there are more tables, which are left out", NULL, false },
	{ "tables", "[DictionaryTable]", NULL, NULL, false },
	AG_DOC_NEXT,
};

static const ag_doc_field refreshed[] = {
	{ "generated_at", "time", NULL, NULL, false },
	{ "table_count", "integer", NULL, NULL, false },
};

const ag_doc_shape ag_doc_manage_shapes[] = {
	{ "RecipeRunRow", "A run of a recipe without its steps.", recipe_run_row,
	  AG_NELEM(recipe_run_row), false },
	{ "RecipeStepRun", "A step of a run.", recipe_step_run, AG_NELEM(recipe_step_run), false },
	{ "RecipeRun", "A run of a recipe.", recipe_run, AG_NELEM(recipe_run), false },
	{ "RecipeRunList", NULL, recipe_run_list, AG_NELEM(recipe_run_list), false },
	{ "EvaluationRow", "An evaluation without its results.", evaluation_row,
	  AG_NELEM(evaluation_row), false },
	{ "EvaluationResult", "What came of a golden question.", evaluation_result,
	  AG_NELEM(evaluation_result), false },
	{ "Evaluation", "Golden questions that were asked.", evaluation, AG_NELEM(evaluation),
	  false },
	{ "EvaluationList", NULL, evaluation_list, AG_NELEM(evaluation_list), false },
	{ "DictionaryColumn", "A column.", dictionary_column, AG_NELEM(dictionary_column), false },
	{ "DictionaryTable", "A table of the database.", dictionary_table,
	  AG_NELEM(dictionary_table), false },
	{ "Dictionary", "What is in the database.", dictionary, AG_NELEM(dictionary), false },
	{ "DictionaryRefreshed", NULL, refreshed, AG_NELEM(refreshed), false },
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

/* --- evaluations --- */

static const ag_param at_evaluation[] = {
	AT_PROJECT,
	{ .name = "evaluation",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "its id, or the beginning of one" },
};

const ag_route_doc ag_doc_list_evaluations = {
	.name = "listEvaluations",
	.tag = "evaluations",
	.summary = "Evaluations of the golden questions, newest first",
	.at = at_evaluation,
	.nat = 1,
	.gives = "EvaluationList",
	.is_list = true,
};

static const ag_param evaluate_body[] = {
	{ .name = "tag",
	  .type = AG_PARAM_STRING,
	  .help = "only questions with this tag",
	  .max = 60,
	  .in_chars = true },
};

const ag_route_doc ag_doc_evaluate = {
	.name = "evaluate",
	.tag = "evaluations",
	.summary = "Ask the golden questions",
	.help = "It goes on after the answer: ask for it until its status is no longer running. It counts as one question of the "
		"user. Analysts and admins only.",
	.at = at_evaluation,
	.nat = 1,
	.body = evaluate_body,
	.nbody = AG_NELEM(evaluate_body),
	.status = 202,
	.gives = "EvaluationRow",
	.other = { { 409, "one of this project is under way" } },
};

const ag_route_doc ag_doc_get_evaluation = {
	.name = "getEvaluation",
	.tag = "evaluations",
	.summary = "An evaluation with the result of each question",
	.at = at_evaluation,
	.nat = AG_NELEM(at_evaluation),
	.gives = "Evaluation",
};

const ag_route_doc ag_doc_stop_evaluation = {
	.name = "stopEvaluation",
	.tag = "evaluations",
	.summary = "Stop an evaluation",
	.at = at_evaluation,
	.nat = AG_NELEM(at_evaluation),
	.status = 202,
	.other = { { 409, "it has ended" } },
};

/* --- the dictionary --- */

static const ag_param at_dictionary[] = { AT_PROJECT };

const ag_route_doc ag_doc_get_dictionary = {
	.name = "getDictionary",
	.tag = "dictionary",
	.summary = "The tables and columns of the project's database",
	.help = "Notes on them are knowledge of the kind table.",
	.at = at_dictionary,
	.nat = AG_NELEM(at_dictionary),
	.gives = "Dictionary",
	.is_list = true,
};

const ag_route_doc ag_doc_refresh_dictionary = {
	.name = "refreshDictionary",
	.tag = "dictionary",
	.summary = "Read the database again",
	.help = "Analysts and admins only.",
	.at = at_dictionary,
	.nat = AG_NELEM(at_dictionary),
	.gives = "DictionaryRefreshed",
};
