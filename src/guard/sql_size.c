/* sql_size -- two estimates over the syntax tree: range_of() of a number, bytes_of() of a text, array or other value.
 *
 * Both are upper bounds under one assumption: a column of a table holds at most z->column bytes. A count of rows has no bound
 * in the text: it counts as at most z->rows. */
#include "guard/sql_size.h"

#include <math.h>
#include <stdlib.h>

#define MAX_CHAR_BYTES 4.0 /* of UTF-8 */
#define MAX_DEPTH      1e4 /* of a tree that a recursive query goes down */
#define MAX_REPLACES   32u /* in one chain */

typedef ag_sql_number range;
typedef ag_sql_sizing sizing;

static const range unknown = { -INFINITY, INFINITY };

static range range_of(sizing *z, const PgQuery__Node *n);
static double bytes_of(sizing *z, const PgQuery__Node *n);

static ag_str call_name(const PgQuery__FuncCall *f)
{
	return f->n_funcname ? ag_sql_node_text(f->funcname[f->n_funcname - 1]) : AG_S("");
}

bool ag_sql_is_one_of(ag_str name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eqc(name, list[i]))
			return true;
	}
	return false;
}

#define IS_ONE_OF AG_SQL_IS_ONE_OF

/* The text of a constant, also of '5'::int; false: it is not a constant with a text. */
bool ag_sql_constant_text(const PgQuery__Node *n, ag_str *ret)
{
	while (n && n->node_case == PG_QUERY__NODE__NODE_TYPE_CAST)
		n = n->type_cast->arg;
	if (!n || n->node_case != PG_QUERY__NODE__NODE_A_CONST || n->a_const->isnull ||
	    n->a_const->val_case != PG_QUERY__A__CONST__VAL_SVAL)
		return false;
	*ret = ag_str_c(n->a_const->sval->sval);
	return true;
}

/* --- numbers --- */

static range times(range a, range b)
{
	const double p[] = { a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high };
	range r = { INFINITY, -INFINITY };

	for (size_t i = 0; i < AG_NELEM(p); i++) {
		if (isnan(p[i]))
			return unknown; /* 0 times infinity */
		r.low = p[i] < r.low ? p[i] : r.low;
		r.high = p[i] > r.high ? p[i] : r.high;
	}
	return r;
}

static range divided(range a, range b)
{
	if (b.low > 0)
		return times(a, (range){ 1 / b.high, 1 / b.low });
	if (b.high < 0)
		return times(a, (range){ 1 / b.high, 1 / b.low });
	return unknown;
}

static range joined(range a, range b)
{
	return (range){ a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high };
}

static range constant_number(const PgQuery__AConst *c)
{
	double d = 0;

	if (c->isnull)
		return (range){ 0, 0 };
	switch (c->val_case) {
	case PG_QUERY__A__CONST__VAL_IVAL: d = c->ival->ival; break;
	case PG_QUERY__A__CONST__VAL_FVAL:
		if (!ag_str_to_double(ag_str_c(c->fval->fval), &d))
			return unknown;
		break;
	case PG_QUERY__A__CONST__VAL_SVAL:
		if (!ag_str_to_double(ag_str_trim(ag_str_c(c->sval->sval)), &d))
			return unknown;
		break;
	default: return unknown;
	}
	return (range){ d, d };
}

/* least() and greatest() pass over NULL, so only an argument that is never NULL bounds them: a constant. */
static range of_min_max(sizing *z, const PgQuery__MinMaxExpr *m)
{
	const bool is_least = m->op == PG_QUERY__MIN_MAX_OP__IS_LEAST;
	range all = { INFINITY, -INFINITY }, constant = unknown;

	for (size_t i = 0; i < m->n_args; i++) {
		const range a = range_of(z, m->args[i]);
		const PgQuery__Node *n = m->args[i];

		all = joined(all, a);
		while (n && n->node_case == PG_QUERY__NODE__NODE_TYPE_CAST)
			n = n->type_cast->arg;
		if (!n || n->node_case != PG_QUERY__NODE__NODE_A_CONST || n->a_const->isnull)
			continue;
		constant.high = fmin(constant.high, a.high);
		constant.low = fmax(constant.low, a.low);
	}
	if (is_least)
		all.high = fmin(all.high, constant.high);
	else
		all.low = fmax(all.low, constant.low);
	return all;
}

