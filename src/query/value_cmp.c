/* value_cmp -- order and equality of values across all types.
 *
 * ag_val_cmp is a total order: types first (ag_type_order), then by value. Numbers are compared at their
 * exact values whatever their types, so 2^53+1 as an integer is above 2^53 as a double. */
#include "query/value.h"

#include <math.h>

static int cmp_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int cmp_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int cmp_text(ag_str a, ag_str b)
{
	int c = ag_str_cmp(a, b);

	return (c > 0) - (c < 0);
}

static int cmp_double(double a, double b)
{
	if (isnan(a) || isnan(b))
		return (isnan(a) ? 0 : 1) - (isnan(b) ? 0 : 1); /* NaN is below every number */
	return (a > b) - (a < b);
}

static int cmp_i64_double(int64_t a, double b)
{
	int64_t whole;
	double rest;

	if (isnan(b))
		return 1;
	if (b >= 0x1p63)
		return -1;
	if (b < -0x1p63)
		return 1;
	whole = (int64_t)b;
	if (a != whole)
		return a < whole ? -1 : 1;
	rest = b - (double)whole; /* exact: whole has b's own digits */
	return (rest < 0) - (rest > 0);
}

static int cmp_dec(const ag_val *dec, const ag_val *other)
{
	switch (other->type) {
	case AG_T_DECIMAL: return ag_dec128_cmp(dec->u.dec, other->u.dec);
	case AG_T_DOUBLE: return ag_dec128_cmp_double(dec->u.dec, other->u.f);
	default: return ag_dec128_cmp_i64(dec->u.dec, other->u.i);
	}
}

static int cmp_number(const ag_val *a, const ag_val *b)
{
	if (a->type == AG_T_DECIMAL)
		return cmp_dec(a, b);
	if (b->type == AG_T_DECIMAL)
		return -cmp_dec(b, a);
	if (a->type == AG_T_DOUBLE)
		return b->type == AG_T_DOUBLE ? cmp_double(a->u.f, b->u.f)
		                              : -cmp_i64_double(b->u.i, a->u.f);
	if (b->type == AG_T_DOUBLE)
		return cmp_i64_double(a->u.i, b->u.f);
	return cmp_i64(a->u.i, b->u.i);
}

static int cmp_object(const ag_val *a, const ag_val *b)
{
	for (uint32_t i = 0; i < a->n && i < b->n; i++) {
		const ag_member *x = &a->u.members[i], *y = &b->u.members[i];
		int c = cmp_i64(ag_type_order(x->val.type), ag_type_order(y->val.type));

		/* The type comes before the name, as the server does it. */
		if (!c)
			c = cmp_text(x->key, y->key);
		if (!c)
			c = ag_val_cmp(&x->val, &y->val);
		if (c)
			return c;
	}
	return cmp_u64(a->n, b->n);
}

static int cmp_array(const ag_val *a, const ag_val *b)
{
	for (uint32_t i = 0; i < a->n && i < b->n; i++) {
		int c = ag_val_cmp(&a->u.items[i], &b->u.items[i]);

		if (c)
			return c;
	}
	return cmp_u64(a->n, b->n);
}

static int cmp_binary(const ag_val *a, const ag_val *b)
{
	int c = cmp_u64(a->n, b->n);

	if (!c)
		c = cmp_u64(a->subtype, b->subtype);
	return c ? c : cmp_text(ag_val_text(a), ag_val_text(b));
}

static int cmp_regex(const ag_val *a, const ag_val *b)
{
	int c = cmp_text(ag_str_make(a->u.regex.s, a->n), ag_str_make(b->u.regex.s, b->n));

	return c ? c : cmp_text(ag_str_c(a->u.regex.opts), ag_str_c(b->u.regex.opts));
}

static int cmp_pair(const ag_val *a, const ag_val *b)
{
	int c = cmp_text(ag_str_make(a->u.pair.s, a->n), ag_str_make(b->u.pair.s, b->n));

	return c ? c : ag_val_cmp(a->u.pair.extra, b->u.pair.extra);
}

int ag_val_cmp(const ag_val *a, const ag_val *b)
{
	int c = cmp_i64(ag_type_order(a->type), ag_type_order(b->type));

	if (c)
		return c;
	switch ((ag_type)a->type) {
	case AG_T_DOUBLE:
	case AG_T_INT32:
	case AG_T_INT64:
	case AG_T_DECIMAL: return cmp_number(a, b);
	case AG_T_STRING:
	case AG_T_SYMBOL:
	case AG_T_CODE: return cmp_text(ag_val_text(a), ag_val_text(b));
	case AG_T_OBJECT: return cmp_object(a, b);
	case AG_T_ARRAY: return cmp_array(a, b);
	case AG_T_BINARY: return cmp_binary(a, b);
	case AG_T_OID: c = memcmp(a->u.oid, b->u.oid, sizeof(a->u.oid)); return (c > 0) - (c < 0);
	case AG_T_BOOL: return (int)a->u.b - (int)b->u.b;
	case AG_T_DATE: return cmp_i64(a->u.i, b->u.i);
	case AG_T_TIMESTAMP: return cmp_u64((uint64_t)a->u.i, (uint64_t)b->u.i);
	case AG_T_REGEX: return cmp_regex(a, b);
	case AG_T_DBPOINTER:
	case AG_T_CODE_W_SCOPE: return cmp_pair(a, b);
	case AG_T_MISSING:
	case AG_T_UNDEFINED:
	case AG_T_NULL:
	case AG_T_MINKEY:
	case AG_T_MAXKEY:
	case AG_NTYPE: break;
	}
	return 0;
}

bool ag_val_eq(const ag_val *a, const ag_val *b)
{
	return ag_val_cmp(a, b) == 0;
}
