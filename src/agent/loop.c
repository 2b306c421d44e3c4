/* loop -- start reading here. One step is:
 *
 *   planner -> proposal -> ACTION GATE -> tool -> OBSERVATION GATE -> state        FAIL anywhere -> critique
 *   a tool that concludes -> RUN GATE -> end of the run, or critique and on
 *
 * Invariants: events are committed before their effect is visible outside (an intent before its tool runs); the state
 * changes only in agent->apply(); the iteration counter always advances, so a planner that repeats itself
 * cannot hold the loop. The calls of a step are in loop_calls.c. A step that a resume finds half done goes through the same
 * code, with what the log holds of it (loop_resume.c). Event payloads are written in loop_events.c, documented in
 * docs/events.md. */
#include "agent/loop.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/loop_events.h"

bool ag_loop_is_over(const ag_loop *l)
{
	return l->ret->status.len > 0;
}

static void finish_as(ag_loop *l, ag_str status, ag_str why)
{
	l->ret->status = status;
	l->ret->why = why;
}

void ag_loop_fail(ag_loop *l, const ag_err *err)
{
	l->ret->err = *err;
	if (err->status == AG_CANCELLED)
		finish_as(l, AG_S("cancelled"), AG_S("stopped by the user"));
	else
		finish_as(l, AG_S("failed"), ag_str_dup(l->arena, ag_str_c(err->msg)));
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

/* Is the budget of what data costs used up? */
static bool data_cost_over(const ag_loop *l, ag_str *why)
{
	const ag_run_opts *o = l->opts;

	*why = AG_S("");
	if (o->agent->data_cost)
		o->agent->data_cost(o->env, l->arena, why);
	return why->len > 0;
}

/* Did a budget end it, and not the model? */
static bool is_exhausted(const ag_loop *l)
{
	ag_str why;

	return is_meter_exhausted(l) || seconds_over(l) || data_cost_over(l, &why);
}

bool ag_loop_is_stopped(const ag_loop *l)
{
	return ag_loop_is_over(l) || l->is_spent;
}

/* Did the user or the run's deadline end it, whoever was asked? */
static bool ends_run(const ag_loop *l, const ag_err *why)
{
	return why->status == AG_CANCELLED ||
	       (why->status == AG_TIMEOUT && ag_ctx_left_ms(l->ctx) == 0);
}

void ag_loop_stop_asking(ag_loop *l, const char *who, const ag_err *why)
{
	if (ends_run(l, why)) {
		ag_loop_fail(l, why);
		return;
	}
	l->ret->err = *why;
	finish_as(l, AG_S("partial"), ag_str_printf(l->arena, "%s failed: %s", who, why->msg));
}

/* What a gate wants the planner to read: its critique, else its reason; nothing for PASS. */
ag_str ag_loop_critique_of(const ag_verdict *v)
{
	if (v->kind == AG_PASS)
		return AG_S("");
	return v->critique.len ? v->critique : v->reason;
}

ag_status ag_loop_critique(ag_loop *l, ag_gate gate, ag_str text, bool is_told, ag_err *err)
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
		ag_loop_stop_asking(l, who, why);
	} else if (g == AG_GATE_RUN) {
		finish_as(l, AG_S("partial"),
		          is_meter_exhausted(l)
		                  ? ag_str_dup(l->arena, ag_str_c(l->opts->meter->why))
		                  : seconds_why(l));
	} else {
		l->is_spent = true;
	}
}

