/* The parts of a conversation by themselves: classes of errors, what a model reads of a result, the prompt's dictionary,
 * pruning, the conditions of a statement. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/transcript.h"
#include "analyst/answer.h"
#include "analyst/correct.h"
#include "analyst/prompt.h"
#include "prompt_snapshot.h"
#include "query/extjson.h"

static int setup(void **state)
{
	*state = ag_arena_new();
	return 0;
}

static int teardown(void **state)
{
	ag_arena_free(*state);
	return 0;
}

static ag_analyst_result result_of(ag_arena *arena, const char *json)
{
	const ag_extjson_opts opts = { 0 };
	ag_val *v = ag_new(arena, ag_val);
	ag_analyst_result ret;
	ag_err err = { 0 };

	if (ag_extjson_parse(ag_str_c(json), &opts, arena, v, NULL, NULL, &err))
		fail_msg("%s: %s", json, err.msg);
	ag_analyst_result_read(v, false, arena, &ret);
	return ret;
}

/* --- classes --- */

static void a_class_is_told_by_marks_before_words(void **state)
{
	static const struct {
		const char *json, *class_name;
	} cases[] = {
		/* Argus' own word, then the rule, the SQLSTATE, the code. */
		{ "{\"error\":\"syntax error\",\"error_class\":\"timeout\"}", "timeout" },
		{ "{\"error\":\"x\",\"error_class\":\"made up\",\"sqlstate\":\"42703\"}",
		  "column_not_found" },
		{ "{\"error\":\"x\",\"rule\":\"table_not_allowed\"}", "refused" },
		{ "{\"error\":\"x\",\"sqlstate\":\"42P01\"}", "table_not_found" },
		{ "{\"error\":\"x\",\"sqlstate\":\"42846\"}", "type_mismatch" },
		{ "{\"success\":false,\"error\":{\"code\":\"QUERY_TIMEOUT\",\"message\":\"x\"}}",
		  "timeout" },
		{ "{\"success\":false,\"error\":{\"code\":\"RATE_LIMITED\",\"message\":\"x\"}}",
		  "rate_limit" },
		{ "{\"success\":false,\"error\":{\"code\":\"VALIDATION_ERROR\",\"message\":"
		  "\"column \\\"a\\\" does not exist\"}}",
		  "column_not_found" },
		{ "{\"success\":false,\"error\":{\"code\":\"VALIDATION_ERROR\",\"message\":\"x\","
		  "\"class\":\"grouping\"}}",
		  "grouping" },
		/* Words alone, as other servers send them: those that the reference names as surprises, too. */
		{ "{\"error\":\"syntax error at or near \\\"FORM\\\"\"}", "syntax" },
		{ "{\"error\":\"parse error\"}", "syntax" },
		{ "{\"error\":\"column \\\"usr_id\\\" does not exist\"}", "column_not_found" },
		{ "{\"error\":\"relation \\\"user\\\" does not exist\"}", "table_not_found" },
		{ "{\"error\":\"Table x not found\"}", "table_not_found" },
		{ "{\"error\":\"Access to table 'x' is not permitted\"}", "refused" },
		{ "{\"error\":\"Function 'f' is not allowed\"}", "refused" },
		{ "{\"error\":\"Only SELECT statements run\"}", "refused" },
		{ "{\"error\":\"permission denied for table x\"}", "permission" },
		{ "{\"error\":\"canceling statement due to statement timeout\"}", "timeout" },
		{ "{\"error\":\"canceling statement due to user request\"}", "timeout" },
		{ "{\"error\":\"operator does not exist: integer = text\"}", "type_mismatch" },
		{ "{\"error\":\"cannot cast type text to integer\"}", "type_mismatch" },
		{ "{\"error\":\"invalid input syntax for type integer: \\\"a\\\"\"}",
		  "invalid_value" },
		{ "{\"error\":\"function f(integer) does not exist\"}", "function_not_found" },
		{ "{\"error\":\"reference \\\"id\\\" is ambiguous\"}", "ambiguous" },
		{ "{\"error\":\"division by zero\"}", "invalid_value" },
		{ "{\"error\":\"could not connect to server\"}", "connection" },
		{ "{\"error\":\"something else\"}", "execution" },
		{ "{\"status\":\"error\",\"message\":\"no title\"}", "execution" },
		/* As the text of another server's answer. */
		{ "{\"server\":\"s\",\"tool\":\"query\",\"is_error\":false,\"text\":"
		  "\"{\\\"success\\\":false,\\\"error\\\":\\\"column a does not exist\\\"}\"}",
		  "column_not_found" },
		{ "{\"server\":\"s\",\"tool\":\"query\",\"is_error\":true,\"text\":\"syntax error\"}",
		  "syntax" },
	};

	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const ag_analyst_result r = result_of(*state, cases[i].json);

		if (r.ok || strcmp(ag_analyst_error_class(&r), cases[i].class_name) != 0)
			fail_msg("%s: want %s, got %s%s", cases[i].json, cases[i].class_name,
			         r.ok ? "ok, " : "", ag_analyst_error_class(&r));
		assert_true(strlen(ag_analyst_guidance(ag_analyst_error_class(&r))) > 20);
	}
}

