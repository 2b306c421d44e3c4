/* sql_walk_select -- SELECT itself, WITH, and everything that stands in FROM.
 *
 * The order matters here and only here: WITH before FROM before the rest, so that a name is looked up where it is known. */
#include "guard/sql_huge.h"

#define ONLY_SELECT "Only SELECT statements are allowed, not "

bool ag_sql_walk_select(ag_sql_walk *w, const void *node)
{
	const PgQuery__SelectStmt *s = node;
	ag_sql_scope scope = { 0 };
	bool ok;

	if (s->into_clause) {
		if (s->into_clause->rel)
			ag_sql_walk_at(w, s->into_clause->rel->location);
		return ag_sql_refuse(w->v, w->arena, AG_SQLRULE_STATEMENT,
		                     ONLY_SELECT "SELECT INTO: it makes a table");
	}
	if (s->n_locking_clause)
		return ag_sql_refuse(w->v, w->arena, AG_SQLRULE_STATEMENT,
		                     ONLY_SELECT "SELECT with row locks (FOR UPDATE, FOR SHARE)") ||
		       ag_sql_refuse_hint(w->v, w->arena, "leave the FOR clause out");
	w->uses.has_choices |= s->op != PG_QUERY__SET_OPERATION__SETOP_NONE ||
	                       s->n_values_lists > 1;
	for (size_t i = 0; i < s->n_group_clause; i++)
		if (s->group_clause[i]->node_case == PG_QUERY__NODE__NODE_FUNC_CALL)
			ag_sql_uses_mark_node(w, s->group_clause[i], AG_SQL_USE_RESULT);
	ag_sql_scope_push(w, &scope);
	ok = ag_sql_walk_message(w, s->with_clause ? &s->with_clause->base : NULL) &&
	     ag_sql_walk_nodes(w, s->from_clause, s->n_from_clause) &&
	     ag_sql_casts_check_condition(w, s->where_clause) &&
	     ag_sql_casts_check_condition(w, s->having_clause) &&
	     ag_sql_walk_fields(w, &s->base, &s->with_clause, &s->from_clause);
	ag_sql_huge_select(w, s);
	ag_sql_scope_pop(w);
	return ok;
}

/* The words for what stands in a WITH instead of a query. */
static const char *writer_name(const PgQuery__Node *query)
{
	switch (query ? query->node_case : PG_QUERY__NODE__NODE__NOT_SET) {
	case PG_QUERY__NODE__NODE_INSERT_STMT: return "INSERT";
	case PG_QUERY__NODE__NODE_UPDATE_STMT: return "UPDATE";
	case PG_QUERY__NODE__NODE_DELETE_STMT: return "DELETE";
	case PG_QUERY__NODE__NODE_MERGE_STMT: return "MERGE";
	default: return "anything else";
	}
}

bool ag_sql_walk_with(ag_sql_walk *w, const void *node)
{
	const PgQuery__WithClause *with = node;

	for (size_t i = 0; i < with->n_ctes; i++) {
		const PgQuery__CommonTableExpr *cte = with->ctes[i]->common_table_expr;

		if (with->ctes[i]->node_case != PG_QUERY__NODE__NODE_COMMON_TABLE_EXPR)
			return ag_sql_walk_node(w, with->ctes[i]);
		if (!cte->ctequery ||
		    cte->ctequery->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) {
			ag_sql_walk_at(w, cte->location);
			return ag_sql_refuse(w->v, w->arena, AG_SQLRULE_STATEMENT,
			                     ONLY_SELECT "%s in a WITH clause",
			                     writer_name(cte->ctequery));
		}
		if (with->recursive) /* then each sees them all, itself included */
			ag_sql_scope_add_cte(w, cte);
	}
	for (size_t i = 0; i < with->n_ctes; i++) {
		if (!ag_sql_walk_node(w, with->ctes[i]))
			return false;
		if (!with->recursive)
			ag_sql_scope_add_cte(w, with->ctes[i]->common_table_expr);
	}
	return true;
}

/* --- FROM --- */

