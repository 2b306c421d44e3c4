/* One finding for people: what, how many, examples, evidence to paste, cause and repair.
 *
 *   1  HIGH  customer.email · Null values
 *      2,031 of 20,000 documents (10.2%)
 *
 *      The field is null.
 *      orders.ndjson:17   null
 *      evidence   db.orders.countDocuments({ "customer.email": null })                         */
#include "base/utf8.h"
#include "query/extjson.h"
#include "report/text_parts.h"

#define BODY          5 /* column of everything below the title */
#define SHOWN_SAMPLES 4 /* of up to five: enough to see the pattern, and two pairs of duplicates */
#define SHOWN_PARTS   6
#define VALUE_BYTES   400  /* of a sample, before it is cut to the line */
#define MAX_COMMAND   2000 /* bytes of a filter: longer ones are copied from the JSON report */
#define DISMISSED     8
#define REASON_CHARS  120

static bool is_name(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
		              c == '$';

		if (!letter && !(i > 0 && c >= '0' && c <= '9'))
			return false;
	}
	return s.len > 0;
}

ag_str ag_rt_shell_collection(ag_str collection, ag_arena *arena)
{
	ag_val name = ag_val_str(collection);

	if (is_name(collection))
		return ag_str_printf(arena, "db.%.*s", AG_FMT(collection));
	return ag_str_printf(arena, "db.getCollection(%.*s)",
	                     AG_FMT(ag_extjson_str(arena, &name, AG_EXTJSON_SHELL)));
}

static void title(ag_rt *t, size_t number, const ag_val *f)
{
	ag_str severity = ag_report_str(f, "severity"), field = ag_report_str(f, "field");
	ag_str name = ag_report_str(f, "category_title");
	char badge[16] = "";

	for (size_t i = 0; i < severity.len && i < sizeof(badge) - 1; i++)
		badge[i] = severity.ptr[i] >= 'a' && severity.ptr[i] <= 'z'
		                   ? (char)(severity.ptr[i] - 'a' + 'A')
		                   : severity.ptr[i];
	ag_paint_textf(&t->p, AG_INK_DIM, "%3zu", number);
	ag_paint_to(&t->p, BODY);
	if (t->p.colour && ag_severity_ink(severity) == AG_INK_ALARM)
		ag_paint_textf(&t->p, AG_INK_ALARM, " %s ", badge);
	else
		ag_paint_lit(&t->p, ag_severity_ink(severity), badge);
	ag_paint_lit(&t->p, AG_INK_PLAIN, "  ");
	ag_paint_wrap(&t->p, AG_INK_BOLD, BODY, field.len ? field : AG_S("whole documents"));
	ag_paint_fit(&t->p, BODY - 1, 3);
	ag_paint_lit(&t->p, AG_INK_PLAIN, " ");
	ag_paint_sign(&t->p, AG_INK_DIM, AG_SIGN_DOT);
	ag_paint_lit(&t->p, AG_INK_PLAIN, " ");
	ag_paint_wrap(&t->p, AG_INK_PLAIN, BODY, name.len ? name : ag_report_str(f, "category"));
	ag_paint_nl(&t->p);
}

static void share(ag_rt *t, const ag_val *f)
{
	uint64_t n = ag_report_count(f, "affected_count"),
		 total = ag_report_count(f, "total_count");
	bool sampled = ag_str_eqc(ag_report_str(f, "share_of"), "sample");

	if (!total)
		total = ag_report_count(t->report,
		                        sampled ? "documents_sampled" : "collection_size");
	ag_paint_to(&t->p, BODY);
	ag_paint_text(&t->p, AG_INK_BOLD, ag_human_count(n, t->arena));
	ag_paint_wrap(&t->p, AG_INK_PLAIN, BODY,
	              ag_str_printf(t->arena, " of %.*s%s (%.*s)",
	                            AG_FMT(ag_human_documents(total, t->arena)),
	                            sampled ? " sampled" : "",
	                            AG_FMT(ag_human_share(n, total, t->arena))));
	ag_paint_nl(&t->p);
	if (ag_str_eqc(ag_report_str(f, "status"), "pending_review")) {
		ag_paint_to(&t->p, BODY);
		ag_paint_wrap(&t->p, AG_INK_YELLOW, BODY,
		              ag_str_printf(t->arena, "waits for a person, confidence %.2f",
		                            ag_report_number(f, "confidence")));
		ag_paint_nl(&t->p);
	}
}

