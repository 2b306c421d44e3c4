/* compare -- see the header. Both sides are sorted by the findings' keys and walked once. */
#include "audit/compare.h"

#include <stdlib.h>

#include "audit/audit.h"
#include "audit/diff.h"
#include "query/extjson.h"

#define ORIGIN "audit.compare"

/* A finding of either run; keys are those of one place, so that runs of two places can be compared. */
typedef struct side {
	const ag_finding_row *row;
	ag_str key;
} side;

ag_status ag_compare_previous(ag_store *store, const ag_run_row *run, ag_arena *arena,
                              ag_run_row *ret, ag_err *err)
{
	const ag_past_query q = { .source_key = run->source_key,
		                  .agent = run->agent,
		                  .before = &run->id,
		                  .max_runs = 1 };
	ag_past_run *past;
	size_t n;
	ag_status st = ag_store_past(store, &q, arena, &past, &n, err);

	if (st)
		return st;
	if (!n) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN,
		        "there is no finished run of this source before %s", run->id.text);
		return ag_err_hint(err, "a diff needs two finished runs: audit once more");
	}
	*ret = past[0].run;
	return AG_OK;
}

static int by_key(const void *a, const void *b)
{
	return ag_str_cmp(((const side *)a)->key, ((const side *)b)->key);
}

static ag_status read_side(ag_store *store, const ag_run_row *run, ag_arena *arena, side **ret,
                           size_t *nret, ag_err *err)
{
	ag_finding_row *rows;
	side *list;
	size_t n, kept = 0;
	ag_status st = ag_store_findings(store, &run->id, arena, &rows, &n, err);

	if (st)
		return st;
	list = ag_new_n(arena, side, n ? n : 1);
	for (size_t i = 0; i < n; i++) {
		if (!ag_str_eqc(rows[i].status, "committed") &&
		    !ag_str_eqc(rows[i].status, "pending_review"))
			continue;
		list[kept].row = &rows[i];
		list[kept++].key = ag_finding_key(AG_S(""),
		                                  ag_finding_canonical_field(rows[i].field, arena),
		                                  rows[i].category, arena);
	}
	qsort(list, kept, sizeof(*list), by_key);
	*ret = list;
	*nret = kept;
	return AG_OK;
}

static bool lists(const ag_val *report, const char *member, ag_str key)
{
	const ag_val *list = ag_val_getc(report, member);

	for (uint32_t i = 0; list && list->type == AG_T_ARRAY && i < list->n; i++)
		if (ag_str_eq(ag_val_member_str(&list->u.items[i], "key"), key))
			return true;
	return false;
}

/* Only a run that looked back on this very one can tell. */
static const char *state_of(const ag_val *report, const ag_run_row *a, const ag_finding_row *f)
{
	if (!report || !ag_str_eq(ag_val_member_str(report, "previous_run_id"), ag_id_str(&a->id)))
		return "not_checked";
	return lists(report, "resolved_findings", f->key) ? "resolved"
	       : lists(report, "still_present", f->key)   ? "still_present"
	                                                  : "not_checked";
}

/* Above 0: worse now. Severity counts first. */
static int judge(const ag_finding_row *was, const ag_finding_row *now)
{
	ag_severity a = AG_LOW, b = AG_LOW;

	AG_IGNORE(!ag_severity_parse(was->severity, &a), "stays low");
	AG_IGNORE(!ag_severity_parse(now->severity, &b), "stays low");
	if (a != b)
		return b > a ? 1 : -1;
	if (was->share > 0 && now->share > was->share * AG_REGRESSION_FACTOR)
		return 1;
	return was->share > now->share * AG_REGRESSION_FACTOR ? -1 : 0;
}

/* Both sides are sorted: walked once, in step. */
static void compare(const side *a, size_t na, const side *b, size_t nb, const ag_val *report,
                    ag_arena *arena, ag_comparison *d)
{
	size_t i = 0, k = 0;

	d->added = ag_new_n(arena, ag_compared, nb + 1);
	d->gone = ag_new_n(arena, ag_compared, na + 1);
	d->worse = ag_new_n(arena, ag_compared, na + 1);
	d->better = ag_new_n(arena, ag_compared, na + 1);
	d->same = ag_new_n(arena, ag_compared, na + 1);
	while (i < na || k < nb) {
		const int order = i == na ? 1 : k == nb ? -1 : ag_str_cmp(a[i].key, b[k].key);
		ag_compared p = { order <= 0 ? a[i].row : NULL, order >= 0 ? b[k].row : NULL, "" };
		const int verdict = order ? 0 : judge(p.was, p.now);

		i += order <= 0;
		k += order >= 0;
		if (order < 0)
			p.state = state_of(report, &d->a, p.was);
		if (order > 0)
			d->added[d->nadded++] = p;
		else if (order < 0)
			d->gone[d->ngone++] = p;
		else if (verdict > 0)
			d->worse[d->nworse++] = p;
		else if (verdict < 0)
			d->better[d->nbetter++] = p;
		else
			d->same[d->nsame++] = p;
	}
}

