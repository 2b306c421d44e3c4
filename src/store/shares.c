/* shares -- see the header (016_shares.sql). Copies are rows of their own, so that counting an opening does not write them again. */
#include "store/shares.h"

#include "store/parts.h"

#define ORIGIN "store.shares"
#define SCOPE  AG_S("shares")
#define NAME   128u
#define USERS  (AG_SHARE_MAX_USERS * 2 * NAME)
#define COLUMNS                                                                       \
	"id, hash, kind, thing, version, project, \"user\", audience, users, title, " \
	"created_at, expires_at, revoked_at, opened_at, opens"

enum {
	ADD,
	COUNT,
	ONE,
	LIST,
	COPY,
	PUT_COPY,
	SET_COPY,
	OPEN,
	REVOKE,
	DROP_COPY,
	REVOKE_OF,
	DROP_OF,
	PURGE,
	PURGE_COPIES
};

static const ag_sql sql[] = {
	[ADD] = { "INSERT INTO shares (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, "
	          "$10, $11, $12, 0, 0, 0)" },
	[COUNT] = { "SELECT count(*) FROM shares WHERE kind = $1 AND thing = $2 AND project = $3 "
	            "AND revoked_at = 0" },
	[ONE] = { "SELECT " COLUMNS " FROM shares WHERE id = $1" },
	[LIST] = { "SELECT " COLUMNS " FROM shares WHERE project = $1 "
	           "AND ($2 = '' OR kind = $2) AND ($3 = '' OR thing = $3) "
	           "AND ($4 = '' OR \"user\" = $4) "
	           "AND ($5 = 0 OR created_at < $5 OR (created_at = $5 AND id < $6)) "
	           "ORDER BY created_at DESC, id DESC LIMIT $7" },
	[COPY] = { "SELECT copied_at, version, body FROM share_copies WHERE share = $1" },
	[PUT_COPY] = { "INSERT INTO share_copies (share, copied_at, version, body) "
	               "VALUES ($1, $2, $3, $4)" },
	[SET_COPY] = { "UPDATE share_copies SET copied_at = $2, version = $3, body = $4 "
	               "WHERE share = $1" },
	[OPEN] = { "UPDATE shares SET opens = opens + 1, opened_at = $2 "
	           "WHERE id = $1 AND revoked_at = 0" },
	[REVOKE] = { "UPDATE shares SET revoked_at = CASE WHEN revoked_at = 0 THEN $2 "
	             "ELSE revoked_at END WHERE id = $1" },
	[DROP_COPY] = { "DELETE FROM share_copies WHERE share = $1" },
	[REVOKE_OF] = { "UPDATE shares SET revoked_at = $4 "
	                "WHERE project = $1 AND kind = $2 AND thing = $3 AND revoked_at = 0" },
	[DROP_OF] = { "DELETE FROM share_copies WHERE share IN (SELECT id FROM shares "
	              "WHERE project = $1 AND kind = $2 AND thing = $3)" },
	/* A copy is data of its time, and goes with it. */
	[PURGE] = { "DELETE FROM shares WHERE id NOT IN (SELECT share FROM share_copies) "
	            "AND created_at < $1" },
	[PURGE_COPIES] = { "DELETE FROM share_copies WHERE copied_at < $1" },
};

/* --- reading --- */

static ag_status take_row(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = (ag_reading *)arg;
	ag_share_row *s = (ag_share_row *)ag_rows_add(&r->rows);

	*s = (ag_share_row){
		.id = ag_db_get_text(&row[0], r->arena),
		.hash = ag_db_get_text(&row[1], r->arena),
		.kind = ag_db_get_text(&row[2], r->arena),
		.thing = ag_db_get_text(&row[3], r->arena),
		.version = ag_db_get_u64(&row[4]),
		.project = ag_db_get_text(&row[5], r->arena),
		.user = ag_db_get_text(&row[6], r->arena),
		.audience = ag_db_get_text(&row[7], r->arena),
		.users = ag_db_get_text(&row[8], r->arena),
		.title = ag_db_get_text(&row[9], r->arena),
		.created_ms = ag_db_get_int(&row[10]),
		.expires_ms = ag_db_get_int(&row[11]),
		.revoked_ms = ag_db_get_int(&row[12]),
		.opened_ms = ag_db_get_int(&row[13]),
		.nopen = ag_db_get_u64(&row[14]),
	};
	r->nbyte += sizeof(*s) + s->users.len + s->title.len;
	return ag_reading_check(r, err);
}

static ag_status read_rows(ag_db *db, const ag_sql *which, ag_db_args args, ag_arena *arena,
                           ag_share_row **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_share_row) },
		            .arena = arena,
		            .what = "the share links are" };
	ag_db_out out = { .on_row = take_row, .arg = &list };
	ag_status st = ag_db_run(db, which, args, &out, err);

	if (st)
		return st;
	*ret = (ag_share_row *)ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}

static ag_status no_share(ag_err *err)
{
	return ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no such share link");
}