ag_status ag_loop_judge(ag_loop *l, ag_subject *s, ag_str target_id, const ag_verdict *known,
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
	s->iteration = l->iteration;
	s->state = l->opts->state;
	if (gate->asks_model)
		st = ag_loop_flush(l, err); /* what is judged is committed before money is spent */
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

bool ag_loop_budget_left(const ag_loop *l, ag_str *why)
{
	const ag_budget *b = &l->opts->budget;

	const unsigned uncounted = l->opts->planner->uncounted;
	const unsigned counted = l->ret->iterations > uncounted ? l->ret->iterations - uncounted
	                                                        : 0;

	if (b->iterations && counted >= b->iterations) {
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
	if (data_cost_over(l, why))
		return false;
	return tokens_left(l, why);
}

static ag_status judge_run(ag_loop *l, const ag_verdict *known, ag_verdict *v, ag_err *err)
{
	ag_subject s = { .gate = AG_GATE_RUN, .stamp = ag_loop_run_stamp(l->ret->calls) };
	ag_status st = ag_loop_judge(l, &s, ag_id_str(&l->opts->row.id), known, v, err);

	if (st || ag_loop_is_stopped(l))
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

ag_status ag_loop_conclude(ag_loop *l, const ag_proposal *p, const ag_loop_done *done, ag_err *err)
{
	const ag_str reason_before = l->ret->verdict.reason;
	const unsigned calls_before = l->judged_calls;
	ag_verdict v;
	ag_str why;
	ag_status st = judge_run(l, done->verdict[AG_GATE_RUN], &v, err);

	if (st || ag_loop_is_stopped(l))
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
	if (ag_loop_budget_left(l, &why))
		return ag_loop_critique(l, AG_GATE_RUN, ag_loop_critique_of(&v), false, err);
	finish_as(l, AG_S("partial"),
	          ag_str_printf(l->arena, "the run gate rejected the result, and %.*s",
	                        AG_FMT(why)));
	return AG_OK;
}

/* Log what the planner wants, and what it cost to ask. Committed with what becomes of it: before a tool runs, before a model is
 * asked, with the end of the step or of the run. */
ag_status ag_loop_log_proposal(ag_loop *l, const ag_proposal *p, const ag_val *input, ag_err *err)
{
	ag_status st;

	l->call_id = ag_id_new(l->ctx->clock);
	ag_buf_clear(&l->text); /* the proposal has it */
	st = ag_loop_emit_proposal(l, p, input, err);
	return st ? st : ag_loop_emit_usage(l, err);
}

/* The planner has no proposal. */
static ag_status planner_failed(ag_loop *l, const ag_err *why, ag_err *err)
{
	const ag_status st = ag_loop_emit_usage(l, err);
	ag_str spent;

	l->ret->iterations--; /* nothing was proposed */
	if (!l->opts->planner->type->asks_model && why->status == AG_UNAVAILABLE)
		ag_loop_stop_asking(l, "the planner", why);
	else if (why->status == AG_LIMIT && data_cost_over(l, &spent))
		return st; /* the next turn meets the budget */
	else if (!l->opts->planner->type->asks_model)
		ag_loop_fail(l, why);
	else if (!is_exhausted(l) || ends_run(l, why)) /* else the next turn meets the budget */
		ag_loop_stop_asking(l, "the planner's model", why);
	return st;
}

static ag_status step(ag_loop *l, ag_err *err)
{
	const ag_planner *planner = l->opts->planner;
	const ag_planner_type *type = planner->type;
	const ag_ctx limited = model_ctx(l);
	ag_proposal p = { 0 };
	ag_err why = { 0 };
	ag_status st;

	st = ag_loop_lease(l, AG_LOOP_LEASE_MS, err);
	if (st)
		return st;
	l->iteration = ++l->ret->iterations;
	ag_buf_clear(&l->text);
	if (type->propose(l->opts->planner, type->asks_model ? &limited : l->ctx, l->step, &p,
	                  &why))
		return planner_failed(l, &why, err);
	if (planner->type != type) {
		l->ret->iterations--;
		return AG_OK;
	}
	/* A share of certainty, whatever a model writes; NaN counts as none. */
	p.confidence = p.confidence > 1 ? 1 : p.confidence >= 0 ? p.confidence : 0;
	return ag_loop_act(l, &p, err);
}

/* The planner's last word. What it costs is logged also when none comes. */
static ag_status wrap_up(ag_loop *l, ag_str why, ag_err *err)
{
	ag_planner *planner = l->opts->planner;
	ag_proposal p = { 0 };
	ag_err failed = { 0 };

	if (l->opts->agent->at_limit != AG_AT_LIMIT_ANSWER || !planner->type->wrap_up)
		return AG_OK;
	if (!planner->type->wrap_up(planner, l->ctx, l->step, why, &p, &failed))
		return ag_loop_log_proposal(l, &p, NULL, err);
	l->ret->err = failed;
	if (failed.status == AG_CANCELLED)
		ag_loop_fail(l, &failed);
	return ag_loop_emit_usage(l, err);
}

/* The budget ran out: the planner may say a last word, and the run gate judges what there is, once. */
static ag_status out_of_budget(ag_loop *l, ag_str why, ag_err *err)
{
	const bool is_judged = l->end_seq && l->end_seq == l->seq;
	ag_verdict v;
	ag_status st = is_judged ? AG_OK : wrap_up(l, why, err);

	if (st || ag_loop_is_over(l))
		return st;
	st = judge_run(l, is_judged ? &l->end_verdict : NULL, &v, err);

	if (st || ag_loop_is_over(l))
		return st;
	if (v.kind == AG_FAIL && l->opts->fail_policy == AG_RUN_FAIL_ABORT && l->ret->has_verdict)
		finish_as(l, AG_S("failed"),
		          AG_S("the run gate rejected the result (policy abort)"));
	else
		finish_as(l, AG_S("partial"), why);
	return AG_OK;
}

static ag_status turn(ag_loop *l, const ag_loop_done *done, size_t ndone, ag_err *err)
{
	ag_err why = { 0 };
	ag_str spent;

	l->is_spent = false;
	l->iteration = l->ret->iterations;
	if (ag_ctx_check(l->ctx, &why)) {
		ag_loop_fail(l, &why);
		return AG_OK;
	}
	if (ndone)
		return ag_loop_act_again(l, done, ndone, err);
	if (!ag_loop_budget_left(l, &spent))
		return out_of_budget(l, spent, err);
	return step(l, err);
}

void ag_loop_go_on(ag_loop *l, const ag_loop_done *done, size_t ndone)
{
	ag_err commit_err = { 0 };

	while (!ag_loop_is_over(l)) {
		if (turn(l, done, ndone, &commit_err) ||
		    (!ag_loop_is_over(l) && ag_loop_flush_to_disk(l, &commit_err)))
			ag_loop_fail(l, &commit_err);
		/* What is queued when the run is over goes to disk with its end; its payloads are in this arena. */
		if (!ag_loop_is_over(l))
			ag_arena_reset(l->step);
		ndone = 0;
	}
	if (ag_loop_finish(l, &commit_err) && l->ret->err.status == AG_OK)
		ag_loop_fail(l, &commit_err);
	ag_loop_release(l);
}

void ag_loop_open(ag_loop *l, const ag_ctx *ctx, ag_run_opts *opts, ag_arena *arena,
                  ag_run_result *ret)
{
	*ret = (ag_run_result){ 0 };
	*l = (ag_loop){ .own_ctx = *ctx,
		        .opts = opts,
		        .arena = arena,
		        .ret = ret,
		        .step = ag_arena_new(),
		        .text = AG_BUF_INIT(AG_STORE_MAX_PAYLOAD_BYTES / 8) };
	if (opts->agent->keeps_text) {
		opts->planner->say = ag_loop_say;
		opts->planner->say_arg = l;
	}
	ag_live_enter(opts->live, &l->live, &opts->row.id);
	l->own_ctx.cancel_run = &l->live.cancel;
	l->ctx = &l->own_ctx;
	opts->budget = ag_agent_budget(opts->agent, &opts->budget);
	if (!opts->budget.iterations)
		opts->budget.iterations = opts->planner->type->default_iterations;
	l->mono_start_ms = opts->budget.since_ms ? opts->budget.since_ms
	                                         : ag_clock_mono(ctx->clock);
}

void ag_loop_close(ag_loop *l)
{
	ag_live_leave(l->opts->live, &l->live);
	l->opts->planner->say = NULL;
	ag_buf_release(&l->text);
	free(l->pending);
	free(l->findings);
	ag_arena_free(l->step);
}

ag_status ag_loop_run(const ag_ctx *ctx, ag_run_opts *opts, ag_arena *arena, ag_run_result *ret,
                      ag_err *err)
{
	ag_status st;
	ag_loop l;

	ag_loop_open(&l, ctx, opts, arena, ret);
	st = ag_loop_begin(&l, err);
	if (!st)
		ag_loop_go_on(&l, NULL, 0);
	ag_loop_close(&l);
	return st;
}
