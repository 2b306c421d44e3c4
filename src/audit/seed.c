/* From rows of the older system to a run: first the findings, then the report around them. */
#include "audit/seed.h"

#include <stdio.h>

#include "audit/finding.h"
#include "base/sha256.h"
#include "base/time.h"
#include "base/utf8.h"
#include "query/extjson.h"

#define ORIGIN "audit.seed"

typedef struct taking {
	ag_arena *arena;
	const ag_seed_report *seed;
	bool show_values;
	ag_val row, raw; /* of argus_reports, and its raw_report; an empty object without one */
	ag_id run;
	ag_str source_key, collection, database, account;
	uint64_t documents;
	ag_finding *findings; /* first those that count, then the dismissed ones */
	ag_finding_row *rows;
	size_t nfinding, ndismissed;
	ag_finding_row *old; /* of an earlier time */
	size_t nold;
	uint32_t by_severity[4];
} taking;

/* A UUIDv7 of that moment whose other bits follow from the text: the same one each time. */
static ag_id id_of(int64_t at_ms, const char *what, ag_str text)
{
	AG_AUTO(ag_buf_release) ag_buf all = AG_BUF_INIT(64u << 10);
	ag_sha256_hex h;
	ag_id id = { "" };

	ag_buf_adds(&all, what);
	ag_buf_add(&all, text);
	h = ag_sha256(ag_buf_view(&all));
	snprintf(id.text, sizeof(id.text), "%08llx-%04llx-7%.3s-8%.3s-%.12s",
	         (unsigned long long)at_ms >> 16 & 0xffffffff, (unsigned long long)at_ms & 0xffff,
	         h.text, h.text + 3, h.text + 6);
	return id;
}

/* The older system's words come in both cases. */
static ag_str lower(ag_str s, ag_arena *arena)
{
	char *text = ag_str_cstr(arena, s);

	for (size_t i = 0; i < s.len; i++)
		text[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]);
	return ag_str_make(text, s.len);
}

static ag_status parse(const taking *t, const char *what, ag_str json, ag_val *ret, ag_err *err)
{
	const ag_extjson_opts opts = { .repair_utf8 = true };
	ag_err why = { 0 };

	if (!ag_extjson_parse(json, &opts, t->arena, ret, NULL, NULL, &why))
		return AG_OK;
	return ag_fail(err, AG_INVALID, ORIGIN, "report %.*s: %s cannot be read: %s",
	               AG_FMT(ag_utf8_prefix(t->seed->id, 60)), what, why.msg);
}

static ag_val member(const ag_val *obj, const char *key)
{
	const ag_val *v = ag_val_getc(obj, key);

	return v ? *v : ag_val_missing();
}

/* "" for what is no text. Long ones are cut to what the store takes. */
static ag_str text(const ag_val *obj, const char *key)
{
	return ag_utf8_prefix(ag_val_member_str(obj, key), AG_STORE_MAX_TEXT_BYTES);
}

static size_t count(const ag_val *list)
{
	return list->type == AG_T_ARRAY ? list->n : 0;
}

/* --- findings --- */

static void take_samples(const taking *t, const ag_val *row, ag_finding *f)
{
	const ag_val list = member(row, "sample_values");
	ag_str *where;
	ag_val *samples;

	f->nsample = count(&list) < AG_FINDING_MAX_SAMPLES ? count(&list) : AG_FINDING_MAX_SAMPLES;
	if (!f->nsample)
		return;
	f->samples = samples = ag_new_n(t->arena, ag_val, f->nsample);
	f->where = where = ag_new_n(t->arena, ag_str, f->nsample);
	for (size_t i = 0; i < f->nsample; i++) {
		samples[i] = list.u.items[i];
		where[i] = AG_S("");
	}
}

static void take_label(const taking *t, const ag_val *row, ag_finding *f)
{
	const ag_str label = ag_val_member_str(row, "user_label");

	if (!ag_str_eqc(label, "tp") && !ag_str_eqc(label, "fp"))
		return;
	f->user_label = label;
	f->labelled_ms = t->seed->run_at_ms;
	f->label_reason = f->label_by = AG_S("");
}

static ag_str status_of(const ag_val *row, bool is_dismissed)
{
	const ag_str status = ag_val_member_str(row, "status");

	if (is_dismissed)
		return AG_S("dismissed");
	return ag_str_eqc(status, "pending_review") || ag_str_eqc(status, "dropped")
	               ? status
	               : AG_S("committed");
}