static range of_list(sizing *z, PgQuery__Node *const *list, size_t n)
{
	range r = { INFINITY, -INFINITY };

	for (size_t i = 0; i < n; i++)
		r = joined(r, range_of(z, list[i]));
	return n ? r : unknown;
}

static range of_case(sizing *z, const PgQuery__CaseExpr *c)
{
	range r = c->defresult ? range_of(z, c->defresult) : (range){ 0, 0 };

	for (size_t i = 0; i < c->n_args; i++) {
		if (c->args[i]->node_case != PG_QUERY__NODE__NODE_CASE_WHEN)
			return unknown;
		r = joined(r, range_of(z, c->args[i]->case_when->result));
	}
	return r;
}

static range of_operator(sizing *z, const PgQuery__AExpr *e)
{
	const ag_str op = e->n_name ? ag_sql_node_text(e->name[e->n_name - 1]) : AG_S("");
	range a, b;

	if (e->kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP || op.len != 1 || !e->rexpr)
		return unknown;
	b = range_of(z, e->rexpr);
	if (!e->lexpr)
		return op.ptr[0] == '-'   ? (range){ -b.high, -b.low }
		       : op.ptr[0] == '+' ? b
		                          : unknown;
	a = range_of(z, e->lexpr);
	switch (op.ptr[0]) {
	case '+': return (range){ a.low + b.low, a.high + b.high };
	case '-': return (range){ a.low - b.high, a.high - b.low };
	case '*': return times(a, b);
	case '/': return divided(a, b);
	case '%': {
		const double most = fmax(fabs(b.low), fabs(b.high));

		return (range){ a.low >= 0 ? 0 : -most, most };
	}
	default: return unknown;
	}
}

/* Of a part of a date. */
static range of_field(ag_str field)
{
	if (IS_ONE_OF(field, "year", "isoyear"))
		return (range){ -4714, 294277 };
	if (IS_ONE_OF(field, "month", "day", "hour", "minute", "second", "dow", "isodow", "doy",
	              "week", "quarter"))
		return (range){ 0, 366 };
	return unknown;
}

static range of_series(sizing *z, const PgQuery__FuncCall *f)
{
	range r;

	if (f->n_args < 2)
		return unknown;
	r = joined(range_of(z, f->args[0]), range_of(z, f->args[1]));
	return r;
}

static range of_call(sizing *z, const PgQuery__FuncCall *f)
{
	const ag_str name = call_name(f);
	ag_str field;

	if (IS_ONE_OF(name, "count", "row_number", "rank", "dense_rank", "regr_count", "ntile")) {
		z->has_used_rows = true;
		return (range){ 0, z->rows };
	}
	if (IS_ONE_OF(name, "percent_rank", "cume_dist", "random"))
		return (range){ 0, 1 };
	if (!f->n_args)
		return unknown;
	if (IS_ONE_OF(name, "round", "floor", "ceil", "ceiling", "trunc")) {
		const range a = range_of(z, f->args[0]);

		return (range){ a.low - 1, a.high + 1 };
	}
	if (IS_ONE_OF(name, "abs")) {
		const range a = range_of(z, f->args[0]);

		return (range){ 0, fmax(fabs(a.low), fabs(a.high)) };
	}
	if (IS_ONE_OF(name, "int2", "int4", "int8", "numeric", "float4", "float8", "min", "max",
	              "avg", "first_value", "last_value", "lag", "lead"))
		return range_of(z, f->args[0]);
	if (IS_ONE_OF(name, "length", "char_length", "character_length", "octet_length"))
		return (range){ 0, bytes_of(z, f->args[0]) };
	if (IS_ONE_OF(name, "sqrt"))
		return (range){ 0, sqrt(fmax(1, range_of(z, f->args[0]).high)) };
	if (IS_ONE_OF(name, "ln", "log", "log10")) /* of what a double or an int can hold */
		return (range){ -720, f->n_args == 1 ? 720 : INFINITY };
	if (IS_ONE_OF(name, "sign", "sin", "cos", "sind", "cosd"))
		return (range){ -1, 1 };
	if (ag_str_eqc(name, "mod") && f->n_args == 2) {
		const range b = range_of(z, f->args[1]);
		const double most = fmax(fabs(b.low), fabs(b.high));

		return (range){ -most, most };
	}
	if (ag_str_eqc(name, "width_bucket") && f->n_args == 4) {
		const range b = range_of(z, f->args[3]);

		return (range){ 0, b.high + 1 };
	}
	if (IS_ONE_OF(name, "extract", "date_part") && ag_sql_constant_text(f->args[0], &field))
		return of_field(field);
	return unknown;
}

