/* The hub: settings, which project a call means, and that every call is admitted, limited and recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>

#include "../contract/assert_ok.h"
#include "../contract/folder.h"
#include "base/fault.h"
#include "project/credential.h"
#include "project/project.h"
#include "query/extjson.h"

#define FRESH_MS 5000
#define KEY      "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
#define OTHER    "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDI="

typedef struct world {
	char folder[128], path[200], database[200];
	ag_arena *arena;
	ag_store *store, *other; /* other: of another process */
	ag_project_hub *hub;
	ag_ctx ctx;
	ag_err err;
} world;

static _Atomic int64_t now_ms;

static int64_t now(void *self)
{
	(void)self;
	return now_ms;
}

static const ag_clock test_clock = { .wall_ms = now, .mono_ms = now };

static void open_hub(world *w, const char *key)
{
	const ag_project_hub_opts o = { .clock = &test_clock,
		                        .store = w->store,
		                        .store_uri = ag_str_c(w->path),
		                        .credential_key = ag_str_c(key),
		                        .per_minute = 100000,
		                        .connections = 4 };

	assert_ok(w, ag_project_hub_open(&o, &w->hub, &w->err));
}

static int setup(void **state)
{
	world *w = ag_xcalloc(1, sizeof(*w));
	sqlite3 *db;

	*state = w;
	now_ms = 1700000000000;
	w->arena = ag_arena_new();
	test_folder_make(w->folder, "hub");
	snprintf(w->path, sizeof(w->path), "%s/argus.db", w->folder);
	snprintf(w->database, sizeof(w->database), "sqlite:%s/shop.db", w->folder);
	w->ctx = (ag_ctx){ .clock = &test_clock, .nthread = 1 };
	if (sqlite3_open(w->database + strlen("sqlite:"), &db) ||
	    sqlite3_exec(db, "CREATE TABLE t(a INT); INSERT INTO t VALUES (7)", NULL, NULL, NULL))
		return -1;
	sqlite3_close(db);
	if (ag_store_open(ag_str_c(w->path), &w->store, &w->err) ||
	    ag_store_open(ag_str_c(w->path), &w->other, &w->err))
		return -1;
	open_hub(w, "");
	return 0;
}

static int teardown(void **state)
{
	world *w = *state;

	AG_IGNORE(ag_fault_setup(NULL, NULL), "cannot fail");
	ag_project_hub_close(w->hub);
	ag_store_close(w->store);
	ag_store_close(w->other);
	ag_arena_free(w->arena);
	test_folder_remove(w->folder);
	free(w);
	return 0;
}

static void put(world *w, const char *id, const char *settings, ag_str secret, bool is_active)
{
	const ag_project_row row = { .id = ag_str_c(id),
		                     .name = ag_str_c(id),
		                     .source = ag_str_c(w->database),
		                     .secret = secret,
		                     .settings = ag_str_c(settings),
		                     .is_active = is_active,
		                     .created_ms = 1,
		                     .changed_ms = now_ms };

	assert_ok(w, ag_store_put_project(w->other, &row, &w->err));
}

static ag_status find(world *w, const ag_caller *who, const char *id, const ag_project **ret)
{
	w->err = (ag_err){ 0 };
	return ag_project_find(w->hub, who, ag_str_c(id), ret, &w->err);
}

/* A caller of these projects, all in one role. */
static ag_caller caller(world *w, const char *user, ag_role role, size_t n, const char *const *ids)
{
	ag_caller_project *p = ag_new_n(w->arena, ag_caller_project, n + 1);

	for (size_t i = 0; i < n; i++)
		p[i] = (ag_caller_project){ ag_str_c(ids[i]), role };
	return (ag_caller){ .user = ag_str_c(user), .projects = p, .nproject = n };
}

