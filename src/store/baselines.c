/* baselines -- see the header (018_baselines.sql). */
#include "store/baselines.h"

#include "store/parts.h"

#define ORIGIN "store.baselines"
#define SCOPE  AG_S("baselines")

enum { PUT, DROP, GET };

static const ag_sql sql[] = {
	[PUT] = { "INSERT INTO baselines (source_key, run, \"user\", set_at) "
	          "VALUES ($1, $2, $3, $4) ON CONFLICT (source_key) DO UPDATE SET "
	          "run = excluded.run, \"user\" = excluded.\"user\", set_at = excluded.set_at" },
	[DROP] = { "DELETE FROM baselines WHERE run = $1" },
	[GET] = { "SELECT source_key, run, \"user\", set_at FROM baselines "
	          "WHERE source_key = $1" },
};

static ag_status put_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const ag_baseline_row *b = (const ag_baseline_row *)arg;

	(void)is_again; /* it may be put twice */
	return ag_db_run(db, &sql[PUT],
	                 AG_DB_ARGS(ag_db_text(b->source_key), ag_db_text(ag_id_str(&b->run)),
	                            ag_db_text(b->user), ag_db_int(b->set_ms)),
	                 NULL, err);
}

ag_status ag_store_put_baseline(ag_store *s, const ag_baseline_row *row, ag_err *err)
{
	ag_baseline_row b = *row;
	ag_status st = ag_store_check_text(ORIGIN, "the source", row->source_key,
	                                   AG_STORE_MAX_TEXT_BYTES, err);

	if (!st)
		st = ag_store_check_text(ORIGIN, "the user", row->user, AG_STORE_MAX_TEXT_BYTES,
		                         err);
	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, put_work, &b, err);
}

static ag_status drop_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	(void)is_again;
	return ag_db_run(db, &sql[DROP], AG_DB_ARGS(ag_db_text(ag_id_str((const ag_id *)arg))),
	                 NULL, err);
}

ag_status ag_store_drop_baseline(ag_store *s, const ag_id *run, ag_err *err)
{
	ag_id id = *run;

	return ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, drop_work, &id, err);
}

typedef struct looking {
	ag_arena *arena;
	ag_baseline_row *ret;
	bool *found;
} looking;

static ag_status take_row(void *arg, const ag_db_val *row, ag_err *err)
{
	const looking *l = (const looking *)arg;

	(void)err;
	*l->ret = (ag_baseline_row){ .source_key = ag_db_get_text(&row[0], l->arena),
		                     .run = ag_db_get_id(&row[1]),
		                     .user = ag_db_get_text(&row[2], l->arena),
		                     .set_ms = ag_db_get_int(&row[3]) };
	*l->found = true;
	return AG_OK;
}

ag_status ag_store_baseline(ag_store *s, ag_str source_key, ag_arena *arena, ag_baseline_row *ret,
                            bool *found, ag_err *err)
{
	looking l = { arena, ret, found };
	ag_db_out out = { .on_row = take_row, .arg = &l };

	*found = false;
	return ag_db_run(s->db, &sql[GET], AG_DB_ARGS(ag_db_text(source_key)), &out, err);
}
