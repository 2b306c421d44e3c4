/* ask_project: a question about a project's files, answered by the agent of `argus ask` with checked citations. */
#include "app/agents.h"
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

/* One question under way. */
typedef struct asking {
	ag_app_mcp *m;
	ag_call *c;
	ag_service *service;
	ag_ask_choices choices; /* of the settings and of this call */
	ag_str question;
	ag_root *root;
	ag_store *store;
} asking;

static ag_status with_model(const asking *a, ag_llm *llm, ag_str *ret_json, ag_err *err)
{
	ag_call *c = a->c;
	const ag_ask_opts o = { .question = a->question,
		                .root = a->root,
		                .llm = llm,
		                .meter = ag_app_meter(a->m->app, c->arena),
		                .choices = a->choices,
		                .store = a->store,
		                .on_event = tell,
		                .on_event_arg = c };
	ag_ask_run_result r = { 0 };
	ag_status st = ag_ask_run(&c->ctx, &o, c->arena, &r, err);

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

static ag_status without_model(const asking *a, ag_str *ret_json, ag_err *err)
{
	const ag_offline_opts o = { .root = a->root,
		                    .store = a->store,
		                    .question = a->question,
		                    .gate = ag_service_index(a->service) };
	ag_call *c = a->c;
	ag_answer answer = { 0 };
	ag_status st = ag_offline_answer(&c->ctx, &o, c->arena, &answer, err);

	return st ? st : ag_ask_keep(&c->ctx, a->store, &answer, c->arena, ret_json, err);
}

static ag_status answer(asking *a, ag_str *ret_json, ag_err *err)
{
	ag_ctx *ctx = &a->c->ctx;
	const int64_t until = ag_clock_mono(ctx->clock) + (int64_t)(a->choices.deadline * 1000);
	ag_llm *llm = NULL;
	ag_status st = ag_store_open(a->m->store_uri, &a->store, err);

	if (!ctx->deadline_ms || until < ctx->deadline_ms)
		ctx->deadline_ms = until;
	if (!st && !a->choices.offline) {
		st = ag_service_model(a->service, &llm, err);
		/* Nobody set a model: the index answers, and the answer says so. */
		if (st == AG_NOT_FOUND) {
			a->choices.offline = true;
			st = AG_OK;
		}
	}
	if (!st)
		st = a->choices.offline ? without_model(a, ret_json, err)
		                        : with_model(a, llm, ret_json, err);
	ag_llm_close(llm);
	ag_store_close(a->store);
	return st;
}

/* Several questions are answered at once: each has its own root, store handle and model handle. */
static ag_status ask_project(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	ag_app_mcp *m = c->env;
	asking a = { .m = m,
		     .c = c,
		     .service = ag_services_of(m->services, c->project),
		     .choices = m->app->settings.ask,
		     .question = ag_val_member_str(input, "question") };
	ag_sql_failure *failure = ag_new(c->arena, ag_sql_failure);
	ag_turn *turn = NULL;
	ag_str json = AG_S("");
	ag_status st;

	ag_app_call_options(&ag_agent_ask, input, &a.choices);
	if (!ag_service_question(a.service, c, &turn, failure)) {
		c->failure = failure;
		return ag_fail(err, AG_UNAVAILABLE, ORIGIN, "%.*s", AG_FMT(failure->message));
	}
	st = open_root(m->app, c->project, c->arena, &a.root, err);
	if (!st)
		st = answer(&a, &json, err);
	ag_root_close(a.root);
	ag_turn_give(turn);
	if (!st)
		ag_buf_add(&out->json, json);
	return st;
}

/* Beside those of the agent's settings. */
static const ag_param params[] = {
	{ .name = "question",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .min = 1,
	  .max = AG_ASK_MAX_QUESTION_BYTES,
	  .help = "One question, in plain words." },
	{ .name = "project_id",
	  .type = AG_PARAM_STRING,
	  .max = 128,
	  .help = "Project; only needed when you have several." },
};

static const char answer_schema[] =
	"{\"type\":\"object\",\"properties\":{\"answer\":{\"type\":[\"string\",\"null\"]},"
	"\"source\":{\"type\":[\"string\",\"null\"]},\"success\":{\"type\":\"boolean\"}}}";

static const ag_tool ask_tool = {
	.name = "ask_project",
	.help = "Answer a question about the project from its documentation and code, with checked "
		"citations.",
	.title = "Ask about the project",
	.output_schema = answer_schema,
	.flags = AG_TOOL_READS | AG_TOOL_LONG,
	.max_output_bytes = MAX_RESULT,
	.scope = "ask",
	.least = AG_ROLE_VIEWER,
	.run = ask_project,
};

ag_tool_set ag_app_mcp_ask_tools(ag_app_mcp *m)
{
	ag_tool *tool = ag_new(m->app->arena, ag_tool);

	*tool = ask_tool;
	tool->params = ag_app_call_params(&ag_agent_ask, params, AG_NELEM(params), m->app->arena,
	                                  &tool->nparam);
	return (ag_tool_set){ .tools = tool, .ntool = 1, .env = m, .offered = offered };
}
