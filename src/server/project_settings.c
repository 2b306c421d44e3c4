/* The settings of a project over HTTP: each with its value and where that comes from. An administrator of the project changes limits
 * and instructions; what decides which files, hosts or functions are reached is shown, and changed where the server runs
 * (docs/decisions/0045-settings-that-a-page-may-change.md). */
#include "base/utf8.h"
#include "query/extjson.h"
#include "server/chat.h"
#include "server/list.h"
#include "server/problem.h"
#include "server/work.h"

#define ORIGIN "server.project_settings"
#define SHOWN  200u /* characters of a value in the audit table */

/* One request. */
typedef struct changing {
	ag_server *h;
	ag_httpd_request *rq;
	ag_httpd_reply *rp;
	ag_server_place at;
	ag_store *store;
	ag_str key, value; /* value "": back to the default */
	ag_server_setting *of_server;
	size_t nof_server;
	ag_project_setting *list;
	size_t n;
} changing;

/* The server's own setting that counts where the project has none. NULL: there is no such. */
static const ag_server_setting *server_setting(const changing *c, const ag_project_setting *s)
{
	for (size_t i = 0; s->of_server && i < c->nof_server; i++)
		if (ag_str_eqc(c->of_server[i].key, s->of_server))
			return &c->of_server[i];
	return NULL;
}

/* A project never has a wider limit than the server that it runs in. */
static double most_of(const changing *c, const ag_project_setting *s)
{
	const ag_server_setting *of = server_setting(c, s);
	double most;

	return of && ag_str_to_double(of->value, &most) && most > 0 && most < s->max ? most
	                                                                             : s->max;
}

static void write_where(const changing *c, const ag_project_setting *s, ag_jw *w)
{
	const ag_server_setting *of = server_setting(c, s);
	const bool is_of_store = c->at.place.project->is_of_store;
	const ag_str by_default = of ? of->value : ag_str_c(s->by_default);

	ag_jw_kstr(w, "value", s->value.len ? s->value : by_default);
	ag_jw_kstr(w, "by_default", by_default);
	if (s->value.len) {
		ag_jw_kstr(w, "place", is_of_store ? AG_S("project") : AG_S("argus.yaml"));
		ag_jw_kstr(w, "where", AG_S(""));
	} else {
		const bool is_set = of && !ag_str_eqc(of->place, "default");

		ag_jw_kstr(w, "place", is_set ? AG_S("server") : AG_S("default"));
		ag_jw_kstr(w, "where", is_set ? of->where : AG_S(""));
	}
}

static void write_setting(const changing *c, const ag_project_setting *s, ag_jw *w)
{
	const bool may_change = s->may_change && c->at.place.project->is_of_store;

	ag_jw_obj(w);
	ag_jw_kstr(w, "key", ag_str_c(s->name));
	write_where(c, s, w);
	ag_jw_kstr(w, "help", ag_str_c(s->help));
	ag_jw_kstr(w, "form", ag_str_c(s->form));
	ag_jw_kbool(w, "may_change", may_change);
	if (may_change) {
		ag_jw_kdouble(w, "min", s->min);
		ag_jw_kdouble(w, "max", most_of(c, s));
	}
	ag_jw_obj_end(w);
}

/* The caller as an administrator of the project. False: rp says why not. */
static bool begin(void *env, ag_httpd_request *rq, ag_httpd_reply *rp, changing *ret)
{
	ag_server *h = (ag_server *)env;

	*ret = (changing){ .h = h, .rq = rq, .rp = rp };
	if (!ag_server_place_of(h, rq, rp, &ret->at))
		return false;
	if (ag_caller_role(ret->at.place.who, ret->at.place.project->id) < AG_ROLE_ADMIN) {
		ag_server_problem(rp, 403, "your role in the project is not enough",
		                  "its administrators see and change its settings");
		return false;
	}
	if (h->opts.settings)
		h->opts.settings(h->opts.settings_arg, rq->arena, &ret->of_server,
		                 &ret->nof_server);
	ag_project_settings_list(&ret->at.place.project->settings, rq->arena, &ret->list, &ret->n);
	return true;
}

static ag_str setting_key(const void *rows, size_t i, ag_arena *arena)
{
	(void)arena;
	return ag_str_c(((const ag_project_setting *)rows)[i].name);
}

void ag_server_project_settings_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server_list page;
	changing c;
	ag_jw w;

	if (!begin(env, rq, rp, &c) || !ag_server_list_of(rq, rp, c.list, c.n, setting_key, &page))
		return;
	ag_server_json(rp, &w);
	ag_jw_kkey(&w, "settings");
	ag_jw_arr(&w);
	for (size_t i = page.from; i < page.to; i++)
		write_setting(&c, &c.list[i], &w);
	ag_jw_arr_end(&w);
	ag_server_list_next(&w, page.next);
	ag_jw_obj_end(&w);
}

