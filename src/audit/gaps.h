/* gaps -- what a run could not check. A gap is no finding: no evidence query can count what was not read.
 *
 * Gaps come from the source's facts and the state alone, so a rebuilt report has the same ones. Internal to audit/. */
#ifndef AG_AUDIT_GAPS_H
#define AG_AUDIT_GAPS_H

#include "audit/audit.h"
#include "base/json.h"

typedef struct ag_gap {
	/* nothing_checked, no_fields, empty, unreadable, short_rows, names, stopped, fields, refused */
	const char *kind;
	ag_severity severity;
	uint64_t count, total; /* affected documents (fields) of all */
	ag_str message, next_step;
} ag_gap;

#define AG_GAPS_MAX 7

/* Worst first; at most AG_GAPS_MAX. Texts in arena. */
size_t ag_gaps_of(const ag_audit_state *s, const ag_source_info *info, ag_arena *arena,
                  ag_gap ret[AG_GAPS_MAX]);
/* Did the run look at no data at all? Then it has no verdict on the data. */
bool ag_gaps_nothing_checked(const ag_audit_state *s, const ag_source_info *info);
/* Severity of losing `lost` of `total` documents: low below 0.1%, medium below 1%, high below 20%, else critical. */
ag_severity ag_gap_severity(uint64_t lost, uint64_t total);

#endif
