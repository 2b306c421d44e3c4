/* llm -- one interface over every model server: ask, get text, thinking, tool calls, usage.
 *
 * A hub holds what calls share: connections, circuit breakers per origin, the price table, and how bytes travel (over
 * the network, recorded, or replayed from a file). It is thread safe. An ag_llm is one named model of the settings,
 * opened on a hub; it serves one thread at a time and is cheap.
 *
 * To add a provider: 1. llm/<name>.c with a `const ag_llm_wire` (wire.h); 2. its row in ag_llm_wires[] of wire.c;
 * 3. its cases in tests/cases/llm/. */
#ifndef AG_LLM_LLM_H
#define AG_LLM_LLM_H

#include "base/arena.h"
#include "base/err.h"
#include "llm/meter.h"
#include "run/ctx.h"

typedef struct ag_llm_hub ag_llm_hub;
typedef struct ag_llm ag_llm;

/* How a server is made to answer in JSON of a schema. AUTO: the provider's best; what a server refuses (400) is not
 * asked of its endpoint again, the next weaker way is taken. */
typedef enum ag_llm_structured {
	AG_LLM_STRUCTURED_AUTO,
	AG_LLM_STRUCTURED_SCHEMA, /* response_format json_schema */
	AG_LLM_STRUCTURED_TOOL,   /* a forced call of one tool that has the schema */
	AG_LLM_STRUCTURED_PROMPT  /* asked for in words, read out of the text */
} ag_llm_structured;

/* How a request describes tools, and how the model calls them. */
typedef enum ag_llm_tools {
	AG_LLM_TOOLS_AUTO,   /* natively; in words where the server refuses them */
	AG_LLM_TOOLS_NATIVE, /* never in words */
	AG_LLM_TOOLS_TEXT    /* always in words: text_protocol.h */
} ag_llm_tools;

typedef enum ag_llm_thinking { AG_LLM_THINKING_AUTO, AG_LLM_THINKING_OFF } ag_llm_thinking;

/* One named model of the settings. */
typedef struct ag_llm_model {
	ag_str name;                /* in argus.yaml; "env" for the one of the environment */
	ag_str provider;            /* "openai", "anthropic" */
	ag_str base_url;            /* as users write it, with or without /v1 */
	ag_str model;               /* what the server calls it */
	ag_str key;                 /* secret; "" = none is sent */
	unsigned max_output_tokens; /* 0 = 4096 */
	unsigned thinking_tokens;   /* 0 = no thinking is asked for */
	double temperature;         /* < 0 = not sent */
	ag_llm_structured structured;
	ag_llm_tools tools;
	ag_llm_thinking
		thinking; /* OFF: asked for as far as the server knows a way; thinking_tokens is then 0 */
	ag_str extra_body; /* JSON object: further members of each request, "" = none; checked by ag_llm_open() */
	bool no_stream;    /* ask without streaming */
	unsigned attempts; /* of one call, 0 = 4 */
	/* Of one attempt; 0 = 10 s, 120 s, 60 s, 600 s. What took total_ms is not tried again. */
	int64_t connect_ms, first_byte_ms, idle_ms, total_ms;
	/* USD per million tokens; < 0 = of the price table, else 0 when its server is on this machine. */
	double input_price, output_price;
	/* AG_LLM_NO_…: what the server was seen to refuse. Set by ask.c for wire.request(). */
	unsigned refused;
} ag_llm_model;

/* Members of a request that a server answered with 400, and that are left out from then on (per origin and model). A
 * refused temperature needs no bit: it becomes -1. */
#define AG_LLM_NO_STREAM_OPTIONS 1u  /* no "stream_options" */
#define AG_LLM_NO_MAX_TOKENS     2u  /* "max_completion_tokens" instead of "max_tokens" */
#define AG_LLM_NO_TOOLS          4u  /* tools are described in words */
#define AG_LLM_NO_THINKING_WORDS 8u  /* no member that switches thinking off */
#define AG_LLM_NO_STREAM         16u /* the answer is asked for as a whole */

void ag_llm_model_init(ag_llm_model *m); /* prices and temperature -1, all else 0 */

typedef enum ag_llm_role { AG_LLM_USER, AG_LLM_ASSISTANT } ag_llm_role;

