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
/* JSON values in one answer, event or error: no model writes so many, and they take some 30 MB while they are read. */
#define AG_WIRE_MAX_VALUES 250000

/* A reply under construction. accumulate.c. Growing texts are ag_bufs inside; free with ag_acc_release(). */
typedef struct ag_acc ag_acc;

ag_acc *ag_acc_new(void);
ag_acc *ag_acc_free(ag_acc *a); /* accepts NULL, returns NULL */
void ag_acc_on_delta(ag_acc *a, void (*fn)(void *arg, const ag_llm_delta *d), void *arg);
/* Parts are addressed by the index that the protocol uses (content block, tool call); a new index opens a part. */
void ag_acc_text(ag_acc *a, unsigned index, ag_str delta);
void ag_acc_thinking(ag_acc *a, unsigned index, ag_str delta);
void ag_acc_signature(ag_acc *a, unsigned index, ag_str delta, bool is_redacted);
/* id and name may come late or twice, a name in pieces as well; "" = nothing new. */
void ag_acc_tool(ag_acc *a, unsigned index, ag_str id, ag_str name);
void ag_acc_tool_input(ag_acc *a, unsigned index, ag_str delta);
void ag_acc_model(ag_acc *a, ag_str model);
void ag_acc_stop(ag_acc *a, ag_llm_stop stop);
ag_llm_usage *ag_acc_usage(ag_acc *a);
void ag_acc_usage_known(ag_acc *a);
/* The protocol's own end was seen: the answer is whole. Usage may still follow: read on to the end of the stream. */
void ag_acc_done(ag_acc *a);
bool ag_acc_is_done(const ag_acc *a);
bool ag_acc_is_empty(const ag_acc *a); /* nothing of the answer has come */
/* The reply so far, texts in arena. Calls without an id get one ("call_1"), unique in the reply. The stop reason is
 * made to fit what came: TOOLS exactly when there are calls to be run, unless the answer was cut or refused.
 * Usage: what the server gave; when it gave none, or 0 for an answer that is not empty, or the answer is not whole and says more
 * than was counted, output is estimated (is_estimated). Input is then for the caller to estimate, who knows the request.
 *
 * format   the name of the format that was asked for ("" = none): ret->json is then the input of the call of that
 *          tool, else the JSON object in the text (fenced or bare; the first complete one)
 * ret      is filled on failure, too: what came before the limit
 * errors   AG_LIMIT when it outgrew AG_WIRE_MAX_REPLY_BYTES or AG_WIRE_MAX_TOOL_CALLS */
AG_CHECK ag_status ag_acc_reply(const ag_acc *a, ag_str format, ag_arena *arena, ag_llm_reply *ret,
                                ag_err *err);

/* The first complete JSON object in a text: bare, in a ``` fence, or between words; behind <think> tags. Objects that
 * are not JSON (a trailing comma) are passed over, never repaired. "" = none. A view of text. */
ag_str ag_json_in_text(ag_str text);

typedef struct ag_llm_wire {
	const char *name;     /* "openai": `provider` in the settings */
	const char *help;     /* one line */
	const char *base_url; /* when none is set */
	const char *key_env;  /* "ANTHROPIC_API_KEY" */
	const char *ask_path; /* behind base_url: "/v1/messages" */
	const char *list_path;
	/* A base address that has a path is complete (".../api/v1", ".../v1beta/openai"); else /v1 is between. */
	bool base_has_version;
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

/* The address of a request. `path` is w->ask_path or w->list_path; base_url is as users write it ("" = w->base_url):
 *   openai     http://host:8080                  a base without any path gets /v1
 *              https://openrouter.ai/api/v1      a base with a path is taken as it is
 *              https://host/x/chat/completions   is the full address already; the list is its neighbour
 *   anthropic  https://host, https://host/v1, https://host/anthropic, …/v1/messages: the same rule, but only a last /v1
 *              counts as version
 * A query behind the base stays behind the path. */
ag_str ag_wire_url(const ag_llm_wire *w, ag_str base_url, const char *path, ag_arena *arena);
/* The most tokens that this request lets the model write, thinking included: the request's own number, else the model's
 * (0 = 4096) and its thinking on top. It is what requests hold as max_tokens, and what a budget has to admit. */
unsigned ag_wire_max_output(const ag_llm_model *m, const ag_llm_request *r);

/* "error.message" (or its many other homes) of an error body, "" = none; cut to 300 bytes, on one line; what looks
 * like a key is replaced. In arena. */
ag_str ag_wire_error_text(ag_str body, ag_arena *arena);
/* Fills err with what an error answer means, hint included, and returns its status: AG_UNAVAILABLE when it is worth
 * another attempt, AG_DENIED, AG_NOT_FOUND, else AG_INVALID.
 * http_status  of the answer, or 0 (an error inside a 200): it decides where the body says nothing clearer */
ag_status ag_wire_fail(const char *origin, ag_str body, int http_status, ag_err *err);
/* Names of the models that a list answer holds ({"data":[{"id":…}]}, {"models":[{"name":…}]}). In arena. */
AG_CHECK ag_status ag_wire_model_list(ag_str body, ag_arena *arena, ag_str **ret, size_t *nret,
                                      ag_err *err);

#endif
