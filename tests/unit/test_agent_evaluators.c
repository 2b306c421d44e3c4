/* Evaluators that ask other evaluators: composite and escalation (reference section 14, scenarios 11 and 14). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "agent/evaluators.h"

#include <math.h>

#include "text_checks.h"

/* An evaluator that always says the same, and counts. */
typedef struct fixed {
	ag_evaluator base;
	ag_verdict says;
	ag_status fails;
	unsigned *asked;
} fixed;

static ag_status fixed_evaluate(const ag_evaluator *self, const ag_ctx *ctx, const ag_subject *s,
                                ag_arena *arena, ag_verdict *ret, ag_err *err)
{
	const fixed *f = (const fixed *)self;

	(void)ctx;
	(void)s;
	(void)arena;
	(*f->asked)++;
	if (f->fails)
		return ag_fail(err, f->fails, "test", "away");
	*ret = f->says;
	return AG_OK;
}

static fixed says(unsigned *asked, ag_verdict_kind kind, double score, const char *reason,
                  const char *critique, const char *by)
{
	return (fixed){
		.base = { .name = by, .evaluate = fixed_evaluate },
		.says = { .kind = kind,
		          .score = score,
		          .reason = ag_str_c(reason),
		          .critique = ag_str_c(critique),
		          .evaluated_by = ag_str_c(by) },
		.asked = asked,
	};
}

/* ---- composite ---- */

static ag_verdict composed(fixed *members, size_t n, ag_arena *arena)
{
	const ag_evaluator *list[4];
	const ag_subject s = { .gate = AG_GATE_OBSERVATION };
	ag_composite c;
	ag_verdict v = { 0 };
	ag_err err = { 0 };

	for (size_t i = 0; i < n; i++)
		list[i] = &members[i].base;
	ag_composite_init(&c, list, n);
	if (c.base.evaluate(&c.base, NULL, &s, arena, &v, &err))
		fail_msg("%s", err.msg);
	assert_str(v.evaluated_by, "composite");
	return v;
}

static void composite_stops_behind_the_first_fail(void **state)
{
	ag_arena *arena = ag_arena_new();
	unsigned asked[3] = { 0 };
	fixed m[] = { says(&asked[0], AG_PASS, 1, "fine", "", "rules"),
		      says(&asked[1], AG_FAIL, 0.2, "wrong", "count again", "self:m"),
		      says(&asked[2], AG_PASS, 0.1, "never", "never", "judge:n") };
	ag_verdict v = composed(m, 3, arena);

	(void)state;
	assert_int_equal(v.kind, AG_FAIL);
	assert_float_equal(v.score, 0.2, 0);
	assert_str(v.reason, "[rules] fine | [self:m] wrong");
	assert_str(v.critique, "count again");
	assert_int_equal(asked[0], 1);
	assert_int_equal(asked[1], 1);
	assert_int_equal(asked[2], 0);
	ag_arena_free(arena);
}

static void composite_merges_what_all_say(void **state)
{
	ag_arena *arena = ag_arena_new();
	unsigned asked = 0;
	fixed warn[] = { says(&asked, AG_PASS, 0.9, "a", "", "rules"),
		         says(&asked, AG_WARN, 0.5, "b", "first", "self:m"),
		         says(&asked, AG_PASS, 0.7, "c", "", "judge:n") };
	fixed two[] = { says(&asked, AG_WARN, 0.6, "b", "first", "rules"),
		        says(&asked, AG_WARN, 0.8, "c", "second", "self:m") };
	fixed pass[] = { says(&asked, AG_PASS, 1, "a", "", "rules"),
		         says(&asked, AG_PASS, 0.8, "b", "", "self:m") };
	ag_verdict v = composed(warn, 3, arena);

	(void)state;
	assert_int_equal(v.kind, AG_WARN);
	assert_float_equal(v.score, 0.5, 0);
	assert_str(v.reason, "[rules] a | [self:m] b | [judge:n] c");
	assert_int_equal(asked, 3);
	v = composed(two, 2, arena);
	assert_int_equal(v.kind, AG_WARN);
	assert_float_equal(v.score, 0.6, 0);
	assert_str(v.critique, "first | second");
	v = composed(pass, 2, arena);
	assert_int_equal(v.kind, AG_PASS);
	assert_float_equal(v.score, 0.8, 0);
	assert_str(v.critique, "");
	ag_arena_free(arena);
}

