/* pipeline -- the list of stages: parsed, written, hashed.
 *
 * stage_types[] is the whole knowledge about what may stand in a pipeline; refused[] says why the rest of
 * MongoDB's stages may not. How a pipeline runs is in pipeline_run.c. */
#include <stdio.h>
#include <xxhash.h>

#include "query/pipeline_internal.h"

static const ag_stage_type *const stage_types[] = {
	&ag_stage_match,        &ag_stage_group,         &ag_stage_count,   &ag_stage_sort,
	&ag_stage_limit,        &ag_stage_skip,          &ag_stage_project, &ag_stage_add_fields,
	&ag_stage_set,          &ag_stage_unset,         &ag_stage_unwind,  &ag_stage_replace_root,
	&ag_stage_replace_with, &ag_stage_sort_by_count,
};

static const struct refused_stage {
	const char *name;
	ag_status status;
	const char *why;
} refused[] = {
	{ "$out", AG_DENIED, "it writes" },
	{ "$merge", AG_DENIED, "it writes" },
	{ "$function", AG_DENIED, "it runs code" },
	{ "$accumulator", AG_DENIED, "it runs code" },
	{ "$where", AG_DENIED, "it runs code" },
	{ "$currentOp", AG_DENIED, "it looks at the server, not at the data" },
	{ "$listSessions", AG_DENIED, "it looks at the server, not at the data" },
	{ "$listLocalSessions", AG_DENIED, "it looks at the server, not at the data" },
	{ "$changeStream", AG_DENIED, "it never ends" },
	{ "$lookup", AG_INVALID, "joins are not run here; query each collection by itself" },
	{ "$graphLookup", AG_INVALID, "joins are not run here; query each collection by itself" },
	{ "$unionWith", AG_INVALID, "one collection at a time; query each by itself" },
	{ "$facet", AG_INVALID, "one result at a time; run each pipeline by itself" },
	{ "$sample", AG_INVALID, "a random result cannot be checked again; use $limit" },
};

ag_val ag_stage_object1(ag_arena *arena, const char *key, ag_val v)
{
	ag_member *m = ag_new(arena, ag_member);

	m->key = ag_str_c(key);
	m->val = v;
	return ag_val_object(m, 1);
}

static ag_status refuse(size_t i, ag_str name, ag_err *err)
{
	const char *names[AG_NELEM(stage_types)], *near;

	for (size_t k = 0; k < AG_NELEM(refused); k++) {
		if (ag_str_eqc(name, refused[k].name))
			return ag_fail(err, refused[k].status, "query.pipeline",
			               "stage %zu: %s is refused: %s", i, refused[k].name,
			               refused[k].why);
	}
	for (size_t k = 0; k < AG_NELEM(stage_types); k++)
		names[k] = stage_types[k]->name;
	near = ag_str_nearest(name, names, AG_NELEM(names));
	AG_IGNORE(ag_fail(err, AG_INVALID, "query.pipeline",
	                  "stage %zu: unknown stage \"%.*s\"%s%s%s", i,
	                  (int)(name.len > 60 ? 60 : name.len), name.ptr,
	                  near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : ""),
	          "returned below");
	ag_err_hint(err, "known: $match $group $count $sort $limit $skip $project $addFields $set "
	                 "$unset $unwind $replaceRoot $replaceWith $sortByCount");
	return AG_INVALID;
}

/* Say which stage; status and hint stay. */
static ag_status at_stage(size_t i, const char *name, ag_status st, ag_err *err)
{
	ag_err inner;

	if (!err)
		return st;
	inner = *err;
	AG_IGNORE(ag_fail(err, st, inner.origin, "stage %zu (%s): %s", i, name, inner.msg),
	          "returned below");
	if (inner.hint[0])
		ag_err_hint(err, "%s", inner.hint);
	return st;
}

static ag_status parse_stage(size_t i, const ag_val *v, ag_arena *arena, ag_stage *s, ag_err *err)
{
	ag_status st;
	ag_str name;

	if (v->type != AG_T_OBJECT || v->n != 1)
		return ag_fail(err, AG_INVALID, "query.pipeline",
		               "stage %zu: want an object with one key, like {\"$match\": {…}}", i);
	name = v->u.members[0].key;
	for (size_t k = 0; k < AG_NELEM(stage_types); k++) {
		if (!ag_str_eqc(name, stage_types[k]->name))
			continue;
		s->type = stage_types[k];
		st = s->type->parse(s, &v->u.members[0].val, arena, err);
		return st ? at_stage(i, s->type->name, st, err) : AG_OK;
	}
	return refuse(i, name, err);
}

