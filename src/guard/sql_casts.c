/* sql_casts -- casts between the server's own types that users defined, such as integer to text.
 *
 * The server applies an implicit one wherever it finds no better match, so almost any expression could run its function. In a
 * database with such a cast the types of simple expressions are followed: literals, columns, casts, comparisons. An expression is
 * let through when its operands certainly have other types than the cast's source, or match each other exactly, so that the
 * server converts nothing. Everything else is refused. In any other database this costs nothing. */
#include "guard/sql_walk.h"

enum {
	OID_BOOL = 16,
	OID_INT8 = 20,
	OID_INT2 = 21,
	OID_INT4 = 23,
	OID_TEXT = 25,
	OID_FLOAT4 = 700,
	OID_FLOAT8 = 701,
	OID_UNKNOWN = 705, /* of a literal in quotes, and of NULL */
	OID_BPCHAR = 1042,
	OID_VARCHAR = 1043,
	OID_INTERVAL = 1186,
	OID_NUMERIC = 1700,
	FIRST_USER_OID = 16384
};

#define MAX_DOMAINS 32u /* one over the other */
#define MAX_ARMS    64u /* of one set operation */

static bool is_watched(const ag_sql_walk *w, const ag_sql_cast *k)
{
	return k->source < FIRST_USER_OID && k->target < FIRST_USER_OID &&
	       !ag_sql_may_run(w->policy, w->catalog, k->function);
}

void ag_sql_casts_begin(ag_sql_walk *w)
{
	const ag_sql_catalog *c = w->catalog;

	for (size_t i = 0; c && i < c->ncast; i++) {
		if (!is_watched(w, &c->casts[i]))
			continue;
		w->uses.has_server_casts = true;
		w->uses.has_implicit_casts |= c->casts[i].is_implicit;
	}
}

/* A cast of users from the type to the other; 0 = any type. is_written: one that the statement writes. */
static const ag_sql_cast *find_cast(const ag_sql_walk *w, uint32_t source, uint32_t target,
                                    bool is_written)
{
	const ag_sql_catalog *c = w->catalog;

	if (source == OID_UNKNOWN)
		return NULL;
	for (size_t i = 0; i < c->ncast; i++) {
		const ag_sql_cast *k = &c->casts[i];

		if ((k->is_implicit || is_written) && (!source || k->source == source) &&
		    (!target || k->target == target) && is_watched(w, k))
			return k;
	}
	return NULL;
}

/* --- types of simple expressions; 0 = not followed --- */

/* What the server has for values of one type, so that it converts none of them. */
enum {
	HAS_ANY = 0,
	HAS_EQUAL = 1, /* =, <>, <, >, <=, >= */
	HAS_PLUS = 2,  /* +, -, *, / */
	HAS_MAX = 4    /* max(), min() */
};

