/* docquery -- decide filter or pipeline, parse with the strict readers of query/, and wrap.
 *
 * The operator allow-list is the operator tables of query/: what they do not list is refused there by
 * name. This file adds what is about safety alone: one maker, one place to look at. */
#include "guard/docquery.h"

#include "query/extjson.h"

ag_status ag_docquery_check(const ag_val *q, ag_arena *arena, ag_safe_query *ret, ag_err *err)
{
	ag_safe_query out = { .value = q };
	ag_status st;

	if (q->type == AG_T_OBJECT) {
		st = ag_filter_from_val(q, arena, &out.filter, err);
	} else if (q->type == AG_T_ARRAY) {
		st = ag_pipeline_from_val(q, arena, &out.pipeline, err);
	} else {
		st = ag_fail(err, AG_INVALID, "guard.docquery",
		             "want a filter {…} or a pipeline […], got %s", ag_type_alias(q->type));
		ag_err_hint(err, "write a filter such as {\"age\": {\"$lt\": 0}}");
	}
	if (st)
		return st;
	*ret = out;
	return AG_OK;
}

ag_status ag_docquery_value(ag_str text, ag_arena *arena, const ag_val **ret, ag_err *err)
{
	const ag_extjson_opts opts = { .typed = true, .query = true, .reject_duplicates = true };
	ag_val *v = ag_new(arena, ag_val);
	ag_status st;

	*ret = NULL;
	if (text.len > AG_FILTER_MAX_BYTES)
		return ag_fail(err, AG_LIMIT, "guard.docquery",
		               "the query has %zu bytes, at most %d are read", text.len,
		               AG_FILTER_MAX_BYTES);
	/* The reader's strings are views into its input, and the query lives as long as the arena. */
	st = ag_extjson_parse(ag_str_dup(arena, text), &opts, arena, v, NULL, NULL, err);
	if (st)
		return st;
	*ret = v;
	return AG_OK;
}

ag_status ag_docquery_parse(ag_str text, ag_arena *arena, ag_safe_query *ret, ag_err *err)
{
	const ag_val *v;
	ag_status st;

	st = ag_docquery_value(text, arena, &v, err);
	if (st)
		return st;
	return ag_docquery_check(v, arena, ret, err);
}

void ag_docquery_canonical(const ag_safe_query *q, ag_buf *out)
{
	if (q->filter)
		ag_filter_canonical(q->filter, out);
	else
		ag_pipeline_canonical(q->pipeline, out);
}

uint64_t ag_docquery_hash(const ag_safe_query *q)
{
	return q->filter ? ag_filter_hash(q->filter) : ag_pipeline_hash(q->pipeline);
}
