/* Jobs as people see them: lists, one by its id, how many there are; cancel, retry, purge. */
#include "store/jobs_parts.h"
#include "store/parts.h"

#define ORIGIN "store.jobs"
#define SCOPE  AG_S("jobs")

enum { LIST, BY_PREFIX, COUNTS, NEXT, CANCEL, RETRY, PURGE };

static const ag_sql sql[] = {
	/* $4 to $5: a range of `once` */
	[LIST] = { "SELECT " AG_JOB_COLUMNS " FROM jobs WHERE ($1 = '' OR queue = $1) "
	           "AND ($2 = '' OR kind = $2) AND ($3 = '' OR state = $3) "
	           "AND ($4 = '' OR (once >= $4 AND once < $5)) AND ($8 = '' OR run = $8) "
	           "ORDER BY created_at DESC, id DESC LIMIT $6 OFFSET $7" },
	[BY_PREFIX] = { "SELECT " AG_JOB_COLUMNS
	                " FROM jobs WHERE substr(id, 1, CAST($2 AS INTEGER)) = $1 LIMIT 2" },
	[COUNTS] = { "SELECT state, count(*) FROM jobs WHERE ($1 = '' OR queue = $1) GROUP BY state" },
	[NEXT] = { "SELECT coalesce(min(ready_at), 0) FROM jobs WHERE ($1 = '' OR queue = $1) "
	           "AND state IN ('queued', 'running')" },
	/* One whose worker is gone is cancelled at once. */
	[CANCEL] = { "UPDATE jobs SET wants_stop = CASE WHEN state = 'running' AND ready_at > $2 "
	             "THEN 1 ELSE 0 END, ended_at = CASE WHEN state = 'running' AND ready_at > $2 "
	             "THEN 0 ELSE $2 END, state = CASE WHEN state = 'running' AND ready_at > $2 "
	             "THEN 'running' ELSE 'cancelled' END "
	             "WHERE id = $1 AND state IN ('queued', 'running')" },
	[RETRY] = { "UPDATE jobs SET state = 'queued', ready_at = $2, ended_at = 0, attempts = 0, "
	            "wants_stop = 0, owner = '' WHERE id = $1 AND state IN ('dead', 'cancelled')" },
	[PURGE] = { "DELETE FROM jobs WHERE ended_at > 0 AND ended_at < $1" },
};

/* --- looking --- */

static ag_status take_listed(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = arg;
	ag_job *j = ag_rows_add(&r->rows);

	ag_job_read(row, r->arena, j);
	r->nbyte += sizeof(*j) + j->payload.len + j->result.len + j->error.len;
	return ag_reading_check(r, err);
}

ag_status ag_store_jobs(ag_store *s, const ag_job_filter *f, size_t limit, size_t offset,
                        ag_arena *arena, ag_job **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_job) },
		            .arena = arena,
		            .what = "the jobs are" };
	ag_db_out out = { .on_row = take_listed, .arg = &list };
	const ag_str state = f->has_state ? ag_str_c(ag_job_state_name(f->state)) : AG_S("");
	ag_str from = AG_S(""), to = AG_S("");
	ag_status st;

	if (limit > AG_JOB_MAX_LIST || offset > INT32_MAX)
		return ag_fail(err, AG_INVALID, ORIGIN, "a listing has at most %u jobs, not %zu",
		               AG_JOB_MAX_LIST, limit);
	if (f->schedule.len) { /* '0' follows '/' */
		from = ag_str_printf(arena, "schedule:%.*s/", AG_FMT(f->schedule));
		to = ag_str_printf(arena, "schedule:%.*s0", AG_FMT(f->schedule));
	}
	st = ag_db_run(s->db, &sql[LIST],
	               AG_DB_ARGS(ag_db_text(f->queue), ag_db_text(f->kind), ag_db_text(state),
	                          ag_db_text(from), ag_db_text(to), ag_db_int((int64_t)limit),
	                          ag_db_int((int64_t)offset), ag_db_text(f->run)),
	               &out, err);
	if (st)
		return st;
	*ret = ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}

static ag_status no_job(ag_str id, ag_err *err)
{
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "no job begins with \"%.*s\"",
	        (int)(id.len < 60 ? id.len : 60), id.len ? id.ptr : "");
	return ag_err_hint(err, "\"argus jobs\" lists them");
}

