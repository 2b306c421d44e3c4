/* select -- which documents is evidence about?
 *
 * A filter says it by what it matches. A pipeline that counts has lost its documents at its end, so it is run in another
 * form: each document carries its row, each group collects the rows of its members, and the rows that reach the end are the
 * answer. Nothing else of the pipeline changes, so a group that a later stage drops takes its documents with it. */
#include "documents/source.h"

#define ROW  "argus:row"
#define ROWS "argus:rows"

/* --- the pipeline that keeps rows --- */

static ag_val object_of(ag_arena *arena, ag_str key, ag_val v)
{
	ag_member *m = ag_new(arena, ag_member);

	*m = (ag_member){ key, v };
	return ag_val_object(m, 1);
}

/* In front: it counts before one of the data that has the same name. */
static ag_val with_member(ag_arena *arena, const ag_val *obj, const char *key, ag_val v)
{
	ag_member *m = ag_new_n(arena, ag_member, (size_t)obj->n + 1);

	m[0] = (ag_member){ ag_str_c(key), v };
	if (obj->n)
		memcpy(m + 1, obj->u.members, obj->n * sizeof(*m));
	return ag_val_object(m, (size_t)obj->n + 1);
}

/* Does a $project list what it keeps? One that only lists what it drops keeps the rows by itself. */
static bool is_inclusion(const ag_val *spec)
{
	for (uint32_t i = 0; spec->type == AG_T_OBJECT && i < spec->n; i++) {
		const ag_member *m = &spec->u.members[i];
		int64_t n = 1;

		if (ag_str_eqc(m->key, "_id"))
			continue;
		return m->val.type == AG_T_BOOL ? m->val.u.b : !ag_val_to_i64(&m->val, &n) || n;
	}
	return false;
}

/* One stage; *name is the member that holds the rows before it, and then after it. */
static ag_val tracked_stage(ag_arena *arena, const ag_val *stage, const char **name)
{
	const ag_member *m = stage->u.members;
	ag_val group = m->val;

	if (ag_str_eqc(m->key, "$project") && is_inclusion(&m->val))
		return object_of(arena, m->key, with_member(arena, &m->val, *name, ag_val_int(1)));
	if (ag_str_eqc(m->key, "$count"))
		group = object_of(arena, AG_S("_id"), ag_val_null());
	else if (ag_str_eqc(m->key, "$sortByCount"))
		group = object_of(arena, AG_S("_id"), m->val);
	else if (!ag_str_eqc(m->key, "$group") || m->val.type != AG_T_OBJECT)
		return *stage;
	if (ag_str_eqc(m->key, "$sortByCount"))
		group = with_member(arena, &group, "count",
		                    object_of(arena, AG_S("$sum"), ag_val_int(1)));
	group = with_member(arena, &group, ROWS,
	                    object_of(arena, AG_S("$push"),
	                              ag_val_str(ag_str_printf(arena, "$%s", *name))));
	*name = ROWS;
	return object_of(arena, AG_S("$group"), group);
}

static ag_status tracked(const ag_val *pipeline, ag_arena *arena, ag_val *ret, const char **name,
                         ag_err *err)
{
	ag_val *stages = ag_new_n(arena, ag_val, (size_t)pipeline->n + 1);

	*name = ROW;
	for (uint32_t i = 0; i < pipeline->n; i++) {
		const ag_val *stage = &pipeline->u.items[i];

		if (stage->type != AG_T_OBJECT || stage->n != 1)
			return ag_fail(err, AG_INVALID, "documents.select",
			               "stage %u of the pipeline is no object with one member",
			               i + 1);
		if (ag_str_starts(stage->u.members[0].key, AG_S("$replace")))
			return ag_fail(err, AG_INVALID, "documents.select",
			               "%.*s replaces documents, so that nobody can say which ones "
			               "the pipeline is about",
			               AG_FMT(stage->u.members[0].key));
		stages[i] = tracked_stage(arena, stage, name);
	}
	*ret = ag_val_array(stages, pipeline->n);
	return AG_OK;
}

/* --- running it --- */

typedef struct feed {
	ag_pipeline_run *run;
	ag_arena *arena; /* emptied with each document */
	bool is_done;
} feed;

static ag_status push(void *arg, uint64_t i, const ag_val *doc, const ag_val *view, ag_err *err)
{
	feed *f = (feed *)arg;
	ag_val numbered;

	(void)doc;
	if (f->is_done)
		return AG_OK;
	ag_arena_reset(f->arena);
	numbered = with_member(f->arena, view, ROW, ag_val_int((int64_t)i));
	return ag_pipeline_run_push(f->run, &numbered, &f->is_done, err);
}

