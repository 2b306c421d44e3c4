/* aside -- findings that a person set aside: a label "fp" by rate or review, or a row under "ignore:" of argus.yaml.
 *
 * Such a finding stays in the log and in the JSON report, marked. It does not count for --fail-on and is not listed in
 * the text report. A label is about what the evidence means, not about the name of the field: when the evidence means
 * something else, the label does not apply, and the finding's detail says so. Internal to audit/. */
#ifndef AG_AUDIT_ASIDE_H
#define AG_AUDIT_ASIDE_H

#include "audit/audit.h"

/* 32 hex digits, equal for evidence that means the same: the canonical form of the filter or pipeline. Where the evidence
 * moves with the clock (dates in the future) its dates do not count. "" when it cannot be parsed. */
ag_str ag_evidence_meaning(ag_str category, ag_str evidence, ag_arena *arena);

/* What was said of this finding, in this run and before: more fp than tp, with the same meaning? *ret_said is the newest
 * such label, of this run or of the history; NULL without history. */
bool ag_aside_is_labelled(const ag_audit_state *s, const ag_finding *f, ag_arena *arena,
                          ag_said *ret_said);

/* Fill f->aside_by, aside_reason, aside_until and note. */
void ag_aside_mark(const ag_audit_state *s, const ag_audit_opts *o, const ag_source_info *info,
                   ag_finding *f, ag_arena *arena);
/* The committed findings, marked; in arena. */
ag_finding *ag_aside_findings(const ag_audit_state *s, const ag_audit_opts *o,
                              const ag_source_info *info, ag_arena *arena);

/* Does the row speak of this source? Its URI, key, collection, the end of its key at a "/", or "*". */
bool ag_ignore_is_of(const ag_ignore *row, const ag_source_info *info);
/* Member "ignore_notes": rows about this source that matched no finding. */
void ag_ignore_notes(const ag_audit_state *s, const ag_audit_opts *o, const ag_source_info *info,
                     ag_arena *arena, ag_jw *w);

#endif
