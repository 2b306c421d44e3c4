/* read -- an audit report as parsed JSON (docs/reference/report.md), read tolerantly, and its verdict.
 *
 * A member that is missing or of another type reads as empty: a report of another version is still readable.
 * Results are views into the report, or in the arena. */
#ifndef AG_REPORT_READ_H
#define AG_REPORT_READ_H

#include "base/paint.h"
#include "query/value.h"

/* The member or NULL; v may be NULL. */
const ag_val *ag_report_get(const ag_val *v, const char *name);
/* "" or 0 when the member is missing or of another type. */
ag_str ag_report_str(const ag_val *v, const char *name);
uint64_t ag_report_count(const ag_val *v, const char *name);
double ag_report_number(const ag_val *v, const char *name);
/* Items of an array member; *ret_n is 0 when there are none. */
const ag_val *ag_report_items(const ag_val *v, const char *name, size_t *ret_n);

/* A label or an ignore row set the finding aside: it does not count. */
bool ag_report_is_aside(const ag_val *finding);
/* Documents that its share is of: of the collection, or of the sample. */
uint64_t ag_report_total(const ag_val *report, const ag_val *finding);
/* The previous run did not have it. */
bool ag_report_is_new(const ag_val *report, const ag_val *finding);
/* Number of findings that count. *ret_first: the best ranked of them, NULL without one. */
size_t ag_report_counted(const ag_val *report, const ag_val **ret_first);
/* Did the run end with this status? */
bool ag_report_ended(const ag_val *report, const char *status);
/* "14 problems, 5 high": at most so many severities. */
ag_str ag_report_verdict(const ag_val *report, size_t most, ag_arena *arena);
ag_ink ag_report_ink(const ag_val *report);
/* "orders: 14 problems, 5 high". Plain data, not escaped. */
ag_str ag_report_headline(const ag_val *report, ag_arena *arena);

#endif