ag_status ag_store_share(ag_store *s, ag_str id, ag_arena *arena, ag_share_row *ret, ag_err *err)
{
	ag_share_row *rows;
	size_t n;
	ag_status st = ag_store_check_text(ORIGIN, "the id of a share link", id, NAME, err);

	if (!st)
		st = read_rows(s->db, &sql[ONE], AG_DB_ARGS(ag_db_text(id)), arena, &rows, &n, err);
	if (st)
		return st;
	if (!n)
		return no_share(err);
	*ret = rows[0];
	return AG_OK;
}

ag_status ag_store_shares(ag_store *s, const ag_share_question *q, ag_arena *arena,
                          ag_share_row **ret, size_t *nret, ag_err *err)
{
	return read_rows(s->db, &sql[LIST],
	                 AG_DB_ARGS(ag_db_text(q->project), ag_db_text(q->kind),
	                            ag_db_text(q->thing), ag_db_text(q->user),
	                            ag_db_int(q->before_ms), ag_db_text(q->before_id),
	                            ag_db_int((int64_t)q->limit)),
	                 arena, ret, nret, err);
}

typedef struct copying {
	ag_arena *arena;
	ag_share_copy copy;
	bool is_there;
} copying;

static ag_status take_copy(void *arg, const ag_db_val *row, ag_err *err)
{
	copying *c = (copying *)arg;

	(void)err;
	c->copy = (ag_share_copy){ .at_ms = ag_db_get_int(&row[0]),
		                   .version = ag_db_get_u64(&row[1]),
		                   .body = ag_db_get_text(&row[2], c->arena) };
	c->is_there = true;
	return AG_OK;
}

ag_status ag_store_share_copy(ag_store *s, ag_str id, ag_arena *arena, ag_share_copy *ret,
                              ag_err *err)
{
	copying c = { .arena = arena };
	ag_db_out out = { .on_row = take_copy, .arg = &c };
	ag_status st = ag_db_run(s->db, &sql[COPY], AG_DB_ARGS(ag_db_text(id)), &out, err);

	if (!st && !c.is_there)
		st = no_share(err);
	if (!st)
		*ret = c.copy;
	return st;
}

/* --- writing --- */

static ag_status check_copy(const ag_share_copy *c, ag_err *err)
{
	return ag_store_check_text(ORIGIN, "what is shared", c->body, AG_SHARE_MAX_COPY, err);
}

static ag_status check_row(const ag_share_row *r, ag_err *err)
{
	const struct {
		const char *what;
		ag_str text;
		size_t max;
	} texts[] = {
		{ "the id of a share link", r->id, NAME },
		{ "the hash of a share link", r->hash, NAME },
		{ "the kind of a share link", r->kind, NAME },
		{ "the id of what is shared", r->thing, NAME },
		{ "the project of a share link", r->project, NAME },
		{ "the user of a share link", r->user, NAME },
		{ "the audience of a share link", r->audience, NAME },
		{ "the users of a share link", r->users, USERS },
		{ "the title of a share link", r->title, AG_SHARE_MAX_TITLE },
	};
	ag_status st = AG_OK;

	for (size_t i = 0; i < AG_NELEM(texts) && !st; i++)
		st = ag_store_check_text(ORIGIN, texts[i].what, texts[i].text, texts[i].max, err);
	return st;
}

typedef struct adding {
	const ag_share_row *row;
	const ag_share_copy *copy;
} adding;

static ag_status take_count(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(uint64_t *)arg = ag_db_get_u64(&row[0]);
	return AG_OK;
}

static ag_status check_count(ag_db *db, const ag_share_row *r, ag_err *err)
{
	uint64_t n = 0;
	ag_db_out out = { .on_row = take_count, .arg = &n };
	ag_status st = ag_db_run(db, &sql[COUNT],
	                         AG_DB_ARGS(ag_db_text(r->kind), ag_db_text(r->thing),
	                                    ag_db_text(r->project)),
	                         &out, err);

	if (st || n < AG_SHARE_MAX_OF_THING)
		return st;
	ag_fail(err, AG_LIMIT, ORIGIN, "there are %u share links of this already",
	        AG_SHARE_MAX_OF_THING);
	return ag_err_hint(err, "revoke those that nobody needs");
}

/* The connection was lost: did the first attempt take place? */
static ag_status was_added(ag_db *db, const ag_share_row *r, bool *ret, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_share_row *rows;
	size_t n;
	ag_status st = read_rows(db, &sql[ONE], AG_DB_ARGS(ag_db_text(r->id)), arena, &rows, &n,
	                         err);

	*ret = !st && n && ag_str_eq(rows[0].hash, r->hash);
	return st;
}

