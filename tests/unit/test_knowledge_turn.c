/* What a project knows, in a conversation: a scripted model over a real database reads it, saves what it learnt, and the answer
 * says what it rests on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyst/tools.h"
#include "analyst_world.h"
#include "knowledge/knowledge.h"
#include "knowledge/tools.h"

#define TOTAL "SELECT SUM(total) AS revenue FROM orders"
#define LEARN(id, text, category)                                                      \
	AW_CALL(id, "save_learning",                                                   \
	        "{\\\"description\\\":\\\"" text "\\\",\\\"category\\\":\\\"" category \
	        "\\\",\\\"tables\\\":[\\\"orders\\\"]}")

static int setup(void **state)
{
	analyst_world *w = ag_xcalloc(1, sizeof(*w));

	aw_open(w, AW_SHOP);
	w->shop.mine[1].role = AG_ROLE_ANALYST;
	w->opts.knowledge = ag_xcalloc(1, sizeof(ag_know_set *));
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	analyst_world *w = *state;

	ag_know_set_free(*w->opts.knowledge);
	free(w->opts.knowledge);
	aw_close(w);
	free(w);
	return 0;
}

static ag_know_place place(analyst_world *w)
{
	return (ag_know_place){ w->shop.hub, &w->ctx, &w->shop.who, w->project };
}

static ag_status put(analyst_world *w, ag_know_kind kind, const char *name, const char *fields)
{
	const ag_extjson_opts opts = { 0 };
	const ag_know_place p = place(w);
	ag_know_counts n;
	ag_val v;
	ag_know o;

	assert_ok(w, ag_extjson_parse(ag_str_c(fields), &opts, w->shop.arena, &v, NULL, NULL,
	                              &w->err));
	assert_ok(w, ag_know_make(kind, ag_str_c(name), &v, w->shop.arena, &o, &w->err));
	o.changed_ms = ag_clock_wall(&ag_clock_system);
	return ag_know_put(&p, &o, 1, AG_KNOW_ADD, true, w->shop.arena, &n, &w->err);
}

static void put_revenue(analyst_world *w)
{
	assert_ok(w, put(w, AG_KNOW_METRIC, "Revenue",
	                 "{\"definition\":\"All orders\",\"sql\":\"" TOTAL "\",\"unit\":\"USD\"}"));
}

static ag_know learning(analyst_world *w)
{
	const ag_know_place p = place(w);
	ag_know *list;
	size_t n;

	assert_ok(w, ag_know_list(&p, AG_KNOW_LEARNING, w->shop.arena, &list, &n, &w->err));
	assert_int_equal(n, 1);
	return list[0];
}

static bool has(ag_str text, const char *part)
{
	return ag_str_contains(text, ag_str_c(part));
}

static void the_model_reads_it_and_a_figure_names_its_metric(void **state)
{
	static const sm_line lines[] = { AW_ASK_SQL(TOTAL), AW_SAY("The revenue is 60.5 USD.") };
	analyst_world *w = *state;
	ag_analyst_state again;

	put_revenue(w);
	assert_ok(w, put(w, AG_KNOW_ENTRY, "North", "{\"content\":\"Where it is cold.\"}"));
	aw_script(w, lines, 2);
	aw_ask(w, "What is our revenue?");
	aw_assert_has(w, 0, "### Revenue (verified metric)");
	aw_assert_has(w, 0, "    " TOTAL);
	aw_assert_has(w, 0, "Where it is cold.");
	assert_true(has(w->model.requests[0], "\"search_knowledge\""));
	assert_true(has(w->model.requests[0], "\"save_learning\""));
	aw_assert_str(w->r.run_result.status, "ok");
	assert_true(has(w->r.json, "\"metric\":\"Revenue\",\"columns\""));
	assert_true(has(w->r.json, "\"column\":\"revenue\",\"metric\":\"Revenue\""));
	assert_true(has(ag_analyst_provenance(w->r.state, w->shop.arena),
	                "metric Revenue as it is defined"));
	/* A log alone says it, too. */
	assert_ok(w,
	          ag_analyst_read_turn(w->shop.store, &w->r.turn, w->shop.arena, &again, &w->err));
	assert_true(has(ag_analyst_provenance(&again, w->shop.arena),
	                "metric Revenue as it is defined"));
}

