/* filter_expr -- see the header.
 *
 * The functions mirror those of match.c: filter() is ag_filter_match(), walk() and end() find the values of a path, test() looks at
 * one value. A value is named by a reference: "$a.b" of the document, "$$e3.b" of an element that a $map goes through.
 * Operators that fail on other types get a value of the right type instead, because a server may evaluate both sides of an $and. */
#include "query/filter_expr.h"

#include <math.h>

#include "query/filter_internal.h"
#include "query/regex.h"

#define MAX_PARTS 8   /* of a path: each that may be an array adds a $map */
#define MAX_NODES 400 /* of a filter */

typedef struct writer {
	ag_arena *arena;
	unsigned nvar, nnode;
	bool is_exact;
} writer;

/* --- expressions ----------------------------------------------------------------------------------- */

static ag_val object1(const writer *w, const char *key, ag_val v)
{
	ag_member *m = ag_new(w->arena, ag_member);

	*m = (ag_member){ ag_str_c(key), v };
	return ag_val_object(m, 1);
}

static ag_val list1(const writer *w, ag_val v)
{
	ag_val *item = ag_new(w->arena, ag_val);

	*item = v;
	return ag_val_array(item, 1);
}

static ag_val op2(const writer *w, const char *name, ag_val a, ag_val b)
{
	ag_val *two = ag_new_n(w->arena, ag_val, 2);

	two[0] = a;
	two[1] = b;
	return object1(w, name, ag_val_array(two, 2));
}

static ag_val cond(const writer *w, ag_val what, ag_val then, ag_val otherwise)
{
	ag_val *three = ag_new_n(w->arena, ag_val, 3);

	three[0] = what;
	three[1] = then;
	three[2] = otherwise;
	return object1(w, "$cond", ag_val_array(three, 3));
}

static ag_val not_of(const writer *w, ag_val v)
{
	return object1(w, "$not", list1(w, v));
}

static ag_val literal(const writer *w, ag_val v)
{
	return object1(w, "$literal", v);
}

static ag_val is_type(const writer *w, ag_val ref, const char *alias)
{
	return op2(w, "$eq", object1(w, "$type", ref), ag_val_str(ag_str_c(alias)));
}

static ag_val is_array(const writer *w, ag_val ref)
{
	return object1(w, "$isArray", list1(w, ref));
}

/* Is its type one of the mask? */
static ag_val is_type_of(const writer *w, ag_val ref, uint32_t mask)
{
	ag_val *names = ag_new_n(w->arena, ag_val, AG_NTYPE);
	size_t n = 0;

	for (unsigned t = 0; t < AG_NTYPE; t++)
		if (mask >> t & 1)
			names[n++] = ag_val_str(ag_str_c(ag_type_alias(t)));
	return op2(w, "$in", object1(w, "$type", ref), ag_val_array(names, n));
}

/* A name for the elements of a $map, and the reference to it. */
static ag_str new_name(writer *w)
{
	return ag_str_printf(w->arena, "e%u", ++w->nvar);
}

static ag_val ref_to(const writer *w, ag_str name)
{
	return ag_val_str(ag_str_printf(w->arena, "$$%.*s", AG_FMT(name)));
}

/* Is the condition on some element of the list true? */
static ag_val some(const writer *w, ag_val list, ag_str name, ag_val condition)
{
	ag_member *m = ag_new_n(w->arena, ag_member, 3);

	m[0] = (ag_member){ AG_S("input"), list };
	m[1] = (ag_member){ AG_S("as"), ag_val_str(name) };
	m[2] = (ag_member){ AG_S("in"), condition };
	return op2(w, "$in", ag_val_bool(true), object1(w, "$map", ag_val_object(m, 3)));
}

/* Its elements; nothing when it is no array. */
static ag_val elements(const writer *w, ag_val ref)
{
	return cond(w, is_array(w, ref), ref, ag_val_array(NULL, 0));
}

static ag_val inexact(writer *w)
{
	w->is_exact = false;
	return ag_val_bool(false);
}

/* --- one value ------------------------------------------------------------------------------------- */

static const uint32_t nothing = 1U << AG_T_MISSING | 1U << AG_T_NULL | 1U << AG_T_UNDEFINED;
static const uint32_t ordered = 1U << AG_T_DOUBLE | 1U << AG_T_STRING | 1U << AG_T_OID |
                                1U << AG_T_BOOL | 1U << AG_T_DATE | 1U << AG_T_INT32 |
                                1U << AG_T_TIMESTAMP | 1U << AG_T_INT64 | 1U << AG_T_DECIMAL;
