/* loop_resume -- where a run stands, read from its log; from there the loop goes on.
 *
 * Any prefix of a log will do: the last proposals and the events after them say how far their calls came (ag_loop_done).
 * loop_calls.c is then given these calls: what the log holds it takes as done, the rest it does. Behind a run_finished
 * of an earlier sitting stands nothing of a step, so a log is read the same with and without one. */
#include "agent/loop_events.h"
#include "query/extjson.h"

#define ORIGIN "agent.resume"

/* What reading the log has found so far. */
typedef struct place {
	ag_loop *l;
	/* Of the last proposal, and of those before it whose calls ran at the same time. */
	ag_loop_done *calls_done;
	size_t ndone, cap;
	ag_loop_done none; /* used when the log has no proposal yet */
	unsigned calls;
	bool is_complete; /* the last run_finished said ok */
	/* Of the run gate: the latest verdict of a step before this one, and the tool calls that were made then. */
	ag_verdict before;
	bool has_before;
	unsigned calls_before, calls_at_verdict;
	/* Of the run gate: the latest verdict of all, while no person said a word after it. */
	ag_verdict newest;
	bool has_newest;
	unsigned calls_at_newest;
	/* On a run that was out of budget, with nothing behind it but the ends of sittings. */
	bool has_end;
	ag_verdict end;
} place;

static bool kind_of(ag_str text, ag_verdict_kind *ret)
{
	for (int k = AG_PASS; k <= AG_FAIL; k++)
		if (ag_str_eqc(text, ag_verdict_name((ag_verdict_kind)k))) {
			*ret = (ag_verdict_kind)k;
			return true;
		}
	return false;
}

static int gate_of(const ag_val *p)
{
	int g = 0;

	while (g < AG_NGATE && !ag_str_eqc(ag_val_member_str(p, "gate"), ag_gate_name((ag_gate)g)))
		g++;
	return g;
}

static bool read_verdict(const ag_val *p, ag_verdict *ret)
{
	const ag_str disposition = ag_val_member_str(p, "disposition");

	*ret = (ag_verdict){
		.score = ag_val_member_num(p, "score"),
		.reason = ag_val_member_str(p, "reason"),
		.critique = ag_val_member_str(p, "critique"),
		.evaluated_by = ag_val_member_str(p, "evaluated_by"),
	};
	for (int d = AG_DISPOSE_REVIEW; d <= AG_DISPOSE_DROP; d++)
		if (ag_str_eqc(disposition, ag_disposition_name((ag_disposition)d)))
			ret->disposition = (ag_disposition)d;
	return kind_of(ag_val_member_str(p, "verdict"), &ret->kind);
}

static ag_loop_done *last_done(place *at)
{
	return at->ndone ? &at->calls_done[at->ndone - 1] : &at->none;
}

/* The call that an event is about. */
static ag_loop_done *done_of(place *at, const ag_event *ev)
{
	for (size_t i = 0; i < at->ndone; i++) {
		if (at->calls_done[i].seq == ev->cause)
			return &at->calls_done[i];
	}
	return last_done(at);
}

/* One more call. Where all earlier ones have ended it begins a step. */
static ag_loop_done *push_done(place *at)
{
	bool is_open = false;

	for (size_t i = 0; i < at->ndone; i++)
		is_open = is_open ||
		          (at->calls_done[i].has_intent && !at->calls_done[i].has_output);
	if (!is_open)
		at->ndone = 0;
	if (at->ndone == at->cap) {
		const size_t cap = at->cap ? 2 * at->cap : 4;
		ag_loop_done *grown = ag_new_n(at->l->arena, ag_loop_done, cap);

		if (at->ndone)
			memcpy(grown, at->calls_done, at->ndone * sizeof(*grown));
		at->calls_done = grown;
		at->cap = cap;
	}
	return &at->calls_done[at->ndone++];
}

static void read_proposal(place *at, const ag_event *ev, const ag_val *p)
{
	const ag_val *input = ag_val_getc(p, "action_input");
	const ag_verdict *before = last_done(at)->verdict[AG_GATE_RUN];

	if (before) {
		at->before = *before;
		at->has_before = true;
		at->calls_before = at->calls_at_verdict;
	}
	at->has_end = false;
	*push_done(at) = (ag_loop_done){
		.has_proposal = true,
		.seq = ev->seq,
		.iteration = (unsigned)ag_val_member_u64(p, "iteration"),
		.call_id = ev->call_id,
		.proposal = {
			.reasoning = ag_val_member_str(p, "reasoning"),
			.action = ag_val_member_str(p, "action"),
			.input = input ? ag_extjson_str(at->l->arena, input, AG_EXTJSON_RELAXED)
			               : ag_val_member_str(p, "action_input_text"),
			.confidence = ag_val_member_num(p, "confidence"),
			.text = ag_val_member_str(p, "text"),
			.is_final = ag_val_member_bool(p, "final"),
			.partial_why = ag_val_member_str(p, "partial_why"),
		},
	};
}

/* Did the action gate let a conclusion through? Then the run gate was asked because of it. */
static bool is_conclusion(const place *at, const ag_loop_done *d)
{
	void *env;
	const ag_tool *t = ag_run_tool(at->l->opts, d->proposal.action, &env);
	const ag_verdict *v = d->verdict[AG_GATE_ACTION];

	if (d->has_proposal && d->proposal.is_final)
		return true;
	if (!d->has_proposal || !t || !(t->flags & AG_TOOL_CONCLUDES))
		return false;
	if (!v)
		return !at->l->opts->gates[AG_GATE_ACTION] && !d->ncritique;
	return v->kind != AG_FAIL && d->ncritique <= (v->kind != AG_PASS);
}

