/* Jobs and schedules over HTTP: what is queued, runs and has ended, and when jobs are queued. A superuser sees all of them, an admin
 * of a project those of the project, nobody else any. A change is a call of the project, with its row in the audit table. */
#include "store/jobs.h"

#include "base/cron.h"
#include "knowledge/recipe_run.h"
#include "query/extjson.h"
#include "run/owner.h"
#include "server/list.h"
#include "server/problem.h"
#include "server/tasks.h"

#define ORIGIN   "server.jobs"
#define ATTEMPTS 5

/* --- whose they are --- */

/* Of its payload; "" = of no single project. */
static ag_str project_of(ag_str payload, ag_arena *arena)
{
	const ag_extjson_opts opts = { .typed = true };
	ag_val v;

	return ag_extjson_parse(payload, &opts, arena, &v, NULL, NULL, NULL)
	               ? AG_S("")
	               : ag_val_member_str(&v, "project");
}

static bool is_of(const ag_caller *who, ag_str payload, ag_arena *arena)
{
	const ag_str project = project_of(payload, arena);

	return who->is_super || (project.len && ag_caller_role(who, project) >= AG_ROLE_ADMIN);
}

static bool is_served(const ag_server *h, ag_httpd_reply *rp)
{
	if (h->chat && h->opts.jobs)
		return true;
	ag_server_problem(rp, 404, "there is nothing at this path", "it is served by argus serve");
	return false;
}

/* Work with the store that is a call of the project of the payload. Jobs of no single project are the superuser's. */
static bool change(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_str payload,
                   const char *tool, ag_str text,
                   ag_status (*work)(ag_store *s, void *arg, ag_err *err), void *arg)
{
	const ag_str project = project_of(payload, rq->arena);
	const ag_project *p;
	ag_server_place at;
	ag_err err = { 0 };
	ag_store *s;
	ag_status st;

	if (project.len &&
	    !ag_project_find(h->opts.chat->hub, ag_server_who(h, rq), project, &p, NULL)) {
		if (!ag_server_place_in(h, rq, rp, project, &at))
			return false;
		st = ag_know_governed(&at.place, tool, AG_ROLE_ADMIN, text, work, arg, rq->arena,
		                      &err);
	} else {
		s = ag_server_chat_store(h);
		st = work(s, arg, &err);
		ag_store_close(s);
	}
	if (st)
		ag_server_problem_of(rp, &err);
	return !st;
}

/* --- jobs: looking --- */

static void write_job(const ag_server *h, const ag_job *j, ag_arena *arena, ag_jw *w)
{
	static const char *const words[] = {
		[AG_OWNER_ALIVE] = "alive", [AG_OWNER_DEAD] = "dead", [AG_OWNER_UNKNOWN] = "unknown"
	};

	ag_jw_obj(w);
	ag_job_write_json(j, h->opts.jobs->shown(j->kind, j->payload, arena), w);
	ag_jw_kstr(w, "project", project_of(j->payload, arena));
	ag_jw_kstr(w, "worker", j->state == AG_JOB_RUNNING ? j->owner : AG_S(""));
	if (j->state == AG_JOB_RUNNING)
		ag_jw_kstr(w, "worker_state", ag_str_c(words[ag_owner_state_of(j->owner)]));
	ag_jw_obj_end(w);
}

static ag_str job_key(const void *rows, size_t i, ag_arena *arena)
{
	(void)arena;
	return ag_id_str(&((const ag_job *)rows)[i].id);
}

static bool read_filter(ag_httpd_request *rq, ag_httpd_reply *rp, ag_job_filter *ret)
{
	const ag_str state = ag_server_query(rq, "state");

	*ret = (ag_job_filter){ .kind = ag_server_query(rq, "kind"),
		                .schedule = ag_server_query(rq, "schedule"),
		                .has_state = state.len > 0 };
	if (!ret->has_state || ag_job_state_read(state, &ret->state))
		return true;
	ag_server_problem(rp, 400, "there is no such state of a job",
	                  "want queued, running, done, dead or cancelled");
	return false;
}

