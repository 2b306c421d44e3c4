/* sql_huge -- refuses calls that build huge values; inside guard/ only.
 *
 * Some functions of PostgreSQL never look for an interrupt, so a statement that feeds them a huge value cannot be ended. What
 * builds such values is refused unless its size is proven: by constants, least(), ranges of functions such as extract(), or
 * rows that the planner estimates (then the verdict carries max_plan_rows, which sql/sql.c checks). This is the first
 * line; what slips through is counted until it ends (pg/stuck.c). */
#ifndef AG_GUARD_SQL_HUGE_H
#define AG_GUARD_SQL_HUGE_H

#include "guard/sql_walk.h"

/* Longest value that a statement may build, in bytes. strpos() of two such values takes about a second at worst. */
#define AG_SQL_HUGE_BYTES (64u * 1024)

/* Each false: refused, v says why. Called for every function call, type, sublink, operator and cast of a statement. */
bool ag_sql_huge_call(ag_sql_walk *w, const PgQuery__FuncCall *f, ag_str name);
bool ag_sql_huge_type(ag_sql_walk *w, const PgQuery__TypeName *t, ag_str name);
bool ag_sql_huge_sublink(ag_sql_walk *w, const PgQuery__SubLink *s);
bool ag_sql_huge_expr(ag_sql_walk *w, const PgQuery__AExpr *e);
bool ag_sql_huge_cast(ag_sql_walk *w, const PgQuery__TypeCast *c);
/* Note how values grow: at the end of each SELECT, while it is still in scope, and where one reads a CTE. */
void ag_sql_huge_select(ag_sql_walk *w, const PgQuery__SelectStmt *s);
void ag_sql_huge_cte(ag_sql_walk *w, const PgQuery__CommonTableExpr *cte);
/* After the whole statement: values that pass from one builder to the next through columns. */
bool ag_sql_huge_end(ag_sql_walk *w);

#endif
