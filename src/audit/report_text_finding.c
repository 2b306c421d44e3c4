/* One finding for people: what, how many, examples, evidence to paste, cause and repair.
 *
 *   1  HIGH  customer.email · Null values
 *      2,031 of 20,000 documents (10.2%)
 *
 *      The field is null.
 *      orders.ndjson:17   null
 *      evidence   db.orders.countDocuments({ "customer.email": null })                         */
#include "audit/report_text_parts.h"
#include "base/utf8.h"
#include "query/extjson.h"

#define BODY          5 /* column of everything below the title */
#define SHOWN_SAMPLES 3 /* of up to five: enough to see the pattern */
#define SHOWN_PARTS   6
#define VALUE_BYTES   400 /* of a sample, before it is cut to the line */
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
	ag_str severity = ag_rt_str(f, "severity"), field = ag_rt_str(f, "field");
	ag_str name = ag_rt_str(f, "category_title");
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
	ag_paint_wrap(&t->p, AG_INK_PLAIN, BODY, name.len ? name : ag_rt_str(f, "category"));
	ag_paint_nl(&t->p);
}

static void share(ag_rt *t, const ag_val *f)
{
	uint64_t n = ag_rt_count(f, "affected_count"), total = ag_rt_count(f, "total_count");
	bool sampled = ag_str_eqc(ag_rt_str(f, "share_of"), "sample");

	if (!total)
		total = ag_rt_count(t->report, sampled ? "documents_sampled" : "collection_size");
	ag_paint_to(&t->p, BODY);
	ag_paint_text(&t->p, AG_INK_BOLD, ag_human_count(n, t->arena));
	ag_paint_wrap(&t->p, AG_INK_PLAIN, BODY,
	              ag_str_printf(t->arena, " of %.*s %sdocuments (%.*s)",
	                            AG_FMT(ag_human_count(total, t->arena)),
	                            sampled ? "sampled " : "",
	                            AG_FMT(ag_human_share(n, total, t->arena))));
	ag_paint_nl(&t->p);
	if (ag_str_eqc(ag_rt_str(f, "status"), "pending_review")) {
		ag_paint_to(&t->p, BODY);
		ag_paint_wrap(&t->p, AG_INK_YELLOW, BODY,
		              ag_str_printf(t->arena, "waits for a person, confidence %.2f",
		                            ag_rt_number(f, "confidence")));
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

/* Places in one column, values in the next; the column is as wide as it must be, up to a third. */
static void samples(ag_rt *t, const ag_val *f)
{
	size_t n, where_columns = 0, room = t->p.width / 3;
	const ag_val *items = ag_rt_items(f, "examples", &n);

	n = n < SHOWN_SAMPLES ? n : SHOWN_SAMPLES;
	for (size_t i = 0; i < n; i++) {
		size_t w = ag_paint_width(&t->p, ag_rt_str(&items[i], "where"));

		if (w > where_columns)
			where_columns = w;
	}
	where_columns = where_columns < room ? where_columns : room;
	if (n)
		ag_paint_nl(&t->p);
	for (size_t i = 0; i < n; i++) {
		const ag_val *v = ag_rt_get(&items[i], "value");
		ag_str text = v ? ag_extjson_str(t->arena, v, AG_EXTJSON_SHELL) : AG_S("(missing)");

		ag_paint_to(&t->p, BODY);
		ag_paint_cut(&t->p, AG_INK_DIM, where_columns, ag_rt_str(&items[i], "where"));
		if (where_columns)
			ag_paint_to(&t->p, BODY + where_columns + 2);
		text.len = text.len < VALUE_BYTES ? text.len : VALUE_BYTES;
		ag_paint_cut(&t->p, AG_INK_CYAN, t->p.width - t->p.col, text);
		ag_paint_nl(&t->p);
	}
}

static void evidence(ag_rt *t, const ag_val *f)
{
	const ag_val *shell = ag_rt_get(f, "evidence_shell");
	ag_str filter = shell ? ag_rt_str(shell, "filter") : AG_S("");
	ag_str pipeline = shell ? ag_rt_str(shell, "pipeline") : AG_S("");
	ag_str coll = ag_rt_shell_collection(ag_rt_str(t->report, "collection"), t->arena);
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

static void parts(ag_rt *t, const ag_val *f)
{
	size_t n;
	const ag_val *items = ag_rt_items(f, "parts", &n);

	for (size_t i = 0; i < n && i < SHOWN_PARTS; i++)
		ag_rt_row(t, BODY, i ? "" : "includes",
		          ag_str_printf(
				  t->arena, "%.*s (%.*s)",
				  AG_FMT(ag_rt_str(&items[i], "description")),
				  AG_FMT(ag_human_count(ag_rt_count(&items[i], "affected_count"),
		                                        t->arena))));
	if (n > SHOWN_PARTS)
		ag_rt_row(t, BODY, "", ag_str_printf(t->arena, "and %zu more", n - SHOWN_PARTS));
}

void ag_rt_finding(ag_rt *t, size_t number, const ag_val *f)
{
	title(t, number, f);
	share(t, f);
	ag_paint_nl(&t->p);
	paragraph(t, AG_INK_PLAIN, ag_rt_str(f, "description"));
	paragraph(t, AG_INK_PLAIN, ag_rt_str(f, "detail"));
	samples(t, f);
	evidence(t, f);
	if (ag_rt_str(f, "hypothesis").len)
		ag_rt_row(t, BODY, "cause", ag_rt_str(f, "hypothesis"));
	if (ag_rt_str(f, "repair").len)
		ag_rt_row(t, BODY, "repair", ag_rt_str(f, "repair"));
	parts(t, f);
}

void ag_rt_dismissed(ag_rt *t)
{
	size_t n;
	const ag_val *items = ag_rt_items(t->report, "dismissed_findings", &n);

	if (!n)
		return;
	ag_paint_nl(&t->p);
	ag_paint_textf(&t->p, AG_INK_BOLD, "  %zu suspicion%s dismissed", n,
	               n == 1 ? " was" : "s were");
	ag_paint_nl(&t->p);
	for (size_t i = 0; i < n && i < DISMISSED; i++) {
		const ag_val *why = ag_rt_get(&items[i], "dismissal");
		ag_str name = ag_rt_str(&items[i], "category_title");
		ag_str field = ag_rt_str(&items[i], "field");
		ag_str reason = ag_rt_str(why, "reason");
		ag_str shown = ag_utf8_prefix(reason, REASON_CHARS);
		const char *more = shown.len == reason.len ? "" : t->p.utf8 ? "…" : "...";

		ag_paint_to(&t->p, BODY);
		ag_paint_wrap(&t->p, AG_INK_PLAIN, BODY + 2,
		              field.len ? field : AG_S("whole documents"));
		ag_paint_wrap(&t->p, AG_INK_DIM, BODY + 2,
		              ag_str_printf(t->arena, ", %.*s: %.*s%s",
		                            AG_FMT(name.len ? name
		                                            : ag_rt_str(&items[i], "category")),
		                            AG_FMT(shown), more));
		ag_paint_nl(&t->p);
	}
	if (n > DISMISSED) {
		ag_paint_textf(&t->p, AG_INK_DIM, "     and %zu more (--output json)",
		               n - DISMISSED);
		ag_paint_nl(&t->p);
	}
}
