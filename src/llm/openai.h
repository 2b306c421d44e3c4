/* openai -- the readers of openai_read.c, for openai.c. */
#ifndef AG_LLM_OPENAI_H
#define AG_LLM_OPENAI_H

#include "llm/wire.h"

ag_status ag_openai_read_reply(ag_str body, ag_acc *acc, ag_err *err);
ag_status ag_openai_read_event(ag_str name, ag_str data, ag_acc *acc, ag_err *err);

#endif
