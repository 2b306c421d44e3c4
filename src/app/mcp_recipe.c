/* run_recipe for clients of the MCP server: each call has its own store handle and model handle, and waits in the queue of questions. */
#include "analyst/recipe_tool.h"
#include "analyst/schema.h"
#include "app/mcp_tools.h"
#include "app/models.h"

#define ORIGIN "app.mcp_recipe"

static ag_llm_meter *new_meter(void *arg, ag_arena *arena)
{
	const ag_app_mcp *m = arg;

	return ag_app_meter(m->app, arena);
}

/* One recipe under way. */
typedef struct running {
	ag_app_mcp *m;
	ag_call *c;
	ag_store *store;
	ag_llm *llm;
	ag_know_set *knowledge;
	ag_dictionary dictionary;
} running;

static ag_status run_with(running *x, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	ag_call *c = x->c;
	ag_err no_model = { 0 }, no_dictionary = { 0 };
	ag_analyst_opts chat = { .hub = c->hub,
		                 .who = c->who,
		                 .project = c->project,
		                 .knowledge = &x->knowledge,
		                 .choices = x->m->app->settings.chat };
	const ag_recipe_opts o = {
		.chat = &chat, .no_model = &no_model, .meter = new_meter, .arg = x->m
	};
	ag_status st = ag_store_open(x->m->store_uri, &x->store, err);

	if (st)
		return st;
	/* A recipe of statements needs no model. */
	st = ag_service_model(ag_services_of(x->m->services, c->project), &x->llm, &no_model);
	if (st && st != AG_NOT_FOUND) {
		if (err)
			*err = no_model;
		return st;
	}
	chat.store = x->store;
	chat.llm = st ? NULL : x->llm;
	if (ag_analyst_schema(c->hub, &c->ctx, c->who, c->project, false, c->arena, &x->dictionary,
	                      &no_dictionary))
		chat.no_dictionary = ag_str_dup(c->arena, ag_str_c(no_dictionary.msg));
	else
		chat.dictionary = &x->dictionary;
	return ag_recipe_call(c, &o, input, out, err);
}

static ag_status run_recipe(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	ag_app_mcp *m = c->env;
	running x = { .m = m, .c = c };
	ag_sql_failure *failure = ag_new(c->arena, ag_sql_failure);
	ag_turn *turn = NULL;
	ag_status st;

	if (!ag_service_question(ag_services_of(m->services, c->project), c, &turn, failure)) {
		c->failure = failure;
		return ag_fail(err, AG_UNAVAILABLE, ORIGIN, "%.*s", AG_FMT(failure->message));
	}
	st = run_with(&x, input, out, err);
	ag_llm_close(x.llm);
	ag_know_set_free(x.knowledge);
	ag_store_close(x.store);
	ag_turn_give(turn);
	return st;
}

ag_tool_set ag_app_mcp_recipe_tools(ag_app_mcp *m)
{
	ag_tool *tools = ag_new_n(m->app->arena, ag_tool, 2);

	tools[0] = ag_recipe_save_tools.tools[0];
	tools[1] = ag_recipe_run_row;
	tools[1].run = run_recipe;
	return (ag_tool_set){ .tools = tools, .ntool = 2, .env = m };
}
