/* replay -- drives the state through the log, the way a resume and a rebuilt report do, and shows each event on the way.
 *
 * Masking goes by the state: which field a result is about stands in the step that it belongs to. What a planner or a
 * model wrote in its own words is shown as it is, here as in the report. */
#include "audit/replay.h"

#include "audit/distribution.h"
#include "audit/report.h"
#include "query/extjson.h"

#define BODY          9 /* column of the text */
#define INPUT_COLUMNS 160

static const ag_extjson_opts parse_opts = { .typed = true, .query = true };

ag_status ag_replay_open(ag_store *store, const ag_run_row *row, bool show_values, ag_arena *arena,
                         ag_replay *ret, ag_err *err)
{
	ag_audit_start start;
	ag_status st;

	*ret = (ag_replay){ .arena = arena, .show_values = show_values };
	st = ag_audit_load_start(store, row, arena, &ret->events, &ret->n, &start, err);
	if (st)
		return st;
	ret->opts = start.opts;
	ag_audit_state_init(&ret->state, arena, &start.opts.rules, row->source_key, row->documents,
	                    0);
	return AG_OK;
}

/* --- what is masked --- */

static const ag_trace_entry *step_of(const ag_replay *r, const ag_id *call_id)
{
	for (size_t i = r->state.trace.n; i-- > 0;)
		if (ag_str_eq(r->state.trace.items[i].call_id, ag_id_str(call_id)))
			return &r->state.trace.items[i];
	return NULL;
}

static ag_audit_opts shown_opts(const ag_replay *r)
{
	ag_audit_opts o = r->opts;

	o.show_values = r->show_values;
	return o;
}

static ag_val text_as_val(ag_str json, const ag_val *fallback, ag_arena *arena)
{
	ag_err ignored;
	ag_val v;

	if (!json.len || ag_extjson_parse(json, &parse_opts, arena, &v, NULL, NULL, &ignored))
		return *fallback;
	return v;
}

static ag_val masked_finding(const ag_val *v, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(AG_STORE_MAX_PAYLOAD_BYTES);
	ag_finding f;
	ag_err ignored;
	ag_val ret = *v;
	ag_jw w;

	if (ag_finding_read(v, arena, &f, &ignored))
		return ag_val_null();
	ag_jw_init(&w, &out, 0);
	ag_finding_write(&f, false, &w);
	ret = text_as_val(ag_buf_dup(arena, &out), &ret, arena);
	ag_buf_release(&out);
	return ret;
}

static void mask_member(const ag_replay *r, const ag_trace_entry *t, ag_member *m)
{
	const ag_audit_opts o = shown_opts(r);

	if (ag_str_eqc(m->key, "finding"))
		m->val = masked_finding(&m->val, r->arena);
	else if (ag_str_eqc(m->key, "appendix"))
		m->val = ag_distributions_masked(&m->val, r->arena);
	else if (!t)
		return;
	else if (ag_str_eqc(m->key, "action_input") || ag_str_eqc(m->key, "input"))
		m->val = text_as_val(ag_report_shown_input(t, &o, r->arena), &m->val, r->arena);
	else if (ag_str_eqc(m->key, "summary"))
		m->val = ag_val_str(ag_report_shown_summary(t, &o, r->arena));
	else if (ag_str_eqc(m->key, "result"))
		m->val = ag_report_shown_result(t, &o, r->arena);
}

static ag_status mask_event(const ag_replay *r, ag_event *ev, ag_err *err)
{
	ag_member *m;
	ag_status st;
	ag_val p;

	if (r->show_values || (ev->type != AG_EV_PROPOSAL && ev->type != AG_EV_TOOL_INPUT &&
	                       ev->type != AG_EV_TOOL_OUTPUT && ev->type != AG_EV_FINDING &&
	                       ev->type != AG_EV_RUN_FINISHED))
		return AG_OK;
	st = ag_extjson_parse(ev->payload, &parse_opts, r->arena, &p, NULL, NULL, err);
	if (st)
		return st;
	m = ag_new_n(r->arena, ag_member, p.n ? p.n : 1);
	for (uint32_t i = 0; i < p.n; i++) {
		m[i] = p.u.members[i];
		mask_member(r, step_of(r, &ev->call_id), &m[i]);
	}
	p = ag_val_object(m, p.n);
	ev->payload = ag_extjson_str(r->arena, &p, AG_EXTJSON_RELAXED);
	return AG_OK;
}

