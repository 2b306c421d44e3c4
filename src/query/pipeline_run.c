/* pipeline_run -- documents through the stages, results out.
 *
 * Each stage pushes into the next; behind the last one results are collected. While input comes, results
 * are copied into an arena of the run; during run_end they go straight into the caller's. Blocking stages
 * emit in run_end, first to last. All state together is held below AG_PIPELINE_MAX_BYTES. */
#include <stdlib.h>

#include "query/pipeline_internal.h"

struct ag_pipeline_run {
	const ag_pipeline *pipeline;
	ag_stage_run *stages;
	size_t n, first; /* stages[first] is the first one that runs */
	ag_arena *kept;  /* results that came out while input was coming */
	ag_arena *out;   /* the caller's arena, in run_end */
	ag_val *results;
	size_t nresult, cap;
	size_t max_results; /* in run_end */
	size_t held;
};

ag_pipeline_run *ag_pipeline_run_begin(const ag_pipeline *p, bool skip_match)
{
	ag_pipeline_run *run = ag_xcalloc(1, sizeof(*run));

	run->pipeline = p;
	run->n = p->n;
	run->first = skip_match && ag_pipeline_leading_match(p) ? 1 : 0;
	run->kept = ag_arena_new();
	run->max_results = SIZE_MAX;
	run->stages = ag_xcalloc(p->n + 1, sizeof(*run->stages));
	for (size_t i = 0; i < p->n; i++) {
		ag_stage_run *r = &run->stages[i];

		r->stage = &p->stages[i];
		r->run = run;
		r->index = i;
		if (r->stage->type->begin)
			r->state = r->stage->type->begin(r);
	}
	return run;
}

ag_pipeline_run *ag_pipeline_run_free(ag_pipeline_run *run)
{
	if (!run)
		return NULL;
	for (size_t i = 0; i < run->n; i++) {
		if (run->stages[i].stage->type->end)
			run->stages[i].stage->type->end(run->stages[i].state);
		ag_arena_free(run->stages[i].scratch);
	}
	ag_arena_free(run->kept);
	free(run->stages);
	free(run->results);
	free(run);
	return NULL;
}

ag_arena *ag_stage_scratch(ag_stage_run *r)
{
	if (!r->scratch)
		r->scratch = ag_arena_new();
	return r->scratch;
}

void ag_stage_reset_scratch(ag_stage_run *r)
{
	if (r->scratch)
		ag_arena_reset(r->scratch);
}

bool ag_stage_wanted(const ag_stage_run *r)
{
	for (size_t i = r->index; i < r->run->n; i++) {
		if (r->run->stages[i].done)
			return false;
	}
	return true;
}

static ag_status check_held(const ag_pipeline_run *run, ag_err *err)
{
	if (run->held + ag_arena_bytes(run->kept) <= AG_PIPELINE_MAX_BYTES)
		return AG_OK;
	AG_IGNORE(ag_fail(err, AG_LIMIT, "query.pipeline", "the pipeline holds more than %lu MB",
	                  AG_PIPELINE_MAX_BYTES >> 20),
	          "returned below");
	ag_err_hint(err, "match fewer documents first, or keep fewer fields");
	return AG_LIMIT;
}

ag_status ag_stage_hold(ag_stage_run *r, size_t bytes, ag_err *err)
{
	r->run->held += bytes - r->held;
	r->held = bytes;
	return check_held(r->run, err);
}

static ag_status keep_result(ag_pipeline_run *run, const ag_val *doc, ag_err *err)
{
	if (run->nresult >= run->max_results)
		return ag_fail(err, AG_LIMIT, "query.pipeline", "more than %zu results",
		               run->max_results);
	if (run->nresult == run->cap) {
		run->cap = run->cap ? run->cap * 2 : 16;
		run->results = ag_xrealloc(run->results, run->cap * sizeof(*run->results));
	}
	run->results[run->nresult++] = ag_val_dup(run->out ? run->out : run->kept, doc);
	return check_held(run, err);
}

static ag_status push_into(ag_pipeline_run *run, size_t i, const ag_val *doc, ag_err *err)
{
	ag_stage_run *r = &run->stages[i];

	if (i == run->n)
		return keep_result(run, doc, err);
	if (r->done)
		return AG_OK;
	ag_stage_reset_scratch(r);
	return r->stage->type->push(r, doc, err);
}

ag_status ag_stage_emit(ag_stage_run *r, const ag_val *doc, ag_err *err)
{
	return push_into(r->run, r->index + 1, doc, err);
}

static bool is_done(const ag_pipeline_run *run)
{
	for (size_t i = run->first; i < run->n; i++) {
		if (run->stages[i].done)
			return true;
	}
	return false;
}

ag_status ag_pipeline_run_push(ag_pipeline_run *run, const ag_val *doc, bool *ret_done, ag_err *err)
{
	ag_status st = is_done(run) ? AG_OK : push_into(run, run->first, doc, err);

	if (!st)
		*ret_done = is_done(run);
	return st;
}

ag_status ag_pipeline_run_end(ag_pipeline_run *run, ag_arena *arena, size_t max_results,
                              const ag_val **ret, size_t *nret, ag_err *err)
{
	ag_status st = AG_OK;
	ag_val *out;

	if (run->nresult > max_results)
		return ag_fail(err, AG_LIMIT, "query.pipeline", "more than %zu results",
		               max_results);
	run->max_results = max_results;
	run->out = arena;
	for (size_t i = 0; i < run->nresult; i++)
		run->results[i] = ag_val_dup(arena, &run->results[i]);
	for (size_t i = run->first; !st && i < run->n; i++) {
		ag_stage_run *r = &run->stages[i];

		if (r->stage->type->finish)
			st = r->stage->type->finish(r, err);
	}
	if (st)
		return st;
	out = run->nresult ? ag_new_n(arena, ag_val, run->nresult) : NULL;
	if (out)
		memcpy(out, run->results, run->nresult * sizeof(*out));
	*ret = out;
	*nret = run->nresult;
	return AG_OK;
}
