/* The caller's threads: /api/threads, and what is in one of them. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "server/chat.h"
#include "server/list.h"
#include "server/problem.h"
#include "server/shares.h"
#include "store/feedback.h"

#define TITLE 200u /* characters */

static void write_thread(ag_server *h, const ag_thread_row *t, ag_jw *w)
{
	ag_server_turn *turn = ag_server_turn_find(h, &t->id);

	ag_jw_kstr(w, "id", t->name);
	ag_jw_kstr(w, "title", t->title);
	ag_jw_kstr(w, "project", t->project);
	ag_jw_ktime(w, "created_at", t->created_ms);
	ag_jw_ktime(w, "updated_at", t->changed_ms);
	ag_jw_ktime_or_null(w, "viewed_at", t->viewed_ms);
	ag_jw_kbool(w, "unread", t->changed_ms > t->viewed_ms);
	ag_jw_kbool(w, "running", turn != NULL);
	ag_server_turn_drop(turn);
}

/* --- the list --- */

/* "1764140000000_0190…": the last thread of a page */
static bool read_cursor(ag_str text, ag_thread_question *q, ag_arena *arena)
{
	ag_str rest = text, at = ag_str_split(&rest, '_');
	ag_id id;

	if (!text.len)
		return true;
	q->before_ms = strtoll(ag_str_cstr(arena, at), NULL, 10);
	q->before_id = rest;
	return q->before_ms > 0 && ag_id_parse(rest, &id);
}

void ag_server_threads_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_thread_question q = { .user = ag_server_who(h, rq)->user,
		                 .project = ag_server_query(rq, "project"),
		                 .text = ag_server_query(rq, "q"),
		                 .limit = ag_server_page(rq) };
	ag_store *s = ag_server_store_of(h, rp);
	ag_thread_row *rows;
	ag_err err = { 0 };
	size_t n;
	ag_jw w;

	if (!s)
		return;
	if (!read_cursor(ag_server_query(rq, "cursor"), &q, rq->arena)) {
		ag_server_list_refuse(rp);
	} else if (ag_store_threads(s, &q, rq->arena, &rows, &n, &err)) {
		ag_server_problem_of(rp, &err);
	} else {
		ag_server_json(rp, &w);
		ag_jw_kkey(&w, "threads");
		ag_jw_arr(&w);
		for (size_t i = 0; i < n; i++) {
			ag_jw_obj(&w);
			write_thread(h, &rows[i], &w);
			ag_jw_obj_end(&w);
		}
		ag_jw_arr_end(&w);
		ag_server_list_next(&w, n < q.limit
		                                ? AG_S("")
		                                : ag_str_printf(rq->arena, "%lld_%s",
		                                                (long long)rows[n - 1].changed_ms,
		                                                rows[n - 1].id.text));
		ag_jw_obj_end(&w);
	}
	ag_store_close(s);
}

/* --- one --- */

static void answer_thread(ag_server *h, const ag_thread_row *t, ag_httpd_reply *rp)
{
	ag_jw w;

	ag_server_json(rp, &w);
	write_thread(h, t, &w);
	ag_jw_obj_end(&w);
}

void ag_server_thread_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = ag_server_store_of(h, rp);
	ag_thread_row t;

	if (s && ag_server_thread_of(h, rq, rp, s, &t))
		answer_thread(h, &t, rp);
	ag_store_close(s);
}

/* Changes the caller's thread and answers with it as it is then, or with 204. */
static void change(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                   const ag_thread_change *c)
{
	ag_store *s = ag_server_store_of(h, rp);
	ag_thread_row t;
	ag_err err = { 0 };
	ag_status st;

	if (s && ag_server_thread_of(h, rq, rp, s, &t)) {
		/* Its links first: none is left of a conversation that is gone. */
		st = c->deleted_ms ? ag_store_revoke_shares(s, t.project, AG_S("thread"),
		                                            ag_id_str(&t.id), c->deleted_ms, &err)
		                   : AG_OK;
		if (!st)
			st = ag_store_change_thread(s, &t.id, t.user, c, &err);
		if (!st && !c->deleted_ms)
			st = ag_store_thread(s, &t.id, rq->arena, &t, &err);
		if (st)
			ag_server_problem_of(rp, &err);
		else if (c->deleted_ms)
			rp->status = 204;
		else
			answer_thread(h, &t, rp);
	}
	ag_store_close(s);
}

void ag_server_thread_change(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_thread_change c = { 0 };
	ag_val body;

	if (!ag_server_body(rq, rp, &body))
		return;
	c.title = ag_str_trim(ag_val_member_str(&body, "title"));
	if (!c.title.len || ag_utf8_count(c.title) > TITLE)
		ag_server_problem(rp, 400, "want a \"title\" of 1 to 200 characters", "");
	else
		change((ag_server *)env, rq, rp, &c);
}

void ag_server_thread_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;

	change(h, rq, rp, &(ag_thread_change){ .deleted_ms = ag_clock_wall(h->opts.clock) });
}

void ag_server_thread_viewed(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;

	change(h, rq, rp, &(ag_thread_change){ .viewed_ms = ag_clock_wall(h->opts.clock) });
}

