/* wire_request -- what the writers of both protocols share. */
#ifndef AG_LLM_WIRE_REQUEST_H
#define AG_LLM_WIRE_REQUEST_H

#include "base/json.h"
#include "llm/wire.h"

#define AG_WIRE_MIN_THINKING 1024 /* less is refused by the API of Anthropic */

/* Something but white space: empty texts are refused by some servers. */
bool ag_wire_has_text(const ag_llm_part *p);
/* The input of a call that goes back: what the model wrote when it is an object, else {"invalid_json":"…"}, because
 * servers parse it and refuse or crash on broken JSON. In arena or a view of input. */
ag_str ag_wire_sent_input(ag_str input, ag_arena *arena);
/* The schema of the format for a way of asking: the union where a server takes it, the brief one in words. */
ag_str ag_wire_format_schema(const ag_llm_request *r, ag_llm_structured how);
/* Members of `extra`, a JSON object ("" = none), take the place of those of the same name in the request, at its end. */
void ag_wire_merge(ag_buf *request, ag_str extra);
/* errors  AG_INVALID: extra is not one JSON object, or sets what Argus writes itself (model, messages, stream, …) */
AG_CHECK ag_status ag_wire_check_extra(ag_str extra, ag_err *err);
/* A schema, or that of any object when there is none. */
ag_str ag_wire_schema(ag_str schema);
/* The last line of the system prompt that asks for the format; "" when none is needed. In arena. */
ag_str ag_wire_format_words(const ag_llm_request *r, ag_llm_structured how, ag_arena *arena);
/* Can a server enforce each letter of the schema ("strict")? Only when every object lists all its members as required
 * and allows no others: OpenAI refuses strict schemas that do not. */
bool ag_wire_schema_is_closed(ag_str schema);
/* Tokens to think with: the model's, so that a quarter of the request's output (256 at least) is left for the answer.
 * 0 = not asked for, or less than AG_WIRE_MIN_THINKING is left for it. */
unsigned ag_wire_thinking_budget(const ag_llm_model *m, const ag_llm_request *r);
/* The host of an address as users write it, without port; "" = none. A view. */
ag_str ag_wire_host(ag_str base_url);

#endif
