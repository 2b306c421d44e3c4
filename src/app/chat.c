/* chat -- see the header. */
#include "app/chat.h"

#include "app/ask_project.h"

#include "analyst/schema.h"
#include "app/chat_demo.h"
#include "app/import.h"
#include "app/models.h"
#include "app/projects.h"

#define ORIGIN "app.chat"

static ag_status find_project(ag_app *app, ag_app_chat *c, ag_str source, ag_str id, ag_err *err)
{
	ag_status st = ag_app_find_project(app, source, id, &c->hub, &c->who, &c->project, err);

	if (st)
		return st;
	if (!c->project->source.len) {
		ag_fail(err, AG_INVALID, ORIGIN, "project %.*s has no database",
		        AG_FMT(c->project->id));
		return ag_err_hint(err, "give it one: \"source:\" of the project");
	}
	return ag_project_open(c->hub, c->project, err);
}

/* --- MCP_SERVER_URL --- */

/* A project that only the server knows. */
static void foreign_project(ag_app *app, ag_app_chat *c, ag_str id)
{
	ag_project *p = ag_new(app->arena, ag_project);

	*p = (ag_project){ .id = id.len ? id : AG_S("default") };
	p->name = p->id;
	c->project = p;
	c->who = ag_caller_local(&p->id, 1, app->arena);
}

static ag_status open_with_server(ag_app *app, ag_app_chat *c, const ag_var *url, ag_str id,
                                  ag_err *err)
{
	ag_err unknown = { 0 };
	ag_status st = ag_app_project_hub(app, AG_S(""), &c->hub, err);

	if (st)
		return st;
	c->who = ag_caller_local(&id, id.len > 0, app->arena);
	if (ag_project_find(c->hub, &c->who, id, &c->project, &unknown))
		foreign_project(app, c, id);
	return ag_app_sql_server_open(app, url, id, &c->sql, err);
}

/* --- its files --- */

ag_status ag_app_chat_files(const ag_app *app, const ag_project *p, ag_arena *arena,
                            ag_app_files *ret, ag_tool_set *ret_tools, ag_err *err)
{
	ag_tool *tools = ag_new_n(arena, ag_tool, ag_ask_tool_table.ntool);
	size_t n = 0;
	ag_status st;

	*ret_tools = (ag_tool_set){ 0 };
	if (!p->settings.root.len)
		return AG_OK;
	st = ag_app_project_root(app, p, arena, &ret->tools.root, err);
	if (st)
		return st;
	for (size_t i = 0; i < ag_ask_tool_table.ntool; i++)
		if (i != AG_ASK_TOOL_API)
			tools[n++] = ag_ask_tool_table.tools[i];
	ag_ask_state_init(&ret->no_run, arena);
	ret->tools.state = &ret->no_run;
	ret->tools.read_bytes = app->settings.chat.result_bytes;
	*ret_tools = (ag_tool_set){ .tools = tools, .ntool = n, .env = &ret->tools };
	return AG_OK;
}

static ag_status open_files(ag_app *app, ag_app_chat *c, ag_err *err)
{
	ag_status st = ag_app_chat_files(app, c->project, app->arena, &c->files, &c->more[c->nmore],
	                                 err);

	if (!st && c->more[c->nmore].ntool)
		c->nmore++;
	return st;
}

static void read_dictionary(ag_app *app, ag_app_chat *c)
{
	ag_err why = { 0 };

	if (c->sql.client) {
		c->no_dictionary = AG_S("it is with the MCP server, whose tools list the tables");
		return;
	}

	c->has_dictionary = !ag_analyst_schema(c->hub, &app->ctx, &c->who, c->project, false,
	                                       app->arena, &c->dictionary, &why);
	if (!c->has_dictionary)
		c->no_dictionary = ag_str_printf(app->arena, "%s%s%s", why.msg,
		                                 why.hint[0] ? "; " : "", why.hint);
}

/* Only that nobody set a model is no error: the rest of a conversation's commands works without. */
static ag_status open_model(ag_app *app, ag_app_chat *c, ag_str record, ag_str replay, ag_err *err)
{
	const ag_status st = ag_app_open_chat_model(app, c->project->settings.model, record, replay,
	                                            &c->llm, &c->no_model);

	if (!st || st == AG_NOT_FOUND)
		return AG_OK;
	*err = c->no_model;
	return st;
}

