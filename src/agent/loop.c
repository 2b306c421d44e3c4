/* loop -- start reading here. One step is:
 *
 *   planner -> proposal -> ACTION GATE -> tool -> OBSERVATION GATE -> state        FAIL anywhere -> critique
 *   a tool that concludes -> RUN GATE -> end of the run, or critique and on
 *
 * Invariants: events are committed before their effect is visible outside (an intent before its tool runs); the state
 * changes only in agent->apply(); the iteration counter always advances, so a planner that repeats itself
 * cannot hold the loop. A step that a resume finds half done is taken through the same act(), told what the log holds
 * of it (loop_resume.c). Event payloads are written in loop_events.c, documented in docs/events.md. */
#include "agent/loop.h"

#include <stdio.h>

#include "agent/loop_events.h"
#include "query/extjson.h"

#define INPUT_MAX_BYTES (1024 * 1024)

static bool is_over(const ag_loop *l)
{
	return l->ret->status.len > 0;
}

static void finish_as(ag_loop *l, ag_str status, ag_str why)
{
	l->ret->status = status;
	l->ret->why = why;
}

/* An error that ends the run: cancelled by the user, or failed. */
static void fail_run(ag_loop *l, const ag_err *err)
{
	l->ret->err = *err;
	if (err->status == AG_CANCELLED)
		finish_as(l, AG_S("cancelled"), AG_S("stopped by the user"));
	else
		finish_as(l, AG_S("failed"), ag_str_dup(l->arena, ag_str_c(err->msg)));
}

/* Does this error of a tool end the run? Everything else is the planner's to mend. */
static bool is_fatal(const ag_loop *l, const ag_err *err)
{
	switch (err->status) {
	case AG_CANCELLED:
	case AG_UNAVAILABLE:
	case AG_IO: return true;
	case AG_TIMEOUT: return ag_ctx_left_ms(l->ctx) == 0;
	default: return false;
	}
}

static bool is_meter_exhausted(const ag_loop *l)
{
	return l->opts->meter && l->opts->meter->exhausted;
}

static bool seconds_over(const ag_loop *l)
{
	const double s = l->opts->budget.seconds;

	return s > 0 && (double)(ag_clock_mono(l->ctx->clock) - l->mono_start_ms) >= s * 1000;
}

/* A model is not asked, or waited for, beyond the budget of seconds; a tool that runs may end. */
static ag_ctx model_ctx(const ag_loop *l)
{
	ag_ctx ctx = *l->ctx;
	const double s = l->opts->budget.seconds;
	const int64_t end_ms = l->mono_start_ms + (int64_t)(s * 1000);

	if (s > 0 && (!ctx.deadline_ms || end_ms < ctx.deadline_ms))
		ctx.deadline_ms = end_ms;
	return ctx;
}

static ag_str seconds_why(const ag_loop *l)
{
	return ag_str_printf(l->arena, "the budget of %g seconds is used up",
	                     l->opts->budget.seconds);
}

/* Did a budget end it, and not the model? */
static bool is_exhausted(const ag_loop *l)
{
	return is_meter_exhausted(l) || seconds_over(l);
}

static bool is_stopped(const ag_loop *l)
{
	return is_over(l) || l->is_spent;
}

/* Did the user or the run's deadline end it, whoever was asked? */
static bool ends_run(const ag_loop *l, const ag_err *why)
{
	return why->status == AG_CANCELLED ||
	       (why->status == AG_TIMEOUT && ag_ctx_left_ms(l->ctx) == 0);
}

/* A model that is needed does not answer. What was found is kept, and a resume goes on from here. */
static void stop_asking(ag_loop *l, const char *who, const ag_err *why)
{
	if (ends_run(l, why)) {
		fail_run(l, why);
		return;
	}
	l->ret->err = *why;
	finish_as(l, AG_S("partial"), ag_str_printf(l->arena, "%s failed: %s", who, why->msg));
}

