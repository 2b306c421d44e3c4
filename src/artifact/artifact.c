/* artifact -- see the header. Read governed(): every function with a place is one of its calls. */
#include "artifact/artifact.h"

#include "artifact/draft.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "query/extjson.h"

#define ORIGIN "artifact"

typedef struct act act;

typedef struct act_type {
	const char *tool; /* in the audit table */
	ag_role least;
	ag_status (*before)(act *a, ag_err *err);            /* beside the store; NULL = nothing */
	ag_status (*work)(ag_store *s, act *a, ag_err *err); /* NULL = nothing */
} act_type;

struct act {
	const ag_know_place *place;
	const act_type *type;
	ag_arena *arena;
	ag_project_call call;
	ag_str id, title;
	uint64_t version;
	const ag_artifact_list_opts *opts;
	const ag_artifact_draft *draft;
	ag_artifact_saved *saved;
	ag_artifact_set *set;
	ag_artifact_listing list;
	size_t n;
	ag_artifact_version *versions;
	ag_artifact one;
	uint64_t nadded;
};

static int64_t now_of(const act *a)
{
	return ag_clock_wall(a->place->ctx->clock);
}

static ag_str project_of(const act *a)
{
	return a->place->project->id;
}

static ag_status run_work(ag_store *s, void *arg, ag_err *err)
{
	act *a = arg;

	return a->type->work(s, a, err);
}

/* text: for the audit row. */
static ag_status governed(act *a, const act_type *type, ag_str text, ag_err *err)
{
	ag_sql_failure f = { 0 };
	ag_status st = AG_OK;

	a->type = type;
	a->call = (ag_project_call){ .who = a->place->who,
		                     .project = a->place->project,
		                     .tool = ag_str_c(type->tool),
		                     .session = AG_S(""),
		                     .watch_fd = -1 };
	if (!ag_project_begin(a->place->hub, &a->call, type->least, "sql", text, a->arena, &f))
		return ag_sql_failure_err(&f, ORIGIN, err);
	if (type->before)
		st = type->before(a, err);
	if (!st && type->work)
		st = ag_project_with_store(a->place->hub, run_work, a, err);
	if (!ag_project_end(a->place->hub, &a->call, st ? "VALIDATION_ERROR" : "ok", 0, a->arena,
	                    &f) &&
	    !st)
		st = ag_sql_failure_err(&f, ORIGIN, err);
	return st;
}

/* --- saving --- */

static ag_status save_before(act *a, ag_err *err)
{
	const ag_artifact_saver s = { .hub = a->place->hub,
		                      .ctx = a->place->ctx,
		                      .call = &a->call };

	return ag_artifact_save(&s, a->draft, a->arena, a->saved, err);
}

static const act_type create_act = { .tool = "create_artifact",
	                             .least = AG_ROLE_ANALYST,
	                             .before = save_before };
static const act_type update_act = { .tool = "update_artifact",
	                             .least = AG_ROLE_ANALYST,
	                             .before = save_before };

ag_status ag_artifact_put(const ag_know_place *p, const ag_artifact_draft *d, ag_arena *arena,
                          ag_artifact_saved *ret, ag_err *err)
{
	act a = { .place = p, .arena = arena, .draft = d, .saved = ret };

	return governed(&a, d->id.len ? &update_act : &create_act, d->id.len ? d->id : d->title,
	                err);
}

/* --- looking --- */

static ag_str lower(ag_str s, ag_arena *arena)
{
	char *p = ag_str_cstr(arena, s);

	ag_utf8_lower(p, s.len);
	return ag_str_make(p, s.len);
}

/* Beyond their time deleted ones are as good as gone, although the next purge takes them. */
static bool is_wanted(const ag_artifact_row *row, const ag_artifact_list_opts *o, ag_str search,
                      int64_t now_ms, ag_arena *arena)
{
	if (o->deleted ? !row->deleted_ms || now_ms - row->deleted_ms > AG_ARTIFACT_KEPT_MS
	               : row->deleted_ms != 0)
		return false;
	return !search.len || ag_str_contains(lower(row->title, arena), search);
}

ag_status ag_artifact_rows(ag_store *s, ag_str project, const ag_artifact_list_opts *o,
                           int64_t now_ms, ag_arena *arena, ag_artifact_listing *ret, ag_err *err)
{
	const ag_str search = lower(ag_str_trim(o->search), arena);
	ag_artifact_row *all;
	size_t n, nfit = 0, nlist = 0;
	ag_status st = ag_store_artifacts(s, project, arena, &all, &n, err);

	for (size_t i = 0; i < n && !st; i++) {
		if (!is_wanted(&all[i], o, search, now_ms, arena))
			continue;
		nfit++;
		if (!o->limit || nlist < o->limit)
			all[nlist++] = all[i];
	}
	if (st)
		return st;
	*ret = (ag_artifact_listing){ all, nlist, nfit };
	return AG_OK;
}

