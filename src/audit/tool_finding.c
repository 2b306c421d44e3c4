/* tool_finding -- write_finding: Argus runs the evidence itself and builds the candidate; the gate judges it; settle
 * commits, demotes, dismisses or drops it.
 *
 * Affected count and share are what the data says. What the planner claimed is kept beside them for the rule
 * evidence_matches, which warns of a wrong figure. Evidence that finds nothing, or that does not show the category in the
 * field (audit/proof.h), is never committed, whatever the gate and the policy are. */
#include <stdlib.h>

#include "audit/brief.h"
#include "audit/culprit.h"
#include "audit/evidence_build.h"
#include "audit/proof.h"
#include "audit/tools.h"
#include "query/extjson.h"

static ag_str text_param(const ag_val *input, const char *name)
{
	const ag_val *v = ag_val_getc(input, name);

	return v && v->type == AG_T_STRING ? ag_str_trim(ag_val_text(v)) : AG_S("");
}

/* Evidence as one line of relaxed extended JSON; "" when blank. */
static ag_status evidence_text(const ag_val *v, ag_arena *arena, ag_str *ret, ag_err *err)
{
	const ag_extjson_opts opts = { .typed = true, .query = true, .reject_duplicates = true };
	ag_status st;
	ag_val parsed;

	*ret = AG_S("");
	if (!v)
		return AG_OK;
	parsed = *v;
	if (v->type == AG_T_STRING) {
		if (!ag_str_trim(ag_val_text(v)).len)
			return AG_OK;
		st = ag_extjson_parse(ag_val_text(v), &opts, arena, &parsed, NULL, NULL, err);
		if (st)
			return st;
	}
	*ret = ag_extjson_str(arena, &parsed, AG_EXTJSON_RELAXED);
	return AG_OK;
}

static void take_samples(ag_finding *f, const ag_evidence *e, ag_arena *arena)
{
	ag_val *samples = ag_new_n(arena, ag_val, AG_FINDING_MAX_SAMPLES);
	ag_str *where = ag_new_n(arena, ag_str, AG_FINDING_MAX_SAMPLES);
	ag_safe_query q = { 0 };
	ag_err ignored;

	f->samples = samples;
	f->where = where;
	if (f->evidence_query.len && ag_docquery_parse(f->evidence_query, arena, &q, &ignored))
		return;
	for (size_t i = 0; i < e->nsample && f->nsample < AG_FINDING_MAX_SAMPLES; i++) {
		/* A pipeline gives results, not documents: they are shown whole. */
		const ag_val v = q.filter ? ag_culprit_find(q.filter, &e->samples[i], f->field,
		                                            arena)
		                          : e->samples[i];

		samples[f->nsample] = ag_brief_sample(&v, arena);
		where[f->nsample++] = e->where ? e->where[i] : AG_S("");
	}
}

/* A part shows its category in the same field, or it is left out. */
static ag_status prove_part(ag_audit *a, const ag_ctx *ctx, ag_finding *f, ag_part *part,
                            ag_arena *arena, ag_err *err)
{
	ag_evidence e;
	ag_proof proof;
	const ag_claim claim = { f->field, part->category, part->evidence_query, part->affected };
	ag_status st = ag_proof_check(a, ctx, arena, &claim, &proof, err);

	if (st)
		return st;
	if (proof.wrong.len) {
		part->affected = 0;
		f->correction = ag_str_printf(arena, "%.*s%sa part is left out: %.*s",
		                              AG_FMT(f->correction), f->correction.len ? "; " : "",
		                              AG_FMT(proof.wrong));
		return AG_OK;
	}
	part->category = proof.category;
	if (ag_str_eq(proof.evidence, part->evidence_query))
		return AG_OK;
	part->evidence_query = proof.evidence;
	st = ag_source_evidence(ag_audit_source(a), ctx, arena, part->evidence_query, &e, err);
	part->affected = st ? 0 : e.affected;
	return st;
}

static ag_status read_parts(ag_audit *a, const ag_ctx *ctx, const ag_val *input, ag_arena *arena,
                            ag_finding *f, ag_err *err)
{
	const ag_val *parts = ag_val_getc(input, "parts");
	ag_part *out;

	if (!parts || parts->type != AG_T_ARRAY)
		return AG_OK;
	f->parts = out = ag_new_n(arena, ag_part, parts->n ? parts->n : 1);
	for (uint32_t i = 0; i < parts->n; i++) {
		const ag_val *p = &parts->u.items[i];
		ag_evidence e;
		ag_status st;
		ag_part part = {
			.category = ag_category_canonical(text_param(p, "category"), arena),
			.description = text_param(p, "description"),
		};

		st = evidence_text(ag_val_getc(p, "evidence_query"), arena, &part.evidence_query,
		                   err);
		if (st)
			return st;
		if (!part.evidence_query.len)
			return ag_fail(err, AG_INVALID, "audit.finding",
			               "parts[%u] has no evidence_query", i);
		st = ag_source_evidence(ag_audit_source(a), ctx, arena, part.evidence_query, &e,
		                        err);
		if (st)
			return st;
		part.affected = e.affected;
		if (!e.affected)
			continue;
		st = prove_part(a, ctx, f, &part, arena, err);
		if (st)
			return st;
		if (part.affected)
			out[f->npart++] = part;
	}
	return AG_OK;
}

