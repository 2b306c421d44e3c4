/* format_html_paths -- pictures of each path of a report: types and nulls, frequent values, the range.
 *
 * They show what the run recorded in its trace: schema_sample (all paths, of the sample) and profile_fields (data
 * fields, of all documents). A path of both is shown from the second. Values that a finding names are marked. */
#include "query/extjson.h"
#include "report/format_parts.h"

#include <math.h>

#define MOST_PATHS  400 /* more would be no page that anybody reads */
#define MOST_VALUES 8   /* bars of one path */
#define MOST_TYPES  4   /* colours */
#define MOST_MARKS  40  /* of one range */

/* The result of one step of the trace. NULL: another action, or it gave none. */
static const ag_val *result_of(const ag_val *step, const char *action)
{
	if (!ag_str_eqc(ag_report_str(step, "action"), action))
		return NULL;
	return ag_report_get(ag_report_get(step, "observation"), "result");
}

/* What profile_fields says about the path; the last word counts. NULL: nothing. */
static const ag_val *profile_of(const ag_val *report, ag_str path)
{
	size_t n, nfield;
	const ag_val *steps = ag_report_items(report, "run_trace", &n), *ret = NULL;

	for (size_t i = 0; i < n; i++) {
		const ag_val *fields = ag_report_items(result_of(&steps[i], "profile_fields"),
		                                       "fields", &nfield);

		for (size_t k = 0; k < nfield; k++)
			if (ag_str_eq(ag_report_str(&fields[k], "path"), path))
				ret = &fields[k];
	}
	return ret;
}

/* All paths of the sample. */
static const ag_val *sampled_fields(const ag_val *report, size_t *ret_n)
{
	size_t n;
	const ag_val *steps = ag_report_items(report, "run_trace", &n);

	for (size_t i = 0; i < n; i++) {
		const ag_val *result = result_of(&steps[i], "schema_sample");

		if (result)
			return ag_report_items(result, "fields", ret_n);
	}
	*ret_n = 0;
	return NULL;
}

/* A masked text keeps its shape only ("Aaaa 999"): two of them may look alike and not be the same. */
static bool looks_masked(const ag_val *v)
{
	bool has_letter = false;
	ag_str s;

	if (v->type != AG_T_STRING)
		return false;
	s = ag_val_text(v);
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];
		const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		if ((is_letter && c != 'a' && c != 'A') || (c >= '0' && c <= '8'))
			return false;
		has_letter = has_letter || is_letter || c == '9' || (unsigned char)c >= 128;
	}
	return has_letter;
}

/* Does a finding about this path name the value? */
static bool is_bad(const ag_val *report, ag_str path, const ag_val *value)
{
	size_t n, nexample;
	const ag_val *items = ag_report_items(report, "findings", &n),
		     *masked = ag_report_get(report, "masked");

	if (masked && ag_val_truthy(masked) && looks_masked(value))
		return false;
	for (size_t i = 0; i < n; i++) {
		const ag_val *examples = ag_report_items(&items[i], "examples", &nexample);

		if (ag_report_is_aside(&items[i]) ||
		    !ag_str_eq(ag_report_str(&items[i], "field"), path))
			continue;
		for (size_t k = 0; k < nexample; k++) {
			const ag_val *v = ag_report_get(&examples[k], "value");

			if (v && v->type == value->type && ag_val_eq(v, value))
				return true;
		}
	}
	return false;
}

static void rect(const char *class, double x, double width, ag_buf *out)
{
	if (width > 0)
		ag_buf_addf(out, "<rect class=\"%s\" x=\"%.2f\" width=\"%.2f\" height=\"10\"/>",
		            class, x, width < 0.6 ? 0.6 : width);
}

static void legend(const char *class, ag_str name, uint64_t n, bool is_first, ag_arena *arena,
                   ag_buf *out)
{
	ag_buf_addf(out,
	            "%s<span class=\"key\"><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\">"
	            "<rect class=\"%s\" width=\"10\" height=\"10\"/></svg></span> ",
	            is_first ? "" : " &nbsp; ", class);
	ag_html_text(out, name, arena);
	ag_buf_addf(out, " %.*s", AG_FMT(ag_human_count(n, arena)));
}