static range of_cast(sizing *z, const PgQuery__TypeCast *c)
{
	const size_t n = c->type_name ? c->type_name->n_names : 0;
	const ag_str type = n ? ag_sql_node_text(c->type_name->names[n - 1]) : AG_S("");
	range r = range_of(z, c->arg);

	if (ag_str_eqc(type, "int2")) { /* a larger value is an error */
		r.low = fmax(r.low, -32768);
		r.high = fmin(r.high, 32767);
	}
	return r;
}

static bool is_column_named(const PgQuery__Node *n, ag_str name)
{
	const PgQuery__ColumnRef *c = n ? n->column_ref : NULL;

	return n && n->node_case == PG_QUERY__NODE__NODE_COLUMN_REF && c->n_fields &&
	       ag_str_eq(ag_sql_node_text(c->fields[c->n_fields - 1]), name);
}

/* depth in SELECT 0 AS depth ... UNION ALL SELECT depth + 1 ...: a level of a tree. */
static range of_depth(sizing *z, const ag_sql_meaning *m)
{
	const PgQuery__AExpr *e = m->step->a_expr;
	const range first = range_of(z, m->first);
	range by;

	if (m->step->node_case != PG_QUERY__NODE__NODE_A_EXPR || e->n_name != 1 ||
	    !ag_str_eqc(ag_sql_node_text(e->name[0]), "+") || !is_column_named(e->lexpr, m->name))
		return unknown;
	by = range_of(z, e->rexpr);
	return (range){ first.low, first.high + MAX_DEPTH * by.high };
}

static range of_meaning(sizing *z, const ag_sql_meaning *m)
{
	range r = { INFINITY, -INFINITY };

	if (m->series)
		return of_series(z, m->series);
	if (m->first)
		return of_depth(z, m);
	if (m->value)
		return range_of(z, m->value);
	for (size_t i = 0; i < m->values->n_values_lists; i++) {
		const PgQuery__Node *row = m->values->values_lists[i];

		if (row->node_case != PG_QUERY__NODE__NODE_LIST || m->index >= row->list->n_items)
			return unknown;
		r = joined(r, range_of(z, row->list->items[m->index]));
	}
	return r;
}

static range of_column(sizing *z, const PgQuery__ColumnRef *c)
{
	const ag_sql_scope *scope = z->scope;
	ag_sql_meaning m;
	range r;

	if (!ag_sql_meaning_of(z->w, z->scope, c, &m))
		return unknown;
	z->scope = NULL; /* its names are those of another place */
	r = of_meaning(z, &m);
	z->scope = scope;
	return r;
}

