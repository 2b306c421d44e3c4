/* The options of conversations: every one with its type, limits, default and help. Read the table.
 *
 * lint: table. */
#include "analyst/options.h"

#define FIELD(name)                                   \
	.offset = offsetof(ag_analyst_choices, name), \
	.size = sizeof(((ag_analyst_choices *)0)->name)

const ag_setting ag_analyst_options[] = {
	{ "chat", "chat_steps", AG_SET_COUNT, .min = 1, .max = 1000, .fallback = "50", FIELD(steps),
	  .help = "Steps of the model for one question of a conversation; then it must answer with what it "
	          "has." },
	{ "chat", "chat_deadline", AG_SET_NUMBER, .min = 1, .max = 86400, .fallback = "300",
	  FIELD(deadline),
	  .help = "Seconds after which a question of a conversation is answered, "
	          "whole or partial.",
	  .flag = "deadline", .flag_arg = "SECONDS",
	  .flag_help = "of one question; the answer is there by then (default 300)" },
	{ "chat", "chat_retries", AG_SET_COUNT, .min = 0, .max = 20, .fallback = "3",
	  FIELD(retries),
	  .help = "Failed calls of one question after which the model may try again. After one more it must "
	          "explain what went wrong." },
	{ "chat", "chat_messages", AG_SET_COUNT, .min = 4, .max = 1000, .fallback = "20",
	  FIELD(messages),
	  .help = "Messages of the conversation that the model is shown, beside its instructions." },
	{ "chat", "chat_result_bytes", AG_SET_COUNT, .min = 500, .max = 1048576,
	  .fallback = "12288", FIELD(result_bytes),
	  .help = "Bytes of a result that the model is shown. The user sees all of it. Less for a model with "
	          "a small context." },
	{ "chat", "chat_dictionary_bytes", AG_SET_COUNT, .min = 1000, .max = 1048576,
	  .fallback = "49152", FIELD(dictionary_bytes),
	  .help = "Bytes of the data dictionary in the model's instructions. What does not fit is ranked by "
	          "the question." },
	{ "chat", "chat_knowledge_bytes", AG_SET_COUNT, .min = 1000, .max = 1048576,
	  .fallback = "24576", FIELD(knowledge_bytes),
	  .help = "Bytes of the knowledge base in the model's instructions. What does not fit is ranked by "
	          "the question, and the tool search_knowledge finds the rest." },
	{ 0 },
};