/* One bar: the types, null, missing. Below it what the colours mean. */
static void types_bar(const ag_val *field, ag_arena *arena, ag_buf *out)
{
	static const char *const classes[MOST_TYPES] = { "bar", "t1", "t2", "t3" };
	const ag_val *types = ag_report_get(field, "types");
	const size_t n = types && types->type == AG_T_OBJECT ? types->n : 0;
	const uint64_t nnull = ag_report_count(field, "null_count"),
		       nmissing = ag_report_count(field, "missing_count"),
		       total = ag_report_count(field, "present_count") + nmissing;
	ag_buf words = AG_BUF_INIT(1024 * 1024);
	double x = 0;

	if (!total)
		return;
	ag_buf_adds(out, "<svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
	                 "aria-hidden=\"true\">");
	for (size_t i = 0; i < n; i++) {
		const char *class = classes[i < MOST_TYPES ? i : MOST_TYPES - 1];
		const ag_member *m = &types->u.members[i];
		const double width = 100 * ag_val_number(&m->val) / (double)total;

		if (ag_str_eqc(m->key, "null"))
			continue;
		rect(class, x, width, out);
		x += width;
		legend(class, m->key, (uint64_t)ag_val_number(&m->val), !words.len, arena, &words);
	}
	if (nnull) {
		rect("null", x, 100 * (double)nnull / (double)total, out);
		x += 100 * (double)nnull / (double)total;
		legend("null", AG_S("null"), nnull, !words.len, arena, &words);
	}
	if (nmissing) {
		rect("none", x, 100 * (double)nmissing / (double)total, out);
		legend("none", AG_S("missing"), nmissing, !words.len, arena, &words);
	}
	ag_buf_adds(out, "</svg>\n<p>");
	ag_buf_add(out, ag_buf_view(&words));
	ag_buf_adds(out, "</p>\n");
	ag_buf_release(&words);
}

static void value_row(const ag_val *report, ag_str path, const ag_val *item, double most,
                      ag_arena *arena, ag_buf *out)
{
	const ag_val *value = ag_report_get(item, "value");
	const uint64_t n = ag_report_count(item, "count");
	const bool bad = value && is_bad(report, path, value);

	ag_buf_addf(out, "<tr%s><td>%s", bad ? " class=\"bad\"" : "", bad ? "▲ " : "");
	ag_html_text(out, ag_human_value(value, true, arena), arena);
	ag_buf_addf(out, "</td><td class=\"n\">%.*s</td><td class=\"b\">",
	            AG_FMT(ag_human_count(n, arena)));
	ag_buf_adds(out, "<svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
	                 "aria-hidden=\"true\">");
	rect(bad ? "mark" : "bar", 0, 100 * (double)n / most, out);
	ag_buf_adds(out, "</svg></td></tr>\n");
}

/* The most frequent values, then rare ones. A path whose values are all different has nothing to show. */
static void values(const ag_val *report, const ag_val *field, ag_arena *arena, ag_buf *out)
{
	const ag_str path = ag_report_str(field, "path");
	size_t n, nrare;
	const ag_val *top = ag_report_items(field, "top_values", &n),
		     *rare = ag_report_items(field, "rare_values", &nrare);
	const double most = n ? (double)ag_report_count(&top[0], "count") : 0;

	if (most < 2)
		return;
	ag_buf_adds(out, "<table>\n");
	for (size_t i = 0; i < n && i < MOST_VALUES; i++)
		value_row(report, path, &top[i], most, arena, out);
	if (nrare)
		ag_buf_adds(out, "<tr><td class=\"soft\" colspan=\"3\">rare:</td></tr>\n");
	for (size_t i = 0; i < nrare && i < MOST_VALUES; i++)
		value_row(report, path, &rare[i], most, arena, out);
	ag_buf_adds(out, "</table>\n");
}

