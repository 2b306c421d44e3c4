/* The audit table checked from its beginning to its end, and shortened.
 *
 * Checking reads in pieces, each in a transaction of its own with the chain's two ends, so writers and checkpoints are not
 * held up; rows that come meanwhile are checked as well, and what a purge takes away meanwhile is no fault. */
#include "base/time.h"
#include "store/ledger_rows.h"

#include <inttypes.h>

#define PIECE_ROWS 4096
/* Some MB that go at once; others get the lock in between. */
#define PURGE_ROWS 4096

enum { PIECE, LAST_OLD, MOVE_BASE, CUT, OLD_RATES, OLD_TEXTS };

static const ag_sql sql[] = {
	[PIECE] = { "SELECT " AG_LEDGER_COLUMNS
	            " FROM ledger WHERE seq > $1 ORDER BY seq LIMIT $2" },
	/* The last row to remove: an old one (before $1) that no young one precedes, so that the chain stays whole after
	 * it. A row of a time to come (after $2) was written by a clock that was wrong: it is not removed for itself, and
	 * does not keep old rows after it. */
	[LAST_OLD] = { "SELECT seq FROM ledger WHERE at < $1 AND seq < "
	               "coalesce((SELECT seq FROM ledger WHERE at >= $1 AND at <= $2 "
	               "ORDER BY seq LIMIT 1), 9223372036854775807) ORDER BY seq DESC LIMIT 1" },
	/* One piece of the rows up to $1. */
	[MOVE_BASE] = { "UPDATE ledger_chain SET (base_seq, base_hash) = (SELECT seq, hash FROM "
	                "(SELECT seq, hash FROM ledger WHERE seq <= $1 ORDER BY seq LIMIT $2) piece "
	                "ORDER BY seq DESC LIMIT 1) "
	                "WHERE EXISTS (SELECT 1 FROM ledger WHERE seq <= $1)" },
	[CUT] = { "DELETE FROM ledger "
	          "WHERE seq <= (SELECT base_seq FROM ledger_chain) AND seq <= $1" },
	[OLD_RATES] = { "DELETE FROM rates WHERE ends_at < $1" },
	[OLD_TEXTS] = { "DELETE FROM texts WHERE at < $1" },
};

typedef struct checker {
	ag_ledger_check *ret;
	ag_arena *arena;
	ag_buf buf;
	int64_t base_seq; /* as far as it was known */
	size_t nread;     /* rows of this piece */
	bool is_broken;
} checker;

static void checker_release(checker *c)
{
	ag_buf_release(&c->buf);
}

static void begin_at(checker *c, const ag_ledger_chain *chain)
{
	c->base_seq = chain->base_seq;
	c->ret->nrow = 0;
	c->ret->first = c->ret->last = (uint64_t)chain->base_seq;
	memcpy(c->ret->head, chain->base_hash, sizeof(c->ret->head));
}

static void missing(checker *c, uint64_t first, uint64_t last, const char *where)
{
	c->ret->why = first == last ? ag_str_printf(c->arena, "row %" PRIu64 " is missing%s", first,
	                                            where)
	                            : ag_str_printf(c->arena,
	                                            "rows %" PRIu64 " to %" PRIu64 " are missing%s",
	                                            first, last, where);
}

/* False when the chain is broken there. */
static bool check_row(checker *c, const ag_ledger_row *r)
{
	ag_ledger_check *k = c->ret;
	ag_sha256_hex hash;

	if (r->seq != k->last + 1) {
		k->broken_at = r->seq;
		missing(c, k->last + 1, r->seq - 1, "");
		return false;
	}
	hash = ag_ledger_hash(k->head, r, &c->buf);
	if (memcmp(hash.text, r->hash, sizeof(r->hash)) != 0) {
		k->broken_at = r->seq;
		k->why = k->nrow ? ag_str_printf(c->arena,
		                                 "row %" PRIu64 " was changed, or row %" PRIu64
		                                 " with its hash",
		                                 r->seq, k->last)
		                 : ag_str_printf(c->arena, "row %" PRIu64 " was changed", r->seq);
		return false;
	}
	k->first = k->nrow ? k->first : r->seq;
	k->last = r->seq;
	k->nrow++;
	memcpy(k->head, hash.text, sizeof(k->head));
	return true;
}

/* The last row that is there and the note of the last row that was written. */
static void check_end(checker *c, const ag_ledger_chain *chain)
{
	ag_ledger_check *k = c->ret;

	if ((uint64_t)chain->head_seq > k->last) {
		k->broken_at = k->last + 1;
		missing(c, k->last + 1, (uint64_t)chain->head_seq, " at the end");
	} else if ((uint64_t)chain->head_seq < k->last || strcmp(chain->head_hash, k->head) != 0) {
		k->broken_at = k->last;
		k->why = ag_str_printf(c->arena, "row %" PRIu64 " is not the one that was written",
		                       k->last);
	}
}

