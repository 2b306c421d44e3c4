/* state_apply -- one event changes the state; the same function runs live and when a state is rebuilt.
 *
 * Payloads are parsed into the state's arena, because trace and findings keep what they hold. What counts as
 * investigated is decided here, from outputs alone: get_stats and profile_fields count for the fields they really
 * looked at, a query for at most three schema paths of its filter, so naming many (or invented) paths gains nothing. */
#include <stdlib.h>
#include <xxhash.h>

#include "agent/tool.h"
#include "audit/state_history.h"
#include "guard/docquery.h"
#include "llm/meter.h"
#include "query/extjson.h"

#define PATHS_PER_QUERY 3

#define GROW(list, arena_)                                                                        \
	do {                                                                                      \
		if ((list)->n == (list)->cap) {                                                   \
			const size_t ncap = (list)->cap ? 2 * (list)->cap : 16;                   \
			void *grown = ag_arena_alloc((arena_), ncap * sizeof(*(list)->items));    \
			if ((list)->n)                                                            \
				memcpy(grown, (list)->items, (list)->n * sizeof(*(list)->items)); \
			(list)->items = grown;                                                    \
			(list)->cap = ncap;                                                       \
		}                                                                                 \
	} while (0)

static ag_trace_entry *trace_of(ag_audit_state *s, ag_str call_id)
{
	for (size_t i = s->trace.n; i-- > 0;)
		if (ag_str_eq(s->trace.items[i].call_id, call_id))
			return &s->trace.items[i];
	return NULL;
}

/* The schema path that a path of a query stands on: itself, or the nearest one above (arrays are leaves). */
static ag_schema_path *schema_find(ag_audit_state *s, ag_str path)
{
	while (path.len) {
		size_t lo = 0, hi = s->schema.n;

		while (lo < hi) {
			const size_t mid = (lo + hi) / 2;
			const int order = ag_str_cmp(s->schema.items[mid].path, path);

			if (!order)
				return &s->schema.items[mid];
			if (order < 0)
				lo = mid + 1;
			else
				hi = mid;
		}
		while (path.len && path.ptr[path.len - 1] != '.')
			path.len--;
		if (path.len)
			path.len--;
	}
	return NULL;
}

static void mark_investigated(ag_audit_state *s, ag_str path)
{
	ag_schema_path *p = schema_find(s, path);

	if (p)
		p->investigated = true;
}

static void mark_query(ag_audit_state *s, const ag_val *query)
{
	ag_safe_query q;
	ag_err ignored;
	const ag_str *paths;
	size_t n;
	bool whole;
	ag_status st = query->type == AG_T_STRING
	                       ? ag_docquery_parse(ag_val_text(query), s->arena, &q, &ignored)
	                       : ag_docquery_check(query, s->arena, &q, &ignored);

	if (st)
		return;
	if (q.filter)
		ag_filter_paths(q.filter, s->arena, &paths, &n);
	else
		ag_pipeline_paths(q.pipeline, s->arena, &paths, &n, &whole);
	for (size_t i = 0, marked = 0; i < n && marked < PATHS_PER_QUERY; i++) {
		const ag_schema_path *p = schema_find(s, paths[i]);

		if (!p || !p->is_data)
			continue;
		mark_investigated(s, paths[i]);
		marked++;
	}
}

static int by_path(const void *a, const void *b)
{
	return ag_str_cmp(((const ag_schema_path *)a)->path, ((const ag_schema_path *)b)->path);
}

static bool is_id(ag_str path)
{
	return ag_str_eqc(path, "_id") || ag_str_starts(path, AG_S("_id."));
}