static void take_finding(taking *t, const ag_val *row, bool is_dismissed, ag_finding *f)
{
	const ag_str id = text(row, "id");
	const ag_val confidence = member(row, "confidence");
	const double share = ag_val_member_num(row, "affected_pct");
	ag_str given;

	*f = (ag_finding){ .confirmed = ag_val_member_bool(row, "confirmed"), .confidence = 1 };
	/* Another report may have a finding of the same id: it is made of both. */
	given = ag_str_printf(t->arena, "%.*s/%.*s", AG_FMT(t->seed->id), AG_FMT(id));
	f->id = id_of(t->seed->run_at_ms, "finding ", given);
	f->field = text(row, "field");
	f->category = ag_category_canonical(text(row, "category"), t->arena);
	f->key = ag_finding_key(t->source_key, ag_finding_canonical_field(f->field, t->arena),
	                        f->category, t->arena);
	if (!ag_severity_parse(text(row, "severity"), &f->severity))
		f->severity = AG_MEDIUM;
	f->description = text(row, "description");
	f->hypothesis = text(row, "hypothesis");
	f->detail = text(row, "confidence_reason");
	f->evidence_query = text(row, "evidence_query");
	f->affected = ag_val_member_u64(row, "affected_count");
	f->share = share >= 0 && share <= 1 ? share : share > 1;
	f->total = t->documents;
	if (confidence.type != AG_T_MISSING && confidence.type != AG_T_NULL)
		f->confidence = ag_val_member_num(row, "confidence");
	f->score = ag_finding_score(f);
	f->status = status_of(row, is_dismissed);
	f->evaluation_verdict =
		lower(text(row, is_dismissed ? "dismiss_verdict" : "evaluation_verdict"), t->arena);
	f->evaluation_reason = is_dismissed ? text(row, "dismiss_reason") : AG_S("");
	f->evaluation_critique = is_dismissed ? text(row, "critique") : AG_S("");
	f->evaluated_by = text(row, is_dismissed ? "dismissed_by" : "evaluated_by");
	f->evaluation_score = ag_val_member_num(row, is_dismissed ? "dismiss_score"
	                                                          : "evaluation_score");
	if (f->evaluation_verdict.len)
		f->evaluation_id = AG_S("imported");
	take_samples(t, row, f);
	take_label(t, row, f);
}

static ag_str body_of(const taking *t, const ag_finding *f)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(AG_STORE_MAX_PAYLOAD_BYTES);
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_finding_write(f, t->show_values, &w);
	return ag_buf_dup(t->arena, &out);
}

/* A word that a person gave in Argus since the run was taken over first. */
static void keep_word(const taking *t, ag_finding *f)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_finding old = { 0 };
	ag_err ignored;
	ag_val v;

	for (size_t i = 0; i < t->nold; i++) {
		const ag_finding_row *row = &t->old[i];

		if (!ag_str_eq(ag_id_str(&row->id), ag_id_str(&f->id)) ||
		    row->labelled_ms <= t->seed->run_at_ms)
			continue;
		f->user_label = row->label;
		f->labelled_ms = row->labelled_ms;
		f->status = row->status;
		if (!ag_extjson_parse(row->body, &opts, t->arena, &v, NULL, NULL, &ignored) &&
		    !ag_finding_read(&v, t->arena, &old, &ignored)) {
			f->label_reason = old.label_reason;
			f->label_by = old.label_by;
		}
	}
}

static void take_findings(taking *t, const ag_val *rows, bool is_dismissed)
{
	for (size_t i = 0; i < count(rows); i++) {
		const size_t at = t->nfinding + t->ndismissed;
		ag_finding *f = &t->findings[at];

		take_finding(t, &rows->u.items[i], is_dismissed, f);
		keep_word(t, f);
		t->rows[at] = (ag_finding_row){ .id = f->id,
			                        .run = t->run,
			                        .key = f->key,
			                        .field = f->field,
			                        .category = f->category,
			                        .severity = ag_str_c(ag_severity_name(f->severity)),
			                        .status = f->status,
			                        .affected = f->affected,
			                        .share = f->share,
			                        .label = f->user_label,
			                        .labelled_ms = f->labelled_ms,
			                        .body = body_of(t, f) };
		if (is_dismissed) {
			t->ndismissed++;
			continue;
		}
		t->nfinding++;
		if (ag_str_eqc(f->status, "committed"))
			t->by_severity[f->severity]++;
	}
}