static const struct server_type {
	const char *name;
	uint32_t oid;
	unsigned has;
} server_types[] = {
	{ "bool", OID_BOOL, HAS_EQUAL },
	{ "bytea", 17, HAS_EQUAL },
	{ "char", 18, HAS_EQUAL },
	{ "name", 19, HAS_EQUAL },
	{ "int8", OID_INT8, HAS_EQUAL | HAS_PLUS | HAS_MAX },
	{ "int2", OID_INT2, HAS_EQUAL | HAS_PLUS | HAS_MAX },
	{ "int4", OID_INT4, HAS_EQUAL | HAS_PLUS | HAS_MAX },
	{ "text", OID_TEXT, HAS_EQUAL | HAS_MAX },
	{ "oid", 26, HAS_EQUAL | HAS_MAX },
	{ "json", 114, HAS_ANY },
	{ "xml", 142, HAS_ANY },
	{ "cidr", 650, HAS_EQUAL },
	{ "float4", OID_FLOAT4, HAS_EQUAL | HAS_PLUS | HAS_MAX },
	{ "float8", OID_FLOAT8, HAS_EQUAL | HAS_PLUS | HAS_MAX },
	{ "money", 790, HAS_EQUAL | HAS_MAX },
	{ "macaddr", 829, HAS_EQUAL },
	{ "inet", 869, HAS_EQUAL | HAS_MAX },
	{ "bpchar", OID_BPCHAR, HAS_EQUAL | HAS_MAX },
	{ "varchar", OID_VARCHAR, HAS_EQUAL | HAS_MAX },
	{ "date", 1082, HAS_EQUAL | HAS_MAX },
	{ "time", 1083, HAS_EQUAL | HAS_MAX },
	{ "timestamp", 1114, HAS_EQUAL | HAS_MAX },
	{ "timestamptz", 1184, HAS_EQUAL | HAS_MAX },
	{ "interval", OID_INTERVAL, HAS_EQUAL | HAS_MAX },
	{ "timetz", 1266, HAS_EQUAL | HAS_MAX },
	{ "bit", 1560, HAS_EQUAL },
	{ "varbit", 1562, HAS_EQUAL },
	{ "numeric", OID_NUMERIC, HAS_EQUAL | HAS_PLUS | HAS_MAX },
	{ "uuid", 2950, HAS_EQUAL },
	{ "jsonb", 3802, HAS_EQUAL },
};

static const struct server_type *server_type_of(uint32_t oid)
{
	for (size_t i = 0; i < AG_NELEM(server_types); i++)
		if (server_types[i].oid == oid)
			return &server_types[i];
	return NULL;
}

/* The other followed types are enums of users. */
static bool has_all(uint32_t type, unsigned has)
{
	const struct server_type *t = server_type_of(type);

	return t ? (t->has & has) == has : !(has & HAS_PLUS);
}

/* The type whose casts the server asks for: of a domain the one below it. Arrays, rows and ranges are not followed: the server
 * converts what is inside of them. */
static uint32_t followed(const ag_sql_walk *w, uint32_t oid)
{
	for (unsigned i = 0; i < MAX_DOMAINS; i++) {
		const ag_sql_type_ref *ref = ag_sql_catalog_type(w->catalog, oid);
		const ag_sql_type *t;

		if (!ref)
			return server_type_of(oid) ? oid : 0;
		if (ref->is_array || ref->is_row)
			return 0;
		t = &w->catalog->types[ref->index];
		if (t->kind != 'd')
			return t->kind == 'e' ? oid : 0;
		oid = t->npart ? t->parts[0] : 0;
	}
	return 0;
}

static uint32_t type_named(const PgQuery__TypeName *t)
{
	const size_t n = t ? t->n_names : 0;
	const ag_str name = n ? ag_sql_node_text(t->names[n - 1]) : AG_S("");

	if (!name.len || t->n_array_bounds ||
	    (n > 1 && !ag_str_eqc(ag_sql_node_text(t->names[0]), "pg_catalog")))
		return 0;
	for (size_t i = 0; i < AG_NELEM(server_types); i++)
		if (ag_str_eqc(name, server_types[i].name))
			return server_types[i].oid;
	return 0;
}

static uint32_t type_of_literal(const PgQuery__AConst *c)
{
	if (c->isnull)
		return OID_UNKNOWN;
	switch (c->val_case) {
	case PG_QUERY__A__CONST__VAL_IVAL: return OID_INT4;
	case PG_QUERY__A__CONST__VAL_BOOLVAL: return OID_BOOL;
	case PG_QUERY__A__CONST__VAL_SVAL: return OID_UNKNOWN;
	case PG_QUERY__A__CONST__VAL_FVAL:
		return strspn(c->fval->fval, "0123456789") == strlen(c->fval->fval) ? 0
		                                                                    : OID_NUMERIC;
	default: return 0;
	}
}

