/* tools -- what the auditor can do: the table is in tools.c. inspect shares the form of a schema field. */
#ifndef AG_AUDIT_TOOLS_H
#define AG_AUDIT_TOOLS_H

#include "audit/audit.h"

#define AG_PROFILE_FIELDS_MAX 50

ag_status ag_tool_profile_fields(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err);
ag_status ag_tool_write_finding(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err);

extern const ag_tool_set ag_audit_tools;

/* The survey as the JSON object of schema_sample; samples masked unless show_values. */
void ag_survey_json(const ag_survey *survey, ag_str collection, bool show_values, ag_jw *w);
/* One field of it, as inspect lists it too; scratch goes into arena. */
void ag_survey_field_json(const ag_field_stats *f, bool show_values, ag_arena *arena, ag_jw *w);

/* "min of age: 3": one line of at most 300 bytes of the value. */
ag_str ag_stats_summary(ag_str operation, ag_str field, const ag_val *value, ag_arena *arena);

/* settle of the agent: commit, dismiss, demote or drop the candidate by verdict and policy, or let it wait for a
 * person. */
ag_status ag_audit_settle(void *env, ag_arena *arena, const ag_observation *obs,
                          const ag_verdict *v, ag_str *ret_payload, ag_err *err);

#endif
