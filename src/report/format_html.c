/* format_html -- an audit as one page: the verdict and a table first, details folded, pictures of each path.
 *
 * The page has no scripts and loads nothing; its Content-Security-Policy says so too. All data is escaped. */
#include "base/embedded.h"
#include "report/format_parts.h"

#define MAX_TEXT (64u * 1024 * 1024) /* of one text: no report is larger */

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

/* Rules write their sentences without a capital letter. */
static ag_str capital(ag_str s, ag_arena *arena)
{
	if (!s.len || s.ptr[0] < 'a' || s.ptr[0] > 'z')
		return s;
	return ag_str_printf(arena, "%c%.*s", s.ptr[0] - 'a' + 'A', (int)s.len - 1, s.ptr + 1);
}

static void element(ag_buf *out, const char *name, ag_str text, ag_arena *arena)
{
	ag_buf_addf(out, "<%s>", name);
	ag_html_text(out, text, arena);
	ag_buf_addf(out, "</%s>", name);
}

void ag_html_end(ag_buf *out)
{
	ag_buf_adds(out, "</body>\n</html>\n");
}

void ag_html_head(ag_buf *out, const char *title)
{
	const ag_embedded *css = ag_embedded_find("report/report.css");

	ag_buf_adds(out,
	            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	            "<meta http-equiv=\"Content-Security-Policy\" "
	            "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
	ag_buf_addf(out, "<title>%s</title>\n<style>\n", title);
	ag_buf_add(out, ag_str_make((const char *)css->ptr, css->len));
	ag_buf_addf(out, "</style>\n</head>\n<body>\n<h1>%s</h1>\n", title);
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
		ag_buf_addf(out, "<tr><td><a href=\"#r%zu\">", i + 1);
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

/* A bar as wide as the share; small shares stay visible. */
static void share_bar(double share, ag_buf *out)
{
	const double width = share > 1 ? 100 : share * 100;

	ag_buf_addf(out,
	            "<svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
	            "<rect class=\"none\" width=\"100\" height=\"10\"/>"
	            "<rect class=\"mark\" width=\"%.2f\" height=\"10\"/></svg>",
	            width > 0 && width < 0.8 ? 0.8 : width);
}

static void row(const ag_val *report, const ag_val *f, size_t r, size_t number, ag_arena *arena,
                ag_buf *out)
{
	const uint64_t n = ag_report_count(f, "affected_count");
	const ag_str severity = ag_format_safe(ag_report_str(f, "severity"), arena);

	ag_buf_adds(out, "<tr><td class=\"sev ");
	ag_html_text(out, severity, arena);
	ag_buf_adds(out, "\">");
	ag_html_text(out, severity, arena);
	if (ag_report_is_new(report, f))
		ag_buf_adds(out, " <span class=\"new\">new</span>");
	ag_buf_addf(out, "</td><td><a href=\"#r%zuf%zu\">", r, number);
	ag_html_text(out, ag_format_field(f, arena), arena);
	ag_buf_adds(out, "</a></td><td>");
	ag_html_text(out, ag_format_problem(f, arena), arena);
	ag_buf_addf(out,
	            "</td><td class=\"n\">%.*s</td><td class=\"n\">%.*s</td><td class=\"wide\">",
	            AG_FMT(ag_human_count(n, arena)),
	            AG_FMT(ag_human_share(n, ag_report_total(report, f), arena)));
	share_bar(ag_report_number(f, "affected_pct"), out);
	ag_buf_adds(out, "</td></tr>\n");
}

static void fact(ag_buf *out, const char *name, ag_str text, bool is_code, ag_arena *arena)
{
	if (!text.len)
		return;
	ag_buf_addf(out, "<dt>%s</dt><dd>", name);
	element(out, is_code ? "code" : "span", is_code ? text : capital(text, arena), arena);
	ag_buf_adds(out, "</dd>\n");
}

static void examples(const ag_val *f, ag_arena *arena, ag_buf *out)
{
	size_t n;
	const ag_val *items = ag_report_items(f, "examples", &n);

	if (!n)
		return;
	ag_buf_adds(out, "<table><tr><th>for example</th><th>value</th></tr>\n");
	for (size_t i = 0; i < n; i++) {
		ag_buf_adds(out, "<tr><td>");
		ag_html_text(out, ag_report_str(&items[i], "where"), arena);
		ag_buf_adds(out, "</td><td>");
		element(out, "code", ag_human_value(ag_report_get(&items[i], "value"), true, arena),
		        arena);
		ag_buf_adds(out, "</td></tr>\n");
	}
	ag_buf_adds(out, "</table>\n");
}

static void details(const ag_val *report, const ag_val *f, size_t r, size_t number, ag_arena *arena,
                    ag_buf *out)
{
	const ag_val *aside = ag_report_get(f, "set_aside");

	ag_buf_adds(out, "<details><summary><b>");
	ag_html_text(out, ag_format_field(f, arena), arena);
	ag_buf_adds(out, "</b> · ");
	ag_html_text(out, ag_format_problem(f, arena), arena);
	ag_buf_adds(out, " · ");
	ag_html_text(out, ag_format_share(report, f, arena), arena);
	ag_buf_adds(out, "</summary>\n");
	/* A browser opens the details when a link leads inside. */
	ag_buf_addf(out, "<div id=\"r%zuf%zu\">\n<p>", r, number);
	ag_html_text(out, capital(ag_format_description(f, arena), arena), arena);
	ag_buf_adds(out, "</p>\n");
	examples(f, arena, out);
	ag_buf_adds(out, "<dl>\n");
	if (ag_report_is_aside(f))
		fact(out, "set aside", ag_report_str(aside, "reason"), false, arena);
	fact(out, "evidence", ag_report_str(f, "evidence_query"), true, arena);
	fact(out, "suspected cause", ag_report_str(f, "hypothesis"), false, arena);
	fact(out, "repair", ag_report_str(f, "repair"), false, arena);
	ag_buf_adds(out, "</dl>\n</div></details>\n");
}

static void findings(const ag_val *report, size_t r, ag_arena *arena, ag_buf *out)
{
	size_t n, number = 0;
	const ag_val *items = ag_report_items(report, "findings", &n), *first;
	const size_t ncounted = ag_report_counted(report, &first);

	if (ncounted)
		ag_buf_adds(out, "<table><tr><th>severity</th><th>field</th><th>problem</th>"
		                 "<th class=\"n\">documents</th><th class=\"n\">share</th>"
		                 "<th class=\"wide\" style=\"width:18%\"></th></tr>\n");
	for (size_t i = 0; i < n; i++)
		if (!ag_report_is_aside(&items[i]))
			row(report, &items[i], r, ++number, arena, out);
	if (ncounted)
		ag_buf_adds(out, "</table>\n<h3>Evidence and repairs</h3>\n");
	number = 0;
	for (size_t i = 0; i < n; i++)
		if (!ag_report_is_aside(&items[i]))
			details(report, &items[i], r, ++number, arena, out);
	if (ncounted < n)
		ag_buf_adds(out, "<h3>Set aside</h3>\n");
	for (size_t i = 0; i < n; i++)
		if (ag_report_is_aside(&items[i]))
			details(report, &items[i], r, ++number, arena, out);
}

static void one(const ag_val *report, size_t r, ag_arena *arena, ag_buf *out)
{
	size_t n;
	const ag_format_gap *g = ag_format_gaps(report, arena, &n);

	ag_buf_addf(out, "<h2 id=\"r%zu\">", r);
	ag_html_text(out, ag_report_str(report, "collection"), arena);
	ag_buf_addf(out, ": <span class=\"%s\">", verdict_class(report));
	ag_html_text(out, ag_report_verdict(report, 4, arena), arena);
	ag_buf_adds(out, "</span></h2>\n");
	about(report, arena, out);
	since(report, arena, out);
	gaps(g, n, arena, out);
	findings(report, r, arena, out);
	ag_html_trend(report, arena, out);
	ag_html_paths(report, arena, out);
}

void ag_report_html(const ag_val *v, ag_arena *arena, ag_buf *out)
{
	size_t n, nout;
	const ag_val *reports = ag_format_reports(v, &n);
	const ag_format_gap *left_out = ag_format_left_out(v, arena, &nout);

	ag_html_head(out, "Data quality");
	if (n > 1)
		overview(reports, n, arena, out);
	gaps(left_out, nout, arena, out);
	for (size_t i = 0; i < n; i++)
		one(&reports[i], i + 1, arena, out);
	ag_html_end(out);
}