static void a_metric_that_is_changed_is_sent_back(void **state)
{
	static const sm_line lines[] = {
		AW_ASK_SQL("SELECT SUM(total) AS revenue FROM orders WHERE id > 1"),
		AW_SAY("The revenue is 50 USD."),
		AW_ASK_SQL(
			"SELECT revenue FROM ( select sum(total) as revenue\\\\nfrom orders ; )"),
		AW_ASK_SQL("SELECT m.revenue FROM ( select sum( total ) AS revenue from orders) m"),
		AW_SAY("The revenue is 60.5 USD.")
	};
	analyst_world *w = *state;

	put_revenue(w);
	aw_script(w, lines, 5);
	aw_ask(w, "What is our revenue?");
	aw_assert_has(w, 2,
	              "names the verified metric Revenue, but no statement used its SQL as it is");
	aw_assert_str(w->r.answer, "The revenue is 60.5 USD.");
	assert_true(has(w->r.json, "\"metric\":\"Revenue\""));
	aw_assert_str(w->r.state->doubt, "");
}

static void a_metric_that_stays_changed_is_doubted(void **state)
{
	static const sm_line lines[] = {
		AW_ASK_SQL("SELECT SUM(total) AS revenue FROM orders WHERE id > 1"),
		AW_SAY("The revenue is 50 USD."), AW_SAY("The revenue is 50 USD.")
	};
	analyst_world *w = *state;

	put_revenue(w);
	aw_script(w, lines, 3);
	aw_ask(w, "What is our revenue?");
	aw_assert_str(w->r.state->doubt,
	              "the metric Revenue is named, but its SQL was not used as it is");
	assert_int_equal(w->r.state->nrejected, 1);
	aw_assert_str(w->r.state->rejected_why[0],
	              "the metric Revenue is named, but its SQL was not used as it is");
	assert_false(has(w->r.json, "\"metric\":"));
}

static void what_is_learnt_is_used_and_named(void **state)
{
	static const sm_line first[] = {
		AW_ASK_SQL("SELECT usr_id FROM orders"),
		AW_ASK_SQL("SELECT user_id FROM orders"),
		{ .calls = "[" LEARN("1", "The user of an order is user_id", "naming") "]" },
		AW_SAY("Three orders.")
	};
	static const sm_line second[] = { AW_ASK_SQL("SELECT COUNT(user_id) AS n FROM orders"),
		                          AW_SAY("There are 3.") };
	analyst_world *w = *state;
	ag_analyst_lesson lesson;

	aw_script(w, first, 4);
	aw_ask(w, "Who ordered?");
	aw_assert_has(w, 3, "Saved, confidence 50%");
	assert_false(ag_analyst_lesson_of(w->r.state, &lesson));
	aw_assert_str(learning(w).author, "ann");
	assert_int_equal(learning(w).uses, 0);
	aw_script(w, second, 2);
	aw_ask(w, "How many users are in orders?");
	aw_assert_has(w, 0, "- The user of an order is user_id (learning ");
	assert_true(has(w->r.json, "\"text\":\"The user of an order is user_id\""));
	assert_true(has(ag_analyst_provenance(w->r.state, w->shop.arena), "\nlearning "));
	assert_int_equal(learning(w).uses, 1);
}

static void a_corrected_error_offers_what_could_be_learnt(void **state)
{
	static const sm_line lines[] = { AW_ASK_SQL("SELECT usr_id FROM orders"),
		                         AW_ASK_SQL("SELECT user_id FROM orders"),
		                         AW_SAY("They are known.") };
	analyst_world *w = *state;
	ag_analyst_lesson l;

	aw_script(w, lines, 3);
	aw_ask(w, "Who ordered?");
	assert_true(ag_analyst_lesson_of(w->r.state, &l));
	aw_assert_str(l.original_sql, "SELECT usr_id FROM orders");
	aw_assert_str(l.corrected_sql, "SELECT user_id FROM orders");
	assert_string_equal(l.category, "naming");
	assert_int_equal(l.tables->n, 1);
}