/* What a gate wants the planner to read: its critique, else its reason; nothing for PASS. */
static ag_str critique_of(const ag_verdict *v)
{
	if (v->kind == AG_PASS)
		return AG_S("");
	return v->critique.len ? v->critique : v->reason;
}

static ag_status critique(ag_loop *l, ag_gate gate, ag_str text, bool is_told, ag_err *err)
{
	if (!text.len || is_told)
		return AG_OK;
	return ag_loop_emit_critique(l, gate, text, err);
}

/* Nobody is dismissed because a judge was down: the subject waits in the log for the next sitting. */
static void judge_failed(ag_loop *l, const ag_evaluator *gate, ag_gate g, const ag_err *why)
{
	char who[80];

	if (!is_exhausted(l) || ends_run(l, why)) {
		snprintf(who, sizeof(who), "the evaluator \"%s\" of the %s gate", gate->name,
		         ag_gate_name(g));
		stop_asking(l, who, why);
	} else if (g == AG_GATE_RUN) {
		finish_as(l, AG_S("partial"),
		          is_meter_exhausted(l)
		                  ? ag_str_dup(l->arena, ag_str_c(l->opts->meter->why))
		                  : seconds_why(l));
	} else {
		l->is_spent = true;
	}
}

/* Judge a subject, log the verdict. No gate = PASS without a record. known: the log holds the verdict. Without an error
 * the run may be stopped (is_stopped); *ret is a verdict only when it is not. */
static ag_status judge(ag_loop *l, ag_subject *s, ag_str target_id, const ag_verdict *known,
                       ag_verdict *ret, ag_err *err)
{
	const ag_evaluator *gate = l->opts->gates[s->gate];
	const ag_ctx limited = model_ctx(l);
	ag_err why = { 0 };
	ag_status st = AG_OK, judged;

	*ret = (ag_verdict){ .kind = AG_PASS, .score = 1.0, .reason = AG_S("no gate is set") };
	if (known)
		*ret = *known;
	if (known || !gate)
		return AG_OK;
	s->iteration = l->ret->iterations;
	s->state = l->opts->state;
	if (gate->asks_model)
		st = ag_loop_flush(l, err); /* what is judged is on disk before money is spent */
	if (st)
		return st;
	judged = gate->evaluate(gate, gate->asks_model ? &limited : l->ctx, s, l->step, ret, &why);
	if (judged)
		judge_failed(l, gate, s->gate, &why);
	else
		st = ag_loop_emit_verdict(l, s->gate, target_id, ret, err);
	if (!st)
		st = ag_loop_emit_usage(l, err);
	return !st && gate->asks_model ? ag_loop_flush(l, err) : st;
}

static bool tokens_left(const ag_loop *l, ag_str *why)
{
	const ag_llm_meter *m = l->opts->meter;
	const uint64_t used = m ? ag_llm_meter_tokens(m) : 0;

	if (!m)
		return true;
	if (m->exhausted)
		*why = ag_str_dup(l->arena, ag_str_c(m->why));
	else if (m->max_tokens && used >= m->max_tokens)
		*why = ag_str_printf(l->arena, "the budget of %llu tokens is used up (%llu used)",
		                     (unsigned long long)m->max_tokens, (unsigned long long)used);
	else if (m->max_usd > 0 && ag_llm_meter_usd(m) >= m->max_usd)
		*why = ag_str_printf(l->arena, "the budget of %.4g USD is used up (%.4g used)",
		                     m->max_usd, ag_llm_meter_usd(m));
	else
		return true;
	return false;
}

static bool budget_left(const ag_loop *l, ag_str *why)
{
	const ag_budget *b = &l->opts->budget;

	if (b->iterations && l->ret->iterations >= b->iterations) {
		*why = ag_str_printf(l->arena, "the budget of %u iterations is used up",
		                     b->iterations);
		return false;
	}
	if (b->calls && l->ret->calls >= b->calls) {
		*why = ag_str_printf(l->arena, "the budget of %u tool calls is used up", b->calls);
		return false;
	}
	if (seconds_over(l)) {
		*why = seconds_why(l);
		return false;
	}
	return tokens_left(l, why);
}

