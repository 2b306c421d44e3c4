/* Runs of recipes over HTTP: begun with values, listed, shown, stopped, gone on with. A run is a task (tasks.h); its steps are in
 * the store as they end (analyst/recipe.h). */
#include "analyst/recipe.h"
#include "base/log.h"
#include "server/list.h"
#include "server/problem.h"
#include "server/tasks.h"

static ag_str run_key(const void *rows, size_t i, ag_arena *arena)
{
	(void)arena;
	return ((const ag_recipe_run *)rows)[i].key;
}

void ag_server_recipe_runs_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_place at;
	ag_server_list page;
	ag_recipe_run *list;
	ag_err err = { 0 };
	size_t n;
	ag_jw w;

	if (!ag_server_place_of(h, rq, rp, &at))
		return;
	if (ag_recipe_runs_seen(&at.place, ag_server_query(rq, "recipe"), AG_S(""), rq->arena,
	                        &list, &n, &err)) {
		ag_server_problem_of(rp, &err);
		return;
	}
	if (!ag_server_list_of(rq, rp, list, n, run_key, &page))
		return;
	ag_server_json(rp, &w);
	ag_jw_kkey(&w, "runs");
	ag_jw_arr(&w);
	for (size_t i = page.from; i < page.to; i++)
		ag_recipe_run_row_json(&list[i], rq->arena, &w);
	ag_jw_arr_end(&w);
	ag_server_list_next(&w, page.next);
	ag_jw_obj_end(&w);
}

/* The run of the route's {run}. False: rp says why not. */
static bool find(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_server_place *at,
                 ag_arena *arena, ag_recipe_run **ret)
{
	const ag_str key = ag_server_param(rq, "run");
	ag_err err = { 0 };
	size_t n;

	if (!ag_server_place_of(h, rq, rp, at))
		return false;
	if (key.len && !ag_recipe_runs_seen(&at->place, AG_S(""), key, arena, ret, &n, &err))
		return true;
	if (err.status && err.status != AG_NOT_FOUND)
		ag_server_problem_of(rp, &err);
	else
		ag_server_problem(rp, 404, "there is no such run of a recipe",
		                  "it was removed, or it is another user's");
	return false;
}

static void show(const ag_recipe_run *r, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_jw w;

	rp->content_type = AG_S("application/json");
	ag_jw_init(&w, &rp->body, 0);
	ag_recipe_run_json(r, false, rq->arena, &w);
}

void ag_server_recipe_run_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server_place at;
	ag_recipe_run *r;

	if (find((ag_server *)env, rq, rp, &at, rq->arena, &r))
		show(r, rq, rp);
}

/* --- running --- */

static ag_recipe_opts options_of(ag_server_task *t)
{
	const ag_server_chat *chat = t->h->opts.chat;

	return (ag_recipe_opts){ .chat = &t->chat,
		                 .no_model = t->chat.llm ? NULL : &t->no_model,
		                 .meter = chat->meter,
		                 .arg = chat->arg };
}

static void run(ag_server_task *t)
{
	const ag_recipe_opts o = options_of(t);
	ag_recipe_run *r = (ag_recipe_run *)t->arg;
	ag_err why, err = { 0 };
	const ag_status st = ag_recipe_go(&t->ctx, &o, r, t->arena, &why, &err);

	/* AG_CONFLICT: it was stopped by another process, which wrote so. */
	if (st && st != AG_CONFLICT)
		ag_log(AG_LOG_WARN, "recipe_failed", "run %.8s: %s", r->key.ptr, err.msg);
}

/* The answer is the run as it is now: it changes as soon as the task has begun. */
static void go(ag_server_task *t, ag_recipe_run *r, const char *kind, ag_httpd_request *rq,
               ag_httpd_reply *rp)
{
	t->key = r->key;
	t->arg = r;
	t->run = run;
	show(r, rq, rp);
	rp->status = 202;
	ag_server_task_go(t, kind, rp);
}

typedef struct beginning {
	ag_server_task *task;
	const ag_know *recipe;
	const ag_val *values;
	ag_recipe_run *run;
} beginning;

