/* The routes of questions about files: see asks.h. */
#include "server/asks.h"

#include <string.h>

#include "base/utf8.h"
#include "query/extjson.h"
#include "server/chat.h"
#include "server/list.h"
#include "server/problem.h"

#define ORIGIN     "server.ask"
#define MAX_EVENTS 500u
#define MAX_ARGS   2000u /* bytes of a call's input that an event shows */

/* --- whose question --- */

bool ag_server_asks_place(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_str project,
                          ag_server_asked *ret)
{
	if (!h->ask) {
		ag_server_problem(rp, 404, "there is nothing at this path",
		                  "questions about files are answered by argus serve");
		return false;
	}
	if (!ag_server_place_in(h, rq, rp, project, &ret->at))
		return false;
	ret->key = ag_server_asks_key(ret->at.place.project->id, ret->at.place.who->user,
	                              rq->arena);
	ret->store = ag_server_store_of(h, rp);
	return ret->store != NULL;
}

/* The caller's question of that id: first among those under way, which are in the store before they leave that list. NULL: there is
 * none. */
static ag_status look_up(ag_server *h, ag_httpd_request *rq, ag_str id, const ag_project **ret,
                         ag_server_asked *a, ag_err *err)
{
	const ag_caller *who = ag_server_who(h, rq);
	const ag_project **list;
	ag_err why = { 0 };
	size_t n, nlive;
	ag_id exact;
	ag_status st = ag_project_list(h->opts.chat->hub, who, rq->arena, &list, &n, err);

	*ret = NULL;
	/* Whole ids only: the beginning of one would tell of questions of others. */
	if (st || !ag_id_parse(id, &exact))
		return st;
	for (size_t i = 0; i < n && !*ret; i++) {
		const ag_server_asking_view *live =
			ag_server_askings(h, ag_server_asks_key(list[i]->id, who->user, rq->arena),
		                          rq->arena, &nlive);

		for (size_t k = 0; k < nlive && !*ret; k++) {
			a->live = live[k];
			a->is_live = ag_str_eq(ag_id_str(&live[k].run), ag_id_str(&exact));
			*ret = a->is_live ? list[i] : NULL;
		}
	}
	st = ag_store_find_run(a->store, id, rq->arena, &a->run, &why);
	if (st && st != AG_NOT_FOUND) {
		*err = why;
		return st;
	}
	a->has_run = !st && ag_str_eqc(a->run.agent, "ask");
	for (size_t i = 0; i < n && a->has_run && !*ret; i++)
		if (ag_str_eq(a->run.source_key,
		              ag_server_asks_key(list[i]->id, who->user, rq->arena)))
			*ret = list[i];
	return AG_OK;
}

bool ag_server_asks_find(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                         ag_server_asked *ret)
{
	const ag_project *project = NULL;
	ag_err err = { 0 };

	if (!h->ask) {
		ag_server_problem(rp, 404, "there is nothing at this path",
		                  "questions about files are answered by argus serve");
		return false;
	}
	ret->store = ag_server_store_of(h, rp);
	if (!ret->store)
		return false;
	if (look_up(h, rq, ag_server_param(rq, "id"), &project, ret, &err)) {
		ag_server_problem_of(rp, &err);
		return false;
	}
	if (!project) {
		ag_server_problem(rp, 404, "there is no such question", "GET /api/ask lists yours");
		return false;
	}
	ret->key = ag_server_asks_key(project->id, ag_server_who(h, rq)->user, rq->arena);
	return ag_server_place_in(h, rq, rp, project->id, &ret->at);
}

ag_status ag_server_asks_answer(const ag_server_asked *a, ag_arena *arena, ag_answer *ret,
                                ag_err *err)
{
	const ag_extjson_opts opts = { .max_depth = 200 };
	ag_str text;
	ag_val v;
	ag_status st;

	if (!a->has_run)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no answer yet");
	st = ag_store_report(a->store, &a->run.id, arena, &text, err);
	if (!st)
		st = ag_extjson_parse(text, &opts, arena, &v, NULL, NULL, err);
	return st ? st : ag_answer_read(&v, arena, ret, err);
}

/* --- what a question looks like --- */

static bool is_running(const ag_server_asked *a)
{
	return a->is_live || (a->has_run && ag_str_eqc(a->run.status, "running"));
}

static ag_str status_of(const ag_server_asked *a)
{
	ag_owner_state writer = AG_OWNER_UNKNOWN;

	if (a->is_live)
		return AG_S("running");
	if (ag_str_eqc(a->run.status, "running") &&
	    !ag_store_writer(a->store, &a->run.id, &writer, NULL) && writer == AG_OWNER_DEAD)
		return AG_S("interrupted");
	return a->run.status;
}