/* A new sample replaces the schema; what was investigated stays so. */
static void apply_schema(ag_audit_state *s, const ag_val *result)
{
	const ag_val *fields = ag_val_getc(result, "fields");
	const uint64_t sampled = ag_val_member_u64(result, "documents_sampled");
	const ag_schema_path *old = s->schema.items;
	const size_t nold = s->schema.n;
	ag_schema_path *items;

	s->has_schema = true;
	if (sampled > s->documents_sampled)
		s->documents_sampled = sampled;
	if (!fields || fields->type != AG_T_ARRAY)
		return;
	items = ag_new_n(s->arena, ag_schema_path, fields->n ? fields->n : 1);
	for (uint32_t i = 0; i < fields->n; i++) {
		const ag_val *container = ag_val_getc(&fields->u.items[i], "container");

		items[i].path = ag_val_member_str(&fields->u.items[i], "path");
		items[i].is_data = !(container && ag_val_truthy(container)) &&
		                   !is_id(items[i].path);
	}
	qsort(items, fields->n, sizeof(*items), by_path);
	s->schema.items = items;
	s->schema.n = s->schema.cap = fields->n;
	for (size_t i = 0; i < nold; i++) {
		ag_schema_path *p = old[i].investigated || old[i].concluded
		                            ? schema_find(s, old[i].path)
		                            : NULL;

		if (!p || !ag_str_eq(p->path, old[i].path))
			continue;
		p->investigated = old[i].investigated;
		p->concluded = old[i].concluded;
	}
}

static void apply_result(ag_audit_state *s, ag_str tool, const ag_val *input, const ag_val *result)
{
	const ag_val *v;

	if (ag_str_eqc(tool, "schema_sample")) {
		apply_schema(s, result);
	} else if (ag_str_eqc(tool, "run_query")) {
		v = ag_val_getc(input, "filter");
		if (v)
			mark_query(s, v);
	} else if (ag_str_eqc(tool, "aggregate")) {
		v = ag_val_getc(input, "pipeline");
		if (v)
			mark_query(s, v);
	} else if (ag_str_eqc(tool, "get_stats")) {
		mark_investigated(s, ag_val_member_str(input, "field"));
	} else if (ag_str_eqc(tool, "profile_fields")) {
		v = ag_val_getc(result, "fields");
		for (uint32_t i = 0; v && v->type == AG_T_ARRAY && i < v->n; i++)
			mark_investigated(s, ag_val_member_str(&v->u.items[i], "path"));
	}
}

static void apply_proposal(ag_audit_state *s, const ag_val *p)
{
	const ag_val *input = ag_val_getc(p, "action_input");
	ag_trace_entry *t;

	GROW(&s->trace, s->arena);
	t = &s->trace.items[s->trace.n++];
	*t = (ag_trace_entry){
		.iteration = (unsigned)ag_val_member_u64(p, "iteration"),
		.call_id = ag_val_member_str(p, "call_id"),
		.reasoning = ag_val_member_str(p, "reasoning"),
		.action = ag_val_member_str(p, "action"),
		.input_text = ag_val_member_str(p, "action_input_text"),
		.confidence = ag_val_member_num(p, "confidence"),
	};
	if (input)
		t->input = ag_extjson_str(s->arena, input, AG_EXTJSON_RELAXED);
	s->iteration = t->iteration;
	/* The critique was shown with the prompt that led to this proposal. */
	s->last_critique = AG_S("");
}

/* What the finding gate is asked about: the finding, and beside it what was claimed. */
static const ag_finding *read_candidate(ag_audit_state *s, const ag_val *result)
{
	const ag_val *v = ag_val_getc(result, "candidate"),
		     *claimed = ag_val_getc(result, "claimed_count"),
		     *pct = ag_val_getc(result, "claimed_pct");
	ag_finding *f = ag_new(s->arena, ag_finding);
	ag_err ignored;

	if (!v || ag_finding_read(v, s->arena, f, &ignored))
		return NULL;
	f->has_claimed_count = claimed && ag_val_to_i64(claimed, &f->claimed_count);
	if (!f->has_claimed_count)
		f->claimed_count = 0;
	f->wrong = ag_val_member_str(result, "wrong");
	f->wrong_critique = ag_val_member_str(result, "wrong_critique");
	f->correction = ag_val_member_str(result, "correction");
	f->has_claimed_share = pct && ag_type_is_number(pct->type);
	if (f->has_claimed_share)
		f->claimed_share = ag_val_number(pct);
	f->status = AG_S("");
	return f;
}

