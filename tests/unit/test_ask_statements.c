/* Answers that one statement must prove: a sentence, an item, or a row with the heads of its columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "../contract/assert_ok.h"
#include "ask/offline.h"
#include "ask/offline_proof.h"
#include "offline_world.h"

/* One statement says it, or it is not said: rows with the heads of their columns, limits, who, how often, yes and no. */
static void one_statement_answers(void **state)
{
	static const struct {
		const char *question, *status, *source;
	} cases[] = {
		{ "What does status 12 mean?", "ok", "docs/kiln.md#messages" },
		{ "What does status 21 mean?", "partial", NULL },
		{ "How many pots may a load have?", "ok", "docs/kiln.md#limits" },
		{ "How many shelves may a load have?", "partial", NULL },
		{ "What is the largest size of a pot?", "ok", "docs/kiln.md#sizes" },
		{ "What is the smallest size of a pot?", "partial", NULL },
		{ "How large may a shelf be?", "partial", NULL },
		{ "How do I fix the shelf?", "ok", "docs/kiln.md#wobbling" },
		{ "How do I fix the lid?", "partial", NULL },
		{ "How do I reset the guard?", "partial", NULL },
		{ "How often is the lid greased?", "ok", "docs/kiln.md#care" },
		{ "How often is the shelf greased?", "partial", NULL },
		{ "How do I see who greased the lid?", "partial", NULL },
		{ "Who greased the lid?", "partial", NULL },
		{ "Does Kiln run on Windows?", "partial", NULL },
		{ "Why does the kiln have a guard?", "partial", NULL },
		{ "What happens when the lid is open?", "ok", "docs/kiln.md#messages" },
		{ "How hot may the lid get?", "partial", NULL },
		{ "What does a pot cost?", "partial", NULL },
		{ "Which firings are in revision 3?", "partial", NULL },
		/* Texts of tests and of examples are not about the project. */
		{ "How do I paint the chimney?", "partial", "" },
		{ "How do I light the stove?", "partial", NULL },
	};
	world *w = *state;

	put_file(w, "README.md",
	         "# Kiln\n\nKiln fires pottery. The windows of the room stay open.\n");
	put_file(
		w, "docs/kiln.md",
		"# The kiln\n\nA kiln has a lid, a guard and 3 shelves.\n\n## Messages\n\n"
		"| status | when | what to do |\n|---|---|---|\n| 12 | the lid is open | close it |\n"
		"| 13 | too cold | wait |\n\n## Limits\n\n| what | limit |\n|---|---|\n"
		"| pots of a load | 60 |\n\n## Sizes\n\nA pot has a size of at most 40 cm. Two shelves "
		"with one load run for 21 minutes.\n\n## Wobbling\n\nThe shelf may be loose. "
		"`kiln level` fixes it.\n\n## Guard\n\nThe guard resets the kiln after 4 firings.\n\n"
		"## Care\n\nThe lid is greased once a year.\n");
	put_file(w, "tests/chimney.md",
	         "# Paint the chimney\n\nPaint the chimney with `paint chimney`.\n");
	put_file(w, "examples/stove/README.md",
	         "# Light the stove\n\nLight the stove with `light stove`.\n");
	open_root(w, w->folder);
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const ag_answer a = ask(w, cases[i].question);

		if (!ag_str_eqc(a.status, cases[i].status) ||
		    (cases[i].source && !ag_str_eqc(a.source, cases[i].source)))
			fail_msg("%s: %.*s, %.*s, %.*s", cases[i].question, AG_FMT(a.status),
			         AG_FMT(a.source), AG_FMT(a.why));
	}
}

/* A row has the heads of its columns, an item what announces it, "it" the sentence before. */
static void statements_know_their_context(void **state)
{
	world *w = *state;
	size_t n = 0;
	const ag_statement *list = ag_statements_of(
		AG_S("# Lid\n\nThe lid is heavy. It weighs 4 kg.\n\nIt needs:\n\n- oil\n- a cloth\n\n"
	             "```sh\nopen lid. Now\n```\n\n| key | default |\n|---|---|\n| `lid` | 3 |\n"),
		w->arena, &n);

	assert_int_equal(n, 6);
	assert_true(ag_str_eqc(list[0].text, "The lid is heavy."));
	assert_true(ag_str_eqc(list[1].text, "It weighs 4 kg."));
	assert_true(ag_str_contains(list[1].before, AG_S("The lid is heavy.")));
	assert_true(ag_str_contains(list[3].before, AG_S("It needs:")));
	assert_true(list[4].has_code);
	assert_true(list[5].is_row && list[5].has_number);
	assert_true(ag_str_contains(list[5].text, AG_S("key `lid`; default 3")));
}

/* What grows with the text is limited. */
static void statements_are_limited(void **state)
{
	world *w = *state;
	AG_AUTO(ag_buf_release) ag_buf b = AG_BUF_INIT(4u << 20);
	size_t n = 0;

	for (size_t i = 0; i < 100000; i++)
		ag_buf_adds(&b, "| a |");
	ag_buf_adds(&b, "\n\n");
	for (size_t i = 0; i < 100000; i++)
		ag_buf_adds(&b, "It is. ");
	assert_non_null(ag_statements_of(ag_buf_view(&b), w->arena, &n));
	assert_true(n > 0 && n <= 300);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(one_statement_answers),
		T(statements_know_their_context),
		T(statements_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