/* The query that ran the same evidence before, for provenance. */
static ag_str query_call(const ag_audit_state *s, ag_str evidence, ag_arena *arena)
{
	const bool is_pipeline = evidence.len && evidence.ptr[0] == '[';
	const ag_val text = ag_val_str(evidence);
	const ag_member m = { is_pipeline ? AG_S("pipeline") : AG_S("filter"), text };
	const ag_val input = ag_val_object(&m, 1);
	const ag_call_record *call = ag_audit_call_find(
		s, ag_audit_call_key(is_pipeline ? AG_S("aggregate") : AG_S("run_query"), &input,
	                             arena));

	return call ? call->call_id : AG_S("");
}

/* "61", "3 %", "about 60": the first number in it. */
static bool claimed_number(const ag_val *v, double *ret, bool *ret_is_percent)
{
	ag_str s;
	char *end;

	*ret_is_percent = false;
	if (!v)
		return false;
	if (ag_type_is_number(v->type)) {
		*ret = ag_val_number(v);
		return true;
	}
	if (v->type != AG_T_STRING)
		return false;
	s = ag_val_text(v);
	*ret_is_percent = ag_str_find(s, '%') >= 0;
	while (s.len && (s.ptr[0] < '0' || s.ptr[0] > '9'))
		s = ag_str_make(s.ptr + 1, s.len - 1);
	if (!s.len || s.len > 60)
		return false;
	{
		char text[64];

		memcpy(text, s.ptr, s.len);
		text[s.len] = '\0';
		*ret = strtod(text, &end);
	}
	return true;
}

static void fill_claims(const ag_val *input, ag_finding *f)
{
	bool is_percent;
	double x;

	if (claimed_number(ag_val_getc(input, "affected_count"), &x, &is_percent) && !is_percent &&
	    x >= 0 && x < 9e15) {
		f->has_claimed_count = true;
		f->claimed_count = (int64_t)x;
	}
	if (claimed_number(ag_val_getc(input, "affected_pct"), &x, &is_percent) && x >= 0) {
		f->has_claimed_share = true;
		/* 3 means 3 %. */
		f->claimed_share = is_percent || x > 1 ? x / 100 : x;
	}
}

static bool names_stage(const ag_val *stage, const char *name)
{
	return stage->type == AG_T_OBJECT && stage->n == 1 &&
	       ag_str_eqc(stage->u.members[0].key, name);
}

/* Values and places of the first groups that a pipeline counts: a duplicate is seen by the value that is there twice. The
 * pipeline must end in a stage that adds its groups up; the stage before that gives them. Without such groups, or
 * when a query fails, the samples stay as they are: they illustrate, and no figure depends on them. */
static void show_groups(ag_audit *a, const ag_ctx *ctx, ag_finding *f, ag_arena *arena)
{
	enum { SHOWN_GROUPS = 2, PLACES = 2 };
	const ag_extjson_opts opts = { .typed = true, .query = true };
	const ag_val *groups, *by = NULL, *key;
	ag_val samples[SHOWN_GROUPS * PLACES], *stages, query, pipeline;
	ag_str where[SHOWN_GROUPS * PLACES];
	size_t n = 0, ngroup;
	ag_err ignored;

	if (!f->evidence_query.len || f->evidence_query.ptr[0] != '[' ||
	    ag_extjson_parse(f->evidence_query, &opts, arena, &query, NULL, NULL, &ignored) ||
	    query.n < 3 || !names_stage(&query.u.items[query.n - 1], "$group"))
		return;
	for (uint32_t i = 0; i + 1 < query.n; i++)
		if (names_stage(&query.u.items[i], "$group"))
			by = ag_val_getc(&query.u.items[i].u.members[0].val, "_id");
	if (!by || by->type != AG_T_STRING || by->n < 2 || ag_val_text(by).ptr[0] != '$')
		return;
	stages = ag_new_n(arena, ag_val, query.n + 1);
	memcpy(stages, query.u.items, (query.n - 1) * sizeof(*stages));
	stages[query.n - 1] = AG_EV_OBJ(
		arena, AG_EV_KV("$sort", AG_EV_OBJ(arena, AG_EV_KV("_id", ag_val_int(1)))));
	stages[query.n] = AG_EV_OBJ(arena, AG_EV_KV("$limit", ag_val_int(SHOWN_GROUPS)));
	pipeline = ag_val_array(stages, query.n + 1);
	if (ag_source_aggregate(ag_audit_source(a), ctx, arena, &pipeline, SHOWN_GROUPS, &groups,
	                        &ngroup, &ignored))
		return;
	for (size_t i = 0; i < ngroup && (key = ag_val_getc(&groups[i], "_id")); i++) {
		const ag_str path = ag_val_text(by);
		const ag_member is_key = { ag_str_make(path.ptr + 1, path.len - 1), *key };
		const ag_val filter = ag_ev_obj(arena, &is_key, 1);
		ag_found found;

		if (key->type == AG_T_OBJECT || key->type == AG_T_ARRAY ||
		    ag_source_find(ag_audit_source(a), ctx, arena, &filter, PLACES, &found,
		                   &ignored))
			return;
		for (size_t k = 0; k < found.ndoc; k++) {
			samples[n] = ag_brief_sample(key, arena);
			where[n++] = found.where ? found.where[k] : AG_S("");
		}
	}
	if (!n)
		return;
	f->samples = memcpy(ag_new_n(arena, ag_val, n), samples, n * sizeof(*samples));
	f->where = memcpy(ag_new_n(arena, ag_str, n), where, n * sizeof(*where));
	f->nsample = n;
}

