/* statement -- are two SQL texts the same statement, and is one used within another? By their tokens: blanks, line breaks,
 * comments, the case of words outside quotes and a final semicolon do not count. */
#ifndef AG_KNOWLEDGE_STATEMENT_H
#define AG_KNOWLEDGE_STATEMENT_H

#include "base/arena.h"

/* The tokens of a statement as one text; equal texts are the same statement. In arena. */
ag_str ag_know_plain_sql(ag_str sql, ag_arena *arena);
/* Is `part` the whole statement, or what stands between a pair of parentheses in it? Both as ag_know_plain_sql() gives
 * them; an empty part is in none. */
bool ag_know_uses_sql(ag_str whole, ag_str part);

#endif
