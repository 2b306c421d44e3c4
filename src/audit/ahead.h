/* ahead -- the evidence of all hypotheses, given to the source before it is asked for one by one. */
#ifndef AG_AUDIT_AHEAD_H
#define AG_AUDIT_AHEAD_H

#include "audit/hypothesis.h"
#include "documents/source.h"

/* Filters, and then of those that match documents each pair of one field, because the planner asks for the overlap. Does
 * nothing where the source answers a question at little cost.
 * errors  cancelled, no time left, no server */
AG_CHECK ag_status ag_audit_ahead(ag_source *source, const ag_ctx *ctx, const ag_hypotheses *all,
                                  ag_err *err);

#endif