/* What the evidence found, as the finding's figures. */
static void take_figures(ag_finding *f, const ag_evidence *e, ag_arena *arena)
{
	f->affected = e->affected;
	f->counted_ms = e->counted_ms;
	f->share = f->total ? (double)f->affected / (double)f->total : 0;
	/* A collection that grew since it was counted. */
	if (f->share > 1)
		f->share = 1;
	f->score = ag_finding_score(f);
	f->nsample = 0;
	take_samples(f, e, arena);
}

/* Does it show what the finding says? What is not exact is corrected here. */
static ag_status prove(ag_audit *a, const ag_ctx *ctx, ag_str category, ag_arena *arena,
                       ag_finding *f, ag_err *err)
{
	ag_evidence e;
	ag_proof proof;
	const ag_claim claim = { f->field, category, f->evidence_query, f->affected };
	ag_status st = ag_proof_check(a, ctx, arena, &claim, &proof, err);

	if (st)
		return st;
	f->field = proof.field;
	f->category = proof.category;
	f->wrong = proof.wrong;
	f->wrong_critique = proof.critique;
	f->correction = proof.note;
	if (proof.wrong.len || ag_str_eq(proof.evidence, f->evidence_query))
		return AG_OK;
	f->evidence_query = proof.evidence;
	st = ag_source_evidence(ag_audit_source(a), ctx, arena, f->evidence_query, &e, err);
	if (!st)
		take_figures(f, &e, arena);
	return st;
}

static ag_status build(ag_audit *a, const ag_ctx *ctx, const ag_val *input, ag_arena *arena,
                       ag_finding *f, ag_err *err)
{
	const ag_audit_state *s = ag_audit_state_of(a);
	const ag_val *confirmed = ag_val_getc(input, "confirmed");
	const ag_finding *earlier;
	ag_evidence e = { 0 };
	ag_status st;

	f->field = ag_val_text(ag_val_getc(input, "field"));
	f->wrong = f->wrong_critique = f->correction = AG_S("");
	f->category = ag_category_canonical(ag_val_text(ag_val_getc(input, "category")), arena);
	f->description = text_param(input, "description");
	f->hypothesis = text_param(input, "hypothesis");
	f->detail = text_param(input, "detail");
	f->repair = text_param(input, "repair");
	f->confirmed = !confirmed || ag_val_truthy(confirmed);
	f->total = s->collection_size;
	f->iteration = s->iteration;
	f->confidence = s->trace.n ? s->trace.items[s->trace.n - 1].confidence : 0;
	if (!ag_severity_parse(ag_val_text(ag_val_getc(input, "severity")), &f->severity))
		f->severity = AG_MEDIUM;
	fill_claims(input, f);
	st = evidence_text(ag_val_getc(input, "evidence_query"), arena, &f->evidence_query, err);
	if (st)
		return st;
	if (f->evidence_query.len) {
		st = ag_source_evidence(ag_audit_source(a), ctx, arena, f->evidence_query, &e, err);
		if (st)
			return st;
		f->query_call_id = query_call(s, f->evidence_query, arena);
	}
	take_figures(f, &e, arena);
	if (f->affected) {
		st = prove(a, ctx, ag_val_text(ag_val_getc(input, "category")), arena, f, err);
		if (st)
			return st;
		show_groups(a, ctx, f, arena);
	}
	f->key = ag_finding_key(s->source_key, ag_finding_canonical_field(f->field, arena),
	                        f->category, arena);
	earlier = ag_audit_finding_find(s, f->field, f->category);
	f->id = earlier ? earlier->id : ag_id_new(ctx->clock);
	return read_parts(a, ctx, input, arena, f, err);
}

