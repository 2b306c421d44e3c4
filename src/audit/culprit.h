/* culprit -- which value in a document makes it match: what a reader wants to see of it. Internal to audit/. */
#ifndef AG_AUDIT_CULPRIT_H
#define AG_AUDIT_CULPRIT_H

#include "query/filter.h"

/* The value at the path (grammar of query/path.h, "[]" optional) that the filter is about. Where the path goes
 * through arrays, the first item is taken with which alone the document still matches. MISSING when the document has
 * nothing there. The result borrows from doc. filter NULL: the first value. */
ag_val ag_culprit_find(const ag_filter *filter, const ag_val *doc, ag_str path, ag_arena *arena);

/* An occurrence of a path in a document. */
typedef struct ag_occurrence {
	ag_str path; /* dotted, with the index of each item: "items.2.price" */
	ag_val v;
	const ag_val *row; /* the innermost item of an array that holds it, or the document */
} ag_occurrence;

#define AG_CULPRIT_MAX 4096 /* occurrences that are tried in one document */

/* All occurrences of the path with each of which alone the document matches, in order; in arena. filter NULL: all there are.
 * A path without "[]" or "*" that meets no array on its way has one at most. 0 and *ret_overrun: there are more than
 * AG_CULPRIT_MAX. */
size_t ag_culprit_all(const ag_filter *filter, const ag_val *doc, ag_str path, ag_arena *arena,
                      const ag_occurrence **ret, bool *ret_overrun);

#endif