static void paragraph(ag_rt *t, ag_ink ink, ag_str text)
{
	if (!text.len)
		return;
	/* Rules write their sentences without a capital letter. */
	if (text.ptr[0] >= 'a' && text.ptr[0] <= 'z' && !(text.len > 1 && text.ptr[1] == '.'))
		text = ag_str_printf(t->arena, "%c%.*s", text.ptr[0] - 'a' + 'A', (int)text.len - 1,
		                     text.ptr + 1);
	ag_paint_to(&t->p, BODY);
	ag_paint_wrap(&t->p, ink, BODY, text);
	ag_paint_nl(&t->p);
}

/* Places in one column, values in the next. Places are never cut: when one is wider than a third, values go below. */
static void samples(ag_rt *t, const ag_val *f)
{
	size_t n, where_columns = 0;
	const ag_val *items = ag_report_items(f, "examples", &n);
	bool is_below;

	n = n < SHOWN_SAMPLES ? n : SHOWN_SAMPLES;
	for (size_t i = 0; i < n; i++) {
		const size_t w = ag_paint_width(&t->p, ag_report_str(&items[i], "where"));

		where_columns = w > where_columns ? w : where_columns;
	}
	is_below = where_columns > t->p.width / 3;
	if (n)
		ag_paint_nl(&t->p);
	for (size_t i = 0; i < n; i++) {
		ag_str text = ag_utf8_prefix(ag_human_value(ag_report_get(&items[i], "value"),
		                                            t->p.utf8, t->arena),
		                             VALUE_BYTES);

		ag_paint_to(&t->p, BODY);
		ag_paint_wrap(&t->p, AG_INK_DIM, BODY + 2, ag_report_str(&items[i], "where"));
		if (is_below)
			ag_paint_nl(&t->p);
		ag_paint_to(&t->p, is_below        ? BODY + 2
		                   : where_columns ? BODY + where_columns + 2
		                                   : BODY);
		ag_paint_cut(&t->p, AG_INK_CYAN, t->p.width - t->p.col, text);
		ag_paint_nl(&t->p);
	}
}

static void evidence(ag_rt *t, const ag_val *f)
{
	const ag_val *shell = ag_report_get(f, "evidence_shell");
	ag_str filter = shell ? ag_report_str(shell, "filter") : AG_S("");
	ag_str pipeline = shell ? ag_report_str(shell, "pipeline") : AG_S("");
	ag_str coll = ag_rt_shell_collection(ag_report_str(t->report, "collection"), t->arena);
	ag_buf code = AG_BUF_INIT(4 * 1024 * 1024);

	ag_paint_nl(&t->p);
	if (!filter.len && !pipeline.len)
		return;
	ag_buf_add(&code, coll);
	ag_buf_adds(&code, filter.len ? ".countDocuments(" : ".aggregate(");
	ag_buf_add(&code, filter.len ? filter : pipeline);
	ag_buf_adds(&code, ")");
	ag_paint_to(&t->p, BODY);
	ag_paint_lit(&t->p, AG_INK_DIM, "evidence");
	ag_paint_to(&t->p, BODY + AG_RT_LABEL_COLUMNS);
	ag_paint_code(&t->p, AG_INK_PLAIN, BODY + AG_RT_LABEL_COLUMNS, ag_buf_view(&code));
	ag_paint_nl(&t->p);
	ag_buf_release(&code);
}

