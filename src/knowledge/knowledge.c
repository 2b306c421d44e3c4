/* knowledge -- see the header. Read governed(): every function is one of its calls. */
#include "knowledge/knowledge.h"

#include "base/utf8.h"
#include "knowledge/find.h"
#include "knowledge/recipe_explain.h"
#include "knowledge/set.h"
#include "query/extjson.h"

#define ORIGIN    "knowledge"
#define SHOWN     60u
#define MAX_TRIES 5

typedef struct act act;

/* What a call does: before() with the database, then work() with the store. */
typedef struct act_type {
	const char *tool; /* in the audit table */
	ag_role least;
	ag_status (*before)(act *a, ag_err *err); /* NULL = nothing */
	ag_status (*work)(ag_store *s, act *a, ag_err *err);
} act_type;

struct act {
	const ag_know_place *place;
	ag_arena *arena;
	ag_project_call call;
	ag_know_kind kind;
	ag_str text; /* a query, a reason */
	const ag_know *objects;
	size_t n, limit;
	ag_know_put_mode mode;
	bool is_yes; /* checks_sql, is_right */
	const ag_know_lesson *lesson;
	ag_know *list;
	size_t nlist;
	ag_know_counts counts;
	ag_know_learnt *learnt;
	ag_know one;
	ag_status (*other)(ag_store *s, void *arg, ag_err *err);
	void *other_arg;
	const act_type *type;
};

static ag_status run_work(ag_store *s, void *arg, ag_err *err)
{
	act *a = arg;

	return a->type->work(s, a, err);
}

/* text: for the audit row. */
static ag_status governed(act *a, const act_type *type, ag_role least, ag_str text, ag_err *err)
{
	ag_sql_failure f = { 0 };
	ag_status st = AG_OK;

	a->type = type;
	a->call = (ag_project_call){ .who = a->place->who,
		                     .project = a->place->project,
		                     .tool = ag_str_c(type->tool),
		                     .session = AG_S(""),
		                     .watch_fd = -1 };
	if (!ag_project_begin(a->place->hub, &a->call, least > type->least ? least : type->least,
	                      "sql", text, a->arena, &f))
		return ag_sql_failure_err(&f, ORIGIN, err);
	if (type->before)
		st = type->before(a, err);
	if (!st)
		st = ag_project_with_store(a->place->hub, run_work, a, err);
	if (!ag_project_end(a->place->hub, &a->call, st ? "VALIDATION_ERROR" : "ok", 0, a->arena,
	                    &f) &&
	    !st)
		st = ag_sql_failure_err(&f, ORIGIN, err);
	return st;
}

/* --- list and get --- */

static ag_str kind_name(ag_know_kind kind)
{
	return kind < AG_KNOW_NKIND ? ag_str_c(ag_know_types[kind].name) : AG_S("");
}

bool ag_know_is_visible(const ag_know *o, const ag_caller *who, ag_str project)
{
	return o->kind != AG_KNOW_RECIPE || ag_val_member_bool(&o->body, "is_shared") ||
	       ag_str_eq(o->author, who->user) || ag_caller_role(who, project) >= AG_ROLE_ADMIN;
}

static ag_status list_all(ag_store *s, act *a, ag_err *err)
{
	ag_object_row *rows;
	size_t n;
	ag_status st = ag_know_rows(s, a->place->project->id, a->kind, a->arena, &rows, &n, err);

	if (st)
		return st;
	a->list = ag_new_n(a->arena, ag_know, n + 1);
	for (size_t i = 0; i < n; i++) {
		if (!ag_know_of_row(&rows[i], a->arena, &a->list[a->nlist], NULL) &&
		    ag_know_is_visible(&a->list[a->nlist], a->place->who, a->place->project->id))
			a->nlist++;
	}
	return AG_OK;
}

static const act_type list_act = { .tool = "list_knowledge",
	                           .least = AG_ROLE_VIEWER,
	                           .work = list_all };

ag_status ag_know_list(const ag_know_place *p, ag_know_kind kind, ag_arena *arena, ag_know **ret,
                       size_t *nret, ag_err *err)
{
	act a = { .place = p, .arena = arena, .kind = kind };
	ag_status st = governed(&a, &list_act, AG_ROLE_VIEWER, kind_name(kind), err);

	if (st)
		return st;
	*ret = a.list;
	*nret = a.nlist;
	return AG_OK;
}

static bool has_prefix(const ag_know *o, ag_str prefix)
{
	return prefix.len >= 4 && ag_str_starts(o->key, prefix);
}