static ag_status begin(ag_store *s, void *arg, ag_err *err)
{
	const beginning *b = (const beginning *)arg;
	ag_server_task *t = b->task;
	const ag_id thread = ag_id_new(t->ctx.clock);
	ag_analyst_opts chat = t->chat;
	ag_recipe_opts o = options_of(t);

	chat.store = s;
	o.chat = &chat;
	return ag_recipe_begin(&t->ctx, &o, b->recipe, b->values, &thread, t->arena, b->run, err);
}

/* {"recipe":"Weekly","values":{"region":"North"}} */
static void begin_run(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                      const ag_server_place *at, const ag_val *body)
{
	const ag_val none = ag_val_object(NULL, 0), *values = ag_val_getc(body, "values");
	ag_server_task *t = ag_server_task_new(h, rq, rp, at->place.project);
	ag_recipe_run *r;
	ag_know recipe;
	ag_val copy;
	ag_err err = { 0 };
	ag_status st;

	if (!t)
		return;
	copy = ag_val_dup(t->arena, values ? values : &none);
	r = ag_new(t->arena, ag_recipe_run);
	st = ag_recipe_in_use(&at->place, ag_val_member_str(body, "recipe"), t->arena, &recipe,
	                      &err);
	if (!st)
		st = ag_know_governed(&at->place, "run_recipe", AG_ROLE_VIEWER, recipe.name, begin,
		                      &(beginning){ t, &recipe, &copy, r }, t->arena, &err);
	if (!st) {
		go(t, r, AG_RECIPE_RUN_KIND, rq, rp);
		return;
	}
	ag_server_problem_of(rp, &err);
	ag_server_task_drop(t);
}

void ag_server_recipe_run_new(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_place at;
	ag_val body;

	if (ag_server_body(rq, rp, &body) && ag_server_place_of(h, rq, rp, &at) &&
	    ag_server_may_begin(h, rq, rp))
		begin_run(h, rq, rp, &at, &body);
}

void ag_server_recipe_run_resume(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_place at;
	ag_server_task *t;
	ag_recipe_run *r;
	ag_err err = { 0 };

	if (!find(h, rq, rp, &at, rq->arena, &r))
		return;
	if (ag_recipe_run_check_resume(r, at.place.who->user, &err)) {
		if (err.status == AG_INVALID)
			ag_server_problem(rp, 409, "the run is complete",
			                  "begin a new one to run the recipe again");
		else
			ag_server_problem_of(rp, &err);
		return;
	}
	t = ag_server_may_begin(h, rq, rp) ? ag_server_task_new(h, rq, rp, at.place.project) : NULL;
	if (!t)
		return;
	if (find(h, rq, rp, &at, t->arena, &r))
		go(t, r, NULL, rq, rp);
	else
		ag_server_task_drop(t);
}

/* For a run of another process, which may have died. Its row becomes final, so its process cannot write it any more. */
static ag_status stop_elsewhere(ag_server *h, const ag_server_place *at, ag_recipe_run *r,
                                ag_arena *arena, ag_err *err)
{
	const int64_t now_ms = ag_clock_wall(h->opts.clock);
	ag_store *s = ag_server_chat_store(h);
	ag_status st;

	r->state = AG_RECIPE_CANCELLED;
	r->error = AG_S("stopped by the user");
	r->ended_ms = now_ms;
	st = ag_recipe_run_put(s, at->place.project->id, r, now_ms, arena, err);
	ag_store_close(s);
	return st;
}

void ag_server_recipe_run_stop(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_place at;
	ag_recipe_run *r;
	ag_err err = { 0 };

	if (!find(h, rq, rp, &at, rq->arena, &r))
		return;
	if (r->state > AG_RECIPE_RUNNING)
		ag_server_problem(rp, 409, "the run has ended", "");
	else if (!ag_server_task_stop(h, r->key) && stop_elsewhere(h, &at, r, rq->arena, &err))
		ag_server_problem_of(rp, &err);
	else
		rp->status = 202;
}