static void fill_options(ag_app *app, ag_app_chat *c)
{
	c->place = ag_thread_place(c->project->id, c->who.user, app->arena);
	c->opts = (ag_analyst_opts){
		.hub = c->hub,
		.who = &c->who,
		.project = c->project,
		.dictionary = c->has_dictionary ? &c->dictionary : NULL,
		.no_dictionary = c->no_dictionary,
		.server = c->sql.client ? &c->sql.tools : NULL,
		.knowledge = c->sql.client ? NULL : &c->knowledge,
		.more = c->more,
		.nmore = c->nmore,
		.llm = c->llm,
		.store = app->store,
		.choices = app->settings.chat,
	};
}

ag_status ag_app_chat_open(ag_app *app, ag_str source, ag_str project, ag_str record, ag_str replay,
                           ag_app_chat *ret, ag_err *err)
{
	const ag_var *url = ag_settings_var(&app->settings, "MCP_SERVER_URL");
	ag_app_chat *c = ret;
	ag_status st;

	*c = (ag_app_chat){ 0 };
	if (url && url->value.len && !source.len)
		st = open_with_server(app, c, url, project, err);
	else
		st = find_project(app, c, source, project, err);
	if (!st)
		st = open_files(app, c, err);
	if (!st)
		st = open_model(app, c, record, replay, err);
	if (!st)
		st = ag_app_servers_open(app, &c->servers, err);
	if (st) {
		ag_app_chat_close(c);
		return st;
	}
	if (c->servers.ntool)
		c->more[c->nmore++] = (ag_tool_set){ .tools = c->servers.tools,
			                             .ntool = c->servers.ntool };
	read_dictionary(app, c);
	fill_options(app, c);
	return AG_OK;
}

/* --- the demo --- */

ag_status ag_app_demo_hub(ag_app *app, ag_str root, ag_project_hub **ret, ag_err *err)
{
	const ag_str id = AG_S(AG_CHAT_DEMO_PROJECT);
	ag_project *p = ag_new(app->arena, ag_project);
	ag_str path;
	ag_status st = ag_app_demo_database(app, &path, err);

	if (st)
		return st;
	*p = (ag_project){ .id = id,
		           .name = id,
		           .source = ag_str_printf(app->arena, "sqlite:%.*s", AG_FMT(path)),
		           .settings = { .root = root } };
	return ag_app_project_hub_of(app, p, ret, err);
}

static ag_status demo_project(ag_app *app, ag_app_chat *c, ag_err *err)
{
	static const ag_str id = AG_S_INIT(AG_CHAT_DEMO_PROJECT);
	ag_status st = ag_app_demo_hub(app, AG_S(""), &c->hub, err);

	if (st)
		return st;
	c->who = ag_caller_local(&id, 1, app->arena);
	st = ag_project_find(c->hub, &c->who, id, &c->project, err);
	return st ? st : ag_project_open(c->hub, c->project, err);
}

ag_status ag_app_demo_models(ag_app *app, ag_err *err)
{
	const ag_llm_hub_opts o = { .transport = ag_chat_demo_transport(),
		                    .clock = app->ctx.clock };

	AG_ASSERT(!app->hub);
	return ag_llm_hub_open(&o, &app->hub, err);
}

static ag_status demo_llm(ag_app *app, ag_app_chat *c, ag_err *err)
{
	ag_llm_model m;
	ag_status st = ag_app_demo_models(app, err);

	if (st)
		return st;
	ag_chat_demo_model(&m);
	st = ag_llm_open(app->hub, &m, &app->llms[0], err);
	c->llm = app->llms[0];
	return st;
}

ag_status ag_app_chat_open_demo(ag_app *app, ag_app_chat *ret, ag_err *err)
{
	ag_app_chat *c = ret;
	ag_status st;

	*c = (ag_app_chat){ .is_demo = true };
	st = demo_project(app, c, err);
	if (!st)
		st = demo_llm(app, c, err);
	if (st) {
		ag_app_chat_close(c);
		return st;
	}
	read_dictionary(app, c);
	fill_options(app, c);
	return AG_OK;
}

void ag_app_chat_close(ag_app_chat *c)
{
	ag_app_servers_close(&c->servers);
	ag_app_sql_server_close(&c->sql);
	c->files.tools.root = ag_root_close(c->files.tools.root);
	c->knowledge = ag_know_set_free(c->knowledge);
	c->hub = ag_project_hub_close(c->hub);
}