static void composite_keeps_dispositions(void **state)
{
	ag_arena *arena = ag_arena_new();
	unsigned asked = 0;
	fixed m[] = { says(&asked, AG_PASS, 1, "unsure", "", "escalation:pending"),
		      says(&asked, AG_PASS, 1, "fine", "", "self:m") };

	(void)state;
	m[0].says.disposition = AG_DISPOSE_REVIEW;
	assert_int_equal(composed(m, 2, arena).disposition, AG_DISPOSE_REVIEW);
	/* What fails is rejected, not reviewed. */
	m[1].says.kind = AG_FAIL;
	assert_int_equal(composed(m, 2, arena).disposition, AG_DISPOSE_BY_VERDICT);
	m[0].says.kind = AG_FAIL;
	m[0].says.disposition = AG_DISPOSE_DROP;
	assert_int_equal(composed(m, 2, arena).disposition, AG_DISPOSE_DROP);
	ag_arena_free(arena);
}

static void composite_passes_errors_on(void **state)
{
	ag_arena *arena = ag_arena_new();
	unsigned asked[3] = { 0 };
	fixed m[] = { says(&asked[0], AG_PASS, 1, "fine", "", "rules"),
		      says(&asked[1], AG_PASS, 1, "", "", "self:m"),
		      says(&asked[2], AG_PASS, 1, "never", "", "judge:n") };
	const ag_evaluator *list[] = { &m[0].base, &m[1].base, &m[2].base };
	const ag_subject s = { .gate = AG_GATE_RUN };
	ag_composite c;
	ag_verdict v = { .score = 42 };
	ag_err err = { 0 };

	(void)state;
	m[1].fails = AG_UNAVAILABLE;
	ag_composite_init(&c, list, 3);
	assert_false(c.base.asks_model);
	assert_int_equal(c.base.evaluate(&c.base, NULL, &s, arena, &v, &err), AG_UNAVAILABLE);
	assert_int_equal(asked[2], 0);
	assert_float_equal(v.score, 42, 0);
	m[2].base.asks_model = true;
	ag_composite_init(&c, list, 3);
	assert_true(c.base.asks_model);
	ag_arena_free(arena);
}

/* ---- escalation ---- */

static unsigned waiting;

static unsigned npending(const void *state)
{
	assert_ptr_equal(state, &waiting);
	return waiting;
}

