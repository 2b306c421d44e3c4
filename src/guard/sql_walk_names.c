/* sql_walk_names -- a.b and (a).b: columns, or calls of functions in disguise.
 *
 * Where PostgreSQL finds no column b of a, it calls a function b with a as its argument: `select (x).pg_sleep` sleeps.
 * So a name behind a dot that could be a function that may not be called must be a column beyond doubt. Behind an
 * expression in brackets, whose type is not known here, it must be a column of something at least. */
#include "guard/sql_walk.h"

/* Could the name, called as a function, do what a call of it may not?
 *
 * The server's internals (what stands behind operators and casts: name, time_out, cash_in) are left out, so that columns
 * may have such names: with one argument they do nothing but convert it. */
static bool is_risky(const ag_sql_walk *w, ag_str name)
{
	ag_sql_verdict unused = { 0 };
	const char *why;
	size_t n;

	if (ag_str_eqc(name, "pg_typeof")) /* allowed by its place (sql_walk_calls.c) */
		return true;
	ag_sql_catalog_functions(w->catalog, name, &n);
	if (!n && (ag_sql_function_known(AG_SQL_POSTGRES, name, &why) != AG_SQL_DANGEROUS ||
	           ag_str_starts(ag_str_c(why), AG_S("an internal of the server"))))
		return false;
	return !ag_sql_policy_function(w->policy, w->catalog, AG_S(""), name, w->scratch, &unused);
}

static bool refuse(ag_sql_walk *w, ag_str name)
{
	ag_sql_refuse(
		w->v, w->arena, AG_SQLRULE_FIELD,
		"The field %.*s is not allowed: it is not known to be a column, and PostgreSQL "
		"would call a function of that name",
		AG_FMT(name));
	return ag_sql_refuse_hint(w->v, w->arena,
	                          "write alias.column with a column of a table, or give the column "
	                          "a name with AS in a subquery");
}

bool ag_sql_check_column(ag_sql_walk *w, const void *node)
{
	const PgQuery__ColumnRef *c = node;
	ag_str name;

	ag_sql_walk_at(w, c->location);
	if (!ag_sql_uses_column(w, c))
		return false;
	if (c->n_fields < 2) /* alone it is a column or a whole row, never a call */
		return true;
	for (size_t i = 1; i + 1 < c->n_fields; i++) { /* schema.table.column */
		name = ag_sql_node_text(c->fields[i]);
		if (is_risky(w, name) && !ag_sql_scope_has_range(w, name))
			return refuse(w, name);
	}
	name = ag_sql_node_text(c->fields[c->n_fields - 1]);
	if (!name.len || !is_risky(w, name)) /* a.* has no text */
		return true;
	return ag_sql_scope_has_column(w, ag_sql_node_text(c->fields[c->n_fields - 2]), name) ||
	       refuse(w, name);
}

static bool is_known_field(const ag_sql_walk *w, const PgQuery__AIndirection *a, ag_str name)
{
	if (is_risky(w, name))
		return false;
	if (ag_sql_catalog_has_field(w->catalog, name) || ag_sql_is_out_column(a->arg, name))
		return true;
	return a->arg && a->arg->node_case == PG_QUERY__NODE__NODE_COLUMN_REF &&
	       a->arg->column_ref->n_fields == 1 &&
	       ag_sql_scope_has_column(w, ag_sql_node_text(a->arg->column_ref->fields[0]), name);
}

bool ag_sql_check_indirection(ag_sql_walk *w, const void *node)
{
	const PgQuery__AIndirection *a = node;
	const bool of_column = a->arg && a->arg->node_case == PG_QUERY__NODE__NODE_COLUMN_REF;

	for (size_t i = 0; i < a->n_indirection; i++) {
		const PgQuery__Node *step = a->indirection[i];
		const ag_str name = ag_sql_node_text(step); /* "" of a star */
		const ag_sql_use use = i + 1 == a->n_indirection ? ag_sql_uses_of(w, a)
		                                                 : AG_SQL_USE_FIELD;

		if (step->node_case != PG_QUERY__NODE__NODE_STRING &&
		    step->node_case != PG_QUERY__NODE__NODE_A_STAR)
			continue; /* [1], [1:2] */
		if (name.len && !is_known_field(w, a, name))
			return refuse(w, name);
		if (of_column && i == 0) {
			ag_sql_uses_mark_node(w, a->arg, AG_SQL_USE_FIELD);
			if (!ag_sql_uses_field_of_column(w, a->arg->column_ref, name, use))
				return false;
		} else if (name.len && !ag_sql_uses_field(w, name, use)) {
			return false;
		}
	}
	return true;
}

bool ag_sql_check_result(ag_sql_walk *w, const void *node)
{
	const PgQuery__ResTarget *t = node;

	ag_sql_walk_at(w, t->location);
	if (w->depth == 2) /* of the outermost SELECT itself */
		ag_sql_uses_mark_node(w, t->val, AG_SQL_USE_RESULT);
	else if (t->val && t->val->node_case == PG_QUERY__NODE__NODE_FUNC_CALL)
		ag_sql_uses_mark_node(w, t->val, AG_SQL_USE_INNER);
	/* Only INSERT and UPDATE have it. */
	return !t->n_indirection || ag_sql_refuse(w->v, w->arena, AG_SQLRULE_SYNTAX_NODE,
	                                          "A target with a field is not allowed");
}