static ag_status read_settings(world *w, const char *json, ag_project_settings *ret)
{
	const ag_extjson_opts opts = { 0 };
	ag_val v;

	assert_ok(w, ag_extjson_parse(ag_str_c(json), &opts, w->arena, &v, NULL, NULL, &w->err));
	w->err = (ag_err){ 0 };
	return ag_project_settings_read(&v, w->arena, ret, &w->err);
}

/* --- settings --- */

static void every_setting_is_written_as_it_is_read(void **state)
{
	static const char all[] =
		"{\"schema\":\"s\",\"readonly_role\":\"r\",\"allowed_schemas\":[\"a\",\"b\"],"
		"\"allowed_tables\":[\"t\"],\"excluded_tables\":[\"x\"],\"allowed_functions\":[\"f\"],"
		"\"allowed_views\":[\"v\"],\"allowed_types\":[\"citext\"],\"allowed_extensions\":[\"pg_trgm\"],"
		"\"sensitive_words\":[\"w\"],\"max_rows_per_query\":7,\"max_result_bytes\":2048,"
		"\"max_query_timeout_seconds\":0.5,\"max_connections\":3,\"max_cost\":1.5,"
		"\"max_queries_per_minute\":4,\"max_queries_per_hour\":5,\"max_queries_per_day\":6,"
		"\"max_project_queries_per_day\":8,\"root\":\"/r\",\"documents\":\"/d\",\"model\":\"m\"}";
	world *w = *state;
	ag_project_settings s;
	ag_buf out = AG_BUF_INIT(4096);
	ag_jw jw;

	assert_ok(w, read_settings(w, all, &s));
	assert_int_equal(s.max_rows, 7);
	assert_int_equal(s.nallowed_schema, 2);
	assert_true(s.timeout > 0.4 && s.timeout < 0.6);
	ag_jw_init(&jw, &out, 0);
	ag_project_settings_write(&s, &jw);
	assert_string_equal(ag_str_cstr(w->arena, ag_buf_view(&out)), all);
	ag_buf_release(&out);
	assert_ok(w, read_settings(w, "{\"allowed_tables\":\" a , b,,\",\"schema\":null}", &s));
	assert_int_equal(s.nallowed_table, 2);
	assert_true(ag_str_eqc(s.allowed_tables[0], "a"));
}

static void a_wrong_setting_is_named(void **state)
{
	static const char *const wrong[][2] = {
		{ "{\"max_rows_per_query\":0}", "max_rows_per_query" },
		{ "{\"max_rows_per_query\":1.5}", "max_rows_per_query" },
		{ "{\"max_rows_per_query\":\"many\"}", "max_rows_per_query" },
		{ "{\"max_rows_per_query\":1e30}", "max_rows_per_query" },
		{ "{\"max_query_timeout_seconds\":0}", "max_query_timeout_seconds" },
		{ "{\"max_query_timeout_seconds\":\"nan\"}", "max_query_timeout_seconds" },
		{ "{\"max_cost\":-1}", "max_cost" },
		{ "{\"max_queries_per_minute\":-1}", "max_queries_per_minute" },
		{ "{\"schema\":7}", "schema" },
		{ "{\"schema\":\"a\\u0000b\"}", "schema" },
		{ "{\"allowed_tables\":7}", "allowed_tables" },
		{ "{\"allowed_tables\":[7]}", "allowed_tables" },
		{ "{\"excluded_tables\":[\" \"]}", "excluded_tables" },
		{ "{\"max_row\":7}", "max_row" },
	};
	world *w = *state;
	ag_project_settings s;

	for (size_t i = 0; i < AG_NELEM(wrong); i++) {
		assert_int_equal(read_settings(w, wrong[i][0], &s), AG_INVALID);
		assert_non_null(strstr(w->err.msg, wrong[i][1]));
	}
	assert_int_equal(read_settings(w, "[]", &s), AG_INVALID);
	assert_int_equal(read_settings(w, "{\"exclude_tables\":[]}", &s), AG_INVALID);
	assert_non_null(strstr(w->err.hint, "excluded_tables"));
}

