/* recipe_explain -- see the header. A statement is looked at with sample values: those of a run are literals in the same places. */
#include "knowledge/recipe_explain.h"

#include "knowledge/recipe.h"

ag_status ag_recipe_explain(ag_project_hub *hub, const ag_ctx *ctx, ag_project_call *call,
                            const ag_know *recipe, ag_arena *arena, size_t *ret_step,
                            ag_str *ret_why, ag_err *err)
{
	ag_recipe r;
	ag_status st = AG_OK;

	*ret_why = AG_S("");
	*ret_step = 0;
	ag_recipe_read(&recipe->body, arena, &r);
	for (size_t i = 0; i < r.nstep && !st && !ret_why->len; i++) {
		ag_sql_request rq = { .watch_fd = -1 };
		ag_sql_result result;

		if (!r.steps[i].sql.len)
			continue;
		*ret_step = i + 1;
		st = ag_recipe_sample_sql(&r, r.steps[i].sql, arena, &rq.sql, err);
		if (!st)
			st = ag_project_explain(hub, ctx, call, &rq, arena, &result, err);
		if (st)
			break;
		if (!result.is_ok)
			*ret_why = ag_str_dup(arena, result.failure.message);
		ag_sql_result_release(&result);
	}
	return st;
}
