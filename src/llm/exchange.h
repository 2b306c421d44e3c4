/* exchange -- one attempt of a call: send, read what comes, say what it was. */
#ifndef AG_LLM_EXCHANGE_H
#define AG_LLM_EXCHANGE_H

#include "llm/hub.h"

/* What may follow. */
typedef enum ag_llm_next {
	AG_LLM_DONE,       /* the answer is whole */
	AG_LLM_FAIL,       /* the next attempt would end alike */
	AG_LLM_REFUSED,    /* 400 and friends: another form of the request may be taken */
	AG_LLM_AGAIN_ONCE, /* at most one more attempt */
	AG_LLM_AGAIN
} ag_llm_next;

typedef struct ag_llm_attempt {
	ag_llm *l;
	const ag_ctx *ctx;
	const char *purpose;
	ag_str body;
	bool is_stream;
	void (*on_delta)(void *arg, const ag_llm_delta *d);
	void *arg;
	/* Filled by ag_llm_try() */
	ag_acc *acc; /* what came; the caller frees it */
	ag_http_response response;
	ag_llm_next next;
	bool is_unsent; /* the breaker is open */
	ag_err error;   /* unless next is DONE */
} ag_llm_attempt;

void ag_llm_try(ag_llm_attempt *a, ag_arena *arena);

#endif
