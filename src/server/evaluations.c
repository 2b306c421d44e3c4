/* Evaluations over HTTP: a project's golden questions are asked by a task (tasks.h), and what came out is listed and shown
 * (analyst/golden_run.h). */
#include "analyst/golden_run.h"
#include "base/log.h"
#include "base/utf8.h"
#include "query/extjson.h"
#include "server/list.h"
#include "server/problem.h"
#include "server/tasks.h"

typedef struct query {
	ag_str project, key; /* key "" = all */
	ag_arena *arena;
	ag_object_row *rows;
	size_t n;
} query;

static ag_status read_rows(ag_store *s, void *arg, ag_err *err)
{
	query *q = (query *)arg;
	ag_status st;

	if (!q->key.len)
		return ag_golden_run_list(s, q->project, false, q->arena, &q->rows, &q->n, err);
	q->rows = ag_new(q->arena, ag_object_row);
	q->n = 1;
	st = ag_store_object(s, q->project, AG_S(AG_GOLDEN_RUN_KIND), q->key, q->arena, q->rows,
	                     err);
	return st == AG_INVALID ? AG_NOT_FOUND : st;
}

/* False: rp says why not. */
static bool find(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_server_place *at,
                 bool is_one, query *ret)
{
	ag_err err = { 0 };
	ag_status st;

	if (!ag_server_place_of(h, rq, rp, at))
		return false;
	*ret = (query){ .project = at->place.project->id, .arena = rq->arena };
	ret->key = is_one ? ag_server_param(rq, "evaluation") : AG_S("");
	st = is_one && !ret->key.len
	             ? AG_NOT_FOUND
	             : ag_know_governed(&at->place, "list_evaluations", AG_ROLE_VIEWER, ret->key,
	                                read_rows, ret, rq->arena, &err);
	if (!st)
		return true;
	if (st == AG_NOT_FOUND)
		ag_server_problem(rp, 404, "there is no such evaluation", "");
	else
		ag_server_problem_of(rp, &err);
	return false;
}

/* "interrupted": the process that ran it died. */
static ag_str status_of(const ag_object_row *row, int64_t now_ms)
{
	return ag_str_eqc(row->status, "running") &&
	                       now_ms - row->changed_ms > AG_GOLDEN_RUN_STALE_MS
	               ? AG_S("interrupted")
	               : row->status;
}

static void write_row(const ag_object_row *row, bool with_results, int64_t now_ms, ag_arena *arena,
                      ag_jw *w)
{
	const ag_extjson_opts opts = { .max_depth = 8 };
	ag_val v = ag_val_null();

	ag_jw_obj(w);
	ag_jw_kstr(w, "id", row->key);
	ag_jw_kstr(w, "status", status_of(row, now_ms));
	ag_jw_kstr(w, "user", row->author);
	AG_IGNORE(ag_extjson_parse(row->body, &opts, arena, &v, NULL, NULL, NULL),
	          "then it shows no figures");
	for (uint32_t i = 0; v.type == AG_T_OBJECT && i < v.n; i++) {
		const ag_member *m = &v.u.members[i];

		if (!with_results && ag_str_eqc(m->key, "results"))
			continue;
		ag_jw_key(w, m->key);
		ag_jw_raw(w, ag_extjson_str(arena, &m->val, AG_EXTJSON_RELAXED));
	}
	ag_jw_obj_end(w);
}

static ag_str row_key(const void *rows, size_t i, ag_arena *arena)
{
	(void)arena;
	return ((const ag_object_row *)rows)[i].key;
}

void ag_server_evaluations_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_place at;
	ag_server_list page;
	query q;
	ag_jw w;

	if (!find(h, rq, rp, &at, false, &q) ||
	    !ag_server_list_of(rq, rp, q.rows, q.n, row_key, &page))
		return;
	ag_server_json(rp, &w);
	ag_jw_kkey(&w, "evaluations");
	ag_jw_arr(&w);
	for (size_t i = page.from; i < page.to; i++)
		write_row(&q.rows[i], false, ag_clock_wall(h->opts.clock), rq->arena, &w);
	ag_jw_arr_end(&w);
	ag_server_list_next(&w, page.next);
	ag_jw_obj_end(&w);
}

void ag_server_evaluation_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_place at;
	query q;
	ag_jw w;

	if (!find(h, rq, rp, &at, true, &q))
		return;
	rp->content_type = AG_S("application/json");
	ag_jw_init(&w, &rp->body, 0);
	write_row(q.rows, true, ag_clock_wall(h->opts.clock), rq->arena, &w);
}

/* --- asking --- */

static ag_status keep(void *arg, ag_golden_run *e, ag_err *err)
{
	const ag_server_task *t = (const ag_server_task *)arg;

	return ag_golden_run_put(t->chat.store, e, "running", ag_clock_wall(t->ctx.clock), err);
}

