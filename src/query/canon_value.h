/* canon_value -- values in their canonical spelling. Private to filter_canon.c, expr and pipeline. */
#ifndef AG_QUERY_CANON_VALUE_H
#define AG_QUERY_CANON_VALUE_H

#include "query/value.h"

/* Equal values (ag_val_eq) become values that are written alike: 5.0 and NumberLong(5) as 5, a decimal
 * that a double holds exactly as that double, other decimals without trailing zeros, symbols as
 * strings. Containers are copied into the arena where something in them changes. */
ag_val ag_val_canon(ag_arena *arena, const ag_val *v);

#endif
