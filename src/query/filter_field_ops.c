/* filter_field_ops -- the values of operators: what each accepts, and what it refuses.
 *
 * Each function fills one node whose op and path are already set (the rows of filter_ops.c). The rules
 * follow the MongoDB manual; where the server accepts something that can only be a mistake (an empty
 * $not, a regex under $gt) it refuses it too. */
#include "query/filter_internal.h"

#include <math.h>
#include <stdlib.h>

#include "query/regex.h"

static ag_status only_kid(ag_filter_parser *p, ag_filter *node, const ag_filter *kid)
{
	const ag_filter **kids = ag_new_n(p->arena, const ag_filter *, 1);

	kids[0] = kid;
	node->kids = kids;
	node->nkids = 1;
	return AG_OK;
}

static ag_status compile(ag_filter_parser *p, ag_filter *node, ag_str pattern, ag_str opts)
{
	ag_err sub;
	ag_status st = ag_regex_compile(pattern, opts, p->arena, &node->regex, &sub);

	if (!st)
		return AG_OK;
	AG_IGNORE(ag_filter_bad(p, "%s", sub.msg), "returned below");
	if (p->err) {
		p->err->status = st;
		if (sub.hint[0])
			ag_err_hint(p->err, "%s", sub.hint);
	}
	return st;
}

AG_FILTER_OP_PARSER(cmp)
{
	(void)ops;
	if (v->type == AG_T_UNDEFINED || v->type == AG_T_MISSING) {
		AG_IGNORE(ag_filter_bad(p, "cannot compare with undefined"), "");
		ag_err_hint(p->err, "use null, or {\"$exists\": false}");
		return AG_INVALID;
	}
	if (v->type == AG_T_REGEX) {
		AG_IGNORE(ag_filter_bad(p, "a regular expression cannot be compared"), "");
		ag_err_hint(p->err, "use {\"$regex\": …}, or {\"$not\": {\"$regex\": …}}");
		return AG_INVALID;
	}
	node->operand = *v;
	return AG_OK;
}

AG_FILTER_OP_PARSER(ne)
{
	ag_filter *eq;
	ag_status st = ag_filter_node(p, AG_F_EQ, node, &eq);

	if (!st)
		st = ag_filter_parse_cmp(p, eq, v, ops);
	return st ? st : only_kid(p, node, eq);
}

AG_FILTER_OP_PARSER(nin)
{
	ag_filter *in;
	ag_status st = ag_filter_node(p, AG_F_IN, node, &in);

	if (!st)
		st = ag_filter_parse_in(p, in, v, ops);
	return st ? st : only_kid(p, node, in);
}

/* Items of $in and $all: {"$regex":…} can only be meant as a regular expression there. */
static ag_val list_item(ag_filter_parser *p, const ag_val *v)
{
	const ag_val *pattern = ag_val_getc(v, "$regex"), *opts = ag_val_getc(v, "$options");
	ag_val r = { .type = AG_T_REGEX };

	if (!pattern || pattern->type != AG_T_STRING || v->n != (opts ? 2U : 1U) ||
	    (opts && opts->type != AG_T_STRING))
		return *v;
	r.n = pattern->n;
	r.u.regex.s = pattern->u.s;
	r.u.regex.opts = opts ? ag_str_cstr(p->arena, ag_val_text(opts)) : "";
	return r;
}

/* Regexes behind everything else, then by value. */
static int by_value(const void *a, const void *b)
{
	const ag_val *x = a, *y = b;
	int c = (x->type == AG_T_REGEX) - (y->type == AG_T_REGEX);

	return c ? c : ag_val_cmp(x, y);
}

static ag_status in_regexes(ag_filter_parser *p, ag_filter *node, const ag_val *items, size_t n)
{
	const ag_filter **kids = ag_new_n(p->arena, const ag_filter *, n + 1);

	for (size_t i = 0; i < n; i++) {
		ag_filter *kid;
		ag_status st = ag_filter_node(p, AG_F_REGEX, node, &kid);

		if (!st)
			st = ag_filter_parse_regex(p, kid, &items[i], &items[i]);
		if (st)
			return st;
		kids[i] = kid;
	}
	node->kids = kids;
	node->nkids = n;
	return AG_OK;
}

AG_FILTER_OP_PARSER(in)
{
	ag_val *items;
	size_t n = 0, nplain = 0;

	(void)ops;
	if (v->type != AG_T_ARRAY)
		return ag_filter_bad(p, "$in and $nin want an array, got %s",
		                     ag_type_alias(v->type));
	items = ag_new_n(p->arena, ag_val, v->n + 1U);
	for (uint32_t i = 0; i < v->n; i++) {
		items[i] = list_item(p, &v->u.items[i]);
		if (ag_filter_is_ops(&items[i]))
			return ag_filter_bad(p, "item %u is an operator object; $in takes values",
			                     i);
		if (items[i].type == AG_T_UNDEFINED)
			return ag_filter_bad(p, "item %u is undefined", i);
	}
	if (v->n)
		qsort(items, v->n, sizeof(*items), by_value);
	for (uint32_t i = 0; i < v->n; i++) {
		if (n && by_value(&items[n - 1], &items[i]) == 0)
			continue;
		items[n++] = items[i];
		nplain += items[i].type != AG_T_REGEX;
		node->flag = node->flag || items[n - 1].type == AG_T_NULL;
	}
	node->operand = ag_val_array(items, n);
	node->number = (int64_t)nplain;
	return in_regexes(p, node, items + nplain, n - nplain);
}

