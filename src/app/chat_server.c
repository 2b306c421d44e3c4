/* chat_server -- see the header. A project's model and its knowledge are kept between turns, a turn's handles are not. */
#include "app/chat_server.h"

#include <pthread.h>
#include <stdlib.h>

#include "analyst/schema.h"
#include "app/chat.h"
#include "app/chat_demo.h"
#include "app/mcp_servers.h"
#include "app/models.h"

#define ORIGIN   "app.chat_server"
#define GRACE_MS 30000
#define MAX_SETS 8u /* loaded knowledge of one project that nobody uses */

/* What is kept of a project. One that was changed is another ag_project. */
typedef struct chat_project {
	struct chat_project *next;
	const ag_project *project;
	ag_llm_model model;
	bool is_resolved;
	ag_status status; /* of the model */
	ag_err err;
	ag_know_set *idle[MAX_SETS];
	size_t nidle;
} chat_project;

struct ag_app_chat_server {
	ag_app *app;
	ag_server_chat opts;
	ag_store_group *group; /* in which all that serves conversations writes */
	bool is_demo;
	ag_app_watch *watch;  /* of the servers of mcp_servers */
	pthread_mutex_t lock; /* of what follows, and of the app's models */
	chat_project *projects;
};

/* What one turn holds; in its arena. */
typedef struct chat_turn {
	chat_project *of;
	ag_llm *llm;
	ag_know_set *knowledge;
	ag_dictionary dictionary;
	ag_app_files files;
	ag_app_turn_servers *servers; /* NULL = none */
	ag_tool_set more[2];          /* files; tools of other servers */
	size_t nmore;
} chat_turn;

/* --- models --- */

/* With the lock. */
static ag_status resolve(ag_app_chat_server *s, chat_project *p, ag_err *err)
{
	ag_llm_hub *hub;
	ag_status st;

	if (s->is_demo) {
		ag_chat_demo_model(&p->model);
		return AG_OK;
	}
	st = ag_app_chat_model(s->app, p->project->settings.model, &p->model, err);
	return st ? st : ag_app_hub(s->app, AG_S(""), AG_S(""), &hub, err);
}

static chat_project *project_of(ag_app_chat_server *s, const ag_project *project)
{
	chat_project *p;

	pthread_mutex_lock(&s->lock);
	for (p = s->projects; p && p->project != project; p = p->next)
		;
	if (!p) {
		p = (chat_project *)ag_xcalloc(1, sizeof(*p));
		p->project = project;
		p->next = s->projects;
		s->projects = p;
	}
	if (!p->is_resolved) {
		p->status = resolve(s, p, &p->err);
		p->is_resolved = true;
	}
	pthread_mutex_unlock(&s->lock);
	return p;
}

/* --- a turn --- */

static void take_knowledge(ag_app_chat_server *s, chat_turn *t)
{
	pthread_mutex_lock(&s->lock);
	if (t->of->nidle)
		t->knowledge = t->of->idle[--t->of->nidle];
	pthread_mutex_unlock(&s->lock);
}

static void close_turn(void *arg, void *note)
{
	ag_app_chat_server *s = (ag_app_chat_server *)arg;
	chat_turn *t = (chat_turn *)note;

	if (!t)
		return;
	ag_llm_close(t->llm);
	ag_app_turn_servers_close(t->servers);
	ag_root_close(t->files.tools.root);
	pthread_mutex_lock(&s->lock);
	if (t->knowledge && t->of->nidle < MAX_SETS) {
		t->of->idle[t->of->nidle++] = t->knowledge;
		t->knowledge = NULL;
	}
	pthread_mutex_unlock(&s->lock);
	ag_know_set_free(t->knowledge);
}

static void fill(ag_app_chat_server *s, const ag_server_chat_call *c, chat_turn *t,
                 ag_analyst_opts *ret)
{
	ag_err why = { 0 };
	const bool has_dictionary = !ag_analyst_schema(s->opts.hub, c->ctx, c->who, c->project,
	                                               false, c->arena, &t->dictionary, &why);

	*ret = (ag_analyst_opts){
		.hub = s->opts.hub,
		.who = c->who,
		.project = c->project,
		.dictionary = has_dictionary ? &t->dictionary : NULL,
		.knowledge = &t->knowledge,
		.more = t->more,
		.nmore = t->nmore,
		.llm = t->llm,
		.meter = ag_app_meter(s->app, c->arena),
		.choices = s->app->settings.chat,
	};
	if (!has_dictionary)
		ret->no_dictionary = ag_str_printf(c->arena, "%s%s%s", why.msg,
		                                   why.hint[0] ? "; " : "", why.hint);
}

