/* report -- the audit report as JSON (docs/reference/report.md), made from the state of a run. Internal to audit/. */
#ifndef AG_AUDIT_REPORT_H
#define AG_AUDIT_REPORT_H

#include "audit/audit.h"
#include "base/json.h"

#define AG_REPORT_VERSION 1

void ag_report_write(const ag_audit_state *s, const ag_audit_opts *o, const ag_source_info *info,
                     const char *planner, const ag_id *run, ag_jw *w);
/* Members "source", "seed", "as_of", "settings", "versions": also in the run_started event. */
void ag_report_run_facts(const ag_audit_opts *o, const ag_source_info *info, ag_jw *w);
/* One line for people: documents, paths, iterations, findings by severity. */
ag_str ag_report_summary(const ag_audit_state *s, ag_arena *arena);

#endif
