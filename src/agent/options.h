/* options -- what a user can choose about the models of a run, whichever agent runs. Each row's field is one of
 * ag_model_choices. */
#ifndef AG_AGENT_OPTIONS_H
#define AG_AGENT_OPTIONS_H

#include <stdint.h>

#include "agent/setting.h"
#include "base/str.h"

typedef struct ag_model_choices {
	ag_str name;         /* of the planner's model; "" = found */
	uint64_t max_tokens; /* of all models, in and out; 0 = no limit */
	double max_cost;     /* of all models, US dollars; 0 = no limit */
} ag_model_choices;

extern const ag_setting ag_model_options[]; /* ends with a row without a key */

#endif