static void marks(const ag_val *report, ag_str path, double least, double span, ag_buf *out)
{
	size_t n, nexample, nmark = 0;
	const ag_val *items = ag_report_items(report, "findings", &n);

	for (size_t i = 0; i < n; i++) {
		const ag_val *examples = ag_report_items(&items[i], "examples", &nexample);

		if (ag_report_is_aside(&items[i]) ||
		    !ag_str_eq(ag_report_str(&items[i], "field"), path))
			continue;
		for (size_t k = 0; k < nexample && nmark < MOST_MARKS; k++) {
			const ag_val *v = ag_report_get(&examples[k], "value");
			double x;

			if (!v || !ag_type_is_number(v->type))
				continue;
			x = 4 + 192 * (ag_val_number(v) - least) / span;
			if (!(x >= 0 && x <= 200))
				continue;
			nmark++;
			ag_buf_addf(out, "<circle class=\"mark\" cx=\"%.2f\" cy=\"7\" r=\"3.5\"/>",
			            x);
		}
	}
}

/* A line from the least to the greatest number, a tick at the median, a dot for each value of a finding. */
static void range(const ag_val *report, const ag_val *field, ag_arena *arena, ag_buf *out)
{
	static const char *const names[] = { "min", "median", "max" };
	double at[3];

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		const ag_val *v = ag_report_get(field, names[i]);

		if (!v || !ag_type_is_number(v->type))
			return;
		at[i] = ag_val_number(v);
	}
	if (!isfinite(at[0]) || !isfinite(at[2] - at[0]) || !(at[2] > at[0]))
		return;
	ag_buf_addf(out,
	            "<svg viewBox=\"0 0 200 14\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
	            "<line class=\"axis\" x1=\"4\" y1=\"7\" x2=\"196\" y2=\"7\"/>"
	            "<line class=\"axis\" x1=\"%.2f\" y1=\"1\" x2=\"%.2f\" y2=\"13\"/>",
	            4 + 192 * (at[1] - at[0]) / (at[2] - at[0]),
	            4 + 192 * (at[1] - at[0]) / (at[2] - at[0]));
	marks(report, ag_report_str(field, "path"), at[0], at[2] - at[0], out);
	ag_buf_adds(out, "</svg>\n<p class=\"soft\">");
	for (size_t i = 0; i < AG_NELEM(names); i++) {
		ag_buf_addf(out, "%s%s ", i ? " · " : "", names[i]);
		ag_html_text(out,
		             ag_extjson_str(arena, ag_report_get(field, names[i]),
		                            AG_EXTJSON_SHELL),
		             arena);
	}
	ag_buf_adds(out, "</p>\n");
}

static void card(const ag_val *report, const ag_val *field, ag_arena *arena, ag_buf *out)
{
	const uint64_t distinct = ag_report_count(field, "distinct");

	ag_buf_adds(out, "<div class=\"path\"><h4>");
	ag_html_text(out, ag_report_str(field, "path"), arena);
	ag_buf_adds(out, "</h4>\n");
	types_bar(field, arena, out);
	if (distinct) {
		ag_buf_adds(out, "<p class=\"soft\">");
		ag_html_text(out,
		             ag_str_printf(arena, "%.*s different value%s",
		                           AG_FMT(ag_human_count(distinct, arena)),
		                           distinct == 1 ? "" : "s"),
		             arena);
		ag_buf_adds(out, "</p>\n");
	}
	range(report, field, arena, out);
	values(report, field, arena, out);
	ag_buf_adds(out, "</div>\n");
}

void ag_html_paths(const ag_val *report, ag_arena *arena, ag_buf *out)
{
	size_t n;
	const ag_val *fields = sampled_fields(report, &n);

	if (!n)
		return;
	ag_buf_adds(out, "<h3>Fields</h3>\n<p class=\"soft\">Types, nulls and frequent values. "
	                 "Values that a finding names are red and marked with ▲.</p>\n"
	                 "<div class=\"paths\">\n");
	for (size_t i = 0; i < n && i < MOST_PATHS; i++) {
		const ag_val *profile = profile_of(report, ag_report_str(&fields[i], "path"));

		card(report, profile ? profile : &fields[i], arena, out);
	}
	ag_buf_adds(out, "</div>\n");
	if (n > MOST_PATHS)
		ag_buf_addf(out, "<p class=\"soft\">%zu more paths are in the JSON report.</p>\n",
		            n - MOST_PATHS);
}
