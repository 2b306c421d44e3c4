/* Projects over HTTP: made, renamed and removed. Only those of the store: argus.yaml is the server's own file. Each change is a call of
 * the project in the audit table. */
#include "server/accounts.h"
#include "server/chat.h"
#include "server/problem.h"
#include "server/work.h"

#define ORIGIN "server.projects"

/* One request. */
typedef struct changing {
	ag_server *h;
	ag_httpd_request *rq;
	ag_httpd_reply *rp;
	ag_store *store;
	const ag_caller *who;
	const char *tool; /* of the audit table */
	ag_str name;
} changing;

static ag_status put(changing *c, ag_project_row *row, ag_err *err)
{
	ag_status st;

	if (c->name.len)
		row->name = c->name;
	row->changed_ms = ag_clock_wall(c->h->opts.clock);
	st = ag_store_put_project(c->store, row, err);
	ag_project_changed(c->h->opts.chat->hub, row->id);
	return st;
}

/* Does the work as a recorded call of the project. */
static ag_status govern(changing *c, const ag_project *project, ag_err *err)
{
	ag_project_hub *hub = c->h->opts.chat->hub;
	ag_project_call call = { .who = c->who,
		                 .project = project,
		                 .tool = ag_str_c(c->tool),
		                 .session = AG_S(""),
		                 .watch_fd = -1,
		                 .is_unlimited = true };
	ag_sql_failure f = { 0 };
	ag_project_row row;
	ag_status st;

	if (!ag_project_begin(hub, &call, AG_ROLE_ADMIN, "", c->name, c->rq->arena, &f))
		return ag_sql_failure_err(&f, ORIGIN, err);
	st = ag_store_project(c->store, project->id, c->rq->arena, &row, err);
	if (!st && c->name.len)
		st = put(c, &row, err);
	if (!ag_project_end(hub, &call, st ? "VALIDATION_ERROR" : "ok", 0, c->rq->arena, &f) && !st)
		st = ag_sql_failure_err(&f, ORIGIN, err);
	return st;
}

/* The project of the route, which the caller administers and which is of the store. False: rp says why not. */
static bool find(changing *c, ag_server_place *at)
{
	if (!ag_server_place_of(c->h, c->rq, c->rp, at))
		return false;
	if (ag_caller_role(c->who, at->place.project->id) < AG_ROLE_ADMIN) {
		ag_server_problem(c->rp, 403, "an admin of the project may do this", "");
		return false;
	}
	if (!at->place.project->is_of_store) {
		ag_server_problem(c->rp, 409, "this project is set where the server was started",
		                  "change it in argus.yaml");
		return false;
	}
	return true;
}

static void answer(changing *c, ag_str id)
{
	const ag_project *project;
	ag_err err = { 0 };
	ag_jw w;

	if (ag_project_find(c->h->opts.chat->hub, c->who, id, &project, &err)) {
		ag_server_problem_of(c->rp, &err);
		return;
	}
	c->rp->content_type = AG_S("application/json");
	ag_jw_init(&w, &c->rp->body, 0);
	ag_server_project_json(c->h, c->rq, project, &w);
}

/* body: filled, NULL = the request has none. */
static bool begin(void *env, ag_httpd_request *rq, ag_httpd_reply *rp, const char *tool,
                  ag_val *body, changing *ret)
{
	ag_server *h = (ag_server *)env;

	*ret = (changing){ .h = h, .rq = rq, .rp = rp, .who = ag_server_who(h, rq), .tool = tool };
	if (body) {
		if (!ag_server_body(rq, rp, body))
			return false;
		ret->name = ag_str_trim(ag_val_member_str(body, "name"));
	}
	ret->store = ag_server_store_of(h, rp);
	return ret->store != NULL;
}

/* --- routes --- */

static void add(changing *c, ag_str id)
{
	ag_project_hub *hub = c->h->opts.chat->hub;
	ag_project_row row = { .id = id,
		               .name = c->name.len ? c->name : id,
		               .settings = AG_S("{}"),
		               .is_active = true,
		               .created_ms = ag_clock_wall(c->h->opts.clock) },
		       old;
	const ag_project *project;
	ag_err err = { 0 };
	ag_status st = ag_store_project(c->store, id, c->rq->arena, &old, &err);

	/* One of argus.yaml, or a disabled one, has the id as well. */
	if (st == AG_NOT_FOUND)
		st = ag_project_find(hub, c->who, id, &project, &err);
	if (!st) {
		ag_server_problem(c->rp, 409, "there is a project of that id", "choose another id");
		return;
	}
	if (st == AG_NOT_FOUND) {
		err = (ag_err){ 0 };
		st = put(c, &row, &err);
		c->name = AG_S(""); /* it is there: what follows records that */
	}
	if (!st)
		st = ag_project_find(hub, c->who, id, &project, &err);
	if (!st)
		st = govern(c, project, &err);
	if (st) {
		ag_server_problem_of(c->rp, &err);
		return;
	}
	answer(c, id);
	if (c->rp->status == 200)
		c->rp->status = 201;
}

void ag_server_project_add(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	changing c;
	ag_val body;

	if (!ag_server_who((ag_server *)env, rq)->is_super) {
		ag_server_problem(rp, 403, "only a superuser makes projects", "");
		return;
	}
	if (!begin(env, rq, rp, "add_project", &body, &c))
		return;
	add(&c, ag_str_trim(ag_val_member_str(&body, "id")));
	ag_store_close(c.store);
}

void ag_server_project_rename(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server_place at;
	ag_err err = { 0 };
	ag_val body;
	changing c;

	if (!begin(env, rq, rp, "rename_project", &body, &c))
		return;
	if (!c.name.len)
		ag_server_problem(rp, 400, "the name is empty", "");
	else if (find(&c, &at) && govern(&c, at.place.project, &err))
		ag_server_problem_of(rp, &err);
	else if (rp->status == 200)
		answer(&c, ag_server_param(rq, "project"));
	ag_store_close(c.store);
}

void ag_server_project_remove(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server_place at;
	ag_err err = { 0 };
	changing c;

	if (!ag_server_who((ag_server *)env, rq)->is_super) {
		ag_server_problem(rp, 403, "only a superuser removes projects", "");
		return;
	}
	if (!begin(env, rq, rp, "remove_project", NULL, &c))
		return;
	if (find(&c, &at)) {
		const ag_str id = ag_str_dup(rq->arena, at.place.project->id);

		if (govern(&c, at.place.project, &err) || ag_store_drop_project(c.store, id, &err))
			ag_server_problem_of(rp, &err);
		else
			rp->status = 204;
		ag_project_changed(c.h->opts.chat->hub, id);
	}
	ag_store_close(c.store);
}