static void write_members(const ag_server_asked *a, ag_jw *w)
{
	const bool is_over = a->has_run && !is_running(a);

	ag_jw_kstr(w, "id", ag_id_str(a->has_run ? &a->run.id : &a->live.run));
	ag_jw_kstr(w, "project", a->at.place.project->id);
	ag_jw_kstr(w, "question", a->is_live ? a->live.text : a->run.summary);
	ag_jw_kstr(w, "status", status_of(a));
	ag_jw_kbool(w, "is_stopping", a->is_live && a->live.is_stopping);
	ag_jw_ktime(w, "asked_at", a->is_live ? a->live.began_ms : a->run.started_ms);
	ag_jw_ktime_or_null(w, "answered_at", is_over ? a->run.finished_ms : 0);
	ag_jw_kdouble(w, "usd", a->has_run ? a->run.usd : 0);
}

static void write_progress(const ag_server_asked *a, ag_jw *w)
{
	if (!a->is_live || !a->live.phase.len)
		return;
	ag_jw_kkey(w, "progress");
	ag_jw_obj(w);
	ag_jw_kstr(w, "phase", a->live.phase);
	ag_jw_kuint(w, "done", a->live.done);
	ag_jw_kuint(w, "total", a->live.total);
	ag_jw_kstr(w, "unit", a->live.unit);
	ag_jw_obj_end(w);
}

/* --- the list --- */

static ag_str asked_key(const void *rows, size_t i, ag_arena *arena)
{
	const ag_server_asked *a = &((const ag_server_asked *)rows)[i];

	(void)arena;
	return ag_id_str(a->has_run ? &a->run.id : &a->live.run);
}

/* Those under way first, then those of the store; one that is in both is one. */
static ag_status list_all(ag_server *h, ag_httpd_request *rq, const ag_server_asked *of,
                          ag_server_asked **ret, size_t *nret, ag_err *err)
{
	const ag_server_asking_view *live;
	ag_run_row *rows;
	size_t nlive, nrow, n = 0;
	ag_status st;

	live = ag_server_askings(h, of->key, rq->arena, &nlive);
	st = ag_store_runs(of->store, of->key, AG_STORE_MAX_RUNS, 0, rq->arena, &rows, &nrow, err);
	if (st)
		return st;
	*ret = ag_new_n(rq->arena, ag_server_asked, nlive + nrow + 1);
	for (size_t i = 0; i < nlive; i++) {
		(*ret)[n] = *of;
		(*ret)[n].is_live = true;
		(*ret)[n++].live = live[i];
	}
	for (size_t i = 0; i < nrow; i++) {
		size_t k = 0;

		while (k < nlive && !ag_str_eq(ag_id_str(&live[k].run), ag_id_str(&rows[i].id)))
			k++;
		if (k == nlive) {
			(*ret)[n] = *of;
			k = n++;
		}
		(*ret)[k].has_run = true;
		(*ret)[k].run = rows[i];
	}
	*nret = n;
	return AG_OK;
}

static bool may_ask(const ag_server_asked *a, ag_httpd_reply *rp, ag_role least)
{
	if (ag_caller_role(a->at.place.who, a->at.place.project->id) >= least)
		return true;
	ag_server_problem(rp, 403, "your role in the project is not enough", "");
	return false;
}

void ag_server_asks_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_asked a = { 0 }, *rows;
	ag_server_list page;
	ag_err err = { 0 };
	size_t n;
	ag_jw w;

	if (!ag_server_asks_place(h, rq, rp, ag_server_query(rq, "project"), &a) ||
	    !may_ask(&a, rp, AG_ROLE_VIEWER)) {
		ag_store_close(a.store);
		return;
	}
	if (list_all(h, rq, &a, &rows, &n, &err)) {
		ag_server_problem_of(rp, &err);
	} else if (ag_server_list_of(rq, rp, rows, n, asked_key, &page)) {
		ag_server_json(rp, &w);
		ag_jw_kkey(&w, "questions");
		ag_jw_arr(&w);
		for (size_t i = page.from; i < page.to; i++) {
			ag_jw_obj(&w);
			write_members(&rows[i], &w);
			ag_jw_obj_end(&w);
		}
		ag_jw_arr_end(&w);
		ag_server_list_next(&w, page.next);
		ag_jw_obj_end(&w);
	}
	ag_store_close(a.store);
}

/* --- ask --- */

