/* The auditor for a model: four tools that read a project's documents, and one that runs a whole audit of them.
 *
 * lint: table. The documents are those of the project's setting `documents`; which of its collections is an argument. */
#include "app/mcp_tools.h"
#include "app/models.h"
#include "audit/tools.h"
#include "mcp/tools_sql.h"
#include "query/extjson.h"

#define ORIGIN     "app.mcp_audit"
#define MAX_RESULT (64u << 20)

static bool has_documents(const ag_project *p)
{
	return p->settings.documents.len > 0;
}

static bool offered(void *env, const ag_caller *who, const ag_mcp_tool *t)
{
	(void)t;
	return ag_caller_has_scope(who, "audit") && ag_app_mcp_any(env, who, has_documents);
}

/* --- the collection --- */

static ag_status no_such_collection(const ag_source_place *places, size_t n, ag_str name,
                                    ag_err *err)
{
	ag_buf names = AG_BUF_INIT(160);

	for (size_t i = 0; i < n && !names.failed; i++)
		ag_buf_addf(&names, "%s%.*s", i ? ", " : "", AG_FMT(places[i].collection));
	if (name.len)
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no collection \"%.*s\"",
		        (int)(name.len < 100 ? name.len : 100), name.ptr);
	else
		ag_fail(err, AG_INVALID, ORIGIN, "collection is needed: there are %zu", n);
	ag_err_hint(err, "there are: %.*s%s", AG_FMT(ag_buf_view(&names)),
	            names.failed ? " …" : "");
	ag_buf_release(&names);
	return name.len ? AG_NOT_FOUND : AG_INVALID;
}

static ag_status open_collection(ag_app_mcp *m, ag_mcp_call *c, const ag_project *p, ag_str name,
                                 ag_source **ret, ag_err *err)
{
	const ag_source_opts so = { .strict = m->app->settings.strict };
	ag_source_place *places;
	size_t n, i = 0;
	ag_status st;

	if (!has_documents(p))
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "project %.*s has no documents",
		               AG_FMT(p->id));
	st = ag_source_list(&c->ctx, p->settings.documents, c->arena, &places, &n, err);
	if (st)
		return st;
	while (i < n && !(name.len ? ag_str_eq(places[i].collection, name) : n == 1))
		i++;
	if (i == n)
		return no_such_collection(places, n, name, err);
	return ag_source_open_place(&c->ctx, &places[i], &so, ret, err);
}

/* --- the tools that read --- */

/* The input without what is ours: the auditor's tools know no projects. Filters and pipelines are extended JSON, which the
 * protocol's reader does not know. */
static ag_status own_input(const ag_val *input, ag_arena *arena, ag_val *ret, ag_err *err)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_member *members = ag_new_n(arena, ag_member, input->n + 1);
	size_t n = 0;

	for (uint32_t i = 0; i < input->n; i++) {
		const ag_member *x = &input->u.members[i];

		if (!ag_str_eqc(x->key, "project_id") && !ag_str_eqc(x->key, "collection"))
			members[n++] = *x;
	}
	*ret = ag_val_object(members, n);
	return ag_extjson_parse(ag_extjson_str(arena, ret, AG_EXTJSON_RELAXED), &opts, arena, ret,
	                        NULL, NULL, err);
}

static ag_status run_reader(ag_app_mcp *m, ag_mcp_call *c, const ag_project *p, const ag_tool *t,
                            const ag_val *input, ag_observation *ret, ag_source **ret_source,
                            ag_err *err)
{
	ag_audit_opts *o = ag_new(c->arena, ag_audit_opts);
	ag_val own;
	ag_status st = own_input(input, c->arena, &own, err);

	if (!st)
		st = open_collection(m, c, p, ag_val_member_str(input, "collection"), ret_source,
		                     err);
	if (st)
		return st;
	ag_app_audit_opts(m->app, c->arena, o);
	return t->run(ag_audit_for_reading(*ret_source, o, c->arena), &c->ctx, c->arena, &own, ret,
	              err);
}

