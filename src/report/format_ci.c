/* format_ci -- JUnit XML and SARIF: what build servers and code hosts show in their own pages. */
#include "report/format_parts.h"

#include <string.h>

#include "base/json.h"

#define MAX_TEXT (64u * 1024) /* of a URI */

/* --- JUnit --- */

static void xml(ag_buf *out, ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		switch (s.ptr[i]) {
		case '&': ag_buf_adds(out, "&amp;"); break;
		case '<': ag_buf_adds(out, "&lt;"); break;
		case '>': ag_buf_adds(out, "&gt;"); break;
		case '"': ag_buf_adds(out, "&quot;"); break;
		default: ag_buf_addc(out, s.ptr[i]);
		}
	}
}

static void attribute(ag_buf *out, const char *name, ag_str s)
{
	ag_buf_addf(out, " %s=\"", name);
	xml(out, s);
	ag_buf_addc(out, '"');
}

static void suite(ag_buf *out, ag_str name, size_t ntest, size_t nfailure, size_t nerror,
                  double seconds)
{
	ag_buf_adds(out, "  <testsuite");
	attribute(out, "name", name);
	ag_buf_addf(out,
	            " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\" time=\"%.3f\">\n",
	            ntest, nfailure, nerror, seconds);
}

static void error_case(ag_buf *out, ag_str suite_name, const ag_format_gap *g)
{
	ag_buf_adds(out, "    <testcase");
	attribute(out, "classname", suite_name);
	attribute(out, "name", g->where);
	ag_buf_adds(out, " time=\"0\">\n      <error");
	attribute(out, "type", g->kind);
	attribute(out, "message", g->text);
	ag_buf_adds(out, "/>\n    </testcase>\n");
}

static void failed_case(const ag_val *report, ag_str suite_name, const ag_val *f, ag_arena *arena,
                        ag_buf *out)
{
	static const char *const texts[][2] = { { "evidence: ", "evidence_query" },
		                                { "suspected cause: ", "hypothesis" },
		                                { "repair: ", "repair" } };
	size_t n;
	const ag_val *examples = ag_report_items(f, "examples", &n);

	ag_buf_adds(out, "    <testcase");
	attribute(out, "classname", suite_name);
	attribute(out, "name",
	          ag_str_printf(arena, "%.*s: %.*s", AG_FMT(ag_format_field(f, arena)),
	                        AG_FMT(ag_format_problem(f, arena))));
	ag_buf_adds(out, " time=\"0\">\n      <failure");
	attribute(out, "type", ag_format_safe(ag_report_str(f, "category"), arena));
	attribute(out, "message",
	          ag_str_printf(arena, "%.*s: %.*s", AG_FMT(ag_report_str(f, "severity")),
	                        AG_FMT(ag_format_share(report, f, arena))));
	ag_buf_addc(out, '>');
	xml(out, ag_format_description(f, arena));
	for (size_t i = 0; i < n; i++) {
		ag_buf_adds(out, "\nfor example: ");
		xml(out, ag_format_safe(ag_report_str(&examples[i], "where"), arena));
	}
	for (size_t i = 0; i < AG_NELEM(texts); i++) {
		const ag_str s = ag_report_str(f, texts[i][1]);

		if (!s.len)
			continue;
		ag_buf_addf(out, "\n%s", texts[i][0]);
		xml(out, ag_format_safe(s, arena));
	}
	ag_buf_adds(out, "</failure>\n    </testcase>\n");
}

static void junit_report(const ag_val *report, ag_arena *arena, ag_buf *out)
{
	size_t n, ngap;
	const ag_val *items = ag_report_items(report, "findings", &n), *first;
	const size_t ncounted = ag_report_counted(report, &first);
	const ag_format_gap *gaps = ag_format_gaps(report, arena, &ngap);
	const ag_str name = ag_format_safe(ag_report_str(report, "collection"), arena);
	const bool is_clean = !ncounted && !ngap;

	suite(out, name, is_clean ? 1 : ncounted + ngap, ncounted, ngap,
	      ag_report_number(report, "duration_seconds"));
	if (is_clean) {
		ag_buf_adds(out, "    <testcase");
		attribute(out, "classname", name);
		attribute(out, "name", ag_report_verdict(report, 4, arena));
		ag_buf_adds(out, " time=\"0\"/>\n");
	}
	for (size_t i = 0; i < n; i++)
		if (!ag_report_is_aside(&items[i]))
			failed_case(report, name, &items[i], arena, out);
	for (size_t i = 0; i < ngap; i++)
		error_case(out, name, &gaps[i]);
	ag_buf_adds(out, "  </testsuite>\n");
}

void ag_report_junit(const ag_val *v, ag_arena *arena, ag_buf *out)
{
	size_t n, nout;
	const ag_val *reports = ag_format_reports(v, &n);
	const ag_format_gap *left_out = ag_format_left_out(v, arena, &nout);

	ag_buf_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	for (size_t i = 0; i < n; i++)
		junit_report(&reports[i], arena, out);
	if (nout) {
		suite(out, AG_S("not checked"), nout, 0, nout, 0);
		for (size_t i = 0; i < nout; i++)
			error_case(out, AG_S("not checked"), &left_out[i]);
		ag_buf_adds(out, "  </testsuite>\n");
	}
	ag_buf_adds(out, "</testsuites>\n");
}

