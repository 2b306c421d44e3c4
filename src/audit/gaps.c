/* gaps -- see the header. Severities: losing everything is critical, so that --fail-on counts it at any level. */
#include "audit/gaps.h"

#include "audit/evidence_build.h"

#include <stdlib.h>

ag_severity ag_gap_severity(uint64_t lost, uint64_t total)
{
	const double share = total ? (double)lost / (double)total : 0;

	return share >= 0.2     ? AG_CRITICAL
	       : share >= 0.01  ? AG_HIGH
	       : share >= 0.001 ? AG_MEDIUM
	                        : AG_LOW;
}

/* A schema alone says which fields there are, not what is in them. */
static bool looked_at_no_field(const ag_audit_state *s)
{
	size_t covered, paths;

	if (s->findings.n || s->dismissed.n)
		return false;
	ag_audit_coverage(s, &covered, &paths);
	return !s->has_schema || !covered;
}

/* Documents that are all "{}", or have an _id alone: there was nothing to look at. */
static bool has_no_field(const ag_audit_state *s)
{
	size_t covered, paths;

	ag_audit_coverage(s, &covered, &paths);
	return s->has_schema && !paths;
}

bool ag_gaps_nothing_checked(const ag_audit_state *s, const ag_source_info *info)
{
	return !info->ndoc || looked_at_no_field(s);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* The collection itself: it has no document, or none that can be read. */
static size_t source_gaps(const ag_source_info *info, ag_arena *arena, ag_gap *ret)
{
	const uint64_t total = info->ndoc + info->broken;
	size_t n = 0;

	if (!total)
		ret[n++] = (ag_gap){
			.kind = "empty",
			.severity = AG_CRITICAL,
			.message = AG_S("the collection has no documents"),
			.next_step = AG_S("check that the export wrote its data, and audit again"),
		};
	if (info->broken)
		ret[n++] = (ag_gap){
			.kind = "unreadable",
			.severity = ag_gap_severity(info->broken, total),
			.count = info->broken,
			.total = total,
			.message = ag_str_printf(
				arena,
				"%llu of %llu documents could not be read, and were "
				"not checked",
				(unsigned long long)info->broken, (unsigned long long)total),
			.next_step = AG_S(
				"mend or remove the lines that are listed, then audit again"),
		};
	if (info->short_rows)
		ret[n++] = (ag_gap){
			.kind = "short_rows",
			.severity = info->short_rows * 100 >= total    ? AG_HIGH
			            : info->short_rows * 1000 >= total ? AG_MEDIUM
			                                               : AG_LOW,
			.count = info->short_rows,
			.total = total,
			.message = ag_str_printf(arena, "%llu row%s fewer cells than the header",
			                         (unsigned long long)info->short_rows,
			                         info->short_rows == 1 ? " has" : "s have"),
			.next_step = AG_S("export the file again: a row that was cut may also have "
			                  "lost the end of its last cell"),
		};
	return n;
}

static size_t run_gaps(const ag_audit_state *s, const ag_source_info *info, ag_arena *arena,
                       ag_gap *ret)
{
	size_t covered, paths;

	if (!info->ndoc)
		return 0;
	if (looked_at_no_field(s) && has_no_field(s)) {
		ret[0] = (ag_gap){
			.kind = "no_fields",
			.severity = AG_CRITICAL,
			.total = info->ndoc,
			.message = AG_S("the documents have no field that can be checked"),
			.next_step = AG_S(
				"check that the export wrote the fields, and audit again"),
		};
		return 1;
	}
	if (looked_at_no_field(s)) {
		ret[0] = (ag_gap){
			.kind = "nothing_checked",
			.severity = AG_CRITICAL,
			.total = info->ndoc,
			.message = AG_S("the run ended before it had looked at any field"),
			.next_step = AG_S("`argus resume` goes on where it stopped; it may need a "
			                  "larger budget, or no model: --planner builtin"),
		};
		return 1;
	}
	ag_audit_coverage(s, &covered, &paths);
	if (ag_str_eqc(s->status, "partial")) {
		ret[0] = (ag_gap){
			.kind = "stopped",
			.severity = AG_MEDIUM,
			.count = paths - covered,
			.total = paths,
			.message =
				ag_str_printf(arena,
			                      "the run stopped before its end: %zu of %zu field%s "
			                      "had been looked at",
			                      covered, paths, plural(paths)),
			.next_step = AG_S("`argus resume` goes on where it stopped"),
		};
		return 1;
	}
	if ((double)covered >= s->rules.field_coverage_min * (double)paths)
		return 0;
	ret[0] = (ag_gap){
		.kind = "fields",
		.severity = AG_MEDIUM,
		.count = paths - covered,
		.total = paths,
		.message = ag_str_printf(arena,
		                         "%zu of %zu field%s had been looked at when the run ended",
		                         covered, paths, plural(paths)),
		.next_step = AG_S(
			"audit without a model to look at all of them: --planner builtin"),
	};
	return 1;
}

/* Fields whose names no filter can hold: they were profiled, but no claim about them can be proven. */
static size_t name_gaps(const ag_audit_state *s, ag_arena *arena, ag_gap *ret)
{
	size_t lost = 0, paths = 0;
	ag_str first = AG_S("");

	for (size_t i = 0; i < s->schema.n; i++) {
		const ag_schema_path *p = &s->schema.items[i];

		if (!p->is_data)
			continue;
		paths++;
		if (ag_ev_can_name(arena, p->path))
			continue;
		if (!lost++)
			first = p->path;
	}
	if (!lost)
		return 0;
	*ret = (ag_gap){
		.kind = "names",
		.severity = lost * 100 >= paths ? AG_MEDIUM : AG_LOW,
		.count = lost,
		.total = paths,
		.message = ag_str_printf(arena,
		                         "no filter can name %zu of %zu field%s, such as %.*s: "
		                         "no problem in them can be proven",
		                         lost, paths, plural(paths), AG_FMT(first)),
		.next_step = AG_S("rename these fields without dots, and audit again"),
	};
	return 1;
}

static bool is_question(const ag_trace_entry *t)
{
	return t->executed &&
	       (ag_str_eqc(t->action, "run_query") || ag_str_eqc(t->action, "aggregate"));
}

/* A question that failed is asked again when the run is resumed. */
static bool was_answered(const ag_audit_state *s, const ag_trace_entry *failed)
{
	for (size_t i = 0; i < s->trace.n; i++) {
		const ag_trace_entry *t = &s->trace.items[i];

		if (is_question(t) && t->ok && ag_str_eq(t->action, failed->action) &&
		    ag_str_eq(t->input, failed->input))
			return true;
	}
	return false;
}

/* Questions that a server did not answer: what they ask is not known. A file answers each that the guard lets through. */
static size_t refused_gaps(const ag_audit_state *s, const ag_source_info *info, ag_arena *arena,
                           ag_gap *ret)
{
	size_t lost = 0, asked = 0;
	ag_str first = AG_S("");

	for (size_t i = 0; ag_source_scheme(info->uri).len && i < s->trace.n; i++) {
		const ag_trace_entry *t = &s->trace.items[i];

		if (!is_question(t) || (!t->ok && was_answered(s, t)))
			continue;
		asked++;
		if (!t->ok && !lost++)
			first = t->error;
	}
	if (!lost)
		return 0;
	*ret = (ag_gap){
		.kind = "refused",
		.severity = lost == asked       ? AG_CRITICAL
		            : lost * 5 >= asked ? AG_HIGH
		                                : AG_MEDIUM,
		.count = lost,
		.total = asked,
		.message = ag_str_printf(
			arena,
			"%zu of %zu question%s got no answer, so it is not known whether "
			"these problems exist: %.*s",
			lost, asked, plural(asked), (int)(first.len < 300 ? first.len : 300),
			first.ptr),
		.next_step = AG_S("mend what the message names, and audit again"),
	};
	return 1;
}

static int worst_first(const void *a, const void *b)
{
	const ag_gap *x = a, *y = b;

	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	return strcmp(x->kind, y->kind);
}

size_t ag_gaps_of(const ag_audit_state *s, const ag_source_info *info, ag_arena *arena,
                  ag_gap ret[AG_GAPS_MAX])
{
	size_t n = source_gaps(info, arena, ret);

	n += run_gaps(s, info, arena, ret + n);
	n += name_gaps(s, arena, ret + n);
	n += refused_gaps(s, info, arena, ret + n);
	qsort(ret, n, sizeof(*ret), worst_first);
	return n;
}