/* --- changes --- */

/* Within what the server allows; ag_project_settings_change() looks at the rest. */
static ag_status check_most(const changing *c, const ag_project_setting *s, ag_err *err)
{
	const double most = most_of(c, s);
	double d;

	if (!c->value.len || most >= s->max || !ag_str_to_double(c->value, &d) || d <= most)
		return AG_OK;
	ag_fail(err, AG_INVALID, ORIGIN, "%s: want at most %.15g, which the server allows", s->name,
	        most);
	return ag_err_hint(err, "the server's own setting %s is wider or narrower for all projects",
	                   s->of_server);
}

/* The row as it is now, with this one setting changed. */
static ag_status change(changing *c, ag_err *err)
{
	const ag_extjson_opts opts = { .max_depth = 8 };
	ag_project_settings settings;
	ag_project_row row = { 0 };
	ag_val v;
	ag_status st = ag_store_project(c->store, c->at.place.project->id, c->rq->arena, &row, err);

	if (!st)
		st = ag_extjson_parse(row.settings, &opts, c->rq->arena, &v, NULL, NULL, err);
	if (!st)
		st = ag_project_settings_read(&v, c->rq->arena, &settings, err);
	if (!st)
		st = ag_project_settings_change(&settings, c->key, c->value, c->rq->arena, err);
	for (size_t i = 0; !st && i < c->n; i++)
		if (ag_str_eqc(c->key, c->list[i].name))
			st = check_most(c, &c->list[i], err);
	if (!st)
		st = ag_project_settings_text(&settings, c->rq->arena, &row.settings, err);
	row.changed_ms = ag_clock_wall(c->h->opts.clock);
	if (!st)
		st = ag_store_put_project(c->store, &row, err);
	if (!st)
		ag_project_settings_list(&settings, c->rq->arena, &c->list, &c->n);
	return st;
}

static ag_status govern(changing *c, ag_err *err)
{
	const ag_str said = c->value.len ? ag_str_printf(c->rq->arena, "%.*s=%.*s", AG_FMT(c->key),
	                                                 AG_FMT(ag_utf8_prefix(c->value, SHOWN)))
	                                 : c->key;
	ag_project_call call = { .who = c->at.place.who,
		                 .project = c->at.place.project,
		                 .tool = c->value.len ? AG_S("set_project_setting")
		                                      : AG_S("reset_project_setting"),
		                 .session = AG_S(""),
		                 .watch_fd = -1,
		                 .is_unlimited = true };
	ag_sql_failure f = { 0 };
	ag_status st;

	if (!ag_project_begin(c->at.place.hub, &call, AG_ROLE_ADMIN, "sql", said, c->rq->arena, &f))
		return ag_sql_failure_err(&f, ORIGIN, err);
	st = change(c, err);
	if (!ag_project_end(c->at.place.hub, &call, st ? "VALIDATION_ERROR" : "ok", 0, c->rq->arena,
	                    &f) &&
	    !st)
		st = ag_sql_failure_err(&f, ORIGIN, err);
	ag_project_changed(c->at.place.hub, c->at.place.project->id);
	return st;
}

static bool is_setting(const changing *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (ag_str_eqc(c->key, c->list[i].name))
			return true;
	return false;
}

static void run(changing *c)
{
	ag_err err = { 0 };
	ag_jw w;

	if (!c->at.place.project->is_of_store) {
		ag_server_problem(c->rp, 409, "this project is set where the server was started",
		                  "change it in argus.yaml");
		return;
	}
	c->key = ag_server_param(c->rq, "key");
	if (!is_setting(c)) {
		ag_server_problem(c->rp, 404, "a project has no such setting",
		                  "GET /api/projects/ID/settings lists them");
		return;
	}
	c->store = ag_server_store_of(c->h, c->rp);
	if (!c->store)
		return;
	if (govern(c, &err)) {
		ag_server_problem_of(c->rp, &err);
	} else {
		c->rp->content_type = AG_S("application/json");
		ag_jw_init(&w, &c->rp->body, 0);
		for (size_t i = 0; i < c->n; i++)
			if (ag_str_eqc(c->key, c->list[i].name))
				write_setting(c, &c->list[i], &w);
	}
	ag_store_close(c->store);
}

void ag_server_project_setting_put(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	changing c;
	ag_val body;

	if (!ag_server_body(rq, rp, &body) || !begin(env, rq, rp, &c))
		return;
	c.value = ag_str_trim(ag_val_member_str(&body, "value"));
	if (c.value.len)
		run(&c);
	else
		ag_server_problem(rp, 400, "the value is empty", "DELETE takes a value away");
}

void ag_server_project_setting_reset(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	changing c;

	if (begin(env, rq, rp, &c))
		run(&c);
}
