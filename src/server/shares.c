/* Share links of conversations, artifacts and runs of recipes: made, listed, revoked. Each is a governed call: its row is in the audit
 * table. Read share_new(). */
#include "server/shares.h"

#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "query/extjson.h"
#include "server/chat.h"
#include "server/list.h"
#include "server/problem.h"

#define ORIGIN "server.shares"

/* --- as JSON --- */

static const char *state_of(const ag_share_row *r, int64_t now_ms)
{
	if (r->revoked_ms)
		return "revoked";
	return r->expires_ms && r->expires_ms <= now_ms ? "expired" : "active";
}

/* token: shown once, when the link is made; NULL afterwards. */
static void write_share(const ag_share_row *r, const char *token, int64_t now_ms, ag_arena *arena,
                        ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "id", r->id);
	if (token) {
		ag_jw_kstr(w, "token", ag_str_c(token));
		ag_jw_kstr(w, "path", ag_str_printf(arena, "/s/%s", token));
	}
	ag_jw_kstr(w, "kind", r->kind);
	ag_jw_kstr(w, "thing", r->thing);
	ag_jw_kuint(w, "version", r->version);
	ag_jw_kstr(w, "title", r->title);
	ag_jw_kstr(w, "project", r->project);
	ag_jw_kstr(w, "user", r->user);
	ag_jw_kstr(w, "audience", r->audience);
	ag_jw_kraw(w, "users", r->users.len ? r->users : AG_S("[]"));
	ag_jw_kstr(w, "state", ag_str_c(state_of(r, now_ms)));
	ag_jw_ktime(w, "created_at", r->created_ms);
	ag_jw_ktime_or_null(w, "expires_at", r->expires_ms);
	ag_jw_ktime_or_null(w, "revoked_at", r->revoked_ms);
	ag_jw_kuint(w, "opens", r->nopen);
	ag_jw_ktime_or_null(w, "opened_at", r->opened_ms);
	ag_jw_obj_end(w);
}

/* --- one governed call --- */

typedef struct sharing {
	ag_server *h;
	ag_httpd_request *rq;
	ag_server_place at;
	ag_store *store;
	ag_share_question question;
	ag_share_row *rows;
	size_t nrow;
	ag_share_row row;
	ag_share_copy copy;
	int64_t now_ms;
} sharing;

static bool is_admin(const sharing *s)
{
	return ag_caller_role(s->at.place.who, s->at.place.project->id) == AG_ROLE_ADMIN;
}

/* Runs work() as a call of that name. text: for its audit row. False: rp says why not. */
static bool governed(sharing *s, ag_httpd_reply *rp, const char *tool, ag_str text,
                     ag_status (*work)(sharing *s, ag_err *err))
{
	ag_project_call call = { .who = s->at.place.who,
		                 .project = s->at.place.project,
		                 .tool = ag_str_c(tool),
		                 .session = AG_S(""),
		                 .watch_fd = -1 };
	ag_arena *arena = s->rq->arena;
	ag_sql_failure f = { 0 };
	ag_err err = { 0 };
	ag_status st;

	if (!ag_project_begin(s->at.place.hub, &call, AG_ROLE_VIEWER, "sql", text, arena, &f)) {
		st = ag_sql_failure_err(&f, ORIGIN, &err);
	} else {
		s->store = ag_server_chat_store(s->h);
		st = work(s, &err);
		ag_store_close(s->store);
		if (!ag_project_end(s->at.place.hub, &call, st ? "VALIDATION_ERROR" : "ok", 0,
		                    arena, &f) &&
		    !st)
			st = ag_sql_failure_err(&f, ORIGIN, &err);
	}
	if (st)
		ag_server_problem_of(rp, &err);
	return !st;
}

static bool refuse(ag_httpd_reply *rp, const char *detail, const char *hint)
{
	ag_server_problem(rp, 400, detail, hint);
	return false;
}

static bool begin(void *env, ag_httpd_request *rq, ag_httpd_reply *rp, sharing *ret)
{
	*ret = (sharing){ .h = (ag_server *)env, .rq = rq };
	if (!ag_server_place_of(ret->h, rq, rp, &ret->at))
		return false;
	ret->now_ms = ag_clock_wall(ret->h->opts.clock);
	return true;
}

/* --- the list --- */

/* "1764140000000_1f2e…": the last link of a page */
static bool read_cursor(ag_str text, ag_share_question *q, ag_arena *arena)
{
	ag_str rest = text, at = ag_str_split(&rest, '_');

	if (!text.len)
		return true;
	q->before_ms = strtoll(ag_str_cstr(arena, at), NULL, 10);
	q->before_id = ag_str_dup(arena, rest);
	return q->before_ms > 0 && rest.len == AG_SHARE_ID_CHARS;
}

static ag_status list_work(sharing *s, ag_err *err)
{
	return ag_store_shares(s->store, &s->question, s->rq->arena, &s->rows, &s->nrow, err);
}

