/* state -- what a question's run has done so far: the transcript, and each call with what proves it.
 *
 * Changes only by events, so the log rebuilds it. */
#ifndef AG_ASK_STATE_H
#define AG_ASK_STATE_H

#include "agent/transcript.h"
#include "ask/answer.h"

typedef struct ag_ask_state {
	ag_arena *arena;
	ag_transcript transcript;
	ag_answer_call *calls; /* in order; the last one may wait for its result */
	size_t ncall, cap;
	bool has_final;
	ag_str final_text, partial_why;
	ag_str status, why; /* of the run, when it has ended */
	uint64_t input_tokens, output_tokens, model_calls;
	double usd;
} ag_ask_state;

void ag_ask_state_init(ag_ask_state *s, ag_arena *arena);
/* ag_agent.apply */
ag_status ag_ask_apply(void *state, const ag_event *ev, ag_err *err);
/* The words to print: the final text, else the newest words of the model. */
ag_str ag_ask_words(const ag_ask_state *s);

#endif