static ag_status list_work(ag_store *s, act *a, ag_err *err)
{
	return ag_artifact_rows(s, project_of(a), a->opts, now_of(a), a->arena, &a->list, err);
}

static const act_type list_act = { .tool = "list_artifacts",
	                           .least = AG_ROLE_VIEWER,
	                           .work = list_work };

ag_status ag_artifact_list(const ag_know_place *p, const ag_artifact_list_opts *o, ag_arena *arena,
                           ag_artifact_listing *ret, ag_err *err)
{
	act a = { .place = p, .arena = arena, .opts = o };
	ag_status st = governed(&a, &list_act, o->search, err);

	if (!st)
		*ret = a.list;
	return st;
}

static ag_status find_row(ag_store *s, act *a, ag_err *err)
{
	return ag_store_artifact(s, project_of(a), ag_str_trim(a->id), a->arena, &a->one.row, err);
}

static ag_status find_live(ag_store *s, act *a, ag_err *err)
{
	ag_status st = find_row(s, a, err);

	if (st || !a->one.row.deleted_ms)
		return st;
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "artifact %.18s is deleted", a->one.row.id.ptr);
	return ag_err_hint(err, "an undelete brings it back");
}

static ag_status get_work(ag_store *s, act *a, ag_err *err)
{
	ag_status st = find_live(s, a, err);

	if (!st)
		st = ag_store_artifact_version(s, project_of(a), a->one.row.id, a->version,
		                               a->arena, &a->one.version, err);
	if (!st && !ag_artifact_kind_read(a->one.row.kind, &a->one.kind))
		st = ag_fail(err, AG_INVALID, ORIGIN, "artifact %.18s is of a newer Argus",
		             a->one.row.id.ptr);
	return st;
}

static const act_type get_act = { .tool = "get_artifact",
	                          .least = AG_ROLE_VIEWER,
	                          .work = get_work };

ag_status ag_artifact_get(const ag_know_place *p, ag_str id, uint64_t version, ag_arena *arena,
                          ag_artifact *ret, ag_err *err)
{
	act a = { .place = p, .arena = arena, .id = id, .version = version };
	ag_status st = governed(&a, &get_act, id, err);

	if (!st)
		*ret = a.one;
	return st;
}

static ag_status history_work(ag_store *s, act *a, ag_err *err)
{
	ag_status st = find_live(s, a, err);

	return st ? st
	          : ag_store_artifact_history(s, project_of(a), a->one.row.id, a->arena,
	                                      &a->versions, &a->n, err);
}

static const act_type history_act = { .tool = "get_artifact",
	                              .least = AG_ROLE_VIEWER,
	                              .work = history_work };

ag_status ag_artifact_history(const ag_know_place *p, ag_str id, ag_arena *arena,
                              ag_artifact_row *ret_row, ag_artifact_version **ret, size_t *nret,
                              ag_err *err)
{
	act a = { .place = p, .arena = arena, .id = id };
	ag_status st = governed(&a, &history_act, id, err);

	if (st)
		return st;
	*ret_row = a.one.row;
	*ret = a.versions;
	*nret = a.n;
	return AG_OK;
}

/* --- changing --- */

static ag_status set_row(ag_store *s, act *a, ag_err *err)
{
	a->one.row.changed_ms = now_of(a);
	return ag_store_set_artifact(s, &a->one.row, err);
}

static ag_status rename_work(ag_store *s, act *a, ag_err *err)
{
	ag_status st = ag_artifact_check_title(a->title, err);

	if (!st)
		st = find_live(s, a, err);
	if (st || ag_str_eq(a->one.row.title, ag_str_trim(a->title)))
		return st;
	a->one.row.title = ag_str_trim(a->title);
	return set_row(s, a, err);
}

/* What others made is for an admin. */
static ag_status check_owner(const act *a, ag_err *err)
{
	const ag_caller *who = a->place->who;

	if (ag_str_eq(a->one.row.author, who->user) ||
	    ag_caller_role(who, project_of(a)) >= AG_ROLE_ADMIN)
		return AG_OK;
	ag_fail(err, AG_DENIED, ORIGIN,
	        "artifact %.18s was made by %.*s: only that user or an admin "
	        "of the project may do this",
	        a->one.row.id.ptr, AG_FMT(ag_utf8_prefix(a->one.row.author, 60)));
	return ag_err_hint(err, "ask an admin of the project");
}