static void read_judgement(place *at, ag_loop_done *d, const ag_val *p)
{
	const int g = gate_of(p);
	ag_verdict *v = ag_new(at->l->arena, ag_verdict);

	if (g == AG_NGATE || !read_verdict(p, v))
		return; /* of a newer Argus: as if it had not been judged */
	if (g == AG_GATE_RUN) {
		at->newest = *v;
		at->has_newest = true;
		at->calls_at_newest = at->calls;
	}
	if (g != AG_GATE_RUN || is_conclusion(at, d)) {
		d->verdict[g] = v;
		at->has_end = false;
		if (g == AG_GATE_RUN)
			at->calls_at_verdict = at->calls;
		return;
	}
	at->has_end = true;
	at->end = *v;
}

static void read_critique(ag_loop_done *d, const ag_val *p)
{
	switch (gate_of(p)) {
	case AG_GATE_ACTION:
		if (d->has_output)
			d->told_failure = true;
		else
			d->ncritique++;
		break;
	case AG_GATE_OBSERVATION: d->told_finding = true; break;
	case AG_GATE_RUN: d->told_run = true; break;
	default: break;
	}
}

static void read_output(const place *at, ag_loop_done *d, const ag_val *p)
{
	const ag_val *result = ag_val_getc(p, "result"), *error = ag_val_getc(p, "error");
	ag_observation *obs;

	d->has_output = true;
	if (error || !result) {
		d->message = ag_val_member_str(error, "message");
		d->hint = ag_val_member_str(error, "hint");
		return;
	}
	d->obs = obs = ag_new(at->l->arena, ag_observation);
	obs->json = ag_extjson_str(at->l->arena, result, AG_EXTJSON_RELAXED);
	obs->summary = ag_val_member_str(p, "summary");
	obs->target_id = ag_val_member_str(p, "target_id");
	obs->is_error = ag_val_member_bool(p, "is_error");
}

static ag_status read_event(place *at, const ag_event *ev, ag_err *err)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_val p;
	ag_status st = ag_extjson_parse(ev->payload, &opts, at->l->arena, &p, NULL, NULL, err);

	if (st)
		return st;
	switch (ev->type) {
	case AG_EV_PROPOSAL: read_proposal(at, ev, &p); break;
	case AG_EV_VERDICT: read_judgement(at, done_of(at, ev), &p); break;
	case AG_EV_CRITIQUE: read_critique(done_of(at, ev), &p); break;
	case AG_EV_TOOL_INPUT:
		done_of(at, ev)->has_intent = true;
		at->calls++;
		break;
	case AG_EV_TOOL_OUTPUT: read_output(at, done_of(at, ev), &p); break;
	case AG_EV_FINDING: done_of(at, ev)->has_finding = true; break;
	case AG_EV_REVIEW: at->has_newest = false; break;
	case AG_EV_RUN_FINISHED:
		at->is_complete = ag_str_eqc(ag_val_member_str(&p, "status"), "ok");
		break;
	default: break;
	}
	/* A verdict at the end of the budget holds until something is done. */
	if (ev->type == AG_EV_CRITIQUE || ev->type == AG_EV_TOOL_INPUT ||
	    ev->type == AG_EV_TOOL_OUTPUT || ev->type == AG_EV_FINDING)
		at->has_end = false;
	return AG_OK;
}

static ag_status read_log(place *at, const ag_event *events, size_t n, ag_err *err)
{
	ag_status st = AG_OK;

	if (!n || events[0].type != AG_EV_RUN_STARTED)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "run %s has no events",
		               at->l->opts->row.id.text);
	for (size_t i = 0; i < n && !st; i++)
		st = read_event(at, &events[i], err);
	if (st)
		return st;
	if (at->is_complete)
		return ag_fail(err, AG_INVALID, ORIGIN, "run %s is complete",
		               at->l->opts->row.id.text);
	return AG_OK;
}

/* Where the loop stands. */
static void take_place(ag_loop *l, place *at, const ag_event *events, size_t n)
{
	const ag_loop_done *last = last_done(at);
	const ag_evaluator *gate = l->opts->gates[AG_GATE_RUN];

	l->seq = events[n - 1].seq;
	l->cause = last->seq;
	l->call_id = last->call_id;
	l->judged_calls = at->calls_before;
	l->ret->iterations = l->iteration = last->iteration;
	l->ret->calls = at->calls;
	l->ret->has_verdict = at->has_before;
	l->ret->verdict = at->before;
	l->end_verdict = at->end;
	if (at->has_newest && gate && gate->recall)
		gate->recall(gate, ag_loop_run_stamp(at->calls_at_newest), &at->newest);
}

ag_status ag_loop_resume(const ag_ctx *ctx, ag_run_opts *opts, const ag_event *events,
                         size_t nevent, ag_str resumed, ag_arena *arena, ag_run_result *ret,
                         ag_err *err)
{
	ag_loop l;
	place at = { .l = &l };
	ag_status st;

	ag_loop_open(&l, ctx, opts, arena, ret);
	st = read_log(&at, events, nevent, err);
	if (!st) {
		take_place(&l, &at, events, nevent);
		st = ag_loop_begin_again(&l, resumed, err);
	}
	if (!st) {
		/* Here, because the sitting's own events stand behind the verdict as well. */
		l.end_seq = at.has_end ? l.seq : 0;
		ag_loop_go_on(&l, at.calls_done, at.ndone);
	}
	ag_loop_close(&l);
	return st;
}