static void a_learning_whose_own_sql_fails_is_set_aside(void **state)
{
	static const sm_line lines[] = { AW_ASK_SQL("SELECT buyer FROM orders"),
		                         AW_SAY("It is not there.") };
	analyst_world *w = *state;
	const ag_know_place p = place(w);
	const ag_val item = ag_val_str(AG_S("orders")), tables = ag_val_array(&item, 1);
	const ag_know_lesson wrong = { .description = AG_S("The user of an order is buyer"),
		                       .category = AG_S("naming"),
		                       .tables = &tables,
		                       .corrected_sql = AG_S("SELECT buyer FROM orders"),
		                       .now_ms = ag_clock_wall(&ag_clock_system) };
	ag_know_learnt l;

	assert_ok(w, ag_know_save_lesson(&p, &wrong, w->shop.arena, &l, &w->err));
	aw_script(w, lines, 2);
	aw_ask(w, "Who ordered?");
	aw_assert_has(w, 0, "The user of an order is buyer");
	assert_int_equal(learning(w).status, AG_KNOW_REVIEW);
	aw_assert_str(ag_know_text(&(ag_know){ .body = learning(w).body }, "contradicted"),
	              "the SQL that it says works failed");
	aw_script(w, lines, 2);
	aw_ask(w, "Who ordered?");
	assert_false(aw_request_has(w, 0, "The user of an order is buyer"));
}

static void a_search_brings_a_metric_into_the_turn(void **state)
{
	static const sm_line lines[] = {
		{ .calls = "[" AW_CALL("1", "search_knowledge",
		                       "{\\\"query\\\":\\\"money\\\"}") "]" },
		AW_ASK_SQL(TOTAL),
		AW_SAY("It is 60.5 USD.")
	};
	analyst_world *w = *state;

	assert_ok(w, put(w, AG_KNOW_METRIC, "Turnover",
	                 "{\"definition\":\"All money\",\"sql\":\"" TOTAL "\"}"));
	for (int i = 0; i < 10; i++)
		assert_ok(w,
		          put(w, AG_KNOW_ENTRY, ag_str_printf(w->shop.arena, "Filler %d", i).ptr,
		              "{\"content\":\"nothing that fits, long enough to matter here\"}"));
	assert_ok(w, put(w, AG_KNOW_LEARNING, "Money is in the column total of orders.",
	                 "{\"category\":\"naming\",\"tables\":[\"orders\"]}"));
	w->opts.choices.knowledge_bytes = 100;
	aw_script(w, lines, 3);
	aw_ask(w, "How much did we take?");
	assert_false(aw_request_has(w, 0, "Money is in the column"));
	assert_int_equal(learning(w).uses, 1);
	assert_true(has(w->r.json, "\"text\":\"Money is in the column total of orders.\""));
	assert_false(aw_request_has(w, 0, "### Turnover"));
	aw_assert_has(w, 0, "search_knowledge finds");
	aw_assert_has(w, 1, "All money");
	assert_true(has(w->r.json, "\"metric\":\"Turnover\""));
}