static void what_is_no_failure(void **state)
{
	static const char *const cases[] = {
		"{\"columns\":[\"t\"],\"rows\":[[\"error: none\"]],\"row_count\":1,\"error\":null}",
		"{\"success\":true,\"data\":{\"columns\":[\"t\"],\"rows\":[],\"row_count\":0,"
		"\"truncated\":true},\"warnings\":[\"cut\"]}",
		"{\"success\":true,\"data\":{\"name\":\"error\"},\"error\":null}",
		"{\"server\":\"s\",\"tool\":\"t\",\"is_error\":false,\"text\":\"permission denied "
		"is only a word here\"}",
		"{}",
	};

	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const ag_analyst_result r = result_of(*state, cases[i]);

		if (!r.ok)
			fail_msg("%s is no failure", cases[i]);
	}
}

static void only_what_a_model_can_mend_is_tried_again(void **state)
{
	(void)state;
	assert_true(ag_analyst_is_mendable("syntax"));
	assert_true(ag_analyst_is_mendable("refused"));
	assert_true(ag_analyst_is_mendable("a new class"));
	assert_false(ag_analyst_is_mendable("connection"));
	assert_false(ag_analyst_is_mendable("rate_limit"));
	assert_false(ag_analyst_is_mendable("permission"));
}

/* --- the prompt --- */

#define NTABLE 40u

static void make_dictionary(ag_arena *arena, size_t ntable, ag_dictionary *ret)
{
	ag_dict_table *tables = ag_new_n(arena, ag_dict_table, ntable);
	ag_dict_column *columns = ag_new_n(arena, ag_dict_column, 2);

	memset(tables, 0, ntable * sizeof(*tables));
	columns[0] = (ag_dict_column){ .name = AG_S("id"), .type = AG_S("integer") };
	columns[1] = (ag_dict_column){ .name = AG_S("amount_due"), .type = AG_S("numeric") };
	for (size_t i = 0; i < ntable; i++) {
		tables[i].name = ag_str_printf(arena, "table_%zu", i);
		tables[i].type = "table";
		tables[i].row_count = 7;
		tables[i].columns = columns;
		tables[i].ncolumn = 2;
	}
	*ret = (ag_dictionary){ .schema = AG_S("public"), .tables = tables, .ntable = ntable };
}

static ag_analyst_prompt prompt_of(ag_arena *arena, const ag_dictionary *d, size_t max_bytes,
                                   const char *question)
{
	static const ag_project project = { .id = AG_S_INIT("shop"),
		                            .source = AG_S_INIT("sqlite:x"),
		                            .settings = { .system_prompt = AG_S_INIT(
								  "Amounts are in cents.") } };
	const ag_analyst_prompt_opts o = { .project = &project,
		                           .dictionary = d,
		                           .no_dictionary = AG_S("it is away"),
		                           .question = ag_str_c(question),
		                           .dictionary_bytes = max_bytes,
		                           .retries = 3,
		                           .now_ms = 1700000000000 };
	ag_analyst_prompt ret;
	ag_err err = { 0 };

	if (ag_analyst_prompt_make(&o, arena, &ret, &err))
		fail_msg("%s", err.msg);
	return ret;
}

static const ag_analyst_section *section(const ag_analyst_prompt *p, const char *name)
{
	for (size_t i = 0; i < p->nsection; i++) {
		if (strcmp(p->sections[i].name, name) == 0)
			return &p->sections[i];
	}
	return NULL;
}

/* 28 */
static void fifteen_tables_are_inline_and_sixteen_are_a_list(void **state)
{
	ag_dictionary d;
	ag_analyst_prompt p;

	make_dictionary(*state, 15, &d);
	p = prompt_of(*state, &d, 0, "");
	assert_true(ag_str_contains(p.system, AG_S("- amount_due numeric")));
	assert_false(ag_str_contains(p.system, AG_S("too many to show")));
	make_dictionary(*state, 16, &d);
	p = prompt_of(*state, &d, 0, "");
	assert_false(ag_str_contains(p.system, AG_S("- amount_due numeric")));
	assert_true(ag_str_contains(p.system, AG_S("16 tables, too many to show their columns")));
	assert_true(ag_str_contains(p.system, AG_S("table_15 (table, about 7 rows)")));
}