/* $sort, any $skip, $limit: the sort needs only the first skip + limit documents. */
static void push_limits_down(ag_stage *stages, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t skip = 0;
		size_t k = i + 1;

		if (stages[i].type != &ag_stage_sort)
			continue;
		for (; k < n && stages[k].type == &ag_stage_skip; k++) {
			uint64_t more = ag_stage_amount(&stages[k]);

			skip = more > UINT64_MAX / 4 - skip ? UINT64_MAX / 4 : skip + more;
		}
		if (k < n && stages[k].type == &ag_stage_limit)
			ag_stage_sort_set_limit(&stages[i], skip + ag_stage_amount(&stages[k]));
	}
}

ag_status ag_pipeline_from_val(const ag_val *v, ag_arena *arena, const ag_pipeline **ret,
                               ag_err *err)
{
	ag_pipeline *p = ag_new(arena, ag_pipeline);
	ag_status st = AG_OK;
	ag_stage *stages;

	if (v->type != AG_T_ARRAY)
		return ag_fail(err, AG_INVALID, "query.pipeline",
		               "a pipeline is an array of stages, got %s", ag_type_alias(v->type));
	if (v->n > AG_PIPELINE_MAX_STAGES)
		return ag_fail(err, AG_LIMIT, "query.pipeline",
		               "the pipeline has %u stages, limit %d", v->n,
		               AG_PIPELINE_MAX_STAGES);
	stages = ag_new_n(arena, ag_stage, v->n + 1U);
	for (uint32_t i = 0; !st && i < v->n; i++)
		st = parse_stage(i, &v->u.items[i], arena, &stages[i], err);
	if (st)
		return st;
	push_limits_down(stages, v->n);
	p->stages = stages;
	p->n = v->n;
	*ret = p;
	return AG_OK;
}

ag_status ag_pipeline_parse(ag_str text, ag_arena *arena, const ag_pipeline **ret, ag_err *err)
{
	const ag_extjson_opts opts = { .typed = true, .query = true, .reject_duplicates = true };
	ag_status st;
	ag_val v;

	if (text.len > AG_FILTER_MAX_BYTES)
		return ag_fail(err, AG_LIMIT, "query.pipeline",
		               "the pipeline has %zu bytes, limit %d", text.len,
		               AG_FILTER_MAX_BYTES);
	st = ag_extjson_parse(ag_str_dup(arena, text), &opts, arena, &v, NULL, NULL, err);
	return st ? st : ag_pipeline_from_val(&v, arena, ret, err);
}

void ag_pipeline_canonical(const ag_pipeline *p, ag_buf *out)
{
	ag_arena *arena = ag_arena_new();
	ag_val *items = ag_new_n(arena, ag_val, p->n + 1);
	ag_val list;

	for (size_t i = 0; i < p->n; i++)
		items[i] = p->stages[i].type->to_val(&p->stages[i], arena);
	list = ag_val_array(items, p->n);
	ag_extjson_write(out, &list, AG_EXTJSON_RELAXED);
	ag_arena_free(arena);
}

uint64_t ag_pipeline_hash(const ag_pipeline *p)
{
	ag_buf text = AG_BUF_INIT((size_t)1 << 31);
	uint64_t h;

	ag_pipeline_canonical(p, &text);
	h = XXH3_64bits(ag_buf_view(&text).ptr, text.len);
	ag_buf_release(&text);
	return h;
}

void ag_pipeline_paths(const ag_pipeline *p, ag_arena *arena, const ag_str **ret, size_t *nret,
                       bool *ret_whole)
{
	ag_path_set set = { .arena = arena };
	bool closed = false;

	for (size_t i = 0; i < p->n && !closed; i++)
		closed = p->stages[i].type->paths(&p->stages[i], &set);
	*ret = set.paths;
	*nret = set.n;
	*ret_whole = set.whole || !closed;
}

const ag_filter *ag_pipeline_leading_match(const ag_pipeline *p)
{
	return p->n && p->stages[0].type == &ag_stage_match ? p->stages[0].spec : NULL;
}