static ag_status judge_run(ag_loop *l, const ag_verdict *known, ag_verdict *v, ag_err *err)
{
	ag_subject s = { .gate = AG_GATE_RUN, .stamp = 1 + (uint64_t)l->ret->calls };
	ag_status st = judge(l, &s, ag_id_str(&l->opts->row.id), known, v, err);

	if (st || is_stopped(l))
		return st;
	l->ret->has_verdict = known || l->opts->gates[AG_GATE_RUN] != NULL;
	l->ret->verdict = *v;
	l->ret->verdict.reason = ag_str_dup(l->arena, v->reason);
	l->ret->verdict.critique = ag_str_dup(l->arena, v->critique);
	l->ret->verdict.evaluated_by = ag_str_dup(l->arena, v->evaluated_by);
	return AG_OK;
}

/* Without a budget of steps only this ends a planner that answers each rejection with the same conclusion. */
static bool goes_in_circles(const ag_loop *l, ag_str reason_before, unsigned calls_before)
{
	return !l->opts->budget.iterations && calls_before == l->ret->calls &&
	       ag_str_eq(reason_before, l->ret->verdict.reason);
}

/* The planner asks for the end. */
static ag_status conclude(ag_loop *l, const ag_proposal *p, const ag_loop_done *done, ag_err *err)
{
	const ag_str reason_before = l->ret->verdict.reason;
	const unsigned calls_before = l->judged_calls;
	ag_verdict v;
	ag_str why;
	ag_status st = judge_run(l, done->verdict[AG_GATE_RUN], &v, err);

	if (st || is_stopped(l))
		return st;
	l->judged_calls = l->ret->calls;
	if (done->told_run)
		return AG_OK;
	if (v.kind != AG_FAIL || l->opts->fail_policy == AG_RUN_FAIL_WARN_ONLY) {
		if (p->partial_why.len)
			finish_as(l, AG_S("partial"), ag_str_dup(l->arena, p->partial_why));
		else
			finish_as(l, AG_S("ok"), AG_S("the planner concluded"));
		return AG_OK;
	}
	if (l->opts->fail_policy == AG_RUN_FAIL_ABORT) {
		finish_as(l, AG_S("failed"),
		          AG_S("the run gate rejected the result (policy abort)"));
		return AG_OK;
	}
	if (goes_in_circles(l, reason_before, calls_before)) {
		finish_as(
			l, AG_S("partial"),
			AG_S("the run gate rejected the result and the planner has nothing to add"));
		return AG_OK;
	}
	if (budget_left(l, &why))
		return critique(l, AG_GATE_RUN, critique_of(&v), false, err);
	finish_as(l, AG_S("partial"),
	          ag_str_printf(l->arena, "the run gate rejected the result, and %.*s",
	                        AG_FMT(why)));
	return AG_OK;
}

/* The candidate that a tool proposed: judge it, let the agent settle what becomes of it. */
static ag_status settle(ag_loop *l, const ag_proposal *p, const ag_observation *obs,
                        const ag_loop_done *done, ag_err *err)
{
	ag_subject s = { .gate = AG_GATE_OBSERVATION, .proposal = p, .observation = obs };
	ag_str payload;
	ag_verdict v;
	ag_status st = judge(l, &s, obs->target_id, done->verdict[AG_GATE_OBSERVATION], &v, err);

	if (st || is_stopped(l))
		return st;
	if (!done->has_finding) {
		st = l->opts->agent->settle(l->opts->env, l->step, obs, &v, &payload, err);
		if (!st)
			st = ag_loop_emit(l, AG_EV_FINDING, payload, err);
		if (st)
			return st;
	}
	return critique(l, AG_GATE_OBSERVATION, critique_of(&v), done->told_finding, err);
}

