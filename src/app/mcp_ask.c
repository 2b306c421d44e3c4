/* ask_project: a question about a project's files, answered by the agent of `argus ask` with checked citations. */
#include "app/ask_opts.h"
#include "app/mcp_tools.h"
#include "ask/offline.h"

#define ORIGIN     "app.mcp_ask"
#define MAX_RESULT (16u << 20)

static bool has_root(const ag_project *p)
{
	return p->settings.root.len > 0;
}

static bool offered(void *env, const ag_caller *who, const ag_tool *t)
{
	(void)t;
	return ag_app_mcp_any(env, who, has_root);
}

/* The root of a project, with the files refused that this process has its keys from. */
static ag_status open_root(const ag_app *app, const ag_project *p, ag_arena *arena, ag_root **ret,
                           ag_err *err)
{
	const ag_root_opts o = { .path = p->settings.root };
	ag_status st;

	if (!has_root(p))
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "project %.*s has no root folder",
		               AG_FMT(p->id));
	st = ag_root_open(&o, ret, err);
	for (size_t i = 0; !st && i < app->ndotenv; i++)
		ag_root_add_secret(*ret, ag_str_cstr(arena, app->dotenv[i]));
	return st;
}

static void tell(void *arg, const ag_event *ev)
{
	if (ev->type == AG_EV_TOOL_OUTPUT)
		ag_call_progress(arg, (double)ev->seq, 0, AG_S("reading the project"));
}

static ag_status with_model(ag_app *app, ag_call *c, ag_root *root, ag_store *store, ag_llm *llm,
                            ag_str question, ag_str *ret_json, ag_err *err)
{
	const ag_ask_opts o = { .question = question,
		                .root = root,
		                .llm = llm,
		                .meter = ag_app_meter(app, c->arena),
		                .max_calls = (unsigned)app->settings.ask_calls,
		                .read_bytes = (size_t)app->settings.read_bytes };
	ag_ask_run_result r = { 0 };
	ag_status st = ag_ask_run(&c->ctx, &o, store, tell, c, c->arena, &r, err);

	if (st)
		return st;
	if (r.has_answer) {
		*ret_json = r.json;
		return AG_OK;
	}
	if (err)
		*err = r.run_result.err;
	return r.run_result.err.status
	               ? r.run_result.err.status
	               : ag_fail(err, AG_INTERNAL, ORIGIN, "there is no answer: %.*s",
	                         AG_FMT(r.run_result.why));
}

static ag_status without_model(ag_app_mcp *m, ag_call *c, ag_root *root, ag_store *store,
                               ag_str question, ag_str *ret_json, ag_err *err)
{
	const ag_offline_opts o = { .root = root,
		                    .store = store,
		                    .question = question,
		                    .gate = ag_service_index(
					    ag_services_of(m->services, c->project)) };
	ag_answer a = { 0 };
	ag_status st = ag_offline_answer(&c->ctx, &o, c->arena, &a, err);

	return st ? st : ag_ask_keep(&c->ctx, store, &a, c->arena, ret_json, err);
}

static ag_status answer(ag_app_mcp *m, ag_call *c, ag_root *root, const ag_val *input,
                        ag_str *ret_json, ag_err *err)
{
	const ag_str question = ag_val_member_str(input, "question");
	const int64_t until = ag_clock_mono(c->ctx.clock) +
	                      (int64_t)(m->app->settings.ask_deadline * 1000);
	bool offline = ag_tool_bool(input, "offline", m->app->settings.offline);
	ag_store *store = NULL;
	ag_llm *llm = NULL;
	ag_status st = ag_store_open(m->store_uri, &store, err);

	if (!c->ctx.deadline_ms || until < c->ctx.deadline_ms)
		c->ctx.deadline_ms = until;
	if (!st && !offline) {
		st = ag_service_model(ag_services_of(m->services, c->project), &llm, err);
		/* Nobody set a model: the index answers, and the answer says so. */
		if (st == AG_NOT_FOUND) {
			offline = true;
			st = AG_OK;
		}
	}
	if (!st && offline)
		st = without_model(m, c, root, store, question, ret_json, err);
	else if (!st)
		st = with_model(m->app, c, root, store, llm, question, ret_json, err);
	ag_llm_close(llm);
	ag_store_close(store);
	return st;
}

/* Several questions are answered at once: each has its own root, store handle and model handle. */
static ag_status ask_project(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	ag_app_mcp *m = c->env;
	ag_sql_failure *failure = ag_new(c->arena, ag_sql_failure);
	ag_root *root = NULL;
	ag_turn *turn = NULL;
	ag_str json = AG_S("");
	ag_status st;

	if (!ag_service_question(ag_services_of(m->services, c->project), c, &turn, failure)) {
		c->failure = failure;
		return ag_fail(err, AG_UNAVAILABLE, ORIGIN, "%.*s", AG_FMT(failure->message));
	}
	st = open_root(m->app, c->project, c->arena, &root, err);
	if (!st)
		st = answer(m, c, root, input, &json, err);
	ag_root_close(root);
	ag_turn_give(turn);
	if (!st)
		ag_buf_add(&out->json, json);
	return st;
}

static const ag_param params[] = {
	{ .name = "question",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .min = 1,
	  .max = AG_ASK_MAX_QUESTION_BYTES,
	  .help = "One question, in plain words." },
	{ .name = "offline",
	  .type = AG_PARAM_BOOL,
	  .is_lenient = true,
	  .help = "Ask no model: the best section of the files." },
	{ .name = "project_id",
	  .type = AG_PARAM_STRING,
	  .max = 128,
	  .help = "Project; only needed when you have several." },
};

static const char answer_schema[] =
	"{\"type\":\"object\",\"properties\":{\"answer\":{\"type\":[\"string\",\"null\"]},"
	"\"source\":{\"type\":[\"string\",\"null\"]},\"success\":{\"type\":\"boolean\"}}}";

static const ag_tool tools[] = {
	{ .name = "ask_project",
	  .help = "Answer a question about the project from its documentation and code, with checked "
	          "citations.",
	  .title = "Ask about the project",
	  .params = params,
	  .nparam = AG_NELEM(params),
	  .output_schema = answer_schema,
	  .flags = AG_TOOL_READS | AG_TOOL_LONG,
	  .max_output_bytes = MAX_RESULT,
	  .scope = "ask",
	  .least = AG_ROLE_VIEWER,
	  .run = ask_project },
};

ag_tool_set ag_app_mcp_ask_tools(ag_app_mcp *m)
{
	return (ag_tool_set){
		.tools = tools, .ntool = AG_NELEM(tools), .env = m, .offered = offered
	};
}
