/* calls -- rows of the audit table for people and programs, as the command line and the server show them alike. */
#ifndef AG_PROJECT_CALLS_H
#define AG_PROJECT_CALLS_H

#include "base/json.h"
#include "store/ledger.h"

/* How the call ended; "running", "interrupted" or "unknown" of one that has no end in the table. */
ag_str ag_call_outcome(const ag_ledger_row *r, int64_t now_ms);
/* One object; the outcome as it is in the table. */
void ag_call_json(ag_jw *w, const ag_ledger_row *r, ag_arena *arena);

#endif
