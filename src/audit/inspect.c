/* inspect -- see the header. */
#include "audit/inspect.h"

#include "audit/distribution.h"
#include "audit/tools.h"
#include "query/extjson.h"

#define ORIGIN  "audit.inspect"
#define MAX_OUT (1024u * 1024 * 1024)

/* Is it the path, its query form, or below it? */
static bool is_at(ag_str path, ag_str query, ag_str asked)
{
	const ag_str forms[] = { path, query };

	for (size_t i = 0; i < AG_NELEM(forms); i++) {
		const ag_str s = forms[i];

		if (!asked.len || !ag_str_starts(s, asked))
			continue;
		if (s.len == asked.len || s.ptr[asked.len] == '.' || s.ptr[asked.len] == '[')
			return true;
	}
	return false;
}

bool ag_inspect_is_wanted(const ag_inspect_opts *o, ag_str path, ag_str query)
{
	for (size_t i = 0; i < o->npath; i++)
		if (is_at(path, query, o->paths[i]))
			return true;
	return o->npath == 0;
}

static ag_str first_issue(const ag_source_info *info, ag_arena *arena)
{
	const bool is_bson = ag_str_eqc(info->format, "bson");
	const ag_table_issue *i = info->issues;

	if (!info->nissue)
		return AG_S("");
	return ag_str_printf(arena, "%s %llu: %.*s",
	                     is_bson   ? "document"
	                     : i->line ? "line"
	                               : "byte",
	                     (unsigned long long)(i->line ? i->line : i->byte), AG_FMT(i->what));
}

static ag_status distributions(const ag_inspect_opts *o, const ag_profile *p, ag_arena *a, ag_jw *w,
                               ag_err *err)
{
	static const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_buf out = AG_BUF_INIT(MAX_OUT);
	ag_status st = AG_OK;
	ag_val list;
	ag_jw inner;

	ag_jw_init(&inner, &out, 0);
	ag_jw_arr(&inner);
	for (size_t i = 0; i < p->npath; i++)
		if (ag_inspect_is_wanted(o, p->paths[i].path, p->paths[i].query))
			ag_distribution_json(&p->paths[i], p->ndoc, NULL, a, &inner);
	ag_jw_arr_end(&inner);
	if (out.failed)
		st = ag_fail(err, AG_LIMIT, ORIGIN, "the figures are larger than 1 GiB");
	if (!st)
		st = ag_extjson_parse(ag_buf_dup(a, &out), &opts, a, &list, NULL, NULL, err);
	if (!st && !o->show_values)
		list = ag_distributions_masked(&list, a);
	if (!st) {
		ag_jw_kkey(w, "distributions");
		ag_distributions_write(&list, a, w);
	}
	ag_buf_release(&out);
	return st;
}

static ag_status collection_json(const ag_source_info *info, const ag_inspect_opts *o,
                                 const ag_inspected *seen, ag_arena *a, ag_jw *w, ag_err *err)
{
	const ag_survey *s = &seen->survey;
	ag_status st;

	ag_jw_obj(w);
	ag_jw_kstr(w, "collection", info->collection);
	ag_jw_kstr(w, "database", info->database);
	ag_jw_kstr(w, "source", info->uri);
	ag_jw_kuint(w, "collection_size", info->ndoc);
	ag_jw_kuint(w, "documents_sampled", s->surveyed);
	ag_jw_kuint(w, "broken", info->broken);
	ag_jw_kstr(w, "first_issue", first_issue(info, a));
	ag_jw_kbool(w, "masked", !o->show_values);
	ag_jw_kkey(w, "fields");
	ag_jw_arr(w);
	for (size_t i = 0; i < s->nfield; i++)
		if (ag_inspect_is_wanted(o, s->fields[i].path, s->fields[i].path))
			ag_survey_field_json(&s->fields[i], o->show_values, a, w);
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "truncated_paths");
	ag_jw_arr(w);
	for (size_t i = 0; i < s->ntruncated; i++)
		ag_jw_str(w, s->truncated[i]);
	ag_jw_arr_end(w);
	ag_jw_kuint(w, "paths_left_out", s->paths_left_out);
	st = distributions(o, &seen->profile, a, w, err);
	ag_jw_obj_end(w);
	return st;
}

ag_status ag_inspect(ag_source *source, const ag_ctx *ctx, const ag_inspect_opts *o,
                     ag_arena *arena, ag_jw *w, ag_inspected *ret, ag_err *err)
{
	ag_status st = ag_source_survey(source, ctx, arena, o->sample, o->seed, &ret->survey, err);

	if (!st)
		st = ag_source_profile_of(source, ctx, arena, o->sample, o->seed, &ret->profile,
		                          err);
	return st ? st : collection_json(ag_source_info_of(source), o, ret, arena, w, err);
}
