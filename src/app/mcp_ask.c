/* ask_project: a question about a project's files, answered by the agent of `argus ask` with checked citations. */
#include "app/agents.h"
#include "app/ask_project.h"
#include "app/mcp_tools.h"

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

static void tell(void *arg, const ag_event *ev)
{
	if (ev->type == AG_EV_TOOL_OUTPUT)
		ag_call_progress(arg, (double)ev->seq, 0, AG_S("reading the project"));
}

static ag_status ask_project(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	ag_app_mcp *m = c->env;
	ag_app_question q = { .app = m->app,
		              .services = m->services,
		              .store_uri = m->store_uri,
		              .call = c,
		              .text = ag_val_member_str(input, "question"),
		              .choices = m->app->settings.ask,
		              .on_event = tell,
		              .on_event_arg = c };
	ag_str json = AG_S("");
	ag_status st;

	ag_app_call_options(&ag_agent_ask, input, &q.choices);
	st = ag_app_ask_project(&q, &json, err);
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
