/* sql_plan -- what a plan of PostgreSQL says about a statement before it runs: its cost, and how large its values may be. */
#ifndef AG_SQL_SQL_PLAN_H
#define AG_SQL_SQL_PLAN_H

#include "sql/sql.h"

/* Does a statement with this verdict have to be planned first? */
static inline bool ag_sql_plan_is_needed(const ag_sql_verdict *v)
{
	return v->collects || v->max_plan_rows;
}

/* rows: the result of EXPLAIN (FORMAT JSON), [[ [{"Plan":…}] ]]. False: *ret says why it may not run. max_cost 0 = any. A plan
 * that cannot be read passes where only its cost is asked for. */
bool ag_sql_plan_check(ag_str rows, double max_cost, const ag_sql_verdict *v, ag_arena *arena,
                       ag_sql_failure *ret);

#endif
