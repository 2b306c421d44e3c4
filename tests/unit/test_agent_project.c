/* A conversation about a project's database, as the analyst will have it: the loop runs the governed tools that the MCP server
 * serves, several at the same time, for one caller and in one project. The model is scripted, the database is real. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <sqlite3.h>

#include "../contract/folder.h"
#include "agent/planner_chat.h"
#include "analyst/tools.h"
#include "base/json.h"
#include "query/extjson.h"
#include "scripted_model.h"

#define CALL(id, name, args)                                                      \
	"{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name \
	"\",\"arguments\":\"" args "\"}}"
#define SQL(id, text) CALL(id, "execute_sql", "{\\\"query\\\":\\\"" text "\\\"}")

typedef struct world {
	char folder[128], path[200];
	ag_arena *arena;
	ag_store *store;
	ag_project_hub *hub;
	ag_caller_project mine[2];
	ag_caller who;
	ag_transcript transcript;
	scripted_model model;
	ag_run_result result;
	ag_id id;
	ag_err err;
} world;

#define assert_ok(w, expr)                                       \
	do {                                                     \
		if (expr)                                        \
			fail_msg("%s: %s", #expr, (w)->err.msg); \
	} while (0)

static void put(world *w, const char *id)
{
	const ag_project_row row = {
		.id = ag_str_c(id),
		.name = ag_str_c(id),
		.source = ag_str_printf(w->arena, "sqlite:%s/shop.db", w->folder),
		.settings = AG_S("{}"),
		.is_active = true,
		.created_ms = 1,
		.changed_ms = 1,
	};

	assert_ok(w, ag_store_put_project(w->store, &row, &w->err));
}

static int setup(void **state)
{
	world *w = ag_xcalloc(1, sizeof(*w));
	char database[200];
	sqlite3 *db;

	*state = w;
	w->arena = ag_arena_new();
	test_folder_make(w->folder, "talk");
	snprintf(w->path, sizeof(w->path), "%s/argus.db", w->folder);
	snprintf(database, sizeof(database), "%s/shop.db", w->folder);
	if (sqlite3_open(database, &db) ||
	    sqlite3_exec(db,
	                 "CREATE TABLE orders(id INTEGER PRIMARY KEY, total INT);"
	                 "INSERT INTO orders VALUES (1, 17), (2, 25)",
	                 NULL, NULL, NULL))
		return -1;
	sqlite3_close(db);
	assert_ok(w, ag_store_open(ag_str_c(w->path), &w->store, &w->err));
	put(w, "shop");
	put(w, "bank");

	const ag_project_hub_opts o = { .clock = &ag_clock_system,
		                        .store = w->store,
		                        .store_uri = ag_str_c(w->path),
		                        .per_minute = 100000,
		                        .connections = 4 };

	assert_ok(w, ag_project_hub_open(&o, &w->hub, &w->err));
	w->mine[0] = (ag_caller_project){ AG_S("bank"), AG_ROLE_VIEWER };
	w->mine[1] = (ag_caller_project){ AG_S("shop"), AG_ROLE_VIEWER };
	w->who = (ag_caller){ .user = AG_S("ann"), .projects = w->mine, .nproject = 2 };
	w->transcript.arena = w->arena;
	return 0;
}

static int teardown(void **state)
{
	world *w = *state;

	sm_close(&w->model);
	ag_project_hub_close(w->hub);
	ag_store_close(w->store);
	ag_arena_free(w->arena);
	test_folder_remove(w->folder);
	free(w);
	return 0;
}

static ag_status apply(void *state, const ag_event *ev, ag_err *err)
{
	const ag_extjson_opts opts = { 0 };
	world *w = state;
	ag_val p;

	if (ag_extjson_parse(ev->payload, &opts, w->arena, &p, NULL, NULL, err))
		return err->status;
	ag_transcript_apply(&w->transcript, ev, &p);
	return AG_OK;
}

static const ag_agent agent = {
	.name = "toy", .tools = &ag_analyst_tools, .parallel = 4, .apply = apply
};

/* A failed statement is what an observation gate looks at. */
static ag_status diagnose(const ag_evaluator *self, const ag_ctx *ctx, const ag_subject *s,
                          ag_arena *arena, ag_verdict *ret, ag_err *err)
{
	(void)self, (void)ctx, (void)arena, (void)err;
	*ret = (ag_verdict){ .kind = s->observation->is_error ? AG_FAIL : AG_PASS,
		             .score = 1,
		             .reason = AG_S("looked at"),
		             .critique = s->observation->is_error
		                                 ? AG_S("Look at the columns first.")
		                                 : AG_S(""),
		             .evaluated_by = AG_S("test") };
	return AG_OK;
}

static const ag_evaluator gate = { .name = "diagnosis", .evaluate = diagnose };