AG_FILTER_OP_PARSER(exists)
{
	(void)p;
	(void)ops;
	node->flag = ag_val_truthy(v);
	return AG_OK;
}

static ag_status add_type(ag_filter_parser *p, ag_filter *node, const ag_val *v)
{
	ag_type t;
	int64_t code;

	if (v->type == AG_T_STRING && ag_str_eqc(ag_val_text(v), "number")) {
		node->type_mask |= 1U << AG_T_INT32 | 1U << AG_T_INT64 | 1U << AG_T_DOUBLE |
		                   1U << AG_T_DECIMAL;
		return AG_OK;
	}
	if (v->type == AG_T_STRING) {
		if (!ag_type_from_alias(ag_val_text(v), &t)) {
			AG_IGNORE(ag_filter_bad(p, "unknown type \"%.*s\"",
			                        (int)(v->n > 60 ? 60 : v->n), v->u.s),
			          "");
			ag_err_hint(p->err, "known: number double int long decimal string object "
			                    "array binData objectId bool date null regex timestamp "
			                    "javascript symbol minKey maxKey");
			return AG_INVALID;
		}
	} else if (!ag_val_to_i64(v, &code) || !ag_type_from_bson(code, &t)) {
		return ag_filter_bad(p, "$type wants a name or a BSON type number");
	}
	node->type_mask |= 1U << t;
	return AG_OK;
}

AG_FILTER_OP_PARSER(type)
{
	ag_status st = AG_OK;

	(void)ops;
	if (v->type != AG_T_ARRAY)
		return add_type(p, node, v);
	if (v->n == 0)
		return ag_filter_bad(p, "$type wants at least one type");
	for (uint32_t i = 0; !st && i < v->n; i++)
		st = add_type(p, node, &v->u.items[i]);
	return st;
}

/* v: the pattern as text or as a regex value; $options may stand beside it in either order. */
AG_FILTER_OP_PARSER(regex)
{
	const ag_val *o = ops ? ag_val_getc(ops, "$options") : NULL;
	ag_str opts = AG_S("");

	if (o && o->type != AG_T_STRING)
		return ag_filter_bad(p, "$options wants a string");
	if (o)
		opts = ag_val_text(o);
	if (v->type == AG_T_STRING)
		return compile(p, node, ag_val_text(v), opts);
	if (v->type != AG_T_REGEX)
		return ag_filter_bad(p, "$regex wants a string, got %s", ag_type_alias(v->type));
	if (o && v->u.regex.opts[0])
		return ag_filter_bad(p, "options are given twice");
	return compile(p, node, ag_str_make(v->u.regex.s, v->n),
	               o ? opts : ag_str_c(v->u.regex.opts));
}

AG_FILTER_OP_PARSER(options)
{
	(void)node;
	(void)v;
	if (!ag_val_getc(ops, "$regex"))
		return ag_filter_bad(p, "$options needs a $regex beside it");
	return AG_OK;
}

AG_FILTER_OP_PARSER(size)
{
	(void)ops;
	if (!ag_val_to_i64(v, &node->number) || node->number < 0)
		return ag_filter_bad(p, "$size wants a whole number, 0 or more");
	return AG_OK;
}

static ag_status all_item(ag_filter_parser *p, ag_filter *node, const ag_val *raw, bool want_elem,
                          const ag_filter **ret)
{
	ag_filter *kid;
	ag_status st = ag_filter_node(p, AG_F_EQ, node, &kid);
	ag_val value = list_item(p, raw);
	const ag_val *item = &value;

	if (st)
		return st;
	*ret = kid;
	if (ag_filter_is_ops(item) != want_elem)
		return ag_filter_bad(p, "$all takes values, or only $elemMatch objects");
	if (want_elem) {
		if (item->n != 1 || !ag_str_eqc(item->u.members[0].key, "$elemMatch"))
			return ag_filter_bad(p, "$all takes no operators except $elemMatch");
		return ag_filter_parse_elem(p, kid, &item->u.members[0].val, item);
	}
	if (item->type != AG_T_REGEX)
		return ag_filter_parse_cmp(p, kid, item, item);
	kid->op = AG_F_REGEX;
	return ag_filter_parse_regex(p, kid, item, item);
}

