/* The contract of store/driver.h, the same for every database in store_fixtures[]: arguments by their number, rows, many
 * rows at once, transactions, and what an error means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "store/driver.h"
#include "store_fixtures.h"

static const store_fixture *fixture; /* of the group that runs */

typedef struct world {
	store_env *env;
	ag_db *db, *other; /* other: only of a shared store */
} world;

static int setup(void **state)
{
	world *w = ag_xcalloc(1, sizeof(*w));

	w->env = store_env_new(fixture);
	*state = w;
	return ag_db_open(ag_str_c(w->env->uri), &w->db, &w->env->err) ||
	       (fixture->is_shared && ag_db_open(ag_str_c(w->env->uri), &w->other, &w->env->err));
}

static int teardown(void **state)
{
	world *w = *state;

	ag_db_close(w->db);
	ag_db_close(w->other);
	store_env_free(w->env);
	free(w);
	return 0;
}

/* --- arguments --- */

typedef struct found {
	char text[8][40];
	int64_t number;
	double real;
	size_t n;
} found;

static ag_status take(void *arg, const ag_db_val *row, ag_err *err)
{
	found *f = arg;
	const ag_str text = ag_db_get_view(&row[0]);

	(void)err;
	assert_in_range(f->n, 0, AG_NELEM(f->text) - 1);
	snprintf(f->text[f->n], sizeof(f->text[0]), "%.*s", AG_FMT(text));
	f->number = ag_db_get_int(&row[1]);
	f->real = ag_db_get_real(&row[2]);
	f->n++;
	return AG_OK;
}

static found ask(world *w, const ag_sql *sql, ag_db_args args)
{
	found f = { .n = 0 };
	ag_db_out out = { .on_row = take, .arg = &f };

	assert_ok(w->env, ag_db_run(w->db, sql, args, &out, &w->env->err));
	return f;
}

/* $1 is the first argument, also where a text names it last, or more than once. */
static void arguments_go_by_their_number(void **state)
{
	static const ag_sql in_order = {
		"SELECT $1 || '-' || $2, CAST($3 AS BIGINT), CAST($4 AS DOUBLE PRECISION)"
	};
	static const ag_sql backwards = {
		"SELECT $4 || '-' || $3, CAST($2 AS BIGINT), CAST($1 AS DOUBLE PRECISION)"
	};
	static const ag_sql repeated = {
		"SELECT $2 || $3 || $2 || $1 || $3, CAST($4 AS BIGINT), 0.5 "
		"WHERE $3 <> $2 AND $1 <> $3 AND $4 > 0"
	};
	static const ag_sql eleven = {
		"SELECT $11 || $10 || $1 || $2 || $3 || $4 || $5 || $6 || $7 || $8 || $9, 1, 1.0"
	};
	const ag_db_val a = ag_db_text(AG_S("a")), b = ag_db_text(AG_S("b")),
			c = ag_db_text(AG_S("c"));
	ag_db_val letters[11];
	world *w = *state;
	found f;

	for (int round = 0; round < 2; round++) { /* prepared, then taken from the kept ones */
		f = ask(w, &in_order, AG_DB_ARGS(a, b, ag_db_int(7), ag_db_real(0.25)));
		assert_string_equal(f.text[0], "a-b");
		assert_int_equal(f.number, 7);
		assert_true(f.real == 0.25);
		f = ask(w, &backwards, AG_DB_ARGS(ag_db_real(0.25), ag_db_int(-8), b, a));
		assert_string_equal(f.text[0], "a-b");
		assert_int_equal(f.number, -8);
		assert_true(f.real == 0.25);
		f = ask(w, &repeated, AG_DB_ARGS(a, b, c, ag_db_int(INT64_MAX)));
		assert_string_equal(f.text[0], "bcbac");
		assert_true(f.number == INT64_MAX);
		for (size_t i = 0; i < 11; i++)
			letters[i] = ag_db_text(ag_str_make(&"abcdefghijk"[i], 1));
		f = ask(w, &eleven, (ag_db_args){ letters, 11 });
		assert_string_equal(f.text[0], "kjabcdefghi");
	}
}

static void texts_and_numbers_come_back_as_they_were(void **state)
{
	static const ag_sql sql = { "SELECT $1, $2, $3" };
	static const ag_sql null = { "SELECT NULL, NULL, NULL" };
	world *w = *state;
	found f = ask(w, &sql,
	              AG_DB_ARGS(ag_db_text(ag_str_make(NULL, 0)), ag_db_int(INT64_MIN),
	                         ag_db_real(-0.1)));

	assert_string_equal(f.text[0], "");
	assert_true(f.number == INT64_MIN);
	assert_true(f.real == -0.1);
	f = ask(w, &sql,
	        AG_DB_ARGS(ag_db_text(AG_S("\xe2\x82\xac ' $1 {stored}")), ag_db_int(0),
	                   ag_db_real(3)));
	assert_string_equal(f.text[0], "\xe2\x82\xac ' $1 {stored}");
	assert_true(f.real == 3);
	f = ask(w, &null, AG_DB_NO_ARGS);
	assert_int_equal(f.n, 1);
	assert_string_equal(f.text[0], "");
	assert_int_equal(f.number, 0);
}