static void who_may_not_write_is_refused(void **state)
{
	static const sm_line lines[] = {
		{ .calls = "[" LEARN("1", "The user of an order is user_id", "naming") "]" },
		AW_SAY("No.")
	};
	const char *const table = "{\"description\":\"d\"}";
	analyst_world *w = *state;
	const ag_know_place p = place(w);
	const ag_val item = ag_val_str(AG_S("orders")), tables = ag_val_array(&item, 1);
	const ag_know_lesson l = { .description = AG_S("The user of an order is user_id"),
		                   .category = AG_S("naming"),
		                   .tables = &tables };
	ag_know_learnt learnt;
	ag_know *list, entry;
	size_t n;

	/* 33: an analyst writes no notes on tables. */
	assert_int_equal(put(w, AG_KNOW_TABLE, "orders", table), AG_DENIED);
	assert_ok(w, put(w, AG_KNOW_ENTRY, "A", "{\"content\":\"a\"}"));
	assert_ok(w, ag_know_list(&p, AG_KNOW_ENTRY, w->shop.arena, &list, &n, &w->err));
	entry = list[0];
	w->shop.mine[1].role = AG_ROLE_ADMIN;
	assert_ok(w, put(w, AG_KNOW_TABLE, "orders", table));
	w->shop.mine[1].role = AG_ROLE_VIEWER;
	assert_int_equal(put(w, AG_KNOW_ENTRY, "B", "{\"content\":\"b\"}"), AG_DENIED);
	assert_int_equal(put(w, AG_KNOW_METRIC, "B", "{\"definition\":\"b\",\"sql\":\"SELECT 1\"}"),
	                 AG_DENIED);
	assert_int_equal(put(w, AG_KNOW_GOLDEN, "How?", "{\"mode\":\"exact\",\"expected\":\"1\"}"),
	                 AG_DENIED);
	assert_int_equal(ag_know_save_lesson(&p, &l, w->shop.arena, &learnt, &w->err), AG_DENIED);
	assert_int_equal(ag_know_remove(&p, &entry, w->shop.arena, &w->err), AG_DENIED);
	assert_int_equal(ag_know_judge(&p, &entry, true, AG_S(""), w->shop.arena, &entry, &w->err),
	                 AG_DENIED);
	/* He reads, and his model is not offered to save. */
	assert_ok(w, ag_know_list(&p, AG_KNOW_NKIND, w->shop.arena, &list, &n, &w->err));
	assert_int_equal(n, 2);
	assert_ok(w, ag_know_find_text(&p, AG_S("a"), 5, w->shop.arena, &list, &n, &w->err));
	aw_script(w, lines, 2);
	aw_ask(w, "Save that.");
	assert_true(has(w->model.requests[0], "\"search_knowledge\""));
	assert_false(has(w->model.requests[0], "\"save_learning\""));
	assert_ok(w, ag_know_list(&p, AG_KNOW_LEARNING, w->shop.arena, &list, &n, &w->err));
	assert_int_equal(n, 0);
}

static ag_str call_tool_of(analyst_world *w, const ag_tool_set *set, const char *name,
                           const char *input)
{
	const ag_extjson_opts opts = { 0 };
	const ag_tool *t = ag_tool_find(set->tools, set->ntool, ag_str_c(name));
	ag_call c = { .tool = t,
		      .who = &w->shop.who,
		      .hub = w->shop.hub,
		      .project = w->project,
		      .ctx = w->ctx,
		      .arena = w->shop.arena,
		      .watch_fd = -1 };
	ag_tool_output out;
	ag_str ret;
	ag_val v;

	assert_non_null(t);
	assert_ok(w,
	          ag_extjson_parse(ag_str_c(input), &opts, w->shop.arena, &v, NULL, NULL, &w->err));
	ag_tool_output_init(&out, t);
	assert_ok(w, ag_tool_call(&c, &v, &out, &w->err));
	ret = ag_buf_dup(w->shop.arena, &out.json);
	ag_tool_output_release(&out);
	return ret;
}

static ag_str call_tool(analyst_world *w, const char *name, const char *input)
{
	return call_tool_of(w, &ag_analyst_tools, name, input);
}

static void the_tools_ask_for_the_role(void **state)
{
	static const char lesson[] = "{\"description\":\"The user of an order is user_id\","
				     "\"category\":\"naming\",\"tables\":[\"orders\"]}";
	static const char bad[] = "{\"description\":\"nineteen characters\",\"category\":\"x\","
				  "\"tables\":[]}";
	const ag_tool_set *sets[] = { &ag_know_tools, &ag_know_agent_tools };
	analyst_world *w = *state;

	for (ag_role role = AG_ROLE_VIEWER; role <= AG_ROLE_ADMIN; role++) {
		w->shop.mine[1].role = role;
		for (size_t i = 0; i < AG_NELEM(sets); i++) {
			const ag_str saved = call_tool_of(w, sets[i], "save_learning", lesson),
				     found = call_tool_of(w, sets[i], "search_knowledge",
			                                  "{\"query\":\"order user\"}");

			assert_int_equal(has(saved, "\"success\":true"), role >= AG_ROLE_ANALYST);
			assert_int_equal(has(saved, "PERMISSION_DENIED"), role < AG_ROLE_ANALYST);
			assert_true(has(found, "\"success\":true"));
			assert_int_equal(has(found, "\"count\":1"), role >= AG_ROLE_ANALYST);
		}
	}
	assert_true(has(call_tool_of(w, &ag_know_tools, "save_learning", bad),
	                "\"success\":false,\"error\":{\"code\":\"VALIDATION_ERROR\",\"message\":"
	                "\"learning: description: want 20 characters or more, got 19\""));
}

