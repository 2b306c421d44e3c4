/* What a project knows, by kind: entry, table, metric, learning, golden, recipe. */
#include "server/chat.h"
#include "server/list.h"
#include "server/problem.h"
#include "server/work.h"

#define FOUND 50u

ag_str ag_server_param(ag_httpd_request *rq, const char *name)
{
	ag_str ret;

	return ag_http_decode(rq->arena, ag_httpd_param(rq, name), &ret) ? ret : AG_S("");
}

bool ag_server_place_in(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_str id,
                        ag_server_place *ret)
{
	const ag_caller *who = ag_server_who(h, rq);
	const ag_project *project = NULL;
	ag_err err = { 0 };
	ag_status st;

	if (!h->chat) {
		ag_server_problem(rp, 404, "there is nothing at this path",
		                  "it is served by argus serve");
		return false;
	}
	st = ag_project_find(h->opts.chat->hub, who, id, &project, &err);
	if (st == AG_NOT_FOUND && id.len)
		ag_server_problem(rp, 404, "there is no such project", "");
	else if (st == AG_NOT_FOUND)
		ag_server_problem(rp, 400, err.msg, err.hint);
	else if (st)
		ag_server_problem_of(rp, &err);
	if (st)
		return false;
	ret->ctx = (ag_ctx){ .clock = h->opts.clock,
		             .deadline_ms = ag_clock_mono(h->opts.clock) + AG_SERVER_WORK_MS,
		             .nthread = 1 };
	ret->place = (ag_know_place){ h->opts.chat->hub, &ret->ctx, who, project };
	return true;
}

bool ag_server_place_of(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                        ag_server_place *ret)
{
	const ag_str id = ag_server_param(rq, "project");

	if (id.len)
		return ag_server_place_in(h, rq, rp, id, ret);
	ag_server_problem(rp, 404, "there is no such project", "");
	return false;
}

/* The kind of the route's {kind}. False: rp says 404. */
static bool kind_of(ag_httpd_request *rq, ag_httpd_reply *rp, ag_know_kind *ret)
{
	if (ag_know_kind_read(ag_httpd_param(rq, "kind"), ret))
		return true;
	ag_server_problem(rp, 404, "there is no such kind of knowledge",
	                  "entry, table, metric, learning, golden, recipe");
	return false;
}

static void write_one(ag_server *h, const ag_know *o, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_jw w;

	rp->content_type = AG_S("application/json");
	ag_jw_init(&w, &rp->body, 0);
	ag_know_show_json(o, ag_clock_wall(h->opts.clock), rq->arena, &w);
}

/* A key is that of a name: things of two kinds may have one. */
static ag_str known_key(const void *rows, size_t i, ag_arena *arena)
{
	const ag_know *o = &((const ag_know *)rows)[i];

	return ag_str_printf(arena, "%s_%.*s", ag_know_types[o->kind].name, AG_FMT(o->key));
}

/* Those of one kind, in their order. */
static size_t of_kind(ag_know *list, size_t n, ag_know_kind kind)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (kind == AG_KNOW_NKIND || list[i].kind == kind)
			list[kept++] = list[i];
	return kept;
}

void ag_server_knowledge_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_str query = ag_server_query(rq, "q"), name = ag_server_query(rq, "kind");
	ag_know_kind kind = AG_KNOW_NKIND;
	ag_server_place at;
	ag_server_list page;
	ag_know *list;
	ag_err err = { 0 };
	size_t n;
	ag_status st;
	ag_jw w;

	if (!ag_server_place_of(h, rq, rp, &at))
		return;
	if (name.len && !ag_know_kind_read(name, &kind)) {
		ag_server_problem(rp, 400, "there is no such kind of knowledge",
		                  "entry, table, metric, learning, golden, recipe");
		return;
	}
	st = query.len ? ag_know_find_text(&at.place, query, FOUND, rq->arena, &list, &n, &err)
	               : ag_know_list(&at.place, kind, rq->arena, &list, &n, &err);
	if (st) {
		ag_server_problem_of(rp, &err);
		return;
	}
	if (!ag_server_list_of(rq, rp, list, of_kind(list, n, kind), known_key, &page))
		return;
	ag_server_json(rp, &w);
	ag_jw_kkey(&w, "knowledge");
	ag_jw_arr(&w);
	for (size_t i = page.from; i < page.to; i++)
		ag_know_show_json(&list[i], ag_clock_wall(h->opts.clock), rq->arena, &w);
	ag_jw_arr_end(&w);
	ag_server_list_next(&w, page.next);
	ag_jw_obj_end(&w);
}

