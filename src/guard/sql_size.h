/* sql_size -- upper bounds of numbers and values, read from the syntax tree; for sql_huge.c.
 *
 * What a name means is looked up in the scope of the SELECT at hand, where it is certain: a sub-select, a CTE, VALUES,
 * generate_series(), the depth of a recursive query. */
#ifndef AG_GUARD_SQL_SIZE_H
#define AG_GUARD_SQL_SIZE_H

#include "guard/sql_walk.h"

#define AG_SQL_SIZE_LEVELS 200u /* of an expression; a deeper one has no bound */

typedef struct ag_sql_number {
	double low, high; /* infinite: not bounded */
} ag_sql_number;

typedef struct ag_sql_sizing {
	const ag_sql_walk *w;
	const ag_sql_scope *scope; /* NULL: columns have no meaning here */
	double rows;               /* that a count may count */
	double column;             /* bytes of a column */
	unsigned level;
	bool has_used_rows;
	bool is_unknown; /* some count had no bound */
} ag_sql_sizing;

ag_sql_number ag_sql_number_of(ag_sql_sizing *z, const PgQuery__Node *n);
/* Of the values of generate_series(). */
ag_sql_number ag_sql_series_of(ag_sql_sizing *z, const PgQuery__FuncCall *f);
double ag_sql_bytes_of(ag_sql_sizing *z, const PgQuery__Node *n);
double ag_sql_bytes_of_call(ag_sql_sizing *z, const PgQuery__FuncCall *f);
/* The text of a constant, also of '5'::int; false: it is none. */
bool ag_sql_constant_text(const PgQuery__Node *n, ag_str *ret);

#endif
