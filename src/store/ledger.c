/* The audit table, rate limits and cached texts (005_projects.sql), and the form in which a row is hashed.
 *
 * Invariant: ledger_chain names the last row and its hash, and both change in one transaction that no other of the ledger
 * runs beside: writers of any process continue one chain. A row is bound from the caller's memory and hashed into one
 * buffer, so a group costs no allocation a row; one statement, one commit. Checking and purge are in ledger_care.c. */
#include "store/ledger.h"

#include <inttypes.h>

#include "base/json.h"
#include "base/num.h"
#include "base/utf8.h"
#include "store/ledger_rows.h"

#define ORIGIN    "store.ledger"
#define MAX_INT   ((uint64_t)INT64_MAX)
#define MAX_KEY   1024u
#define MAX_TAKEN (UINT64_C(1) << 40) /* of one take: so that sums stay in range */
#define GROUP     32u /* rows written by one call of the driver: 16 KB of arguments */

/* --- the canonical form --- */

static void add_text(ag_buf *out, ag_str s)
{
	ag_json_quote(out, s);
	ag_buf_addc(out, ',');
}

static void add_i64(ag_buf *out, int64_t v)
{
	char text[AG_NUM_MAX];
	size_t n = ag_num_i64(text, v);

	text[n] = ','; /* over the NUL */
	ag_buf_add(out, ag_str_make(text, n + 1));
}

void ag_ledger_canonical(const ag_ledger_row *r, ag_buf *out)
{
	const ag_str texts[] = { r->user, r->project,     r->token,   r->session, r->tool,
		                 r->sql,  r->fingerprint, r->verdict, r->rule,    r->tables };

	ag_buf_addc(out, '[');
	add_i64(out, (int64_t)r->seq);
	add_i64(out, r->at_ms);
	for (size_t i = 0; i < AG_NELEM(texts); i++)
		add_text(out, texts[i]);
	add_i64(out, (int64_t)r->nrow);
	add_i64(out, (int64_t)r->nbyte);
	add_i64(out, r->wait_us);
	add_i64(out, r->exec_us);
	add_text(out, r->outcome);
	ag_json_quote(out, r->detail);
	if (r->began || r->owner.len) {
		ag_buf_addc(out, ',');
		add_i64(out, (int64_t)r->began);
		ag_json_quote(out, r->owner);
	}
	ag_buf_addc(out, ']');
}

/* --- checks --- */

static ag_status check_row(const ag_ledger_row *r, size_t *nbyte, ag_err *err)
{
	const struct {
		const char *what;
		ag_str text;
		size_t max;
	} texts[] = {
		{ "the user of a call", r->user, AG_LEDGER_MAX_NAME },
		{ "the project of a call", r->project, AG_LEDGER_MAX_NAME },
		{ "the token of a call", r->token, AG_LEDGER_MAX_NAME },
		{ "the session of a call", r->session, AG_LEDGER_MAX_NAME },
		{ "the tool of a call", r->tool, AG_LEDGER_MAX_NAME },
		{ "the statement of a call", r->sql, AG_LEDGER_MAX_SQL },
		{ "the fingerprint of a call", r->fingerprint, AG_LEDGER_MAX_NAME },
		{ "the verdict of a call", r->verdict, AG_LEDGER_MAX_NAME },
		{ "the rule of a call", r->rule, AG_LEDGER_MAX_NAME },
		{ "the tables of a call", r->tables, AG_LEDGER_MAX_TEXT },
		{ "the outcome of a call", r->outcome, AG_LEDGER_MAX_NAME },
		{ "the detail of a call", r->detail, AG_LEDGER_MAX_TEXT },
		{ "the process of a call", r->owner, AG_LEDGER_MAX_NAME },
	};

	for (size_t i = 0; i < AG_NELEM(texts); i++) {
		ag_status st = texts[i].text.len
		                       ? ag_store_check_text(ORIGIN, texts[i].what, texts[i].text,
		                                             texts[i].max, err)
		                       : AG_OK;

		if (st)
			return st;
		*nbyte += texts[i].text.len;
	}
	if (r->at_ms < 0 || r->nrow > MAX_INT || r->nbyte > MAX_INT || r->began > MAX_INT)
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "the time or a count of a call is out of range");
	return AG_OK;
}

