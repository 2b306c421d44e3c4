/* Accounts, for superusers: /api/users. */
#include "server/accounts.h"

#include <string.h>

#include "server/chat.h"
#include "server/list.h"
#include "server/problem.h"

/* A handle of the store for a superuser; NULL: rp says why not. */
static ag_store *super_store(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	if (h->chat && !ag_server_who(h, rq)->is_super) {
		ag_server_problem(rp, 403, "only a superuser may do this", "");
		return NULL;
	}
	return ag_server_store_of(h, rp);
}

static void write_user(const ag_user_row *u, ag_jw *w)
{
	ag_jw_kstr(w, "name", u->name);
	ag_jw_kbool(w, "superuser", u->is_super);
	ag_jw_kbool(w, "active", u->is_active);
	ag_jw_kbool(w, "has_password", u->password.len > 0);
	ag_jw_kstr(w, "project", u->project);
	ag_jw_ktime(w, "created_at", u->created_ms);
	ag_jw_ktime_or_null(w, "seen_at", u->seen_ms);
}

static ag_str user_key(const void *rows, size_t i, ag_arena *arena)
{
	(void)arena;
	return ((const ag_user_row *)rows)[i].name;
}

void ag_server_users_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = super_store(h, rq, rp);
	ag_user_row *rows;
	ag_server_list page;
	ag_err err = { 0 };
	size_t n;
	ag_jw w;

	if (s && ag_store_users(s, rq->arena, &rows, &n, &err)) {
		ag_server_problem_of(rp, &err);
	} else if (s && ag_server_list_of(rq, rp, rows, n, user_key, &page)) {
		ag_server_json(rp, &w);
		ag_jw_kkey(&w, "users");
		ag_jw_arr(&w);
		for (size_t i = page.from; i < page.to; i++) {
			ag_jw_obj(&w);
			write_user(&rows[i], &w);
			ag_jw_obj_end(&w);
		}
		ag_jw_arr_end(&w);
		ag_server_list_next(&w, page.next);
		ag_jw_obj_end(&w);
	}
	ag_store_close(s);
}

/* The account, and a link for its first password when there is one. */
static void answer_user(const ag_user_row *u, const char *link, ag_httpd_reply *rp)
{
	ag_jw w;

	ag_server_json(rp, &w);
	write_user(u, &w);
	if (link) {
		ag_jw_kstr(&w, "link_token", ag_str_c(link));
		ag_jw_kint(&w, "link_hours", AG_SERVER_LINK_MS / 3600000);
	}
	ag_jw_obj_end(&w);
}

void ag_server_user_new(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = super_store(h, rq, rp);
	const int64_t now = ag_clock_wall(h->opts.clock);
	char link[AG_TOKEN_CHARS + 1];
	ag_user_row u = { .password = AG_S(""),
		          .project = AG_S(""),
		          .is_active = true,
		          .created_ms = now,
		          .changed_ms = now };
	ag_err err = { 0 };
	ag_val body;

	if (s && ag_server_body(rq, rp, &body)) {
		u.name = ag_val_member_str(&body, "name");
		u.is_super = ag_val_member_bool(&body, "superuser");
		if (ag_store_new_user(s, &u, &err) ||
		    ag_server_new_link(s, h->opts.clock, u.name, rq->arena, link, &err)) {
			ag_server_problem_of(rp, &err);
		} else {
			answer_user(&u, link, rp);
			rp->status = 201;
		}
		explicit_bzero(link, sizeof(link));
	}
	ag_store_close(s);
}

/* The account of the route's {name}. False: rp says why not. */
static bool named_user(ag_httpd_request *rq, ag_httpd_reply *rp, ag_store *s, ag_user_row *ret)
{
	ag_err err = { 0 };
	ag_str name;

	if (!ag_http_decode(rq->arena, ag_httpd_param(rq, "name"), &name)) {
		ag_server_problem(rp, 404, "there is no such account", "");
		return false;
	}
	if (!ag_store_user(s, name, rq->arena, ret, &err))
		return true;
	ag_server_problem_of(rp, &err);
	return false;
}

void ag_server_user_change(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = super_store(h, rq, rp);
	ag_user_row u;
	ag_err err = { 0 };
	ag_val body;

	if (s && ag_server_body(rq, rp, &body) && named_user(rq, rp, s, &u)) {
		if (ag_val_getc(&body, "superuser"))
			u.is_super = ag_val_member_bool(&body, "superuser");
		if (ag_val_getc(&body, "active"))
			u.is_active = ag_val_member_bool(&body, "active");
		u.changed_ms = ag_clock_wall(h->opts.clock);
		if (ag_store_change_user(s, &u, &err))
			ag_server_problem_of(rp, &err);
		else
			answer_user(&u, NULL, rp);
	}
	ag_store_close(s);
}

void ag_server_user_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = super_store(h, rq, rp);
	ag_user_row u;
	ag_err err = { 0 };

	if (s && named_user(rq, rp, s, &u)) {
		if (ag_store_drop_user(s, u.name, ag_clock_wall(h->opts.clock), &err))
			ag_server_problem_of(rp, &err);
		else
			rp->status = 204;
	}
	ag_store_close(s);
}

void ag_server_user_link(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = super_store(h, rq, rp);
	char link[AG_TOKEN_CHARS + 1];
	ag_user_row u;
	ag_err err = { 0 };

	if (s && named_user(rq, rp, s, &u)) {
		if (ag_server_new_link(s, h->opts.clock, u.name, rq->arena, link, &err))
			ag_server_problem_of(rp, &err);
		else
			answer_user(&u, link, rp);
		explicit_bzero(link, sizeof(link));
	}
	ag_store_close(s);
}
