/* text_calls_parts -- what text_calls.c and text_markup.c share. Internal to llm/. */
#ifndef AG_LLM_TEXT_CALLS_PARTS_H
#define AG_LLM_TEXT_CALLS_PARTS_H

#include "llm/call_read.h"
#include "llm/text_calls.h"

typedef enum ag_block_state {
	AG_BLOCK_NONE,    /* no call is written here */
	AG_BLOCK_OK,      /* calls of offered tools */
	AG_BLOCK_UNKNOWN, /* a call of something that was not offered */
	AG_BLOCK_BROKEN   /* meant as a call, cannot be read */
} ag_block_state;

typedef struct ag_text_block {
	ag_block_state state;
	size_t begin, end;
	size_t first_call, ncall; /* in ag_text_reader.calls */
} ag_text_block;

typedef struct ag_text_reader {
	ag_str s;
	const ag_llm_request *r;
	ag_arena *arena;
	ag_llm_part *calls;
	size_t ncall, cap, ncut;
	bool want_input; /* only objects that name their arguments are calls */
	ag_str unknown;  /* the newest name that was not offered */
} ag_text_reader;

/* The offered tool that is meant, or NULL. */
const ag_llm_tool *ag_text_tool(const ag_llm_request *r, ag_str written);

/* The markup of a call that begins at byte i, if there is one: state, end and calls of *ret. text_markup.c */
void ag_text_markup(ag_text_reader *t, size_t i, ag_text_block *ret);
/* Objects, arrays of objects and calls in Python's form from *i on, up to what is none of them. *i moves past the last
 * one. BROKEN: a bracket opens and cannot be read; *i stays before it. text_markup.c */
ag_block_state ag_text_list(ag_text_reader *t, size_t *i, bool python);

#endif
