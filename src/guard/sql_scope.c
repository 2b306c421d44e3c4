/* sql_scope -- what names mean at a place of a statement: common table expressions, and the entries of FROM.
 *
 * CTEs are followed exactly: a name hides a table only where PostgreSQL would find the CTE, else an excluded table could
 * be read under cover of a CTE of the same name.
 *
 * Entries of FROM are asked two things. The first: what does a column stand for, where that is certain (sql_size.c)? The second:
 * is name.column certainly a column? PostgreSQL takes name.f for a call of the
 * function f when there is no such column. Which entry it would find can depend on LATERAL and the like; so every entry
 * with that name must have the column. */
#include "guard/sql_walk.h"

void ag_sql_scope_push(ag_sql_walk *w, ag_sql_scope *scope)
{
	scope->outer = w->scope;
	w->scope = scope;
}

void ag_sql_scope_pop(ag_sql_walk *w)
{
	w->scope = w->scope->outer;
}

void ag_sql_scope_add_cte(ag_sql_walk *w, const PgQuery__CommonTableExpr *cte)
{
	ag_sql_cte *one = ag_new(w->scratch, ag_sql_cte);

	one->node = cte;
	one->next = w->scope->ctes;
	w->scope->ctes = one;
}

const PgQuery__CommonTableExpr *ag_sql_scope_cte(const ag_sql_walk *w, ag_str name)
{
	for (const ag_sql_scope *s = w->scope; s; s = s->outer)
		for (const ag_sql_cte *c = s->ctes; c; c = c->next)
			if (ag_str_eqc(name, c->node->ctename))
				return c->node;
	return NULL;
}

ag_sql_range *ag_sql_scope_add_range(ag_sql_walk *w, const PgQuery__Alias *alias, ag_str name)
{
	ag_sql_range *r = ag_new(w->scratch, ag_sql_range);

	r->alias = alias;
	r->name = alias ? ag_str_c(alias->aliasname) : name;
	r->next = w->scope->ranges;
	w->scope->ranges = r;
	return r;
}

bool ag_sql_scope_has_range(const ag_sql_walk *w, ag_str name)
{
	for (const ag_sql_scope *s = w->scope; s; s = s->outer)
		for (const ag_sql_range *r = s->ranges; r; r = r->next)
			if (r->name.len && ag_str_eq(r->name, name))
				return true;
	return false;
}

/* --- columns --- */

static bool is_named(PgQuery__Node *const *names, size_t n, ag_str name)
{
	for (size_t i = 0; i < n; i++)
		if (names[i]->node_case == PG_QUERY__NODE__NODE_STRING &&
		    ag_str_eqc(name, names[i]->string->sval))
			return true;
	return false;
}

static bool is_star(const PgQuery__Node *val)
{
	const PgQuery__Node *last = NULL;

	if (val && val->node_case == PG_QUERY__NODE__NODE_COLUMN_REF && val->column_ref->n_fields)
		last = val->column_ref->fields[val->column_ref->n_fields - 1];
	else if (val && val->node_case == PG_QUERY__NODE__NODE_A_INDIRECTION &&
	         val->a_indirection->n_indirection)
		last = val->a_indirection->indirection[val->a_indirection->n_indirection - 1];
	return last && last->node_case == PG_QUERY__NODE__NODE_A_STAR;
}

/* The name that an output column gets where none is written; "" = not followed. */
static ag_str default_name(const PgQuery__Node *val)
{
	if (val && val->node_case == PG_QUERY__NODE__NODE_COLUMN_REF && val->column_ref->n_fields)
		return ag_sql_node_text(val->column_ref->fields[val->column_ref->n_fields - 1]);
	if (val && val->node_case == PG_QUERY__NODE__NODE_FUNC_CALL && val->func_call->n_funcname)
		return ag_sql_node_text(val->func_call->funcname[val->func_call->n_funcname - 1]);
	return AG_S("");
}

/* Of the output columns from `skip` on (those before have been given other names). */
static bool select_has_column(const PgQuery__SelectStmt *s, size_t skip, ag_str name)
{
	bool has_star = false;

	while (s && s->larg) /* of a set operation the first arm gives the names */
		s = s->larg;
	for (size_t i = 0; s && i < s->n_target_list; i++) {
		const PgQuery__ResTarget *t = s->target_list[i]->node_case ==
		                                              PG_QUERY__NODE__NODE_RES_TARGET
		                                      ? s->target_list[i]->res_target
		                                      : NULL;
		const char *written = t ? t->name : NULL;

		if (!t)
			return false;
		has_star |= is_star(t->val);
		if (has_star && skip) /* which column is the first to keep its name? */
			return false;
		if (i >= skip && ag_str_eq(name, written && written[0] ? ag_str_c(written)
		                                                       : default_name(t->val)))
			return true;
	}
	return false;
}

