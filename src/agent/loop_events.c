/* loop_events -- payloads of the loop's events, and the one place where an event is committed.
 *
 * An event is queued with the rows that follow from it and applied to the state; a flush commits the queue in one
 * batch and then shows it. The loop flushes before a tool runs, before a model is asked and at the end of each step. Only the
 * first and the last of these wait for the disk: what a crash of the machine may lose is asked again. Where no model is asked
 * that costs next to nothing, so these wait at most once in DISK_MS: a run over a tiny collection waits at its begin and at
 * its end. A crash of the program loses nothing either way. The finish is applied
 * before its rows are derived, because the report that is committed with it is made from the state. */
#include "agent/loop_events.h"

#include "base/json.h"
#include "base/log.h"
#include "query/extjson.h"
#include "run/owner.h"
#include "store/ledger.h"

#define PAYLOAD_MAX_BYTES AG_STORE_MAX_PAYLOAD_BYTES
#define DISK_MS           1000

static ag_event make_event(ag_loop *l, ag_event_type type, ag_str payload)
{
	ag_event ev = {
		.v = AG_EVENT_VERSION,
		.run = l->opts->row.id,
		.seq = l->seq + 1,
		.type = type,
		.at_ms = ag_clock_wall(l->ctx->clock),
		.payload = payload,
	};

	if (type == AG_EV_TOOL_INPUT || type == AG_EV_TOOL_OUTPUT || type == AG_EV_PROPOSAL ||
	    type == AG_EV_FINDING || type == AG_EV_VERDICT)
		ev.call_id = l->call_id;
	switch (type) {
	case AG_EV_PROPOSAL:
	case AG_EV_RUN_STARTED:
	case AG_EV_RUN_RESUMED:
	case AG_EV_RUN_FINISHED:
	case AG_EV_HISTORY: break;
	default: ev.cause = l->cause;
	}
	return ev;
}

/* What the agent derives from one event: finding rows, on the last event the report. */
static ag_status derive(ag_loop *l, const ag_event *ev, ag_store_batch *batch, ag_err *err)
{
	const ag_agent *agent = l->opts->agent;
	ag_status st;

	if (!agent->derive)
		return AG_OK;
	st = agent->derive(l->opts->env, l->step, ev, &l->opts->row, batch, err);
	if (st)
		return st;
	AG_ASSERT(l->nfinding + batch->nfinding <= AG_LOOP_PENDING_MAX);
	if (batch->nfinding && !l->findings)
		l->findings = ag_xcalloc(AG_LOOP_PENDING_MAX, sizeof(*l->findings));
	if (batch->nfinding)
		memcpy(&l->findings[l->nfinding], batch->findings,
		       batch->nfinding * sizeof(*l->findings));
	l->nfinding += batch->nfinding;
	return AG_OK;
}

static bool has_durable(const ag_loop *l)
{
	for (size_t i = 0; i < l->npending; i++) {
		if (ag_event_type_durable(l->pending[i].type))
			return true;
	}
	return false;
}

static ag_store_when when_on_disk(const ag_loop *l, bool to_disk)
{
	if (l->opts->agent->never_resumed)
		return AG_STORE_LAZY;
	return to_disk && (l->owes_disk || has_durable(l)) ? AG_STORE_NOW : AG_STORE_SOON;
}

/* ret: room for 3. The first batch of a run takes its lease, the last one gives back what is held. */
static size_t leases_of(const ag_loop *l, bool is_last, ag_store_leased *ret)
{
	const int64_t now_ms = ag_clock_wall(l->ctx->clock);
	const ag_store_leased *held = &l->opts->held;
	size_t n = 0;

	if (l->is_new)
		ret[n++] = (ag_store_leased){ l->opts->row.id, l->owner, now_ms, AG_LOOP_LEASE_MS };
	if (is_last && l->lease_until_ms)
		ret[n++] = (ag_store_leased){ l->opts->row.id, l->owner, now_ms, 0 };
	if (is_last && held->owner.len)
		ret[n++] = (ag_store_leased){ held->run, held->owner, now_ms, 0 };
	return n;
}