static ag_status check_query(const ag_ledger_query *q, ag_err *err)
{
	const ag_str texts[] = { q->user, q->project, q->tool, q->outcome };
	ag_status st = AG_OK;

	for (size_t i = 0; i < AG_NELEM(texts) && !st; i++)
		st = ag_store_check_text(ORIGIN, "what the audit table is asked for", texts[i],
		                         AG_STORE_MAX_TEXT_BYTES, err);
	if (!st && q->limit > AG_STORE_MAX_ROWS)
		st = ag_fail(err, AG_INVALID, ORIGIN, "a listing has at most %u rows, not %zu",
		             AG_STORE_MAX_ROWS, q->limit);
	return st;
}

static ag_status check_keys(const ag_rate_key *keys, size_t n, uint64_t want, ag_err *err)
{
	ag_status st = AG_OK;

	if (!n || n > AG_RATE_MAX_KEYS || !want || want > MAX_TAKEN)
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "calls are taken of 1 to %u limits, at least one call",
		               AG_RATE_MAX_KEYS);
	for (size_t i = 0; i < n && !st; i++) {
		st = ag_store_check_text(ORIGIN, "the name of a limit", keys[i].name, MAX_KEY, err);
		if (!st && (!keys[i].name.len || keys[i].window_ms <= 0 || !keys[i].limit ||
		            keys[i].limit > MAX_INT))
			st = ag_fail(err, AG_INVALID, ORIGIN,
			             "a limit needs a name, a window and a number from 1");
	}
	return st;
}

static ag_status check_text_key(ag_str key, ag_err *err)
{
	if (!key.len)
		return ag_fail(err, AG_INVALID, ORIGIN, "the name of a text is empty");
	return ag_store_check_text(ORIGIN, "the name of a text", key, MAX_KEY, err);
}

/* --- statements --- */

/* $1 to $4 user, project, tool, outcome; $5 since; $6 calls only; $7 the place; $8 limit; $9 only calls with a bearer token */
#define LEDGER_FILTER                                                                          \
	"($1 = '' OR \"user\" = $1) AND ($2 = '' OR project = $2) AND ($3 = '' OR tool = $3) " \
	"AND ($4 = '' OR outcome = $4) AND at >= $5 "                                          \
	"AND ($6 = 0 OR owner = '' OR NOT EXISTS "                                             \
	"(SELECT 1 FROM ledger e WHERE e.began = ledger.seq AND e.began > 0)) "                \
	"AND ($9 = 0 OR token IN (SELECT id FROM tokens WHERE kind = 0)) "
#define RATES AG_S("rates")

enum { CHAIN, HASH, SET_HEAD, ADD, AFTER, NEWEST, RATE, PUT_RATE, FORGET_RATE, PUT_TEXT, TEXT };

static const ag_sql sql[] = {
	[CHAIN] = { "SELECT base_seq, base_hash, head_seq, head_hash FROM ledger_chain" },
	[HASH] = { "SELECT 0, hash FROM ledger WHERE seq = $1" },
	[SET_HEAD] = { "UPDATE ledger_chain SET head_seq = $1, head_hash = $2" },
	[ADD] = { "INSERT INTO ledger (" AG_LEDGER_COLUMNS ") "
	          "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, "
	          "$15, $16, $17, $18, $19, $20, $21)" },
	[AFTER] = { "SELECT " AG_LEDGER_COLUMNS " FROM ledger WHERE seq > $7 AND " LEDGER_FILTER
	            "ORDER BY seq LIMIT $8" },
	[NEWEST] = { "SELECT " AG_LEDGER_COLUMNS " FROM ledger WHERE seq <= $7 AND " LEDGER_FILTER
	             "ORDER BY seq DESC LIMIT $8" },
	[RATE] = { "SELECT began_at, ends_at, used FROM rates WHERE name = $1" },
	[PUT_RATE] = { "INSERT INTO rates (name, began_at, ends_at, used) "
	               "VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO UPDATE SET "
	               "began_at = excluded.began_at, ends_at = excluded.ends_at, "
	               "used = excluded.used" },
	[FORGET_RATE] = { "DELETE FROM rates WHERE name = $1" },
	[PUT_TEXT] = { "INSERT INTO texts (key, at, text) VALUES ($1, $2, $3) "
	               "ON CONFLICT (key) DO UPDATE SET at = excluded.at, text = excluded.text" },
	[TEXT] = { "SELECT at, text FROM texts WHERE key = $1" },
};

