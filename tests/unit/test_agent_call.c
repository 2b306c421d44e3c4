/* The dispatcher: what every caller of a tool gets from it. Projects, roles, limits and the audit table are real; the tools
 * of the table below are toys, beside those of the analyst on an SQLite file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "agent/tool.h"
#include "analyst/tools.h"
#include "base/fault.h"
#include "query/extjson.h"
#include "shop_hub.h"

typedef struct world {
	shop_hub shop;
	ag_call call; /* the template of all calls */
	ag_tool_output out;
	ag_val json; /* of out */
	unsigned runs;
} world;

/* --- the tools --- */

static ag_status say(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	(void)input, (void)err;
	((world *)c->env)->runs++;
	ag_buf_addf(&out->json, "{\"project\":\"%.*s\"}",
	            AG_FMT(c->project ? c->project->id : AG_S("")));
	return AG_OK;
}

static ag_status break_down(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	(void)input;
	((world *)c->env)->runs++;
	ag_buf_adds(&out->json, "half of a resu");
	ag_fail(err, AG_NOT_FOUND, "test", "there is no such shelf");
	return ag_err_hint(err, "shelves have numbers");
}

static ag_status large(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	(void)c, (void)input, (void)err;
	for (int i = 0; i < 20; i++)
		ag_buf_adds(&out->json, "0123456789");
	return AG_OK;
}

static const ag_param of_project[] = {
	{ .name = "project_id", .type = AG_PARAM_STRING, .help = "of which project" },
	{ .name = "shelf", .type = AG_PARAM_STRING, .help = "which shelf" },
};

#define GOVERNED(role) \
	.params = of_project, .nparam = 2, .scope = "audit", .least = (role), .recorded = "shelf"

static const ag_tool rows[] = {
	{ .name = "free", .help = "h", .run = say },
	{ .name = "large", .help = "h", .max_output_bytes = 100, .run = large },
	{ .name = "view", .help = "h", GOVERNED(AG_ROLE_VIEWER), .run = say },
	{ .name = "change", .help = "h", GOVERNED(AG_ROLE_ANALYST), .run = say },
	{ .name = "break", .help = "h", GOVERNED(AG_ROLE_VIEWER), .run = break_down },
};

static const ag_tool_set tools = { .tools = rows, .ntool = AG_NELEM(rows) };

/* --- the world --- */

static int setup(void **state)
{
	world *w = ag_xcalloc(1, sizeof(*w));

	*state = w;
	shop_open(&w->shop, "call", "CREATE TABLE t(a INT); INSERT INTO t VALUES (7)", 2);
	w->call = (ag_call){ .who = &w->shop.who,
		             .hub = w->shop.hub,
		             .ctx = { .clock = &ag_clock_system, .nthread = 1 },
		             .arena = w->shop.arena,
		             .env = w,
		             .session = AG_S("s1"),
		             .watch_fd = -1 };
	return 0;
}

static int teardown(void **state)
{
	world *w = *state;

	AG_IGNORE(ag_fault_setup(NULL, NULL), "cannot fail");
	ag_tool_output_release(&w->out);
	shop_close(&w->shop);
	free(w);
	return 0;
}

static ag_val parse(world *w, ag_str text)
{
	const ag_extjson_opts opts = { 0 };
	ag_val v;

	assert_ok(&w->shop,
	          ag_extjson_parse(text, &opts, w->shop.arena, &v, NULL, NULL, &w->shop.err));
	return v;
}

static ag_status call(world *w, const ag_tool_set *set, const char *name, const char *input)
{
	ag_call c = w->call;
	const ag_val v = parse(w, ag_str_c(input));
	ag_status st;

	c.tool = ag_tool_find(set->tools, set->ntool, ag_str_c(name));
	assert_non_null(c.tool);
	ag_tool_output_release(&w->out);
	ag_tool_output_init(&w->out, c.tool);
	w->shop.err = (ag_err){ 0 };
	assert_ok(&w->shop, ag_tool_check_input(c.tool, &v, &w->shop.err));
	st = ag_tool_call(&c, &v, &w->out, &w->shop.err);
	w->json = st ? ag_val_missing() : parse(w, ag_buf_dup(w->shop.arena, &w->out.json));
	return st;
}