static ag_status delete_work(ag_store *s, act *a, ag_err *err)
{
	uint64_t npurged;
	ag_status st = find_live(s, a, err);

	if (!st)
		st = check_owner(a, err);
	if (st)
		return st;
	a->one.row.deleted_ms = now_of(a);
	AG_IGNORE(ag_store_purge_artifacts(s, a->one.row.deleted_ms - AG_ARTIFACT_KEPT_MS, &npurged,
	                                   NULL),
	          "the next change does it");
	return set_row(s, a, err);
}

static ag_status undelete_work(ag_store *s, act *a, ag_err *err)
{
	ag_status st = find_row(s, a, err);

	if (!st && !a->one.row.deleted_ms)
		st = ag_fail(err, AG_CONFLICT, ORIGIN, "artifact %.18s is not deleted",
		             a->one.row.id.ptr);
	if (!st && now_of(a) - a->one.row.deleted_ms > AG_ARTIFACT_KEPT_MS)
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN,
		             "artifact %.18s was deleted more than 30 days ago", a->one.row.id.ptr);
	if (!st)
		st = check_owner(a, err);
	if (st)
		return st;
	a->one.row.deleted_ms = 0;
	return set_row(s, a, err);
}

static const act_type rename_act = { .tool = "rename_artifact",
	                             .least = AG_ROLE_ANALYST,
	                             .work = rename_work };
static const act_type delete_act = { .tool = "delete_artifact",
	                             .least = AG_ROLE_ANALYST,
	                             .work = delete_work };
static const act_type undelete_act = { .tool = "undelete_artifact",
	                               .least = AG_ROLE_ANALYST,
	                               .work = undelete_work };

static ag_status change(act *a, const act_type *type, ag_artifact_row *ret, ag_err *err)
{
	ag_status st = governed(a, type, a->id, err);

	if (!st)
		*ret = a->one.row;
	return st;
}

ag_status ag_artifact_rename(const ag_know_place *p, ag_str id, ag_str title, ag_arena *arena,
                             ag_artifact_row *ret, ag_err *err)
{
	act a = { .place = p, .arena = arena, .id = id, .title = title };

	return change(&a, &rename_act, ret, err);
}

ag_status ag_artifact_delete(const ag_know_place *p, ag_str id, ag_arena *arena,
                             ag_artifact_row *ret, ag_err *err)
{
	act a = { .place = p, .arena = arena, .id = id };

	return change(&a, &delete_act, ret, err);
}

ag_status ag_artifact_undelete(const ag_know_place *p, ag_str id, ag_arena *arena,
                               ag_artifact_row *ret, ag_err *err)
{
	act a = { .place = p, .arena = arena, .id = id };

	return change(&a, &undelete_act, ret, err);
}

/* --- all of them --- */

static ag_status export_work(ag_store *s, act *a, ag_err *err)
{
	const ag_artifact_list_opts all = { 0 };
	ag_artifact_set *set = a->set;
	ag_artifact_listing found = { 0 };
	size_t cap = 0;
	ag_status st = ag_artifact_rows(s, project_of(a), &all, now_of(a), a->arena, &found, err);

	set->rows = found.rows;
	set->n = found.n;

	for (size_t i = 0; i < set->n && !st; i++)
		cap += set->rows[i].nversion;
	set->versions = ag_new_n(a->arena, ag_artifact_version, cap + 1);
	for (size_t i = 0; i < set->n && !st; i++) {
		ag_artifact_version *list;
		size_t n = 0;

		st = ag_store_artifact_versions(s, project_of(a), set->rows[i].id, a->arena, &list,
		                                &n, err);
		/* A version that came meanwhile belongs to the next export. */
		for (size_t k = 0; k < n && k < set->rows[i].nversion && !st; k++)
			set->versions[set->nversion++] = list[k];
	}
	return st;
}

static const act_type export_act = { .tool = "export_artifacts",
	                             .least = AG_ROLE_VIEWER,
	                             .work = export_work };

ag_status ag_artifact_export(const ag_know_place *p, ag_arena *arena, ag_artifact_set *ret,
                             ag_err *err)
{
	act a = { .place = p, .arena = arena, .set = ret };

	*ret = (ag_artifact_set){ 0 };
	return governed(&a, &export_act, AG_S("all artifacts"), err);
}

