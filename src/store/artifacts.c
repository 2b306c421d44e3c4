/* Artifacts of projects (011_artifacts.sql). Each change is one transaction that may run twice: ids are made by the caller,
 * so a second run finds what the first one wrote. */
#include "store/artifacts.h"

#include "run/id.h"
#include "store/parts.h"

#define ORIGIN "store.artifacts"
#define SCOPE  AG_S("artifacts")
#define ROW_COLUMNS                                                                    \
	"project, id, title, kind, thread, author, versions, created_at, changed_at, " \
	"deleted_at"
#define HEAD_COLUMNS    "id, artifact, version, parent, title, description, hash, author, created_at"
#define VERSION_COLUMNS HEAD_COLUMNS ", code, data, queries, figures"

enum {
	ADD,
	ADD_VERSION,
	BUMP,
	LIST,
	OF_ID,
	ROW,
	VERSION,
	NEWEST,
	VERSIONS,
	HEADS,
	SET,
	PURGE,
	COUNT
};

static const ag_sql sql[] = {
	[ADD] = { "INSERT INTO artifacts (" ROW_COLUMNS
	          ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) "
	          "ON CONFLICT (project, id) DO UPDATE SET title = excluded.title, "
	          "versions = excluded.versions, changed_at = excluded.changed_at, "
	          "deleted_at = excluded.deleted_at WHERE artifacts.versions <= excluded.versions" },
	[ADD_VERSION] = { "INSERT INTO artifact_versions (project, " VERSION_COLUMNS
	                  ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)" },
	[BUMP] = { "UPDATE artifacts SET versions = $3, title = $4, changed_at = $5 "
	           "WHERE project = $1 AND id = $2 AND versions = $3 - 1 AND deleted_at = 0" },
	[LIST] = { "SELECT " ROW_COLUMNS " FROM artifacts WHERE project = $1 "
	           "ORDER BY changed_at DESC, id DESC" },
	[OF_ID] = { "SELECT DISTINCT artifact FROM artifact_versions WHERE project = $1 "
	            "AND id >= $2 AND id < $2 || 'g' ORDER BY artifact LIMIT 2" },
	[ROW] = { "SELECT " ROW_COLUMNS " FROM artifacts WHERE project = $1 AND id = $2" },
	[VERSION] = { "SELECT " VERSION_COLUMNS " FROM artifact_versions "
	              "WHERE project = $1 AND artifact = $2 AND version = $3" },
	[NEWEST] = { "SELECT " VERSION_COLUMNS " FROM artifact_versions "
	             "WHERE project = $1 AND artifact = $2 ORDER BY version DESC LIMIT 1" },
	[VERSIONS] = { "SELECT " VERSION_COLUMNS " FROM artifact_versions "
	               "WHERE project = $1 AND artifact = $2 ORDER BY version" },
	[HEADS] = { "SELECT " HEAD_COLUMNS " FROM artifact_versions "
	            "WHERE project = $1 AND artifact = $2 ORDER BY version DESC" },
	[SET] = { "UPDATE artifacts SET title = $3, changed_at = $4, deleted_at = $5 "
	          "WHERE project = $1 AND id = $2" },
	[PURGE] = { "DELETE FROM artifacts WHERE deleted_at > 0 AND deleted_at < $1" },
	[COUNT] = { "SELECT count(*) FROM artifacts WHERE project = $1" },
};

/* --- checks --- */

typedef struct text_rule {
	const char *what;
	ag_str text;
	size_t max;
	bool is_needed;
} text_rule;

static ag_status check_texts(const text_rule *rules, size_t n, ag_err *err)
{
	ag_status st = AG_OK;

	for (size_t i = 0; i < n && !st; i++) {
		st = ag_store_check_text(ORIGIN, rules[i].what, rules[i].text, rules[i].max, err);
		if (!st && rules[i].is_needed && !rules[i].text.len)
			st = ag_fail(err, AG_INVALID, ORIGIN, "%s is empty", rules[i].what);
	}
	return st;
}

static ag_status check_id(const char *what, ag_str id, ag_err *err)
{
	ag_id parsed;

	return ag_id_parse(id, &parsed) && ag_str_eq(ag_id_str(&parsed), id)
	               ? AG_OK
	               : ag_fail(err, AG_INVALID, ORIGIN, "%s is no id", what);
}

