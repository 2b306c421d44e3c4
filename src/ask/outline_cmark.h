/* outline_cmark -- cmark-gfm with a limit on its memory. Private to ask/outline*.c. */
#ifndef AG_ASK_OUTLINE_CMARK_H
#define AG_ASK_OUTLINE_CMARK_H

#include <cmark-gfm.h>

#include "base/str.h"

/* Parse and hand the tree to visit(); false, and nothing was visited, when it would take too much memory. */
bool ag_cmark_read(ag_str text, void (*visit)(cmark_node *document, void *arg), void *arg);

#endif
