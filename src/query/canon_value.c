/* canon_value -- one spelling per value; see the header for the rules. */
#include "query/canon_value.h"

#include <math.h>

#include "query/decmath.h"

static ag_val canon_decimal(ag_dec128 dec)
{
	double d = ag_dec128_to_double(dec);
	ag_val v = { .type = AG_T_DECIMAL };

	if (ag_dec128_is_nan(dec) || ag_dec128_is_inf(dec) ||
	    (isfinite(d) && ag_dec128_cmp_double(dec, d) == 0))
		return ag_val_double(d);
	v.u.dec = ag_decmath_strip(dec);
	return v;
}

ag_val ag_val_canon(ag_arena *arena, const ag_val *v)
{
	ag_val c = *v;
	int64_t i;

	if (ag_type_is_number(v->type)) {
		if (ag_val_to_i64(v, &i))
			return ag_val_int(i);
		return v->type == AG_T_DECIMAL ? canon_decimal(v->u.dec) : c;
	}
	if (v->type == AG_T_SYMBOL)
		c.type = AG_T_STRING;
	if (v->type == AG_T_ARRAY && v->n) {
		ag_val *items = ag_new_n(arena, ag_val, v->n);

		for (uint32_t k = 0; k < v->n; k++)
			items[k] = ag_val_canon(arena, &v->u.items[k]);
		c.u.items = items;
	} else if (v->type == AG_T_OBJECT && v->n) {
		ag_member *members = ag_new_n(arena, ag_member, v->n);

		for (uint32_t k = 0; k < v->n; k++) {
			members[k].key = v->u.members[k].key;
			members[k].val = ag_val_canon(arena, &v->u.members[k].val);
		}
		c.u.members = members;
	}
	return c;
}