static ag_verdict escalated(ag_verdict_kind inner_kind, double confidence, unsigned cap,
                            ag_arena *arena)
{
	unsigned asked = 0;
	fixed inner = says(&asked, inner_kind, inner_kind == AG_FAIL ? 0 : 1, "inner reason",
	                   inner_kind == AG_PASS ? "" : "inner critique", "rules");
	const ag_proposal p = { .confidence = confidence };
	const ag_subject s = { .gate = AG_GATE_OBSERVATION, .proposal = &p, .state = &waiting };
	ag_escalation e;
	ag_verdict v = { 0 };
	ag_err err = { 0 };

	if (ag_escalation_init(&e, &inner.base, 0.40, 0.85, cap, npending, &err) ||
	    e.base.evaluate(&e.base, NULL, &s, arena, &v, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(asked, 1);
	return v;
}

static void escalation_goes_by_confidence(void **state)
{
	static const struct {
		ag_verdict_kind inner;
		double confidence;
		unsigned cap, waiting;
		ag_verdict_kind kind;
		ag_disposition disposition;
		const char *by, *reason, *critique;
	} rows[] = {
		{ AG_PASS, 0.9, 10, 0, AG_PASS, AG_DISPOSE_BY_VERDICT, "rules", "inner reason",
		  "" },
		{ AG_WARN, 0.9, 10, 0, AG_WARN, AG_DISPOSE_BY_VERDICT, "rules", "inner reason",
		  "inner critique" },
		{ AG_PASS, 0.85, 10, 0, AG_PASS, AG_DISPOSE_BY_VERDICT, "rules", "inner reason",
		  "" },
		{ AG_PASS, 0.6, 10, 0, AG_PASS, AG_DISPOSE_REVIEW, "escalation:pending", "0.60",
		  "" },
		{ AG_PASS, 0.40, 10, 0, AG_PASS, AG_DISPOSE_REVIEW, "escalation:pending", "0.40",
		  "" },
		{ AG_WARN, 0.6, 10, 0, AG_PASS, AG_DISPOSE_REVIEW, "escalation:pending",
		  "inner reason", "inner critique" },
		{ AG_PASS, 0.25, 10, 0, AG_FAIL, AG_DISPOSE_DROP, "escalation:dropped",
		  "confidence 0.25 is below 0.40", "evidence" },
		{ AG_PASS, 0, 10, 0, AG_FAIL, AG_DISPOSE_DROP, "escalation:dropped", "0.00", "" },
		{ AG_FAIL, 0.99, 10, 0, AG_FAIL, AG_DISPOSE_BY_VERDICT, "rules", "inner reason",
		  "inner critique" },
		{ AG_FAIL, 0.6, 10, 0, AG_FAIL, AG_DISPOSE_BY_VERDICT, "rules", "inner reason",
		  "" },
		{ AG_FAIL, 0.2, 10, 0, AG_FAIL, AG_DISPOSE_BY_VERDICT, "rules", "inner reason",
		  "" },
		{ AG_PASS, NAN, 10, 0, AG_PASS, AG_DISPOSE_BY_VERDICT, "rules", "inner reason",
		  "" },
		{ AG_PASS, 0.6, 1, 1, AG_FAIL, AG_DISPOSE_DROP, "escalation:dropped", "cap of 1",
		  "" },
		{ AG_PASS, 0.6, 2, 1, AG_PASS, AG_DISPOSE_REVIEW, "escalation:pending", "0.60",
		  "" },
		{ AG_PASS, 0.6, 0, 0, AG_FAIL, AG_DISPOSE_DROP, "escalation:dropped", "cap of 0",
		  "" },
		{ AG_PASS, 0.9, 1, 5, AG_PASS, AG_DISPOSE_BY_VERDICT, "rules", "inner reason", "" },
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		ag_verdict v;

		waiting = rows[i].waiting;
		v = escalated(rows[i].inner, rows[i].confidence, rows[i].cap, arena);
		if (v.kind != rows[i].kind || v.disposition != rows[i].disposition)
			fail_msg("row %zu: kind %d, disposition %d", i, v.kind, v.disposition);
		assert_str(v.evaluated_by, rows[i].by);
		assert_has(v.reason, rows[i].reason);
		assert_has(v.critique, rows[i].critique);
	}
	ag_arena_free(arena);
}

static void escalation_refuses_senseless_thresholds(void **state)
{
	static const double pairs[][2] = { { 0.9, 0.1 }, { -0.1, 0.5 }, { 0.5, 1.5 },
		                           { NAN, 0.5 }, { 0.5, NAN },  { 2, 3 } };
	unsigned asked = 0;
	fixed inner = says(&asked, AG_PASS, 1, "x", "", "rules");
	ag_escalation e;
	ag_err err = { 0 };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(pairs); i++) {
		assert_int_equal(ag_escalation_init(&e, &inner.base, pairs[i][0], pairs[i][1], 1,
		                                    npending, &err),
		                 AG_INVALID);
		assert_has(ag_str_c(err.msg), "threshold");
	}
	assert_int_equal(ag_escalation_init(&e, &inner.base, 0.5, 0.5, 1, npending, &err), AG_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(composite_stops_behind_the_first_fail),
		cmocka_unit_test(composite_merges_what_all_say),
		cmocka_unit_test(composite_keeps_dispositions),
		cmocka_unit_test(composite_passes_errors_on),
		cmocka_unit_test(escalation_goes_by_confidence),
		cmocka_unit_test(escalation_refuses_senseless_thresholds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
