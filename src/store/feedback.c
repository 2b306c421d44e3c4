/* feedback -- see the header (015_feedback.sql). */
#include "store/feedback.h"

#include "store/parts.h"

#define ORIGIN  "store.feedback"
#define SCOPE   AG_S("feedback")
#define COLUMNS "turn, thread, \"user\", project, verdict, reason, created_at, changed_at"

enum { PUT, DROP, OF_THREAD, OF_PROJECT };

static const ag_sql sql[] = {
	[PUT] = { "INSERT INTO feedback (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "
	          "ON CONFLICT (turn, \"user\") DO UPDATE SET verdict = excluded.verdict, "
	          "reason = excluded.reason, changed_at = excluded.changed_at" },
	[DROP] = { "DELETE FROM feedback WHERE turn = $1 AND \"user\" = $2" },
	[OF_THREAD] = { "SELECT f.turn, f.thread, f.\"user\", f.project, f.verdict, f.reason, "
	                "f.created_at, f.changed_at, '' FROM feedback f "
	                "WHERE f.thread = $1 AND f.\"user\" = $2 ORDER BY f.turn LIMIT $3" },
	[OF_PROJECT] = { "SELECT f.turn, f.thread, f.\"user\", f.project, f.verdict, f.reason, "
	                 "f.created_at, f.changed_at, coalesce(r.summary, '') FROM feedback f "
	                 "LEFT JOIN runs r ON r.id = f.turn WHERE f.project = $1 "
	                 "AND ($2 = '' OR f.verdict = $2) AND ($3 = 0 OR f.changed_at < $3 "
	                 "OR (f.changed_at = $3 AND (f.turn < $4 "
	                 "OR (f.turn = $4 AND f.\"user\" < $5)))) "
	                 "ORDER BY f.changed_at DESC, f.turn DESC, f.\"user\" DESC LIMIT $6" },
};

static ag_status take_row(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *r = (ag_reading *)arg;
	ag_feedback_row *f = (ag_feedback_row *)ag_rows_add(&r->rows);

	f->turn = ag_db_get_id(&row[0]);
	f->thread = ag_db_get_id(&row[1]);
	f->user = ag_db_get_text(&row[2], r->arena);
	f->project = ag_db_get_text(&row[3], r->arena);
	f->verdict = ag_db_get_text(&row[4], r->arena);
	f->reason = ag_db_get_text(&row[5], r->arena);
	f->created_ms = ag_db_get_int(&row[6]);
	f->changed_ms = ag_db_get_int(&row[7]);
	f->question = ag_db_get_text(&row[8], r->arena);
	r->nbyte += sizeof(*f) + f->reason.len + f->question.len;
	return ag_reading_check(r, err);
}

static ag_status read_rows(ag_db *db, const ag_sql *which, ag_db_args args, ag_arena *arena,
                           ag_feedback_row **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_feedback_row) },
		            .arena = arena,
		            .what = "what people say of answers is" };
	ag_db_out out = { .on_row = take_row, .arg = &list };
	ag_status st = ag_db_run(db, which, args, &out, err);

	if (st)
		return st;
	*ret = (ag_feedback_row *)ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}

ag_status ag_store_feedback_of(ag_store *s, const ag_id *thread, ag_str user, ag_arena *arena,
                               ag_feedback_row **ret, size_t *nret, ag_err *err)
{
	return read_rows(s->db, &sql[OF_THREAD],
	                 AG_DB_ARGS(ag_db_text(ag_id_str(thread)), ag_db_text(user),
	                            ag_db_int(AG_STORE_MAX_RUNS)),
	                 arena, ret, nret, err);
}

ag_status ag_store_feedback(ag_store *s, const ag_feedback_question *q, ag_arena *arena,
                            ag_feedback_row **ret, size_t *nret, ag_err *err)
{
	return read_rows(s->db, &sql[OF_PROJECT],
	                 AG_DB_ARGS(ag_db_text(q->project), ag_db_text(q->verdict),
	                            ag_db_int(q->before_ms), ag_db_text(q->before_turn),
	                            ag_db_text(q->before_user), ag_db_int((int64_t)q->limit)),
	                 arena, ret, nret, err);
}

static ag_status put_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const ag_feedback_row *f = (const ag_feedback_row *)arg;

	(void)is_again; /* it may be put twice */
	return ag_db_run(db, &sql[PUT],
	                 AG_DB_ARGS(ag_db_text(ag_id_str(&f->turn)),
	                            ag_db_text(ag_id_str(&f->thread)), ag_db_text(f->user),
	                            ag_db_text(f->project), ag_db_text(f->verdict),
	                            ag_db_text(f->reason), ag_db_int(f->created_ms),
	                            ag_db_int(f->changed_ms)),
	                 NULL, err);
}

ag_status ag_store_put_feedback(ag_store *s, const ag_feedback_row *row, ag_err *err)
{
	ag_feedback_row f = *row;
	ag_status st = ag_store_check_text(ORIGIN, "the reason", row->reason,
	                                   AG_FEEDBACK_MAX_REASON, err);

	if (!st && !ag_str_eqc(row->verdict, "up") && !ag_str_eqc(row->verdict, "down"))
		st = ag_fail(err, AG_INVALID, ORIGIN, "want the verdict \"up\" or \"down\"");
	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, put_work, &f, err);
}

typedef struct dropping {
	const ag_id *turn;
	ag_str user;
} dropping;

static ag_status drop_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const dropping *d = (const dropping *)arg;

	(void)is_again;
	return ag_db_run(db, &sql[DROP],
	                 AG_DB_ARGS(ag_db_text(ag_id_str(d->turn)), ag_db_text(d->user)), NULL,
	                 err);
}

ag_status ag_store_drop_feedback(ag_store *s, const ag_id *turn, ag_str user, ag_err *err)
{
	dropping d = { turn, user };

	return ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, drop_work, &d, err);
}
