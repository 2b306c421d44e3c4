/* shell_read -- what a person pastes from a MongoDB shell, as a value.
 *
 * Reads everything that ag_extjson_parse() reads in a query, and of JavaScript: keys without quotes, single quotes
 * and escapes, comments, trailing commas, numbers such as .5 and 0x1f, NaN and Infinity, /regex/flags, and the
 * constructors of the shell (ISODate("…"), ObjectId("…"), NumberLong("…") …). A whole statement may be there:
 * db.orders.find({…}, {…}).sort({…}).skip(n).limit(n), findOne, countDocuments, count, aggregate. No code runs: a name
 * that is no constructor is an error. Data files are never read this way. */
#ifndef AG_QUERY_SHELL_READ_H
#define AG_QUERY_SHELL_READ_H

#include "base/arena.h"
#include "base/err.h"
#include "query/value.h"

#define AG_SHELL_MAX_DEPTH 100 /* a filter has no deeper use (AG_FILTER_MAX_DEPTH) */

/* What a text asks for. A bare value is a `query` and nothing else. */
typedef struct ag_shell_statement {
	ag_val query;            /* filter, pipeline, or any value */
	ag_val projection, sort; /* of find: objects with members; MISSING = none */
	uint64_t skip, limit;    /* of find; 0 = none */
	bool counts;             /* countDocuments, count: documents are counted, not shown */
} ag_shell_statement;

/* One filter, pipeline or statement. The text is copied into the arena. A key that appears twice is refused.
 * ret_at  the byte of the text where it is wrong, SIZE_MAX when the failure has no place; may be NULL
 * errors  AG_INVALID with line and column (from 1, in characters) and what to write; AG_LIMIT for depth and size */
AG_CHECK ag_status ag_shell_parse(ag_str text, ag_arena *arena, ag_shell_statement *ret,
                                  size_t *ret_at, ag_err *err);

/* Does it ask for more than filter and limit can say? Then its pipeline is what runs: $match, $sort, $skip, $limit,
 * $project, in the order in which the server applies them, whatever the order of the calls. */
bool ag_shell_needs_pipeline(const ag_shell_statement *q);
/* limit: of documents, in place of the statement's own; 0 = none. */
ag_val ag_shell_pipeline(const ag_shell_statement *q, uint64_t limit, ag_arena *arena);

#endif