/* --- SARIF --- */

/* Categories in the order of their first finding: the rules of the run. */
typedef struct rules {
	const ag_val **first; /* finding of each */
	size_t n;
} rules;

static size_t rule_of(const rules *r, const ag_val *finding)
{
	const ag_str category = ag_report_str(finding, "category");

	for (size_t i = 0; i < r->n; i++)
		if (ag_str_eq(ag_report_str(r->first[i], "category"), category))
			return i;
	return r->n;
}

static rules collect_rules(const ag_val *reports, size_t nreport, ag_arena *arena)
{
	rules ret = { 0 };
	size_t n, most = 0;

	for (size_t r = 0; r < nreport; r++) {
		ag_report_items(&reports[r], "findings", &n);
		most += n;
	}
	ret.first = ag_new_n(arena, const ag_val *, most + 1);
	for (size_t r = 0; r < nreport; r++) {
		const ag_val *items = ag_report_items(&reports[r], "findings", &n);

		for (size_t i = 0; i < n; i++)
			if (rule_of(&ret, &items[i]) == ret.n)
				ret.first[ret.n++] = &items[i];
	}
	return ret;
}

static void message(ag_jw *w, const char *key, ag_str text)
{
	ag_jw_kkey(w, key);
	ag_jw_obj(w);
	ag_jw_kstr(w, "text", text);
	ag_jw_obj_end(w);
}