/* The object of the route's {kind} and {name}. False: rp says why not. */
static bool find(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_server_place *at,
                 ag_know *ret)
{
	ag_know_kind kind;
	ag_err err = { 0 };

	if (!ag_server_place_of(h, rq, rp, at) || !kind_of(rq, rp, &kind))
		return false;
	if (!ag_know_get(&at->place, kind, ag_server_param(rq, "name"), rq->arena, ret, &err))
		return true;
	ag_server_problem_of(rp, &err);
	return false;
}

void ag_server_knowledge_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_place at;
	ag_know o;

	if (find(h, rq, rp, &at, &o))
		write_one(h, &o, rq, rp);
}

/* {"name","fields"}: the database explains the SQL of metrics and recipes first, but with ?check=false. */
static ag_status put(ag_server *h, ag_httpd_request *rq, const ag_server_place *at,
                     const ag_val *body, const ag_know *old, ag_know_kind kind, ag_know *ret,
                     ag_err *err)
{
	const ag_val *fields = ag_val_getc(body, "fields");
	const ag_val none = ag_val_object(NULL, 0);
	const bool checks = !ag_str_eqc(ag_server_query(rq, "check"), "false");
	ag_know_counts counts;
	ag_status st = ag_know_make(kind, old ? old->name : ag_val_member_str(body, "name"),
	                            fields ? fields : &none, rq->arena, ret, err);

	if (st)
		return st;
	if (old) {
		ret->key = old->key;
		ret->status = old->status;
		ret->confidence = old->confidence;
	}
	ret->author = at->place.who->user;
	ret->created_ms = ret->changed_ms = ag_clock_wall(h->opts.clock);
	st = ag_know_put(&at->place, ret, 1, old ? AG_KNOW_REPLACE : AG_KNOW_ADD, checks, rq->arena,
	                 &counts, err);
	return st ? st : ag_know_get(&at->place, kind, ret->key, rq->arena, ret, err);
}

void ag_server_knowledge_add(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_place at;
	ag_know_kind kind;
	ag_know o;
	ag_err err = { 0 };
	ag_val body;

	if (!ag_server_body(rq, rp, &body) || !ag_server_place_of(h, rq, rp, &at) ||
	    !kind_of(rq, rp, &kind))
		return;
	if (put(h, rq, &at, &body, NULL, kind, &o, &err)) {
		ag_server_problem_of(rp, &err);
		return;
	}
	write_one(h, &o, rq, rp);
	rp->status = 201;
}

void ag_server_knowledge_change(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_place at;
	ag_know old, o;
	ag_err err = { 0 };
	ag_val body;

	if (!ag_server_body(rq, rp, &body) || !find(h, rq, rp, &at, &old))
		return;
	if (put(h, rq, &at, &body, &old, old.kind, &o, &err))
		ag_server_problem_of(rp, &err);
	else
		write_one(h, &o, rq, rp);
}

void ag_server_knowledge_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_place at;
	ag_know o;
	ag_err err = { 0 };

	if (!find(h, rq, rp, &at, &o))
		return;
	if (ag_know_remove(&at.place, &o, rq->arena, &err))
		ag_server_problem_of(rp, &err);
	else
		rp->status = 204;
}

/* {"right":true}, or {"right":false,"why":"…"} */
void ag_server_learning_review(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_place at;
	ag_know o;
	ag_err err = { 0 };
	ag_str why;
	ag_val body;
	ag_status st;

	if (!ag_server_body(rq, rp, &body) || !ag_server_place_of(h, rq, rp, &at))
		return;
	if (!ag_val_getc(&body, "right")) {
		ag_server_problem(rp, 400, "want \"right\": true or false", "");
		return;
	}
	why = ag_val_member_str(&body, "why");
	st = ag_know_get(&at.place, AG_KNOW_LEARNING, ag_server_param(rq, "name"), rq->arena, &o,
	                 &err);
	if (!st)
		st = ag_know_judge(&at.place, &o, ag_val_member_bool(&body, "right"),
		                   why.len ? why : AG_S("a person said so"), rq->arena, &o, &err);
	if (st)
		ag_server_problem_of(rp, &err);
	else
		write_one(h, &o, rq, rp);
}