static ag_status unknown(const ag_know *list, size_t n, ag_know_kind kind, ag_str name, ag_err *err)
{
	const char *near = NULL;
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const char **names = ag_new_n(arena, const char *, n + 1);

	for (size_t i = 0; i < n; i++)
		names[i] = ag_str_cstr(arena, ag_utf8_prefix(list[i].name, 60));
	near = ag_str_nearest(name, names, n);
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no %s \"%.*s\"", ag_know_types[kind].name,
	        AG_FMT(ag_utf8_prefix(name, SHOWN)));
	if (near)
		ag_err_hint(err, "did you mean \"%s\"?", near);
	return AG_NOT_FOUND;
}

ag_status ag_know_get(const ag_know_place *p, ag_know_kind kind, ag_str name, ag_arena *arena,
                      ag_know *ret, ag_err *err)
{
	const ag_str key = ag_know_key(name, arena);
	const ag_know *found = NULL;
	ag_know *list;
	size_t n = 0;
	ag_status st = ag_know_list(p, kind, arena, &list, &n, err);

	for (size_t i = 0; i < n && !st && !found; i++)
		found = ag_str_eq(list[i].key, key) ? &list[i] : NULL;
	for (size_t i = 0; i < n && !st && !ag_str_eq(found ? found->key : AG_S(""), key); i++) {
		if (!has_prefix(&list[i], name))
			continue;
		if (found) {
			ag_fail(err, AG_INVALID, ORIGIN, "\"%.*s\" fits several",
			        AG_FMT(ag_utf8_prefix(name, SHOWN)));
			return ag_err_hint(err, "give more digits");
		}
		found = &list[i];
	}
	if (st)
		return st;
	if (!found)
		return unknown(list, n, kind, name, err);
	*ret = *found;
	return AG_OK;
}

/* --- put --- */

static ag_status explain(act *a, ag_str sql, ag_str *ret_why, ag_err *err)
{
	const ag_sql_request rq = { .sql = sql, .watch_fd = -1 };
	ag_sql_result r;
	ag_status st = ag_project_explain(a->place->hub, a->place->ctx, &a->call, &rq, a->arena, &r,
	                                  err);

	*ret_why = AG_S("");
	if (st)
		return st;
	if (!r.is_ok)
		*ret_why = ag_str_dup(a->arena, r.failure.message);
	ag_sql_result_release(&r);
	return AG_OK;
}

static ag_status explain_metric(act *a, const ag_know *o, ag_err *err)
{
	ag_str why;
	const ag_status st = explain(a, ag_know_text(o, "sql"), &why, err);

	if (st || !why.len)
		return st;
	return ag_fail(err, AG_INVALID, ORIGIN, "metric \"%.*s\": sql: %.*s",
	               AG_FMT(ag_utf8_prefix(o->name, SHOWN)), AG_FMT(ag_utf8_prefix(why, 250)));
}

static ag_status explain_recipe(act *a, const ag_know *o, ag_err *err)
{
	size_t step;
	ag_str why;
	const ag_status st = ag_recipe_explain(a->place->hub, a->place->ctx, &a->call, o, a->arena,
	                                       &step, &why, err);

	if (st || !why.len)
		return st;
	return ag_fail(err, AG_INVALID, ORIGIN, "recipe \"%.*s\": step %zu: sql: %.*s",
	               AG_FMT(ag_utf8_prefix(o->name, SHOWN)), step,
	               AG_FMT(ag_utf8_prefix(why, 250)));
}

static ag_status explain_all(act *a, ag_err *err)
{
	ag_status st = AG_OK;

	for (size_t i = 0; i < a->n && a->is_yes && !st; i++) {
		if (a->objects[i].kind == AG_KNOW_METRIC)
			st = explain_metric(a, &a->objects[i], err);
		else if (a->objects[i].kind == AG_KNOW_RECIPE)
			st = explain_recipe(a, &a->objects[i], err);
	}
	return st;
}

static bool is_same(const ag_object_row *a, const ag_object_row *b)
{
	return ag_str_eq(a->name, b->name) && ag_str_eq(a->status, b->status) &&
	       ag_str_eq(a->author, b->author) && ag_str_eq(a->body, b->body) &&
	       a->confidence == b->confidence && a->uses == b->uses &&
	       a->created_ms == b->created_ms && a->changed_ms == b->changed_ms &&
	       a->used_ms == b->used_ms;
}

/* What somebody keeps for himself is not overwritten by others, who do not see it. */
static bool may_change(const act *a, const ag_object_row *old)
{
	ag_know o;

	return ag_know_of_row(old, a->arena, &o, NULL) ||
	       ag_know_is_visible(&o, a->place->who, a->place->project->id);
}