static ag_status check_row(const ag_artifact_row *a, ag_err *err)
{
	const text_rule rules[] = {
		{ "the project of an artifact", a->project, 128, true },
		{ "the title of an artifact", a->title, AG_ARTIFACT_MAX_TITLE, true },
		{ "the kind of an artifact", a->kind, 32, true },
		{ "the thread of an artifact", a->thread, 128, false },
		{ "the author of an artifact", a->author, 128, false },
	};
	ag_status st = check_id("the id of an artifact", a->id, err);

	if (!st)
		st = check_texts(rules, AG_NELEM(rules), err);
	if (!st && (a->created_ms < 0 || a->changed_ms < 0 || a->deleted_ms < 0))
		st = ag_fail(err, AG_INVALID, ORIGIN, "a time of an artifact is before 1970");
	if (!st && (!a->nversion || a->nversion > AG_ARTIFACT_MAX_VERSIONS))
		st = ag_fail(err, AG_LIMIT, ORIGIN, "an artifact has 1 to %u versions",
		             AG_ARTIFACT_MAX_VERSIONS);
	return st;
}

static ag_status check_version(const ag_artifact_version *v, ag_err *err)
{
	const text_rule rules[] = {
		{ "the title of an artifact", v->title, AG_ARTIFACT_MAX_TITLE, true },
		{ "the description of an artifact", v->description, AG_STORE_MAX_TEXT_BYTES,
		  false },
		{ "the code of an artifact", v->code, AG_ARTIFACT_MAX_CODE, true },
		{ "the hash of an artifact", v->hash, 64, true },
		{ "the data of an artifact", v->data, AG_ARTIFACT_MAX_CODE, false },
		{ "the source queries of an artifact", v->queries, AG_ARTIFACT_MAX_CODE, false },
		{ "the figures of an artifact", v->figures, AG_ARTIFACT_MAX_CODE, false },
		{ "the author of an artifact", v->author, 128, false },
	};
	ag_status st = check_id("the id of a version", v->id, err);

	if (!st)
		st = check_id("the artifact of a version", v->artifact, err);
	if (!st && v->parent.len)
		st = check_id("the parent of a version", v->parent, err);
	if (!st)
		st = check_texts(rules, AG_NELEM(rules), err);
	if (!st && v->created_ms < 0)
		st = ag_fail(err, AG_INVALID, ORIGIN, "a time of an artifact is before 1970");
	if (!st && (!v->version || v->version > AG_ARTIFACT_MAX_VERSIONS)) {
		ag_fail(err, AG_LIMIT, ORIGIN, "an artifact has at most %u versions",
		        AG_ARTIFACT_MAX_VERSIONS);
		st = ag_err_hint(err, "make a new artifact");
	}
	return st;
}

/* --- reading rows --- */

static ag_status take_row(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = arg;
	ag_artifact_row *a = ag_rows_add(&r->rows);

	a->project = ag_db_get_text(&row[0], r->arena);
	a->id = ag_db_get_text(&row[1], r->arena);
	a->title = ag_db_get_text(&row[2], r->arena);
	a->kind = ag_db_get_text(&row[3], r->arena);
	a->thread = ag_db_get_text(&row[4], r->arena);
	a->author = ag_db_get_text(&row[5], r->arena);
	a->nversion = ag_db_get_u64(&row[6]);
	a->created_ms = ag_db_get_int(&row[7]);
	a->changed_ms = ag_db_get_int(&row[8]);
	a->deleted_ms = ag_db_get_int(&row[9]);
	r->nbyte += sizeof(*a) + a->title.len + a->thread.len;
	return ag_reading_check(r, err);
}

static ag_artifact_version head_of(const ag_db_val *row, ag_arena *arena)
{
	return (ag_artifact_version){
		.id = ag_db_get_text(&row[0], arena),
		.artifact = ag_db_get_text(&row[1], arena),
		.version = ag_db_get_u64(&row[2]),
		.parent = ag_db_get_text(&row[3], arena),
		.title = ag_db_get_text(&row[4], arena),
		.description = ag_db_get_text(&row[5], arena),
		.hash = ag_db_get_text(&row[6], arena),
		.author = ag_db_get_text(&row[7], arena),
		.created_ms = ag_db_get_int(&row[8]),
	};
}

static ag_status take_head(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = arg;
	ag_artifact_version *v = ag_rows_add(&r->rows);

	*v = head_of(row, r->arena);
	r->nbyte += sizeof(*v) + v->title.len + v->description.len;
	return ag_reading_check(r, err);
}

