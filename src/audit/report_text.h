/* report_text -- an audit report for people, made from its parsed JSON (docs/reference/report.md).
 *
 * The same code serves a run that just ended and one that comes from the store, so they cannot differ.
 * Members that are missing or of another type are left out of the text: a report of another version is still
 * readable. Data reaches the terminal only through base/paint.h. */
#ifndef AG_AUDIT_REPORT_TEXT_H
#define AG_AUDIT_REPORT_TEXT_H

#include "base/paint.h"
#include "query/value.h"

typedef struct ag_report_look {
	size_t width;
	bool colour, utf8;
	bool trace;      /* every step of the run as well */
	bool set_aside;  /* findings that do not count as well */
	bool remembered; /* the run is in a store: `argus show` and `verify` know its id */
} ag_report_look;

void ag_report_text(const ag_val *report, const ag_report_look *look, ag_buf *out);
/* A closing table over several reports, one line each. */
void ag_report_overview(const ag_val *const *reports, size_t n, const ag_report_look *look,
                        ag_buf *out);
/* "orders: 14 problems, 5 high". Plain data, not escaped. */
ag_str ag_report_headline(const ag_val *report, ag_arena *arena);

/* For people, used by other texts as well: "2,031", "4.2 MB", "10.2%" (never 0% or 100% when it is not). */
ag_str ag_human_count(uint64_t n, ag_arena *arena);
ag_str ag_human_bytes(uint64_t n, ag_arena *arena);
ag_str ag_human_share(uint64_t part, uint64_t whole, ag_arena *arena);
/* "2026-11-21T23:46:20.123Z" as "2026-11-21 23:46:20 UTC"; other texts as they are. */
ag_str ag_human_time(ag_str iso, ag_arena *arena);
ag_ink ag_severity_ink(ag_str severity);

#endif
