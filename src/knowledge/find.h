/* find -- the full text of a project's knowledge, by the store's search index.
 *
 * The index is a cache: what has changed since the last search is put into it first. */
#ifndef AG_KNOWLEDGE_FIND_H
#define AG_KNOWLEDGE_FIND_H

#include "knowledge/object.h"

#define AG_KNOW_MAX_QUERY 500u /* characters */

/* Entries, notes on tables, metrics and learnings that are active and have words of the query, best first. In arena.
 * errors  AG_INVALID: no word in it; of the store */
AG_CHECK ag_status ag_know_search(ag_store *s, ag_str project, ag_str query, size_t limit,
                                  ag_arena *arena, ag_know **ret, size_t *nret, ag_err *err);

#endif