static void run(ag_server_task *t)
{
	const ag_server_chat *chat = t->h->opts.chat;
	const ag_golden_run_opts o = { .chat = &t->chat,
		                       .meter = chat->meter,
		                       .on_asked = keep,
		                       .arg = chat->arg,
		                       .asked_arg = t };
	ag_golden_run *e = (ag_golden_run *)t->arg;
	ag_err err = { 0 };
	const char *status = "done";
	ag_status st = ag_golden_run_go(&t->ctx, &o, e, t->arena, &err);

	/* Another process has stopped it, and wrote so. */
	if (st == AG_CONFLICT)
		return;
	if (st) {
		status = st == AG_CANCELLED ? "cancelled" : "failed";
		e->error = ag_str_dup(t->arena, ag_str_c(err.msg));
	}
	st = ag_golden_run_put(t->chat.store, e, status, ag_clock_wall(t->ctx.clock), &err);
	if (st && st != AG_CONFLICT)
		ag_log(AG_LOG_WARN, "evaluation_not_kept", "%.8s: %s", e->key.ptr, err.msg);
}

typedef struct beginning {
	const ag_know_place *place;
	ag_server_task *task;
	ag_golden_run *evaluation;
	ag_object_row row; /* as it is kept */
} beginning;

/* One at a time: each asks all questions. */
static ag_status check_free(ag_store *s, ag_str project, int64_t now_ms, ag_arena *arena,
                            ag_err *err)
{
	ag_object_row *rows;
	size_t n;
	ag_status st = ag_golden_run_list(s, project, false, arena, &rows, &n, err);

	for (size_t i = 0; i < n && !st; i++) {
		if (!ag_str_eqc(status_of(&rows[i], now_ms), "running"))
			continue;
		st = ag_fail(err, AG_CONFLICT, "server.evaluations",
		             "an evaluation of this project is under way");
		ag_err_hint(err, "wait until it has ended, or stop it");
	}
	return st;
}

static ag_status begin(ag_store *s, void *arg, ag_err *err)
{
	beginning *b = (beginning *)arg;
	const ag_server_task *t = b->task;
	const int64_t now_ms = ag_clock_wall(t->ctx.clock);
	ag_golden_run *e = b->evaluation;
	ag_status st = check_free(s, t->project->id, now_ms, t->arena, err);

	if (!st)
		st = ag_golden_run_put(s, e, "running", now_ms, err);
	return st ? st
	          : ag_store_object(s, e->project, AG_S(AG_GOLDEN_RUN_KIND), e->key, t->arena,
	                            &b->row, err);
}

static ag_status make(ag_server_task *t, ag_server_place *at, ag_str tag, beginning *b, ag_err *err)
{
	ag_golden_run *e = ag_new(t->arena, ag_golden_run);
	ag_status st = ag_golden_run_make(&at->place, t->chat.store, tag, t->arena, e, err);

	if (st == AG_NOT_FOUND) {
		ag_fail(err, AG_INVALID, "server.evaluations",
		        "the project has no golden question%s", tag.len ? " with that tag" : "");
		return ag_err_hint(err, "add one first");
	}
	if (st)
		return st;
	e->user = t->who->user;
	e->model = ag_llm_model_of(t->chat.llm)->model;
	*b = (beginning){ .place = &at->place, .task = t, .evaluation = e };
	return ag_know_governed(&at->place, "run_evaluation", AG_ROLE_ANALYST, e->tag, begin, b,
	                        t->arena, err);
}

static void begin_task(ag_server_task *t, ag_server_place *at, ag_str tag, ag_httpd_reply *rp)
{
	beginning b;
	ag_err err = { 0 };
	ag_jw w;

	if (!t->chat.llm || make(t, at, tag, &b, &err)) {
		ag_server_problem_of(rp, t->chat.llm ? &err : &t->no_model);
		ag_server_task_drop(t);
		return;
	}
	t->key = b.evaluation->key;
	t->arg = b.evaluation;
	t->run = run;
	rp->content_type = AG_S("application/json");
	rp->status = 202;
	ag_jw_init(&w, &rp->body, 0);
	write_row(&b.row, false, b.row.changed_ms, t->arena, &w);
	ag_server_task_go(t, AG_GOLDEN_RUN_KIND, rp);
}

void ag_server_evaluation_new(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_place at;
	ag_server_task *t;
	ag_val body;

	if (!ag_server_body(rq, rp, &body) || !ag_server_place_of(h, rq, rp, &at) ||
	    !ag_server_may_begin(h, rq, rp))
		return;
	t = ag_server_task_new(h, rq, rp, at.place.project);
	if (t)
		begin_task(t, &at, ag_val_member_str(&body, "tag"), rp);
}

typedef struct stopping {
	ag_server *h;
	ag_object_row *row;
} stopping;

/* For an evaluation of another process, which may have died. Its row becomes final, so its process cannot write it any more. */
static ag_status stop(ag_store *s, void *arg, ag_err *err)
{
	const stopping *x = (const stopping *)arg;
	ag_object_row row = *x->row;

	if (ag_server_task_stop(x->h, row.key))
		return AG_OK;
	row.status = AG_S("cancelled");
	row.changed_ms = ag_clock_wall(x->h->opts.clock);
	return ag_store_put_objects(s, &row, 1, err);
}

void ag_server_evaluation_stop(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_place at;
	query q;
	ag_err err = { 0 };

	if (!find(h, rq, rp, &at, true, &q))
		return;
	if (!ag_str_eqc(q.rows->status, "running"))
		ag_server_problem(rp, 409, "the evaluation has ended", "");
	else if (ag_know_governed(&at.place, "stop_evaluation", AG_ROLE_ANALYST, q.rows->key, stop,
	                          &(stopping){ h, q.rows }, rq->arena, &err))
		ag_server_problem_of(rp, &err);
	else
		rp->status = 202;
}
