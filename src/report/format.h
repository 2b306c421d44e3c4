/* format -- an audit's JSON output in the formats of other tools.
 *
 * Each format is a function of what `--output json` prints (docs/reference/report.md): one report, or {"reports",
 * "failed", "skipped"}. So a stored report and a fresh one read alike. Data is escaped as base/paint.h does it, then as the
 * format wants it: no output carries a control character that came from data. */
#ifndef AG_REPORT_FORMAT_H
#define AG_REPORT_FORMAT_H

#include "base/arena.h"
#include "query/value.h"

/* Appends the whole output to `out`; errors stick in it. v: parsed with types, as ag_extjson_parse() does it. */
typedef void ag_report_format(const ag_val *v, ag_arena *arena, ag_buf *out);

/* file:line: severity: field: problem: 67 of 1,500 documents [category] */
ag_report_format ag_report_short;
/* One row for each finding, RFC 4180 with line feeds. A cell that a spreadsheet would take for a formula gets a "'". */
ag_report_format ag_report_csv;
/* A table, and the details of each finding folded away: for comments on a change. */
ag_report_format ag_report_markdown;
/* Workflow commands of GitHub Actions: ::error file=…,line=…::… */
ag_report_format ag_report_github;
/* One suite for each collection, one failed case for each finding; what could not be checked is an error. */
ag_report_format ag_report_junit;
/* SARIF 2.1.0: one run, one rule for each category, notifications for what could not be checked. */
ag_report_format ag_report_sarif;
/* One page without other files: verdict, findings with evidence, and a picture of each path; a table for readers without scripts. */
ag_report_format ag_report_html;
/* That page without data, as a frame in hosts with MCP Apps: it shows the report that the host hands it (web/report/main.tsx). */
void ag_report_frame(ag_arena *arena, ag_buf *out);

#endif