ag_status ag_tool_write_finding(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	ag_finding *f = ag_new(c->arena, ag_finding);
	ag_status st;
	ag_jw w;

	st = build(c->env, &c->ctx, input, c->arena, f, err);
	if (st)
		return st;
	ag_jw_init(&w, &ret->json, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "finding_id", ag_id_str(&f->id));
	ag_jw_kuint(&w, "affected_count", f->affected);
	ag_jw_kdouble(&w, "affected_pct", f->share);
	if (f->has_claimed_count)
		ag_jw_kint(&w, "claimed_count", f->claimed_count);
	if (f->has_claimed_share)
		ag_jw_kdouble(&w, "claimed_pct", f->claimed_share);
	if (f->wrong.len) {
		ag_jw_kstr(&w, "wrong", f->wrong);
		ag_jw_kstr(&w, "wrong_critique", f->wrong_critique);
	}
	if (f->correction.len)
		ag_jw_kstr(&w, "correction", f->correction);
	/* Write all fields: after a crash and resume, the gate sees only this payload. */
	ag_jw_kkey(&w, "candidate");
	ag_finding_write(f, true, &w);
	ag_jw_obj_end(&w);
	ret->summary = ag_str_printf(c->arena, "the evidence finds %llu of %llu documents",
	                             (unsigned long long)f->affected, (unsigned long long)f->total);
	ret->target_id = ag_str_dup(c->arena, ag_id_str(&f->id));
	return AG_OK;
}

static bool has_evidence(const ag_finding *f)
{
	return f->affected > 0 && f->evidence_query.len > 0 && !f->wrong.len;
}

/* {"status":"committed|pending_review|dismissed|dropped","finding":{…}} */
static ag_str payload(const ag_finding *f, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(16 * 1024 * 1024);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "status", f->status);
	ag_jw_kkey(&w, "finding");
	ag_finding_write(f, true, &w);
	ag_jw_obj_end(&w);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* The record of the verdict that was just given on it. */
static ag_str verdict_id(const ag_audit_state *s, const ag_finding *f)
{
	for (size_t i = s->evaluations.n; i-- > 0;) {
		const ag_evaluation *e = &s->evaluations.items[i];

		if (ag_str_eqc(e->gate, "finding"))
			return ag_str_eq(e->target_id, ag_id_str(&f->id)) ? e->id : AG_S("");
	}
	return AG_S("");
}

static void demote(ag_finding *f)
{
	f->status = AG_S("committed");
	if (f->severity > AG_LOW)
		f->severity--;
	f->score = ag_finding_score(f);
}

ag_status ag_audit_settle(void *env, ag_arena *arena, const ag_observation *obs,
                          const ag_verdict *v, ag_str *ret_payload, ag_err *err)
{
	const ag_rejected_policy policy = ag_audit_opts_of(env)->rejected_policy;
	const ag_audit_state *s = ag_audit_state_of(env);
	ag_finding f;

	(void)obs;
	if (!s->candidate)
		return ag_fail(err, AG_INTERNAL, "audit.finding",
		               "there is no candidate to settle");
	f = *s->candidate;
	f.evaluation_id = verdict_id(s, &f);
	f.evaluation_verdict = ag_str_c(ag_verdict_name(v->kind));
	f.evaluation_score = v->score;
	f.evaluation_reason = v->reason;
	f.evaluation_critique = v->critique;
	f.evaluated_by = v->evaluated_by;
	/* No gate, or one that does not look at the data: the reason is Argus's own. */
	if (f.wrong.len && v->kind != AG_FAIL) {
		f.evaluation_reason = f.wrong;
		f.evaluation_critique = f.wrong_critique;
	}
	/* Also without a gate: nothing is a finding that the data does not show. */
	if (v->disposition == AG_DISPOSE_DROP)
		f.status = AG_S("dropped");
	else if (v->kind != AG_FAIL && has_evidence(&f))
		f.status = v->disposition == AG_DISPOSE_REVIEW ? AG_S("pending_review")
		                                               : AG_S("committed");
	else if (policy == AG_REJECTED_DEMOTE && has_evidence(&f) &&
	         v->disposition != AG_DISPOSE_REJECT)
		demote(&f);
	else
		f.status = policy == AG_REJECTED_DROP ? AG_S("dropped") : AG_S("dismissed");
	*ret_payload = payload(&f, arena);
	return AG_OK;
}
