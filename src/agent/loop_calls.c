/* loop_calls -- the calls of one step: from a proposal to what it gave.
 *
 * A step is one proposal and, where the agent lets calls run beside each other, the further calls of the same reply that only
 * read. Three passes, each in the order of the calls:
 *
 *   admit    log the proposal, judge it, check its input, queue its intent
 *   run      commit all intents in one batch, then run the calls: on threads when there are several
 *   finish   log the output, judge a candidate, let the planner read a failure
 *
 * A running call touches nothing of the loop: it has an arena and an ag_call of its own. A resume goes through the same code:
 * what the log holds of a call (ag_loop_done) is not done again. */
#include <pthread.h>

#include "agent/loop_events.h"
#include "query/extjson.h"

#define ORIGIN          "agent.loop"
#define INPUT_MAX_BYTES (1024 * 1024)

typedef struct job {
	ag_proposal proposal;
	const ag_loop_done *done;
	const ag_tool *tool;
	void *env;
	ag_val input;
	uint64_t cause; /* seq of the proposal */
	ag_id call_id;
	unsigned iteration;
	bool is_admitted; /* it is run, or the log has its output */
	bool must_run;
	/* of the run: */
	const ag_loop *loop;
	ag_arena *arena;
	ag_tool_output out;
	ag_status st;
	ag_err why;
	int64_t began_ms, latency_ms;
	pthread_t thread;
	bool has_thread;
} job;

/* The events that follow are about this call. */
static void enter(ag_loop *l, const job *j)
{
	l->cause = j->cause;
	l->call_id = j->call_id;
	l->iteration = j->iteration;
}

/* --- admit --- */

/* Parse the input exactly as the planner wrote it: numbers and key order must reach the reader untouched. */
static bool parse_input(ag_loop *l, const ag_proposal *p, ag_val *ret, ag_err *why)
{
	const ag_extjson_opts opts = { .typed = true, .query = true, .reject_duplicates = true };
	const ag_str text = ag_str_trim(p->input);

	if (!text.len) {
		*ret = ag_val_object(NULL, 0);
		return true;
	}
	if (text.len > INPUT_MAX_BYTES) {
		ag_fail(why, AG_LIMIT, ORIGIN, "action_input has %zu bytes, at most %d are read",
		        text.len, INPUT_MAX_BYTES);
		return false;
	}
	if (ag_extjson_parse(text, &opts, l->step, ret, NULL, NULL, why))
		return false;
	if (ret->type == AG_T_OBJECT)
		return true;
	ag_fail(why, AG_INVALID, ORIGIN, "action_input: want an object, got %s",
	        ag_type_alias(ret->type));
	return false;
}

const ag_tool *ag_run_tool(const ag_run_opts *o, ag_str name, void **ret_env)
{
	const ag_tool_set *own = o->agent->tools;
	const ag_tool *t = ag_tool_find(own->tools, own->ntool, name);

	*ret_env = o->env;
	for (size_t i = 0; i < o->nmore && !t; i++) {
		t = ag_tool_find(o->more[i].tools, o->more[i].ntool, name);
		*ret_env = o->more[i].env;
	}
	return t;
}

static ag_status unknown_tool(const ag_run_opts *o, ag_str name, ag_err *err)
{
	ag_tool_set sets[AG_RUN_MAX_SETS + 1] = { *o->agent->tools };

	AG_ASSERT(o->nmore <= AG_RUN_MAX_SETS);
	for (size_t i = 0; i < o->nmore; i++)
		sets[i + 1] = o->more[i];
	return ag_tool_unknown(sets, o->nmore + 1, name, err);
}

/* The result itself: nothing to check before it, the run gate judges it. */
static ag_status admit_final(ag_loop *l, const job *j, ag_err *err)
{
	const ag_status st = j->done->has_proposal
	                             ? AG_OK
	                             : ag_loop_log_proposal(l, &j->proposal, NULL, err);

	return st ? st : ag_loop_conclude(l, &j->proposal, j->done, err);
}