ag_status ag_store_job(ag_store *s, ag_str prefix, ag_arena *arena, ag_job *ret, ag_err *err)
{
	size_t n = 0;
	ag_job job;
	ag_status st;

	if (prefix.len < 4 || prefix.len > AG_ID_LEN ||
	    ag_store_check_text(ORIGIN, "id", prefix, 64, NULL))
		return no_job(prefix, err);
	st = ag_job_read_one(s->db, &sql[BY_PREFIX],
	                     AG_DB_ARGS(ag_db_text(prefix), ag_db_int((int64_t)prefix.len)), arena,
	                     &job, &n, err);
	if (st)
		return st;
	if (!n)
		return no_job(prefix, err);
	if (n > 1) {
		ag_fail(err, AG_CONFLICT, ORIGIN, "several jobs begin with \"%.*s\"",
		        AG_FMT(prefix));
		return ag_err_hint(err, "give more characters of the id");
	}
	*ret = job;
	return AG_OK;
}

static ag_status take_number(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(int64_t *)arg = ag_db_get_int(&row[0]);
	return AG_OK;
}

static ag_status take_count(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_job_counts *c = arg;
	ag_job_state state;

	(void)err;
	if (ag_job_state_read(ag_db_get_view(&row[0]), &state))
		c->of[state] = ag_db_get_u64(&row[1]);
	return AG_OK;
}

ag_status ag_store_count_jobs(ag_store *s, ag_str queue, ag_job_counts *ret, ag_err *err)
{
	ag_job_counts c = { 0 };
	ag_db_out out = { .on_row = take_count, .arg = &c };
	ag_db_out next = { .on_row = take_number, .arg = &c.next_ms };
	ag_status st = ag_db_run(s->db, &sql[COUNTS], AG_DB_ARGS(ag_db_text(queue)), &out, err);

	if (!st)
		st = ag_db_run(s->db, &sql[NEXT], AG_DB_ARGS(ag_db_text(queue)), &next, err);
	if (!st)
		*ret = c;
	return st;
}

/* --- what people do --- */

typedef struct changing {
	int which;
	const ag_id *id;
	int64_t now_ms;
	bool is_changed;
} changing;

static ag_status change_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	changing *c = arg;
	ag_db_out out = { 0 };
	ag_status st = ag_db_run(db, &sql[c->which],
	                         AG_DB_ARGS(ag_db_text(ag_id_str(c->id)), ag_db_int(c->now_ms)),
	                         &out, err);

	c->is_changed = !st && (out.nchange || is_again);
	return st || !c->is_changed ? st : ag_db_tell(db, err);
}

/* *ret: the job after the change. */
static ag_status change(ag_store *s, int which, const ag_id *id, int64_t now_ms, const char *what,
                        ag_job *ret, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	changing c = { .which = which, .id = id, .now_ms = now_ms };
	ag_status st = ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, change_work, &c, err);

	if (!st)
		st = ag_store_job(s, ag_id_str(id), arena, ret, err);
	if (!st && !c.is_changed)
		st = ag_fail(err, AG_INVALID, ORIGIN, "job %s is %s and cannot be %s", id->text,
		             ag_job_state_name(ret->state), what);
	return st;
}

ag_status ag_store_cancel_job(ag_store *s, const ag_id *id, int64_t now_ms, ag_job_state *ret,
                              ag_err *err)
{
	ag_job job = { 0 };
	ag_status st = change(s, CANCEL, id, now_ms, "cancelled", &job, err);

	if (!st)
		*ret = job.state;
	return st;
}

ag_status ag_store_retry_job(ag_store *s, const ag_id *id, int64_t now_ms, ag_err *err)
{
	ag_job job = { 0 };

	return change(s, RETRY, id, now_ms, "queued again", &job, err);
}

static ag_status purge_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	ag_db_out out = { 0 };
	changing *c = arg;
	ag_status st = ag_db_run(db, &sql[PURGE], AG_DB_ARGS(ag_db_int(c->now_ms)), &out, err);

	c->is_changed = is_again || out.nchange;
	return st;
}

ag_status ag_jobs_purge(ag_db *db, int64_t older_than_ms, bool *ret, ag_err *err)
{
	changing c = { .now_ms = older_than_ms };
	ag_status st = ag_db_transact(db, AG_DB_WRITE, AG_S("purge"), purge_work, &c, err);

	*ret = c.is_changed;
	return st;
}
