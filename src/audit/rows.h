/* rows -- what is known of runs as JSON, as the command line and the server print it alike. */
#ifndef AG_AUDIT_ROWS_H
#define AG_AUDIT_ROWS_H

#include "audit/audit.h"
#include "base/json.h"

/* {"id","source","collection","status","started_at","documents","critical","high","medium","low",
 * "input_tokens","output_tokens","usd","request_units","verdict","null_values","counted_values","new","resolved",
 * "regressed"}; the last three are null when there was no run before to compare with */
void ag_audit_run_json(const ag_run_row *r, ag_jw *w);
/* What the row's body says; figures are the row's when it cannot be read. In arena. */
ag_finding ag_audit_finding_of(const ag_finding_row *row, ag_arena *arena);
/* Member "pending": [{"run","finding"}], personal values masked unless show_values. */
void ag_audit_pending_json(const ag_past_run *runs, size_t n, bool show_values, ag_arena *arena,
                           ag_jw *w);
/* {"run_id","source","collection","other_data",…,"findings":[…],"resolved_findings":[…]} */
void ag_audit_verification_json(const ag_verification *v, ag_jw *w);

#endif
