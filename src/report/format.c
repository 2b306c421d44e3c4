/* format -- see the headers. Here: the shared parts, and the formats of one line for each finding. */
#include "report/format_parts.h"

#include <string.h>

#define MAX_TEXT (64u * 1024 * 1024) /* of one text: no report is larger */

const ag_val *ag_format_reports(const ag_val *v, size_t *ret_n)
{
	const ag_val *many = ag_report_get(v, "reports");

	if (many && many->type == AG_T_ARRAY)
		return ag_report_items(v, "reports", ret_n);
	*ret_n = 1;
	return v;
}

ag_str ag_format_safe(ag_str s, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(MAX_TEXT);
	ag_str ret;

	ag_paint_escape(&out, s, true, false);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

ag_str ag_format_field(const ag_val *finding, ag_arena *arena)
{
	const ag_str field = ag_report_str(finding, "field");

	return field.len ? ag_format_safe(field, arena) : AG_S("(document)");
}

ag_str ag_format_problem(const ag_val *finding, ag_arena *arena)
{
	const ag_str title = ag_report_str(finding, "category_title");

	return ag_format_safe(title.len ? title : ag_report_str(finding, "category"), arena);
}

ag_str ag_format_share(const ag_val *report, const ag_val *finding, ag_arena *arena)
{
	const uint64_t n = ag_report_count(finding, "affected_count"),
		       total = ag_report_total(report, finding);

	return ag_str_printf(arena, "%.*s of %.*s (%.*s)", AG_FMT(ag_human_count(n, arena)),
	                     AG_FMT(ag_human_documents(total, arena)),
	                     AG_FMT(ag_human_share(n, total, arena)));
}

ag_str ag_format_description(const ag_val *finding, ag_arena *arena)
{
	const ag_str text = ag_report_str(finding, "description"),
		     detail = ag_report_str(finding, "detail");

	if (!text.len)
		return ag_format_safe(detail, arena);
	if (!detail.len)
		return ag_format_safe(text, arena);
	return ag_format_safe(ag_str_printf(arena, "%.*s (%.*s)", AG_FMT(text), AG_FMT(detail)),
	                      arena);
}

ag_str ag_format_file(const ag_val *report)
{
	const ag_str uri = ag_report_str(ag_report_get(report, "source"), "uri");

	/* A server's address is no file, and standard input is none either. */
	if (ag_str_eqc(uri, "-") || (uri.len && memmem(uri.ptr, uri.len, "://", 3)))
		return AG_S("");
	return uri.len > 2 && memcmp(uri.ptr, "./", 2) == 0 ? ag_str_make(uri.ptr + 2, uri.len - 2)
	                                                    : uri;
}

ag_place ag_format_place(const ag_val *report, const ag_val *example)
{
	const ag_str where = ag_report_str(example, "where");
	ag_place ret = { .file = ag_format_file(report) };
	size_t at = where.len;

	while (at && where.ptr[at - 1] >= '0' && where.ptr[at - 1] <= '9')
		at--;
	if (at == where.len || !at || where.ptr[at - 1] != ':' || where.len - at > 18)
		return ret;
	for (; at < where.len; at++)
		ret.line = ret.line * 10 + (uint64_t)(where.ptr[at] - '0');
	return ret;
}

const char *ag_format_level(ag_str severity, const char *high, const char *middle, const char *low)
{
	if (ag_str_eqc(severity, "critical") || ag_str_eqc(severity, "high"))
		return high;
	return ag_str_eqc(severity, "low") ? low : middle;
}

/* "message; next step" */
static ag_str gap_text(ag_str message, const ag_val *gap, ag_arena *arena)
{
	const ag_str next = ag_report_str(gap, "next_step");

	return ag_format_safe(next.len ? ag_str_printf(arena, "%.*s; %.*s", AG_FMT(message),
	                                               AG_FMT(next))
	                               : message,
	                      arena);
}

ag_format_gap *ag_format_gaps(const ag_val *report, ag_arena *arena, size_t *ret_n)
{
	const ag_str file = ag_format_file(report);
	const ag_val *items = ag_report_items(report, "gaps", ret_n);
	ag_format_gap *ret = ag_new_n(arena, ag_format_gap, *ret_n + 1);

	for (size_t i = 0; i < *ret_n; i++)
		ret[i] = (ag_format_gap){
			.where = ag_format_safe(
				file.len ? file : ag_report_str(report, "collection"), arena),
			.severity = ag_report_str(&items[i], "severity"),
			.kind = ag_format_safe(ag_report_str(&items[i], "kind"), arena),
			.text = gap_text(ag_report_str(&items[i], "message"), &items[i], arena)
		};
	return ret;
}

ag_format_gap *ag_format_left_out(const ag_val *v, ag_arena *arena, size_t *ret_n)
{
	size_t nfailed, nskipped;
	const ag_val *failed = ag_report_items(v, "failed", &nfailed),
		     *skipped = ag_report_items(v, "skipped", &nskipped);
	ag_format_gap *ret = ag_new_n(arena, ag_format_gap, nfailed + nskipped + 1);

	for (size_t i = 0; i < nfailed; i++)
		ret[i] = (ag_format_gap){
			.where = ag_format_safe(ag_report_str(&failed[i], "source"), arena),
			.severity = AG_S("critical"),
			.kind = AG_S("failed"),
			.text = ag_format_safe(ag_report_str(&failed[i], "message"), arena)
		};
	for (size_t i = 0; i < nskipped; i++)
		ret[nfailed + i] = (ag_format_gap){
			.where = ag_format_safe(ag_report_str(&skipped[i], "path"), arena),
			.severity = ag_report_str(&skipped[i], "severity"),
			.kind = AG_S("skipped"),
			.text = gap_text(ag_report_str(&skipped[i], "reason"), &skipped[i], arena)
		};
	*ret_n = nfailed + nskipped;
	return ret;
}

/* --- short --- */

static void short_gaps(const ag_format_gap *gaps, size_t n, ag_buf *out)
{
	for (size_t i = 0; i < n; i++)
		ag_buf_addf(out, "%.*s: %.*s: not checked: %.*s [%.*s]\n", AG_FMT(gaps[i].where),
		            AG_FMT(gaps[i].severity), AG_FMT(gaps[i].text), AG_FMT(gaps[i].kind));
}

static void short_finding(const ag_val *report, const ag_val *f, ag_arena *arena, ag_buf *out)
{
	size_t n;
	const ag_val *examples = ag_report_items(f, "examples", &n);
	const ag_place at = ag_format_place(report, n ? examples : NULL);

	ag_buf_add(out, ag_format_safe(at.file.len ? at.file : ag_report_str(report, "collection"),
	                               arena));
	if (at.file.len && at.line)
		ag_buf_addf(out, ":%llu", (unsigned long long)at.line);
	ag_buf_addf(out, ": %.*s: %.*s: %.*s: %.*s [%.*s]\n", AG_FMT(ag_report_str(f, "severity")),
	            AG_FMT(ag_format_field(f, arena)), AG_FMT(ag_format_problem(f, arena)),
	            AG_FMT(ag_format_share(report, f, arena)),
	            AG_FMT(ag_format_safe(ag_report_str(f, "category"), arena)));
}

void ag_report_short(const ag_val *v, ag_arena *arena, ag_buf *out)
{
	size_t nreport, n;
	const ag_val *reports = ag_format_reports(v, &nreport);
	const ag_format_gap *gaps = ag_format_left_out(v, arena, &n);

	short_gaps(gaps, n, out);
	for (size_t r = 0; r < nreport; r++) {
		const ag_val *items;

		gaps = ag_format_gaps(&reports[r], arena, &n);
		short_gaps(gaps, n, out);
		items = ag_report_items(&reports[r], "findings", &n);
		for (size_t i = 0; i < n; i++)
			if (!ag_report_is_aside(&items[i]))
				short_finding(&reports[r], &items[i], arena, out);
	}
}

/* --- GitHub --- */

/* A property ends at "," and ":", a message does not. */
static void github_text(ag_buf *out, ag_str s, bool is_property)
{
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];

		if (c == '%' || (is_property && (c == ',' || c == ':')))
			ag_buf_addf(out, "%%%02X", (unsigned)c);
		else
			ag_buf_addc(out, c);
	}
}

