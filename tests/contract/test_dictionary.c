/* The dictionary of every engine, over a database with one thing of every kind: tests/cases/dictionary/<engine>.sql. What is
 * told of it stands in <engine>.json beside it; "CANARY" stands in all that must not be told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "contract/folder.h"
#include "real/postgres.h"
#include "sql/sql.h"

#define CASES "tests/cases/dictionary/"

static test_postgres server;
static char folder[128];

/* --- the databases --- */

static char *read_text(const char *path)
{
	char *text = calloc(1, 1 << 20);
	FILE *f = fopen(path, "rb");

	assert_non_null(text);
	if (f) {
		assert_true(fread(text, 1, (1 << 20) - 1, f) < (1 << 20) - 1);
		fclose(f);
	}
	return text;
}

static void tell_server(const char *args)
{
	char command[600];

	snprintf(command, sizeof(command),
	         "psql -XqAt -v ON_ERROR_STOP=1 -h '%s' -p %d -U postgres postgres %s >/dev/null",
	         server.folder, server.port, args);
	assert_int_equal(system(command), 0); /* lint: allow, a test's own command */
}

static void make_sqlite(char path[200])
{
	char *sql = read_text(CASES "sqlite.sql"), *message = NULL;
	sqlite3 *db;

	snprintf(path, 200, "%s/all.db", folder);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &message))
		fail_msg("%s", message);
	sqlite3_close(db);
	free(sql);
}

typedef struct engine {
	const char *name;
	char uri[400];
} engine;

static engine engines[] = { { "sqlite", "" }, { "postgres", "" } };

static int make_all(void **state)
{
	char path[200];
	int started;

	(void)state;
	test_folder_make(folder, "dictionary");
	make_sqlite(path);
	snprintf(engines[0].uri, sizeof(engines[0].uri), "sqlite:%s", path);
	started = test_postgres_start(&server);
	if (started == 77) {
		print_message("# PostgreSQL is not installed: SQLite alone\n");
		rmdir(server.folder);
		server.folder[0] = '\0';
		return 0;
	}
	assert_int_equal(started, 0);
	tell_server("-f " CASES "postgres.sql");
	snprintf(engines[1].uri, sizeof(engines[1].uri), "%s", server.uri);
	return 0;
}

static int remove_all(void **state)
{
	(void)state;
	test_postgres_stop(&server);
	test_folder_remove(folder);
	return 0;
}

/* --- what is told --- */

static const ag_str excluded[] = { AG_S_INIT("EXCLUDED") };
static const ag_str schemas[] = { AG_S_INIT("Sales") };

static ag_sql_opts default_opts(void)
{
	return (ag_sql_opts){ .policy = { .excluded_tables = excluded,
		                          .nexcluded_table = 1,
		                          .allowed_schemas = schemas,
		                          .nallowed_schema = 1 } };
}

static ag_dictionary introspect(const engine *e, const ag_sql_opts *opts,
                                const ag_dictionary_opts *o, ag_arena *arena)
{
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };
	ag_sql_source *source = NULL;
	ag_sql_failure failure;
	ag_dictionary d = { 0 };
	ag_err err = { 0 };

	if (ag_sql_open(ag_str_c(e->uri), opts, &source, &err))
		fail_msg("%s: %s", e->uri, err.msg);
	if (ag_sql_introspect(source, &ctx, o, arena, &d, &failure, &err))
		fail_msg("%s: %s", e->uri, err.msg);
	if (failure.code)
		fail_msg("%s: %.*s", e->uri, AG_FMT(failure.message));
	ag_sql_close(source);
	return d;
}

typedef enum form { ALL, LIST, KEPT } form;

static char *told(const ag_dictionary *d, form f, int indent)
{
	ag_buf out = AG_BUF_INIT(1 << 22);
	ag_jw w;

	ag_jw_init(&w, &out, indent);
	if (f == LIST) {
		ag_dictionary_list_json(d, &w);
	} else if (f == KEPT) {
		ag_dictionary_write(d, &w);
	} else {
		ag_jw_obj(&w);
		ag_dictionary_all_json(d, &w);
		ag_jw_obj_end(&w);
	}
	assert_false(out.failed);
	return ag_buf_steal(&out);
}

static const engine *engine_or_skip(size_t i)
{
	if (!engines[i].uri[0])
		skip();
	return &engines[i];
}

