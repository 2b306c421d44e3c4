/* match -- does a document satisfy a filter? MongoDB's rules, on values.
 *
 * A leaf holds when any value that its path leads to satisfies it. walk() visits those values: objects are
 * entered by name; an array in the way is looked into once (its objects by name, and by a numeric part as
 * index, behind which an array is in the way again); an array at the end gives its elements first and
 * then itself. Where nothing is found the leaf sees one missing value, but not for elements of an array
 * that are no objects.
 * Reading order: ag_filter_match, walk, ag_filter_leaf. */
#include <math.h>

#include "query/decmath.h"
#include "query/filter_internal.h"
#include "query/regex.h"

/* Children by name; the elements of an array answer to "0", "1", … when it stands for a document. */
const ag_val *ag_filter_child(const ag_val *doc, ag_str name)
{
	uint64_t i;

	if (doc->type == AG_T_OBJECT)
		return ag_val_get(doc, name);
	if (doc->type != AG_T_ARRAY || name.len == 0 || name.len > 10 ||
	    (name.len > 1 && name.ptr[0] == '0') || !ag_str_to_u64(name, &i) || i >= doc->n)
		return NULL;
	return &doc->u.items[i];
}

static bool is_index(ag_str part, uint32_t i)
{
	uint64_t want;

	if (part.len == 0 || part.len > 10 || (part.len > 1 && part.ptr[0] == '0') ||
	    part.ptr[0] < '0' || part.ptr[0] > '9')
		return false;
	return ag_str_to_u64(part, &want) && want == i;
}

static bool is_nothing(const ag_val *v)
{
	return v->type == AG_T_NULL || v->type == AG_T_UNDEFINED || v->type == AG_T_MISSING;
}

static bool is_nan(const ag_val *v)
{
	return (v->type == AG_T_DOUBLE && isnan(v->u.f)) ||
	       (v->type == AG_T_DECIMAL && ag_dec128_is_nan(v->u.dec));
}

static bool leaf_eq(const ag_val *operand, const ag_val *v)
{
	if (operand->type == AG_T_NULL)
		return is_nothing(v);
	if (v->type == AG_T_MISSING)
		return false;
	return ag_val_cmp(v, operand) == 0;
}

static bool leaf_order(const ag_filter *f, const ag_val *v)
{
	const ag_val *o = &f->operand;
	bool or_equal = f->op == AG_F_GTE || f->op == AG_F_LTE;
	bool greater = f->op == AG_F_GT || f->op == AG_F_GTE;
	int c;

	if (is_nothing(v) && o->type == AG_T_NULL)
		return or_equal;
	if (ag_type_order(v->type) != ag_type_order(o->type)) {
		/* Only the keys at both ends of the order compare with other types. */
		return greater ? o->type == AG_T_MINKEY : o->type == AG_T_MAXKEY;
	}
	if (is_nan(v) || is_nan(o))
		return or_equal && is_nan(v) && is_nan(o);
	c = ag_val_cmp(v, o);
	if (c == 0)
		return or_equal;
	return greater ? c > 0 : c < 0;
}

static bool leaf_regex(const ag_regex *re, const ag_val *v)
{
	if (v->type == AG_T_STRING || v->type == AG_T_SYMBOL)
		return ag_regex_match(re, ag_val_text(v));
	return v->type == AG_T_REGEX &&
	       ag_str_eq(ag_str_make(v->u.regex.s, v->n), ag_regex_pattern(re)) &&
	       ag_str_eq(ag_str_c(v->u.regex.opts), ag_regex_opts(re));
}

static bool leaf_in(const ag_filter *f, const ag_val *v)
{
	size_t lo = 0, hi = (size_t)f->number;

	if (is_nothing(v))
		return f->flag;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = ag_val_cmp(v, &f->operand.u.items[mid]);

		if (c == 0)
			return true;
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	for (size_t i = 0; i < f->nkids; i++) {
		if (leaf_regex(f->kids[i]->regex, v))
			return true;
	}
	return false;
}

static bool leaf_mod(const ag_filter *f, const ag_val *v)
{
	ag_val whole;
	int64_t i;

	if (!ag_val_to_i64(v, &i)) {
		/* The server cuts fractions off; NaN, infinity and what int64 cannot hold never match. */
		if (v->type == AG_T_DOUBLE)
			whole = ag_val_double(trunc(v->u.f));
		else if (v->type == AG_T_DECIMAL)
			whole = (ag_val){ .type = AG_T_DECIMAL,
				          .u.dec = ag_decmath_round(v->u.dec, 0, AG_DEC_TRUNC) };
		else
			return false;
		if (!ag_val_to_i64(&whole, &i))
			return false;
	}
	if (f->number == -1)
		return f->number2 == 0; /* INT64_MIN % -1 traps */
	return i % f->number == f->number2;
}

