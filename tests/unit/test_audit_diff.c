/* What changed since the previous run (acceptance scenario 19), and a person's word on a finding in the state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "audit/diff.h"
#include "audit/state_history.h"
#include "query/extjson.h"

#define assert_str(s, text) assert_true(ag_str_eqc((s), (text)))

static ag_finding now(const char *field, ag_severity severity, double share)
{
	return (ag_finding){ .key = ag_str_c(field),
		             .field = ag_str_c(field),
		             .severity = severity,
		             .share = share };
}

static ag_recheck was(const char *field, const char *severity, double share, ag_recheck_state state,
                      double now_share)
{
	return (ag_recheck){ .key = ag_str_c(field),
		             .field = ag_str_c(field),
		             .severity = ag_str_c(severity),
		             .was_share = share,
		             .state = state,
		             .now_share = now_share };
}

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

static void scenario_19(void **state)
{
	const ag_finding current[] = {
		now("email", AG_HIGH, .3),           now("age", AG_HIGH, .1),
		now("grown", AG_LOW, .20),           now("steady", AG_LOW, .06),
		now("better", AG_LOW, .01),          now("bound", AG_LOW, .15),
		now("age", AG_HIGH, .1 /* again */),
	};
	const ag_recheck previous[] = {
		was("zip", "high", .2, AG_RECHECK_RESOLVED, 0),
		was("age", "medium", .1, AG_RECHECK_PRESENT, .1),
		was("grown", "low", .05, AG_RECHECK_PRESENT, .20),
		was("steady", "low", .05, AG_RECHECK_PRESENT, .06),
		was("better", "high", .5, AG_RECHECK_PRESENT, .01),
		was("bound", "low", .10, AG_RECHECK_PRESENT, .15),
		was("silent", "high", .2, AG_RECHECK_PRESENT, .2),
		was("worse", "high", .2, AG_RECHECK_PRESENT, .4),
		was("beyond", "low", .2, AG_RECHECK_NOT_CHECKED, 0),
	};
	ag_finding before[AG_NELEM(current)];
	ag_recheck before_too[AG_NELEM(previous)];
	ag_diff d;

	memcpy(before, current, sizeof(current));
	memcpy(before_too, previous, sizeof(previous));
	ag_diff_make(current, AG_NELEM(current), previous, AG_NELEM(previous), *state, &d);
	assert_int_equal(d.nadded, 1);
	assert_ptr_equal(d.added[0], &current[0]);
	assert_int_equal(d.nresolved, 1);
	assert_ptr_equal(d.resolved[0], &previous[0]);
	assert_int_equal(d.nstill_present, 2);
	assert_str(d.still_present[0]->field, "silent");
	assert_str(d.still_present[1]->field, "worse");
	assert_int_equal(d.nnot_checked, 1);
	assert_str(d.not_checked[0]->field, "beyond");
	assert_int_equal(d.nregressed, 3);
	assert_str(d.regressed_fields[0], "age"); /* medium to high */
	assert_str(d.regressed_fields[1], "grown");
	assert_str(d.regressed_fields[2], "worse"); /* by the re-check alone */
	assert_memory_equal(before, current, sizeof(current));
	assert_memory_equal(before_too, previous, sizeof(previous));
}

/* Silence is no proof: only a re-check resolves. */
static void silence_resolves_nothing(void **state)
{
	const ag_recheck previous[] = { was("a", "high", .2, AG_RECHECK_PRESENT, .2),
		                        was("b", "high", .2, AG_RECHECK_NOT_CHECKED, 0) };
	ag_diff d;

	ag_diff_make(NULL, 0, previous, 2, *state, &d);
	assert_int_equal(d.nresolved, 0);
	assert_int_equal(d.nstill_present, 1);
	assert_int_equal(d.nnot_checked, 1);
	ag_diff_make(NULL, 0, NULL, 0, *state, &d);
	assert_int_equal(d.nadded + d.nresolved + d.nregressed + d.nstill_present, 0);
}

/* --- a person's word --- */

#define ID_A "0190c3e2-0000-7000-8000-00000000000a"
#define ID_B "0190c3e2-0000-7000-8000-00000000000b"
#define ID_C "0190c3e2-0000-7000-8000-00000000000c"

static ag_finding of_id(const char *id, const char *status)
{
	ag_finding f = now(id, AG_HIGH, .3);

	AG_ASSERT(ag_id_parse(ag_str_c(id), &f.id));
	f.status = ag_str_c(status);
	f.evaluation_verdict = AG_S("pass");
	return f;
}

static void review(ag_audit_state *s, const char *payload)
{
	const ag_extjson_opts opts = { .typed = true };
	ag_err err = { 0 };
	ag_val v;

	if (ag_extjson_parse(ag_str_c(payload), &opts, s->arena, &v, NULL, NULL, &err))
		fail_msg("%s", err.msg);
	ag_audit_apply_review(s, &v);
}

static void words_change_the_state(void **state)
{
	ag_finding findings[] = { of_id(ID_A, "pending_review"), of_id(ID_B, "pending_review") };
	ag_finding dismissed[] = { of_id(ID_C, "dismissed") };
	ag_audit_state s;

	ag_audit_state_init(&s, *state, &ag_rule_opts_default, AG_S("k"), 10, 0);
	s.findings.items = findings;
	s.findings.n = s.findings.cap = 2;
	s.dismissed.items = dismissed;
	s.dismissed.n = s.dismissed.cap = 1;

	review(&s, "{\"finding_id\":\"" ID_B "\",\"label\":\"tp\",\"decision\":\"published\"}");
	assert_str(s.findings.items[1].status, "committed");
	assert_str(s.findings.items[1].user_label, "tp");
	/* Decided: only the label still changes. */
	review(&s, "{\"finding_id\":\"" ID_B "\",\"label\":\"fp\",\"decision\":\"dropped\"}");
	assert_int_equal(s.findings.n, 2);
	assert_str(s.findings.items[1].user_label, "fp");

	review(&s, "{\"finding_id\":\"" ID_A "\",\"label\":\"fp\",\"decision\":\"dropped\","
	           "\"by\":\"ann\"}");
	assert_int_equal(s.findings.n, 1);
	assert_string_equal(s.findings.items[0].id.text, ID_B);
	assert_int_equal(s.dismissed.n, 2);
	assert_str(s.dismissed.items[0].field, ID_C);
	assert_string_equal(s.dismissed.items[1].id.text, ID_A);
	assert_str(s.dismissed.items[1].status, "dropped");
	assert_str(s.dismissed.items[1].user_label, "fp");
	assert_str(s.dismissed.items[1].evaluation_reason, "a reviewer rejected it");
	assert_str(s.dismissed.items[1].evaluated_by, "review:ann");

	review(&s, "{\"finding_id\":\"" ID_C "\",\"label\":\"tp\"}");
	assert_str(s.dismissed.items[0].user_label, "tp");
	review(&s, "{\"finding_id\":\"" ID_C "\",\"label\":\"\"}");
	assert_str(s.dismissed.items[0].user_label, "");
	review(&s, "{\"finding_id\":\"0190c3e2-0000-7000-8000-0000000000ff\",\"label\":\"tp\"}");
	review(&s, "{\"label\":\"tp\"}");
	assert_int_equal(s.findings.n + s.dismissed.n, 3);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(scenario_19),
		T(silence_resolves_nothing),
		T(words_change_the_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