static void the_sections_stand_in_order_with_the_project_s_own_words(void **state)
{
	static const char *const order[] = { "base", "project", "dictionary", "configuration" };
	ag_dictionary d;
	ag_analyst_prompt p;

	make_dictionary(*state, 2, &d);
	p = prompt_of(*state, &d, 0, "");
	assert_int_equal(p.nsection, AG_NELEM(order));
	for (size_t i = 0; i < p.nsection; i++)
		assert_string_equal(p.sections[i].name, order[i]);
	assert_true(ag_str_contains(p.system, AG_S("Amounts are in cents.")));
	assert_true(ag_str_contains(p.system, AG_S("- Maximum rows per query: 500")));
	assert_true(ag_str_contains(p.system, AG_S("- Query timeout: 30 seconds")));
	assert_true(ag_str_contains(p.system, AG_S("- Schema: main")));
	assert_true(ag_str_contains(p.system, AG_S("- Today: 2023-11-14")));
}

static void beyond_the_budget_tables_are_ranked_by_the_question(void **state)
{
	ag_dictionary d;
	ag_analyst_prompt p;

	make_dictionary(*state, 12, &d);
	((ag_dict_table *)(uintptr_t)d.tables)[9].name = AG_S("invoices");
	p = prompt_of(*state, &d, 400, "Which invoice is the largest?");
	assert_non_null(section(&p, "ranked"));
	assert_string_equal(p.sections[p.nsection - 1].name, "ranked");
	assert_true(ag_str_contains(section(&p, "ranked")->text, AG_S("invoices (table")));
	assert_true(ag_str_contains(section(&p, "ranked")->text, AG_S("- amount_due numeric")));
	assert_true(section(&p, "ranked")->text.len < 600);
}

static void a_list_that_is_too_long_says_how_much_is_missing(void **state)
{
	ag_dictionary d;
	ag_analyst_prompt p;

	make_dictionary(*state, NTABLE, &d);
	((ag_dict_table *)(uintptr_t)d.tables)[39].name = AG_S("invoices");
	p = prompt_of(*state, &d, 300, "Which invoice is the largest?");
	assert_true(ag_str_contains(p.system, AG_S("invoices (table")));
	assert_true(ag_str_contains(p.system, AG_S("further tables that are not shown")));
}

static void without_a_dictionary_the_prompt_says_so(void **state)
{
	const ag_analyst_prompt p = prompt_of(*state, NULL, 0, "");

	assert_true(ag_str_contains(p.system, AG_S("cannot be read now (it is away)")));
}

/* All that the model reads of a project, as files: a change of a word is seen in review. */
static void prompts_are_as_their_snapshots(void **state)
{
	ag_analyst_prompt p;
	ag_dictionary d;

	make_dictionary(*state, 2, &d);
	p = prompt_of(*state, &d, 0, "Which amount is due?");
	prompt_snapshot("analyst_inline", p.system);
	prompt_snapshot("analyst_last_words", p.last_words);
	make_dictionary(*state, 16, &d);
	p = prompt_of(*state, &d, 0, "Which amount is due?");
	prompt_snapshot("analyst_list", p.system);
	p = prompt_of(*state, &d, 300, "How many rows has table_9?");
	prompt_snapshot("analyst_ranked", p.system);
	p = prompt_of(*state, NULL, 0, "");
	prompt_snapshot("analyst_no_dictionary", p.system);
}

/* --- pruning --- */

#define MAX_PARTS 64

static ag_llm_part parts[MAX_PARTS];

static ag_llm_message message(size_t i, ag_llm_role role, ag_llm_part_type type)
{
	parts[i] = (ag_llm_part){ .type = type, .text = AG_S("x"), .id = AG_S("c") };
	return (ag_llm_message){ role, &parts[i], 1 };
}

/* A question every fourth message, then call, result, answer; the last question is at `question`. */
static size_t conversation(ag_llm_message *all, size_t n, size_t question)
{
	for (size_t i = 0; i < n; i++) {
		if (i == question || (i < question && i % 4 == 0))
			all[i] = message(i, AG_LLM_USER, AG_LLM_TEXT);
		else if (i < question && i % 4 == 3) /* an answer */
			all[i] = message(i, AG_LLM_ASSISTANT, AG_LLM_TEXT);
		else if ((i < question ? i % 4 : i - question) % 2 == 1)
			all[i] = message(i, AG_LLM_ASSISTANT, AG_LLM_TOOL_CALL);
		else
			all[i] = message(i, AG_LLM_USER, AG_LLM_TOOL_RESULT);
	}
	parts[question].text = AG_S("the question");
	return n;
}

