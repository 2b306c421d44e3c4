/* live_wrap -- text that comes in pieces, broken between words at the width of a terminal.
 *
 * A word is held back until its end is known, so that no line breaks inside it; a word that is wider than the terminal is
 * shown as it comes. Lines and blanks of the text stay. Not thread safe. */
#ifndef AG_CLI_LIVE_WRAP_H
#define AG_CLI_LIVE_WRAP_H

#include "base/str.h"

#define AG_LIVE_WRAP_WORD 256u /* bytes that are held back at most */

typedef struct ag_live_wrap {
	size_t width;                 /* columns; 0 = lines are not broken */
	size_t col;                   /* of the cursor */
	size_t nblank;                /* blanks that are held back before the word */
	size_t nword;                 /* bytes of the word that is held back */
	char word[AG_LIVE_WRAP_WORD]; /* … */
} ag_live_wrap;

/* Adds to out what can be shown now. */
void ag_live_wrap_add(ag_live_wrap *w, ag_str text, ag_buf *out);
/* Adds the word that is held back: the text has ended, or something else follows it. */
void ag_live_wrap_end(ag_live_wrap *w, ag_buf *out);

#endif
