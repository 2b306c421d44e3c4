/* stat -- count, min, max, avg, distinct and all values of one field, as pipelines.
 *
 * The statistics are ordinary aggregations, so every source answers them alike and the text that is shown
 * is what ran and can be run again. The seed's form:
 *
 *   $match   the caller's filter and "the field exists" (min, max, avg: "and is not null")
 *   $unwind  one per "[]" of the path, then the same condition on the item
 *   $count, or $group with the accumulator, or for distinct $group, $sort, $limit
 *
 * Read ag_source_stat last: the functions before it build one part each. */
#include "documents/source.h"

#include <stdlib.h>

#include "query/path.h"

/* A pipeline under construction; values live in arena. */
typedef struct stages {
	ag_arena *arena;
	ag_val v[AG_PIPELINE_MAX_STAGES];
	size_t n;
	bool full;
} stages;

/* The field in the forms that a pipeline wants. */
typedef struct target {
	ag_str path;          /* "items.price" */
	ag_val expr;          /* "$items.price" */
	const ag_str *arrays; /* per "[]" the array to unwind: "$items" */
	size_t narray;
	bool is_item; /* the path ends in "[]" */
} target;

static ag_val object1(ag_arena *a, ag_str key, ag_val v)
{
	ag_member *m = ag_new(a, ag_member);

	*m = (ag_member){ key, v };
	return ag_val_object(m, 1);
}

static ag_val object2(ag_arena *a, ag_str k1, ag_val v1, ag_str k2, ag_val v2)
{
	ag_member *m = ag_new_n(a, ag_member, 2);

	m[0] = (ag_member){ k1, v1 };
	m[1] = (ag_member){ k2, v2 };
	return ag_val_object(m, 2);
}

static void add(stages *s, ag_str name, ag_val arg)
{
	if (s->n == AG_NELEM(s->v))
		s->full = true;
	else
		s->v[s->n++] = object1(s->arena, name, arg);
}

/* {path: {$exists: true}} or {path: {$exists: true, $ne: null}} */
static ag_val condition(ag_arena *a, ag_str path, bool not_null)
{
	ag_val yes = ag_val_bool(true);

	return object1(a, path,
	               not_null ? object2(a, AG_S("$exists"), yes, AG_S("$ne"), ag_val_null())
	                        : object1(a, AG_S("$exists"), yes));
}

static ag_status fail_field(ag_str field, const char *why, ag_err *err)
{
	ag_status st = ag_fail(err, AG_INVALID, "documents.stat", "field \"%.*s\": %s",
	                       (int)(field.len < 120 ? field.len : 120), field.ptr, why);

	ag_err_hint(err, "name one field, such as \"age\", \"address.city\" or \"items[].price\"");
	return st;
}

/* The arrays on the way: "items[].tags[]" gives "$items", "$items.tags". */
static void find_arrays(const ag_path *p, ag_arena *a, target *ret)
{
	ag_str *arrays = ag_new_n(a, ag_str, p->n + 1);
	ag_buf b = AG_BUF_INIT(AG_SOURCE_MAX_URI * 2);

	ag_buf_addc(&b, '$');
	for (size_t i = 0; i < p->n; i++) {
		if (p->steps[i].kind == AG_STEP_ELEM) {
			arrays[ret->narray++] = ag_buf_dup(a, &b);
			continue;
		}
		if (b.len > 1)
			ag_buf_addc(&b, '.');
		ag_buf_add(&b, p->steps[i].name);
	}
	ret->arrays = arrays;
	ret->is_item = p->n > 0 && p->steps[p->n - 1].kind == AG_STEP_ELEM;
	ag_buf_release(&b);
}

static ag_status read_field(ag_str field, ag_arena *a, target *ret, ag_err *err)
{
	ag_buf form = AG_BUF_INIT(AG_SOURCE_MAX_URI);
	ag_path p;
	bool ok = true;

	if (ag_str_trim(field).len == 0)
		return fail_field(field, "must be a non-empty string", err);
	if (field.len > AG_SOURCE_MAX_URI / 2 || ag_str_find(field, '\0') >= 0)
		return fail_field(field, "is no field name", err);
	if (ag_path_parse(field, a, &p, NULL) == AG_OK) {
		ok = ag_path_query_form(&p, &form) && form.len > 0;
		if (ok)
			find_arrays(&p, a, ret);
	} else {
		/* MongoDB needs no quotes around "first name"; whoever quotes must quote rightly. */
		ok = ag_str_find(field, '`') < 0;
		ag_buf_add(&form, field);
	}
	/* "$" in front would turn "$ROOT" into the variable $$ROOT. */
	ok = ok && form.ptr[0] != '$';
	ret->path = ag_buf_dup(a, &form);
	ag_buf_release(&form);
	if (!ok)
		return fail_field(field, "cannot be queried by name", err);
	ret->expr = ag_val_str(ag_str_printf(a, "$%.*s", AG_FMT(ret->path)));
	return AG_OK;
}

