/* format_html_paths -- a card for each path: types and nulls, histograms, frequent values.
 *
 * They show the distributions of a report (docs/reference/report.md), with the values marked that findings affect. A report
 * without them shows what the run recorded in its trace: schema_sample (all paths, of the sample) and profile_fields (data
 * fields, of all documents); a path of both is shown from the second. */
#include "report/bars.h"
#include "report/format_parts.h"

#define MOST_PATHS  400 /* more would be no page that anybody reads */
#define MOST_VALUES 6   /* frequent ones of one path; where it has few, all are shown */
#define MOST_RARE   3
#define MOST_TYPES  4 /* colours */

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
	const uint64_t present = ag_report_count(field, "present_count"),
		       occurrences = ag_report_count(field, "occurrences");
	/* In arrays values are counted, and a document without one is no missing value. */
	const bool is_repeated = occurrences > present;
	const uint64_t nmissing = is_repeated ? 0 : ag_report_count(field, "missing_count"),
		       nnull = is_repeated ? ag_report_count(types, "null")
	                                   : ag_report_count(field, "null_count"),
		       total = is_repeated ? occurrences : present + nmissing;
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

/* --- histograms: plain elements, so that stripes stay stripes at any width --- */

static void bar(uint64_t n, uint64_t marked, uint64_t most, bool is_out, ag_str label,
                bool has_marks, ag_arena *arena, ag_buf *out)
{
	const double height = 100 * (double)n / (double)most;

	ag_buf_addf(out, "<span%s style=\"height:%.2f%%\" title=\"", is_out ? " class=\"out\"" : "",
	            n && height < 2 ? 2 : height);
	ag_html_text(out, label, arena);
	ag_buf_addf(out, ": %.*s", AG_FMT(ag_human_count(n, arena)));
	if (has_marks && marked)
		ag_buf_addf(out, ", marked %.*s", AG_FMT(ag_human_count(marked, arena)));
	ag_buf_adds(out, "\">");
	if (marked && n)
		ag_buf_addf(out, "<i style=\"height:%.2f%%\"></i>",
		            100 * (double)(marked < n ? marked : n) / (double)n);
	ag_buf_adds(out, "</span>");
}

void ag_html_small_bars(const ag_val *field, ag_buf *out)
{
	uint64_t heights[AG_BARS_MAX], most = 1;
	const size_t n = ag_bars_heights(field, AG_BARS_MAX, heights);

	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		most = heights[i] > most ? heights[i] : most;
	ag_buf_adds(out, "<div class=\"hist small\" aria-hidden=\"true\">");
	for (size_t i = 0; i < n; i++) {
		const double height = 100 * (double)heights[i] / (double)most;

		ag_buf_addf(out, "<span style=\"height:%.2f%%\"></span>",
		            heights[i] && height < 6 ? 6 : height);
	}
	ag_buf_adds(out, "</div>");
}

static void bars(const ag_bars *b, ag_arena *arena, ag_buf *out)
{
	ag_buf_adds(out, "<div class=\"hist\" role=\"img\" aria-label=\"");
	ag_html_text(out, ag_bars_title(b, arena), arena);
	ag_buf_adds(out, "\">");
	if (b->below)
		bar(b->below, b->marked_below, b->most, true, ag_bars_below(b, arena), b->has_marks,
		    arena, out);
	for (size_t i = 0; i < b->n; i++)
		bar(b->counts[i], b->marked[i], b->most, false, ag_bars_label(b, i, arena),
		    b->has_marks, arena, out);
	if (b->above)
		bar(b->above, b->marked_above, b->most, true, ag_bars_above(b, arena), b->has_marks,
		    arena, out);
	ag_buf_adds(out, "</div>\n");
}

/* "14 before 2023-07" */
static void outside(ag_buf *out, uint64_t n, ag_str where, ag_arena *arena)
{
	if (!n)
		return;
	ag_buf_addf(out, "<span>%.*s ", AG_FMT(ag_human_count(n, arena)));
	ag_html_text(out, where, arena);
	ag_buf_adds(out, "</span> ");
}

/* One bar is no picture. */
static bool is_constant(const ag_bars *b)
{
	return b->n == 1 && !(b->width > 0) && !b->below && !b->above;
}

/* The bars with their ends below, and what lies outside. */
static void histogram(const ag_bars *b, ag_arena *arena, ag_buf *out)
{
	ag_str from = ag_bars_label(b, 0, arena), to = ag_bars_label(b, b->n - 1, arena);

	ag_buf_adds(out, "<p class=\"soft\">");
	ag_html_text(out, ag_bars_title(b, arena), arena);
	if (b->has_marks && b->nmarked)
		ag_buf_addf(out, " · <b class=\"bad\">%.*s marked</b>",
		            AG_FMT(ag_human_count(b->nmarked, arena)));
	if (is_constant(b)) {
		ag_buf_adds(out, ": all ");
		ag_html_text(out, from, arena);
		ag_buf_adds(out, "</p>\n");
		return;
	}
	ag_buf_adds(out, "</p>\n");
	bars(b, arena, out);
	ag_buf_adds(out, "<p class=\"ends\"><span>");
	ag_html_text(out, from, arena);
	ag_buf_adds(out, "</span>");
	if (b->n > 1) {
		ag_buf_adds(out, "<span>");
		ag_html_text(out, to, arena);
		ag_buf_adds(out, "</span>");
	}
	ag_buf_adds(out, "</p>\n");
	if (b->below || b->above) {
		ag_buf_adds(out, "<p class=\"ends soft\">");
		outside(out, b->below, ag_bars_below(b, arena), arena);
		outside(out, b->above, ag_bars_above(b, arena), arena);
		ag_buf_adds(out, "</p>\n");
	}
}

