/* agent -- an agent as one row: what its model reads, what it can do, who plans, who judges, how far it may go, what it leaves.
 *
 * The loop knows agents by their rows alone. To add one: the row, its tools, its state with apply(), its planner if none of
 * those that are there fits, and its line in app/agents.c; see CONTRIBUTING.md. */
#ifndef AG_AGENT_AGENT_H
#define AG_AGENT_AGENT_H

#include "agent/gate.h"
#include "agent/setting.h"
#include "run/event.h"
#include "store/store.h"

/* --- planners --- */

typedef struct ag_planner ag_planner;

typedef struct ag_planner_type {
	const char *name; /* "builtin", "llm" */
	/* The next proposal; its texts live in arena, which is reset after the step. An error ends the run as
	 * failed (AG_CANCELLED: as cancelled). */
	ag_status (*propose)(ag_planner *self, const ag_ctx *ctx, ag_arena *arena, ag_proposal *ret,
	                     ag_err *err);
	/* A budget is used up (why): what there is to say now, as a final proposal. NULL = nothing; an error leaves the run
	 * without a last word. */
	ag_status (*wrap_up)(ag_planner *self, const ag_ctx *ctx, ag_arena *arena, ag_str why,
	                     ag_proposal *ret, ag_err *err);
	/* Returns the next call of the reply that gave the last proposal; false when the reply has no more. It becomes a proposal when the
	 * loop logs it, not by being asked for. NULL = a reply holds one call. */
	bool (*more)(ag_planner *self, ag_proposal *ret);
	void (*close)(ag_planner *self);
	unsigned default_iterations; /* when the budget names none; 0 = no limit */
	/* It asks a model: its failure leaves a partial run that can be resumed, and what it cost is committed before
	 * its proposal is acted on. */
	bool asks_model;
} ag_planner_type;

struct ag_planner {
	const ag_planner_type *type; /* first member of each implementation */
	/* Steps so far that the budget of iterations does not count; UINT_MAX: none counts yet. A planner that changes its type in
	 * propose() has proposed nothing: it is asked again, within the budget, as what it is now. */
	unsigned uncounted;
	/* Set by the loop where the agent keeps text: called with the pieces of a reply as they come, on the run's thread.
	 * is_void: what was said of this reply is void. more: the next piece, or the end of the reply, is there already. NULL = nobody
	 * listens. */
	void (*say)(void *arg, ag_str text, bool is_void, bool more);
	void *say_arg;
};

/* 0 = no limit. */
typedef struct ag_budget {
	unsigned iterations;
	unsigned calls; /* tool calls executed */
	double seconds; /* of this sitting: no step begins and no model is waited for beyond it; ctx->deadline_ms is
	                 * the hard limit that fails a run. Tokens and money are in the meter. */
	int64_t since_ms; /* monotonic time from which the seconds count; 0 = when the loop begins */
} ag_budget;

/* A planner of an agent. */
typedef struct ag_planner_kind {
	const char *name;                          /* as settings and run_started name it */
	ag_planner *(*make)(void *env, void *arg); /* env: the run's; lives as long as the run */
} ag_planner_kind;

/* --- the row --- */

/* What a model reads at each step. A planner that talks uses system and last_words; its conversation is the rest. */
typedef struct ag_prompt {
	ag_str system;
	ag_str prefix,
		trailer; /* the user prompt is both: the same from step to step, and what changes */
	ag_str last_words; /* what the user says when the model must answer now */
} ag_prompt;

/* What an agent does when a budget is used up. In each case the run gate judges what there is, and the run is partial. */
typedef enum ag_at_limit {
	AG_AT_LIMIT_JUDGE, /* nothing more */
	AG_AT_LIMIT_ANSWER /* the planner is asked for its last words first */
} ag_at_limit;

/* What a run leaves in the store. */
typedef enum ag_result_form {
	AG_RESULT_REPORT, /* findings with their evidence: docs/reference/report.md */
	AG_RESULT_ANSWER, /* words with their calls and proofs: ask/answer.h */
	AG_RESULT_TURN    /* a turn of a conversation, with its queries: analyst/answer.h */
} ag_result_form;

#define AG_RUN_MAX_PARALLEL 16u

typedef struct ag_agent {
	const char *name;
	/* What users can choose: fields of its own options. Ends with a row without a key; NULL = nothing. */
	const ag_setting *settings;
	const ag_tool_set *tools; /* its own; their environment is that of the run */
	/* What the model reads now; texts in arena. Called by its planners. */
	ag_status (*prompt)(void *env, ag_arena *arena, ag_prompt *ret, ag_err *err);
	const ag_planner_kind *planners; /* the first is the default */
	size_t nplanner;
	/* Who judges in this run; members of ret that stay NULL = no gate. NULL = there are no gates. */
	ag_status (*gates)(void *env, const ag_evaluator *ret[AG_NGATE], ag_err *err);
	ag_budget budget; /* of a run that names none */
	ag_at_limit at_limit;
	ag_result_form result;
	/* So many calls of one reply that only read run at the same time, at most AG_RUN_MAX_PARALLEL; 0, 1 = one after another.
	 * All tools of the run that only read must then be thread safe. */
	unsigned parallel;
	/* The only way state changes. Also used to rebuild a state from a log. */
	ag_status (*apply)(void *state, const ag_event *ev, ag_err *err);
	/* After the observation gate: write the payload of the finding event (JSON). NULL for agents whose candidates
	 * leave nothing but the verdict and its critique. */
	ag_status (*settle)(void *env, ag_arena *arena, const ag_observation *obs,
	                    const ag_verdict *v, ag_str *ret_payload, ag_err *err);
	/* Add what follows from an event to its batch: finding rows, on run_finished (applied already) the report
	 * and the counts of the run's row. NULL = nothing is derived. */
	ag_status (*derive)(void *env, ag_arena *arena, const ag_event *ev, ag_run_row *row,
	                    ag_store_batch *batch, ag_err *err);
	/* What the agent adds to run_finished, as its member "appendix": one JSON value about the data, which the log cannot give.
	 * "" = nothing. NULL = always nothing. */
	ag_str (*appendix)(void *env, const ag_ctx *ctx, ag_arena *arena);
	/* What the data that the run reads has cost so far, as one JSON value: the member "data_cost" of run_finished. "" =
	 * nothing is counted. *ret_why says that its budget is used up, "" = it is not. NULL = data costs nothing. */
	ag_str (*data_cost)(void *env, ag_arena *arena, ag_str *ret_why);
	/* Pieces of a reply are events, so that what a user has seen of it survives a crash. They are joined: at most one
	 * in 20 ms. The proposal that follows has the whole text. */
	bool keeps_text;
	/* A run that is interrupted is started again and never resumed: nothing of it waits for the disk. */
	bool never_resumed;
	/* Nobody waits for its runs by ag_store_wait(): they tell nothing when they begin and end. */
	bool is_quiet;
} ag_agent;

/* The planner of that name; NULL = the agent has none such. */
const ag_planner_kind *ag_agent_planner(const ag_agent *a, ag_str name);
/* A budget whose members are `wanted`, and the row's where that leaves them 0. */
ag_budget ag_agent_budget(const ag_agent *a, const ag_budget *wanted);

#endif