/* Calls and results take turns, the first is of the user and answers nothing, the question is there. */
static void check_pruned(const ag_llm_message *m, size_t n, size_t max)
{
	bool has_question = false;

	assert_true(n <= max);
	assert_int_equal(m[0].role, AG_LLM_USER);
	for (size_t i = 0; i < n; i++) {
		has_question = has_question ||
		               (m[i].npart && ag_str_eqc(m[i].parts[0].text, "the question"));
		if (m[i].npart && m[i].parts[0].type == AG_LLM_TOOL_RESULT) {
			assert_true(i > 0);
			assert_int_equal(m[i - 1].parts[0].type, AG_LLM_TOOL_CALL);
		}
	}
	assert_true(has_question);
}

/* 18 */
static void twenty_messages_are_left_and_no_result_without_its_call(void **state)
{
	for (size_t n = 2; n <= 50; n++) {
		for (size_t question = 0; question < n; question += 4) {
			ag_llm_message all[MAX_PARTS];
			size_t left = conversation(all, n, question);
			const ag_llm_message *kept = ag_transcript_prune(all, &left, 20, question,
			                                                 *state);

			if (n <= 20)
				assert_int_equal(left, n);
			check_pruned(kept, left, 20);
		}
	}
}

static void a_question_behind_results_that_are_cut_off_keeps_its_words(void **state)
{
	static ag_llm_part both[] = { { .type = AG_LLM_TOOL_RESULT, .text = AG_S_INIT("r") },
		                      { .type = AG_LLM_TEXT, .text = AG_S_INIT("q") } };
	ag_llm_message all[MAX_PARTS];
	size_t n = conversation(all, 30, 12);
	ag_llm_message *kept;

	all[12].parts = both;
	all[12].npart = 2;
	kept = ag_transcript_prune(all, &n, 18, 12, *state);
	assert_true(n <= 18);
	assert_int_equal(kept[0].npart, 1);
	assert_int_equal(kept[0].parts[0].type, AG_LLM_TEXT);
	assert_true(ag_str_eqc(kept[0].parts[0].text, "q"));
}

/* --- filters --- */

static void conditions_are_found_in_statements(void **state)
{
	static const struct {
		const char *sql, *want;
	} cases[] = {
		{ "SELECT 1", "" },
		{ "SELECT * FROM t WHERE a = 1;", "a = 1" },
		{ "select a from t where b = 'x where y' group by a having count(*) > 2 order by 1",
		  "b = 'x where y'|count(*) > 2" },
		{ "SELECT * FROM t WHERE a IN (SELECT b FROM u WHERE c = 2) AND d LIMIT 3",
		  "a IN (SELECT b FROM u WHERE c = 2) AND d|c = 2" },
		{ "SELECT COUNT(*) FILTER (WHERE ok) FROM t -- where not\nWHERE x", "ok|x" },
		{ "SELECT \"where\" FROM t /* where */ WHERE a UNION SELECT 1 WHERE b", "a|b" },
		{ "SELECT 'unclosed WHERE a", "" },
		{ "WHERE", "" },
		{ "", "" },
	};

	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_str got[AG_ANALYST_MAX_FILTERS];
		const size_t n = ag_analyst_filters(ag_str_c(cases[i].sql), got);
		ag_buf out = AG_BUF_INIT(4096);

		for (size_t k = 0; k < n; k++)
			ag_buf_addf(&out, "%s%.*s", k ? "|" : "", AG_FMT(got[k]));
		if (!ag_str_eqc(ag_buf_view(&out), cases[i].want))
			fail_msg("%s: want %s, got %.*s", cases[i].sql, cases[i].want,
			         AG_FMT(ag_buf_view(&out)));
		ag_buf_release(&out);
	}
	(void)state;
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_class_is_told_by_marks_before_words),
		T(what_is_no_failure),
		T(only_what_a_model_can_mend_is_tried_again),
		T(fifteen_tables_are_inline_and_sixteen_are_a_list),
		T(the_sections_stand_in_order_with_the_project_s_own_words),
		T(beyond_the_budget_tables_are_ranked_by_the_question),
		T(a_list_that_is_too_long_says_how_much_is_missing),
		T(without_a_dictionary_the_prompt_says_so),
		T(prompts_are_as_their_snapshots),
		T(twenty_messages_are_left_and_no_result_without_its_call),
		T(a_question_behind_results_that_are_cut_off_keeps_its_words),
		T(conditions_are_found_in_statements),
	};
#undef T

	return cmocka_run_group_tests(tests, NULL, NULL);
}
