/* ask -- one question about a project: run it to its answer.
 *
 * A run writes its events to the store and leaves its answer there as the run's report (ask/answer.h). The model calls
 * tools; what it cites is checked against what was really read. */
#ifndef AG_ASK_ASK_H
#define AG_ASK_ASK_H

#include "agent/loop.h"
#include "ask/answer.h"
#include "ask/api.h"
#include "ask/options.h"
#include "ask/root.h"
#include "llm/llm.h"

#define AG_ASK_MAX_QUESTION_BYTES (32u * 1024)
#define AG_ASK_BUDGET             10 /* tool calls */
#define AG_ASK_DEADLINE_S         55.0

/* Under which name a run is kept; zero = a new id, beside the other questions about its folder. */
typedef struct ag_ask_record {
	ag_id run;
	ag_str key; /* source_key of the run; "" = "project:FOLDER" */
} ag_ask_record;

typedef struct ag_ask_opts {
	ag_str question; /* UTF-8, at most AG_ASK_MAX_QUESTION_BYTES */
	ag_root *root;
	ag_api *api;          /* NULL = no query_api */
	ag_str operations;    /* of the API, for the description of query_api; "" = unknown */
	unsigned api_methods; /* ag_api_method bits that the API gets; 0 = GET and HEAD */
	ag_llm *llm;
	ag_llm_meter *meter;
	ag_store *store;
	ag_ask_record record;
	void (*on_event)(void *arg, const ag_event *ev); /* NULL: nobody hears */
	void *on_event_arg;
	ag_ask_choices choices;    /* of the user: options.h */
	const ag_tool *more_tools; /* beside its own: of other MCP servers */
	size_t nmore_tool;
} ag_ask_opts;

typedef struct ag_ask_run_result {
	ag_id run;
	ag_run_result run_result;
	bool has_answer; /* the model said something, or a budget ended it: json is to be printed */
	ag_answer answer;
	ag_str json;         /* the answer as one line, without keys */
	const ag_str *notes; /* what was mended in citations, for standard error */
	size_t nnote;
} ag_ask_run_result;

/* ctx->deadline_ms is when the answer must be there: the model is asked for its last words before.
 * Texts in arena.
 * errors  only when the run could not even start; what fails later is in ret->run_result. */
AG_CHECK ag_status ag_ask_run(const ag_ctx *ctx, const ag_ask_opts *opts, ag_arena *arena,
                              ag_ask_run_result *ret, ag_err *err);

/* Keeps the answer of an offline run, or the reason why it failed or was cancelled, as runs with a model are kept.
 * record NULL = zero. errors  AG_CONFLICT: there is a run of that id */
AG_CHECK ag_status ag_ask_keep(const ag_ctx *ctx, ag_store *store, const ag_ask_record *record,
                               ag_answer *a, ag_arena *arena, ag_str *ret_json, ag_err *err);

extern const ag_agent ag_agent_ask;

/* --- prompt.c --- */

AG_CHECK ag_status ag_ask_prompt(const ag_ask_opts *o, ag_arena *arena, ag_str *ret_system,
                                 ag_str *ret_last_words, ag_err *err);
/* The tools that are offered, with their schemas. In arena. */
ag_llm_tool *ag_ask_offered(const ag_ask_opts *o, ag_arena *arena, size_t *ret_n);

#endif
