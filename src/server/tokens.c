/* Tokens of the caller, and who belongs to a project: /api/tokens, /api/projects. */
#include "server/accounts.h"

#include <string.h>

#include "server/chat.h"
#include "server/list.h"
#include "server/problem.h"
#include "server/work.h"

#define MS_PER_DAY (INT64_C(24) * 3600 * 1000)
#define MAX_DAYS   36500

/* Of the caller; of everybody for a superuser who asks for ?all=true. */
static ag_str whose(const ag_caller *who, ag_httpd_request *rq)
{
	return who->is_super && ag_str_eqc(ag_server_query(rq, "all"), "true") ? AG_S("")
	                                                                       : who->user;
}

static ag_str token_key(const void *rows, size_t i, ag_arena *arena)
{
	(void)arena;
	return ((const ag_token_row *)rows)[i].id;
}

void ag_server_tokens_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = ag_server_store_of(h, rp);
	ag_token_row *rows;
	ag_server_list page;
	ag_err err = { 0 };
	size_t n;
	ag_jw w;

	if (s && ag_store_tokens(s, whose(ag_server_who(h, rq), rq), rq->arena, &rows, &n, &err)) {
		ag_server_problem_of(rp, &err);
	} else if (s && ag_server_list_of(rq, rp, rows, n, token_key, &page)) {
		ag_server_json(rp, &w);
		ag_jw_kkey(&w, "tokens");
		ag_jw_arr(&w);
		for (size_t i = page.from; i < page.to; i++)
			ag_token_json(&w, &rows[i], NULL);
		ag_jw_arr_end(&w);
		ag_server_list_next(&w, page.next);
		ag_jw_obj_end(&w);
	}
	ag_store_close(s);
}

/* A list of names in the body. False: it is something else; rp says so. */
static bool read_names(ag_httpd_request *rq, ag_httpd_reply *rp, const ag_val *body,
                       const char *key, const ag_str **ret, size_t *nret)
{
	const ag_val *v = ag_val_getc(body, key);
	ag_str *list;

	*nret = 0;
	*ret = NULL;
	if (!v || v->type == AG_T_NULL)
		return true;
	if (v->type == AG_T_ARRAY && v->n <= AG_IDENTITY_MAX_PROJECTS) {
		list = ag_new_n(rq->arena, ag_str, v->n + 1);
		for (uint32_t i = 0; i < v->n && v->u.items[i].type == AG_T_STRING; i++)
			list[(*nret)++] = ag_val_text(&v->u.items[i]);
		*ret = list;
		if (*nret == v->n)
			return true;
	}
	ag_server_problem(rp, 400,
	                  ag_str_cstr(rq->arena,
	                              ag_str_printf(rq->arena,
	                                            "want \"%s\" as a list of at most %u names",
	                                            key, AG_IDENTITY_MAX_PROJECTS)),
	                  "");
	return false;
}

static bool is_known_scope(const ag_server *h, ag_str scope)
{
	for (size_t i = 0; i < h->opts.nscope; i++)
		if (ag_str_eq(h->opts.scopes[i], scope))
			return true;
	return false;
}

/* What the body asks for. A token never gives more than the one, or the session, that made it. */
static bool read_token(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_token_row *ret)
{
	const ag_caller *who = ag_server_who(h, rq);
	const int64_t now = ag_clock_wall(h->opts.clock);
	int64_t days;
	ag_str role;
	ag_val body;

	if (!ag_server_body(rq, rp, &body))
		return false;
	days = (int64_t)ag_val_member_num(&body, "expires_days");
	role = ag_val_member_str(&body, "role");
	*ret = (ag_token_row){ .name = ag_val_member_str(&body, "name"),
		               .user = who->user,
		               .ceiling = AG_ROLE_VIEWER,
		               .created_ms = now,
		               .expires_ms = days ? now + days * MS_PER_DAY : 0 };
	if (role.len && !ag_role_read(role, &ret->ceiling)) {
		ag_server_problem(rp, 400, "want \"role\" as viewer, analyst or admin", "");
		return false;
	}
	if (days < 0 || days > MAX_DAYS) {
		ag_server_problem(rp, 400, "want \"expires_days\" from 1 to 36500", "");
		return false;
	}
	if (!read_names(rq, rp, &body, "projects", &ret->projects, &ret->nproject) ||
	    !read_names(rq, rp, &body, "scopes", &ret->scopes, &ret->nscope))
		return false;
	for (size_t i = 0; i < ret->nscope; i++)
		if (!is_known_scope(h, ret->scopes[i])) {
			ag_server_problem(rp, 400, "want \"scopes\" out of sql, audit, ask", "");
			return false;
		}
	for (size_t i = 0; i < ret->nproject; i++)
		if (ag_caller_role(who, ret->projects[i]) == AG_ROLE_NONE) {
			ag_server_problem(rp, 403,
			                  "you have no role in a project that the token names", "");
			return false;
		}
	return true;
}

