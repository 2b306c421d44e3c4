/* call -- one call of a tool: who calls, for how long, with which memory, and how its client hears of it.
 *
 * The loop, the MCP server and every other caller make an ag_call, check the input against the row (tool.h) and give both to
 * ag_tool_call(). That is the only place that runs a tool. For a governed row it also finds the project, asks for role,
 * scope and limits, and commits the audit row. A call lives on one thread, in an arena of its own. */
#ifndef AG_AGENT_CALL_H
#define AG_AGENT_CALL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "project/project.h"
#include "query/value.h"
#include "run/ctx.h"

typedef struct ag_tool ag_tool;
typedef struct ag_call ag_call;

/* How the client of a call is reached. A function is NULL where the client cannot be reached that way. */
typedef struct ag_client {
	void (*progress)(ag_call *c, double done, double total, ag_str message);
	void (*log)(ag_call *c, const char *level, const char *logger, ag_str data);
	ag_status (*ask)(ag_call *c, const char *method, ag_str params, ag_val *ret, ag_err *err);
} ag_client;

struct ag_call {
	const ag_tool *tool;
	const ag_caller *who; /* NULL only where no tool of the table is governed */
	ag_project_hub *hub;  /* NULL: governed tools are refused */
	const ag_project *
		project; /* the one project that calls of a conversation may name; NULL: the input's project_id
	                            * decides. While a governed tool runs: its project */
	ag_ctx ctx; /* deadline, cancel, progress counters */
	ag_arena *arena;
	void *env;      /* of the table of this tool */
	ag_str session; /* for the audit row; "" = none */
	int watch_fd; /* the client's socket: a statement stops when its peer goes away; -1 = none */
	const ag_client *client; /* NULL: nobody listens */
	bool wants_frame; /* the client draws results: the tool fills out->frame where its row has a frame */
	ag_project_call governed; /* of a governed tool while it runs */
	uint64_t seq;             /* of the proposal in the run's log; 0 = not of a run */
	/* Not NULL: a governed tool that ran has its row put off (later->journal is set): the caller withholds the output until
	 * that is committed, and if it cannot be replaces it with ag_tool_withhold(). */
	ag_project_later *later;
	/* Why a governed tool failed, set by a tool that knows more than an ag_err can hold, in the arena; NULL = its error
	 * says it. */
	const ag_sql_failure *failure;
	int64_t began_ms; /* monotonic; set by ag_tool_call() */
};

/* The output of a tool. Its buffers start empty and have the row's limit. The code that initialized the output releases them. */
typedef struct ag_tool_output {
	ag_buf json; /* one JSON object: for the log, the trace, a client's structured result */
	ag_buf content; /* JSON array of MCP content blocks for a client; empty = one text block: json as it is */
	/* One JSON object for the row's frame, beside json: a client that draws results has it as the member "view". Empty =
	 * none; one that is larger than AG_TOOL_MAX_FRAME is left out. */
	ag_buf frame;
	ag_str summary; /* one short line for the planner and people, in the call's arena; "" = none */
	ag_str target_id; /* PROPOSES: id of the candidate */
	bool is_error;    /* the call failed, and json says why in words for a model */
} ag_tool_output;

/* Bytes of an output when the row names no limit. */
#define AG_TOOL_MAX_OUTPUT (1u << 20)
#define AG_TOOL_MAX_FRAME  (16u << 20)

void ag_tool_output_init(ag_tool_output *out, const ag_tool *t);
void ag_tool_output_release(ag_tool_output *out);

/* Runs c->tool. `input` was checked with ag_tool_check_input().
 * AG_OK also when the tool failed in words (out->is_error). A governed call that is refused or fails is always AG_OK: its
 * output is the refusal in the form of the row.
 * errors  AG_LIMIT: the output is larger than the row allows; of the tool */
AG_CHECK ag_status ag_tool_call(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err);

/* The output becomes the refusal that its row could not be committed. */
void ag_tool_withhold(ag_call *c, const ag_err *why, ag_tool_output *out);

/* --- for tools --- */

/* Tells the client how far the call is; monotonic: a value that is not larger than the last one is left out. total 0 =
 * unknown. */
void ag_call_progress(ag_call *c, double done, double total, ag_str message);
/* A line for the client's log, at "debug" to "emergency". data: JSON text. */
void ag_call_log(ag_call *c, const char *level, const char *logger, ag_str data);
/* Asks the client (sampling/createMessage, elicitation/create, roots/list) and waits for its answer, which is in c->arena.
 * A client of MCP's stateless era is asked by the result: then this fails, the tool returns that failure, and is run again
 * from its beginning when the answer is there. So ask in the same order each time, before anything that has effects.
 * errors  AG_UNAVAILABLE: the client cannot be asked; AG_TIMEOUT; AG_CANCELLED; AG_PROTOCOL: it answered with an error */
AG_CHECK ag_status ag_call_ask(ag_call *c, const char *method, ag_str params, ag_val *ret,
                               ag_err *err);

#endif