/* A scalar sub-select of one expression, as in (SELECT count(*) FROM t). */
static range of_sublink(sizing *z, const PgQuery__SubLink *s)
{
	const PgQuery__SelectStmt *q;
	const ag_sql_scope *scope = z->scope;
	range r;

	if (s->sub_link_type != PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK || !s->subselect ||
	    s->subselect->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
		return unknown;
	q = s->subselect->select_stmt;
	if (q->op != PG_QUERY__SET_OPERATION__SETOP_NONE || q->n_target_list != 1 ||
	    q->target_list[0]->node_case != PG_QUERY__NODE__NODE_RES_TARGET)
		return unknown;
	z->scope = NULL;
	r = range_of(z, q->target_list[0]->res_target->val);
	z->scope = scope;
	return r;
}

static range range_of_known(sizing *z, const PgQuery__Node *n)
{
	switch (n->node_case) {
	case PG_QUERY__NODE__NODE_A_CONST: return constant_number(n->a_const);
	case PG_QUERY__NODE__NODE_TYPE_CAST: return of_cast(z, n->type_cast);
	case PG_QUERY__NODE__NODE_A_EXPR: return of_operator(z, n->a_expr);
	case PG_QUERY__NODE__NODE_MIN_MAX_EXPR: return of_min_max(z, n->min_max_expr);
	case PG_QUERY__NODE__NODE_COALESCE_EXPR:
		return of_list(z, n->coalesce_expr->args, n->coalesce_expr->n_args);
	case PG_QUERY__NODE__NODE_CASE_EXPR: return of_case(z, n->case_expr);
	case PG_QUERY__NODE__NODE_FUNC_CALL: return of_call(z, n->func_call);
	case PG_QUERY__NODE__NODE_COLUMN_REF: return of_column(z, n->column_ref);
	case PG_QUERY__NODE__NODE_SUB_LINK: return of_sublink(z, n->sub_link);
	default: return unknown;
	}
}

static range range_of(sizing *z, const PgQuery__Node *n)
{
	range r;

	if (!n || z->level >= AG_SQL_SIZE_LEVELS)
		return unknown;
	z->level++;
	r = range_of_known(z, n);
	z->level--;
	return isnan(r.low) || isnan(r.high) ? unknown : r;
}

/* --- bytes --- */

static double sum_of(sizing *z, PgQuery__Node *const *list, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += bytes_of(z, list[i]);
	return sum;
}

static double count_of(sizing *z, const PgQuery__Node *n)
{
	const range r = range_of(z, n);

	if (isinf(r.high) && r.high > 0)
		z->is_unknown = true;
	return r.high > 0 ? r.high : 0;
}

/* %10s, %-10s, %1$10s; a width from an argument (*) has no bound. */
static double of_format(sizing *z, const PgQuery__FuncCall *f)
{
	double widths = 0, largest = 0;
	bool has_places = false;
	size_t nspec = 0;
	ag_str text;

	if (!ag_sql_constant_text(f->args[0], &text)) {
		z->is_unknown = true;
		return INFINITY;
	}
	for (size_t i = 0; i < text.len; i++) {
		double number = 0;

		if (text.ptr[i] != '%')
			continue;
		for (i++; i < text.len && memchr("-$*0123456789", text.ptr[i], 13); i++) {
			if (text.ptr[i] == '*') {
				z->is_unknown = true;
				return INFINITY;
			}
			has_places = has_places || text.ptr[i] == '$';
			if (text.ptr[i] >= '0' && text.ptr[i] <= '9')
				number = number * 10 + (text.ptr[i] - '0');
			else
				number = 0;
		}
		widths += number;
		nspec++;
	}
	if (!has_places) /* each writes the next argument, %I and %L with quotes */
		return (double)text.len + widths + 2 * sum_of(z, f->args + 1, f->n_args - 1);
	for (size_t i = 1; i < f->n_args; i++)
		largest = fmax(largest, bytes_of(z, f->args[i]));
	/* All of them may write the largest argument. */
	return (double)text.len + widths + (double)nspec * largest;
}

static double of_array_fill(sizing *z, const PgQuery__FuncCall *f)
{
	const PgQuery__Node *d = f->n_args > 1 ? f->args[1] : NULL;
	double n = 1;
	ag_str text;

	while (d && d->node_case == PG_QUERY__NODE__NODE_TYPE_CAST &&
	       d->type_cast->arg->node_case == PG_QUERY__NODE__NODE_A_ARRAY_EXPR)
		d = d->type_cast->arg;
	if (d && d->node_case == PG_QUERY__NODE__NODE_A_ARRAY_EXPR) {
		for (size_t i = 0; i < d->a_array_expr->n_elements; i++)
			n *= count_of(z, d->a_array_expr->elements[i]);
	} else if (d && ag_sql_constant_text(d, &text)) {
		for (size_t i = 0; i < text.len; i++) {
			if (text.ptr[i] >= '0' && text.ptr[i] <= '9' &&
			    (i == 0 || text.ptr[i - 1] < '0' || text.ptr[i - 1] > '9'))
				n *= strtod(text.ptr + i, NULL);
		}
	} else {
		z->is_unknown = true;
		return INFINITY;
	}
	return n * fmax(8, bytes_of(z, f->args[0]));
}

/* A chain replace(replace(x, a, b), c, d): what one puts in is found by a later one only when it contains that one's text; else
 * each place of x grows once. */
static double of_replace(sizing *z, const PgQuery__FuncCall *f)
{
	ag_str from[MAX_REPLACES], to[MAX_REPLACES]; /* the outermost first */
	const PgQuery__FuncCall *at = f;
	double fed = 1, once = 1;
	size_t n = 0;

	for (;;) {
		if (at->n_args != 3 || n == MAX_REPLACES ||
		    !ag_sql_constant_text(at->args[1], &from[n]) ||
		    !ag_sql_constant_text(at->args[2], &to[n]) || !from[n].len)
			break;
		n++;
		if (!at->args[0] || at->args[0]->node_case != PG_QUERY__NODE__NODE_FUNC_CALL ||
		    !ag_str_eqc(call_name(at->args[0]->func_call), "replace"))
			break;
		at = at->args[0]->func_call;
	}
	if (n == 0)
		return bytes_of(z, f->args[0]) *
		       fmax(1, f->n_args == 3 ? bytes_of(z, f->args[2]) : 1);
	at = f;
	for (size_t i = 1; i < n; i++)
		at = at->args[0]->func_call;
	for (size_t i = 0; i < n; i++) {
		const double own = fmax(1, (double)to[i].len / (double)from[i].len);
		bool is_fed = false;

		for (size_t j = i + 1; j < n; j++)
			is_fed = is_fed || ag_str_contains(to[j], from[i]);
		if (is_fed)
			fed *= own;
		else
			once = fmax(once, own);
	}
	return bytes_of(z, at->args[0]) * fed * once;
}

static double of_regexp_replace(sizing *z, const PgQuery__FuncCall *f)
{
	ag_str to;

	if (f->n_args < 3)
		return bytes_of(z, f->args[0]);
	if (!ag_sql_constant_text(f->args[2], &to))
		return bytes_of(z, f->args[0]) * fmax(1, bytes_of(z, f->args[2]));
	return bytes_of(z, f->args[0]) * fmax(1, (double)to.len);
}

static bool is_json_call(const PgQuery__Node *n)
{
	return n && n->node_case == PG_QUERY__NODE__NODE_FUNC_CALL &&
	       IS_ONE_OF(call_name(n->func_call), "to_json", "to_jsonb", "row_to_json",
	                 "array_to_json", "json_build_array", "jsonb_build_array",
	                 "json_build_object", "jsonb_build_object", "json_agg", "jsonb_agg",
	                 "json_object_agg", "jsonb_object_agg", "coalesce");
}

/* A text that was built may consist of quotes and backslashes: JSON writes two bytes for each. JSON in JSON stays as it is. */
static double of_json(sizing *z, const PgQuery__FuncCall *f)
{
	double sum = 64;

	for (size_t i = 0; i < f->n_args; i++) {
		const PgQuery__Node *a = f->args[i];
		const bool is_kept = is_json_call(a) ||
		                     (a && a->node_case == PG_QUERY__NODE__NODE_A_CONST) ||
		                     (a && a->node_case == PG_QUERY__NODE__NODE_COLUMN_REF);

		sum += (is_kept ? 1 : 2) * bytes_of(z, a);
	}
	return sum;
}

/* The indent grows with the depth, which in a built value may be half of its bytes. */
static double of_jsonb_pretty(sizing *z, const PgQuery__FuncCall *f)
{
	const double bytes = bytes_of(z, f->args[0]);

	return is_json_call(f->args[0]) || bytes <= 2 * z->column ? 4 * bytes : bytes * bytes;
}

/* Two bytes for each with 'hex', at most four with 'escape'. */
static double of_encode(sizing *z, const PgQuery__FuncCall *f)
{
	ag_str format;
	const bool is_short = f->n_args == 2 && ag_sql_constant_text(f->args[1], &format) &&
	                      IS_ONE_OF(format, "hex", "base64");

	return 3 + (is_short ? 2 : 4) * bytes_of(z, f->args[0]);
}

/* Each word may get the marks that its options name. */
static double of_headline(sizing *z, const PgQuery__FuncCall *f)
{
	const PgQuery__Node *last = f->args[f->n_args - 1];
	ag_str options = AG_S("");
	double sum = sum_of(z, f->args, f->n_args), marks;

	if (f->n_args < 3)
		return sum;
	marks = ag_sql_constant_text(last, &options) ? (double)options.len : bytes_of(z, last);
	return sum * fmax(1, marks / 4);
}

static double bytes_of_call(sizing *z, const PgQuery__FuncCall *f)
{
	const ag_str name = call_name(f);
	PgQuery__Node *const *args = f->args;
	const size_t n = f->n_args;

	if (n == 0)
		return 64;
	if (ag_str_eqc(name, "repeat") && n == 2)
		return bytes_of(z, args[0]) * count_of(z, args[1]);
	if (IS_ONE_OF(name, "lpad", "rpad") && n >= 2)
		return MAX_CHAR_BYTES * count_of(z, args[1]);
	if (ag_str_eqc(name, "format"))
		return of_format(z, f);
	if (ag_str_eqc(name, "array_fill"))
		return of_array_fill(z, f);
	if (ag_str_eqc(name, "replace"))
		return of_replace(z, f);
	if (ag_str_eqc(name, "regexp_replace"))
		return of_regexp_replace(z, f);
	if (ag_str_eqc(name, "array_replace") && n == 3)
		return bytes_of(z, args[0]) * fmax(1, bytes_of(z, args[2]));
	if (ag_str_eqc(name, "array_to_string") && n >= 2)
		return bytes_of(z, args[0]) * (1 + bytes_of(z, args[1]));
	if (ag_str_eqc(name, "concat_ws"))
		return bytes_of(z, args[0]) * (double)n + sum_of(z, args + 1, n - 1);
	if (ag_str_eqc(name, "to_char"))
		return 64 + (n > 1 ? 16 * bytes_of(z, args[1]) : 0);
	if (ag_str_eqc(name, "encode"))
		return of_encode(z, f);
	if (ag_str_eqc(name, "jsonb_pretty"))
		return of_jsonb_pretty(z, f);
	if (ag_str_eqc(name, "ts_headline"))
		return of_headline(z, f);
	if (IS_ONE_OF(name, "convert", "convert_from", "convert_to", "quote_literal", "quote_ident",
	              "quote_nullable"))
		return 3 + 2 * bytes_of(z, args[0]);
	if (ag_str_eqc(name, "normalize"))
		return 3 + 4 * bytes_of(z, args[0]);
	if (IS_ONE_OF(name, "string_to_array", "regexp_split_to_array"))
		return 64 + 8 * sum_of(z, args, n);
	if (IS_ONE_OF(name, "to_json", "to_jsonb", "row_to_json", "array_to_json",
	              "json_build_array", "jsonb_build_array", "json_build_object",
	              "jsonb_build_object"))
		return of_json(z, f);
	if (IS_ONE_OF(name, "count", "sum", "avg", "length", "char_length", "extract", "date_part",
	              "row_number", "rank", "md5", "round", "floor", "ceil", "trunc", "strpos"))
		return 64;
	if (IS_ONE_OF(name, "string_agg", "array_agg", "json_agg", "jsonb_agg", "json_object_agg",
	              "jsonb_object_agg", "xmlagg"))
		return z->column; /* the planner's rows bound it */
	return fmax(64, sum_of(z, args, n));
}

/* What is not followed grows with every bucket. */
static double column_bytes(const sizing *z, ag_str name)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < name.len; i++)
		hash = (hash ^ (unsigned char)name.ptr[i]) * 16777619u;
	return z->has_grown && (!name.len || hash % AG_SQL_SIZE_BUCKETS == z->bucket)
	               ? 2 * z->column
	               : z->column;
}

