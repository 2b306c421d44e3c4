/* expr -- aggregation expressions, for $expr, $group and $project.
 *
 * Operators are rows of one table in expr_ops.c: name, number of arguments, function. An unknown
 * operator is refused by name with the nearest known one. */
#ifndef AG_QUERY_EXPR_H
#define AG_QUERY_EXPR_H

#include "base/arena.h"
#include "base/err.h"
#include "query/value.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ag_expr ag_expr;

/* "$a.b" is a field path, "$$ROOT", "$$CURRENT", "$$this", "$$value" variables; {"$literal":…};
 * objects and arrays are constructors; {"$op": args}. */
AG_CHECK ag_status ag_expr_parse(const ag_val *v, ag_arena *arena, const ag_expr **ret,
                                 ag_err *err);
/* Evaluate on one document; the result lives in arena (or borrows from doc). A type error of an operator
 * (like $toLower of an object) gives AG_INVALID as MongoDB does. */
AG_CHECK ag_status ag_expr_eval(const ag_expr *e, const ag_val *doc, ag_arena *arena, ag_val *ret,
                                ag_err *err);
/* Field paths used, without "$", without doubles; *ret_whole when $$ROOT or $$CURRENT is used whole. */
void ag_expr_paths(const ag_expr *e, ag_arena *arena, const ag_str **ret, size_t *nret,
                   bool *ret_whole);
/* Back to a value, for the canonical form. */
ag_val ag_expr_to_val(const ag_expr *e, ag_arena *arena);

#ifdef __cplusplus
}
#endif
#endif