/* The leases of a batch that was committed. */
static void note_leases(ag_loop *l, bool is_last, const ag_store_leased *leases)
{
	if (l->is_new)
		l->lease_until_ms = leases[0].now_ms + leases[0].ttl_ms;
	if (is_last) {
		l->lease_until_ms = 0;
		l->ret->has_given = l->opts->held.owner.len > 0;
	}
	l->is_new = false;
}

/* What a batch has beside the events. */
typedef enum commit_kind { WITH_EVENTS, WITH_ROW, WITH_END } commit_kind;

static ag_status commit(ag_loop *l, commit_kind kind, bool to_disk, ag_str report, ag_err *err)
{
	ag_store_leased leases[3];
	const bool owes_disk = l->owes_disk || has_durable(l);
	const ag_store_batch batch = {
		.events = l->pending,
		.nevent = l->npending,
		.findings = l->findings,
		.nfinding = l->nfinding,
		.run = kind == WITH_EVENTS ? NULL : &l->opts->row,
		.report = report,
		.is_quiet = l->opts->agent->is_quiet,
		.leases = leases,
		.nlease = leases_of(l, kind == WITH_END, leases),
		.on_disk = when_on_disk(l, to_disk),
	};
	const size_t n = l->npending;
	ag_status st;

	if (!n)
		return AG_OK;
	/* Whatever comes of it, the same events are not sent twice. */
	l->npending = l->nfinding = 0;
	st = ag_store_commit(l->opts->store, &l->opts->row.id, &batch, err);
	if (st) {
		l->seq = l->pending[0].seq - 1; /* the log goes on where it really ends */
		return st;
	}
	note_leases(l, kind == WITH_END, leases);
	l->owes_disk = owes_disk && batch.on_disk != AG_STORE_NOW;
	if (batch.on_disk == AG_STORE_NOW)
		l->on_disk_ms = ag_clock_mono(l->ctx->clock);
	for (size_t i = 0; i < n && l->opts->on_event; i++)
		l->opts->on_event(l->opts->on_event_arg, &l->pending[i]);
	if (l->opts->on_event && l->opts->on_commit)
		l->opts->on_commit(l->opts->on_event_arg);
	return AG_OK;
}

ag_status ag_loop_flush(ag_loop *l, ag_err *err)
{
	return commit(l, WITH_EVENTS, false, AG_S(""), err);
}

/* Is what a power failure would lose made again for nothing, and little? */
static bool may_wait_for_disk(const ag_loop *l)
{
	const ag_run_opts *o = l->opts;
	bool asks_model = o->planner->type->asks_model || l->has_effect;

	for (unsigned g = 0; g < AG_NGATE; g++)
		asks_model = asks_model || (o->gates[g] && o->gates[g]->asks_model);
	return !asks_model && ag_clock_mono(l->ctx->clock) - l->on_disk_ms < DISK_MS;
}

ag_status ag_loop_flush_to_disk(ag_loop *l, ag_err *err)
{
	const bool may_wait = may_wait_for_disk(l);
	ag_status st = commit(l, WITH_EVENTS, !may_wait, AG_S(""), err);

	if (may_wait)
		return st;

	/* Another flush has committed it: nothing was queued. */
	if (!st && l->owes_disk && !l->opts->agent->never_resumed) {
		st = ag_store_sync(l->opts->store, err);
		l->owes_disk = st != AG_OK;
	}
	return st;
}

/* Keys are taken out before anything is written, wherever they come from: data, a model, an error. State and report
 * are made of the same bytes. */
static ag_status without_keys(ag_loop *l, ag_str payload, ag_str *ret, ag_err *err)
{
	ag_buf out = AG_BUF_INIT(2 * (size_t)PAYLOAD_MAX_BYTES);
	ag_status st = AG_OK;

	if (ag_log_clean(payload, &out))
		*ret = ag_buf_dup(l->step, &out);
	else
		st = ag_fail(err, AG_INVALID, "agent.loop",
		             "keys cannot be kept out of the log: there are too many of them");
	if (!st && out.failed)
		st = ag_fail(err, AG_LIMIT, "agent.loop", "an event is larger than %u bytes",
		             PAYLOAD_MAX_BYTES);
	ag_buf_release(&out);
	return st;
}

