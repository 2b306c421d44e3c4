/* trend -- the member "trend" of a report that is saved as a page: the earlier audits of its source, as the page of `argus serve`
 * charts them. */
#ifndef AG_AUDIT_TREND_H
#define AG_AUDIT_TREND_H

#include "query/value.h"
#include "store/store.h"

#define AG_TREND_RUNS 40 /* of one source; the page charts as many */

/* The report with the member "trend": [{"at","status","documents","critical","high","medium","low","null_values","counted_values"}],
 * runs that have a result, up to the report's own, the oldest first. A report without history (settings.history is false) is returned as
 * it is. A store that cannot be read gives an empty list. In arena; borrows from `report`. */
ag_val ag_audit_with_trend(ag_store *s, const ag_val *report, ag_arena *arena);

#endif