static void apply_output(ag_audit_state *s, const ag_event *ev, const ag_val *p)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_trace_entry *t = trace_of(s, ag_id_str(&ev->call_id));
	const ag_val *ok = ag_val_getc(p, "ok"), *result = ag_val_getc(p, "result");
	const ag_val *error = ag_val_getc(p, "error");
	ag_call_record *call;
	ag_err ignored;
	ag_val input;

	s->last_observation = ag_val_member_str(p, "summary");
	if (!t)
		return;
	t->executed = true;
	t->ok = ok && ag_val_truthy(ok);
	t->latency_ms = (int64_t)ag_val_member_u64(p, "latency_ms");
	t->summary = s->last_observation;
	t->error_status = ag_val_member_str(error, "status");
	t->error = ag_val_member_str(error, "message");
	t->hint = ag_val_member_str(error, "hint");
	if (result)
		t->result = *result;
	if (!t->ok || !result ||
	    ag_extjson_parse(t->input.len ? t->input : AG_S("{}"), &opts, s->arena, &input, NULL,
	                     NULL, &ignored))
		return;
	GROW(&s->calls, s->arena);
	call = &s->calls.items[s->calls.n++];
	*call = (ag_call_record){
		.key = ag_audit_call_key(t->action, &input, s->arena),
		.call_id = t->call_id,
		.tool = t->action,
		.matched = ag_val_member_u64(result, "matched_count"),
		.has_matched = ag_val_getc(result, "matched_count") != NULL,
	};
	call->hash = XXH3_64bits(call->key.ptr, call->key.len);
	apply_result(s, t->action, &input, result);
	if (ag_str_eqc(t->action, "write_finding"))
		s->candidate = read_candidate(s, result);
}

static void apply_verdict(ag_audit_state *s, const ag_event *ev, const ag_val *p)
{
	ag_evaluation *e;

	GROW(&s->evaluations, s->arena);
	e = &s->evaluations.items[s->evaluations.n++];
	*e = (ag_evaluation){
		.id = ag_val_member_str(p, "id"),
		.gate = ag_val_member_str(p, "gate"),
		.target_id = ag_val_member_str(p, "target_id"),
		.verdict = ag_val_member_str(p, "verdict"),
		.reason = ag_val_member_str(p, "reason"),
		.critique = ag_val_member_str(p, "critique"),
		.evaluated_by = ag_val_member_str(p, "evaluated_by"),
		.score = ag_val_member_num(p, "score"),
		.iteration = (unsigned)ag_val_member_u64(p, "iteration"),
		.at_ms = ev->at_ms,
	};
	if (!ag_str_eqc(e->gate, "run"))
		return;
	s->has_run_verdict = true;
	s->run_verdict = *e;
	/* A verdict at the end of the budget is about no step. */
	if (s->trace.n && ag_str_eqc(e->verdict, "fail") &&
	    ag_str_eqc(s->trace.items[s->trace.n - 1].action, "conclude"))
		s->trace.items[s->trace.n - 1].note = AG_S("run gate rejected the conclusion");
}

/* A pair is in one of the two lists: the newest word counts. What is kept outlives its own rejection, and what a person
 * said of it outlives both. */
