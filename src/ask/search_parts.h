/* search_parts -- what the files of search share: small letters, words, and one file's lines that fit. */
#ifndef AG_ASK_SEARCH_PARTS_H
#define AG_ASK_SEARCH_PARTS_H

#include "ask/search.h"

/* Capital letters of Latin, Greek, Cyrillic and Armenian become small ones in place; no letter changes its length, so that
 * what is found there stands at the same place in the text. */
void ag_search_lower(char *p, size_t n);
/* Letters, digits, marks and "_". */
bool ag_search_is_letter(uint32_t cp);
/* Words that say nothing: "the", "how"; small letters. */
bool ag_search_is_stop(ag_str word);

#endif
