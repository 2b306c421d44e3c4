/* A conversation about a project's database, as the analyst will have it: the loop runs the governed tools that the MCP server
 * serves, several at the same time, for one caller and in one project. The model is scripted, the database is real. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "agent/planner_chat.h"
#include "analyst/tools.h"
#include "base/json.h"
#include "query/extjson.h"
#include "scripted_model.h"
#include "shop_hub.h"

#define CALL(id, name, args)                                                      \
	"{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name \
	"\",\"arguments\":\"" args "\"}}"
#define SQL(id, text) CALL(id, "execute_sql", "{\\\"query\\\":\\\"" text "\\\"}")

typedef struct world {
	shop_hub shop;
	ag_transcript transcript;
	scripted_model model;
	ag_run_result result;
	ag_id id;
} world;

static int setup(void **state)
{
	world *w = ag_xcalloc(1, sizeof(*w));

	*state = w;
	shop_open(&w->shop, "talk",
	          "CREATE TABLE orders(id INTEGER PRIMARY KEY, total INT);"
	          "INSERT INTO orders VALUES (1, 17), (2, 25)",
	          4);
	w->transcript.arena = w->shop.arena;
	return 0;
}

static int teardown(void **state)
{
	world *w = *state;

	sm_close(&w->model);
	shop_close(&w->shop);
	free(w);
	return 0;
}

static ag_status apply(void *state, const ag_event *ev, ag_err *err)
{
	const ag_extjson_opts opts = { 0 };
	world *w = state;
	ag_val p;

	if (ag_extjson_parse(ev->payload, &opts, w->shop.arena, &p, NULL, NULL, err))
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
		.planner = ag_planner_chat_new(&chat, w->shop.arena),
		.budget = { .iterations = 20 },
		.gates = { [AG_GATE_OBSERVATION] = &gate },
		.store = w->shop.store,
		.from = { .who = &w->shop.who,
		          .hub = w->shop.hub,
		          .session = AG_S("t1"),
		          .watch_fd = -1 },
		.started = AG_S("{}"),
		.row = { .id = w->id = ag_id_new(&ag_clock_system),
		         .agent = AG_S("toy"),
		         .source_uri = AG_S("x"),
		         .source_key = AG_S("x"),
		         .collection = AG_S("x"),
		         .summary = AG_S("") },
	};
	assert_ok(&w->shop, ag_project_find(w->shop.hub, &w->shop.who, AG_S("shop"),
	                                    &o.from.project, &w->shop.err));

	const ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };

	assert_ok(&w->shop, ag_loop_run(&ctx, &o, w->shop.arena, &w->result, &w->shop.err));
}

/* Of the audit table, in the order of their statements: "outcome statement\n". */
static const char *audit_rows(world *w)
{
	const ag_ledger_query q = { .limit = 100, .calls = true };
	ag_ledger_row *list;
	ag_str all = AG_S("");
	size_t n;

	assert_ok(&w->shop, ag_journal_flush(ag_project_journal(w->shop.hub), &w->shop.err));
	assert_ok(&w->shop,
	          ag_store_ledger_rows(w->shop.store, &q, w->shop.arena, &list, &n, &w->shop.err));
	for (size_t i = 0; i < n; i++) {
		assert_true(ag_str_eqc(list[i].session, "t1"));
		assert_true(ag_str_eqc(list[i].user, "ann"));
		all = ag_str_printf(w->shop.arena, "%.*s%.*s %.*s\n", AG_FMT(all),
		                    AG_FMT(list[i].outcome), AG_FMT(list[i].sql));
	}
	return ag_str_cstr(w->shop.arena, all);
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
