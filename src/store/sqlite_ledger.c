/* The audit table, rate limits and cached texts in SQLite (005_projects.sql).
 *
 * Invariant: ledger_chain names the last row and its hash, and both change in one transaction under the write lock: writers
 * of any process continue one chain. A row is bound from the caller's memory and hashed into one buffer, so a group costs no
 * allocation a row; one statement, one commit, one sync of the disk. Checking and purge are in sqlite_ledger_care.c. */
#include "store/sqlite.h"

#define ORIGIN "store.sqlite"
/* A row's JSON: every byte escaped as six, and the numbers. */
#define MAX_CANONICAL \
	(6 * (AG_LEDGER_MAX_SQL + 2 * AG_LEDGER_MAX_TEXT + 10 * AG_LEDGER_MAX_NAME) + 512)

/* --- append --- */

static void copy_hash(char ret[65], sqlite3_stmt *stmt, int at)
{
	const char *text = (const char *)sqlite3_column_text(stmt, at);
	int n = sqlite3_column_bytes(stmt, at);

	memcpy(ret, text ? text : "", n > 0 && n < 65 ? (size_t)n : 0);
	ret[n > 0 && n < 65 ? n : 0] = '\0';
}

ag_status ag_sqlite_ledger_chain(ag_sqlite_store *s, ag_sqlite_chain *ret, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_LEDGER_CHAIN, &stmt, err);
	int rc;

	if (st)
		return st;
	rc = ag_sqlite_first_row(s, stmt);
	if (rc == SQLITE_DONE) {
		ag_fail(err, AG_IO, ORIGIN, "the audit table of \"%.200s\" has lost its chain",
		        s->path);
		return ag_err_hint(err, "somebody changed the file: keep a copy of it, and restore "
		                        "it or begin another store");
	}
	if (rc != SQLITE_ROW)
		return ag_sqlite_fail(s, rc, "read", err);
	ret->base_seq = sqlite3_column_int64(stmt, 0);
	copy_hash(ret->base_hash, stmt, 1);
	ret->head_seq = sqlite3_column_int64(stmt, 2);
	copy_hash(ret->head_hash, stmt, 3);
	return AG_OK;
}

ag_sha256_hex ag_sqlite_ledger_hash(const char before[65], const ag_ledger_row *r, ag_buf *buf)
{
	ag_buf_clear(buf);
	ag_buf_adds(buf, before);
	ag_ledger_canonical(r, buf);
	return ag_sha256(ag_buf_view(buf));
}

static ag_status set_head(ag_sqlite_store *s, const ag_ledger_row *last, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_LEDGER_SET_HEAD, &stmt, err);
	int rc;

	if (st)
		return st;
	sqlite3_bind_int64(stmt, 1, (int64_t)last->seq);
	ag_sqlite_bind_str(stmt, 2, ag_str_make(last->hash, 64));
	rc = ag_sqlite_write_step(stmt);
	return rc == SQLITE_DONE ? AG_OK : ag_sqlite_fail(s, rc, "write to", err);
}

#define NTEXT 13

static void texts_of(const ag_ledger_row *r, ag_str ret[NTEXT])
{
	const ag_str all[NTEXT] = { r->user,    r->project,     r->token,   r->session, r->tool,
		                    r->sql,     r->fingerprint, r->verdict, r->rule,    r->tables,
		                    r->outcome, r->detail,      r->owner };

	memcpy(ret, all, sizeof(all));
}

/* A text that the row before it has too stays bound over the reset: most are the same from row to row, and to compare one
 * costs a tenth of binding it. `last` is of the same group, so its bytes are still there; NULL = r is the first. */
