/* Jobs: add, take, renew, end. jobs_look.c has what people look at and do to them.
 *
 * Invariant: a job that runs has one owner, and only that one renews or ends it. take_once() is the one place where it changes:
 * the row is locked with SKIP LOCKED, so workers that take at the same moment get different jobs without waiting for each other.
 * The limit of a target cannot be read from rows that others have locked: the taker writes the target's own row first, which
 * makes takers of one target take turns, and counts again then. Read take_once(), end_work(). */
#include "store/jobs.h"

#include <inttypes.h>

#include "run/owner.h"
#include "store/jobs_parts.h"
#include "store/parts.h"

#define ORIGIN           "store.jobs"
#define DEFAULT_ATTEMPTS 5u
#define SCOPE            AG_S("jobs")
/* Of one take: each dead job, and each target that was taken meanwhile, costs one. */
#define MAX_TAKES 1000

static const char *const state_names[AG_NJOB_STATE] = { "queued", "running", "done", "dead",
	                                                "cancelled" };

enum {
	ADD,
	ID_OF,
	CANDIDATE,
	LOCK_TARGET,
	COUNT_TARGET,
	START,
	MINE,
	BEAT,
	STOP_OF,
	RERUN,
	END,
	HOW_ENDED,
	OWNERS,
	FREE
};

static const ag_sql sql[] = {
	[ADD] = { "INSERT INTO jobs (" AG_JOB_COLUMNS
	          ") VALUES ($1, $2, $3, $4, $5, $6, 'queued', $7, $8, "
	          "0, 0, 0, $9, '', $10, 0, '', '') ON CONFLICT (once) DO NOTHING" },
	[ID_OF] = { "SELECT id FROM jobs WHERE once = $1" },
	/* $3 = limit of a target */
	[CANDIDATE] = { "SELECT " AG_JOB_COLUMNS " FROM jobs WHERE queue = $1 "
	                "AND state IN ('queued', 'running') AND ready_at <= $2 AND ($3 = 0 "
	                "OR target NOT IN (SELECT target FROM jobs WHERE state = 'running' "
	                "AND ready_at > $2 AND target <> '' GROUP BY target HAVING count(*) >= $3)) "
	                "ORDER BY ready_at, id LIMIT 1 {skip locked}" },
	[LOCK_TARGET] = { "INSERT INTO job_targets (target) VALUES ($1) "
	                  "ON CONFLICT (target) DO UPDATE SET target = excluded.target" },
	[COUNT_TARGET] = { "SELECT count(*) FROM jobs WHERE target = $1 AND state = 'running' "
	                   "AND ready_at > $2" },
	[START] = { "UPDATE jobs SET state = 'running', ready_at = $2, owner = $3, run = $4, "
	            "started_at = CASE WHEN started_at = 0 THEN $5 ELSE started_at END, "
	            "attempts = attempts + 1 WHERE id = $1" },
	[MINE] = { "SELECT " AG_JOB_COLUMNS " FROM jobs WHERE owner = $1 AND state = 'running' "
	           "AND ready_at > $2" },
	[BEAT] = { "UPDATE jobs SET ready_at = $4 WHERE id = $1 AND owner = $2 AND attempts = $3 "
	           "AND state = 'running'" },
	[STOP_OF] = { "SELECT wants_stop FROM jobs WHERE id = $1" },
	[RERUN] = { "UPDATE jobs SET run = $4 WHERE id = $1 AND owner = $2 AND attempts = $3 "
	            "AND state = 'running'" },
	[END] = { "UPDATE jobs SET state = $4, result = $5, error = $6, ready_at = $7, ended_at = $8, "
	          "attempts = $9, wants_stop = 0 WHERE id = $1 AND owner = $2 AND attempts = $3 "
	          "AND state = 'running'" },
	[HOW_ENDED] = { "SELECT state, owner FROM jobs WHERE id = $1" },
	[OWNERS] = { "SELECT DISTINCT owner FROM jobs WHERE queue = $1 AND state = 'running' "
	             "AND ready_at > $2" },
	[FREE] = { "UPDATE jobs SET ready_at = $3 WHERE queue = $1 AND owner = $2 "
	           "AND state = 'running' AND ready_at > $3" },
};