static void queue_event(ag_loop *l, const ag_event *ev)
{
	if (l->npending == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 8;
		l->pending = ag_xrealloc(l->pending, l->cap * sizeof(*l->pending));
	}
	l->pending[l->npending++] = *ev;
}

ag_status ag_loop_emit(ag_loop *l, ag_event_type type, ag_str payload, ag_err *err)
{
	ag_store_batch derived = { 0 };
	ag_event ev;
	ag_status st = without_keys(l, payload, &payload, err);

	if (st)
		return st;
	ev = make_event(l, type, payload);
	if (l->npending == AG_LOOP_PENDING_MAX) {
		st = ag_loop_flush(l, err);
		if (st)
			return st;
	}
	st = derive(l, &ev, &derived, err);
	if (st)
		return st;
	queue_event(l, &ev);
	l->seq = ev.seq;
	if (type == AG_EV_PROPOSAL)
		l->cause = ev.seq;
	return l->opts->agent->apply(l->opts->state, &ev, err);
}

/* Hand the writer's bytes over as a payload. */
static ag_status emit_buf(ag_loop *l, ag_event_type type, ag_buf *buf, ag_err *err)
{
	ag_status st;

	if (buf->failed)
		st = ag_fail(err, AG_LIMIT, "agent.loop", "a %s event is larger than %u bytes",
		             ag_event_type_text(type), PAYLOAD_MAX_BYTES);
	else
		st = ag_loop_emit(l, type, ag_buf_view(buf), err);
	ag_buf_release(buf);
	return st;
}

ag_status ag_loop_lease(ag_loop *l, int64_t ttl_ms, ag_err *err)
{
	const int64_t now = ag_clock_wall(l->ctx->clock);
	ag_status st;

	if (l->lease_until_ms - now > ttl_ms / 2)
		return AG_OK;
	st = ag_store_lease(l->opts->store, &l->opts->row.id, l->owner, now, ttl_ms, err);
	if (!st)
		l->lease_until_ms = now + ttl_ms;
	return st;
}

void ag_loop_release(ag_loop *l)
{
	ag_err ignored;

	if (l->lease_until_ms)
		AG_IGNORE(ag_store_lease(l->opts->store, &l->opts->row.id, l->owner,
		                         ag_clock_wall(l->ctx->clock), 0, &ignored),
		          "it runs out by itself");
	l->lease_until_ms = 0;
}

/* {"text":"…"}, or {"void":true}: what was said of this reply is void. */
static void emit_text(ag_loop *l, bool is_void)
{
	ag_buf out = AG_BUF_INIT(PAYLOAD_MAX_BYTES);
	ag_err ignored = { 0 };
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	if (is_void)
		ag_jw_kbool(&w, "void", true);
	else
		ag_jw_kstr(&w, "text", ag_buf_view(&l->text));
	ag_jw_obj_end(&w);
	ag_buf_clear(&l->text);
	l->text_due_ms = ag_clock_mono(l->ctx->clock) + AG_LOOP_TEXT_MS;
	if (!emit_buf(l, AG_EV_TEXT_DELTA, &out, &ignored))
		AG_IGNORE(ag_loop_flush(l, &ignored), "the next flush meets it again");
}

void ag_loop_say(void *arg, ag_str text, bool is_void, bool more)
{
	ag_loop *l = arg;

	if (is_void) {
		emit_text(l, true);
		return;
	}
	ag_buf_add(&l->text, text);
	if (l->text.len && !more && ag_clock_mono(l->ctx->clock) >= l->text_due_ms)
		emit_text(l, false);
}

