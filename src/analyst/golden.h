/* golden -- questions with their expected answers: is an answer right, and how does an answer become one.
 *
 * An answer is right when one of the results of its turn is what is expected, so a model may look around before it answers:
 *   exact        the rows, in any order; a single value is the only cell of a result of one row, or one of several in it
 *   approximate  the same, numbers within `tolerance` (0.01 = one percent)
 *   row_count    a result has so many rows
 *   contains     the answer's words, or a cell, have the text, in any case; of a list all texts
 *   structure    a result has these columns, in any order and case
 * Values compare as numbers when both are numbers ("12.50" is 12.5), else as texts. An answer without words is wrong. */
#ifndef AG_ANALYST_GOLDEN_H
#define AG_ANALYST_GOLDEN_H

#include "analyst/state.h"
#include "knowledge/object.h"

#define AG_GOLDEN_TOLERANCE 0.01
#define AG_GOLDEN_MAX_ROWS \
	50u /* that an answer is remembered by: a larger one is compared by its number of rows */

/* *ret_why: "" = it is right, else one sentence. In arena. */
void ag_golden_check(const ag_know *golden, const ag_analyst_state *s, ag_arena *arena,
                     ag_str *ret_why);
/* A golden question of a turn: its question, the last result with its statement. mode "" = exact where that is small enough,
 * else row_count. In arena.
 * errors  AG_INVALID: the turn has no answer or no result; there is no such mode */
AG_CHECK ag_status ag_golden_of_turn(const ag_analyst_state *s, ag_str mode, ag_arena *arena,
                                     ag_know *ret, ag_err *err);

#endif