/* Of every column that the name could mean the same type, and nothing in FROM whose columns are not known. */
static uint32_t type_of_name(const ag_sql_walk *w, ag_str qualifier, ag_str name)
{
	uint32_t found = 0;

	for (const ag_sql_scope *s = w->scope; s; s = s->outer) {
		for (const ag_sql_range *r = s->ranges; r; r = r->next) {
			if (qualifier.len && !ag_str_eq(r->name, qualifier))
				continue;
			if (!r->relation || !r->relation->column_types ||
			    (r->alias && r->alias->n_colnames))
				return 0;
			for (size_t i = 0; i < r->relation->ncolumn; i++) {
				if (!ag_str_eq(r->relation->columns[i], name))
					continue;
				if (found && found != r->relation->column_types[i])
					return 0;
				found = r->relation->column_types[i];
			}
		}
	}
	return followed(w, found);
}

static uint32_t type_of_column(const ag_sql_walk *w, const PgQuery__ColumnRef *c)
{
	const size_t n = c->n_fields;
	const ag_str name = n ? ag_sql_node_text(c->fields[n - 1]) : AG_S("");

	if (!name.len || n > 2)
		return 0;
	return type_of_name(w, n > 1 ? ag_sql_node_text(c->fields[0]) : AG_S(""), name);
}

static bool is_comparison(ag_str symbol)
{
	static const char *const names[] = { "=", "<>", "<", ">", "<=", ">=" };

	for (size_t i = 0; i < AG_NELEM(names); i++)
		if (ag_str_eqc(symbol, names[i]))
			return true;
	return false;
}

static bool is_word_of(ag_str name, const char *list)
{
	ag_str rest = ag_str_c(list);

	while (rest.len)
		if (ag_str_eq(ag_str_split(&rest, ' '), name))
			return true;
	return false;
}

static ag_str last_name(PgQuery__Node *const *names, size_t n)
{
	return n ? ag_sql_node_text(names[n - 1]) : AG_S("");
}

static uint32_t type_of(const ag_sql_walk *w, const PgQuery__Node *node);

/* Of numbers of one type the result is of that type; -x as well. */
static uint32_t type_of_sum(const ag_sql_walk *w, const PgQuery__AExpr *e)
{
	const uint32_t right = type_of(w, e->rexpr);

	if (e->lexpr && type_of(w, e->lexpr) != right)
		return 0;
	return right && right != OID_UNKNOWN && has_all(right, HAS_PLUS) ? right : 0;
}

static uint32_t type_of_expr(const ag_sql_walk *w, const PgQuery__AExpr *e)
{
	const ag_str name = last_name(e->name, e->n_name);

	if (e->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF)
		return type_of(w, e->lexpr);
	if (e->kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP || is_comparison(name))
		return OID_BOOL;
	return is_word_of(name, "+ - * /") ? type_of_sum(w, e) : 0;
}

/* lower() and upper() are also the ends of a range, substring() also a part of a bytea. */
static uint32_t type_of_call(const ag_sql_walk *w, const PgQuery__FuncCall *f)
{
	const ag_str name = last_name(f->funcname, f->n_funcname);
	const uint32_t of = f->n_args ? type_of(w, f->args[0]) : 0;

	if (is_word_of(name, "concat md5"))
		return OID_TEXT;
	if (is_word_of(name, "lower upper btrim substr substring replace string_agg"))
		return of == OID_TEXT || of == OID_VARCHAR || of == OID_BPCHAR || of == OID_UNKNOWN
		               ? OID_TEXT
		               : 0;
	return ag_str_eqc(name, "count") ? OID_INT8 : 0;
}

