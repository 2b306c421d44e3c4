/* The dispatcher of the ledger, and the form in which a row is hashed.
 *
 * As in store.c, what reaches an implementation is well formed and within the limits of ledger.h. */
#include "store/ledger.h"

#include <inttypes.h>

#include "base/json.h"
#include "base/num.h"
#include "base/utf8.h"
#include "store/check.h"

#define ORIGIN    "store.ledger"
#define MAX_INT   ((uint64_t)INT64_MAX)
#define MAX_KEY   1024u
#define MAX_TAKEN (UINT64_C(1) << 40) /* of one take: so that sums stay in range */

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

/* --- operations --- */

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
	return st || !n ? st : s->type->ledger->append(s, rows, n, durable, err);
}

ag_status ag_store_sync(ag_store *s, ag_err *err)
{
	return s->type->ledger->sync(s, err);
}

ag_status ag_store_ledger_rows(ag_store *s, const ag_ledger_query *q, ag_arena *arena,
                               ag_ledger_row **ret, size_t *nret, ag_err *err)
{
	ag_status st = check_query(q, err);

	return st ? st : s->type->ledger->rows(s, q, arena, ret, nret, err);
}

ag_status ag_store_ledger_verify(ag_store *s, ag_arena *arena, ag_ledger_check *ret, ag_err *err)
{
	return s->type->ledger->verify(s, arena, ret, err);
}

ag_status ag_store_rate_take(ag_store *s, const ag_rate_key *keys, size_t n, uint64_t want,
                             int64_t now_ms, uint64_t *ret_got, size_t *ret_which,
                             int64_t *ret_wait_ms, ag_err *err)
{
	ag_status st = check_keys(keys, n, want, err);

	if (!st && (now_ms < 0 || now_ms > INT64_MAX / 4))
		st = ag_fail(err, AG_INVALID, ORIGIN, "the time of a call is out of range");
	return st ? st
	          : s->type->ledger->take(s, keys, n, want, now_ms, ret_got, ret_which, ret_wait_ms,
	                                  err);
}

ag_status ag_store_put_text(ag_store *s, ag_str key, ag_str text, int64_t now_ms, ag_err *err)
{
	ag_status st = check_text_key(key, err);

	if (!st)
		st = ag_store_check_text(ORIGIN, "the text", text, AG_LEDGER_MAX_CACHED, err);
	return st ? st : s->type->ledger->put_text(s, key, text, now_ms, err);
}

ag_status ag_store_text(ag_store *s, ag_str key, ag_arena *arena, ag_str *ret, int64_t *ret_at_ms,
                        ag_err *err)
{
	ag_status st = check_text_key(key, err);

	return st ? st : s->type->ledger->text(s, key, arena, ret, ret_at_ms, err);
}
