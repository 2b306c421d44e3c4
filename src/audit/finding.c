/* finding -- identity, ranking and the JSON form of a finding, written and read by the same names.
 *
 * The event log, the report and verify all use this one form, so it cannot drift apart. */
#include "audit/finding.h"

#include <stdio.h>
#include <xxhash.h>

#include "audit/mask.h"
#include "query/extjson.h"
#include "query/path.h"

bool ag_finding_replaces(ag_str kept_status, ag_str status)
{
	return ag_str_eqc(status, "committed") ||
	       (ag_str_eqc(status, "pending_review") && ag_str_eqc(kept_status, "pending_review"));
}

double ag_finding_score(const ag_finding *f)
{
	const double spread = f->share / 0.05 + 0.2;

	return ag_severity_weight(f->severity) * (spread < 1 ? spread : 1) * f->confidence;
}

int ag_finding_rank(const void *a, const void *b)
{
	const ag_finding *x = *(const ag_finding *const *)a, *y = *(const ag_finding *const *)b;
	int order;

	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	order = ag_str_cmp(x->field, y->field);
	return order ? order : ag_str_cmp(x->category, y->category);
}

ag_str ag_finding_canonical_field(ag_str field, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(64 * 1024);
	ag_err ignored;
	ag_path path;
	ag_str ret = field;

	if (!ag_path_parse(field, arena, &path, &ignored) && ag_path_query_form(&path, &out))
		ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

ag_str ag_finding_key(ag_str source_key, ag_str canonical_field, ag_str category, ag_arena *arena)
{
	ag_buf text = AG_BUF_INIT(1024 * 1024);
	XXH128_hash_t hash;

	/* NUL between the parts: none of them can hold one and make two identities collide. */
	ag_buf_add(&text, source_key);
	ag_buf_addc(&text, '\0');
	ag_buf_add(&text, canonical_field);
	ag_buf_addc(&text, '\0');
	ag_buf_add(&text, category);
	hash = XXH3_128bits(text.ptr, text.len);
	ag_buf_release(&text);
	return ag_str_printf(arena, "%016llx%016llx", (unsigned long long)hash.high64,
	                     (unsigned long long)hash.low64);
}

/* The field that decides how samples are masked: of a pipeline they are results, which hold the values of whatever it
 * reads. */
static ag_str masked_field(const ag_finding *f, ag_arena *arena)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_err ignored;
	ag_str other;
	ag_val v;

	if (ag_mask_field(f->field) || !f->evidence_query.len || f->evidence_query.ptr[0] != '[' ||
	    ag_extjson_parse(f->evidence_query, &opts, arena, &v, NULL, NULL, &ignored))
		return f->field;
	other = ag_mask_query_field(&v, arena);
	return other.len ? other : f->field;
}

static void write_value(ag_str field, const ag_val *v, bool show_values, ag_arena *arena, ag_jw *w)
{
	const ag_val shown = show_values ? *v : ag_mask_val(field, v, arena);

	ag_jw_raw(w, ag_extjson_str(arena, &shown, AG_EXTJSON_RELAXED));
}

static void write_samples(const ag_finding *f, bool show_values, ag_jw *w)
{
	ag_arena *arena = ag_arena_new();
	const ag_str field = show_values ? f->field : masked_field(f, arena);

	ag_jw_kkey(w, "sample_values");
	ag_jw_arr(w);
	for (size_t i = 0; i < f->nsample; i++)
		if (f->samples[i].type != AG_T_MISSING)
			write_value(field, &f->samples[i], show_values, arena, w);
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "examples");
	ag_jw_arr(w);
	for (size_t i = 0; i < f->nsample; i++) {
		ag_jw_obj(w);
		ag_jw_kstr(w, "where", f->where ? f->where[i] : AG_S(""));
		/* No "value": the document does not have the field. */
		if (f->samples[i].type != AG_T_MISSING) {
			ag_jw_kkey(w, "value");
			write_value(field, &f->samples[i], show_values, arena, w);
		}
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
	ag_arena_free(arena);
}

