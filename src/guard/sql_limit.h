/* sql_limit -- what is to run: the statement's own text, with a limit where it needs one; inside guard/ only. */
#ifndef AG_GUARD_SQL_LIMIT_H
#define AG_GUARD_SQL_LIMIT_H

#include "guard/sql.h"
#include "guard/sql_load.h"

/* Fills sql, is_limited and max_rows of v. text: of `select`, without blanks and semicolons around it. */
void ag_sql_limit(const PgQuery__SelectStmt *select, ag_str text, const ag_sql_policy *policy,
                  ag_sql_purpose purpose, ag_arena *arena, ag_sql_verdict *v);

#endif
