/* The audit table checked from its beginning to its end, and shortened.
 *
 * Checking reads in pieces, each in a transaction of its own with the chain's two ends, so writers and checkpoints are not
 * held up; rows that come meanwhile are checked as well, and what a purge takes away meanwhile is no fault. */
#include "base/fault.h"
#include "store/sqlite.h"

#include <inttypes.h>

#define ORIGIN     "store.sqlite"
#define PIECE_ROWS 4096
/* 4096 rows: some MB that go at once; others get the lock in between. */
#define PURGE_ROWS "4096"

typedef struct checker {
	ag_ledger_check *ret;
	ag_arena *arena;
	ag_buf buf;
	int64_t base_seq; /* as far as it was known */
} checker;

static void checker_release(checker *c)
{
	ag_buf_release(&c->buf);
}

static void begin_at(checker *c, const ag_sqlite_chain *chain)
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
	hash = ag_sqlite_ledger_hash(k->head, r, &c->buf);
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
static void check_end(checker *c, const ag_sqlite_chain *chain)
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

static ag_status check_piece(ag_sqlite_store *s, checker *c, bool *ret_more, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_sqlite_chain chain;
	ag_ledger_row row = { 0 };
	int n = 0;
	ag_status st = ag_sqlite_ledger_chain(s, &chain, err);
	int rc;

	if (!st)
		st = ag_sqlite_prepare(s, AG_SQL_LEDGER_PIECE, &stmt, err);
	if (st)
		return st;
	if (chain.base_seq > c->base_seq && (uint64_t)chain.base_seq > c->ret->last)
		begin_at(c, &chain); /* purged up to there since */
	sqlite3_bind_int64(stmt, 1, (int64_t)c->ret->last);
	sqlite3_bind_int64(stmt, 2, PIECE_ROWS);
	for (rc = ag_sqlite_first_row(s, stmt); rc == SQLITE_ROW; rc = ag_sqlite_next_row(stmt)) {
		ag_sqlite_ledger_view(stmt, &row);
		n++;
		if (!check_row(c, &row)) {
			*ret_more = false;
			return AG_OK;
		}
	}
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret_more = n == PIECE_ROWS;
	if (!*ret_more)
		check_end(c, &chain);
	return AG_OK;
}

ag_status ag_sqlite_ledger_verify(ag_store *base, ag_arena *arena, ag_ledger_check *ret,
                                  ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	ag_ledger_check check = { 0 };
	AG_AUTO(checker_release)
	checker c = { .ret = &check, .arena = arena, .buf = AG_BUF_INIT(1 << 20), .base_seq = -1 };
	ag_sqlite_chain chain;
	bool more = true;
	ag_status st = ag_sqlite_ledger_chain(s, &chain, err);

	if (st)
		return st;
	begin_at(&c, &chain);
	while (more && !st) {
		int rc = ag_sqlite_exec(s, "BEGIN");

		st = rc ? ag_sqlite_fail(s, rc, "read", err) : check_piece(s, &c, &more, err);
		ag_sqlite_rollback(s);
	}
	if (st)
		return st;
	*ret = check;
	return AG_OK;
}

/* --- purge --- */

static int step_with(ag_sqlite_store *s, const char *sql, int64_t limit, int *ret_changes)
{
	sqlite3_stmt *stmt = NULL;
	int rc = ag_sqlite_prepare_text(s, sql, 0, &stmt);

	if (!rc) {
		sqlite3_bind_int64(stmt, 1, limit);
		rc = ag_fault("store.write") ? SQLITE_IOERR : sqlite3_step(stmt);
		*ret_changes += sqlite3_changes(s->db);
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE || rc == SQLITE_ROW ? SQLITE_OK : rc;
}

/* The last row that goes: an old one (before ?1) that no young one precedes, so that the chain stays whole after it. A row
 * of a time to come (after ?2) is of a clock that was wrong: it neither goes by itself nor keeps old rows after it. */
static const char last_old_row[] =
	"SELECT seq FROM ledger WHERE at < ?1 AND seq < "
	"ifnull((SELECT seq FROM ledger WHERE at >= ?1 AND at <= ?2 ORDER BY seq LIMIT 1), "
	"9223372036854775807) ORDER BY seq DESC LIMIT 1";
/* One piece of the rows up to ?1. */
static const char *const cut_rows[] = {
	"UPDATE ledger_chain SET (base_seq, base_hash) = (SELECT seq, hash FROM "
	"(SELECT seq, hash FROM ledger WHERE seq <= ?1 ORDER BY seq LIMIT " PURGE_ROWS ") "
	"ORDER BY seq DESC LIMIT 1) WHERE EXISTS (SELECT 1 FROM ledger WHERE seq <= ?1)",
	"DELETE FROM ledger WHERE seq <= (SELECT base_seq FROM ledger_chain) AND seq <= ?1",
};
static const char *const forget_old[] = {
	"DELETE FROM rates WHERE ends_at < ?1",
	"DELETE FROM texts WHERE at < ?1",
};

/* *ret 0 = no row goes. */
static ag_status find_last_old_row(ag_sqlite_store *s, int64_t older_than_ms, int64_t *ret,
                                   ag_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int rc = ag_sqlite_prepare_text(s, last_old_row, 0, &stmt);

	*ret = 0;
	if (!rc) {
		sqlite3_bind_int64(stmt, 1, older_than_ms);
		sqlite3_bind_int64(stmt, 2, ag_clock_wall(&ag_clock_system));
		rc = ag_sqlite_first_row(s, stmt);
	}
	if (rc == SQLITE_ROW)
		*ret = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? AG_OK : ag_sqlite_fail(s, rc, "read", err);
}

static ag_status purge_step(ag_sqlite_store *s, const char *const *steps, size_t n, int64_t limit,
                            int *ret_changes, ag_err *err)
{
	ag_status st = ag_sqlite_begin(s, false, err);
	int rc = SQLITE_OK;

	if (st)
		return st;
	*ret_changes = 0;
	for (size_t i = 0; i < n && !rc; i++)
		rc = step_with(s, steps[i], limit, ret_changes);
	st = rc ? ag_sqlite_fail(s, rc, "write to", err) : ag_sqlite_commit(s, err);
	if (st)
		ag_sqlite_rollback(s);
	return st;
}

ag_status ag_sqlite_ledger_purge(ag_sqlite_store *s, int64_t older_than_ms, bool *ret, ag_err *err)
{
	int64_t last = 0;
	int n = 0;
	ag_status st = purge_step(s, forget_old, AG_NELEM(forget_old), older_than_ms, &n, err);

	*ret |= n > 0;
	if (!st)
		st = find_last_old_row(s, older_than_ms, &last, err);
	for (n = 1; n && last && !st;) {
		st = purge_step(s, cut_rows, AG_NELEM(cut_rows), last, &n, err);
		*ret |= n > 0;
	}
	return st;
}