/* --- a branch --- */

static ag_status branch_at(ag_server *h, ag_store *s, const ag_thread_row *t, ag_str turn,
                           ag_arena *arena, ag_thread_row *ret, ag_err *err)
{
	const ag_str place = ag_thread_place(t->project, t->user, arena);
	const int64_t now = ag_clock_wall(h->opts.clock);
	ag_thread_row row = *t;
	ag_thread from, to;
	ag_run_row last;
	ag_status st = ag_thread_of_turn(s, place, turn, arena, &from, &last, err);

	if (!st && strcmp(from.id.text, t->id.text) != 0)
		st = ag_fail(err, AG_NOT_FOUND, "server.chat", "the thread has no such turn");
	if (!st)
		st = ag_thread_branch(s, h->opts.clock, &from, &last, arena, &to, err);
	if (st)
		return st;
	row.id = to.id;
	row.name = ag_str_dup(arena, ag_id_str(&to.id));
	row.created_ms = row.changed_ms = now;
	return ag_store_claim_thread(s, &row, NULL, arena, ret, err);
}

void ag_server_thread_branch(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = NULL;
	ag_thread_row t, made;
	ag_err err = { 0 };
	ag_val body;

	if (!ag_server_body(rq, rp, &body))
		return;
	s = ag_server_store_of(h, rp);
	if (s && ag_server_thread_of(h, rq, rp, s, &t)) {
		if (branch_at(h, s, &t, ag_val_member_str(&body, "turn"), rq->arena, &made, &err)) {
			ag_server_problem_of(rp, &err);
		} else {
			rp->status = 201;
			answer_thread(h, &made, rp);
		}
	}
	ag_store_close(s);
}

/* --- messages --- */

/* Nothing for a question with one version. */
static void write_versions(const ag_thread_versions *v, const ag_run_row *turn, ag_arena *arena,
                           ag_jw *w)
{
	ag_str *ids;
	const size_t n = ag_thread_versions_of(v, turn, arena, &ids);

	if (n < 2)
		return;
	ag_jw_kkey(w, "metadata");
	ag_jw_obj(w);
	ag_jw_kkey(w, "versions");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++)
		ag_jw_str(w, ids[i]);
	ag_jw_arr_end(w);
	ag_jw_obj_end(w);
}

static void write_question(const ag_run_row *turn, const ag_analyst_state *state,
                           const ag_thread_versions *v, ag_arena *arena, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "id", ag_str_printf(arena, "%s" AG_THREAD_QUESTION, turn->id.text));
	ag_jw_kstr(w, "role", AG_S("user"));
	ag_jw_kkey(w, "parts");
	ag_jw_arr(w);
	ag_jw_obj(w);
	ag_jw_kstr(w, "type", AG_S("text"));
	ag_jw_kstr(w, "text", state->question);
	ag_jw_obj_end(w);
	ag_jw_arr_end(w);
	write_versions(v, turn, arena, w);
	ag_jw_obj_end(w);
}

/* What a page of messages needs of the thread. */
typedef struct thread_notes {
	ag_thread_versions versions;
	ag_feedback_row *feedback; /* of the caller */
	size_t nfeedback;
} thread_notes;

static ag_status read_notes(ag_store *s, const ag_thread_row *t, ag_arena *arena, thread_notes *ret,
                            ag_err *err)
{
	const ag_thread thread = ag_thread_of(&t->id, AG_S(""), arena);
	ag_status st = ag_thread_versions_read(s, &thread, arena, &ret->versions, err);

	return st ? st
	          : ag_store_feedback_of(s, &t->id, t->user, arena, &ret->feedback, &ret->nfeedback,
	                                 err);
}

/* {"feedback":{"verdict","reason"}}; "" = nothing was said of the turn, or notes is NULL. */
static ag_str metadata_of(const thread_notes *notes, const ag_run_row *turn, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(4 * AG_FEEDBACK_MAX_REASON);
	ag_str ret = AG_S("");
	ag_jw w;

	for (size_t i = 0; notes && i < notes->nfeedback; i++) {
		const ag_feedback_row *f = &notes->feedback[i];

		if (!ag_str_eq(ag_id_str(&f->turn), ag_id_str(&turn->id)))
			continue;
		ag_jw_init(&w, &out, 0);
		ag_jw_obj(&w);
		ag_jw_kkey(&w, "feedback");
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "verdict", f->verdict);
		ag_jw_kstr(&w, "reason", f->reason);
		ag_jw_obj_end(&w);
		ag_jw_obj_end(&w);
		ret = ag_buf_dup(arena, &out);
	}
	ag_buf_release(&out);
	return ret;
}

