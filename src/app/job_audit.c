/* A job that audits. One collection is one run of the auditor; a job that means several becomes one job for each.
 *
 * {"all":true}, {"project":"shop"}, {"project":"shop","collection":"orders"}, {"source":"mongodb://host/shop"}: and with "key" one
 * place of that project or source. With both, "source" is what is audited and "project" whose it is. "eval_profile",
 * "max_iterations" and "max_seconds" take the place of the worker's settings. The run's id is the job's, so a later attempt
 * resumes that run from its log. Read run_audit(). */
#include "app/jobs.h"

#include <stdlib.h>

#include "app/models.h"
#include "audit/neighbours.h"
#include "base/sha256.h"
#include "mongo/address.h"
#include "query/extjson.h"

#define ORIGIN "app.job_audit"
#define MAX_TARGET \
	200 /* bytes; what is cut is one target with another one, which only limits more */

typedef struct payload {
	bool all;
	ag_str project, source, collection, key;
	ag_str eval_profile;                  /* "" = as the worker's */
	uint64_t max_iterations, max_seconds; /* 0 = as the worker's */
} payload;

static ag_status read_payload(ag_str text, ag_arena *arena, payload *ret, ag_err *err)
{
	const ag_extjson_opts parse = { .typed = true };
	ag_val v;
	ag_status st = ag_extjson_parse(text, &parse, arena, &v, NULL, NULL, err);

	if (st)
		return st;
	*ret = (payload){ .all = ag_val_member_bool(&v, "all"),
		          .project = ag_val_member_str(&v, "project"),
		          .source = ag_val_member_str(&v, "source"),
		          .collection = ag_val_member_str(&v, "collection"),
		          .key = ag_val_member_str(&v, "key"),
		          .eval_profile = ag_val_member_str(&v, "eval_profile"),
		          .max_iterations = ag_val_member_u64(&v, "max_iterations"),
		          .max_seconds = ag_val_member_u64(&v, "max_seconds") };
	return AG_OK;
}

static ag_str write_payload(const payload *p, ag_arena *arena)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(AG_JOB_MAX_PAYLOAD);
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	if (p->all)
		ag_jw_kbool(&w, "all", true);
	if (p->project.len)
		ag_jw_kstr(&w, "project", p->project);
	if (p->source.len)
		ag_jw_kstr(&w, "source", p->source);
	if (p->collection.len)
		ag_jw_kstr(&w, "collection", p->collection);
	if (p->key.len)
		ag_jw_kstr(&w, "key", p->key);
	if (p->eval_profile.len)
		ag_jw_kstr(&w, "eval_profile", p->eval_profile);
	if (p->max_iterations)
		ag_jw_kuint(&w, "max_iterations", p->max_iterations);
	if (p->max_seconds)
		ag_jw_kuint(&w, "max_seconds", p->max_seconds);
	ag_jw_obj_end(&w);
	return ag_buf_dup(arena, &out);
}

/* --- what a user names --- */

/* The server that is asked, without user and database; "" for files. */
static ag_str target_of(ag_str uri, ag_arena *arena)
{
	const ag_str scheme = ag_source_scheme(uri);
	ag_str place = AG_S(""), whole;
	ag_mongo_address a;

	if (!scheme.len)
		return place;
	if (!ag_mongo_is_uri(uri)) {
		whole = ag_str_make(uri.ptr + scheme.len + 3, uri.len - scheme.len - 3);
		whole = ag_str_split(&whole, '?');
		place = ag_str_split(&whole, '/');
	} else if (!ag_mongo_address_parse(uri, arena, &a, NULL)) {
		place = a.place;
	}
	whole = ag_str_printf(arena, "%.*s://%.*s", AG_FMT(scheme), AG_FMT(place));
	return ag_str_make(whole.ptr, whole.len < MAX_TARGET ? whole.len : MAX_TARGET);
}

