/* report_diff -- what changed since the previous run, as members of the report. Internal to audit/. */
#ifndef AG_AUDIT_REPORT_DIFF_H
#define AG_AUDIT_REPORT_DIFF_H

#include "audit/audit.h"
#include "base/json.h"

/* previous_run_id, previous_run_at, new_findings, resolved_findings, still_present, not_checked, regressed_fields:
 * null and empty lists without a previous run. arena is for scratch. */
/* items: the findings of s, marked by ag_aside_mark(). */
void ag_report_diff(const ag_audit_state *s, const ag_finding *items, const ag_audit_opts *o,
                    ag_arena *arena, ag_jw *w);
/* The same as numbers, and the null values of the fields that the report shows. */
ag_run_figures ag_report_figures(const ag_audit_state *s, const ag_finding *items,
                                 const ag_audit_opts *o, ag_arena *arena);

#endif