/* --- which project --- */

static void a_call_means_the_only_project_or_names_one(void **state)
{
	static const char *const ids[] = { "bank", "shop" };
	world *w = *state;
	const ag_caller none = caller(w, "ann", AG_ROLE_ADMIN, 0, ids);
	const ag_caller one = caller(w, "ann", AG_ROLE_ADMIN, 1, ids + 1);
	const ag_caller two = caller(w, "ann", AG_ROLE_ADMIN, 2, ids);
	const ag_caller all = ag_caller_local(NULL, 0, w->arena);
	const ag_project *p;

	put(w, "shop", "{}", AG_S(""), true);
	assert_ok(w, find(w, &one, "", &p));
	assert_true(ag_str_eqc(p->id, "shop"));
	assert_ok(w, find(w, &all, "", &p));
	assert_int_equal(find(w, &none, "", &p), AG_NOT_FOUND);
	assert_int_equal(find(w, &none, "shop", &p), AG_NOT_FOUND);
	put(w, "bank", "{}", AG_S(""), true);
	assert_int_equal(find(w, &two, "", &p), AG_NOT_FOUND);
	assert_non_null(strstr(w->err.msg, "project_id is needed"));
	assert_non_null(strstr(w->err.hint, "bank, shop"));
	assert_int_equal(find(w, &all, "", &p), AG_NOT_FOUND);
	assert_ok(w, find(w, &two, "bank", &p));
	assert_ok(w, find(w, &all, "bank", &p));
	/* One of two is switched off: the other is the only one. */
	now_ms += FRESH_MS;
	put(w, "bank", "{}", AG_S(""), false);
	assert_int_equal(find(w, &two, "bank", &p), AG_NOT_FOUND);
	assert_ok(w, find(w, &two, "", &p));
	assert_true(ag_str_eqc(p->id, "shop"));
}

static void somebody_elses_project_is_like_one_that_is_not(void **state)
{
	static const char *const ids[] = { "shop" };
	world *w = *state;
	const ag_caller ann = caller(w, "ann", AG_ROLE_ADMIN, 1, ids);
	const ag_project *p;
	ag_err foreign;

	put(w, "shop", "{}", AG_S(""), true);
	put(w, "bank", "{}", AG_S(""), true);
	assert_int_equal(find(w, &ann, "bank", &p), AG_NOT_FOUND);
	foreign = w->err;
	assert_int_equal(find(w, &ann, "bark", &p), AG_NOT_FOUND);
	foreign.msg[strcspn(foreign.msg, "\"") + 3] = 'r';
	assert_string_equal(foreign.msg, w->err.msg);
	assert_string_equal(foreign.hint, w->err.hint);
	assert_int_equal(find(w, &ann, "../shop", &p), AG_NOT_FOUND);
}

static void a_change_is_seen_in_time_and_old_holders_keep_theirs(void **state)
{
	world *w = *state;
	const ag_caller all = ag_caller_local(NULL, 0, w->arena);
	const ag_project *before, *p;

	put(w, "shop", "{\"max_rows_per_query\":1}", AG_S(""), true);
	assert_ok(w, find(w, &all, "shop", &before));
	now_ms += 1;
	put(w, "shop", "{\"max_rows_per_query\":2}", AG_S(""), true);
	now_ms += FRESH_MS - 2;
	assert_ok(w, find(w, &all, "shop", &p));
	assert_ptr_equal(p, before);
	now_ms += 1;
	assert_ok(w, find(w, &all, "shop", &p));
	assert_int_equal(p->settings.max_rows, 2);
	assert_int_equal(before->settings.max_rows, 1);
	now_ms += FRESH_MS;
	assert_ok(w, ag_store_drop_project(w->other, AG_S("shop"), &w->err));
	assert_int_equal(find(w, &all, "shop", &p), AG_NOT_FOUND);
}

