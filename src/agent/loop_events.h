/* loop_events -- what the files of the loop share: its state, how it writes events, what is left of a step. Internal to
 * agent/. */
#ifndef AG_AGENT_LOOP_EVENTS_H
#define AG_AGENT_LOOP_EVENTS_H

#include "agent/loop.h"

/* Events of one half of a step are committed together: proposal, verdict and intent before a tool runs, its output
 * with what follows after. One sync to disk each instead of one per event. As many as the meter may hold charges, and
 * what else a half step can bring. */
#define AG_LOOP_PENDING_MAX (AG_METER_MAX_PENDING + 16)

/* What the log holds of a call that was under way; all zero for one that begins now. The same code takes a live call and a
 * resumed one through loop_calls.c, so they cannot differ. */
typedef struct ag_loop_done {
	bool has_proposal;
	ag_proposal proposal;
	uint64_t seq; /* of the proposal */
	unsigned iteration;
	ag_id call_id;
	const ag_verdict *verdict[AG_NGATE]; /* NULL = not judged yet */
	unsigned ncritique;                  /* of the action gate, before the tool ran */
	bool has_intent, has_output, has_finding;
	const ag_observation *obs; /* of an output; NULL = the tool failed: message, hint */
	ag_str message, hint;
	bool told_failure, told_finding, told_run; /* the critique that follows is in the log */
} ag_loop_done;

typedef struct ag_loop {
	const ag_ctx *ctx; /* own_ctx: the caller's, which a cancel of this run ends as well */
	ag_ctx own_ctx;
	ag_live_run live;
	ag_run_opts *opts;
	ag_arena *arena; /* the run's */
	ag_arena *step;  /* reset after each step */
	ag_run_result *ret;
	uint64_t seq;           /* of the last event */
	uint64_t cause;         /* seq of the proposal under way */
	ag_id call_id;          /* of the proposal under way */
	unsigned iteration;     /* of the proposal under way */
	unsigned nintent;       /* queued, not committed */
	bool has_effect;        /* one of them is of a tool that does more than read */
	ag_str owner;           /* of the lease */
	unsigned judged_calls;  /* tool calls when the run gate was last asked */
	bool is_spent;          /* a gate's model was refused by the meter: the step stands still */
	ag_verdict end_verdict; /* of the run gate on a run that is out of budget … */
	uint64_t end_seq;       /* … which holds while this is the last event; 0 = none */
	int64_t mono_start_ms, lease_until_ms;
	/* On the heap: a thread that waits for a model shall not hold them on its stack. */
	ag_event *pending;        /* at most AG_LOOP_PENDING_MAX; payloads in step */
	size_t npending, cap;     /* cap: of pending */
	ag_finding_row *findings; /* derived from them; NULL = there were none so far */
	size_t nfinding;
	ag_buf text;         /* of a reply, said but not committed */
	int64_t text_due_ms; /* monotonic: when it is to be */
	int64_t on_disk_ms;  /* monotonic: the last commit that waited for the disk */
	bool is_new;         /* nothing is committed yet; the first batch takes the lease */
	bool owes_disk; /* an event of a durable type was committed, but perhaps is not on disk yet */
} ag_loop;

/* The loop must stay where it is until it is closed. */
void ag_loop_open(ag_loop *l, const ag_ctx *ctx, ag_run_opts *opts, ag_arena *arena,
                  ag_run_result *ret);
void ag_loop_close(ag_loop *l);
/* Commit run_started with the run's row and its lease. */
AG_CHECK ag_status ag_loop_begin(ag_loop *l, ag_err *err);
/* Take the lease of a run that stood still, commit run_resumed and what opens the sitting. */
AG_CHECK ag_status ag_loop_begin_again(ag_loop *l, ag_str resumed, ag_err *err);
/* From there to the end of the run, with the finish committed. done: the calls that were under way, in their order. */
void ag_loop_go_on(ag_loop *l, const ag_loop_done *done, size_t ndone);
/* ag_planner.say of the loop; arg: the ag_loop. A failure to commit is met again by the next flush. */
void ag_loop_say(void *arg, ag_str text, bool is_void, bool more);
/* Give the lease back, unless the end of the run did: the next sitting need not wait. */
void ag_loop_release(ag_loop *l);
/* Renew the lease when half of it is gone. */
AG_CHECK ag_status ag_loop_lease(ag_loop *l, int64_t ttl_ms, ag_err *err);
/* Queue one event for the next flush and apply it to the state. payload: one JSON object, copied. */
AG_CHECK ag_status ag_loop_emit(ag_loop *l, ag_event_type type, ag_str payload, ag_err *err);
AG_CHECK ag_status ag_loop_emit_proposal(ag_loop *l, const ag_proposal *p, const ag_val *input,
                                         ag_err *err);