/* A tool that failed is the planner's to mend. */
static ag_status tell_failure(ag_loop *l, const ag_tool *t, ag_str message, ag_str hint,
                              bool is_told, ag_err *err)
{
	ag_buf text = AG_BUF_INIT(4096);
	ag_status st;

	ag_buf_addf(&text, "%s failed: %.*s.", t->name, AG_FMT(message));
	if (hint.len)
		ag_buf_addf(&text, " Hint: %.*s.", AG_FMT(hint));
	st = critique(l, AG_GATE_ACTION, ag_buf_dup(l->step, &text), is_told, err);
	ag_buf_release(&text);
	return st;
}

/* A tool failed: log it; end the run, or tell the planner. */
static ag_status tool_failed(ag_loop *l, const ag_tool *t, const ag_err *why, ag_err *err)
{
	ag_status st = ag_loop_emit_output(l, t, NULL, why, err);

	if (st)
		return st;
	if (is_fatal(l, why)) {
		fail_run(l, why);
		return AG_OK;
	}
	return tell_failure(l, t, ag_str_c(why->msg), ag_str_c(why->hint), false, err);
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

static ag_status run_tool(ag_loop *l, const ag_tool *t, void *env, const ag_val *input,
                          ag_tool_output *out, ag_err *why)
{
	ag_call c = l->opts->from;

	c.tool = t;
	c.env = env;
	c.ctx = *l->ctx;
	c.arena = l->step;
	return ag_tool_call(&c, input, out, why);
}

/* The intent is on disk before the tool runs. One that is there already belongs to a sitting that was killed: what only
 * reads is run again under the same call. */
static ag_status commit_intent(ag_loop *l, const ag_tool *t, const ag_val *input, ag_err *err)
{
	ag_status st = ag_loop_emit_input(l, t, input, err);

	if (!st)
		st = ag_loop_flush(l, err);
	if (!st)
		l->ret->calls++;
	return st;
}

/* Run the tool, log what it gave, let a candidate be judged. */
static ag_status execute(ag_loop *l, const ag_tool *t, void *env, const ag_proposal *p,
                         const ag_val *input, const ag_loop_done *done, ag_err *err)
{
	ag_observation obs = { 0 };
	ag_tool_output out;
	ag_err why = { 0 };
	ag_status st;

	ag_tool_output_init(&out, t);
	if (run_tool(l, t, env, input, &out, &why)) {
		st = tool_failed(l, t, &why, err);
	} else {
		obs = (ag_observation){ ag_buf_view(&out.json), out.summary, out.target_id,
			                out.is_error };
		st = ag_loop_emit_output(l, t, &obs, NULL, err);
		if (!st && (t->flags & AG_TOOL_PROPOSES))
			st = settle(l, p, &obs, done, err);
	}
	ag_tool_output_release(&out);
	return st;
}

static ag_status call_tool(ag_loop *l, const ag_tool *t, void *env, const ag_proposal *p,
                           const ag_val *input, const ag_loop_done *done, ag_err *err)
{
	ag_err unknown = { 0 };
	ag_status st = AG_OK;

	if (done->has_output && !done->obs)
		return tell_failure(l, t, done->message, done->hint, done->told_failure, err);
	if (done->has_output)
		return (t->flags & AG_TOOL_PROPOSES) ? settle(l, p, done->obs, done, err) : AG_OK;
	l->tool_start_ms = ag_clock_mono(l->ctx->clock);
	if (!done->has_intent)
		st = commit_intent(l, t, input, err);
	if (st)
		return st;
	if (!done->has_intent || (t->flags & AG_TOOL_READS))
		return execute(l, t, env, p, input, done, err);
	ag_fail(&unknown, AG_INTERNAL, "agent.loop", "it was interrupted, its outcome is unknown");
	return tool_failed(l, t, &unknown, err);
}

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
		ag_fail(why, AG_LIMIT, "agent.loop",
		        "action_input has %zu bytes, at most %d are read", text.len,
		        INPUT_MAX_BYTES);
		return false;
	}
	if (ag_extjson_parse(text, &opts, l->step, ret, NULL, NULL, why))
		return false;
	if (ret->type == AG_T_OBJECT)
		return true;
	ag_fail(why, AG_INVALID, "agent.loop", "action_input: want an object, got %s",
	        ag_type_alias(ret->type));
	return false;
}