/* Why a call that passed the gate cannot be made, as a critique. */
static ag_status tell_unfit(ag_loop *l, const job *j, const ag_verdict *v, ag_err *input_err,
                            ag_err *err)
{
	if (!j->tool)
		AG_IGNORE(unknown_tool(l->opts, j->proposal.action, input_err),
		          "it is the critique");
	return ag_loop_critique(l, AG_GATE_ACTION,
	                        ag_str_printf(l->step, "%s%s%s", input_err->msg,
	                                      input_err->hint[0] ? "; " : "", input_err->hint),
	                        j->done->ncritique > (v->kind != AG_PASS), err);
}

/* The call may be made: its intent is queued, unless the log has it. */
static ag_status admit_call(ag_loop *l, job *j, ag_err *err)
{
	ag_status st = AG_OK;

	j->is_admitted = true;
	j->must_run = !j->done->has_output;
	if (j->must_run && !j->done->has_intent) {
		st = ag_loop_emit_input(l, j->tool, &j->input, err);
		l->nintent++;
		l->has_effect = l->has_effect || !(j->tool->flags & AG_TOOL_READS);
	}
	return st;
}

/* One proposal up to its intent, as far as the log does not hold what became of it. */
static ag_status admit(ag_loop *l, job *j, ag_err *err)
{
	const ag_proposal *p = &j->proposal;
	ag_subject s = { .gate = AG_GATE_ACTION, .proposal = p };
	ag_err input_err = { 0 };
	ag_verdict v;
	ag_status st;

	if (j->done->has_proposal)
		enter(l, j);
	if (p->is_final)
		return admit_final(l, j, err);
	s.tool = j->tool;
	if (parse_input(l, p, &j->input, &input_err))
		s.input = &j->input;
	else
		s.input_err = &input_err;
	st = j->done->has_proposal ? AG_OK : ag_loop_log_proposal(l, p, s.input, err);
	j->cause = l->cause;
	j->call_id = l->call_id;
	if (!st)
		st = ag_loop_judge(l, &s, ag_id_str(&l->call_id), j->done->verdict[AG_GATE_ACTION],
		                   &v, err);
	if (st || ag_loop_is_stopped(l))
		return st;
	st = ag_loop_critique(l, AG_GATE_ACTION, ag_loop_critique_of(&v), j->done->ncritique > 0,
	                      err);
	if (st || v.kind == AG_FAIL)
		return st;
	/* Also without a gate, nothing unchecked reaches a tool. */
	if (!j->tool || !s.input || ag_tool_check_input(j->tool, s.input, &input_err))
		return tell_unfit(l, j, &v, &input_err, err);
	if (j->tool->flags & AG_TOOL_CONCLUDES)
		return ag_loop_conclude(l, p, j->done, err);
	return admit_call(l, j, err);
}

/* --- run --- */

static void run_one(job *j)
{
	const ag_loop *l = j->loop;
	ag_call c = l->opts->from;

	c.tool = j->tool;
	c.env = j->env;
	c.ctx = *l->ctx;
	c.arena = j->arena;
	c.seq = j->cause;
	j->began_ms = ag_clock_mono(l->ctx->clock);
	j->st = ag_tool_call(&c, &j->input, &j->out, &j->why);
	j->latency_ms = ag_clock_mono(l->ctx->clock) - j->began_ms;
}

static void *on_thread(void *arg)
{
	run_one(arg);
	return NULL;
}

static bool is_run(const job *j)
{
	return j->must_run;
}

/* A lone intent of a tool that writes: whether it had its effect is not known. */
static void give_up(job *j)
{
	j->must_run = false;
	j->st = ag_fail(&j->why, AG_INTERNAL, ORIGIN, "it was interrupted, its outcome is unknown");
}

static size_t prepare(ag_loop *l, job *jobs, size_t n)
{
	size_t nrun = 0;

	for (size_t i = 0; i < n; i++) {
		job *j = &jobs[i];

		if (j->must_run && j->done->has_intent && !(j->tool->flags & AG_TOOL_READS))
			give_up(j);
		nrun += is_run(j);
	}
	for (size_t i = 0; i < n; i++) {
		job *j = &jobs[i];

		if (!is_run(j))
			continue;
		j->loop = l;
		j->arena = nrun > 1 ? ag_arena_new() : l->step;
		ag_tool_output_init(&j->out, j->tool);
	}
	return nrun;
}