const char *ag_job_state_name(ag_job_state s)
{
	return state_names[s];
}

bool ag_job_state_read(ag_str text, ag_job_state *ret)
{
	for (int i = 0; i < AG_NJOB_STATE; i++) {
		if (ag_str_eqc(text, state_names[i])) {
			*ret = (ag_job_state)i;
			return true;
		}
	}
	return false;
}

/* --- checks --- */

bool ag_job_is_name(ag_str s)
{
	if (!s.len || s.len > AG_JOB_MAX_NAME)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];
		const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		                      (c >= '0' && c <= '9');

		if (!is_plain && (!i || !strchr("._-", c)))
			return false;
	}
	return true;
}

ag_status ag_job_check_name(const char *what, ag_str s, ag_err *err)
{
	if (ag_job_is_name(s))
		return AG_OK;
	return ag_fail(err, AG_INVALID, ORIGIN,
	               "%s: want a name of letters, digits, '.', '_' and '-', got \"%.*s\"", what,
	               (int)(s.len < 60 ? s.len : 60), s.len ? s.ptr : "");
}

static ag_status check_job(const ag_job *j, ag_err *err)
{
	ag_status st = ag_job_check_name("queue", j->queue, err);

	if (!st)
		st = ag_job_check_name("kind", j->kind, err);
	if (!st)
		st = ag_store_check_text(ORIGIN, "the target of a job", j->target, 256, err);
	if (!st)
		st = ag_store_check_text(ORIGIN, "what names a job once", j->once, 256, err);
	if (!st)
		st = ag_store_check_text(ORIGIN, "the payload of a job", j->payload,
		                         AG_JOB_MAX_PAYLOAD, err);
	if (!st && (!j->payload.len || j->payload.ptr[0] != '{'))
		st = ag_fail(err, AG_INVALID, ORIGIN, "the payload of a job is a JSON object");
	if (!st && (j->max_attempts > AG_JOB_MAX_TRIES || j->ready_ms < 0))
		st = ag_fail(err, AG_INVALID, ORIGIN,
		             "a job has 1 to %u attempts, and a time since 1970", AG_JOB_MAX_TRIES);
	return st;
}

/* --- adding --- */

static ag_status take_id(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(ag_id *)arg = ag_db_get_id(&row[0]);
	return AG_OK;
}

static ag_status take_number(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(int64_t *)arg = ag_db_get_int(&row[0]);
	return AG_OK;
}

ag_status ag_job_put(ag_db *db, const ag_job *j, ag_id *io_id, int64_t now_ms, bool *ret_new,
                     ag_err *err)
{
	const ag_str once = j->once.len ? j->once : ag_id_str(io_id);
	ag_db_out out = { 0 }, id_out = { .on_row = take_id, .arg = io_id };
	ag_status st = ag_db_run(
		db, &sql[ADD],
		AG_DB_ARGS(ag_db_text(ag_id_str(io_id)), ag_db_text(once), ag_db_text(j->queue),
	                   ag_db_text(j->kind), ag_db_text(j->target), ag_db_text(j->payload),
	                   ag_db_int(j->ready_ms ? j->ready_ms : now_ms), ag_db_int(now_ms),
	                   ag_db_int(j->max_attempts ? j->max_attempts : DEFAULT_ATTEMPTS),
	                   ag_db_text(ag_id_str(&j->run))),
		&out, err);

	*ret_new = !st && out.nchange;
	if (!st && !out.nchange)
		st = ag_db_run(db, &sql[ID_OF], AG_DB_ARGS(ag_db_text(once)), &id_out, err);
	return st;
}

typedef struct adding {
	const ag_job *jobs;
	ag_id *ids;
	size_t n, nadded;
	int64_t now_ms;
} adding;

static ag_status add_all(ag_db *db, const ag_job *jobs, ag_id *ids, size_t n, int64_t now_ms,
                         size_t *ret_added, ag_err *err)
{
	ag_status st = AG_OK;

	*ret_added = 0;
	for (size_t i = 0; i < n && !st; i++) {
		bool is_new = false;

		st = ag_job_put(db, &jobs[i], &ids[i], now_ms, &is_new, err);
		*ret_added += is_new;
	}
	return st || !n ? st : ag_db_tell(db, err);
}