static ag_status make_of_source(ag_str what, ag_arena *arena, ag_job *ret, ag_err *err)
{
	payload p = { 0 };
	ag_mongo_address a;
	char *path;

	if (ag_mongo_is_uri(what) && ag_mongo_address_parse(what, arena, &a, err))
		return AG_INVALID;
	if (ag_source_scheme(what).len) {
		p.source = ag_source_shown(what, arena);
		if (ag_app_has_password(what)) {
			ag_fail(err, AG_DENIED, ORIGIN, "a password does not belong into a job");
			return ag_err_hint(err, "leave it out, and set " AG_MONGO_PASSWORD_ENV
			                        " where workers run");
		}
	} else {
		path = realpath(ag_str_cstr(arena, what), NULL);
		if (!path) {
			ag_fail(err, AG_NOT_FOUND, ORIGIN,
			        "\"%.*s\" is neither a project with documents nor a file or folder",
			        AG_FMT(what));
			return ag_err_hint(err, "want PROJECT, PROJECT/COLLECTION, a path that "
			                        "workers see as well, or mongodb://host/database");
		}
		p.source = ag_str_dup(arena, ag_str_c(path));
		free(path);
	}
	ret->target = target_of(p.source, arena);
	ret->payload = write_payload(&p, arena);
	return AG_OK;
}

static ag_status make(ag_app *app, const ag_job_what *asked, ag_arena *arena, ag_job *ret,
                      ag_err *err)
{
	const ag_str what = asked->what;
	const bool all = asked->all;
	ag_str rest = what, id = ag_str_split(&rest, '/');
	ag_documents *list = NULL;
	ag_store *store = NULL;
	payload p = { .all = all };
	size_t n = 0;
	ag_status st = ag_app_store(app, &store, err);

	if (!st)
		st = ag_app_documents(app, store, arena, &list, &n, err);
	if (st)
		return st;
	if (all && !n) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN,
		        "no project has documents, so --all means nothing");
		return ag_err_hint(err,
		                   "set `documents` of a project in argus.yaml, or with `argus "
		                   "project add --documents`");
	}
	for (size_t i = 0; i < n && !all; i++) {
		if (!ag_str_eq(list[i].project, id))
			continue;
		p.project = id;
		p.collection = rest;
		ret->target = target_of(list[i].uri, arena);
	}
	if (!all && !p.project.len)
		return make_of_source(what, arena, ret, err);
	ret->payload = write_payload(&p, arena);
	return AG_OK;
}

ag_status ag_job_audit_of_project(const ag_project *project, ag_str collection, ag_arena *arena,
                                  ag_job *ret, ag_err *err)
{
	const payload p = { .project = project->id, .collection = collection };

	if (!project->settings.documents.len) {
		ag_fail(err, AG_INVALID, ORIGIN, "the project has no documents to audit");
		return ag_err_hint(err, "set its `documents`");
	}
	ret->target = target_of(project->settings.documents, arena);
	ret->payload = write_payload(&p, arena);
	return AG_OK;
}

static ag_str shown(ag_str text, ag_arena *arena)
{
	payload p;

	if (read_payload(text, arena, &p, NULL))
		return text;
	if (p.all)
		return AG_S("all projects");
	if (p.key.len && !p.project.len && p.key.ptr[0] == '/')
		return p.key;
	return ag_str_printf(arena, "%.*s%s%.*s", AG_FMT(p.project.len ? p.project : p.source),
	                     p.collection.len ? "/" : "", AG_FMT(p.collection));
}

/* --- places --- */

static ag_job job_of_place(const payload *of, const ag_source_place *place, ag_str queue,
                           ag_str uri, ag_arena *arena)
{
	payload p = *of;

	p.all = false;
	p.collection = place->collection;
	p.key = place->key;
	return (ag_job){ .queue = queue,
		         .kind = AG_S("audit"),
		         .target = target_of(uri, arena),
		         .payload = write_payload(&p, arena) };
}

ag_status ag_job_audit_places(const ag_ctx *ctx, const ag_job_audit_what *what, ag_arena *arena,
                              ag_job **ret, size_t *nret, ag_err *err)
{
	const bool is_own = what->project.len && !what->is_other;
	const payload of = { .project = what->project,
		             .source = is_own ? AG_S("") : ag_source_shown(what->uri, arena),
		             .eval_profile = what->eval_profile,
		             .max_iterations = what->max_iterations,
		             .max_seconds = what->max_seconds };
	ag_source_place *places;
	ag_status st = ag_source_list(ctx, what->uri, arena, &places, nret, err);

	if (st)
		return st;
	*ret = ag_new_n(arena, ag_job, *nret + 1);
	for (size_t i = 0; i < *nret; i++)
		(*ret)[i] = job_of_place(&of, &places[i], what->queue, what->uri, arena);
	return AG_OK;
}

static ag_str once_of(const ag_job *parent, ag_str what, ag_arena *arena)
{
	const ag_sha256_hex hash = ag_sha256(what);

	return ag_str_printf(arena, "job:%s/%.32s", parent->id.text, hash.text);
}

