/* accumulate -- what the readers of the protocols need of a growing reply beyond wire.h. */
#ifndef AG_LLM_ACCUMULATE_H
#define AG_LLM_ACCUMULATE_H

#include "llm/wire.h"

/* A piece of a tool call as servers send it; "" = not there. */
typedef struct ag_tool_piece {
	bool has_index;
	unsigned index;
	bool is_apart; /* another piece stood before it in the same event: with a name it is another call */
	ag_str id, name, input;
} ag_tool_piece;

/* Finds the call that the piece belongs to, or opens one: servers give no index, the same index for all calls, a new
 * id in every piece, the name in every piece. */
void ag_acc_tool_piece(ag_acc *a, const ag_tool_piece *p);
/* What a call does before its input comes in pieces: kept when no piece comes. */
void ag_acc_tool_preset(ag_acc *a, unsigned index, ag_str input);
bool ag_acc_has_tool(const ag_acc *a, unsigned index);
/* Opaque JSON that must go back with the newest call. */
void ag_acc_tool_signature(ag_acc *a, ag_str json);
/* Text that may begin with <think>…</think>: that part becomes thinking. */
void ag_acc_content(ag_acc *a, ag_str delta);
/* Scratch memory for one event; reset by whoever reads the next. */
ag_arena *ag_acc_scratch(ag_acc *a);
/* errors  AG_LIMIT when the reply outgrew its limits */
AG_CHECK ag_status ag_acc_check(const ag_acc *a, const char *origin, ag_err *err);

#endif
