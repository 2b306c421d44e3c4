/* service -- a list of services, and the hub of models that they share. Read ag_services_of(), ag_service_model(). */
#include "app/service.h"

#include <pthread.h>
#include <stdlib.h>

#include "app/models.h"

struct ag_service {
	ag_service *next;
	ag_services *of;
	const ag_project *project;
	ag_turns *questions;
	ag_index_gate *index;
	/* Under the lock of `of`. What was found is kept, a failure as well: settings do not change while a server runs. */
	bool is_resolved;
	ag_status status; /* of finding the model */
	ag_err err;
	ag_llm_model model; /* texts in the app's arena */
};

struct ag_services {
	ag_app *app;
	pthread_mutex_t lock; /* the list, models, the app's arena and hub */
	ag_service *list;
	ag_source_cache *documents;
};

static const ag_turns_words of_questions = { .of = "questions about this project",
	                                     .places = "places",
	                                     .undone = "it was not asked" };

ag_services *ag_services_new(ag_app *app)
{
	ag_services *s = (ag_services *)ag_xcalloc(1, sizeof(*s));

	s->app = app;
	pthread_mutex_init(&s->lock, NULL);
	s->documents = ag_source_cache_new(app->ctx.clock, app->settings.documents_mb << 20);
	return s;
}

ag_source_cache *ag_services_documents(ag_services *s)
{
	return s->documents;
}

ag_services *ag_services_free(ag_services *s)
{
	if (!s)
		return NULL;
	while (s->list) {
		ag_service *one = s->list;

		s->list = one->next;
		ag_turns_free(one->questions);
		ag_index_gate_free(one->index);
		free(one);
	}
	ag_source_cache_free(s->documents);
	pthread_mutex_destroy(&s->lock);
	free(s);
	return NULL;
}

static ag_service *new_service(ag_services *s, const ag_project *p)
{
	ag_service *one = (ag_service *)ag_xcalloc(1, sizeof(*one));

	one->of = s;
	one->project = p;
	one->questions = ag_turns_new((unsigned)s->app->settings.questions, &of_questions);
	one->index = ag_index_gate_new();
	one->next = s->list;
	s->list = one;
	return one;
}

ag_service *ag_services_of(ag_services *s, const ag_project *p)
{
	ag_service *one;

	pthread_mutex_lock(&s->lock);
	for (one = s->list; one && one->project != p; one = one->next)
		;
	if (!one)
		one = new_service(s, p);
	pthread_mutex_unlock(&s->lock);
	return one;
}

bool ag_service_question(ag_service *s, const ag_call *c, ag_turn **ret,
                         ag_sql_failure *ret_failure)
{
	const ag_turn_request r = { .ctx = &c->ctx,
		                    .user = c->who->user,
		                    .wait_ms = AG_TURNS_WAIT_MS,
		                    .watch_fd = c->watch_fd };

	return ag_turns_take(s->questions, &r, c->arena, ret, ret_failure);
}

unsigned ag_service_waiting(ag_service *s)
{
	return ag_turns_waiting(s->questions);
}

/* With the lock. */
static ag_status resolve(ag_service *s, ag_err *err)
{
	ag_app *app = s->of->app;
	const ag_str name = s->project->settings.model;
	ag_llm_hub *hub;
	ag_status st = ag_app_ask_model(app, name, &s->model, err);

	/* A project that names its model means it: no other way of answering takes its place. */
	if (st == AG_NOT_FOUND && name.len) {
		err->status = AG_INVALID;
		return AG_INVALID;
	}
	return st ? st : ag_app_hub(app, AG_S(""), AG_S(""), &hub, err);
}

ag_status ag_service_model(ag_service *s, ag_llm **ret, ag_err *err)
{
	ag_app *app = s->of->app;
	ag_status st;

	pthread_mutex_lock(&s->of->lock);
	if (!s->is_resolved)
		s->status = resolve(s, &s->err);
	s->is_resolved = true;
	st = s->status;
	if (st && err)
		*err = s->err;
	pthread_mutex_unlock(&s->of->lock);
	if (st)
		return st;
	st = ag_llm_open(app->hub, &s->model, ret, err);
	if (!st)
		st = ag_app_check_price(app, *ret, err);
	if (st)
		*ret = ag_llm_close(*ret);
	return st;
}

ag_index_gate *ag_service_index(ag_service *s)
{
	return s->index;
}
