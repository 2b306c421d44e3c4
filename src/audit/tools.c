/* tools -- the auditor's tool table, and the tools that read.
 *
 * Each output is one JSON object in the shape the seed documents; additions stand beside. Outputs go into the event
 * log as they are, so their size is bounded here: documents and values are counted, bytes are capped by the table.
 * write_finding is in tool_finding.c. */
#include "audit/tools.h"
#include "audit/brief.h"

#include "query/extjson.h"
#include "query/pipeline.h"

/* Below what a store takes as one payload (16 MB), with room for the envelope. */
#define OUTPUT_MAX_BYTES (12UL * 1024 * 1024)

/* Of the documents in one answer: a planner reads some, nobody reads megabytes. */
#define DOCUMENTS_MAX_BYTES (4UL * 1024 * 1024)

static const char *const stat_names[] = { "count", "min", "max", "avg", "distinct", NULL };
static const char *const severities[] = { "critical", "high", "medium", "low", NULL };

static const ag_param sample_params[] = {
	{ "sample_size", AG_PARAM_INT, false, "documents to sample; default 200", 1, 0, NULL },
};

static const ag_param query_params[] = {
	{ "filter", AG_PARAM_OBJECT, false, "MongoDB filter; {} matches everything", 0, 0, NULL },
	{ "projection", AG_PARAM_OBJECT, false,
	  "fields to return, {\"name\": 1, \"address.city\": 1}; _id always", 0, 100, NULL },
	{ "limit", AG_PARAM_INT, false, "documents to return; default 50, at most 1000", 1, 0,
	  NULL },
};

static const ag_param aggregate_params[] = {
	{ "pipeline", AG_PARAM_ARRAY, true, "aggregation stages", 1, 50, NULL },
	{ "limit", AG_PARAM_INT, false, "results to return; default 50, at most 1000", 1, 0, NULL },
};

static const ag_param stats_params[] = {
	{ "field", AG_PARAM_STRING, true, "dotted path of one field", 1, 4096, NULL },
	{ "operation", AG_PARAM_STRING, true, "count, min, max, avg or distinct", 0, 0,
	  stat_names },
	{ "filter", AG_PARAM_OBJECT, false, "only documents that match", 0, 0, NULL },
};

static const ag_param profile_params[] = {
	{ "fields", AG_PARAM_STRINGS, true, "paths of the schema", 1, AG_PROFILE_FIELDS_MAX, NULL },
};

static const ag_param finding_params[] = {
	{ "field", AG_PARAM_STRING, true, "dotted path", 1, 4096, NULL },
	{ "category", AG_PARAM_STRING, true, "like null_rate, type_mismatch, outlier_value", 1, 200,
	  NULL },
	{ "severity", AG_PARAM_STRING, true, "critical, high, medium or low", 0, 0, severities },
	{ "description", AG_PARAM_STRING, true, "the problem in one sentence", 0, 10000, NULL },
	{ "hypothesis", AG_PARAM_STRING, true, "the suspected root cause", 0, 10000, NULL },
	{ "evidence_query", AG_PARAM_QUERY, true,
	  "filter or pipeline that finds the affected documents", 0, 0, NULL },
	{ .name = "affected_count",
	  .type = AG_PARAM_NUMBER,
	  .help = "documents affected",
	  .is_lenient = true },
	{ .name = "affected_pct",
	  .type = AG_PARAM_NUMBER,
	  .help = "their share, 0 to 1",
	  .is_lenient = true },
	{ "sample_values", AG_PARAM_ARRAY, false, "ignored: samples are read from the data", 0, 0,
	  NULL },
	{ "confirmed", AG_PARAM_BOOL, false, "whether evidence confirmed it; default true", 0, 0,
	  NULL },
	{ "detail", AG_PARAM_STRING, false, "particulars", 0, 10000, NULL },
	{ "repair", AG_PARAM_STRING, false, "a suggested repair", 0, 10000, NULL },
	{ "parts", AG_PARAM_ARRAY, false,
	  "overlapping problems of the same field, each with category, description and evidence_query",
	  0, AG_FINDING_MAX_PARTS, NULL },
};

