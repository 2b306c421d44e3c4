/* gate -- verdicts: PASS, WARN or FAIL on an action, an observation or a result.
 *
 * A gate is a list of evaluators; each sees the same subject. The rules evaluator runs every rule of the
 * agent's table; a rule says nothing when it is satisfied. Model-based evaluators (self, judge, composite,
 * escalation) are further rows behind the same interface.
 *
 * Aggregation of rules: none fired = PASS, score 1; else the worst verdict, the lowest score (FAIL 0, WARN
 * 0.5), reasons "rule: reason" joined by "; ", critiques joined by " | ". */
#ifndef AG_AGENT_GATE_H
#define AG_AGENT_GATE_H

#include "agent/tool.h"

typedef enum ag_gate { AG_GATE_ACTION, AG_GATE_OBSERVATION, AG_GATE_RUN, AG_NGATE } ag_gate;
typedef enum ag_verdict_kind { AG_PASS, AG_WARN, AG_FAIL } ag_verdict_kind;

/* What becomes of a candidate beside the verdict's kind; set by Argus' own evaluators, never by a model's words. */
typedef enum ag_disposition {
	AG_DISPOSE_BY_VERDICT,
	AG_DISPOSE_REVIEW, /* keep it, but a person has to look at it: pending_review */
	AG_DISPOSE_REJECT, /* nobody could judge it: dismissed, also where a policy would keep it one severity lower */
	AG_DISPOSE_DROP /* keep it nowhere but in the log, whatever the policy says */
} ag_disposition;

typedef struct ag_verdict {
	ag_verdict_kind kind;
	double score;        /* 0..1 */
	ag_str reason;       /* never empty */
	ag_str critique;     /* what to do instead; "" = none */
	ag_str evaluated_by; /* "rules", "self:<model>"; written by Argus, whatever a model says */
	ag_disposition disposition;
} ag_verdict;

/* One call that a planner wants, or (action "") a final text. */
typedef struct ag_proposal {
	ag_str reasoning;
	ag_str action;     /* tool name */
	ag_str input;      /* JSON text, as the planner wrote it; "" = {} */
	double confidence; /* 0..1 */
	ag_str text;       /* final text; "" = none */
	/* A conversation with native tool calls (planner_chat.h): the model's whole reply as JSON, with the first of its
	 * calls; the others of the same reply follow as proposals of their own. "" = none. */
	ag_str turn;
	bool is_final;      /* no call: text is the result, the run gate judges it */
	ag_str partial_why; /* of a final one: why it is not whole; "" = it is */
} ag_proposal;

/* What a gate judges. Pointers that do not apply to the gate are NULL. */
typedef struct ag_subject {
	ag_gate gate;
	unsigned iteration;
	const ag_proposal
		*proposal;   /* action gate; observation gate: the one that led to the candidate */
	const ag_tool *tool; /* NULL: no such tool */
	const ag_val *input; /* parsed input; NULL when it is no JSON object */
	const ag_err *input_err; /* why it is not */
	const ag_observation *observation;
	const void *state; /* the agent's state, read only */
	/* Run gate: equal stamps mean that no tool ran between two judgements, so that the result is the same. 0 = unknown */
	uint64_t stamp;
} ag_subject;

typedef struct ag_rule_hit {
	ag_verdict_kind kind; /* AG_WARN or AG_FAIL */
	ag_str reason, critique;
} ag_rule_hit;

typedef struct ag_rule {
	const char *name;
	ag_gate gate;
	const char *why; /* one line, for docs */
	/* True when the rule fires; then *ret is filled, text in arena. */
	bool (*check)(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret);
} ag_rule;

typedef struct ag_evaluator ag_evaluator;
struct ag_evaluator {
	const char *name;
	ag_status (*evaluate)(const ag_evaluator *self, const ag_ctx *ctx, const ag_subject *s,
	                      ag_arena *arena, ag_verdict *ret, ag_err *err);
	/* Run gate, on a resume: the newest verdict of the log, and its stamp, so that the same question is not paid for again.
	 * NULL = nothing is remembered. */
	void (*recall)(const ag_evaluator *self, uint64_t stamp, const ag_verdict *v);
	bool asks_model; /* what happened so far is committed before it is asked: money is spent */
	const ag_rule *rules; /* the rules evaluator's table */
	size_t nrule;
};

/* The rules evaluator's function. */
ag_status ag_rules_evaluate(const ag_evaluator *self, const ag_ctx *ctx, const ag_subject *s,
                            ag_arena *arena, ag_verdict *ret, ag_err *err);

const char *ag_gate_name(ag_gate g);               /* "action", "finding", "run" */
const char *ag_verdict_name(ag_verdict_kind v);    /* "pass", "warn", "fail" */
const char *ag_disposition_name(ag_disposition d); /* "by verdict", "review", "reject", "drop" */

#endif
