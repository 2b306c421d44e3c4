/* report_out -- see the header. */
#include "cli/report_out.h"

#include <stdlib.h>

#include "app/file.h"
#include "app/models.h"
#include "report/read.h"

#define TREND_RUNS 30 /* of one source on its page */

static ag_str canonical(ag_cli *c, ag_str path)
{
	char *real = realpath(ag_str_cstr(c->app.arena, path), NULL);
	const ag_str ret = real ? ag_str_dup(c->app.arena, ag_str_c(real)) : AG_S("");

	free(real);
	return ret;
}

bool ag_report_out_is_file(const ag_cli *c)
{
	return ag_cli_has(c, "out") && !ag_str_eqc(ag_cli_value(c, "out"), "-");
}

ag_str ag_report_out_check(ag_cli *c)
{
	ag_err err = { 0 };

	if (ag_cli_has(c, "record") && ag_cli_has(c, "replay"))
		ag_cli_complain(c, "--record and --replay: choose one");
	if (!ag_report_out_is_file(c))
		return AG_S("");
	if (c->app.settings.output_format == AG_OUTPUT_SILENT)
		ag_cli_complain(c, "--out: there is nothing to write with --output silent");
	else if (ag_file_can_replace(ag_cli_value(c, "out"), &err))
		ag_cli_complain(c, "--out: %s", err.msg);
	else
		return canonical(c, ag_cli_value(c, "out"));
	return AG_S("");
}

void ag_report_out_refuse(ag_cli *c, const char *option, ag_str uri)
{
	ag_cli_complain(c, "--%s: %.*s is a data file that would be audited; choose another place",
	                option, AG_FMT(uri));
}

/* [{"at","status","documents","critical","high","medium","low","null_values","counted_values"}]: finished runs of the report's source up to its own, the
 * oldest first. */
static ag_val trend_of(ag_cli *c, const ag_val *report)
{
	static const char *const names[] = { "documents", "critical",    "high",          "medium",
		                             "low",       "null_values", "counted_values" };
	ag_arena *a = c->app.arena;
	const ag_str key = ag_report_str(ag_report_get(report, "source"), "key"),
		     id = ag_report_str(report, "id");
	ag_val *runs = ag_new_n(a, ag_val, TREND_RUNS);
	ag_run_row *rows = NULL;
	ag_store *store;
	ag_err ignored;
	size_t n = 0, nrow = 0, nret = 0;

	if (!key.len || ag_app_store(&c->app, &store, &ignored) ||
	    ag_store_runs(store, key, AG_STORE_MAX_RUNS, 0, a, &rows, &nrow, &ignored))
		return ag_val_array(NULL, 0);
	/* Newest first. Ids are in the order of time. */
	for (size_t i = 0; i < nrow && n < TREND_RUNS; i++)
		if (rows[i].finished_ms && ag_str_eqc(rows[i].agent, "audit") &&
		    (ag_str_eqc(rows[i].status, "ok") || ag_str_eqc(rows[i].status, "partial")) &&
		    ag_str_cmp(ag_id_str(&rows[i].id), id) <= 0)
			rows[n++] = rows[i];
	while (n > 0) {
		const ag_run_row *r = &rows[--n];
		const uint64_t counts[] = { r->documents,     r->critical, r->high,
			                    r->medium,        r->low,      r->figures.nulls,
			                    r->figures.values };
		ag_member *m = ag_new_n(a, ag_member, AG_NELEM(names) + 2);
		char at[AG_TIME_MAX_TEXT];

		m[0] = (ag_member){
			AG_S("at"),
			ag_val_str(
				ag_str_dup(a, ag_str_make(at, ag_time_format(at, r->started_ms))))
		};
		m[1] = (ag_member){ AG_S("status"), ag_val_str(r->status) };
		for (size_t k = 0; k < AG_NELEM(names); k++)
			m[k + 2] = (ag_member){ ag_str_c(names[k]),
				                ag_val_int((int64_t)counts[k]) };
		runs[nret++] = ag_val_object(m, AG_NELEM(names) + 2);
	}
	return ag_val_array(runs, nret);
}