/* Ids are chosen before, so a job that is there already has the same one. */
static ag_status add_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	adding *a = arg;
	const size_t before = a->nadded;
	ag_status st = add_all(db, a->jobs, a->ids, a->n, a->now_ms, &a->nadded, err);

	if (is_again && before > a->nadded)
		a->nadded = before;
	return st;
}

static ag_id *new_ids(const ag_job *jobs, size_t n, ag_arena *arena)
{
	ag_id *ids = ag_new_n(arena, ag_id, n ? n : 1);

	for (size_t i = 0; i < n; i++)
		ids[i] = jobs[i].id.text[0] ? jobs[i].id : ag_id_new(&ag_clock_system);
	return ids;
}

ag_status ag_store_add_jobs(ag_store *s, const ag_job *jobs, size_t n, int64_t now_ms, ag_id *ids,
                            size_t *ret_added, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	adding a = { .jobs = jobs, .ids = new_ids(jobs, n, arena), .n = n, .now_ms = now_ms };
	ag_status st = AG_OK;

	if (n > AG_JOB_MAX_BATCH)
		return ag_fail(err, AG_LIMIT, ORIGIN, "at most %u jobs are added at once, not %zu",
		               AG_JOB_MAX_BATCH, n);
	for (size_t i = 0; i < n && !st; i++)
		st = check_job(&jobs[i], err);
	if (!st && n)
		st = ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, add_work, &a, err);
	if (st)
		return st;
	if (ids && n)
		memcpy(ids, a.ids, n * sizeof(*ids));
	if (ret_added)
		*ret_added = a.nadded;
	return AG_OK;
}

/* --- rows --- */

void ag_job_read(const ag_db_val *row, ag_arena *arena, ag_job *ret)
{
	*ret = (ag_job){
		.id = ag_db_get_id(&row[0]),
		.once = ag_db_get_text(&row[1], arena),
		.queue = ag_db_get_text(&row[2], arena),
		.kind = ag_db_get_text(&row[3], arena),
		.target = ag_db_get_text(&row[4], arena),
		.payload = ag_db_get_text(&row[5], arena),
		.ready_ms = ag_db_get_int(&row[7]),
		.created_ms = ag_db_get_int(&row[8]),
		.started_ms = ag_db_get_int(&row[9]),
		.ended_ms = ag_db_get_int(&row[10]),
		.attempts = (unsigned)ag_db_get_u64(&row[11]),
		.max_attempts = (unsigned)ag_db_get_u64(&row[12]),
		.owner = ag_db_get_text(&row[13], arena),
		.run = ag_db_get_id(&row[14]),
		.wants_stop = ag_db_get_int(&row[15]) != 0,
		.result = ag_db_get_text(&row[16], arena),
		.error = ag_db_get_text(&row[17], arena),
	};
	if (!ag_job_state_read(ag_db_get_view(&row[6]), &ret->state))
		ret->state = AG_JOB_DEAD;
}

typedef struct one {
	ag_arena *arena;
	ag_job *job;
	size_t n;
} one;

static ag_status take_one(void *arg, const ag_db_val *row, ag_err *err)
{
	one *o = arg;

	(void)err;
	if (!o->n++)
		ag_job_read(row, o->arena, o->job);
	return AG_OK;
}

ag_status ag_job_read_one(ag_db *db, const ag_sql *which, ag_db_args args, ag_arena *arena,
                          ag_job *ret, size_t *ret_n, ag_err *err)
{
	one o = { .arena = arena, .job = ret };
	ag_db_out out = { .on_row = take_one, .arg = &o };
	ag_status st = ag_db_run(db, which, args, &out, err);

	*ret_n = st ? 0 : o.n;
	return st;
}

/* --- taking --- */

typedef struct taking {
	const ag_job_wish *w;
	ag_arena *arena;
	ag_job job;
	ag_id run; /* of a job that has none yet */
	enum { TAKEN, NOTHING, AGAIN } how;
} taking;