static const uint32_t compared = ordered | 1U << AG_T_OBJECT | 1U << AG_T_ARRAY |
                                 1U << AG_T_BINARY | 1U << AG_T_NULL;

static ag_val leaf_eq(writer *w, const ag_filter *f, ag_val ref)
{
	if (!(compared >> f->operand.type & 1))
		return inexact(w);
	if (f->operand.type == AG_T_NULL)
		return is_type_of(w, ref, nothing);
	return op2(w, "$eq", ref, literal(w, f->operand));
}

/* Only with values of its own type, and not with NaN, which a server's order has below all numbers. */
static ag_val leaf_order(writer *w, const ag_filter *f, ag_val ref)
{
	const bool is_less = f->op == AG_F_LT || f->op == AG_F_LTE;
	const char *name = f->op == AG_F_GT    ? "$gt"
	                   : f->op == AG_F_GTE ? "$gte"
	                   : f->op == AG_F_LT  ? "$lt"
	                                       : "$lte";
	const ag_val *o = &f->operand;
	const ag_val nan = ag_val_double(NAN);
	uint32_t mask = 0;
	ag_val ret;

	if (!(ordered >> o->type & 1) || (ag_type_is_number(o->type) && ag_val_cmp(o, &nan) == 0))
		return inexact(w);
	for (unsigned t = 0; t < AG_NTYPE; t++)
		if (ag_type_order(t) == ag_type_order(o->type))
			mask |= 1U << t;
	ret = op2(w, "$and", is_type_of(w, ref, mask), op2(w, name, ref, literal(w, *o)));
	return is_less && ag_type_is_number(o->type)
	               ? op2(w, "$and", ret, op2(w, "$ne", ref, literal(w, nan)))
	               : ret;
}

/* A pattern that begins with "$" would be read as a path. */
static ag_val leaf_regex(writer *w, const ag_filter *f, ag_val ref)
{
	const ag_str pattern = ag_regex_pattern(f->regex), opts = ag_regex_opts(f->regex);
	ag_member *m = ag_new_n(w->arena, ag_member, 3);

	if (!pattern.len || pattern.ptr[0] == '$')
		return inexact(w);
	m[0] = (ag_member){ AG_S("input"),
		            cond(w, is_type(w, ref, "string"), ref, ag_val_str(AG_S(""))) };
	m[1] = (ag_member){ AG_S("regex"), ag_val_str(pattern) };
	m[2] = (ag_member){ AG_S("options"), ag_val_str(opts) };
	return op2(w, "$and", is_type(w, ref, "string"),
	           object1(w, "$regexMatch", ag_val_object(m, opts.len ? 3 : 2)));
}

static ag_val leaf_in(writer *w, const ag_filter *f, ag_val ref)
{
	ag_val *any = ag_new_n(w->arena, ag_val, f->nkids + 2);
	size_t n = 0;

	for (int64_t i = 0; i < f->number; i++)
		if (!(compared >> f->operand.u.items[i].type & 1))
			return inexact(w);
	any[n++] = op2(w, "$in", ref,
	               literal(w, ag_val_array(f->operand.u.items, (size_t)f->number)));
	if (f->flag)
		any[n++] = is_type_of(w, ref, nothing);
	for (size_t i = 0; i < f->nkids; i++)
		any[n++] = leaf_regex(w, f->kids[i], ref);
	return object1(w, "$or", ag_val_array(any, n));
}

static ag_val leaf_size(const writer *w, const ag_filter *f, ag_val ref)
{
	return op2(w, "$and", is_array(w, ref),
	           op2(w, "$eq", object1(w, "$size", elements(w, ref)), ag_val_int(f->number)));
}

static ag_val filter(writer *w, const ag_filter *f, ag_str ref);

/* An element that is an array has no names, so every filter without an index says the same of it. */
static ag_val elem_match(writer *w, const ag_filter *f, ag_val ref)
{
	static const ag_val empty = { .type = AG_T_ARRAY };
	const ag_str name = new_name(w);
	const ag_val e = ref_to(w, name);
	ag_val inner = filter(w, f->kids[0], ag_val_text(&e));

	if (f->op == AG_F_ELEM_OBJ)
		inner = cond(w, is_type(w, e, "object"), inner,
		             ag_filter_match(f->kids[0], &empty) ? is_array(w, e)
		                                                 : ag_val_bool(false));
	return some(w, elements(w, ref), name, inner);
}