/* Makes the row of one object; *ret_write: it is not what is stored already. */
static ag_status put_one(ag_store *s, act *a, const ag_know *o, ag_object_row *row, bool *ret_write,
                         ag_err *err)
{
	ag_object_row old;
	ag_know now = *o;
	ag_status st = ag_store_object(s, a->place->project->id, kind_name(o->kind), o->key,
	                               a->arena, &old, err);

	*ret_write = true;
	if (st && st != AG_NOT_FOUND)
		return st;
	if (st == AG_NOT_FOUND && a->mode == AG_KNOW_REPLACE)
		return st;
	if (!st && !may_change(a, &old)) {
		ag_fail(err, AG_CONFLICT, ORIGIN, "another user has a recipe \"%.*s\"",
		        AG_FMT(ag_utf8_prefix(old.name, SHOWN)));
		ag_err_hint(err, "choose another name");
		return AG_CONFLICT;
	}
	if (!st && a->mode == AG_KNOW_ADD) {
		ag_fail(err, AG_CONFLICT, ORIGIN, "the %s \"%.*s\" exists already",
		        ag_know_types[o->kind].name, AG_FMT(ag_utf8_prefix(old.name, SHOWN)));
		ag_err_hint(err, "argus knowledge edit changes it");
		return AG_CONFLICT;
	}
	if (!st) {
		now.version = old.version;
		if (a->mode == AG_KNOW_REPLACE) {
			now.created_ms = old.created_ms;
			now.uses = old.uses;
			now.used_ms = old.used_ms;
		}
	}
	*row = ag_know_row(&now, a->place->project->id, a->arena);
	*ret_write = st || !is_same(row, &old);
	a->counts.nadded += st != AG_OK;
	a->counts.nchanged += !st && *ret_write;
	a->counts.nsame += !*ret_write;
	return AG_OK;
}

static ag_status put_all(ag_store *s, act *a, ag_err *err)
{
	ag_object_row *rows = ag_new_n(a->arena, ag_object_row, a->n + 1);
	ag_status st = AG_CONFLICT;

	for (int k = 0; k < MAX_TRIES && st == AG_CONFLICT; k++) {
		size_t n = 0;

		a->counts = (ag_know_counts){ 0 };
		st = AG_OK;
		for (size_t i = 0; i < a->n && !st; i++) {
			bool is_new = false;

			st = put_one(s, a, &a->objects[i], &rows[n], &is_new, err);
			n += is_new;
		}
		if (st)
			return st;
		st = ag_store_put_objects(s, rows, n, err);
	}
	return st;
}

static const act_type put_act = {
	.tool = "save_knowledge", .least = AG_ROLE_ANALYST, .before = explain_all, .work = put_all
};

ag_status ag_know_put(const ag_know_place *p, const ag_know *objects, size_t n,
                      ag_know_put_mode mode, bool checks_sql, ag_arena *arena, ag_know_counts *ret,
                      ag_err *err)
{
	act a = { .place = p,
		  .arena = arena,
		  .objects = objects,
		  .n = n,
		  .mode = mode,
		  .is_yes = checks_sql };
	ag_role least = AG_ROLE_ANALYST;
	ag_status st;

	*ret = (ag_know_counts){ 0 };
	for (size_t i = 0; i < n; i++) {
		const ag_role needs = ag_know_types[objects[i].kind].least;

		least = needs > least ? needs : least;
	}
	st = governed(&a, &put_act, least,
	              n == 1 ? ag_str_printf(arena, "%s %.*s", ag_know_types[objects[0].kind].name,
	                                     AG_FMT(objects[0].name))
	                     : ag_str_printf(arena, "%zu objects", n),
	              err);
	if (!st)
		*ret = a.counts;
	return st;
}

static ag_status drop(ag_store *s, act *a, ag_err *err)
{
	return ag_store_drop_object(s, a->place->project->id, kind_name(a->objects->kind),
	                            a->objects->key, err);
}

static const act_type remove_act = { .tool = "remove_knowledge",
	                             .least = AG_ROLE_ANALYST,
	                             .work = drop };

ag_status ag_know_remove(const ag_know_place *p, const ag_know *o, ag_arena *arena, ag_err *err)
{
	act a = { .place = p, .arena = arena, .objects = o, .n = 1 };

	return governed(
		&a, &remove_act, ag_know_types[o->kind].removes,
		ag_str_printf(arena, "%s %.*s", ag_know_types[o->kind].name, AG_FMT(o->name)), err);
}

/* --- search --- */

static ag_status search(ag_store *s, act *a, ag_err *err)
{
	return ag_know_search(s, a->place->project->id, a->text, a->limit, a->arena, &a->list,
	                      &a->nlist, err);
}

static const act_type search_act = { .tool = "search_knowledge",
	                             .least = AG_ROLE_VIEWER,
	                             .work = search };

