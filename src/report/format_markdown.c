/* format_markdown -- a report as a comment on a change: the verdict, a table, the details folded away. */
#include "report/format_parts.h"

#include <string.h>

/* Text between Markdown's signs. An escaped sign stays visible; "<" and "&" are escaped as HTML wants it. */
static void text(ag_buf *out, ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];

		if (c == '<')
			ag_buf_adds(out, "&lt;");
		else if (c == '&')
			ag_buf_adds(out, "&amp;");
		else if (c == '@')
			ag_buf_adds(out, "&#64;"); /* names nobody who is called so */
		else if (strchr("\\`*_{}[]()#|~>!", c))
			ag_buf_addf(out, "\\%c", c);
		else
			ag_buf_addc(out, c);
	}
}

/* A code span that data cannot end: its fence is longer than any in the data. */
static void code(ag_buf *out, ag_str s)
{
	size_t longest = 0, n = 0;

	for (size_t i = 0; i < s.len; i++) {
		n = s.ptr[i] == '`' ? n + 1 : 0;
		longest = n > longest ? n : longest;
	}
	for (size_t i = 0; i <= longest; i++)
		ag_buf_addc(out, '`');
	if (longest)
		ag_buf_addc(out, ' ');
	ag_buf_add(out, s);
	if (longest)
		ag_buf_addc(out, ' ');
	for (size_t i = 0; i <= longest; i++)
		ag_buf_addc(out, '`');
}

static void item(ag_buf *out, const char *name, ag_str s, bool is_code)
{
	if (!s.len)
		return;
	ag_buf_addf(out, "- %s: ", name);
	if (is_code)
		code(out, s);
	else
		text(out, s);
	ag_buf_addc(out, '\n');
}

static void row(const ag_val *report, const ag_val *f, size_t number, ag_arena *arena, ag_buf *out)
{
	const uint64_t n = ag_report_count(f, "affected_count");

	ag_buf_addf(out, "| %zu | %.*s%s | ", number, AG_FMT(ag_report_str(f, "severity")),
	            ag_report_is_new(report, f) ? " (new)" : "");
	text(out, ag_format_field(f, arena));
	ag_buf_adds(out, " | ");
	text(out, ag_format_problem(f, arena));
	ag_buf_addf(out, " | %.*s | %.*s |\n", AG_FMT(ag_human_count(n, arena)),
	            AG_FMT(ag_human_share(n, ag_report_total(report, f), arena)));
}

static void details(const ag_val *f, size_t number, ag_arena *arena, ag_buf *out)
{
	size_t n;
	const ag_val *examples = ag_report_items(f, "examples", &n);

	ag_buf_addf(out, "\n**%zu.** ", number);
	text(out, ag_format_field(f, arena));
	ag_buf_adds(out, ": ");
	text(out, ag_format_description(f, arena));
	ag_buf_adds(out, "\n\n");
	for (size_t i = 0; i < n && i < 3; i++)
		item(out, "for example",
		     ag_format_safe(ag_report_str(&examples[i], "where"), arena), false);
	item(out, "evidence", ag_format_safe(ag_report_str(f, "evidence_query"), arena), true);
	item(out, "suspected cause", ag_format_safe(ag_report_str(f, "hypothesis"), arena), false);
	item(out, "repair", ag_format_safe(ag_report_str(f, "repair"), arena), false);
}

static void gaps(const ag_format_gap *g, size_t n, ag_buf *out)
{
	for (size_t i = 0; i < n; i++) {
		ag_buf_adds(out, "- not checked: ");
		text(out, g[i].where);
		ag_buf_adds(out, ": ");
		text(out, g[i].text);
		ag_buf_addc(out, '\n');
	}
	if (n)
		ag_buf_addc(out, '\n');
}

static void one(const ag_val *report, ag_arena *arena, ag_buf *out)
{
	size_t n, ngap, number = 0;
	const ag_val *items = ag_report_items(report, "findings", &n), *first;
	const ag_format_gap *g = ag_format_gaps(report, arena, &ngap);

	ag_buf_adds(out, "### ");
	text(out, ag_format_safe(ag_report_headline(report, arena), arena));
	ag_buf_adds(out, "\n\n");
	gaps(g, ngap, out);
	if (!ag_report_counted(report, &first))
		return;
	ag_buf_adds(out, "| # | severity | field | problem | documents | share |\n"
	                 "|---:|---|---|---|---:|---:|\n");
	for (size_t i = 0; i < n; i++)
		if (!ag_report_is_aside(&items[i]))
			row(report, &items[i], ++number, arena, out);
	ag_buf_adds(out, "\n<details><summary>Evidence and repairs</summary>\n");
	number = 0;
	for (size_t i = 0; i < n; i++)
		if (!ag_report_is_aside(&items[i]))
			details(&items[i], ++number, arena, out);
	ag_buf_adds(out, "\n</details>\n\n");
}

void ag_report_markdown(const ag_val *v, ag_arena *arena, ag_buf *out)
{
	size_t n, nout;
	const ag_val *reports = ag_format_reports(v, &n);
	const ag_format_gap *left_out = ag_format_left_out(v, arena, &nout);

	ag_buf_adds(out, "## Data quality\n\n");
	gaps(left_out, nout, out);
	for (size_t i = 0; i < n; i++)
		one(&reports[i], arena, out);
}