/* The command that shows the documents, for a source that Argus reads itself. */
static void command(ag_rt *t, const ag_val *f)
{
	const ag_str query = ag_report_str(f, "evidence_query"),
		     uri = ag_report_str(ag_report_get(t->report, "source"), "uri");

	if (!query.len || query.len > MAX_COMMAND || !uri.len || ag_str_eqc(uri, "-") ||
	    !ag_rt_shows_as_is(t, uri) || !ag_rt_shows_as_is(t, query))
		return;
	ag_rt_command(t, BODY,
	              ag_str_printf(t->arena, "argus query %.*s %.*s",
	                            AG_FMT(ag_rt_shell_word(uri, t->arena)),
	                            AG_FMT(ag_rt_shell_word(query, t->arena))),
	              "");
}

static void parts(ag_rt *t, const ag_val *f)
{
	size_t n;
	const ag_val *items = ag_report_items(f, "parts", &n);

	for (size_t i = 0; i < n && i < SHOWN_PARTS; i++)
		ag_rt_row(t, BODY, i ? "" : "includes",
		          ag_str_printf(t->arena, "%.*s (%.*s)",
		                        AG_FMT(ag_report_str(&items[i], "description")),
		                        AG_FMT(ag_human_count(ag_report_count(&items[i],
		                                                              "affected_count"),
		                                              t->arena))));
	if (n > SHOWN_PARTS)
		ag_rt_row(t, BODY, "", ag_str_printf(t->arena, "and %zu more", n - SHOWN_PARTS));
}

void ag_rt_finding(ag_rt *t, size_t number, const ag_val *f)
{
	title(t, number, f);
	share(t, f);
	ag_paint_nl(&t->p);
	paragraph(t, AG_INK_PLAIN, ag_report_str(f, "description"));
	paragraph(t, AG_INK_PLAIN, ag_report_str(f, "detail"));
	samples(t, f);
	evidence(t, f);
	command(t, f);
	if (ag_report_str(f, "hypothesis").len)
		ag_rt_row(t, BODY, "cause", ag_report_str(f, "hypothesis"));
	if (ag_report_str(f, "repair").len)
		ag_rt_row(t, BODY, "repair", ag_report_str(f, "repair"));
	parts(t, f);
}

void ag_rt_dismissed(ag_rt *t)
{
	size_t n;
	const ag_val *items = ag_report_items(t->report, "dismissed_findings", &n);

	if (!n)
		return;
	ag_paint_nl(&t->p);
	ag_paint_textf(&t->p, AG_INK_BOLD, "  %zu suspicion%s dismissed", n,
	               n == 1 ? " was" : "s were");
	ag_paint_nl(&t->p);
	for (size_t i = 0; i < n && i < DISMISSED; i++) {
		const ag_val *why = ag_report_get(&items[i], "dismissal");
		ag_str name = ag_report_str(&items[i], "category_title");
		ag_str field = ag_report_str(&items[i], "field");
		ag_str reason = ag_report_str(why, "reason");
		ag_str shown = ag_utf8_prefix(reason, REASON_CHARS);
		const char *more = shown.len == reason.len ? "" : t->p.utf8 ? "…" : "...";

		ag_paint_to(&t->p, BODY);
		ag_paint_wrap(&t->p, AG_INK_PLAIN, BODY + 2,
		              field.len ? field : AG_S("whole documents"));
		ag_paint_wrap(&t->p, AG_INK_DIM, BODY + 2,
		              ag_str_printf(t->arena, ", %.*s: %.*s%s",
		                            AG_FMT(name.len ? name
		                                            : ag_report_str(&items[i], "category")),
		                            AG_FMT(shown), more));
		ag_paint_nl(&t->p);
	}
	if (n > DISMISSED) {
		ag_paint_textf(&t->p, AG_INK_DIM, "     and %zu more (--output json)",
		               n - DISMISSED);
		ag_paint_nl(&t->p);
	}
}
