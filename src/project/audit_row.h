/* audit_row -- the texts of a row of the audit table. Private to project/. */
#ifndef AG_PROJECT_AUDIT_ROW_H
#define AG_PROJECT_AUDIT_ROW_H

#include "store/ledger.h"

/* Cuts the texts to their limits, replaces what is not valid text and hides known secrets, so that the store has no reason
 * to refuse the row. A text that changes is in *arena, which is made then if it is NULL; the others stay the caller's.
 * Returns the bytes of all texts. */
size_t ag_audit_row_clean(ag_ledger_row *r, ag_arena **arena);
/* Copies the texts of a clean row. */
void ag_audit_row_dup(ag_ledger_row *r, ag_arena *arena);

#endif