/* The answer as it was shown. One that is under way is read from its stream, so it is not here. */
static ag_status write_answer(ag_store *s, const ag_run_row *turn, const thread_notes *notes,
                              bool hides_thoughts, ag_arena *arena, ag_jw *w, ag_err *err)
{
	ag_ui_message m;
	ag_ui_stream ui;
	ag_event *events;
	ag_str answer = AG_S("");
	size_t n, nshown;
	ag_status st = ag_store_events(s, &turn->id, 0, arena, &events, &n, err);

	if (st)
		return st;
	nshown = n && events[n - 1].type == AG_EV_RUN_FINISHED ? n - 1 : n;
	ag_ui_message_init(&m, arena);
	m.metadata = metadata_of(notes, turn, arena);
	m.hides_thoughts = hides_thoughts;
	ag_ui_stream_init(&ui, ag_ui_message_take, &m);
	ag_ui_stream_replay(&ui, events, nshown);
	st = ag_store_report(s, &turn->id, arena, &answer, err);
	if (!st)
		ag_ui_stream_answer(&ui, answer);
	if (nshown < n)
		ag_ui_stream_event(&ui, &events[nshown]);
	ag_ui_stream_release(&ui);
	ag_ui_message_write(&m, w);
	return st == AG_NOT_FOUND ? AG_OK : st;
}

static ag_status write_turn(ag_store *s, const ag_run_row *turn, const thread_notes *notes,
                            ag_jw *w, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_analyst_state state;
	bool is_open = false;
	ag_status st = ag_analyst_read_turn(s, &turn->id, arena, &state, err);

	if (!st)
		st = ag_analyst_is_open(s, turn, &is_open, err);
	if (st)
		return st;
	write_question(turn, &state, &notes->versions, arena, w);
	return ag_str_eqc(turn->status, "running")
	               ? AG_OK
	               : write_answer(s, turn, notes, false, arena, w, err);
}

/* With the version that the caller wants to see; "" = the newest of each question. */
static ag_status turns_of(ag_store *s, const ag_thread *t, ag_str version, ag_arena *arena,
                          ag_run_row **ret, size_t *nret, ag_err *err)
{
	ag_status st = ag_thread_turns_with(s, t, version, AG_THREAD_MAX_TURNS, arena, ret, nret,
	                                    err);
	bool has = !version.len;

	for (size_t i = 0; !st && !has && i < *nret; i++)
		has = ag_str_eq(ag_id_str(&(*ret)[i].id), version);
	if (!st && !has)
		st = ag_fail(err, AG_NOT_FOUND, "server.chat", "the thread has no such turn");
	return st;
}

static ag_status write_messages(ag_server *h, ag_store *s, const ag_thread_row *t,
                                ag_httpd_request *rq, ag_jw *w, ag_err *err)
{
	const ag_thread thread = ag_thread_of(&t->id, AG_S(""), rq->arena);
	ag_run_row *turns;
	thread_notes notes = { 0 };
	size_t n, from, to, limit = ag_server_page(rq);
	const ag_str before = ag_server_query(rq, "cursor");
	ag_status st = turns_of(s, &thread, ag_server_query(rq, "version"), rq->arena, &turns, &n,
	                        err);

	if (!st)
		st = read_notes(s, t, rq->arena, &notes, err);
	if (st)
		return st;
	for (to = n; before.len && to > 0 && !ag_str_eq(ag_id_str(&turns[to - 1].id), before); to--)
		;
	to = before.len && to ? to - 1 : to;
	from = to > limit ? to - limit : 0;
	ag_jw_kkey(w, "thread");
	ag_jw_obj(w);
	write_thread(h, t, w);
	ag_jw_obj_end(w);
	ag_jw_kkey(w, "messages");
	ag_jw_arr(w);
	for (size_t i = from; i < to && !st; i++)
		st = write_turn(s, &turns[i], &notes, w, err);
	ag_jw_arr_end(w);
	ag_server_list_next(w, from ? ag_id_str(&turns[from].id) : AG_S(""));
	return st;
}

static ag_status copy_turn(ag_store *s, const ag_run_row *turn, ag_jw *w, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_analyst_state state;
	ag_status st;

	if (ag_str_eqc(turn->status, "running"))
		return AG_OK;
	st = ag_analyst_read_turn(s, &turn->id, arena, &state, err);
	if (st)
		return st;
	write_question(turn, &state, &(ag_thread_versions){ 0 }, arena, w);
	return write_answer(s, turn, NULL, true, arena, w, err);
}

ag_status ag_server_thread_copy(ag_store *s, const ag_id *id, ag_arena *arena, ag_buf *out,
                                ag_err *err)
{
	const ag_thread thread = ag_thread_of(id, AG_S(""), arena);
	ag_run_row *turns;
	size_t n = 0;
	ag_status st = ag_thread_turns(s, &thread, AG_THREAD_MAX_TURNS, arena, &turns, &n, err);
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_arr(&w);
	for (size_t i = 0; i < n && !st && !out->failed; i++)
		st = copy_turn(s, &turns[i], &w, err);
	ag_jw_arr_end(&w);
	return st;
}

void ag_server_thread_messages(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = ag_server_store_of(h, rp);
	ag_thread_row t;
	ag_err err = { 0 };
	ag_jw w;

	if (s && ag_server_thread_of(h, rq, rp, s, &t)) {
		ag_server_json(rp, &w);
		if (write_messages(h, s, &t, rq, &w, &err))
			ag_server_problem_of(rp, &err);
		else
			ag_jw_obj_end(&w);
	}
	ag_store_close(s);
}