/* The report with the member "trend". A run that was to know nothing of others shows none. */
static ag_val with_trend(ag_cli *c, const ag_val *report)
{
	const ag_val *history = ag_report_get(ag_report_get(report, "settings"), "history");
	ag_member *m;

	if (report->type != AG_T_OBJECT || (history && !ag_val_truthy(history)))
		return *report;
	m = ag_new_n(c->app.arena, ag_member, report->n + 1);
	memcpy(m, report->u.members, report->n * sizeof(*m));
	m[report->n] = (ag_member){ AG_S("trend"), trend_of(c, report) };
	return ag_val_object(m, report->n + 1);
}

/* What JSON prints: a report, or the reports of a folder. */
static ag_val with_trends(ag_cli *c, const ag_val *v)
{
	size_t n;
	const ag_val *reports = ag_report_items(v, "reports", &n);
	ag_val *list;
	ag_member *m;

	if (!ag_report_get(v, "reports"))
		return with_trend(c, v);
	list = ag_new_n(c->app.arena, ag_val, n + 1);
	for (size_t i = 0; i < n; i++)
		list[i] = with_trend(c, &reports[i]);
	m = ag_new_n(c->app.arena, ag_member, v->n);
	for (uint32_t i = 0; i < v->n; i++) {
		m[i] = v->u.members[i];
		if (ag_str_eqc(m[i].key, "reports"))
			m[i].val = ag_val_array(list, n);
	}
	return ag_val_object(m, v->n);
}

void ag_report_out_format(ag_cli *c, const ag_val *v, ag_buf *out)
{
	static ag_report_format *const formats[] = {
		[AG_OUTPUT_SHORT] = ag_report_short,       [AG_OUTPUT_CSV] = ag_report_csv,
		[AG_OUTPUT_MARKDOWN] = ag_report_markdown, [AG_OUTPUT_GITHUB] = ag_report_github,
		[AG_OUTPUT_JUNIT] = ag_report_junit,       [AG_OUTPUT_SARIF] = ag_report_sarif,
		[AG_OUTPUT_HTML] = ag_report_html
	};

	ag_val whole = *v;

	if (c->app.settings.output_format == AG_OUTPUT_HTML)
		whole = with_trends(c, v);
	formats[c->app.settings.output_format](&whole, c->app.arena, out);
}

bool ag_report_out_is_format(const ag_cli *c)
{
	return c->app.settings.output_format > AG_OUTPUT_SILENT;
}

ag_report_look ag_report_out_look(const ag_cli *c, const ag_store *store)
{
	const bool is_file = ag_report_out_is_file(c);

	return (ag_report_look){ .width = is_file ? 100 : c->term.width,
		                 .colour = c->term.colour && !is_file,
		                 .utf8 = c->term.utf8,
		                 .details = ag_cli_has(c, "details"),
		                 .remembered = ag_store_is_kept(store) };
}

ag_status ag_report_out_write(ag_cli *c, const ag_buf *report, ag_err *err)
{
	ag_buf safe = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_status st;

	/* Text is safe already; JSON gets what is harmless in a file and matters with `cat`. */
	if (ag_cli_is_json(c)) {
		ag_paint_escape(&safe, ag_buf_view(report), true, true);
		ag_buf_addc(&safe, '\n');
	} else {
		ag_buf_add(&safe, ag_buf_view(report));
	}
	if (safe.failed || report->failed)
		st = ag_fail(err, AG_LIMIT, "cli.out", "the report is larger than 1 GiB");
	else
		st = ag_file_replace(ag_cli_value(c, "out"), ag_buf_view(&safe), err);
	ag_buf_release(&safe);
	return st;
}

bool ag_report_out_recorded(ag_cli *c)
{
	ag_err err = { 0 };

	if (!c->app.hub || !ag_llm_hub_finish(c->app.hub, &err))
		return true;
	ag_cli_fail(c, &err);
	return false;
}

void ag_report_out_note_models(ag_cli *c)
{
	const ag_str warning = ag_app_models_warning(&c->app);

	if (warning.len)
		ag_cli_note(c, "%.*s", AG_FMT(warning));
}

int ag_report_out_no_models(ag_cli *c, const ag_err *err)
{
	const int code = ag_cli_fail(c, err);

	switch (err->status) {
	case AG_INVALID:
	case AG_NOT_FOUND:
	case AG_DENIED:
	case AG_CONFLICT: return AG_EXIT_USAGE;
	default: return code;
	}
}