static uint32_t type_of(const ag_sql_walk *w, const PgQuery__Node *node)
{
	switch (node ? node->node_case : PG_QUERY__NODE__NODE__NOT_SET) {
	case PG_QUERY__NODE__NODE_A_CONST: return type_of_literal(node->a_const);
	case PG_QUERY__NODE__NODE_TYPE_CAST: return type_named(node->type_cast->type_name);
	case PG_QUERY__NODE__NODE_COLUMN_REF: return type_of_column(w, node->column_ref);
	case PG_QUERY__NODE__NODE_BOOL_EXPR:
	case PG_QUERY__NODE__NODE_NULL_TEST:
	case PG_QUERY__NODE__NODE_BOOLEAN_TEST: return OID_BOOL;
	case PG_QUERY__NODE__NODE_SUB_LINK:
		return node->sub_link->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK ||
		                       node->sub_link->sub_link_type ==
		                               PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK
		               ? OID_BOOL
		               : 0;
	case PG_QUERY__NODE__NODE_A_EXPR: return type_of_expr(w, node->a_expr);
	case PG_QUERY__NODE__NODE_FUNC_CALL: return type_of_call(w, node->func_call);
	default: return 0;
	}
}

/* Adds the tables of FROM to a scope; false: something in FROM is no table of the catalog. */
static bool add_tables(const ag_sql_walk *w, const PgQuery__SelectStmt *s, ag_sql_scope *scope)
{
	for (size_t i = 0; i < s->n_from_clause; i++) {
		const PgQuery__RangeVar *t = s->from_clause[i]->range_var;
		const ag_sql_relation *relation;
		ag_sql_range *r;

		if (s->from_clause[i]->node_case != PG_QUERY__NODE__NODE_RANGE_VAR ||
		    (!t->schemaname[0] && ag_sql_scope_cte(w, ag_str_c(t->relname))))
			return false;
		relation = ag_sql_catalog_relation(w->catalog,
		                                   t->schemaname[0]
		                                           ? ag_str_c(t->schemaname)
		                                           : ag_sql_policy_schema(w->policy),
		                                   ag_str_c(t->relname));
		if (!relation)
			return false;
		r = ag_new(w->scratch, ag_sql_range);
		*r = (ag_sql_range){ .next = scope->ranges,
			             .name = t->alias ? ag_str_c(t->alias->aliasname)
			                              : ag_str_c(t->relname),
			             .alias = t->alias,
			             .relation = relation };
		scope->ranges = r;
	}
	return true;
}

/* Of column i of a query that is not in scope; a literal in quotes is given back as a text. */
static uint32_t type_of_target(ag_sql_walk *w, const PgQuery__SelectStmt *s, size_t i)
{
	ag_sql_scope scope = { .outer = w->scope };
	const PgQuery__Node *t = i < s->n_target_list ? s->target_list[i] : NULL;
	uint32_t type = 0;

	if (s->op != PG_QUERY__SET_OPERATION__SETOP_NONE || s->with_clause || !t ||
	    t->node_case != PG_QUERY__NODE__NODE_RES_TARGET || !add_tables(w, s, &scope))
		return 0;
	w->scope = &scope;
	type = type_of(w, t->res_target->val);
	w->scope = scope.outer;
	return type;
}

/* --- what an expression could convert --- */

static bool refuse_cast(ag_sql_walk *w, const ag_sql_cast *k)
{
	const bool is_told = ag_sql_is_schema_allowed(w->policy, k->function.schema);

	ag_sql_refuse(
		w->v, w->arena, AG_SQLRULE_TYPE,
		"The statement could run a cast that users defined between types of the server, "
		"and with it %s%.*s%s%.*s",
		is_told ? "the function " : "a function of a schema that is not allowed",
		(int)(is_told ? k->function.schema.len : 0), k->function.schema.ptr,
		is_told ? "." : "", (int)(is_told ? k->function.name.len : 0),
		k->function.name.ptr);
	return ag_sql_refuse_hint(w->v, w->arena,
	                          "compare columns and literals of the same type, or allow the "
	                          "function in allowed_functions");
}

/* Could a value of this type be converted unasked, to the other (0 = any)? */
static bool may_convert_type(ag_sql_walk *w, uint32_t type, uint32_t target)
{
	const ag_sql_cast *k = !type || type != target ? find_cast(w, type, target, false) : NULL;

	return k && !refuse_cast(w, k);
}

static bool may_convert(ag_sql_walk *w, const PgQuery__Node *node, uint32_t target)
{
	return node && may_convert_type(w, type_of(w, node), target);
}

