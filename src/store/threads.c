/* threads -- see the header (010_threads.sql). */
#include "store/threads.h"

#include "store/parts.h"

#define ORIGIN      "store.threads"
#define SCOPE       AG_S("threads")
#define MAX_STOPPED 4096
#define COLUMNS     "id, name, \"user\", project, title, created_at, changed_at, viewed_at, deleted_at"
#define IS_OURS     "threads.\"user\" = excluded.\"user\" AND threads.deleted_at = 0 "

enum { CLAIM, ONE, LIST, CHANGE, STOP, STOPPED };

static const ag_sql sql[] = {
	/* Of somebody else's, or a deleted one, nothing changes. */
	[CLAIM] = { "INSERT INTO threads (" COLUMNS ", stop_at) "
	            "VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, 0) "
	            "ON CONFLICT (id) DO UPDATE SET changed_at = CASE WHEN " IS_OURS
	            "THEN excluded.changed_at ELSE threads.changed_at END, "
	            "stop_at = CASE WHEN " IS_OURS "THEN 0 ELSE threads.stop_at END "
	            "RETURNING " COLUMNS },
	[ONE] = { "SELECT " COLUMNS " FROM threads WHERE id = $1" },
	[LIST] = { "SELECT " COLUMNS " FROM threads WHERE \"user\" = $1 AND deleted_at = 0 "
	           "AND ($2 = '' OR project = $2) "
	           "AND ($3 = '' OR lower(title) LIKE lower($3) ESCAPE '!') "
	           "AND ($4 = 0 OR changed_at < $4 OR (changed_at = $4 AND id < $5)) "
	           "ORDER BY changed_at DESC, id DESC LIMIT $6" },
	[CHANGE] = { "UPDATE threads SET title = CASE WHEN $3 = '' THEN title ELSE $3 END, "
	             "viewed_at = CASE WHEN $4 = 0 THEN viewed_at ELSE $4 END, "
	             "deleted_at = CASE WHEN $5 = 0 THEN deleted_at ELSE $5 END "
	             "WHERE id = $1 AND \"user\" = $2 AND deleted_at = 0" },
	[STOP] = { "UPDATE threads SET stop_at = $2 WHERE id = $1" },
	[STOPPED] = { "SELECT id FROM threads WHERE stop_at > 0 ORDER BY id LIMIT $1" },
};

/* --- reading --- */

static ag_status take_row(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = (ag_reading *)arg;
	ag_thread_row *t = (ag_thread_row *)ag_rows_add(&r->rows);

	t->id = ag_db_get_id(&row[0]);
	t->name = ag_db_get_text(&row[1], r->arena);
	t->user = ag_db_get_text(&row[2], r->arena);
	t->project = ag_db_get_text(&row[3], r->arena);
	t->title = ag_db_get_text(&row[4], r->arena);
	t->created_ms = ag_db_get_int(&row[5]);
	t->changed_ms = ag_db_get_int(&row[6]);
	t->viewed_ms = ag_db_get_int(&row[7]);
	t->deleted_ms = ag_db_get_int(&row[8]);
	r->nbyte += sizeof(*t) + t->title.len;
	return ag_reading_check(r, err);
}

static ag_status read_rows(ag_db *db, const ag_sql *which, ag_db_args args, ag_arena *arena,
                           ag_thread_row **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_thread_row) },
		            .arena = arena,
		            .what = "the threads are" };
	ag_db_out out = { .on_row = take_row, .arg = &list };
	ag_status st = ag_db_run(db, which, args, &out, err);

	if (st)
		return st;
	*ret = (ag_thread_row *)ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}

static ag_status read_one(ag_db *db, const ag_sql *which, ag_db_args args, ag_arena *arena,
                          ag_thread_row *ret, ag_err *err)
{
	ag_thread_row *rows;
	size_t n;
	ag_status st = read_rows(db, which, args, arena, &rows, &n, err);

	if (!st && !n)
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no such conversation");
	if (!st)
		*ret = rows[0];
	return st;
}

ag_status ag_store_thread(ag_store *s, const ag_id *id, ag_arena *arena, ag_thread_row *ret,
                          ag_err *err)
{
	return read_one(s->db, &sql[ONE], AG_DB_ARGS(ag_db_text(ag_id_str(id))), arena, ret, err);
}

/* "50%" as a pattern that finds it anywhere. */
static ag_str pattern_of(ag_str text, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(4 * AG_THREAD_MAX_TITLE);
	ag_str ret;

	if (!text.len)
		return text;
	ag_buf_addc(&out, '%');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '%' || text.ptr[i] == '_' || text.ptr[i] == '!')
			ag_buf_addc(&out, '!');
		ag_buf_addc(&out, text.ptr[i]);
	}
	ag_buf_addc(&out, '%');
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

ag_status ag_store_threads(ag_store *s, const ag_thread_question *q, ag_arena *arena,
                           ag_thread_row **ret, size_t *nret, ag_err *err)
{
	ag_status st = ag_store_check_text(ORIGIN, "what is searched", q->text, AG_THREAD_MAX_TITLE,
	                                   err);

	if (st)
		return st;
	return read_rows(s->db, &sql[LIST],
	                 AG_DB_ARGS(ag_db_text(q->user), ag_db_text(q->project),
	                            ag_db_text(pattern_of(q->text, arena)), ag_db_int(q->before_ms),
	                            ag_db_text(q->before_id), ag_db_int((int64_t)q->limit)),
	                 arena, ret, nret, err);
}