/* A worker died with it too often, or somebody wants it to stop and its worker is gone. */
static ag_status give_up(ag_db *db, taking *t, ag_err *err)
{
	const ag_job *j = &t->job;
	const ag_str state = ag_str_c(state_names[j->wants_stop ? AG_JOB_CANCELLED : AG_JOB_DEAD]);
	const ag_str error = j->wants_stop ? j->error
	                                   : ag_str_printf(t->arena,
	                                                   "its worker died, or lost the store, %u "
	                                                   "times%s%.*s",
	                                                   j->attempts,
	                                                   j->error.len ? "; before that: " : "",
	                                                   AG_FMT(j->error));

	t->how = AGAIN;
	return ag_db_run(db, &sql[END],
	                 AG_DB_ARGS(ag_db_text(ag_id_str(&j->id)), ag_db_text(j->owner),
	                            ag_db_int(j->attempts), ag_db_text(state),
	                            ag_db_text(j->result), ag_db_text(error),
	                            ag_db_int(j->ready_ms), ag_db_int(t->w->now_ms),
	                            ag_db_int(j->attempts)),
	                 NULL, err);
}

static ag_status is_target_full(ag_db *db, const taking *t, bool *ret, ag_err *err)
{
	int64_t n = 0;
	ag_db_out out = { .on_row = take_number, .arg = &n };
	ag_status st = AG_OK;

	*ret = false;
	if (!t->w->per_target || !t->job.target.len)
		return AG_OK;
	st = ag_db_run(db, &sql[LOCK_TARGET], AG_DB_ARGS(ag_db_text(t->job.target)), NULL, err);
	if (!st)
		st = ag_db_run(db, &sql[COUNT_TARGET],
		               AG_DB_ARGS(ag_db_text(t->job.target), ag_db_int(t->w->now_ms)), &out,
		               err);
	*ret = !st && (uint64_t)n >= t->w->per_target;
	return st;
}

static ag_status start(ag_db *db, taking *t, ag_err *err)
{
	const ag_job_wish *w = t->w;
	ag_job *j = &t->job;

	if (!j->run.text[0])
		j->run = t->run;
	j->state = AG_JOB_RUNNING;
	j->owner = w->owner;
	j->ready_ms = w->now_ms + w->lease_ms;
	j->started_ms = j->started_ms ? j->started_ms : w->now_ms;
	j->attempts++;
	t->how = TAKEN;
	return ag_db_run(db, &sql[START],
	                 AG_DB_ARGS(ag_db_text(ag_id_str(&j->id)), ag_db_int(j->ready_ms),
	                            ag_db_text(w->owner), ag_db_text(ag_id_str(&j->run)),
	                            ag_db_int(w->now_ms)),
	                 NULL, err);
}

static ag_status take_once(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	taking *t = arg;
	const ag_job_wish *w = t->w;
	size_t n = 0;
	bool is_full = false;
	ag_status st = AG_OK;

	t->how = NOTHING;
	if (is_again) { /* the first may have taken one: an owner has one job */
		st = ag_job_read_one(db, &sql[MINE],
		                     AG_DB_ARGS(ag_db_text(w->owner), ag_db_int(w->now_ms)),
		                     t->arena, &t->job, &n, err);
		if (st || n) {
			t->how = TAKEN;
			return st;
		}
	}
	st = ag_job_read_one(db, &sql[CANDIDATE],
	                     AG_DB_ARGS(ag_db_text(w->queue), ag_db_int(w->now_ms),
	                                ag_db_int((int64_t)w->per_target)),
	                     t->arena, &t->job, &n, err);
	if (st || !n)
		return st;
	if (t->job.state == AG_JOB_RUNNING &&
	    (t->job.wants_stop || t->job.attempts >= t->job.max_attempts))
		return give_up(db, t, err);
	st = is_target_full(db, t, &is_full, err);
	if (st)
		return st;
	if (is_full) {
		t->how = AGAIN;
		return AG_OK;
	}
	return start(db, t, err);
}

static ag_status check_lease(ag_str owner, int64_t now_ms, int64_t lease_ms, ag_err *err)
{
	if (owner.len && now_ms > 0 && lease_ms > 0 && lease_ms <= AG_JOB_MAX_LEASE)
		return AG_OK;
	return ag_fail(err, AG_INVALID, ORIGIN, "a job's lease needs an owner and up to 24 hours");
}