static void talk(world *w, const sm_line *lines, size_t nline)
{
	static const ag_llm_tool offered[] = { { AG_S_INIT("execute_sql"), AG_S_INIT("runs SQL"),
		                                 AG_S_INIT("{\"type\":\"object\"}") } };
	ag_chat_opts chat = { .purpose = "chat",
		              .system = AG_S("You query."),
		              .first = AG_S("How much?"),
		              .transcript = &w->transcript,
		              .tools = offered,
		              .ntool = 1 };
	ag_run_opts o = { 0 };

	sm_open(&w->model, "m", lines, nline);
	chat.llm = w->model.llm;
	o = (ag_run_opts){
		.agent = &agent,
		.state = w,
		.planner = ag_planner_chat_new(&chat, w->arena),
		.budget = { .iterations = 20 },
		.gates = { [AG_GATE_OBSERVATION] = &gate },
		.store = w->store,
		.from = { .who = &w->who, .hub = w->hub, .session = AG_S("t1"), .watch_fd = -1 },
		.started = AG_S("{}"),
		.row = { .id = w->id = ag_id_new(&ag_clock_system),
		         .agent = AG_S("toy"),
		         .source_uri = AG_S("x"),
		         .source_key = AG_S("x"),
		         .collection = AG_S("x"),
		         .summary = AG_S("") },
	};
	assert_ok(w, ag_project_find(w->hub, &w->who, AG_S("shop"), &o.from.project, &w->err));

	const ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };

	assert_ok(w, ag_loop_run(&ctx, &o, w->arena, &w->result, &w->err));
}

/* Of the audit table, in the order of their statements: "outcome statement\n". */
static const char *audit_rows(world *w)
{
	const ag_ledger_query q = { .limit = 100, .calls = true };
	ag_ledger_row *list;
	ag_str all = AG_S("");
	size_t n;

	assert_ok(w, ag_journal_flush(ag_project_journal(w->hub), &w->err));
	assert_ok(w, ag_store_ledger_rows(w->store, &q, w->arena, &list, &n, &w->err));
	for (size_t i = 0; i < n; i++) {
		assert_true(ag_str_eqc(list[i].session, "t1"));
		assert_true(ag_str_eqc(list[i].user, "ann"));
		all = ag_str_printf(w->arena, "%.*s%.*s %.*s\n", AG_FMT(all),
		                    AG_FMT(list[i].outcome), AG_FMT(list[i].sql));
	}
	return ag_str_cstr(w->arena, all);
}

static void statements_of_one_reply_run_beside_each_other_and_are_recorded(void **state)
{
	const sm_line lines[] = {
		{ .calls =
		          "[" SQL("a", "SELECT sum(total) FROM orders") "," SQL("b", "SELECT totals FROM orders") "," SQL(
				  "c",
				  "DELETE FROM orders") "," SQL("d",
		                                                "SELECT count(*) FROM orders") "]" },
		{ .text = AG_S_INIT("42 in 2 orders.") },
	};
	world *w = *state;
	const ag_turn_call *calls;
	const char *rows;

	talk(w, lines, 2);
	assert_true(ag_str_eqc(w->result.status, "ok"));
	assert_int_equal(w->result.calls, 4);
	calls = w->transcript.turns[0].calls;
	assert_true(ag_str_contains(calls[0].result, AG_S("[[42]]")));
	if (!ag_str_contains(calls[1].result, AG_S("column_not_found")))
		fail_msg("%.*s", AG_FMT(calls[1].result));
	assert_true(ag_str_contains(calls[2].result, AG_S("VALIDATION_ERROR")));
	assert_true(ag_str_contains(calls[3].result, AG_S("[[2]]")));
	/* The critique of each failure is with its result. */
	assert_true(ag_str_ends(calls[1].result, AG_S("Look at the columns first.")));
	assert_true(ag_str_ends(calls[2].result, AG_S("Look at the columns first.")));
	assert_true(ag_str_contains(w->model.requests[1], AG_S("Look at the columns first.")));
	assert_false(ag_str_contains(calls[0].result, AG_S("Look")));
	assert_false(calls[0].is_error);
	assert_true(calls[1].is_error);
	assert_true(calls[2].is_error);
	assert_false(calls[3].is_error);
	rows = audit_rows(w);
	assert_non_null(strstr(rows, "ok SELECT sum(total) FROM orders\n"));
	assert_non_null(strstr(rows, "VALIDATION_ERROR SELECT totals FROM orders\n"));
	assert_non_null(strstr(rows, "VALIDATION_ERROR DELETE FROM orders\n"));
	assert_non_null(strstr(rows, "ok SELECT count(*) FROM orders\n"));
}

static void a_model_cannot_leave_the_project(void **state)
{
	const sm_line lines[] = {
		{ .calls =
		          "[" CALL("a", "execute_sql", "{\\\"query\\\":\\\"SELECT 1\\\",\\\"project_id\\\":\\\"bank\\\"}") "," CALL(
				  "b", "describe_table",
				  "{\\\"table_name\\\":\\\"orders\\\"}") "]" },
		{ .text = AG_S_INIT("No.") },
	};
	world *w = *state;
	const ag_turn_call *calls;

	talk(w, lines, 2);
	assert_true(ag_str_eqc(w->result.status, "ok"));
	calls = w->transcript.turns[0].calls;
	assert_true(calls[0].is_error);
	assert_true(ag_str_contains(calls[0].result, AG_S("about project shop only")));
	assert_false(calls[1].is_error);
	assert_true(ag_str_contains(calls[1].result, AG_S("total")));
	assert_non_null(strstr(audit_rows(w), "PERMISSION_DENIED "));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(statements_of_one_reply_run_beside_each_other_and_are_recorded),
		T(a_model_cannot_leave_the_project),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
