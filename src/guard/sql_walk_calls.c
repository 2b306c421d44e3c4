/* sql_walk_calls -- what runs code: functions, operators, casts. By list, in every place. */
#include "guard/sql_huge.h"

/* --- functions --- */

static ag_str lower(ag_sql_walk *w, ag_str s)
{
	char *copy = ag_str_cstr(w->scratch, s);

	for (size_t i = 0; i < s.len; i++)
		if (copy[i] >= 'A' && copy[i] <= 'Z')
			copy[i] = (char)(copy[i] - 'A' + 'a');
	return ag_str_make(copy, s.len);
}

/* These take several values of one type that is nowhere written, or make arrays: beside them the server reads a literal as a
 * value of a column's own type, domains included. */
static bool joins_types(ag_str name)
{
	static const char *const names[] = { "array_agg",
		                             "array_append",
		                             "array_cat",
		                             "array_fill",
		                             "array_position",
		                             "array_positions",
		                             "array_prepend",
		                             "array_remove",
		                             "array_replace",
		                             "lag",
		                             "lead",
		                             "mode",
		                             "percentile_disc",
		                             "width_bucket" };

	for (size_t i = 0; i < AG_NELEM(names); i++)
		if (ag_str_eqc(name, names[i]))
			return true;
	return false;
}

/* Gives its argument on as text, or only counts it. */
static bool is_plain_reader(const PgQuery__FuncCall *f, ag_str name)
{
	static const char *const names[] = { "count",   "json_agg", "jsonb_agg",
		                             "to_json", "to_jsonb", "row_to_json" };

	if (f->agg_distinct || f->n_agg_order || f->agg_within_group)
		return false;
	for (size_t i = 0; i < AG_NELEM(names); i++)
		if (ag_str_eqc(name, names[i]))
			return true;
	return false;
}

/* What it gives back is compared with a text by looking the text up as the name of a type. */
static bool check_typeof(ag_sql_walk *w, const PgQuery__FuncCall *f)
{
	const ag_sql_use use = ag_sql_uses_of(w, f);

	if (use == AG_SQL_USE_INNER && !w->uses.has_typeof) {
		w->uses.has_typeof = true;
		w->uses.typeof_at = w->v->position;
	}
	return use == AG_SQL_USE_RESULT || use == AG_SQL_USE_INNER || use == AG_SQL_USE_CAST ||
	       ag_sql_uses_refuse_typeof(w);
}

/* Lists all labels of its argument's type, whatever the value is. */
static bool lists_labels(ag_str name)
{
	return ag_str_eqc(name, "enum_first") || ag_str_eqc(name, "enum_last") ||
	       ag_str_eqc(name, "enum_range");
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
	if (ag_str_eqc(name, "pg_typeof") && !check_typeof(w, f))
		return false;
	if (lists_labels(name) && !w->uses.has_labels) {
		w->uses.has_labels = true;
		w->uses.labels_at = w->v->position;
	}
	w->uses.has_arrays |= joins_types(name);
	for (size_t i = 0; i < f->n_args && is_plain_reader(f, name); i++)
		ag_sql_uses_mark_node(w, f->args[i], AG_SQL_USE_JSON);
	ag_sql_list_add(w, &w->functions,
	                lower(w, !schema.len || ag_str_eqc(schema, "pg_catalog")
	                                 ? name
	                                 : ag_str_printf(w->scratch, "%.*s.%.*s", AG_FMT(schema),
	                                                 AG_FMT(name))));
	return ag_sql_huge_call(w, f, name);
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

/* Is every operator that schema.symbol means one of an extension that the guard knows, or that the project allows? */
static bool is_of_extension(const ag_sql_walk *w, ag_str schema, ag_str symbol)
{
	size_t n, found = 0;
	const ag_sql_operator *o = ag_sql_catalog_operators(w->catalog, symbol, &n);

	for (size_t i = 0; i < n; i++) {
		if (!ag_str_eq(o[i].name.schema, schema))
			continue;
		if (!ag_sql_extension_known(o[i].extension) &&
		    (!ag_sql_is_extension_allowed(w->policy, o[i].extension) ||
		     ag_sql_extension_refused(o[i].extension)))
			return false;
		found++;
	}
	return found > 0;
}

/* Without a schema: of PostgreSQL, and of the schema where names are looked up. */
static bool check_symbol(ag_sql_walk *w, ag_str symbol)
{
	size_t n;

	if (!ag_sql_operator_allowed(symbol)) {
		if (is_of_extension(w, ag_sql_policy_schema(w->policy), symbol))
			return true;
		ag_sql_refuse(w->v, w->arena, AG_SQLRULE_OPERATOR, "Operator %.*s is not allowed",
		              AG_FMT(symbol));
		return ag_sql_refuse_hint(w->v, w->arena, "use built-in operators");
	}
	if (ag_sql_catalog_operators(w->catalog, symbol, &n))
		ag_sql_uses_operator(w, symbol);
	return true;
}

bool ag_sql_check_operator(ag_sql_walk *w, PgQuery__Node *const *name, size_t n)
{
	const ag_str symbol = n ? ag_sql_node_text(name[n - 1]) : AG_S("");
	const ag_str schema = n == 2 ? ag_sql_node_text(name[0]) : AG_S("");

	if (n == 1)
		return check_symbol(w, symbol);
	if (n == 2 && (ag_str_eqc(schema, "pg_catalog") ? ag_sql_operator_allowed(symbol)
	                                                : is_of_extension(w, schema, symbol)))
		return true;
	return ag_sql_refuse(w->v, w->arena, AG_SQLRULE_OPERATOR,
	                     "Operator %.*s.%.*s is not allowed: only those of PostgreSQL are",
	                     AG_FMT(schema), AG_FMT(symbol));
}

bool ag_sql_check_equals(ag_sql_walk *w)
{
	return check_symbol(w, AG_S("="));
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
		return check_symbol(w, AG_S(">=")) && check_symbol(w, AG_S("<=")) &&
		       check_symbol(w, AG_S("<")) && check_symbol(w, AG_S(">"));
	case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
	case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF: w->uses.has_choices = true; break;
	default: break;
	}
	return ag_sql_check_operator(w, e->name, e->n_name) && ag_sql_huge_expr(w, e);
}

