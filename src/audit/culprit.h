/* culprit -- which value in a document makes it match: what a reader wants to see of it. Internal to audit/. */
#ifndef AG_AUDIT_CULPRIT_H
#define AG_AUDIT_CULPRIT_H

#include "query/filter.h"

/* The value at the path (grammar of query/path.h, "[]" optional) that the filter is about. Where the path goes
 * through arrays, the first item is taken with which alone the document still matches. MISSING when the document has
 * nothing there. The result borrows from doc. filter NULL: the first value. */
ag_val ag_culprit_find(const ag_filter *filter, const ag_val *doc, ag_str path, ag_arena *arena);

#endif
