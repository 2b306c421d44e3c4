/* schema -- the data dictionary of a conversation's project, read as a governed call. */
#ifndef AG_ANALYST_SCHEMA_H
#define AG_ANALYST_SCHEMA_H

#include "project/project.h"

/* refresh: read it from the database, which takes an analyst, else from the store's cache when it is younger than a day. In arena.
 * errors  what the caller may not do, or what the database says: one sentence, with a hint */
AG_CHECK ag_status ag_analyst_schema(ag_project_hub *h, const ag_ctx *ctx, const ag_caller *who,
                                     const ag_project *project, bool refresh, ag_arena *arena,
                                     ag_dictionary *ret, ag_err *err);

#endif