typedef enum ag_llm_part_type {
	AG_LLM_TEXT,
	AG_LLM_THINKING,
	AG_LLM_TOOL_CALL,
	AG_LLM_TOOL_RESULT /* in a user message */
} ag_llm_part_type;

typedef struct ag_llm_part {
	ag_llm_part_type type;
	ag_str text;      /* text, thinking, or a tool's result */
	ag_str signature; /* THINKING, and TOOL_CALL of Gemini: opaque, to be sent back as it came */
	bool is_redacted; /* THINKING: only the signature is there */
	ag_str id, name;  /* TOOL_CALL and its TOOL_RESULT share the id */
	ag_str input; /* TOOL_CALL: what the model wrote, byte for byte; "{}" when it wrote nothing. May be
	                   * broken JSON: whoever runs the tool tells the model so */
	bool is_error; /* TOOL_RESULT */
	bool cache_here; /* everything up to here is the same in the next request: mark it for the server's cache */
} ag_llm_part;

typedef struct ag_llm_message {
	ag_llm_role role;
	const ag_llm_part *parts;
	size_t npart;
} ag_llm_message;

typedef struct ag_llm_tool {
	ag_str name, help, schema; /* schema: JSON object */
	bool has_effect; /* it may change something outside: a call in plain text needs a reply of its own */
} ag_llm_tool;

typedef enum ag_llm_choice {
	AG_LLM_CHOICE_AUTO,
	AG_LLM_CHOICE_NONE,
	AG_LLM_CHOICE_ANY
} ag_llm_choice;

typedef enum ag_llm_delta_type {
	AG_LLM_DELTA_TEXT,
	AG_LLM_DELTA_THINKING,
	AG_LLM_DELTA_CALL,  /* a tool call begins; text: the name of the tool */
	AG_LLM_DELTA_INPUT, /* a piece of the input of that call */
	AG_LLM_DELTA_VOID   /* what was shown of this answer is void: it begins again */
} ag_llm_delta_type;

/* A piece of an answer, as it comes. */
typedef struct ag_llm_delta {
	ag_llm_delta_type type;
	ag_str text;
	unsigned call; /* CALL, INPUT: which call of the answer, from 0 */
	/* The next one, or the end of the answer, was received with it: showing it can wait for that. */
	bool more;
} ag_llm_delta;

typedef struct ag_llm_request {
	const char
		*purpose; /* "planner", "self", "judge", "chat": for usage, record and messages */
	const ag_llm_part *system; /* TEXT parts */
	size_t nsystem;
	const ag_llm_message *messages;
	size_t nmessage;
	const ag_llm_tool *tools;
	size_t ntool;
	ag_llm_choice choice;
	/* The answer shall be one JSON object of this schema; name of letters, digits, _ ; "" = free text. */
	ag_str format_name, format_schema;
	/* The same for servers that take a union at the top ("oneOf"), and for a prompt, where each byte counts; "" = as
	 * above. */
	ag_str format_union, format_brief;
	unsigned max_output_tokens; /* 0 = the model's */
	ag_llm_meter *meter;        /* budget and usage; NULL = nobody counts */
	/* As the answer comes, on the caller's thread; NULL = nobody looks. A call is shown from the first piece of its
	 * input. Before a retry of an answer of which something was shown: AG_LLM_DELTA_VOID. */
	void (*on_delta)(void *arg, const ag_llm_delta *d);
	/* An attempt failed and another one follows in wait_ms; NULL = no notice. */
	void (*on_retry)(void *arg, const ag_err *why, int64_t wait_ms);
	void *arg;
} ag_llm_request;

typedef enum ag_llm_stop {
	AG_LLM_STOP_END,
	AG_LLM_STOP_LENGTH, /* max_output_tokens reached: the answer is cut */
	AG_LLM_STOP_TOOLS,
	AG_LLM_STOP_REFUSAL, /* refusal, content filter */
	AG_LLM_STOP_OTHER    /* the server named none that is known, or none at all */
} ag_llm_stop;