static ag_status read_documents(ag_mcp_call *c, const char *name, const ag_val *input,
                                ag_mcp_result *ret, ag_err *err)
{
	ag_app_mcp *m = c->env;
	const ag_tool *t = ag_tool_find(ag_audit_tools, ag_audit_ntool, ag_str_c(name));
	const int64_t began = ag_clock_wall(c->ctx.clock);
	const char *outcome = "ok";
	ag_source *source = NULL;
	ag_project_call call;
	ag_observation obs;
	ag_err why = { 0 };
	ag_status st;

	(void)err;
	if (!ag_app_mcp_admit(m, c, name, input, AG_ROLE_VIEWER, "audit", &call, ret))
		return AG_OK;
	c->ctx.nthread = m->app->ctx.nthread;
	st = run_reader(m, c, call.project, t, input, &obs, &source, &why);
	if (!st) {
		ag_buf_init(&ret->structured, MAX_RESULT);
		ag_buf_add(&ret->structured, obs.json);
	} else {
		outcome = ag_app_mcp_fail(c, &why, ret);
	}
	ag_source_close(source);
	ag_app_mcp_end(m, c, &call, ag_val_member_str(input, "collection"), began, outcome,
	               st ? 0 : obs.json.len, ret);
	return AG_OK;
}

#define READER(name)                                                                   \
	static ag_status name(ag_mcp_call *c, const ag_val *input, ag_mcp_result *ret, \
	                      ag_err *err)                                             \
	{                                                                              \
		return read_documents(c, #name, input, ret, err);                      \
	}
READER(schema_sample)
READER(run_query)
READER(get_stats)
READER(aggregate)
#undef READER

/* --- a whole audit --- */

static void tell(void *arg, const ag_event *ev)
{
	if (ev->type == AG_EV_TOOL_OUTPUT)
		ag_mcp_progress(arg, (double)ev->seq, 0, AG_S("auditing"));
}

static ag_status run_audit(ag_app_mcp *m, ag_mcp_call *c, const ag_project *p, const ag_val *input,
                           ag_audit_result *ret, ag_err *err)
{
	ag_audit_opts *o = ag_new(c->arena, ag_audit_opts);
	ag_source *source = NULL;
	ag_store *store = NULL;
	ag_status st = open_collection(m, c, p, ag_val_member_str(input, "collection"), &source,
	                               err);

	ag_app_audit_opts(m->app, c->arena, o);
	if (!st)
		st = ag_store_open(m->store_uri, &store, err);
	/* Without a model: what it may cost, nobody here has said. */
	if (!st) {
		for (size_t i = 0; i < AG_NGATE; i++)
			o->evaluators[i] = AG_EVAL_RULES;
		st = ag_audit_run(&c->ctx, source, store, o, ag_planner_builtin_make, NULL, tell, c,
		                  c->arena, ret, err);
	}
	ag_store_close(store);
	ag_source_close(source);
	return st;
}

static ag_status audit_collection(ag_mcp_call *c, const ag_val *input, ag_mcp_result *ret,
                                  ag_err *err)
{
	ag_app_mcp *m = c->env;
	const int64_t began = ag_clock_wall(c->ctx.clock);
	const char *outcome = "ok";
	ag_audit_result r = { 0 };
	ag_project_call call;
	ag_err why = { 0 };
	ag_status st;

	(void)err;
	if (!ag_app_mcp_admit(m, c, "audit_collection", input, AG_ROLE_ANALYST, "audit", &call,
	                      ret))
		return AG_OK;
	c->ctx.nthread = m->app->ctx.nthread;
	st = run_audit(m, c, call.project, input, &r, &why);
	if (!st) {
		ag_buf_init(&ret->structured, MAX_RESULT);
		ag_buf_add(&ret->structured, r.report);
		ret->is_error = ag_str_eqc(r.run_result.status, "failed");
	} else {
		outcome = ag_app_mcp_fail(c, &why, ret);
	}
	ag_app_mcp_end(m, c, &call, ag_val_member_str(input, "collection"), began, outcome,
	               st ? 0 : r.report.len, ret);
	return AG_OK;
}

/* --- the table --- */

#define OF_PROJECT                                                           \
	{ .name = "collection",                                              \
	  .type = AG_PARAM_STRING,                                           \
	  .max = 512,                                                        \
	  .help = "Which collection; only needed when there are several." }, \
	{                                                                    \
		.name = "project_id", .type = AG_PARAM_STRING, .max = 128,   \
		.help = "Project; only needed when you have several."        \
	}

static const char *const operations[] = { "count", "min", "max", "avg", "distinct", NULL };

static const ag_param sample_params[] = {
	{ .name = "sample_size",
	  .type = AG_PARAM_INT,
	  .min = 1,
	  .max = 1000000,
	  .help = "documents to sample; default 200",
	  .is_lenient = true },
	OF_PROJECT,
};
static const ag_param find_params[] = {
	{ .name = "filter",
	  .type = AG_PARAM_OBJECT,
	  .help = "MongoDB filter in extended JSON; {} matches everything" },
	{ .name = "projection", .type = AG_PARAM_OBJECT, .help = "fields to return" },
	{ .name = "limit",
	  .type = AG_PARAM_INT,
	  .min = 1,
	  .max = 1000,
	  .help = "documents to return; default 50" },
	OF_PROJECT,
};
static const ag_param stats_params[] = {
	{ .name = "field",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .min = 1,
	  .max = 4096,
	  .help = "dotted path of one field" },
	{ .name = "operation",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .one_of = operations,
	  .help = "the statistic" },
	{ .name = "filter", .type = AG_PARAM_OBJECT, .help = "only documents that match" },
	OF_PROJECT,
};
static const ag_param pipeline_params[] = {
	{ .name = "pipeline",
	  .type = AG_PARAM_ARRAY,
	  .required = true,
	  .min = 1,
	  .max = 50,
	  .help = "aggregation stages in extended JSON; none that writes" },
	{ .name = "limit",
	  .type = AG_PARAM_INT,
	  .min = 1,
	  .max = 1000,
	  .help = "results to return; default 50" },
	OF_PROJECT,
};
static const ag_param audit_params[] = { OF_PROJECT };

static const char object_schema[] = "{\"type\":\"object\"}";

#define PARAMS(p) \
	.params = (p), .nparam = AG_NELEM(p), .flags = AG_TOOL_READS, .max_output_bytes = MAX_RESULT
#define READS .is_read_only = true, .is_idempotent = true, .output_schema = object_schema

static const ag_mcp_tool tools[] = {
	{ .tool = { .name = "schema_sample",
	            .help = "Sample documents of a collection and infer the schema.",
	            PARAMS(sample_params) },
	  .title = "Sample a collection",
	  READS,
	  .call = schema_sample },
	{ .tool = { .name = "run_query",
	            .help = "Documents that match a MongoDB filter, and how many there are.",
	            PARAMS(find_params) },
	  .title = "Find documents",
	  READS,
	  .call = run_query },
	{ .tool = { .name = "get_stats",
	            .help = "One exact statistic of one field over all documents.",
	            PARAMS(stats_params) },
	  .title = "Get a statistic",
	  READS,
	  .call = get_stats },
	{ .tool = { .name = "aggregate",
	            .help = "Run a read-only aggregation pipeline.",
	            PARAMS(pipeline_params) },
	  .title = "Aggregate documents",
	  READS,
	  .call = aggregate },
	{ .tool = { .name = "audit_collection",
	            .help = "Look for data-quality problems in a whole collection; every finding is confirmed by "
	                    "an exact query. Takes seconds to minutes.",
	            PARAMS(audit_params) },
	  .title = "Audit a collection",
	  .output_schema = object_schema,
	  .is_read_only = true,
	  .may_be_long = true,
	  .call = audit_collection },
};

ag_mcp_tools ag_app_mcp_audit_tools(ag_app_mcp *m)
{
	return (ag_mcp_tools){
		.tools = tools, .ntool = AG_NELEM(tools), .env = m, .offered = offered
	};
}
