/* The auditor for a model: four tools that read a project's documents, and one that runs a whole audit of them.
 *
 * lint: table. The documents are those of the project's setting `documents`; which of its collections is an argument. */
#include "app/mcp_tools.h"
#include "app/models.h"
#include "audit/neighbours.h"
#include "audit/tools.h"
#include "query/extjson.h"
#include "report/read.h"

#define ORIGIN     "app.mcp_audit"
#define MAX_READ   (12u << 20)
#define MAX_REPORT (64u << 20)
#define MAX_VALUES (4u << 20) /* of a report that is read again for its verdict */

static bool has_documents(const ag_project *p)
{
	return p->settings.documents.len > 0;
}

static bool offered(void *env, const ag_caller *who, const ag_tool *t)
{
	(void)t;
	return ag_app_mcp_any(env, who, has_documents);
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

/* ret_places: all collections of the project. */
static ag_status open_collection(ag_app_mcp *m, ag_call *c, const ag_project *p, ag_str name,
                                 ag_source **ret, ag_source_place **ret_places, size_t *ret_n,
                                 ag_err *err)
{
	const ag_source_opts so = ag_app_source_opts(m->app);
	ag_source_place *places;
	size_t n, i = 0;
	ag_status st;

	if (!has_documents(p))
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "project %.*s has no documents",
		               AG_FMT(p->id));
	st = ag_source_list(&c->ctx, p->documents, c->arena, &places, &n, err);
	/* No names of other files: a client may know only those of its project. */
	if (st == AG_NOT_FOUND)
		return ag_err_hint(err, "an administrator of the project must correct `documents`");
	if (st)
		return st;
	while (i < n && !(name.len ? ag_str_eq(places[i].collection, name) : n == 1))
		i++;
	if (i == n)
		return no_such_collection(places, n, name, err);
	*ret_places = places;
	*ret_n = n;
	return ag_source_cache_open(ag_services_documents(m->services), &c->ctx, &places[i], &so,
	                            ret, err);
}

/* --- the tools that read --- */

/* The input without what is ours: the auditor's tools know no projects. */
static ag_val own_input(const ag_val *input, ag_arena *arena)
{
	ag_member *members = ag_new_n(arena, ag_member, input->n + 1);
	size_t n = 0;

	for (uint32_t i = 0; i < input->n; i++) {
		const ag_member *x = &input->u.members[i];

		if (!ag_str_eqc(x->key, "project_id") && !ag_str_eqc(x->key, "collection"))
			members[n++] = *x;
	}
	return ag_val_object(members, n);
}

/* The auditor's tool of the same name, on the collection that the call names. */
static ag_status read_documents(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	ag_app_mcp *m = c->env;
	const ag_val own = own_input(input, c->arena);
	ag_audit_opts *o = ag_new(c->arena, ag_audit_opts);
	ag_source *source = NULL;
	ag_source_place *places;
	ag_call inner = *c;
	ag_status st;
	size_t n;

	c->ctx.nthread = m->app->ctx.nthread;
	st = open_collection(m, c, c->project, ag_val_member_str(input, "collection"), &source,
	                     &places, &n, err);
	if (st)
		return st;
	ag_app_audit_opts(m->app, c->arena, o);
	inner.ctx = c->ctx;
	inner.env = ag_audit_for_reading(source, o, c->arena);
	inner.tool = ag_tool_find(ag_audit_tools.tools, ag_audit_tools.ntool,
	                          ag_str_c(c->tool->name));
	st = ag_tool_call(&inner, &own, out, err);
	ag_source_close(source);
	return st;
}

/* --- a whole audit --- */

static void tell(void *arg, const ag_event *ev)
{
	if (ev->type == AG_EV_TOOL_OUTPUT)
		ag_call_progress(arg, (double)ev->seq, 0, AG_S("auditing"));
}