static void take_rows(const ag_val *v, ag_bits *rows)
{
	int64_t i;

	if (!v)
		return;
	for (uint32_t k = 0; v->type == AG_T_ARRAY && k < v->n; k++)
		take_rows(&v->u.items[k], rows);
	if (ag_val_to_i64(v, &i) && i >= 0 && (uint64_t)i < rows->n)
		ag_bits_set(rows, (uint64_t)i);
}

static ag_status run_feed(ag_source *s, const ag_ctx *ctx, const ag_val *stages,
                          const ag_pipeline *p, ag_arena *arena, const ag_val **ret, size_t *nret,
                          ag_err *err)
{
	const bool has_lead = ag_pipeline_leading_match(p) != NULL;
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	AG_AUTO(ag_bits_release) ag_bits lead = { 0 };
	feed f = { .arena = scratch };
	ag_status st = AG_OK;
	const ag_str *paths;
	ag_safe_query first;
	ag_str *names;
	bool is_whole;
	size_t n;

	if (has_lead)
		st = ag_docquery_check(&stages->u.items[0].u.members[0].val, arena, &first, err);
	if (has_lead && !st)
		st = s->type->match(s, ctx, &first, &lead, err);
	if (st)
		return st;
	ag_pipeline_paths(p, arena, &paths, &n, &is_whole);
	names = ag_new_n(arena, ag_str, n + 1);
	for (size_t i = 0; i < n; i++) {
		ag_str rest = paths[i];

		names[i] = ag_str_split(&rest, '.');
	}
	f.run = ag_pipeline_run_begin(p, has_lead);
	st = s->type->each(s, ctx, has_lead ? &lead : NULL, names,
	                   is_whole ? 0
	                   : n      ? n
	                            : 1,
	                   push, &f, err);
	if (!st)
		st = ag_pipeline_run_end(f.run, arena, SIZE_MAX, ret, nret, err);
	ag_pipeline_run_free(f.run);
	return st;
}

static ag_status select_pipeline(ag_source *s, const ag_ctx *ctx, const ag_val *pipeline,
                                 ag_arena *arena, ag_bits *ret, ag_err *err)
{
	const ag_val *results;
	const char *name;
	ag_safe_query q;
	ag_status st;
	ag_val v;
	size_t n;

	st = tracked(pipeline, arena, &v, &name, err);
	if (!st)
		st = ag_docquery_check(&v, arena, &q, err);
	if (!st)
		st = run_feed(s, ctx, &v, q.pipeline, arena, &results, &n, err);
	if (st)
		return st;
	ag_bits_init(ret, s->info.ndoc);
	for (size_t i = 0; i < n; i++)
		take_rows(ag_val_getc(&results[i], name), ret);
	return AG_OK;
}

bool ag_source_has_rows(const ag_source *s)
{
	return s->type->match && s->type->each;
}

static ag_status has_rows(const ag_source *s, ag_err *err)
{
	if (ag_source_has_rows(s))
		return AG_OK;
	return ag_fail(err, AG_INVALID, "documents.select",
	               "%.*s: documents of this source have no rows", AG_FMT(s->info.uri));
}

ag_status ag_source_select(ag_source *s, const ag_ctx *ctx, ag_str query_text, ag_bits *ret,
                           ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const ag_val *query;
	ag_safe_query q;
	ag_status st;

	st = has_rows(s, err);
	if (!st)
		st = ag_ctx_check(ctx, err);
	if (!st)
		st = ag_docquery_value(query_text, arena, &query, err);
	if (st)
		return st;
	atomic_fetch_add_explicit(&s->ncall, 1, memory_order_relaxed);
	if (query->type == AG_T_ARRAY)
		return select_pipeline(s, ctx, query, arena, ret, err);
	st = ag_docquery_check(query, arena, &q, err);
	return st ? st : s->type->match(s, ctx, &q, ret, err);
}

ag_status ag_source_each(ag_source *s, const ag_ctx *ctx, const ag_bits *rows,
                         const ag_str *members, size_t nmember, ag_doc_fn fn, void *arg,
                         ag_err *err)
{
	ag_status st = has_rows(s, err);

	if (!st)
		st = ag_ctx_check(ctx, err);
	if (st)
		return st;
	atomic_fetch_add_explicit(&s->ncall, 1, memory_order_relaxed);
	return s->type->each(s, ctx, rows, members, nmember, fn, arg, err);
}

bool ag_source_byte(ag_source *s, uint64_t row, uint64_t *ret)
{
	if (!s->type->byte || row >= s->info.ndoc)
		return false;
	*ret = s->type->byte(s, row);
	return true;
}
