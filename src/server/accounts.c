/* Logging in and out, the first password, and who the caller is: /api/auth. */
#include "server/accounts.h"

#include <string.h>

#include "base/password.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "server/chat.h"
#include "server/oidc.h"
#include "server/problem.h"

#define FIRST          "admin"
#define PEER_TRIES     20u /* times as many as of one user from one address */
#define USER_TRIES     10u
#define AGENT_BYTES    100u
#define SWEEP_AFTER_MS (INT64_C(24) * 3600 * 1000) /* what ended then is forgotten */

/* A handle of the store; NULL: rp says why not. */
static ag_store *people_store(ag_server *h, ag_httpd_reply *rp)
{
	if (ag_server_people_of(h) && h->opts.anonymous) {
		ag_server_problem(rp, 409,
		                  "this server lets everybody in: there is nothing to log in to",
		                  "start it without --no-auth");
		return NULL;
	}
	return ag_server_store_of(h, rp);
}

/* --- tokens that are made here --- */

/* What the browser says it is, for the list of sessions. */
static ag_str name_of(ag_httpd_request *rq)
{
	const ag_str agent = ag_utf8_prefix(ag_httpd_header_of(rq, "User-Agent"), AGENT_BYTES);

	for (size_t i = 0; i < agent.len; i++)
		if ((unsigned char)agent.ptr[i] < 0x20 || (unsigned char)agent.ptr[i] >= 0x7F)
			return AG_S("browser");
	return agent.len ? agent : AG_S("browser");
}

ag_status ag_server_begin_session(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                                  ag_store *s, ag_str user, ag_err *err)
{
	const int64_t now = ag_clock_wall(h->opts.clock);
	char text[AG_TOKEN_CHARS + 1];
	ag_token_row t = { .name = name_of(rq),
		           .user = user,
		           .ceiling = AG_ROLE_ADMIN,
		           .created_ms = now,
		           .expires_ms = now + ag_server_people_of(h)->session_ms,
		           .kind = AG_TOKEN_SESSION };
	ag_status st = ag_token_new(&t, rq->arena, text, err);

	if (!st)
		st = ag_store_sweep_tokens(s, now - SWEEP_AFTER_MS, err);
	if (!st)
		st = ag_store_put_token(s, &t, err);
	if (!st)
		ag_server_set_session(h, rq, rp, ag_str_dup(rq->arena, ag_str_c(text)));
	explicit_bzero(text, sizeof(text));
	return st;
}

ag_status ag_server_new_link(ag_store *s, const ag_clock *clock, ag_str user, ag_arena *arena,
                             char text[AG_TOKEN_CHARS + 1], ag_err *err)
{
	const int64_t now = ag_clock_wall(clock);
	ag_token_row t = { .name = AG_S("link"),
		           .user = user,
		           .ceiling = AG_ROLE_ADMIN,
		           .created_ms = now,
		           .expires_ms = now + AG_SERVER_LINK_MS,
		           .kind = AG_TOKEN_LINK };
	ag_status st = ag_token_new(&t, arena, text, err);

	if (!st)
		st = ag_store_revoke_tokens(s, user, AG_TOKEN_LINK, t.id, now, err);
	return st ? st : ag_store_put_token(s, &t, err);
}

ag_status ag_server_first_link(ag_store *s, const ag_clock *clock, ag_arena *arena,
                               char text[AG_TOKEN_CHARS + 1], ag_err *err)
{
	const int64_t now = ag_clock_wall(clock);
	ag_user_row *rows, first = { .name = AG_S(FIRST),
		                     .password = AG_S(""),
		                     .project = AG_S(""),
		                     .is_super = true,
		                     .is_active = true,
		                     .created_ms = now,
		                     .changed_ms = now };
	const ag_user_row *who = NULL;
	size_t n;
	ag_status st = ag_store_users(s, arena, &rows, &n, err);

	text[0] = '\0';
	for (size_t i = 0; !st && i < n; i++) {
		if (rows[i].is_super && rows[i].is_active && rows[i].password.len)
			return AG_OK;
		if (rows[i].is_super && rows[i].is_active)
			who = &rows[i];
	}
	if (!st && !who) {
		who = &first;
		st = ag_store_new_user(s, &first, err);
	}
	return st ? st : ag_server_new_link(s, clock, who->name, arena, text, err);
}

/* --- who it is --- */