/* The id as the store has it: a client may have its own name for a conversation. */
static ag_str thing_of(ag_str kind, ag_str name, ag_arena *arena)
{
	ag_id id;

	return ag_str_eqc(kind, "thread") && ag_server_thread_id(name, &id)
	               ? ag_str_dup(arena, ag_id_str(&id))
	               : name;
}

/* Admins see all links of the project, others their own. */
void ag_server_shares_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_share_question *q;
	sharing s;
	ag_jw w;

	if (!begin(env, rq, rp, &s))
		return;
	q = &s.question;
	q->project = s.at.place.project->id;
	q->kind = ag_server_query(rq, "kind");
	q->thing = thing_of(q->kind, ag_server_query(rq, "thing"), rq->arena);
	q->user = is_admin(&s) ? AG_S("") : s.at.place.who->user;
	q->limit = ag_server_page(rq);
	if (q->kind.len && !ag_str_eqc(q->kind, "thread") && !ag_str_eqc(q->kind, "artifact") &&
	    !ag_str_eqc(q->kind, "recipe_run")) {
		refuse(rp, "want ?kind= as thread, artifact or recipe_run", "");
		return;
	}
	if (!read_cursor(ag_server_query(rq, "cursor"), q, rq->arena)) {
		ag_server_list_refuse(rp);
		return;
	}
	if (!governed(&s, rp, "list_share_links", q->thing, list_work))
		return;
	ag_server_json(rp, &w);
	ag_jw_kkey(&w, "shares");
	ag_jw_arr(&w);
	for (size_t i = 0; i < s.nrow; i++)
		write_share(&s.rows[i], NULL, s.now_ms, rq->arena, &w);
	ag_jw_arr_end(&w);
	ag_server_list_next(&w, s.nrow < q->limit
	                                ? AG_S("")
	                                : ag_str_printf(rq->arena, "%lld_%.*s",
	                                                (long long)s.rows[s.nrow - 1].created_ms,
	                                                AG_FMT(s.rows[s.nrow - 1].id)));
	ag_jw_obj_end(&w);
}

/* --- a new one --- */

static ag_status share_thread(sharing *s, const ag_share_source *from, ag_err *err)
{
	ag_thread_row t;
	ag_status st = AG_NOT_FOUND;
	ag_id id;

	if (ag_server_thread_id(s->row.thing, &id))
		st = ag_store_thread(s->store, &id, s->rq->arena, &t, err);
	/* A conversation is its user's alone: no admin sees another's. */
	if (st == AG_NOT_FOUND || (!st && (t.deleted_ms || !ag_str_eq(t.user, s->row.user) ||
	                                   !ag_str_eq(t.project, s->row.project))))
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no such conversation");
	if (st)
		return st;
	s->row.thing = ag_str_dup(s->rq->arena, ag_id_str(&t.id));
	s->row.title = t.title;
	s->row.version = 0;
	return ag_share_copy_thread(from, &t.id, &s->copy.body, err);
}

static ag_status share_artifact(sharing *s, const ag_share_source *from, ag_err *err)
{
	const ag_role role = ag_caller_role(s->at.place.who, s->row.project);
	ag_artifact a;
	ag_status st = ag_artifact_get(&s->at.place, s->row.thing, s->row.version, s->rq->arena, &a,
	                               err);

	if (st)
		return st;
	if (role != AG_ROLE_ADMIN &&
	    (role < AG_ROLE_ANALYST || !ag_str_eq(a.row.author, s->row.user))) {
		ag_fail(err, AG_DENIED, ORIGIN, "another user made this artifact");
		return ag_err_hint(err, "its author, or an admin of the project, can share it");
	}
	s->row.thing = a.row.id;
	s->row.title = s->row.version ? a.version.title : a.row.title;
	s->copy.version = a.version.version;
	return ag_share_copy_artifact(from, &a, &s->copy.body, err);
}

/* Its steps change no more when it has ended. An admin sees runs of others, and may share them. */
static ag_status share_run(sharing *s, const ag_share_source *from, ag_err *err)
{
	ag_recipe_run *r;
	size_t n;
	ag_status st = ag_recipe_runs_seen(&s->at.place, AG_S(""), s->row.thing, s->rq->arena, &r,
	                                   &n, err);

	if (st)
		return st;
	if (r->state <= AG_RECIPE_RUNNING) {
		ag_fail(err, AG_CONFLICT, ORIGIN, "the run has not ended");
		return ag_err_hint(err, "share it when it has");
	}
	s->row.thing = r->key;
	s->row.title = r->name;
	return ag_share_copy_run(from, r, &s->copy.body, err);
}

static ag_status new_work(sharing *s, ag_err *err)
{
	const ag_share_source from = { s->h, s->store, &s->at.place, s->rq->arena };
	ag_status st = ag_str_eqc(s->row.kind, "thread")       ? share_thread(s, &from, err)
	               : ag_str_eqc(s->row.kind, "recipe_run") ? share_run(s, &from, err)
	                                                       : share_artifact(s, &from, err);

	s->copy.at_ms = s->now_ms;
	return st ? st : ag_store_add_share(s->store, &s->row, &s->copy, err);
}

