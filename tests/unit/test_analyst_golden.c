/* When is an answer what a golden question expects? Each mode with what is right and what is near; and questions of turns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../contract/assert_ok.h"
#include "analyst/golden.h"
#include "query/extjson.h"

typedef struct world {
	ag_arena *arena;
	ag_err err;
} world;

static int setup(void **state)
{
	world *w = ag_xcalloc(1, sizeof(*w));

	w->arena = ag_arena_new();
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	world *w = *state;

	ag_arena_free(w->arena);
	free(w);
	return 0;
}

static ag_val json(world *w, const char *text)
{
	const ag_extjson_opts opts = { 0 };
	ag_val v;

	assert_ok(w, ag_extjson_parse(ag_str_c(text), &opts, w->arena, &v, NULL, NULL, &w->err));
	return v;
}

/* A turn with one result for each text, and these words. */
static ag_analyst_state turn(world *w, const char *words, const char *const *results, size_t n)
{
	ag_analyst_state s = { .arena = w->arena,
		               .has_final = true,
		               .final = ag_str_c(words),
		               .question = AG_S("How many?"),
		               .queries = ag_new_n(w->arena, ag_analyst_query, n + 1),
		               .nquery = n };

	for (size_t i = 0; i < n; i++) {
		ag_val *v = ag_new(w->arena, ag_val);

		*v = json(w, results[i]);
		s.queries[i].has_output = true;
		s.queries[i].sql = AG_S("SELECT 1");
		ag_analyst_result_read(v, false, w->arena, &s.queries[i].result);
	}
	return s;
}

#define RESULT(columns, rows, n) \
	"{\"columns\":" columns ",\"rows\":" rows ",\"row_count\":" n ",\"error\":null}"

static void each_mode_takes_what_is_right(void **state)
{
	static const char one[] = RESULT("[\"n\",\"Sum\"]", "[[3,\"12.50\"]]", "1");
	static const char two[] = RESULT("[\"region\",\"n\"]", "[[\"North\",2],[\"South\",1.0]]",
	                                 "2");
	static const struct {
		const char *result, *fields;
		bool is_right;
	} cases[] = {
		{ one, "{\"mode\":\"exact\",\"expected\":\"3\"}", true },
		{ one, "{\"mode\":\"exact\",\"expected\":\"12.5\"}", true },
		{ one, "{\"mode\":\"exact\",\"expected\":\"4\"}", false },
		{ one, "{\"mode\":\"exact\",\"expected\":\"[[3,12.5]]\"}", true },
		{ one, "{\"mode\":\"exact\",\"expected\":\"[[3]]\"}", false },
		{ two,
		  "{\"mode\":\"exact\",\"expected\":\"[[\\\"South\\\",1],[\\\"North\\\",\\\"2\\\"]]\"}",
		  true },
		{ two,
		  "{\"mode\":\"exact\",\"expected\":\"[[\\\"North\\\",2],[\\\"North\\\",2]]\"}",
		  false },
		{ two, "{\"mode\":\"exact\",\"expected\":\"[[\\\"North\\\",2]]\"}", false },
		{ two, "{\"mode\":\"exact\",\"expected\":\"2\"}", false }, /* not one row */
		{ one, "{\"mode\":\"approximate\",\"expected\":\"12.4\"}", true },
		{ one, "{\"mode\":\"approximate\",\"expected\":\"12.3\"}", false },
		{ one, "{\"mode\":\"approximate\",\"expected\":\"12.3\",\"tolerance\":0.1}", true },
		{ one, "{\"mode\":\"approximate\",\"expected\":\"12.5\",\"tolerance\":0}", true },
		{ two, "{\"mode\":\"row_count\",\"expected\":\" 2 \"}", true },
		{ two, "{\"mode\":\"row_count\",\"expected\":\"3\"}", false },
		{ two, "{\"mode\":\"contains\",\"expected\":\"most of THEM\"}", true },
		{ two, "{\"mode\":\"contains\",\"expected\":\"south\"}", true },
		{ two, "{\"mode\":\"contains\",\"expected\":\"[\\\"north\\\",\\\"south\\\"]\"}",
		  true },
		{ two, "{\"mode\":\"contains\",\"expected\":\"[\\\"north\\\",\\\"east\\\"]\"}",
		  false },
		{ two, "{\"mode\":\"structure\",\"expected\":\"N, Region\"}", true },
		{ two, "{\"mode\":\"structure\",\"expected\":\"[\\\"n\\\"]\"}", true },
		{ two, "{\"mode\":\"structure\",\"expected\":\"n, total\"}", false },
	};
	world *w = *state;

	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const ag_analyst_state s = turn(w, "Most of them are there.", &cases[i].result, 1);
		const ag_val fields = json(w, cases[i].fields);
		ag_know o;
		ag_str why;

		assert_ok(w, ag_know_make(AG_KNOW_GOLDEN, AG_S("How many?"), &fields, w->arena, &o,
		                          &w->err));
		ag_golden_check(&o, &s, w->arena, &why);
		if (!why.len != cases[i].is_right)
			fail_msg("%s: %.*s", cases[i].fields, AG_FMT(why));
	}
}