static ag_val test(writer *w, const ag_filter *f, ag_val ref)
{
	switch (f->op) {
	case AG_F_EQ: return leaf_eq(w, f, ref);
	case AG_F_GT:
	case AG_F_GTE:
	case AG_F_LT:
	case AG_F_LTE: return leaf_order(w, f, ref);
	case AG_F_IN: return leaf_in(w, f, ref);
	case AG_F_EXISTS: return not_of(w, is_type(w, ref, "missing"));
	case AG_F_TYPE: return is_type_of(w, ref, f->type_mask & ~(1U << AG_T_MISSING));
	case AG_F_REGEX: return leaf_regex(w, f, ref);
	case AG_F_SIZE: return leaf_size(w, f, ref);
	case AG_F_ELEM_OBJ:
	case AG_F_ELEM_VAL: return elem_match(w, f, ref);
	default: return inexact(w);
	}
}

/* --- the values of a path -------------------------------------------------------------------------- */

static bool is_name(ag_str part)
{
	bool has_digits_only = true;

	for (size_t i = 0; i < part.len; i++)
		has_digits_only = has_digits_only && part.ptr[i] >= '0' && part.ptr[i] <= '9';
	return !has_digits_only && part.ptr[0] != '$';
}

static ag_val end(writer *w, const ag_filter *f, ag_val ref)
{
	const ag_val whole = test(w, f, ref);
	ag_str name;

	if (f->op == AG_F_SIZE || f->op == AG_F_ELEM_OBJ || f->op == AG_F_ELEM_VAL ||
	    f->op == AG_F_EXISTS)
		return whole;
	name = new_name(w);
	return op2(w, "$or", whole, some(w, elements(w, ref), name, test(w, f, ref_to(w, name))));
}

/* What the filter says of a path that leads to nothing. */
static bool holds_for_missing(const ag_filter *f)
{
	static const ag_val empty = { .type = AG_T_OBJECT };

	return f->op != AG_F_EXISTS && ag_filter_match(f, &empty);
}

/* parts[k…] below an object, "" = the document. */
static ag_val walk(writer *w, const ag_filter *f, size_t k, ag_str object)
{
	const ag_str part = f->parts[k];
	ag_str name;
	ag_val ref, e, otherwise;

	if (!is_name(part))
		return inexact(w);
	ref = ag_val_str(
		object.len ? ag_str_printf(w->arena, "%.*s.%.*s", AG_FMT(object), AG_FMT(part))
			   : ag_str_printf(w->arena, "$%.*s", AG_FMT(part)));
	if (k + 1 == f->nparts)
		return end(w, f, ref);
	name = new_name(w);
	e = ref_to(w, name);
	otherwise = holds_for_missing(f) ? not_of(w, is_array(w, ref)) : ag_val_bool(false);
	return some(w, cond(w, is_array(w, ref), ref, list1(w, ref)), name,
	            cond(w, is_type(w, e, "object"), walk(w, f, k + 1, ag_val_text(&e)),
	                 otherwise));
}

static ag_val kids_of(writer *w, const ag_filter *f, ag_str ref, const char *name)
{
	ag_val *all = ag_new_n(w->arena, ag_val, f->nkids + 1);

	for (size_t i = 0; i < f->nkids; i++)
		all[i] = filter(w, f->kids[i], ref);
	return object1(w, name, ag_val_array(all, f->nkids));
}

/* ref: an object, of $elemMatch on values any value; "" = the document. */
static ag_val filter(writer *w, const ag_filter *f, ag_str ref)
{
	ag_val v;

	if (++w->nnode > MAX_NODES || f->nparts > MAX_PARTS)
		return inexact(w);
	switch (f->op) {
	case AG_F_TRUE: return ag_val_bool(true);
	case AG_F_AND: return kids_of(w, f, ref, "$and");
	case AG_F_OR: return kids_of(w, f, ref, "$or");
	case AG_F_NOR: return not_of(w, kids_of(w, f, ref, "$or"));
	case AG_F_NOT: return not_of(w, filter(w, f->kids[0], ref));
	case AG_F_ALL: return f->nkids ? kids_of(w, f, ref, "$and") : ag_val_bool(false);
	case AG_F_EXPR: return ref.len ? inexact(w) : ag_expr_to_val(f->expr, w->arena);
	default: break;
	}
	v = f->nparts ? walk(w, f, 0, ref) : test(w, f, ag_val_str(ref));
	return f->op == AG_F_EXISTS && !f->flag ? not_of(w, v) : v;
}

bool ag_filter_to_expr(const ag_filter *f, ag_arena *arena, ag_val *ret)
{
	writer w = { .arena = arena, .is_exact = true };

	*ret = filter(&w, f, AG_S(""));
	return w.is_exact;
}