static double bytes_of_column(sizing *z, const PgQuery__ColumnRef *c)
{
	const ag_sql_scope *scope = z->scope;
	double bytes = column_bytes(z, c->n_fields ? ag_sql_node_text(c->fields[c->n_fields - 1])
	                                           : AG_S(""));
	ag_sql_meaning m;

	if (!ag_sql_meaning_of(z->w, z->scope, c, &m) || m.first || m.values)
		return bytes;
	z->scope = NULL;
	bytes = m.series ? 32 : bytes_of(z, m.value);
	z->scope = scope;
	return bytes;
}

static double largest_of(sizing *z, PgQuery__Node *const *list, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, bytes_of(z, list[i]));
	return most;
}

static double bytes_of_case(sizing *z, const PgQuery__CaseExpr *c)
{
	double most = c->defresult ? bytes_of(z, c->defresult) : 0;

	for (size_t i = 0; i < c->n_args; i++) {
		if (c->args[i]->node_case == PG_QUERY__NODE__NODE_CASE_WHEN)
			most = fmax(most, bytes_of(z, c->args[i]->case_when->result));
	}
	return most;
}

/* The text of an array or a row: quotes and backslashes inside take two bytes each, and so does each byte of a bytea. */
static double bytes_of_cast(sizing *z, const PgQuery__TypeCast *c)
{
	const PgQuery__Node *arg = c->arg;
	bool is_escaped = arg && (arg->node_case == PG_QUERY__NODE__NODE_A_ARRAY_EXPR ||
	                          arg->node_case == PG_QUERY__NODE__NODE_ROW_EXPR);

	if (arg && arg->node_case == PG_QUERY__NODE__NODE_FUNC_CALL)
		is_escaped = is_json_call(arg) ||
		             IS_ONE_OF(call_name(arg->func_call), "convert_to", "decode",
		                       "array_append", "array_cat", "array_prepend",
		                       "string_to_array", "regexp_split_to_array");
	is_escaped = is_escaped && c->type_name && !c->type_name->n_array_bounds;
	return (is_escaped ? 2 : 1) * bytes_of(z, arg);
}

