/* The audit table, rate limits and cached texts, the same for every store in store_fixtures[]; then what holds for a file:
 * whoever changes it is found out, processes share one chain and one limit, kill -9 leaves the chain whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sha256.h"
#include "store/ledger.h"
#include "store_fixtures.h"

static const store_fixture *fixture; /* of the group that runs */

static int setup(void **state)
{
	store_env *env = store_env_new(fixture);

	*state = env;
	return (int)ag_store_open(ag_str_c(env->uri), &env->store, &env->err);
}

static int teardown(void **state)
{
	store_env_free(*state);
	return 0;
}

static ag_ledger_row a_row(const char *user, int64_t at_ms)
{
	ag_ledger_row r = { .at_ms = at_ms,
		            .user = ag_str_c(user),
		            .project = AG_S("shop"),
		            .token = AG_S("0123456789ab"),
		            .session = AG_S("s-1"),
		            .tool = AG_S("query"),
		            .sql = AG_S("select \"\xc3\xa4\" -- \\"),
		            .fingerprint = AG_S("0123456789abcdef"),
		            .verdict = AG_S("allow"),
		            .tables = AG_S("[\"public.t\"]"),
		            .nrow = 3,
		            .nbyte = 40,
		            .wait_us = 5,
		            .exec_us = 60,
		            .outcome = AG_S("ok"),
		            .detail = AG_S("{\"a\":1}") };

	return r;
}

static void append(store_env *env, const char *user, size_t n, int64_t at_ms)
{
	ag_ledger_row *rows = ag_new_n(env->arena, ag_ledger_row, n);

	for (size_t i = 0; i < n; i++)
		rows[i] = a_row(user, at_ms + (int64_t)i);
	assert_ok(env, ag_store_ledger_append(env->store, rows, n, false, &env->err));
}

static ag_ledger_check check(store_env *env)
{
	ag_ledger_check k = { 0 };

	assert_ok(env, ag_store_ledger_verify(env->store, env->arena, &k, &env->err));
	return k;
}

static size_t read_rows(store_env *env, ag_ledger_query q, ag_ledger_row **ret)
{
	size_t n = 0;

	assert_ok(env, ag_store_ledger_rows(env->store, &q, env->arena, ret, &n, &env->err));
	return n;
}

/* --- every store --- */

static void rows_are_read_as_they_were_written(void **state)
{
	store_env *env = *state;
	ag_ledger_row rows[] = { a_row("ann", 100), a_row("ben", 90) }, *got;

	rows[1].tool = AG_S("execute_sql");
	rows[1].outcome = AG_S("denied");
	rows[1].sql = AG_S("");
	assert_ok(env, ag_store_ledger_append(env->store, rows, 2, false, &env->err));
	assert_int_equal(rows[0].seq, 1);
	assert_int_equal(rows[1].seq, 2);
	assert_int_equal(read_rows(env, (ag_ledger_query){ .limit = 10 }, &got), 2);
	assert_int_equal(got[0].seq, 1);
	assert_int_equal(got[0].at_ms, 100);
	assert_str(got[0].user, "ann");
	assert_str(got[0].project, "shop");
	assert_str(got[0].token, "0123456789ab");
	assert_str(got[0].session, "s-1");
	assert_str(got[0].tool, "query");
	assert_true(ag_str_eq(got[0].sql, rows[0].sql));
	assert_str(got[0].fingerprint, "0123456789abcdef");
	assert_str(got[0].verdict, "allow");
	assert_str(got[0].tables, "[\"public.t\"]");
	assert_int_equal(got[0].nrow, 3);
	assert_int_equal(got[0].nbyte, 40);
	assert_int_equal(got[0].wait_us, 5);
	assert_int_equal(got[0].exec_us, 60);
	assert_str(got[0].outcome, "ok");
	assert_str(got[0].detail, "{\"a\":1}");
	assert_string_equal(got[0].hash, rows[0].hash);
	assert_string_not_equal(got[0].hash, got[1].hash);
}