static void a_password_without_its_key_opens_nothing(void **state)
{
	static const char *const keys[] = { "", OTHER, "no key", KEY };
	world *w = *state;
	const ag_caller all = ag_caller_local(NULL, 0, w->arena);
	const ag_project *p;
	ag_str secret;

	assert_ok(w, ag_credential_seal(AG_S(KEY), AG_S("hunter-2"), now_ms, w->arena, &secret,
	                                &w->err));
	put(w, "shop", "{}", secret, true);
	for (size_t i = 0; i < AG_NELEM(keys); i++) {
		w->hub = ag_project_hub_close(w->hub);
		open_hub(w, keys[i]);
		if (i < 3) {
			assert_int_equal(find(w, &all, "shop", &p), AG_DENIED);
			assert_non_null(strstr(w->err.msg, "DB_CREDENTIAL_KEY"));
			assert_null(strstr(w->err.msg, "hunter"));
		} else {
			assert_ok(w, find(w, &all, "shop", &p));
			assert_true(ag_str_eqc(p->password, "hunter-2"));
		}
	}
}

/* --- admission --- */

static ag_sql_failure ask(world *w, const ag_caller *who)
{
	ag_project_call call = { .who = who, .tool = AG_S("query"), .session = AG_S("s") };
	const ag_sql_request rq = { .sql = AG_S("SELECT a FROM t"), .watch_fd = -1 };
	ag_sql_result r;
	ag_sql_failure f, unrecorded;

	call.watch_fd = -1;
	assert_ok(w, find(w, who, "shop", &call.project));
	if (!ag_project_begin(w->hub, &call, AG_ROLE_VIEWER, "sql", rq.sql, w->arena, &f))
		return f;
	assert_ok(w, ag_project_query(w->hub, &w->ctx, &call, &rq, w->arena, &r, &w->err));
	f = r.failure;
	if (r.is_ok)
		assert_true(ag_str_eqc(ag_buf_view(&r.rows), "[[7]]"));
	ag_sql_result_release(&r);
	if (!ag_project_end(w->hub, &call, "ok", 0, w->arena, &unrecorded))
		return unrecorded;
	return f;
}

/* The audit table's outcomes, oldest first, with blanks between. A call that takes 35 ms on a slow machine has a
 * first row as well, which says only that it began. */
static const char *outcomes(world *w)
{
	const ag_ledger_query q = { .limit = 1000 };
	ag_ledger_row *rows;
	ag_str all = AG_S("");
	size_t n;

	assert_ok(w, ag_journal_flush(ag_project_journal(w->hub), &w->err));
	assert_ok(w, ag_store_ledger_rows(w->other, &q, w->arena, &rows, &n, &w->err));
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eqc(rows[i].outcome, AG_LEDGER_BEGAN))
			continue;
		all = ag_str_printf(w->arena, "%.*s%s%.*s", AG_FMT(all), all.len ? " " : "",
		                    AG_FMT(rows[i].outcome));
	}
	return ag_str_cstr(w->arena, all);
}

static void role_and_scope_are_asked_first(void **state)
{
	static const char *const ids[] = { "shop" };
	static const ag_str scopes[] = { AG_S("ask") };
	world *w = *state;
	ag_caller ann = caller(w, "ann", AG_ROLE_VIEWER, 1, ids);
	ag_project_call call = { .who = &ann, .tool = AG_S("audit"), .watch_fd = -1 };
	ag_sql_failure f;

	put(w, "shop", "{}", AG_S(""), true);
	assert_int_equal(ask(w, &ann).code, AG_SQLCODE_NONE);
	assert_ok(w, find(w, &ann, "", &call.project));
	assert_false(
		ag_project_begin(w->hub, &call, AG_ROLE_ANALYST, "audit", AG_S(""), w->arena, &f));
	assert_int_equal(f.code, AG_SQLCODE_PERMISSION);
	ann.scopes = scopes;
	ann.nscope = 1;
	assert_int_equal(ask(w, &ann).code, AG_SQLCODE_PERMISSION);
	assert_true(ag_project_begin(w->hub, &call, AG_ROLE_VIEWER, "ask", AG_S(""), w->arena, &f));
	assert_int_equal(f.code, AG_SQLCODE_NONE);
	assert_true(ag_project_end(w->hub, &call, "ok", 0, w->arena, &f));
	assert_string_equal(outcomes(w), "ok PERMISSION_DENIED PERMISSION_DENIED ok");
}

