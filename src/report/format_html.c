/* format_html -- an audit as one page: its data, drawn by the components of the page of `argus serve` (page.c), and the verdict and a
 * table as plain HTML for readers without scripts. The page loads nothing; its Content-Security-Policy says so too. All data is
 * escaped. */
#include "report/format_parts.h"

void ag_html_text(ag_buf *out, ag_str s, ag_arena *arena)
{
	const ag_str safe = ag_format_safe(s, arena);

	for (size_t i = 0; i < safe.len; i++) {
		switch (safe.ptr[i]) {
		case '&': ag_buf_adds(out, "&amp;"); break;
		case '<': ag_buf_adds(out, "&lt;"); break;
		case '>': ag_buf_adds(out, "&gt;"); break;
		case '"': ag_buf_adds(out, "&quot;"); break;
		case '\'': ag_buf_adds(out, "&#39;"); break;
		default: ag_buf_addc(out, safe.ptr[i]);
		}
	}
}

static void gaps(const ag_format_gap *g, size_t n, ag_arena *arena, ag_buf *out)
{
	for (size_t i = 0; i < n; i++) {
		ag_buf_adds(out, "<p class=\"gap\"><b>Not checked</b>: ");
		ag_html_text(out, g[i].where, arena);
		ag_buf_adds(out, ": ");
		ag_html_text(out, g[i].text, arena);
		ag_buf_adds(out, "</p>\n");
	}
}

static const char *verdict_class(const ag_val *report)
{
	const ag_ink ink = ag_report_ink(report);

	return ink == AG_INK_RED ? "high" : ink == AG_INK_GREEN ? "good" : "medium";
}

static void overview(const ag_val *reports, size_t n, ag_arena *arena, ag_buf *out)
{
	ag_buf_adds(out, "<table><tr><th>collection</th><th>verdict</th>"
	                 "<th class=\"n\">documents</th></tr>\n");
	for (size_t i = 0; i < n; i++) {
		ag_buf_addf(out, "<tr><td><a href=\"#plain%zu\">", i + 1);
		ag_html_text(out, ag_report_str(&reports[i], "collection"), arena);
		ag_buf_addf(out, "</a></td><td class=\"%s\">", verdict_class(&reports[i]));
		ag_html_text(out, ag_report_verdict(&reports[i], 4, arena), arena);
		ag_buf_addf(out, "</td><td class=\"n\">%.*s</td></tr>\n",
		            AG_FMT(ag_human_count(ag_report_count(&reports[i], "collection_size"),
		                                  arena)));
	}
	ag_buf_adds(out, "</table>\n");
}

/* "1,500 documents, 612 kB · examples/shop/customers.json · 2026-11-24 12:22:31 UTC · took 0.2 s" */
static void about(const ag_val *report, ag_arena *arena, ag_buf *out)
{
	const ag_val *source = ag_report_get(report, "source");
	const uint64_t size = ag_report_count(report, "collection_size"),
		       bytes = ag_report_count(source, "bytes");

	ag_buf_adds(out, "<p class=\"soft\">");
	ag_html_text(out, ag_human_documents(size, arena), arena);
	if (bytes) {
		ag_buf_adds(out, ", ");
		ag_html_text(out, ag_human_bytes(bytes, arena), arena);
	}
	if (ag_report_str(source, "uri").len) {
		ag_buf_adds(out, " · ");
		ag_html_text(out, ag_report_str(source, "uri"), arena);
	}
	ag_buf_adds(out, " · ");
	ag_html_text(out, ag_human_time(ag_report_str(report, "run_at"), arena), arena);
	ag_buf_adds(out, " · took ");
	ag_html_text(out,
	             ag_human_duration(
			     (int64_t)(1000 * ag_report_number(report, "duration_seconds")), arena),
	             arena);
	ag_buf_adds(out, "</p>\n");
}

/* What changed since the previous run of the same source. */
static void since(const ag_val *report, ag_arena *arena, ag_buf *out)
{
	static const char *const parts[][2] = { { "new_findings", "new" },
		                                { "resolved_findings", "resolved" },
		                                { "regressed_fields", "worse" },
		                                { "still_present",
		                                  "not reported again, but still there" },
		                                { "not_checked", "not checked again" } };
	size_t n, nchange = 0;

	if (!ag_report_str(report, "previous_run_id").len)
		return;
	ag_buf_adds(out, "<p class=\"soft\">Since the run of ");
	ag_html_text(out, ag_human_time(ag_report_str(report, "previous_run_at"), arena), arena);
	for (size_t i = 0; i < AG_NELEM(parts); i++) {
		ag_report_items(report, parts[i][0], &n);
		if (n)
			ag_buf_addf(out, "%s %zu %s", nchange++ ? "," : ":", n, parts[i][1]);
	}
	ag_buf_addf(out, "%s</p>\n", nchange ? "" : ": nothing new, nothing resolved");
}