void ag_server_jobs_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_str project = ag_server_query(rq, "project");
	ag_job_filter f;
	ag_server_list page;
	ag_job *jobs;
	ag_err err = { 0 };
	size_t n, kept = 0;
	ag_store *s;
	ag_status st;
	ag_jw w;

	if (!is_served(h, rp) || !read_filter(rq, rp, &f))
		return;
	s = ag_server_chat_store(h);
	st = ag_store_jobs(s, &f, AG_JOB_MAX_LIST, 0, rq->arena, &jobs, &n, &err);
	ag_store_close(s);
	if (st) {
		ag_server_problem_of(rp, &err);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (is_of(ag_server_who(h, rq), jobs[i].payload, rq->arena) &&
		    (!project.len || ag_str_eq(project_of(jobs[i].payload, rq->arena), project)))
			jobs[kept++] = jobs[i];
	}
	if (!ag_server_list_of(rq, rp, jobs, kept, job_key, &page))
		return;
	ag_server_json(rp, &w);
	ag_jw_kkey(&w, "jobs");
	ag_jw_arr(&w);
	for (size_t i = page.from; i < page.to; i++)
		write_job(h, &jobs[i], rq->arena, &w);
	ag_jw_arr_end(&w);
	ag_server_list_next(&w, page.next);
	ag_jw_obj_end(&w);
}

/* False: rp says why not. One that is not the caller's is not there. */
static bool find_job(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_str id, ag_job *ret)
{
	ag_err err = { 0 };
	ag_store *s;
	ag_status st;

	if (!is_served(h, rp))
		return false;
	s = ag_server_chat_store(h);
	st = ag_store_job(s, id, rq->arena, ret, &err);
	ag_store_close(s);
	if (!st && is_of(ag_server_who(h, rq), ret->payload, rq->arena))
		return true;
	if (!st || st == AG_NOT_FOUND || st == AG_CONFLICT || st == AG_INVALID)
		ag_server_problem(rp, 404, "there is no such job", "");
	else
		ag_server_problem_of(rp, &err);
	return false;
}

static void show_job(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_str id)
{
	ag_job j;
	ag_jw w;

	if (!find_job(h, rq, rp, id, &j))
		return;
	rp->content_type = AG_S("application/json");
	ag_jw_init(&w, &rp->body, 0);
	write_job(h, &j, rq->arena, &w);
}

void ag_server_job_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	show_job((ag_server *)env, rq, rp, ag_server_param(rq, "id"));
}

/* --- jobs: changing --- */

typedef struct job_change {
	const ag_server *h;
	ag_job *job;
	ag_id id; /* of the job that there is afterwards */
} job_change;

static ag_status cancel_job(ag_store *s, void *arg, ag_err *err)
{
	const job_change *c = (const job_change *)arg;
	ag_job_state state;
	int64_t now_ms;
	ag_status st = ag_store_now(s, c->h->opts.clock, &now_ms, err);

	return st ? st : ag_store_cancel_job(s, &c->job->id, now_ms, &state, err);
}

static ag_status add_job(ag_store *s, void *arg, ag_err *err)
{
	job_change *c = (job_change *)arg;
	int64_t now_ms;
	ag_status st = ag_store_now(s, c->h->opts.clock, &now_ms, err);

	return st ? st : ag_store_add_jobs(s, c->job, 1, now_ms, &c->id, NULL, err);
}

/* What ended well is done once more, by another run. */
static ag_status run_again(ag_store *s, void *arg, ag_err *err)
{
	job_change *c = (job_change *)arg;
	ag_job again = { .queue = c->job->queue,
		         .kind = c->job->kind,
		         .target = c->job->target,
		         .payload = c->job->payload,
		         .max_attempts = c->job->max_attempts };
	job_change added = { c->h, &again, c->job->id };
	int64_t now_ms;
	ag_status st;

	if (c->job->state == AG_JOB_DONE) {
		st = add_job(s, &added, err);
		c->id = added.id;
		return st;
	}
	st = ag_store_now(s, c->h->opts.clock, &now_ms, err);
	return st ? st : ag_store_retry_job(s, &c->job->id, now_ms, err);
}

static void change_job(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, const char *tool,
                       bool is_possible, const char *why_not,
                       ag_status (*work)(ag_store *s, void *arg, ag_err *err), ag_job *j)
{
	job_change c = { h, j, j->id };

	if (!is_possible)
		ag_server_problem(rp, 409, why_not, "");
	else if (change(h, rq, rp, j->payload, tool, ag_id_str(&j->id), work, &c))
		show_job(h, rq, rp, ag_id_str(&c.id));
}

void ag_server_job_cancel(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_job j;

	if (find_job(h, rq, rp, ag_server_param(rq, "id"), &j))
		change_job(h, rq, rp, "cancel_job",
		           j.state == AG_JOB_QUEUED || j.state == AG_JOB_RUNNING,
		           "the job has ended", cancel_job, &j);
}

void ag_server_job_retry(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_job j;

	if (find_job(h, rq, rp, ag_server_param(rq, "id"), &j))
		change_job(h, rq, rp, "retry_job",
		           j.state != AG_JOB_QUEUED && j.state != AG_JOB_RUNNING,
		           "the job has not ended yet", run_again, &j);
}