static ag_status take_id(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = (ag_reading *)arg;

	*(ag_id *)ag_rows_add(&r->rows) = ag_db_get_id(&row[0]);
	r->nbyte += sizeof(ag_id);
	return ag_reading_check(r, err);
}

ag_status ag_store_stopped_threads(ag_store *s, ag_arena *arena, ag_id **ret, size_t *nret,
                                   ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_id) },
		            .arena = arena,
		            .what = "the threads are" };
	ag_db_out out = { .on_row = take_id, .arg = &list };
	ag_status st = ag_db_run(s->db, &sql[STOPPED], AG_DB_ARGS(ag_db_int(MAX_STOPPED)), &out,
	                         err);

	if (st)
		return st;
	*ret = (ag_id *)ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}

/* --- writing --- */

static ag_status check_row(const ag_thread_row *r, ag_err *err)
{
	ag_status st = ag_store_check_text(ORIGIN, "the id of a thread", r->name,
	                                   AG_THREAD_MAX_NAME, err);

	if (!st)
		st = ag_store_check_text(ORIGIN, "the user of a thread", r->user, 128, err);
	if (!st)
		st = ag_store_check_text(ORIGIN, "the project of a thread", r->project, 128, err);
	if (!st)
		st = ag_store_check_text(ORIGIN, "the title of a thread", r->title,
		                         AG_THREAD_MAX_TITLE, err);
	return st;
}

typedef struct claiming {
	const ag_thread_row *row;
	const ag_store_leased *lease; /* NULL */
	ag_arena *arena;
	ag_thread_row *ret;
	bool is_foreign; /* it is not kept: the thread is somebody else's, or deleted */
} claiming;

static ag_status claim_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	claiming *c = (claiming *)arg;
	const ag_thread_row *r = c->row;
	ag_status st = c->lease ? ag_runs_put_free_lease(db, c->lease, err) : AG_OK;

	(void)is_again; /* both statements may be run twice */
	if (!st)
		st = read_one(db, &sql[CLAIM],
		              AG_DB_ARGS(ag_db_text(ag_id_str(&r->id)), ag_db_text(r->name),
		                         ag_db_text(r->user), ag_db_text(r->project),
		                         ag_db_text(r->title), ag_db_int(r->created_ms),
		                         ag_db_int(r->changed_ms)),
		              c->arena, c->ret, err);
	c->is_foreign = !st && c->lease &&
	                (!ag_str_eq(c->ret->user, r->user) || c->ret->deleted_ms ||
	                 !ag_str_eq(c->ret->project, r->project));
	return c->is_foreign ? AG_DENIED : st;
}

/* One transaction of this thread alone: conversations do not wait for each other. */
static ag_status claim_thread(ag_store *s, claiming *c, ag_err *err)
{
	const ag_status st = ag_db_transact(s->db, AG_DB_WRITE, ag_id_str(&c->row->id), claim_work,
	                                    c, err);

	return st == AG_DENIED && c->is_foreign ? AG_OK : st;
}

ag_status ag_store_claim_thread(ag_store *s, const ag_thread_row *row, const ag_store_leased *lease,
                                ag_arena *arena, ag_thread_row *ret, ag_err *err)
{
	claiming c = { .row = row, .lease = lease, .arena = arena, .ret = ret };
	ag_err why = { 0 };
	ag_status st = check_row(row, err);

	if (st)
		return st;
	st = claim_thread(s, &c, &why);
	if (st == AG_CONFLICT && lease) {
		/* It was not given back: its holder may have died. */
		c.lease = NULL;
		st = claim_thread(s, &c, &why);
		if (!st && ag_str_eq(ret->user, row->user) && !ret->deleted_ms &&
		    ag_str_eq(ret->project, row->project))
			return ag_store_lease(s, &row->id, lease->owner, lease->now_ms,
			                      lease->ttl_ms, err);
	}
	if (st && err)
		*err = why;
	return st;
}

typedef struct changing {
	const ag_id *id;
	ag_str user;
	const ag_thread_change *change;
	int64_t stop_ms;
} changing;

static ag_status change_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const changing *c = (const changing *)arg;
	ag_db_out out = { 0 };
	ag_status st = ag_db_run(db, &sql[CHANGE],
	                         AG_DB_ARGS(ag_db_text(ag_id_str(c->id)), ag_db_text(c->user),
	                                    ag_db_text(c->change->title),
	                                    ag_db_int(c->change->viewed_ms),
	                                    ag_db_int(c->change->deleted_ms)),
	                         &out, err);

	if (!st && !out.nchange && !(is_again && c->change->deleted_ms))
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no such conversation");
	return st;
}

ag_status ag_store_change_thread(ag_store *s, const ag_id *id, ag_str user,
                                 const ag_thread_change *change, ag_err *err)
{
	changing c = { .id = id, .user = user, .change = change };
	ag_status st = ag_store_check_text(ORIGIN, "the title of a thread", change->title,
	                                   AG_THREAD_MAX_TITLE, err);

	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, change_work, &c, err);
}

static ag_status stop_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const changing *c = (const changing *)arg;

	(void)is_again;
	return ag_db_run(db, &sql[STOP],
	                 AG_DB_ARGS(ag_db_text(ag_id_str(c->id)), ag_db_int(c->stop_ms)), NULL,
	                 err);
}

ag_status ag_store_stop_thread(ag_store *s, const ag_id *id, int64_t at_ms, ag_err *err)
{
	changing c = { .id = id, .stop_ms = at_ms };

	return ag_db_transact(s->db, AG_DB_WRITE, SCOPE, stop_work, &c, err);
}
