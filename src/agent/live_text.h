/* live_text -- what a model writes, for somebody who watches it being written: beside the log, without keys.
 *
 * Keys are taken out before a piece is shown, as they are before an event is committed: a piece that ends in what may be the
 * beginning of a key waits for the next one. What was shown is corrected when the reply turns out to be another one: a call
 * that was written as text is taken out of the words, and a reply that is asked for again is void. */
#ifndef AG_AGENT_LIVE_TEXT_H
#define AG_AGENT_LIVE_TEXT_H

#include "llm/llm.h"

/* Called on the run's thread, in the order of the pieces. A reply's pieces come before its proposal is an event. */
typedef struct ag_watch {
	void (*on_delta)(void *arg, const ag_llm_delta *d); /* NULL = nobody watches */
	/* The model's server failed and is asked once more in wait_ms; NULL = no notice. */
	void (*on_retry)(void *arg, const ag_err *why, int64_t wait_ms);
	void *arg;
} ag_watch;

#define AG_LIVE_MAX_CALLS 256u /* of one reply; further ones are not shown */

typedef struct ag_live_text {
	ag_watch to;
	ag_buf held; /* came, but not shown yet */
	ag_llm_delta_type type;
	unsigned call; /* of what is held */
	ag_buf words;  /* the text of the reply so far, as it came */
	bool has_shown;
	unsigned char calls[AG_LIVE_MAX_CALLS / 8]; /* that were shown, a bit each */
} ag_live_text;

void ag_live_text_init(ag_live_text *l, const ag_watch *to);
void ag_live_text_release(ag_live_text *l);
/* on_delta of a request; arg is an ag_live_text. */
void ag_live_text_take(void *arg, const ag_llm_delta *d);
/* on_retry of a request. */
void ag_live_text_retry(void *arg, const ag_err *why, int64_t wait_ms);
/* The reply is there, NULL = it failed: what is held is shown, and what differs is corrected. */
void ag_live_text_end(ag_live_text *l, const ag_llm_reply *r);
/* What was shown is void. r: the reply that counts instead, whole; NULL = another one follows. */
void ag_live_text_void(ag_live_text *l, const ag_llm_reply *r);

#endif
