/* evidence -- re-run the query of a finding and read from it how many documents are affected.
 *
 * A filter says it by what it matches. A pipeline says it in one result document, in a member whose name
 * tells that it counts; anything else would let a sum or an average pass for a number of documents. */
#include "source/source.h"

#define MAX_SAMPLES 3

static const char *const count_names[] = { "documents", "n", "count" };

static ag_status from_filter(ag_source *s, const ag_ctx *ctx, ag_arena *arena, const ag_val *filter,
                             ag_evidence *ret, ag_err *err)
{
	ag_found found;
	ag_status st;

	st = ag_source_find(s, ctx, arena, filter, MAX_SAMPLES, &found, err);
	if (st)
		return st;
	*ret = (ag_evidence){ found.matched, found.docs, found.ndoc, found.where };
	return AG_OK;
}

/* The pipeline with one stage more: a second result is enough to refuse it, the others are not made. */
static const ag_val *with_limit(const ag_val *pipeline, ag_arena *arena)
{
	ag_member *limit = ag_new(arena, ag_member);
	ag_val *stages = ag_new_n(arena, ag_val, (size_t)pipeline->n + 1);
	ag_val *ret = ag_new(arena, ag_val);

	if (pipeline->n >= AG_PIPELINE_MAX_STAGES)
		return pipeline;
	if (pipeline->n > 0)
		memcpy(stages, pipeline->u.items, pipeline->n * sizeof(*stages));
	*limit = (ag_member){ AG_S("$limit"), ag_val_int(2) };
	stages[pipeline->n] = ag_val_object(limit, 1);
	*ret = ag_val_array(stages, (size_t)pipeline->n + 1);
	return ret;
}

static ag_status fail_shape(const char *why, ag_err *err)
{
	ag_status st = ag_fail(err, AG_INVALID, "source.evidence",
	                       "a pipeline as evidence must end in one document with an integer "
	                       "\"documents\", \"n\" or \"count\"; this one %s",
	                       why);

	ag_err_hint(err, "end it with {\"$count\": \"documents\"}");
	return st;
}

static ag_status from_pipeline(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                               const ag_val *pipeline, ag_evidence *ret, ag_err *err)
{
	const ag_val *docs, *v = NULL;
	int64_t n;
	size_t ndoc;
	ag_status st;

	st = ag_source_aggregate(s, ctx, arena, with_limit(pipeline, arena), 2, &docs, &ndoc, err);
	if (st)
		return st;
	if (ndoc > 1)
		return fail_shape("gives several", err);
	if (ndoc == 0) {
		*ret = (ag_evidence){ 0 };
		return AG_OK;
	}
	for (size_t i = 0; i < AG_NELEM(count_names) && !v; i++)
		v = ag_val_getc(&docs[0], count_names[i]);
	if (!v)
		return fail_shape("has none of them", err);
	if (!ag_val_to_i64(v, &n))
		return fail_shape("has one that is no integer", err);
	if (n < 0)
		return fail_shape("has a negative one", err);
	*ret = (ag_evidence){ (uint64_t)n, docs, ndoc, NULL };
	return AG_OK;
}

ag_status ag_source_evidence(ag_source *s, const ag_ctx *ctx, ag_arena *arena, ag_str query_text,
                             ag_evidence *ret, ag_err *err)
{
	const ag_val *query;
	ag_status st;

	st = ag_docquery_value(query_text, arena, &query, err);
	if (st)
		return st;
	if (query->type == AG_T_ARRAY)
		return from_pipeline(s, ctx, arena, query, ret, err);
	if (query->type == AG_T_OBJECT)
		return from_filter(s, ctx, arena, query, ret, err);
	return ag_fail(err, AG_INVALID, "source.evidence",
	               "want a filter {…} or a pipeline […], got %s", ag_type_alias(query->type));
}
