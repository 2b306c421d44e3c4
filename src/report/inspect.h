/* inspect -- what `argus inspect` found, from its JSON (docs/reference/report.md, "A collection"): for people on a terminal,
 * or as one page. */
#ifndef AG_REPORT_INSPECT_H
#define AG_REPORT_INSPECT_H

#include "base/paint.h"
#include "query/value.h"

typedef struct ag_inspect_look {
	bool table;   /* one line for each path */
	bool details; /* all figures of each path */
} ag_inspect_look;

/* One collection. The details follow the table. */
void ag_inspect_text(const ag_val *collection, const ag_inspect_look *look, ag_paint *p);
/* Collections as one page without other files, in the look of an audit's page. */
void ag_inspect_html(const ag_val *const *collections, size_t n, ag_arena *arena, ag_buf *out);

#endif