/* --- the report --- */

static void raw_member(const taking *t, ag_jw *w, const char *key, const ag_val *v,
                       const char *none)
{
	const bool is_there = v->type != AG_T_MISSING && v->type != AG_T_NULL;

	ag_jw_kraw(w, key,
	           is_there ? ag_extjson_str(t->arena, v, AG_EXTJSON_RELAXED) : ag_str_c(none));
}

static void raw_of(const taking *t, ag_jw *w, const char *key, const char *none)
{
	const ag_val v = member(&t->raw, key);

	raw_member(t, w, key, &v, none);
}

static void source_json(const taking *t, ag_jw *w)
{
	ag_jw_kkey(w, "source");
	ag_jw_obj(w);
	ag_jw_kstr(w, "uri", t->source_key);
	ag_jw_kstr(w, "key", t->source_key);
	ag_jw_kstr(w, "database", t->database);
	ag_jw_kstr(w, "format", AG_S("imported"));
	ag_jw_kuint(w, "documents", t->documents);
	ag_jw_obj_end(w);
}

static void findings_json(const taking *t, ag_jw *w, const char *key, size_t from, size_t n)
{
	ag_jw_kkey(w, key);
	ag_jw_arr(w);
	for (size_t i = from; i < from + n; i++) {
		if (!ag_str_eqc(t->findings[i].status, "dropped") || from)
			ag_finding_write(&t->findings[i], t->show_values, w);
	}
	ag_jw_arr_end(w);
}

static void run_evaluation(const taking *t, ag_jw *w)
{
	const ag_val v = member(&t->raw, "run_evaluation");
	const ag_str verdict = text(&t->row, "run_eval_verdict");

	if (v.type == AG_T_OBJECT || !verdict.len) {
		raw_member(t, w, "run_evaluation", &v, "null");
		return;
	}
	ag_jw_kkey(w, "run_evaluation");
	ag_jw_obj(w);
	ag_jw_kstr(w, "evaluated_by", text(&t->row, "run_eval_by"));
	ag_jw_kstr(w, "verdict", lower(verdict, t->arena));
	ag_jw_obj_end(w);
}

static ag_str report_of(const taking *t, ag_str evaluations)
{
	static const char *const lists[] = { "new_findings", "resolved_findings",
		                             "regressed_fields", "still_present", "not_checked" };
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(AG_STORE_MAX_REPORT_BYTES);
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "id", ag_id_str(&t->run));
	ag_jw_kstr(&w, "collection", t->collection);
	ag_jw_kstr(&w, "database", t->database);
	ag_jw_kstr(&w, "cosmos_account", t->account);
	ag_jw_ktime(&w, "run_at", t->seed->run_at_ms);
	ag_jw_kdouble(&w, "duration_seconds", ag_val_member_num(&t->row, "duration_secs"));
	ag_jw_kstr(&w, "status", AG_S("ok"));
	ag_jw_kstr(&w, "status_reason", AG_S("imported"));
	ag_jw_kstr(&w, "imported_id", t->seed->id);
	ag_jw_kstr(&w, "summary", text(&t->row, "summary"));
	ag_jw_kuint(&w, "documents_sampled", ag_val_member_u64(&t->row, "docs_sampled"));
	ag_jw_kuint(&w, "collection_size", t->documents);
	ag_jw_kstr(&w, "planner", AG_S("llm"));
	source_json(t, &w);
	ag_jw_kstr(&w, "verdict", t->nfinding ? AG_S("problems") : AG_S("no_problems"));
	ag_jw_kraw(&w, "gaps", AG_S("[]"));
	findings_json(t, &w, "findings", 0, t->nfinding);
	ag_jw_kbool(&w, "masked", !t->show_values);
	findings_json(t, &w, "dismissed_findings", t->nfinding, t->ndismissed);
	ag_jw_kraw(&w, "evaluation_records", evaluations);
	run_evaluation(t, &w);
	ag_jw_kdouble(&w, "overall_quality_score",
	              ag_val_member_num(&t->row, "overall_quality_score"));
	ag_jw_kuint(&w, "total_input_tokens", ag_val_member_u64(&t->row, "total_input_tokens"));
	ag_jw_kuint(&w, "total_output_tokens", ag_val_member_u64(&t->row, "total_output_tokens"));
	raw_of(t, &w, "cost", "null");
	ag_jw_knull(&w, "previous_run_id");
	for (size_t i = 0; i < AG_NELEM(lists); i++)
		raw_of(t, &w, lists[i], "[]");
	ag_jw_kbool(&w, "trace_complete", false);
	raw_of(t, &w, "run_trace", "[]");
	ag_jw_obj_end(&w);
	return ag_buf_dup(t->arena, &out);
}