/* Log what the planner wants, and what it cost to ask. */
static ag_status log_proposal(ag_loop *l, const ag_proposal *p, const ag_val *input, ag_err *err)
{
	ag_status st;

	l->call_id = ag_id_new(l->ctx->clock);
	st = ag_loop_emit_proposal(l, p, input, err);
	if (!st)
		st = ag_loop_emit_usage(l, err);
	return !st && l->opts->planner->type->asks_model ? ag_loop_flush(l, err) : st;
}

/* The result itself: nothing to check before it, the run gate judges it. */
static ag_status act_final(ag_loop *l, const ag_proposal *p, const ag_loop_done *done, ag_err *err)
{
	const ag_status st = done->has_proposal ? AG_OK : log_proposal(l, p, NULL, err);

	return st ? st : conclude(l, p, done, err);
}

static ag_status unknown_tool(const ag_run_opts *o, ag_str name, ag_err *err)
{
	ag_tool_set sets[AG_RUN_MAX_SETS + 1] = { *o->agent->tools };

	AG_ASSERT(o->nmore <= AG_RUN_MAX_SETS);
	for (size_t i = 0; i < o->nmore; i++)
		sets[i + 1] = o->more[i];
	return ag_tool_unknown(sets, o->nmore + 1, name, err);
}

/* One proposal, as far as the log does not hold what became of it. */
static ag_status act(ag_loop *l, const ag_proposal *p, const ag_loop_done *done, ag_err *err)
{
	void *env;
	const ag_tool *t = ag_run_tool(l->opts, p->action, &env);
	ag_subject s = { .gate = AG_GATE_ACTION, .proposal = p, .tool = t };
	ag_err input_err = { 0 };
	ag_val input;
	ag_verdict v;
	ag_status st;

	if (p->is_final)
		return act_final(l, p, done, err);
	if (parse_input(l, p, &input, &input_err))
		s.input = &input;
	else
		s.input_err = &input_err;
	st = done->has_proposal ? AG_OK : log_proposal(l, p, s.input, err);
	if (!st)
		st = judge(l, &s, ag_id_str(&l->call_id), done->verdict[AG_GATE_ACTION], &v, err);
	if (st || is_stopped(l))
		return st;
	st = critique(l, AG_GATE_ACTION, critique_of(&v), done->ncritique > 0, err);
	if (st || v.kind == AG_FAIL)
		return st;
	/* Also without a gate, nothing unchecked reaches a tool. */
	if (!t || !s.input || ag_tool_check_input(t, s.input, &input_err)) {
		if (!t)
			AG_IGNORE(unknown_tool(l->opts, p->action, &input_err),
			          "told in the next line");
		return critique(l, AG_GATE_ACTION,
		                ag_str_printf(l->step, "%s%s%s", input_err.msg,
		                              input_err.hint[0] ? "; " : "", input_err.hint),
		                done->ncritique > (v.kind != AG_PASS), err);
	}
	if (t->flags & AG_TOOL_CONCLUDES)
		return conclude(l, p, done, err);
	return call_tool(l, t, env, p, s.input, done, err);
}

/* The planner has no proposal. */
static ag_status planner_failed(ag_loop *l, const ag_err *why, ag_err *err)
{
	const ag_status st = ag_loop_emit_usage(l, err);

	l->ret->iterations--; /* nothing was proposed */
	if (!l->opts->planner->type->asks_model)
		fail_run(l, why);
	else if (!is_exhausted(l) || ends_run(l, why)) /* else the next turn meets the budget */
		stop_asking(l, "the planner's model", why);
	return st;
}