static void row(const ag_val *report, const ag_val *f, ag_arena *arena, ag_buf *out)
{
	const uint64_t n = ag_report_count(f, "affected_count");
	const ag_str severity = ag_format_safe(ag_report_str(f, "severity"), arena);

	ag_buf_adds(out, "<tr><td class=\"sev ");
	ag_html_text(out, severity, arena);
	ag_buf_adds(out, "\">");
	ag_html_text(out, severity, arena);
	if (ag_report_is_new(report, f))
		ag_buf_adds(out, " <span class=\"new\">new</span>");
	ag_buf_adds(out, "</td><td>");
	ag_html_text(out, ag_format_field(f, arena), arena);
	ag_buf_adds(out, "</td><td>");
	ag_html_text(out, ag_format_problem(f, arena), arena);
	ag_buf_addf(out, "</td><td class=\"n\">%.*s</td><td class=\"n\">%.*s</td></tr>\n",
	            AG_FMT(ag_human_count(n, arena)),
	            AG_FMT(ag_human_share(n, ag_report_total(report, f), arena)));
}

static void findings(const ag_val *report, ag_arena *arena, ag_buf *out)
{
	size_t n;
	const ag_val *items = ag_report_items(report, "findings", &n), *first;
	const size_t ncounted = ag_report_counted(report, &first);

	if (ncounted) {
		ag_buf_adds(out, "<table><tr><th>severity</th><th>field</th><th>problem</th>"
		                 "<th class=\"n\">documents</th><th class=\"n\">share</th></tr>\n");
		for (size_t i = 0; i < n; i++)
			if (!ag_report_is_aside(&items[i]))
				row(report, &items[i], arena, out);
		ag_buf_adds(out, "</table>\n");
	}
	if (ncounted < n)
		ag_buf_addf(out, "<p class=\"soft\">%zu set aside</p>\n", n - ncounted);
}

static void one(const ag_val *report, size_t r, ag_arena *arena, ag_buf *out)
{
	size_t n;
	const ag_format_gap *g = ag_format_gaps(report, arena, &n);

	ag_buf_addf(out, "<h2 id=\"plain%zu\">", r);
	ag_html_text(out, ag_report_str(report, "collection"), arena);
	ag_buf_addf(out, ": <span class=\"%s\">", verdict_class(report));
	ag_html_text(out, ag_report_verdict(report, 4, arena), arena);
	ag_buf_adds(out, "</span></h2>\n");
	about(report, arena, out);
	since(report, arena, out);
	gaps(g, n, arena, out);
	findings(report, arena, out);
}

/* --- the data --- */

static void data_report(const ag_val *report, ag_arena *arena, ag_jw *w)
{
	static const char *const members[] = { "id",
		                               "collection",
		                               "status",
		                               "status_reason",
		                               "run_at",
		                               "duration_seconds",
		                               "collection_size",
		                               "documents_sampled",
		                               "planner",
		                               "masked",
		                               "verdict",
		                               "source",
		                               "gaps",
		                               "findings",
		                               "distributions",
		                               "coverage",
		                               "set_aside_count",
		                               "previous_run_id",
		                               "previous_run_at",
		                               "new_findings",
		                               "resolved_findings",
		                               "regressed_fields",
		                               "still_present",
		                               "not_checked",
		                               "baseline",
		                               "trend",
		                               NULL };

	ag_jw_obj(w);
	ag_jw_kstr(w, "words", ag_report_verdict(report, 4, arena));
	ag_html_members(report, members, w);
	ag_jw_obj_end(w);
}

static void data(const ag_val *reports, size_t n, const ag_format_gap *left_out, size_t nout,
                 ag_arena *arena, ag_buf *out)
{
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "left_out");
	ag_jw_arr(&w);
	for (size_t i = 0; i < nout; i++) {
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "where", left_out[i].where);
		ag_jw_kstr(&w, "text", left_out[i].text);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_kkey(&w, "reports");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++)
		data_report(&reports[i], arena, &w);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
}

void ag_report_html(const ag_val *v, ag_arena *arena, ag_buf *out)
{
	size_t n, nout;
	const ag_val *reports = ag_format_reports(v, &n);
	const ag_format_gap *left_out = ag_format_left_out(v, arena, &nout);
	ag_buf json = AG_BUF_INIT(out->limit);
	ag_html_page page;

	ag_html_open(&page, "Data quality", arena, out);
	if (n > 1)
		overview(reports, n, arena, out);
	gaps(left_out, nout, arena, out);
	for (size_t i = 0; i < n; i++)
		one(&reports[i], i + 1, arena, out);
	data(reports, n, left_out, nout, arena, &json);
	out->failed |= json.failed;
	ag_html_close(&page, ag_buf_view(&json));
	ag_buf_release(&json);
}
