/* index_cut -- a file in documents: sections of Markdown, definitions of code, pieces of everything else. */
#ifndef AG_ASK_INDEX_CUT_H
#define AG_ASK_INDEX_CUT_H

#include "base/arena.h"
#include "store/search_index.h"

#define AG_INDEX_FORMAT \
	1u /* raise it when documents are cut in another way: every file is then read again */

/* How much of a file is worth reading, by its name; 0 = nothing (lock files, what a machine made). */
size_t ag_index_worth_bytes(ag_str path);
/* Documentation comes first when not all can be read. */
bool ag_index_is_prose(ag_str path);
/* Text without NUL; bytes that are no UTF-8 become "?". Documents are views of `text` or in arena. */
void ag_index_cut(ag_str path, ag_str text, ag_arena *arena, ag_index_doc **ret, size_t *nret);

#endif