static ag_status run_audit(ag_app_mcp *m, ag_call *c, const ag_project *p, const ag_val *input,
                           ag_audit_result *ret, ag_err *err)
{
	ag_audit_opts *o = ag_new(c->arena, ag_audit_opts);
	ag_source *source = NULL;
	ag_store *store = NULL;
	ag_neighbours *neighbours = NULL;
	ag_source_place *places;
	size_t n;
	ag_status st = open_collection(m, c, p, ag_val_member_str(input, "collection"), &source,
	                               &places, &n, err);

	ag_app_audit_opts(m->app, c->arena, o);
	if (!st && n > 1)
		o->neighbours = neighbours = ag_neighbours_new(places, n);
	if (!st)
		st = ag_store_open(m->store_uri, &store, err);
	/* Without a model: what it may cost, nobody here has said. */
	if (!st) {
		for (size_t i = 0; i < AG_NGATE; i++)
			o->evaluators[i] = AG_EVAL_RULES;
		st = ag_audit_run(&c->ctx,
		                  &(ag_audit_job){ .source = source,
		                                   .store = store,
		                                   .opts = o,
		                                   .make = ag_planner_builtin_make,
		                                   .on_event = tell,
		                                   .on_event_arg = c },
		                  c->arena, ret, err);
	}
	ag_store_close(store);
	ag_source_close(source);
	ag_neighbours_log_unread(neighbours);
	ag_neighbours_free(neighbours);
	return st;
}

/* What the report itself does not hold: its verdict in words. */
static void write_view(ag_call *c, ag_str report, ag_buf *out)
{
	const ag_extjson_opts opts = { .max_values = MAX_VALUES };
	ag_val v;
	ag_jw w;

	if (ag_extjson_parse(report, &opts, c->arena, &v, NULL, NULL, NULL))
		return;
	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "words", ag_report_verdict(&v, 4, c->arena));
	ag_jw_obj_end(&w);
}

static ag_status audit_collection(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	ag_app_mcp *m = c->env;
	ag_audit_result r = { 0 };
	ag_status st;

	c->ctx.nthread = m->app->ctx.nthread;
	st = run_audit(m, c, c->project, input, &r, err);
	if (st)
		return st;
	ag_buf_add(&out->json, r.report);
	if (c->wants_frame)
		write_view(c, r.report, &out->frame);
	out->is_error = ag_str_eqc(r.run_result.status, "failed");
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

#define GOVERNED(p, max)                                                      \
	.params = (p), .nparam = AG_NELEM(p), .output_schema = object_schema, \
	.max_output_bytes = (max), .scope = "audit", .recorded = "collection"
#define READS                                                                                   \
	.flags = AG_TOOL_READS | AG_TOOL_IDEMPOTENT | AG_TOOL_EXTJSON, .least = AG_ROLE_VIEWER, \
	.run = read_documents

static const ag_tool tools[] = {
	{ .name = "schema_sample",
	  .help = "Sample documents of a collection and infer the schema.",
	  .title = "Sample a collection",
	  GOVERNED(sample_params, MAX_READ),
	  READS },
	{ .name = "run_query",
	  .help = "Documents that match a MongoDB filter, and how many there are.",
	  .title = "Find documents",
	  GOVERNED(find_params, MAX_READ),
	  READS },
	{ .name = "get_stats",
	  .help = "One exact statistic of one field over all documents.",
	  .title = "Get a statistic",
	  GOVERNED(stats_params, MAX_READ),
	  READS },
	{ .name = "aggregate",
	  .help = "Run a read-only aggregation pipeline.",
	  .title = "Aggregate documents",
	  GOVERNED(pipeline_params, MAX_READ),
	  READS },
	{ .name = "audit_collection",
	  .help = "Look for data-quality problems in a whole collection; every finding is confirmed by "
	          "an exact query. Takes seconds to minutes.",
	  .title = "Audit a collection",
	  GOVERNED(audit_params, MAX_REPORT),
	  .frame = AG_APP_REPORT_FRAME,
	  .flags = AG_TOOL_READS | AG_TOOL_LONG,
	  .least = AG_ROLE_ANALYST,
	  .run = audit_collection },
};

ag_tool_set ag_app_mcp_audit_tools(ag_app_mcp *m)
{
	return (ag_tool_set){
		.tools = tools, .ntool = AG_NELEM(tools), .env = m, .offered = offered
	};
}