bool ag_sql_check_table(ag_sql_walk *w, const void *node)
{
	const PgQuery__RangeVar *t = node;
	const ag_str database = ag_str_c(t->catalogname), schema = ag_str_c(t->schemaname);
	const ag_str name = ag_str_c(t->relname), home = ag_sql_policy_schema(w->policy);
	const PgQuery__CommonTableExpr *cte;

	ag_sql_walk_at(w, t->location);
	if (database.len && (!w->catalog || !ag_str_eq(database, w->catalog->database)))
		return ag_sql_refuse(w->v, w->arena, AG_SQLRULE_SCHEMA,
		                     "Access to database %.*s is not permitted (table %.*s)",
		                     AG_FMT(database), AG_FMT(name)) ||
		       ag_sql_refuse_hint(w->v, w->arena, "leave the name of the database out");
	cte = schema.len ? NULL : ag_sql_scope_cte(w, name);
	if (cte) {
		ag_sql_scope_add_range(w, t->alias, name)->cte = cte;
		ag_sql_huge_cte(w, cte);
		return true;
	}
	if (!ag_sql_policy_relation(w->policy, w->catalog, schema, name, !t->inh, w->arena, w->v))
		return false;
	ag_sql_list_add(w, &w->tables,
	                !schema.len || ag_str_eq(schema, home)
	                        ? name
	                        : ag_str_printf(w->scratch, "%.*s.%.*s", AG_FMT(schema),
	                                        AG_FMT(name)));
	ag_sql_scope_add_range(w, t->alias, name)->relation =
		ag_sql_catalog_relation(w->catalog, schema.len ? schema : home, name);
	return true;
}

bool ag_sql_walk_subselect(ag_sql_walk *w, const void *node)
{
	const PgQuery__RangeSubselect *r = node;
	const PgQuery__Node *query = r->subquery;

	if (!ag_sql_walk_fields(w, &r->base, NULL, NULL))
		return false;
	if (query && query->node_case == PG_QUERY__NODE__NODE_SELECT_STMT)
		ag_sql_scope_add_range(w, r->alias, AG_S(""))->select = query->select_stmt;
	return true;
}

/* FROM f(...) without an alias goes by the function's name. */
static ag_str function_name(const PgQuery__RangeFunction *r)
{
	const PgQuery__Node *one = r->n_functions == 1 ? r->functions[0] : NULL;

	if (!one || one->node_case != PG_QUERY__NODE__NODE_LIST || !one->list->n_items)
		return AG_S("");
	one = one->list->items[0];
	if (one->node_case != PG_QUERY__NODE__NODE_FUNC_CALL || !one->func_call->n_funcname)
		return AG_S("");
	return ag_sql_node_text(one->func_call->funcname[one->func_call->n_funcname - 1]);
}

bool ag_sql_walk_function_range(ag_sql_walk *w, const void *node)
{
	const PgQuery__RangeFunction *r = node;

	if (!ag_sql_walk_fields(w, &r->base, NULL, NULL))
		return false;
	ag_sql_scope_add_range(w, r->alias, function_name(r))->function = r;
	return true;
}

bool ag_sql_walk_join(ag_sql_walk *w, const void *node)
{
	const PgQuery__JoinExpr *j = node;

	/* The sides first, as they stand in the tree: ON may name what they bring. */
	if (!ag_sql_walk_fields(w, &j->base, NULL, NULL))
		return false;
	if (!ag_sql_casts_check_condition(w, j->quals) || !ag_sql_casts_check_join(w, j))
		return false;
	if (j->alias)
		ag_sql_scope_add_range(w, j->alias, AG_S(""));
	if (j->join_using_alias)
		ag_sql_scope_add_range(w, j->join_using_alias, AG_S(""));
	for (size_t i = 0; i < j->n_using_clause; i++)
		if (!ag_sql_uses_name(w, AG_S(""), ag_sql_node_text(j->using_clause[i]),
		                      AG_SQL_USE_ANY))
			return false;
	if (j->is_natural && !ag_sql_uses_name(w, AG_S(""), AG_S(""), AG_SQL_USE_ANY))
		return false;
	return (!j->is_natural && !j->n_using_clause) || ag_sql_check_equals(w);
}

bool ag_sql_check_sample(ag_sql_walk *w, const void *node)
{
	const PgQuery__RangeTableSample *s = node;
	const ag_str name = s->n_method ? ag_sql_node_text(s->method[s->n_method - 1]) : AG_S("");

	ag_sql_walk_at(w, s->location);
	if ((s->n_method == 1 ||
	     (s->n_method == 2 && ag_str_eqc(ag_sql_node_text(s->method[0]), "pg_catalog"))) &&
	    (ag_str_eqc(name, "system") || ag_str_eqc(name, "bernoulli")))
		return true;
	ag_sql_refuse(w->v, w->arena, AG_SQLRULE_UNKNOWN_FUNCTION,
	              "The sampling method %.*s is not allowed", AG_FMT(name));
	return ag_sql_refuse_hint(w->v, w->arena, "use TABLESAMPLE system or bernoulli");
}