static void one_of_the_results_is_enough_but_not_without_words(void **state)
{
	static const char *const results[] = { RESULT("[\"n\"]", "[[3]]", "1"),
		                               RESULT("[\"n\"]", "[[4]]", "1") };
	world *w = *state;
	ag_analyst_state s = turn(w, "Three.", results, 2);
	const ag_val fields = json(w, "{\"mode\":\"exact\",\"expected\":\"3\"}");
	ag_know o;
	ag_str why;

	assert_ok(w,
	          ag_know_make(AG_KNOW_GOLDEN, AG_S("How many?"), &fields, w->arena, &o, &w->err));
	ag_golden_check(&o, &s, w->arena, &why);
	assert_int_equal(why.len, 0);
	s.has_final = false;
	ag_golden_check(&o, &s, w->arena, &why);
	assert_true(ag_str_eqc(why, "there is no answer"));
	s.has_final = true;
	s.nquery = 0;
	ag_golden_check(&o, &s, w->arena, &why);
	assert_true(ag_str_eqc(why, "no statement gave a result"));
}

static void a_turn_becomes_a_question_that_it_answers(void **state)
{
	static const char *const modes[] = { "",          "exact",    "approximate",
		                             "row_count", "contains", "structure" };
	static const char *const result[] = { RESULT("[\"n\",\"t\"]", "[[3,\"a\"],[1.5,null]]",
		                                     "2") };
	static const char *const cut[] = {
		"{\"columns\":[\"n\"],\"rows\":[[1]],\"row_count\":1,\"truncated\":true,\"error\":null}"
	};
	world *w = *state;
	ag_analyst_state s = turn(w, "Three and more.", result, 1);
	ag_know o;
	ag_str why;

	for (size_t i = 0; i < AG_NELEM(modes); i++) {
		assert_ok(w, ag_golden_of_turn(&s, ag_str_c(modes[i]), w->arena, &o, &w->err));
		assert_true(ag_str_eqc(ag_know_text(&o, "mode"), modes[i][0] ? modes[i] : "exact"));
		ag_golden_check(&o, &s, w->arena, &why);
		if (why.len)
			fail_msg("%s: %.*s", modes[i], AG_FMT(why));
	}
	assert_int_equal(ag_golden_of_turn(&s, AG_S("fuzzy"), w->arena, &o, &w->err), AG_INVALID);
	s = turn(w, "One.", cut, 1);
	assert_int_equal(ag_golden_of_turn(&s, AG_S(""), w->arena, &o, &w->err), AG_INVALID);
	assert_string_equal(w->err.msg, "the result was cut: it cannot be expected");
	assert_ok(w, ag_golden_of_turn(&s, AG_S("structure"), w->arena, &o, &w->err));
	s.nquery = 0;
	assert_int_equal(ag_golden_of_turn(&s, AG_S(""), w->arena, &o, &w->err), AG_INVALID);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(each_mode_takes_what_is_right),
		T(one_of_the_results_is_enough_but_not_without_words),
		T(a_turn_becomes_a_question_that_it_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
