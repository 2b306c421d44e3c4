/* Objects of projects (007_objects.sql): what is written is checked, then run on the store's database. */
#include "store/objects.h"

#include "store/parts.h"

#define ORIGIN "store.objects"
#define SCOPE  AG_S("objects")
#define COLUMNS                                                                             \
	"project, kind, key, name, status, confidence, uses, version, author, created_at, " \
	"changed_at, used_at, body"

enum { PUT, IS_PUT, LIST, FIND, DROP, USE, STAMP };

static const ag_sql sql[] = {
	[PUT] = { "INSERT INTO objects (" COLUMNS ") "
	          "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) "
	          "ON CONFLICT (project, kind, key) DO UPDATE SET name = excluded.name, "
	          "status = excluded.status, confidence = excluded.confidence, "
	          "uses = excluded.uses, version = excluded.version, author = excluded.author, "
	          "changed_at = excluded.changed_at, used_at = excluded.used_at, "
	          "body = excluded.body WHERE objects.version = excluded.version - 1" },
	[IS_PUT] = { "SELECT count(*) FROM objects WHERE project = $1 AND kind = $2 AND key = $3 "
	             "AND version = $4 AND changed_at = $5 AND body = $6" },
	[LIST] = { "SELECT " COLUMNS " FROM objects WHERE project = $1 AND ($2 = '' OR kind = $2) "
	           "ORDER BY kind, name, key LIMIT $3" },
	[FIND] = { "SELECT " COLUMNS " FROM objects WHERE project = $1 AND kind = $2 "
	           "AND key >= $3 AND key < $3 || 'g' ORDER BY key LIMIT 2" },
	[DROP] = { "DELETE FROM objects WHERE project = $1 AND kind = $2 AND key = $3" },
	/* $5 = 1: a first try may have counted this use already */
	[USE] = { "UPDATE objects SET uses = uses + 1, used_at = $4 "
	          "WHERE project = $1 AND kind = $2 AND key = $3 "
	          "AND ($5 = 0 OR used_at <> $4)" },
	[STAMP] = { "SELECT count(*), CAST(coalesce(sum(version), 0) AS BIGINT), "
	            "coalesce(max(changed_at), 0) FROM objects WHERE project = $1" },
};

/* --- checks --- */

static bool is_key(ag_str key, size_t min)
{
	for (size_t i = 0; i < key.len; i++) {
		if (!(key.ptr[i] >= '0' && key.ptr[i] <= '9') &&
		    !(key.ptr[i] >= 'a' && key.ptr[i] <= 'f'))
			return false;
	}
	return key.len >= min && key.len <= AG_OBJECT_KEY_LEN;
}

static ag_status check_row(const ag_object_row *o, ag_err *err)
{
	const struct {
		const char *what;
		ag_str text;
		size_t max;
		bool is_needed;
	} texts[] = {
		{ "the project of an object", o->project, 128, true },
		{ "the kind of an object", o->kind, 32, true },
		{ "the name of an object", o->name, AG_OBJECT_MAX_NAME, true },
		{ "the status of an object", o->status, 32, true },
		{ "the author of an object", o->author, 128, false },
		{ "the body of an object", o->body, AG_OBJECT_MAX_BODY, true },
	};
	ag_status st = AG_OK;

	for (size_t i = 0; i < AG_NELEM(texts) && !st; i++) {
		st = ag_store_check_text(ORIGIN, texts[i].what, texts[i].text, texts[i].max, err);
		if (!st && texts[i].is_needed && !texts[i].text.len)
			st = ag_fail(err, AG_INVALID, ORIGIN, "%s is empty", texts[i].what);
	}
	if (!st && !is_key(o->key, AG_OBJECT_KEY_LEN))
		st = ag_fail(err, AG_INVALID, ORIGIN, "the key of an object is 64 hex digits");
	if (!st && !(o->confidence >= 0 && o->confidence <= 1))
		st = ag_fail(err, AG_INVALID, ORIGIN, "the confidence of an object is 0 to 1");
	if (!st && (o->created_ms < 0 || o->changed_ms < 0 || o->used_ms < 0))
		st = ag_fail(err, AG_INVALID, ORIGIN, "a time of an object is before 1970");
	if (!st && (o->version >= INT64_MAX || o->uses > INT64_MAX))
		st = ag_fail(err, AG_INVALID, ORIGIN, "a count of an object is out of range");
	return st;
}

/* --- writing --- */