/* --- append --- */

static void copy_hash(char ret[65], const ag_db_val *v)
{
	const ag_str text = ag_db_get_view(v);
	const size_t n = text.len < 65 ? text.len : 0;

	memcpy(ret, text.ptr, n);
	ret[n] = '\0';
}

static ag_status take_chain(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_ledger_chain *c = arg;

	(void)err;
	c->base_seq = ag_db_get_int(&row[0]);
	copy_hash(c->base_hash, &row[1]);
	c->head_seq = ag_db_get_int(&row[2]);
	copy_hash(c->head_hash, &row[3]);
	c->is_there = true;
	return AG_OK;
}

ag_status ag_ledger_read_chain(ag_db *db, ag_ledger_chain *ret, ag_err *err)
{
	ag_db_out out = { .on_row = take_chain, .arg = ret };
	ag_status st;

	ret->is_there = false;
	st = ag_db_run(db, &sql[CHAIN], AG_DB_NO_ARGS, &out, err);
	if (st || ret->is_there)
		return st;
	ag_fail(err, AG_IO, ORIGIN, "the audit table of the store has lost its chain");
	return ag_err_hint(err, "somebody changed the store: keep a copy of it, and restore it or "
	                        "begin another store");
}

ag_sha256_hex ag_ledger_hash(const char before[65], const ag_ledger_row *r, ag_buf *buf)
{
	ag_buf_clear(buf);
	ag_buf_adds(buf, before);
	ag_ledger_canonical(r, buf);
	return ag_sha256(ag_buf_view(buf));
}

static void write_args(const ag_ledger_row *r, ag_db_val *ret)
{
	const ag_str texts[] = { r->user, r->project,     r->token,   r->session, r->tool,
		                 r->sql,  r->fingerprint, r->verdict, r->rule,    r->tables };

	*ret++ = ag_db_int((int64_t)r->seq);
	*ret++ = ag_db_int(r->at_ms);
	for (size_t i = 0; i < AG_NELEM(texts); i++)
		*ret++ = ag_db_text(texts[i]);
	*ret++ = ag_db_int((int64_t)r->nrow);
	*ret++ = ag_db_int((int64_t)r->nbyte);
	*ret++ = ag_db_int(r->wait_us);
	*ret++ = ag_db_int(r->exec_us);
	*ret++ = ag_db_text(r->outcome);
	*ret++ = ag_db_text(r->detail);
	*ret++ = ag_db_int((int64_t)r->began);
	*ret++ = ag_db_text(r->owner);
	*ret = ag_db_text(ag_str_make(r->hash, 64));
}

/* At most GROUP rows that follow the row `seq` with the hash `before`. */
static ag_status add_group(ag_db *db, ag_ledger_row *rows, size_t n, uint64_t seq,
                           const char *before, ag_buf *buf, ag_err *err)
{
	ag_db_val args[GROUP][AG_LEDGER_NCOLUMN];

	for (size_t i = 0; i < n; i++) {
		ag_ledger_row *r = &rows[i];
		ag_sha256_hex hash;

		r->seq = seq + 1 + i;
		hash = ag_ledger_hash(before, r, buf);
		memcpy(r->hash, hash.text, sizeof(r->hash));
		before = r->hash;
		write_args(r, args[i]);
	}
	return ag_db_run_many(db, &sql[ADD], (ag_db_args){ args[0], AG_LEDGER_NCOLUMN }, n, NULL,
	                      err);
}