/* Texts that are the same in neighbours and texts that are not, empty ones too: in every field, in another rhythm each. */
static void each_row_of_a_group_has_its_own_texts(void **state)
{
	static const ag_str values[] = { AG_S_INIT(""), AG_S_INIT("a"), AG_S_INIT("a"),
		                         AG_S_INIT("b"), AG_S_INIT("") };
	store_env *env = *state;
	ag_ledger_row rows[64], *got;
	size_t n;

	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		ag_str *const texts[] = { &rows[i].user,    &rows[i].project, &rows[i].token,
			                  &rows[i].session, &rows[i].tool,    &rows[i].sql,
			                  &rows[i].verdict, &rows[i].rule,    &rows[i].fingerprint,
			                  &rows[i].outcome, &rows[i].detail };

		rows[i] = a_row("ann", 1000);
		for (size_t k = 0; k < AG_NELEM(texts); k++)
			*texts[k] = values[(i + k) / (1 + k % 4) % AG_NELEM(values)];
	}
	assert_ok(env, ag_store_ledger_append(env->store, rows, AG_NELEM(rows), false, &env->err));
	n = read_rows(env, (ag_ledger_query){ .limit = 1000 }, &got);
	assert_int_equal(n, AG_NELEM(rows));
	for (size_t i = 0; i < n; i++) {
		ag_buf want = AG_BUF_INIT(1000), is = AG_BUF_INIT(1000);

		ag_ledger_canonical(&rows[i], &want);
		ag_ledger_canonical(&got[i], &is);
		assert_string_equal(is.ptr, want.ptr);
		assert_string_equal(got[i].hash, rows[i].hash);
		ag_buf_release(&want);
		ag_buf_release(&is);
	}
	assert_int_equal(check(env).broken_at, 0);
}

static void rows_are_chosen(void **state)
{
	store_env *env = *state;
	ag_ledger_row *got;

	append(env, "ann", 5, 100);
	append(env, "ben", 5, 200);
	assert_int_equal(
		read_rows(env, (ag_ledger_query){ .user = AG_S("ben"), .limit = 10 }, &got), 5);
	assert_int_equal(got[0].seq, 6);
	assert_int_equal(
		read_rows(env, (ag_ledger_query){ .after_seq = UINT64_MAX, .limit = 3 }, &got), 3);
	assert_int_equal(got[0].seq, 10);
	assert_int_equal(got[2].seq, 8);
	assert_int_equal(read_rows(env, (ag_ledger_query){ .after_seq = 8, .limit = 9 }, &got), 2);
	assert_int_equal(got[0].seq, 9);
	assert_int_equal(read_rows(env, (ag_ledger_query){ .since_ms = 202, .limit = 9 }, &got), 3);
	assert_int_equal(
		read_rows(env, (ag_ledger_query){ .project = AG_S("x"), .limit = 9 }, &got), 0);
	assert_int_equal(read_rows(env,
	                           (ag_ledger_query){ .tool = AG_S("query"),
	                                              .outcome = AG_S("ok"),
	                                              .limit = 99 },
	                           &got),
	                 10);
	assert_int_equal(
		read_rows(env, (ag_ledger_query){ .outcome = AG_S("no"), .limit = 99 }, &got), 0);
	assert_int_equal(ag_store_ledger_rows(env->store,
	                                      &(ag_ledger_query){ .limit = AG_STORE_MAX_ROWS + 1 },
	                                      env->arena, &got, &(size_t){ 0 }, &env->err),
	                 AG_INVALID);
}

/* As others would compute it: the hash before, then the row as JSON. */
static void the_chain_is_sha256_of_plain_json(void **state)
{
	store_env *env = *state;
	static const char first[] =
		"0000000000000000000000000000000000000000000000000000000000000000"
		"[1,100,\"ann\",\"shop\",\"0123456789ab\",\"s-1\",\"query\","
		"\"select \\\"\xc3\xa4\\\" -- \\\\\",\"0123456789abcdef\",\"allow\",\"\","
		"\"[\\\"public.t\\\"]\",3,40,5,60,\"ok\",\"{\\\"a\\\":1}\"]";
	char second[600];
	ag_ledger_row *got;
	ag_sha256_hex hash = ag_sha256(ag_str_c(first));

	append(env, "ann", 2, 100);
	read_rows(env, (ag_ledger_query){ .limit = 10 }, &got);
	assert_string_equal(got[0].hash, hash.text);
	snprintf(second, sizeof(second), "%s[2,101,%s", hash.text, strchr(first, '[') + 7);
	assert_string_equal(got[1].hash, ag_sha256(ag_str_c(second)).text);
	assert_string_equal(check(env).head, got[1].hash);
}

