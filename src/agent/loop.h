/* loop -- one loop for every agent: propose, action gate, tool, observation gate, state; run gate at the end.
 *
 * The loop knows no agent by name. Everything that happens is an event; events are committed to the store as
 * they happen (an intent before the tool runs) and the agent's state changes only by applying events, so a
 * state can be rebuilt from the log. One run is one thread, beside the calls of one reply that only read (ag_agent.parallel);
 * nothing is global.
 *
 * How a run ends            status      exit of the command
 *   conclude accepted       ok          0
 *   budget used up          partial     0   (the run gate judges once more)
 *   run gate FAIL and no budget left to go on
 *                           partial     0
 *   a model cannot be reached, or answers nonsense
 *                           partial     1   (result.err says why; `argus resume` goes on)
 *   run gate FAIL, abort    failed      1
 *   source gone, store cannot commit, deadline passed
 *                           failed      1   (what was found is kept)
 *   cancelled (Ctrl-C)      cancelled 130   (what was found is kept)                                      */
#ifndef AG_AGENT_LOOP_H
#define AG_AGENT_LOOP_H

#include "agent/gate.h"
#include "llm/meter.h"
#include "run/event.h"
#include "run/live.h"
#include "store/store.h"

typedef struct ag_run ag_run;
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
	/* A further call of the reply that the last proposal came from; false: there is none. It becomes a proposal when the
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
};

/* 0 = no limit. */
typedef struct ag_budget {
	unsigned iterations;
	unsigned calls; /* tool calls executed */
	double seconds; /* of this sitting: no step begins and no model is waited for beyond it; ctx->deadline_ms is
	                 * the hard limit that fails a run. Tokens and money are in the meter. */
	int64_t since_ms; /* monotonic time from which the seconds count; 0 = when the loop begins */
} ag_budget;

#define AG_RUN_MAX_SETS     16u
#define AG_RUN_MAX_PARALLEL 16u

/* An event that stands right behind run_started. */
typedef struct ag_opening {
	ag_event_type type;
	ag_str payload;
} ag_opening;

typedef enum ag_fail_policy {
	AG_RUN_FAIL_CONTINUE,
	AG_RUN_FAIL_WARN_ONLY,
	AG_RUN_FAIL_ABORT
} ag_fail_policy;

typedef struct ag_agent {
	const char *name;
	const ag_tool_set *tools; /* its own; their environment is that of the run */
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
} ag_agent;

typedef struct ag_run_opts {
	const ag_agent *agent;
	void *env;               /* what the agent's own tools work on */
	const ag_tool_set *more; /* further tables: of other rooms, of other servers */
	size_t nmore;
	/* Who calls, for governed tools: who, hub, project, session and client are taken from here. Zero where no tool is
	 * governed. */
	ag_call from;
	void *state; /* what apply changes and gates read */
	ag_planner *planner;
	const ag_evaluator *gates[AG_NGATE]; /* NULL = no gate */
	ag_budget budget;
	ag_llm_meter
		*meter; /* of the planner and the evaluators, for a resume primed with what earlier
	                      * sittings used; NULL = there is no model */
	const ag_opening *opening;
	size_t nopening;
	ag_fail_policy fail_policy;
	ag_store *store;
	ag_str started; /* payload of run_started, JSON object */
	ag_run_row row; /* id, source, … for the list of runs; the loop fills status and times */
	ag_live *
		live; /* where the run can be found while it is under way, to be cancelled by its id; NULL */
	/* Called for each event once it is committed, on the run's thread; NULL = nobody watches. */
	void (*on_event)(void *arg, const ag_event *ev);
	void *on_event_arg;
} ag_run_opts;

/* The tool of that name, and what it works on; NULL: there is none. */
const ag_tool *ag_run_tool(const ag_run_opts *o, ag_str name, void **ret_env);

typedef struct ag_run_result {
	ag_str status;      /* ok, partial, failed, cancelled */
	ag_str why;         /* one sentence */
	ag_verdict verdict; /* of the run gate; reason "" when there is no run gate */
	bool has_verdict;
	unsigned iterations, calls;
	ag_err err; /* why it failed, or which model failed; status AG_OK otherwise */
} ag_run_result;

/* Runs to its end. Returns AG_OK also for a failed run (see ret->status); an error only when not even the
 * first event could be committed. Texts live in arena. opts->row is kept up to date. */
AG_CHECK ag_status ag_loop_run(const ag_ctx *ctx, ag_run_opts *opts, ag_arena *arena,
                               ag_run_result *ret, ag_err *err);

/* Go on with a run from its log. The caller has rebuilt `state` by applying `events` (all of the log), opened the same
 * source, and filled opts->row from the store. What the log holds is not done again: a proposal without verdict is
 * judged, an accepted one without intent is run, a lone intent of a reading tool is run again under its call id (of
 * any other it is logged as "interrupted, outcome unknown"), an output without verdict is judged. Iterations, calls,
 * tokens and money count over all sittings.
 *
 * resumed  payload of run_resumed, JSON object
 * errors   AG_CONFLICT: another process writes this run; AG_INVALID: the run is complete (status ok) */
AG_CHECK ag_status ag_loop_resume(const ag_ctx *ctx, ag_run_opts *opts, const ag_event *events,
                                  size_t nevent, ag_str resumed, ag_arena *arena,
                                  ag_run_result *ret, ag_err *err);

#endif
