/* distribution -- the exact figures of a path as one JSON object (docs/reference/report.md, "A distribution"): types,
 * quantiles, histograms, listed values. */
#ifndef AG_AUDIT_DISTRIBUTION_H
#define AG_AUDIT_DISTRIBUTION_H

#include "audit/finding.h"
#include "base/json.h"
#include "documents/source.h"

#define AG_DISTRIBUTIONS_MAX 400 /* paths in a report: a page with more is read by nobody */

/* ndoc: documents of the profile; marks: occurrences that findings affect, NULL = not known (no member "marked"). Values as
 * they are; scratch goes into arena. */
void ag_distribution_json(const ag_path_profile *f, uint64_t ndoc, const ag_marks *marks,
                          ag_arena *arena, ag_jw *w);

/* The paths of a profile as a JSON array, marked where the evidence of the findings is. Filters only: a pipeline does not
 * name documents. Where marks cannot be made (cancelled, deadline) there are none. Values as they are. In arena. */
ag_str ag_distributions_of(ag_source *source, const ag_ctx *ctx, const ag_profile *p,
                           const ag_finding *findings, size_t nfinding, ag_arena *arena);

/* The array with personal values masked: quantiles and edges like values; counts stay. Of a secret the length is left out. */
ag_val ag_distributions_masked(const ag_val *list, ag_arena *arena);
/* The array, one path on a line whatever the indent of w. */
void ag_distributions_write(const ag_val *list, ag_arena *arena, ag_jw *w);

#endif