/* Worst first, then by name. */
static int by_rank(const void *a, const void *b)
{
	const ag_compared *p = a, *q = b;
	const ag_finding_row *x = p->now ? p->now : p->was, *y = q->now ? q->now : q->was;
	ag_severity s = AG_LOW, t = AG_LOW;
	int order;

	AG_IGNORE(!ag_severity_parse(x->severity, &s), "stays low");
	AG_IGNORE(!ag_severity_parse(y->severity, &t), "stays low");
	if (s != t)
		return s > t ? -1 : 1;
	order = ag_str_cmp(x->field, y->field);
	return order ? order : ag_str_cmp(x->category, y->category);
}

/* The report as it is stored, else from the log. False: there is neither. */
static bool report_of(ag_store *store, const ag_run_row *run, ag_arena *arena, ag_val *ret)
{
	const ag_extjson_opts opts = { .typed = true };
	ag_err ignored = { 0 };
	ag_str text;
	ag_status st = ag_store_report(store, &run->id, arena, &text, &ignored);

	if (st == AG_NOT_FOUND)
		st = ag_audit_rebuild(store, run, false, arena, &text, &ignored);
	return !st && !ag_extjson_parse(text, &opts, arena, ret, NULL, NULL, &ignored);
}

ag_status ag_compare_runs(ag_store *store, ag_arena *arena, ag_comparison *d, ag_err *err)
{
	size_t na, nb;
	side *a, *b;
	ag_val report;
	bool has_report;
	ag_status st = read_side(store, &d->a, arena, &a, &na, err);

	if (!st)
		st = read_side(store, &d->b, arena, &b, &nb, err);
	if (st)
		return st;
	has_report = report_of(store, &d->b, arena, &report);
	compare(a, na, b, nb, has_report ? &report : NULL, arena, d);
	qsort(d->added, d->nadded, sizeof(ag_compared), by_rank);
	qsort(d->gone, d->ngone, sizeof(ag_compared), by_rank);
	qsort(d->worse, d->nworse, sizeof(ag_compared), by_rank);
	qsort(d->better, d->nbetter, sizeof(ag_compared), by_rank);
	qsort(d->same, d->nsame, sizeof(ag_compared), by_rank);
	return AG_OK;
}

/* --- JSON --- */

static void side_json(const char *name, const ag_finding_row *f, ag_jw *w)
{
	ag_jw_kkey(w, name);
	if (!f) {
		ag_jw_null(w);
		return;
	}
	ag_jw_obj(w);
	ag_jw_kstr(w, "id", ag_id_str(&f->id));
	ag_jw_kstr(w, "severity", f->severity);
	ag_jw_kuint(w, "affected_count", f->affected);
	ag_jw_kdouble(w, "affected_pct", f->share);
	ag_jw_obj_end(w);
}

/* [{"field","category","state","was":{…}|null,"now":{…}|null}] */
static void list_json(const char *name, const ag_compared *list, size_t n, ag_jw *w)
{
	ag_jw_kkey(w, name);
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		const ag_finding_row *f = list[i].now ? list[i].now : list[i].was;

		ag_jw_obj(w);
		ag_jw_kstr(w, "field", f->field);
		ag_jw_kstr(w, "category", f->category);
		if (list[i].state[0])
			ag_jw_kstr(w, "state", ag_str_c(list[i].state));
		side_json("was", list[i].was, w);
		side_json("now", list[i].now, w);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

void ag_compare_json(const ag_comparison *d, ag_jw *w)
{
	list_json("new", d->added, d->nadded, w);
	list_json("gone", d->gone, d->ngone, w);
	list_json("regressed", d->worse, d->nworse, w);
	list_json("improved", d->better, d->nbetter, w);
	list_json("same", d->same, d->nsame, w);
	ag_jw_kuint(w, "unchanged", d->nsame);
}