static void github_line(ag_buf *out, ag_str severity, ag_str file, uint64_t line, ag_str title,
                        ag_str text)
{
	ag_buf_addf(out, "::%s ", ag_format_level(severity, "error", "warning", "notice"));
	if (file.len) {
		ag_buf_adds(out, "file=");
		github_text(out, file, true);
		ag_buf_addc(out, ',');
	}
	if (file.len && line)
		ag_buf_addf(out, "line=%llu,", (unsigned long long)line);
	ag_buf_adds(out, "title=");
	github_text(out, title, true);
	ag_buf_adds(out, "::");
	github_text(out, text, false);
	ag_buf_addc(out, '\n');
}

static void github_gaps(const ag_format_gap *gaps, size_t n, bool are_files, ag_arena *arena,
                        ag_buf *out)
{
	for (size_t i = 0; i < n; i++)
		github_line(out, gaps[i].severity, are_files ? gaps[i].where : AG_S(""), 0,
		            AG_S("not checked"),
		            ag_str_printf(arena, "%.*s: %.*s", AG_FMT(gaps[i].where),
		                          AG_FMT(gaps[i].text)));
}

static void github_finding(const ag_val *report, const ag_val *f, ag_arena *arena, ag_buf *out)
{
	size_t n;
	const ag_val *examples = ag_report_items(f, "examples", &n);
	const ag_place at = ag_format_place(report, n ? examples : NULL);

	github_line(
		out, ag_report_str(f, "severity"), ag_format_safe(at.file, arena), at.line,
		ag_str_printf(arena, "%.*s: %.*s", AG_FMT(ag_format_field(f, arena)),
	                      AG_FMT(ag_format_problem(f, arena))),
		ag_str_printf(arena, "%.*s: %.*s. Evidence: %.*s",
	                      AG_FMT(ag_format_share(report, f, arena)),
	                      AG_FMT(ag_format_description(f, arena)),
	                      AG_FMT(ag_format_safe(ag_report_str(f, "evidence_query"), arena))));
}

