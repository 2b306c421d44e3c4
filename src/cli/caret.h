/* caret -- the line of a text in which something is wrong, and a caret below the place. */
#ifndef AG_CLI_CARET_H
#define AG_CLI_CARET_H

#include "base/paint.h"

/* Two lines without indent, each with a line feed: the line that holds byte `at` (up to text.len) as a terminal of p->width
 * columns shows it, and the caret. Tabs are blanks to every fourth column, what a terminal may not see is escaped, and of a
 * line that is too long the part around the place is kept, with a sign where it was cut. */
void ag_caret_lines(const ag_paint *p, ag_str text, size_t at, ag_buf *out);

#endif