static ag_status import_before(act *a, ag_err *err)
{
	return ag_artifact_set_check(a->set, a->arena, err);
}

static ag_status import_work(ag_store *s, act *a, ag_err *err)
{
	for (size_t i = 0; i < a->set->n; i++)
		a->set->rows[i].project = project_of(a);
	return ag_store_import_artifacts(s, a->set->rows, a->set->n, a->set->versions,
	                                 a->set->nversion, &a->nadded, err);
}

static const act_type import_act = { .tool = "import_artifacts",
	                             .least = AG_ROLE_ADMIN,
	                             .before = import_before,
	                             .work = import_work };

ag_status ag_artifact_import(const ag_know_place *p, ag_artifact_set *set, ag_arena *arena,
                             uint64_t *ret_nadded, ag_err *err)
{
	act a = { .place = p, .arena = arena, .set = set };
	ag_status st = governed(&a, &import_act, ag_str_printf(arena, "%zu artifacts", set->n),
	                        err);

	*ret_nadded = a.nadded;
	return st;
}

/* --- is it one that could have been saved here? --- */

static ag_status check_json(const char *field, ag_str text,
                            ag_status (*check)(const ag_val *v, ag_arena *arena, ag_str *ret,
                                               ag_err *err),
                            ag_arena *arena, ag_err *err)
{
	const ag_val v = ag_val_str(text);
	ag_str same = AG_S("");
	ag_status st = text.len ? check(&v, arena, &same, err) : AG_OK;

	if (!st && !ag_str_eq(text, same))
		st = ag_fail(err, AG_INVALID, ORIGIN, "%s: not as Argus writes it", field);
	return st;
}

static ag_status check_figures(ag_str text, ag_arena *arena, ag_err *err)
{
	const ag_extjson_opts opts = { .max_values = 100000 };
	ag_val v;

	if (text.len &&
	    (text.len > AG_ARTIFACT_MAX_CODE ||
	     ag_extjson_parse(text, &opts, arena, &v, NULL, NULL, NULL) || v.type != AG_T_OBJECT))
		return ag_fail(err, AG_INVALID, ORIGIN, "figures: want one JSON object");
	return AG_OK;
}

static ag_status check_hash(const ag_artifact_version *v, ag_err *err)
{
	const ag_sha256_hex hash = ag_sha256(v->code);

	return ag_str_eqc(v->hash, hash.text)
	               ? AG_OK
	               : ag_fail(err, AG_INVALID, ORIGIN,
	                         "sha256: is not that of the code, which is %.12s…", hash.text);
}

static ag_status check_place(const ag_artifact_row *row, const ag_artifact_version *v,
                             const ag_artifact_version *before, ag_err *err)
{
	ag_id id;

	if (!ag_id_parse(v->id, &id))
		return ag_fail(err, AG_INVALID, ORIGIN, "id: want an id like %s",
		               "0190c3e2-7b1a-7c44-8a51-2f5d1a9e4b07");
	if (!before && !ag_str_eq(v->id, row->id))
		return ag_fail(err, AG_INVALID, ORIGIN, "id: the first version has the artifact's");
	if (v->version != (before ? before->version + 1 : 1))
		return ag_fail(err, AG_INVALID, ORIGIN, "version: want %llu, got %llu",
		               (unsigned long long)(before ? before->version + 1 : 1),
		               (unsigned long long)v->version);
	/* A version is made from the one before it, so no circle can be. */
	if (!ag_str_eq(v->parent, before ? before->id : AG_S("")))
		return ag_fail(err, AG_INVALID, ORIGIN, "parent: want that of the version before");
	return AG_OK;
}

static ag_status check_version(const ag_artifact_row *row, const ag_artifact_version *v,
                               const ag_artifact_version *before, ag_arena *arena, ag_err *err)
{
	ag_status st = check_place(row, v, before, err);

	if (!st)
		st = ag_artifact_check_code(v->code, err);
	if (!st)
		st = check_hash(v, err);
	if (!st)
		st = ag_artifact_check_title(v->title, err);
	if (!st)
		st = ag_artifact_check_description(v->description, err);
	if (!st)
		st = check_json("data", v->data, ag_artifact_check_data, arena, err);
	if (!st)
		st = check_json("source_queries", v->queries, ag_artifact_check_queries, arena,
		                err);
	return st ? st : check_figures(v->figures, arena, err);
}