/* 33 */
static void refresh_takes_an_analyst_and_notes_are_shown(void **state)
{
	static const char *const tools[] = { "list_tables", "get_metadata", "describe_table" };
	analyst_world *w = *state;
	ag_dictionary d;

	for (ag_role role = AG_ROLE_VIEWER; role <= AG_ROLE_ADMIN; role++) {
		w->shop.mine[1].role = role;
		for (size_t i = 0; i < AG_NELEM(tools); i++) {
			const ag_str r =
				call_tool(w, tools[i],
			                  i == 2 ? "{\"table_name\":\"orders\",\"refresh\":true}"
			                         : "{\"refresh\":true}");

			assert_int_equal(has(r, "\"success\":true"), role >= AG_ROLE_ANALYST);
			assert_int_equal(has(r, "refresh needs the role analyst"),
			                 role < AG_ROLE_ANALYST);
		}
		assert_int_equal(ag_analyst_schema(w->shop.hub, &w->ctx, &w->shop.who, w->project,
		                                   true, w->shop.arena, &d, &w->err),
		                 role >= AG_ROLE_ANALYST ? AG_OK : AG_DENIED);
	}
	assert_false(has(call_tool(w, "describe_table", "{\"table_name\":\"orders\"}"),
	                 "\"knowledge\""));
	assert_ok(
		w,
		put(w, AG_KNOW_TABLE, "Orders",
	            "{\"description\":\"One row an order\",\"column_notes\":{\"total\":\"USD\"}}"));
	assert_true(has(
		call_tool(w, "describe_table", "{\"table_name\":\"orders\"}"),
		",\"knowledge\":{\"description\":\"One row an order\",\"column_notes\":{\"total\":\"USD\"}}}"));
	assert_true(has(call_tool(w, "list_tables", "{}"), "\"description\":\"One row an order\""));
}

static void a_metric_whose_column_is_gone_is_refused(void **state)
{
	analyst_world *w = *state;
	const ag_know_place p = place(w);
	ag_know *list;
	size_t n;

	assert_int_equal(put(w, AG_KNOW_METRIC, "Revenue",
	                     "{\"definition\":\"d\",\"sql\":\"SELECT SUM(amount) FROM orders\"}"),
	                 AG_INVALID);
	assert_string_equal(w->err.msg, "metric \"Revenue\": sql: no such column: amount");
	assert_int_equal(put(w, AG_KNOW_METRIC, "Revenue",
	                     "{\"definition\":\"d\",\"sql\":\"DELETE FROM orders\"}"),
	                 AG_INVALID);
	assert_ok(w, ag_know_list(&p, AG_KNOW_NKIND, w->shop.arena, &list, &n, &w->err));
	assert_int_equal(n, 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(the_model_reads_it_and_a_figure_names_its_metric),
		T(a_metric_that_is_changed_is_sent_back),
		T(a_metric_that_stays_changed_is_doubted),
		T(what_is_learnt_is_used_and_named),
		T(a_corrected_error_offers_what_could_be_learnt),
		T(a_learning_whose_own_sql_fails_is_set_aside),
		T(a_search_brings_a_metric_into_the_turn),
		T(who_may_not_write_is_refused),
		T(the_tools_ask_for_the_role),
		T(refresh_takes_an_analyst_and_notes_are_shown),
		T(a_metric_whose_column_is_gone_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