/* Chains are long and lean to the left: no level for each. */
static double bytes_of_expr(sizing *z, const PgQuery__AExpr *e)
{
	double sum = e->rexpr ? bytes_of(z, e->rexpr) : 0;

	while (e->lexpr && e->lexpr->node_case == PG_QUERY__NODE__NODE_A_EXPR) {
		e = e->lexpr->a_expr;
		sum += e->rexpr ? bytes_of(z, e->rexpr) : 0;
	}
	return sum + (e->lexpr ? bytes_of(z, e->lexpr) : 0);
}

static double bytes_of_known(sizing *z, const PgQuery__Node *n)
{
	ag_str text;

	switch (n->node_case) {
	case PG_QUERY__NODE__NODE_A_CONST:
		return ag_sql_constant_text(n, &text) ? (double)text.len : 32;
	case PG_QUERY__NODE__NODE_TYPE_CAST: return bytes_of_cast(z, n->type_cast);
	case PG_QUERY__NODE__NODE_ROW_EXPR:
		return sum_of(z, n->row_expr->args, n->row_expr->n_args) +
		       (double)n->row_expr->n_args;
	case PG_QUERY__NODE__NODE_A_EXPR: return bytes_of_expr(z, n->a_expr);
	case PG_QUERY__NODE__NODE_COLLATE_CLAUSE: return bytes_of(z, n->collate_clause->arg);
	case PG_QUERY__NODE__NODE_A_INDIRECTION: return bytes_of(z, n->a_indirection->arg);
	case PG_QUERY__NODE__NODE_FUNC_CALL: return bytes_of_call(z, n->func_call);
	case PG_QUERY__NODE__NODE_COLUMN_REF: return bytes_of_column(z, n->column_ref);
	case PG_QUERY__NODE__NODE_COALESCE_EXPR:
		return largest_of(z, n->coalesce_expr->args, n->coalesce_expr->n_args);
	case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
		return largest_of(z, n->min_max_expr->args, n->min_max_expr->n_args);
	case PG_QUERY__NODE__NODE_CASE_EXPR: return bytes_of_case(z, n->case_expr);
	case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
		return sum_of(z, n->a_array_expr->elements, n->a_array_expr->n_elements) +
		       8.0 * (double)n->a_array_expr->n_elements;
	default: return column_bytes(z, AG_S(""));
	}
}