/* The issuer has a session, too, that the settings want ended. */
static bool leaves_issuer(ag_server *h, ag_store *s, const ag_caller *who)
{
	const ag_server_oidc *o = h->opts.oidc;
	bool is_there = false;

	return o && o->ends_session && who->kind == AG_TOKEN_SESSION && who->token.len &&
	       !ag_store_has_subject(s, ag_oidc_issuer(o->provider), who->user, &is_there, NULL) &&
	       is_there;
}

static void write_me(ag_server *h, ag_store *s, const ag_caller *who, ag_arena *arena, ag_jw *w)
{
	static const char *const kinds[] = { "token", "session", "link" };
	const ag_project **list;
	ag_err err = { 0 };
	size_t n = 0;

	ag_jw_kstr(w, "user", who->user);
	ag_jw_kbool(w, "superuser", who->is_super);
	ag_jw_kstr(w, "by",
	           who == h->opts.anonymous ? AG_S("nothing")
	           : !who->token.len        ? AG_S("proxy")
	                                    : ag_str_c(kinds[who->kind]));
	ag_jw_ktime_or_null(w, "expires_at", who->expires_ms);
	ag_jw_kstr(w, "sign_out",
	           leaves_issuer(h, s, who) ? AG_S(AG_SERVER_OIDC_LOGOUT) : AG_S(""));
	ag_jw_kstr(w, "project", who->home.ptr ? who->home : AG_S(""));
	ag_jw_kkey(w, "projects");
	ag_jw_arr(w);
	if (ag_project_list(h->opts.chat->hub, who, arena, &list, &n, &err))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		ag_jw_obj(w);
		ag_jw_kstr(w, "id", list[i]->id);
		ag_jw_kstr(w, "name", list[i]->name);
		ag_jw_kstr(w, "role", ag_str_c(ag_role_name(ag_caller_role(who, list[i]->id))));
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

static void answer_me(ag_server *h, ag_store *s, const ag_caller *who, ag_httpd_request *rq,
                      ag_httpd_reply *rp)
{
	ag_jw w;

	ag_server_json(rp, &w);
	write_me(h, s, who, rq->arena, &w);
	ag_jw_obj_end(&w);
}

void ag_server_me(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = ag_server_store_of(h, rp);

	if (s)
		answer_me(h, s, ag_server_who(h, rq), rq, rp);
	ag_store_close(s);
}

/* --- logging in --- */

typedef struct credentials {
	ag_str user, password;
} credentials;

static bool read_credentials(ag_httpd_request *rq, ag_httpd_reply *rp, credentials *ret)
{
	ag_val body;

	if (!ag_server_body(rq, rp, &body))
		return false;
	ret->user = ag_val_member_str(&body, "username");
	if (!ret->user.len)
		ret->user = ag_val_member_str(&body, "user");
	ret->password = ag_val_member_str(&body, "password");
	if (ret->user.len && ret->user.len <= AG_IDENTITY_MAX_NAME && ret->password.len &&
	    ret->password.len <= AG_PASSWORD_MAX)
		return true;
	ag_server_problem(rp, 400, "want \"username\" and \"password\"",
	                  "at most 128 and 256 bytes");
	return false;
}

/* Every try is taken before it is looked at, so that tries beside each other count; one that succeeds is given back. */
static bool may_try(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s,
                    ag_str user, ag_str *ret_name)
{
	const ag_server_people *p = ag_server_people_of(h);
	const ag_str peer = ag_server_peer(h, rq);
	const ag_rate_key keys[] = {
		{ ag_str_printf(rq->arena, "login:%.*s from %.*s", AG_FMT(user), AG_FMT(peer)),
		  p->login_wait_ms, p->login_failures },
		{ ag_str_printf(rq->arena, "login: from %.*s", AG_FMT(peer)), p->login_wait_ms,
		  PEER_TRIES * p->login_failures },
		{ ag_str_printf(rq->arena, "login:%.*s", AG_FMT(user)), p->login_wait_ms,
		  USER_TRIES * p->login_failures },
	};
	ag_rate_taken taken;
	ag_err err = { 0 };

	*ret_name = keys[0].name;
	if (!p->login_failures)
		return true;
	if (ag_store_rate_take(s, keys, AG_NELEM(keys), 1, ag_clock_wall(h->opts.clock), &taken,
	                       &err)) {
		ag_server_problem_of(rp, &err);
		return false;
	}
	if (taken.got)
		return true;
	ag_server_too_many(h, rq, rp, keys[taken.which].limit, taken.wait_ms,
	                   "too many failed logins");
	return false;
}

/* One answer for a name that is unknown, a wrong password and an account that is not active. */
static ag_status check_credentials(ag_store *s, const credentials *c, ag_arena *arena,
                                   ag_user_row *ret, bool *ret_good, ag_err *err)
{
	ag_err why = { 0 };
	ag_status st = ag_store_user(s, c->user, arena, ret, &why);

	*ret_good = false;
	if (st && st != AG_NOT_FOUND && st != AG_INVALID) {
		*err = why;
		return st;
	}
	if (st)
		*ret = (ag_user_row){ .name = AG_S(""), .password = AG_S("") };
	st = ag_password_check(c->password, ret->password, ret_good, err);
	*ret_good = *ret_good && ret->is_active;
	return st;
}

static void log_in(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s,
                   const credentials *c)
{
	ag_user_row u = { 0 };
	ag_caller who;
	ag_err err = { 0 };
	ag_str name;
	bool is_good;
	ag_status st;

	if (!may_try(h, rq, rp, s, c->user, &name))
		return;
	st = check_credentials(s, c, rq->arena, &u, &is_good, &err);
	if (!st)
		st = ag_server_record_sign_in(h, rq, u.name, "password",
		                              is_good        ? NULL
		                              : !u.name.len  ? "no account of that name"
		                              : !u.is_active ? "the account is not active"
		                                             : "wrong password",
		                              &err);
	if (!st && !is_good) {
		ag_server_problem(rp, 401, "the name or the password is wrong", "");
		return;
	}
	u.seen_ms = ag_clock_wall(h->opts.clock);
	if (!st)
		st = ag_store_change_user(s, &u, &err);
	if (!st)
		st = ag_store_rate_forget(s, name, &err);
	if (!st)
		st = ag_caller_of_user(s, u.name, rq->arena, &who, &err);
	if (!st)
		st = ag_server_begin_session(h, rq, rp, s, u.name, &err);
	if (st) {
		ag_server_problem_of(rp, &err);
		return;
	}
	who.token = AG_S("-");
	who.kind = AG_TOKEN_SESSION;
	who.expires_ms = u.seen_ms + ag_server_people_of(h)->session_ms;
	answer_me(h, s, &who, rq, rp);
}

void ag_server_login(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = people_store(h, rp);
	credentials c;

	if (s && read_credentials(rq, rp, &c))
		log_in(h, rq, rp, s, &c);
	ag_store_close(s);
}

void ag_server_logout(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_caller *who = ag_server_who(h, rq);
	ag_store *s = people_store(h, rp);
	ag_err err = { 0 };

	if (s && who->kind == AG_TOKEN_SESSION &&
	    ag_store_revoke_token(s, who->token, ag_clock_wall(h->opts.clock), &err)) {
		ag_server_problem_of(rp, &err);
	} else if (s) {
		ag_server_set_session(h, rq, rp, AG_S(""));
		rp->status = 204;
	}
	ag_store_close(s);
}

/* --- passwords --- */

/* Replaces the password of the account and ends its other sessions. */
static ag_status put_password(ag_server *h, ag_store *s, ag_user_row *u, ag_str password,
                              ag_str but, ag_arena *arena, ag_err *err)
{
	char hash[AG_PASSWORD_HASH];
	ag_status st = ag_password_hash(password, hash, err);

	if (st)
		return st;
	u->password = ag_str_dup(arena, ag_str_c(hash));
	u->changed_ms = ag_clock_wall(h->opts.clock);
	st = ag_store_change_user(s, u, err);
	if (!st)
		st = ag_store_revoke_tokens(s, u->name, AG_TOKEN_SESSION, but, u->changed_ms, err);
	return st;
}

static bool check_length(ag_httpd_reply *rp, ag_str password)
{
	if (password.len >= AG_PASSWORD_MIN && password.len <= AG_PASSWORD_MAX &&
	    ag_str_find(password, '\0') < 0)
		return true;
	ag_server_problem(rp, 400, "want a password of 10 to 256 bytes", "");
	return false;
}

static ag_status use_link(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s,
                          ag_str link, ag_str password, ag_err *err)
{
	const ag_sha256_hex hash = ag_sha256(link);
	const int64_t now = ag_clock_wall(h->opts.clock);
	ag_user_row u;
	ag_token_row t;
	ag_caller who;
	ag_status st = ag_store_token_of_hash(s, ag_str_c(hash.text), now, rq->arena, &t, err);

	if (!st && t.kind != AG_TOKEN_LINK)
		st = AG_NOT_FOUND;
	/* Of two who use it at once, one does. */
	if (!st)
		st = ag_store_spend_token(s, t.id, now, err);
	if (st == AG_NOT_FOUND) {
		st = ag_server_record_sign_in(h, rq, AG_S(""), "link",
		                              "the link is unknown, used or expired", err);
		if (st)
			return st;
		ag_fail(err, AG_DENIED, "server.accounts", "the link is unknown, used or expired");
		return ag_err_hint(err, "argus user link NAME makes a new one");
	}
	if (!st)
		st = ag_server_record_sign_in(h, rq, t.user, "link", NULL, err);
	if (!st)
		st = ag_store_user(s, t.user, rq->arena, &u, err);
	if (!st) {
		u.seen_ms = now;
		st = put_password(h, s, &u, password, AG_S(""), rq->arena, err);
	}
	if (!st)
		st = ag_caller_of_user(s, u.name, rq->arena, &who, err);
	if (!st)
		st = ag_server_begin_session(h, rq, rp, s, u.name, err);
	if (st)
		return st;
	who.token = AG_S("-");
	who.kind = AG_TOKEN_SESSION;
	who.expires_ms = now + ag_server_people_of(h)->session_ms;
	answer_me(h, s, &who, rq, rp);
	return AG_OK;
}

void ag_server_setup(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = people_store(h, rp);
	ag_err err = { 0 };
	ag_str link, password;
	ag_val body;

	if (s && ag_server_body(rq, rp, &body)) {
		link = ag_val_member_str(&body, "token");
		password = ag_val_member_str(&body, "password");
		if (check_length(rp, password) && use_link(h, rq, rp, s, link, password, &err))
			ag_server_problem_of(rp, &err);
	}
	ag_store_close(s);
}

static void change_password(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s,
                            const ag_val *body)
{
	const ag_caller *who = ag_server_who(h, rq);
	const credentials c = { who->user, ag_val_member_str(body, "old") };
	const ag_str password = ag_val_member_str(body, "new");
	ag_user_row u;
	ag_err err = { 0 };
	ag_str name;
	bool is_good = false;
	ag_status st;

	if (!check_length(rp, password) || !may_try(h, rq, rp, s, who->user, &name))
		return;
	st = check_credentials(s, &c, rq->arena, &u, &is_good, &err);
	if (!st && !is_good) {
		ag_server_problem(rp, 403, "the old password is wrong", "");
		return;
	}
	if (!st)
		st = ag_store_rate_forget(s, name, &err);
	if (!st)
		st = put_password(h, s, &u, password, who->token, rq->arena, &err);
	if (st)
		ag_server_problem_of(rp, &err);
	else
		rp->status = 204;
}

void ag_server_password(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = people_store(h, rp);
	ag_val body;

	if (s && ag_server_body(rq, rp, &body))
		change_password(h, rq, rp, s, &body);
	ag_store_close(s);
}

/* --- the project that is meant when none is named --- */

static void choose_home(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s,
                        ag_str project)
{
	const ag_caller *who = ag_server_who(h, rq);
	ag_caller changed = *who;
	const ag_project *p;
	ag_user_row u;
	ag_err err = { 0 };
	ag_status st = AG_OK;

	if (project.len)
		st = ag_project_find(h->opts.chat->hub, who, project, &p, &err);
	if (!st)
		st = ag_store_user(s, who->user, rq->arena, &u, &err);
	if (!st) {
		u.project = changed.home = project;
		u.changed_ms = ag_clock_wall(h->opts.clock);
		st = ag_store_change_user(s, &u, &err);
	}
	if (st)
		ag_server_problem_of(rp, &err);
	else
		answer_me(h, s, &changed, rq, rp);
}

void ag_server_me_change(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = people_store(h, rp);
	ag_val body;

	if (s && ag_server_body(rq, rp, &body)) {
		if (!ag_val_getc(&body, "project"))
			ag_server_problem(rp, 400, "want \"project\"", "the id of one, or \"\"");
		else
			choose_home(h, rq, rp, s, ag_val_member_str(&body, "project"));
	}
	ag_store_close(s);
}
