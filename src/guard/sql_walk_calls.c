/* sql_walk_calls -- what runs code: functions, operators, casts. By list, in every place. */
#include "guard/sql_walk.h"

/* --- functions --- */

static ag_str lower(ag_sql_walk *w, ag_str s)
{
	char *copy = ag_str_cstr(w->scratch, s);

	for (size_t i = 0; i < s.len; i++)
		if (copy[i] >= 'A' && copy[i] <= 'Z')
			copy[i] = (char)(copy[i] - 'A' + 'a');
	return ag_str_make(copy, s.len);
}

bool ag_sql_check_call(ag_sql_walk *w, const void *node)
{
	const PgQuery__FuncCall *f = node;
	const size_t n = f->n_funcname;
	const ag_str name = n ? ag_sql_node_text(f->funcname[n - 1]) : AG_S("");
	const ag_str schema = n == 2 ? ag_sql_node_text(f->funcname[0]) : AG_S("");

	ag_sql_walk_at(w, f->location);
	if (!name.len || n > 2 || (n == 2 && !schema.len))
		return ag_sql_refuse(w->v, w->arena, AG_SQLRULE_UNKNOWN_FUNCTION,
		                     "Function %.*s is not allowed: it is written with a database",
		                     AG_FMT(name));
	if (!ag_sql_policy_function(w->policy, w->catalog, schema, name, w->arena, w->v))
		return false;
	ag_sql_list_add(w, &w->functions,
	                lower(w, !schema.len || ag_str_eqc(schema, "pg_catalog")
	                                 ? name
	                                 : ag_str_printf(w->scratch, "%.*s.%.*s", AG_FMT(schema),
	                                                 AG_FMT(name))));
	return true;
}

bool ag_sql_check_xml(ag_sql_walk *w, const void *node)
{
	const PgQuery__XmlExpr *x = node;

	ag_sql_walk_at(w, x->location);
	/* What reads a text as XML is allowed where ::xml is. */
	if ((x->op == PG_QUERY__XML_EXPR_OP__IS_XMLPARSE ||
	     x->op == PG_QUERY__XML_EXPR_OP__IS_DOCUMENT) &&
	    !ag_sql_type_allowed(AG_S("xml")))
		return ag_sql_refuse(w->v, w->arena, AG_SQLRULE_TYPE, "XML is not allowed");
	return true;
}

bool ag_sql_check_parameter(ag_sql_walk *w, const void *node)
{
	const PgQuery__ParamRef *p = node;

	ag_sql_walk_at(w, p->location);
	ag_sql_refuse(w->v, w->arena, AG_SQLRULE_PARAMETER,
	              "The parameter $%d is not allowed: there is nothing to put in its place",
	              p->number);
	return ag_sql_refuse_hint(w->v, w->arena, "write the value itself");
}

/* --- operators --- */

static bool check_symbol(ag_sql_walk *w, ag_str symbol, bool is_qualified)
{
	if (!ag_sql_operator_allowed(symbol)) {
		ag_sql_refuse(w->v, w->arena, AG_SQLRULE_OPERATOR, "Operator %.*s is not allowed",
		              AG_FMT(symbol));
		return ag_sql_refuse_hint(w->v, w->arena, "use built-in operators");
	}
	if (is_qualified || !ag_sql_catalog_has_operator(w->catalog, symbol))
		return true;
	ag_sql_refuse(
		w->v, w->arena, AG_SQLRULE_OPERATOR,
		"Operator %.*s is not allowed: this database has one of its own with that name",
		AG_FMT(symbol));
	return ag_sql_refuse_hint(w->v, w->arena,
	                          "write OPERATOR(pg_catalog.%.*s) for the built-in one",
	                          AG_FMT(symbol));
}

bool ag_sql_check_operator(ag_sql_walk *w, PgQuery__Node *const *name, size_t n)
{
	const ag_str symbol = n ? ag_sql_node_text(name[n - 1]) : AG_S("");
	const ag_str schema = n == 2 ? ag_sql_node_text(name[0]) : AG_S("");

	if (n == 1 || (n == 2 && ag_str_eqc(schema, "pg_catalog")))
		return check_symbol(w, symbol, n == 2);
	return ag_sql_refuse(w->v, w->arena, AG_SQLRULE_OPERATOR,
	                     "Operator %.*s.%.*s is not allowed: only those of PostgreSQL are",
	                     AG_FMT(schema), AG_FMT(symbol));
}

bool ag_sql_check_equals(ag_sql_walk *w)
{
	return check_symbol(w, AG_S("="), false);
}

