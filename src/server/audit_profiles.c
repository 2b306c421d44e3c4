/* Saved profiles of audits: who judges, and after how many steps or seconds an audit ends, under a name of the project. Objects of the
 * store (store/objects.h), known by their name. */
#include "base/utf8.h"
#include "knowledge/object.h"
#include "query/extjson.h"
#include "server/audits.h"
#include "server/list.h"
#include "server/problem.h"

#define ORIGIN       "server.audit_profiles"
#define KIND         AG_S("audit_profile")
#define MAX_NAME     60u  /* characters */
#define MAX_PROFILES 100u /* of a project */
#define MAX_BODY     1024u

/* --- one profile --- */

static ag_status check_name(ag_str name, ag_err *err)
{
	bool ok = ag_utf8_valid(name) && name.len && ag_utf8_count(name) <= MAX_NAME;

	for (size_t i = 0; i < name.len && ok; i++)
		ok = (unsigned char)name.ptr[i] >= 0x20 && name.ptr[i] != 0x7f;
	if (ok)
		return AG_OK;
	return ag_fail(err, AG_INVALID, ORIGIN,
	               "the name of a profile has 1 to %u characters, on one line", MAX_NAME);
}

/* Another project's name, or one of nobody, gives the same answer. */
static ag_status find(ag_server_audit *a, ag_str name, ag_object_row *ret, ag_err *err)
{
	const ag_status st = ag_store_object(a->store, a->at.place.project->id, KIND,
	                                     ag_know_key(name, a->rq->arena), a->rq->arena, ret,
	                                     err);

	if (st != AG_NOT_FOUND)
		return st;
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no saved profile \"%.*s\"",
	        AG_FMT(ag_utf8_prefix(name, MAX_NAME)));
	return ag_err_hint(err, "GET /api/audits/profiles lists them");
}

static ag_status read(const ag_object_row *row, ag_arena *arena, ag_val *ret, ag_err *err)
{
	const ag_extjson_opts opts = { .max_depth = 2, .max_values = 20 };

	return ag_extjson_parse(row->body, &opts, arena, ret, NULL, NULL, err);
}

static void write_settings(const ag_val *v, ag_jw *w)
{
	const ag_str judge = ag_val_member_str(v, "eval_profile");
	const uint64_t steps = ag_val_member_u64(v, "max_iterations");
	const uint64_t seconds = ag_val_member_u64(v, "max_seconds");

	if (judge.len)
		ag_jw_kstr(w, "eval_profile", judge);
	if (steps)
		ag_jw_kuint(w, "max_iterations", steps);
	if (seconds)
		ag_jw_kuint(w, "max_seconds", seconds);
}

static void write_profile(const ag_object_row *row, const ag_val *v, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "name", row->name);
	write_settings(v, w);
	ag_jw_kstr(w, "author", row->author);
	ag_jw_ktime(w, "changed_at", row->changed_ms);
	ag_jw_obj_end(w);
}

ag_status ag_server_audit_profile(ag_server_audit *a, ag_str name, ag_val *ret, ag_err *err)
{
	ag_object_row row;
	const ag_status st = find(a, name, &row, err);

	return st ? st : read(&row, a->rq->arena, ret, err);
}

/* --- the list --- */

static ag_str profile_key(const void *rows, size_t i, ag_arena *arena)
{
	(void)arena;
	return ((const ag_object_row *)rows)[i].key;
}

static ag_status list_work(ag_server_audit *a, ag_err *err)
{
	ag_object_row *rows;
	ag_server_list page;
	size_t n;
	ag_jw w;
	ag_status st = ag_store_objects(a->store, a->at.place.project->id, KIND, a->rq->arena,
	                                &rows, &n, err);

	if (st || !ag_server_list_of(a->rq, a->rp, rows, n, profile_key, &page))
		return st;
	ag_server_json(a->rp, &w);
	ag_jw_kkey(&w, "profiles");
	ag_jw_arr(&w);
	for (size_t i = page.from; i < page.to && !st; i++) {
		ag_val v;

		st = read(&rows[i], a->rq->arena, &v, err);
		if (!st)
			write_profile(&rows[i], &v, &w);
	}
	ag_jw_arr_end(&w);
	ag_server_list_next(&w, page.next);
	ag_jw_obj_end(&w);
	if (st)
		ag_buf_release(&a->rp->body);
	return st;
}

void ag_server_audit_profiles_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .least = AG_ROLE_VIEWER, .work = list_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

/* --- saved, renamed, removed --- */

