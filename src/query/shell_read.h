/* shell_read -- what a person pastes from a MongoDB shell, as a value.
 *
 * Reads everything that ag_extjson_parse() reads in a query, and of JavaScript: keys without quotes, single quotes
 * and escapes, comments, trailing commas, numbers such as .5 and 0x1f, NaN and Infinity, /regex/flags, and the
 * constructors of the shell (ISODate("…"), ObjectId("…"), NumberLong("…") …). A whole statement
 * db.orders.find({…}) gives its filter or pipeline. No code runs: a name that is no constructor is an error.
 * Data files are never read this way. */
#ifndef AG_QUERY_SHELL_READ_H
#define AG_QUERY_SHELL_READ_H

#include "base/arena.h"
#include "base/err.h"
#include "query/value.h"

#define AG_SHELL_MAX_DEPTH 100 /* a filter has no deeper use (AG_FILTER_MAX_DEPTH) */

/* One filter, pipeline or statement. The text is copied into the arena. A key that appears twice is refused.
 * errors  AG_INVALID with line and column (from 1, in characters) and what to write; AG_LIMIT for depth and size */
AG_CHECK ag_status ag_shell_parse(ag_str text, ag_arena *arena, ag_val *ret, ag_err *err);

#endif
