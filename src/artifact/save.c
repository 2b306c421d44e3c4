/* save -- a draft becomes an artifact, or one more version of one. Read ag_artifact_save(). */
#include "artifact/draft.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "query/extjson.h"

#define ORIGIN    "artifact"
#define MAX_TRIES 5
#define SHOWN     250u

/* What one call of ag_artifact_save() knows. */
typedef struct saving {
	const ag_artifact_saver *s;
	const ag_artifact_draft *d;
	ag_arena *arena;
	ag_artifact_saved *ret;
	ag_artifact old; /* of an update */
	ag_str data, queries;
} saving;

static ag_status with_store(saving *x, ag_status (*work)(ag_store *s, void *arg, ag_err *err),
                            ag_err *err)
{
	return ag_project_with_store(x->s->hub, work, x, err);
}

static ag_str project_of(const saving *x)
{
	return x->s->call->project->id;
}

/* --- checks --- */

static ag_status check_new(saving *x, ag_artifact_kind *ret_kind, ag_err *err)
{
	const ag_artifact_draft *d = x->d;
	ag_status st = ag_artifact_check_kind(d->kind, ret_kind, err);

	if (!st)
		st = ag_artifact_check_code(d->code, err);
	if (!st)
		st = ag_artifact_check_title(d->title, err);
	return st;
}

static ag_status find_old(ag_store *s, void *arg, ag_err *err)
{
	saving *x = arg;
	ag_status st = ag_store_artifact(s, project_of(x), ag_str_trim(x->d->id), x->arena,
	                                 &x->old.row, err);

	if (!st && x->old.row.deleted_ms)
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN, "artifact %.18s is deleted",
		             x->old.row.id.ptr);
	if (!st)
		st = ag_store_artifact_version(s, project_of(x), x->old.row.id, 0, x->arena,
		                               &x->old.version, err);
	return st;
}

static ag_status check_update(saving *x, ag_artifact_kind *ret_kind, ag_err *err)
{
	const ag_artifact_draft *d = x->d;
	ag_status st = with_store(x, find_old, err);

	if (!st && !ag_artifact_kind_read(x->old.row.kind, ret_kind))
		st = ag_fail(err, AG_INVALID, ORIGIN, "artifact %.18s is of a newer Argus",
		             x->old.row.id.ptr);
	if (!st)
		st = ag_artifact_check_code(d->code, err);
	if (!st && d->title.len)
		st = ag_artifact_check_title(d->title, err);
	return st;
}

/* Null is the same as not there: models send it. */
static bool is_given(const ag_val *v)
{
	return v && v->type != AG_T_NULL && v->type != AG_T_MISSING;
}

static ag_status check_bodies(saving *x, ag_err *err)
{
	const ag_artifact_draft *d = x->d;
	ag_status st = ag_artifact_check_description(d->description, err);

	x->data = x->old.version.data;
	x->queries = x->old.version.queries;
	if (!st && is_given(d->data))
		st = ag_artifact_check_data(d->data, x->arena, &x->data, err);
	if (!st && is_given(d->queries))
		st = ag_artifact_check_queries(d->queries, x->arena, &x->queries, err);
	return st;
}

/* The guard and the database look at a query; it is not run. */
static ag_status judge_query(saving *x, const ag_artifact_source *q, ag_err *err)
{
	const ag_sql_request rq = { .sql = q->sql, .watch_fd = -1 };
	ag_sql_result r;
	ag_status st = ag_project_explain(x->s->hub, x->s->ctx, x->s->call, &rq, x->arena, &r, err);

	if (st)
		return st;
	if (!r.is_ok) {
		st = r.failure.code == AG_SQLCODE_CANCELLED  ? AG_CANCELLED
		     : ag_sql_code_retryable(r.failure.code) ? AG_UNAVAILABLE
		                                             : AG_INVALID;
		ag_fail(err, st, ORIGIN, "source_queries: \"%.*s\": %.*s", AG_FMT(q->name),
		        AG_FMT(ag_utf8_prefix(r.failure.message, SHOWN)));
		if (r.failure.hint.len)
			ag_err_hint(err, "%.*s", AG_FMT(ag_utf8_prefix(r.failure.hint, 180)));
	}
	ag_sql_result_release(&r);
	return st;
}

static ag_status judge_queries(saving *x, const ag_artifact *a, ag_err *err)
{
	ag_artifact_source *list;
	const size_t n = ag_artifact_sources(a, x->arena, &list);
	ag_status st = AG_OK;

	for (size_t i = 0; i < n && !st; i++)
		st = judge_query(x, &list[i], err);
	return st;
}

/* --- the new version --- */

