/* Schedules: rows, and the one transaction that queues a job of one.
 *
 * When a schedule is due is worked out above (base/cron.h). Here a job of it is queued once for each time at which it was due: that
 * is the job's `once`, whatever the clocks of those who queue it say. */
#include <inttypes.h>
#include <stdio.h>

#include "store/jobs_parts.h"
#include "store/parts.h"

#define ORIGIN "store.schedules"
#define SCOPE  AG_S("schedules")

enum { ADD, IS_THERE, COUNT, LIST, DROP, PAUSE, CHANGE, MOVE, FIND };

#define COLUMNS "name, cron, zone, queue, kind, payload, is_paused, created_at, next_at, last_at"

static const ag_sql sql[] = {
	[ADD] = { "INSERT INTO schedules (" COLUMNS
	          ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)" },
	[IS_THERE] = { "SELECT count(*) FROM schedules WHERE name = $1 AND created_at = $2" },
	[COUNT] = { "SELECT count(*) FROM schedules" },
	[LIST] = { "SELECT " COLUMNS " FROM schedules ORDER BY name LIMIT $1" },
	[DROP] = { "DELETE FROM schedules WHERE name = $1" },
	[PAUSE] = { "UPDATE schedules SET is_paused = $2, next_at = $3 WHERE name = $1" },
	[CHANGE] = { "UPDATE schedules SET cron = $2, zone = $3, is_paused = $4, next_at = $5 "
	             "WHERE name = $1" },
	/* $2 = next_at as the caller knows it, $5 = the due time of a job, 0 = none */
	[MOVE] = { "UPDATE schedules SET next_at = $3, last_at = CASE WHEN $5 > last_at THEN $5 "
	           "ELSE last_at END WHERE name = $1 AND next_at = $2 AND cron = $4 "
	           "AND is_paused = 0" },
	[FIND] = { "SELECT count(*) FROM jobs WHERE id = $1" },
};

static ag_status take_number(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(int64_t *)arg = ag_db_get_int(&row[0]);
	return AG_OK;
}

static ag_status no_schedule(ag_str name, ag_err *err)
{
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no schedule \"%.*s\"",
	        (int)(name.len < 60 ? name.len : 60), name.len ? name.ptr : "");
	return ag_err_hint(err, "\"argus schedule list\" shows them");
}

static ag_status check(const ag_schedule *c, ag_err *err)
{
	ag_status st = ag_job_check_name("name", c->name, err);

	if (!st)
		st = ag_job_check_name("queue", c->queue, err);
	if (!st)
		st = ag_job_check_name("kind", c->kind, err);
	if (!st)
		st = ag_store_check_text(ORIGIN, "the cron expression", c->cron, 512, err);
	if (!st)
		st = ag_store_check_text(ORIGIN, "the time zone", c->zone, 128, err);
	if (!st)
		st = ag_store_check_text(ORIGIN, "the payload of a schedule", c->payload,
		                         AG_JOB_MAX_PAYLOAD, err);
	if (!st && (c->next_ms <= 0 || c->created_ms <= 0))
		st = ag_fail(err, AG_INVALID, ORIGIN, "a schedule needs a time");
	return st;
}

static ag_status add_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const ag_schedule *c = arg;
	int64_t n = 0;
	ag_db_out out = { .on_row = take_number, .arg = &n };
	ag_status st = ag_db_run(db, &sql[COUNT], AG_DB_NO_ARGS, &out, err);
	ag_db_out added = { 0 };

	if (!st && n >= AG_SCHEDULES_MAX)
		return ag_fail(err, AG_LIMIT, ORIGIN, "a store has at most %u schedules",
		               AG_SCHEDULES_MAX);
	if (!st && is_again) { /* did the first try take place? */
		n = 0;
		st = ag_db_run(db, &sql[IS_THERE],
		               AG_DB_ARGS(ag_db_text(c->name), ag_db_int(c->created_ms)), &out,
		               err);
		if (st || n)
			return st;
	}
	if (!st)
		st = ag_db_run(db, &sql[ADD],
		               AG_DB_ARGS(ag_db_text(c->name), ag_db_text(c->cron),
		                          ag_db_text(c->zone), ag_db_text(c->queue),
		                          ag_db_text(c->kind), ag_db_text(c->payload),
		                          ag_db_int(c->is_paused), ag_db_int(c->created_ms),
		                          ag_db_int(c->next_ms)),
		               &added, err);
	if (st == AG_CONFLICT) {
		ag_fail(err, AG_CONFLICT, ORIGIN, "there is a schedule \"%.*s\" already",
		        AG_FMT(c->name));
		return ag_err_hint(err, "remove it first, or choose another name");
	}
	return st;
}

ag_status ag_store_add_schedule(ag_store *s, const ag_schedule *c, ag_err *err)
{
	ag_schedule copy = *c;
	ag_status st = check(c, err);

	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, add_work, &copy, err);
}

