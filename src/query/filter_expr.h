/* filter_expr -- a filter as an aggregation expression that is true for the same documents.
 *
 * With it many filters are counted in one pass of a server: {"$group": {"_id": null, "n0": {"$sum": {"$cond": [E0, 1, 0]}}, …}}.
 * The function either makes an exact expression or refuses the filter. Arrays, null, missing fields and the bracketing of types
 * behave as in match.c; tests/unit/test_columns_filter.c compares the two. One exception: a pattern looks into texts only, not into
 * values of the deprecated type symbol, and it equals no stored pattern. It uses operators that MongoDB 4.2 knows. */
#ifndef AG_QUERY_FILTER_EXPR_H
#define AG_QUERY_FILTER_EXPR_H

#include "query/filter.h"

/* The expression, in arena; it borrows operands of f. False: f has a part that no expression says exactly, as $mod, an index in
 * a path, or the order of objects. */
AG_CHECK bool ag_filter_to_expr(const ag_filter *f, ag_arena *arena, ag_val *ret);

#endif