static void make_version(const saving *x, ag_artifact_kind kind, ag_artifact *ret)
{
	const ag_artifact_draft *d = x->d;
	const int64_t now = ag_clock_wall(x->s->ctx->clock);
	const ag_id id = ag_id_new(x->s->ctx->clock);
	const ag_sha256_hex hash = ag_sha256(d->code);
	const bool is_new = !x->old.row.id.len;
	ag_artifact_version *v = &ret->version;

	*ret = (ag_artifact){ .kind = kind, .row = x->old.row };
	v->id = ag_str_dup(x->arena, ag_id_str(&id));
	v->title = d->title.len ? ag_str_trim(d->title) : x->old.row.title;
	v->description = d->description.len ? d->description : x->old.version.description;
	v->code = d->code;
	v->hash = ag_str_dup(x->arena, ag_str_c(hash.text));
	v->data = x->data;
	v->queries = x->queries;
	v->author = x->s->call->who->user;
	v->created_ms = now;
	v->artifact = is_new ? v->id : x->old.row.id;
	v->parent = x->old.version.id;
	v->version = is_new ? 1 : x->old.version.version + 1;
	if (is_new)
		ret->row = (ag_artifact_row){ .project = project_of(x),
			                      .id = v->id,
			                      .kind = ag_str_c(ag_artifact_kind_name(kind)),
			                      .thread = d->thread,
			                      .author = v->author,
			                      .created_ms = now };
	ret->row.title = v->title;
	ret->row.nversion = v->version;
	ret->row.changed_ms = now;
}

static bool is_same(const saving *x, const ag_artifact_version *v)
{
	const ag_artifact_version *old = &x->old.version;

	return old->id.len && ag_str_eq(v->hash, old->hash) && ag_str_eq(v->code, old->code) &&
	       ag_str_eq(v->title, x->old.row.title) && ag_str_eq(v->data, old->data) &&
	       ag_str_eq(v->queries, old->queries) && ag_str_eq(v->description, old->description);
}

static ag_status store_it(ag_store *s, void *arg, ag_err *err)
{
	const saving *x = arg;
	const ag_artifact *a = &x->ret->artifact;
	uint64_t npurged;

	AG_IGNORE(ag_store_purge_artifacts(s, a->row.changed_ms - AG_ARTIFACT_KEPT_MS, &npurged,
	                                   NULL),
	          "the next change does it");
	return a->version.version == 1
	               ? ag_store_add_artifact(s, &a->row, &a->version, err)
	               : ag_store_add_artifact_version(s, project_of(x), &a->version, err);
}

static ag_status try_to_save(saving *x, ag_err *err)
{
	ag_artifact *a = &x->ret->artifact;
	const ag_artifact_prover *p = x->s->prover;
	ag_artifact_kind kind = AG_ARTIFACT_REACT;
	ag_status st = x->d->id.len ? check_update(x, &kind, err) : check_new(x, &kind, err);

	if (!st)
		st = check_bodies(x, err);
	if (st)
		return st;
	make_version(x, kind, a);
	x->ret->previous = x->old.version.id;
	if (is_same(x, &a->version)) {
		*a = x->old;
		a->kind = kind;
		x->ret->is_same = true;
		return AG_OK;
	}
	if (is_given(x->d->queries))
		st = judge_queries(x, a, err);
	if (st)
		return st;
	a->version.figures = p ? p->prove(p->self, a, x->arena, &x->ret->critique) : AG_S("");
	return with_store(x, store_it, err);
}

ag_status ag_artifact_save(const ag_artifact_saver *s, const ag_artifact_draft *d, ag_arena *arena,
                           ag_artifact_saved *ret, ag_err *err)
{
	ag_status st = AG_CONFLICT;

	/* Of two updates at the same time one follows the other. */
	for (int i = 0; i < MAX_TRIES && st == AG_CONFLICT; i++) {
		saving x = { .s = s, .d = d, .arena = arena, .ret = ret };

		*ret = (ag_artifact_saved){ 0 };
		st = try_to_save(&x, err);
		if (!d->id.len)
			break;
	}
	return st;
}

/* --- what a version holds --- */

size_t ag_artifact_sources(const ag_artifact *a, ag_arena *arena, ag_artifact_source **ret)
{
	const ag_extjson_opts opts = { 0 };
	ag_artifact_source *list;
	ag_val v;

	*ret = NULL;
	if (!a->version.queries.len ||
	    ag_extjson_parse(a->version.queries, &opts, arena, &v, NULL, NULL, NULL) ||
	    v.type != AG_T_ARRAY)
		return 0;
	list = ag_new_n(arena, ag_artifact_source, v.n + 1);
	for (uint32_t i = 0; i < v.n; i++)
		list[i] = (ag_artifact_source){ ag_val_member_str(&v.u.items[i], "name"),
			                        ag_val_member_str(&v.u.items[i], "sql") };
	*ret = list;
	return v.n < AG_ARTIFACT_MAX_QUERIES ? v.n : AG_ARTIFACT_MAX_QUERIES;
}

ag_val ag_artifact_static_data(const ag_artifact *a, ag_arena *arena)
{
	const ag_extjson_opts opts = { 0 };
	ag_val v;

	if (!a->version.data.len ||
	    ag_extjson_parse(a->version.data, &opts, arena, &v, NULL, NULL, NULL))
		return ag_val_missing();
	return v;
}