ag_status ag_replay_next(ag_replay *r, ag_event *event, bool *ret_more, ag_err *err)
{
	ag_status st;

	*ret_more = r->next < r->n;
	if (!*ret_more)
		return AG_OK;
	*event = r->events[r->next++];
	st = ag_audit_apply(&r->state, event, err);
	return st ? st : mask_event(r, event, err);
}

/* --- for people --- */

static void label(ag_paint *p, ag_ink ink, const char *word)
{
	ag_paint_to(p, BODY);
	ag_paint_lit(p, ink, word);
	ag_paint_lit(p, AG_INK_PLAIN, " ");
}

static void proposal(const ag_replay *r, ag_paint *p)
{
	const ag_trace_entry *t = &r->state.trace.items[r->state.trace.n - 1];
	const ag_audit_opts o = shown_opts(r);
	const ag_str input = t->input.len ? ag_report_shown_input(t, &o, r->arena) : t->input_text;

	ag_paint_textf(p, AG_INK_DIM, "%6u", t->iteration);
	ag_paint_to(p, BODY);
	ag_paint_text(p, AG_INK_BOLD, t->action);
	ag_paint_textf(p, AG_INK_DIM, "  (confidence %.2f)", t->confidence);
	ag_paint_nl(p);
	if (t->reasoning.len) {
		ag_paint_to(p, BODY);
		ag_paint_wrap(p, AG_INK_DIM, BODY, t->reasoning);
		ag_paint_nl(p);
	}
	if (input.len && !ag_str_eqc(input, "{}")) {
		ag_paint_to(p, BODY);
		ag_paint_cut(p, AG_INK_CYAN, INPUT_COLUMNS, input);
		ag_paint_nl(p);
	}
}

static void output(const ag_replay *r, const ag_event *ev, ag_paint *p)
{
	const ag_trace_entry *t = step_of(r, &ev->call_id);
	const ag_audit_opts o = shown_opts(r);

	if (!t)
		return;
	ag_paint_to(p, BODY);
	ag_paint_sign(p, AG_INK_DIM, AG_SIGN_ARROW);
	ag_paint_lit(p, AG_INK_PLAIN, " ");
	ag_paint_wrap(p, t->ok ? AG_INK_PLAIN : AG_INK_YELLOW, BODY + 2,
	              ag_report_shown_summary(t, &o, r->arena));
	ag_paint_textf(p, AG_INK_DIM, " (%lld ms)", (long long)t->latency_ms);
	ag_paint_nl(p);
}

static void verdict(const ag_replay *r, ag_paint *p)
{
	const ag_evaluation *e = &r->state.evaluations.items[r->state.evaluations.n - 1];
	const bool passed = ag_str_eqc(e->verdict, "pass");

	ag_paint_to(p, BODY);
	ag_paint_wrap(p, passed ? AG_INK_DIM : AG_INK_YELLOW, BODY + 2,
	              ag_str_printf(r->arena, "%.*s gate, %.*s: %.*s%s%.*s", AG_FMT(e->gate),
	                            AG_FMT(e->evaluated_by), AG_FMT(e->verdict), passed ? "" : ": ",
	                            passed ? 0 : (int)e->reason.len, e->reason.ptr));
	ag_paint_nl(p);
}

static void finding(const ag_replay *r, const ag_val *payload, ag_paint *p)
{
	const ag_val *f = ag_val_getc(payload, "finding");

	label(p, AG_INK_GREEN, "finding");
	ag_paint_wrap(p, AG_INK_PLAIN, BODY + 2,
	              ag_str_printf(r->arena, "%.*s: %.*s, %.*s, %.*s: %llu documents",
	                            AG_FMT(ag_val_member_str(payload, "status")),
	                            AG_FMT(ag_val_member_str(f, "field")),
	                            AG_FMT(ag_val_member_str(f, "category")),
	                            AG_FMT(ag_val_member_str(f, "severity")),
	                            (unsigned long long)ag_val_member_u64(f, "affected_count")));
	ag_paint_nl(p);
}

static void usage(const ag_val *v, ag_paint *p)
{
	ag_paint_to(p, BODY);
	ag_paint_textf(p, AG_INK_DIM, "%.*s: %.*s, %llu tokens in, %llu out, %.6f USD, %llu ms",
	               AG_FMT(ag_val_member_str(v, "purpose")),
	               AG_FMT(ag_val_member_str(v, "model")),
	               (unsigned long long)ag_val_member_u64(v, "input_tokens"),
	               (unsigned long long)ag_val_member_u64(v, "output_tokens"),
	               ag_val_member_num(v, "usd"),
	               (unsigned long long)ag_val_member_u64(v, "latency_ms"));
	ag_paint_nl(p);
}