/* Integers of all sizes have operators with each other, and so have floats. */
static uint32_t family(uint32_t type)
{
	switch (type) {
	case OID_INT8:
	case OID_INT2: return OID_INT4;
	case OID_FLOAT4: return OID_FLOAT8;
	default: return type;
	}
}

/* All of one type that has what is asked for, or literals beside it: nothing is converted. */
static bool may_mix_types(ag_sql_walk *w, const uint32_t *types, size_t n, unsigned has)
{
	uint32_t common = OID_UNKNOWN;
	bool is_same = true;

	for (size_t i = 0; i < n; i++) {
		const uint32_t type = family(types[i]);

		if (type == OID_UNKNOWN)
			continue;
		is_same &= type && (common == OID_UNKNOWN || common == type);
		common = type;
	}
	if (is_same && (common == OID_UNKNOWN || has_all(common, has)))
		return false;
	for (size_t i = 0; i < n; i++)
		if (may_convert_type(w, types[i], 0))
			return true;
	return false;
}

static bool may_mix(ag_sql_walk *w, PgQuery__Node *const *nodes, size_t n, unsigned has)
{
	uint32_t *types = ag_new_n(w->scratch, uint32_t, n);

	for (size_t i = 0; i < n; i++)
		types[i] = nodes[i] ? type_of(w, nodes[i]) : OID_UNKNOWN;
	return may_mix_types(w, types, n, has);
}

/* x IN (a, b), x BETWEEN a AND b, x = ANY (ARRAY[a, b]): the values beside x; false: there is no such list. */
static bool list_of(const PgQuery__AExpr *e, PgQuery__Node *const **ret, size_t *ret_n)
{
	const PgQuery__Node *r = e->rexpr;

	if (r && r->node_case == PG_QUERY__NODE__NODE_LIST) {
		*ret = r->list->items;
		*ret_n = r->list->n_items;
		return true;
	}
	if (!r || r->node_case != PG_QUERY__NODE__NODE_A_ARRAY_EXPR ||
	    (e->kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY &&
	     e->kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL))
		return false;
	*ret = r->a_array_expr->elements;
	*ret_n = r->a_array_expr->n_elements;
	return true;
}

static bool may_convert_operands(ag_sql_walk *w, const PgQuery__AExpr *e)
{
	const ag_str name = last_name(e->name, e->n_name);
	const bool is_sum = is_word_of(name, "+ - * /");
	const bool is_exact = is_sum || is_comparison(name) || is_word_of(name, "BETWEEN") ||
	                      e->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN;
	PgQuery__Node *both[2] = { e->lexpr, e->rexpr }, *const * list;
	size_t n;

	if (is_exact && list_of(e, &list, &n)) {
		for (size_t i = 0; i < n; i++) {
			both[1] = list[i];
			if (may_mix(w, both, 2, is_sum ? HAS_PLUS : HAS_EQUAL))
				return true;
		}
		return false;
	}
	if (is_exact)
		return may_mix(w, both, 2, is_sum ? HAS_PLUS : HAS_EQUAL);
	/* Two literals in quotes are texts. */
	if (type_of(w, e->lexpr) == OID_TEXT && type_of(w, e->rexpr) == OID_TEXT)
		return false;
	return may_convert(w, e->lexpr, 0) || may_convert(w, e->rexpr, 0);
}

/* Does argument i of this function have a parameter that takes a value of any type as it is? */
static bool takes_anything(ag_str name, size_t i)
{
	if (is_word_of(name, "format concat_ws")) /* the first is a text */
		return i > 0;
	return is_word_of(name, "count array_agg concat json_agg jsonb_agg json_build_array "
	                        "json_build_object jsonb_build_array jsonb_build_object "
	                        "row_to_json to_json to_jsonb pg_typeof first_value last_value "
	                        "num_nulls num_nonnulls mode");
}