/* With what is told now in /tmp when it differs, so that it can be compared, and taken over when it is right. */
static void everything_is_told(const engine *e)
{
	static const ag_dictionary_opts o = { .with_samples = true };
	ag_sql_opts opts = default_opts();
	ag_arena *arena = ag_arena_new();
	ag_dictionary d = introspect(e, &opts, &o, arena);
	char path[200], *want, *got;
	FILE *f;

	assert_true(d.generated_ms > INT64_C(1700000000000));
	d.generated_ms = 0;
	snprintf(path, sizeof(path), CASES "%s.json", e->name);
	want = read_text(path);
	got = told(&d, ALL, 1);
	if (strncmp(want, got, strlen(got)) != 0 || strlen(want) != strlen(got) + 1) {
		snprintf(path, sizeof(path), "/tmp/argus-dictionary-%s.json", e->name);
		f = fopen(path, "w");
		assert_non_null(f);
		fprintf(f, "%s\n", got);
		fclose(f);
		fail_msg("differs from " CASES "%s.json: compare with %s", e->name, path);
	}
	free(want);
	free(got);
	ag_arena_free(arena);
}

static void postgres_is_told(void **state)
{
	(void)state;
	everything_is_told(engine_or_skip(1));
}

static void sqlite_is_told(void **state)
{
	(void)state;
	everything_is_told(engine_or_skip(0));
}

static void no_secret_is_told(void **state)
{
	static const ag_dictionary_opts o = { .with_samples = true };
	ag_sql_opts opts = default_opts();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(engines); i++) {
		ag_arena *arena = ag_arena_new();
		ag_dictionary d;

		if (!engines[i].uri[0])
			continue;
		d = introspect(&engines[i], &opts, &o, arena);
		for (form f = ALL; f <= KEPT; f++) {
			char *text = told(&d, f, 0);

			if (strstr(text, "CANARY") || strstr(text, "xcluded"))
				fail_msg("%s: %s", engines[i].name,
				         strstr(text, "CANARY") ? strstr(text, "CANARY")
				                                : strstr(text, "xcluded"));
			free(text);
		}
		assert_null(ag_dictionary_find(&d, AG_S("excluded")));
		assert_null(ag_dictionary_find(&d, AG_S("over_that")));
		ag_arena_free(arena);
	}
}

static const ag_dict_column *column_of(const ag_dict_table *t, const char *name)
{
	for (size_t i = 0; i < t->ncolumn; i++) {
		if (ag_str_eqc(t->columns[i].name, name))
			return &t->columns[i];
	}
	fail_msg("no column %s", name);
	return NULL;
}

static void samples_are_asked_for(void **state)
{
	static const ag_str words[] = { AG_S_INIT("name") };
	static const ag_dictionary_opts none = { .with_samples = false };
	static const ag_dictionary_opts more = { .with_samples = true,
		                                 .sensitive_words = words,
		                                 .nsensitive_word = 1 };
	ag_sql_opts opts = default_opts();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(engines); i++) {
		ag_arena *arena = ag_arena_new();
		const ag_dict_table *t;
		ag_dictionary d;

		if (!engines[i].uri[0])
			continue;
		d = introspect(&engines[i], &opts, &none, arena);
		for (size_t k = 0; k < d.ntable; k++) {
			for (size_t c = 0; c < d.tables[k].ncolumn; c++)
				assert_int_equal(d.tables[k].columns[c].nsample, 0);
		}
		d = introspect(&engines[i], &opts, &more, arena);
		t = ag_dictionary_find(&d, AG_S("users"));
		assert_non_null(t);
		assert_true(column_of(t, "name")->is_sensitive &&
		            column_of(t, "name")->nsample == 0);
		assert_int_equal(column_of(t, "mail")->nsample, 3);
		ag_arena_free(arena);
	}
}

/* Only what the policy's list names, wherever it is. */
static void a_list_of_tables_holds(void **state)
{
	static const ag_str list[] = { AG_S_INIT("two"), AG_S_INIT("users"),
		                       AG_S_INIT("sales.orders"), AG_S_INIT("excluded"),
		                       AG_S_INIT("events_2024") };
	static const ag_dictionary_opts o = { .with_samples = true };
	ag_sql_opts opts = default_opts();

	(void)state;
	opts.policy.allowed_schemas = NULL;
	opts.policy.nallowed_schema = 0;
	opts.policy.allowed_tables = list;
	opts.policy.nallowed_table = AG_NELEM(list);
	for (size_t i = 0; i < AG_NELEM(engines); i++) {
		ag_arena *arena = ag_arena_new();
		ag_str said;
		ag_dictionary d;

		if (!engines[i].uri[0])
			continue;
		d = introspect(&engines[i], &opts, &o, arena);
		said = ag_dictionary_suggest(&d, AG_S("qqqqqqqq"), arena);
		if (!ag_str_eqc(said, i ? "The tables are: events_2024, two, users, sales.orders"
		                        : "The tables are: two, users"))
			fail_msg("%s: %.*s", engines[i].name, AG_FMT(said));
		ag_arena_free(arena);
	}
}