void ag_server_token_new(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_caller *who = ag_server_who(h, rq);
	ag_store *s = ag_server_store_of(h, rp);
	char text[AG_TOKEN_CHARS + 1];
	ag_token_row t;
	ag_err err = { 0 };
	ag_jw w;

	/* A token that leaked must not make others that outlive it. */
	if (s && (who == h->opts.anonymous || (who->token.len && who->kind != AG_TOKEN_SESSION))) {
		ag_server_problem(rp, 403, "only a person who has logged in makes tokens",
		                  "or argus token create");
	} else if (s && read_token(h, rq, rp, &t)) {
		if (ag_token_new(&t, rq->arena, text, &err) || ag_store_put_token(s, &t, &err)) {
			ag_server_problem_of(rp, &err);
		} else {
			rp->content_type = AG_S("application/json");
			ag_jw_init(&w, &rp->body, 0);
			ag_token_json(&w, &t, text);
			rp->status = 201;
		}
		explicit_bzero(text, sizeof(text));
	}
	ag_store_close(s);
}

/* Is the token the caller's, or may the caller revoke anybody's? */
static ag_status revoke(ag_server *h, ag_httpd_request *rq, ag_store *s, ag_str id, ag_err *err)
{
	const ag_caller *who = ag_server_who(h, rq);
	ag_token_row *rows;
	bool is_own = false;
	size_t n;
	ag_status st = ag_store_tokens(s, who->is_super ? AG_S("") : who->user, rq->arena, &rows,
	                               &n, err);

	for (size_t i = 0; !st && i < n; i++)
		is_own = is_own || ag_str_eq(rows[i].id, id);
	if (!st && !is_own)
		st = ag_fail(err, AG_NOT_FOUND, "server.tokens", "there is no such token");
	return st ? st : ag_store_revoke_token(s, id, ag_clock_wall(h->opts.clock), err);
}

void ag_server_token_revoke(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = ag_server_store_of(h, rp);
	ag_err err = { 0 };

	if (s && revoke(h, rq, s, ag_httpd_param(rq, "id"), &err))
		ag_server_problem_of(rp, &err);
	else if (s)
		rp->status = 204;
	ag_store_close(s);
}

/* --- projects and their members --- */

static ag_str project_key(const void *rows, size_t i, ag_arena *arena)
{
	(void)arena;
	return ((const ag_project *const *)rows)[i]->id;
}

void ag_server_project_json(ag_server *h, ag_httpd_request *rq, const ag_project *p, ag_jw *w)
{
	const ag_role role = ag_caller_role(ag_server_who(h, rq), p->id);

	ag_jw_obj(w);
	ag_jw_kstr(w, "id", p->id);
	ag_jw_kstr(w, "name", p->name);
	ag_jw_kstr(w, "role", ag_str_c(ag_role_name(role)));
	ag_jw_kbool(w, "has_database", p->source.len > 0);
	ag_jw_kbool(w, "takes_tables", ag_server_takes_tables(h, p, role, rq->arena));
	ag_jw_kbool(w, "is_of_store", p->is_of_store);
	ag_jw_obj_end(w);
}

