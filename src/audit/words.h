/* words -- is this a word of a language? English, German, French and Spanish, from Debian's word lists.
 *
 * A Bloom filter made at build time by tools/wordset: a word of the lists is always known, 0.8% of all other texts are
 * taken for words as well. A caller must tolerate that: here such a text is not reported as a slip. */
#ifndef AG_AUDIT_WORDS_H
#define AG_AUDIT_WORDS_H

#include "base/str.h"

/* word: as ag_text_fold_hard() writes it; shorter than 4 letters is never known. */
bool ag_word_is_known(ag_str word);

/* The same, and it is no name: names are often alike. */
bool ag_word_is_common(ag_str word);

/* Packages and versions of the lists: "wamerican 2020.12.07-2, …". Static. */
extern const char ag_words_version[];

/* The filter, for words.c only. */
extern const unsigned ag_words_hashes;
extern const size_t ag_words_size; /* of the table */
extern const uint64_t ag_words_table[];

#endif
