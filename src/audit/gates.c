/* gates -- who judges in a run: from the choices in its options to the evaluators of the three gates.
 *
 *                rules  none  self  judge  composite                                   escalation
 *   action       x      x     x     x      rules, self                                 -
 *   finding      x      x     x     x      rules, self                                 rules, then the confidence
 *   run          x      x     x     x      rules, self, and judge where one is set     -
 *
 * What stands for "-" and what lacks its model is refused before any data is read. Without rules at the action gate
 * nothing unsafe can run: the loop itself checks tool and input, and the guard every query. One self and one judge
 * serve all gates of a run; their prompts come from audit/prompt_evaluator.c. */
#include "audit/audit.h"
#include "audit/prompt.h"

const char *const ag_evaluator_names[] = {
	[AG_EVAL_PROFILE] = "profile",
	[AG_EVAL_RULES] = "rules",
	[AG_EVAL_NONE] = "none",
	[AG_EVAL_SELF] = "self",
	[AG_EVAL_JUDGE] = "judge",
	[AG_EVAL_COMPOSITE] = "composite",
	[AG_EVAL_ESCALATION] = "escalation",
	NULL,
};

typedef struct gates {
	ag_evaluator rules;
	ag_model_evaluator self, judge;
	ag_escalation escalation;
	ag_composite composite[AG_NGATE];
	const ag_evaluator *members[AG_NGATE][3];
} gates;

/* Action, finding, run. */
static const ag_evaluator_kind profiles[][AG_NGATE] = {
	[AG_PROFILE_FAST] = { AG_EVAL_RULES, AG_EVAL_RULES, AG_EVAL_RULES },
	[AG_PROFILE_BALANCED] = { AG_EVAL_RULES, AG_EVAL_COMPOSITE, AG_EVAL_SELF },
	[AG_PROFILE_THOROUGH] = { AG_EVAL_RULES, AG_EVAL_COMPOSITE, AG_EVAL_JUDGE },
};

ag_evaluator_kind ag_audit_evaluator(const ag_audit_opts *o, ag_gate g)
{
	AG_ASSERT((size_t)o->eval_profile < AG_NELEM(profiles));
	return o->evaluators[g] == AG_EVAL_PROFILE ? profiles[o->eval_profile][g]
	                                           : o->evaluators[g];
}

/* Who is not named is the planner's own model. */
static ag_llm *self_llm(const ag_audit_opts *o)
{
	return o->self_llm ? o->self_llm : o->planner_llm;
}

static ag_status check_gate(const ag_audit_opts *o, ag_gate g, ag_err *err)
{
	const ag_evaluator_kind kind = ag_audit_evaluator(o, g);
	const char *gate = ag_gate_name(g);

	if ((unsigned)kind > AG_EVAL_ESCALATION)
		return ag_fail(err, AG_INVALID, "audit.gates",
		               "%s_evaluator: there is no evaluator %d", gate, (int)kind);
	if (kind == AG_EVAL_ESCALATION && g != AG_GATE_OBSERVATION)
		return ag_fail(err, AG_INVALID, "audit.gates",
		               "%s_evaluator escalation: only findings are escalated: set "
		               "finding_evaluator",
		               gate);
	if (kind == AG_EVAL_JUDGE && !o->judge_llm) {
		ag_fail(err, AG_INVALID, "audit.gates",
		        "%s_evaluator judge needs a judge model (judge_llm): set judge_model",
		        gate);
		return ag_err_hint(err,
		                   "--judge-model NAME names one of `argus models`; the profile "
		                   "\"thorough\" asks a judge as well");
	}
	if ((kind == AG_EVAL_SELF || kind == AG_EVAL_COMPOSITE) && !self_llm(o))
		return ag_fail(err, AG_INVALID, "audit.gates",
		               "%s_evaluator %s needs a model: set self_model, or model", gate,
		               ag_evaluator_names[kind]);
	return AG_OK;
}

/* Written so that NaN is refused as well. */
static ag_status check_share(const char *name, const char *suffix, double x, ag_err *err)
{
	if (x >= 0 && x <= 1)
		return AG_OK;
	return ag_fail(err, AG_INVALID, "audit.gates", "%s_%s: want 0 to 1, got %g", name, suffix,
	               x);
}

