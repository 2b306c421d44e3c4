/* read -- see the header. */
#include "report/read.h"

const ag_val *ag_report_get(const ag_val *v, const char *name)
{
	return v ? ag_val_getc(v, name) : NULL;
}

ag_str ag_report_str(const ag_val *v, const char *name)
{
	const ag_val *m = ag_report_get(v, name);

	return m && m->type == AG_T_STRING ? ag_val_text(m) : AG_S("");
}

uint64_t ag_report_count(const ag_val *v, const char *name)
{
	const ag_val *m = ag_report_get(v, name);
	int64_t i;

	return m && ag_val_to_i64(m, &i) && i > 0 ? (uint64_t)i : 0;
}

double ag_report_number(const ag_val *v, const char *name)
{
	const ag_val *m = ag_report_get(v, name);

	return m && ag_type_is_number(m->type) ? ag_val_number(m) : 0;
}

const ag_val *ag_report_items(const ag_val *v, const char *name, size_t *ret_n)
{
	const ag_val *m = ag_report_get(v, name);

	*ret_n = m && m->type == AG_T_ARRAY ? m->n : 0;
	return *ret_n ? m->u.items : NULL;
}

static const char *const severities[] = { "critical", "high", "medium", "low" };

bool ag_report_is_aside(const ag_val *finding)
{
	const ag_val *v = ag_report_get(finding, "set_aside");

	return v && v->type == AG_T_OBJECT;
}

size_t ag_report_counted(const ag_val *report, const ag_val **ret_first)
{
	size_t n, ncounted = 0;
	const ag_val *items = ag_report_items(report, "findings", &n);

	*ret_first = NULL;
	for (size_t i = 0; i < n; i++) {
		if (ag_report_is_aside(&items[i]))
			continue;
		if (!ncounted++)
			*ret_first = &items[i];
	}
	return ncounted;
}

uint64_t ag_report_total(const ag_val *report, const ag_val *finding)
{
	const uint64_t total = ag_report_count(finding, "total_count");

	if (total)
		return total;
	return ag_report_count(report, ag_str_eqc(ag_report_str(finding, "share_of"), "sample")
	                                       ? "documents_sampled"
	                                       : "collection_size");
}

bool ag_report_is_new(const ag_val *report, const ag_val *finding)
{
	const ag_str key = ag_report_str(finding, "key");
	size_t n;
	const ag_val *items = ag_report_items(report, "new_findings", &n);

	for (size_t i = 0; i < n && key.len; i++)
		if (ag_str_eq(ag_report_str(&items[i], "key"), key))
			return true;
	return false;
}

static void count_severities(const ag_val *report, size_t by[4])
{
	size_t n;
	const ag_val *items = ag_report_items(report, "findings", &n);

	memset(by, 0, 4 * sizeof(by[0]));
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < AG_NELEM(severities) && !ag_report_is_aside(&items[i]); k++)
			by[k] += ag_str_eqc(ag_report_str(&items[i], "severity"), severities[k]);
	}
}

/* "2 critical, 5 high" */
static ag_str severity_list(const ag_val *report, size_t most, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(256);
	ag_str ret;
	size_t by[4];

	count_severities(report, by);
	for (size_t k = 0; k < AG_NELEM(severities) && most; k++) {
		if (!by[k])
			continue;
		ag_buf_addf(&out, "%s%zu %s", out.len ? ", " : "", by[k], severities[k]);
		most--;
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

bool ag_report_ended(const ag_val *report, const char *status)
{
	return ag_str_eqc(ag_report_str(report, "status"), status);
}

/* Documents that could not be read: then silence is no good news. */
static uint64_t left_out(const ag_val *report)
{
	const ag_val *source = ag_val_getc(report, "source");

	return source ? ag_report_count(source, "broken") : 0;
}

static bool has_gaps(const ag_val *report)
{
	size_t n;

	ag_report_items(report, "gaps", &n);
	return n > 0;
}

ag_str ag_report_verdict(const ag_val *report, size_t most, ag_arena *arena)
{
	const ag_val *first;
	const size_t n = ag_report_counted(report, &first);
	ag_str by;

	if (!n && ag_report_ended(report, "failed"))
		return AG_S("the audit failed");
	if (!n && (ag_report_ended(report, "cancelled") || ag_report_ended(report, "interrupted")))
		return AG_S("the audit was stopped");
	if (!n && ag_report_count(report, "below_min_severity"))
		return AG_S("no problems of this severity");
	if (!n && !ag_report_count(report, "collection_size"))
		return left_out(report) ? AG_S("not checked, no document could be read")
		                        : AG_S("not checked, no documents");
	if (!n && (!ag_report_count(report, "documents_sampled") ||
	           ag_str_eqc(ag_report_str(report, "verdict"), "not_checked")))
		return AG_S("not checked, nothing was looked at");
	if (!n && ag_report_ended(report, "partial"))
		return AG_S("no problems so far");
	if (!n && left_out(report))
		return AG_S("no problems found in what could be read");
	if (!n && has_gaps(report))
		return AG_S("no problems found in what was checked");
	if (!n)
		return AG_S("no problems found");
	by = severity_list(report, most, arena);
	return ag_str_printf(arena, "%zu problem%s%s%.*s", n, n == 1 ? "" : "s", by.len ? ", " : "",
	                     AG_FMT(by));
}

ag_str ag_report_headline(const ag_val *report, ag_arena *arena)
{
	return ag_str_printf(arena, "%.*s: %.*s", AG_FMT(ag_report_str(report, "collection")),
	                     AG_FMT(ag_report_verdict(report, 4, arena)));
}

ag_ink ag_report_ink(const ag_val *report)
{
	const ag_val *first;
	const size_t n = ag_report_counted(report, &first);
	size_t by[4];

	count_severities(report, by);
	if (by[0] || by[1] || ag_report_ended(report, "failed"))
		return AG_INK_RED;
	if (n || left_out(report) || has_gaps(report) ||
	    !ag_report_count(report, "collection_size") ||
	    !ag_report_count(report, "documents_sampled") || !ag_report_ended(report, "ok"))
		return AG_INK_YELLOW;
	return AG_INK_GREEN;
}
