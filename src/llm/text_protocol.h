/* text_protocol -- tools for a model whose server takes none: described in the system prompt, called in the text.
 *
 * The conversation is rewritten for sending: calls of earlier turns become <tool_call> blocks in the model's words, results
 * become <tool_response> blocks in the user's. The answer is read by text_calls.h. Both protocols see plain messages. */
#ifndef AG_LLM_TEXT_PROTOCOL_H
#define AG_LLM_TEXT_PROTOCOL_H

#include "llm/llm.h"

/* *ret: the same request without tools. In arena; untouched texts are views. */
void ag_text_protocol(const ag_llm_request *r, ag_arena *arena, ag_llm_request *ret);

#endif