static bool cte_has_column(const PgQuery__CommonTableExpr *cte, size_t skip, ag_str name)
{
	const size_t n = cte->n_aliascolnames;

	if (skip < n && is_named(cte->aliascolnames + skip, n - skip, name))
		return true;
	if (cte->search_clause && ag_str_eqc(name, cte->search_clause->search_seq_column))
		return true;
	if (cte->cycle_clause && (ag_str_eqc(name, cte->cycle_clause->cycle_mark_column) ||
	                          ag_str_eqc(name, cte->cycle_clause->cycle_path_column)))
		return true;
	return cte->ctequery && cte->ctequery->node_case == PG_QUERY__NODE__NODE_SELECT_STMT &&
	       select_has_column(cte->ctequery->select_stmt, skip > n ? skip : n, name);
}

static bool is_defined(PgQuery__Node *const *defs, size_t n, ag_str name)
{
	for (size_t i = 0; i < n; i++)
		if (defs[i]->node_case == PG_QUERY__NODE__NODE_COLUMN_DEF &&
		    ag_str_eqc(name, defs[i]->column_def->colname))
			return true;
	return false;
}

/* FROM f(...) WITH ORDINALITY, FROM ROWS FROM (f(...) AS (a int), ...) */
static bool function_has_column(const PgQuery__RangeFunction *f, size_t skip, ag_str name)
{
	if (is_defined(f->coldeflist, f->n_coldeflist, name) ||
	    (f->ordinality && ag_str_eqc(name, "ordinality")))
		return true;
	for (size_t i = 0; i < f->n_functions && !skip; i++) {
		const PgQuery__Node *pair = f->functions[i];

		if (pair->node_case != PG_QUERY__NODE__NODE_LIST || !pair->list->n_items)
			continue;
		if (ag_sql_is_out_column(pair->list->items[0], name))
			return true;
		if (pair->list->n_items > 1 &&
		    pair->list->items[1]->node_case == PG_QUERY__NODE__NODE_LIST &&
		    is_defined(pair->list->items[1]->list->items,
		               pair->list->items[1]->list->n_items, name))
			return true;
	}
	return false;
}

static bool range_has_column(const ag_sql_range *r, ag_str name)
{
	const size_t skip = r->alias ? r->alias->n_colnames : 0;

	if (skip && is_named(r->alias->colnames, skip, name))
		return true;
	if (r->relation)
		return skip < r->relation->ncolumn &&
		       ag_sql_has_text(r->relation->columns + skip, r->relation->ncolumn - skip,
		                       name);
	if (r->cte)
		return cte_has_column(r->cte, skip, name);
	if (r->select)
		return select_has_column(r->select, skip, name);
	return r->function && function_has_column(r->function, skip, name);
}

bool ag_sql_scope_has_column(const ag_sql_walk *w, ag_str name, ag_str column)
{
	bool found = false;

	for (const ag_sql_scope *s = w->scope; s; s = s->outer) {
		for (const ag_sql_range *r = s->ranges; r; r = r->next) {
			if (!r->name.len || !ag_str_eq(r->name, name))
				continue;
			if (!range_has_column(r, column))
				return false;
			found = true;
		}
	}
	return found;
}

bool ag_sql_is_out_column(const PgQuery__Node *call, ag_str column)
{
	static const struct {
		const char *function, *columns; /* a blank before and after each */
	} known[] = {
		{ "each", " key value " }, /* hstore, where a project allows it */
		{ "json_each", " key value " },
		{ "json_each_text", " key value " },
		{ "jsonb_each", " key value " },
		{ "jsonb_each_text", " key value " },
		{ "json_array_elements", " value " },
		{ "json_array_elements_text", " value " },
		{ "jsonb_array_elements", " value " },
		{ "jsonb_array_elements_text", " value " },
		{ "ts_debug", " alias description token dictionaries dictionary lexemes " },
		{ "ts_parse", " tokid token " },
		{ "ts_token_type", " tokid alias description " },
		{ "unnest", " lexeme positions weights " }, /* of a tsvector */
	};
	ag_str name, rest;

	if (!call || call->node_case != PG_QUERY__NODE__NODE_FUNC_CALL ||
	    !call->func_call->n_funcname)
		return false;
	name = ag_sql_node_text(call->func_call->funcname[call->func_call->n_funcname - 1]);
	for (size_t i = 0; i < AG_NELEM(known); i++) {
		if (!ag_str_eqc(name, known[i].function))
			continue;
		rest = ag_str_c(known[i].columns);
		while (rest.len)
			if (ag_str_eq(ag_str_split(&rest, ' '), column) && column.len)
				return true;
	}
	return false;
}

/* --- columns: what a name stands for, where that is certain --- */

static ag_str call_name(const PgQuery__FuncCall *f)
{
	return f->n_funcname ? ag_sql_node_text(f->funcname[f->n_funcname - 1]) : AG_S("");
}

static const PgQuery__FuncCall *only_call(const PgQuery__RangeFunction *r)
{
	const PgQuery__Node *one = r->n_functions == 1 ? r->functions[0] : NULL;

	if (!one || one->node_case != PG_QUERY__NODE__NODE_LIST || !one->list->n_items)
		return NULL;
	one = one->list->items[0];
	return one && one->node_case == PG_QUERY__NODE__NODE_FUNC_CALL ? one->func_call : NULL;
}