static void place_finding(ag_audit_state *s, ag_finding *f)
{
	const bool dismissed = ag_str_eqc(f->status, "dismissed");
	const bool kept = ag_str_eqc(f->status, "committed") ||
	                  ag_str_eqc(f->status, "pending_review");
	ag_schema_path *path;
	size_t i;

	for (i = 0; i < s->dismissed.n && !ag_str_eq(s->dismissed.items[i].key, f->key); i++)
		;
	if (i < s->dismissed.n && ag_str_eqc(s->dismissed.items[i].status, "dropped"))
		return; /* by a reviewer, before the run went on */
	if (i < s->dismissed.n && (kept || dismissed)) {
		f->user_label = s->dismissed.items[i].user_label;
		memmove(&s->dismissed.items[i], &s->dismissed.items[i + 1],
		        (s->dismissed.n - i - 1) * sizeof(*f));
		s->dismissed.n--;
	}
	for (i = 0; i < s->findings.n && !ag_str_eq(s->findings.items[i].key, f->key); i++)
		;
	if (i < s->findings.n && !ag_finding_replaces(s->findings.items[i].status, f->status))
		return;
	if (i < s->findings.n)
		f->user_label = s->findings.items[i].user_label;
	if (kept) {
		if (i == s->findings.n) {
			GROW(&s->findings, s->arena);
			s->findings.n++;
		}
		s->findings.items[i] = *f;
		path = schema_find(s, ag_finding_canonical_field(f->field, s->arena));
		if (path)
			path->concluded = true;
	} else if (dismissed) {
		GROW(&s->dismissed, s->arena);
		s->dismissed.items[s->dismissed.n++] = *f;
	}
}

static ag_status apply_finding(ag_audit_state *s, const ag_val *p, ag_err *err)
{
	const ag_val *v = ag_val_getc(p, "finding");
	ag_finding f;
	ag_status st;

	if (!v)
		return ag_fail(err, AG_PROTOCOL, "audit.state",
		               "a finding event has no \"finding\"");
	st = ag_finding_read(v, s->arena, &f, err);
	if (st)
		return st;
	f.status = ag_val_member_str(p, "status");
	place_finding(s, &f);
	s->candidate = NULL;
	return AG_OK;
}

static bool is_same_use(const ag_model_use *a, const ag_model_use *b)
{
	return ag_str_eq(a->purpose, b->purpose) && ag_str_eq(a->name, b->name) &&
	       ag_str_eq(a->model, b->model) && ag_str_eq(a->provider, b->provider);
}

static ag_model_use *use_of(ag_audit_state *s, const ag_model_use *key)
{
	for (size_t i = 0; i < s->uses.n; i++)
		if (is_same_use(&s->uses.items[i], key))
			return &s->uses.items[i];
	GROW(&s->uses, s->arena);
	s->uses.items[s->uses.n] = *key;
	return &s->uses.items[s->uses.n++];
}

static ag_step_use *step_use_of(ag_audit_state *s, unsigned iteration)
{
	size_t at = s->step_uses.n;

	while (at && s->step_uses.items[at - 1].iteration > iteration)
		at--;
	if (at && s->step_uses.items[at - 1].iteration == iteration)
		return &s->step_uses.items[at - 1];
	GROW(&s->step_uses, s->arena);
	memmove(&s->step_uses.items[at + 1], &s->step_uses.items[at],
	        (s->step_uses.n - at) * sizeof(ag_step_use));
	s->step_uses.n++;
	s->step_uses.items[at] = (ag_step_use){ .iteration = iteration };
	return &s->step_uses.items[at];
}

static bool is_set(const ag_val *p, const char *name)
{
	const ag_val *v = ag_val_getc(p, name);

	return v && ag_val_truthy(v);
}

static void apply_usage(ag_audit_state *s, const ag_val *p)
{
	const uint64_t input = ag_val_member_u64(p, "input_tokens"),
		       output = ag_val_member_u64(p, "output_tokens");
	const double usd = ag_val_member_num(p, "usd");
	const ag_model_use key = {
		.purpose = ag_val_member_str(p, "purpose"),
		.name = ag_val_member_str(p, "name"),
		.model = ag_val_member_str(p, "model"),
		.provider = ag_val_member_str(p, "provider"),
		.is_priced = true,
	};
	ag_model_use *use = use_of(s, &key);
	ag_step_use *step = step_use_of(s, (unsigned)ag_val_member_u64(p, "iteration"));

	s->input_tokens += input;
	s->output_tokens += output;
	s->model_calls += ag_val_member_u64(p, "attempts");
	s->usd = ag_llm_usd_add(s->usd, usd);
	s->doubted_tokens += ag_val_member_u64(p, "doubted_tokens");
	s->doubted_usd = ag_llm_usd_add(s->doubted_usd, ag_val_member_num(p, "doubted_usd"));
	use->calls++;
	use->input_tokens += input;
	use->output_tokens += output;
	use->cached_tokens += ag_val_member_u64(p, "cached_tokens");
	use->thinking_tokens += ag_val_member_u64(p, "thinking_tokens");
	use->usd = ag_llm_usd_add(use->usd, usd);
	use->is_priced = use->is_priced && is_set(p, "priced");
	use->is_estimated = use->is_estimated || is_set(p, "estimated");
	step->input_tokens += input;
	step->output_tokens += output;
	step->usd = ag_llm_usd_add(step->usd, usd);
}