static ag_status find_uri(ag_worker *w, const payload *p, ag_arena *arena, ag_str *ret, ag_err *err)
{
	ag_documents *list;
	ag_status st;
	size_t n;

	*ret = w->address ? w->address(w->address_arg, p->source) : p->source;
	if (p->source.len)
		return AG_OK;
	st = ag_app_documents(w->app, w->store, arena, &list, &n, err);
	for (size_t i = 0; i < n && !st; i++) {
		if (ag_str_eq(list[i].project, p->project)) {
			*ret = list[i].uri;
			return AG_OK;
		}
	}
	if (st)
		return st;
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "this worker knows no project \"%.*s\" with documents",
	        AG_FMT(p->project));
	return ag_err_hint(err, "give all workers of a queue the same argus.yaml, or keep the "
	                        "project in the store");
}

/* All projects: a job for each. */
static ag_status become_projects(ag_worker *w, const ag_job *job, ag_arena *arena,
                                 ag_job_outcome *ret)
{
	ag_documents *list;
	ag_job *children;
	size_t n;
	ag_status st = ag_app_documents(w->app, w->store, arena, &list, &n, &ret->err);

	if (st)
		return st;
	children = ag_new_n(arena, ag_job, n + 1);
	for (size_t i = 0; i < n; i++) {
		const payload p = { .project = list[i].project };

		children[i] = (ag_job){ .queue = job->queue,
			                .kind = job->kind,
			                .target = target_of(list[i].uri, arena),
			                .payload = write_payload(&p, arena),
			                .max_attempts = job->max_attempts,
			                .once = once_of(job, p.project, arena) };
	}
	ret->children = children;
	ret->nchild = n;
	ret->result = ag_str_printf(arena, "{\"jobs\":%zu}", n);
	return AG_OK;
}

static ag_status become_places(const ag_job *job, const payload *p, ag_str uri,
                               const ag_source_place *places, size_t n, ag_arena *arena,
                               ag_job_outcome *ret)
{
	ag_job *children = ag_new_n(arena, ag_job, n + 1);

	for (size_t i = 0; i < n; i++) {
		children[i] = job_of_place(p, &places[i], job->queue, uri, arena);
		children[i].max_attempts = job->max_attempts;
		children[i].once = once_of(job, places[i].key, arena);
	}
	ret->children = children;
	ret->nchild = n;
	ret->result = ag_str_printf(arena, "{\"jobs\":%zu}", n);
	return AG_OK;
}

/* The places that the payload means. */
static ag_status keep_named(const payload *p, ag_source_place *places, size_t *n, ag_err *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++) {
		if (p->key.len ? ag_str_eq(p->key, places[i].key)
		               : !p->collection.len ||
		                         ag_mongo_name_fits(p->collection, places[i].collection))
			places[kept++] = places[i];
	}
	if (!kept) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no collection %.*s any more",
		        AG_FMT(p->collection));
		return ag_err_hint(err, "it had %zu others", *n);
	}
	*n = kept;
	return AG_OK;
}

/* --- one collection --- */

static void result_of(const ag_audit_result *r, ag_arena *arena, ag_job_outcome *ret)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(4096);
	const ag_run_result *run = &r->run_result;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "status", run->status);
	if (r->has_findings)
		ag_jw_kstr(&w, "worst", ag_str_c(ag_severity_name(r->worst)));
	if (r->has_gaps)
		ag_jw_kstr(&w, "worst_gap", ag_str_c(ag_severity_name(r->worst_gap)));
	ag_jw_obj_end(&w);
	ret->result = ag_buf_dup(arena, &out);
	ret->st = AG_OK;
	if (ag_str_eqc(run->status, "cancelled")) {
		ret->st = ag_fail(&ret->err, AG_CANCELLED, ORIGIN, "stopped");
	} else if (run->err.status) { /* a model, the source or the store failed */
		ret->err = run->err;
		ret->st = run->err.status;
	} else if (ag_str_eqc(run->status, "failed")) {
		ret->st = ag_fail(&ret->err, AG_INTERNAL, ORIGIN, "the audit failed: %.*s",
		                  AG_FMT(run->why));
	}
}

static void use_models(const ag_worker *w, ag_audit_opts *o, ag_arena *arena)
{
	o->planner_llm = w->audit->planner_llm;
	o->self_llm = w->audit->self_llm;
	o->judge_llm = w->audit->judge_llm;
	o->pricing_version = w->audit->pricing_version;
	o->meter = ag_app_meter(w->app, arena);
}

