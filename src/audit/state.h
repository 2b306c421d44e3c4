/* state -- what one audit run knows: rebuilt from its events, changed by nothing else.
 *
 * ag_audit_apply() is the only writer. Everything lives in the state's arena. Rules, planners and the report
 * read it. One thread. */
#ifndef AG_AUDIT_STATE_H
#define AG_AUDIT_STATE_H

#include "agent/gate.h"
#include "audit/finding.h"
#include "audit/history.h"
#include "run/event.h"

/* A path of the sampled schema, as coverage sees it. */
typedef struct ag_schema_path {
	ag_str path;
	bool is_data; /* not _id, not a mere container */
	bool investigated, concluded;
} ag_schema_path;

/* A tool call whose output is committed. */
typedef struct ag_call_record {
	ag_str key;    /* ag_audit_call_key(): equal keys = the same call */
	uint64_t hash; /* of key */
	ag_str call_id;
	ag_str tool;
	uint64_t matched; /* run_query: matched_count; aggregate: affected, when the result tells */
	bool has_matched;
} ag_call_record;

typedef struct ag_trace_entry {
	unsigned iteration;
	ag_str call_id, reasoning, action;
	ag_str input;      /* JSON, or "" */
	ag_str input_text; /* what was no JSON object */
	double confidence;
	ag_str note; /* "run gate rejected; continuing" */
	bool executed, ok;
	int64_t latency_ms;
	ag_str summary;
	ag_val result; /* of the tool, MISSING when there is none */
	ag_str error_status, error, hint;
} ag_trace_entry;

typedef struct ag_evaluation {
	ag_str id, gate, target_id, verdict, reason, critique, evaluated_by;
	double score;
	unsigned iteration;
	int64_t at_ms;
} ag_evaluation;

/* What one model was used for, summed over the run. */
typedef struct ag_model_use {
	ag_str purpose, name, model, provider;
	uint64_t calls, input_tokens, output_tokens, cached_tokens, thinking_tokens;
	double usd;
	bool is_priced, is_estimated;
} ag_model_use;

/* All models in one step; iteration 0 = before the first. */
typedef struct ag_step_use {
	unsigned iteration;
	uint64_t input_tokens, output_tokens;
	double usd;
} ag_step_use;

/* A growing array of T in an arena: items move when it grows, pointers to them do not last. */
#define AG_LIST(T)             \
	struct {               \
		T *items;      \
		size_t n, cap; \
	}

/* Thresholds of the rules (settings table in app/settings_table.c; meaning: audit/rules.c). */
typedef struct ag_rule_opts {
	double field_coverage_min;      /* 0.5 */
	unsigned early_termination_min; /* 3 */
	uint64_t clean_collection_docs; /* 1000 */
	double critical_min_share;      /* 0.01 */
	double high_min_share;          /* 0.001 */
	unsigned budget_warning_below;  /* 3 */
	unsigned description_min_chars; /* 10 */
	double evidence_tolerance;      /* 0.01 */
} ag_rule_opts;

extern const ag_rule_opts ag_rule_opts_default;

typedef struct ag_audit_state {
	ag_arena *arena;
	ag_rule_opts rules;
	ag_str source_key;
	unsigned iteration, budget; /* budget 0 = none */
	bool has_schema;
	uint64_t documents_sampled, collection_size;
	AG_LIST(ag_schema_path) schema; /* by path */
	AG_LIST(ag_call_record) calls;  /* executed, in order */
	AG_LIST(ag_trace_entry) trace;
	AG_LIST(ag_evaluation) evaluations;
	AG_LIST(ag_finding) findings;  /* committed, in order of first commit */
	AG_LIST(ag_finding) dismissed; /* in order; the latest per (field, category) */
	ag_str last_observation, last_critique;
	uint64_t input_tokens, output_tokens, model_calls;
	double usd;
	uint64_t doubted_tokens; /* for budgets only: llm/meter.h */
	double doubted_usd;
	struct {
		bool is_counted;
		double request_units;
		uint64_t throttled, waited_ms;
	} data_cost;                    /* of what the run read, of the sittings that ended */
	AG_LIST(ag_model_use) uses;     /* in order of first use */
	AG_LIST(ag_step_use) step_uses; /* ascending */
	bool has_history;
	ag_history history;
	unsigned sittings; /* 1, and one more for each time that the run was resumed */
	int64_t started_ms, finished_ms;
	int64_t sitting_ms, worked_ms; /* begin of this sitting; length of those before it */
	int64_t last_ms;               /* of the latest event of a sitting */
	ag_str pricing_version;        /* of this sitting's price table */
	ag_str status, status_why;     /* "" while running */
	ag_val distributions; /* the array of ag_distributions_of(), of the end of the run; MISSING before */
	bool has_run_verdict;
	ag_evaluation run_verdict;
	/* Out of the output of write_finding, for the gate that follows; NULL once it is settled. */
	const ag_finding *candidate;
} ag_audit_state;

void ag_audit_state_init(ag_audit_state *s, ag_arena *arena, const ag_rule_opts *rules,
                         ag_str source_key, uint64_t collection_size, unsigned budget);
/* The agent's apply function; state is an ag_audit_state. */
ag_status ag_audit_apply(void *state, const ag_event *ev, ag_err *err);

/* The canonical form of a call: tool and what makes it the same call again (filters by canonical form, limits left
 * out, lists sorted). "" when the input is unusable. */
ag_str ag_audit_call_key(ag_str tool, const ag_val *input, ag_arena *arena);
/* An executed call with that key, or NULL. */
const ag_call_record *ag_audit_call_find(const ag_audit_state *s, ag_str key);
/* Committed or dismissed finding of (canonical field, category), or NULL. */
const ag_finding *ag_audit_finding_find(const ag_audit_state *s, ag_str field, ag_str category);
/* Is a claimed count or share off by more than evidence_tolerance of what the data says? */
bool ag_audit_claim_is_off(const ag_audit_state *s, const ag_finding *f);
/* Data paths of the schema, and how many of them were investigated or concluded. */
void ag_audit_coverage(const ag_audit_state *s, size_t *ret_covered, size_t *ret_paths);
/* Findings of this run that wait for a person. state is an ag_audit_state. */
unsigned ag_audit_npending(const void *state);
/* Iterations left, UINT_MAX when there is no budget. */
unsigned ag_audit_remaining(const ag_audit_state *s);

extern const ag_rule ag_audit_rules[];
extern const size_t ag_audit_nrule;

#endif
