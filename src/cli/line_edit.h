/* line_edit -- lines from a terminal, with editing and history (libedit, loaded on first use).
 *
 * Without the library, or when standard input is no terminal, lines are read as they come. */
#ifndef AG_CLI_LINE_EDIT_H
#define AG_CLI_LINE_EDIT_H

#include "base/str.h"

#define AG_LINE_MAX_HISTORY 500

typedef struct ag_line_edit ag_line_edit;

typedef enum ag_line {
	AG_LINE_TEXT,
	AG_LINE_INTERRUPTED, /* by a signal: what was typed is gone */
	AG_LINE_END          /* of the input */
} ag_line;

/* prompt: a literal. history: a file that keeps what was typed, "" = none. */
ag_line_edit *ag_line_edit_open(const char *prompt, ag_str history);
/* Writes the history. Accepts NULL, returns NULL. */
ag_line_edit *ag_line_edit_close(ag_line_edit *l);
/* The next line without its end; valid until the next call. */
ag_line ag_line_edit_read(ag_line_edit *l, ag_str *ret);
/* Keep a line for the arrow keys. */
void ag_line_edit_keep(ag_line_edit *l, ag_str line);

#endif
