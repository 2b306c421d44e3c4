/* recipe_run -- see the header. */
#include "knowledge/recipe_run.h"

#include <stdlib.h>

#include "base/time.h"
#include "base/utf8.h"
#include "query/extjson.h"

#define ORIGIN "knowledge.recipe_run"

static const char *const states[AG_RECIPE_NSTATE] = { "pending", "running", "completed", "failed",
	                                              "cancelled" };

const char *ag_recipe_state_name(ag_recipe_state s)
{
	return states[s];
}

ag_str ag_recipe_run_key(const ag_id *thread, ag_arena *arena)
{
	return ag_know_key(ag_id_str(thread), arena);
}

/* --- making --- */

static ag_status make_step(const ag_recipe *r, size_t i, const ag_val *values, ag_arena *arena,
                           ag_recipe_step_run *ret, ag_err *err)
{
	size_t n;
	ag_status st = ag_recipe_prompt(r, r->steps[i].prompt, values, arena, &ret->prompt, err);

	if (!st && r->steps[i].sql.len)
		st = ag_recipe_sql(r, r->steps[i].sql, values, arena, &ret->sql, err);
	if (st)
		return st;
	n = ag_utf8_count(ret->prompt);
	if (n > AG_RECIPE_MAX_PROMPT)
		return ag_fail(
			err, AG_INVALID, ORIGIN,
			"step %zu: with its values the question has %zu characters, at most %u "
			"are taken",
			i + 1, n, AG_RECIPE_MAX_PROMPT);
	return AG_OK;
}

ag_status ag_recipe_run_make(const ag_know *recipe, const ag_val *values, const ag_id *thread,
                             ag_str user, int64_t now_ms, ag_arena *arena, ag_recipe_run *ret,
                             ag_err *err)
{
	ag_recipe_run r = { .key = ag_recipe_run_key(thread, arena),
		            .name = recipe->name,
		            .user = user,
		            .thread = *thread,
		            .definition = recipe->body,
		            .started_ms = now_ms };
	ag_recipe of;
	ag_status st;

	ag_recipe_read(&recipe->body, arena, &of);
	st = ag_recipe_values(&of, values, arena, &r.values, err);
	if (st)
		return st;
	r.nstep = of.nstep;
	r.steps = ag_new_n(arena, ag_recipe_step_run, of.nstep + 1);
	for (size_t i = 0; i < of.nstep && !st; i++)
		st = make_step(&of, i, &r.values, arena, &r.steps[i], err);
	if (!st)
		*ret = r;
	return st;
}

/* --- as JSON --- */

static void write_names(ag_jw *w, const char *key, const ag_str *list, size_t n)
{
	ag_jw_kkey(w, key);
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++)
		ag_jw_str(w, list[i]);
	ag_jw_arr_end(w);
}

static void write_step(const ag_recipe_step_run *s, size_t i, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kuint(w, "step_order", i + 1);
	ag_jw_kstr(w, "prompt", s->prompt);
	ag_jw_kstr(w, "sql", s->sql);
	ag_jw_kstr(w, "status", ag_str_c(states[s->state]));
	ag_jw_kstr(w, "turn", s->turn);
	ag_jw_kstr(w, "response", s->response);
	write_names(w, "tools_used", s->tools, s->ntool);
	write_names(w, "artifacts_created", s->artifacts, s->nartifact);
	ag_jw_kbool(w, "success", s->state == AG_RECIPE_COMPLETED);
	ag_jw_kstr(w, "error", s->error);
	ag_jw_kstr(w, "warning", s->warning);
	ag_jw_ktime_or_null(w, "started_at", s->started_ms);
	ag_jw_ktime_or_null(w, "completed_at", s->ended_ms);
	ag_jw_obj_end(w);
}

