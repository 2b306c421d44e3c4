/* recipe -- a recipe runs: each step is a turn of one thread, so a later step knows what the earlier ones answered.
 *
 * A run is in the store from its first step on (knowledge/recipe_run.h). It stops at the first step that fails. One that was
 * interrupted, failed or cancelled goes on at that step: a turn that was under way from its log, so nothing that gave a result is
 * asked again. The thread is not among the user's conversations. */
#ifndef AG_ANALYST_RECIPE_H
#define AG_ANALYST_RECIPE_H

#include "analyst/analyst.h"
#include "knowledge/recipe_run.h"

typedef struct ag_recipe_opts {
	const ag_analyst_opts
		*chat; /* all but question, thread, sql; its meter, where there is no other */
	const ag_err *no_model; /* why chat->llm is NULL; NULL = no reason is known */
	/* A meter for each step, so that the budgets of a question hold for each; NULL = chat->meter counts for all. */
	ag_llm_meter *(*meter)(void *arg, ag_arena *arena);
	/* A step began or ended; NULL = nobody watches. */
	void (*on_step)(void *arg, const ag_recipe_run *r, size_t step);
	void *arg;
} ag_recipe_opts;

/* A new run, in the store.
 * errors  AG_INVALID: a value, named by its variable; a step needs a model and there is none; AG_LIMIT; of the store */
AG_CHECK ag_status ag_recipe_begin(const ag_ctx *ctx, const ag_recipe_opts *o,
                                   const ag_know *recipe, const ag_val *values, const ag_id *thread,
                                   ag_arena *arena, ag_recipe_run *ret, ag_err *err);
/* Runs what is left of it. AG_OK: r->state says how it ended, and *ret_why holds the failure of the step when it has one.
 * errors  AG_CONFLICT: another process runs it; of the store */
AG_CHECK ag_status ag_recipe_go(const ag_ctx *ctx, const ag_recipe_opts *o, ag_recipe_run *r,
                                ag_arena *arena, ag_err *ret_why, ag_err *err);
/* Of the threads of recipes. In arena. */
ag_str ag_recipe_place(ag_str project, ag_str user, ag_arena *arena);

#endif