/* --- rows --- */

static const ag_sql put_text = { "INSERT INTO texts (text, key, at) VALUES ($3, $1, $2) "
	                         "ON CONFLICT (key) DO UPDATE SET text = excluded.text "
	                         "WHERE texts.text <> excluded.text RETURNING text, at, 0.0" };
static const ag_sql add_text = { "INSERT INTO texts (text, key, at) VALUES ($3, $1, $2)" };
static const ag_sql keep_text = { "INSERT INTO texts (text, key, at) VALUES ($3, $1, $2) "
	                          "ON CONFLICT (key) DO NOTHING" };
static const ag_sql texts = { "SELECT text, at, 1.0 FROM texts ORDER BY key" };
static const ag_sql drop_texts = { "DELETE FROM texts WHERE at >= $1" };

static void a_statement_gives_rows_and_counts(void **state)
{
	world *w = *state;
	const ag_db_val key = ag_db_text(AG_S("k")), at = ag_db_int(5);
	found f = ask(w, &put_text, AG_DB_ARGS(key, at, ag_db_text(AG_S("one"))));
	ag_db_out out = { 0 };

	assert_int_equal(f.n, 1);
	assert_string_equal(f.text[0], "one");
	assert_int_equal(f.number, 5);
	f = ask(w, &put_text, AG_DB_ARGS(key, at, ag_db_text(AG_S("two"))));
	assert_string_equal(f.text[0], "two");
	f = ask(w, &put_text, AG_DB_ARGS(key, at, ag_db_text(AG_S("two"))));
	assert_int_equal(f.n, 0);
	assert_ok(w->env,
	          ag_db_run(w->db, &drop_texts, AG_DB_ARGS(ag_db_int(6)), &out, &w->env->err));
	assert_int_equal(out.nchange, 0);
	assert_ok(w->env,
	          ag_db_run(w->db, &drop_texts, AG_DB_ARGS(ag_db_int(5)), &out, &w->env->err));
	assert_int_equal(out.nchange, 1);
}

static ag_status stop(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)row;
	return ++*(int *)arg == 2 ? ag_fail(err, AG_LIMIT, "test", "enough") : AG_OK;
}

static void many_rows(ag_db_val args[5][3])
{
	static const char *const keys[5] = { "a", "b", "c", "d", "e" };

	for (int i = 0; i < 5; i++) {
		args[i][0] = ag_db_text(ag_str_c(keys[i]));
		args[i][1] = ag_db_int(i);
		/* Some texts are those of the row before. */
		args[i][2] = ag_db_text(i < 3 ? AG_S("same") : AG_S("other"));
	}
}

