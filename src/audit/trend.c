/* trend -- see the header. */
#include "audit/trend.h"

#include "report/read.h"

static bool has_result(const ag_run_row *r)
{
	return r->finished_ms && ag_str_eqc(r->agent, "audit") &&
	       (ag_str_eqc(r->status, "ok") || ag_str_eqc(r->status, "partial"));
}

static ag_val run_of(const ag_run_row *r, ag_arena *a)
{
	const struct {
		const char *name;
		uint64_t n;
	} counts[] = {
		{ "documents", r->documents },
		{ "critical", r->critical },
		{ "high", r->high },
		{ "medium", r->medium },
		{ "low", r->low },
		{ "null_values", r->figures.nulls },
		{ "counted_values", r->figures.values },
	};
	ag_member *m = ag_new_n(a, ag_member, AG_NELEM(counts) + 2);
	char at[AG_TIME_MAX_TEXT];
	const size_t len = ag_time_format(at, r->started_ms);

	m[0] = (ag_member){ AG_S("at"), ag_val_str(ag_str_dup(a, ag_str_make(at, len))) };
	m[1] = (ag_member){ AG_S("status"), ag_val_str(r->status) };
	for (size_t i = 0; i < AG_NELEM(counts); i++)
		m[i + 2] = (ag_member){ ag_str_c(counts[i].name),
			                ag_val_int((int64_t)counts[i].n) };
	return ag_val_object(m, AG_NELEM(counts) + 2);
}

static ag_val trend_of(ag_store *s, const ag_val *report, ag_arena *a)
{
	const ag_str key = ag_report_str(ag_report_get(report, "source"), "key"),
		     id = ag_report_str(report, "id");
	ag_val *runs = ag_new_n(a, ag_val, AG_TREND_RUNS);
	ag_run_row *rows = NULL;
	ag_err ignored = { 0 };
	size_t n = 0, nrow = 0, nret = 0;

	if (!key.len || ag_store_runs(s, key, AG_STORE_MAX_RUNS, 0, a, &rows, &nrow, &ignored))
		return ag_val_array(NULL, 0);
	/* Newest first. Ids are in the order of time. */
	for (size_t i = 0; i < nrow && n < AG_TREND_RUNS; i++)
		if (has_result(&rows[i]) && ag_str_cmp(ag_id_str(&rows[i].id), id) <= 0)
			rows[n++] = rows[i];
	while (n > 0)
		runs[nret++] = run_of(&rows[--n], a);
	return ag_val_array(runs, nret);
}

ag_val ag_audit_with_trend(ag_store *s, const ag_val *report, ag_arena *arena)
{
	const ag_val *history = ag_report_get(ag_report_get(report, "settings"), "history");
	ag_member *m;

	if (report->type != AG_T_OBJECT || (history && !ag_val_truthy(history)))
		return *report;
	m = ag_new_n(arena, ag_member, report->n + 1);
	memcpy(m, report->u.members, report->n * sizeof(*m));
	m[report->n] = (ag_member){ AG_S("trend"), trend_of(s, report, arena) };
	return ag_val_object(m, report->n + 1);
}