typedef struct ag_llm_reply {
	const ag_llm_part *parts; /* in order; no TOOL_RESULT */
	size_t npart;
	ag_str text; /* all text parts, joined */
	ag_str json; /* when a format was asked for: the JSON object in the answer, "" = there is none */
	ag_str model; /* as the server names it, "" = it did not */
	/* The text was meant as a call that is not run: why, in words for the model; "" = it was not (text_calls.h). The
	 * markup is not in text. */
	ag_str complaint;
	size_t ncut; /* calls beyond AG_WIRE_MAX_TOOL_CALLS, which are not among the parts */
	ag_llm_stop stop;
	ag_llm_usage usage;
	unsigned attempts;
	int64_t latency_ms, first_byte_ms;
} ag_llm_reply;

typedef struct ag_llm_hub_opts {
	ag_str record;         /* file to write every exchange to, "" = none; keys are left out */
	ag_str replay;         /* file to answer from, without network; not together with record */
	ag_str prices;         /* text of a price table, "" = the embedded one */
	const ag_clock *clock; /* NULL = the system's */
	uint64_t jitter_seed;  /* of the back-off */
	int64_t backoff_ms; /* the first wait is at most so long, 0 = 500; each later one twice as much, up to 60 times */
	struct ag_transport *
		transport; /* instead of the network, owned from now on also on failure; NULL = network */
} ag_llm_hub_opts;

/* errors  AG_NOT_FOUND, AG_IO, AG_INVALID (a file that is no recording: names the line) */
AG_CHECK ag_status ag_llm_hub_open(const ag_llm_hub_opts *o, ag_llm_hub **ret, ag_err *err);
/* When the recording was begun that this hub answers from (wall time); 0 when it does not say, or nothing is replayed. */
int64_t ag_llm_hub_recorded_at(const ag_llm_hub *hub);
/* Ends the recording; an error that was met while it was written is told here. */
AG_CHECK ag_status ag_llm_hub_finish(ag_llm_hub *hub, ag_err *err);
ag_llm_hub *ag_llm_hub_close(ag_llm_hub *hub); /* accepts NULL, returns NULL */

/* Texts of m are copied. errors  AG_INVALID: provider, address or key cannot be used (names the setting) */
AG_CHECK ag_status ag_llm_open(ag_llm_hub *hub, const ag_llm_model *m, ag_llm **ret, ag_err *err);
ag_llm *ag_llm_close(ag_llm *l); /* accepts NULL, returns NULL */
const ag_llm_model *ag_llm_model_of(const ag_llm *l);
bool ag_llm_is_priced(const ag_llm *l); /* else its cost cannot be counted */

/* One answer. Calls that the model wrote as text are among the parts like native ones, with their markup taken out of
 * the text; <think> blocks are taken out of the text as well. 408, 409, 425, 429, 5xx, 529, a lost connection and a cut stream are tried again with exponential
 * back-off and jitter, after Retry-After when the server names one, never beyond the run's deadline; nothing is sent
 * to an origin whose circuit is open. Usage, also of failed attempts, is charged to the meter.
 *
 * ret      texts in arena; on failure parts and text hold what came before the end
 * errors   AG_LIMIT: the meter's budget does not allow the call (meter->exhausted), or the answer is too large;
 *          AG_DENIED (401, 403: names the setting of the key, never the key), AG_NOT_FOUND (404: model or path),
 *          AG_INVALID (400, 413, 422: what the server said), AG_UNAVAILABLE, AG_TIMEOUT, AG_PROTOCOL, AG_CANCELLED.
 *          native = HTTP status when there was one. Each says after how many attempts. */
AG_CHECK ag_status ag_llm_ask(ag_llm *l, const ag_ctx *ctx, const ag_llm_request *r,
                              ag_arena *arena, ag_llm_reply *ret, ag_err *err);

typedef struct ag_llm_ping {
	int64_t latency_ms;
	bool lists_models; /* the server has a list */
	bool has_model;    /* and the model is in it */
	size_t nmodel;
	ag_str nearest; /* of the list, when has_model is false; "" = none is near */
} ag_llm_ping;

/* Is the server there, does it take the key, does it know the model? Asks for its list of models (GET), once, with at
 * most 10 s; costs no tokens. */
AG_CHECK ag_status ag_llm_ping_model(ag_llm *l, const ag_ctx *ctx, ag_arena *arena,
                                     ag_llm_ping *ret, ag_err *err);

#endif
