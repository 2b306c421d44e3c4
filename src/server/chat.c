/* POST /api/chat: a question, answered as a stream; GET …/{id}/stream: the answer under way, from its beginning; POST …/{id}/stop.
 *
 * Takes what the AI SDK's transports send ({"id", "messages": [...]}), one message alone ({"id", "message": {...}}), and the
 * older form with "data": {"projectId", "threadId"}. History comes from the store, never from the client. A question that is edited
 * or asked again ("trigger", "messageId") replaces its turn. */
#include "server/chat.h"

#include <stdio.h>

#include "base/sha256.h"
#include "base/utf8.h"
#include "run/owner.h"
#include "server/problem.h"
#include "store/ledger.h"

#define MAX_TITLE   200u  /* characters */
#define MAX_MESSAGE 128u  /* bytes of a message's id */
#define WINDOW_MS   60000 /* of the limit of questions */

bool ag_server_thread_id(ag_str name, ag_id *ret)
{
	ag_sha256_hex h;

	if (!name.len || name.len > AG_THREAD_MAX_NAME)
		return false;
	for (size_t i = 0; i < name.len; i++)
		if ((unsigned char)name.ptr[i] <= ' ' || (unsigned char)name.ptr[i] > '~')
			return false;
	if (ag_id_parse(name, ret))
		return true;
	/* A UUID of version 8: RFC 9562, section 5.8. */
	h = ag_sha256(name);
	snprintf(ret->text, sizeof(ret->text), "%.8s-%.4s-8%.3s-a%.3s-%.12s", h.text, h.text + 8,
	         h.text + 13, h.text + 17, h.text + 20);
	return true;
}

/* --- handles of the store --- */

ag_store *ag_server_chat_store(ag_server *h)
{
	ag_store *s = ag_store_of_group(h->opts.chat->group);

	ag_store_set_patience(s, AG_SERVER_PATIENCE_MS);
	return s;
}

ag_store *ag_server_store_of(ag_server *h, ag_httpd_reply *rp)
{
	ag_store *s = NULL;

	if (!h->chat)
		ag_server_problem(rp, 404, "there is nothing at this path",
		                  "it is served by argus serve");
	else
		s = ag_server_chat_store(h);
	return s;
}

/* --- the body --- */

typedef struct asked {
	ag_str question, project, name; /* name: the client's id of the thread */
	ag_str message;                 /* the client's id of the question; "" = none */
	ag_str target; /* the message that is edited or answered again; "" = none */
	ag_str sql;    /* that answers the question, without a model; "" = a model does */
	bool is_again; /* another answer to a question is wanted */
} asked;