void ag_server_projects_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_caller *who = ag_server_who(h, rq);
	ag_store *s = ag_server_store_of(h, rp);
	const ag_project **list;
	ag_server_list page;
	ag_err err = { 0 };
	size_t n;
	ag_jw w;

	if (s && ag_project_list(h->opts.chat->hub, who, rq->arena, &list, &n, &err)) {
		ag_server_problem_of(rp, &err);
	} else if (s && ag_server_list_of(rq, rp, list, n, project_key, &page)) {
		ag_server_json(rp, &w);
		ag_jw_kkey(&w, "projects");
		ag_jw_arr(&w);
		for (size_t i = page.from; i < page.to; i++)
			ag_server_project_json(h, rq, list[i], &w);
		ag_jw_arr_end(&w);
		ag_server_list_next(&w, page.next);
		ag_jw_obj_end(&w);
	}
	ag_store_close(s);
}

/* The project of the route, in which the caller has at least that role. False: rp says why not. */
static bool project_for(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_role least,
                        ag_str *ret)
{
	const ag_caller *who = ag_server_who(h, rq);
	ag_role role;

	if (!ag_http_decode(rq->arena, ag_httpd_param(rq, "project"), ret))
		*ret = AG_S("");
	role = ag_caller_role(who, *ret);
	if (role == AG_ROLE_NONE)
		ag_server_problem(rp, 404, "there is no such project", "");
	else if (role < least)
		ag_server_problem(rp, 403, "an admin of the project may do this", "");
	return role != AG_ROLE_NONE && role >= least;
}

static ag_str member_key(const void *rows, size_t i, ag_arena *arena)
{
	(void)arena;
	return ((const ag_member_row *)rows)[i].user;
}

void ag_server_members_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_store *s = ag_server_store_of(h, rp);
	ag_member_row *rows;
	ag_server_list page;
	ag_err err = { 0 };
	ag_str project;
	size_t n;
	ag_jw w;

	if (s && project_for(h, rq, rp, AG_ROLE_VIEWER, &project)) {
		if (ag_store_members(s, project, AG_S(""), rq->arena, &rows, &n, &err)) {
			ag_server_problem_of(rp, &err);
		} else if (ag_server_list_of(rq, rp, rows, n, member_key, &page)) {
			ag_server_json(rp, &w);
			ag_jw_kkey(&w, "members");
			ag_jw_arr(&w);
			for (size_t i = page.from; i < page.to; i++) {
				ag_jw_obj(&w);
				ag_jw_kstr(&w, "user", rows[i].user);
				ag_jw_kstr(&w, "role", ag_str_c(ag_role_name(rows[i].role)));
				ag_jw_obj_end(&w);
			}
			ag_jw_arr_end(&w);
			ag_server_list_next(&w, page.next);
			ag_jw_obj_end(&w);
		}
	}
	ag_store_close(s);
}

static void put_member(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_role role)
{
	ag_store *s = ag_server_store_of(h, rp);
	ag_member_row m = { .role = role };
	ag_project_row in_store;
	ag_err err = { 0 };
	ag_status st;

	if (s && project_for(h, rq, rp, AG_ROLE_ADMIN, &m.project)) {
		/* Who belongs to a project of argus.yaml is kept in the store as well, but only the store's are managed here. */
		st = ag_store_project(s, m.project, rq->arena, &in_store, &err);
		if (!st && !ag_http_decode(rq->arena, ag_httpd_param(rq, "user"), &m.user))
			m.user = AG_S("");
		if (!st)
			st = ag_store_put_member(s, &m, &err);
		if (st)
			ag_server_problem_of(rp, &err);
		else
			rp->status = 204;
	}
	ag_store_close(s);
}

void ag_server_member_put(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_role role;
	ag_val body;

	if (!ag_server_body(rq, rp, &body))
		return;
	if (!ag_role_read(ag_val_member_str(&body, "role"), &role))
		ag_server_problem(rp, 400, "want \"role\" as viewer, analyst or admin", "");
	else
		put_member((ag_server *)env, rq, rp, role);
}

void ag_server_member_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	put_member((ag_server *)env, rq, rp, AG_ROLE_NONE);
}