static void a_call_that_was_not_admitted_asks_nothing(void **state)
{
	static const char *const ids[] = { "shop" };
	world *w = *state;
	const ag_caller ann = caller(w, "ann", AG_ROLE_VIEWER, 1, ids);
	const ag_sql_request rq = { .sql = AG_S("SELECT a FROM t"), .watch_fd = -1 };
	ag_project_call call = { .who = &ann, .tool = AG_S("query"), .watch_fd = -1 };
	ag_sql_failure f;
	ag_dictionary d;
	ag_sql_result r;

	put(w, "shop", "{}", AG_S(""), true);
	assert_ok(w, find(w, &ann, "shop", &call.project));
	assert_int_equal(ag_project_query(w->hub, &w->ctx, &call, &rq, w->arena, &r, &w->err),
	                 AG_INTERNAL);
	assert_false(r.is_ok);
	assert_int_equal(ag_project_dictionary(w->hub, &w->ctx, &call, false, w->arena, &d, &f,
	                                       &w->err),
	                 AG_INTERNAL);
	/* Nor does one that has ended. */
	assert_true(ag_project_begin(w->hub, &call, AG_ROLE_VIEWER, "sql", rq.sql, w->arena, &f));
	assert_true(ag_project_end(w->hub, &call, "ok", 0, w->arena, &f));
	assert_int_equal(ag_project_explain(w->hub, &w->ctx, &call, &rq, w->arena, &r, &w->err),
	                 AG_INTERNAL);
	assert_string_equal(outcomes(w), "ok");
}

static void the_limit_is_one_users_and_ends_with_its_window(void **state)
{
	static const char *const ids[] = { "shop" };
	world *w = *state;
	const ag_caller ann = caller(w, "ann", AG_ROLE_VIEWER, 1, ids);
	const ag_caller bob = caller(w, "bob", AG_ROLE_VIEWER, 1, ids);
	ag_sql_failure f;

	put(w, "shop", "{\"max_queries_per_minute\":2}", AG_S(""), true);
	assert_int_equal(ask(w, &ann).code, AG_SQLCODE_NONE);
	now_ms += 1000;
	assert_int_equal(ask(w, &ann).code, AG_SQLCODE_NONE);
	f = ask(w, &ann);
	assert_int_equal(f.code, AG_SQLCODE_RATE_LIMITED);
	assert_in_range(f.retry_after_ms, 1, 60000);
	assert_int_equal(ask(w, &bob).code, AG_SQLCODE_NONE);
	now_ms += f.retry_after_ms;
	assert_int_equal(ask(w, &ann).code, AG_SQLCODE_NONE);
	assert_string_equal(outcomes(w), "ok ok RATE_LIMITED ok ok");
}

