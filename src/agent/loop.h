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

#include "agent/agent.h"
#include "llm/meter.h"
#include "run/event.h"
#include "run/live.h"

#define AG_RUN_MAX_SETS 16u

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
	/* A lease of the caller's (owner "" = none) that is given back in the transaction that ends the run: who reads that it is
	 * over may begin the next one. */
	ag_store_leased held;
	ag_live *
		live; /* where the run can be found while it is under way, to be cancelled by its id; NULL */
	/* Called for each event once it is committed, on the run's thread; NULL = nobody watches. */
	void (*on_event)(void *arg, const ag_event *ev);
	/* Called after the events of one commit, with the same argument; NULL = not needed. */
	void (*on_commit)(void *arg);
	void *on_event_arg;
} ag_run_opts;

/* Returns the tool of that name and sets *ret_env to its table's environment. NULL when no table has such a tool. */
const ag_tool *ag_run_tool(const ag_run_opts *o, ag_str name, void **ret_env);

typedef struct ag_run_result {
	ag_str status;      /* ok, partial, failed, cancelled */
	ag_str why;         /* one sentence */
	ag_verdict verdict; /* of the run gate; reason "" when there is no run gate */
	bool has_verdict;
	bool has_given; /* opts->held, with the end of the run */
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