/* The job that a body names. False: rp says why not. */
static bool make_job(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, const ag_val *body,
                     ag_job *ret)
{
	const ag_val none = ag_val_object(NULL, 0), *values = ag_val_getc(body, "values");
	const ag_str kind = ag_val_member_str(body, "kind");
	ag_server_job_what what = { .kind = kind, .what = ag_val_member_str(body, "what") };
	ag_server_place at;
	ag_know recipe;
	ag_recipe r;
	ag_val checked;
	ag_err err = { 0 };
	ag_status st = AG_OK;

	what.values = values ? values : &none;
	if (!ag_server_place_in(h, rq, rp, ag_val_member_str(body, "project"), &at))
		return false;
	if (ag_caller_role(at.place.who, at.place.project->id) < AG_ROLE_ADMIN) {
		ag_server_problem(rp, 403, "only an admin of the project does that", "");
		return false;
	}
	what.project = at.place.project;
	if (ag_str_eqc(kind, "recipe")) {
		st = ag_recipe_in_use(&at.place, what.what, rq->arena, &recipe, &err);
		if (!st) {
			ag_recipe_read(&recipe.body, rq->arena, &r);
			st = ag_recipe_values(&r, what.values, rq->arena, &checked, &err);
			what.what = recipe.name;
		}
	}
	if (!st)
		st = h->opts.jobs->make(&what, rq->arena, ret, &err);
	if (st)
		ag_server_problem_of(rp, &err);
	ret->max_attempts = ATTEMPTS;
	return !st;
}

void ag_server_job_new(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_job j = { 0 };
	job_change c = { h, &j, { "" } };
	ag_val body;

	if (!is_served(h, rp) || !ag_server_body(rq, rp, &body) ||
	    !make_job(h, rq, rp, &body, &j) ||
	    !change(h, rq, rp, j.payload, "add_job", j.payload, add_job, &c))
		return;
	show_job(h, rq, rp, ag_id_str(&c.id));
	rp->status = 201;
}

/* --- schedules --- */

/* What its last job became; state "" = it has queued none. */
static ag_status last_of(ag_store *s, const ag_schedule *c, ag_arena *arena, ag_job *ret,
                         bool *ret_found, ag_err *err)
{
	const ag_job_filter f = { .schedule = c->name };
	ag_job *jobs;
	size_t n = 0;
	const ag_status st = ag_store_jobs(s, &f, 1, 0, arena, &jobs, &n, err);

	*ret_found = !st && n > 0;
	if (*ret_found)
		*ret = jobs[0];
	return st;
}

static ag_status write_schedule(ag_server *h, ag_store *s, const ag_schedule *c, ag_arena *arena,
                                ag_jw *w, ag_err *err)
{
	ag_job last;
	bool is_found;
	const ag_status st = last_of(s, c, arena, &last, &is_found, err);

	ag_jw_obj(w);
	ag_schedule_write_json(c, h->opts.jobs->shown(c->kind, c->payload, arena), w);
	ag_jw_kstr(w, "project", project_of(c->payload, arena));
	ag_jw_kkey(w, "last_job");
	if (is_found)
		write_job(h, &last, arena, w);
	else
		ag_jw_null(w);
	ag_jw_obj_end(w);
	return st;
}

static ag_str schedule_key(const void *rows, size_t i, ag_arena *arena)
{
	(void)arena;
	return ((const ag_schedule *)rows)[i].name;
}

void ag_server_schedules_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_list page;
	ag_schedule *list;
	ag_err err = { 0 };
	size_t n, kept = 0;
	ag_store *s;
	ag_status st;
	ag_jw w;

	if (!is_served(h, rp))
		return;
	s = ag_server_chat_store(h);
	st = ag_store_schedules(s, rq->arena, &list, &n, &err);
	for (size_t i = 0; i < n && !st; i++) {
		if (is_of(ag_server_who(h, rq), list[i].payload, rq->arena))
			list[kept++] = list[i];
	}
	if (!st && ag_server_list_of(rq, rp, list, kept, schedule_key, &page)) {
		ag_server_json(rp, &w);
		ag_jw_kkey(&w, "schedules");
		ag_jw_arr(&w);
		for (size_t i = page.from; i < page.to && !st; i++)
			st = write_schedule(h, s, &list[i], rq->arena, &w, &err);
		ag_jw_arr_end(&w);
		ag_server_list_next(&w, page.next);
		ag_jw_obj_end(&w);
	}
	if (st) {
		ag_buf_clear(&rp->body);
		ag_server_problem_of(rp, &err);
	}
	ag_store_close(s);
}

