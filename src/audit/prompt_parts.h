/* prompt_parts -- what the prompt*.c files share. Internal to audit/. */
#ifndef AG_AUDIT_PROMPT_PARTS_H
#define AG_AUDIT_PROMPT_PARTS_H

#include "agent/prompt_file.h"
#include "audit/prompt.h"

/* The two halves of a user prompt have limits of their own, so that the prefix never depends on the trailer. */
#define AG_PROMPT_PREFIX_BYTES  9400
#define AG_PROMPT_TRAILER_BYTES (AG_PROMPT_MAX_BYTES - AG_PROMPT_PREFIX_BYTES)

/* A fence: a line that opens it, then lines of data, then a line that closes it. What stands between must have gone
 * through ag_prompt_data(). name: letters and blanks of ours. */
void ag_prompt_fence(ag_buf *out, const char *name);
void ag_prompt_fence_end(ag_buf *out);

/* The planner's system prompt; the tools it lists are those of `tools`. */
AG_CHECK ag_status ag_prompt_system(const ag_audit_opts *o, const ag_tool *tools, size_t ntool,
                                    ag_arena *arena, ag_str *ret, ag_err *err);

/* The stable half of the user prompt. At most AG_PROMPT_PREFIX_BYTES. */
AG_CHECK ag_status ag_prompt_prefix(ag_audit *a, ag_arena *arena, ag_str *ret, ag_err *err);
/* The schema's lines, at most max bytes; what profile_fields said of a field is folded into its line. prompt_schema.c */
void ag_prompt_schema(ag_buf *out, const ag_val *sample, const ag_audit_state *s, bool show_values,
                      size_t max, ag_arena *arena);
/* "float 194, str 6" of an object with a count per type. */
void ag_prompt_types(ag_buf *out, const ag_val *types, ag_arena *arena);
/* The volatile half. At most AG_PROMPT_TRAILER_BYTES. For a judge it ends with the last observation. */
ag_str ag_prompt_trailer(ag_audit *a, bool for_planner, ag_arena *arena);

/* The result of a tool as lines of data, at most max bytes; personal values masked unless show_values. What is in the
 * prompt anyway (the schema) gives nothing. prompt_result.c */
void ag_prompt_result(ag_buf *out, const ag_trace_entry *t, bool show_values, size_t max,
                      ag_arena *arena);
/* What came of a step, one line of at most max bytes: "matched 30 documents", "rejected: …", "failed: …". */
void ag_prompt_outcome(ag_buf *out, const ag_audit_state *s, const ag_trace_entry *t,
                       bool show_values, size_t max, ag_arena *arena);
/* The newest step whose tool ran well and has a result, of one tool or of any (NULL); NULL = there is none. */
const ag_trace_entry *ag_prompt_last(const ag_audit_state *s, const char *tool);

/* A value as one line of extended JSON of at most max bytes, long texts cut inside their quotes. */
void ag_prompt_json(ag_buf *out, const ag_val *v, size_t max, ag_arena *arena);
/* "1 %", "0.1 %". In arena. */
ag_str ag_prompt_percent(double share, ag_arena *arena);

#endif
