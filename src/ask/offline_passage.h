/* offline_passage -- the part of a section or of a file that answers, short enough to be read at once. */
#ifndef AG_ASK_OFFLINE_PASSAGE_H
#define AG_ASK_OFFLINE_PASSAGE_H

#include "ask/index_words.h"

#define AG_PASSAGE_MAX_BYTES 1200u
#define AG_QUOTE_MAX_BYTES   300u

/* Of a section's own text without its heading: its first sentences, and what fits the question best of the rest. Whole
 * paragraphs, lists, tables and fenced blocks as long as these are not larger than all that may be told; a block that is
 * cut is cut between lines (a paragraph between words), and its fence is closed. In arena. */
ag_str ag_passage_of_section(const ag_question *q, ag_str text, ag_arena *arena);
/* Of lines of code or settings: whole lines around those that fit, in a fence. *ret_first is the line of the first one,
 * counted from 0 as `text` has them. In arena. */
ag_str ag_passage_of_code(const ag_question *q, ag_str text, const char *language,
                          bool is_definition, ag_arena *arena, unsigned *ret_first,
                          unsigned *ret_last);
/* The line that fits the question best, without blanks at its ends, at most AG_QUOTE_MAX_BYTES: a view of text. */
ag_str ag_passage_quote(const ag_question *q, ag_str text);

#endif