static void bind_row(sqlite3_stmt *stmt, const ag_ledger_row *r, const ag_ledger_row *last)
{
	static const int columns[NTEXT] = { 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 17, 18, 20 };
	ag_str texts[NTEXT], bound[NTEXT];

	texts_of(r, texts);
	texts_of(last ? last : r, bound);
	for (size_t i = 0; i < NTEXT; i++) {
		if (!last || !ag_str_eq(texts[i], bound[i]))
			ag_sqlite_bind_str(stmt, columns[i], texts[i]);
	}
	sqlite3_bind_int64(stmt, 1, (int64_t)r->seq);
	sqlite3_bind_int64(stmt, 2, r->at_ms);
	sqlite3_bind_int64(stmt, 13, (int64_t)r->nrow);
	sqlite3_bind_int64(stmt, 14, (int64_t)r->nbyte);
	sqlite3_bind_int64(stmt, 15, r->wait_us);
	sqlite3_bind_int64(stmt, 16, r->exec_us);
	sqlite3_bind_int64(stmt, 19, (int64_t)r->began);
	ag_sqlite_bind_str(stmt, 21, ag_str_make(r->hash, 64));
}

static ag_status add_rows(ag_sqlite_store *s, ag_ledger_row *rows, size_t n, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	AG_AUTO(ag_buf_release) ag_buf buf = AG_BUF_INIT(MAX_CANONICAL);
	ag_sqlite_chain chain = { 0 };
	const char *before = chain.head_hash;
	ag_status st = ag_sqlite_ledger_chain(s, &chain, err);

	if (!st)
		st = ag_sqlite_prepare(s, AG_SQL_LEDGER_ADD, &stmt, err);
	if (st)
		return st;
	for (size_t i = 0; i < n; i++) {
		ag_ledger_row *r = &rows[i];
		ag_sha256_hex hash;
		int rc;

		r->seq = (uint64_t)chain.head_seq + 1 + i;
		hash = ag_sqlite_ledger_hash(before, r, &buf);
		memcpy(r->hash, hash.text, sizeof(r->hash));
		before = r->hash;
		bind_row(stmt, r, i ? r - 1 : NULL);
		rc = ag_sqlite_write_step(stmt);
		if (rc != SQLITE_DONE)
			return ag_sqlite_fail(s, rc, "write to", err);
		sqlite3_reset(stmt);
	}
	return set_head(s, &rows[n - 1], err);
}

static ag_status append(ag_store *base, ag_ledger_row *rows, size_t n, bool durable, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	ag_status st = ag_sqlite_begin(s, durable, err);

	return st ? st : ag_sqlite_end(s, add_rows(s, rows, n, err), err);
}

/* --- rows --- */

static ag_str view(sqlite3_stmt *stmt, int at)
{
	const char *text = (const char *)sqlite3_column_text(stmt, at);

	return ag_str_make(text ? text : "", (size_t)sqlite3_column_bytes(stmt, at));
}

void ag_sqlite_ledger_view(sqlite3_stmt *stmt, ag_ledger_row *r)
{
	ag_str *const texts[] = { &r->user, &r->project,     &r->token,   &r->session, &r->tool,
		                  &r->sql,  &r->fingerprint, &r->verdict, &r->rule,    &r->tables };
	int at = 0;

	r->seq = (uint64_t)sqlite3_column_int64(stmt, at++);
	r->at_ms = sqlite3_column_int64(stmt, at++);
	for (size_t i = 0; i < AG_NELEM(texts); i++)
		*texts[i] = view(stmt, at++);
	r->nrow = (uint64_t)sqlite3_column_int64(stmt, at++);
	r->nbyte = (uint64_t)sqlite3_column_int64(stmt, at++);
	r->wait_us = sqlite3_column_int64(stmt, at++);
	r->exec_us = sqlite3_column_int64(stmt, at++);
	r->outcome = view(stmt, at++);
	r->detail = view(stmt, at++);
	r->began = (uint64_t)sqlite3_column_int64(stmt, at++);
	r->owner = view(stmt, at++);
	copy_hash(r->hash, stmt, at);
}

