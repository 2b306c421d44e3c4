/* outline_plain -- headings line by line, for Markdown that is not worth a parser's time. Private to ask/outline*.c. */
#ifndef AG_ASK_OUTLINE_PLAIN_H
#define AG_ASK_OUTLINE_PLAIN_H

#include "ask/outline_build.h"

/* Would a parser take seconds or gigabytes for it? No document that people wrote does. */
bool ag_outline_is_absurd(const ag_outline_build *b);
/* Calls heading() with the source of each heading, one or two lines long, and its line. */
void ag_outline_plain(const ag_outline_build *b, unsigned first_line,
                      void (*heading)(ag_str source, unsigned line, void *arg), void *arg);

#endif