/* "min 1 · 5% 3 · median 20 · …" */
static void statistics(const ag_bars *b, ag_arena *arena, ag_buf *out)
{
	static const char *const rows[][2] = { { "min", "min" },    { "p5", "5%" },
		                               { "p50", "median" }, { "p95", "95%" },
		                               { "max", "max" },    { "mean", "mean" } };
	bool is_first = true;

	if (ag_bars_is_masked(b) || is_constant(b))
		return;
	ag_buf_adds(out, "<p class=\"stats\">");
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		const ag_str figure = ag_bars_figure(b, rows[i][0], arena);

		if (!figure.len)
			continue;
		ag_buf_addf(out, "%s<span class=\"soft\">%s</span>&nbsp;", is_first ? "" : " ",
		            rows[i][1]);
		ag_html_text(out, figure, arena);
		is_first = false;
	}
	ag_buf_adds(out, "</p>\n");
}

/* The picture of the values; that of their lengths says less where few values are listed, or where they are times. */
static void histograms(const ag_val *field, ag_arena *arena, ag_buf *out)
{
	ag_bars b[AG_BARS_KINDS];
	const size_t n = ag_bars_of(field, b);
	bool has_time = false;

	for (size_t i = 0; i < n; i++) {
		const bool is_length = b[i].over == AG_OVER_LENGTH;
		const bool is_first = i == 0 && !(is_length && ag_bars_is_listed(field));

		has_time = has_time || b[i].over == AG_OVER_TIME;
		if (!is_first && (!b[i].nmarked || (is_length && has_time) ||
		                  (is_length && ag_bars_is_listed(field))))
			continue;
		histogram(&b[i], arena, out);
		statistics(&b[i], arena, out);
	}
}

static void value_row(const ag_val *item, double most, ag_arena *arena, ag_buf *out)
{
	const uint64_t n = ag_report_count(item, "count"), marked = ag_report_count(item, "marked");
	/* A few occurrences of a usual value are striped in its bar, and do not make it a bad one. */
	const bool is_bad = marked > n / 2;

	ag_buf_addf(out, "<tr%s><td>%s", is_bad ? " class=\"bad\"" : "", is_bad ? "▲ " : "");
	ag_html_text(out, ag_bars_value(ag_report_get(item, "value"), true, arena), arena);
	ag_buf_addf(out, "</td><td class=\"n\">%.*s</td><td class=\"b\">",
	            AG_FMT(ag_human_count(n, arena)));
	ag_buf_addf(out, "<div class=\"share\"><span style=\"width:%.2f%%\">",
	            100 * (double)n / most);
	if (marked && n)
		ag_buf_addf(out, "<i style=\"width:%.2f%%\"></i>",
		            100 * (double)(marked < n ? marked : n) / (double)n);
	ag_buf_adds(out, "</span></div></td></tr>\n");
}

/* The most frequent values, then rare ones. A path whose values are all different has nothing to show. */
static void values(const ag_val *field, ag_arena *arena, ag_buf *out)
{
	size_t n, nrare;
	const ag_val *top = ag_report_items(field, "top_values", &n),
		     *rare = ag_report_items(field, "rare_values", &nrare);
	const double most = n ? (double)ag_report_count(&top[0], "count") : 0;
	const size_t nshown = n > MOST_VALUES && !ag_bars_is_listed(field) ? MOST_VALUES : n;

	if (most < 2)
		return;
	ag_buf_adds(out, "<table>\n");
	for (size_t i = 0; i < nshown; i++)
		value_row(&top[i], most, arena, out);
	if (nrare)
		ag_buf_adds(out, "<tr><td class=\"soft\" colspan=\"3\">rare:</td></tr>\n");
	for (size_t i = nrare > MOST_RARE ? nrare - MOST_RARE : 0; i < nrare; i++)
		value_row(&rare[i], most, arena, out);
	ag_buf_adds(out, "</table>\n");
}

void ag_html_card(const ag_val *field, ag_arena *arena, ag_buf *out)
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
	histograms(field, arena, out);
	values(field, arena, out);
	ag_buf_adds(out, "</div>\n");
}

void ag_html_paths(const ag_val *report, ag_arena *arena, ag_buf *out)
{
	size_t n, nsampled;
	const ag_val *fields = ag_report_items(report, "distributions", &n),
		     *sampled = sampled_fields(report, &nsampled);

	/* A run that was stopped, or an older report: what its steps recorded. */
	if (!n) {
		fields = sampled;
		n = nsampled;
	}
	if (!n)
		return;
	ag_buf_adds(out,
	            "<h3>Fields</h3>\n<p class=\"soft\">Types, nulls, histograms and frequent "
	            "values. <span class=\"key striped\"></span> and ▲ mark values in documents "
	            "that a finding about the field affects.</p>\n<div class=\"paths\">\n");
	for (size_t i = 0; i < n && i < MOST_PATHS; i++) {
		const ag_val *profile = fields == sampled
		                                ? profile_of(report,
		                                             ag_report_str(&fields[i], "path"))
		                                : NULL;

		ag_html_card(profile ? profile : &fields[i], arena, out);
	}
	ag_buf_adds(out, "</div>\n");
	if (n > MOST_PATHS)
		ag_buf_addf(out, "<p class=\"soft\">%zu more paths are in the JSON report.</p>\n",
		            n - MOST_PATHS);
}
