/* sql_size -- upper bounds of numbers and values, read from the syntax tree; for sql_huge.c.
 *
 * What a name means is looked up in the scope of the SELECT at hand, where it is certain: a sub-select, a CTE, VALUES,
 * generate_series(), the depth of a recursive query. */
#ifndef AG_GUARD_SQL_SIZE_H
#define AG_GUARD_SQL_SIZE_H

#include "guard/sql_walk.h"

#define AG_SQL_SIZE_LEVELS  200u /* of an expression; a deeper one has no bound */
#define AG_SQL_SIZE_BUCKETS 8u

typedef struct ag_sql_number {
	double low, high; /* infinite: not bounded */
} ag_sql_number;

typedef struct ag_sql_sizing {
	const ag_sql_walk *w;
	const ag_sql_scope *scope; /* NULL: columns have no meaning here */
	double rows;               /* that a count may count */
	double column;             /* bytes of a column */
	bool has_grown; /* columns whose names fall into this bucket, of AG_SQL_SIZE_BUCKETS, have twice as many */
	unsigned bucket;
	unsigned level;
	bool has_used_rows;
	bool is_unknown; /* some count had no bound */
} ag_sql_sizing;

bool ag_sql_is_one_of(ag_str name, const char *const *list, size_t n);
#define AG_SQL_IS_ONE_OF(name, ...)                                  \
	ag_sql_is_one_of(name, (const char *const[]){ __VA_ARGS__ }, \
	                 sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

ag_sql_number ag_sql_number_of(ag_sql_sizing *z, const PgQuery__Node *n);
/* Of the values of generate_series(). */
ag_sql_number ag_sql_series_of(ag_sql_sizing *z, const PgQuery__FuncCall *f);
double ag_sql_bytes_of(ag_sql_sizing *z, const PgQuery__Node *n);
/* Of an operator, as of all that it joins: a || b || c. */
double ag_sql_bytes_of_expr(ag_sql_sizing *z, const PgQuery__AExpr *e);
double ag_sql_bytes_of_call(ag_sql_sizing *z, const PgQuery__FuncCall *f);
double ag_sql_bytes_of_cast(ag_sql_sizing *z, const PgQuery__TypeCast *c);
/* The text of a constant, also of '5'::int; false: it is not a constant with a text. */
bool ag_sql_constant_text(const PgQuery__Node *n, ag_str *ret);

#endif