static ag_status put_rows(ag_db *db, const ag_object_row *rows, size_t n, ag_err *err)
{
	ag_status st = AG_OK;

	for (size_t i = 0; i < n && !st; i++) {
		const ag_object_row *o = &rows[i];
		ag_db_out out = { 0 };

		st = ag_db_run(db, &sql[PUT],
		               AG_DB_ARGS(ag_db_text(o->project), ag_db_text(o->kind),
		                          ag_db_text(o->key), ag_db_text(o->name),
		                          ag_db_text(o->status), ag_db_real(o->confidence),
		                          ag_db_int((int64_t)o->uses),
		                          ag_db_int((int64_t)o->version + 1), ag_db_text(o->author),
		                          ag_db_int(o->created_ms), ag_db_int(o->changed_ms),
		                          ag_db_int(o->used_ms), ag_db_text(o->body)),
		               &out, err);
		if (!st && !out.nchange)
			st = ag_fail(err, AG_CONFLICT, ORIGIN,
			             o->version ? "the %.*s \"%.*s\" was changed by somebody else"
			                        : "the %.*s \"%.*s\" exists already",
			             AG_FMT(o->kind), (int)(o->name.len < 120 ? o->name.len : 120),
			             o->name.ptr);
	}
	return st;
}

static ag_status take_count(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_object_stamp *s = arg;

	(void)err;
	*s = (ag_object_stamp){ ag_db_get_u64(&row[0]), ag_db_get_u64(&row[1]),
		                ag_db_get_int(&row[2]) };
	return AG_OK;
}

static ag_status read_stamp(ag_db *db, ag_str project, ag_object_stamp *ret, ag_err *err)
{
	ag_db_out out = { .on_row = take_count, .arg = ret };

	*ret = (ag_object_stamp){ 0 };
	return ag_db_run(db, &sql[STAMP], AG_DB_ARGS(ag_db_text(project)), &out, err);
}

static ag_status take_nrow(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(uint64_t *)arg = ag_db_get_u64(&row[0]);
	return AG_OK;
}

/* Did a first try, whose answer was lost, write the rows? They were written together, or none was. */
static ag_status are_put(ag_db *db, const ag_object_row *rows, size_t n, bool *ret, ag_err *err)
{
	ag_status st = AG_OK;

	*ret = true;
	for (size_t i = 0; i < n && !st && *ret; i++) {
		const ag_object_row *o = &rows[i];
		uint64_t found = 0;
		ag_db_out out = { .on_row = take_nrow, .arg = &found };

		st = ag_db_run(db, &sql[IS_PUT],
		               AG_DB_ARGS(ag_db_text(o->project), ag_db_text(o->kind),
		                          ag_db_text(o->key), ag_db_int((int64_t)o->version + 1),
		                          ag_db_int(o->changed_ms), ag_db_text(o->body)),
		               &out, err);
		*ret = found == 1;
	}
	return st;
}

typedef struct putting {
	const ag_object_row *rows;
	size_t n;
} putting;

static ag_status put_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const putting *p = (const putting *)arg;
	ag_object_stamp stamp;
	bool is_done = false;
	ag_status st = is_again ? are_put(db, p->rows, p->n, &is_done, err) : AG_OK;

	if (st || is_done)
		return st;
	st = put_rows(db, p->rows, p->n, err);
	if (!st)
		st = read_stamp(db, p->rows[0].project, &stamp, err);
	if (!st && stamp.nrow > AG_OBJECT_MAX_ROWS)
		st = ag_fail(err, AG_LIMIT, ORIGIN, "a project keeps at most %u objects",
		             AG_OBJECT_MAX_ROWS);
	return st;
}

ag_status ag_store_put_objects(ag_store *s, const ag_object_row *rows, size_t n, ag_err *err)
{
	putting p = { rows, n };
	ag_status st = AG_OK;

	for (size_t i = 0; i < n && !st; i++) {
		st = check_row(&rows[i], err);
		if (!st && !ag_str_eq(rows[i].project, rows[0].project))
			st = ag_fail(err, AG_INVALID, ORIGIN, "objects of two projects at once");
	}
	if (st || !n)
		return st;
	return ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, put_work, &p, err);
}

static ag_status check_key(ag_str key, ag_err *err)
{
	return is_key(key, AG_OBJECT_KEY_LEN)
	               ? AG_OK
	               : ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no such object");
}

typedef struct changing {
	ag_str project, kind;
	const ag_str *keys;
	size_t nkey;
	int64_t at_ms;
} changing;