/* Members of an open object. */
static void write_row(const ag_recipe_run *r, ag_arena *arena, ag_jw *w)
{
	ag_jw_kstr(w, "run", r->key);
	ag_jw_kstr(w, "recipe", r->name);
	ag_jw_kstr(w, "thread", ag_id_str(&r->thread));
	ag_jw_kstr(w, "user", r->user);
	ag_jw_kstr(w, "status", ag_str_c(states[r->state]));
	ag_jw_kstr(w, "error", r->error);
	ag_jw_ktime_or_null(w, "started_at", r->started_ms);
	ag_jw_ktime_or_null(w, "ended_at", r->ended_ms);
	if (r->ended_ms)
		ag_jw_kint(w, "duration_ms", r->ended_ms - r->started_ms);
	ag_jw_kraw(w, "values", ag_extjson_str(arena, &r->values, AG_EXTJSON_RELAXED));
}

void ag_recipe_run_row_json(const ag_recipe_run *r, ag_arena *arena, ag_jw *w)
{
	ag_jw_obj(w);
	write_row(r, arena, w);
	ag_jw_obj_end(w);
}

void ag_recipe_run_json(const ag_recipe_run *r, bool with_definition, ag_arena *arena, ag_jw *w)
{
	ag_jw_obj(w);
	write_row(r, arena, w);
	if (with_definition) {
		ag_jw_kraw(w, "definition",
		           ag_extjson_str(arena, &r->definition, AG_EXTJSON_RELAXED));
		write_names(w, "turns", r->turns, r->nturn);
	}
	ag_jw_kkey(w, "steps");
	ag_jw_arr(w);
	for (size_t i = 0; i < r->nstep; i++)
		write_step(&r->steps[i], i, w);
	ag_jw_arr_end(w);
	ag_jw_obj_end(w);
}

/* --- reading --- */

static ag_recipe_state state_of(const ag_val *v)
{
	const ag_str name = ag_val_member_str(v, "status");

	for (int i = 0; i < AG_RECIPE_NSTATE; i++) {
		if (ag_str_eqc(name, states[i]))
			return (ag_recipe_state)i;
	}
	return AG_RECIPE_FAILED;
}

static int64_t time_of(const ag_val *v, const char *key)
{
	int64_t ms = 0;

	return ag_time_parse_iso(ag_val_member_str(v, key), &ms) ? ms : 0;
}

static size_t names_of(const ag_val *v, const char *key, ag_str *ret, size_t max)
{
	const ag_val *list = ag_val_getc(v, key);
	size_t n = 0;

	for (uint32_t i = 0; list && list->type == AG_T_ARRAY && i < list->n && n < max; i++) {
		if (list->u.items[i].type == AG_T_STRING)
			ret[n++] = ag_val_text(&list->u.items[i]);
	}
	return n;
}

static void read_step(const ag_val *v, ag_recipe_step_run *ret)
{
	*ret = (ag_recipe_step_run){ .prompt = ag_val_member_str(v, "prompt"),
		                     .sql = ag_val_member_str(v, "sql"),
		                     .state = state_of(v),
		                     .turn = ag_val_member_str(v, "turn"),
		                     .response = ag_val_member_str(v, "response"),
		                     .error = ag_val_member_str(v, "error"),
		                     .warning = ag_val_member_str(v, "warning"),
		                     .started_ms = time_of(v, "started_at"),
		                     .ended_ms = time_of(v, "completed_at") };
	ret->ntool = names_of(v, "tools_used", ret->tools, AG_RECIPE_MAX_TOOLS);
	ret->nartifact = names_of(v, "artifacts_created", ret->artifacts, AG_RECIPE_MAX_ARTIFACTS);
}

