/* offline -- an answer without a model: the best section of the index, its words, its checked source. */
#ifndef AG_ASK_OFFLINE_H
#define AG_ASK_OFFLINE_H

#include "ask/answer.h"
#include "ask/index.h"

typedef struct ag_offline_opts {
	ag_root *root;
	ag_store *store; /* keeps the index */
	ag_str question;
	ag_index_gate *gate; /* of all threads that ask about this root; NULL = no other one does */
} ag_offline_opts;

/* ret->answer is what the best section says, shortened to the part that fits the question; citations: it and up to four
 * more, each read from the file now, so that path, anchor, line and quote are true. Nothing fits: answer says so in a
 * sentence, source "", status "partial", why. It is "partial", too, when the section has less than half of the question or
 * not all files are in the index yet. tool_calls is empty: nothing was called. mode "offline". */
AG_CHECK ag_status ag_offline_answer(const ag_ctx *ctx, const ag_offline_opts *o, ag_arena *arena,
                                     ag_answer *ret, ag_err *err);

#endif