static size_t keep_row(ag_ledger_row *r, ag_arena *arena)
{
	ag_str *const texts[] = { &r->user, &r->project, &r->token,   &r->session,
		                  &r->tool, &r->sql,     &r->verdict, &r->fingerprint,
		                  &r->rule, &r->tables,  &r->outcome, &r->detail,
		                  &r->owner };
	size_t nbyte = sizeof(*r);

	for (size_t i = 0; i < AG_NELEM(texts); i++) {
		*texts[i] = ag_str_dup(arena, *texts[i]);
		nbyte += texts[i]->len;
	}
	return nbyte;
}

static ag_status rows(ag_store *base, const ag_ledger_query *q, ag_arena *arena,
                      ag_ledger_row **ret, size_t *nret, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	AG_AUTO(ag_sqlite_rows_release) ag_sqlite_rows list = { .size = sizeof(ag_ledger_row) };
	bool is_newest = q->after_seq == UINT64_MAX;
	uint64_t at = q->after_seq < INT64_MAX ? q->after_seq : INT64_MAX;
	size_t nbyte = 0;
	ag_status st = ag_sqlite_prepare(s, is_newest ? AG_SQL_LEDGER_NEWEST : AG_SQL_LEDGER_AFTER,
	                                 &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, q->user);
	ag_sqlite_bind_str(stmt, 2, q->project);
	ag_sqlite_bind_str(stmt, 3, q->tool);
	ag_sqlite_bind_str(stmt, 4, q->outcome);
	sqlite3_bind_int64(stmt, 5, q->since_ms);
	sqlite3_bind_int64(stmt, 6, (int64_t)at);
	sqlite3_bind_int64(stmt, 7, (int64_t)q->limit);
	sqlite3_bind_int(stmt, 8, q->calls);
	for (rc = ag_sqlite_first_row(s, stmt); rc == SQLITE_ROW; rc = ag_sqlite_next_row(stmt)) {
		ag_ledger_row *r = ag_sqlite_rows_add(&list);

		ag_sqlite_ledger_view(stmt, r);
		nbyte += keep_row(r, arena);
		if (nbyte > AG_STORE_MAX_READ_BYTES)
			return ag_sqlite_too_much("the rows of the audit table are", err);
	}
	if (rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = ag_sqlite_rows_dup(&list, arena);
	*nret = list.n;
	return AG_OK;
}

/* --- rate limits --- */

typedef struct window {
	int64_t began_ms, ends_ms;
	uint64_t used;
} window;

/* The window that a call at now_ms falls into; one that has ended is a new one. Who waited for the lock may have looked at
 * his clock before the window began, so only a clock that was set back by more than the window begins anew. */
static ag_status read_window(ag_sqlite_store *s, const ag_rate_key *key, int64_t now_ms,
                             window *ret, ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_RATE, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, key->name);
	rc = ag_sqlite_first_row(s, stmt);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret = (window){ now_ms, now_ms + key->window_ms, 0 };
	if (rc == SQLITE_ROW && now_ms < sqlite3_column_int64(stmt, 1) &&
	    sqlite3_column_int64(stmt, 0) - now_ms <= key->window_ms) {
		ret->began_ms = sqlite3_column_int64(stmt, 0);
		ret->ends_ms = sqlite3_column_int64(stmt, 1);
		ret->used = (uint64_t)sqlite3_column_int64(stmt, 2);
	}
	return AG_OK;
}

static ag_status write_window(ag_sqlite_store *s, const ag_rate_key *key, const window *w,
                              ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_PUT_RATE, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, key->name);
	sqlite3_bind_int64(stmt, 2, w->began_ms);
	sqlite3_bind_int64(stmt, 3, w->ends_ms);
	sqlite3_bind_int64(stmt, 4, (int64_t)w->used);
	rc = ag_sqlite_write_step(stmt);
	return rc == SQLITE_DONE ? AG_OK : ag_sqlite_fail(s, rc, "write to", err);
}