/* The first batch of a sitting: how it begins, and what the agent opens it with. */
static ag_status open_sitting(ag_loop *l, ag_event_type type, ag_str payload, ag_err *err)
{
	ag_status st = ag_loop_emit(l, type, payload, err);

	AG_ASSERT(l->opts->nopening < AG_LOOP_PENDING_MAX);
	for (size_t i = 0; i < l->opts->nopening && !st; i++)
		st = ag_loop_emit(l, l->opts->opening[i].type, l->opts->opening[i].payload, err);
	return st ? st : commit(l, WITH_ROW, true, AG_S(""), err);
}

static void name_owner(ag_loop *l)
{
	l->owner = ag_owner_new(l->ctx->clock, l->arena);
	l->opts->row.status = AG_S("running");
}

ag_status ag_loop_begin(ag_loop *l, ag_err *err)
{
	name_owner(l);
	l->is_new = true;
	l->opts->row.started_ms = ag_clock_wall(l->ctx->clock);
	return open_sitting(l, AG_EV_RUN_STARTED, l->opts->started, err);
}

ag_status ag_loop_begin_again(ag_loop *l, ag_str resumed, ag_err *err)
{
	ag_status st;

	name_owner(l);
	l->opts->row.verdict = AG_S("");
	l->opts->row.finished_ms = 0;
	st = ag_loop_lease(l, AG_LOOP_LEASE_MS, err);
	if (st)
		return st;
	st = open_sitting(l, AG_EV_RUN_RESUMED, resumed, err);
	if (st)
		ag_loop_release(l);
	return st;
}

/* {"iteration":1,"call_id":"…","reasoning":"…","action":"run_query","action_input":{…},"confidence":0.9} */
ag_status ag_loop_emit_proposal(ag_loop *l, const ag_proposal *p, const ag_val *input, ag_err *err)
{
	ag_buf out = AG_BUF_INIT(PAYLOAD_MAX_BYTES);
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kuint(&w, "iteration", l->iteration);
	ag_jw_kstr(&w, "call_id", ag_id_str(&l->call_id));
	ag_jw_kstr(&w, "reasoning", p->reasoning);
	ag_jw_kstr(&w, "action", p->action);
	if (input)
		ag_jw_kraw(&w, "action_input", ag_extjson_str(l->step, input, AG_EXTJSON_RELAXED));
	else if (!p->is_final)
		ag_jw_kstr(&w, "action_input_text", p->input);
	ag_jw_kdouble(&w, "confidence", p->confidence);
	if (p->text.len)
		ag_jw_kstr(&w, "text", p->text);
	if (p->turn.len)
		ag_jw_kraw(&w, "turn", p->turn);
	if (p->is_final)
		ag_jw_kbool(&w, "final", true);
	if (p->partial_why.len)
		ag_jw_kstr(&w, "partial_why", p->partial_why);
	ag_jw_obj_end(&w);
	return emit_buf(l, AG_EV_PROPOSAL, &out, err);
}

ag_status ag_loop_emit_verdict(ag_loop *l, ag_gate gate, ag_str target_id, const ag_verdict *v,
                               ag_err *err)
{
	const ag_id id = ag_id_new(l->ctx->clock);
	ag_buf out = AG_BUF_INIT(PAYLOAD_MAX_BYTES);
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "id", ag_id_str(&id));
	ag_jw_kstr(&w, "gate", ag_str_c(ag_gate_name(gate)));
	ag_jw_kstr(&w, "target_id", target_id);
	ag_jw_kuint(&w, "iteration", l->iteration);
	ag_jw_kstr(&w, "verdict", ag_str_c(ag_verdict_name(v->kind)));
	ag_jw_kdouble(&w, "score", v->score);
	ag_jw_kstr(&w, "reason", v->reason);
	if (v->critique.len)
		ag_jw_kstr(&w, "critique", v->critique);
	else
		ag_jw_knull(&w, "critique");
	ag_jw_kstr(&w, "evaluated_by", v->evaluated_by);
	if (v->disposition != AG_DISPOSE_BY_VERDICT)
		ag_jw_kstr(&w, "disposition", ag_str_c(ag_disposition_name(v->disposition)));
	ag_jw_obj_end(&w);
	return emit_buf(l, AG_EV_VERDICT, &out, err);
}

