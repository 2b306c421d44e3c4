/* accumulate_parts -- what a growing reply is made of; for accumulate.c and accumulate_reply.c only. */
#ifndef AG_LLM_ACCUMULATE_PARTS_H
#define AG_LLM_ACCUMULATE_PARTS_H

#include "llm/json_text.h"
#include "llm/wire.h"

typedef struct ag_acc_part {
	ag_llm_part_type type;
	unsigned index;   /* the protocol's; not unique */
	unsigned ordinal; /* of a call among the calls */
	bool is_redacted;
	ag_buf text;   /* text, thinking, or the input of a call */
	ag_buf preset; /* of a call: its input when no piece of it comes */
	ag_buf signature, id, name;
	ag_json_scan scan; /* of a call's input */
} ag_acc_part;

/* Where content stands that may begin with a <think> tag. */
typedef enum ag_acc_think {
	AG_THINK_BEFORE, /* nothing but white space and a beginning of a tag came: in held */
	AG_THINK_INSIDE, /* held is a beginning of the closing tag */
	AG_THINK_BEHIND, /* the tag was closed; white space behind it is dropped */
	AG_THINK_OVER    /* all else is text */
} ag_acc_think;

struct ag_acc {
	ag_acc_part *parts;
	size_t npart, cap, ntool;
	size_t nbyte; /* of all buffers of the parts */
	bool too_large, too_many;
	size_t ncut; /* calls that came after the last one that is kept */
	ag_acc_part
		cut; /* the newest of them, without its input: further pieces of it must be known */
	bool done, usage_known;
	ag_llm_stop stop;
	ag_llm_usage usage;
	ag_buf model;
	ag_acc_think think;
	unsigned think_tag;
	char held[64];
	size_t nheld;
	void (*on_delta)(void *arg, const ag_llm_delta *d);
	void *arg;
	ag_arena *scratch;
};

#endif