static uint64_t int_param(const ag_val *input, const char *name, uint64_t otherwise)
{
	const ag_val *v = ag_val_getc(input, name);
	int64_t i;

	return v && ag_val_to_i64(v, &i) && i > 0 ? (uint64_t)i : otherwise;
}

static const ag_val *query_param(const ag_val *input, const char *name, const ag_val *otherwise)
{
	const ag_val *v = ag_val_getc(input, name);

	return v && v->type != AG_T_NULL ? v : otherwise;
}

static void raw_value(ag_jw *w, const ag_val *v, ag_arena *arena)
{
	ag_jw_raw(w, ag_extjson_str(arena, v, AG_EXTJSON_RELAXED));
}

static void without_samples(ag_survey *survey, ag_arena *arena)
{
	ag_field_stats *fields = ag_new_n(arena, ag_field_stats, survey->nfield);

	memcpy(fields, survey->fields, survey->nfield * sizeof(*fields));
	for (size_t i = 0; i < survey->nfield; i++)
		fields[i].nsample = 0;
	survey->fields = fields;
}

static ag_status schema_sample(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	ag_audit *a = c->env;
	ag_source *source = ag_audit_source(a);
	const ag_audit_opts *o = ag_audit_opts_of(a);
	const uint64_t standard = o->sample_size ? o->sample_size : 200;
	ag_survey survey;
	ag_status st;
	ag_jw w;

	st = ag_source_survey(source, &c->ctx, c->arena, int_param(input, "sample_size", standard),
	                      o->seed, &survey, err);
	if (st)
		return st;
	ag_jw_init(&w, &ret->json, 0);
	ag_survey_json(&survey, ag_source_info_of(source)->collection, true, &w);
	if (ret->json.failed) {
		/* A schema without samples is worth more than none. */
		without_samples(&survey, c->arena);
		ag_buf_clear(&ret->json);
		ag_jw_init(&w, &ret->json, 0);
		ag_survey_json(&survey, ag_source_info_of(source)->collection, true, &w);
	}
	ret->summary = ag_str_printf(c->arena, "sampled %llu documents, %zu paths, %zu truncated",
	                             (unsigned long long)survey.surveyed, survey.nfield,
	                             survey.ntruncated);
	return AG_OK;
}

static bool is_below(ag_str path, ag_str above)
{
	return path.len > above.len && path.ptr[above.len] == '.' && ag_str_starts(path, above);
}

/* The members of a document that a projection asks for; only 1/true entries count. */
static ag_val project(const ag_val *v, ag_str at, const ag_val *projection, ag_arena *arena)
{
	ag_member *m;
	ag_val *items;
	uint32_t n = 0;

	if (v->type == AG_T_ARRAY) {
		items = ag_new_n(arena, ag_val, v->n ? v->n : 1);
		for (uint32_t i = 0; i < v->n; i++)
			items[i] = project(&v->u.items[i], at, projection, arena);
		return ag_val_array(items, v->n);
	}
	if (v->type != AG_T_OBJECT)
		return *v;
	m = ag_new_n(arena, ag_member, v->n ? v->n : 1);
	for (uint32_t i = 0; i < v->n; i++) {
		const ag_member *member = &v->u.members[i];
		ag_str path = member->key;
		bool whole = !at.len && ag_str_eqc(path, "_id"), part = false;

		if (at.len)
			path = ag_str_printf(arena, "%.*s.%.*s", AG_FMT(at), AG_FMT(member->key));
		for (uint32_t k = 0; k < projection->n && !whole; k++) {
			const ag_member *asked = &projection->u.members[k];

			if (!ag_val_truthy(&asked->val))
				continue;
			whole = ag_str_eq(asked->key, path);
			part |= is_below(asked->key, path);
		}
		if (whole)
			m[n++] = *member;
		else if (part)
			m[n++] = (ag_member){ member->key,
				              project(&member->val, path, projection, arena) };
	}
	return ag_val_object(m, n);
}

