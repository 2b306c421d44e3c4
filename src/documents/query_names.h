/* query_names -- the fields of a query that no document has, each with the name that was probably meant. */
#ifndef AG_DOCUMENTS_QUERY_NAMES_H
#define AG_DOCUMENTS_QUERY_NAMES_H

#include "documents/source.h"

/* One sentence per absent field of a filter, or of the $match that begins a pipeline; in the arena. No sentence where
 * the source is empty or cannot be asked: a note never fails a query. found: what the query gave; a field that one of
 * these documents has costs nothing, any other one count. */
size_t ag_query_absent(ag_source *s, const ag_ctx *ctx, const ag_safe_query *q,
                       const ag_found *found, ag_arena *arena, const ag_str **ret);

#endif