/* "content", or the parts of type text, joined by a blank. */
static ag_str text_of(const ag_val *message, ag_arena *arena)
{
	const ag_val *content = ag_val_getc(message, "content"),
		     *parts = ag_val_getc(message, "parts");
	ag_buf out = AG_BUF_INIT(1u << 20);
	ag_str ret;

	if (content && content->type == AG_T_ARRAY)
		parts = content;
	if (!parts || parts->type != AG_T_ARRAY)
		return ag_val_member_str(message, "content");
	for (uint32_t i = 0; i < parts->n; i++) {
		const ag_val *p = &parts->u.items[i];
		ag_str text;

		if (p->type != AG_T_OBJECT || !ag_str_eqc(ag_val_member_str(p, "type"), "text"))
			continue;
		text = ag_val_member_str(p, "text");
		if (out.len && text.len)
			ag_buf_addc(&out, ' ');
		ag_buf_add(&out, text);
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* The message that asks: the last one, which must be the user's. */
static const ag_val *asking(const ag_val *body)
{
	const ag_val *one = ag_val_getc(body, "message"), *all = ag_val_getc(body, "messages");
	const ag_val *m = one;
	ag_str role;

	if (all && all->type == AG_T_ARRAY && all->n)
		m = &all->u.items[all->n - 1];
	if (!m || m->type != AG_T_OBJECT)
		return NULL;
	role = ag_val_member_str(m, "role");
	return !role.len || ag_str_eqc(role, "user") ? m : NULL;
}

static ag_str named(const ag_val *body, const char *first, const char *second)
{
	const ag_val *data = ag_val_getc(body, "data");
	ag_str text = AG_S("");

	if (data && data->type == AG_T_OBJECT)
		text = ag_val_member_str(data, first);
	if (!text.len)
		text = ag_val_member_str(body, first);
	if (!text.len && second)
		text = ag_val_member_str(body, second);
	return text;
}

/* As the client gave it; "" = none that can be kept. */
static ag_str message_id(ag_str id)
{
	for (size_t i = 0; i < id.len; i++)
		if ((unsigned char)id.ptr[i] <= ' ' || (unsigned char)id.ptr[i] > '~')
			return AG_S("");
	return id.len <= MAX_MESSAGE ? id : AG_S("");
}

static bool read_body(ag_httpd_request *rq, ag_httpd_reply *rp, asked *ret)
{
	const ag_val *message;
	ag_val body;
	size_t n;

	if (!ag_server_body(rq, rp, &body))
		return false;
	message = asking(&body);
	if (!message) {
		ag_server_problem(rp, 400, "there is no message of the user to answer",
		                  "the last of \"messages\" must have the role \"user\"");
		return false;
	}
	ret->question = ag_str_trim(text_of(message, rq->arena));
	ret->project = named(&body, "projectId", "project");
	ret->name = named(&body, "threadId", "id");
	n = ag_utf8_count(ret->question);
	if (!ret->question.len) {
		ag_server_problem(rp, 400, "the question is empty", "");
		return false;
	}
	if (n > AG_ANALYST_MAX_QUESTION) {
		ag_server_problem(rp, 400, "the question has more than 10000 characters",
		                  "ask shorter; data belongs into the database");
		return false;
	}
	ret->message = message_id(ag_val_member_str(message, "id"));
	ret->target = message_id(ag_val_member_str(&body, "messageId"));
	ret->sql = ag_str_trim(ag_val_member_str(&body, "sql"));
	if (ag_utf8_count(ret->sql) > AG_ANALYST_MAX_QUESTION) {
		ag_server_problem(rp, 400, "the statement has more than 10000 characters",
		                  "make it shorter");
		return false;
	}
	ret->is_again = ag_str_eqc(ag_val_member_str(&body, "trigger"), "regenerate-message");
	if (!ret->name.len) {
		const ag_id id = ag_id_new(&ag_clock_system);

		ret->name = ag_str_dup(rq->arena, ag_id_str(&id));
	}
	return true;
}

/* --- the thread --- */

static bool fail(ag_httpd_reply *rp, const ag_err *err)
{
	ag_server_problem_of(rp, err);
	return false;
}

static bool no_thread(ag_httpd_reply *rp)
{
	ag_server_problem(rp, 404, "there is no such conversation",
	                  "it was deleted, or it belongs to somebody else");
	return false;
}

/* A thread of the command line belongs to whoever has its turns. */
static bool is_of_others(ag_store *s, const ag_id *id, ag_str user, ag_arena *arena)
{
	const ag_thread t = ag_thread_of(id, AG_S(""), arena);
	ag_run_row *rows;
	size_t n;
	ag_str place;

	if (ag_thread_turns(s, &t, 1, arena, &rows, &n, NULL) || !n)
		return false;
	place = rows[0].source_uri;
	ag_str_split(&place, '/');
	return !ag_str_eq(place, user);
}

static ag_str title_of(ag_str question)
{
	return ag_utf8_prefix(question, MAX_TITLE);
}

/* The thread is the caller's from now on, or was before, and nobody else writes it while *ret_owner has its lease. */
static bool claim(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s,
                  const asked *a, ag_thread_row *ret, ag_str *ret_owner)
{
	const ag_caller *who = ag_server_who(h, rq);
	const int64_t now = ag_clock_wall(h->opts.clock);
	ag_thread_row row = { .name = a->name,
		              .user = who->user,
		              .project = a->project,
		              .title = title_of(a->question),
		              .created_ms = now,
		              .changed_ms = now };
	ag_store_leased lease = { .owner = ag_owner_new(h->opts.clock, rq->arena),
		                  .now_ms = now,
		                  .ttl_ms = h->opts.chat->lease_ms };
	ag_err err = { 0 };
	ag_status st;

	if (!ag_server_thread_id(a->name, &row.id)) {
		ag_server_problem(rp, 400, "the id of the thread cannot be used",
		                  "want 1 to 128 printable characters without blanks");
		return false;
	}
	if (is_of_others(s, &row.id, who->user, rq->arena))
		return no_thread(rp);
	lease.run = row.id;
	st = ag_store_claim_thread(s, &row, &lease, rq->arena, ret, &err);
	if (st == AG_CONFLICT)
		ag_thread_busy(&row.id, &err);
	if (st)
		return fail(rp, &err);
	if (!ag_str_eq(ret->user, who->user) || ret->deleted_ms)
		return no_thread(rp);
	if (!ag_str_eq(ret->project, a->project)) {
		ag_server_problem(rp, 400, "the thread belongs to another project",
		                  "name that project, or begin a new thread");
		return false;
	}
	*ret_owner = lease.owner;
	return true;
}

/* The question is not asked after all. */
static void give_back(ag_server *h, ag_httpd_request *rq, ag_store *s, const ag_id *thread,
                      ag_str owner)
{
	const ag_thread t = ag_thread_of(thread, AG_S(""), rq->arena);

	ag_thread_give(s, &t, owner, h->opts.clock);
}

bool ag_server_thread_of(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s,
                         ag_thread_row *ret)
{
	const ag_caller *who = ag_server_who(h, rq);
	ag_err err = { 0 };
	ag_str name;
	ag_status st;
	ag_id id;

	if (!ag_http_decode(rq->arena, ag_httpd_param(rq, "id"), &name) ||
	    !ag_server_thread_id(name, &id))
		return no_thread(rp);
	st = ag_store_thread(s, &id, rq->arena, ret, &err);
	if (st == AG_NOT_FOUND)
		return no_thread(rp);
	if (st)
		return fail(rp, &err);
	return (ag_str_eq(ret->user, who->user) && !ret->deleted_ms) || no_thread(rp);
}

/* --- the project --- */

static bool find_project(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_str id,
                         const ag_project **ret)
{
	const ag_caller *who = ag_server_who(h, rq);
	ag_err err = { 0 };
	ag_status st = ag_project_find(h->opts.chat->hub, who, id, ret, &err);

	if (st == AG_NOT_FOUND) {
		ag_server_problem(rp, id.len ? 403 : 400, err.msg, err.hint);
		return false;
	}
	if (st)
		return fail(rp, &err);
	if (!(*ret)->source.len) {
		ag_server_problem(rp, 400, "the project has no database",
		                  "give it one: \"source\" of the project");
		return false;
	}
	return true;
}

/* Of several, when none is named or chosen: the first by its id. "" = the caller's own choice, the only one, or none. */
static ag_str first_project(ag_server *h, ag_httpd_request *rq)
{
	const ag_caller *who = ag_server_who(h, rq);
	const ag_project **list, *p;
	size_t n;

	if (!ag_project_find(h->opts.chat->hub, who, AG_S(""), &p, NULL) ||
	    ag_project_list(h->opts.chat->hub, who, rq->arena, &list, &n, NULL) || !n)
		return AG_S("");
	return list[0]->id;
}

/* A thread that is known says which project is meant. */
static bool choose_project(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s,
                           asked *a, const ag_project **ret)
{
	const ag_caller *who = ag_server_who(h, rq);
	ag_thread_row row;
	ag_id id;

	if (!a->project.len && ag_server_thread_id(a->name, &id) &&
	    !ag_store_thread(s, &id, rq->arena, &row, NULL) && ag_str_eq(row.user, who->user))
		a->project = row.project;
	if (!a->project.len)
		a->project = first_project(h, rq);
	if (!find_project(h, rq, rp, a->project, ret))
		return false;
	a->project = (*ret)->id;
	return true;
}

/* --- what a question replaces --- */

/* Another answer to the last question, of a client that does not name it: the text says whether it is that one. */
static ag_status same_as_last(ag_store *s, const ag_thread *t, ag_str question, ag_arena *arena,
                              ag_str *ret, ag_err *err)
{
	ag_analyst_state state;
	ag_run_row *rows;
	size_t n;
	ag_status st = ag_thread_turns(s, t, 1, arena, &rows, &n, err);

	if (st || !n)
		return st;
	st = ag_analyst_read_turn(s, &rows[0].id, arena, &state, err);
	if (!st && ag_str_eq(state.question, question))
		*ret = ag_id_str(&rows[0].id);
	return st;
}

/* The turn that the question replaces; "" = none. A question that never arrived is not in the thread: asking it again, or
 * otherwise, adds it. */
static bool find_replaced(ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s, const asked *a,
                          const ag_thread_row *row, ag_str *ret)
{
	const ag_thread t = ag_thread_of(&row->id, AG_S(""), rq->arena);
	const bool is_edit = a->target.len && ag_str_eq(a->target, a->message);
	ag_err err = { 0 };
	ag_status st = AG_NOT_FOUND;

	*ret = AG_S("");
	if (!a->target.len && !a->is_again)
		return true;
	if (a->target.len)
		st = ag_thread_replaceable(s, &t, a->target, rq->arena, ret, &err);
	if (st == AG_NOT_FOUND && a->is_again && a->message.len)
		st = ag_thread_replaceable(s, &t, a->message, rq->arena, ret, &err);
	if (st == AG_NOT_FOUND && (is_edit || !a->target.len))
		st = a->is_again ? same_as_last(s, &t, a->question, rq->arena, ret, &err) : AG_OK;
	return st ? fail(rp, &err) : true;
}

/* --- limits --- */

bool ag_server_may_question(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s)
{
	const uint64_t limit = h->opts.chat->per_minute;
	const ag_rate_key key = {
		.name = ag_str_printf(rq->arena, "chat:%.*s/minute",
		                      AG_FMT(ag_server_who(h, rq)->user)),
		.window_ms = WINDOW_MS,
		.limit = limit,
	};
	ag_rate_taken taken;
	ag_err err = { 0 };

	if (!limit)
		return true;
	if (ag_store_rate_take(s, &key, 1, 1, ag_clock_wall(h->opts.clock), &taken, &err))
		return fail(rp, &err);
	if (taken.got)
		return true;
	pthread_mutex_lock(&h->chat->lock);
	h->chat->nlimited++;
	pthread_mutex_unlock(&h->chat->lock);
	ag_server_too_many(h, rq, rp, limit, taken.wait_ms, "too many questions in a minute");
	return false;
}

/* --- routes --- */

static bool is_served(const ag_server *h, ag_httpd_reply *rp)
{
	if (!h->chat)
		ag_server_problem(rp, 404, "there is nothing at this path",
		                  "conversations are served by argus serve");
	return h->chat != NULL;
}

void ag_server_turn_stream(ag_httpd_reply *rp, ag_httpd_stream *out)
{
	rp->stream = out;
	ag_httpd_add_header(rp, "x-vercel-ai-ui-message-stream", AG_S("v1"));
}

/* False: rp says why not. */
static bool begin(ag_server *h, ag_httpd_reply *rp, const ag_server_turn_opts *o)
{
	ag_err err = { 0 };
	const bool has_begun = !ag_server_turn_begin(h, o, rp, &err);

	if (!has_begun)
		ag_server_problem_of(rp, &err);
	return has_begun;
}

void ag_server_chat_post(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_project *project;
	ag_thread_row row;
	ag_str replaces = AG_S(""), owner = AG_S("");
	ag_store *s;
	asked a;
	bool has_begun;

	if (!is_served(h, rp) || !read_body(rq, rp, &a))
		return;
	s = ag_server_chat_store(h);
	has_begun = choose_project(h, rq, rp, s, &a, &project) &&
	            ag_server_may_question(h, rq, rp, s) && claim(h, rq, rp, s, &a, &row, &owner) &&
	            find_replaced(rq, rp, s, &a, &row, &replaces) &&
	            begin(h, rp,
	                  &(ag_server_turn_opts){ .who = ag_server_who(h, rq),
	                                          .known = ag_server_caller_ref(rq),
	                                          .span = ag_server_span(rq),
	                                          .project = project,
	                                          .thread = row.id,
	                                          .owner = owner,
	                                          .question = a.question,
	                                          .message = a.message,
	                                          .replaces = replaces,
	                                          .sql = a.sql });
	if (!has_begun && owner.len)
		give_back(h, rq, s, &row.id, owner);
	ag_store_close(s);
}

/* The newest turn of the thread, when it is under way somewhere. */
static ag_status last_turn(ag_store *s, const ag_thread_row *row, ag_arena *arena, ag_run_row *ret,
                           bool *is_running, bool *is_open, ag_err *err)
{
	const ag_thread t = ag_thread_of(&row->id, AG_S(""), arena);
	ag_run_row *rows;
	size_t n;
	ag_status st = ag_thread_turns(s, &t, 1, arena, &rows, &n, err);

	*is_running = *is_open = false;
	if (st || !n)
		return st;
	*ret = rows[0];
	*is_running = ag_str_eqc(rows[0].status, "running");
	return ag_analyst_is_open(s, ret, is_open, err);
}

/* A turn that a crash interrupted goes on; one of another process is read from its log. The store says whether there is one:
 * a turn ends there before it ends here, and who was given its answer as a message must not read it again as a stream. */
static void resume(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s,
                   const ag_thread_row *row, ag_server_turn *here)
{
	ag_httpd_stream *out = NULL;
	const ag_project *project;
	bool is_running, is_open;
	ag_run_row last;
	ag_err err = { 0 };

	if (last_turn(s, row, rq->arena, &last, &is_running, &is_open, &err)) {
		ag_server_problem_of(rp, &err);
	} else if (here && is_running) {
		ag_server_turn_stream(rp, ag_server_turn_read(here));
	} else if (is_open) {
		if (find_project(h, rq, rp, row->project, &project))
			begin(h, rp,
			      &(ag_server_turn_opts){ .who = ag_server_who(h, rq),
			                              .known = ag_server_caller_ref(rq),
			                              .span = ag_server_span(rq),
			                              .project = project,
			                              .thread = row->id });
	} else if (is_running) {
		out = ag_server_turn_follow(h, &last.id);
		if (out)
			ag_server_turn_stream(rp, out);
		else
			ag_server_problem(rp, 503, "too many answers are being followed",
			                  "try again in a moment");
	} else {
		rp->status = 204;
	}
}

void ag_server_chat_resume(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_turn *t;
	ag_thread_row row;
	ag_store *s;

	if (!is_served(h, rp))
		return;
	s = ag_server_chat_store(h);
	if (ag_server_thread_of(h, rq, rp, s, &row)) {
		t = ag_server_turn_find(h, &row.id);
		resume(h, rq, rp, s, &row, t);
		ag_server_turn_drop(t);
	}
	ag_store_close(s);
}

void ag_server_chat_cancel(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_turn *t;
	ag_thread_row row;
	ag_store *s;
	ag_err err = { 0 };

	if (!is_served(h, rp))
		return;
	s = ag_server_chat_store(h);
	if (ag_server_thread_of(h, rq, rp, s, &row)) {
		t = ag_server_turn_find(h, &row.id);
		rp->status = 202;
		if (t)
			ag_server_turn_cancel(t);
		else if (ag_store_stop_thread(s, &row.id, ag_clock_wall(h->opts.clock), &err))
			ag_server_problem_of(rp, &err);
		ag_server_turn_drop(t);
	}
	ag_store_close(s);
}