/* The row in the audit table says that it was asked; it is there before anything is read. */
static bool record(ag_httpd_request *rq, ag_httpd_reply *rp, const ag_server_asked *a, ag_str text)
{
	ag_project_call call = { .who = a->at.place.who,
		                 .project = a->at.place.project,
		                 .tool = AG_S("ask_project"),
		                 .session = AG_S(""),
		                 .watch_fd = -1 };
	ag_sql_failure f = { 0 };
	ag_err err = { 0 };

	if (ag_project_begin(a->at.place.hub, &call, AG_ROLE_VIEWER, "ask", text, rq->arena, &f) &&
	    ag_project_end(a->at.place.hub, &call, "ok", 0, rq->arena, &f))
		return true;
	AG_IGNORE(ag_sql_failure_err(&f, ORIGIN, &err), "it fills the error");
	ag_server_problem_of(rp, &err);
	return false;
}

static void begin(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_server_asked *a,
                  const ag_val *body)
{
	const ag_server_asks *o = h->opts.asks;
	ag_server_asking_opts opts = { .who = a->at.place.who,
		                       .project = a->at.place.project,
		                       .text = ag_str_trim(ag_val_member_str(body, "question")),
		                       .is_offline = ag_val_member_bool(body, "offline"),
		                       .seconds = (double)ag_val_member_u64(body, "seconds") };
	ag_err err = { 0 };
	ag_root *root = NULL;
	ag_jw w;

	if (!opts.text.len) {
		ag_server_problem(rp, 422, "the question is blank", "");
		return;
	}
	if (o->open_root(o->arg, opts.project, rq->arena, &root, &err)) {
		ag_server_problem(rp, 409, err.msg, err.hint);
		return;
	}
	ag_root_close(root);
	if (opts.seconds <= 0 || opts.seconds > o->max_seconds)
		opts.seconds = o->max_seconds;
	if (!ag_server_may_question(h, rq, rp, a->store) || !record(rq, rp, a, opts.text))
		return;
	opts.known = ag_server_caller_ref(rq);
	a->is_live = true;
	if (ag_server_asking_begin(h, &opts, &a->live.run, &err)) {
		ag_server_problem_of(rp, &err);
		return;
	}
	a->live = (ag_server_asking_view){ .run = a->live.run,
		                           .text = opts.text,
		                           .began_ms = ag_clock_wall(h->opts.clock) };
	rp->status = 202;
	ag_httpd_add_header(rp, "Location",
	                    ag_str_printf(rq->arena, "/api/ask/%s", a->live.run.text));
	ag_server_json(rp, &w);
	write_members(a, &w);
	ag_jw_obj_end(&w);
}

void ag_server_ask_post(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_asked a = { 0 };
	ag_val body;

	if (ag_server_body(rq, rp, &body) &&
	    ag_server_asks_place(h, rq, rp, ag_val_member_str(&body, "project"), &a))
		begin(h, rq, rp, &a, &body);
	ag_store_close(a.store);
}

/* --- one question --- */

/* Why a run without an answer ended so. */
static ag_str reason_of(const ag_server_asked *a, ag_arena *arena)
{
	const ag_extjson_opts opts = { .max_depth = 200 };
	ag_event *events;
	size_t n = 0;
	ag_val v;

	if (!a->has_run || ag_store_events(a->store, &a->run.id, 0, arena, &events, &n, NULL) ||
	    !n || events[n - 1].type != AG_EV_RUN_FINISHED ||
	    ag_extjson_parse(events[n - 1].payload, &opts, arena, &v, NULL, NULL, NULL))
		return AG_S("");
	return ag_val_member_str(&v, "why");
}

static ag_str folder_name(ag_str path)
{
	const char *slash = memrchr(path.ptr, '/', path.len);

	return slash ? ag_str_make(slash + 1, (size_t)(path.ptr + path.len - slash - 1)) : path;
}

void ag_server_ask_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_buf json = AG_BUF_INIT(64u << 20);
	ag_server_asked a = { 0 };
	ag_answer answer;
	ag_err err = { 0 };
	ag_status st = AG_NOT_FOUND;
	ag_jw w;

	if (!ag_server_asks_find(h, rq, rp, &a)) {
		ag_store_close(a.store);
		return;
	}
	if (!is_running(&a))
		st = ag_server_asks_answer(&a, rq->arena, &answer, &err);
	if (st && st != AG_NOT_FOUND) {
		ag_server_problem_of(rp, &err);
		ag_store_close(a.store);
		return;
	}
	if (!st) {
		/* Where the folder is on the server is nobody's business. */
		answer.root = folder_name(answer.root);
		ag_answer_json(&answer, &json);
	}
	ag_server_json(rp, &w);
	write_members(&a, &w);
	ag_jw_kstr(&w, "why", st ? reason_of(&a, rq->arena) : answer.why);
	write_progress(&a, &w);
	if (!st)
		ag_jw_kraw(&w, "answer", ag_buf_view(&json));
	ag_jw_obj_end(&w);
	ag_buf_release(&json);
	ag_store_close(a.store);
}