/* Documents as texts, as many as fit into DOCUMENTS_MAX_BYTES. */
static size_t document_texts(const ag_found *found, const ag_val *projection, ag_arena *arena,
                             ag_str *ret)
{
	const bool is_part = projection && projection->type == AG_T_OBJECT && projection->n > 0;
	size_t nbyte = 0;

	for (size_t i = 0; i < found->ndoc; i++) {
		const ag_val doc = is_part ? project(&found->docs[i], AG_S(""), projection, arena)
		                           : found->docs[i];
		const ag_val brief = ag_brief_val(&doc, arena);

		ret[i] = ag_extjson_str(arena, &brief, AG_EXTJSON_RELAXED);
		nbyte += ret[i].len;
		if (nbyte > DOCUMENTS_MAX_BYTES)
			return i;
	}
	return found->ndoc;
}

static size_t found_json(const ag_found *found, const ag_val *filter, const ag_val *projection,
                         ag_str collection, ag_arena *arena, ag_jw *w)
{
	ag_str *docs = ag_new_n(arena, ag_str, found->ndoc ? found->ndoc : 1);
	const size_t n = document_texts(found, projection, arena, docs);

	ag_jw_obj(w);
	ag_jw_kstr(w, "collection", collection);
	ag_jw_kkey(w, "filter");
	raw_value(w, filter, arena);
	ag_jw_kuint(w, "matched_count", found->matched);
	ag_jw_kuint(w, "returned_count", n);
	ag_jw_kbool(w, "truncated", found->matched > n);
	ag_jw_kkey(w, "documents");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++)
		ag_jw_raw(w, docs[i]);
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "where");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++)
		ag_jw_str(w, found->where[i]);
	ag_jw_arr_end(w);
	ag_jw_obj_end(w);
	return n;
}

static ag_status run_query(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	ag_source *source = ag_audit_source(c->env);
	const ag_val everything = ag_val_object(NULL, 0);
	const ag_val *filter = query_param(input, "filter", &everything);
	ag_found found;
	ag_status st;
	size_t n;
	ag_jw w;

	st = ag_source_find(source, &c->ctx, c->arena, filter,
	                    int_param(input, "limit", AG_FIND_LIMIT_DEFAULT), &found, err);
	if (st)
		return st;
	ag_jw_init(&w, &ret->json, 0);
	n = found_json(&found, filter, query_param(input, "projection", NULL),
	               ag_source_info_of(source)->collection, c->arena, &w);
	ret->summary = ag_str_printf(c->arena, "matched %llu documents, returned %zu%s",
	                             (unsigned long long)found.matched, n,
	                             found.matched > n ? " (truncated)" : "");
	return AG_OK;
}

static ag_status aggregate(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	ag_source *source = ag_audit_source(c->env);
	const ag_val *pipeline = ag_val_getc(input, "pipeline");
	uint64_t limit = int_param(input, "limit", AG_FIND_LIMIT_DEFAULT);
	ag_evidence evidence;
	const ag_val *rows;
	ag_err ignored;
	ag_status st;
	size_t n;
	ag_jw w;

	if (limit > AG_FIND_LIMIT_MAX)
		limit = AG_FIND_LIMIT_MAX;
	st = ag_source_aggregate(source, &c->ctx, c->arena, pipeline, AG_PIPELINE_MAX_GROUPS, &rows,
	                         &n, err);
	if (st)
		return st;
	ag_jw_init(&w, &ret->json, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "collection", ag_source_info_of(source)->collection);
	ag_jw_kkey(&w, "pipeline");
	raw_value(&w, pipeline, c->arena);
	ag_jw_kuint(&w, "result_count", n);
	ag_jw_kuint(&w, "returned_count", n < limit ? n : limit);
	ag_jw_kbool(&w, "truncated", n > limit);
	/* The same reading that write_finding will apply to this pipeline. */
	if (n <= 1 && !ag_source_evidence(source, &c->ctx, c->arena,
	                                  ag_extjson_str(c->arena, pipeline, AG_EXTJSON_RELAXED),
	                                  &evidence, &ignored))
		ag_jw_kuint(&w, "matched_count", evidence.affected);
	ag_jw_kkey(&w, "results");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n && i < limit; i++) {
		const ag_val row = ag_brief_val(&rows[i], c->arena);

		raw_value(&w, &row, c->arena);
	}
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	ret->summary = ag_str_printf(c->arena, "%zu results", n);
	return AG_OK;
}