static void a_long_call_has_two_rows(void **state)
{
	store_env *env = *state;
	ag_ledger_row rows[] = { a_row("ann", 1), a_row("ann", 2), a_row("ben", 3),
		                 a_row("ann", 1) },
		      *got;
	ag_buf text = AG_BUF_INIT(2000);

	rows[1].outcome = AG_S(AG_LEDGER_BEGAN); /* interrupted: it has no end */
	rows[1].owner = AG_S("boot:ns:17:5:id");
	rows[0].outcome = AG_S(AG_LEDGER_BEGAN);
	rows[0].owner = AG_S("boot:ns:18:5:id");
	rows[3].began = 1;
	assert_ok(env, ag_store_ledger_append(env->store, rows, 4, false, &env->err));
	assert_int_equal(read_rows(env, (ag_ledger_query){ .limit = 10 }, &got), 4);
	assert_str(got[0].owner, "boot:ns:18:5:id");
	assert_int_equal(got[3].began, 1);
	assert_str(got[3].owner, "");
	assert_int_equal(read_rows(env, (ag_ledger_query){ .limit = 10, .calls = true }, &got), 3);
	assert_int_equal(got[0].seq, 2);
	assert_int_equal(got[2].seq, 4);
	assert_int_equal(read_rows(env,
	                           (ag_ledger_query){ .limit = 10,
	                                              .calls = true,
	                                              .after_seq = UINT64_MAX,
	                                              .outcome = AG_S(AG_LEDGER_BEGAN) },
	                           &got),
	                 1);
	assert_int_equal(got[0].seq, 2);
	assert_int_equal(check(env).broken_at, 0);
	/* Both fields are in the hash, and only where they are used. */
	ag_ledger_canonical(&rows[1], &text);
	assert_true(ag_str_ends(ag_buf_view(&text), AG_S(",0,\"boot:ns:17:5:id\"]")));
	ag_buf_clear(&text);
	ag_ledger_canonical(&rows[2], &text);
	assert_true(ag_str_ends(ag_buf_view(&text), AG_S("\"{\\\"a\\\":1}\"]")));
	ag_buf_release(&text);
	assert_ok(env, ag_store_sync(env->store, &env->err));
}

static void a_whole_chain_is_whole(void **state)
{
	store_env *env = *state;
	ag_ledger_check k = check(env);

	assert_int_equal(k.nrow, 0);
	assert_int_equal(k.broken_at, 0);
	append(env, "ann", 3, 1);
	append(env, "ann", AG_LEDGER_MAX_GROUP, 1);
	append(env, "ann", AG_LEDGER_MAX_GROUP, 1); /* more than a piece, and no multiple */
	k = check(env);
	assert_int_equal(k.nrow, 3 + 2 * AG_LEDGER_MAX_GROUP);
	assert_int_equal(k.first, 1);
	assert_int_equal(k.last, k.nrow);
	assert_int_equal(k.broken_at, 0);
	assert_int_equal(k.why.len, 0);
}

static void a_group_is_whole_or_not_at_all(void **state)
{
	store_env *env = *state;
	ag_ledger_row rows[] = { a_row("ann", 1), a_row("ben", 2) }, *many;
	char *text = ag_arena_alloc(env->arena, AG_LEDGER_MAX_SQL + 1);

	append(env, "ann", 1, 1);
	rows[1].tool = AG_S("a\0b");
	assert_int_equal(ag_store_ledger_append(env->store, rows, 2, false, &env->err), AG_INVALID);
	rows[1].tool = AG_S("\xff");
	assert_int_equal(ag_store_ledger_append(env->store, rows, 2, false, &env->err), AG_INVALID);
	rows[1] = a_row("ben", -1);
	assert_int_equal(ag_store_ledger_append(env->store, rows, 2, false, &env->err), AG_INVALID);
	rows[1] = a_row("ben", 1);
	memset(text, 'x', AG_LEDGER_MAX_SQL + 1);
	rows[1].sql = ag_str_make(text, AG_LEDGER_MAX_SQL + 1);
	assert_int_equal(ag_store_ledger_append(env->store, rows, 2, false, &env->err), AG_LIMIT);
	rows[1].sql.len--;
	assert_ok(env, ag_store_ledger_append(env->store, rows, 2, false, &env->err));
	many = ag_new_n(env->arena, ag_ledger_row, AG_LEDGER_MAX_GROUP + 1);
	assert_int_equal(ag_store_ledger_append(env->store, many, AG_LEDGER_MAX_GROUP + 1, false,
	                                        &env->err),
	                 AG_LIMIT);
	assert_int_equal(check(env).nrow, 3);
	assert_int_equal(check(env).broken_at, 0);
}

