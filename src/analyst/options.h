/* options -- what a user can choose about conversations. Each row's field is one of ag_analyst_choices. */
#ifndef AG_ANALYST_OPTIONS_H
#define AG_ANALYST_OPTIONS_H

#include <stdint.h>

#include "agent/setting.h"
#include "base/str.h"

typedef struct ag_analyst_choices {
	uint64_t steps;            /* of a turn; 0 = AG_ANALYST_STEPS */
	double deadline;           /* seconds of a turn; 0 = AG_ANALYST_DEADLINE_S */
	uint64_t retries;          /* UINT64_MAX = AG_ANALYST_RETRIES */
	uint64_t messages;         /* of the conversation, in a request */
	uint64_t result_bytes;     /* of a result, shown to the model */
	uint64_t dictionary_bytes; /* of the dictionary, in the prompt */
	uint64_t knowledge_bytes;  /* of the knowledge base, in the prompt */
} ag_analyst_choices;

#define AG_ANALYST_STEPS      50u
#define AG_ANALYST_DEADLINE_S 300.0
#define AG_ANALYST_MESSAGES   20u

extern const ag_setting ag_analyst_options[]; /* ends with a row without a key */

#endif