ag_status ag_store_take_job(ag_store *s, const ag_job_wish *w, ag_arena *arena, ag_job *ret,
                            bool *ret_found, ag_err *err)
{
	taking t = { .w = w, .arena = arena, .run = ag_id_new(&ag_clock_system), .how = AGAIN };
	ag_status st = check_lease(w->owner, w->now_ms, w->lease_ms, err);

	*ret_found = false;
	if (!st && w->per_target > INT32_MAX)
		st = ag_fail(err, AG_INVALID, ORIGIN, "per_target is too large");
	if (!st)
		st = ag_job_check_name("queue", w->queue, err);
	/* The owner's own scope: two takers need no turn. */
	for (int i = 0; i < MAX_TAKES && !st && t.how == AGAIN; i++)
		st = ag_db_transact(s->db, AG_DB_DURABLE, w->owner, take_once, &t, err);
	if (st || t.how != TAKEN)
		return st;
	*ret = t.job;
	ret->owner = ag_str_dup(arena, w->owner);
	*ret_found = true;
	return AG_OK;
}

/* --- while it runs --- */

static ag_status lost(const ag_job *j, ag_err *err)
{
	ag_fail(err, AG_CONFLICT, ORIGIN,
	        "the lease of job %s has ended, another worker may have it", j->id.text);
	return ag_err_hint(err, "a worker needs the store at least once in each lease");
}

typedef struct holding {
	const ag_job *job;
	const ag_job_end *end;
	const ag_id *run;
	ag_id *ids; /* of the children */
	int64_t now_ms, lease_ms;
	bool *stop;
} holding;

#define HELD(j) ag_db_text(ag_id_str(&(j)->id)), ag_db_text((j)->owner), ag_db_int((j)->attempts)

static ag_status beat_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const holding *h = arg;
	int64_t stop = 0;
	ag_db_out out = { 0 }, stop_out = { .on_row = take_number, .arg = &stop };
	ag_status st = ag_db_run(db, &sql[BEAT],
	                         AG_DB_ARGS(HELD(h->job), ag_db_int(h->now_ms + h->lease_ms)), &out,
	                         err);

	(void)is_again;
	if (!st && !out.nchange)
		return lost(h->job, err);
	if (!st)
		st = ag_db_run(db, &sql[STOP_OF], AG_DB_ARGS(ag_db_text(ag_id_str(&h->job->id))),
		               &stop_out, err);
	*h->stop = !st && stop;
	return st;
}

ag_status ag_store_beat_job(ag_store *s, const ag_job *job, int64_t now_ms, int64_t lease_ms,
                            bool *ret_stop, ag_err *err)
{
	holding h = { .job = job, .now_ms = now_ms, .lease_ms = lease_ms, .stop = ret_stop };
	ag_status st = check_lease(job->owner, now_ms, lease_ms, err);

	return st ? st : ag_db_transact(s->db, AG_DB_WRITE, job->owner, beat_work, &h, err);
}

static ag_status rerun_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const holding *h = arg;
	ag_db_out out = { 0 };
	ag_status st = ag_db_run(db, &sql[RERUN],
	                         AG_DB_ARGS(HELD(h->job), ag_db_text(ag_id_str(h->run))), &out,
	                         err);

	(void)is_again;
	return st || out.nchange ? st : lost(h->job, err);
}

ag_status ag_store_rerun_job(ag_store *s, const ag_job *job, const ag_id *run, ag_err *err)
{
	holding h = { .job = job, .run = run };

	return ag_db_transact(s->db, AG_DB_DURABLE, job->owner, rerun_work, &h, err);
}

/* --- the end --- */

typedef struct ending {
	ag_str owner, state;
	bool is_same;
} ending;

static ag_status take_ending(void *arg, const ag_db_val *row, ag_err *err)
{
	ending *e = arg;

	(void)err;
	e->is_same = ag_str_eq(ag_db_get_view(&row[0]), e->state) &&
	             ag_str_eq(ag_db_get_view(&row[1]), e->owner);
	return AG_OK;
}

