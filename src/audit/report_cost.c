/* report_cost -- tokens and money of a run: in total, by model, by purpose, by step.
 *
 * All of it is summed from usage events (state_apply.c). Money of a model without a known price counts as 0 and says so:
 * "priced" is then false. */
#include <stdio.h>

#include "audit/report.h"
#include "base/num.h"

static void add(ag_model_use *sum, const ag_model_use *u)
{
	sum->calls += u->calls;
	sum->input_tokens += u->input_tokens;
	sum->output_tokens += u->output_tokens;
	sum->cached_tokens += u->cached_tokens;
	sum->thinking_tokens += u->thinking_tokens;
	sum->usd = ag_llm_usd_add(sum->usd, u->usd);
	sum->is_priced = sum->is_priced && u->is_priced;
	sum->is_estimated = sum->is_estimated || u->is_estimated;
}

static bool is_same(const ag_model_use *a, const ag_model_use *b, bool by_purpose)
{
	if (by_purpose)
		return ag_str_eq(a->purpose, b->purpose);
	return ag_str_eq(a->name, b->name) && ag_str_eq(a->model, b->model) &&
	       ag_str_eq(a->provider, b->provider);
}

/* One sum per model, or per purpose, in order of first use. */
static size_t sums(const ag_audit_state *s, bool by_purpose, ag_model_use *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < s->uses.n; i++) {
		const ag_model_use *u = &s->uses.items[i];
		size_t k = 0;

		while (k < n && !is_same(&ret[k], u, by_purpose))
			k++;
		if (k < n)
			add(&ret[k], u);
		else
			ret[n++] = *u;
	}
	return n;
}

static void uses_json(const ag_audit_state *s, bool by_purpose, ag_arena *arena, ag_jw *w)
{
	ag_model_use *list = ag_new_n(arena, ag_model_use, s->uses.n ? s->uses.n : 1);
	const size_t n = sums(s, by_purpose, list);

	ag_jw_kkey(w, by_purpose ? "by_purpose" : "by_model");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		ag_jw_obj(w);
		if (by_purpose) {
			ag_jw_kstr(w, "purpose", list[i].purpose);
		} else {
			ag_jw_kstr(w, "model", list[i].model);
			ag_jw_kstr(w, "name", list[i].name);
			ag_jw_kstr(w, "provider", list[i].provider);
		}
		ag_jw_kuint(w, "calls", list[i].calls);
		ag_jw_kuint(w, "input_tokens", list[i].input_tokens);
		ag_jw_kuint(w, "output_tokens", list[i].output_tokens);
		ag_jw_kuint(w, "cached_tokens", list[i].cached_tokens);
		ag_jw_kuint(w, "thinking_tokens", list[i].thinking_tokens);
		ag_jw_kdouble(w, "usd", list[i].usd);
		ag_jw_kbool(w, "priced", list[i].is_priced);
		ag_jw_kbool(w, "estimated", list[i].is_estimated);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

static void steps_json(const ag_audit_state *s, ag_jw *w)
{
	ag_jw_kkey(w, "per_iteration");
	ag_jw_arr(w);
	for (size_t i = 0; i < s->step_uses.n; i++) {
		const ag_step_use *u = &s->step_uses.items[i];

		ag_jw_obj(w);
		ag_jw_kuint(w, "iteration", u->iteration);
		ag_jw_kuint(w, "input_tokens", u->input_tokens);
		ag_jw_kuint(w, "output_tokens", u->output_tokens);
		ag_jw_kdouble(w, "usd", u->usd);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

/* Of the server that the documents are on; null where it counts nothing. */
static void data_cost_json(const ag_audit_state *s, ag_jw *w)
{
	if (!s->data_cost.is_counted) {
		ag_jw_knull(w, "data_cost");
		return;
	}
	ag_jw_kkey(w, "data_cost");
	ag_jw_obj(w);
	ag_jw_kdouble(w, "request_units", s->data_cost.request_units);
	ag_jw_kuint(w, "throttled", s->data_cost.throttled);
	ag_jw_kuint(w, "waited_ms", s->data_cost.waited_ms);
	ag_jw_obj_end(w);
}

void ag_report_cost(const ag_audit_state *s, ag_arena *arena, ag_jw *w)
{
	data_cost_json(s, w);
	ag_jw_kuint(w, "total_input_tokens", s->input_tokens);
	ag_jw_kuint(w, "total_output_tokens", s->output_tokens);
	if (!s->uses.n) {
		ag_jw_knull(w, "cost");
		return;
	}
	ag_jw_kkey(w, "cost");
	ag_jw_obj(w);
	ag_jw_kdouble(w, "usd_total", s->usd);
	ag_jw_kstr(w, "pricing_version", s->pricing_version);
	uses_json(s, false, arena, w);
	uses_json(s, true, arena, w);
	steps_json(s, w);
	ag_jw_obj_end(w);
}

static void grouped(uint64_t n, ag_buf *out)
{
	char digits[AG_NUM_MAX];
	const size_t len = ag_num_u64(digits, n);

	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			ag_buf_addc(out, ',');
		ag_buf_addc(out, digits[i]);
	}
}

void ag_report_cost_text(const ag_audit_state *s, ag_buf *out)
{
	bool is_priced = false, is_whole = true;

	if (s->data_cost.is_counted)
		ag_buf_addf(out, "; %.10g request units", s->data_cost.request_units);
	if (!s->uses.n)
		return;
	for (size_t i = 0; i < s->uses.n; i++) {
		is_priced = is_priced || s->uses.items[i].is_priced;
		is_whole = is_whole && s->uses.items[i].is_priced;
	}
	ag_buf_adds(out, "; ");
	grouped(s->input_tokens + s->output_tokens, out);
	ag_buf_adds(out, " tokens");
	if (is_priced)
		ag_buf_addf(out, ", %s%.4f USD", is_whole ? "" : "at least ", s->usd);
}