static ag_status take_schedule(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = arg;
	ag_schedule *c = ag_rows_add(&r->rows);

	*c = (ag_schedule){
		.name = ag_db_get_text(&row[0], r->arena),
		.cron = ag_db_get_text(&row[1], r->arena),
		.zone = ag_db_get_text(&row[2], r->arena),
		.queue = ag_db_get_text(&row[3], r->arena),
		.kind = ag_db_get_text(&row[4], r->arena),
		.payload = ag_db_get_text(&row[5], r->arena),
		.is_paused = ag_db_get_int(&row[6]) != 0,
		.created_ms = ag_db_get_int(&row[7]),
		.next_ms = ag_db_get_int(&row[8]),
		.last_ms = ag_db_get_int(&row[9]),
	};
	r->nbyte += sizeof(*c) + c->payload.len;
	return ag_reading_check(r, err);
}

ag_status ag_store_schedules(ag_store *s, ag_arena *arena, ag_schedule **ret, size_t *nret,
                             ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_schedule) },
		            .arena = arena,
		            .what = "the schedules are" };
	ag_db_out out = { .on_row = take_schedule, .arg = &list };
	ag_status st = ag_db_run(s->db, &sql[LIST], AG_DB_ARGS(ag_db_int(AG_SCHEDULES_MAX)), &out,
	                         err);

	if (st)
		return st;
	*ret = ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}

typedef struct changing {
	ag_str name;
	bool is_paused, drops;
	int64_t next_ms;
} changing;

static ag_status change_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const changing *c = arg;
	ag_db_out out = { 0 };
	ag_status st = c->drops ? ag_db_run(db, &sql[DROP], AG_DB_ARGS(ag_db_text(c->name)), &out,
	                                    err)
	                        : ag_db_run(db, &sql[PAUSE],
	                                    AG_DB_ARGS(ag_db_text(c->name), ag_db_int(c->is_paused),
	                                               ag_db_int(c->next_ms)),
	                                    &out, err);

	return st || out.nchange || (c->drops && is_again) ? st : no_schedule(c->name, err);
}

ag_status ag_store_drop_schedule(ag_store *s, ag_str name, ag_err *err)
{
	changing c = { .name = name, .drops = true };

	if (!ag_job_is_name(name))
		return no_schedule(name, err);
	return ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, change_work, &c, err);
}

ag_status ag_store_pause_schedule(ag_store *s, ag_str name, bool is_paused, int64_t next_ms,
                                  ag_err *err)
{
	changing c = { .name = name, .is_paused = is_paused, .next_ms = next_ms };

	if (!ag_job_is_name(name))
		return no_schedule(name, err);
	return ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, change_work, &c, err);
}

static ag_status put_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const ag_schedule *c = arg;
	ag_db_out out = { 0 };
	const ag_status st = ag_db_run(db, &sql[CHANGE],
	                               AG_DB_ARGS(ag_db_text(c->name), ag_db_text(c->cron),
	                                          ag_db_text(c->zone), ag_db_int(c->is_paused),
	                                          ag_db_int(c->next_ms)),
	                               &out, err);

	(void)is_again; /* the same row once more */
	return st || out.nchange ? st : no_schedule(c->name, err);
}

ag_status ag_store_change_schedule(ag_store *s, const ag_schedule *c, ag_err *err)
{
	ag_schedule copy = *c;
	const ag_status st = check(c, err);

	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, put_work, &copy, err);
}

typedef struct queueing {
	const ag_schedule *c;
	ag_job job;
	bool has_job, is_new;
	ag_id id; /* chosen before the transaction, so that a second try knows its row again */
	int64_t due_ms, next_ms, now_ms;
} queueing;

static ag_status queue_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	queueing *q = arg;
	ag_db_out out = { 0 };
	int64_t n = 0;
	ag_db_out found = { .on_row = take_number, .arg = &n };
	ag_id id = q->id;
	ag_status st = ag_db_run(db, &sql[MOVE],
	                         AG_DB_ARGS(ag_db_text(q->c->name), ag_db_int(q->c->next_ms),
	                                    ag_db_int(q->next_ms), ag_db_text(q->c->cron),
	                                    ag_db_int(q->has_job ? q->due_ms : 0)),
	                         &out, err);

	q->is_new = false;
	if (!st && is_again && q->has_job) {
		st = ag_db_run(db, &sql[FIND], AG_DB_ARGS(ag_db_text(ag_id_str(&id))), &found, err);
		q->is_new = n > 0;
	}
	if (st || !out.nchange || !q->has_job || q->is_new)
		return st;
	st = ag_job_put(db, &q->job, &id, q->now_ms, &q->is_new, err);
	return st || !q->is_new ? st : ag_db_tell(db, err);
}

ag_status ag_store_queue_scheduled(ag_store *s, const ag_schedule *c, const ag_job *job,
                                   int64_t due_ms, int64_t next_ms, int64_t now_ms, bool *ret,
                                   ag_err *err)
{
	char once[AG_JOB_MAX_NAME + 40];
	queueing q = { .c = c,
		       .has_job = job != NULL,
		       .id = ag_id_new(&ag_clock_system),
		       .due_ms = due_ms,
		       .next_ms = next_ms,
		       .now_ms = now_ms };
	ag_status st;

	if (job) {
		q.job = *job;
		snprintf(once, sizeof(once), "schedule:%.*s/%" PRId64, AG_FMT(c->name), due_ms);
		q.job.once = ag_str_c(once);
	}
	st = ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, queue_work, &q, err);
	*ret = !st && q.is_new;
	return st;
}