static ag_str body_of(const ag_val *v, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(MAX_BODY);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	write_settings(v, &w);
	ag_jw_obj_end(&w);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static ag_status check_room(ag_server_audit *a, ag_err *err)
{
	ag_object_row *rows;
	size_t n;
	const ag_status st = ag_store_objects(a->store, a->at.place.project->id, KIND, a->rq->arena,
	                                      &rows, &n, err);

	if (st || n < MAX_PROFILES)
		return st;
	ag_fail(err, AG_LIMIT, ORIGIN, "a project may have %u saved profiles", MAX_PROFILES);
	return ag_err_hint(err, "remove one that is not needed any more");
}

static ag_status put(ag_server_audit *a, ag_object_row *row, ag_err *err)
{
	const ag_status st = ag_store_put_objects(a->store, row, 1, err);

	return st == AG_CONFLICT
	               ? ag_fail(err, AG_CONFLICT, ORIGIN,
	                         "there is a saved profile of that name, or it was changed "
	                         "meanwhile")
	               : st;
}

static ag_status save_work(ag_server_audit *a, ag_err *err)
{
	const ag_str name = ag_str_trim(ag_server_param(a->rq, "name"));
	ag_object_row row = { 0 };
	ag_err none = { 0 };
	ag_status st = check_name(name, err);
	ag_jw w;

	if (st)
		return st;
	st = find(a, name, &row, &none);
	if (st && st != AG_NOT_FOUND) {
		*err = none;
		return st;
	}
	st = st ? check_room(a, err) : AG_OK;
	if (st)
		return st;
	row.project = a->at.place.project->id;
	row.kind = KIND;
	row.key = ag_know_key(name, a->rq->arena);
	row.name = name;
	row.status = AG_S("active");
	row.author = a->at.place.who->user;
	row.changed_ms = ag_clock_wall(a->h->opts.clock);
	row.created_ms = row.created_ms ? row.created_ms : row.changed_ms;
	row.body = body_of(&a->body, a->rq->arena);
	st = put(a, &row, err);
	if (st)
		return st;
	a->rp->content_type = AG_S("application/json");
	ag_jw_init(&w, &a->rp->body, 0);
	write_profile(&row, &a->body, &w);
	return AG_OK;
}

void ag_server_audit_profile_save(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "save_audit_profile",
		                                 .least = AG_ROLE_ANALYST,
		                                 .flags = AG_SERVER_AUDIT_HAS_BODY,
		                                 .work = save_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

/* Under its new name first: a server that stops between the two leaves both, and loses nothing. */
static ag_status rename_work(ag_server_audit *a, ag_err *err)
{
	const ag_str name = ag_str_trim(ag_val_member_str(&a->body, "name"));
	ag_object_row row;
	ag_str old_key;
	ag_val v;
	ag_jw w;
	ag_status st = check_name(name, err);

	if (!st)
		st = find(a, ag_server_param(a->rq, "name"), &row, err);
	if (!st)
		st = read(&row, a->rq->arena, &v, err);
	if (st)
		return st;
	old_key = row.key;
	row.key = ag_know_key(name, a->rq->arena);
	row.name = name;
	row.changed_ms = ag_clock_wall(a->h->opts.clock);
	/* The key of a name is that of its small letters: a change of letters alone is a change of the same object. */
	if (!ag_str_eq(row.key, old_key))
		row.version = 0;
	st = put(a, &row, err);
	if (!st && !ag_str_eq(row.key, old_key))
		st = ag_store_drop_object(a->store, row.project, KIND, old_key, err);
	if (st)
		return st;
	a->rp->content_type = AG_S("application/json");
	ag_jw_init(&w, &a->rp->body, 0);
	write_profile(&row, &v, &w);
	return AG_OK;
}

void ag_server_audit_profile_rename(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "rename_audit_profile",
		                                 .least = AG_ROLE_ANALYST,
		                                 .flags = AG_SERVER_AUDIT_HAS_BODY,
		                                 .work = rename_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

static ag_status drop_work(ag_server_audit *a, ag_err *err)
{
	ag_object_row row;
	ag_status st = find(a, ag_server_param(a->rq, "name"), &row, err);

	if (!st)
		st = ag_store_drop_object(a->store, row.project, KIND, row.key, err);
	if (!st)
		a->rp->status = 204;
	return st;
}

void ag_server_audit_profile_drop(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "drop_audit_profile",
		                                 .least = AG_ROLE_ANALYST,
		                                 .work = drop_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}