static ag_status of_row(const ag_object_row *row, ag_arena *arena, ag_recipe_run *ret, ag_err *err)
{
	const ag_extjson_opts opts = { .max_depth = 12 };
	const ag_val *steps, *definition, *values, *turns;
	ag_recipe_run r = {
		.key = row->key, .name = row->name, .user = row->author, .version = row->version
	};
	ag_val v;

	if (ag_extjson_parse(row->body, &opts, arena, &v, NULL, NULL, NULL))
		v = ag_val_null();
	steps = ag_val_getc(&v, "steps");
	definition = ag_val_getc(&v, "definition");
	values = ag_val_getc(&v, "values");
	if (!steps || steps->type != AG_T_ARRAY || !definition || !values ||
	    definition->type != AG_T_OBJECT || values->type != AG_T_OBJECT ||
	    !ag_id_parse(ag_val_member_str(&v, "thread"), &r.thread))
		return ag_fail(err, AG_INVALID, ORIGIN, "run %.8s cannot be read",
		               ag_str_cstr(arena, row->key));
	r.state = state_of(&v);
	r.error = ag_val_member_str(&v, "error");
	r.definition = *definition;
	r.values = *values;
	r.started_ms = time_of(&v, "started_at");
	r.ended_ms = time_of(&v, "ended_at");
	r.nstep = steps->n;
	r.steps = ag_new_n(arena, ag_recipe_step_run, r.nstep + 1);
	for (uint32_t i = 0; i < steps->n; i++)
		read_step(&steps->u.items[i], &r.steps[i]);
	turns = ag_val_getc(&v, "turns");
	r.turns = ag_new_n(arena, ag_str, (turns && turns->type == AG_T_ARRAY ? turns->n : 0) + 1);
	r.nturn = names_of(&v, "turns", r.turns, turns ? turns->n : 0);
	*ret = r;
	return AG_OK;
}

/* --- the store --- */

ag_status ag_recipe_run_put(ag_store *s, ag_str project, ag_recipe_run *r, int64_t now_ms,
                            ag_arena *arena, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(AG_OBJECT_MAX_BODY);
	ag_object_row row = { .project = project,
		              .kind = AG_S(AG_RECIPE_RUN_KIND),
		              .key = r->key,
		              .name = r->name,
		              .status = ag_str_c(states[r->state]),
		              .author = r->user,
		              .version = r->version,
		              .created_ms = r->started_ms,
		              .changed_ms = now_ms };
	ag_status st;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_recipe_run_json(r, true, arena, &w);
	if (out.failed)
		return ag_fail(err, AG_LIMIT, ORIGIN, "the run of \"%.*s\" is larger than %u bytes",
		               AG_FMT(ag_utf8_prefix(r->name, 60)), AG_OBJECT_MAX_BODY);
	row.body = ag_buf_view(&out);
	st = ag_store_put_objects(s, &row, 1, err);
	if (!st)
		r->version++;
	return st;
}

ag_status ag_recipe_run_get(ag_store *s, ag_str project, ag_str key, ag_arena *arena,
                            ag_recipe_run *ret, ag_err *err)
{
	ag_object_row row;
	ag_status st = ag_store_object(s, project, AG_S(AG_RECIPE_RUN_KIND), key, arena, &row, err);

	if (st == AG_NOT_FOUND) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no run \"%.*s\" of a recipe",
		        AG_FMT(ag_utf8_prefix(key, 60)));
		ag_err_hint(err, "`argus recipe runs` lists them");
		return AG_NOT_FOUND;
	}
	return st ? st : of_row(&row, arena, ret, err);
}

static int newest_first(const void *a, const void *b)
{
	const ag_recipe_run *x = a, *y = b;

	if (x->started_ms != y->started_ms)
		return x->started_ms < y->started_ms ? 1 : -1;
	return ag_str_cmp(ag_id_str(&y->thread), ag_id_str(&x->thread));
}

