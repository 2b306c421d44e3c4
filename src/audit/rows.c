/* rows -- see the header. */
#include "audit/rows.h"

#include "query/extjson.h"

static void change(ag_jw *w, const char *name, const ag_run_row *r, uint32_t n)
{
	if (r->figures.is_compared)
		ag_jw_kuint(w, name, n);
	else
		ag_jw_knull(w, name);
}

void ag_audit_run_json(const ag_run_row *r, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "id", ag_id_str(&r->id));
	ag_jw_kstr(w, "source", r->source_uri);
	ag_jw_kstr(w, "collection", r->collection);
	ag_jw_kstr(w, "status", r->status);
	ag_jw_ktime(w, "started_at", r->started_ms);
	ag_jw_kuint(w, "documents", r->documents);
	ag_jw_kuint(w, "critical", r->critical);
	ag_jw_kuint(w, "high", r->high);
	ag_jw_kuint(w, "medium", r->medium);
	ag_jw_kuint(w, "low", r->low);
	ag_jw_kuint(w, "input_tokens", r->input_tokens);
	ag_jw_kuint(w, "output_tokens", r->output_tokens);
	ag_jw_kdouble(w, "usd", r->usd);
	ag_jw_kdouble(w, "request_units", r->request_units);
	ag_jw_kstr(w, "verdict", r->verdict);
	ag_jw_kuint(w, "null_values", r->figures.nulls);
	ag_jw_kuint(w, "counted_values", r->figures.values);
	change(w, "new", r, r->figures.added);
	change(w, "resolved", r, r->figures.resolved);
	change(w, "regressed", r, r->figures.regressed);
	ag_jw_obj_end(w);
}

ag_finding ag_audit_finding_of(const ag_finding_row *row, ag_arena *arena)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_finding f = { 0 };
	ag_err ignored;
	ag_val v;

	if (!ag_extjson_parse(row->body, &opts, arena, &v, NULL, NULL, &ignored) &&
	    !ag_finding_read(&v, arena, &f, &ignored)) {
		f.status = row->status;
		return f;
	}
	f = (ag_finding){ .id = row->id,
		          .key = row->key,
		          .field = row->field,
		          .category = row->category,
		          .status = row->status,
		          .affected = row->affected,
		          .share = row->share };
	AG_IGNORE(!ag_severity_parse(row->severity, &f.severity), "stays low");
	return f;
}

void ag_audit_pending_json(const ag_past_run *runs, size_t n, bool show_values, ag_arena *arena,
                           ag_jw *w)
{
	ag_jw_kkey(w, "pending");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < runs[i].nfinding; k++) {
			const ag_finding f = ag_audit_finding_of(&runs[i].findings[k], arena);

			ag_jw_obj(w);
			ag_jw_kkey(w, "run");
			ag_audit_run_json(&runs[i].run, w);
			ag_jw_kkey(w, "finding");
			ag_finding_write(&f, show_values, w);
			ag_jw_obj_end(w);
		}
	}
	ag_jw_arr_end(w);
}

/* --- what verify says --- */

static void verified_counts(ag_check_result result, uint64_t was, uint64_t now, ag_str why,
                            ag_jw *w)
{
	ag_jw_kstr(w, "result", ag_str_c(ag_check_result_name(result)));
	ag_jw_kuint(w, "was", was);
	if (result == AG_NOT_CHECKABLE)
		ag_jw_knull(w, "now");
	else
		ag_jw_kuint(w, "now", now);
	ag_jw_kstr(w, "why", why);
}

static void verified_list(const char *name, const ag_verified *list, size_t n, ag_jw *w)
{
	ag_jw_kkey(w, name);
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		const ag_verified *f = &list[i];

		ag_jw_obj(w);
		ag_jw_kstr(w, "id", f->finding_id);
		ag_jw_kstr(w, "field", f->field);
		ag_jw_kstr(w, "category", f->category);
		ag_jw_kstr(w, "severity", f->severity);
		verified_counts(f->result, f->was, f->now, f->why, w);
		ag_jw_kkey(w, "parts");
		ag_jw_arr(w);
		for (size_t k = 0; k < f->npart; k++) {
			ag_jw_obj(w);
			ag_jw_kstr(w, "category", f->parts[k].category);
			verified_counts(f->parts[k].result, f->parts[k].was, f->parts[k].now,
			                f->parts[k].why, w);
			ag_jw_obj_end(w);
		}
		ag_jw_arr_end(w);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

void ag_audit_verification_json(const ag_verification *v, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "run_id", v->run_id);
	ag_jw_kstr(w, "source", v->source_uri);
	ag_jw_kstr(w, "collection", v->collection);
	ag_jw_kbool(w, "other_data", v->other_data);
	ag_jw_kstr(w, "other_data_why", v->other_data_why);
	ag_jw_kuint(w, "confirmed", v->nconfirmed);
	ag_jw_kuint(w, "changed", v->nchanged);
	ag_jw_kuint(w, "resolved", v->nresolved);
	ag_jw_kuint(w, "not_checkable", v->nnot_checkable);
	ag_jw_kuint(w, "back", v->nback);
	verified_list("findings", v->findings, v->nfinding, w);
	verified_list("resolved_findings", v->earlier, v->nearlier, w);
	ag_jw_obj_end(w);
}