static void many_rows_are_one_call(void **state)
{
	world *w = *state;
	ag_db_val args[5][3];
	size_t unchanged = 99;
	found f;

	many_rows(args);
	assert_ok(w->env, ag_db_run_many(w->db, &keep_text, (ag_db_args){ args[0], 3 }, 5,
	                                 &unchanged, &w->env->err));
	assert_int_equal(unchanged, 5);
	f = ask(w, &texts, AG_DB_NO_ARGS);
	assert_int_equal(f.n, 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(f.text[i], i < 3 ? "same" : "other");
	args[0][0] = ag_db_text(AG_S("f"));
	assert_ok(w->env, ag_db_run_many(w->db, &keep_text, (ag_db_args){ args[0], 3 }, 5,
	                                 &unchanged, &w->env->err));
	assert_int_equal(unchanged, 1);
	assert_int_equal(ask(w, &texts, AG_DB_NO_ARGS).n, 6);
	assert_ok(w->env, ag_db_run_many(w->db, &keep_text, (ag_db_args){ args[0], 3 }, 0,
	                                 &unchanged, &w->env->err));
	assert_int_equal(unchanged, 0);
}

static void a_callback_ends_the_statement(void **state)
{
	world *w = *state;
	ag_db_val args[5][3];
	int n = 0;
	ag_db_out out = { .on_row = stop, .arg = &n };

	many_rows(args);
	assert_ok(w->env, ag_db_run_many(w->db, &keep_text, (ag_db_args){ args[0], 3 }, 5, NULL,
	                                 &w->env->err));
	assert_int_equal(ag_db_run(w->db, &texts, AG_DB_NO_ARGS, &out, &w->env->err), AG_LIMIT);
	assert_int_equal(n, 2);
	assert_int_equal(ask(w, &texts, AG_DB_NO_ARGS).n, 5);
}

/* --- transactions and errors --- */

static void a_transaction_is_all_or_nothing(void **state)
{
	world *w = *state;
	ag_db_val args[5][3];
	ag_db_args rows = { args[0], 3 };
	ag_status st;

	many_rows(args);
	assert_ok(w->env, ag_db_begin(w->db, AG_DB_WRITE, AG_S("test"), &w->env->err));
	assert_ok(w->env, ag_db_run_many(w->db, &add_text, rows, 5, NULL, &w->env->err));
	assert_int_equal(ag_db_end(w->db, AG_CONFLICT, &w->env->err), AG_CONFLICT);
	assert_int_equal(ask(w, &texts, AG_DB_NO_ARGS).n, 0);
	/* The third row of a batch that exists already. */
	assert_ok(w->env, ag_db_run_many(w->db, &add_text, (ag_db_args){ args[2], 3 }, 1, NULL,
	                                 &w->env->err));
	assert_ok(w->env, ag_db_begin(w->db, AG_DB_DURABLE, AG_S("test"), &w->env->err));
	/* Now, or at the commit. */
	st = ag_db_run_many(w->db, &add_text, rows, 5, NULL, &w->env->err);
	assert_true(!st || st == AG_CONFLICT);
	assert_int_equal(ag_db_end(w->db, st, &w->env->err), AG_CONFLICT);
	assert_int_equal(ask(w, &texts, AG_DB_NO_ARGS).n, 1);
	assert_ok(w->env, ag_db_begin(w->db, AG_DB_LAZY, AG_S("test"), &w->env->err));
	assert_ok(w->env,
	          ag_db_end(w->db, ag_db_run_many(w->db, &keep_text, rows, 5, NULL, &w->env->err),
	                    &w->env->err));
	assert_int_equal(ask(w, &texts, AG_DB_NO_ARGS).n, 5);
}

static void a_missing_parent_is_not_found(void **state)
{
	static const ag_sql put_report = { "INSERT INTO reports (run, body) VALUES ($1, '{}')" };
	world *w = *state;

	assert_int_equal(ag_db_run(w->db, &put_report, AG_DB_ARGS(ag_db_text(AG_S("none"))), NULL,
	                           &w->env->err),
	                 AG_NOT_FOUND);
}

/* What one handle reads in a transaction does not change when another one writes. */
static void a_reading_transaction_sees_one_state(void **state)
{
	world *w = *state;
	ag_db_val args[5][3];

	many_rows(args);
	assert_ok(w->env, ag_db_begin(w->db, AG_DB_READ, AG_S("test"), &w->env->err));
	assert_int_equal(ask(w, &texts, AG_DB_NO_ARGS).n, 0);
	assert_ok(w->env, ag_db_run_many(w->other, &add_text, (ag_db_args){ args[0], 3 }, 5, NULL,
	                                 &w->env->err));
	assert_int_equal(ask(w, &texts, AG_DB_NO_ARGS).n, 0);
	assert_ok(w->env, ag_db_end(w->db, AG_OK, &w->env->err));
	assert_int_equal(ask(w, &texts, AG_DB_NO_ARGS).n, 5);
}

/* More statements than a handle begins with room for. */
static void every_statement_is_kept(void **state)
{
	static ag_sql many[200];
	static char text[200][60];
	world *w = *state;

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 200; i++) {
			snprintf(text[i], sizeof(text[i]), "SELECT $1, %d, 0.0", i);
			many[i].text = text[i];
			assert_int_equal(ask(w, &many[i], AG_DB_ARGS(ag_db_text(AG_S("x")))).number,
			                 i);
		}
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(arguments_go_by_their_number),      T(texts_and_numbers_come_back_as_they_were),
		T(a_statement_gives_rows_and_counts), T(many_rows_are_one_call),
		T(a_callback_ends_the_statement),     T(a_transaction_is_all_or_nothing),
		T(a_missing_parent_is_not_found),     T(every_statement_is_kept),
	};
	const struct CMUnitTest shared[] = {
		T(a_reading_transaction_sees_one_state),
	};
	int nfailed = 0;

	for (size_t i = 0; i < nstore_fixture; i++) {
		fixture = &store_fixtures[i];
		if (store_fixture_start(fixture))
			continue;
		nfailed += cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
		if (fixture->is_shared)
			nfailed += cmocka_run_group_tests_name(fixture->name, shared, NULL, NULL);
		store_fixture_stop(fixture);
	}
	return nfailed > 0;
}
