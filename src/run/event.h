/* event -- what happens in a run, in an append-only log (DESIGN sections 1 and 9).
 *
 * The log is the spine: the store keeps it, terminal and JSON trace only render it, state is
 * rebuilt from it. The payload is one JSON object whose fields are documented in docs/events.md.
 * Unknown types are kept as they are. An intent (tool_input) is committed before a tool runs, its
 * output after. */
#ifndef AG_RUN_EVENT_H
#define AG_RUN_EVENT_H

#include "base/arena.h"
#include "run/id.h"

#define AG_EVENT_VERSION 1

/* name | text | durable against power loss | meaning */
#define AG_EVENT_TABLE(X)                                                            \
	X(RUN_STARTED, "run_started", true, "agent, source, settings, versions")     \
	X(RUN_RESUMED, "run_resumed", true, "a run that stood still goes on")        \
	X(HISTORY, "history", true, "what earlier runs found, and what holds today") \
	X(PROPOSAL, "proposal", false, "what the planner wants to do next")          \
	X(TEXT_DELTA, "text_delta", false, "a piece of text for the user")           \
	X(TOOL_INPUT, "tool_input", true, "a tool call is about to run")             \
	X(TOOL_OUTPUT, "tool_output", true, "what a tool call gave, or its error")   \
	X(VERDICT, "verdict", true, "what a gate said, and of which target")         \
	X(CRITIQUE, "critique", false, "the text that the next prompt will carry")   \
	X(FINDING, "finding", true, "a finding was committed, changed or dismissed") \
	X(REVIEW, "review", true, "a person's word on a finding")                    \
	X(ARTIFACT, "artifact", true, "a drawing, table or file for the user")       \
	X(USAGE, "usage", false, "tokens and money of one model call")               \
	X(ERROR, "error", true, "something failed")                                  \
	X(RUN_FINISHED, "run_finished", true, "status, verdict, why it ended")

typedef enum ag_event_type {
#define X(name, text, durable, meaning) AG_EV_##name,
	AG_EVENT_TABLE(X)
#undef X
		AG_EV_UNKNOWN
} ag_event_type;

typedef struct ag_event {
	int v;
	ag_id run;
	uint64_t seq; /* 1, 2, 3 … within the run */
	ag_event_type type;
	ag_str type_text; /* set for AG_EV_UNKNOWN, else "" */
	ag_id call_id;    /* tool_input and its tool_output share it; "" = none */
	uint64_t cause;   /* seq of the event that led to this one; 0 = none */
	int64_t at_ms;    /* wall time */
	ag_str payload;   /* one JSON object */
} ag_event;

/* "unknown" for AG_EV_UNKNOWN, whose own name is in type_text. */
const char *ag_event_type_text(ag_event_type t);
bool ag_event_type_durable(ag_event_type t);
ag_event_type ag_event_type_parse(ag_str text);
/* {"v":1,"run":…,"seq":…,"type":…,"call_id":…,"cause":…,"at":"…Z","payload":{…}} on one line,
 * without a line break at its end. All keys are always there: call_id and cause are null when there
 * is none. */
void ag_event_json(const ag_event *ev, ag_buf *out);

#endif
