/* report_out -- see the header. */
#include "cli/report_out.h"

#include <stdlib.h>

#include "app/file.h"
#include "app/models.h"
#include "audit/trend.h"
#include "report/read.h"

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

/* What JSON prints: a report, or the reports of a folder. */
static ag_val with_trends(ag_cli *c, const ag_val *v)
{
	ag_store *store;
	ag_err ignored = { 0 };
	size_t n;
	const ag_val *reports = ag_report_items(v, "reports", &n);
	ag_val *list;
	ag_member *m;

	if (ag_app_store(&c->app, &store, &ignored))
		return *v;
	if (!ag_report_get(v, "reports"))
		return ag_audit_with_trend(store, v, c->app.arena);
	list = ag_new_n(c->app.arena, ag_val, n + 1);
	for (size_t i = 0; i < n; i++)
		list[i] = ag_audit_with_trend(store, &reports[i], c->app.arena);
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