static ag_status read_filter(const ag_val *filter, ag_arena *a, const ag_val **ret, ag_err *err)
{
	ag_status st;

	*ret = filter;
	if (filter && filter->type == AG_T_STRING) {
		st = ag_docquery_value(ag_val_text(filter), a, ret, err);
		if (st)
			return st;
	}
	if (*ret && (*ret)->type != AG_T_OBJECT)
		return ag_fail(err, AG_INVALID, "documents.stat", "want a filter {…}, got %s",
		               ag_type_alias((*ret)->type));
	return AG_OK;
}

static void add_condition(stages *s, const target *t, ag_stat_op op, const ag_val *filter)
{
	bool not_null = op == AG_STAT_MIN || op == AG_STAT_MAX || op == AG_STAT_AVG;
	bool unwinds = t->narray > 0 && op != AG_STAT_COUNT;
	ag_str path = t->path;
	ag_val cond;

	/* An empty array has no items to count. */
	if (op == AG_STAT_COUNT && t->is_item && t->narray == 1)
		path = ag_str_printf(s->arena, "%.*s.0", AG_FMT(path));
	/* Before $unwind "$ne: null" would drop a whole array for the null of one item. */
	cond = condition(s->arena, path, not_null && !unwinds);
	if (filter && filter->n > 0) {
		ag_val *both = ag_new_n(s->arena, ag_val, 2);

		both[0] = *filter;
		both[1] = cond;
		cond = object1(s->arena, AG_S("$and"), ag_val_array(both, 2));
	}
	add(s, AG_S("$match"), cond);
	if (!unwinds)
		return;
	for (size_t i = 0; i < t->narray; i++)
		add(s, AG_S("$unwind"), ag_val_str(t->arrays[i]));
	add(s, AG_S("$match"), condition(s->arena, t->path, not_null));
}

static void add_result(stages *s, const target *t, ag_stat_op op)
{
	static const ag_str accumulators[] = {
		[AG_STAT_MIN] = AG_S_INIT("$min"),
		[AG_STAT_MAX] = AG_S_INIT("$max"),
		[AG_STAT_AVG] = AG_S_INIT("$avg"),
	};
	ag_arena *a = s->arena;

	switch (op) {
	case AG_STAT_COUNT: add(s, AG_S("$count"), ag_val_str(AG_S("result"))); break;
	case AG_STAT_MIN:
	case AG_STAT_MAX:
	case AG_STAT_AVG:
		add(s, AG_S("$group"),
		    object2(a, AG_S("_id"), ag_val_null(), AG_S("result"),
		            object1(a, accumulators[op], t->expr)));
		break;
	case AG_STAT_DISTINCT:
		/* Sorted before it is cut, so that a cut list is the same on every source. */
		add(s, AG_S("$group"), object1(a, AG_S("_id"), t->expr));
		add(s, AG_S("$sort"), object1(a, AG_S("_id"), ag_val_int(1)));
		add(s, AG_S("$limit"), ag_val_int(AG_DISTINCT_MAX));
		break;
	}
}

static ag_val result_of(ag_stat_op op, const ag_val *docs, size_t ndoc, ag_arena *arena)
{
	const ag_val *v;
	ag_val *values;

	if (op == AG_STAT_DISTINCT) {
		values = ag_new_n(arena, ag_val, ndoc);
		for (size_t i = 0; i < ndoc; i++) {
			v = ag_val_getc(&docs[i], "_id");
			values[i] = v ? *v : ag_val_null();
		}
		return ag_val_array(values, ndoc);
	}
	v = ndoc > 0 ? ag_val_getc(&docs[0], "result") : NULL;
	if (v)
		return *v;
	return op == AG_STAT_COUNT ? ag_val_int(0) : ag_val_null();
}