static bool may_convert_argument(ag_sql_walk *w, ag_str name, const PgQuery__Node *arg)
{
	const uint32_t type = type_of(w, arg);

	if (is_word_of(name, "sum avg abs round") &&
	    (type == OID_INT4 || type == OID_INT8 || type == OID_NUMERIC))
		return false;
	if (is_word_of(name, "max min") && type && has_all(type, HAS_MAX))
		return false;
	return may_convert_type(w, type, 0);
}

static bool may_convert_arguments(ag_sql_walk *w, const PgQuery__FuncCall *f)
{
	const ag_str name = last_name(f->funcname, f->n_funcname);

	if (may_convert(w, f->agg_filter, OID_BOOL))
		return true;
	for (size_t i = 0; i < f->n_args; i++)
		if (!takes_anything(name, i) && may_convert_argument(w, name, f->args[i]))
			return true;
	/* percentile_cont(0.5) WITHIN GROUP (ORDER BY x): x is an argument as well. */
	for (size_t i = 0; f->agg_within_group && i < f->n_agg_order; i++)
		if (f->agg_order[i]->node_case == PG_QUERY__NODE__NODE_SORT_BY &&
		    !takes_anything(name, i) &&
		    may_convert_argument(w, name, f->agg_order[i]->sort_by->node))
			return true;
	return false;
}

/* --- SELECT --- */

/* The queries of a set operation, in any order; 0: they are too many. */
static size_t arms_of(const PgQuery__SelectStmt *s, const PgQuery__SelectStmt *ret[MAX_ARMS])
{
	size_t n = 1;

	ret[0] = s;
	for (size_t i = 0; i < n;) {
		const PgQuery__SelectStmt *one = ret[i];

		if (one->op == PG_QUERY__SET_OPERATION__SETOP_NONE || !one->larg || !one->rarg) {
			i++;
			continue;
		}
		if (n == MAX_ARMS)
			return 0;
		ret[i] = one->larg;
		ret[n++] = one->rarg;
	}
	return n;
}

/* Of three arms two are made alike first, and literals in quotes become texts by that. VALUES and what has a WITH clause is
 * not followed. */
static bool may_convert_arms(ag_sql_walk *w, const PgQuery__SelectStmt *s)
{
	const PgQuery__SelectStmt *arms[MAX_ARMS];
	const size_t n = arms_of(s, arms);
	uint32_t types[MAX_ARMS];

	for (size_t k = 0; k < n; k++)
		if (arms[k]->n_values_lists)
			return may_convert_type(w, 0, 0);
	for (size_t i = 0; n && i < arms[0]->n_target_list; i++) {
		for (size_t k = 0; k < n; k++) {
			types[k] = type_of_target(w, arms[k], i);
			if (n > 2 && types[k] == OID_UNKNOWN)
				types[k] = OID_TEXT;
		}
		if (may_mix_types(w, types, n, HAS_ANY))
			return true;
	}
	return !n && may_convert_type(w, 0, 0);
}

/* All values of a column become one type. */
static bool may_convert_values(ag_sql_walk *w, const PgQuery__SelectStmt *s)
{
	const PgQuery__Node *first = s->values_lists[0];
	PgQuery__Node **column = ag_new_n(w->scratch, PgQuery__Node *, s->n_values_lists);

	for (size_t k = 0;
	     first->node_case == PG_QUERY__NODE__NODE_LIST && k < first->list->n_items; k++) {
		for (size_t i = 0; i < s->n_values_lists; i++) {
			const PgQuery__Node *row = s->values_lists[i];

			column[i] = row->node_case == PG_QUERY__NODE__NODE_LIST &&
			                            k < row->list->n_items
			                    ? row->list->items[k]
			                    : NULL;
		}
		if (may_mix(w, column, s->n_values_lists, HAS_ANY))
			return true;
	}
	return false;
}