static void driver(const ag_val *report, const rules *r, ag_arena *arena, ag_jw *w)
{
	const ag_str version = ag_report_str(ag_report_get(report, "versions"), "argus");

	ag_jw_kkey(w, "tool");
	ag_jw_obj(w);
	ag_jw_kkey(w, "driver");
	ag_jw_obj(w);
	ag_jw_kstr(w, "name", AG_S("Argus"));
	if (version.len)
		ag_jw_kstr(w, "semanticVersion", version);
	ag_jw_kkey(w, "rules");
	ag_jw_arr(w);
	for (size_t i = 0; i < r->n; i++) {
		ag_jw_obj(w);
		ag_jw_kstr(w, "id", ag_format_safe(ag_report_str(r->first[i], "category"), arena));
		message(w, "shortDescription", ag_format_problem(r->first[i], arena));
		message(w, "fullDescription",
		        ag_format_safe(ag_report_str(r->first[i], "description"), arena));
		message(w, "help", ag_format_safe(ag_report_str(r->first[i], "repair"), arena));
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
}

/* A path as a URI reference (RFC 3986). */
static ag_str uri_of(ag_str path, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(MAX_TEXT);
	ag_str ret;

	if (path.len && path.ptr[0] == '/')
		ag_buf_adds(&out, "file://");
	for (size_t i = 0; i < path.len; i++) {
		const unsigned char c = (unsigned char)path.ptr[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    (c && strchr("-._~/", c)))
			ag_buf_addc(&out, (char)c);
		else
			ag_buf_addf(&out, "%%%02X", c);
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static void location(const ag_val *report, const ag_val *f, const ag_val *example, ag_arena *arena,
                     ag_jw *w)
{
	const ag_place at = ag_format_place(report, example);

	ag_jw_obj(w);
	if (at.file.len) {
		ag_jw_kkey(w, "physicalLocation");
		ag_jw_obj(w);
		ag_jw_kkey(w, "artifactLocation");
		ag_jw_obj(w);
		ag_jw_kstr(w, "uri", uri_of(at.file, arena));
		ag_jw_obj_end(w);
		if (at.line) {
			ag_jw_kkey(w, "region");
			ag_jw_obj(w);
			ag_jw_kuint(w, "startLine", at.line);
			ag_jw_obj_end(w);
		}
		ag_jw_obj_end(w);
	}
	ag_jw_kkey(w, "logicalLocations");
	ag_jw_arr(w);
	ag_jw_obj(w);
	ag_jw_kstr(w, "fullyQualifiedName",
	           ag_str_printf(arena, "%.*s.%.*s",
	                         AG_FMT(ag_format_safe(ag_report_str(report, "collection"), arena)),
	                         AG_FMT(ag_format_field(f, arena))));
	ag_jw_kstr(w, "kind", AG_S("member"));
	ag_jw_obj_end(w);
	ag_jw_arr_end(w);
	ag_jw_obj_end(w);
}

static void suppression(const ag_val *f, ag_arena *arena, ag_jw *w)
{
	const ag_val *aside = ag_report_get(f, "set_aside");

	ag_jw_kkey(w, "suppressions");
	ag_jw_arr(w);
	if (ag_report_is_aside(f)) {
		ag_jw_obj(w);
		ag_jw_kstr(w, "kind", AG_S("external"));
		ag_jw_kstr(w, "justification",
		           ag_format_safe(ag_report_str(aside, "reason"), arena));
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

static void result(const ag_val *report, const ag_val *f, size_t rule, ag_arena *arena, ag_jw *w)
{
	size_t n;
	const ag_val *examples = ag_report_items(f, "examples", &n);
	const ag_str key = ag_report_str(f, "key");

	ag_jw_obj(w);
	ag_jw_kstr(w, "ruleId", ag_format_safe(ag_report_str(f, "category"), arena));
	ag_jw_kuint(w, "ruleIndex", rule);
	ag_jw_kstr(w, "level",
	           ag_str_c(ag_format_level(ag_report_str(f, "severity"), "error", "warning",
	                                    "note")));
	message(w, "message",
	        ag_str_printf(arena, "%.*s: %.*s: %.*s", AG_FMT(ag_format_field(f, arena)),
	                      AG_FMT(ag_format_description(f, arena)),
	                      AG_FMT(ag_format_share(report, f, arena))));
	ag_jw_kkey(w, "locations");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++)
		location(report, f, &examples[i], arena, w);
	if (!n)
		location(report, f, NULL, arena, w);
	ag_jw_arr_end(w);
	if (key.len) {
		ag_jw_kkey(w, "partialFingerprints");
		ag_jw_obj(w);
		ag_jw_kstr(w, "argusFinding/v1", key);
		ag_jw_obj_end(w);
	}
	suppression(f, arena, w);
	if (ag_report_str(report, "previous_run_id").len)
		ag_jw_kstr(w, "baselineState",
		           ag_report_is_new(report, f) ? AG_S("new") : AG_S("unchanged"));
	ag_jw_kkey(w, "properties");
	ag_jw_obj(w);
	ag_jw_kstr(w, "severity", ag_report_str(f, "severity"));
	ag_jw_kstr(w, "field", ag_format_safe(ag_report_str(f, "field"), arena));
	ag_jw_kuint(w, "affected_count", ag_report_count(f, "affected_count"));
	ag_jw_kuint(w, "total_count", ag_report_total(report, f));
	ag_jw_kdouble(w, "confidence", ag_report_number(f, "confidence"));
	ag_jw_kstr(w, "evidence_query", ag_format_safe(ag_report_str(f, "evidence_query"), arena));
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
}

static void notifications(const ag_format_gap *gaps, size_t n, ag_arena *arena, ag_jw *w)
{
	for (size_t i = 0; i < n; i++) {
		ag_jw_obj(w);
		ag_jw_kstr(w, "level",
		           ag_str_c(ag_format_level(gaps[i].severity, "error", "warning", "note")));
		message(w, "message",
		        ag_str_printf(arena, "not checked: %.*s: %.*s", AG_FMT(gaps[i].where),
		                      AG_FMT(gaps[i].text)));
		ag_jw_obj_end(w);
	}
}

static void invocation(const ag_val *v, const ag_val *reports, size_t nreport, ag_arena *arena,
                       ag_jw *w)
{
	size_t n;
	const ag_format_gap *gaps = ag_format_left_out(v, arena, &n);
	size_t nfailed;
	bool is_whole;

	ag_report_items(v, "failed", &nfailed);
	is_whole = !nfailed;
	for (size_t r = 0; r < nreport; r++)
		is_whole = is_whole && !ag_report_ended(&reports[r], "failed");
	ag_jw_kkey(w, "invocations");
	ag_jw_arr(w);
	ag_jw_obj(w);
	ag_jw_kbool(w, "executionSuccessful", is_whole);
	ag_jw_kkey(w, "toolExecutionNotifications");
	ag_jw_arr(w);
	notifications(gaps, n, arena, w);
	for (size_t r = 0; r < nreport; r++) {
		gaps = ag_format_gaps(&reports[r], arena, &n);
		notifications(gaps, n, arena, w);
	}
	ag_jw_arr_end(w);
	ag_jw_obj_end(w);
	ag_jw_arr_end(w);
}

void ag_report_sarif(const ag_val *v, ag_arena *arena, ag_buf *out)
{
	size_t nreport, n;
	const ag_val *reports = ag_format_reports(v, &nreport);
	const rules r = collect_rules(reports, nreport, arena);
	ag_jw w;

	ag_jw_init(&w, out, 2);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "$schema", AG_S("https://json.schemastore.org/sarif-2.1.0.json"));
	ag_jw_kstr(&w, "version", AG_S("2.1.0"));
	ag_jw_kkey(&w, "runs");
	ag_jw_arr(&w);
	ag_jw_obj(&w);
	driver(nreport ? reports : NULL, &r, arena, &w);
	invocation(v, reports, nreport, arena, &w);
	ag_jw_kkey(&w, "results");
	ag_jw_arr(&w);
	for (size_t k = 0; k < nreport; k++) {
		const ag_val *items = ag_report_items(&reports[k], "findings", &n);

		for (size_t i = 0; i < n; i++)
			result(&reports[k], &items[i], rule_of(&r, &items[i]), arena, &w);
	}
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	ag_buf_addc(out, '\n');
}
