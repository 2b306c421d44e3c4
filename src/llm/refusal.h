/* refusal -- what a server refuses of a request, and how to ask without it. */
#ifndef AG_LLM_REFUSAL_H
#define AG_LLM_REFUSAL_H

#include "llm/exchange.h"

/* The form of a request. */
typedef struct ag_llm_form {
	ag_llm_structured how; /* never AUTO */
	unsigned refused;      /* AG_LLM_NO_… */
	bool guessed; /* `how` was weakened on a 400 that did not say why: to be kept only when it helps */
} ag_llm_form;

/* As far as is known for that model. */
ag_llm_form ag_llm_form_of(const ag_llm *l);
/* The model as the wire shall see it. */
ag_llm_model ag_llm_form_model(const ag_llm *l, const ag_llm_form *f);
/* Reads an answer of 400 and friends. True when the request can be asked in another form, which is then in *f; what
 * the server named is kept for later calls. */
bool ag_llm_form_weaken(ag_llm *l, const ag_llm_request *r, const ag_llm_attempt *a, ag_llm_form *f,
                        ag_arena *arena);
/* Does an answer of 400, 500 and friends say that the server takes no tools? llama-server and some proxies say it with a
 * 500. */
bool ag_llm_refuses_tools(const ag_llm_attempt *a, ag_arena *arena);
/* The answer came: what was guessed is right. */
void ag_llm_form_works(ag_llm *l, const ag_llm_form *f);

#endif