static ag_status add_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const adding *a = (const adding *)arg;
	const ag_share_row *r = a->row;
	bool is_there = false;
	ag_status st = is_again ? was_added(db, r, &is_there, err) : AG_OK;

	if (st || is_there)
		return st;
	st = check_count(db, r, err);
	if (!st)
		st = ag_db_run(db, &sql[ADD],
		               AG_DB_ARGS(ag_db_text(r->id), ag_db_text(r->hash),
		                          ag_db_text(r->kind), ag_db_text(r->thing),
		                          ag_db_int((int64_t)r->version), ag_db_text(r->project),
		                          ag_db_text(r->user), ag_db_text(r->audience),
		                          ag_db_text(r->users), ag_db_text(r->title),
		                          ag_db_int(r->created_ms), ag_db_int(r->expires_ms)),
		               NULL, err);
	return st ? st
	          : ag_db_run(db, &sql[PUT_COPY],
	                      AG_DB_ARGS(ag_db_text(r->id), ag_db_int(a->copy->at_ms),
	                                 ag_db_int((int64_t)a->copy->version),
	                                 ag_db_text(a->copy->body)),
	                      NULL, err);
}

ag_status ag_store_add_share(ag_store *s, const ag_share_row *row, const ag_share_copy *copy,
                             ag_err *err)
{
	adding a = { row, copy };
	ag_status st = check_row(row, err);

	if (!st)
		st = check_copy(copy, err);
	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, add_work, &a, err);
}

typedef struct change {
	ag_str id, project, kind, thing;
	const ag_share_copy *copy;
	int64_t at_ms;
	bool is_changed;
} change;

static ag_status put_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const change *c = (const change *)arg;
	ag_db_out out = { 0 };
	ag_status st = ag_db_run(db, &sql[SET_COPY],
	                         AG_DB_ARGS(ag_db_text(c->id), ag_db_int(c->copy->at_ms),
	                                    ag_db_int((int64_t)c->copy->version),
	                                    ag_db_text(c->copy->body)),
	                         &out, err);

	(void)is_again;
	return st || out.nchange ? st : no_share(err);
}

ag_status ag_store_put_share_copy(ag_store *s, ag_str id, const ag_share_copy *copy, ag_err *err)
{
	change c = { .id = id, .copy = copy };
	ag_status st = check_copy(copy, err);

	return st ? st : ag_db_transact(s->db, AG_DB_WRITE, SCOPE, put_work, &c, err);
}

static ag_status open_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const change *c = (const change *)arg;
	ag_db_out out = { 0 };
	ag_status st = ag_db_run(db, &sql[OPEN], AG_DB_ARGS(ag_db_text(c->id), ag_db_int(c->at_ms)),
	                         &out, err);

	(void)is_again; /* counted twice rather than not at all */
	return st || out.nchange ? st : no_share(err);
}

ag_status ag_store_open_share(ag_store *s, ag_str id, int64_t at_ms, ag_err *err)
{
	change c = { .id = id, .at_ms = at_ms };

	return ag_db_transact(s->db, AG_DB_WRITE, id, open_work, &c, err);
}

static ag_status revoke_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const change *c = (const change *)arg;
	ag_db_out out = { 0 };
	ag_status st = ag_db_run(db, &sql[REVOKE],
	                         AG_DB_ARGS(ag_db_text(c->id), ag_db_int(c->at_ms)), &out, err);

	(void)is_again;
	if (!st && !out.nchange)
		st = no_share(err);
	return st ? st : ag_db_run(db, &sql[DROP_COPY], AG_DB_ARGS(ag_db_text(c->id)), NULL, err);
}

ag_status ag_store_revoke_share(ag_store *s, ag_str id, int64_t at_ms, ag_err *err)
{
	change c = { .id = id, .at_ms = at_ms };

	return ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, revoke_work, &c, err);
}

static ag_status revoke_all_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const change *c = (const change *)arg;
	const ag_db_val project = ag_db_text(c->project), kind = ag_db_text(c->kind),
			thing = ag_db_text(c->thing);
	ag_status st = ag_db_run(db, &sql[DROP_OF], AG_DB_ARGS(project, kind, thing), NULL, err);

	(void)is_again;
	return st ? st
	          : ag_db_run(db, &sql[REVOKE_OF],
	                      AG_DB_ARGS(project, kind, thing, ag_db_int(c->at_ms)), NULL, err);
}

ag_status ag_store_revoke_shares(ag_store *s, ag_str project, ag_str kind, ag_str thing,
                                 int64_t at_ms, ag_err *err)
{
	change c = { .project = project, .kind = kind, .thing = thing, .at_ms = at_ms };

	return ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, revoke_all_work, &c, err);
}

/* --- purge --- */

static ag_status purge_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	change *c = (change *)arg;
	const ag_db_args args = AG_DB_ARGS(ag_db_int(c->at_ms));
	ag_db_out out = { 0 };
	ag_status st = ag_db_run(db, &sql[PURGE_COPIES], args, &out, err);

	(void)is_again;
	c->is_changed = out.nchange > 0;
	if (!st)
		st = ag_db_run(db, &sql[PURGE], args, &out, err);
	c->is_changed |= out.nchange > 0;
	return st;
}

ag_status ag_shares_purge(ag_db *db, int64_t before_ms, bool *ret, ag_err *err)
{
	change c = { .at_ms = before_ms > 0 ? before_ms : 0 };
	ag_status st = ag_db_transact(db, AG_DB_WRITE, AG_S("purge"), purge_work, &c, err);

	*ret = !st && c.is_changed;
	return st;
}