AG_FILTER_OP_PARSER(all)
{
	const ag_filter **kids;
	bool want_elem;

	(void)ops;
	if (v->type != AG_T_ARRAY)
		return ag_filter_bad(p, "$all wants an array, got %s", ag_type_alias(v->type));
	kids = ag_new_n(p->arena, const ag_filter *, v->n + 1U);
	want_elem = v->n && ag_val_getc(&v->u.items[0], "$elemMatch");
	for (uint32_t i = 0; i < v->n; i++) {
		size_t mark;
		ag_status st = ag_filter_enter(p, AG_S(""), i, &mark);

		if (!st)
			st = all_item(p, node, &v->u.items[i], want_elem, &kids[i]);
		if (st)
			return st;
		ag_filter_leave(p, mark);
	}
	node->kids = kids;
	node->nkids = v->n;
	return AG_OK;
}

/* {"$gt":1} is about the elements themselves; {"a":1} and {"$or":[…]} about objects in the array. */
static bool is_value_form(const ag_val *v)
{
	const ag_filter_op_row *row;

	if (!ag_filter_is_ops(v))
		return false;
	row = ag_filter_op_find(v->u.members[0].key);
	return !row || row->place == AG_FP_FIELD;
}

AG_FILTER_OP_PARSER(elem)
{
	const ag_filter *kid;
	ag_filter *bare;
	ag_status st;

	(void)ops;
	if (v->type != AG_T_OBJECT)
		return ag_filter_bad(p, "$elemMatch wants an object, got %s",
		                     ag_type_alias(v->type));
	if (!is_value_form(v)) {
		node->op = AG_F_ELEM_OBJ;
		st = ag_filter_doc(p, v, false, &kid);
		return st ? st : only_kid(p, node, kid);
	}
	node->op = AG_F_ELEM_VAL;
	st = ag_filter_node(p, AG_F_TRUE, NULL, &bare);
	if (!st)
		st = ag_filter_ops_object(p, bare, v, &kid);
	return st ? st : only_kid(p, node, kid);
}

/* Whole part of a number, as the server cuts it; false for NaN, infinity and beyond int64. */
static bool whole_part(const ag_val *v, int64_t *ret)
{
	ag_val d;

	if (!ag_type_is_number(v->type))
		return false;
	if (ag_val_to_i64(v, ret))
		return true;
	d = ag_val_double(trunc(ag_val_number(v)));
	return ag_val_to_i64(&d, ret);
}

AG_FILTER_OP_PARSER(mod)
{
	(void)ops;
	if (v->type != AG_T_ARRAY || v->n != 2 || !whole_part(&v->u.items[0], &node->number) ||
	    !whole_part(&v->u.items[1], &node->number2))
		return ag_filter_bad(p, "$mod wants two numbers: [divisor, remainder]");
	if (node->number == 0)
		return ag_filter_bad(p, "the divisor of $mod is 0");
	return AG_OK;
}

AG_FILTER_OP_PARSER(not )
{
	const ag_filter *kid;
	ag_filter *regex;
	ag_status st;

	(void)ops;
	if (v->type == AG_T_REGEX) {
		st = ag_filter_node(p, AG_F_REGEX, node, &regex);
		if (!st)
			st = ag_filter_parse_regex(p, regex, v, v);
		return st ? st : only_kid(p, node, regex);
	}
	if (v->type != AG_T_OBJECT)
		return ag_filter_bad(p,
		                     "$not wants an object of operators or a regular expression");
	if (v->n == 0)
		return ag_filter_bad(p, "$not cannot be empty");
	if (!ag_filter_is_ops(v))
		return ag_filter_bad(p, "$not wants operators, like {\"$not\": {\"$gt\": 5}}");
	st = ag_filter_ops_object(p, node, v, &kid);
	return st ? st : only_kid(p, node, kid);
}

AG_FILTER_OP_PARSER(bool)
{
	const ag_filter **kids;

	(void)ops;
	if (v->type != AG_T_ARRAY || v->n == 0)
		return ag_filter_bad(p, "$and, $or and $nor want an array of at least one filter");
	kids = ag_new_n(p->arena, const ag_filter *, v->n);
	for (uint32_t i = 0; i < v->n; i++) {
		size_t mark;
		ag_status st = ag_filter_enter(p, AG_S(""), i, &mark);

		if (!st)
			st = ag_filter_doc(p, &v->u.items[i], true, &kids[i]);
		if (st)
			return st;
		ag_filter_leave(p, mark);
	}
	node->kids = kids;
	node->nkids = v->n;
	return AG_OK;
}

AG_FILTER_OP_PARSER(expr)
{
	(void)ops;
	return ag_expr_parse(v, p->arena, &node->expr, p->err);
}

AG_FILTER_OP_PARSER(comment)
{
	(void)p;
	(void)node;
	(void)v;
	(void)ops;
	return AG_OK; /* the node stays TRUE */
}
