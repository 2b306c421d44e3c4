/* report_diff -- the history of the log against the findings of the state, as members of the report.
 *
 * Everything comes from the log, so a rebuilt report has the same bytes. Findings below the wanted severity are left out
 * of new_findings as they are of findings, but they count as found: nothing is resolved by silence. */
#include "audit/report_diff.h"

#include <stdlib.h>

#include "audit/diff.h"

static void name_members(ag_str id, ag_str key, ag_str field, ag_str category, ag_str severity,
                         ag_jw *w)
{
	ag_jw_kstr(w, "id", id);
	ag_jw_kstr(w, "key", key);
	ag_jw_kstr(w, "field", field);
	ag_jw_kstr(w, "category", category);
	ag_jw_kstr(w, "severity", severity);
}

static int by_rank(const void *a, const void *b)
{
	return ag_finding_rank(a, b);
}

/* [{"id","key","field","category","severity","affected_count","affected_pct"}] */
static void added_json(const ag_diff *d, ag_severity min, ag_jw *w)
{
	if (d->nadded)
		qsort(d->added, d->nadded, sizeof(*d->added), by_rank);
	ag_jw_kkey(w, "new_findings");
	ag_jw_arr(w);
	for (size_t i = 0; i < d->nadded; i++) {
		const ag_finding *f = d->added[i];

		if (f->severity < min)
			continue;
		ag_jw_obj(w);
		name_members(ag_id_str(&f->id), f->key, f->field, f->category,
		             ag_str_c(ag_severity_name(f->severity)), w);
		ag_jw_kuint(w, "affected_count", f->affected);
		ag_jw_kdouble(w, "affected_pct", f->share);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

/* [{"id","key","field","category","severity","was","was_pct","now","now_pct","why","evidence_query"}]; id and severity are those of the
 * previous run, now is null when it was not counted. */
static void rechecks_json(const char *name, const ag_recheck *const *list, size_t n, ag_jw *w)
{
	ag_jw_kkey(w, name);
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		const ag_recheck *r = list[i];

		ag_jw_obj(w);
		name_members(r->id, r->key, r->field, r->category, r->severity, w);
		ag_jw_kuint(w, "was", r->was);
		ag_jw_kdouble(w, "was_pct", r->was_share);
		if (r->state == AG_RECHECK_NOT_CHECKED) {
			ag_jw_knull(w, "now");
			ag_jw_knull(w, "now_pct");
		} else {
			ag_jw_kuint(w, "now", r->now);
			ag_jw_kdouble(w, "now_pct", r->now_share);
		}
		ag_jw_kstr(w, "why", r->why);
		/* For verify: a resolved finding may come back. */
		ag_jw_kstr(w, "evidence_query", r->evidence_query);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

static void previous_json(const ag_history *h, ag_jw *w)
{
	if (h->previous_run_id.len) {
		ag_jw_kstr(w, "previous_run_id", h->previous_run_id);
		ag_jw_ktime(w, "previous_run_at", h->previous_at_ms);
	} else {
		ag_jw_knull(w, "previous_run_id");
		ag_jw_knull(w, "previous_run_at");
	}
}

void ag_report_diff(const ag_audit_state *s, const ag_finding *items, const ag_audit_opts *o,
                    ag_arena *arena, ag_jw *w)
{
	const ag_history *h = &s->history;
	ag_diff d = { 0 };

	if (h->previous_run_id.len)
		ag_diff_make(items, s->findings.n, h->rechecks, h->nrecheck, arena, &d);
	previous_json(h, w);
	added_json(&d, o->min_severity, w);
	rechecks_json("resolved_findings", d.resolved, d.nresolved, w);
	ag_jw_kkey(w, "regressed_fields");
	ag_jw_arr(w);
	for (size_t i = 0; i < d.nregressed; i++)
		ag_jw_str(w, d.regressed_fields[i]);
	ag_jw_arr_end(w);
	rechecks_json("still_present", d.still_present, d.nstill_present, w);
	rechecks_json("not_checked", d.not_checked, d.nnot_checked, w);
}

static void count_nulls(const ag_val *distributions, ag_run_figures *f)
{
	for (uint32_t i = 0; distributions->type == AG_T_ARRAY && i < distributions->n; i++) {
		const ag_val *d = &distributions->u.items[i];

		f->nulls += ag_val_member_u64(d, "null_count");
		f->values += ag_val_member_u64(d, "present_count");
	}
}

ag_run_figures ag_report_figures(const ag_audit_state *s, const ag_finding *items,
                                 const ag_audit_opts *o, ag_arena *arena)
{
	const ag_history *h = &s->history;
	ag_run_figures f = { .is_compared = h->previous_run_id.len > 0 };
	ag_diff d = { 0 };

	count_nulls(&s->distributions, &f);
	if (!f.is_compared)
		return f;
	ag_diff_make(items, s->findings.n, h->rechecks, h->nrecheck, arena, &d);
	for (size_t i = 0; i < d.nadded; i++)
		f.added += d.added[i]->severity >= o->min_severity;
	f.resolved = (uint32_t)d.nresolved;
	f.regressed = (uint32_t)d.nregressed;
	return f;
}
