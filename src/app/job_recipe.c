/* A job that runs a recipe: {"project":"shop","recipe":"Weekly","values":{"region":"North"}}.
 *
 * The job's run is the thread of the recipe's run, so a later attempt finds that one and goes on with it: after a crash at the turn that
 * was under way, after a failure at the step that failed. A recipe that was changed meanwhile does not change a run that was begun. */
#include "analyst/recipe.h"
#include "app/chat.h"
#include "app/jobs.h"
#include "app/models.h"
#include "app/projects.h"
#include "base/utf8.h"
#include "knowledge/knowledge.h"
#include "query/extjson.h"

#define ORIGIN "app.job_recipe"

typedef struct payload {
	ag_str project, recipe;
	ag_val values;
} payload;

static ag_status read_payload(ag_str text, ag_arena *arena, payload *ret, ag_err *err)
{
	const ag_extjson_opts parse = { .max_depth = 8 };
	const ag_val *values;
	ag_val v;
	ag_status st = ag_extjson_parse(text, &parse, arena, &v, NULL, NULL, err);

	if (st)
		return st;
	values = ag_val_getc(&v, "values");
	*ret = (payload){ .project = ag_val_member_str(&v, "project"),
		          .recipe = ag_val_member_str(&v, "recipe"),
		          .values = values && values->type == AG_T_OBJECT
		                            ? *values
		                            : ag_val_object(NULL, 0) };
	return AG_OK;
}

/* --- what a user names --- */

static ag_str write_payload(const payload *p, ag_arena *arena)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(AG_JOB_MAX_PAYLOAD);
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "project", p->project);
	ag_jw_kstr(&w, "recipe", p->recipe);
	ag_jw_kraw(&w, "values", ag_extjson_str(arena, &p->values, AG_EXTJSON_RELAXED));
	ag_jw_obj_end(&w);
	return out.failed ? AG_S("") : ag_buf_dup(arena, &out);
}

/* The recipe is there, and the values fit it now: a schedule that can never run is refused when it is made. */
static ag_status check_now(ag_app *app, const payload *p, ag_arena *arena, ag_know *ret,
                           ag_err *err)
{
	ag_project_hub *hub = NULL;
	ag_know_place place = { .ctx = &app->ctx };
	ag_store *store;
	ag_recipe r;
	ag_val values;
	ag_caller who;
	ag_status st = ag_app_store(app, &store, err);

	if (!st)
		st = ag_app_find_project(app, AG_S(""), p->project, &hub, &who, &place.project,
		                         err);
	place.hub = hub;
	place.who = &who;
	if (!st)
		st = ag_know_get(&place, AG_KNOW_RECIPE, p->recipe, arena, ret, err);
	if (!st) {
		ag_recipe_read(&ret->body, arena, &r);
		st = ag_recipe_values(&r, &p->values, arena, &values, err);
	}
	ag_project_hub_close(hub);
	return st;
}

ag_status ag_job_recipe_of(ag_str project, ag_str recipe, const ag_val *values, ag_arena *arena,
                           ag_job *ret, ag_err *err)
{
	const payload p = { .project = project, .recipe = recipe, .values = *values };

	ret->payload = write_payload(&p, arena);
	if (!ret->payload.len)
		return ag_fail(err, AG_LIMIT, ORIGIN, "the values are larger than %u bytes",
		               AG_JOB_MAX_PAYLOAD);
	return AG_OK;
}

static ag_status make(ag_app *app, const ag_job_what *what, ag_arena *arena, ag_job *ret,
                      ag_err *err)
{
	ag_str rest = what->what;
	payload p = { .project = ag_str_split(&rest, '/') };
	ag_know recipe;
	ag_status st;

	if (what->all)
		return ag_fail(err, AG_INVALID, ORIGIN, "--all is for audits: want PROJECT/RECIPE");
	if (!rest.len || !p.project.len)
		return ag_fail(err, AG_INVALID, ORIGIN, "want PROJECT/RECIPE, got \"%.*s\"",
		               AG_FMT(ag_utf8_prefix(what->what, 60)));
	p.recipe = rest;
	st = ag_recipe_typed_values(what->values, what->nvalue, arena, &p.values, err);
	if (!st)
		st = check_now(app, &p, arena, &recipe, err);
	if (st)
		return st;
	return ag_job_recipe_of(p.project, recipe.name, &p.values, arena, ret, err);
}

