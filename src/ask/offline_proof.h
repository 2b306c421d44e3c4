/* offline_proof -- one statement of a text that proves that it answers. For offline_judge.c. */
#ifndef AG_ASK_OFFLINE_PROOF_H
#define AG_ASK_OFFLINE_PROOF_H

#include "ask/offline_judge.h"

#define AG_STATEMENT_MAX_CELL \
	4000u /* bytes of a table's cell; a longer one says nothing that is short */

/* A sentence, an item of a list or a row of a table. */
typedef struct ag_statement {
	ag_str text;   /* of a row: each cell with the head of its column */
	ag_str before; /* what it refers to ("It lasts …") or what announces it; "" = nothing */
	ag_str around; /* the paragraph or item that it is of; "" for a row */
	bool is_row;
	bool has_number; /* a row: one of its cells is a number */
	bool has_code;   /* a block of code follows */
} ag_statement;

/* The statements of a section in their order; views of `text` and texts in arena. */
ag_statement *ag_statements_of(ag_str text, ag_arena *arena, size_t *ret_n);

/* Does one statement of a section say all of the question, in its own words or in twins of them, and what was asked for? */
bool ag_judge_proves(const ag_judge *j, const ag_judged_text *t, ag_arena *arena);

/* Does a statement that has most of the question have the kind of answer that is asked for? False lowers "ok" to "partial".
 * True also where the kind of answer cannot be told. */
bool ag_judge_has_kind(const ag_judge *j, const ag_judged_text *t, ag_arena *arena);

#endif
