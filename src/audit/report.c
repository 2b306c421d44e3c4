/* report -- write what the state knows, best findings first; personal values masked unless asked for.
 *
 * The trace keeps every observation; of documents in it only masked copies are printed. */
#include "audit/report.h"

#include <stdlib.h>

#include "audit/aside.h"
#include "audit/distribution.h"
#include "audit/gaps.h"
#include "audit/mask.h"
#include "audit/report_diff.h"
#include "audit/tools.h"
#include "audit/words.h"
#include "query/extjson.h"

#ifndef AG_VERSION
#define AG_VERSION "unknown"
#endif

static void issues_json(const ag_source_info *info, ag_jw *w)
{
	ag_jw_kkey(w, "issues");
	ag_jw_arr(w);
	for (size_t i = 0; i < info->nissue; i++) {
		const ag_table_issue *issue = &info->issues[i];

		ag_jw_obj(w);
		ag_jw_kstr(w, "file", issue->file);
		ag_jw_kuint(w, "line", issue->line);
		ag_jw_kuint(w, "byte", issue->byte);
		ag_jw_kstr(w, "what", issue->what);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

static void source_json(const ag_source_info *info, ag_jw *w)
{
	ag_jw_kkey(w, "source");
	ag_jw_obj(w);
	ag_jw_kstr(w, "uri", info->uri);
	ag_jw_kstr(w, "key", info->key);
	ag_jw_kstr(w, "database", info->database);
	ag_jw_kstr(w, "format", info->format);
	ag_jw_kuint(w, "bytes", info->nbyte);
	if (info->mtime_ms)
		ag_jw_ktime(w, "modified_at", info->mtime_ms);
	ag_jw_kstr(w, "content_hash", info->content_hash);
	ag_jw_kuint(w, "documents", info->ndoc);
	if (info->counted_ms)
		ag_jw_ktime(w, "counted_at", info->counted_ms);
	if (info->kind.len)
		ag_jw_kstr(w, "kind", info->kind);
	if (!info->whole && info->ndoc)
		ag_jw_kbool(w, "sampled", true);
	ag_jw_kuint(w, "broken", info->broken);
	issues_json(info, w);
	ag_jw_kuint(w, "duplicate_keys", info->duplicate_keys);
	ag_jw_kuint(w, "lone_surrogates", info->lone_surrogates);
	ag_jw_kuint(w, "big_numbers", info->big_numbers);
	ag_jw_kuint(w, "overflows", info->overflows);
	ag_jw_kuint(w, "short_rows", info->short_rows);
	ag_jw_kuint(w, "renamed_columns", info->renamed_columns);
	ag_jw_obj_end(w);
}

void ag_report_run_facts(const ag_audit_opts *o, const ag_source_info *info, ag_jw *w)
{
	source_json(info, w);
	ag_jw_kuint(w, "seed", o->seed);
	ag_jw_ktime(w, "as_of", o->catalogue.as_of_ms);
	ag_jw_kraw(w, "settings", o->settings_json.len ? o->settings_json : AG_S("{}"));
	ag_jw_kkey(w, "versions");
	ag_jw_obj(w);
	ag_jw_kstr(w, "argus", AG_S(AG_VERSION));
	ag_jw_kstr(w, "words", ag_str_c(ag_words_version));
	ag_jw_kint(w, "report", AG_REPORT_VERSION);
	ag_jw_obj_end(w);
}

ag_str ag_report_summary(const ag_audit_state *s, ag_arena *arena)
{
	size_t by_severity[4] = { 0 };
	ag_buf out = AG_BUF_INIT(4096);
	ag_str ret;

	for (size_t i = 0; i < s->findings.n; i++)
		by_severity[s->findings.items[i].severity]++;
	ag_buf_addf(&out, "Sampled %llu of %llu documents (%zu paths), ",
	            (unsigned long long)s->documents_sampled,
	            (unsigned long long)s->collection_size, s->schema.n);
	if (s->budget)
		ag_buf_addf(&out, "%u of %u iterations used", s->iteration, s->budget);
	else
		ag_buf_addf(&out, "%u iterations used", s->iteration);
	ag_buf_addf(&out, "; %zu findings committed, %zu dismissed", s->findings.n, s->dismissed.n);
	if (s->findings.n)
		/* Severities sorted by name, as clients of the reference expect. */
		ag_buf_addf(&out, " (critical: %zu, high: %zu, low: %zu, medium: %zu)",
		            by_severity[AG_CRITICAL], by_severity[AG_HIGH], by_severity[AG_LOW],
		            by_severity[AG_MEDIUM]);
	ag_report_cost_text(s, &out);
	ag_buf_addc(&out, '.');
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static const ag_finding **ranked(const ag_finding *items, size_t n, ag_arena *arena)
{
	const ag_finding **list = ag_new_n(arena, const ag_finding *, n ? n : 1);

	for (size_t i = 0; i < n; i++)
		list[i] = &items[i];
	qsort(list, n, sizeof(*list), ag_finding_rank);
	return list;
}

/* Those below min_severity are counted; a finding that was set aside is listed and marked, and counts in *ret_aside. */
static size_t findings_json(const ag_finding *items, size_t n, const ag_audit_opts *o,
                            ag_arena *arena, ag_jw *w, size_t *ret_aside)
{
	const ag_finding **list = ranked(items, n, arena);
	size_t left_out = 0;

	ag_jw_kkey(w, "findings");
	ag_jw_arr(w);
	*ret_aside = 0;
	for (size_t i = 0; i < n; i++) {
		*ret_aside += list[i]->aside_by.len > 0;
		if (list[i]->severity >= o->min_severity)
			ag_finding_write(list[i], o->show_values, w);
		else if (!list[i]->aside_by.len)
			left_out++;
	}
	ag_jw_arr_end(w);
	return left_out;
}

static void dismissed_json(const ag_audit_state *s, const ag_audit_opts *o, ag_jw *w)
{
	ag_jw_kkey(w, "dismissed_findings");
	ag_jw_arr(w);
	for (size_t i = 0; i < s->dismissed.n; i++)
		ag_finding_write(&s->dismissed.items[i], o->show_values, w);
	ag_jw_arr_end(w);
}

static void evaluation_json(const ag_evaluation *e, bool whole, ag_jw *w)
{
	ag_jw_obj(w);
	if (whole) {
		ag_jw_kstr(w, "id", e->id);
		ag_jw_kstr(w, "gate", e->gate);
	}
	ag_jw_kstr(w, "evaluated_by", e->evaluated_by);
	ag_jw_kstr(w, "verdict", e->verdict);
	ag_jw_kdouble(w, "score", e->score);
	ag_jw_kstr(w, "reason", e->reason);
	if (e->critique.len)
		ag_jw_kstr(w, "critique", e->critique);
	else
		ag_jw_knull(w, "critique");
	if (whole) {
		ag_jw_kstr(w, "target_id", e->target_id);
		ag_jw_kuint(w, "iteration", e->iteration);
		ag_jw_ktime(w, "timestamp", e->at_ms);
	}
	ag_jw_obj_end(w);
}

static void evaluations_json(const ag_audit_state *s, ag_jw *w)
{
	ag_jw_kkey(w, "evaluation_records");
	ag_jw_arr(w);
	for (size_t i = 0; i < s->evaluations.n; i++)
		evaluation_json(&s->evaluations.items[i], true, w);
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "run_evaluation");
	if (s->has_run_verdict) {
		evaluation_json(&s->run_verdict, false, w);
		ag_jw_kdouble(w, "overall_quality_score", s->run_verdict.score);
	} else {
		ag_jw_null(w);
		ag_jw_knull(w, "overall_quality_score");
	}
}

static ag_str path_of(const ag_val *v, const char *name)
{
	const ag_val *path = ag_val_getc(v, name);

	return path && path->type == AG_T_STRING ? ag_val_text(path) : AG_S("");
}

/* Values with their counts; the counts stay. */
static ag_val masked_top(ag_str path, const ag_val *list, ag_arena *arena)
{
	ag_val *items = ag_new_n(arena, ag_val, list->n ? list->n : 1);

	for (uint32_t i = 0; i < list->n; i++) {
		const ag_val *value = ag_val_getc(&list->u.items[i], "value"),
			     *count = ag_val_getc(&list->u.items[i], "count");
		ag_member *m = ag_new_n(arena, ag_member, 2);

		m[0] = (ag_member){ AG_S("value"),
			            value ? ag_mask_val(path, value, arena) : ag_val_null() };
		m[1] = (ag_member){ AG_S("count"), count ? *count : ag_val_null() };
		items[i] = ag_val_object(m, 2);
	}
	return ag_val_array(items, list->n);
}

/* Members of statistics that hold no value of the field. All others are masked: a new one is never left open. */
static bool is_open(ag_str key)
{
	static const char *const open[] = { "path",        "types",         "present_count",
		                            "null_count",  "missing_count", "null_rate",
		                            "cardinality", "distinct",      "cardinality_capped",
		                            "container",   "median_length", "empty_strings" };

	for (size_t i = 0; i < AG_NELEM(open); i++)
		if (ag_str_eqc(key, open[i]))
			return true;
	return false;
}

static bool is_counted_list(const ag_val *v)
{
	return v->type == AG_T_ARRAY && v->n && v->u.items[0].type == AG_T_OBJECT &&
	       ag_val_getc(&v->u.items[0], "count");
}

static ag_val masked_stats(const ag_val *v, ag_arena *arena)
{
	const ag_str path = path_of(v, "path");
	ag_member *m = ag_new_n(arena, ag_member, v->n ? v->n : 1);

	if (v->type != AG_T_OBJECT)
		return *v;
	for (uint32_t i = 0; i < v->n; i++) {
		const ag_val *was = &v->u.members[i].val;

		m[i] = v->u.members[i];
		if (is_open(m[i].key))
			continue;
		m[i].val = is_counted_list(was) ? masked_top(path, was, arena)
		                                : ag_mask_val(path, was, arena);
	}
	return ag_val_object(m, v->n);
}

static ag_val masked_list(const ag_val *list, ag_arena *arena)
{
	ag_val *items = ag_new_n(arena, ag_val, list->n ? list->n : 1);

	for (uint32_t i = 0; i < list->n; i++)
		items[i] = masked_stats(&list->u.items[i], arena);
	return ag_val_array(items, list->n);
}

/* Each tool names the field whose values it gives; a pipeline may give those of any field that it reads. */
static ag_val masked_result(const ag_trace_entry *t, ag_arena *arena)
{
	const ag_str field = path_of(&t->result, "field");
	const ag_val *pipeline = ag_val_getc(&t->result, "pipeline");
	ag_member *m;

	if (t->result.type != AG_T_OBJECT)
		return t->result;
	m = ag_new_n(arena, ag_member, t->result.n ? t->result.n : 1);
	for (uint32_t i = 0; i < t->result.n; i++) {
		const ag_val *v = &t->result.u.members[i].val;

		m[i] = t->result.u.members[i];
		if (field.len && (ag_str_eqc(m[i].key, "value") || ag_str_eqc(m[i].key, "result")))
			m[i].val = ag_mask_val(field, v, arena);
		else if (ag_str_eqc(m[i].key, "documents"))
			m[i].val = ag_mask_val(AG_S(""), v, arena);
		else if (pipeline && ag_str_eqc(m[i].key, "results"))
			m[i].val = ag_mask_val(ag_mask_query_field(pipeline, arena), v, arena);
		else if (ag_str_eqc(m[i].key, "fields") && v->type == AG_T_ARRAY)
			m[i].val = masked_list(v, arena);
	}
	return ag_val_object(m, t->result.n);
}

/* The summary of get_stats quotes the value: it is written again with the masked one. */
ag_str ag_report_shown_summary(const ag_trace_entry *t, const ag_audit_opts *o, ag_arena *arena)
{
	const ag_str field = path_of(&t->result, "field");
	const ag_val *value = ag_val_getc(&t->result, "value");
	ag_val masked;

	if (o->show_values || !field.len || !value)
		return t->summary;
	masked = ag_mask_val(field, value, arena);
	return ag_stats_summary(path_of(&t->result, "operation"), field, &masked, arena);
}

/* What a planner wrote of a finding, as the finding itself shows it. Filters stay whole: they are the evidence. */
ag_str ag_report_shown_input(const ag_trace_entry *t, const ag_audit_opts *o, ag_arena *arena)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_err ignored;
	ag_val v, shown;
	ag_member *m;
	ag_str field;

	if (o->show_values || !ag_str_eqc(t->action, "write_finding") ||
	    ag_extjson_parse(t->input, &opts, arena, &v, NULL, NULL, &ignored))
		return t->input;
	field = path_of(&v, "field");
	m = ag_new_n(arena, ag_member, v.n ? v.n : 1);
	for (uint32_t i = 0; i < v.n; i++) {
		const ag_member *was = &v.u.members[i];

		m[i] = *was;
		if (ag_str_eqc(was->key, "sample_values"))
			m[i].val = ag_mask_val(field, &was->val, arena);
		else if (ag_str_eqc(was->key, "detail") && was->val.type == AG_T_STRING &&
		         ag_mask_quotes(field, ag_val_text(&was->val)))
			m[i].val = ag_val_str(AG_S("•••"));
	}
	shown = ag_val_object(m, v.n);
	return ag_extjson_str(arena, &shown, AG_EXTJSON_RELAXED);
}

/* The log needs the whole finding there; the report has it among its findings, masked. */
static ag_val without_candidate(const ag_trace_entry *t, const ag_val *v, ag_arena *arena)
{
	ag_member *m;
	size_t n = 0;

	if (!ag_str_eqc(t->action, "write_finding") || v->type != AG_T_OBJECT)
		return *v;
	m = ag_new_n(arena, ag_member, v->n ? v->n : 1);
	for (uint32_t i = 0; i < v->n; i++)
		if (!ag_str_eqc(v->u.members[i].key, "candidate"))
			m[n++] = v->u.members[i];
	return ag_val_object(m, n);
}

ag_val ag_report_shown_result(const ag_trace_entry *t, const ag_audit_opts *o, ag_arena *arena)
{
	const ag_val whole = o->show_values ? t->result : masked_result(t, arena);

	return without_candidate(t, &whole, arena);
}

static void observation_json(const ag_trace_entry *t, const ag_audit_opts *o, bool with_result,
                             ag_arena *arena, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kbool(w, "ok", t->ok);
	ag_jw_kstr(w, "summary", ag_report_shown_summary(t, o, arena));
	ag_jw_kint(w, "latency_ms", t->latency_ms);
	if (t->result.type != AG_T_MISSING && !with_result) {
		ag_jw_knull(w, "result");
	} else if (t->result.type != AG_T_MISSING) {
		const ag_val shown = ag_report_shown_result(t, o, arena);

		ag_jw_kraw(w, "result", ag_extjson_str(arena, &shown, AG_EXTJSON_RELAXED));
	} else {
		ag_jw_kkey(w, "error");
		ag_jw_obj(w);
		ag_jw_kstr(w, "status", t->error_status);
		ag_jw_kstr(w, "message", t->error);
		ag_jw_kstr(w, "hint", t->hint);
		ag_jw_obj_end(w);
	}
	ag_jw_obj_end(w);
}

static void trace_json(const ag_audit_state *s, const ag_audit_opts *o, ag_trace_detail detail,
                       ag_jw *w)
{
	ag_arena *arena = ag_arena_new();

	ag_jw_kbool(w, "trace_complete", detail == AG_TRACE_FULL);
	ag_jw_kkey(w, "run_trace");
	ag_jw_arr(w);
	for (size_t i = 0; i < s->trace.n && detail != AG_TRACE_NONE; i++) {
		const ag_trace_entry *t = &s->trace.items[i];

		ag_jw_obj(w);
		ag_jw_kuint(w, "iteration", t->iteration);
		ag_jw_kstr(w, "call_id", t->call_id);
		ag_jw_kstr(w, "reasoning", t->reasoning);
		ag_jw_kstr(w, "action", t->action);
		if (t->input.len)
			ag_jw_kraw(w, "action_input", ag_report_shown_input(t, o, arena));
		else
			ag_jw_kstr(w, "action_input_text", t->input_text);
		ag_jw_kdouble(w, "confidence", t->confidence);
		ag_jw_kstr(w, "note", t->note);
		ag_jw_kbool(w, "executed", t->executed);
		ag_jw_kkey(w, "observation");
		if (t->executed)
			observation_json(t, o, detail == AG_TRACE_FULL, arena, w);
		else
			ag_jw_null(w);
		ag_jw_obj_end(w);
		ag_arena_reset(arena);
	}
	ag_jw_arr_end(w);
	ag_arena_free(arena);
}

static void coverage_json(const ag_audit_state *s, ag_jw *w)
{
	size_t covered, paths;

	ag_audit_coverage(s, &covered, &paths);
	ag_jw_kkey(w, "coverage");
	ag_jw_obj(w);
	ag_jw_kuint(w, "paths", paths);
	ag_jw_kuint(w, "investigated", covered);
	ag_jw_obj_end(w);
}

/* What a program may decide on. not_checked: there is no word on the data, so silence is no good news. */
static const char *verdict_of(const ag_audit_state *s, const ag_source_info *info,
                              const ag_finding *items, size_t ngap)
{
	for (size_t i = 0; i < s->findings.n; i++)
		if (!items[i].aside_by.len)
			return "problems";
	if (ag_gaps_nothing_checked(s, info) ||
	    (!ag_str_eqc(s->status, "ok") && !ag_str_eqc(s->status, "partial")))
		return "not_checked";
	return ngap ? "incomplete" : "no_problems";
}

/* "verdict", and "gaps": [{"kind","severity","count","total","message","next_step"}] */
static void gaps_json(const ag_audit_state *s, const ag_source_info *info, const ag_finding *items,
                      ag_arena *arena, ag_jw *w)
{
	ag_gap gaps[AG_GAPS_MAX];
	const size_t n = ag_gaps_of(s, info, arena, gaps);

	ag_jw_kstr(w, "verdict", ag_str_c(verdict_of(s, info, items, n)));
	ag_jw_kkey(w, "gaps");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		ag_jw_obj(w);
		ag_jw_kstr(w, "kind", ag_str_c(gaps[i].kind));
		ag_jw_kstr(w, "severity", ag_str_c(ag_severity_name(gaps[i].severity)));
		ag_jw_kuint(w, "count", gaps[i].count);
		ag_jw_kuint(w, "total", gaps[i].total);
		ag_jw_kstr(w, "message", gaps[i].message);
		ag_jw_kstr(w, "next_step", gaps[i].next_step);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

static void distributions_json(const ag_audit_state *s, const ag_audit_opts *o,
                               ag_trace_detail detail, ag_arena *arena, ag_jw *w)
{
	ag_val list = detail == AG_TRACE_NONE ? ag_val_array(NULL, 0) : s->distributions;

	if (!o->show_values)
		list = ag_distributions_masked(&list, arena);
	ag_jw_kkey(w, "distributions");
	ag_distributions_write(&list, arena, w);
}

/* Of all sittings, without the time between them. */
static double seconds_worked(const ag_audit_state *s)
{
	const int64_t sitting = s->finished_ms ? s->finished_ms - s->sitting_ms : 0;

	return (double)(s->worked_ms + (sitting > 0 ? sitting : 0)) / 1000;
}

/* cosmos://[user@]ACCOUNT/database or cosmos:///subscriptions/…/databaseAccounts/ACCOUNT/database */
static void account_json(ag_str uri, ag_jw *w)
{
	ag_str rest = uri, name;

	if (!ag_str_starts(uri, AG_S("cosmos://"))) {
		ag_jw_knull(w, "cosmos_account");
		return;
	}
	rest = ag_str_make(uri.ptr + 9, uri.len - 9);
	name = ag_str_split(&rest, '/');
	for (unsigned i = 0; !name.len && i < 7; i++) /* seven parts of an id are before the name */
		ag_str_split(&rest, '/');
	if (!name.len)
		name = ag_str_split(&rest, '/');
	if (ag_str_find(name, '@') >= 0)
		ag_str_split(&name, '@');
	ag_jw_kstr(w, "cosmos_account", name);
}

void ag_report_write(const ag_report_of *of, ag_trace_detail detail, ag_jw *w)
{
	const ag_audit_state *s = of->state;
	const ag_audit_opts *o = of->opts;
	const ag_source_info *info = of->info;
	ag_arena *arena = ag_arena_new();
	const ag_finding *items = ag_aside_findings(s, o, info, arena);
	size_t left_out, aside;

	ag_jw_obj(w);
	ag_jw_kstr(w, "id", ag_id_str(of->run));
	ag_jw_kstr(w, "collection", info->collection);
	ag_jw_kstr(w, "database", info->database);
	account_json(info->uri, w);
	ag_jw_ktime(w, "run_at", s->started_ms);
	ag_jw_kdouble(w, "duration_seconds", seconds_worked(s));
	ag_jw_kstr(w, "status", s->status.len ? s->status : AG_S("failed"));
	ag_jw_kstr(w, "status_reason", s->status_why);
	ag_jw_kstr(w, "summary", ag_report_summary(s, arena));
	ag_jw_kuint(w, "documents_sampled", s->documents_sampled);
	ag_jw_kuint(w, "collection_size", s->collection_size);
	ag_jw_kstr(w, "planner", ag_str_c(of->planner));
	ag_report_run_facts(o, info, w);
	coverage_json(s, w);
	gaps_json(s, info, items, arena, w);
	left_out = findings_json(items, s->findings.n, o, arena, w, &aside);
	ag_jw_kuint(w, "below_min_severity", left_out);
	ag_jw_kuint(w, "set_aside_count", aside);
	ag_ignore_notes(s, o, info, arena, w);
	ag_jw_kbool(w, "masked", !o->show_values);
	dismissed_json(s, o, w);
	evaluations_json(s, w);
	ag_report_cost(s, arena, w);
	ag_report_diff(s, items, o, arena, w);
	distributions_json(s, o, detail, arena, w);
	trace_json(s, o, detail, w);
	ag_jw_obj_end(w);
	ag_arena_free(arena);
}

ag_str ag_report_text_of(const ag_report_of *of, ag_arena *arena)
{
	ag_str ret = AG_S("");

	for (int detail = AG_TRACE_FULL; detail <= AG_TRACE_NONE && !ret.len; detail++) {
		ag_buf out = AG_BUF_INIT(AG_STORE_MAX_REPORT_BYTES);
		ag_jw w;

		ag_jw_init(&w, &out, 2);
		ag_report_write(of, (ag_trace_detail)detail, &w);
		if (!out.failed)
			ret = ag_buf_dup(arena, &out);
		ag_buf_release(&out);
	}
	/* Findings are bounded (AG_MAX_HYPOTHESES, parameter lengths), so the last try fits. */
	return ret;
}
