/* text_calls -- tool calls that a model wrote into its text instead of calling.
 *
 * What is read, outside of code fences, inline code and quoted lines:
 *   <tool_call>{"name","arguments"}</tool_call> and its kin, closed or not    Hermes, Qwen, Granite, GLM
 *   <function=name><parameter=k>v</parameter></function>, <invoke name="…">   Qwen3-coder, Llama, Claude
 *   [TOOL_CALLS] …, <|python_tag|> …, <｜tool▁call▁begin｜> …                   Mistral, Llama 3, DeepSeek, Kimi
 * and, when a call is the whole reply but for a short sentence before it:
 *   a fence (json, tool_call, tool_code) or bare JSON of one of the offered tools
 *
 * A quote must not become a call. Nothing runs when the reply is an answer (it names its source, or goes on after the
 * markup), when the markup is in a fence, when the name is not that of an offered tool, or when the same text is
 * in a tool's result of this conversation: then data is being repeated. */
#ifndef AG_LLM_TEXT_CALLS_H
#define AG_LLM_TEXT_CALLS_H

#include "llm/llm.h"

typedef struct ag_text_calls {
	ag_llm_part *calls; /* TOOL_CALL, with ids; in arena */
	size_t ncall;
	size_t ncut; /* calls beyond the limit of one reply */
	ag_str text; /* the words without the markup of calls; a view of text or in arena */
	ag_str complaint; /* the reply was meant as a call that is not run: why, for the model; "" = it was not */
} ag_text_calls;

/* r: the tools that were offered, and the results that were shown. */
void ag_text_calls_read(ag_str text, const ag_llm_request *r, ag_arena *arena, ag_text_calls *ret);

/* The text without <think> blocks: one that begins a line, and everything up to a </think> whose beginning the server
 * left out. Text in code stays. A view of text or in arena. */
ag_str ag_text_without_thinking(ag_str text, ag_arena *arena);

#endif
