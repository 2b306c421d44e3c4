/* gate -- the rules evaluator: run every rule of one gate, keep the worst.
 *
 * The evaluator knows no rule by name; an agent brings its table. `evaluated_by` is written here and never
 * taken from outside. */
#include "agent/gate.h"

const char *ag_gate_name(ag_gate g)
{
	static const char *const name[AG_NGATE] = { "action", "finding", "run" };

	return g < AG_NGATE ? name[g] : "?";
}

const char *ag_verdict_name(ag_verdict_kind v)
{
	static const char *const name[] = { "pass", "warn", "fail" };

	return (unsigned)v < AG_NELEM(name) ? name[v] : "?";
}

const char *ag_disposition_name(ag_disposition d)
{
	static const char *const name[] = { "by verdict", "review", "reject", "drop" };

	return (unsigned)d < AG_NELEM(name) ? name[d] : "?";
}

ag_status ag_rules_evaluate(const ag_evaluator *self, const ag_ctx *ctx, const ag_subject *s,
                            ag_arena *arena, ag_verdict *ret, ag_err *err)
{
	ag_verdict v = { .kind = AG_PASS, .score = 1.0, .evaluated_by = AG_S("rules") };
	ag_buf reason = AG_BUF_INIT(64 * 1024), critique = AG_BUF_INIT(64 * 1024);

	(void)ctx;
	(void)err;
	for (size_t i = 0; i < self->nrule; i++) {
		const ag_rule *rule = &self->rules[i];
		ag_rule_hit hit = { .kind = AG_FAIL };

		if (rule->gate != s->gate || !rule->check(s, arena, &hit))
			continue;
		if (hit.kind > v.kind)
			v.kind = hit.kind;
		if (reason.len)
			ag_buf_adds(&reason, "; ");
		ag_buf_addf(&reason, "%s: %.*s", rule->name, AG_FMT(hit.reason));
		if (!hit.critique.len)
			continue;
		if (critique.len)
			ag_buf_adds(&critique, " | ");
		ag_buf_add(&critique, hit.critique);
	}
	if (v.kind != AG_PASS)
		v.score = v.kind == AG_FAIL ? 0.0 : 0.5;
	v.reason = reason.len ? ag_buf_dup(arena, &reason) : AG_S("all rules are satisfied");
	v.critique = ag_buf_dup(arena, &critique);
	ag_buf_release(&reason);
	ag_buf_release(&critique);
	*ret = v;
	return AG_OK;
}