ag_str ag_stats_summary(ag_str operation, ag_str field, const ag_val *value, ag_arena *arena)
{
	const ag_str text = ag_extjson_str(arena, value, AG_EXTJSON_RELAXED);

	return ag_str_printf(arena, "%.*s of %.*s: %.*s%s", AG_FMT(operation), AG_FMT(field),
	                     (int)(text.len < 300 ? text.len : 300), text.ptr,
	                     text.len > 300 ? "…" : "");
}

static ag_status get_stats(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	ag_source *source = ag_audit_source(c->env);
	const ag_str field = ag_val_text(ag_val_getc(input, "field"));
	const ag_str operation = ag_val_text(ag_val_getc(input, "operation"));
	const ag_val *filter = query_param(input, "filter", NULL);
	ag_stat_op op = AG_STAT_COUNT;
	ag_str query, text;
	ag_val value;
	ag_status st;
	ag_jw w;

	while (!ag_str_ieq(operation, ag_str_c(stat_names[op])))
		op++;
	st = ag_source_stat(source, &c->ctx, c->arena,
	                    &(ag_stat_question){ .field = field, .op = op, .filter = filter },
	                    &value, &query, err);
	if (st)
		return st;
	text = ag_extjson_str(c->arena, &value, AG_EXTJSON_RELAXED);
	ag_jw_init(&w, &ret->json, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "collection", ag_source_info_of(source)->collection);
	ag_jw_kstr(&w, "field", field);
	ag_jw_kstr(&w, "operation", operation);
	ag_jw_kraw(&w, "value", text);
	/* Earlier clients read "result". */
	ag_jw_kraw(&w, "result", text);
	ag_jw_kkey(&w, "filter_used");
	if (filter)
		raw_value(&w, filter, c->arena);
	else
		ag_jw_null(&w);
	ag_jw_kstr(&w, "query_used", query);
	ag_jw_obj_end(&w);
	ret->summary = ag_stats_summary(operation, field, &value, c->arena);
	return AG_OK;
}

static const ag_tool rows[] = {
	{ .name = "schema_sample",
	  .help = "Sample documents and infer the schema. Always first.",
	  .params = sample_params,
	  .nparam = AG_NELEM(sample_params),
	  .flags = AG_TOOL_READS,
	  .max_output_bytes = OUTPUT_MAX_BYTES,
	  .run = schema_sample },
	{ .name = "run_query",
	  .help = "Count the documents that match a filter and return some of them.",
	  .params = query_params,
	  .nparam = AG_NELEM(query_params),
	  .flags = AG_TOOL_READS,
	  .max_output_bytes = OUTPUT_MAX_BYTES,
	  .run = run_query },
	{ .name = "get_stats",
	  .help = "One exact statistic of one field over all documents.",
	  .params = stats_params,
	  .nparam = AG_NELEM(stats_params),
	  .flags = AG_TOOL_READS,
	  .max_output_bytes = OUTPUT_MAX_BYTES,
	  .run = get_stats },
	{ .name = "aggregate",
	  .help = "Run an aggregation pipeline: duplicates, groups, dependencies.",
	  .params = aggregate_params,
	  .nparam = AG_NELEM(aggregate_params),
	  .flags = AG_TOOL_READS,
	  .max_output_bytes = OUTPUT_MAX_BYTES,
	  .run = aggregate },
	{ .name = "profile_fields",
	  .help = "Types, nulls, range and most frequent values of up to 50 fields over all documents.",
	  .params = profile_params,
	  .nparam = AG_NELEM(profile_params),
	  .flags = AG_TOOL_READS,
	  .max_output_bytes = OUTPUT_MAX_BYTES,
	  .run = ag_tool_profile_fields },
	{ .name = "write_finding",
	  .help = "Propose a finding: its evidence is run again and judged. The same field and category again updates it.",
	  .params = finding_params,
	  .nparam = AG_NELEM(finding_params),
	  .flags = AG_TOOL_READS | AG_TOOL_PROPOSES,
	  .max_output_bytes = OUTPUT_MAX_BYTES,
	  .run = ag_tool_write_finding },
	{ .name = "conclude",
	  .help = "End the audit. The run gate decides.",
	  .flags = AG_TOOL_CONCLUDES },
};
const ag_tool_set ag_audit_tools = { .tools = rows, .ntool = AG_NELEM(rows) };