static ag_status open_files(ag_app_chat_server *s, const ag_server_chat_call *c, chat_turn *t,
                            ag_err *err)
{
	const ag_status st = ag_app_chat_files(s->app, c->project, c->arena, &t->files, &t->more[0],
	                                       err);

	if (st)
		return st;
	t->nmore = t->more[0].ntool > 0;
	return AG_OK;
}

/* Those of other servers, which were reached while the rest of the turn was made ready. */
static void add_server_tools(chat_turn *t, ag_analyst_opts *o)
{
	const ag_tool_set set = t->servers ? ag_app_turn_servers_tools(t->servers)
	                                   : (ag_tool_set){ 0 };

	if (set.ntool)
		t->more[t->nmore++] = set;
	o->nmore = t->nmore;
}

static ag_status open_turn(void *arg, const ag_server_chat_call *c, ag_analyst_opts *ret,
                           void **note, ag_err *err)
{
	ag_app_chat_server *s = (ag_app_chat_server *)arg;
	chat_turn *t = ag_new(c->arena, chat_turn);
	ag_status st;

	*t = (chat_turn){ .of = project_of(s, c->project) };
	*note = t;
	st = t->of->status;
	if (st == AG_NOT_FOUND && c->no_model) {
		*c->no_model = t->of->err;
		take_knowledge(s, t);
		fill(s, c, t, ret);
		return AG_OK;
	}
	if (st) {
		*err = t->of->err;
		/* Nobody can ask here until an administrator did something. */
		err->status = st == AG_NOT_FOUND ? AG_UNAVAILABLE : st;
		return err->status;
	}
	if (!s->is_demo)
		t->servers = ag_app_turn_servers_begin(s->watch, c->ctx, c->project->id, c->arena);
	st = ag_llm_open(s->app->hub, &t->of->model, &t->llm, err);
	if (!st)
		st = open_files(s, c, t, err);
	if (st) {
		close_turn(s, t);
		*note = NULL;
		return st;
	}
	take_knowledge(s, t);
	fill(s, c, t, ret);
	add_server_tools(t, ret);
	return AG_OK;
}

static ag_llm_meter *new_meter(void *arg, ag_arena *arena)
{
	const ag_app_chat_server *s = (const ag_app_chat_server *)arg;

	return ag_app_meter(s->app, arena);
}

/* --- the whole --- */

ag_status ag_app_chat_server_new(ag_app *app, ag_project_hub *hub, bool is_demo,
                                 ag_app_chat_server **ret, ag_err *err)
{
	ag_str uri;
	ag_status st = ag_app_servers_check(app, app->arena, err);
	ag_store_group *group = NULL;
	ag_app_chat_server *s;

	if (!st)
		st = ag_app_store_uri(app, &uri, err);
	if (!st && ag_str_eqc(uri, "memory:")) {
		st = ag_fail(err, AG_INVALID, ORIGIN, "conversations need a store that is kept");
		ag_err_hint(err, "leave --store memory: away");
	}
	if (!st && is_demo)
		st = ag_app_demo_models(app, err);
	if (!st)
		st = ag_store_group_open(uri, &group, err);
	if (st)
		return st;
	ag_project_hub_join(hub, group);
	s = (ag_app_chat_server *)ag_xcalloc(1, sizeof(*s));
	s->app = app;
	s->group = group;
	s->is_demo = is_demo;
	s->watch = ag_app_watch_new(app);
	s->opts = (ag_server_chat){ .hub = hub,
		                    .group = group,
		                    .open = open_turn,
		                    .close = close_turn,
		                    .meter = new_meter,
		                    .arg = s,
		                    .grace_ms = GRACE_MS,
		                    .lease_ms = ag_analyst_lease_ms(&app->settings.chat),
		                    .starter = is_demo ? ag_chat_demo_question : NULL };
	pthread_mutex_init(&s->lock, NULL);
	*ret = s;
	return AG_OK;
}

void ag_app_chat_server_free(ag_app_chat_server *s)
{
	chat_project *next;

	if (!s)
		return;
	ag_app_watch_free(s->watch);
	for (chat_project *p = s->projects; p; p = next) {
		next = p->next;
		for (size_t i = 0; i < p->nidle; i++)
			ag_know_set_free(p->idle[i]);
		free(p);
	}
	ag_store_group_close(s->group);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

const ag_server_chat *ag_app_chat_server_opts(ag_app_chat_server *s)
{
	return &s->opts;
}