static ag_str shown(ag_str text, ag_arena *arena)
{
	payload p;
	ag_str ret;

	if (read_payload(text, arena, &p, NULL))
		return text;
	ret = ag_str_printf(arena, "%.*s/%.*s", AG_FMT(p.project), AG_FMT(p.recipe));
	for (uint32_t i = 0; i < p.values.n; i++)
		ret = ag_str_printf(
			arena, "%.*s %.*s=%.*s", AG_FMT(ret), AG_FMT(p.values.u.members[i].key),
			AG_FMT(ag_utf8_prefix(ag_val_text(&p.values.u.members[i].val), 40)));
	return ret;
}

/* --- an attempt --- */

static ag_llm_meter *new_meter(void *arg, ag_arena *arena)
{
	return ag_app_meter(arg, arena);
}

/* The run that an earlier attempt began, or a new one. */
static ag_status find_run(const ag_ctx *ctx, const ag_recipe_opts *o, const payload *p,
                          const ag_job *job, ag_arena *arena, ag_recipe_run *ret, ag_err *err)
{
	const ag_analyst_opts *chat = o->chat;
	const ag_know_place place = { chat->hub, ctx, chat->who, chat->project };
	ag_know recipe;
	ag_status st = ag_recipe_run_get(chat->store, chat->project->id,
	                                 ag_recipe_run_key(&job->run, arena), arena, ret, err);

	if (st != AG_NOT_FOUND)
		return st;
	st = ag_recipe_in_use(&place, p->recipe, arena, &recipe, err);
	return st ? st : ag_recipe_begin(ctx, o, &recipe, &p->values, &job->run, arena, ret, err);
}

static ag_str result_of(const ag_recipe_run *r, ag_arena *arena)
{
	size_t ndone = 0;

	for (size_t i = 0; i < r->nstep; i++)
		ndone += r->steps[i].state == AG_RECIPE_COMPLETED;
	return ag_str_printf(arena, "{\"run\":\"%.8s\",\"status\":\"%s\",\"steps\":%zu}",
	                     r->key.ptr, ag_recipe_state_name(r->state), ndone);
}

static ag_status run_in(ag_app *app, const ag_ctx *ctx, const payload *p, const ag_job *job,
                        ag_arena *arena, ag_job_outcome *ret)
{
	ag_app_chat chat;
	ag_recipe_run r;
	ag_recipe_opts o = { .meter = new_meter, .arg = app };
	ag_err why = { 0 };
	ag_status st = ag_app_chat_open(app, AG_S(""), p->project, AG_S(""), AG_S(""), &chat,
	                                &ret->err);

	if (st)
		return st;
	o.chat = &chat.opts;
	o.no_model = chat.llm ? NULL : &chat.no_model;
	st = find_run(ctx, &o, p, job, arena, &r, &ret->err);
	if (!st && r.state != AG_RECIPE_COMPLETED)
		st = ag_recipe_go(ctx, &o, &r, arena, &why, &ret->err);
	if (!st)
		ret->result = result_of(&r, arena);
	if (!st && why.status) {
		ret->err = why;
		st = why.status;
	}
	ag_app_chat_close(&chat);
	return st;
}

/* The worker's application, but for what belongs to this job: memory and the model of its project. */
static void run(ag_worker *w, const ag_ctx *ctx, ag_job *job, ag_arena *arena, ag_job_outcome *ret)
{
	ag_app app = *w->app;
	payload p;

	*ret = (ag_job_outcome){ 0 };
	ret->st = read_payload(job->payload, arena, &p, &ret->err);
	if (ret->st)
		return;
	app.ctx = *ctx;
	app.arena = arena;
	app.llms[0] = NULL;
	ret->st = run_in(&app, ctx, &p, job, arena, ret);
	ag_llm_close(app.llms[0]);
	w->app->hub = app.hub;
}

const ag_job_kind ag_job_recipe = {
	.name = "recipe",
	.help = "PROJECT/RECIPE",
	.takes_values = true,
	.make = make,
	.shown = shown,
	.run = run,
};
