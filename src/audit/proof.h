/* proof -- does the evidence of a claim show the claimed defect in the claimed field?
 *
 * A filter that finds documents proves nothing by itself: {"age":{"$exists":true}} finds all of them. For every category
 * Argus builds its own filter of the documents that show it in this field (proof_defect.c), and runs it against the
 * claimed one: the documents found must lie inside. What is right but not exact is corrected: the spelling of a field, a
 * synonym, a filter that also finds a few neighbours. What shows something else is refused, with the filter that
 * would show it. */
#ifndef AG_AUDIT_PROOF_H
#define AG_AUDIT_PROOF_H

#include "audit/audit.h"

/* The field of a finding about whole documents. */
#define AG_DOCUMENT_FIELD "(document)"

typedef struct ag_proof {
	ag_str field;    /* as the schema writes it; the claimed one where it is right */
	ag_str category; /* id of the taxonomy */
	ag_str evidence; /* the claimed query, or a narrower one */
	ag_str wrong;    /* why the evidence does not show the claim; "" = it does */
	ag_str critique; /* what to do instead */
	ag_str note;     /* what was corrected, for a warning; "" = nothing */
} ag_proof;

typedef struct ag_claim {
	ag_str field, category;
	ag_str evidence;   /* relaxed extended JSON, which was run */
	uint64_t affected; /* documents that it found: at least one */
} ag_claim;

/* Texts of *ret live in arena, or are those of the claim.
 * errors  of the source, and AG_CANCELLED, AG_TIMEOUT */
AG_CHECK ag_status ag_proof_check(ag_audit *a, const ag_ctx *ctx, ag_arena *arena,
                                  const ag_claim *claim, ag_proof *ret, ag_err *err);

#endif