/* --- the whole --- */

static ag_run_row run_row(const taking *t)
{
	const ag_str verdict = lower(text(&t->row, "run_eval_verdict"), t->arena);
	const bool is_verdict = ag_str_eqc(verdict, "pass") || ag_str_eqc(verdict, "warn") ||
	                        ag_str_eqc(verdict, "fail");
	const double seconds = ag_val_member_num(&t->row, "duration_secs");

	return (ag_run_row){
		.id = t->run,
		.agent = AG_S("audit"),
		.source_uri = t->source_key,
		.source_key = t->source_key,
		.collection = t->collection,
		.status = AG_S("ok"),
		.verdict = is_verdict ? verdict : AG_S(""),
		.summary = text(&t->row, "summary"),
		.started_ms = t->seed->run_at_ms,
		.finished_ms = t->seed->run_at_ms +
		               (seconds > 0 && seconds < 1e7 ? (int64_t)(seconds * 1000) : 1),
		.documents = t->documents,
		.critical = t->by_severity[AG_CRITICAL],
		.high = t->by_severity[AG_HIGH],
		.medium = t->by_severity[AG_MEDIUM],
		.low = t->by_severity[AG_LOW],
		.input_tokens = ag_val_member_u64(&t->row, "total_input_tokens"),
		.output_tokens = ag_val_member_u64(&t->row, "total_output_tokens")
	};
}

static ag_status take_row(taking *t, ag_err *err)
{
	const ag_seed_report *r = t->seed;
	ag_status st;

	if (r->run_at_ms <= 0 || r->run_at_ms >= INT64_C(1) << 47)
		return ag_fail(err, AG_INVALID, ORIGIN, "report %.*s has no time",
		               AG_FMT(ag_utf8_prefix(r->id, 60)));
	st = parse(t, "its row", r->report, &t->row, err);
	if (st)
		return st;
	t->raw = member(&t->row, "raw_report");
	t->run = id_of(r->run_at_ms, "report ", r->id);
	t->collection = text(&t->row, "collection");
	t->database = text(&t->row, "database");
	t->account = text(&t->row, "cosmos_account");
	t->source_key = t->account.len
	                        ? ag_str_printf(t->arena, "%.*s/%.*s/%.*s", AG_FMT(t->account),
	                                        AG_FMT(t->database), AG_FMT(t->collection))
	                        : ag_str_printf(t->arena, "%.*s/%.*s", AG_FMT(t->database),
	                                        AG_FMT(t->collection));
	t->documents = ag_val_member_u64(&t->row, "collection_size");
	return AG_OK;
}

ag_status ag_seed_take(ag_store *store, const ag_seed_report *r, bool show_values,
                       ag_seed_taken *ret, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	taking t = { .arena = arena, .seed = r, .show_values = show_values };
	ag_val findings, dismissed;
	ag_store_batch b = { 0 };
	ag_run_row row;
	ag_status st = take_row(&t, err);

	if (!st)
		st = parse(&t, "its findings", r->findings, &findings, err);
	if (!st)
		st = parse(&t, "its dismissed findings", r->dismissed, &dismissed, err);
	if (!st)
		st = ag_store_findings(store, &t.run, arena, &t.old, &t.nold, err);
	if (st)
		return st;
	t.findings = ag_new_n(arena, ag_finding, count(&findings) + count(&dismissed) + 1);
	t.rows = ag_new_n(arena, ag_finding_row, count(&findings) + count(&dismissed) + 1);
	take_findings(&t, &findings, false);
	take_findings(&t, &dismissed, true);
	row = run_row(&t);
	b.run = &row;
	b.findings = t.rows;
	b.nfinding = t.nfinding + t.ndismissed;
	b.report = report_of(&t, r->evaluations);
	st = ag_store_commit(store, &t.run, &b, err);
	if (st)
		return st;
	ret->nreport++;
	ret->nfinding += t.nfinding;
	ret->ndismissed += t.ndismissed;
	for (size_t i = 0; i < t.nfinding; i++)
		ret->nlabel += t.findings[i].user_label.len > 0;
	return AG_OK;
}
