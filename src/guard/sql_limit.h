/* sql_limit -- what is to run: the statement's own text, with a limit where it needs one; inside guard/ only. */
#ifndef AG_GUARD_SQL_LIMIT_H
#define AG_GUARD_SQL_LIMIT_H

#include "guard/sql.h"
#include "guard/sql_tokens.h"

/* Fills sql, is_limited and max_rows of v. tokens and text: of `select`; the text without blanks and semicolons around. */
void ag_sql_limit(const PgQuery__SelectStmt *select, const ag_sql_tokens *tokens, ag_str text,
                  const ag_sql_policy *policy, ag_sql_purpose purpose, ag_arena *arena,
                  ag_sql_verdict *v);

#endif