AG_CHECK ag_status ag_loop_emit_verdict(ag_loop *l, ag_gate gate, ag_str target_id,
                                        const ag_verdict *v, ag_err *err);
AG_CHECK ag_status ag_loop_emit_critique(ag_loop *l, ag_gate gate, ag_str text, ag_err *err);
AG_CHECK ag_status ag_loop_emit_input(ag_loop *l, const ag_tool *t, const ag_val *input,
                                      ag_err *err);
/* What the models have cost since the last time. */
AG_CHECK ag_status ag_loop_emit_usage(ag_loop *l, ag_err *err);
/* Exactly one of obs and why is set. */
AG_CHECK ag_status ag_loop_emit_output(ag_loop *l, const ag_tool *t, const ag_observation *obs,
                                       const ag_err *why, int64_t latency_ms, ag_err *err);
/* Commit what is queued, then call the watcher. Nothing has an effect outside before this. A crash of the process does not
 * lose it; the second one also waits for the disk when an event of a durable type is queued or was committed before. */
AG_CHECK ag_status ag_loop_flush(ag_loop *l, ag_err *err);
AG_CHECK ag_status ag_loop_flush_to_disk(ag_loop *l, ag_err *err);
/* Apply run_finished, then commit it with the run's row and what the agent derives (the report). */
AG_CHECK ag_status ag_loop_finish(ag_loop *l, ag_err *err);

/* --- loop_calls.c --- */

/* A live proposal, with the further calls of its reply that may run beside it; and the calls that a resume found. */
AG_CHECK ag_status ag_loop_act(ag_loop *l, const ag_proposal *p, ag_err *err);
AG_CHECK ag_status ag_loop_act_again(ag_loop *l, const ag_loop_done *done, size_t n, ag_err *err);

/* --- loop.c, for loop_calls.c --- */

bool ag_loop_is_over(const ag_loop *l);
bool ag_loop_is_stopped(const ag_loop *l); /* over, or a gate's model was refused by the meter */
/* An error that ends the run: cancelled by the user, or failed. */
void ag_loop_fail(ag_loop *l, const ag_err *err);
/* A model or a server that is needed does not answer: the run is partial. What was found is kept, and a resume goes on. */
void ag_loop_stop_asking(ag_loop *l, const char *who, const ag_err *why);
bool ag_loop_budget_left(const ag_loop *l, ag_str *why);
AG_CHECK ag_status ag_loop_log_proposal(ag_loop *l, const ag_proposal *p, const ag_val *input,
                                        ag_err *err);
/* Judge a subject, log the verdict. No gate = PASS without a record. known: the log holds the verdict. Without an error
 * the run may be stopped (is_stopped); *ret is a verdict only when it is not. */
AG_CHECK ag_status ag_loop_judge(ag_loop *l, ag_subject *s, ag_str target_id,
                                 const ag_verdict *known, ag_verdict *ret, ag_err *err);
ag_str ag_loop_critique_of(const ag_verdict *v);
AG_CHECK ag_status ag_loop_critique(ag_loop *l, ag_gate gate, ag_str text, bool is_told,
                                    ag_err *err);
/* ag_subject.stamp of the run gate, after so many tool calls. */
static inline uint64_t ag_loop_run_stamp(unsigned calls)
{
	return 1 + (uint64_t)calls;
}
/* The planner asks for the end. */
AG_CHECK ag_status ag_loop_conclude(ag_loop *l, const ag_proposal *p, const ag_loop_done *done,
                                    ag_err *err);

#define AG_LOOP_LEASE_MS (60 * 1000)
#define AG_LOOP_TEXT_MS  20 /* pieces of text within it are one event */

#endif
