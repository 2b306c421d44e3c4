/* report -- the audit report as JSON (docs/reference/report.md), made from the state of a run. Internal to audit/. */
#ifndef AG_AUDIT_REPORT_H
#define AG_AUDIT_REPORT_H

#include "audit/audit.h"
#include "base/json.h"

#define AG_REPORT_VERSION 1

/* How much of the trace is written: a report has a limit (AG_STORE_MAX_REPORT_BYTES), the log has all of it. */
typedef enum ag_trace_detail { AG_TRACE_FULL, AG_TRACE_NO_RESULTS, AG_TRACE_NONE } ag_trace_detail;

/* A report is of this run. */
typedef struct ag_report_of {
	const ag_audit_state *state;
	const ag_audit_opts *opts;
	const ag_source_info *info;
	const char *planner;
	const ag_id *run;
} ag_report_of;

void ag_report_write(const ag_report_of *of, ag_trace_detail detail, ag_jw *w);
/* The report as text, with the most detail that fits; in arena. */
ag_str ag_report_text_of(const ag_report_of *of, ag_arena *arena);
/* Members "source", "seed", "as_of", "settings", "versions": also in the run_started event. */
void ag_report_run_facts(const ag_audit_opts *o, const ag_source_info *info, ag_jw *w);
/* What of a step is shown: its input (JSON text, "" = none), summary and result, personal values masked unless
 * o->show_values. */
ag_str ag_report_shown_input(const ag_trace_entry *t, const ag_audit_opts *o, ag_arena *arena);
ag_str ag_report_shown_summary(const ag_trace_entry *t, const ag_audit_opts *o, ag_arena *arena);
ag_val ag_report_shown_result(const ag_trace_entry *t, const ag_audit_opts *o, ag_arena *arena);
/* Members "total_input_tokens", "total_output_tokens", "cost": what the models of the run used. report_cost.c */
void ag_report_cost(const ag_audit_state *s, ag_arena *arena, ag_jw *w);
/* "; 12,345 tokens, 0.0123 USD"; nothing without models. */
void ag_report_cost_text(const ag_audit_state *s, ag_buf *out);
/* One line for people: documents, paths, iterations, findings by severity. */
ag_str ag_report_summary(const ag_audit_state *s, ag_arena *arena);

#endif