static ag_status take_version(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = arg;
	ag_artifact_version *v = ag_rows_add(&r->rows);

	*v = head_of(row, r->arena);
	v->code = ag_db_get_text(&row[9], r->arena);
	v->data = ag_db_get_text(&row[10], r->arena);
	v->queries = ag_db_get_text(&row[11], r->arena);
	v->figures = ag_db_get_text(&row[12], r->arena);
	r->nbyte += sizeof(*v) + v->code.len + v->data.len + v->queries.len + v->figures.len;
	return ag_reading_check(r, err);
}

typedef struct select_of {
	const ag_sql *which;
	ag_db_args args;
	size_t size;
	ag_status (*take)(void *arg, const ag_db_val *row, ag_err *err);
} select_of;

static ag_status read_list(ag_db *db, const select_of *s, ag_arena *arena, void **ret, size_t *nret,
                           ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = s->size },
		            .arena = arena,
		            .what = "the artifacts are" };
	ag_db_out out = { .on_row = s->take, .arg = &list };
	ag_status st = ag_db_run(db, s->which, s->args, &out, err);

	if (st)
		return st;
	*ret = ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}

static ag_status read_rows(ag_db *db, const ag_sql *which, ag_db_args args, ag_arena *arena,
                           ag_artifact_row **ret, size_t *nret, ag_err *err)
{
	const select_of s = { which, args, sizeof(ag_artifact_row), take_row };
	void *list = NULL;
	ag_status st = read_list(db, &s, arena, &list, nret, err);

	*ret = list;
	return st;
}

static ag_status read_versions(ag_db *db, const ag_sql *which, ag_db_args args, ag_arena *arena,
                               ag_artifact_version **ret, size_t *nret, ag_err *err)
{
	const select_of s = { which, args, sizeof(ag_artifact_version),
		              which == &sql[HEADS] ? take_head : take_version };
	void *list = NULL;
	ag_status st = read_list(db, &s, arena, &list, nret, err);

	*ret = list;
	return st;
}

/* --- writing --- */

static ag_status put_row(ag_db *db, const ag_artifact_row *a, ag_db_out *out, ag_err *err)
{
	return ag_db_run(db, &sql[ADD],
	                 AG_DB_ARGS(ag_db_text(a->project), ag_db_text(a->id), ag_db_text(a->title),
	                            ag_db_text(a->kind), ag_db_text(a->thread),
	                            ag_db_text(a->author), ag_db_int((int64_t)a->nversion),
	                            ag_db_int(a->created_ms), ag_db_int(a->changed_ms),
	                            ag_db_int(a->deleted_ms)),
	                 out, err);
}

static ag_status put_version(ag_db *db, ag_str project, const ag_artifact_version *v, ag_err *err)
{
	ag_db_out out = { 0 };

	return ag_db_run(
		db, &sql[ADD_VERSION],
		AG_DB_ARGS(ag_db_text(project), ag_db_text(v->id), ag_db_text(v->artifact),
	                   ag_db_int((int64_t)v->version), ag_db_text(v->parent),
	                   ag_db_text(v->title), ag_db_text(v->description), ag_db_text(v->hash),
	                   ag_db_text(v->author), ag_db_int(v->created_ms), ag_db_text(v->code),
	                   ag_db_text(v->data), ag_db_text(v->queries), ag_db_text(v->figures)),
		&out, err);
}

static ag_status take_count(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(uint64_t *)arg = ag_db_get_u64(&row[0]);
	return AG_OK;
}

static ag_status check_room(ag_db *db, ag_str project, ag_err *err)
{
	uint64_t n = 0;
	ag_db_out out = { .on_row = take_count, .arg = &n };
	ag_status st = ag_db_run(db, &sql[COUNT], AG_DB_ARGS(ag_db_text(project)), &out, err);

	if (st || n <= AG_ARTIFACT_MAX_ROWS)
		return st;
	ag_fail(err, AG_LIMIT, ORIGIN, "a project keeps at most %u artifacts",
	        AG_ARTIFACT_MAX_ROWS);
	ag_err_hint(err, "delete some: they are removed for good after a while");
	return AG_LIMIT;
}

/* One artifact of a change. */
typedef struct change {
	const ag_artifact_row *rows;
	size_t n;
	const ag_artifact_version *versions;
	size_t nversion;
	ag_str project;
	uint64_t nadded;
	uint64_t before_ms; /* PURGE */
} change;

