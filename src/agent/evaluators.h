/* evaluators -- judges beside the rules: several in order, by confidence, and a model (self, judge).
 *
 * They stand behind ag_evaluator (gate.h), so the loop does not know which one it asks. Structs are plain data, filled
 * by the init functions, and must outlive the run. */
#ifndef AG_AGENT_EVALUATORS_H
#define AG_AGENT_EVALUATORS_H

#include "agent/gate.h"
#include "llm/llm.h"

/* In order, stopping behind the first FAIL. Verdict: the worst; score: the lowest; reason: every "[who] reason" joined by
 * " | "; critiques joined by " | "; evaluated_by "composite". */
typedef struct ag_composite {
	ag_evaluator base;
	const ag_evaluator *const *members;
	size_t nmember;
} ag_composite;

void ag_composite_init(ag_composite *c, const ag_evaluator *const *members, size_t nmember);

/* First `inner`; its FAIL is final. Then the proposal's confidence c: none (NaN) or c >= high: inner's verdict; c < low:
 * FAIL by "escalation:dropped" (AG_DISPOSE_DROP); between: PASS by "escalation:pending" (AG_DISPOSE_REVIEW), or
 * dropped when `cap` candidates of this run wait already. */
typedef struct ag_escalation {
	ag_evaluator base;
	const ag_evaluator *inner;
	double low, high;
	unsigned cap;
	unsigned (*npending)(const void *state);
} ag_escalation;

/* errors  AG_INVALID: low > high, or out of 0..1 */
AG_CHECK ag_status ag_escalation_init(ag_escalation *e, const ag_evaluator *inner, double low,
                                      double high, unsigned cap,
                                      unsigned (*npending)(const void *state), ag_err *err);

/* What an evaluator's answer counts as that could not be read, also the second time. */
typedef enum ag_malformed { AG_MALFORMED_FAIL, AG_MALFORMED_WARN, AG_MALFORMED_PASS } ag_malformed;

/* The newest verdict on a run. A planner that concludes again in the same state gets this verdict again, without
 * another call to the model; on a resume it is read from the log. A composite's verdict does not say what each member
 * said, so its members are asked again then. */
typedef struct ag_run_verdict {
	ag_arena *arena; /* of its texts; as long as the run */
	uint64_t stamp;  /* of the subject; 0 = no verdict yet */
	ag_verdict verdict;
} ag_run_verdict;

typedef struct ag_model_evaluator ag_model_evaluator;
struct ag_model_evaluator {
	ag_evaluator base; /* name "self" or "judge"; evaluated_by is "<name>:<model>" */
	ag_llm *llm;
	ag_llm_meter *meter;
	/* The two prompts for this subject, in arena; written by the agent. */
	ag_status (*prompt)(void *env, const char *role, const ag_subject *s, ag_arena *arena,
	                    ag_str *ret_system, ag_str *ret_user, ag_err *err);
	void *env;
	ag_malformed malformed[AG_NGATE];
	ag_run_verdict *last_run;        /* NULL = ask each time */
	double pass_threshold[AG_NGATE]; /* a PASS with a lower score counts as FAIL, and says so */
};

void ag_model_evaluator_init(ag_model_evaluator *e, const char *name, ag_llm *llm,
                             ag_llm_meter *meter);

/* The JSON schema that an evaluator's answer has: {verdict, score, reason, critique}. */
void ag_verdict_schema(ag_buf *out);
/* An evaluator's answer. evaluated_by in it is ignored; other unknown members are errors.
 * errors  AG_PROTOCOL names the member: "score: want 0 to 1, got 7" */
AG_CHECK ag_status ag_verdict_parse(ag_str text, ag_arena *arena, ag_verdict *ret, ag_err *err);

#endif