static ag_status drop_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const changing *c = (const changing *)arg;
	ag_db_out out = { 0 };
	ag_status st = ag_db_run(db, &sql[DROP],
	                         AG_DB_ARGS(ag_db_text(c->project), ag_db_text(c->kind),
	                                    ag_db_text(c->keys[0])),
	                         &out, err);

	if (!st && !out.nchange && !is_again)
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no such object");
	return st;
}

ag_status ag_store_drop_object(ag_store *s, ag_str project, ag_str kind, ag_str key, ag_err *err)
{
	changing c = { .project = project, .kind = kind, .keys = &key, .nkey = 1 };
	ag_status st = check_key(key, err);

	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, drop_work, &c, err);
}

static ag_status use_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const changing *c = (const changing *)arg;
	ag_status st = AG_OK;

	for (size_t i = 0; i < c->nkey && !st; i++)
		st = ag_db_run(db, &sql[USE],
		               AG_DB_ARGS(ag_db_text(c->project), ag_db_text(c->kind),
		                          ag_db_text(c->keys[i]), ag_db_int(c->at_ms),
		                          ag_db_int(is_again)),
		               NULL, err);
	return st;
}

ag_status ag_store_use_objects(ag_store *s, ag_str project, ag_str kind, const ag_str *keys,
                               size_t n, int64_t at_ms, ag_err *err)
{
	changing c = { .project = project, .kind = kind, .keys = keys, .nkey = n, .at_ms = at_ms };
	ag_status st = AG_OK;

	for (size_t i = 0; i < n && !st; i++)
		st = check_key(keys[i], err);
	return st || !n ? st : ag_db_transact(s->db, AG_DB_WRITE, SCOPE, use_work, &c, err);
}

/* --- reading --- */

static ag_status take_row(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = arg;
	ag_object_row *o = ag_rows_add(&r->rows);

	o->project = ag_db_get_text(&row[0], r->arena);
	o->kind = ag_db_get_text(&row[1], r->arena);
	o->key = ag_db_get_text(&row[2], r->arena);
	o->name = ag_db_get_text(&row[3], r->arena);
	o->status = ag_db_get_text(&row[4], r->arena);
	o->confidence = ag_db_get_real(&row[5]);
	o->uses = ag_db_get_u64(&row[6]);
	o->version = ag_db_get_u64(&row[7]);
	o->author = ag_db_get_text(&row[8], r->arena);
	o->created_ms = ag_db_get_int(&row[9]);
	o->changed_ms = ag_db_get_int(&row[10]);
	o->used_ms = ag_db_get_int(&row[11]);
	o->body = ag_db_get_text(&row[12], r->arena);
	r->nbyte += sizeof(*o) + o->name.len + o->body.len;
	return ag_reading_check(r, err);
}

static ag_status read_rows(ag_db *db, const ag_sql *which, ag_db_args args, ag_arena *arena,
                           ag_object_row **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_object_row) },
		            .arena = arena,
		            .what = "the objects are" };
	ag_db_out out = { .on_row = take_row, .arg = &list };
	ag_status st = ag_db_run(db, which, args, &out, err);

	if (st)
		return st;
	*ret = ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}

ag_status ag_store_objects(ag_store *s, ag_str project, ag_str kind, ag_arena *arena,
                           ag_object_row **ret, size_t *nret, ag_err *err)
{
	return read_rows(s->db, &sql[LIST],
	                 AG_DB_ARGS(ag_db_text(project), ag_db_text(kind),
	                            ag_db_int(AG_OBJECT_MAX_ROWS)),
	                 arena, ret, nret, err);
}

ag_status ag_store_object(ag_store *s, ag_str project, ag_str kind, ag_str key, ag_arena *arena,
                          ag_object_row *ret, ag_err *err)
{
	ag_object_row *rows = NULL;
	size_t n = 0;
	ag_status st = AG_OK;

	if (is_key(key, 4))
		st = read_rows(s->db, &sql[FIND],
		               AG_DB_ARGS(ag_db_text(project), ag_db_text(kind), ag_db_text(key)),
		               arena, &rows, &n, err);
	if (st)
		return st;
	if (!n)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no %.*s \"%.*s\"", AG_FMT(kind),
		               (int)(key.len < 60 ? key.len : 60), key.len ? key.ptr : "");
	if (n > 1) {
		ag_fail(err, AG_INVALID, ORIGIN, "\"%.*s\" fits several", AG_FMT(key));
		return ag_err_hint(err, "give more digits");
	}
	*ret = rows[0];
	return AG_OK;
}

ag_status ag_store_object_stamp(ag_store *s, ag_str project, ag_object_stamp *ret, ag_err *err)
{
	return read_stamp(s->db, project, ret, err);
}
