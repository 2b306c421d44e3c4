/* baseline -- which findings of a report were not there before: in a report of another time, also of an older Argus.
 *
 * Findings are matched by their stable key (source identity, field, category), never by ids. A finding that was there and
 * affects more documents now is "more", not new. A source that the baseline does not know cannot be compared: then
 * everything is new, and the comparison says why. Only JSON goes in, so a file and a stored report are treated alike. */
#ifndef AG_AUDIT_BASELINE_H
#define AG_AUDIT_BASELINE_H

#include "audit/taxonomy.h"
#include "base/err.h"
#include "base/json.h"
#include "query/value.h"

typedef struct ag_baseline {
	ag_str name; /* for people: the file, or "the previous run" */
	const ag_val *const *reports;
	size_t nreport;
	const ag_val *skipped; /* list of the files that were skipped; NULL = unknown */
} ag_baseline;

/* A report, or {"reports":[…]}; texts in arena.
 * errors  AG_INVALID: no JSON, or no report; the message names the file */
AG_CHECK ag_status ag_baseline_read(ag_str name, ag_str text, ag_arena *arena, ag_baseline *ret,
                                    ag_err *err);

typedef struct ag_more {
	const ag_val *finding; /* of the new report */
	uint64_t was;
} ag_more;

typedef struct ag_compared {
	const ag_val *before; /* the report that it was compared with, NULL = none */
	ag_str why;           /* why not, or what the comparison leaves out; "" = nothing */
	const ag_val **added; /* findings of the new report, in its order; not those set aside */
	const ag_val **added_gaps; /* gaps that were not there, or are more severe now */
	ag_more *more;
	size_t nadded, nadded_gap, nmore, ngone;
} ag_compared;

/* In arena; members point into report and b. b NULL = there is nothing to compare with. */
void ag_baseline_compare(const ag_val *report, const ag_baseline *b, ag_arena *arena,
                         ag_compared *ret);
/* Is something new of that severity or above? */
bool ag_compared_reaches(const ag_compared *c, ag_severity level);
/* Was this file skipped then, too? */
bool ag_baseline_skipped(const ag_baseline *b, ag_str path);

/* {"compared","with","run_id","why","new":[…],"more":[…],"gone","new_gaps":[…]} */
void ag_compared_write(const ag_compared *c, const ag_baseline *b, ag_jw *w);
/* "compared with old.json: 1 new, 2 more, 1 gone", and a line for each that is new or more. */
ag_str ag_compared_text(const ag_compared *c, const ag_baseline *b, ag_arena *arena);

#endif