typedef struct adding {
	ag_ledger_row *rows;
	size_t n;
} adding;

static ag_status take_hash(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	copy_hash(arg, &row[1]);
	return AG_OK;
}

/* Is the last row there, with the hash that it was given when it was written first? That covers all rows before it. */
static ag_status is_added(ag_db *db, const ag_ledger_row *last, bool *ret, ag_err *err)
{
	char hash[65] = "";
	ag_db_out out = { .on_row = take_hash, .arg = hash };
	ag_status st = ag_db_run(db, &sql[HASH], AG_DB_ARGS(ag_db_int((int64_t)last->seq)), &out,
	                         err);

	*ret = !st && memcmp(hash, last->hash, 64) == 0;
	return st;
}

static ag_status add_rows(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf buf = AG_BUF_INIT(AG_LEDGER_MAX_CANONICAL);
	const adding *a = arg;
	ag_ledger_row *rows = a->rows;
	const size_t n = a->n;
	ag_ledger_chain chain = { 0 };
	bool is_done = false;
	ag_status st = ag_ledger_read_chain(db, &chain, err);

	if (!st && is_again && rows[n - 1].seq)
		st = is_added(db, &rows[n - 1], &is_done, err);
	if (is_done)
		return st;
	for (size_t i = 0; i < n && !st; i += GROUP)
		st = add_group(db, &rows[i], n - i < GROUP ? n - i : GROUP,
		               (uint64_t)chain.head_seq + i, i ? rows[i - 1].hash : chain.head_hash,
		               &buf, err);
	if (st)
		return st;
	return ag_db_run(db, &sql[SET_HEAD],
	                 AG_DB_ARGS(ag_db_int((int64_t)rows[n - 1].seq),
	                            ag_db_text(ag_str_make(rows[n - 1].hash, 64))),
	                 NULL, err);
}

ag_status ag_store_ledger_append(ag_store *s, ag_ledger_row *rows, size_t n, bool durable,
                                 ag_err *err)
{
	size_t nbyte = 0;
	ag_status st = AG_OK;

	if (n > AG_LEDGER_MAX_GROUP)
		return ag_fail(err, AG_LIMIT, ORIGIN, "a group has at most %u rows, not %zu",
		               AG_LEDGER_MAX_GROUP, n);
	for (size_t i = 0; i < n && !st; i++)
		st = check_row(&rows[i], &nbyte, err);
	if (!st && nbyte > AG_STORE_MAX_BATCH_BYTES)
		st = ag_fail(err, AG_LIMIT, ORIGIN, "a batch of %zu bytes, at most %u are taken",
		             nbyte, AG_STORE_MAX_BATCH_BYTES);
	if (st || !n)
		return st;
	rows[n - 1].seq = 0; /* not written yet */
	return ag_db_transact(s->db, durable ? AG_DB_DURABLE : AG_DB_WRITE, AG_LEDGER_SCOPE,
	                      add_rows, &(adding){ rows, n }, err);
}

ag_status ag_store_sync(ag_store *s, ag_err *err)
{
	return s->db->type->sync(s->db, err);
}

/* --- rows --- */

void ag_ledger_view(const ag_db_val *row, ag_ledger_row *r)
{
	ag_str *const texts[] = { &r->user, &r->project,     &r->token,   &r->session, &r->tool,
		                  &r->sql,  &r->fingerprint, &r->verdict, &r->rule,    &r->tables };

	r->seq = (uint64_t)ag_db_get_int(row++);
	r->at_ms = ag_db_get_int(row++);
	for (size_t i = 0; i < AG_NELEM(texts); i++)
		*texts[i] = ag_db_get_view(row++);
	r->nrow = (uint64_t)ag_db_get_int(row++);
	r->nbyte = (uint64_t)ag_db_get_int(row++);
	r->wait_us = ag_db_get_int(row++);
	r->exec_us = ag_db_get_int(row++);
	r->outcome = ag_db_get_view(row++);
	r->detail = ag_db_get_view(row++);
	r->began = (uint64_t)ag_db_get_int(row++);
	r->owner = ag_db_get_view(row++);
	copy_hash(r->hash, row);
}