/* Is this version stored already, the same in all parts? AG_CONFLICT: with others. */
static ag_status find_same(ag_db *db, ag_str project, const ag_artifact_version *v, ag_arena *arena,
                           bool *ret, ag_err *err)
{
	ag_artifact_version *list;
	size_t n;
	bool is_same = false;
	ag_status st = read_versions(db, &sql[VERSION],
	                             AG_DB_ARGS(ag_db_text(project), ag_db_text(v->artifact),
	                                        ag_db_int((int64_t)v->version)),
	                             arena, &list, &n, err);

	if (st)
		return st;
	if (n)
		is_same = ag_str_eq(list->id, v->id) && ag_str_eq(list->parent, v->parent) &&
		          ag_str_eq(list->hash, v->hash) && ag_str_eq(list->code, v->code) &&
		          ag_str_eq(list->title, v->title) && ag_str_eq(list->data, v->data) &&
		          ag_str_eq(list->description, v->description) &&
		          ag_str_eq(list->queries, v->queries) &&
		          ag_str_eq(list->figures, v->figures) &&
		          ag_str_eq(list->author, v->author) && list->created_ms == v->created_ms;
	if (n && !is_same)
		return ag_fail(err, AG_CONFLICT, ORIGIN,
		               "version %llu of artifact %.18s exists with other content",
		               (unsigned long long)v->version, v->artifact.ptr);
	*ret = is_same;
	return AG_OK;
}

static ag_status add_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const change *c = arg;
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_artifact_row *old;
	size_t n;
	bool is_same = false;
	ag_status st = read_rows(db, &sql[ROW],
	                         AG_DB_ARGS(ag_db_text(c->project), ag_db_text(c->rows->id)), arena,
	                         &old, &n, err);

	if (!st && n && is_again)
		st = find_same(db, c->project, c->versions, arena, &is_same, err);
	if (st || is_same)
		return st;
	if (n)
		return ag_fail(err, AG_CONFLICT, ORIGIN, "artifact %.18s exists already",
		               c->rows->id.ptr);
	st = put_row(db, c->rows, NULL, err);
	if (!st)
		st = put_version(db, c->project, c->versions, err);
	return st ? st : check_room(db, c->project, err);
}

ag_status ag_store_add_artifact(ag_store *s, const ag_artifact_row *row,
                                const ag_artifact_version *first, ag_err *err)
{
	change c = {
		.rows = row, .n = 1, .versions = first, .nversion = 1, .project = row->project
	};
	ag_status st = check_row(row, err);

	if (!st)
		st = check_version(first, err);
	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, add_work, &c, err);
}

static ag_status why_not_bumped(ag_db *db, const change *c, ag_arena *arena, ag_err *err)
{
	ag_artifact_row *old;
	size_t n;
	ag_status st = read_rows(db, &sql[ROW],
	                         AG_DB_ARGS(ag_db_text(c->project),
	                                    ag_db_text(c->versions->artifact)),
	                         arena, &old, &n, err);

	if (st)
		return st;
	if (!n || old->deleted_ms)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no artifact \"%.18s\"",
		               c->versions->artifact.ptr);
	return ag_fail(err, AG_CONFLICT, ORIGIN, "artifact %.18s was changed by somebody else",
	               c->versions->artifact.ptr);
}

static ag_status version_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const change *c = arg;
	const ag_artifact_version *v = c->versions;
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_db_out out = { 0 };
	bool is_same = false;
	ag_status st = is_again ? find_same(db, c->project, v, arena, &is_same, err) : AG_OK;

	if (st || is_same)
		return st;
	st = ag_db_run(db, &sql[BUMP],
	               AG_DB_ARGS(ag_db_text(c->project), ag_db_text(v->artifact),
	                          ag_db_int((int64_t)v->version), ag_db_text(v->title),
	                          ag_db_int(v->created_ms)),
	               &out, err);
	if (!st && !out.nchange)
		st = why_not_bumped(db, c, arena, err);
	return st ? st : put_version(db, c->project, v, err);
}

ag_status ag_store_add_artifact_version(ag_store *s, ag_str project, const ag_artifact_version *v,
                                        ag_err *err)
{
	change c = { .versions = v, .nversion = 1, .project = project };
	ag_status st = check_version(v, err);

	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, version_work, &c, err);
}