static void write_event(const ag_event *ev, const ag_val *v, ag_arena *arena, ag_jw *w)
{
	static const char *const texts[] = { "action", "tool", "status", "why", "message" };
	const ag_val *input = ag_val_getc(v, "input");
	ag_buf args = AG_BUF_INIT(1u << 20);

	ag_jw_obj(w);
	ag_jw_kuint(w, "seq", ev->seq);
	ag_jw_kstr(w, "type",
	           ev->type == AG_EV_UNKNOWN ? ev->type_text
	                                     : ag_str_c(ag_event_type_text(ev->type)));
	ag_jw_ktime(w, "at", ev->at_ms);
	for (size_t i = 0; i < AG_NELEM(texts); i++) {
		const ag_val *x = ag_val_getc(v, texts[i]);

		if (x && x->type == AG_T_STRING)
			ag_jw_kstr(w, texts[i], ag_val_text(x));
	}
	if (ev->type == AG_EV_TOOL_INPUT && input) {
		ag_extjson_write(&args, input, AG_EXTJSON_RELAXED);
		ag_jw_kstr(w, "args", ag_utf8_prefix(ag_buf_dup(arena, &args), MAX_ARGS));
	}
	if (ev->type == AG_EV_TOOL_OUTPUT) {
		ag_jw_kbool(w, "ok", ag_val_member_bool(v, "ok"));
		ag_jw_kuint(w, "latency_ms", ag_val_member_u64(v, "latency_ms"));
		ag_jw_kstr(w, "summary", ag_val_member_str(v, "summary"));
	}
	ag_jw_obj_end(w);
	ag_buf_release(&args);
}

static ag_status write_events(const ag_server_asked *a, uint64_t after, ag_httpd_request *rq,
                              ag_httpd_reply *rp, ag_err *err)
{
	const ag_extjson_opts opts = { .max_depth = 200 };
	ag_event *events = NULL;
	size_t n = 0;
	ag_status st = AG_OK;
	ag_jw w;

	if (a->has_run)
		st = ag_store_events_at(a->store, &a->run.id, &(ag_log_place){ after, MAX_EVENTS },
		                        rq->arena, &events, &n, err);
	if (st)
		return st;
	ag_server_json(rp, &w);
	ag_jw_kkey(&w, "events");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		ag_val v = { 0 };

		after = events[i].seq;
		AG_IGNORE(ag_extjson_parse(events[i].payload, &opts, rq->arena, &v, NULL, NULL,
		                           NULL),
		          "then the event has no members of its own");
		write_event(&events[i], &v, rq->arena, &w);
	}
	ag_jw_arr_end(&w);
	ag_jw_kuint(&w, "last", after);
	write_progress(a, &w);
	ag_jw_kkey(&w, "question");
	ag_jw_obj(&w);
	write_members(a, &w);
	ag_jw_obj_end(&w);
	ag_jw_obj_end(&w);
	return AG_OK;
}

void ag_server_ask_events(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_str text = ag_server_query(rq, "after");
	ag_server_asked a = { 0 };
	uint64_t after = 0;
	ag_err err = { 0 };

	if (text.len && !ag_str_to_u64(text, &after))
		ag_server_problem(rp, 400, "want ?after= as the number of an event", "");
	else if (ag_server_asks_find(h, rq, rp, &a) && write_events(&a, after, rq, rp, &err))
		ag_server_problem_of(rp, &err);
	ag_store_close(a.store);
}

void ag_server_ask_stop(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_asked a = { 0 };
	ag_jw w;

	if (!ag_server_asks_find(h, rq, rp, &a)) {
		ag_store_close(a.store);
		return;
	}
	if (a.is_live && ag_server_asking_cancel(h, a.key, &a.live.run)) {
		a.live.is_stopping = true;
		rp->status = 202;
		ag_server_json(rp, &w);
		write_members(&a, &w);
		ag_jw_obj_end(&w);
	} else if (is_running(&a)) {
		ag_server_problem(rp, 409, "another process answers this question",
		                  "it ends by its deadline");
	} else {
		ag_server_problem(rp, 409, "the question is answered, or was stopped", "");
	}
	ag_store_close(a.store);
}