static ag_status take_row(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *list = arg;
	ag_ledger_row *r = ag_rows_add(&list->rows);
	ag_str *const texts[] = { &r->user, &r->project, &r->token,   &r->session,
		                  &r->tool, &r->sql,     &r->verdict, &r->fingerprint,
		                  &r->rule, &r->tables,  &r->outcome, &r->detail,
		                  &r->owner };

	ag_ledger_view(row, r);
	for (size_t i = 0; i < AG_NELEM(texts); i++) {
		*texts[i] = ag_str_dup(list->arena, *texts[i]);
		list->nbyte += texts[i]->len;
	}
	list->nbyte += sizeof(*r);
	return ag_reading_check(list, err);
}

ag_status ag_store_ledger_rows(ag_store *s, const ag_ledger_query *q, ag_arena *arena,
                               ag_ledger_row **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_ledger_row) },
		            .arena = arena,
		            .what = "the rows of the audit table are" };
	ag_db_out out = { .on_row = take_row, .arg = &list };
	const uint64_t last = q->before_seq ? q->before_seq - 1 : MAX_INT;
	const uint64_t at = q->after_seq < MAX_INT ? q->after_seq : last < MAX_INT ? last : MAX_INT;
	ag_status st = check_query(q, err);

	if (!st)
		st = ag_db_run(s->db, &sql[q->after_seq == UINT64_MAX ? NEWEST : AFTER],
		               AG_DB_ARGS(ag_db_text(q->user), ag_db_text(q->project),
		                          ag_db_text(q->tool), ag_db_text(q->outcome),
		                          ag_db_int(q->since_ms), ag_db_int(q->calls),
		                          ag_db_int((int64_t)at), ag_db_int((int64_t)q->limit),
		                          ag_db_int(q->of_programs)),
		               &out, err);
	if (st)
		return st;
	*ret = ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}

/* --- rate limits --- */

typedef struct window {
	int64_t began_ms, ends_ms;
	uint64_t used;
	bool is_there;
} window;

static ag_status take_window(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(window *)arg = (window){ ag_db_get_int(&row[0]), ag_db_get_int(&row[1]),
		                   ag_db_get_u64(&row[2]), true };
	return AG_OK;
}

/* The window that a call at now_ms falls into; after one has ended a new one begins. A caller that waited for the lock may
 * have read its clock before the window began, so only a clock that was set back by more than the window starts a new one. */
static ag_status read_window(ag_db *db, const ag_rate_key *key, int64_t now_ms, window *ret,
                             ag_err *err)
{
	window w = { 0 };
	ag_db_out out = { .on_row = take_window, .arg = &w };
	ag_status st = ag_db_run(db, &sql[RATE], AG_DB_ARGS(ag_db_text(key->name)), &out, err);

	*ret = (window){ now_ms, now_ms + key->window_ms, 0, false };
	if (!st && w.is_there && now_ms < w.ends_ms && w.began_ms - now_ms <= key->window_ms)
		*ret = w;
	return st;
}

typedef struct taking {
	const ag_rate_key *keys;
	size_t n;
	uint64_t want;
	int64_t now_ms;
	ag_rate_taken taken;
} taking;

