/* tools_schema -- the survey as JSON, and profile_fields: exact statistics of the fields a planner names.
 *
 * profile_fields exists because twenty steps at one field each cannot cover a wide schema, and naming paths in a query
 * must not count as looking at them: here each field named is really profiled, and one that does not exist is refused. */
#include "audit/brief.h"
#include "audit/mask.h"
#include "audit/tools.h"
#include "query/extjson.h"
#include "query/path.h"

#define ALL_VALUES  10 /* so few distinct values are all given */
#define TOP_VALUES  5  /* else the most frequent */
#define RARE_VALUES 3  /* and the rarest: mistakes are there */

void ag_survey_field_json(const ag_field_stats *f, bool show_values, ag_arena *arena, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "path", f->path);
	ag_jw_kkey(w, "types");
	ag_jw_obj(w);
	for (size_t i = 0; i < f->ntype; i++) {
		ag_jw_key(w, f->types[i].name);
		ag_jw_uint(w, f->types[i].n);
	}
	ag_jw_obj_end(w);
	ag_jw_kuint(w, "present_count", f->present);
	ag_jw_kuint(w, "missing_count", f->missing);
	ag_jw_kuint(w, "null_count", f->null);
	ag_jw_kdouble(w, "null_rate", f->null_rate);
	ag_jw_kuint(w, "cardinality", f->cardinality);
	ag_jw_kbool(w, "cardinality_capped", f->cardinality_capped);
	ag_jw_kkey(w, "sample_values");
	ag_jw_arr(w);
	for (size_t i = 0; i < f->nsample; i++) {
		const ag_val whole = show_values ? f->samples[i]
		                                 : ag_mask_val(f->path, &f->samples[i], arena);
		const ag_val v = ag_brief_sample(&whole, arena);

		ag_jw_raw(w, ag_extjson_str(arena, &v, AG_EXTJSON_RELAXED));
	}
	ag_jw_arr_end(w);
	ag_jw_kbool(w, "container", f->container || f->is_map);
	ag_jw_obj_end(w);
}

void ag_survey_json(const ag_survey *survey, ag_str collection, bool show_values, ag_jw *w)
{
	ag_arena *arena = ag_arena_new();

	ag_jw_obj(w);
	ag_jw_kstr(w, "collection", collection);
	ag_jw_kuint(w, "documents_sampled", survey->surveyed);
	ag_jw_kkey(w, "fields");
	ag_jw_arr(w);
	for (size_t i = 0; i < survey->nfield; i++)
		ag_survey_field_json(&survey->fields[i], show_values, arena, w);
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "truncated_paths");
	ag_jw_arr(w);
	for (size_t i = 0; i < survey->ntruncated; i++)
		ag_jw_str(w, survey->truncated[i]);
	ag_jw_arr_end(w);
	ag_jw_kuint(w, "paths_left_out", survey->paths_left_out);
	ag_jw_obj_end(w);
	ag_arena_free(arena);
}

static void types_json(const ag_path_profile *f, ag_jw *w)
{
	ag_jw_kkey(w, "types");
	ag_jw_obj(w);
	for (unsigned t = 0; t < AG_NTYPE; t++)
		if (f->by_type[t]) {
			ag_jw_kkey(w, ag_type_seed_name(t));
			ag_jw_uint(w, f->by_type[t]);
		}
	ag_jw_obj_end(w);
}

static void range_json(const ag_path_profile *f, ag_jw *w)
{
	if (f->num.n) {
		ag_jw_kdouble(w, "min", f->num.q.min);
		ag_jw_kdouble(w, "median", f->num.q.p50);
		ag_jw_kdouble(w, "max", f->num.q.max);
	}
	if (f->date.n) {
		ag_jw_ktime(w, "earliest", f->date.min_ms);
		ag_jw_ktime(w, "latest", f->date.max_ms);
	}
	if (f->str.n) {
		ag_jw_kdouble(w, "median_length", f->str.length.p50);
		ag_jw_kuint(w, "empty_strings", f->str.nempty + f->str.nblank);
	}
}

/* Values i to end of the list, which has the most frequent first. */
static void values_json(const ag_path_profile *f, const char *key, size_t i, size_t end,
                        ag_arena *arena, ag_jw *w)
{
	ag_jw_kkey(w, key);
	ag_jw_arr(w);
	for (; i < f->nvalue && i < end; i++) {
		const ag_val v = ag_brief_sample(&f->values[i].v, arena);

		ag_jw_obj(w);
		ag_jw_kraw(w, "value", ag_extjson_str(arena, &v, AG_EXTJSON_RELAXED));
		ag_jw_kuint(w, "count", f->values[i].n);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

static void profile_json(const ag_path_profile *f, ag_str asked, uint64_t ndoc, ag_arena *arena,
                         ag_jw *w)
{
	const bool is_small = f->values_complete && f->nvalue <= ALL_VALUES;
	const size_t ntop = is_small ? ALL_VALUES : TOP_VALUES;

	ag_jw_obj(w);
	ag_jw_kstr(w, "path", asked);
	ag_jw_kuint(w, "present_count", f->ndoc);
	ag_jw_kuint(w, "missing_count", ndoc - f->ndoc);
	ag_jw_kuint(w, "null_count", f->ndoc_null);
	types_json(f, w);
	ag_jw_kuint(w, "distinct", f->ndistinct);
	range_json(f, w);
	values_json(f, "top_values", 0, ntop, arena, w);
	/* Where some thousand values are, each of them is rare. */
	if (f->values_complete && f->nvalue > ntop)
		values_json(f, "rare_values",
		            f->nvalue - ntop > RARE_VALUES ? f->nvalue - RARE_VALUES : ntop,
		            f->nvalue, arena, w);
	ag_jw_obj_end(w);
}

ag_status ag_tool_profile_fields(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	const ag_val *fields = ag_val_getc(input, "fields");
	const ag_profile *profile;
	ag_status st;
	ag_jw w;

	st = ag_audit_profile(c->env, &c->ctx, &profile, err);
	if (st)
		return st;
	ag_jw_init(&w, &ret->json, 0);
	ag_jw_obj(&w);
	ag_jw_kuint(&w, "documents", profile->ndoc);
	ag_jw_kkey(&w, "fields");
	ag_jw_arr(&w);
	for (uint32_t i = 0; i < fields->n; i++) {
		const ag_str name = ag_val_text(&fields->u.items[i]);
		const ag_path_profile *f = ag_profile_find_named(profile, name);

		if (!f) {
			ag_fail(err, AG_NOT_FOUND, "audit.tools", "there is no field \"%.*s\"",
			        (int)(name.len < 100 ? name.len : 100), name.ptr);
			return ag_err_hint(err, "use the paths that schema_sample listed");
		}
		profile_json(f, name, profile->ndoc, c->arena, &w);
	}
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	ret->summary = ag_str_printf(c->arena, "profiled %u fields over %llu documents", fields->n,
	                             (unsigned long long)profile->ndoc);
	return AG_OK;
}