/* The code of a refusal, "" = the call was answered. */
static const char *code(const world *w)
{
	const ag_val *error = ag_val_getc(&w->json, "error");

	assert_int_equal(w->out.is_error, error != NULL);
	return error ? ag_str_cstr(w->shop.arena, ag_val_member_str(error, "code")) : "";
}

/* Of the audit table, oldest first: "tool/outcome/detail" with blanks between. */
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
		assert_true(ag_str_eqc(list[i].session, "s1"));
		all = ag_str_printf(w->shop.arena, "%.*s%s%.*s/%.*s/%.*s", AG_FMT(all),
		                    all.len ? " " : "", AG_FMT(list[i].tool),
		                    AG_FMT(list[i].outcome),
		                    AG_FMT(list[i].sql.len ? list[i].sql : list[i].detail));
	}
	return ag_str_cstr(w->shop.arena, all);
}

/* --- tests --- */

static void a_tool_that_is_not_governed_needs_no_project(void **state)
{
	world *w = *state;

	w->call.who = NULL;
	w->call.hub = NULL;
	assert_ok(&w->shop, call(w, &tools, "free", "{}"));
	assert_string_equal(code(w), "");
	assert_int_equal(w->runs, 1);
	assert_int_equal(call(w, &tools, "large", "{}"), AG_LIMIT);
	assert_string_equal(w->shop.err.msg, "large: the result is larger than 100 bytes");
}

static void nobody_listens_and_nobody_is_asked(void **state)
{
	world *w = *state;
	ag_call c = w->call;
	ag_val answer;

	ag_call_progress(&c, 1, 2, AG_S("half"));
	ag_call_log(&c, "info", NULL, AG_S("1"));
	assert_int_equal(ag_call_ask(&c, "roots/list", AG_S("{}"), &answer, &w->shop.err),
	                 AG_UNAVAILABLE);
}

static void role_scope_and_project_are_checked_before_the_tool(void **state)
{
	static const ag_str scopes[] = { AG_S_INIT("sql") };
	world *w = *state;

	assert_ok(&w->shop, call(w, &tools, "view", "{\"project_id\":\"shop\",\"shelf\":\"A\"}"));
	assert_string_equal(code(w), "");
	assert_true(ag_str_eqc(ag_val_member_str(&w->json, "project"), "shop"));
	assert_ok(&w->shop, call(w, &tools, "view", "{\"project_id\":\"attic\"}"));
	assert_string_equal(code(w), "NOT_FOUND");
	assert_ok(&w->shop, call(w, &tools, "change", "{\"project_id\":\"shop\",\"shelf\":\"B\"}"));
	assert_string_equal(code(w), "PERMISSION_DENIED");
	w->shop.mine[1].role = AG_ROLE_ANALYST;
	assert_ok(&w->shop, call(w, &tools, "change", "{\"project_id\":\"shop\"}"));
	assert_string_equal(code(w), "");
	w->shop.who.scopes = scopes;
	w->shop.who.nscope = 1;
	assert_ok(&w->shop, call(w, &tools, "view", "{\"project_id\":\"shop\"}"));
	assert_string_equal(code(w), "PERMISSION_DENIED");
	assert_false(ag_tool_is_offered(&tools, &rows[2], &w->shop.who));
	assert_true(ag_tool_is_offered(&tools, &rows[0], &w->shop.who));
	assert_int_equal(w->runs, 2);
	assert_string_equal(audit_rows(w),
	                    "view/ok/A view/NOT_FOUND/attic change/PERMISSION_DENIED/B "
	                    "change/ok/ view/PERMISSION_DENIED/");
}