/* When the answer to a first take was lost, its calls count as used: a limit is never exceeded by that. */
static ag_status take_all(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	taking *a = arg;
	const ag_rate_key *keys = a->keys;
	const size_t n = a->n;
	const uint64_t want = a->want;
	const int64_t now_ms = a->now_ms;
	window w[AG_RATE_MAX_KEYS] = { 0 };
	ag_rate_taken t = { want, 0, INT64_MAX };
	ag_status st = AG_OK;

	(void)is_again;
	for (size_t i = 0; i < n && !st; i++) {
		int64_t left_ms;
		uint64_t has;

		st = read_window(db, &keys[i], now_ms, &w[i], err);
		if (st)
			return st;
		has = w[i].used < keys[i].limit ? keys[i].limit - w[i].used : 0;
		left_ms = w[i].ends_ms > now_ms ? w[i].ends_ms - now_ms : 1;
		if (!has && (t.got || left_ms > t.wait_ms)) /* of full ones the longest */
			t = (ag_rate_taken){ 0, i, left_ms };
		else if (t.got) {
			t.got = has < t.got ? has : t.got;
			t.wait_ms = left_ms < t.wait_ms ? left_ms : t.wait_ms;
		}
	}
	for (size_t i = 0; i < n && t.got && !st; i++)
		st = ag_db_run(db, &sql[PUT_RATE],
		               AG_DB_ARGS(ag_db_text(keys[i].name), ag_db_int(w[i].began_ms),
		                          ag_db_int(w[i].ends_ms),
		                          ag_db_int((int64_t)(w[i].used + t.got))),
		               NULL, err);
	a->taken = t;
	return st;
}

ag_status ag_store_rate_take(ag_store *s, const ag_rate_key *keys, size_t n, uint64_t want,
                             int64_t now_ms, ag_rate_taken *ret, ag_err *err)
{
	taking t = { keys, n, want, now_ms, { 0 } };
	ag_status st = check_keys(keys, n, want, err);

	if (!st && (now_ms < 0 || now_ms > INT64_MAX / 4))
		st = ag_fail(err, AG_INVALID, ORIGIN, "the time of a call is out of range");
	if (!st)
		st = ag_db_transact(s->db, AG_DB_WRITE, RATES, take_all, &t, err);
	if (st)
		return st;
	*ret = t.taken;
	return AG_OK;
}

static ag_status forget_rate(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	(void)is_again;
	return ag_db_run(db, &sql[FORGET_RATE], (ag_db_args){ (const ag_db_val *)arg, 1 }, NULL,
	                 err);
}

ag_status ag_store_rate_forget(ag_store *s, ag_str name, ag_err *err)
{
	ag_db_val key = ag_db_text(name);

	return ag_db_transact(s->db, AG_DB_WRITE, RATES, forget_rate, &key, err);
}

/* --- texts --- */

static ag_status put_text(ag_db *db, void *arg, bool is_again, ag_err *err)
{
	(void)is_again; /* the row is replaced */
	return ag_db_run(db, &sql[PUT_TEXT], (ag_db_args){ arg, 3 }, NULL, err);
}

ag_status ag_store_put_text(ag_store *s, ag_str key, ag_str text, int64_t now_ms, ag_err *err)
{
	ag_db_val args[] = { ag_db_text(key), ag_db_int(now_ms), ag_db_text(text) };
	ag_status st = check_text_key(key, err);

	if (!st)
		st = ag_store_check_text(ORIGIN, "the text", text, AG_LEDGER_MAX_CACHED, err);
	return st ? st : ag_db_transact(s->db, AG_DB_WRITE, AG_S("texts"), put_text, args, err);
}

typedef struct cached {
	ag_arena *arena;
	ag_str text;
	int64_t at_ms;
	bool is_there;
} cached;

static ag_status take_text(void *arg, const ag_db_val *row, ag_err *err)
{
	cached *c = arg;

	(void)err;
	c->at_ms = ag_db_get_int(&row[0]);
	c->text = ag_db_get_text(&row[1], c->arena);
	c->is_there = true;
	return AG_OK;
}

ag_status ag_store_text(ag_store *s, ag_str key, ag_arena *arena, ag_str *ret, int64_t *ret_at_ms,
                        ag_err *err)
{
	cached c = { .arena = arena };
	ag_db_out out = { .on_row = take_text, .arg = &c };
	ag_status st = check_text_key(key, err);

	if (!st)
		st = ag_db_run(s->db, &sql[TEXT], AG_DB_ARGS(ag_db_text(key)), &out, err);
	if (st)
		return st;
	if (!c.is_there)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "the store has no text of that name");
	*ret = c.text;
	*ret_at_ms = c.at_ms;
	return AG_OK;
}