ag_status ag_know_find_text(const ag_know_place *p, ag_str query, size_t limit, ag_arena *arena,
                            ag_know **ret, size_t *nret, ag_err *err)
{
	act a = { .place = p, .arena = arena, .text = query, .limit = limit };
	ag_status st = governed(&a, &search_act, AG_ROLE_VIEWER, query, err);

	if (st)
		return st;
	*ret = a.list;
	*nret = a.nlist;
	return AG_OK;
}

/* --- learnings --- */

static ag_status learn(ag_store *s, act *a, ag_err *err)
{
	return ag_know_learn(s, a->place->project->id, a->lesson, a->arena, a->learnt, err);
}

static const act_type learn_act = { .tool = "save_learning",
	                            .least = AG_ROLE_ANALYST,
	                            .work = learn };

ag_status ag_know_save_lesson(const ag_know_place *p, const ag_know_lesson *l, ag_arena *arena,
                              ag_know_learnt *ret, ag_err *err)
{
	act a = { .place = p, .arena = arena, .lesson = l, .learnt = ret };

	return governed(&a, &learn_act, AG_ROLE_ANALYST, l->description, err);
}

static ag_status judge(ag_store *s, act *a, ag_err *err)
{
	const ag_str project = a->place->project->id;
	const int64_t now = ag_clock_wall(a->place->ctx->clock);

	if (a->is_yes)
		return ag_know_review(s, project, a->objects->key, now, a->arena, &a->one, err);
	return ag_know_contradict(s, project, a->objects->key, a->text, now, a->arena, &a->one,
	                          err);
}

static const act_type judge_act = { .tool = "review_learning",
	                            .least = AG_ROLE_ANALYST,
	                            .work = judge };

ag_status ag_know_judge(const ag_know_place *p, const ag_know *learning, bool is_right, ag_str why,
                        ag_arena *arena, ag_know *ret, ag_err *err)
{
	act a = { .place = p,
		  .arena = arena,
		  .objects = learning,
		  .n = 1,
		  .is_yes = is_right,
		  .text = why };
	ag_status st = governed(&a, &judge_act, AG_ROLE_ANALYST, learning->name, err);

	if (!st)
		*ret = a.one;
	return st;
}

/* --- of others --- */

static ag_status other_work(ag_store *s, act *a, ag_err *err)
{
	return a->other(s, a->other_arg, err);
}

ag_status ag_know_governed(const ag_know_place *p, const char *tool, ag_role least, ag_str text,
                           ag_status (*work)(ag_store *s, void *arg, ag_err *err), void *arg,
                           ag_arena *arena, ag_err *err)
{
	const act_type type = { .tool = tool, .least = least, .work = other_work };
	act a = { .place = p, .arena = arena, .other = work, .other_arg = arg };

	return governed(&a, &type, least, text, err);
}

/* --- metrics --- */

static ag_status check_one(act *a, ag_err *err)
{
	return explain(a, ag_know_text(a->objects, "sql"), &a->text, err);
}

static ag_status nothing(ag_store *s, act *a, ag_err *err)
{
	(void)s, (void)a, (void)err;
	return AG_OK;
}

static const act_type check_act = {
	.tool = "explain_query", .least = AG_ROLE_VIEWER, .before = check_one, .work = nothing
};

ag_status ag_know_check_metric(const ag_know_place *p, const ag_know *metric, ag_arena *arena,
                               ag_str *ret, ag_err *err)
{
	act a = { .place = p, .arena = arena, .objects = metric, .n = 1 };
	ag_status st = governed(&a, &check_act, AG_ROLE_VIEWER, ag_know_text(metric, "sql"), err);

	if (!st)
		*ret = a.text;
	return st;
}

void ag_know_show_json(const ag_know *o, int64_t now_ms, ag_arena *arena, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "kind", ag_str_c(ag_know_types[o->kind].name));
	ag_jw_kstr(w, "id", o->key);
	ag_jw_kstr(w, "name", o->name);
	ag_jw_kstr(w, "status", ag_str_c(ag_know_status_name(o->status)));
	ag_jw_kraw(w, "fields", ag_extjson_str(arena, &o->body, AG_EXTJSON_RELAXED));
	ag_jw_kdouble(w, "confidence", o->confidence);
	ag_jw_kdouble(w, "confidence_now", ag_know_confidence(o, now_ms));
	ag_jw_kuint(w, "uses", o->uses);
	ag_jw_kuint(w, "version", o->version);
	ag_jw_kstr(w, "author", o->author);
	ag_jw_ktime(w, "created_at", o->created_ms);
	ag_jw_ktime(w, "changed_at", o->changed_ms);
	ag_jw_ktime_or_null(w, "used_at", o->used_ms);
	ag_jw_obj_end(w);
}