/* A sitting begins: the first one, or one more. */
static void apply_sitting(ag_audit_state *s, const ag_event *ev, const ag_val *p)
{
	const ag_val *budget = ag_val_getc(p, "budget");

	if (ev->type == AG_EV_RUN_STARTED)
		s->started_ms = ev->at_ms;
	else if (s->last_ms > s->sitting_ms)
		s->worked_ms += s->last_ms - s->sitting_ms;
	s->sittings++;
	s->sitting_ms = ev->at_ms;
	s->finished_ms = 0;
	s->distributions = (ag_val){ .type = AG_T_MISSING };
	s->status = s->status_why = AG_S("");
	s->pricing_version = ag_val_member_str(p, "pricing_version");
	/* Older logs do not say it. */
	/* With both planners the steps of one of them count, which the log does not tell apart. */
	if (budget && !ag_str_eqc(ag_val_member_str(p, "planner"), "both"))
		s->budget = (unsigned)ag_val_member_u64(budget, "iterations");
}

static void apply_finish(ag_audit_state *s, const ag_event *ev, const ag_val *p)
{
	const ag_val *appendix = ag_val_getc(p, "appendix"), *cost = ag_val_getc(p, "data_cost");

	if (cost) {
		s->data_cost.is_counted = true;
		s->data_cost.request_units = ag_val_member_num(cost, "request_units");
		s->data_cost.throttled = ag_val_member_u64(cost, "throttled");
		s->data_cost.waited_ms = ag_val_member_u64(cost, "waited_ms");
	}
	s->finished_ms = ev->at_ms;
	s->status = ag_val_member_str(p, "status");
	s->status_why = ag_val_member_str(p, "why");
	if (appendix)
		s->distributions = *appendix;
}

ag_status ag_audit_apply(void *state, const ag_event *ev, ag_err *err)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_audit_state *s = state;
	ag_status st;
	ag_val p;

	st = ag_extjson_parse(ag_str_dup(s->arena, ev->payload), &opts, s->arena, &p, NULL, NULL,
	                      err);
	if (st)
		return st;
	switch (ev->type) {
	case AG_EV_RUN_STARTED:
	case AG_EV_RUN_RESUMED: apply_sitting(s, ev, &p); break;
	case AG_EV_HISTORY: st = ag_audit_apply_history(s, &p, err); break;
	case AG_EV_PROPOSAL: apply_proposal(s, &p); break;
	case AG_EV_TOOL_OUTPUT: apply_output(s, ev, &p); break;
	case AG_EV_VERDICT: apply_verdict(s, ev, &p); break;
	case AG_EV_CRITIQUE: s->last_critique = ag_val_member_str(&p, "text"); break;
	case AG_EV_FINDING: st = apply_finding(s, &p, err); break;
	case AG_EV_USAGE: apply_usage(s, &p); break;
	case AG_EV_RUN_FINISHED: apply_finish(s, ev, &p); break;
	case AG_EV_REVIEW:
		/* A person's word is part of no sitting. */
		ag_audit_apply_review(s, &p);
		return AG_OK;
	default: /* kept in the log; says nothing to the state */ break;
	}
	s->last_ms = ev->at_ms;
	return st;
}