static void a_conversation_stays_in_its_project(void **state)
{
	world *w = *state;

	w->call.project = NULL;
	assert_ok(&w->shop, ag_project_find(w->shop.hub, &w->shop.who, AG_S("shop"),
	                                    &w->call.project, &w->shop.err));
	assert_ok(&w->shop, call(w, &tools, "view", "{}"));
	assert_true(ag_str_eqc(ag_val_member_str(&w->json, "project"), "shop"));
	assert_ok(&w->shop, call(w, &tools, "view", "{\"project_id\":\"shop\"}"));
	assert_string_equal(code(w), "");
	assert_ok(&w->shop, call(w, &tools, "view", "{\"project_id\":\"bank\"}"));
	assert_string_equal(code(w), "PERMISSION_DENIED");
	assert_int_equal(w->runs, 2);
	assert_string_equal(audit_rows(w), "view/ok/ view/ok/ view/PERMISSION_DENIED/bank");
}

static void a_failure_becomes_words_and_a_row(void **state)
{
	world *w = *state;
	const ag_val *error;

	assert_ok(&w->shop, call(w, &tools, "break", "{\"project_id\":\"shop\",\"shelf\":\"Z\"}"));
	assert_string_equal(code(w), "NOT_FOUND");
	error = ag_val_getc(&w->json, "error");
	assert_true(ag_str_eqc(ag_val_member_str(error, "message"), "there is no such shelf"));
	assert_true(ag_str_eqc(ag_val_member_str(error, "hint"), "shelves have numbers"));
	assert_string_equal(audit_rows(w), "break/NOT_FOUND/Z");
	w->call.hub = NULL;
	assert_ok(&w->shop, call(w, &tools, "view", "{}"));
	assert_string_equal(code(w), "CONNECTION_ERROR");
}

static void what_cannot_be_recorded_is_withheld(void **state)
{
	world *w = *state;

	assert_ok(&w->shop, call(w, &tools, "view", "{\"project_id\":\"shop\"}"));
	assert_ok(&w->shop, ag_fault_setup("store.write:1+", &w->shop.err));
	assert_ok(&w->shop, call(w, &tools, "view", "{\"project_id\":\"shop\"}"));
	assert_int_equal(w->runs, 2); /* it ran */
	assert_string_equal(code(w), "UNAVAILABLE");
	assert_null(ag_val_getc(&w->json, "project"));
	assert_ok(&w->shop, call(w, &tools, "view", "{\"project_id\":\"shop\"}"));
	assert_int_equal(w->runs, 2);
	assert_string_equal(code(w), "UNAVAILABLE");
}

static void statements_are_answered_and_refused_in_the_form_of_their_row(void **state)
{
	world *w = *state;

	assert_ok(&w->shop, call(w, &ag_analyst_tools, "execute_sql",
	                         "{\"project_id\":\"shop\",\"query\":\"SELECT a FROM t\"}"));
	assert_false(w->out.is_error);
	assert_true(ag_str_eqc(w->out.summary, "1 row"));
	assert_int_equal(ag_val_getc(&w->json, "row_count")->u.i, 1);
	assert_ok(&w->shop, call(w, &ag_analyst_tools, "execute_sql",
	                         "{\"project_id\":\"attic\",\"query\":\"SELECT 1\"}"));
	assert_true(w->out.is_error);
	assert_true(ag_str_eqc(ag_val_member_str(&w->json, "error_code"), "NOT_FOUND"));
	assert_non_null(ag_val_getc(&w->json, "rows"));
	assert_ok(&w->shop, call(w, &ag_analyst_tools, "query",
	                         "{\"project_id\":\"shop\",\"sql\":\"DELETE FROM t\"}"));
	assert_string_equal(code(w), "VALIDATION_ERROR");
	assert_string_equal(audit_rows(w), "execute_sql/ok/SELECT a FROM t "
	                                   "execute_sql/NOT_FOUND/attic "
	                                   "query/VALIDATION_ERROR/DELETE FROM t");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_tool_that_is_not_governed_needs_no_project),
		T(nobody_listens_and_nobody_is_asked),
		T(role_scope_and_project_are_checked_before_the_tool),
		T(a_conversation_stays_in_its_project),
		T(a_failure_becomes_words_and_a_row),
		T(what_cannot_be_recorded_is_withheld),
		T(statements_are_answered_and_refused_in_the_form_of_their_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
