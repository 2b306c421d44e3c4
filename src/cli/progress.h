/* progress -- one line on standard error while something long is under way; from a thread of its own.
 *
 * Only on a terminal that can redraw, and not with --quiet. The line is wiped before anything else is printed:
 * ag_progress_stop() returns when it is gone. */
#ifndef AG_CLI_PROGRESS_H
#define AG_CLI_PROGRESS_H

#include "cli/cli.h"

typedef struct ag_progress_line ag_progress_line;

/* NULL when nothing is to be shown; `what` names what is worked on and outlives the line. */
ag_progress_line *ag_progress_start(ag_cli *c, ag_str what);
ag_progress_line *ag_progress_stop(ag_progress_line *l); /* accepts NULL, returns NULL */

#endif
