/* anthropic -- the readers of anthropic_read.c, for anthropic.c. */
#ifndef AG_LLM_ANTHROPIC_H
#define AG_LLM_ANTHROPIC_H

#include "llm/wire.h"

ag_status ag_anthropic_read_reply(ag_str body, ag_acc *acc, ag_err *err);
ag_status ag_anthropic_read_event(ag_str name, ag_str data, ag_acc *acc, ag_err *err);

#endif