/* Did the first of two tries end it? */
static ag_status was_ended(ag_db *db, const holding *h, ag_err *err)
{
	ending e = { .owner = h->job->owner, .state = ag_str_c(state_names[h->end->state]) };
	ag_db_out out = { .on_row = take_ending, .arg = &e };
	ag_status st = ag_db_run(db, &sql[HOW_ENDED],
	                         AG_DB_ARGS(ag_db_text(ag_id_str(&h->job->id))), &out, err);

	return st || e.is_same ? st : lost(h->job, err);
}

static ag_status end_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const holding *h = arg;
	const ag_job_end *e = h->end;
	const bool is_back = e->state == AG_JOB_QUEUED;
	const unsigned attempts = h->job->attempts - (is_back && e->is_free ? 1 : 0);
	const ag_str error = ag_str_make(e->error.ptr, e->error.len < AG_JOB_MAX_ERROR
	                                                       ? e->error.len
	                                                       : AG_JOB_MAX_ERROR);
	ag_db_out out = { 0 };
	size_t nadded;
	ag_status st =
		ag_db_run(db, &sql[END],
	                  AG_DB_ARGS(HELD(h->job), ag_db_text(ag_str_c(state_names[e->state])),
	                             ag_db_text(e->result), ag_db_text(error),
	                             ag_db_int(h->now_ms + e->delay_ms),
	                             ag_db_int(is_back ? 0 : h->now_ms), ag_db_int(attempts)),
	                  &out, err);

	if (!st && !out.nchange)
		return is_again ? was_ended(db, h, err) : lost(h->job, err);
	if (!st)
		st = add_all(db, e->children, h->ids, e->nchild, h->now_ms, &nadded, err);
	return st || e->nchild ? st : ag_db_tell(db, err);
}

ag_status ag_store_end_job(ag_store *s, const ag_job *job, const ag_job_end *end, int64_t now_ms,
                           ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	holding h = { .job = job, .end = end, .now_ms = now_ms };
	ag_status st = AG_OK;

	AG_ASSERT(end->state != AG_JOB_RUNNING);
	if (end->nchild > AG_JOB_MAX_BATCH)
		return ag_fail(err, AG_LIMIT, ORIGIN, "a job becomes at most %u jobs, not %zu",
		               AG_JOB_MAX_BATCH, end->nchild);
	for (size_t i = 0; i < end->nchild && !st; i++)
		st = check_job(&end->children[i], err);
	if (!st)
		st = ag_store_check_text(ORIGIN, "the result of a job", end->result,
		                         AG_JOB_MAX_PAYLOAD, err);
	if (st)
		return st;
	h.ids = new_ids(end->children, end->nchild, arena);
	return ag_db_transact(s->db, AG_DB_DURABLE, job->owner, end_work, &h, err);
}

/* --- workers that died --- */

static ag_status take_owner(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = arg;

	(void)err;
	if (ag_owner_state_of(ag_db_get_view(&row[0])) == AG_OWNER_DEAD)
		*(ag_str *)ag_rows_add(&r->rows) = ag_db_get_text(&row[0], r->arena);
	return AG_OK;
}

ag_status ag_store_free_jobs(ag_store *s, ag_str queue, int64_t now_ms, size_t *ret, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	AG_AUTO(ag_reading_release)
	ag_reading dead = { .rows = { .size = sizeof(ag_str) }, .arena = arena };
	ag_db_out out = { .on_row = take_owner, .arg = &dead };
	ag_status st = ag_db_run(s->db, &sql[OWNERS],
	                         AG_DB_ARGS(ag_db_text(queue), ag_db_int(now_ms)), &out, err);

	*ret = 0;
	for (size_t i = 0; i < dead.rows.n && !st; i++) {
		const ag_str owner = ((const ag_str *)(void *)dead.rows.ptr)[i];
		ag_db_out freed = { 0 };

		st = ag_db_run(s->db, &sql[FREE],
		               AG_DB_ARGS(ag_db_text(queue), ag_db_text(owner), ag_db_int(now_ms)),
		               &freed, err);
		*ret += freed.nchange;
	}
	return st;
}