static ag_status step(ag_loop *l, ag_err *err)
{
	const ag_planner *planner = l->opts->planner;
	const ag_ctx limited = model_ctx(l);
	const ag_loop_done nothing = { 0 };
	ag_proposal p = { 0 };
	ag_err why = { 0 };
	ag_status st;

	st = ag_loop_lease(l, AG_LOOP_LEASE_MS, err);
	if (st)
		return st;
	l->ret->iterations++;
	if (planner->type->propose(l->opts->planner, planner->type->asks_model ? &limited : l->ctx,
	                           l->step, &p, &why))
		return planner_failed(l, &why, err);
	/* A share of certainty, whatever a model writes; NaN counts as none. */
	p.confidence = p.confidence > 1 ? 1 : p.confidence >= 0 ? p.confidence : 0;
	return act(l, &p, &nothing, err);
}

/* The planner's last word. What it costs is logged also when none comes. */
static ag_status wrap_up(ag_loop *l, ag_str why, ag_err *err)
{
	ag_planner *planner = l->opts->planner;
	ag_proposal p = { 0 };
	ag_err failed = { 0 };

	if (!planner->type->wrap_up)
		return AG_OK;
	if (!planner->type->wrap_up(planner, l->ctx, l->step, why, &p, &failed))
		return log_proposal(l, &p, NULL, err);
	l->ret->err = failed;
	if (failed.status == AG_CANCELLED)
		fail_run(l, &failed);
	return ag_loop_emit_usage(l, err);
}

/* The budget ran out: the planner may say a last word, and the run gate judges what there is, once. */
static ag_status out_of_budget(ag_loop *l, ag_str why, ag_err *err)
{
	const bool is_judged = l->end_seq && l->end_seq == l->seq;
	ag_verdict v;
	ag_status st = is_judged ? AG_OK : wrap_up(l, why, err);

	if (st || is_over(l))
		return st;
	st = judge_run(l, is_judged ? &l->end_verdict : NULL, &v, err);

	if (st || is_over(l))
		return st;
	if (v.kind == AG_FAIL && l->opts->fail_policy == AG_RUN_FAIL_ABORT && l->ret->has_verdict)
		finish_as(l, AG_S("failed"),
		          AG_S("the run gate rejected the result (policy abort)"));
	else
		finish_as(l, AG_S("partial"), why);
	return AG_OK;
}

static ag_status turn(ag_loop *l, const ag_loop_done *done, ag_err *err)
{
	ag_err why = { 0 };
	ag_str spent;

	l->is_spent = false;
	if (ag_ctx_check(l->ctx, &why)) {
		fail_run(l, &why);
		return AG_OK;
	}
	if (done)
		return act(l, &done->proposal, done, err);
	if (!budget_left(l, &spent))
		return out_of_budget(l, spent, err);
	return step(l, err);
}

void ag_loop_go_on(ag_loop *l, const ag_loop_done *done)
{
	ag_err commit_err = { 0 };

	while (!is_over(l)) {
		if (turn(l, done, &commit_err) || ag_loop_flush(l, &commit_err))
			fail_run(l, &commit_err);
		ag_arena_reset(l->step);
		done = NULL;
	}
	if (ag_loop_finish(l, &commit_err) && l->ret->err.status == AG_OK)
		fail_run(l, &commit_err);
	ag_loop_release(l);
}

ag_status ag_loop_run(const ag_ctx *ctx, ag_run_opts *opts, ag_arena *arena, ag_run_result *ret,
                      ag_err *err)
{
	ag_loop l = {
		.ctx = ctx, .opts = opts, .arena = arena, .ret = ret, .step = ag_arena_new()
	};
	ag_status st;

	*ret = (ag_run_result){ 0 };
	if (!opts->budget.iterations)
		opts->budget.iterations = opts->planner->type->default_iterations;
	l.mono_start_ms = opts->budget.since_ms ? opts->budget.since_ms : ag_clock_mono(ctx->clock);
	st = ag_loop_begin(&l, err);
	if (!st)
		ag_loop_go_on(&l, NULL);
	ag_arena_free(l.step);
	return st;
}