static double bytes_of(sizing *z, const PgQuery__Node *n)
{
	double bytes;

	if (!n)
		return 0;
	if (z->level >= AG_SQL_SIZE_LEVELS) {
		z->is_unknown = true;
		return INFINITY;
	}
	z->level++;
	bytes = bytes_of_known(z, n);
	z->level--;
	return isnan(bytes) ? INFINITY : bytes;
}

ag_sql_number ag_sql_number_of(ag_sql_sizing *z, const PgQuery__Node *n)
{
	return range_of(z, n);
}

ag_sql_number ag_sql_series_of(ag_sql_sizing *z, const PgQuery__FuncCall *f)
{
	return of_series(z, f);
}

double ag_sql_bytes_of_call(ag_sql_sizing *z, const PgQuery__FuncCall *f)
{
	return bytes_of_call(z, f);
}

double ag_sql_bytes_of_cast(ag_sql_sizing *z, const PgQuery__TypeCast *c)
{
	return bytes_of_cast(z, c);
}

double ag_sql_bytes_of_expr(ag_sql_sizing *z, const PgQuery__AExpr *e)
{
	return bytes_of_expr(z, e);
}

double ag_sql_bytes_of(ag_sql_sizing *z, const PgQuery__Node *n)
{
	return bytes_of(z, n);
}
