/* Opening a share link. Everything that does not lead to a copy ends in the same 404; read find() and open_link(). */
#include "base/log.h"
#include "base/sha256.h"
#include "query/extjson.h"
#include "server/chat.h"
#include "server/problem.h"
#include "server/shares.h"

#define ORIGIN      "server.shared"
#define DEADLINE_MS 60000

void ag_server_shared_headers(ag_httpd_reply *rp)
{
	ag_httpd_add_header(rp, "Cache-Control", AG_S("no-store"));
	ag_httpd_add_header(rp, "X-Robots-Tag", AG_S("noindex, nofollow, noarchive"));
}

bool ag_server_is_share_token(ag_str text)
{
	static const char chars[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

	for (size_t i = 0; i < text.len; i++)
		if (!text.ptr[i] || !strchr(chars, text.ptr[i]))
			return false;
	return text.len == AG_SHARE_TOKEN_CHARS;
}

typedef struct opening {
	ag_server *h;
	ag_httpd_request *rq;
	const ag_caller *who; /* NULL = nobody: only public links */
	ag_store *store;
	ag_caller maker;
	ag_ctx ctx;
	ag_know_place place; /* of the maker */
	ag_share_row row;
	ag_share_copy copy;
	int64_t now_ms;
} opening;

/* For the server's log alone: the client always reads the same. */
static ag_status gone(ag_err *err, const char *why)
{
	return ag_fail(err, AG_NOT_FOUND, ORIGIN, "%s", why);
}

/* --- may it be opened? --- */

/* Takes as long for any two hashes. */
static bool is_same(ag_str a, const ag_sha256_hex *b)
{
	unsigned char differs = 0;

	if (a.len != sizeof(b->text) - 1)
		return false;
	for (size_t i = 0; i < a.len; i++)
		differs |= (unsigned char)(a.ptr[i] ^ b->text[i]);
	return differs == 0;
}

static bool is_named(const opening *o)
{
	const ag_extjson_opts opts = { .max_values = AG_SHARE_MAX_USERS + 1 };
	ag_val users;

	if (ag_extjson_parse(o->row.users, &opts, o->rq->arena, &users, NULL, NULL, NULL) ||
	    users.type != AG_T_ARRAY)
		return false;
	for (uint32_t i = 0; i < users.n; i++)
		if (ag_str_eq(ag_val_text(&users.u.items[i]), o->who->user))
			return true;
	return false;
}

/* A named user need not be a member of the project. A token of a program is a member's, within its limits. */
static bool is_for(const opening *o)
{
	bool is_member, is_person;

	if (ag_str_eqc(o->row.audience, "public"))
		return true;
	if (!o->who)
		return false;
	is_member = ag_caller_role(o->who, o->row.project) >= AG_ROLE_VIEWER;
	is_person = !o->who->token.len || o->who->kind == AG_TOKEN_SESSION;
	if (ag_str_eqc(o->row.audience, "project"))
		return is_member;
	return (is_member || is_person) && (ag_str_eq(o->row.user, o->who->user) || is_named(o));
}

/* A user who lost the project shares nothing of it any more. */
static ag_status find_maker(opening *o, ag_err *err)
{
	const ag_caller *anybody = o->h->opts.anonymous;
	const ag_project *project = NULL;
	ag_status st = AG_OK;

	if (anybody && ag_str_eq(anybody->user, o->row.user))
		o->maker = *anybody;
	else
		st = ag_caller_of_user(o->store, o->row.user, o->rq->arena, &o->maker, err);
	if (!st)
		st = ag_project_find(o->h->opts.chat->hub, &o->maker, o->row.project, &project,
		                     err);
	if (st)
		return st == AG_DENIED || st == AG_NOT_FOUND ? gone(err, "its maker has no access")
		                                             : st;
	o->ctx = (ag_ctx){ .clock = o->h->opts.clock,
		           .deadline_ms = ag_clock_mono(o->h->opts.clock) + DEADLINE_MS,
		           .nthread = 1 };
	o->place = (ag_know_place){ o->h->opts.chat->hub, &o->ctx, &o->maker, project };
	return AG_OK;
}

static ag_status find(opening *o, ag_str token, ag_err *err)
{
	const ag_sha256_hex hash = ag_sha256(token);
	const ag_str id = ag_str_make(hash.text, AG_SHARE_ID_CHARS);
	ag_status st;

	if (!ag_server_is_share_token(token))
		return gone(err, "no token of a link");
	st = ag_store_share(o->store, id, o->rq->arena, &o->row, err);
	if (st)
		return st;
	if (!is_same(o->row.hash, &hash))
		return gone(err, "another token");
	if (o->row.revoked_ms || (o->row.expires_ms && o->row.expires_ms <= o->now_ms))
		return gone(err, "revoked or expired");
	return is_for(o) ? find_maker(o, err) : gone(err, "for others");
}

/* --- what it shows --- */

/* "Always the newest": a version that came since is copied, as the maker. What cannot be read now leaves the copy as it was. */
static void renew(opening *o, uint64_t newest)
{
	const ag_share_source from = { o->h, o->store, &o->place, o->rq->arena };
	ag_share_copy copy = { .at_ms = o->now_ms, .version = newest };
	ag_err why = { 0 };
	ag_artifact a;
	ag_status st = ag_artifact_get(&o->place, o->row.thing, newest, o->rq->arena, &a, &why);

	if (!st)
		st = ag_share_copy_artifact(&from, &a, &copy.body, &why);
	if (!st)
		st = ag_store_put_share_copy(o->store, o->row.id, &copy, &why);
	if (st)
		ag_log(AG_LOG_WARN, "share_not_renewed", "link %.*s: %s", AG_FMT(o->row.id),
		       why.msg);
	else
		o->copy = copy;
}

static ag_status look_at_artifact(opening *o, ag_err *err)
{
	ag_artifact_row row;
	ag_status st = ag_store_artifact(o->store, o->row.project, o->row.thing, o->rq->arena, &row,
	                                 err);

	if (!st && row.deleted_ms)
		st = gone(err, "deleted");
	if (st)
		return st;
	if (!o->row.version) {
		o->row.title = row.title;
		if (row.nversion != o->copy.version)
			renew(o, row.nversion);
	}
	return AG_OK;
}

/* Is what it shows still there? */
static ag_status look(opening *o, ag_err *err)
{
	ag_recipe_run run;
	ag_thread_row t;
	ag_id id;
	ag_status st = ag_store_share_copy(o->store, o->row.id, o->rq->arena, &o->copy, err);

	if (st)
		return st;
	if (ag_str_eqc(o->row.kind, "artifact"))
		return look_at_artifact(o, err);
	if (ag_str_eqc(o->row.kind, AG_RECIPE_RUN_KIND))
		return ag_recipe_run_get(o->store, o->row.project, o->row.thing, o->rq->arena, &run,
		                         err);
	if (!ag_id_parse(o->row.thing, &id))
		return gone(err, "no id");
	st = ag_store_thread(o->store, &id, o->rq->arena, &t, err);
	return !st && t.deleted_ms ? gone(err, "deleted") : st;
}

/* Nothing is shown that is not recorded. */
static ag_status record(const opening *o, ag_err *err)
{
	const ag_ledger_row row = {
		.at_ms = o->now_ms,
		.user = o->who ? o->who->user : AG_S(""),
		.project = o->row.project,
		.token = o->who ? o->who->token : AG_S(""),
		.session = o->row.id,
		.tool = AG_S("open_share_link"),
		.sql = AG_S(""),
		.tables = AG_S("[]"),
		.nbyte = o->copy.body.len,
		.outcome = AG_S("ok"),
		.detail = ag_str_printf(o->rq->arena, "%.*s %.*s, %.*s", AG_FMT(o->row.kind),
		                        AG_FMT(o->row.thing), AG_FMT(o->row.audience))
	};
	ag_status st = ag_journal_end(ag_project_journal(o->h->opts.chat->hub), NULL, &row, err);

	return st ? st : ag_store_open_share(o->store, o->row.id, o->now_ms, err);
}

static void answer(const opening *o, ag_httpd_reply *rp)
{
	ag_jw w;

	ag_server_json(rp, &w);
	ag_jw_kstr(&w, "kind", o->row.kind);
	ag_jw_kstr(&w, "title", o->row.title);
	ag_jw_kstr(&w, "by", o->row.user);
	ag_jw_kstr(&w, "audience", o->row.audience);
	ag_jw_kbool(&w, "newest", ag_str_eqc(o->row.kind, "artifact") && !o->row.version);
	ag_jw_ktime(&w, "copied_at", o->copy.at_ms);
	ag_jw_ktime_or_null(&w, "expires_at", o->row.expires_ms);
	ag_jw_kraw(&w, "content", o->copy.body);
	ag_jw_obj_end(&w);
}

static void open_link(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, const ag_caller *who)
{
	opening o = { .h = h, .rq = rq, .who = who, .now_ms = ag_clock_wall(h->opts.clock) };
	ag_err err = { 0 };
	ag_status st;
	ag_val body;

	ag_server_shared_headers(rp);
	ag_httpd_add_header(rp, "Referrer-Policy", AG_S("no-referrer"));
	if (!ag_server_body(rq, rp, &body))
		return;
	o.store = ag_server_store_of(h, rp);
	if (!o.store)
		return;
	st = find(&o, ag_val_member_str(&body, "token"), &err);
	if (!st)
		st = look(&o, &err);
	if (!st)
		st = record(&o, &err);
	ag_store_close(o.store);
	if (!st)
		answer(&o, rp);
	else if (st == AG_NOT_FOUND)
		ag_server_problem(rp, 404, "this link does not work",
		                  "it has expired, was revoked, or is for people who sign in");
	else
		ag_server_problem_of(rp, &err);
}

void ag_server_shared_public(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	open_link((ag_server *)env, rq, rp, NULL);
}

void ag_server_shared_members(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;

	open_link(h, rq, rp, ag_server_who(h, rq));
}
