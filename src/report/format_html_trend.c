/* format_html_trend -- earlier runs of the same source and this one: findings by severity and documents, the oldest first.
 *
 * "trend" is no member of a report: who prints the page asks the store (cli/report_out.c) and puts it beside the others. */
#include "report/format_parts.h"

#define MOST_ROWS 8 /* of the table: the newest */

static const char *const severities[] = { "critical", "high", "medium", "low" };

static uint64_t findings_of(const ag_val *run)
{
	uint64_t n = 0;

	for (size_t i = 0; i < AG_NELEM(severities); i++)
		n += ag_report_count(run, severities[i]);
	return n;
}

static ag_str day_of(const ag_val *run, ag_arena *arena)
{
	const ag_str t = ag_human_time(ag_report_str(run, "at"), arena);

	return ag_str_make(t.ptr, t.len < 16 ? t.len : 16);
}

static void title(const ag_val *run, ag_arena *arena, ag_buf *out)
{
	ag_buf_adds(out, " title=\"");
	ag_html_text(out, day_of(run, arena), arena);
	ag_buf_addf(out, ": %.*s",
	            AG_FMT(ag_human_documents(ag_report_count(run, "documents"), arena)));
	for (size_t i = 0; i < AG_NELEM(severities); i++)
		if (ag_report_count(run, severities[i]))
			ag_buf_addf(out, ", %llu %s",
			            (unsigned long long)ag_report_count(run, severities[i]),
			            severities[i]);
	ag_buf_adds(out, "\"");
}

/* One column for each run, its findings on top of each other: the worst at the bottom. */
static void findings(const ag_val *runs, size_t n, ag_arena *arena, ag_buf *out)
{
	uint64_t most = 1;

	for (size_t i = 0; i < n; i++)
		most = findings_of(&runs[i]) > most ? findings_of(&runs[i]) : most;
	ag_buf_addf(out, "<p class=\"soft\">findings of each run, at most %.*s: ",
	            AG_FMT(ag_human_count(most, arena)));
	for (size_t k = 0; k < AG_NELEM(severities); k++)
		ag_buf_addf(out, "<span class=\"item\"><span class=\"key s-%s\"></span> %s</span> ",
		            severities[k], severities[k]);
	ag_buf_adds(out, "</p>\n<div class=\"hist runs\" role=\"img\" "
	                 "aria-label=\"findings of each run\">");
	for (size_t i = 0; i < n; i++) {
		ag_buf_adds(out, "<span");
		title(&runs[i], arena, out);
		ag_buf_adds(out, ">");
		for (size_t k = AG_NELEM(severities); k-- > 0;)
			if (ag_report_count(&runs[i], severities[k]))
				ag_buf_addf(out, "<b class=\"s-%s\" style=\"height:%.2f%%\"></b>",
				            severities[k],
				            100 * (double)ag_report_count(&runs[i], severities[k]) /
				                    (double)most);
		ag_buf_adds(out, "</span>");
	}
	ag_buf_adds(out, "</div>\n");
}

static void documents(const ag_val *runs, size_t n, ag_arena *arena, ag_buf *out)
{
	uint64_t most = 1;

	for (size_t i = 0; i < n; i++)
		most = ag_report_count(&runs[i], "documents") > most
		               ? ag_report_count(&runs[i], "documents")
		               : most;
	ag_buf_addf(
		out,
		"<p class=\"soft\">documents, at most %.*s</p>\n<div class=\"hist runs low-bars\" "
		"role=\"img\" aria-label=\"documents of each run\">",
		AG_FMT(ag_human_count(most, arena)));
	for (size_t i = 0; i < n; i++) {
		ag_buf_addf(out, "<span");
		title(&runs[i], arena, out);
		ag_buf_addf(out, "><b class=\"plain\" style=\"height:%.2f%%\"></b></span>",
		            100 * (double)ag_report_count(&runs[i], "documents") / (double)most);
	}
	ag_buf_adds(out, "</div>\n<p class=\"ends\"><span>");
	ag_html_text(out, day_of(&runs[0], arena), arena);
	ag_buf_adds(out, "</span><span>");
	ag_html_text(out, day_of(&runs[n - 1], arena), arena);
	ag_buf_adds(out, "</span></p>\n");
}

static void table(const ag_val *runs, size_t n, ag_arena *arena, ag_buf *out)
{
	ag_buf_adds(out, "<table class=\"runs-table\"><tr><th>run (UTC)</th>"
	                 "<th class=\"n\">documents</th>");
	for (size_t k = 0; k < AG_NELEM(severities); k++)
		ag_buf_addf(out, "<th class=\"n\">%s</th>", severities[k]);
	ag_buf_adds(out, "</tr>\n");
	for (size_t i = n; i-- > (n > MOST_ROWS ? n - MOST_ROWS : 0);) {
		ag_buf_adds(out, "<tr><td>");
		ag_html_text(out, day_of(&runs[i], arena), arena);
		if (!ag_str_eqc(ag_report_str(&runs[i], "status"), "ok")) {
			ag_buf_adds(out, " <span class=\"soft\">");
			ag_html_text(out, ag_report_str(&runs[i], "status"), arena);
			ag_buf_adds(out, "</span>");
		}
		ag_buf_addf(out, "</td><td class=\"n\">%.*s</td>",
		            AG_FMT(ag_human_count(ag_report_count(&runs[i], "documents"), arena)));
		for (size_t k = 0; k < AG_NELEM(severities); k++)
			ag_buf_addf(out, "<td class=\"n\">%.*s</td>",
			            AG_FMT(ag_human_count(ag_report_count(&runs[i], severities[k]),
			                                  arena)));
		ag_buf_adds(out, "</tr>\n");
	}
	ag_buf_adds(out, "</table>\n");
	if (n > MOST_ROWS)
		ag_buf_addf(out,
		            "<p class=\"soft\">%zu earlier runs are in the picture only.</p>\n",
		            n - MOST_ROWS);
}

void ag_html_trend(const ag_val *report, ag_arena *arena, ag_buf *out)
{
	size_t n;
	const ag_val *runs = ag_report_items(report, "trend", &n);

	if (n < 2)
		return;
	ag_buf_adds(out, "<h3>Runs</h3>\n<div class=\"trend\">\n<div>\n");
	findings(runs, n, arena, out);
	documents(runs, n, arena, out);
	ag_buf_adds(out, "</div>\n<div>\n");
	table(runs, n, arena, out);
	ag_buf_adds(out, "</div>\n</div>\n");
}
