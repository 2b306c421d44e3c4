/* filter_expr -- a filter as an aggregation expression that is true for the same documents.
 *
 * With it many filters are counted in one pass of a server: {"$group": {"_id": null, "n0": {"$sum": {"$cond": [E0, 1, 0]}}, …}}.
 * The expression is exact or there is none: arrays in the way and at the end, null and missing, and the bracketing of types are
 * those of match.c, and tests/unit/test_columns_filter.c holds the two together. One exception: a pattern looks into texts, not into
 * values of the deprecated type symbol, nor does it equal a stored pattern. It uses operators that MongoDB 4.2 knows. */
#ifndef AG_QUERY_FILTER_EXPR_H
#define AG_QUERY_FILTER_EXPR_H

#include "query/filter.h"

/* The expression, in arena; it borrows operands of f. False: f has a part that no expression says exactly, as $mod, an index in
 * a path, or the order of objects. */
AG_CHECK bool ag_filter_to_expr(const ag_filter *f, ag_arena *arena, ag_val *ret);

#endif