static void write_parts(const ag_finding *f, ag_jw *w)
{
	ag_jw_kkey(w, "parts");
	ag_jw_arr(w);
	for (size_t i = 0; i < f->npart; i++) {
		const ag_part *p = &f->parts[i];

		ag_jw_obj(w);
		ag_jw_kstr(w, "category", p->category);
		ag_jw_kstr(w, "description", p->description);
		ag_jw_kstr(w, "evidence_query", p->evidence_query);
		ag_jw_kuint(w, "affected_count", p->affected);
		ag_jw_kdouble(w, "affected_pct",
		              f->total ? (double)p->affected / (double)f->total : 0);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

/* The evidence as mongosh would take it. */
static void write_shell(const ag_finding *f, ag_jw *w)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_arena *arena = ag_arena_new();
	ag_err ignored;
	ag_val v;

	ag_jw_kkey(w, "evidence_shell");
	ag_jw_obj(w);
	if (f->evidence_query.len &&
	    !ag_extjson_parse(f->evidence_query, &opts, arena, &v, NULL, NULL, &ignored))
		ag_jw_kstr(w, v.type == AG_T_ARRAY ? "pipeline" : "filter",
		           ag_extjson_str(arena, &v, AG_EXTJSON_SHELL));
	ag_jw_obj_end(w);
	ag_arena_free(arena);
}

static bool was_rejected(const ag_finding *f)
{
	return ag_str_eqc(f->status, "dismissed") || ag_str_eqc(f->status, "dropped");
}

/* What the finding gate said: "evaluation", and "dismissal" when it was rejected. */
static void write_evaluation(const ag_finding *f, ag_jw *w)
{
	if (f->evaluation_id.len)
		ag_jw_kstr(w, "evaluation_id", f->evaluation_id);
	else
		ag_jw_knull(w, "evaluation_id");
	if (!f->evaluation_verdict.len)
		return;
	ag_jw_kkey(w, was_rejected(f) ? "dismissal" : "evaluation");
	ag_jw_obj(w);
	ag_jw_kstr(w, "verdict", f->evaluation_verdict);
	ag_jw_kdouble(w, "score", f->evaluation_score);
	ag_jw_kstr(w, "reason", f->evaluation_reason);
	ag_jw_kstr(w, "critique", f->evaluation_critique);
	ag_jw_kstr(w, "evaluated_by", f->evaluated_by);
	ag_jw_obj_end(w);
}

static void write_detail(const ag_finding *f, bool shows_detail, ag_jw *w)
{
	const ag_str detail = shows_detail ? f->detail : AG_S("");
	ag_arena *arena = ag_arena_new();

	ag_jw_kstr(w, "detail",
	           f->note.len ? ag_str_printf(arena, "%.*s%s%.*s", AG_FMT(detail),
	                                       detail.len ? "; " : "", AG_FMT(f->note))
	                       : detail);
	ag_arena_free(arena);
}

/* null, or why it does not count: {"by","reason","until"} */
static void write_aside(const ag_finding *f, ag_jw *w)
{
	if (!f->aside_by.len) {
		ag_jw_knull(w, "set_aside");
		return;
	}
	ag_jw_kkey(w, "set_aside");
	ag_jw_obj(w);
	ag_jw_kstr(w, "by", f->aside_by);
	ag_jw_kstr(w, "reason", f->aside_reason);
	if (f->aside_until.len)
		ag_jw_kstr(w, "until", f->aside_until);
	else
		ag_jw_knull(w, "until");
	ag_jw_obj_end(w);
}

void ag_finding_write(const ag_finding *f, bool show_values, ag_jw *w)
{
	const ag_category *category = ag_category_find(f->category);

	ag_jw_obj(w);
	ag_jw_kstr(w, "id", ag_id_str(&f->id));
	ag_jw_kstr(w, "key", f->key);
	ag_jw_kstr(w, "field", f->field);
	ag_jw_kstr(w, "category", f->category);
	ag_jw_kstr(w, "category_title", category ? ag_str_c(category->title) : f->category);
	ag_jw_kstr(w, "severity", ag_str_c(ag_severity_name(f->severity)));
	ag_jw_kstr(w, "description", f->description);
	/* A detail that quotes a person would undo the masking beside it. */
	write_detail(f, show_values || !ag_mask_quotes(f->field, f->detail), w);
	ag_jw_kstr(w, "hypothesis", f->hypothesis);
	ag_jw_kstr(w, "repair", f->repair);
	ag_jw_kstr(w, "evidence_query", f->evidence_query);
	write_shell(f, w);
	ag_jw_kuint(w, "affected_count", f->affected);
	ag_jw_kdouble(w, "affected_pct", f->share);
	ag_jw_kstr(w, "share_of", AG_S("collection"));
	ag_jw_kuint(w, "total_count", f->total);
	if (f->counted_ms)
		ag_jw_ktime(w, "counted_at", f->counted_ms);
	write_samples(f, show_values, w);
	write_parts(f, w);
	ag_jw_kbool(w, "confirmed", f->confirmed);
	if (f->user_label.len)
		ag_jw_kstr(w, "user_label", f->user_label);
	else
		ag_jw_knull(w, "user_label");
	if (f->user_label.len) {
		ag_jw_kstr(w, "label_reason", f->label_reason);
		ag_jw_kstr(w, "label_by", f->label_by);
		ag_jw_ktime_or_null(w, "labelled_at", f->labelled_ms);
	}
	write_aside(f, w);
	/* Readers of reports know "committed" as "published". */
	ag_jw_kstr(w, "status",
	           was_rejected(f) || ag_str_eqc(f->status, "pending_review") ? f->status
	                                                                      : AG_S("published"));
	ag_jw_kdouble(w, "confidence", f->confidence);
	ag_jw_kdouble(w, "score", f->score);
	ag_jw_kstr(w, "query_call_id", f->query_call_id);
	ag_jw_kuint(w, "iteration", f->iteration);
	write_evaluation(f, w);
	ag_jw_obj_end(w);
}

static void read_samples(const ag_val *v, ag_arena *arena, ag_finding *f)
{
	const ag_val *ex = ag_val_getc(v, "examples");
	ag_str *where;
	ag_val *samples;

	if (!ex || ex->type != AG_T_ARRAY || !ex->n)
		return;
	f->nsample = ex->n < AG_FINDING_MAX_SAMPLES ? ex->n : AG_FINDING_MAX_SAMPLES;
	f->samples = samples = ag_new_n(arena, ag_val, f->nsample);
	f->where = where = ag_new_n(arena, ag_str, f->nsample);
	for (size_t i = 0; i < f->nsample; i++) {
		const ag_val *value = ag_val_getc(&ex->u.items[i], "value");

		samples[i] = value ? *value : ag_val_missing();
		where[i] = ag_val_member_str(&ex->u.items[i], "where");
	}
}

static void read_parts(const ag_val *v, ag_arena *arena, ag_finding *f)
{
	const ag_val *parts = ag_val_getc(v, "parts");
	ag_part *out;

	if (!parts || parts->type != AG_T_ARRAY || !parts->n)
		return;
	f->npart = parts->n < AG_FINDING_MAX_PARTS ? parts->n : AG_FINDING_MAX_PARTS;
	f->parts = out = ag_new_n(arena, ag_part, f->npart);
	for (size_t i = 0; i < f->npart; i++)
		out[i] = (ag_part){
			.category = ag_val_member_str(&parts->u.items[i], "category"),
			.description = ag_val_member_str(&parts->u.items[i], "description"),
			.evidence_query = ag_val_member_str(&parts->u.items[i], "evidence_query"),
			.affected = ag_val_member_u64(&parts->u.items[i], "affected_count"),
		};
}

static void read_evaluation(const ag_val *v, ag_finding *f)
{
	const ag_val *e = ag_val_getc(v, "evaluation");

	f->evaluation_id = ag_val_member_str(v, "evaluation_id");
	if (!e)
		e = ag_val_getc(v, "dismissal");
	if (!e)
		return;
	f->evaluation_verdict = ag_val_member_str(e, "verdict");
	f->evaluation_reason = ag_val_member_str(e, "reason");
	f->evaluation_critique = ag_val_member_str(e, "critique");
	f->evaluated_by = ag_val_member_str(e, "evaluated_by");
	f->evaluation_score = ag_val_member_num(e, "score");
}

ag_status ag_finding_read(const ag_val *v, ag_arena *arena, ag_finding *ret, ag_err *err)
{
	const ag_val *confirmed = ag_val_getc(v, "confirmed");
	ag_finding f = { 0 };

	if (!ag_id_parse(ag_val_member_str(v, "id"), &f.id))
		return ag_fail(err, AG_INVALID, "audit.finding",
		               "a finding has no \"id\" that is a UUID");
	f.field = ag_val_member_str(v, "field");
	if (!ag_val_getc(v, "field"))
		return ag_fail(err, AG_INVALID, "audit.finding", "finding %s has no \"field\"",
		               f.id.text);
	f.category = ag_val_member_str(v, "category");
	if (!ag_severity_parse(ag_val_member_str(v, "severity"), &f.severity))
		return ag_fail(err, AG_INVALID, "audit.finding",
		               "finding %s: \"severity\" is none of critical, high, medium, low",
		               f.id.text);
	f.key = ag_val_member_str(v, "key");
	f.description = ag_val_member_str(v, "description");
	f.detail = ag_val_member_str(v, "detail");
	f.hypothesis = ag_val_member_str(v, "hypothesis");
	f.repair = ag_val_member_str(v, "repair");
	f.evidence_query = ag_val_member_str(v, "evidence_query");
	f.affected = ag_val_member_u64(v, "affected_count");
	f.share = ag_val_member_num(v, "affected_pct");
	f.total = ag_val_member_u64(v, "total_count");
	f.counted_ms = ag_val_member_time(v, "counted_at");
	f.confidence = ag_val_member_num(v, "confidence");
	f.score = ag_val_member_num(v, "score");
	f.confirmed = !confirmed || ag_val_truthy(confirmed);
	f.query_call_id = ag_val_member_str(v, "query_call_id");
	f.iteration = (unsigned)ag_val_member_u64(v, "iteration");
	f.user_label = ag_val_member_str(v, "user_label");
	f.label_reason = ag_val_member_str(v, "label_reason");
	f.label_by = ag_val_member_str(v, "label_by");
	f.labelled_ms = ag_val_member_time(v, "labelled_at");
	f.status = ag_val_member_str(v, "status");
	if (ag_str_eqc(f.status, "published"))
		f.status = AG_S("committed");
	read_samples(v, arena, &f);
	read_parts(v, arena, &f);
	read_evaluation(v, &f);
	*ret = f;
	return AG_OK;
}