/* What the job says in the place of the worker's settings. */
static ag_status choose_opts(const ag_worker *w, const payload *p, ag_arena *arena,
                             ag_audit_opts *ret, ag_err *err)
{
	static const char *const names[] = { "fast", "balanced", "thorough" };
	ag_settings s = w->app->settings;

	*ret = *w->audit;
	for (unsigned i = 0; i < AG_NELEM(names); i++)
		if (ag_str_eqc(p->eval_profile, names[i]))
			ret->eval_profile = (ag_eval_profile)i;
	if (p->max_iterations)
		ret->budget.iterations = (unsigned)p->max_iterations;
	if (p->max_seconds)
		ret->budget.seconds = (double)p->max_seconds;
	if (!p->eval_profile.len && !p->max_iterations && !p->max_seconds)
		return AG_OK;
	s.audit.eval_profile = ret->eval_profile;
	s.audit.budget = ret->budget;
	ret->settings_json = ag_settings_json(&s, arena);
	return ag_audit_opts_check(ret, err);
}

/* A collection, and the folder that it is in: references to its other collections are checked. */
typedef struct target {
	const ag_source_place *place;
	ag_neighbours *neighbours; /* NULL = it is alone */
} target;

static ag_status begin_run(ag_worker *w, const ag_ctx *ctx, const ag_job *job, const target *of,
                           ag_arena *arena, ag_audit_result *ret, ag_err *err)
{
	const ag_settings *s = &w->app->settings;
	const ag_source_opts so = { .strict = s->audit.strict,
		                    .max_scan = s->audit.max_scan,
		                    .max_sample = s->audit.max_sample };
	ag_audit_opts o;
	ag_app opened = *w->app;
	ag_audit_early early;
	ag_source *source;
	payload p;
	ag_status st = read_payload(job->payload, arena, &p, err);

	if (!st)
		st = choose_opts(w, &p, arena, &o, err);
	if (!st)
		st = ag_audit_begin(ctx, w->store, of->place, &job->run, arena, &early, err);
	if (st)
		return st;
	opened.ctx = *ctx;
	o.early = &early;
	o.neighbours = of->neighbours;
	use_models(w, &o, arena);
	st = ag_app_open_source(&opened, of->place, &so, &o.budget, &source, err);
	if (st) {
		ag_audit_abandon(ctx, w->store, &early, err);
		return st;
	}
	st = ag_audit_run(ctx,
	                  &(ag_audit_job){ .source = source,
	                                   .store = w->store,
	                                   .opts = &o,
	                                   .make = w->planner },
	                  arena, ret, err);
	ag_source_close(source);
	return st;
}

static ag_status go_on(ag_worker *w, const ag_ctx *ctx, const ag_run_row *row, const target *of,
                       ag_arena *arena, ag_audit_result *ret, ag_err *err)
{
	ag_neighbours *neighbours = NULL;
	ag_app opened = *w->app;
	const ag_event *events;
	ag_audit_start start;
	ag_source *source;
	size_t n;
	ag_status st = ag_audit_load_start(w->store, row, arena, &events, &n, &start, err);

	if (st)
		return st;
	opened.ctx = *ctx;
	use_models(w, &start.opts, arena);
	st = ag_neighbours_again(ctx, start.neighbours, start.nneighbour, arena, &neighbours, err);
	if (!st)
		st = ag_app_open_source(&opened, of->place, NULL, &start.opts.budget, &source, err);
	if (st) {
		ag_neighbours_free(neighbours);
		return st;
	}
	start.opts.neighbours = neighbours;
	st = ag_audit_resume(ctx,
	                     &(ag_audit_job){ .source = source,
	                                      .store = w->store,
	                                      .opts = &start.opts,
	                                      .make = w->planner },
	                     row, arena, ret, err);
	ag_source_close(source);
	ag_neighbours_log_unread(neighbours);
	ag_neighbours_free(neighbours);
	return st;
}

/* It ended, but its worker died before it could say so. */
static ag_status take_finished(const ag_run_row *row, ag_arena *arena, ag_job_outcome *ret)
{
	const char *worst = row->critical ? "critical"
	                    : row->high   ? "high"
	                    : row->medium ? "medium"
	                    : row->low    ? "low"
	                                  : NULL;

	ret->result = worst ? ag_str_printf(arena, "{\"status\":\"ok\",\"worst\":\"%s\"}", worst)
	                    : AG_S("{\"status\":\"ok\"}");
	return AG_OK;
}

