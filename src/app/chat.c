/* chat -- see the header. */
#include "app/chat.h"

#include "analyst/schema.h"
#include "app/models.h"
#include "app/projects.h"

#define ORIGIN "app.chat"

static ag_status find_project(ag_app *app, ag_app_chat *c, ag_str source, ag_str id, ag_err *err)
{
	const ag_project **list;
	size_t n = 0;
	ag_status st = ag_app_project_hub(app, source, &c->hub, err);

	if (st)
		return st;
	if (source.len && !id.len)
		id = AG_S("default");
	c->who = ag_caller_local(&id, id.len > 0, app->arena);
	st = ag_project_list(c->hub, &c->who, app->arena, &list, &n, err);
	if (!st && !n && !id.len) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no project to talk about");
		return ag_err_hint(
			err, "argus chat sqlite:PATH, argus chat postgresql://user@host/name, "
			     "\"projects:\" in argus.yaml, or argus project add");
	}
	if (!st)
		st = ag_project_find(c->hub, &c->who, id, &c->project, err);
	if (st)
		return st;
	if (!c->project->source.len) {
		ag_fail(err, AG_INVALID, ORIGIN, "project %.*s has no database",
		        AG_FMT(c->project->id));
		return ag_err_hint(err, "give it one: \"source:\" of the project");
	}
	return ag_project_open(c->hub, c->project, err);
}

static void read_dictionary(ag_app *app, ag_app_chat *c)
{
	ag_err why = { 0 };

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

ag_status ag_app_chat_open(ag_app *app, ag_str source, ag_str project, ag_str record, ag_str replay,
                           ag_app_chat *ret, ag_err *err)
{
	ag_app_chat *c = ret;
	ag_status st;

	*c = (ag_app_chat){ 0 };
	st = find_project(app, c, source, project, err);
	if (!st)
		st = open_model(app, c, record, replay, err);
	if (!st)
		st = ag_app_servers_open(app, &c->servers, err);
	if (st) {
		ag_app_chat_close(c);
		return st;
	}
	read_dictionary(app, c);
	c->place = ag_thread_place(c->project->id, c->who.user, app->arena);
	c->opts = (ag_analyst_opts){
		.hub = c->hub,
		.who = &c->who,
		.project = c->project,
		.dictionary = c->has_dictionary ? &c->dictionary : NULL,
		.no_dictionary = c->no_dictionary,
		.more_tools = c->servers.tools,
		.nmore_tool = c->servers.ntool,
		.llm = c->llm,
		.store = app->store,
		.choices = app->settings.chat,
	};
	return AG_OK;
}

void ag_app_chat_close(ag_app_chat *c)
{
	ag_app_servers_close(&c->servers);
	c->hub = ag_project_hub_close(c->hub);
}
