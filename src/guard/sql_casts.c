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
	OID_INT4 = 23,
	OID_TEXT = 25,
	OID_UNKNOWN = 705, /* of a literal in quotes, and of NULL */
	OID_NUMERIC = 1700,
	FIRST_USER_OID = 16384
};

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

static uint32_t type_named(const PgQuery__TypeName *t)
{
	static const struct {
		const char *name;
		uint32_t oid;
	} types[] = {
		{ "bool", 16 },       { "bytea", 17 },       { "int8", 20 },
		{ "int2", 21 },       { "int4", 23 },        { "text", 25 },
		{ "json", 114 },      { "float4", 700 },     { "float8", 701 },
		{ "bpchar", 1042 },   { "varchar", 1043 },   { "date", 1082 },
		{ "time", 1083 },     { "timestamp", 1114 }, { "timestamptz", 1184 },
		{ "interval", 1186 }, { "numeric", 1700 },   { "uuid", 2950 },
		{ "jsonb", 3802 },
	};
	const ag_str name = t && t->n_names ? ag_sql_node_text(t->names[t->n_names - 1]) : AG_S("");

	for (size_t i = 0; name.len && !t->n_array_bounds && i < AG_NELEM(types); i++)
		if (ag_str_eqc(name, types[i].name))
			return types[i].oid;
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
static uint32_t type_of_column(const ag_sql_walk *w, const PgQuery__ColumnRef *c)
{
	const size_t n = c->n_fields;
	const ag_str name = n ? ag_sql_node_text(c->fields[n - 1]) : AG_S("");
	const ag_str qualifier = n > 1 ? ag_sql_node_text(c->fields[n - 2]) : AG_S("");
	uint32_t found = 0;

	if (!name.len || n > 2)
		return 0;
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
	return found;
}

static bool is_comparison(ag_str symbol)
{
	static const char *const names[] = { "=", "<>", "<", ">", "<=", ">=" };

	for (size_t i = 0; i < AG_NELEM(names); i++)
		if (ag_str_eqc(symbol, names[i]))
			return true;
	return false;
}

static bool is_one_of(ag_str name, const char *list)
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

static uint32_t type_of(const ag_sql_walk *w, const PgQuery__Node *node)
{
	ag_str name;

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
	case PG_QUERY__NODE__NODE_A_EXPR:
		name = last_name(node->a_expr->name, node->a_expr->n_name);
		if (node->a_expr->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF)
			return type_of(w, node->a_expr->lexpr);
		if (node->a_expr->kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP || is_comparison(name))
			return OID_BOOL;
		return is_one_of(name, "+ - * /") && type_of(w, node->a_expr->lexpr) ==
		                                             type_of(w, node->a_expr->rexpr)
		               ? type_of(w, node->a_expr->rexpr)
		               : 0;
	case PG_QUERY__NODE__NODE_FUNC_CALL:
		name = last_name(node->func_call->funcname, node->func_call->n_funcname);
		if (is_one_of(
			    name,
			    "lower upper trim btrim substr substring replace string_agg concat md5"))
			return OID_TEXT;
		return ag_str_eqc(name, "count") ? OID_INT8 : 0;
	default: return 0;
	}
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

/* Could a value of this expression be converted unasked, to the type (0 = any)? */
static bool may_convert(ag_sql_walk *w, const PgQuery__Node *node, uint32_t target)
{
	const uint32_t type = type_of(w, node);
	const ag_sql_cast *k = node && (!type || type != target) ? find_cast(w, type, target, false)
	                                                         : NULL;

	return k && !refuse_cast(w, k);
}

/* Integers of all sizes have operators with each other, and so have floats. */
static uint32_t family(uint32_t type)
{
	switch (type) {
	case 20:
	case 21: return OID_INT4;
	case 700: return 701;
	default: return type;
	}
}

/* All of one type, or literals beside it: nothing is converted. */
static bool may_mix(ag_sql_walk *w, PgQuery__Node *const *nodes, size_t n)
{
	uint32_t common = OID_UNKNOWN;
	bool is_same = true;

	for (size_t i = 0; i < n; i++) {
		const uint32_t type = family(type_of(w, nodes[i]));

		if (!nodes[i] || type == OID_UNKNOWN)
			continue;
		is_same &= type && (common == OID_UNKNOWN || common == type);
		common = type;
	}
	for (size_t i = 0; i < n && !is_same; i++)
		if (may_convert(w, nodes[i], 0))
			return true;
	return false;
}

static bool may_convert_operands(ag_sql_walk *w, const PgQuery__AExpr *e)
{
	const ag_str name = last_name(e->name, e->n_name);
	PgQuery__Node *both[2] = { e->lexpr, e->rexpr };
	const bool is_list = e->rexpr && e->rexpr->node_case == PG_QUERY__NODE__NODE_LIST;
	const bool is_exact = is_comparison(name) || is_one_of(name, "+ - * / BETWEEN") ||
	                      e->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN;

	if (is_list && is_exact) {
		for (size_t i = 0; i < e->rexpr->list->n_items; i++) {
			both[1] = e->rexpr->list->items[i];
			if (may_mix(w, both, 2))
				return true;
		}
		return false;
	}
	/* Two literals in quotes are texts. */
	if (is_exact || (type_of(w, e->lexpr) == OID_TEXT && type_of(w, e->rexpr) == OID_TEXT))
		return may_mix(w, both, 2);
	return may_convert(w, e->lexpr, 0) || may_convert(w, e->rexpr, 0);
}

/* These exist for every type, or take a value as it is. */
static bool takes_anything(ag_str name)
{
	return is_one_of(name,
	                 "count max min array_agg concat concat_ws format json_agg jsonb_agg "
	                 "json_build_array json_build_object jsonb_build_array "
	                 "jsonb_build_object row_to_json to_json to_jsonb pg_typeof first_value "
	                 "last_value num_nulls num_nonnulls");
}

static bool may_convert_arguments(ag_sql_walk *w, const PgQuery__FuncCall *f)
{
	const ag_str name = last_name(f->funcname, f->n_funcname);

	if (may_convert(w, f->agg_filter, OID_BOOL))
		return true;
	for (size_t i = 0; i < f->n_args && !takes_anything(name); i++) {
		const uint32_t type = type_of(w, f->args[i]);

		if (is_one_of(name, "sum avg abs round") &&
		    (type == OID_INT4 || type == OID_INT8 || type == OID_NUMERIC))
			continue;
		if (may_convert(w, f->args[i], 0))
			return true;
	}
	return false;
}

static bool may_convert_arms(ag_sql_walk *w, const PgQuery__SelectStmt *s)
{
	const PgQuery__SelectStmt *arms[2] = { s->larg, s->rarg };
	PgQuery__Node *both[2];

	for (size_t i = 0; i < 2; i++)
		if (!arms[i] || arms[i]->op != PG_QUERY__SET_OPERATION__SETOP_NONE)
			return may_convert(w,
			                   s->larg ? s->larg->n_target_list
			                                     ? s->larg->target_list[0]
			                                     : NULL
			                           : NULL,
			                   0);
	/* Columns of the arms are not in scope here, so only literals and casts have a type. */
	for (size_t i = 0; i < arms[0]->n_target_list && i < arms[1]->n_target_list; i++) {
		for (size_t k = 0; k < 2; k++) {
			const PgQuery__Node *t = arms[k]->target_list[i];

			both[k] = t->node_case == PG_QUERY__NODE__NODE_RES_TARGET
			                  ? t->res_target->val
			                  : NULL;
		}
		if (may_mix(w, both, 2))
			return true;
	}
	return false;
}

static bool may_convert_select(ag_sql_walk *w, const PgQuery__SelectStmt *s)
{
	if (s->op != PG_QUERY__SET_OPERATION__SETOP_NONE)
		return may_convert_arms(w, s);
	for (size_t i = 1; i < s->n_values_lists; i++) {
		const PgQuery__Node *one = s->values_lists[0], *other = s->values_lists[i];

		for (size_t k = 0; one->node_case == PG_QUERY__NODE__NODE_LIST &&
		                   other->node_case == PG_QUERY__NODE__NODE_LIST &&
		                   k < one->list->n_items && k < other->list->n_items;
		     k++) {
			PgQuery__Node *both[2] = { one->list->items[k], other->list->items[k] };

			if (may_mix(w, both, 2))
				return true;
		}
	}
	return false;
}

static bool may_convert_cast(ag_sql_walk *w, const PgQuery__TypeCast *c)
{
	const uint32_t source = type_of(w, c->arg), target = type_named(c->type_name);
	const ag_sql_cast *k = source && source == target ? NULL
	                                                  : find_cast(w, source, target, true);

	return k && !refuse_cast(w, k);
}

static bool may_convert_when(ag_sql_walk *w, const PgQuery__CaseExpr *c)
{
	PgQuery__Node *results[2] = { c->defresult, NULL }, *tested[2] = { c->arg, NULL };

	for (size_t i = 0; i < c->n_args; i++) {
		const PgQuery__Node *when = c->args[i];

		if (when->node_case != PG_QUERY__NODE__NODE_CASE_WHEN)
			continue;
		tested[1] = when->case_when->expr;
		if (c->arg ? may_mix(w, tested, 2)
		           : may_convert(w, when->case_when->expr, OID_BOOL))
			return true;
		results[1] = when->case_when->result;
		if (results[0] && may_mix(w, results, 2))
			return true;
		results[0] = results[1];
	}
	return false;
}

bool ag_sql_casts_check(ag_sql_walk *w, unsigned tag, const void *node)
{
	const PgQuery__BoolExpr *b = node;
	const PgQuery__SubLink *s = node;

	if (tag == PG_QUERY__NODE__NODE_TYPE_CAST)
		return !may_convert_cast(w, node);
	if (!w->uses.has_implicit_casts)
		return true;
	switch (tag) {
	case PG_QUERY__NODE__NODE_A_EXPR: return !may_convert_operands(w, node);
	case PG_QUERY__NODE__NODE_FUNC_CALL: return !may_convert_arguments(w, node);
	case PG_QUERY__NODE__NODE_CASE_EXPR: return !may_convert_when(w, node);
	case PG_QUERY__NODE__NODE_SELECT_STMT: return !may_convert_select(w, node);
	case PG_QUERY__NODE__NODE_COALESCE_EXPR:
		return !may_mix(w, ((const PgQuery__CoalesceExpr *)node)->args,
		                ((const PgQuery__CoalesceExpr *)node)->n_args);
	case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
		return !may_mix(w, ((const PgQuery__MinMaxExpr *)node)->args,
		                ((const PgQuery__MinMaxExpr *)node)->n_args);
	case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
		return !may_mix(w, ((const PgQuery__AArrayExpr *)node)->elements,
		                ((const PgQuery__AArrayExpr *)node)->n_elements);
	case PG_QUERY__NODE__NODE_BOOL_EXPR:
		for (size_t i = 0; i < b->n_args; i++)
			if (may_convert(w, b->args[i], OID_BOOL))
				return false;
		return true;
	case PG_QUERY__NODE__NODE_SUB_LINK: return !s->testexpr || !may_convert(w, s->testexpr, 0);
	default: return true;
	}
}

/* WHERE, HAVING, ON: visited when FROM is in scope. */
bool ag_sql_casts_check_condition(ag_sql_walk *w, const PgQuery__Node *condition)
{
	return !w->uses.has_implicit_casts || !may_convert(w, condition, OID_BOOL);
}
