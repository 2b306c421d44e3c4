/* planner_chat -- a planner that talks: the model calls tools natively and ends with words.
 *
 * The calls of one reply are proposed one after another, so that each has its gate, its intent and its output in the log;
 * the model is asked again when all are answered. When a budget runs out, or the time that is left is only enough for one
 * more reply, the model is asked for its last words without tools. */
#ifndef AG_AGENT_PLANNER_CHAT_H
#define AG_AGENT_PLANNER_CHAT_H

#include "agent/live_text.h"
#include "agent/loop.h"
#include "agent/transcript.h"

typedef struct ag_chat_opts {
	ag_llm *llm;
	ag_llm_meter *meter;             /* NULL = nobody counts */
	const ag_transcript *transcript; /* kept by the agent's apply() */
	const char *purpose;             /* "ask", "chat" */
	const ag_earlier *earlier;       /* of the same conversation, in front of the question */
	size_t nearlier;
	ag_str system, first;     /* system prompt; what the user asked */
	const ag_llm_tool *tools; /* offered */
	size_t ntool;
	ag_str last_words; /* what the user says when the model must answer now */
	ag_str unanswered; /* the result of a call that was not made any more */
	ag_watch watch;    /* who sees the replies as they come */
	/* Messages of a request at most, the system prompt not counted, at least 4; 0 = all. See ag_transcript_prune(). */
	size_t max_messages;
	/* Why the model must answer now, without tools; "" = it may go on. NULL = always. arg: must_end_arg */
	ag_str (*must_end)(void *arg);
	void *must_end_arg;
} ag_chat_opts;

/* Lives in arena, as do the options' texts; close() has nothing to do. */
ag_planner *ag_planner_chat_new(const ag_chat_opts *o, ag_arena *arena);

#endif
