/* state -- what one question of a conversation has brought so far, made from its events alone: replies and their calls,
 * the results with their statements, the failures that count, the final words. */
#ifndef AG_ANALYST_STATE_H
#define AG_ANALYST_STATE_H

#include "agent/transcript.h"
#include "analyst/known.h"
#include "analyst/result.h"

/* One call that asked for data, with what it gave. */
typedef struct ag_analyst_query {
	uint64_t seq; /* of its proposal */
	ag_str tool;
	ag_str sql;   /* as the model wrote it; "" = a call without SQL */
	ag_val input; /* of the call; missing when it is no object */
	ag_analyst_result result;
	ag_str name;   /* of a table, in this conversation: "r1" */
	int64_t at_ms; /* wall time of its output */
	int64_t latency_ms;
	bool has_output;
	bool is_refused; /* it was not run: error in result */
} ag_analyst_query;

typedef struct ag_analyst_state {
	ag_arena *arena;
	size_t result_bytes; /* of a result, shown to the model */
	unsigned ntable;  /* tables of the conversation so far: the next one is "r<ntable + 1>" */
	unsigned retries; /* failures that are followed by another try */
	ag_transcript transcript;
	ag_analyst_query *queries;
	size_t nquery, cap;
	unsigned nfailed;           /* calls that failed or were refused */
	unsigned nfailed_reply;     /* replies that held such a call */
	size_t last_failed_reply;   /* 1-based number of the reply; 0 = none */
	unsigned nrejected;         /* final texts that the run gate sent back */
	const ag_str *rejected;     /* these texts, oldest first */
	const ag_str *rejected_why; /* what the gate said of each */
	ag_str doubt;               /* what the run gate says of the last one; "" = nothing */
	ag_str question, user, project, thread; /* of run_started */
	ag_analyst_known known;                 /* of run_started and of searches */
	bool has_final;
	ag_str final, partial_why;
	bool is_finished;
	ag_str status, why; /* of run_finished */
	uint64_t input_tokens, output_tokens, model_calls;
	double usd;
	ag_str model; /* the last that answered */
	unsigned sittings;
} ag_analyst_state;

#define AG_ANALYST_RESULT_BYTES (12u * 1024)
#define AG_ANALYST_RETRIES      3u

void ag_analyst_state_init(ag_analyst_state *s, ag_arena *arena);
/* ag_agent.apply; state: an ag_analyst_state. */
AG_CHECK ag_status ag_analyst_apply(void *state, const ag_event *ev, ag_err *err);
/* The call of a proposal; NULL = that proposal asked for no data. */
const ag_analyst_query *ag_analyst_query_of(const ag_analyst_state *s, uint64_t seq);
/* Are the retries used up? Then no more statement is run, and the model must explain. A whole batch that fails at once
 * still gets one more try. */
bool ag_analyst_gave_up(const ag_analyst_state *s);
/* The statement of a call's input: its member "query" or "sql"; "" = it has none. */
ag_str ag_analyst_sql_of(const ag_val *input);

#endif