bool ag_sql_check_expr(ag_sql_walk *w, const void *node)
{
	const PgQuery__AExpr *e = node;

	ag_sql_walk_at(w, e->location);
	switch (e->kind) {
	case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
	case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
	case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM:
	case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM:
		/* the name is the word BETWEEN; these are what it stands for */
		return check_symbol(w, AG_S(">="), false) && check_symbol(w, AG_S("<="), false) &&
		       check_symbol(w, AG_S("<"), false) && check_symbol(w, AG_S(">"), false);
	default: return ag_sql_check_operator(w, e->name, e->n_name);
	}
}

bool ag_sql_check_sublink(ag_sql_walk *w, const void *node)
{
	const PgQuery__SubLink *s = node;

	ag_sql_walk_at(w, s->location);
	if (s->n_oper_name)
		return ag_sql_check_operator(w, s->oper_name, s->n_oper_name);
	return !s->testexpr || ag_sql_check_equals(w); /* x IN (select ...) */
}

bool ag_sql_check_sort(ag_sql_walk *w, const void *node)
{
	const PgQuery__SortBy *s = node;

	ag_sql_walk_at(w, s->location);
	return !s->n_use_op || ag_sql_check_operator(w, s->use_op, s->n_use_op);
}

bool ag_sql_check_case(ag_sql_walk *w, const void *node)
{
	const PgQuery__CaseExpr *c = node;

	ag_sql_walk_at(w, c->location);
	return !c->arg || ag_sql_check_equals(w); /* CASE x WHEN y */
}

/* --- types --- */

/* Types of pg_catalog that no cast may name: a type of a user with such a name is not what the server would take. */
static bool is_of_the_server(ag_str name)
{
	static const char *const names[] = {
		"aclitem",     "cid",       "cstring",     "event_trigger",
		"fdw_handler", "gtsvector", "int2vector",  "index_am_handler",
		"internal",    "oid",       "oidvector",   "language_handler",
		"record",      "refcursor", "tid",         "table_am_handler",
		"trigger",     "unknown",   "tsm_handler", "txid_snapshot",
		"void",        "xid",       "xid8",
	};

	for (size_t i = 0; i < AG_NELEM(names); i++)
		if (ag_str_eqc(name, names[i]))
			return true;
	return ag_str_starts(name, AG_S("pg_")) || ag_str_starts(name, AG_S("reg")) ||
	       ag_str_starts(name, AG_S("any")) || ag_str_starts(name, AG_S("_"));
}

/* A type of the database's users: every one that the name could mean must be harmless. */
static bool is_user_type(ag_sql_walk *w, ag_str schema, ag_str name)
{
	size_t n, found = 0;
	const ag_sql_type *t = ag_sql_catalog_types(w->catalog, name, &n);

	for (size_t i = 0; i < n; i++) {
		if (schema.len && !ag_str_eq(t[i].name.schema, schema))
			continue;
		if (t[i].has_cast || !(t[i].kind == 'e' || t[i].kind == 'd' || t[i].kind == 'c'))
			return false;
		found++;
	}
	return found > 0;
}

static bool check_user_type(ag_sql_walk *w, ag_str schema, ag_str name, bool *ret_known)
{
	const ag_str home = schema.len ? schema : ag_sql_policy_schema(w->policy);

	/* The row type of a table tells its columns, so it is as open as the table is. */
	if (ag_sql_catalog_relation(w->catalog, home, name)) {
		*ret_known = true;
		return ag_sql_policy_relation(w->policy, w->catalog, schema, name, true, w->arena,
		                              w->v);
	}
	*ret_known = is_user_type(w, schema, name);
	return true;
}

bool ag_sql_check_type(ag_sql_walk *w, const void *node)
{
	const PgQuery__TypeName *t = node;
	const size_t n = t->n_names;
	const ag_str name = n ? ag_sql_node_text(t->names[n - 1]) : AG_S("");
	const ag_str schema = n == 2 ? ag_sql_node_text(t->names[0]) : AG_S("");
	const bool is_system = ag_str_eqc(schema, "pg_catalog");
	bool known = false;

	ag_sql_walk_at(w, t->location);
	if (name.len && n <= 2 && !t->setof && !t->pct_type) {
		if ((n == 1 || is_system) && ag_sql_type_allowed(name))
			return true;
		if (!ag_sql_is_system_schema(schema) && (schema.len || !is_of_the_server(name)) &&
		    !check_user_type(w, schema, name, &known))
			return false;
	}
	if (known)
		return true;
	ag_sql_refuse(w->v, w->arena, AG_SQLRULE_TYPE, "A cast to %.*s is not allowed",
	              AG_FMT(name));
	return ag_sql_refuse_hint(w->v, w->arena,
	                          "use a built-in type such as text, numeric, date");
}
