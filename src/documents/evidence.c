/* evidence -- re-run the query of a finding and read from it how many documents are affected.
 *
 * A filter says it by what it matches. A pipeline says it in one result document, in a member whose name
 * says that it counts; anything else would let a sum or an average pass for a number of documents. */
#include "documents/source.h"

#define MAX_SAMPLES       3
#define COUNTED_MAX_STEPS 10000

static const char *const count_names[] = { "documents", "n", "count" };

static ag_status from_filter(ag_source *s, const ag_ctx *ctx, ag_arena *arena, const ag_val *filter,
                             ag_evidence *ret, ag_err *err)
{
	ag_found found;
	ag_status st;

	st = ag_source_find(s, ctx, arena, filter, MAX_SAMPLES, &found, err);
	if (st)
		return st;
	*ret = (ag_evidence){ found.matched, found.docs, found.ndoc, found.where,
		              ag_source_counted(s, arena, filter) };
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

/* --- is the figure counted? -----------------------------------------------------------------------
 *
 * A member that is called "count" may be a value of the data, or a number that was written into the
 * pipeline. Followed back to where it was made, the figure must come from $count, from $sum of 1 (or of
 * what was itself counted), or from the size of a list that a $group collected. */

typedef struct look {
	const ag_val *stages;
	unsigned *steps_left; /* a pipeline can name one thing twice in each stage */
} look;

static bool is_counted(const ag_val *e, const look *l, uint32_t before, bool in_sum);

static bool is_counted_name(ag_str name, const look *l, uint32_t before);

/* {"$op": …}: every path in it is counted, and there is one. */
static bool is_counted_call(const ag_val *e, const look *l, uint32_t before, bool in_sum)
{
	const ag_val *arg, *branch[2];
	bool found = false;

	if (e->n != 1 || ag_str_eqc(e->u.members[0].key, "$literal"))
		return false;
	arg = &e->u.members[0].val;
	if (ag_str_eqc(e->u.members[0].key, "$cond")) {
		branch[0] = arg->type == AG_T_ARRAY && arg->n == 3 ? &arg->u.items[1]
		                                                   : ag_val_getc(arg, "then");
		branch[1] = arg->type == AG_T_ARRAY && arg->n == 3 ? &arg->u.items[2]
		                                                   : ag_val_getc(arg, "else");
		return branch[0] && branch[1] && is_counted(branch[0], l, before, in_sum) &&
		       is_counted(branch[1], l, before, in_sum);
	}
	if (arg->type != AG_T_ARRAY)
		return is_counted(arg, l, before, in_sum);
	for (uint32_t i = 0; i < arg->n; i++) {
		if (ag_type_is_number(arg->u.items[i].type))
			continue;
		if (!is_counted(&arg->u.items[i], l, before, false))
			return false;
		found = true;
	}
	return found;
}

static bool is_counted(const ag_val *e, const look *l, uint32_t before, bool in_sum)
{
	ag_str path, name;
	int64_t n;

	if (!*l->steps_left)
		return false;
	--*l->steps_left;
	if (e->type == AG_T_OBJECT)
		return is_counted_call(e, l, before, in_sum);
	if (e->type != AG_T_STRING)
		return in_sum && ag_val_to_i64(e, &n) && (n == 0 || n == 1);
	path = ag_val_text(e);
	if (path.len < 2 || path.ptr[0] != '$' || path.ptr[1] == '$')
		return false;
	path = ag_str_make(path.ptr + 1, path.len - 1);
	name = ag_str_split(&path, '.');
	return is_counted_name(name, l, before);
}

/* An accumulator of $group. */
static bool is_counted_group(const ag_val *acc, const look *l, uint32_t at)
{
	ag_str op;

	if (acc->type != AG_T_OBJECT || acc->n != 1)
		return false;
	op = acc->u.members[0].key;
	if (ag_str_eqc(op, "$count") || ag_str_eqc(op, "$push") || ag_str_eqc(op, "$addToSet"))
		return true;
	return is_counted(&acc->u.members[0].val, l, at, ag_str_eqc(op, "$sum"));
}

static bool is_counted_name(ag_str name, const look *l, uint32_t before)
{
	for (uint32_t at = before; at-- > 0;) {
		const ag_member *stage = l->stages->u.items[at].u.members;
		const ag_val *made;

		if (l->stages->u.items[at].type != AG_T_OBJECT || l->stages->u.items[at].n != 1)
			return false;
		if (ag_str_eqc(stage->key, "$count"))
			return true;
		if (ag_str_eqc(stage->key, "$sortByCount"))
			return ag_str_eqc(name, "count");
		if (ag_str_eqc(stage->key, "$replaceRoot") ||
		    ag_str_eqc(stage->key, "$replaceWith"))
			return false;
		made = ag_val_get(&stage->val, name);
		if (ag_str_eqc(stage->key, "$group"))
			return made && !ag_str_eqc(name, "_id") && is_counted_group(made, l, at);
		if (!made ||
		    (!ag_str_eqc(stage->key, "$project") && !ag_str_eqc(stage->key, "$addFields") &&
		     !ag_str_eqc(stage->key, "$set")))
			continue;
		/* {"$project": {"n": 1}} hands it on. */
		if (!ag_str_eqc(stage->key, "$project") ||
		    (made->type != AG_T_BOOL && !ag_type_is_number(made->type)))
			return is_counted(made, l, at, false);
	}
	return false;
}

static ag_status fail_shape(const char *why, ag_err *err)
{
	ag_status st = ag_fail(err, AG_INVALID, "documents.evidence",
	                       "a pipeline as evidence must end in one document with an integer "
	                       "\"documents\", \"n\" or \"count\"; this one %s",
	                       why);

	ag_err_hint(err, "end it with {\"$count\": \"documents\"}");
	return st;
}

static ag_status from_pipeline(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                               const ag_val *pipeline, ag_evidence *ret, ag_err *err)
{
	const ag_val *docs, *v = NULL, *asked = with_limit(pipeline, arena);
	unsigned steps = COUNTED_MAX_STEPS;
	ag_str name = AG_S("");
	int64_t n;
	size_t ndoc;
	ag_status st;

	st = ag_source_aggregate(s, ctx, arena, asked, 2, &docs, &ndoc, err);
	if (st)
		return st;
	if (ndoc > 1)
		return fail_shape("gives several", err);
	if (ndoc == 0) {
		*ret = (ag_evidence){ .counted_ms = ag_source_counted(s, arena, asked) };
		return AG_OK;
	}
	for (size_t i = 0; i < AG_NELEM(count_names) && !v; i++) {
		name = ag_str_c(count_names[i]);
		v = ag_val_get(&docs[0], name);
	}
	if (!v)
		return fail_shape("has none of them", err);
	if (!ag_val_to_i64(v, &n))
		return fail_shape("has one that is no integer", err);
	if (n < 0)
		return fail_shape("has a negative one", err);
	if (!is_counted_name(name, &(look){ pipeline, &steps }, pipeline->n))
		return fail_shape("takes it from the data or from the pipeline's own numbers", err);
	if (s->info.whole && (uint64_t)n > s->info.ndoc)
		return fail_shape("counts more than there are documents", err);
	*ret = (ag_evidence){ (uint64_t)n, docs, ndoc, NULL, ag_source_counted(s, arena, asked) };
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
	return ag_fail(err, AG_INVALID, "documents.evidence",
	               "want a filter {…} or a pipeline […], got %s", ag_type_alias(query->type));
}