ag_status ag_source_stat(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                         const ag_stat_question *q, ag_val *ret, ag_str *ret_query, ag_err *err)
{
	stages *plan = ag_new(arena, stages);
	target t = { 0 };
	const ag_val *docs, *where;
	ag_val *pipeline = ag_new(arena, ag_val);
	size_t ndoc;
	ag_status st;

	st = read_field(q->field, arena, &t, err);
	if (st)
		return st;
	st = read_filter(q->filter, arena, &where, err);
	if (st)
		return st;
	plan->arena = arena;
	add_condition(plan, &t, q->op, where);
	add_result(plan, &t, q->op);
	if (plan->full)
		return ag_fail(err, AG_LIMIT, "documents.stat", "the field has more than %d \"[]\"",
		               AG_PIPELINE_MAX_STAGES - 5);
	*pipeline = ag_val_array(plan->v, plan->n);
	st = ag_source_aggregate(s, ctx, arena, pipeline, AG_DISTINCT_MAX, &docs, &ndoc, err);
	if (st)
		return st;
	*ret = result_of(q->op, docs, ndoc, arena);
	if (ret_query)
		*ret_query = ag_extjson_str(arena, pipeline, AG_EXTJSON_RELAXED);
	return AG_OK;
}

typedef struct counted {
	ag_val v;
	uint32_t n;
} counted;

static int by_value(const void *a, const void *b)
{
	return ag_val_cmp(&((const counted *)a)->v, &((const counted *)b)->v);
}

/* A value of a $group as frames have it (columns/frame.h). False: no scalar. */
static bool take_value(const ag_val *doc, counted *ret)
{
	const ag_val *v = ag_val_getc(doc, "_id"), *n = ag_val_getc(doc, "n");
	int64_t i, count;

	if (!v || v->type == AG_T_NULL || v->type == AG_T_OBJECT || v->type == AG_T_ARRAY || !n ||
	    !ag_val_to_i64(n, &count) || count < 1)
		return false;
	ret->v = ag_type_is_number(v->type) && ag_val_to_i64(v, &i) ? ag_val_int(i) : *v;
	ret->n = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
	return true;
}

ag_status ag_source_values(ag_source *s, const ag_ctx *ctx, ag_arena *arena, ag_str field,
                           size_t max, ag_source_value_list *ret, ag_err *err)
{
	stages *plan = ag_new(arena, stages);
	ag_val *pipeline = ag_new(arena, ag_val);
	target t = { 0 };
	const ag_val *docs;
	counted *all;
	size_t ndoc, n = 0;
	ag_status st = read_field(field, arena, &t, err);

	if (st)
		return st;
	plan->arena = arena;
	for (size_t i = 0; i < t.narray; i++)
		add(plan, AG_S("$unwind"), ag_val_str(t.arrays[i]));
	add(plan, AG_S("$group"),
	    object2(arena, AG_S("_id"), t.expr, AG_S("n"),
	            object1(arena, AG_S("$sum"), ag_val_int(1))));
	/* With the null of documents that lack the field. */
	add(plan, AG_S("$limit"), ag_val_int((int64_t)max + 2));
	if (plan->full)
		return ag_fail(err, AG_LIMIT, "documents.stat", "the field has more than %d \"[]\"",
		               AG_PIPELINE_MAX_STAGES - 5);
	*pipeline = ag_val_array(plan->v, plan->n);
	st = ag_source_aggregate(s, ctx, arena, pipeline, max + 2, &docs, &ndoc, err);
	if (st)
		return st;
	all = ag_new_n(arena, counted, ndoc + 1);
	for (size_t i = 0; i < ndoc; i++)
		n += take_value(&docs[i], &all[n]);
	if (n > max)
		return ag_fail(err, AG_LIMIT, "documents.stat",
		               "%.*s has more than %zu different values", AG_FMT(field), max);
	qsort(all, n, sizeof(*all), by_value);
	ret->values = ag_new_n(arena, ag_val, n + 1);
	ret->count = ag_new_n(arena, uint32_t, n + 1);
	ret->n = n;
	for (size_t i = 0; i < n; i++) {
		ret->values[i] = all[i].v;
		ret->count[i] = all[i].n;
	}
	return AG_OK;
}