ag_status ag_recipe_run_list(ag_store *s, ag_str project, ag_str name, ag_arena *arena,
                             ag_recipe_run **ret, size_t *nret, ag_err *err)
{
	ag_object_row *rows;
	size_t n;
	ag_status st = ag_store_objects(s, project, AG_S(AG_RECIPE_RUN_KIND), arena, &rows, &n,
	                                err);

	if (st)
		return st;
	*ret = ag_new_n(arena, ag_recipe_run, n + 1);
	*nret = 0;
	for (size_t i = 0; i < n; i++) {
		if ((!name.len || ag_str_eq(rows[i].name, name)) &&
		    !of_row(&rows[i], arena, &(*ret)[*nret], NULL))
			++*nret;
	}
	if (*nret)
		qsort(*ret, *nret, sizeof(**ret), newest_first);
	return AG_OK;
}

ag_status ag_recipe_run_trim(ag_store *s, ag_str project, ag_str name, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_recipe_run *list;
	size_t n;
	ag_status st = ag_recipe_run_list(s, project, name, arena, &list, &n, err);

	for (size_t i = AG_RECIPE_MAX_RUNS; !st && i < n; i++) {
		if (list[i].state <= AG_RECIPE_RUNNING)
			continue;
		st = ag_store_drop_object(s, project, AG_S(AG_RECIPE_RUN_KIND), list[i].key, err);
		if (st == AG_NOT_FOUND) /* another process did the same */
			st = AG_OK;
	}
	return st;
}

/* --- what people do --- */

ag_status ag_recipe_in_use(const ag_know_place *p, ag_str name, ag_arena *arena, ag_know *ret,
                           ag_err *err)
{
	const ag_status st = ag_know_get(p, AG_KNOW_RECIPE, name, arena, ret, err);

	if (st || ret->status == AG_KNOW_ACTIVE)
		return st;
	return ag_fail(err, AG_INVALID, ORIGIN,
	               "the recipe \"%.*s\" is not in use: its status is %s",
	               AG_FMT(ag_utf8_prefix(ret->name, 60)), ag_know_status_name(ret->status));
}

typedef struct run_query {
	const ag_know_place *place;
	ag_arena *arena;
	ag_str name, key;
	ag_recipe_run *list;
	size_t n;
} run_query;

static ag_status query_runs(ag_store *s, void *arg, ag_err *err)
{
	run_query *q = arg;
	const ag_str project = q->place->project->id;
	const bool sees_all = ag_caller_role(q->place->who, project) >= AG_ROLE_ADMIN;
	size_t n = 1;
	ag_status st;

	q->n = 0;
	if (q->key.len) {
		q->list = ag_new(q->arena, ag_recipe_run);
		st = ag_recipe_run_get(s, project, q->key, q->arena, q->list, err);
	} else {
		st = ag_recipe_run_list(s, project, q->name, q->arena, &q->list, &n, err);
	}
	for (size_t i = 0; i < n && !st; i++) {
		if (sees_all || ag_str_eq(q->list[i].user, q->place->who->user))
			q->list[q->n++] = q->list[i];
	}
	if (st || q->n || !q->key.len)
		return st;
	return ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no run \"%.*s\" of a recipe",
	               AG_FMT(ag_utf8_prefix(q->key, 60)));
}

ag_status ag_recipe_runs_seen(const ag_know_place *p, ag_str name, ag_str key, ag_arena *arena,
                              ag_recipe_run **ret, size_t *nret, ag_err *err)
{
	run_query q = { .place = p, .arena = arena, .name = name, .key = key };
	const ag_status st = ag_know_governed(p, "list_recipe_runs", AG_ROLE_VIEWER,
	                                      key.len ? key : name, query_runs, &q, arena, err);

	*ret = q.list;
	*nret = q.n;
	return st;
}

ag_status ag_recipe_run_check_resume(const ag_recipe_run *r, ag_str user, ag_err *err)
{
	if (!ag_str_eq(r->user, user))
		return ag_fail(err, AG_DENIED, ORIGIN, "run %.8s is another user's", r->key.ptr);
	if (r->state == AG_RECIPE_COMPLETED)
		return ag_fail(err, AG_INVALID, ORIGIN, "run %.8s is complete", r->key.ptr);
	return AG_OK;
}