static void purge_keeps_the_chain(void **state)
{
	store_env *env = *state;
	ag_ledger_row *got;
	ag_ledger_check before, after;
	uint64_t nrun;
	ag_str text;
	int64_t at;

	append(env, "ann", 10, 100); /* at 100..109 */
	append(env, "ann", AG_LEDGER_MAX_GROUP, 200);
	append(env, "old", 1, 50); /* a late row of an early call: what stands before it stays */
	append(env, "ann", 5, 9000);
	assert_ok(env, ag_store_put_text(env->store, AG_S("old"), AG_S("x"), 60, &env->err));
	assert_ok(env, ag_store_put_text(env->store, AG_S("new"), AG_S("x"), 160, &env->err));
	before = check(env);
	assert_ok(env, ag_store_purge(env->store, 105, &nrun, &env->err));
	after = check(env);
	assert_int_equal(after.broken_at, 0);
	assert_int_equal(after.first, 6);
	assert_int_equal(after.nrow, before.nrow - 5);
	assert_string_equal(after.head, before.head);
	assert_int_equal(ag_store_text(env->store, AG_S("old"), env->arena, &text, &at, &env->err),
	                 AG_NOT_FOUND);
	assert_ok(env, ag_store_text(env->store, AG_S("new"), env->arena, &text, &at, &env->err));
	assert_ok(env, ag_store_purge(env->store, 8000, &nrun, &env->err)); /* more than a step */
	after = check(env);
	assert_int_equal(after.broken_at, 0);
	assert_int_equal(after.nrow, 5);
	assert_string_equal(after.head, before.head);
	assert_ok(env, ag_store_purge(env->store, 99999, &nrun, &env->err));
	after = check(env);
	assert_int_equal(after.nrow, 0);
	assert_int_equal(after.broken_at, 0);
	append(env, "ann", 1, 10000); /* the numbers go on, the chain too */
	read_rows(env, (ag_ledger_query){ .limit = 10 }, &got);
	assert_int_equal(got[0].seq, before.last + 1);
	assert_int_equal(check(env).broken_at, 0);
}

/* --- limits --- */

static uint64_t take(store_env *env, const ag_rate_key *keys, size_t n, uint64_t want, int64_t now,
                     size_t *which, int64_t *wait)
{
	ag_rate_taken taken = { 0 };

	assert_ok(env, ag_store_rate_take(env->store, keys, n, want, now, &taken, &env->err));
	*which = taken.which;
	*wait = taken.wait_ms;
	return taken.got;
}

/* A clock that was ahead for a while, and then one that is behind. */
static void purge_after_the_clock_went_back(void **state)
{
	store_env *env = *state;
	const int64_t now_ms = ag_clock_wall(&ag_clock_system), day_ms = 86400000;
	uint64_t nrun;

	append(env, "ann", 5, now_ms - 10 * day_ms);
	append(env, "ahead", 3, now_ms + 400 * day_ms);
	append(env, "ann", 5, now_ms - 9 * day_ms);
	append(env, "ahead", 2, now_ms + 400 * day_ms);
	append(env, "ann", 4, now_ms - day_ms);
	/* The rows of the future do not keep the old ones after them. */
	assert_ok(env, ag_store_purge(env->store, now_ms - 5 * day_ms, &nrun, &env->err));
	assert_int_equal(check(env).first, 14);
	assert_int_equal(check(env).nrow, 6);
	assert_int_equal(check(env).broken_at, 0);
	/* A limit before all rows removes none, though the first rows are of the future. */
	assert_ok(env, ag_store_purge(env->store, now_ms - 300 * day_ms, &nrun, &env->err));
	assert_int_equal(check(env).nrow, 6);
	assert_ok(env, ag_store_purge(env->store, AG_STORE_PURGE_ALL, &nrun, &env->err));
	assert_int_equal(check(env).nrow, 0);
	assert_int_equal(check(env).broken_at, 0);
	append(env, "ann", 1, now_ms);
	assert_int_equal(check(env).first, 20);
	assert_int_equal(check(env).broken_at, 0);
}