static void what_cannot_be_recorded_is_not_run(void **state)
{
	static const char *const ids[] = { "shop" };
	world *w = *state;
	const ag_caller ann = caller(w, "ann", AG_ROLE_VIEWER, 1, ids);

	put(w, "shop", "{}", AG_S(""), true);
	assert_int_equal(ask(w, &ann).code, AG_SQLCODE_NONE);
	assert_string_equal(outcomes(w), "ok");
	assert_ok(w, ag_fault_setup("store.write:1+", &w->err));
	assert_int_equal(ask(w, &ann).code, AG_SQLCODE_UNAVAILABLE); /* it ran, and is withheld */
	assert_int_not_equal(ag_journal_flush(ag_project_journal(w->hub), &w->err), AG_OK);
	assert_int_equal(ask(w, &ann).code, AG_SQLCODE_UNAVAILABLE);
	AG_IGNORE(ag_fault_setup(NULL, NULL), "cannot fail");
	for (int i = 0; i < 100 && !ag_journal_is_whole(ag_project_journal(w->hub)); i++)
		AG_IGNORE(ag_journal_flush(ag_project_journal(w->hub), NULL), "until it is well");
	assert_int_equal(ask(w, &ann).code, AG_SQLCODE_NONE);
	assert_string_equal(outcomes(w), "ok UNAVAILABLE UNAVAILABLE ok");
}

/* --- threads --- */

#define NTHREAD 8
#define NCALL   40

static void *many(void *arg)
{
	static const char *const ids[] = { "shop" };
	world *w = arg;
	ag_arena *arena = ag_arena_new();
	const ag_caller_project mine = { ag_str_c(ids[0]), AG_ROLE_VIEWER };
	const ag_caller who = { .user = AG_S("ann"), .projects = &mine, .nproject = 1 };
	const ag_sql_request rq = { .sql = AG_S("SELECT a FROM t"), .watch_fd = -1 };

	for (int i = 0; i < NCALL; i++) {
		ag_project_call call = { .who = &who, .tool = AG_S("query"), .watch_fd = -1 };
		ag_sql_failure f;
		ag_sql_result r;

		now_ms += 400; /* so that it is looked up again and again */
		AG_ASSERT(!ag_project_find(w->hub, &who, AG_S(""), &call.project, NULL));
		AG_ASSERT(
			ag_project_begin(w->hub, &call, AG_ROLE_VIEWER, "sql", rq.sql, arena, &f));
		AG_ASSERT(!ag_project_query(w->hub, &w->ctx, &call, &rq, arena, &r, NULL));
		AG_ASSERT(r.is_ok);
		AG_ASSERT(ag_project_end(w->hub, &call, "ok", 0, arena, &f));
		ag_sql_result_release(&r);
		ag_arena_reset(arena);
	}
	ag_arena_free(arena);
	return NULL;
}

static void many_threads_use_one_hub_while_the_project_changes(void **state)
{
	world *w = *state;
	const ag_ledger_query q = { .limit = 10000, .calls = true }; /* some have two rows */
	pthread_t threads[NTHREAD];
	ag_ledger_row *rows;
	size_t n;

	put(w, "shop", "{}", AG_S(""), true);
	for (int i = 0; i < NTHREAD; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, many, w), 0);
	for (int i = 0; i < 5; i++)
		put(w, "shop", i % 2 ? "{}" : "{\"max_rows_per_query\":9}", AG_S(""), true);
	for (int i = 0; i < NTHREAD; i++)
		pthread_join(threads[i], NULL);
	assert_ok(w, ag_journal_flush(ag_project_journal(w->hub), &w->err));
	assert_ok(w, ag_store_ledger_rows(w->other, &q, w->arena, &rows, &n, &w->err));
	assert_int_equal(n, NTHREAD * NCALL);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(every_setting_is_written_as_it_is_read),
		T(a_wrong_setting_is_named),
		T(a_call_means_the_only_project_or_names_one),
		T(somebody_elses_project_is_like_one_that_is_not),
		T(a_change_is_seen_in_time_and_old_holders_keep_theirs),
		T(a_password_without_its_key_opens_nothing),
		T(role_and_scope_are_asked_first),
		T(a_call_that_was_not_admitted_asks_nothing),
		T(the_limit_is_one_users_and_ends_with_its_window),
		T(what_cannot_be_recorded_is_not_run),
		T(many_threads_use_one_hub_while_the_project_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