static ag_status run_place(ag_worker *w, const ag_ctx *ctx, ag_job *job, const target *of,
                           ag_arena *arena, ag_job_outcome *ret)
{
	ag_audit_result result = { 0 };
	ag_event *events = NULL;
	size_t nevent = 0;
	ag_run_row row;
	ag_err *err = &ret->err;
	/* Nobody but us has the job: who held the run before is gone, if it is no process that lives. */
	ag_status st = ag_store_take_over(w->store, &job->run, ag_clock_wall(ctx->clock), err);

	if (st)
		return st;
	st = ag_store_find_run(w->store, ag_id_str(&job->run), arena, &row, err);
	if (!st && ag_str_eqc(row.status, "ok"))
		return take_finished(&row, arena, ret);
	if (!st)
		st = ag_store_events(w->store, &job->run, 0, arena, &events, &nevent, err);
	if (st && st != AG_NOT_FOUND)
		return st;
	if (!nevent) /* the first attempt, or one that died while it read */
		st = begin_run(w, ctx, job, of, arena, &result, err);
	else
		st = go_on(w, ctx, &row, of, arena, &result, err);
	/* Its data is another one now: what was found so far says nothing of it. */
	if (st == AG_CONFLICT && strcmp(err->origin, "audit.resume") == 0) {
		job->run = ag_id_new(ctx->clock);
		st = ag_store_rerun_job(w->store, job, &job->run, err);
		if (!st)
			st = begin_run(w, ctx, job, of, arena, &result, err);
	}
	if (st)
		return st;
	result_of(&result, arena, ret);
	return ret->st;
}

void ag_worker_folder_release(ag_worker_folder *f)
{
	ag_neighbours_free(f->neighbours);
	ag_arena_free(f->arena);
	*f = (ag_worker_folder){ 0 };
}

/* The collections beside the one that is audited. Those of the last job again, if nothing has changed there. */
static ag_neighbours *neighbours_of(ag_worker *w, const ag_ctx *ctx, ag_str uri)
{
	ag_worker_folder *f = &w->folder;
	ag_arena *arena = ag_arena_new();
	ag_source_place *places = NULL;
	ag_err ignored;
	size_t n = 0;

	if (ag_source_list(ctx, uri, arena, &places, &n, &ignored))
		n = 0;
	if (f->neighbours && ag_str_eq(f->uri, uri) &&
	    ag_neighbours_fit(f->neighbours, places, n)) {
		ag_arena_free(arena);
		return f->neighbours;
	}
	ag_worker_folder_release(f);
	*f = (ag_worker_folder){ .arena = arena, .uri = ag_str_dup(arena, uri) };
	if (n > 1)
		f->neighbours = ag_neighbours_new(places, n);
	return f->neighbours;
}

static ag_status run_audit(ag_worker *w, const ag_ctx *ctx, ag_job *job, ag_arena *arena,
                           ag_job_outcome *ret)
{
	ag_source_place *places;
	target of;
	payload p;
	ag_str uri = { 0 };
	size_t n;
	ag_status st = read_payload(job->payload, arena, &p, &ret->err);

	if (!st && p.all)
		return become_projects(w, job, arena, ret);
	if (!st)
		st = find_uri(w, &p, arena, &uri, &ret->err);
	if (!st)
		st = ag_source_list(ctx, uri, arena, &places, &n, &ret->err);
	if (!st)
		st = keep_named(&p, places, &n, &ret->err);
	if (st)
		return st;
	/* Of a schedule a job has no target yet, by which the jobs of a server are limited. */
	if (n > 1 || (!job->target.len && target_of(uri, arena).len))
		return become_places(job, &p, uri, places, n, arena, ret);
	of = (target){ &places[0], neighbours_of(w, ctx, uri) };
	st = run_place(w, ctx, job, &of, arena, ret);
	ag_neighbours_log_unread(of.neighbours);
	return st;
}

static void run(ag_worker *w, const ag_ctx *ctx, ag_job *job, ag_arena *arena, ag_job_outcome *ret)
{
	*ret = (ag_job_outcome){ 0 };
	ret->st = run_audit(w, ctx, job, arena, ret);
}

const ag_job_kind ag_job_audit = {
	.name = "audit",
	.help = "a project, PROJECT/COLLECTION (* and ? stand for others), a path, or mongodb://host/database",
	.make = make,
	.shown = shown,
	.run = run,
};