ag_status ag_loop_emit_critique(ag_loop *l, ag_gate gate, ag_str text, ag_err *err)
{
	ag_buf out = AG_BUF_INIT(PAYLOAD_MAX_BYTES);
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "gate", ag_str_c(ag_gate_name(gate)));
	ag_jw_kstr(&w, "text", text);
	ag_jw_obj_end(&w);
	return emit_buf(l, AG_EV_CRITIQUE, &out, err);
}

ag_status ag_loop_emit_input(ag_loop *l, const ag_tool *t, const ag_val *input, ag_err *err)
{
	ag_buf out = AG_BUF_INIT(PAYLOAD_MAX_BYTES);
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "tool", ag_str_c(t->name));
	ag_jw_kbool(&w, "reads_only", (t->flags & AG_TOOL_READS) != 0);
	ag_jw_kraw(&w, "input", ag_extjson_str(l->step, input, AG_EXTJSON_RELAXED));
	ag_jw_obj_end(&w);
	return emit_buf(l, AG_EV_TOOL_INPUT, &out, err);
}

ag_status ag_loop_emit_output(ag_loop *l, const ag_tool *t, const ag_observation *obs,
                              const ag_err *why, int64_t latency_ms, ag_err *err)
{
	ag_buf out = AG_BUF_INIT(PAYLOAD_MAX_BYTES);
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "tool", ag_str_c(t->name));
	ag_jw_kbool(&w, "ok", obs != NULL);
	ag_jw_kint(&w, "latency_ms", latency_ms);
	if (obs) {
		ag_jw_kstr(&w, "summary", obs->summary);
		if (obs->target_id.len)
			ag_jw_kstr(&w, "target_id", obs->target_id);
		if (obs->is_error)
			ag_jw_kbool(&w, "is_error", true);
		ag_jw_kraw(&w, "result", obs->json);
	} else {
		ag_jw_kstr(&w, "summary", ag_str_c(why->msg));
		ag_jw_kkey(&w, "error");
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "status", ag_str_c(ag_status_name(why->status)));
		ag_jw_kstr(&w, "message", ag_str_c(why->msg));
		ag_jw_kstr(&w, "hint", ag_str_c(why->hint));
		ag_jw_obj_end(&w);
	}
	ag_jw_obj_end(&w);
	return emit_buf(l, AG_EV_TOOL_OUTPUT, &out, err);
}

/* {"iteration":3,"purpose":"planner","name":"default","model":"…","input_tokens":900, … "usd":0.001,"ok":true} */
static ag_status emit_charge(ag_loop *l, const ag_llm_charge *c, ag_err *err)
{
	ag_buf out = AG_BUF_INIT(PAYLOAD_MAX_BYTES);
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kuint(&w, "iteration", l->iteration);
	ag_jw_kstr(&w, "purpose", c->purpose);
	ag_jw_kstr(&w, "name", c->name);
	ag_jw_kstr(&w, "model", c->model);
	ag_jw_kstr(&w, "provider", c->provider);
	ag_jw_kuint(&w, "input_tokens", c->usage.input_tokens);
	ag_jw_kuint(&w, "output_tokens", c->usage.output_tokens);
	ag_jw_kuint(&w, "cached_tokens", c->usage.cached_tokens);
	ag_jw_kuint(&w, "cache_write_tokens", c->usage.cache_write_tokens);
	ag_jw_kuint(&w, "thinking_tokens", c->usage.thinking_tokens);
	ag_jw_kbool(&w, "estimated", c->usage.is_estimated);
	ag_jw_kdouble(&w, "usd", c->usd);
	ag_jw_kbool(&w, "priced", c->is_priced);
	if (c->doubted_tokens) {
		ag_jw_kuint(&w, "doubted_tokens", c->doubted_tokens);
		ag_jw_kdouble(&w, "doubted_usd", c->doubted_usd);
	}
	ag_jw_kuint(&w, "attempts", c->attempts);
	ag_jw_kint(&w, "latency_ms", c->latency_ms);
	ag_jw_kbool(&w, "ok", c->ok);
	ag_jw_obj_end(&w);
	return emit_buf(l, AG_EV_USAGE, &out, err);
}