static void a_limit_is_exact(void **state)
{
	store_env *env = *state;
	const ag_rate_key key = { AG_S("user:ann/minute"), 60000, 10 };
	size_t which;
	int64_t wait;

	for (int i = 0; i < 10; i++)
		assert_int_equal(take(env, &key, 1, 1, 1000 + i, &which, &wait), 1);
	assert_int_equal(wait, 60000 - 9);
	assert_int_equal(take(env, &key, 1, 1, 1010, &which, &wait), 0);
	assert_int_equal(which, 0);
	assert_int_equal(wait, 59990);
	assert_int_equal(take(env, &key, 1, 1, 60999, &which, &wait), 0);
	assert_int_equal(wait, 1);
	assert_int_equal(take(env, &key, 1, 4, 61000, &which, &wait), 4); /* a new window begins */
	assert_int_equal(take(env, &key, 1, 100, 61001, &which, &wait), 6);
	assert_int_equal(take(env, &key, 1, 1, 120999, &which, &wait), 0);
}

static void all_limits_or_none(void **state)
{
	store_env *env = *state;
	ag_rate_key keys[] = { { AG_S("minute"), 60000, 5 }, { AG_S("day"), 86400000, 7 } };
	size_t which;
	int64_t wait;

	assert_int_equal(take(env, keys, 2, 100, 0, &which, &wait), 5);
	assert_int_equal(take(env, keys, 2, 1, 1, &which, &wait), 0);
	assert_int_equal(which, 0);
	assert_int_equal(wait, 59999);
	assert_int_equal(take(env, keys, 2, 100, 60000, &which, &wait), 2);
	assert_int_equal(take(env, keys, 2, 1, 60001, &which, &wait), 0);
	assert_int_equal(which, 1);
	/* The refused ones did not count: three of the minute are left. */
	assert_int_equal(take(env, keys, 1, 100, 60002, &which, &wait), 3);
	/* Both are full: the longer wait is told. */
	assert_int_equal(take(env, keys, 2, 1, 60003, &which, &wait), 0);
	assert_int_equal(which, 1);
	assert_int_equal(wait, 86400000 - 60003);
	keys[0].limit = 6; /* a limit that was raised holds at once */
	assert_int_equal(take(env, keys, 1, 100, 60004, &which, &wait), 1);
}

static void a_clock_that_goes_back_is_no_gift(void **state)
{
	store_env *env = *state;
	const ag_rate_key key = { AG_S("k"), 60000, 3 };
	size_t which;
	int64_t wait;

	assert_int_equal(take(env, &key, 1, 3, 1000000, &which, &wait), 3);
	assert_int_equal(take(env, &key, 1, 1, 999990, &which, &wait), 0);
	assert_int_equal(wait, 60010);
	/* Set back by an hour it must not lock out for an hour. */
	assert_int_equal(take(env, &key, 1, 1, 1000, &which, &wait), 1);
}

static void what_is_no_limit_is_refused(void **state)
{
	store_env *env = *state;
	const ag_rate_key bad[] = { { AG_S(""), 1, 1 },
		                    { AG_S("k"), 0, 1 },
		                    { AG_S("k"), 1, 0 },
		                    { AG_S("k"), 1, UINT64_MAX },
		                    { AG_S("\xff"), 1, 1 } };
	ag_rate_taken taken;

	for (size_t i = 0; i < AG_NELEM(bad); i++)
		assert_int_equal(ag_store_rate_take(env->store, &bad[i], 1, 1, 5, &taken,
		                                    &env->err),
		                 AG_INVALID);
	assert_int_equal(ag_store_rate_take(env->store, bad, 0, 1, 5, &taken, &env->err),
	                 AG_INVALID);
}