static ag_status take_row(void *arg, const ag_db_val *row, ag_err *err)
{
	checker *c = arg;
	ag_ledger_row r = { 0 };

	(void)err;
	c->nread++;
	if (!c->is_broken) { /* else the rest of the piece is not looked at */
		ag_ledger_view(row, &r);
		c->is_broken = !check_row(c, &r);
	}
	return AG_OK;
}

static ag_status check_piece(ag_db *db, checker *c, bool *ret_more, ag_err *err)
{
	ag_ledger_chain chain = { 0 };
	ag_db_out out = { .on_row = take_row, .arg = c };
	ag_status st = ag_ledger_read_chain(db, &chain, err);

	if (st)
		return st;
	if (chain.base_seq > c->base_seq && (uint64_t)chain.base_seq > c->ret->last)
		begin_at(c, &chain); /* purged up to there since */
	c->nread = 0;
	st = ag_db_run(db, &sql[PIECE],
	               AG_DB_ARGS(ag_db_int((int64_t)c->ret->last), ag_db_int(PIECE_ROWS)), &out,
	               err);
	if (st)
		return st;
	*ret_more = !c->is_broken && c->nread == PIECE_ROWS;
	if (!*ret_more && !c->is_broken)
		check_end(c, &chain);
	return AG_OK;
}

ag_status ag_store_ledger_verify(ag_store *s, ag_arena *arena, ag_ledger_check *ret, ag_err *err)
{
	ag_ledger_check check = { 0 };
	AG_AUTO(checker_release)
	checker c = { .ret = &check,
		      .arena = arena,
		      .buf = AG_BUF_INIT(AG_LEDGER_MAX_CANONICAL),
		      .base_seq = -1 };
	ag_ledger_chain chain = { 0 };
	bool more = true;
	ag_status st = ag_ledger_read_chain(s->db, &chain, err);

	if (st)
		return st;
	begin_at(&c, &chain);
	while (more && !st) {
		st = ag_db_begin(s->db, AG_DB_READ, AG_LEDGER_SCOPE, err);
		if (!st)
			st = check_piece(s->db, &c, &more, err);
		s->db->type->rollback(s->db);
	}
	if (st)
		return st;
	*ret = check;
	return AG_OK;
}

/* --- purge --- */

static ag_status take_seq(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(int64_t *)arg = ag_db_get_int(&row[0]);
	return AG_OK;
}

typedef struct purging {
	int64_t older_than_ms, last; /* last: the row up to which is cut; 0 = none */
	uint64_t n;                  /* that the last transaction removed */
} purging;

static ag_status forget_old(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	purging *p = arg;
	ag_db_out rates = { 0 }, texts = { 0 };
	ag_status st = ag_db_run(db, &sql[OLD_RATES], AG_DB_ARGS(ag_db_int(p->older_than_ms)),
	                         &rates, err);

	if (!st)
		st = ag_db_run(db, &sql[OLD_TEXTS], AG_DB_ARGS(ag_db_int(p->older_than_ms)), &texts,
		               err);
	p->n = rates.nchange + texts.nchange + is_again;
	return st;
}

/* One piece of the rows up to p->last. A second try cuts the next piece when the first took place. */
static ag_status cut(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	purging *p = arg;
	ag_db_out removed = { 0 };
	ag_status st = ag_db_run(db, &sql[MOVE_BASE],
	                         AG_DB_ARGS(ag_db_int(p->last), ag_db_int(PURGE_ROWS)), NULL, err);

	(void)is_again;
	if (!st)
		st = ag_db_run(db, &sql[CUT], AG_DB_ARGS(ag_db_int(p->last)), &removed, err);
	p->n = removed.nchange;
	return st;
}

ag_status ag_ledger_purge(ag_db *db, int64_t older_than_ms, bool *ret, ag_err *err)
{
	purging p = { .older_than_ms = older_than_ms };
	ag_db_out out = { .on_row = take_seq, .arg = &p.last };
	ag_status st = ag_db_transact(db, AG_DB_WRITE, AG_LEDGER_SCOPE, forget_old, &p, err);

	*ret |= !st && p.n > 0;
	if (!st)
		st = ag_db_run(db, &sql[LAST_OLD],
		               AG_DB_ARGS(ag_db_int(older_than_ms),
		                          ag_db_int(ag_clock_wall(&ag_clock_system))),
		               &out, err);
	for (p.n = 1; p.n && p.last && !st; *ret |= !st && p.n > 0)
		st = ag_db_transact(db, AG_DB_WRITE, AG_LEDGER_SCOPE, cut, &p, err);
	return st;
}
