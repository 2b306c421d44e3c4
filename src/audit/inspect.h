/* inspect -- the fields of one collection with their figures, as one JSON object (docs/reference/report.md).
 *
 * `argus inspect` and the server print it alike; text and page are made from it. Values are masked in this one place. */
#ifndef AG_AUDIT_INSPECT_H
#define AG_AUDIT_INSPECT_H

#include "base/json.h"
#include "documents/source.h"

typedef struct ag_inspect_opts {
	const ag_str *paths; /* only these and what is below them */
	size_t npath;        /* 0 = all */
	uint64_t sample;     /* documents; UINT64_MAX = all */
	uint64_t seed;
	bool show_values;
} ag_inspect_opts;

/* What was read. In arena. */
typedef struct ag_inspected {
	ag_survey survey;
	ag_profile profile;
} ag_inspected;

/* Is it one of the paths, by its name or as queries write it, or below one? */
bool ag_inspect_is_wanted(const ag_inspect_opts *o, ag_str path, ag_str query);
/* Reads the open source and writes its object.
 * errors  of the source; AG_LIMIT: the figures are larger than 1 GiB */
AG_CHECK ag_status ag_inspect(ag_source *source, const ag_ctx *ctx, const ag_inspect_opts *o,
                              ag_arena *arena, ag_jw *w, ag_inspected *ret, ag_err *err);

#endif