bool ag_sql_check_sublink(ag_sql_walk *w, const void *node)
{
	const PgQuery__SubLink *s = node;

	ag_sql_walk_at(w, s->location);
	w->uses.has_arrays |= s->sub_link_type == PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK;
	if (!ag_sql_huge_sublink(w, s))
		return false;
	if (s->n_oper_name)
		return ag_sql_check_operator(w, s->oper_name, s->n_oper_name);
	return !s->testexpr || ag_sql_check_equals(w); /* x IN (select ...) */
}

bool ag_sql_check_sort(ag_sql_walk *w, const void *node)
{
	const PgQuery__SortBy *s = node;

	ag_sql_walk_at(w, s->location);
	if (s->node && s->node->node_case == PG_QUERY__NODE__NODE_FUNC_CALL)
		ag_sql_uses_mark_node(w, s->node, AG_SQL_USE_RESULT);
	return !s->n_use_op || ag_sql_check_operator(w, s->use_op, s->n_use_op);
}

bool ag_sql_check_case(ag_sql_walk *w, const void *node)
{
	const PgQuery__CaseExpr *c = node;

	ag_sql_walk_at(w, c->location);
	w->uses.has_choices = true;
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

/* Would a cast to it, or a text that is read as it, run code or look names up? */
static bool is_plain(const ag_sql_danger *d)
{
	return !d->makes && !d->reads && !d->converts && !d->casts && !d->compares &&
	       !d->names_objects;
}

/* One of the database's users or of an extension, in the schema where the server would find it. */
static bool check_listed_type(ag_sql_walk *w, ag_str schema, ag_str name, bool *ret_known)
{
	size_t n;
	const ag_sql_type *t = ag_sql_catalog_types(w->catalog, name, &n);

	for (size_t i = 0; i < n; i++) {
		ag_sql_danger d;

		if (!ag_str_eq(t[i].name.schema, schema))
			continue;
		ag_sql_uses_add_type(w, t[i].oid);
		*ret_known = true;
		if (ag_sql_is_type_listed(w->policy, &t[i]))
			return true;
		ag_sql_danger_of_type(w->policy, w->catalog, &t[i], &d);
		if (ag_sql_is_schema_allowed(w->policy, schema) && t[i].kind != 'b' &&
		    !t[i].extension.len && is_plain(&d))
			return true;
		ag_sql_refuse(w->v, w->arena, AG_SQLRULE_TYPE, "A cast to %.*s is not allowed",
		              AG_FMT(name));
		return ag_sql_refuse_hint(w->v, w->arena,
		                          "a project can allow the type%s in allowed_types",
		                          t[i].extension.len ? " or its extension" : "");
	}
	return true;
}

static bool check_user_type(ag_sql_walk *w, ag_str schema, ag_str name, bool *ret_known)
{
	const ag_str home = schema.len ? schema : ag_sql_policy_schema(w->policy);
	const ag_sql_relation *r = ag_sql_catalog_relation(w->catalog, home, name);
	ag_sql_danger d;

	if (!r || r->kind == AG_SQL_SEQUENCE)
		return check_listed_type(w, home, name, ret_known);
	/* The row type of a table tells its columns, so it is as open as the table is. */
	*ret_known = true;
	if (!ag_sql_policy_relation(w->policy, w->catalog, schema, name, true, w->arena, w->v))
		return false;
	ag_sql_danger_of(w->policy, w->catalog, r->row_type, &d);
	ag_sql_uses_add_type(w, r->row_type);
	return is_plain(&d) || ag_sql_refuse(w->v, w->arena, AG_SQLRULE_TYPE,
	                                     "A cast to %.*s is not allowed: a column's type runs "
	                                     "code of the database",
	                                     AG_FMT(name));
}

bool ag_sql_check_cast(ag_sql_walk *w, const void *node)
{
	const PgQuery__TypeCast *c = node;

	if (!c->arg || c->arg->node_case == PG_QUERY__NODE__NODE_A_CONST)
		return true;
	w->uses.has_casts = true;
	ag_sql_uses_mark_node(w, c->arg, AG_SQL_USE_CAST);
	return ag_sql_huge_cast(w, c);
}

bool ag_sql_check_array(ag_sql_walk *w, const void *node)
{
	(void)node;
	w->uses.has_arrays = true;
	return true;
}

bool ag_sql_check_choice(ag_sql_walk *w, const void *node)
{
	(void)node;
	w->uses.has_choices = true;
	return true;
}

bool ag_sql_check_null(ag_sql_walk *w, const void *node)
{
	const PgQuery__NullTest *t = node;

	if (t->arg && t->arg->node_case == PG_QUERY__NODE__NODE_COLUMN_REF)
		ag_sql_uses_mark_node(w, t->arg, AG_SQL_USE_FIELD);
	return true;
}

bool ag_sql_check_row(ag_sql_walk *w, const void *node)
{
	(void)node;
	w->uses.has_rows = true;
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
			return ag_sql_huge_type(w, t, name);
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