void ag_report_github(const ag_val *v, ag_arena *arena, ag_buf *out)
{
	size_t nreport, n;
	const ag_val *reports = ag_format_reports(v, &nreport);
	const ag_format_gap *gaps = ag_format_left_out(v, arena, &n);

	github_gaps(gaps, n, false, arena, out);
	for (size_t r = 0; r < nreport; r++) {
		const ag_val *items;

		gaps = ag_format_gaps(&reports[r], arena, &n);
		github_gaps(gaps, n, ag_format_file(&reports[r]).len > 0, arena, out);
		items = ag_report_items(&reports[r], "findings", &n);
		for (size_t i = 0; i < n; i++)
			if (!ag_report_is_aside(&items[i]))
				github_finding(&reports[r], &items[i], arena, out);
	}
}

/* --- CSV --- */

static void csv_cell(ag_buf *out, ag_str s)
{
	const bool is_formula = s.len && strchr("=+-@", s.ptr[0]) != NULL;
	bool quotes = false;

	for (size_t i = 0; i < s.len; i++)
		quotes = quotes || strchr(",\"\n\r", s.ptr[i]) != NULL;
	if (quotes)
		ag_buf_addc(out, '"');
	if (is_formula)
		ag_buf_addc(out, '\'');
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '"')
			ag_buf_addc(out, '"');
		ag_buf_addc(out, s.ptr[i]);
	}
	if (quotes)
		ag_buf_addc(out, '"');
}

static void csv_finding(const ag_val *report, const ag_val *f, ag_arena *arena, ag_buf *out)
{
	static const char *const texts[] = { "category", "severity",       "status", "description",
		                             "detail",   "evidence_query", "repair", "key" };
	size_t n;
	const ag_val *examples = ag_report_items(f, "examples", &n);

	csv_cell(out, ag_format_safe(ag_report_str(report, "collection"), arena));
	ag_buf_addc(out, ',');
	csv_cell(out, ag_format_safe(ag_report_str(f, "field"), arena));
	ag_buf_addf(out, ",%llu,%llu,%.6g,",
	            (unsigned long long)ag_report_count(f, "affected_count"),
	            (unsigned long long)ag_report_total(report, f),
	            ag_report_number(f, "affected_pct"));
	csv_cell(out, ag_format_safe(ag_report_str(n ? examples : NULL, "where"), arena));
	for (size_t i = 0; i < AG_NELEM(texts); i++) {
		ag_buf_addc(out, ',');
		csv_cell(out, ag_format_safe(ag_report_str(f, texts[i]), arena));
	}
	ag_buf_addc(out, '\n');
}

void ag_report_csv(const ag_val *v, ag_arena *arena, ag_buf *out)
{
	size_t nreport, n;
	const ag_val *reports = ag_format_reports(v, &nreport);

	ag_buf_adds(out,
	            "collection,field,affected_count,total_count,affected_share,where,category,"
	            "severity,status,description,detail,evidence_query,repair,key\n");
	for (size_t r = 0; r < nreport; r++) {
		const ag_val *items = ag_report_items(&reports[r], "findings", &n);

		for (size_t i = 0; i < n; i++)
			if (!ag_report_is_aside(&items[i]))
				csv_finding(&reports[r], &items[i], arena, out);
	}
}