static ag_status import_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	change *c = arg;
	ag_status st = AG_OK;
	size_t at = 0;

	(void)is_again; /* what is there is found */
	c->nadded = 0;
	for (size_t i = 0; i < c->n && !st; i++) {
		AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
		ag_db_out out = { 0 };

		st = put_row(db, &c->rows[i], &out, err);
		if (!st && !out.nchange)
			st = ag_fail(err, AG_CONFLICT, ORIGIN,
			             "artifact %.18s has more versions here than in the import",
			             c->rows[i].id.ptr);
		for (;
		     at < c->nversion && !st && ag_str_eq(c->versions[at].artifact, c->rows[i].id);
		     at++) {
			bool is_same = false;

			st = find_same(db, c->project, &c->versions[at], arena, &is_same, err);
			if (!st && !is_same) {
				st = put_version(db, c->project, &c->versions[at], err);
				c->nadded++;
			}
		}
	}
	return st ? st : check_room(db, c->project, err);
}

ag_status ag_store_import_artifacts(ag_store *s, const ag_artifact_row *rows, size_t n,
                                    const ag_artifact_version *versions, size_t nversion,
                                    uint64_t *ret_nadded, ag_err *err)
{
	change c = { .rows = rows, .n = n, .versions = versions, .nversion = nversion };
	ag_status st = AG_OK;

	for (size_t i = 0; i < n && !st; i++) {
		st = check_row(&rows[i], err);
		if (!st && !ag_str_eq(rows[i].project, rows->project))
			st = ag_fail(err, AG_INVALID, ORIGIN, "artifacts of two projects at once");
	}
	for (size_t i = 0; i < nversion && !st; i++)
		st = check_version(&versions[i], err);
	*ret_nadded = 0;
	if (st || !n)
		return st;
	c.project = rows->project;
	st = ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, import_work, &c, err);
	*ret_nadded = c.nadded;
	return st;
}

static ag_status set_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const ag_artifact_row *a = ((const change *)arg)->rows;
	ag_db_out out = { 0 };
	ag_status st = ag_db_run(db, &sql[SET],
	                         AG_DB_ARGS(ag_db_text(a->project), ag_db_text(a->id),
	                                    ag_db_text(a->title), ag_db_int(a->changed_ms),
	                                    ag_db_int(a->deleted_ms)),
	                         &out, err);

	(void)is_again;
	return st || out.nchange ? st
	                         : ag_fail(err, AG_NOT_FOUND, ORIGIN,
	                                   "there is no artifact \"%.18s\"", a->id.ptr);
}

ag_status ag_store_set_artifact(ag_store *s, const ag_artifact_row *row, ag_err *err)
{
	change c = { .rows = row, .n = 1 };
	ag_status st = check_row(row, err);

	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, set_work, &c, err);
}

static ag_status purge_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	change *c = arg;
	ag_db_out out = { 0 };
	ag_status st = ag_db_run(db, &sql[PURGE], AG_DB_ARGS(ag_db_int((int64_t)c->before_ms)),
	                         &out, err);

	(void)is_again;
	c->nadded = out.nchange;
	return st;
}

ag_status ag_artifacts_purge(ag_db *db, int64_t before_ms, bool *ret, ag_err *err)
{
	change c = { .before_ms = before_ms > 0 ? (uint64_t)before_ms : 0 };
	ag_status st = ag_db_transact(db, AG_DB_WRITE, SCOPE, purge_work, &c, err);

	*ret = !st && c.nadded;
	return st;
}

ag_status ag_store_purge_artifacts(ag_store *s, int64_t before_ms, uint64_t *ret, ag_err *err)
{
	change c = { .before_ms = before_ms > 0 ? (uint64_t)before_ms : 0 };
	ag_status st = ag_db_transact(s->db, AG_DB_WRITE, SCOPE, purge_work, &c, err);

	*ret = c.nadded;
	return st;
}

/* --- reading --- */

ag_status ag_store_artifacts(ag_store *s, ag_str project, ag_arena *arena, ag_artifact_row **ret,
                             size_t *nret, ag_err *err)
{
	return read_rows(s->db, &sql[LIST], AG_DB_ARGS(ag_db_text(project)), arena, ret, nret, err);
}

static ag_status take_text(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = arg;
	ag_str *text = ag_rows_add(&r->rows);

	(void)err;
	*text = ag_db_get_text(&row[0], r->arena);
	return AG_OK;
}