static void texts_are_replaced(void **state)
{
	store_env *env = *state;
	ag_str text;
	int64_t at = 0;

	assert_int_equal(ag_store_text(env->store, AG_S("dict"), env->arena, &text, &at, &env->err),
	                 AG_NOT_FOUND);
	assert_ok(env, ag_store_put_text(env->store, AG_S("dict"), AG_S("one"), 5, &env->err));
	assert_ok(env, ag_store_put_text(env->store, AG_S("dict"), AG_S("two"), 6, &env->err));
	assert_ok(env, ag_store_text(env->store, AG_S("dict"), env->arena, &text, &at, &env->err));
	assert_str(text, "two");
	assert_int_equal(at, 6);
	assert_int_equal(ag_store_put_text(env->store, AG_S(""), AG_S("x"), 6, &env->err),
	                 AG_INVALID);
	assert_int_equal(ag_store_put_text(env->store, AG_S("k"), AG_S("\xff"), 6, &env->err),
	                 AG_INVALID);
}

/* --- files that somebody changes --- */

static const char *path_of(store_env *env)
{
	return strchr(env->uri, ':') + 1;
}

static void change_sql(store_env *env, const char *sql)
{
	sqlite3 *db;

	env->store = ag_store_close(env->store);
	assert_int_equal(sqlite3_open(path_of(env), &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_close(db);
	assert_ok(env, store_env_reopen(env));
}

static void whoever_changes_the_table_is_found_out(void **state)
{
	store_env *env = *state;
	const struct {
		const char *sql;
		uint64_t broken_at;
		const char *why;
	} ways[] = {
		{ "UPDATE ledger SET sql = 'select 2' WHERE seq = 17", 17, "row 17 was changed" },
		{ "UPDATE ledger SET at = at + 1 WHERE seq = 17", 17, "row 17 was changed" },
		{ "UPDATE ledger SET nrow = 0 WHERE seq = 1", 1, "row 1 was changed" },
		{ "UPDATE ledger SET detail = '' WHERE seq = 30", 30, "row 30 was changed" },
		{ "UPDATE ledger SET user = 'ben', hash = '" /* anything */
		  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef' WHERE seq = 17",
		  17, "row 17 was changed" },
		{ "UPDATE ledger SET hash = upper(hash) WHERE seq = 17", 17, "row 17" },
		{ "DELETE FROM ledger WHERE seq = 20", 21, "row 20 is missing" },
		{ "DELETE FROM ledger WHERE seq BETWEEN 20 AND 22", 23,
		  "rows 20 to 22 are missing" },
		{ "DELETE FROM ledger WHERE seq <= 3", 4, "rows 1 to 3 are missing" },
		{ "DELETE FROM ledger WHERE seq > 25", 26, "rows 26 to 30 are missing at the end" },
		{ "DELETE FROM ledger", 1, "rows 1 to 30 are missing at the end" },
		/* Closing the gap does not help. */
		{ "DELETE FROM ledger WHERE seq = 20; UPDATE ledger SET seq = seq - 1 WHERE seq > 20",
		  20, "row 20 was changed" },
		/* An end is put to a call, or a beginning. */
		{ "UPDATE ledger SET began = 9 WHERE seq = 20", 20, "row 20 was changed" },
		{ "UPDATE ledger SET owner = 'x' WHERE seq = 20", 20, "row 20 was changed" },
		/* A row too many. */
		{ "UPDATE ledger SET seq = 1000 - seq WHERE seq >= 20; INSERT INTO ledger SELECT 20, at, user, "
		  "project, token, session, tool, sql, fingerprint, verdict, rule, tables, nrow, nbyte, wait_us, "
		  "exec_us, outcome, detail, hash, began, owner FROM ledger WHERE seq = 19; "
		  "UPDATE ledger SET seq = 1001 - seq WHERE seq > 900; "
		  "UPDATE ledger SET seq = 1000 - seq WHERE seq > 900",
		  20, "row 20 was changed" },
		{ "INSERT INTO ledger SELECT 31, at, user, project, token, session, tool, sql, fingerprint, verdict, "
		  "rule, tables, nrow, nbyte, wait_us, exec_us, outcome, detail, hash, began, owner FROM ledger WHERE seq = 30",
		  31, "row 31 was changed" },
		/* Two change places. */
		{ "UPDATE ledger SET seq = 99 WHERE seq = 10; UPDATE ledger SET seq = 10 WHERE seq = 11; "
		  "UPDATE ledger SET seq = 11 WHERE seq = 99",
		  10, "row 10 was changed" },
		{ "UPDATE ledger_chain SET base_hash = head_hash", 1, "row 1 was changed" },
		{ "UPDATE ledger_chain SET head_hash = base_hash", 30, "row 30 is not the one" },
		{ "UPDATE ledger_chain SET head_seq = 29", 30, "row 30 is not the one" },
	};

	for (size_t i = 0; i < AG_NELEM(ways); i++) {
		ag_ledger_check k;

		change_sql(
			env,
			"DELETE FROM ledger; UPDATE ledger_chain SET base_seq = 0, head_seq = 0, "
			"base_hash = printf('%064d', 0), head_hash = printf('%064d', 0)");
		for (int r = 0; r < 30; r++)
			append(env, r % 2 ? "ann" : "ben", 1, r); /* no two rows are alike */
		assert_int_equal(check(env).broken_at, 0);
		change_sql(env, ways[i].sql);
		k = check(env);
		if (k.broken_at != ways[i].broken_at ||
		    !ag_str_contains(k.why, ag_str_c(ways[i].why)))
			fail_msg("%s: at %" PRIu64 ": %.*s", ways[i].sql, k.broken_at,
			         AG_FMT(k.why));
	}
}

/* Who changes the note of the end as well is seen by the hash that was written down elsewhere. */
static void a_clean_cut_changes_the_head(void **state)
{
	store_env *env = *state;
	ag_ledger_check before, after;

	append(env, "ann", 30, 1);
	before = check(env);
	change_sql(env, "DELETE FROM ledger WHERE seq > 25; UPDATE ledger_chain SET head_seq = 25, "
	                "head_hash = (SELECT hash FROM ledger WHERE seq = 25)");
	after = check(env);
	assert_int_equal(after.broken_at, 0);
	assert_string_not_equal(after.head, before.head);
	/* A cut without that stays visible when writing goes on. */
	change_sql(env, "DELETE FROM ledger WHERE seq = 25");
	append(env, "ann", 3, 1);
	after = check(env);
	assert_int_equal(after.broken_at, 26);
	assert_true(ag_str_contains(after.why, AG_S("row 25 is missing")));
}

static void a_lost_chain_is_told(void **state)
{
	store_env *env = *state;
	ag_ledger_row row = a_row("ann", 1);
	ag_ledger_check k;

	append(env, "ann", 3, 1);
	change_sql(env, "DELETE FROM ledger_chain");
	assert_int_equal(ag_store_ledger_append(env->store, &row, 1, false, &env->err), AG_IO);
	assert_int_equal(ag_store_ledger_verify(env->store, env->arena, &k, &env->err), AG_IO);
	assert_non_null(strstr(env->err.msg, "lost its chain"));
}

/* --- many at once --- */

enum { NTHREAD = 6, NGROUP = 40 };

typedef struct worker {
	const char *uri;
	uint64_t got;
	ag_err err;
	ag_status status;
} worker;

static void *append_groups(void *arg)
{
	worker *w = arg;
	AG_AUTO(ag_store_closep) ag_store *s = NULL;

	w->status = ag_store_open(ag_str_c(w->uri), &s, &w->err);
	for (int i = 0; i < NGROUP && !w->status; i++) {
		ag_ledger_row rows[3] = { a_row("ann", i), a_row("ben", i), a_row("cid", i) };

		w->status = ag_store_ledger_append(s, rows, 1 + (size_t)i % 3, false, &w->err);
		w->got += 1 + (uint64_t)i % 3;
	}
	return NULL;
}

static void *take_what_there_is(void *arg)
{
	worker *w = arg;
	AG_AUTO(ag_store_closep) ag_store *s = NULL;
	const ag_rate_key key = { AG_S("k"), 60000, 1000 };
	ag_rate_taken taken = { .got = 1 };

	w->status = ag_store_open(ag_str_c(w->uri), &s, &w->err);
	for (int i = 0; taken.got && !w->status; i++) {
		w->status = ag_store_rate_take(s, &key, 1, 1 + (uint64_t)i % 7, 1000 + i % 3,
		                               &taken, &w->err);
		w->got += taken.got;
	}
	return NULL;
}

static uint64_t in_threads(store_env *env, void *(*fn)(void *))
{
	pthread_t thread[NTHREAD];
	worker w[NTHREAD] = { 0 };
	uint64_t total = 0;

	for (size_t i = 0; i < NTHREAD; i++) {
		w[i].uri = env->uri;
		assert_int_equal(pthread_create(&thread[i], NULL, fn, &w[i]), 0);
	}
	for (size_t i = 0; i < NTHREAD; i++)
		pthread_join(thread[i], NULL);
	for (size_t i = 0; i < NTHREAD; i++) {
		if (w[i].status)
			fail_msg("thread %zu: %s", i, w[i].err.msg);
		total += w[i].got;
	}
	return total;
}

static void handles_write_one_chain(void **state)
{
	store_env *env = *state;
	uint64_t n = in_threads(env, append_groups);
	ag_ledger_check k = check(env);

	assert_int_equal(k.nrow, n);
	assert_int_equal(k.last, n);
	assert_int_equal(k.broken_at, 0);
}

static void handles_share_one_limit(void **state)
{
	assert_int_equal(in_threads(*state, take_what_there_is), 1000);
}

/* Children write without a pause and tell each group that was taken; kill -9 hits them anywhere. */
static void a_killed_writer_leaves_a_whole_chain(void **state)
{
	store_env *env = *state;
	uint64_t acknowledged = 0;

	env->store = ag_store_close(env->store);
	for (int round = 0; round < 6; round++) {
		int pipe_fd[2];
		char byte;
		pid_t pid;

		assert_int_equal(pipe(pipe_fd), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			ag_store *s = NULL;

			if (ag_store_open(ag_str_c(env->uri), &s, NULL))
				_exit(1);
			for (;;) {
				ag_ledger_row rows[5];

				for (size_t i = 0; i < 5; i++)
					rows[i] = a_row("ann", (int64_t)i);
				if (ag_store_ledger_append(s, rows, 5, true, NULL) ||
				    write(pipe_fd[1], "x", 1) != 1)
					_exit(2);
			}
		}
		close(pipe_fd[1]);
		assert_int_equal(read(pipe_fd[0], &byte, 1), 1);
		usleep(5000 + 3000 * (unsigned)round);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		for (acknowledged += 5; read(pipe_fd[0], &byte, 1) == 1;)
			acknowledged += 5;
		close(pipe_fd[0]);
	}
	assert_ok(env, store_env_reopen(env));
	assert_int_equal(check(env).broken_at, 0);
	assert_true(check(env).nrow >= acknowledged);
	assert_int_equal(check(env).nrow % 5, 0);
}

/* Rows come and go while it is checked. */
static void checking_holds_nobody_up(void **state)
{
	store_env *env = *state;
	AG_AUTO(ag_store_closep) ag_store *other = NULL;
	uint64_t nrun;

	for (int i = 0; i < 4; i++)
		append(env, "ann", AG_LEDGER_MAX_GROUP, 1 + i);
	assert_ok(env, ag_store_open(ag_str_c(env->uri), &other, &env->err));
	assert_ok(env, ag_store_purge(other, 2, &nrun, &env->err));
	assert_int_equal(check(env).broken_at, 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(rows_are_read_as_they_were_written),
		T(each_row_of_a_group_has_its_own_texts),
		T(rows_are_chosen),
		T(the_chain_is_sha256_of_plain_json),
		T(a_long_call_has_two_rows),
		T(a_whole_chain_is_whole),
		T(a_group_is_whole_or_not_at_all),
		T(purge_keeps_the_chain),
		T(purge_after_the_clock_went_back),
		T(a_limit_is_exact),
		T(all_limits_or_none),
		T(a_clock_that_goes_back_is_no_gift),
		T(what_is_no_limit_is_refused),
		T(texts_are_replaced),
	};
	const struct CMUnitTest shared_tests[] = {
		T(whoever_changes_the_table_is_found_out),
		T(a_clean_cut_changes_the_head),
		T(a_lost_chain_is_told),
	};
	const struct CMUnitTest many_tests[] = {
		T(handles_write_one_chain),
		T(handles_share_one_limit),
		T(a_killed_writer_leaves_a_whole_chain),
		T(checking_holds_nobody_up),
	};
	int nfailed = 0;

	for (size_t i = 0; i < nstore_fixture; i++) {
		fixture = &store_fixtures[i];
		if (store_fixture_start(fixture))
			continue;
		nfailed += cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
		if (fixture->is_shared)
			nfailed += cmocka_run_group_tests_name("shared", many_tests, NULL, NULL);
		if (fixture->is_file)
			nfailed += cmocka_run_group_tests_name("file", shared_tests, NULL, NULL);
		store_fixture_stop(fixture);
	}
	return nfailed > 0;
}