static bool may_convert_select(ag_sql_walk *w, const PgQuery__SelectStmt *s)
{
	if (may_convert(w, s->limit_count, OID_INT8) || may_convert(w, s->limit_offset, OID_INT8))
		return true;
	if (s->op != PG_QUERY__SET_OPERATION__SETOP_NONE)
		return may_convert_arms(w, s);
	return s->n_values_lists > 1 && may_convert_values(w, s);
}

/* x IN (SELECT y ...), x = ANY (SELECT y ...). */
static bool may_convert_sublink(ag_sql_walk *w, const PgQuery__SubLink *s)
{
	uint32_t types[2];

	if (!s->testexpr || !s->subselect ||
	    s->subselect->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
		return may_convert(w, s->testexpr, 0);
	types[0] = type_of(w, s->testexpr);
	types[1] = type_of_target(w, s->subselect->select_stmt, 0);
	if (types[1] == OID_UNKNOWN)
		types[1] = OID_TEXT;
	return may_mix_types(w, types, 2,
	                     s->n_oper_name &&
	                                     !is_comparison(last_name(s->oper_name, s->n_oper_name))
	                             ? HAS_EQUAL | HAS_PLUS
	                             : HAS_EQUAL);
}

/* --- other expressions --- */

static bool may_convert_cast(ag_sql_walk *w, const PgQuery__TypeCast *c)
{
	const uint32_t source = type_of(w, c->arg), target = type_named(c->type_name);
	const ag_sql_cast *k = source && source == target ? NULL
	                                                  : find_cast(w, source, target, true);

	return k && !refuse_cast(w, k);
}

/* The server converts a subscript as it does in an assignment. */
static bool may_convert_subscript(ag_sql_walk *w, const PgQuery__Node *node)
{
	const uint32_t type = node ? type_of(w, node) : OID_UNKNOWN;
	const ag_sql_cast *k = family(type) == OID_INT4 ? NULL : find_cast(w, type, 0, true);

	return k && !refuse_cast(w, k);
}

static bool may_convert_when(ag_sql_walk *w, const PgQuery__CaseExpr *c)
{
	PgQuery__Node **results = ag_new_n(w->scratch, PgQuery__Node *, c->n_args + 1);
	uint32_t tested[2] = { c->arg ? type_of(w, c->arg) : 0, 0 };

	if (tested[0] == OID_UNKNOWN) /* CASE 'a' WHEN ...: a text */
		tested[0] = OID_TEXT;
	results[0] = c->defresult;
	for (size_t i = 0; i < c->n_args; i++) {
		const PgQuery__CaseWhen *when = c->args[i]->case_when;

		results[i + 1] = NULL;
		if (c->args[i]->node_case != PG_QUERY__NODE__NODE_CASE_WHEN)
			continue;
		tested[1] = type_of(w, when->expr);
		if (c->arg ? may_mix_types(w, tested, 2, HAS_EQUAL)
		           : may_convert(w, when->expr, OID_BOOL))
			return true;
		results[i + 1] = when->result;
	}
	return may_mix(w, results, c->n_args + 1, HAS_ANY);
}

/* ROWS 3 PRECEDING, RANGE '1 day' FOLLOWING. */
static bool may_convert_frame(ag_sql_walk *w, const PgQuery__WindowDef *d)
{
	const PgQuery__Node *ends[2] = { d->start_offset, d->end_offset };

	for (size_t i = 0; i < 2; i++) {
		const uint32_t type = ends[i] ? type_of(w, ends[i]) : OID_UNKNOWN;

		if (family(type) != OID_INT4 && type != OID_NUMERIC && type != OID_INTERVAL &&
		    may_convert_type(w, type, 0))
			return true;
	}
	return false;
}

/* Elements take any value; the rest takes texts and XML. */
static bool may_convert_xml(ag_sql_walk *w, const PgQuery__XmlExpr *x)
{
	if (x->op == PG_QUERY__XML_EXPR_OP__IS_XMLELEMENT ||
	    x->op == PG_QUERY__XML_EXPR_OP__IS_XMLFOREST)
		return false;
	for (size_t i = 0; i < x->n_args; i++)
		if (may_convert(w, x->args[i], 0))
			return true;
	return false;
}

static bool may_convert_sample(ag_sql_walk *w, const PgQuery__RangeTableSample *s)
{
	for (size_t i = 0; i < s->n_args; i++)
		if (may_convert(w, s->args[i], OID_FLOAT4))
			return true;
	return may_convert(w, s->repeatable, OID_FLOAT8);
}

static bool may_convert_any(ag_sql_walk *w, PgQuery__Node *const *nodes, size_t n, uint32_t target)
{
	for (size_t i = 0; i < n; i++)
		if (may_convert(w, nodes[i], target))
			return true;
	return false;
}

static bool check_implicit(ag_sql_walk *w, unsigned tag, const void *node)
{
	const PgQuery__CoalesceExpr *c = node;
	const PgQuery__MinMaxExpr *m = node;
	const PgQuery__AArrayExpr *a = node;
	const PgQuery__BoolExpr *b = node;

	switch (tag) {
	case PG_QUERY__NODE__NODE_A_EXPR: return !may_convert_operands(w, node);
	case PG_QUERY__NODE__NODE_FUNC_CALL: return !may_convert_arguments(w, node);
	case PG_QUERY__NODE__NODE_CASE_EXPR: return !may_convert_when(w, node);
	case PG_QUERY__NODE__NODE_SELECT_STMT: return !may_convert_select(w, node);
	case PG_QUERY__NODE__NODE_SUB_LINK: return !may_convert_sublink(w, node);
	case PG_QUERY__NODE__NODE_WINDOW_DEF: return !may_convert_frame(w, node);
	case PG_QUERY__NODE__NODE_XML_EXPR: return !may_convert_xml(w, node);
	case PG_QUERY__NODE__NODE_RANGE_TABLE_SAMPLE: return !may_convert_sample(w, node);
	case PG_QUERY__NODE__NODE_COALESCE_EXPR: return !may_mix(w, c->args, c->n_args, HAS_ANY);
	case PG_QUERY__NODE__NODE_MIN_MAX_EXPR: return !may_mix(w, m->args, m->n_args, HAS_EQUAL);
	case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
		return !may_mix(w, a->elements, a->n_elements, HAS_ANY);
	case PG_QUERY__NODE__NODE_BOOL_EXPR:
		return !may_convert_any(w, b->args, b->n_args, OID_BOOL);
	case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
		return !may_convert(w, ((const PgQuery__BooleanTest *)node)->arg, OID_BOOL);
	default: return true;
	}
}

bool ag_sql_casts_check(ag_sql_walk *w, unsigned tag, const void *node)
{
	const PgQuery__AIndices *i = node;

	if (tag == PG_QUERY__NODE__NODE_TYPE_CAST)
		return !may_convert_cast(w, node);
	if (tag == PG_QUERY__NODE__NODE_A_INDICES)
		return !may_convert_subscript(w, i->lidx) && !may_convert_subscript(w, i->uidx);
	return !w->uses.has_implicit_casts || check_implicit(w, tag, node);
}

/* WHERE, HAVING, ON: visited when FROM is in scope. */
bool ag_sql_casts_check_condition(ag_sql_walk *w, const PgQuery__Node *condition)
{
	return !w->uses.has_implicit_casts || !may_convert(w, condition, OID_BOOL);
}

/* USING (a, b) compares columns of the same name; which ones NATURAL compares is not followed. */
bool ag_sql_casts_check_join(ag_sql_walk *w, const PgQuery__JoinExpr *j)
{
	if (!w->uses.has_implicit_casts)
		return true;
	if (j->is_natural && may_convert_type(w, 0, 0))
		return false;
	for (size_t i = 0; i < j->n_using_clause; i++) {
		const uint32_t type = type_of_name(w, AG_S(""),
		                                   ag_sql_node_text(j->using_clause[i]));

		if (may_mix_types(w, &type, 1, HAS_EQUAL))
			return false;
	}
	return true;
}
