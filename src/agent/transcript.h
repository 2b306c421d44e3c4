/* transcript -- a conversation with native tool calls, rebuilt from the log: what a chat planner shows its model.
 *
 * A turn is one reply of the model: words, and calls with what came of each. Proposals, outputs and critiques of the log
 * are applied in order; an agent's apply() passes its events on. An agent that shows a model less or more than a tool's
 * JSON puts the text into the member "text" of the observation, and "ok": false when it is a failure. */
#ifndef AG_AGENT_TRANSCRIPT_H
#define AG_AGENT_TRANSCRIPT_H

#include "agent/gate.h"
#include "llm/llm.h"
#include "run/event.h"

typedef struct ag_turn_call {
	ag_str id, name, input, signature; /* as the model wrote them */
	uint64_t seq; /* of its proposal in the log; 0 = it was not proposed yet */
	ag_str result;
	bool has_result, is_error;
} ag_turn_call;

typedef struct ag_turn_thought {
	ag_str text, signature;
	bool is_redacted;
} ag_turn_thought;

typedef struct ag_turn {
	ag_turn_thought *thoughts;
	size_t nthought;
	ag_str text;
	ag_turn_call *calls;
	size_t ncall;
	uint64_t ncut;   /* further calls of the reply that were not taken */
	ag_str critique; /* of the run gate, behind a final turn; "" = none */
} ag_turn;

typedef struct ag_transcript {
	ag_arena *arena; /* of what is kept; set by the owner */
	ag_turn *turns;
	size_t nturn, cap;
	size_t next;        /* of the last turn: calls that were proposed */
	size_t ncall;       /* proposed in all turns */
	int64_t longest_ms; /* of the model's replies */
} ag_transcript;

/* payload: that of ev, parsed; may be freed afterwards. Returns the call that this event is about, or NULL. */
ag_turn_call *ag_transcript_apply(ag_transcript *t, const ag_event *ev, const ag_val *payload);
/* The call of the last turn that was not proposed yet, or NULL. */
const ag_turn_call *ag_transcript_pending(const ag_transcript *t);
/* The newest words of the model, "" when it never said any. */
ag_str ag_transcript_last_text(const ag_transcript *t);
/* The turn of a reply as JSON, for ag_proposal.turn. In arena. */
ag_str ag_transcript_turn_json(const ag_llm_reply *r, ag_arena *arena);

/* An earlier turn of a conversation: what the user asked, and what the run that answered it did. */
typedef struct ag_earlier {
	ag_str question;
	ag_transcript turns;
	ag_str answer; /* the final text, "" = the run ended without one */
} ag_earlier;

/* Of the log of a run whose run_started has a "question". Texts in arena. errors  AG_INVALID: a payload is no JSON object */
AG_CHECK ag_status ag_earlier_read(const ag_event *events, size_t n, ag_arena *arena,
                                   ag_earlier *ret, ag_err *err);

/* What a request says. */
typedef struct ag_conversation {
	const ag_earlier *earlier;
	size_t nearlier;
	ag_str question;
	const ag_transcript *turns; /* since the question */
	ag_str unanswered;          /* the result of a call that has none */
	ag_str more;                /* said last, by the user; "" = nothing */
	size_t question_at;         /* filled: which message holds the question */
} ag_conversation;

/* Its messages, in arena; texts are views. Thoughts of earlier turns are left out: they are a model's own, which may have been
 * another one. */
ag_llm_message *ag_transcript_messages(ag_conversation *c, ag_arena *arena, size_t *ret_n);
/* The newest of them, at most max (2 or more). The question stays. The first message that is left is one of the user, and
 * no result of a tool is left whose call was cut off. *n counts them before and after. */
ag_llm_message *ag_transcript_prune(ag_llm_message *messages, size_t *n, size_t max,
                                    size_t question_at, ag_arena *arena);

#endif
