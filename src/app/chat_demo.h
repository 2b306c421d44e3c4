/* chat_demo -- a script in the place of a model, for the example shop: it knows a few questions and says so for all others.
 *
 * It stands where the network is: it reads the requests of the analyst and answers them, so that the statements run, and the
 * figures are proven, as they are with a model. It is used only when it is asked for. */
#ifndef AG_APP_CHAT_DEMO_H
#define AG_APP_CHAT_DEMO_H

#include "llm/llm.h"
#include "llm/transport.h"

/* Its project, so that its threads are beside those of a real model. */
#define AG_CHAT_DEMO_PROJECT "shop-demo-scripted"
#define AG_CHAT_DEMO_MODEL   "argus-demo-script"

/* The questions that it knows; the nth, "" = there are no more. */
ag_str ag_chat_demo_question(size_t n);
/* Answers every request from the script. Never fails to open. */
ag_transport *ag_chat_demo_transport(void);
/* A model that can be opened on a hub with that transport. */
void ag_chat_demo_model(ag_llm_model *ret);

#endif
