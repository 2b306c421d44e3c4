/* prompt -- what the auditor's models read: system prompts from prompts/, user prompts from the state.
 *
 * The user prompt has a stable prefix (collection, schema, historical context: byte for byte the same from step to step
 * while the schema is) and a volatile trailer (iteration, status, actions, findings, dismissed, critique, observation,
 * token budget), so that a server's prompt cache serves the prefix. All that comes from the data, from history or from
 * a model's earlier words stands inside fences that the system prompt declares to be data; a fence cannot be closed from
 * inside. Sample values are masked (audit/mask.h) unless show_values. Size: 500-1500 tokens (bytes / 4), up to 4000 for
 * a wide schema; what is cut first is written in prompt.c and told in the prompt. */
#ifndef AG_AUDIT_PROMPT_H
#define AG_AUDIT_PROMPT_H

#include "audit/audit.h"

#define AG_PROMPT_MAX_BYTES 16000 /* 4000 tokens */

/* ag_agent.prompt: of a step of the planner "llm". In arena. errors  AG_INTERNAL: a prompt file is missing */
AG_CHECK ag_status ag_prompt_planner(void *env, ag_arena *arena, ag_prompt *ret, ag_err *err);
/* For ag_model_evaluator.prompt: env is the ag_audit, role "self" or "judge". */
ag_status ag_prompt_evaluator(void *env, const char *role, const ag_subject *s, ag_arena *arena,
                              ag_str *ret_system, ag_str *ret_user, ag_err *err);

/* Append `text` as one line of data: control characters and the fence's own marks are escaped, cut to max bytes at a
 * character's end with "…". */
void ag_prompt_data(ag_buf *out, ag_str text, size_t max);

#endif