static const PgQuery__Node *target_at(const PgQuery__SelectStmt *s, size_t i)
{
	return i < s->n_target_list &&
	                       s->target_list[i]->node_case == PG_QUERY__NODE__NODE_RES_TARGET
	               ? s->target_list[i]->res_target->val
	               : NULL;
}

static ag_str target_name(const PgQuery__SelectStmt *s, size_t i)
{
	const PgQuery__Node *value = target_at(s, i);
	const PgQuery__ResTarget *t = s->target_list[i]->res_target;

	if (!value)
		return AG_S("");
	if (t->name && *t->name)
		return ag_str_c(t->name);
	while (value->node_case == PG_QUERY__NODE__NODE_TYPE_CAST && value->type_cast->arg)
		value = value->type_cast->arg;
	if (value->node_case == PG_QUERY__NODE__NODE_FUNC_CALL)
		return call_name(value->func_call);
	if (value->node_case == PG_QUERY__NODE__NODE_COLUMN_REF && value->column_ref->n_fields)
		return ag_sql_node_text(value->column_ref->fields[value->column_ref->n_fields - 1]);
	return AG_S("");
}

/* The place of a column among those of a query whose columns may have been renamed; SIZE_MAX: it has none. */
static size_t column_index(const PgQuery__SelectStmt *s, PgQuery__Node *const *renamed,
                           size_t nrenamed, ag_str name)
{
	while (s->op != PG_QUERY__SET_OPERATION__SETOP_NONE && s->larg)
		s = s->larg;
	for (size_t i = 0; i < nrenamed; i++) {
		if (ag_str_eq(ag_sql_node_text(renamed[i]), name))
			return i;
	}
	for (size_t i = nrenamed; i < s->n_target_list; i++) {
		if (ag_str_eq(target_name(s, i), name))
			return i;
	}
	return SIZE_MAX;
}

static bool meaning_in_query(const PgQuery__SelectStmt *s, PgQuery__Node *const *renamed,
                             size_t nrenamed, ag_str name, ag_sql_meaning *ret)
{
	const size_t i = column_index(s, renamed, nrenamed, name);

	*ret = (ag_sql_meaning){ .index = i, .name = name };
	if (i == SIZE_MAX || s->with_clause)
		return false;
	if (s->op == PG_QUERY__SET_OPERATION__SETOP_UNION && s->larg && s->rarg &&
	    s->larg->op == PG_QUERY__SET_OPERATION__SETOP_NONE &&
	    s->rarg->op == PG_QUERY__SET_OPERATION__SETOP_NONE) {
		ret->first = target_at(s->larg, i);
		ret->step = target_at(s->rarg, i);
		return ret->first && ret->step;
	}
	if (s->op != PG_QUERY__SET_OPERATION__SETOP_NONE)
		return false;
	ret->values = s->n_values_lists ? s : NULL;
	ret->value = s->n_values_lists ? NULL : target_at(s, i);
	return ret->values || ret->value;
}

static bool meaning_in(const ag_sql_range *r, ag_str column, ag_sql_meaning *ret)
{
	const PgQuery__FuncCall *call = r->function ? only_call(r->function) : NULL;
	const PgQuery__Alias *a = r->alias;

	*ret = (ag_sql_meaning){ 0 };
	if (call) {
		const ag_str own = a && a->n_colnames ? ag_sql_node_text(a->colnames[0]) : r->name;

		if (ag_str_eqc(call_name(call), "generate_series") && ag_str_eq(own, column))
			ret->series = call;
		return ret->series != NULL;
	}
	if (r->select)
		return meaning_in_query(r->select, a ? a->colnames : NULL, a ? a->n_colnames : 0,
		                        column, ret);
	if (r->cte && r->cte->ctequery && (!a || !a->n_colnames) &&
	    r->cte->ctequery->node_case == PG_QUERY__NODE__NODE_SELECT_STMT)
		return meaning_in_query(r->cte->ctequery->select_stmt, r->cte->aliascolnames,
		                        r->cte->n_aliascolnames, column, ret);
	return false;
}

/* A name without a table may stand for the columns of several entries: only one of them may have it, and no relation. */
bool ag_sql_meaning_of(const ag_sql_walk *w, const ag_sql_scope *scope, const PgQuery__ColumnRef *c,
                       ag_sql_meaning *ret)
{
	const ag_str column = c->n_fields ? ag_sql_node_text(c->fields[c->n_fields - 1]) : AG_S("");
	const ag_str table = c->n_fields == 2 ? ag_sql_node_text(c->fields[0]) : AG_S("");
	unsigned nfound = 0;

	if (!scope || !column.len || c->n_fields > 2)
		return false;
	for (const ag_sql_range *r = scope->ranges; r; r = r->next) {
		ag_sql_meaning m;

		if (table.len && !ag_str_eq(r->name, table))
			continue;
		if (meaning_in(r, column, &m)) {
			*ret = m;
			nfound++;
		} else if (!table.len && r->relation &&
		           ag_sql_scope_has_column(w, r->name, column)) {
			return false;
		}
	}
	return nfound == 1;
}