ag_status ag_audit_opts_check(const ag_audit_opts *o, ag_err *err)
{
	ag_status st = AG_OK;

	for (int g = 0; g < AG_NGATE && !st; g++) {
		st = check_gate(o, (ag_gate)g, err);
		if (!st)
			st = check_share(ag_gate_name((ag_gate)g), "pass_threshold",
			                 o->pass_threshold[g], err);
	}
	if (!st)
		st = check_share("escalation", "low_threshold", o->escalation_low, err);
	if (!st)
		st = check_share("escalation", "high_threshold", o->escalation_high, err);
	if (!st && o->escalation_low > o->escalation_high)
		st = ag_fail(err, AG_INVALID, "audit.gates",
		             "escalation_low_threshold %g is above escalation_high_threshold %g",
		             o->escalation_low, o->escalation_high);
	return st;
}

static void init_model(ag_model_evaluator *e, const char *name, ag_llm *llm, ag_audit *a)
{
	const ag_audit_opts *o = ag_audit_opts_of(a);

	ag_model_evaluator_init(e, name, llm, o->meter);
	e->prompt = ag_prompt_evaluator;
	e->env = a;
	e->last_run = ag_new(ag_audit_state_of(a)->arena, ag_run_verdict);
	e->last_run->arena = ag_audit_state_of(a)->arena;
	for (int g = 0; g < AG_NGATE; g++) {
		e->malformed[g] = o->malformed[g];
		e->pass_threshold[g] = o->pass_threshold[g];
	}
}

static const ag_evaluator *composite(gates *s, const ag_audit_opts *o, ag_gate g)
{
	size_t n = 0;

	s->members[g][n++] = &s->rules;
	s->members[g][n++] = &s->self.base;
	if (g == AG_GATE_RUN && o->judge_llm)
		s->members[g][n++] = &s->judge.base;
	ag_composite_init(&s->composite[g], s->members[g], n);
	return &s->composite[g].base;
}

static const ag_evaluator *evaluator(gates *s, const ag_audit_opts *o, ag_gate g)
{
	switch (ag_audit_evaluator(o, g)) {
	case AG_EVAL_PROFILE: break;
	case AG_EVAL_NONE: return NULL;
	case AG_EVAL_RULES: return &s->rules;
	case AG_EVAL_SELF: return &s->self.base;
	case AG_EVAL_JUDGE: return &s->judge.base;
	case AG_EVAL_COMPOSITE: return composite(s, o, g);
	case AG_EVAL_ESCALATION: return &s->escalation.base;
	}
	return &s->rules;
}

ag_status ag_audit_gates(void *env, const ag_evaluator *ret[AG_NGATE], ag_err *err)
{
	ag_audit *a = env;
	const ag_audit_opts *o = ag_audit_opts_of(a);
	gates *s = ag_new(ag_audit_state_of(a)->arena, gates);
	ag_status st = ag_audit_opts_check(o, err);

	if (st)
		return st;
	s->rules = (ag_evaluator){
		.name = "rules",
		.evaluate = ag_rules_evaluate,
		.rules = ag_audit_rules,
		.nrule = ag_audit_nrule,
	};
	init_model(&s->self, "self", self_llm(o), a);
	init_model(&s->judge, "judge", o->judge_llm, a);
	st = ag_escalation_init(&s->escalation, &s->rules, o->escalation_low, o->escalation_high,
	                        o->escalation_cap, ag_audit_npending, err);
	if (st)
		return st;
	for (int g = 0; g < AG_NGATE; g++)
		ret[g] = evaluator(s, o, (ag_gate)g);
	return AG_OK;
}

/* A candidate that waits already takes no second place. */
unsigned ag_audit_npending(const void *state)
{
	const ag_audit_state *s = state;
	unsigned n = 0;

	for (size_t i = 0; i < s->findings.n; i++) {
		const ag_finding *f = &s->findings.items[i];

		n += ag_str_eqc(f->status, "pending_review") &&
		     !(s->candidate && ag_str_eq(s->candidate->key, f->key));
	}
	return n;
}