static bool find_schedule(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_str name,
                          ag_schedule *ret)
{
	ag_schedule *list;
	ag_err err = { 0 };
	ag_store *s;
	size_t n = 0;
	ag_status st;

	if (!is_served(h, rp))
		return false;
	s = ag_server_chat_store(h);
	st = ag_store_schedules(s, rq->arena, &list, &n, &err);
	ag_store_close(s);
	for (size_t i = 0; i < n && !st; i++) {
		if (!ag_str_eq(list[i].name, name) ||
		    !is_of(ag_server_who(h, rq), list[i].payload, rq->arena))
			continue;
		*ret = list[i];
		return true;
	}
	if (st)
		ag_server_problem_of(rp, &err);
	else
		ag_server_problem(rp, 404, "there is no such schedule", "");
	return false;
}

static void show_schedule(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_str name)
{
	ag_schedule c;
	ag_err err = { 0 };
	ag_store *s;
	ag_jw w;

	if (!find_schedule(h, rq, rp, name, &c))
		return;
	s = ag_server_chat_store(h);
	rp->content_type = AG_S("application/json");
	ag_jw_init(&w, &rp->body, 0);
	if (write_schedule(h, s, &c, rq->arena, &w, &err)) {
		ag_buf_clear(&rp->body);
		ag_server_problem_of(rp, &err);
	}
	ag_store_close(s);
}

typedef struct schedule_change {
	const ag_server *h;
	ag_arena *arena;
	ag_schedule *of;
} schedule_change;

/* When it is due next, from now on. */
static ag_status plan(ag_store *s, const schedule_change *c, ag_err *err)
{
	int64_t now_ms;
	ag_status st = ag_store_now(s, c->h->opts.clock, &now_ms, err);

	if (!st && !c->of->created_ms)
		c->of->created_ms = now_ms;
	if (!st)
		st = ag_cron_next_of(c->of->cron, c->of->zone, now_ms, c->arena, &c->of->next_ms,
		                     err);
	if (st == AG_NOT_FOUND) /* the zone: a fault of the body, not of the address */
		st = err->status = AG_INVALID;
	return st;
}

static ag_status add_schedule(ag_store *s, void *arg, ag_err *err)
{
	const schedule_change *c = (const schedule_change *)arg;
	const ag_status st = plan(s, c, err);

	return st ? st : ag_store_add_schedule(s, c->of, err);
}

static ag_status put_schedule(ag_store *s, void *arg, ag_err *err)
{
	const schedule_change *c = (const schedule_change *)arg;
	const ag_status st = plan(s, c, err);

	return st ? st : ag_store_change_schedule(s, c->of, err);
}

static ag_status drop_schedule(ag_store *s, void *arg, ag_err *err)
{
	const schedule_change *c = (const schedule_change *)arg;

	return ag_store_drop_schedule(s, c->of->name, err);
}

void ag_server_schedule_new(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_job j = { 0 };
	ag_schedule of;
	ag_val body;

	if (!is_served(h, rp) || !ag_server_body(rq, rp, &body) || !make_job(h, rq, rp, &body, &j))
		return;
	of = (ag_schedule){ .name = ag_val_member_str(&body, "name"),
		            .cron = ag_val_member_str(&body, "cron"),
		            .zone = ag_val_member_str(&body, "zone"),
		            .queue = j.queue,
		            .kind = j.kind,
		            .payload = j.payload };
	if (!of.zone.len)
		of.zone = AG_S("UTC");
	if (!change(h, rq, rp, of.payload, "add_schedule", of.name, add_schedule,
	            &(schedule_change){ h, rq->arena, &of }))
		return;
	show_schedule(h, rq, rp, of.name);
	rp->status = 201;
}

void ag_server_schedule_change(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_val *paused;
	ag_schedule of;
	ag_val body;
	ag_str text;

	if (!ag_server_body(rq, rp, &body) ||
	    !find_schedule(h, rq, rp, ag_server_param(rq, "name"), &of))
		return;
	text = ag_val_member_str(&body, "cron");
	if (text.len)
		of.cron = text;
	text = ag_val_member_str(&body, "zone");
	if (text.len)
		of.zone = text;
	paused = ag_val_getc(&body, "paused");
	if (paused)
		of.is_paused = ag_val_member_bool(&body, "paused");
	if (change(h, rq, rp, of.payload, "change_schedule", of.name, put_schedule,
	           &(schedule_change){ h, rq->arena, &of }))
		show_schedule(h, rq, rp, of.name);
}

void ag_server_schedule_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_schedule of;

	if (find_schedule(h, rq, rp, ag_server_param(rq, "name"), &of) &&
	    change(h, rq, rp, of.payload, "remove_schedule", of.name, drop_schedule,
	           &(schedule_change){ h, rq->arena, &of }))
		rp->status = 204;
}