static void words(ag_paint *p, ag_ink ink, const char *what, ag_str text)
{
	label(p, ink, what);
	ag_paint_wrap(p, AG_INK_PLAIN, BODY + 2, text);
	ag_paint_nl(p);
}

static void sitting(const ag_replay *r, const ag_event *ev, const ag_val *v, ag_paint *p)
{
	char time[AG_TIME_MAX_TEXT];
	const ag_str at = ag_str_make(time, ag_time_format(time, ev->at_ms));

	if (ev->type == AG_EV_RUN_STARTED)
		words(p, AG_INK_BOLD, "started",
		      ag_str_printf(r->arena, "%.*s by %.*s, %.*s", AG_FMT(at),
		                    AG_FMT(ag_val_member_str(v, "planner")),
		                    AG_FMT(ag_val_member_str(ag_val_getc(v, "source"), "uri"))));
	else
		words(p, AG_INK_BOLD, "resumed",
		      ag_str_printf(r->arena, "%.*s, sitting %u", AG_FMT(at), r->state.sittings));
}

void ag_replay_text(const ag_replay *r, ag_paint *p)
{
	const ag_event *ev = &r->events[r->next - 1];
	ag_err ignored;
	ag_val v;

	if (ag_extjson_parse(ev->payload, &parse_opts, r->arena, &v, NULL, NULL, &ignored))
		return;
	switch (ev->type) {
	case AG_EV_RUN_STARTED:
	case AG_EV_RUN_RESUMED: sitting(r, ev, &v, p); break;
	case AG_EV_HISTORY:
		words(p, AG_INK_BOLD, "history",
		      ag_str_printf(r->arena, "%u earlier runs, the latest is %.*s",
		                    r->state.history.runs,
		                    AG_FMT(r->state.history.previous_run_id)));
		break;
	case AG_EV_PROPOSAL: proposal(r, p); break;
	case AG_EV_TOOL_OUTPUT: output(r, ev, p); break;
	case AG_EV_VERDICT: verdict(r, p); break;
	case AG_EV_CRITIQUE:
		words(p, AG_INK_YELLOW, "critique", ag_val_member_str(&v, "text"));
		break;
	case AG_EV_FINDING: finding(r, &v, p); break;
	case AG_EV_USAGE: usage(&v, p); break;
	case AG_EV_REVIEW:
		words(p, AG_INK_GREEN, "review",
		      ag_str_printf(r->arena, "%.*s %.*s %.*s by %.*s",
		                    AG_FMT(ag_val_member_str(&v, "finding_id")),
		                    AG_FMT(ag_val_member_str(&v, "label")),
		                    AG_FMT(ag_val_member_str(&v, "decision")),
		                    AG_FMT(ag_val_member_str(&v, "by"))));
		break;
	case AG_EV_RUN_FINISHED:
		words(p, AG_INK_BOLD, "finished",
		      ag_str_printf(r->arena, "%.*s: %.*s", AG_FMT(r->state.status),
		                    AG_FMT(r->state.status_why)));
		break;
	default: break;
	}
}

/* --- is the stored report what the log says? --- */

ag_status ag_replay_check(const ag_replay *r, ag_store *store, const ag_run_row *row, ag_err *err)
{
	ag_str stored = { 0 }, rebuilt = { 0 };
	size_t at = 0, line = 1;
	ag_status st = ag_store_report(store, &row->id, r->arena, &stored, err);

	if (!st)
		st = ag_audit_rebuild(store, row, r->opts.show_values, r->arena, &rebuilt, err);
	if (st || ag_str_eq(stored, rebuilt))
		return st;
	for (; at < stored.len && at < rebuilt.len && stored.ptr[at] == rebuilt.ptr[at]; at++)
		line += stored.ptr[at] == '\n';
	ag_fail(err, AG_CONFLICT, "audit.replay",
	        "the stored report of run %s is not what its log gives: they differ at byte %zu, line "
	        "%zu",
	        row->id.text, at, line);
	return ag_err_hint(err,
	                   "it was written by another version of Argus, or changed in the store");
}
