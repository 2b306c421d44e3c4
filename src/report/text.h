/* text -- an audit report for people, made from its parsed JSON (docs/reference/report.md).
 *
 * The same code serves a run that just ended and one that comes from the store, so they cannot differ.
 * Members that are missing or of another type are left out of the text: a report of another version is still
 * readable. Data reaches the terminal only through base/paint.h. */
#ifndef AG_REPORT_TEXT_H
#define AG_REPORT_TEXT_H

#include "base/paint.h"
#include "query/value.h"

typedef struct ag_report_look {
	size_t width;
	bool colour, utf8;
	bool details;    /* evidence, examples, cause and repair of each finding as well */
	bool trace;      /* every step of the run as well */
	bool set_aside;  /* findings that do not count as well */
	bool remembered; /* the run is in a store: `argus show` and `verify` know its id */
} ag_report_look;

/* One screen: the verdict, where the data comes from, a table of the findings, what to do next. */
void ag_report_text(const ag_val *report, const ag_report_look *look, ag_buf *out);
/* A table over several reports, one line each. */
void ag_report_overview(const ag_val *const *reports, size_t n, const ag_report_look *look,
                        ag_buf *out);

#endif