typedef struct taken {
	uint64_t got;
	size_t which;
	int64_t wait_ms;
} taken;

static ag_status take_all(ag_sqlite_store *s, const ag_rate_key *keys, size_t n, uint64_t want,
                          int64_t now_ms, taken *ret, ag_err *err)
{
	window w[AG_RATE_MAX_KEYS] = { 0 };
	taken t = { want, 0, INT64_MAX };
	ag_status st = AG_OK;

	for (size_t i = 0; i < n && !st; i++) {
		int64_t left_ms;
		uint64_t has;

		st = read_window(s, &keys[i], now_ms, &w[i], err);
		if (st)
			return st;
		has = w[i].used < keys[i].limit ? keys[i].limit - w[i].used : 0;
		left_ms = w[i].ends_ms > now_ms ? w[i].ends_ms - now_ms : 1;
		if (!has && (t.got || left_ms > t.wait_ms)) /* of full ones the longest */
			t = (taken){ 0, i, left_ms };
		else if (t.got) {
			t.got = has < t.got ? has : t.got;
			t.wait_ms = left_ms < t.wait_ms ? left_ms : t.wait_ms;
		}
	}
	for (size_t i = 0; i < n && t.got && !st; i++) {
		w[i].used += t.got;
		st = write_window(s, &keys[i], &w[i], err);
	}
	*ret = t;
	return st;
}

static ag_status take(ag_store *base, const ag_rate_key *keys, size_t n, uint64_t want,
                      int64_t now_ms, uint64_t *ret_got, size_t *ret_which, int64_t *ret_wait_ms,
                      ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	taken t = { 0 };
	ag_status st = ag_sqlite_begin(s, false, err);

	if (!st)
		st = ag_sqlite_end(s, take_all(s, keys, n, want, now_ms, &t, err), err);
	if (st)
		return st;
	*ret_got = t.got;
	*ret_which = t.which;
	*ret_wait_ms = t.wait_ms;
	return AG_OK;
}

/* --- texts --- */

static ag_status write_text(ag_sqlite_store *s, ag_str key, ag_str text, int64_t now_ms,
                            ag_err *err)
{
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_PUT_TEXT, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, key);
	sqlite3_bind_int64(stmt, 2, now_ms);
	ag_sqlite_bind_str(stmt, 3, text);
	rc = ag_sqlite_write_step(stmt);
	return rc == SQLITE_DONE ? AG_OK : ag_sqlite_fail(s, rc, "write to", err);
}

static ag_status put_text(ag_store *base, ag_str key, ag_str text, int64_t now_ms, ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	ag_status st = ag_sqlite_begin(s, false, err);

	return st ? st : ag_sqlite_end(s, write_text(s, key, text, now_ms, err), err);
}

static ag_status text(ag_store *base, ag_str key, ag_arena *arena, ag_str *ret, int64_t *ret_at_ms,
                      ag_err *err)
{
	ag_sqlite_store *s = (ag_sqlite_store *)base;
	AG_AUTO(ag_sqlite_resetp) sqlite3_stmt *stmt = NULL;
	ag_status st = ag_sqlite_prepare(s, AG_SQL_TEXT, &stmt, err);
	int rc;

	if (st)
		return st;
	ag_sqlite_bind_str(stmt, 1, key);
	rc = ag_sqlite_first_row(s, stmt);
	if (rc == SQLITE_DONE)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "the store has no text of that name");
	if (rc != SQLITE_ROW)
		return ag_sqlite_fail(s, rc, "read", err);
	*ret_at_ms = sqlite3_column_int64(stmt, 0);
	*ret = ag_sqlite_column_str(stmt, 1, arena);
	return AG_OK;
}

const ag_store_ledger_type ag_sqlite_ledger = {
	.append = append,
	.sync = ag_sqlite_sync,
	.rows = rows,
	.verify = ag_sqlite_ledger_verify,
	.take = take,
	.put_text = put_text,
	.text = text,
};