/* The named users as a JSON list. */
static bool read_users(sharing *s, ag_httpd_reply *rp, const ag_val *list)
{
	const bool is_named = ag_str_eqc(s->row.audience, "users");
	const uint32_t n = list && list->type == AG_T_ARRAY ? list->n : 0;
	ag_buf out = AG_BUF_INIT(AG_SHARE_MAX_USERS * 2 * AG_IDENTITY_MAX_NAME);
	bool is_short;
	ag_jw w;

	s->row.users = AG_S("");
	if (is_named != (n > 0))
		return refuse(rp,
		              is_named ? "name the users who may open the link"
		                       : "only a link for named users has \"users\"",
		              "\"audience\": \"users\" and \"users\": [\"ann\"] go together");
	if (!is_named)
		return true;
	ag_jw_init(&w, &out, 0);
	ag_jw_arr(&w);
	for (uint32_t i = 0; i < n; i++) {
		const ag_str user = ag_str_trim(ag_val_text(&list->u.items[i]));

		if (!user.len || user.len > AG_IDENTITY_MAX_NAME) {
			ag_buf_release(&out);
			return refuse(rp, "want \"users\" as names of 1 to 128 bytes", "");
		}
		ag_jw_str(&w, user);
	}
	ag_jw_arr_end(&w);
	is_short = !out.failed;
	s->row.users = ag_buf_dup(s->rq->arena, &out);
	ag_buf_release(&out);
	return is_short || refuse(rp, "the names in \"users\" are too long", "");
}

static bool read_body(sharing *s, ag_httpd_reply *rp)
{
	ag_str until;
	ag_val body;

	if (!ag_server_body(s->rq, rp, &body))
		return false;
	s->row = (ag_share_row){ .kind = ag_val_member_str(&body, "kind"),
		                 .thing = ag_val_member_str(&body, "thing"),
		                 .version = ag_val_member_u64(&body, "version"),
		                 .project = s->at.place.project->id,
		                 .user = s->at.place.who->user,
		                 .audience = ag_val_member_str(&body, "audience"),
		                 .created_ms = s->now_ms };
	until = ag_val_member_str(&body, "expires_at");
	if (until.len && !ag_time_parse_iso(until, &s->row.expires_ms))
		return refuse(rp, "\"expires_at\" is no time", "want \"2027-01-31T12:00:00Z\"");
	if (until.len && s->row.expires_ms <= s->now_ms)
		return refuse(rp, "\"expires_at\" has passed", "want a time in the future");
	if (s->row.version && !ag_str_eqc(s->row.kind, "artifact"))
		return refuse(rp, "only an artifact has a \"version\"", "");
	return read_users(s, rp, ag_val_getc(&body, "users"));
}

void ag_server_share_new(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	char token[AG_SHARE_TOKEN_CHARS + 1];
	ag_sha256_hex hash;
	ag_err err = { 0 };
	sharing s;
	ag_jw w;

	if (!begin(env, rq, rp, &s) || !read_body(&s, rp))
		return;
	if (ag_token_random(token, &err)) {
		ag_server_problem_of(rp, &err);
		return;
	}
	hash = ag_sha256(ag_str_c(token));
	s.row.hash = ag_str_dup(rq->arena, ag_str_c(hash.text));
	s.row.id = ag_str_make(s.row.hash.ptr, AG_SHARE_ID_CHARS);
	if (governed(&s, rp, "create_share_link",
	             ag_str_printf(rq->arena, "%.*s %.*s for %.*s", AG_FMT(s.row.kind),
	                           AG_FMT(s.row.thing), AG_FMT(s.row.audience)),
	             new_work)) {
		rp->status = 201;
		rp->content_type = AG_S("application/json");
		ag_jw_init(&w, &rp->body, 0);
		write_share(&s.row, token, s.now_ms, rq->arena, &w);
		ag_httpd_add_header(rp, "Cache-Control", AG_S("no-store"));
	}
	explicit_bzero(token, sizeof(token));
}

/* --- revoking --- */

/* A link of another project, or of another user, is not there for who is no admin. */
static ag_status revoke_work(sharing *s, ag_err *err)
{
	const ag_str id = ag_server_param(s->rq, "id");
	ag_share_row row;
	ag_status st = ag_store_share(s->store, id, s->rq->arena, &row, err);

	if (!st && (!ag_str_eq(row.project, s->at.place.project->id) ||
	            (!is_admin(s) && !ag_str_eq(row.user, s->at.place.who->user))))
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no such share link");
	return st ? st : ag_store_revoke_share(s->store, row.id, s->now_ms, err);
}

void ag_server_share_revoke(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	sharing s;

	if (begin(env, rq, rp, &s) &&
	    governed(&s, rp, "revoke_share_link", ag_server_param(rq, "id"), revoke_work))
		rp->status = 204;
}
