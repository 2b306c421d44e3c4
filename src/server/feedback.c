/* What people say of answers: PUT and DELETE /api/threads/{id}/turns/{turn}/feedback, and the list for admins of a project. */
#include "store/feedback.h"

#include <stdlib.h>
#include <string.h>

#include "server/chat.h"
#include "server/list.h"
#include "server/problem.h"
#include "server/work.h"

static void write_feedback(const ag_feedback_row *f, ag_jw *w)
{
	ag_jw_kstr(w, "turn", ag_id_str(&f->turn));
	ag_jw_kstr(w, "verdict", f->verdict);
	ag_jw_kstr(w, "reason", f->reason);
	ag_jw_ktime(w, "created_at", f->created_ms);
	ag_jw_ktime(w, "updated_at", f->changed_ms);
}

/* The turn of the route's {turn}, also a replaced one, of the caller's thread. False: rp says why not. */
static bool turn_of(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s,
                    ag_thread_row *ret_thread, ag_run_row *ret)
{
	const ag_str id = ag_server_param(rq, "turn");
	ag_thread t;
	ag_id whole;
	ag_err err = { 0 };
	ag_status st = AG_NOT_FOUND;

	if (!ag_server_thread_of(h, rq, rp, s, ret_thread))
		return false;
	if (ag_id_parse(id, &whole))
		st = ag_thread_of_turn(
			s, ag_thread_place(ret_thread->project, ret_thread->user, rq->arena), id,
			rq->arena, &t, ret, &err);
	if (!st && strcmp(t.id.text, ret_thread->id.text) == 0)
		return true;
	if (st && st != AG_NOT_FOUND)
		ag_server_problem_of(rp, &err);
	else
		ag_server_problem(rp, 404, "the thread has no such turn",
		                  "the id of an answer's message names its turn");
	return false;
}

static void put(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s,
                const ag_val *body)
{
	const int64_t now = ag_clock_wall(h->opts.clock);
	ag_feedback_row f = { .verdict = ag_val_member_str(body, "verdict"),
		              .reason = ag_str_trim(ag_val_member_str(body, "reason")),
		              .created_ms = now,
		              .changed_ms = now };
	ag_thread_row thread;
	ag_run_row turn;
	ag_err err = { 0 };
	ag_jw w;

	if (!turn_of(h, rq, rp, s, &thread, &turn))
		return;
	if (ag_str_eqc(turn.status, "running")) {
		ag_server_problem(rp, 409, "the answer is still being written",
		                  "say what you think of it when it is complete");
		return;
	}
	f.turn = turn.id;
	f.thread = thread.id;
	f.user = thread.user;
	f.project = thread.project;
	if (ag_store_put_feedback(s, &f, &err)) {
		ag_server_problem_of(rp, &err);
		return;
	}
	ag_server_json(rp, &w);
	write_feedback(&f, &w);
	ag_jw_obj_end(&w);
}

void ag_server_feedback_put(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = NULL;
	ag_val body;

	if (!ag_server_body(rq, rp, &body))
		return;
	s = ag_server_store_of(h, rp);
	if (s)
		put(h, rq, rp, s, &body);
	ag_store_close(s);
}

void ag_server_feedback_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = ag_server_store_of(h, rp);
	ag_thread_row thread;
	ag_run_row turn;
	ag_err err = { 0 };

	if (s && turn_of(h, rq, rp, s, &thread, &turn)) {
		rp->status = 204;
		if (ag_store_drop_feedback(s, &turn.id, thread.user, &err))
			ag_server_problem_of(rp, &err);
	}
	ag_store_close(s);
}

/* --- the list --- */

/* "1764140000000_0190…_ann": the last one of a page */
static bool read_cursor(ag_str text, ag_feedback_question *q, ag_arena *arena)
{
	ag_str rest = text, at = ag_str_split(&rest, '_');
	ag_id id;

	if (!text.len)
		return true;
	q->before_ms = strtoll(ag_str_cstr(arena, at), NULL, 10);
	q->before_turn = ag_str_split(&rest, '_');
	q->before_user = rest;
	return q->before_ms > 0 && ag_id_parse(q->before_turn, &id) && rest.len > 0;
}

static void write_list(ag_httpd_request *rq, ag_httpd_reply *rp, const ag_feedback_row *rows,
                       size_t n, size_t limit)
{
	const ag_feedback_row *last = n ? &rows[n - 1] : NULL;
	ag_jw w;

	ag_server_json(rp, &w);
	ag_jw_kkey(&w, "feedback");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		ag_jw_obj(&w);
		write_feedback(&rows[i], &w);
		ag_jw_kstr(&w, "user", rows[i].user);
		ag_jw_kstr(&w, "thread", ag_id_str(&rows[i].thread));
		ag_jw_kstr(&w, "question", rows[i].question);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_server_list_next(&w, !last || n < limit
	                                ? AG_S("")
	                                : ag_str_printf(rq->arena, "%lld_%s_%.*s",
	                                                (long long)last->changed_ms,
	                                                last->turn.text, AG_FMT(last->user)));
	ag_jw_obj_end(&w);
}

void ag_server_feedback_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_feedback_question q = { .verdict = ag_server_query(rq, "verdict"),
		                   .limit = ag_server_page(rq) };
	ag_server_place at;
	ag_feedback_row *rows;
	ag_store *s;
	ag_err err = { 0 };
	size_t n;

	if (!ag_server_place_of(h, rq, rp, &at))
		return;
	q.project = at.place.project->id;
	if (ag_caller_role(at.place.who, q.project) != AG_ROLE_ADMIN) {
		ag_server_problem(rp, 403,
		                  "only admins of the project read what people say of answers",
		                  "ask an admin of the project");
		return;
	}
	if (q.verdict.len && !ag_str_eqc(q.verdict, "up") && !ag_str_eqc(q.verdict, "down")) {
		ag_server_problem(rp, 400, "want the verdict \"up\" or \"down\"", "");
		return;
	}
	if (!read_cursor(ag_server_query(rq, "cursor"), &q, rq->arena)) {
		ag_server_list_refuse(rp);
		return;
	}
	s = ag_server_store_of(h, rp);
	if (s && ag_store_feedback(s, &q, rq->arena, &rows, &n, &err))
		ag_server_problem_of(rp, &err);
	else if (s)
		write_list(rq, rp, rows, n, q.limit);
	ag_store_close(s);
}
