/* The options that every agent has whose run asks models. Read the table.
 *
 * lint: table. They are one row and not one for each agent, because a second row would be a second name for one value. */
#include "agent/options.h"

#define FIELD(of) \
	.offset = offsetof(ag_model_choices, of), .size = sizeof(((ag_model_choices *)0)->of)
#define MAX_COUNT 9007199254740991.0 /* 2^53 - 1: every JSON reader keeps it exactly */

const ag_setting ag_model_options[] = {
	{ "audit", "model", AG_SET_TEXT, .unset = "auto", .fallback = "auto", FIELD(name),
	  .help = "The planner's model: a name of the models below, or what the server of the default "
	          "model calls it. auto: the model \"default\", that of LLM_API_BASE, or the only one.",
	  .flag = "model", .flag_arg = "NAME",
	  .flag_help = "the planner's model: see `argus models`" },
	{ "audit", "max_tokens", AG_SET_COUNT, .min = 1, .max = MAX_COUNT, .unset = "none",
	  .fallback = "none", FIELD(max_tokens),
	  .help = "Tokens, in and out, of all models of a run: no call is made beyond; then the report "
	          "is partial.",
	  .flag = "max-tokens", .flag_arg = "N", .flag_help = "tokens of all models, in and out" },
	{ "audit", "max_cost", AG_SET_NUMBER, .min = 0.000001, .max = 1000000, .unset = "none",
	  .fallback = "none", FIELD(max_cost),
	  .help = "US dollars of all models of a run: no call is made beyond; then the report is "
	          "partial.",
	  .flag = "max-cost", .flag_arg = "USD", .flag_help = "US dollars of all models" },
	{ 0 },
};
