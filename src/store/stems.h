/* stems -- the words of a text as the full text of every database keeps them: cut at what is no letter or digit, without
 * case and accents, by their stem (porter).
 *
 * It is FTS5's own tokenizer, so that a search finds the same with each database. */
#ifndef AG_STORE_STEMS_H
#define AG_STORE_STEMS_H

#include "base/err.h"

typedef struct ag_stems ag_stems;

AG_CHECK ag_status ag_stems_open(ag_stems **ret, ag_err *err);
ag_stems *ag_stems_close(ag_stems *s); /* accepts NULL, returns NULL */
void ag_stems_closep(ag_stems **s);    /* for AG_AUTO */
/* take() once for each word in order; the stem is valid for the call. */
AG_CHECK ag_status ag_stems_of(ag_stems *s, ag_str text, void (*take)(void *arg, ag_str stem),
                               void *arg, ag_err *err);

#endif