/* The first call runs on the loop's own thread, and so does one whose thread does not start. */
static void run_all(ag_loop *l, job *jobs, size_t n)
{
	const size_t nrun = prepare(l, jobs, n);
	size_t nth = 0;

	for (size_t i = 0; i < n; i++) {
		if (is_run(&jobs[i]) && nth++)
			jobs[i].has_thread = pthread_create(&jobs[i].thread, NULL, on_thread,
			                                    &jobs[i]) == 0;
	}
	for (size_t i = 0; i < n && nrun; i++) {
		if (is_run(&jobs[i]) && !jobs[i].has_thread)
			run_one(&jobs[i]);
	}
	for (size_t i = 0; i < n; i++) {
		if (jobs[i].has_thread)
			pthread_join(jobs[i].thread, NULL);
	}
}

/* The intents are on disk before a tool runs that does more than read. */
static ag_status commit_intents(ag_loop *l, ag_err *err)
{
	const unsigned n = l->nintent;
	ag_status st = AG_OK;

	l->nintent = 0;
	if (n)
		st = ag_loop_flush_to_disk(l, err);
	l->has_effect = false;
	if (!st)
		l->ret->calls += n;
	return st;
}

/* --- finish --- */

/* Does this error of a tool end the run? Everything else is the planner's to mend. */
static bool is_fatal(const ag_loop *l, const ag_err *err)
{
	switch (err->status) {
	case AG_CANCELLED:
	case AG_IO: return true;
	case AG_TIMEOUT: return ag_ctx_left_ms(l->ctx) == 0;
	default: return false;
	}
}

/* An output that is judged, like a candidate that a tool proposed: the agent settles what becomes of it. */
static ag_status settle(ag_loop *l, const job *j, const ag_observation *obs, ag_err *err)
{
	ag_subject s = { .gate = AG_GATE_OBSERVATION,
		         .proposal = &j->proposal,
		         .tool = j->tool,
		         .observation = obs };
	ag_str payload;
	ag_verdict v;
	const ag_str target = obs->target_id.len ? obs->target_id : ag_id_str(&l->call_id);
	ag_status st = ag_loop_judge(l, &s, target, j->done->verdict[AG_GATE_OBSERVATION], &v, err);

	if (st || ag_loop_is_stopped(l))
		return st;
	if (!j->done->has_finding && l->opts->agent->settle) {
		st = l->opts->agent->settle(l->opts->env, l->step, obs, &v, &payload, err);
		if (!st)
			st = ag_loop_emit(l, AG_EV_FINDING, payload, err);
		if (st)
			return st;
	}
	return ag_loop_critique(l, AG_GATE_OBSERVATION, ag_loop_critique_of(&v),
	                        j->done->told_finding, err);
}

/* A tool that failed is the planner's to mend. */
static ag_status tell_failure(ag_loop *l, const job *j, ag_str message, ag_str hint, ag_err *err)
{
	ag_buf text = AG_BUF_INIT(4096);
	ag_status st;

	ag_buf_addf(&text, "%s failed: %.*s.", j->tool->name, AG_FMT(message));
	if (hint.len)
		ag_buf_addf(&text, " Hint: %.*s.", AG_FMT(hint));
	st = ag_loop_critique(l, AG_GATE_ACTION, ag_buf_dup(l->step, &text), j->done->told_failure,
	                      err);
	ag_buf_release(&text);
	return st;
}

/* Every call that ran is logged, also beside one that ends the run; what follows from it is not done any more then. */
static ag_status finish_failed(ag_loop *l, const job *j, ag_err *err)
{
	const ag_status st = ag_loop_emit_output(l, j->tool, NULL, &j->why, j->latency_ms, err);

	if (st || ag_loop_is_over(l))
		return st;
	if (j->why.status == AG_UNAVAILABLE) {
		ag_loop_stop_asking(l, j->tool->name, &j->why);
		return AG_OK;
	}
	if (is_fatal(l, &j->why)) {
		ag_loop_fail(l, &j->why);
		return AG_OK;
	}
	return tell_failure(l, j, ag_str_c(j->why.msg), ag_str_c(j->why.hint), err);
}