ag_status ag_loop_emit_usage(ag_loop *l, ag_err *err)
{
	ag_llm_meter *m = l->opts->meter;
	ag_status st = AG_OK;

	for (size_t i = 0; m && i < m->npending && !st; i++)
		st = emit_charge(l, &m->pending[i], err);
	if (m)
		m->npending = 0;
	return st;
}

/* {"status":"ok","why":"…","iterations":9,"calls":7,"verdict":{…}|null,"data_cost":…,"appendix":…} */
static void finish_payload(const ag_loop *l, ag_str appendix, ag_buf *out)
{
	const ag_run_result *r = l->ret;
	const ag_agent *agent = l->opts->agent;
	const ag_str data_cost = agent->data_cost
	                                 ? agent->data_cost(l->opts->env, l->step, &(ag_str){ 0 })
	                                 : AG_S("");
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "status", r->status);
	ag_jw_kstr(&w, "why", r->why);
	ag_jw_kuint(&w, "iterations", r->iterations);
	ag_jw_kuint(&w, "calls", r->calls);
	ag_jw_kkey(&w, "verdict");
	if (r->has_verdict) {
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "verdict", ag_str_c(ag_verdict_name(r->verdict.kind)));
		ag_jw_kdouble(&w, "score", r->verdict.score);
		ag_jw_kstr(&w, "reason", r->verdict.reason);
		if (r->verdict.critique.len)
			ag_jw_kstr(&w, "critique", r->verdict.critique);
		else
			ag_jw_knull(&w, "critique");
		ag_jw_kstr(&w, "evaluated_by", r->verdict.evaluated_by);
		ag_jw_obj_end(&w);
	} else {
		ag_jw_null(&w);
	}
	if (data_cost.len)
		ag_jw_kraw(&w, "data_cost", data_cost);
	if (appendix.len)
		ag_jw_kraw(&w, "appendix", appendix);
	ag_jw_obj_end(&w);
}

static ag_str appendix_of(const ag_loop *l)
{
	const ag_run_opts *o = l->opts;

	return o->agent->appendix ? o->agent->appendix(o->env, l->ctx, l->step) : AG_S("");
}

/* Applied before its rows are derived: the report is made from the state. */
static ag_status make_finish(ag_loop *l, ag_event *ret, ag_store_batch *ret_derived, ag_err *err)
{
	ag_buf out = AG_BUF_INIT(PAYLOAD_MAX_BYTES);
	ag_status st;

	finish_payload(l, appendix_of(l), &out);
	*ret = make_event(l, AG_EV_RUN_FINISHED, ag_str_dup(l->step, ag_buf_view(&out)));
	ag_buf_release(&out);
	l->opts->row.status = l->ret->status;
	l->opts->row.verdict = l->ret->has_verdict ? ag_str_c(ag_verdict_name(l->ret->verdict.kind))
	                                           : AG_S("");
	l->opts->row.finished_ms = ret->at_ms;
	st = l->opts->agent->apply(l->opts->state, ret, err);
	return st ? st : derive(l, ret, ret_derived, err);
}

ag_status ag_loop_finish(ag_loop *l, ag_err *err)
{
	ag_store_batch derived = { 0 };
	ag_err ignored = { 0 };
	ag_status st = AG_OK;
	ag_event ev;

	/* What is queued is committed with the end, where there is room for both. */
	if (l->npending == AG_LOOP_PENDING_MAX || l->nfinding)
		st = ag_loop_flush(l, err);
	if (st)
		return st;
	st = make_finish(l, &ev, &derived, err);
	if (st) {
		AG_IGNORE(ag_loop_flush(l, &ignored), "the run has no end, and says why");
		return st;
	}
	queue_event(l, &ev);
	l->seq = ev.seq;
	return commit(l, WITH_END, true, derived.report, err);
}