static ag_status check_row(const ag_artifact_row *row, ag_err *err)
{
	ag_artifact_kind kind;
	ag_id id;
	ag_status st = AG_OK;

	if (!ag_id_parse(row->id, &id) || !ag_str_eq(ag_id_str(&id), row->id))
		st = ag_fail(err, AG_INVALID, ORIGIN, "id: want an id in small letters");
	if (!st)
		st = ag_artifact_check_kind(row->kind, &kind, err);
	if (!st)
		st = ag_artifact_check_title(row->title, err);
	if (!st && (row->nversion < 1 || row->nversion > AG_ARTIFACT_MAX_VERSIONS))
		st = ag_fail(err, AG_LIMIT, ORIGIN, "versions: want 1 to %u",
		             AG_ARTIFACT_MAX_VERSIONS);
	if (!st && row->deleted_ms)
		st = ag_fail(err, AG_INVALID, ORIGIN, "it is deleted");
	return st;
}

/* "artifact 0190c3e2-…: version 2: " before what is wrong with it. */
static ag_status wrong(const ag_artifact_row *row, uint64_t version, const ag_err *why,
                       ag_arena *arena, ag_err *err)
{
	const ag_str of = version ? ag_str_printf(arena,
	                                          "version %llu: ", (unsigned long long)version)
	                          : AG_S("");

	ag_fail(err, why->status, ORIGIN, "artifact %.*s: %.*s%s",
	        AG_FMT(ag_utf8_prefix(row->id, AG_ID_LEN)), AG_FMT(of), why->msg);
	return why->status;
}

ag_status ag_artifact_set_check(const ag_artifact_set *set, ag_arena *arena, ag_err *err)
{
	size_t at = 0;

	for (size_t i = 0; i < set->n; i++) {
		const ag_artifact_row *row = &set->rows[i];
		ag_err why = { 0 };

		if (check_row(row, &why))
			return wrong(row, 0, &why, arena, err);
		for (size_t k = 0; k < i; k++) {
			if (ag_str_eq(set->rows[k].id, row->id))
				return ag_fail(err, AG_INVALID, ORIGIN,
				               "artifact %.36s comes twice", row->id.ptr);
		}
		for (uint64_t v = 0; v < row->nversion; v++, at++) {
			AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();

			if (at == set->nversion || !ag_str_eq(set->versions[at].artifact, row->id))
				return ag_fail(err, AG_INVALID, ORIGIN,
				               "artifact %.36s: version %llu is missing",
				               row->id.ptr, (unsigned long long)v + 1);
			if (check_version(row, &set->versions[at],
			                  v ? &set->versions[at - 1] : NULL, scratch, &why))
				return wrong(row, v + 1, &why, arena, err);
		}
	}
	return at == set->nversion
	               ? AG_OK
	               : ag_fail(err, AG_INVALID, ORIGIN, "there are versions of no artifact");
}

/* --- as JSON --- */

void ag_artifact_row_json(const ag_artifact_row *r, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "id", r->id);
	ag_jw_kstr(w, "title", r->title);
	ag_jw_kstr(w, "type", r->kind);
	ag_jw_kuint(w, "version", r->nversion);
	ag_jw_kstr(w, "thread", r->thread);
	ag_jw_kstr(w, "author", r->author);
	ag_jw_ktime(w, "created_at", r->created_ms);
	ag_jw_ktime(w, "changed_at", r->changed_ms);
	ag_jw_ktime_or_null(w, "deleted_at", r->deleted_ms);
	ag_jw_obj_end(w);
}

static void raw_or_null(ag_jw *w, const char *key, ag_str json)
{
	if (json.len)
		ag_jw_kraw(w, key, json);
	else
		ag_jw_knull(w, key);
}

void ag_artifact_json(const ag_artifact *a, ag_jw *w)
{
	const ag_artifact_version *v = &a->version;

	ag_jw_obj(w);
	ag_jw_kstr(w, "id", a->row.id);
	ag_jw_kstr(w, "version_id", v->id);
	ag_jw_kstr(w, "parent", v->parent);
	ag_jw_kuint(w, "version", v->version);
	ag_jw_kuint(w, "versions", a->row.nversion);
	ag_jw_kstr(w, "title", a->row.title);
	ag_jw_kstr(w, "type", a->row.kind);
	ag_jw_kstr(w, "description", v->description);
	ag_jw_kstr(w, "thread", a->row.thread);
	ag_jw_kstr(w, "author", v->author);
	ag_jw_ktime(w, "created_at", v->created_ms);
	ag_jw_kstr(w, "sha256", v->hash);
	ag_jw_kstr(w, "code", v->code);
	raw_or_null(w, "data", v->data);
	raw_or_null(w, "source_queries", v->queries);
	raw_or_null(w, "figures", v->figures);
}
