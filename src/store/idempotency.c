/* Answers to requests with a key (013_idempotency.sql). Every change may run twice. */
#include "store/idempotency.h"

#include "store/parts.h"

#define ORIGIN "store.idempotency"
#define SCOPE  AG_S("idempotency")
#define TEXT   128u /* bytes of a hash, an id and a type */

enum { SWEEP, CLAIM, GET, KEEP, DROP };

static const ag_sql sql[] = {
	[SWEEP] = { "DELETE FROM idempotency WHERE created_at < $1" },
	[CLAIM] = { "INSERT INTO idempotency (key, request, claim, status, media, body, created_at) "
	            "VALUES ($1, $2, $3, 0, '', '', $4) ON CONFLICT (key) DO NOTHING" },
	[GET] = { "SELECT request, claim, status, media, body FROM idempotency WHERE key = $1" },
	[KEEP] = { "UPDATE idempotency SET status = $3, media = $4, body = $5 "
	           "WHERE key = $1 AND claim = $2" },
	[DROP] = { "DELETE FROM idempotency WHERE key = $1 AND claim = $2" },
};

static ag_status check(const ag_idempotency *i, ag_err *err)
{
	ag_status st = ag_store_check_text(ORIGIN, "the key", i->key, TEXT, err);

	if (!st)
		st = ag_store_check_text(ORIGIN, "the hash of a request", i->request, TEXT, err);
	return st ? st : ag_store_check_text(ORIGIN, "the id of a request", i->claim, TEXT, err);
}

typedef struct claiming {
	const ag_idempotency *i;
	ag_arena *arena;
	ag_idempotent_answer answer;
} claiming;

static ag_status take_answer(void *arg, const ag_db_val *row, ag_err *err)
{
	claiming *c = (claiming *)arg;
	ag_idempotent_answer *a = &c->answer;

	(void)err;
	a->is_same = ag_str_eq(ag_db_get_text(&row[0], c->arena), c->i->request);
	a->is_claimed = ag_str_eq(ag_db_get_text(&row[1], c->arena), c->i->claim);
	a->status = (int)ag_db_get_int(&row[2]);
	a->media = ag_db_get_text(&row[3], c->arena);
	a->body = ag_db_get_text(&row[4], c->arena);
	return AG_OK;
}

static ag_status claim_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	claiming *c = (claiming *)arg;
	const ag_idempotency *i = c->i;
	ag_db_out out = { .on_row = take_answer, .arg = c };
	ag_status st;

	(void)is_again; /* the claim says whose it is */
	st = ag_db_run(db, &sql[SWEEP], AG_DB_ARGS(ag_db_int(i->now_ms - AG_IDEMPOTENCY_KEPT_MS)),
	               NULL, err);
	if (!st)
		st = ag_db_run(db, &sql[CLAIM],
		               AG_DB_ARGS(ag_db_text(i->key), ag_db_text(i->request),
		                          ag_db_text(i->claim), ag_db_int(i->now_ms)),
		               NULL, err);
	return st ? st : ag_db_run(db, &sql[GET], AG_DB_ARGS(ag_db_text(i->key)), &out, err);
}

ag_status ag_store_claim_key(ag_store *s, const ag_idempotency *i, ag_arena *arena,
                             ag_idempotent_answer *ret, ag_err *err)
{
	claiming c = { .i = i, .arena = arena };
	ag_status st = check(i, err);

	if (!st)
		st = ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, claim_work, &c, err);
	if (!st)
		*ret = c.answer;
	return st;
}

typedef struct keeping {
	const ag_idempotency *i;
	const ag_idempotent_answer *answer;
} keeping;

static ag_status keep_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const keeping *k = (const keeping *)arg;

	(void)is_again;
	return ag_db_run(db, &sql[KEEP],
	                 AG_DB_ARGS(ag_db_text(k->i->key), ag_db_text(k->i->claim),
	                            ag_db_int(k->answer->status), ag_db_text(k->answer->media),
	                            ag_db_text(k->answer->body)),
	                 NULL, err);
}

ag_status ag_store_keep_answer(ag_store *s, const ag_idempotency *i,
                               const ag_idempotent_answer *answer, ag_err *err)
{
	keeping k = { i, answer };
	ag_status st = check(i, err);

	if (!st)
		st = ag_store_check_text(ORIGIN, "the type of an answer", answer->media, TEXT, err);
	if (!st)
		st = ag_store_check_text(ORIGIN, "an answer", answer->body, AG_IDEMPOTENCY_MAX_BODY,
		                         err);
	return st ? st : ag_db_transact(s->db, AG_DB_DURABLE, SCOPE, keep_work, &k, err);
}

static ag_status drop_work(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	const ag_idempotency *i = (const ag_idempotency *)arg;

	(void)is_again;
	return ag_db_run(db, &sql[DROP], AG_DB_ARGS(ag_db_text(i->key), ag_db_text(i->claim)), NULL,
	                 err);
}

ag_status ag_store_drop_key(ag_store *s, const ag_idempotency *i, ag_err *err)
{
	ag_idempotency copy = *i;
	ag_status st = check(i, err);

	return st ? st : ag_db_transact(s->db, AG_DB_WRITE, SCOPE, drop_work, &copy, err);
}
