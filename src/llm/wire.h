/* wire -- how one provider's protocol looks: requests out, replies in. No network here, no clock: text to text.
 *
 * Readers are tolerant where real servers are (null, absent or parts as content, arguments as an object, missing ids,
 * unknown members and events) and say clearly what cannot be read. */
#ifndef AG_LLM_WIRE_H
#define AG_LLM_WIRE_H

#include "llm/llm.h"
#include "net/http.h"

#define AG_WIRE_MAX_HEADERS     8
#define AG_WIRE_MAX_REPLY_BYTES (16u << 20) /* text, thinking and inputs of one reply */
#define AG_WIRE_MAX_TOOL_CALLS  256

/* A reply under construction. accumulate.c. Growing texts are ag_bufs inside; free with ag_acc_release(). */
typedef struct ag_acc ag_acc;

ag_acc *ag_acc_new(void);
ag_acc *ag_acc_free(ag_acc *a); /* accepts NULL, returns NULL */
void ag_acc_on_delta(ag_acc *a, void (*fn)(void *arg, ag_llm_delta_type type, ag_str text),
                     void *arg);
/* Parts are addressed by the index that the protocol uses (content block, tool call); a new index opens a part. */
void ag_acc_text(ag_acc *a, unsigned index, ag_str delta);
void ag_acc_thinking(ag_acc *a, unsigned index, ag_str delta);
void ag_acc_signature(ag_acc *a, unsigned index, ag_str delta, bool is_redacted);
/* id and name may come in pieces or late or twice; "" = nothing new. */
void ag_acc_tool(ag_acc *a, unsigned index, ag_str id, ag_str name);
void ag_acc_tool_input(ag_acc *a, unsigned index, ag_str delta);
void ag_acc_model(ag_acc *a, ag_str model);
void ag_acc_stop(ag_acc *a, ag_llm_stop stop);
ag_llm_usage *ag_acc_usage(ag_acc *a);
void ag_acc_usage_known(ag_acc *a);
void ag_acc_done(ag_acc *a); /* the protocol's own end was seen */
bool ag_acc_is_done(const ag_acc *a);
bool ag_acc_is_empty(const ag_acc *a); /* nothing of the answer has come */
/* The reply so far, texts in arena. Calls without an id get one ("call_1"), unique in the reply.
 * format: the name of the format that was asked for ("" = none): ret->json is then the input of the call of that
 * tool, else the JSON object in the text (fenced or bare; the first complete one).
 * errors  AG_LIMIT when it outgrew AG_WIRE_MAX_REPLY_BYTES */
AG_CHECK ag_status ag_acc_reply(const ag_acc *a, ag_str format, ag_arena *arena,
                                ag_llm_reply *ret, ag_err *err);

/* The first complete JSON object in a text: bare, in a ``` fence, or between words. "" = none. A view of text. */
ag_str ag_json_in_text(ag_str text);

typedef struct ag_llm_wire {
	const char *name;     /* "openai": `provider` in the settings */
	const char *help;     /* one line */
	const char *base_url; /* when none is set */
	const char *key_env;  /* "ANTHROPIC_API_KEY" */
	const char *ask_path; /* behind base_url: "/v1/messages" */
	const char *list_path;
	ag_llm_structured best_structured;

	/* At most AG_WIRE_MAX_HEADERS, with the key; texts in arena. */
	size_t (*headers)(const ag_llm_model *m, ag_arena *arena, ag_http_header *ret);
	/* The request's JSON; byte for byte the same for the same input. `how` is never AUTO. */
	void (*request)(const ag_llm_model *m, const ag_llm_request *r, ag_llm_structured how,
	                bool stream, ag_buf *out);
	/* A whole JSON answer. errors AG_PROTOCOL, or the error that the body carries */
	ag_status (*reply)(ag_str body, ag_acc *acc, ag_err *err);
	/* One event of a stream. errors  the error that the event carries: AG_UNAVAILABLE when it is worth another
	 * attempt (overloaded, rate limit, server error), else AG_INVALID and friends; AG_PROTOCOL */
	ag_status (*event)(ag_str name, ag_str data, ag_acc *acc, ag_err *err);
} ag_llm_wire;

extern const ag_llm_wire ag_llm_wire_openai, ag_llm_wire_anthropic;
const ag_llm_wire *const *ag_llm_wires(size_t *ret_n);
const ag_llm_wire *ag_llm_wire_find(ag_str name);

/* "error.message" (or its many other homes) of an error body, "" = none; cut to 300 bytes, on one line. In arena. */
ag_str ag_wire_error_text(ag_str body, ag_arena *arena);
/* Names of the models that a list answer holds ({"data":[{"id":…}]}, {"models":[{"name":…}]}). In arena. */
AG_CHECK ag_status ag_wire_model_list(ag_str body, ag_arena *arena, ag_str **ret, size_t *nret,
                                      ag_err *err);

#endif