static ag_status finish(ag_loop *l, job *j, ag_err *err)
{
	const ag_loop_done *done = j->done;
	const bool proposes = (j->tool->flags & AG_TOOL_PROPOSES) != 0;
	ag_observation obs;
	ag_status st;

	enter(l, j);
	if (done->has_output && !done->obs)
		return tell_failure(l, j, done->message, done->hint, err);
	if (done->has_output)
		return proposes ? settle(l, j, done->obs, err) : AG_OK;
	if (j->st)
		return finish_failed(l, j, err);
	obs = (ag_observation){ ag_buf_view(&j->out.json), j->out.summary, j->out.target_id,
		                j->out.is_error };
	st = ag_loop_emit_output(l, j->tool, &obs, NULL, j->latency_ms, err);
	if (st || ag_loop_is_over(l) || !proposes)
		return st;
	return settle(l, j, &obs, err);
}

static void release(const ag_loop *l, job *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ag_tool_output_release(&jobs[i].out);
		if (jobs[i].arena && jobs[i].arena != l->step)
			ag_arena_free(jobs[i].arena);
	}
}

/* Whatever stopped the admission of a later call: those that were admitted are run. */
static ag_status run_admitted(ag_loop *l, job *jobs, size_t n, ag_err *err)
{
	ag_status st = commit_intents(l, err);

	if (!st)
		run_all(l, jobs, n);
	for (size_t i = 0; i < n && !st; i++) {
		if (jobs[i].is_admitted)
			st = finish(l, &jobs[i], err);
	}
	release(l, jobs, n);
	return st;
}

/* --- steps --- */

static job make_job(const ag_loop *l, const ag_proposal *p, const ag_loop_done *done)
{
	job ret = { .proposal = *p,
		    .done = done,
		    .cause = done->seq,
		    .call_id = done->call_id,
		    .iteration = done->has_proposal ? done->iteration : l->iteration };

	ret.tool = ag_run_tool(l->opts, p->action, &ret.env);
	return ret;
}

static bool only_reads(const ag_tool *t)
{
	return t && (t->flags & AG_TOOL_READS) && !(t->flags & AG_TOOL_CONCLUDES);
}

/* The next call of the reply that may run beside the others. */
static bool next_call(ag_loop *l, ag_proposal *ret)
{
	ag_planner *planner = l->opts->planner;
	ag_str why;
	void *env;

	return planner->type->more && !ag_loop_is_stopped(l) && planner->type->more(planner, ret) &&
	       only_reads(ag_run_tool(l->opts, ret->action, &env)) && ag_loop_budget_left(l, &why);
}

ag_status ag_loop_act(ag_loop *l, const ag_proposal *p, ag_err *err)
{
	static const ag_loop_done nothing = { 0 };
	const size_t wanted = l->opts->agent->parallel ? l->opts->agent->parallel : 1;
	const size_t max = wanted < AG_RUN_MAX_PARALLEL ? wanted : AG_RUN_MAX_PARALLEL;
	job *jobs = ag_new_n(l->step, job, max);
	ag_proposal next = { 0 };
	size_t n = 0;
	ag_status st;

	jobs[n++] = make_job(l, p, &nothing);
	st = admit(l, &jobs[0], err);
	while (!st && n < max && jobs[0].is_admitted && only_reads(jobs[0].tool) &&
	       next_call(l, &next)) {
		l->iteration = ++l->ret->iterations;
		jobs[n] = make_job(l, &next, &nothing);
		st = admit(l, &jobs[n++], err);
	}
	return st ? st : run_admitted(l, jobs, n, err);
}

ag_status ag_loop_act_again(ag_loop *l, const ag_loop_done *done, size_t n, ag_err *err)
{
	job *jobs = ag_new_n(l->step, job, n);
	ag_status st = AG_OK;

	for (size_t i = 0; i < n; i++)
		jobs[i] = make_job(l, &done[i].proposal, &done[i]);
	for (size_t i = 0; i < n && !st && !ag_loop_is_stopped(l); i++)
		st = admit(l, &jobs[i], err);
	return st ? st : run_admitted(l, jobs, n, err);
}