static bool may_be_id(ag_str id)
{
	for (size_t i = 0; i < id.len; i++) {
		if (!(id.ptr[i] >= '0' && id.ptr[i] <= '9') &&
		    !(id.ptr[i] >= 'a' && id.ptr[i] <= 'f') && id.ptr[i] != '-')
			return false;
	}
	return id.len >= 4 && id.len <= AG_ID_LEN;
}

static ag_status unknown(ag_str id, ag_err *err)
{
	return ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no artifact \"%.*s\"",
	               (int)(id.len < 60 ? id.len : 60), id.len ? id.ptr : "");
}

ag_status ag_store_artifact(ag_store *s, ag_str project, ag_str id, ag_arena *arena,
                            ag_artifact_row *ret, ag_err *err)
{
	const select_of by_id = { &sql[OF_ID], AG_DB_ARGS(ag_db_text(project), ag_db_text(id)),
		                  sizeof(ag_str), take_text };
	ag_artifact_row *rows;
	void *list = NULL;
	const ag_str *ids;
	size_t n = 0;
	ag_status st;

	if (!may_be_id(id))
		return unknown(id, err);
	st = read_list(s->db, &by_id, arena, &list, &n, err);
	if (st)
		return st;
	if (n > 1) {
		ag_fail(err, AG_INVALID, ORIGIN, "\"%.*s\" fits several artifacts", AG_FMT(id));
		return ag_err_hint(err, "give more characters of its id");
	}
	ids = list;
	if (n)
		st = read_rows(s->db, &sql[ROW], AG_DB_ARGS(ag_db_text(project), ag_db_text(*ids)),
		               arena, &rows, &n, err);
	if (st)
		return st;
	if (!n)
		return unknown(id, err);
	*ret = rows[0];
	return AG_OK;
}

ag_status ag_store_artifact_version(ag_store *s, ag_str project, ag_str artifact, uint64_t version,
                                    ag_arena *arena, ag_artifact_version *ret, ag_err *err)
{
	ag_artifact_version *list;
	size_t n = 0;
	ag_status st = AG_OK;

	if (!version)
		st = read_versions(s->db, &sql[NEWEST],
		                   AG_DB_ARGS(ag_db_text(project), ag_db_text(artifact)), arena,
		                   &list, &n, err);
	else if (version <= AG_ARTIFACT_MAX_VERSIONS)
		st = read_versions(s->db, &sql[VERSION],
		                   AG_DB_ARGS(ag_db_text(project), ag_db_text(artifact),
		                              ag_db_int((int64_t)version)),
		                   arena, &list, &n, err);
	if (st)
		return st;
	if (!n)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "artifact %.*s has no version %llu",
		               (int)(artifact.len < 18 ? artifact.len : 18), artifact.ptr,
		               (unsigned long long)version);
	*ret = list[0];
	return AG_OK;
}

ag_status ag_store_artifact_versions(ag_store *s, ag_str project, ag_str artifact, ag_arena *arena,
                                     ag_artifact_version **ret, size_t *nret, ag_err *err)
{
	return read_versions(s->db, &sql[VERSIONS],
	                     AG_DB_ARGS(ag_db_text(project), ag_db_text(artifact)), arena, ret,
	                     nret, err);
}

ag_status ag_store_artifact_history(ag_store *s, ag_str project, ag_str artifact, ag_arena *arena,
                                    ag_artifact_version **ret, size_t *nret, ag_err *err)
{
	ag_artifact_version *all, *list;
	bool *is_seen;
	size_t n, at = 0, nlist = 0;
	ag_status st = read_versions(s->db, &sql[HEADS],
	                             AG_DB_ARGS(ag_db_text(project), ag_db_text(artifact)), arena,
	                             &all, &n, err);

	if (st)
		return st;
	list = ag_new_n(arena, ag_artifact_version, AG_ARTIFACT_MAX_WALK);
	is_seen = ag_new_n(arena, bool, n + 1);
	while (at < n && !is_seen[at] && nlist < AG_ARTIFACT_MAX_WALK) {
		const ag_str parent = all[at].parent;

		is_seen[at] = true;
		list[nlist++] = all[at];
		for (at = 0; at < n && !ag_str_eq(all[at].id, parent);)
			at++;
	}
	*ret = list;
	*nret = nlist;
	return AG_OK;
}
