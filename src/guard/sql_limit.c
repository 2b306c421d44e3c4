/* sql_limit -- one row more than the cap is asked for: if it comes, there was more.
 *
 * The text stays as it was written, byte for byte. A line break comes before what is added, because the text may end with
 * a comment. Nothing in it can close the bracket of a wrapping: it was parsed, so its own brackets are balanced. */
#include "guard/sql_limit.h"

/* A whole number that is written out: LIMIT 5, FETCH FIRST 5 ROWS ONLY (FETCH FIRST ROW ONLY means 1). */
static bool literal_limit(const PgQuery__SelectStmt *s, uint64_t *ret)
{
	const PgQuery__Node *count = s->limit_count;
	const PgQuery__AConst *c;

	if (count->node_case != PG_QUERY__NODE__NODE_A_CONST ||
	    s->limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES)
		return false;
	c = count->a_const;
	if (c->isnull || c->val_case != PG_QUERY__A__CONST__VAL_IVAL || c->ival->ival < 0)
		return false;
	*ret = (uint64_t)c->ival->ival;
	return true;
}

/* (SELECT a FROM t OFFSET 5) takes no LIMIT behind the bracket: to the parser it would be a second limit. */
static bool needs_wrapping(const PgQuery__SelectStmt *s, const ag_sql_tokens *tokens)
{
	return s->limit_count ||
	       (s->limit_offset && !ag_sql_tokens_has_outside(tokens, PG_QUERY__TOKEN__OFFSET));
}

void ag_sql_limit(const PgQuery__SelectStmt *select, const ag_sql_tokens *tokens, ag_str text,
                  const ag_sql_policy *policy, ag_sql_purpose purpose, ag_arena *arena,
                  ag_sql_verdict *v)
{
	uint64_t cap = policy->max_rows ? policy->max_rows : AG_SQL_DEFAULT_ROWS;
	uint64_t own;

	if (cap > AG_SQL_MAX_ROWS)
		cap = AG_SQL_MAX_ROWS;
	v->max_rows = cap;
	v->is_limited = false;
	if (select->limit_count && literal_limit(select, &own) && own <= cap) {
		v->max_rows = own;
	} else if (purpose == AG_SQL_RUN) {
		v->is_limited = true;
		v->sql = ag_str_printf(arena,
		                       needs_wrapping(select, tokens)
		                               ? "SELECT * FROM (\n%.*s\n) AS argus_q LIMIT %llu"
		                               : "%.*s\nLIMIT %llu",
		                       AG_FMT(text), (unsigned long long)cap + 1);
		return;
	}
	v->sql = ag_str_dup(arena, text);
}