/* One table that fails does not take the samples of the others with it. */
static void a_role_sees_its_tables(void **state)
{
	static const ag_dictionary_opts o = { .with_samples = true };
	const engine *e = engine_or_skip(1);
	ag_sql_opts opts = default_opts();
	ag_arena *arena = ag_arena_new();
	const ag_dict_table *t;
	ag_dictionary d;

	(void)state;
	opts.role = AG_S("reader");
	d = introspect(e, &opts, &o, arena);
	t = ag_dictionary_find(&d, AG_S("noread"));
	assert_non_null(t);
	assert_int_equal(t->ncolumn, 3);
	assert_int_equal(column_of(t, "note")->nsample, 0);
	t = ag_dictionary_find(&d, AG_S("fails"));
	assert_non_null(t);
	assert_int_equal(column_of(t, "id")->nsample, 0);
	t = ag_dictionary_find(&d, AG_S("users"));
	assert_int_equal(column_of(t, "name")->nsample, 3);
	t = ag_dictionary_find(&d, AG_S("shipping"));
	assert_int_equal(column_of(t, "author")->nsample, 1);
	ag_arena_free(arena);
}

/* A table that somebody else has locked is described, without samples, and holds nothing up for long. */
static void a_locked_table_is_passed_by(void **state)
{
	static const ag_dictionary_opts o = { .with_samples = true };
	const engine *e = engine_or_skip(1);
	ag_sql_opts opts = default_opts();
	ag_arena *arena = ag_arena_new();
	char line[100] = "", command[600];
	const ag_dict_table *t;
	int64_t before, after;
	ag_dictionary d;
	FILE *f;

	(void)state;
	snprintf(
		command, sizeof(command),
		"(echo 'begin; lock table two;'; echo '\\! echo locked'; echo 'select pg_sleep(60);') | "
		"psql -XqAt -h '%s' -p %d -U postgres postgres 2>/dev/null",
		server.folder, server.port);
	f = popen(command, "r"); /* lint: allow, a test's own command */
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	assert_string_equal(line, "locked\n");
	before = ag_clock_mono(&ag_clock_system);
	d = introspect(e, &opts, &o, arena);
	after = ag_clock_mono(&ag_clock_system);
	tell_server(
		"-c \"select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(60)%' and pid <> "
		"pg_backend_pid()\"");
	pclose(f);
	t = ag_dictionary_find(&d, AG_S("two"));
	assert_non_null(t);
	assert_int_equal(t->ncolumn, 3);
	assert_int_equal(column_of(t, "a")->nsample, 0);
	t = ag_dictionary_find(&d, AG_S("users"));
	assert_int_equal(column_of(t, "name")->nsample, 3);
	assert_true(after - before < 15000);
	ag_arena_free(arena);
}

/* The guard's snapshot is the engine's own; what depends on it: a view over a view over an excluded table. */
static void suggestions_stay_inside(void **state)
{
	static const ag_dictionary_opts o = { .with_samples = false };
	ag_sql_opts opts = default_opts();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(engines); i++) {
		ag_arena *arena = ag_arena_new();
		ag_dictionary d;

		if (!engines[i].uri[0])
			continue;
		d = introspect(&engines[i], &opts, &o, arena);
		assert_true(ag_str_starts(ag_dictionary_suggest(&d, AG_S("usr"), arena),
		                          AG_S("Did you mean: users")));
		assert_false(ag_str_contains(ag_dictionary_suggest(&d, AG_S("exclude"), arena),
		                             AG_S("xcluded")));
		ag_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sqlite_is_told),
		cmocka_unit_test(postgres_is_told),
		cmocka_unit_test(no_secret_is_told),
		cmocka_unit_test(samples_are_asked_for),
		cmocka_unit_test(a_list_of_tables_holds),
		cmocka_unit_test(a_role_sees_its_tables),
		cmocka_unit_test(a_locked_table_is_passed_by),
		cmocka_unit_test(suggestions_stay_inside),
	};

	return cmocka_run_group_tests(tests, make_all, remove_all);
}