bool ag_filter_leaf(const ag_filter *f, const ag_val *v)
{
	switch (f->op) {
	case AG_F_EQ: return leaf_eq(&f->operand, v);
	case AG_F_GT:
	case AG_F_GTE:
	case AG_F_LT:
	case AG_F_LTE: return leaf_order(f, v);
	case AG_F_IN: return leaf_in(f, v);
	case AG_F_EXISTS: return (v->type != AG_T_MISSING) == f->flag;
	case AG_F_TYPE: return v->type != AG_T_MISSING && (f->type_mask >> v->type & 1);
	case AG_F_REGEX: return leaf_regex(f->regex, v);
	case AG_F_SIZE: return v->type == AG_T_ARRAY && (int64_t)v->n == f->number;
	case AG_F_MOD: return leaf_mod(f, v);
	default: return false;
	}
}

static bool elem_match(const ag_filter *f, const ag_val *v)
{
	if (v->type != AG_T_ARRAY)
		return false;
	for (uint32_t i = 0; i < v->n; i++) {
		const ag_val *e = &v->u.items[i];

		if (f->op == AG_F_ELEM_OBJ && e->type != AG_T_OBJECT && e->type != AG_T_ARRAY)
			continue;
		if (ag_filter_match(f->kids[0], e))
			return true;
	}
	return false;
}

static bool looks_at_arrays(const ag_filter *f)
{
	return f->op == AG_F_SIZE || f->op == AG_F_ELEM_OBJ || f->op == AG_F_ELEM_VAL;
}

/* One value at the end of the path. */
static bool test(const ag_filter *f, const ag_val *v)
{
	switch (f->op) {
	case AG_F_ELEM_OBJ:
	case AG_F_ELEM_VAL: return elem_match(f, v);
	case AG_F_EXISTS: /* the caller turns the answer round for {"$exists": false} */
		return v->type != AG_T_MISSING;
	default: return ag_filter_leaf(f, v);
	}
}

static bool walk(const ag_filter *f, size_t k, const ag_val *doc);

/* An array in the way; parts[k] is the next name. */
static bool walk_array(const ag_filter *f, size_t k, const ag_val *array)
{
	for (uint32_t i = 0; i < array->n; i++) {
		const ag_val *e = &array->u.items[i];

		if (e->type == AG_T_OBJECT && walk(f, k, e))
			return true;
		if (!is_index(f->parts[k], i))
			continue;
		if (k + 1 == f->nparts) {
			if (test(f, e))
				return true;
		} else if (e->type == AG_T_OBJECT
		                   ? walk(f, k + 1, e)
		                   : e->type == AG_T_ARRAY && walk_array(f, k + 1, e)) {
			return true;
		}
	}
	return false;
}

static bool walk_end(const ag_filter *f, const ag_val *v)
{
	if (v->type == AG_T_ARRAY && !looks_at_arrays(f)) {
		for (uint32_t i = 0; i < v->n; i++) {
			if (test(f, &v->u.items[i]))
				return true;
		}
	}
	return test(f, v);
}

/* Any value at parts[k…] below doc (an object, or an array that stands for one)? */
static bool walk(const ag_filter *f, size_t k, const ag_val *doc)
{
	static const ag_val missing = { 0 };
	const ag_val *cur = doc;

	for (; k < f->nparts; k++) {
		cur = ag_filter_child(cur, f->parts[k]);
		if (!cur)
			return test(f, &missing);
		if (cur->type == AG_T_ARRAY && k + 1 < f->nparts)
			return walk_array(f, k + 1, cur);
	}
	return walk_end(f, cur);
}

static bool match_expr(const ag_filter *f, const ag_val *doc)
{
	ag_arena *scratch = ag_arena_new();
	ag_val v;
	bool yes = ag_expr_eval(f->expr, doc, scratch, &v, NULL) == AG_OK && ag_val_truthy(&v);

	ag_arena_free(scratch);
	return yes;
}

static bool all_match(const ag_filter *f, const ag_val *doc)
{
	for (size_t i = 0; i < f->nkids; i++) {
		if (!ag_filter_match(f->kids[i], doc))
			return false;
	}
	return true;
}

static bool any_match(const ag_filter *f, const ag_val *doc)
{
	for (size_t i = 0; i < f->nkids; i++) {
		if (ag_filter_match(f->kids[i], doc))
			return true;
	}
	return false;
}

bool ag_filter_match(const ag_filter *f, const ag_val *doc)
{
	switch (f->op) {
	case AG_F_TRUE: return true;
	case AG_F_AND: return all_match(f, doc);
	case AG_F_OR: return any_match(f, doc);
	case AG_F_NOR: return !any_match(f, doc);
	case AG_F_NOT: return !ag_filter_match(f->kids[0], doc);
	case AG_F_ALL: return f->nkids > 0 && all_match(f, doc);
	case AG_F_EXPR: return match_expr(f, doc);
	case AG_F_EXISTS:
		return (f->nparts ? walk(f, 0, doc) : doc->type != AG_T_MISSING) == f->flag;
	default:
		/* Inside $elemMatch the value itself is meant, and it is not looked into. */
		return f->nparts ? walk(f, 0, doc) : test(f, doc);
	}
}
