/* What changed since the previous run, for people; nothing when there was no run. Lines after the first need details.
 *
 *   since      the run of 2026-11-20 08:30 UTC: 1 new, 2 resolved, 1 still there
 *   new        customer.email, null_rate: 2,031 documents
 *   resolved   total, outlier: 0 documents, 12 before
 *   worse      age                                                                       */
#include "report/text_parts.h"

#define MARGIN      2
#define SHOWN_LINES 5

/* Each group is cut with its own "and N more". */
static void lines(ag_rt *t, const char *member, const char *label,
                  ag_str (*text)(ag_rt *t, const ag_val *item))
{
	size_t n;
	const ag_val *items = ag_report_items(t->report, member, &n);

	for (size_t i = 0; i < n && i < SHOWN_LINES; i++)
		ag_rt_row(t, MARGIN, i ? "" : label, text(t, &items[i]));
	if (n > SHOWN_LINES)
		ag_rt_row(t, MARGIN, "", ag_str_printf(t->arena, "and %zu more", n - SHOWN_LINES));
}

static ag_str name_of(ag_rt *t, const ag_val *item)
{
	const ag_str field = ag_report_str(item, "field");

	return ag_str_printf(t->arena, "%.*s, %.*s",
	                     AG_FMT(field.len ? field : AG_S("whole documents")),
	                     AG_FMT(ag_report_str(item, "category")));
}

static ag_str count_of(ag_rt *t, const ag_val *item, const char *member)
{
	return ag_human_count(ag_report_count(item, member), t->arena);
}

static ag_str new_text(ag_rt *t, const ag_val *item)
{
	return ag_str_printf(t->arena, "%.*s: %.*s", AG_FMT(name_of(t, item)),
	                     AG_FMT(ag_human_documents(ag_report_count(item, "affected_count"),
	                                               t->arena)));
}

static ag_str resolved_text(ag_rt *t, const ag_val *item)
{
	return ag_str_printf(t->arena, "%.*s: no document any more, %.*s before",
	                     AG_FMT(name_of(t, item)), AG_FMT(count_of(t, item, "was")));
}

static ag_str present_text(ag_rt *t, const ag_val *item)
{
	return ag_str_printf(t->arena, "%.*s: %.*s, %.*s before", AG_FMT(name_of(t, item)),
	                     AG_FMT(ag_human_documents(ag_report_count(item, "now"), t->arena)),
	                     AG_FMT(count_of(t, item, "was")));
}

static ag_str not_checked_text(ag_rt *t, const ag_val *item)
{
	return ag_str_printf(t->arena, "%.*s: %.*s", AG_FMT(name_of(t, item)),
	                     AG_FMT(ag_report_str(item, "why")));
}

static ag_str field_text(ag_rt *t, const ag_val *item)
{
	(void)t;
	return item->type != AG_T_STRING ? AG_S("")
	       : item->n                 ? ag_val_text(item)
	                                 : AG_S("whole documents");
}

/* "1 new, 2 resolved" */
static ag_str summary(ag_rt *t)
{
	static const char *const counted[][2] = {
		{ "new_findings", "new (+)" },       { "resolved_findings", "resolved" },
		{ "still_present", "still there" },  { "not_checked", "not checked" },
		{ "regressed_fields", "got worse" },
	};
	ag_buf out = AG_BUF_INIT(1024);
	ag_str ret;

	for (size_t i = 0; i < AG_NELEM(counted); i++) {
		size_t n;

		ag_report_items(t->report, counted[i][0], &n);
		if (n)
			ag_buf_addf(&out, "%s%zu %s", out.len ? ", " : "", n, counted[i][1]);
	}
	if (!out.len)
		ag_buf_adds(&out, "nothing new, nothing gone");
	ret = ag_buf_dup(t->arena, &out);
	ag_buf_release(&out);
	return ret;
}

void ag_rt_since(ag_rt *t)
{
	const ag_str id = ag_report_str(t->report, "previous_run_id");
	const ag_str at = ag_report_str(t->report, "previous_run_at");

	if (!id.len)
		return;
	ag_rt_row(t, MARGIN, "since",
	          ag_str_printf(t->arena, "the run of %.*s: %.*s",
	                        AG_FMT(at.len ? ag_human_time(at, t->arena) : id),
	                        AG_FMT(summary(t))));
	if (!t->look->details)
		return;
	lines(t, "new_findings", "new", new_text);
	lines(t, "resolved_findings", "resolved", resolved_text);
	lines(t, "regressed_fields", "worse", field_text);
	lines(t, "still_present", "still", present_text);
	lines(t, "not_checked", "unchecked", not_checked_text);
}
